// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The two ways of sending a statement: prepared with bound values, or as text with the values written into it; and
//! reading rows. One thread, like the session that owns them.
#pragma once

#include "postgresql_connection.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::postgresql {

//! A value that cannot be sent, found before anything was.
struct ValueFault
{
    std::int32_t code = 0;
    std::string text;
};

//! Values of one execution as libpq takes them; shared by all statements of a session, and reuses its memory.
class BoundValues
{
public:
    //! `types`: the server's type of each parameter. Values in binary form where it is one that this knows, else as
    //! text. Missing ones become NULL. Views into `params` stay in here until the statement was sent.
    [[nodiscard]] std::optional<ValueFault> bind(std::span<const Oid> types, std::span<const Param> params);
    [[nodiscard]] const char* const* values() const { return m_values.data(); }
    [[nodiscard]] const int* lengths() const { return m_lengths.data(); }
    [[nodiscard]] const int* formats() const { return m_formats.data(); }

private:
    using Number = std::array<char, 32>; //!< room for a number, binary or as text

    [[nodiscard]] std::optional<ValueFault> bindInteger(std::size_t i, Oid type, std::int64_t value);
    [[nodiscard]] std::optional<ValueFault> bindReal(std::size_t i, Oid type, double value);
    [[nodiscard]] std::optional<ValueFault> bindText(std::size_t i, Oid type, std::string_view value);
    template<class T>
    void setBinary(std::size_t i, T value);
    template<class T>
    void setDigits(std::size_t i, Oid type, T value);
    void setBytes(std::size_t i, std::string_view bytes);

    std::vector<const char*> m_values;
    std::vector<int> m_lengths, m_formats;
    std::vector<Number> m_numbers;
    std::string m_texts; //!< copies that end with a zero byte
};

class PreparedStatement
{
public:
    //! `marked`: with `?` for the parameters.
    explicit PreparedStatement(std::string_view marked);
    [[nodiscard]] const std::string& text() const { return m_text; }
    //! A name for the next try to prepare it; the server keeps those of earlier ones until the connection ends.
    [[nodiscard]] const char* nextName(std::size_t index);
    [[nodiscard]] const char* name() const { return m_name.c_str(); }
    //! False for so many parameters that libpq, up to 15.18 at least, takes the list of their types for a broken
    //! connection ("lost synchronization with server").
    [[nodiscard]] bool describable() const { return m_params <= kMostDescribed; }
    //! Ready from now on: what the server says of it.
    void described(const PGresult* description);
    //! Ready from now on, with values and rows as text.
    void prepared();
    [[nodiscard]] bool ready() const { return m_ready; }
    void forget() { m_ready = false; }
    [[nodiscard]] std::span<const Oid> types() const { return m_types; }
    //! 1 when rows come in binary form: where all their columns are of types that appendRow() reads so.
    [[nodiscard]] int resultFormat() const { return m_resultFormat; }

private:
    static constexpr std::size_t kMostDescribed = 7000; //!< 30 000 bytes with four a type

    std::string m_text; //!< with $1 for the first parameter
    std::size_t m_params = 0;
    std::string m_name;
    int m_tries = 0;
    bool m_ready = false;
    std::vector<Oid> m_types;
    int m_resultFormat = 0;
};

//! A statement's text cut at its parameter marks, so that sending it is a few copies.
class TextStatement
{
public:
    //! `marked` must outlive this. Marks inside quotes and comments are not parameters.
    explicit TextStatement(std::string_view marked);
    //! Appends the statement with its values to `out`, quoted as this connection needs it. Missing values become NULL.
    //! Bytes that are no text go as bytea.
    void append(PGconn* connection, std::span<const Param> params, std::string& out) const;

private:
    std::vector<std::string_view> m_pieces;
};

//! Adds the rows of a result to `kept`: whole numbers, reals and booleans (0, 1) as numbers, bytea as its bytes, and
//! all else as the server writes it.
void keepRows(const PGresult* result, KeptRows& kept);

//! True for COMMIT and END, in any case and after blanks.
[[nodiscard]] bool commits(std::string_view text);

} // namespace dyno::postgresql
