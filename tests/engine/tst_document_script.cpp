// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts of commands on documents against a real server: whole runs with collections of their own, what errors count
// as, values of fields, a try and plans.
#include "load/statements/rehearsal.h"
#include "mongodb_test.h"
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/library.h>
#include <dyno/plan.h>
#include <dyno/script_try.h>
#include <dyno/scripts.h>
#include <dyno/statements.h>
#include <dyno/table_script.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_document_script {
using namespace dyno::test;

namespace {

constexpr const char* kShop = R"text(+++
cleanup = ['{"drop": "nowhere"}', '{"delete": "orders", "deletes": [{"q": {"_id": 1}, "limit": 1}]}']
[[tables]]
name = "orders"
rows = "250 * :scale"
after = ['{"createIndexes": "orders", "indexes": [{"key": {"customer": 1}, "name": "by_customer"}]}']
[tables.columns]
_id = { sequence = 1 }
customer = { uniform = [1, 9] }
n = { constant = 0 }
state = { pick = ["new", "paid"], null = 0.5 }
[[checks]]
name = "no order is lost"
command = '{"count": "orders"}'
expression = ":value = 250 * :scale"
+++
-- Orders of a shop
\set id random(1, 250 * :scale)
{"find": "orders", "filter": {"_id": ":id"}, "limit": 1} \gset
{"update": "orders", "updates": [{"q": {"_id": ":_id"}, "u": {"$inc": {"n": 1}}}]}
)text";

RunnerOptions agreed()
{
    RunnerOptions options;
    options.consent.allow("all");
    return options;
}

std::string firstError(const RecordingSink& sink)
{
    return sink.summaries.empty() || sink.summaries.front().errorTexts.empty()
               ? std::string()
               : sink.summaries.front().errorTexts.begin()->second;
}

} // namespace

class TstDocumentScript : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        DYNO_START_MONGO(m_server);
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }
    //! What the run counts is what the server has afterwards, asked from outside.
    void collectionsAreLoadedAndChanged()
    {
        Plan plan = planOf(kShop);
        plan.load.repeats = 2; // loaded again between them, as the script writes
        RecordingSink sink;
        runPlan(plan, agreed(), sink);
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        const RunSummary& run = sink.summaries.front();
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.transactions, std::uint64_t(40));
        QVERIFY2(run.errors.empty(), firstError(sink).c_str());
        QCOMPARE(run.operations.size(), std::size_t(2));
        QCOMPARE(run.operations[0].count, std::uint64_t(40));
        QCOMPARE(run.operations[1].count, std::uint64_t(40));
        QCOMPARE(cell(R"({"count": "orders"})"), QString("500"));
        QCOMPARE(cell(R"({"aggregate": "orders", "pipeline": [{"$group": {"_id": null, "n": {"$sum": "$n"}}},
                     {"$project": {"_id": 0, "n": 1}}], "cursor": {}})"),
                 QString("40"));
        const std::string states = R"({"count": "orders", "query": {"state": )";
        const int unknown = cell(states + "null}}").toInt();
        QVERIFY2(unknown > 190 && unknown < 310, qPrintable(QString::number(unknown))); // 250, deviation 11
        QCOMPARE(unknown + cell(states + R"("new"}})").toInt() + cell(states + R"("paid"}})").toInt(), 500);
        const auto indexes = m_admin->query(R"({"listIndexes": "orders"})");
        QVERIFY(indexes);
        QCOMPARE(indexes->size(), std::size_t(2));
        const auto& events = sink.events.front();
        const auto holds = [](const RunEvent& event) {
            return event.text.find("no order is lost") != std::string::npos || event.text.starts_with("the data meet");
        };
        QVERIFY(std::ranges::any_of(events, holds));
        QVERIFY(std::ranges::none_of(events, [](const RunEvent& event) { return event.kind == EventKind::Error; }));
        const auto done = cleanupData(planOf(kShop), agreed());
        QVERIFY2(done, done ? "" : done.error().text().c_str());
        const auto names = m_admin->tableNames();
        QVERIFY(names && std::ranges::find(*names, "orders") == names->end());
    }
    void strangersRunNothing()
    {
        RecordingSink sink;
        runPlan(planOf(R"({"insert": "stray", "documents": [{"_id": 1}]})"), {}, sink);
        QVERIFY(sink.summaries.empty() || sink.summaries.front().transactions == 0);
        const auto names = m_admin->tableNames();
        QVERIFY(names && std::ranges::find(*names, "stray") == names->end());
    }

    void failuresHaveTheServersCodes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* text, int code) { QTest::newRow(name) << text << code; };
        row("same key", R"({"insert": "f", "documents": [{"_id": 1}, {"_id": 1}]})", 11000);
        row("operator", R"({"find": "f", "filter": {"n": {"$nothing": 1}}})", 2);
        row("update", R"({"update": "f", "updates": [{"q": {}, "u": {"$nothing": {"n": 1}}}]})", 9);
    }
    void failuresHaveTheServersCodes()
    {
        QFETCH(QString, text);
        QFETCH(int, code);
        Plan plan = planOf(text.toStdString());
        plan.load.events = 2;
        fill("f", 1);
        RecordingSink sink;
        runPlan(plan, agreed(), sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QCOMPARE(run.operations.size(), std::size_t(1));
        QVERIFY(run.operations[0].errors > 0);
        QCOMPARE(run.errors.size(), std::size_t(1));
        QCOMPARE(run.errors.begin()->first, code);
        QVERIFY(m_admin->drop("f"));
    }
    //! All batches are read; rows are documents.
    void answersAreReadToTheirEnd()
    {
        fill("many", 250);
        const auto tried = tryScript(planOf(R"({"find": "many", "batchSize": 100})"), agreed(), {});
        QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
        QCOMPARE(tried->problem, std::string());
        QCOMPARE(tried->statements.size(), std::size_t(1));
        QCOMPARE(tried->statements[0].rows, std::int64_t(250));
        QVERIFY(m_admin->drop("many"));
    }
    //! Values keep their types on the way to the server.
    void valuesHaveTypes()
    {
        Plan plan =
            planOf("\\set whole 5\n\\set large 5000000000\n\\set part 0.5\n\\set nothing NULL\n"
                   "{\"insert\": \"types\", \"documents\": [{\"_id\": \":whole\", \"a\": \":large\", \"b\": \":part\", "
                   "\"c\": \":text\", \"d\": \":nothing\", \"e\": [\":whole\", {\"f\": \":text\"}], \"g\": "
                   "\"\\u003atext\"}]}\n");
        plan.workload.params["define"] = std::string("text=ab");
        plan.load.events = 1;
        RecordingSink sink;
        runPlan(plan, agreed(), sink);
        QVERIFY2(firstError(sink).empty(), firstError(sink).c_str());
        // Numbers of types as BSON has them.
        for (const auto& [field, type] :
             {std::pair{"_id", 16}, {"a", 18}, {"b", 1}, {"c", 2}, {"d", 10}, {"e.1", 3}, {"g", 2}}) {
            const auto found = cell(QString(R"({"count": "types", "query": {"%1": {"$type": {"$numberInt": "%2"}}}})")
                                        .arg(field)
                                        .arg(type)
                                        .toStdString());
            QVERIFY2(found == "1", field);
        }
        QCOMPARE(cell(R"({"count": "types", "query": {"e.f": "ab", "g": ":text"}})"), QString("1"));
        QVERIFY(m_admin->drop("types"));
    }
    void fieldsOfADocumentBecomeVariables()
    {
        fill("fields", 3);
        const auto tried = tryScript(
            planOf(
                "{\"findAndModify\": \"fields\", \"query\": {\"_id\": 2}, \"update\": {\"$inc\": {\"n\": 5}}, "
                "\"new\": true} \\gset\n\\set n :n * 2\n{\"find\": \"fields\", \"filter\": {\"n\": \":n\"}} \\aset x_\n"
                "{\"count\": \"fields\", \"query\": {\"n\": \":x_n\"}}"),
            agreed(), {});
        QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
        QCOMPARE(tried->problem, std::string());
        QCOMPARE(tried->statements.size(), std::size_t(3));
        QCOMPARE(tried->statements[0].lastRow, std::string("_id = 2, n = 7"));
        QCOMPARE(tried->statements[1].parameters, std::vector<std::string>{"14"});
        QCOMPARE(tried->statements[1].rows, std::int64_t(0));
        QCOMPARE(tried->statements[2].parameters, std::vector<std::string>{"NULL"});
        QVERIFY(!tried->rolledBack);
        QVERIFY(tried->mayKeep); // as it says before
        const auto stays = staysAfterTry(planOf("{\"find\": \"a\"}\n{\"delete\": \"a\", \"deletes\": []}"), {});
        QCOMPARE(stays.size(), std::size_t(1));
        QCOMPARE(stays[0].line, 2);
        QVERIFY(m_admin->drop("fields"));
    }
    void plansAreToldOrWhyNot()
    {
        fill("plans", 3);
        const auto tried = tryScript(
            planOf("\\set id 1\n{\"find\": \"plans\", \"filter\": {\"_id\": \":id\"}}\n"
                   "{\"insert\": \"plans\", \"documents\": [{\"_id\": 9}]}\n"
                   "{\"update\": \"plans\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": {\"$set\": {\"n\": 7}}}]}\n"
                   "{\"find\": \"plans\", \"filter\": {\"text\": \"a;b \\\"f(x)\\\"\"}}"),
            agreed(), {});
        QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
        QCOMPARE(tried->statements.size(), std::size_t(4));
        QVERIFY2(!tried->statements[0].plan.empty(), tried->statements[0].noPlan.c_str());
        QVERIFY(tried->statements[1].plan.empty() && tried->statements[1].noPlan.empty());
        QVERIFY(tried->statements[2].plan.empty() != tried->statements[2].noPlan.empty());
        QVERIFY2(!tried->statements[3].plan.empty(), tried->statements[3].noPlan.c_str());
        QVERIFY(m_admin->drop("plans"));
    }
    //! Kept with the session, as for SQL.
    void statementsOfARunAreDescribed()
    {
        fill("kinds", 9);
        const std::vector<StatementPlan> plans = describedBy(
            planOf("\\set id random(1, 9)\n{\"find\": \"kinds\", \"filter\": {\"_id\": \":id\"}}\n{\"ping\": 1}"));
        QCOMPARE(plans.size(), std::size_t(2));
        QCOMPARE(plans[0].operation, std::string("find_kinds"));
        QCOMPARE(plans[0].text, std::string("{\"find\": \"kinds\", \"filter\": {\"_id\": \"?\"}}"));
        QVERIFY2(!plans[0].steps.empty() || isLate(plans[0]), plans[0].noPlan.c_str());
        QCOMPARE(plans[1].noPlan, std::string("servers do not explain such statements"));
        QVERIFY(m_admin->drop("kinds"));
    }
    //! What is not prepared is explained too, and kept without the values that a log holds.
    void commandsOfALogAreDescribedWithoutTheirValues()
    {
        fill("people", 3);
        QTemporaryDir folder;
        QFile log(folder.filePath("profile.json"));
        QVERIFY(log.open(QIODevice::WriteOnly));
        const auto add = [&log](const QByteArray& command) { // all at once: nobody waits
            log.write(QByteArray("{\"op\":\"query\",\"ns\":\"shop.people\",\"command\":{") + command +
                      ",\"$db\":\"shop\"},\"nreturned\":0,\"ts\":{\"$date\":\"2026-11-28T05:50:10.001Z\"},"
                      "\"client\":\"127.0.0.1\",\"allUsers\":[],\"user\":\"app@admin\"}\n");
        };
        add(R"("find":"people","filter":{"name":"Anna"})");
        add(R"("find":"people","filter":{"name":"Berta; f(x) too"})");
        log.close();
        Plan plan = planOf({});
        plan.workload.name = "recorded";
        plan.workload.params = {{"file", log.fileName().toStdString()}, {"speed", 100.0}};
        plan.load.users = {1};
        plan.load.loaders = 1;
        plan.load.timeSeconds = 30; // it ends by itself
        plan.load.events = 0;
        const std::vector<StatementPlan> plans = describedBy(plan);
        QCOMPARE(plans.size(), std::size_t(1));
        QCOMPARE(plans[0].text, std::string("find people {filter: {name: ?}}"));
        QVERIFY2(!plans[0].steps.empty() || isLate(plans[0]), plans[0].noPlan.c_str());
        const std::string_view anna = R"({"find": "people", "filter": {"name": "Anna"}})";
        QCOMPARE(kindKey(anna), kindKey(R"({"find": "people", "filter": {"name": "Berta; f(x) too"}})"));
        QVERIFY(kindKey(anna) != kindKey(R"({"find": "people", "filter": {"town": "Anna"}})"));
        QVERIFY(m_admin->drop("people"));
    }
    //! The server's reason, where it has no transactions.
    void transactionsAreRefusedWhereThereAreNone()
    {
        if (m_server.mongod())
            QSKIP("a mongod may have transactions");
        Plan plan = planOf("BEGIN;\n{\"insert\": \"t\", \"documents\": [{}]}\nCOMMIT;\n");
        plan.load.events = 2;
        RecordingSink sink;
        runPlan(plan, agreed(), sink);
        QVERIFY(sink.summaries.empty() || sink.summaries.front().transactions == 0);
        const std::string why = sink.summaries.empty() ? sink.session.reason : firstError(sink);
        QVERIFY2(why.find("no transactions that can be trusted") != std::string::npos, why.c_str());
        QCOMPARE(cell(R"({"count": "t"})"), QString("0"));
    }
    void collectionsAreRead()
    {
        fill("seen", 2);
        const auto tables = readTables(planOf("what is typed now"), agreed());
        QVERIFY2(tables, tables ? "" : tables.error().text().c_str());
        const auto found = std::ranges::find(tables->tables, "seen", &TableInfo::name);
        QVERIFY(found != tables->tables.end());
        QVERIFY(m_admin->drop("seen"));
    }

private:
    [[nodiscard]] Plan planOf(const std::string& text) const
    {
        Plan plan = smallPlan(m_server.uriText(), "script");
        plan.workload.params = {{"scripts", text}, {"scale", std::int64_t(2)}, {"schema", std::string("none")}};
        plan.load.loaders = 2;
        plan.load.users = {2};
        plan.load.timeSeconds = 0;
        plan.load.events = 40;
        return plan;
    }
    //! What the library holds of a run of `plan`.
    static std::vector<StatementPlan> describedBy(const Plan& plan)
    {
        QTemporaryDir folder;
        RunnerOptions options = agreed();
        options.workDir = folder.path().toStdString();
        options.library = folder.filePath("library.dynolib").toStdString();
        RecordingSink sink;
        runPlan(plan, options, sink);
        const auto library = Library::open(options.library, Library::Mode::ReadOnly);
        if (!library)
            return {};
        const auto statements = runStatements(**library, sink.header.id, 0);
        if (!statements || !*statements) {
            qWarning("%s", sink.summaries.empty() ? sink.session.reason.c_str() : sink.summaries[0].reason.c_str());
            return {};
        }
        return (*statements)->plans;
    }
    //! On a machine that is busy, no plan is asked for.
    static bool isLate(const StatementPlan& plan) { return plan.noPlan == "there was no time left to ask"; }
    QString cell(std::string_view command)
    {
        const auto rows = m_admin->query(command);
        if (!rows)
            qWarning("%s", rows.error().text().c_str());
        return rows && !rows->empty() && !rows->front().empty() ? QString::fromStdString(rows->front().front())
                                                                : QString("(no row)");
    }
    //! Documents {_id: i, n: i}
    void fill(const char* collection, int count)
    {
        std::string documents;
        for (int i = 1; i <= count; ++i)
            documents += QString("%1{\"_id\": %2, \"n\": %2}").arg(i == 1 ? "" : ",").arg(i).toStdString();
        const auto done =
            m_admin->execute("{\"insert\": \"" + std::string(collection) + "\", \"documents\": [" + documents + "]}");
        QVERIFY2(done, done ? "" : done.error().text().c_str());
    }

    MongoFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

} // namespace dyno::tst_document_script

DYNO_SUITE(tst_document_script, dyno::tst_document_script::TstDocumentScript)
#include "tst_document_script.moc"
