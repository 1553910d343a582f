// SPDX-License-Identifier: GPL-3.0-or-later
// Runs over time or over changed rows: as lines, or every interval as a dot.
#include "plots/chart.h"

#include "format.h"
#include "plots/crosshair_group.h"
#include "plots/stall_words.h"
#include "plots/time_overlay_plot.h"
#include "qt_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dyno {

namespace {

struct CourseWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::CourseChart)
};

class CourseChart : public Chart
{
public:
    CourseChart(std::string_view id, bool dots)
        : Chart(id)
        , m_dots(dots)
    {
    }

    [[nodiscard]] ChartFindings findings(const ChartInput& input) const override
    {
        ChartFindings findings{CourseWords::tr("Within the runs"), {}};
        addSpread(findings, input.traces);
        addStalls(findings, input.traces);
        addMissing(findings, input.traces);
        return findings;
    }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        TracePlot::Look look;
        look.dots = m_dots;
        look.overRows = input.overRows;
        if (input.each) {
            look.top = TracePlot::topOf(input.traces, TraceValue::Throughput);
            look.bottom = TracePlot::bottomOf(input.traces, TraceValue::Throughput);
            sheet.begin(ChartSheet::Place::Fresh, input.words);
            for (const RunTrace& trace : input.traces) {
                auto& plot = sheet.add<TracePlot>(TraceValue::Throughput);
                plot.setObjectName(QStringLiteral("tracePlot"));
                plot.setLogY(input.logY);
                plot.setTraces({trace}, input.which, look);
                if (!input.overRows)
                    showPart(plot, input.from, input.to);
                plot.setTitle(nameOf(trace)); // what tells the charts apart comes first
            }
            return;
        }
        if (const QStringList facets = facetsOf(input.traces); facets.size() > 1)
            return drawMultiples(sheet, input, facets, look);
        sheet.begin(ChartSheet::Place::Whole, input.words);
        auto& both = sheet.add<TimeOverlayPlot>();
        for (TracePlot* plot : {&both.throughput(), &both.latency()}) {
            sheet.addCard(*plot);
            plot->setLogY(input.logY);
        }
        both.setTraces(input.traces, input.which, look);
        if (!input.overRows)
            showPart(both.throughput(), input.from, input.to); // and with it the other
    }

private:
    static QStringList facetsOf(const std::vector<RunTrace>& traces)
    {
        QStringList facets;
        for (const RunTrace& trace : traces)
            facets << trace.facet;
        facets.removeDuplicates();
        return facets;
    }

    //! Small multiples: a card a facet, all with the same axes, that of latency below that of throughput.
    static void drawMultiples(ChartSheet& sheet, const ChartInput& input, const QStringList& facets,
                              TracePlot::Look look)
    {
        for (const RunTrace& trace : input.traces) {
            const std::vector<double>& keys = look.overRows ? trace.rows : trace.seconds;
            look.end = std::max(look.end, keys.empty() ? 0 : keys.back());
            look.warmup = std::max(look.warmup, trace.warmup);
        }
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        constexpr TraceValue kLayers[] = {TraceValue::Throughput, TraceValue::P95};
        sheet.setLayers(int(std::size(kLayers)));
        CrosshairGroup* group = nullptr;
        for (const TraceValue value : kLayers) {
            look.top = TracePlot::topOf(input.traces, value);
            look.bottom = TracePlot::bottomOf(input.traces, value);
            for (const QString& facet : facets) {
                std::vector<RunTrace> own;
                std::ranges::copy_if(input.traces, std::back_inserter(own),
                                     [&facet](const RunTrace& trace) { return trace.facet == facet; });
                auto& plot = sheet.add<TracePlot>(value);
                plot.setObjectName(QStringLiteral("facetPlot"));
                plot.setEndLabelRoom(0); // all have the same labels, and little room
                if (!group)
                    group = new CrosshairGroup(&plot);
                plot.setCrosshairGroup(group);
                plot.setLogY(input.logY);
                plot.setTraces(own, input.which, look);
                if (!input.overRows)
                    showPart(plot, input.from, input.to);
                // What tells the charts apart comes first, and what the values are next: the rest may be cut.
                const QString what = plot.title();
                plot.setAccessibleName(
                    facet.isEmpty() ? what : CourseWords::tr("%1: %2", "facet, what is drawn").arg(facet, what));
                if (facet.isEmpty())
                    continue; // runs that have no such axis
                plot.setTitle(facet);
                plot.setSecondary(dotted({TracePlot::shortTitle(own, value, plot.timeUnitName()),
                                          input.overRows ? CourseWords::tr("over rows") : QString(), input.which}));
                plot.setExportSubject(TracePlot::valueName(own, value));
            }
        }
    }

    //! As few decimals as tell it to 2 %: "1", "0.25".
    static QString secondsText(double seconds)
    {
        constexpr int kMost = 3;
        int decimals = 0;
        for (double scale = 1; decimals < kMost; ++decimals, scale *= 10) {
            if (std::abs(std::round(seconds * scale) / scale - seconds) <= 0.02 * seconds)
                break;
        }
        return format::number(seconds, decimals);
    }

    static void addSpread(ChartFindings& findings, const std::vector<RunTrace>& traces)
    {
        constexpr std::size_t kMost = 12;
        std::size_t told = 0, all = 0;
        double shortest = 0, longest = 0; // stretches: intervals of some runs are longer than a second
        for (const RunTrace& trace : traces) {
            if (!trace.evenness || ++all > kMost)
                continue;
            const Evenness& one = *trace.evenness;
            longest = std::max(longest, one.stretchSeconds);
            shortest = told == 0 ? one.stretchSeconds : std::min(shortest, one.stretchSeconds);
            if (told++ == 0)
                findings.rows.emplace_back(QString(), QString()); // the heading
            findings.rows.emplace_back(nameOf(trace),
                                       CourseWords::tr("%1 – %2/s, ± %3 %", "least, most, deviation")
                                           .arg(format::rate(one.least), format::rate(one.most),
                                                format::number(one.mean > 0 ? 100 * one.deviation / one.mean : 0, 1)));
        }
        if (told == 0)
            return;
        findings.rows.front().first =
            longest - shortest < 0.05 * longest
                ? CourseWords::tr("Minimum – maximum, deviation at %1 s").arg(secondsText(longest))
                : CourseWords::tr("Minimum – maximum, deviation at %1 to %2 s", "shortest, longest stretch")
                      .arg(secondsText(shortest), secondsText(longest));
        if (all > kMost)
            findings.note = CourseWords::tr("The first %1 of %2 runs.")
                                .arg(format::count(qint64(kMost)), format::count(qint64(all)));
    }

    //! A line of a counter that is not there looks like one that was forgotten.
    static void addMissing(ChartFindings& findings, const std::vector<RunTrace>& traces)
    {
        QStringList without;
        for (const RunTrace& trace : traces) {
            if (isOfCounters(trace.measures.amount) &&
                std::ranges::none_of(trace.tps, [](double value) { return std::isfinite(value); }))
                without << nameOf(trace);
        }
        if (!without.isEmpty())
            findings.note += (findings.note.isEmpty() ? QString() : QStringLiteral(" ")) +
                             CourseWords::tr("Without these figures: %1.").arg(without.join(QStringLiteral("; ")));
    }

    static void addStalls(ChartFindings& findings, const std::vector<RunTrace>& traces)
    {
        constexpr std::size_t kMost = 30;
        std::size_t told = 0, more = 0;
        for (const RunTrace& trace : traces) {
            for (const Stall& stall : trace.stalls) {
                if (told >= kMost) {
                    ++more;
                    continue;
                }
                if (told++ == 0)
                    findings.rows.emplace_back(CourseWords::tr("Stalls and dips"), QString());
                const QString length = format::number(double(stall.lengthNs) / 1e9, 1);
                const double at = double(stall.tNs) / 1e9;
                const QString when =
                    trace.seconds.back() < 10 ? CourseWords::tr("%1 s").arg(format::number(at, 1)) : format::clock(at);
                findings.rows.emplace_back(
                    QStringLiteral("%1 · %2").arg(when, stallWord(stall)),
                    stall.isSlow()
                        ? CourseWords::tr("%1: %2 s, p99 up to %3 from %4", "run: length, highest, usual")
                              .arg(nameOf(trace), length, format::time(stall.highestMs), format::time(stall.usualMs))
                        : CourseWords::tr("%1: %2 s, down to %3 of %4/s", "run: length, lowest, usual")
                              .arg(nameOf(trace), length, format::rate(stall.lowest), format::rate(stall.usual)));
            }
        }
        if (more > 0)
            findings.note += (findings.note.isEmpty() ? QString() : QStringLiteral(" ")) +
                             CourseWords::tr("and %1 more").arg(format::count(qint64(more)));
    }

    static QString nameOf(const RunTrace& trace)
    {
        return trace.facet.isEmpty() ? trace.name : QStringLiteral("%1, %2").arg(trace.name, trace.facet);
    }

    bool m_dots;
};

} // namespace

std::unique_ptr<Chart> timeChart()
{
    return std::make_unique<CourseChart>("time", false);
}

std::unique_ptr<Chart> dotsChart()
{
    return std::make_unique<CourseChart>("dots", true);
}

} // namespace dyno
