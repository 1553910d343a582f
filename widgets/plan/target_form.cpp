// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/target_form.h"

#include "format.h"
#include "parts/card.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "plan/server_list_model.h"
#include "plan/target_path.h"
#include "plan/target_price.h"
#include "theme.h"

#include <dyno/managed_transport.h>
#include <dyno/passwords.h>
#include <dyno/uri_form.h>

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QIntValidator>
#include <QLineEdit>
#include <QListWidget>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

using Kind = TargetDraft::Kind;

QString cipherText(const std::string& cipher)
{
    const QString name = qtText(cipher);
    return name.startsWith(u"TLS"_s) ? name : TargetForm::tr("TLS %1").arg(name);
}

QString resultText(const Expected<ServerFacts>& result)
{
    if (!result) {
        const Error& error = result.error();
        const QString what = qtText(error.message);
        return error.remedy.empty() ? what : TargetForm::tr("%1\n%2").arg(what, qtText(error.remedy));
    }
    QStringList parts{qtText(result->product + (result->product.empty() ? "" : " ") + result->version)};
    if (!result->transport.empty())
        parts << qtText(result->transport);
    if (!result->cipher.empty())
        parts << cipherText(result->cipher);
    if (result->roundTripMs > 0)
        parts << TargetForm::tr("round trip %1").arg(format::time(result->roundTripMs));
    return parts.join(u" · "_s);
}

std::vector<KnownServer> knownServers(const ServerList& list)
{
    std::vector<KnownServer> known;
    for (const ServerInstance& instance : list.instances) {
        if (!instance.uri.empty())
            known.push_back({qtText(instance.name),
                             TargetForm::tr("instance, %1").arg(productText(instance.product, instance.version)),
                             qtText(instance.uri)});
    }
    for (const RemoteServer& server : list.remotes.servers)
        known.push_back(
            {remoteText(server),
             server.production ? TargetForm::tr("remote server, production") : TargetForm::tr("remote server"),
             qtText(server.uri)});
    for (const ServerProgram& program : list.programs)
        known.push_back(
            {productText(program.name, program.version),
             program.basedir.empty() ? TargetForm::tr("installed program") : qtText(program.basedir.string()),
             qtText(program.uri)});
    // Cases need names of their own: two builds of one version are told apart by where they lie.
    for (KnownServer& one : known) {
        const auto same = std::count_if(known.begin(), known.end(),
                                        [&one](const KnownServer& other) { return other.name == one.name; });
        if (same > 1)
            one.name = u"%1, %2"_s.arg(one.name, one.second);
    }
    return known;
}

TargetForm::TargetForm(PlanEditor& editor, Keyring& keyring, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_keyring(keyring)
    , m_fields(new QStackedWidget(this))
    , m_uri(new QLineEdit(this))
    , m_test(makeButton(tr("Test connection"), "", {}, this))
    , m_result(new WrapLabel({}, TextRole::Secondary, this))
    , m_path(new TargetPathField(editor, this))
    , m_price(new TargetPrice(editor, this))
    , m_job(this)
{
    QWidget* tiles = makeTiles();
    const auto page = [this](Kind kind, QWidget* widget) {
        m_pages.insert(int(kind), widget);
        m_fields->addWidget(widget);
    };
    page(Kind::File, makeFileFields());
    page(Kind::Managed, makeManagedFields());
    page(Kind::Remote, makeRemoteFields());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::cardGap);
    layout->addWidget(makeKnown());
    layout->addWidget(tiles);
    layout->addWidget(m_fields);
    layout->addLayout(makeUriLine());
    layout->addWidget(m_result);
    layout->addWidget(m_path);
    layout->addWidget(m_price);
    connect(m_uri, &QLineEdit::textEdited, this,
            [this](const QString& text) { send(text.trimmed(), u"target.uri"_s); });
    connect(m_test, &QPushButton::clicked, this, &TargetForm::testConnection);
    connect(&editor, &PlanEditor::changed, this, &TargetForm::sync);
    sync();
}

QWidget* TargetForm::makeTiles()
{
    auto* tiles = new QWidget(this);
    auto* tileFlow = new FlowLayout(tiles, 10);
    const auto tile = [&](Kind kind, const QString& name, const QString& title, const QString& second) {
        auto* button = new ChoiceTile(title, second, tiles);
        button->setObjectName(name);
        tileFlow->addWidget(button);
        m_tiles.insert(int(kind), button);
        connect(button, &QPushButton::clicked, this, [this, kind] { choose(kind); });
    };
    tile(Kind::PrivateFile, u"targetPrivate"_s, tr("%1, private file").arg(qtText(fileProduct())),
         tr("made for this session only"));
    tile(Kind::File, u"targetFile"_s, tr("%1, file…").arg(qtText(fileProduct())), tr("your own file, kept"));
    tile(Kind::Managed, u"targetManaged"_s, tr("Managed server"), tr("Dynobench starts and stops it"));
    QStringList products;
    for (const UriForm* form : remoteForms()) {
        for (const UriScheme& scheme : form->schemes)
            products << qtText(scheme.product);
    }
    products.removeDuplicates();
    tile(Kind::Remote, u"targetRemote"_s, tr("Running server"), orList(products));
    return tiles;
}

QHBoxLayout* TargetForm::makeUriLine()
{
    QStringList examples{qtText(fileTarget() + "PATH")};
    for (const UriForm& form : uriForms()) {
        if (form.built && form.shape != UriShape::Path)
            examples << qtText(form.schemes.front().example);
    }
    describe(m_uri, u"targetUri"_s, tr("Target URI"),
             tr("The URI of the target above; you can also type one: %1; never with a password")
                 .arg(examples.join(u", "_s)));
    m_uriField = new Field(tr("URI"), m_uri, 0, this);
    m_uriField->setMinimumWidth(320);
    describe(m_test, u"testConnection"_s, tr("Test the connection"),
             tr("Connects, asks for the version, the cipher, the round-trip time and the user's rights, disconnects; "
                "up to 10 s"));
    m_result->setObjectName(u"targetResult"_s);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_result->setVisible(false);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::cardGap);
    line->addWidget(m_uriField, 1);
    line->addWidget(m_test, 0, Qt::AlignBottom);
    return line;
}

Field* TargetForm::lineField(const QString& name, const QString& label, const QString& placeholder, const QString& tip,
                             int width)
{
    auto* line = new QLineEdit;
    line->setPlaceholderText(placeholder);
    describe(line, u"target."_s + name, label, tip);
    m_lines.insert(name, line);
    connect(line, &QLineEdit::textEdited, this, &TargetForm::fieldsEdited);
    auto* field = new Field(label, line, width);
    m_lineFields.insert(name, field);
    return field;
}

QWidget* TargetForm::makeFileFields()
{
    auto* page = new QWidget;
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(lineField(u"path"_s, tr("File"), tr("/path/to/bench.db"),
                             tr("A %1 file, created if missing. Relative paths are in Dynobench's data folder")
                                 .arg(qtText(fileProduct())),
                             0),
                   1);
    auto* button = makeButton(tr("Browse…"));
    describe(button, u"targetBrowse"_s, tr("Choose the %1 file").arg(qtText(fileProduct())));
    row->addWidget(button, 0, Qt::AlignBottom);
    connect(button, &QPushButton::clicked, this, &TargetForm::browse);
    return page;
}

QWidget* TargetForm::makeKnown()
{
    m_knownBox = new QWidget(this);
    auto* row = new QHBoxLayout(m_knownBox);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::cardGap);
    m_known = new QComboBox;
    m_known->setMinimumWidth(320);
    describe(m_known, u"target.known"_s, tr("Known servers"),
             tr("Your instances, remote servers and installed programs, by name; more on the Servers page"));
    m_sideBySide = makeButton(tr("Side by side…"), "", {}, this);
    describe(m_sideBySide, u"targetSideBySide"_s, tr("Compare servers side by side"),
             tr("Choose two or more servers; they become an axis with one case each"));
    row->addWidget(new Field(tr("Known servers"), m_known, 0), 1);
    row->addWidget(m_sideBySide, 0, Qt::AlignBottom);
    m_knownBox->setVisible(false);
    connect(m_known, &QComboBox::activated, this, [this] {
        if (const QString uri = m_known->currentData().toString(); !uri.isEmpty())
            send(uri, {});
    });
    connect(m_sideBySide, &QPushButton::clicked, this, &TargetForm::chooseSideBySide);
    return m_knownBox;
}

void TargetForm::setServers(const ServerList& list)
{
    m_servers = knownServers(list);
    m_known->clear();
    m_known->addItem(tr("Choose by name…"), QString());
    for (const KnownServer& server : m_servers) {
        m_known->addItem(u"%1 · %2"_s.arg(server.name, server.second), server.uri);
        m_known->setItemData(m_known->count() - 1, qtText(redactUri(server.uri.toStdString())), Qt::ToolTipRole);
    }
    m_knownBox->setVisible(!m_servers.empty());
    m_sideBySide->setVisible(m_servers.size() > 1);
    fillFields();
}

void TargetForm::chooseSideBySide()
{
    auto* dialog = new QDialog(window());
    auto* layout = dressDialog(*dialog, u"sideBySide"_s, tr("Servers side by side"));
    keepSize(*dialog, {460, 360});
    auto* list = new QListWidget(dialog);
    describe(list, u"sideBySideList"_s, tr("Servers"), tr("Space ticks the selected one"));
    for (const KnownServer& server : m_servers) {
        auto* item = new QListWidgetItem(u"%1 · %2"_s.arg(server.name, server.second), list);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(server.uri == qtText(m_editor.plan().target.uri) ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(qtText(redactUri(server.uri.toStdString())));
    }
    list->setCurrentRow(0);
    auto* make = makeButton(tr("Make an axis"), "primary", {}, dialog);
    describe(make, u"sideBySideMake"_s, tr("Make an axis of the ticked servers"));
    make->setDefault(true);
    auto* buttons = makeDialogButtons(*dialog, u"sideBySideCancel"_s);
    buttons->addButton(make, QDialogButtonBox::AcceptRole);
    layout->addWidget(
        makeLabel(tr("Each becomes a case: the same plan runs on all of them."), TextRole::Secondary, dialog));
    layout->addWidget(list, 1);
    layout->addWidget(buttons);
    const auto ticked = [this, list] {
        std::vector<KnownServer> chosen;
        for (int row = 0; row < list->count() && row < int(m_servers.size()); ++row) {
            if (list->item(row)->checkState() == Qt::Checked)
                chosen.push_back(m_servers[std::size_t(row)]);
        }
        return chosen;
    };
    const auto update = [make, ticked] { make->setEnabled(ticked().size() > 1); };
    connect(list, &QListWidget::itemChanged, dialog, update);
    connect(make, &QPushButton::clicked, dialog, [this, dialog, ticked] {
        emit sideBySideRequested(ticked());
        dialog->accept();
    });
    update();
    dialog->open();
}

QWidget* TargetForm::makeManagedFields()
{
    auto* page = new QWidget;
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::cardGap);
    m_product = new QComboBox;
    for (const ProductName& product : managedProductNames())
        m_product->addItem(qtText(product.name), qtText(product.id));
    describe(m_product, u"target.product"_s, tr("Product"), tr("Which server Dynobench starts"));
    connect(m_product, &QComboBox::activated, this, &TargetForm::fieldsEdited);
    row->addWidget(new Field(tr("Product"), m_product, 130));
    row->addWidget(lineField(u"basedir"_s, tr("Server folder"), tr("detected"),
                             tr("Folder of another version: with bin/mariadbd, bin/mysqld, bin/mongod or ferretdb in "
                                "it; empty: the installed one"),
                             0),
                   1);
    row->addWidget(
        lineField(u"version"_s, tr("Version"), tr("any"), tr("Required version: 8.0.31, or 8.0 for any 8.0"), 90));
    m_transport = new QComboBox;
    m_transport->addItem(tr("Unix socket"), QString());
    m_transport->addItem(tr("TCP"), u"tcp"_s);
    describe(m_transport, u"target.transport"_s, tr("Connection"),
             tr("How clients connect: by Unix socket, or by TCP on this machine only"));
    connect(m_transport, &QComboBox::activated, this, &TargetForm::fieldsEdited);
    row->addWidget(new Field(tr("Connection"), m_transport, 120));
    row->addWidget(lineField(u"name"_s, tr("Instance"), tr("new for each session"),
                             tr("Name of an instance to keep with its data; empty: a new one for each session"), 160));
    return page;
}

QWidget* TargetForm::makeRemoteFields()
{
    auto* page = new QWidget;
    auto* flow = new FlowLayout(page, space::cardGap);
    m_system = new QComboBox;
    for (const UriForm* form : remoteForms())
        m_system->addItem(productsOf(*form), qtText(form->schemes.front().name));
    describe(m_system, u"target.system"_s, tr("Protocol"), tr("Protocol of the server, also of others that speak it"));
    connect(m_system, &QComboBox::activated, this, &TargetForm::fieldsEdited);
    flow->addWidget(new Field(tr("Protocol"), m_system, 160));
    flow->addWidget(lineField(u"host"_s, tr("Host"), tr("localhost"), {}, 180));
    Field* port = lineField(u"port"_s, tr("Port"), {}, {}, 80);
    m_lines[u"port"_s]->setValidator(new QIntValidator(1, 65535, this));
    flow->addWidget(port);
    flow->addWidget(lineField(u"socket"_s, tr("Unix socket"), tr("none: TCP"),
                              tr("Path of the server's socket; used instead of host and port"), 220));
    flow->addWidget(lineField(u"user"_s, tr("User"), {}, tr("Account on the server"), 140));
    Field* password = lineField(u"password"_s, tr("Password"), {}, {}, 140);
    m_lines[u"password"_s]->setEchoMode(QLineEdit::Password);
    connect(m_lines[u"password"_s], &QLineEdit::editingFinished, this, [this] {
        if (m_passwordFor)
            m_keyring.keep(*m_passwordFor, m_lines[u"password"_s]->text());
    });
    connect(&m_keyring, &Keyring::found, this, &TargetForm::showPassword);
    const auto sayWhere = [this, password] {
        m_lines[u"password"_s]->setPlaceholderText(m_keyring.shortText());
        password->setHelp(
            tr("%1 Never stored in the plan, the settings or a result. Empty: DYNO_PASSWORD").arg(m_keyring.text()));
    };
    sayWhere();
    connect(&m_keyring, &Keyring::lastsChanged, this, sayWhere);
    flow->addWidget(password);
    flow->addWidget(lineField(u"database"_s, tr("Database"), {}, {}, 140));
    m_tls = new QComboBox;
    m_tls->addItem(tr("default"), QString());
    for (const char* mode : {"off", "verify", "required"})
        m_tls->addItem(QLatin1String(mode), QLatin1String(mode));
    describe(m_tls, u"target.tls"_s, tr("TLS"),
             tr("Encryption of the connection; verify also checks whose server it is, required does not. Default: "
                "verify for another machine, off on this one"));
    connect(m_tls, &QComboBox::activated, this, &TargetForm::fieldsEdited);
    auto* tls = new Field(tr("TLS"), m_tls, 160);
    m_lineFields.insert(u"tls"_s, tls);
    flow->addWidget(tls);
    flow->addWidget(
        lineField(u"authSource"_s, tr("Login database"), tr("as named, else admin"),
                  tr("Database that holds the user (auth_source); empty: the database of this form, else admin"), 160));
    flow->addWidget(lineField(u"replicaSet"_s, tr("Replica set"), tr("none"),
                              tr("Name of the replica set, whose primary is used; empty: the server itself"), 140));
    showSystem();
    return page;
}

//! What the fields of a running server ask for and what an empty one means, which differs.
void TargetForm::showSystem()
{
    const UriForm* form = uriFormOf(m_draft.scheme.toStdString());
    if (!form) // a build that can reach no server
        return;
    const DriverInfo* driver = findDriver(form->driver);
    const bool hosts = form->shape == UriShape::Hosts;
    const bool documents = driver && driver->models.front() == DataModel::Document;
    const QString usualPort = QString::number(form->port);
    const auto say = [this](const QString& name, const QString& placeholder, const QString& tip) {
        m_lines.value(name)->setPlaceholderText(placeholder);
        m_lineFields.value(name)->setHelp(tip);
    };
    say(u"host"_s, tr("localhost"),
        hosts ? tr("Name or address of the server, or of several: db1:%1,db2:%1").arg(usualPort)
              : tr("Name or address of the server"));
    const bool list = hosts && m_draft.host.contains(u',');
    say(u"port"_s, list ? tr("in list") : usualPort,
        list ? tr("Several hosts: write the port after each") : tr("TCP port, 1–65535; empty: %1").arg(usualPort));
    m_lines.value(u"port"_s)->setEnabled(!list);
    say(u"user"_s, form->loginName ? tr("your login name") : tr("none"), tr("Account on the server"));
    say(u"database"_s, qtText(form->database),
        documents ? tr("Database for the collections") : tr("Schema for the tables"));
    for (const auto& [field, option] :
         {std::pair(u"tls"_s, "tls"), std::pair(u"authSource"_s, kAuthSource), std::pair(u"replicaSet"_s, kReplicaSet)})
        m_lineFields.value(field)->setVisible(takesOption(m_draft.scheme, option));
}

QString TargetForm::password() const
{
    const auto parsed = parseUri(m_editor.plan().target.uri);
    const bool remote = parsed && parsed->kind == TargetKind::Remote;
    return remote ? m_lines.value(u"password"_s)->text() : QString();
}

void TargetForm::setFile(const QString& path)
{
    m_draft.kind = Kind::File;
    m_draft.path = path;
    send(m_draft.uri(), {});
}

void TargetForm::focusUri()
{
    m_uri->setFocus(Qt::OtherFocusReason);
    m_uri->selectAll();
}

void TargetForm::choose(Kind kind)
{
    m_drafts.insert(int(m_draft.kind), m_draft);
    TargetDraft next = m_drafts.value(int(kind));
    next.kind = kind;
    send(next.uri(), {});
    if (kind == Kind::File && next.path.isEmpty()) {
        // The plan has no file yet: the field asks for it.
        m_draft = next;
        fillFields();
        m_lines.value(u"path"_s)->setFocus();
    }
}

void TargetForm::fieldsEdited()
{
    const auto text = [this](const char* name) { return m_lines.value(QLatin1String(name))->text().trimmed(); };
    m_draft.path = text("path");
    m_draft.basedir = text("basedir");
    m_draft.version = text("version");
    if (m_transport->isEnabled())
        m_draft.transport = m_transport->currentData().toString();
    m_draft.name = text("name");
    m_draft.product = m_product->currentData().toString();
    if (m_system->count() > 0)
        m_draft.scheme = m_system->currentData().toString();
    m_draft.authSource = text("authSource");
    m_draft.replicaSet = text("replicaSet");
    m_draft.host = text("host");
    m_draft.port = text("port").toInt();
    m_draft.socket = text("socket");
    m_draft.user = text("user");
    m_draft.database = text("database");
    m_draft.tls = m_tls->currentData().toString();
    if (sender() == m_lines.value(u"password"_s)) {
        m_result->setVisible(false);
        return;
    }
    send(m_draft.uri(), u"target.fields"_s);
}

void TargetForm::send(const QString& uri, const QString& mergeKey)
{
    m_editor.edit(
        tr("Change target"), [&uri](Plan& plan) { plan.target.uri = uri.toStdString(); }, mergeKey);
}

void TargetForm::sync()
{
    const QString uri = qtText(m_editor.plan().target.uri);
    // While the fields make this very URI they stay as typed ("localhost" need not appear in an empty field).
    if (m_draft.uri() != uri)
        m_draft = TargetDraft::fromUri(uri);
    if (m_uri->text().trimmed() != uri)
        m_uri->setText(uri);
    const auto parsed = parseUri(uri.toStdString());
    if (parsed && parsed->kind == TargetKind::Remote && !(m_passwordFor && sameAccount(*parsed, *m_passwordFor))) {
        QLineEdit* line = m_lines.value(u"password"_s);
        if (m_passwordFor && !line->text().isEmpty())
            m_keyring.keep(*m_passwordFor, line->text());
        m_passwordFor = *parsed;
        line->clear(); // it was typed for another server
        m_keyring.find(*parsed);
        showPassword();
    }
    fillFields();
    m_path->fill();
    m_price->fill();
    if (m_testedUri != uri) {
        m_job.cancel();
        m_testing = false;
        m_test->setEnabled(true);
        m_result->setVisible(false);
        m_testedUri.clear();
    }
    m_uriField->setProblem(parsed ? QString()
                                  : tr("%1: %2").arg(qtText(parsed.error().message), qtText(parsed.error().remedy)));
}

//! What is known for this account, unless something is typed already.
void TargetForm::showPassword()
{
    QLineEdit* line = m_lines.value(u"password"_s);
    if (m_passwordFor && line->text().isEmpty())
        line->setText(m_keyring.password(*m_passwordFor));
}

void TargetForm::fillFields()
{
    const auto set = [this](const char* name, const QString& text) {
        QLineEdit* line = m_lines.value(QLatin1String(name));
        if (line->text().trimmed() != text)
            line->setText(text);
    };
    set("path", m_draft.path);
    set("basedir", m_draft.basedir);
    set("version", m_draft.version);
    set("name", m_draft.name);
    TargetUri usual;
    usual.kind = TargetKind::Managed;
    usual.product = m_draft.product.toStdString();
    const bool choice = !listensOnTcp(usual); // else by TCP alone
    m_transport->setCurrentIndex(std::max(0, m_transport->findData(choice ? m_draft.transport : u"tcp"_s)));
    m_transport->setEnabled(choice);
    m_system->setCurrentIndex(std::max(0, m_system->findData(m_draft.scheme)));
    m_product->setCurrentIndex(std::max(0, m_product->findData(m_draft.product)));
    if (m_known->count() > 0)
        m_known->setCurrentIndex(std::max(0, m_known->findData(qtText(m_editor.plan().target.uri))));
    set("host", m_draft.host);
    set("port", m_draft.port > 0 ? QString::number(m_draft.port) : QString());
    set("socket", m_draft.socket);
    set("user", m_draft.user);
    set("database", m_draft.database);
    set("authSource", m_draft.authSource);
    set("replicaSet", m_draft.replicaSet);
    showSystem();
    int tls = m_tls->findData(m_draft.tls);
    if (tls < 0) {
        m_tls->addItem(m_draft.tls, m_draft.tls);
        tls = m_tls->count() - 1;
    }
    m_tls->setCurrentIndex(tls);

    for (auto it = m_tiles.cbegin(); it != m_tiles.cend(); ++it) {
        // Exclusive buttons cannot all be off, but an unusual URI belongs to none of the tiles.
        it.value()->setAutoExclusive(m_draft.kind != Kind::Other);
        it.value()->setChecked(it.key() == int(m_draft.kind));
    }
    QWidget* page = m_pages.value(int(m_draft.kind));
    m_fields->setVisible(page != nullptr);
    for (QWidget* one : std::as_const(m_pages)) {
        // A stack is as tall as its tallest page; the others do not count.
        one->setSizePolicy(QSizePolicy::Preferred, one == page ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    }
    if (page)
        m_fields->setCurrentWidget(page);
}

void TargetForm::browse()
{
    auto* dialog = new QFileDialog(this, tr("%1 file").arg(qtText(fileProduct())), m_draft.path,
                                   tr("%1 files (*.db *.sqlite *.sqlite3);;All files (*)").arg(qtText(fileProduct())));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);
    dialog->setLabelText(QFileDialog::Accept, tr("Choose"));
    connect(dialog, &QFileDialog::fileSelected, this, &TargetForm::setFile);
    dialog->open();
}

void TargetForm::testConnection()
{
    const QString uri = qtText(m_editor.plan().target.uri);
    auto parsed = parseUri(uri.toStdString());
    m_testedUri = uri;
    if (!parsed) {
        showResult(fail(parsed.error()));
        return;
    }
    if (m_testGate && !m_testGate(uri))
        return;
    TargetUri target = *parsed;
    target.password = passwordFor(target, target, password().toStdString());
    m_testing = true;
    m_test->setEnabled(false);
    setTone(m_result, Tone::Neutral);
    m_result->setText(tr("Connecting…"));
    m_result->setVisible(true);
    m_job.start([target] { return inspectTarget(target); },
                [this](const Expected<ServerFacts>& result) { showResult(result); });
}

void TargetForm::showResult(const Expected<ServerFacts>& result)
{
    m_testing = false;
    m_test->setEnabled(true);
    setTone(m_result, result ? Tone::Good : Tone::Bad);
    m_result->setText(resultText(result));
    m_facts = result ? m_result->text() : QString();
    m_result->setVisible(true);
    emit tested(result.has_value());
}

void TargetForm::showMissingRights(const QStringList& missing)
{
    if (m_facts.isEmpty() || m_testing || m_result->isHidden())
        return;
    setTone(m_result, missing.isEmpty() ? Tone::Good : Tone::Warn);
    m_result->setText(m_facts + u'\n' +
                      (missing.isEmpty() ? tr("The user has all rights this plan needs")
                                         : tr("Rights the user lacks for this plan: %1").arg(missing.join(u", "_s))));
}

} // namespace dyno
