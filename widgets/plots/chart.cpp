// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/chart.h"

#include "format.h"
#include "plots/comparison.h"

#include <QCoreApplication>

#include <algorithm>

namespace dyno {

namespace {

struct ChartWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::Chart)
};

//! An axis that does not begin at 0 must not be taken for one that does.
void sayLogarithmic(const ChartSheet& sheet, double span)
{
    const QString words = span > kLogSpan ? ChartWords::tr("logarithmic: the figures span %1").arg(format::ratio(span))
                                          : ChartWords::tr("logarithmic");
    for (PlotCard* card : sheet.cards()) {
        if (!card->isLogY())
            continue;
        const QString second = card->secondary();
        card->setSecondary(second %
                           (second.contains(QStringLiteral(" · ")) ? QStringLiteral(" · ")
                            : second.isEmpty()                     ? QString()
                                                                   : QStringLiteral(", ")) %
                           words);
    }
}

} // namespace

Chart::Chart(std::string_view id)
    : m_kind(findChartKind(id))
{
    if (!m_kind)
        qFatal("chart_kinds.cpp has no row for a chart");
}

QString Chart::name() const
{
    return QCoreApplication::translate("Chart", m_kind->label.c_str());
}

ChartDataPtr Chart::workOut(const std::vector<StoredSession>&, const Pivot&) const
{
    return {};
}

std::string Chart::measure(const Pivot& pivot, const ChartData*) const
{
    return pivot.request.measure;
}

const Chart& Chart::suited(const Pivot&, const std::string&) const
{
    return *this;
}

std::optional<ChartMessage> Chart::whyNot(const ChartInput& input) const
{
    const auto hasFigures = [](const PivotCell& cell) { return !cell.estimate.runs.empty(); };
    const auto hasRuns = [](const StoredSession& session) { return !session.runs.empty(); };
    // Intervals are there of runs that failed, too.
    const bool any = m_kind->intervals ? std::ranges::any_of(input.sessions, hasRuns)
                                       : std::ranges::any_of(input.pivot.cells, hasFigures);
    if (any)
        return {};
    const RunFacts facts = runFacts(input.sessions);
    if (facts.runs > 0)
        return ChartMessage{
            ChartWords::tr("Not measured in these runs"),
            ChartWords::tr("The target does not report it, or it was not recorded. Choose another measure.")};
    return ChartMessage{
        ChartWords::tr("No complete run to draw"),
        facts.failed > 0 || facts.skipped > 0
            ? ChartWords::tr("No run is complete. What was measured until then is kept: see it over time, or "
                             "replay the session.")
            : ChartWords::tr("The session ended before its first run began.")};
}

void Chart::draw(const ChartInput& input, ChartSheet& sheet) const
{
    ChartInput own = input;
    if (!m_kind->table)
        own.words.verdict.clear(); // it is about figures that this chart does not show
    // Charts beside each other share their scale, which logarithmic ones do not: there it is not taken by itself.
    const bool open = own.logOpen && m_kind->logByItself && own.pivot.facets.size() < 2;
    double span = open ? spanOf(own.pivot, m_kind->summary ? SpanOf::Figures : SpanOf::Runs) : 0;
    if (open && own.published && m_kind->summary)
        span = std::max(span, spanWith(own.pivot, *own.published));
    own.logY = own.logY || span > kLogSpan;
    drawOn(sheet, own);
    if (own.logY)
        sayLogarithmic(sheet, span);
    sheet.end();
}

ChartFindings Chart::findings(const ChartInput&) const
{
    return {};
}

} // namespace dyno
