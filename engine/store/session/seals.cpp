// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/seals.h"

#include "store/library/schema.h"

#include <dyno/run_fields.h>

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <span>
#include <sqlite3.h>
#include <zlib.h>

namespace dyno {

namespace {

constexpr SealPart kFirstOfRun = SealPart::Run;
constexpr SealPart kLastOfRun = SealPart::Values;
//! Of a session s.
constexpr const char* kIsSealed = "(s.seals IS NOT NULL OR EXISTS(SELECT 1 FROM seal WHERE session = s.key))";

std::uint32_t summed(std::uint32_t before, const void* bytes, std::size_t size)
{
    return std::uint32_t(crc32_z(before, static_cast<const Bytef*>(bytes), size));
}

//! A value and its kind: a text of digits is no number.
std::uint32_t withNumber(std::uint32_t sum, std::int64_t number)
{
    std::array<unsigned char, 9> bytes{1};
    auto rest = static_cast<std::uint64_t>(number);
    for (std::size_t i = 1; i < bytes.size(); ++i, rest >>= 8)
        bytes.at(i) = static_cast<unsigned char>(rest & 0xff);
    return summed(sum, bytes.data(), bytes.size());
}

std::uint32_t withBytes(std::uint32_t sum, char kind, std::string_view content)
{
    sum = withNumber(summed(sum, &kind, 1), static_cast<std::int64_t>(content.size()));
    return content.empty() ? sum : summed(sum, content.data(), content.size());
}

std::uint32_t withRow(std::uint32_t sum, const Statement& row)
{
    for (int i = 0; i < row.columns(); ++i) {
        switch (row.type(i)) {
        case SQLITE_INTEGER:
            sum = withNumber(sum, row.integer(i));
            break;
        case SQLITE_FLOAT: {
            std::int64_t bits = 0;
            const double value = row.real(i);
            std::memcpy(&bits, &value, sizeof bits);
            sum = withNumber(summed(sum, "f", 1), bits);
            break;
        }
        case SQLITE_NULL:
            sum = summed(sum, "n", 1);
            break;
        default:
            sum = withBytes(sum, row.type(i) == SQLITE_TEXT ? 't' : 'b', row.bytes(i));
        }
    }
    return sum;
}

//! What a seal is over: rows of these statements, one after the other. ?1 is the key of the session or the run, ?2 the
//! index of what there are several of. Columns and order never change.
std::vector<std::string> statementsOf(SealPart part)
{
    switch (part) {
    case SealPart::Setup:
        return {"SELECT id, workload, target, source, software, host, plan, started_ms FROM session WHERE key = ?1"};
    case SealPart::State:
        return {"SELECT product, status, reason, finished_ms FROM session WHERE key = ?1"};
    case SealPart::Title:
        return {"SELECT title FROM session WHERE key = ?1"};
    case SealPart::Notes:
        return {"SELECT notes FROM session WHERE key = ?1"};
    case SealPart::Tags:
        return {"SELECT idx, text FROM tag WHERE session = ?1 ORDER BY idx"};
    case SealPart::Views:
        return {"SELECT idx, name, text FROM view WHERE session = ?1 ORDER BY idx"};
    case SealPart::Annotations:
        return {"SELECT idx, run, t_ns, created_ms, text FROM annotation WHERE session = ?1 ORDER BY idx"};
    case SealPart::Place:
        return {"SELECT archived_ms, removed_ms FROM session WHERE key = ?1"};
    case SealPart::Order:
        return {"SELECT idx, point, repeat FROM slot WHERE session = ?1 ORDER BY idx"};
    case SealPart::Point:
        return {"SELECT label, spec FROM point WHERE session = ?1 AND idx = ?2"};
    case SealPart::File:
        return {"SELECT name, media_type, content FROM artefact WHERE session = ?1 AND idx = ?2"};
    case SealPart::Run:
        return {"SELECT idx, point, repeat, data_bytes, effective FROM run WHERE key = ?1"};
    case SealPart::Series:
        return {"SELECT idx, name, class FROM op WHERE run = ?1 ORDER BY idx",
                "SELECT source, name, unit FROM counter WHERE run = ?1 ORDER BY key",
                "SELECT source, name FROM counter WHERE run = ?1 AND hidden <> 0 ORDER BY key"};
    case SealPart::Facts:
        return {"SELECT moment, product, version, transport, cipher, round_trip_ms, option_file, f.variables"
                " FROM server_facts s JOIN fact_set f ON f.key = s.variables WHERE run = ?1 ORDER BY moment",
                "SELECT idx, kind, name, bytes FROM data_part WHERE run = ?1 ORDER BY idx",
                "SELECT server_log FROM run WHERE key = ?1"};
    case SealPart::Result:
        return {"SELECT status, reason, summary, recorded_summary FROM run WHERE key = ?1"};
    case SealPart::Warmup:
        return {"SELECT warmup_end_ns, warmup_moved_ms FROM run WHERE key = ?1"};
    case SealPart::Phases:
        return {"SELECT idx, phase, t_ns, length_ns FROM phase WHERE run = ?1 ORDER BY idx"};
    case SealPart::Rows:
    case SealPart::Counters:
    case SealPart::Events:
    case SealPart::Times:
    case SealPart::Figures:
    case SealPart::Histograms:
    case SealPart::Values:
        break;
    }
    return {};
}

//! Parts that grow: the sum of the sums of their rows, in any order. ?1 is the key of the run; a row that was just
//! written is asked for with what is appended.
struct RowsOf
{
    std::string sql;
    const char* one;
};

std::vector<RowsOf> rowsOf(SealPart part)
{
    const auto blocks = [](int kind) {
        return std::vector<RowsOf>{
            {fmt::format("SELECT part, series, first FROM block WHERE run = ?1 AND part = {}", kind), ""}};
    };
    switch (part) {
    case SealPart::Rows: {
        constexpr int kFirst = 7; // library whose seals are over the columns of then
        std::vector<RowsOf> rows{
            {fmt::format("SELECT {} FROM interval WHERE run = ?1", intervalColumns(kFirst)), " AND idx = ?2"},
            {"SELECT interval, op, count, errors, service, response FROM interval_op WHERE run = ?1",
             " AND interval = ?2"}};
        for (const RunField* field : intervalFields()) { // older rows have nothing there, and keep their seals
            if (field->interval.since > kFirst)
                rows.push_back({fmt::format("SELECT idx, '{0}', {0} FROM interval WHERE run = ?1 AND {0} <> 0",
                                            field->interval.column),
                                " AND idx = ?2"});
        }
        return rows;
    }
    case SealPart::Counters:
        return {{"SELECT source, name, t_ns, value FROM counter c JOIN counter_sample s ON s.counter = c.key"
                 " WHERE c.run = ?1",
                 " AND s.t_ns = ?2"},
                {"SELECT t_ns, content FROM hidden_sample WHERE run = ?1", " AND t_ns = ?2"}};
    case SealPart::Events:
        return {{"SELECT idx, t_ns, length_ns, kind, text FROM event WHERE run = ?1", " AND idx = ?2"}};
    case SealPart::Times:
        return blocks(0);
    case SealPart::Figures:
        return blocks(1);
    case SealPart::Histograms:
        return blocks(2);
    case SealPart::Values:
        return blocks(3);
    default:
        return {};
    }
}

SealPart partOfBlocks(int part)
{
    return static_cast<SealPart>(static_cast<int>(SealPart::Times) + part);
}

std::uint32_t begunWith(std::string_view id, SealPart part, std::int64_t index)
{
    return withNumber(withNumber(withBytes(std::uint32_t(crc32_z(0, nullptr, 0)), 't', id), static_cast<int>(part)),
                      index);
}

//! A sum of sums may be any number, so it wraps around.
std::int64_t wrapped(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

} // namespace

SealedRun SealedRun::of(Database& database, std::int64_t run)
{
    SealedRun place;
    Statement select(database,
                     fmt::format("SELECT s.key, r.idx, s.id, {} FROM run r JOIN session s ON s.key = r.session"
                                 " WHERE r.key = ?",
                                 kIsSealed));
    select << run;
    if (select.row())
        place = {select.integer(0), run, select.integer(1), select.text(2), select.integer(3) != 0};
    return place;
}

Error damageError(std::string what, const std::filesystem::path& file)
{
    return {ErrorKind::Storage, std::move(what), file.string(), "restore the file from a backup"};
}

std::int64_t sealOfBlock(const SealedRun& run, int part, std::int64_t series, std::int64_t first,
                         std::int64_t intervals, std::string_view content)
{
    std::uint32_t sum = begunWith(run.id, partOfBlocks(part), run.index);
    for (const std::int64_t number : {series, first, intervals})
        sum = withNumber(sum, number);
    return withBytes(sum, 'b', content);
}

namespace {

std::int64_t sumOfKnobChange(Database& database, std::int64_t key)
{
    Statement select(database, "SELECT session, target, name, old_value, new_value, changed_ms, restored"
                               " FROM knob_change WHERE key = ?");
    select << key;
    const std::uint32_t begun = withBytes(std::uint32_t(crc32_z(0, nullptr, 0)), 't', "knob_change");
    return select.row() ? std::int64_t(withRow(begun, select)) : 0;
}

} // namespace

void sealKnobChange(Database& database, std::int64_t key)
{
    const std::int64_t sum = sumOfKnobChange(database, key);
    Statement update(database, "UPDATE knob_change SET seal = ? WHERE key = ? AND seal IS NOT NULL");
    update << sum << key;
    update.run();
}

bool knobChangeHolds(Database& database, std::int64_t key)
{
    Statement select(database, "SELECT seal FROM knob_change WHERE key = ?");
    select << key;
    return !select.row() || select.isNull(0) || select.integer(0) == sumOfKnobChange(database, key);
}

Seals::Seals(Database& database, std::int64_t session)
    : m_database(database)
    , m_session(session)
{
    Statement& select = prepared(fmt::format("SELECT id, {} FROM session s WHERE key = ?", kIsSealed));
    select << session;
    if (select.row()) {
        m_id = select.text(0);
        m_sealed = select.integer(1) != 0;
    }
    select.reset();
}

Seals::Seals(Database& database, std::int64_t session, std::string id)
    : m_database(database)
    , m_session(session)
    , m_id(std::move(id))
    , m_sealed(true)
{
}

Seals::~Seals() = default;

Statement& Seals::prepared(const std::string& sql)
{
    std::unique_ptr<Statement>& statement = m_statements[sql];
    if (!statement || !statement->ready())
        statement = std::make_unique<Statement>(m_database, sql);
    statement->reset();
    return *statement;
}

std::uint32_t Seals::begun(SealPart part, std::int64_t index) const
{
    return begunWith(m_id, part, index);
}

std::int64_t Seals::sumOf(SealPart part, std::int64_t index, std::int64_t run)
{
    const std::uint32_t start = begun(part, index);
    std::int64_t total = 0;
    if (const std::vector<RowsOf> rows = rowsOf(part); !rows.empty()) {
        for (const RowsOf& one : rows)
            total = wrapped(total, sumOfRows(one.sql.c_str(), start, run, nullptr));
        return total;
    }
    std::uint32_t sum = start;
    const std::int64_t key = part >= kFirstOfRun ? run : m_session;
    for (const std::string& sql : statementsOf(part)) {
        Statement& select = prepared(sql);
        select << key;
        if (part == SealPart::Point || part == SealPart::File)
            select << index;
        while (select.row())
            sum = withRow(sum, select);
        select.reset();
    }
    return sum;
}

std::int64_t Seals::sumOfRows(const char* sql, std::uint32_t begun, std::int64_t run, const std::int64_t* row)
{
    Statement& select = prepared(sql);
    select << run;
    if (row)
        select << *row;
    std::int64_t total = 0;
    while (select.row())
        total = wrapped(total, withRow(begun, select));
    select.reset();
    return total;
}

const std::int64_t* Seals::stored(SealPart part, std::int64_t index)
{
    Statement& select = prepared("SELECT value FROM seal WHERE session = ? AND part = ? AND idx = ?");
    select << m_session << static_cast<int>(part) << index;
    const bool found = select.row();
    m_found = found ? select.integer(0) : 0;
    select.reset();
    return found ? &m_found : nullptr;
}

bool Seals::holds(SealPart part, std::int64_t index, std::int64_t run)
{
    if (!m_sealed)
        return true;
    const std::int64_t* seal = stored(part, index);
    return seal && *seal == sumOf(part, index, run);
}

void Seals::put(SealPart part, std::int64_t index, std::int64_t value)
{
    Statement& insert = prepared("INSERT OR REPLACE INTO seal(session, part, idx, value) VALUES(?, ?, ?, ?)");
    insert << m_session << static_cast<int>(part) << index << value;
    insert.run();
}

void Seals::set(SealPart part, std::int64_t index, std::int64_t run)
{
    if (m_sealed)
        put(part, index, sumOf(part, index, run));
}

void Seals::setRun(std::int64_t index, std::int64_t run)
{
    for (int part = int(kFirstOfRun); part <= int(kLastOfRun); ++part)
        set(SealPart(part), index, run);
}

void Seals::forget(SealPart part, std::int64_t index)
{
    Statement& erase = prepared("DELETE FROM seal WHERE session = ? AND part = ? AND idx = ?");
    erase << m_session << static_cast<int>(part) << index;
    erase.run();
}

void Seals::addTo(SealPart part, std::int64_t index, std::int64_t more)
{
    const std::int64_t* seal = stored(part, index);
    if (seal) // else the seal is gone, which is to be noticed
        put(part, index, wrapped(*seal, more));
}

void Seals::add(SealPart part, std::int64_t index, std::int64_t run, std::int64_t row)
{
    if (!m_sealed)
        return;
    std::int64_t more = 0;
    for (const RowsOf& one : rowsOf(part))
        more = wrapped(more, sumOfRows((one.sql + one.one).c_str(), begun(part, index), run, &row));
    addTo(part, index, more);
}

void Seals::addBlock(int part, std::int64_t series, std::int64_t first, std::int64_t index)
{
    std::uint32_t sum = begun(partOfBlocks(part), index);
    for (const std::int64_t number : {std::int64_t(part), series, first})
        sum = withNumber(sum, number);
    addTo(partOfBlocks(part), index, sum);
}

std::string Seals::nameOf(SealPart part, std::int64_t index)
{
    const auto of = [index](const char* what) { return fmt::format("{} of run {}", what, index + 1); };
    switch (part) {
    case SealPart::Setup:
        return "the set-up (plan, target, host, software or start)";
    case SealPart::State:
        return "the outcome of the session";
    case SealPart::Title:
        return "the title";
    case SealPart::Notes:
        return "the text of the notes";
    case SealPart::Tags:
        return "the list of tags";
    case SealPart::Views:
        return "the list of named views";
    case SealPart::Annotations:
        return "the list of annotations";
    case SealPart::Place:
        return "the mark that the session is archived or deleted";
    case SealPart::Order:
        return "the order of the runs";
    case SealPart::Point:
        return fmt::format("point {}", index + 1);
    case SealPart::File:
        return fmt::format("part {} of the kept files", index + 1);
    case SealPart::Run:
        return fmt::format("run {}", index + 1);
    case SealPart::Series:
        return of("the list of operations and counters");
    case SealPart::Facts:
        return of("the record of the server (its settings and log)");
    case SealPart::Result:
        return of("the summary");
    case SealPart::Warmup:
        return of("the end of the warm-up");
    case SealPart::Phases:
        return of("the list of phases");
    case SealPart::Rows:
        return of("an interval");
    case SealPart::Counters:
        return of("a counter's value");
    case SealPart::Events:
        return of("the list of events");
    case SealPart::Times:
    case SealPart::Figures:
    case SealPart::Histograms:
    case SealPart::Values:
        return of("the list of blocks of intervals");
    }
    return "an unknown part";
}

std::string Seals::damageOf(SealPart part, std::int64_t index)
{
    return nameOf(part, index) + " is damaged";
}

std::int64_t Seals::countUnsealed(Database& database)
{
    return database.number(fmt::format("SELECT count(*) FROM session s WHERE NOT {}", kIsSealed));
}

std::vector<Seals::Held> Seals::expected()
{
    std::vector<Held> all;
    for (int part = int(SealPart::Setup); part <= int(SealPart::Order); ++part)
        all.push_back({SealPart(part), 0, 0});
    const auto each = [&](const char* sql, const auto& add) {
        Statement& select = prepared(sql);
        select << m_session;
        while (select.row())
            add(select);
        select.reset();
    };
    const auto ofSession = [&all](SealPart part) {
        return [&all, part](const Statement& row) { all.push_back({part, row.integer(0), 0}); };
    };
    each("SELECT idx FROM point WHERE session = ? ORDER BY idx", ofSession(SealPart::Point));
    each("SELECT idx FROM artefact WHERE session = ? ORDER BY idx", ofSession(SealPart::File));
    each("SELECT idx, key FROM run WHERE session = ? ORDER BY idx", [&all](const Statement& row) {
        for (int part = int(kFirstOfRun); part <= int(kLastOfRun); ++part)
            all.push_back({SealPart(part), row.integer(0), row.integer(1)});
    });
    // What has a seal and is not there: without a run, the sum is of nothing.
    std::set<std::pair<SealPart, std::int64_t>> there;
    for (const Held& one : all)
        there.emplace(one.part, one.index);
    each("SELECT part, idx FROM seal WHERE session = ?", [&](const Statement& row) {
        if (const auto part = SealPart(row.integer(0)); !there.contains({part, row.integer(1)}))
            all.push_back({part, row.integer(1), -1});
    });
    return all;
}

std::vector<std::pair<SealPart, std::int64_t>> Seals::broken()
{
    std::vector<std::pair<SealPart, std::int64_t>> parts;
    if (!m_sealed)
        return parts;
    for (const Held& one : expected()) {
        // A run that is gone is one thing, however many seals it had.
        const bool gone = one.run < 0;
        const bool wrong = gone ? one.part <= kFirstOfRun : !holds(one.part, one.index, one.run);
        if (!m_database.ok())
            break; // what cannot be read is the database's to tell
        if (wrong)
            parts.emplace_back(one.part, one.index);
    }
    return parts;
}

std::vector<Seals::Held> Seals::held()
{
    std::vector<Held> parts;
    if (!m_sealed)
        return parts;
    for (const Held& one : expected()) {
        if (one.run >= 0 && holds(one.part, one.index, one.run))
            parts.push_back(one);
    }
    return parts;
}

} // namespace dyno
