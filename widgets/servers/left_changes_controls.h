// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/server_worker.h"

#include <QObject>

#include <set>
#include <string>

class QWidget;

namespace dyno {

class AppContext;
class LeftChangesCard;
class ServerListModel;

//! Puts back what an earlier session left changed, or leaves it as it is, as the card is told. GUI thread.
class LeftChangesControls : public QObject
{
    Q_OBJECT
public:
    LeftChangesControls(AppContext& context, ServerListModel& model, LeftChangesCard& card, QWidget* page);

    //! The list was read again: names of servers, and what is left unless it is being put back.
    void takeList(const ServerList& list);
    void nameServers(const ServerList& list);
    void showLeftovers(const LeftoverReport& report);

private:
    void askRestore(bool overwrite);
    void restore(bool overwrite);
    void leaveAsIs();
    //! Of which nobody takes care any more.
    [[nodiscard]] std::set<std::string> targets() const;

    AppContext& m_context;
    ServerListModel& m_model;
    LeftChangesCard& m_card;
    QWidget* m_page;
    int m_restores = 0; //!< targets being restored
};

} // namespace dyno
