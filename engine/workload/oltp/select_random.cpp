// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! select_random_points and select_random_ranges: one SELECT with many values of k a transaction, each user in its own
//! segment of the table.
#include "workload/oltp/oltp.h"

#include "workload/oltp/documents.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno::oltp {

namespace {

//! Bounds of a user's segment.
struct Segment
{
    std::int64_t low, high;
};

//! sysbench 1.0.20: [⌊r·t⌋, ⌊r·t + r⌋] with r = table_size / users as a fraction: begins at 0, where there is no row,
//! and neighbours share their border. Corrected: 1…table_size is cut into `users` parts without gap or overlap; with
//! more users than rows some share a row.
Segment segmentOf(const Params& params, std::int64_t user, std::int64_t users)
{
    const std::int64_t size = params.tableSize;
    if (params.profile == Profile::Sysbench1020) {
        const double length = double(size) / double(users);
        const double first = length * double(user % users);
        return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + length)};
    }
    const std::int64_t low = std::min(size, 1 + size * user / users);
    return {low, std::max(low, size * (user + 1) / users)};
}

class SelectRandomInstance final : public OltpInstance
{
public:
    SelectRandomInstance(Binding binding, Op op, int values, std::int64_t width)
        : OltpInstance(std::move(binding), {})
        , m_op(op)
        , m_values(values)
        , m_width(width)
    {
        if (documents()) {
            m_select = addStatements(1, [op, values](std::size_t /*place*/) {
                return op == Op::RandomPoints ? documentPoints(values) : documentRanges(values);
            });
            return;
        }
        std::string list;
        for (int i = 0; i < values; ++i) {
            if (op == Op::RandomPoints)
                list += i == 0 ? "?" : ", ?";
            else
                list += i == 0 ? "k BETWEEN ? AND ?" : " OR k BETWEEN ? AND ?";
        }
        StatementSpec spec;
        spec.text = op == Op::RandomPoints ? fmt::format("SELECT id, k, c, pad FROM sbtest1 WHERE k IN ({})", list)
                                           : fmt::format("SELECT COUNT(k) FROM sbtest1 WHERE {}", list);
        spec.parameters.assign(std::size_t(values) * (op == Op::RandomPoints ? 1 : 2), Param::Type::Integer);
        spec.returnsRows = true;
        m_select = addStatements(1, [spec = std::move(spec)](std::size_t /*place*/) { return spec; });
    }

    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override
    {
        bind(user);
        const Request request = Request::execute(m_select, user.params());
        const Reply reply = co_await user.execute(id(m_op), request);
        co_return reply.outcome;
    }

private:
    void bind(UserContext& user) const
    {
        const Segment segment = segmentOf(params(), std::int64_t(indexOf(user.user())), user.users());
        const Distribution distribution(params().distribution, segment.low, segment.high);
        std::vector<Param>& bound = user.params();
        bound.clear();
        for (int i = 0; i < m_values; ++i) {
            const std::int64_t value = distribution.draw(user.random());
            bound.push_back(Param::of(value));
            if (m_op == Op::RandomRanges)
                bound.push_back(Param::of(value + m_width));
        }
    }

    Op m_op;
    int m_values;
    std::int64_t m_width; //!< upper end minus lower end of a range
    StatementId m_select{};
};

} // namespace

Expected<InstancePtr> makeRandomPoints(std::string_view /*workload*/, Binding binding)
{
    const int values = binding.params.randomPoints;
    return std::make_shared<const SelectRandomInstance>(std::move(binding), Op::RandomPoints, values, 0);
}

Expected<InstancePtr> makeRandomRanges(std::string_view /*workload*/, Binding binding)
{
    const int values = binding.params.numberOfRanges;
    const std::int64_t width = binding.params.delta;
    return std::make_shared<const SelectRandomInstance>(std::move(binding), Op::RandomRanges, values, width);
}

} // namespace dyno::oltp
