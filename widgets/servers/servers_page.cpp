// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/servers_page.h"

#include "bridge/app_context.h"
#include "bridge/keyring.h"
#include "bridge/run_bridge.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/commands.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "servers/instance_controls.h"
#include "servers/left_changes.h"
#include "servers/left_changes_controls.h"
#include "servers/left_space_row.h"
#include "servers/remote_controls.h"
#include "servers/server_dialogs.h"
#include "servers/server_list.h"

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

using Action = ServerDetails::Action;

namespace {

constexpr int kListWidth = 300;
constexpr int kPollMs = 5000;

} // namespace

ServersPage::ServersPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_header(new PageHeader(tr("Servers")))
    , m_banner(new Banner(u"serversBanner"_s))
    , m_left(new LeftChangesCard)
    , m_space(new LeftSpaceRow(context, *m_banner))
    , m_list(new ServerListView)
    , m_details(new ServerDetails)
    , m_instances(new InstanceControls(context, m_model, *m_header, *m_banner, this))
    , m_remotes(new RemoteControls(context, m_model, *m_banner, this))
    , m_leftControls(new LeftChangesControls(context, m_model, *m_left, this))
{
    setObjectName(u"serversPage"_s);
    auto* refresh = makeButton(tr("Refresh"), "", u"restart"_s);
    describe(refresh, u"serversRefresh"_s, tr("Refresh the list of servers"),
             tr("Refresh the list of servers (Ctrl+Shift+R)"));
    auto* add = makeButton(tr("Add a server…"), "", u"plus"_s);
    describe(add, u"serversAdd"_s, tr("Add a server"), tr("Add a remote server by its URI (Ctrl+Shift+A)"));
    m_header->actions()->addWidget(refresh);
    m_header->actions()->addWidget(add);

    auto* middle = new QHBoxLayout;
    middle->setSpacing(space::cardGap);
    buildList(middle);
    middle->addWidget(m_details, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, space::pageMargin, space::pageMargin, space::pageMargin);
    layout->setSpacing(space::cardGap);
    layout->addWidget(m_header);
    layout->addWidget(m_banner);
    layout->addWidget(m_left);
    layout->addWidget(m_space);
    layout->addLayout(middle, 1);

    addCommand(this, {u"serversCommandAdd"_s, tr("Add a server…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)}},
               [this] { m_remotes->edit({}); });
    connect(add, &QPushButton::clicked, this, [this] { m_remotes->edit({}); });
    const auto lookAgain = [this] {
        if (m_fixed)
            return;
        worker().refresh(true);
        m_shown.clear();
        readSelected();
    };
    connect(refresh, &QPushButton::clicked, this, lookAgain);
    addCommand(this,
               {u"serversCommandRefresh"_s,
                tr("Refresh the list of servers"),
                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}},
               lookAgain);
    addCommand(this, {u"serversCommandRemove"_s, tr("Remove the selected server"), {QKeySequence::Delete}}, [this] {
        if (const ServerInstance* instance = m_model.instance(selectedKey());
            instance && (instance->state == InstanceState::Stopped || instance->state == InstanceState::Left))
            m_instances->askRemove(*instance);
        else if (const RemoteServer* remote = m_model.remote(selectedKey()))
            m_remotes->forget(RemoteServer(*remote));
    });
    connect(m_details, &ServerDetails::actionRequested, this, &ServersPage::act);
    connect(m_instances, &InstanceControls::started, this, &ServersPage::select);
    connect(m_instances, &InstanceControls::changed, this, [this] { m_shown.clear(); });
    connect(m_remotes, &RemoteControls::saved, this, &ServersPage::select);
    m_poll.setInterval(kPollMs);
    connect(&m_poll, &QTimer::timeout, this, [this] {
        if (!worker().busy())
            worker().refresh();
    });
}

ServersPage::~ServersPage() = default;

ServerWorker& ServersPage::worker() const
{
    return context().servers();
}

void ServersPage::buildList(QLayout* layout)
{
    auto* card = new Card;
    card->setFixedWidth(kListWidth);
    card->layout()->setContentsMargins(6, 2, 6, 6);
    describe(m_list, u"serverList"_s, tr("Servers"), u" "_s);
    m_list->setToolTip({});
    m_list->setModel(&m_model);
    card->body()->addWidget(m_list, 1);
    layout->addWidget(card);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &ServersPage::selectionChanged);
    connect(m_list, &QListView::activated, this, [this] {
        if (const ServerProgram* program = m_model.program(selectedKey()))
            m_instances->startOne(*program);
    });
    connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { m_kept = selectedKey(); });
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &ServersPage::showSelected);
}

void ServersPage::activated()
{
    m_list->setFocus(Qt::OtherFocusReason);
}

void ServersPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_fixed)
        return;
    connect(&worker(), &ServerWorker::listed, this, &ServersPage::takeList, Qt::UniqueConnection);
    if (worker().isListed())
        takeList();
    worker().refresh();
    m_poll.start();
}

void ServersPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_poll.stop();
}

bool ServersPage::busy() const
{
    return !m_fixed && worker().busy();
}

QString ServersPage::selectedKey() const
{
    return m_list->currentIndex().data(ServerListModel::KeyRole).toString();
}

void ServersPage::select(const QString& key)
{
    m_asked = key;
    if (const int row = m_model.rowOf(key); row >= 0) {
        m_asked.clear();
        m_list->setCurrentIndex(m_model.index(row));
        m_list->scrollTo(m_model.index(row));
    }
}

void ServersPage::takeList()
{
    const ServerList& list = worker().list();
    m_model.setList(list);
    if (!m_asked.isEmpty())
        select(m_asked);
    if (!m_list->currentIndex().isValid() && m_asked.isEmpty() && m_model.rowOf(m_kept) >= 0)
        select(m_kept);
    if (!m_list->currentIndex().isValid() && m_asked.isEmpty()) {
        // Most visits are about what runs or was made here; else about what could be started.
        if (!list.instances.empty())
            select(ServerListModel::keyOf(list.instances.front()));
        else if (!list.remotes.servers.empty())
            select(ServerListModel::keyOf(list.remotes.servers.front()));
        else if (!list.programs.empty())
            select(ServerListModel::keyOf(list.programs.front()));
    }
    m_space->showSpace(list.space);
    m_leftControls->takeList(list);
    if (list.problem)
        m_banner->showError(tr("Settings left changed cannot be listed"), *list.problem);
    else if (!list.remotes.faults.empty()) {
        const Fault& fault = list.remotes.faults.front();
        m_banner->showText(tr("servers.toml, line %1: %2").arg(fault.line).arg(qtText(fault.what)), Tone::Warn,
                           qtText(fault.remedy));
    }
    const auto running = std::count_if(list.instances.begin(), list.instances.end(),
                                       [](const ServerInstance& one) { return one.state == InstanceState::Running; });
    m_header->setSubtitle(QStringList{tr("%1 running").arg(running),
                                      tr("%n instance(s)", nullptr, int(list.instances.size())),
                                      tr("%n remote server(s)", nullptr, int(list.remotes.servers.size())),
                                      tr("%n installed program(s)", nullptr, int(list.programs.size()))}
                              .join(u" · "_s));
    showSelected();
    readSelected();
}

void ServersPage::selectionChanged()
{
    m_shown.clear();
    m_details->clear();
    showSelected();
    readSelected();
}

void ServersPage::showSelected()
{
    const QString key = selectedKey();
    if (const ServerInstance* instance = m_model.instance(key))
        m_details->showInstance(*instance, m_model.activity(instance->name));
    else if (const RemoteServer* remote = m_model.remote(key))
        m_details->showRemote(*remote, m_model.remoteState(remote->uri));
    else if (const ServerProgram* program = m_model.program(key))
        m_details->showProgram(*program);
    else
        m_details->showNothing(!m_fixed && !worker().isListed());
}

void ServersPage::readSelected()
{
    if (m_fixed)
        return;
    const QString key = selectedKey();
    if (const ServerInstance* instance = m_model.instance(key)) {
        // Once for each time it is selected, started or stopped.
        const QString now = u"%1|%2"_s.arg(key).arg(instance->process);
        if (now == m_shown)
            return;
        m_shown = now;
        worker().view(this, instance->name, [this, key](const Expected<InstanceView>& view) {
            if (selectedKey() != key)
                return;
            if (view)
                m_details->setView(*view);
            else
                m_details->setViewProblem(view.error());
        });
        if (const auto target = instanceTarget(*instance))
            readVariables(*target, key);
        else if (instance->state == InstanceState::Stopped && instance->named)
            m_details->clearVariables(tr("The server is stopped"), tr("Start it to see its variables."), Action::Start);
        else
            m_details->clearVariables(tr("No variables"), tr("Only a server that runs here can be asked."));
    } else if (const RemoteServer* remote = m_model.remote(key); remote && m_shown != key) {
        m_shown = key;
        if (const auto uri = parseUri(remote->uri))
            context().keyring().find(*uri);
        const RemoteState state = m_model.remoteState(remote->uri);
        if (state.facts)
            readVariables(m_remotes->target(*remote), key);
        else
            m_details->clearVariables(tr("Not checked yet"),
                                      tr("Test the connection to see version and variables. Nothing is changed."),
                                      Action::Test);
    }
}

void ServersPage::readVariables(const TargetUri& target, const QString& key)
{
    m_details->setVariablesBusy();
    worker().variables(this, target, [this, key](const Expected<VariableRows>& rows) {
        if (selectedKey() == key)
            m_details->setVariables(rows);
    });
}

void ServersPage::showTested(const RemoteServer& server, const Expected<ServerFacts>& facts)
{
    const QString key = ServerListModel::keyOf(server);
    if (selectedKey() != key)
        return;
    if (facts)
        readVariables(m_remotes->target(server), key);
    else
        m_details->clearVariables(facts.error().kind == ErrorKind::Refused ? tr("The server answers, but refuses")
                                                                           : tr("The server does not answer"),
                                  errorLines(facts.error()), Action::Test);
}

void ServersPage::act(Action action)
{
    const QString key = selectedKey();
    const ServerProgram* program = m_model.program(key);
    const ServerInstance* instance = m_model.instance(key);
    const RemoteServer* remote = m_model.remote(key);
    switch (action) {
    case Action::AddRemote:
        return m_remotes->edit({});
    case Action::StartOne:
        if (program)
            m_instances->startOne(*program);
        return;
    case Action::Start:
        if (instance)
            m_instances->start(*instance);
        return;
    case Action::Stop:
        if (instance)
            m_instances->stop(instance->name);
        return;
    case Action::Remove:
        if (instance)
            m_instances->askRemove(*instance);
        return;
    case Action::Edit:
        if (remote)
            m_remotes->edit(*remote);
        else if (instance)
            m_instances->editPrice(*instance);
        return;
    case Action::Forget:
        if (remote)
            m_remotes->forget(*remote);
        return;
    case Action::Test:
        if (remote) {
            m_details->setVariablesBusy();
            m_remotes->test(
                *remote, [this, server = *remote](const Expected<ServerFacts>& facts) { showTested(server, facts); });
        }
        return;
    case Action::UseInPlan:
        if (const std::string uri = program    ? program->uri
                                    : instance ? instance->uri
                                    : remote   ? remote->uri
                                               : std::string();
            !uri.empty())
            context().useTarget(qtText(uri));
        return;
    case Action::Refresh:
        m_shown.clear();
        readSelected();
        return;
    }
}

void ServersPage::showLeftovers(const LeftoverReport& report)
{
    m_leftControls->showLeftovers(report);
}

void ServersPage::showSnapshot(const ServerSnapshot& snapshot)
{
    m_fixed = true;
    m_poll.stop();
    m_model.setList(snapshot.list);
    for (const auto& [uri, state] : snapshot.remotes)
        m_model.setRemoteState(uri, state);
    m_leftControls->nameServers(snapshot.list);
    m_space->showSpace(snapshot.list.space);
    m_left->model().setLeft(snapshot.list.left);
    m_left->refresh();
    select(snapshot.selected);
    showSelected();
    m_details->setView(snapshot.view);
    m_details->setVariables(snapshot.variables);
}

} // namespace dyno
