// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that never come back are the slowest of all: they are counted, no percentile leaves them out, and the run
// fails.
#include "load/data/dataset.h"
#include "load/run_controller.h"
#include "support/frozen.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTest>

#include <algorithm>
#include <optional>

namespace dyno::tst_frozen_server {
using namespace dyno::test;

namespace {

const char* const kFrozenWorkload = "oltp_point_select";

//! Stops the server by SIGSTOP once something was measured; it goes on when this ends.
struct FrozenInMidRun : RunObserver
{
    explicit FrozenInMidRun(pid_t process)
        : server(process)
    {
    }
    void onSample(const IntervalSample& sample) override
    {
        service.merge(sample.transaction.service);
        response.merge(sample.transaction.responseOrService());
        if (service.count() > 0 && !frozen)
            frozen.emplace(server);
    }
    void onEvent(const RunEvent&) override {}
    void onPhase(Phase, double, double) override {}

    pid_t server;
    Histogram service, response;
    std::optional<Frozen> frozen;
};

} // namespace

class TstFrozenServer : public QObject
{
    Q_OBJECT
private slots:
    void staysFrozen_data()
    {
        QTest::addColumn<bool>("loops");
        QTest::addColumn<bool>("open");
        QTest::newRow("closed loop, threads") << false << false;
        QTest::newRow("open loop, event loops") << true << true;
    }
    void staysFrozen()
    {
        QFETCH(bool, loops);
        QFETCH(bool, open);
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        if (loops && !driverFor("mysql")->info().eventLoop)
            QSKIP("this build runs the MySQL driver on threads only");
        MariadbFixture server;
        const auto started = server.start();
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        if (!server.managed())
            QSKIP("the server is not ours to stop");
        auto target = std::make_shared<ConnectTarget>(*server.target());
        const auto workload = test::bind(kFrozenWorkload, {{"table_size", std::int64_t(1000)}}, "mysql");
        {
            auto admin = server.admin();
            QVERIFY(admin);
            std::vector<std::string> warnings;
            const auto loaded = ensureDataset({*driverFor("mysql"), **admin, *target, *workload}, {}, warnings);
            QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        }
        target->statements = workload->statements();
        LoadProfile load;
        load.users = {4};
        load.intervalSeconds = 0.5;
        load.timeSeconds = 5; // the server is frozen when something was measured
        load.reconnectSeconds = 60;
        load.executor = loops ? ExecutorKind::Loops : ExecutorKind::Threads;
        load.seed = 7;
        if (open) {
            load.arrival.model = ArrivalModel::Poisson;
            load.arrival.rate = 100;
        }
        RunControl control;
        FrozenInMidRun measured(server.managed()->process());
        const RunSummary summary = executeRun({*driverFor("mysql"),
                                               target,
                                               *workload,
                                               workloadFor(kFrozenWorkload)->info().operations,
                                               load,
                                               control,
                                               {}},
                                              measured);

        QVERIFY(summary.transactions > 0);
        QVERIFY2(summary.status == RunStatus::Failed, toText(summary.status));
        QVERIFY2(summary.reason.find("never came back") != std::string::npos, summary.reason.c_str());
        QVERIFY2(summary.unanswered >= 1 && summary.unanswered <= 4, qPrintable(QString::number(summary.unanswered)));
        // Waited for as long as the time of grace, and no more than that is known.
        QVERIFY2(summary.response.maxMs >= 9'900, qPrintable(QString::number(summary.response.maxMs)));
        QVERIFY(summary.service.maxMs < summary.response.maxMs);
        QCOMPARE(measured.service.count(), summary.transactions);
        // In an open loop an arrival counts whenever it is answered: also one in the time of grace.
        const std::uint64_t late = open ? summary.late : 0;
        QCOMPARE(measured.response.count(), summary.transactions + late + summary.unanswered);
        QCOMPARE(double(measured.response.maxNs()) * 1e-6, summary.response.maxMs);
        // Each of them was in the one operation of its transaction.
        const auto select = std::ranges::find_if(summary.operations, [](const auto& one) { return one.count > 0; });
        QVERIFY(select != summary.operations.end());
        QCOMPARE(select->times.response.count(), select->count + late + summary.unanswered);
        QVERIFY2(select->response.maxMs >= 9'900, qPrintable(QString::number(select->response.maxMs)));
        QVERIFY(select->service.maxMs < select->response.maxMs);
    }
};

} // namespace dyno::tst_frozen_server

DYNO_SUITE(tst_frozen_server, dyno::tst_frozen_server::TstFrozenServer)
#include "tst_frozen_server.moc"
