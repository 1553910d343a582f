// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The list of the family's workloads. To add one: a line in workloads(), and a maker of its instance.
#include "workload/oltp/oltp.h"

#include "workload/model.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

namespace dyno::oltp {

namespace {

using Maker = Expected<InstancePtr> (*)(std::string_view workload, Binding binding);
using Names = std::vector<std::string_view>; //!< options that act beside those common to all

class OltpWorkload final : public Workload
{
public:
    OltpWorkload(std::string_view id, std::string_view name, WorkloadPurpose purpose, std::string_view summary,
                 std::string_view description, std::vector<Op> ops, OptionSpecs options, Maker maker,
                 std::string_view source = {}, bool documents = true, bool steps = false, bool appends = false)
        : m_ops(idsOf(ops))
        , m_maker(maker)
    {
        m_info.id = id;
        m_info.name = name;
        m_info.purpose = purpose;
        m_info.summary = summary;
        m_info.description = description;
        m_info.source = source.empty() ? fmt::format("sysbench 1.0.20, {}.lua", id) : std::string(source);
        m_info.dataName = "sbtest";
        m_info.options = std::move(options);
        for (const Op op : ops)
            m_info.operations.push_back(infoOf(op));
        m_info.models = {DataModel::Sql};
        if (documents)
            m_info.models.push_back(DataModel::Document);
        m_info.steps = steps;
        m_info.appends = appends;
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& params, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        auto parsed = parse(params);
        if (!parsed)
            return tl::unexpected(parsed.error());
        if (driver.appendsOnly) // what the tables cannot have is not theirs
            parsed->createSecondary = parsed->secondary = parsed->autoInc = false;
        Binding binding{std::move(*parsed), driver.sql, *driver.sizes, {}, modelFor(m_info, driver), m_ops};
        auto suffix = binding.model == DataModel::Document
                          ? dyno::tableSuffix(driver.sql, binding.model, tableKnobs, {})
                          : tableSuffix(binding.params, binding.sql, tableKnobs);
        if (!suffix)
            return tl::unexpected(suffix.error());
        binding.suffix = std::move(*suffix);
        return m_maker(m_info.id, std::move(binding));
    }

private:
    WorkloadInfo m_info;
    OpIds m_ops;
    Maker m_maker;
};

Names readOptions()
{
    return {"table_of_user", "point_selects",   "range_selects", "simple_ranges", "sum_ranges",
            "order_ranges",  "distinct_ranges", "range_size",    "skip_trx"};
}

Names writeOptions()
{
    return {"table_of_user", "index_updates", "non_index_updates", "delete_inserts", "skip_trx"};
}

Names readWriteOptions()
{
    Names names = readOptions();
    const Names writes = writeOptions();
    names.insert(names.end(), writes.begin(), writes.end());
    names.push_back("reads_outside");
    return names;
}

//! The same options with another default of a flag.
OptionSpecs with(OptionSpecs specs, std::string_view name, bool value)
{
    for (OptionSpec& option : specs) {
        if (option.name == name)
            option.defaultValue = value;
    }
    return specs;
}

const OltpWorkload& readOnly()
{
    static const OltpWorkload workload(
        "oltp_read_only", "OLTP read only", WorkloadPurpose::Reads,
        "Fourteen reads a transaction: how reads are cached and scale",
        "Transactions of ten point SELECTs and four kinds of range SELECTs (plain, SUM, ORDER BY, DISTINCT). Shows "
        "how well reads are cached and how they scale.",
        {Op::Begin, Op::PointSelect, Op::SimpleRange, Op::SumRange, Op::OrderRange, Op::DistinctRange, Op::Commit},
        options(readOptions()), makeMixed);
    return workload;
}

const OltpWorkload& readWrite()
{
    static const OltpWorkload workload(
        "oltp_read_write", "OLTP read/write", WorkloadPurpose::Mixed,
        "Fourteen reads and four writes a transaction: the usual mix to compare servers",
        "Transactions of fourteen reads as in oltp_read_only and four writes: an update of an indexed column, one of "
        "a column without index, a delete and an insert of the same row. The customary mix for comparing servers.",
        {Op::Begin, Op::PointSelect, Op::SimpleRange, Op::SumRange, Op::OrderRange, Op::DistinctRange, Op::IndexUpdate,
         Op::NonIndexUpdate, Op::Delete, Op::Insert, Op::Commit},
        options(readWriteOptions()), makeMixed);
    return workload;
}

const OltpWorkload& readsOutside()
{
    Names names = readWriteOptions();
    std::erase_if(names, [](std::string_view name) { return name == "skip_trx" || name == "reads_outside"; });
    static const OltpWorkload workload("oltp_reads_outside", "OLTP read/write, reads outside", WorkloadPurpose::Mixed,
                                       "The same mix with its reads before BEGIN, for proxies with a cache or replicas",
                                       "The fourteen reads of oltp_read_write, each a transaction of its own, and then "
                                       "its four writes between BEGIN and COMMIT. The form "
                                       "for a proxy that answers reads from a cache or sends them to a replica.",
                                       {Op::Begin, Op::PointSelect, Op::SimpleRange, Op::SumRange, Op::OrderRange,
                                        Op::DistinctRange, Op::IndexUpdate, Op::NonIndexUpdate, Op::Delete, Op::Insert,
                                        Op::Commit},
                                       with(options(names), "reads_outside", true), makeMixed,
                                       "oltp_read_write of sysbench 1.0.20, with its SELECTs before BEGIN", false);
    return workload;
}

const OltpWorkload& writeOnly()
{
    static const OltpWorkload workload(
        "oltp_write_only", "OLTP write only", WorkloadPurpose::Writes,
        "Four writes a transaction: what the log, locks and page flushing allow",
        "The four writes of oltp_read_write in a transaction, without the reads. Shows what the log, locks and page "
        "flushing allow.",
        {Op::Begin, Op::IndexUpdate, Op::NonIndexUpdate, Op::Delete, Op::Insert, Op::Commit}, options(writeOptions()),
        makeMixed);
    return workload;
}

const OltpWorkload& pointSelect()
{
    static const OltpWorkload workload("oltp_point_select", "OLTP point select", WorkloadPurpose::Reads,
                                       "One column of one row by its id: the cost of a statement's way",
                                       "One SELECT of the column c of one row by its id. Shows the cost of a "
                                       "statement's way through client, network and server.",
                                       {Op::PointSelect}, options(Names{"table_of_user"}), makeMixed, {}, true, false,
                                       true);
    return workload;
}

const OltpWorkload& updateIndex()
{
    static const OltpWorkload workload(
        "oltp_update_index", "OLTP update, indexed column", WorkloadPurpose::Writes,
        "One update of an indexed column: durable commits and a secondary index",
        "One UPDATE of the indexed column k by id, each a transaction of its own. Shows what a durable commit and the "
        "upkeep of a secondary index cost. sysbench 0.4 calls it update_key.",
        {Op::IndexUpdate}, options(Names{"table_of_user", "index_updates"}), makeMixed);
    return workload;
}

const OltpWorkload& updateNonIndex()
{
    static const OltpWorkload workload(
        "oltp_update_non_index", "OLTP update, column without index", WorkloadPurpose::Writes,
        "One update of a column without index: what a durable commit costs",
        "One UPDATE of the 119 characters of column c by id, each a transaction of its own. Shows what a durable "
        "commit costs. sysbench 0.4 calls it update_nokey.",
        {Op::NonIndexUpdate}, options(Names{"table_of_user", "non_index_updates"}), makeMixed);
    return workload;
}

const char* const kOwn = "sysbench's tables; the statement is that of engine comparisons made with its forks";

const OltpWorkload& pointQuery()
{
    static const OltpWorkload workload(
        "oltp_point_query", "OLTP point query", WorkloadPurpose::Reads,
        "All columns of one row by its id: the cost of the way to a whole row",
        "One SELECT of all columns of one row by its id. Shows what the way to one whole row costs.", {Op::PointQuery},
        options(Names{"table_of_user"}), makeMixed, kOwn, true, false, true);
    return workload;
}

const OltpWorkload& increment()
{
    static const OltpWorkload workload(
        "oltp_increment", "OLTP increment", WorkloadPurpose::Writes,
        "Adds 1 to a column without index: the smallest durable commit",
        "One UPDATE that adds 1 to the column k by id, each a transaction of its own, "
        "in tables without an index on k. Shows what a "
        "durable commit of a small change costs when no secondary index is in the way.",
        {Op::Increment}, with(options(Names{"table_of_user"}), "create_secondary", false), makeMixed, kOwn);
    return workload;
}

const OltpWorkload& insert()
{
    static const OltpWorkload workload("oltp_insert", "OLTP insert", WorkloadPurpose::Writes,
                                       "One row an INSERT: how fast a table grows row by row",
                                       "One INSERT of one row, sent as text. Shows how fast a table grows row by row.",
                                       {Op::Insert}, options(Names{}), makeInsert);
    return workload;
}

const OltpWorkload& remove()
{
    static const OltpWorkload workload(
        "oltp_delete", "OLTP delete", WorkloadPurpose::Writes, "One row a DELETE: the table drains, so keep runs short",
        "One DELETE of one row by id. Rows do not come back: the table drains, and later deletes find nothing, so "
        "keep runs short against the table's size.",
        {Op::Delete}, options(Names{"table_of_user"}), makeMixed);
    return workload;
}

const OltpWorkload& bulkInsert()
{
    static const OltpWorkload workload(
        "bulk_insert", "Bulk insert", WorkloadPurpose::Growth,
        "INSERTs of 512 KiB, a table for each user: how fast rows go in",
        "Each user fills a table of its own by INSERTs of 512 KiB. As in sysbench a transaction is a row put into the "
        "buffer, "
        "and most of them are nothing else: up to a buffer of each user, some 40 000 rows, is counted before it is "
        "sent. Rows a "
        "second are those that the server acknowledged. A million rows are about 33 MB in InnoDB, 12 MB in SQLite.",
        {Op::BulkInsert}, bulkOptions(), makeBulkInsert, {}, true, false, true);
    return workload;
}

const OltpWorkload& randomPoints()
{
    static const OltpWorkload workload(
        "select_random_points", "Random points", WorkloadPurpose::Reads,
        "A list of values of an indexed column: many short look-ups in one statement",
        "One SELECT with a list of values of the indexed column k. Each user works in its own segment of the table.",
        {Op::RandomPoints}, options(Names{"random_points"}, true), makeRandomPoints);
    return workload;
}

const OltpWorkload& randomRanges()
{
    static const OltpWorkload workload(
        "select_random_ranges", "Random ranges", WorkloadPurpose::Reads,
        "Counts rows in several short ranges of an indexed column",
        "One SELECT that counts rows in several short ranges of the indexed column k. Each user works in its own "
        "segment of the table.",
        {Op::RandomRanges}, options(Names{"number_of_ranges", "delta"}, true), makeRandomRanges);
    return workload;
}

const OltpWorkload& analytic()
{
    static const OltpWorkload workload(
        "oltp_analytic", "OLTP tables, analytic queries", WorkloadPurpose::Reads,
        "Aggregate, grouping, join and order over many rows",
        "Queries that read many rows: an aggregate, a grouping, a join of two tables and an order with a limit, one a "
        "transaction. Shows how "
        "fast a server reads, sorts and joins, and what that does to short transactions beside it.",
        {Op::Aggregate, Op::Group, Op::Join, Op::Order}, analyticOptions(), makeAnalytic,
        "Queries of our own over the tables of sysbench", false, false, true);
    return workload;
}

const OltpWorkload& ddl()
{
    static const OltpWorkload workload(
        "oltp_ddl", "OLTP tables, schema changes", WorkloadPurpose::Feature,
        "Copies, indexes and rebuilds a table step by step: how long schema changes take",
        "A list of timed steps on a copy of the table: it is copied, read from end to "
        "end, gets an index and a column, is analysed and rebuilt, "
        "and loses them again, once a round. Shows how long changes of the schema take "
        "and what they write. The copy needs as much room as the "
        "table, while it is rebuilt twice as much; one that is killed or loses its "
        "connection leaves it, as dynobench_copy, to the next one.",
        {Op::Copy, Op::Scan, Op::AddIndex, Op::AddColumn, Op::Analyze, Op::Rebuild, Op::DropColumn, Op::DropIndex,
         Op::DropTable},
        ddlOptions(), makeDdl, "Steps of our own over a table of sysbench", false, true);
    return workload;
}

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const std::vector<const Workload*> list{&readWrite(),   &readsOutside(), &readOnly(),       &writeOnly(),
                                                   &pointSelect(), &updateIndex(),  &updateNonIndex(), &insert(),
                                                   &remove(),      &bulkInsert(),   &randomPoints(),   &randomRanges(),
                                                   &pointQuery(),  &increment(),    &analytic(),       &ddl()};
    return list;
}

} // namespace dyno::oltp
