// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of LinkBench, and its place in the list of workloads.
#include "workload/linkbench/linkbench.h"

#include "workload/model.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <numeric>

namespace dyno::linkbench {

namespace {

struct Kind
{
    const char* operation;
    const char* label;
    double percent; //!< FBWorkload.properties
    OpClass opClass;
};
constexpr std::array<Kind, kOps> kKinds{{
    {"add_link", "Add a link", 8.9886601, OpClass::Write},
    {"delete_link", "Delete a link", 2.9907664, OpClass::Write},
    {"update_link", "Update a link", 8.0122125, OpClass::Write},
    {"count_links", "Count links", 4.8863567, OpClass::Read},
    {"get_links", "Get some links", 0.5261142, OpClass::Read},
    {"get_link_list", "Get a list of links", 50.7119145, OpClass::Read},
    {"add_node", "Add a node", 2.5732789, OpClass::Write},
    {"update_node", "Update a node", 7.366437, OpClass::Write},
    {"delete_node", "Delete a node", 1.0115914, OpClass::Write},
    {"get_node", "Get a node", 12.9326683, OpClass::Read},
}};

constexpr std::int64_t kMostRows = 32000 / 8; //!< SQLite allows 32 766 parameters; a link in documents has eight

//! The table knobs of one table: only links are partitioned, into 16 parts as in LinkBench, and its texts are latin1.
Settings knobsOf(const SqlDialect& sql, Settings knobs, bool links)
{
    if (sql.tableOptions == TableOptions::NamedValues && textOf(knobs, "character_set").empty())
        knobs["character_set"] = std::string("latin1");
    if (!sql.partitions)
        return knobs;
    if (!links)
        knobs["partitions"] = std::int64_t(0);
    else if (!knobs.contains("partitions")) // 0: none
        knobs["partitions"] = std::int64_t(16);
    return knobs;
}

//! Names as in LinkBench's own tables for engines with column families.
Expected<void> addFamilies(TableEnds& ends, const SqlDialect& sql, const Settings& tableKnobs, std::int64_t partitions)
{
    const auto family = [&](std::string_view name, std::int64_t parts) {
        return sql.keyFamily ? sql.keyFamily(textOf(tableKnobs, "engine"), name, parts) : std::string();
    };
    ends.primaryKeys = {family("cf_link_pk", partitions), family("cf_count_pk", 0), family("cf_node_pk", 0)};
    ends.linkIndex = family("cf_link_id1_type", partitions);
    if (ends.linkIndex.empty())
        return wrongParameter("keys of these tables have no column families", "column_families",
                              sql.keyFamilyRemedy.empty() ? "set it to false" : sql.keyFamilyRemedy);
    return {};
}

class LinkbenchWorkload final : public Workload
{
public:
    LinkbenchWorkload()
    {
        m_info.id = "linkbench";
        m_info.name = "LinkBench";
        m_info.purpose = WorkloadPurpose::Application;
        m_info.summary = "A social graph: lists of links, two thirds reads";
        m_info.description =
            "A social graph: nodes, links between them and counts of links, with the mix of requests, the skew and "
            "the sizes measured at Facebook. Two thirds are reads, most of them lists of a node's links.";
        m_info.source = "LinkBench, FBWorkload.properties";
        m_info.options = options();
        for (const Kind& kind : kKinds)
            m_info.operations.push_back({kind.operation, kind.opClass});
        for (const char* load : {"load_links", "load_counts", "load_nodes"})
            m_info.operations.push_back({load, OpClass::Write});
        m_info.models = {DataModel::Sql, DataModel::Document};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        if (modelFor(m_info, driver) == DataModel::Document) {
            if (params->families)
                return wrongParameter("collections have no column families", "column_families", "set it to false");
            const auto suffix = tableSuffix(driver.sql, DataModel::Document, tableKnobs, "");
            if (!suffix)
                return tl::unexpected(suffix.error());
            return std::make_shared<const LinkbenchInstance>(*params, documentLanguage(*params, *suffix),
                                                             *driver.sizes);
        }
        TableEnds ends;
        for (std::size_t i = 0; i < kTables; ++i) {
            const Settings knobs = knobsOf(driver.sql, tableKnobs, i + 1 == kLinkTable);
            auto suffix = tableSuffix(driver.sql, DataModel::Sql, knobs, "KEY (id1)");
            if (!suffix)
                return tl::unexpected(suffix.error());
            ends.suffixes[i] = std::move(*suffix);
            if (i + 1 == kLinkTable && driver.sql.partitions)
                params->partitions = integerOf(knobs, "partitions");
        }
        if (params->families) {
            if (auto added = addFamilies(ends, driver.sql, tableKnobs, params->partitions); !added)
                return tl::unexpected(std::move(added.error()));
        }
        return std::make_shared<const LinkbenchInstance>(*params, sqlLanguage(*params, driver.sql, ends),
                                                         *driver.sizes);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    OptionSpecs specs{
        ofData(integerOption(
            "nodes", "Nodes",
            "Nodes that the load makes; ids are 1 to this number. About 1.3 GB for each million in InnoDB, "
            "0.7 GB in SQLite.",
            10000, "nodes", 1, 1e10, "")),
        ofData(choiceOption(
            "phase", "Phase",
            "request: the load makes the graph, and the run asks and changes it. load: the tables begin empty, and the "
            "run makes the same graph, its users being LinkBench's loaders; the shares of requests do not matter then. "
            "A run that goes on when the graph is whole makes it once more, with the ids that follow.",
            "request", {"request", "load"}, "")),
        integerOption("rows_per_insert", "Rows of an insert",
                      "phase = load: rows of one table that a transaction inserts by one statement; LinkBench's "
                      "loaders take 1024.",
                      1024, "rows", 1, double(kMostRows), ""),
        ofData(choiceOption(
            "load_order", "Order of the load",
            "degree: links by the number of links of their nodes, whose ids are scattered: keys come in random order. "
            "id: as LinkBench's loaders do it, each takes chunks of about 2048 ids, the last chunk first, and inserts "
            "a chunk's links by ascending id.",
            "degree", {"degree", "id"}, "")),
        ofData(flagOption("load_nodes", "Nodes are loaded",
                          "phase = load: off, links and their counts alone are inserted, as with LinkBench's "
                          "generate_nodes = false.",
                          true, "")),
        ofData(flagOption("column_families", "Column family per key",
                          "Each key lies in a column family of its own, as in LinkBench's own tables for storage "
                          "engines that have them: cf_link_pk, cf_link_id1_type, cf_count_pk and cf_node_pk. The "
                          "server then reports flushes, compactions and write amplification of each. Off: all lie in "
                          "the default one.",
                          false, "")),
        choiceOption(
            "counts", "Counts of links",
            "two_step: a link and its count are changed one after the other, which every server can do. transaction: "
            "in "
            "one transaction, as in LinkBench; servers without transactions refuse it. default: transaction in SQL, "
            "two_step for documents.",
            "default", {"default", "two_step", "transaction"}, ""),
        ofData(choiceOption(
            "profile", "Profile",
            "dynobench: what the workload means to do. linkbench: what it really does, for comparisons with its "
            "figures: nodes of two to four links get up to half as many again, and link writes are skewed as link "
            "reads are. In both, as in LinkBench, links lie in 16 partitions in the MySQL family, unless "
            "table.partitions says "
            "another number (0: none; for engines that have none). In both, other than in LinkBench: contents are "
            "ASCII letters, nodes hold at most 16 KiB, the ids of "
            "new nodes come from the client, a user has one connection, a link's BEGIN and COMMIT are round trips of "
            "their own, and nodes of similar rank lie anywhere instead of 1024 ids apart.",
            "dynobench", {"dynobench", "linkbench"}, "")),
        integerOption("list_limit", "Longest list",
                      "A list of links is cut after so many; 0.3 % of the lists go on where one was cut.", 10000,
                      "links", 1, 1e7, "Requests"),
    };
    for (const Kind& kind : kKinds)
        specs.push_back(realOption(std::string(kind.operation) + "_percent", kind.label,
                                   "Share of these requests, against the other shares.", kind.percent, "%", 0, 1e6,
                                   "Requests"));
    return specs;
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    params.nodes = integerOf(settings, "nodes", params.nodes);
    const std::string counts = textOf(settings, "counts");
    params.counts = counts == "transaction" ? Counts::Transaction
                    : counts == "two_step"  ? Counts::TwoStep
                                            : Counts::ByModel;
    params.listLimit = integerOf(settings, "list_limit", params.listLimit);
    params.loads = textOf(settings, "phase") == "load";
    params.rowsPerInsert = integerOf(settings, "rows_per_insert", params.rowsPerInsert);
    params.byId = textOf(settings, "load_order") == "id";
    params.families = boolOf(settings, "column_families", false);
    params.loadsNodes = boolOf(settings, "load_nodes", true);
    if (!params.loadsNodes && !params.loads)
        return wrongParameter("requests need nodes", "load_nodes", "set it to true, or workload.phase to load");
    params.compat = textOf(settings, "profile") == "linkbench";
    for (std::size_t i = 0; i < kOps; ++i)
        params.shares[i] = realOf(settings, std::string(kKinds[i].operation) + "_percent", kKinds[i].percent);
    const double sum = std::accumulate(params.shares.begin(), params.shares.end(), 0.0);
    if (!(sum > 0))
        return wrongParameter("the shares of all requests are 0: a transaction would do nothing", "get_node_percent",
                              "give at least one share a value above 0");
    for (double& share : params.shares)
        share /= sum;
    return params;
}

const std::vector<const Workload*>& workloads()
{
    static const LinkbenchWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::linkbench
