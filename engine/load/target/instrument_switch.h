// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server's instruments for a target's points: load.instruments.
#pragma once

#include "driver/driver.h"
#include "server/knobs/knob_guard.h"

#include <string>
#include <vector>

namespace dyno {

//! Switches instruments on as each point wants and puts them back. They are settings like others: each is announced
//! with its old value before it is changed. Control thread only.
class InstrumentSwitch
{
public:
    explicit InstrumentSwitch(KnobGuard::Announce announce)
        : m_guard(std::move(announce))
    {
    }

    //! Brings the server to `level` from what it has without us; none puts back. `ofPoint`: settings that the point
    //! itself sets stay as they are. What a server refuses is no error: told() says why.
    [[nodiscard]] Expected<void> apply(Admin& admin, InstrumentsLevel level, const Settings& ofPoint);
    //! "full: performance_schema: 214 instruments and 3 consumers switched on, put back afterwards"; "" for none.
    [[nodiscard]] const std::string& told() const { return m_told; }

    [[nodiscard]] bool changed() const { return !m_guard.changes().empty(); }
    //! Puts everything back; the first problem, but all are tried.
    [[nodiscard]] Expected<void> restore(Admin& admin);
    //! Names that were not brought back, of those still changed all.
    [[nodiscard]] std::vector<std::string> notRestored() const;

private:
    [[nodiscard]] Expected<void> switchOn(Admin& admin, const Settings& ofPoint);

    KnobGuard m_guard;
    InstrumentsLevel m_level = InstrumentsLevel::None;
    std::string m_what; //!< what of m_level was not so before
    std::string m_told;
};

} // namespace dyno
