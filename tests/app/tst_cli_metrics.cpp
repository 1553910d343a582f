// SPDX-License-Identifier: GPL-3.0-or-later
// dyno run --serve-metrics: the figures of a run that lasts, and what is refused before one begins.
#include "cli_test.h"
#include "support/http_client.h"
#include "support/prometheus_fixture.h"
#include "support/suite.h"

#include <dyno/live_metrics.h>

#include <QDateTime>
#include <QDir>
#include <QRegularExpression>
#include <QTest>

namespace dyno::tst_cli_metrics {

using test::CliRig;
using test::DynoResult;

class TestCliMetrics : public QObject, private CliRig
{
    Q_OBJECT

private slots:
    void whileItRuns()
    {
        QProcess process;
        test::prepareDyno(process, m_dir,
                          {"run", "--target", "null:?service_us=100", "--workload", "oltp_point_select", "--time", "60",
                           "--interval", "0.1", "--users", "3", "--no-library", "--title", "shown \"live\"", "--quiet",
                           "--serve-metrics", "127.0.0.1:0"});
        process.start();
        QString said;
        const auto told = [&] {
            process.waitForReadyRead(100);
            said += QString::fromUtf8(process.readAllStandardError());
            return said.contains("/metrics\n");
        };
        QVERIFY2(QTest::qWaitFor(told, 60000), qPrintable(said));
        static const QRegularExpression url("metrics at http://127\\.0\\.0\\.1:(\\d+)/metrics\n");
        const int port = url.match(said).captured(1).toInt();
        QVERIFY2(port > 0, qPrintable(said));
        static const QRegularExpression total("\ndynobench_transactions_total (\\d+)\n");
        QString text;
        const auto counted = [&] {
            text = QString::fromStdString(test::httpBody(test::httpGet(port, "/metrics")));
            return total.match(text).captured(1).toInt() > 10;
        };
        QVERIFY2(QTest::qWaitFor(counted, 60000), qPrintable(text));
        QVERIFY2(text.contains("title=\"shown \\\"live\\\"\""), qPrintable(text));
        QVERIFY(text.contains("\ndynobench_users 3\n"));
        QVERIFY(text.contains("\ndynobench_series{source=\"host\","));
        QVERIFY(test::signalTo(process, SIGINT));
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(!test::HttpClient(port).connected()); // nobody is there any more
    }

    void refused()
    {
        // What holds the port is a listening socket of this test.
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        QVERIFY(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(socket, 1) == 0);
        QVERIFY(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        const DynoResult taken = dyno(quickRun({"--serve-metrics", QString(":%1").arg(ntohs(address.sin_port))}));
        ::close(socket);
        QCOMPARE(taken.code, 2);
        QVERIFY2(taken.err.contains("in use") && taken.err.contains("port 0"), qPrintable(taken.err));
        QVERIFY(!QFile::exists(path("quick.db"))); // before anything began
        const DynoResult nowhere = dyno(quickRun({"--serve-metrics", ""}));
        QCOMPARE(nowhere.code, 2);
        QVERIFY2(nowhere.err.contains("empty"), qPrintable(nowhere.err));
        const DynoResult name = dyno(quickRun({"--serve-metrics", "db1:9464"}));
        QCOMPARE(name.code, 2);
        QVERIFY2(name.err.contains("127.0.0.1:9464"), qPrintable(name.err));
    }

    //! A plan's exporter is asked after an agreement, a typed one at once; its series are stored and listed.
    void exporters()
    {
        auto exporter = MetricsServer::listen(MetricsAddress(), [] { return std::string("level 7.5\n"); });
        QVERIFY(exporter);
        const QByteArray setting = QByteArray::fromStdString((*exporter)->url()) + " level";
        const QByteArray without = "[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_point_select\"\n"
                                   "[load]\ntime = \"0.4s\"\ninterval = 0.1\n";
        const QString plan = write("exporter.toml", without + "[set]\n\"exporter.box\" = \"" + setting + "\"\n");
        const DynoResult asked = dyno({"run", plan, "--library", library()});
        QCOMPARE(asked.code, 2);
        QVERIFY2(asked.err.contains("exporter.box") && asked.err.contains("--allow"), qPrintable(asked.err));
        const DynoResult allowed = dyno({"run", plan, "--library", library(), "--allow", "exporter.box"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
        const DynoResult shown = dyno({"show", "last", "--run", "1", "--library", library()});
        QVERIFY2(shown.out.contains("box") && shown.out.contains("level"), qPrintable(shown.out));
        const DynoResult typed = dyno({"run", write("plain.toml", without), "--set",
                                       "exporter.mine=" + QString::fromUtf8(setting), "--library", library()});
        QVERIFY2(typed.code == 0, qPrintable(typed.err));
        const DynoResult mine = dyno({"show", "last", "--run", "1", "--library", library()});
        QVERIFY2(mine.out.contains("mine") && mine.out.contains("level"), qPrintable(mine.out));
    }

    //! What a real Prometheus had stored stands beside the run's counters, and is gone again.
    void readBack()
    {
        if (const QString why = test::PrometheusFixture::whyMissing(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const DynoResult ran = dyno({"run", "--target", "null:?service_us=100", "--workload", "oltp_point_select",
                                     "--time", "1", "--interval", "0.1", "--library", library(), "--quiet"});
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        std::string samples = "# TYPE level gauge\n";
        const qint64 now = QDateTime::currentSecsSinceEpoch();
        for (qint64 at = now - 100; at < now + 5; ++at)
            samples += "level{job=\"x\"} 7.5 " + std::to_string(at) + "\n";
        test::PrometheusFixture prometheus;
        const QString problem = prometheus.start(samples + "# EOF\n");
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        const QString url = QString::fromStdString(prometheus.url()), place = url.mid(7);
        const auto shown = [this] { return dyno({"show", "last", "--run", "1", "--library", library()}).out; };
        const QString before = shown();
        const QStringList add{"add-series", "last", "--library", library(), "--prometheus", url};
        const DynoResult added = dyno(add + QStringList{"--query", "level", "--query", "level * 2", "--name", "one",
                                                        "--name", "two", "--run", "1", "--step", "0.1"});
        QVERIFY2(added.code == 0 && added.out.contains("two"), qPrintable(added.err + added.out));
        static const QRegularExpression line("Prometheus \\S+: two +15\\.0 +15\\.0 +\\d+ *\n");
        QVERIFY2(line.match(shown()).hasMatch(), qPrintable(shown()));
        QVERIFY2(shown().contains("UTC from Prometheus at " + place + ": level * 2, every 0.1 s, 1 series"),
                 qPrintable(shown()));
        const DynoResult csv = dyno({"export", "last", "--library", library(), "--csv", path("csv")});
        QVERIFY2(csv.code == 0, qPrintable(csv.err));
        QFile intervals;
        for (const QString& name : QDir(path("csv")).entryList({"*interval*"})) {
            intervals.setFileName(path("csv/" + name));
            QVERIFY(intervals.open(QIODevice::ReadOnly));
        }
        QVERIFY(intervals.readLine().contains(("Prometheus " + place + " one").toUtf8()));
        const DynoResult removed = dyno({"add-series", "last", "--library", library(), "--remove"});
        QVERIFY2(removed.code == 0 && removed.err.contains("2 series removed"), qPrintable(removed.err));
        QCOMPARE(shown(), before);
        const auto refused = [this](const QStringList& more, int code, const char* part) {
            const DynoResult result = dyno(QStringList{"add-series", "last", "--library", library()} + more);
            if (result.code != code || !result.err.contains(part))
                qWarning("%d: %s", result.code, qPrintable(result.err));
            return result.code == code && result.err.contains(part) && !result.err.contains("secret");
        };
        QVERIFY(refused({}, 2, "--remove"));
        QVERIFY(refused({"--remove", "--rate"}, 2, "removes all"));
        QVERIFY(refused({"--prometheus", url, "--query", "level", "--query", "level offset 5s"}, 2, "--name"));
        QVERIFY(refused({"--prometheus", url}, 2, "--query"));
        QVERIFY(refused({"--prometheus", url, "--query", "rate(level"}, 2, "parse error"));
        QVERIFY(refused({"--prometheus", url, "--query", "unknown"}, 2, "no series"));
        QVERIFY(refused({"--prometheus", url, "--query", "level", "--step", "x"}, 2, "not a time"));
        QVERIFY(refused({"--prometheus", url, "--query", "level", "--run", "2"}, 2, "no run 2"));
        QVERIFY(refused({"--prometheus", "http://joe:secret@" + place, "--query", "level"}, 2, "is not sent"));
        QVERIFY(refused({"--prometheus", "http://127.0.0.1:1", "--query", "level"}, 3, "127.0.0.1:1"));
        QCOMPARE(shown(), before);
    }

    //! Everybody may read what is not for this machine alone: that is said. No machine has this address.
    void otherMachines()
    {
        const DynoResult far = dyno(quickRun({"--serve-metrics", "192.0.2.1:9464"}));
        QCOMPARE(far.code, 2);
        QVERIFY2(far.err.contains("warning: anyone who can reach") && far.err.contains("192.0.2.1:9464"),
                 qPrintable(far.err));
        const DynoResult near = dyno(quickRun({"--serve-metrics", "127.0.0.1:x"}));
        QVERIFY2(near.code == 2 && !near.err.contains("warning"), qPrintable(near.err));
    }
};

} // namespace dyno::tst_cli_metrics

DYNO_SUITE(tst_cli_metrics, dyno::tst_cli_metrics::TestCliMetrics)
#include "tst_cli_metrics.moc"
