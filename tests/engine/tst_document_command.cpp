// SPDX-License-Identifier: GPL-3.0-or-later
// Commands on documents in scripts: what is wrong with one and where, what is sent for one with which values, what a
// target is told that does not take them. Without a server; see tst_document_script.
#include "executor_rig.h"
#include "script_mistakes.h"
#include "support/about.h"
#include "support/allocation_count.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/document_command.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"
#include "workload/statement_effect.h"
#include "workload/statement_name.h"

#include <dyno/catalog.h>
#include <dyno/script_text.h>
#include <dyno/script_words.h>
#include <dyno/scripts.h>
#include <dyno/table_script.h>
#include <dyno/trust.h>

#include <QTest>

namespace dyno::tst_document_command {
using namespace dyno::test;

namespace {

constexpr const char* kOrders =
    "-- Orders of a shop\n"
    "\\set id random(7, 7)\n"
    "\\set price 1.5\n"
    "{\"find\": \"orders\",\n"
    " \"filter\": {\"_id\": \":id\", \"note\": \"\\u003aid\", \"at\": \"12:30\"}, \"limit\": 1}\n"
    "{\"update\": \"orders\", \"updates\": [{\"q\": {\"_id\": \":id\"},\n"
    "  \"u\": {\"$inc\": {\"n\": \":scale\"}, \"$set\": {\"price\": \":price\", \"by\": \":who\"}}}]};\n";

Settings documentParams(const std::string& text, const std::string& define = {})
{
    return {{"scripts", text}, {"schema", std::string("none")}, {"define", define}};
}

Plan documentPlan(const std::string& uri, const std::string& text)
{
    Plan plan = smallPlan(uri, "script");
    plan.workload.params = documentParams(text);
    return plan;
}

struct DocumentRig
{
    explicit DocumentRig(const Settings& params)
        : instance(test::bind("script", params, "null"))
        , user(std::make_unique<RecordingSession>(), workloadFor("script")->operations(params).size(),
               {UserId(0), 1, 21})
        , session(static_cast<RecordingSession&>(*user.session))
    {
    }
    std::shared_ptr<const WorkloadInstance> instance;
    TestUser user;
    RecordingSession& session;
};

} // namespace

class TstDocumentCommand : public QObject
{
    Q_OBJECT
private slots:
    void mistakesHaveTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mistake");
        const auto row = [](const char* name, const char* text, const char* mistake) {
            QTest::newRow(name) << text << mistake;
        };
        row("no value", "{\"find\": }", "line 1, column 10: unexpected } (expected: a value");
        row("no comma", "{\"find\": \"a\"\n \"limit\": 1}", "line 2, column 2: unexpected \" (expected: , or })");
        row("no brace", "{\"find\": \"a\", \"filter\": {}\n{\"find\": \"b\"}",
            "line 2, column 1: unexpected { (expected: , or })");
        row("brace before a command", "{\"find\": \"a\"\n\\set x 1",
            "line 2, column 1: unexpected \\ (expected: , or })");
        row("no end", "\n{\"find\": \"a\", ", "line 2, column 1: the document that begins here has no end");
        row("bracket", "{\"find\": \"a\", \"sort\": [1, 2}", "line 1, column 28: unexpected } (expected: , or ])");
        row("comma too much", "{\"find\": \"a\",}", "line 1, column 14: unexpected } (expected: \" and the name of a");
        row("name without marks", "{find: \"a\"}", "line 1, column 2: unexpected find (expected: \" and the name of a");
        row("variable without marks", "{\"find\": \"a\", \"limit\": :n}",
            "line 1, column 24: unexpected : (expected: a");
        row("text", "{\"find\": \"a}\n", "line 1, column 10: the text that begins here has no end");
        row("umlaut before it", "{\"find\": \"ä\", \"filter\": {\"ü\" 1}}",
            "line 1, column 30: unexpected 1 (expected: :)");
        row("escape", "{\"find\": \"a\\x\"}", "line 1, column 12: a backslash that escapes nothing");
        row("half a pair", "{\"find\": \"\\ud83d\"}", "line 1, column 11: this half of a pair is no character");
        row("number", "{\"find\": \"a\", \"limit\": 01}", "line 1, column 24: this is no number of JSON");
        row("large number", "{\"find\": \"a\", \"limit\": 9223372036854775808}",
            "line 1, column 24: the number is out of");
        row("object id", "{\"find\": \"a\", \"filter\": {\"_id\": {\"$oid\": \"12\"}}}",
            "line 1, column 42: \"12\" is no object id (expected: 24 hexadecimal digits)");
        row("long", "{\"find\": \"a\", \"filter\": {\"n\": {\"$numberLong\": \"x\"}}}",
            "line 1, column 47: \"x\" is no whole");
        row("variable in a value", "\\set i 1\n{\"find\": \"a\", \"filter\": {\"_id\": {\"$oid\": \":i\"}}}",
            "line 2, column 42: a variable cannot be a part of $oid");
        row("unknown variable", "{\"find\": \"a\", \"filter\": {\"_id\": \":id\"}}",
            "line 1, column 34: nothing gives the variable \":id\" a value");
        row("type", "{\"find\": \"a\", \"filter\": {\"n\": {\"$type\": \"double\"}}}",
            "line 1, column 41: this value behind $type would be read as that of binary data");
        row("number of a type", "{\"find\": \"a\", \"filter\": {\"n\": {\"$type\": 1}}}",
            "line 1, column 41: this value");
        row("mark", "{\"find\": \"a\", \"filter\": {\"_id\": \"?\"}}",
            "line 1, column 33: this text marks a parameter");
        row("escaped mark", "{\"find\": \"a\", \"filter\": {\"_id\": \"\\u003fbinary\"}}",
            "line 1, column 33: this text marks a parameter");
        row("empty", "{}", "line 1, column 1: the document is empty");
        row("unknown command", "{\"shutdown\": 1}", "line 1, column 2: a script may not send the command \"shutdown\"");
        row("escaped command", "{\"\\u0073hutdown\": 1}",
            "line 1, column 2: a script may not send the command \"shutdown\"");
        row("database", "{\"dropDatabase\": 1}",
            "line 1, column 2: a script may not send the command \"dropDatabase\"");
        row("bulk", "{\"bulkWrite\": 1, \"ops\": []}",
            "line 1, column 2: a script may not send the command \"bulkWrite\"");
        row("settings", "{\"setParameter\": 1}",
            "line 1, column 2: a script may not send the command \"setParameter\"");
        row("code", "{\"find\": \"a\", \"filter\": {\"$where\": \"sleep(1)\"}}", "line 1, column 26: $where runs code");
        row("escaped code", "{\"find\": \"a\", \"filter\": {\"\\u0024where\": \"1\"}}",
            "line 1, column 26: $where runs code");
        row("function",
            "{\"aggregate\": \"a\", \"pipeline\": [{\"$project\": {\"x\": {\"$function\": {}}}}], \"cursor\": {}}",
            "line 1, column 53: $function runs code");
        row("endless", "{\"find\": \"a\", \"tailable\": true}",
            "line 1, column 15: with tailable the answer has no end");
        row("changes", "{\"aggregate\": \"a\", \"pipeline\": [{\"$changeStream\": {}}], \"cursor\": {}}",
            "line 1, column 34: with $changeStream the answer has no end");
        row("session", "{\"find\": \"a\", \"lsid\": {}}", "line 1, column 15: \"lsid\" is set by the connection");
        row("database of another", "{\"find\": \"a\", \"$db\": \"admin\"}", "line 1, column 15: \"$db\" is set by");
        row("not acknowledged", R"({"insert": "a", "documents": [], "writeConcern": {"w": 0}})",
            "line 1, column 56: writes must be acknowledged here");
        row("no collection", "{\"find\": 1}", "line 1, column 10: the command \"find\" names no collection");
        row("variable in an expression", R"({"find": "a", "filter": {"n": {"$options": "i", "$regex": ":p"}}})",
            "line 1, column 59: a variable cannot be a part of $options");
        row("variable in a reference", R"({"find": "a", "filter": {"n": {"$dbPointer": {"$ref": ":p"}}}})",
            "line 1, column 55: a variable cannot be a part of $dbPointer");
        row("variable as a collection", "\\set c 1\n{\"find\": \":c\"}",
            "line 2, column 10: a variable cannot be the name of the collection");
        row("users", "{\"find\": \"system.users\"}", "line 1, column 10: \"system.users\" is a system collection");
        row("no cursor", "{\"aggregate\": \"a\", \"pipeline\": []}",
            "line 1, column 1: the command \"aggregate\" has no");
        row("made in a transaction", "{\"create\": \"a\"}",
            "line 1, column 2: the command \"create\" is not allowed in a transaction");
        row("SQL behind", "{\"ping\": 1}\nSELECT 1;", "line 2, column 1: a statement in SQL among commands");
        row("SQL before", "SELECT 1;\n{\"ping\": 1}",
            "line 2, column 1: a command on documents among statements in SQL");
        row("no answer", "{\"count\": \"a\"}\n\\gset",
            "line 2, column 1: \\gset: the command \"count\" answers no documents");
        row("count in a transaction", "BEGIN;\n{\"find\": \"a\"}\n{\"count\": \"a\"}\nCOMMIT;",
            "line 3, column 1: servers take no \"count\" between BEGIN and COMMIT");
        row("count in a branch of a transaction",
            "\\set i 1\nBEGIN;\n\\if :i\nCOMMIT;\n\\else\n{\"count\": \"a\"}\nCOMMIT;\n\\endif",
            "line 6, column 1: servers take no \"count\"");
        row("count behind branches of a transaction",
            "\\set i 1\nBEGIN;\n\\if :i\n{\"find\": \"a\"}\n\\else\n\\endif\n{\"count\": \"a\"}\nCOMMIT;",
            "line 7, column 1: servers take no \"count\"");
        row("stores in a transaction",
            "BEGIN;\n{\"aggregate\": \"a\", \"pipeline\": [{\"$out\": \"b\"}], \"cursor\": {}}\nCOMMIT;",
            "line 2, column 34: servers take no $out");
        row("no command before", "{\"find\": \"a\"}\n\\set a 1\n\\gset",
            "line 3, column 1: \\gset follows no command on");
    }
    void mistakesHaveTheirPlace() { checkScriptMistake(); }
    void typesOfFieldsCanBeAskedFor()
    {
        for (const char* type :
             {"\"$type\": {\"$numberInt\": \"1\"}", "\"$type\": \"string\"", "\"$exists\": true, \"$type\": 1"}) {
            const std::string text = "{\"find\": \"a\", \"filter\": {\"n\": {" + std::string(type) + "}}}";
            QVERIFY2(script::parseScripts(text), text.c_str());
        }
    }
    //! Only where each way through the script is within a transaction.
    void countsOutsideOfTransactionsStay()
    {
        for (const char* text :
             {"BEGIN;\n{\"find\": \"a\"}\nCOMMIT;\n{\"count\": \"a\"}",
              "\\set i 1\n\\if :i\nBEGIN;\n\\endif\n{\"count\": \"a\"}",
              "\\set i 1\n\\if :i\nBEGIN;\n\\else\n{\"count\": \"a\"}\n\\endif\nCOMMIT;",
              "\\set i 1\nBEGIN;\n\\if :i\nCOMMIT;\n\\else\n{\"find\": \"a\"}\n\\endif\n{\"count\": \"a\"}",
              "\\set i 1\nBEGIN;\n\\if :i\n\\elif :i\nCOMMIT;\n\\else\n\\endif\n{\"count\": \"a\"}",
              "\\transaction a 1\nBEGIN;\n{\"find\": \"a\"}\n\\transaction b 1\n{\"count\": \"a\"}"}) {
            const auto read = script::parseScripts(text);
            QVERIFY2(read, read ? "" : script::mistakeText(read.error()).c_str());
        }
    }
    void nestingHasAnEnd()
    {
        const auto nested = [](int levels) {
            const auto size = std::size_t(levels);
            std::string text = "{\"find\": \"a\", \"filter\": ";
            for (std::size_t i = 0; i < size; ++i)
                text += "{\"a\": ";
            return text + "1" + std::string(size + 1, '}');
        };
        QVERIFY(script::parseScripts(nested(96)));
        const auto deep = script::parseScripts(nested(97));
        QVERIFY(!deep);
        QCOMPARE(deep.error().what, std::string("the document is nested too deeply"));
        QVERIFY(!script::parseScripts(nested(200'000 / 7))); // no stack of this thread ends
    }

    void theFirstStatementDecides()
    {
        QVERIFY(script::parseScripts(kOrders, "who=x")->documents);
        QVERIFY(!script::parseScripts("SELECT '{}';")->documents);
        const auto both = script::parseScripts("BEGIN;\n{\"find\": \"a\"}\nCOMMIT;\n");
        QVERIFY2(both, both ? "" : script::mistakeText(both.error()).c_str());
        QVERIFY(both->documents && both->scripts.front().statements.size() == 3);
        QVERIFY(both->scripts.front().statements[0].kind == RequestKind::Begin);
        for (const char* script : {kOrders, "\\set a 1 + \\\n  2\n {\"ping\": 1}", "BEGIN;\n{\"ping\": 1}"})
            QVERIFY2(isDocumentScript(script), script);
        for (const char* script : {"SELECT 1;\n{", "", "\\sleep 1", "-- {\nSELECT 1;", "\\set a 1 \\\n{"})
            QVERIFY2(!isDocumentScript(script), script);
        const auto twoOfALine = script::parseScripts("{\"ping\": 1} {\"hello\": 1}; {\"count\": \"c\"}\n;\n");
        QCOMPARE(twoOfALine->scripts.front().statements.size(), std::size_t(3));
        QCOMPARE(twoOfALine->scripts.front().statements[2].text, std::string("{\"count\": \"c\"}"));
    }
    //! Variables are parameters with their types; other texts with a colon stay.
    void variablesAreParameters()
    {
        DocumentRig rig(documentParams(kOrders, "who=me"));
        const StatementSet statements = rig.instance->statements();
        QCOMPARE(statements.size(), std::size_t(2));
        QCOMPARE(statements[0].text,
                 std::string("{\"find\": \"orders\",\n \"filter\": {\"_id\": \"?\", \"note\": \"\\u003aid\", \"at\": "
                             "\"12:30\"}, \"limit\": 1}"));
        QVERIFY(statements[0].returnsRows && !statements[1].returnsRows && statements[0].preparable);
        QCOMPARE(statements[0].parameters.size(), std::size_t(1));
        QVERIFY(rig.user.run(*rig.instance, 0) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), std::size_t(2));
        const Recorded& update = rig.session.requests[1];
        QVERIFY(update.kind == RequestKind::Execute);
        QCOMPARE(update.params.size(), std::size_t(4));
        QVERIFY(update.params[0].type == Param::Type::Integer && update.number(0) == 7 && update.number(1) == 1);
        QVERIFY(update.params[2].type == Param::Type::Real && update.params[2].real == 1.5);
        QVERIFY(update.params[3].type == Param::Type::Text);
        QCOMPARE(update.texts[3], std::string("me"));
    }
    void fieldsBecomeVariables()
    {
        DocumentRig rig(
            documentParams("{\"find\": \"a\", \"limit\": 1} \\gset o_\n"
                           "{\"delete\": \"a\", \"deletes\": [{\"q\": {\"_id\": \":o__id\"}, \"limit\": 1}]}"));
        QVERIFY(rig.instance->statements()[0].keep == Keep::LastNamed);
        rig.session.rows = {};
        rig.session.answer.rows = 2;
        QVERIFY(rig.user.run(*rig.instance, 0) == Outcome::Rejected);
        QCOMPARE(rig.user.context.errorText(), std::string("line 1: \\gset needs one row, and the answer has 2"));
    }
    void commandsAreOfAClass_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("opClass");
        const auto row = [](const char* text, const char* name, OpClass opClass) {
            QTest::newRow(text) << text << name << int(opClass);
        };
        row("{\"find\": \"orders\"}", "find_orders", OpClass::Read);
        row("{\"count\": \"Old.Orders\"}", "count_old_orders", OpClass::Read);
        row("{\"distinct\": \"a\", \"key\": \"b\"}", "distinct_a", OpClass::Read);
        row("{\"aggregate\": \"a\", \"pipeline\": [], \"cursor\": {}}", "aggregate_a", OpClass::Read);
        row("{\"aggregate\": \"a\", \"pipeline\": [{\"$out\": \"b\"}], \"cursor\": {}}", "aggregate_a", OpClass::Write);
        row("{\"insert\": \"a\", \"documents\": [{\"find\": 1}]}", "insert_a", OpClass::Write);
        row("{\"update\": \"a\", \"updates\": []}", "update_a", OpClass::Write);
        row("{\"delete\": \"a\", \"deletes\": []}", "delete_a", OpClass::Write);
        row("{\"findAndModify\": \"a\", \"remove\": true}", "findandmodify_a", OpClass::Write);
        row("{\"ping\": 1}", "ping", OpClass::Other);
    }
    void commandsAreOfAClass()
    {
        QFETCH(QString, text);
        const auto operations = workloadFor("script")->operations(documentParams(text.toStdString()));
        QCOMPARE(operations.size(), std::size_t(1));
        QTEST(QString::fromStdString(operations.front().name), "name");
        QTEST(int(operations.front().opClass), "opClass");
        QCOMPARE(onlyReads(text.toStdString()), operations.front().opClass == OpClass::Read);
        QCOMPARE(effectOf(text.toStdString()).changes, operations.front().opClass == OpClass::Write);
    }
    //! What cannot be read as one known command may do anything.
    void unknownTextsMayChangeAnything()
    {
        for (const char* text : {"{\"shutdown\": 1}", "{\"find\": \"a\"} {\"find\": \"b\"}", "{\"find\": "}) {
            QVERIFY2(effectOf(text).changes && !effectOf(text).undone, text);
            QVERIFY2(!onlyReads(text), text);
        }
    }

    void targetsSayWhatTheyTake_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault"); // "": it runs
        const auto row = [](const char* name, const char* uri, const char* text, const char* fault) {
            QTest::newRow(name) << uri << text << fault;
        };
        row("documents on SQL", "sqlite:x.db", "\n{\"ping\": 1}", "line 2: a command on documents");
        row("SQL on documents", "mongodb://localhost/x", "\n\nSELECT 1;", "line 3: a statement in SQL");
        row("built-in on documents", "mongodb://localhost/x", "", "pgbench's built-in scripts are SQL");
        row("documents", "mongodb://localhost/x", "{\"ping\": 1}", "");
        row("either", "null:", "{\"ping\": 1}", "");
    }
    void targetsSayWhatTheyTake()
    {
        QFETCH(QString, uri);
        QFETCH(QString, text);
        QFETCH(QString, fault);
        if (uri.startsWith("mongodb") && !findDriver("mongodb"))
            QSKIP("this build has no driver for it");
        const Faults faults = checkPlan(documentPlan(uri.toStdString(), text.toStdString()));
        if (fault.isEmpty()) {
            QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().what.c_str());
            return;
        }
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults.front().where, std::string("workload.params.scripts"));
        QVERIFY2(faults.front().what.starts_with(fault.toStdString()), faults.front().what.c_str());
        QVERIFY(!faults.front().remedy.empty());
    }
    void commandsNeedAnAgreement()
    {
        const Plan plan =
            documentPlan("null:", "{\"delete\": \"customers\", \"deletes\": [{\"q\": {}, \"limit\": 0}]}");
        const auto risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string("workload.scripts"));
        QVERIFY(refusalOf(plan, {}));
        Consent consent;
        consent.allow(risks.front());
        QVERIFY(!refusalOf(plan, consent));
        Plan changed = documentPlan("null:", "{\"delete\": \"orders\", \"deletes\": [{\"q\": {}, \"limit\": 0}]}");
        QVERIFY(refusalOf(changed, consent));
    }

    void headsDescribeCollections()
    {
        const auto with = [](const std::string& head) { return "+++\n" + head + "\n+++\n{\"ping\": 1}\n"; };
        const std::string table = "[[tables]]\nname = \"orders\"\nrows = 3\n"
                                  "after = ['{\"createIndexes\": \"orders\", \"indexes\": []}']\n"
                                  "[tables.columns]\nn = { uniform = [1, 9] }\n_id = { sequence = 1 }\n";
        const auto instance = test::bind("script", documentParams(with(table)), "null");
        const std::vector<TableSpec> tables = instance->tables();
        QCOMPARE(tables.size(), std::size_t(1));
        QCOMPARE(tables[0].create, std::string("{\"create\":\"orders\"}"));
        QCOMPARE(tables[0].columns, (std::vector<std::string>{"_id", "n"}));
        QCOMPARE(instance->loaderStatements()[0].text,
                 std::string("{\"insert\":\"orders\",\"documents\":[{\"n\":\"?\",\"_id\":\"?\"}]}"));
        const auto mistake = [&with](const std::string& head) {
            const auto parsed = script::parseScripts(with(head));
            return parsed ? std::string() : script::mistakeText(parsed.error());
        };
        const auto begins = [](const std::string& text, const char* with) {
            if (!text.starts_with(with))
                qWarning("%s", text.c_str());
            return text.starts_with(with);
        };
        QVERIFY(begins(
            mistake("[[tables]]\nname = \"a\"\nrows = 1\n[tables.columns]\na = { type = \"INT\", sequence = 1 }"),
            "line 6, column 14: fields of documents have no \"type\""));
        QVERIFY(begins(mistake("[[tables]]\nname = \"a\"\nrows = 1\nafter = ['{\"dropDatabase\": 1}']\n"
                               "[tables.columns]\na = { sequence = 1 }"),
                       "line 5, column 10: \"after\": a script may not send the command \"dropDatabase\""));
        QVERIFY(begins(mistake("[[tables]]\nname = \"a\"\nrows = 1\nafter = ['{\"find\": \"a\"}']\n"
                               "[tables.columns]\na = { sequence = 1 }"),
                       "line 5, column 10: \"after\": a script may not send the command \"find\""));
        QVERIFY(begins(mistake("[[tables]]\nname = \"a\"\nrows = 1\nafter = ['{\"aggregate\": \"a\", \"pipeline\": [], "
                               "\"cursor\": {}}']\n[tables.columns]\na = { sequence = 1 }"),
                       "line 5, column 10: \"after\": this command only reads"));
        QVERIFY(begins(mistake("[[checks]]\nsql = \"SELECT 1\"\nexpect = 1"), "line 3, column 7: unknown key \"sql\""));
        QVERIFY(begins(mistake("[[checks]]\ncommand = '{\"delete\": \"a\", \"deletes\": []}'\nexpect = 1"),
                       "line 3, column 11: a check may only read"));
        const auto strange = script::parseScripts("+++\ndefine = \"a=1\"\n+++\n/* a\n*/;\n{\"ping\": 1}");
        QVERIFY(!strange);
        QVERIFY2(strange.error().what.starts_with("the head and the script"), strange.error().what.c_str());
    }

    void linesHaveColours()
    {
        const auto shown = [](const char* line, int& state) {
            ScriptLine read = scriptLine(line, state);
            state = read.state;
            QStringList words;
            for (const ScriptToken& token : read.tokens)
                words << QString("%1 %2")
                             .arg(int(token.kind))
                             .arg(QString::fromUtf8(line).mid(qsizetype(token.begin), qsizetype(token.length)));
            return words;
        };
        using Kind = ScriptToken::Kind;
        const QString key = QString("%1 ").arg(int(Kind::Keyword)), string = QString("%1 ").arg(int(Kind::String)),
                      variable = QString("%1 ").arg(int(Kind::Variable)),
                      number = QString("%1 ").arg(int(Kind::Number)), comment = QString("%1 ").arg(int(Kind::Comment));
        int state = 0;
        QCOMPARE(shown("-- {", state), QStringList{comment + "-- {"});
        QCOMPARE(shown("{\"find\": \"orders\", \"n\": -1.5,", state),
                 (QStringList{key + "\"find\"", string + "\"orders\"", key + "\"n\"", number + "1.5"}));
        QCOMPARE(shown("  \"filter\": {\"_id\": \":id\", \"a\": true, \"b\": \"it's\"}}", state),
                 (QStringList{key + "\"filter\"", key + "\"_id\"", variable + ":id", key + "\"a\"", key + "true",
                              key + "\"b\"", string + "\"it's\""}));
        QCOMPARE(shown("select '{' ;", state), (QStringList{key + "select", string + "'{'"})); // a statement again
        state = 0;
        (void)shown("{\"find\": [", state);
        const QString command = QString("%1 ").arg(int(Kind::Command));
        QCOMPARE(shown("\\if :a", state), (QStringList{command + "\\if", variable + ":a"}));
        const auto variables = scriptVariables(kOrders);
        QVERIFY(std::ranges::find(variables, "who") != variables.end());
    }
    void effectsAreKnownBeforeATry()
    {
        const auto statements = scriptStatements(kOrders, "who=x");
        QCOMPARE(statements.size(), std::size_t(2));
        QVERIFY(!statements[0].changes && statements[1].changes);
        QCOMPARE(statements[1].line, 6);
    }

    void aTransactionAllocatesNothing()
    {
        DocumentRig rig(documentParams(kOrders, "who=somebody with a name that is long enough for the heap"));
        rig.session.keep = false;
        std::uint64_t sequence = 0;
        for (; sequence < 50; ++sequence)
            rig.user.run(*rig.instance, sequence);
        const std::uint64_t before = allocations();
        for (; sequence < 2000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(allocations() - before, std::uint64_t(0));
        QCOMPARE(rig.session.seen, std::size_t(4000));
    }
    void bothExecutorsRunThem_data() { addExecutors(); }
    void bothExecutorsRunThem()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = documentPlan(
            "null:", "\\set id random(1, 9)\n{\"find\": \"a\", \"filter\": {\"_id\": \":id\"}}\n{\"ping\": 1}");
        plan.load.executor = executor;
        plan.load.timeSeconds = 0;
        plan.load.events = 40;
        plan.load.users = {4};
        RunnerOptions options;
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.transactions, std::uint64_t(40));
        QCOMPARE(run.operations.size(), std::size_t(2));
        QCOMPARE(run.operations[0].count, std::uint64_t(40));
    }
};

} // namespace dyno::tst_document_command

DYNO_SUITE(tst_document_command, dyno::tst_document_command::TstDocumentCommand)
#include "tst_document_command.moc"
