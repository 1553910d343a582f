// SPDX-License-Identifier: GPL-3.0-or-later
// How intervals are stored and read: column by column, and packed into blocks.
#include "store/codec/block_codec.h"
#include "store/library/database.h"
#include "store/session/interval_reader.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/allocation_count.h"
#include "support/long_form.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/analysis.h>
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace dyno::tst_interval_blocks {
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

bool same(double a, double b)
{
    return std::isnan(a) ? std::isnan(b) : a == b;
}

void checkLatency(const IntervalColumns::Latency& got, std::size_t at, const Histogram& histogram)
{
    const double none = std::nan("");
    const auto ms = [&](double percentile) {
        const double ns = histogram.percentileNs(percentile);
        return histogram.empty() || ns == double(hdr::kMaxValue) ? none : ns * 1e-6;
    };
    QVERIFY(same(got.p50Ms.at(at), ms(50)) && same(got.p95Ms.at(at), ms(95)) && same(got.p99Ms.at(at), ms(99)));
    QVERIFY(same(got.p999Ms.at(at), ms(99.9)));
    QVERIFY(same(got.maxMs.at(at), histogram.empty() ? none : double(histogram.maxNs()) * 1e-6));
}

void checkOperation(const IntervalColumns::Operation& got, std::size_t at, const OpInterval& wanted)
{
    QCOMPARE(got.count.at(at), wanted.count);
    QCOMPARE(got.errors.at(at), wanted.errors);
    checkLatency(got.service, at, wanted.service);
    if (got.response.p50Ms.empty())
        QVERIFY(wanted.response.empty());
    else
        checkLatency(got.response, at, wanted.responseOrService());
}

//! Some of the counters, in another order, are as all of them.
void checkSingleCounters(Library& library, std::int64_t run, const IntervalColumns& all)
{
    for (std::size_t k = 0; k < all.counters.size(); ++k) {
        const std::size_t last = all.counters.size() - 1;
        const auto some = must(library.columns(run, {.counters = true, .only = {last, k}}));
        QCOMPARE(some.size(), all.size());
        QCOMPARE(some.counters.size(), std::size_t(2));
        for (std::size_t i = 0; i < all.size(); ++i) {
            QCOMPARE(some.tNs[i], all.tNs[i]);
            QVERIFY(same(some.counters[0].at(i), all.counters[last].at(i)));
            QVERIFY(same(some.counters[1].at(i), all.counters[k].at(i)));
        }
    }
    // There is no such counter, or not any more.
    const auto beyond = library.columns(run, {.counters = true, .only = {all.counters.size()}});
    QVERIFY(!beyond && beyond.error().message.ends_with("have changed since the session was read"));
}

//! Each column holds exactly what the whole intervals say.
void checkColumns(Library& library, std::int64_t run)
{
    const auto samples = must(library.intervals(run));
    const auto all = must(library.columns(run, {.operations = true, .counters = true}));
    const auto few = must(library.columns(run));
    QCOMPARE(all.size(), samples.size());
    QVERIFY(few.ops.empty() && few.counters.empty());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const IntervalSample& sample = samples[i];
        for (const IntervalColumns* columns : {&all, &few}) {
            QCOMPARE(columns->tNs[i], sample.tNs);
            QCOMPARE(columns->lengthNs[i], sample.lengthNs);
            QVERIFY(columns->phase[i] == sample.phase);
            QCOMPARE(columns->rows[i], sample.rows);
            checkOperation(columns->transaction, i, sample.transaction);
        }
        for (std::size_t k = 0; k < sample.ops.size(); ++k)
            checkOperation(all.ops.at(k), i, sample.ops[k]);
        for (std::size_t k = 0; k < sample.counters.size(); ++k)
            QVERIFY(same(all.counters.at(k).at(i), sample.counters[k]));
    }
    checkSingleCounters(library, run, all);
    const auto stalls = findStalls(all);
    const auto wanted = findStalls(samples);
    QCOMPARE(stalls.size(), wanted.size());
    for (std::size_t i = 0; i < stalls.size(); ++i)
        QVERIFY(stalls[i].tNs == wanted[i].tNs && stalls[i].missing == wanted[i].missing);
    const auto transactions = must(library.intervals(run, IntervalDetail::Transactions));
    QCOMPARE(transactions.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        QVERIFY(transactions[i].transaction.service == samples[i].transaction.service);
        for (std::size_t k = 0; k < samples[i].ops.size(); ++k)
            QVERIFY(transactions[i].ops[k].service.empty() && transactions[i].ops[k].count == samples[i].ops[k].count);
    }
}

//! Keeps what a session sends.
class Keeper : public SampleSink
{
public:
    explicit Keeper(SampleSink& next)
        : m_next(next)
    {
    }
    void onSessionStarted(const SessionHeader& header) override { m_next.onSessionStarted(header); }
    void onRunStarted(const RunHeader& header) override
    {
        runs.emplace_back();
        m_next.onRunStarted(header);
    }
    void onSample(const IntervalSample& sample) override
    {
        runs.back().push_back(sample);
        m_next.onSample(sample);
    }
    void onEvent(const RunEvent& event) override { m_next.onEvent(event); }
    void onRunAftermath(const RunAftermath& aftermath) override { m_next.onRunAftermath(aftermath); }
    void onRunFinished(const RunSummary& summary) override { m_next.onRunFinished(summary); }
    void onSessionFinished(const SessionSummary& summary) override { m_next.onSessionFinished(summary); }
    std::vector<std::vector<IntervalSample>> runs;

private:
    SampleSink& m_next;
};

bool sameOperation(const OpInterval& a, const OpInterval& b)
{
    return a.count == b.count && a.errors == b.errors && a.service == b.service && a.response == b.response;
}

bool sameInterval(const IntervalSample& a, const IntervalSample& b)
{
    const auto fields = [](const IntervalSample& s) {
        return std::tuple(s.tNs, s.lengthNs, s.phase, s.retried, s.dropped, s.arrivals, s.backlog, s.rows, s.rollbacks,
                          s.reconnects, s.lockWaits, s.errors, s.users);
    };
    const auto health = [](const ClientHealth& c) {
        return std::tuple(c.cpuSeconds, c.rssBytes, c.hostBusy, c.schedDelaySeconds, c.allowedBusy, c.allowedCores,
                          c.busiestThread, c.switches, c.lateStarts, c.loopLagMs);
    };
    return fields(a) == fields(b) && health(a.client) == health(b.client) &&
           sameOperation(a.transaction, b.transaction) && std::ranges::equal(a.ops, b.ops, sameOperation) &&
           std::ranges::equal(a.counters, b.counters, same);
}

//! Given one after the other, intervals are what they are together.
void checkEach(const fs::path& file, std::int64_t run, const std::vector<IntervalSample>& wanted)
{
    auto database = must(Database::open(file, Database::Access::ReadOnly));
    std::vector<IntervalSample> given;
    QCOMPARE(eachInterval(*database, run, [&given](const IntervalSample& one) { given.push_back(one); }),
             Reading::Whole);
    QVERIFY(std::ranges::equal(given, wanted, sameInterval));
}

std::vector<double> throughValues(const std::vector<double>& values)
{
    std::vector<double> back(values.size());
    if (!block::readValues(block::writeValues(values), back))
        qFatal("values cannot be read");
    return back;
}

} // namespace

class TestIntervalBlocks : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_file;
    QTemporaryDir m_wholeDir;
    fs::path m_whole; //!< a good library

    void feed(const sample::Options& options)
    {
        auto writer = must(SessionWriter::open(m_file));
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
    }

    void makeWhole()
    {
        if (!m_whole.empty())
            return;
        sample::Options options;
        options.counters = true;
        options.intervals = 360;
        options.stopAfterRun = 1;
        feed(options);
        m_whole = fs::path(m_wholeDir.path().toStdString()) / "whole.dynolib";
        fs::rename(m_file, m_whole);
    }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = fs::path(m_dir->path().toStdString()) / "library.dynolib";
    }

    void columns_data()
    {
        QTest::addColumn<bool>("openLoop");
        QTest::newRow("closed loop") << false;
        QTest::newRow("open loop") << true;
    }
    void columns()
    {
        QFETCH(bool, openLoop);
        sample::Options options;
        options.openLoop = openLoop;
        options.counters = true;
        options.hiddenCounters = 5;
        options.intervals = 60;
        options.stopAfterRun = 2;
        feed(options);
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        for (const StoredRun& run : must(library->session(options.id)).runs)
            checkColumns(*library, run.id);
    }

    //! More than 73 minutes: that bound stands in the blocks, and is no figure of a column. 100 minutes, the longest,
    //! is one.
    void timesBeyondAHistogram_data()
    {
        QTest::addColumn<int>("intervals");
        QTest::newRow("rows") << 4;
        QTest::newRow("blocks") << 360;
    }
    void timesBeyondAHistogram()
    {
        QFETCH(int, intervals);
        constexpr std::uint64_t kMinute = 60'000'000'000;
        const SessionHeader session = sample::header();
        const RunHeader header = sample::runHeader(session, 0);
        Random random(1);
        {
            auto writer = must(SessionWriter::open(m_file));
            writer->onSessionStarted(session);
            writer->onRunStarted(header);
            for (int i = 0; i < intervals; ++i) {
                IntervalSample one = sample::interval(session, header, i, random);
                one.transaction.service = {};
                one.transaction.service.record(80 * kMinute, 2);
                one.transaction.service.record(100 * kMinute, 2);
                one.transaction.count = 4;
                writer->onSample(one);
            }
            RunSummary done;
            done.status = RunStatus::Done;
            writer->onRunFinished(done);
            writer->onSessionFinished({.status = RunStatus::Done, .reason = {}, .finishedMs = session.startedMs + 5});
            QVERIFY(writer->flush());
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const StoredRun run = must(library->session(session.id)).runs.at(0);
        checkColumns(*library, run.id);
        const IntervalColumns columns = must(library->columns(run.id));
        QCOMPARE(columns.size(), std::size_t(intervals));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            QVERIFY(std::isnan(columns.transaction.service.p50Ms[i]));
            QCOMPARE(columns.transaction.service.p99Ms[i], 6'000'000.0);
            QCOMPARE(columns.transaction.service.maxMs[i], 6'000'000.0);
        }
    }

    //! Counters that nobody chose: a row an interval while it is measured, packed at the end where they are many.
    void hiddenCounters_data()
    {
        QTest::addColumn<int>("intervals");
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("rows"); // of one run, that are not packed
        QTest::newRow("few in a short run") << 20 << 3 << 20;
        QTest::newRow("many in a short run") << 20 << 250 << 0;
        QTest::newRow("many in hardly any intervals") << 9 << 250 << 9;
        QTest::newRow("a block and a short rest") << 305 << 3 << 5;
    }
    void hiddenCounters()
    {
        QFETCH(int, intervals);
        QFETCH(int, hidden);
        QFETCH(int, rows);
        sample::Options options;
        options.counters = true;
        options.hiddenCounters = hidden;
        options.intervals = intervals;
        options.stopAfterRun = 0;
        auto writer = must(SessionWriter::open(m_file));
        Keeper keeper(*writer);
        sample::feed(keeper, options);
        QVERIFY(writer->flush());
        writer.reset();
        QCOMPARE(must(Database::open(m_file, Database::Access::ReadOnly))->number("SELECT count(*) FROM hidden_sample"),
                 rows);
        const fs::path copy = fs::path(m_dir->path().toStdString()) / "copy.dyno";
        {
            auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
            QVERIFY(must(library->check()).problems.empty());
            QVERIFY(library->exportSession(options.id, copy));
        }
        for (const fs::path& file : {m_file, copy}) {
            auto library = must(Library::open(file, Library::Mode::ReadOnly));
            const StoredSession session = must(library->session(options.id));
            QVERIFY(session.damage.empty());
            const std::vector<CounterInfo>& counters = session.runs.at(0).header.counters;
            QCOMPARE(counters.size(), std::size_t(2 + hidden));
            QVERIFY(!counters[0].hidden && !counters[1].hidden);
            for (std::size_t i = 2; i < counters.size(); ++i)
                QVERIFY(counters[i].hidden && counters[i].rate == (i % 2 == 0));
            const auto samples = must(library->intervals(session.runs[0].id));
            QVERIFY(std::ranges::equal(samples, keeper.runs[0], sameInterval));
            checkColumns(*library, session.runs[0].id);
        }
        if (rows == 0)
            return;
        const std::vector<std::string> damages{"UPDATE hidden_sample SET content = x'0102030405060708'",
                                               "DELETE FROM hidden_sample", "UPDATE counter SET hidden = 0",
                                               "UPDATE hidden_sample SET t_ns = t_ns + 1"};
        for (const std::string& damage : damages) {
            const fs::path damaged = copy.string() + ".damaged.dyno";
            fs::copy_file(copy, damaged, fs::copy_options::overwrite_existing);
            {
                auto database = must(Database::open(damaged, Database::Access::ReadWrite));
                database->exec(damage);
                QVERIFY(database->result());
            }
            auto library = must(Library::open(damaged, Library::Mode::ReadOnly));
            QVERIFY2(!library->intervals(1), damage.c_str());
            QVERIFY2(!must(library->check()).problems.empty(), damage.c_str());
        }
    }

    //! Long runs lie in blocks alone, and nothing of them is lost.
    void packedIsWhatWasMeasured()
    {
        sample::Options options;
        options.openLoop = true;
        options.counters = true;
        options.hiddenCounters = 5;
        options.intervals = 700;
        options.stopAfterRun = 1;
        auto writer = must(SessionWriter::open(m_file));
        Keeper keeper(*writer);
        sample::feed(keeper, options);
        QVERIFY(writer->flush());
        writer.reset();
        {
            auto database = must(Database::open(m_file, Database::Access::ReadOnly));
            for (const char* table : {"interval", "interval_op", "counter_sample", "hidden_sample"})
                QCOMPARE(database->number(std::string("SELECT count(*) FROM ") + table), 0);
            QCOMPARE(database->text(
                         "SELECT group_concat(intervals) FROM (SELECT intervals FROM block WHERE run = 1 AND part = 0"
                         " ORDER BY first)"),
                     std::string("300,300,100"));
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const StoredSession session = must(library->session(options.id));
        QCOMPARE(session.runs.size(), keeper.runs.size());
        for (std::size_t i = 0; i < session.runs.size(); ++i) {
            const auto samples = must(library->intervals(session.runs[i].id));
            QVERIFY(std::ranges::equal(samples, keeper.runs[i], sameInterval));
            checkEach(m_file, session.runs[i].id, samples);
        }
        checkColumns(*library, session.runs[0].id);
        QVERIFY(must(library->check()).problems.empty());
    }

    //! The block that is being filled lies in rows; a library's vacuum() packs what an ended writer left.
    void leftRowsArePacked()
    {
        sample::Options options;
        options.counters = true;
        options.intervals = 380;
        auto writer = must(SessionWriter::open(m_file));
        const SessionHeader header = sample::header(options);
        writer->onSessionStarted(header);
        const RunHeader run = sample::runHeader(header, 0);
        writer->onRunStarted(run);
        Random random = Random::forItem(3, 0, 0);
        std::vector<IntervalSample> sent;
        for (int i = 0; i < options.intervals; ++i) {
            sent.push_back(sample::interval(header, run, i, random, options));
            writer->onSample(sent.back());
        }
        QVERIFY(writer->flush());
        writer.reset();
        const auto rows = [this] {
            return must(Database::open(m_file, Database::Access::ReadOnly))->number("SELECT count(*) FROM interval");
        };
        QCOMPARE(rows(), 80);
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const std::int64_t key = must(library->session(options.id)).runs.at(0).id;
        QVERIFY(std::ranges::equal(must(library->intervals(key)), sent, sameInterval));
        checkColumns(*library, key);
        checkEach(m_file, key, sent);
        QVERIFY(library->vacuum());
        QCOMPARE(rows(), 0);
        QVERIFY(std::ranges::equal(must(library->intervals(key)), sent, sameInterval));
        QVERIFY(must(library->check()).problems.empty());
        // The end of the warm-up moves in blocks too.
        QVERIFY(library->moveWarmupEnd(key, 10 * sent[0].lengthNs));
        QVERIFY(must(library->columns(key)).phase.at(9) == Phase::Warmup);
        QVERIFY(must(library->intervals(key)).at(9).phase == Phase::Warmup);
        checkEach(m_file, key, must(library->intervals(key)));
        QVERIFY(library->restoreWarmupEnd(key));
        QVERIFY(must(library->columns(key)).phase.at(9) == Phase::Measure);
    }

    void numbersOfAnyKind()
    {
        constexpr double kInf = std::numeric_limits<double>::infinity();
        const double none = std::nan("");
        const std::vector<std::vector<double>> lists = {{0},
                                                        {-0.0, 0},
                                                        {none},
                                                        {none, none, 5},
                                                        {1, 2, 3, 1e15, -1e15},
                                                        {0.1, 0.2, none, 0.3},
                                                        {kInf, -kInf, 1},
                                                        {1e300, -1e-300, 5e-324},
                                                        {0.123456789, 1e-9, 12.000000001},
                                                        {9007199254740993.0, 1.5},
                                                        {-1, -2, -3}};
        for (const std::vector<double>& values : lists) {
            const std::vector<double> back = throughValues(values);
            for (std::size_t i = 0; i < values.size(); ++i)
                QVERIFY(same(values[i], back[i]) && std::signbit(values[i]) == std::signbit(back[i]));
        }
        Random random = Random::forItem(5, 0, 0);
        for (int round = 0; round < 200; ++round) {
            std::vector<double> values(1 + random.uniform(0, 400));
            for (double& value : values)
                value = std::bit_cast<double>(random.next());
            const std::vector<double> back = throughValues(values);
            QVERIFY(std::ranges::equal(values, back, same));
        }
        QCOMPARE(block::kept(123456789), 123456789.0);
        QVERIFY(std::abs(block::kept(1234.56789) / 1234.56789 - 1) < 1e-6);
        QVERIFY(same(block::kept(none), none) && block::kept(-kInf) == -kInf);
    }

    //! Also such as no recorder makes, but a file may hold.
    void histogramsOfAnyKind()
    {
        Random random = Random::forItem(6, 0, 0);
        std::vector<OpInterval> values(200);
        for (OpInterval& one : values) {
            one.count = random.next() >> random.uniform(0, 63);
            one.errors = random.uniform(0, 3) == 0 ? random.next() : 0;
            if (random.uniform(0, 4) == 0)
                continue;
            for (std::uint64_t i = random.uniform(1, 60); i > 0; --i)
                one.service.record(random.next() >> random.uniform(0, 63), random.uniform(1, 1000));
            if (random.uniform(0, 2) == 0) {
                one.response =
                    Histogram::fromBuckets({{std::uint32_t(random.uniform(0, 2000)), 7}, {2367, 1}}, random.next(),
                                           random.next() >> random.uniform(0, 63), random.uniform(0, 9));
            }
        }
        std::vector<const OpInterval*> from;
        std::vector<block::Figures> figures;
        for (const OpInterval& one : values) {
            from.push_back(&one);
            figures.push_back(block::Figures::of(one));
        }
        std::vector<block::Figures> gotFigures(values.size());
        QVERIFY(block::readFigures(block::writeFigures(figures), gotFigures));
        QVERIFY(gotFigures == figures);
        std::vector<OpInterval> got(values.size());
        std::vector<OpInterval*> to;
        for (OpInterval& one : got)
            to.push_back(&one);
        QVERIFY(block::readHistograms(block::writeHistograms(from), figures, to));
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY(got[i].service == values[i].service && got[i].response == values[i].response);
    }

    //! This file never changes: every version that was ever released must open; the others are in tst_library. It has
    //! intervals in blocks, and some behind them (make_sample_session OUT 1 7 long).
    void versionFive()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v5.dyno";
        QFile file(DYNO_TEST_DATA "/library-v5.dyno");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        auto database = must(Database::open(fixture, Database::Access::Immutable));
        QCOMPARE(database->number("PRAGMA user_version"), 5);
        QCOMPARE(database->number("SELECT count(*) FROM interval"), 30);
        QVERIFY(database->number("SELECT count(DISTINCT part) FROM block") == 4);
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const auto session = must(library->session(must(library->sessions()).at(0).id));
        QCOMPARE(session.runs.size(), std::size_t(3));
        const auto samples = must(library->intervals(session.runs[1].id));
        QCOMPARE(samples.size(), std::size_t(310));
        // What the summary was made of when it was measured.
        QCOMPARE(mergedOf(samples).count(), session.runs[1].summary.transactions);
        QCOMPARE(mergedOf(samples).percentileNs(99) / 1e6, session.runs[1].summary.service.p99Ms);
        QCOMPARE(mergedOf(samples).count(), std::uint64_t(1591149));
        const auto columns = must(library->columns(session.runs[1].id, {.operations = true, .counters = true}));
        QCOMPARE(columns.counters.size(), std::size_t(2));
        QCOMPARE(columns.counters[0][305], samples[305].counters[0]);
        QCOMPARE(columns.counters[0][305], 1e6 + 1000.0 * 305);
        // A measure that single columns tell is the same as of the whole intervals.
        const StoredRun& run = session.runs[1];
        const CounterInfo& counter = run.header.counters.at(0);
        const std::string part = counter.source == "server" ? counter.name : counter.source + "/" + counter.name;
        for (const std::string& measure : {"counter:" + part, "formula:tps / '" + part + "'",
                                           std::string("formula:2 * tps"), std::string("counter:nothing")}) {
            const double wanted = intervalFigure(run, samples, measure, settingOf(session, run));
            const auto figures = must(intervalFigures(*library, session, measure));
            QVERIFY2(same(figures.at(1), wanted), measure.c_str());
            QCOMPARE(std::isfinite(wanted), measure != "counter:nothing");
        }
        // And so is its course.
        const auto course = [&](const std::string& measure) {
            return must(counterValues(*library, run.id, run.header.operations, run.header.counters, measure));
        };
        const std::vector<double> written = course("counter:" + part), no = course("counter:nothing");
        const std::vector<double> quotient = course("formula:tps / '" + part + "'");
        const std::vector<double> whole = course("formula:2 * cpu_us_per_op + '" + part + "'");
        QVERIFY(written.size() == samples.size() && quotient.size() == samples.size() && no.size() == samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            QVERIFY(same(written[i], samples[i].counters[0]));
            const double tps = double(samples[i].transaction.count) / (double(samples[i].lengthNs) * 1e-9);
            QVERIFY(std::abs(quotient[i] - tps / samples[i].counters[0]) < 1e-9 * quotient[i]);
            QVERIFY(std::isnan(no[i]) && std::isnan(whole[i])); // only a whole run has CPU of an operation
        }
        QCOMPARE(counterUnitOf(run.header.counters, "counter:" + part), std::string("bytes/s"));
        QVERIFY(isOfCounters("counter:x") && isOfCounters("formula:1 + 2") && !isOfCounters("counter") &&
                !isOfCounters("qps:x"));
        library.reset();
        QVERIFY(file.seek(0));
        QCOMPARE(file.readAll(), bytes);
        QTemporaryDir folder;
        const QString copy = folder.filePath("copy.dyno");
        QVERIFY(file.copy(copy) && QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(must(must(Library::open(copy.toStdString(), Library::Mode::ReadWrite))
                         ->moveWarmupEnd(session.runs[0].id, 50'000'000'000))
                    .summary.transactions < session.runs[0].summary.transactions);
    }

    void damage_data()
    {
        QTest::addColumn<QByteArray>("sql");
        const auto row = [](const char* name, const char* sql) { QTest::newRow(name) << QByteArray(sql); };
        row("times of noise", "UPDATE block SET content = randomblob(400) WHERE part = 0 AND run = 1");
        row("figures of noise", "UPDATE block SET content = randomblob(400) WHERE part = 1 AND run = 1");
        row("histograms of noise", "UPDATE block SET content = randomblob(4000) WHERE part = 2 AND run = 1");
        row("values of noise", "UPDATE block SET content = randomblob(40) WHERE part = 3 AND run = 1");
        row("nothing", "UPDATE block SET content = x'' WHERE run = 1");
        row("cut", "UPDATE block SET content = substr(content, 1, length(content) / 2) WHERE run = 1");
        row("longer than its content", "UPDATE block SET intervals = 4096 WHERE first = 300 AND run = 1");
        row("far too long", "UPDATE block SET intervals = 1000000000000 WHERE run = 1");
        row("negative", "UPDATE block SET intervals = -1 WHERE run = 1");
        row("empty", "UPDATE block SET intervals = 0 WHERE run = 1");
        row("shorter", "UPDATE block SET intervals = 10 WHERE part = 2 AND run = 1");
        row("overlapping", "UPDATE block SET first = 299 WHERE first = 300 AND run = 1");
        row("far away", "UPDATE block SET first = 9223372036854775000 WHERE first = 300 AND run = 1");
        row("no histograms", "DELETE FROM block WHERE part = 2 AND series = -1 AND run = 1");
        row("histograms of another operation",
            "UPDATE block SET content = (SELECT content FROM block b WHERE b.run = 2 AND b.part = 2 AND b.series = -1 "
            "AND"
            " b.first = 0) WHERE run = 1 AND part = 2 AND series = -1 AND first = 0");
        row("thousands of kinds", "WITH RECURSIVE c(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c WHERE n < 5000)"
                                  " INSERT INTO op SELECT 1, n, 'x', 'read' FROM c");
        row("thousands from a few bytes", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < "
                                          "60000) INSERT INTO block SELECT 1, 0, 0,"
                                          " 10000 + n * 4096, 4096, (SELECT content FROM block WHERE part = 0 AND run "
                                          "= 1 AND first = 0), NULL FROM c");
    }
    //! Whatever stands in a block: it is told, and what is wrong is not shown.
    void damage()
    {
        QFETCH(QByteArray, sql);
        makeWhole();
        fs::copy_file(m_whole, m_file);
        {
            auto database = must(Database::open(m_file, Database::Access::ReadWrite));
            database->exec(sql.toStdString());
            QVERIFY(database->result());
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        QVERIFY(!must(library->check()).problems.empty());
        const QByteArray tag = QTest::currentDataTag();
        if (tag != "histograms of another operation") {
            const auto refused = library->intervals(1);
            QVERIFY(!refused);
            QVERIFY(!refused.error().remedy.empty());
            QCOMPARE(refused.error().message.find("damaged") == std::string::npos, tag == "thousands from a few bytes");
        }
        auto database = must(Database::open(m_file, Database::Access::ReadOnly));
        QCOMPARE(eachInterval(*database, 1, [](const IntervalSample&) {}) == Reading::Whole,
                 bool(library->intervals(1)));
        // Lines are drawn of times, figures and counters; what is wrong with histograms does not touch them.
        const bool linesHold = tag.contains("histograms") || tag == "shorter";
        QCOMPARE(bool(library->columns(1, {.operations = true, .counters = true})), linesHold);
        QVERIFY(library->intervals(2)); // of the other run nothing is lost
    }

    //! The window reads a session while it runs, and however long that is, it takes the memory of one block.
    void memoryDoesNotGrowWithARun()
    {
        auto writer = must(SessionWriter::open(m_file));
        sample::Options options;
        options.openLoop = true;
        options.counters = true;
        const SessionHeader session = sample::header(options);
        const RunHeader run = sample::runHeader(session, 0);
        writer->onSessionStarted(session);
        writer->onRunStarted(run);
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        Random random(3);
        int sent = 0;
        std::uint64_t transactions = 0;
        const auto peakWith = [&](int intervals) {
            for (; sent < intervals; ++sent) {
                const IntervalSample sample = sample::interval(session, run, sent, random, options);
                transactions += sample.phase == Phase::Measure ? sample.transaction.count : 0;
                writer->onSample(sample);
                if (sent % 100 == 0)
                    (void)writer->flush();
            }
            if (!writer->flush())
                qFatal("it cannot be written");
            test::beginPeak();
            const StoredSession stored = must(library->session(session.id));
            const std::int64_t peak = test::peakBytes();
            if (stored.runs.at(0).summary.transactions != transactions)
                qFatal("it is another session");
            return peak;
        };
        const std::int64_t one = peakWith(630), four = peakWith(630 + 1800 / test::everyOf());
        QVERIFY2(double(four) < 1.25 * double(one), qPrintable(QStringLiteral("%1, then %2 bytes").arg(one).arg(four)));
    }

    //! A week at one second with many kinds has more histograms than memory: that is said, and is no damage.
    void moreThanIsReadAtATime()
    {
        makeWhole();
        auto database = must(Database::open(m_whole, Database::Access::ReadOnly));
        Reading reading = Reading::Damaged;
        QVERIFY(!readIntervals(*database, 1, IntervalDetail::Everything, &reading).empty());
        QCOMPARE(reading, Reading::Whole);
        (void)readIntervals(*database, 1, IntervalDetail::Everything, &reading, 5000);
        QCOMPARE(reading, Reading::TooLarge);
        // One after the other there is room for all of them: no more than a block's are held.
        std::size_t buckets = 0;
        const auto count = [&buckets](const IntervalSample& sample) {
            const auto add = [&](const OpInterval& one) {
                buckets += one.service.buckets().size() + one.response.buckets().size();
            };
            add(sample.transaction);
            std::ranges::for_each(sample.ops, add);
        };
        QCOMPARE(eachInterval(*database, 1, count), Reading::Whole);
        (void)readIntervals(*database, 1, IntervalDetail::Everything, &reading, buckets - 1);
        QCOMPARE(reading, Reading::TooLarge);
        QCOMPARE(eachInterval(
                     *database, 1, [](const IntervalSample&) {}, buckets - 1),
                 Reading::Whole);
        QCOMPARE(eachInterval(
                     *database, 1, [](const IntervalSample&) {}, 5000),
                 Reading::TooLarge);
        // Without the operations' histograms there is room.
        (void)readColumns(*database, 1, {.operations = true, .counters = true}, &reading);
        QCOMPARE(reading, Reading::Whole);
    }
};

} // namespace dyno::tst_interval_blocks

DYNO_SUITE(tst_interval_blocks, dyno::tst_interval_blocks::TestIntervalBlocks)
#include "tst_interval_blocks.moc"
