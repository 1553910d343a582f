// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One session, or several, as a pivot: verdict, chart, ratio table, what differs, how it was run; and its exports.
#pragma once

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "parts/page.h"
#include "plots/chart.h"
#include "plots/comparison.h"

#include <dyno/report.h>

#include <QStringList>

class QBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace dyno {

class Banner;
class CompareChartArea;
class CompareControls;
class CompareExport;
class CompareViews;
class EmptyState;
class FactsCard;
class PageHeader;
class RatioTable;
class VerdictCard;

//! Reads the sessions and works out the figures; its parts show them.
class ComparePage : public Page
{
    Q_OBJECT
public:
    explicit ComparePage(AppContext& context, QWidget* parent = nullptr);
    ~ComparePage() override;

    [[nodiscard]] QString title() const override { return tr("Compare"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("compare"); }
    [[nodiscard]] QString manualPage() const override { return QStringLiteral("window-compare"); }
    void activated() override; //!< shows the newest session when none was chosen yet

    void showSessions(const QStringList& ids);
    [[nodiscard]] QStringList sessionIds() const { return m_ids; }
    [[nodiscard]] const PivotRequest& request() const { return m_request; }
    [[nodiscard]] const Pivot& pivot() const { return m_view.pivot; }
    [[nodiscard]] const Chart& chart() const { return *m_chart; }
    void setChart(std::string_view id); //!< Chart::id()
    //! What is shown now, as a view that can be kept.
    [[nodiscard]] View currentView() const;
    void showView(const View& view);
    void saveView(const QString& name); //!< see CompareViews
    void removeView(const QString& name);
    [[nodiscard]] bool busy() const { return m_worker.busy(); } //!< something is being read or worked out
    //! The card in front: the first facet, or throughput over time; an empty card when none is drawn.
    [[nodiscard]] PlotCard& frontPlot() const;

    // Exports: see CompareExport. Each says in a message where the file is, or in the banner why not.
    void saveTable(const QString& file);
    void saveReport(const QString& file);
    void saveData(const QString& dir);
    void saveSessions(const QString& fileOrDir);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildHeader();
    void buildContent();
    void connectParts();
    void load(const QStringList& ids, bool keepRequest);
    void loadNewest();
    void applyComparison(const ComparisonPtr& comparison, bool keepRequest);
    void changeRequest(const PivotRequest& request);
    void recompute();
    void showResult();
    void showChart(); //!< with the pills that matter to it; of intervals, once its runs are read
    void drawChart();
    void loadTraces();
    void showFindings();
    void divide(int rows);
    void fillViews();
    [[nodiscard]] ChartInput chartInput() const;
    [[nodiscard]] std::vector<ReplayPick> replayPicks() const; //!< two runs to be replayed together, or none
    void updateReplay();
    void updateFold();
    void showState(const QString& icon, const QString& title, const QString& text, const QString& button,
                   std::function<void()> action);
    void chooseSession();
    void readOthers(const std::string& query, std::function<void(Expected<std::vector<SessionInfo>>)> done);

    LibraryWorker m_worker;
    QStringList m_ids;
    ComparisonPtr m_comparison;
    PivotRequest m_request;
    PivotView m_view;
    ChartDataPtr m_data; //!< of the chart, for the view
    const Chart* m_chart = &chartOf({});
    bool m_chartChosen = false;                       //!< by the person: then new data does not change it
    double m_from = 0, m_to = 0;                      //!< View::from and to of the view that was chosen
    std::shared_ptr<const IntervalFigures> m_figures; //!< of the measure they say, for the comparison shown
    std::vector<RunTrace> m_traces;
    QString m_which; //!< the traces in words
    int m_loads = 0, m_results = 0, m_traceLoads = 0,
        m_searches = 0; //!< tokens: late results of older requests are dropped
    std::function<void()> m_stateAction;

    PageHeader* m_header;
    Banner* m_banner;
    QStackedWidget* m_root;
    EmptyState* m_state;
    QScrollArea* m_scroll;
    QSplitter* m_left = nullptr; //!< charts over the table
    int m_chartRows = 0;
    bool m_dividedByHand = false;
    VerdictCard* m_verdict;
    QLabel* m_apart; //!< what only one of several sessions has
    CompareControls* m_controls;
    CompareChartArea* m_charts;
    PlotCard* m_blank; //!< in front when no chart is drawn; never shown
    RatioTable* m_table;
    CompareViews* m_views;
    CompareExport* m_export;
    QWidget* m_side;
    QScrollArea* m_sideScroll;
    QBoxLayout* m_sideLayout;
    QBoxLayout* m_columns;
    FactsCard* m_differs;
    FactsCard* m_setup;
    FactsCard* m_findings; //!< what the chart itself tells: stalls, the law's figures
    QPushButton *m_again, *m_replay;
};

} // namespace dyno
