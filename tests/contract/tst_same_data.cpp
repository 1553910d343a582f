// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches a server: a workload's rows are the same on SQLite, MariaDB and MySQL for one seed, whatever way they take, and a
// transaction is made of the statements that its definition says, as the server itself counts them.
#include "engine/managed_test.h"
#include "load/dataset.h"
#include "support/mariadb_fixture.h"
#include "support/workload_harness.h"

#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <charconv>
#include <map>

using namespace dyno;
using namespace dyno::test;

namespace {

using Counts = std::map<std::string, std::int64_t>;

//! Parameters of a data set that is large enough to take every way of its load, and small enough to compare.
Settings smallData(const std::string& workload)
{
    static const std::map<std::string, Settings> known {
        {"ycsb", {{"recordcount", std::int64_t(300)}}},
        {"iibench", {{"initial_rows", std::int64_t(1500)}}},
        {"linkbench", {{"nodes", std::int64_t(500)}}},
        {"tpcb", {{"accounts_per_branch", std::int64_t(2000)}}},
        {"tpcc", {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}}},
        {"brokerage", {{"customers", std::int64_t(100)}}},
        {"fulltext", {{"documents", std::int64_t(200)}}},
        {"large_values", {{"rows", std::int64_t(60)}}},
        {"sensordata", {{"initial_rows", std::int64_t(1200)}, {"sensors", std::int64_t(50)}}}};
    if (const auto found = known.find(workload); found != known.end())
        return found->second;
    Settings settings;
    for (const OptionSpec& option : findWorkload(workload)->options) {
        if (option.name == "table_size")
            settings.emplace(option.name, std::int64_t(workload == "oltp_read_write" ? 3000 : 500)); // several slices once
        if (option.name == "tables" && option.maximum.value_or(2) >= 2)
            settings.emplace(option.name, std::int64_t(2));
    }
    return settings;
}

//! Products print the same number in different ways.
std::string plainField(const std::string& field)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (field.find('.') == std::string::npos || problem != std::errc() || end != field.data() + field.size())
        return field;
    return QByteArray::number(number, 'g', 9).toStdString();
}

//! Of all rows of a table, in an order that no collation has a say in; "" and a message when it cannot be read.
QByteArray checksum(Admin& admin, const std::string& table)
{
    const auto rows = admin.query("SELECT * FROM " + table);
    if (!rows)
        return QByteArray::fromStdString(rows.error().text());
    std::vector<std::string> lines;
    for (const auto& row : *rows) {
        std::string& line = lines.emplace_back();
        for (const std::string& field : row)
            line += plainField(field) + '|';
    }
    std::ranges::sort(lines);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const std::string& line : lines)
        hash.addData(QByteArray::fromStdString(line + '\n'));
    return QByteArray::number(qsizetype(lines.size())) + " rows " + hash.result().toHex();
}

} // namespace

class TstSameData : public QObject
{
    Q_OBJECT

    struct Place
    {
        std::string name, driver;
        ConnectTarget target;
        std::unique_ptr<Admin> admin;
    };
    QTemporaryDir m_dir;
    MariadbFixture m_mariadb;
    std::unique_ptr<ManagedServer> m_mysql;
    std::vector<Place> m_places;

    void addPlace(const char* name, TargetUri uri)
    {
        Place place {name, uri.driver, {}, nullptr};
        place.target.uri = std::move(uri);
        Driver* driver = driverFor(place.driver);
        Faults faults;
        const Settings wanted = place.driver == "sqlite" ? Settings {{"synchronous", std::string("OFF")}} : Settings();
        place.target.connection = resolve(driver->info().connection, wanted, "connection", faults);
        auto admin = driver->admin(place.target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        place.admin = std::move(*admin);
        m_places.push_back(std::move(place));
    }

    static void load(Place& place, const WorkloadInstance& instance)
    {
        std::vector<std::string> warnings;
        const DatasetJob job {.driver = *driverFor(place.driver), .admin = *place.admin, .target = place.target, .workload = instance,
                              .policy = PreparePolicy::Always, .seed = 11};
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    }

    static std::unique_ptr<TestUser> connected(Place& place, const WorkloadInstance& instance, std::size_t operations)
    {
        auto target = std::make_shared<ConnectTarget>(place.target);
        target->statements = instance.statements();
        auto session = driverFor(place.driver)->open(target);
        if (!session)
            return nullptr;
        auto user = std::make_unique<TestUser>(std::move(*session), operations, UserPlace {UserId(0), 1, 11});
        const Reply reply = complete(stepOf(user->context, Request::step(RequestKind::Connect)), user->context);
        return reply.outcome == Outcome::Ok ? std::move(user) : nullptr;
    }

    //! How often the server has done each kind of statement.
    Counts serverCounts()
    {
        Counts counts;
        const auto rows = m_places[1].admin->query("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_begin', 'Com_commit', 'Com_select', "
                                                   "'Com_insert', 'Com_update', 'Com_delete')");
        for (const auto& row : rows.value_or(TextRows()))
            counts[row.front()] = std::stoll(row.back());
        return counts;
    }

private slots:
    void initTestCase()
    {
        const Settings quick {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}}; // nothing must outlive a power cut
        DYNO_START_MARIADB(m_mariadb, quick);
        addPlace("SQLite", *parseUri("sqlite:" + m_dir.filePath("same.db").toStdString()));
        addPlace("MariaDB", *parseUri(m_mariadb.uriText()));
        if (const std::string basedir = basedirIn("DYNO_TEST_MYSQL80"); !basedir.empty()) {
            auto server = ManagedServer::create(managedUri("mysql", {{"basedir", basedir}}), m_dir.path().toStdString());
            VERIFY_OK(server);
            m_mysql = std::move(*server);
            VERIFY_OK(m_mysql->ensure(smallKnobs(quick)));
            addPlace("MySQL 8.0", m_mysql->connectUri());
        }
    }
    void cleanupTestCase()
    {
        m_places.clear();
        m_mysql.reset();
    }

    void sameRows_data()
    {
        QTest::addColumn<QString>("workload");
        for (const Workload* workload : builtinWorkloads()) {
            if (std::ranges::find(workload->info().models, DataModel::Sql) != workload->info().models.end())
                QTest::newRow(workload->info().id.c_str()) << QString::fromStdString(workload->info().id);
        }
    }
    void sameRows()
    {
        QFETCH(QString, workload);
        const std::string id = workload.toStdString();
        std::map<std::string, QByteArray> first;
        for (Place& place : m_places) {
            const auto instance = test::bind(id, smallData(id), place.driver);
            load(place, *instance);
            if (QTest::currentTestFailed())
                return;
            if (!instance->steps().empty()) { // the first one loads
                const auto user = connected(place, *instance, workloadFor(id)->info().operations.size());
                QVERIFY(user && user->run(*instance, 0) == Outcome::Ok);
            }
            for (const TableSpec& table : instance->tables()) {
                if (table.name.ends_with("_text"))
                    continue; // SQLite's index
                const QByteArray sum = checksum(*place.admin, table.name);
                QVERIFY2(sum.contains(" rows "), sum);
                QVERIFY2(table.rows == 0 || sum.startsWith(QByteArray::number(qlonglong(table.rows)) + " "), sum);
                QCOMPARE(sum + " in " + table.name.c_str(), first.try_emplace(table.name, sum).first->second + " in " + table.name.c_str());
            }
            (void)dropDataset(*place.admin, *instance, 1);
        }
    }

    void statementsAsDefined_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        QTest::addColumn<QString>("each"); //!< begin, commit, select, insert, update, delete of a transaction
        const std::tuple<const char*, const char*, const char*> rows[] = {
            {"oltp_read_write", "", "1 1 14 1 2 1"}, // sysbench 1.0.20 says 20 queries a transaction, as the next ones
            {"oltp_read_only", "", "1 1 14 0 0 0"},
            {"oltp_write_only", "", "1 1 0 1 2 1"},
            {"oltp_read_write", "skip_trx=true", "0 0 14 1 2 1"},
            {"oltp_read_write", "reads_outside=true", "1 1 14 1 2 1"},
            {"oltp_read_write", "point_selects=1 range_size=1 sum_ranges=0 order_ranges=0 distinct_ranges=0 index_updates=10 "
                                "non_index_updates=0 delete_inserts=0", "1 1 2 0 10 0"},
            {"oltp_point_select", "", "0 0 1 0 0 0"},
            {"oltp_point_query", "", "0 0 1 0 0 0"},
            {"oltp_update_index", "", "0 0 0 0 1 0"},
            {"oltp_update_non_index", "", "0 0 0 0 1 0"},
            {"oltp_increment", "", "0 0 0 0 1 0"},
            {"oltp_insert", "", "0 0 0 1 0 0"},
            {"oltp_delete", "", "0 0 0 0 0 1"},
            {"select_random_points", "", "0 0 1 0 0 0"},
            {"select_random_ranges", "", "0 0 1 0 0 0"},
            {"oltp_analytic", "", "0 0 1 0 0 0"},
            {"ycsb", "workload=c", "0 0 1 0 0 0"},
            {"iibench", "", "0 0 0 1 0 0"},
            {"iibench", "rows_per_commit=10000", "1 1 0 3 0 0"}, // 32 000 parameters to a statement, seven a row
            {"iibench", "query_users=1", "0 0 1 0 0 0"},
            {"sensordata", "", "0 0 0 1 0 0"},
            {"sensordata", "retention=5", "0 0 0 1 0 1"},
            {"sensordata", "query_users=1", "0 0 1 0 0 0"},
            {"large_values", "read=0 read_part=1 read_other=1 update=0 update_other=0 insert=0", "0 0 1 0 0 0"},
            {"large_values", "read=0 read_part=0 read_other=0 update=1 update_other=1 insert=0", "0 0 0 0 1 0"}};
        for (const auto& [workload, params, each] : rows)
            QTest::addRow("%s %s", workload, params) << workload << params << each;
    }
    void statementsAsDefined()
    {
        QFETCH(QString, workload);
        QFETCH(QString, params);
        QFETCH(QString, each);
        const std::string id = workload.toStdString();
        Settings settings = smallData(id);
        for (const QString& param : params.split(' ', Qt::SkipEmptyParts))
            settings[param.section('=', 0, 0).toStdString()] = parseValue(param.section('=', 1).toStdString());
        Place& place = m_places[1];
        const auto instance = test::bind(id, settings, place.driver);
        load(place, *instance);
        const auto user = connected(place, *instance, workloadFor(id)->info().operations.size());
        QVERIFY(user);
        for (std::size_t i = 0; i < instance->statements().size(); ++i)
            QVERIFY(complete(stepOf(user->context, Request::prepare(StatementId(i))), user->context).outcome == Outcome::Ok);
        constexpr std::int64_t kTransactions = 12;
        const Counts before = serverCounts();
        for (std::uint64_t i = 0; i < kTransactions; ++i)
            QVERIFY2(user->run(*instance, i) == Outcome::Ok, user->session->lastError().c_str());
        const Counts after = serverCounts();
        QCOMPARE(after.size(), std::size_t(6));
        QStringList done;
        for (const char* kind : {"begin", "commit", "select", "insert", "update", "delete"}) {
            const std::string name = std::string("Com_") + kind;
            done << QString::number(double(after.at(name) - before.at(name)) / kTransactions);
        }
        QCOMPARE(done.join(' '), each);
        (void)dropDataset(*place.admin, *instance, 1);
    }
};

QTEST_GUILESS_MAIN(TstSameData)
#include "tst_same_data.moc"
