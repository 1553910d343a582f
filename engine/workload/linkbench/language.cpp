// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/linkbench/linkbench.h"

#include <fmt/format.h>

namespace dyno::linkbench {

namespace {

using enum Param::Type;

StatementSpec statement(std::string text, std::vector<Param::Type> types = {}, bool returnsRows = false,
                        Keep keep = Keep::Nothing)
{
    StatementSpec spec;
    spec.text = std::move(text);
    spec.parameters = std::move(types);
    spec.returnsRows = returnsRows;
    spec.keep = keep;
    return spec;
}

} // namespace

StatementSpec repeated(const StatementSpec& insertOne, DataModel model, std::int64_t rows)
{
    // Up to its end a document's insert is as SQL's: what comes again is between the last brackets.
    const bool documents = model == DataModel::Document;
    const std::size_t from = documents ? insertOne.text.find("[{") + 1 : insertOne.text.rfind('(');
    const std::size_t to = documents ? insertOne.text.rfind(']') : insertOne.text.size();
    const std::string row = insertOne.text.substr(from, to - from);
    StatementSpec spec = insertOne;
    std::string more;
    for (std::int64_t i = 1; i < rows; ++i) {
        more += "," + row;
        spec.parameters.insert(spec.parameters.end(), insertOne.parameters.begin(), insertOne.parameters.end());
    }
    spec.text.insert(to, more);
    return spec;
}

Language documentLanguage(const Params& params, const std::string& suffix)
{
    Language language;
    language.model = DataModel::Document;
    language.tables[0].name = "linktable";
    language.tables[0].columns = {"_id", "id1", "id2", "link_type", "visibility", "data", "time", "version"};
    language.tables[0].afterCreate = {
        R"({"createIndexes":"linktable","indexes":[{"key":{"id1":1,"link_type":1,"visibility":1,"time":1,"id2":1},)"
        R"("name":"id1_type"}]})"};
    language.tables[1].name = "counttable";
    language.tables[1].columns = {"_id", "id", "link_type", "count", "time", "version"};
    language.tables[2].name = "nodetable";
    language.tables[2].columns = {"_id", "type", "version", "time", "data"};
    for (TableSpec& table : language.tables)
        table.create = fmt::format(R"({{"create":"{}"{}}})", table.name, suffix);
    language.insertOne = {
        statement(
            R"({"insert":"linktable","documents":[{"_id":"?","id1":"?","id2":"?","link_type":"?","visibility":"?",)"
            R"("data":"?","time":"?","version":"?"}]})",
            {Text, Integer, Integer, Integer, Integer, Text, Integer, Integer}),
        statement(R"({"insert":"counttable","documents":[{"_id":"?","id":"?","link_type":"?","count":"?","time":"?",)"
                  R"("version":"?"}]})",
                  {Text, Integer, Integer, Integer, Integer, Integer}),
        statement(R"({"insert":"nodetable","documents":[{"_id":"?","type":"?","version":"?","time":"?","data":"?"}]})",
                  {Integer, Integer, Integer, Integer, Text})};
    const auto list = [&params](std::string_view time, std::string_view skip) {
        return fmt::format(
            R"({{"find":"linktable","filter":{{"id1":"?","link_type":"?","visibility":1{}}},"sort":{{"time":-1}},)"
            R"({}"limit":{}}})",
            time, skip, params.listLimit);
    };
    language.requests = {
        statement(
            R"({"update":"linktable","updates":[{"q":{"_id":"?","visibility":1},"u":{"$set":{"data":"?","time":"?"},)"
            R"("$inc":{"version":1}}}]})",
            {Text, Text, Integer}),
        statement(
            R"({"update":"linktable","updates":[{"q":{"_id":"?"},"u":{"$set":{"visibility":1,"data":"?","time":"?"},)"
            R"("$inc":{"version":1},"$setOnInsert":{"id1":"?","id2":"?","link_type":"?"}},"upsert":true}]})",
            {Text, Text, Integer, Integer, Integer, Integer}),
        statement(R"({"update":"counttable","updates":[{"q":{"_id":"?"},"u":{"$inc":{"count":1,"version":1},)"
                  R"("$set":{"time":"?"},"$setOnInsert":{"id":"?","link_type":"?"}},"upsert":true}]})",
                  {Text, Integer, Integer, Integer}),
        statement(
            R"({"update":"linktable","updates":[{"q":{"_id":"?","visibility":1},"u":{"$set":{"visibility":0}}}]})",
            {Text}),
        statement(R"({"update":"counttable","updates":[{"q":{"_id":"?","count":{"$gt":0}},"u":{"$inc":{"count":-1,)"
                  R"("version":1},"$set":{"time":"?"}}}]})",
                  {Text, Integer}),
        statement(R"({"find":"counttable","filter":{"_id":"?"},"limit":1,"singleBatch":true})", {Text}, true),
        statement(list("", ""), {Integer, Integer}, true, Keep::Last),
        statement(list(R"(,"time":{"$lte":"?"})", R"("skip":1,)"), {Integer, Integer, Integer}, true, Keep::Last),
        language.insertOne[kNodeTable - 1],
        statement(R"({"update":"nodetable","updates":[{"q":{"_id":"?","type":"?"},"u":{"$set":{"time":"?","data":"?"},)"
                  R"("$inc":{"version":1}}}]})",
                  {Integer, Integer, Integer, Text}),
        statement(R"({"delete":"nodetable","deletes":[{"q":{"_id":"?","type":"?"},"limit":1}]})", {Integer, Integer}),
        statement(R"({"find":"nodetable","filter":{"_id":"?","type":"?"},"limit":1,"singleBatch":true})",
                  {Integer, Integer}, true),
        statement(R"({"find":"linktable","filter":{"_id":"?"},"limit":1,"singleBatch":true})", {Text}, true),
    };
    for (const std::size_t number : kLinkNumbers) {
        std::string ids = R"("?")";
        for (std::size_t i = 1; i < number; ++i)
            ids += R"(,"?")";
        language.requests.push_back(
            statement(fmt::format(R"({{"find":"linktable","filter":{{"_id":{{"$in":[{}]}}}}}})", ids),
                      std::vector<Param::Type>(number, Text), true));
    }
    return language;
}

namespace {

void addSqlTables(Language& language, const TableEnds& ends)
{
    const SqlDialect& sql = language.sql;
    auto& [links, counts, nodes] = language.tables;
    // Server's keys begin with the table that they belong to; elsewhere an index is made for itself.
    constexpr const char* kIndex = "(id1, link_type, visibility, time, id2, version, data)";
    links.name = "linktable";
    links.columns = {"id1", "id2", "link_type", "visibility", "data", "time", "version"};
    const std::string &big = sql.unsignedBig, &small = sql.unsignedInteger;
    links.create = fmt::format(
        "CREATE TABLE linktable (id1 {0} NOT NULL DEFAULT 0, id2 {0} NOT NULL DEFAULT 0, "
        "link_type {0} NOT NULL DEFAULT 0, visibility {4} NOT NULL DEFAULT 0, "
        "data VARCHAR(255) NOT NULL DEFAULT '', time {0} NOT NULL DEFAULT 0, version {1} NOT NULL DEFAULT 0, "
        "PRIMARY KEY (link_type, id1, id2){5}{2}){3}",
        big, small, sql.keysInTable ? fmt::format(", KEY id1_type {}{}", kIndex, ends.linkIndex) : std::string(),
        ends.suffixes[0], sql.type("TINYINT"), ends.primaryKeys[0]);
    if (!sql.keysInTable)
        links.afterCreate = {fmt::format("CREATE INDEX id1_type ON linktable {}", kIndex)};
    counts.name = "counttable";
    counts.columns = {"id", "link_type", "count", "time", "version"};
    counts.create =
        fmt::format("CREATE TABLE counttable (id {0} NOT NULL DEFAULT 0, link_type {0} NOT NULL DEFAULT 0, "
                    "count {1} NOT NULL DEFAULT 0, time {0} NOT NULL DEFAULT 0, version {0} NOT NULL DEFAULT 0, "
                    "PRIMARY KEY (id, link_type){3}){2}",
                    big, small, ends.suffixes[1], ends.primaryKeys[1]);
    nodes.name = "nodetable";
    nodes.columns = {"id", "type", "version", "time", "data"};
    nodes.create = fmt::format(
        "CREATE TABLE nodetable (id {}, type {} NOT NULL, version {} NOT NULL, time {} NOT NULL, "
        "data {} NOT NULL{}){}",
        sql.keyIsRowId ? "INTEGER PRIMARY KEY NOT NULL" : fmt::format("{} NOT NULL{}", big, sql.autoIncrement), small,
        big, small, sql.longText, sql.keyIsRowId ? std::string() : ", PRIMARY KEY (id)" + ends.primaryKeys[2],
        ends.suffixes[2]);
}

//! What a row that exists already becomes; `key` is its primary key.
std::string onConflict(const SqlDialect& sql, std::string_view key, std::string_view change)
{
    return fmt::format(fmt::runtime(sql.upsert), fmt::arg("key", key), fmt::arg("change", change));
}

} // namespace

Language sqlLanguage(const Params& params, const SqlDialect& sql, const TableEnds& ends)
{
    Language language;
    language.model = DataModel::Sql;
    language.sql = sql;
    addSqlTables(language, ends);
    const auto inserted = [&sql](const char* column) { return fmt::format(fmt::runtime(sql.inserted), column); };
    language.insertOne = {
        statement(
            "INSERT INTO linktable (id1, id2, link_type, visibility, data, time, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
            {Integer, Integer, Integer, Integer, Text, Integer, Integer}),
        statement("INSERT INTO counttable (id, link_type, count, time, version) VALUES (?, ?, ?, ?, ?)",
                  {Integer, Integer, Integer, Integer, Integer}),
        statement("INSERT INTO nodetable (id, type, version, time, data) VALUES (?, ?, ?, ?, ?)",
                  {Integer, Integer, Integer, Integer, Text})};
    constexpr const char* kThisLink = "id1 = ? AND id2 = ? AND link_type = ?";
    std::string shown = fmt::format("visibility = {}", inserted("visibility"));
    if (!sql.upsertTells) // a new link from one that is shown again: so the data is part of it
        shown += fmt::format(", data = {}, time = {}, version = linktable.version + 1 WHERE linktable.visibility <> {}",
                             inserted("data"), inserted("time"), inserted("visibility"));
    const std::string put = onConflict(sql, "link_type, id1, id2", shown);
    const auto count = [&sql, &inserted](std::string_view first, std::string_view then) {
        return statement(
            fmt::format("INSERT INTO counttable (id, link_type, count, time, version) VALUES (?, ?, {}, ?, 0){}", first,
                        onConflict(sql, "id, link_type",
                                   fmt::format("count = {}, time = {}, version = counttable.version + 1", then,
                                               inserted("time")))),
            {Integer, Integer, Integer});
    };
    const auto list = [&params, &sql](std::string_view offset) {
        return statement(
            fmt::format(
                "SELECT id1, id2, link_type, visibility, data, time, version FROM linktable{} WHERE id1 = ? AND "
                "link_type = ? AND time >= 0 AND time <= ? AND visibility = 1 ORDER BY time DESC LIMIT {}{}",
                fmt::format(fmt::runtime(sql.useIndex), "id1_type"), params.listLimit, offset),
            {Integer, Integer, Integer}, true, Keep::Last);
    };
    language.requests = {
        statement(fmt::format("UPDATE linktable SET data = ?, time = ?, version = version + 1 WHERE {}", kThisLink),
                  {Text, Integer, Integer, Integer, Integer}),
        statement(language.insertOne[0].text + put, language.insertOne[0].parameters),
        count("1", "counttable.count + 1"),
        statement(fmt::format("UPDATE linktable SET visibility = 0 WHERE {}", kThisLink), {Integer, Integer, Integer}),
        count("0", fmt::format(fmt::runtime(sql.decrement), "counttable.count")),
        statement("SELECT count FROM counttable WHERE id = ? AND link_type = ?", {Integer, Integer}, true),
        list(""),
        list(" OFFSET 1"),
        language.insertOne[kNodeTable - 1],
        statement("UPDATE nodetable SET version = version + 1, time = ?, data = ? WHERE id = ? AND type = ?",
                  {Integer, Text, Integer, Integer}),
        statement("DELETE FROM nodetable WHERE id = ? AND type = ?", {Integer, Integer}),
        statement("SELECT id, type, version, time, data FROM nodetable WHERE id = ? AND type = ?", {Integer, Integer},
                  true),
        statement(fmt::format("SELECT visibility FROM linktable WHERE {}{}", kThisLink, sql.rowLock),
                  {Integer, Integer, Integer}, true, Keep::All),
    };
    for (const std::size_t number : kLinkNumbers) {
        std::string ids = "?";
        for (std::size_t i = 1; i < number; ++i)
            ids += ",?";
        language.requests.push_back(statement(
            fmt::format("SELECT id1, id2, link_type, visibility, data, time, version FROM linktable WHERE id1 = ? AND "
                        "link_type = ? AND id2 IN ({})",
                        ids),
            std::vector<Param::Type>(number + 2, Integer), true));
    }
    return language;
}

} // namespace dyno::linkbench
