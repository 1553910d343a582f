// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Logs of sysbench 0.4 to 1.1 (src/sysbench.c, src/lua/sysbench.lua): banner, options, interim lines, report,
//! histogram.
#include "import/sysbench.h"
#include "import/format.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace dyno::import {

namespace {

//! One interim line; rates a second, latency in milliseconds.
struct Interim
{
    double at = 0; //!< seconds since the start, at the end of the interval
    int threads = 0;
    double tps = 0, reads = kNone, writes = kNone, others = kNone;
    double percentile = 0, latency = 0;
    double errors = kNone, reconnects = kNone;
};

//! " (last message repeated 3 times)" and the like
bool isNoise(std::string_view text)
{
    constexpr std::array kNoise = {"(last message repeated",
                                   "Threads started!",
                                   "Initializing",
                                   "Running the test with",
                                   "Done.",
                                   "Doing ",
                                   "Random number generator",
                                   "Additional request val",
                                   "Maximum number of requests",
                                   "Running memory speed",
                                   "Prime numbers limit",
                                   "Debug mode enabled"};
    return std::ranges::any_of(kNoise, [text](std::string_view noise) { return text.starts_with(noise); });
}

//! "[ 10s ] thds: 24 tps: 375.19 qps: 8059.91 (r/w/o: 5674.56/1600.29/785.06) lat (ms,95%): 106.75 err/s: 44.76 …",
//! from after the bracket
bool readNew(Scan& scan, Interim& out)
{
    std::uint64_t threads = 0;
    double qps = 0;
    if (!scan.text("thds:") || !scan.count(threads))
        return false;
    if (scan.text("eps:")) {
        if (!scan.number(out.tps))
            return false;
    } else if (!scan.text("tps:") || !scan.number(out.tps) || !scan.text("qps:") || !scan.number(qps) ||
               !scan.text("(r/w/o:") || !scan.number(out.reads) || !scan.text("/") || !scan.number(out.writes) ||
               !scan.text("/") || !scan.number(out.others) || !scan.text(")")) {
        return false;
    }
    if (!scan.text("lat (ms,") || !scan.number(out.percentile) || !scan.text("%):") || !scan.number(out.latency))
        return false;
    // the hook of Lua writes "err/s 44.76"
    if (scan.text("err/s")) {
        (void)scan.text(":");
        if (!scan.number(out.errors))
            return false;
        if (scan.text("reconn/s:") && !scan.number(out.reconnects))
            return false;
    }
    out.threads = static_cast<int>(std::min<std::uint64_t>(threads, 10'000'000));
    return scan.blanks().atEnd();
}

//! "[  10s] threads: 128, tps: 375.19, reads: 5674.56, writes: 1600.29, response time: 33.58ms (95%), errors: 0.00, …"
bool readOld(Scan& scan, Interim& out)
{
    std::uint64_t threads = 0;
    if (!scan.text("threads:") || !scan.count(threads) || !scan.text(", tps:") || !scan.number(out.tps))
        return false;
    const auto rate = [&scan](const char* plain, const char* perSecond, double& value) {
        return (scan.text(perSecond) || scan.text(plain)) && scan.number(value);
    };
    if (!rate(", reads:", ", reads/s:", out.reads) || !rate(", writes:", ", writes/s:", out.writes) ||
        !scan.text(", response time:") || !scan.number(out.latency) || !scan.text("ms (") ||
        !scan.number(out.percentile) || !scan.text("%)"))
        return false;
    if (scan.text(", errors:") && !scan.number(out.errors))
        return false;
    if (scan.text(", reconnects:") && !scan.number(out.reconnects))
        return false;
    out.threads = static_cast<int>(std::min<std::uint64_t>(threads, 10'000'000));
    return scan.blanks().atEnd();
}

class SysbenchParser final : public Parser
{
public:
    explicit SysbenchParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        if (text.front() == '[')
            return interim(text);
        text = trimmed(text);
        if (text.empty())
            return true;
        if (m_section == Section::Histogram && bucket(text))
            return true;
        return banner(text) || option(text) || section(text) || isNoise(text) || message(text) || figure(text);
    }

    void end() override { close(); }

private:
    enum class Section { None, Sql, General, Latency, Fairness, Histogram };

    Run& run()
    {
        if (!m_run)
            m_run = &m_collector.begin();
        return *m_run;
    }

    //! The run under way has no more lines.
    void close()
    {
        if (m_run && !m_run->empty() && !m_reported && m_run->status == RunStatus::Done) {
            m_run->status = RunStatus::Cut;
            m_run->reason = "the log ends before sysbench's report";
        }
        m_run = nullptr;
        m_reported = m_checkpointReported = false;
        m_last = m_zero = 0;
        m_section = Section::None;
    }

    //! Another run of sysbench, not another part of one.
    void newRun()
    {
        close();
        m_checkpoint = false;
        m_checkpointAt = m_untilReport = 0;
        m_segment = 0;
    }

    bool banner(std::string_view text)
    {
        constexpr std::string_view kTool = "sysbench ";
        if (!text.starts_with(kTool) || text.size() <= kTool.size() || !isDigit(text[kTool.size()]))
            return false;
        newRun();
        const std::string_view rest = text.substr(kTool.size());
        std::string_view version = rest.substr(0, rest.find_first_of(" :("));
        if (m_collector.origin.version.empty()) {
            m_collector.origin.version = version;
            m_collector.origin.warmup = version.starts_with("1.1") ? "not told" : "included";
        }
        return true;
    }

    bool option(std::string_view text)
    {
        Scan scan(text);
        std::uint64_t count = 0;
        double rate = 0;
        if (scan.text("Number of threads:") && scan.count(count)) {
            if (m_run && (m_reported || !m_run->empty()))
                newRun();
            run().users = static_cast<int>(std::min<std::uint64_t>(count, 10'000'000));
            return true;
        }
        if (scan.text("Target transaction rate:") && scan.number(rate)) {
            run().clock = Clock::Response; // from when the event was due
            run().options["rate"] = rate;
            return true;
        }
        if (scan.text("Warmup time:") && scan.number(rate)) {
            run().options["warmup_time"] = rate;
            m_collector.origin.warmup = "left out";
            return true;
        }
        if (scan.text("Report intermediate results every") && scan.number(rate)) {
            run().options["report_interval"] = rate;
            return true;
        }
        if (scan.text("Report checkpoints at") || scan.text("Report checkpoint(s) at") || scan.text("Using ") ||
            scan.text("Warming up"))
            return true;
        return false;
    }

    bool interim(std::string_view text)
    {
        Scan scan(text);
        Interim values;
        if (!scan.text("[") || !scan.number(values.at) || !scan.text("s") || !scan.text("]") || values.at > kLongestRun)
            return false;
        if (scan.text("Checkpoint report")) {
            m_checkpoint = true;
            m_checkpointAt = values.at;
            return true;
        }
        if (scan.text("queue length:"))
            return queue(scan);
        if (!readNew(scan, values)) {
            Scan again(text);
            double ignored = 0;
            if (!again.text("[") || !again.number(ignored) || !again.text("s") || !again.text("]") ||
                !readOld(again, values))
                return false;
        }
        // The line of the second of a checkpoint may come after its report: it is still of what was before.
        const bool late = m_checkpointReported && values.at > m_last && values.at <= m_checkpointAt;
        if ((m_reported && !late) || (m_run && values.at < m_last))
            nextSegment(values.at);
        if (values.at <= m_last && (m_last > 0 || !run().empty()))
            return false; // the same second a second time
        store(values);
        return true;
    }

    bool queue(Scan& scan)
    {
        double length = 0;
        double concurrency = 0;
        if (!scan.number(length) || !scan.text(", concurrency:") || !scan.number(concurrency))
            return false;
        if (m_run && !m_run->empty()) {
            m_run->stated("queue length", "events", length, Fold::Highest);
            m_run->stated("concurrency", "threads", concurrency, Fold::Highest);
        }
        return true;
    }

    //! After a report: what a checkpoint was followed by goes on at its time, anything else begins anew. `at` is the
    //! time of what comes next, if that is told.
    void nextSegment(double at)
    {
        if (!m_checkpointReported || at < m_checkpointAt) {
            newRun();
            run();
            return;
        }
        const Run* before = m_run;
        const double from = m_checkpointAt;
        close();
        Run& next = run();
        if (before) { // runs stay where they are
            next.users = before->users;
            next.clock = before->clock;
            next.options = before->options;
        }
        next.cases = {{"segment", std::to_string(++m_segment)}};
        m_zero = m_last = from;
    }

    void store(const Interim& values)
    {
        Run& to = run();
        if (to.clock == Clock::NotTold)
            to.clock = Clock::Service;
        if (to.size() == 1 && m_headCut)
            to.firstBegan(to.back().start + to.back().seconds - (values.at - m_last), true);
        double from = m_last;
        m_headCut = to.empty() && m_last == 0;
        if (const double told = realOf(to.options, "report_interval"); m_headCut && told > 0) {
            from = std::max(0.0, values.at - told);
            m_headCut = false;
        }
        const double seconds = values.at - from;
        const auto counted = [seconds](double rate) { return std::isfinite(rate) ? rate * seconds : 0; };
        if (to.users == 0)
            to.users = values.threads;
        to.add({.start = from - m_zero,
                .seconds = seconds,
                .users = values.threads,
                .transactions = counted(values.tps),
                .retried = counted(values.errors),
                .reconnects = counted(values.reconnects)});
        m_last = values.at;
        if (std::isfinite(values.reads)) {
            to.operation("read", OpClass::Read, counted(values.reads));
            to.operation("write", OpClass::Write, counted(values.writes));
        }
        if (std::isfinite(values.others))
            to.operation("other", OpClass::Other, counted(values.others));
        // An interval in which no event ended has no latency; it is written as 0.
        if (values.latency > 0 && values.percentile > 0)
            to.latencyPercentile(values.percentile, values.latency);
        m_collector.bound(to);
    }

    //! sysbench 1.0 tells the time since the start also in the report of a segment, whose rates are of the segment.
    void correctSeconds(Run& to)
    {
        const double until = to.seconds, since = until - std::exchange(m_untilReport, until);
        if (m_segment > 1 && since > 0 &&
            std::abs(to.tps * since - to.transactions) < std::abs(to.tps * until - to.transactions))
            to.seconds = since;
    }

    bool section(std::string_view text)
    {
        struct Heading
        {
            std::string_view text;
            Section section;
        };
        constexpr std::array kHeadings = {Heading{"SQL statistics:", Section::Sql},
                                          Heading{"OLTP test statistics:", Section::Sql},
                                          Heading{"General statistics:", Section::General},
                                          Heading{"Throughput:", Section::General},
                                          Heading{"CPU speed:", Section::General},
                                          Heading{"Latency (ms):", Section::Latency},
                                          Heading{"response time:", Section::Latency},
                                          Heading{"Threads fairness:", Section::Fairness},
                                          Heading{"File operations:", Section::General},
                                          Heading{"Latency histogram", Section::Histogram},
                                          Heading{"Test execution summary:", Section::General},
                                          Heading{"per-request statistics:", Section::Latency}};
        for (const Heading& one : kHeadings) {
            if (!text.starts_with(one.text))
                continue;
            // Whichever heading a report has first: after the last one of the report before, it is the next.
            if (m_reported && m_section == Section::Fairness && one.section != Section::Fairness)
                nextSegment(m_checkpointAt);
            m_section = one.section;
            if (m_section == Section::Histogram)
                m_bucket = -1;
            if (m_section == Section::Fairness) {
                m_reported = true;
                correctSeconds(run());
                m_checkpointReported = std::exchange(m_checkpoint, false);
                if (m_checkpointReported && m_segment == 0) {
                    m_segment = 1;
                    run().cases = {{"segment", "1"}};
                }
            }
            return true;
        }
        if (text.starts_with("value") && text.find("distribution") != std::string_view::npos) {
            m_section = Section::Histogram;
            return true;
        }
        return text.starts_with("queries performed:");
    }

    //! "       0.123 |*****                12"
    bool bucket(std::string_view text)
    {
        Scan scan(text);
        double ms = 0;
        std::uint64_t count = 0;
        if (!scan.number(ms) || !scan.text("|"))
            return false;
        std::string_view bar = trimmed(scan.rest());
        bar.remove_prefix(std::min(bar.find_first_not_of("* "), bar.size()));
        const auto read = countOf(bar);
        if (!read)
            return false;
        count = *read;
        run().total.record(static_cast<std::uint64_t>(std::llround(std::min(bucketValue(ms), 1e9) * 1e6)),
                           std::min<std::uint64_t>(count, std::uint64_t(1) << 40));
        return true;
    }

    //! The value of the bucket that is printed as `ms` with three decimals. Small ones share a text: lines ascend, so
    //! the next bucket that fits is meant.
    double bucketValue(double ms)
    {
        constexpr double kHalfDigit = 0.0005;
        const double least = std::log(0.001);
        const double scale = 1023 / (std::log(100'000.0) - least); // sysbench.c: 1024 buckets from 1 µs to 100 s
        if (ms <= kHalfDigit || ms > 100'001)
            return ms;
        const double first = std::ceil((std::log(ms - kHalfDigit) - least) * scale);
        const double index = std::max(first, m_bucket + 1);
        const double value = std::exp(index / scale + least);
        if (value > ms + kHalfDigit)
            return ms;
        m_bucket = index;
        return value;
    }

    bool message(std::string_view text)
    {
        for (const std::string_view level : {"FATAL:", "ALERT:", "WARNING:", "DEBUG:", "NOTICE:"}) {
            if (!text.starts_with(level))
                continue;
            const bool fatal = level == "FATAL:";
            Run& to = run();
            if (fatal && to.status == RunStatus::Done && !m_reported) {
                to.status = RunStatus::Failed;
                to.reason = shown(trimmed(text.substr(level.size())));
            }
            constexpr std::size_t kMostEvents = 1000;
            if (to.events.size() < kMostEvents)
                to.events.push_back({static_cast<std::int64_t>((m_last - m_zero) * 1e9), 0,
                                     fatal ? EventKind::Error : EventKind::Note, shown(text)});
            return true;
        }
        return false;
    }

    //! "    transactions:                        100    (10.00 per sec.)" in one of the sections.
    bool figure(std::string_view text)
    {
        std::string_view name;
        Scan scan(text);
        if (m_section == Section::None || !scan.until(":", name))
            return false;
        const std::string_view rest = trimmed(scan.rest());
        switch (m_section) {
        case Section::Sql:
            return sqlFigure(name, rest);
        case Section::General:
            return generalFigure(name, rest);
        case Section::Latency:
            return latencyFigure(name, rest);
        case Section::Fairness:
            run().figure(fmt::format("fairness: {}", name), rest);
            return true;
        default:
            return false;
        }
    }

    bool sqlFigure(std::string_view name, std::string_view rest)
    {
        Scan scan(rest);
        double count = 0;
        double rate = kNone;
        if (!scan.number(count))
            return false;
        if (scan.text("(")) {
            if (!scan.number(rate))
                rate = kNone;
        }
        Run& to = run();
        if (name == "read" || name == "write" || name == "other") {
            to.totalOf(name, name == "read"    ? OpClass::Read
                             : name == "write" ? OpClass::Write
                                               : OpClass::Other)
                .count = count;
        } else if (name == "total" || name == "queries") {
            to.queries = count;
            to.qps = name == "queries" ? rate : to.qps;
        } else if (name == "transactions") {
            to.transactions = count;
            to.tps = rate;
        } else if (name == "ignored errors" || name == "deadlocks") {
            to.errors = (std::isfinite(to.errors) ? to.errors : 0) + count;
            to.retried = to.errors;
            to.errorText = "errors that sysbench ignores: the event is begun again";
        } else if (name == "reconnects") {
            to.reconnects = count;
        } else if (name == "read/write requests" || name == "other operations") {
            to.figure(name, rest);
        } else {
            return false;
        }
        return true;
    }

    bool generalFigure(std::string_view name, std::string_view rest)
    {
        Scan scan(rest);
        double value = 0;
        if (!scan.number(value))
            return false;
        Run& to = run();
        if (name == "total time" || name == "time elapsed") {
            to.seconds = value;
        } else if (name == "total number of events") {
            if (!std::isfinite(to.transactions))
                to.transactions = value;
            else
                to.figure(name, rest);
        } else if (name == "events/s (eps)" || name == "events per second") {
            if (!std::isfinite(to.tps))
                to.tps = value;
        } else {
            to.figure(name, rest);
        }
        return true;
    }

    bool latencyFigure(std::string_view name, std::string_view rest)
    {
        Run& to = run();
        if (to.clock == Clock::NotTold)
            to.clock = Clock::Service;
        if (name == "percentile stats")
            return true;
        Scan scan(rest);
        double ms = 0;
        if (!scan.number(ms))
            return false;
        if (scan.text("s") && !rest.ends_with("ms"))
            ms *= 1000;
        // Without an event every figure is 0.
        const bool none = to.transactions == 0 || (!std::isfinite(to.transactions) && ms == 0);
        if (name == "avg") {
            to.latency.mean = none ? kNone : ms;
        } else if (name == "max") {
            to.latency.max = none ? kNone : ms;
        } else if (name == "min") {
            if (!none)
                to.figure("latency min", fmt::format("{}", ms), "ms");
        } else if (name == "sum") {
            to.figure("latency sum", fmt::format("{}", ms), "ms");
        } else {
            // "95th percentile", "approx.  95 percentile"
            const std::size_t digit = name.find_first_of("0123456789");
            double percent = 0;
            if (digit == std::string_view::npos || name.find("percentile") == std::string_view::npos ||
                !Scan(name.substr(digit)).number(percent))
                return false;
            if (!none && !to.latency.set(percent, ms))
                to.figure(fmt::format("latency p{}", percent), fmt::format("{}", ms), "ms");
        }
        return true;
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    Section m_section = Section::None;
    double m_last = 0; //!< end of the last interval, as written
    double m_zero = 0; //!< where the run's time begins: a checkpoint, or 0
    bool m_reported = false, m_checkpoint = false, m_checkpointReported = false;
    bool m_headCut = false;    //!< the only interval so far may have begun later than at 0
    double m_checkpointAt = 0; //!< of the last one, as written
    double m_untilReport = 0;  //!< total time of the report before
    int m_segment = 0;
    double m_bucket = -1; //!< the last of the histogram
};

std::string recognise(const Head& head)
{
    std::string reason = firstLine(head, "sysbench's banner", [](std::string_view line) {
        constexpr std::string_view kTool = "sysbench ";
        return line.starts_with(kTool) && line.size() > kTool.size() && isDigit(line[kTool.size()]);
    });
    if (!reason.empty())
        return reason;
    return firstLine(head, "an interim line of sysbench", [](std::string_view line) {
        Scan scan(line);
        double at = 0;
        return scan.text("[") && scan.number(at) && scan.text("s") && scan.text("]") &&
               (scan.text("thds:") || scan.text("threads:"));
    });
}

} // namespace

void describeSysbench(ImportOrigin& origin)
{
    origin.tool = "sysbench";
    origin.sample = "event (a transaction with its retries)";
    origin.precision = "±0.9 % (1024 logarithmic buckets, 0.001 ms to 100 s)";
    if (origin.warmup.empty())
        origin.warmup = "not told";
}

Format sysbenchLog()
{
    return {.info = {"sysbench", "sysbench log",
                     "What sysbench 0.4 to 1.1 prints: interim lines (--report-interval), report, --histogram"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                describeSysbench(collector.origin);
                return std::make_unique<SysbenchParser>(collector);
            }};
}

} // namespace dyno::import
