// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Drivers that a contract is asked of, the requests in the words of their data models, and doing them as executors do.
#pragma once

#include "config.h"
#include "driver/driver.h"
#include "support/verify.h"

#include <QTest>

#include <functional>
#include <poll.h>
#include <string>
#include <vector>

namespace dyno::test {

const StatementId kInsert{0};
const StatementId kSelect{1};
const StatementId kUpdate{2};
const StatementId kMissing{3};

//! The requests of this test in the words of one data model. What is promised is the same in all.
struct Language
{
    StatementSet statements;              //!< kInsert, kSelect, kUpdate, kMissing
    std::string create;                   //!< the table "contract"
    std::string createOther;              //!< the same name again
    std::string insertThree;              //!< 1 to 3
    std::string selectTwo;                //!< those above 1
    std::string ids;                      //!< of all rows
    std::string words;                    //!< id and word of all rows, in the order of the ids
    std::string wordIsNull, amountIsNull; //!< ids of such rows
    std::string amountIs;                 //!< the same, "{}" stands for the amount
    std::vector<ColumnShape> shape;
    bool shapeFromRows = false; //!< an empty table has none
    bool keyValue = false;      //!< rows are a key and a text, which writing again replaces
};

inline Language sqlLanguage()
{
    using Type = Param::Type;
    return {
        .statements = {{"INSERT INTO contract (id, word, amount) VALUES (?, ?, ?)",
                        {Type::Integer, Type::Text, Type::Real}},
                       {"SELECT id, word, amount FROM contract WHERE id BETWEEN ? AND ? ORDER BY id",
                        {Type::Integer, Type::Integer},
                        true},
                       {"UPDATE contract SET amount = amount + ? WHERE id = ?", {Type::Real, Type::Integer}},
                       {"SELECT id FROM no_such_table WHERE id = ?", {Type::Integer}, true}},
        .create = "CREATE TABLE contract (id INTEGER NOT NULL PRIMARY KEY, word VARCHAR(200), amount DOUBLE)",
        .createOther = "CREATE TABLE contract (x INTEGER)",
        .insertThree = "INSERT INTO contract (id, word) VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        .selectTwo = "SELECT * FROM contract WHERE id > 1",
        .ids = "SELECT id FROM contract",
        .words = "SELECT id, word FROM contract ORDER BY id",
        .wordIsNull = "SELECT id FROM contract WHERE word IS NULL",
        .amountIsNull = "SELECT id FROM contract WHERE amount IS NULL",
        .amountIs = "SELECT id FROM contract WHERE amount = {}",
        .shape = {{"id", ""}, {"word", "varchar(200)"}, {"amount", "double"}}}; // how a key's type is printed differs
}

#if DYNO_HAVE_MONGODB
inline Language documentLanguage()
{
    using Type = Param::Type;
    return {
        .statements = {{R"({"insert": "contract", "documents": [{"_id": "?", "word": "?", "amount": "?"}]})",
                        {Type::Integer, Type::Text, Type::Real}},
                       {R"({"find": "contract", "filter": {"_id": {"$gte": "?", "$lte": "?"}}, "sort": {"_id": 1}})",
                        {Type::Integer, Type::Integer},
                        true},
                       {R"({"update": "contract", "updates": [{"q": {"_id": "?"}, "u": {"$inc": {"amount": "?"}}}]})",
                        {Type::Integer, Type::Real}},
                       // A collection that is missing is an empty one; what cannot be right is a command like this.
                       {R"({"find": "no_such_table", "filter": {"_id": "?")", {Type::Integer}, true}},
        .create = R"({"create": "contract"})",
        .createOther = R"({"create": "contract"})",
        .insertThree = R"({"insert": "contract", "documents": [{"_id": 1, "word": "a"}, {"_id": 2}, {"_id": 3}]})",
        .selectTwo = R"({"find": "contract", "filter": {"_id": {"$gt": 1}}})",
        .ids = R"({"find": "contract", "projection": {"_id": 1}})",
        .words = R"({"find": "contract", "projection": {"word": 1}, "sort": {"_id": 1}})",
        .wordIsNull = R"({"find": "contract", "filter": {"word": null}, "projection": {"_id": 1}})",
        .amountIsNull = R"({"find": "contract", "filter": {"amount": null}, "projection": {"_id": 1}})",
        .amountIs = R"({"find": "contract", "filter": {"amount": {}}, "projection": {"_id": 1}})",
        .shape = {{"_id", "int"}, {"word", "string"}, {"amount", "double"}},
        .shapeFromRows = true};
}
#endif

#if DYNO_HAVE_ROCKSDB
inline Language keyValueLanguage()
{
    using Type = Param::Type;
    Language language;
    language.statements = {{"put contract ? ?", {Type::Text, Type::Text}},
                           {"scan contract ? ?", {Type::Text, Type::Integer}, true},
                           {"delete contract ?", {Type::Text}},
                           {"get no_such_table ?", {Type::Text}, true}};
    language.create = language.createOther = "create contract";
    language.ids = "scan contract 0 1000";
    language.shape = {{"key", "bytes"}, {"value", "bytes"}};
    language.keyValue = true;
    return language;
}
#endif

//! A driver with a place to connect to, and what can be asked of it.
struct Candidate
{
    std::string name;
    Driver* driver = nullptr;
    ConnectTargetPtr target;
    Language language = sqlLanguage();
    bool hasTables = true;
    bool hasTransactions = true;      //!< false: Begin is rejected with the reason
    bool prepares = true;             //!< false: Prepare does not ask the server
    bool uniqueKeys = true;           //!< false: a key may be there twice
    bool answersLater = false;        //!< requests are Pending first
    std::string endless;              //!< text of a request that would run for a minute or more
    ConnectTargetPtr slowTarget = {}; //!< instead of `target` for `endless`
    ConnectTargetPtr unreachable = {};
    std::function<void(bool)> hold =
        {}; //!< makes the server silent, and lets it answer again: where nothing is endless
};

inline ConnectTargetPtr targetOf(const std::string& uri, const Settings& connection = {},
                                 StatementSet statements = sqlLanguage().statements)
{
    const Expected<TargetUri> parsed = parseUri(uri);
    if (!parsed) {
        QTest::qFail(parsed.error().text().c_str(), __FILE__, __LINE__);
        return {};
    }
    auto target = std::make_shared<ConnectTarget>();
    target->uri = *parsed;
    Faults faults;
    target->connection = resolve(driverFor(parsed->driver)->info().connection, connection, {}, faults);
    target->statements = std::move(statements);
    return target;
}

//! Does what an executor does: starts the request and, while it is pending, waits for the file and resumes.
inline Reply perform(Session& session, const Request& request, int* pendings = nullptr)
{
    Progress progress = session.start(request);
    while (progress == Progress::Pending) {
        if (pendings)
            ++*pendings;
        const IoWait wait = session.ioWait();
        pollfd file{
            .fd = wait.fd, .events = short((wait.read ? POLLIN : 0) | (wait.write ? POLLOUT : 0)), .revents = 0};
        const int ready = poll(&file, 1, wait.timeoutMs);
        progress = session.resume({.read = (file.revents & (POLLIN | POLLHUP)) != 0,
                                   .write = (file.revents & POLLOUT) != 0,
                                   .timeout = ready == 0});
    }
    return session.reply();
}

inline Reply step(Session& session, RequestKind kind)
{
    return perform(session, Request::step(kind));
}

inline Reply sql(Session& session, std::string_view text)
{
    return perform(session, Request::sql(text));
}

inline Reply insert(Session& session, std::int64_t id, std::string_view word = "w", double amount = 0)
{
    const Param params[] = {Param::of(id), Param::of(word), Param::of(amount)};
    return perform(session, Request::execute(kInsert, params));
}

inline Reply select(Session& session, std::int64_t low, std::int64_t high)
{
    const Param params[] = {Param::of(low), Param::of(high)};
    return perform(session, Request::execute(kSelect, params));
}

inline Reply selectMissing(Session& session)
{
    const Param params[] = {Param::of(std::int64_t(1))};
    return perform(session, Request::execute(kMissing, params));
}

} // namespace dyno::test
