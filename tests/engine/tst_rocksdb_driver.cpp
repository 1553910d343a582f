// SPDX-License-Identifier: GPL-3.0-or-later
// What is RocksDB's own, beyond tests/contract/tst_driver_contract: transactions, options, folders, notes of loads.
#include "driver/rocksdb/rocksdb_driver.h"
#include "support/suite.h"
#include "support/verify.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_rocksdb_driver {

namespace {

const StatementId kGet{0};
const StatementId kPut{1};
const StatementId kDelete{2};
const StatementId kScan{3};
const StatementId kGuard{4};

StatementSet calls()
{
    using enum Param::Type;
    return {{"get t ?", {Text}, true, true, Keep::All},
            {"put t ? ?", {Text, Text}},
            {"delete t ?", {Text}},
            {"scan t ? ?", {Text, Integer}, true, true, Keep::All},
            {"get t ? for update", {Text}, true, true, Keep::All}};
}

ConnectTargetPtr targetOf(const std::string& folder, const Settings& connection = {}, bool look = false)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = parseUri("rocksdb:x").value();
    target->uri.path = folder;
    Faults faults;
    target->connection = resolve(rocksdbDriver().info().connection, connection, {}, faults);
    if (!faults.empty())
        QTest::qFail(faults.front().what.c_str(), __FILE__, __LINE__);
    target->statements = calls();
    target->look = look;
    return target;
}

Settings transactions(const char* how)
{
    return {{"transactions", std::string(how)}, {"lock_timeout", std::int64_t(1)}};
}

Reply perform(Session& session, const Request& request)
{
    if (session.start(request) != Progress::Done)
        QTest::qFail("RocksDB never answers later", __FILE__, __LINE__);
    return session.reply();
}

Reply step(Session& session, RequestKind kind)
{
    return perform(session, Request::step(kind));
}

Reply put(Session& session, std::string_view key, std::string_view value)
{
    const Param params[] = {Param::of(key), Param::of(value)};
    return perform(session, Request::execute(kPut, params));
}

//! The value, "(none)" without one, or the error.
std::string get(Session& session, std::string_view key, StatementId how = kGet)
{
    const Param params[] = {Param::of(key)};
    const Reply reply = perform(session, Request::execute(how, params));
    if (reply.outcome != Outcome::Ok)
        return session.lastError();
    return reply.rows == 0 ? "(none)" : std::string(session.kept().at(0, 1).text);
}

std::unique_ptr<Session> connected(const ConnectTargetPtr& target)
{
    auto session = std::move(*rocksdbDriver().open(target));
    if (step(*session, RequestKind::Connect).outcome != Outcome::Ok)
        QTest::qFail(session->lastError().c_str(), __FILE__, __LINE__);
    return session;
}

} // namespace

class TstRocksdbDriver : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_folders = 0;
    pid_t m_child = -1; //!< has the folder "held" open, in the middle of a load

    std::string path(const char* name) { return m_folder.filePath(QString(name)).toStdString(); }

    //! A fresh database with the column family t; its control plane.
    std::unique_ptr<Admin> fresh(std::string& folder, const Settings& connection = {})
    {
        folder = path(qPrintable(QString("db%1").arg(++m_folders)));
        auto admin = rocksdbDriver().admin(*targetOf(folder, connection));
        if (!admin) {
            QTest::qFail(admin.error().text().c_str(), __FILE__, __LINE__);
            return nullptr;
        }
        if (const auto done = (*admin)->execute("create t"); !done)
            QTest::qFail(done.error().text().c_str(), __FILE__, __LINE__);
        return std::move(*admin);
    }

private slots:
    //! The library's threads do not survive a fork: the child comes before the first database of this process.
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const std::string held = path("held");
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        m_child = ::fork();
        QVERIFY(m_child >= 0);
        if (m_child == 0) {
            char word = 'n';
            {
                auto admin = rocksdbDriver().admin(*targetOf(held));
                if (admin && (*admin)->execute("create t") && (*admin)->setUnfinishedLoads({"t"}) &&
                    (*admin)->setDataNotes({{"other", "a note"}}) && (*admin)->execute("put t k v"))
                    word = 'y';
                if (::write(ends[1], &word, 1) == 1)
                    ::pause();
            }
            ::_exit(1);
        }
        ::close(ends[1]);
        char word = 0;
        QCOMPARE(::read(ends[0], &word, 1), ssize_t(1));
        ::close(ends[0]);
        QCOMPARE(word, 'y');
    }

    void cleanupTestCase()
    {
        if (m_child > 0) {
            ::kill(m_child, SIGKILL);
            ::waitpid(m_child, nullptr, 0);
        }
    }

    void anotherProcessHasIt()
    {
        const QDir held(QString::fromStdString(path("held")));
        const auto logs = [&held] { return held.entryList({"LOG*"}, QDir::Files); };
        const auto inode = [&held] {
            struct stat info = {};
            return ::stat(qPrintable(held.filePath("LOG")), &info) == 0 ? info.st_ino : 0;
        };
        const ino_t before = inode();
        QCOMPARE(logs(), QStringList{"LOG"});
        const auto admin = rocksdbDriver().admin(*targetOf(path("held")));
        QVERIFY(!admin);
        QCOMPARE(logs(), QStringList{"LOG"}); // and it is the same
        QVERIFY(before != 0 && inode() == before);
        QCOMPARE(admin.error().kind, ErrorKind::Refused);
        QVERIFY2(admin.error().remedy.find("another program") != std::string::npos, admin.error().text().c_str());
    }

    void aKilledLoadIsKnownAsUnfinished()
    {
        ::kill(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
        m_child = -1;
        auto admin = rocksdbDriver().admin(*targetOf(path("held")));
        VERIFY_OK(admin);
        const auto unfinished = (*admin)->unfinishedLoads();
        VERIFY_OK(unfinished);
        QCOMPARE(*unfinished, std::vector<std::string>{"t"});
        QCOMPARE((*admin)->dataNotes()->at("other"), std::string("a note"));
        QCOMPARE(*(*admin)->rowCount("t"), std::int64_t(1));
        QCOMPARE(*(*admin)->tableNames(), std::vector<std::string>{"t"}); // neither ours nor the empty default
        VERIFY_OK((*admin)->setUnfinishedLoads({}));
        QVERIFY((*admin)->unfinishedLoads()->empty());
        VERIFY_OK((*admin)->setDataNotes({{"other", ""}}));
        QVERIFY((*admin)->dataNotes()->empty());
    }

    //! The LOG of a database that is there is kept under the name that the library gives it, as many as are asked for;
    //! what a link in its place leads to is left alone.
    void logsAreKept()
    {
        const Settings two{{"options", std::string("keep_log_file_num=2")}};
        std::string folder;
        fresh(folder, two).reset();
        const QDir files(QString::fromStdString(folder));
        const auto write = [](const QString& name, const QByteArray& text) {
            QFile file(name);
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        const auto read = [](const QString& name) {
            QFile file(name);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto open = [&] { return bool(rocksdbDriver().admin(*targetOf(folder, two))); };
        QVERIFY(read(files.filePath("LOG")).contains("RocksDB version")); // from before it was open
        QVERIFY(write(files.filePath("LOG"), "a user's words"));
        QVERIFY(open());
        const QStringList kept = files.entryList({"LOG.old.*"}, QDir::Files);
        QCOMPARE(kept.size(), 1);
        QCOMPARE(read(files.filePath(kept.front())), QByteArray("a user's words"));
        const QString other = m_folder.filePath("other.txt");
        QVERIFY(write(other, "another file"));
        QVERIFY(QFile::remove(files.filePath("LOG")) && QFile::link(other, files.filePath("LOG")));
        QVERIFY(open());
        QCOMPARE(read(other), QByteArray("another file"));
        for (int i = 0; i < 4; ++i)
            QVERIFY(open());
        QVERIFY(files.entryList({"LOG.old.*"}, QDir::Files).size() <= 3); // the last comes after they are counted
    }

    //! What is damaged is named, and nothing is taken for data.
    void damagedFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("named");
        QTest::newRow("which manifest") << "CURRENT"
                                        << "CURRENT file";
        QTest::newRow("manifest") << "MANIFEST-*"
                                  << "MANIFEST-";
        QTest::newRow("table") << "*.sst"
                               << "Corruption: "; // which file it names depends on the version
    }
    void damagedFiles()
    {
        QFETCH(QString, file);
        QFETCH(QString, named);
        std::string folder;
        auto admin = fresh(folder);
        VERIFY_OK(admin->execute("put t k v"));
        VERIFY_OK(admin->settle({"t"})); // into a file
        admin.reset();
        const QDir files(QString::fromStdString(folder));
        const QStringList found = files.entryList({file}, QDir::Files);
        QVERIFY(!found.isEmpty());
        for (const QString& name : found) {
            QFile damaged(files.filePath(name));
            QVERIFY(damaged.open(QIODevice::ReadWrite));
            const qint64 size = damaged.size();
            QVERIFY(damaged.write(QByteArray(int(size), '?')) == size);
        }
        const auto opened = rocksdbDriver().admin(*targetOf(folder));
        QVERIFY(!opened);
        const std::string text = opened.error().text();
        QVERIFY2(text.find(named.toStdString()) != std::string::npos, text.c_str());
        QVERIFY2(text.find("remove the folder and load the data again") != std::string::npos, text.c_str());
    }

    void calls_data()
    {
        QTest::addColumn<QString>("mode");
        for (const char* mode : {"none", "optimistic", "pessimistic"})
            QTest::newRow(mode) << QString(mode);
    }
    void calls()
    {
        QFETCH(QString, mode);
        std::string folder;
        const auto admin = fresh(folder, transactions(qPrintable(mode)));
        const auto session = connected(targetOf(folder, transactions(qPrintable(mode))));
        for (const char* key : {"a", "b", "c"})
            VERIFY_REPLY(put(*session, key, std::string("value of ") + key), *session);
        QCOMPARE(get(*session, "b"), std::string("value of b"));
        QCOMPARE(get(*session, "x"), std::string("(none)"));
        const Param from[] = {Param::of(std::string_view("b")), Param::of(std::int64_t(9))};
        const Reply scanned = perform(*session, Request::execute(kScan, from));
        VERIFY_REPLY(scanned, *session);
        QCOMPARE(scanned.rows, std::int64_t(2));
        QCOMPARE(session->kept().at(1, 0).text, std::string_view("c"));
        const Param two[] = {Param::of(std::string_view("a")), Param::of(std::int64_t(2))};
        QCOMPARE(perform(*session, Request::execute(kScan, two)).rows, std::int64_t(2));
        const Param key[] = {Param::of(std::string_view("b"))};
        VERIFY_REPLY(perform(*session, Request::execute(kDelete, key)), *session);
        QCOMPARE(get(*session, "b"), std::string("(none)"));
        QCOMPARE(*admin->rowCount("t"), std::int64_t(2));
    }

    void commitAndRollback_data() { calls_data(); }
    void commitAndRollback()
    {
        QFETCH(QString, mode);
        const bool batch = mode == "none";
        std::string folder;
        const auto admin = fresh(folder, transactions(qPrintable(mode)));
        const auto target = targetOf(folder, transactions(qPrintable(mode)));
        const auto session = connected(target), other = connected(target);
        VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
        VERIFY_REPLY(put(*session, "k", "1"), *session);
        QCOMPARE(get(*session, "k"), std::string(batch ? "(none)" : "1")); // a batch is not read before it is written
        QCOMPARE(get(*other, "k"), std::string("(none)"));
        VERIFY_REPLY(step(*session, RequestKind::Commit), *session);
        QCOMPARE(get(*other, "k"), std::string("1"));
        VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
        VERIFY_REPLY(put(*session, "k", "2"), *session);
        VERIFY_REPLY(step(*session, RequestKind::Rollback), *session);
        QCOMPARE(get(*session, "k"), std::string("1"));
        VERIFY_REPLY(step(*session, RequestKind::Rollback), *session); // none is under way
        QVERIFY(step(*session, RequestKind::Commit).outcome == Outcome::Rejected);
    }

    //! Two sessions read and write the same key: one of them may try again.
    void conflicts_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::newRow("optimistic") << QString("optimistic");
        QTest::newRow("pessimistic") << QString("pessimistic");
    }
    void conflicts()
    {
        QFETCH(QString, mode);
        std::string folder;
        const auto admin = fresh(folder, transactions(qPrintable(mode)));
        const auto target = targetOf(folder, transactions(qPrintable(mode)));
        const auto first = connected(target), second = connected(target);
        for (Session* session : {first.get(), second.get()})
            VERIFY_REPLY(step(*session, RequestKind::Begin), *session);
        QCOMPARE(get(*first, "k", kGuard), std::string("(none)"));
        VERIFY_REPLY(put(*first, "k", "1"), *first);
        const Reply late = put(*second, "k", "2");
        if (mode == "pessimistic") { // the lock is the first one's
            QVERIFY(late.outcome == Outcome::Retryable);
            QVERIFY(late.code != 0);
        } else {
            VERIFY_REPLY(late, *second);
        }
        VERIFY_REPLY(step(*first, RequestKind::Commit), *first);
        if (mode == "optimistic")
            QVERIFY(step(*second, RequestKind::Commit).outcome == Outcome::Retryable);
        VERIFY_REPLY(step(*second, RequestKind::Rollback), *second);
        VERIFY_REPLY(step(*second, RequestKind::Begin), *second);
        QCOMPARE(get(*second, "k", kGuard), std::string("1"));
        VERIFY_REPLY(put(*second, "k", "2"), *second);
        VERIFY_REPLY(step(*second, RequestKind::Commit), *second);
        QCOMPARE(get(*first, "k"), std::string("2"));
    }

    //! What another has changed since the begin is not overwritten.
    void snapshot()
    {
        std::string folder;
        const auto admin = fresh(folder, transactions("pessimistic"));
        const auto target = targetOf(folder, transactions("pessimistic"));
        const auto first = connected(target), second = connected(target);
        VERIFY_REPLY(step(*first, RequestKind::Begin), *first);
        VERIFY_REPLY(put(*second, "k", "of the second"), *second);
        QCOMPARE(get(*first, "k"), std::string("(none)"));
        QVERIFY(put(*first, "k", "of the first").outcome == Outcome::Retryable);
    }

    //! A commit that waits for the disk syncs the log, which the library counts.
    void sync_data()
    {
        QTest::addColumn<bool>("sync");
        QTest::newRow("off") << false;
        QTest::newRow("on") << true;
    }
    void sync()
    {
        QFETCH(bool, sync);
        std::string folder;
        const auto admin = fresh(folder, {{"sync", sync}});
        const auto target = targetOf(folder, {{"sync", sync}});
        const auto session = connected(target);
        const auto watcher = rocksdbDriver().watcher(*target);
        VERIFY_OK(watcher);
        const auto counters = (*watcher)->counters();
        const auto count = [&](const char* name) {
            const auto values = (*watcher)->counterValues();
            for (std::size_t i = 0; values && i < counters.size(); ++i) {
                if (counters[i].name == name)
                    return (*values)[i];
            }
            return -1.0;
        };
        QCOMPARE((*watcher)->counterValues()->size(), counters.size());
        const double syncs = count("wal_syncs"), written = count("user_bytes_written");
        QVERIFY(syncs >= 0);
        for (int i = 0; i < 10; ++i)
            VERIFY_REPLY(put(*session, "k", std::string(100, 'v')), *session);
        QCOMPARE(count("wal_syncs") - syncs, sync ? 10.0 : 0.0);
        QVERIFY(count("user_bytes_written") - written >= 1000);
        QVERIFY(count("write_amplification") > 0);
        QCOMPARE(count("storage_bytes_written"), count("wal_bytes_written")); // nothing is flushed yet
        // The library's other counts under its own names.
        QVERIFY(count("rocksdb.number.keys.written") >= 10);
        QCOMPARE(count("rocksdb.bytes.written"), -1.0); // that is user_bytes_written
        const auto unitOf = [&counters](const char* name) {
            const auto one = std::ranges::find(counters, name, &CounterInfo::name);
            return one == counters.end() ? std::string("not there") : one->unit;
        };
        QCOMPARE(unitOf("rocksdb.number.keys.read"), std::string("keys"));
        QCOMPARE(unitOf("rocksdb.number.multiget.bytes.read"), std::string("bytes"));
        const auto hidden = std::ranges::find(counters, true, &CounterInfo::hidden);
        QVERIFY(counters.end() - hidden > 100);
        QVERIFY(std::all_of(hidden, counters.end(), [](const CounterInfo& one) { return one.hidden && one.rate; }));
    }

    //! The library's own figures of levels, of all column families together.
    void levelsAreCounted()
    {
        std::string folder;
        const Settings knobs{{"compression", std::string("kNoCompression")},
                             {"level0_file_num_compaction_trigger", std::int64_t(2)}};
        const auto admin = fresh(folder, knobs);
        const auto session = connected(targetOf(folder, knobs));
        const auto figures = [&admin] {
            std::map<std::string, double> named;
            const auto values = admin->counterValues();
            const auto counters = admin->counters();
            for (std::size_t i = 0; values && i < counters.size(); ++i)
                named[counters[i].name] = values->at(i);
            return named;
        };
        for (const auto& [name, value] : figures())
            QVERIFY2(std::isfinite(value), name.c_str()); // the library knows all of these names
        const auto fill = [&session](char with) {
            for (int i = 0; i < 1000; ++i)
                VERIFY_REPLY(put(*session, std::to_string(1000 + i), std::string(1000, with)), *session);
        };
        fill('a');
        admin->checkpoint();
        auto one = figures();
        const double flushed = one.at("flush_bytes_written");
        QVERIFY(flushed > 1e6);
        QVERIFY(one.at("compaction.L0.NumFiles") >= 1); // that of Dynobench's notes beside it
        QCOMPARE(one.at("compaction.L1.NumFiles"), 0.0);
        QVERIFY(one.at("compaction.L0.SizeBytes") > 1e6);
        QVERIFY(std::abs(one.at("compaction.L0.WriteGB") * 1073741824.0 - flushed) < 0.02 * flushed);
        QVERIFY(std::abs(one.at("compaction.Sum.WriteAmp") - 1) < 0.02); // what came was written once
        fill('b');
        VERIFY_OK(admin->settle({})); // two files of level 0 become one of level 1
        one = figures();
        QVERIFY(one.at("compaction.L1.NumFiles") >= 1 && one.at("compaction.L1.SizeBytes") > 1e6);
        QVERIFY(one.at("compaction.L1.WriteGB") > 0);
        QVERIFY(one.at("compaction.Sum.WriteAmp") > 1.3);
        QVERIFY(std::abs(one.at("compaction.Sum.WriteGB") * 1073741824.0 - one.at("flush_bytes_written") -
                         one.at("compaction_bytes_written")) < 0.02 * one.at("flush_bytes_written"));
    }

    void optionsAreInForce()
    {
        std::string folder;
        const Settings knobs{{"write_buffer_size", std::int64_t(1 << 20)},
                             {"compaction_pri", std::string("kByCompensatedSize")},
                             {"block_size", std::int64_t(16384)},
                             {"bloom_bits", std::int64_t(10)},
                             {"compression", std::string("kNoCompression")},
                             {"options", std::string("max_open_files=77;ttl=1000")}};
        const auto admin = fresh(folder, knobs);
        for (const auto& [name, value] : {std::pair{"write_buffer_size", "1048576"},
                                          {"compaction_pri", "kByCompensatedSize"},
                                          {"block_size", "16384"},
                                          {"compression", "kNoCompression"},
                                          {"max_open_files", "77"},
                                          {"ttl", "1000"},
                                          {"sync", "false"}}) {
            const auto found = admin->variable(name);
            VERIFY_OK(found);
            QCOMPARE(*found, std::string(value));
        }
        VERIFY_OK(admin->variable("rocksdb.stats"));
        // What the library changes while the database is open.
        VERIFY_OK(admin->setVariable("write_buffer_size", Value(std::int64_t(2 << 20))));
        QCOMPARE(*admin->variable("write_buffer_size"), std::string("2097152"));
        VERIFY_OK(admin->setVariable("max_background_jobs", Value(std::int64_t(5))));
        QCOMPARE(*admin->variable("max_background_jobs"), std::string("5"));
        QVERIFY(!admin->setVariable("compression_is_no_such", Value(std::int64_t(1))));
    }

    //! Only numbers, switches and words: nothing that names a place or something to load.
    void badOptions_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown") << "no_such_option=1"
                                 << "no_such_option";
        QTest::newRow("log folder") << "db_log_dir=/tmp/elsewhere"
                                    << "is not taken";
        QTest::newRow("log folder, a number") << "wal_dir=7"
                                              << "is not taken";
        QTest::newRow("environment") << "env=kOther"
                                     << "env";
        QTest::newRow("nested") << "block_based_table_factory={block_cache=1M}"
                                << "";
        QTest::newRow("factory") << "memtable_factory=kOther"
                                 << "is not taken";
        QTest::newRow("paths") << "db_paths=1"
                               << "";
        QTest::newRow("path as value") << "max_open_files=/etc/passwd"
                                       << "is not taken";
        QTest::newRow("number without end") << "max_open_files=" + QString(300'000, '1') << "RocksDB says";
        QTest::newRow("no number") << "max_open_files=1-2"
                                   << "is not taken";
        QTest::newRow("log in pieces") << "max_log_file_size=1000000"
                                       << "is not taken";
        QTest::newRow("log by time") << "log_file_time_to_roll=60"
                                     << "is not taken";
        QTest::newRow("no form") << "max_open_files"
                                 << "RocksDB says";
        QTest::newRow("impossible") << "compaction_style=kNoSuchStyle"
                                    << "RocksDB says";
    }
    void badOptions()
    {
        QFETCH(QString, options);
        QFETCH(QString, says);
        const std::string folder = path("bad");
        const auto admin = rocksdbDriver().admin(*targetOf(folder, {{"options", options.toStdString()}}));
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::BadInput);
        QVERIFY2(QString::fromStdString(admin.error().text()).contains(says), admin.error().text().c_str());
        QVERIFY(!QDir(QString::fromStdString(folder)).exists()); // nothing was made
    }

    //! Of what the library itself refuses, nothing stays either: the corrected plan finds what this one found.
    void aRefusedOpenLeavesNothing()
    {
        const Settings wrong{{"unordered_write", true}, {"enable_pipelined_write", true}};
        const QString fresh = m_folder.filePath("refused"), there = m_folder.filePath("refused-empty");
        QVERIFY(QDir().mkpath(there));
        for (const QString& name : {fresh, there}) {
            const std::string folder = name.toStdString();
            const auto admin = rocksdbDriver().admin(*targetOf(folder, wrong));
            QVERIFY(!admin);
            QCOMPARE(admin.error().kind, ErrorKind::BadInput);
        }
        QVERIFY(!QDir(fresh).exists());
        QVERIFY(QDir(there).exists() && QDir(there).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        VERIFY_OK(rocksdbDriver().admin(*targetOf(fresh.toStdString())));
    }

    //! What the files have, not what the database is open with: a result would have a wrong label.
    void formOfDataIsThatOfTheirLoad()
    {
        std::string folder;
        auto admin = fresh(folder, {{"compression", std::string("kNoCompression")}, {"bloom_bits", std::int64_t(10)}});
        admin.reset();
        const Settings now{{"compression", std::string("kSnappyCompression")}, {"bloom_bits", std::int64_t(0)}};
        admin = std::move(*rocksdbDriver().admin(*targetOf(folder, now)));
        QCOMPARE(*admin->variable("compression"), std::string("kNoCompression"));
        QCOMPARE(*admin->variable("bloom_bits"), std::string("10"));
        VERIFY_OK(admin->execute("create u"));
        QCOMPARE(*admin->variable("compression"), std::string("kNoCompression, kSnappyCompression"));
        VERIFY_OK(admin->drop("t"));
        QCOMPARE(*admin->variable("compression"), std::string("kSnappyCompression"));
        QCOMPARE(*admin->variable("bloom_bits"), std::string("0"));
    }

    void folders()
    {
        const QString mine = m_folder.filePath("mine");
        QVERIFY(QDir().mkpath(mine));
        QFile letter(mine + "/letter.txt");
        QVERIFY(letter.open(QFile::WriteOnly) && letter.write("x") == 1);
        letter.close();
        const auto refused = rocksdbDriver().admin(*targetOf(mine.toStdString()));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QCOMPARE(QDir(mine).entryList(QDir::Files), QStringList{"letter.txt"});
        const auto file = rocksdbDriver().admin(*targetOf(mine.toStdString() + "/letter.txt"));
        QVERIFY(!file);
        QCOMPARE(file.error().kind, ErrorKind::BadInput);
        const auto nowhere = rocksdbDriver().admin(*targetOf(path("nowhere") + "/db"));
        QVERIFY(!nowhere);
        QCOMPARE(nowhere.error().kind, ErrorKind::Unreachable);
        // A user makes no database, and neither does a look.
        auto session = std::move(*rocksdbDriver().open(targetOf(path("nobody"))));
        QVERIFY(step(*session, RequestKind::Connect).outcome == Outcome::Disconnected);
        QVERIFY(!rocksdbDriver().admin(*targetOf(path("nobody"), {}, true)));
        QVERIFY(!QDir(m_folder.filePath("nobody")).exists());
    }

    void aLookChangesNothing()
    {
        std::string folder;
        auto admin = fresh(folder);
        VERIFY_OK(admin->execute("put t k v"));
        VERIFY_OK(admin->setDataNotes({{"t", "noted"}}));
        admin.reset();
        const QDir files(QString::fromStdString(folder));
        const auto all = [&files] { return files.entryList(QDir::Files | QDir::Hidden, QDir::Name); };
        const QStringList before = all();
        {
            const auto look = rocksdbDriver().admin(*targetOf(folder, {}, true));
            VERIFY_OK(look);
            QCOMPARE((*look)->dataNotes()->at("t"), std::string("noted"));
            QCOMPARE(*(*look)->rowCount("t"), std::int64_t(1));
        }
        QCOMPARE(all(), before);
    }

    //! It neither keeps the database open nor keeps others from opening it.
    void aLookHoldsNothing()
    {
        std::string folder;
        auto admin = fresh(folder);
        const auto look = rocksdbDriver().admin(*targetOf(folder, {}, true));
        VERIFY_OK(look);
        QVERIFY((*look)->tableNames().has_value());
        const auto watcher = rocksdbDriver().watcher(*targetOf(folder));
        VERIFY_OK(watcher);
        QVERIFY((*watcher)->counterValues().has_value());
        admin.reset();
        QVERIFY(!(*watcher)->counterValues());
        QVERIFY(!(*look)->tableNames());
        const auto other = connected(targetOf(folder, {{"max_background_jobs", std::int64_t(4)}}));
        QVERIFY((*watcher)->counterValues().has_value());
    }

    //! One database for all; with other options only when nobody uses it.
    void oneDatabaseForAll()
    {
        std::string folder;
        const auto admin = fresh(folder);
        const auto first = connected(targetOf(folder)), second = connected(targetOf(folder));
        VERIFY_REPLY(put(*first, "k", "v"), *first);
        QCOMPARE(get(*second, "k"), std::string("v"));
        const auto otherwise = targetOf(folder, {{"max_background_jobs", std::int64_t(4)}});
        auto third = std::move(*rocksdbDriver().open(otherwise));
        QVERIFY(step(*third, RequestKind::Connect).outcome == Outcome::Disconnected);
        QVERIFY2(third->lastError().find("other settings") != std::string::npos, third->lastError().c_str());
        first->abort();
        QVERIFY(put(*first, "k", "w").outcome == Outcome::Disconnected);
        second->abort();
        QVERIFY(put(*second, "k", "w").outcome == Outcome::Disconnected);
        VERIFY_REPLY(step(*third, RequestKind::Connect), *third);
        QCOMPARE(get(*third, "k"), std::string("v"));
        QCOMPARE(*admin->variable("max_background_jobs"), std::string("4")); // the control plane takes it as it is
    }

    //! A compaction that is due is never begun while automatic ones are off.
    void settlesWithoutCompactions()
    {
        const Settings connection{{"level0_file_num_compaction_trigger", std::int64_t(1)},
                                  {"options", std::string("disable_auto_compactions=true")}};
        std::string folder;
        const auto admin = fresh(folder, connection);
        const auto session = connected(targetOf(folder, connection));
        for (int i = 0; i < 3; ++i) {
            VERIFY_REPLY(put(*session, "k", "v"), *session);
            admin->checkpoint();
        }
        VERIFY_OK(admin->settle({"t"}));
    }

    void dropAndSizes()
    {
        std::string folder;
        const auto admin = fresh(folder);
        QVERIFY(!admin->execute("create t"));
        {
            const auto session = connected(targetOf(folder));
            for (int i = 0; i < 1000; ++i)
                VERIFY_REPLY(put(*session, fmt::format("{:06}", i), std::string(1000, char('a' + i % 26))), *session);
        }
        VERIFY_OK(admin->settle({"t"}));
        VERIFY_OK(admin->prewarm({"t"}));
        QVERIFY(admin->dataBytes({"t"}) > 10'000);
        bool level = false;
        for (const DataPart& part : admin->dataParts({"t"}))
            level = level || (part.kind == "level" && part.name.starts_with("t, level") && part.bytes > 10'000);
        QVERIFY(level);
        VERIFY_OK(admin->drop("t"));
        VERIFY_OK(admin->drop("t"));
        QVERIFY(admin->describe("t")->empty());
        QVERIFY(!admin->rowCount("t"));
        VERIFY_OK(admin->execute("create t"));
        QCOMPARE(*admin->rowCount("t"), std::int64_t(0));
    }
};

} // namespace dyno::tst_rocksdb_driver

DYNO_SUITE(tst_rocksdb_driver, dyno::tst_rocksdb_driver::TstRocksdbDriver)
#include "tst_rocksdb_driver.moc"
