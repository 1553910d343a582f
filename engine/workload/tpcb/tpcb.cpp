// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/tpcb/tpcb.h"

#include "driver/size_model.h"
#include "workload/engine_needs.h"
#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dyno::tpcb {

namespace {

enum class Op : std::uint8_t { Begin, UpdateAccount, SelectBalance, UpdateTeller, UpdateBranch, InsertHistory, Commit };
enum Table : std::uint8_t { kHistory, kAccounts, kTellers, kBranches };
constexpr std::size_t kTables = std::size_t(kBranches) + 1;
constexpr std::int64_t kRowsPerStatement = 500;
constexpr std::int64_t kMostDelta = 5000;
constexpr std::int64_t kBigScale = 20'000; //!< from here on pgbench's account numbers are 64 bits wide
constexpr std::int32_t kNotFound = -404;
constexpr const char* kNotFoundText = "no account has this number: was the data loaded with the same scale?";

StatementSpec statement(std::string text, std::vector<Param::Type> parameters, bool returnsRows = false)
{
    return {std::move(text), std::move(parameters), returnsRows};
}

//! In the order in which transactions use them.
StatementSet requestStatements(Script script)
{
    using enum Param::Type;
    StatementSet all;
    if (script != Script::SelectOnly)
        all.push_back(
            statement("UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?", {Integer, Integer}));
    all.push_back(statement("SELECT abalance FROM pgbench_accounts WHERE aid = ?", {Integer}, true));
    if (script == Script::TpcbLike) {
        all.push_back(
            statement("UPDATE pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?", {Integer, Integer}));
        all.push_back(
            statement("UPDATE pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?", {Integer, Integer}));
    }
    if (script != Script::SelectOnly)
        all.push_back(statement(
            "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)",
            {Integer, Integer, Integer, Integer}));
    return all;
}

//! All of a table's rows are numbers but for the filler, which is the same in all.
StatementSpec insertSpec(Table table, std::int64_t rows)
{
    constexpr std::array<const char*, kTables> kHeads{
        "", "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) VALUES ",
        "INSERT INTO pgbench_tellers (tid, bid, tbalance) VALUES ",
        "INSERT INTO pgbench_branches (bid, bbalance) VALUES "};
    constexpr std::array<const char*, kTables> kRow{"", "(?, ?, 0, '')", "(?, ?, 0)", "(?, 0)"};
    StatementSpec spec = statement(kHeads[table], {});
    for (std::int64_t row = 0; row < rows; ++row)
        spec.text += fmt::format("{}{}", row == 0 ? "" : ", ", kRow[table]);
    spec.parameters.assign(std::size_t(rows) * (table == kBranches ? 1 : 2), Param::Type::Integer);
    return spec;
}

class TpcbInstance final : public WorkloadInstance
{
public:
    TpcbInstance(const Params& params, const DriverInfo& driver, std::string suffix)
        : m_params(params)
        , m_sql(driver.sql)
        , m_sizes(*driver.sizes)
        , m_suffix(std::move(suffix))
        , m_statements(requestStatements(params.script))
    {
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override
    {
        const bool wide = m_params.scale >= kBigScale && !m_sql.wideIntegers;
        const char* const account = wide ? "BIGINT" : "INTEGER";
        std::vector<TableSpec> specs(kTables);
        const auto define = [&](Table table, const char* name, std::string columns, std::vector<std::string> names,
                                std::int64_t rows) {
            TableSpec& spec = specs[table];
            spec.name = name;
            spec.create = fmt::format("CREATE TABLE {} ({}){}", name, columns, m_suffix);
            spec.columns = std::move(names);
            spec.rows = rows;
            spec.rowsPerSlice = kRowsPerStatement * (m_sql.loadsPrepared ? 20 : 4);
            spec.freshEachRun = m_params.script != Script::SelectOnly; // history grows, and balances are sums over it
        };
        define(kHistory, "pgbench_history",
               fmt::format("tid INTEGER, bid INTEGER, aid {}, delta INTEGER, mtime {}, filler CHAR(22)", account,
                           m_sql.type("DATETIME")),
               {"tid", "bid", "aid", "delta", "mtime", "filler"}, 0);
        define(
            kAccounts, "pgbench_accounts",
            fmt::format("aid {} NOT NULL, bid INTEGER, abalance INTEGER, filler CHAR(84), PRIMARY KEY (aid)", account),
            {"aid", "bid", "abalance", "filler"}, m_params.accounts());
        define(kTellers, "pgbench_tellers",
               "tid INTEGER NOT NULL, bid INTEGER, tbalance INTEGER, filler CHAR(84), PRIMARY KEY (tid)",
               {"tid", "bid", "tbalance", "filler"}, m_params.tellers());
        define(kBranches, "pgbench_branches",
               "bid INTEGER NOT NULL, bbalance INTEGER, filler CHAR(88), PRIMARY KEY (bid)",
               {"bid", "bbalance", "filler"}, m_params.scale);
        return specs;
    }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override
    {
        StatementSet all = m_statements;
        for (const Table table : {kAccounts, kTellers, kBranches}) {
            all.push_back(insertSpec(table, 1));
            all.push_back(insertSpec(table, kRowsPerStatement));
        }
        return all;
    }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override
    {
        return m_params.script == Script::SelectOnly ? std::vector<FeatureProbe>() : transactionProbes(tables(), m_sql);
    }
    [[nodiscard]] std::uint64_t estimatedBytes() const override
    {
        const RowFacts account{{numberColumn("aid", 4, 3), numberColumn("bid", 4, 1), numberColumn("abalance", 4, 0),
                                paddedColumn("filler", 84, 0)},
                               "aid",
                               true};
        return m_sizes.table(account, m_params.accounts());
    }
    [[nodiscard]] Growth growth() const override
    {
        if (m_params.script == Script::SelectOnly)
            return {};
        const double rows = m_params.script == Script::TpcbLike ? 4 : 2; // one of which is new, without a filler
        const RowFacts history{{numberColumn("tid", 4, 1), numberColumn("bid", 4, 1), numberColumn("aid", 4, 3),
                                numberColumn("delta", 4, 2), numberColumn("mtime", 5, 19),
                                numberColumn("filler", 0, 0)},
                               ""};
        return {m_sizes.row(history) / rows, rows};
    }
    [[nodiscard]] std::vector<DataCheck> checks() const override;

private:
    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    std::string m_suffix;
    StatementSet m_statements;
};

std::vector<DataCheck> TpcbInstance::checks() const
{
    const auto sums = [](const char* who, const char* table, const char* key, const char* balance) {
        return DataCheck{
            fmt::format("the balance of each {} is the sum of its history", who),
            fmt::format(
                "SELECT COUNT(*) FROM {} LEFT JOIN (SELECT {} AS h_key, SUM(delta) AS h_sum FROM pgbench_history GROUP "
                "BY {}) h ON h_key = {} WHERE {} <> COALESCE(h_sum, 0)",
                table, key, key, key, balance)};
    };
    std::vector<DataCheck> all{sums("account", "pgbench_accounts", "aid", "abalance")};
    if (m_params.script != Script::TpcbLike) // select-only finds what simple-update has left, too
        return all;
    all.push_back(sums("teller", "pgbench_tellers", "tid", "tbalance"));
    all.push_back(sums("branch", "pgbench_branches", "bid", "bbalance"));
    return all;
}

Task<Outcome> TpcbInstance::transaction(UserContext& user) const
{
    Random& random = user.random();
    const Param aid = Param::of(random.uniform(1, m_params.accounts())),
                bid = Param::of(random.uniform(1, m_params.scale)),
                tid = Param::of(random.uniform(1, m_params.tellers())),
                delta = Param::of(random.uniform(-kMostDelta, kMostDelta));
    const bool writes = m_params.script != Script::SelectOnly;
    std::uint32_t next = 0;
    const std::array<Param, 2> toAccount{delta, aid}, toTeller{delta, tid}, toBranch{delta, bid};
    const std::array<Param, 1> account{aid};
    const std::array<Param, 4> entry{tid, bid, aid, delta};
    if (writes) {
        const Request begin = Request::step(RequestKind::Begin),
                      update = Request::execute(StatementId(next++), toAccount);
        Reply reply = co_await user.post(OpId(Op::Begin), begin);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        reply = co_await user.post(OpId(Op::UpdateAccount), update);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    const Request select = Request::execute(StatementId(next++), account);
    Reply reply = co_await user.execute(OpId(Op::SelectBalance), select);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    if (reply.rows == 0)
        co_return user.reject(kNotFound, kNotFoundText);
    if (!writes)
        co_return Outcome::Ok;
    if (m_params.script == Script::TpcbLike) {
        const Request teller = Request::execute(StatementId(next++), toTeller),
                      branch = Request::execute(StatementId(next++), toBranch);
        reply = co_await user.post(OpId(Op::UpdateTeller), teller);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        reply = co_await user.post(OpId(Op::UpdateBranch), branch);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    const Request insert = Request::execute(StatementId(next++), entry), commit = Request::step(RequestKind::Commit);
    reply = co_await user.post(OpId(Op::InsertHistory), insert);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    reply = co_await user.execute(OpId(Op::Commit), commit);
    co_return reply.outcome;
}

Task<Outcome> TpcbInstance::load(UserContext& user, LoadSlice slice) const
{
    const auto table = Table(slice.table - 1);
    const std::int64_t ofBranch = table == kAccounts ? m_params.accountsPerBranch : 10;
    const std::size_t one = m_statements.size() + 2 * std::size_t(table - kAccounts);
    const RowInserts inserts{StatementId(one), StatementId(one + 1), kRowsPerStatement};
    const auto bind = [&user, table, ofBranch](std::int64_t row, std::int64_t count) {
        for (std::int64_t number = row; number < row + count; ++number) {
            user.params().push_back(Param::of(number));
            if (table != kBranches)
                user.params().push_back(Param::of((number - 1) / ofBranch + 1));
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

class TpcbWorkload final : public Workload
{
public:
    TpcbWorkload()
    {
        m_info.id = "tpcb";
        m_info.name = "TPC-B-like";
        m_info.purpose = WorkloadPurpose::Application;
        m_info.summary = "A bank: three updates and an insert a transaction, as pgbench does them";
        m_info.description =
            "A bank: an account, its teller and its branch get the same amount in one transaction, and history an "
            "entry. "
            "With fewer branches than users it measures the wait for the branches' rows, else the commit. Its "
            "results are no TPC-B results.";
        m_info.source = "pgbench of PostgreSQL 15: tpcb-like, simple-update, select-only";
        m_info.options = {
            ofData(integerOption("scale", "Branches",
                                 "The size of the bank: each branch has 10 tellers and 100 000 accounts, about 15 MB "
                                 "in InnoDB and 1.2 MB in "
                                 "SQLite.",
                                 1, "branches", 1, 1'000'000, "")),
            choiceOption("script", "Script",
                         "tpcb-like: the whole transaction. simple-update: without tellers and branches, for whose few "
                         "rows users wait. "
                         "select-only: the reading of one balance alone.",
                         "tpcb-like", {"tpcb-like", "simple-update", "select-only"}, ""),
            ofData(integerOption("accounts_per_branch", "Accounts of a branch",
                                 "pgbench has 100 000; fewer make another workload, for trying things out.", 100'000,
                                 "accounts", 1, 100'000, "advanced")),
        };
        m_info.operations = {{"begin", OpClass::Other},         {"update_account", OpClass::Write},
                             {"select_balance", OpClass::Read}, {"update_teller", OpClass::Write},
                             {"update_branch", OpClass::Write}, {"insert_history", OpClass::Write},
                             {"commit", OpClass::Other}};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        Params params;
        params.scale = integerOf(settings, "scale", params.scale);
        params.accountsPerBranch = integerOf(settings, "accounts_per_branch", params.accountsPerBranch);
        const std::string script = textOf(settings, "script");
        params.script = script == "simple-update" ? Script::SimpleUpdate
                        : script == "select-only" ? Script::SelectOnly
                                                  : Script::TpcbLike;
        if (integerOf(tableKnobs, "partitions") > 0)
            return fail({ErrorKind::BadInput, "the tables of this workload have no column in common to partition by",
                         "table.partitions", "set it to 0"});
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const TpcbInstance>(params, driver, std::move(*suffix));
    }

private:
    WorkloadInfo m_info;
};

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const TpcbWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::tpcb
