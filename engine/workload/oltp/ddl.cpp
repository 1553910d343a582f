// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! oltp_ddl: changes of a schema as timed steps. They act on a copy of the loaded table, which the first step makes and the last
//! one drops, so that a run that ends in the middle leaves the loaded table as it was.
#include "workload/oltp/oltp.h"

#include <fmt/format.h>

namespace dyno::oltp {

namespace {

constexpr std::array kSteps {Op::Copy,    Op::Scan,       Op::AddIndex,  Op::AddColumn, Op::Analyze,
                             Op::Rebuild, Op::DropColumn, Op::DropIndex, Op::DropTable};

//! The loaded table; nothing runs on it.
class LoadedTable final : public OltpInstance
{
public:
    explicit LoadedTable(Binding binding)
        : OltpInstance(std::move(binding), {})
    {}
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
        , m_server(binding.sql.namedOptions)
        , m_algorithm(m_server && !binding.params.algorithm.empty() ? ", ALGORITHM=" + binding.params.algorithm : "")
        , m_loaded(std::move(binding))
    {}

    [[nodiscard]] std::vector<TableSpec> tables() const override { return m_loaded.tables(); }
    [[nodiscard]] StatementSet statements() const override { return m_loaded.statements(); }
    [[nodiscard]] StatementSet loaderStatements() const override { return m_loaded.loaderStatements(); }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override { return m_loaded.load(user, slice); }
    [[nodiscard]] std::vector<DataCheck> checks() const override { return m_loaded.checks(); }
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return m_loaded.estimatedBytes(); }
    //! Nothing when the list was done to its end.
    [[nodiscard]] Task<Outcome> finish(UserContext& user) const override { return run(user, "DROP TABLE IF EXISTS " + m_copy, false); }

protected:
    [[nodiscard]] Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const override;

private:
    [[nodiscard]] std::string textOf(Op op) const;
    [[nodiscard]] Task<Outcome> run(UserContext& user, std::string text, bool counts) const;
    //! ALTER TABLE of servers, with its algorithm.
    [[nodiscard]] std::string alter(std::string_view what) const { return fmt::format("ALTER TABLE {} {}{}", m_copy, what, m_algorithm); }

    std::string m_original, m_copy;
    bool m_server;           //!< of the MySQL family
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
        return m_server ? alter("ADD INDEX added (k)") : fmt::format("CREATE INDEX added ON {} (k)", m_copy);
    case Op::AddColumn:
        return alter("ADD COLUMN extra INTEGER NOT NULL DEFAULT 7");
    case Op::Analyze:
        return fmt::format("ANALYZE {}{}", m_server ? "TABLE " : "", m_copy);
    case Op::Rebuild: // of SQLite: of the whole file
        return m_server ? alter("FORCE") : "VACUUM";
    case Op::DropColumn:
        return alter("DROP COLUMN extra");
    case Op::DropIndex:
        return m_server ? alter("DROP INDEX added") : "DROP INDEX added";
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
    const Outcome done = co_await run(user, textOf(op), op == Op::Copy);
    co_return done;
}

} // namespace

Expected<InstancePtr> makeDdl(std::string_view /*workload*/, Binding binding)
{
    return std::make_shared<const DdlInstance>(std::move(binding));
}

} // namespace dyno::oltp
