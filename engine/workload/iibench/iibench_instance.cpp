// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/iibench/iibench.h"

#include "base/wall_clock.h"
#include "workload/loading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

namespace dyno::iibench {

namespace {

constexpr std::int64_t kRegisters = 1000, kCustomers = 100'000, kProducts = 10'000, kPrices = 500;
constexpr std::size_t kMaxBatchBytes = 256 * 1024;
//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;
constexpr std::int64_t kLoadedMs = 1'577'836'800'000; //!< time of the first loaded row: 2020-01-01, UTC
constexpr std::int64_t kRowsPerSecond = 1000;         //!< of the loaded rows' times

//! Random letters that motifs and long random parts of texts are slices of; the same in each process.
const std::string& letters()
{
    static const std::string text = [] {
        std::string all(std::size_t(1) << 20, 'a');
        Random random(3221223452); // iibench.py's default seed
        for (char& c : all)
            c = char('a' + random.uniform(0, 25));
        return all;
    }();
    return text;
}

} // namespace

IibenchInstance::IibenchInstance(const Params& params, Language language, const SizeModel& sizes)
    : m_params(params)
    , m_language(std::move(language))
    , m_sizes(sizes)
    , m_rowsPerStatement(params.rowsPerCommit)
    , m_lastRows(params.rowsPerCommit)
    , m_startMs(nowMs())
    , m_next(params.initialRows + 1)
{
    const std::int64_t most = kMaxParameters / (6 + m_params.textFields);
    if (!m_language.documents() && m_params.rowsPerCommit > most) {
        m_rowsPerStatement = most;
        m_lastRows = (m_params.rowsPerCommit - 1) % most + 1;
    }
    const auto add = [this](StatementSpec spec) {
        m_statements.push_back(std::move(spec));
        return std::uint32_t(m_statements.size() - 1);
    };
    add(m_language.insert(m_rowsPerStatement, m_language.documents()));
    if (m_lastRows != m_rowsPerStatement)
        m_insertLast = add(m_language.insert(m_lastRows, m_language.documents()));
    if (m_params.queryUsers > 0 && m_params.keyQueries) {
        m_keyQuery = add(m_language.keyQuery());
    } else if (m_params.queryUsers > 0) {
        m_queries = std::uint32_t(m_statements.size());
        for (const Op op : {Op::Market, Op::Register, Op::Pdc})
            add(m_language.query(op));
    }
    if (m_params.deletes) {
        m_remove = add(m_language.remove(m_params.rowsPerCommit));
        m_oldestRow = add(m_language.oldest());
    }
    const std::string motif = m_params.motifLength == 1 ? "a" : letters().substr(0, std::size_t(m_params.motifLength));
    while (m_motif.size() < std::size_t(m_params.textLength))
        m_motif += motif;
}

std::vector<TableSpec> IibenchInstance::tables() const
{
    TableSpec spec;
    spec.name = m_params.table;
    spec.create = m_language.create();
    spec.columns = m_language.columns();
    spec.rows = m_params.initialRows;
    spec.rowsPerSlice = m_language.loadsInTransactions() ? 30 * loadBatch() : loadBatch();
    spec.freshEachRun = true;                 // it grows
    spec.keysRepeat = m_language.documents(); // whose keys the client makes
    (m_params.indexesFirst ? spec.afterCreate : spec.afterLoad) = m_language.createIndexes();
    if (!m_language.documents())
        countOn(spec, m_language.sql(), "transactionid");
    return {spec};
}

std::int64_t IibenchInstance::loadBatch() const
{
    const std::int64_t bytes = 64 + m_params.textFields * m_params.textLength;
    return std::clamp<std::int64_t>(std::int64_t(kMaxBatchBytes) / bytes, 1, 4000 / (6 + m_params.textFields));
}

StatementSet IibenchInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    all.push_back(m_language.insert(1, true));
    all.push_back(m_language.insert(loadBatch(), true));
    return all;
}

RowFacts IibenchInstance::rowFacts(KeyOrder entries) const
{
    const std::vector<std::string> names = m_language.columns();
    const double narrow = m_params.form == Form::Purchases ? 4 : 8;
    const bool texts = m_language.timeType() == Param::Type::Text, real = m_language.priceType() == Param::Type::Real;
    std::size_t next = 0;
    RowFacts facts{{numberColumn(names[next++], narrow, 3), numberColumn(names[next++], texts ? 5 : 8, texts ? 19 : 6),
                    numberColumn(names[next++], 4, 2), numberColumn(names[next++], 4, 3),
                    numberColumn(names[next++], 4, 2), numberColumn(names[next++], real ? narrow : 4, real ? 8 : 2)},
                   names.front(),
                   true,
                   KeyOrder::Rising};
    while (next < names.size())
        facts.columns.push_back(textColumn(names[next++], double(m_params.textLength)));
    for (const Op op : m_language.indexOrder())
        facts.indexes.push_back({fmt::format("{}", fmt::join(m_language.fieldsOf(op), ", ")), entries});
    return facts;
}

std::uint64_t IibenchInstance::estimatedBytes() const
{
    return m_sizes.table(rowFacts(m_params.indexesFirst ? KeyOrder::Any : KeyOrder::Rising), m_params.initialRows);
}

Growth IibenchInstance::growth() const
{
    if (m_params.deletes) // as many as are inserted
        return {};
    return {m_sizes.row(rowFacts(KeyOrder::Any)), double(m_params.rowsPerCommit)};
}

std::vector<DataCheck> IibenchInstance::checks() const
{
    std::vector<DataCheck> all;
    if (m_language.documents())
        return all;
    if (!m_params.deletes) {
        all.push_back({"no row of the load is missing",
                       fmt::format("SELECT {0} - COUNT(*) FROM {1} WHERE transactionid BETWEEN 1 AND {0}",
                                   m_params.initialRows, m_params.table)});
        all.push_back({"of each commit all rows are there",
                       fmt::format("SELECT ABS(COUNT(*) - {}) % {} FROM {}", m_params.initialRows,
                                   m_params.rowsPerCommit, m_params.table)});
    }
    const double most = m_params.asksTuples() ? double(kPrices + kCustomers) / 100 : double(kPrices - 1);
    all.push_back(
        {"values lie in their ranges",
         fmt::format(
             "SELECT COUNT(*) FROM {} WHERE cashregisterid NOT BETWEEN 0 AND {} OR customerid NOT BETWEEN 0 AND {} OR "
             "productid NOT BETWEEN 0 AND {} OR price NOT BETWEEN 0 AND {}",
             m_params.table, kRegisters - 1, kCustomers - 1, kProducts - 1, most)});
    std::string texts;
    for (std::size_t i = 6; i < m_language.columns().size(); ++i) // what follows number, time and the four values
        texts += fmt::format("{}{} IS NULL OR LENGTH({}) <> {}", texts.empty() ? "" : " OR ", m_language.columns()[i],
                             m_language.columns()[i], m_params.textLength);
    if (!texts.empty())
        all.push_back(
            {"texts have their length", fmt::format("SELECT COUNT(*) FROM {} WHERE {}", m_params.table, texts)});
    return all;
}

IibenchInstance::Row IibenchInstance::drawRow(Random& random) const
{
    Row row;
    row.cashRegister = random.uniform(0, kRegisters - 1);
    row.customer = random.uniform(0, kCustomers - 1);
    row.product = random.uniform(0, kProducts - 1);
    if (m_params.asksTuples()) {
        const double cents = random.unit() * double(kPrices) + double(row.customer);
        // a FLOAT of whole cents is told with them, whatever digits a server or SQLite keeps
        row.price = Param::of((m_params.form == Form::Purchases ? std::floor(cents + 0.5) : cents) / 100);
    } else {
        row.price = Param::of(random.uniform(0, kPrices - 1));
    }
    return row;
}

//! Milliseconds since 1970, or "2020-01-01 00:00:00" (UTC) in `text`.
Param IibenchInstance::timeOf(std::int64_t milliseconds, TimeText& text) const
{
    if (m_language.timeType() == Param::Type::Integer)
        return Param::of(milliseconds);
    using namespace std::chrono;
    const sys_seconds at{seconds(milliseconds / 1000)};
    const sys_days day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    const auto written = fmt::format_to_n(text.data(), text.size(), "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                                          int(date.year()), unsigned(date.month()), unsigned(date.day()),
                                          time.hours().count(), time.minutes().count(), time.seconds().count());
    return Param::of(std::string_view(text.data(), written.size));
}

//! Many letters are a slice of a large text, whose place is drawn. Few are drawn one by one from a single number, as
//! its digits to the base 26: the slice of a text that large is in no cache.
void IibenchInstance::drawLetters(char* out, Random& random) const
{
    constexpr std::int64_t kDrawn = 12; // 26^12 < 2^64
    const auto count = std::size_t(m_params.randomLength);
    if (m_params.randomLength > kDrawn) {
        letters().copy(out, count, std::size_t(random.uniform(0, std::int64_t(letters().size() - count))));
        return;
    }
    std::uint64_t fraction = random.next(); // of 2^64
    for (std::size_t i = 0; i < count; ++i) {
        const auto product = static_cast<unsigned __int128>(fraction) * 26;
        out[i] = char('a' + int(product >> 64));
        fraction = std::uint64_t(product);
    }
}

char* IibenchInstance::textsOf(UserContext& user, std::int64_t rows) const
{
    std::string& texts = user.buffer();
    texts.resize(std::max(texts.size(), std::size_t(rows * m_params.textFields * m_params.textLength)));
    return texts.data();
}

Param* IibenchInstance::bindRow(Param* out, char*& text, std::int64_t number, Param time, Random& random) const
{
    if (number >= 0)
        *out++ = Param::of(number);
    const Row row = drawRow(random);
    *out++ = time;
    *out++ = Param::of(row.cashRegister);
    *out++ = Param::of(row.customer);
    *out++ = Param::of(row.product);
    *out++ = row.price;
    const auto length = std::size_t(m_params.textLength), fresh = std::size_t(m_params.randomLength);
    for (int i = 0; i < m_params.textFields; ++i) {
        // mytools ends with the random part, mongodb begins with it
        const bool last = m_params.form == Form::Mytools;
        drawLetters(last ? text + (length - fresh) : text, random);
        m_motif.copy(last ? text : text + fresh, length - fresh);
        *out++ = Param::of(std::string_view(text, length));
        text += length;
    }
    return out;
}

void IibenchInstance::bindRows(UserContext& user, std::int64_t rows, std::int64_t first, Param time) const
{
    char* text = textsOf(user, rows);
    const int columns = (first < 0 ? 5 : 6) + m_params.textFields;
    Param* out = user.paramsToWrite(std::size_t(rows * columns));
    for (std::int64_t i = 0; i < rows; ++i)
        out = bindRow(out, text, first < 0 ? -1 : first + i, time, user.random());
}

//! A value of the same kind as the rows' for each field, as often as the query's comparison names it.
void IibenchInstance::bindQuery(UserContext& user, Op op, TimeText& text) const
{
    Random& random = user.random();
    std::vector<Param>& params = user.params();
    params.clear();
    const Row row = drawRow(random);
    const std::int64_t now = nowMs();
    const Param time = timeOf(random.uniform(std::min(m_startMs, now), now), text);
    const Param customer = Param::of(row.customer), cashRegister = Param::of(row.cashRegister);
    std::array<Param, 3> tuple;
    std::size_t size = 3;
    if (!m_params.asksTuples()) {
        tuple[0] = op == Op::Market ? Param::of(row.product) : op == Op::Register ? cashRegister : row.price;
        params.push_back(tuple[0]);
        return;
    }
    if (op == Op::Market) {
        tuple = {row.price, customer, {}};
        size = 2;
    } else if (op == Op::Register) {
        tuple = {cashRegister, row.price, customer};
    } else {
        tuple = {row.price, time, customer};
    }
    for (std::size_t length = size; length > 0; --length)
        params.insert(params.end(), tuple.begin(), tuple.begin() + std::ptrdiff_t(length));
}

void IibenchInstance::bindKeyQuery(UserContext& user) const
{
    std::vector<Param>& params = user.params();
    params.clear();
    const std::int64_t oldest = m_oldest.load(std::memory_order_relaxed);
    const std::int64_t newest = std::max(oldest, m_next.load(std::memory_order_relaxed) - 1);
    for (int i = 0; i < m_params.queryLimit; ++i)
        params.push_back(Param::of(user.random().uniform(oldest, newest)));
}

Task<Outcome> IibenchInstance::transaction(UserContext& user) const
{
    if (int(indexOf(user.user())) < user.users() - m_params.queryUsers) {
        Outcome outcome = Outcome::Ok;
        if (m_params.deletes && user.sequence() % 2 == 1)
            outcome = co_await deleteRows(user);
        else
            outcome = co_await insertRows(user);
        co_return outcome;
    }
    TimeText time;
    Op op = Op::PrimaryKey;
    std::uint32_t statement = m_keyQuery;
    if (m_params.keyQueries) {
        bindKeyQuery(user);
    } else {
        // mytools draws which, mongodb takes its three in turn, beginning with (price, dateandtime, customerid)
        constexpr std::array<Op, kQueries> kTurns{Op::Pdc, Op::Market, Op::Register};
        const auto turn = m_params.form == Form::Mongodb ? std::int64_t(user.sequence() % kQueries)
                                                         : user.random().uniform(0, kQueries - 1);
        op = kTurns[std::size_t(turn)];
        statement = m_queries + std::uint32_t(op) - std::uint32_t(Op::Market);
        bindQuery(user, op, time);
    }
    const Request request = Request::execute(StatementId(statement), user.params());
    const Reply reply = co_await user.execute(OpId(op), request);
    co_return reply.outcome;
}

Task<Outcome> IibenchInstance::insertRows(UserContext& user) const
{
    if (m_params.rowsPerCommit > m_rowsPerStatement || m_params.commitsApart) {
        const Outcome committed = co_await insertBetween(user);
        co_return committed;
    }
    TimeText text;
    const std::int64_t first = m_next.fetch_add(m_params.rowsPerCommit, std::memory_order_relaxed);
    bindRows(user, m_params.rowsPerCommit, m_language.documents() ? first : -1, timeOf(nowMs(), text));
    const Request insert = Request::execute(StatementId(0), user.params());
    const Reply reply = co_await user.execute(OpId(Op::Insert), insert);
    co_return reply.outcome;
}

//! Statements between BEGIN and COMMIT.
Task<Outcome> IibenchInstance::insertBetween(UserContext& user) const
{
    TimeText text;
    const Param time = timeOf(nowMs(), text);
    const Request begin = Request::step(RequestKind::Begin);
    const Reply begun = co_await user.step(begin);
    if (begun.outcome != Outcome::Ok)
        co_return begun.outcome;
    for (std::int64_t left = m_params.rowsPerCommit; left > 0;) {
        const std::int64_t rows = std::min(left, m_rowsPerStatement);
        m_next.fetch_add(rows, std::memory_order_relaxed);
        bindRows(user, rows, -1, time);
        const Request insert =
            Request::execute(StatementId(rows == m_rowsPerStatement ? 0 : m_insertLast), user.params());
        const Reply reply = co_await user.execute(OpId(Op::Insert), insert);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        left -= rows;
    }
    const Request commit = Request::step(RequestKind::Commit);
    if (!m_params.commitsApart) {
        const Reply committed = co_await user.step(commit);
        co_return committed.outcome;
    }
    const Reply committed = co_await user.execute(OpId(Op::Commit), commit);
    co_return committed.outcome;
}

//! One that comes again after an error (a deadlock) begins at the next place: rows that it leaves are met when the
//! least number is read again.
Task<Outcome> IibenchInstance::deleteRows(UserContext& user) const
{
    constexpr std::int64_t kLooksEvery = 1000; // deletes
    if (m_deletes.fetch_add(1, std::memory_order_relaxed) % kLooksEvery == 0) {
        const Request look = Request::execute(StatementId(m_oldestRow), {});
        const Reply seen = co_await user.step(look);
        if (seen.outcome != Outcome::Ok)
            co_return seen.outcome;
        m_oldest.store(user.kept().integer(0, 0, 1), std::memory_order_relaxed);
    }
    const std::int64_t from = m_oldest.fetch_add(m_params.rowsPerCommit, std::memory_order_relaxed);
    const std::array<Param, 1> params{Param::of(from)};
    const Request remove = Request::execute(StatementId(m_remove), params);
    const Reply reply = co_await user.execute(OpId(Op::Delete), remove);
    co_return reply.outcome;
}

Task<Outcome> IibenchInstance::load(UserContext& user, LoadSlice slice) const
{
    const std::size_t one = m_statements.size();
    const RowInserts inserts{StatementId(one), StatementId(one + 1), loadBatch(), !m_language.documents()};
    std::vector<TimeText> times(static_cast<std::size_t>(loadBatch()));
    const auto bind = [this, &user, &times](std::int64_t row, std::int64_t count) {
        char* text = textsOf(user, count);
        Param* out = user.paramsToWrite(std::size_t(count * (6 + m_params.textFields)));
        for (std::int64_t i = 0; i < count; ++i) {
            Random random = Random::forItem(user.seed(), kRowStreams, std::uint64_t(row + i));
            const std::int64_t at = kLoadedMs + (row + i) * 1000 / kRowsPerSecond;
            out = bindRow(out, text, row + i, timeOf(at, times[std::size_t(i)]), random);
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

} // namespace dyno::iibench
