// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What `dyno` does with plans of strangers: it lists what they want, and does nothing of it before it is told to.
#include "cli_test.h"
#include "support/suite.h"

#include <QDir>
#include <QTest>
#include <sqlite3.h>

using namespace dyno;

class TestCliTrust : public QObject, private test::CliRig
{
    Q_OBJECT

    //! A plan on SQLite whose table options hold a second statement, which leaves a file behind.
    QString hostilePlan(const QString& name) const
    {
        return write(name, "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                           "params = { table_size = 100, create_table_options = \"; ATTACH '" +
                               marker().toUtf8() + "' AS m; CREATE TABLE m.x (a)\" }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
    }
    QString marker() const { return path("marker.db"); }

private slots:
    void init()
    {
        QVERIFY(m_dir.isValid());
        QFile::remove(marker());
        QFile::remove(path("bench.db"));
    }

    void aFileIsRefusedWithTheList()
    {
        const QString plan = hostilePlan("evil.toml");
        const auto run = dyno({"run", plan, "--library", library()});
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains("workload.create_table_options = \"; ATTACH"), qPrintable(run.err));
        QVERIFY(run.err.contains("--allow workload.create_table_options"));
        QVERIFY(!QFile::exists(marker()) && !QFile::exists(path("bench.db")) && !QFile::exists(library()));
        const auto look = dyno({"check", plan, "--preflight"});
        QCOMPARE(look.code, 2);
        QVERIFY(look.err.contains("--allow"));
        const auto check = dyno({"check", plan}); // no fault, but it says what will be asked
        QCOMPARE(check.code, 0);
        QVERIFY(check.err.contains("workload.create_table_options"));
        const auto other = dyno({"run", plan, "--library", library(), "--allow", "connection.init_sql"});
        QCOMPARE(other.code, 2);
        QVERIFY(!QFile::exists(marker()));
    }

    void allowedByKeyOrAll()
    {
        const QString plan = write("options.toml", "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                                                   "params = { table_size = 100, create_table_options = \"/* own */\" }\n"
                                                   "[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 2);
        const auto allowed = dyno({"run", plan, "--library", library(), "--allow", "workload.create_table_options"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
        QCOMPARE(dyno({"run", plan, "--library", library(), "--allow", "all"}).code, 0);
        QCOMPARE(dyno({"check", plan, "--preflight", "--allow", "all"}).code, 0);
    }

    //! A stranger's session, opened and run again.
    void aSessionIsRefusedToo()
    {
        const QString library = path("strangers.dynolib");
        const auto first = dyno({"run", "--target", "sqlite:bench.db", "--workload", "oltp_read_write", "--param", "table_size=100",
                                 "--param", "create_table_options=/* own */", "--time", "0.2", "--interval", "0.1", "--library", library,
                                 "--out", path("s.dyno")});
        QVERIFY2(first.code == 0, qPrintable(first.err)); // typed: nobody is asked
        QCOMPARE(dyno({"import", path("s.dyno"), "--library", this->library()}).code, 0);
        const QString id = dyno({"sessions", "--library", this->library()}).out.section('\n', 1, 1).section(' ', 0, 0);
        const auto again = dyno({"run", "session:" + id, "--library", this->library()});
        QVERIFY2(again.code == 2 && again.err.contains("workload.create_table_options"), qPrintable(id + again.err));
        const auto allowed = dyno({"run", "session:" + id, "--library", this->library(), "--allow", "workload.create_table_options"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
    }

    void whatIsTypedIsTheOwn()
    {
        const QString plan = write("plain.toml", "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                                                 "params = { table_size = 100 }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
        const auto typed = dyno({"run", plan, "--library", library(), "--set", "workload.create_table_options=/* own */"});
        QVERIFY2(typed.code == 0, qPrintable(typed.err));
        // What stands in the file beside it is not.
        const auto other = dyno({"run", hostilePlan("evil.toml"), "--library", library(), "--set", "load.time=0.3s"});
        QCOMPARE(other.code, 2);
    }
};

DYNO_SUITE(tst_cli_trust, TestCliTrust)
#include "tst_cli_trust.moc"
