// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What `dyno` does with plans of strangers: it lists what they want, and does nothing of it before it is told to.
#include "cli_test.h"
#include "support/suite.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>
#include <dyno/lua_script.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <sqlite3.h>

namespace dyno::tst_cli_trust {

class TestCliTrust : public QObject, private test::CliRig
{
    Q_OBJECT

    //! A plan on SQLite whose table options hold a second statement, which leaves a file behind.
    QString hostilePlan(const QString& name) const
    {
        return write(name, "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                           "params = { table_size = 100, create_table_options = \"; ATTACH '" +
                               marker().toUtf8() +
                               "' AS m; CREATE TABLE m.x (a)\" }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
    }
    QString marker() const { return path("marker.db"); }
    static QByteArray contentOf(const QString& file)
    {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

private slots:
    void init()
    {
        QVERIFY(m_dir.isValid());
        QFile::remove(marker());
        QFile::remove(path("bench.db"));
        QFile::remove(path("app.db"));
        QFile::remove(path("data/dynobench/agreements"));
    }

    void aFileIsRefusedWithTheList()
    {
        const QString plan = hostilePlan("evil.toml");
        const auto run = dyno({"run", plan, "--library", library()});
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains("workload.create_table_options = \"; ATTACH"), qPrintable(run.err));
        QVERIFY(run.err.contains("--allow workload.create_table_options"));
        QVERIFY(!QFile::exists(marker()) && !QFile::exists(path("bench.db")) && !QFile::exists(library()));
        const auto look = dyno({"check", plan, "--preflight"}); // the list, and what is harmless all the same
        QCOMPARE(look.code, 2);
        QVERIFY(look.err.contains("--allow"));
        QVERIFY2(look.out.contains("can be written"), qPrintable(look.out));
        const auto json = QJsonDocument::fromJson(dyno({"check", plan, "--preflight", "--json"}).out.toUtf8()).object();
        QVERIFY(json.value("blocked").toBool());
        const auto asks = json.value("targets").toArray().at(0).toObject().value("needs_agreement").toArray();
        QCOMPARE(asks.size(), 1);
        QCOMPARE(asks.at(0).toObject().value("key").toString(), QString("workload.create_table_options"));
        const auto check = dyno({"check", plan}); // no fault, but it says what will be asked
        QCOMPARE(check.code, 0);
        QVERIFY(check.err.contains("workload.create_table_options"));
        const auto other = dyno({"run", plan, "--library", library(), "--allow", "connection.init_sql"});
        QCOMPARE(other.code, 2);
        QVERIFY(!QFile::exists(marker()));
    }

    //! A script that is typed is this person's own; in a plan it is a stranger's.
    void aScriptIsAgreedToByTypingIt()
    {
        const QString own = write("own.sql", "\\set n random(1, 9)\nCREATE TABLE IF NOT EXISTS own (n INTEGER);\n"
                                             "INSERT INTO own VALUES (:n);\n");
        const QStringList target{"--target", "sqlite:bench.db", "--time", "0.2", "--interval", "0.1"};
        const auto wrong = dyno(QStringList{"run", "--script", write("wrong.sql", "SELECT 1;\n\\set x ;\n")} + target);
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains("wrong.sql:2:8: unexpected \";\" (expected: a number"), qPrintable(wrong.err));
        QCOMPARE(dyno(QStringList{"run", "--script", path("none.sql")} + target).code, 2);
        QCOMPARE(dyno(QStringList{"run", "--script", own, "--workload", "tpcb"} + target).code, 2);

        const auto made = dyno(QStringList{"plan", "--script", own + "@3", "--script", own} + target);
        QCOMPARE(made.code, 0);
        QVERIFY2(made.out.contains("\\transaction own 3\n") && made.out.contains("\\transaction own-2 1\n"),
                 qPrintable(made.out));
        const QString plan = write("made.toml", made.out.toUtf8());
        const auto refused = dyno({"run", plan, "--library", library()});
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("workload.scripts = ") && refused.err.contains("--allow workload.scripts"),
                 qPrintable(refused.err));
        QVERIFY(!QFile::exists(path("bench.db")));

        const auto run = dyno(QStringList{"run", "--script", own, "--json", "--library", library()} + target);
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const auto figures = QJsonDocument::fromJson(run.out.toUtf8())
                                 .object()
                                 .value("points")
                                 .toArray()
                                 .at(0)
                                 .toObject()
                                 .value("runs")
                                 .toArray()
                                 .at(0)
                                 .toObject();
        QVERIFY(figures.value("operations").toObject().value("insert_own").toObject().value("count").toInt() > 0);
        QCOMPARE(figures.value("in_force").toObject().value("workload.scripts_sha256").toString().size(), 64);
    }

    //! Files beside a workload that is typed are this person's; those that a plan names are asked about.
    void filesOfAWorkloadAreNamed()
    {
        const QString own =
            write("cities.workload", "+++\n[[tables]]\nname = \"t\"\nrows = 5\n[tables.columns]\n"
                                     "a = { type = \"VARCHAR(20)\", words = \"cities.txt\" }\n+++\nSELECT a FROM t;\n");
        const QStringList typed{"--target", "sqlite:bench.db", "--time", "0.1", "--interval", "0.1", "--workload", own};
        const auto missing = dyno(QStringList{"run", "--library", library()} + typed);
        QCOMPARE(missing.code, 2);
        QVERIFY2(missing.err.contains("cities.workload:6:37"), qPrintable(missing.err));
        write("cities.txt", "Roma\n");
        const auto run = dyno(QStringList{"run", "--library", library()} + typed);
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const auto made = dyno(QStringList{"plan"} + typed);
        QVERIFY2(made.out.contains("cities.txt = 1 "), qPrintable(made.out));
        // The plan and a session of it carry the file, and are run where it is not: nothing is asked about it.
        QVERIFY(QFile::remove(path("cities.txt")));
        const QString plan = write("cities.toml", made.out.toUtf8().replace("bench.db", "other.db"));
        const auto refused = dyno({"run", plan, "--library", library()});
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("--allow workload.scripts") && !refused.err.contains("workload.files"),
                 qPrintable(refused.err));
        const auto inside = dyno({"run", plan, "--library", library(), "--allow", "workload.scripts"});
        QVERIFY2(inside.code == 0, qPrintable(inside.err));
        const QString session = path("cities.dyno");
        const auto exported = dyno({"export", "last", "--library", library(), "--out", session});
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QVERIFY(QFile::remove(path("other.db")));
        const QString strange = path("strange.dynolib");
        const auto brought = dyno({"import", session, "--library", strange});
        QVERIFY2(brought.code == 0, qPrintable(brought.err));
        const auto again = dyno({"run", "session:last", "--library", strange, "--allow", "workload.scripts"});
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QVERIFY(QFile::exists(path("other.db")));
        // Somebody else's library is no place that was typed: what lies beside its workloads is asked about.
        QVERIFY(QDir().mkpath(path("strange.workloads")) &&
                QFile::copy(own, path("strange.workloads/cities.workload")));
        write("strange.workloads/cities.txt", "Roma\n");
        const QStringList theirs{"--target", "sqlite:theirs.db", "--time", "0.1",       "--interval",
                                 "0.1",      "--workload",       "cities", "--library", strange};
        const auto paths = dyno(QStringList{"plan"} + theirs);
        QVERIFY2(paths.out.contains("/cities.txt") && !paths.out.contains("[files]"),
                 qPrintable(paths.out + paths.err));
        const auto unread = dyno(QStringList{"run", "--allow", "workload.scripts"} + theirs);
        QCOMPARE(unread.code, 2);
        QVERIFY2(unread.err.contains("--allow workload.files") && unread.err.contains("/cities.txt"),
                 qPrintable(unread.err));
        // One that a plan names by its path is asked about.
        const QString other = write("other.txt", "Wien\n");
        const auto byPath = dyno(QStringList{"plan", "--param", "files=cities.txt = " + other} + typed);
        QVERIFY2(byPath.code == 0 && !byPath.out.contains("[files]"), qPrintable(byPath.out + byPath.err));
        const auto asked = dyno({"run", write("path.toml", byPath.out.toUtf8().replace("bench.db", "third.db")),
                                 "--library", library(), "--allow", "workload.scripts"});
        QCOMPARE(asked.code, 2);
        QVERIFY2(asked.err.contains("--allow workload.files") && asked.err.contains("/other.txt"),
                 qPrintable(asked.err));
        const auto elsewhere =
            dyno(QStringList{"run", "--library", library(), "--param", "files=cities.txt = " + other} + typed);
        QVERIFY2(elsewhere.code == 2 && elsewhere.err.contains("files"),
                 qPrintable(elsewhere.err)); // other data is there
    }

    //! A script for sysbench likewise, with the files that it requires.
    void aLuaScriptIsAgreedToByTypingIt()
    {
        if (!findWorkload(kLuaWorkload))
            QSKIP("built without the interpreter of sysbench's scripts");
        const QString own = write("my-own.lua", "#!/usr/bin/env sysbench\nrequire('shared')\nrequire('gone')\n");
        write("shared.lua", "require('gone')\nsysbench.cmdline.options = { most = { 'numbers', 5 } }\n"
                            "function thread_init() con = sysbench.sql.driver():connect() end\n"
                            "function event() con:query('SELECT ' .. sysbench.opt.most) end\n");
        const QStringList target{"--target", "sqlite:lua.db", "--time", "0.2", "--interval", "0.1"};
        const QStringList typed = QStringList{"--lua", own, "--lua-options", "most=7"} + target;
        const auto missing = dyno(QStringList{"run", "--library", library()} + typed);
        QCOMPARE(missing.code, 1);
        QVERIFY2(missing.err.contains("shared.lua:1: require: there is no file gone.lua"), qPrintable(missing.err));
        write("gone.lua", "");
        const auto made = dyno(QStringList{"plan"} + typed);
        QVERIFY2(made.code == 0 && made.out.contains("--@file my-own\n") && made.out.contains("--@file gone\n"),
                 qPrintable(made.out));
        const auto refused = dyno({"run", write("lua.toml", made.out.toUtf8()), "--library", library()});
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("workload.script = ") && refused.err.contains("--allow workload.script"),
                 qPrintable(refused.err));
        const auto run = dyno(QStringList{"run", "--library", library()} + typed);
        QVERIFY2(run.code == 0, qPrintable(run.err));
        QCOMPARE(dyno(QStringList{"run", "--lua", path("none.lua")} + target).code, 2);
        QCOMPARE(dyno(QStringList{"run", "--lua-options", "a=1"} + target).code, 2);
        QCOMPARE(dyno(QStringList{"run", "--lua", own, "--workload", "tpcb"} + target).code, 2);
        QByteArray many;
        for (int i = 0; i < 40; ++i) {
            many += QString("require('f%1')\n").arg(i).toUtf8();
            write(QString("f%1.lua").arg(i), "");
        }
        const auto tooMany = dyno(QStringList{"run", "--lua", write("many.lua", many)} + target);
        QVERIFY2(tooMany.code == 2 && tooMany.err.contains("more than 31 files"), qPrintable(tooMany.err));
    }

    //! As with --script; a check that does not hold makes the run a failed one.
    void aFileMayBeTheWorkload()
    {
        const QByteArray head = "+++\n[[tables]]\nname = \"t\"\nrows = 5\n[tables.columns]\n"
                                "a = { type = \"INT\", sequence = 1 }\n[[checks]]\nname = \"all there\"\n"
                                "sql = \"SELECT COUNT(*) FROM t\"\nexpect = ";
        const QByteArray script = "\n+++\nSELECT a FROM t WHERE a = 3;\n";
        const QStringList more{"--target", "sqlite:file.db", "--time",  "0.1",   "--interval",
                               "0.1",      "--library",      library(), "--json"};
        const auto good = dyno(QStringList{"run", "--workload", write("good.workload", head + "5" + script)} + more);
        QVERIFY2(good.code == 0, qPrintable(good.err));
        QVERIFY2(good.out.contains("select_t"), qPrintable(good.out));
        const auto bad = dyno(QStringList{"run", "--workload", write("bad.workload", head + "6" + script)} + more);
        QVERIFY(bad.code != 0);
        QVERIFY2((bad.out + bad.err).contains("the answer is 5, and 6 was expected"), qPrintable(bad.out + bad.err));
        const auto none = dyno(QStringList{"run", "--workload", path("none.workload")} + more);
        QCOMPARE(none.code, 2);
        QVERIFY2(none.err.contains("none.workload"), qPrintable(none.err));
    }

    void allowedByKeyOrAll()
    {
        const QString plan =
            write("options.toml", "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                                  "params = { table_size = 100, create_table_options = \"/* own */\" }\n"
                                  "[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 2);
        const auto allowed = dyno({"run", plan, "--library", library(), "--allow", "workload.create_table_options"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
        // Agreed to once: the same content on the same target is not asked about again, and anything else is.
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 0);
        QCOMPARE(dyno({"check", plan, "--preflight"}).code, 0);
        QVERIFY(!dyno({"check", plan}).err.contains("--allow"));
        const QByteArray text = contentOf(plan);
        write("options.toml", QByteArray(text).replace("/* own */", "/* other */"));
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 2);
        write("options.toml", QByteArray(text).replace("bench.db", "elsewhere.db"));
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 2);
        QVERIFY(!QFile::exists(path("elsewhere.db")));
        QCOMPARE(dyno({"run", plan, "--library", library(), "--allow", "all"}).code, 0);
    }

    //! The window remembers in the same place.
    void allowedInTheWindow()
    {
        const QString plan = hostilePlan("windows.toml");
        QCOMPARE(dyno({"run", plan, "--library", library()}).code, 2);
        const ParsedPlan parsed = readPlan(plan.toStdString());
        QVERIFY(parsed.plan);
        Plan shown = *parsed.plan;
        shown.target.uri = "sqlite:" + path("bench.db").toStdString(); // as it is in the folder that dyno runs in
        rememberAgreed(shown, risksOf(shown), path("data/dynobench/agreements").toStdString());
        const auto run = dyno({"run", plan, "--library", library()});
        QVERIFY2(run.code != 2 && QFile::exists(marker()), qPrintable(run.err));
    }

    //! What was measured here is run again without a question; the same session in the hands of somebody else asks.
    void anOwnSessionIsTheOwn()
    {
        const auto first = dyno({"run", "--target", "sqlite:bench.db", "--workload", "oltp_read_write", "--param",
                                 "table_size=100", "--param", "create_table_options=/* typed here */", "--time", "0.2",
                                 "--interval", "0.1", "--library", path("own.dynolib"), "--out", path("own.dyno")});
        QVERIFY2(first.code == 0, qPrintable(first.err));
        const auto again = dyno({"run", "session:last", "--library", path("own.dynolib")});
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QVERIFY(QFile::remove(path("data/dynobench/agreements"))); // somebody else's data folder
        const auto theirs = dyno({"run", "session:last", "--library", path("own.dynolib")});
        QVERIFY2(theirs.code == 2 && theirs.err.contains("workload.create_table_options"), qPrintable(theirs.err));
    }

    //! Whoever types the path of a file of the own means that file, and what was measured there is run again without a
    //! question. It does not open the file to a stranger's plan.
    void anOwnFileIsOpenToNobodyElse()
    {
        sqlite3* handle = nullptr;
        QCOMPARE(sqlite3_open(path("app.db").toUtf8().constData(), &handle), SQLITE_OK);
        QCOMPARE(sqlite3_exec(handle, "CREATE TABLE customers (id INT)", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(handle);
        const auto first =
            dyno({"run", "--target", "sqlite:app.db", "--workload", "oltp_read_write", "--param", "table_size=100",
                  "--time", "0.2", "--interval", "0.1", "--library", path("app.dynolib")});
        QVERIFY2(first.code == 0, qPrintable(first.err));
        const auto again = dyno({"run", "session:last", "--library", path("app.dynolib")});
        QVERIFY2(again.code == 0, qPrintable(again.err));
        const auto typed = dyno({"run", "--target", "sqlite:app.db", "--workload", "oltp_read_only", "--param",
                                 "table_size=100", "--time", "0.2", "--interval", "0.1", "--no-library"});
        QVERIFY2(typed.code == 0, qPrintable(typed.err));
        const QByteArray before = contentOf(path("app.db"));
        const QByteArray start = "[target]\nuri = \"sqlite:app.db\"\n[workload]\nname = ";
        const QByteArray load = "[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n";
        for (const QByteArray& what :
             {QByteArray("\"oltp_insert\"\nparams = { table_size = 100 }\n"),
              QByteArray("\"oltp_read_write\"\nparams = { tables = 2, table_size = 100 }\n"),
              QByteArray("\"oltp_read_write\"\nprepare = \"use\"\nparams = { table_size = 100 }\n"),
              QByteArray("\"tpcb\"\n")}) {
            const QString plan = write("stranger.toml", start + what + load);
            const auto run = dyno({"run", plan, "--library", library()});
            QVERIFY2(run.code == 2 && run.err.contains("(customers)"), qPrintable(what + run.err));
            QVERIFY(dyno({"check", plan, "--preflight"}).code == 2);
        }
        QCOMPARE(contentOf(path("app.db")), before);
        QVERIFY(!QFile::exists(path("app.db-wal")));
        const auto allowed =
            dyno({"run", write("stranger.toml", start + "\"oltp_insert\"\nparams = { table_size = 100 }\n" + load),
                  "--library", library(), "--allow", "target.uri"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
        QCOMPARE(dyno({"run", path("stranger.toml"), "--library", library()}).code, 0); // once is enough
    }

    //! A stranger's session, opened and run again.
    void aSessionIsRefusedToo()
    {
        const QString library = path("strangers.dynolib");
        const auto first = dyno({"run", "--target", "sqlite:bench.db", "--workload", "oltp_read_write", "--param",
                                 "table_size=100", "--param", "create_table_options=/* theirs */", "--time", "0.2",
                                 "--interval", "0.1", "--library", library, "--out", path("s.dyno")});
        QVERIFY2(first.code == 0, qPrintable(first.err));          // typed: nobody is asked
        QVERIFY(QFile::remove(path("data/dynobench/agreements"))); // by somebody else
        QCOMPARE(dyno({"import", path("s.dyno"), "--library", this->library()}).code, 0);
        const QString id = dyno({"sessions", "--library", this->library()}).out.section('\n', 1, 1).section(' ', 0, 0);
        const auto again = dyno({"run", "session:" + id, "--library", this->library()});
        QVERIFY2(again.code == 2 && again.err.contains("workload.create_table_options"), qPrintable(id + again.err));
        const auto allowed =
            dyno({"run", "session:" + id, "--library", this->library(), "--allow", "workload.create_table_options"});
        QVERIFY2(allowed.code == 0, qPrintable(allowed.err));
    }

    void whatIsTypedIsTheOwn()
    {
        const QString plan =
            write("plain.toml", "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                                "params = { table_size = 100 }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n");
        const auto typed =
            dyno({"run", plan, "--library", library(), "--set", "workload.create_table_options=/* own */"});
        QVERIFY2(typed.code == 0, qPrintable(typed.err));
        // The file's own value of the same key is not, in whatever case it hides.
        const QString hidden =
            write("hidden.toml", "[target]\nuri = \"sqlite:bench.db\"\n[workload]\nname = \"oltp_read_write\"\n"
                                 "params = { table_size = 100 }\n[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n"
                                 "[[axis]]\nname = \"a\"\ncases = [{ label = \"x\", set = { } }, { label = \"y\", "
                                 "set = { \"workload.create_table_options\" = \"; ATTACH '" +
                                     marker().toUtf8() + "' AS m; CREATE TABLE m.x (a)\" } }]\n");
        const auto both =
            dyno({"run", hidden, "--library", library(), "--set", "workload.create_table_options=/* own */"});
        QVERIFY2(both.code == 2 && both.err.contains("the axis \"a\" sets it"), qPrintable(both.err));
        QVERIFY(!QFile::exists(marker()));
        // What stands in the file beside it is not.
        const auto other = dyno({"run", hostilePlan("evil.toml"), "--library", library(), "--set", "load.time=0.3s"});
        QCOMPARE(other.code, 2);
    }

    //! The lists of knobs and parameters say which of them ask, and why some are refused.
    void listsSayWhatAsks()
    {
        const auto workload = dyno({"workloads", "oltp_read_write"});
        QVERIFY2(workload.out.contains("asks first: in somebody else's plan, it can "), qPrintable(workload.out));
        QVERIFY(!dyno({"knobs", "sqlite", "synchronous"}).out.contains("asks first"));
        if (!findDriver("mysql"))
            QSKIP("this build has no driver whose knobs ask");
        const auto knob = dyno({"knobs", "mysql", "init_sql"});
        QVERIFY2(knob.out.contains("asks first:") && knob.out.contains("send statements of its own"),
                 qPrintable(knob.out));
        QVERIFY(dyno({"knobs", "mysql", "server.sync_binlog"}).out.contains("on a remote server"));
        const auto document = QJsonDocument::fromJson(dyno({"knobs", "mysql", "init_sql", "--json"}).out.toUtf8());
        const QJsonObject first = document.object().value("knobs").toArray().at(0).toObject();
        QVERIFY(!first.value("asks_first").toString().isEmpty());
        // Text and JSON say the same, whatever it is that asks.
        for (const auto& [name, words] :
             {std::pair{"connection.tls", "to another machine, when it is off or required"},
              std::pair{"server.sync_binlog", "on a remote server"},
              std::pair{"init_sql", "send statements of its own"}, std::pair{"connection.compression", ""}}) {
            const QString text = dyno({"knobs", "mysql", name}).out;
            const auto all = QJsonDocument::fromJson(dyno({"knobs", "mysql", name, "--json"}).out.toUtf8());
            const QString asks = all.object().value("knobs").toArray().at(0).toObject().value("asks_first").toString();
            QVERIFY2(asks.isEmpty() == !*words && asks.contains(words), qPrintable(name + (": " + asks)));
            QVERIFY2(asks.isEmpty() ? !text.contains("asks first:") : text.contains(asks), qPrintable(text));
        }
        for (const char* name : {"plugin_load_add", "server.plugin-dir", "init_file"}) {
            const auto never = dyno({"knobs", "mysql", name});
            QVERIFY2(never.code == 2 && never.err.contains("no plan may set"), qPrintable(never.err));
        }
    }

    //! A server that is typed is agreed to, but not what a stranger's plan does to whatever server it is run on.
    void aTypedServerIsNotAnAgreementToItsSettings()
    {
        const QString plan =
            write("moved.toml", "[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n"
                                "params = { table_size = 100 }\n[set]\n\"server.max_connections\" = 222\n");
        const QString here = "target.uri=mysql://root@127.0.0.1:1/test";
        QVERIFY(!dyno({"check", plan}).err.contains("--allow"));
        const auto moved = dyno({"check", plan, "--set", here});
        QVERIFY2(moved.code == 0 && moved.err.contains("server.max_connections = \"222\""), qPrintable(moved.err));
        QCOMPARE(dyno({"run", plan, "--library", library(), "--set", here}).code, 2);
        const auto typed = dyno({"check", plan, "--set", here, "--set", "server.max_connections=300"});
        QVERIFY2(typed.code == 0 && !typed.err.contains("--allow"), qPrintable(typed.err));
        // A recipe is ours: with a server that was typed there is nobody else's word in it.
        const auto recipe = dyno({"check", "schema-changes-mariadb", "--set", here});
        QVERIFY2(recipe.code == 0 && !recipe.err.contains("--allow"), qPrintable(recipe.err));
    }

    //! Neither a plan nor a session of a stranger's can clear the screen, set the window's title or write on another
    //! line.
    void textsSteerNoTerminal()
    {
        const QByteArray title = "evil\\u001b]0;owned\\u0007\\u001b[2J\\u202egpj";
        const QString plan =
            write("title.toml", "title = \"" + title +
                                    "\"\n[target]\nuri = \"sqlite:bench.db\"\n[workload]\n"
                                    "name = \"oltp_read_write\"\nparams = { table_size = 100 }\n"
                                    "[load]\ntime = \"0.2s\"\ninterval = \"0.1s\"\n"
                                    "[[axis]]\nname = \"a\"\ncases = [{ label = \"x\\u001b[2Jy\", set = { } }, "
                                    "{ label = \"z\", set = { \"connection.synchronous\" = \"OFF\" } }]\n");
        const auto steers = [](const test::DynoResult& result) {
            const QString text = result.out + result.err;
            return text.contains(QChar(0x1b)) || text.contains(QChar(0x07)) || text.contains(QChar(0x202e)) ||
                   text.contains(QChar('\r'));
        };
        const auto run = dyno({"run", plan, "--library", library()});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        QVERIFY2(!steers(run), qPrintable(run.out + run.err));
        QVERIFY2(run.out.contains("x\\u{1B}[2Jy"), qPrintable(run.out));
        const auto listed = dyno({"sessions", "--library", library()});
        QVERIFY2(!steers(listed) && listed.out.contains("evil\\u{1B}]0;owned\\u{07}"), qPrintable(listed.out));
        const QString id = listed.out.section('\n', 1, 1).section(' ', 0, 0);
        const auto shown = dyno({"show", id, "--library", library()});
        QVERIFY2(shown.code == 0 && !steers(shown) && shown.out.contains("\\u{202E}gpj"),
                 qPrintable(shown.out + shown.err));
        QVERIFY(!steers(dyno({"check", plan, "--points"})));
        const QString key = write("key.toml", "[target]\nuri = \"sqlite:bench.db\"\n\"a\\u001b[2Jb\" = 1\n");
        const auto faults = dyno({"check", key});
        QVERIFY2(faults.code == 2 && !steers(faults), qPrintable(faults.err));
        // A document is exact: whoever reads it unpacks what was stored.
        const auto document = dyno({"show", id, "--json", "--library", library()});
        QCOMPARE(document.code, 0);
        QVERIFY2(document.out.contains("x\\u001b[2Jy") && !document.out.contains("u{1B}"),
                 qPrintable(document.out.left(2000)));
        QVERIFY(QJsonDocument::fromJson(document.out.toUtf8()).isObject());
    }
};

} // namespace dyno::tst_cli_trust

DYNO_SUITE(tst_cli_trust, dyno::tst_cli_trust::TestCliTrust)
#include "tst_cli_trust.moc"
