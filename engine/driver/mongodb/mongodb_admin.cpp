// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_admin.h"

#include "base/text.h"
#include "mongodb_command.h"
#include "mongodb_reply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace dyno::mongodb {

namespace {

constexpr std::string_view kLoading = "dynobench_loading";
constexpr std::string_view kNotes = "dynobench_meta";
constexpr std::size_t kShownCommand = 200;

// The server's numbers.
constexpr std::int32_t kNamespaceNotFound = 26;
constexpr std::int32_t kNamespaceExists = 48;
constexpr std::int32_t kAuthenticationFailed = 18;

//! What a person writes for a type in $type.
const char* typeName(bson_type_t type)
{
    switch (type) {
    case BSON_TYPE_DOUBLE:
        return "double";
    case BSON_TYPE_UTF8:
        return "string";
    case BSON_TYPE_DOCUMENT:
        return "object";
    case BSON_TYPE_ARRAY:
        return "array";
    case BSON_TYPE_BINARY:
        return "bindata";
    case BSON_TYPE_OID:
        return "objectid";
    case BSON_TYPE_BOOL:
        return "bool";
    case BSON_TYPE_DATE_TIME:
        return "date";
    case BSON_TYPE_NULL:
        return "null";
    case BSON_TYPE_INT32:
        return "int";
    case BSON_TYPE_INT64:
        return "long";
    case BSON_TYPE_TIMESTAMP:
        return "timestamp";
    case BSON_TYPE_DECIMAL128:
        return "decimal";
    default:
        return "other";
    }
}

std::string jsonOf(const bson_t& document)
{
    std::size_t size = 0;
    char* json = bson_as_relaxed_extended_json(&document, &size);
    if (!json)
        return {};
    std::string text(json, size);
    bson_free(json);
    return text;
}

//! What `where` of an error says: the target and the command's beginning.
std::string placeOf(const TargetUri& uri, std::string_view command)
{
    return fmt::format("{}: {}{}", uri.display(), command.substr(0, kShownCommand),
                       command.size() > kShownCommand ? "…" : "");
}

std::string tlsRemedy(std::string_view text)
{
    const auto says = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (says("hostname") || says("Hostname"))
        return "the certificate is not for this host's name: use the name that it holds";
    if (says("certificate"))
        return "name the PEM file of the authority that signed the server's certificate in tls_ca";
    return "see whether the server speaks TLS, and check tls=, tls_ca and tls_cert_key; a server on another machine is "
           "verified unless tls=required (encrypted, but for whom is not known) or tls=off is written";
}

Document commandOf(const char* name, std::string_view collection)
{
    Document command;
    bson_append_utf8(command.get(), name, -1, collection.data(), int(collection.size()));
    return command;
}

} // namespace

std::string valueText(const bson_iter_t& at)
{
    switch (bson_iter_type(&at)) {
    case BSON_TYPE_UTF8: {
        std::uint32_t size = 0;
        const char* text = bson_iter_utf8(&at, &size);
        return {text, size};
    }
    case BSON_TYPE_BINARY: {
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        bson_iter_binary(&at, nullptr, &size, &data);
        const auto* text = reinterpret_cast<const char*>(data);
        return bson_utf8_validate(text, size, false) ? std::string(text, size) : fmt::format("({} bytes)", size);
    }
    case BSON_TYPE_BOOL:
        return bson_iter_bool(&at) ? "true" : "false";
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
        return fmt::format("{}", bson_iter_as_int64(&at));
    case BSON_TYPE_DOUBLE:
        return fmt::format("{}", bson_iter_double(&at));
    case BSON_TYPE_OID: {
        std::array<char, 25> text{};
        bson_oid_to_string(bson_iter_oid(&at), text.data());
        return text.data();
    }
    case BSON_TYPE_NULL:
    case BSON_TYPE_UNDEFINED:
        return {};
    case BSON_TYPE_DOCUMENT: {
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        bson_iter_document(&at, &size, &data);
        bson_t document;
        return bson_init_static(&document, data, size) ? jsonOf(document) : std::string();
    }
    default: { // in a document of its own, whose frame is cut off again: {"v": …}
        bson_t frame = BSON_INITIALIZER;
        bson_append_iter(&frame, "v", 1, &at);
        std::string text = jsonOf(frame);
        bson_destroy(&frame);
        const std::size_t begin = text.find(':');
        const std::size_t end = text.rfind('}');
        if (begin == std::string::npos || end == std::string::npos || end <= begin)
            return text;
        text = text.substr(begin + 1, end - begin - 1);
        text.erase(0, text.find_first_not_of(' '));
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }
    }
}

MongodbAdmin::MongodbAdmin(TargetUri uri, ConnectOptions options)
    : m_uri(std::move(uri))
    , m_options(std::move(options))
{
}

Expected<std::unique_ptr<Admin>> MongodbAdmin::connect(const ConnectTarget& target)
{
    auto options = readOptions(target);
    if (!options)
        return fail(std::move(options.error()));
    std::unique_ptr<MongodbAdmin> admin(new MongodbAdmin(target.uri, std::move(*options)));
    if (auto connected = admin->connectNow(); !connected)
        return fail(std::move(connected.error()));
    return admin;
}

Expected<void> MongodbAdmin::connectNow()
{
    mongoc_uri_t* uri = m_options.uri.get();
    // One look at one server is enough; the members of a set may be electing a primary.
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_SERVERSELECTIONTRYONCE, !m_options.severalHosts);
    m_client.reset(mongoc_client_new_from_uri(uri));
    if (!m_client)
        return fail({ErrorKind::Unreachable, "libmongoc could not make a connection", m_uri.display(),
                     "see whether the name of the host can be resolved"});
    mongoc_client_set_error_api(m_client.get(), MONGOC_ERROR_API_VERSION_2);
    bson_t command = BSON_INITIALIZER;
    bson_append_int32(&command, "ping", -1, 1);
    bson_error_t error{};
    const bool done = mongoc_client_command_simple(m_client.get(), "admin", &command, nullptr, nullptr, &error);
    bson_destroy(&command);
    if (done)
        return {};
    return fail(commandError(error, {}));
}

Error MongodbAdmin::commandError(const bson_error_t& error, std::string_view command) const
{
    Error result;
    const bool refused = error.domain == MONGOC_ERROR_SERVER || error.domain == MONGOC_ERROR_CLIENT ||
                         error.domain == MONGOC_ERROR_SASL || error.domain == MONGOC_ERROR_SCRAM;
    const std::string_view text = error.message;
    const auto code = std::int32_t(error.code);
    // A server that refuses somebody has answered, even where the library says that it found none to talk to.
    const bool signIn = (error.domain == MONGOC_ERROR_SERVER && code == kAuthenticationFailed) ||
                        (error.domain == MONGOC_ERROR_CLIENT && code == MONGOC_ERROR_CLIENT_AUTHENTICATE) ||
                        error.domain == MONGOC_ERROR_SASL || error.domain == MONGOC_ERROR_SCRAM ||
                        text.find("uthentication failed") != std::string_view::npos;
    const bool lost = !signIn && outcomeOf(error, nullptr) == Outcome::Disconnected;
    result.kind = lost ? ErrorKind::Unreachable : ErrorKind::Refused;
    result.message =
        signIn ? fmt::format("the server answers, but refuses the user or password (error {}: {})", error.code, text)
               : fmt::format("error {}: {}", error.code, text);
    result.where = command.empty() ? m_uri.display() : placeOf(m_uri, command);
    if (text.find("TLS") != std::string_view::npos)
        result.remedy = tlsRemedy(text);
    else if (result.kind == ErrorKind::Unreachable)
        result.remedy = command.empty() ? "see whether the server runs and listens there, and whether it wants TLS"
                                        : "see whether the server still runs";
    else if (signIn || (refused && error.domain != MONGOC_ERROR_SERVER))
        result.remedy = m_uri.user.empty()
                            ? fmt::format("name a user in the URI; {}", kWherePasswordsAre)
                            : fmt::format("check the user in the URI, the password, and auth_source, the database that "
                                          "the user is kept in; {}",
                                          kWherePasswordsAre);
    else if (code == kUnauthorized)
        result.remedy = m_uri.user.empty()
                            ? fmt::format("name a user in the URI; {}", kWherePasswordsAre)
                            : "grant the user a role that may do this, such as readWrite on the database";
    return result;
}

Expected<Document> MongodbAdmin::run(const bson_t& command, const char* database)
{
    const CommandTraits traits = traitsOf(command);
    const char* name = *database ? database : traits.adminOnly ? "admin" : m_options.database.c_str();
    Document reply;
    bson_error_t error{};
    bson_destroy(reply.get());
    m_lastCode = 0;
    if (!mongoc_client_command_simple(m_client.get(), name, &command, nullptr, reply.get(), &error)) {
        m_lastCode = std::int32_t(error.code);
        return fail(commandError(error, jsonOf(command)));
    }
    if (const Answer answer = readAnswer(*reply); answer.errorCode != 0) {
        m_lastCode = answer.errorCode;
        return fail({ErrorKind::Refused,
                     fmt::format("error {}: {}", answer.errorCode, answer.error),
                     placeOf(m_uri, jsonOf(command)),
                     {}});
    }
    return reply;
}

Expected<Document> MongodbAdmin::run(std::string_view json)
{
    auto command = JsonCommand::parse(json);
    if (!command) {
        command.error().where = m_uri.display();
        return fail(std::move(command.error()));
    }
    return run(command->bson());
}

template<class Take>
Expected<void> MongodbAdmin::documents(const bson_t& command, Take take, const char* database)
{
    auto reply = run(command, database);
    if (!reply)
        return fail(std::move(reply.error()));
    std::string collection;
    for (;;) {
        bson_iter_t at;
        bson_iter_t batch;
        if (!bson_iter_init(&at, &**reply) ||
            !(bson_iter_find_descendant(&at, "cursor.firstBatch", &batch) ||
              (bson_iter_init(&at, &**reply) && bson_iter_find_descendant(&at, "cursor.nextBatch", &batch))))
            return {};
        bson_iter_t item;
        if (!bson_iter_recurse(&batch, &item))
            return {};
        while (bson_iter_next(&item)) {
            std::uint32_t size = 0;
            const std::uint8_t* data = nullptr;
            bson_iter_document(&item, &size, &data);
            bson_t document;
            if (data && bson_init_static(&document, data, size))
                take(document);
        }
        const Answer answer = readAnswer(**reply);
        if (answer.cursor == 0)
            return {};
        if (collection.empty())
            collection = answer.collection;
        Document more;
        bson_append_int64(more.get(), "getMore", -1, answer.cursor);
        bson_append_utf8(more.get(), "collection", -1, collection.data(), int(collection.size()));
        auto next = run(*more, database);
        if (!next)
            return fail(std::move(next.error()));
        *reply = std::move(*next);
    }
}

Expected<void> MongodbAdmin::execute(std::string_view text)
{
    const auto command = JsonCommand::parse(text);
    const CommandTraits traits = command ? traitsOf(command->bson()) : CommandTraits();
    if (traits.name == "create") {
        // Servers from 7.0 on take a create of what is there. Documents of somebody else must not be taken for ours.
        const auto shape = describe(traits.collection);
        if (!shape)
            return fail(shape.error());
        if (!shape->empty())
            return fail({ErrorKind::Refused,
                         fmt::format("the collection \"{}\" exists already and holds documents", traits.collection),
                         placeOf(m_uri, text), "drop it first, or use another database"});
    }
    auto reply = run(text);
    if (!reply && traits.name == "create" && m_lastCode == kInvalidOptions) {
        // Servers before 4.4 know no comment on a command, and keep none.
        Document plain;
        bson_copy_to_excluding_noinit(&command->bson(), plain.get(), "comment", nullptr);
        reply = run(*plain);
    }
    // A collection comes to be by its first index too: an empty one is as good as new. What is not there is dropped:
    // so says a server from 7.0 on.
    const bool done = (traits.name == "create" && m_lastCode == kNamespaceExists) ||
                      (traits.name == "drop" && m_lastCode == kNamespaceNotFound);
    if (!reply && !done)
        return fail(std::move(reply.error()));
    return {};
}

Expected<TextRows> MongodbAdmin::query(std::string_view text)
{
    auto command = JsonCommand::parse(text);
    if (!command) {
        command.error().where = m_uri.display();
        return fail(std::move(command.error()));
    }
    TextRows rows;
    const auto addRow = [&rows](const bson_t& document) {
        std::vector<std::string>& cells = rows.emplace_back();
        bson_iter_t at;
        if (!bson_iter_init(&at, &document))
            return;
        while (bson_iter_next(&at))
            cells.push_back(valueText(at));
    };
    const CommandTraits traits = traitsOf(command->bson());
    static constexpr std::array<std::string_view, 4> kCursors = {"find", "aggregate", "listCollections", "listIndexes"};
    if (std::find(kCursors.begin(), kCursors.end(), traits.name) != kCursors.end()) {
        if (auto done = documents(command->bson(), addRow); !done)
            return fail(std::move(done.error()));
        return rows;
    }
    auto reply = run(command->bson());
    if (!reply)
        return fail(std::move(reply.error()));
    Document fields;
    bson_copy_to_excluding_noinit(&**reply, fields.get(), "ok", "$clusterTime", "operationTime", nullptr);
    addRow(*fields);
    return rows;
}

Expected<std::vector<std::string>> MongodbAdmin::collectionsOf(const char* database)
{
    std::vector<std::string> names;
    Document command;
    bson_append_int32(command.get(), "listCollections", -1, 1);
    bson_append_bool(command.get(), "nameOnly", -1, true); // which every user may ask for
    const auto take = [&names](const bson_t& document) {
        if (std::string name = textAt(document, "name"); !name.starts_with("system."))
            names.push_back(std::move(name));
    };
    if (auto done = documents(*command, take, database); !done)
        return fail(std::move(done.error()));
    std::ranges::sort(names);
    return names;
}

Expected<std::vector<std::string>> MongodbAdmin::tableNames()
{
    return collectionsOf("");
}

Expected<std::vector<std::string>> MongodbAdmin::tablesElsewhere()
{
    static constexpr std::array<std::string_view, 3> kOwn = {"admin", "config", "local"};
    Document command;
    bson_append_int32(command.get(), "listDatabases", -1, 1);
    bson_append_bool(command.get(), "nameOnly", -1, true);
    const auto reply = run(*command);
    if (!reply)
        return fail(reply.error());
    std::vector<std::string> tables;
    bson_iter_t databases, item;
    if (!bson_iter_init_find(&databases, &**reply, "databases") || !bson_iter_recurse(&databases, &item))
        return tables;
    while (bson_iter_next(&item)) {
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        bson_t document;
        if (!BSON_ITER_HOLDS_DOCUMENT(&item))
            continue;
        bson_iter_document(&item, &size, &data);
        if (!bson_init_static(&document, data, size))
            continue;
        const std::string name = textAt(document, "name");
        if (name.empty() || name == m_options.database || std::ranges::find(kOwn, name) != kOwn.end())
            continue;
        const auto collections = collectionsOf(name.c_str());
        if (!collections)
            return fail(collections.error());
        for (const std::string& collection : *collections)
            tables.push_back(fmt::format("{}.{}", name, collection));
    }
    return tables;
}

Expected<std::vector<ColumnShape>> MongodbAdmin::describe(std::string_view table)
{
    Document command = commandOf("find", table);
    bson_append_int32(command.get(), "limit", -1, 1);
    bson_append_bool(command.get(), "singleBatch", -1, true);
    std::vector<ColumnShape> columns;
    auto done = documents(*command, [&columns](const bson_t& document) {
        bson_iter_t at;
        if (!bson_iter_init(&at, &document))
            return;
        while (bson_iter_next(&at))
            columns.push_back({lowered(bson_iter_key(&at)), typeName(bson_iter_type(&at))});
    });
    if (!done)
        return fail(std::move(done.error()));
    return columns;
}

Expected<std::int64_t> MongodbAdmin::rowCount(std::string_view table)
{
    // {"count": …} may tell what the catalogue believes, which a crash can make wrong; this one looks.
    Document command = commandOf("aggregate", table);
    auto rest = JsonCommand::parse(R"({"pipeline": [{"$group": {"_id": null, "n": {"$sum": 1}}}], "cursor": {}})");
    if (!rest)
        return fail(std::move(rest.error()));
    bson_concat(command.get(), &rest->bson());
    std::int64_t count = 0;
    auto done = documents(*command, [&count](const bson_t& document) {
        bson_iter_t at;
        if (bson_iter_init_find(&at, &document, "n"))
            count = bson_iter_as_int64(&at);
    });
    if (!done)
        return fail(std::move(done.error()));
    return count;
}

Expected<void> MongodbAdmin::drop(std::string_view table)
{
    auto reply = run(*commandOf("drop", table));
    if (reply || m_lastCode == kNamespaceNotFound || reply.error().message.find("ns not found") != std::string::npos)
        return {};
    return fail(std::move(reply.error()));
}

Expected<std::vector<std::string>> MongodbAdmin::unfinishedLoads()
{
    std::vector<std::string> tables;
    auto done = documents(*commandOf("find", kLoading),
                          [&tables](const bson_t& document) { tables.push_back(textAt(document, "_id")); });
    if (!done)
        return fail(std::move(done.error()));
    return tables;
}

Expected<void> MongodbAdmin::setUnfinishedLoads(const std::vector<std::string>& tables)
{
    if (tables.empty())
        return drop(kLoading);
    auto known = unfinishedLoads();
    if (!known)
        return fail(std::move(known.error()));
    // New names first: a crash in between leaves too many, not too few.
    Document insert = commandOf("insert", kLoading);
    Document remove = commandOf("delete", kLoading);
    bson_t inserted;
    bson_t removed;
    unsigned inserts = 0;
    unsigned removes = 0;
    bson_append_array_begin(insert.get(), "documents", -1, &inserted);
    for (const std::string& table : tables) {
        if (std::find(known->begin(), known->end(), table) != known->end())
            continue;
        Document one = commandOf("_id", table);
        bson_append_document(&inserted, std::to_string(inserts++).c_str(), -1, one.get());
    }
    bson_append_array_end(insert.get(), &inserted);
    bson_append_array_begin(remove.get(), "deletes", -1, &removed);
    for (const std::string& table : *known) {
        if (std::find(tables.begin(), tables.end(), table) != tables.end())
            continue;
        Document filter = commandOf("_id", table);
        Document one;
        bson_append_document(one.get(), "q", -1, filter.get());
        bson_append_int32(one.get(), "limit", -1, 1);
        bson_append_document(&removed, std::to_string(removes++).c_str(), -1, one.get());
    }
    bson_append_array_end(remove.get(), &removed);
    for (const auto& [count, command] : {std::pair{inserts, &insert}, {removes, &remove}}) {
        if (count == 0)
            continue;
        if (auto reply = run(**command); !reply)
            return fail(std::move(reply.error()));
    }
    return {};
}

Expected<DataNotes> MongodbAdmin::dataNotes()
{
    DataNotes notes;
    auto done = documents(*commandOf("find", kNotes), [&notes](const bson_t& document) {
        notes[textAt(document, "_id")] = textAt(document, "note");
    });
    if (!done)
        return fail(std::move(done.error()));
    return notes;
}

Expected<void> MongodbAdmin::setDataNotes(const DataNotes& notes)
{
    for (const auto& [table, note] : notes) {
        // Neither a name nor a note has anything that JSON would want escaped.
        const std::string filter = fmt::format(R"({{"_id": "{}"}})", table);
        auto reply =
            note.empty()
                ? run(fmt::format(R"({{"delete": "{}", "deletes": [{{"q": {}, "limit": 1}}]}})", kNotes, filter))
                : run(fmt::format(
                      R"({{"update": "{}", "updates": [{{"q": {}, "u": {{"$set": {{"note": "{}"}}}}, "upsert": true}}]}})",
                      kNotes, filter, note));
        if (!reply)
            return fail(std::move(reply.error()));
    }
    auto left = dataNotes();
    if (!left)
        return fail(std::move(left.error()));
    return left->empty() ? drop(kNotes) : Expected<void>();
}

std::uint64_t MongodbAdmin::dataBytes(const std::vector<std::string>& tables)
{
    double bytes = 0;
    const auto add = [&bytes](const Expected<Document>& reply, std::initializer_list<const char*> fields) {
        for (const char* field : fields) {
            bson_iter_t at;
            if (reply && bson_iter_init_find(&at, &**reply, field) && BSON_ITER_HOLDS_NUMBER(&at))
                bytes += bson_iter_as_double(&at);
        }
    };
    if (tables.empty())
        add(run(R"({"dbStats": 1})"), {"storageSize", "indexSize"});
    for (const std::string& table : tables)
        add(run(*commandOf("collStats", table)), {"storageSize", "totalIndexSize"});
    return bytes > 0 ? std::uint64_t(bytes) : 0;
}

//! Sizes on disk are those of the last checkpoint, up to a minute old. False: this user may not ask for one.
bool MongodbAdmin::askForCheckpoint()
{
    const auto answers = product();
    return !answers || !answers->claims.empty() || run(R"({"fsync": 1})").has_value();
}

Expected<void> MongodbAdmin::prewarm(const std::vector<std::string>& tables)
{
    if (auto documentsRead = Admin::prewarm(tables); !documentsRead)
        return documentsRead;
    struct Index
    {
        std::string name, firstField;
    };
    for (const std::string& table : tables) {
        std::vector<Index> indexes;
        auto listed = documents(*commandOf("listIndexes", table), [&indexes](const bson_t& document) {
            bson_iter_t at, key;
            // Text, hashed and geographical indexes have words there.
            if (bson_iter_init_find(&at, &document, "key") && bson_iter_recurse(&at, &key) && bson_iter_next(&key) &&
                BSON_ITER_HOLDS_NUMBER(&key))
                indexes.push_back({textAt(document, "name"), bson_iter_key(&key)});
        });
        if (!listed)
            return listed;
        for (const Index& index : indexes) {
            Document command = commandOf("count", table);
            bson_t query, range;
            bson_append_document_begin(command.get(), "query", -1, &query);
            bson_append_document_begin(&query, index.firstField.c_str(), -1, &range);
            bson_append_minkey(&range, "$gte", -1);
            bson_append_document_end(&query, &range);
            bson_append_document_end(command.get(), &query);
            bson_append_utf8(command.get(), "hint", -1, index.name.c_str(), int(index.name.size()));
            if (auto counted = run(*command); !counted)
                return fail(std::move(counted.error()));
        }
    }
    return {};
}

std::vector<DataPart> MongodbAdmin::dataParts(const std::vector<std::string>& tables)
{
    const bool present = askForCheckpoint();
    std::vector<DataPart> parts;
    const auto names = query(R"({"listCollections": 1, "nameOnly": true, "filter": {"type": "collection"}})");
    for (const std::vector<std::string>& row : names.value_or(TextRows())) {
        if (row.empty() || row.front().starts_with("system.") || row.front() == kNotes)
            continue;
        const std::string& name = row.front();
        if (!tables.empty() && std::ranges::find(tables, name) == tables.end())
            continue;
        const auto stats = run(*commandOf("collStats", name));
        if (!stats)
            continue;
        const auto bytesOf = [&](const char* field) {
            bson_iter_t at;
            const bool there = bson_iter_init_find(&at, &**stats, field) && BSON_ITER_HOLDS_NUMBER(&at);
            return there ? std::uint64_t(std::max(0.0, bson_iter_as_double(&at))) : std::uint64_t(0);
        };
        parts.push_back({"collection", name, bytesOf("storageSize")});
        if (const std::uint64_t plain = bytesOf("size"); plain > 0 && present) // of one time with the size on disk
            parts.push_back({"before compression", name, plain});
        bson_iter_t indexes, index;
        if (bson_iter_init_find(&indexes, &**stats, "indexSizes") && BSON_ITER_HOLDS_DOCUMENT(&indexes) &&
            bson_iter_recurse(&indexes, &index)) {
            while (bson_iter_next(&index)) {
                if (BSON_ITER_HOLDS_NUMBER(&index))
                    parts.push_back({"index", name + "." + bson_iter_key(&index),
                                     std::uint64_t(std::max(0.0, bson_iter_as_double(&index)))});
            }
        }
    }
    return parts;
}

Expected<Product> MongodbAdmin::product()
{
    if (!m_product) {
        auto product = askProduct(m_client.get());
        if (!product) {
            product.error().where = m_uri.display();
            return product;
        }
        m_product = std::move(*product);
    }
    return *m_product;
}

} // namespace dyno::mongodb
