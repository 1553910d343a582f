// SPDX-License-Identifier: GPL-3.0-or-later
// TPC-B as pgbench's scripts have it: what is drawn, by χ² against its closed forms, and what is sent with it.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <map>

namespace dyno::tst_tpcb {
using namespace dyno::test;

namespace {

constexpr std::int64_t kScale = 5, kAccounts = 100'000 * kScale, kTellers = 10 * kScale;
constexpr std::int64_t kMostDelta = 5000;

RecordingRig rigOf(const QString& script, std::int64_t scale = kScale)
{
    return RecordingRig("tpcb", {{"scale", scale}, {"script", script.toStdString()}}, {UserId(1), 4, 21});
}

//! What pgbench sets before a transaction.
struct Variables
{
    std::int64_t aid = 0, bid = 0, tid = 0, delta = 0;
};

} // namespace

class TstTpcb : public QObject
{
    Q_OBJECT
private slots:
    void statementsAreThoseOfTheScript_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QStringList>("wanted");
        const QString account = "UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?";
        const QString balance = "SELECT abalance FROM pgbench_accounts WHERE aid = ?";
        const QString teller = "UPDATE pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?";
        const QString branch = "UPDATE pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?";
        const QString history =
            "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)";
        QTest::newRow("tpcb-like") << "tpcb-like"
                                   << QStringList{"BEGIN", account, balance, teller, branch, history, "COMMIT"};
        QTest::newRow("simple-update") << "simple-update" << QStringList{"BEGIN", account, balance, history, "COMMIT"};
        QTest::newRow("select-only") << "select-only" << QStringList{balance};
    }
    //! pgbench's built-in scripts, word by word but for their parameters; each statement has the same four variables.
    void statementsAreThoseOfTheScript()
    {
        QFETCH(QString, script);
        QFETCH(QStringList, wanted);
        RecordingRig rig = rigOf(script);
        for (std::uint64_t i = 0; i < 200; ++i) {
            QStringList sent;
            Variables all;
            const auto& requests = rig.run(i);
            QVERIFY(rig.outcome == Outcome::Ok);
            for (const Recorded& request : requests) {
                if (request.kind != RequestKind::Execute) {
                    sent << (request.kind == RequestKind::Begin ? "BEGIN" : "COMMIT");
                    continue;
                }
                const QString text = QString::fromStdString(rig.text(request));
                sent << text;
                if (text.startsWith("INSERT"))
                    all = {request.number(2), request.number(1), request.number(0), request.number(3)};
            }
            QCOMPARE(sent, wanted);
            if (script == "select-only")
                continue;
            for (const Recorded& request : requests) {
                if (request.kind != RequestKind::Execute)
                    continue;
                const QString text = QString::fromStdString(rig.text(request));
                const std::int64_t key = text.contains("tellers")    ? all.tid
                                         : text.contains("branches") ? all.bid
                                                                     : all.aid;
                if (text.startsWith("UPDATE"))
                    QVERIFY(request.number(0) == all.delta && request.number(1) == key);
                else if (text.startsWith("SELECT"))
                    QCOMPARE(request.number(0), all.aid);
            }
        }
    }

    void variablesAreEven_data()
    {
        QTest::addColumn<QString>("script");
        for (const char* script : {"tpcb-like", "simple-update", "select-only"})
            QTest::newRow(script) << script;
    }
    //! \set aid random(1, 100000 * :scale), bid random(1, 1 * :scale), tid random(1, 10 * :scale), delta random(-5000,
    //! 5000): each by itself, so that neither teller nor account is of the branch more often than chance has it.
    void variablesAreEven()
    {
        QFETCH(QString, script);
        constexpr int kDone = 200'000;
        RecordingRig rig = rigOf(script);
        std::vector<double> accounts(kAccounts / 100, 0), branches(kScale, 0), tellers(kTellers, 0),
            deltas(2 * kMostDelta + 1, 0);
        std::vector<double> ofTeller(kScale * kScale, 0), ofAccount(kScale * kScale, 0),
            tellersAccount(kScale * kScale, 0);
        std::vector<double> deltaOfAccount(100, 0), lastDigits(100, 0);
        for (std::uint64_t i = 0; i < kDone; ++i) {
            const Recorded* last = nullptr; // the insert, or the select
            for (const Recorded& request : rig.run(i)) {
                if (request.kind == RequestKind::Execute)
                    last = &request;
            }
            const bool only = script == "select-only";
            const Variables drawn = only
                                        ? Variables{last->number(0), 1, 1, 0}
                                        : Variables{last->number(2), last->number(1), last->number(0), last->number(3)};
            QVERIFY(drawn.aid >= 1 && drawn.aid <= kAccounts);
            ++accounts[std::size_t((drawn.aid - 1) / 100)];
            ++lastDigits[std::size_t(drawn.aid % 100)];
            if (only)
                continue;
            ++branches.at(std::size_t(drawn.bid - 1));
            ++tellers.at(std::size_t(drawn.tid - 1));
            ++deltas.at(std::size_t(drawn.delta + kMostDelta));
            const std::int64_t tellersBranch = (drawn.tid - 1) / 10, accountsBranch = (drawn.aid - 1) / 100'000;
            ++ofTeller[std::size_t(tellersBranch * kScale + drawn.bid - 1)];
            ++ofAccount[std::size_t(accountsBranch * kScale + drawn.bid - 1)];
            ++tellersAccount[std::size_t(tellersBranch * kScale + accountsBranch)];
            if (drawn.delta < kMostDelta) // of 10 001 the last one: tenths are alike then
                ++deltaOfAccount[std::size_t((drawn.delta + kMostDelta) / 1000 * 10 +
                                             (drawn.aid - 1) / (kAccounts / 10))];
        }
        std::map<const char*, std::vector<double>> all{{"account", accounts}, {"account's last digits", lastDigits}};
        if (script != "select-only")
            all.insert({{"branch", branches},
                        {"teller", tellers},
                        {"delta", deltas},
                        {"teller's branch and branch", ofTeller},
                        {"account's branch and branch", ofAccount},
                        {"teller's and account's branch", tellersAccount},
                        {"delta and account", deltaOfAccount}});
        for (const auto& [name, counts] : all) {
            const ChiSquare result = chiSquareUniform(counts);
            QVERIFY2(result.cells == int(counts.size()) && result.fits(),
                     qPrintable(QString("%1: %2").arg(name, result.text())));
        }
    }

    //! pgbench -i: 100 000 accounts and ten tellers a branch, numbered one branch after the other; all balances are 0.
    void rowsAreThoseOfPgbench()
    {
        RecordingRig rig = rigOf("tpcb-like");
        const std::vector<TableSpec> tables = rig.instance->tables();
        const std::map<std::string, std::pair<std::int64_t, std::int64_t>> wanted{
            // rows, and of these of one branch
            {"pgbench_accounts", {kAccounts, 100'000}},
            {"pgbench_tellers", {kTellers, 10}},
            {"pgbench_branches", {kScale, 1}},
            {"pgbench_history", {0, 1}}};
        QCOMPARE(tables.size(), wanted.size());
        for (std::size_t t = 0; t < tables.size(); ++t) {
            const auto& [rows, ofBranch] = wanted.at(tables[t].name);
            QCOMPARE(tables[t].rows, rows);
            const std::size_t perRow = tables[t].name == "pgbench_branches" ? 1 : 2;
            std::int64_t row = 0;
            const StatementSet all = rig.instance->loaderStatements();
            for (std::int64_t first = 1; first <= rows; first += 50'000) {
                for (const Recorded& request : rig.load({int(t) + 1, first, std::min(rows, first + 49'999)})) {
                    if (request.kind != RequestKind::Execute)
                        continue;
                    QVERIFY(all.at(request.statement).text.starts_with("INSERT INTO " + tables[t].name + " ("));
                    for (std::size_t i = 0; i < request.params.size(); i += perRow) {
                        QCOMPARE(request.number(i), ++row);
                        if (perRow == 2)
                            QCOMPARE(request.number(i + 1), (row - 1) / ofBranch + 1);
                    }
                }
            }
            QCOMPARE(row, rows);
        }
        // the numbers bound are key and branch, balances are part of the text
        for (const StatementSpec& spec : rig.instance->loaderStatements()) {
            if (spec.text.starts_with("INSERT INTO pgbench_accounts"))
                QVERIFY(spec.text.find("(aid, bid, abalance, filler) VALUES (?, ?, 0, '')") != std::string::npos);
            else if (spec.text.starts_with("INSERT INTO pgbench_tellers"))
                QVERIFY(spec.text.find("(tid, bid, tbalance) VALUES (?, ?, 0)") != std::string::npos);
            else if (spec.text.starts_with("INSERT INTO pgbench_branches"))
                QVERIFY(spec.text.find("(bid, bbalance) VALUES (?, 0)") != std::string::npos);
        }
    }
};

} // namespace dyno::tst_tpcb

DYNO_SUITE(tst_tpcb, dyno::tst_tpcb::TstTpcb)
#include "tst_tpcb.moc"
