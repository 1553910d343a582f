// SPDX-License-Identifier: GPL-3.0-or-later
// Workload "lua": what is sent for a script and how errors end it; whole runs on SQLite with many users; agreements.
#include "executor_rig.h"
#include "load/preflight/preflight_needs.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/lua/lua_files.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>
#include <dyno/script_file.h>
#include <dyno/trust.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_lua_workload {
using namespace dyno::test;

namespace {

constexpr const char* kConnects = "function thread_init() con = sysbench.sql.driver():connect() end\n";

Settings paramsOf(const std::string& text)
{
    return {{"script", text}};
}

QStringList textsOf(const std::vector<Recorded>& requests)
{
    QStringList texts;
    for (const Recorded& request : requests)
        texts += request.kind == RequestKind::Begin    ? QString("BEGIN")
                 : request.kind == RequestKind::Commit ? QString("COMMIT")
                                                       : QString::fromStdString(request.text);
    return texts;
}

Plan luaPlan(const std::string& uri, const std::string& text)
{
    Plan plan = smallPlan(uri, "lua");
    plan.workload.params = paramsOf(text);
    plan.load.timeSeconds = 0;
    plan.load.events = 40;
    return plan;
}

void runAgreed(const Plan& plan, RecordingSink& sink)
{
    RunnerOptions options;
    options.consent.allow("all");
    runPlan(plan, options, sink);
}

} // namespace

class TstLuaWorkload : public QObject
{
    Q_OBJECT
private slots:
    void statementsAreSentAndCounted()
    {
        RecordingRig rig("lua",
                         paramsOf(std::string(kConnects) + "function event(t)\n"
                                                           "   con:query('BEGIN')\n"
                                                           "   con:query('SELECT ' .. t)\n"
                                                           "   con:query(' update t set a = 1')\n"
                                                           "   con:query('SET x = 1')\n"
                                                           "   con:query('Commit;')\n"
                                                           "end\n"),
                         {UserId(2), 4, 21});
        const auto& sent = rig.run();
        QCOMPARE(textsOf(sent), QStringList({"BEGIN", "SELECT 2", " update t set a = 1", "SET x = 1", "COMMIT"}));
        QVERIFY(rig.outcome == Outcome::Ok);
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        for (std::size_t op = 0; op < rig.info->operations.size(); ++op) {
            const QString name = QString::fromStdString(rig.info->operations[op].name);
            const bool done = QStringList({"begin", "select", "update", "other", "commit"}).contains(name);
            QVERIFY2(sample.ops[op].count == (done ? 1u : 0u), qPrintable(name));
        }
    }

    //! As Percona's scripts for TPC-C do it: a transaction by its name, rows that outlive the next statement, and an
    //! order that is rolled back on purpose, counted by sysbench's own counter.
    void aScriptCountsItsRollbacks()
    {
        RecordingRig rig("lua", paramsOf("ffi = require('ffi')\n"
                                         "ffi.cdef[[ void sb_counter_inc(int, int); ]]\n" +
                                         std::string(kConnects) +
                                         "function new_order()\n"
                                         "   con:query('BEGIN')\n"
                                         "   local items = con:query('SELECT i FROM items')\n"
                                         "   for n = 1, items.nrows do\n"
                                         "      local item = unpack(items:fetch_row(), 1, items.nfields)\n"
                                         "      con:query(('UPDATE stock SET q = q - 1 WHERE i = %d'):format(item))\n"
                                         "   end\n"
                                         "   ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR)\n"
                                         "   con:query('ROLLBACK')\n"
                                         "end\n"
                                         "function event() _G['new_' .. 'order']() end\n"));
        rig.session.rows = {{Param::of(std::int64_t(7))}, {Param::of(std::int64_t(9))}};
        rig.session.answer.rows = 2;
        const QStringList sent = textsOf(rig.run());
        QVERIFY2(rig.outcome == Outcome::Ok, rig.user.context.errorText().c_str());
        QCOMPARE(sent, QStringList({"BEGIN", "SELECT i FROM items", "UPDATE stock SET q = q - 1 WHERE i = 7",
                                    "UPDATE stock SET q = q - 1 WHERE i = 9", "ROLLBACK"}));
        QCOMPARE(IntervalSampler(rig.user.recorder).take().rollbacks, std::uint64_t(1));
    }

    //! What thread_init() prepares is known before sessions connect; values go as parameters.
    void statementsArePrepared()
    {
        const std::string script = "function thread_init()\n"
                                   "   con = sysbench.sql.driver():connect()\n"
                                   "   s = con:prepare(\"SELECT a FROM t WHERE b = ? AND c = '?' AND d = ?\")\n"
                                   "   b = s:bind_create(sysbench.sql.type.INT)\n"
                                   "   d = s:bind_create(sysbench.sql.type.CHAR, 3)\n"
                                   "   s:bind_param(b, d)\n"
                                   "   start = con:prepare('BEGIN')\n"
                                   "end\n"
                                   "function event() start:execute() b:set(7.9) d:set(\"it's\") s:execute() end\n";
        RecordingRig rig("lua", paramsOf(script));
        QCOMPARE(rig.statements.size(), std::size_t(1));
        QVERIFY(rig.statements.front().returnsRows && rig.statements.front().preparable);
        QVERIFY(rig.statements.front().parameters ==
                std::vector<Param::Type>({Param::Type::Integer, Param::Type::Text}));
        const auto& sent = rig.run();
        QCOMPARE(sent.size(), std::size_t(2));
        QVERIFY(sent[0].kind == RequestKind::Begin && sent[1].kind == RequestKind::Execute);
        QCOMPARE(sent[1].number(0), std::int64_t(7));
        QCOMPARE(sent[1].texts.at(1), std::string("it'"));

        RecordingRig large("lua", paramsOf(std::string(script).replace(script.find("7.9"), 3, "2^60")));
        QCOMPARE(large.run()[1].number(0), std::int64_t(1) << 60);

        Settings plain = paramsOf(script);
        plain["db_ps_mode"] = std::string("disable");
        RecordingRig text("lua", plain);
        QVERIFY(text.statements.empty());
        QCOMPARE(textsOf(text.run()), QStringList({"BEGIN", "SELECT a FROM t WHERE b = 7 AND c = '?' AND d = 'it'''"}));
    }

    //! A retry repeats the random numbers of the first attempt.
    void theSameSeedSendsTheSame()
    {
        const Settings params = paramsOf(std::string(kConnects) +
                                         "function event() con:query('SELECT ' .. sysbench.rand.uniform(1, 1000000))\n"
                                         "con:query('SELECT ' .. math.random(1000000)) end\n");
        RecordingRig first("lua", params), second("lua", params);
        QStringList sent, again;
        for (std::uint64_t i = 0; i < 20; ++i) {
            sent += textsOf(first.run(i));
            again += textsOf(second.run(i));
        }
        QCOMPARE(again, sent);
        QCOMPARE(QSet<QString>(sent.begin(), sent.end()).size(), qsizetype(40));
        first.session.seen = 0;
        first.session.failAt = 2;
        const QStringList failed = textsOf(first.run(20));
        QVERIFY(first.outcome == Outcome::Retryable);
        QVERIFY(first.instance->retryable(first.outcome, 1213) && !first.instance->fatal(first.outcome, 1213));
        QCOMPARE(textsOf(first.run(20)), failed);
        QVERIFY(first.outcome == Outcome::Ok);
    }

    void errorsEndTheRun_data()
    {
        QTest::addColumn<QString>("event");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const char* event, const char* why) {
            QTest::newRow(name) << QString(event) << QString(why);
        };
        row("server", "con:query('SELECT 1')", "script.lua:2: SQL error, errno = 1064: as the test wants it");
        row("own", "local x = nil + 1", "script.lua:2: attempt to perform arithmetic on a nil value");
        row("endless", "while true do end", "script.lua:2: computes for too long");
        row("without end", "while true do pcall(function() con:query('SELECT 1') end) end",
            "sends statements without end");
    }
    void errorsEndTheRun()
    {
        QFETCH(QString, event);
        QFETCH(QString, why);
        RecordingRig rig("lua", paramsOf(kConnects + ("function event() " + event + " end\n").toStdString()));
        rig.session.failAt = 1;
        rig.session.failure = {Outcome::Rejected, 1064};
        rig.run();
        QVERIFY(rig.outcome == Outcome::Rejected);
        const QString text = QString::fromStdString(rig.user.context.errorText());
        QVERIFY2(text.contains(why), qPrintable(text));
        QVERIFY(rig.instance->fatal(rig.outcome, rig.user.context.lastCode()));
    }
    void caughtErrorsGoOn()
    {
        RecordingRig rig("lua",
                         paramsOf(std::string(kConnects) +
                                  "function event() if not pcall(con.query, con, 'A') then con:query('B') end end"));
        rig.session.failAt = 1;
        rig.session.failure = {Outcome::Rejected, 1064};
        QCOMPARE(textsOf(rig.run()), QStringList({"A", "B"}));
        QVERIFY(rig.outcome == Outcome::Ok);
    }
    //! After a lost connection, where its code is to be retried, the script goes on with the next event.
    void lostConnectionsAreOver()
    {
        Settings params = paramsOf(std::string(kConnects) + "function event() con:query('A') con:query('B') end");
        params["ignore_errors"] = std::string("2013");
        RecordingRig rig("lua", params);
        rig.session.failAt = 1;
        rig.session.failure = {Outcome::Disconnected, 2013};
        QCOMPARE(textsOf(rig.run(0)), QStringList({"A"}));
        QVERIFY(rig.outcome == Outcome::Disconnected && !rig.instance->fatal(rig.outcome, 2013) &&
                rig.instance->fatal(rig.outcome, 2006));
        QCOMPARE(textsOf(rig.run(1)), QStringList({"A", "B"}));
        QVERIFY(rig.outcome == Outcome::Ok);
    }

    void faultsOfAPlanHaveTheirPlace()
    {
        const Faults faults = checkPlan(luaPlan("sqlite:x.db", "function event()\n  x = = 1\nend"));
        QCOMPARE(faults.size(), std::size_t(1));
        QCOMPARE(faults.front().where, std::string("workload.params.script"));
        QVERIFY2(faults.front().what.starts_with("script.lua:2: "), faults.front().what.c_str());
        Plan wrong = luaPlan("sqlite:x.db", "function event() end");
        wrong.workload.params["options"] = std::string("=5");
        QCOMPARE(checkPlan(wrong).size(), std::size_t(1));
    }

    //! What is done once has no warm-up, no arrivals and no groups.
    void commandsAreDoneOnce()
    {
        Plan command = luaPlan("sqlite:x.db", "function prepare() end");
        command.workload.params["command"] = std::string("prepare");
        command.load.users = {4};
        QCOMPARE(checkPlan(command).size(), std::size_t(0));
        const auto placeOf = [](const Plan& plan) {
            const Faults faults = checkPlan(plan);
            return faults.empty() ? std::string() : faults.front().where + ": " + faults.front().what;
        };
        Plan warm = command;
        warm.load.warmupSeconds = 1;
        QVERIFY2(placeOf(warm).ends_with("and load.warmup is for more"), placeOf(warm).c_str());
        Plan several = command;
        several.load.users = {1, 4};
        QVERIFY2(placeOf(several).ends_with("and load.users is for more"), placeOf(several).c_str());
        Plan groups = luaPlan("sqlite:x.db", "function event() end function prepare() end");
        groups.load.timeSeconds = 1;
        groups.load.events = 0;
        LoadGroup group;
        group.name = "makes";
        group.workload = "lua";
        group.users = 1;
        group.params = groups.workload.params;
        groups.load.groups = {group};
        QCOMPARE(placeOf(groups), std::string());
        groups.load.groups.front().params["command"] = std::string("prepare");
        QVERIFY2(placeOf(groups).starts_with("load.group"), placeOf(groups).c_str());
    }

    //! The tables of a script stay as they are from run to run.
    void uniqueNumbersDifferFromRunToRun()
    {
        const Settings params =
            paramsOf(std::string(kConnects) + "function event() con:query('SELECT ' .. sysbench.rand.unique()) end");
        RecordingRig first("lua", params), second("lua", params);
        QVERIFY(textsOf(first.run()) != textsOf(second.run()));
    }

    //! A stranger's script runs only after somebody has agreed to exactly this one.
    void scriptsNeedAnAgreement()
    {
        Plan plan = luaPlan("null:", "function event() end");
        plan.workload.params["options"] = std::string("a=1");
        const auto risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(2));
        Plan command = plan;
        command.workload.params["command"] = std::string("cleanup");
        QCOMPARE(risksOf(command).size(), std::size_t(3));
        QVERIFY(refusalOf(plan, {}));
        Consent consent;
        for (const Risk& risk : risks) {
            QVERIFY(!risk.atLook);
            consent.allow(risk);
        }
        QVERIFY(!refusalOf(plan, consent));
        plan.workload.params["script"] = std::string("function event() x = 1 end");
        QVERIFY(refusalOf(plan, consent));
    }

    //! Nor does a look at the plan run any of it before that. With an agreement it ends, whatever the script does.
    void looksRunNothingBefore()
    {
        Plan plan =
            luaPlan("null:", "function thread_init()\n"
                             "   con = sysbench.sql.driver():connect()\n"
                             "   s = con:prepare('SELECT 1')\n"
                             "   while true do con:query('SELECT 2') for i = 1, 1000000 do local n = i end end\n"
                             "end\n"
                             "function event() end\n");
        Consent consent;
        consent.allow("workload.script");
        const std::int64_t startNs = nowNs();
        QCOMPARE(needsOf(plan, consent).front().needs.statementsPerUser, 1);
        QVERIFY(nowNs() - startNs < 5'000'000'000);
        const TargetNeeds needs = needsOf(plan, {}).front();
        QCOMPARE(needs.needs.statementsPerUser, 0);
        QCOMPARE(needs.needs.largestRequest, std::uint64_t(0));
    }

    void filesAreOneText()
    {
        using lua::filesOf;
        QCOMPARE(requiredFiles("require(\"a\") require 'b'\nlocal c = require ( \"a\" ) require(x) require('../d')"),
                 (std::vector<std::string>{"a", "b"}));
        const auto files = filesOf(luaScriptText({{"mine", "x = 1"}, {"other", "\ny = 2\n--@file ../no\n"}}));
        QCOMPARE(files.size(), std::size_t(2));
        QCOMPARE(files[0].name + ":" + files[0].text, std::string("mine:x = 1\n"));
        QCOMPARE(files[1].name + ":" + files[1].text, std::string("other:\ny = 2\n --@file ../no\n"));
        QCOMPARE(filesOf("x = 1").front().name, std::string("script"));
        const auto options = lua::optionsOf(" --tables=4\n table-size=10  skip_trx ");
        QVERIFY(options && options->size() == 3);
        QCOMPARE((*options)[1].name + "=" + (*options)[1].text, std::string("table_size=10"));
        QCOMPARE((*options)[2].text, std::string("on"));
        const auto quoted = lua::optionsOf("a=\"x  'y'\" 'b=c d'");
        QVERIFY(quoted && quoted->size() == 2);
        QCOMPARE((*quoted)[0].text + "|" + (*quoted)[1].name + "|" + (*quoted)[1].text, std::string("x  'y'|b|c d"));
        QVERIFY(!lua::optionsOf("a='x"));
        // The script itself may have any file's name.
        const auto named = filesOf(luaScriptText({{"my-script 1.0", "#!/usr/bin/env sysbench\n--@file x\ny = 1"}}));
        QCOMPARE(named.size(), std::size_t(1));
        QCOMPARE(named[0].name + ":" + named[0].text,
                 std::string("my-script 1.0:#!/usr/bin/env sysbench\n --@file x\ny = 1\n"));
    }

    //! A mistake is at its line of its file, not of the text that holds all.
    void mistakesOfAFile()
    {
        QTemporaryDir dir;
        const auto written = [&dir](const char* name, const QByteArray& text) {
            QFile file(dir.filePath(QLatin1String(name)));
            const bool done = file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
            return std::filesystem::path(done ? file.fileName().toStdString() : std::string());
        };
        written("helper.lua", "function help()\n  return 1\nend\n");
        const auto mine = written("mine.LUA", "require('helper')\nfunction event()\n  help(\nend\n");
        auto opened = openScriptFile(mine);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        QCOMPARE(opened->workload, std::string(kLuaWorkload));
        QVERIFY(opened->mistake);
        QCOMPARE(opened->mistake->where, std::string("mine.LUA:4"));
        written("mine.LUA", "require('helper')\nfunction event() help() end\n");
        written("helper.lua", "function help()\n  return return\nend\n");
        opened = openScriptFile(mine);
        QVERIFY(opened && opened->mistake);
        QCOMPARE(opened->mistake->where, std::string("helper.lua:2"));
        QVERIFY(!textOf(opened->params, kLuaScriptParam).empty());
        written("helper.lua", "function help() end\n");
        opened = openScriptFile(mine);
        QVERIFY(opened && !opened->mistake);
    }

    //! A script's own tables: made, counted up by several users, read, and dropped.
    void scriptsRunOnTheirTables()
    {
        const std::string script =
            "--@file own\n"
            "print('top level')\n"
            "require('common')\n"
            "function thread_init() open() end\n"
            "function event(t)\n"
            "   con:query('BEGIN')\n"
            "   local n = con:query_row('SELECT n FROM counts WHERE id = 1')\n"
            "   con:query('UPDATE counts SET n = n + 1 WHERE id = ' .. (t % sysbench.opt.rows + 1))\n"
            "   assert(tonumber(n) >= 0 and sysbench.opt.threads == 3)\n"
            "   con:query('COMMIT')\n"
            "end\n"
            "--@file common\n"
            "sysbench.cmdline.options = { rows = { 'rows', 1 } }\n"
            "function open() con = sysbench.sql.driver():connect() end\n"
            "local function make()\n"
            "   open()\n"
            "   con:query('CREATE TABLE IF NOT EXISTS counts (id INTEGER PRIMARY KEY, n INTEGER)')\n"
            "   print('user', sysbench.tid, 'of', sysbench.opt.threads)\n"
            "   con:bulk_insert_init('INSERT INTO counts VALUES')\n"
            "   for i = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.rows, sysbench.opt.threads do\n"
            "      con:bulk_insert_next(('(%d, 0)'):format(i))\n"
            "   end\n"
            "   con:bulk_insert_done()\n"
            "end\n"
            "sysbench.cmdline.commands = { make = { make, sysbench.cmdline.PARALLEL_COMMAND } }\n"
            "function cleanup() assert(sysbench.opt.threads == 3) open() con:query('DROP TABLE counts') end\n";
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("own.db").toStdString();
        Plan plan = luaPlan(uri, script);
        plan.workload.params["options"] = std::string("rows=5");
        plan.load.users = {3};
        plan.workload.params["command"] = std::string("make");
        RecordingSink prepared;
        runAgreed(plan, prepared);
        QVERIFY2(only(prepared).status == RunStatus::Done, only(prepared).reason.c_str());
        QCOMPARE(only(prepared).transactions, std::uint64_t(3)); // all users did it
        const auto told = [&prepared](const std::string& text) {
            return std::ranges::count_if(prepared.events.front(),
                                         [&text](const RunEvent& event) { return event.text.starts_with(text); });
        };
        QCOMPARE(told("script: top level"), 1);
        QCOMPARE(told("command: "), 1); // it ends with the last of them
        for (const char* user : {"0", "1", "2"}) {
            const std::string line = std::string("script: user ") + user + " of 3";
            QVERIFY2(hasEvent(prepared, EventKind::Note, line.c_str()), line.c_str());
        }

        Plan run = plan;
        run.workload.params["command"] = std::string("run");
        run.load.users = {3};
        RecordingSink sink;
        runAgreed(run, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(40));
        QCOMPARE(textOf(sink.runs.front().effective, "workload.script_sha256").size(), std::size_t(64));
        auto admin = driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)});
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto rows = (*admin)->query("SELECT COUNT(*), SUM(n) FROM counts");
        QVERIFY(rows);
        QCOMPARE(rows->front(), (std::vector<std::string>{"5", "40"}));
        admin->reset();

        plan.workload.params["command"] = std::string("cleanup");
        RecordingSink cleaned;
        runAgreed(plan, cleaned);
        QVERIFY2(only(cleaned).status == RunStatus::Done, only(cleaned).reason.c_str());
        QVERIFY(hasEvent(cleaned, EventKind::Note, "cleanup was done by one of 3 users"));
    }

    //! Many users on loops whose answers are waited for: each goes on with its own variables.
    void usersOfALoopAreApart()
    {
        Plan plan = planFor(ExecutorKind::Loops, "null:?pending=1");
        plan.workload.name = "lua";
        plan.workload.params = paramsOf(std::string(kConnects) + "function event(t)\n"
                                                                 "   mine = t\n"
                                                                 "   con:query('SELECT 1')\n"
                                                                 "   assert(mine == t and thread_id == t)\n"
                                                                 "end\n");
        plan.load.users = {200};
        plan.load.timeSeconds = 0;
        plan.load.events = 4000;
        RecordingSink sink;
        runAgreed(plan, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(4000));
    }

    //! With rand-seed commands of one user and of all have sysbench's numbers, as its prepare with --threads=4 has
    //! them.
    void commandsDrawAsSysbench()
    {
        const std::string script = "local function draw() print(sysbench.rand.uniform(1, 1000000)) end\n"
                                   "sysbench.cmdline.commands = { all = { draw, sysbench.cmdline.PARALLEL_COMMAND } }\n"
                                   "function prepare() draw() end\n";
        Plan plan = luaPlan("null:", script);
        plan.workload.params["options"] = std::string("rand-seed=5");
        plan.load.users = {4};
        const auto printed = [&plan](const char* command) {
            plan.workload.params["command"] = std::string(command);
            RecordingSink sink;
            runAgreed(plan, sink);
            QStringList lines{QString::fromStdString(only(sink).reason)};
            for (const RunEvent& event : sink.events.front()) {
                if (event.text.starts_with("script: "))
                    lines << QString::fromStdString(event.text.substr(8));
            }
            lines.sort();
            return lines;
        };
        QCOMPARE(printed("prepare"), (QStringList{"", "811644"}));
        QCOMPARE(printed("all"), (QStringList{"", "306499", "421091", "78952", "793971"}));
    }

    //! Scripts that are made for failovers go on as they are; one note says what became of the calls.
    void reconnectsNot()
    {
        Plan plan = luaPlan("null:", std::string(kConnects) + "function event()\n"
                                                              "   assert(con:reconnect())\n"
                                                              "   con:query('SELECT 1')\n"
                                                              "end\n");
        plan.load.users = {3};
        RecordingSink sink;
        runAgreed(plan, sink);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(40));
        QCOMPARE(std::ranges::count_if(
                     sink.events.front(),
                     [](const RunEvent& event) {
                         return event.kind == EventKind::Note &&
                                event.text ==
                                    "reconnect() does nothing here: a lost connection is made again by itself";
                     }),
                 1);
    }

    //! As sysbench ends it: thread_done() comes next, and the run ends with the last user.
    void eventsThatReturnAValueEndTheirUser()
    {
        const char* const script = "function thread_init() con = sysbench.sql.driver():connect() n = 0 end\n"
                                   "function event(t) con:query('SELECT 1') n = n + 1 return n == t + 2 end\n"
                                   "function thread_done() con:query('COMMIT') end\n";
        Plan plan = luaPlan("null:", script);
        plan.load.events = 0;
        plan.load.timeSeconds = 30;
        plan.load.users = {3};
        RecordingSink sink;
        const std::int64_t startNs = nowNs();
        runAgreed(plan, sink);
        QVERIFY(nowNs() - startNs < 20'000'000'000);
        QVERIFY2(only(sink).status == RunStatus::Done, only(sink).reason.c_str());
        QCOMPARE(only(sink).transactions, std::uint64_t(2 + 3 + 4));
        QVERIFY(hasEvent(sink, EventKind::Note, "the script ended 3 of 3 users early"));
        // A number of transactions that is not reached, and one user who stays.
        Plan some = plan;
        some.load.events = 60;
        RecordingSink fewer;
        runAgreed(some, fewer);
        QVERIFY2(only(fewer).status == RunStatus::Done, only(fewer).reason.c_str());
        QVERIFY(hasEvent(fewer, EventKind::Note, ": 9 of 60 transactions were done"));
        some = luaPlan("null:", std::string(kConnects) + "function event(t) con:query('SELECT 1') return t > 0 end\n");
        some.load.events = 60;
        some.load.users = {3};
        RecordingSink one;
        runAgreed(some, one);
        QVERIFY2(only(one).status == RunStatus::Done, only(one).reason.c_str());
        QVERIFY(hasEvent(one, EventKind::Note, "the script ended 2 of 3 users early"));
        plan.load.arrival = {.model = ArrivalModel::Fixed, .rate = 200, .steps = {}};
        RecordingSink arriving;
        runAgreed(plan, arriving);
        QVERIFY2(only(arriving).reason.find("event() returned a value") != std::string::npos,
                 only(arriving).reason.c_str());
    }
    //! Fewer users than a search asks for answer nothing, and a warm-up that nobody survives measures nothing.
    void noUserLeavesUnnoticed()
    {
        Plan plan =
            luaPlan("null:", std::string(kConnects) + "function event(t) con:query('SELECT 1') return t == 0 end\n");
        plan.load.events = 0;
        plan.load.timeSeconds = 1;
        Plan warm = plan;
        warm.load.users = {1};
        warm.load.warmupSeconds = 20;
        RecordingSink sink;
        runAgreed(warm, sink);
        QVERIFY(only(sink).status == RunStatus::Failed);
        QVERIFY2(only(sink).reason.find("the script ended all of 1 users in the warm-up") != std::string::npos,
                 only(sink).reason.c_str());
        plan.load.objective = {95, 1000};
        plan.load.search = {Search::What::Users, 1, 4, 1, 0.1, 0};
        RecordingSink searched;
        runAgreed(plan, searched);
        QVERIFY(only(searched).status == RunStatus::Failed);
        QVERIFY2(only(searched).reason.find("ended users during the search") != std::string::npos,
                 only(searched).reason.c_str());
    }
    //! Lines have an end, and so has their number; what steers a terminal is written out.
    void printedLinesAreBounded()
    {
        lua::PrintedLines printed;
        printed.add(0, "a", false);
        printed.add(1, "other", false);
        printed.add(0, "b\nc", false);
        printed.add(0, "\x1b[2J", true);
        printed.add(0, "", true);
        printed.add(0, std::string(600, 'x'), true);
        std::vector<std::string> lines = printed.take();
        QCOMPARE(lines.size(), std::size_t(4));
        QCOMPARE(lines[3], std::string("other")); // a line of each user
        QCOMPARE(lines[0] + "|" + lines[1], std::string("ab|c\\u{1B}[2J"));
        QCOMPARE(lines[2].size(), lua::PrintedLines::kMostBytes);
        for (int i = 0; i < 205; ++i)
            printed.add(0, "x", true);
        lines = printed.take();
        QCOMPARE(lines.size(), lua::PrintedLines::kMostLines + 1);
        QCOMPARE(lines.back(), std::string("and 5 more lines"));
        QVERIFY(printed.take().empty());
    }
    //! sysbench's own options have other places here; a password is not repeated.
    void optionsOfSysbenchHaveOtherPlaces()
    {
        for (const auto& [option, here] :
             {std::pair("--threads=4", "load.users"), std::pair("time=30", "load.time"),
              std::pair("--mysql-password=secret", "--option-file"), std::pair("--mysql-db=x", "URI"),
              std::pair("--mysql-ignore-errors=all", "ignore_errors"), std::pair("--report-interval=1", "interval")}) {
            const auto options = lua::optionsOf(option);
            QVERIFY(!options);
            QVERIFY2(options.error().remedy.find(here) != std::string::npos, options.error().remedy.c_str());
            QVERIFY(options.error().text().find("secret") == std::string::npos);
        }
        for (const char* refused :
             {"rand-seed=0", "rand-seed=x", "rand-seed=-3", "rand-seed=", "rand-seed", "rand-seed=5 rand-type=zipfian",
              "rand-type=uniform rand-type=zipfian rand-seed=5", "rand-seed=5 --rand_seed=x"})
            QVERIFY2(!lua::optionsOf(refused), refused);
        // As on a command line the last of several holds.
        const auto twice = lua::optionsOf("rand-type=zipfian rand-seed=5 rand-type=uniform rand-seed=7");
        QVERIFY2(twice, twice ? "" : twice.error().text().c_str());
        QCOMPARE(twice->size(), std::size_t(2));
        QCOMPARE(twice->at(0).text, std::string("uniform"));
        QCOMPARE(lua::seedOf(*twice), std::optional(std::uint32_t(7)));
        QCOMPARE(lua::seedOf(*lua::optionsOf("--rand-seed=2147483647")), std::optional(std::uint32_t(2147483647)));
        // Unless the script has one of that name, which shows when it runs.
        QVERIFY(
            lua::optionsOf("rate=5 --db-debug", "sysbench.cmdline.options = { rate = {'', 1}, [\"db-debug\"] = {} }"));
        QVERIFY(!lua::optionsOf("rate=5", "sysbench.cmdline.options = { rates = {'', 1} }"));
        Plan plan = luaPlan("null:", "sysbench.cmdline.options = { rate = {'', 1} }\n" + std::string(kConnects) +
                                         "function event() con:query('SELECT ' .. sysbench.opt.rate) end\n");
        plan.workload.params["options"] = std::string("rate=5");
        RecordingSink own;
        runAgreed(plan, own);
        QVERIFY2(only(own).status == RunStatus::Done, only(own).reason.c_str());
        plan.workload.params["script"] = std::string("rate = 1\nfunction event() end\n");
        RecordingSink none;
        runAgreed(plan, none);
        QVERIFY2(only(none).reason.find("no such option; here it is load.rate") != std::string::npos,
                 only(none).reason.c_str());
    }

    //! A broken script ends the run with its place, at once.
    void runsEndWithThePlace()
    {
        Plan plan = luaPlan("null:", "function event()\n   nothing()\nend");
        plan.load.events = 0;
        plan.load.timeSeconds = 30;
        RecordingSink sink;
        const std::int64_t startNs = nowNs();
        runAgreed(plan, sink);
        QVERIFY(nowNs() - startNs < 10'000'000'000);
        QVERIFY(only(sink).status == RunStatus::Failed);
        QVERIFY2(only(sink).reason.find("script.lua:2: attempt to call global 'nothing'") != std::string::npos,
                 only(sink).reason.c_str());
    }
};

} // namespace dyno::tst_lua_workload

DYNO_SUITE(tst_lua_workload, dyno::tst_lua_workload::TstLuaWorkload)
#include "tst_lua_workload.moc"
