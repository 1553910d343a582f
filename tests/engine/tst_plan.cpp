// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plans: reading, writing, changing single fields.
#include "store/codec/session_codec.h"
#include "store/session/session_writer.h"
#include "support/file_locks.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

using namespace dyno;

namespace {

constexpr const char* kWhole = R"(title = "What does \"durability\" cost?"
description = """
Two lines,
one plan."""
[target]
uri = "sqlite:test.db"
[workload]
name = "oltp_read_write"
params = { tables = 4, table_size = 100000, skip_trx = true }
prepare = "always"
cleanup = true
[set]
"connection.journal_mode" = "WAL"
[load]
users = [1, 4, 16]
time = "30s"
warmup = 5
interval = 0.5
events = 1000000
repeats = 3
order = "interleaved"
seed = 7
executor = "threads"
loaders = 2
[[axis]]
name = "durability"
cases = [
  { label = "off", set = { "connection.synchronous" = "OFF" } },
  { label = "full, \"safe\"", set = { "connection.synchronous" = "FULL", "workload.range_size" = 10 } },
]
[[axis]]
name = "time"
cases = [ { label = "short", set = { "load.time" = "1s" } }, { label = "long", set = { "load.time" = 2.5 } } ]
[[skip]]
cases = { durability = "off", users = 4 }
[[published]]
source = "somebody, somewhere"
date = "2011-03"
hardware = "a machine"
measure = "qps"
values = [ { cases = { durability = "off", time = "long", users = 2048 }, value = 389.11 }, { cases = { time = "short" }, value = 7 } ]
[[view]]
chart = "lines"
measure = "service_p95"
x = "users"
series = "durability"
facet = "time"
baseline = "off"
[size.quick]
"load.warmup" = "1s"
"load.users" = "1,2"
)";

QString list(const Faults& faults)
{
    QString text;
    for (const Fault& fault : faults)
        text += QString("%1:%2 %3: %4 (%5)\n")
                    .arg(fault.line)
                    .arg(fault.column)
                    .arg(fault.where.c_str(), fault.what.c_str(), fault.remedy.c_str());
    return text;
}

Plan parsed(const std::string& toml)
{
    const ParsedPlan result = parsePlan(toml, "test.toml");
    if (!result.plan)
        qWarning().noquote() << list(result.faults);
    return result.plan ? *result.plan : Plan();
}

std::string minimal(const std::string& more = {})
{
    return "[target]\nuri = \"sqlite:a.db\"\n[workload]\nname = \"oltp_read_write\"\n" + more;
}

} // namespace

class TestPlan : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryField()
    {
        const Plan plan = parsed(kWhole);
        QCOMPARE(plan.title, std::string("What does \"durability\" cost?"));
        QCOMPARE(plan.description, std::string("Two lines,\none plan."));
        QCOMPARE(plan.target.uri, std::string("sqlite:test.db"));
        QCOMPARE(plan.target.line, 5);
        QCOMPARE(plan.workload.name, std::string("oltp_read_write"));
        QVERIFY(plan.workload.params.at("tables") == Value(std::int64_t(4)));
        QVERIFY(plan.workload.params.at("skip_trx") == Value(true));
        QVERIFY(plan.workload.prepare == PreparePolicy::Always);
        QVERIFY(plan.workload.cleanup);
        QVERIFY(plan.set.at("connection.journal_mode") == Value(std::string("WAL")));
        QVERIFY((plan.load.users == std::vector{1, 4, 16}));
        QCOMPARE(plan.load.timeSeconds, 30.0);
        QCOMPARE(plan.load.warmupSeconds, 5.0);
        QCOMPARE(plan.load.intervalSeconds, 0.5);
        QCOMPARE(plan.load.events, std::uint64_t(1'000'000));
        QCOMPARE(plan.load.repeats, 3);
        QVERIFY(plan.load.order == RunOrder::Interleaved);
        QCOMPARE(plan.load.seed, std::uint64_t(7));
        QVERIFY(plan.load.executor == ExecutorKind::Threads);
        QCOMPARE(plan.load.loaders, 2);
        QCOMPARE(plan.axes.size(), std::size_t(2));
        QCOMPARE(plan.axes[0].cases[1].label, std::string("full, \"safe\""));
        QVERIFY(plan.axes[0].cases[1].set.at("workload.range_size") == Value(std::int64_t(10)));
        QCOMPARE(plan.axes[0].cases[1].line, 29);
        QCOMPARE(plan.views.size(), std::size_t(1));
        QCOMPARE(plan.views[0].facet, std::string("time"));
        QCOMPARE(plan.sizes.size(), std::size_t(1));
        QCOMPARE(plan.source, std::string("test.toml"));
    }

    //! E18: what a machine costs and draws, with the target or by cases; and what a view makes of it.
    void priceOfATarget()
    {
        const std::string toml = R"(title = "machines"
[target]
uri = "sqlite:a.db"
cost_per_hour = 0.35
watts = 120
currency = "€"
[workload]
name = "oltp_read_write"
[load]
counters = false
[[axis]]
name = "machine"
cases = [
  { label = "small", set = { "target.uri" = "sqlite:small.db" } },
  { label = "large", set = { "target.uri" = "sqlite:large.db", "target.cost_per_hour" = 1, "target.watts" = 300.5 } },
]
[[view]]
chart = "bars"
measure = "tx_per_cost"
x = "users"
series = "machine"
centre = "median"
relative_to = "best"
)";
        const Plan plan = parsed(toml);
        QVERIFY((plan.target.price == Price{0.35, 120, "€"}));
        QVERIFY(!plan.load.counters);
        QVERIFY(plan.views[0].centre == Centre::Median);
        QVERIFY(plan.views[0].relativeTo == RelativeTo::Best);
        const Expansion expansion = expand(plan);
        QVERIFY((expansion.points[0].target.price == Price{0.35, 120, "€"}));
        QVERIFY((expansion.points[1].target.price == Price{1, 300.5, "€"}));

        const Plan again = parsed(writePlan(plan));
        QVERIFY(again.target.price == plan.target.price);
        QVERIFY(!again.load.counters);
        QVERIFY(again.views[0].centre == Centre::Median);
        QVERIFY(again.views[0].relativeTo == RelativeTo::Best);
        QCOMPARE(writePlan(again), writePlan(plan));

        Plan changed = plan;
        QVERIFY(!setField(changed, "target.cost_per_hour", "2.5")); // an axis has it
        changed.axes.clear();
        changed.views.clear();
        QVERIFY(setField(changed, "target.cost_per_hour", "2.5"));
        QVERIFY(setField(changed, "target.currency", "CHF"));
        QVERIFY((changed.target.price == Price{2.5, 120, "CHF"}));
        const auto negative = setField(changed, "target.watts", "-1");
        QVERIFY(!negative && negative.error().message.find("out of range") != std::string::npos);
        QVERIFY(!setField(changed, "target.watts", "nan"));
        QVERIFY(!setField(changed, "target.cost_per_hour", "cheap"));
        const auto misspelt = setField(changed, "target.cost", "1");
        QVERIFY(!misspelt && misspelt.error().remedy.find("cost_per_hour") != std::string::npos);
        changed.target.price.watts = -4; // as a form could have it
        QCOMPARE(checkPlan(changed).size(), std::size_t(1));
        QCOMPARE(checkPlan(changed)[0].where, std::string("target.watts"));
    }

    //! Names of counters: a list in a plan, one text on the command line. A plan cannot know what the server tells.
    void observedCounters()
    {
        const auto observing = [](const std::string& list) { return minimal("[load]\nobserve = " + list + "\n"); };
        const std::vector<std::string> wanted{"Key_reads", "host/vda reads", "Com_*"};
        const Plan plan = parsed(observing(R"(["Key_reads", "host/vda reads", "Com_*"])"));
        QVERIFY(plan.load.observe == wanted);
        QVERIFY2(writePlan(plan).find(R"(observe = ["Key_reads", "host/vda reads", "Com_*"])") != std::string::npos,
                 writePlan(plan).c_str());
        QVERIFY(parsed(writePlan(plan)).load.observe == wanted);
        QVERIFY(parsed(observing(R"("Key_reads, host/vda reads ,Com_*")")).load.observe == wanted);
        QVERIFY(parsed(observing("[]")).load.observe.empty());
        QVERIFY(writePlan(parsed(observing("[]"))).find("observe") == std::string::npos);
        Plan changed = plan;
        QVERIFY(setField(changed, "load.observe", "a,b"));
        QVERIFY(changed.load.observe == (std::vector<std::string>{"a", "b"}));
        QVERIFY(!setField(changed, "load.observe", "a,,b"));
        QVERIFY(!setField(changed, "load.observe", std::string(300, 'a')));
        QVERIFY(!setField(changed, "load.observe", "a\x1b[2J"));
        // A stored point is held to the same: many names, or long ones, would keep a window busy.
        PointSpec point;
        point.load.observe = wanted;
        QVERIFY(codec::readPoint(codec::write(point)).load.observe == wanted);
        point.load.observe.assign(1000, "*a*a*a*");
        QVERIFY(codec::readPoint(codec::write(point)).load.observe.empty());
        std::string many = "a";
        for (int i = 0; i < 100; ++i)
            many += ",a";
        QVERIFY(!setField(changed, "load.observe", many));
        for (const char* wrong : {"[1]", R"([["a"]])", R"(["a,b"])", R"(["a", ""])", "{ a = 1 }"}) {
            const ParsedPlan refused = parsePlan(observing(wrong), "test.toml");
            QVERIFY2(!refused.faults.empty() && refused.faults[0].where.starts_with("load.observe"), wrong);
        }
    }

    //! E17: 900 s out of hours; and E03: figures that were published as percent of a case.
    void partsOfTheTimeAndPercentOfACase()
    {
        const std::string toml = minimal(R"([[axis]]
name = "durability"
cases = [ { label = "off", set = { "connection.synchronous" = "OFF" } },
          { label = "full", set = { "connection.synchronous" = "FULL" } } ]
[[published]]
source = "somebody"
measure = "data_bytes"
relative_to = "off"
values = [ { cases = { durability = "full" }, value = 53 } ]
[[view]]
chart = "dots"
measure = "rows:2000000"
series = "durability"
from = "1h"
to = 4500
[[view]]
chart = "heat"
series = "durability"
to = "2.5s"
)");
        const Plan plan = parsed(toml);
        QCOMPARE(plan.views.size(), std::size_t(2));
        QCOMPARE(plan.views[0].measure, std::string("rows:2000000"));
        QCOMPARE(plan.views[0].from, 3600.0);
        QCOMPARE(plan.views[0].to, 4500.0);
        QCOMPARE(plan.views[1].from, 0.0);
        QCOMPARE(plan.views[1].to, 2.5);
        QCOMPARE(plan.published[0].relativeTo, std::string("off"));
        const Plan again = parsed(writePlan(plan));
        QCOMPARE(again.views[0].from, 3600.0);
        QCOMPARE(again.views[0].to, 4500.0);
        QCOMPARE(again.views[1].to, 2.5);
        QCOMPARE(again.published[0].relativeTo, std::string("off"));
        QCOMPARE(writePlan(again), writePlan(plan));

        Plan without = plan; // percent of a case that is not run are percent of nothing
        QVERIFY(setField(without, "axis.durability", "full"));
        QVERIFY(without.published.empty());
        QVERIFY(checkPlan(without).empty());
        Plan with = plan;
        QVERIFY(setField(with, "axis.durability", "off;full"));
        QCOMPARE(with.published[0].values.size(), std::size_t(1));

        Plan made = plan; // as a window could make it
        made.views[0].from = -1;
        QCOMPARE(checkPlan(made).size(), std::size_t(1));
        QCOMPARE(checkPlan(made)[0].where, std::string("view[0].from"));
    }

    void defaultsOfAShortPlan()
    {
        const Plan plan = parsed(minimal());
        QVERIFY((plan.load.users == std::vector{1}));
        QCOMPARE(plan.load.timeSeconds, 10.0);
        QCOMPARE(plan.load.repeats, 1);
        QVERIFY(plan.load.order == RunOrder::AsListed);
        QVERIFY(plan.workload.prepare == PreparePolicy::Auto);
    }

    void writesWhatItReads()
    {
        const std::string once = writePlan(parsed(kWhole));
        const Plan again = parsed(once);
        QCOMPARE(writePlan(again), once);
        const Plan first = parsed(kWhole);
        QCOMPARE(again.title, first.title);
        QCOMPARE(again.description, first.description);
        QVERIFY(again.workload.params == first.workload.params);
        QVERIFY(again.set == first.set);
        QVERIFY(again.load.users == first.load.users);
        QCOMPARE(again.load.warmupSeconds, first.load.warmupSeconds);
        QVERIFY(again.axes[0].cases[1].set == first.axes[0].cases[1].set);
        QVERIFY(again.axes[1].cases[1].set == first.axes[1].cases[1].set);
        QCOMPARE(again.axes[0].cases[1].label, first.axes[0].cases[1].label);
        QCOMPARE(again.views[0].baseline, first.views[0].baseline);
        QVERIFY(again.sizes[0].fields == first.sizes[0].fields);
    }

    void keepsTheTypeOfAValue()
    {
        Plan plan = parsed(minimal());
        plan.target.uri = "mysql://u@localhost/d";
        plan.set = {{"server.real", 2.0},
                    {"server.text", std::string("2")},
                    {"server.flag", false},
                    {"server.whole", std::int64_t(2)},
                    {"connection.odd", std::string("a\"b\\c d")}};
        if (!parseUri(plan.target.uri))
            QSKIP("built without the MySQL-family driver");
        QVERIFY(parsed(writePlan(plan)).set == plan.set);
    }

    void takesThreeSpellingsOfASetting_data()
    {
        QTest::addColumn<QString>("set");
        QTest::newRow("quoted") << "\"connection.synchronous\" = \"OFF\"";
        QTest::newRow("dotted") << "connection.synchronous = \"OFF\"";
        QTest::newRow("nested") << "connection = { synchronous = \"OFF\" }";
    }
    void takesThreeSpellingsOfASetting()
    {
        QFETCH(QString, set);
        const Settings wanted{{"connection.synchronous", std::string("OFF")}};
        const std::string text = set.toStdString();
        QVERIFY(parsed(minimal("[set]\n" + text + "\n")).set == wanted);
        const Plan plan =
            parsed(minimal("[[axis]]\nname = \"a\"\ncases = [ { label = \"x\", set = { " + text + " } } ]\n"));
        QCOMPARE(plan.axes.size(), std::size_t(1));
        QVERIFY(plan.axes[0].cases[0].set == wanted);
    }

    void takesDurationsInEveryForm_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("seconds");
        QTest::newRow("text") << "\"30s\"" << 30.0;
        QTest::newRow("minutes") << "\"2m\"" << 120.0;
        QTest::newRow("milliseconds") << "\"1500ms\"" << 1.5;
        QTest::newRow("number") << "30" << 30.0;
        QTest::newRow("real") << "2.5" << 2.5;
        QTest::newRow("text without a unit") << "\"30\"" << 30.0;
    }
    void takesDurationsInEveryForm()
    {
        QFETCH(QString, text);
        QFETCH(double, seconds);
        QCOMPARE(parsed(minimal("[load]\ntime = " + text.toStdString() + "\n")).load.timeSeconds, seconds);
    }

    void setsOneField()
    {
        Plan plan = parsed(kWhole);
        QVERIFY(setField(plan, "load.users", "2,8").has_value());
        QVERIFY((plan.load.users == std::vector{2, 8}));
        QVERIFY(setField(plan, "axis.users", "3;5").has_value());
        QVERIFY((plan.load.users == std::vector{3, 5}));
        QVERIFY(setField(plan, "load.warmup", "2s").has_value());
        QCOMPARE(plan.load.warmupSeconds, 2.0);
        QVERIFY(setField(plan, "workload.tables", "2").has_value());
        QVERIFY(plan.workload.params.at("tables") == Value(std::int64_t(2)));
        QVERIFY(setField(plan, "workload.name", "oltp_insert").has_value());
        QCOMPARE(plan.workload.name, std::string("oltp_insert"));
        QVERIFY(setField(plan, "target.uri", "sqlite:other.db").has_value());
        QCOMPARE(plan.target.uri, std::string("sqlite:other.db"));
        QVERIFY(setField(plan, "title", "T").has_value());
        QCOMPARE(plan.title, std::string("T"));
        QVERIFY(setField(plan, "server.sync_binlog", "1").has_value());
        QVERIFY(plan.set.at("server.sync_binlog") == Value(std::int64_t(1)));
        QVERIFY(setField(plan, "axis.durability[off].connection.synchronous", "NORMAL").has_value());
        QVERIFY(plan.axes[0].cases[0].set.at("connection.synchronous") == Value(std::string("NORMAL")));
        plan.views[0].name = "Rows 2.0";
        QVERIFY(setField(plan, "view.Rows 2.0.measure", "exit_rate:500").has_value());
        QCOMPARE(plan.views[0].measure, std::string("exit_rate:500"));
        QVERIFY(setField(plan, "view.Rows 2.0.from", "15m").has_value());
        QVERIFY(setField(plan, "view.Rows 2.0.to", "1800").has_value());
        QCOMPARE(plan.views[0].from, 900.0);
        QCOMPARE(plan.views[0].to, 1800.0);
        QVERIFY(!setField(plan, "view.Rows 2.0.to", "-1").has_value());
        QVERIFY(!setField(plan, "view.Rows 2.0.chart", "bars").has_value());
        QVERIFY(setField(plan, "view.Rows 2.0.name", "Last rows").has_value());
        QCOMPARE(plan.views[0].name, std::string("Last rows"));
        QVERIFY(!setField(plan, "view.Rows 2.0.measure", "tps").has_value());
        QVERIFY(setField(plan, "axis.durability", "full, \"safe\"").has_value());
        QCOMPARE(plan.axes[0].cases.size(), std::size_t(1));
        QVERIFY2(plan.views[0].baseline.empty(), "the baseline was taken away, so the first case is it");
    }

    void refusesWhatCannotBeSet_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("no scope") << "users"
                                  << "4"
                                  << "scope";
        QTest::newRow("unknown scope") << "lod.users"
                                       << "4"
                                       << "load";
        QTest::newRow("unknown field") << "load.user"
                                       << "4"
                                       << "users";
        QTest::newRow("bad value") << "load.users"
                                   << "many"
                                   << "whole number";
        QTest::newRow("out of range") << "load.interval"
                                      << "20"
                                      << "0.1";
        QTest::newRow("unknown axis") << "axis.durabilty"
                                      << "off"
                                      << "durability";
        QTest::newRow("unknown case") << "axis.durability"
                                      << "of"
                                      << "off";
        QTest::newRow("no case") << "axis.durability"
                                 << ""
                                 << "off";
        QTest::newRow("case of no axis") << "axis.duration[off].load.time"
                                         << "1"
                                         << "durability";
        QTest::newRow("no such case") << "axis.durability[of].connection.synchronous"
                                      << "OFF"
                                      << "off";
        QTest::newRow("not set by the case") << "axis.durability[off].connection.synchron"
                                             << "OFF"
                                             << "connection.synchronous";
        QTest::newRow("case without a field") << "axis.durability[off]"
                                              << "OFF"
                                              << "axis.NAME[LABEL].FIELD";
        QTest::newRow("view") << "view.Throughputt.measure"
                              << "tps"
                              << "no view";
        QTest::newRow("field of a view") << "view.Throughput.x"
                                         << "users"
                                         << "view.NAME.measure";
        QTest::newRow("set by an axis") << "connection.synchronous"
                                        << "OFF"
                                        << "axis.durability";
        QTest::newRow("executor") << "load.executor"
                                  << "fibres"
                                  << "threads";
        QTest::newRow("rate") << "load.rate"
                              << "-1"
                              << "a second";
        QTest::newRow("steps") << "load.steps"
                               << "100 for 10s"
                               << "500:10s";
        QTest::newRow("objective") << "load.objective"
                                   << "p99 below 20"
                                   << "p99 <= 20ms";
        QTest::newRow("search") << "load.search"
                                << "rate 20..10"
                                << "rate 100..20000";
    }
    void refusesWhatCannotBeSet()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, says);
        Plan plan = parsed(kWhole);
        const std::string before = writePlan(plan);
        const auto set = setField(plan, path.toStdString(), value.toStdString());
        QVERIFY(!set.has_value());
        QVERIFY(set.error().kind == ErrorKind::BadInput);
        QVERIFY2(QString::fromStdString(set.error().text()).contains(says), set.error().text().c_str());
        QCOMPARE(writePlan(plan), before);
    }

    void appliesASize()
    {
        Plan plan = parsed(kWhole);
        const auto wrong = applySize(plan, "quik");
        QVERIFY(!wrong.has_value());
        QVERIFY(QString::fromStdString(wrong.error().remedy).contains("quick"));
        QVERIFY(applySize(plan, "quick").has_value());
        QVERIFY((plan.load.users == std::vector{1, 2}));
        QCOMPARE(plan.load.warmupSeconds, 1.0);
        QVERIFY(plan.sizes.empty());
    }

    //! Choosing a library, or another database that this process has open, takes away none of its locks.
    void aDatabaseIsNoPlan()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("l.dynolib").toStdString();
        const auto writer = SessionWriter::open(file);
        QVERIFY(writer);
        QVERIFY(test::isLocked(file));
        const ParsedPlan read = readPlan(file);
        QVERIFY(test::isLocked(file));
        QVERIFY(!read.plan);
        QCOMPARE(read.faults.size(), std::size_t(1));
        QCOMPARE(read.faults.front().where, file);
        QVERIFY2(read.faults.front().what.find("SQLite database") != std::string::npos,
                 read.faults.front().what.c_str());
        QVERIFY(!read.faults.front().remedy.empty());
    }

    void readsFiles()
    {
        QTemporaryDir dir;
        const auto path = [&](const char* name) { return std::filesystem::path(dir.filePath(name).toStdString()); };
        std::ofstream(path("good.toml")) << minimal();
        QVERIFY(readPlan(path("good.toml")).plan.has_value());
        const auto says = [&](const ParsedPlan& result, const char* text) {
            return !result.plan && result.faults.size() == 1 && !result.faults[0].remedy.empty() &&
                   result.faults[0].what.find(text) != std::string::npos;
        };
        QVERIFY(says(readPlan(path("missing.toml")), "no such file"));
        QVERIFY(says(readPlan(path("")), "folder"));
        std::ofstream(path("binary.toml"), std::ios::binary) << std::string("\x7f"
                                                                            "ELF\0\0\1",
                                                                            7);
        QVERIFY(says(readPlan(path("binary.toml")), "not a text file"));
        std::ofstream(path("latin1.toml"), std::ios::binary) << "title = \"caf\xe9\"\n";
        QVERIFY(says(readPlan(path("latin1.toml")), "utf-8"));
        std::ofstream(path("empty.toml")).flush();
        const ParsedPlan empty = readPlan(path("empty.toml"));
        QCOMPARE(empty.faults.size(), std::size_t(2)); // neither a target nor a workload
    }

    void anyBeginningOfAPlanIsAnsweredFor()
    {
        const std::string text = kWhole;
        for (std::size_t length = 0; length < text.size(); ++length) {
            const ParsedPlan result = parsePlan(text.substr(0, length), "cut.toml");
            QVERIFY2(result.plan.has_value() == result.faults.empty(), text.substr(0, length).c_str());
            for (const Fault& fault : result.faults) {
                QVERIFY2(fault.line >= 1 && fault.column >= 1, fault.what.c_str());
                QVERIFY2(!fault.what.empty() && !fault.remedy.empty(), text.substr(0, length).c_str());
            }
        }
    }

    void anyMissingLineIsAnsweredFor()
    {
        const QStringList lines = QString(kWhole).split('\n');
        for (int skipped = 0; skipped < lines.size(); ++skipped) {
            QStringList rest = lines;
            rest.removeAt(skipped);
            const ParsedPlan result = parsePlan(rest.join('\n').toStdString(), "hole.toml");
            QVERIFY(result.plan.has_value() == result.faults.empty());
        }
    }

    void anyChangedByteIsAnsweredFor()
    {
        const std::string text = kWhole;
        for (const char junk : {'"', '[', '}', '=', '\n', '\x01', '\xff', '.', ','}) {
            for (std::size_t i = 0; i < text.size(); i += 3) {
                std::string changed = text;
                changed[i] = junk;
                const ParsedPlan result = parsePlan(changed, "junk.toml");
                QVERIFY(result.plan.has_value() == result.faults.empty());
            }
        }
    }
};

DYNO_SUITE(tst_plan, TestPlan)
#include "tst_plan.moc"
