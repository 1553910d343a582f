// SPDX-License-Identifier: GPL-3.0-or-later
// servers.toml: reading, writing, faults; production servers are not touched without asking.
#include "driver/driver.h"
#include "server/lifecycle/private_folder.h"
#include "server/remote/remote_servers.h"
#include "support/suite.h"

#include <dyno/runner.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <thread>

namespace dyno::tst_remote_servers {

class TestRemoteServers : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void savesAndReads();
    void keepsEveryCharacter();
    void allFaultsWithTheirLines();
    void aFileWithFaultsIsNotReplaced();
    void forgets();
    void isForItsOwnerOnly();
    void manyWritersLoseNothing();
    void sameServer_data();
    void sameServer();
    void marksAddUp();
    void pricesForPlans();
    void pricesOfInstances();
    void productionIsNotTouched();

private:
    std::filesystem::path file() const { return m_dir->filePath("servers.toml").toStdString(); }
    void write(const char* text) const
    {
        QFile out(m_dir->filePath("servers.toml"));
        if (!out.open(QIODevice::WriteOnly) || out.write(text) < 0)
            qFatal("cannot write servers.toml");
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

void TestRemoteServers::initTestCase()
{
    if (!driverFor("mysql"))
        QSKIP("this build has no MySQL driver");
}

void TestRemoteServers::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
}

void TestRemoteServers::savesAndReads()
{
    QVERIFY(remoteServers(file()).servers.empty()); // no file is no fault
    QVERIFY(remoteServers(file()).faults.empty());
    RemoteServer server{"mysql://root@db1:3307/shop", "shop", true, "ssh db1 tee x.cnf", "ssh db1 restart"};
    QVERIFY(saveRemoteServer(server, file()));
    QVERIFY(saveRemoteServer({"mysql://root@db2/", "", false, "", ""}, file()));
    auto known = remoteServers(file());
    QCOMPARE(known.servers.size(), std::size_t(2));
    QVERIFY(known.servers[0] == server);
    server.production = false; // the same URI replaces
    QVERIFY(saveRemoteServer(server, file()));
    known = remoteServers(file());
    QCOMPARE(known.servers.size(), std::size_t(2));
    QVERIFY(known.servers[0] == server);
    for (const char* bad : {"mysql://root:secret@db1/", "sqlite:a.db", "managed:mariadb", "nonsense"}) {
        const auto refused = saveRemoteServer({bad, "", false, "", ""}, file());
        QVERIFY2(!refused, bad);
        QVERIFY(refused.error().text().find("secret") == std::string::npos);
    }
    QCOMPARE(remoteServers(file()).servers.size(), std::size_t(2));
}

void TestRemoteServers::keepsEveryCharacter()
{
    const RemoteServer server{"mysql://root@db1/x", "a \"b\" \\ ü\t", false, "sh -c 'echo \"$1\" | tee \\\n  x'",
                              "\x01 # ]"};
    QVERIFY(saveRemoteServer(server, file()));
    const auto known = remoteServers(file());
    QVERIFY(known.faults.empty());
    QVERIFY(known.servers.at(0) == server);
}

void TestRemoteServers::allFaultsWithTheirLines()
{
    const RemoteServers known = parseRemoteServers("colour = 1\n"                       // 1
                                                   "[[server]]\n"                       // 2
                                                   "uri = \"mysql://root@db1/\"\n"      // 3: right
                                                   "[[server]]\n"                       // 4: no uri
                                                   "production = \"yes\"\n"             // 5
                                                   "[[server]]\n"                       // 6
                                                   "uri = \"mysql://a:hunter2@db2/\"\n" // 7: password
                                                   "port = 1\n"                         // 8
                                                   "[[server]]\n"                       // 9
                                                   "uri = \"mysql://root@db1/\"\n"      // 10: twice
                                                   "[[server]]\n"                       // 11
                                                   "uri = \"sqlite:a.db\"\n"            // 12
                                                   "name = 5\n",                        // 13
                                                   "servers.toml");
    std::multiset<int> lines;
    for (const Fault& fault : known.faults) {
        QVERIFY(!fault.what.empty() && !fault.remedy.empty());
        QVERIFY(fault.what.find("hunter2") == std::string::npos);
        lines.insert(fault.line);
    }
    QCOMPARE(lines, (std::multiset<int>{1, 4, 5, 7, 8, 10, 12, 13}));
    QCOMPARE(known.servers.size(), std::size_t(1)); // what is right is kept
    QCOMPARE(parseRemoteServers("[[server]\n", "x").faults.size(), std::size_t(1));
    QCOMPARE(parseRemoteServers("server = 1\n", "x").faults.at(0).line, 1);
}

void TestRemoteServers::aFileWithFaultsIsNotReplaced()
{
    write("[[server]]\nuri = \"mysql://root@db1/\"\nprodction = true\n");
    const auto refused = saveRemoteServer({"mysql://root@db2/", "", false, "", ""}, file());
    QVERIFY(!refused);
    QVERIFY2(refused.error().text().find("servers.toml:3") != std::string::npos, refused.error().text().c_str());
    QFile kept(m_dir->filePath("servers.toml"));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QVERIFY(kept.readAll().contains("prodction"));
    // Whether it is a production server is not known: asking is not passing.
    QVERIFY(!remoteServerOf(*parseUri("mysql://root@db1/"), file()));
}

void TestRemoteServers::forgets()
{
    QVERIFY(saveRemoteServer({"mysql://root@db1/", "one", false, "", ""}, file()));
    QVERIFY(saveRemoteServer({"mysql://root@db2/", "", false, "", ""}, file()));
    QVERIFY(forgetRemoteServer("one", file()));
    QVERIFY(forgetRemoteServer("mysql://root@db2/", file()));
    QVERIFY(remoteServers(file()).servers.empty());
    const auto unknown = forgetRemoteServer("mysql://root:hunter2@db2/", file());
    QVERIFY(!unknown);
    QVERIFY(unknown.error().text().find("hunter2") == std::string::npos);
}

void TestRemoteServers::isForItsOwnerOnly()
{
    QVERIFY(saveRemoteServer({"mysql://root@db1/", "", false, "", ""}, file()));
    struct stat info
    {
    };
    QCOMPARE(::stat(file().c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777, mode_t(0600));
    for (const auto& entry : std::filesystem::directory_iterator(file().parent_path()))
        QVERIFY2(entry.path().string().find(".new-") == std::string::npos, entry.path().c_str());
}

void TestRemoteServers::manyWritersLoseNothing()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([this, t] {
            for (int i = 0; i < 10; ++i)
                static_cast<void>(saveRemoteServer(
                    {"mysql://root@db" + std::to_string(t * 10 + i) + "/", "", false, "", ""}, file()));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    const auto known = remoteServers(file());
    QVERIFY(known.faults.empty());
    QCOMPARE(known.servers.size(), std::size_t(40));
}

void TestRemoteServers::sameServer_data()
{
    QTest::addColumn<QString>("one");
    QTest::addColumn<QString>("other");
    QTest::addColumn<bool>("same");
    const auto row = [](const char* one, const char* other, bool same) {
        QTest::addRow("%s %s", one, other) << one << other << same;
    };
    row("mysql://root@db1/", "mysql://app@DB1:3306/shop?tls=required", true);
    row("mongodb://db1/a", "mongodb://app@DB1:27017/b", true);
    row("mongodb://db1/a", "mongodb://db1:27018/a", false);
    row("mongodb://db1:27017,db2:27017/a", "mongodb://db1/a", false);
    row("mysql://root@db1:3307/", "mysql://root@db1/", false);
    row("mysql://root@db1/", "mysql://root@db2/", false);
    row("mysql://root@localhost/", "mysql://root@127.0.0.1/x", true);
    row("mysql://root@/a?socket=/run/a.sock", "mysql://x@/b?socket=/run/../run/a.sock", true);
    row("mysql://root@/a?socket=/run/a.sock", "mysql://root@/a?socket=/run/b.sock", false);
    row("mysql://root@/a?socket=/run/a.sock", "mysql://root@/a", false);
}

void TestRemoteServers::sameServer()
{
    QFETCH(QString, one);
    QFETCH(QString, other);
    QFETCH(bool, same);
    const auto a = parseUri(one.toStdString());
    const auto b = parseUri(other.toStdString());
    QVERIFY(a && b);
    QCOMPARE(dyno::sameServer(*a, *b), same);
}

void TestRemoteServers::marksAddUp()
{
    QVERIFY(saveRemoteServer({"mysql://root@db1/", "", false, "apply", "restart"}, file()));
    QVERIFY(saveRemoteServer({"mysql://app@db1/shop", "", true, "", ""}, file()));
    const auto known = remoteServerOf(*parseUri("mysql://other@db1/x"), file());
    QVERIFY(known && *known);
    QVERIFY((*known)->production);
    QCOMPARE((*known)->apply, std::string("apply"));
    QVERIFY(!*remoteServerOf(*parseUri("mysql://other@db3/x"), file()));
}

void TestRemoteServers::pricesForPlans()
{
    RemoteServer server{
        .uri = "mysql://bench@small:3306/", .name = "small", .apply = {}, .restart = {}, .price = {0.35, 0, "€"}};
    QVERIFY(saveRemoteServer(server, file()));
    const RemoteServers known = remoteServers(file());
    QVERIFY(known.faults.empty());
    QCOMPARE(known.servers.front().price, server.price);
    server.price.watts = -1;
    const auto refused = saveRemoteServer(server, file());
    QVERIFY(!refused && refused.error().message.find("price") != std::string::npos);
    QCOMPARE(remoteServers(file()).servers.front().price.watts, 0.0);

    std::vector<PointSpec> points(4);
    points[0].target.uri = "mysql://other@small/db"; // the same server under another user
    points[1].target.uri = "mysql://bench@small:3306/db";
    points[1].target.price = {2, 80, "$"};
    points[2].target.uri = "mysql://bench@large/db";
    points[3].target.uri = "mysql://bench@small:3306/db";
    points[3].target.price = {0, 80, "$"};
    addKnownPrices(points, file());
    QCOMPARE(points[0].target.price, (Price{0.35, 0, "€"}));
    QCOMPARE(points[1].target.price, (Price{2, 80, "$"})); // the plan has the last word
    QCOMPARE(points[2].target.price, Price());
    QCOMPARE(points[3].target.price, (Price{0.35, 80, "€"}));

    write("[[server]]\nuri = \"mysql://u@h:1/\"\ncost_per_hour = \"dear\"\nwatts = -3\ncurrency = \"a currency with a "
          "long name\"\n");
    const RemoteServers wrong = remoteServers(file());
    QStringList faults;
    for (const Fault& fault : wrong.faults)
        faults << QStringLiteral("%1:%2").arg(fault.line).arg(QString::fromStdString(fault.where));
    QCOMPARE(faults, (QStringList{"3:server[0].cost_per_hour", "5:server[0].currency", "4:server[0].watts"}));
    addKnownPrices(points, file()); // gives none, and changes none
    QCOMPARE(points[0].target.price, (Price{0.35, 0, "€"}));
}

void TestRemoteServers::pricesOfInstances()
{
    const std::filesystem::path work = m_dir->path().toStdString();
    const std::filesystem::path folder = work / "instances" / "shop";
    std::filesystem::create_directories(folder);
    QVERIFY(writeFolderFacts(folder, {"mongodb", "6.0.16", "", {}, {}}));
    ManagedInstances keeper(work);
    QCOMPARE(keeper.list().front().price, Price());
    QVERIFY(keeper.setPrice("shop", {0.35, 120, "€"}));
    QCOMPARE(keeper.list().front().price, (Price{0.35, 120, "€"}));
    struct stat facts = {};
    QCOMPARE(::stat((folder / "price").c_str(), &facts), 0);
    QCOMPARE(facts.st_mode & 0777, mode_t(0600));

    std::vector<PointSpec> points(5);
    points[0].target.uri = "managed:mongodb?name=shop&transport=tcp";
    points[1].target.uri = "managed:mongodb?name=shop";
    points[1].target.price = {2, 0, "$"};
    points[2].target.uri = "managed:mongodb";           // a session's own
    points[3].target.uri = "managed:mariadb?name=shop"; // the name is another product's
    points[4].target.uri = "managed:mongodb?name=../instances/shop";
    addKnownPrices(points, file(), work);
    QCOMPARE(points[0].target.price, (Price{0.35, 120, "€"}));
    QCOMPARE(points[1].target.price, (Price{2, 120, "$"})); // the plan has the last word
    for (const std::size_t other : {2, 3, 4})
        QCOMPARE(points[other].target.price, Price());

    const auto refused = keeper.setPrice("shop", {-1, 0, "$"});
    QVERIFY(!refused && refused.error().message.find("price") != std::string::npos);
    const auto missing = keeper.setPrice("nowhere", {1, 0, "$"});
    QVERIFY(!missing && missing.error().message.find("there is no server") != std::string::npos);
    QVERIFY(!keeper.setPrice("../instances/shop", {1, 0, "$"}));
    QCOMPARE(keeper.list().front().price, (Price{0.35, 120, "€"}));

    for (const char* wrong : {"cost_per_hour = \"dear\"", "cost_per_hour = ", "watts = -3"}) {
        QFile out(QString::fromStdString((folder / "price").string()));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(wrong) > 0);
        out.close();
        QCOMPARE(keeper.list().front().price, Price()); // none, rather than half of one
    }
    QVERIFY(keeper.setPrice("shop", Price()));
    QCOMPARE(keeper.list().front().price, Price());
    QVERIFY(keeper.remove("shop"));
    QVERIFY(!std::filesystem::exists(folder));
}

void TestRemoteServers::productionIsNotTouched()
{
    // Nothing listens there: the refusal comes before any connection.
    qputenv("XDG_DATA_HOME", m_dir->path().toUtf8());
    QVERIFY(saveRemoteServer({"mysql://root@127.0.0.1:9/", "shop", true, "", ""}));
    Plan plan;
    plan.target.uri = "mysql://app@127.0.0.1:9/test";
    plan.workload.name = "oltp_point_select";
    for (const bool cleanup : {false, true}) {
        const auto refused = cleanup ? cleanupData(plan, {}) : prepareData(plan, {}, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QVERIFY2(refused.error().text().find("shop is marked as a production server") != std::string::npos,
                 refused.error().text().c_str());
    }
    class Sink : public SampleSink
    {
    public:
        SessionSummary summary;
        bool started = false;
        void onSessionStarted(const SessionHeader&) override { started = true; }
        void onSessionFinished(const SessionSummary& s) override { summary = s; }
    };
    Sink refused;
    SessionRunner runner(plan, {}, {&refused});
    runner.start();
    runner.wait();
    QVERIFY(!refused.started);
    QCOMPARE(refused.summary.errorKind, ErrorKind::Refused);
    QVERIFY(refused.summary.reason.find("production") != std::string::npos);
    // With a person's word it is only unreachable.
    RunnerOptions options;
    options.confirmed = true;
    const auto unreachable = prepareData(plan, options, {});
    QVERIFY(!unreachable);
    QCOMPARE(unreachable.error().kind, ErrorKind::Unreachable);
}

} // namespace dyno::tst_remote_servers

DYNO_SUITE(tst_remote_servers, dyno::tst_remote_servers::TestRemoteServers)
#include "tst_remote_servers.moc"
