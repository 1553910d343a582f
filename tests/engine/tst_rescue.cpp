// SPDX-License-Identifier: GPL-3.0-or-later
// A library that goes away while a session is recorded: what is measured stays in memory, and all of the session gets
// into another file.
#include "recording_sink.h"
#include "store/library/database.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fs = std::filesystem;
namespace dyno::tst_rescue {
using dyno::test::must;

namespace {

//! Passes everything on, and does something before one of the intervals.
class Interrupting : public SampleSink
{
public:
    Interrupting(SessionWriter& writer, int before, std::function<void()> act)
        : m_writer(writer)
        , m_before(before)
        , m_act(std::move(act))
    {
    }
    void onSessionStarted(const SessionHeader& value) override { m_writer.onSessionStarted(value); }
    void onRunStarted(const RunHeader& value) override { m_writer.onRunStarted(value); }
    void onSample(const IntervalSample& value) override
    {
        if (m_samples++ == m_before)
            m_act();
        m_writer.onSample(value);
    }
    void onEvent(const RunEvent& value) override { m_writer.onEvent(value); }
    void onRunAftermath(const RunAftermath& value) override { m_writer.onRunAftermath(value); }
    void onRunFinished(const RunSummary& value) override { m_writer.onRunFinished(value); }
    void onSessionFinished(const SessionSummary& value) override { m_writer.onSessionFinished(value); }

private:
    SessionWriter& m_writer;
    int m_before;
    int m_samples = 0;
    std::function<void()> m_act;
};

bool same(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool same(const OpInterval& a, const OpInterval& b)
{
    return a.count == b.count && a.errors == b.errors && a.service == b.service && a.response == b.response;
}

bool same(const IntervalSample& a, const IntervalSample& b)
{
    return a.tNs == b.tNs && a.lengthNs == b.lengthNs && a.phase == b.phase && same(a.transaction, b.transaction) &&
           std::ranges::equal(a.ops, b.ops, [](const OpInterval& x, const OpInterval& y) { return same(x, y); }) &&
           a.retried == b.retried && a.dropped == b.dropped && a.arrivals == b.arrivals && a.backlog == b.backlog &&
           a.rows == b.rows && a.lockWaits == b.lockWaits && a.errors == b.errors && a.users == b.users &&
           std::ranges::equal(a.counters, b.counters, [](double x, double y) { return same(x, y); });
}

void compareSessions(Library& found, Library& wanted, const std::string& id)
{
    const StoredSession one = must(found.session(id)), other = must(wanted.session(id));
    QCOMPARE(one.info.status, other.info.status);
    QCOMPARE(one.info.reason, other.info.reason);
    QCOMPARE(one.info.finishedMs, other.info.finishedMs);
    QCOMPARE(one.runs.size(), other.runs.size());
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
        const StoredRun &a = one.runs[i], &b = other.runs[i];
        QCOMPARE(a.summary.status, b.summary.status);
        QCOMPARE(a.summary.tps, b.summary.tps);
        QCOMPARE(a.summary.response.p99Ms, b.summary.response.p99Ms);
        QCOMPARE(a.header.server.variables == b.header.server.variables, true);
        QCOMPARE(a.aftermath.has_value(), b.aftermath.has_value());
        const auto intervals = must(found.intervals(a.id)), expected = must(wanted.intervals(b.id));
        QCOMPARE(intervals.size(), expected.size());
        for (std::size_t n = 0; n < intervals.size(); ++n)
            QVERIFY2(same(intervals[n], expected[n]), qPrintable(QString("run %1, interval %2").arg(i).arg(n)));
        const auto events = must(found.events(a.id)), told = must(wanted.events(b.id));
        QCOMPARE(events.size(), told.size());
        for (std::size_t n = 0; n < events.size(); ++n)
            QCOMPARE(events[n].text, told[n].text);
    }
}

} // namespace

class TestRescue : public QObject
{
    Q_OBJECT
private slots:
    void theLibraryIsDeleted_data()
    {
        QTest::addColumn<int>("before"); //!< which interval, of 20 in each run
        QTest::addColumn<bool>("flushed");
        QTest::newRow("at the first interval") << 0 << true;
        QTest::newRow("in the first run") << 7 << true;
        QTest::newRow("in the third run") << 47 << true;
        QTest::newRow("before a run's end") << 39 << true;
        QTest::newRow("while it is written") << 31 << false;
    }
    void theLibraryIsDeleted()
    {
        QFETCH(int, before);
        QFETCH(bool, flushed);
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        sample::Options options;
        options.counters = options.openLoop = true;
        options.hiddenCounters = 4;
        {
            auto whole = must(SessionWriter::open(folder / "whole.dynolib"));
            sample::feed(*whole, options);
            QVERIFY(whole->flush());
        }
        const fs::path file = folder / "gone.dynolib";
        auto writer = must(SessionWriter::open(file));
        Interrupting sink(*writer, before, [&] {
            if (flushed)
                QVERIFY(writer->flush());
            QVERIFY(!writer->problem() && fs::remove(file));
        });
        const SessionHeader session = sample::feed(sink, options);
        const auto lost = writer->flush();
        QVERIFY(!lost);
        QVERIFY2(lost.error().message.find("moved or deleted") != std::string::npos, lost.error().text().c_str());
        QVERIFY(writer->problem().has_value());
        QVERIFY(writer->keptShare() > 0 && writer->keptShare() < 1);
        const fs::path rescued = must(writer->rescue());
        QCOMPARE(rescued, folder / ("rescued-" + session.id + ".dyno"));
        writer.reset();
        auto found = must(Library::open(rescued, Library::Mode::ReadOnly));
        auto wanted = must(Library::open(folder / "whole.dynolib", Library::Mode::ReadOnly));
        compareSessions(*found, *wanted, session.id);
        QCOMPARE(must(found->check()).problems, std::vector<std::string>());
        // It can be taken over.
        auto other = must(Library::open(folder / "other.dynolib", Library::Mode::ReadWrite));
        QCOMPARE(must(other->importFile(rescued)), std::vector<std::string>{session.id});
    }

    //! A setting must never be changed without a record, nor a record be made of what was not changed.
    void aChangeThatCannotBeWrittenDownIsRefused()
    {
        const QTemporaryDir dir;
        const fs::path file = fs::path(dir.path().toStdString()) / "held.dynolib";
        auto writer = must(SessionWriter::open(file, {.busyMs = 10, .triesWhenWaitedFor = 2}));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        QVERIFY(writer->recordKnobChange("mysql://db1", "sync_binlog", "1", "0"));
        auto other = must(Database::open(file, Database::Access::ReadWrite));
        other->exec("BEGIN IMMEDIATE");
        QVERIFY(other->result());
        QVERIFY(!writer->recordKnobChange("mysql://db1", "innodb_io_capacity", "200", "400"));
        other->exec("COMMIT");
        QVERIFY(other->result());
        QVERIFY(writer->flush()); // the rest is written now
        QVERIFY(!writer->problem());
        QCOMPARE(writer->keptShare(), 0.0);
        QCOMPARE(other->number("SELECT count(*) FROM knob_change"), std::int64_t(1));
        QVERIFY(writer->recordKnobChange("mysql://db1", "innodb_io_capacity", "200", "400"));
        QCOMPARE(other->number("SELECT count(*) FROM knob_change"), std::int64_t(2));
    }

    void theSessionSaysWhereItIs()
    {
        const QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        options.library = fs::path(dir.path().toStdString()) / "gone.dynolib";
        test::RecordingSink sink;
        Plan plan = test::smallPlan("null:?service_us=200");
        plan.load.repeats = 2;
        bool removed = false;
        sink.sampleHook = [&](const IntervalSample&) { removed = removed || fs::remove(options.library); };
        test::runPlan(plan, options, sink);
        QVERIFY(removed);
        QCOMPARE(sink.session.status, RunStatus::Done);
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        QVERIFY(!sink.session.storageProblem.empty());
        QVERIFY2(sink.session.storedIn.ends_with("rescued-" + sink.header.id + ".dyno"), sink.session.storedIn.c_str());
        bool told = false;
        for (const auto& events : sink.events) {
            for (const RunEvent& event : events)
                told = told || event.text.find("stays in memory") != std::string::npos;
        }
        QVERIFY(told);
        auto library = must(Library::open(sink.session.storedIn, Library::Mode::ReadOnly));
        const StoredSession session = must(library->session(sink.header.id));
        QCOMPARE(session.info.status, RunStatus::Done);
        QCOMPARE(session.runs.size(), std::size_t(2));
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(session.runs[i].summary.transactions, sink.summaries[i].transactions);
            QCOMPARE(must(library->intervals(session.runs[i].id)).size(), sink.samples[i].size());
        }
    }

    //! Long before its time, with all that was measured.
    void theSessionEndsBeforeTheMemoryIsUsedUp()
    {
        const QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        options.library = fs::path(dir.path().toStdString()) / "gone.dynolib";
        options.keptBytes = 64 << 10;
        test::RecordingSink sink;
        Plan plan = test::smallPlan("null:?service_us=200");
        plan.load.timeSeconds = 7200;
        plan.load.repeats = 3;
        bool removed = false;
        sink.sampleHook = [&](const IntervalSample&) { removed = removed || fs::remove(options.library); };
        test::runPlan(plan, options, sink);
        QVERIFY(removed);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QCOMPARE(sink.session.errorKind, ErrorKind::Storage);
        QVERIFY2(sink.session.reason.find("the session ends early") != std::string::npos, sink.session.reason.c_str());
        QCOMPARE(sink.summaries.size(), std::size_t(1)); // no repeat follows
        QVERIFY2(sink.summaries[0].reason.find("the session ends early") != std::string::npos,
                 sink.summaries[0].reason.c_str());
        auto library = must(Library::open(sink.session.storedIn, Library::Mode::ReadOnly));
        const StoredSession session = must(library->session(sink.header.id));
        QCOMPARE(session.info.status, RunStatus::Failed);
        QCOMPARE(must(library->intervals(session.runs.at(0).id)).size(), sink.samples[0].size());
    }

    void aLibraryThatStaysIsWhereItIs()
    {
        const QTemporaryDir dir;
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        options.library = fs::path(dir.path().toStdString()) / "library.dynolib";
        test::RecordingSink sink;
        test::runPlan(test::smallPlan("null:"), options, sink);
        QCOMPARE(sink.session.storedIn, options.library.string());
        QVERIFY(sink.session.storageProblem.empty());
    }
};

} // namespace dyno::tst_rescue

DYNO_SUITE(tst_rescue, dyno::tst_rescue::TestRescue)
#include "tst_rescue.moc"
