// SPDX-License-Identifier: GPL-3.0-or-later
// Runs over time or over changed rows: as lines, or every interval as a dot.
#include "plots/charts.h"

#include "format.h"
#include "plots/time_overlay_plot.h"

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
        constexpr std::size_t kMost = 30;
        ChartFindings findings{CourseWords::tr("Stalls and dips"), {}};
        std::size_t more = 0;
        for (const RunTrace& trace : input.traces) {
            for (const Stall& stall : trace.stalls) {
                if (findings.rows.size() >= kMost) {
                    ++more;
                    continue;
                }
                const QString what = stall.stalled ? CourseWords::tr("stall") : CourseWords::tr("dip");
                const double at = double(stall.tNs) / 1e9;
                const QString when =
                    trace.seconds.back() < 10 ? CourseWords::tr("%1 s").arg(format::number(at, 1)) : format::clock(at);
                findings.rows.emplace_back(QStringLiteral("%1 · %2").arg(when, what),
                                           CourseWords::tr("%1: %2 s, down to %3 of %4/s", "run: length, lowest, usual")
                                               .arg(trace.name, format::number(double(stall.lengthNs) / 1e9, 1),
                                                    format::rate(stall.lowest), format::rate(stall.usual)));
            }
        }
        if (more > 0)
            findings.note = CourseWords::tr("and %1 more").arg(format::count(qint64(more)));
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
            sheet.begin(ChartSheet::Place::Fresh, input.caption);
            for (const RunTrace& trace : input.traces) {
                auto& plot = sheet.add<TracePlot>(TraceValue::Throughput);
                plot.setObjectName(QStringLiteral("tracePlot"));
                plot.setLogY(input.logY);
                plot.setTraces({trace}, input.which, look);
                if (!input.overRows)
                    showPart(plot, input.from, input.to);
                plot.setTitle(trace.name); // what tells the charts apart comes first
            }
            return;
        }
        sheet.begin(ChartSheet::Place::Whole, input.caption);
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
