// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is told to differ between points and sessions that are compared.
#include "figure_sessions.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QtTest>

using namespace dyno;
using namespace dyno::test;

class TestDifferences : public QObject
{
    Q_OBJECT

private slots:
    void whatDiffers()
    {
        const std::vector<Difference> list = differences({durability()});
        QCOMPARE(list.size(), std::size_t(2));
        QCOMPARE(list[0].name, std::string("connection.synchronous"));
        QCOMPARE(list[0].values, (Texts{"OFF", "FULL"}));
        QCOMPARE(list[1].name, std::string("load.users"));
        // page_size; synchronous is a knob that differs, timestamp is no setting
        QCOMPARE(equalVariables({durability()}), std::size_t(1));

        StoredSession other = durability();
        other.header.points[0].server = {{"sync_binlog", std::int64_t(1)}};
        other.runs[0].header.server.variables["page_size"] = std::string("8192");
        for (const char* state : {"page_count", "freelist_count"}) // of a file of SQLite, no settings
            other.runs[0].header.server.variables[state] = std::string("77");
        Texts names;
        for (const Difference& difference : differences({durability(), other})) {
            names.push_back(difference.name);
            if (difference.name == "server.sync_binlog")
                QCOMPARE(difference.values, (Texts{"1", "(not set)"}));
        }
        QCOMPARE(names, (Texts{"connection.synchronous", "load.users", "server.sync_binlog", "page_size"}));
        QCOMPARE(oneSidedVariables({durability(), other}), std::size_t(0));

        // Another version: what only one of them has is counted, not listed; where its files lie is no setting.
        for (StoredRun& run : other.runs) {
            run.header.server.version += ".1";
            run.header.server.variables["invented"] = std::string("ON");
            run.header.server.variables["datadir"] = std::string("/elsewhere");
            run.header.server.variables["page_size"] = std::string();
        }
        names.clear();
        for (const Difference& difference : differences({durability(), other}))
            names.push_back(difference.name);
        QCOMPARE(names, (Texts{"product", "connection.synchronous", "load.users", "server.sync_binlog", "page_size"}));
        QCOMPARE(oneSidedVariables({durability(), other}), std::size_t(1));
        const std::string report = markdownReport({durability(), other}, {});
        QVERIFY2(report.find("| page_size | 4096; (empty) |") != std::string::npos, report.c_str());
        QVERIFY(report.find("1 variable exists on only some of these servers") != std::string::npos);
    }

    //! All that makes a load another one is told; what other tools did not tell is not.
    void loadsThatDiffer()
    {
        const StoredSession plain = sessionOf("s", {{"OFF", 1, {100}}});
        const auto namesOf = [&plain](const auto& change) {
            StoredSession other = plain;
            change(other);
            Texts texts;
            for (const Difference& difference : differences({plain, other}))
                texts.push_back(difference.name + ": " + difference.values.front() + " / " + difference.values.back());
            return texts;
        };
        const auto loadOf = [&namesOf](const auto& change) { return namesOf([&](StoredSession& s) { change(s.header.points[0].load); }); };
        QCOMPARE(namesOf([](StoredSession&) {}), Texts());
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.model = ArrivalModel::Poisson; }), (Texts{"load.arrival: closed / poisson"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.rate = 500; }), (Texts{"load.rate: none / 500 a second"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.rateTo = 900; }), (Texts{"load.rate_to: none / 900 a second"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.steps = {{50, 2}, {60, 3}}; }),
                 (Texts{"load.steps: none / 50 a second for 2 s, 60 a second for 3 s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.thinkSeconds = 0.5; }), (Texts{"load.think_time: 0.000 s / 0.500 s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.backlog = 10; }), (Texts{"load.backlog: 100000 / 10"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.events = 7; }), (Texts{"load.events: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.rows = 7; }), (Texts{"load.rows: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.executor = ExecutorKind::Loops; }), (Texts{"load.executor: auto / loops"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.loops = 2; }), (Texts{"load.loops: chosen by the cores / 2"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.warmupEvents = 7; }), (Texts{"load.warmup_events: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.warmupUntilSteady = true; }), (Texts{"load.warmup: 0.000 s / steady"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.reconnectSeconds = 0; }), (Texts{"load.reconnect: 10.000 s / 0.000 s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.counters = false; }), (Texts{"load.counters: true / false"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.intervalSeconds = 0.5; }), (Texts{"load.interval: 1.000 s / 0.500 s"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.header.plan.load.data = DataPolicy::Restore; }), (Texts{"load.data: keep / restore"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.header.plan.load.restart = RestartPolicy::EachRun; }),
                 (Texts{"load.restart: when-needed / each-run"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.runs[0].summary.origin = "pgbench 17.0"; }), Texts());
    }
};

DYNO_SUITE(tst_differences, TestDifferences)
#include "tst_differences.moc"
