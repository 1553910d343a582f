// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The two ways of sending a statement: prepared with bound values, or as text with the values written into it. Both
//! fetch every row. One thread, like the session that owns them.
#pragma once

#include "driver/driver.h"
#include "mysql_library.h"
#include "mysql_packet.h"

#include <array>
#include <cstdint>
#include <memory>
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

//! Where the columns of all results of a session go that are not kept, one over the other: they are fetched because a
//! real client would, and nobody reads them.
class ResultBuffer
{
public:
    //! Longer values are cut to this many bytes while they are fetched; they have crossed the wire in full.
    static constexpr unsigned long kBytes = 4096;
    [[nodiscard]] char* data()
    {
        if (m_bytes.empty())
            m_bytes.resize(kBytes);
        return m_bytes.data();
    }

private:
    std::vector<char> m_bytes;
};

class PreparedStatement
{
public:
    //! Prepares and binds; 0 or the error's number. Its text is in error() until close().
    [[nodiscard]] unsigned prepare(MYSQL* mysql, const StatementSpec& spec, ResultBuffer& buffer);
    //! `kept` takes the rows, unless it is nullptr. `packet` is for the direct path (mysql_direct.h), nullptr without
    //! it.
    [[nodiscard]] Fetched execute(std::span<const Param> params, ExecutePacket* packet, ResultBuffer& buffer,
                                  KeptRows* kept);
    // The same in steps, for a caller that waits for the server by itself: open, (prepare), opened; bind, (execute).
    [[nodiscard]] unsigned open(MYSQL* mysql);
    [[nodiscard]] unsigned opened(const StatementSpec& spec);
    //! Copies the values to where the library takes them from; missing ones become NULL. False: errorCode() says why.
    [[nodiscard]] bool bind(std::span<const Param> params);
    //! Fetches the rows of a result that the library has stored, of a statement that keeps them; 0 or the error's
    //! number.
    [[nodiscard]] unsigned keepStored(KeptRows& kept);
    [[nodiscard]] MYSQL_STMT* handle() const { return m_statement.get(); }
    [[nodiscard]] unsigned errorCode() const;
    [[nodiscard]] bool ready() const { return m_statement != nullptr; }
    [[nodiscard]] const char* error() const;
    void close() { m_statement.reset(); }

private:
    struct CloseStatement
    {
        void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
    };
    //! Where the library takes a parameter from.
    struct Value
    {
        std::int64_t number = 0;  //!< or the bits of a double
        std::string text;         //!< room for it
        unsigned long length = 0; //!< of the text
        Flag isNull = 0;
    };
    //! What the library says of a column of the row that was fetched last.
    struct Column
    {
        unsigned long length = 0;
        Flag isNull = 0;
        Flag isCut = 0;
    };

    //! Sends the statement and reads the first answer; false: errorCode() says why.
    [[nodiscard]] bool send(std::span<const Param> params, ExecutePacket* packet);
    [[nodiscard]] bool sendDirectly(std::span<const Param> params, ExecutePacket& packet);
    void setType(std::size_t parameter, Param::Type type);
    //! Columns go to `shared`, or to m_row if it is nullptr.
    [[nodiscard]] unsigned bindResult(ResultBuffer* shared);
    [[nodiscard]] unsigned bindAnew(ResultBuffer* shared);
    [[nodiscard]] unsigned fetchRows(Fetched& fetched, ResultBuffer& buffer, KeptRows* kept);
    //! Fetches and counts the rows of one result; the library's answer to the last call.
    [[nodiscard]] int fetchAll(std::int64_t& rows, KeptRows* kept);
    //! Takes the row that was fetched last from where it was bound to; false when the library could not give a long
    //! text again.
    [[nodiscard]] bool keepRow(KeptRows& kept);

    MYSQL* m_mysql = nullptr;
    std::unique_ptr<MYSQL_STMT, CloseStatement> m_statement;
    unsigned m_columns = 0;
    bool m_keeps = false;
    ParameterTypes m_types; //!< of packets of ours; the library has its own
    std::vector<MYSQL_BIND> m_parameters;
    std::vector<Value> m_values; //!< of m_parameters
    bool m_bound = false;        //!< the library knows m_parameters as they are
    // Of a statement that keeps rows:
    std::vector<MYSQL_BIND> m_results;
    std::vector<Column> m_marks;      //!< of m_results
    std::vector<std::string> m_names; //!< of its columns
    std::vector<char> m_row;          //!< the columns of one row
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
[[nodiscard]] Fetched sendText(MYSQL* mysql, std::string_view text, KeptRows* kept = nullptr,
                               Answers* answers = nullptr);

} // namespace dyno::mysql
