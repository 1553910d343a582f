// SPDX-License-Identifier: GPL-3.0-or-later
// YCSB over a session that records: options, statements in the three models, mixes, keys, values, load. The
// distributions of requests are in tst_zipf, values that are verified in tst_ycsb_verify.
#include "support/allocation_count.h"
#include "support/suite.h"
#include "workload/ycsb/field_text.h"
#include "ycsb_rig.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <map>
#include <set>

namespace dyno::tst_ycsb {
using namespace dyno::test;
using namespace dyno::test::ycsb_rig;

namespace {

//! A text of YCSB's RandomByteIterator: bits under the masks 31, 63, 95 in turn.
bool isFieldText(std::string_view text)
{
    constexpr int kMasks[] = {31, 63, 95};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int bits = static_cast<unsigned char>(text[i]) - ' ';
        if (bits < 0 || (bits & ~kMasks[i % 3]) != 0)
            return false;
    }
    return true;
}

const Settings kEverything{
    {"workload", std::string("custom")}, {"read_proportion", 1.0}, {"update_proportion", 1.0},
    {"insert_proportion", 1.0},          {"scan_proportion", 1.0}, {"read_modify_write_proportion", 1.0}};

} // namespace

class TstYcsb : public QObject
{
    Q_OBJECT
private slots:
    void optionsExplainThemselves()
    {
        QVERIFY(!info().description.empty() && !info().source.empty());
        std::set<std::string> names;
        for (const OptionSpec& option : info().options) {
            QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
            QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
            QVERIFY2(names.insert(option.name).second, option.name.c_str());
        }
    }

    //! A fast answer without a record is no success.
    void aReadThatFindsNothingFails()
    {
        for (const char* mix : {"c", "f"}) {
            Rig rig({{"workload", std::string(mix)}, {"read_modify_write_proportion", 1.0}});
            rig.run();
            QCOMPARE(rig.outcome, Outcome::Ok);
            rig.session.answer.rows = 0;
            rig.run();
            QCOMPARE(rig.outcome, Outcome::Rejected);
            QVERIFY(rig.user.context.lastCode() < 0);
            QVERIFY(rig.user.context.errorText().find("no record") != std::string::npos);
        }
        Rig scans({{"workload", std::string("custom")}, {"scan_proportion", 1.0}});
        scans.session.answer.rows = 0; // a scan may begin behind the last key
        scans.run();
        QCOMPARE(scans.outcome, Outcome::Ok);
    }

    void theCoreMixes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QList<double>>("shares"); // read, update, insert, scan, read-modify-write
        QTest::newRow("a") << "a" << QList<double>{0.5, 0.5, 0, 0, 0};
        QTest::newRow("b") << "b" << QList<double>{0.95, 0.05, 0, 0, 0};
        QTest::newRow("c") << "c" << QList<double>{1, 0, 0, 0, 0};
        QTest::newRow("d") << "d" << QList<double>{0.95, 0, 0.05, 0, 0};
        QTest::newRow("e") << "e" << QList<double>{0, 0, 0.05, 0.95, 0};
        QTest::newRow("f") << "f" << QList<double>{0.5, 0, 0, 0, 0.5};
    }
    void theCoreMixes()
    {
        QFETCH(QString, name);
        QFETCH(QList<double>, shares);
        Rig rig({{"workload", name.toStdString()}});
        rig.session.keep = false;
        constexpr int kTransactions = 40'000;
        for (int i = 0; i < kTransactions; ++i)
            rig.user.run(*rig.instance, std::uint64_t(i));
        const auto counts = rig.counts();
        for (int i = 0; i < 5; ++i) {
            const double count = double(counts.at(info().operations[std::size_t(i)].name));
            const double limit = 4.5 * std::sqrt(kTransactions * shares[i] * (1 - shares[i])) + 1e-9;
            QVERIFY2(std::abs(count - kTransactions * shares[i]) <= limit,
                     info().operations[std::size_t(i)].name.c_str());
        }
        // Each kind is there where its records change, and only there.
        QCOMPARE(rig.instance->tables().front().freshEachRun, shares[2] > 0);
    }

    //! E18: reads only, then 70 % reads, 25 % updates, 5 % scans of up to 2000 records.
    void sharesMayBeGiven()
    {
        Rig rig({{"workload", std::string("custom")},
                 {"read_proportion", 70.0},
                 {"update_proportion", 25.0},
                 {"scan_proportion", 5.0},
                 {"maxscanlength", std::int64_t(2000)}});
        constexpr int kTransactions = 40'000;
        std::int64_t longest = 0;
        for (int i = 0; i < kTransactions; ++i) {
            for (const Recorded& request : rig.run(std::uint64_t(i))) {
                if (rig.text(request).find("LIMIT") != std::string::npos)
                    longest = std::max(longest, request.number(1));
            }
        }
        auto counts = rig.counts();
        QVERIFY(std::abs(double(counts["read"]) - 28'000) < 420 && std::abs(double(counts["update"]) - 10'000) < 400);
        QVERIFY(std::abs(double(counts["scan"]) - 2000) < 200);
        QVERIFY(longest > 1950 && longest <= 2000);
        // A given share goes before that of the core workload.
        Rig reads({{"workload", std::string("a")}, {"update_proportion", 0.0}});
        QCOMPARE(reads.statements.size(), std::size_t(1));
        QVERIFY(reads.statements[0].text.starts_with("SELECT"));
    }

    void nothingToDoIsRefused()
    {
        const auto none = tryBind({{"workload", std::string("custom")}}, driverOf(DataModel::Sql));
        QVERIFY(!none);
        QCOMPARE(none.error().where, std::string("workload.read_proportion"));
        QVERIFY(none.error().remedy.find("above 0") != std::string::npos);
        QVERIFY(!tryBind({{"workload", std::string("c")}, {"read_proportion", 0.0}}, driverOf(DataModel::Sql)));
        QVERIFY(!tryBind({{"minscanlength", std::int64_t(10)}, {"maxscanlength", std::int64_t(9)}},
                         driverOf(DataModel::Sql)));
        QVERIFY(!tryBind({{"minfieldlength", std::int64_t(101)}}, driverOf(DataModel::Sql)));
        QVERIFY(!tryBind({{"table", std::string("a; DROP TABLE b")}}, driverOf(DataModel::Sql)));
        QVERIFY(!tryBind({{"fieldcount", std::int64_t(500)}, {"fieldlength", std::int64_t(1) << 20}},
                         driverOf(DataModel::Sql)));
        QVERIFY(!tryBind({{"zipfian_constant", 1.0}}, driverOf(DataModel::Sql)));
    }

    void statementsInSql()
    {
        const Rig all(kEverything);
        QCOMPARE(all.statements.size(), std::size_t(1 + 10 + 1 + 1));
        QCOMPARE(all.statements[0].text, std::string("SELECT * FROM usertable WHERE YCSB_KEY = ?"));
        QCOMPARE(all.statements[3].text, std::string("UPDATE usertable SET FIELD2=? WHERE YCSB_KEY = ?"));
        QCOMPARE(all.statements[11].text,
                 std::string(
                     "INSERT INTO usertable (YCSB_KEY,FIELD0,FIELD1,FIELD2,FIELD3,FIELD4,FIELD5,FIELD6,FIELD7,FIELD8,"
                     "FIELD9) VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
        QCOMPARE(all.statements[12].text,
                 std::string("SELECT * FROM usertable WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY LIMIT ?"));
        Settings some = kEverything;
        some["readallfields"] = false;
        some["writeallfields"] = true;
        some["fieldcount"] = std::int64_t(2);
        const Rig fields(some);
        QCOMPARE(fields.statements.size(), std::size_t(2 + 1 + 1 + 2));
        QCOMPARE(fields.statements[1].text, std::string("SELECT FIELD1 FROM usertable WHERE YCSB_KEY = ?"));
        QCOMPARE(fields.statements[2].text, std::string("UPDATE usertable SET FIELD0=?,FIELD1=? WHERE YCSB_KEY = ?"));
        const std::string create = fields.instance->tables().front().create;
        QVERIFY(create.find("(YCSB_KEY VARCHAR(255) NOT NULL, FIELD0 TEXT, FIELD1 TEXT, PRIMARY KEY (YCSB_KEY))") !=
                std::string::npos);
    }

    //! Every document command is JSON, begins with its command, and has as many "?" as parameters.
    void statementsInDocuments()
    {
        for (const bool whole : {false, true}) {
            Settings params = kEverything;
            params["readallfields"] = whole;
            params["writeallfields"] = whole;
            Rig rig(params, DataModel::Document);
            StatementSet all = rig.instance->loaderStatements();
            QVERIFY(all.size() > rig.statements.size());
            for (const StatementSpec& spec : all) {
                QJsonParseError problem;
                const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(spec.text), &problem);
                QVERIFY2(json.isObject(), qPrintable(problem.errorString()));
                const QByteArray text = QByteArray::fromStdString(spec.text);
                QCOMPARE(text.count("\"?\"") + text.count("\"?binary\""), qsizetype(spec.parameters.size()));
                QCOMPARE(spec.returnsRows, json.object().contains("find"));
            }
        }
        const Rig rig(kEverything, DataModel::Document);
        QCOMPARE(rig.statements[0].text,
                 std::string(R"({"find":"usertable","filter":{"_id":"?"},"limit":1,"singleBatch":true})"));
        QCOMPARE(
            rig.statements[3].text,
            std::string(R"({"update":"usertable","updates":[{"u":{"$set":{"field2":"?binary"}},"q":{"_id":"?"}}]})"));
        QVERIFY(rig.statements[11].text.starts_with(
            R"({"insert":"usertable","documents":[{"_id":"?","field0":"?binary",)"));
        QCOMPARE(rig.statements[12].text,
                 std::string(R"({"find":"usertable","filter":{"_id":{"$gte":"?"}},"sort":{"_id":1},"limit":"?"})"));
        const TableSpec table = rig.instance->tables().front();
        QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(table.create)).object()["create"] == "usertable");
        QCOMPARE(table.columns.front(), std::string("_id"));
        QCOMPARE(table.bulkRowsPerSlice, std::int64_t(0));
    }

    void collectionsTakeKnobs()
    {
        const Settings zstd{{"block_compressor", std::string("zstd")}};
        const auto made = tryBind({}, driverOf(DataModel::Document), zstd);
        QVERIFY(made);
        const QJsonObject create =
            QJsonDocument::fromJson(QByteArray::fromStdString((*made)->tables().front().create)).object();
        QCOMPARE(create["storageEngine"].toObject()["wiredTiger"].toObject()["configString"].toString(),
                 QString("block_compressor=zstd"));
        QVERIFY(!tryBind({}, driverOf(DataModel::Document), {{"row_format", std::string("COMPRESSED")}}));
        QVERIFY(!tryBind({}, driverOf(DataModel::Document), {{"block_compressor", std::string("a\",\"b\":\"c")}}));
        const auto parts = tryBind({}, driverFor("null")->info(), {{"partitions", std::int64_t(4)}});
        QVERIFY(parts && (*parts)->tables().front().create.ends_with("PARTITION BY KEY (YCSB_KEY) PARTITIONS 4"));
    }

    //! The transaction code knows no model: parameters are the same in SQL and in documents.
    void modelsBindTheSame()
    {
        for (const bool whole : {false, true}) {
            Settings params = kEverything;
            params["readallfields"] = whole;
            params["writeallfields"] = whole;
            Rig sql(params), documents(params, DataModel::Document);
            for (std::uint64_t i = 0; i < 500; ++i) {
                const auto theirs = documents.run(i);
                const auto ours = sql.run(i);
                QCOMPARE(ours.size(), theirs.size());
                for (std::size_t r = 0; r < ours.size(); ++r) {
                    QVERIFY(ours[r].same(theirs[r]));
                    QVERIFY(sql.statements[ours[r].statement].parameters.size() == ours[r].params.size());
                }
            }
        }
    }

    void streamsAreFunctionsOfUserAndNumber()
    {
        const Settings params{{"workload", std::string("a")}};
        Rig forwards(params, DataModel::Sql, {UserId(3), 8, 77}), backwards(params, DataModel::Sql, {UserId(3), 8, 77});
        Rig other(params, DataModel::Sql, {UserId(4), 8, 77});
        std::vector<std::vector<Recorded>> requests;
        for (std::uint64_t i = 0; i < 50; ++i)
            requests.push_back(forwards.run(i));
        int differing = 0;
        for (std::uint64_t i = 50; i-- > 0;) {
            const auto again = backwards.run(i);
            QCOMPARE(again.size(), requests[i].size());
            QVERIFY(again[0].same(requests[i][0]));
            differing += other.run(i)[0].same(requests[i][0]) ? 0 : 1;
        }
        QVERIFY(differing > 40);
    }

    void readModifyWriteIsOneOperation()
    {
        const Settings params{{"workload", std::string("custom")}, {"read_modify_write_proportion", 1.0}};
        Rig rig(params);
        for (std::uint64_t i = 0; i < 100; ++i) {
            const auto requests = rig.run(i);
            QCOMPARE(requests.size(), std::size_t(2));
            QVERIFY(rig.text(requests[0]).starts_with("SELECT * FROM usertable WHERE YCSB_KEY = ?"));
            QVERIFY(rig.text(requests[1]).starts_with("UPDATE usertable SET FIELD"));
            QCOMPARE(requests[0].texts[0], requests[1].texts[1]); // the same key
            QVERIFY(requests[1].texts[0].size() == 100 && isFieldText(requests[1].texts[0]));
        }
        auto counts = rig.counts();
        QCOMPARE(counts["read_modify_write"], std::uint64_t(100));
        QCOMPARE(counts["read"] + counts["update"], std::uint64_t(0));
        // The read fails: nothing is written.
        Rig failing(params);
        failing.session.failAt = 1;
        QCOMPARE(failing.run().size(), std::size_t(1));
        QVERIFY(failing.outcome == Outcome::Retryable);
        QCOMPARE(failing.user.context.lastCode(), 1213);
        QCOMPARE(failing.counts()["read_modify_write"], std::uint64_t(0));
    }

    //! Known hashes, worked out apart (see ycsb_keys.py beside the file).
    void keysAreYcsbs()
    {
        QFile file(DYNO_TEST_DATA "/ycsb_keys.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        int lines = 0;
        while (!file.atEnd()) {
            const QList<QByteArray> parts = file.readLine().trimmed().split(' ');
            QCOMPARE(parts.size(), 2);
            QCOMPARE(QByteArray::fromStdString(keyOf(parts[0].toLongLong())), parts[1]);
            ++lines;
        }
        QVERIFY(lines > 20);
        ycsb::KeyText text; // as go-ycsb 1.0.1 loaded it
        QCOMPARE(ycsb::writeKey(text, 0, ycsb::KeyForm::GoYcsb, 1), std::string_view("user6284781860667377211"));
        QCOMPARE(ycsb::writeKey(text, 1, ycsb::KeyForm::GoYcsb, 1), std::string_view("user6284782960179005422"));
        QCOMPARE(keyOf(42, true), std::string("user42"));
        QCOMPARE(keyOf(42, true, 6), std::string("user000042"));
        QCOMPARE(keyOf(0, false, 22), std::string("user0006284781860667377211"));
        QCOMPARE(keyOf(1, true, 100).size(), std::size_t(104));
    }

    void readsHitLoadedKeys()
    {
        std::set<std::string> keys;
        for (int i = 0; i < 50; ++i)
            keys.insert(keyOf(i, true, 4));
        for (const char* distribution : {"uniform", "zipfian", "latest", "hotspot", "exponential", "sequential"}) {
            Rig rig({{"workload", std::string("c")},
                     {"recordcount", std::int64_t(50)},
                     {"insertorder", std::string("ordered")},
                     {"zeropadding", std::int64_t(4)},
                     {"requestdistribution", std::string(distribution)}});
            std::set<std::string> seen;
            for (std::uint64_t i = 0; i < 3000; ++i)
                seen.insert(rig.run(i)[0].texts[0]);
            QVERIFY2(std::ranges::includes(keys, seen) && seen.size() > 40, distribution);
        }
    }

    void insertsTakeTheNextNumbers()
    {
        const Settings params{{"workload", std::string("custom")},
                              {"insert_proportion", 0.5},
                              {"read_proportion", 0.5},
                              {"requestdistribution", std::string("latest")},
                              {"recordcount", std::int64_t(10)},
                              {"insertorder", std::string("ordered")}};
        Rig rig(params, DataModel::Sql, {UserId(0), 2, 1});
        TestUser second(std::make_unique<RecordingSession>(), info().operations.size(), {UserId(1), 2, 1});
        auto& secondSession = static_cast<RecordingSession&>(*second.session);
        std::set<std::string> inserted;
        std::int64_t next = 10;
        bool readsNew = false;
        for (std::uint64_t i = 0; i < 300; ++i) {
            auto requests = rig.run(i);
            secondSession.requests.clear();
            second.run(*rig.instance, i);
            requests.push_back(secondSession.requests.at(0));
            for (const Recorded& request : requests) {
                const std::string& key = request.texts[0];
                if (rig.text(request).starts_with("INSERT")) {
                    QCOMPARE(key, keyOf(next++, true)); // no gap, none twice
                    QCOMPARE(request.texts.size(), std::size_t(11));
                } else {
                    const std::int64_t number = std::stoll(key.substr(4));
                    QVERIFY(number >= 0 && number < next);
                    readsNew = readsNew || number >= 10;
                }
            }
        }
        QVERIFY(next > 200 && readsNew);
    }

    void valuesAreYcsbs()
    {
        Random random(4);
        std::map<char, int> third;
        for (std::size_t length : {0, 1, 7, 8, 9, 23, 24, 25, 100, 1000}) {
            std::string text(length + 1, '\0');
            char* const end = ycsb::writeFieldText(text.data(), length, random);
            QCOMPARE(std::size_t(end - text.data()), length);
            QCOMPARE(text[length], '\0');
            text.pop_back();
            QVERIFY(isFieldText(text));
        }
        std::string many(300'000, ' ');
        ycsb::writeFieldText(many.data(), many.size(), random);
        for (std::size_t i = 2; i < many.size(); i += 3)
            ++third[many[i]];
        QCOMPARE(third.size(), std::size_t(64)); // six bits, evenly
        for (const auto& [c, count] : third)
            QVERIFY(std::abs(count - 100'000.0 / 64) < 5 * std::sqrt(100'000.0 / 64));
    }

    void fieldsHaveTheirLengths_data()
    {
        QTest::addColumn<QString>("distribution");
        QTest::addColumn<double>("mean");
        QTest::newRow("constant") << "constant" << 40.0;
        QTest::newRow("uniform") << "uniform" << 25.0; // 10 … 40
        // the mean of the quantile formula over 31 ranks, integrated numerically; 17.5 for the exact law
        QTest::newRow("zipfian") << "zipfian" << 16.54;
    }
    void fieldsHaveTheirLengths()
    {
        QFETCH(QString, distribution);
        QFETCH(double, mean);
        Rig rig({{"workload", std::string("custom")},
                 {"insert_proportion", 1.0},
                 {"fieldlength", std::int64_t(40)},
                 {"minfieldlength", std::int64_t(10)},
                 {"fieldlengthdistribution", distribution.toStdString()}});
        double sum = 0;
        std::set<std::size_t> lengths;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            const auto requests = rig.run(i);
            for (std::size_t f = 1; f < 11; ++f) {
                const std::string& text = requests[0].texts[f];
                QVERIFY(isFieldText(text) && text.size() >= 10 && text.size() <= 40);
                sum += double(text.size());
                lengths.insert(text.size());
            }
        }
        QVERIFY2(std::abs(sum / 20'000 - mean) < 0.4, qPrintable(QString::number(sum / 20'000)));
        QCOMPARE(lengths.size(), std::size_t(distribution == "constant" ? 1 : 31));
    }

    //! A row is a function of seed and number, whatever slices, models and ways of loading there are.
    void rowsAreTheSameHoweverLoaded()
    {
        const Settings params{{"recordcount", std::int64_t(1500)}, {"fieldlengthdistribution", std::string("uniform")}};
        const auto whole = loadedRows(params, DataModel::Sql, 1, 1500);
        QCOMPARE(whole.size(), std::size_t(1500));
        QCOMPARE(loadedRows(params, DataModel::Document, 1, 1500), whole);
        auto parts = loadedRows(params, DataModel::Sql, 1, 701);
        const auto rest = loadedRows(params, DataModel::Sql, 702, 1500);
        parts.insert(parts.end(), rest.begin(), rest.end());
        QCOMPARE(parts, whole);
        QVERIFY(loadedRows(params, DataModel::Sql, 1, 1500, 6) != whole);
        QVERIFY(whole[999].starts_with(keyOf(999) + "|"));

        // In bulk, with its escapes undone.
        Rig rig(params, DataModel::Sql, {UserId(0), 1, 5});
        QVERIFY(complete(rig.instance->load(rig.user.context, {1, 1, 1500, true}), rig.user.context) == Outcome::Ok);
        std::vector<std::string> lines;
        for (const Recorded& request : rig.session.requests) {
            QVERIFY(request.kind == RequestKind::Bulk);
            QVERIFY(request.text.starts_with("usertable (ycsb_key, field0,"));
            std::string line;
            for (std::size_t i = 0; i < request.value.size(); ++i) {
                const char c = request.value[i];
                if (c == '\\')
                    line += request.value.at(++i);
                else if (c == '\t' || c == '\n')
                    line += '|';
                else
                    line += c;
                if (c == '\n')
                    lines.push_back(std::exchange(line, {}));
            }
        }
        QCOMPARE(lines, whole);
    }

    //! Records of key-value stores are those of YCSB's RocksDB binding: lengths of four bytes, the highest first.
    void keyValueRecords()
    {
        const Settings params{
            {"fieldcount", std::int64_t(2)}, {"fieldlength", std::int64_t(5)}, {"recordcount", std::int64_t(3)}};
        const auto rows = loadedRows(params, DataModel::KeyValue, 1, 3);
        QCOMPARE(rows.size(), std::size_t(3));
        const std::string record = rows[1].substr(keyOf(1).size() + 1);
        const std::string four("\0\0\0", 3);
        QCOMPARE(record.size(), 2 * std::size_t(4 + 6 + 4 + 5) + 1);
        QVERIFY(record.starts_with(four + "\6field0" + four + "\5"));
        QCOMPARE(record.substr(19, 14), four + "\6field1" + four.substr(0, 3) + "\5");
        Settings updates = params;
        updates["workload"] = std::string("custom");
        updates["update_proportion"] = 1.0;
        Rig rig(updates, DataModel::KeyValue);
        const auto requests = rig.run();
        QCOMPARE(requests.size(), std::size_t(2)); // a field cannot be set alone
        QCOMPARE(rig.text(requests[0]), std::string("get usertable ?"));
        QCOMPARE(rig.text(requests[1]), std::string("put usertable ? ?"));
        QCOMPARE(requests[0].texts[0], requests[1].texts[0]);
        QCOMPARE(rig.counts()["update"], std::uint64_t(1));
    }

    void aTransactionAllocatesNothing_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<bool>("zipfianLengths");
        for (const DataModel model : {DataModel::Sql, DataModel::Document, DataModel::KeyValue}) {
            QTest::addRow("%s", toText(model)) << int(model) << false;
            QTest::addRow("%s, lengths differ", toText(model)) << int(model) << true;
        }
    }
    void aTransactionAllocatesNothing()
    {
        QFETCH(int, model);
        QFETCH(bool, zipfianLengths);
        Settings params = kEverything;
        params["requestdistribution"] = std::string("latest");
        if (zipfianLengths) {
            params["fieldlengthdistribution"] = params["scanlengthdistribution"] = std::string("zipfian");
            params["requestdistribution"] = std::string("zipfian");
        }
        Rig rig(params, DataModel(model));
        rig.session.keep = false;
        std::uint64_t sequence = 0;
        for (; sequence < 50; ++sequence)
            rig.user.run(*rig.instance, sequence);
        const std::uint64_t before = allocations();
        for (; sequence < 5000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(allocations() - before, std::uint64_t(0));
    }
};

} // namespace dyno::tst_ycsb

DYNO_SUITE(tst_ycsb, dyno::tst_ycsb::TstYcsb)
#include "tst_ycsb.moc"
