// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan amounts to: runs, time, disk, what is wrong with it, the order of its runs, its points. Shows
//! PlanEditor's last check. GUI thread.
#pragma once

#include "plan/points_model.h"

#include <QAbstractButton>
#include <QWidget>

class QLabel;
class QTableView;
class QVBoxLayout;

namespace dyno {

class Card;
class CheckList;
class Chip;
class FigureLabel;
class PlanEditor;
class RunOrderCard;
class TimeBar;

//! One fault: mark, what is wrong, what would be right. A click asks for the field.
class FaultRow : public QAbstractButton
{
    Q_OBJECT
public:
    explicit FaultRow(const Fault& fault, QWidget* parent = nullptr);
    [[nodiscard]] QString where() const { return m_where; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_where;
};

class PlanSummary : public QWidget
{
    Q_OBJECT
public:
    explicit PlanSummary(PlanEditor& editor, QWidget* parent = nullptr);
    //! A fault of a form that the plan cannot hold ("Users: …"), shown with the others; "" for none.
    void setFormProblem(const QString& text);
    //! "45 runs · 26 min · 2.1 GiB" or "2 faults", for the header when the column is folded.
    [[nodiscard]] QString oneLine() const;
    [[nodiscard]] int faultCount() const;

    [[nodiscard]] const CheckList& checks() const { return *m_checks; }

signals:
    void faultClicked(const QString& where); //!< or the button of a check

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; //!< Space in the table of points

private:
    void refresh();
    void showFaults();
    void updateSentence();
    void skip(int row, bool skipped);
    void skipSelected(bool skipped);

    PlanEditor& m_editor;
    QString m_formProblem;
    FigureLabel* m_runs;
    QLabel* m_runsUnit = nullptr;
    FigureLabel* m_time;
    FigureLabel* m_disk;
    QLabel* m_timeUnit;
    QLabel* m_diskUnit;
    TimeBar* m_timeBar;
    QLabel* m_sentence;
    Chip* m_chip;
    QVBoxLayout* m_faults;
    CheckList* m_checks;
    PointsModel m_points;
    QTableView* m_table;
    RunOrderCard* m_order;
    Card* m_pointsCard;
};

} // namespace dyno
