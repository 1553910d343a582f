// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the pages share: where the library is, the session that is running, and who wants to be shown. Pages talk to
//! each other only through this. GUI thread.
#pragma once

#include "bridge/agreements.h"
#include "bridge/job.h"

#include <dyno/library.h>
#include <dyno/plan.h>

#include <QObject>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace dyno {

class Keyring;
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
struct ConsentAnswer
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
    //! What was agreed to in plans of others.
    [[nodiscard]] Agreements& agreements() { return m_agreements; }
    //! Passwords typed in this window; lives as long as the context.
    [[nodiscard]] Keyring& keyring() { return *m_keyring; }
    //! Asks for an agreement to the risks of the plan that nobody has agreed to yet. `then` follows, once it is
    //! remembered, on the answer `allow`; nothing on any other.
    void askForAgreement(const Plan& plan, const std::vector<Risk>& risks, const QString& allow,
                         std::function<void()> then);
    //! Before a transaction of the plan is tried: asks where the plan uses a server that is marked "production". `then`
    //! follows on "yes", with true, and without a question where there is none, with false.
    void askBeforeTry(const Plan& plan, std::function<void(bool confirmed)> then);

public slots:
    void editPlan(const dyno::Plan& plan); //!< shows the Plan page with it
    //! Starts it and shows the Run page; refused while one runs. Asks first when the plan wants what nobody has agreed
    //! to (trust.h). Then looks, as `dyno run` does, and asks when a run would fail or when it is about a server that
    //! is marked "production"; nothing is started or made before.
    void startPlan(const dyno::Plan& plan);
    //! As startPlan(). The password goes to the runner and nowhere else.
    void startPlanWith(const dyno::Plan& plan, const QString& password);
    //! Runs what is not complete of a stored session, into that session; says why when that cannot be. Asks as
    //! startPlan() does.
    void runMissing(const QString& sessionId);
    void replaySession(const QString& sessionId); //!< shows the Run page in replay
    void replayPair(const dyno::ReplayPick& first,
                    const dyno::ReplayPick& second);     //!< two runs in step on the Run page
    void compareSessions(const QStringList& sessionIds); //!< shows the Compare page
    void useTarget(const QString& uri); //!< makes it the target of the plan on the Plan page, shows that
    void showPage(const QString&
                      objectName); //!< "startPage", "planPage", "runPage", "sessionsPage", "comparePage", "serversPage"
    void notifyLibraryChanged();   //!< lists reload
    void notifyFiguresChanged(const QString& sessionId); //!< of runs that were there; lists reload, too
    void showMessage(const QString& text, const QString& actionText = {}, std::function<void()> action = {});

signals:
    //! A question before something is done: the answers, beside "no".
    void consentRequested(const QString& text, const QString& more, const std::vector<dyno::ConsentAnswer>& answers);
    void planEditRequested(const dyno::Plan& plan);
    void replayRequested(const QString& sessionId);
    void pairRequested(const dyno::ReplayPick& first, const dyno::ReplayPick& second);
    void compareRequested(const QStringList& sessionIds);
    void targetRequested(const QString& uri);
    void pageRequested(const QString& objectName);
    void libraryChanged();
    void figuresChanged(const QString& sessionId); //!< libraryChanged() follows
    //! A short message at the window's bottom with an optional action ("Undo").
    void messageRequested(const QString& text, const QString& actionText, std::function<void()> action);

private:
    //! A start on its way through the questions.
    struct Start
    {
        Plan plan;
        QString password;
        Consent consent;
        bool confirmed = false;                                   //!< production
        std::shared_ptr<const SessionHeader> continues = nullptr; //!< see RunnerOptions
    };
    bool refusesImported(const Plan& plan);
    bool refusesReplay(); //!< while a session runs; says so
    void begin(Start start);
    void askForRisks(const Start& start, const std::vector<Risk>& risks);
    void look(const Start& start);
    void askForProduction(const Start& start);
    void askForData(const Start& start, const QString& differences);
    void run(const Start& start);

    std::filesystem::path m_library;
    RunBridge* m_run;
    Keyring* m_keyring;
    ServerWorker* m_servers = nullptr;
    Agreements m_agreements;
    Job<std::vector<Risk>> m_risks;
    Job<Expected<SessionHeader>> m_missing;
    bool m_looking = false; //!< before a start
};

} // namespace dyno
