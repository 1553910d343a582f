// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a real server that somebody else runs: refusals before anything is changed, restarts with the owner's
// commands, rights that are missing.
#include "server/knobs/variable_states.h"
#include "server/lifecycle/child_process.h"
#include "server/remote/remote_knobs.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_remote_knobs {

namespace {

//! A server that is started again whenever it ends, as an init system does; it goes with this process.
class SupervisedServer
{
public:
    Expected<void> start(const QString& folder)
    {
        m_folder = folder;
        const QString program = QStandardPaths::findExecutable("mariadbd", {"/usr/sbin", "/usr/bin"});
        const QString installer = QStandardPaths::findExecutable("mariadb-install-db", {"/usr/bin", "/usr/sbin"});
        const QString user = ::geteuid() == 0 ? "user=root\n" : "";
        write("base.cnf", "[mariadbd]\n" + user + "datadir=" + path("data") + "\nsocket=" + path("s") +
                              "\npid-file=" + path("pid") +
                              "\nskip-networking\nskip-ssl\ninnodb_log_file_size=10M\ninnodb_buffer_pool_size=32M\n");
        write("extra.cnf", "");
        write("supervise.sh", "cd \"$1\" || exit 1\nwhile [ -e run ]; do\n  cat base.cnf extra.cnf > run.cnf\n"
                              "  setpriv --pdeathsig KILL \"$2\" --defaults-file=\"$1/run.cnf\" || sleep 0.2\ndone\n");
        write("run", "");
        std::vector<std::string> install = {installer.toStdString(),
                                            "--no-defaults",
                                            "--datadir=" + path("data").toStdString(),
                                            "--auth-root-authentication-method=normal",
                                            "--skip-test-db",
                                            "--innodb-log-file-size=10M"};
        if (::geteuid() == 0)
            install.emplace_back("--user=root");
        if (auto made = runCommand(install, std::chrono::seconds(120)); !made)
            return fail(made.error());
        return m_process.start(
            {"/bin/sh", path("supervise.sh").toStdString(), folder.toStdString(), program.toStdString()},
            path("log").toStdString());
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder + "/" + name; }
    [[nodiscard]] RemoteDoor door() const
    {
        RemoteDoor door;
        door.driver = "mysql";
        door.shown = "mysql://root@/?socket=" + path("s").toStdString();
        door.secret = "hunter2";
        door.connect = [uri = *parseUri(door.shown)] {
            ConnectTarget target;
            target.uri = uri;
            for (const OptionSpec& option : driverFor("mysql")->info().connection)
                target.connection.emplace(option.name, option.defaultValue);
            return driverFor("mysql")->admin(target);
        };
        return door;
    }
    [[nodiscard]] RemoteDoor doorWithCommands() const
    {
        RemoteDoor door = this->door();
        door.known.apply = "{ echo '[mariadbd]'; cat; } > " + path("extra.cnf").toStdString();
        // The server removes its pid file at its end; the next one is the supervisor's to start.
        door.known.restart = "p=$(cat " + path("pid").toStdString() +
                             ") && [ \"${p:-0}\" -gt 1 ] && kill $p && while [ -d /proc/$p ]; do sleep 0.05; done";
        return door;
    }
    [[nodiscard]] std::unique_ptr<Admin> connect() const
    {
        for (int i = 0; i < 1200; ++i) { // a server that starts is waited for, at most two minutes
            if (auto admin = door().connect())
                return std::move(*admin);
            QTest::qWait(100);
        }
        return {};
    }
    void stop()
    {
        if (m_folder.isEmpty())
            return;
        QFile::remove(path("run"));
        // A server that is just starting has an empty file: kill(0) would be this whole process group.
        if (const pid_t pid = read("pid").trimmed().toInt(); pid > 1)
            ::kill(pid, SIGKILL);
        m_process.waitForEnd(std::chrono::seconds(30));
        m_process.kill();
    }
    void write(const QString& name, const QString& text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
            qFatal("cannot write a file");
    }
    [[nodiscard]] QString read(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private:
    QString m_folder;
    ChildProcess m_process;
};

} // namespace

class TestRemoteKnobs : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanupTestCase() { m_server.stop(); }
    void dynamicOnesByTheirNamesHere();
    void whatTheServerLacksChangesNothing();
    void whatWasDecidedAtTheStartIsTold();
    void restartWithoutCommandsIsRefused();
    void restartWithCommands();
    void anothersValueIsLeftAlone();
    void commandsThatFail();
    void commandsWithoutEffect();
    void aServerThatWillNotStartGetsItsOldValues();
    void aServerThatIsDownIsRevived();
    void ourValueGoesFromTheOwnersFileToo();
    void commandsOutliveUs();
    void missingRightIsNamed();
    void halfAPointGoesBack();
    void variableStatesTellDefaults();

private:
    std::string value(const char* name) { return m_admin->variable(name).value_or("(unknown)"); }
    KnobGuard::Announce note()
    {
        return [this](const KnobChange& change) -> Expected<void> {
            m_announced.push_back(change);
            return {};
        };
    }
    QTemporaryDir m_dir{QDir::tempPath() + "/dyno-rk-XXXXXX"}; // short: a socket lies in it
    SupervisedServer m_server;
    std::unique_ptr<Admin> m_admin;
    std::vector<KnobChange> m_announced;
};

void TestRemoteKnobs::initTestCase()
{
    if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    if (QStandardPaths::findExecutable("setpriv").isEmpty())
        QSKIP("no setpriv is installed (package util-linux)");
    const auto started = m_server.start(m_dir.path());
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TestRemoteKnobs::init()
{
    m_announced.clear();
    m_admin = m_server.connect();
    QVERIFY2(m_admin, qPrintable(m_server.read("log").right(2000)));
    for (const char* set : {"sync_binlog=0", "innodb_io_capacity=200"})
        QVERIFY(m_admin->execute(std::string("SET GLOBAL ") + set));
}

void TestRemoteKnobs::dynamicOnesByTheirNamesHere()
{
    RemoteKnobs knobs(m_server.door(), note());
    const auto facts = m_admin->facts();
    QVERIFY(facts);
    const KnobInfo* info = findKnob("mysql", "server", "transaction_isolation");
    const std::string name = editionFor(*info, facts->product, facts->version)->name;
    const auto set = knobs.apply(
        m_admin, {{"transaction_isolation", std::string("READ-COMMITTED")}, {"sync_binlog", std::int64_t(1)}});
    QVERIFY2(set, set ? "" : set.error().text().c_str());
    QCOMPARE(textOf(*set, "transaction_isolation"), std::string("READ-COMMITTED")); // as the plan calls it
    QCOMPARE(value(name.c_str()), std::string("READ-COMMITTED"));
    QVERIFY(std::any_of(m_announced.begin(), m_announced.end(), [&](const KnobChange& c) { return c.name == name; }));
    QVERIFY(knobs.changed());
    QVERIFY(knobs.restore(m_admin));
    QVERIFY(!knobs.changed());
    QCOMPARE(value(name.c_str()), std::string("REPEATABLE-READ"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
}

void TestRemoteKnobs::whatTheServerLacksChangesNothing()
{
    RemoteKnobs knobs(m_server.door(), note());
    const auto missing = knobs.apply(
        m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"innodb_redo_log_capacity", std::int64_t(1) << 27}});
    QVERIFY(!missing);
    QVERIFY2(missing.error().text().find("innodb_log_file_size") != std::string::npos, missing.error().text().c_str());
    const auto unknown = knobs.apply(m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"zzz_unknown", true}});
    QVERIFY(!unknown);
    const auto fixed =
        knobs.apply(m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"encryption", std::string("all")}});
    QVERIFY(!fixed);
    QVERIFY2(fixed.error().text().find("data folder") != std::string::npos, fixed.error().text().c_str());
    // What would be more than one line of the owner's option file.
    for (const std::string& value :
         {std::string("10\nskip-grant-tables"), std::string("10\rx"), std::string(5000, '1')}) {
        const auto unfit =
            knobs.apply(m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"innodb_log_buffer_size", value}});
        QVERIFY(!unfit);
        QVERIFY2(unfit.error().text().find("server.innodb_log_buffer_size") != std::string::npos,
                 unfit.error().text().c_str());
    }
    QVERIFY(m_announced.empty());
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
}

void TestRemoteKnobs::whatWasDecidedAtTheStartIsTold()
{
    if (value("innodb_log_file_buffering") != "OFF")
        QSKIP("this MariaDB decides nothing from it at its start");
    RemoteKnobs knobs(m_server.door(), note());
    const Settings relaxed = {{"innodb_flush_log_at_trx_commit", std::int64_t(2)}};
    for (int point = 0; point < 2; ++point) { // the second finds it as it wants it
        QVERIFY(knobs.apply(m_admin, relaxed));
        QCOMPARE(knobs.stayed().size(), std::size_t(1));
        QVERIFY(knobs.stayed().front().find("innodb_log_file_buffering is OFF") != std::string::npos);
    }
    QVERIFY(knobs.apply(m_admin, {{"innodb_flush_log_at_trx_commit", std::int64_t(1)}})); // as it started
    QVERIFY(knobs.stayed().empty());
    QVERIFY(knobs.restore(m_admin));
    QCOMPARE(value("innodb_flush_log_at_trx_commit"), std::string("1"));
}

void TestRemoteKnobs::restartWithoutCommandsIsRefused()
{
    RemoteKnobs knobs(m_server.door(), note());
    // One that the catalogue knows and one that only the server does.
    const auto refused = knobs.apply(m_admin, {{"innodb_io_capacity", std::int64_t(300)},
                                               {"innodb_log_buffer_size", std::int64_t(8) << 20},
                                               {"lower_case_table_names", std::int64_t(1)}});
    QVERIFY(!refused);
    const std::string text = refused.error().text();
    for (const char* part :
         {"innodb_log_buffer_size", "lower_case_table_names", "restart", "nothing was changed", "--apply"})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    QVERIFY(m_announced.empty());
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    // What has the wanted value already needs no restart.
    QVERIFY(knobs.apply(m_admin, {{"innodb_log_buffer_size", std::string("16M")}}));
}

void TestRemoteKnobs::restartWithCommands()
{
    const std::string pidBefore = m_server.read("pid").toStdString();
    RemoteKnobs knobs(m_server.doorWithCommands(), note());
    const auto set = knobs.apply(m_admin, {{"innodb_log_buffer_size", std::int64_t(8) << 20},
                                           {"performance_schema", true},
                                           {"innodb_io_capacity", std::int64_t(300)}});
    QVERIFY2(set, set ? "" : set.error().text().c_str());
    QVERIFY(m_admin); // a new connection
    QCOMPARE(textOf(*set, "innodb_log_buffer_size"), std::string("8388608"));
    QCOMPARE(textOf(*set, "performance_schema"), std::string("ON"));
    QCOMPARE(value("innodb_io_capacity"), std::string("300"));
    QVERIFY(m_server.read("pid").toStdString() != pidBefore);
    QCOMPARE(m_announced.size(), std::size_t(3));
    // The next point wants one of them no more: its old value comes back with a restart, dynamic ones stay as wanted.
    const auto next = knobs.apply(m_admin, {{"performance_schema", true}, {"innodb_io_capacity", std::int64_t(400)}});
    QVERIFY2(next, next ? "" : next.error().text().c_str());
    QCOMPARE(value("innodb_log_buffer_size"), std::string("16777216"));
    QCOMPARE(value("performance_schema"), std::string("ON"));
    QCOMPARE(value("innodb_io_capacity"), std::string("400"));
    // The same point again needs no restart.
    const std::string pid = m_server.read("pid").toStdString();
    QVERIFY(knobs.apply(m_admin, {{"performance_schema", true}, {"innodb_io_capacity", std::int64_t(400)}}));
    QCOMPARE(m_server.read("pid").toStdString(), pid);
    const auto restored = knobs.restore(m_admin);
    QVERIFY2(restored, restored ? "" : restored.error().text().c_str());
    QVERIFY(knobs.notRestored().empty());
    QCOMPARE(value("performance_schema"), std::string("OFF"));
    QCOMPARE(value("innodb_log_buffer_size"), std::string("16777216"));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
}

void TestRemoteKnobs::anothersValueIsLeftAlone()
{
    // As after a crash: 4 MiB was there once, we set 8 MiB, and now it is what the server has by itself.
    const std::vector<KnobChange> left{{"innodb_log_buffer_size", "4194304", "8388608"},
                                       {"innodb_io_capacity", "150", "200"}};
    const auto results = putBackAll(m_server.doorWithCommands(), m_admin, left);
    QCOMPARE(results.size(), std::size_t(2));
    for (const RestoredKnob& knob : results) {
        if (knob.name == "innodb_log_buffer_size") {
            QCOMPARE(knob.outcome, RestoreOutcome::OthersValue);
            QCOMPARE(knob.foundValue, std::string("16777216"));
        } else {
            QCOMPARE(knob.outcome, RestoreOutcome::Restored);
            QCOMPARE(value("innodb_io_capacity"), std::string("150"));
        }
    }
    const auto forced = putBackAll(m_server.doorWithCommands(), m_admin, {left.front()}, {.overwrite = true});
    QCOMPARE(forced.at(0).outcome, RestoreOutcome::Restored);
    QCOMPARE(value("innodb_log_buffer_size"), std::string("4194304"));
    const auto without = putBackAll(m_server.door(), m_admin, {{"innodb_log_buffer_size", "16777216", "4194304"}});
    QCOMPARE(without.at(0).outcome, RestoreOutcome::Failed); // no commands
    QVERIFY(without.at(0).text.find("restart") != std::string::npos);
    const auto back =
        putBackAll(m_server.doorWithCommands(), m_admin, {{"innodb_log_buffer_size", "16777216", "4194304"}});
    QCOMPARE(back.at(0).outcome, RestoreOutcome::Restored);
}

void TestRemoteKnobs::commandsThatFail()
{
    RemoteDoor door = m_server.doorWithCommands();
    door.known.apply = "echo no space for hunter2 on it; exit 7";
    RemoteKnobs knobs(door, note());
    const auto failed = knobs.apply(m_admin, {{"performance_schema", true}, {"innodb_io_capacity", std::int64_t(300)}});
    QVERIFY(!failed);
    const std::string text = failed.error().text();
    QVERIFY2(text.find("no space for") != std::string::npos && text.find("7") != std::string::npos, text.c_str());
    QVERIFY2(text.find("hunter2") == std::string::npos, text.c_str());
    QVERIFY(m_admin);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QVERIFY(knobs.restore(m_admin)); // nothing was changed: it is back already
}

void TestRemoteKnobs::commandsWithoutEffect()
{
    RemoteDoor door = m_server.doorWithCommands();
    door.known.apply = "cat > /dev/null";
    RemoteKnobs knobs(door, note());
    const auto failed = knobs.apply(m_admin, {{"performance_schema", true}});
    QVERIFY(!failed);
    const std::string text = failed.error().text();
    QVERIFY2(text.find("performance_schema=ON") != std::string::npos && text.find("OFF") != std::string::npos,
             text.c_str());
    QVERIFY(m_admin);
    QVERIFY(knobs.restore(m_admin));
}

//! A value with which MariaDB ends at its start.
void TestRemoteKnobs::aServerThatWillNotStartGetsItsOldValues()
{
    const Settings fatal{{"innodb_log_group_home_dir", std::string("/nowhere/at/all")}};
    const std::string before = value("innodb_log_group_home_dir");
    RemoteDoor door = m_server.doorWithCommands();
    // Somebody wants to stop: a server that does not come up is waited for a little only.
    door.stopped = [] { return true; };
    RemoteKnobs knobs(door, note());
    const auto failed = knobs.apply(m_admin, fatal);
    QVERIFY(!failed);
    QVERIFY2(failed.error().text().find("old values again") != std::string::npos, failed.error().text().c_str());
    QVERIFY(m_admin);
    QCOMPARE(value("innodb_log_group_home_dir"), before);
    QVERIFY(!knobs.changed());
    QVERIFY(knobs.notRestored().empty());
    QVERIFY(!m_server.read("extra.cnf").contains("nowhere"));
}

//! As after kill -9: the server does not start with what we wrote for it.
void TestRemoteKnobs::aServerThatIsDownIsRevived()
{
    const std::string before = value("innodb_log_group_home_dir");
    RemoteDoor door = m_server.doorWithCommands();
    const KnobChange change{"innodb_log_group_home_dir", before, "/nowhere/at/all"};
    m_admin.reset();
    m_server.write("extra.cnf", "[mariadbd]\ninnodb_log_group_home_dir=/nowhere/at/all\n");
    QVERIFY(runCommand({"/bin/sh", "-c", door.known.restart}, std::chrono::seconds(120)));
    QVERIFY(!door.connect());
    RemoteDoor without = m_server.door();
    QVERIFY(!connectOrRevive(without, {change})); // no commands
    QVERIFY(!connectOrRevive(door, {}));          // nothing that would explain it
    auto revived = connectOrRevive(door, {change});
    QVERIFY2(revived, revived ? "" : revived.error().text().c_str());
    m_admin = std::move(*revived);
    QCOMPARE(value("innodb_log_group_home_dir"), before);
}

//! As after kill -9 between the apply command and the restart: the server runs with the old value, its owner's file
//! holds ours.
void TestRemoteKnobs::ourValueGoesFromTheOwnersFileToo()
{
    const std::string pid = m_server.read("pid").toStdString();
    const QString ours = "[mariadbd]\ninnodb_log_buffer_size=8388608\n";
    m_server.write("extra.cnf", ours);
    const std::vector<KnobChange> left{{"innodb_log_buffer_size", "16777216", "8388608"}};
    RemoteDoor door = m_server.doorWithCommands();
    door.mayRestart = false; // nobody asked
    const auto unasked = putBackAll(door, m_admin, left, {.afterCrash = true});
    QCOMPARE(unasked.at(0).outcome, RestoreOutcome::Failed);
    QVERIFY2(unasked.at(0).text.find("file") != std::string::npos, unasked.at(0).text.c_str());
    QCOMPARE(m_server.read("extra.cnf"), ours);
    door.mayRestart = true;
    QCOMPARE(putBackAll(door, m_admin, left, {.afterCrash = true}).at(0).outcome, RestoreOutcome::WasBack);
    QVERIFY2(m_server.read("extra.cnf").contains("innodb_log_buffer_size=16777216"),
             qPrintable(m_server.read("extra.cnf")));
    QCOMPARE(m_server.read("pid").toStdString(), pid); // nothing had to be restarted
}

//! Neither kill -9 nor Ctrl-C in the terminal may cut the owner's restart off.
void TestRemoteKnobs::commandsOutliveUs()
{
    const QString folder = m_dir.path();
    const std::string command = "cut -d' ' -f6 /proc/$$/stat > " + folder.toStdString() + "/session; touch " +
                                folder.toStdString() + "/begun; while [ ! -e " + folder.toStdString() +
                                "/go ]; do sleep 0.05; done; touch " + folder.toStdString() + "/done";
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
        (void)runCommand({"/bin/sh", "-c", command}, std::chrono::seconds(300), {}, Bond::OutlivesUs);
        ::_exit(0);
    }
    const bool begun = QTest::qWaitFor([&] { return QFile::exists(folder + "/begun"); }, 60'000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    m_server.write("go", "");
    QVERIFY(begun);
    QVERIFY(m_server.read("session").trimmed().toInt() != ::getsid(0));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder + "/done"), 60'000);
}

void TestRemoteKnobs::missingRightIsNamed()
{
    QVERIFY(m_admin->execute("CREATE OR REPLACE USER weak@localhost"));
    ConnectTarget target;
    target.uri = *parseUri("mysql://weak@/?socket=" + m_server.path("s").toStdString());
    for (const OptionSpec& option : driverFor("mysql")->info().connection)
        target.connection.emplace(option.name, option.defaultValue);
    auto weak = driverFor("mysql")->admin(target);
    QVERIFY2(weak, weak ? "" : weak.error().text().c_str());
    RemoteKnobs knobs(m_server.door(), note());
    const auto refused =
        knobs.apply(*weak, {{"innodb_io_capacity", std::int64_t(300)}, {"sync_binlog", std::int64_t(1)}});
    QVERIFY(!refused);
    const std::string text = refused.error().text();
    QVERIFY2(text.find("SUPER") != std::string::npos && text.find("grant") != std::string::npos, text.c_str());
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    // Rights for one of the two are worth nothing: the server is as it was.
    m_announced.clear();
    if (m_admin->execute("GRANT BINLOG ADMIN ON *.* TO weak@localhost")) {
        weak = driverFor("mysql")->admin(target);
        QVERIFY(weak);
        QVERIFY(!knobs.apply(*weak, {{"sync_binlog", std::int64_t(1)}, {"table_open_cache", std::int64_t(500)}}));
        QCOMPARE(value("sync_binlog"), std::string("0"));
    }
}

void TestRemoteKnobs::halfAPointGoesBack()
{
    RemoteKnobs knobs(m_server.door(), note());
    // The server's least is 100: the point fails with both values, and what came before it goes back.
    const auto failed =
        knobs.apply(m_admin, {{"innodb_adaptive_flushing", false}, {"innodb_io_capacity", std::int64_t(1)}});
    QVERIFY(!failed);
    const std::string text = failed.error().text();
    QVERIFY2(text.find("innodb_io_capacity=1 ") != std::string::npos && text.find("=100") != std::string::npos,
             text.c_str());
    QCOMPARE(value("innodb_adaptive_flushing"), std::string("ON"));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    // A value that is refused carries the server's own words.
    const auto refused = knobs.apply(m_admin, {{"binlog_format", std::string("nonsense")}});
    QVERIFY(!refused);
    QVERIFY2(refused.error().text().find("1231") != std::string::npos, refused.error().text().c_str());
}

void TestRemoteKnobs::variableStatesTellDefaults()
{
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=7"));
    const auto states = variableStates(*m_admin, "mysql");
    QVERIFY(states);
    const auto find = [&](const char* name) {
        return std::find_if(states->begin(), states->end(), [&](const VariableState& s) { return s.name == name; });
    };
    QVERIFY(find("sync_binlog") != states->end());
    QCOMPARE(find("sync_binlog")->value, std::string("7"));
    QCOMPARE(find("sync_binlog")->defaultValue, std::string("0"));
    QVERIFY(find("sync_binlog")->knob && find("sync_binlog")->dynamic);
    QVERIFY(find("log_bin")->knob && !find("log_bin")->dynamic);
    QVERIFY(!find("datadir")->knob && !find("datadir")->dynamic);
}

} // namespace dyno::tst_remote_knobs

DYNO_SUITE(tst_remote_knobs, dyno::tst_remote_knobs::TestRemoteKnobs)
#include "tst_remote_knobs.moc"
