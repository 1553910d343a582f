// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/randomtransaction/random_transaction.h"

#include "driver/size_model.h"
#include "workload/engine_needs.h"
#include "workload/loading.h"
#include "workload/model.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

namespace dyno::randomtransaction {

namespace {

enum class Op : std::uint8_t { Begin, Read, Write, Commit };

constexpr const char* kTable = "key_sets";
constexpr std::int64_t kMostIncrement = 100;
constexpr std::int64_t kMostSets = 9999; //!< four digits of a key
constexpr std::int64_t kRowsPerStatement = 500;
constexpr std::int64_t kRowsPerLook = 10'000;
constexpr std::int32_t kNotFound = -404;
constexpr const char* kNotFoundText = "no key has this number: was the data loaded with the same keys and sets?";

//! Of a key-value store: four digits of the set, from 1, and the number.
using KeyText = std::array<char, 32>;
constexpr std::size_t kSetDigits = 4;

std::string_view writeKey(KeyText& out, std::int64_t set, std::int64_t key)
{
    char* const end = fmt::format_to(out.data(), "{:04}{}", set, key);
    return {out.data(), std::size_t(end - out.data())};
}

StatementSpec insertSpec(bool keyValue, std::int64_t rows)
{
    using enum Param::Type;
    if (keyValue)
        return {fmt::format("put {} ? ?", kTable), {Text, Integer}};
    StatementSpec spec{fmt::format("INSERT INTO {} (set_no, key_no, total) VALUES ", kTable), {}};
    for (std::int64_t row = 0; row < rows; ++row)
        spec.text += row == 0 ? "(?, ?, 0)" : ", (?, ?, 0)";
    spec.parameters.assign(std::size_t(rows) * 2, Integer);
    return spec;
}

//! How many sets have another sum than the first one.
Expected<std::int64_t> setsApart(Admin& admin)
{
    std::map<std::string, std::int64_t> sums;
    std::string from = "!"; // the first of the printable characters
    for (;;) {
        const auto rows = admin.query(fmt::format("scan {} {} {}", kTable, from, kRowsPerLook));
        if (!rows)
            return tl::unexpected(rows.error());
        for (const std::vector<std::string>& row : *rows) {
            std::int64_t number = 0;
            const std::string& text = row.at(1);
            std::from_chars(text.data(), text.data() + text.size(), number);
            sums[row.at(0).substr(0, kSetDigits)] += number;
        }
        if (std::int64_t(rows->size()) < kRowsPerLook)
            break;
        from = rows->back().at(0) + '!'; // behind that key, and before all that are longer
    }
    std::int64_t apart = 0;
    for (const auto& [set, sum] : sums)
        apart += sum == sums.begin()->second ? 0 : 1;
    return apart;
}

class Instance final : public WorkloadInstance
{
public:
    Instance(const Params& params, const DriverInfo& driver, DataModel model, std::string suffix)
        : m_params(params)
        , m_sql(driver.sql)
        , m_sizes(*driver.sizes)
        , m_keyValue(model == DataModel::KeyValue)
        , m_suffix(std::move(suffix))
    {
        using enum Param::Type;
        if (m_keyValue)
            m_statements = {{fmt::format("get {} ? for update", kTable), {Text}, true},
                            {fmt::format("put {} ? ?", kTable), {Text, Integer}}};
        else
            m_statements = {
                {fmt::format("SELECT total FROM {} WHERE set_no = ? AND key_no = ?{}", kTable, m_sql.rowLock),
                 {Integer, Integer},
                 true},
                {fmt::format("UPDATE {} SET total = ? WHERE set_no = ? AND key_no = ?", kTable),
                 {Integer, Integer, Integer}}};
        m_statements.front().keep = Keep::Last;
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override
    {
        TableSpec spec;
        spec.name = kTable;
        spec.create = m_keyValue ? fmt::format("create {}", kTable)
                                 : fmt::format("CREATE TABLE {} (set_no INTEGER NOT NULL, key_no BIGINT NOT NULL, "
                                               "total BIGINT NOT NULL, PRIMARY KEY (set_no, key_no)){}",
                                               kTable, m_suffix);
        spec.columns = m_keyValue ? std::vector<std::string>{"key", "value"}
                                  : std::vector<std::string>{"set_no", "key_no", "total"};
        spec.rows = m_params.keys * m_params.sets;
        spec.rowsPerSlice = kRowsPerStatement * (m_sql.loadsPrepared ? 20 : 4);
        spec.freshEachRun = true; // without transactions increments get lost, and the sums stay apart
        return {spec};
    }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override
    {
        StatementSet all = m_statements;
        all.push_back(insertSpec(m_keyValue, 1));
        if (!m_keyValue)
            all.push_back(insertSpec(false, kRowsPerStatement));
        return all;
    }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override
    {
        return m_keyValue ? std::vector<FeatureProbe>() : transactionProbes(tables(), m_sql);
    }
    [[nodiscard]] std::uint64_t estimatedBytes() const override
    {
        RowFacts row{{}, "set_no, key_no", false, KeyOrder::Runs};
        if (m_keyValue)
            row = {{textColumn("key", 10), textColumn("value", 4)}, "key", false, KeyOrder::Runs};
        else
            row.columns = {numberColumn("set_no", 4, 1), numberColumn("key_no", 8, 3), numberColumn("total", 8, 2)};
        return m_sizes.table(row, m_params.keys * m_params.sets);
    }
    [[nodiscard]] std::vector<DataCheck> checks() const override
    {
        DataCheck same{"the numbers of each set have the same sum", {}};
        if (m_keyValue)
            same.count = setsApart;
        else
            same.query = fmt::format("SELECT COUNT(*) FROM (SELECT SUM(total) AS total_sum FROM {0} GROUP BY set_no) s "
                                     "WHERE total_sum <> (SELECT SUM(total) FROM {0} WHERE set_no = 1)",
                                     kTable);
        return {same};
    }

private:
    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    bool m_keyValue;
    std::string m_suffix;
    StatementSet m_statements;
};

Task<Outcome> Instance::transaction(UserContext& user) const
{
    const std::int64_t increment = user.random().uniform(1, kMostIncrement);
    const Request begin = Request::step(RequestKind::Begin);
    Reply reply = co_await user.post(OpId(Op::Begin), begin);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    KeyText text;
    std::array<Param, 3> params; // the number, set and key; or key and number
    for (std::int64_t set = 1; set <= m_params.sets; ++set) {
        const std::int64_t key = user.random().uniform(0, m_params.keys - 1);
        if (m_keyValue)
            params[0] = Param::of(writeKey(text, set, key));
        else
            params = {Param(), Param::of(set), Param::of(key)};
        const Request read =
            Request::execute(StatementId(0), m_keyValue ? std::span(params).first(1) : std::span(params).last(2));
        reply = co_await user.execute(OpId(Op::Read), read);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        if (reply.rows == 0)
            co_return user.reject(kNotFound, kNotFoundText);
        const std::int64_t total = user.kept().integer(0, m_keyValue ? 1 : 0) + increment;
        params[m_keyValue ? 1 : 0] = Param::of(total);
        const Request write =
            Request::execute(StatementId(1), m_keyValue ? std::span(params).first(2) : std::span(params));
        reply = co_await user.post(OpId(Op::Write), write);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    const Request commit = Request::step(RequestKind::Commit);
    reply = co_await user.execute(OpId(Op::Commit), commit);
    co_return reply.outcome;
}

//! The sets one after the other, each by the numbers of its keys.
Task<Outcome> Instance::load(UserContext& user, LoadSlice slice) const
{
    const auto one = StatementId(m_statements.size()), many = StatementId(m_statements.size() + 1);
    const RowInserts inserts{one, many, m_keyValue ? 1 : kRowsPerStatement};
    KeyText text;
    const auto bind = [this, &user, &text](std::int64_t row, std::int64_t count) {
        for (std::int64_t place = row - 1; place < row - 1 + count; ++place) {
            const std::int64_t set = place / m_params.keys + 1, key = place % m_params.keys;
            if (m_keyValue)
                user.params().insert(user.params().end(),
                                     {Param::of(writeKey(text, set, key)), Param::of(std::int64_t(0))});
            else
                user.params().insert(user.params().end(), {Param::of(set), Param::of(key)});
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

class RandomTransaction final : public Workload
{
public:
    RandomTransaction()
    {
        m_info.id = "randomtransaction";
        m_info.name = "Random transaction";
        m_info.purpose = WorkloadPurpose::Mixed;
        m_info.summary = "Adds one number to a random key of each of several sets, in one transaction";
        m_info.description =
            "What a transaction costs: it reads one random key of each set for update and writes it back increased by "
            "the same number. Afterwards the sums of all sets must be equal; without transactions increments get "
            "lost, and the check shows it.";
        m_info.source = "db_bench of RocksDB 4.4, randomtransaction";
        m_info.options = {
            ofData(integerOption("keys", "Keys of a set", "Fewer keys make more conflicts. db_bench's --num.",
                                 Params().keys, "keys", 1, 1'000'000'000, "")),
            ofData(integerOption("sets", "Sets of keys",
                                 "A transaction changes one key of each: the size of its batch. db_bench's "
                                 "--transaction_sets.",
                                 Params().sets, "sets", 1, double(kMostSets), "")),
        };
        m_info.operations = {
            {"begin", OpClass::Other}, {"read", OpClass::Read}, {"write", OpClass::Write}, {"commit", OpClass::Other}};
        m_info.models = {DataModel::Sql, DataModel::KeyValue};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const Params standard;
        const Params params{.keys = integerOf(settings, "keys", standard.keys),
                            .sets = integerOf(settings, "sets", standard.sets)};
        const DataModel model = modelFor(m_info, driver);
        auto suffix = tableSuffix(driver.sql, model, tableKnobs, "KEY (set_no, key_no)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const Instance>(params, driver, model, std::move(*suffix));
    }

private:
    WorkloadInfo m_info;
};

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const RandomTransaction workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::randomtransaction
