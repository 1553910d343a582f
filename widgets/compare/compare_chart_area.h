// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where the Compare page shows its chart: the cards in rows of as many as fit, or words instead. GUI thread.
#pragma once

#include "plots/chart.h"

#include <QStackedWidget>

class QGridLayout;

namespace dyno {

class EmptyState;

class CompareChartArea : public QStackedWidget
{
    Q_OBJECT
public:
    explicit CompareChartArea(QWidget* parent = nullptr);
    ~CompareChartArea() override;

    void draw(const Chart& chart, const ChartInput& input);
    void setPerRow(int cards); //!< beside each other if they fit; 0 = as many as fit
    //! Of the last drawing, as they are on the screen; none where a message says why.
    [[nodiscard]] std::vector<PlotCard*> cards() const;
    //! The first card of the last drawing; nullptr when it had none.
    [[nodiscard]] PlotCard* front() const;
    [[nodiscard]] bool hasSeveralInGrid() const; //!< setPerRow() matters to what is shown

signals:
    void rowsChanged(int rows);  //!< of cards
    void scaleChosen(bool logY); //!< by the person, in the first card's header

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Grid
    {
        QWidget* box;
        QGridLayout* layout;
        QWidget* page; //!< the box with its scroll bar
    };
    Grid makeGrid(const QString& name);
    [[nodiscard]] Grid& grid() { return m_sheet.place() == ChartSheet::Place::Kept ? m_kept : m_fresh; }
    void showScale(const Chart& chart);
    void arrange();
    void setRows(int rows);

    Grid m_kept, m_fresh;
    EmptyState* m_message;
    QWidget* m_messagePage;
    ChartSheet m_sheet; //!< after the grids that show its cards: it goes first
    int m_perRow = 0;
};

} // namespace dyno
