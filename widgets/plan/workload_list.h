// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! All workloads, the person's own first, the others grouped by what they are chosen for, a line each, with a search.
//! GUI thread.
#pragma once

#include <dyno/own_workloads.h>

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QListView;
class QModelIndex;
class QStandardItem;
class QStandardItemModel;

namespace dyno {

struct DriverInfo;

class WorkloadList : public QWidget
{
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole + 1, SummaryRole, ChosenRole, OwnRole, OffRole };

    explicit WorkloadList(QWidget* parent = nullptr);
    //! `driver`: its id; workloads that do not run on it cannot be chosen. `chosen`: an id, which is marked.
    void setChosen(const QString& driver, const QString& chosen);
    //! Workloads of the person's own, which stand first. `chosen`: the name of one that is marked in place of the
    //! built-in one, "" for none.
    void setOwn(const std::vector<OwnWorkload>& own, const QString& chosen);
    void focusSearch();

signals:
    void picked(const QString& id);            //!< clicked, or Enter
    void ownPicked(const QString& name);       //!< likewise
    void ownRemoveWanted(const QString& name); //!< by Delete or the menu

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; //!< arrows and Enter while typing, Enter in the list

private:
    void fill();
    void fillOwn(const QStringList& words, const DriverInfo* driver);
    void addHeading(const QString& text);
    QStandardItem* addWorkload(const QString& name, const QString& id, const QString& summary);
    void markChosen();
    [[nodiscard]] bool isChosen(const QStandardItem& item) const;
    void pick(const QModelIndex& index);
    void showMenu(const QPoint& at);

    QString m_driver, m_chosen, m_chosenOwn;
    std::vector<OwnWorkload> m_own;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_empty;
    QStandardItemModel* m_model;
};

} // namespace dyno
