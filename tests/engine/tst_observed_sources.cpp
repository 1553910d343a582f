// SPDX-License-Identifier: GPL-3.0-or-later
// Exporters and machines as rows of a form: what is wrong with them, and one reading of real ones.
#include "support/sshd_fixture.h"
#include "support/suite.h"
#include "support/verify.h"

#include <dyno/catalog.h>
#include <dyno/live_metrics.h>
#include <dyno/observed_sources.h>
#include <dyno/runner.h>

#include <QTest>

#include <algorithm>
#include <atomic>

namespace dyno::tst_observed_sources {

class TestObservedSources : public QObject
{
    Q_OBJECT
private slots:
    void rowsOfAPlan()
    {
        Plan plan;
        plan.set = {{"machine.db host", std::string("ssh joe@db1.example.org")},
                    {"exporter.node", std::string("http://127.0.0.1:9100/metrics node_load1")},
                    {"server.sync_binlog", std::int64_t(1)}};
        const std::vector<SeriesSource> rows = observedSources(plan);
        QCOMPARE(rows.size(), std::size_t(2));
        const SeriesSource node{SourceKind::Exporter, "node", "http://127.0.0.1:9100/metrics node_load1"};
        const SeriesSource host{SourceKind::Machine, "db host", "ssh joe@db1.example.org"};
        QVERIFY(rows[0] == node && rows[1] == host);
        QCOMPARE(settingOfSource(node), std::string("exporter.node"));
        QCOMPARE(settingOfSource(host), std::string("machine.db host"));
        VERIFY_OK(checkSource(node));
        VERIFY_OK(checkSource(host));
        QVERIFY(!sourceOfSetting("server.sync_binlog", Value(std::int64_t(1))));
        for (const SeriesSource& row : rows) {
            const std::vector<Risk> risks = risksOfSource(row);
            QCOMPARE(risks.size(), std::size_t(1));
            QCOMPARE(risks[0].key, settingOfSource(row));
        }
    }

    //! The same words as the plan's faults have.
    void faultsAreThePlans()
    {
        const SeriesSource bad[] = {{SourceKind::Exporter, "x", "ftp://127.0.0.1/"},
                                    {SourceKind::Exporter, "x", ""},
                                    {SourceKind::Exporter, "server", "http://127.0.0.1:9100/metrics"},
                                    {SourceKind::Machine, "x", "ssh "},
                                    {SourceKind::Machine, "x", "ssh -oProxyCommand=touch"},
                                    {SourceKind::Machine, "a/b", "ssh db1"}};
        for (const SeriesSource& source : bad) {
            Plan plan;
            plan.target.uri = "null:";
            plan.workload.name = "oltp_point_select";
            plan.set[settingOfSource(source)] = source.reads;
            const Faults faults = checkPlan(plan);
            const auto wrong = checkSource(source);
            QVERIFY(!wrong);
            QVERIFY2(std::ranges::any_of(faults,
                                         [&](const Fault& one) {
                                             return one.where == "set." + settingOfSource(source) &&
                                                    one.what == wrong.error().message &&
                                                    one.remedy == wrong.error().remedy;
                                         }),
                     wrong.error().text().c_str());
            QVERIFY(!readSource(source, {}));
        }
    }

    void readsAnExporter()
    {
        std::atomic<int> asked = 0;
        auto server = MetricsServer::listen({}, [&asked] {
            ++asked;
            return std::string("node_load1 0.5\nnode_load5 0.4\nother 1\n");
        });
        if (!server)
            QSKIP(server.error().text().c_str());
        const std::string url = (*server)->url();
        const auto all = readSource({SourceKind::Exporter, "node", url}, {});
        VERIFY_OK(all);
        QCOMPARE(all->series, std::size_t(3));
        QCOMPARE(all->offered, std::size_t(3));
        const auto some = readSource({SourceKind::Exporter, "node", url + " node_*"}, {});
        VERIFY_OK(some);
        QCOMPARE(some->series, std::size_t(2));
        QCOMPARE(asked.load(), 2);
        server->reset();
        QVERIFY(!readSource({SourceKind::Exporter, "node", url}, {}));
    }

    void readsAMachine()
    {
        if (const QString why = test::SshdFixture::whyMissing(); !why.isEmpty())
            QSKIP(qPrintable(why));
        test::SshdFixture sshd;
        const QString problem = sshd.start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        qputenv("DYNO_SSH_CONFIG", sshd.config().toUtf8());
        const auto read = readSource({SourceKind::Machine, "db", sshd.setting()}, {});
        VERIFY_OK(read);
        QVERIFY(read->series > 10);
        QCOMPARE(read->offered, read->series);
        // Nobody waits for one that somebody has stopped asking.
        VERIFY_SAYS(readSource({SourceKind::Machine, "db", sshd.setting()}, [] { return true; }), "");
        qunsetenv("DYNO_SSH_CONFIG");
    }
};

} // namespace dyno::tst_observed_sources

DYNO_SUITE(tst_observed_sources, dyno::tst_observed_sources::TestObservedSources)
#include "tst_observed_sources.moc"
