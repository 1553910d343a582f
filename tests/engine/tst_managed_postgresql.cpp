// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL as a managed server: the one below DYNO_TEST_POSTGRESQL, else one of the system.
#include "driver/postgresql/server/server_conf.h"
#include "driver/preflight_list.h"
#include "managed_test.h"
#include "server/lifecycle/child_process.h"
#include "support/dyno_process.h"
#include "support/frozen.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QDeadlineTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dyno::tst_managed_postgresql {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

Settings small(Settings more = {})
{
    more.try_emplace("shared_buffers", std::int64_t(16) << 20);
    more.try_emplace("fsync", false); // nothing must outlive a power cut
    more.try_emplace("max_connections", std::int64_t(50));
    return more;
}

uid_t ownerOf(const fs::path& path)
{
    struct stat info = {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_uid : uid_t(-1);
}

bool closedToOthers(const fs::path& path)
{
    const auto others = fs::perms::group_all | fs::perms::others_all;
    return (fs::status(path).permissions() & others) == fs::perms::none;
}

std::string firstValue(Admin& admin, const std::string& query)
{
    const auto rows = admin.query(query);
    return rows ? rows->at(0).at(0) : rows.error().text();
}

std::string textIn(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

//! Memory of the system that this process has made and that is still there.
bool leftMemory(pid_t pid)
{
    std::ifstream in("/proc/sysvipc/shm");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key, id, perms, size;
        pid_t creator = 0;
        if (words >> key >> id >> perms >> size >> creator && creator == pid)
            return true;
    }
    return false;
}

} // namespace

class TestManagedPostgresql : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void startsWithItsKnobs();
    void usersAreNoSuperusers();
    void changesByReloadAndByRestart();
    void refusedKnobSaysTheServersWords();
    void reservedConnectionsAreCounted();
    void dataIsMadeWithSomeKnobs();
    void tlsOverTcp();
    void copyOfTheDataComesBack();
    void crashIsToldAndRecovered();
    void namedServerStays();
    void runsWithoutRoot();
    void killedOwnerLeavesNothingRunning_data();
    void killedOwnerLeavesNothingRunning();

private:
    std::map<std::string, std::string, std::less<>> query(std::map<std::string, std::string, std::less<>> more = {})
    {
        if (const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL"); !basedir.empty())
            more.emplace("basedir", basedir);
        return more;
    }
    std::unique_ptr<ManagedServer> create(std::map<std::string, std::string, std::less<>> more = {})
    {
        auto server = ManagedServer::create(managedUri("postgresql", query(std::move(more))), m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }
    QTemporaryDir m_dir;
    fs::path m_work;
};

void TestManagedPostgresql::initTestCase()
{
    if (!driverFor("postgresql"))
        QSKIP("this build has no PostgreSQL driver");
    const auto found = findServer(wishOf(managedUri("postgresql", query())));
    if (!found)
        QSKIP((found.error().text() + "; or set DYNO_TEST_POSTGRESQL").c_str());
    QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // orphans become our children
    QVERIFY(m_dir.isValid());
    // Below a folder that is closed to everybody else: no other account gets here by names.
    m_work = fs::path(m_dir.path().toStdString()) / "work";
    QVERIFY(closedToOthers(m_dir.path().toStdString()));
}

void TestManagedPostgresql::startsWithItsKnobs()
{
    const auto server = create();
    QVERIFY(server);
    QCOMPARE(server->binaries().name, std::string("PostgreSQL"));
    if (const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL"); !basedir.empty())
        QVERIFY2(server->binaries().server.string().starts_with(basedir), server->binaries().server.c_str());
    VERIFY_OK(server->ensure(small({{"synchronous_commit", std::string("off")},
                                    {"work_mem", std::string("6M")},
                                    {"default_transaction_isolation", std::string("serializable")}})));
    QCOMPARE(variableOf(*server, "shared_buffers"), std::to_string(16 << 20));
    QCOMPARE(variableOf(*server, "work_mem"), std::to_string(6 << 20));
    QCOMPARE(variableOf(*server, "synchronous_commit"), std::string("off"));
    QCOMPARE(variableOf(*server, "default_transaction_isolation"), std::string("serializable"));
    QCOMPARE(variableOf(*server, "listen_addresses"), std::string());
    QCOMPARE(variableOf(*server, "server_encoding"), std::string("UTF8"));
    QCOMPARE(variableOf(*server, "max_connections"), std::string("50"));
    QVERIFY(QString::fromStdString(variableOf(*server, "server_version"))
                .startsWith(QString::fromStdString(server->binaries().version)));
    QVERIFY(server->optionFile().find("synchronous_commit = 'off'\n") != std::string::npos);
    QVERIFY(server->optionFile().find("listen_addresses=") != std::string::npos);
    auto admin = adminOf(*server);
    VERIFY_OK(admin);
    QCOMPARE(firstValue(**admin, "SELECT datcollate FROM pg_database WHERE datname = current_database()"),
             std::string("C"));
    VERIFY_OK((*admin)->execute("CREATE TABLE t (id INT PRIMARY KEY, c TEXT)"));
    VERIFY_OK((*admin)->execute("INSERT INTO t SELECT i, 'text' FROM generate_series(1, 1000) i"));
    std::map<std::string, std::uint64_t> kinds;
    for (const DataPart& part : server->dataParts())
        kinds[part.kind] += part.bytes;
    for (const char* kind : {"table", "redo log", "system"})
        QVERIFY2(kinds[kind] > 0, kind);
    // Nobody else looks in, and the folders above the data stay ours.
    const fs::path folder = server->folder();
    for (const fs::path& path : {folder, folder / "data", fs::path(server->connectUri().query["socket"]).parent_path()})
        QVERIFY2(closedToOthers(path), path.c_str());
    QCOMPARE(ownerOf(folder), ::geteuid());
    const pid_t pid = server->process();
    QVERIFY(pid > 0);
    QCOMPARE(ownerOf(fs::path("/proc") / std::to_string(pid)), ownerOf(folder / "data"));
    if (::geteuid() == 0)
        QVERIFY(ownerOf(folder / "data") != 0);
    admin->reset();
    VERIFY_OK(server->stop());
    QVERIFY(!server->running());
    QVERIFY(!leftMemory(pid));
    // A fast shutdown, not one that has to be recovered from.
    QVERIFY(server->logTail(20).find("database system is shut down") != std::string::npos);
}

//! SQL of a plan gets neither at programs nor at files.
void TestManagedPostgresql::usersAreNoSuperusers()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(small()));
    auto admin = adminOf(*server);
    VERIFY_OK(admin);
    QCOMPARE(firstValue(**admin, "SELECT usesuper FROM pg_user WHERE usename = current_user"), std::string("f"));
    VERIFY_OK((*admin)->execute("CREATE TABLE t (c TEXT)"));
    for (const char* bad :
         {"COPY t FROM PROGRAM 'id'", "COPY t TO '/tmp/dyno-stolen'", "SELECT pg_read_file('PG_VERSION')",
          "SET ROLE postgres", "ALTER SYSTEM SET archive_command = 'id'"})
        VERIFY_SAYS((*admin)->execute(bad), "42501"); // insufficient privilege
    VERIFY_OK((*admin)->execute("SELECT * FROM pg_stat_activity"));
    if (server->binaries().atLeast({15, 0, 0}))
        VERIFY_OK((*admin)->execute("CHECKPOINT"));
    // Nobody comes in under another name than these, and nobody by a port.
    ConnectTarget stranger;
    stranger.uri = server->connectUri();
    stranger.uri.user = "nobody";
    VERIFY_SAYS(driverFor("postgresql")->admin(stranger), "");
}

void TestManagedPostgresql::changesByReloadAndByRestart()
{
    const auto server = create();
    QVERIFY(server);
    Settings knobs = small({{"work_mem", std::string("5M")}});
    VERIFY_OK(server->ensure(knobs));
    const int first = server->process();
    knobs["work_mem"] = std::int64_t(7) << 20;
    knobs["synchronous_commit"] = std::string("off");
    knobs["checkpoint_timeout"] = std::int64_t(600);
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(server->process(), first);
    QCOMPARE(variableOf(*server, "work_mem"), std::to_string(7 << 20));
    QCOMPARE(variableOf(*server, "synchronous_commit"), std::string("off"));
    QCOMPARE(variableOf(*server, "checkpoint_timeout"), std::string("600"));
    knobs["shared_buffers"] = std::string("24M");
    VERIFY_OK(server->ensure(knobs));
    const int second = server->process();
    QVERIFY(second != first);
    QCOMPARE(variableOf(*server, "shared_buffers"), std::to_string(24 << 20));
    QCOMPARE(variableOf(*server, "work_mem"), std::to_string(7 << 20));
    // What is not wanted any more goes, also what was set while it ran.
    knobs["work_mem"] = std::string("9M");
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(server->process(), second);
    knobs.erase("work_mem");
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(variableOf(*server, "work_mem"), std::to_string(4 << 20));
    // The same again changes nothing.
    const int third = server->process();
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(server->process(), third);
}

void TestManagedPostgresql::refusedKnobSaysTheServersWords()
{
    const auto server = create();
    QVERIFY(server);
    for (const char* name : {"no_such_variable", "work_mems", "archive_command", "listen_addresses", "hba_file",
                             "shared_preload_libraries"})
        VERIFY_SAYS(server->ensure(small({{name, std::string("1")}})), name); // it is not even started
    VERIFY_SAYS(server->ensure(small({{"work_mems", std::int64_t(1)}})), "did you mean work_mem");
    VERIFY_SAYS(server->ensure(small({{"timezone_abbreviations", std::string("x\ny")}})), "line break");
    const auto refused = server->ensure(small({{"synchronous_commit", std::string("sometimes")}}));
    VERIFY_SAYS(refused, "sometimes");
    VERIFY_SAYS(refused, "its log ends with");
    QVERIFY(!server->running());
    VERIFY_OK(server->ensure(small({{"default_text_search_config", std::string("pg_catalog.simple")}})));
    const auto quoted = confText(server->binaries(), {{"work_mem", std::string("it's")}}, {"work_mem"});
    VERIFY_OK(quoted);
    QVERIFY2(quoted->find("work_mem = 'it''s'\n") != std::string::npos, quoted->c_str());
}

void TestManagedPostgresql::reservedConnectionsAreCounted()
{
    const auto look = [](Settings server) {
        PreflightNeeds needs;
        needs.users = 40;
        needs.server = std::move(server);
        std::vector<PreflightItem> items;
        PreflightList list(items);
        recipeFor("postgresql")->preflight(nullptr, needs, {}, list);
        return items.empty() ? PreflightItem() : items.front();
    };
    const auto knobs = [](int most, int superuser, int others) {
        return Settings{{"max_connections", std::int64_t(most)},
                        {"superuser_reserved_connections", std::int64_t(superuser)},
                        {"reserved_connections", std::int64_t(others)}};
    };
    QVERIFY(look({{"max_connections", std::int64_t(43)}}).level == PreflightLevel::Ok);
    QVERIFY(look({{"max_connections", std::int64_t(42)}}).level == PreflightLevel::Blocker);
    QVERIFY(look(knobs(40, 0, 0)).level == PreflightLevel::Ok);
    QVERIFY(look(knobs(45, 4, 1)).level == PreflightLevel::Ok);
    const PreflightItem full = look(knobs(44, 4, 1));
    QVERIFY(full.level == PreflightLevel::Blocker);
    QVERIFY2(full.what.find("5 kept for administrators") != std::string::npos, full.what.c_str());
}

void TestManagedPostgresql::dataIsMadeWithSomeKnobs()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(small()));
    const int number = server->dataFolderNumber();
    QCOMPARE(variableOf(*server, "wal_segment_size"), std::to_string(16 << 20));
    const bool sums = variableOf(*server, "data_checksums") == "on";
    VERIFY_OK(server->ensure(small({{"data_checksums", !sums}, {"wal_segment_size", std::int64_t(4) << 20}})));
    QCOMPARE(server->dataFolderNumber(), number + 1);
    QCOMPARE(variableOf(*server, "data_checksums"), std::string(sums ? "off" : "on"));
    QCOMPARE(variableOf(*server, "wal_segment_size"), std::to_string(4 << 20));
}

void TestManagedPostgresql::tlsOverTcp()
{
    const auto server = create({{"transport", "tcp"}});
    QVERIFY(server);
    // Whatever logs statements: what sets the password is among them.
    VERIFY_OK(server->ensure(small({{"log_statement", std::string("all")}})));
    const bool samples = server->binaries().atLeast({13, 0, 0});
    Settings talkative = small({{samples ? "log_min_duration_sample" : "log_min_duration_statement", std::int64_t(0)}});
    if (server->binaries().atLeast({12, 0, 0}))
        talkative["log_transaction_sample_rate"] = std::int64_t(1);
    VERIFY_OK(server->stop());
    VERIFY_OK(server->ensure(talkative));
    for (const char* mode : {"off", "required", "verify"}) {
        Settings connection = server->connectionDefaults();
        connection["tls"] = std::string(mode);
        auto admin = adminOf(*server, connection);
        VERIFY_OK(admin);
        QCOMPARE(firstValue(**admin, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"),
                 std::string(std::string_view(mode) == "off" ? "f" : "t"));
    }
    const TargetUri before = server->connectUri();
    QCOMPARE(before.host, std::string("127.0.0.1"));
    QVERIFY(before.password.size() > 60);
    const std::string log = textIn(server->folder() / "error.log");
    const std::string telling = "ALTER ROLE dyno PASSWORD 'SCRAM-SHA-256$";
    QVERIFY2(log.find("LOG:  statement: " + telling) != std::string::npos, log.c_str());
    QVERIFY2(QRegularExpression("LOG:  duration: .*" + QRegularExpression::escape(QString::fromStdString(telling)))
                 .match(QString::fromStdString(log))
                 .hasMatch(),
             log.c_str());
    QVERIFY(log.find(before.password) == std::string::npos);
    QVERIFY(server->optionFile().find(before.password) == std::string::npos);
    // Nobody else comes in by the port.
    for (const char* user : {"postgres", "dyno", "nobody"}) {
        for (const char* password : {"", "guessed"}) {
            ConnectTarget stranger;
            stranger.uri = before;
            stranger.uri.user = user;
            stranger.uri.password = password;
            QVERIFY2(!driverFor("postgresql")->admin(stranger), user);
        }
    }
    VERIFY_OK(server->stop());
    VERIFY_OK(server->ensure(small()));
    QCOMPARE(server->connectUri().password, before.password);
    VERIFY_OK(adminOf(*server));
}

void TestManagedPostgresql::copyOfTheDataComesBack()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(small()));
    VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE t AS SELECT i FROM generate_series(1, 500) i"));
    VERIFY_OK(server->keepCopy());
    QVERIFY(!server->running());
    VERIFY_OK(server->ensure(small()));
    VERIFY_OK((*adminOf(*server))->execute("DELETE FROM t"));
    VERIFY_OK(server->putBack());
    VERIFY_OK(server->ensure(small()));
    QCOMPARE(firstValue(**adminOf(*server), "SELECT count(*) FROM t"), std::string("500"));
}

void TestManagedPostgresql::crashIsToldAndRecovered()
{
    const auto server = create();
    QVERIFY(server);
    VERIFY_OK(server->ensure(small()));
    VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE t AS SELECT i FROM generate_series(1, 500) i"));
    // One of its processes ends later, and holds its memory until then.
    const std::string pid =
        firstValue(**adminOf(*server), "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
    Frozen later(QString::fromStdString(pid).toInt());
    QVERIFY2(later.holds(), pid.c_str());
    QCOMPARE(::kill(server->process(), SIGKILL), 0);
    const std::string how = server->endedBy(std::chrono::milliseconds(kPatienceMs));
    std::atomic_bool wasRefused = false;
    std::thread other([&wasRefused, &later, log = server->folder() / "error.log"] {
        const QDeadlineTimer until(kPatienceMs);
        while (!wasRefused && !until.hasExpired()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            wasRefused = textIn(log).find("pre-existing shared memory block") != std::string::npos;
        }
        later.thaw();
    });
    const auto again = server->ensure(small());
    other.join();
    QVERIFY2(how.find("killed by signal 9") != std::string::npos, how.c_str());
    VERIFY_OK(again);
    QVERIFY(wasRefused);
    QCOMPARE(firstValue(**adminOf(*server), "SELECT count(*) FROM t"), std::string("500"));
}

void TestManagedPostgresql::namedServerStays()
{
    std::string stamp;
    {
        const auto server = create({{"name", "kept"}});
        QVERIFY(server);
        QVERIFY(!server->wasThere());
        VERIFY_OK(server->ensure(small()));
        VERIFY_OK((*adminOf(*server))->execute("CREATE TABLE t (id INT)"));
    }
    ManagedInstances instances(m_work);
    auto listed = instances.list();
    QCOMPARE(listed.size(), std::size_t(1));
    QCOMPARE(listed.front().product, std::string("postgresql"));
    QCOMPARE(listed.front().uri, std::string("managed:postgresql?name=kept"));
    QVERIFY(listed.front().state == InstanceState::Stopped);
    {
        const auto started = instances.start(managedUri("postgresql", {{"name", "kept"}}), small());
        VERIFY_OK(started);
        QVERIFY(started->state == InstanceState::Running);
        QVERIFY2(QString::fromStdString(started->socket).endsWith(".s.PGSQL.5432"), started->socket.c_str());
        QVERIFY(fs::exists(started->socket));
    }
    VERIFY_OK(instances.stop("kept"));
    {
        const auto again = create({{"name", "kept"}});
        QVERIFY(again);
        QVERIFY(again->wasThere());
        VERIFY_OK(again->ensure(small()));
        QCOMPARE(firstValue(**adminOf(*again), "SELECT count(*) FROM t"), std::string("0"));
        // Its data was made without, and nobody makes it a second time.
        const bool sums = variableOf(*again, "data_checksums") == "on";
        VERIFY_SAYS(again->ensure(small({{"data_checksums", !sums}})), "data_checksums");
    }
    VERIFY_OK(instances.remove("kept"));
    QVERIFY(instances.list().empty());
    QVERIFY(!fs::exists(m_work / "instances" / "kept"));
}

//! An ordinary user needs no other account.
void TestManagedPostgresql::runsWithoutRoot()
{
    const auto nobody = userInsteadOfRoot("nobody");
    if (::geteuid() != 0)
        QSKIP("all of these tests run without root");
    QVERIFY(nobody);
    QTemporaryDir dir;
    const fs::path folder = dir.path().toStdString();
    VERIFY_OK(giveFolder(folder, nobody));
    const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL");
    const QString uri = QString::fromStdString("managed:postgresql" + (basedir.empty() ? "" : "?basedir=" + basedir));
    QProcess owner;
    owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    owner.setWorkingDirectory("/");
    owner.start("/usr/bin/setpriv", {"--reuid=nobody", "--regid=" + QString::number(nobody->group), "--clear-groups",
                                     DYNO_SERVER_CHILD, dir.path(), uri});
    if (!owner.waitForReadyRead(120000) && owner.exitCode() == 126) // a folder above it is closed
        QSKIP("nobody can reach the build folder but root");
    const fs::path server = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
    QVERIFY(fs::exists(server / "server.pid"));
    const pid_t pid = serverPid(server);
    QCOMPARE(ownerOf(fs::path("/proc") / std::to_string(pid)), nobody->id);
    QCOMPARE(ownerOf(server / "data"), nobody->id);
    QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
    int status = 0;
    QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, kPatienceMs));
    owner.waitForFinished(kPatienceMs);
}

void TestManagedPostgresql::killedOwnerLeavesNothingRunning_data()
{
    QTest::addColumn<bool>("stopped");
    QTest::newRow("running") << false;
    QTest::newRow("stopped") << true;
}

void TestManagedPostgresql::killedOwnerLeavesNothingRunning()
{
    QFETCH(const bool, stopped);
    const fs::path work = m_work / "owned"; // where no other test clears away
    fs::create_directories(work);
    const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL");
    QProcess owner;
    owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    owner.start(DYNO_SERVER_CHILD,
                {QString::fromStdString(work.string()),
                 QString::fromStdString("managed:postgresql" + (basedir.empty() ? "" : "?basedir=" + basedir))});
    QVERIFY(owner.waitForReadyRead(120000));
    const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
    const pid_t pid = serverPid(folder);
    QVERIFY(processExists(pid));
    const Frozen frozen(stopped ? pid : 0);
    QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
    QTRY_COMPARE(owner.state(), QProcess::NotRunning);
    // The server is ours now: this returns when it is dead.
    int status = 0;
    const auto ended = [&] { return ::waitpid(pid, &status, WNOHANG) == pid; };
    if (stopped)
        QVERIFY(!ended());
    else
        QVERIFY(QTest::qWaitFor(ended, kPatienceMs));
    // What it left lying about goes at the next start, whatever product that is of.
    QVERIFY(fs::exists(folder));
    VERIFY_OK(ManagedServer::create(managedUri("postgresql", query()), work));
    QVERIFY(!fs::exists(folder));
    if (stopped)
        QVERIFY(ended());
    // It ended by itself, and took its memory with it.
    QVERIFY(WIFEXITED(status));
    QVERIFY(!leftMemory(pid));
}

} // namespace dyno::tst_managed_postgresql

DYNO_SUITE(tst_managed_postgresql, dyno::tst_managed_postgresql::TestManagedPostgresql)
#include "tst_managed_postgresql.moc"
