// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The workloads made of sysbench's nine prepared statements: oltp_read_only, oltp_read_write, oltp_write_only,
//! oltp_point_select, oltp_update_index, oltp_update_non_index, oltp_delete; and oltp_reads_outside, which is
//! oltp_read_write with reads_outside, oltp_point_query and oltp_increment.
#include "workload/oltp/oltp.h"

#include "workload/oltp/digits.h"

#include <fmt/format.h>

#include <span>

namespace dyno::oltp {

namespace {

//! A statement group: `count` times the same statement on one table, which is drawn once for the group.
struct Group
{
    Op op = Op::PointSelect;
    int count = 0;
    bool thenInsert = false; //!< each one is followed by an INSERT of the same id
};

//! What a transaction binds to its statements; lives in the coroutine's frame.
struct Scratch
{
    std::array<Param, 4> params;
    std::array<char, kCLength> c;
    std::array<char, kPadLength> pad;
};

class MixedInstance final : public OltpInstance
{
public:
    //! `beginAt`: the group before which BEGIN stands; a number that no group has leaves BEGIN and COMMIT out.
    MixedInstance(Binding binding, std::vector<Group> groups, std::size_t beginAt, bool fresh)
        : OltpInstance(std::move(binding), kindsOf(groups))
        , m_groups(std::move(groups))
        , m_beginAt(beginAt)
        , m_fresh(fresh)
    {
    }

    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;

protected:
    [[nodiscard]] bool freshEachRun() const override { return m_fresh; }

private:
    static std::vector<Op> kindsOf(const std::vector<Group>& groups)
    {
        std::vector<Op> kinds;
        for (const Group& group : groups) {
            kinds.push_back(group.op);
            if (group.thenInsert)
                kinds.push_back(Op::Insert);
        }
        return kinds;
    }
    //! Binds the statement's parameters for row `id`.
    [[nodiscard]] std::span<const Param> bind(Op op, std::int64_t id, Random& random, Scratch& scratch) const;

    std::vector<Group> m_groups; //!< in order, none of them empty
    std::size_t m_beginAt;
    bool m_fresh;
};

std::span<const Param> MixedInstance::bind(Op op, std::int64_t id, Random& random, Scratch& scratch) const
{
    auto& params = scratch.params;
    switch (op) {
    case Op::SimpleRange:
    case Op::SumRange:
    case Op::OrderRange:
    case Op::DistinctRange:
        params[0] = Param::of(id);
        params[1] = Param::of(id + this->params().rangeSize - 1);
        return {params.data(), 2};
    case Op::NonIndexUpdate:
        writeDigitGroups(scratch.c.data(), kCGroups, random);
        params[0] = Param::of(std::string_view(scratch.c.data(), scratch.c.size()));
        params[1] = Param::of(id);
        return {params.data(), 2};
    case Op::Insert:
        params[0] = Param::of(id);
        params[1] = Param::of(ids().draw(random));
        writeDigitGroups(scratch.c.data(), kCGroups, random);
        writeDigitGroups(scratch.pad.data(), kPadGroups, random);
        params[2] = Param::of(std::string_view(scratch.c.data(), scratch.c.size()));
        params[3] = Param::of(std::string_view(scratch.pad.data(), scratch.pad.size()));
        return {params.data(), 4};
    default:
        params[0] = Param::of(id);
        return {params.data(), 1};
    }
}

Task<Outcome> MixedInstance::transaction(UserContext& user) const
{
    Random& random = user.random();
    Scratch scratch;
    for (std::size_t number = 0; number < m_groups.size(); ++number) {
        const Group& group = m_groups[number];
        if (number == m_beginAt) {
            const Request begin = Request::step(RequestKind::Begin);
            const Reply begun = co_await user.post(id(Op::Begin), begin);
            if (begun.outcome != Outcome::Ok)
                co_return begun.outcome;
        }
        const int table = params().ownTable ? int(indexOf(user.user())) % params().tables + 1 : drawTable(random);
        for (int i = 0; i < group.count; ++i) {
            const std::int64_t row = ids().draw(random);
            const Request request = Request::execute(statement(group.op, table), bind(group.op, row, random, scratch));
            const Reply reply = co_await user.post(id(group.op), request);
            if (reply.outcome != Outcome::Ok)
                co_return reply.outcome;
            if (!group.thenInsert)
                continue;
            const Request insert =
                Request::execute(statement(Op::Insert, table), bind(Op::Insert, row, random, scratch));
            const Reply inserted = co_await user.post(id(Op::Insert), insert);
            if (inserted.outcome != Outcome::Ok)
                co_return inserted.outcome;
        }
    }
    if (m_beginAt < m_groups.size()) {
        const Request commit = Request::step(RequestKind::Commit);
        const Reply committed = co_await user.post(id(Op::Commit), commit);
        if (committed.outcome != Outcome::Ok)
            co_return committed.outcome;
    }
    co_return Outcome::Ok;
}

//! The statement groups of a workload, in sysbench's order.
std::vector<Group> groupsOf(std::string_view workload, const Params& params)
{
    if (workload == "oltp_point_select")
        return {{Op::PointSelect, 1}};
    if (workload == "oltp_update_index")
        return {{Op::IndexUpdate, params.indexUpdates}};
    if (workload == "oltp_update_non_index")
        return {{Op::NonIndexUpdate, params.nonIndexUpdates}};
    if (workload == "oltp_delete")
        return {{Op::Delete, 1}};
    if (workload == "oltp_point_query")
        return {{Op::PointQuery, 1}};
    if (workload == "oltp_increment")
        return {{Op::Increment, 1}};
    std::vector<Group> groups;
    if (workload != "oltp_write_only") {
        groups.push_back({Op::PointSelect, params.pointSelects});
        if (params.rangeSelects) {
            groups.push_back({Op::SimpleRange, params.simpleRanges});
            groups.push_back({Op::SumRange, params.sumRanges});
            groups.push_back({Op::OrderRange, params.orderRanges});
            groups.push_back({Op::DistinctRange, params.distinctRanges});
        }
    }
    if (workload != "oltp_read_only") {
        groups.push_back({Op::IndexUpdate, params.indexUpdates});
        groups.push_back({Op::NonIndexUpdate, params.nonIndexUpdates});
        groups.push_back({Op::Delete, params.deleteInserts, true});
    }
    return groups;
}

} // namespace

Expected<InstancePtr> makeMixed(std::string_view workload, Binding binding)
{
    std::vector<Group> groups = groupsOf(workload, binding.params);
    std::erase_if(groups, [](const Group& group) { return group.count == 0; });
    if (groups.empty())
        return fail({ErrorKind::BadInput, fmt::format("a transaction of {} would hold no statement", workload),
                     "workload", "give at least one kind of statement a count above 0"});
    const bool preset = workload == "oltp_reads_outside";
    if (preset)
        binding.params.skipTrx = false; // accepted, but without effect
    const Params& params = binding.params;
    if (workload == "oltp_increment" && params.createSecondary)
        return fail({ErrorKind::BadInput, "the column k would have an index", "workload.create_secondary",
                     "leave it out, or use oltp_update_index"});
    const bool readsOutside = preset || (workload == "oltp_read_write" && params.readsOutside);
    if (readsOutside && params.skipTrx)
        return fail({ErrorKind::BadInput, "there is no transaction that reads could stand before",
                     "workload.reads_outside", "use reads_outside or skip_trx, not both"});
    const bool several =
        preset || workload == "oltp_read_only" || workload == "oltp_read_write" || workload == "oltp_write_only";
    const bool fresh = workload == "oltp_delete" && binding.params.profile == Profile::Dynobench;
    std::size_t beginAt = several && !params.skipTrx ? 0 : groups.size();
    while (readsOutside && beginAt < groups.size() && infoOf(groups[beginAt].op).opClass == OpClass::Read)
        ++beginAt;
    return std::make_shared<const MixedInstance>(std::move(binding), std::move(groups), beginAt, fresh);
}

} // namespace dyno::oltp
