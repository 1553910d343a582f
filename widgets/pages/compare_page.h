// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One session, or several, as a pivot: verdict, chart, ratio table, what differs, how it was run; and its exports.
#pragma once

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "models/comparison.h"
#include "pages/page.h"
#include "plots/time_overlay_plot.h"

#include <dyno/report.h>

#include <QStringList>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QMenu;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace dyno {

class Banner;
class ChoicePill;
class EmptyState;
class FactsCard;
class FlowLayout;
class PageHeader;
class PivotPlot;
class RatioTable;
class TimeOverlayPlot;
class VerdictCard;

class ComparePage : public Page
{
    Q_OBJECT
public:
    //! How the chart area is drawn.
    enum class ChartKind { Lines, Bars, Runs, Scaling, Latency, Time, Dots, Percentiles, Heat };

    explicit ComparePage(AppContext& context, QWidget* parent = nullptr);
    ~ComparePage() override;

    [[nodiscard]] QString title() const override { return tr("Compare"); }
    [[nodiscard]] QString iconName() const override { return QStringLiteral("compare"); }
    void activated() override; //!< shows the newest session when none was chosen yet

    void showSessions(const QStringList& ids);
    [[nodiscard]] QStringList sessionIds() const { return m_ids; }
    [[nodiscard]] const PivotRequest& request() const { return m_request; }
    [[nodiscard]] const Pivot& pivot() const { return m_view.pivot; }
    [[nodiscard]] ChartKind chartKind() const { return m_chart; }
    void setChartKind(ChartKind kind);
    //! What is shown now, as a view that can be kept.
    [[nodiscard]] View currentView() const;
    void showView(const View& view);
    void saveView(const QString& name); //!< kept with the first session; one of the same name is replaced
    void removeView(const QString& name);
    [[nodiscard]] bool busy() const { return m_worker.busy(); } //!< something is being read or worked out
    //! The chart in front: the first facet, or throughput over time.
    [[nodiscard]] PlotCard& frontPlot() const;

    // Exports; each says in a message where the file is, or in the banner why not.
    void saveTable(const QString& file); //!< .md or .csv by suffix
    void saveReport(const QString& file);
    void saveData(const QString& dir);           //!< runs and intervals as CSV
    void saveSessions(const QString& fileOrDir); //!< one session: a .dyno file; several: a folder

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override; //!< as many charts in a row as fit

private:
    void buildHeader();
    QWidget* buildPills();
    void buildContent();
    void buildExportMenu(QMenu* menu);
    void load(const QStringList& ids, bool keepRequest);
    void loadNewest();
    void applyComparison(const ComparisonPtr& comparison, bool keepRequest);
    void changeRequest(const PivotRequest& request);
    void tellMissing();
    void recompute();
    void showResult();
    void showPlots();
    void showPivotPlots();
    void setChartRows(int rows);
    void showCards();  //!< the charts that are one card a facet, beside lines and bars
    void showTraces(); //!< of the runs that loadTraces() has read
    void showFacts();
    void fillPills();
    void fillMeasures();
    void fillViews();
    void fillPublished();
    void fillHolds();
    void updateMore();
    void rearrange(); //!< as many charts in a row as fit, or as were chosen
    void chooseView(const QString& id);
    void writeViews(std::vector<View> views, const QString& done);
    [[nodiscard]] bool ofIntervals() const; //!< the chart shows runs from their intervals
    [[nodiscard]] bool overSeconds() const; //!< it has seconds along x
    template<class Card>
    void arrange(QGridLayout* grid, const std::vector<Card*>& cards);
    template<class Card, class Fill>
    void fillCards(std::size_t count, Fill fill);
    [[nodiscard]] const Published* chosenPublished() const; //!< nullptr: none is laid over the chart
    [[nodiscard]] std::vector<ReplayPick> replayPicks() const; //!< two runs to be replayed together, or none
    void updateReplay();
    void loadTraces();
    void updateFold();
    void showState(const QString& icon, const QString& title, const QString& text, const QString& button,
                   std::function<void()> action);
    void chooseSession();
    void readOthers(const std::string& query, std::function<void(Expected<std::vector<SessionInfo>>)> done);
    void chooseFile(const QString& objectName, const QString& title, const QString& filter, const QString& suffix,
                    void (ComparePage::*save)(const QString&));
    void chooseFolder(const QString& objectName, const QString& title, void (ComparePage::*save)(const QString&));
    void writeFile(const QString& file, std::function<std::string()> text);
    [[nodiscard]] QString fileName() const; //!< from the title, without suffix

    LibraryWorker m_worker;
    QStringList m_ids;
    ComparisonPtr m_comparison;
    PivotRequest m_request;
    PivotView m_view;
    ChartKind m_chart = ChartKind::Lines;
    bool m_chartChosen = false;                 //!< by the person: then new data does not change it
    double m_from = 0, m_to = 0;                //!< View::from and to of the view that was chosen
    std::shared_ptr<const IntervalFigures> m_figures; //!< of the measure they say, for the comparison shown
    std::vector<RunTrace> m_traces;
    QString m_tracesSecondary;
    int m_loads = 0, m_views = 0, m_traceLoads = 0, m_searches = 0; //!< tokens: late results of older requests are dropped
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
    ChoicePill *m_viewPill, *m_chartPill, *m_measure, *m_of, *m_x, *m_series, *m_facet, *m_baseline, *m_relative, *m_centre;
    std::vector<ChoicePill*> m_holds; //!< one an axis that is held at a case
    FlowLayout* m_pills = nullptr;
    ChoicePill *m_at, *m_repeat, *m_published, *m_log, *m_over, *m_layout, *m_perRow;
    std::vector<ChoicePill*> m_moreChoices; //!< entries of the menu below
    QPushButton* m_more = nullptr;
    QStackedWidget* m_charts;
    QWidget* m_plotBox;
    QGridLayout* m_plotGrid;
    std::vector<PivotPlot*> m_plots; //!< one a facet
    QWidget* m_cardBox;
    QGridLayout* m_cardGrid;
    std::vector<PlotCard*> m_cards; //!< of the kind in front
    EmptyState* m_noData;
    TimeOverlayPlot* m_time;
    RatioTable* m_table;
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
