// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/change_notes.h"

#include "base/private_lines.h"

#include <dyno/runner.h>

#include <filesystem>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kMostNoteBytes = 4 << 20; //!< some ten thousand changes: then it begins anew

std::filesystem::path notesFile()
{
    return dataFolder() / "changed-settings";
}

//! One line, whatever stands in the parts.
std::string noteOf(std::string_view target, std::string_view name, std::string_view oldValue, std::string_view newValue)
{
    std::string line;
    for (const std::string_view part : {target, name, oldValue, newValue}) {
        for (const char c : part) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte <= 0x20 || byte >= 0x7f || c == '%')
                line += fmt::format("%{:02X}", unsigned(byte));
            else
                line += c;
        }
        line += '\t';
    }
    line.pop_back();
    return line;
}

} // namespace

void noteChange(std::string_view target, std::string_view name, std::string_view oldValue, std::string_view newValue)
{
    addPrivateLines(notesFile(), {noteOf(target, name, oldValue, newValue)}, kMostNoteBytes);
}

ChangeNotes::ChangeNotes()
    : m_lines(privateLines(notesFile()))
{
}

bool ChangeNotes::has(std::string_view target, std::string_view name, std::string_view oldValue,
                      std::string_view newValue) const
{
    return m_lines.contains(noteOf(target, name, oldValue, newValue));
}

} // namespace dyno
