// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A load that changes during a run and that is of several kinds at once: its phases with a picture of them, and its
//! groups of users with their parameters. GUI thread.
#pragma once

#include "plan/load_parts_model.h"
#include "plots/plot_phase.h"

#include <QWidget>

#include <set>
#include <string>
#include <vector>

class QLabel;
class QPushButton;

namespace dyno {

class FitTable;
class OptionForm;

//! The phases from left to right, as high as their load is.
class PhasePicture : public QWidget
{
    Q_OBJECT
public:
    explicit PhasePicture(QWidget* parent = nullptr);
    void setLoad(const LoadProfile& load);
    [[nodiscard]] const std::vector<PlotPhase>& phases() const { return m_phases; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double placeOf(double seconds) const;

    std::vector<PlotPhase> m_phases;
    std::vector<double> m_ramps; //!< seconds, of each
};

//! The rows of one kind: add, remove, up and down.
class LoadPartsForm : public QWidget
{
    Q_OBJECT
public:
    LoadPartsForm(LoadPart part, PlanEditor& editor, QWidget* parent = nullptr);
    void focusField(int row, const QString& field); //!< "users", "params.delta"; of a row that is there
    //! Why the plan cannot be started yet; "": nothing here.
    [[nodiscard]] QString problem() const { return m_model->unreadable(); }
    [[nodiscard]] int rows() const { return m_model->rowCount(); }

signals:
    void problemChanged();

private:
    void add();
    void removeSelected();
    void move(int by);
    void refresh();
    void showParams();

    PlanEditor& m_editor;
    LoadPartsModel* m_model;
    FitTable* m_table;
    QPushButton *m_remove, *m_up, *m_down, *m_add;
    QLabel *m_empty, *m_problem;
    PhasePicture* m_picture = nullptr; //!< of phases
    QLabel* m_paramsOf = nullptr;      //!< of groups
    OptionForm* m_params = nullptr;
    QString m_shownOf;                //!< the group and its workload, whose parameters these are
    std::set<std::string> m_shownToo; //!< those of the data that it has or had meanwhile
    int m_row = 0, m_column = 0;      //!< the current cell, which comes back after the rows have changed
};

} // namespace dyno
