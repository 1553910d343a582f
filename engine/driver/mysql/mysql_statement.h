// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The two ways of sending a statement: prepared with bound values, or as text with the values written into it. Both
//! fetch every row. One thread, like the session that owns them.
#pragma once

#include "driver/driver.h"

#include <array>
#include <cstdint>
#include <mysql.h>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::mysql {

//! What one statement brought back.
struct Fetched
{
    unsigned code = 0; //!< 0 or the library's or server's error number
    std::int64_t rows = 0;
    std::int64_t affected = 0;
};

//! Memory that all prepared statements of a session share: only one of them runs at a time, so parameter i of each
//! lies in slot i, and all result columns go to one scratch area (nobody reads them; they are fetched because a real
//! client would).
class BindBuffers
{
public:
    struct Slot
    {
        std::int64_t integer = 0;
        double real = 0;
        unsigned long length = 0;
        my_bool isNull = 0;
        std::vector<char> text;
    };

    void growTo(std::size_t parameters);
    //! Copies `value` in; a text longer than any before moves the buffer, and all statements have to bind again.
    void put(std::size_t index, const Param& value);
    [[nodiscard]] Slot& slot(std::size_t index) { return m_slots[index]; }
    [[nodiscard]] std::uint32_t generation() const { return m_generation; } //!< changes when a buffer moved
    [[nodiscard]] char* scratch();
    //! Longer values are cut to this many bytes while they are fetched; they have crossed the wire in full.
    static constexpr unsigned long kScratchBytes = 4096;

private:
    std::vector<Slot> m_slots;
    std::vector<char> m_scratch;
    std::uint32_t m_generation = 1;
};

class PreparedStatement
{
public:
    PreparedStatement() = default;
    PreparedStatement(PreparedStatement&& other) noexcept;
    PreparedStatement& operator=(PreparedStatement&& other) noexcept;
    PreparedStatement(const PreparedStatement&) = delete;
    PreparedStatement& operator=(const PreparedStatement&) = delete;
    ~PreparedStatement() { close(); }

    //! Prepares and binds; 0 or the error's number. Its text is in error() until close().
    [[nodiscard]] unsigned prepare(MYSQL* mysql, const StatementSpec& spec, BindBuffers& buffers);
    //! `kept` takes the rows, unless it is nullptr.
    [[nodiscard]] Fetched execute(std::span<const Param> params, BindBuffers& buffers, KeptRows* kept);
    // The same in steps, for a caller that waits for the server by itself: open, (prepare), opened; bind, (execute).
    [[nodiscard]] unsigned open(MYSQL* mysql);
    [[nodiscard]] unsigned opened(const StatementSpec& spec, BindBuffers& buffers);
    [[nodiscard]] unsigned bind(std::span<const Param> params, BindBuffers& buffers);
    //! Fetches the rows of a result that the library has stored.
    void keepStored(KeptRows& kept, BindBuffers& buffers);
    [[nodiscard]] MYSQL_STMT* handle() const { return m_statement; }
    [[nodiscard]] unsigned errorCode() const;
    [[nodiscard]] bool ready() const { return m_statement != nullptr; }
    [[nodiscard]] const char* error() const;
    void close();

private:
    [[nodiscard]] unsigned bindParameters(BindBuffers& buffers);
    [[nodiscard]] unsigned bindResult(BindBuffers& buffers);
    [[nodiscard]] unsigned fetchRows(Fetched& fetched, BindBuffers& buffers, KeptRows* kept);
    void keepRow(KeptRows& kept, BindBuffers& buffers);

    MYSQL_STMT* m_statement = nullptr;
    std::vector<Param::Type> m_types; //!< as bound
    std::uint32_t m_generation = 0;
    unsigned m_columns = 0;
};

//! A statement's text cut at its parameter marks, so that sending it is a few copies.
class TextStatement
{
public:
    //! `text` must outlive this. Marks inside quotes and comments are not parameters.
    explicit TextStatement(std::string_view text);
    [[nodiscard]] std::size_t parameters() const { return m_pieces.size() - 1; }
    //! Appends the statement with its values to `out`, escaped as this connection needs it. Missing values become NULL.
    void append(MYSQL* mysql, std::span<const Param> params, std::string& out) const;

private:
    std::vector<std::string_view> m_pieces;
};

//! The SQL of Begin, Commit, Rollback and Text.
[[nodiscard]] std::string_view sqlOf(const Request& request);

using Answers = std::vector<Batch::Answer>;
//! Notes one statement's result, which has just arrived.
void noteAnswer(Answers& answers, const Reply& reply);

//! The row of a result in the text protocol.
void keepTextRow(MYSQL_RES* result, MYSQL_ROW row, KeptRows& kept);

//! Sends `text` and fetches every row of every result; notes each one in `answers`, and the rows of the last one in
//! `kept`, unless they are nullptr.
[[nodiscard]] Fetched sendText(MYSQL* mysql, std::string_view text, KeptRows* kept = nullptr, Answers* answers = nullptr);

} // namespace dyno::mysql
