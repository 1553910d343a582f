// SPDX-License-Identifier: GPL-3.0-or-later
// Moving the end of a stored run's warm-up: figures, phases, events, refusals, and the way back.
#include "store/session/session_reader.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_warmup_end {
using dyno::test::must;

namespace {

constexpr std::int64_t kHalf = 500'000'000; // the sample's intervals

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestWarmupEnd : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath("library.dynolib").toStdString();
        auto writer = must(SessionWriter::open(m_file));
        sample::Options options;
        options.openLoop = true;
        options.failedRun = 3;
        m_session = sample::feed(*writer, options).id;
        QVERIFY(writer->flush());
        writer.reset();
        m_library = must(Library::open(m_file, Library::Mode::ReadWrite));
    }

    void cleanup() { m_library.reset(); }

    void figuresAreThoseOfTheIntervals()
    {
        const StoredRun before = run(1);
        QCOMPARE(before.warmupEndNs, 2 * kHalf);
        QVERIFY(!before.recordedWarmupEndNs);
        const auto samples = must(m_library->intervals(before.id));

        const StoredRun moved = must(m_library->moveWarmupEnd(before.id, 8 * kHalf));
        QCOMPARE(moved.id, before.id);
        QCOMPARE(moved.warmupEndNs, 8 * kHalf);
        QCOMPARE(moved.recordedWarmupEndNs, std::optional(2 * kHalf));
        QCOMPARE(moved.summary.seconds, 6.0); // 12 of 20 intervals
        std::uint64_t transactions = 0;
        std::uint64_t arrivals = 0;
        Histogram response;
        for (std::size_t i = 8; i < samples.size(); ++i) {
            transactions += samples[i].transaction.count;
            arrivals += samples[i].arrivals;
            response.merge(samples[i].transaction.response);
        }
        QCOMPARE(moved.summary.transactions, transactions);
        QCOMPARE(moved.summary.tps, double(transactions) / 6);
        QCOMPARE(moved.summary.arrivals, arrivals);
        QCOMPARE(moved.summary.response.p99Ms, response.percentileNs(99) * 1e-6);
        // what intervals cannot tell is kept
        QVERIFY(moved.summary.status == RunStatus::Done);
        QCOMPARE(moved.summary.found, before.summary.found);
        QVERIFY(moved.summary.errorTexts == before.summary.errorTexts);
        QCOMPARE(moved.summary.point, before.summary.point);
        QCOMPARE(moved.summary.repeat, before.summary.repeat);
        StoredRun loaded = before;
        loaded.summary.recall = 0.5;
        loaded.summary.indexSeconds = 3;
        loaded.summary.operations.at(0).rows = 7; // of another time, and intervals do not hold it
        loaded.summary.loadRetries.emplace().emplace(1213, 2);
        const RunSummary again = summaryOf(loaded, must(m_library->session(m_session)).header, samples);
        QCOMPARE(again.recall.value_or(-1), 0.5);
        QCOMPARE(again.indexSeconds.value_or(-1), 3.0);
        QVERIFY(again.operations.at(0).count > 0 && !again.operations.at(0).rows);
        QVERIFY(again.loadRetries == loaded.summary.loadRetries);

        // and everything that reads the session sees it
        const StoredRun read = run(1);
        QCOMPARE(read.summary.tps, moved.summary.tps);
        const auto phases = must(m_library->intervals(before.id));
        for (std::size_t i = 0; i < phases.size(); ++i)
            QVERIFY(phases[i].phase == (i < 8 ? Phase::Warmup : Phase::Measure));
        QCOMPARE(run(0).summary.seconds, 9.0); // other runs are left alone
        const std::string json = sessionJson(must(m_library->session(m_session)));
        QVERIFY(has(json, "\"warmup_s\": 4.0,\n          \"warmup_moved\": true"));
    }

    void earlierToo()
    {
        const StoredRun before = run(0);
        const StoredRun moved = must(m_library->moveWarmupEnd(before.id, 0));
        QCOMPARE(moved.summary.seconds, 10.0);
        QVERIFY(moved.summary.transactions > before.summary.transactions);
        QVERIFY(moved.summary.tps < before.summary.tps); // the sample's warm-up is slower
    }

    void nearestInterval_data()
    {
        QTest::addColumn<qint64>("asked");
        QTest::addColumn<qint64>("got");
        QTest::newRow("between, nearer to the first") << qint64(5 * kHalf + kHalf / 3) << qint64(5 * kHalf);
        QTest::newRow("between, nearer to the second") << qint64(5 * kHalf + kHalf * 2 / 3) << qint64(6 * kHalf);
        QTest::newRow("in the last interval") << qint64(20 * kHalf - 1) << qint64(19 * kHalf);
        QTest::newRow("the beginning") << qint64(1) << qint64(0);
    }

    void nearestInterval()
    {
        QFETCH(qint64, asked);
        QFETCH(qint64, got);
        QCOMPARE(must(m_library->moveWarmupEnd(run(0).id, asked)).warmupEndNs, std::int64_t(got));
    }

    void theWayBack()
    {
        const std::string before = documentOf();
        const std::vector<RunEvent> events = must(m_library->events(run(2).id));
        (void)must(m_library->moveWarmupEnd(run(2).id, 7 * kHalf));
        (void)must(m_library->moveWarmupEnd(run(2).id, 11 * kHalf)); // twice: the recorded state is still known
        QCOMPARE(run(2).recordedWarmupEndNs, std::optional(2 * kHalf));
        QVERIFY(documentOf() != before);
        const StoredRun back = must(m_library->restoreWarmupEnd(run(2).id));
        QCOMPARE(back.warmupEndNs, 2 * kHalf);
        QVERIFY(!back.recordedWarmupEndNs);
        QCOMPARE(documentOf(), before); // to the last digit
        QCOMPARE(must(m_library->events(back.id)).size(), events.size());
        // moving it to where it was is the same
        (void)must(m_library->moveWarmupEnd(run(2).id, 7 * kHalf));
        QVERIFY(!must(m_library->moveWarmupEnd(run(2).id, 2 * kHalf + 1000)).recordedWarmupEndNs);
        QCOMPARE(documentOf(), before);
        QVERIFY(m_library->restoreWarmupEnd(run(2).id)); // nothing to do
    }

    void anEventNotesIt()
    {
        const std::size_t before = must(m_library->events(run(0).id)).size();
        (void)must(m_library->moveWarmupEnd(run(0).id, 6 * kHalf));
        (void)must(m_library->moveWarmupEnd(run(0).id, 8 * kHalf));
        const auto events = must(m_library->events(run(0).id));
        QCOMPARE(events.size(), before + 1);
        std::int64_t last = INT64_MIN;
        bool found = false;
        for (const RunEvent& event : events) {
            QVERIFY(event.tNs >= last);
            last = event.tNs;
            if (event.kind == EventKind::Note) {
                found = true;
                QCOMPARE(event.tNs, 8 * kHalf);
                QVERIFY2(has(event.text, "measured time begins here since 2"), event.text.c_str());
                QVERIFY2(has(event.text, "it began at 1.0 s"), event.text.c_str());
            }
        }
        QVERIFY(found);
    }

    void travels()
    {
        (void)must(m_library->moveWarmupEnd(run(0).id, 6 * kHalf));
        const std::filesystem::path out = m_dir->filePath("one.dyno").toStdString();
        QVERIFY(m_library->exportSession(m_session, out));
        auto other = must(Library::open(out, Library::Mode::ReadWrite));
        const StoredRun copy = must(other->session(m_session)).runs[0];
        QCOMPARE(copy.warmupEndNs, 6 * kHalf);
        QCOMPARE(copy.summary.tps, run(0).summary.tps);
        const StoredRun back = must(other->restoreWarmupEnd(copy.id));
        QCOMPARE(back.summary.seconds, 9.0);
    }

    void refusals()
    {
        const auto past = m_library->moveWarmupEnd(run(0).id, 20 * kHalf);
        QVERIFY(!past && past.error().kind == ErrorKind::BadInput);
        QVERIFY2(has(past.error().text(), "10.0 s is not within the run, which is 10.0 s long"),
                 past.error().text().c_str());
        QVERIFY(!m_library->moveWarmupEnd(run(0).id, -1));
        QVERIFY(has(m_library->moveWarmupEnd(99999, 0).error().text(), "no such run"));
        QVERIFY(has(m_library->restoreWarmupEnd(99999).error().text(), "no such run"));
        QCOMPARE(run(0).summary.seconds, 9.0); // nothing was changed
        const std::int64_t id = run(0).id;
        m_library = must(Library::open(m_file, Library::Mode::ReadOnly));
        QVERIFY(has(m_library->moveWarmupEnd(id, 0).error().text(), "reading only"));
    }

    //! A run that failed half way keeps its status and reason.
    void failedRun()
    {
        const StoredRun before = run(3);
        QVERIFY(before.summary.status == RunStatus::Failed);
        const StoredRun moved = must(m_library->moveWarmupEnd(before.id, 4 * kHalf));
        QVERIFY(moved.summary.status == RunStatus::Failed);
        QCOMPARE(moved.summary.reason, before.summary.reason);
        QCOMPARE(moved.summary.seconds, 3.0);
    }

    //! A session whose writer died has runs without a summary; theirs is computed at each reading.
    void cutAndRunning()
    {
        sample::Options options;
        options.id = "cccc0000-0000-4000-8000-00000000000a";
        auto writer = must(SessionWriter::open(m_file));
        const SessionHeader session = sample::header(options);
        writer->onSessionStarted(session);
        const RunHeader header = sample::runHeader(session, 0);
        writer->onRunStarted(header);
        Random random(3);
        for (int i = 0; i < 9; ++i)
            writer->onSample(sample::interval(session, header, i, random, options));
        QVERIFY(writer->flush());
        const std::int64_t id = must(m_library->session(options.id)).runs[0].id;
        const auto running = m_library->moveWarmupEnd(id, 4 * kHalf);
        QVERIFY(!running && has(running.error().text(), "still running"));
        writer.reset(); // abandons it
        const StoredRun cut = must(m_library->moveWarmupEnd(id, 4 * kHalf));
        QVERIFY(cut.summary.status == RunStatus::Cut);
        QCOMPARE(cut.summary.seconds, 2.5);
        QCOMPARE(must(m_library->restoreWarmupEnd(id)).summary.seconds, 3.5);
    }

private:
    StoredRun run(std::size_t index) { return must(m_library->session(m_session)).runs.at(index); }
    std::string documentOf()
    {
        const StoredSession session = must(m_library->session(m_session));
        return sessionJson(session) + runsCsv(session) +
               intervalsCsv(session.runs[2], must(m_library->intervals(session.runs[2].id)));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_file;
    std::string m_session;
    std::unique_ptr<Library> m_library;
};

} // namespace dyno::tst_warmup_end

DYNO_SUITE(tst_warmup_end, dyno::tst_warmup_end::TestWarmupEnd)
#include "tst_warmup_end.moc"
