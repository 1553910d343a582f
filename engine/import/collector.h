// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What importers tell goes here: runs, their intervals and figures, and what was not understood. Keeps memory bounded:
//! a run of very many intervals is kept coarser (neighbours are added up), which the run says.
#pragma once

#include <dyno/import.h>

#include <array>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::import {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostIntervals = 1 << 17; //!< of one run: a day and a half of seconds
constexpr std::size_t kMostIntervalsInAll = 1 << 19;
constexpr std::size_t kMostRuns = 20'000;
constexpr std::size_t kMostColumns = 256; //!< operations, and stated series, of one run

//! What one latency figure measures.
enum class Clock { NotTold, Service, Response };

//! Operations of this name are measured from their intended start, whatever the others of the run are (YCSB).
constexpr std::string_view kIntended = "Intended-";

//! How intervals of a stated series become one: percentiles are never averaged, the highest stands for them.
enum class Fold { Highest, Lowest, Mean, Last };

//! A stretch of time of one run, as the file tells it.
struct Interval
{
    double start = 0, seconds = 0; //!< from the run's beginning
    Phase phase = Phase::Measure;
    int users = 0;           //!< 0 = not told
    double transactions = 0; //!< counts; those from a rate × length are rounded when they are kept
    double errors = 0;
    double retried = 0, dropped = 0, reconnects = 0, rows = 0, backlog = 0;
};

//! Latency figures in milliseconds; not a number = not told.
struct Latency
{
    double mean = kNone, max = kNone;
    double p50 = kNone, p90 = kNone, p95 = kNone, p99 = kNone, p999 = kNone;
    //! False when we have no place for this percentile.
    bool set(double percentile, double ms);
    [[nodiscard]] bool any() const;
};

//! All of one operation kind over the run.
struct OperationTotal
{
    std::string name;
    OpClass opClass = OpClass::Other;
    double count = kNone, errors = kNone;
    Latency latency;
};

class Run
{
public:
    // What the file tells of the whole run; not a number, 0 or "" where it does not.
    std::vector<CaseRef> cases;
    int users = 0;
    std::int64_t startedMs = 0;
    std::string workload, product, productVersion, target;
    Settings options; //!< of the tool, as told
    double seconds = kNone, tps = kNone, qps = kNone;
    double transactions = kNone, queries = kNone, failed = kNone, retried = kNone, dropped = kNone;
    double reconnects = kNone, errors = kNone, rows = kNone, rollbacks = kNone;
    std::string errorText = "as the tool counts them";
    Latency latency; //!< of transactions
    Clock clock = Clock::NotTold;
    Histogram total; //!< of transactions over the whole run, when the file has one
    std::vector<OperationTotal> operations;
    std::vector<ImportFigure> figures;
    std::vector<RunEvent> events;
    RunStatus status = RunStatus::Done;
    std::string reason;

    //! Begins a further interval; what follows is of it.
    void add(const Interval& interval);
    //! The first and only interval began later than was thought, as the distance to the next one says: the log's head
    //! is cut off. Counts that come from rates shrink with it.
    void firstBegan(double start, bool rates);
    //! Of the current interval.
    void operation(std::string_view name, OpClass opClass, double count, double errors = 0);
    void stated(std::string_view name, std::string_view unit, double value, Fold fold);
    //! "latency p95" of the current interval, or "READ latency p95".
    void latencyPercentile(double percentile, double ms, std::string_view operation = {});
    void histogram(std::string_view operation, OpClass opClass, const Histogram& values);
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    [[nodiscard]] std::size_t size() const { return m_rows.size(); }
    [[nodiscard]] const Interval& back() const { return m_rows.back(); }
    OperationTotal& totalOf(std::string_view name, OpClass opClass);
    void figure(std::string_view name, std::string_view value, std::string_view unit = {});

    [[nodiscard]] ImportedRun summarized(const std::string& origin, int point, int repeat) const;
    [[nodiscard]] std::vector<OperationInfo> operationInfos() const;
    [[nodiscard]] std::vector<CounterInfo> counterInfos() const;
    [[nodiscard]] IntervalSample sample(std::size_t index) const; //!< of size() of them
    //! Neighbours become one; false when that is not possible any more.
    bool fold();

private:
    struct Counts
    {
        std::string name;
        OpClass opClass;
        std::vector<std::array<double, 2>> values; //!< count and errors of each interval
    };
    struct Series
    {
        std::string name, unit;
        Fold fold;
        std::vector<double> values;
    };
    Counts* countsOf(std::string_view name, OpClass opClass);
    //! Intervals [first, last) become one for each `group` of them; what comes after moves up.
    void join(std::size_t first, std::size_t last, std::size_t group);
    void joinSeries(Series& series, std::size_t first, const std::vector<std::size_t>& to, std::size_t size) const;
    void sumUp(RunSummary& summary, std::vector<std::string>& told) const;

    std::vector<Interval> m_rows;
    std::vector<Counts> m_counts;
    std::vector<Series> m_series;
    //! By interval, then by operation (index + 1; 0 = transactions).
    std::map<std::pair<std::size_t, std::size_t>, Histogram> m_histograms;
    std::uint32_t m_folded = 1;
    std::size_t m_tail = 0; //!< of a folded run: intervals at its end that were not put together yet
};

class Collector
{
public:
    explicit Collector(const ImportOptions& options)
        : m_options(options)
    {
    }

    ImportOrigin origin;
    [[nodiscard]] const ImportOptions& options() const { return m_options; }

    //! Begins a further run. The reference stays good.
    Run& begin();
    //! The run under way; begins the first.
    Run& run();
    [[nodiscard]] bool hasRun() const { return !m_fresh && !m_runs.empty(); } //!< of the file under way
    //! After intervals were added: keeps memory bounded.
    void bound(Run& run);

    void file(std::string_view name); //!< lines of this file follow; its first figures begin a run
    void unknown(std::int64_t line, std::string_view text);
    void note(std::string text); //!< once, however often it is said
    [[nodiscard]] std::deque<Run>& runs() { return m_runs; }
    [[nodiscard]] const std::deque<Run>& runs() const { return m_runs; }
    [[nodiscard]] bool full() const { return m_full; } //!< there were more than kMostRuns

    std::optional<Error>
        refused; //!< set by a parser: the file cannot be read as it is, nothing more of it is looked at

    //! What parsers keep of files that belong together, by a name of theirs.
    std::map<std::string, std::shared_ptr<void>> overFiles;

    // of a mapped format
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> head;
    ImportMap map;

private:
    ImportOptions m_options;
    std::deque<Run> m_runs;
    std::string m_file;
    std::size_t m_sinceCheck = 0;
    bool m_full = false, m_fresh = true;
};

} // namespace dyno::import
