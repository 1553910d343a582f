// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/linkbench/linkbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dyno::linkbench {

namespace {

enum Statement : std::uint32_t {
    kUpdateVisible,
    kUpsertLink,
    kCountUp,
    kHideLink,
    kCountDown,
    kGetCount,
    kGetList,
    kAddNode,
    kUpdateNode,
    kDeleteNode,
    kGetNode,
    kGetLinks, //!< one for each of kLinkNumbers
};
//! Links that a statement asks for by their ids; shorter lists name the last one again.
constexpr std::array<std::size_t, 11> kLinkNumbers {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128};
constexpr std::size_t kLongestNode = 16 * 1024; //!< characters; the original allows 1 MiB, which no run would meet
constexpr double kMultigetP = 0.382; //!< of the geometric number of links
constexpr double kExistsAdd = 0.05, kExistsUpdate = 0.9, kExistsDelete = 0.9, kExistsGet = 0.5;

constexpr int kLinkTable = 1, kCountTable = 2, kNodeTable = 3;
constexpr std::array<std::int64_t, 4> kBatch {0, 400, 500, 50}; //!< rows of an insert, by table
//! Rows have their own random streams, apart from those of the users (which are numbered from 1).
constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 40;
constexpr std::int64_t kLoadedMs = 1'577'836'800'000;       //!< 2020-01-01, UTC
constexpr std::int64_t kAgesMs = 50ll * 24 * 3600 * 1000; //!< loaded links are up to so old then

std::int64_t clockMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template<std::size_t n>
std::string_view writeIds(std::array<char, n>& out, int type, std::int64_t id1, std::int64_t id2 = -1)
{
    const auto end = id2 < 0 ? fmt::format_to_n(out.data(), n, "{}:{}", kFirstLinkType + type, id1)
                             : fmt::format_to_n(out.data(), n, "{}:{}:{}", kFirstLinkType + type, id1, id2);
    return {out.data(), end.size};
}

StatementSpec insertOf(int table, std::int64_t rows)
{
    using enum Param::Type;
    constexpr std::array<const char*, 4> kDocuments {
        "",
        R"("linktable","documents":[{"_id":"?","id1":"?","id2":"?","link_type":"?","visibility":"?","data":"?","time":"?","version":"?"})",
        R"("counttable","documents":[{"_id":"?","id":"?","link_type":"?","count":"?","time":"?","version":"?"})",
        R"("nodetable","documents":[{"_id":"?","type":"?","version":"?","time":"?","data":"?"})"};
    const std::array<std::vector<Param::Type>, 4> types {{{},
                                                          {Text, Integer, Integer, Integer, Integer, Text, Integer, Integer},
                                                          {Text, Integer, Integer, Integer, Integer, Integer},
                                                          {Integer, Integer, Integer, Integer, Text}}};
    std::string text = std::string(R"({"insert":)") + kDocuments[std::size_t(table)];
    const std::string document = text.substr(text.find("[{") + 1);
    StatementSpec spec;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (row > 0)
            text += "," + document;
        spec.parameters.insert(spec.parameters.end(), types[std::size_t(table)].begin(), types[std::size_t(table)].end());
    }
    spec.text = text + "]}";
    return spec;
}

StatementSet requestStatements()
{
    using enum Param::Type;
    StatementSet all {
        {R"({"update":"linktable","updates":[{"q":{"_id":"?","visibility":1},"u":{"$set":{"data":"?","time":"?"},"$inc":{"version":1}}}]})",
         {Text, Text, Integer}},
        {R"({"update":"linktable","updates":[{"q":{"_id":"?"},"u":{"$set":{"visibility":1,"data":"?","time":"?"},"$inc":{"version":1},)"
         R"("$setOnInsert":{"id1":"?","id2":"?","link_type":"?"}},"upsert":true}]})",
         {Text, Text, Integer, Integer, Integer, Integer}},
        {R"({"update":"counttable","updates":[{"q":{"_id":"?"},"u":{"$inc":{"count":1,"version":1},"$set":{"time":"?"},)"
         R"("$setOnInsert":{"id":"?","link_type":"?"}},"upsert":true}]})",
         {Text, Integer, Integer, Integer}},
        {R"({"update":"linktable","updates":[{"q":{"_id":"?","visibility":1},"u":{"$set":{"visibility":0}}}]})", {Text}},
        {R"({"update":"counttable","updates":[{"q":{"_id":"?","count":{"$gt":0}},"u":{"$inc":{"count":-1,"version":1},"$set":{"time":"?"}}}]})",
         {Text, Integer}},
        {R"({"find":"counttable","filter":{"_id":"?"},"limit":1,"singleBatch":true})", {Text}, true},
        {R"({"find":"linktable","filter":{"id1":"?","link_type":"?","visibility":1},"sort":{"time":-1},"limit":10000})",
         {Integer, Integer},
         true},
        insertOf(kNodeTable, 1),
        {R"({"update":"nodetable","updates":[{"q":{"_id":"?","type":"?"},"u":{"$set":{"time":"?","data":"?"},"$inc":{"version":1}}}]})",
         {Integer, Integer, Integer, Text}},
        {R"({"delete":"nodetable","deletes":[{"q":{"_id":"?","type":"?"},"limit":1}]})", {Integer, Integer}},
        {R"({"find":"nodetable","filter":{"_id":"?","type":"?"},"limit":1,"singleBatch":true})", {Integer, Integer}, true},
    };
    for (const std::size_t number : kLinkNumbers) {
        std::string ids = R"("?")";
        for (std::size_t i = 1; i < number; ++i)
            ids += R"(,"?")";
        all.push_back({fmt::format(R"({{"find":"linktable","filter":{{"_id":{{"$in":[{}]}}}}}})", ids),
                       std::vector<Param::Type>(number, Text), true});
    }
    return all;
}

Task<Reply> ask(UserContext& user, std::uint32_t statement, std::span<const Param> params)
{
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.step(request);
    co_return reply;
}

} // namespace

LinkbenchInstance::LinkbenchInstance(const Params& params, std::string suffix)
    : m_params(params)
    , m_suffix(std::move(suffix))
    , m_degrees(params.nodes, params.compat)
    , m_linkData(8, 254, 32, 100, 0.225)
    , m_nodeData(128, kLongestNode, 50, 126, 0.63) // the original goes up to 220, which is no text
    , m_linkReads(m_degrees, params.nodes, 0.8, 0.005, 2)
    , m_linkWrites(m_degrees, params.nodes, params.compat ? 0.8 : 0.741, params.compat ? 0.005 : 0.05, 3)
    , m_nodeReads(m_degrees, params.nodes, 0.625, 0, 4)
    , m_nodeUpdates(m_degrees, params.nodes, 0.606, 0, 4)
    , m_nodeDeletes(m_degrees, params.nodes, 0, 0, 4)
    , m_statements(requestStatements())
    , m_nextNode(params.nodes + 1)
{
}

std::vector<TableSpec> LinkbenchInstance::tables() const
{
    std::vector<TableSpec> specs(3);
    specs[0].name = "linktable";
    specs[0].columns = {"_id", "id1", "id2", "link_type", "visibility", "data", "time", "version"};
    specs[0].rows = m_degrees.links();
    specs[0].afterLoad = {R"({"createIndexes":"linktable","indexes":[{"key":{"id1":1,"link_type":1,"visibility":1,"time":1,"id2":1},)"
                          R"("name":"id1_type"}]})"};
    specs[1].name = "counttable";
    specs[1].columns = {"_id", "id", "link_type", "count", "time", "version"};
    specs[1].rows = m_degrees.counts();
    specs[2].name = "nodetable";
    specs[2].columns = {"_id", "type", "version", "time", "data"};
    specs[2].rows = m_params.nodes;
    for (int table = kLinkTable; table <= kNodeTable; ++table) {
        TableSpec& spec = specs[std::size_t(table - 1)];
        spec.create = fmt::format(R"({{"create":"{}"{}}})", spec.name, m_suffix);
        spec.rowsPerSlice = kBatch[std::size_t(table)];
        spec.freshEachRun = true; // links come and go, and the same nodes are added again
    }
    return specs;
}

StatementSet LinkbenchInstance::loaderStatements() const
{
    StatementSet all = m_statements;
    for (int table = kLinkTable; table <= kNodeTable; ++table) {
        all.push_back(insertOf(table, 1));
        all.push_back(insertOf(table, kBatch[std::size_t(table)]));
    }
    return all;
}

std::uint64_t LinkbenchInstance::estimatedBytes() const
{
    // Names and values of a document, with the means of the lognormal payloads, and the index's entry.
    return std::uint64_t(m_degrees.links()) * (165 + 13 + 60) + std::uint64_t(m_degrees.counts()) * 110 +
           std::uint64_t(m_params.nodes) * (75 + 211);
}

char* LinkbenchInstance::bindRow(char* out, int table, std::int64_t row, std::uint64_t seed, std::vector<Param>& params) const
{
    Random random = Random::forItem(seed, kRowStreams + std::uint64_t(table), std::uint64_t(row));
    const auto key = [&out, &params](int type, std::int64_t id1, std::int64_t id2) {
        std::array<char, 80> text;
        const std::string_view written = writeIds(text, type, id1, id2);
        params.push_back(Param::of(std::string_view(out, written.size())));
        out = std::ranges::copy(written, out).out;
    };
    const auto number = [&params](std::int64_t value) { params.push_back(Param::of(value)); };
    const auto payload = [&out, &params, &random](const Payload& data) {
        char* const end = data.write(out, data.drawLength(random), random);
        params.push_back(Param::of(std::string_view(out, std::size_t(end - out))));
        out = end;
    };
    const std::int64_t time = kLoadedMs - random.uniform(0, kAgesMs);
    if (table == kLinkTable) {
        const Degrees::Link link = m_degrees.link(row - 1);
        key(link.type, link.id1, link.id1 + link.number);
        number(link.id1);
        number(link.id1 + link.number);
        number(kFirstLinkType + link.type);
        number(1); // visible
        payload(m_linkData);
        number(time);
        number(0);
    } else if (table == kCountTable) {
        const Degrees::Count count = m_degrees.count(row - 1);
        key(count.type, count.id1, -1);
        number(count.id1);
        number(kFirstLinkType + count.type);
        number(count.links);
        number(time);
        number(0);
    } else {
        number(row);
        number(kNodeType);
        number(1);
        number(time);
        payload(m_nodeData);
    }
    return out;
}

Task<Outcome> LinkbenchInstance::load(UserContext& user, LoadSlice slice) const
{
    const std::int64_t batch = kBatch[std::size_t(slice.table)];
    const auto one = std::uint32_t(m_statements.size() + 2 * std::size_t(slice.table - 1));
    const std::size_t rowBytes = 80 + (slice.table == kNodeTable ? m_nodeData.longest() : m_linkData.longest());
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        const std::int64_t rows = slice.lastRow - row + 1 >= batch ? batch : 1;
        std::string& texts = user.buffer();
        texts.resize(std::max(texts.size(), std::size_t(rows) * rowBytes));
        user.params().clear();
        char* out = texts.data();
        for (std::int64_t i = 0; i < rows; ++i)
            out = bindRow(out, slice.table, row + i, user.seed(), user.params());
        const Reply reply = co_await ask(user, rows == 1 ? one : one + 1, user.params());
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        row += rows;
    }
    co_return Outcome::Ok;
}

//! A link of which about the share `existing` is there.
void LinkbenchInstance::drawLink(UserContext& user, const NodeChooser& nodes, double existing, Link& link) const
{
    Random& random = user.random();
    link.id1 = nodes.draw(random);
    link.type = int(random.uniform(0, kLinkTypes - 1));
    const double range = std::max(1.0, std::ceil(double(m_degrees.linksOf(link.id1, link.type)) / existing));
    link.id2 = link.id1 + random.uniform(0, std::int64_t(range) - 1);
    link.keyText = writeIds(link.key, link.type, link.id1, link.id2);
    link.countKeyText = writeIds(link.countKey, link.type, link.id1);
}

Task<Outcome> LinkbenchInstance::transaction(UserContext& user) const
{
    // Once for all kinds of requests, which come in any order.
    if (user.buffer().size() < m_nodeData.longest())
        user.buffer().resize(m_nodeData.longest());
    user.params().reserve(kLinkNumbers.back());
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
    else if (op == Op::CountLinks || op == Op::GetLinks || op == Op::GetLinkList)
        outcome = co_await readLinks(user, op);
    else
        outcome = co_await useNode(user, op);
    co_return outcome;
}

Task<Outcome> LinkbenchInstance::writeLink(UserContext& user, Op op) const
{
    Link link;
    drawLink(user, m_linkWrites, op == Op::AddLink ? kExistsAdd : op == Op::UpdateLink ? kExistsUpdate : kExistsDelete, link);
    const std::int64_t startNs = nowNs();
    Reply reply;
    if (m_params.transactions) {
        const Request begin = Request::step(RequestKind::Begin);
        reply = co_await user.step(begin);
    }
    if (reply.outcome == Outcome::Ok && op == Op::DeleteLink)
        reply = co_await hideLink(user, link);
    else if (reply.outcome == Outcome::Ok)
        reply = co_await putLink(user, link);
    const std::int64_t affected = reply.affected;
    if (reply.outcome == Outcome::Ok && m_params.transactions) {
        const Request commit = Request::step(RequestKind::Commit);
        reply = co_await user.step(commit);
    }
    user.recorder().recordOperation(OpId(op), std::uint64_t(nowNs() - startNs), reply.outcome == Outcome::Ok);
    if (reply.outcome == Outcome::Ok && affected > 0)
        user.recorder().recordRows(std::uint64_t(affected));
    co_return reply.outcome;
}

Task<Reply> LinkbenchInstance::putLink(UserContext& user, Link& link) const
{
    std::string& data = user.buffer();
    const std::size_t length = m_linkData.drawLength(user.random());
    m_linkData.write(data.data(), length, user.random());
    const std::int64_t now = clockMs(), type = kFirstLinkType + link.type;
    const std::array<Param, 6> params {Param::of(link.keyText), Param::of(std::string_view(data.data(), length)), Param::of(now),
                                       Param::of(link.id1), Param::of(link.id2), Param::of(type)};
    const Reply updated = co_await ask(user, kUpdateVisible, std::span(params).first(3));
    if (updated.outcome != Outcome::Ok || updated.affected > 0)
        co_return updated;
    const Reply shown = co_await ask(user, kUpsertLink, params);
    if (shown.outcome != Outcome::Ok)
        co_return shown;
    const std::array<Param, 4> count {Param::of(link.countKeyText), Param::of(now), Param::of(link.id1), Param::of(type)};
    Reply counted = co_await ask(user, kCountUp, count);
    counted.affected += shown.affected;
    co_return counted;
}

Task<Reply> LinkbenchInstance::hideLink(UserContext& user, Link& link) const
{
    const std::array<Param, 1> key {Param::of(link.keyText)};
    const Reply hidden = co_await ask(user, kHideLink, key);
    if (hidden.outcome != Outcome::Ok || hidden.affected == 0)
        co_return hidden;
    const std::array<Param, 2> count {Param::of(link.countKeyText), Param::of(clockMs())};
    Reply counted = co_await ask(user, kCountDown, count);
    counted.affected += hidden.affected;
    co_return counted;
}

Task<Outcome> LinkbenchInstance::readLinks(UserContext& user, Op op) const
{
    Random& random = user.random();
    std::vector<Param>& params = user.params();
    params.clear();
    Link link;
    drawLink(user, m_linkReads, kExistsGet, link);
    std::uint32_t statement = kGetList;
    if (op == Op::CountLinks) {
        statement = kGetCount;
        params.push_back(Param::of(link.countKeyText));
    } else if (op == Op::GetLinkList) {
        params.push_back(Param::of(link.id1));
        params.push_back(Param::of(kFirstLinkType + link.type));
    } else {
        const double range = std::max(1.0, std::ceil(double(m_degrees.linksOf(link.id1, link.type)) / kExistsGet));
        const double drawn = 1 + std::floor(std::log1p(-random.unit()) / std::log1p(-kMultigetP));
        const auto number = std::size_t(std::min({drawn, range, double(kLinkNumbers.back())}));
        const auto form = std::size_t(std::ranges::lower_bound(kLinkNumbers, number) - kLinkNumbers.begin());
        statement = kGetLinks + std::uint32_t(form);
        std::string& keys = user.buffer();
        static_assert(kLinkNumbers.back() * sizeof link.key <= kLongestNode);
        char* out = keys.data();
        for (std::size_t i = 0; i < kLinkNumbers[form]; ++i) {
            if (i < number) {
                const std::int64_t place = (link.id2 - link.id1 + std::int64_t(i)) % std::int64_t(range);
                const std::string_view key = writeIds(link.key, link.type, link.id1, link.id1 + place);
                std::ranges::copy(key, out);
                params.push_back(Param::of(std::string_view(out, key.size())));
                out += key.size();
            } else {
                params.push_back(params.back());
            }
        }
    }
    const Request request = Request::execute(StatementId(statement), params);
    const Reply reply = co_await user.execute(OpId(op), request);
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
    params[0] = Param::of(id);
    params[1] = Param::of(kNodeType);
    if (op == Op::AddNode || op == Op::UpdateNode) {
        std::string& data = user.buffer();
        const std::size_t length = m_nodeData.drawLength(random);
        m_nodeData.write(data.data(), length, random);
        statement = op == Op::AddNode ? kAddNode : kUpdateNode;
        bound = op == Op::AddNode ? 5 : 4;
        if (op == Op::AddNode)
            params[2] = Param::of(std::int64_t(1)); // version
        params[bound - 2] = Param::of(clockMs());
        params[bound - 1] = Param::of(std::string_view(data.data(), length));
    } else if (op == Op::DeleteNode) {
        statement = kDeleteNode;
    }
    const Request request = Request::execute(StatementId(statement), std::span(params).first(bound));
    const Reply reply = co_await user.execute(OpId(op), request);
    co_return reply.outcome;
}

} // namespace dyno::linkbench
