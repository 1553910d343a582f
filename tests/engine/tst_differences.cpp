// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is told to differ between points and sessions that are compared.
#include "figure_sessions.h"
#include "support/suite.h"
#include <dyno/catalog.h>
#include <dyno/report.h>

#include <QTest>

#include <algorithm>

namespace dyno::tst_differences {
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
        QCOMPARE(names, (Texts{"connection.synchronous", "server.sync_binlog", "load.users", "page_size"}));
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
        QCOMPARE(names, (Texts{"product", "connection.synchronous", "server.sync_binlog", "load.users", "page_size"}));
        QCOMPARE(oneSidedVariables({durability(), other}), std::size_t(1));
        const std::string report = markdownReport({durability(), other}, {});
        QVERIFY2(report.find("| page_size | 4096; (empty) |") != std::string::npos, report.c_str());
        QVERIFY2(report.find("exists on only some") == std::string::npos, report.c_str());
    }

    //! What came of it: a server may refuse what the plan says.
    void instruments()
    {
        StoredSession one = durability(), other = durability();
        for (StoredSession* session : {&one, &other}) {
            for (PointSpec& point : session->header.points)
                point.load.instruments = InstrumentsLevel::Light;
            for (StoredRun& run : session->runs)
                run.header.effective[kInstrumentsKey] =
                    std::string(session == &one ? "light: already on" : "light: not switched on, it is off");
        }
        const std::vector<Difference> list = differences({one, other});
        const auto found = std::ranges::find(list, std::string(kInstrumentsKey), &Difference::name);
        QVERIFY(found != list.end());
        QCOMPARE(found->values, (Texts{"light: already on", "light: not switched on, it is off"}));
    }

    //! ON and 1 are one value, and so are 128M and 134217728; where a server's files lie is no setting.
    void valuesAreNormalised()
    {
        const auto with = [](const std::string& folder,
                             const std::vector<std::pair<std::string, std::string>>& values) {
            StoredSession session = sessionOf("s", {{"OFF", 1, {100}}});
            session.header.points[0].target.uri = "managed:mariadb";
            Settings& variables = session.runs[0].header.server.variables;
            variables["datadir"] = folder + "/data/";
            for (const auto& [name, value] : values)
                variables[name] = value;
            return session;
        };
        const StoredSession one = with("/a/x", {{"read_only", "ON"},
                                                {"innodb_buffer_pool_size", "128M"},
                                                {"binlog_format", "ROW"},
                                                {"long_query_time", "10.000000"},
                                                {"innodb_undo_directory", "/a/x/data/undo"},
                                                {"log_bin_basename", "/a/x/data/binlog"},
                                                {"relay_log_info", "/a/x/relay"},
                                                {"sort_buffer_size", "1"}});
        const StoredSession other = with("/b/y", {{"read_only", "1"},
                                                  {"innodb_buffer_pool_size", "134217728"},
                                                  {"binlog_format", "row"},
                                                  {"long_query_time", "10"},
                                                  {"innodb_undo_directory", "/b/y/data/undo"},
                                                  {"log_bin_basename", ""},
                                                  {"relay_log_info", "/b/y/relay"},
                                                  {"sort_buffer_size", "2"}});
        Texts names;
        for (const Difference& difference : differences({one, other}))
            names.push_back(difference.name + " " + difference.topic);
        QCOMPARE(names, (Texts{"sort_buffer_size memory"}));
    }

    //! What products call differently is compared by what it means, once, and durability comes first.
    void productsAreComparedByMeaning()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        StoredSession embedded = sessionOf("embedded", {{"FULL", 1, {100}}});
        embedded.runs[0].header.server.variables["journal_mode"] = std::string("WAL");
        embedded.runs[0].header.server.variables["cache_size"] = std::string("-2000");
        StoredSession server = sessionOf("server", {{"FULL", 1, {100}}});
        server.header.points[0].target.uri = "managed:mariadb";
        server.header.points[0].connection.clear();
        server.header.points[0].server = {{"innodb_flush_log_at_trx_commit", std::int64_t(1)}};
        StoredRun& run = server.runs[0];
        run.header.effective = {{"innodb_flush_log_at_trx_commit", std::int64_t(1)}};
        run.header.server.product = "MariaDB";
        run.header.server.version = "10.11.19";
        run.header.server.variables = {{"innodb_flush_log_at_trx_commit", std::string("1")},
                                       {"innodb_buffer_pool_size", std::string("134217728")},
                                       {"log_bin", std::string("ON")},
                                       {"innodb_flush_method", std::string("O_DIRECT")}};
        Texts list;
        for (const Difference& difference : differences({embedded, server})) {
            std::string text = difference.topic + ": " + difference.name;
            for (const std::string& value : difference.values)
                text += " | " + value;
            list.push_back(text);
        }
        const auto has = [&list](const std::string& text) { return std::ranges::find(list, text) != list.end(); };
        const QString all = QString::fromStdString([&list] {
            std::string text;
            for (const std::string& line : list)
                text += line + "\n";
            return text;
        }());
        QVERIFY2(has("durability: journal mode | WAL (journal_mode) | (no such setting)"), qPrintable(all));
        QVERIFY2(has("durability: flush method | O_DIRECT (innodb_flush_method) | (no such setting)"), qPrintable(all));
        QVERIFY2(has("logging: binary log | on (log_bin = ON) | (no such setting)"), qPrintable(all));
        QVERIFY2(
            has("memory: cache size | 1.95 MiB (cache_size = -2000) | 128 MiB (innodb_buffer_pool_size = 134217728)"),
            qPrintable(all));
        // FULL and 1 mean the same: neither is told to differ, under no name.
        QVERIFY2(!all.contains("synchronous") && !all.contains("sync at commit") && !all.contains("flush_log"),
                 qPrintable(all));
        // With another value they do.
        run.header.effective = {{"innodb_flush_log_at_trx_commit", std::int64_t(2)}};
        bool told = false;
        for (const Difference& difference : differences({embedded, server})) {
            if (difference.name == "sync at commit") {
                told = true;
                QCOMPARE(difference.values,
                         (Texts{"every commit is on disk (synchronous = FULL)",
                                "a power cut can lose the last commits (innodb_flush_log_at_trx_commit = 2)"}));
            }
        }
        QVERIFY(told);
    }

    //! Two servers over the same cases: what else they do for durability, and whether a change of data waits for it.
    void durabilityBesideWhatIsAsked()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const auto server = [](const char* product, const char* version, int flush, const char* binlog, int sync) {
            StoredSession session = sessionOf(product, {{"usual", 1, {100}}});
            session.header.points[0].target.uri = "managed:mariadb";
            session.header.points[0].connection.clear();
            StoredRun& run = session.runs[0];
            run.summary.rows = 10;
            run.header.effective.clear();
            run.header.server.product = product;
            run.header.server.version = version;
            run.header.server.variables = {{"innodb_flush_log_at_trx_commit", std::to_string(flush)},
                                           {"log_bin", std::string(binlog)},
                                           {"sync_binlog", std::to_string(sync)},
                                           {"innodb_checksum_algorithm", std::string(sync ? "crc32" : "full_crc32")}};
            return session;
        };
        const auto textsOf = [](const std::vector<DurabilityGap>& gaps, bool decides) {
            std::string text;
            for (const DurabilityGap& one : gaps)
                text += one.decides == decides ? one.text + "\n" : std::string();
            return text;
        };
        StoredSession one = server("MariaDB", "10.11.19-MariaDB", 1, "OFF", 0);
        StoredSession other = server("MySQL", "8.0.31", 2, "ON", 1);
        auto gaps = durabilityGaps({one, other});
        const std::string red = textsOf(gaps, true), plain = textsOf(gaps, false);
        QVERIFY2(red.find("sync at commit: every commit is on disk (innodb_flush_log_at_trx_commit = 1) on MariaDB "
                          "10.11.19, a power cut can lose the last commits (innodb_flush_log_at_trx_commit = 2) on "
                          "MySQL 8.0.31") != std::string::npos,
                 red.c_str());
        QVERIFY2(red.find("binary log: off") != std::string::npos, red.c_str());
        QVERIFY2(red.find("checksum") == std::string::npos && plain.find("checksum") != std::string::npos,
                 plain.c_str());
        // How often a log is synced that is not written says nothing.
        QVERIFY2(red.find("sync_binlog") == std::string::npos, red.c_str());
        // Reads wait for no disk.
        one.runs[0].summary.rows = other.runs[0].summary.rows = 0;
        gaps = durabilityGaps({one, other});
        QVERIFY(textsOf(gaps, true).empty() && !gaps.empty());
        // The same settings, and one server alone, have no gap.
        QVERIFY(durabilityGaps({one, server("MySQL", "8.0.31", 1, "OFF", 0)}).empty());
        QVERIFY(durabilityGaps({one, one}).empty());
        // In a plan's own axis the labels tell apart what is compared: flush=1 here with flush=1 there.
        StoredSession both = server("MariaDB", "10.11.19", 1, "OFF", 0);
        both.header.points[0].cases = {{"server", "MariaDB"}, {"flush", "1"}};
        const auto add = [&both](StoredSession from, const char* label, const char* flush) {
            from.header.points[0].cases = {{"server", label}, {"flush", flush}};
            from.runs[0].header.point = from.runs[0].summary.point = int(both.header.points.size());
            both.header.points.push_back(from.header.points[0]);
            both.runs.push_back(from.runs[0]);
        };
        add(server("MariaDB", "10.11.19", 2, "OFF", 0), "MariaDB", "2");
        add(server("MySQL", "8.0.31", 1, "OFF", 0), "MySQL", "1");
        add(server("MySQL", "8.0.31", 2, "OFF", 0), "MySQL", "2");
        QVERIFY(durabilityGaps({both}).empty());
        add(server("MySQL", "8.0.31", 1, "ON", 1), "MySQL", "1");
        QVERIFY(!durabilityGaps({both}).empty());
    }

    //! A name that did not answer stands in no title unseen.
    void misnamedProducts()
    {
        if (!findDriver("mongodb"))
            QSKIP("built without the MongoDB driver");
        StoredSession session = sessionOf("How fast is MongoDB?", {{"usual", 1, {100}}});
        session.runs[0].header.server.product = "FerretDB";
        session.runs[0].header.server.version = "1.24.0";
        QCOMPARE(misnamedProduct(session),
                 std::string("\"MongoDB\" stands in the title, and FerretDB 1.24.0 answered"));
        QVERIFY(markdownReport({session}, {}).find("FerretDB 1.24.0 answered") != std::string::npos);
        session.info.title = "How fast is it?";
        QCOMPARE(misnamedProduct(session), std::string());
        session.header.points[0].cases[0].label = "MongoDB, journal";
        QVERIFY(misnamedProduct(session).find("label \"MongoDB, journal\"") != std::string::npos);
        session.runs[0].header.server.product = "MongoDB";
        QCOMPARE(misnamedProduct(session), std::string());
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
        const auto loadOf = [&namesOf](const auto& change) {
            return namesOf([&](StoredSession& s) { change(s.header.points[0].load); });
        };
        QCOMPARE(namesOf([](StoredSession&) {}), Texts());
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.model = ArrivalModel::Poisson; }),
                 (Texts{"load.arrival: closed / poisson"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.rate = 500; }), (Texts{"load.rate: none / 500 a second"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.rateTo = 900; }), (Texts{"load.rate_to: none / 900 a second"}));
        QCOMPARE(loadOf([](LoadProfile& l) {
                     l.arrival.steps = {{50, 2}, {60, 3}};
                 }),
                 (Texts{"load.steps: none / 50:2s, 60:3s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.thinkSeconds = 0.5; }),
                 (Texts{"load.think_time: 0.000 s / 0.500 s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.arrival.backlog = 10; }), (Texts{"load.backlog: 100000 / 10"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.events = 7; }), (Texts{"load.events: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.rows = 7; }), (Texts{"load.rows: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.executor = ExecutorKind::Loops; }),
                 (Texts{"load.executor: auto / loops"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.loops = 2; }), (Texts{"load.loops: half the cores / 2"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.warmupEvents = 7; }), (Texts{"load.warmup_events: none / 7"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.warmupUntilSteady = true; }), (Texts{"load.warmup: 0.000 s / steady"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.reconnectSeconds = 0; }), (Texts{"load.reconnect: 10.000 s / 0.000 s"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.counters = false; }), (Texts{"load.counters: true / false"}));
        QCOMPARE(loadOf([](LoadProfile& l) { l.intervalSeconds = 0.5; }), (Texts{"load.interval: 1.000 s / 0.500 s"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.header.plan.load.data = DataPolicy::Restore; }),
                 (Texts{"load.data: keep / restore"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.header.plan.load.restart = RestartPolicy::EachRun; }),
                 (Texts{"load.restart: when-needed / each-run"}));
        QCOMPARE(namesOf([](StoredSession& s) { s.runs[0].summary.origin = "pgbench 17.0"; }), Texts());
    }
};

} // namespace dyno::tst_differences

DYNO_SUITE(tst_differences, dyno::tst_differences::TestDifferences)
#include "tst_differences.moc"
