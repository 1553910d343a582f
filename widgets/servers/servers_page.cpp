// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/servers_page.h"

#include "bridge/app_context.h"
#include "bridge/keyring.h"
#include "bridge/run_bridge.h"
#include "format.h"
#include "parts/banner.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/foreign_text.h"
#include "parts/plan_text.h"
#include "servers/left_changes.h"
#include "servers/server_dialogs.h"
#include "servers/server_list.h"

#include <dyno/passwords.h>

#include <QMessageBox>
#include <QShortcut>

#include <algorithm>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

using Action = ServerDetails::Action;

namespace {

constexpr int kListWidth = 300;
constexpr int kPollMs = 5000;

QString errorText(const Error& error)
{
    QString text = qtText(error.message);
    if (!error.remedy.empty())
        text += u'\n' + qtText(error.remedy);
    return text;
}

//! A question with one button that acts and one that does not; shown with open().
template<class Act>
void ask(QWidget* parent, const QString& name, const QString& title, const QString& text, const QString& more,
         const QString& yes, Act act)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, title, text, QMessageBox::NoButton, parent);
    box->setObjectName(name);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(more);
    showPlainly(*box); // parts of it come from servers.toml and instances
    QPushButton* accept = box->addButton(yes, QMessageBox::DestructiveRole);
    accept->setObjectName(name % u"Yes"_s);
    QPushButton* reject = box->addButton(QMessageBox::Cancel);
    reject->setObjectName(name % u"No"_s);
    box->setDefaultButton(reject);
    QObject::connect(accept, &QPushButton::clicked, parent, std::move(act));
    box->open();
}

} // namespace

ServersPage::ServersPage(AppContext& context, QWidget* parent)
    : Page(context, parent)
    , m_header(new PageHeader(tr("Servers")))
    , m_banner(new Banner(u"serversBanner"_s))
    , m_left(new LeftChangesCard)
    , m_spaceRow(nullptr)
    , m_spaceText(nullptr)
    , m_spaceFree(nullptr)
    , m_list(new ServerListView)
    , m_details(new ServerDetails)
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
    layout->addWidget(makeSpaceRow());
    layout->addLayout(middle, 1);

    const auto shortcut = [this](const QKeySequence& keys, auto slot) {
        auto* made = new QShortcut(keys, this);
        made->setContext(Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, slot);
    };
    shortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A), [this] { editRemote({}); });
    connect(add, &QPushButton::clicked, this, [this] { editRemote({}); });
    const auto lookAgain = [this] {
        if (m_fixed)
            return;
        worker().refresh(true);
        m_shown.clear();
        readSelected();
    };
    connect(refresh, &QPushButton::clicked, this, lookAgain);
    shortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), lookAgain);
    shortcut(QKeySequence::Delete, [this] {
        if (const ServerInstance* instance = m_model.instance(selectedKey());
            instance && (instance->state == InstanceState::Stopped || instance->state == InstanceState::Left))
            askRemove(*instance);
        else if (const RemoteServer* remote = m_model.remote(selectedKey()))
            forgetRemote(RemoteServer(*remote));
    });
    connect(m_details, &ServerDetails::actionRequested, this, &ServersPage::act);
    const auto sayWhere = [this] { m_left->setPasswordPlace(this->context().keyring().text()); };
    sayWhere();
    connect(&context.keyring(), &Keyring::lastsChanged, this, sayWhere);
    connect(m_left, &LeftChangesCard::restoreRequested, this, &ServersPage::askRestore);
    connect(m_left, &LeftChangesCard::leaveRequested, this, &ServersPage::leaveAsIs);
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
            startOne(*program);
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
    nameLeft(list);
    showSpace(list.space);
    std::vector<LeftChange> left;
    std::copy_if(list.left.begin(), list.left.end(), std::back_inserter(left),
                 [](const LeftChange& change) { return !change.ownerAlive; });
    if (m_restores == 0) {
        m_left->model().setLeft(left);
        m_left->refresh();
    }
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

void ServersPage::nameLeft(const ServerList& list)
{
    std::map<std::string, QString> names;
    for (const LeftChange& change : list.left) {
        if (const auto uri = parseUri(change.target); uri && uri->kind == TargetKind::Remote)
            context().keyring().find(*uri);
        if (const RemoteServer* server = list.remote(change.target))
            names[change.target] = remoteText(*server);
    }
    m_left->model().setNames(std::move(names));
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
            readVariables(remoteTarget(*remote), key);
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

TargetUri ServersPage::remoteTarget(const RemoteServer& server) const
{
    auto uri = parseUri(server.uri);
    TargetUri target = uri ? *uri : TargetUri();
    const QString known = context().keyring().password(target);
    target.password = known.isEmpty() ? passwordFor(target, {}) : known.toStdString();
    return target;
}

void ServersPage::act(Action action)
{
    const QString key = selectedKey();
    const ServerProgram* program = m_model.program(key);
    const ServerInstance* instance = m_model.instance(key);
    const RemoteServer* remote = m_model.remote(key);
    switch (action) {
    case Action::AddRemote:
        return editRemote({});
    case Action::StartOne:
        if (program)
            startOne(*program);
        return;
    case Action::Start:
        if (instance) {
            if (const auto uri = parseUri(instance->uri))
                startInstance(*uri, {}, instance->name);
            else
                m_banner->showError(tr("“%1” was not started").arg(qtText(instance->name)), uri.error());
        }
        return;
    case Action::Stop:
        if (instance)
            stopInstance(instance->name);
        return;
    case Action::Remove:
        if (instance)
            askRemove(*instance);
        return;
    case Action::Edit:
        if (remote)
            editRemote(*remote);
        else if (instance)
            editPrice(*instance);
        return;
    case Action::Forget:
        if (remote)
            forgetRemote(*remote);
        return;
    case Action::Test:
        if (remote)
            testRemote(*remote);
        return;
    case Action::UseInPlan:
        useInPlan(program ? program->uri : instance ? instance->uri : remote ? remote->uri : std::string());
        return;
    case Action::Refresh:
        m_shown.clear();
        readSelected();
        return;
    }
}

void ServersPage::askRemove(const ServerInstance& instance)
{
    ask(this, u"removeQuestion"_s, tr("Remove the instance"),
        tr("Remove “%1” and its data?").arg(qtText(instance.name)),
        tr("%1 on disk are deleted for good. Sessions that were measured on it stay in the library.")
            .arg(format::bytes(double(instance.bytes))),
        tr("Remove"), [this, name = instance.name] { removeInstance(name); });
}

void ServersPage::removeInstance(const std::string& name)
{
    m_model.setActivity(name, tr("removing…"));
    worker().remove(this, name, [this, name](const Expected<void>& removed) {
        m_model.setActivity(name, {});
        if (!removed)
            m_banner->showError(tr("“%1” was not removed").arg(qtText(name)), removed.error());
        else
            context().showMessage(tr("Removed “%1”").arg(qtText(name)));
        worker().refresh();
    });
}

void ServersPage::editRemote(const RemoteServer& server)
{
    auto* dialog = new RemoteServerDialog(server, context().keyring(), window());
    connect(dialog, &RemoteServerDialog::saveRequested, this,
            [this, server](const RemoteServer& next, const QString& typed) { saveRemote(server, next, typed); });
    dialog->open();
}

void ServersPage::saveRemote(const RemoteServer& before, const RemoteServer& server, const QString& password)
{
    if (const auto uri = parseUri(server.uri))
        context().keyring().keep(*uri, password);
    const bool moved = !before.uri.empty() && before.uri != server.uri;
    worker().saveRemote(this, server, [this, before, server, moved](const Expected<void>& saved) {
        if (!saved)
            return m_banner->showError(tr("The server was not saved"), saved.error());
        select(ServerListModel::keyOf(server));
        if (moved)
            worker().forgetRemote(this, before.uri, [this](const Expected<void>&) { worker().refresh(); });
        else
            worker().refresh();
    });
}

void ServersPage::forgetRemote(const RemoteServer& server)
{
    worker().forgetRemote(this, server.uri, [this, server](const Expected<void>& forgotten) {
        worker().refresh();
        if (!forgotten)
            return m_banner->showError(tr("The server was not forgotten"), forgotten.error());
        const TargetUri account = parseUri(server.uri).value_or(TargetUri());
        const QString password = context().keyring().password(account);
        context().keyring().keep(account, {});
        const auto undo = [page = QPointer(this), server, password] {
            if (page)
                page->saveRemote({}, server, password);
        };
        context().showMessage(tr("Forgot “%1”").arg(remoteText(server)), tr("Undo"), undo);
    });
}

void ServersPage::testRemote(const RemoteServer& server)
{
    RemoteState state;
    state.testing = true;
    m_model.setRemoteState(server.uri, state);
    m_details->setVariablesBusy();
    worker().inspect(this, remoteTarget(server), [this, server](const Expected<ServerFacts>& facts) {
        RemoteState after;
        if (facts)
            after.facts = *facts;
        else
            after.problem = qtText(facts.error().message);
        after.refused = !facts && facts.error().kind == ErrorKind::Refused;
        m_model.setRemoteState(server.uri, after);
        const QString key = ServerListModel::keyOf(server);
        if (selectedKey() != key)
            return;
        if (facts)
            readVariables(remoteTarget(server), key);
        else
            m_details->clearVariables(facts.error().kind == ErrorKind::Refused ? tr("The server answers, but refuses")
                                                                               : tr("The server does not answer"),
                                      errorText(facts.error()), Action::Test);
    });
}

void ServersPage::useInPlan(const std::string& uri)
{
    if (!uri.empty())
        context().useTarget(qtText(uri));
}

void ServersPage::askRestore(bool overwrite)
{
    QStringList production;
    for (const LeftChange& change : m_model.list().left) {
        const RemoteServer* server = m_model.list().remote(change.target);
        if (server && server->production && !production.contains(remoteText(*server)))
            production << remoteText(*server);
    }
    if (production.isEmpty())
        return restore(overwrite);
    ask(this, u"restoreQuestion"_s, tr("A production server"),
        tr("Change settings on %1?").arg(production.join(tr(", "))),
        tr("It is marked as production. The values that were in force before the session are set again."),
        tr("Restore"), [this, overwrite] { restore(overwrite); });
}

void ServersPage::restore(bool overwrite)
{
    std::set<std::string> targets;
    for (const LeftChange& change : m_model.list().left) {
        if (!change.ownerAlive)
            targets.insert(change.target);
    }
    m_left->setProblem({});
    for (const std::string& target : targets) {
        ++m_restores;
        m_left->setBusy(true);
        const TargetUri account = parseUri(target).value_or(TargetUri());
        if (targets.size() == 1 && !m_left->password().isEmpty()) // of several, nobody knows whose it is
            context().keyring().keep(account, m_left->password());
        const std::string password = context().keyring().password(account).toStdString();
        worker().restore(this, target, password, overwrite,
                         [this](const Expected<std::vector<RestoredKnob>>& restored) {
                             --m_restores;
                             m_left->setBusy(m_restores > 0);
                             if (restored)
                                 m_left->model().addResults(*restored);
                             else
                                 m_left->setProblem(errorText(restored.error()));
                             m_left->refresh();
                             if (m_restores == 0)
                                 worker().refresh();
                         });
    }
}

void ServersPage::leaveAsIs()
{
    std::set<std::string> targets;
    for (const LeftChange& change : m_model.list().left) {
        if (!change.ownerAlive)
            targets.insert(change.target);
    }
    for (const std::string& target : targets) {
        worker().leaveAsIs(this, target, [this](const Expected<void>& left) {
            if (!left)
                m_left->setProblem(errorText(left.error()));
            m_left->model().clear();
            m_left->refresh();
            worker().refresh();
        });
    }
}

void ServersPage::showLeftovers(const LeftoverReport& report)
{
    m_left->model().addResults(report.knobs);
    if (report.problem)
        m_left->setProblem(errorText(*report.problem));
    m_left->refresh();
}

void ServersPage::showSnapshot(const ServerSnapshot& snapshot)
{
    m_fixed = true;
    m_poll.stop();
    m_model.setList(snapshot.list);
    for (const auto& [uri, state] : snapshot.remotes)
        m_model.setRemoteState(uri, state);
    nameLeft(snapshot.list);
    showSpace(snapshot.list.space);
    m_left->model().setLeft(snapshot.list.left);
    m_left->refresh();
    select(snapshot.selected);
    showSelected();
    m_details->setView(snapshot.view);
    m_details->setVariables(snapshot.variables);
}

} // namespace dyno
