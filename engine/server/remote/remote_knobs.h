// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The server variables of a server that somebody else runs: dynamic ones by SET GLOBAL, the others by the commands
//! that its owner gave (servers.toml), and all of them back again. Never SET PERSIST.
#pragma once

#include "server/knobs/knob_guard.h"
#include <dyno/servers.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
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
    std::function<bool()> stopped; //!< true: a new value's restart is not waited for much longer; may be empty
    bool mayRestart = true;        //!< false: the commands are not run, whatever they are
};

//! Connects. Where the server does not answer and `changes` (all of knobs that need a restart) may be why, the old
//! values are written down and the server is restarted with them first.
[[nodiscard]] Expected<std::unique_ptr<Admin>> connectOrRevive(const RemoteDoor& door,
                                                               const std::vector<KnobChange>& changes);

struct PutBackManner
{
    bool overwrite = false; //!< values of others too
    //! A process that was killed between writing the owner's file and the restart left our value in the file only: what
    //! is in force already is written there once more.
    bool afterCrash = false;
};

//! Puts changes back, backwards: those that need a restart first, with the server's commands, if it has them; then the
//! dynamic ones by SET GLOBAL. One result for each. `admin` is replaced when the server was restarted, and empty when
//! it does not answer after that.
[[nodiscard]] std::vector<RestoredKnob> putBackAll(const RemoteDoor& door, std::unique_ptr<Admin>& admin,
                                                   const std::vector<KnobChange>& changes,
                                                   const PutBackManner& manner = {});

//! A text "NAME=VALUE;NAME=VALUE" (KnobPart) with these options in it, others kept as they are. A value in braces may
//! hold such a text too.
[[nodiscard]] std::string textWithOptions(std::string_view text, std::string_view options);

//! Control thread only.
class RemoteKnobs
{
public:
    //! `announce` is called before each change; an error from it cancels the change.
    RemoteKnobs(RemoteDoor door, KnobGuard::Announce announce);

    //! Brings the server to `wanted` (names as in a plan) and says what is in force. What can be known beforehand is
    //! looked at before anything is changed: names that the server does not have, knobs that need a restart without
    //! commands to do so. `admin` is replaced when the server was restarted. A server that does not come up with new
    //! values, or does not take them, is restarted with the old ones.
    [[nodiscard]] Expected<Settings> apply(std::unique_ptr<Admin>& admin, const Settings& wanted);
    //! What apply() could not do without a restart that nobody asked for: a sentence for each setting from which the
    //! server decides others at its start alone.
    [[nodiscard]] const std::vector<std::string>& stayed() const { return m_stayed; }
    //! Connects to put things back, after a restart with the old values when the server cannot be reached.
    [[nodiscard]] Expected<std::unique_ptr<Admin>> reach() const { return connectOrRevive(m_door, m_restarted); }
    //! Puts everything back; the first problem, but all are tried.
    [[nodiscard]] Expected<void> restore(std::unique_ptr<Admin>& admin);
    [[nodiscard]] bool changed() const { return !m_guard.changes().empty() || !m_restarted.empty(); }
    //! Names that were not brought back, by restore() or after a point that failed.
    [[nodiscard]] std::vector<std::string> notRestored() const;

private:
    struct Knob;
    [[nodiscard]] Expected<std::vector<Knob>> look(Admin& admin, const Settings& ofPlan) const;
    [[nodiscard]] Expected<void> applyWithRestart(std::unique_ptr<Admin>& admin, const std::vector<Knob>& knobs);

    RemoteDoor m_door;
    KnobGuard::Announce m_announce;
    KnobGuard m_guard;                   //!< of the dynamic ones
    std::vector<KnobChange> m_restarted; //!< changed with a restart
    std::vector<std::string> m_notRestored;
    std::vector<std::string> m_stayed;
};

} // namespace dyno
