// SPDX-License-Identifier: GPL-3.0-or-later
// What a MongoDB server does at a moment.
#include "mongodb_admin.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace dyno::mongodb {

namespace {

constexpr int kMostShapeDepth = 6;
constexpr std::size_t kMostShape = 1000; //!< bytes
constexpr double kMicroseconds = 1e6;

//! Names of fields without values: "{filter: {_id: {$gt}}, limit}".
void addShape(bson_iter_t& at, std::string& text, int depth)
{
    bool first = true;
    while (bson_iter_next(&at) && text.size() < kMostShape) {
        text += first ? "" : ", ";
        text += bson_iter_key(&at);
        first = false;
        bson_iter_t inside;
        if (depth < kMostShapeDepth && BSON_ITER_HOLDS_DOCUMENT(&at) && bson_iter_recurse(&at, &inside)) {
            text += ": {";
            addShape(inside, text, depth + 1);
            text += '}';
        }
    }
}

//! "find sbtest1 {filter: {_id}, limit}". A first value that is not the collection of `space` may be anything: of a
//! large command the server tells a text with values, "$truncated".
std::string shapeOf(const bson_iter_t& command, std::string_view space)
{
    bson_iter_t at, rest;
    if (!BSON_ITER_HOLDS_DOCUMENT(&command) || !bson_iter_recurse(&command, &at) || !bson_iter_next(&at))
        return {};
    std::string text = bson_iter_key(&at);
    const std::size_t dot = std::min(space.find('.'), space.size());
    if (BSON_ITER_HOLDS_UTF8(&at) && dot < space.size() && space.substr(dot + 1) == bson_iter_utf8(&at, nullptr))
        text += fmt::format(" {}", space.substr(dot + 1));
    text += " {";
    rest = at;
    addShape(rest, text, 0);
    return text + '}';
}

std::string valueAt(const bson_t& document, const char* key)
{
    bson_iter_t at;
    return bson_iter_init_find(&at, &document, key) ? valueText(at) : std::string();
}

} // namespace

Expected<std::vector<SnapshotPart>> MongodbAdmin::snapshot()
{
    Document command;
    bson_append_int32(command.get(), "currentOp", -1, 1);
    const auto answer = run(*command, "admin");
    if (!answer)
        return fail(answer.error());
    SnapshotPart part{
        "Operations", {}, {}, {"id", "client", "operation", "namespace", "s", "waits", "plan", "command"}};
    bson_iter_t at, each;
    if (bson_iter_init_find(&at, &**answer, "inprog") && BSON_ITER_HOLDS_ARRAY(&at) && bson_iter_recurse(&at, &each)) {
        while (bson_iter_next(&each) && part.rows.size() <= kSnapshotRows) {
            const std::uint8_t* bytes = nullptr;
            std::uint32_t size = 0;
            bson_t one;
            if (!BSON_ITER_HOLDS_DOCUMENT(&each))
                continue;
            bson_iter_document(&each, &size, &bytes);
            if (!bson_init_static(&one, bytes, size))
                continue;
            bson_iter_t field;
            const std::string shape =
                bson_iter_init_find(&field, &one, "command") ? shapeOf(field, valueAt(one, "ns")) : std::string();
            if (shape.starts_with("currentOp"))
                continue; // this question
            const double seconds = bson_iter_init_find(&field, &one, "microsecs_running")
                                       ? double(bson_iter_as_int64(&field)) / kMicroseconds
                                       : 0;
            part.rows.push_back({valueAt(one, "opid"), valueAt(one, "client"), valueAt(one, "op"), valueAt(one, "ns"),
                                 fmt::format("{:.3f}", seconds), valueAt(one, "waitingForLock"),
                                 valueAt(one, "planSummary"), shape});
        }
    }
    part.brief = briefOf(part.rows.size(), "operation");
    return std::vector<SnapshotPart>{std::move(part)};
}

} // namespace dyno::mongodb
