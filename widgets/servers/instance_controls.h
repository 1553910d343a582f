// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/servers.h>

#include <QObject>

class QWidget;

namespace dyno {

class AppContext;
class Banner;
class PageHeader;
class ServerListModel;
class ServerWorker;

//! Makes, starts, stops and removes instances of Dynobench and keeps their prices. Says in the list what is under way,
//! in the banner what went wrong. GUI thread.
class InstanceControls : public QObject
{
    Q_OBJECT
public:
    //! Dialogs belong to `page`'s window.
    InstanceControls(AppContext& context, ServerListModel& model, PageHeader& header, Banner& banner, QWidget* page);

    void startOne(const ServerProgram& program); //!< asks for name and settings first
    void start(const ServerInstance& instance);  //!< one that is stopped
    void stop(const std::string& name);
    void askRemove(const ServerInstance& instance);
    void editPrice(const ServerInstance& instance);

signals:
    void started(const QString& key);
    void changed(); //!< what is shown of it is out of date

private:
    [[nodiscard]] ServerWorker& worker() const;
    void startAt(const TargetUri& uri, const Settings& knobs, const std::string& name, const Price& price = {});
    void savePrice(const std::string& name, const Price& price);
    void remove(const ServerInstance& instance);

    AppContext& m_context;
    ServerListModel& m_model;
    PageHeader& m_header;
    Banner& m_banner;
    QWidget* m_page;
};

} // namespace dyno
