// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"

#include "bridge/run_bridge.h"

namespace dyno {

AppContext::AppContext(std::filesystem::path library, QObject* parent)
    : QObject(parent)
    , m_library(std::move(library))
    , m_run(new RunBridge(this))
{
    // What was measured is in the library now.
    connect(m_run, &RunFeed::sessionFinished, this, &AppContext::notifyLibraryChanged);
}

AppContext::~AppContext() = default;

void AppContext::editPlan(const Plan& plan)
{
    emit planEditRequested(plan);
    showPage(QStringLiteral("planPage"));
}

void AppContext::startPlan(const Plan& plan)
{
    RunnerOptions options;
    options.library = m_library;
    if (!m_run->start(plan, options)) {
        showMessage(tr("A session is running. Stop it first, or wait for its end."), tr("Show it"),
                    [this] { showPage(QStringLiteral("runPage")); });
        return;
    }
    showPage(QStringLiteral("runPage"));
}

void AppContext::replaySession(const QString& sessionId)
{
    if (m_run->active()) {
        showMessage(tr("A session is running. Replay is possible when it has ended."));
        return;
    }
    emit replayRequested(sessionId);
    showPage(QStringLiteral("runPage"));
}

void AppContext::compareSessions(const QStringList& sessionIds)
{
    emit compareRequested(sessionIds);
    showPage(QStringLiteral("comparePage"));
}

void AppContext::useTarget(const QString& uri)
{
    emit targetRequested(uri);
    showPage(QStringLiteral("planPage"));
}

void AppContext::showPage(const QString& objectName)
{
    emit pageRequested(objectName);
}

void AppContext::notifyLibraryChanged()
{
    emit libraryChanged();
}

void AppContext::showMessage(const QString& text, const QString& actionText, std::function<void()> action)
{
    emit messageRequested(text, actionText, std::move(action));
}

} // namespace dyno
