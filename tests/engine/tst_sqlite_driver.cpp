// SPDX-License-Identifier: GPL-3.0-or-later
// What is SQLite's own, beyond tests/contract/tst_driver_contract: knobs, files, waiting for locks.
#include "base/clock.h"
#include "driver/sqlite/sqlite_driver.h"
#include "support/suite.h"
#include "support/verify.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>

namespace dyno::tst_sqlite_driver {

namespace {

const StatementId kRead{0};
const StatementId kWrite{1};

StatementSet readAndWrite()
{
    return {{"SELECT n FROM t WHERE id = 1", {}, true}, {"UPDATE t SET n = n + 1 WHERE id = 1", {}, false}};
}

StatementSet readOnly()
{
    return {{"SELECT n FROM t WHERE id = 1", {}, true}};
}

ConnectTargetPtr targetOf(const std::string& file, const Settings& connection = {},
                          StatementSet statements = readAndWrite(), Settings extra = {})
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = parseUri("sqlite:x").value();
    target->uri.path = file;
    Faults faults;
    target->connection = resolve(sqliteDriver().info().connection, connection, {}, faults);
    if (!faults.empty())
        QTest::qFail(faults.front().what.c_str(), __FILE__, __LINE__);
    target->connectionExtra = std::move(extra);
    target->statements = std::move(statements);
    return target;
}

Reply perform(Session& session, const Request& request)
{
    if (session.start(request) != Progress::Done)
        QTest::qFail("SQLite never answers later", __FILE__, __LINE__);
    return session.reply();
}

Reply step(Session& session, RequestKind kind)
{
    return perform(session, Request::step(kind));
}

Reply execute(Session& session, StatementId statement)
{
    return perform(session, Request::execute(statement, {}));
}

Reply sql(Session& session, std::string_view text)
{
    return perform(session, Request::sql(text));
}

std::unique_ptr<Session> connected(const ConnectTargetPtr& target)
{
    auto session = std::move(*sqliteDriver().open(target));
    if (step(*session, RequestKind::Connect).outcome != Outcome::Ok)
        QTest::qFail(session->lastError().c_str(), __FILE__, __LINE__);
    return session;
}

} // namespace

class TstSqliteDriver : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_files = 0;

    std::string path(const char* name = "db") { return m_folder.filePath(QString(name)).toStdString(); }

    //! A fresh file with the table t (id, n) and one row.
    std::string freshFile(const Settings& connection = {})
    {
        const std::string file = path(qPrintable(QString("t%1.db").arg(++m_files)));
        const auto admin = sqliteDriver().admin(*targetOf(file, connection));
        if (!admin) {
            QTest::qFail(admin.error().text().c_str(), __FILE__, __LINE__);
            return file;
        }
        const auto done =
            (*admin)->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 0)");
        if (!done)
            QTest::qFail(done.error().text().c_str(), __FILE__, __LINE__);
        return file;
    }

private slots:
    void knobsTakeEffect_data()
    {
        QTest::addColumn<QString>("knob");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* knob, const char* value) {
            QTest::addRow("%s=%s", knob, value) << QString(knob) << QString(value);
        };
        for (const char* mode : {"WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"})
            row("journal_mode", mode);
        for (const char* level : {"OFF", "NORMAL", "FULL", "EXTRA"})
            row("synchronous", level);
        for (const char* size : {"512", "1024", "4096", "65536"})
            row("page_size", size);
        row("cache_size", "-64000");
        row("cache_size", "500");
        row("mmap_size", "1048576");
        row("wal_autocheckpoint", "50");
        row("locking_mode", "EXCLUSIVE");
        row("foreign_keys", "ON");
        row("foreign_keys", "OFF");
        for (const char* place : {"DEFAULT", "FILE", "MEMORY"})
            row("temp_store", place);
        for (const char* mode : {"NONE", "FULL", "INCREMENTAL"})
            row("auto_vacuum", mode);
        row("journal_size_limit", "0");
        row("journal_size_limit", "4194304");
        row("threads", "4");
    }
    void knobsTakeEffect()
    {
        QFETCH(QString, knob);
        QFETCH(QString, value);
        const Settings connection = {{knob.toStdString(), parseValue(value.toStdString())}};
        const std::string file = freshFile(connection);
        const ConnectTargetPtr target = targetOf(file, connection);
        const auto admin = sqliteDriver().admin(*target);
        QVERIFY(admin);
        const auto facts = (*admin)->facts();
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QCOMPARE(textOf(facts->variables, knob.toStdString()), value.toStdString());
        QCOMPARE(*(*admin)->variable(knob.toStdString()), value.toStdString());
        // the user's own connection has it too; these pragmas can be asked for in a SELECT
        const auto session = connected(target);
        const QString number =
            knob == "synchronous"    ? QString::number(QStringList{"OFF", "NORMAL", "FULL", "EXTRA"}.indexOf(value))
            : knob == "foreign_keys" ? QString::number(QStringList{"OFF", "ON"}.indexOf(value))
            : knob == "temp_store"   ? QString::number(QStringList{"DEFAULT", "FILE", "MEMORY"}.indexOf(value))
            : knob == "auto_vacuum"  ? QString::number(QStringList{"NONE", "FULL", "INCREMENTAL"}.indexOf(value))
                                     : value.toLower();
        if (knob == "journal_mode" || knob == "synchronous" || knob == "cache_size" || knob == "page_size" ||
            knob == "foreign_keys" || knob == "temp_store" || knob == "auto_vacuum") {
            const Reply reply = sql(*session, fmt::format("SELECT 1 FROM pragma_{0} WHERE CAST({0} AS TEXT) = '{1}'",
                                                          knob.toStdString(), number.toStdString()));
            VERIFY_REPLY(reply, *session);
            QCOMPARE(reply.rows, std::int64_t(1));
        }
    }

    void exclusiveLocksOthersOut()
    {
        const std::string file = freshFile();
        const Settings knobs = {{"locking_mode", std::string("EXCLUSIVE")}, {"busy_timeout", std::int64_t(0)}};
        const auto first = connected(targetOf(file, knobs));
        VERIFY_REPLY(execute(*first, kWrite), *first);
        auto second = std::move(*sqliteDriver().open(targetOf(file, {{"busy_timeout", std::int64_t(0)}})));
        const Reply reply = step(*second, RequestKind::Connect);
        const Outcome outcome = reply.outcome == Outcome::Ok ? execute(*second, kRead).outcome : reply.outcome;
        QVERIFY(outcome != Outcome::Ok);
    }

    void extraPragmas()
    {
        const std::string file = freshFile();
        const auto session =
            connected(targetOf(file, {}, readAndWrite(), {{"cache_spill", std::int64_t(0)}, {"foreign_keys", true}}));
        QCOMPARE(sql(*session, "SELECT 1 FROM pragma_cache_spill WHERE cache_spill = 0").rows, std::int64_t(1));
        QCOMPARE(sql(*session, "SELECT 1 FROM pragma_foreign_keys WHERE foreign_keys = 1").rows, std::int64_t(1));
        const auto admin = sqliteDriver().admin(*targetOf(file, {}, {}, {{"sync_binlog", std::int64_t(1)}}));
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::BadInput);
        QVERIFY2(admin.error().text().find("sync_binlog") != std::string::npos, admin.error().text().c_str());
    }

    void factsTellAll()
    {
        const std::string file = freshFile();
        const auto admin = sqliteDriver().admin(*targetOf(file));
        const auto facts = (*admin)->facts();
        QVERIFY(facts);
        QCOMPARE(facts->product, std::string("SQLite"));
        QCOMPARE(facts->version, std::string(sqlite3_libversion()));
        QCOMPARE(facts->transport, std::string("in process"));
        QVERIFY(facts->roundTripMs > 0);
        QCOMPARE(textOf(facts->variables, "compile.THREADSAFE"), std::to_string(sqlite3_threadsafe()));
        QCOMPARE(textOf(facts->variables, "busy_timeout"), std::string("5000"));
        QCOMPARE(*(*admin)->variable("user_version"), std::string("0"));
        const auto set = (*admin)->setVariable("synchronous", std::string("OFF"));
        QVERIFY(!set);
        QVERIFY(set.error().remedy.find("connection.synchronous") != std::string::npos);
    }

    void badPlaces_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("text");
        QTest::newRow("no folder") << m_folder.filePath("none/x.db") << int(ErrorKind::Unreachable) << "does not exist";
        QTest::newRow("a folder") << m_folder.path() << int(ErrorKind::BadInput) << "folder";
        QTest::newRow("memory") << ":memory:" << int(ErrorKind::BadInput) << "/dev/shm";
        QTest::newRow("nothing") << "" << int(ErrorKind::BadInput) << "name a file";
        QFile text(m_folder.filePath("text.db"));
        if (text.open(QIODevice::WriteOnly))
            text.write(QByteArray("These are my notes, not a database. ").repeated(100));
        QTest::newRow("no database") << text.fileName() << int(ErrorKind::Refused) << "not a database";
    }
    void badPlaces()
    {
        QFETCH(QString, file);
        QFETCH(int, kind);
        QFETCH(QString, text);
        const auto admin = sqliteDriver().admin(*targetOf(file.toStdString()));
        QVERIFY(!admin);
        const QString message = QString::fromStdString(admin.error().text());
        QCOMPARE(int(admin.error().kind), kind);
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY2(message.contains(file) || file == ":memory:", qPrintable(message));
        QVERIFY(!admin.error().remedy.empty());
        const auto session = std::move(*sqliteDriver().open(targetOf(file.toStdString())));
        QVERIFY(step(*session, RequestKind::Connect).outcome == Outcome::Disconnected);
        QVERIFY2(QString::fromStdString(session->lastError()).contains(text), session->lastError().c_str());
    }

    void filesThatAreNoDatabaseStayAsTheyAre()
    {
        const QString name = m_folder.filePath("notes.txt");
        const QByteArray notes = QByteArray("Do not touch. ").repeated(500);
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(notes);
        file.close();
        QVERIFY(!sqliteDriver().admin(*targetOf(name.toStdString())));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), notes);
    }

    //! A user never makes a file: who lost the data must not measure an empty one.
    void sessionsDoNotCreate()
    {
        const std::string file = path("never.db");
        const auto session = std::move(*sqliteDriver().open(targetOf(file)));
        const Reply reply = step(*session, RequestKind::Connect);
        QVERIFY(reply.outcome == Outcome::Disconnected);
        QVERIFY(session->lastError().find(file) != std::string::npos);
        QVERIFY(!QFile::exists(QString::fromStdString(file)));
    }

    void damagedFileIsNamed()
    {
        const std::string file = freshFile({{"journal_mode", std::string("DELETE")}});
        {
            const auto filler = connected(targetOf(file, {{"journal_mode", std::string("DELETE")}}));
            VERIFY_REPLY(sql(*filler, "WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 5000) "
                                      "INSERT INTO t SELECT n, n FROM c"),
                         *filler);
        }
        QFile database(QString::fromStdString(file));
        QVERIFY(database.open(QIODevice::ReadWrite));
        // every page after the schema's is overwritten; the header stays
        database.seek(4096);
        database.write(QByteArray(int(database.size() - 4096), char(0x5a)));
        database.close();
        const auto session = connected(targetOf(file, {{"journal_mode", std::string("DELETE")}}));
        const Reply reply = sql(*session, "SELECT sum(n) FROM t");
        QVERIFY(reply.outcome == Outcome::Rejected);
        QCOMPARE(reply.code & 0xff, SQLITE_CORRUPT);
        QVERIFY2(session->lastError().find(file) != std::string::npos, session->lastError().c_str());
    }

    void statementsWithSeveralParts()
    {
        const std::string file = freshFile();
        const auto session = connected(targetOf(file));
        const Reply reply = sql(*session, "INSERT INTO t VALUES (2, 0); -- a comment\n SELECT * FROM t; SELECT 1; "
                                          "DELETE FROM t WHERE id = 2;  ");
        VERIFY_REPLY(reply, *session);
        QCOMPARE(reply.rows, std::int64_t(3));
        QCOMPARE(reply.affected, std::int64_t(2));
        VERIFY_REPLY(sql(*session, ""), *session);
        // the first fault ends it
        QVERIFY(sql(*session, "INSERT INTO t VALUES (3, 0); INSERT INTO t VALUES (3, 0); INSERT INTO t VALUES (4, 0)")
                    .outcome == Outcome::Rejected);
        QCOMPARE(sql(*session, "SELECT * FROM t WHERE id > 1").rows, std::int64_t(1));
    }

    void parameterCountIsChecked()
    {
        const std::string file = freshFile();
        StatementSet set = readAndWrite();
        set.push_back({"SELECT n FROM t WHERE id = ?", {Param::Type::Integer}, true});
        set.push_back({"SELECT n FROM t WHERE id = ?", {Param::Type::Integer}, true, false});
        const auto session = connected(targetOf(file, {}, set));
        for (const StatementId id : {StatementId(2), StatementId(3)}) {
            QVERIFY(execute(*session, id).outcome == Outcome::Rejected);
            QVERIFY(session->lastError().find("0 parameters were given, the statement has 1") != std::string::npos);
            const Param one[] = {Param::of(std::int64_t(1))};
            QCOMPARE(perform(*session, Request::execute(id, one)).rows, std::int64_t(1));
        }
        QVERIFY(execute(*session, StatementId(99)).outcome == Outcome::Rejected);
        QVERIFY(perform(*session, Request{.kind = RequestKind::Bulk, .text = "t (id)", .value = "1\n"}).outcome ==
                Outcome::Rejected);
    }

    //! Two users write one after the other: the second waits inside SQLite, and that is counted.
    void waitingForALockIsCounted()
    {
        const std::string file = freshFile();
        const ConnectTargetPtr target = targetOf(file);
        const auto holder = connected(target);
        VERIFY_REPLY(step(*holder, RequestKind::Begin), *holder);
        VERIFY_REPLY(execute(*holder, kWrite), *holder);
        const auto waiter = connected(target);
        std::atomic<bool> wrote{false};
        std::thread other([&waiter, &wrote] {
            wrote = step(*waiter, RequestKind::Begin).outcome == Outcome::Ok &&
                    execute(*waiter, kWrite).outcome == Outcome::Ok &&
                    step(*waiter, RequestKind::Commit).outcome == Outcome::Ok;
        });
        // Let go only when the other one is known to wait; the default busy_timeout of 5 s bounds this.
        const std::int64_t end = nowNs() + 5'000'000'000;
        while (waiter->busyWaits() == 0 && nowNs() < end)
            std::this_thread::yield();
        VERIFY_REPLY(step(*holder, RequestKind::Commit), *holder);
        other.join();
        QVERIFY(wrote);
        QCOMPARE(waiter->busyWaits(), std::uint64_t(1)); // one wait, however often it looked
        QCOMPARE(holder->busyWaits(), std::uint64_t(0));
        QCOMPARE(sql(*holder, "SELECT 1 FROM t WHERE n = 2").rows, std::int64_t(1));
    }

    void busyAfterTheTimeoutIsRetryable()
    {
        const std::string file = freshFile();
        const auto holder = connected(targetOf(file));
        VERIFY_REPLY(step(*holder, RequestKind::Begin), *holder);
        const auto waiter = connected(targetOf(file, {{"busy_timeout", std::int64_t(30)}}));
        const std::int64_t start = nowNs();
        const Reply busy = step(*waiter, RequestKind::Begin);
        QVERIFY(busy.outcome == Outcome::Retryable);
        QCOMPARE(busy.code, SQLITE_BUSY);
        QVERIFY(nowNs() - start >= 30'000'000);
        QCOMPARE(waiter->busyWaits(), std::uint64_t(1));
        QVERIFY2(waiter->lastError().find("locked") != std::string::npos, waiter->lastError().c_str());
        VERIFY_REPLY(step(*waiter, RequestKind::Rollback), *waiter);
        // without a timeout it does not wait at all
        const auto impatient = connected(targetOf(file, {{"busy_timeout", std::int64_t(0)}}));
        QVERIFY(execute(*impatient, kWrite).outcome == Outcome::Retryable);
        QCOMPARE(impatient->busyWaits(), std::uint64_t(0));
        VERIFY_REPLY(step(*holder, RequestKind::Commit), *holder);
        VERIFY_REPLY(execute(*impatient, kWrite), *impatient);
    }

    //! Why `begin` is immediate for workloads that write.
    void deferredTransactionsCannotWait()
    {
        const std::string file = freshFile();
        const ConnectTargetPtr deferred = targetOf(file, {{"begin", std::string("deferred")}});
        const auto reader = connected(deferred);
        const auto writer = connected(deferred);
        VERIFY_REPLY(step(*reader, RequestKind::Begin), *reader);
        VERIFY_REPLY(execute(*reader, kRead), *reader);
        VERIFY_REPLY(execute(*writer, kWrite), *writer); // the reader's snapshot is old now
        const Reply busy = execute(*reader, kWrite);
        QVERIFY(busy.outcome == Outcome::Retryable);
        QCOMPARE(busy.code, SQLITE_BUSY_SNAPSHOT);
        QCOMPARE(reader->busyWaits(), std::uint64_t(0)); // no waiting would help
        VERIFY_REPLY(step(*reader, RequestKind::Rollback), *reader);
        VERIFY_REPLY(step(*reader, RequestKind::Begin), *reader);
        VERIFY_REPLY(execute(*reader, kRead), *reader);
        VERIFY_REPLY(execute(*reader, kWrite), *reader);
        VERIFY_REPLY(step(*reader, RequestKind::Commit), *reader);
    }

    void beginFollowsTheWorkload_data()
    {
        QTest::addColumn<QString>("begin");
        QTest::addColumn<bool>("writes");
        QTest::addColumn<bool>("locks");
        QTest::newRow("auto, reads") << "auto" << false << false;
        QTest::newRow("auto, writes") << "auto" << true << true;
        QTest::newRow("deferred, writes") << "deferred" << true << false;
        QTest::newRow("immediate, reads") << "immediate" << false << true;
    }
    void beginFollowsTheWorkload()
    {
        QFETCH(QString, begin);
        QFETCH(bool, writes);
        QFETCH(bool, locks);
        const std::string file = freshFile();
        const ConnectTargetPtr target =
            targetOf(file, {{"begin", begin.toStdString()}, {"busy_timeout", std::int64_t(0)}},
                     writes ? readAndWrite() : readOnly());
        const auto first = connected(target);
        const auto second = connected(target);
        VERIFY_REPLY(step(*first, RequestKind::Begin), *first);
        QCOMPARE(step(*second, RequestKind::Begin).outcome == Outcome::Retryable, locks);
    }

    void settleEmptiesTheLog()
    {
        const std::string file = freshFile();
        const ConnectTargetPtr target = targetOf(file, {{"wal_autocheckpoint", std::int64_t(0)}});
        const auto admin = std::move(*sqliteDriver().admin(*target));
        const auto session = connected(target);
        VERIFY_REPLY(sql(*session, "WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 20000) "
                                   "INSERT INTO t SELECT n, n FROM c"),
                     *session);
        const QString log = QString::fromStdString(file + "-wal");
        QVERIFY(QFile(log).size() > 100'000);
        const std::uint64_t before = admin->dataBytes({});
        QVERIFY(before >= std::uint64_t(QFile(log).size()));
        QVERIFY(admin->settle({}));
        QCOMPARE(QFile(log).size(), qint64(0));
        QCOMPARE(admin->dataBytes({}), std::uint64_t(QFile(QString::fromStdString(file)).size()));
        QVERIFY(admin->dataBytes({}) > 100'000);
    }

    //! What the counter says is what lies in the log's file, whoever wrote it and with or without BEGIN.
    void logIsCounted()
    {
        const QTemporaryDir dir;
        const std::string file = dir.filePath("counted.db").toStdString();
        const auto target =
            targetOf(file, {{"wal_autocheckpoint", std::int64_t(0)}, {"page_size", std::int64_t(8192)}});
        auto admin = sqliteDriver().admin(*target);
        QVERIFY(admin);
        QVERIFY((*admin)->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)"));
        QVERIFY((*admin)->execute("INSERT INTO t VALUES (1, 0)"));
        const auto counters = (*admin)->counters();
        const auto valueOf = [&](const char* name) {
            const auto values = (*admin)->counterValues();
            const auto place = std::ranges::find(counters, name, &CounterInfo::name) - counters.begin();
            return values ? values->at(std::size_t(place)) : -1;
        };
        QCOMPARE(counters.front().name, std::string("wal_bytes_written"));
        QCOMPARE((*admin)->counterValues()->front(), 0.0); // not what the control plane wrote
        auto first = sqliteDriver().open(target), second = sqliteDriver().open(target);
        QVERIFY(first && second);
        for (auto* session : {&**first, &**second}) {
            QCOMPARE(step(*session, RequestKind::Connect).outcome, Outcome::Ok);
            for (int i = 0; i < 3; ++i)
                QCOMPARE(execute(*session, kWrite).outcome, Outcome::Ok);
            QCOMPARE(step(*session, RequestKind::Begin).outcome, Outcome::Ok);
            QCOMPARE(execute(*session, kWrite).outcome, Outcome::Ok);
            QCOMPARE(step(*session, RequestKind::Commit).outcome, Outcome::Ok);
        }
        const double header = 32; // "WAL-mode File Format", 4.1
        QCOMPARE((*admin)->counterValues()->front(), double(QFileInfo(dir.filePath("counted.db-wal")).size()) - header);
        QCOMPARE((*admin)->counterValues()->front(), 8 * (8192.0 + 24));
        QCOMPARE(valueOf("wal_size"), 8 * (8192.0 + 24) + header);
        // The log is beside the file, not beside a link to it.
        const std::string link = dir.filePath("link.db").toStdString();
        std::filesystem::create_symlink(file, link);
        const auto linked = sqliteDriver().watcher(*targetOf(link));
        QVERIFY(linked && (*linked)->counters().at(1).name == "wal_size");
        QCOMPARE((*linked)->counterValues()->at(1), 8 * (8192.0 + 24) + header);
        // The page caches are counted with the next operation after somebody asked, and when a user goes.
        const double hits = valueOf("cache_hits"), misses = valueOf("cache_misses");
        for (auto* session : {&**first, &**second}) {
            QCOMPARE(step(*session, RequestKind::Begin).outcome, Outcome::Ok);
            QCOMPARE(step(*session, RequestKind::Rollback).outcome, Outcome::Ok);
        }
        QVERIFY(valueOf("cache_hits") > hits && valueOf("cache_misses") > misses);
        QVERIFY2(valueOf("cache_bytes") >= 2 * 8192.0, qPrintable(QString::number(valueOf("cache_bytes"))));
        QCOMPARE(valueOf("cache_spills"), 0.0);
        QCOMPARE(valueOf("busy_waits"), 0.0);
        // What watches a run opens nothing: it would be locked out here.
        const auto alone = targetOf(file, {{"locking_mode", std::string("EXCLUSIVE")}});
        const auto watcher = sqliteDriver().watcher(*alone);
        QVERIFY(watcher && (*watcher)->counters().front().name == "wal_bytes_written");
        QCOMPARE((*watcher)->counterValues()->front(), 8 * (8192.0 + 24));
        const auto rollback =
            targetOf(dir.filePath("other.db").toStdString(), {{"journal_mode", std::string("DELETE")}});
        for (const CounterInfo& one : (*sqliteDriver().admin(*rollback))->counters())
            QVERIFY2(!one.name.starts_with("wal_"), one.name.c_str()); // no such log
        first->reset();
        second->reset();
        QCOMPARE(valueOf("cache_bytes"), 0.0);
    }

    //! Pages are as large as asked for although the journal mode is set before there is a table.
    void pageSizeOfANewFile()
    {
        const std::string file = freshFile({{"page_size", std::int64_t(16384)}});
        QFile database(QString::fromStdString(file));
        QVERIFY(database.open(QIODevice::ReadOnly));
        // bytes 16 and 17 of the header, big-endian (fileformat2.html, 1.3.2)
        const QByteArray header = database.read(18);
        QCOMPARE(int(uchar(header[16])) * 256 + int(uchar(header[17])), 16384);
        // another size does not change a file that is there; the facts tell what is
        const auto admin = sqliteDriver().admin(*targetOf(file, {{"page_size", std::int64_t(512)}}));
        QVERIFY(admin);
        QCOMPARE(textOf((*admin)->facts()->variables, "page_size"), std::string("16384"));
    }

    void leavingWalNeedsTheFileAlone()
    {
        const std::string file = freshFile();
        const auto session = connected(targetOf(file));
        VERIFY_REPLY(execute(*session, kRead), *session);
        const Settings rollback = {{"journal_mode", std::string("DELETE")}, {"busy_timeout", std::int64_t(0)}};
        const auto refused = sqliteDriver().admin(*targetOf(file, rollback));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QVERIFY2(!refused.error().remedy.empty(), refused.error().text().c_str());
    }
};

} // namespace dyno::tst_sqlite_driver

DYNO_SUITE(tst_sqlite_driver, dyno::tst_sqlite_driver::TstSqliteDriver)
#include "tst_sqlite_driver.moc"
