// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/ycsb/ycsb_instance.h"

#include "workload/ycsb/field_text.h"
#include "workload/ycsb/integrity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace dyno::ycsb {

namespace {

constexpr std::size_t kMaxStatementBytes = 256 * 1024;
constexpr std::size_t kMaxParameters = 4096;
constexpr std::size_t kMaxBulkBytes = 2 * 1024 * 1024;
constexpr std::size_t kMaxTransactionBytes = 4 * 1024 * 1024;
//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;
constexpr double kLengthTheta = 0.99; // of YCSB's ZipfianGenerator
//! A read that finds no record is YCSB's NOT_FOUND, not a fast success: the data is another one than the parameters
//! say.
constexpr std::int32_t kNotFound = -404;
constexpr const char* kNotFoundText =
    "no record has this key: was the data loaded with the same insertorder (hashed_go if by go-ycsb), zeropadding and "
    "recordcount?";
//! YCSB's UNEXPECTED_STATE.
constexpr std::int32_t kWrongValue = -409;
constexpr const char* kWrongValueText =
    "a value is not the one of its key and field: was the data loaded with dataintegrity and the same "
    "fieldlength, or did something else write it?";
//! "user" and nineteen digits.
constexpr std::size_t kUsualKeyBytes = 23;

//! A length as Java's ByteBuffer.putInt writes it.
char* writeLength(char* out, std::size_t length)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = char(length >> shift & 0xFF);
    return out;
}

//! Appends `text` to a line of a bulk request. Of what needs an escape there, fields hold only the backslash.
char* writeEscaped(char* out, std::string_view text)
{
    for (const char c : text) {
        if (c == '\\')
            *out++ = '\\';
        *out++ = c;
    }
    return out;
}

} // namespace

YcsbInstance::YcsbInstance(const Params& params, Language language, const DriverInfo& driver)
    : m_params(params)
    , m_language(std::move(language))
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_ops(opsOf(params))
    , m_keys(params)
    , m_lengths(kLengthTheta)
    , m_fieldItems(m_lengths.over(params.fieldLength - params.minFieldLength + 1))
    , m_scanItems(m_lengths.over(params.maxScan - params.minScan + 1))
{
    for (int i = 0; i < (m_language.keyValue() ? m_params.fieldCount : 0); ++i) {
        const std::string name = fmt::format("field{}", i);
        std::array<char, 4> length{};
        writeLength(length.data(), name.size());
        m_fieldHeads.push_back(std::string(length.data(), length.size()) + name);
    }
    const bool modifies = m_params.share(Op::ReadModifyWrite) > 0;
    for (const Op op : {Op::Read, Op::Update, Op::Insert, Op::Scan}) {
        const bool inside = modifies && (op == Op::Read || op == Op::Update);
        const bool reads = m_language.keyValue() && op == Op::Read && m_params.share(Op::Update) > 0;
        if (m_params.share(op) == 0 && !inside && !reads)
            continue;
        m_first[std::size_t(op)] = std::uint32_t(m_statements.size());
        for (int field = wholeRecords(op) ? -1 : 0; field < (wholeRecords(op) ? 0 : m_params.fieldCount); ++field) {
            switch (op) {
            case Op::Read:
                m_statements.push_back(m_language.read(field));
                break;
            case Op::Scan:
                m_statements.push_back(m_language.scan(field));
                break;
            case Op::Update:
                m_statements.push_back(m_language.update(field));
                break;
            default:
                m_statements.push_back(m_language.insert(1));
            }
        }
    }
    if (m_params.share(Op::Insert) > 0)
        m_inserts.emplace(m_params.recordCount);
}

bool YcsbInstance::wholeRecords(Op op) const
{
    if (m_language.keyValue() || op == Op::Insert)
        return true;
    return op == Op::Update ? m_params.writeAllFields : m_params.readAllFields;
}

StatementId YcsbInstance::statement(Op op, int field) const
{
    return StatementId(m_first[std::size_t(op)] + std::uint32_t(std::max(0, field)));
}

int YcsbInstance::drawField(Op op, Random& random) const
{
    return wholeRecords(op) ? -1 : int(random.uniform(0, m_params.fieldCount - 1));
}

std::vector<TableSpec> YcsbInstance::tables() const
{
    TableSpec spec;
    spec.name = m_params.table;
    spec.create = m_language.create();
    spec.columns = m_language.columns();
    spec.rows = m_params.recordCount;
    const auto recordBytes = std::int64_t(this->recordBytes());
    spec.rowsPerSlice = m_sql.loadsPrepared || m_language.keyValue()
                            ? std::clamp<std::int64_t>(std::int64_t(kMaxTransactionBytes) / recordBytes, 1, 20000)
                            : rowsPerStatement();
    if (m_language.model() == DataModel::Sql && !m_sql.loadsPrepared)
        spec.bulkRowsPerSlice = rowsPerBulk();
    spec.freshEachRun = spec.keysRepeat = m_inserts.has_value();
    return {spec};
}

std::size_t YcsbInstance::recordBytes() const
{
    std::size_t bytes = std::size_t(m_params.fieldCount) * std::size_t(m_params.fieldLength);
    if (m_language.keyValue())
        bytes += std::size_t(m_params.fieldCount) * (4 + sizeof "field999" + 4);
    return bytes;
}

std::int64_t YcsbInstance::rowsPerStatement() const
{
    if (m_language.keyValue() || (m_language.model() == DataModel::Sql && m_sql.loadsPrepared))
        return 1;
    const std::size_t byBytes = kMaxStatementBytes / (recordBytes() + sizeof(KeyText));
    const std::size_t byParameters = kMaxParameters / std::size_t(m_params.fieldCount + 1);
    return std::int64_t(std::max<std::size_t>(1, std::min(byBytes, byParameters)));
}

std::int64_t YcsbInstance::rowsPerBulk() const
{
    const std::size_t line = 2 * recordBytes() + std::size_t(m_params.fieldCount) + sizeof(KeyText) + 1;
    return std::int64_t(std::max<std::size_t>(1, kMaxBulkBytes / line));
}

StatementSet YcsbInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    all.push_back(m_language.insert(1));
    if (rowsPerStatement() > 1)
        all.push_back(m_language.insert(rowsPerStatement()));
    return all;
}

std::uint64_t YcsbInstance::estimatedBytes() const
{
    const double value = m_params.fieldLengths == LengthDistribution::Constant
                             ? double(m_params.fieldLength)
                             : double(m_params.minFieldLength + m_params.fieldLength) / 2;
    const std::vector<std::string> names = m_language.columns();
    RowFacts record{{textColumn(names.front(), kUsualKeyBytes)},
                    names.front(),
                    false,
                    m_params.keys == KeyForm::Ordered ? KeyOrder::Runs : KeyOrder::Any};
    if (m_language.keyValue()) {
        const double others = double(recordBytes()) - double(m_params.fieldCount * m_params.fieldLength);
        record.columns.push_back(textColumn(names.back(), value * double(m_params.fieldCount) + others));
    }
    for (std::int64_t field = 0; field < (m_language.keyValue() ? 0 : m_params.fieldCount); ++field)
        record.columns.push_back(textColumn(fmt::format("field{}", field), value));
    return m_sizes.table(record, m_params.recordCount);
}

Random YcsbInstance::rowRandom(std::uint64_t seed, std::int64_t number) const
{
    return Random::forItem(seed, kRowStreams, std::uint64_t(number));
}

std::int64_t YcsbInstance::drawLength(Random& random) const
{
    switch (m_params.fieldLengths) {
    case LengthDistribution::Constant:
        break;
    case LengthDistribution::Uniform:
        return random.uniform(m_params.minFieldLength, m_params.fieldLength);
    case LengthDistribution::Zipfian:
        return m_params.minFieldLength + m_lengths.draw(m_fieldItems, random);
    }
    return m_params.fieldLength;
}

std::int64_t YcsbInstance::drawScanLength(Random& random) const
{
    if (m_params.scanLengths == LengthDistribution::Zipfian)
        return m_params.minScan + m_lengths.draw(m_scanItems, random);
    return random.uniform(m_params.minScan, m_params.maxScan);
}

char* YcsbInstance::writeField(char* out, std::string_view key, int field, Random& random) const
{
    if (m_params.dataIntegrity)
        return writeDeterministicText(out, key, field, std::size_t(m_params.fieldLength));
    return writeFieldText(out, std::size_t(drawLength(random)), random);
}

char* YcsbInstance::bindFields(char* out, std::string_view key, int field, Random& random,
                               std::vector<Param>& params) const
{
    for (int i = std::max(0, field); i < (field < 0 ? m_params.fieldCount : field + 1); ++i) {
        char* const end = writeField(out, key, i, random);
        params.push_back(Param::of(std::string_view(out, std::size_t(end - out))));
        out = end;
    }
    return out;
}

char* YcsbInstance::writeRecord(char* out, Random& random) const
{
    for (const std::string& head : m_fieldHeads) {
        out = std::ranges::copy(head, out).out;
        const auto length = std::size_t(drawLength(random));
        out = writeLength(out, length);
        out = writeFieldText(out, length, random);
    }
    return out;
}

Op YcsbInstance::drawOp(UserContext& user) const
{
    if (const SectionSums* const ofPhase = user.sectionSums()) [[unlikely]]
        return m_ops[drawSection(*ofPhase, user.random())];
    double u = user.random().unit();
    Op last = Op::Read;
    for (std::size_t i = 0; i < kOps; ++i) {
        if (m_params.shares[i] == 0)
            continue;
        last = Op(i);
        if (u < m_params.shares[i])
            break;
        u -= m_params.shares[i];
    }
    return last;
}

//! Binds the writing part of an update, insert or read-modify-write.
void YcsbInstance::planWrite(Op op, std::string_view key, UserContext& user, Work& work) const
{
    Random& random = user.random();
    std::vector<Param>& params = user.params();
    const int field = drawField(op, random);
    std::string& values = user.buffer();
    if (values.size() < recordBytes())
        values.resize(recordBytes());
    const std::size_t begin = params.size();
    if (m_language.keyValue()) {
        params.push_back(Param::of(key));
        char* const end = writeRecord(values.data(), random);
        params.push_back(Param::of(std::string_view(values.data(), std::size_t(end - values.data()))));
    } else if (op == Op::Insert) {
        params.push_back(Param::of(key));
        bindFields(values.data(), key, -1, random, params);
    } else {
        bindFields(values.data(), key, field, random, params);
        params.push_back(Param::of(key));
    }
    Request& request = work.requests == 2 ? work.second : work.first;
    request = Request::execute(statement(op, field), std::span<const Param>(params).subspan(begin));
}

void YcsbInstance::plan(Op op, UserContext& user, Work& work) const
{
    Random& random = user.random();
    std::vector<Param>& params = user.params();
    params.clear();
    params.reserve(std::size_t(m_params.fieldCount) + 3); // spans into it must not move
    std::int64_t number = 0;
    if (op == Op::Insert) {
        number = work.inserted = m_inserts->take();
    } else {
        const std::int64_t last = m_inserts ? m_inserts->last() : m_params.recordCount - 1;
        number = m_keys.draw(random, last, user.sequence() * std::uint64_t(user.users()) + indexOf(user.user()));
    }
    const std::string_view key = writeKey(work.key, number, m_params.keys, m_params.zeroPadding);
    if (op == Op::Insert)
        return planWrite(op, key, user, work);
    if (op == Op::Update && !m_language.keyValue())
        return planWrite(op, key, user, work);

    params.push_back(Param::of(key));
    if (op == Op::Scan)
        params.push_back(Param::of(drawScanLength(random)));
    const Op reading = op == Op::Scan ? Op::Scan : Op::Read;
    work.field = drawField(reading, random);
    work.first = Request::execute(statement(reading, work.field), params);
    if (op == Op::ReadModifyWrite || op == Op::Update) {
        work.requests = 2;
        planWrite(Op::Update, key, user, work);
    }
}

bool YcsbInstance::verified(Op op, const Work& work, const UserContext& user) const
{
    const KeptRows& rows = user.kept();
    if (op == Op::Scan)
        return m_language.verified(rows, {}, work.field);
    return rows.rows() > 0 && m_language.verified(rows, work.first.params[0].text, work.field);
}

Task<Outcome> YcsbInstance::transaction(UserContext& user) const
{
    const Op op = drawOp(user);
    Work work;
    plan(op, user, work);
    if (work.requests == 1) {
        const Reply reply = co_await user.execute(OpId(op), work.first);
        if (work.inserted >= 0)
            m_inserts->acknowledge(work.inserted); // also when it failed: those after it are there
        if (op == Op::Read && reply.outcome == Outcome::Ok && reply.rows == 0)
            co_return user.reject(kNotFound, kNotFoundText);
        const bool reads = op == Op::Read || op == Op::Scan;
        if (m_params.dataIntegrity && reads && reply.outcome == Outcome::Ok && !verified(op, work, user))
            co_return user.reject(kWrongValue, kWrongValueText);
        co_return reply.outcome;
    }
    // One operation of YCSB, timed as one.
    std::int64_t startNs = nowNs();
    Reply reply = co_await user.step(work.first);
    const bool missing = op == Op::ReadModifyWrite && reply.outcome == Outcome::Ok && reply.rows == 0;
    bool wrong = false;
    if (m_params.dataIntegrity && !missing &&
        reply.outcome == Outcome::Ok) { // the rows are gone after the second request
        const std::int64_t readNs = nowNs();
        wrong = !verified(op, work, user);
        startNs += nowNs() - readNs;
    }
    if (reply.outcome == Outcome::Ok)
        reply = co_await user.step(work.second);
    user.recordOperation(OpId(op), std::uint64_t(nowNs() - startNs), reply.outcome == Outcome::Ok);
    user.countRows(reply.affected);
    if (missing && reply.outcome == Outcome::Ok)
        co_return user.reject(kNotFound, kNotFoundText);
    if (wrong && reply.outcome == Outcome::Ok)
        co_return user.reject(kWrongValue, kWrongValueText);
    co_return reply.outcome;
}

Task<Outcome> YcsbInstance::load(UserContext& user, LoadSlice slice) const
{
    if (slice.bulk) {
        const Outcome loaded = co_await loadBulk(user, slice);
        co_return loaded;
    }
    const auto one = StatementId(m_statements.size());
    const auto many = StatementId(m_statements.size() + 1);
    const std::int64_t most = rowsPerStatement();
    const bool transaction = m_language.model() != DataModel::Document && m_sql.loadsPrepared;
    if (transaction) {
        const Request begin = Request::step(RequestKind::Begin);
        const Reply begun = co_await user.step(begin);
        if (begun.outcome != Outcome::Ok)
            co_return begun.outcome;
    }
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        const bool full = most > 1 && slice.lastRow - row + 1 >= most;
        const Outcome sent = co_await loadRows(user, row, full ? most : 1, full ? many : one);
        if (sent != Outcome::Ok)
            co_return sent;
        row += full ? most : 1;
    }
    if (!transaction)
        co_return Outcome::Ok;
    const Request commit = Request::step(RequestKind::Commit);
    const Reply committed = co_await user.step(commit);
    co_return committed.outcome;
}

//! Rows are numbered from 1, records from 0.
Task<Outcome> YcsbInstance::loadRows(UserContext& user, std::int64_t first, std::int64_t rows,
                                     StatementId statement) const
{
    std::vector<Param>& params = user.params();
    std::string& text = user.buffer();
    const std::size_t most = std::size_t(rows) * (recordBytes() + sizeof(KeyText));
    if (text.size() < most)
        text.resize(most);
    params.clear();
    char* out = text.data();
    for (std::int64_t number = first - 1; number < first - 1 + rows; ++number) {
        KeyText key;
        const std::string_view name = writeKey(key, number, m_params.keys, m_params.zeroPadding);
        params.push_back(Param::of(std::string_view(out, name.size())));
        out = std::ranges::copy(name, out).out;
        Random random = rowRandom(user.seed(), number);
        if (m_language.keyValue()) {
            char* const end = writeRecord(out, random);
            params.push_back(Param::of(std::string_view(out, std::size_t(end - out))));
            out = end;
        } else {
            out = bindFields(out, name, -1, random, params);
        }
    }
    const Request insert = Request::execute(statement, params);
    const Reply reply = co_await user.step(insert);
    co_return reply.outcome;
}

Task<Outcome> YcsbInstance::loadBulk(UserContext& user, LoadSlice slice) const
{
    const std::string table = fmt::format("{} ({})", m_params.table, fmt::join(m_language.columns(), ", "));
    const std::size_t line = 2 * recordBytes() + std::size_t(m_params.fieldCount) + sizeof(KeyText) + 1;
    std::string field(std::size_t(m_params.fieldLength), ' ');
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        const std::int64_t end = std::min(slice.lastRow + 1, row + rowsPerBulk());
        std::string& lines = user.buffer();
        lines.resize(std::max(lines.size(), std::size_t(end - row) * line));
        char* out = lines.data();
        for (; row < end; ++row) {
            KeyText text;
            const std::string_view key = writeKey(text, row - 1, m_params.keys, m_params.zeroPadding);
            out = std::ranges::copy(key, out).out;
            Random random = rowRandom(user.seed(), row - 1);
            for (int i = 0; i < m_params.fieldCount; ++i) {
                *out++ = '\t';
                const char* const last = writeField(field.data(), key, i, random);
                out = writeEscaped(out, {field.data(), std::size_t(last - field.data())});
            }
            *out++ = '\n';
        }
        const std::string_view rows(lines.data(), std::size_t(out - lines.data()));
        const Request bulk{.kind = RequestKind::Bulk, .text = table, .value = rows};
        const Reply reply = co_await user.step(bulk);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

} // namespace dyno::ycsb
