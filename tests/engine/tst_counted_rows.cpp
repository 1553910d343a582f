// SPDX-License-Identifier: GPL-3.0-or-later
// Changed rows count once they are committed: those of a transaction in which any request fails are not there. Rows of
// each kind of operation count with its answer.
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTest>

#include <algorithm>

namespace dyno::tst_counted_rows {
using namespace dyno::test;

namespace {

//! What a transaction of `workload` counts whose request number `failAt` fails (0: none does).
struct Attempt
{
    std::uint64_t rows = 0;
    std::vector<OpInterval> ops;
    Outcome outcome = Outcome::Ok;
    std::vector<Recorded> requests;
};

Attempt attempt(const WorkloadInstance& instance, std::size_t operations, std::size_t failAt, std::uint64_t sequence)
{
    TestUser user(std::make_unique<RecordingSession>(), operations);
    auto& session = static_cast<RecordingSession&>(*user.session);
    session.answer = {.rows = 1, .affected = 1};
    session.rows = {std::vector<Param>(8, Param::of(std::int64_t(1)))};
    session.failAt = failAt;
    Attempt done;
    done.outcome = user.run(instance, sequence);
    if (done.outcome != Outcome::Ok) // as a virtual user does
        complete(stepOf(user.context, Request::step(RequestKind::Rollback)), user.context);
    IntervalSample counted = IntervalSampler(user.recorder).take();
    done.rows = counted.rows;
    done.ops = std::move(counted.ops);
    done.requests = session.requests;
    return done;
}

bool isTransaction(const Attempt& attempt)
{
    return !attempt.requests.empty() && attempt.requests.front().kind == RequestKind::Begin;
}

} // namespace

class TstCountedRows : public QObject
{
    Q_OBJECT

private slots:
    void nothingOfAFailedTransactionCounts_data()
    {
        QTest::addColumn<QString>("workload");
        for (const char* workload :
             {"oltp_read_write", "oltp_write_only", "tpcb", "randomtransaction", "tpcc", "brokerage", "linkbench"})
            QTest::newRow(workload) << workload;
    }
    void nothingOfAFailedTransactionCounts()
    {
        QFETCH(QString, workload);
        const std::string name = workload.toStdString();
        const std::size_t operations = workloadFor(name)->info().operations.size();
        const auto instance = bind(name, {}, "mysql");
        int written = 0;
        for (std::uint64_t sequence = 0; sequence < 60; ++sequence) {
            const Attempt whole = attempt(*instance, operations, 0, sequence);
            if (whole.outcome != Outcome::Ok || !isTransaction(whole) ||
                whole.requests.back().kind != RequestKind::Commit)
                continue; // a read alone, or a rollback that the definition asks for
            written += whole.rows > 0;
            for (std::size_t at = 1; at <= whole.requests.size(); ++at) {
                const Attempt failed = attempt(*instance, operations, at, sequence);
                if (failed.outcome == Outcome::Ok && failed.requests.size() < at)
                    continue; // brokerage's market had no order left to fill: another transaction, and a shorter one
                QVERIFY(failed.outcome != Outcome::Ok);
                QCOMPARE(failed.rows, std::uint64_t(0));
            }
        }
        QVERIFY(written > 0);
    }

    //! A purge of sysbench-tpcc is ten transactions: those before the one that failed are there.
    void eachPurgeCommitsByItself()
    {
        const std::size_t operations = workloadFor("tpcc")->info().operations.size();
        const auto instance = bind("tpcc", {{"profile", std::string("sysbench-tpcc")}, {"purge", true}}, "mysql");
        for (std::uint64_t sequence = 0; sequence < 1000; ++sequence) {
            const Attempt whole = attempt(*instance, operations, 0, sequence);
            if (std::ranges::count(whole.requests, RequestKind::Commit, &Recorded::kind) != 10)
                continue;
            const std::size_t each = whole.requests.size() / 10;
            QCOMPARE(each, std::size_t(7)); // BEGIN, two reads, three DELETEs, COMMIT
            QCOMPARE(whole.rows, std::uint64_t(30));
            for (std::size_t at = 1; at <= whole.requests.size(); ++at)
                QCOMPARE(attempt(*instance, operations, at, sequence).rows, std::uint64_t(3 * ((at - 1) / each)));
            return;
        }
        QFAIL("no purge among a thousand transactions");
    }

    //! So is a delivery of tpcc-mysql, a transaction for each district: a lost one does not take the others' rows away.
    void eachDistrictIsDeliveredByItself()
    {
        const std::size_t operations = workloadFor("tpcc")->info().operations.size();
        const auto instance = bind("tpcc", {{"profile", std::string("tpcc-mysql")}}, "mysql");
        for (std::uint64_t sequence = 0; sequence < 1000; ++sequence) {
            const Attempt whole = attempt(*instance, operations, 0, sequence);
            if (std::ranges::count(whole.requests, RequestKind::Commit, &Recorded::kind) != 10)
                continue;
            const std::size_t each = whole.requests.size() / 10;
            QCOMPARE(each, std::size_t(9)); // BEGIN, MIN, DELETE, SELECT, two UPDATEs, SELECT, UPDATE, COMMIT
            QCOMPARE(whole.rows, std::uint64_t(40));
            for (std::size_t at = 1; at <= whole.requests.size(); ++at)
                QCOMPARE(attempt(*instance, operations, at, sequence).rows, std::uint64_t(4 * ((at - 1) / each)));
            return;
        }
        QFAIL("no delivery among a thousand transactions");
    }

    //! The session answers everything with one row that is read and changed at once: it counts once. An operation of
    //! many requests has the rows of all of them, whichever transaction came before.
    void eachKindHasItsRows_data()
    {
        QTest::addColumn<QString>("workload");
        for (const char* workload : {"oltp_read_write", "tpcc", "brokerage", "linkbench", "ycsb", "script"})
            QTest::newRow(workload) << workload;
    }
    void eachKindHasItsRows()
    {
        QFETCH(QString, workload);
        const std::string name = workload.toStdString();
        const auto instance = bind(name, {}, "mysql");
        const std::size_t operations = workloadFor(name)->operations({}).size();
        int done = 0;
        for (std::uint64_t sequence = 0; sequence < 60; ++sequence) {
            const Attempt whole = attempt(*instance, operations, 0, sequence);
            if (whole.outcome != Outcome::Ok)
                continue;
            ++done;
            std::uint64_t rows = 0;
            for (const OpInterval& op : whole.ops) {
                rows += op.rows.value_or(0);
                QVERIFY(op.count > 0 || op.rows == 0U);
            }
            QCOMPARE(rows, std::uint64_t(whole.requests.size()));
        }
        QVERIFY(done > 0);
    }

    //! What failed has none, and leaves none to the next operation.
    void failedKindsHaveNoRows()
    {
        const std::size_t operations = workloadFor("tpcc")->info().operations.size();
        const auto instance = bind("tpcc", {}, "mysql");
        TestUser user(std::make_unique<RecordingSession>(), operations);
        auto& session = static_cast<RecordingSession&>(*user.session);
        session.answer = {.rows = 1, .affected = 1};
        session.rows = {std::vector<Param>(8, Param::of(std::int64_t(1)))};
        session.failAt = 3;
        QVERIFY(user.run(*instance, 0) == Outcome::Retryable);
        session.requests.clear();
        QVERIFY(user.run(*instance, 0) == Outcome::Ok);
        std::uint64_t rows = 0, errors = 0;
        for (const OpInterval& op : IntervalSampler(user.recorder).take().ops) {
            rows += op.rows.value_or(0);
            errors += op.errors;
        }
        QCOMPARE(errors, std::uint64_t(1));
        QCOMPARE(rows, std::uint64_t(session.requests.size()));
    }

    //! Every statement commits by itself: what came before the one that failed is there.
    void withoutATransactionEachStatementCounts()
    {
        const std::size_t operations = workloadFor("oltp_write_only")->info().operations.size();
        const auto instance = bind("oltp_write_only", {{"skip_trx", true}}, "mysql");
        const Attempt whole = attempt(*instance, operations, 0, 0);
        QVERIFY(!isTransaction(whole));
        QCOMPARE(whole.rows, std::uint64_t(whole.requests.size()));
        for (std::size_t at = 1; at <= whole.requests.size(); ++at)
            QCOMPARE(attempt(*instance, operations, at, 0).rows, std::uint64_t(at - 1));
    }

    //! Rows of a transaction that was given up are not those of the next.
    void theNextTransactionBeginsAnew()
    {
        const std::size_t operations = workloadFor("oltp_write_only")->info().operations.size();
        const auto instance = bind("oltp_write_only", {}, "mysql");
        const std::uint64_t usual = attempt(*instance, operations, 0, 0).rows;
        QCOMPARE(usual, std::uint64_t(4)); // two updates, a delete, an insert
        TestUser user(std::make_unique<RecordingSession>(), operations);
        auto& session = static_cast<RecordingSession&>(*user.session);
        session.answer = {.rows = 1, .affected = 1};
        session.failAt = 4;
        session.failure = {Outcome::Disconnected, 2013}; // nothing is rolled back then
        QVERIFY(user.run(*instance, 0) == Outcome::Disconnected);
        QVERIFY(user.run(*instance, 0) == Outcome::Ok);
        QCOMPARE(IntervalSampler(user.recorder).take().rows, usual);
    }
};

} // namespace dyno::tst_counted_rows

DYNO_SUITE(tst_counted_rows, dyno::tst_counted_rows::TstCountedRows)
#include "tst_counted_rows.moc"
