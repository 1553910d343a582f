// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "Settings left changed": what an earlier Dynobench changed on servers of others and did not put back, with what can
//! be done about it and what came of it. Shows what it is given; the page does the work. GUI thread.
#pragma once

#include <dyno/servers.h>

#include <QAbstractTableModel>
#include <QFrame>
#include <QString>

#include <map>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace dyno {

class FitTable;

class LeftChangesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { ServerColumn, NameColumn, OldColumn, OurColumn, ResultColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    //! Takes over what is left; results of variables that are not left any more stay until clear().
    void setLeft(const std::vector<LeftChange>& left);
    void addResults(const std::vector<RestoredKnob>& results);
    void clear();
    void setNames(std::map<std::string, QString> names); //!< how servers are called, by URI
    [[nodiscard]] int open() const;                      //!< left changed and not put back, whose owner is gone
    [[nodiscard]] bool othersSet() const;                //!< some were changed by somebody else meanwhile

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        LeftChange change;
        bool left = true;
        bool tried = false;
        RestoredKnob result;
        bool bytes = false; //!< the catalogue says that the values are sizes
    };
    [[nodiscard]] QString resultText(const Row& row) const;
    std::vector<Row> m_rows;
    std::map<std::string, QString> m_names;
};

class LeftChangesCard : public QFrame
{
    Q_OBJECT
public:
    explicit LeftChangesCard(QWidget* parent = nullptr);
    [[nodiscard]] LeftChangesModel& model() { return m_model; }
    void setBusy(bool busy);
    void setProblem(const QString& text); //!< "" for none
    void refresh();                       //!< after the model changed; hides itself when there is nothing to show
    [[nodiscard]] QString password() const;
    void setPasswordPlace(const QString& text); //!< where it will be kept: a sentence

signals:
    void restoreRequested(bool overwrite);
    void leaveRequested();

private:
    void dressTable();
    void layOut();

    LeftChangesModel m_model;
    QLabel* m_title;
    QLabel* m_text;
    QLabel* m_problem;
    QLineEdit* m_password;
    QProgressBar* m_progress;
    QPushButton *m_restore, *m_overwrite, *m_leave, *m_close;
    FitTable* m_table;
};

} // namespace dyno
