// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server must have for LinkBench's data, how large they are and become, and what must hold of them.
#include "workload/linkbench/linkbench.h"

#include "workload/data_size.h"
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

//! Each partition is a file of its own, with free extents of its own: fewer while it is small, as InnoDB lets files
//! below 32 MiB grow by one extent at a time (measured in MariaDB 10.11).
std::uint64_t linksOnDisk(const SqlDialect& sql, std::uint64_t rowBytes, std::uint64_t partitions)
{
    if (partitions <= 1)
        return onDisk(sql, rowBytes);
    constexpr std::uint64_t kMiB = 1 << 20;
    const std::uint64_t each = rowBytes / partitions;
    return rowBytes + partitions * (each < kMiB / 2 ? 0 : each < 32 * kMiB ? 3 * kMiB : 8 * kMiB);
}

} // namespace

std::uint64_t LinkbenchInstance::estimatedBytes() const
{
    // Values with the means of the lognormal payloads, a document's names, and the index's entry.
    const auto links = std::uint64_t(m_degrees.links()), counts = std::uint64_t(m_degrees.counts());
    const auto nodes = std::uint64_t(rowsOf(kNodeTable));
    if (documents())
        return links * (165 + 13 + 60) + counts * 110 + nodes * (75 + 211);
    const SqlDialect& sql = m_language.sql;
    if (sql.compactRows)
        return links * 110 + counts * 44 + nodes * (40 + 211);
    // Measured in InnoDB: rows come in random order of the link table's keys.
    return linksOnDisk(sql, links * 228, std::uint64_t(m_params.partitions)) + onDisk(sql, counts * 115) +
           onDisk(sql, nodes * 394);
}

Growth LinkbenchInstance::growth() const
{
    if (m_params.loads) {
        constexpr std::array<double, kTables> kInDocuments{238, 110, 286}, kCompact{110, 44, 251},
            kRoomy{228, 115, 394};
        const auto& each = documents()                  ? kInDocuments
                           : m_language.sql.compactRows ? kCompact
                                                        : kRoomy; // as in estimatedBytes()
        double bytes = 0, rows = 0, batches = 0;
        for (int table = kLinkTable; table <= kTables; ++table) {
            bytes += each[std::size_t(table) - 1] * double(rowsOf(table));
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
    const bool roomy = !documents() && !m_language.sql.compactRows;
    const double bytes = links * (roomy ? 350 : 250) + nodes * (roomy ? 400 : 300);
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
