// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files of `pgbench -l`: a line a transaction, or a line an interval with --aggregate-interval. Microseconds. Each
//! thread
//! (-j) writes a file: PREFIX.PID, PREFIX.PID.1, …; those that are imported together become one run.
#include "import/format.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::import {

namespace {

constexpr double kFirstEpoch = 1e9; // 2001: what is below is no time of a log
constexpr double kLastEpoch = 1e11;
constexpr std::int64_t kSecond = 1'000'000;             //!< in µs, as the files have it
constexpr std::int64_t kLongest = 10'000'000 * kSecond; //!< of a run: 115 days
constexpr const char* kThreads =
    "with several threads (-j) pgbench writes a file for each: figures are of the files that "
    "were imported together, and without the transactions that --sampling-rate leaves out";

//! "pgbench_log.PID.THREAD" without its thread, which is 0 where there is none; "" when the name is of another kind.
std::pair<std::string, std::uint64_t> runAndThread(std::string name)
{
    if (name.ends_with(".gz"))
        name.resize(name.size() - 3);
    const std::vector<std::string_view> parts = split(name, '.');
    const auto number = [&parts](std::size_t fromEnd) {
        return parts.size() > fromEnd ? countOf(parts[parts.size() - fromEnd]) : std::nullopt;
    };
    if (!number(1))
        return {};
    if (!number(2))
        return {name, 0};
    return {name.substr(0, name.rfind('.')), *number(1)};
}

//! Gives what was read of one thread to its run: to one that other files began, or to a new one.
template<class Log>
void finishLog(Collector& collector, const std::shared_ptr<Log>& log)
{
    if (log->empty())
        return;
    auto [name, thread] = collector.origin.files.empty() ? std::pair<std::string, std::uint64_t>()
                                                         : runAndThread(collector.origin.files.back());
    std::shared_ptr<Log> whole;
    if (const auto found = collector.overFiles.find(name); found != collector.overFiles.end() && !name.empty())
        whole = std::static_pointer_cast<Log>(found->second);
    if (whole && !whole->threads.contains(thread) && whole->overlaps(*log)) {
        whole->join(std::move(*log));
    } else {
        whole = log;
        whole->run = &collector.begin();
        if (collector.full())
            return;
        if (!name.empty())
            collector.overFiles[name] = whole;
    }
    whole->threads.insert(thread);
    *whole->run = Run();
    whole->tell(collector, *whole->run);
}

//! Transactions by the second in which they ended.
struct TransactionLog
{
    struct Second
    {
        std::uint64_t done = 0, failed = 0, skipped = 0, retries = 0;
        Histogram latencies;
        void join(const Second& other)
        {
            done += other.done;
            failed += other.failed;
            skipped += other.skipped;
            retries += other.retries;
            latencies.merge(other.latencies);
        }
    };

    Run* run = nullptr;
    std::set<std::uint64_t> threads;
    std::int64_t firstUs = 0, lastUs = 0;           //!< when the first transaction began and the last one ended
    std::int64_t width = kSecond;                   //!< µs; more than a second for very long logs
    std::map<std::int64_t, Second> seconds;         //!< by the time in widths
    std::map<std::uint64_t, std::uint64_t> clients; //!< and the number of the last transaction of each
    std::map<std::string, std::uint64_t> scripts;
    double seventh = 0;
    bool lag = false;

    [[nodiscard]] bool empty() const { return seconds.empty(); }
    [[nodiscard]] bool overlaps(const TransactionLog& other) const
    {
        return firstUs <= other.lastUs && other.firstUs <= lastUs;
    }

    //! A transaction took this time; false when that is too far away to be of the same log.
    bool extend(std::int64_t from, std::int64_t to)
    {
        const std::int64_t first = empty() ? from : std::min(firstUs, from), last = empty() ? to : std::max(lastUs, to);
        if (last - first > kLongest)
            return false;
        firstUs = first;
        lastUs = last;
        while ((last - first) / width >= std::int64_t(kMostIntervals) - 2)
            widen(2 * width);
        return true;
    }

    void widen(std::int64_t to)
    {
        if (to <= width)
            return;
        std::map<std::int64_t, Second> wider;
        for (const auto& [at, values] : seconds)
            wider[at * width / to].join(values);
        seconds = std::move(wider);
        width = to;
    }

    void join(TransactionLog&& other)
    {
        extend(other.firstUs, other.lastUs);
        widen(other.width);
        other.widen(width);
        for (const auto& [at, values] : other.seconds)
            seconds[at].join(values);
        clients.merge(other.clients);
        for (const auto& [script, count] : other.scripts)
            scripts[script] += count;
        seventh = std::max(seventh, other.seventh);
        lag = lag || other.lag;
    }

    //! Where intervals begin, and the end of the last one. What is left of a second at both ends belongs to its
    //! neighbour when it is less than half of it.
    [[nodiscard]] std::vector<std::int64_t> edges() const
    {
        std::vector<std::int64_t> all = {firstUs};
        for (std::int64_t at = (firstUs / width + 1) * width; at < lastUs; at += width)
            all.push_back(at);
        all.push_back(lastUs);
        if (all.size() > 2 && all[1] - all[0] < width / 2)
            all.erase(all.begin() + 1);
        if (all.size() > 2 && all.back() - all[all.size() - 2] < width / 2)
            all.erase(all.end() - 2);
        return all;
    }

    void tell(Collector& collector, Run& to) const
    {
        // The seventh column is the lag of --rate or the retries of --max-tries; the file does not say which.
        constexpr double kMostTries = 10;
        to.clock = lag || seventh > kMostTries ? Clock::Response : Clock::Service;
        if (seventh > 0) {
            collector.note(seventh > kMostTries
                               ? "the seventh column was taken for the lag of --rate: latencies are response times"
                               : "the seventh column was taken for retries");
        }
        to.startedMs = firstUs / 1000;
        to.users = static_cast<int>(clients.size());
        to.seconds = double(lastUs - firstUs) / kSecond;
        to.transactions = 0;
        const std::vector<std::int64_t> all = edges();
        auto next = seconds.begin();
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            Second sum;
            for (; next != seconds.end() && (next->first * width < all[i + 1] || i + 2 == all.size()); ++next)
                sum.join(next->second);
            to.add({.start = double(all[i] - firstUs) / kSecond,
                    .seconds = double(all[i + 1] - all[i]) / kSecond,
                    .transactions = double(sum.done),
                    .errors = double(sum.failed),
                    .retried = double(sum.retries),
                    .dropped = double(sum.skipped)});
            to.histogram({}, OpClass::Other, sum.latencies);
            to.transactions += double(sum.done);
            collector.bound(to);
        }
        if (width > kSecond)
            collector.note(fmt::format("intervals are of {} s: the log is very long", width / kSecond));
        collector.note(kThreads);
        if (scripts.size() > 1) {
            for (const auto& [script, count] : scripts)
                to.totalOf("script " + shown(script, 20), OpClass::Other).count = double(count);
        }
    }
};

class TransactionParser final : public Parser
{
public:
    explicit TransactionParser(Collector& collector)
        : m_collector(collector)
    {
    }

    //! "client transaction latency script epoch_s epoch_us [lag] [retries]"
    bool line(std::string_view text, std::int64_t) override
    {
        const std::vector<std::string_view> fields = words(text);
        if (fields.size() < 6 || fields.size() > 8)
            return false;
        const auto client = countOf(fields[0]), number = countOf(fields[1]), second = countOf(fields[4]),
                   micro = countOf(fields[5]);
        if (!client || !number || !second || !micro || double(*second) < kFirstEpoch || double(*second) > kLastEpoch ||
            *micro >= std::uint64_t(kSecond))
            return false;
        const auto latency = numberOf(fields[2]);
        const bool word =
            fields[2] == "skipped" || fields[2] == "failed" || fields[2] == "serialization" || fields[2] == "deadlock";
        if ((!latency && !word) || (latency && !(*latency >= 0 && *latency <= double(kLongest))))
            return false;
        // Clients count their transactions: one that begins anew is of another run in the same file.
        constexpr std::size_t kMostClients = 1'000'000;
        if (const auto found = m_log->clients.find(*client); found != m_log->clients.end() && *number < found->second)
            end();
        const std::int64_t to = static_cast<std::int64_t>(*second) * kSecond + static_cast<std::int64_t>(*micro);
        if (!m_log->extend(to - std::llround(latency.value_or(0)), to))
            return false;
        if (m_log->clients.size() < kMostClients || m_log->clients.contains(*client))
            m_log->clients[*client] = *number;
        TransactionLog::Second& at = m_log->seconds[to / m_log->width];
        if (latency) {
            ++at.done;
            at.latencies.record(static_cast<std::uint64_t>(std::llround(*latency * 1000)));
            const std::string script(fields[3]);
            if (m_log->scripts.size() < kMostColumns || m_log->scripts.contains(script))
                ++m_log->scripts[script];
        } else if (fields[2] == "skipped") {
            ++at.skipped;
        } else {
            ++at.failed;
        }
        if (fields.size() == 8) {
            m_log->lag = true;
            at.retries += countOf(fields[7]).value_or(0);
        } else if (fields.size() == 7) {
            m_log->seventh = std::max(m_log->seventh, numberOf(fields[6]).value_or(0));
        }
        return true;
    }

    void end() override { finishLog(m_collector, std::exchange(m_log, std::make_shared<TransactionLog>())); }

private:
    Collector& m_collector;
    std::shared_ptr<TransactionLog> m_log = std::make_shared<TransactionLog>();
};

//! Intervals by the second in which they begin.
struct AggregateLog
{
    struct Row
    {
        double count = 0, sumUs = 0, leastUs = 0, mostUs = 0, dropped = 0, retried = 0, errors = 0;
        void join(const Row& other)
        {
            leastUs =
                count > 0 && other.count > 0 ? std::min(leastUs, other.leastUs) : std::max(leastUs, other.leastUs);
            mostUs = std::max(mostUs, other.mostUs);
            for (double Row::*field : {&Row::count, &Row::sumUs, &Row::dropped, &Row::retried, &Row::errors})
                this->*field += other.*field;
        }
    };

    Run* run = nullptr;
    std::set<std::uint64_t> threads;
    std::map<double, Row> rows;
    bool lag = false;

    [[nodiscard]] bool empty() const { return rows.empty(); }
    //! What most intervals last; 0 when there is one only.
    [[nodiscard]] double length() const
    {
        return rows.size() < 2 ? 0 : std::next(rows.begin())->first - rows.begin()->first;
    }
    [[nodiscard]] bool overlaps(const AggregateLog& other) const
    {
        const double tolerance = std::max(length(), other.length());
        return rows.begin()->first <= other.rows.rbegin()->first + tolerance &&
               other.rows.begin()->first <= rows.rbegin()->first + tolerance;
    }
    //! Threads may begin a second after another: each interval goes to the nearest one.
    void join(AggregateLog&& other)
    {
        const double wide = length() > 0 ? length() : other.length();
        const double zero = rows.begin()->first;
        for (const auto& [at, row] : other.rows)
            rows[wide > 0 ? zero + std::floor((at - zero) / wide + 0.5) * wide : at].join(row);
        lag = lag || other.lag;
    }

    void tell(Collector& collector, Run& to) const
    {
        if (length() == 0) {
            collector.note("the file has one line only, which does not tell how long its interval was");
            return;
        }
        to.clock = lag ? Clock::Response : Clock::Service;
        to.startedMs = std::llround(rows.begin()->first * 1000);
        Row all;
        for (auto at = rows.begin(); at != rows.end(); ++at) {
            const auto next = std::next(at);
            const double seconds = next == rows.end() ? to.back().seconds : next->first - at->first;
            const Row& row = at->second;
            to.add({.start = at->first - rows.begin()->first,
                    .seconds = seconds,
                    .transactions = row.count,
                    .errors = row.errors,
                    .retried = row.retried,
                    .dropped = row.dropped});
            if (row.count > 0) {
                to.stated("latency mean", "ms", row.sumUs / row.count / 1000, Fold::Mean);
                to.stated("latency min", "ms", row.leastUs / 1000, Fold::Lowest);
                to.stated("latency max", "ms", row.mostUs / 1000, Fold::Highest);
            }
            all.join(row);
            collector.bound(to);
        }
        if (all.count > 0) {
            to.latency.mean = all.sumUs / all.count / 1000;
            to.latency.max = all.mostUs / 1000;
        }
        if (rows.size() > 2) {
            const double whole = rows.rbegin()->first - std::next(rows.begin())->first + to.back().seconds;
            to.tps = (all.count - rows.begin()->second.count) / whole;
            collector.note("transactions a second are without the first interval: from version 14 on it begins at a "
                           "full second, before the run itself");
        }
        collector.note(kThreads);
    }
};

class AggregateParser final : public Parser
{
public:
    explicit AggregateParser(Collector& collector)
        : m_collector(collector)
    {
    }

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
        if (v[0] < kFirstEpoch || v[0] > kLastEpoch)
            return false;
        // Back in time: another file follows in this one.
        if (!m_log->empty() && v[0] <= m_log->rows.rbegin()->first)
            next();
        constexpr std::size_t kMostRows = 1 << 22;
        if (++m_rows > kMostRows)
            return false;
        AggregateLog::Row& row = m_log->rows[v[0]];
        row = {.count = v[1], .sumUs = v[2], .leastUs = v[4], .mostUs = v[5]};
        // From 15 on all columns are there; before, only those that the options ask for.
        if (fields.size() >= 15) {
            row.dropped = v[10];
            row.retried = v[12];
            row.errors = fields.size() == 16 ? v[13] : v[13] + v[14]; // their sum, or serialization and deadlock
            m_log->lag = m_log->lag || v[6] > 0;
        } else if (fields.size() >= 10) {
            m_log->lag = true;
            row.dropped = fields.size() == 11 ? v[10] : 0;
        } else if (fields.size() > 6) {
            row.errors = v[6];
        }
        return true;
    }

    void end() override
    {
        next();
        for (const auto& log : m_logs)
            finishLog(m_collector, log);
    }

private:
    //! Logs of one file that were at the same time are of threads of one run.
    void next()
    {
        const auto log = std::exchange(m_log, std::make_shared<AggregateLog>());
        if (log->empty())
            return;
        if (!m_logs.empty() && m_logs.back()->overlaps(*log))
            m_logs.back()->join(std::move(*log));
        else if (m_logs.size() < kMostRuns)
            m_logs.push_back(log);
    }

    Collector& m_collector;
    std::shared_ptr<AggregateLog> m_log = std::make_shared<AggregateLog>();
    std::vector<std::shared_ptr<AggregateLog>> m_logs;
    std::size_t m_rows = 0;
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
            .recognise =
                [](const Head& head) {
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
            .recognise =
                [](const Head& head) {
                    return allFit(head, "intervals of pgbench --aggregate-interval",
                                  [](const std::vector<std::string_view>& fields) {
                                      return fields.size() >= 6 && fields.size() <= 16 && isEpoch(fields[0]) &&
                                             std::ranges::all_of(fields,
                                                                 [](auto field) { return countOf(field).has_value(); });
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
