// SPDX-License-Identifier: GPL-3.0-or-later
// db_bench's randomtransaction: what is sent in which order, and what is drawn, by χ² against its closed forms.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"

#include <QTest>

#include <set>

namespace dyno::tst_random_transaction {
using namespace dyno::test;

namespace {

constexpr std::int64_t kKeys = 500, kSets = 4;

RecordingRig rigOf(DataModel model, std::int64_t sets = kSets)
{
    return RecordingRig("randomtransaction",
                        tryBindModel("randomtransaction", {{"keys", kKeys}, {"sets", sets}}, model).value(),
                        {UserId(1), 4, 21});
}

} // namespace

class TstRandomTransaction : public QObject
{
    Q_OBJECT
private slots:
    void readsAndIncrementsOneKeyOfEachSet_data()
    {
        QTest::addColumn<DataModel>("model");
        QTest::addColumn<int>("sets");
        for (const int sets : {1, 4}) {
            QTest::addRow("SQL, %d", sets) << DataModel::Sql << sets;
            QTest::addRow("key-value, %d", sets) << DataModel::KeyValue << sets;
        }
    }
    //! Begin, a read for update and a write of a key of the first set, of the second …, commit. What is written is what
    //! was read, with the same increment for all.
    void readsAndIncrementsOneKeyOfEachSet()
    {
        QFETCH(DataModel, model);
        QFETCH(int, sets);
        const bool keyValue = model == DataModel::KeyValue;
        RecordingRig rig = rigOf(model, sets);
        constexpr std::int64_t kBefore = 7000;
        if (keyValue)
            rig.session.rows = {{Param::of(std::string_view("key")), Param::of(std::string_view("7000"))}};
        else
            rig.session.rows = {{Param::of(kBefore)}};
        std::set<std::int64_t> increments;
        for (std::uint64_t i = 0; i < 50; ++i) {
            const std::vector<Recorded> sent = rig.run(i);
            QVERIFY(rig.outcome == Outcome::Ok);
            QCOMPARE(sent.size(), std::size_t(2 + 2 * sets));
            QVERIFY(sent.front().kind == RequestKind::Begin && sent.back().kind == RequestKind::Commit);
            std::set<std::int64_t> added;
            for (int set = 0; set < sets; ++set) {
                const Recorded& read = sent[std::size_t(1 + 2 * set)];
                const Recorded& write = sent[std::size_t(2 + 2 * set)];
                if (keyValue) {
                    QCOMPARE(rig.text(read), std::string("get key_sets ? for update"));
                    QCOMPARE(rig.text(write), std::string("put key_sets ? ?"));
                    QCOMPARE(read.texts.at(0).substr(0, 4), "000" + std::to_string(set + 1));
                    QCOMPARE(write.texts.at(0), read.texts.at(0));
                    added.insert(write.number(1) - kBefore);
                } else {
                    QCOMPARE(rig.text(read),
                             std::string("SELECT total FROM key_sets WHERE set_no = ? AND key_no = ? FOR UPDATE"));
                    QCOMPARE(rig.text(write),
                             std::string("UPDATE key_sets SET total = ? WHERE set_no = ? AND key_no = ?"));
                    QCOMPARE(read.number(0), std::int64_t(set + 1));
                    QVERIFY(write.number(1) == read.number(0) && write.number(2) == read.number(1));
                    added.insert(write.number(0) - kBefore);
                }
            }
            QCOMPARE(added.size(), std::size_t(1));
            increments.merge(added);
        }
        QVERIFY(increments.size() > 10 && *increments.begin() >= 1 && *increments.rbegin() <= 100);
    }

    //! rand % 100 + 1, and rand % num for each set by itself.
    void drawsAreEven()
    {
        constexpr int kDone = 50'000;
        RecordingRig rig = rigOf(DataModel::Sql);
        rig.session.rows = {{Param::of(std::int64_t(0))}};
        std::vector<double> increments(100, 0), together(25, 0);
        std::vector<std::vector<double>> keys(kSets, std::vector<double>(kKeys, 0));
        for (std::uint64_t i = 0; i < kDone; ++i) {
            const auto& sent = rig.run(i);
            ++increments.at(std::size_t(sent.at(2).number(0) - 1));
            for (std::size_t set = 0; set < kSets; ++set)
                ++keys[set].at(std::size_t(sent.at(1 + 2 * set).number(1)));
            ++together.at(std::size_t(sent.at(1).number(1) / 100 * 5 + sent.at(3).number(1) / 100));
        }
        const auto fits = [](const std::vector<double>& counts, const char* what) {
            const ChiSquare result = chiSquareUniform(counts);
            QVERIFY2(result.cells == int(counts.size()) && result.fits(),
                     qPrintable(QString("%1: %2").arg(what, result.text())));
        };
        fits(increments, "increment");
        for (const std::vector<double>& ofSet : keys)
            fits(ofSet, "key of a set");
        fits(together, "keys of the first two sets");
    }

    void rowsAreAllKeysOfAllSets()
    {
        for (const DataModel model : {DataModel::Sql, DataModel::KeyValue}) {
            RecordingRig rig = rigOf(model);
            const TableSpec table = rig.instance->tables().at(0);
            QCOMPARE(table.rows, kKeys * kSets);
            std::set<std::pair<std::int64_t, std::int64_t>> seen;
            for (std::int64_t first = 1; first <= table.rows; first += 777) {
                for (const Recorded& request : rig.load({1, first, std::min(table.rows, first + 776)})) {
                    if (request.kind != RequestKind::Execute)
                        continue;
                    for (std::size_t i = 0; i < request.params.size(); i += 2) {
                        if (model == DataModel::Sql) {
                            QVERIFY(seen.insert({request.number(i), request.number(i + 1)}).second);
                            continue;
                        }
                        const std::string& key = request.texts.at(i);
                        QCOMPARE(request.number(i + 1), std::int64_t(0));
                        QVERIFY(seen.insert({std::stoll(key.substr(0, 4)), std::stoll(key.substr(4))}).second);
                    }
                }
            }
            QCOMPARE(std::int64_t(seen.size()), kKeys * kSets);
            QVERIFY(*seen.begin() == std::pair(std::int64_t(1), std::int64_t(0)));
            QVERIFY(*seen.rbegin() == std::pair(kSets, kKeys - 1));
        }
    }

    //! A key that is not there is other data than the parameters say, and no fast success.
    void aMissingKeyFails()
    {
        RecordingRig rig = rigOf(DataModel::KeyValue);
        rig.session.answer.rows = 0;
        rig.run();
        QVERIFY(rig.outcome == Outcome::Rejected);
        QCOMPARE(rig.user.context.lastCode(), -404);
    }
};

} // namespace dyno::tst_random_transaction

DYNO_SUITE(tst_random_transaction, dyno::tst_random_transaction::TstRandomTransaction)
#include "tst_random_transaction.moc"
