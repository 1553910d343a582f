// SPDX-License-Identifier: GPL-3.0-or-later
// Phases of a load on the command line: what is checked, run, shown, exported and told of them.
#include "cli_test.h"
#include "support/file_content.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

namespace dyno::tst_cli_phases {

class TestCliPhases : public QObject, private test::CliRig
{
    Q_OBJECT

    static QJsonObject json(const test::DynoResult& result)
    {
        return QJsonDocument::fromJson(result.out.toUtf8()).object();
    }

private slots:
    //! A real file, a rate that triples: the figures of both phases in every document.
    void oneRunInPhases()
    {
        const QString plan = write(QStringLiteral("phases.toml"),
                                   "title = \"phases\"\n[target]\nuri = \"sqlite:phases.db\"\n"
                                   "[workload]\nname = \"oltp_point_select\"\nparams = { table_size = 500 }\n"
                                   "[load]\nusers = 4\narrival = \"fixed\"\nrate = 50\nwarmup = 0.3\ninterval = 0.2\n"
                                   "[[load.phase]]\nname = \"calm\"\ntime = \"0.8s\"\nusers = \"50%\"\n"
                                   "[[load.phase]]\nname = \"spike\"\ntime = \"0.6s\"\nrate = 300\n");
        const QJsonObject check = json(dyno({"check", plan, "--json"}));
        const QJsonArray told = check["points"].toArray().first().toObject()["phases"].toArray();
        QCOMPARE(told.size(), 2);
        QCOMPARE(told[0].toObject()["load"].toString(), QString("2 of 4 users, 50 a second"));
        QVERIFY(check["estimated_s"].toDouble() >= 1.7);
        QVERIFY(dyno({"check", plan}).out.contains("4 of 4 users, 300 a second"));

        const auto ran = dyno({"run", plan, "--json", "--quiet", "--library", library()});
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.err));
        const QJsonObject run = json(ran)["points"].toArray().first().toObject()["runs"].toArray().first().toObject();
        const QJsonArray phases = run["phases"].toArray();
        QCOMPARE(phases.size(), 2);
        const QJsonObject calm = phases[0].toObject(), spike = phases[1].toObject();
        QCOMPARE(calm["name"].toString(), QString("calm"));
        QVERIFY2(std::abs(calm["from_s"].toDouble()) < 0.01, qPrintable(ran.out)); // the measured time begins with it
        QVERIFY2(std::abs(spike["from_s"].toDouble() - 0.8) < 0.001, qPrintable(ran.out));
        QVERIFY2(std::abs(calm["transactions"].toInt() - 40) <= 15 &&
                     std::abs(spike["transactions"].toInt() - 180) <= 60,
                 qPrintable(ran.out));
        QVERIFY(std::abs(spike["tps"].toDouble() - 300) < 100 && spike["errors"].toInt() == 0);
        QVERIFY(calm["response_ms"].toObject()["p95"].toDouble() > 0);
        QCOMPARE(calm["transactions"].toInt() + spike["transactions"].toInt(), run["transactions"].toInt());

        const auto shown = dyno({"show", "last", "--run", "1", "--library", library()});
        QVERIFY2(shown.out.contains("phase") && shown.out.contains("spike"), qPrintable(shown.out));
        const auto again = json(dyno({"show", "last", "--json", "--library", library()}));
        QCOMPARE(again["points"].toArray().first().toObject()["runs"].toArray().first().toObject()["phases"],
                 run["phases"]);
        const auto exported = dyno({"export", "last", "--csv", path("csv"), "--library", library()});
        QVERIFY2(exported.code == 0, qPrintable(exported.out + exported.err));
        const std::string runs = test::contentOf(path("csv/runs.csv").toStdString());
        QVERIFY2(runs.find("spike throughput") != std::string::npos, runs.c_str());

        const auto calmer = dyno({"check", plan, "--set", "load.phase.spike.users=1"});
        QVERIFY2(calmer.code == 0 && calmer.out.contains("1 of 4 users, 300 a second"), qPrintable(calmer.out));
        const auto wrong = dyno({"run", plan, "--set", "load.phase.spike.user=1", "--library", library()});
        QVERIFY2(wrong.code == 2 && wrong.err.contains("users"), qPrintable(wrong.err));
        const auto time = dyno({"run", plan, "--set", "load.time=5s", "--library", library()});
        QVERIFY2(time.code == 2 && time.err.contains("sum of the phases"), qPrintable(time.err));
    }
};

} // namespace dyno::tst_cli_phases

DYNO_SUITE(tst_cli_phases, dyno::tst_cli_phases::TestCliPhases)
#include "tst_cli_phases.moc"
