// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_reply.h"

#include <algorithm>
#include <array>
#include <string>

namespace dyno::mongodb {

namespace {

// Numbers of the server's error_codes.yml.
constexpr std::int32_t kMaxTimeExpired = 50;
constexpr std::int32_t kNetworkTimeLimit = 202;
constexpr std::int32_t kWriteConcernFailed = 64; // wtimeout

//! "Retryable Writes" and "Retryable Reads": another primary, or the way to it. A try later is right.
constexpr std::array kTransient = {
    6,     // HostUnreachable
    7,     // HostNotFound
    89,    // NetworkTimeout
    91,    // ShutdownInProgress
    134,   // ReadConcernMajorityNotAvailableYet
    189,   // PrimarySteppedDown
    262,   // ExceededTimeLimit
    9001,  // SocketException
    10107, // NotWritablePrimary
    11600, // InterruptedAtShutdown
    11602, // InterruptedDueToReplStateChange
    13435, // NotPrimaryNoSecondaryOk
    13436, // NotPrimaryOrSecondary
};
//! Two users in each other's way.
constexpr std::array kConflicts = {
    24,  // LockTimeout
    46,  // LockBusy
    112, // WriteConflict
    246, // SnapshotUnavailable
    267, // PreparedTransactionInProgress
};
//! The cursor of a read is lost; the read may be made again.
constexpr std::array kLostCursor = {
    43,  // CursorNotFound
    237, // CursorKilled
};

template<class Codes>
bool among(std::int32_t code, const Codes& codes)
{
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

std::int64_t countOf(const bson_iter_t& array)
{
    std::int64_t count = 0;
    bson_iter_t item;
    if (bson_iter_recurse(&array, &item)) {
        while (bson_iter_next(&item))
            ++count;
    }
    return count;
}

void readCursor(const bson_iter_t& at, Answer& answer)
{
    bson_iter_t field;
    if (!bson_iter_recurse(&at, &field))
        return;
    while (bson_iter_next(&field)) {
        const std::string_view key = bson_iter_key(&field);
        if (key == "firstBatch" || key == "nextBatch") {
            answer.documents = countOf(field);
        } else if (key == "id") {
            answer.cursor = bson_iter_as_int64(&field);
        } else if (key == "ns" && BSON_ITER_HOLDS_UTF8(&field)) {
            std::uint32_t size = 0;
            const char* text = bson_iter_utf8(&field, &size);
            const std::string_view name(text, size);
            answer.collection = name.substr(std::min(name.find('.') + 1, name.size()));
        }
    }
}

Param valueOf(const bson_iter_t& field)
{
    switch (bson_iter_type(&field)) {
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
    case BSON_TYPE_BOOL:
        return Param::of(std::int64_t(bson_iter_as_int64(&field)));
    case BSON_TYPE_DATE_TIME:
        return Param::of(std::int64_t(bson_iter_date_time(&field)));
    case BSON_TYPE_DOUBLE:
        return Param::of(bson_iter_double(&field));
    case BSON_TYPE_UTF8: {
        std::uint32_t size = 0;
        const char* const text = bson_iter_utf8(&field, &size);
        return Param::of(std::string_view(text, size));
    }
    case BSON_TYPE_BINARY: {
        std::uint32_t size = 0;
        const std::uint8_t* bytes = nullptr;
        bson_iter_binary(&field, nullptr, &size, &bytes);
        return Param::of(std::string_view(reinterpret_cast<const char*>(bytes), size));
    }
    default:
        return {};
    }
}

void readError(const bson_iter_t& at, Answer& answer)
{
    bson_iter_t error;
    if (!bson_iter_recurse(&at, &error))
        return;
    answer.errorCode = -1; // a server that gives no number
    answer.error = "the server gave no reason";
    while (bson_iter_next(&error)) {
        const std::string_view key = bson_iter_key(&error);
        if (key == "code" && bson_iter_as_int64(&error) != 0) {
            answer.errorCode = std::int32_t(bson_iter_as_int64(&error));
        } else if (key == "errmsg" && BSON_ITER_HOLDS_UTF8(&error)) {
            std::uint32_t size = 0;
            const char* text = bson_iter_utf8(&error, &size);
            answer.error = {text, size};
        }
    }
}

//! findAndModify: lastErrorObject {n, updatedExisting, upserted}.
std::int64_t changedBy(const bson_iter_t& at)
{
    bson_iter_t field;
    if (bson_iter_recurse(&at, &field) && bson_iter_find(&field, "n"))
        return bson_iter_as_int64(&field);
    return 0;
}

void keepDocument(const bson_iter_t& document, KeptRows& kept)
{
    kept.beginRow();
    bson_iter_t field;
    if (!bson_iter_recurse(&document, &field))
        return;
    while (bson_iter_next(&field)) {
        // With names it is for variables, which would send it again as a text.
        const bool binary = BSON_ITER_HOLDS_BINARY(&field) && kept.keepsNames();
        kept.add(binary ? Param() : valueOf(field));
        kept.name(bson_iter_key(&field));
    }
}

std::string_view textOfField(const bson_iter_t& field)
{
    std::uint32_t size = 0;
    return BSON_ITER_HOLDS_UTF8(&field) ? std::string_view(bson_iter_utf8(&field, &size)) : std::string_view();
}

//! Of "test.orders"; a name may hold further dots.
std::string_view collectionOf(const bson_iter_t& namesSpace)
{
    const std::string_view name = textOfField(namesSpace);
    return name.substr(std::min(name.find('.') + 1, name.size()));
}

void keepStage(const bson_iter_t& stage, std::string_view collection, std::size_t depth, KeptRows& kept);

//! The winning plan in `holder`, which names the collection; since 5.1 it may stand beside that of another engine.
bool keepWinningPlan(const bson_iter_t& holder, std::string_view collection, std::size_t depth, KeptRows& kept)
{
    bson_iter_t at, found;
    if (bson_iter_recurse(&holder, &at) && bson_iter_find(&at, "namespace"))
        collection = collectionOf(at);
    for (const char* path : {"winningPlan.queryPlan", "winningPlan"}) {
        if (bson_iter_recurse(&holder, &at) && bson_iter_find_descendant(&at, path, &found) &&
            BSON_ITER_HOLDS_DOCUMENT(&found)) {
            keepStage(found, collection, depth, kept);
            return true;
        }
    }
    return false;
}

//! A stage of a plan, and those that feed it behind it.
void keepStage(const bson_iter_t& stage, std::string_view collection, std::size_t depth, KeptRows& kept)
{
    constexpr std::size_t kDeepestStage = 40;
    bson_iter_t field;
    if (depth > kDeepestStage || !bson_iter_recurse(&stage, &field))
        return;
    std::string name, index;
    while (bson_iter_next(&field)) {
        const std::string_view key = bson_iter_key(&field);
        if (key == "stage")
            name = textOfField(field);
        else if (key == "indexName")
            index = textOfField(field);
    }
    const std::string text =
        std::string(2 * depth, ' ') + (name.empty() ? "stage" : name) + (index.empty() ? "" : " " + index);
    kept.beginRow();
    kept.add(Param::of(std::string_view(text)));
    kept.add(Param::of(name == "COLLSCAN" ? collection : std::string_view()));
    if (!bson_iter_recurse(&stage, &field))
        return;
    while (bson_iter_next(&field)) {
        const std::string_view key = bson_iter_key(&field);
        bson_iter_t input;
        if (key == "inputStage" || key == "outerStage" || key == "innerStage") {
            keepStage(field, collection, depth + 1, kept);
        } else if (key == "inputStages" && bson_iter_recurse(&field, &input)) {
            while (bson_iter_next(&input))
                keepStage(input, collection, depth + 1, kept);
        } else if (key == "shards" && bson_iter_recurse(&field, &input)) { // each has a plan of its own
            while (bson_iter_next(&input))
                (void)keepWinningPlan(input, collection, depth + 1, kept);
        }
    }
}

//! An aggregation has its planner in the first stage.
bool findPlanner(const bson_iter_t& begin, bson_iter_t& planner)
{
    for (const char* path : {"queryPlanner", "stages.0.$cursor.queryPlanner"}) {
        bson_iter_t at = begin;
        if (bson_iter_find_descendant(&at, path, &planner))
            return true;
    }
    return false;
}

} // namespace

void keepPlan(const bson_t& answer, KeptRows& kept)
{
    bson_iter_t at, shard, planner;
    if (!bson_iter_init(&at, &answer))
        return;
    if (!findPlanner(at, planner)) {
        if (!bson_iter_find(&at, "shards") || !bson_iter_recurse(&at, &shard)) // an aggregation on several servers
            return;
        while (bson_iter_next(&shard)) {
            if (bson_iter_recurse(&shard, &at) && findPlanner(at, planner))
                (void)keepWinningPlan(planner, {}, 0, kept);
        }
        return;
    }
    if (keepWinningPlan(planner, {}, 0, kept))
        return;
    bson_t frame = BSON_INITIALIZER; // a server with plans of its own
    bson_append_iter(&frame, "queryPlanner", -1, &planner);
    if (char* const json = bson_as_relaxed_extended_json(&frame, nullptr)) {
        kept.beginRow();
        kept.add(Param::of(std::string_view(json)));
        kept.add(Param::of(std::string_view()));
        bson_free(json);
    }
    bson_destroy(&frame);
}

Outcome outcomeOfServer(std::int32_t code)
{
    if (code == kMaxTimeExpired || code == kNetworkTimeLimit || code == kWriteConcernFailed)
        return Outcome::TimedOut;
    if (among(code, kTransient) || among(code, kConflicts) || among(code, kLostCursor))
        return Outcome::Retryable;
    return Outcome::Rejected;
}

bool lostPrimary(std::int32_t code)
{
    static constexpr std::array kCodes = {91, 189, 10107, 11600, 11602, 13435, 13436};
    return among(code, kCodes);
}

Outcome outcomeOf(const bson_error_t& error, const bson_t* answer)
{
    const auto code = std::int32_t(error.code);
    const bool transient = answer && mongoc_error_has_label(answer, "TransientTransactionError");
    switch (error.domain) {
    case MONGOC_ERROR_STREAM:
    case MONGOC_ERROR_SERVER_SELECTION:
        return Outcome::Disconnected;
    case MONGOC_ERROR_PROTOCOL:
        // An answer that cannot be read: nothing more on this connection can be trusted.
        return code == MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION ? Outcome::Rejected : Outcome::Disconnected;
    case MONGOC_ERROR_SERVER:
    case MONGOC_ERROR_WRITE_CONCERN:
        return transient ? Outcome::Retryable : outcomeOfServer(code);
    default:
        return transient ? Outcome::Retryable : Outcome::Rejected;
    }
}

Answer readAnswer(const bson_t& answer)
{
    Answer result;
    std::int64_t changed = 0;
    std::int64_t modified = -1;
    std::int64_t upserted = 0;
    bool counts = false; // {"count": …} answers with n too, which is a result
    bson_iter_t at;
    if (!bson_iter_init(&at, &answer))
        return result;
    while (bson_iter_next(&at)) {
        const std::string_view key = bson_iter_key(&at);
        if (key == "cursor" && BSON_ITER_HOLDS_DOCUMENT(&at)) {
            readCursor(at, result);
        } else if (key == "n") {
            changed = bson_iter_as_int64(&at);
            counts = true;
        } else if (key == "nModified") {
            modified = bson_iter_as_int64(&at);
        } else if (key == "upserted" && BSON_ITER_HOLDS_ARRAY(&at)) {
            upserted = countOf(at);
        } else if (key == "values" && BSON_ITER_HOLDS_ARRAY(&at)) { // distinct
            result.documents = countOf(at);
        } else if (key == "value" && BSON_ITER_HOLDS_DOCUMENT(&at)) { // findAndModify
            result.documents = 1;
        } else if (key == "lastErrorObject" && BSON_ITER_HOLDS_DOCUMENT(&at)) {
            changed = changedBy(at);
            counts = true;
        } else if (key == "writeErrors" && BSON_ITER_HOLDS_ARRAY(&at)) {
            bson_iter_t first;
            if (bson_iter_recurse(&at, &first) && bson_iter_next(&first))
                readError(first, result);
        } else if (key == "writeConcernError" && BSON_ITER_HOLDS_DOCUMENT(&at) && result.errorCode == 0) {
            readError(at, result);
        }
    }
    if (counts)
        result.affected = modified >= 0 ? modified + upserted : changed;
    return result;
}

void keepDocuments(const bson_t& answer, KeptRows& kept)
{
    bson_iter_t at;
    bson_iter_t cursor;
    if (bson_iter_init_find(&at, &answer, "value") && BSON_ITER_HOLDS_DOCUMENT(&at)) // findAndModify
        return keepDocument(at, kept);
    if (!bson_iter_init_find(&at, &answer, "cursor") || !bson_iter_recurse(&at, &cursor))
        return;
    while (bson_iter_next(&cursor)) {
        const std::string_view key = bson_iter_key(&cursor);
        bson_iter_t document;
        if ((key != "firstBatch" && key != "nextBatch") || !bson_iter_recurse(&cursor, &document))
            continue;
        while (bson_iter_next(&document))
            keepDocument(document, kept);
    }
}

} // namespace dyno::mongodb
