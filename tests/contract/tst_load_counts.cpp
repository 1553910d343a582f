// SPDX-License-Identifier: GPL-3.0-or-later
// A load is made of the statements that it should be made of, as the server itself counts them (Com_*). What is
// expected is worked out here by hand: how many rows an INSERT has, what stands between BEGIN and COMMIT, and the
// indexes and keys that follow.
#include "contract/small_data.h"
#include "contract/sql_places.h"
#include "contract/statement_counts.h"
#include "load/data/dataset.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTest>

#include <algorithm>

namespace dyno::tst_load_counts {
using namespace dyno::test;

namespace {

//! Rows that come by slices, each of INSERTs with `batch` rows and of one row where fewer are left; a slice of several
//! INSERTs is a transaction.
Counts inserts(std::int64_t rows, std::int64_t batch, std::int64_t slice)
{
    Counts counts;
    for (; rows > 0; rows -= slice) {
        const std::int64_t number = std::min(rows, slice), each = number / batch + number % batch;
        counts += each > 1 ? framed({{Insert, each}}) : Counts{{Insert, each}};
    }
    return counts;
}

Counts sum(std::initializer_list<Counts> parts)
{
    Counts all;
    for (const Counts& part : parts)
        all += part;
    return all;
}

} // namespace

class TstLoadCounts : public QObject
{
    Q_OBJECT

    SqlPlaces m_places;

    //! What a load does; `bulk`: "off", or "auto" as by itself.
    static Counts loaded(SqlPlace& server, const QString& workload, const QString& params, const char* bulk)
    {
        const std::string id = workload.toStdString();
        Settings settings = settingsOf(params);
        settings.merge(smallData(id));
        const auto instance = test::bind(id, settings, "mysql");
        ConnectTarget target = server.target;
        target.connection["bulk_load"] = std::string(bulk);
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = *driverFor("mysql"),
                             .admin = *server.admin,
                             .target = target,
                             .workload = *instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        const Counts before = statementCounts(*server.admin, server.driver);
        const auto done = ensureDataset(job, {}, warnings);
        if (!done)
            throw std::runtime_error(done.error().text());
        Counts counts = statementCounts(*server.admin, server.driver) - before;
        counts.of[Select] = 0; // looks at what is there
        (void)dropDataset(*server.admin, *instance, 1, true);
        return counts;
    }

private slots:
    void initTestCase() { DYNO_START_PLACES(m_places, true, .sqlite = false, .postgresql = false); }
    void cleanupTestCase() { m_places.stop(); }

    void everyProductTakesPart() { DYNO_TEST_ALL_PLACES(m_places); }

    void loadsAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        QTest::addColumn<int>("tables");
        QTest::addColumn<Counts>("wanted");
        struct Row
        {
            const char *workload, *params;
            int tables;
            Counts wanted;
        };
        // One INSERT for all the rows of a district of history, new orders, order lines, orders, customers and stock,
        // one for each district, one of the items, one of the warehouse.
        const Counts tpcc{{Insert, 10 * 6 + 10 + 1 + 1}};
        const Row rows[] = {
            // sysbench: INSERTs of at most 512 KiB, which 2600 rows of 196 to 198 characters fill, and then the index
            // on k
            {"oltp_read_write", "table_size=6000", 2, {{Insert, 2 * 3}, {CreateIndex, 2}}},
            {"oltp_read_write", "table_size=6000 create_secondary=false", 2, {{Insert, 2 * 3}}},
            {"oltp_insert", "table_size=500", 2, {{Insert, 2}, {CreateIndex, 2}}},
            {"tpcb", "", 4, sum({inserts(2000, 500, 2000), inserts(10, 500, 2000), inserts(1, 500, 2000)})},
            {"randomtransaction", "", 1, inserts(1600, 500, 2000)},
            // 256 KiB, or 4000 parameters to an INSERT: of seven, of sixteen with ten texts of 1 KiB each, of six; all
            // indexes by one ALTER
            {"iibench", "", 1, sum({inserts(1500, 571, 571), {{Alter, 1}}})},
            {"iibench", "secondary_at=start initial_rows=0", 1, {}},
            {"iibench", "secondary_at=start", 1, inserts(1500, 571, 571)},
            {"iibench", "secondary_indexes=0", 1, inserts(1500, 571, 571)},
            {"iibench", "form=mongodb", 1, sum({inserts(1500, 25, 25), {{Alter, 1}}})},
            {"iibench", "form=purchases", 1, sum({inserts(1500, 666, 666), {{Alter, 1}}})},
            {"sensordata", "", 1, inserts(1200, 500, 500)},
            {"sensordata", "key=time", 1, inserts(1200, 500, 500)}, // its second index is made with the table
            {"tpcc", "", 9, sum({tpcc, {{CreateIndex, 2}}})},
            {"tpcc", "foreign_keys=true", 9, sum({tpcc, {{CreateIndex, 2}, {Alter, 10}}})},
            {"tpcc", "profile=tpcc-mysql foreign_keys=false", 9, sum({tpcc, {{CreateIndex, 4}}})},
            {"tpcc", "profile=sysbench-tpcc foreign_keys=true", 9, sum({tpcc, {{CreateIndex, 6}, {Alter, 10}}})},
            {"brokerage", "model=full", 14,
             sum({inserts(100, 500, 1000),
                  inserts(1, 500, 1000),
                  inserts(500, 500, 1000),
                  inserts(68, 500, 1000),
                  inserts(300, 500, 1000),
                  inserts(2000, 500, 1000),
                  inserts(68, 500, 1000),
                  inserts(20'400, 500, 1000),
                  inserts(1000, 500, 1000),
                  inserts(600, 500, 1000),
                  inserts(300, 500, 1000),
                  inserts(300, 500, 1000),
                  {{CreateIndex, 6}}})},
            {"brokerage", "", 6,
             sum({inserts(100, 500, 1000),
                  inserts(1, 500, 1000),
                  inserts(500, 500, 1000),
                  inserts(68, 500, 1000),
                  inserts(300, 500, 1000),
                  inserts(2000, 500, 1000),
                  {{CreateIndex, 4}}})},
            {"fulltext", "", 1, {}},        // the documents come with the run
            {"sensordata_file", "", 1, {}}, // as do these readings
            {"linkbench", "phase=load", 3, {}}};
        for (std::size_t server = 0; server < m_places.all.size(); ++server) {
            for (const Row& row : rows)
                QTest::addRow("%s %s on %s", row.workload, row.params, m_places.all[server].name.c_str())
                    << int(server) << row.workload << row.params << row.tables << row.wanted;
        }
    }
    //! Besides, the tables are made, and a table with a DELETE and an INSERT tells of a load that is under way.
    void loadsAsDefined()
    {
        QFETCH(int, server);
        QFETCH(QString, workload);
        QFETCH(QString, params);
        QFETCH(int, tables);
        QFETCH(Counts, wanted);
        const Counts done = loaded(m_places.all[std::size_t(server)], workload, params, "off");
        QCOMPARE(done.text(), sum({wanted, {{CreateTable, tables + 1}, {Insert, 1}, {Delete, 1}}}).text());
    }

    void loadsInBulk_data()
    {
        QTest::addColumn<int>("server");
        for (std::size_t i = 0; i < m_places.all.size(); ++i)
            QTest::newRow(m_places.all[i].name.c_str()) << int(i);
    }
    //! LOAD DATA where the server takes it: once without rows, to ask, and once for the rows of each table; else
    //! INSERTs.
    void loadsInBulk()
    {
        QFETCH(int, server);
        SqlPlace& place = m_places.all[std::size_t(server)];
        for (const bool takes : {true, false}) {
            QVERIFY(place.admin->execute(takes ? "SET GLOBAL local_infile = 1" : "SET GLOBAL local_infile = 0"));
            Counts done = loaded(place, "oltp_read_only", "table_size=2000 tables=3", "auto");
            if (!takes)
                done.of[Load] = 0; // whether a refused one is counted is the server's own business
            const Counts rows = takes ? Counts{{Load, 1 + 3}} : Counts{{Insert, 3}};
            QCOMPARE(done.text(),
                     sum({rows, {{CreateIndex, 3}, {CreateTable, 3 + 1}, {Insert, 1}, {Delete, 1}}}).text());
        }
        QVERIFY(place.admin->execute("SET GLOBAL local_infile = 1"));
    }
};

} // namespace dyno::tst_load_counts

DYNO_SUITE(tst_load_counts, dyno::tst_load_counts::TstLoadCounts)
#include "tst_load_counts.moc"
