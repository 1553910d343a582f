// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The states of many named things as one setting's text, so that each goes back as it was: the state of most of them,
//! then every other one with its name. "NO|YES=wait/io/file/sql/binlog|YES=…"
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

using States = std::map<std::string, std::string, std::less<>>; //!< by name

class StateList
{
public:
    explicit StateList(std::string_view text);
    explicit StateList(const States& states);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string_view of(std::string_view name) const;
    [[nodiscard]] bool allAmong(const std::vector<std::string_view>& states) const;

private:
    friend struct StatesBack;
    StateList() = default;

    std::string m_most;
    States m_others;
};

//! What going back means where somebody else changed some of them since we did.
struct StatesBack
{
    std::string next;      //!< those still as we set them go back, others stay
    std::string othersNow; //!< for people, what stays: "NO for a, b, c and 4 others"; "": nothing
    //! Nothing where these are no lists of states.
    static std::optional<StatesBack> from(std::string_view old, std::string_view ours, std::string_view found);
};

//! For people: "NO, 3 others".
[[nodiscard]] std::string shownStates(std::string_view text);

} // namespace dyno
