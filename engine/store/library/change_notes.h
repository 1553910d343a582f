// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this user's sessions changed on servers and hosts, in a file of dataFolder() that only this user may read. A
//! library can come from somebody else, and its list of changes with it: what is not noted here too is put back after a
//! question only.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace dyno {

//! Before the change. A note that cannot be written is left out: then a question comes where none would be needed.
void noteChange(std::string_view target, std::string_view name, std::string_view oldValue, std::string_view newValue);

//! The notes of now, for many questions. Empty when there are none, or when others could have written them.
class ChangeNotes
{
public:
    ChangeNotes(); //!< reads
    [[nodiscard]] bool has(std::string_view target, std::string_view name, std::string_view oldValue,
                           std::string_view newValue) const;

private:
    std::set<std::string, std::less<>> m_lines;
};

} // namespace dyno
