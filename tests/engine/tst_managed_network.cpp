// SPDX-License-Identifier: GPL-3.0-or-later
// Managed servers on TCP with certificates of our making, and with encrypted data.
#include "managed_test.h"

#include "server/lifecycle/secrets.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dyno::tst_managed_network {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

//! Listens on a port of 127.0.0.1 until it goes.
class Listener
{
public:
    explicit Listener(int port)
        : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(std::uint16_t(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int yes = 1;
        ::setsockopt(m_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        m_listens = ::bind(m_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(m_fd, 5) == 0;
    }
    ~Listener() { ::close(m_fd); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    [[nodiscard]] bool listens() const { return m_listens; }

private:
    int m_fd;
    bool m_listens = false;
};

bool isPrivate(const fs::path& file)
{
    const auto others = fs::perms::group_all | fs::perms::others_all;
    return fs::exists(file) && (fs::status(file).permissions() & others) == fs::perms::none;
}

//! Comes to the server by TCP as somebody else of this machine would.
Expected<std::unique_ptr<Admin>> strangerTo(const ManagedServer& server, const char* user, const char* password = "")
{
    ConnectTarget target;
    target.uri = server.connectUri();
    target.uri.user = user;
    target.uri.password = password;
    target.uri.database.clear();
    return driverFor("mysql")->admin(target);
}

bool holdsText(const fs::path& file, const char* text)
{
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return bytes.find(text) != std::string::npos;
}

//! Files in `folder` and below that hold `words`, but the log of Aria, which MariaDB cannot encrypt.
QStringList filesWith(const fs::path& folder, const char* words)
{
    QStringList found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && !name.starts_with("aria_log") && holdsText(entry.path(), words))
            found << QString::fromStdString(name);
    }
    return found;
}

} // namespace

class TestManagedNetwork : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    fs::path m_work = DYNO_TEST_WORK_DIR;

    std::unique_ptr<ManagedServer> create(std::map<std::string, std::string, std::less<>> query)
    {
        auto server = ManagedServer::create(managedUri("mariadb", std::move(query)), m_work);
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }

private slots:
    void initTestCase()
    {
        if (const auto found = findServer({}); !found)
            QSKIP(found.error().text().c_str());
    }

    void certificatesArePrivateAndVerify()
    {
        const fs::path folder = fs::path(m_dir.path().toStdString()) / "tls";
        const auto made = makeCertificates(folder);
        VERIFY_OK(made);
        for (const fs::path& file : {made->serverKey, made->clientKey, made->serverCert, made->ca})
            QVERIFY2(isPrivate(file), file.c_str());
        QVERIFY(isPrivate(folder));
        QVERIFY(!holdsText(made->ca, "PRIVATE KEY"));
        // The second time they are taken as they are.
        const auto before = fs::last_write_time(made->serverCert);
        VERIFY_OK(makeCertificates(folder));
        QCOMPARE(fs::last_write_time(made->serverCert), before);
        // Another program agrees on them.
        QProcess openssl;
        openssl.start("openssl", {"verify", "-CAfile", QString::fromStdString(made->ca.string()), "-verify_ip",
                                  "127.0.0.1", "-verify_hostname", "localhost", "-purpose", "sslserver",
                                  QString::fromStdString(made->serverCert.string())});
        if (!openssl.waitForStarted())
            QSKIP("the program openssl is not installed");
        QVERIFY(openssl.waitForFinished());
        QVERIFY2(openssl.exitCode() == 0, openssl.readAll().constData());
    }

    void tcpWithTls()
    {
        const auto server = create({{"transport", "tcp"}});
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        const TargetUri uri = server->connectUri();
        QCOMPARE(uri.host, std::string("127.0.0.1"));
        QVERIFY(uri.port > 0 && !uri.query.contains("socket"));
        for (const char* mode : {"off", "required", "verify"}) {
            Settings connection = server->connectionDefaults();
            connection["tls"] = std::string(mode);
            auto admin = adminOf(*server, connection);
            VERIFY_OK(admin);
            const auto facts = (*admin)->facts();
            VERIFY_OK(facts);
            QCOMPARE(facts->transport, std::string("TCP"));
            QCOMPARE(facts->cipher.empty(), std::string(mode) == "off");
        }
        QVERIFY(isPrivate(server->folder() / "tls/server.key"));
        // The port stays over a restart, so that what is connected to it can come back.
        VERIFY_OK(server->stop());
        VERIFY_OK(server->ensure(smallKnobs()));
        if (server->connectUri().port != uri.port) // unless somebody took it in that moment
            QVERIFY(server->logTail(1000).find("already in use") != std::string::npos);
    }

    void byTcpNobodyComesInWithoutThePassword()
    {
        const auto server = create({{"transport", "tcp"}});
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs({{"general_log", true}, {"log_bin", true}})));
        const TargetUri uri = server->connectUri();
        QVERIFY(uri.password.size() > 30);
        QCOMPARE(uri.display().find(uri.password), std::string::npos);
        const auto nobody = [&] {
            for (const char* user : {"root", "", "dyno", "mysql", "mariadb.sys"}) {
                const auto refused = strangerTo(*server, user);
                QVERIFY2(!refused, user);
                QVERIFY2(refused.error().text().find("denied") != std::string::npos, refused.error().text().c_str());
            }
            QVERIFY(!strangerTo(*server, "dyno", "dyno"));
        };
        nobody();
        // Who has it can do what a session does, and it is written nowhere.
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        VERIFY_OK((*admin)->execute("CREATE TABLE t (id INT) ENGINE=InnoDB"));
        VERIFY_OK((*admin)->setVariable("innodb_io_capacity", std::int64_t(300)));
        const auto accounts = (*admin)->query("SELECT User, Host FROM mysql.user WHERE User IN ('', 'root')");
        VERIFY_OK(accounts);
        for (const auto& account : *accounts)
            QCOMPARE(account.at(1), std::string("localhost"));
        admin->reset();
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(server->folder())) {
            if (entry.is_regular_file())
                QVERIFY2(!holdsText(entry.path(), uri.password.c_str()), entry.path().c_str());
        }
        // The same password after a restart, for what is connected and comes back.
        VERIFY_OK(server->ensure(smallKnobs({{"log_bin", false}})));
        QCOMPARE(server->connectUri().password, uri.password);
        QCOMPARE(*(*adminOf(*server))->rowCount("t"), std::int64_t(0));
        nobody();
        VERIFY_SAYS(server->ensure(smallKnobs({{"skip_name_resolve", false}})), "skip_name_resolve");
    }

    void aNamedServerByTcpAndByItsSocket()
    {
        // Made without TCP: the accounts of its installation are still there when it comes.
        const fs::path work = m_dir.path().toStdString(); // what has a name stays
        const auto open = [&](const char* transport) {
            auto server =
                ManagedServer::create(managedUri("mariadb", {{"name", "doors"}, {"transport", transport}}), work);
            if (!server)
                qWarning("%s", server.error().text().c_str());
            return server ? std::move(*server) : nullptr;
        };
        std::string password;
        for (const char* transport : {"socket", "tcp", "tcp", "socket"}) {
            const auto server = open(transport);
            QVERIFY(server);
            VERIFY_OK(server->ensure(smallKnobs()));
            auto admin = adminOf(*server);
            VERIFY_OK(admin);
            VERIFY_OK((*admin)->execute("CREATE TABLE IF NOT EXISTS stays (id INT) ENGINE=InnoDB"));
            VERIFY_OK((*admin)->execute("INSERT INTO stays VALUES (1)"));
            if (std::string(transport) == "tcp") {
                QVERIFY(!strangerTo(*server, "root"));
                QVERIFY(server->connectUri().password != password);
                password = server->connectUri().password;
            }
        }
        const auto server = open("tcp");
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE(*(*adminOf(*server))->rowCount("stays"), std::int64_t(4));
    }

    void aPortThatSomebodyTookIsReplaced()
    {
        const auto server = create({{"transport", "tcp"}});
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        const int port = server->connectUri().port;
        VERIFY_OK(server->stop());
        const Listener other(port);
        if (!other.listens())
            QSKIP("somebody else took the port first");
        VERIFY_OK(server->ensure(smallKnobs()));
        QVERIFY(server->connectUri().port != port);
        QCOMPARE(variableOf(*server, "port"), std::to_string(server->connectUri().port));
        QVERIFY(server->optionFile().find("port=" + std::to_string(server->connectUri().port)) != std::string::npos);
    }

    void twoOnTcpDoNotCollide()
    {
        const auto one = create({{"transport", "tcp"}});
        const auto two = create({{"transport", "tcp"}});
        QVERIFY(one && two);
        VERIFY_OK(one->ensure(smallKnobs()));
        VERIFY_OK(two->ensure(smallKnobs()));
        QVERIFY(one->connectUri().port != two->connectUri().port);
    }

    void encryptionWithoutThePlugin()
    {
        const auto server = create({});
        QVERIFY(server);
        std::error_code ignored;
        if (fs::exists(server->binaries().pluginFolder() / "file_key_management.so", ignored))
            QSKIP("this MariaDB has file_key_management");
        const auto refused = server->ensure(smallKnobs({{"encryption", std::string("tables")}}));
        VERIFY_SAYS(refused, "file_key_management.so");
        VERIFY_SAYS(refused, "mariadb-server");
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QVERIFY(!server->running());
        VERIFY_OK(server->ensure(smallKnobs()));
    }

    void encryptionIsAWord()
    {
        const auto server = create({});
        QVERIFY(server);
        VERIFY_SAYS(server->ensure(smallKnobs({{"encryption", std::string("some")}})), "\"tables\" or \"all\"");
    }

    void encryptedData()
    {
        // The plugin is in Debian's package mariadb-server, which the tests do not need otherwise.
        std::map<std::string, std::string, std::less<>> query;
        if (const std::string folder = basedirIn("DYNO_TEST_MARIADB"); !folder.empty())
            query["basedir"] = folder;
        const auto server = create(query);
        QVERIFY(server);
        std::error_code ignored;
        if (!fs::exists(server->binaries().pluginFolder() / "file_key_management.so", ignored))
            QSKIP(
                "file_key_management.so is not installed, and DYNO_TEST_MARIADB names no folder of a MariaDB with it");
        const char* words = "plainly readable words";
        const auto fill = [&] {
            auto admin = adminOf(*server);
            return admin &&
                   (*admin)->execute("CREATE TABLE secret (id INT PRIMARY KEY, c VARCHAR(100)) ENGINE=InnoDB") &&
                   (*admin)->execute(std::string("INSERT INTO secret VALUES (1, '") + words + "')");
        };
        VERIFY_OK(server->ensure(smallKnobs()));
        QVERIFY(fill());
        VERIFY_OK(server->stop());
        QVERIFY(holdsText(server->folder() / "data/dyno/secret.ibd", words)); // the test can see it
        const int number = server->dataFolderNumber();
        for (const char* how : {"tables", "all"}) {
            const Settings knobs = smallKnobs({{"encryption", std::string(how)}, {"log_bin", true}});
            VERIFY_OK(server->ensure(knobs));
            QCOMPARE(variableOf(*server, "encrypt_binlog"), std::string(std::string(how) == "all" ? "ON" : "OFF"));
            QVERIFY(server->dataFolderNumber() > number);
            QVERIFY(isPrivate(server->folder() / "keys/keys.txt"));
            QVERIFY(fill());
            auto admin = adminOf(*server);
            VERIFY_OK(admin);
            const auto scheme =
                (*admin)->query("SELECT ENCRYPTION_SCHEME FROM "
                                "information_schema.INNODB_TABLESPACES_ENCRYPTION WHERE NAME = 'dyno/secret'");
            VERIFY_OK(scheme);
            QCOMPARE(scheme->at(0).at(0), std::string("1"));
            // Old rows go to the undo log, index entries of pages that are not in memory to the change buffer.
            VERIFY_OK(
                (*admin)->execute("CREATE TABLE many (id INT PRIMARY KEY AUTO_INCREMENT, c VARCHAR(100), KEY (c)) "
                                  "ENGINE=InnoDB"));
            VERIFY_OK((*admin)->execute("INSERT INTO many (c) VALUES ('" + std::string(words) + "')"));
            for (int i = 0; i < 13; ++i)
                VERIFY_OK((*admin)->execute("INSERT INTO many (c) SELECT CONCAT(c, id) FROM many"));
            // Old rows that nobody can read any more may be given up before they were ever written: somebody reads.
            auto reader = adminOf(*server);
            VERIFY_OK(reader);
            VERIFY_OK((*reader)->execute("START TRANSACTION WITH CONSISTENT SNAPSHOT"));
            VERIFY_OK((*admin)->execute("UPDATE many SET c = CONCAT('other ', id)"));
            VERIFY_OK((*admin)->execute("DELETE FROM many WHERE id % 3 = 0"));
            VERIFY_OK((*admin)->execute("SET GLOBAL innodb_max_dirty_pages_pct = 0"));
            if (std::string(how) == "tables") { // the test can see it
                const auto isReadable = [&] { return holdsText(server->folder() / "data/ibdata1", words); };
                QVERIFY(QTest::qWaitFor(isReadable, test::kPatienceMs));
            }
            reader->reset();
            admin->reset();
            VERIFY_OK(server->stop());
            QVERIFY(!holdsText(server->folder() / "data/dyno/secret.ibd", words));
            if (std::string(how) == "all") {
                const QStringList readable = filesWith(server->folder() / "data", words);
                QVERIFY2(readable.isEmpty(), qPrintable(readable.join(", ")));
            }
            // A restart opens what it wrote.
            VERIFY_OK(server->ensure(knobs));
            QCOMPARE(*(*adminOf(*server))->rowCount("secret"), std::int64_t(1));
        }
    }
};

} // namespace dyno::tst_managed_network

DYNO_SUITE(tst_managed_network, dyno::tst_managed_network::TestManagedNetwork)
#include "tst_managed_network.moc"
