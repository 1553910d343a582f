// SPDX-License-Identifier: GPL-3.0-or-later
// With go-ycsb itself, on MariaDB and on a server of MongoDB's protocol: we read what it loaded, and it reads what we
// loaded. Skipped unless DYNO_TEST_GO_YCSB names its program.
#include "config.h"
#include "load/data/dataset.h"
#include "support/mariadb_fixture.h"
#include "support/workload_harness.h"

#if DYNO_HAVE_MONGODB
#include "support/mongo_fixture.h"
#include "support/suite.h"
#endif

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

namespace dyno::tst_ycsb_interop {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRecords = 300;
constexpr int kOperations = 200;

} // namespace

class TstYcsbInterop : public QObject
{
    Q_OBJECT

    //! What go-ycsb prints; fails the test when it did not end well.
    QString goYcsb(const QString& command, const QString& database, QStringList properties)
    {
        properties << "workload=core" << QString("recordcount=%1").arg(kRecords)
                   << QString("operationcount=%1").arg(kOperations) << "threadcount=2"
                   << "readproportion=0.6"
                   << "updateproportion=0.2"
                   << "scanproportion=0.2"
                   << "maxscanlength=10";
        QStringList arguments{command, database};
        for (const QString& property : properties)
            arguments << "-p" << property;
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(qEnvironmentVariable("DYNO_TEST_GO_YCSB"), arguments);
        if (!process.waitForFinished(120000) || process.exitCode() != 0) {
            QTest::qFail("go-ycsb failed: " + process.readAll(), __FILE__, __LINE__);
            return {};
        }
        return QString::fromUtf8(process.readAll());
    }

    //! Our transactions on what is there: all of them find their records.
    void runOurs(Driver& driver, ConnectTarget target, const WorkloadInstance& instance)
    {
        target.statements = instance.statements();
        TestUser user(std::move(driver.open(std::make_shared<ConnectTarget>(target)).value()),
                      workloadFor("ycsb")->info().operations.size());
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        for (std::uint64_t i = 0; i < std::uint64_t(kRecords); ++i)
            QVERIFY2(user.run(instance, i) == Outcome::Ok, user.context.errorText().c_str());
    }

    void bothWays(const QString& database, const QStringList& properties, Driver& driver, const ConnectTarget& target,
                  Admin& admin)
    {
        const Settings params{{"workload", std::string("custom")},
                              {"read_proportion", 1.0},
                              {"recordcount", kRecords},
                              {"requestdistribution", std::string("sequential")},
                              {"insertorder", std::string("hashed_go")}};
        const auto instance = test::bind("ycsb", params, driver.info().id);
        QVERIFY(admin.drop("usertable"));
        goYcsb("load", database, properties);
        std::vector<std::string> warnings;
        const auto there = ensureDataset({driver, admin, target, *instance, PreparePolicy::Never}, {}, warnings);
        QVERIFY2(there && !*there && warnings.empty(), there ? "" : there.error().text().c_str());
        runOurs(driver, target, *instance);

        const auto loaded = ensureDataset({driver, admin, target, *instance, PreparePolicy::Always}, {}, warnings);
        QVERIFY2(loaded && *loaded, loaded ? "" : loaded.error().text().c_str());
        const QString out = goYcsb("run", database, properties);
        static const QRegularExpression total("TOTAL +- Takes\\(s\\): [\\d.]+, Count: (\\d+)");
        QRegularExpressionMatchIterator counts = total.globalMatch(out);
        int last = 0;
        while (counts.hasNext())
            last = counts.next().captured(1).toInt();
        QVERIFY2(last == kOperations && !out.contains("_ERROR"), qPrintable(out));
    }

private slots:
    void initTestCase()
    {
        if (qEnvironmentVariableIsEmpty("DYNO_TEST_GO_YCSB"))
            QSKIP("DYNO_TEST_GO_YCSB names no go-ycsb program");
    }

    void mariadb()
    {
        MariadbFixture server;
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        const auto started = server.startOnNetwork({});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        const TargetUri& uri = server.uri();
        auto admin = server.admin();
        QVERIFY(admin);
        bothWays("mysql",
                 {"mysql.host=127.0.0.1", QString("mysql.port=%1").arg(uri.port),
                  "mysql.user=" + QString::fromStdString(uri.user),
                  "mysql.password=" + QString::fromStdString(uri.password),
                  "mysql.db=" + QString::fromStdString(uri.database)},
                 *driverFor("mysql"), *server.target(), **admin);
    }

    void mongodb()
    {
#if DYNO_HAVE_MONGODB
        MongoFixture server;
        if (const std::string why = MongoFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        const auto started = server.startOwn();
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        TargetUri uri = server.uri();
        uri.database = "ycsb"; // go-ycsb knows no other
        const ConnectTargetPtr target = mongoTarget(uri);
        auto admin = driverFor("mongodb")->admin(*target);
        QVERIFY(admin);
        bothWays("mongodb", {QString("mongodb.url=mongodb://127.0.0.1:%1/ycsb").arg(server.port())},
                 *driverFor("mongodb"), *target, **admin);
#else
        QSKIP("this build has no MongoDB driver");
#endif
    }
};

} // namespace dyno::tst_ycsb_interop

DYNO_SUITE(tst_ycsb_interop, dyno::tst_ycsb_interop::TstYcsbInterop)
#include "tst_ycsb_interop.moc"
