// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Lines of a file of any size, with bounded memory.
#pragma once

#include <dyno/import.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>

namespace dyno::import {

//! The longest line that is looked at; of a longer one the beginning.
constexpr std::size_t kLongestLine = 1 << 20;

//! Reads forward. Line ends are LF, CRLF or a lone CR of a progress line; a byte-order mark is left out. Compressed
//! files
//! (.gz) are unpacked on the way, and files that begin with the byte-order mark of UTF-16 become UTF-8.
class LineReader
{
public:
    static Expected<std::unique_ptr<LineReader>> open(const std::filesystem::path& file);
    //! Text in memory, for tests and fuzzing.
    static std::unique_ptr<LineReader> over(std::string_view text);
    ~LineReader();

    //! The next line without its end, valid until the next call; false at the end of the file or after an error.
    bool next(std::string_view& line);
    [[nodiscard]] std::int64_t number() const { return m_number; } //!< of that line, from 1
    [[nodiscard]] bool wasWhole() const { return m_whole; }        //!< it had a line end and was not too long
    [[nodiscard]] std::uint64_t bytesRead() const;                 //!< of the file, as it is on disk
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    struct Input;
    explicit LineReader(std::unique_ptr<Input> input);
    bool fill();

    std::unique_ptr<Input> m_input;
    std::string m_buffer;
    std::size_t m_from = 0, m_end = 0;
    std::int64_t m_number = 0;
    bool m_whole = true, m_ended = false;
    std::optional<Error> m_error;
};

//! The first bytes, unpacked; at most `most` of them, as UTF-8 if they are UTF-16. `whole`, if given, tells whether
//! there are no others.
[[nodiscard]] Expected<std::string> readHead(const std::filesystem::path& file, std::size_t most,
                                             bool* whole = nullptr);
//! The whole content of a document that cannot be read piece by piece (JSON), unpacked and as UTF-8 if it is UTF-16; an
//! error above `most` bytes.
[[nodiscard]] Expected<std::string> readWhole(const std::filesystem::path& file, std::size_t most);

} // namespace dyno::import
