// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Every kind of fault is found once, at its place, with what would be right.
#include "plan/plan_check.h"
#include "plan/plan_fields.h"
#include "plan_fault_rows.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>
#include <dyno/plan_refs.h>
#include <dyno/report.h>

#include <QTest>
#include <algorithm>

namespace dyno::tst_plan_faults {
using namespace dyno::test;

namespace {

constexpr const char* kGood = R"(title = "t"
[target]
uri = "sqlite:a.db"
[workload]
name = "oltp_read_write"
params = { tables = 2 }
[load]
users = [1, 4]
time = "10s"
[set]
"connection.journal_mode" = "WAL"
[[axis]]
name = "sync"
cases = [
  { label = "off", set = { "connection.synchronous" = "OFF" } },
  { label = "full", set = { "connection.synchronous" = "FULL" } },
]
[[view]]
chart = "lines"
measure = "tps"
x = "users"
series = "sync"
)";

} // namespace

class TestPlanFaults : public QObject
{
    Q_OBJECT

private slots:
    void theGoodPlanHasNone()
    {
        const ParsedPlan result = parsePlan(kGood, "good.toml");
        QVERIFY2(result.faults.empty(), qPrintable(told(result.faults)));
    }

    //! Nor do settings of a connection in a URI hold control characters: written out or not, it is no target.
    void aUriHoldsNoControlCharacters()
    {
        if (!findDriver("mysql"))
            QSKIP("this build has no driver for the MySQL family");
        for (const std::string& uri : {"mysql://root@h/test?tls_ca=a%0Ab", "mysql://root@h/test?tls_ca=a\nb",
                                       "mysql://root@h/test?sql_mode=%1b", "mysql://root@h/test?socket=a%7F"}) {
            Plan plan;
            plan.target.uri = uri;
            plan.workload.name = "oltp_read_write";
            const Faults faults = checkPlan(plan);
            QVERIFY2(std::ranges::any_of(faults,
                                         [](const Fault& one) {
                                             return one.where == "target.uri" &&
                                                    one.what.find("control character") != std::string::npos;
                                         }),
                     qPrintable(told(faults)));
        }
    }

    //! A line break in a setting would begin a line of its own in a server's files, or a word in another protocol.
    void settingsHoldNoControlCharacters()
    {
        if (!findDriver("mongodb"))
            QSKIP("this build has no driver for MongoDB");
        for (const char* setting : {"server.networkMessageCompressors", "connection.app_name"}) {
            Plan plan;
            plan.target.uri = "managed:mongodb";
            plan.workload.name = "ycsb";
            plan.set[setting] = std::string("a\nproduct=x");
            const Faults faults = checkPlan(plan);
            QVERIFY2(std::ranges::any_of(faults,
                                         [setting](const Fault& one) {
                                             return one.where.find(setting) != std::string::npos &&
                                                    one.what.find("control character") != std::string::npos;
                                         }),
                     qPrintable(told(faults)));
        }
    }

    void fiveFaultsGiveFive()
    {
        const ParsedPlan result = parsePlan(R"(title = "five"
[target]
uri = "sqlite:a.db"
[workload]
nme = "oltp_read_write"
[load]
users = [1, 0]
time = 30s
order = "backwards"
[[axis]]
name = "sync"
cases = [
  { label = "off", set = { "server.synchronous" = "OFF" } },
]
)",
                                            "five.toml");
        QCOMPARE(int(result.faults.size()), 5);
        const std::vector<std::pair<int, std::string>> wanted{{5, "workload.nme"},
                                                              {7, "load.users[1]"},
                                                              {8, "load.time"},
                                                              {9, "load.order"},
                                                              {13, "axis[0].cases[0].set.server.synchronous"}};
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QVERIFY2(result.faults[i].line == wanted[i].first, qPrintable(told(result.faults)));
            QCOMPARE(result.faults[i].where, wanted[i].second);
            QVERIFY(result.faults[i].column > 0);
            QVERIFY(!result.faults[i].remedy.empty());
        }
    }

    void fiveSyntaxFaultsGiveFive()
    {
        const ParsedPlan result = parsePlan("title = \"five\n"
                                            "[target]\n"
                                            "uri =\n"
                                            "[workload]\n"
                                            "name = \"oltp_read_write\"\n"
                                            "name = \"oltp_insert\"\n"
                                            "[load]\n"
                                            "time = 30s\n"
                                            "[[axis]]\n"
                                            "name = \"sync\"\n"
                                            "cases = [\n"
                                            "  { label = \"off\" set = { \"connection.synchronous\" = \"OFF\" } },\n"
                                            "  { label = \"full\", set = { \"connection.synchronous\" = \"FULL\" } },\n"
                                            "]\n",
                                            "five.toml");
        std::vector<int> lines;
        for (const Fault& fault : result.faults)
            lines.push_back(fault.line);
        QVERIFY2((lines == std::vector{1, 3, 6, 8, 12}), qPrintable(told(result.faults)));
    }

    //! One mistake is one fault: what follows from it is not reported too.
    void oneFault_data()
    {
        addFaultColumns();
        const auto& row = addFault;
        row("unknown table", "[load]", "[laod]", 7, "laod", "load");
        row("unknown top key", "title =", "titel =", 1, "titel", "title");
        row("unknown key", "time =", "tiem =", 9, "load.tiem", "time");
        row("closed loop with a rate", "time = \"10s\"", "time = \"10s\"\nrate = 100\narrival = \"closed\"", 11,
            "load.arrival", "poisson");
        row("wrong type of table", "[target]\nuri = \"sqlite:a.db\"", "target = \"sqlite:a.db\"", 2, "target",
            "[target]");
        row("wrong type of title", "\"t\"", "7", 1, "title", "text");
        row("wrong type of value", "tables = 2", "tables = [2]", 6, "workload.params.tables", "list");
        row("a date", "\"10s\"", "2026-01-01", 9, "load.time", "date");
        row("not a duration", "\"10s\"", "\"10 parsecs\"", 9, "load.time", "30s");
        row("unquoted duration", "\"10s\"", "10s", 9, "load.time", "\"10s\"");
        row("time too long", "\"10s\"", "\"1000h\"", 9, "load.time", "range");
        row("users zero", "[1, 4]", "[1, 0]", 8, "load.users[1]", "100000");
        row("users too many", "[1, 4]", "100001", 8, "load.users", "100000");
        row("users as text", "[1, 4]", "[1, \"x\"]", 8, "load.users[1]", "whole number");
        row("no users", "[1, 4]", "[]", 8, "load.users", "at least one");
        row("users twice", "[1, 4]", "[4, 4]", 8, "load.users[1]", "twice");
        row("interval too short", "time = \"10s\"", "interval = 0.05", 9, "load.interval", "0.1");
        row("interval too long", "time = \"10s\"", "interval = 11", 9, "load.interval", "10");
        row("interval over time", "time = \"10s\"", "time = 1\ninterval = 2", 10, "load.interval", "longer");
        row("repeats", "time = \"10s\"", "repeats = 1001", 9, "load.repeats", "1000");
        row("order", "time = \"10s\"", "order = \"shufled\"", 9, "load.order", "shuffled");
        row("executor", "time = \"10s\"", "executor = \"loops\"", 9, "load.executor", "threads");
        row("never ends", "time = \"10s\"", "time = 0", 9, "load.time", "events");
        row("prepare", "name = \"oltp_read_write\"", "name = \"oltp_read_write\"\nprepare = \"maybe\"", 6,
            "workload.prepare", "auto");
        row("unknown workload", "oltp_read_write", "oltp_readwrite", 5, "workload.name", "oltp_read_write");
        row("unknown parameter", "tables = 2", "tabels = 2", 6, "workload.params.tabels", "tables");
        row("parameter out of range", "tables = 2", "tables = -2", 6, "workload.params.tables", "-2");
        row("parameters in conflict", "tables = 2", "skip_trx = true, reads_outside = true", 6,
            "workload.params.reads_outside", "not both");
        row("no target", "[target]\nuri = \"sqlite:a.db\"\n", "", 1, "target.uri", "no target");
        row("bad URI", "sqlite:a.db", "sqlit:a.db", 3, "target.uri", "sqlite");
        row("unknown knob", "journal_mode", "journal_mod", 11, "set.connection.journal_mod", "journal_mode");
        row("knob's value", "\"WAL\"", "\"WALL\"", 11, "set.connection.journal_mode", "WAL");
        row("no scope", "\"connection.journal_mode\"", "journal_mode", 11, "set.journal_mode", "scope");
        row("unknown scope", "\"connection.journal_mode\"", "\"conection.journal_mode\"", 11,
            "set.conection.journal_mode", "connection");
        row("server of an embedded target", "\"connection.journal_mode\"", "\"server.journal_mode\"", 11,
            "set.server.journal_mode", "connection.journal_mode");
        row("users in set", "\"connection.journal_mode\" = \"WAL\"", "\"load.users\" = 3", 11, "set.load.users",
            "[load]");
        row("repeats in a case", "\"connection.synchronous\" = \"OFF\"", "\"load.repeats\" = 3", 15,
            "axis[0].cases[0].set.load.repeats", "whole plan");
        row("users in a case and a list", "\"connection.synchronous\" = \"OFF\"", "\"load.users\" = 3", 15,
            "axis[0].cases[0].set.load.users", "axis already");
        row("unknown field of a case", "\"connection.synchronous\" = \"OFF\"", "\"load.tme\" = 3", 15,
            "axis[0].cases[0].set.load.tme", "time");
        row("target of a case", "\"connection.synchronous\" = \"OFF\"", "\"target.uri\" = \"nul:\"", 15,
            "axis[0].cases[0].set.target.uri", "null");
        row("unknown key of a case", "label = \"off\", set", "label = \"off\", sets", 15, "axis[0].cases[0].sets",
            "set");
        row("no label", "label = \"off\"", "label = \"\"", 15, "axis[0].cases[0].label", "label");
        row("label twice", "label = \"full\"", "label = \"off\"", 16, "axis[0].cases[1].label", "twice");
        row("no axis name", "name = \"sync\"", "name = \"\"", 13, "axis[0].name", "name");
        row("reserved name", "name = \"sync\"", "name = \"users\"", 13, "axis[0].name", "load.users");
        row("measure", "\"tps\"", "\"tpss\"", 20, "view[0].measure", "tps");
        row("formula", "\"tps\"", "\"formula:tps / (2\"", 20, "view[0].measure", "column 9: expected");
        row("operation in a formula", "\"tps\"", "\"formula:qps:point_selects / tps\"", 20, "view[0].measure",
            "point_selects");
        row("chart", "\"lines\"", "\"line\"", 19, "view[0].chart", "lines");
        row("x axis", "x = \"users\"", "x = \"user\"", 21, "view[0].x", "users");
        row("series axis", "series = \"sync\"", "series = \"synch\"", 22, "view[0].series", "sync");
        row("baseline", "series = \"sync\"", "series = \"sync\"\nbaseline = \"fulll\"", 23, "view[0].baseline", "full");
        row("unknown field of the target", "uri = \"sqlite:a.db\"", "uri = \"sqlite:a.db\"\nwats = 3", 4, "target.wats",
            "watts");
        row("negative price", "uri = \"sqlite:a.db\"", "uri = \"sqlite:a.db\"\ncost_per_hour = -0.1", 4,
            "target.cost_per_hour", "out of range");
        row("price of a case", "\"connection.synchronous\" = \"OFF\"", "\"target.watts\" = \"many\"", 15,
            "axis[0].cases[0].set.target.watts", "number");
        row("centre", "series = \"sync\"", "series = \"sync\"\ncentre = \"middle\"", 23, "view[0].centre", "median");
        row("relative to what", "series = \"sync\"", "series = \"sync\"\nrelative_to = \"bset\"", 23,
            "view[0].relative_to", "best");
        row("a baseline beside the best", "series = \"sync\"",
            "series = \"sync\"\nbaseline = \"full\"\nrelative_to = \"best\"", 23, "view[0].baseline", "not to both");
        row("a verdict on no case", "series = \"sync\"", "series = \"sync\"\nverdict = \"ful\"", 23, "view[0].verdict",
            "full");
        row("a verdict nowhere", "series = \"sync\"", "series = \"sync\"\nverdict_at = \"sync: full\"", 23,
            "view[0].verdict_at", "users = 16");
        row("an expectation", "{ label = \"full\"", "{ expect = \"raeds\", label = \"full\"", 16,
            "axis[0].cases[1].expect", "reads");
        row("optional or not", "{ label = \"full\"", "{ optional = \"yes\", label = \"full\"", 16,
            "axis[0].cases[1].optional", "true or false");
        row("a size's field", "[[view]]", "[size.quick]\n\"load.tme\" = 1\n[[view]]", 19, "size.quick.load.tme",
            "time");
        row("one axis twice", "[[view]]",
            "[[axis]]\nname = \"sync\"\ncases = [{ label = \"a\", set = { \"workload.range_size\" = 5 } }]\n[[view]]",
            19, "axis[1].name", "two axes");
        row("one field of two axes", "[[view]]",
            "[[axis]]\nname = \"b\"\ncases = [{ label = \"a\", set = { \"connection.synchronous\" = \"OFF\" } "
            "}]\n[[view]]",
            20, "axis[1].cases[0].set.connection.synchronous", "by the axis \"sync\"");
        row("no cases", "[[view]]", "[[axis]]\nname = \"b\"\ncases = []\n[[view]]", 20, "axis[1].cases", "no cases");
        row("recipe's key", "[[view]]", "[recipe]\nminuts = 3\n[[view]]", 19, "recipe.minuts", "minutes");
    }
    void oneFault() { checkFault(kGood, true); }

    //! A run that waits for rows which nobody inserts would never end by itself.
    void nobodyInserts()
    {
        for (const char* workload : {"iibench", "sensordata"}) {
            const auto faults = [workload](const char* users, const char* rows) {
                return parsePlan(QString("title = \"t\"\n[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"%1\"\n"
                                         "params = { query_users = 4 }\n[load]\nusers = %2\n%3\n")
                                     .arg(workload, users, rows)
                                     .toStdString(),
                                 "rows.toml")
                    .faults;
            };
            const Faults all = faults("[5, 4]", "rows = 1000");
            QVERIFY2(all.size() == 1, qPrintable(told(all)));
            QCOMPARE(all.front().where, std::string("workload.params.query_users"));
            QCOMPARE(all.front().line, 6);
            QVERIFY2(all.front().what.find("4 users") != std::string::npos, all.front().what.c_str());
            QVERIFY(faults("[5, 6]", "rows = 1000").empty());
            QVERIFY(faults("[5, 4]", "time = \"5s\"").empty());
        }
    }

    //! Known before the load, which would meet it after hours.
    void rowsThatTheirKeyCannotNumber()
    {
        const auto faults = [](const char* uri, const char* workload, const char* params) {
            return parsePlan(QString("title = \"t\"\n[target]\nuri = \"%1\"\n[workload]\nname = \"%2\"\nparams = { %3 "
                                     "}\n[load]\ntime = \"5s\"\n")
                                 .arg(uri, workload, params)
                                 .toStdString(),
                             "rows.toml")
                .faults;
        };
        const auto refused = [&](const char* workload, const char* params) {
            const Faults all = faults("mysql://u@h/d", workload, params);
            return all.size() == 1 && all.front().where == "workload.params.initial_rows" ? QString("refused")
                                                                                          : told(all);
        };
        // INT UNSIGNED ends 2 937 968 895 s after the first time, INTEGER at 2 147 483 647.
        // Seconds from the start of 2013 to 2³² − 1 are 2 937 968 896, and the first insert of a run needs its 1000
        // too.
        QCOMPARE(refused("sensordata", "sensors = 1, initial_rows = 2937967897"), QString("refused"));
        QCOMPARE(refused("sensordata", "sensors = 1, initial_rows = 2937967896"), QString());
        QCOMPARE(refused("sensordata", "sensors = 1, rows_per_insert = 1, initial_rows = 2937968895"), QString());
        QCOMPARE(refused("sensordata", "sensors = 1, rows_per_insert = 1, initial_rows = 2937968896"),
                 QString("refused"));
        QCOMPARE(refused("sensordata", "initial_rows = 1000000000000"), QString());
        QCOMPARE(refused("iibench", "form = \"purchases\", initial_rows = 2147483647"),
                 QString("refused")); // 2³¹ − 1, and one more
        QCOMPARE(refused("iibench", "form = \"purchases\", initial_rows = 2147483646"), QString());
        QCOMPARE(refused("iibench", "form = \"purchases\", rows_per_commit = 50, initial_rows = 2147483597"),
                 QString());
        QCOMPARE(refused("iibench", "form = \"purchases\", rows_per_commit = 50, initial_rows = 2147483598"),
                 QString("refused"));
        QCOMPARE(refused("iibench", "initial_rows = 5000000000"), QString());
        QVERIFY(faults("sqlite:a.db", "sensordata", "sensors = 1, initial_rows = 1000000000000")
                    .empty()); // wide numbers there
        QVERIFY(faults("sqlite:a.db", "iibench", "form = \"purchases\", initial_rows = 5000000000").empty());
        QCOMPARE(faults("sqlite:a.db", "iibench", "text_motif = 0").size(), std::size_t(1));
        QVERIFY(faults("sqlite:a.db", "iibench", "text_motif = 1").empty()); // one letter, as the original programs
    }

    //! Servers take them in any table, and most engines forget them.
    void foreignKeysNeedAnEngine()
    {
        const auto faults = [](const char* engine) {
            return parsePlan(QString("title = \"t\"\n[target]\nuri = \"mysql://u@h/d\"\n[workload]\nname = "
                                     "\"tpcc\"\nparams = { foreign_keys = "
                                     "true }\n[load]\ntime = \"5s\"\n[set]\n\"table.engine\" = \"%1\"\n")
                                 .arg(engine)
                                 .toStdString(),
                             "keys.toml")
                .faults;
        };
        for (const char* engine : {"MyISAM", "aria", "heap"}) {
            const Faults all = faults(engine);
            QVERIFY2(all.size() == 1 && all.front().where.ends_with("table.engine"), qPrintable(told(all)));
            QVERIFY2(all.front().what.find("forgets foreign keys") != std::string::npos, all.front().what.c_str());
        }
        for (const char* engine : {"InnoDB", "innobase", "NDB"})
            QVERIFY2(faults(engine).empty(), qPrintable(told(faults(engine))));
    }

    void tooManyRuns()
    {
        std::string text = kGood;
        for (int axis = 0; axis < 6; ++axis) {
            text += "[[axis]]\nname = \"a" + std::to_string(axis) + "\"\ncases = [";
            for (int one = 0; one < 30; ++one)
                text += " { label = \"" + std::to_string(one) + "\" , set = { \"workload.p" + std::to_string(axis) +
                        "\" = 1 } },";
            text += "]\n";
        }
        const ParsedPlan result = parsePlan(text, "huge.toml");
        QVERIFY(std::any_of(result.faults.begin(), result.faults.end(),
                            [](const Fault& fault) { return fault.what.find("runs") != std::string::npos; }));
    }

    void unknownVariablesOfAServerAreTakenAsTheyAre()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const auto faultsOf = [](const std::string& uri, const std::string& set) {
            return parsePlan("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"oltp_read_write\"\n[set]\n" + set +
                                 "\n",
                             "v.toml")
                .faults;
        };
        QVERIFY(faultsOf("mysql://u@localhost/d", "\"server.some_future_variable\" = 5").empty());
        QVERIFY(faultsOf("mysql://u@localhost/d", "\"connection.some_session_variable\" = \"x\"").empty());
        QCOMPARE(faultsOf("mysql://u@localhost/d", "\"server.x; DROP TABLE t\" = 5").size(), std::size_t(1));
        QCOMPARE(faultsOf("mysql://u@localhost/d", "\"server.Upper\" = 5").size(), std::size_t(1));
        QCOMPARE(faultsOf("mysql://u@localhost/d", "\"server.x\" = \"a\\nb\"").size(), std::size_t(1));
        // What no plan may set, whoever runs the server.
        for (const char* uri : {"mysql://u@localhost/d", "managed:mariadb"}) {
            for (const char* set : {"\"server.plugin_load_add\" = \"x\"", "\"server.init_connect\" = \"SELECT 1\"",
                                    "\"server.general_log_file\" = \"x\"", "\"server.loose_x\" = 1",
                                    "\"server.some_future_variable\" = \"/etc/passwd\""}) {
                const Faults never = faultsOf(uri, set);
                QCOMPARE(never.size(), std::size_t(1));
                QVERIFY2(never.front().what.find("cannot be set: it") != std::string::npos, never.front().what.c_str());
                QVERIFY(!never.front().remedy.empty());
            }
        }
        // A restart is only ours to make where we started the server.
        QVERIFY(faultsOf("managed:mariadb", "\"server.log_bin\" = true").empty());
        const Faults remote = faultsOf("mysql://u@localhost/d", "\"server.log_bin\" = true");
        QCOMPARE(remote.size(), std::size_t(1));
        QVERIFY(remote.front().remedy.find("managed") != std::string::npos);
    }

    //! A server of the MySQL family takes variables that the catalogue does not know, but not what another driver has.
    void knobsOfAnotherDriverAreFaults()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const auto plan = [](const std::string& uri, const std::string& rest) {
            return parsePlan("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"oltp_read_write\"\n" + rest,
                             "k.toml");
        };
        const auto isRemoved = [](const Faults& faults, const char* where) {
            return faults.size() == 1 && faults[0].where == where && faults[0].remedy == "remove it" &&
                   faults[0].what.find("is a setting of") != std::string::npos;
        };
        const std::string set = "[set]\n\"connection.synchronous\" = \"OFF\"\n";
        const std::string axis = "[[axis]]\nname = \"sync\"\ncases = [\n"
                                 "  { label = \"a\", set = { \"workload.tables\" = 1 } },\n"
                                 "  { label = \"b\", set = { \"connection.journal_mode\" = \"WAL\" } } ]\n";
        for (const char* uri : {"managed:mariadb", "mysql://u@localhost/d"}) {
            const Faults inSet = plan(uri, set).faults;
            QVERIFY2(isRemoved(inSet, "set.connection.synchronous"), qPrintable(told(inSet)));
            const Faults inCase = plan(uri, axis).faults;
            QVERIFY2(isRemoved(inCase, "axis[0].cases[1].set.connection.journal_mode"), qPrintable(told(inCase)));
        }
        const Faults embedded = plan("sqlite:", "[set]\n\"server.innodb_flush_log_at_trx_commit\" = 1\n").faults;
        QVERIFY2(isRemoved(embedded, "set.server.innodb_flush_log_at_trx_commit"), qPrintable(told(embedded)));
        QVERIFY(plan("sqlite:", set + axis).faults.empty());

        // What the window offers: all of them go, and what spoke of an axis that varied nothing else.
        const ParsedPlan sound = plan("sqlite:", set + axis);
        QVERIFY(sound.plan && knobsOfOtherDrivers(*sound.plan).empty());
        Plan changed = *sound.plan;
        changed.target.uri = "managed:mariadb";
        QCOMPARE(knobsOfOtherDrivers(changed),
                 (std::vector<std::string>{"connection.journal_mode", "connection.synchronous"}));
        replaceKnobsOfOtherDrivers(changed);
        QVERIFY(knobsOfOtherDrivers(changed).empty());
        QCOMPARE(changed.set, (Settings{{"server.innodb_flush_log_at_trx_commit", std::int64_t(0)}}));
        QCOMPARE(changed.axes.size(), std::size_t(1)); // the number of tables is still varied
        QCOMPARE(changed.axes[0].cases.size(), std::size_t(2));
        QVERIFY2(checkPlan(changed).empty(), qPrintable(told(checkPlan(changed))));
        auto recipe = recipePlan("durability-sqlite");
        QVERIFY(recipe);
        recipe->target.uri = "managed:mariadb";
        QVERIFY(!checkPlan(*recipe).empty());
        recipe->axes[0].cases[1].set["connection.synchronous"] = std::string("?"); // nobody knows what this means
        recipe->axes[0].cases.resize(2);
        recipe->axes[0].cases.erase(recipe->axes[0].cases.begin());
        replaceKnobsOfOtherDrivers(*recipe);
        QVERIFY(recipe->axes.empty());
        QVERIFY2(checkPlan(*recipe).empty(), qPrintable(told(checkPlan(*recipe))));
    }

    //! What means the same on the other product comes in place of what it does not have.
    void settingsAreCarriedOver()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        auto recipe = recipePlan("durability-sqlite");
        QVERIFY(recipe);
        const Plan original = *recipe;
        recipe->target.uri = "managed:mariadb";
        recipe->set["connection.cache_size"] = std::int64_t(-65536); // 64 MiB
        const auto equivalents = knobsToCarryOver(*recipe);
        std::vector<std::string> pairs;
        for (const KnobEquivalent& one : equivalents)
            pairs.push_back(one.from + " " + one.to);
        QCOMPARE(pairs, (std::vector<std::string>{"connection.cache_size server.innodb_buffer_pool_size",
                                                  "connection.synchronous server.innodb_flush_log_at_trx_commit"}));
        QVERIFY(knobsToCarryOver(original).empty());
        replaceKnobsOfOtherDrivers(*recipe);
        QVERIFY2(checkPlan(*recipe).empty(), qPrintable(told(checkPlan(*recipe))));
        QCOMPARE(recipe->set,
                 (Settings{{"server.innodb_buffer_pool_size", std::int64_t(67108864)}})); // no journal mode
        QCOMPARE(recipe->axes.size(), std::size_t(1));
        const Axis& axis = recipe->axes.front();
        QCOMPARE(axis.name, std::string("innodb_flush_log_at_trx_commit"));
        std::vector<std::string> cases;
        for (const Case& one : axis.cases)
            cases.push_back(one.label + " " + toText(one.set.begin()->second));
        QCOMPARE(cases, (std::vector<std::string>{"1 1", "2 2", "0 0"})); // FULL, NORMAL, OFF
        for (const View& view : recipe->views) {
            QCOMPARE(view.series, axis.name);
            QCOMPARE(view.baseline, std::string("1"));
        }

        // To documents and back: on and off are all that a write concern has.
        if (!findDriver("mongodb"))
            return;
        recipe->target.uri = "mongodb://localhost/test";
        replaceKnobsOfOtherDrivers(*recipe);
        QVERIFY2(knobsOfOtherDrivers(*recipe).empty(), qPrintable(told(checkPlan(*recipe))));
        cases.clear();
        for (const Case& one : recipe->axes.front().cases)
            cases.push_back(one.set.begin()->first + " " + toText(one.set.begin()->second));
        QCOMPARE(cases, (std::vector<std::string>{"connection.journal on", "connection.journal off"}));
        recipe->target.uri = "sqlite:";
        replaceKnobsOfOtherDrivers(*recipe);
        cases.clear();
        for (const Case& one : recipe->axes.front().cases)
            cases.push_back(one.label + " " + one.set.begin()->first);
        QCOMPARE(cases, (std::vector<std::string>{"FULL connection.synchronous", "NORMAL connection.synchronous"}));
    }

    //! Cases that get other names stay left out, and figures of others stay beside them.
    void whatNamesACaseIsCarriedOver()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        auto recipe = recipePlan("durability-sqlite");
        QVERIFY(recipe);
        const std::string axis = recipe->axes.front().name, label = recipe->axes.front().cases.back().label;
        recipe->skips = {{{{axis, label}, {"users", "4"}}, 0}};
        Published published;
        published.source = "a post";
        published.relativeTo = recipe->axes.front().cases.front().label;
        published.values = {{{{axis, label}}, 53}};
        recipe->published = {published};
        recipe->target.uri = "managed:mariadb";
        replaceKnobsOfOtherDrivers(*recipe);
        QCOMPARE(recipe->axes.size(), std::size_t(1));
        const Axis& now = recipe->axes.front();
        QVERIFY(now.name != axis && now.cases.back().label != label);
        QCOMPARE(recipe->skips.size(), std::size_t(1));
        QCOMPARE(recipe->skips[0].cases.front(), (CaseRef{now.name, now.cases.back().label}));
        QCOMPARE(recipe->skips[0].cases.back(), (CaseRef{"users", "4"}));
        QCOMPARE(recipe->published.size(), std::size_t(1));
        QCOMPARE(recipe->published[0].values[0].cases.front(), (CaseRef{now.name, now.cases.back().label}));
        QCOMPARE(recipe->published[0].relativeTo, now.cases.front().label);
    }

    void noPasswordInAFault()
    {
        const ParsedPlan result =
            parsePlan("[target]\nuri = \"mysql://root:s3cret@h/d\"\n[workload]\nname = \"oltp_insert\"\n", "p.toml");
        QCOMPARE(result.faults.size(), std::size_t(1));
        QVERIFY2(!told(result.faults).contains("s3cret"), qPrintable(told(result.faults)));
    }

    void suggestsTheNearestName()
    {
        const std::vector<std::string> names{"tables", "table_size", "range_size"};
        QCOMPARE(nearest("tabels", names), std::string("tables"));
        QCOMPARE(nearest("table-size", names), std::string("table_size"));
        QCOMPARE(nearest("zzz", names), std::string());
        QCOMPARE(suggestion("zzz", names), std::string("one of: tables, table_size, range_size"));
        QCOMPARE(suggestion("zzz", std::vector<std::string>{"", "tables", ""}), std::string("one of: tables"));
        QVERIFY(!suggestion("zzz", std::vector<std::string>{"", ""}).empty());
        std::vector<std::string> many;
        for (int i = 0; i < 40; ++i)
            many.push_back("parameter_" + std::to_string(i));
        QCOMPARE(suggestion("zzz", many), std::string("there are 40, such as \"parameter_0\""));
    }
};

} // namespace dyno::tst_plan_faults

DYNO_SUITE(tst_plan_faults, dyno::tst_plan_faults::TestPlanFaults)
#include "tst_plan_faults.moc"
