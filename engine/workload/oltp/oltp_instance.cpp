// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/oltp/oltp.h"

#include "workload/loading.h"
#include "workload/oltp/digits.h"
#include "workload/oltp/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dyno::oltp {

namespace {

constexpr std::size_t kMaxStatementBytes = 512 * 1024;
//! Longest row: two ids of ten digits, quotes, commas, brackets, and the comma after it.
constexpr std::size_t kMaxRowBytes = 1 + 10 + 1 + 10 + 2 + kCLength + 3 + kPadLength + 2 + 1;
constexpr std::size_t kMaxHeaderBytes = 64;
//! So that a slice is one statement.
constexpr std::int64_t kRowsPerStatement = std::int64_t((kMaxStatementBytes - kMaxHeaderBytes) / kMaxRowBytes);
//! One bulk statement costs a round trip and a commit: less makes it dear, more only makes progress
//! coarse and keeps sessions from sharing a table evenly.
constexpr std::size_t kMaxBulkBytes = 2 * 1024 * 1024;
constexpr std::int64_t kRowsPerBulk = std::int64_t(kMaxBulkBytes / kMaxRowBytes);
//! A transaction of about 4 MB; progress still moves many times a second.
constexpr std::int64_t kRowsPerTransaction = 20000;
constexpr std::int64_t kDocumentsPerInsert = 1000;
//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;

StatementSpec specOf(Op kind, int table)
{
    using enum Param::Type;
    const std::string name = tableName(table);
    switch (kind) {
    case Op::PointSelect:
        return {fmt::format("SELECT c FROM {} WHERE id=?", name), {Integer}, true};
    case Op::SimpleRange:
        return {fmt::format("SELECT c FROM {} WHERE id BETWEEN ? AND ?", name), {Integer, Integer}, true};
    case Op::SumRange:
        return {fmt::format("SELECT SUM(k) FROM {} WHERE id BETWEEN ? AND ?", name), {Integer, Integer}, true};
    case Op::OrderRange:
        return {fmt::format("SELECT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c", name), {Integer, Integer}, true};
    case Op::DistinctRange:
        return {fmt::format("SELECT DISTINCT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c", name),
                {Integer, Integer},
                true};
    case Op::IndexUpdate:
        return {fmt::format("UPDATE {} SET k=k+1 WHERE id=?", name), {Integer}};
    case Op::NonIndexUpdate:
        return {fmt::format("UPDATE {} SET c=? WHERE id=?", name), {Text, Integer}};
    case Op::Delete:
        return {fmt::format("DELETE FROM {} WHERE id=?", name), {Integer}};
    case Op::PointQuery:
        return {fmt::format("SELECT id, k, c, pad FROM {} WHERE id=?", name), {Integer}, true};
    case Op::Increment:
        return {fmt::format("UPDATE {} SET k=k+1 WHERE id=?", name), {Integer}};
    default:
        return {fmt::format("INSERT INTO {} (id, k, c, pad) VALUES (?, ?, ?, ?)", name),
                {Integer, Integer, Text, Text}};
    }
}

constexpr std::string_view kVerbatim = "create_options"; //!< the table knob whose text is appended as it is
constexpr std::string_view kPartitions = "partitions";   //!< the table knob that is a clause after all options

bool plainWord(std::string_view text)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '.';
    };
    return !text.empty() && std::ranges::all_of(text, plain);
}

std::string upperCase(std::string text, char underscore)
{
    for (char& c : text) {
        if (c >= 'a' && c <= 'z')
            c = char(c - 'a' + 'A');
        else if (c == '_')
            c = underscore;
    }
    return text;
}

tl::unexpected<Error> notAWord(std::string_view what, std::string_view value)
{
    return fail({ErrorKind::BadInput, fmt::format("\"{}\" cannot be the value of {}", value, what),
                 fmt::format("table.{}", what),
                 "use a plain word or number; anything else goes into create_table_options"});
}

} // namespace

OperationInfo infoOf(Op op)
{
    switch (op) {
    case Op::PointSelect:
        return {"point_select", OpClass::Read};
    case Op::SimpleRange:
        return {"simple_range", OpClass::Read};
    case Op::SumRange:
        return {"sum_range", OpClass::Read};
    case Op::OrderRange:
        return {"order_range", OpClass::Read};
    case Op::DistinctRange:
        return {"distinct_range", OpClass::Read};
    case Op::IndexUpdate:
        return {"index_update", OpClass::Write};
    case Op::NonIndexUpdate:
        return {"non_index_update", OpClass::Write};
    case Op::Delete:
        return {"delete", OpClass::Write};
    case Op::PointQuery:
        return {"point_query", OpClass::Read};
    case Op::Increment:
        return {"increment", OpClass::Write};
    case Op::Insert:
        return {"insert", OpClass::Write};
    case Op::Begin:
        return {"begin", OpClass::Other};
    case Op::Commit:
        return {"commit", OpClass::Other};
    case Op::RandomPoints:
        return {"random_points", OpClass::Read};
    case Op::RandomRanges:
        return {"random_ranges", OpClass::Read};
    case Op::Aggregate:
        return {"aggregate", OpClass::Read};
    case Op::Group:
        return {"group", OpClass::Read};
    case Op::Join:
        return {"join", OpClass::Read};
    case Op::Order:
        return {"order", OpClass::Read};
    case Op::BulkInsert:
        return {"bulk_insert", OpClass::Write};
    case Op::Copy:
        return {"copy", OpClass::Write};
    case Op::Scan:
        return {"scan", OpClass::Read};
    case Op::AddIndex:
        return {"add_index", OpClass::Write};
    case Op::AddColumn:
        return {"add_column", OpClass::Write};
    case Op::Analyze:
        return {"analyze", OpClass::Other};
    case Op::Rebuild:
        return {"rebuild", OpClass::Write};
    case Op::DropColumn:
        return {"drop_column", OpClass::Write};
    case Op::DropIndex:
        return {"drop_index", OpClass::Write};
    case Op::DropTable:
        return {"drop_table", OpClass::Write};
    }
    return {};
}

OpIds idsOf(const std::vector<Op>& ops)
{
    OpIds ids{};
    for (std::size_t i = 0; i < ops.size(); ++i)
        ids[std::size_t(ops[i])] = OpId(i);
    return ids;
}

std::string tableName(int table)
{
    return fmt::format("sbtest{}", table);
}

Expected<std::string> tableSuffix(const Params& params, const SqlDialect& sql, const Settings& tableKnobs)
{
    std::string suffix;
    if (sql.tableOptions == TableOptions::Words) {
        // WITHOUT ROWID, STRICT.
        for (const auto& [name, value] : tableKnobs) {
            if (name == kVerbatim || name == kPartitions)
                continue;
            if (!plainWord(name))
                return notAWord(name, toText(value));
            if (boolOf(tableKnobs, name))
                suffix += (suffix.empty() ? " " : ", ") + upperCase(name, ' ');
        }
    } else if (sql.tableOptions == TableOptions::Parameters) {
        for (const auto& [name, value] : tableKnobs) {
            const std::string text = toText(value);
            if (name == kVerbatim || name == kPartitions || text.empty())
                continue;
            if (!plainWord(name) || !plainWord(text))
                return notAWord(name, text);
            suffix += fmt::format("{}{}={}", suffix.empty() ? " WITH (" : ", ", name, text);
        }
        suffix += suffix.empty() ? "" : ")";
    } else {
        std::string engine = textOf(tableKnobs, "engine");
        if (engine.empty())
            engine = params.storageEngine;
        if (!plainWord(engine))
            return notAWord("engine", engine);
        suffix = fmt::format(" ENGINE={}", engine);
        for (const auto& [name, value] : tableKnobs) {
            const bool flag = std::holds_alternative<bool>(value);
            const std::string text = flag ? (std::get<bool>(value) ? "1" : "0") : toText(value);
            if (name == "engine" || name == kVerbatim || name == kPartitions || text.empty())
                continue;
            if (!plainWord(name) || !plainWord(text))
                return notAWord(name, text);
            const bool quoted = name == "compression" || name == "encryption"; // MySQL wants a text there
            suffix += fmt::format(" {}={}", name == "character_set" ? "CHARSET" : upperCase(name, '_'),
                                  quoted ? "'" + text + "'" : text);
        }
    }
    for (const std::string& verbatim : {textOf(tableKnobs, kVerbatim), params.createTableOptions}) {
        if (!verbatim.empty())
            suffix += " " + verbatim;
    }
    if (const std::int64_t parts = integerOf(tableKnobs, kPartitions); parts > 0 && sql.partitions)
        suffix += fmt::format(" PARTITION BY HASH(id) PARTITIONS {}", parts);
    return suffix;
}

bool isRetryable(const Params& params, const SqlDialect& sql, Outcome outcome, std::int32_t code)
{
    if (outcome == Outcome::Ok || outcome == Outcome::Disconnected)
        return false;
    if (params.ignored.contains(code))
        return true;
    return sql.outcomeTells && outcome == Outcome::Retryable;
}

bool isFatal(const Params& params, const SqlDialect& sql, Outcome outcome, std::int32_t code)
{
    if (params.profile != Profile::Sysbench1020 || outcome == Outcome::Ok)
        return false;
    // A lost connection whose code is listed is opened again by sysbench.
    return !params.ignored.contains(code) && !isRetryable(params, sql, outcome, code);
}

OltpInstance::OltpInstance(Binding binding, const std::vector<Op>& statementKinds)
    : m_binding(std::move(binding))
    , m_ids(m_binding.params.distribution, 1, std::max<std::int64_t>(1, m_binding.params.tableSize))
{
    for (const Op kind : statementKinds)
        m_first[std::size_t(kind)] = addStatements(std::size_t(params().tables), [this, kind](std::size_t place) {
            const int table = int(place) + 1;
            return documents() ? documentSpec(kind, table) : specOf(kind, table);
        });
    m_hasInsert = std::ranges::find(statementKinds, Op::Insert) != statementKinds.end();
}

StatementSet OltpInstance::statements() const
{
    StatementSet all;
    all.reserve(m_statementCount);
    for (const StatementGroup& group : m_groups) {
        for (std::size_t place = 0; place < group.count; ++place)
            all.push_back(group.make(place));
    }
    return all;
}

StatementSet OltpInstance::loaderStatements() const
{
    StatementSet all = statements();
    for (int table = 1; documents() && table <= params().tables; ++table) {
        all.push_back(documentInsert(table, 1));
        all.push_back(documentInsert(table, kDocumentsPerInsert));
    }
    if (!documents() && sql().loadsPrepared && !m_hasInsert) {
        for (int table = 1; table <= params().tables; ++table)
            all.push_back(specOf(Op::Insert, table));
    }
    return all;
}

StatementId OltpInstance::addStatements(std::size_t count, std::function<StatementSpec(std::size_t)> make)
{
    m_groups.push_back({count, std::move(make)});
    m_statementCount += count;
    return StatementId(m_statementCount - count);
}

std::string OltpInstance::createTable(int table) const
{
    std::string idColumn = "id INTEGER NOT NULL";
    std::string key = ", PRIMARY KEY (id)";
    if (params().secondary)
        key = sql().keysInTable ? ", KEY xid (id)" : ""; // else made after the load
    if (sql().keyIsRowId && !params().secondary) {
        idColumn = "id INTEGER PRIMARY KEY NOT NULL"; // the row id itself
        key.clear();
    } else if (params().autoInc) {
        idColumn += sql().autoIncrement;
    }
    return sql().createTable(
        fmt::format("CREATE TABLE {} ({}, k INTEGER NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', "
                    "pad CHAR(60) NOT NULL DEFAULT ''{}){}",
                    tableName(table), idColumn, key, m_binding.suffix));
}

std::vector<TableSpec> OltpInstance::tables() const
{
    std::vector<TableSpec> specs;
    for (int table = 1; table <= params().tables; ++table) {
        TableSpec spec;
        if (documents()) {
            spec = documentTable(table, m_binding.suffix, params().createSecondary);
            spec.rows = loadsRows() ? params().tableSize : 0;
            spec.rowsPerSlice = kDocumentsPerInsert;
            spec.freshEachRun = freshEachRun();
            spec.keysRepeat = keysRepeat();
            specs.push_back(std::move(spec));
            continue;
        }
        spec.name = tableName(table);
        spec.create = createTable(table);
        spec.columns = {"id", "k", "c", "pad"};
        spec.rows = loadsRows() ? params().tableSize : 0;
        spec.rowsPerSlice = sql().loadsPrepared ? kRowsPerTransaction : kRowsPerStatement;
        spec.bulkRowsPerSlice = sql().loadsPrepared ? 0 : kRowsPerBulk;
        spec.freshEachRun = freshEachRun();
        spec.keysRepeat = keysRepeat();
        if (params().autoInc && spec.rows > 0)
            countOn(spec, sql(), "id");
        if (!sql().keysInTable && params().secondary)
            spec.afterLoad.push_back(fmt::format("CREATE INDEX xid_{0} ON sbtest{0}(id)", table));
        if (params().createSecondary)
            spec.afterLoad.push_back(fmt::format("CREATE INDEX k_{0} ON sbtest{0}(k)", table));
        specs.push_back(std::move(spec));
    }
    return specs;
}

std::uint64_t OltpInstance::estimatedBytes() const
{
    const std::int64_t rows = loadsRows() ? params().tableSize : 0;
    return std::uint64_t(params().tables) * sizes().table(rowFacts(KeyOrder::Rising, KeyOrder::Rising), rows);
}

RowFacts OltpInstance::rowFacts(KeyOrder ids, KeyOrder ks) const
{
    const std::string key = documents() ? "_id" : "id";
    RowFacts facts{
        {numberColumn(key, 4, 3), numberColumn("k", 4, 3), paddedColumn("c", 120, 119), paddedColumn("pad", 60, 59)},
        key,
        !params().secondary,
        ids};
    if (params().createSecondary)
        facts.indexes.push_back({"k", ks});
    return facts;
}

std::vector<DataCheck> OltpInstance::checks() const
{
    std::vector<DataCheck> all;
    if (documents())
        return all;
    const auto overTables = [this](const std::string& count) { // the sum of a figure of each
        std::string text;
        for (int table = 1; table <= params().tables; ++table)
            text += fmt::format("{}(SELECT {})", table == 1 ? "SELECT " : " + ",
                                fmt::format(fmt::runtime(count), tableName(table)));
        return text;
    };
    if (loadsRows() && !freshEachRun() && !params().skipTrx)
        all.push_back(
            {"no row of the load is missing",
             overTables(fmt::format("{0} - COUNT(*) FROM {{}} WHERE id BETWEEN 1 AND {0}", params().tableSize))});
    all.push_back({"texts have their length",
                   overTables(fmt::format("COUNT(*) FROM {{}} WHERE LENGTH(c) <> {} OR LENGTH(pad) <> {}", kCLength,
                                          kPadLength))});
    all.push_back({"k is at least 1", overTables("COUNT(*) FROM {} WHERE k < 1")});
    return all;
}

bool OltpInstance::fatal(Outcome outcome, std::int32_t code) const
{
    return isFatal(params(), sql(), outcome, code);
}

bool OltpInstance::retryable(Outcome outcome, std::int32_t code) const
{
    return isRetryable(params(), sql(), outcome, code);
}

template<OltpInstance::RowForm form>
char* OltpInstance::writeRow(char* out, std::uint64_t seed, int table, std::int64_t row) const
{
    constexpr bool kSql = form == RowForm::Sql;
    constexpr char kBetween = kSql ? ',' : '\t';
    Random random = Random::forItem(seed, kRowStreams + std::uint64_t(table), std::uint64_t(row));
    if constexpr (kSql)
        *out++ = '(';
    out = std::to_chars(out, out + 20, row).ptr;
    *out++ = kBetween;
    out = std::to_chars(out, out + 20, ids().draw(random)).ptr;
    *out++ = kBetween;
    if constexpr (kSql)
        *out++ = '\'';
    out = writeDigitGroups(out, kCGroups, random);
    if constexpr (kSql)
        *out++ = '\'';
    *out++ = kBetween;
    if constexpr (kSql)
        *out++ = '\'';
    out = writeDigitGroups(out, kPadGroups, random);
    if constexpr (kSql) {
        *out++ = '\'';
        *out++ = ')';
        *out++ = ',';
    } else {
        *out++ = '\n';
    }
    return out;
}

Task<Outcome> OltpInstance::load(UserContext& user, LoadSlice slice) const
{
    if (documents())
        return loadDocuments(user, slice);
    if (sql().loadsPrepared)
        return loadPrepared(user, slice);
    return slice.bulk ? loadBulk(user, slice) : loadText(user, slice);
}

Task<Outcome> OltpInstance::loadBulk(UserContext& user, LoadSlice slice) const
{
    const std::string table = fmt::format("{} (id, k, c, pad)", tableName(slice.table));
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        std::string& lines = user.buffer();
        const std::int64_t end = std::min(slice.lastRow + 1, row + kRowsPerBulk);
        lines.resize(std::max(lines.size(), std::size_t(end - row) * kMaxRowBytes));
        char* out = lines.data();
        for (; row < end; ++row)
            out = writeRow<RowForm::Line>(out, user.seed(), slice.table, row);
        const std::string_view rows(lines.data(), std::size_t(out - lines.data()));
        const Request bulk{.kind = RequestKind::Bulk, .text = table, .value = rows};
        const Reply reply = co_await user.step(bulk);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> OltpInstance::loadText(UserContext& user, LoadSlice slice) const
{
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        std::string& sql = user.buffer();
        const std::string header = fmt::format("INSERT INTO {} (id, k, c, pad) VALUES ", tableName(slice.table));
        sql.resize(std::max(sql.size(), kMaxStatementBytes));
        char* out = std::ranges::copy(header, sql.data()).out;
        const std::int64_t end = std::min(slice.lastRow + 1, row + kRowsPerStatement);
        for (; row < end; ++row)
            out = writeRow<RowForm::Sql>(out, user.seed(), slice.table, row);
        --out; // the last comma
        const std::string_view text(sql.data(), std::size_t(out - sql.data()));
        const Request insert = Request::sql(text);
        const Reply reply = co_await user.step(insert);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

Task<Outcome> OltpInstance::loadPrepared(UserContext& user, LoadSlice slice) const
{
    const StatementId insert =
        m_hasInsert ? statement(Op::Insert, slice.table) : StatementId(statementCount() + std::size_t(slice.table - 1));
    const Request prepare = Request::prepare(insert);
    const Reply prepared = co_await user.step(prepare);
    if (prepared.outcome != Outcome::Ok)
        co_return prepared.outcome;
    const Request begin = Request::step(RequestKind::Begin);
    const Reply begun = co_await user.step(begin);
    if (begun.outcome != Outcome::Ok)
        co_return begun.outcome;
    std::array<char, kCLength> c;
    std::array<char, kPadLength> pad;
    std::array<Param, 4> row;
    row[2] = Param::of(std::string_view(c.data(), c.size()));
    row[3] = Param::of(std::string_view(pad.data(), pad.size()));
    for (std::int64_t id = slice.firstRow; id <= slice.lastRow; ++id) {
        // The same draws as in writeRow(): a row is the same whatever the way it takes.
        Random random = Random::forItem(user.seed(), kRowStreams + std::uint64_t(slice.table), std::uint64_t(id));
        row[0] = Param::of(id);
        row[1] = Param::of(ids().draw(random));
        writeDigitGroups(c.data(), kCGroups, random);
        writeDigitGroups(pad.data(), kPadGroups, random);
        const Request request = Request::execute(insert, row);
        const Reply reply = co_await user.step(request);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    const Request commit = Request::step(RequestKind::Commit);
    const Reply committed = co_await user.step(commit);
    co_return committed.outcome;
}

//! The same draws as in writeRow(), for as many documents as a command takes.
Task<Outcome> OltpInstance::loadDocuments(UserContext& user, LoadSlice slice) const
{
    constexpr std::size_t kTexts = kCLength + kPadLength;
    const auto one = StatementId(statementCount() + 2 * std::size_t(slice.table - 1));
    for (std::int64_t id = slice.firstRow; id <= slice.lastRow;) {
        const std::int64_t count = slice.lastRow - id + 1 >= kDocumentsPerInsert ? kDocumentsPerInsert : 1;
        std::string& texts = user.buffer();
        texts.resize(std::max(texts.size(), std::size_t(count) * kTexts));
        std::vector<Param>& params = user.params();
        params.clear();
        char* out = texts.data();
        for (const std::int64_t end = id + count; id < end; ++id, out += kTexts) {
            Random random = Random::forItem(user.seed(), kRowStreams + std::uint64_t(slice.table), std::uint64_t(id));
            params.push_back(Param::of(id));
            params.push_back(Param::of(ids().draw(random)));
            writeDigitGroups(out, kCGroups, random);
            writeDigitGroups(out + kCLength, kPadGroups, random);
            params.push_back(Param::of(std::string_view(out, kCLength)));
            params.push_back(Param::of(std::string_view(out + kCLength, kPadLength)));
        }
        const Request insert = Request::execute(count == 1 ? one : StatementId(indexOf(one) + 1), params);
        const Reply reply = co_await user.step(insert);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

} // namespace dyno::oltp
