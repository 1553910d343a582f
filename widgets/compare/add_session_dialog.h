// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The choice of another session for a comparison. GUI thread.
#pragma once

#include "parts/card.h"

#include <dyno/library.h>

#include <QDialog>
#include <QTimer>

class QTableView;

namespace dyno {

class SessionFilter;
class SessionModel;

//! Chooses saved sessions to lay over those shown. Use with open().
class AddSessionDialog : public QDialog
{
    Q_OBJECT
public:
    AddSessionDialog(std::vector<SessionInfo> sessions, QWidget* parent = nullptr);
    void setSessions(std::vector<SessionInfo> sessions); //!< what searched() found
    void showProblem(const QString& text);               //!< of the search line; the list stays

signals:
    void searched(const QString& query); //!< Library::search() knows the words; "" = all
    void sessionsChosen(const QStringList& ids);

private:
    SessionModel* m_model;
    SessionFilter* m_filter;
    QTableView* m_view;
    QLabel* m_problem;
    QTimer m_timer;
};

} // namespace dyno
