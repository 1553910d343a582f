// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The window's only way to servers: lists them, starts and stops instances, asks for variables, puts settings back.
//! The instances live on a thread of their own (the kernel stops the servers that it started when that thread ends);
//! what only asks a server that others run goes through a small pool, so that a host that does not answer holds up
//! nobody.
#pragma once

#include <dyno/preflight.h>
#include <dyno/servers.h>

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThread>
#include <QThreadPool>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dyno {

//! All servers that the window knows of, at one moment.
struct ServerList
{
    std::vector<ServerProgram> programs;
    std::vector<ServerInstance> instances;
    RemoteServers remotes;
    std::vector<LeftChange> left;
    LeftSpace space;              //!< what can be removed below the work folder
    std::optional<Error> problem; //!< why `left` could not be read
    //! The remote server that this URI is about, nullptr when it is not in the list.
    [[nodiscard]] const RemoteServer* remote(const std::string& uri) const;
};

//! A variable with what the catalogue says of it.
struct VariableRow
{
    VariableState state;
    QString label; //!< "Flush redo log at commit", "" when the catalogue does not know it
    QString help, safety;
    bool bytes = false; //!< a number of bytes
};
using VariableRows = std::vector<VariableRow>;

//! What an instance's folder holds.
struct InstanceView
{
    std::vector<DataPart> parts;
    QString log; //!< the last lines
};

//! What happened to settings that an earlier Dynobench left changed.
struct LeftoverReport
{
    std::vector<RestoredKnob> knobs;    //!< tried, without a password
    std::vector<LeftChange> production; //!< not tried: the server is marked "production"
    std::optional<Error> problem;       //!< the list could not be read
    //! True when a person has something to do.
    [[nodiscard]] bool open() const;
    [[nodiscard]] bool empty() const { return knobs.empty() && production.empty() && !problem; }
};

//! Made, called and destroyed on the GUI thread. `done` is called there too, unless `owner` is gone by then. The
//! destructor waits for what is under way and stops the instances that were started here; a look() is given up.
class ServerWorker : public QObject
{
    Q_OBJECT
public:
    template<class T>
    using Done = std::function<void(Expected<T>)>;

    //! `library` holds the settings that were left changed. `workDir`: of the instances and of servers.toml, empty: the
    //! user's data folder.
    explicit ServerWorker(std::filesystem::path library, std::filesystem::path workDir = {}, QObject* parent = nullptr);
    ~ServerWorker() override;

    [[nodiscard]] const ServerList& list() const { return m_list; } //!< the newest one
    [[nodiscard]] bool isListed() const { return m_listed; }        //!< there is one
    [[nodiscard]] bool busy() const { return m_pending > 0; }

    //! For pictures: this is the list from now on, and nothing is looked for.
    void setFixed(const ServerList& list);

    //! Reads the list anew; listed() follows. `programs`: looks for installed programs too, as the first time always.
    void refresh(bool programs = false);

    void start(QObject* owner, const TargetUri& uri, const Settings& knobs, Done<ServerInstance> done);
    void stop(QObject* owner, const std::string& name, Done<void> done);
    void remove(QObject* owner, const std::string& name, Done<void> done);
    void setPrice(QObject* owner, const std::string& name, const Price& price, Done<void> done);
    void view(QObject* owner, const std::string& name, Done<InstanceView> done);

    void saveRemote(QObject* owner, const RemoteServer& server, Done<void> done);
    void forgetRemote(QObject* owner, const std::string& uri, Done<void> done);
    //! The servers marked "production" that the plan puts load on.
    void productionOf(QObject* owner, const Plan& plan, Done<std::vector<RemoteServer>> done);
    //! lookBeforeStart() and lookAtKeptData(); the password goes to the servers of the plan and nowhere else.
    void look(QObject* owner, const Plan& plan, const QString& password, const Consent& consent,
              Done<std::vector<PreflightReport>> done);
    //! Gives look() up: `done` gets Interrupted within some seconds, with what became of a server that was started for
    //! it.
    void stopLook();
    void inspect(QObject* owner, const TargetUri& target, Done<ServerFacts> done);
    void variables(QObject* owner, const TargetUri& target, Done<VariableRows> done);

    //! `password` and `overwrite` as in restoreLeftChanges().
    void restore(QObject* owner, const std::string& target, const std::string& password, bool overwrite,
                 Done<std::vector<RestoredKnob>> done);
    void leaveAsIs(QObject* owner, const std::string& target, Done<void> done);
    //! Removes what ended sessions left and what is kept to save time; `done` gets what is gone.
    void freeSpace(QObject* owner, Done<LeftSpace> done);
    //! Once after the start of the window: puts back what needs no password and no consent; leftoversHandled() follows.
    void handleLeftovers();

signals:
    void listed();
    void leftoversHandled(const dyno::LeftoverReport& report);

private:
    struct Home; //!< what lives on the thread
    void onThread(std::function<void()> task);
    void inPool(std::function<void()> task);
    void deliver(std::function<void()> result); //!< from any thread
    template<class T>
    void finish(QPointer<QObject> owner, Done<T> done, Expected<T> result);
    [[nodiscard]] std::filesystem::path remotesFile() const;

    std::filesystem::path m_library, m_workDir;
    QThread m_thread;
    QObject* m_context; //!< lives on m_thread
    std::shared_ptr<Home> m_home;
    QThreadPool m_pool;
    ServerList m_list;
    bool m_listed = false;
    bool m_fixed = false;
    bool m_refreshing = false, m_again = false, m_programsWanted = true;
    int m_pending = 0;
    std::shared_ptr<std::atomic<bool>> m_lookStops; //!< of the newest look()
};

//! True when two URIs name one server, whatever database, user or options they give.
[[nodiscard]] bool isSameServer(const std::string& one, const std::string& other);
//! How to reach an instance that runs; nullopt when it does not.
[[nodiscard]] std::optional<TargetUri> instanceTarget(const ServerInstance& instance);

} // namespace dyno

Q_DECLARE_METATYPE(dyno::LeftoverReport)
