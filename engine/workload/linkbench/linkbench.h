// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! LinkBench (T. Armstrong et al., "LinkBench: a database benchmark based on the Facebook social graph", SIGMOD 2013;
//! facts from FBWorkload.properties and LinkStoreMysql.java), for SQL and for documents. Tables or collections:
//! - linktable: id1, id2, link_type, visibility, data, time, version; key (link_type, id1, id2), documents: _id
//! "type:id1:id2";
//!   index id1_type (id1, link_type, visibility, time, id2; in SQL version and data too), made with the empty table.
//!   MySQL family: 16 partitions by id1, or what the table knob says.
//! - counttable: id, link_type, count, time, version; key (id, link_type), documents: _id "type:id".
//! - nodetable: id (documents: _id), type, version, time, data.
//!
//! A transaction is one request of LinkBench, counted and timed as one operation also where it takes several commands.
//! A link that is added or updated:
//! - SQL: is inserted, or shown again where it is hidden; the affected rows say which, and what was there is updated.
//! - Documents: the visible link is changed; if there is none, it is upserted.
//! Then its count follows. With counts = two_step each command stands alone, so that a crash between two leaves a count
//! that is one off; with counts = transaction they are one transaction.
//!
//! A list of links is cut at list_limit. The last time of a list that was cut is remembered, for 2048 lists of all
//! users together, and 0.3 % of the lists go on where such a list ended.
//!
//! With phase = load the run makes the graph itself, in tables that begin empty: a transaction is one insert of
//! rows_per_insert rows of one table, the next of a row of batches that all users share, in which the three tables
//! advance side by side. They are the rows of the ordinary load. A run that goes on after the last batch makes the same
//! graph once more with the ids that follow, so that no figure holds transactions without work.
//!
//! Differences to the original, in both profiles:
//! - Payloads are ASCII and at most 16 KiB, a multiget asks for neighbouring id2, ids of nodes come from the client.
//! - A user has one connection for reads and writes instead of two. Each statement of a link's write is a round trip of
//! its
//!   own, BEGIN and COMMIT too; the original's connection for writes has autocommit=0, and its COMMIT goes in one
//!   packet with the last statement. (UserContext::post() does not fit: it counts each statement as an operation.) Over
//!   a network a write of a link takes two round trips more for that.
//! - Which nodes are hit: a rank is scattered over all nodes by one bijection (Scatter), where the original turns each
//! of 1024
//!   residue classes by an offset, so that there the rank 1024 below another one lies 1024 ids from it. Shares are the
//!   same.
//! - With load_order = degree links are loaded in the order of the degrees of their nodes, whose ids are scattered.
//! With load_order = id each loader takes chunks of ids as the original's do, the last chunk first, and goes through a
//! chunk
//!   by ascending id; a chunk is so many whole inserts as hold about 2048 ids, where the original's has exactly 2048
//!   and its inserts go on in the loader's next chunk. Nodes come among them, where the original has one more loader
//!   for them.
#pragma once

#include "driver/size_model.h"
#include "workload/linkbench/graph.h"
#include "workload/workload.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

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
//! After the requests come the operations of the load phase, in the order of the tables.
constexpr OpId loadOp(int table)
{
    return OpId(kOps + std::size_t(table) - 1);
}

enum class Counts : std::uint8_t { ByModel, TwoStep, Transaction };

struct Params
{
    std::int64_t nodes = 10000;
    std::int64_t listLimit = 10000;
    std::int64_t partitions = 0;       //!< of the links, see bind()
    bool loads = false;                //!< phase = load
    std::int64_t rowsPerInsert = 1024; //!< of the load phase
    bool byId = false;                 //!< load_order = id
    bool families = false;             //!< column_families: each key has its own
    bool loadsNodes = true;            //!< false: the load phase makes links and counts alone
    Counts counts = Counts::ByModel;   //!< a transaction around a link and its count: in SQL, not for documents
    bool compat = false;               //!< as LinkBench does it, see Degrees and LinkbenchInstance
    std::array<double, kOps> shares{}; //!< add up to 1
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Expected<Params> parse(const Settings& settings);

//! In the order of the StatementSet.
enum Statement : std::uint32_t {
    kUpdateLink,
    kPutLink,
    kCountUp,
    kHideLink,
    kCountDown,
    kGetCount,
    kGetList,
    kGetListTail, //!< of a list that was cut
    kAddNode,
    kUpdateNode,
    kDeleteNode,
    kGetNode,
    kLookAtLink, //!< SQL only: before it is hidden
    kGetLinks,   //!< one for each of kLinkNumbers
};
//! Links that a statement asks for by their ids; shorter lists name the last one again.
constexpr std::array<std::size_t, 11> kLinkNumbers{1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128};
//! Of the links that are added, changed, deleted and looked up so many are there.
constexpr double kExistsAdd = 0.05, kExistsUpdate = 0.9, kExistsDelete = 0.9, kExistsGet = 0.5;
constexpr int kLinkTable = 1, kCountTable = 2, kNodeTable = 3;
constexpr int kTables = 3;

//! Schema and statements of a model. For each table, by number − 1.
struct Language
{
    DataModel model = DataModel::Sql;
    SqlDialect sql;
    std::array<TableSpec, kTables> tables; //!< without rows and slices
    StatementSet requests;                 //!< by Statement
    std::array<StatementSpec, kTables> insertOne;
};
[[nodiscard]] Language documentLanguage(const Params& params, const std::string& suffix);
//! What follows CREATE TABLE, for each table; and what follows the columns of each key.
struct TableEnds
{
    std::array<std::string, kTables> suffixes;
    std::array<std::string, kTables> primaryKeys;
    std::string linkIndex; //!< id1_type
};
[[nodiscard]] Language sqlLanguage(const Params& params, const SqlDialect& sql, const TableEnds& ends);
//! `insertOne` for several rows.
[[nodiscard]] StatementSpec repeated(const StatementSpec& insertOne, DataModel model, std::int64_t rows);

//! Numbers of the load phase's batches, for all users of a run: each is taken once, but for one that failed and is
//! given back. They come one after the other, or each user takes chunks of them.
class BatchNumbers
{
public:
    //! `starts` are the chunks of a graph, the same in each call: where each one begins, and the number of all batches
    //! at the end. Empty: none. With chunks the next one of the user's own chunk; then of the last chunk that nobody
    //! took; when all are taken, of another user's, so that a graph is whole before the next one begins.
    [[nodiscard]] std::int64_t take(UserId user, std::span<const std::int64_t> starts);
    void giveBack(std::int64_t number);

private:
    struct Chunk
    {
        std::int64_t next = 0, end = 0;
    };
    [[nodiscard]] std::int64_t takeOfChunk(UserId user, std::span<const std::int64_t> starts); //!< under the lock
    std::atomic<std::int64_t> m_next{0};                                                       //!< without chunks
    std::atomic<bool> m_anyBack{false};
    std::mutex m_mutex;
    std::vector<std::int64_t> m_back;
    std::int64_t m_chunks = 0; //!< that were taken
    std::map<UserId, Chunk> m_own;
};

//! Where lists of links were cut, for all users of a run. Touched only for such lists.
class CutLists
{
public:
    struct Place
    {
        std::int64_t id1 = 0;
        int type = 0;
        std::int64_t time = 0; //!< of the last link that was given
        [[nodiscard]] bool sameList(const Place& other) const { return id1 == other.id1 && type == other.type; }
    };
    [[nodiscard]] bool any() const { return m_size.load(std::memory_order_relaxed) > 0; }
    //! One of them; id1 is 0 when there is none.
    [[nodiscard]] Place pick(Random& random) const;
    //! The list was cut there, or again there.
    void remember(const Place& place, Random& random);
    void forget(const Place& place);

private:
    static constexpr std::size_t kMost = 2048;
    mutable std::mutex m_mutex;
    std::vector<Place> m_places;
    std::atomic<std::size_t> m_size{0};
};

class LinkbenchInstance final : public WorkloadInstance
{
public:
    //! In the compat form link writes are skewed as link reads are.
    LinkbenchInstance(const Params& params, Language language, const SizeModel& sizes);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override { return m_language.requests; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    //! The order of load_order = id: a look at every node, about a second for four million.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;
    //! SQL only. Of counts that are not kept in transactions nothing is true at any time: then only what links and
    //! nodes hold.
    [[nodiscard]] std::vector<DataCheck> checks() const override;

private:
    //! Rows that one insert of the load phase makes.
    struct Batch
    {
        int table = kLinkTable;
        std::int64_t firstRow = 1, rows = 0;
    };
    //! A link's names and payload; lives in the coroutine's frame.
    struct Link
    {
        std::int64_t id1 = 0, id2 = 0;
        int type = 0;
        std::array<char, 80> key, countKey;
        std::string_view keyText, countKeyText, data; //!< documents only, but for the data
        [[nodiscard]] std::int64_t typeId() const { return kFirstLinkType + type; }
    };
    [[nodiscard]] bool documents() const { return m_language.model == DataModel::Document; }
    [[nodiscard]] bool loadsInTransactions() const { return !documents() && m_language.sql.loadsPrepared; }
    void drawLink(UserContext& user, const NodeChooser& nodes, double existing, Link& link) const;
    [[nodiscard]] Task<Outcome> writeLink(UserContext& user, Op op) const;
    [[nodiscard]] Task<Reply> putLink(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Reply> hideLink(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Reply> putLinkSql(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Reply> hideLinkSql(UserContext& user, Link& link) const;
    std::uint32_t bindMultiget(UserContext& user, Link& link) const;
    [[nodiscard]] Task<Outcome> readLinks(UserContext& user, Op op) const;
    [[nodiscard]] Task<Outcome> readList(UserContext& user) const;
    [[nodiscard]] Task<Outcome> useNode(UserContext& user, Op op) const;
    [[nodiscard]] std::int64_t rowsOf(int table) const;
    //! `nodes`: how those come.
    [[nodiscard]] RowFacts rowFacts(int table, KeyOrder nodes) const;
    [[nodiscard]] std::int64_t batchesOf(int table) const;
    [[nodiscard]] std::int64_t allBatches() const;
    [[nodiscard]] Batch batch(std::int64_t number) const;
    //! Chunks of load_order = id: where the batches of each begin.
    [[nodiscard]] std::vector<std::int64_t> chunkStarts() const;
    [[nodiscard]] StatementSet batchStatements() const;
    [[nodiscard]] Task<Outcome> loadBatch(UserContext& user) const;
    //! Room that bindRow() needs at most for the texts of these rows.
    [[nodiscard]] std::size_t textBytes(const Batch& rows, std::uint64_t seed) const;
    //! `count` rows of a table from number `first` on, in the order of the load. Rows after those of the graph are its
    //! own again, of the nodes that follow.
    char* bindRows(char* out, const Batch& rows, std::uint64_t seed, std::vector<Param>& params) const;
    template<class Links, class Counts>
    char* bindEach(char* out, const Batch& rows, std::uint64_t seed, std::vector<Param>& params, Links links,
                   Counts counts) const;
    //! Of load_order = id.
    struct LoadOrder
    {
        IdOrder ids;
        std::vector<std::int64_t> chunks; //!< of the load phase: chunkStarts()
    };
    //! What makeReady() made; else it is made now, and whoever needs it waits.
    [[nodiscard]] const LoadOrder& loadOrder() const;
    [[nodiscard]] std::span<const std::int64_t> chunks() const
    {
        return m_params.loads && m_params.byId ? std::span(loadOrder().chunks) : std::span<const std::int64_t>();
    }
    [[nodiscard]] std::int64_t nodeTime(std::int64_t milliseconds) const
    {
        return documents() ? milliseconds : milliseconds / 1000;
    }

    Params m_params;
    Language m_language;
    const SizeModel& m_sizes;
    bool m_transactions;
    std::shared_ptr<const Degrees> m_graph;
    const Degrees& m_degrees;
    Payload m_linkData, m_nodeData;
    NodeChooser m_linkReads, m_linkWrites, m_nodeReads, m_nodeUpdates, m_nodeDeletes;
    mutable std::atomic<std::int64_t> m_nextNode; //!< shared by all users of the run
    mutable CutLists m_cutLists;                  //!< likewise
    mutable BatchNumbers m_batches;               //!< likewise
    mutable std::mutex m_making;
    mutable std::atomic<const LoadOrder*> m_made{nullptr}; //!< m_order, once it is whole
    mutable std::unique_ptr<const LoadOrder> m_order;      //!< under m_making
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::linkbench
