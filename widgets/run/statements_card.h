// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Kinds of operations of the run shown, by their share of the time; one that is clicked shows its plan. GUI thread.
#pragma once

#include "bridge/job.h"
#include "parts/card.h"
#include "run/statements_dialog.h"

#include <QPointer>
#include <QTimer>

#include <filesystem>
#include <string>

class QStandardItemModel;
class QTableView;

namespace dyno {

class LiveRunModel;

//! Hidden while nothing was measured.
class StatementsCard : public Card
{
    Q_OBJECT
public:
    //! `model` must outlive it. `library`: where the run is kept.
    StatementsCard(const LiveRunModel& model, std::filesystem::path library, QWidget* parent = nullptr);
    [[nodiscard]] const ShownStatements& statements() const { return m_shown; }
    [[nodiscard]] StatementsDialog* dialog() const { return m_dialog; } //!< nullptr while it is closed
    void open(const QString& operation);                                //!< the dialog; "": the first one

signals:
    void overTimeWanted(const QString& operation);

private:
    struct Read
    {
        std::vector<KindShare> kinds;
        std::optional<RunStatements> kept;
        std::optional<ObservingCost> observing;
    };
    void onRun();
    void read();
    void showKinds();

    const LiveRunModel& m_model;
    std::filesystem::path m_library;
    QStandardItemModel* m_items;
    QTableView* m_table;
    QPointer<StatementsDialog> m_dialog;
    ShownStatements m_shown;
    bool m_stored = false; //!< m_shown is of the library
    std::string m_session; //!< of the run shown
    int m_run = -1;        //!< its index in that session
    QTimer m_again;        //!< samples have come
    Job<Expected<Read>> m_job;
};

} // namespace dyno
