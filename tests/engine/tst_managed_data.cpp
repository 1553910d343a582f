// SPDX-License-Identifier: GPL-3.0-or-later
// What a managed server's folder holds: copies that are put back, sizes by kind, named servers, full disks.
#include "managed_test.h"

#include "server/lifecycle/data_parts.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_log.h"
#include "support/suite.h"

#include <dyno/servers.h>

#include <fmt/format.h>

#include <QProcess>
#include <QTemporaryDir>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_managed_data {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

Expected<TargetUri> named(const char* name, const char* more = "")
{
    return parseUri(std::string("managed:mariadb?name=") + name + more);
}

//! No file of this process and its children may become larger, until the end of the scope.
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        m_handler = ::signal(SIGXFSZ, SIG_IGN); // writing answers with an error instead
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        ::signal(SIGXFSZ, m_handler);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

std::string textOfFile(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

} // namespace

class TestManagedData : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_work;

    std::unique_ptr<ManagedServer> create(const TargetUri& uri)
    {
        auto server = ManagedServer::create(uri, m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }

private slots:
    void initTestCase()
    {
        if (const auto found = findServer({}); !found)
            QSKIP(found.error().text().c_str());
        QVERIFY(m_dir.isValid());
        m_work = m_dir.path().toStdString();
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // orphans become our children
    }

    void copyIsPutBack()
    {
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        VERIFY_SAYS(server->putBack(), "no copy");
        VERIFY_OK(server->ensure(smallKnobs()));
        VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB"));
        VERIFY_OK((*adminOf(*server))->execute("INSERT INTO t VALUES (1), (2), (3)"));
        VERIFY_OK(server->keepCopy());
        QVERIFY(!server->running());
        for (int run = 0; run < 2; ++run) {
            VERIFY_OK(server->ensure(smallKnobs()));
            QCOMPARE(*(*adminOf(*server))->rowCount("t"), std::int64_t(3));
            VERIFY_OK((*adminOf(*server))->execute("DELETE FROM t WHERE id > 1"));
            VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE other (id INT)"));
            VERIFY_OK(server->putBack());
            QVERIFY(!server->running());
        }
        // Another knob with the same data; a knob that makes new data makes the copy useless.
        VERIFY_OK(server->ensure(smallKnobs({{"log_bin", true}})));
        QCOMPARE(*(*adminOf(*server))->rowCount("t"), std::int64_t(3));
        VERIFY_OK(server->ensure(smallKnobs({{"innodb_page_size", std::int64_t(8192)}})));
        VERIFY_SAYS(server->putBack(), "no copy");
    }

    void holesStayHoles()
    {
        const fs::path from = m_work / "holes/a", to = m_work / "copy";
        fs::create_directories(from.parent_path());
        const int fd = ::open(from.c_str(), O_RDWR | O_CREAT, 0600);
        QVERIFY(fd >= 0);
        constexpr off_t kFar = 64 << 20;
        QCOMPARE(::pwrite(fd, "begin", 5, 0), ssize_t(5));
        QCOMPARE(::pwrite(fd, "far", 3, kFar), ssize_t(3));
        QCOMPARE(::ftruncate(fd, kFar + (8 << 20)), 0);
        ::close(fd);
        VERIFY_OK(copyTree(from.parent_path(), to));
        QCOMPARE(fs::file_size(to / "a"), fs::file_size(from));
        QCOMPARE(textOfFile(to / "a") == textOfFile(from), true);
        if (allocatedBytes(from.parent_path()) < std::uint64_t(kFar))
            QVERIFY(allocatedBytes(to) < std::uint64_t(kFar));
    }

    void partsByTableAndKind()
    {
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs({{"log_bin", true}})));
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        VERIFY_OK((*admin)->execute("CREATE TABLE big (id INT PRIMARY KEY, c LONGBLOB) ENGINE=InnoDB"));
        VERIFY_OK((*admin)->execute(
            "CREATE TABLE parts (id INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY HASH(id) PARTITIONS 3"));
        VERIFY_OK((*admin)->execute("CREATE TABLE plain (id INT PRIMARY KEY) ENGINE=MyISAM"));
        VERIFY_OK((*admin)->execute("INSERT INTO plain VALUES (1)"));
        VERIFY_OK((*admin)->execute("CREATE DATABASE other"));
        VERIFY_OK((*admin)->execute("CREATE TABLE other.big (id INT PRIMARY KEY) ENGINE=InnoDB"));
        VERIFY_OK((*admin)->execute("INSERT INTO big VALUES (1, REPEAT('x', 3000000))"));
        admin->reset();
        VERIFY_OK(server->stop()); // everything is on disk
        std::map<std::string, std::uint64_t> tables, kinds;
        for (const DataPart& part : server->dataParts()) {
            kinds[part.kind] += part.bytes;
            if (part.kind == "table")
                tables[part.name] = part.bytes;
            else
                QCOMPARE(part.name, std::string());
        }
        QCOMPARE(tables.size(), std::size_t(4));
        QVERIFY(tables.at("big") > 3'000'000);
        QVERIFY(tables.contains("parts") && tables.contains("plain") && tables.contains("other.big"));
        for (const char* kind : {"redo log", "binlog", "system"})
            QVERIFY2(kinds[kind] > 0, kind);
        std::uint64_t sum = 0;
        for (const auto& [kind, bytes] : kinds)
            sum += bytes;
        QCOMPARE(sum, allocatedBytes(server->folder() / "data") + allocatedBytes(server->folder() / "tmp"));
    }

    //! Aria's files have what a run wrote when its tables are closed or a checkpoint comes.
    void whatAnEngineHoldsInMemoryIsWritten()
    {
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        // Else the engine writes by itself after half a minute.
        VERIFY_OK((*admin)->execute("SET GLOBAL aria_checkpoint_interval = 0"));
        VERIFY_OK((*admin)->execute("CREATE TABLE lazy (id INT PRIMARY KEY, c CHAR(200)) ENGINE=Aria"));
        VERIFY_OK(
            (*admin)->execute("INSERT INTO lazy VALUES (0, '')")); // rows for an empty table go straight to its file
        for (int part = 0; part < 20; ++part)
            VERIFY_OK((*admin)->execute(fmt::format("INSERT INTO lazy SELECT seq, REPEAT('x', 200) FROM seq_{}_to_{}",
                                                    part * 1000 + 1, part * 1000 + 1000)));
        const auto onDisk = [&server] {
            std::uint64_t bytes = 0;
            for (const DataPart& part : server->dataParts())
                bytes += part.name == "lazy" ? part.bytes : 0;
            return bytes;
        };
        QVERIFY(onDisk() < 1'000'000); // else nothing is shown here
        QVERIFY((*admin)->dataParts({"lazy"}).empty());
        QVERIFY2(onDisk() > 4'000'000, std::to_string(onDisk()).c_str());
        VERIFY_OK((*admin)->execute("INSERT INTO lazy VALUES (100000, '')")); // nothing stays locked
        // The next run begins as warm as it would have.
        const auto reads = [&admin] {
            const auto rows = (*admin)->query("SHOW GLOBAL STATUS LIKE 'Aria_pagecache_reads'");
            return rows && !rows->empty() ? std::stoll(rows->front().at(1)) : -1LL;
        };
        const long long before = reads();
        VERIFY_OK((*admin)->query("SELECT SUM(LENGTH(c)) FROM lazy"));
        QVERIFY2(before >= 0 && reads() - before < 10, std::to_string(reads() - before).c_str());
    }

    void kindsOfFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* file, const char* kind, const char* name = "") {
            QTest::newRow(file) << file << kind << name;
        };
        row("ib_logfile0", "redo log");
        row("#innodb_redo/#ib_redo12", "redo log");
        row("undo_001", "undo log");
        row("undo003", "undo log");
        row("ibdata1", "system");
        row("mysql.ibd", "system");
        row("mysql/user.frm", "system");
        row("ibtmp1", "temporary");
        row("#innodb_temp/temp_1.ibt", "temporary");
        row("dyno/#sql-ib77.ibd", "temporary");
        row("#ib_16384_0.dblwr", "doublewrite");
        row("binlog.000003", "binlog");
        row("binlog.index", "binlog");
        row("shop-bin.000001", "binlog");
        row("dyno/sbtest1.ibd", "table", "sbtest1");
        row("dyno/t#P#p0#SP#s1.ibd", "table", "t");
        row("dyno/t#p#p0.ibd", "table", "t");
        row("other/t.MYD", "table", "other.t");
        row("dyno/t#i#01.ibd", "index", "t");
        row("other/t#i#01.MYI", "index", "other.t");
        row("dyno/#sql-alter-1-2#i#01.ibd", "temporary");
        row("#rocksdb/000012.sst", "table", "(MyRocks tables)");
        row("#rocksdb/000013.log", "redo log");
        row("ib_buffer_pool", "other");
        row("dyno/db.opt", "other");
    }
    void kindsOfFiles()
    {
        QFETCH(QString, file);
        const QTemporaryDir folder;
        const fs::path data = folder.path().toStdString();
        const fs::path path = data / file.toStdString();
        fs::create_directories(path.parent_path());
        std::ofstream(path) << std::string(10'000, 'x');
        const auto parts = dataPartsOf("mysql", data, {}, "dyno");
        QCOMPARE(parts.size(), std::size_t(1));
        QTEST(QString::fromStdString(parts[0].kind), "kind");
        QTEST(QString::fromStdString(parts[0].name), "name");
        QVERIFY(parts[0].bytes >= 10'000);
    }

    void valuesOutsideTheRows()
    {
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        checkOffPage(*server, 13);
    }

    //! Pages that the server compresses as it writes them do not tell what they hold; encrypted ones of MariaDB keep
    //! their type, and have the figure of plain ones.
    void valuesOutsideTheRowsOfChangedPages()
    {
        // A whole MariaDB with its plug-ins, see ./test; else the one that is installed.
        const std::string folder = basedirIn("DYNO_TEST_MARIADB");
        const auto server =
            create(folder.empty() ? managedUri("mariadb") : parseUri("managed:mariadb?basedir=" + folder).value());
        QVERIFY(server);
        constexpr std::uint64_t kBytes = 13 * 20 * 16384; // see checkOffPage()
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE(offPageWith(*server, ""), std::optional(kBytes));
        QCOMPARE(offPageWith(*server, "PAGE_COMPRESSED=1"), std::optional<std::uint64_t>());
        const auto started = server->ensure(smallKnobs({{"encryption", std::string("tables")}}));
        if (!started && started.error().text().find("file_key_management.so") != std::string::npos)
            QSKIP(
                "file_key_management.so is not installed, and DYNO_TEST_MARIADB names no folder of a MariaDB with it");
        VERIFY_OK(started);
        QCOMPARE(offPageWith(*server, "ENCRYPTED=YES"), std::optional(kBytes));
        QCOMPARE(offPageWith(*server, "ENCRYPTED=YES PAGE_COMPRESSED=1"), std::optional<std::uint64_t>());
    }

    void logSinceThen()
    {
        const fs::path log = m_work / "x.log";
        std::ofstream(log) << "before\n";
        const std::uint64_t mark = sizeOfLog(log);
        QCOMPARE(logFrom(log, mark), std::string());
        std::ofstream(log, std::ios::app) << "after\n";
        QCOMPARE(logFrom(log, mark), std::string("after\n"));
        std::ofstream(log, std::ios::app) << std::string(1 << 20, '.') << "\nlast\n";
        const std::string cut = logFrom(log, mark);
        QVERIFY(cut.size() < 300 * 1024 && cut.starts_with("after\n") && cut.ends_with("last\n"));
        QVERIFY(cut.find("bytes are left out") != std::string::npos);
        QCOMPARE(logFrom(m_work / "none", 0), std::string());
    }

    void fullDiskWhenTheFolderIsMade()
    {
        VERIFY_OK(create(managedUri("mariadb"))->ensure(smallKnobs())); // the template is there
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        {
            const FileSizeLimit limit(2 << 20);
            const auto refused = server->ensure(smallKnobs());
            QVERIFY(!refused);
            QCOMPARE(refused.error().kind, ErrorKind::Storage);
            VERIFY_SAYS(refused, "disk is not full");
            QVERIFY(!server->running());
        }
        VERIFY_OK(server->ensure(smallKnobs()));
    }

    void fullDiskWhenTheServerStarts()
    {
        const auto server = create(managedUri("mariadb"));
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        VERIFY_OK(server->stop());
        {
            const FileSizeLimit limit(64 << 20); // what is there fits, a new redo log of 256 MiB does not
            const auto refused = server->ensure(smallKnobs({{"innodb_log_file_size", std::int64_t(256) << 20}}));
            QVERIFY(!refused);
            VERIFY_SAYS(refused, "the server ended at its start with");
            QVERIFY(!server->running());
        }
        VERIFY_OK(server->ensure(smallKnobs()));
    }

    void namedServerStays()
    {
        ManagedInstances keeper(m_work);
        const auto uri = named("shop");
        VERIFY_OK(uri);
        QVERIFY(keeper.list().empty());
        auto started = keeper.start(*uri, smallKnobs());
        VERIFY_OK(started);
        QCOMPARE(started->state, InstanceState::Running);
        QCOMPARE(started->uri, std::string("managed:mariadb?name=shop"));
        QVERIFY(started->named && started->process > 0 && started->bytes > (10 << 20));
        QVERIFY(fs::exists(started->socket));
        ConnectTarget target;
        target.uri = *parseUri("mysql://root@localhost/dyno?socket=" + started->socket);
        VERIFY_OK((*driverFor("mysql")->admin(target))->execute("CREATE TABLE stays (id INT) ENGINE=InnoDB"));
        QVERIFY(keeper.logTail("shop").find("ready for connections") != std::string::npos);
        bool table = false;
        for (const DataPart& part : keeper.dataParts("shop"))
            table = table || (part.kind == "table" && part.name == "stays");
        QVERIFY(table);
        // One user at a time.
        const auto second = ManagedServer::create(*uri, m_work);
        VERIFY_SAYS(second, "process " + std::to_string(::getpid()));
        VERIFY_SAYS(keeper.remove("shop"), "running");
        VERIFY_OK(keeper.stop("shop"));
        QVERIFY(!processExists(started->process));
        QCOMPARE(keeper.list().at(0).state, InstanceState::Stopped);

        // A session finds what is in it, and leaves it there.
        auto session = create(*uri);
        QVERIFY(session && session->wasThere());
        session->setKeepData(false);
        VERIFY_OK(session->ensure(smallKnobs()));
        QCOMPARE((*adminOf(*session))->describe("stays")->size(), std::size_t(1));
        VERIFY_SAYS(session->ensure(smallKnobs({{"innodb_page_size", std::int64_t(8192)}})), "innodb_page_size=16");
        VERIFY_SAYS(keeper.stop("shop"), "process " + std::to_string(::getpid()));
        session.reset();
        VERIFY_OK(keeper.start(*uri, smallKnobs()));
        VERIFY_OK(keeper.stop("shop"));
        // Not with another product, nor without a name.
        const auto mysql = parseUri("managed:mysql?name=shop");
        VERIFY_SAYS(keeper.start(*mysql), "made by mariadb");
        VERIFY_SAYS(keeper.start(*parseUri("managed:mariadb")), "has no name");
        VERIFY_OK(keeper.remove("shop"));
        QVERIFY(keeper.list().empty());
        VERIFY_SAYS(keeper.remove("shop"), "there is no server");
        VERIFY_SAYS(keeper.remove("../shop"), "there is no server");
    }

    void namedServerRemembersItsPageSize()
    {
        const auto uri = named("small-pages");
        ManagedInstances keeper(m_work);
        VERIFY_OK(keeper.start(*uri, smallKnobs({{"innodb_page_size", std::int64_t(8192)}})));
        VERIFY_OK(keeper.stop("small-pages"));
        const auto server = create(*uri);
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE(variableOf(*server, "innodb_page_size"), std::string("8192"));
    }

    //! Knobs that make another folder elsewhere: here they agree with what is there, so the data stays.
    void namedServerKeepsItsDataWhenADefaultIsSpeltOut()
    {
        const auto uri = named("kept");
        ManagedInstances keeper(m_work);
        VERIFY_OK(keeper.start(*uri, smallKnobs()));
        VERIFY_OK(keeper.stop("kept"));
        const auto server = create(*uri);
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE stays (id INT) ENGINE=InnoDB"));
        for (const Value& size : {Value(std::int64_t(16384)), Value(std::string("16k")), Value(std::string("16384"))}) {
            VERIFY_OK(server->ensure(smallKnobs({{"innodb_page_size", size}, {"encryption", std::string("off")}})));
            QCOMPARE((*adminOf(*server))->describe("stays")->size(), std::size_t(1));
            QCOMPARE(variableOf(*server, "innodb_page_size"), std::string("16384"));
            VERIFY_OK(server->stop());
        }
        QCOMPARE(server->dataFolderNumber(), 1);
        VERIFY_SAYS(server->ensure(smallKnobs({{"innodb_page_size", std::int64_t(4096)}})), "use another name");
    }

    void aNameThatNeverCameToBe()
    {
        ManagedInstances keeper(m_work);
        const auto refused = keeper.start(*named("broken"), smallKnobs({{"no_such_variable", std::int64_t(1)}}));
        VERIFY_SAYS(refused, "no_such_variable");
        for (const ServerInstance& one : keeper.list())
            QVERIFY(one.state != InstanceState::Running);
    }

    //! Whatever moment a session that puts the data of a named server back is killed at.
    void killedWhilePuttingBack_data()
    {
        QTest::addColumn<QString>("whole"); //!< where the only whole copy lies
        QTest::addColumn<QString>("half");
        QTest::newRow("while copying") << "data"
                                       << "data.back";
        QTest::newRow("the new one is gone") << "data.old"
                                             << "data.new";
        QTest::newRow("between the names") << "data.back"
                                           << "data.old";
        QTest::newRow("while removing") << "data"
                                        << "data.old";
        QTest::newRow("nothing else there") << "data.old"
                                            << "";
    }
    void killedWhilePuttingBack()
    {
        QFETCH(QString, whole);
        QFETCH(QString, half);
        const auto uri = named("cut");
        {
            const auto server = create(*uri);
            QVERIFY(server);
            VERIFY_OK(server->ensure(smallKnobs()));
            auto admin = adminOf(*server);
            VERIFY_OK(admin);
            VERIFY_OK((*admin)->execute("CREATE TABLE IF NOT EXISTS kept (id INT PRIMARY KEY) ENGINE=InnoDB"));
            VERIFY_OK((*admin)->execute("REPLACE INTO kept VALUES (1), (2), (3)"));
            admin->reset();
            VERIFY_OK(server->stop());
        }
        const fs::path folder = m_work / "instances/cut";
        if (whole != "data")
            fs::rename(folder / "data", folder / whole.toStdString());
        if (!half.isEmpty()) {
            fs::create_directories(folder / half.toStdString() / "mysql");
            std::ofstream(folder / half.toStdString() / "ibdata1") << "half";
        }
        const auto server = create(*uri);
        QVERIFY(server && server->wasThere());
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE((*adminOf(*server))->rowCount("kept").value_or(-1), std::int64_t(3));
        QVERIFY(!fs::exists(folder / "data.back") && !fs::exists(folder / "data.old"));
        // And it can be put back again.
        VERIFY_OK(server->keepCopy());
        VERIFY_OK(server->ensure(smallKnobs()));
        VERIFY_OK((*adminOf(*server))->execute("DELETE FROM kept"));
        VERIFY_OK(server->putBack());
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE((*adminOf(*server))->rowCount("kept").value_or(-1), std::int64_t(3));
        QVERIFY(!fs::exists(folder / "data.back") && !fs::exists(folder / "data.old"));
    }

    void killedOwner()
    {
        // A named server and a session's own, whose owner is killed.
        for (const char* name : {"crashed", ""}) {
            QProcess owner;
            owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
            QStringList arguments = {QString::fromStdString(m_work.string())};
            if (*name)
                arguments.push_back(QString("managed:mariadb?transport=tcp&name=") + name);
            owner.start(DYNO_SERVER_CHILD, arguments);
            QVERIFY(owner.waitForReadyRead(60000));
            const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
            const pid_t pid = serverPid(folder);
            QVERIFY(processExists(pid));
            ManagedInstances keeper(m_work);
            const auto find = [&] {
                for (const ServerInstance& one : keeper.list()) {
                    if (one.folder == folder)
                        return one;
                }
                return ServerInstance();
            };
            QCOMPARE(find().state, InstanceState::Busy);
            QCOMPARE(find().process, int(pid));
            if (*name)
                VERIFY_SAYS(keeper.start(*named(name)), "process " + std::to_string(owner.processId()));
            QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
            int status = 0;
            QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, 20000));
            QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, 20000);
            QCOMPARE(find().process, 0);
            if (*name) {
                QCOMPARE(find().state, InstanceState::Stopped); // its data stays, and it recovers
                VERIFY_OK(keeper.start(*named(name), smallKnobs()));
                VERIFY_OK(keeper.stop(name));
            } else {
                QCOMPARE(find().state, InstanceState::Left);
                VERIFY_OK(keeper.remove(folder.filename().string()));
                QVERIFY(!fs::exists(folder));
            }
        }
    }
};

} // namespace dyno::tst_managed_data

DYNO_SUITE(tst_managed_data, dyno::tst_managed_data::TestManagedData)
#include "tst_managed_data.moc"
