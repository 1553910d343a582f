// SPDX-License-Identifier: GPL-3.0-or-later
// Servers that Dynobench starts itself: real ones, real processes, real kills.
#include "driver/driver.h"
#include "driver/mysql/server/option_file.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/private_folder.h"
#include "server/lifecycle/server_binaries.h"
#include "support/frozen.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"
#include "support/verify.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <csignal>
#include <fstream>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_managed_server {
namespace fs = std::filesystem;

namespace {

TargetUri managedUri(std::map<std::string, std::string, std::less<>> query = {})
{
    TargetUri uri;
    uri.kind = TargetKind::Managed;
    uri.scheme = "managed";
    uri.product = "mariadb";
    uri.driver = "mysql";
    uri.query = std::move(query);
    return uri;
}

Settings smallKnobs(Settings more = {})
{
    more.try_emplace("innodb_buffer_pool_size", std::int64_t(32) << 20);
    more.try_emplace("innodb_log_file_size", std::int64_t(16) << 20);
    return more;
}

pid_t serverPid(const fs::path& folder)
{
    std::ifstream in(folder / "server.pid");
    pid_t pid = 0;
    in >> pid;
    return pid;
}

bool exists(pid_t pid)
{
    return pid > 1 && ::kill(pid, 0) == 0;
}

std::string variable(const ManagedServer& server, const char* name)
{
    ConnectTarget target;
    target.uri = server.connectUri();
    auto admin = driverFor("mysql")->admin(target);
    return admin ? (*admin)->variable(name).value_or("(unknown)") : admin.error().text();
}

int foldersIn(const fs::path& folder)
{
    int count = 0;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        count += entry.is_directory() ? 1 : 0;
    return count;
}

} // namespace

class TestManagedServer : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void knobsAreInForce();
    void restartsOnlyWhenItHasTo();
    void restartsForWhatIsDecidedAtTheStart();
    void tablesFollowTheServersCharacterSet();
    void partOfAListIsAnotherValue();
    void anotherPageSizeMeansAnotherDataFolder();
    void stopLeavesNoProcess();
    void deadServerIsNoticedAndStartedAgain();
    void aFrozenServerStopsToo();
    void anEndIsWaitedForNoLongerAfterAStop_data();
    void anEndIsWaitedForNoLongerAfterAStop();
    void aStartIsGivenUpAfterAStop();
    void aServerThatFreezesBehindItsSocketIsGivenUp();
    void aStopEndsTheMakingOfADataFolder();
    void socketIsPrivateAndShort();
    void badKnobs_data();
    void badKnobs();
    void sqlHasNoFiles();
    void whatAFolderSaysOfItself();
    void safetyComesLast();
    void valueThatTheServerRounds();
    void keptData();
    void killedOwnerLeavesNothingRunning();
    void foldersOfOthersStay();
    void numberOfAnotherProcess();
    void versionsAndFolders();
    void versionPrefix_data();
    void versionPrefix();
    void optionFileSyntax();
    void folderThatCannotBeWritten();

private:
    std::unique_ptr<ManagedServer> create()
    {
        auto server = ManagedServer::create(managedUri(), m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }

    QTemporaryDir m_dir;
    fs::path m_work;
};

void TestManagedServer::initTestCase()
{
    if (const auto found = findServer({}); !found)
        QSKIP(found.error().text().c_str());
    QVERIFY(m_dir.isValid());
    m_work = m_dir.path().toStdString();
    // Orphans become our children, so that their end can be waited for and read.
    QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

void TestManagedServer::knobsAreInForce()
{
    const auto server = create();
    QVERIFY(server);
    QVERIFY(!server->running());
    VERIFY_OK(server->ensure(smallKnobs({{"innodb_flush_log_at_trx_commit", std::int64_t(2)},
                                         {"log_bin", true},
                                         {"sync_binlog", std::int64_t(1)},
                                         {"innodb_doublewrite", false},
                                         {"innodb_flush_method", std::string("fsync")},
                                         {"innodb_max_dirty_pages_pct", 60.0},
                                         {"key_buffer_size", std::string("16M")},
                                         {"thread_handling", std::string("pool-of-threads")},
                                         {"transaction_isolation", std::string("READ-COMMITTED")}})));
    QVERIFY(server->running());
    QCOMPARE(variable(*server, "innodb_flush_log_at_trx_commit"), std::string("2"));
    QCOMPARE(variable(*server, "log_bin"), std::string("ON"));
    QCOMPARE(variable(*server, "innodb_doublewrite"), std::string("OFF"));
    QCOMPARE(variable(*server, "innodb_flush_method"), std::string("fsync"));
    QCOMPARE(variable(*server, "key_buffer_size"), std::string("16777216"));
    QCOMPARE(variable(*server, "thread_handling"), std::string("pool-of-threads"));
    QCOMPARE(variable(*server, "tx_isolation"), std::string("READ-COMMITTED"));
    QCOMPARE(variable(*server, "max_connections"), std::to_string(defaultMaxConnections()));
    QVERIFY(server->optionFile().find("log_bin=binlog") != std::string::npos);
    QVERIFY(server->logTail(50).find("ready for connections") != std::string::npos);
    const TargetUri uri = server->connectUri();
    QCOMPARE(uri.driver, std::string("mysql"));
    QCOMPARE(uri.database, std::string("dyno"));
}

void TestManagedServer::restartsOnlyWhenItHasTo()
{
    const auto server = create();
    QVERIFY(server);
    Settings knobs = smallKnobs({{"log_bin", false}, {"sync_binlog", std::int64_t(0)}});
    VERIFY_OK(server->ensure(knobs));
    const pid_t first = serverPid(server->folder());
    QVERIFY(first > 0);
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(serverPid(server->folder()), first);
    // A dynamic variable: the same process.
    knobs["sync_binlog"] = std::int64_t(7);
    knobs["innodb_lru_scan_depth"] = std::int64_t(400);
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(serverPid(server->folder()), first);
    QCOMPARE(variable(*server, "sync_binlog"), std::string("7"));
    QCOMPARE(variable(*server, "innodb_lru_scan_depth"), std::string("400"));
    QVERIFY(server->optionFile().find("sync_binlog=7") != std::string::npos);
    // One that needs a restart; the data stays.
    ConnectTarget target;
    target.uri = server->connectUri();
    QVERIFY((*driverFor("mysql")->admin(target))->execute("CREATE TABLE stays (id INT) ENGINE=InnoDB"));
    knobs["log_bin"] = true;
    VERIFY_OK(server->ensure(knobs));
    const pid_t second = serverPid(server->folder());
    QVERIFY(second != first);
    QVERIFY(!exists(first));
    QCOMPARE(variable(*server, "log_bin"), std::string("ON"));
    QCOMPARE(variable(*server, "sync_binlog"), std::string("7"));
    QCOMPARE((*driverFor("mysql")->admin(target))->describe("stays")->size(), std::size_t(1));
    // A knob that is not wanted any more goes back to the server's own default.
    knobs.erase("sync_binlog");
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(variable(*server, "sync_binlog"), std::string("0"));
}

//! InnoDB opens its log for the file system's cache at the start, where commits are not synced: a server that was told
//! so later is several times slower.
void TestManagedServer::restartsForWhatIsDecidedAtTheStart()
{
    const auto server = create();
    QVERIFY(server);
    Settings knobs = smallKnobs({{"innodb_flush_log_at_trx_commit", std::int64_t(1)}});
    VERIFY_OK(server->ensure(knobs));
    if (variable(*server, "innodb_log_file_buffering") != "OFF")
        QSKIP("this MariaDB decides nothing from it at its start");
    const pid_t first = serverPid(server->folder());
    knobs["innodb_flush_log_at_trx_commit"] = std::int64_t(2);
    VERIFY_OK(server->ensure(knobs));
    QVERIFY(serverPid(server->folder()) != first);
    QCOMPARE(variable(*server, "innodb_log_file_buffering"), std::string("ON"));
    // Said in the plan, it is not decided by the server.
    knobs["innodb_log_file_buffering"] = true;
    VERIFY_OK(server->ensure(knobs));
    const pid_t second = serverPid(server->folder());
    knobs["innodb_flush_log_at_trx_commit"] = std::int64_t(1);
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(serverPid(server->folder()), second);
    QCOMPARE(variable(*server, "innodb_log_file_buffering"), std::string("ON"));
}

void TestManagedServer::tablesFollowTheServersCharacterSet()
{
    const auto server = create();
    QVERIFY(server);
    for (const char* set : {"utf8mb4", "latin1"}) {
        VERIFY_OK(server->ensure(smallKnobs({{"character_set_server", std::string(set)}})));
        ConnectTarget target;
        target.uri = server->connectUri();
        auto admin = driverFor("mysql")->admin(target);
        VERIFY_OK(admin);
        VERIFY_OK((*admin)->execute("CREATE OR REPLACE TABLE words (c CHAR(10)) ENGINE=InnoDB"));
        const auto got =
            (*admin)->query("SELECT CHARACTER_SET_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = "
                            "'dyno' AND TABLE_NAME = 'words'");
        VERIFY_OK(got);
        QCOMPARE(got->at(0).at(0), std::string(set));
    }
}

void TestManagedServer::partOfAListIsAnotherValue()
{
    const auto server = create();
    QVERIFY(server);
    const std::string few = "STRICT_ALL_TABLES,NO_ZERO_DATE", many = few + ",ANSI_QUOTES";
    const auto modeNow = [&] { return variable(*server, "sql_mode"); };
    VERIFY_OK(server->ensure(smallKnobs({{"sql_mode", many}})));
    const pid_t first = serverPid(server->folder());
    QVERIFY(modeNow().find("ANSI_QUOTES") != std::string::npos);
    VERIFY_OK(server->ensure(smallKnobs({{"sql_mode", few}})));
    QCOMPARE(serverPid(server->folder()), first);
    QCOMPARE(modeNow().find("ANSI_QUOTES"), std::string::npos);
    QVERIFY(modeNow().find("NO_ZERO_DATE") != std::string::npos);
    VERIFY_OK(server->ensure(smallKnobs({{"sql_mode", many}})));
    QVERIFY(modeNow().find("ANSI_QUOTES") != std::string::npos);
}

void TestManagedServer::anotherPageSizeMeansAnotherDataFolder()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    QCOMPARE(variable(*server, "innodb_page_size"), std::string("16384"));
    VERIFY_OK(server->ensure(smallKnobs({{"innodb_page_size", std::int64_t(8192)}})));
    QCOMPARE(variable(*server, "innodb_page_size"), std::string("8192"));
}

void TestManagedServer::stopLeavesNoProcess()
{
    auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const pid_t first = serverPid(server->folder());
    QVERIFY(exists(first));
    VERIFY_OK(server->stop());
    QVERIFY(!server->running());
    QVERIFY(!exists(first));
    VERIFY_OK(server->stop());
    VERIFY_OK(server->ensure(smallKnobs()));
    const pid_t second = serverPid(server->folder());
    const fs::path folder = server->folder();
    const fs::path socketFolder = fs::path(server->connectUri().query.at("socket")).parent_path();
    QVERIFY(exists(second) && fs::exists(folder) && fs::exists(socketFolder));
    server.reset();
    QVERIFY(!exists(second));
    QVERIFY(!fs::exists(folder));
    QVERIFY(!fs::exists(socketFolder));
}

//! It ends as it should, and is not waited for until it has to be killed.
void TestManagedServer::aFrozenServerStopsToo()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const pid_t pid = serverPid(server->folder());
    QVERIFY(exists(pid));
    test::Frozen frozen(pid);
    QVERIFY(frozen.holds());
    VERIFY_OK(server->stop());
    QVERIFY(!exists(pid));
    VERIFY_OK(server->ensure(smallKnobs()));
}

void TestManagedServer::deadServerIsNoticedAndStartedAgain()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const pid_t pid = serverPid(server->folder());
    QVERIFY(exists(pid)); // kill(0) would be this whole process group
    QCOMPARE(::kill(pid, SIGKILL), 0);
    QVERIFY(QTest::qWaitFor([&] { return !server->running(); }, 20000));
    VERIFY_OK(server->ensure(smallKnobs()));
    QVERIFY(server->running());
    QVERIFY(serverPid(server->folder()) != pid);
}

void TestManagedServer::anEndIsWaitedForNoLongerAfterAStop_data()
{
    QTest::addColumn<bool>("kept");
    QTest::newRow("private") << false;
    QTest::newRow("kept under a name") << true;
}

//! Its shutdown takes for ever: a private one is killed at once, a kept one after some seconds, and that is told.
void TestManagedServer::anEndIsWaitedForNoLongerAfterAStop()
{
    QFETCH(const bool, kept);
    const QTemporaryDir dir;
    const auto uri = kept ? managedUri({{"name", "mine"}}) : managedUri();
    auto created = ManagedServer::create(uri, dir.path().toStdString());
    VERIFY_OK(created);
    ManagedServer& server = **created;
    VERIFY_OK(server.ensure(smallKnobs()));
    const pid_t pid = server.process();
    QVERIFY(exists(pid));
    server.setStopped([] { return true; });
    QElapsedTimer begun;
    Expected<void> ended;
    {
        const test::KeptFrozen hangs(pid);
        begun.start();
        ended = server.stop();
    }
    const qint64 took = begun.elapsed();
    QVERIFY(!exists(pid));
    QVERIFY(!ended);
    QCOMPARE(ended.error().kind, ErrorKind::Interrupted);
    QVERIFY2(ended.error().message.find("was killed") != std::string::npos, ended.error().text().c_str());
    QCOMPARE(ended.error().message.find("recover its data") != std::string::npos, kept);
    QVERIFY2(took < 10'000, qPrintable(QString::number(took)));
    QVERIFY(!kept || took >= 4'000); // what time it may have
    server.setStopped({});
    VERIFY_OK(server.ensure(smallKnobs()));
    QCOMPARE(variable(server, "innodb_page_size"), std::string("16384"));
}

//! Frozen before it answers: who stops need not wait for the two minutes that a recovering server is given.
void TestManagedServer::aStartIsGivenUpAfterAStop()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs())); // its data are there then
    std::optional<test::Frozen> frozen;
    QElapsedTimer begun;
    do { // once more where it answered before anybody asked
        server->setStopped({});
        VERIFY_OK(server->stop());
        server->setStopped([&server, &frozen] { // asked only while it does not answer yet
            if (!frozen)
                frozen.emplace(server->process());
            return true;
        });
        begun.start();
        if (const auto started = server->ensure(smallKnobs()); !started) {
            QVERIFY2(started.error().text().find("its start was given up after the stop") != std::string::npos,
                     started.error().text().c_str());
            QCOMPARE(started.error().kind, ErrorKind::Interrupted);
        }
    } while (!frozen);
    QVERIFY(frozen->holds());
    QVERIFY2(begun.elapsed() < 60'000, qPrintable(QString::number(begun.elapsed())));
    server->setStopped({});
    VERIFY_OK(server->stop());
    VERIFY_OK(server->ensure(smallKnobs())); // nothing of it is lost
    QVERIFY(server->running());
}

//! Its socket takes connections and nobody answers them.
void TestManagedServer::aServerThatFreezesBehindItsSocketIsGivenUp()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const fs::path socket = server->connectUri().query.at("socket");
    std::optional<test::Frozen> frozen;
    QElapsedTimer stopped;
    const auto freezes = [&] {
        if (!frozen && fs::exists(socket)) {
            frozen.emplace(server->process());
            stopped.start();
        }
        return frozen.has_value();
    };
    Expected<void> started;
    do { // once more where it answered all questions before anybody asked
        frozen.reset();
        server->setStopped({});
        VERIFY_OK(server->stop());
        server->setStopped(freezes);
        started = server->ensure(smallKnobs());
    } while (started);
    QVERIFY2(stopped.elapsed() < 10'000, qPrintable(QString::number(stopped.elapsed())));
    QVERIFY(frozen && frozen->holds());
    QVERIFY2(started.error().kind == ErrorKind::Interrupted, started.error().text().c_str());
    QVERIFY(!server->running());
    server->setStopped({});
    VERIFY_OK(server->ensure(smallKnobs()));
}

void TestManagedServer::aStopEndsTheMakingOfADataFolder()
{
    const QTemporaryDir dir;
    const fs::path work = dir.path().toStdString();
    auto created = ManagedServer::create(managedUri(), work);
    VERIFY_OK(created);
    ManagedServer& server = **created;
    bool making = false;
    server.setStopped([&] { return making = making || foldersIn(work / "templates") > 0; });
    const auto started = server.ensure(smallKnobs());
    QVERIFY(making);
    QVERIFY(!started);
    QVERIFY2(started.error().kind == ErrorKind::Interrupted, started.error().text().c_str());
    QVERIFY2(started.error().text().find("data folder") != std::string::npos, started.error().text().c_str());
    for (const fs::directory_entry& left : fs::directory_iterator(work / "templates")) {
        const std::string name = left.path().filename().string();
        QVERIFY2(name.starts_with('.') || name.starts_with("unfinished-"), name.c_str());
    }
    QVERIFY(!fs::exists(server.folder() / "data"));
    QVERIFY(!fs::exists(server.folder() / "data.new"));
    server.setStopped({});
    VERIFY_OK(server.ensure(smallKnobs())); // makes it anew
    QCOMPARE(foldersIn(work / "templates"), 1);
}

void TestManagedServer::socketIsPrivateAndShort()
{
    // A work folder far longer than a socket's path may be.
    const fs::path deep = m_work / std::string(90, 'd') / std::string(90, 'e');
    auto server = ManagedServer::create(managedUri(), deep);
    VERIFY_OK(server);
    VERIFY_OK((*server)->ensure(smallKnobs()));
    const fs::path socket = (*server)->connectUri().query.at("socket");
    QVERIFY(socket.string().size() < 108);
    QCOMPARE(fs::status(socket.parent_path()).permissions(), fs::perms::owner_all);
    QCOMPARE(fs::status((*server)->folder()).permissions(), fs::perms::owner_all);
    QCOMPARE(variable(**server, "skip_networking"), std::string("ON"));
}

void TestManagedServer::badKnobs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("said");
    QTest::newRow("unknown") << "no_such_variable"
                             << "1"
                             << "no_such_variable";
    QTest::newRow("wrong word") << "binlog_format"
                                << "SOMETIMES"
                                << "SOMETIMES";
    QTest::newRow("ours") << "datadir"
                          << "/tmp"
                          << "datadir";
    QTest::newRow("line break") << "sql_mode"
                                << "a\nskip-grant-tables"
                                << "line break";
    // What MariaDB itself would take.
    for (const auto& [knob, value, said] : {std::array{"server_i", "7", "no variable server_i"},
                                            std::array{"plugin_di", "x", "code"},
                                            std::array{"init_fil", "x.sql", "SQL"},
                                            std::array{"general_log_fil", "x.log", "no variable"},
                                            std::array{"loose_server_id", "7", "spelling"},
                                            std::array{"skip_symbolic_links", "1", "spelling"},
                                            std::array{"enable_external_locking", "1", "spelling"},
                                            std::array{"disable_external_locking", "1", "spelling"},
                                            std::array{"maximum_max_connections", "10", "spelling"},
                                            std::array{"plugin_load_add", "auth_socket", "code"},
                                            std::array{"init_connect", "SET @a=1", "SQL"},
                                            std::array{"general_log_file", "x.log", "a file"},
                                            std::array{"innodb_data_file_path", "ibdata1:12M:autoextend", "a file"},
                                            std::array{"tmpdir", "x", "a folder"},
                                            std::array{"log_bin", "/tmp/binlog", "path"},
                                            std::array{"log_bin", "mine", "on or off"},
                                            std::array{"default_time_zone", "../x", "path"},
                                            std::array{"bind_addres", "0.0.0.0", "no variable"},
                                            std::array{"skip_networkin", "false", "spelling"},
                                            std::array{"secure_file_priv", "x", "a folder"}})
        QTest::newRow(qPrintable(QStringLiteral("%1=%2").arg(knob, value))) << knob << value << said;
    QTest::newRow("name") << "a b"
                          << "1"
                          << "a b";
}

void TestManagedServer::badKnobs()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, said);
    const auto server = create();
    QVERIFY(server);
    const auto result = server->ensure(smallKnobs({{name.toStdString(), parseValue(value.toStdString())}}));
    QVERIFY(!result);
    QVERIFY2(result.error().text().find(said.toStdString()) != std::string::npos, result.error().text().c_str());
    QVERIFY(!server->running());
    // It is not spoilt by that.
    VERIFY_OK(server->ensure(smallKnobs()));
}

//! The knobs of the last start come back; a value cannot begin a line of its own, such as one that names another
//! program.
void TestManagedServer::whatAFolderSaysOfItself()
{
    QTemporaryDir dir;
    const std::filesystem::path folder = dir.path().toStdString();
    FolderFacts facts{"mariadb", "10.11.19", "", {{"encryption", std::string("all")}}, {}};
    VERIFY_OK(writeFolderFacts(folder, facts));
    QVERIFY(!readFolderFacts(folder).last);
    facts.last = {{"log_bin", false}, {"max_connections", std::int64_t(20)}};
    VERIFY_OK(writeFolderFacts(folder, facts));
    QVERIFY(readFolderFacts(folder).last == facts.last);
    QVERIFY(readFolderFacts(folder).initialisation == facts.initialisation);
    for (const char* evil : {"a\nbasedir=/tmp", "a\rbasedir=/tmp"}) {
        FolderFacts other = facts;
        other.last->insert_or_assign("x", std::string(evil));
        QVERIFY(!writeFolderFacts(folder, other));
        other = facts;
        other.initialisation.insert_or_assign("x", std::string(evil));
        QVERIFY(!writeFolderFacts(folder, other));
    }
    QVERIFY(readFolderFacts(folder).last == facts.last);
}

//! SQL reads and writes no files of this machine.
void TestManagedServer::sqlHasNoFiles()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    ConnectTarget target;
    target.uri = server->connectUri();
    auto admin = driverFor("mysql")->admin(target);
    VERIFY_OK(admin);
    const fs::path secret = server->folder() / "secret.txt", written = server->folder() / "written.txt";
    std::ofstream(secret) << "secret";
    fs::permissions(secret, fs::perms::all);
    const auto read = (*admin)->query("SELECT COALESCE(LOAD_FILE('" + secret.string() + "'), 'nothing')");
    VERIFY_OK(read);
    QCOMPARE(read->front().front(), std::string("nothing"));
    QVERIFY(!(*admin)->execute("SELECT 1 INTO OUTFILE '" + written.string() + "'"));
    QVERIFY(!fs::exists(written));
    QVERIFY((*admin)->execute("CREATE TABLE t (c TEXT)"));
    QVERIFY(!(*admin)->execute("LOAD DATA INFILE '" + secret.string() + "' INTO TABLE t"));
    QVERIFY(!(*admin)->execute("LOAD DATA LOCAL INFILE '" + secret.string() + "' INTO TABLE t"));
    const std::string closed = variable(*server, "secure_file_priv");
    QVERIFY2(fs::is_empty(closed), closed.c_str());
    QCOMPARE(fs::status(closed).permissions(), fs::perms::owner_read | fs::perms::owner_exec);
    // Nor tables in folders of others.
    fs::create_directory(m_work / "elsewhere");
    static_cast<void>((*admin)->execute("CREATE TABLE e (a INT) ENGINE=MyISAM DATA DIRECTORY='" +
                                        (m_work / "elsewhere").string() + "'"));
    static_cast<void>((*admin)->execute("CREATE TABLE f (a INT) ENGINE=InnoDB DATA DIRECTORY='" +
                                        (m_work / "elsewhere").string() + "'"));
    QVERIFY(fs::is_empty(m_work / "elsewhere"));
}

//! What keeps a server private stands behind everything else: the last line of an option file wins.
void TestManagedServer::safetyComesLast()
{
    const ServerBinaries mariadb = readVersionLine("mariadbd  Ver 10.11.19-MariaDB for debian-linux-gnu on x86_64");
    const ServerBinaries mysql = readVersionLine("mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server)");
    const ServerOptions listed = {{"wait_timeout", "28800"}, {"max_connections", "151"}};
    for (const ServerBinaries& server : {mariadb, mysql}) {
        const auto text = optionFileText(server, {"/a", "/tmp/s"}, {{"wait_timeout", std::int64_t(5)}}, listed);
        VERIFY_OK(text);
        const std::size_t knob = text->find("\nwait_timeout=5\n");
        QVERIFY(knob != std::string::npos);
        for (const char* line : {"\nskip-networking\n", "\ndatadir=", "\nsecure-file-priv=", "\nsocket="})
            QVERIFY2(text->find(line, knob) != std::string::npos, text->c_str());
        QVERIFY(text->find("persisted-globals-load=OFF", knob) != std::string::npos || server.name != "MySQL");
    }
    // What only a later version has is said with that version.
    const auto early =
        optionFileText(mariadb, {"/a", "/tmp/s"}, {{"mhnsw_max_cache_size", std::int64_t(1) << 20}}, listed);
    QVERIFY(!early);
    QVERIFY2(early.error().message.find("use MariaDB 11.7.1 or newer") != std::string::npos,
             early.error().text().c_str());
    const auto never =
        optionFileText(mysql, {"/a", "/tmp/s"}, {{"mhnsw_max_cache_size", std::int64_t(1) << 20}}, listed);
    QVERIFY(!never);
    QVERIFY2(never.error().message.find("newer") == std::string::npos, never.error().text().c_str());
}

void TestManagedServer::valueThatTheServerRounds()
{
    const auto server = create();
    QVERIFY(server);
    const auto result = server->ensure(smallKnobs({{"innodb_io_capacity", std::int64_t(1)}}));
    QVERIFY(!result);
    const std::string text = result.error().text();
    QVERIFY2(text.find("innodb_io_capacity=1 ") != std::string::npos, text.c_str());
    QVERIFY2(text.find("innodb_io_capacity=100") != std::string::npos, text.c_str());
    QVERIFY(!server->running());
}

void TestManagedServer::keptData()
{
    auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const fs::path folder = server->folder();
    const pid_t pid = serverPid(folder);
    server->setKeepData(true);
    server.reset();
    QVERIFY(!exists(pid));
    QVERIFY(fs::exists(folder / "data" / "ibdata1"));
    QVERIFY(!fs::exists(folder / "server.pid")); // it ended in an orderly way
    // The next one clears away dead folders, but not this one.
    server = create();
    QVERIFY(fs::exists(folder / "data" / "ibdata1"));
    fs::remove_all(folder);
}

void TestManagedServer::killedOwnerLeavesNothingRunning()
{
    QProcess owner;
    owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    owner.start(DYNO_SERVER_CHILD, {QString::fromStdString(m_work.string())});
    QVERIFY(owner.waitForReadyRead(60000));
    const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
    const pid_t pid = serverPid(folder);
    QVERIFY(pid > 0 && exists(pid));
    std::ifstream socketFile(folder / "socket");
    std::string socketFolder;
    std::getline(socketFile, socketFolder);
    QVERIFY(fs::exists(socketFolder));

    QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
    // The server is ours now: this returns when it is dead, and says of what.
    int status = 0;
    QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, 20000));
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, 20000);
    QVERIFY(!exists(pid));

    // What it left lying about goes at the next start.
    QVERIFY(fs::exists(folder));
    const auto server = create();
    QVERIFY(server);
    QVERIFY(!fs::exists(folder));
    QVERIFY(!fs::exists(socketFolder));
}

void TestManagedServer::foldersOfOthersStay()
{
    const auto one = create();
    const auto two = create();
    QVERIFY(one && two);
    QVERIFY(one->folder() != two->folder());
    QVERIFY(fs::exists(one->folder()));
    VERIFY_OK(one->ensure(smallKnobs()));
    VERIFY_OK(two->ensure(smallKnobs()));
    const fs::path managed = m_work / "managed";
    QCOMPARE(foldersIn(managed), 2);
    fs::create_directory(managed / "mariadb-dead");
    fs::create_directory(managed / "something-else");
    QCOMPARE(PrivateFolder::removeStale(managed), 1);
    QVERIFY(!fs::exists(managed / "mariadb-dead"));
    QCOMPARE(foldersIn(managed), 3);
    fs::remove(managed / "something-else");
    QVERIFY(one->running() && two->running());
}

//! The number that a dead server left belongs to somebody else by now, who may even speak of the same file.
void TestManagedServer::numberOfAnotherProcess()
{
    const fs::path folder = m_work / "left" / "mariadb-dead";
    fs::create_directories(folder);
    QProcess other;
    other.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("echo up; read line"),
                                            QString::fromStdString((folder / "server.cnf").string())});
    QVERIFY(other.waitForReadyRead(20000));
    std::ofstream(folder / "server.pid") << other.processId() << '\n';
    QCOMPARE(folderState(folder).server, 0);
    VERIFY_OK(PrivateFolder::remove(folder));
    QVERIFY(!fs::exists(folder));
    other.write("go\n");
    QVERIFY(other.waitForFinished(20000));
    QCOMPARE(other.exitStatus(), QProcess::NormalExit);
    QCOMPARE(other.exitCode(), 0);
}

void TestManagedServer::versionsAndFolders()
{
    const auto found = findServer({});
    QVERIFY(found);
    const std::string version = found->version;
    QVERIFY(ManagedServer::create(managedUri({{"version", version.substr(0, version.find('-'))}}), m_work));
    const auto other = ManagedServer::create(managedUri({{"version", "99.1"}}), m_work);
    QVERIFY(!other);
    const std::string text = other.error().text();
    QVERIFY2(text.find("99.1") != std::string::npos && text.find(version) != std::string::npos, text.c_str());
    QVERIFY2(text.find("mariadb-server") != std::string::npos, text.c_str());
    const auto nowhere = ManagedServer::create(managedUri({{"basedir", "/tmp/dyno-no-such-folder"}}), m_work);
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().kind, ErrorKind::Unreachable);
    QVERIFY(nowhere.error().text().find("/tmp/dyno-no-such-folder") != std::string::npos);
}

void TestManagedServer::versionPrefix_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<bool>("fits");
    QTest::newRow("any") << "10.11.19-MariaDB"
                         << "" << true;
    QTest::newRow("major") << "10.11.19-MariaDB"
                           << "10" << true;
    QTest::newRow("minor") << "10.11.19-MariaDB"
                           << "10.11" << true;
    QTest::newRow("half a number") << "10.11.19-MariaDB"
                                   << "10.1" << false;
    QTest::newRow("whole") << "10.11.19-MariaDB"
                           << "10.11.19" << true;
    QTest::newRow("longer") << "10.11.1-MariaDB"
                            << "10.11.19" << false;
}

void TestManagedServer::versionPrefix()
{
    QFETCH(QString, version);
    QFETCH(QString, wanted);
    QFETCH(bool, fits);
    QCOMPARE(versionFits(version.toStdString(), wanted.toStdString()), fits);
    const QByteArray printed = "mariadbd  Ver " + version.toUtf8() + " for debian-linux-gnu on x86_64 (Debian 12)\n";
    QCOMPARE(readVersionLine(printed.toStdString()).version, version.toStdString());
}

void TestManagedServer::optionFileSyntax()
{
    const ServerBinaries mariadb = readVersionLine("mariadbd  Ver 10.11.19-MariaDB for debian-linux-gnu on x86_64");
    const auto text = optionFileText(mariadb, {"/a b/c", "/tmp/s"},
                                     {{"log_bin", false},
                                      {"innodb_buffer_pool_size", std::string("1GiB")},
                                      {"performance_schema", true},
                                      {"ft_boolean_syntax", std::string("+ -><()~*:''&|#")},
                                      {"max_connections", std::int64_t(20)}},
                                     {{"log_bin", ""},
                                      {"innodb_buffer_pool_size", ""},
                                      {"performance_schema", ""},
                                      {"ft_boolean_syntax", ""},
                                      {"max_connections", ""}});
    VERIFY_OK(text);
    QVERIFY(text->find("datadir=\"/a b/c/data\"\n") != std::string::npos);
    QVERIFY(text->find("\nskip-log-bin\n") != std::string::npos);
    QVERIFY(text->find("\ninnodb_buffer_pool_size=1073741824\n") != std::string::npos);
    QVERIFY(text->find("\nperformance_schema=1\n") != std::string::npos);
    QVERIFY(text->find("\nft_boolean_syntax=\"+ -><()~*:''&|#\"\n") != std::string::npos);
    QCOMPARE(QString::fromStdString(*text).count("max_connections="), 1);
    // What would end its line, or be cut by the server into a line of its own.
    for (const std::string& value : {std::string(4090, ' ') + "skip-grant-tables", std::string(2100, '\\'),
                                     std::string("a\0skip-grant-tables", 19), std::string("a\rb"), std::string("a\nb"),
                                     std::string("a\tb"), std::string("a\x1b[0m"), std::string("a\x7f")}) {
        const auto unfit =
            optionFileText(mariadb, {"/a", "/tmp/s"}, {{"ft_boolean_syntax", value}}, {{"ft_boolean_syntax", ""}});
        QVERIFY(!unfit);
        QVERIFY2(unfit.error().message.find("server.ft_boolean_syntax") != std::string::npos,
                 unfit.error().text().c_str());
    }
    VERIFY_OK(optionFileText(mariadb, {"/a", "/tmp/s"}, {{"ft_boolean_syntax", std::string(3900, 'x')}},
                             {{"ft_boolean_syntax", ""}}));
    QVERIFY(!optionFileText(mariadb, {"/a\nb", "/tmp/s"}, {}, {}));
    QVERIFY(
        !optionFileText(mariadb, {"/a", "/tmp/s"}, {{std::string(5000, 'x'), true}}, {{std::string(5000, 'x'), ""}}));
    const auto faults = optionFileText(mariadb, {"/a", "/tmp/s"}, {{"socket", std::string("/x")}, {"x y", true}}, {});
    QVERIFY(!faults);
    QVERIFY(faults.error().message.find("socket") != std::string::npos);
    QVERIFY(faults.error().message.find("x y") != std::string::npos);
}

void TestManagedServer::folderThatCannotBeWritten()
{
    // A file where the folder should be: refused for root as well.
    const fs::path file = m_work / "file";
    std::ofstream(file) << "x";
    const auto server = ManagedServer::create(managedUri(), file);
    QVERIFY(!server);
    QCOMPARE(server.error().kind, ErrorKind::Storage);
    QVERIFY(server.error().text().find(file.string()) != std::string::npos);
}

} // namespace dyno::tst_managed_server

DYNO_SUITE(tst_managed_server, dyno::tst_managed_server::TestManagedServer)
#include "tst_managed_server.moc"
