// SPDX-License-Identifier: GPL-3.0-or-later
// YCSB with dataintegrity: values that are made from keys, and what becomes of wrong ones.
#include "support/allocation_count.h"
#include "support/suite.h"
#include "workload/ycsb/integrity.h"
#include "ycsb_rig.h"

#include <QFile>
#include <QTest>

namespace dyno::tst_ycsb_verify {
using namespace dyno::test;
using namespace dyno::test::ycsb_rig;

class TstYcsbVerify : public QObject
{
    Q_OBJECT
private slots:
    //! Known values, worked out apart (see ycsb_values.py beside the file).
    void verifiableValuesAreYcsbs()
    {
        QFile file(DYNO_TEST_DATA "/ycsb_values.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        int lines = 0;
        while (!file.atEnd()) {
            const QList<QByteArray> parts = file.readLine().trimmed().split(' ');
            QCOMPARE(parts.size(), 4);
            const std::string key = parts[0].toStdString(), value = parts[3].toStdString();
            const int field = parts[1].mid(5).toInt();
            const auto length = std::size_t(parts[2].toInt());
            std::string text(length + 1, '\0');
            QCOMPARE(ycsb::writeDeterministicText(text.data(), key, field, length), text.data() + length);
            QCOMPARE(text, value + '\0');
            QVERIFY(ycsb::isDeterministicText(value, key, field, length));
            for (const std::size_t place : {std::size_t(0), length / 2, length - 1}) {
                std::string wrong = value;
                wrong[place] ^= 1;
                QVERIFY(!ycsb::isDeterministicText(wrong, key, field, length));
            }
            QVERIFY(!ycsb::isDeterministicText(value + "0", key, field, length));
            QVERIFY(!ycsb::isDeterministicText(std::string_view(value).substr(0, length - 1), key, field, length));
            ++lines;
        }
        QVERIFY(lines > 100);
    }

    void verifyingNeedsLengthsThatAreKnown()
    {
        Settings params{{"dataintegrity", true}, {"fieldlengthdistribution", std::string("uniform")}};
        const auto refused = tryBind(params, driverOf(DataModel::Sql));
        QVERIFY(!refused);
        QCOMPARE(refused.error().where, std::string("workload.fieldlengthdistribution"));
        params.erase("fieldlengthdistribution");
        QVERIFY(tryBind(params, driverOf(DataModel::Sql)) && tryBind(params, driverOf(DataModel::Document)));
        QVERIFY(!tryBind(params, driverOf(DataModel::KeyValue)));
    }

    //! What was loaded and what updates write is made from keys, however it goes to the server.
    void verifiableRecords()
    {
        const Settings params{{"dataintegrity", true},
                              {"recordcount", std::int64_t(3)},
                              {"fieldcount", std::int64_t(2)},
                              {"fieldlength", std::int64_t(40)}};
        const std::string key = keyOf(1);
        std::string values[2] = {std::string(40, ' '), std::string(40, ' ')};
        for (int i = 0; i < 2; ++i)
            ycsb::writeDeterministicText(values[i].data(), key, i, 40);
        const auto rows = loadedRows(params, DataModel::Sql, 1, 3);
        QCOMPARE(rows.at(1), key + '|' + values[0] + '|' + values[1] + '|');
        QCOMPARE(loadedRows(params, DataModel::Document, 1, 3, 9), rows);
        Rig bulk(params);
        QVERIFY(complete(bulk.instance->load(bulk.user.context, {1, 2, 2, true}), bulk.user.context) == Outcome::Ok);
        QCOMPARE(bulk.session.requests.at(0).value, key + '\t' + values[0] + '\t' + values[1] + '\n');
        Settings updates = params;
        updates["workload"] = std::string("custom");
        updates["update_proportion"] = 1.0;
        updates["requestdistribution"] = std::string("sequential");
        Rig rig(updates);
        const auto update = rig.run(1);
        QCOMPARE(update.at(0).texts.at(1), key);
        QVERIFY(update[0].texts[0] == values[0] || update[0].texts[0] == values[1]);
    }

    //! A wrong value is an error of its own, in reads, scans and read-modify-writes, of one field and of all.
    void wrongValuesAreErrors_data()
    {
        QTest::addColumn<QString>("share");
        QTest::addColumn<bool>("whole");
        for (const char* share : {"read_proportion", "scan_proportion", "read_modify_write_proportion"}) {
            QTest::addRow("%s of all fields", share) << share << true;
            QTest::addRow("%s of one field", share) << share << false;
        }
    }
    void wrongValuesAreErrors()
    {
        QFETCH(QString, share);
        QFETCH(bool, whole);
        Rig rig({{"workload", std::string("custom")},
                 {share.toStdString(), 1.0},
                 {"dataintegrity", true},
                 {"readallfields", whole},
                 {"fieldcount", std::int64_t(1)},
                 {"fieldlength", std::int64_t(60)},
                 {"requestdistribution", std::string("sequential")}});
        const std::string key = keyOf(1);
        std::string value(60, ' ');
        ycsb::writeDeterministicText(value.data(), key, 0, 60);
        const bool withKey = whole || share.startsWith("scan");
        const auto answer = [&](const std::string& text) {
            rig.session.rows = {{}};
            if (withKey)
                rig.session.rows[0].push_back(Param::of(std::string_view(key)));
            rig.session.rows[0].push_back(Param::of(std::string_view(text)));
            rig.run(1);
        };
        answer(value);
        QCOMPARE(rig.outcome, Outcome::Ok);
        const std::string wrong = value.substr(0, 59) + "x", shorter = value.substr(0, 59), none;
        for (const std::string& text : {wrong, shorter, none}) {
            answer(text);
            QCOMPARE(rig.outcome, Outcome::Rejected);
            QCOMPARE(rig.user.context.lastCode(), -409);
            QVERIFY(rig.user.context.errorText().find("dataintegrity") != std::string::npos);
        }
        rig.session.rows = {{Param::of(std::int64_t(1)), {}}}; // no text, and null
        rig.run(1);
        QCOMPARE(rig.user.context.lastCode(), -409);
        rig.session.keep = false;
        answer(value);
        const std::uint64_t before = allocations();
        for (std::uint64_t i = 0; i < 1000; ++i)
            rig.user.run(*rig.instance, 1);
        QCOMPARE(allocations() - before, std::uint64_t(0));
    }
};

} // namespace dyno::tst_ycsb_verify

DYNO_SUITE(tst_ycsb_verify, dyno::tst_ycsb_verify::TstYcsbVerify)
#include "tst_ycsb_verify.moc"
