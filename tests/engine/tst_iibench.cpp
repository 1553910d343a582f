// SPDX-License-Identifier: GPL-3.0-or-later
// iiBench over a session that records: options, statements in both models and forms, rows, queries, load.
#include "support/allocation_count.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/iibench/iibench.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <set>

namespace dyno::tst_iibench {
using namespace dyno::test;

namespace {

const WorkloadInfo& info()
{
    return workloadFor("iibench")->info();
}

Expected<std::shared_ptr<const WorkloadInstance>> tryBind(const Settings& params, DataModel model)
{
    return tryBindModel("iibench", params, model);
}

struct Rig : RecordingRig
{
    explicit Rig(const Settings& params = {}, DataModel model = DataModel::Sql, UserPlace place = {})
        : RecordingRig("iibench", tryBind(params, model).value(), place)
    {
    }
    //! The only request of a transaction, or its first.
    Recorded run(std::uint64_t sequence = 0) { return RecordingRig::run(sequence).at(0); }
};

const Settings kMongodb{{"form", std::string("mongodb")}};
const Settings kQueries{{"query_users", std::int64_t(1)}};

Settings with(Settings settings, const Settings& more)
{
    settings.insert(more.begin(), more.end());
    return settings;
}

} // namespace

class TstIibench : public QObject
{
    Q_OBJECT
private slots:
    void optionsExplainThemselves()
    {
        QVERIFY(!info().description.empty() && !info().source.empty());
        for (const OptionSpec& option : info().options) {
            QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
            QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
        }
        for (const Settings& bad : {Settings{{"delete_mode", true}}, Settings{{"range_partitions", std::int64_t(3)}},
                                    Settings{{"commits", std::string("apart")}}}) {
            QVERIFY(!tryBind(bad, DataModel::Document));
            QVERIFY(tryBind(bad, DataModel::Sql));
        }
        QVERIFY(!tryBind({{"query_primary_key", true}, {"query_limit", std::int64_t(50000)}}, DataModel::Sql));
        QVERIFY(!tryBind({{"table", std::string("a b")}}, DataModel::Sql));
    }

    void tablesAndIndexes()
    {
        const auto sql = tryBind({}, DataModel::Sql).value()->tables().front();
        QVERIFY(sql.create.find(
                    "dateandtime DATETIME, cashregisterid INTEGER NOT NULL, customerid INTEGER NOT NULL, productid "
                    "INTEGER NOT NULL, price INTEGER NOT NULL, data VARCHAR(4000)") != std::string::npos);
        QCOMPARE(
            sql.afterLoad, // one pass over the rows
            (std::vector<std::string>{
                "ALTER TABLE purchases_index ADD INDEX purchases_index_marketsegment (productid, customerid, price), "
                "ADD INDEX purchases_index_registersegment (cashregisterid, customerid, price), "
                "ADD INDEX purchases_index_pdc (price, dateandtime, customerid)"}));
        QCOMPARE(
            test::bind("iibench", {}, "sqlite")->tables().front().afterLoad,
            (std::vector<std::string>{
                "CREATE INDEX purchases_index_marketsegment ON purchases_index (productid, customerid, price)",
                "CREATE INDEX purchases_index_registersegment ON purchases_index (cashregisterid, customerid, price)",
                "CREATE INDEX purchases_index_pdc ON purchases_index (price, dateandtime, customerid)"}));
        QVERIFY(sql.freshEachRun);
        const auto hasText = [](const Settings& params, const char* text) {
            return tryBind(params, DataModel::Sql).value()->tables().front().create.find(text) != std::string::npos;
        };
        // four bytes a character, 65 535 bytes in a row of the MySQL family
        QVERIFY(hasText({{"text_fields", std::int64_t(4)}}, "cf4 VARCHAR(4000)"));
        QVERIFY(hasText({{"text_fields", std::int64_t(5)}}, "cf5 VARCHAR(10)"));
        QVERIFY(hasText({{"form", std::string("mongodb")}}, "cf10 VARCHAR(1024)"));
        QVERIFY(hasText({{"form", std::string("mongodb")}, {"text_fields", std::int64_t(16)}}, "cf16 TEXT"));
        const auto documents = tryBind(kMongodb, DataModel::Document).value()->tables().front();
        QCOMPARE(
            documents.afterLoad,
            (std::vector<std::string>{
                R"({"createIndexes":"purchases_index","indexes":[{"key":{"price":1,"customerid":1},"name":"pc"}]})"}));
        QCOMPARE(documents.columns.size(), std::size_t(16));
        QVERIFY(tryBind({{"secondary_indexes", std::int64_t(0)}}, DataModel::Sql)
                    .value()
                    ->tables()
                    .front()
                    .afterLoad.empty());
    }

    //! With the empty table: named in it where the dialect can, else by commands before the rows.
    void indexesAtTheStart()
    {
        const Settings params{{"secondary_at", std::string("start")}, {"initial_rows", std::int64_t(10)}};
        const auto sql = tryBind(params, DataModel::Sql).value()->tables().front();
        QVERIFY(sql.create.find("KEY purchases_index_pdc (") != std::string::npos);
        QVERIFY(sql.afterCreate.empty() && sql.afterLoad.empty());
        for (const DataModel model : {DataModel::Sql, DataModel::Document}) {
            const auto tables = [model](const Settings& settings) {
                return (model == DataModel::Sql ? test::bind("iibench", settings, "sqlite")
                                                : tryBind(settings, model).value())
                    ->tables()
                    .front();
            };
            QCOMPARE(tables(params).afterCreate.size(), std::size_t(3));
            QCOMPARE(tables(params).afterCreate, tables({}).afterLoad);
            QVERIFY(tables(params).afterLoad.empty() && tables({}).afterCreate.empty());
        }
    }

    void theFirstTable()
    {
        const Settings first{{"form", std::string("purchases")},
                             {"secondary_at", std::string("start")},
                             {"range_partitions", std::int64_t(3)},
                             {"rows_per_partition", std::int64_t(1000)}};
        Rig rig(first);
        const TableSpec table = rig.instance->tables().front();
        QVERIFY(table.create.find(
                    "price FLOAT NOT NULL, KEY purchases_index_marketsegment (price, customerid), KEY "
                    "purchases_index_registersegment (cashregisterid, price, customerid), KEY purchases_index_pdc "
                    "(price, dateandtime, customerid), PRIMARY KEY (transactionid))") != std::string::npos);
        QVERIFY(table.create.ends_with(
            " PARTITION BY RANGE (transactionid) (PARTITION p1 VALUES LESS THAN (1001), PARTITION p2 "
            "VALUES LESS THAN (2001), PARTITION p3 VALUES LESS THAN MAXVALUE)"));
        QVERIFY(table.afterLoad.empty());
        QCOMPARE(rig.run().params.size(), std::size_t(5)); // one row without a text
        for (const char* name : {"text_length", "text_random"}) {
            Settings useless = first;
            useless[name] = std::int64_t(20);
            const auto refused = tryBind(useless, DataModel::Sql);
            QVERIFY2(!refused && refused.error().where.ends_with(name), name);
            useless["text_fields"] = std::int64_t(1);
            QVERIFY2(tryBind(useless, DataModel::Sql).has_value(), name);
        }
    }

    //! (500 u + customer) / 100; in the first form, whose column is a FLOAT, rounded to cents: then all products tell
    //! the same.
    void pricesOfTheFirstTableAreCents()
    {
        for (const char* form : {"purchases", "mongodb"}) {
            Rig rig({{"form", std::string(form)}, {"rows_per_commit", std::int64_t(1000)}});
            const Recorded& rows = rig.run();
            const std::size_t columns = rows.params.size() / 1000;
            int whole = 0;
            std::set<std::int64_t> parts;
            for (std::size_t row = 0; row < 1000; ++row) {
                const double price = rows.params[row * columns + 4].real,
                             customer = double(rows.params[row * columns + 2].integer);
                const double cents = 100 * price;
                whole += price == std::round(cents) / 100 ? 1 : 0;
                QVERIFY(cents > customer - 0.5001 && cents < customer + 500.5001);
                parts.insert(std::int64_t((cents - customer) / 50));
            }
            QCOMPARE(whole, QString(form) == "purchases" ? 1000 : 0);
            QVERIFY(parts.size() >= 10);
        }
    }

    //! A commit that no statement can hold goes as several in a transaction.
    void largeCommits()
    {
        Rig rig({{"rows_per_commit", std::int64_t(10000)}});
        rig.run();
        const auto& requests = rig.session.requests;
        QCOMPARE(requests.size(), std::size_t(5));
        QVERIFY(requests.front().kind == RequestKind::Begin && requests.back().kind == RequestKind::Commit);
        std::size_t values = 0;
        for (const Recorded& request : requests) {
            QVERIFY(request.params.size() <= std::size_t(iibench::kMaxParameters));
            if (request.kind == RequestKind::Execute)
                QCOMPARE(request.params.size(), rig.statements[request.statement].parameters.size());
            values += request.params.size();
        }
        QCOMPARE(values, std::size_t(10000 * 6));
        Rig documents({{"rows_per_commit", std::int64_t(10000)}}, DataModel::Document);
        documents.run();
        QCOMPARE(documents.session.requests.size(), std::size_t(1));
    }

    //! E33: the time of a commit by itself, also where one statement holds all rows.
    void commitsApart()
    {
        for (const std::int64_t rows : {1, 10000}) {
            Rig rig({{"rows_per_commit", rows}, {"commits", std::string("apart")}});
            rig.run();
            const auto& requests = rig.session.requests;
            QCOMPARE(requests.size(), std::size_t(rows == 1 ? 3 : 5));
            QVERIFY(requests.front().kind == RequestKind::Begin && requests.back().kind == RequestKind::Commit);
            const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
            QCOMPARE(sample.ops[std::size_t(iibench::Op::Commit)].count, std::uint64_t(1));
            QCOMPARE(sample.ops[std::size_t(iibench::Op::Insert)].count, std::uint64_t(requests.size() - 2));
        }
    }

    //! Rows count once they are committed: the third statement of five, or the commit itself, fails.
    void rowsOfFailedCommitsDoNotCount()
    {
        for (const auto& [failAt, counted] : {std::pair(0, 15), std::pair(3, 0), std::pair(5, 0)}) {
            Rig rig({{"rows_per_commit", std::int64_t(10000)}});
            rig.session.answer = {.affected = 5}; // whatever a server says of each of its three statements
            rig.session.failAt = std::size_t(failAt);
            const Outcome outcome = rig.user.run(*rig.instance, 0);
            QCOMPARE(outcome == Outcome::Ok, failAt == 0);
            const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
            QCOMPARE(sample.rows, std::uint64_t(counted));
            QCOMPARE(sample.ops[0].count, std::uint64_t(failAt == 3 ? 1 : 3));
            QCOMPARE(sample.ops[0].errors, std::uint64_t(failAt == 3 ? 1 : 0));
        }
    }

    //! As mytools: from the oldest row on, whose place is read every 1000 deletes.
    void theOldestRowsAreDeleted()
    {
        Rig rig({{"delete_mode", true}, {"rows_per_commit", std::int64_t(50)}});
        rig.session.rows = {{Param::of(std::int64_t(777))}};
        QCOMPARE(rig.run(0).statement, std::size_t(0));
        rig.run(1);
        QCOMPARE(rig.session.requests.size(), std::size_t(2));
        QCOMPARE(rig.text(rig.session.requests[0]), std::string("SELECT MIN(transactionid) FROM purchases_index"));
        QCOMPARE(rig.text(rig.session.requests[1]),
                 std::string("DELETE FROM purchases_index WHERE transactionid >= ? ORDER BY transactionid LIMIT 50"));
        QCOMPARE(rig.session.requests[1].number(0), std::int64_t(777));
        for (std::uint64_t i = 1; i < 1000; ++i) {
            QCOMPARE(rig.run(2 * i + 1).number(0), std::int64_t(777 + 50 * i));
            QCOMPARE(rig.session.requests.size(), std::size_t(1));
        }
        rig.run(2001);
        QCOMPARE(rig.session.requests.size(), std::size_t(2));
    }

    void queriesByTheKey()
    {
        for (const DataModel model : {DataModel::Sql, DataModel::Document}) {
            Rig rig(
                {{"query_primary_key", true}, {"query_users", std::int64_t(1)}, {"initial_rows", std::int64_t(200)}},
                model);
            std::set<std::int64_t> ids;
            for (std::uint64_t i = 0; i < 200; ++i) {
                const Recorded request = rig.run(i);
                QCOMPARE(request.params.size(), std::size_t(10));
                for (std::size_t p = 0; p < 10; ++p)
                    ids.insert(request.number(p));
            }
            QCOMPARE(ids.size(), std::size_t(200));
            QVERIFY(*ids.begin() == 1 && *ids.rbegin() == 200);
        }
    }

    void textsRepeatTheirMotif()
    {
        Rig rig({{"text_length", std::int64_t(4000)},
                 {"text_random", std::int64_t(25)},
                 {"rows_per_commit", std::int64_t(1)}});
        const std::string first = rig.run(0).texts[5], second = rig.run(1).texts[5];
        QCOMPARE(first.size(), std::size_t(4000));
        QCOMPARE(first.substr(0, 3000), second.substr(0, 3000));
        QCOMPARE(first.substr(0, 64), first.substr(64, 64));
        QVERIFY(std::set<char>(first.begin(), first.begin() + 64).size() > 15); // never one letter
        QVERIFY(first.substr(3000) != second.substr(3000));
    }

    //! As the original programs have it: iibench.py writes a's and then the random letters, iibench-mongodb the random
    //! letters and then a's.
    void textsOfOneLetter()
    {
        const Settings letter{{"text_motif", std::int64_t(1)}, {"rows_per_commit", std::int64_t(1)}};
        std::set<std::string> drawn;
        for (std::uint64_t i = 0; i < 50; ++i) {
            Rig mytools(letter);
            const std::string text = mytools.run(i).texts[5];
            QCOMPARE(text.size(), std::size_t(10));
            QCOMPARE(text.substr(0, 7), std::string(7, 'a')); // of ten letters 37.5 % are random: three
            drawn.insert(text.substr(7));
        }
        QVERIFY(drawn.size() > 40);
        Rig mongodb(with(kMongodb, letter));
        for (std::size_t i = 5; i < 15; ++i) {
            const std::string text = mongodb.run(0).texts[i];
            QCOMPARE(text.substr(205), std::string(819, 'a')); // 80 % of 1024, rounded down, can be compressed
            QVERIFY(std::set<char>(text.begin(), text.begin() + 205).size() > 15);
        }
    }

    void rowsAreDrawnAsDefined_data()
    {
        QTest::addColumn<bool>("mongodb");
        QTest::addColumn<int>("model");
        for (const DataModel model : {DataModel::Sql, DataModel::Document}) {
            QTest::addRow("mytools, %s", toText(model)) << false << int(model);
            QTest::addRow("mongodb, %s", toText(model)) << true << int(model);
        }
    }
    void rowsAreDrawnAsDefined()
    {
        QFETCH(bool, mongodb);
        QFETCH(int, model);
        const bool documents = DataModel(model) == DataModel::Document;
        Rig rig(with(mongodb ? kMongodb : Settings(), {{"text_motif", std::int64_t(2)}}), DataModel(model));
        const Recorded insert = rig.run();
        const std::size_t rows = mongodb ? 100 : 1000;
        const std::size_t columns = (documents ? 1 : 0) + 5 + (mongodb ? 10 : 1);
        QCOMPARE(insert.params.size(), rows * columns);
        QCOMPARE(rig.statements[0].parameters.size(), insert.params.size());
        std::set<std::int64_t> customers;
        double products = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            std::size_t at = row * columns;
            if (documents)
                QCOMPARE(insert.number(at++), std::int64_t(row + 1));
            if (mongodb || documents) {
                QVERIFY(std::abs(double(insert.number(at)) / 1000 - double(time(nullptr))) < 100);
            } else {
                static const QRegularExpression form("^20\\d\\d-[01]\\d-[0-3]\\d [0-2]\\d:[0-5]\\d:[0-5]\\d$");
                QVERIFY(form.match(QString::fromStdString(insert.texts[at])).hasMatch());
                QCOMPARE(insert.texts[at], insert.texts[0]); // one time for the whole batch
            }
            QVERIFY(insert.number(at + 1) >= 0 && insert.number(at + 1) < 1000);
            QVERIFY(insert.number(at + 2) >= 0 && insert.number(at + 2) < 100'000);
            QVERIFY(insert.number(at + 3) >= 0 && insert.number(at + 3) < 10'000);
            customers.insert(insert.number(at + 2));
            products += double(insert.number(at + 3));
            if (mongodb) {
                QVERIFY(insert.params[at + 4].type == Param::Type::Real);
                const double rest = insert.params[at + 4].real * 100 - double(insert.number(at + 2));
                QVERIFY(rest > -1e-6 && rest < 500);
            } else {
                QVERIFY(insert.number(at + 4) >= 0 && insert.number(at + 4) < 500);
            }
            const std::string& text = insert.texts[at + 5];
            QCOMPARE(text.size(), std::size_t(mongodb ? 1024 : 10));
            const std::string fixed = mongodb ? text.substr(1024 - 819) : text.substr(0, 7),
                              first = insert.texts[documents ? 6 : 5];
            QCOMPARE(fixed, mongodb ? first.substr(1024 - 819) : first.substr(0, 7));
            QVERIFY(fixed[0] != fixed[1] && fixed.substr(2) == fixed.substr(0, fixed.size() - 2));
        }
        QVERIFY(customers.size() > rows * 9 / 10);
        QVERIFY(std::abs(products / double(rows) - 5000) < 5 * 2887 / std::sqrt(double(rows)));
        if (documents) {
            const Recorded next = rig.run(1);
            QCOMPARE(next.number(0), std::int64_t(rows + 1)); // documents are numbered on
        }
    }

    void mytoolsQueries()
    {
        Rig sql(kQueries), documents(kQueries, DataModel::Document);
        std::set<std::string> seen;
        for (std::uint64_t i = 0; i < 100; ++i) {
            const Recorded request = sql.run(i);
            QCOMPARE(request.params.size(), std::size_t(1));
            QVERIFY(request.same(documents.run(i)));
            seen.insert(sql.text(request));
        }
        QCOMPARE(
            seen,
            (std::set<std::string>{
                "SELECT productid,customerid,price FROM purchases_index FORCE INDEX (purchases_index_marketsegment) "
                "WHERE "
                "productid >= ? ORDER BY productid,customerid,price LIMIT 10",
                "SELECT cashregisterid,customerid,price FROM purchases_index FORCE INDEX "
                "(purchases_index_registersegment) WHERE cashregisterid > ? ORDER BY cashregisterid,customerid,price "
                "LIMIT 10",
                "SELECT price,dateandtime,customerid FROM purchases_index FORCE INDEX (purchases_index_pdc) WHERE "
                "price "
                ">= ? ORDER BY price,dateandtime,customerid LIMIT 10"}));
        QCOMPARE(documents.statements[1].text,
                 std::string(
                     R"({"find":"purchases_index","filter":{"product":{"$gte":"?"}},"projection":{"_id":0,"product":1,)"
                     R"("customerid":1,"price":1},"sort":{"product":1,"customerid":1,"price":1},"limit":10})"));
    }

    void mongodbQueries()
    {
        const Settings params = with(kMongodb, kQueries);
        Rig sql(params), documents(params, DataModel::Document);
        QCOMPARE(
            documents.statements[3].text,
            std::string(
                R"({"find":"purchases_index","filter":{"$or":[{"price":"?","dateandtime":"?","customerid":{"$gte":"?"}},)"
                R"({"price":"?","dateandtime":{"$gt":"?"}},{"price":{"$gt":"?"}}]},)"
                R"("projection":{"_id":0,"price":1,"dateandtime":1,"customerid":1},"limit":10})"));
        QVERIFY(sql.statements[1].text.find("WHERE (price = ? AND customerid >= ?) OR (price > ?) LIMIT 10") !=
                std::string::npos);
        const std::size_t turns[] = {3, 1, 2}; // statements of the three queries, in turn
        for (std::uint64_t i = 0; i < 30; ++i) {
            const Recorded request = sql.run(i);
            QCOMPARE(request.statement, turns[i % 3]);
            const Recorded other = documents.run(i);
            QCOMPARE(other.statement, request.statement);
            QCOMPARE(request.params.size(), sql.statements[request.statement].parameters.size());
            QCOMPARE(request.params.size(), std::size_t(i % 3 == 1 ? 3 : 6));
            for (std::size_t p = 0; p < request.params.size(); ++p)
                QVERIFY(request.params[p].type == sql.statements[request.statement].parameters[p]);
            QCOMPARE(request.params.front().real, request.params.back().real); // the same first field
            QCOMPARE(request.params.front().integer, request.params.back().integer);
        }
        for (const StatementSpec& spec : documents.instance->loaderStatements()) {
            QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(spec.text)).isObject());
            QCOMPARE(QByteArray::fromStdString(spec.text).count("\"?\""), qsizetype(spec.parameters.size()));
        }
    }

    void theLastUsersQuery()
    {
        const Settings params{{"query_users", std::int64_t(2)}, {"rows_per_commit", std::int64_t(5)}};
        for (unsigned user = 0; user < 5; ++user) {
            Rig rig(params, DataModel::Sql, {UserId(user), 5, 1});
            QCOMPARE(rig.run().statement == 0, user < 3);
        }
    }

    void rowsAreTheSameHoweverLoaded()
    {
        const Settings params{{"initial_rows", std::int64_t(1200)}};
        const auto rows = [&](DataModel model, std::int64_t first, std::int64_t last) {
            Rig rig(params, model, {UserId(0), 1, 9});
            QList<QString> all;
            if (complete(rig.instance->load(rig.user.context, {1, first, last}), rig.user.context) != Outcome::Ok)
                return all;
            for (const Recorded& request : rig.session.requests) {
                for (std::size_t i = 0; i < request.params.size(); i += 7) {
                    QString row;
                    for (std::size_t c = 0; c < 7; ++c) {
                        if (c != 1) // the time has another form in SQL
                            row += QString::number(request.number(i + c)) +
                                   QString::fromStdString(request.texts[i + c]) + '|';
                    }
                    all.append(row);
                }
            }
            return all;
        };
        const auto whole = rows(DataModel::Sql, 1, 1200);
        QCOMPARE(whole.size(), 1200);
        QVERIFY(whole[699].startsWith("700|"));
        QCOMPARE(rows(DataModel::Sql, 1, 611) + rows(DataModel::Sql, 612, 1200), whole);
        QCOMPARE(rows(DataModel::Document, 1, 1200), whole);
    }

    void aTransactionAllocatesNothing()
    {
        for (const DataModel model : {DataModel::Sql, DataModel::Document}) {
            for (const Settings& params : {Settings(), kMongodb, with(kMongodb, kQueries), kQueries}) {
                Rig rig(params, model);
                rig.session.keep = false;
                std::uint64_t sequence = 0;
                for (; sequence < 10; ++sequence)
                    rig.user.run(*rig.instance, sequence);
                const std::uint64_t before = allocations();
                for (; sequence < 300; ++sequence)
                    rig.user.run(*rig.instance, sequence);
                QCOMPARE(allocations() - before, std::uint64_t(0));
            }
        }
    }
};

} // namespace dyno::tst_iibench

DYNO_SUITE(tst_iibench, dyno::tst_iibench::TstIibench)
#include "tst_iibench.moc"
