// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_statement.h"

#include "base/clock.h"
#include "driver/sql_text.h"
#include "mysql_connection.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace dyno::mysql {

namespace {

constexpr unsigned kOutOfMemory = 2008;

struct FreeResult
{
    void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
};
using Metadata = std::unique_ptr<MYSQL_RES, FreeResult>;

//! Columns whose binary form the library hands out as it is; everything else is fetched as bytes.
bool hasFixedForm(enum_field_types type)
{
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_YEAR:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP:
        return true;
    default:
        return false;
    }
}

bool isInteger(enum_field_types type)
{
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_YEAR:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
        return true;
    default:
        return false;
    }
}

//! Room for a text that is kept; a longer one is fetched once more.
constexpr unsigned long kLeastText = 32, kMostText = 512;

//! What a column is kept as.
enum_field_types keptTypeOf(enum_field_types type)
{
    if (isInteger(type))
        return MYSQL_TYPE_LONGLONG;
    return type == MYSQL_TYPE_FLOAT || type == MYSQL_TYPE_DOUBLE ? MYSQL_TYPE_DOUBLE : MYSQL_TYPE_STRING;
}

//! Bytes of a row that a column takes, so that the next one begins where a number may.
std::size_t roomOf(const MYSQL_BIND& bind)
{
    return (bind.buffer_length + 7) / 8 * 8;
}

//! A parameter without a type yet is sent as text.
enum_field_types bindTypeOf(Param::Type type)
{
    return type == Param::Type::Integer ? MYSQL_TYPE_LONGLONG
           : type == Param::Type::Real  ? MYSQL_TYPE_DOUBLE
                                        : MYSQL_TYPE_STRING;
}

template<class Number>
void appendNumber(std::string& out, Number value)
{
    char digits[32];
    const auto result = std::to_chars(std::begin(digits), std::end(digits), value);
    out.append(digits, result.ptr);
}

void appendValue(MYSQL* mysql, const Param& value, std::string& out)
{
    switch (value.type) {
    case Param::Type::Null:
        out += "NULL";
        break;
    case Param::Type::Integer:
        appendNumber(out, value.integer);
        break;
    case Param::Type::Real:
        if (std::isfinite(value.real))
            appendNumber(out, value.real);
        else
            out += "NULL"; // SQL has no word for it
        break;
    case Param::Type::Text: {
        out += '\'';
        const std::size_t before = out.size();
        // At most two bytes for each, and the library adds a final zero.
        out.resize(before + value.text.size() * 2 + 1);
        const unsigned long written = escape(mysql, out.data() + before, value.text.data(), value.text.size());
        out.resize(before + written);
        out += '\'';
        break;
    }
    }
}

} // namespace

const char* PreparedStatement::error() const
{
    if (!m_statement)
        return "";
    // A failure in the middle of a result is known to the connection only.
    const char* text = mysql_stmt_error(m_statement.get());
    return *text == '\0' ? mysql_error(m_mysql) : text;
}

unsigned PreparedStatement::errorCode() const
{
    if (const unsigned code = mysql_stmt_errno(m_statement.get()))
        return code;
    const unsigned code = mysql_errno(m_mysql);
    return code ? code : kServerLost;
}

unsigned PreparedStatement::open(MYSQL* mysql)
{
    m_mysql = mysql;
    m_statement.reset(mysql_stmt_init(mysql));
    return m_statement ? 0 : kOutOfMemory;
}

unsigned PreparedStatement::prepare(MYSQL* mysql, const StatementSpec& spec, ResultBuffer& buffer)
{
    if (const unsigned code = open(mysql))
        return code;
    if (mysql_stmt_prepare(m_statement.get(), spec.text.data(), spec.text.size()) != 0)
        return errorCode();
    if (const unsigned code = opened(spec))
        return code;
    return m_keeps ? 0 : bindResult(&buffer);
}

unsigned PreparedStatement::opened(const StatementSpec& spec)
{
    m_types = {spec.parameters, false};
    m_types.types.resize(mysql_stmt_param_count(m_statement.get()), Param::Type::Text);
    m_parameters.clear();
    m_values.clear();
    m_bound = false;
    m_keeps = spec.keep != Keep::Nothing;
    return m_keeps ? bindResult(nullptr) : 0;
}

unsigned PreparedStatement::bindResult(ResultBuffer* shared)
{
    m_columns = mysql_stmt_field_count(m_statement.get());
    if (m_columns == 0)
        return 0;
    m_results.assign(m_columns, {});
    const Metadata metadata(mysql_stmt_result_metadata(m_statement.get()));
    if (!metadata)
        return errorCode();
    const MYSQL_FIELD* fields = mysql_fetch_fields(metadata.get());
    std::size_t size = 0;
    for (unsigned i = 0; i < m_columns; ++i) {
        MYSQL_BIND& bind = m_results[i];
        bind.is_unsigned = (fields[i].flags & UNSIGNED_FLAG) != 0;
        if (shared) {
            // The column's own type: a conversion would be the client's work, not the server's.
            bind.buffer_type = hasFixedForm(fields[i].type) ? fields[i].type : MYSQL_TYPE_STRING;
            bind.buffer = shared->data();
            bind.buffer_length = ResultBuffer::kBytes;
        } else {
            bind.buffer_type = keptTypeOf(fields[i].type);
            bind.buffer_length = bind.buffer_type == MYSQL_TYPE_STRING
                                     ? std::clamp(fields[i].length, kLeastText, kMostText)
                                     : sizeof(std::int64_t);
            size += roomOf(bind);
        }
    }
    if (!shared) {
        m_names.clear();
        for (unsigned i = 0; i < m_columns; ++i)
            m_names.emplace_back(fields[i].name, fields[i].name_length);
        m_marks.assign(m_columns, {});
        m_row.resize(size);
        char* at = m_row.data();
        for (unsigned i = 0; i < m_columns; ++i) {
            MYSQL_BIND& bind = m_results[i];
            bind.buffer = at;
            bind.length = &m_marks[i].length;
            bind.is_null = &m_marks[i].isNull;
            bind.error = &m_marks[i].isCut;
            at += roomOf(bind);
        }
    }
    return mysql_stmt_bind_result(m_statement.get(), m_results.data()) != 0 ? errorCode() : 0;
}

bool PreparedStatement::bind(std::span<const Param> params)
{
    const std::size_t count = m_types.types.size();
    if (m_parameters.size() != count) {
        m_values.assign(count, {});
        m_parameters.assign(count, {});
        for (std::size_t i = 0; i < count; ++i) {
            setType(i, m_types.types[i]);
            m_parameters[i].is_null = &m_values[i].isNull;
            m_parameters[i].length = &m_values[i].length;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        Value& value = m_values[i];
        value.isNull = i >= params.size() || params[i].type == Param::Type::Null;
        if (value.isNull)
            continue;
        const Param& given = params[i];
        bool moved = bindTypeOf(given.type) != m_parameters[i].buffer_type;
        if (given.type == Param::Type::Text) {
            value.length = given.text.size();
            if (value.text.size() < given.text.size()) {
                value.text.resize(std::max(given.text.size(), 2 * value.text.size()));
                moved = true;
            }
            given.text.copy(value.text.data(), given.text.size());
        } else {
            value.number = given.type == Param::Type::Integer ? given.integer : std::bit_cast<std::int64_t>(given.real);
        }
        if (moved)
            setType(i, given.type);
    }
    if (m_bound || count == 0)
        return true;
    m_bound = mysql_stmt_bind_param(m_statement.get(), m_parameters.data()) == 0;
    return m_bound;
}

void PreparedStatement::setType(std::size_t parameter, Param::Type type)
{
    MYSQL_BIND& bind = m_parameters[parameter];
    Value& value = m_values[parameter];
    bind.buffer_type = bindTypeOf(type);
    bind.buffer = bind.buffer_type == MYSQL_TYPE_STRING ? static_cast<void*>(value.text.data()) : &value.number;
    m_bound = false;
}

bool PreparedStatement::send(std::span<const Param> params, ExecutePacket* packet)
{
#if DYNO_ORACLE_CLIENT
    static_cast<void>(packet); // directFrom() gives none
#else
    if (packet) {
        // Where an earlier execution left rows behind, after an error amid them, the library clears up and does it all.
        const auto state = m_statement->state;
        const bool clear =
            state == MYSQL_STMT_PREPARED || state == MYSQL_STMT_EXECUTED || state == MYSQL_STMT_FETCH_DONE;
        if (m_statement->mysql && clear && !m_statement->result.data) [[likely]]
            return sendDirectly(params, *packet);
    }
#endif
    m_types.sent = false; // the server now has those that the library sends
    return bind(params) && mysql_stmt_execute(m_statement.get()) == 0;
}

#if !DYNO_ORACLE_CLIENT
//! What mysql_stmt_execute does, through the table of functions that the library calls by itself, with a packet of
//! ours.
bool PreparedStatement::sendDirectly(std::span<const Param> params, ExecutePacket& packet)
{
    MYSQL* const mysql = m_statement->mysql;
    m_bound = false;
    m_statement->result.rows = 0;
    packet.write(std::uint32_t(m_statement->stmt_id), params, m_types);
    const std::span<const char> bytes = packet.bytes();
    if (mysql->methods->db_command(mysql, COM_STMT_EXECUTE, bytes.data(), bytes.size(), 1, m_statement.get()) != 0) {
        m_statement->last_errno = 0; // the connection has the error
        m_statement->last_error[0] = '\0';
        return false;
    }
    m_types.sent = mysql->methods->db_read_execute_response(m_statement.get()) == 0;
    return m_types.sent;
}
#endif

Fetched PreparedStatement::execute(std::span<const Param> params, ExecutePacket* packet, ResultBuffer& buffer,
                                   KeptRows* kept)
{
    Fetched fetched;
    if (!send(params, packet)) {
        fetched.code = errorCode();
        return fetched;
    }
    fetched.code = fetchRows(fetched, buffer, kept);
    return fetched;
}

bool PreparedStatement::keepRow(KeptRows& kept)
{
    kept.beginRow();
    for (unsigned i = 0; i < m_columns; ++i) {
        const MYSQL_BIND& bind = m_results[i];
        if (m_marks[i].isNull) {
            kept.add({});
        } else if (bind.buffer_type == MYSQL_TYPE_LONGLONG) {
            kept.add(Param::of(*static_cast<const std::int64_t*>(bind.buffer)));
        } else if (bind.buffer_type == MYSQL_TYPE_DOUBLE) {
            kept.add(Param::of(*static_cast<const double*>(bind.buffer)));
        } else if (m_marks[i].length <= bind.buffer_length) {
            kept.add(Param::of(std::string_view(static_cast<const char*>(bind.buffer), m_marks[i].length)));
        } else {
            MYSQL_BIND whole{};
            Flag isNull = 0, isCut = 0;
            unsigned long length = m_marks[i].length;
            whole.buffer_type = MYSQL_TYPE_STRING;
            whole.buffer = kept.addText(length);
            whole.buffer_length = length;
            whole.length = &length;
            whole.is_null = &isNull;
            whole.error = &isCut;
            if (mysql_stmt_fetch_column(m_statement.get(), &whole, i, 0) != 0)
                return false;
        }
        if (kept.keepsNames())
            kept.name(m_names[i]);
    }
    return true;
}

int PreparedStatement::fetchAll(std::int64_t& rows, KeptRows* kept)
{
    constexpr int kFailed = 1; // as mysql_stmt_fetch has it
    if (kept)
        kept->restart(); // of a statement with several results the last one counts
    bool bound = false;  // the last row is only where it was bound to
    int result = 0;
    while ((result = mysql_stmt_fetch(m_statement.get())) == 0 || result == MYSQL_DATA_TRUNCATED) {
        ++rows;
        if (!kept)
            continue;
        bound = kept->keepsLast() && result == 0;
        if (!bound && !keepRow(*kept))
            return kFailed;
    }
    if (bound && result == MYSQL_NO_DATA && !keepRow(*kept))
        return kFailed;
    return result;
}

unsigned PreparedStatement::keepStored(KeptRows& kept)
{
    if (const unsigned code = bindAnew(nullptr))
        return code;
    std::int64_t rows = 0;
    return fetchAll(rows, &kept) == MYSQL_NO_DATA ? 0 : errorCode();
}

//! A statement with several results (CALL) gets new, unbound columns with each of them. Of a table that was altered
//! columns may have other types with each execution; values that are kept must not be forced into the old ones.
unsigned PreparedStatement::bindAnew(ResultBuffer* shared)
{
    bool same = mysql_stmt_field_count(m_statement.get()) == m_columns && !hasMoreResults(m_statement.get(), m_mysql);
    if (m_keeps && same) {
        const Metadata metadata(mysql_stmt_result_metadata(m_statement.get()));
        if (!metadata)
            return errorCode();
        const MYSQL_FIELD* fields = mysql_fetch_fields(metadata.get());
        for (unsigned i = 0; same && i < m_columns; ++i)
            same = keptTypeOf(fields[i].type) == m_results[i].buffer_type &&
                   bool(m_results[i].is_unsigned) == bool(fields[i].flags & UNSIGNED_FLAG);
    }
    return same ? 0 : bindResult(shared);
}

unsigned PreparedStatement::fetchRows(Fetched& fetched, ResultBuffer& buffer, KeptRows* kept)
{
    while (true) {
        if (mysql_stmt_field_count(m_statement.get()) == 0) {
            m_columns = 0;
            fetched.affected += std::int64_t(mysql_stmt_affected_rows(m_statement.get()));
        } else {
            if (const unsigned code = bindAnew(m_keeps ? nullptr : &buffer))
                return code;
            // Row by row from the socket's buffer: mysql_stmt_store_result copies every row once more. Measured CPU of
            // the client: the same for one row, 5 % less for a hundred.
            if (fetchAll(fetched.rows, kept) != MYSQL_NO_DATA)
                return errorCode();
        }
        if (!hasMoreResults(m_statement.get(), m_mysql)) [[likely]]
            return 0;
        if (mysql_stmt_next_result(m_statement.get()) > 0)
            return errorCode();
        m_columns = 0;
    }
}

TextStatement::TextStatement(std::string_view text)
    : m_pieces(piecesBetweenMarks(text, {.backslashes = true, .hashComments = true}))
{
}

void TextStatement::append(MYSQL* mysql, std::span<const Param> params, std::string& out) const
{
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        out += m_pieces[i];
        if (i + 1 < m_pieces.size())
            appendValue(mysql, i < params.size() ? params[i] : Param{}, out);
    }
}

std::string_view sqlOf(const Request& request)
{
    switch (request.kind) {
    case RequestKind::Begin:
        return "BEGIN";
    case RequestKind::Commit:
        return "COMMIT";
    case RequestKind::Rollback:
        return "ROLLBACK";
    default:
        return request.text;
    }
}

void noteAnswer(Answers& answers, const Reply& reply)
{
    answers.push_back({reply, nowNs()});
}

void keepTextRow(MYSQL_RES* result, MYSQL_ROW row, KeptRows& kept)
{
    kept.beginRow();
    const unsigned columns = mysql_num_fields(result);
    const unsigned long* const lengths = mysql_fetch_lengths(result);
    for (unsigned i = 0; i < columns; ++i) {
        const MYSQL_FIELD& field = *mysql_fetch_field_direct(result, i);
        const enum_field_types type = field.type;
        const std::string_view text(row[i] ? row[i] : "", row[i] ? lengths[i] : 0);
        std::int64_t integer = 0;
        double real = 0;
        if (!row[i])
            kept.add({});
        else if (isInteger(type) && std::from_chars(text.data(), text.data() + text.size(), integer).ec == std::errc())
            kept.add(Param::of(integer));
        else if ((type == MYSQL_TYPE_FLOAT || type == MYSQL_TYPE_DOUBLE) &&
                 std::from_chars(text.data(), text.data() + text.size(), real).ec == std::errc())
            kept.add(Param::of(real));
        else
            kept.add(Param::of(text));
        if (kept.keepsNames())
            kept.name({field.name, field.name_length});
    }
}

Fetched sendText(MYSQL* mysql, std::string_view text, KeptRows* kept, Answers* answers)
{
    Fetched fetched;
    if (mysql_real_query(mysql, text.data(), text.size()) != 0) {
        fetched.code = mysql_errno(mysql);
        return fetched;
    }
    while (true) {
        Reply one;
        if (mysql_field_count(mysql) == 0) {
            one.affected = std::int64_t(mysql_affected_rows(mysql));
        } else {
            MYSQL_RES* result = mysql_use_result(mysql);
            if (!result) {
                fetched.code = mysql_errno(mysql);
                return fetched;
            }
            if (kept)
                kept->restart();
            if (kept && kept->keepsNames() && !answers)
                fetched.rows = 0; // those that are kept count
            while (const MYSQL_ROW row = mysql_fetch_row(result)) {
                ++one.rows;
                if (kept)
                    keepTextRow(result, row, *kept);
            }
            fetched.code = mysql_errno(mysql);
            mysql_free_result(result);
            if (fetched.code)
                return fetched;
        }
        fetched.rows += one.rows;
        fetched.affected += one.affected;
        if (answers)
            noteAnswer(*answers, one);
        if (!mysql_more_results(mysql)) [[likely]]
            return fetched;
        // The library answers −1 for "no more", and also when the connection ends within the columns of the next one.
        if (mysql_next_result(mysql) != 0) {
            fetched.code = mysql_errno(mysql) ? mysql_errno(mysql) : kServerLost;
            return fetched;
        }
    }
}

} // namespace dyno::mysql
