// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/comparison.h"

#include "format.h"
#include "qt_text.h"

#include <dyno/chart_kinds.h>
#include <dyno/export.h>
#include <dyno/load_phases.h>
#include <dyno/missing_runs.h>
#include <dyno/path.h>

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace dyno {

namespace {

const QString kAxisJoin = QStringLiteral(" × "); // as report.h joins axes

struct ComparisonWords
{
    Q_DECLARE_TR_FUNCTIONS(Comparison)
};

//! A point's label on one axis, as report.h spells it.
std::string labelOn(const Comparison& comparison, std::size_t session, const PointSpec& point, const std::string& axis)
{
    if (axis == "session")
        return session < comparison.sessionLabels.size() ? comparison.sessionLabels[session] : std::string();
    for (const CaseRef& ref : point.cases) {
        if (ref.axis == axis)
            return ref.label;
    }
    return axis == "users" ? std::to_string(point.users()) : std::string("–");
}

QString productOf(const StoredSession& session)
{
    if (!session.info.product.empty())
        return qtText(session.info.product);
    for (const StoredRun& run : session.runs) {
        if (!run.header.server.product.empty())
            return QString(qtText(run.header.server.product) % QLatin1Char(' ') % qtText(run.header.server.version))
                .trimmed();
    }
    return isImported(session) ? QString() : qtText(session.info.target);
}

QString orderText(RunOrder order)
{
    switch (order) {
    case RunOrder::AsListed:
        return ComparisonWords::tr("as listed");
    case RunOrder::Interleaved:
        return ComparisonWords::tr("interleaved");
    case RunOrder::Shuffled:
        return ComparisonWords::tr("shuffled");
    case RunOrder::FewestRestarts:
        return ComparisonWords::tr("fewest restarts");
    }
    return {};
}

//! Which plural form a translation takes; the count itself is grouped by thousands, which %n is not.
template<class Count>
int numerus(Count count)
{
    constexpr Count kLargest = 1'000'000'000;
    return int(count < kLargest ? count : kLargest + count % 100);
}

//! "calm: 2 of 8 users; spike: 8 of 8 users".
QString phasesOfLoad(const LoadProfile& load)
{
    QStringList parts;
    for (const LoadPhase& phase : load.phases)
        parts += ComparisonWords::tr("%1: %2", "phase of a load, who takes part in it")
                     .arg(qtText(phase.name), qtText(phaseText(load, phase)));
    return parts.join(QStringLiteral("; "));
}

//! "1000 transactions, at most 60 s, 5 s warm-up": what one run is asked to do.
QString eachRun(const LoadProfile& load)
{
    QStringList parts;
    if (load.events > 0)
        parts += load.events == 1 ? ComparisonWords::tr("1 transaction")
                                  : ComparisonWords::tr("%1 transactions", nullptr, numerus(load.events))
                                        .arg(format::count(qint64(load.events)));
    if (load.rows > 0)
        parts +=
            load.rows == 1
                ? ComparisonWords::tr("1 row")
                : ComparisonWords::tr("%1 rows", nullptr, numerus(load.rows)).arg(format::count(qint64(load.rows)));
    if (load.timeSeconds > 0)
        parts += parts.isEmpty() ? format::duration(load.timeSeconds)
                                 : ComparisonWords::tr("at most %1").arg(format::duration(load.timeSeconds));
    if (load.warmupSeconds > 0)
        parts += ComparisonWords::tr("%1 warm-up").arg(format::duration(load.warmupSeconds));
    return parts.join(QStringLiteral(", "));
}

//! Of all points, each text once, in their order: cases of a plan may have loads of their own.
template<class Text>
QString ofLoads(const StoredSession& session, Text text)
{
    constexpr qsizetype kMost = 4;
    QStringList texts;
    for (const PointSpec& point : session.header.points) {
        if (const QString one = text(point.load); !one.isEmpty() && !texts.contains(one))
            texts += one;
    }
    if (session.header.points.empty())
        texts += text(session.header.plan.load);
    const qsizetype more = texts.size() - kMost;
    texts = texts.mid(0, kMost);
    if (more > 0)
        texts += ComparisonWords::tr("%n more", "values", int(more));
    return texts.join(QStringLiteral(" / "));
}

QString settingsText(const Settings& settings)
{
    QStringList parts;
    for (const auto& [name, value] : settings)
        parts += qtText(name) % QStringLiteral(" = ") % qtText(toText(value));
    return parts.join(QStringLiteral(", "));
}

} // namespace

Expected<ComparisonPtr> loadComparison(Library& library, const std::vector<std::string>& ids)
{
    auto comparison = std::make_shared<Comparison>();
    for (const std::string& id : ids) {
        auto session = library.session(id);
        if (!session)
            return fail(session.error());
        const auto isThere = [&session](const StoredSession& other) { return other.info.id == session->info.id; };
        if (std::ranges::any_of(comparison->sessions, isThere))
            continue; // given twice, it counts once
        comparison->sessions.push_back(std::move(*session));
    }
    comparison->axes = pivotAxesOf(comparison->sessions);
    comparison->differences = differences(comparison->sessions);
    comparison->oneSided = oneSidedVariables(comparison->sessions) > 0;
    comparison->gaps = durabilityGaps(comparison->sessions);
    for (const StoredSession& session : comparison->sessions) {
        if (const std::string misnamed = misnamedProduct(session); !misnamed.empty())
            comparison->misnamed << qtText(misnamed);
    }
    for (const StoredSession& session : comparison->sessions)
        comparison->drifts.push_back(driftOf(session, "tps"));
    if (!comparison->sessions.empty()) {
        const StoredSession& first = comparison->sessions.front();
        for (View view : first.header.plan.views) {
            if (view.name.empty())
                view.name = viewName(view).toStdString();
            comparison->views.push_back(std::move(view));
        }
        auto kept = library.namedViews(first.info.id);
        if (!kept)
            return fail(kept.error());
        for (const NamedView& one : *kept) {
            auto view = viewFromText(one.text);
            if (!view)
                continue; // somebody else's; it stays where it is
            view->name = one.name;
            comparison->ownViews.push_back(std::move(*view));
        }
    }
    if (comparison->sessions.size() > 1) {
        PivotRequest request;
        request.x = "session";
        const std::vector<std::string> labels = pivot(comparison->sessions, request).xs;
        // Sessions with the same title carry the start of their id; the list need not be in our order.
        for (const StoredSession& session : comparison->sessions) {
            const auto mine = std::find_if(labels.begin(), labels.end(), [&](const std::string& label) {
                return label.starts_with(session.info.title) && label.ends_with(session.info.id.substr(0, 8));
            });
            comparison->sessionLabels.push_back(mine == labels.end() ? session.info.title : *mine);
        }
    }
    return ComparisonPtr(std::move(comparison));
}

PivotRequest defaultRequest(const Comparison& comparison)
{
    const auto& axes = comparison.axes;
    const auto has = [&axes](const std::string& joined) {
        const QStringList names = qtText(joined).split(kAxisJoin, Qt::SkipEmptyParts);
        return std::ranges::all_of(names, [&axes](const QString& axis) {
            return std::find(axes.begin(), axes.end(), axis.toStdString()) != axes.end();
        });
    };
    PivotRequest request;
    request.x.clear();
    for (const StoredSession& session : comparison.sessions) {
        if (session.header.plan.views.empty())
            continue;
        const View& view = session.header.plan.views.front();
        if (!findMeasure(view.measure) || !has(view.x) || !has(view.series) || !has(view.facet))
            break;
        request = requestOf(view);
        break;
    }
    return sideBySide(comparison.sessions, std::move(request));
}

std::string defaultChart(const Comparison& comparison)
{
    for (const StoredSession& session : comparison.sessions) {
        if (!session.header.plan.views.empty())
            return session.header.plan.views.front().chart;
    }
    return {};
}

QString viewName(const View& view)
{
    if (!view.name.empty())
        return qtText(view.name);
    const MeasureInfo* info = findMeasure(view.measure);
    const QString measure = info ? QCoreApplication::translate("Measure", info->label.c_str()) : qtText(view.measure);
    const ChartKind* kind = findChartKind(view.chart);
    if (kind && !kind->title.empty()) {
        const QString title = QCoreApplication::translate("Chart", kind->title.c_str());
        if (!kind->rows)
            return title;
        return (view.over == "rows" ? ComparisonWords::tr("%1 over rows") : ComparisonWords::tr("%1 over time"))
            .arg(title);
    }
    return ComparisonWords::tr("%1 by %2", "measure by axis").arg(measure, qtText(view.x));
}

std::optional<double> publishedOf(const Pivot& pivot, const Published& published, const PivotCell& cell)
{
    const std::optional<double> figure = publishedAt(published, pivot.request, cell);
    if (figure || published.relativeTo.empty() || pivot.xs.size() != 1)
        return figure;
    PivotRequest open = pivot.request;
    open.x.clear();
    return publishedAt(published, open, cell);
}

std::optional<double> publishedAside(const Pivot& pivot, const Published& published, const std::string& series,
                                     const std::string& facet)
{
    for (const PivotCell& cell : pivot.cells) {
        if (cell.series == series && cell.facet == facet && publishedOf(pivot, published, cell))
            return {};
    }
    PivotRequest open = pivot.request;
    open.x.clear();
    PivotCell cell;
    cell.series = series;
    cell.facet = facet;
    const std::optional<double> figure = publishedAt(published, open, cell);
    // One that fits without its series is no series' own.
    open.series.clear();
    cell.series.clear();
    const bool isOfAll = pivot.series.size() > 1 && publishedAt(published, open, cell);
    return isOfAll ? std::nullopt : figure;
}

double spanWith(const Pivot& pivot, const Published& published)
{
    double low = std::numeric_limits<double>::infinity(), high = 0;
    bool positive = true;
    const auto add = [&](std::optional<double> figure) {
        if (!figure || !std::isfinite(*figure))
            return;
        positive = positive && *figure > 0;
        low = std::min(low, *figure);
        high = std::max(high, *figure);
    };
    for (const PivotCell& cell : pivot.cells) {
        if (!cell.estimate.runs.empty())
            add(pivot.figure(cell).value);
        add(publishedOf(pivot, published, cell));
        add(publishedAside(pivot, published, cell.series, cell.facet));
    }
    return positive && high > 0 ? high / low : 0;
}

bool hasPublished(const Pivot& pivot, const Published& published, const Plan& plan)
{
    const Pivot shown = withReferences(pivot, published, plan);
    const auto hasFigure = [&](const PivotCell& one) { return publishedOf(shown, published, one).has_value(); };
    if (std::ranges::any_of(shown.cells, hasFigure))
        return true;
    return std::ranges::any_of(pivot.facets, [&](const std::string& facet) {
        return std::ranges::any_of(pivot.series, [&](const std::string& series) {
            return publishedAside(pivot, published, series, facet).has_value();
        });
    });
}

const Published* publishedFor(const Pivot& pivot, const Plan& plan)
{
    const auto found =
        std::ranges::find_if(plan.published, [&](const Published& one) { return hasPublished(pivot, one, plan); });
    return found == plan.published.end() ? nullptr : &*found;
}

Pivot withReferences(Pivot pivot, const Published& published, const Plan& plan)
{
    const auto isReference = [&plan](const CaseRef& one) {
        const auto axis = std::ranges::find(plan.axes, one.axis, &Axis::name);
        return axis != plan.axes.end() && std::ranges::find(axis->cases, one.label, &Case::label) == axis->cases.end();
    };
    // The label of a value along the axes of x, series or facet; nullopt when it leaves one of them open.
    const auto labelAlong = [](const std::string& axes, const PublishedValue& value) -> std::optional<std::string> {
        QStringList labels;
        for (const QString& axis : qtText(axes).split(kAxisJoin, Qt::SkipEmptyParts)) {
            const auto found = std::ranges::find(value.cases, axis.toStdString(), &CaseRef::axis);
            if (found == value.cases.end())
                return {};
            labels << qtText(found->label);
        }
        return labels.join(QStringLiteral(", ")).toStdString();
    };
    const auto places = [](const std::vector<std::string>& all, const std::optional<std::string>& label) {
        return label ? std::vector<std::string>{*label} : all;
    };
    const auto isIn = [](const std::vector<std::string>& all, const std::string& label) {
        return std::ranges::find(all, label) != all.end();
    };
    const PivotRequest& request = pivot.request;
    const std::vector<std::string> xs = pivot.xs, series = pivot.series;
    const auto addPlace = [&](std::string x, std::string one, std::string facet) {
        PivotCell cell;
        cell.elsewhere = true;
        cell.x = std::move(x);
        cell.series = std::move(one);
        cell.facet = std::move(facet);
        const bool isPart = request.facet.empty() || isIn(pivot.facets, cell.facet);
        if (!isPart || pivot.cell(cell.x, cell.series, cell.facet) || !publishedOf(pivot, published, cell))
            return;
        if (!isIn(pivot.xs, cell.x))
            pivot.xs.push_back(cell.x);
        if (!isIn(pivot.series, cell.series))
            pivot.series.push_back(cell.series);
        pivot.cells.push_back(std::move(cell));
    };
    for (const PublishedValue& value : published.values) {
        if (std::ranges::none_of(value.cases, isReference))
            continue;
        for (const std::string& facet : places(pivot.facets, labelAlong(request.facet, value))) {
            for (const std::string& x : places(xs, labelAlong(request.x, value))) {
                for (const std::string& one : places(series, labelAlong(request.series, value)))
                    addPlace(x, one, facet);
            }
        }
    }
    if (pivot.numericX)
        std::ranges::stable_sort(pivot.xs, {}, [](const std::string& x) { return qtText(x).toDouble(); });
    return pivot;
}

bool xIsElsewhere(const PivotRequest& request)
{
    const QStringList others = qtText(request.series).split(kAxisJoin) + qtText(request.facet).split(kAxisJoin);
    return std::ranges::all_of(qtText(request.x).split(kAxisJoin),
                               [&others](const QString& axis) { return others.contains(axis); });
}

bool hasArrivals(const std::vector<StoredSession>& sessions)
{
    return std::ranges::any_of(sessions, [](const StoredSession& session) {
        return std::ranges::any_of(session.runs, [](const StoredRun& run) { return hasArrivals(run.summary); });
    });
}

std::string usualLatency(const std::vector<StoredSession>& sessions)
{
    return hasArrivals(sessions) ? "response_p95" : "service_p95";
}

bool showsResponse(const std::string& measure, bool arrivals)
{
    return arrivals && !measure.starts_with("service_");
}

IntervalMeasures courseMeasuresOf(const std::string& measure, const std::string& operation, bool arrivals)
{
    constexpr std::string_view kService = "service_";
    IntervalMeasures of = intervalMeasuresOf(measure, operation);
    if (showsResponse(measure, arrivals) && of.latency.starts_with(kService))
        of.latency.replace(0, kService.size(), "response_");
    return of;
}

ExportWords exportWordsOf(const std::vector<StoredSession>& sessions, const Pivot* shown)
{
    const PictureText text = pictureText(sessions, shown ? std::vector{*shown} : std::vector<Pivot>());
    return {qtText(text.title), qtText(text.facts),
            shown ? qtText(verdictSentence(*shown, HeldAxes::Shown)) : QString(), qtText(text.caption)};
}

PivotView viewOf(const Comparison& comparison, const PivotRequest& request, const IntervalFigures* figures)
{
    PivotView view;
    view.pivot = pivot(comparison.sessions, request, figures);
    view.verdict = verdictSentence(view.pivot, HeldAxes::Shown); // in pills
    view.words = exportWordsOf(comparison.sessions, &view.pivot);
    return view;
}

std::string caseLabelOf(const Comparison& comparison, std::size_t session, const PointSpec& point,
                        const std::string& axes, const PivotCell* cell)
{
    QStringList labels;
    for (const QString& axis : qtText(axes).split(kAxisJoin)) {
        const std::string name = axis.toStdString();
        if (cell && name == kOperationAxis && !cell->operation.empty())
            labels += qtText(cell->operation);
        else if (cell && name == kSpreadAxis && !cell->spread.empty())
            labels += qtText(cell->spread);
        else if (cell && name == kProcessAxis && !cell->process.empty())
            labels += qtText(cell->process);
        else
            labels += qtText(labelOn(comparison, session, point, name));
    }
    return labels.join(QStringLiteral(", ")).toStdString();
}

std::vector<CellRun> runsOf(const Comparison& comparison, const PivotRequest& request, const PivotCell& cell)
{
    std::vector<CellRun> runs;
    for (std::size_t s = 0; s < comparison.sessions.size(); ++s) {
        const StoredSession& session = comparison.sessions[s];
        for (const StoredRun& run : session.runs) {
            if (run.header.point < 0 || std::size_t(run.header.point) >= session.header.points.size())
                continue;
            const PointSpec& point = session.header.points[std::size_t(run.header.point)];
            if (!isShown(request, point))
                continue;
            const auto is = [&](const std::string& axis, const std::string& label) {
                return axis.empty() || caseLabelOf(comparison, s, point, axis, &cell) == label;
            };
            if (is(request.x, cell.x) && is(request.series, cell.series) && is(request.facet, cell.facet))
                runs.push_back({s, &run});
        }
    }
    return runs;
}

namespace {

//! As diskText() of the engine.
QString diskWords(const DeviceFigures& disk)
{
    QStringList words{ComparisonWords::tr("random reads of %1: %2/s one at a time, %3/s with %4 at once")
                          .arg(format::bytes(double(disk.blockBytes)), format::rate(disk.read.perSecond),
                               format::rate(disk.reads.perSecond), format::count(disk.readers)),
                      ComparisonWords::tr("writes with a sync: %1/s").arg(format::rate(disk.sync.perSecond)),
                      ComparisonWords::tr("written in order: %1/s").arg(format::bytes(disk.bytesPerSecond))};
    if (!disk.direct)
        words << ComparisonWords::tr("through the page cache");
    if (!disk.tool.empty())
        words << ComparisonWords::tr("measured by %1", "program").arg(qtText(disk.tool));
    const QString on = disk.source.empty() ? qtText(disk.fileSystem) : qtText(disk.source);
    return on.isEmpty() ? words.join(QStringLiteral(", "))
                        : QStringLiteral("%1 (%2)").arg(on, words.join(QStringLiteral(", ")));
}

} // namespace

RunFacts runFacts(const std::vector<StoredSession>& sessions)
{
    RunFacts facts;
    facts.fewestRepeats = std::numeric_limits<int>::max();
    for (const StoredSession& session : sessions) {
        const RunCounts counts = countRuns(session);
        facts.planned += counts.planned;
        facts.failed += counts.failed + counts.cut;
        facts.skipped += counts.skipped + counts.stopped;
        if (session.info.status == RunStatus::Cut) {
            facts.cut = true;
            facts.cutReason = qtText(session.info.reason);
        }
        for (const std::string& part : session.damage)
            facts.damage += qtText(part);
        std::map<int, int> repeats;
        for (const StoredRun& run : session.runs) {
            int& count = repeats[run.header.point];
            if (run.summary.status == RunStatus::Done) {
                ++facts.runs;
                ++count;
                facts.judged += run.summary.origin.empty() ? 1 : 0;
            }
            if (facts.notAsPlanned.isEmpty())
                facts.notAsPlanned = qtText(missedExpectation(session, run));
            if (run.summary.clientLimited && !facts.clientLimited) {
                facts.clientLimited = true;
                facts.clientReason = qtText(run.summary.clientReason);
            }
        }
        for (const auto& [point, count] : repeats) {
            if (count == 0)
                continue; // it failed or was skipped, which has a chip of its own
            facts.fewestRepeats = std::min(facts.fewestRepeats, count);
            facts.mostRepeats = std::max(facts.mostRepeats, count);
        }
    }
    if (facts.fewestRepeats > facts.mostRepeats)
        facts.fewestRepeats = facts.mostRepeats;
    return facts;
}

std::vector<std::pair<QString, QString>> setupFacts(const Comparison& comparison)
{
    std::vector<std::pair<QString, QString>> rows;
    const auto add = [&](const QString& name, auto&& value) {
        QStringList values;
        for (const StoredSession& session : comparison.sessions) {
            const QString text = value(session);
            if (!text.isEmpty() && !values.contains(text))
                values += text;
        }
        if (!values.isEmpty())
            rows.emplace_back(name, values.join(QStringLiteral(" / ")));
    };
    using S = const StoredSession&;
    // Of what another tool measured the plan only says what the file said: no target, load, order or seed.
    const auto addOwn = [&add](const QString& name, auto&& value) {
        add(name, [&value](S s) { return isImported(s) ? QString() : value(s); });
    };
    add(ComparisonWords::tr("Product"), [](S s) { return productOf(s); });
    addOwn(ComparisonWords::tr("Target"), [](S s) { return qtText(targetText(s.header.plan.target)); });
    add(ComparisonWords::tr("Connection"), [](S s) {
        for (const StoredRun& run : s.runs) {
            if (!run.header.server.transport.empty()) {
                return run.header.server.cipher.empty() ? qtText(run.header.server.transport)
                                                        : qtText(run.header.server.transport) % QStringLiteral(", ") %
                                                              qtText(run.header.server.cipher);
            }
        }
        return QString();
    });
    add(ComparisonWords::tr("Workload"), [](S s) { return qtText(s.header.plan.workload.name); });
    add(ComparisonWords::tr("Parameters"), [](S s) { return settingsText(s.header.plan.workload.params); });
    add(ComparisonWords::tr("Base settings"), [](S s) { return settingsText(s.header.plan.set); });
    add(ComparisonWords::tr("Data size"), [](S s) {
        std::uint64_t most = 0;
        for (const StoredRun& run : s.runs)
            most = std::max(most, settingOf(s, run).dataBytes);
        return most ? format::bytes(double(most)) : QString();
    });
    addOwn(ComparisonWords::tr("Each run"), [](S s) { return ofLoads(s, eachRun); });
    addOwn(ComparisonWords::tr("Phases"), [](S s) { return ofLoads(s, phasesOfLoad); });
    addOwn(ComparisonWords::tr("Repeats"), [](S s) -> QString {
        return format::count(s.header.plan.load.repeats) % QStringLiteral(", ") % orderText(s.header.plan.load.order);
    });
    for (std::size_t i = 0; i < comparison.drifts.size(); ++i) {
        if (comparison.drifts[i].tested())
            rows.emplace_back(ComparisonWords::tr("Drift of throughput"), qtText(toText(comparison.drifts[i])));
    }
    if (ranApart(comparison.sessions)) {
        rows.emplace_back(
            ComparisonWords::tr("Sessions"),
            ComparisonWords::tr("one after the other, not interleaved, so time itself may explain a difference"));
    }
    addOwn(ComparisonWords::tr("Seed"),
           [](S s) { return ofLoads(s, [](const LoadProfile& load) { return QString::number(load.seed); }); });
    add(ComparisonWords::tr("Load generator"), [](S s) { return qtText(s.header.host.name); });
    add(ComparisonWords::tr("Processor"), [](S s) {
        return s.header.host.cpu.empty() && s.header.host.cores == 0
                   ? QString()
                   : ComparisonWords::tr("%1, %n core(s)", nullptr, s.header.host.cores).arg(qtText(s.header.host.cpu));
    });
    add(ComparisonWords::tr("Memory"),
        [](S s) { return s.header.host.memoryBytes ? format::bytes(double(s.header.host.memoryBytes)) : QString(); });
    add(ComparisonWords::tr("Disk"), [](S s) {
        QStringList disks;
        for (const DeviceFigures& disk : disksOf(s))
            disks << diskWords(disk);
        return disks.join(QStringLiteral("; "));
    });
    add(ComparisonWords::tr("Operating system"), [](S s) {
        QStringList parts{qtText(s.header.host.os), qtText(s.header.host.kernel)};
        parts.removeAll(QString());
        return parts.join(QStringLiteral(", "));
    });
    add(ComparisonWords::tr("Measured by"), [](S s) { return qtText(s.header.software); });
    add(ComparisonWords::tr("Imported from"), [](S s) {
        const QString source = qtText(s.header.plan.source); // "imported: FILE and 2 more"
        return isImported(s) ? source.section(QStringLiteral(": "), 1) : QString();
    });
    return rows;
}

QString subtitleOf(const Comparison& comparison)
{
    if (comparison.sessions.empty())
        return {};
    const RunFacts facts = runFacts(comparison.sessions);
    QStringList parts;
    if (comparison.sessions.size() == 1) {
        const StoredSession& session = comparison.sessions.front();
        parts += isImported(session) ? ComparisonWords::tr("measured by %1").arg(qtText(session.header.software))
                                     : format::when(session.header.startedMs);
    } else {
        QStringList titles;
        for (const StoredSession& session : comparison.sessions)
            titles += qtText(session.info.title);
        titles.removeDuplicates();
        parts += titles.join(QStringLiteral(" + "));
    }
    QStringList products;
    for (const StoredSession& session : comparison.sessions)
        products += productOf(session);
    products.removeAll(QString());
    products.removeDuplicates();
    if (!products.isEmpty())
        parts += products.join(QStringLiteral(", "));
    const int all = facts.runs + facts.failed;
    QString runs = all == 1 ? ComparisonWords::tr("1 run") : ComparisonWords::tr("%n runs", nullptr, all);
    const LoadProfile& load = comparison.sessions.front().header.plan.load;
    const bool imported = std::ranges::any_of(comparison.sessions, isImported);
    if (facts.mostRepeats > 1)
        runs += QStringLiteral(", ") % ComparisonWords::tr("%n repeats", nullptr, facts.mostRepeats);
    if (facts.mostRepeats > 1 && !imported)
        runs += QStringLiteral(", ") % orderText(load.order);
    parts += runs;
    if (!imported && facts.failed == 0 && !facts.cut && facts.damage.isEmpty() && facts.runs == facts.planned)
        parts += ComparisonWords::tr("all done");
    return parts.join(QStringLiteral(" · "));
}

} // namespace dyno
