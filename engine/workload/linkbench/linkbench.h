// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! LinkBench (T. Armstrong et al., "LinkBench: a database benchmark based on the Facebook social graph", SIGMOD 2013; facts from
//! FBWorkload.properties and LinkStoreMysql.java) for documents. Collections:
//! - linktable: _id "type:id1:id2", id1, id2, link_type, visibility, data, time, version; index id1_type (id1, link_type,
//!   visibility, time, id2).
//! - counttable: _id "type:id", id, link_type, count, time, version.
//! - nodetable: _id, type, version, time, data.
//!
//! A transaction is one request of LinkBench, counted and timed as one operation also where it takes several commands: a link
//! that is added or updated changes the visible link; if there is none, it is upserted and then its count. With counts =
//! two_step each command stands alone, so that a crash between two leaves a count that is one off; with counts = transaction
//! they are one transaction.
//!
//! Differences to the original: keys are text, payloads are ASCII and at most 16 KiB, out-degrees beyond 50 are approximated,
//! a multiget asks for neighbouring id2, and no request continues a list that was cut off (0.3 % of the lists). The SQL form
//! belongs beside this one: statements for another model, and an affected count that tells new links from shown ones.
#pragma once

#include "workload/linkbench/graph.h"
#include "workload/workload.h"

#include <array>
#include <atomic>
#include <memory>

namespace dyno::linkbench {

//! In the order in which LinkBench evaluates their shares.
enum class Op : std::uint8_t {
    AddLink,
    DeleteLink,
    UpdateLink,
    CountLinks,
    GetLinks, //!< several by their ids
    GetLinkList,
    AddNode,
    UpdateNode,
    DeleteNode,
    GetNode,
};
constexpr std::size_t kOps = std::size_t(Op::GetNode) + 1;

struct Params
{
    std::int64_t nodes = 10000;
    bool transactions = false; //!< around a link and its count
    bool compat = false;       //!< as LinkBench does it, see Degrees and LinkbenchInstance
    std::array<double, kOps> shares {}; //!< add up to 1
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Expected<Params> parse(const Settings& settings);

class LinkbenchInstance final : public WorkloadInstance
{
public:
    //! `suffix`: of tableSuffix(). In the compat form link writes are skewed as link reads are.
    LinkbenchInstance(const Params& params, std::string suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;

private:
    //! A link's names and payload; lives in the coroutine's frame.
    struct Link
    {
        std::int64_t id1 = 0, id2 = 0;
        int type = 0;
        std::array<char, 80> key, countKey;
        std::string_view keyText, countKeyText, data;
    };
    void drawLink(UserContext& user, const NodeChooser& nodes, double existing, Link& link) const;
    [[nodiscard]] Task<Outcome> writeLink(UserContext& user, Op op) const;
    [[nodiscard]] Task<Reply> putLink(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Reply> hideLink(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Outcome> readLinks(UserContext& user, Op op) const;
    [[nodiscard]] Task<Outcome> useNode(UserContext& user, Op op) const;
    char* bindRow(char* out, int table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const;

    Params m_params;
    std::string m_suffix;
    Degrees m_degrees;
    Payload m_linkData, m_nodeData;
    NodeChooser m_linkReads, m_linkWrites, m_nodeReads, m_nodeUpdates, m_nodeDeletes;
    StatementSet m_statements;
    mutable std::atomic<std::int64_t> m_nextNode; //!< shared by all users of the run
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::linkbench
