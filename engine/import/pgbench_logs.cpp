// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files of `pgbench -l`: a line a transaction, or a line an interval with --aggregate-interval. Microseconds.
#include "import/format.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <map>

namespace dyno::import {

namespace {

constexpr double kFirstEpoch = 1e9; // 2001: what is below is no time of a log
constexpr double kLastEpoch = 1e11;

class TransactionParser final : public Parser
{
public:
    explicit TransactionParser(Collector& collector)
        : m_collector(collector)
    {}

    //! "client transaction latency script epoch_s epoch_us [lag] [retries]"
    bool line(std::string_view text, std::int64_t) override
    {
        const std::vector<std::string_view> fields = words(text);
        if (fields.size() < 6 || fields.size() > 8)
            return false;
        const auto client = countOf(fields[0]), second = countOf(fields[4]), micro = countOf(fields[5]);
        if (!client || !countOf(fields[1]) || !second || !micro || double(*second) < kFirstEpoch || double(*second) > kLastEpoch)
            return false;
        const auto latency = numberOf(fields[2]);
        const bool word = fields[2] == "skipped" || fields[2] == "failed" || fields[2] == "serialization" ||
                          fields[2] == "deadlock";
        if ((!latency && !word) || (latency && !(*latency >= 0)))
            return false;
        m_clients = std::max(m_clients, *client + 1);
        Second& at = place(static_cast<std::int64_t>(*second));
        if (latency) {
            ++at.done;
            at.latencies.record(static_cast<std::uint64_t>(std::llround(std::min(*latency, 1e13) * 1000)));
            if (m_scripts.size() < kMostColumns || m_scripts.contains(std::string(fields[3])))
                ++m_scripts[std::string(fields[3])];
        } else if (fields[2] == "skipped") {
            ++at.skipped;
        } else {
            ++at.failed;
        }
        if (fields.size() == 8) {
            m_lag = true;
            at.retries += countOf(fields[7]).value_or(0);
        } else if (fields.size() == 7) {
            m_seventh = std::max(m_seventh, numberOf(fields[6]).value_or(0));
        }
        return true;
    }

    void end() override
    {
        while (!m_seconds.empty())
            flush();
        if (!m_collector.hasRun())
            return;
        Run& run = m_collector.run();
        // The seventh column is the lag of --rate or the retries of --max-tries; the file does not say which.
        constexpr double kMostTries = 10;
        run.clock = m_lag || m_seventh > kMostTries ? Clock::Response : Clock::Service;
        if (m_seventh > 0) {
            m_collector.note(m_seventh > kMostTries
                                 ? "the seventh column was taken for the lag of --rate: latencies are response times"
                                 : "the seventh column was taken for retries");
        }
        run.users = static_cast<int>(std::min<std::uint64_t>(m_clients, 10'000'000));
        m_collector.note("users are the clients seen in this file; with several threads pgbench writes a file for each");
        if (m_scripts.size() > 1) {
            for (const auto& [script, count] : m_scripts)
                run.total_of("script " + shown(script, 20), OpClass::Other).count = double(count);
        }
    }

private:
    struct Second
    {
        std::uint64_t done = 0, failed = 0, skipped = 0, retries = 0;
        Histogram latencies;
    };

    //! Lines are nearly in order: a few seconds are kept open.
    Second& place(std::int64_t second)
    {
        constexpr std::size_t kOpen = 8;
        if (second < m_flushed)
            second = m_flushed;
        if (m_seconds.size() >= kOpen && !m_seconds.contains(second) && second > m_seconds.begin()->first)
            flush();
        return m_seconds[second];
    }

    void flush()
    {
        const auto first = m_seconds.begin();
        Run& run = m_collector.run();
        if (run.startedMs == 0) {
            run.startedMs = first->first * 1000;
            m_zero = first->first;
        }
        const Second& values = first->second;
        run.add({.start = double(first->first - m_zero),
                 .seconds = 1,
                 .transactions = double(values.done),
                 .errors = double(values.failed),
                 .retried = double(values.retries),
                 .dropped = double(values.skipped)});
        run.histogram({}, OpClass::Other, values.latencies);
        m_flushed = first->first + 1;
        m_seconds.erase(first);
        m_collector.bound(run);
    }

    Collector& m_collector;
    std::map<std::int64_t, Second> m_seconds;
    std::map<std::string, std::uint64_t> m_scripts;
    std::int64_t m_zero = 0, m_flushed = 0;
    std::uint64_t m_clients = 0;
    double m_seventh = 0;
    bool m_lag = false;
};

class AggregateParser final : public Parser
{
public:
    explicit AggregateParser(Collector& collector)
        : m_collector(collector)
    {}

    bool line(std::string_view text, std::int64_t) override
    {
        const std::vector<std::string_view> fields = words(text);
        std::array<double, 16> v{};
        if (fields.size() < 6 || fields.size() > v.size())
            return false;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto value = numberOf(fields[i]);
            if (!value || *value < 0)
                return false;
            v[i] = *value;
        }
        if (v[0] < kFirstEpoch || v[0] > kLastEpoch || (m_pending && v[0] <= m_before[0]))
            return false;
        if (m_pending)
            store(v[0] - m_before[0]);
        m_before = v;
        m_columns = fields.size();
        m_pending = true;
        return true;
    }

    void end() override
    {
        if (!m_pending)
            return;
        if (m_length > 0)
            store(m_length);
        else
            m_collector.note("the file has one line only, which does not tell how long its interval was");
        if (!m_collector.hasRun())
            return;
        Run& run = m_collector.run();
        run.clock = m_lag ? Clock::Response : Clock::Service;
        if (m_count > 0) {
            run.latency.mean = m_sum / m_count / 1000;
            run.latency.max = m_longest / 1000;
        }
    }

private:
    void store(double seconds)
    {
        const std::array<double, 16>& v = m_before;
        Run& run = m_collector.run();
        if (run.startedMs == 0) {
            run.startedMs = std::llround(v[0] * 1000);
            m_zero = v[0];
        }
        m_length = seconds;
        Interval interval{.start = v[0] - m_zero, .seconds = seconds, .transactions = v[1]};
        // From 15 on all columns are there; before, only those that the options ask for.
        if (m_columns >= 15) {
            interval.dropped = v[10];
            interval.retried = v[12];
            interval.errors = m_columns == 16 ? v[13] : v[13] + v[14]; // their sum, or serialization and deadlock
            m_lag = m_lag || v[6] > 0;
        } else if (m_columns >= 10) {
            m_lag = true;
            interval.dropped = m_columns == 11 ? v[10] : 0;
        } else if (m_columns > 6) {
            interval.errors = v[6];
        }
        run.add(interval);
        if (v[1] > 0) {
            run.stated("latency mean", "ms", v[2] / v[1] / 1000, Fold::Mean);
            run.stated("latency min", "ms", v[4] / 1000, Fold::Lowest);
            run.stated("latency max", "ms", v[5] / 1000, Fold::Highest);
        }
        m_count += v[1];
        m_sum += v[2];
        m_longest = std::max(m_longest, v[5]);
        m_collector.bound(run);
    }

    Collector& m_collector;
    std::array<double, 16> m_before{};
    std::size_t m_columns = 0;
    double m_zero = 0, m_length = 0, m_count = 0, m_sum = 0, m_longest = 0;
    bool m_pending = false, m_lag = false;
};

//! Whether the first lines all fit, and what they are called then.
std::string allFit(const Head& head, const char* what, bool (*fits)(const std::vector<std::string_view>&))
{
    int seen = 0;
    for (const std::string_view line : head.lines) {
        if (trimmed(line).empty())
            continue;
        if (!fits(words(line)))
            return {};
        if (++seen >= 20)
            break;
    }
    return seen > 0 ? std::string("its lines are ") + what : std::string();
}

bool isEpoch(std::string_view text)
{
    const auto value = countOf(text);
    return value && double(*value) >= kFirstEpoch && double(*value) <= kLastEpoch;
}

} // namespace

Format pgbenchTransactions()
{
    return {.info = {"pgbench-log", "pgbench transaction log", "A file of pgbench -l: a line a transaction"},
            .recognise = [](const Head& head) {
                return allFit(head, "transactions of pgbench -l", [](const std::vector<std::string_view>& fields) {
                    return fields.size() >= 6 && fields.size() <= 8 && countOf(fields[0]) && countOf(fields[1]) &&
                           isEpoch(fields[4]) && countOf(fields[5]) && *countOf(fields[5]) < 1'000'000;
                });
            },
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "pgbench";
                collector.origin.sample = "transaction (a script)";
                collector.origin.precision = "1 µs in the file, kept in buckets of 1.6 %";
                collector.origin.warmup = "included";
                return std::make_unique<TransactionParser>(collector);
            }};
}

Format pgbenchAggregates()
{
    return {.info = {"pgbench-aggregate", "pgbench aggregated log", "A file of pgbench -l --aggregate-interval"},
            .recognise = [](const Head& head) {
                return allFit(head, "intervals of pgbench --aggregate-interval", [](const std::vector<std::string_view>& fields) {
                    return fields.size() >= 6 && fields.size() <= 16 && isEpoch(fields[0]) &&
                           std::ranges::all_of(fields, [](auto field) { return countOf(field).has_value(); });
                });
            },
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "pgbench";
                collector.origin.sample = "transaction (a script)";
                collector.origin.precision = "exact mean, smallest and largest of each interval; no percentiles";
                collector.origin.warmup = "included";
                return std::make_unique<AggregateParser>(collector);
            }};
}

} // namespace dyno::import
