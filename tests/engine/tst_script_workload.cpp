// SPDX-License-Identifier: GPL-3.0-or-later
// Workload "script": what is sent for a script, with which values; whole runs on SQLite; agreements; its place in a
// plan.
#include "executor_rig.h"
#include "plan/load_groups.h"
#include "support/about.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/script/builtin_scripts.h"

#include <dyno/catalog.h>
#include <dyno/scripts.h>
#include <dyno/trust.h>

#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace dyno::tst_script_workload {
using namespace dyno::test;

namespace {

Settings paramsOf(const std::string& text, const std::string& protocol = "simple")
{
    return {{"scripts", text}, {"schema", std::string("none")}, {"protocol", protocol}};
}

//! A user with its own session that records what a script sends.
struct ScriptRig
{
    explicit ScriptRig(const Settings& params, UserPlace place = {UserId(2), 4, 21})
        : instance(test::bind("script", params, "null"))
        , user(std::make_unique<RecordingSession>(), workloadFor("script")->operations(params).size(), place)
        , session(static_cast<RecordingSession&>(*user.session))
    {
    }
    //! Texts of one transaction; of prepared statements with the values behind them.
    QStringList run(std::uint64_t sequence = 0)
    {
        session.requests.clear();
        outcome = user.run(*instance, sequence);
        QStringList texts;
        for (const Recorded& request : session.requests) {
            if (request.kind != RequestKind::Execute) {
                texts += QString::fromStdString(request.text);
                continue;
            }
            QString text = QString::fromStdString(instance->statements().at(request.statement).text) + " <-";
            for (std::size_t i = 0; i < request.params.size(); ++i) {
                const Param& param = request.params[i];
                text += param.type == Param::Type::Integer ? QString(" %1").arg(param.integer)
                        : param.type == Param::Type::Real  ? QString(" %1").arg(param.real)
                        : param.type == Param::Type::Text  ? " '" + QString::fromStdString(request.texts[i]) + "'"
                                                           : QString(" null");
            }
            texts += text;
        }
        return texts;
    }
    std::shared_ptr<const WorkloadInstance> instance;
    TestUser user;
    RecordingSession& session;
    Outcome outcome = Outcome::Ok;
};

std::vector<std::string> namesOf(const Settings& params)
{
    std::vector<std::string> names;
    for (const OperationInfo& one : workloadFor("script")->operations(params))
        names.push_back(one.name);
    return names;
}

Plan scriptPlan(const std::string& uri, const std::string& text)
{
    Plan plan = smallPlan(uri, "script");
    plan.workload.params = paramsOf(text);
    plan.load.timeSeconds = 0.3;
    return plan;
}

} // namespace

class TstScriptWorkload : public QObject
{
    Q_OBJECT
private slots:
    //! PostgreSQL's own test "substitute variables of all possible types", and what is no variable.
    void valuesStandInTheText()
    {
        ScriptRig rig(paramsOf("\\set v0 NULL\n\\set v1 TRUE\n\\set v2 5432\n\\set v3 -54.21E-2\n"
                               "SELECT :v0, :v1, :v2, :v3, ':v2', a::int, '12:30', :unknown;\n"));
        QCOMPARE(rig.run(), QStringList{"SELECT NULL, true, 5432, -0.5421, '5432', a::int, '12:30', :unknown"});
        QVERIFY(rig.outcome == Outcome::Ok);
    }
    void valuesAreParametersOfPreparedStatements()
    {
        ScriptRig rig(paramsOf("\\set v0 NULL\n\\set v1 TRUE\n\\set v2 5432\n\\set v3 -54.21E-2\n"
                               "BEGIN;\nSELECT :v0, :v1, :v2, :v3, ':v2';\nEND;\n",
                               "prepared"));
        QCOMPARE(rig.run(), QStringList({"BEGIN", "SELECT ?, ?, ?, ?, ':v2' <- null 1 5432 -0.5421", "END"}));
        QVERIFY(rig.session.requests.at(0).kind == RequestKind::Begin);
        QVERIFY(rig.session.requests.at(2).kind == RequestKind::Commit);
        QVERIFY(rig.instance->statements().at(1).preparable && !rig.instance->statements().at(0).preparable);
    }
    //! A parameter is a number where its definition reads as one, and stays as it was written in a text.
    void definitionsAreNumbersForPreparedStatements()
    {
        Settings params = paramsOf("SELECT :a, :b, :c;", "prepared");
        params["define"] = std::string("a=5; b=0.50; c=word");
        QCOMPARE(ScriptRig(params).run(), QStringList{"SELECT ?, ?, ? <- 5 0.5 'word'"});
        params["protocol"] = std::string("simple");
        QCOMPARE(ScriptRig(params).run(), QStringList{"SELECT 5, 0.50, word"});
    }
    void joinedStatementsAreSentAsText()
    {
        ScriptRig rig(paramsOf("SELECT 1 \\; SELECT :scale;", "prepared"));
        QCOMPARE(rig.run(), QStringList{"SELECT 1 ; SELECT 1"});
        QVERIFY(!rig.instance->statements().front().preparable);
    }
    //! As in pgbench: with a transaction its variables are rolled back.
    void aRetryBeginsWithTheVariablesOfBefore()
    {
        Settings defined = paramsOf("\\set n :n + 1\nSELECT :n;\nSELECT 'end';\n");
        defined["define"] = std::string("n=0");
        ScriptRig counting(defined);
        counting.session.failAt = 3; // the first statement of the second transaction
        QCOMPARE(counting.run(0), QStringList({"SELECT 1", "SELECT 'end'"}));
        QCOMPARE(counting.run(1), QStringList({"SELECT 2"}));
        QVERIFY(counting.outcome == Outcome::Retryable);
        QCOMPARE(counting.run(1), QStringList({"SELECT 2", "SELECT 'end'"}));
        QCOMPARE(counting.run(2), QStringList({"SELECT 3", "SELECT 'end'"}));
    }
    void builtinScriptsKnowTheirAccounts()
    {
        QVERIFY(script::builtinText("select-only").starts_with("\\set aid random(1, 100000 * :scale)\n"));
        ScriptRig rig({{"builtin", std::string("select-only")}, {"accounts_per_branch", std::int64_t(1)}});
        QCOMPARE(rig.run(), QStringList{"SELECT abalance FROM pgbench_accounts WHERE aid = 1"});
    }
    void statementsAreOfAClass_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("opClass");
        const auto row = [](const char* text, OpClass opClass) { QTest::newRow(text) << text << int(opClass); };
        row("SELECT 1 \\; UPDATE t SET a = 1;", OpClass::Write);
        row("SET a = 1 \\; SELECT 1;", OpClass::Read);
        row("/* first */ SELECT 1;", OpClass::Read);
        row("EXPLAIN DELETE FROM t;", OpClass::Read);
        row("EXPLAIN ANALYZE DELETE FROM t;", OpClass::Write);
        row("WITH a AS (SELECT updated FROM t) SELECT 'delete' FROM a;", OpClass::Read);
        row("DESCRIBE t;", OpClass::Read);
        row("ROLLBACK TO SAVEPOINT s;", OpClass::Other);
        row("WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a;", OpClass::Write);
    }
    void statementsAreOfAClass()
    {
        QFETCH(QString, text);
        const auto operations = workloadFor("script")->operations(paramsOf(text.toStdString()));
        QCOMPARE(operations.size(), std::size_t(1));
        QTEST(int(operations.front().opClass), "opClass");
    }
    void operationsOfGroupsAreKnown()
    {
        Plan plan = scriptPlan("sqlite:x.db", "SELECT 1 FROM t;");
        LoadGroup group;
        group.name = "g";
        plan.load.groups = {group};
        View view;
        view.measure = "service_p95:g.select_t"; // by the plan's own parameters
        plan.views = {view};
        const Faults faults = checkPlan(plan);
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().what.c_str());
    }

    void everyUserHasItsVariablesForItself()
    {
        const Settings params =
            paramsOf("\\set n CASE WHEN :start IS NULL THEN :client_id ELSE :n + 1 END\n\\set start 1\n"
                     "SELECT :n, :scale, :random_seed;");
        Settings defined = params;
        defined["define"] = std::string("start=null; scale=7");
        ScriptRig rig(defined);
        QCOMPARE(rig.run(0), QStringList{"SELECT 2, 7, 21"});
        QCOMPARE(rig.run(1), QStringList{"SELECT 3, 7, 21"}); // values last from one transaction to the next
        QCOMPARE(ScriptRig(defined, {UserId(0), 4, 21}).run(), QStringList{"SELECT 0, 7, 21"});
    }
    void branchesAreTaken()
    {
        ScriptRig rig(
            paramsOf("\\set r random(1, 3)\n\\if :r = 1\nSELECT 'one';\n\\elif :r = 2\nSELECT 'two';\n\\else\n"
                     "SELECT 'more';\n\\endif\n"));
        std::map<QString, int> seen;
        for (std::uint64_t i = 0; i < 300; ++i) {
            const QStringList sent = rig.run(i);
            QCOMPARE(sent.size(), 1);
            ++seen[sent.first()];
        }
        QCOMPARE(seen.size(), std::size_t(3));
        for (const auto& [text, count] : seen)
            QVERIFY2(count > 60 && count < 140, qPrintable(text));
    }
    void scriptsAreChosenByWeight()
    {
        ScriptRig rig(
            paramsOf("\\transaction often 9\nSELECT 1;\n\\transaction rare 1\nSELECT 2;\n\\transaction never 0\n"
                     "SELECT 3;\n"));
        int rare = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            const QStringList sent = rig.run(i);
            QVERIFY(sent != QStringList{"SELECT 3"});
            rare += sent == QStringList{"SELECT 2"} ? 1 : 0;
        }
        QVERIFY2(rare > 60 && rare < 145, qPrintable(QString::number(rare))); // 100 with a deviation of 9.5
    }
    void theSameSeedSendsTheSame()
    {
        const Settings params = paramsOf("\\set a random_zipfian(1, 1000, 1.2)\nSELECT :a;");
        ScriptRig first(params), second(params), other(params, {UserId(2), 4, 22});
        QStringList sent, again, different;
        for (std::uint64_t i = 0; i < 50; ++i) {
            sent += first.run(i);
            again += second.run(i);
            different += other.run(i);
        }
        QCOMPARE(again, sent);
        QVERIFY(different != sent);
    }
    void whatHasNoValueFailsTheTransaction_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("why");
        QTest::newRow("division") << "SELECT 1;\n\\set x 1 / (:scale - 1)\n"
                                  << "line 2: division by zero";
        QTest::newRow("text") << "\\set x :word + 1\nSELECT 1;"
                              << "line 1: the variable holds a text that is no number (:word)";
        QTest::newRow("rows") << "SELECT 1 \\gset\n"
                              << "line 1: \\gset needs one row, and the answer has 2";
    }
    void whatHasNoValueFailsTheTransaction()
    {
        QFETCH(QString, script);
        QFETCH(QString, why);
        Settings params = paramsOf(script.toStdString());
        params["define"] = std::string("word=abc");
        ScriptRig rig(params);
        rig.session.answer.rows = 2;
        rig.run();
        QVERIFY(rig.outcome == Outcome::Rejected);
        QCOMPARE(QString::fromStdString(rig.user.context.errorText()), why);
    }
    void aScriptThatSendsNothingIsStopped()
    {
        ScriptRig rig(paramsOf("\\if false\nSELECT 1;\n\\endif\n"));
        Outcome outcome = Outcome::Ok;
        for (std::uint64_t i = 0; i < 20'000 && outcome == Outcome::Ok; ++i)
            outcome = rig.user.run(*rig.instance, i);
        QVERIFY(outcome == Outcome::Rejected);
        QVERIFY(rig.user.context.errorText().find("sent no statement") != std::string::npos);
    }

    void operationsAreNamedAfterStatements()
    {
        QCOMPARE(namesOf({{"builtin", std::string("tpcb-like")}}),
                 (std::vector<std::string>{"begin", "update_pgbench_accounts", "select_pgbench_accounts",
                                           "update_pgbench_tellers", "update_pgbench_branches",
                                           "insert_pgbench_history", "end"}));
        QCOMPARE(namesOf(paramsOf("SELECT 1;\nSELECT 2; SELECT 3; DELETE FROM t;")),
                 (std::vector<std::string>{"select", "select_line2", "select_line2_2", "delete_t"}));
        QCOMPARE(namesOf(paramsOf("\\transaction a\nSELECT 1;\n\\transaction b\nSELECT 1;\n")),
                 (std::vector<std::string>{"a.select", "b.select"}));
        Plan plan = scriptPlan("sqlite:x.db", "SELECT 1 FROM t;");
        View view;
        view.measure = "service_p95:select_t";
        plan.views = {view};
        QVERIFY(checkPlan(plan).empty());
        plan.views.front().measure = "service_p95:begin"; // of the built-in script
        QCOMPARE(checkPlan(plan).size(), std::size_t(1));
    }

    void faultsOfAPlanHaveTheirPlace()
    {
        const Faults faults = checkPlan(scriptPlan("sqlite:x.db", "SELECT 1;\n\\set a 1 +\n"));
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults.front().where, std::string("workload.params.scripts"));
        QVERIFY2(faults.front().what.starts_with("line 2, column 11: unexpected end of the line"),
                 faults.front().what.c_str());
        const Settings prepared = paramsOf("SELECT a ? 'b' FROM t;", "prepared");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, test::bind("script", prepared, "null"));
    }

    //! A stranger's statements run only after somebody has agreed to exactly these.
    void statementsNeedAnAgreement()
    {
        const Plan plan = scriptPlan("null:", "DROP TABLE customers;");
        const auto risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string("workload.scripts"));
        QCOMPARE(risks.front().value, std::string("DROP TABLE customers;"));
        QVERIFY(!risks.front().atLook);
        QVERIFY(refusalOf(plan, {}));
        Consent consent;
        consent.allow(risks.front());
        QVERIFY(!refusalOf(plan, consent));
        Plan changed = plan;
        changed.workload.params["scripts"] = std::string("DROP TABLE orders;");
        QVERIFY(refusalOf(changed, consent));
        Plan builtin = plan;
        builtin.workload.params = {{"builtin", std::string("select-only")}};
        QVERIFY(risksOf(builtin).empty()); // ours
        builtin.workload.params["define"] = std::string("a=1");
        QCOMPARE(risksOf(builtin).size(), std::size_t(1));
    }

    void filesBecomeParameters()
    {
        QCOMPARE(scriptAndWeight("a/b.sql@12").first, std::string("a/b.sql"));
        QCOMPARE(scriptAndWeight("a/b.sql@12").second, std::int64_t(12));
        QCOMPARE(scriptAndWeight("me@home.sql").first, std::string("me@home.sql"));
        QVERIFY(builtinScript("tpcb") && builtinScript("tpcb")->name == "tpcb-like" && !builtinScript("s") &&
                !builtinScript("x"));
        const auto one = scriptParams({{"own.sql", "SELECT 1"}}, {"n=1", "m=2"});
        QVERIFY(one);
        QCOMPARE(textOf(*one, "scripts"), std::string("SELECT 1\n"));
        QCOMPARE(textOf(*one, "define"), std::string("n=1; m=2"));
        QCOMPARE(textOf(*one, "schema"), std::string("none"));
        const auto builtin = scriptParams({*builtinScript("select-only")}, {});
        QCOMPARE(textOf(*builtin, "builtin"), std::string("select-only"));
        QVERIFY(textOf(*builtin, "scripts").empty());
        const auto both =
            scriptParams({{"x/a b.sql", "SELECT 1", 9}, {"y/a b.sql", "-- end"}, *builtinScript("select-only")}, {});
        QVERIFY(!both); // the second has no commands
        const auto several = scriptParams(
            {{"x/a b.sql", "SELECT 1", 9}, {"y/a b.sql", "SELECT 2; -- end"}, *builtinScript("select-only")}, {});
        QVERIFY2(several, several ? "" : several.error().text().c_str());
        QCOMPARE(textOf(*several, "schema"), std::string("pgbench"));
        QCOMPARE(namesOf(*several),
                 (std::vector<std::string>{"a_b.select", "a_b-2.select", "select-only.select_pgbench_accounts"}));
        const auto wrong = scriptParams({{"own.sql", "SELECT 1;\n\\set x ;\n"}}, {});
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().where, std::string("own.sql:2:8"));
        // To be corrected: whose tables it uses is told all the same.
        QCOMPARE(textOf(unfinishedScriptParams("SELECT 1;\n\\set x ;\n"), "schema"), std::string("none"));
        QCOMPARE(textOf(unfinishedScriptParams("\\set x ;\nSELECT 1 FROM pgbench_tellers;"), "schema"),
                 std::string("pgbench"));
    }

    //! A plan holds its script as a person reads it, and gives it back as it was.
    void aPlanHoldsTheText()
    {
        for (const char* text : {"\\set a random(1, 10)\nSELECT :a, 'it''s', \"x\";\n", "SELECT 'a''''';\n\n",
                                 "one line", "a\r\nb", "\nSELECT 1,\n'a'"}) {
            const Plan plan = scriptPlan("sqlite:x.db", text);
            const std::string written = writePlan(plan);
            const ParsedPlan read = parsePlan(written, "again");
            QVERIFY2(read.plan.has_value(), written.c_str());
            QCOMPARE(textOf(read.plan->workload.params, "scripts"), std::string(text));
        }
        const std::string written = writePlan(scriptPlan("sqlite:x.db", "\\set a 1\nSELECT :a;\n"));
        QVERIFY2(written.find("scripts = '''\n\\set a 1\nSELECT :a;\n'''") != std::string::npos, written.c_str());
    }

    //! Each row that a transaction adds is one more than the greatest before: what \gset read is what the next one
    //! wrote.
    void answersBecomeVariables_data()
    {
        QTest::addColumn<QString>("protocol");
        QTest::newRow("simple") << "simple";
        QTest::newRow("prepared") << "prepared";
    }
    void answersBecomeVariables()
    {
        QFETCH(QString, protocol);
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("own.db").toStdString();
        auto admin = driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)});
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        QVERIFY((*admin)->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)"));
        QVERIFY((*admin)->execute("INSERT INTO t VALUES (0, 'first')"));
        // Within quotes a variable is one of the simple protocol alone.
        const std::string word = protocol == "prepared" ? ":last_word" : "':last_top'";
        Plan plan = scriptPlan(uri, "BEGIN;\nSELECT MAX(id) AS top, 'it''s' AS word FROM t \\gset last_\n"
                                    "\\set next :last_top + 1\nINSERT INTO t VALUES (:next, " +
                                        word + ");\nEND;\nSELECT word FROM t WHERE id = -1 \\aset\n");
        plan.workload.params["protocol"] = protocol.toStdString();
        plan.load.timeSeconds = 0;
        plan.load.events = 40;
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.transactions, std::uint64_t(40));
        QVERIFY(run.errors.empty());
        QCOMPARE(run.operations.front().name, std::string("begin"));
        QCOMPARE(run.operations.at(2).name, std::string("insert_t"));
        QCOMPARE(run.operations.at(2).count, std::uint64_t(40));
        const auto rows = (*admin)->query("SELECT COUNT(*), MAX(id), MAX(word) FROM t WHERE id > 0");
        QVERIFY(rows);
        QCOMPARE(rows->front(), (std::vector<std::string>{"40", "40", protocol == "prepared" ? "it's" : "9"}));
        const Settings& told = sink.runs.front().effective;
        QCOMPARE(textOf(told, "workload.scripts_sha256").size(), std::size_t(64));
    }

    //! \gset takes the answer of the last of them; an empty one is none.
    void joinedStatementsGiveTheLastAnswer_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("error");
        QTest::newRow("last") << "\\; \\; SELECT 0 AS i5 \\; SELECT 5 AS i5 \\; \\; \\gset\n"
                                 "\\if :i5 <> 5\n\\set x 1 / 0\n\\endif\n"
                              << 0;
        QTest::newRow("no rows") << "SELECT 1 AS n \\; CREATE TABLE IF NOT EXISTS t (a INTEGER) \\gset\n"
                                 << -502; // not one row
        QTest::newRow("digits") << "SELECT 0.1 + 0.2 AS a \\gset\nSELECT :a = 0.1 + 0.2 AS same \\gset\n"
                                   "\\if :same <> 1\n\\set x 1 / 0\n\\endif\n"
                                << 0;
    }
    void joinedStatementsGiveTheLastAnswer()
    {
        QFETCH(QString, script);
        QFETCH(int, error);
        QTemporaryDir folder;
        Plan plan = scriptPlan("sqlite:" + folder.filePath("joined.db").toStdString(), script.toStdString());
        plan.load.timeSeconds = 0.1;
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
        const RunSummary& run = only(sink);
        QCOMPARE(run.transactions > 0, error == 0);
        QCOMPARE(run.errors.empty(), error == 0);
        QVERIFY(error == 0 || run.errors.contains(error));
    }

    //! The built-in script on tables that are loaded for it; balances agree after it.
    void builtinScriptsRunOnTheirTables()
    {
        QTemporaryDir folder;
        Plan plan = smallPlan("sqlite:" + folder.filePath("bank.db").toStdString(), "script");
        plan.workload.params = {{"accounts_per_branch", std::int64_t(1000)}};
        plan.load.timeSeconds = 0;
        plan.load.events = 50;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(50));
        auto admin = driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(plan.target.uri)});
        QVERIFY(admin);
        const auto rows = (*admin)->query(
            "SELECT COUNT(*), SUM(delta) - (SELECT SUM(tbalance) FROM pgbench_tellers) FROM pgbench_history");
        QVERIFY(rows);
        QCOMPARE(rows->front(), (std::vector<std::string>{"50", "0"}));
    }

    //! A pause is a part of its transaction, takes no thread from other users, and ends with the run.
    void pausesLastAsLongAsTheyShould_data() { addExecutors(); }
    void pausesLastAsLongAsTheyShould()
    {
        QFETCH(ExecutorKind, executor);
        Plan plan = planFor(executor, "null:?pending=1");
        plan.workload.name = "script";
        plan.workload.params = paramsOf("SELECT 1;\n\\sleep 50 ms\nSELECT 2;\n");
        plan.load.users = {20};
        plan.load.timeSeconds = 0.6;
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
        const RunSummary& run = only(sink);
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QVERIFY2(run.service.p50Ms >= 49, qPrintable(QString::number(run.service.p50Ms)));
        QVERIFY2(run.transactions > 60 && run.transactions <= 240, qPrintable(QString::number(run.transactions)));

        plan.workload.params = paramsOf("SELECT 1;\n\\sleep 1000 s\n");
        plan.load.timeSeconds = 0.2;
        RecordingSink second;
        const std::int64_t startNs = nowNs();
        runPlan(plan, options, second);
        QVERIFY2(nowNs() - startNs < 5'000'000'000, "the run waited for the pause");
        QCOMPARE(only(second).transactions, std::uint64_t(0));
    }
};

} // namespace dyno::tst_script_workload

DYNO_SUITE(tst_script_workload, dyno::tst_script_workload::TstScriptWorkload)
#include "tst_script_workload.moc"
