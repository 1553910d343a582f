// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the pages share: where the library is, the session that is running, and who wants to be shown. Pages talk to
//! each other only through this. GUI thread.
#pragma once

#include <dyno/library.h>
#include <dyno/plan.h>

#include <QObject>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <vector>

namespace dyno {

class RunBridge;
class ServerWorker;

//! Which run is replayed: StoredRun::id, or 0 for one that suits.
struct ReplayPick
{
    QString session;
    std::int64_t run = 0;
    bool operator==(const ReplayPick&) const = default;
};

//! An answer to a question before something is done.
struct Consent
{
    QString name; //!< of its button: "consentYes"
    QString label;
    std::function<void()> action; //!< does it
    bool loses = false;           //!< data that is there now
};

class AppContext : public QObject
{
    Q_OBJECT
public:
    explicit AppContext(std::filesystem::path library, QObject* parent = nullptr);
    ~AppContext() override;

    [[nodiscard]] const std::filesystem::path& library() const { return m_library; }
    //! The bridge to the running session (or to none); lives as long as the context.
    [[nodiscard]] RunBridge& run() { return *m_run; }
    //! The way to servers; made when it is first asked for, lives as long as the context.
    [[nodiscard]] ServerWorker& servers();

public slots:
    void editPlan(const dyno::Plan& plan);               //!< shows the Plan page with it
    //! Starts it and shows the Run page; refused while one runs. Looks first, as `dyno run` does, and asks when a run would
    //! fail or when it is about a server that is marked "production"; nothing is started or made before.
    void startPlan(const dyno::Plan& plan);
    //! As startPlan(). The password goes to the runner and nowhere else.
    void startPlanWith(const dyno::Plan& plan, const QString& password);
    void replaySession(const QString& sessionId);        //!< shows the Run page in replay
    void replayPair(const dyno::ReplayPick& first, const dyno::ReplayPick& second); //!< two runs in step on the Run page
    void compareSessions(const QStringList& sessionIds); //!< shows the Compare page
    void useTarget(const QString& uri);                  //!< makes it the target of the plan on the Plan page, shows that
    void showPage(const QString& objectName); //!< "startPage", "planPage", "runPage", "sessionsPage", "comparePage", "serversPage"
    void notifyLibraryChanged();              //!< lists reload
    void showMessage(const QString& text, const QString& actionText = {}, std::function<void()> action = {});

signals:
    //! A question before something is done: the answers, beside "no".
    void consentRequested(const QString& text, const QString& more, const std::vector<dyno::Consent>& answers);
    void planEditRequested(const dyno::Plan& plan);
    void replayRequested(const QString& sessionId);
    void pairRequested(const dyno::ReplayPick& first, const dyno::ReplayPick& second);
    void compareRequested(const QStringList& sessionIds);
    void targetRequested(const QString& uri);
    void pageRequested(const QString& objectName);
    void libraryChanged();
    //! A short message at the window's bottom with an optional action ("Undo").
    void messageRequested(const QString& text, const QString& actionText, std::function<void()> action);

private:
    bool refusesImported(const Plan& plan);
    bool refusesReplay(); //!< while a session runs; says so
    void askForProduction(const Plan& plan, const QString& password);
    void askForData(const Plan& plan, const QString& password, const QString& differences);
    void run(const Plan& plan, const QString& password, bool confirmed);

    std::filesystem::path m_library;
    RunBridge* m_run;
    ServerWorker* m_servers = nullptr;
    bool m_looking = false; //!< before a start
};

} // namespace dyno
