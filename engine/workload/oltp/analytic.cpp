// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! oltp_analytic: queries that read many rows of the OLTP tables: an aggregate, a grouping, a join and an order with a
//! limit. One query a transaction, over a range of ids or a whole table.
#include "workload/oltp/oltp.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno::oltp {

namespace {

constexpr std::array<Op, 4> kQueries{Op::Aggregate, Op::Group, Op::Join, Op::Order};

std::string textOf(Op query, const std::string& table, const std::string& other, std::int64_t limit)
{
    switch (query) {
    case Op::Aggregate:
        return fmt::format("SELECT COUNT(*), SUM(k), MIN(k), MAX(k), AVG(LENGTH(c)) FROM {} WHERE id BETWEEN ? AND ?",
                           table);
    case Op::Group:
        return fmt::format(
            "SELECT SUBSTR(c, 1, 2) AS start, COUNT(*), SUM(k) FROM {} WHERE id BETWEEN ? AND ? GROUP BY start", table);
    case Op::Join:
        return fmt::format("SELECT COUNT(*), SUM(b.k) FROM {} a JOIN {} b ON b.id = a.k WHERE a.id BETWEEN ? AND ?",
                           table, other);
    default:
        return fmt::format("SELECT id, k, c FROM {} WHERE id BETWEEN ? AND ? ORDER BY pad DESC LIMIT {}", table, limit);
    }
}

class AnalyticInstance final : public OltpInstance
{
public:
    AnalyticInstance(Binding binding, std::vector<Op> queries)
        : OltpInstance(std::move(binding), {})
        , m_queries(std::move(queries))
    {
        const Params& given = params();
        m_rows = given.analyticRows == 0 ? given.tableSize : std::min(given.analyticRows, given.tableSize);
        const std::size_t kinds = m_queries.size();
        (void)addStatements(std::size_t(given.tables) * kinds, [this, kinds](std::size_t place) {
            const int table = int(place / kinds) + 1;
            StatementSpec spec;
            spec.text = textOf(m_queries[place % kinds], tableName(table), tableName(table % params().tables + 1),
                               params().orderLimit);
            spec.parameters = {Param::Type::Integer, Param::Type::Integer};
            spec.returnsRows = true;
            return spec;
        });
    }

    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override
    {
        Random& random = user.random();
        const auto table = std::size_t(drawTable(random) - 1);
        const auto kind = std::size_t(random.uniform(0, std::int64_t(m_queries.size()) - 1));
        const std::int64_t low = random.uniform(1, params().tableSize - m_rows + 1);
        const std::array<Param, 2> range{Param::of(low), Param::of(low + m_rows - 1)};
        const Request request = Request::execute(StatementId(table * m_queries.size() + kind), range);
        const Reply reply = co_await user.execute(id(m_queries[kind]), request);
        co_return reply.outcome;
    }

private:
    std::vector<Op> m_queries;
    std::int64_t m_rows = 1; //!< that a query reads
};

} // namespace

Expected<InstancePtr> makeAnalytic(std::string_view /*workload*/, Binding binding)
{
    std::vector<Op> queries;
    for (const Op query : kQueries) {
        if (binding.params.query == "all" || binding.params.query == infoOf(query).name)
            queries.push_back(query);
    }
    return std::make_shared<const AnalyticInstance>(std::move(binding), std::move(queries));
}

} // namespace dyno::oltp
