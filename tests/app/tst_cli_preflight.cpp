// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dyno check --preflight` and `--target`, and the look before `dyno run`, against a real server.
#include "support/dyno_process.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_cli_preflight {
using namespace dyno::test;

namespace {

using Result = DynoResult;

} // namespace

class TestCliPreflight : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    MariadbFixture m_server;
    QString m_uri;

    Result dyno(const QStringList& arguments, const QString& password = {}) const
    {
        return runDyno(m_dir, arguments, password);
    }
    QStringList look(const QString& users, const QStringList& more = {}) const
    {
        return QStringList{"check",     "--target", m_uri, "--workload", "oltp_point_select",
                           "--prepare", "--users",  users} +
               more;
    }
    QString plan(const QString& users, const QString& uri) const
    {
        QFile file(m_dir.filePath("plan.toml"));
        const QString text = QString("title = \"t\"\n[target]\nuri = \"%1\"\n[workload]\nname = \"oltp_point_select\"\n"
                                     "[load]\nusers = %2\n")
                                 .arg(uri, users);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
            qFatal("cannot write the plan");
        return file.fileName();
    }

private slots:
    void initTestCase()
    {
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        const auto started = m_server.startOnNetwork({.options = {"--max-connections=50"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        m_uri = QString::fromStdString(m_server.uriText());
    }

    void fine()
    {
        const Result result = dyno(look("4"));
        QVERIFY2(result.code == 0, qPrintable(result.out + result.err));
        QVERIFY(result.out.contains("MariaDB 1"));
        QVERIFY(result.out.contains("round trip"));
        QVERIFY(result.out.contains("4 users need 4 connections; max_connections is 50"));
        QVERIFY(!result.out.contains("blocker"));
        QVERIFY2(result.err.isEmpty(), qPrintable(result.err));
    }

    void blocked()
    {
        const Result result = dyno(look("200"));
        QCOMPARE(result.code, 2);
        QVERIFY(result.out.contains("blocker  200 users need 200 connections; max_connections is 50"));
        QVERIFY(result.out.contains("raise max_connections to"));
        // The worst comes first.
        QVERIFY(result.out.indexOf("blocker") < result.out.indexOf("\nok "));
    }

    void json()
    {
        const Result result = dyno(look("200", {"--json"}));
        QCOMPARE(result.code, 2);
        const QJsonObject document = QJsonDocument::fromJson(result.out.toUtf8()).object();
        QVERIFY2(!document.isEmpty(), qPrintable(result.out));
        QCOMPARE(document["blocked"].toBool(), true);
        const QJsonObject target = document["targets"].toArray().first().toObject();
        QCOMPARE(target["target"].toString(), m_uri);
        QCOMPARE(target["server"].toObject()["product"].toString(), QString("MariaDB"));
        QVERIFY(target["round_trip_ms"].toDouble() > 0);
        bool found = false;
        for (const QJsonValue& value : target["items"].toArray()) {
            const QJsonObject item = value.toObject();
            if (item["id"] != "max_connections")
                continue;
            found = true;
            QCOMPARE(item["level"].toString(), QString("blocker"));
            QCOMPARE(item["fix"].toObject()["name"].toString(), QString("max_connections"));
            QVERIFY(item["fix"].toObject()["value"].toInt() > 200);
        }
        QVERIFY(found);
    }

    void aServerAlone()
    {
        const Result result = dyno({"check", "--target", m_uri});
        QVERIFY2(result.code == 0, qPrintable(result.out + result.err));
        QVERIFY(result.out.contains("max_connections is 50"));
    }

    void aPlan()
    {
        const Result before = dyno({"check", plan("200", m_uri)});
        QCOMPARE(before.code, 0); // without --preflight nothing is looked at
        QVERIFY(before.out.contains("1 point"));
        QVERIFY(!before.out.contains("max_connections"));
        const Result result = dyno({"check", plan("200", m_uri), "--preflight"});
        QCOMPARE(result.code, 2);
        QVERIFY(result.out.contains("max_connections is 50"));
        QCOMPARE(dyno({"check", plan("200", m_uri), "--preflight", "--set", "load.users=4"}).code, 0);
        QCOMPARE(dyno({"check", plan("200", m_uri), "--preflight", "--set", "server.max_connections=300"}).code, 0);
        QCOMPARE(dyno({"check", plan("1", "sqlite:"), "--preflight"}).code, 0);
    }

    void unreachable()
    {
        const Result result =
            dyno({"check", "--target", "mysql://root@127.0.0.1:1/db", "--workload", "oltp_read_write"});
        QCOMPARE(result.code, 3);
        QVERIFY(result.out.isEmpty());
        // A server that was reached is not told to be silent.
        const Result stranger = dyno(
            {"check", "--target", QString(m_uri).replace("root@", "nobody_here@"), "--workload", "oltp_read_write"});
        QCOMPARE(stranger.code, 2);
        QVERIFY2(stranger.err.contains("the server answers, but refuses the user or password"),
                 qPrintable(stranger.err));
        QVERIFY(!stranger.err.contains("does not answer"));
    }

    void badCommandLines_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("nothing") << QStringList{};
        QTest::newRow("both") << QStringList{"plan.toml", "--target", "sqlite:"};
        QTest::newRow("set without a plan") << QStringList{"--target", "sqlite:", "--set", "load.users=4"};
        QTest::newRow("no such workload") << QStringList{"--target", "sqlite:", "--workload", "none"};
        QTest::newRow("no URI") << QStringList{"--target", "nothing"};
        QTest::newRow("no number") << QStringList{"--target", "sqlite:", "--users", "many"};
    }
    void badCommandLines()
    {
        QFETCH(QStringList, arguments);
        const Result result = dyno(QStringList{"check"} + arguments);
        QCOMPARE(result.code, 2);
        QVERIFY(result.out.isEmpty());
        QVERIFY(!result.err.isEmpty());
    }

    void rightsAndNoPassword()
    {
        auto admin = m_server.admin();
        QVERIFY(admin);
        QVERIFY((*admin)->execute("CREATE OR REPLACE USER ann@'%' IDENTIFIED BY 's3cret'"));
        QVERIFY((*admin)->execute("GRANT SELECT ON `" + m_server.database() + "`.* TO ann@'%'"));
        QString uri = m_uri;
        uri.replace("root@", "ann@");
        const QStringList arguments{"check", "--target", uri, "--workload", "oltp_read_write", "--prepare"};
        const Result result = dyno(arguments, "s3cret");
        QCOMPARE(result.code, 2);
        QVERIFY2(result.out.contains("no CREATE on "), qPrintable(result.out));
        QVERIFY(!(result.out + result.err).contains("s3cret"));
        const Result wrong = dyno(arguments, "t0psecret");
        QCOMPARE(wrong.code, 2); // it answers, and refuses
        QVERIFY(!(wrong.out + wrong.err).contains("t0psecret"));
    }

    void runLooksFirst()
    {
        const QStringList run{"run",     "--target",       m_uri,    "--workload", "oltp_point_select",
                              "--param", "table_size=100", "--time", "0.5",        "--prepare",
                              "--quiet"};
        const Result blocked = dyno(run + QStringList{"--users", "200"});
        QCOMPARE(blocked.code, 2);
        QVERIFY2(blocked.err.contains("max_connections is 50") && blocked.err.contains("--force"),
                 qPrintable(blocked.err));
        QVERIFY(blocked.out.isEmpty());
        auto admin = m_server.admin();
        QVERIFY(admin);
        QVERIFY((*admin)->describe("sbtest1")->empty()); // nothing was made
        const Result forced = dyno(run + QStringList{"--users", "200", "--force"});
        QVERIFY2(forced.code >= 1 && forced.code <= 3, qPrintable(forced.err)); // and it does fail
        const Result fine = dyno(run + QStringList{"--users", "2"});
        QVERIFY2(fine.code == 0, qPrintable(fine.err));
        // Its knob is enough.
        const Result raised = dyno(run + QStringList{"--users", "60", "--knob", "server.max_connections=100"});
        QVERIFY2(raised.code == 0, qPrintable(raised.err));
    }

    void runSaysMissingTablesItself()
    {
        const Result result =
            dyno({"run", "--target", m_uri, "--workload", "oltp_point_select", "--param", "tables=3", "--param",
                  "table_size=100", "--no-library"}); // the first is there, see runLooksFirst()
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains("sbtest"), qPrintable(result.err));
    }
};

} // namespace dyno::tst_cli_preflight

DYNO_SUITE(tst_cli_preflight, dyno::tst_cli_preflight::TestCliPreflight)
#include "tst_cli_preflight.moc"
