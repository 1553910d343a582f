// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Changes a server's dynamic variables for a point and puts them back. Nothing is changed silently: every change is
//! announced with its old value before it is made.
#pragma once

#include "driver/driver.h"
#include <dyno/servers.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

struct KnobChange
{
    std::string name;
    std::string oldValue; //!< as the server printed it
    std::string newValue;
};

//! Puts one dynamic variable back unless somebody else has changed it since; `overwrite`: also then. The target is not
//! filled in.
[[nodiscard]] RestoredKnob putBack(Admin& admin, const KnobChange& change, bool overwrite = false);
//! What to tell of a setting that is not as it was before; nothing when it is.
[[nodiscard]] std::optional<Error> problemOf(const RestoredKnob& knob);

//! Control thread only.
class KnobGuard
{
public:
    //! `announce` is called before each change (the runner writes it down); an error from it cancels the change.
    using Announce = std::function<Expected<void>(const KnobChange&)>;
    explicit KnobGuard(Announce announce);

    //! Brings the server to `wanted` (names without scope): knobs of an earlier point that are not wanted any more go
    //! back to their old values first. Reads every value back; returns what is in force. A value the server did not
    //! take is an error that names both, and one for a knob that needs a restart says so; after an error the server is
    //! as it was before the first change.
    //! Variables that the server moves along with a wanted one (innodb_io_capacity_max) are announced and put back too.
    [[nodiscard]] Expected<Settings> apply(Admin& admin, const Settings& wanted);
    //! Puts every changed value back; reports the first failure but tries all. A value that somebody else changed
    //! meanwhile is left alone and reported.
    [[nodiscard]] Expected<void> restore(Admin& admin);
    //! Names that were not brought back: at the last restore(), or left to somebody else at an earlier one.
    [[nodiscard]] const std::vector<std::string>& notRestored() const { return m_notRestored; }
    [[nodiscard]] const std::vector<KnobChange>& changes() const { return m_changes; }

private:
    [[nodiscard]] KnobChange* find(std::string_view name);
    [[nodiscard]] Expected<void> note(const std::string& name, const std::string& now, const std::string& value);
    [[nodiscard]] Expected<std::string> set(Admin& admin, const std::string& name, const std::string& now,
                                            const Value& value);
    [[nodiscard]] Expected<void> putBackUnwanted(Admin& admin, const Settings& wanted);

    Announce m_announce;
    std::vector<KnobChange> m_changes;
    std::set<std::string, std::less<>> m_moved; //!< of these, those that the server moved along with another one
    std::vector<std::string> m_notRestored;
    std::vector<std::string> m_others; //!< somebody else's value was found there
};

//! The knob catalogue, parsed once from resources/knobs/*.toml. Any thread.
[[nodiscard]] const std::vector<KnobInfo>& knobCatalog();
//! By the catalogue's name, else by a name that some edition has. nullptr when the catalogue does not know it (then it
//! is passed on as text and checked against the server's list).
[[nodiscard]] const KnobInfo* findKnob(std::string_view driver, std::string_view scope, std::string_view name);

} // namespace dyno
