// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The pills of the Compare page: what is compared, and how the chart shows it. GUI thread.
#pragma once

#include "plots/chart.h"
#include "plots/comparison.h"

#include <QWidget>

#include <optional>
#include <vector>

class QAction;
class QMenu;
class QPushButton;

namespace dyno {

class ChoicePill;
class FlowLayout;

class CompareControls : public QWidget
{
    Q_OBJECT
public:
    explicit CompareControls(QWidget* parent = nullptr);

    //! New figures: offers what they have, and shows what their request says.
    void fill(const ComparisonPtr& comparison, const Pivot& pivot);
    //! What further choices begin from, until its figures are there.
    void setRequest(const PivotRequest& request) { m_request = request; }
    //! Shows the pills that matter to the chart; `measure`: what it draws. After fill().
    void showFor(const Chart& chart, const std::string& measure);
    void showPerRow(bool on); //!< there is more than one card
    //! Other data, shown by `view`: its last x; what the view leaves as usual is as the person last had it.
    void begin(const View& view);
    //! Of begin(): the request with what the person last chose where the view says nothing.
    [[nodiscard]] PivotRequest remembered(PivotRequest request, const std::vector<std::string>& axes) const;
    void show(const View& view); //!< as it says, without what is remembered
    void setScale(bool logY);    //!< of the y axis, chosen by the person; x stays as it is

    [[nodiscard]] ChoicePill& view() const { return *m_view; } //!< for CompareViews
    [[nodiscard]] QString log() const;                         //!< View::log
    [[nodiscard]] QString over() const;                        //!< View::over
    [[nodiscard]] bool each() const;                           //!< a card per run
    [[nodiscard]] QString at() const;                          //!< the x whose runs are shown
    [[nodiscard]] std::optional<int> repeat() const;           //!< nothing: every one
    [[nodiscard]] int perRow() const;                          //!< 0 = as many as fit
    [[nodiscard]] const Published* published() const;          //!< nullptr: none is laid over the chart

signals:
    void requestChosen(const PivotRequest& request);
    void chartChosen(const QString& id); //!< Chart::id()
    void lookChosen();                   //!< log(), over(), each() or published()
    void runsChosen();                   //!< at() or repeat()
    void perRowChosen(int cards);

private:
    void connectRequest();
    void connectLook();
    void layOut();
    void askForFormula();
    void fillMeasures(const Pivot& pivot);
    void fillHolds();
    void fillPublished(const Pivot& pivot);
    void updateMore();
    [[nodiscard]] QString plainOf(const ChoicePill& pill) const;
    void addToMore(ChoicePill* pill, QMenu* menu);
    void reset();
    void setBase(const View& view);

    ComparisonPtr m_comparison;
    PivotRequest m_request;
    View m_base; //!< what is usual: the view that is shown, before anything behind "More" is changed
    QString m_wantedPublished, m_wantedRepeat; //!< chosen, whether or not these figures have it
    ChoicePill *m_view, *m_chart, *m_measure, *m_of, *m_x, *m_series, *m_facet, *m_baseline, *m_relative, *m_centre;
    ChoicePill *m_at, *m_repeat, *m_published, *m_log, *m_over, *m_layout, *m_perRow;
    std::vector<ChoicePill*> m_holds;       //!< one an axis that is held at a case
    std::vector<ChoicePill*> m_moreChoices; //!< entries of the menu below
    FlowLayout* m_pills;
    QPushButton* m_more;
    QAction* m_reset;
};

} // namespace dyno
