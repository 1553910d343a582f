// SPDX-License-Identifier: GPL-3.0-or-later
// Finding server programs: what their version lines say, and folders that hold one or none.
#include "managed_test.h"

#include "server/lifecycle/server_binaries.h"
#include "support/suite.h"

#include <QTemporaryDir>

namespace dyno::tst_server_binaries {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

//! A program that answers --version with this line, as a server does.
void makeProgram(const fs::path& file, const std::string& line)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\necho '" << line << "'\n";
    fs::permissions(file, fs::perms::owner_all);
}

} // namespace

class TestServerBinaries : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    [[nodiscard]] fs::path in(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }

private slots:
    void versionLines_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("build");
        QTest::addColumn<bool>("mariadb");
        QTest::newRow("MariaDB")
            << "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
            << "MariaDB"
            << "10.11.19-MariaDB-0+deb12u1"
            << "debian-linux-gnu on x86_64 (Debian 12)" << true;
        QTest::newRow("MySQL 8") << "/opt/m/bin/mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)"
                                 << "MySQL"
                                 << "8.0.31"
                                 << "Linux on x86_64 (MySQL Community Server - GPL)" << false;
        QTest::newRow("MySQL 5.6") << "mysqld  Ver 5.6.24 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))"
                                   << "MySQL"
                                   << "5.6.24"
                                   << "linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))" << false;
        QTest::newRow("Percona") << "/usr/sbin/mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), "
                                    "Release 28, Revision 47601f19)"
                                 << "Percona Server"
                                 << "8.0.36-28"
                                 << "Linux on x86_64 (Percona Server (GPL), Release 28, Revision 47601f19)" << false;
        QTest::newRow("something else") << "PostgreSQL 15.20 (Debian 15.20)"
                                        << ""
                                        << ""
                                        << "" << false;
        QTest::newRow("Ver without a number") << "x Ver unknown for Linux"
                                              << ""
                                              << ""
                                              << "" << false;
    }
    void versionLines()
    {
        QFETCH(QString, line);
        const ServerBinaries read = readVersionLine(line.toStdString() + "\n");
        QTEST(QString::fromStdString(read.version), "version");
        QTEST(QString::fromStdString(read.name), "name");
        QTEST(QString::fromStdString(read.build), "build");
        QTEST(read.product() == std::string("mariadb"), "mariadb");
    }

    //! What mongod says is as MongoDB's manual shows it; what FerretDB says is its own.
    void serversOfMongodbsProtocol()
    {
        const std::string mongod = "db version v7.0.14\nBuild Info: {\n    \"version\": \"7.0.14\",\n"
                                   "    \"gitVersion\": \"ce59cfc6a3c5e5c067dca0d30697edd68d4f5188\",\n"
                                   "    \"modules\": [],\n    \"allocator\": \"tcmalloc\",\n    \"environment\": {\n"
                                   "        \"distmod\": \"ubuntu2204\",\n        \"distarch\": \"x86_64\",\n"
                                   "        \"target_arch\": \"x86_64\"\n    }\n}\n";
        ServerBinaries read = readVersionLine(mongod);
        QCOMPARE(read.product(), "mongodb");
        QCOMPARE(read.name + " " + read.version + ", " + read.build,
                 std::string("MongoDB 7.0.14, ubuntu2204 on x86_64"));
        std::string enterprise = mongod;
        enterprise.replace(enterprise.find("[]"), 2, "[\"enterprise\"]");
        QCOMPARE(readVersionLine(enterprise).build, std::string("Enterprise, ubuntu2204 on x86_64"));
        std::string percona = mongod;
        percona.replace(percona.find("7.0.14"), 6, "7.0.14-8");
        percona.insert(percona.find("    \"modules\""), "    \"psmdbVersion\": \"7.0.14-8\",\n");
        QCOMPARE(readVersionLine(percona).name, std::string("Percona Server for MongoDB"));
        read = readVersionLine("version: v1.24.0\ncommit: unknown\nbranch: unknown\ndirty: false\npackage: deb\n"
                               "debugBuild: true\n");
        QCOMPARE(read.product(), "ferretdb");
        QCOMPARE(read.name + " " + read.version + ", " + read.build,
                 std::string("FerretDB 1.24.0, package deb, debug build"));
        QCOMPARE(readVersionLine("version: vnext\n").version, std::string());
    }

    void findsServersOfMongodbsProtocol()
    {
        makeProgram(in("mongo/bin/mongod"), "db version v6.0.99");
        const auto mongod = findServer({"mongodb", in("mongo"), "6.0"});
        VERIFY_OK(mongod);
        QCOMPARE(mongod->server, in("mongo/bin/mongod"));
        QCOMPARE(mongod->uri(), "managed:mongodb?basedir=" + in("mongo").string());
        QCOMPARE(std::string(mongod->driver()), std::string("mongodb"));
        VERIFY_SAYS(findServer({"ferretdb", in("mongo"), {}}), "MongoDB 6.0.99");
        VERIFY_SAYS(findServer({"mongodb", in("mongo"), "7.0"}), "6.0.99");
        // The second FerretDB is another program: it wants a PostgreSQL server.
        makeProgram(in("ferret2/ferretdb"), "version: v2.7.0");
        VERIFY_SAYS(findServer({"ferretdb", in("ferret2"), {}}), "needs a PostgreSQL server");
        makeProgram(in("ferrets/one/ferretdb"), "version: v1.24.0");
        makeProgram(in("ferrets/two/ferretdb"), "version: v2.7.0");
        int found = 0;
        for (const ServerProgram& server : installedServers({in("ferrets")})) {
            if (!server.program.string().starts_with(in("ferrets").string()))
                continue;
            ++found;
            QCOMPARE(server.uri, "managed:ferretdb?basedir=" + in("ferrets/one").string());
            const auto uri = parseUri(server.uri);
            if (driverFor("mongodb")) {
                VERIFY_OK(uri);
                QCOMPARE(uri->driver, std::string("mongodb"));
            }
        }
        QCOMPARE(found, 1);
    }

    void versionsAreComparedByNumber()
    {
        const ServerBinaries server = readVersionLine("mysqld  Ver 8.0.31 for Linux");
        QVERIFY(server.atLeast({8, 0, 31}) && server.atLeast({8, 0, 4}) && server.atLeast({5, 7, 99}));
        QVERIFY(!server.atLeast({8, 0, 32}) && !server.atLeast({8, 4}) && !server.atLeast({10}));
    }

    void folderThatHoldsNoServer()
    {
        fs::create_directories(in("empty/bin"));
        for (const char* product : {"mysql", "mariadb"}) {
            const auto found = findServer({product, in("empty"), {}});
            QVERIFY(!found);
            QCOMPARE(found.error().kind, ErrorKind::Unreachable);
            VERIFY_SAYS(found, "mysqld");
            VERIFY_SAYS(found, in("empty").string());
            VERIFY_SAYS(found, "bin, sbin, libexec");
        }
        VERIFY_SAYS(findServer({"mysql", in("nowhere"), {}}), "which is not there");
        std::ofstream(in("file")) << "x";
        VERIFY_SAYS(findServer({"mysql", in("file"), {}}), "which is not a folder");
        // A program of that name that is no server.
        makeProgram(in("liar/bin/mysqld"), "hello");
        VERIFY_SAYS(findServer({"mysql", in("liar"), {}}), "it does not say that it is a server");
    }

    void layouts_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("messages");
        QTest::newRow("tarball") << "bin/mysqld"
                                 << "share";
        QTest::newRow("sbin") << "sbin/mysqld"
                              << "share/mysql";
        QTest::newRow("libexec") << "libexec/mysqld"
                                 << "share/mysql";
        QTest::newRow("top") << "mysqld"
                             << "share/mysql";
        QTest::newRow("package") << "usr/sbin/mysqld"
                                 << "usr/share/mysql";
    }
    void layouts()
    {
        QFETCH(QString, program);
        QFETCH(QString, messages);
        const fs::path base = in("layout") / QTest::currentDataTag();
        makeProgram(base / program.toStdString(),
                    "mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)");
        fs::create_directories(base / messages.toStdString() / "english");
        std::ofstream(base / messages.toStdString() / "english/errmsg.sys") << "x";
        const auto found = findServer({"mysql", base, "8.0"});
        VERIFY_OK(found);
        QCOMPARE(found->server, base / program.toStdString());
        QCOMPARE(found->messages, base / messages.toStdString());
        QCOMPARE(found->uri(), "managed:mysql?basedir=" + base.string());
        VERIFY_SAYS(findServer({"mysql", base, "5.7"}), "8.0.31");
        VERIFY_SAYS(findServer({"mariadb", base, {}}), "only");
    }

    //! Tarballs in the data folder are found by their version alone, so that a plan need not name a folder.
    void unpackedServersAreFoundByVersion()
    {
        const QByteArray before = qgetenv("XDG_DATA_HOME");
        qputenv("XDG_DATA_HOME", in("data").c_str());
        const fs::path servers = in("data/dynobench/servers");
        makeProgram(servers / "a/bin/mysqld", "mysqld  Ver 5.7.98 for Linux on x86_64 (MySQL Community Server - GPL)");
        makeProgram(servers / "b/bin/mysqld", "mysqld  Ver 8.0.98 for Linux on x86_64 (MySQL Community Server - GPL)");
        const auto old = findServer({"mysql", {}, "5.7.98"});
        const auto recent = findServer({"mysql", {}, "8.0.98"});
        const auto none = findServer({"mysql", {}, "7.6"});
        qputenv("XDG_DATA_HOME", before);
        VERIFY_OK(old);
        QCOMPARE(old->server, servers / "a/bin/mysqld");
        QCOMPARE(old->uri(), "managed:mysql?basedir=" + (servers / "a").string());
        VERIFY_OK(recent);
        QCOMPARE(recent->server, servers / "b/bin/mysqld");
        VERIFY_SAYS(none, servers.string());
        VERIFY_SAYS(none, "8.0.98");
    }

    void installedServersAreListed()
    {
        const fs::path root = in("root");
        makeProgram(root / "one/bin/mysqld",
                    "mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)");
        makeProgram(root / "two/bin/mysqld", "mysqld  Ver 9.1.0 for Linux on x86_64 (MySQL Community Server - GPL)");
        makeProgram(root / "three/bin/something", "x");
        makeProgram(root / "four/bin/mysqld", "not a server");
        std::vector<ServerProgram> ours;
        bool usualMariadb = false;
        for (const ServerProgram& server : installedServers({root})) {
            if (server.program.string().starts_with(root.string()))
                ours.push_back(server);
            usualMariadb = usualMariadb || server.uri == "managed:mariadb";
        }
        QCOMPARE(usualMariadb, findServer({}).has_value());
        QCOMPARE(ours.size(), std::size_t(2));
        QCOMPARE(ours[0].name, std::string("Percona Server"));
        QCOMPARE(ours[0].product, std::string("mysql"));
        QCOMPARE(ours[0].uri, "managed:mysql?basedir=" + (root / "one").string());
        QCOMPARE(ours[0].build, std::string("Linux on x86_64 (Percona Server (GPL), Release 28)"));
        QCOMPARE(ours[1].version, std::string("9.1.0"));
        VERIFY_OK(parseUri(ours[1].uri));
    }
};

} // namespace dyno::tst_server_binaries

DYNO_SUITE(tst_server_binaries, dyno::tst_server_binaries::TestServerBinaries)
#include "tst_server_binaries.moc"
