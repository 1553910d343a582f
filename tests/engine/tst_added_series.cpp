// SPDX-License-Identifier: GPL-3.0-or-later
// Series read back from Prometheus: values that a real one was given, against what the run's intervals then have; the
// store, with its way back; and servers that hang, lead elsewhere, break off or talk nonsense.
#include "base/wall_clock.h"
#include "monitor/prometheus/range_answer.h"
#include "recording_sink.h"
#include "store/library/database.h"
#include "store/session/added_series.h"
#include "store/session/seals.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/odd_http_server.h"
#include "support/prometheus_fixture.h"
#include "support/suite.h"
#include <dyno/analysis.h>
#include <dyno/report.h>

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace dyno::tst_added_series {

using test::must;
using test::OddHttpServer;

namespace {

namespace fs = std::filesystem;

constexpr const char* kSession = "aaaa1111-0000-4000-8000-000000000001";
constexpr int kIntervals = 310; // of 0.5 s: a block, and rows behind it
constexpr int kMany = 210;

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

//! What the server has stored: levels and counts that anybody can work out.
std::string samplesFrom(std::int64_t began)
{
    std::string text = "# TYPE level gauge\n";
    const auto each = [&text](int from, int to, const auto& line) {
        for (int second = from; second <= to; ++second)
            text += line(second);
    };
    each(0, 200, [&](int s) { return fmt::format("level {} {}\n", s, began + s); });
    text += "# TYPE gone gauge\n"; // nothing before 20 s, not a number from 40 s on
    each(20, 60, [&](int s) { return fmt::format("gone {} {}\n", s < 40 ? "7" : "NaN", began + s); });
    text += "# TYPE writes_bytes counter\n"; // 100 a second, 300 from 60 s on
    for (const char* device : {"sda", "sdb"})
        each(-10, 200, [&](int s) {
            const int bytes = (s <= 60 ? 100 * (s + 10) : 7000 + 300 * (s - 60)) * (device[2] == 'b' ? 2 : 1);
            return fmt::format("writes_bytes_total{{device=\"{}\",instance=\"db7.example.org:9100\"}} {} {}\n", device,
                               bytes, began + s);
        });
    text += "# TYPE wait_seconds histogram\n"; // half of them at most 0.1 s
    for (const auto& [limit, more] : {std::pair("0.1", 50), std::pair("0.2", 100), std::pair("+Inf", 100)})
        each(-10, 200, [&, bound = limit, by = more](int s) {
            return fmt::format("wait_seconds_bucket{{le=\"{}\"}} {} {}\n", bound, by * (s + 10), began + s);
        });
    text += "# TYPE many gauge\n";
    for (int i = 0; i < kMany; ++i)
        text += fmt::format("many{{i=\"{}\"}} {} {}\n", i, i, began);
    return text + "# EOF\n";
}

//! With the quotes that JSON has: moc stumbles over raw strings.
std::string json(std::string text)
{
    std::ranges::replace(text, '\'', '"');
    return text;
}

std::string answerOf(std::string_view status, std::string_view body)
{
    return fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

SeriesRequest requestFor(std::string url, std::vector<SeriesQuery> queries)
{
    SeriesRequest request;
    request.url = std::move(url);
    request.queries = std::move(queries);
    return request;
}

} // namespace

class TestAddedSeries : public QObject
{
    Q_OBJECT

    QTemporaryDir m_shared;
    fs::path m_original, m_file;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Library> m_library;
    test::PrometheusFixture m_prometheus;
    QString m_missing;
    std::int64_t m_began = 0; //!< of run 1, seconds

    StoredRun run(int index) const { return must(m_library->session(kSession)).runs.at(std::size_t(index)); }
    std::vector<SeriesAddition> readFor(const SeriesRequest& request, int index = 0) const
    {
        const StoredRun stored = run(index);
        return must(readBack(request, stored, must(m_library->columns(stored.id))));
    }
    Error refusalOf(const SeriesRequest& request, const std::function<bool(double)>& goOn = {}) const
    {
        const StoredRun stored = run(0);
        const auto read = readBack(request, stored, must(m_library->columns(stored.id)), goOn);
        return read ? Error() : read.error();
    }
    //! Without a server: a constant in each interval.
    static SeriesAddition made(const std::string& name, double value, const std::string& place = "db1.example.org:9090")
    {
        CounterInfo counter;
        counter.source = addedSource(place);
        counter.name = name;
        counter.unit = "bytes";
        counter.rate = false;
        std::vector<double> values(kIntervals, value);
        values[3] = std::nan("");
        return {{place, 1'795'000'000'123, "q(" + name + ")", 500'000'000, {name}}, {{counter, std::move(values)}}};
    }
    //! What was added earlier of the same names goes.
    static Expected<StoredRun> add(Library& library, std::int64_t run, const std::vector<SeriesAddition>& additions)
    {
        SessionAdditions all;
        all.runs.push_back({run, 0, additions});
        return changed(library, run, changesToAdd(library, must(library.session(kSession)), all, SIZE_MAX));
    }
    static Expected<StoredRun> removeAll(Library& library, std::int64_t run)
    {
        const StoredSession session = must(library.session(kSession));
        const auto one = std::ranges::find(session.runs, run, &StoredRun::id);
        return changed(library, run, changesToRemove(library, session, one->header.index + 1, 0));
    }
    static Expected<StoredRun> changed(Library& library, std::int64_t run, const Expected<SeriesChanges>& changes)
    {
        if (!changes)
            return fail(changes.error());
        if (const auto done = library.changeSeries(changes->runs); !done)
            return fail(done.error());
        const StoredSession session = must(library.session(kSession));
        return *std::ranges::find(session.runs, run, &StoredRun::id);
    }
    //! "a = 5, b = 7" of a run, with the values of its first interval.
    std::string addedText(int index) const
    {
        std::string text;
        const SessionAdditions all = must(addedTo(*m_library, must(m_library->session(kSession)), index + 1));
        for (const SeriesAddition& addition : all.runs.at(0).additions) {
            for (const AddedSeries& one : addition.series)
                text += fmt::format("{}{} = {:g}", text.empty() ? "" : ", ", one.counter.name, one.values.at(0));
        }
        return text;
    }
    std::string documentOf() const
    {
        const StoredSession session = must(m_library->session(kSession));
        std::string text = sessionJson(session, stallsIn(*m_library));
        for (const StoredRun& one : session.runs)
            text += intervalsCsv(one, must(m_library->intervals(one.id)));
        return text;
    }
    void verifyWhole() const
    {
        const LibraryCheck check = must(m_library->check());
        QVERIFY2(check.problems.empty(), check.problems.empty() ? "" : check.problems.front().c_str());
        QVERIFY(must(m_library->session(kSession)).damage.empty());
    }

private slots:
    void initTestCase()
    {
        m_began = std::int64_t(std::time(nullptr)) - 3600;
        m_original = m_shared.filePath("original.dynolib").toStdString();
        sample::Options options;
        options.id = kSession;
        options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = [4]");
        options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
        options.intervals = kIntervals;
        options.counters = true;
        {
            auto writer = must(SessionWriter::open(m_original));
            sample::feed(*writer, options);
            QVERIFY(writer->flush());
        }
        {
            auto database = must(Database::open(m_original, Database::Access::ReadWrite));
            // The sample tells no times; the last run stays as one of an older version.
            database->exec(fmt::format("UPDATE run SET summary = json_set(summary, '$.started_ms', {} - 7000,"
                                       " '$.began_after_ms', 7000 + idx * 1000) WHERE idx < 2",
                                       m_began * 1000));
            Statement runs(*database, "SELECT idx, key, session FROM run");
            while (runs.row())
                Seals(*database, runs.integer(2)).set(SealPart::Result, runs.integer(0), runs.integer(1));
            QVERIFY(database->result());
        }
        m_missing = test::PrometheusFixture::whyMissing();
        if (m_missing.isEmpty()) {
            const QString problem = m_prometheus.start(samplesFrom(m_began));
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath("library.dynolib").toStdString();
        fs::copy_file(m_original, m_file);
        m_library = must(Library::open(m_file, Library::Mode::ReadWrite));
    }
    void cleanup() { m_library.reset(); }

    //! A run says when its first phase began: after it was prepared, before its first interval ended. One of an older
    //! version does not, nor one of another tool.
    void timeOfARun()
    {
        Plan plan = test::smallPlan("null:?service_us=100");
        plan.load.timeSeconds = 0.2;
        plan.load.warmupSeconds = 0.1;
        plan.load.intervalSeconds = 0.1;
        std::int64_t firstMs = 0;
        test::RecordingSink sink;
        sink.sampleHook = [&firstMs](const IntervalSample& sample) {
            firstMs = firstMs > 0 ? firstMs : nowMs() - (sample.tNs + sample.lengthNs) / 1'000'000;
        };
        const std::int64_t beforeMs = nowMs();
        test::runPlan(plan, RunnerOptions(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        RunSummary summary = sink.summaries.front();
        QVERIFY(knowsTime(summary));
        const std::int64_t began = summary.startedMs + summary.beganAfterMs;
        // A sample that is told late would only seem to have begun late.
        QVERIFY2(began <= firstMs + 2 && began >= beforeMs, qPrintable(QString::number(firstMs - began)));
        QVERIFY(began + 250 <= nowMs()); // it lasted that long
        summary.beganAfterMs = -1;
        QVERIFY(!knowsTime(summary));
    }

    //! A real server's answers at the ends of the run's intervals.
    void knownValues()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const auto additions = readFor(
            requestFor(m_prometheus.url(), {{"level"},
                                            {"gone"},
                                            {"rate(writes_bytes_total[4s])", {}, true},
                                            {"histogram_quantile(0.5, rate(wait_seconds_bucket[4s]))", "median wait"},
                                            {"writes_bytes_total{device=\"sdb\"}"},
                                            {"2 * 3"}}));
        QCOMPARE(additions.size(), std::size_t(6));
        const std::string source = "Prometheus " + m_prometheus.place();
        for (const SeriesAddition& one : additions) {
            QCOMPARE(one.origin.place, m_prometheus.place());
            QCOMPARE(one.origin.stepNs, std::int64_t(500'000'000));
            QVERIFY(std::abs(one.origin.readMs / 1000 - std::int64_t(std::time(nullptr))) < 60);
            QCOMPARE(one.origin.names.size(), one.series.size());
            for (const AddedSeries& series : one.series) {
                QCOMPARE(series.counter.source, source);
                QVERIFY(!series.counter.hidden);
                QCOMPARE(series.values.size(), std::size_t(kIntervals));
            }
        }
        const AddedSeries& level = additions[0].series.at(0);
        QCOMPARE(level.counter.name, std::string("level"));
        QVERIFY(!level.counter.rate);
        for (int i = 0; i < kIntervals; ++i)
            QCOMPARE(level.values[std::size_t(i)], double((i + 1) / 2)); // at 0.5 s, 1 s, 1.5 s …
        const AddedSeries& gone = additions[1].series.at(0);
        for (int i = 0; i < kIntervals; ++i) {
            const int half = i + 1;
            const double value = gone.values[std::size_t(i)];
            QVERIFY2(half >= 40 && half < 80 ? value == 7 : std::isnan(value), qPrintable(QString::number(half)));
        }
        QCOMPARE(additions[2].series.size(), std::size_t(2));
        const AddedSeries& sda = additions[2].series[0];
        QCOMPARE(sda.counter.name,
                 std::string("rate(writes_bytes_total[4s]){device=\"sda\",instance=\"db7.example.org:9100\"}"));
        QVERIFY(sda.counter.rate && sda.counter.unit == "bytes");
        for (int i = 0; i < kIntervals; ++i) {
            const double seconds = double(i + 1) / 2;
            if (seconds > 60 && seconds < 65)
                continue; // the window is of both
            const double known = seconds <= 60 ? 100 : 300;
            QVERIFY2(std::abs(sda.values[std::size_t(i)] - known) < 1e-6, qPrintable(QString::number(seconds)));
            QVERIFY(std::abs(additions[2].series[1].values[std::size_t(i)] - 2 * known) < 1e-6);
        }
        const AddedSeries& median = additions[3].series.at(0);
        QVERIFY(median.counter.name == "median wait" && median.counter.unit.empty() && !median.counter.rate);
        QVERIFY(std::abs(median.values[100] - 0.1) < 1e-9);
        const AddedSeries& count = additions[4].series.at(0);
        QVERIFY2(has(count.counter.name, "writes_bytes_total{device=\"sdb\","), count.counter.name.c_str());
        QVERIFY(count.counter.unit == "bytes" && !count.counter.rate);
        QCOMPARE(count.values[1], 2 * 1100.0); // at 1 s
        QVERIFY(additions[5].series.at(0).counter.name == "2 * 3" && additions[5].series[0].values[7] == 6);
        // Run 2 began a second later.
        QCOMPARE(readFor(requestFor(m_prometheus.url(), {{"level"}}), 1)[0].series.at(0).values[1], 2.0);
    }

    //! More points than the server gives at a time, more bytes than are taken at a time, fewer values than intervals.
    void steps()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        SeriesRequest request = requestFor(m_prometheus.url() + "/", {{"level"}});
        request.stepSeconds = 0.01; // 15 451 points
        const auto fine = readFor(request);
        request.stepSeconds = 10;
        const auto coarse = readFor(request);
        for (int i = 0; i < kIntervals; ++i) {
            QCOMPARE(fine[0].series.at(0).values[std::size_t(i)], double((i + 1) / 2));
            // Asked at 0.5 s, 10.5 s, 20.5 s …, and held until the next one.
            QCOMPARE(coarse[0].series.at(0).values[std::size_t(i)], double(i / 20 * 10));
        }
        request.stepSeconds = 0.1;
        request.queries = {{"many{i=~\".?.\"} + on() group_left() (level >= 0)"}};
        std::vector<double> shares;
        const StoredRun stored = run(0);
        const auto many = must(readBack(request, stored, must(m_library->columns(stored.id)), [&](double share) {
            shares.push_back(share);
            return true;
        }));
        QCOMPARE(many[0].series.size(), std::size_t(100)); // 4 MB of JSON
        const auto last = std::ranges::find_if(
            many[0].series, [](const AddedSeries& one) { return has(one.counter.name, "{i=\"42\"}"); });
        QVERIFY(last != many[0].series.end());
        QCOMPARE(last->values.back(), 42 + 155.0);
        QVERIFY(std::ranges::is_sorted(shares) && shares.back() > 0.999);
        request.queries = {{"many"}};
        const Error tooMany = refusalOf(request);
        QVERIFY2(tooMany.kind == ErrorKind::BadInput && has(tooMany.message, "more than 200 series") &&
                     has(tooMany.remedy, "sum by"),
                 tooMany.text().c_str());
    }

    void errorsOfTheServer()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const Error wrong = refusalOf(requestFor(m_prometheus.url(), {{"level"}, {"rate(level"}}));
        QVERIFY2(wrong.kind == ErrorKind::BadInput && has(wrong.message, "bad_data") && has(wrong.message, "parse") &&
                     wrong.where == "query 2 of 2, rate(level",
                 wrong.text().c_str());
        // Both keep the metric's name.
        const Error same = refusalOf(requestFor(m_prometheus.url(), {{"level"}, {"level offset 10s"}}));
        QVERIFY2(has(same.message, "another query gives a series called level") &&
                     has(same.remedy, "a name of its own"),
                 same.text().c_str());
        const auto named = readFor(requestFor(m_prometheus.url(), {{"level"}, {"level offset 10s", "before"}}));
        QCOMPARE(named[1].series.at(0).values[99], named[0].series.at(0).values[99] - 10);
        const auto none = readFor(requestFor(m_prometheus.url(), {{"nothing_of_that_name"}}));
        QVERIFY(none.size() == 1 && none[0].series.empty());
        const Error path = refusalOf(requestFor(m_prometheus.url() + "/elsewhere", {{"level"}}));
        QVERIFY2(has(path.message, "404") && has(path.remedy, "before /api/v1"), path.text().c_str());
    }

    //! The run's counters, formulas, tables and copies have them like every other; removing gives back what was.
    void inTheStore()
    {
        const std::string before = documentOf();
        const StoredRun old = run(1);
        const std::size_t own = old.header.counters.size();
        QVERIFY(own > 0);
        const StoredRun added = must(add(*m_library, old.id, {made("a", 5), made("b", 7)}));
        QCOMPARE(added.header.counters.size(), own + 2);
        QVERIFY(added.header.counters[own + 1].name == "b" && added.header.counters[own + 1].unit == "bytes");
        const auto verifyValues = [&](std::size_t at, double value) {
            const auto samples = must(m_library->intervals(old.id));
            const auto columns = must(m_library->columns(old.id, {.counters = true, .only = {at}}));
            QCOMPARE(samples.size(), std::size_t(kIntervals));
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const double stored = samples[i].counters.at(at);
                QVERIFY(i == 3 ? std::isnan(stored) : stored == value);
                QVERIFY(i == 3 ? std::isnan(columns.counters[0][i]) : columns.counters[0][i] == value);
            }
        };
        verifyValues(own, 5);
        verifyValues(own + 1, 7);
        verifyWhole();
        const StoredSession session = must(m_library->session(kSession));
        const std::string measure = "counter:Prometheus db1.example.org:9090/b";
        const auto figures = intervalFigures(*m_library, session, measure);
        QVERIFY(figures && figures->at(1) == 7);
        const auto formula = intervalFigures(*m_library, session, "formula:twice = 2 * '" + measure + "'");
        QVERIFY2(formula && formula->at(1) == 14, formula ? "" : formula.error().text().c_str());

        // Again: one more, and one with other values in its place.
        must(add(*m_library, old.id, {made("b", 8), made("c", 9)}));
        QCOMPARE(run(1).header.counters.size(), own + 3);
        verifyValues(own, 5);
        verifyValues(own + 1, 8);
        verifyValues(own + 2, 9);
        const auto origins = must(m_library->addedSeries(old.id));
        QCOMPARE(origins.size(), std::size_t(3));
        QCOMPARE(toText(origins[0]), std::string("read back 2026-11-18 11:06:40 UTC from Prometheus at "
                                                 "db1.example.org:9090: q(a), every 0.5 s, 1 series"));
        QVERIFY(must(m_library->addedSeries(run(0).id)).empty());
        QCOMPARE(run(0).header.counters.size(), own); // another run
        verifyWhole();
        QVERIFY(m_library->vacuum());
        verifyValues(own + 1, 8);
        must(m_library->moveWarmupEnd(old.id, 10'000'000'000));
        must(m_library->restoreWarmupEnd(old.id));

        const StoredRun back = must(removeAll(*m_library, old.id));
        QCOMPARE(back.header.counters.size(), own);
        QVERIFY(must(m_library->addedSeries(old.id)).empty());
        QCOMPARE(documentOf(), before); // to the last digit
        verifyWhole();
        QVERIFY(removeAll(*m_library, old.id)); // nothing more to remove
    }

    //! Runs are changed together or not at all, and back again without what others did meanwhile.
    void severalRunsAndBack()
    {
        const std::string before = documentOf();
        const auto of = [this](std::vector<SeriesAddition> first, std::vector<SeriesAddition> second) {
            SessionAdditions all;
            all.runs.push_back({run(0).id, 1, std::move(first)});
            all.runs.push_back({run(1).id, 2, std::move(second)});
            return must(changesToAdd(*m_library, must(m_library->session(kSession)), all, SIZE_MAX)).runs;
        };
        SeriesAddition shorter = made("a", 2);
        shorter.series[0].values.pop_back();
        QVERIFY(!m_library->changeSeries(of({made("a", 1)}, {shorter})));
        QCOMPARE(documentOf(), before); // nor the first one
        verifyWhole();

        must(add(*m_library, run(0).id, {made("c", 9)}));
        SeriesAddition newer = made("c", 10);
        newer.origin.readMs += 1000;
        const auto changes = of({made("a", 1), newer}, {made("a", 2)});
        QVERIFY(m_library->changeSeries(changes));
        QCOMPARE(addedText(0), std::string("a = 1, c = 10"));
        QVERIFY(!m_library->changeSeries(changes)); // "a" is there, and "c" is another
        {
            auto other = must(Library::open(m_file, Library::Mode::ReadWrite));
            must(add(*other, run(0).id, {made("b", 3)}));
        }
        QVERIFY(m_library->changeSeries(changes, true));
        QCOMPARE(addedText(0), std::string("b = 3, c = 9")); // what was replaced is back, what others added stays
        QCOMPARE(addedText(1), std::string());
        verifyWhole();
        QVERIFY(m_library->changeSeries(changes));

        SeriesAddition theirs = made("a", 4);
        theirs.origin.readMs += 5000;
        must(add(*m_library, run(1).id, {theirs}));
        const std::string now = documentOf();
        const auto refused = m_library->changeSeries(changes, true);
        QVERIFY2(!refused && has(refused.error().message, "series a of run 2"), refused ? "" : now.c_str());
        QCOMPARE(documentOf(), now);
        must(removeAll(*m_library, run(1).id));
        QVERIFY(!m_library->changeSeries(changes, true)); // it is not there any more

        const StoredSession session = must(m_library->session(kSession));
        const SessionAdditions all = must(addedTo(*m_library, session, 0));
        QCOMPARE(all.values(), std::size_t(3 * kIntervals));
        const SessionAdditions names = must(addedTo(*m_library, session, 0, 3 * kIntervals - 1));
        QVERIFY(all.hasValues && !names.hasValues && names.values() == 0 && names.series() == 3);
        QVERIFY(!must(changesToRemove(*m_library, session, 0, 0)).hasValues);
    }

    //! A file takes them along; an anonymous one names no host of theirs, nor the words of a query.
    void copies()
    {
        const std::string label = "up{instance=\"db7.example.org:9100\"}";
        // Called after its query, as where a function took the metric's name away; and a probe's target is a URL.
        SeriesAddition queried = made("sum(x{instance=~\"acme8.*\"})", 7);
        queried.origin.query = queried.origin.names[0];
        SeriesAddition named = made("total", 8);
        named.origin.query = "sum(x{node = \"acme9\"})";
        must(add(*m_library, run(0).id,
                 {queried, named, made("up{instance=\"https://shop3.example.net/a\"}", 9), made(label, 5),
                  made("disk of db7", 6)}));
        const fs::path plain = m_dir->filePath("plain.dyno").toStdString();
        const fs::path anonymous = m_dir->filePath("anonymous.dyno").toStdString();
        QVERIFY(m_library->exportSession(kSession, plain));
        QVERIFY(m_library->exportSession(kSession, anonymous, Library::Privacy::Anonymous));
        const auto counters = run(0).header.counters;
        auto copy = must(Library::open(plain, Library::Mode::ReadWrite));
        const StoredRun copied = must(copy->session(kSession)).runs[0];
        QVERIFY(copied.header.counters == counters);
        QCOMPARE(must(copy->intervals(copied.id))[9].counters.back(), 6.0);
        QCOMPARE(must(copy->addedSeries(copied.id)).size(), std::size_t(5));
        QVERIFY(removeAll(*copy, copied.id)); // a single file is changed likewise
        QVERIFY(must(copy->check()).problems.empty());
        const auto hidden = must(Library::open(anonymous, Library::Mode::ReadOnly));
        const StoredSession session = must(hidden->session(kSession));
        QVERIFY(session.damage.empty());
        QCOMPARE(session.runs[0].header.counters.size(), counters.size());
        std::string text;
        for (const CounterInfo& one : session.runs[0].header.counters)
            text += one.source + " " + one.name + "\n";
        for (const SeriesOrigin& one : must(hidden->addedSeries(session.runs[0].id)))
            text += toText(one) + one.names.at(0) + "\n";
        QVERIFY2(!has(text, "db1") && !has(text, "db7") && !has(text, "example.org") && has(text, ":9090"),
                 text.c_str());
        QVERIFY2(!has(text, "acme") && !has(text, "shop3") && has(text, "https://anon-host-") &&
                     has(text, " total\n") && has(text, " query 1\n") && has(text, ":9090: query 2, every"),
                 text.c_str());
        QVERIFY(isAddedSource(session.runs[0].header.counters.back().source));
        QVERIFY(must(hidden->check()).problems.empty());
    }

    //! What is damaged stays so, and what does not fit is refused.
    void refused()
    {
        const StoredRun first = run(0);
        SeriesAddition shorter = made("a", 1);
        shorter.series[0].values.pop_back();
        QVERIFY(!add(*m_library, first.id, {shorter}));
        SeriesAddition own = made("a", 1);
        own.series[0].counter.source = "server";
        QVERIFY(!add(*m_library, first.id, {own}));
        SeriesAddition much = made("a", 1);
        for (int i = 0; i < 10'000; ++i) {
            much.series.push_back(much.series.front());
            much.series.back().counter.name = std::to_string(i);
        }
        const auto tooMany = add(*m_library, first.id, {much});
        QVERIFY(!tooMany && has(tooMany.error().message, "more series than are read"));
        // One of the two would stand under the other's name.
        const auto twice = add(*m_library, first.id, {made("a", 1), made("a", 2)});
        QVERIFY(!twice && has(twice.error().message, "two of the series are called a"));
        QVERIFY(add(*m_library, run(1).id, {made("a", 1)}));
        QVERIFY(!add(*m_library, run(1).id, {made("a", 2), made("a", 3)}));
        QCOMPARE(run(0).header.counters.size(), first.header.counters.size());
        {
            auto database = must(Database::open(m_file, Database::Access::ReadWrite));
            database->exec("UPDATE counter SET unit = 'x' WHERE run = 1");
        }
        const auto damaged = add(*m_library, first.id, {made("a", 1)});
        QVERIFY(!damaged && has(damaged.error().message, "damaged"));
        const StoredRun undated = run(2);
        const auto when =
            readBack(requestFor("http://127.0.0.1:1", {{"up"}}), undated, must(m_library->columns(undated.id)));
        QVERIFY2(!when && has(when.error().message, "when run 3 began is not stored"), when.error().text().c_str());
        // Times of a stranger's file: no request is sent, and none of them overflows.
        for (const std::int64_t odd : {std::int64_t(-1), INT64_MAX, INT64_MAX / 2}) {
            IntervalColumns times = must(m_library->columns(run(1).id));
            times.tNs.back() = odd;
            const auto strange = readBack(requestFor("http://127.0.0.1:1", {{"up"}}), run(1), times);
            QVERIFY2(!strange && has(strange.error().message, "impossible times"), strange.error().text().c_str());
        }
        {
            IntervalColumns times = must(m_library->columns(run(1).id));
            times.tNs.back() = 30LL * 86'400 * 1'000'000'000;
            SeriesRequest request = requestFor("http://127.0.0.1:1", {{"up"}});
            request.stepSeconds = 0.01;
            const auto fine = readBack(request, run(1), times);
            QVERIFY2(!fine && has(fine.error().remedy, "a longer step"), fine.error().text().c_str());
        }
        auto reading = must(Library::open(m_file, Library::Mode::ReadOnly));
        QVERIFY(!add(*reading, run(1).id, {made("a", 1)}));
    }

    void requests_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("token");
        QTest::addColumn<QString>("wrong"); // a part of the message; "": it is fine
        QTest::newRow("fine") << "http://db1:9090"
                              << ""
                              << "";
        QTest::newRow("path") << "https://db1/prometheus/"
                              << "abc"
                              << "";
        QTest::newRow("token on loopback") << "http://127.0.0.1:9090"
                                           << "abc"
                                           << "";
        QTest::newRow("token in clear") << "http://db1:9090"
                                        << "abc"
                                        << "in clear";
        QTest::newRow("odd token") << "https://db1"
                                   << "a\nb"
                                   << "token";
        QTest::newRow("no scheme") << "db1:9090"
                                   << ""
                                   << "http://";
        QTest::newRow("password") << "http://joe:secret@db1:9090"
                                  << ""
                                  << "is not sent";
        QTest::newRow("question") << "http://db1:9090/?x=secret"
                                  << ""
                                  << "before its /api/v1";
        QTest::newRow("fragment") << "http://db1:9090/#x"
                                  << ""
                                  << "characters";
    }
    void requests()
    {
        QFETCH(QString, url);
        QFETCH(QString, token);
        QFETCH(QString, wrong);
        SeriesRequest request = requestFor(url.toStdString(), {{"up"}});
        request.token = token.toStdString();
        const auto fine = checkRequest(request);
        QCOMPARE(fine.has_value(), wrong.isEmpty());
        if (!fine)
            QVERIFY2(has(fine.error().message, wrong.toStdString()) && !has(fine.error().text(), "secret"),
                     fine.error().text().c_str());
        else
            QCOMPARE(placeOf(request), url.contains("9090") ? url.mid(7).toStdString() : std::string("db1:443"));
    }

    void answers_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, std::string_view status, std::string_view body, const char* why) {
            QTest::newRow(name) << QByteArray::fromStdString(answerOf(status, body)) << why;
        };
        const std::string head = json("{'status':'success','data':{'resultType':'matrix','result':[");
        const auto matrix = [&](const std::string& series) { return head + series + "]}}"; };
        row("truncated", "200 OK", matrix(json("{'metric':{},'values':[[1,'2']]}")).substr(0, 70), "not a whole JSON");
        row("HTML", "200 OK", "<html>sign in</html>", "not a whole JSON");
        row("HTML with a status", "502 Bad Gateway", "<html>", "502");
        row("sign-in", "401 Unauthorized", "", "401");
        row("a gateway", "401 Unauthorized", json("{'message':'Unauthorized'}"), "401");
        row("a gateway's JSON", "503 Service Unavailable", json("{'message':'later'}"), "503");
        row("values of another time", "200 OK", matrix(json("{'metric':{},'values':[[1,'2']]}")), "another time");
        row("an error", "503 Service Unavailable",
            json("{'status':'error','errorType':'timeout','error':'query timed out in expression evaluation'}"),
            "timeout: query timed out");
        row("a vector", "200 OK", json("{'status':'success','data':{'resultType':'vector','result':[]}}"),
            "not a matrix");
        row("a list", "200 OK", "[]", "not a whole JSON");
        row("value is a number", "200 OK", matrix(json("{'metric':{},'values':[[1,2]]}")), "a value is not");
        row("value is a word", "200 OK", matrix(json("{'metric':{},'values':[[1,'x']]}")), "a value is not");
        row("time is a word", "200 OK", matrix(json("{'metric':{},'values':[['1','2']]}")), "a value is not");
        row("time without an end", "200 OK", matrix(json("{'metric':{},'values':[[1e300,'2']]}")), "a value is not");
        row("going back", "200 OK", matrix(json("{'metric':{},'values':[[2,'1'],[1,'1']]}")), "not in order");
        row("no labels", "200 OK", matrix(json("{'values':[]}")), "no labels");
        row("a label is a number", "200 OK", matrix(json("{'metric':{'a':1},'values':[]}")), "a label");
        row("histograms", "200 OK",
            matrix(json("{'metric':{},'histograms':[[1,{'count':'1','sum':'2','buckets':[]}]]}")), "gives histograms");
        row("deep", "200 OK", std::string(200'000, '['), "not a whole JSON");
        row("redirect", "302 Found", "", "redirects (302)");
        QTest::newRow("nothing") << QByteArray() << "";
        QTest::newRow("no HTTP") << QByteArray("220 mail ready\r\n") << "";
    }
    void answers()
    {
        QFETCH(QByteArray, answer);
        QFETCH(QString, why);
        const OddHttpServer server([&](const OddHttpServer&, int socket, const std::string&) {
            OddHttpServer::send(socket, answer.toStdString());
        });
        const Error error = refusalOf(requestFor(server.url(), {{"up"}}));
        QVERIFY2(!error.message.empty() && has(error.message, why.toStdString()), error.text().c_str());
        QCOMPARE(error.where, std::string("query up"));
    }

    //! Values that are none, infinities and names that no terminal should see.
    void oddValues()
    {
        const auto series = must(readRangeAnswer(
            json("{'status':'success','data':{'resultType':'matrix','result':[{'metric':{'__name__':'x','b':'q\\'\\n'},"
                 "'values':[[1.5,'NaN'],[2,'+Inf'],[3,'-Inf'],[4,'1e+06'],[5,'-0.25'],[6.0004,'7']]}]}}")));
        QCOMPARE(series.size(), std::size_t(1));
        QCOMPARE(series[0].labelText(), std::string("{b=\"q\\\"\\n\"}"));
        const auto& points = series[0].points;
        QCOMPARE(points[0].ms, std::int64_t(1500));
        QVERIFY(std::isnan(points[0].value) && std::isnan(points[1].value) && std::isnan(points[2].value));
        QVERIFY(points[3].value == 1e6 && points[4].value == -0.25 && points[5].ms == 6000);
    }

    void metrics_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("metric");
        const auto row = [](const char* query, const char* metric) { QTest::newRow(query) << query << metric; };
        row("up", "up");
        row("rate(x_bytes_total[30s])", "x_bytes_total");
        row("sum by (job) (rate(x_total{job=~\"a(b|c)\", y='}'}[5m] offset 1h))", "x_total");
        row("sum(rate(x[1m])) without (cpu)", "x");
        row("histogram_quantile(0.99, sum by (le) (rate(x_seconds_bucket[1m])))", "x_seconds_bucket");
        row("x / on (instance) group_left (job) y", "");
        row("x / x", "x");
        row("1e6 * 5", "");
        row("x # and y\n* 2", "x");
        row("\"open", "");
        row("x{a=\"", "x");
        row("", "");
    }
    void metrics()
    {
        QFETCH(QString, query);
        QFETCH(QString, metric);
        QCOMPARE(QString::fromStdString(metricOfQuery(query.toStdString())), metric);
    }

    //! A huge answer, and one that never comes: neither is waited for when nobody wants it.
    void withoutAnEnd()
    {
        const OddHttpServer huge([](const OddHttpServer& self, int socket, const std::string&) {
            OddHttpServer::send(socket, "HTTP/1.1 200 OK\r\n\r\n");
            const std::string much(1 << 16, ' ');
            while (!self.ending() && OddHttpServer::send(socket, much)) {
            }
        });
        const Error large = refusalOf(requestFor(huge.url(), {{"up"}}));
        QVERIFY2(has(large.message, "more than 200 series"), large.text().c_str()); // also for one point of time
        QVERIFY(huge.asked() > 1);
        const OddHttpServer server(
            [](const OddHttpServer&, int socket, const std::string&) { OddHttpServer::waitForEnd(socket); });
        QElapsedTimer time;
        time.start();
        const Error ended = refusalOf(requestFor(server.url(), {{"up"}}), [](double) { return false; });
        QVERIFY2(ended.kind == ErrorKind::Interrupted, ended.text().c_str());
        QVERIFY(time.elapsed() < 3000);
        QVERIFY(refusalOf(requestFor("http://127.0.0.1:1", {{"up"}})).kind == ErrorKind::Unreachable);
    }

    //! The token goes to the server in a header and nowhere else.
    void token()
    {
        std::string asked;
        const OddHttpServer server([&](const OddHttpServer&, int socket, const std::string& request) {
            asked = request;
            OddHttpServer::send(socket, answerOf("403 Forbidden", "no"));
        });
        SeriesRequest request = requestFor(server.url(), {{"rate(x{a=\"b c\"}[1m]) + 1"}});
        request.token = "very-secret";
        const Error error = refusalOf(request);
        QVERIFY2(error.kind == ErrorKind::Refused && has(error.remedy, "a bearer token"), error.text().c_str());
        QVERIFY2(has(asked, "\r\nAuthorization: Bearer very-secret\r\n"), asked.c_str());
        QVERIFY2(has(asked, "query=rate%28x%7Ba%3D%22b%20c%22%7D%5B1m%5D%29%20%2B%201&start="), asked.c_str());
        QVERIFY(!has(error.text(), "secret"));
    }

    //! A stranger's list of origins is only words.
    void strangeOrigins()
    {
        for (const char* text : {"", "null", "{}", "[1, null, \"x\"]", "[[["})
            QVERIFY2(readOrigins(text).empty(), text);
        QVERIFY(readOrigins("[{\"series\": 7, \"step_ns\": -1, \"query\": []}]") ==
                std::vector<SeriesOrigin>{SeriesOrigin()});
        SeriesOrigin lines = made("a", 1).origin;
        lines.query = "a\n\x1b[2Jb";
        QVERIFY2(has(toText(lines), "9090: a\\u{0A}\\u{1B}[2Jb, every"), toText(lines).c_str());
        const auto origin = made("a", 1).origin;
        QVERIFY(readOrigins(originsJson({origin})) == std::vector<SeriesOrigin>{origin});
        QVERIFY(isAddedSeriesFile(addedSeriesFile(6)) && !isAddedSeriesFile("added series of run .json") &&
                !isAddedSeriesFile("observing of run 7.json"));
    }
};

} // namespace dyno::tst_added_series

DYNO_SUITE(tst_added_series, dyno::tst_added_series::TestAddedSeries)
#include "tst_added_series.moc"
