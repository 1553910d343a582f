// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! oltp_ddl: changes of a schema as timed steps. They act on a copy of the loaded table, which the first step makes and
//! the last one drops, so that a run that ends in the middle leaves the loaded table as it was; it drops the copy too,
//! if it still can.
#include "base/text.h"
#include "workload/oltp/oltp.h"

#include <fmt/format.h>

namespace dyno::oltp {

namespace {

constexpr std::array kSteps{Op::Copy,    Op::Scan,       Op::AddIndex,  Op::AddColumn, Op::Analyze,
                            Op::Rebuild, Op::DropColumn, Op::DropIndex, Op::DropTable};

constexpr std::int32_t kNotDone = -500;

//! The loaded table; nothing runs on it.
class LoadedTable final : public OltpInstance
{
public:
    explicit LoadedTable(Binding binding)
        : OltpInstance(std::move(binding), {})
    {
    }
    [[nodiscard]] Task<Outcome> transaction(UserContext& /*user*/) const override { co_return Outcome::Ok; }
};

std::vector<StepSpec> stepsOf(const Binding& binding)
{
    std::vector<StepSpec> steps;
    for (int round = 0; round < binding.params.rounds; ++round) {
        for (const Op op : kSteps)
            steps.push_back({binding.ops[std::size_t(op)], 1});
    }
    return steps;
}

class DdlInstance final : public StepsInstance
{
public:
    explicit DdlInstance(Binding binding)
        : StepsInstance(stepsOf(binding))
        , m_original(tableName(1))
        , m_copy("dynobench_copy") // names that begin so are ours
        , m_sql(binding.sql)
        , m_algorithm(m_sql.alterAlgorithms && !binding.params.algorithm.empty()
                          ? ", ALGORITHM=" + binding.params.algorithm
                          : "")
        , m_loaded(std::move(binding))
    {
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override { return m_loaded.tables(); }
    [[nodiscard]] std::vector<std::string> scratchTables() const override { return {m_copy}; }
    [[nodiscard]] StatementSet statements() const override
    {
        StatementSet all = m_loaded.statements();
        if (m_sql.analyzeReports) // what went wrong is a row of its answer
            all.push_back({.text = textOf(Op::Analyze),
                           .parameters = {},
                           .returnsRows = true,
                           .preparable = false,
                           .keep = Keep::All});
        return all;
    }
    [[nodiscard]] StatementSet loaderStatements() const override { return m_loaded.loaderStatements(); }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override
    {
        return m_loaded.load(user, slice);
    }
    [[nodiscard]] std::vector<DataCheck> checks() const override { return m_loaded.checks(); }
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return m_loaded.estimatedBytes(); }
    //! The copy, and what there is beside it while it is rebuilt.
    [[nodiscard]] std::uint64_t scratchBytes() const override
    {
        const std::uint64_t loaded = m_loaded.estimatedBytes(), times = m_sql.rebuildSpace;
        return loaded <= UINT64_MAX / times ? loaded * times : UINT64_MAX;
    }
    //! Drops the copy: there is none when the list was done to its end.
    [[nodiscard]] Task<Outcome> finish(UserContext& user) const override
    {
        return run(user, "DROP TABLE IF EXISTS " + m_copy, false);
    }

protected:
    [[nodiscard]] Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const override;

private:
    [[nodiscard]] std::string textOf(Op op) const;
    [[nodiscard]] Task<Outcome> run(UserContext& user, std::string text, bool counts) const;
    [[nodiscard]] Task<Outcome> analyze(UserContext& user) const;
    //! A phrase of the dialect, of the copy and its index.
    [[nodiscard]] std::string phrase(const std::string& text) const
    {
        return fmt::format(fmt::runtime(text), fmt::arg("table", m_copy), fmt::arg("index", "added"),
                           fmt::arg("columns", "k"));
    }

    std::string m_original, m_copy;
    SqlDialect m_sql;
    std::string m_algorithm; //!< ", ALGORITHM=…" or nothing
    LoadedTable m_loaded;
};

std::string DdlInstance::textOf(Op op) const
{
    switch (op) {
    case Op::Copy:
        return fmt::format("INSERT INTO {} SELECT id, k, c, pad FROM {}", m_copy, m_original);
    case Op::Scan:
        return fmt::format("SELECT COUNT(*), SUM(LENGTH(c)) FROM {}", m_copy);
    case Op::AddIndex:
        return phrase(m_sql.addIndex) + m_algorithm;
    case Op::AddColumn:
        return phrase("ALTER TABLE {table} ADD COLUMN extra INTEGER NOT NULL DEFAULT 7") + m_algorithm;
    case Op::Analyze:
        return phrase(m_sql.analyze);
    case Op::Rebuild:
        return phrase(m_sql.rebuild) + m_algorithm;
    case Op::DropColumn:
        return phrase("ALTER TABLE {table} DROP COLUMN extra") + m_algorithm;
    case Op::DropIndex:
        return phrase(m_sql.dropIndex) + m_algorithm;
    default:
        return "DROP TABLE " + m_copy;
    }
}

Task<Outcome> DdlInstance::run(UserContext& user, std::string text, bool counts) const
{
    const Request request = Request::sql(text);
    const Reply reply = co_await user.step(request);
    if (reply.outcome == Outcome::Ok && counts)
        user.countRows(reply.affected);
    co_return reply.outcome;
}

Task<Outcome> DdlInstance::analyze(UserContext& user) const
{
    const Request request = Request::execute(StatementId(m_loaded.statementCount()), {});
    const Reply reply = co_await user.step(request);
    for (std::size_t row = 0; reply.outcome == Outcome::Ok && row < user.kept().rows(); ++row) {
        constexpr std::size_t kType = 2, kText = 3; // Table, Op, Msg_type, Msg_text
        const std::string_view type = user.kept().at(row, kType).text, text = user.kept().at(row, kText).text;
        if (lowered(type) != "error" && !(type == "status" && text == "Operation failed"))
            continue; // other states, and notes
        user.buffer() = text;
        co_return user.reject(kNotDone, user.buffer().c_str());
    }
    co_return reply.outcome;
}

Task<Outcome> DdlInstance::runStep(UserContext& user, std::size_t step, int /*round*/) const
{
    const Op op = kSteps[step % kSteps.size()];
    if (op == Op::Copy) {
        // What a run that was killed has left; else this takes next to no time.
        const Outcome dropped = co_await finish(user);
        if (dropped != Outcome::Ok)
            co_return dropped;
        std::string create = m_loaded.tables().front().create;
        create.replace(create.find(m_original), m_original.size(), m_copy);
        const Outcome made = co_await run(user, std::move(create), false);
        if (made != Outcome::Ok)
            co_return made;
    }
    if (op == Op::Analyze && m_sql.analyzeReports) {
        const Outcome analyzed = co_await analyze(user);
        co_return analyzed;
    }
    const Outcome done = co_await run(user, textOf(op), op == Op::Copy);
    co_return done;
}

} // namespace

Expected<InstancePtr> makeDdl(std::string_view /*workload*/, Binding binding)
{
    return std::make_shared<const DdlInstance>(std::move(binding));
}

} // namespace dyno::oltp
