// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The exports of a comparison: each runs off the GUI thread and says where the file is. GUI thread.
#pragma once

#include "bridge/library_worker.h"
#include "plots/comparison.h"

#include <QObject>

#include <functional>
#include <vector>

class QMenu;
class QWidget;

namespace dyno {

class PivotTableModel;
class PlotCard;

class CompareExport : public QObject
{
    Q_OBJECT
public:
    //! `table`: what is exported as tables. `parent`: the window of the dialogs; worker and table live as long.
    CompareExport(LibraryWorker& worker, const PivotTableModel& table, QWidget* parent);
    void fillMenu(QMenu* menu);
    //! Gives the charts of an HTML report: those that are shown.
    void setCards(std::function<std::vector<PlotCard*>()> cards) { m_cards = std::move(cards); }
    void setComparison(const ComparisonPtr& comparison);

    void saveTable(const QString& file);         //!< .md or .csv by suffix
    void saveReport(const QString& file);        //!< .html, with the charts that are shown, or .md by suffix
    void saveData(const QString& dir);           //!< runs and intervals as CSV
    void saveSessions(const QString& fileOrDir); //!< one session: a .dyno file; several: a folder

signals:
    void recipeWanted();  //!< of the one session that is shown
    void pictureWanted(); //!< of the chart in front
    void done(const QString& message);
    void failed(const Error& error);

private:
    void chooseFile(const QString& objectName, const QString& title, const QString& filter, const QString& suffix,
                    void (CompareExport::*save)(const QString&));
    void chooseFolder(const QString& objectName, const QString& title, void (CompareExport::*save)(const QString&));
    void writeFile(const QString& file, std::function<std::string()> text);
    [[nodiscard]] QString fileName() const; //!< from the title, without suffix

    LibraryWorker& m_worker;
    const PivotTableModel& m_table;
    QWidget* m_window;
    QAction* m_recipe = nullptr;
    QAction* m_appendix = nullptr; //!< an entry of the menu: reports have it when it is ticked
    ComparisonPtr m_comparison;
    std::function<std::vector<PlotCard*>()> m_cards;
};

} // namespace dyno
