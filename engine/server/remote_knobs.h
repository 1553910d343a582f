// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The server variables of a server that somebody else runs: dynamic ones by SET GLOBAL, the others by the commands
//! that its owner gave (servers.toml), and all of them back again. Never SET PERSIST.
#pragma once

#include "server/knob_guard.h"
#include <dyno/servers.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! How to reach one remote server and what may be done to it.
struct RemoteDoor
{
    std::string driver; //!< driver id
    std::string shown;  //!< its URI for messages, without a password
    RemoteServer known; //!< its commands; empty ones when there are none
    std::string secret; //!< password: taken out of what the commands print
    std::function<Expected<std::unique_ptr<Admin>>()> connect;
};

//! Puts changes back, backwards: dynamic ones by SET GLOBAL, the others with the server's commands, if it has them. One
//! result for each. `admin` is replaced when the server was restarted.
[[nodiscard]] std::vector<RestoredKnob> putBackAll(const RemoteDoor& door, std::unique_ptr<Admin>& admin,
                                                   const std::vector<KnobChange>& changes, bool overwrite = false);

//! Control thread only.
class RemoteKnobs
{
public:
    //! `announce` is called before each change; an error from it cancels the change.
    RemoteKnobs(RemoteDoor door, KnobGuard::Announce announce);

    //! Brings the server to `wanted` (names as in a plan) and says what is in force. What can be known beforehand is
    //! looked at before anything is changed: names that the server does not have, knobs that need a restart without
    //! commands to do so. `admin` is replaced when the server was restarted.
    [[nodiscard]] Expected<Settings> apply(std::unique_ptr<Admin>& admin, const Settings& wanted);
    //! Puts everything back; the first problem, but all are tried.
    [[nodiscard]] Expected<void> restore(std::unique_ptr<Admin>& admin);
    [[nodiscard]] bool changed() const { return !m_guard.changes().empty() || !m_restarted.empty(); }
    //! Names that the last restore() did not bring back.
    [[nodiscard]] const std::vector<std::string>& notRestored() const { return m_notRestored; }

private:
    struct Knob;
    [[nodiscard]] Expected<std::vector<Knob>> look(Admin& admin, const Settings& wanted) const;
    [[nodiscard]] Expected<void> applyWithRestart(std::unique_ptr<Admin>& admin, const std::vector<Knob>& knobs);

    RemoteDoor m_door;
    KnobGuard::Announce m_announce;
    KnobGuard m_guard;                   //!< of the dynamic ones
    std::vector<KnobChange> m_restarted; //!< changed with a restart
    std::vector<std::string> m_notRestored;
};

} // namespace dyno
