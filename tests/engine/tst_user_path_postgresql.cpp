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
#include <dyno/uri_form.h>

#include <QTemporaryDir>

#include <sys/stat.h>

namespace dyno::tst_user_path_postgresql {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestUserPathPostgresql : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

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
    Expected<std::unique_ptr<ManagedProxy>> before(const TargetUri& server)
    {
        auto proxy = ManagedProxy::create(*proxyRecipeFor("pgbouncer"), m_dir.path().toStdString());
        if (!proxy)
            return proxy;
        auto up = (*proxy)->ensure(server, *endpointOf(server), 4);
        return up ? std::move(proxy) : fail(std::move(up.error()));
    }
    //! "" when a session through it gets an answer, else what it is told.
    static std::string told(ManagedProxy& proxy, TargetUri uri, const std::string& password)
    {
        setEndpoint(uri, proxy.listens());
        uri.password = password;
        std::string text;
        // A socket or a port may be there a moment before somebody listens.
        (void)QTest::qWaitFor(
            [&] {
                const auto admin = driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
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
        PostgresqlFixture server;
        const auto started = server.start();
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        const TargetUri uri = server.networkUri();
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
        TargetUri wrong = uri;
        wrong.password = "wrong";
        const auto again = (*proxy)->ensure(wrong, *endpointOf(wrong), 4);
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
        QTest::newRow("another machine") << "postgresql://ann@db.example/t"
                                         << "on another machine";
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

    //! It would end TLS: said by the look before a run, and by the run.
    void tlsIsNotEndedSilently()
    {
        if (const auto missing = missingProxy("pgbouncer"))
            QSKIP(missing->text().c_str());
        PostgresqlFixture server;
        const auto started = server.start({.tls = true});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        TargetUri uri = server.networkUri();
        Plan plan = planFor(uri.display(), "pgbouncer");
        plan.workload.prepare = PreparePolicy::Auto;
        plan.set["connection.tls"] = std::string("required");
        RunnerOptions signedIn = options();
        signedIn.password = kPostgresqlPassword;
        const auto reports = preflight(plan, signedIn);
        QVERIFY2(reports, reports ? "" : reports.error().text().c_str());
        QVERIFY(std::ranges::any_of(reports->front().items, [](const PreflightItem& item) {
            return item.id == "proxy_tls" && item.level == PreflightLevel::Blocker &&
                   item.what.find("PgBouncer ends TLS") != std::string::npos;
        }));
        RecordingSink sink;
        runPlan(plan, signedIn, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("PgBouncer ends TLS") != std::string::npos, sink.session.reason.c_str());
    }
};

} // namespace dyno::tst_user_path_postgresql

DYNO_SUITE(tst_user_path_postgresql, dyno::tst_user_path_postgresql::TestUserPathPostgresql)
#include "tst_user_path_postgresql.moc"
