// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The threads of a process, as many of them as are worth looking at, and text of the kernel's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Threads of /proc/ID/task. One thread at a time.
class ThreadList
{
public:
    //! `process`: its number, or "self". With more than `most` threads the oldest ones, which are those that others
    //! wait for, and a fair share of the others are looked at.
    ThreadList(std::string_view process, std::size_t most);
    void read(); //!< none when the process is gone
    [[nodiscard]] const std::vector<int>& ids() const { return m_ids; }
    //! Of how many threads does ids()[i] stand; 1 for all that are always looked at.
    [[nodiscard]] double weight(std::size_t i) const { return always(i) ? 1.0 : m_scale; }
    //! False for one that was drawn: it may have been there before without having been looked at.
    [[nodiscard]] bool always(std::size_t i) const { return i < m_always; }

private:
    std::string m_folder;
    std::size_t m_most;
    std::vector<int> m_ids;
    std::size_t m_always = 0;
    double m_scale = 1;
};

//! The start of a file of the kernel, read at once: one consistent answer. "" when it cannot be read.
[[nodiscard]] std::string_view readStart(int fd, std::span<char> buffer);
//! The same of a path.
[[nodiscard]] std::string_view readStart(const std::string& path, std::span<char> buffer);
//! Takes the next number off the front of `text`; 0 at the end of the line.
std::uint64_t nextNumber(std::string_view& text);

} // namespace dyno
