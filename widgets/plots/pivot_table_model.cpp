// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/pivot_table_model.h"
#include "plots/plot_card.h"
#include "plots/plot_style.h"

#include "format.h"
#include "plots/pivot_gaps.h"
#include "plots/series_labels.h"
#include "qt_text.h"
#include <dyno/export.h>

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace dyno {

namespace {

//! Without the sign: of an interval, whose ends are no more exact than the ratio itself.
QString bareRatio(double value)
{
    return format::ratio(value).remove(QChar(0x00D7));
}

QString percentText(double fraction)
{
    const double percent = 100 * fraction;
    return format::number(percent, std::fabs(percent) >= 99.95 ? 0 : 1);
}

int positionOf(const std::vector<std::string>& list, const std::string& label)
{
    const auto it = std::find(list.begin(), list.end(), label);
    return it == list.end() ? int(list.size()) : int(it - list.begin());
}

//! In a table there is room to say it all.
QString gapWords(Gap gap)
{
    return gap == Gap::NotRun ? PivotTableModel::tr("no complete run") : gapText(gap);
}

//! By which rule the figures of the points come from their runs, for the second line of a header: "mean of 3",
//! "merged"; "" where each has one run. `merged`: of a cell.
template<class Merged>
QString ruleText(const Pivot& pivot, Centre centre, Merged merged)
{
    std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
    int several = 0, together = 0;
    for (const PivotCell& cell : pivot.cells) {
        const std::size_t runs = cell.estimate.runs.size();
        if (runs == 0)
            continue;
        fewest = std::min(fewest, runs);
        most = std::max(most, runs);
        several += runs > 1 ? 1 : 0;
        together += runs > 1 && merged(cell) ? 1 : 0;
    }
    if (several == 0)
        return {};
    const QString runs = fewest == most ? QString::number(most) : QStringLiteral("%1–%2").arg(fewest).arg(most);
    if (centre == Centre::Median)
        return PivotTableModel::tr("median of %1", "runs").arg(runs);
    if (together == 0)
        return PivotTableModel::tr("mean of %1", "runs").arg(runs);
    return together == several ? PivotTableModel::tr("merged", "the times of all runs")
                               : PivotTableModel::tr("merged or mean", "the times of all runs, or of the runs");
}

//! A header whose second line is not empty.
QString twoLines(const QString& first, const QString& second)
{
    return second.isEmpty() ? first : QString(first % QLatin1Char('\n') % second);
}

constexpr std::string_view kByteRate = "bytes/s"; //!< unit of a measure
constexpr QLatin1String kPerSecond("/s");

QString csvNumber(std::optional<double> value)
{
    return value ? QString::number(*value, 'g', 8) : QString();
}

} // namespace

QString measureText(double value, const MeasureInfo* measure)
{
    if (!measure)
        return format::rate(value);
    if (measure->unit == "ms")
        return format::time(value);
    if (measure->unit == "bytes")
        return format::bytes(value);
    if (measure->unit == kByteRate)
        return format::bytes(value) % kPerSecond;
    return format::rate(value);
}

QString setAxisUnit(PlotCard& card, const MeasureInfo& measure, double lowest, double highest)
{
    const bool times = measure.unit == "ms";
    const bool rate = measure.unit == kByteRate;
    const double bytes = rate || measure.unit == "bytes" ? byteUnitOf(highest) : 0;
    card.setByteUnit(bytes);
    card.setTimeUnit(times ? std::optional(axisTimeUnit(lowest, highest, card.isLogY())) : std::nullopt);
    if (times)
        return card.timeUnitName();
    // On a logarithmic axis each label has its own.
    if (!(bytes > 1) || card.isLogY())
        return qtText(measure.unit);
    return format::bytes(bytes).section(QChar(0x00A0), 1) % (rate ? kPerSecond : QLatin1String());
}

PivotTableModel::PivotTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void PivotTableModel::setPivot(const Pivot& pivot)
{
    beginResetModel();
    m_pivot = pivot;
    m_rows.clear();
    const std::vector<std::string> facets = drawnFacets(m_pivot);
    std::map<std::string, std::vector<std::size_t>> places; // as the charts have them
    for (const std::string& facet : facets)
        places[facet] = placesOf(m_pivot, facet).xs;
    for (const PivotCell& cell : m_pivot.cells) {
        const auto facet = places.find(cell.facet);
        const auto x = std::size_t(positionOf(m_pivot.xs, cell.x));
        const bool drawn = facet != places.end() && std::ranges::find(facet->second, x) != facet->second.end();
        if (!drawn && gapOf(m_pivot, &cell) == Gap::NotDone)
            continue; // an operation that none of these runs has
        m_rows.push_back({&cell, positionOf(m_pivot.series, cell.series), positionOf(m_pivot.xs, cell.x),
                          positionOf(m_pivot.facets, cell.facet)});
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.facet, a.x, a.series) < std::tie(b.facet, b.x, b.series);
    });
    endResetModel();
}

int PivotTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PivotTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant PivotTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_rows.size()))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return toolTip(row);
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case Qt::AccessibleTextRole:
        return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole)
                           .toString()
                           .replace(QLatin1Char('\n'), QLatin1String(", ")) %
                       QStringLiteral(": ") % text(row, index.column()).toString());
    case SortRole:
        return sortKey(row, index.column());
    case SeriesRole:
        return seriesColor(m_pivot, row.series);
    case VerdictRole:
        return int(row.cell->ratio.verdict);
    case XRole:
        return qtText(row.cell->x);
    case SeriesNameRole:
        return qtText(row.cell->series);
    case FacetRole:
        return qtText(row.cell->facet);
    case LimitedRole:
        return row.cell->clientLimited || row.cell->failedRuns > 0 || row.cell->skippedRuns > 0 ||
               row.cell->damagedRuns > 0 || !row.cell->shortRuns.empty();
    default:
        return {};
    }
}

//! Words to the left, numbers to the right.
int PivotTableModel::alignmentOf(int column) const
{
    const bool words = column == Case || column == Facet || column == VerdictText ||
                       (column == X && (!m_pivot.numericX || m_pivot.series.size() < 2));
    return int((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

QVariant PivotTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(section);
    const MeasureInfo measure = m_pivot.measure();
    const bool median = m_pivot.request.centre == Centre::Median;
    const RelativeTo relative = m_pivot.request.relativeTo;
    if (role == Qt::ToolTipRole) {
        if (section == Value) {
            const bool merged =
                std::ranges::any_of(m_pivot.cells, [](const PivotCell& cell) { return cell.estimate.merged; });
            return (median   ? tr("%1 in %2: median of the complete runs", "measure, unit")
                    : merged ? tr("%1 in %2, of all transactions of the complete runs together", "measure, unit")
                             : tr("%1 in %2: mean of the complete runs", "measure, unit"))
                .arg(measureLabel(m_pivot), qtText(measure.unit));
        }
        return section == RatioValue
                   ? (relative == RelativeTo::Best ? tr("Share of the best figure of the chart")
                      : median ? tr("Median divided by the baseline's median in the same row of the chart")
                               : tr("Mean divided by the baseline's mean in the same row of the chart"))
               : section == Interval
                   ? (median ? tr("Medians have no interval")
                      : m_pivot.paired
                          ? tr("95 % interval of the ratio, from pairs of interleaved runs (t of the logarithms)")
                          : tr("95 % interval of the ratio, from repeated runs (Welch's t on logarithms)"))
               : section == P95 ? p95Tip()
                                : QString();
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Case:
        return m_pivot.request.series.empty() ? tr("Case") : qtText(m_pivot.request.series);
    case Facet:
        return qtText(m_pivot.request.facet);
    case X:
        return qtText(m_pivot.request.x);
    case Value:
        return twoLines(measureLabel(m_pivot), ruleText(m_pivot, m_pivot.request.centre,
                                                        [](const PivotCell& cell) { return cell.estimate.merged; }));
    case RatioValue:
        return relative == RelativeTo::Best       ? tr("Of the best")
               : relative == RelativeTo::Baseline ? tr("Of the baseline")
                                                  : tr("Ratio");
    case Interval:
        return tr("95 % interval");
    case P95:
        // "time" has no room in a small window.
        return twoLines(m_pivot.responseTimes ? tr("p95 response") : tr("p95 service"),
                        ruleText(m_pivot, Centre::Mean, [](const PivotCell& cell) { return cell.p95Merged; }));
    case Runs:
        return tr("Runs");
    case VerdictText:
        return tr("Verdict");
    default:
        return {};
    }
}

QString PivotTableModel::p95Tip() const
{
    const QString what = m_pivot.responseTimes
                             ? tr("95th percentile of the time from a transaction's arrival to its end")
                             : tr("95th percentile of the service time of transactions");
    const bool several =
        std::ranges::any_of(m_pivot.cells, [](const PivotCell& cell) { return cell.estimate.runs.size() > 1; });
    return several ? tr("%1, of all transactions of the complete runs together where their times are stored").arg(what)
                   : what;
}

QString PivotTableModel::verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Baseline:
        return tr("baseline");
    case Verdict::Better:
        return tr("better");
    case Verdict::Worse:
        return tr("worse");
    case Verdict::NoDifferenceShown:
        return tr("no difference shown");
    case Verdict::TooFewRuns:
        return tr("too few runs to tell");
    case Verdict::Untested:
        return tr("not tested");
    case Verdict::Differs:
        return tr("differs");
    }
    return {};
}

QString PivotTableModel::measureLabel(const MeasureInfo& measure)
{
    const auto [base, part] = splitMeasure(measure.id);
    if (!part.empty() && (base == "rows" || base == "exit_rate")) {
        const QString rows = format::count(qtText(part).toLongLong());
        return base == "rows" ? tr("Row rate of the last %1 rows").arg(rows)
                              : tr("Exit velocity, last %1 rows").arg(rows);
    }
    // The engine speaks English; translators add "Measure" entries for the labels it knows.
    return QCoreApplication::translate("Measure", measure.label.c_str());
}

QString PivotTableModel::measureLabel(const Pivot& pivot)
{
    const QString currency = qtText(pivot.currency);
    if (!currency.isEmpty() && pivot.request.measure == "tx_per_cost")
        return tr("Transactions per %1", "currency").arg(currency);
    if (!currency.isEmpty() && pivot.request.measure == "ops_per_cost")
        return tr("Operations per %1", "currency").arg(currency);
    return measureLabel(pivot.measure());
}

int PivotTableModel::seriesColor(const Pivot& pivot, int series)
{
    const QStringList axes = qtText(pivot.request.series).split(QStringLiteral(" × "));
    if (pivot.ratios || !axes.contains(qtText(std::string(kSpreadAxis))))
        return series;
    std::vector<QString> names; // without the part that says which of the three it is
    for (int i = 0; i < int(pivot.series.size()); ++i) {
        QStringList parts = qtText(pivot.series[std::size_t(i)]).split(QStringLiteral(", "));
        int round = 0;
        for (const QString& part : parts)
            round = part == QStringLiteral("min") ? 1 : part == QStringLiteral("max") ? 2 : round;
        for (const char* part : {"min", "mean", "max"})
            parts.removeOne(QLatin1String(part));
        const QString name = parts.join(QStringLiteral(", "));
        const auto at = std::find(names.begin(), names.end(), name);
        const int color = int(at - names.begin());
        if (at == names.end())
            names.push_back(name);
        if (i == series)
            return color + 6 * round;
    }
    return series;
}

QString PivotTableModel::shownLabel(const Pivot& pivot)
{
    const QString label = measureLabel(pivot);
    switch (pivot.request.relativeTo) {
    case RelativeTo::Best:
        return tr("%1, % of the best", "measure").arg(label);
    case RelativeTo::Baseline:
        return tr("%1, % of %2", "measure, baseline").arg(label, qtText(pivot.request.baseline));
    case RelativeTo::Nothing:
        break;
    }
    return label;
}

QString PivotTableModel::facetLabel(const std::string& axes, const std::string& facet)
{
    return casesWords(qtText(axes), qtText(facet));
}

QStringList PivotTableModel::facetParts(const std::string& axes, const std::string& facet, const std::string& without)
{
    if (facet.empty())
        return {};
    const QStringList names = qtText(axes).split(QStringLiteral(" × "));
    QStringList parts = qtText(facet).split(QStringLiteral(", "));
    const qsizetype at = names.indexOf(qtText(without));
    if (parts.size() != names.size())
        return {qtText(facet)};
    for (qsizetype i = 0; i < parts.size(); ++i)
        parts[i] = caseWords(names[i], parts[i]);
    if (at >= 0)
        parts.removeAt(at);
    return parts;
}

QVariant PivotTableModel::text(const Row& row, int column) const
{
    const PivotCell& cell = *row.cell;
    const bool any = !cell.estimate.runs.empty();
    const bool percent = m_pivot.request.relativeTo != RelativeTo::Nothing;
    const MeasureInfo measure = m_pivot.measure(); // a counter has a unit of its own
    const QString none = QStringLiteral("–");
    switch (column) {
    case Case:
        return cell.series.empty() ? tr("all runs") : qtText(cell.series);
    case Facet:
        return qtText(cell.facet);
    case X:
        return qtText(cell.x);
    case Value:
        return any ? measureText(centreOf(cell), &measure) : none;
    case RatioValue:
        if (!any || !(cell.ratio.value > 0))
            return none;
        return percent ? tr("%1 %").arg(format::number(100 * cell.ratio.value, 1)) : format::ratio(cell.ratio.value);
    case Interval:
        if (const auto low = cell.ratio.shownLow(), high = cell.ratio.shownHigh();
            low && high && cell.ratio.verdict != Verdict::Baseline) {
            return percent ? QStringLiteral("[%1, %2] %").arg(percentText(*low), percentText(*high))
                           : QStringLiteral("[%1, %2]").arg(bareRatio(*low), bareRatio(*high));
        }
        return none;
    case P95:
        return any ? format::time(cell.p95Ms) : none;
    case Runs:
        return runsText(cell);
    case VerdictText:
        if (cell.noPrice)
            return tr("no price given");
        if (any && m_pivot.request.relativeTo == RelativeTo::Best && cell.ratio.verdict == Verdict::Baseline)
            return tr("the best");
        return any ? verdictText(cell.ratio.verdict) : gapWords(gapOf(m_pivot, &cell));
    default:
        return {};
    }
}

QString PivotTableModel::runsText(const PivotCell& cell)
{
    QString text = format::count(qint64(cell.estimate.runs.size()));
    if (!cell.shortRuns.empty())
        text = tr("%1 + %2 short", "runs: counted, that did not do all")
                   .arg(text, format::count(qint64(cell.shortRuns.size())));
    if (cell.failedRuns > 0)
        text = tr("%1 + %2 failed", "runs").arg(text, format::count(cell.failedRuns));
    if (cell.damagedRuns > 0)
        text = tr("%1 + %2 damaged", "runs").arg(text, format::count(cell.damagedRuns));
    return cell.skippedRuns == 0 ? text : tr("%1 + %2 skipped", "runs").arg(text, format::count(cell.skippedRuns));
}

double PivotTableModel::centreOf(const PivotCell& cell) const
{
    return m_pivot.request.centre == Centre::Median ? cell.estimate.median : cell.estimate.mean;
}

QVariant PivotTableModel::sortKey(const Row& row, int column) const
{
    const PivotCell& cell = *row.cell;
    const double last = std::numeric_limits<double>::max();
    const bool any = !cell.estimate.runs.empty();
    switch (column) {
    case Case:
        return row.series;
    case Facet:
        return row.facet;
    case X:
        return row.x;
    case Value:
        return any ? centreOf(cell) : last;
    case RatioValue:
        return any ? cell.ratio.value : last;
    case Interval:
        return cell.ratio.shownLow().value_or(last);
    case P95:
        return any ? cell.p95Ms : last;
    case Runs:
        return qlonglong(cell.estimate.runs.size());
    case VerdictText:
        return int(cell.ratio.verdict);
    default:
        return {};
    }
}

QString PivotTableModel::toolTip(const Row& row) const
{
    const PivotCell& cell = *row.cell;
    const MeasureInfo info = m_pivot.measure(), *measure = &info;
    QStringList lines;
    QStringList place;
    for (const std::string& part : {cell.series, cell.facet, cell.x}) {
        if (!part.empty())
            place += qtText(part).toHtmlEscaped();
    }
    lines += QStringLiteral("<b>%1</b>").arg(place.join(QStringLiteral(" · ")));
    if (!cell.estimate.runs.empty()) {
        QStringList runs;
        for (const double run : cell.estimate.runs)
            runs += measureText(run, measure);
        lines += tr("Runs: %1").arg(runs.join(QStringLiteral(" · ")));
        if (const auto marked = std::count(cell.outliers.begin(), cell.outliers.end(), true); marked > 0)
            lines += tr("Outliers: %1 (modified z-score above 3.5)").arg(marked);
        if (cell.ratio.pairs > 0)
            lines += tr("Ratio of %n pairs: the runs were interleaved", nullptr, cell.ratio.pairs);
        if (cell.ratio.comparisons > 1) {
            lines += tr("One of %n comparisons: the verdict allows for their number (Holm's method), and the 95 % "
                        "intervals of the ratios hold for all of them together",
                        nullptr, cell.ratio.comparisons);
        }
        if (m_pivot.request.centre == Centre::Median)
            lines += tr("Median %1").arg(measureText(cell.estimate.median, measure));
        if (cell.estimate.low && cell.estimate.high) {
            lines += (cell.estimate.merged ? tr("All transactions together %1, 95 % interval %2 – %3 (from the runs)")
                                           : tr("Mean %1, 95 % interval %2 – %3 (Student's t)"))
                         .arg(measureText(cell.estimate.mean, measure), measureText(*cell.estimate.low, measure),
                              measureText(*cell.estimate.high, measure));
        } else {
            lines += tr("One run only: an interval needs two repeats or more");
        }
    }
    if (cell.noPrice)
        lines += tr("The target has no price: give its cost per hour, or its watts, on the Plan page");
    for (const std::string& text : cell.shortRuns)
        lines += tr("Excluded, incomplete: %1", "a run").arg(qtText(text).toHtmlEscaped());
    if (cell.failedRuns > 0)
        lines += cell.failedRuns == 1 ? tr("1 run failed and is excluded")
                                      : tr("%n runs failed and are excluded", nullptr, cell.failedRuns);
    if (cell.damagedRuns > 0)
        lines += cell.damagedRuns == 1
                     ? tr("1 run is damaged in the file and is excluded")
                     : tr("%n runs are damaged in the file and are excluded", nullptr, cell.damagedRuns);
    if (cell.skippedRuns > 0)
        lines += cell.skippedRuns == 1
                     ? tr("1 run was skipped or stopped and is excluded")
                     : tr("%n runs were skipped or stopped and are excluded", nullptr, cell.skippedRuns);
    if (cell.clientLimited)
        lines += tr("The load generator was the limit: the target may be faster than this");
    return QStringLiteral("<p>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

QString PivotTableModel::csv() const
{
    const MeasureInfo measure = m_pivot.measure();
    const bool median = m_pivot.request.centre == Centre::Median;
    const QString unit = !measure.unit.empty() ? QStringLiteral(" [%1]").arg(qtText(measure.unit)) : QString();
    QStringList header{m_pivot.request.series.empty() ? QStringLiteral("case") : qtText(m_pivot.request.series)};
    if (!m_pivot.request.facet.empty())
        header += qtText(m_pivot.request.facet);
    header += qtText(m_pivot.request.x);
    for (const char* name : {toText(m_pivot.request.centre), "low", "high"})
        header += qtText(m_pivot.request.measure) % QLatin1Char(' ') % QLatin1String(name) % unit;
    for (const char* name : {"ratio", "ratio low", "ratio high", "p95 [ms]", "runs", "failed runs",
                             "verdict"}) // newer ones at the end: the others stay where they were
        header += QLatin1String(name);
    const RelativeTo relative = m_pivot.request.relativeTo;
    if (relative != RelativeTo::Nothing)
        header +=
            relative == RelativeTo::Best ? QStringLiteral("of the best [%]") : QStringLiteral("of the baseline [%]");
    header += {QStringLiteral("p95 is of"), QStringLiteral("skipped runs"), QStringLiteral("damaged runs")};
    QString all;
    const auto addLine = [&all](QStringList fields) {
        for (QString& field : fields)
            field = qtText(csvField(field.toStdString()));
        all += fields.join(QLatin1Char(',')) % QLatin1Char('\n');
    };
    addLine(header);
    for (const Row& row : m_rows) {
        const PivotCell& cell = *row.cell;
        const bool any = !cell.estimate.runs.empty();
        QStringList fields{qtText(cell.series)};
        if (!m_pivot.request.facet.empty())
            fields += qtText(cell.facet);
        fields += qtText(cell.x);
        fields += any ? csvNumber(centreOf(cell)) : QString();
        fields += median ? QString() : csvNumber(cell.estimate.low); // intervals are of the mean
        fields += median ? QString() : csvNumber(cell.estimate.high);
        fields += any ? csvNumber(cell.ratio.value) : QString();
        fields += csvNumber(cell.ratio.shownLow());
        fields += csvNumber(cell.ratio.shownHigh());
        fields += any && std::isfinite(cell.p95Ms) ? csvNumber(cell.p95Ms) : QString();
        fields += QString::number(cell.estimate.runs.size());
        fields += QString::number(cell.failedRuns);
        fields += cell.noPrice                      ? QStringLiteral("no price given")
                  : !any && !cell.shortRuns.empty() ? qtText(cell.shortRuns.front())
                                                    : QString::fromLatin1(toText(cell.ratio.verdict));
        if (const double shown = m_pivot.figure(cell).value; relative != RelativeTo::Nothing)
            fields += std::isfinite(shown) ? csvNumber(shown) : QString();
        fields += m_pivot.responseTimes ? QStringLiteral("response time") : QStringLiteral("service time");
        fields += QString::number(cell.skippedRuns);
        fields += QString::number(cell.damagedRuns);
        addLine(fields);
    }
    return all;
}

} // namespace dyno
