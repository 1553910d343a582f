// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A kind of chart (View::chart) as the window draws it, and the registry of them. A chart is a class in a file of its
//! own, a row in chart_kinds.cpp of the engine, and a line in charts.cpp. Page, pictures, posts and views ask the
//! registry.
#pragma once

#include "plots/chart_sheet.h"
#include "plots/trace_plot.h"

#include <dyno/chart_kinds.h>
#include <dyno/report.h>

#include <limits>
#include <memory>
#include <optional>

namespace dyno {

//! What a chart needs beyond the pivot; each that needs some derives its own.
struct ChartData
{
    virtual ~ChartData() = default;
};
using ChartDataPtr = std::shared_ptr<const ChartData>;

//! What a chart draws. References live as long as it draws.
struct ChartInput
{
    const std::vector<StoredSession>& sessions;
    const Pivot& pivot;
    ChartDataPtr data = {}; //!< from Chart::workOut()
    //! Of charts of intervals: the runs, and which they are in words.
    const std::vector<RunTrace>& traces;
    QString which = {};

    ExportWords words = {};               //!< around exported pictures
    const Published* published = nullptr; //!< laid over the chart
    bool logX = false, logY = false;
    bool logOpen = false;    //!< nobody has chosen: see ChartKind::logByItself
    bool overRows = false;   //!< View::over
    bool each = false;       //!< a card per run instead of all runs in one
    double from = 0, to = 0; //!< View::from and View::to
};

//! Words that stand in place of a chart.
struct ChartMessage
{
    QString title, text;
};

//! What a chart tells besides its picture: name and text of each row, in words.
struct ChartFindings
{
    QString title;
    std::vector<std::pair<QString, QString>> rows;
    QString note = {};
};

//! Has no state; one of each kind lives as long as the program. GUI thread, but for workOut().
class Chart
{
public:
    explicit Chart(std::string_view id); //!< of chartKinds(); ends the program when there is no such kind
    virtual ~Chart() = default;
    Chart(const Chart&) = delete;
    Chart& operator=(const Chart&) = delete;

    [[nodiscard]] const ChartKind& kind() const { return *m_kind; }
    [[nodiscard]] const std::string& id() const { return m_kind->id; }
    [[nodiscard]] QString name() const; //!< translated: "Every run"

    //! True when workOut() gives something, which then is needed to draw.
    [[nodiscard]] virtual bool needsData() const { return false; }
    //! `pivot`: as it is shown, with what its request left open. Any thread.
    [[nodiscard]] virtual ChartDataPtr workOut(const std::vector<StoredSession>& sessions, const Pivot& pivot) const;
    //! What is read of runs, of charts of intervals.
    [[nodiscard]] virtual TraceParts parts() const { return {}; }
    //! More runs than that are not drawn, of charts of intervals.
    [[nodiscard]] virtual std::size_t mostTraces() const { return std::numeric_limits<std::size_t>::max(); }

    //! The measure that is drawn; the pivot's own unless the chart has one.
    [[nodiscard]] virtual std::string measure(const Pivot& pivot, const ChartData* data) const;
    //! The chart that suits the figures as long as nobody has chosen one; `asked`: what the plan asks for, "" =
    //! nothing.
    [[nodiscard]] virtual const Chart& suited(const Pivot& pivot, const std::string& asked) const;
    //! Why there is nothing to draw, and what to do; nothing when there is.
    [[nodiscard]] virtual std::optional<ChartMessage> whyNot(const ChartInput& input) const;
    //! Puts the cards on the sheet. They are exported as they are drawn: see plots/export.h and PlotCard::table().
    void draw(const ChartInput& input, ChartSheet& sheet) const;
    [[nodiscard]] virtual ChartFindings findings(const ChartInput& input) const;

protected:
    //! Calls ChartSheet::begin(), then add() for each card.
    virtual void drawOn(ChartSheet& sheet, const ChartInput& input) const = 0;

private:
    const ChartKind* m_kind;
};

//! The registry, in the order of chartKinds(): one of each.
[[nodiscard]] const std::vector<const Chart*>& charts();
//! That of lines for a word that names none, which a later version may have written.
[[nodiscard]] const Chart& chartOf(std::string_view id);

} // namespace dyno
