// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reading the answer to one statement while it arrives: rows as tab-separated lines with the columns' names and types
//! before them, and the server's error wherever it stands.
#pragma once

#include "driver/kept_rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::clickhouse {

//! The code of an error whose text has none.
inline constexpr std::int32_t kUnknownException = 1002;

//! "Code: 60, e.displayText() = DB::Exception: …", and as newer servers write it "Code: 60. DB::Exception: …": the
//! number; 0 for other text.
[[nodiscard]] std::int32_t codeInText(std::string_view text);
//! The server's text of an error on one line, without the number before it and the stack behind it.
[[nodiscard]] std::string errorText(std::string_view text);

//! A value as tab-separated text has it, without its escapes, added to `out`.
void appendUnescaped(std::string_view text, std::string& out);

//! Takes one answer after another; reuses its memory. Keeps no more than a line, and the rows that shall be kept.
class AnswerReader
{
public:
    enum class Cell : std::uint8_t { Text, Integer, Real, Flag };

    //! A new answer. `kept` is where rows that `keep` wants go; its begin() was called. `texts`: numbers are kept as
    //! the server writes them.
    void begin(Keep keep, KeptRows* kept, bool texts = false);
    //! Before the body: the answer is an error all in all (its status says so).
    void failed() { m_wholeError = true; }
    //! The number that a header tells.
    void setCode(std::int32_t code) { m_code = code; }
    void take(std::string_view bytes);
    //! After the last of it, or where it breaks off.
    void end();

    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    //! 0: there is no error in it. Text without a number of its own is kUnknownException.
    [[nodiscard]] std::int32_t code() const { return m_code; }
    //! As the server wrote it; "" without an error.
    [[nodiscard]] const std::string& error() const { return m_error; }

private:
    void takeLine(std::string_view line);
    void takeRow(std::string_view line);
    void takeTypes(std::string_view line);
    void takeError(std::string_view text);
    [[nodiscard]] static bool isError(std::string_view line);

    Keep m_keep = Keep::Nothing;
    KeptRows* m_kept = nullptr;
    bool m_texts = false, m_wholeError = false, m_inError = false, m_inTotals = false;
    int m_headLines = 0; //!< of the two before the rows
    std::size_t m_columns = 0;
    std::int64_t m_rows = 0;
    std::int32_t m_code = 0;
    std::string m_pending, m_error;
    std::vector<Cell> m_cells;
    std::string m_value;
};

} // namespace dyno::clickhouse
