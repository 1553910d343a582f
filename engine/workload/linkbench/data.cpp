// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server must have for LinkBench's data, how large they are and become, and what must hold of them.
#include "workload/linkbench/linkbench.h"

#include "workload/engine_needs.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno::linkbench {

std::vector<FeatureProbe> LinkbenchInstance::probes() const
{
    if (documents() || m_params.loads || !m_transactions)
        return {};
    return transactionProbes(tables(), m_language.sql, ", in which a link and its count would change together",
                             ", or workload.counts to two_step");
}

namespace {

constexpr double kMeanLinkData = 13.5, kMeanNodeData = 211; //!< of the lognormal lengths

} // namespace

//! Rows of links and counts come in no order of their keys.
RowFacts LinkbenchInstance::rowFacts(int table, KeyOrder nodes) const
{
    const bool named = documents(); // _id is a text of its key's numbers
    switch (table) {
    case kLinkTable: {
        RowFacts links{
            {numberColumn("id1", 8, 3), numberColumn("id2", 8, 3), numberColumn("link_type", 8, 4),
             numberColumn("visibility", 1, 1), textColumn("data", kMeanLinkData), numberColumn("time", 8, 6),
             numberColumn("version", 4, 1)},
            "link_type, id1, id2",
            false,
            KeyOrder::Any,
            {{named ? "id1, link_type, visibility, time, id2" : "id1, link_type, visibility, time, id2, version, data",
              KeyOrder::Any}}};
        if (named)
            links.columns.push_back(textColumn("_id", 25));
        return links;
    }
    case kCountTable: {
        RowFacts counts{{numberColumn("id", 8, 3), numberColumn("link_type", 8, 4), numberColumn("count", 4, 1),
                         numberColumn("time", 8, 6), numberColumn("version", 8, 1)},
                        "id, link_type",
                        false,
                        KeyOrder::Any};
        if (named)
            counts.columns.push_back(textColumn("_id", 18));
        return counts;
    }
    default:
        return {{numberColumn(named ? "_id" : "id", 8, 3), numberColumn("type", 4, 2), numberColumn("version", 8, 1),
                 numberColumn("time", 4, 4), textColumn("data", kMeanNodeData)},
                named ? "_id" : "id",
                true,
                nodes};
    }
}

std::uint64_t LinkbenchInstance::estimatedBytes() const
{
    std::uint64_t sum = 0;
    for (int table = kLinkTable; table <= kTables; ++table)
        sum += m_sizes.table(rowFacts(table, KeyOrder::Runs), rowsOf(table),
                             table == kLinkTable ? m_params.partitions : 1);
    return sum;
}

Growth LinkbenchInstance::growth() const
{
    const auto row = [this](int table, KeyOrder nodes) { return m_sizes.row(rowFacts(table, nodes)); };
    if (m_params.loads) {
        double bytes = 0, rows = 0, batches = 0;
        for (int table = kLinkTable; table <= kTables; ++table) {
            bytes += row(table, KeyOrder::Runs) * double(rowsOf(table));
            rows += double(rowsOf(table));
            batches += double(batchesOf(table));
        }
        return {bytes / rows, rows / batches};
    }
    const auto share = [this](Op op) { return m_params.shares[std::size_t(op)]; };
    // Links that were not there stay when they are hidden.
    const double links = share(Op::AddLink) * (1 - kExistsAdd) + share(Op::UpdateLink) * (1 - kExistsUpdate);
    const double nodes = std::max(0.0, share(Op::AddNode) - share(Op::DeleteNode));
    const double rows = 2 * (share(Op::AddLink) + share(Op::DeleteLink)) + share(Op::UpdateLink) + share(Op::AddNode) +
                        share(Op::UpdateNode) + share(Op::DeleteNode);
    // Many of these links are the first of their type, which get a count of their own.
    const double bytes = links * (row(kLinkTable, KeyOrder::Any) + row(kCountTable, KeyOrder::Any)) +
                         nodes * row(kNodeTable, KeyOrder::Rising);
    return rows > 0 ? Growth{bytes / rows, rows} : Growth();
}

std::vector<DataCheck> LinkbenchInstance::checks() const
{
    if (documents())
        return {};
    constexpr const char* kVisible =
        "(SELECT COUNT(*) FROM linktable l WHERE l.id1 = c.id AND l.link_type = c.link_type AND "
        "l.visibility = 1)";
    const DataCheck nodes{"nodes are of LinkBench's type",
                          fmt::format("SELECT COUNT(*) FROM nodetable WHERE type <> {}", kNodeType)};
    if (m_params.loads) // links and their counts come in inserts of their own
        return {{"no node has more links than are counted",
                 fmt::format("SELECT COUNT(*) FROM counttable c WHERE c.count < {}", kVisible)},
                {"links are visible and go to nodes from their own on",
                 "SELECT COUNT(*) FROM linktable WHERE visibility <> 1 OR id2 < id1"},
                nodes};
    std::vector<DataCheck> all;
    if (m_transactions)
        all = {{"each count is the number of its visible links",
                fmt::format("SELECT COUNT(*) FROM counttable c WHERE c.count <> {}", kVisible)},
               {"the counts add up to the visible links",
                "SELECT ABS((SELECT COALESCE(SUM(count), 0) FROM counttable) - "
                "(SELECT COUNT(*) FROM linktable WHERE visibility = 1))"}};
    all.push_back({"links are visible or hidden, and go to nodes from their own on",
                   "SELECT COUNT(*) FROM linktable WHERE visibility NOT IN (0, 1) OR id2 < id1"});
    all.push_back(nodes);
    return all;
}

} // namespace dyno::linkbench
