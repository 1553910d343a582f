// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/library.h>

#include <QAction>
#include <QObject>

class QMenu;
class QPushButton;
class QTableView;

namespace dyno {

//! What can be done with the selected sessions: the actions of the table, which the buttons above it and its menu
//! follow. The page connects them.
class SessionActions : public QObject
{
    Q_OBJECT
public:
    explicit SessionActions(QTableView& table);

    //! Says what `count` selected sessions allow; `first`: of them, nullptr when there is none.
    void update(int count, const SessionInfo* first);
    void fill(QMenu& menu) const;
    //! A button that follows an action: text, tooltip, enabled.
    [[nodiscard]] static QPushButton* buttonFor(QAction* action, const char* role, const QString& icon);

    QAction *open, *replay, *again, *missing, *duplicate, *recipe, *rename, *tag, *note, *exportFile, *archive, *remove,
        *import, *addSeries, *removeSeries;

private:
    QAction* add(const QString& objectName, const QString& text, const QString& tip, const QString& icon,
                 const QKeySequence& key = {});

    QTableView& m_table;
};

} // namespace dyno
