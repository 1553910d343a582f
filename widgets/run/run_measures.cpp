// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_measures.h"

#include "format.h"
#include "qt_text.h"
#include "run/live_run_model.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <dyno/formula.h>
#include <dyno/report.h>
#include <dyno/shown_counters.h>
#include <dyno/visible_text.h>
#include <utility>

namespace dyno {

namespace {

constexpr double kOneMiB = 1024.0 * 1024.0;
constexpr double kFewErrors = 4, kSmallLoad = 10; // so that next to nothing does not fill a plot

struct MeasureWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::RunMeasure)
};

//! What the server does not tell itself says whose it is.
QString counterName(const CounterInfo& counter)
{
    if (counter.source == kHostSource)
        return MeasureWords::tr("host: %1").arg(qtText(counter.name));
    if (counter.source == kProcessSource)
        return MeasureWords::tr("server process: %1").arg(qtText(counter.name));
    if (counter.source.ends_with(kOfProcess)) // of a proxy
        return MeasureWords::tr("%1: %2", "process, its counter")
            .arg(qtText(counter.source.substr(0, counter.source.size() - kOfProcess.size())), qtText(counter.name));
    if (counter.source == "server" || counter.source == kStatedSource)
        return qtText(counter.name);
    return MeasureWords::tr("%1: %2", "a machine or an exporter, its counter")
        .arg(qtText(counter.source), qtText(counter.name));
}

RunMeasure ofCounter(const CounterInfo& counter, int index)
{
    RunMeasure measure;
    measure.counter = index;
    measure.hidden = counter.hidden;
    measure.id = idOf(counter);
    measure.title = measure.name = counterName(counter);
    const bool bytes = counter.unit == "bytes";
    measure.scale = bytes ? 1 / kOneMiB : 1;
    const QString unit = bytes ? QStringLiteral("MiB") : qtText(counter.unit);
    measure.unit = counter.rate ? MeasureWords::tr("%1/s", "unit of a rate").arg(unit) : unit;
    if (!counter.rate && counter.unit == "cores")
        measure.cores = 1;
    return measure;
}

//! In the words that are the same for all products.
void nameRole(RunMeasure& measure, CounterRole role, int cores)
{
    switch (role) {
    case CounterRole::ServerCpu:
        measure.title = MeasureWords::tr("Server CPU");
        measure.scale = cores > 0 ? 100.0 / cores : 100;
        measure.unit = cores > 1 ? MeasureWords::tr("% of %1 cores").arg(cores) : MeasureWords::tr("% of a core");
        measure.ceiling = kSmallLoad;
        break;
    case CounterRole::Syncs:
        measure.title = MeasureWords::tr("fsyncs");
        measure.unit = MeasureWords::tr("per second");
        break;
    case CounterRole::DirtyPages:
        measure.title = MeasureWords::tr("Dirty pages");
        break;
    case CounterRole::DiskWrites:
        measure.title = MeasureWords::tr("Disk writes");
        break;
    }
}

RunMeasure ofRun(const char* id, const QString& title, const QString& unit, QVector<double> RunSeries::*values,
                 double scale, double ceiling)
{
    RunMeasure measure;
    measure.id = QString::fromLatin1(id);
    measure.title = measure.name = title;
    measure.unit = unit;
    measure.own = values;
    measure.scale = scale;
    measure.ceiling = ceiling;
    return measure;
}

RunMeasure ofOperation(const OperationInfo& operation, int index, bool isTime)
{
    const QString name = qtText(visibleText(operation.name));
    RunMeasure measure;
    measure.id = isTime ? timesOf(name) : callsOf(name);
    measure.title = measure.name = isTime ? MeasureWords::tr("%1: p99", "operation").arg(name)
                                          : MeasureWords::tr("%1: calls", "operation").arg(name);
    measure.unit = isTime ? MeasureWords::tr("ms") : MeasureWords::tr("per second");
    measure.operation = index;
    measure.isTime = isTime;
    measure.hidden = true;
    return measure;
}

//! A series that formulas name.
struct FigureOverTime
{
    const char* measure;
    QVector<double> RunSeries::*series;
    double scale = 1;
};
constexpr FigureOverTime kAmounts[] = {{"tps", &RunSeries::tps},
                                       {"qps", &RunSeries::qps},
                                       {"per_minute", &RunSeries::tps, 60},
                                       {"rows_per_second", &RunSeries::rows}};
constexpr std::pair<const char*, QVector<double> RunSeries::Latency::*> kPercentiles[] = {
    {"p50", &RunSeries::Latency::p50},
    {"p95", &RunSeries::Latency::p95},
    {"p99", &RunSeries::Latency::p99},
    {"p999", &RunSeries::Latency::p999}};
constexpr std::pair<const char*, RunSeries::Latency RunSeries::*> kLatencies[] = {{"service", &RunSeries::service},
                                                                                  {"response", &RunSeries::response}};

constexpr const char* kTimeOfOne = "service_p99";

//! Of one operation these are known over time.
bool isOfOne(const std::string& base)
{
    return base == kTimeOfOne || base == "qps" || base == "tps" || base == "per_minute";
}

using ValueOverTime = std::function<double(const RunSeries& series, qsizetype interval)>;

double valueAt(const QVector<double>& values, qsizetype interval)
{
    return interval < values.size() ? values[interval] : kNone;
}

//! Nothing where the run does not have the figure over time.
ValueOverTime figureNamed(const std::string& measure, const std::vector<CounterInfo>& counters,
                          const std::vector<OperationInfo>& operations)
{
    const auto [base, part] = splitMeasure(measure);
    if (base == "counter") {
        const auto counter = indexOfCounter(counters, part);
        if (!counter)
            return {};
        return [at = *counter](const RunSeries& series, qsizetype interval) {
            return at < series.counters.size() ? valueAt(series.counters[at], interval) : kNone;
        };
    }
    if (!part.empty()) {
        const auto operation = std::ranges::find(operations, part, &OperationInfo::name);
        const bool time = base == kTimeOfOne;
        const double scale = base == "per_minute" ? 60 : 1;
        if (operation == operations.end() || !isOfOne(base))
            return {};
        return [at = std::size_t(operation - operations.begin()), time, scale](const RunSeries& series,
                                                                               qsizetype interval) {
            if (at >= series.operations.size())
                return kNone;
            const RunSeries::Operation& one = series.operations[at];
            return valueAt(time ? one.p99 : one.calls, interval) * scale;
        };
    }
    for (const FigureOverTime& one : kAmounts) {
        if (base == one.measure)
            return [one](const RunSeries& series, qsizetype interval) {
                return valueAt(series.*one.series, interval) * one.scale;
            };
    }
    for (const auto& [kind, latency] : kLatencies) {
        for (const auto& [name, percentile] : kPercentiles) {
            if (base == std::string(kind) + "_" + name)
                return [latency = latency, percentile = percentile](const RunSeries& series, qsizetype interval) {
                    return valueAt(series.*latency.*percentile, interval);
                };
        }
    }
    return {};
}

} // namespace

QString idOfFormula(const QString& text)
{
    return qtText(kFormulaMeasure) + QLatin1Char(':') + text;
}

QString formulaOf(const QString& id)
{
    const QString prefix = idOfFormula({});
    return id.startsWith(prefix) ? id.mid(prefix.size()) : QString();
}

std::vector<std::string> figuresOverTime()
{
    std::vector<std::string> ids;
    for (const FigureOverTime& one : kAmounts)
        ids.emplace_back(one.measure);
    for (const auto& [kind, latency] : kLatencies) {
        for (const auto& [name, percentile] : kPercentiles)
            ids.push_back(std::string(kind) + "_" + name);
    }
    return ids;
}

QString figureProblem(const std::string& measure, const std::vector<OperationInfo>& operations)
{
    const auto [base, part] = splitMeasure(measure);
    if (base == "counter" || !findMeasure(base))
        return {};
    const QString name = qtText(visibleText(measure));
    if (base == "rows")
        return MeasureWords::tr("%1 is a figure of a whole run: over time there is rows_per_second").arg(name);
    if (!part.empty() && !isOfOne(base))
        return MeasureWords::tr("%1 is not known over time: of one operation only qps and service_p99 are").arg(name);
    if (!part.empty() && std::ranges::find(operations, part, &OperationInfo::name) == operations.end())
        return MeasureWords::tr("This run has no operation %1").arg(qtText(visibleText(part)));
    const std::vector<std::string> known = figuresOverTime();
    if (part.empty() && std::ranges::find(known, base) == known.end()) {
        QStringList names;
        for (const std::string& one : known)
            names << qtText(one);
        return MeasureWords::tr("%1 is not known over time: %2 are, and counters")
            .arg(name, names.join(QStringLiteral(", ")));
    }
    return {};
}

RunMeasure measureOfFormula(const QString& id, const std::vector<CounterInfo>& counters,
                            const std::vector<OperationInfo>& operations)
{
    RunMeasure measure;
    measure.id = id;
    measure.hidden = true;
    measure.title = measure.name = formulaOf(id);
    auto parsed = Formula::parse(measure.name.toStdString());
    if (!parsed) {
        measure.problem = qtText(parsed.error().message);
        return measure;
    }
    measure.title = qtText(visibleText(parsed->label()));
    measure.unit = qtText(visibleText(parsed->unit()));
    std::vector<ValueOverTime> figures; // of parsed->measures()
    QStringList unknown;
    for (const std::string& name : parsed->measures()) {
        if (const QString problem = figureProblem(name, operations); !problem.isEmpty()) {
            measure.problem = problem;
            return measure;
        }
        figures.push_back(figureNamed(name, counters, operations));
        if (!figures.back()) {
            const auto [base, part] = splitMeasure(name);
            unknown << qtText(visibleText(base == "counter" ? part : name));
        }
    }
    if (!unknown.isEmpty()) {
        measure.problem = MeasureWords::tr("This run has no %1").arg(unknown.join(QStringLiteral(", ")));
        return measure;
    }
    measure.formula = [formula = std::move(*parsed), figures = std::move(figures)](const RunSeries& series,
                                                                                   qsizetype interval) {
        auto figure = figures.begin(); // each is asked for once, in their order
        return formula.value([&](const std::string&) { return (*figure++)(series, interval); });
    };
    return measure;
}

double RunMeasure::value(const RunSeries& series, qsizetype interval) const
{
    return formula ? formula(series, interval) : valueAt(values(series), interval);
}

QString idOf(const CounterInfo& counter)
{
    return QStringLiteral("%1: %2").arg(qtText(counter.source), qtText(counter.name));
}

QString callsOf(const QString& operation)
{
    return QStringLiteral("operation: %1").arg(operation);
}

QString timesOf(const QString& operation)
{
    return QStringLiteral("operation p99: %1").arg(operation);
}

const QVector<double>& RunMeasure::values(const RunSeries& series) const
{
    static const QVector<double> none;
    if (own)
        return series.*own;
    if (operation >= 0 && std::size_t(operation) < series.operations.size()) {
        const RunSeries::Operation& of = series.operations[std::size_t(operation)];
        return isTime ? of.p99 : of.calls;
    }
    return counter >= 0 && std::size_t(counter) < series.counters.size() ? series.counters[std::size_t(counter)] : none;
}

std::vector<RunMeasure> measuresOf(const std::vector<CounterInfo>& counters, std::string_view driver, int cores,
                                   const std::vector<std::string>& observed,
                                   const std::vector<OperationInfo>& operations)
{
    std::vector<RunMeasure> measures;
    std::vector<bool> taken(counters.size());
    const std::vector<PlayedRole> roles = rolesOf(counters, driver);
    const auto add = [&](std::size_t i) {
        if (taken[i])
            return;
        taken[i] = true;
        RunMeasure measure = ofCounter(counters[i], int(i));
        if (const auto role = std::ranges::find(roles, i, &PlayedRole::counter); role != roles.end())
            nameRole(measure, role->role, cores);
        measures.push_back(std::move(measure));
    };
    for (const std::string& name : observed) {
        for (std::size_t i = 0; i < counters.size(); ++i) {
            if (meansCounter(name, counters[i]))
                add(i);
        }
    }
    // Where users come over a network link it limits the run as the server's CPU does: both are seen first.
    for (std::size_t i = 0; i < roles.size() && roles[i].role == CounterRole::ServerCpu; ++i)
        add(roles[i].counter);
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (counters[i].source == kHostSource && counters[i].name.starts_with("link "))
            add(i);
    }
    for (const PlayedRole& role : roles)
        add(role.counter);
    measures.push_back(
        ofRun("errors", MeasureWords::tr("Errors"), MeasureWords::tr("per second"), &RunSeries::errors, 1, kFewErrors));
    measures.push_back(ofRun("generator", MeasureWords::tr("Generator"), MeasureWords::tr("% of a core"),
                             &RunSeries::clientCpu, 100, kSmallLoad));
    measures.back().cores = 1;
    measures.push_back(ofRun("host", MeasureWords::tr("Host CPU"), MeasureWords::tr("% of all cores"),
                             &RunSeries::hostBusy, 100, 100));
    measures.back().cores = cores; // 0 = not known
    for (std::size_t i = 0; i < counters.size(); ++i)
        add(i);
    // A file may name one that is hidden in it; what is offered stands before all of those.
    std::ranges::stable_partition(measures, [](const RunMeasure& one) { return !one.hidden; });
    for (std::size_t i = 0; i < operations.size(); ++i) {
        for (const bool isTime : {false, true})
            measures.push_back(ofOperation(operations[i], int(i), isTime));
    }
    return measures;
}

} // namespace dyno
