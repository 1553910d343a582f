// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The plan: what a person wants measured, and its TOML form (a contract: extend it, do not bend it).
//! Plain values and pure functions; any thread.
#pragma once

#include "instruments.h"
#include "packed_file.h"
#include "value.h"
#include "value_type.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

//! One labelled value of an axis: sets fields of the plan by scope-qualified name, e.g. "server.sync_binlog" = 1,
//! "connection.synchronous" = "OFF", "workload.table_size" = 1000, "load.users" = 4, "target.uri" = "sqlite:a.db".
struct Case
{
    std::string label;
    Settings set;
    int line = 0; //!< in the plan file, 0 if none
    //! What the case claims of its runs: kExpectReads, kExpectNoReads, "" = nothing. Runs of which the server's own
    //! counters say otherwise are marked (missedExpectation() in report.h).
    std::string expect = {};
    //! Skipped where its server, or a package this server needs for it, is not installed; see
    //! skipMissingCases() in preflight.h.
    bool optional = false;
};
constexpr const char* kExpectReads = "reads";      //!< pages are read from storage while it is measured
constexpr const char* kExpectNoReads = "no reads"; //!< all pages are in the server's memory

struct Axis
{
    std::string name;
    std::vector<Case> cases;
    int line = 0;
};

//! FewestRestarts: points that share what a restart is needed for follow each other, in the order of the list.
enum class RunOrder { AsListed, Interleaved, Shuffled, FewestRestarts };
//! When a managed server is restarted: when a knob needs it, or also before each point or each run, so that all begin
//! with empty caches.
enum class RestartPolicy { WhenNeeded, EachPoint, EachRun };
//! When the server is asked what it does at that moment, see <dyno/snapshots.h>.
enum class SnapshotsWhen {
    Off,
    OnDemand, //!< when a person asks for one
    Stalls,   //!< and by itself while a stall lasts
};
//! What a run begins with: what the run before left, or the data as it was loaded (managed servers and private SQLite
//! files: a copy is put back, with blocks shared where the file system can).
enum class DataPolicy { Keep, Restore };
enum class ExecutorKind { Auto, Threads, Loops };
//! Auto: create and load what is missing, verify what is there. Never: verify only. Always: drop and load. Use: load
//! nothing, and use data that was loaded with other parameters too.
enum class PreparePolicy { Auto, Never, Always, Use };

//! How transactions come about.
enum class ArrivalModel {
    Closed,  //!< each user begins its next transaction when the last one has ended, after its think time
    Fixed,   //!< open: one arrival every 1/rate seconds, whatever the server does
    Poisson, //!< open: exponential gaps with that mean (sysbench --rate)
};
//! A stretch of constant rate.
struct RateStep
{
    double rate = 0; //!< arrivals a second
    double seconds = 0;
    bool operator==(const RateStep&) const = default;
};
//! The offered load. Open models: any free user takes the next arrival; response time counts from the arrival.
struct Arrival
{
    ArrivalModel model = ArrivalModel::Closed;
    double rate = 0;             //!< arrivals a second, of all users together
    double rateTo = 0;           //!< above 0: the rate moves there linearly over the measured time
    std::vector<RateStep> steps; //!< instead of `rate`: one after the other from the start of the measured time
    double thinkSeconds = 0;     //!< closed: between the end of a transaction and the next one
    std::uint64_t backlog =
        100'000; //!< arrivals that may wait for a free user; what comes beyond is dropped and counted
    [[nodiscard]] bool open() const { return model != ArrivalModel::Closed; }
    bool operator==(const Arrival&) const = default;
};
//! "p99 <= 20ms": it holds when that is so and no transaction failed or was dropped. Response time.
struct Objective
{
    double percentile = 0; //!< 0 = none; 100 = the largest
    double limitMs = 0;
    [[nodiscard]] bool given() const { return percentile > 0; }
    bool operator==(const Objective&) const = default;
};
//! Looks for the highest rate, or number of users, at which the objective holds: bisection with probes of
//! `probeSeconds`, then a measured run at the answer. Probes are recorded like a warm-up.
struct Search
{
    enum class What { Nothing, Rate, Users };
    What what = What::Nothing;
    double from = 0, to = 0; //!< both ends are tried first
    double probeSeconds = 5;
    double precision = 0.05; //!< ends when the interval is narrower than this share of its lower end
    int confirm = 2;         //!< probes at the answer that must hold too
    bool operator==(const Search&) const = default;
};
//! When a run counts as steady: over the last `windowSeconds`, for throughput and the 95th percentile, the
//! least-squares line changes by at most `slope` of the mean and no interval is further than `deviation` of the mean
//! from it.
struct SteadyRule
{
    double windowSeconds = 10;
    double slope = 0.05;
    double deviation = 0.2;
    bool operator==(const SteadyRule&) const = default;
};

constexpr std::size_t kMostGroups = 16; //!< of a plan: each has its histograms, and each point its parameters

//! Some of a run's users, with parameters, a workload and a pace of their own ([[load.group]] in TOML): scans beside
//! writes. All groups work on the tables that the plan's workload loads.
struct LoadGroup
{
    DYNO_VALUE_TYPE(LoadGroup);
    std::string name;         //!< begins the names of its operations: "scans.random_ranges"
    std::optional<int> users; //!< none: as many as load.users says; 0: it takes no part. A point has a number
    std::string workload;     //!< "" = the plan's. A point has its name
    Settings params;          //!< those that differ from the plan's. A point has all of them
    Arrival pace;             //!< arrival, rate and think_time alone
    bool operator==(const LoadGroup&) const = default;
};

constexpr std::size_t kMostPhases = 32; //!< of a plan: each has its measures

//! How often sections of a workload are chosen, against each other, by their names.
using SectionWeights = std::map<std::string, std::int64_t, std::less<>>;
constexpr std::int64_t kMaxSectionWeight = INT32_MAX; //!< as of a script itself

//! How many users take part in a phase, how often transactions arrive in it and which: of the run, or of one group.
struct PhasePace
{
    std::optional<int> users;      //!< none: `percent`, or all of them
    std::optional<double> percent; //!< of the users, rounded up
    std::optional<double> rate;    //!< arrivals a second of an open loop; none: as without phases
    SectionWeights weights;        //!< a section that is not named is not chosen; empty: as the workload has them
    bool operator==(const PhasePace&) const = default;
};

//! A stretch of the measured time with a load of its own ([[load.phase]] in TOML). Users without a part in it rest.
struct LoadPhase
{
    DYNO_VALUE_TYPE(LoadPhase);
    std::string name; //!< a part of measures: "tps:spike"
    double seconds = 0;
    double rampSeconds = 0; //!< over which users and rate come from the phase before; 0: at once
    PhasePace pace;         //!< with groups: of each of them
    std::map<std::string, PhasePace, std::less<>> groups; //!< by name, instead of `pace`
    bool operator==(const LoadPhase&) const = default;
};

struct LoadProfile
{
    DYNO_VALUE_TYPE(LoadProfile);
    std::vector<int> users = {1}; //!< concurrent users; more than one value is an axis called "users"
    double timeSeconds = 10;      //!< measured time, 0 = no limit (then `events` must be set); the sum of the phases
    std::uint64_t events = 0;     //!< stop after this many transactions in all, 0 = no limit
    double warmupSeconds = 0;     //!< before the measured time; recorded, left out of summaries
    double intervalSeconds = 1;   //!< 0.1…10
    int repeats = 1;
    RunOrder order = RunOrder::AsListed;
    std::uint64_t seed = 1; //!< same seed, same rows and same streams of requests
    ExecutorKind executor = ExecutorKind::Auto;
    int loaders = 0; //!< sessions that load data in parallel, 0 = number of cores
    int loops = 0;   //!< threads of the event loops, 0 = chosen by the number of cores
    Arrival arrival;
    Objective objective;
    Search search;
    // Warm-up: `warmupSeconds`, or until `warmupEvents` transactions, or until steady but no longer than `warmupMax`.
    std::uint64_t warmupEvents = 0;
    bool warmupUntilSteady = false;
    double warmupMaxSeconds = 300;
    SteadyRule steady;
    // Further ends of the measured phase, beside timeSeconds and events.
    std::uint64_t rows = 0;       //!< stop after this many changed (and committed) rows, 0 = no limit
    int stopAfterSteady = 0;      //!< stop when so many steady windows were seen, 0 = do not
    bool stopOnObjective = false; //!< stop when the objective failed over a steady-state window
    InstrumentsLevel instruments = InstrumentsLevel::None; //!< what of the server's own is switched on for the runs
    RestartPolicy restart = RestartPolicy::WhenNeeded;
    DataPolicy data = DataPolicy::Keep;
    double reconnectSeconds = 10; //!< how long a lost connection is tried again before the run fails; 0 = not at all
    bool settle = false;  //!< before each run, until changed pages are written and old versions of rows are gone
    bool prewarm = false; //!< before each run the tables and their indexes are read once
    //! Before the first run on a disk of this machine it is measured what that can do: see device_probe.h.
    bool probe = false;
    bool counters = true; //!< asks the server for its own counters once an interval, on a connection of its own
    SnapshotsWhen snapshots = SnapshotsWhen::OnDemand;
    //! Counters that are shown beside those that the driver chooses: "Key_reads", "host/sda reads".
    std::vector<std::string> observe;
    std::vector<LoadGroup> groups; //!< none: all users do the same
    std::vector<LoadPhase> phases; //!< one after the other; none: the same load from start to end
    //! True when some warm-up is asked for.
    [[nodiscard]] bool warms() const { return warmupSeconds > 0 || warmupEvents > 0 || warmupUntilSteady; }
};

//! A parameter of a workload that says how much data there is (OptionSpec::affectsData, a whole number) may be written
//! as a multiple of what caches the data: table_size = "4 x buffer_pool", or "0.5 x cache", which is the same. It is
//! resolved for each point when the plan is expanded, by the workload's own estimate of its data: the buffer pool, page
//! cache or cache of the engine that the point uses. Points hold the number, the plan what was written.
struct DataMultiple
{
    double factor = 0;
};
//! nullopt when the value is no multiple; an error when it is one that cannot be.
[[nodiscard]] Expected<std::optional<DataMultiple>> dataMultipleIn(const OptionSpec& option, const Value& value);

struct WorkloadSpec
{
    DYNO_VALUE_TYPE(WorkloadSpec);
    std::string name;
    Settings params;
    PreparePolicy prepare = PreparePolicy::Auto;
    bool cleanup = false; //!< drop the tables after the last run
    int line = 0;
};

//! What running a target costs; 0 = not said.
struct Price
{
    double costPerHour = 0;
    double watts = 0;
    std::string currency = "$"; //!< as shown, without meaning to the program
    bool operator==(const Price&) const = default;
};

struct TargetSpec
{
    DYNO_VALUE_TYPE(TargetSpec);
    std::string uri;             //!< see uri.h; never holds a password
    std::string path = "direct"; //!< by which the users reach it; see path.h
    Price price;                 //!< cost_per_hour, watts, currency
    int line = 0;
};

//! What stands for the runs of one cell. Intervals are always of the mean: none is shown with the median.
enum class Centre { Mean, Median };
//! What figures are shown as a percentage of. Baseline: that series in the same place. Best: the best cell of the chart
//! (of each facet), which then also is what ratios refer to.
enum class RelativeTo { Nothing, Baseline, Best };

//! A chart that belongs to the plan: see report.h for measures.
struct View
{
    DYNO_VALUE_TYPE(View);
    //! An id of chartKinds(), see chart_kinds.h.
    std::string chart = "lines";
    std::string measure = "tps";
    std::string x = "users";
    std::string series;
    std::string facet;
    std::string baseline; //!< label of the series that ratios refer to; "" = the first
    //! What the plan asks, for the sentence that answers: label of the series that is compared with the baseline, and
    //! where ("users = 16; pool = IO-bound"). "" = the series, or the place, with the largest effect.
    std::string verdict, verdictAt;
    Centre centre = Centre::Mean;
    RelativeTo relativeTo = RelativeTo::Nothing; //!< relative_to
    std::string name;                            //!< what a person calls it; "" = named after what it shows
    std::string log;                             //!< see ViewAxes
    std::string over;                            //!< charts over time: "" = seconds, "rows" = rows changed so far
    double from = 0, to = 0;                     //!< charts over seconds: the part that is shown; to = 0: until the end
    //! A table that reports add to the view's own: kTableMaxima, kTableSpread, "" = none.
    std::string table;
    bool published = false; //!< the plan's published figures are laid into the chart
    bool knee = false;      //!< the knee of each line is marked: findKnee()
    std::string limit;      //!< what the disk can do, as lines: names of device_limits.h, with "; " between them
};
constexpr const char* kTableMaxima = "maxima"; //!< of each series, its best figure over x and where it is
constexpr const char* kTableSpread = "spread"; //!< of each run, how its throughput varies within the run

//! One of the sizes a recipe comes in: fields of the plan as `--set path=value` takes them ([size.quick] in TOML).
struct PlanSize
{
    std::string name; //!< "quick", "laptop", "published"
    std::vector<std::pair<std::string, std::string>> fields;
};

//! One (axis, case label) of a point.
struct CaseRef
{
    std::string axis;
    std::string label;
    bool operator==(const CaseRef&) const = default;
};

//! Figures that somebody published of this experiment ([[published]] in TOML); shown beside one's own, marked as such.
struct PublishedValue
{
    //! Of the plan's axes; "users" with the number as its label. A case that the axis does not have is one that nobody
    //! can run here: it has a place beside one's own.
    std::vector<CaseRef> cases;
    double value = 0;
};
struct Published
{
    std::string source;   //!< who, where
    std::string date;     //!< "2011-03"
    std::string hardware; //!< machine, server, size of the data
    std::string measure = "tps";
    //! Not empty: the values are percent of the figure of this case of their axis, as published ("47 % smaller": 53).
    std::string relativeTo; //!< relative_to
    std::vector<PublishedValue> values;
    int line = 0;
};

//! Points that have all of these cases are left out ([[skip]] in TOML).
struct Skip
{
    std::vector<CaseRef> cases;
    int line = 0;
};

struct Plan
{
    DYNO_VALUE_TYPE(Plan);
    std::string title;
    std::string description;
    TargetSpec target;
    WorkloadSpec workload;
    Settings set; //!< base settings by scope-qualified name, the same for all points ([set] in TOML)
    LoadProfile load;
    std::vector<Axis> axes;
    std::vector<Skip> skips;
    std::vector<Published> published;
    std::vector<View> views;
    std::vector<PlanSize> sizes; //!< what applySize() chooses from; empty for a plan of one size
    //! How it departs from the experiment that it repeats, a sentence each ([recipe] departs in TOML).
    std::vector<std::string> departs;
    //! The content of files that workload.files names by their digits ([files] in TOML).
    PlanFiles files;
    std::string source; //!< recipe id or file it came from; not written to TOML
};

//! One combination of cases with everything resolved. Knobs are split by scope, names without the scope.
struct PointSpec
{
    DYNO_VALUE_TYPE(PointSpec);
    std::vector<CaseRef> cases; //!< in axis order; "users" last if it is an axis
    TargetSpec target;
    WorkloadSpec workload;
    Settings server, connection, table, host;
    LoadProfile load; //!< users has exactly one value
    [[nodiscard]] int users() const { return load.users.empty() ? 1 : load.users.front(); }
    //! The most that work at a time: of a search over users, its upper end; of groups, all of them together.
    [[nodiscard]] int mostUsers() const;
    //! Where there are groups, of all of them; else users().
    [[nodiscard]] int allUsers() const { return load.groups.empty() ? users() : mostUsers(); }
    //! "flush=0, 16 users": case labels joined.
    [[nodiscard]] std::string label() const;
};

//! The point's parameters that the plan writes as multiples of a cache ("4 x cache"), with the numbers they became.
[[nodiscard]] Settings multiplesOf(const Plan& plan, const PointSpec& point);

struct RunSlot
{
    int point = 0;        //!< index into points
    int repeat = 1;       //!< 1-based
    bool restart = false; //!< a managed or remote server is (re)started before it
    bool loads = false;   //!< data is loaded before it, as far as that is known beforehand
};

struct Expansion
{
    DYNO_VALUE_TYPE(Expansion);
    std::vector<PointSpec> points;
    std::vector<RunSlot> runs;        //!< in the order of execution
    int skipped = 0;                  //!< points that a Skip left out
    double estimatedSeconds = 0;      //!< runs with warm-up and connecting; loading is not known beforehand
    std::uint64_t estimatedBytes = 0; //!< data on disk, from the workload's own estimate; 0 = unknown
};

struct ParsedPlan
{
    std::optional<Plan> plan; //!< set when `faults` is empty
    Faults faults;            //!< all of them, with lines
};

//! Reads a plan. `name` is only used in fault messages. Checks syntax, types, unknown keys, and everything that
//! checkPlan() does.
[[nodiscard]] ParsedPlan parsePlan(std::string_view toml, std::string_view name);
[[nodiscard]] ParsedPlan readPlan(const std::filesystem::path& file);
//! The TOML form; parsePlan(writePlan(p)) gives p again.
[[nodiscard]] std::string writePlan(const Plan& plan);
//! Faults that need no server: unknown workload or parameter, knob of a wrong scope or type, empty axis, duplicate
//! labels, ranges.
[[nodiscard]] Faults checkPlan(const Plan& plan);
//! Full expansion: every combination of cases, in the plan's order, with repeats. The plan must have no faults.
[[nodiscard]] Expansion expand(const Plan& plan);
//! Sets one field as `--set path=value` does: "load.users=1,4", "target.uri=…", "axis.NAME[LABEL].FIELD=…",
//! "axis.NAME=a;b" keeps only those cases, other paths go to Plan::set.
[[nodiscard]] Expected<void> setField(Plan& plan, std::string_view path, std::string_view value);
//! Applies one of Plan::sizes with setField() and drops the others; the error names the sizes there are. Nothing is
//! changed when there is an error.
[[nodiscard]] Expected<void> applySize(Plan& plan, std::string_view size);
[[nodiscard]] const char* toText(RestartPolicy policy); //!< "when-needed", "each-point", "each-run"
[[nodiscard]] const char* toText(SnapshotsWhen when);   //!< "off", "on-demand", "stalls"
[[nodiscard]] const char* toText(DataPolicy policy);    //!< "keep", "restore"
//! "as-listed", "interleaved", "shuffled", "fewest-restarts"; "auto", "threads", "loops"; "auto", "never", "always":
//! the words of TOML.
[[nodiscard]] const char* toText(RunOrder order);
[[nodiscard]] const char* toText(ExecutorKind executor);
[[nodiscard]] const char* toText(PreparePolicy policy);
[[nodiscard]] const char* toText(ArrivalModel model);         //!< "closed", "fixed", "poisson"
[[nodiscard]] const char* toText(Centre centre);              //!< "mean", "median"
[[nodiscard]] const char* toText(RelativeTo relativeTo);      //!< "", "baseline", "best"
[[nodiscard]] std::string toText(const Objective& objective); //!< "p99 <= 20ms", "" when none is given

} // namespace dyno
