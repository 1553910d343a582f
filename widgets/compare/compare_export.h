// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The exports of a comparison: each runs off the GUI thread and says where the file is. GUI thread.
#pragma once

#include "bridge/library_worker.h"
#include "plots/comparison.h"

#include <QObject>

class QMenu;
class QWidget;

namespace dyno {

class PivotTableModel;

class CompareExport : public QObject
{
    Q_OBJECT
public:
    //! `table`: what is exported as tables. `parent`: the window of the dialogs; worker and table live as long.
    CompareExport(LibraryWorker& worker, const PivotTableModel& table, QWidget* parent);
    void fillMenu(QMenu* menu);
    void setComparison(const ComparisonPtr& comparison) { m_comparison = comparison; }

    void saveTable(const QString& file); //!< .md or .csv by suffix
    void saveReport(const QString& file);
    void saveData(const QString& dir);           //!< runs and intervals as CSV
    void saveSessions(const QString& fileOrDir); //!< one session: a .dyno file; several: a folder

signals:
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
    ComparisonPtr m_comparison;
};

} // namespace dyno
