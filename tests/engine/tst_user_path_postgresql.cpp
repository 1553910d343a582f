// SPDX-License-Identifier: GPL-3.0-or-later
// The path of the users to a PostgreSQL: real proxies before a real server, and what PgBouncer refuses.
#include "managed_test.h"
#include "recording_sink.h"
#include "server/proxy/managed_proxy.h"
#include "support/dyno_process.h"
#include "support/patience.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"

#include <dyno/path.h>
#include <dyno/preflight.h>
#include <dyno/trust.h>
#include <dyno/uri_form.h>

#include <QTemporaryDir>
#include <QVersionNumber>

#include <atomic>
#include <thread>

#include <sys/stat.h>

namespace dyno::tst_user_path_postgresql {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestUserPathPostgresql : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    PostgresqlFixture m_server; //!< of all that want one of their own; with TLS

    //! Once.
    void startServer()
    {
        if (m_server.port() != 0)
            return;
        const auto started = m_server.start({.tls = true,
                                             .settings = {"listen_addresses='localhost'"},
                                             .access = {"host all all ::1/128 scram-sha-256"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
    }
    [[nodiscard]] RunnerOptions options() const
    {
        RunnerOptions result;
        result.workDir = m_dir.path().toStdString();
        result.consent.allow("all");
        return result;
    }
    [[nodiscard]] static std::string managed(const std::string& more)
    {
        const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL");
        return "managed:postgresql?" + more + (basedir.empty() ? "" : "&basedir=" + basedir);
    }
    static Plan planFor(const std::string& uri, const std::string& path)
    {
        Plan plan = smallPlan(uri);
        plan.workload.params["tables"] = std::int64_t(1);
        plan.target.path = path;
        return plan;
    }
    //! Running before this server, or why not.
    Expected<std::unique_ptr<ManagedProxy>> before(const ConnectTarget& server, const PoolShape& pool = {})
    {
        auto proxy = ManagedProxy::create(*proxyRecipeFor("pgbouncer"), m_dir.path().toStdString());
        if (!proxy)
            return proxy;
        auto up = (*proxy)->ensure(server, *endpointOf(server.uri), 4, pool);
        return up ? std::move(proxy) : fail(std::move(up.error()));
    }
    //! "" when a session through it gets an answer, else what it is told.
    static std::string told(ManagedProxy& proxy, ConnectTarget users, const std::string& password)
    {
        proxy.lead(users);
        users.uri.password = password;
        return answer(users);
    }
    static std::string answer(const ConnectTarget& users)
    {
        std::string text;
        // A socket or a port may be there a moment before somebody listens.
        (void)QTest::qWaitFor(
            [&] {
                const auto admin = driverFor("postgresql")->admin(users);
                const auto rows = admin ? (*admin)->query("SELECT 1") : tl::unexpected(admin.error());
                text = rows ? std::string() : rows.error().text();
                return text.find("Connection refused") == std::string::npos;
            },
            kPatienceMs);
        return text;
    }

private slots:
    void initTestCase()
    {
        if (const std::string why = PostgresqlFixture::whyMissing(); !why.empty())
            QSKIP(why.c_str());
        shareTemplates(m_dir.path());
    }

    void usersGoThroughAProxy_data()
    {
        QTest::addColumn<QString>("proxy");
        QTest::addColumn<QString>("transport");
        QTest::addColumn<QString>("part"); // of its configuration
        QTest::newRow("HAProxy, socket") << "haproxy"
                                         << "socket"
                                         << "/.s.PGSQL.5432' mode 600";
        QTest::newRow("PgBouncer, socket") << "pgbouncer"
                                           << "socket"
                                           << "auth_type = trust";
        QTest::newRow("PgBouncer, TCP") << "pgbouncer"
                                        << "tcp"
                                        << "auth_type = scram-sha-256";
    }
    void usersGoThroughAProxy()
    {
        QFETCH(QString, proxy);
        QFETCH(QString, transport);
        QFETCH(QString, part);
        const std::string id = proxy.toStdString(), name = pathName(id);
        if (const auto missing = missingProxy(id))
            QSKIP(missing->text().c_str());
        Plan plan = planFor(managed("transport=" + transport.toStdString()), "direct");
        plan.load.timeSeconds = 0.5;
        plan.load.users = {4};
        plan.axes.push_back(
            {"path", {{"direct", {{"target.path", std::string("direct")}}, 0}, {"proxy", {{"target.path", id}}, 0}}});
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        for (std::size_t i = 0; i < sink.summaries.size(); ++i) {
            const RunSummary& run = sink.summaries[i];
            const bool through = run.point == 1;
            QVERIFY(run.transactions > 0 && run.failed == 0 && run.reconnects == 0);
            const bool counted = std::ranges::any_of(
                run.processes, [&name](const ProcessUse& use) { return use.name == name && use.cores > 0; });
            QCOMPARE(counted, through);
            const RunHeader& header = sink.runs[i];
            QCOMPARE(header.optionFile.find(part.toStdString()) != std::string::npos, through);
            if (through)
                QVERIFY(toText(header.effective.at("target.path")).starts_with(name + ' '));
        }
        // Nothing is left of them.
        for (const fs::directory_entry& one : fs::directory_iterator(fs::path(m_dir.path().toStdString()) / "managed"))
            QVERIFY2(one.path().filename().string().find(id) == std::string::npos, one.path().c_str());
    }

    //! Who comes by the port must know the server's password; it is in no file that others can read, and in no result.
    void passwords()
    {
        if (const auto missing = missingProxy("pgbouncer"))
            QSKIP(missing->text().c_str());
        startServer();
        const ConnectTarget uri = *PostgresqlFixture::targetAt(m_server.networkUri());
        auto proxy = before(uri);
        QVERIFY2(proxy, proxy ? "" : proxy.error().text().c_str());
        QCOMPARE(told(**proxy, uri, kPostgresqlPassword), std::string());
        const std::string guess = told(**proxy, uri, "a guess");
        QVERIFY2(guess.find("authentication failed") != std::string::npos, guess.c_str());
        QVERIFY((*proxy)->configuration().find(kPostgresqlPassword) == std::string::npos);
        int files = 0;
        for (const fs::directory_entry& one :
             fs::recursive_directory_iterator(fs::path(m_dir.path().toStdString()) / "managed")) {
            if (one.path().filename() != "users")
                continue;
            ++files;
            for (const fs::path& own : {one.path(), one.path().parent_path()}) {
                struct stat facts
                {
                };
                QVERIFY(::stat(own.c_str(), &facts) == 0);
                QVERIFY2((facts.st_mode & 077) == 0, own.c_str());
            }
        }
        QCOMPARE(files, 1);
        // Another password of the same server is another proxy: it starts again, and the server refuses it.
        ConnectTarget wrong = uri;
        wrong.uri.password = "wrong";
        const auto again = (*proxy)->ensure(wrong, *endpointOf(wrong.uri), 4);
        QVERIFY(again && *again);
        const std::string text = told(**proxy, wrong, "wrong");
        QVERIFY2(text.find("password authentication failed for user \"postgres\"") != std::string::npos, text.c_str());
        QVERIFY(text.find("wrong\"") == std::string::npos);
    }

    void faults_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("part"); // "" = none
        QTest::newRow("managed") << "managed:postgresql"
                                 << "";
        QTest::newRow("port") << "postgresql://ann@127.0.0.1:5432/t"
                              << "";
        QTest::newRow("socket") << "postgresql://ann@localhost/t?socket=/run/postgresql/.s.PGSQL.5432"
                                << "";
        QTest::newRow("folder of sockets") << "postgresql://ann@localhost/t?socket=/run/postgresql"
                                           << "needs the socket itself";
        QTest::newRow("nobody") << "postgresql://127.0.0.1:5432/t"
                                << "as whom";
        QTest::newRow("another protocol") << "mysql://ann@127.0.0.1:3306/t"
                                          << "does not speak";
    }
    void faults()
    {
        QFETCH(QString, uri);
        QFETCH(QString, part);
        const Faults found = checkPlan(planFor(uri.toStdString(), "pgbouncer"));
        if (part.isEmpty()) {
            QVERIFY2(found.empty(), found.empty() ? "" : found.front().what.c_str());
            return;
        }
        QVERIFY(std::ranges::any_of(found, [&part](const Fault& one) {
            return one.where == "target.path" && one.what.find(part.toStdString()) != std::string::npos;
        }));
    }

    //! What users may not do through it: said by the check of a plan, as far as no program is asked.
    void faultsOfUsers_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("knob"); // name=value of the connection
        QTest::addColumn<QString>("part"); // "" = none
        const QString local = "postgresql://ann@127.0.0.1:5432/t", remote = "postgresql://ann@db.example/t";
        QTest::newRow("session") << local << "pgbouncer:session"
                                 << "isolation=SERIALIZABLE"
                                 << "";
        QTest::newRow("isolation") << local << "pgbouncer:transaction/2"
                                   << "isolation=SERIALIZABLE"
                                   << "does not know connection.isolation";
        QTest::newRow("variable") << local << "pgbouncer:transaction/2"
                                  << "work_mem=64MB"
                                  << "does not know connection.work_mem";
        QTest::newRow("statements") << local << "pgbouncer:transaction/2"
                                    << "protocol=text"
                                    << "";
        QTest::newRow("few sessions") << local << "pgbouncer:session/1"
                                      << "protocol=text"
                                      << "1 of 2 users would wait";
        QTest::newRow("verified") << remote << "pgbouncer"
                                  << "tls=verify"
                                  << "";
        QTest::newRow("not verified") << remote << "pgbouncer"
                                      << "tls=required"
                                      << "to whoever answers there";
        QTest::newRow("certificate") << local << "pgbouncer"
                                     << "tls_cert=/tmp/ann.pem"
                                     << "is not given their certificate";
    }
    void faultsOfUsers()
    {
        QFETCH(QString, uri);
        QFETCH(QString, path);
        QFETCH(QString, knob);
        QFETCH(QString, part);
        Plan plan = planFor(uri.toStdString(), path.toStdString());
        plan.load.users = {2};
        plan.set["connection." + knob.section('=', 0, 0).toStdString()] = knob.section('=', 1).toStdString();
        const Faults found = checkPlan(plan);
        QCOMPARE(found.size(), std::size_t(part.isEmpty() ? 0 : 1));
        if (!part.isEmpty())
            QVERIFY2(found.front().where == "target.path" &&
                         found.front().what.find(part.toStdString()) != std::string::npos,
                     found.front().what.c_str());
    }

    //! A password for another machine goes into the pooler's file only after a person agreed.
    void passwordsOfOtherMachinesAreAskedFor()
    {
        const auto asks = [](const std::string& uri, const std::string& path) {
            const std::vector<Risk> risks = risksOf(planFor(uri, path));
            return std::ranges::any_of(risks, [](const Risk& risk) {
                return risk.key == "target.path" && risk.wants.find("write the password of") != std::string::npos;
            });
        };
        QVERIFY(asks("postgresql://ann@db.example/t", "pgbouncer:transaction/2"));
        QVERIFY(asks("postgresql://ann@db.example/t", "pgbouncer"));
        QVERIFY(!asks("postgresql://ann@db.example:5432/t", "haproxy"));
        QVERIFY(!asks("postgresql://ann@127.0.0.1/t", "pgbouncer"));
    }

    //! Two connections serve three users, a transaction at a time.
    void transactionsBorrowConnections()
    {
        if (const auto missing = missingProxy("pgbouncer"))
            QSKIP(missing->text().c_str());
        startServer();
        const ConnectTargetPtr direct = PostgresqlFixture::targetAt(m_server.networkUri());
        auto proxy = before(*direct, {true, 2});
        QVERIFY2(proxy, proxy ? "" : proxy.error().text().c_str());
        QCOMPARE(told(**proxy, *direct, kPostgresqlPassword), std::string());
        ConnectTarget users = *direct;
        (*proxy)->lead(users);
        std::vector<std::unique_ptr<Admin>> all;
        for (int i = 0; i < 3; ++i) {
            auto admin = driverFor("postgresql")->admin(users);
            QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
            all.push_back(std::move(*admin));
        }
        const auto process = [](Admin& admin) {
            const auto rows = admin.query("SELECT pg_backend_pid()");
            return rows && !rows->empty() ? rows->front().at(0) : std::string();
        };
        QVERIFY(all[0]->execute("BEGIN") && all[1]->execute("BEGIN"));
        const std::string first = process(*all[0]), second = process(*all[1]);
        QVERIFY(!first.empty() && !second.empty() && first != second);
        // The third one waits for the end of a transaction, and gets its connection.
        std::atomic<bool> ends{false}, waited{false};
        std::string third;
        std::thread other([&] {
            third = process(*all[2]);
            waited = ends.load();
        });
        QTest::qWait(100);
        ends = true;
        const auto ended = all[1]->execute("COMMIT");
        other.join();
        QVERIFY(ended && waited);
        QCOMPARE(third, second);
        QVERIFY(all[0]->execute("COMMIT"));
    }

    //! More users than connections. PgBouncer keeps prepared statements apart from 1.21 on: an older one is not used
    //! for them, which the look before a run says too.
    void usersOfAPool_data()
    {
        QTest::addColumn<QString>("protocol");
        QTest::newRow("text") << "text";
        QTest::newRow("prepared") << "prepared";
        QTest::newRow("pipeline") << "pipeline";
    }
    void usersOfAPool()
    {
        QFETCH(QString, protocol);
        const auto program = findProxy(*proxyRecipeFor("pgbouncer"));
        if (!program)
            QSKIP(program.error().text().c_str());
        const bool keeps =
            QVersionNumber::fromString(program->version.c_str()) >= QVersionNumber(1, 21) || protocol == "text";
        Plan plan = planFor(managed("transport=socket"), "pgbouncer:transaction/2");
        plan.workload.name = "oltp_read_only"; // each in a transaction
        plan.load.timeSeconds = 0.5;
        plan.load.users = {8};
        plan.set["connection.protocol"] = protocol.toStdString();
        const auto reports = preflight(plan, options());
        QVERIFY2(reports, reports ? "" : reports.error().text().c_str());
        const auto& items = reports->front().items;
        QCOMPARE(std::ranges::any_of(items,
                                     [](const PreflightItem& item) {
                                         return item.id == "proxy_users" && item.level == PreflightLevel::Blocker &&
                                                item.remedy.find("connection.protocol = \"text\"") != std::string::npos;
                                     }),
                 !keeps);
        QVERIFY(std::ranges::any_of(items, [](const PreflightItem& item) {
            return item.id == "proxy_pool" && item.what.starts_with("8 users share 2 connections");
        }));
        QVERIFY(std::ranges::any_of(items, [](const PreflightItem& item) {
            return item.id == "max_connections" && item.what.starts_with("the users need 2 connections;");
        }));
        RecordingSink sink;
        runPlan(plan, options(), sink);
        if (!keeps) {
            QCOMPARE(sink.session.status, RunStatus::Failed);
            QVERIFY2(sink.session.reason.find("loses prepared statements") != std::string::npos,
                     sink.session.reason.c_str());
            return;
        }
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const RunSummary& run = sink.summaries.front();
        QVERIFY(run.transactions > 0 && run.failed == 0 && run.reconnects == 0);
        const std::string path = toText(sink.runs.front().effective.at("target.path"));
        QVERIFY2(path.ends_with("(transaction pooling, 2 connections)"), path.c_str());
    }

    //! Encrypted on both sides: the server takes nothing else, and neither does the proxy.
    void tlsOnBothSides()
    {
        if (const auto missing = missingProxy("pgbouncer"))
            QSKIP(missing->text().c_str());
        startServer();
        const std::string authority = m_server.certificates().ca.string();
        TargetUri uri = m_server.networkUri();
        uri.host = "localhost"; // as its certificate says
        const ConnectTargetPtr direct =
            PostgresqlFixture::targetAt(uri, {}, {{"tls", std::string("verify")}, {"tls_ca", authority}});
        auto proxy = before(*direct);
        QVERIFY2(proxy, proxy ? "" : proxy.error().text().c_str());
        QCOMPARE(told(**proxy, *direct, kPostgresqlPassword), std::string());
        ConnectTarget users = *direct;
        (*proxy)->lead(users);
        auto admin = driverFor("postgresql")->admin(users);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto facts = (*admin)->facts();
        QVERIFY(facts && facts->cipher.find("TLSv1.3") != std::string::npos);
        const auto rows = (*admin)->query("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        QVERIFY(rows);
        QCOMPARE(rows->front(), (std::vector<std::string>{"t", "TLSv1.3"}));
        ConnectTarget plain = users;
        plain.connection.insert_or_assign("tls", std::string("off"));
        plain.connection.insert_or_assign("tls_ca", std::string());
        const std::string refused = answer(plain);
        QVERIFY2(refused.find("SSL required") != std::string::npos, refused.c_str());
        // Another authority than the one that signed the server's certificate.
        ConnectTarget stranger = *direct;
        stranger.connection.insert_or_assign("tls_ca", users.connection.at("tls_ca"));
        const auto again = (*proxy)->ensure(stranger, *endpointOf(stranger.uri), 4);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(!told(**proxy, stranger, kPostgresqlPassword).empty());
    }

    //! The same from a plan: users are measured with the TLS that they ask for.
    void runsWithTls()
    {
        if (const auto missing = missingProxy("pgbouncer"))
            QSKIP(missing->text().c_str());
        Plan plan = planFor(managed("transport=tcp"), "pgbouncer");
        plan.load.timeSeconds = 0.3;
        plan.set["connection.tls"] = std::string("required");
        RecordingSink sink;
        runPlan(plan, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const RunHeader& header = sink.runs.front();
        QVERIFY(header.server.cipher.find("TLS") != std::string::npos);
        for (const char* part : {"server_tls_sslmode = require\n", "client_tls_sslmode = require\n"})
            QVERIFY2(header.optionFile.find(part) != std::string::npos, header.optionFile.c_str());
        QVERIFY(sink.summaries.front().transactions > 0);
    }
};

} // namespace dyno::tst_user_path_postgresql

DYNO_SUITE(tst_user_path_postgresql, dyno::tst_user_path_postgresql::TestUserPathPostgresql)
#include "tst_user_path_postgresql.moc"
