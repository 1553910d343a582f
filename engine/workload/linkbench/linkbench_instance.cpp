// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/linkbench/linkbench.h"

#include "base/wall_clock.h"
#include "workload/loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno::linkbench {

namespace {

constexpr std::size_t kLongestNode = 16 * 1024; //!< characters; the original allows 1 MiB, which no run would meet
constexpr double kMultigetP = 0.382;            //!< of the geometric number of links

constexpr double kTailShare = 0.003; //!< of the lists go on where one was cut, when there is such a list
constexpr std::array<std::int64_t, 4> kBatch{0, 400, 500, 50}; //!< rows of an insert, by table
constexpr std::int64_t kLoadedMs = 1'577'836'800'000;          //!< 2020-01-01, UTC: when loaded rows have their ages
constexpr std::int64_t kChunkIds = 2048;                       //!< of a chunk that a loader takes (loader_chunk_size)
constexpr std::size_t kLongestKey = 80;                        //!< characters of a document's _id

//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
Random rowStream(std::uint64_t seed, int table, std::int64_t row)
{
    constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;
    return Random::forItem(seed, kRowStreams + std::uint64_t(table), std::uint64_t(row));
}

//! Of a loaded row, in milliseconds; the first that its stream gives.
std::int64_t drawAge(Random& random)
{
    constexpr std::int64_t kAgesMs = 50ll * 24 * 3600 * 1000;
    return random.uniform(0, kAgesMs);
}

template<std::size_t n>
std::string_view writeIds(std::array<char, n>& out, int type, std::int64_t id1, std::int64_t id2 = -1)
{
    const auto end = id2 < 0 ? fmt::format_to_n(out.data(), n, "{}:{}", kFirstLinkType + type, id1)
                             : fmt::format_to_n(out.data(), n, "{}:{}:{}", kFirstLinkType + type, id1, id2);
    return {out.data(), end.size};
}

Task<Reply> ask(UserContext& user, std::uint32_t statement, std::span<const Param> params)
{
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.step(request);
    co_return reply;
}

} // namespace

CutLists::Place CutLists::pick(Random& random) const
{
    const std::lock_guard lock(m_mutex);
    return m_places.empty() ? Place() : m_places[std::size_t(random.uniform(0, std::int64_t(m_places.size()) - 1))];
}

void CutLists::remember(const Place& place, Random& random)
{
    const std::lock_guard lock(m_mutex);
    const auto same = std::ranges::find_if(m_places, [&place](const Place& known) { return known.sameList(place); });
    if (same != m_places.end())
        *same = place;
    else if (m_places.size() < kMost)
        m_places.push_back(place);
    else
        m_places[std::size_t(random.uniform(0, std::int64_t(kMost) - 1))] = place;
    m_size.store(m_places.size(), std::memory_order_relaxed);
}

void CutLists::forget(const Place& place)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_places, [&place](const Place& known) { return known.sameList(place); });
    m_size.store(m_places.size(), std::memory_order_relaxed);
}

std::int64_t BatchNumbers::take(UserId user, std::span<const std::int64_t> starts)
{
    if (m_anyBack.load(std::memory_order_relaxed)) [[unlikely]] {
        const std::lock_guard lock(m_mutex);
        if (!m_back.empty()) {
            const std::int64_t number = m_back.back();
            m_back.pop_back();
            m_anyBack.store(!m_back.empty(), std::memory_order_relaxed);
            return number;
        }
    }
    if (starts.empty())
        return m_next.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(m_mutex);
    return takeOfChunk(user, starts);
}

std::int64_t BatchNumbers::takeOfChunk(UserId user, std::span<const std::int64_t> starts)
{
    const auto chunks = std::int64_t(starts.size()) - 1;
    Chunk& own = m_own[user];
    if (own.next < own.end)
        return own.next++;
    if (m_chunks % chunks == 0 && m_chunks > 0) { // the graph's last chunk was taken
        for (auto& [other, chunk] : m_own) {
            if (chunk.next < chunk.end)
                return chunk.next++;
        }
    }
    const std::int64_t graph = m_chunks / chunks * starts.back();
    const auto place = std::size_t(chunks - 1 - m_chunks % chunks);
    ++m_chunks;
    own = {graph + starts[place], graph + starts[place + 1]};
    return own.next++;
}

void BatchNumbers::giveBack(std::int64_t number)
{
    const std::lock_guard lock(m_mutex);
    m_back.push_back(number);
    m_anyBack.store(true, std::memory_order_relaxed);
}

LinkbenchInstance::LinkbenchInstance(const Params& params, Language language, const SizeModel& sizes)
    : m_params(params)
    , m_language(std::move(language))
    , m_sizes(sizes)
    , m_transactions(params.counts == Counts::ByModel ? !documents() : params.counts == Counts::Transaction)
    , m_graph(degreesOf(params.nodes, params.compat))
    , m_degrees(*m_graph)
    , m_linkData(8, 254, 32, 100, 0.225)
    , m_nodeData(128, kLongestNode, 50, 126, 0.63) // the original goes up to 220, which is no text
    , m_linkReads(m_degrees, params.nodes, 0.8, 0.005, 2)
    , m_linkWrites(m_degrees, params.nodes, params.compat ? 0.8 : 0.741, params.compat ? 0.005 : 0.05, 3)
    , m_nodeReads(m_degrees, params.nodes, 0.625, 0, 4)
    , m_nodeUpdates(m_degrees, params.nodes, 0.606, 0, 4)
    , m_nodeDeletes(m_degrees, params.nodes, 0, 0, 4)
    , m_nextNode(params.nodes + 1)
{
    if (m_params.loads)
        m_language.requests = batchStatements();
}

std::vector<TableSpec> LinkbenchInstance::tables() const
{
    std::vector<TableSpec> specs(m_language.tables.begin(), m_language.tables.end());
    for (std::size_t i = 0; i < specs.size(); ++i) {
        specs[i].rows = m_params.loads ? 0 : rowsOf(int(i) + 1);
        specs[i].rowsPerSlice = kBatch[i + 1] * (loadsInTransactions() ? 20 : 1);
        if (m_params.byId) { // about as many rows of each table as one chunk has
            specs[i].rowsPerPart = std::max(specs[i].rowsPerSlice, specs[i].rows * kChunkIds / m_params.nodes);
            specs[i].part = "chunk";
        }
        specs[i].freshEachRun = true; // links come and go, and the same nodes are added again
        specs[i].keysRepeat = m_params.loads || int(i) + 1 == kNodeTable;
    }
    return specs;
}

StatementSet LinkbenchInstance::loaderStatements() const
{
    StatementSet all = m_language.requests;
    for (std::size_t table = 0; table < m_language.insertOne.size(); ++table) {
        all.push_back(m_language.insertOne[table]);
        all.push_back(repeated(m_language.insertOne[table], m_language.model, kBatch[table + 1]));
    }
    return all;
}

std::int64_t LinkbenchInstance::rowsOf(int table) const
{
    return table == kLinkTable    ? m_degrees.links()
           : table == kCountTable ? m_degrees.counts()
                                  : (m_params.loadsNodes ? m_params.nodes : 0);
}

std::int64_t LinkbenchInstance::batchesOf(int table) const
{
    return (rowsOf(table) + m_params.rowsPerInsert - 1) / m_params.rowsPerInsert;
}

//! For each table a whole batch and its last one.
StatementSet LinkbenchInstance::batchStatements() const
{
    StatementSet all;
    for (int table = 1; table <= kTables; ++table) {
        const std::int64_t rest = rowsOf(table) % m_params.rowsPerInsert;
        for (const std::int64_t rows : {m_params.rowsPerInsert, rest > 0 ? rest : m_params.rowsPerInsert})
            all.push_back(repeated(m_language.insertOne[std::size_t(table) - 1], m_language.model, rows));
    }
    return all;
}

std::int64_t LinkbenchInstance::allBatches() const
{
    return batchesOf(kLinkTable) + batchesOf(kCountTable) + batchesOf(kNodeTable);
}

namespace {

std::int64_t shareOf(std::int64_t place, std::int64_t own, std::int64_t all)
{
    return std::int64_t(static_cast<unsigned __int128>(place) * std::uint64_t(own) / std::uint64_t(all));
}

} // namespace

//! A chunk has its share of each table's batches.
std::vector<std::int64_t> LinkbenchInstance::chunkStarts() const
{
    const std::int64_t chunks =
        std::clamp<std::int64_t>(m_params.nodes / kChunkIds, 1, std::max<std::int64_t>(1, batchesOf(kLinkTable)));
    std::vector<std::int64_t> starts;
    for (std::int64_t chunk = 0; chunk <= chunks; ++chunk) {
        std::int64_t start = 0;
        for (int table = kLinkTable; table <= kTables; ++table)
            start += shareOf(chunk, batchesOf(table), chunks);
        starts.push_back(start);
    }
    return starts;
}

//! Of the batches so far, in the graph or in the chunk, each table has its share: its last one comes near the end.
LinkbenchInstance::Batch LinkbenchInstance::batch(std::int64_t number) const
{
    const std::int64_t graph = number / allBatches();
    std::int64_t place = number % allBatches();
    std::array<std::int64_t, kTables + 1> first{}, own{};
    std::int64_t all = 0;
    const std::span<const std::int64_t> starts = chunks();
    const auto chunks = std::int64_t(starts.size()) - 1; // −1: there are none
    const std::int64_t chunk = chunks > 0 ? std::ranges::upper_bound(starts, place) - starts.begin() - 1 : 0;
    for (int table = kLinkTable; table <= kTables; ++table) {
        const std::int64_t batches = batchesOf(table);
        first[std::size_t(table)] = chunks > 0 ? shareOf(chunk, batches, chunks) : 0;
        own[std::size_t(table)] =
            (chunks > 0 ? shareOf(chunk + 1, batches, chunks) : batches) - first[std::size_t(table)];
        all += own[std::size_t(table)];
    }
    place -= chunks > 0 ? starts[std::size_t(chunk)] : 0;
    for (int table = kNodeTable; table >= kLinkTable; --table) {
        const std::int64_t before = shareOf(place, own[std::size_t(table)], all);
        if (shareOf(place + 1, own[std::size_t(table)], all) > before) {
            const std::int64_t row = (first[std::size_t(table)] + before) * m_params.rowsPerInsert;
            return {table, graph * rowsOf(table) + row + 1, std::min(m_params.rowsPerInsert, rowsOf(table) - row)};
        }
        place -= before;
        all -= own[std::size_t(table)];
    }
    return {};
}

std::size_t LinkbenchInstance::textBytes(const Batch& rows, std::uint64_t seed) const
{
    std::size_t bytes = documents() ? std::size_t(rows.rows) * kLongestKey : 0;
    for (std::int64_t row = rows.firstRow; rows.table != kCountTable && row < rows.firstRow + rows.rows; ++row) {
        Random random = rowStream(seed, rows.table, row);
        (void)drawAge(random);
        bytes += (rows.table == kNodeTable ? m_nodeData : m_linkData).drawLength(random);
    }
    return bytes;
}

bool LinkbenchInstance::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t /*seed*/) const
{
    if (!m_params.byId || m_params.loads != (use == Use::Run))
        return true;
    const std::lock_guard lock(m_making);
    if (!m_order) {
        auto order = std::make_unique<LoadOrder>(LoadOrder{IdOrder(m_degrees), {}});
        if (!order->ids.make(m_params.nodes, goOn))
            return false;
        if (m_params.loads)
            order->chunks = chunkStarts();
        m_order = std::move(order);
        m_made.store(m_order.get(), std::memory_order_release);
    }
    return true;
}

const LinkbenchInstance::LoadOrder& LinkbenchInstance::loadOrder() const
{
    if (const LoadOrder* made = m_made.load(std::memory_order_acquire)) [[likely]]
        return *made;
    (void)makeReady(
        m_params.loads ? Use::Run : Use::Load, [] { return true; }, 0);
    return *m_made.load(std::memory_order_acquire);
}

char* LinkbenchInstance::bindRows(char* out, const Batch& rows, std::uint64_t seed, std::vector<Param>& params) const
{
    std::int64_t inGraph = rows.rows > 0 ? (rows.firstRow - 1) % rowsOf(rows.table) : 0;
    if (!m_params.byId || rows.table == kNodeTable)
        return bindEach(
            out, rows, seed, params, [this, at = inGraph]() mutable { return m_degrees.link(at++); },
            [this, at = inGraph]() mutable { return m_degrees.count(at++); });
    const IdOrder& order = loadOrder().ids;
    if (rows.table == kLinkTable) {
        IdOrder::Links links(order, inGraph);
        return bindEach(
            out, rows, seed, params, [&links] { return links.next(); }, [] { return Degrees::Count(); });
    }
    IdOrder::Counts counts(order, inGraph);
    return bindEach(
        out, rows, seed, params, [] { return Degrees::Link(); }, [&counts] { return counts.next(); });
}

template<class Links, class Counts>
char* LinkbenchInstance::bindEach(char* out, const Batch& rows, std::uint64_t seed, std::vector<Param>& params,
                                  Links links, Counts counts) const
{
    const auto key = [this, &out, &params](int type, std::int64_t id1, std::int64_t id2) {
        if (!documents())
            return;
        std::array<char, kLongestKey> text;
        const std::string_view written = writeIds(text, type, id1, id2);
        params.push_back(Param::of(std::string_view(out, written.size())));
        out = std::ranges::copy(written, out).out;
    };
    const auto number = [&params](std::int64_t value) { params.push_back(Param::of(value)); };
    for (std::int64_t row = rows.firstRow; row < rows.firstRow + rows.rows; ++row) {
        Random random = rowStream(seed, rows.table, row);
        const auto payload = [&out, &params, &random](const Payload& data) {
            char* const end = data.write(out, data.drawLength(random), random);
            params.push_back(Param::of(std::string_view(out, std::size_t(end - out))));
            out = end;
        };
        // Nodes of the graphs before this one.
        const std::int64_t earlier = (row - 1) / rowsOf(rows.table) * m_params.nodes;
        const std::int64_t time = kLoadedMs - drawAge(random);
        if (rows.table == kLinkTable) {
            const Degrees::Link link = links();
            const std::int64_t id1 = earlier + link.id1;
            key(link.type, id1, id1 + link.number);
            number(id1);
            number(id1 + link.number);
            number(kFirstLinkType + link.type);
            number(1); // visible
            payload(m_linkData);
            number(time);
            number(0);
        } else if (rows.table == kCountTable) {
            const Degrees::Count count = counts();
            key(count.type, earlier + count.id1, -1);
            number(earlier + count.id1);
            number(kFirstLinkType + count.type);
            number(count.links);
            number(time);
            number(0);
        } else {
            number(row);
            number(kNodeType);
            number(1);
            number(nodeTime(time));
            payload(m_nodeData);
        }
    }
    return out;
}

Task<Outcome> LinkbenchInstance::load(UserContext& user, LoadSlice slice) const
{
    const std::size_t one = m_language.requests.size() + 2 * std::size_t(slice.table - 1);
    const std::size_t rowBytes = 80 + (slice.table == kNodeTable ? m_nodeData.longest() : m_linkData.longest());
    const RowInserts inserts{StatementId(one), StatementId(one + 1), kBatch[std::size_t(slice.table)], !documents()};
    const auto bind = [this, &user, table = slice.table, rowBytes](std::int64_t row, std::int64_t count) {
        std::string& texts = user.buffer();
        texts.resize(std::max(texts.size(), std::size_t(count) * rowBytes));
        (void)bindRows(texts.data(), {table, row, count}, user.seed(), user.params());
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

Task<Outcome> LinkbenchInstance::loadBatch(UserContext& user) const
{
    const std::int64_t number = m_batches.take(UserId(user.number()), chunks());
    const Batch rows = batch(number);
    std::string& texts = user.buffer();
    if (const std::size_t room = textBytes(rows, user.seed()); texts.size() < room)
        texts.resize(room);
    user.params().clear();
    (void)bindRows(texts.data(), rows, user.seed(), user.params());
    const std::size_t statement = 2 * std::size_t(rows.table - 1) + (rows.rows == m_params.rowsPerInsert ? 0 : 1);
    const Request insert = Request::execute(StatementId(statement), user.params());
    const Reply reply = co_await user.execute(loadOp(rows.table), insert);
    // What was refused would be refused again: after a lost connection the rows may be there.
    if (reply.outcome != Outcome::Ok && reply.outcome != Outcome::Rejected)
        m_batches.giveBack(number);
    co_return reply.outcome;
}

//! A link of which about the share `existing` is there.
void LinkbenchInstance::drawLink(UserContext& user, const NodeChooser& nodes, double existing, Link& link) const
{
    Random& random = user.random();
    link.id1 = nodes.draw(random);
    link.type = int(random.uniform(0, kLinkTypes - 1));
    const double range = std::max(1.0, std::ceil(double(m_degrees.linksOf(link.id1, link.type)) / existing));
    link.id2 = link.id1 + random.uniform(0, std::int64_t(range) - 1);
    if (documents()) {
        link.keyText = writeIds(link.key, link.type, link.id1, link.id2);
        link.countKeyText = writeIds(link.countKey, link.type, link.id1);
    }
}

Task<Outcome> LinkbenchInstance::transaction(UserContext& user) const
{
    if (m_params.loads) {
        const Outcome loaded = co_await loadBatch(user);
        co_return loaded;
    }
    // Once for all kinds of requests, which come in any order.
    if (user.buffer().size() < m_nodeData.longest())
        user.buffer().resize(m_nodeData.longest());
    user.params().reserve(kLinkNumbers.back() + 2);
    double u = user.random().unit();
    Op op = Op::GetNode;
    for (std::size_t i = 0; i < kOps; ++i) {
        if (m_params.shares[i] > 0)
            op = Op(i);
        if (u < m_params.shares[i])
            break;
        u -= m_params.shares[i];
    }
    Outcome outcome = Outcome::Ok;
    if (op == Op::AddLink || op == Op::UpdateLink || op == Op::DeleteLink)
        outcome = co_await writeLink(user, op);
    else if (op == Op::GetLinkList)
        outcome = co_await readList(user);
    else if (op == Op::CountLinks || op == Op::GetLinks)
        outcome = co_await readLinks(user, op);
    else
        outcome = co_await useNode(user, op);
    co_return outcome;
}

Task<Outcome> LinkbenchInstance::writeLink(UserContext& user, Op op) const
{
    Link link;
    drawLink(user, m_linkWrites,
             op == Op::AddLink      ? kExistsAdd
             : op == Op::UpdateLink ? kExistsUpdate
                                    : kExistsDelete,
             link);
    const std::int64_t startNs = nowNs();
    Reply reply;
    if (m_transactions) {
        const Request begin = Request::step(RequestKind::Begin);
        reply = co_await user.step(begin);
    }
    const bool hides = op == Op::DeleteLink;
    if (reply.outcome == Outcome::Ok && documents() && hides)
        reply = co_await hideLink(user, link);
    else if (reply.outcome == Outcome::Ok && documents())
        reply = co_await putLink(user, link);
    else if (reply.outcome == Outcome::Ok && hides)
        reply = co_await hideLinkSql(user, link);
    else if (reply.outcome == Outcome::Ok)
        reply = co_await putLinkSql(user, link);
    const std::int64_t affected = reply.affected;
    if (reply.outcome == Outcome::Ok && m_transactions) {
        const Request commit = Request::step(RequestKind::Commit);
        reply = co_await user.step(commit);
    }
    user.recordOperation(OpId(op), std::uint64_t(nowNs() - startNs), reply.outcome == Outcome::Ok);
    if (reply.outcome == Outcome::Ok)
        user.countRows(affected);
    co_return reply.outcome;
}

Task<Reply> LinkbenchInstance::putLink(UserContext& user, Link& link) const
{
    std::string& data = user.buffer();
    const std::size_t length = m_linkData.drawLength(user.random());
    m_linkData.write(data.data(), length, user.random());
    const std::int64_t now = nowMs(), type = link.typeId();
    const std::array<Param, 6> params{Param::of(link.keyText), Param::of(std::string_view(data.data(), length)),
                                      Param::of(now),          Param::of(link.id1),
                                      Param::of(link.id2),     Param::of(type)};
    const Reply updated = co_await ask(user, kUpdateLink, std::span(params).first(3));
    if (updated.outcome != Outcome::Ok || updated.affected > 0)
        co_return updated;
    const Reply shown = co_await ask(user, kPutLink, params);
    if (shown.outcome != Outcome::Ok)
        co_return shown;
    const std::array<Param, 4> count{Param::of(link.countKeyText), Param::of(now), Param::of(link.id1),
                                     Param::of(type)};
    Reply counted = co_await ask(user, kCountUp, count);
    counted.affected += shown.affected;
    co_return counted;
}

Task<Reply> LinkbenchInstance::hideLink(UserContext& user, Link& link) const
{
    const std::array<Param, 1> key{Param::of(link.keyText)};
    const Reply hidden = co_await ask(user, kHideLink, key);
    if (hidden.outcome != Outcome::Ok || hidden.affected == 0)
        co_return hidden;
    const std::array<Param, 2> count{Param::of(link.countKeyText), Param::of(nowMs())};
    Reply counted = co_await ask(user, kCountDown, count);
    counted.affected += hidden.affected;
    co_return counted;
}

//! As LinkBench reads the affected rows: 1, the link is new; 2, it was hidden; 0, it was there. SQLite's statement has
//! 1 for the first two.
Task<Reply> LinkbenchInstance::putLinkSql(UserContext& user, Link& link) const
{
    std::string& data = user.buffer();
    const std::size_t length = m_linkData.drawLength(user.random());
    m_linkData.write(data.data(), length, user.random());
    const Param now = Param::of(nowMs()), id1 = Param::of(link.id1), id2 = Param::of(link.id2),
                type = Param::of(link.typeId());
    const Param text = Param::of(std::string_view(data.data(), length));
    const Param visible = Param::of(std::int64_t(1)), version = Param::of(std::int64_t(0));
    const std::array<Param, 7> params{id1, id2, type, visible, text, now, version};
    const Reply put = co_await ask(user, kPutLink, params);
    if (put.outcome != Outcome::Ok)
        co_return put;
    if (put.affected != 1) {
        const std::array<Param, 5> update{text, now, id1, id2, type};
        const Reply updated = co_await ask(user, kUpdateLink, update);
        if (updated.outcome != Outcome::Ok || put.affected == 0)
            co_return updated;
    }
    const std::array<Param, 3> count{id1, type, now};
    Reply counted = co_await ask(user, kCountUp, count);
    counted.affected = 2; // the link and its count
    co_return counted;
}

Task<Reply> LinkbenchInstance::hideLinkSql(UserContext& user, Link& link) const
{
    const Param id1 = Param::of(link.id1), type = Param::of(link.typeId());
    const std::array<Param, 3> key{id1, Param::of(link.id2), type};
    const Reply seen = co_await ask(user, kLookAtLink, key);
    if (seen.outcome != Outcome::Ok || user.kept().integer(0, 0) == 0)
        co_return seen;
    const Reply hidden = co_await ask(user, kHideLink, key);
    if (hidden.outcome != Outcome::Ok)
        co_return hidden;
    const std::array<Param, 3> count{id1, type, Param::of(nowMs())};
    Reply counted = co_await ask(user, kCountDown, count);
    counted.affected = 2;
    co_return counted;
}

//! A geometric number of links of a node that follow each other; returns the statement.
std::uint32_t LinkbenchInstance::bindMultiget(UserContext& user, Link& link) const
{
    std::vector<Param>& params = user.params();
    const double range = std::max(1.0, std::ceil(double(m_degrees.linksOf(link.id1, link.type)) / kExistsGet));
    const double drawn = 1 + std::floor(std::log1p(-user.random().unit()) / std::log1p(-kMultigetP));
    const auto number = std::size_t(std::min({drawn, range, double(kLinkNumbers.back())}));
    const auto form = std::size_t(std::ranges::lower_bound(kLinkNumbers, number) - kLinkNumbers.begin());
    if (!documents()) {
        params.push_back(Param::of(link.id1));
        params.push_back(Param::of(link.typeId()));
    }
    std::string& keys = user.buffer();
    static_assert(kLinkNumbers.back() * sizeof link.key <= kLongestNode);
    char* out = keys.data();
    for (std::size_t i = 0; i < kLinkNumbers[form]; ++i) {
        const std::int64_t id2 = link.id1 + (link.id2 - link.id1 + std::int64_t(i)) % std::int64_t(range);
        if (i >= number) {
            params.push_back(params.back());
        } else if (documents()) {
            const std::string_view key = writeIds(link.key, link.type, link.id1, id2);
            std::ranges::copy(key, out);
            params.push_back(Param::of(std::string_view(out, key.size())));
            out += key.size();
        } else {
            params.push_back(Param::of(id2));
        }
    }
    return kGetLinks + std::uint32_t(form);
}

Task<Outcome> LinkbenchInstance::readLinks(UserContext& user, Op op) const
{
    std::vector<Param>& params = user.params();
    params.clear();
    Link link;
    drawLink(user, m_linkReads, kExistsGet, link);
    std::uint32_t statement = kGetCount;
    if (op == Op::GetLinks) {
        statement = bindMultiget(user, link);
    } else if (documents()) {
        params.push_back(Param::of(link.countKeyText));
    } else {
        params.push_back(Param::of(link.id1));
        params.push_back(Param::of(link.typeId()));
    }
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.execute(OpId(op), request);
    co_return reply.outcome;
}

Task<Outcome> LinkbenchInstance::readList(UserContext& user) const
{
    Link link;
    drawLink(user, m_linkReads, kExistsGet, link);
    CutLists::Place place{link.id1, link.type, std::numeric_limits<std::int64_t>::max()};
    bool goesOn = m_cutLists.any() && user.random().unit() < kTailShare;
    if (goesOn) {
        const CutLists::Place cut = m_cutLists.pick(user.random());
        goesOn = cut.id1 != 0; // another user may have come to its end meanwhile
        if (goesOn)
            place = cut;
    }
    const std::array<Param, 3> params{Param::of(place.id1), Param::of(kFirstLinkType + place.type),
                                      Param::of(place.time)};
    const bool asksTime = goesOn || !documents();
    const Request request =
        Request::execute(StatementId(goesOn ? kGetListTail : kGetList), std::span(params).first(asksTime ? 3 : 2));
    const Reply reply = co_await user.execute(OpId(Op::GetLinkList), request);
    if (reply.outcome != Outcome::Ok)
        co_return reply.outcome;
    const KeptRows& last = user.kept();
    if (reply.rows >= m_params.listLimit && last.rows() > 0) [[unlikely]] {
        constexpr std::size_t kTime = 5; // column
        const std::int64_t time = last.integer(0, documents() ? last.find(0, "time") : kTime);
        // Links of the same time must not keep a list at its place for ever.
        m_cutLists.remember({place.id1, place.type, goesOn ? std::min(time, place.time - 1) : time}, user.random());
    } else if (goesOn) {
        m_cutLists.forget(place);
    }
    co_return reply.outcome;
}

Task<Outcome> LinkbenchInstance::useNode(UserContext& user, Op op) const
{
    Random& random = user.random();
    std::array<Param, 5> params;
    std::size_t bound = 2;
    std::uint32_t statement = kGetNode;
    std::int64_t id = 0;
    if (op == Op::AddNode)
        id = m_nextNode.fetch_add(1);
    else
        id = (op == Op::GetNode ? m_nodeReads : op == Op::UpdateNode ? m_nodeUpdates : m_nodeDeletes).draw(random);
    const bool keyLast = op == Op::UpdateNode && !documents(); // after what is set
    const std::size_t key = keyLast ? 2 : 0, values = keyLast ? 0 : 2;
    params[key] = Param::of(id);
    params[key + 1] = Param::of(kNodeType);
    if (op == Op::AddNode || op == Op::UpdateNode) {
        std::string& data = user.buffer();
        const std::size_t length = m_nodeData.drawLength(random);
        m_nodeData.write(data.data(), length, random);
        statement = op == Op::AddNode ? kAddNode : kUpdateNode;
        bound = op == Op::AddNode ? 5 : 4;
        const std::size_t time = values + (op == Op::AddNode ? 1 : 0);
        if (op == Op::AddNode)
            params[values] = Param::of(std::int64_t(1)); // version
        params[time] = Param::of(nodeTime(nowMs()));
        params[time + 1] = Param::of(std::string_view(data.data(), length));
    } else if (op == Op::DeleteNode) {
        statement = kDeleteNode;
    }
    const Request request = Request::execute(StatementId(statement), std::span(params).first(bound));
    const Reply reply = co_await user.execute(OpId(op), request);
    co_return reply.outcome;
}

} // namespace dyno::linkbench
