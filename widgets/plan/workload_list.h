// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! All workloads, grouped by what a person chooses one for, a line each, with a search. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QListView;
class QModelIndex;
class QStandardItemModel;

namespace dyno {

class WorkloadList : public QWidget
{
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole + 1, SummaryRole, ChosenRole };

    explicit WorkloadList(QWidget* parent = nullptr);
    //! `driver`: its id; workloads that do not run on it cannot be chosen. `chosen`: an id, which is marked.
    void setChosen(const QString& driver, const QString& chosen);
    void focusSearch();

signals:
    void picked(const QString& id); //!< clicked, or Enter

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; //!< arrows and Enter while typing, Enter in the list

private:
    void fill();
    void pick(const QModelIndex& index);

    QString m_driver, m_chosen;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_empty;
    QStandardItemModel* m_model;
};

} // namespace dyno
