// SPDX-License-Identifier: GPL-3.0-or-later
// The OLTP family over a session that records: tables, load, and the workloads that are not made of the nine prepared
// statements.
#include "driver/size_model.h"
#include "oltp_rig.h"
#include "support/suite.h"

#include <QTest>

#include <map>
#include <set>

namespace dyno::tst_oltp_tables {
using namespace dyno::test;
using namespace dyno::test::oltp_rig;

namespace {

//! All of a table's rows by id, read from the requests of its load (all three forms).
std::map<std::int64_t, std::string> rowsOf(const std::vector<Recorded>& requests)
{
    std::map<std::int64_t, std::string> rows;
    for (const Recorded& request : requests) {
        if (request.kind == RequestKind::Execute) {
            const std::string text =
                std::to_string(request.number(1)) + ",'" + request.texts[2] + "','" + request.texts[3] + "'";
            rows[request.number(0)] = text;
        } else if (request.kind == RequestKind::Bulk) {
            if (request.value.empty() || request.value.back() != '\n')
                qFatal("a bulk request must end with a line");
            static const QRegularExpression row("^(\\d+)\t(\\d+)\t([0-9-]+)\t([0-9-]+)$");
            const QStringList lines = QString::fromStdString(request.value).chopped(1).split('\n');
            for (const QString& line : lines) {
                const auto match = row.match(line);
                rows[match.captured(1).toLongLong()] =
                    QString("%1,'%2','%3'").arg(match.captured(2), match.captured(3), match.captured(4)).toStdString();
            }
        } else if (request.kind == RequestKind::Text) {
            static const QRegularExpression row("\\((\\d+),(\\d+,'[0-9-]+','[0-9-]+')\\)");
            auto matches = row.globalMatch(QString::fromStdString(request.text));
            while (matches.hasNext()) {
                const auto match = matches.next();
                rows[match.captured(1).toLongLong()] = match.captured(2).toStdString();
            }
        }
    }
    return rows;
}

} // namespace

class TstOltpTables : public QObject
{
    Q_OBJECT
private slots:
    void tablesPerDialect()
    {
        const auto create = [](const Settings& params, std::string_view dialect, const Settings& knobs = {}) {
            return test::bind("oltp_read_write", params, dialect, knobs)->tables().front();
        };
        const TableSpec mysql = create({}, "mysql");
        QCOMPARE(mysql.name, std::string("sbtest1"));
        QCOMPARE(mysql.create,
                 std::string("CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER NOT NULL "
                             "DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', "
                             "PRIMARY KEY (id)) ENGINE=innodb"));
        QCOMPARE(mysql.afterLoad, std::vector<std::string>{"CREATE INDEX k_1 ON sbtest1(k)"});
        QCOMPARE(mysql.columns, (std::vector<std::string>{"id", "k", "c", "pad"}));
        QCOMPARE(mysql.rows, std::int64_t(10000));
        QVERIFY(!mysql.freshEachRun);

        const Settings plain{{"auto_inc", false}, {"secondary", true}, {"create_secondary", false}};
        const TableSpec secondary = create(plain, "mysql");
        QVERIFY(secondary.create.find("AUTO_INCREMENT") == std::string::npos);
        QVERIFY(secondary.create.find(", KEY xid (id))") != std::string::npos);
        QVERIFY(secondary.afterLoad.empty());

        const TableSpec sqlite = create({}, "sqlite");
        QVERIFY(sqlite.create.find("id INTEGER PRIMARY KEY") != std::string::npos);
        QVERIFY(sqlite.create.find("ENGINE") == std::string::npos);
        const TableSpec sqliteSecondary = create(plain, "sqlite");
        QVERIFY(sqliteSecondary.create.find("KEY") == std::string::npos);
        QCOMPARE(sqliteSecondary.afterLoad, std::vector<std::string>{"CREATE INDEX xid_1 ON sbtest1(id)"});

        const Settings knobs{{"engine", std::string("aria")}, {"row_format", std::string("page")}};
        QVERIFY(create({}, "mysql", knobs).create.ends_with(") ENGINE=aria ROW_FORMAT=page"));
        const Settings more{{"character_set", std::string("latin1")},
                            {"create_options", std::string("COMMENT='a b'")},
                            {"engine", std::string()},
                            {"page_compressed", true},
                            {"row_format", std::string()}};
        QVERIFY(create({{"create_table_options", std::string("MAX_ROWS=9")}}, "mysql", more)
                    .create.ends_with(") ENGINE=innodb CHARSET=latin1 PAGE_COMPRESSED=1 COMMENT='a b' MAX_ROWS=9"));
        QVERIFY(create({{"storage_engine", std::string("rocksdb")},
                        {"create_table_options", std::string("CHARSET=latin1")}},
                       "mysql")
                    .create.ends_with(") ENGINE=rocksdb CHARSET=latin1"));
        // Partitions are a clause after all options; MySQL wants compression and encryption as texts.
        QVERIFY(
            create({{"create_table_options", std::string("MAX_ROWS=9")}}, "mysql",
                   {{"compression", std::string("zlib")},
                    {"encryption", std::string("Y")},
                    {"partitions", std::int64_t(4)}})
                .create.ends_with(
                    ") ENGINE=innodb COMPRESSION='zlib' ENCRYPTION='Y' MAX_ROWS=9 PARTITION BY HASH(id) PARTITIONS 4"));
        QVERIFY(create({}, "mysql", {{"partitions", std::int64_t(0)}}).create.ends_with(") ENGINE=innodb"));
        QVERIFY(create({}, "sqlite", {{"without_rowid", true}, {"strict", false}}).create.ends_with(") WITHOUT ROWID"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 create({{"storage_engine", std::string("innodb; DROP TABLE x")}}, "mysql"));
    }

    void loadMakesTheSameRowsHoweverItIsCut()
    {
        const Settings params{{"tables", std::int64_t(2)}, {"table_size", std::int64_t(6000)}};
        const auto load = [&params](std::string_view dialect, int table, std::int64_t step, std::uint64_t seed,
                                    bool bulk = false) {
            Rig rig("oltp_read_only", params, dialect, UserPlace{UserId(3), 4, seed});
            for (std::int64_t first = 1; first <= 6000; first += step) {
                const LoadSlice slice{table, first, std::min<std::int64_t>(6000, first + step - 1), bulk};
                const Outcome outcome = test::complete(rig.instance->load(rig.user.context, slice), rig.user.context);
                if (outcome != Outcome::Ok)
                    qFatal("load failed");
            }
            for (const Recorded& request : rig.session.requests) {
                if (request.text.size() > 512 * 1024)
                    qFatal("statement of %zu bytes", request.text.size());
            }
            return rowsOf(rig.session.requests);
        };
        const auto rows = load("mysql", 1, 2500, 9);
        QCOMPARE(rows.size(), std::size_t(6000));
        QCOMPARE(rows.begin()->first, std::int64_t(1));
        QCOMPARE(rows.rbegin()->first, std::int64_t(6000));
        QVERIFY(rows == load("mysql", 1, 700, 9));
        QVERIFY(rows == load("mysql", 1, 6000, 9));
        QVERIFY(rows == load("sqlite", 1, 2000, 9));
        QVERIFY(rows == load("null", 1, 2000, 9));
        QVERIFY(rows == load("mysql", 1, 2500, 9, true));
        QVERIFY(rows == load("mysql", 1, 6000, 9, true));
        QVERIFY(rows != load("mysql", 1, 2500, 10));
        QVERIFY(rows != load("mysql", 2, 2500, 9));
        std::map<std::string, int> ks;
        for (const auto& [id, text] : rows)
            ++ks[text.substr(0, text.find(','))];
        QVERIFY(ks.size() > 3500 && ks.size() < 4000); // 6000·(1 − 1/e) = 3793 different values
    }

    //! A slice as the loader cuts it is one statement, so that it is there wholly or not at all.
    void aSliceIsOneStatement()
    {
        Rig rig("oltp_read_write", {{"table_size", std::int64_t(2147483647)}});
        const TableSpec table = rig.instance->tables().front();
        const LoadSlice slice{1, 2147483647 - table.rowsPerSlice + 1, 2147483647};
        QVERIFY(test::complete(rig.instance->load(rig.user.context, slice), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), std::size_t(1));
        QVERIFY(rig.session.requests.front().text.size() <= 512 * 1024);
        QVERIFY(rig.session.requests.front().text.size() > 500 * 1000);
        QCOMPARE(std::int64_t(rowsOf(rig.session.requests).size()), table.rowsPerSlice);
    }

    void aBulkSliceIsOneRequest()
    {
        Rig rig("oltp_read_write", {{"table_size", std::int64_t(2147483647)}});
        const TableSpec table = rig.instance->tables().front();
        const LoadSlice slice{1, 2147483647 - table.bulkRowsPerSlice + 1, 2147483647, true};
        QVERIFY(test::complete(rig.instance->load(rig.user.context, slice), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), std::size_t(1));
        QCOMPARE(rig.session.requests.front().text, std::string("sbtest1 (id, k, c, pad)"));
        QVERIFY(rig.session.requests.front().value.size() <= 2 * 1024 * 1024);
        QCOMPARE(std::int64_t(rowsOf(rig.session.requests).size()), table.bulkRowsPerSlice);
        QCOMPARE(test::bind("oltp_read_write", {}, "sqlite")->tables().front().bulkRowsPerSlice, std::int64_t(0));
    }

    //! SQLite takes the write lock at BEGIN if a statement writes: the load's INSERT must not make readers writers.
    void readersHaveNoStatementThatWrites()
    {
        for (const char* id : {"oltp_read_only", "oltp_point_select", "select_random_points", "select_random_ranges"}) {
            const auto instance = test::bind(id, {}, "sqlite");
            for (const StatementSpec& spec : instance->statements())
                QVERIFY(spec.returnsRows);
            QCOMPARE(instance->loaderStatements().size(), instance->statements().size() + 1);
            QVERIFY(!instance->loaderStatements().back().returnsRows);
            QCOMPARE(test::bind(id, {}, "mysql")->loaderStatements().size(), instance->statements().size());
        }
        const auto writer = test::bind("oltp_write_only", {}, "sqlite");
        QCOMPARE(writer->loaderStatements().size(), writer->statements().size());
    }

    void aFailedLoadSaysSo()
    {
        for (const char* dialect : {"mysql", "sqlite"}) {
            Rig rig("oltp_read_write", {}, dialect);
            rig.session.failAt = 1;
            rig.session.failure = {Outcome::Rejected, 1062};
            QVERIFY(test::complete(rig.instance->load(rig.user.context, {1, 1, 10}), rig.user.context) ==
                    Outcome::Rejected);
        }
    }

    void insertIsTextAndLetsTheServerAssign()
    {
        Rig mysql("oltp_insert", {{"tables", std::int64_t(3)}});
        for (const StatementSpec& spec : mysql.statements)
            QVERIFY(!spec.preparable);
        std::set<int> tables;
        for (std::uint64_t i = 0; i < 100; ++i) {
            const auto requests = mysql.run(i);
            QCOMPARE(mysql.shape(requests.front()), kInsert);
            QCOMPARE(requests.front().number(0), std::int64_t(0));
            QVERIFY(looksLikeC(requests.front().texts[2]) && looksLikePad(requests.front().texts[3]));
            tables.insert(mysql.table(requests.front()));
        }
        QCOMPARE(tables.size(), std::size_t(3));
        Rig sqlite("oltp_insert", {}, "sqlite");
        const auto requests = sqlite.run();
        QCOMPARE(sqlite.shape(requests.front()), QString("INSERT INTO sbtestN (k, c, pad) VALUES (?, ?, ?)"));
        QCOMPARE(requests.front().params.size(), std::size_t(3));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, test::bind("oltp_insert", {{"secondary", true}}, "sqlite"));
    }

    void clientsMakeUniqueIds()
    {
        const Settings params{{"auto_inc", false}};
        std::set<std::int64_t> ids;
        for (unsigned user = 0; user < 4; ++user) {
            Rig rig("oltp_insert", params, "mysql", UserPlace{UserId(user), 4, 11});
            for (std::uint64_t i = 0; i < 5000; ++i) {
                const std::int64_t id = rig.run(i).front().number(0);
                QVERIFY(id >= -2147483648ll && id <= 2147483647ll);
                QVERIFY(ids.insert(id).second);
            }
            QCOMPARE(rig.run(17).front().number(0), rig.run(17).front().number(0));
        }
        QVERIFY(*ids.begin() < -2100000000 && *ids.rbegin() > 2100000000);
        const auto table = test::bind("oltp_insert", params, "mysql")->tables().front();
        QCOMPARE(table.rows, std::int64_t(0));
        QVERIFY(table.freshEachRun);
        // The next session of that seed makes them too, unless the table takes an id twice; MongoDB's _id is always a
        // key.
        const auto repeats = [](const Settings& given, const char* driver) {
            return test::bind("oltp_insert", given, driver)->tables().front().keysRepeat;
        };
        const Settings twice{{"auto_inc", false}, {"secondary", true}};
        for (const char* driver : {"mysql", "sqlite", "mongodb"}) {
            QVERIFY2(repeats(params, driver), driver);
            QVERIFY2(!repeats({}, driver), driver);
            QCOMPARE(repeats(twice, driver), std::string(driver) == "mongodb");
        }
    }

    void deleteDrainsItsTable()
    {
        QVERIFY(test::bind("oltp_delete", {}, "mysql")->tables().front().freshEachRun);
        const Settings theirs{{"profile", std::string("sysbench-1.0.20")}};
        QVERIFY(!test::bind("oltp_delete", theirs, "mysql")->tables().front().freshEachRun);
        Rig rig("oltp_delete");
        QCOMPARE(rig.shape(rig.run().front()), kDelete);
    }

    void bulkInsertBuffersAndFlushes()
    {
        Rig rig("bulk_insert", {}, "mysql", UserPlace{UserId(2), 4, 1});
        const std::uint64_t rows = 150000;
        for (std::uint64_t i = 0; i < rows; ++i)
            QVERIFY(rig.user.run(*rig.instance, i) == Outcome::Ok);
        QVERIFY(rig.session.requests.size() >= 3);
        QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
        std::uint64_t next = 1;
        for (const Recorded& request : rig.session.requests) {
            QVERIFY(request.text.size() <= 512 * 1024);
            QVERIFY(&request == &rig.session.requests.back() || request.text.size() > 512 * 1024 - 32);
            QVERIFY(request.text.starts_with("INSERT INTO sbtest3 VALUES ("));
            const QStringList values = QString::fromStdString(request.text).section("VALUES ", 1).split("),(");
            for (QString value : values) {
                value.remove('(').remove(')');
                QCOMPARE(value, QString("%1,%1").arg(next));
                ++next;
            }
        }
        QCOMPARE(next, rows + 1);
        // Nothing is left for a second end.
        const std::size_t sent = rig.session.requests.size();
        QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), sent);
    }

    void bulkInsertKeepsItsRowsForARetry()
    {
        for (const bool retryable : {true, false}) {
            Rig rig("bulk_insert");
            rig.session.failAt = 1;
            rig.session.failure = retryable ? Reply{Outcome::Retryable, 1213} : Reply{Outcome::Rejected, 1062};
            std::uint64_t i = 0;
            while (rig.user.run(*rig.instance, i) == Outcome::Ok)
                ++i;
            QCOMPARE(rig.session.requests.size(), std::size_t(1));
            const std::string first = rig.session.requests.front().text;
            QVERIFY(rig.user.run(*rig.instance, i) == Outcome::Ok);
            QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
            QCOMPARE(rig.session.requests.size(), std::size_t(retryable ? 3 : 2));
            if (retryable)
                QCOMPARE(rig.session.requests[1].text, first);
            QCOMPARE(QString::fromStdString(rig.session.requests.back().text),
                     QString("INSERT INTO sbtest1 VALUES (%1,%1)").arg(i + 1));
        }
    }

    //! In an open loop a user serves some of the arrivals: its rows are numbered all the same.
    void bulkInsertNumbersTheRowsOfAUser()
    {
        Rig rig("bulk_insert");
        for (const std::uint64_t arrival : {4u, 5u, 17u})
            QVERIFY(rig.user.run(*rig.instance, arrival) == Outcome::Ok);
        QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(rig.session.requests[0].text),
                 QString("INSERT INTO sbtest1 VALUES (1,1),(2,2),(3,3)"));
    }

    void bulkInsertHasATablePerUser()
    {
        const auto instance = test::bind("bulk_insert", {}, "mysql");
        const auto tables = instance->tablesFor(3);
        QCOMPARE(tables.size(), std::size_t(3));
        QCOMPARE(tables[2].name, std::string("sbtest3"));
        QCOMPARE(tables[2].columns, (std::vector<std::string>{"id", "k"}));
        QVERIFY(tables[2].freshEachRun);
        QCOMPARE(test::bind("oltp_read_write", {}, "mysql")->tablesFor(64).size(), std::size_t(1));
    }

    void randomPointsAndRanges()
    {
        Rig points("select_random_points", {{"random_points", std::int64_t(4)}});
        QCOMPARE(points.shape(points.run().front()),
                 QString("SELECT id, k, c, pad FROM sbtestN WHERE k IN (?, ?, ?, ?)"));
        Rig ranges("select_random_ranges", {{"number_of_ranges", std::int64_t(2)}, {"delta", std::int64_t(7)}});
        const auto requests = ranges.run();
        QCOMPARE(ranges.shape(requests.front()),
                 QString("SELECT COUNT(k) FROM sbtestN WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"));
        QCOMPARE(requests.front().params.size(), std::size_t(4));
        QCOMPARE(requests.front().number(1), requests.front().number(0) + 7);
        QCOMPARE(requests.front().number(3), requests.front().number(2) + 7);
        Faults faults;
        (void)resolve(points.info->options, {{"tables", std::int64_t(2)}}, "workload", faults);
        QCOMPARE(faults.size(), std::size_t(1));
    }

    void segmentsPerUser_data()
    {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<int>("users");
        for (const char* profile : {"dynobench", "sysbench-1.0.20"}) {
            for (const int users : {1, 3, 7})
                QTest::addRow("%s, %d users", profile, users) << profile << users;
        }
    }
    void segmentsPerUser()
    {
        QFETCH(QString, profile);
        QFETCH(int, users);
        const int size = 100;
        const bool compat = profile != "dynobench";
        std::map<std::int64_t, std::set<int>> owners;
        for (int user = 0; user < users; ++user) {
            const Settings params{{"table_size", std::int64_t(size)},
                                  {"profile", profile.toStdString()},
                                  {"rand_type", std::string("uniform")}};
            Rig rig("select_random_points", params, "mysql", UserPlace{UserId(unsigned(user)), users, 1});
            for (std::uint64_t i = 0; i < 500; ++i) {
                for (const Recorded& request : rig.run(i)) {
                    for (const Param& param : request.params)
                        owners[param.integer].insert(user);
                }
            }
        }
        // 1.0.20 begins at 0, and neighbours share their border.
        QCOMPARE(owners.begin()->first, std::int64_t(compat ? 0 : 1));
        QCOMPARE(owners.rbegin()->first, std::int64_t(size));
        QCOMPARE(owners.size(), std::size_t(size + (compat ? 1 : 0)));
        int shared = 0;
        for (const auto& [value, by] : owners)
            shared += by.size() > 1;
        QCOMPARE(shared, compat ? users - 1 : 0);
    }

    void estimateGrowsWithTheData()
    {
        const auto bytes = [](const Settings& params, std::string_view dialect) {
            return test::bind("oltp_read_write", params, dialect)->estimatedBytes();
        };
        const Settings million{{"table_size", std::int64_t(1000000)}};
        QVERIFY(bytes(million, "mysql") > 200'000'000 && bytes(million, "mysql") < 300'000'000);
        QVERIFY(bytes(million, "sqlite") > 190'000'000 && bytes(million, "sqlite") < 260'000'000);
        QCOMPARE(bytes({{"tables", std::int64_t(5)}}, "mysql"), 5 * bytes({}, "mysql"));
        QVERIFY(bytes({{"create_secondary", false}}, "sqlite") < bytes({}, "sqlite"));
    }

    //! A driver says what rows take in its storage; no workload knows which driver it is.
    void sizesAreTheDrivers()
    {
        class Cells final : public SizeModel
        {
        public:
            [[nodiscard]] double row(const RowFacts& facts) const override { return double(facts.columns.size()); }
        };
        const Cells cells;
        DriverInfo driver = driverFor("null")->info();
        driver.sizes = &cells;
        Faults faults;
        for (const char* name : {"oltp_read_write", "tpcb", "tpcc", "brokerage", "ycsb"}) {
            const Workload* workload = workloadFor(name);
            const auto bound = workload->bind(resolve(workload->info().options, {}, "workload", faults), driver, {});
            QVERIFY(bound);
            const std::uint64_t real = (*workload->bind(resolve(workload->info().options, {}, "workload", faults),
                                                        driverFor("sqlite")->info(), {}))
                                           ->estimatedBytes();
            QVERIFY2((*bound)->estimatedBytes() > 0 && (*bound)->estimatedBytes() < real / 2, name);
        }
        const Workload* workload = workloadFor("oltp_read_write");
        const auto bound = workload->bind(
            resolve(workload->info().options, {{"table_size", std::int64_t(1000)}}, "workload", faults), driver, {});
        QVERIFY(bound && faults.empty());
        QCOMPARE((*bound)->estimatedBytes(), std::uint64_t(4000)); // id, k, c, pad
    }
};

} // namespace dyno::tst_oltp_tables

DYNO_SUITE(tst_oltp_tables, dyno::tst_oltp_tables::TstOltpTables)
#include "tst_oltp_tables.moc"
