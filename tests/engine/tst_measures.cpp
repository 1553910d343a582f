// SPDX-License-Identifier: GPL-3.0-or-later
// Measures of parts of a run and of its intervals, by hand-made runs whose figures can be worked out.
#include "report/format.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTest>
#include <cmath>

namespace dyno::tst_measures {

namespace {

StoredRun runOf(double scale = 1)
{
    StoredRun run;
    run.header.counters = {{"server", "Innodb_data_written", "bytes", true},
                           {"server", "Threads_running", "threads", false},
                           {kStatedSource, "p95", "ms", false}};
    RunSummary& summary = run.summary;
    summary.status = RunStatus::Done;
    summary.seconds = 10;
    summary.tps = 100 * scale;
    summary.errors = {{1213, 3}, {1205, 1}};
    summary.rows = 4000;
    OperationSummary read;
    read.name = "point_select";
    read.count = 5000;
    read.service = {
        .meanMs = 1.5, .p50Ms = 1, .p90Ms = 2, .p95Ms = 3, .p99Ms = 4, .p999Ms = 5, .maxMs = 6, .minMs = 0.5};
    read.response.p99Ms = 9;
    OperationSummary never;
    never.name = "never";
    summary.operations = {read, never};
    return run;
}

//! Ten seconds of warm-up that must not count, then ten intervals of different lengths.
std::vector<IntervalSample> intervals()
{
    std::vector<IntervalSample> list;
    std::int64_t at = 0;
    for (int i = 0; i < 15; ++i) {
        IntervalSample sample;
        sample.phase = i < 5 ? Phase::Warmup : Phase::Measure;
        sample.tNs = at;
        sample.lengthNs = i == 14 ? 2'000'000'000 : 1'000'000'000;
        at += sample.lengthNs;
        sample.rows = i < 5 ? 100'000 : i == 14 ? 400 : 400; // the last interval takes twice as long
        sample.ops.resize(2);
        sample.ops[0].count = 500;
        sample.ops[1].count = 500;
        sample.counters = {i == 6 ? std::nan("") : i < 5 ? 1e9 : i == 14 ? 1000.0 : 4000.0, double(i), 7};
        list.push_back(std::move(sample));
    }
    return list;
}

} // namespace

class TestMeasures : public QObject
{
    Q_OBJECT

    //! Percona's post of 2019-02-15: 386 478 308 rows of UInt32 in 0.205 s, "1.88 billion rows/s, 7.52 GB/s".
    static void readRates()
    {
        RunSummary run;
        run.operations.resize(2);
        run.operations[0].name = "sum";
        run.operations[0].count = 10;
        run.operations[0].service.meanMs = 205;
        run.operations[1].name = "top";
        RunSetting setting;
        QVERIFY(!measureOf(run, setting, "rows_read_per_second:sum")); // nothing says what it reads
        QVERIFY(operationReads("oltp_read_write", "clickhouse", {}).empty());
        const auto reads = [](std::int64_t rows, const char* type) {
            return operationReads("column_types", "clickhouse", {{"rows", rows}, {"type", std::string(type)}});
        };
        setting.reads = reads(386'478'308, "uint32");
        const auto is = [&](const char* measure, double value) {
            return std::abs(measureOf(run, setting, measure).value_or(0) / value - 1) < 0.005;
        };
        QVERIFY(is("rows_read_per_second:sum", 1.88e9) && is("bytes_read_per_second:sum", 7.52e9));
        QVERIFY(is("rows_read_per_second", 1.88e9)); // "top" was not done
        QVERIFY(!measureOf(run, setting, "rows_read_per_second:top"));
        run.operations[1].count = 1;
        run.operations[1].service.meanMs = 410; // 11 times all rows in 2.46 s; of the periods 4 bytes more
        QVERIFY(is("rows_read_per_second", 386'478'308.0 * 11 / 2.46));
        QVERIFY(is("bytes_read_per_second:top", 386'478'308.0 * 8 / 0.41));
        for (const auto& [type, bytes] : {std::pair{"uint64", 8}, {"float32", 4}, {"float64", 8}})
            QCOMPARE(reads(7, type).at(1).bytes, 7.0 * bytes);
        // Rows stored whole, and BIGINT for an unsigned number of 4 bytes: what bytes are read is not known.
        setting.reads = operationReads("column_types", "postgresql", {{"rows", std::int64_t(386'478'308)}});
        QVERIFY(is("rows_read_per_second:sum", 1.88e9) && !measureOf(run, setting, "bytes_read_per_second:sum"));
        QCOMPARE(findMeasure("rows_read_per_second:sum")->unit, std::string("rows/s"));
    }

private slots:
    void partsOfOperations()
    {
        const StoredRun run = runOf();
        const auto of = [&run](const char* id) { return measureOf(run.summary, {}, id); };
        QCOMPARE(of("qps:point_select"), std::optional(500.0));
        QCOMPARE(of("per_minute:point_select"), std::optional(30000.0));
        QCOMPARE(of("per_minute"), std::optional(60 * *of("tps")));
        QCOMPARE(of("transactions:point_select"), std::optional(5000.0));
        QCOMPARE(of("seconds"), std::optional(10.0));
        QVERIFY(!findMeasure("seconds")->higherIsBetter && findMeasure("seconds")->unit == "s");
        QVERIFY(!findMeasure("seconds:point_select"));
        QCOMPARE(findMeasure("per_minute:new_order")->label,
                 std::string("new_order per minute, with those rolled back"));
        QCOMPARE(of("service_mean:point_select"), std::optional(1.5));
        QCOMPARE(of("service_p999:point_select"), std::optional(5.0));
        QCOMPARE(of("service_max:point_select"), std::optional(6.0));
        QCOMPARE(of("service_min:point_select"), std::optional(0.5));
        QVERIFY(!of("response_min:point_select")); // stored before there was one, or not told
        QCOMPARE(of("response_p99:point_select"), std::optional(9.0));
        QVERIFY(!of("qps:delete"));                    // the run has no such kind
        QCOMPARE(of("qps:never"), std::optional(0.0)); // it has, but none was done: a rate of 0, and no latency
        QVERIFY(!of("service_p95:never"));
        QCOMPARE(of("errors:1213"), std::optional(3.0));
        QCOMPARE(of("errors:1062"), std::optional(0.0));  // no such error happened
        QCOMPARE(of("errors:40P01"), std::optional(0.0)); // nor one that begins with the digits of another
        QCOMPARE(of("errors"), std::optional(4.0));
        StoredRun locked = run; // 60 deadlocks among 2 704 687 transactions are 22.18 in a million
        locked.summary.transactions = 2'704'687;
        locked.summary.errors = {{1213, 60}, {1205, 3}};
        const auto perMillion = [&locked](const char* id) { return measureOf(locked.summary, {}, id).value_or(-1); };
        QVERIFY(std::abs(perMillion("errors_per_million:1213") - 22.1837) < 0.0001);
        QVERIFY(std::abs(perMillion("errors_per_million") - 23.2929) < 0.0001);
        QCOMPARE(perMillion("errors_per_million:1062"), 0.0);
        locked.summary.transactions = 0;
        QVERIFY(!measureOf(locked.summary, {}, "errors_per_million:1213"));
        QCOMPARE(findMeasure("errors_per_million:1213")->label, std::string("Errors 1213 per million transactions"));
        const RunSetting sizes{.columns = {{"column", "t.n", 50}, {"before compression", "t.n", 200}}};
        QCOMPARE(measureOf(run.summary, sizes, "column_bytes:t.n"), std::optional(50.0));
        QCOMPARE(measureOf(run.summary, sizes, "column_ratio:t.n"), std::optional(4.0));
        for (const char* unknown : {"column_bytes:t.m", "column_ratio:t.m", "column_bytes", "column_ratio"})
            QVERIFY2(!measureOf(run.summary, sizes, unknown), unknown);
        QVERIFY(!measureOf(run.summary, {}, "column_bytes:t.n"));
        readRates();
        QVERIFY(!of("off_page_bytes")); // not told
        QCOMPARE(measureOf(run.summary, {.offPageBytes = 16384}, "off_page_bytes"), std::optional(16384.0));
        QCOMPARE(measureOf(run.summary, {.offPageBytes = 0}, "off_page_bytes"), std::optional(0.0)); // all in the rows
        QVERIFY(!of("no_such_measure") && !of("tps:point_select"));
        QCOMPARE(of("rows_per_second"), std::optional(400.0)); // 4 000 in 10 s
        QVERIFY(!of("server_cpu_us_per_row"));                 // nobody tells the server's
        StoredRun loaded = run;                                // 5 000 operations changed 4 000 rows
        loaded.summary.queries = 5000;
        loaded.summary.cpuUsPerOp = 8;
        loaded.summary.serverCpuUsPerOp = 40;
        loaded.summary.serverSwitchesPerOp = 2;
        QCOMPARE(measureOf(loaded.summary, {}, "cpu_us_per_row"), std::optional(10.0));
        QCOMPARE(measureOf(loaded.summary, {}, "server_cpu_us_per_row"), std::optional(50.0));
        QCOMPARE(measureOf(loaded.summary, {}, "server_switches_per_row"), std::optional(2.5));
        loaded.summary.rows = 0;
        QVERIFY(!measureOf(loaded.summary, {}, "server_cpu_us_per_row"));
        StoredRun imported = run;
        imported.summary.origin = "sysbench 1.0.20";
        QCOMPARE(measureOf(imported.summary, {}, "errors:1213"), std::optional(3.0));
        QVERIFY(!measureOf(imported.summary, {}, "errors:1062")); // its file tells no codes that did not happen
        QVERIFY(!measureOf(imported.summary, {}, "seconds"));     // not told
        StoredRun pending;
        QVERIFY(!measureOf(pending.summary, {}, "seconds")); // nothing was measured yet: no 0
    }

    //! E15: count and p90 of each kind in each interval, from histograms and from columns.
    void kindsOverTime()
    {
        const std::vector<OperationInfo> kinds = {{"order"}, {"status"}};
        std::vector<IntervalSample> samples(2);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            IntervalSample& sample = samples[i];
            sample.lengthNs = i == 0 ? 10'000'000'000 : 5'000'000'000;
            sample.transaction.count = 30;
            sample.ops.resize(2);
            sample.ops[0].count = 100;
            for (int n = 1; i == 0 && n <= 100; ++n)
                sample.ops[0].service.record(std::uint64_t(n) * 1000000);
            sample.ops[1].count = 7 * std::uint64_t(i);
            sample.rows = 5000;
        }
        QCOMPARE(intervalMeasuresOf("tps").amount, std::string("tps"));
        QCOMPARE(intervalMeasuresOf("tps").latency, std::string("service_p95"));
        QCOMPARE(intervalMeasuresOf("response_p90:order").amount, std::string("qps:order"));
        QCOMPARE(intervalMeasuresOf("response_p90:order").latency, std::string("response_p90:order"));
        QCOMPARE(intervalMeasuresOf("transactions", "status").amount, std::string("transactions:status"));
        QCOMPARE(intervalMeasuresOf("tps:scans").amount, std::string("tps:scans"));
        QCOMPARE(intervalMeasuresOf("tps", "order").amount, std::string("qps:order"));
        QCOMPARE(intervalMeasuresOf("errors:1213").amount, std::string("tps"));
        QCOMPARE(intervalMeasuresOf("errors:1213").latency, std::string("service_p95"));
        const auto of = [&](const char* measure) { return intervalValues(samples, kinds, measure); };
        QCOMPARE(of("tps"), (std::vector<double>{3, 6}));
        QCOMPARE(of("qps"), (std::vector<double>{10, 21.4}));
        QCOMPARE(of("qps:order"), (std::vector<double>{10, 20}));
        QCOMPARE(of("per_minute:order"), (std::vector<double>{600, 1200}));
        QCOMPARE(of("transactions:status"), (std::vector<double>{0, 7}));
        const double p90 = of("response_p90:order")[0]; // from the start: none was measured apart
        QVERIFY2(std::fabs(p90 - 90) < 0.016 * 90, qPrintable(QString::number(p90))); // within a bucket
        QVERIFY(std::isnan(of("response_p90:order")[1]));                             // nothing finished
        QCOMPARE(of("rows"), (std::vector<double>{500, 1000}));                       // a second: the insert rate
        QCOMPARE(intervalMeasuresOf("rows").amount, std::string("rows"));
        QCOMPARE(intervalMeasuresOf("counter:host/vda reads", "order").amount, std::string("counter:host/vda reads"));
        QCOMPARE(intervalMeasuresOf("formula:a / b").latency, std::string("service_p95"));
        for (const char* none : {"qps:never", "service_p90:never", "errors:1213", "rows:order"})
            QVERIFY2(std::isnan(of(none)[0]), none);

        IntervalColumns columns;
        columns.tNs = {0, 10'000'000'000};
        columns.lengthNs = {10'000'000'000, 5'000'000'000};
        columns.transaction.count = {30, 30};
        columns.rows = {5000, 5000};
        columns.ops.resize(2);
        columns.ops[0].count = {100, 100};
        columns.ops[0].service.p95Ms = {95, std::nan("")};
        columns.ops[1].count = {0, 7};
        for (const char* same : {"tps", "qps", "qps:order", "transactions:status", "rows"})
            QCOMPARE(intervalValues(columns, kinds, same), std::optional(of(same)));
        QCOMPARE(intervalValues(columns, kinds, "response_p95:order")->front(), 95.0);
        QVERIFY(!intervalValues(columns, kinds, "response_p90:order")); // columns do not hold it
        columns.ops.clear();
        QVERIFY(!intervalValues(columns, kinds, "qps:order")); // read without operations
    }

private:
    //! Intervals of a second with these rows each.
    static std::vector<IntervalSample> seconds(const std::vector<std::uint64_t>& rows)
    {
        std::vector<IntervalSample> list;
        for (const std::uint64_t one : rows) {
            IntervalSample sample;
            sample.phase = Phase::Measure;
            sample.tNs = std::int64_t(list.size()) * 1'000'000'000;
            sample.lengthNs = 1'000'000'000;
            sample.rows = one;
            list.push_back(std::move(sample));
        }
        return list;
    }

private slots:
    //! E02: each point is the rate over the last N rows. A constant rate is that rate, once N rows are behind.
    void aConstantRateOverTheLastRows()
    {
        const auto list = seconds(std::vector<std::uint64_t>(8, 1000));
        for (const char* measure : {"rows:3000", "rows:2500"}) {
            const std::vector<double> rates = intervalValues(list, {}, measure);
            QVERIFY(std::isnan(rates[0]) && std::isnan(rates[1])); // fewer rows than that
            for (std::size_t i = 2; i < rates.size(); ++i)
                QCOMPARE(rates[i], 1000.0);
        }
        QVERIFY(std::isnan(intervalValues(list, {}, "rows:8001").back()));
        QCOMPARE(intervalValues(list, {}, "rows:8000").back(), 1000.0);
    }

    //! Rate R − s·t: c(t) = R·t − s·t²/2 rows by then, so that the last N rows began at t(c) = (R − √(R² − 2·s·c)) / s.
    //! Inside an interval rows count as even, which is off by s/8 rows at the most.
    void aFallingRateOverTheLastRows()
    {
        constexpr double kRate = 1000, kFall = 10, kLast = 5000;
        std::vector<std::uint64_t> rows;
        for (int i = 0; i < 60; ++i)
            rows.push_back(std::uint64_t(kRate - kFall * (i + 0.5)));
        const std::vector<double> rates = intervalValues(seconds(rows), {}, "rows:5000");
        int compared = 0;
        for (std::size_t i = 0; i < rates.size(); ++i) {
            const double end = double(i) + 1, done = kRate * end - kFall * end * end / 2;
            QCOMPARE(std::isnan(rates[i]), done < kLast);
            if (done < kLast)
                continue;
            const double begin = (kRate - std::sqrt(kRate * kRate - 2 * kFall * (done - kLast))) / kFall;
            const double expected = kLast / (end - begin);
            QVERIFY2(std::fabs(rates[i] - expected) < 0.0005 * expected,
                     qPrintable(QString("%1: %2, %3").arg(i).arg(rates[i]).arg(expected)));
            ++compared;
        }
        QCOMPARE(compared, 55); // 4 875 rows after five seconds, 5 820 after six
    }

    //! Its last point is the exit velocity; what lies before the measured time has no part in it; a standstill shows.
    void lastRowsAndTheExitVelocity()
    {
        const StoredRun run = runOf();
        const auto list = intervals();
        for (const char* rows : {"1000", "4000", "700"}) {
            const std::string measure = std::string("rows:") + rows;
            const std::vector<double> rates = intervalValues(list, {}, measure);
            QCOMPARE(rates.size(), list.size());
            for (std::size_t i = 0; i < 5; ++i)
                QVERIFY(std::isnan(rates[i]));
            QCOMPARE(rates.back(), intervalFigure(run, list, std::string("exit_rate:") + rows));
            QCOMPARE(intervalFigure(run, list, measure), rates.back());
            IntervalColumns columns;
            for (const IntervalSample& sample : list) {
                columns.phase.push_back(sample.phase);
                columns.tNs.push_back(sample.tNs);
                columns.lengthNs.push_back(sample.lengthNs);
                columns.rows.push_back(sample.rows);
            }
            const std::vector<double> same = *intervalValues(columns, {}, measure);
            for (std::size_t i = 5; i < same.size(); ++i)
                QVERIFY((std::isnan(same[i]) && std::isnan(rates[i])) || same[i] == rates[i]);
        }
        // 1000 rows took 1 s, then nothing came for two: the same rows in 2 s, in 3 s; then 500 more in 1 s.
        QCOMPARE(intervalValues(seconds({1000, 1000, 0, 0, 500}), {}, "rows:1000"),
                 (std::vector<double>{1000, 1000, 500, 1000 / 3.0, 1000 / 3.5}));
        QCOMPARE(intervalMeasuresOf("rows:1000").amount, std::string("rows:1000"));
        QCOMPARE(intervalMeasuresOf("rows:1000").latency, std::string("service_p95"));
        QCOMPARE(findMeasure("rows:2000000")->label, "Row rate of the last " + report::human(2e6) + " rows");
        QCOMPARE(findMeasure("rows:2000000")->unit, std::string("rows/s"));
        QVERIFY(findMeasure("rows:2000000")->fromIntervals);
        QVERIFY(!findMeasure("rows:"));
        for (const char* id : {"rows:0", "rows:-5", "rows:many", "rows:5x"})
            QVERIFY2(!findMeasure(id) && std::isnan(intervalValues(list, {}, id).back()), id);
    }

    void sizeOfTheData()
    {
        StoredRun run = runOf();
        run.header.dataBytes = 1000; // before the run
        const auto bytes = [&run] { return settingOf({}, run).dataBytes; };
        QCOMPARE(bytes(), std::uint64_t(1000));
        run.aftermath.emplace();
        QCOMPARE(bytes(), std::uint64_t(1000));
        run.aftermath->dataParts = {{"data", "", 5000}};
        QCOMPARE(bytes(), std::uint64_t(5000));
        run.aftermath->dataParts = {
            {"collection", "a", 300}, {"index", "a._id_", 200}, {"before compression", "a", 900}};
        QCOMPARE(bytes(), std::uint64_t(500));
        run.aftermath->dataParts = {{"table", "a", 7000}, {"redo log", "", 96}, {"table", "b", 1}, {"binlog", "", 50}};
        QCOMPARE(bytes(), std::uint64_t(7001));
        QCOMPARE(settingOf({}, run).indexBytes, std::uint64_t(0));
        run.aftermath->dataParts.push_back({"index", "a", 900}); // a file of its own
        QCOMPARE(bytes(), std::uint64_t(7901));
        QCOMPARE(settingOf({}, run).indexBytes, std::uint64_t(900));
        run.aftermath->dataParts.push_back({"collection", "a", 6000}); // the server's words for what is in the files
        QCOMPARE(bytes(), std::uint64_t(7001));
    }

    void nothingIsNotZero()
    {
        const StoredRun run = runOf();
        for (const char* id : {"service_p95", "response_mean", "data_bytes", "cpu_us_per_op", "rss_bytes", "found",
                               "tx_per_cost", "exit_rate", "counter:Threads_running", "bytes_written_per_op",
                               "bytes_ingested_per_op", "write_amplification"})
            QVERIFY2(!measureOf(run.summary, {}, id), id);
        QCOMPARE(measureOf(run.summary, {.dataBytes = 42, .price = {}}, "data_bytes"), std::optional(42.0));
    }

    void names()
    {
        QCOMPARE(findMeasure("service_p999:point_select")->label, std::string("p99.9 service time of point_select"));
        QCOMPARE(findMeasure("response_p50:x")->label, std::string("Median response time of x"));
        QCOMPARE(findMeasure("qps:point_select")->label, std::string("Operations point_select"));
        QVERIFY(findMeasure("exit_rate:2000000")->fromIntervals);
        QVERIFY(!findMeasure("counter:Threads_running")->judged);
        QCOMPARE(findMeasure("qps:a"), findMeasure("qps:a"));                          // callers keep the pointer
        QCOMPARE(findMeasure("tps:scans")->label, std::string("Throughput of scans")); // of a group of users
        for (const char* id : {"tps:", "qps:", "errors:abc", "errors_per_million:abc", "exit_rate:0", "exit_rate:-5",
                               "exit_rate:many", ":", ""})
            QVERIFY2(!findMeasure(id), id);
    }

    void partsThatThereAre()
    {
        StoredSession session;
        session.runs = {runOf()};
        QCOMPARE(measureParts("qps", {session}), std::vector<std::string>{"point_select"});
        QCOMPARE(measureParts("service_p95", {session}), std::vector<std::string>{"point_select"});
        QCOMPARE(measureParts("errors", {session}), (std::vector<std::string>{"1205", "1213"}));
        QCOMPARE(measureParts("counter", {session}),
                 (std::vector<std::string>{"Innodb_data_written", "Threads_running"}));
        // Those that nobody chose are behind all that are shown, of any run, each once; and they are measured by name.
        StoredRun second = runOf();
        for (StoredRun* run : {&session.runs[0], &second}) {
            run->header.counters[1].hidden = true;
            run->header.counters.insert(run->header.counters.begin(), {"server", "Com_insert", "", true, true});
        }
        second.header.counters.push_back({"host", "memory used", "bytes", false});
        session.runs.push_back(second);
        QCOMPARE(
            measureParts("counter", {session}),
            (std::vector<std::string>{"Innodb_data_written", "host/memory used", "Com_insert", "Threads_running"}));
        session.runs.resize(1);
        QCOMPARE(measureParts("exit_rate", {session}), (std::vector<std::string>{"1000", "2000"}));
        QCOMPARE(measureParts("rows", {session}), (std::vector<std::string>{"1000", "2000"}));
        QVERIFY(measureParts("tps", {session}).empty());
    }

    void formulas()
    {
        const StoredRun run = runOf();
        const auto list = intervals();
        const double written = (8 * 4000.0 + 2 * 1000.0) / 10;
        QCOMPARE(intervalFigure(run, list, "formula:Innodb_data_written / tps"), written / 100);
        QCOMPARE(
            intervalFigure(run, list, "formula:KiB a row = Innodb_data_written / rows_per_second / 1024 [KiB/row]"),
            written / 400 / 1024);
        QCOMPARE(intervalFigure(run, list, "formula:data_bytes / 1e6", {.dataBytes = 42'000'000, .price = {}}), 42.0);
        QVERIFY(std::isnan(intervalFigure(run, list, "formula:tps / nothing")));
        QVERIFY(std::isnan(intervalFigure(run, list, "formula:'stated/p95' / tps"))); // a percentile has no mean
        const MeasureInfo* info = findMeasure("formula:KiB a row = Innodb_data_written / tps [KiB/row]");
        QCOMPARE(info->label, std::string("KiB a row"));
        QCOMPARE(info->unit, std::string("KiB/row"));
        QVERIFY(info->fromIntervals && !info->judged);
        QVERIFY(!findMeasure("formula:tps /") && !findMeasure("formula:"));
        StoredSession session;
        session.runs = {run};
        session.header.plan.views.emplace_back().measure = "formula:tps / qps";
        QCOMPARE(measureParts("formula", {session}), std::vector<std::string>{"tps / qps"});
    }

    //! 100 transactions a second; none in three intervals, 40 in each of two others.
    void stalls()
    {
        StoredRun run = runOf();
        std::vector<IntervalSample> list;
        for (int i = 0; i < 60; ++i) {
            IntervalSample& sample = list.emplace_back();
            sample.tNs = i * 1'000'000'000ll;
            sample.lengthNs = 1'000'000'000;
            sample.transaction.count = i >= 20 && i < 23 ? 0 : i == 40 || i == 41 ? 40 : 100;
        }
        const auto of = [&](const char* id) { return intervalFigure(run, list, id); };
        QCOMPARE(of("stalls"), 1.0);
        QCOMPARE(of("dips"), 1.0);
        QCOMPARE(of("stall_seconds"), 5.0);
        QCOMPARE(of("longest_stall"), 3.0);
        QCOMPARE(of("stall_missing"), 300 + 120.0);
        QCOMPARE(of("formula:100 * stall_seconds / seconds"), 50.0);
        QCOMPARE(of("latency_stalls"), 0.0);
        for (IntervalSample& sample : list)
            sample.transaction.service.record(sample.tNs >= 30'000'000'000 && sample.tNs < 34'000'000'000 ? 80'000'000
                                                                                                          : 1'000'000);
        QCOMPARE(of("latency_stalls"), 1.0);
        QCOMPARE(of("latency_stall_seconds"), 4.0);
        QCOMPARE(of("stalls"), 1.0); // as before
        QCOMPARE(of("stall_seconds"), 5.0);
        for (IntervalSample& sample : list)
            sample.transaction.count = 100;
        QCOMPARE(of("stalls"), 0.0); // known to be none
        QCOMPARE(of("longest_stall"), 0.0);
        for (IntervalSample& sample : list)
            sample.transaction.count = 0;
        QVERIFY(std::isnan(of("stalls"))); // nothing tells what would be usual
        list.front().transaction.count = 100;
        run.summary.origin = "sysbench 1.0.20"; // what it tells of an interval may be a figure without a count
        QVERIFY(std::isnan(of("stalls")));
        run.summary.origin.clear();
        list.clear();
        QVERIFY(std::isnan(of("stalls")));
    }

    void fromIntervals()
    {
        const StoredRun run = runOf();
        const auto list = intervals();
        // Ten measured intervals, the last of two seconds: 4 000 rows in 11 s, the last 1 000 of them in 3.5 s.
        QCOMPARE(intervalFigure(run, list, "exit_rate:1000"), 1000 / 3.5);
        QCOMPARE(intervalFigure(run, list, "exit_rate:4000"), 4000 / 11.0);
        QCOMPARE(intervalFigure(run, list, "exit_rate"), 200.0); // the last tenth: 400 rows in 2 s
        QVERIFY(std::isnan(intervalFigure(run, list, "exit_rate:4001")));
        // Weighted with the lengths, and without the interval that has no value.
        QCOMPARE(intervalFigure(run, list, "counter:Innodb_data_written"), (8 * 4000.0 + 2 * 1000.0) / 10);
        QCOMPARE(intervalFigure(run, list, "counter:Threads_running"),
                 (5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 2 * 14) / 11.0);
        QVERIFY(std::isnan(intervalFigure(run, list, "counter:stated/p95"))); // a percentile has no mean
        QVERIFY(std::isnan(intervalFigure(run, list, "counter:nothing")));
        QCOMPARE(intervalFigure(run, list, "bytes_written_per_op"), (8 * 4000.0 + 2 * 1000.0) / (9 * 1000));
        StoredRun bare = run;
        bare.header.counters.clear();
        QVERIFY(std::isnan(intervalFigure(bare, list, "bytes_written_per_op")));
    }

    //! Both ways; where no link is there is no figure.
    void bytesOverTheLink()
    {
        StoredRun run = runOf();
        run.header.counters = {{"server", "link sent", "bytes", true}, // of another kind
                               {"host", "link received", "bytes", true},
                               {"host", "link sent", "bytes", true}};
        auto list = intervals();
        for (IntervalSample& sample : list)
            sample.counters = {1e9, 2e6, 5e5};
        QCOMPARE(intervalFigure(run, list, "link_bytes_per_second"), 2.5e6);
        run.header.counters.pop_back();
        QVERIFY(std::isnan(intervalFigure(run, list, "link_bytes_per_second")));
    }

    //! 2 million instructions a second in 11 s are 2 200 for each of 10 000 operations.
    void processorCounts()
    {
        StoredRun run = runOf();
        run.header.counters = {{"server process", "instructions", "instructions", true},
                               {"server process", "cycles", "cycles", true},
                               {"server process", "dTLB load misses", "misses", true},
                               {"server", "instructions", "instructions", true}}; // of another kind
        auto list = intervals();
        for (IntervalSample& sample : list)
            sample.counters = {2e6, 1e6, 5e4, 1};
        QCOMPARE(intervalFigure(run, list, "server_instructions_per_op"), 2e6 * 11 / 10000);
        QCOMPARE(intervalFigure(run, list, "server_tlb_misses_per_op"), 5e4 * 11 / 10000);
        QCOMPARE(intervalFigure(run, list, "server_ipc"), 2.0);
        list.back().counters = {8e6, std::nan(""), 5e4, 1}; // an interval without cycles tells no instructions either
        QCOMPARE(intervalFigure(run, list, "server_ipc"), 2.0);
        run.header.counters.pop_back();
        run.header.counters.erase(run.header.counters.begin());
        for (const char* measure : {"server_instructions_per_op", "server_ipc"})
            QVERIFY(std::isnan(intervalFigure(run, intervals(), measure)) && findMeasure(measure)->fromIntervals);
        QVERIFY(!findMeasure("server_ipc")->judged && findMeasure("server_instructions_per_op")->judged);
    }

    void mongodbWritesPagesAndLog()
    {
        StoredRun run = runOf();
        run.header.counters = {{"server", "wiredTiger.cache.bytes written from cache", "bytes", true},
                               {"server", "wiredTiger.log.log bytes written", "bytes", true}};
        auto list = intervals();
        for (IntervalSample& sample : list)
            sample.counters = {300, 200};
        QCOMPARE(intervalFigure(run, list, "bytes_written_per_op"), 500.0 * 11 / 10000);
    }

    //! Of the embedded store, and of tables in an engine like it: its own counters, in percent of nothing else.
    void amplificationIsWhatWasStoredOfWhatWasHandedOver()
    {
        struct Row
        {
            const char* engine;
            std::vector<const char*> counters; //!< the first one is what was handed over
        };
        for (const Row& row : {Row{"", {"user_bytes_written", "storage_bytes_written"}},
                               Row{"RocksDB",
                                   {"Rocksdb_bytes_written", "Rocksdb_wal_bytes", "Rocksdb_flush_write_bytes",
                                    "Rocksdb_compact_write_bytes"}}}) {
            StoredRun run = runOf();
            run.header.counters = {{"server", "Innodb_data_written", "bytes", true}};
            auto list = intervals();
            for (const char* name : row.counters)
                run.header.counters.push_back({"server", name, "bytes", true});
            const double stored = 100.0 * double(row.counters.size() - 1);
            for (IntervalSample& sample : list) {
                sample.counters = {7};
                sample.counters.resize(row.counters.size() + 1, 100);
                sample.counters[1] = 40;
            }
            const std::string_view engine = row.engine;
            QCOMPARE(intervalFigure(run, list, "write_amplification", {}, engine), stored / 40);
            QCOMPARE(intervalFigure(run, list, "bytes_ingested_per_op", {}, engine), 40.0 * 11 / 10000);
            // Without an engine InnoDB's counter is there too, and comes first.
            if (!engine.empty())
                QCOMPARE(intervalFigure(run, list, "bytes_written_per_op", {}, engine), stored * 11 / 10000);
            run.header.counters.pop_back();
            QVERIFY(std::isnan(intervalFigure(run, list, "write_amplification", {}, engine)));
        }
        StoredRun run = runOf();
        QVERIFY(std::isnan(intervalFigure(run, intervals(), "write_amplification", {}, "InnoDB")));
        QVERIFY(findMeasure("write_amplification")->fromIntervals && findMeasure("write_amplification")->judged);
        QVERIFY(!findMeasure("bytes_ingested_per_op")->judged);
    }

    //! By the transactions: a commit's share of the log.
    void logOfATransaction()
    {
        for (const char* counter : {"Innodb_os_log_written", "wal_bytes_written", "wiredTiger.log.log bytes written"}) {
            StoredRun run = runOf();
            run.header.counters = {{"server", "Questions", "statements", true}, {"server", counter, "bytes", true}};
            auto list = intervals();
            for (IntervalSample& sample : list) {
                sample.counters = {3, 500};
                sample.transaction.count = 10;
            }
            QCOMPARE(intervalFigure(run, list, "log_bytes_per_tx"), 500.0 * 11 / 100); // ten intervals, 11 s
            // Another engine of the same server has a log of its own.
            const bool oneOfMany = std::string_view(counter) == "Innodb_os_log_written";
            QCOMPARE(std::isnan(intervalFigure(run, list, "log_bytes_per_tx", {}, "ROCKSDB")), oneOfMany);
            QVERIFY(std::isfinite(intervalFigure(run, list, "log_bytes_per_tx", {}, "innodb")));
            run.header.counters[1].name = "Innodb_data_written";
            QVERIFY(std::isnan(intervalFigure(run, list, "log_bytes_per_tx")));
        }
        QVERIFY(findMeasure("log_bytes_per_tx")->fromIntervals && !findMeasure("log_bytes_per_tx")->judged);
    }

    //! A pivot takes such figures from the outside, and says the counter's own unit.
    void inAPivot()
    {
        StoredSession session;
        for (const int users : {1, 4}) {
            PointSpec point;
            point.cases = {{"users", std::to_string(users)}};
            point.load.users = {users};
            session.header.points.push_back(point);
            for (int repeat = 1; repeat <= 2; ++repeat) {
                StoredRun run = runOf();
                run.summary.point = int(session.header.points.size()) - 1;
                run.summary.repeat = repeat;
                session.runs.push_back(run);
            }
        }
        PivotRequest request;
        request.measure = "counter:Innodb_data_written";
        const IntervalFigures figures{request.measure, {{10, 12, std::nan(""), std::nan("")}}};
        const Pivot p = pivot({session}, request, &figures);
        QCOMPARE(p.measure().unit, std::string("bytes/s"));
        QCOMPARE(p.cell("1", "")->estimate.runs, (std::vector<double>{10, 12}));
        QVERIFY(p.cell("4", "")->estimate.runs.empty());
        QVERIFY(std::isnan(p.figure(*p.cell("4", "")).value));
        QVERIFY(pivot({session}, request).cell("1", "")->estimate.runs.empty()); // nothing was read: no figure, no 0
    }

    //! Interleaved repeats share what the machine did at that time: their ratios are of pairs.
    void interleavedRunsArePaired()
    {
        StoredSession session;
        session.header.plan.load.order = RunOrder::Interleaved;
        const std::vector<double> machine{1000, 700, 1300, 900}; // how fast the machine was at each repeat
        for (const char* label : {"A", "B"}) {
            PointSpec point;
            point.cases = {{"case", label}};
            session.header.points.push_back(point);
            for (std::size_t i = 0; i < machine.size(); ++i) {
                StoredRun run = runOf();
                run.summary.point = int(session.header.points.size()) - 1;
                run.summary.repeat = int(i) + 1;
                run.summary.tps = label == std::string("A") ? machine[i] : machine[i] * (1.10 + 0.002 * double(i % 2));
                session.runs.push_back(run);
            }
        }
        Pivot p = pivot({session}, {});
        const PivotCell* b = p.cell("1", "B");
        QVERIFY(p.paired && b);
        QCOMPARE(b->ratio.pairs, 4);
        QVERIFY(b->ratio.verdict == Verdict::Better);
        QVERIFY(*b->ratio.low > 1.09 && *b->ratio.high < 1.12);
        session.header.plan.load.order = RunOrder::AsListed;
        p = pivot({session}, {});
        QVERIFY(!p.paired);
        QVERIFY(p.cell("1", "B")->ratio.verdict == Verdict::NoDifferenceShown); // the machine's moods hide it
        // Two pairs can hardly show anything: ratios of means then.
        session.header.plan.load.order = RunOrder::Interleaved;
        std::erase_if(session.runs, [](const StoredRun& run) { return run.summary.repeat > 2; });
        QVERIFY(!pivot({session}, {}).paired);
    }
};

} // namespace dyno::tst_measures

DYNO_SUITE(tst_measures, dyno::tst_measures::TestMeasures)
#include "tst_measures.moc"
