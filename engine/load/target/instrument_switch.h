// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server's instruments for a target's points: load.instruments.
#pragma once

#include "driver/driver.h"
#include "server/knobs/knob_guard.h"

#include <string>
#include <utility>
#include <vector>

namespace dyno {

//! Switches instruments on as each point wants and puts them back. They are settings like others: each is announced
//! with its old value before it is changed. Control thread only.
class InstrumentSwitch
{
public:
    explicit InstrumentSwitch(KnobGuard::Announce announce)
        : m_announce(std::move(announce))
        , m_guard(m_announce)
    {
    }

    //! Brings the server to `level` from what it has without us; none puts back. `ofPoint`: settings that the point
    //! itself sets stay as they are. What a server refuses is no error: told() says why.
    [[nodiscard]] Expected<void> apply(Admin& admin, InstrumentsLevel level, const Settings& ofPoint);
    //! "full: performance_schema: 214 instruments and 3 consumers switched on, put back afterwards"; "" for none.
    [[nodiscard]] const std::string& told() const { return m_told; }

    [[nodiscard]] InstrumentsLevel level() const { return m_level; }
    [[nodiscard]] bool changed() const { return !m_guard.changes().empty(); }
    //! Puts everything back, so that the server has what it has without us. What somebody else changed meanwhile stays
    //! and is no error: takeLeft() tells it.
    [[nodiscard]] Expected<void> putBack(Admin& admin);
    //! Sentences on what putBack() and apply() left to somebody else.
    [[nodiscard]] std::vector<std::string> takeLeft() { return std::exchange(m_left, {}); }
    //! The server ended, and what was switched on with it.
    void forget();
    //! Puts everything back at the end; the first problem, another's change too, but all are tried.
    [[nodiscard]] Expected<void> restore(Admin& admin);
    //! Names that were not brought back, of those still changed all.
    [[nodiscard]] std::vector<std::string> notRestored() const;

private:
    [[nodiscard]] Expected<void> switchOn(Admin& admin, const Settings& ofPoint);

    KnobGuard::Announce m_announce;
    KnobGuard m_guard;
    InstrumentsLevel m_level = InstrumentsLevel::None;
    std::string m_what; //!< what of m_level was not so before
    std::string m_told;
    std::vector<std::string> m_left;
};

} // namespace dyno
