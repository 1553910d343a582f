// SPDX-License-Identifier: GPL-3.0-or-later
// Oracle's MySQL as managed servers, several versions beside each other. Each row runs where its environment variable
// names the folder of such a server.
#include "managed_test.h"
#include "support/dyno_process.h"
#include "support/suite.h"

#include <QProcess>
#include <QTemporaryDir>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace dyno::tst_managed_mysql {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestManagedMysql : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void startsWithItsKnobs_data();
    void startsWithItsKnobs();
    void valuesOutsideTheRows();
    void restartsOnlyWhenItHasTo();
    void twoVersionsSideBySide();
    void anotherPageSizeMeansAnotherDataFolder();
    void refusedKnobSaysTheServersWords();
    void encryptionNeedsAKeyring();
    void encryptedFrom9();
    void tlsOverTcp_data();
    void tlsOverTcp();
    void killedOwnerLeavesNothingRunning_data();
    void killedOwnerLeavesNothingRunning();

private:
    std::unique_ptr<ManagedServer> create(const char* variable,
                                          std::map<std::string, std::string, std::less<>> query = {})
    {
        query["basedir"] = basedirIn(variable);
        auto server = ManagedServer::create(managedUri("mysql", std::move(query)), m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }
    QTemporaryDir m_dir;
    fs::path m_work;
};

#define NEEDS(variable)                                                                                                \
    if (basedirIn(variable).empty())                                                                                   \
    QSKIP(variable " names no folder of a MySQL server")

void TestManagedMysql::initTestCase()
{
    if (!driverFor("mysql"))
        QSKIP("this build has no MySQL driver");
    QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // orphans become our children
    QVERIFY(m_dir.isValid());
    // Templates stay in the build folder: initialising a MySQL takes seconds.
    m_work = DYNO_TEST_WORK_DIR;
}

void TestManagedMysql::startsWithItsKnobs_data()
{
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("version");
    QTest::newRow("5.6") << "DYNO_TEST_MYSQL56"
                         << "5.6.";
    QTest::newRow("5.7") << "DYNO_TEST_MYSQL57"
                         << "5.7.";
    QTest::newRow("8.0") << "DYNO_TEST_MYSQL80"
                         << "8.0.";
    QTest::newRow("9") << "DYNO_TEST_MYSQL9"
                       << "9.";
}

void TestManagedMysql::startsWithItsKnobs()
{
    QFETCH(QString, variable);
    QFETCH(QString, version);
    const QByteArray name = variable.toUtf8();
    if (basedirIn(name.constData()).empty())
        QSKIP((name + " names no folder of a MySQL server").constData());
    const auto server = create(name.constData());
    QVERIFY(server);
    QVERIFY(QString::fromStdString(server->binaries().version).startsWith(version));
    QCOMPARE(server->binaries().name, std::string("MySQL"));
    for (const bool log : {false, true}) {
        VERIFY_OK(server->ensure(smallKnobs({{"log_bin", log},
                                             {"sync_binlog", std::int64_t(0)},
                                             {"transaction_isolation", std::string("SERIALIZABLE")},
                                             {"innodb_flush_log_at_trx_commit", std::int64_t(2)}})));
        QCOMPARE(variableOf(*server, "log_bin"), std::string(log ? "ON" : "OFF"));
        QCOMPARE(variableOf(*server, "innodb_flush_log_at_trx_commit"), std::string("2"));
        QCOMPARE(variableOf(*server, "transaction_isolation"), std::string("SERIALIZABLE"));
    }
    QVERIFY(QString::fromStdString(variableOf(*server, "version")).startsWith(version));
    QCOMPARE(variableOf(*server, "datadir"), (server->folder() / "data/").string());
    QCOMPARE(variableOf(*server, "skip_networking"), std::string("ON"));
    QVERIFY(server->optionFile().find("[mysqld]\n") != std::string::npos);
    auto admin = adminOf(*server);
    VERIFY_OK(admin);
    VERIFY_OK((*admin)->execute("CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(100)) ENGINE=InnoDB"));
    VERIFY_OK((*admin)->execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')"));
    QCOMPARE(*(*admin)->rowCount("t"), std::int64_t(2));
    // What its files are: a table, the log that was asked for, no folder of the system.
    std::map<std::string, std::uint64_t> kinds;
    for (const DataPart& part : server->dataParts()) {
        kinds[part.kind] += part.bytes;
        QVERIFY2(part.kind != "table" || part.name == "t", part.name.c_str());
    }
    for (const char* kind : {"table", "redo log", "binlog", "system"})
        QVERIFY2(kinds[kind] > 0, kind);
}

//! 8.0 has other kinds of pages for them, and a page with an index of those of a large value.
void TestManagedMysql::valuesOutsideTheRows()
{
    if (basedirIn("DYNO_TEST_MYSQL80").empty())
        QSKIP("DYNO_TEST_MYSQL80 names no folder of MySQL 8.0");
    const auto server = create("DYNO_TEST_MYSQL80");
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    checkOffPage(*server, 14);
}

void TestManagedMysql::restartsOnlyWhenItHasTo()
{
    NEEDS("DYNO_TEST_MYSQL80");
    const auto server = create("DYNO_TEST_MYSQL80");
    QVERIFY(server);
    Settings knobs = smallKnobs({{"sync_binlog", std::int64_t(0)}, {"innodb_doublewrite", true}});
    VERIFY_OK(server->ensure(knobs));
    const int first = server->process();
    knobs["sync_binlog"] = std::int64_t(1);
    VERIFY_OK(server->ensure(knobs));
    QCOMPARE(server->process(), first);
    QCOMPARE(variableOf(*server, "sync_binlog"), std::string("1"));
    knobs["innodb_doublewrite"] = false; // the server takes ON and DETECT_ONLY while it runs, but not OFF
    VERIFY_OK(server->ensure(knobs));
    QVERIFY(server->process() != first);
    QCOMPARE(variableOf(*server, "innodb_doublewrite"), std::string("OFF"));
    QCOMPARE(variableOf(*server, "sync_binlog"), std::string("1"));
}

void TestManagedMysql::twoVersionsSideBySide()
{
    NEEDS("DYNO_TEST_MYSQL57");
    NEEDS("DYNO_TEST_MYSQL80");
    const auto old = create("DYNO_TEST_MYSQL57");
    const auto young = create("DYNO_TEST_MYSQL80");
    QVERIFY(old && young);
    VERIFY_OK(old->ensure(smallKnobs()));
    VERIFY_OK(young->ensure(smallKnobs()));
    QVERIFY(old->running() && young->running());
    QVERIFY(variableOf(*old, "version") != variableOf(*young, "version"));
    QVERIFY(variableOf(*old, "datadir") != variableOf(*young, "datadir"));
}

void TestManagedMysql::anotherPageSizeMeansAnotherDataFolder()
{
    NEEDS("DYNO_TEST_MYSQL57");
    const auto server = create("DYNO_TEST_MYSQL57");
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    const int number = server->dataFolderNumber();
    VERIFY_OK(server->ensure(smallKnobs({{"innodb_page_size", std::int64_t(8192)}})));
    QCOMPARE(variableOf(*server, "innodb_page_size"), std::string("8192"));
    QCOMPARE(server->dataFolderNumber(), number + 1);
}

void TestManagedMysql::refusedKnobSaysTheServersWords()
{
    NEEDS("DYNO_TEST_MYSQL80");
    const auto server = create("DYNO_TEST_MYSQL80");
    QVERIFY(server);
    for (const char* name : {"no_such_variable", "server_i", "loose_server_id", "plugin_load_add", "mysqlx_port"})
        VERIFY_SAYS(server->ensure(smallKnobs({{name, std::int64_t(1)}})), name); // it is not even started
    const auto refused = server->ensure(smallKnobs({{"binlog_format", std::string("SOMETIMES")}}));
    VERIFY_SAYS(refused, "SOMETIMES");
    VERIFY_SAYS(refused, "its log ends with");
    QVERIFY(!server->running());
    VERIFY_OK(server->ensure(smallKnobs()));
}

void TestManagedMysql::encryptionNeedsAKeyring()
{
    NEEDS("DYNO_TEST_MYSQL80");
    const auto server = create("DYNO_TEST_MYSQL80");
    QVERIFY(server);
    std::error_code ignored;
    if (fs::exists(server->binaries().pluginFolder() / "component_keyring_file.so", ignored))
        QSKIP("this MySQL 8.0 has a keyring");
    const auto refused = server->ensure(smallKnobs({{"encryption", std::string("tables")}}));
    VERIFY_SAYS(refused, "component_keyring_file.so");
    QCOMPARE(refused.error().kind, ErrorKind::Refused);
    VERIFY_OK(server->ensure(smallKnobs({{"encryption", std::string("off")}})));
}

void TestManagedMysql::encryptedFrom9()
{
    NEEDS("DYNO_TEST_MYSQL9");
    const auto server = create("DYNO_TEST_MYSQL9");
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs({{"encryption", std::string("all")}})));
    QCOMPARE(variableOf(*server, "innodb_redo_log_encrypt"), std::string("ON"));
    QCOMPARE(variableOf(*server, "binlog_encryption"), std::string("ON"));
    auto admin = adminOf(*server);
    VERIFY_OK(admin);
    VERIFY_OK((*admin)->execute("CREATE TABLE secret (id INT PRIMARY KEY, c VARCHAR(100)) ENGINE=InnoDB"));
    VERIFY_OK((*admin)->execute("INSERT INTO secret VALUES (1, 'plainly readable words')"));
    admin->reset();
    VERIFY_OK(server->stop());
    std::ifstream in(server->folder() / "data/dyno/secret.ibd", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    QVERIFY(bytes.size() > 0);
    QVERIFY(bytes.find("plainly readable words") == std::string::npos);
    VERIFY_OK(server->ensure(smallKnobs({{"encryption", std::string("all")}})));
    admin = adminOf(*server);
    QCOMPARE(*(*admin)->rowCount("secret"), std::int64_t(1));
}

void TestManagedMysql::tlsOverTcp_data()
{
    QTest::addColumn<QString>("variable");
    QTest::newRow("5.7") << "DYNO_TEST_MYSQL57";
    QTest::newRow("8.0") << "DYNO_TEST_MYSQL80";
    QTest::newRow("9") << "DYNO_TEST_MYSQL9";
}

void TestManagedMysql::tlsOverTcp()
{
    QFETCH(QString, variable);
    const QByteArray name = variable.toUtf8();
    if (basedirIn(name.constData()).empty())
        QSKIP((name + " names no folder of a MySQL server").constData());
    const auto server = create(name.constData(), {{"transport", "tcp"}});
    QVERIFY(server);
    VERIFY_OK(server->ensure(smallKnobs()));
    // Twice: the second time the server has seen the password, and may ask for it in another way.
    for (const char* mode : {"off", "verify", "off", "verify"}) {
        Settings connection = server->connectionDefaults();
        connection["tls"] = std::string(mode);
        auto admin = adminOf(*server, connection);
        VERIFY_OK(admin);
        const auto facts = (*admin)->facts();
        VERIFY_OK(facts);
        QCOMPARE(facts->transport, std::string("TCP"));
        QCOMPARE(facts->cipher.empty(), std::string(mode) == "off");
        VERIFY_OK((*admin)->execute("CREATE TABLE IF NOT EXISTS t (id INT) ENGINE=InnoDB"));
    }
    // Nobody else comes in by the port.
    ConnectTarget stranger;
    stranger.uri = server->connectUri();
    stranger.uri.database.clear();
    stranger.uri.password.clear();
    for (const char* user : {"root", "", "dyno"}) {
        stranger.uri.user = user;
        QVERIFY2(!driverFor("mysql")->admin(stranger), user);
    }
    const TargetUri before = server->connectUri();
    VERIFY_OK(server->stop());
    VERIFY_OK(server->ensure(smallKnobs()));
    QCOMPARE(server->connectUri().password, before.password);
    VERIFY_OK(adminOf(*server));
}

void TestManagedMysql::killedOwnerLeavesNothingRunning_data()
{
    QTest::addColumn<QString>("variable");
    QTest::newRow("8.0") << "DYNO_TEST_MYSQL80";
    QTest::newRow("9, which may be started by a script") << "DYNO_TEST_MYSQL9";
}

void TestManagedMysql::killedOwnerLeavesNothingRunning()
{
    QFETCH(QString, variable);
    const QByteArray name = variable.toUtf8();
    const std::string basedir = basedirIn(name.constData());
    if (basedir.empty())
        QSKIP((name + " names no folder of a MySQL server").constData());
    const fs::path work = m_dir.path().toStdString(); // where no other test clears away
    shareTemplates(m_dir.path());
    QProcess owner;
    owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    owner.start(DYNO_SERVER_CHILD, {QString::fromStdString(work.string()),
                                    QString::fromStdString("managed:mysql?transport=tcp&basedir=" + basedir)});
    QVERIFY(owner.waitForReadyRead(120000));
    const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
    const pid_t pid = serverPid(folder);
    QVERIFY(processExists(pid));
    QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
    // The server is ours now: this returns when it is dead.
    int status = 0;
    QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, 20000));
    QVERIFY(WIFSIGNALED(status));
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, 20000);
    // What it left lying about goes at the next start, whatever product that is of.
    QVERIFY(fs::exists(folder));
    VERIFY_OK(ManagedServer::create(managedUri("mysql", {{"basedir", basedir}}), work));
    QVERIFY(!fs::exists(folder));
}

} // namespace dyno::tst_managed_mysql

DYNO_SUITE(tst_managed_mysql, dyno::tst_managed_mysql::TestManagedMysql)
#include "tst_managed_mysql.moc"
