// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/left_changes_controls.h"

#include "bridge/app_context.h"
#include "bridge/keyring.h"
#include "bridge/run_bridge.h"
#include "bridge/server_worker.h"
#include "parts/question.h"
#include "plan/server_list_model.h"
#include "servers/left_changes.h"
#include "servers/server_dialogs.h"

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

LeftChangesControls::LeftChangesControls(AppContext& context, ServerListModel& model, LeftChangesCard& card,
                                         QWidget* page)
    : QObject(page)
    , m_context(context)
    , m_model(model)
    , m_card(card)
    , m_page(page)
{
    const auto sayWhere = [this] { m_card.setPasswordPlace(m_context.keyring().text()); };
    sayWhere();
    connect(&context.keyring(), &Keyring::lastsChanged, this, sayWhere);
    connect(&card, &LeftChangesCard::restoreRequested, this, &LeftChangesControls::askRestore);
    connect(&card, &LeftChangesCard::leaveRequested, this, &LeftChangesControls::leaveAsIs);
}

void LeftChangesControls::takeList(const ServerList& list)
{
    nameServers(list);
    std::vector<LeftChange> left;
    std::copy_if(list.left.begin(), list.left.end(), std::back_inserter(left),
                 [](const LeftChange& change) { return !change.ownerAlive; });
    if (m_restores == 0) {
        m_card.model().setLeft(left);
        m_card.refresh();
    }
}

void LeftChangesControls::nameServers(const ServerList& list)
{
    std::map<std::string, QString> names;
    for (const LeftChange& change : list.left) {
        if (const auto uri = parseUri(change.target); uri && uri->kind == TargetKind::Remote)
            m_context.keyring().find(*uri);
        if (const RemoteServer* server = list.remote(change.target))
            names[change.target] = remoteText(*server);
    }
    m_card.model().setNames(std::move(names));
}

void LeftChangesControls::askRestore(bool overwrite)
{
    QStringList production;
    for (const LeftChange& change : m_model.list().left) {
        const RemoteServer* server = m_model.list().remote(change.target);
        if (server && server->production && !production.contains(remoteText(*server)))
            production << remoteText(*server);
    }
    if (production.isEmpty())
        return restore(overwrite);
    auto* question =
        new Question(m_page, u"restoreQuestion"_s, tr("A production server"),
                     tr("Change settings on %1?").arg(production.join(tr(", "))),
                     tr("It is marked as production. The values that were in force before the session are set again."));
    question->addAct(u"restoreQuestionYes"_s, tr("Restore"), [this, overwrite] { restore(overwrite); });
    question->ask(u"restoreQuestionNo"_s);
}

std::set<std::string> LeftChangesControls::targets() const
{
    std::set<std::string> all;
    for (const LeftChange& change : m_model.list().left) {
        if (!change.ownerAlive)
            all.insert(change.target);
    }
    return all;
}

void LeftChangesControls::restore(bool overwrite)
{
    const std::set<std::string> left = targets();
    m_card.setProblem({});
    for (const std::string& target : left) {
        ++m_restores;
        m_card.setBusy(true);
        const TargetUri account = parseUri(target).value_or(TargetUri());
        if (left.size() == 1 && !m_card.password().isEmpty()) // of several, nobody knows whose it is
            m_context.keyring().keep(account, m_card.password());
        const std::string password = m_context.keyring().password(account).toStdString();
        m_context.servers().restore(this, target, password, overwrite,
                                    [this](const Expected<std::vector<RestoredKnob>>& restored) {
                                        --m_restores;
                                        m_card.setBusy(m_restores > 0);
                                        if (restored)
                                            m_card.model().addResults(*restored);
                                        else
                                            m_card.setProblem(errorLines(restored.error()));
                                        m_card.refresh();
                                        if (m_restores == 0)
                                            m_context.servers().refresh();
                                    });
    }
}

void LeftChangesControls::leaveAsIs()
{
    for (const std::string& target : targets()) {
        m_context.servers().leaveAsIs(this, target, [this](const Expected<void>& left) {
            if (!left)
                m_card.setProblem(errorLines(left.error()));
            m_card.model().clear();
            m_card.refresh();
            m_context.servers().refresh();
        });
    }
}

void LeftChangesControls::showLeftovers(const LeftoverReport& report)
{
    m_card.model().addResults(report.knobs);
    if (report.problem)
        m_card.setProblem(errorLines(*report.problem));
    m_card.refresh();
}

} // namespace dyno
