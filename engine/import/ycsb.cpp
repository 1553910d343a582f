// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB's status lines (standard error), summary, histogram and time series (core/…/measurements/exporter,
//! StatusThread.java). Latencies are microseconds.
#include "import/ycsb.h"
#include "import/format.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace dyno::import {

OpClass ycsbClass(std::string_view operation)
{
    if (operation.starts_with(kIntended))
        operation.remove_prefix(kIntended.size());
    if (operation == "READ" || operation == "SCAN" || operation == "VERIFY")
        return OpClass::Read;
    if (operation == "UPDATE" || operation == "INSERT" || operation == "DELETE" || operation == "READ-MODIFY-WRITE" ||
        operation == "READ_MODIFY_WRITE")
        return OpClass::Write;
    return OpClass::Other;
}

bool ycsbIsCall(std::string_view operation)
{
    return operation == "READ" || operation == "SCAN" || operation == "UPDATE" || operation == "INSERT" ||
           operation == "DELETE";
}

namespace {

constexpr double kUsPerMs = 1000;

class YcsbParser final : public Parser
{
public:
    explicit YcsbParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        if (text.empty())
            return true;
        return text.front() == '[' ? metric(text) : status(text) || header(text);
    }

    //! Of the file, or of one of several runs in it.
    void end() override
    {
        if (!m_run)
            return;
        Run& run = *m_run;
        for (auto& [name, values] : m_pairs)
            spread(run, name, values);
        if (std::isfinite(run.tps) && std::isfinite(run.seconds) && !std::isfinite(run.transactions))
            run.transactions = std::round(run.tps * run.seconds);
        double calls = 0, failed = 0;
        std::string called;
        for (const OperationTotal& one : run.operations) {
            if (ycsbIsCall(one.name) && std::isfinite(one.count))
                calls += one.count;
            if (ycsbIsCall(one.name))
                called += " " + one.name;
            if (one.name.ends_with("-FAILED") && std::isfinite(one.count))
                failed += one.count;
        }
        if (calls > 0 && std::isfinite(run.seconds) && run.seconds > 0) {
            run.queries = calls;
            run.qps = calls / run.seconds;
        }
        if (failed > 0)
            run.errors = failed;
        if (!run.empty() && !m_summary) {
            run.status = RunStatus::Cut;
            run.reason = "the output ends before YCSB's summary";
        }
        // Loading and running in one file are not repeats of each other.
        if (run.workload.empty())
            run.workload = "ycsb" + called;
        m_run = nullptr;
        m_pairs.clear();
        m_overflow.clear();
        m_last = 0;
        m_done = 0;
        m_summary = m_timed = false;
    }

private:
    using Pairs = std::vector<std::pair<double, double>>;

    Run& run()
    {
        if (!m_run) {
            m_run = &m_collector.begin();
            m_run->clock = Clock::Service;
        }
        return *m_run;
    }

    //! "2026-01-31 10:00:00:000 10 sec: 12345 operations; 1234.5 current ops/sec; … [READ: Count=…, Max=…, 99=…] …"
    bool status(std::string_view text)
    {
        const auto at = timeOf(text.substr(0, std::min<std::size_t>(text.size(), 23)));
        const std::size_t sec = text.find(" sec: ");
        if (!at || sec == std::string_view::npos || sec < 24)
            return false;
        const auto elapsed = numberOf(trimmed(text.substr(23, sec - 23)));
        Scan scan(text.substr(sec + 6));
        std::uint64_t done = 0;
        if (!elapsed || !(*elapsed >= 0 && *elapsed <= kLongestRun) || !scan.count(done) || !scan.text("operations;"))
            return false;
        if (m_summary && *elapsed < m_last)
            end(); // the next run
        Run& to = run();
        if (to.startedMs == 0)
            to.startedMs = *at - std::llround(*elapsed * 1000);
        if (*elapsed <= m_last || done < m_done)
            return *elapsed == 0 || (*elapsed == m_last && done >= m_done);
        to.add({.start = m_last, .seconds = *elapsed - m_last, .transactions = double(done - m_done)});
        m_last = *elapsed;
        m_done = done;
        std::string_view before, block;
        while (scan.until("[", before) && scan.until("]", block))
            operation(to, block);
        m_collector.bound(to);
        return true;
    }

    //! "READ: Count=12, Max=3, Min=1, Avg=2.5, 90=3, 99=3"
    void operation(Run& to, std::string_view block)
    {
        std::string_view name;
        Scan scan(block);
        if (!scan.until(":", name) || name.empty() || name.size() > 64)
            return;
        // Java writes the average in the locale's way, so that a comma may be a decimal one.
        double count = 0;
        std::string_view rest = scan.rest();
        while (!rest.empty()) {
            const std::size_t equals = rest.find('=');
            if (equals == std::string_view::npos)
                return;
            const std::string_view key = trimmed(rest.substr(0, equals));
            rest.remove_prefix(equals + 1);
            const std::size_t next = rest.find(", ");
            const std::string_view text = trimmed(rest.substr(0, next));
            rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 2);
            const bool comma = text.find(',') != std::string_view::npos && text.find('.') == std::string_view::npos;
            const auto value = looseNumberOf(text.ends_with(',') ? text.substr(0, text.size() - 1) : text, comma);
            if (!value)
                continue;
            if (key == "Count") {
                count = *value;
                to.operation(name, ycsbClass(name), name.ends_with("-FAILED") ? 0 : count,
                             name.ends_with("-FAILED") ? count : 0);
            } else if (count == 0) {
                continue; // nothing happened: the others are no figures
            } else if (const auto percent = numberOf(key)) {
                to.latencyPercentile(*percent, *value / kUsPerMs, name);
            } else if (key == "Max") {
                to.stated(fmt::format("{} latency max", name), "ms", *value / kUsPerMs, Fold::Highest);
            } else if (key == "Avg") {
                to.stated(fmt::format("{} latency mean", name), "ms", *value / kUsPerMs, Fold::Mean);
            }
        }
    }

    //! "[READ], 95thPercentileLatency(us), 1234"
    bool metric(std::string_view text)
    {
        Scan scan(text);
        std::string_view section, name;
        if (!scan.text("[") || !scan.until("],", section) || !scan.until(",", name))
            return false;
        name = trimmed(name);
        const std::string_view rest = trimmed(scan.rest());
        const auto value = numberOf(rest);
        if (!value || section.empty() || section.size() > 64)
            return false;
        const bool time = section == "OVERALL" && name == "RunTime(ms)";
        if (time && m_timed)
            end(); // the summary of the next run
        Run& to = run();
        m_summary = true;
        m_timed = m_timed || time;
        if (section == "OVERALL") {
            if (time)
                to.seconds = *value / 1000;
            else if (name == "Throughput(ops/sec)")
                to.tps = *value;
            else if (name == "Operations")
                to.transactions = *value;
            else
                to.figure(name, rest);
            return true;
        }
        if (section.starts_with("TOTAL_GC") || section.starts_with("TOTAL_GCS")) {
            to.figure(fmt::format("{} {}", section, name), rest);
            return true;
        }
        if (name.starts_with('>') && numberOf(name.substr(1))) {
            m_overflow[std::string(section)] = wholeOf(*value).value_or(0);
            return true;
        }
        if (const auto key = numberOf(name)) {
            constexpr std::size_t kMostPairs = 1 << 20;
            Pairs& pairs = m_pairs[std::string(section)];
            if (m_pairs.size() <= kMostColumns && pairs.size() < kMostPairs)
                pairs.emplace_back(*key, *value);
            return true;
        }
        return total(to, section, name, *value, rest);
    }

    static bool total(Run& to, std::string_view section, std::string_view name, double value, std::string_view rest)
    {
        OperationTotal& one = to.totalOf(section, ycsbClass(section));
        const double ms = value / kUsPerMs;
        const bool none = one.count == 0;
        std::size_t digits = name.find_first_not_of("0123456789.");
        digits = digits == std::string_view::npos ? 0 : digits;
        const auto percent = numberOf(name.substr(0, digits));
        if (name == "Operations") {
            one.count = value;
        } else if (name == "AverageLatency(us)") {
            one.latency.mean = none ? kNone : ms;
        } else if (name == "MaxLatency(us)") {
            one.latency.max = none ? kNone : ms;
        } else if (name == "MinLatency(us)") {
            if (!none)
                to.figure(fmt::format("{} latency min", section), fmt::format("{}", ms), "ms");
        } else if (percent && name.ends_with("PercentileLatency(us)")) {
            if (!none && !one.latency.set(*percent, ms))
                to.figure(fmt::format("{} latency p{}", section, *percent), fmt::format("{}", ms), "ms");
        } else if (percent && name.ends_with("PercentileLatency(ms)")) { // before 0.2: whole milliseconds
            if (!none)
                (void)one.latency.set(*percent, value);
        } else {
            to.figure(fmt::format("{} {}", section, name), rest);
        }
        return true;
    }

    //! Pairs are milliseconds → count (measurementtype=histogram) or time → mean (timeseries).
    void spread(Run& to, const std::string& name, const Pairs& pairs)
    {
        bool buckets = true;
        for (std::size_t i = 0; i < pairs.size() && buckets; ++i)
            buckets = pairs[i].first == double(i) && wholeOf(pairs[i].second) &&
                      std::floor(pairs[i].second) == pairs[i].second;
        if (buckets && pairs.size() > 1) {
            m_collector.origin.precision = "1 ms buckets";
            m_collector.note("percentiles of histograms are the middle of a bucket of 1 ms");
            Histogram values;
            for (const auto& [ms, count] : pairs)
                values.record(static_cast<std::uint64_t>((ms + 0.5) * 1e6), *wholeOf(count));
            // Of calls that took longer than the last bucket only the number is told: a percentile among them is not.
            constexpr double kBeyondMs = 4e6; // below the histogram's last bucket
            values.record(hdr::kMaxValue, m_overflow[name]);
            OperationTotal& one = to.totalOf(name, ycsbClass(name));
            const LatencySummary all = summarize(values);
            const auto take = [](double& place, double ms) {
                if (!std::isfinite(place) && ms < kBeyondMs)
                    place = ms;
            };
            take(one.latency.p50, all.p50Ms);
            take(one.latency.p90, all.p90Ms);
            take(one.latency.p95, all.p95Ms);
            take(one.latency.p99, all.p99Ms);
            take(one.latency.p999, all.p999Ms);
            return;
        }
        // One series sets the intervals, the others are put where they fit.
        const bool first = to.empty();
        for (std::size_t i = 0; i + 1 < pairs.size() && first; ++i) {
            if (!(pairs[i].first >= 0) || pairs[i + 1].first <= pairs[i].first)
                return;
            to.add({.start = pairs[i].first / 1000, .seconds = (pairs[i + 1].first - pairs[i].first) / 1000});
            to.stated(fmt::format("{} latency mean", name), "ms", pairs[i].second / kUsPerMs, Fold::Mean);
            m_collector.bound(to);
        }
        if (!first)
            m_collector.note(fmt::format("the time series of {} is only in the original", name));
    }

    bool header(std::string_view text)
    {
        constexpr std::string_view kClient = "YCSB Client ";
        if (m_summary && (text.starts_with(kClient) || text.starts_with("Command line:")))
            end(); // the next run
        if (text.starts_with(kClient)) {
            m_collector.origin.version = shown(text.substr(kClient.size()), 32);
            return true;
        }
        if (text.starts_with("Command line:")) {
            const std::vector<std::string_view> parts = words(text.substr(13));
            const bool load = std::ranges::find(parts, "-load") != parts.end();
            for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
                // Without "both" the intended start is measured under the plain names.
                if (parts[i] == "-p" && parts[i + 1] == "measurement.interval=intended")
                    run().clock = Clock::Response;
                if (parts[i] == "-threads")
                    run().users =
                        static_cast<int>(std::min<std::uint64_t>(countOf(parts[i + 1]).value_or(0), 1'000'000));
                else if (parts[i] == "-target")
                    run().options["target"] = parseValue(shown(parts[i + 1]));
                else if (parts[i] == "-db")
                    run().product = shown(parts[i + 1]);
                else if (parts[i] == "-P")
                    run().workload = fmt::format("ycsb {}{}", shown(parts[i + 1].substr(parts[i + 1].rfind('/') + 1)),
                                                 load ? ", load" : "");
            }
            return true;
        }
        return text.starts_with("Loading workload") || text.starts_with("Starting test") ||
               text.starts_with("DBWrapper:");
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    std::map<std::string, Pairs> m_pairs;
    std::map<std::string, std::uint64_t> m_overflow; //!< calls beyond the last bucket
    double m_last = 0;
    std::uint64_t m_done = 0;
    bool m_summary = false, m_timed = false; //!< something of the summary was read; its "RunTime"
};

std::string recognise(const Head& head)
{
    for (const char* what : {"[OVERALL], RunTime(ms),", "[OVERALL], Throughput(ops/sec),"}) {
        std::string reason =
            firstLine(head, "YCSB's summary", [what](std::string_view line) { return line.starts_with(what); });
        if (!reason.empty())
            return reason;
    }
    std::string reason = firstLine(head, "YCSB's banner", [](auto line) { return line.starts_with("YCSB Client "); });
    if (!reason.empty())
        return reason;
    return firstLine(head, "a status line of YCSB", [](std::string_view line) {
        return timeOf(line) && line.find(" sec: ") != std::string_view::npos &&
               line.find(" operations; ") != std::string_view::npos;
    });
}

} // namespace

Format ycsb()
{
    return {.info = {"ycsb", "YCSB output", "What YCSB prints: status lines, summary, histograms, time series"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "YCSB";
                collector.origin.sample = "call";
                collector.origin.precision = "±0.1 % (HdrHistogram)";
                collector.origin.warmup = "included";
                return std::make_unique<YcsbParser>(collector);
            }};
}

} // namespace dyno::import
