// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/server_details.h"

#include "format.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "parts/table_columns.h"
#include "servers/server_list.h"
#include "theme.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

QTableView* plainTable(QAbstractItemModel* model, const QString& name, const QString& label)
{
    auto* table = new QTableView;
    setRole(table, "plain");
    describe(table, name, label, u" "_s);
    table->setToolTip({});
    table->setModel(model);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setWordWrap(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(space::tableRow);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

void letChooseColumns(QTableView* table, const QStringList& keys, const std::set<int>& always)
{
    auto* columns = new TableColumns(table, keys, always);
    table->addAction(columns->menu()->menuAction());
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QVBoxLayout* columnOf(QWidget* page)
{
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    return column;
}

void addPrice(std::vector<std::pair<QString, QString>>& facts, const Price& price)
{
    if (price.costPerHour > 0)
        facts.emplace_back(ServerDetails::tr("Cost per hour"),
                           ServerDetails::tr("%1 %2", "amount, currency")
                               .arg(format::rate(price.costPerHour), qtText(price.currency)));
    if (price.watts > 0)
        facts.emplace_back(ServerDetails::tr("Power"), ServerDetails::tr("%1 W").arg(format::rate(price.watts)));
}

} // namespace

ServerDetails::ServerDetails(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget)
    , m_nothing(new EmptyState(u"servers"_s, {}, {}))
    , m_title(makeLabel({}, TextRole::Section))
    , m_state(new Chip)
    , m_production(new Chip(tr("production"), Tone::Warn))
    , m_second(new ElidedLabel({}, TextRole::Secondary))
    , m_buttonRow(new QHBoxLayout)
    , m_factsBox(new QWidget)
    , m_facts(new FlowLayout(m_factsBox, 24))
    , m_tabs(new QWidget)
    , m_variablesTab(new PillButton(tr("Variables")))
    , m_dataTab(new PillButton(tr("Data on disk")))
    , m_logTab(new PillButton(tr("Log")))
    , m_pages(new QStackedWidget)
    , m_hint(new EmptyState(u"play"_s, {}, {}))
    , m_differs(new PillButton(tr("Differs from the default")))
    , m_search(new QLineEdit)
    , m_count(makeLabel({}, TextRole::Secondary))
    , m_progress(new QProgressBar)
    , m_variablesStack(new QStackedWidget)
    , m_table(nullptr)
    , m_noVariables(new EmptyState(u"info"_s, {}, {}))
    , m_sizes(new SizeBar)
    , m_partsTable(nullptr)
    , m_partsEmpty(new WrapLabel({}, TextRole::Secondary))
    , m_log(new QPlainTextEdit)
    , m_logCopied(makeLabel({}, TextRole::Secondary))
{
    setObjectName(u"serverDetails"_s);
    m_title->setObjectName(u"serverTitle"_s);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_state->setObjectName(u"serverState"_s);
    m_production->setObjectName(u"serverProduction"_s);
    m_second->setObjectName(u"serverSecond"_s);
    m_nothing->setObjectName(u"serverNothing"_s);
    m_hint->setObjectName(u"serverHint"_s);

    auto* card = new Card;
    card->body()->addLayout(buildHead());
    card->body()->addWidget(m_second);
    card->body()->addWidget(m_factsBox);
    buildTabs();
    card->body()->addWidget(m_tabs);
    card->body()->addWidget(m_pages, 1);
    auto* nothing = new Card;
    nothing->body()->addWidget(m_nothing, 1);
    m_stack->addWidget(card);
    m_stack->addWidget(nothing);
    columnOf(this)->addWidget(m_stack);
    connect(m_nothing, &EmptyState::buttonClicked, this, [this] { emit actionRequested(Action::AddRemote); });
    connect(m_noVariables, &EmptyState::buttonClicked, this, [this] {
        if (m_noVariablesAction)
            emit actionRequested(*m_noVariablesAction);
    });
    showNothing(true);
}

QHBoxLayout* ServerDetails::buildHead()
{
    auto* names = new QHBoxLayout;
    names->setSpacing(8);
    names->addWidget(m_title);
    names->addWidget(m_state);
    names->addWidget(m_production);
    names->addStretch(1);
    m_buttonRow->setSpacing(8);
    names->addLayout(m_buttonRow);
    addButton(Action::Refresh, u"serverRefresh"_s, tr("Refresh"), tr("Refresh variables, sizes and log"));
    addButton(Action::Remove, u"serverRemove"_s, tr("Remove…"), tr("Delete the instance and its data"), "danger");
    addButton(Action::Forget, u"serverForget"_s, tr("Forget"),
              tr("Take the server off this list; the server is not touched"));
    addButton(
        Action::Edit, u"serverEdit"_s, tr("Edit…"),
        tr("Edit the server's price; for a remote server also its name, URI, production mark and restart commands"));
    addButton(Action::Test, u"serverTest"_s, tr("Test connection"),
              tr("Connects, reads version and variables, disconnects; changes nothing; up to 10 s"));
    addButton(Action::Stop, u"serverStop"_s, tr("Stop"), tr("Stop the server cleanly; its data stays"));
    addButton(Action::Start, u"serverStart"_s, tr("Start"), tr("Start the server on its data"));
    addButton(Action::StartOne, u"serverStartOne"_s, tr("Start one…"),
              tr("Make an instance of this program with a name"));
    addButton(Action::UseInPlan, u"serverUse"_s, tr("Use in a plan"),
              tr("Make it the target of the plan on the Plan page"), "primary");
    return names;
}

void ServerDetails::buildTabs()
{
    auto* group = new QButtonGroup(this);
    auto* tabs = new QHBoxLayout(m_tabs);
    tabs->setContentsMargins(0, 4, 0, 0);
    tabs->setSpacing(4);
    int page = 0;
    const auto tab = [&](PillButton* pill, const QString& name, const QString& tip) {
        describe(pill, name, pill->text(), tip);
        setRole(pill, "flat");
        group->addButton(pill, page++);
        tabs->addWidget(pill);
    };
    tab(m_variablesTab, u"tabVariables"_s, tr("Variables in force against the defaults"));
    tab(m_dataTab, u"tabData"_s, tr("What the data folder holds, by table and kind of file"));
    tab(m_logTab, u"tabLog"_s, tr("The end of the server's error log"));
    tabs->addStretch(1);
    m_variablesTab->setChecked(true);
    connect(group, &QButtonGroup::idClicked, m_pages, &QStackedWidget::setCurrentIndex);
    m_pages->addWidget(buildVariables());
    m_pages->addWidget(buildData());
    m_pages->addWidget(buildLog());
    m_pages->addWidget(m_hint);
}

QPushButton* ServerDetails::addButton(Action action, const QString& name, const QString& text, const QString& tip,
                                      const char* role)
{
    QPushButton* button = makeButton(text, role);
    describe(button, name, text, tip);
    m_buttonRow->addWidget(button);
    m_buttons.emplace_back(action, button);
    connect(button, &QPushButton::clicked, this, [this, action] { emit actionRequested(action); });
    return button;
}

QWidget* ServerDetails::buildVariables()
{
    auto* page = new QWidget;
    auto* column = columnOf(page);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    m_differs->setChecked(true);
    describe(m_differs, u"variablesDiffer"_s, tr("Only variables that differ from the default"),
             tr("Only variables that differ from the server's default"));
    describe(m_search, u"variablesSearch"_s, tr("Search variables"),
             tr("Name, knob or value; several words narrow it down"));
    m_search->setPlaceholderText(tr("Search"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(280);
    m_count->setObjectName(u"variablesCount"_s);
    m_progress->setRange(0, 0);
    m_progress->setFixedWidth(120);
    m_progress->setAccessibleName(tr("Reading variables"));
    bar->addWidget(m_differs);
    bar->addWidget(m_search, 1);
    bar->addStretch(1);
    bar->addWidget(m_progress);
    bar->addWidget(m_count);
    column->addLayout(bar);
    m_filter.setSourceModel(&m_variables);
    m_table = plainTable(&m_filter, u"variablesTable"_s, tr("Variables"));
    QHeaderView* header = m_table->horizontalHeader();
    header->setMinimumSectionSize(72);
    const std::pair<int, int> widths[] = {{VariablesModel::NameColumn, 250},
                                          {VariablesModel::ValueColumn, 176},
                                          {VariablesModel::DefaultColumn, 150},
                                          {VariablesModel::ChangeColumn, 96}};
    for (const auto& [section, width] : widths)
        header->resizeSection(section, std::max(width, header->sectionSizeHint(section)));
    header->setSectionResizeMode(VariablesModel::LabelColumn, QHeaderView::Stretch);
    letChooseColumns(m_table, {u"name"_s, u"value"_s, u"default"_s, u"label"_s, u"change"_s},
                     {VariablesModel::NameColumn, VariablesModel::ValueColumn});
    m_noVariables->setObjectName(u"variablesEmpty"_s);
    m_variablesStack->addWidget(m_table);
    m_variablesStack->addWidget(m_noVariables);
    column->addWidget(m_variablesStack, 1);
    connect(m_differs, &QPushButton::toggled, this, &ServerDetails::updateCounts);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter.setSearch(text);
        updateCounts();
    });
    return page;
}

QWidget* ServerDetails::buildData()
{
    auto* page = new QWidget;
    auto* column = columnOf(page);
    m_sizes->setAccessibleName(tr("Data on disk by kind"));
    m_sizes->setObjectName(u"sizeBar"_s);
    m_partsTable = plainTable(&m_parts, u"partsTable"_s, tr("Parts of the data folder"));
    m_partsTable->setItemDelegate(new FigureDelegate(m_partsTable));
    QHeaderView* header = m_partsTable->horizontalHeader();
    header->resizeSection(DataPartsModel::KindColumn, 150);
    header->resizeSection(DataPartsModel::SizeColumn, 110);
    header->resizeSection(DataPartsModel::ShareColumn, 80);
    header->setSectionResizeMode(DataPartsModel::NameColumn, QHeaderView::Stretch);
    letChooseColumns(m_partsTable, {u"kind"_s, u"name"_s, u"size"_s, u"share"_s}, {DataPartsModel::NameColumn});
    m_partsEmpty->setObjectName(u"partsEmpty"_s);
    column->addSpacing(4);
    column->addWidget(m_sizes);
    column->addWidget(m_partsEmpty);
    column->addWidget(m_partsTable, 1);
    return page;
}

QWidget* ServerDetails::buildLog()
{
    auto* page = new QWidget;
    auto* column = columnOf(page);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    auto* refresh = makeButton(tr("Refresh"), "link");
    describe(refresh, u"logRefresh"_s, tr("Read the log again"));
    auto* copy = makeButton(tr("Copy"), "link");
    describe(copy, u"logCopy"_s, tr("Copy the log"), tr("Copy what is shown to the clipboard"));
    bar->addWidget(makeLabel(tr("The last 200 lines"), TextRole::Secondary));
    bar->addStretch(1);
    bar->addWidget(m_logCopied);
    bar->addWidget(refresh);
    bar->addWidget(copy);
    column->addLayout(bar);
    describe(m_log, u"serverLog"_s, tr("Error log of the server"), u" "_s);
    m_log->setToolTip({});
    m_log->setReadOnly(true);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setTabChangesFocus(true);
    m_log->setPlaceholderText(tr("The log is empty"));
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPixelSize(12);
    m_log->setFont(mono);
    // The theme's sheet names a size for all text fields, and a sheet wins over a font.
    m_log->setStyleSheet(u"QPlainTextEdit { font-family: \"%1\"; font-size: 12px; }"_s.arg(mono.family()));
    column->addWidget(m_log, 1);
    connect(refresh, &QPushButton::clicked, this, [this] { emit actionRequested(Action::Refresh); });
    connect(copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_log->toPlainText());
        m_logCopied->setText(tr("copied"));
        QTimer::singleShot(3000, m_logCopied, &QLabel::clear);
    });
    return page;
}

void ServerDetails::showButtons(const std::vector<Action>& actions)
{
    for (const auto& [action, button] : m_buttons)
        button->setVisible(std::find(actions.begin(), actions.end(), action) != actions.end());
}

void ServerDetails::setHead(const QString& title, const QString& second, const QString& state, Tone tone,
                            bool production)
{
    m_stack->setCurrentIndex(0);
    m_title->setText(title);
    m_second->setText(second);
    m_second->setVisible(!second.isEmpty());
    m_state->setText(state);
    setTone(m_state, tone);
    m_state->setVisible(!state.isEmpty());
    m_production->setVisible(production);
    setAccessibleName(tr("%1, %2").arg(title, state));
}

void ServerDetails::setFacts(const std::vector<std::pair<QString, QString>>& facts)
{
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const auto& [name, value] : facts) {
        if (value.isEmpty())
            continue;
        auto* fact = new QWidget;
        auto* column = new QVBoxLayout(fact);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(1);
        auto* text = new ElidedLabel(value, TextRole::Body);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setMaximumWidth(420);
        text->setMinimumWidth(std::min(text->sizeHint().width(), 420));
        column->addWidget(makeLabel(name, TextRole::Label));
        column->addWidget(text);
        fact->setAccessibleName(tr("%1: %2").arg(name, value));
        m_facts->addWidget(fact);
    }
    m_factsBox->setVisible(!facts.empty());
    m_factsBox->updateGeometry();
}

void ServerDetails::showTabs(bool variables, bool folder)
{
    m_tabs->setVisible(folder); // one page alone needs no tabs
    m_dataTab->setVisible(folder);
    m_logTab->setVisible(folder);
    if (!variables && !folder)
        return m_pages->setCurrentWidget(m_hint);
    if (!folder)
        m_variablesTab->setChecked(true);
    m_pages->setCurrentIndex(m_logTab->isChecked() ? 2 : m_dataTab->isChecked() ? 1 : 0);
}

void ServerDetails::showNothing(bool looking)
{
    m_stack->setCurrentIndex(1);
    setAccessibleName(tr("No server selected"));
    if (looking)
        m_nothing->setTexts(tr("Looking for servers"),
                            tr("On the path, in the usual places and in Dynobench's data folder."));
    else
        m_nothing->setTexts(tr("Choose a server"),
                            tr("Select an instance, a remote server or an installed program on the left.\n"
                               "A remote server can be added by its URI."),
                            tr("Add a server…"));
}

void ServerDetails::showProgram(const ServerProgram& program)
{
    setHead(productText(program.name, program.version),
            program.basedir.empty() ? tr("Installed with the system") : tr("In a folder of its own"), {}, Tone::Neutral,
            false);
    setFacts({{tr("Version"), qtText(program.version)},
              {tr("Build"), qtText(program.build)},
              {tr("Program"), qtText(program.program.string())},
              {tr("Folder"), qtText(program.basedir.string())},
              {tr("In a plan"), qtText(program.uri)}});
    showButtons({Action::StartOne, Action::UseInPlan});
    m_hint->setTexts(tr("An instance of your own"),
                     tr("A plan can use this program as it is: Dynobench then makes a fresh data folder for the "
                        "session and "
                        "removes it afterwards.\nStart one with a name to keep its data and to look at it here."));
    showTabs(false, false);
}

void ServerDetails::showInstance(const ServerInstance& instance, const QString& activity)
{
    const bool busy = !activity.isEmpty();
    setHead(instance.named ? qtText(instance.name) : tr("Instance of a session"), {},
            busy ? activity : stateText(instance.state), busy ? Tone::Accent : stateTone(instance.state), false);
    std::vector<std::pair<QString, QString>> facts{
        {tr("Version"), qtText(instance.version)},
        {tr("On disk"), instance.bytes > 0 ? format::bytes(double(instance.bytes)) : QString()},
        {tr("Process"), instance.process > 0 ? QString::number(instance.process) : QString()},
        {tr("Folder"), qtText(instance.folder.string())},
        {tr("In a plan"), qtText(instance.uri)}};
    addPrice(facts, instance.price);
    setFacts(facts);
    std::vector<Action> actions{Action::Refresh};
    if (!busy) {
        if (instance.named)
            actions.push_back(Action::Edit);
        // One of a session is the session's to stop.
        if (instance.state == InstanceState::Running && instance.named)
            actions.push_back(Action::Stop);
        if (instance.state == InstanceState::Stopped && instance.named)
            actions.push_back(Action::Start);
        if (instance.state == InstanceState::Stopped || instance.state == InstanceState::Left)
            actions.push_back(Action::Remove);
        if (!instance.uri.empty())
            actions.push_back(Action::UseInPlan);
    }
    showButtons(actions);
    showTabs(true, true);
}

void ServerDetails::showRemote(const RemoteServer& remote, const RemoteState& state)
{
    QString word = tr("not checked yet");
    Tone tone = Tone::Neutral;
    if (state.testing) {
        word = tr("connecting…");
        tone = Tone::Accent;
    } else if (state.facts) {
        word = tr("answers");
        tone = Tone::Good;
    } else if (!state.problem.isEmpty()) {
        word = state.refused ? tr("refuses the connection") : tr("does not answer");
        tone = Tone::Bad;
    }
    setHead(remoteText(remote), state.problem, word, tone, remote.production);
    std::vector<std::pair<QString, QString>> facts{{tr("URI"), qtText(redactUri(remote.uri))}};
    if (state.facts) {
        facts.emplace_back(tr("Version"), qtText(state.facts->product + " " + state.facts->version));
        facts.emplace_back(tr("Connection"),
                           qtText(state.facts->cipher.empty() ? state.facts->transport
                                                              : state.facts->transport + ", " + state.facts->cipher));
        if (state.facts->roundTripMs > 0)
            facts.emplace_back(tr("Round trip"), format::time(state.facts->roundTripMs));
    }
    facts.emplace_back(tr("Knobs that need a restart"), remote.apply.empty() && remote.restart.empty()
                                                            ? tr("refused: no commands given")
                                                            : tr("by your own commands"));
    addPrice(facts, remote.price);
    setFacts(facts);
    showButtons(state.testing ? std::vector<Action>{Action::Edit, Action::UseInPlan}
                              : std::vector<Action>{Action::Forget, Action::Edit, Action::Test, Action::UseInPlan});
    showTabs(true, false);
}

void ServerDetails::clear()
{
    clearVariables(tr("Reading variables"), {});
    setView({});
    m_partsEmpty->setText(tr("Reading sizes…"));
}

void ServerDetails::setVariablesBusy()
{
    m_progress->setVisible(true);
    m_count->setText(tr("Reading variables…"));
}

void ServerDetails::setVariables(const Expected<VariableRows>& rows)
{
    m_progress->setVisible(false);
    if (!rows) {
        QString text = qtText(rows.error().message);
        if (!rows.error().remedy.empty())
            text += u'\n' + qtText(rows.error().remedy);
        clearVariables(tr("The variables could not be read"), text);
        return;
    }
    m_noVariablesAction.reset();
    m_variables.setRows(*rows);
    updateCounts();
}

void ServerDetails::clearVariables(const QString& title, const QString& text, std::optional<Action> action)
{
    m_progress->setVisible(false);
    m_variables.setRows({});
    updateCounts();
    m_noVariablesAction = action;
    m_noVariables->setTexts(title, text,
                            !action                    ? QString()
                            : *action == Action::Start ? tr("Start")
                                                       : tr("Test connection"));
    m_variablesStack->setCurrentIndex(1);
}

void ServerDetails::updateCounts()
{
    const int all = m_variables.rowCount(), differing = m_variables.differing();
    // Of a product whose defaults nobody knows nothing can differ: then everything is shown.
    const bool comparable = m_variables.comparable() > 0;
    m_filter.setOnlyDiffering(comparable && m_differs->isChecked());
    const int shown = m_filter.rowCount();
    m_search->setEnabled(all > 0);
    m_differs->setEnabled(comparable);
    m_differs->setToolTip(all == 0 || comparable
                              ? tr("Only variables that differ from the server's default")
                              : tr("No default of this server is known: nothing can be compared with it"));
    if (all == 0)
        m_count->clear();
    else if (!comparable)
        m_count->setText(tr("%1 shown · no defaults are known").arg(format::count(shown)));
    else
        m_count->setText(
            tr("%1 shown · %2 of %3 differ").arg(format::count(shown), format::count(differing), format::count(all)));
    if (all > 0 && shown == 0) {
        const bool none = m_search->text().isEmpty();
        m_noVariables->setTexts(none ? tr("All variables have their defaults") : tr("Nothing matches"),
                                none ? tr("No variable differs from its default. Switch the filter off to see all of "
                                          "them.")
                                     : tr("The search looks at names, knobs and values; switch the filter off to "
                                          "search all."));
    }
    m_variablesStack->setCurrentIndex(shown > 0 ? 0 : 1);
}

void ServerDetails::setView(const InstanceView& view)
{
    m_parts.setParts(view.parts);
    m_sizes->setParts(view.parts);
    const bool any = !view.parts.empty();
    m_sizes->setVisible(any);
    m_partsTable->setVisible(any);
    m_partsEmpty->setVisible(!any);
    m_partsEmpty->setText(tr("There is no data on disk yet."));
    if (m_log->toPlainText() != view.log) {
        m_log->setPlainText(view.log);
        m_log->verticalScrollBar()->setValue(m_log->verticalScrollBar()->maximum());
    }
}

void ServerDetails::setViewProblem(const Error& error)
{
    setView({});
    m_partsEmpty->setText(qtText(error.text()));
}

} // namespace dyno
