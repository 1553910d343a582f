// SPDX-License-Identifier: GPL-3.0-or-later
// A look at somebody's SQLite file changes nothing: not its bytes, its time or its journal mode, and leaves no files.
#include "base/sqlite_file.h"
#include "server/lifecycle/child_process.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/preflight.h>
#include <dyno/runner.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <sqlite3.h>

namespace dyno::tst_sqlite_look {
namespace fs = std::filesystem;

namespace {

struct Closer
{
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Handle = std::unique_ptr<sqlite3, Closer>;

Handle opened(const fs::path& file)
{
    sqlite3* db = nullptr;
    sqlite3_open(file.c_str(), &db);
    return Handle(db);
}

bool run(const Handle& db, const char* sql)
{
    return sqlite3_exec(db.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

//! Each file of a folder with its size, the time of its last change and its bytes; not of a -shm, in which readers note
//! where they are. By another process: this one would lose its locks when it closes a file.
std::string everything(const fs::path& folder)
{
    const std::string command = "cd \"$1\" && ls -A && stat -c '%n %s %.9Y' *[!m] && sha256sum *[!m]";
    const auto text = runCommand({"/bin/sh", "-c", command, "sh", folder.string()}, std::chrono::seconds(60));
    return text ? *text : text.error().text();
}

} // namespace

class TestSqliteLook : public QObject
{
    Q_OBJECT
private slots:
    void changesNothing_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<bool>("inUse");
        QTest::addColumn<bool>("copied");
        QTest::newRow("rollback journal") << "DELETE" << false << false;
        QTest::newRow("persistent journal") << "PERSIST" << false << false;
        QTest::newRow("rollback journal, open elsewhere") << "DELETE" << true << false;
        QTest::newRow("log") << "WAL" << false << false;
        QTest::newRow("log, open elsewhere") << "WAL" << true << false;
        QTest::newRow("log that was left") << "WAL" << true << true;
    }

    void changesNothing()
    {
        QFETCH(QString, mode);
        QFETCH(bool, inUse);
        QFETCH(bool, copied);
        QTemporaryDir dir;
        const fs::path folder = dir.filePath(QStringLiteral("some ?#% folder")).toStdString();
        fs::create_directory(folder);
        const fs::path file = folder / "app.db";
        Handle user = opened(file);
        QVERIFY(run(user, qPrintable("PRAGMA journal_mode=" + mode)));
        QVERIFY(run(user, "PRAGMA user_version=7; CREATE TABLE mine(a INTEGER); INSERT INTO mine VALUES (1)"));
        if (!inUse)
            user.reset();
        fs::path seen = folder;
        if (copied) { // as after the machine's crash: a log without its index
            seen = dir.filePath("copy").toStdString();
            fs::create_directory(seen);
            for (const char* end : {"", "-wal"})
                fs::copy_file(file.string() + end, (seen / "app.db").string() + end);
        }
        const std::string before = everything(seen);
        QVERIFY2(before.find("app.db") != std::string::npos, before.c_str());

        TargetUri target;
        target.kind = TargetKind::Embedded;
        target.scheme = "sqlite";
        target.driver = "sqlite";
        target.path = (seen / "app.db").string();
        const auto facts = inspectTarget(target);
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QCOMPARE(toText(facts->variables.at("journal_mode")),
                 mode == "PERSIST" ? std::string("DELETE") : mode.toStdString());
        if (!copied)
            QCOMPARE(toText(facts->variables.at("user_version")), std::string("7"));

        Plan plan;
        plan.target.uri = target.display();
        plan.workload.name = "oltp_read_write";
        plan.set["connection.user_version"] = std::int64_t(9); // a setting that the file keeps
        RunnerOptions agreed;
        agreed.consent.allow("target.uri");
        const auto reports = preflight(plan, agreed);
        QVERIFY2(reports, reports ? "" : reports.error().text().c_str());
        for (const PreflightItem& item : reports->front().items)
            QVERIFY2(item.id != "tables" || item.level == PreflightLevel::Ok, item.what.c_str());
        QCOMPARE(everything(seen), before);
        if (user && !copied)
            QVERIFY(run(user, "INSERT INTO mine VALUES (2)")); // no lock was taken away, and none is left
    }

    void whoseTables_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("others"); //!< "" = all is known
        const auto row = [](const char* name, const char* sql, const char* others) {
            QTest::newRow(name) << QString(sql) << QString(others);
        };
#define NOTED                                                                                                          \
    "CREATE TABLE dynobench_meta (name VARCHAR(64) NOT NULL PRIMARY KEY, note TEXT);"                                  \
    "INSERT INTO dynobench_meta VALUES ('sbtest1', '1&data=x');"
        row("ours", NOTED "CREATE TABLE sbtest1 (id INT); CREATE TABLE dynobench_copy (id INT)", "");
        row("being loaded",
            "CREATE TABLE dynobench_loading (name VARCHAR(64) NOT NULL PRIMARY KEY); INSERT INTO dynobench_loading "
            "VALUES ('sbtest1'); CREATE TABLE sbtest1 (id INT)",
            "");
        row("somebody's beside ours", NOTED "CREATE TABLE sbtest1 (id INT); CREATE TABLE customers (id INT)",
            "customers");
        row("somebody's of a workload's name", NOTED "CREATE TABLE sbtest1 (id INT); CREATE TABLE sbtest2 (id INT)",
            "sbtest2");
        row("a copy that somebody made", NOTED "CREATE TABLE sbtest1_old (id INT)", "sbtest1_old");
        row("a view", NOTED "CREATE VIEW totals AS SELECT 1", "totals");
        row("notes of nobody", "CREATE TABLE dynobench_meta (x); CREATE TABLE customers (id INT)", "customers");
        row("a view of notes",
            "CREATE VIEW dynobench_meta AS SELECT 'customers' AS name; CREATE TABLE customers (id INT)", "customers");
        row("an index of words", NOTED "CREATE VIRTUAL TABLE sbtest1_text USING fts5(a); CREATE TABLE sbtest1 (id INT)",
            "");
        row("somebody's index of words", NOTED "CREATE VIRTUAL TABLE mails USING fts5(a)",
            "mails mails_config mails_content mails_data mails_docsize mails_idx");
#undef NOTED
    }
    //! A note of one table says nothing of the others.
    void whoseTables()
    {
        QFETCH(QString, sql);
        QFETCH(QString, others);
        QTemporaryDir dir;
        const fs::path file = dir.filePath("some.db").toStdString();
        if (Handle db = opened(file); !run(db, qPrintable(sql))) {
            if (sql.contains("fts5"))
                QSKIP("this SQLite has no FTS5");
            QFAIL(sqlite3_errmsg(db.get()));
        }
        FileLook look = lookAtFile(file);
        std::ranges::sort(look.tables);
        QStringList found;
        for (const std::string& table : look.tables)
            found << QString::fromStdString(table);
        QCOMPARE(found.join(' '), others);
        QVERIFY(look.state == (others.isEmpty() ? FileLook::State::Known : FileLook::State::Others));
    }

    void makesNothing()
    {
        QTemporaryDir dir;
        const fs::path work = dir.filePath("work").toStdString();
        RunnerOptions options;
        options.workDir = work;
        Plan plan;
        plan.workload.name = "oltp_read_write";
        for (const std::string& uri : {std::string("sqlite:"), "sqlite:" + dir.filePath("no.db").toStdString()}) {
            plan.target.uri = uri;
            const auto reports = preflight(plan, options);
            QVERIFY(reports);
            QVERIFY(!reports->front().blocked());
        }
        QVERIFY(fs::is_empty(dir.path().toStdString()));
    }
};

} // namespace dyno::tst_sqlite_look

DYNO_SUITE(tst_sqlite_look, dyno::tst_sqlite_look::TestSqliteLook)
#include "tst_sqlite_look.moc"
