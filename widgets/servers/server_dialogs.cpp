// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/server_dialogs.h"

#include "bridge/keyring.h"
#include "parts/card.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "parts/price_fields.h"
#include "plan/axes_model.h"
#include "plan/knob_picker.h"
#include "plan/server_list_model.h"
#include "plan/target_form.h"
#include "plan/value_delegate.h"
#include "theme.h"

#include <dyno/passwords.h>
#include <dyno/uri_form.h>

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QIntValidator>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

const QString kScope = u"server."_s;

QVBoxLayout* dialogLayout(QDialog* dialog)
{
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(space::cardGap);
    return layout;
}

QHBoxLayout* buttonRow(QDialog* dialog, const QString& cancelName, QPushButton* act)
{
    auto* cancel = makeButton(QDialog::tr("Cancel"), "", {}, dialog);
    describe(cancel, cancelName, QDialog::tr("Close without a change"));
    QObject::connect(cancel, &QPushButton::clicked, dialog, &QDialog::reject);
    auto* row = new QHBoxLayout;
    row->addStretch();
    row->addWidget(cancel);
    row->addWidget(act);
    act->setDefault(true);
    return row;
}

//! The first "mariadb-1" that is free.
QString freeName(const QString& product, const QStringList& taken)
{
    for (int number = 1;; ++number) {
        const QString name = u"%1-%2"_s.arg(product).arg(number);
        if (!taken.contains(name))
            return name;
    }
}

QString driverOf(const ServerProgram& program)
{
    const auto uri = parseUri(program.uri);
    return uri ? qtText(uri->driver) : QString();
}

//! Server variables that this program has, as far as the catalogue knows.
std::vector<KnobChoice> serverKnobs(const ServerProgram& program)
{
    const QString driver = driverOf(program);
    std::vector<KnobChoice> choices = knobChoices(driver, {});
    const std::vector<KnobInfo> catalogue = knobs(driver.toStdString());
    const auto fits = [&](const KnobChoice& choice) {
        return std::any_of(catalogue.begin(), catalogue.end(), [&](const KnobInfo& knob) {
            return choice.path == kScope + qtText(knob.option.name) && knob.scope == "server" &&
                   editionFor(knob, program.product, program.version);
        });
    };
    std::erase_if(choices, [&](const KnobChoice& choice) { return !choice.path.startsWith(kScope) || !fits(choice); });
    return choices;
}

QPlainTextEdit* commandEdit(const QString& name, const QString& label, const QString& placeholder, const QString& tip)
{
    auto* edit = new QPlainTextEdit;
    edit->setPlaceholderText(placeholder);
    edit->setTabChangesFocus(true);
    edit->setFixedHeight(56);
    QFont font = Theme::font(TextRole::Secondary);
    font.setFamily(u"monospace"_s);
    edit->setFont(font);
    describe(edit, name, label, tip);
    return edit;
}

} // namespace

// --- StartInstanceDialog ---

StartInstanceDialog::StartInstanceDialog(std::vector<ServerProgram> programs, int chosen, QStringList taken,
                                         QWidget* parent)
    : QDialog(parent)
    , m_programs(std::move(programs))
    , m_taken(std::move(taken))
    , m_name(new QLineEdit)
    , m_nameField(nullptr)
    , m_program(new QComboBox)
    , m_settings(new SettingsModel(m_editor, this))
    , m_table(new FitTable(this))
    , m_price(new PriceFields(u"instance"_s, {}, this))
    , m_start(makeButton(tr("Make and start"), "primary", {}, this))
{
    setObjectName(u"startInstance"_s);
    setWindowTitle(tr("Start a server of your own"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(620, 260);
    for (const ServerProgram& program : m_programs) {
        const QString place =
            program.basedir.empty() ? tr("installed with the system") : qtText(program.basedir.string());
        m_program->addItem(u"%1 · %2"_s.arg(productText(program.name, program.version), place));
    }
    m_program->setCurrentIndex(std::clamp(chosen, 0, std::max(0, int(m_programs.size()) - 1)));
    describe(m_name, u"instanceName"_s, tr("Name of the instance"),
             tr("Names its folder and how a plan uses it: letters, digits, - and _"));
    describe(m_program, u"instanceProgram"_s, tr("Program"),
             tr("The server program and version that the instance runs"));
    describe(m_start, u"instanceStart"_s, tr("Make the instance and start it"),
             tr("Creates the data folder if missing, writes the option file and starts the server"));
    layOut();
    connect(m_name, &QLineEdit::textChanged, this, &StartInstanceDialog::check);
    connect(m_price, &PriceFields::changed, this, &StartInstanceDialog::check);
    connect(m_program, &QComboBox::currentIndexChanged, this, &StartInstanceDialog::programChanged);
    connect(m_start, &QPushButton::clicked, this, &StartInstanceDialog::send);
    programChanged();
    check();
    m_name->setFocus();
    m_name->selectAll();
}

void StartInstanceDialog::layOut()
{
    m_nameField = new Field(tr("Name"), m_name, 200, this);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::cardGap);
    line->addWidget(m_nameField);
    line->addWidget(new Field(tr("Program"), m_program, 0, this), 1);
    auto* layout = dialogLayout(this);
    layout->addLayout(line);
    layout->addLayout(makeSettings());
    layout->addWidget(m_table);
    layout->addWidget(m_price);
    layout->addWidget(new WrapLabel(tr("The server gets a folder of its own in Dynobench's data folder and listens on "
                                       "a Unix socket only. It stops when this window closes; its data stays until "
                                       "you remove it."),
                                    TextRole::Secondary, this));
    layout->addStretch(1);
    layout->addLayout(buttonRow(this, u"instanceCancel"_s, m_start));
}

//! The table of settings; the line over it.
QHBoxLayout* StartInstanceDialog::makeSettings()
{
    m_table->setModel(m_settings);
    m_table->setItemDelegate(new ValueDelegate(m_table));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setColumnWidth(SettingsModel::NameColumn, 260);
    m_table->setColumnWidth(SettingsModel::ValueColumn, 160);
    describe(m_table, u"instanceKnobs"_s, tr("Settings of the instance"), u" "_s);
    m_table->setToolTip({});
    m_table->setVisible(false);
    auto* add = makeButton(tr("+ Setting"), "link", {}, this);
    describe(add, u"instanceAddKnob"_s, tr("Add a setting"),
             tr("A server variable that differs from the default; it is written into the instance's option file"));
    auto* head = new QHBoxLayout;
    head->addWidget(makeStrongLabel(tr("Settings"), this));
    head->addStretch();
    head->addWidget(add);
    connect(add, &QPushButton::clicked, this, &StartInstanceDialog::addKnob);
    connect(m_table, &FitTable::removeRequested, this, [this] { m_settings->remove(m_table->selectedRows()); });
    connect(&m_editor, &PlanEditor::changed, this, [this] {
        m_table->setVisible(m_settings->rowCount() > 0);
        resize(width(), std::max(height(), sizeHint().height()));
    });
    return head;
}

const ServerProgram* StartInstanceDialog::program() const
{
    const int index = m_program->currentIndex();
    return index >= 0 && index < int(m_programs.size()) ? &m_programs[std::size_t(index)] : nullptr;
}

void StartInstanceDialog::programChanged()
{
    const ServerProgram* chosen = program();
    if (!chosen)
        return;
    // A name that was typed stays.
    if (m_name->text().isEmpty() || m_name->text() == m_suggested) {
        m_suggested = freeName(qtText(chosen->product), m_taken);
        m_name->setText(m_suggested);
    }
    const std::vector<KnobChoice> choices = serverKnobs(*chosen);
    Plan plan;
    plan.target.uri = chosen->uri; // whose knobs the table speaks of
    // Of another kind of server nothing stays; a variable that no catalogue knows may exist in another version.
    if (m_editor.driver() == driverOf(*chosen))
        plan.set = m_editor.plan().set;
    m_editor.setPlan(plan);
    m_settings->setChoices(choices);
    m_table->setVisible(m_settings->rowCount() > 0);
}

void StartInstanceDialog::addKnob()
{
    const ServerProgram* chosen = program();
    if (!chosen)
        return;
    QStringList free = freeScopes(driverOf(*chosen));
    free.removeIf([](const QString& scope) { return scope != u"server"_s; });
    auto* picker = new KnobPicker(tr("Set for this instance"), serverKnobs(*chosen), free, this);
    connect(picker, &KnobPicker::picked, this, [this](const KnobChoice& choice) {
        m_settings->add(choice);
        m_table->setVisible(m_settings->rowCount() > 0);
        for (int row = 0; row < m_settings->rowCount(); ++row) {
            if (m_settings->path(row) == choice.path)
                m_table->setCurrentIndex(m_settings->index(row, SettingsModel::ValueColumn));
        }
        m_table->setFocus();
    });
    picker->open();
}

void StartInstanceDialog::check()
{
    static const QRegularExpression good(u"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$"_s);
    const QString name = m_name->text().trimmed();
    QString problem;
    if (!good.match(name).hasMatch())
        problem = tr("Give 1 to 32 letters, digits, - or _, beginning with a letter or digit");
    else if (m_taken.contains(name))
        problem = tr("There is an instance with this name: choose another, or start that one");
    m_nameField->setProblem(problem);
    m_start->setEnabled(problem.isEmpty() && !m_programs.empty() && m_price->right());
}

Settings StartInstanceDialog::knobs() const
{
    Settings knobs;
    for (const auto& [path, value] : m_editor.plan().set)
        knobs[path.substr(std::size_t(kScope.size()))] = value;
    return knobs;
}

void StartInstanceDialog::send()
{
    const ServerProgram* chosen = program();
    if (!chosen)
        return;
    auto uri = parseUri(chosen->uri);
    if (!uri) {
        m_nameField->setProblem(qtText(uri.error().message));
        return;
    }
    uri->query["name"] = m_name->text().trimmed().toStdString();
    emit startRequested(*uri, knobs(), m_price->price());
    accept();
}

// --- InstancePriceDialog ---

InstancePriceDialog::InstancePriceDialog(const ServerInstance& instance, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(u"instancePrice"_s);
    setWindowTitle(tr("Price of “%1”").arg(qtText(instance.name)));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* price = new PriceFields(u"price"_s, instance.price, this);
    auto* save = makeButton(tr("Save"), "primary", {}, this);
    describe(save, u"priceSave"_s, tr("Save the price"), tr("Writes it into the instance's folder"));
    auto* layout = dialogLayout(this);
    layout->addWidget(price);
    layout->addWidget(new WrapLabel(tr("For figures per cost and per watt-hour of plans that use this instance and "
                                       "give no price of their own. It is stored with the instance."),
                                    TextRole::Secondary, this));
    layout->addStretch(1);
    layout->addLayout(buttonRow(this, u"priceCancel"_s, save));
    connect(price, &PriceFields::changed, save, [price, save] { save->setEnabled(price->right()); });
    connect(save, &QPushButton::clicked, this, [this, price] {
        emit saveRequested(price->price());
        accept();
    });
}

// --- RemoteServerDialog ---

namespace {

template<class Kept>
QString onlyWith(const QString& text, Kept kept)
{
    QString result;
    for (const QChar c : text.toCaseFolded()) {
        if (kept(c))
            result += c;
    }
    return result;
}

//! "Hunter2", "hunter2!" and "hunter" tell the password "hunter2": case, punctuation and digits say nothing of a word.
bool isLike(const QString& name, const QString& password)
{
    const auto letter = [](QChar c) { return c.isLetter(); };
    const auto letterOrDigit = [](QChar c) { return c.isLetterOrNumber(); };
    if (name.isEmpty() || password.isEmpty())
        return false;
    if (name == password.trimmed())
        return true;
    constexpr qsizetype kWord = 2; // the "a" in "a-1" is none
    const QString word = onlyWith(password, letter);
    if (word.size() >= kWord)
        return onlyWith(name, letter) == word;
    const QString signs = onlyWith(password, letterOrDigit);
    return !signs.isEmpty() && onlyWith(name, letterOrDigit) == signs;
}

} // namespace

RemoteServerDialog::RemoteServerDialog(const RemoteServer& server, const Keyring& keyring, QWidget* parent)
    : QDialog(parent)
    , m_before(server.uri)
    , m_name(new QLineEdit(qtText(server.name)))
    , m_uri(new QLineEdit(qtText(server.uri)))
    , m_password(new QLineEdit(keyring.password(parseUri(server.uri).value_or(TargetUri()))))
    , m_uriField(nullptr)
    , m_nameField(nullptr)
    , m_test(makeButton(tr("Test connection"), "", {}, this))
    , m_result(new WrapLabel({}, TextRole::Secondary, this))
    , m_job(this)
    , m_price(new PriceFields(u"remote"_s, server.price, this))
    , m_production(new QCheckBox(tr("Production: ask before any change or load"), this))
    , m_apply(commandEdit(u"remoteApply"_s, tr("Command that applies settings"),
                          tr("none: knobs that need a restart are refused"),
                          tr("A shell command. It gets the variables as lines NAME=VALUE on its standard input and "
                             "writes them where the server reads them; must exit with 0 within 5 min")))
    , m_restart(commandEdit(u"remoteRestart"_s, tr("Command that restarts the server"), tr("none"),
                            tr("A shell command, run after the one above; must exit with 0 within 5 min. Then the "
                               "values are read back")))
    , m_problem(new WrapLabel({}, TextRole::Secondary, this))
    , m_save(makeButton(m_before.empty() ? tr("Add") : tr("Save"), "primary", {}, this))
{
    setObjectName(u"remoteServer"_s);
    setWindowTitle(m_before.empty() ? tr("Add a remote server") : tr("Edit the server"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(680, 700);
    m_production->setChecked(server.production);
    m_apply->setPlainText(qtText(server.apply));
    m_restart->setPlainText(qtText(server.restart));
    m_password->setEchoMode(QLineEdit::Password);
    describeFields(keyring);
    layOut();
    connect(m_uri, &QLineEdit::textEdited, this, &RemoteServerDialog::fillParts);
    connect(m_uri, &QLineEdit::textChanged, this, &RemoteServerDialog::check);
    for (QLineEdit* line : {m_name, m_password})
        connect(line, &QLineEdit::textChanged, this, &RemoteServerDialog::check);
    connect(m_price, &PriceFields::changed, this, &RemoteServerDialog::check);
    connect(m_test, &QPushButton::clicked, this, &RemoteServerDialog::testConnection);
    connect(m_save, &QPushButton::clicked, this, &RemoteServerDialog::send);
    fillParts();
    check();
    m_uri->setFocus();
}

void RemoteServerDialog::describeFields(const Keyring& keyring)
{
    m_name->setPlaceholderText(tr("as the URI"));
    QStringList schemes, examples;
    for (const UriForm* form : remoteForms()) {
        const UriScheme& usual = form->schemes.front();
        schemes << qtText(usual.name) + u"://…"_s;
        examples << qtText(usual.example + ", " + form->hint);
    }
    m_uri->setPlaceholderText(orList(schemes));
    m_password->setPlaceholderText(keyring.shortText());
    describe(m_name, u"remoteName"_s, tr("Name"), tr("What lists and plans call it"));
    describe(m_uri, u"remoteUri"_s, tr("URI"), tr("%1; never with a password").arg(examples.join(u"; "_s)));
    describe(m_password, u"remotePassword"_s, tr("Password"),
             tr("%1 Empty: DYNO_PASSWORD_NAME of the environment").arg(keyring.text()));
    describe(m_production, u"remoteProduction"_s, tr("Production"),
             tr("Dynobench then asks before it loads data, puts load on it or changes a setting"));
    describe(m_save, u"remoteSave"_s, tr("Save the server"),
             tr("Writes it into servers.toml in Dynobench's data folder"));
    setTone(m_problem, Tone::Bad);
    m_problem->setObjectName(u"remoteProblem"_s);
    describe(m_test, u"remoteTest"_s, tr("Test the connection"),
             tr("Connects with what is typed here, reads version and round-trip time, disconnects; up to 10 s"));
    m_result->setObjectName(u"remoteResult"_s);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_result->setVisible(false);
}

void RemoteServerDialog::layOut()
{
    m_uriField = new Field(tr("URI"), m_uri, 0, this);
    m_nameField = new Field(tr("Name"), m_name, 220, this);
    auto* parts = makeParts();
    auto* last = new QHBoxLayout;
    last->setSpacing(space::cardGap);
    last->addWidget(m_nameField);
    last->addStretch();
    last->addWidget(m_test, 0, Qt::AlignBottom);
    auto* layout = dialogLayout(this);
    layout->addWidget(m_uriField);
    layout->addWidget(parts);
    layout->addLayout(last);
    layout->addWidget(m_result);
    layout->addWidget(m_problem);
    layout->addWidget(m_production);
    layout->addWidget(m_price);
    layout->addWidget(makeStrongLabel(tr("Settings that need a restart"), this));
    layout->addWidget(new Field(tr("Apply, a shell command"), m_apply, 0, this));
    layout->addWidget(new Field(tr("Restart, a shell command"), m_restart, 0, this));
    layout->addStretch(1);
    layout->addLayout(buttonRow(this, u"remoteCancel"_s, m_save));

    // A password that is typed after the URI must not land in the name, which is stored and shown.
    QWidget* before = m_uri;
    for (QWidget* next :
         std::initializer_list<QWidget*>{m_system, m_host, m_port, m_user, m_database, m_password, m_name, m_test}) {
        setTabOrder(before, next);
        before = next;
    }
}

QWidget* RemoteServerDialog::makeParts()
{
    auto* parts = new QWidget(this);
    auto* rows = new QVBoxLayout(parts);
    rows->setContentsMargins({});
    rows->setSpacing(space::cardGap);
    QHBoxLayout* row = nullptr;
    const auto nextRow = [&] {
        row = new QHBoxLayout;
        row->setSpacing(space::cardGap);
        rows->addLayout(row);
    };
    nextRow();
    m_system = new QComboBox;
    for (const UriForm* form : remoteForms())
        m_system->addItem(productsOf(*form), qtText(form->schemes.front().name));
    describe(m_system, u"remoteSystem"_s, tr("Protocol"), tr("Protocol of the server"));
    connect(m_system, &QComboBox::activated, this, &RemoteServerDialog::takeParts);
    row->addWidget(new Field(tr("Protocol"), m_system, 200, parts));
    const auto line = [&](QLineEdit*& edit, const QString& name, const QString& label, const QString& tip,
                          int width = 0) {
        edit = new QLineEdit;
        describe(edit, name, label, tip);
        connect(edit, &QLineEdit::textEdited, this, &RemoteServerDialog::takeParts);
        row->addWidget(new Field(label, edit, width, parts), width == 0 ? 1 : 0);
    };
    line(m_host, u"remoteHost"_s, tr("Host"), tr("Name or address of the server"));
    line(m_port, u"remotePort"_s, tr("Port"), tr("TCP port, 1–65535; empty: the usual one"), 80);
    nextRow();
    line(m_user, u"remoteUser"_s, tr("User"), tr("Account on the server"));
    line(m_database, u"remoteDatabase"_s, tr("Database"), tr("Where the tables or collections go"));
    m_port->setValidator(new QIntValidator(1, 65535, this));
    row->addWidget(new Field(tr("Password"), m_password, 0, parts), 1);
    return parts;
}

void RemoteServerDialog::fillParts()
{
    const QString text = m_uri->text().trimmed();
    TargetDraft draft = TargetDraft::fromUri(text);
    if (text.isEmpty()) { // any part may begin it
        draft = {};
        draft.kind = TargetDraft::Kind::Remote;
        draft.scheme = m_system->currentData().toString();
    }
    m_draft = draft;
    // A URI that is half typed or says more than the parts can keeps what they show, but they cannot change it.
    const bool fits = draft.kind == TargetDraft::Kind::Remote;
    for (QWidget* part : std::initializer_list<QWidget*>{m_system, m_host, m_port, m_user, m_database})
        part->setEnabled(fits);
    if (!fits)
        return;
    m_system->setCurrentIndex(std::max(0, m_system->findData(draft.scheme)));
    m_host->setText(draft.host);
    m_port->setText(draft.port > 0 ? QString::number(draft.port) : QString());
    m_user->setText(draft.user);
    m_database->setText(draft.database);
    m_port->setEnabled(!draft.host.contains(u',')); // of a list of hosts each has its own
}

void RemoteServerDialog::takeParts()
{
    m_draft.scheme = m_system->currentData().toString();
    m_draft.host = m_host->text().trimmed();
    m_draft.port = m_draft.host.contains(u',') ? 0 : m_port->text().toInt();
    m_draft.user = m_user->text().trimmed();
    m_draft.database = m_database->text().trimmed();
    m_port->setEnabled(!m_draft.host.contains(u','));
    m_uri->setText(m_draft.uri());
}

void RemoteServerDialog::testConnection()
{
    const auto parsed = parseUri(m_uri->text().trimmed().toStdString());
    if (!parsed)
        return; // told below the fields
    TargetUri target = *parsed;
    // One that was remembered is for the account it was remembered for.
    const auto known = parseUri(m_before);
    const bool mayUse = m_password->isModified() || (known && sameAccount(*known, target));
    target.password = passwordFor(target, target, mayUse ? m_password->text().toStdString() : std::string());
    m_test->setEnabled(false);
    setTone(m_result, Tone::Neutral);
    m_result->setText(tr("Connecting…"));
    m_result->setVisible(true);
    m_job.start([target] { return inspectTarget(target); },
                [this](const Expected<ServerFacts>& result) { showResult(result); });
}

void RemoteServerDialog::showResult(const Expected<ServerFacts>& result)
{
    setTone(m_result, result ? Tone::Good : Tone::Bad);
    m_result->setText(resultText(result));
    m_result->setVisible(true);
    check();
}

void RemoteServerDialog::check()
{
    const QString text = m_uri->text().trimmed();
    QString problem;
    const auto uri = parseUri(text.toStdString());
    if (text.isEmpty())
        problem = u" "_s; // nothing typed yet is no fault to tell of
    else if (!uri)
        problem = tr("%1: %2").arg(qtText(uri.error().message), qtText(uri.error().remedy));
    else if (uri->kind != TargetKind::Remote)
        problem = tr("This is not the URI of a remote server: use %1").arg(orList(remoteExamples()));
    m_problem->setText(problem.trimmed());
    m_problem->setVisible(!problem.trimmed().isEmpty());
    m_uriField->setProblem(problem.trimmed());
    const QString name = m_name->text().trimmed();
    const bool tells = isLike(name, m_password->text());
    m_nameField->setProblem(tells ? tr("The name looks like the password. Names are stored and shown; choose another.")
                                  : QString());
    if (tells && problem.trimmed().isEmpty()) {
        m_problem->setText(m_nameField->problem());
        m_problem->setVisible(true);
    }
    const QString tested = uri ? qtText(uri->display()) : QString();
    if (tested != m_tested || sender() == m_password) { // the answer was about something else
        m_job.cancel();
        m_result->setVisible(false);
        m_tested = tested;
    }
    m_test->setEnabled(problem.isEmpty());
    m_save->setEnabled(problem.isEmpty() && !tells && m_price->right());
}

void RemoteServerDialog::send()
{
    const auto uri = parseUri(m_uri->text().trimmed().toStdString());
    if (!uri)
        return;
    RemoteServer server;
    server.uri = uri->display();
    server.name = m_name->text().trimmed().toStdString();
    server.production = m_production->isChecked();
    server.price = m_price->price();
    server.apply = m_apply->toPlainText().trimmed().toStdString();
    server.restart = m_restart->toPlainText().trimmed().toStdString();
    emit saveRequested(server, m_password->text());
    accept();
}

QString errorLines(const Error& error)
{
    QString text = qtText(error.message);
    if (!error.remedy.empty())
        text += u'\n' + qtText(error.remedy);
    return text;
}

} // namespace dyno
