// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "bridge/app_context.h"
#include "bridge/recipe_book.h"
#include "bridge/run_bridge.h"
#include "bridge/server_worker.h"
#include "compare/compare_page.h"
#include "desktop/about_dialog.h"
#include "desktop/command_palette.h"
#include "desktop/session_notices.h"
#include "desktop/settings_dialog.h"
#include "desktop/shortcuts_dialog.h"
#include "manual/manual_window.h"
#include "parts/banner.h"
#include "parts/commands.h"
#include "parts/foreign_text.h"
#include "parts/labels.h"
#include "parts/page.h"
#include "parts/question.h"
#include "plan/plan_page.h"
#include "run/run_page.h"
#include "servers/servers_page.h"
#include "sessions/sessions_page.h"
#include "start/start_page.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QWindow>

#include <algorithm>

namespace dyno {

namespace {

constexpr int kLongQuestion = 1500; //!< characters: more are scrolled
constexpr int kLeastWidth = 960, kLeastHeight = 620;
constexpr int kTitleBar = 32;    //!< height of a frame that is not there yet, about
constexpr int kRestMs = 400;     //!< without a move: the window is where a person wants it
constexpr int kMessageMs = 8000; //!< time to read a message and to reach its action

//! A plan, a script, a session, or what may be the result of another tool.
bool isOpened(const QUrl& url)
{
    static const QStringList pictures{QStringLiteral("png"), QStringLiteral("jpg"), QStringLiteral("svg"),
                                      QStringLiteral("pdf")};
    const QFileInfo info(url.toLocalFile());
    return url.isLocalFile() && !pictures.contains(info.suffix().toLower()) && !info.isDir();
}

bool isScript(const QFileInfo& file)
{
    static const QStringList scripts{QStringLiteral("workload"), QStringLiteral("sql"), QStringLiteral("lua")};
    return scripts.contains(file.suffix().toLower());
}

QString settingsKey(const char* name)
{
    return QStringLiteral("window/") + QLatin1String(name);
}

} // namespace

MainWindow::MainWindow(AppContext& context, QWidget* parent)
    : QMainWindow(parent)
    , m_context(context)
    , m_rail(new QFrame)
    , m_group(new QButtonGroup(this))
    , m_banner(new Banner(QStringLiteral("windowBanner")))
    , m_stack(new QStackedWidget)
    , m_import(this)
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Dynobench"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/dynobench.svg")));
    ToolTipGuard::install();
    setAcceptDrops(true);
    setMinimumSize(kLeastWidth, kLeastHeight);
    auto* centre = new QWidget;
    auto* line = new QHBoxLayout(centre);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(m_rail);
    auto* column = new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    // The banner's room goes with it: pages bring margins of their own.
    auto* bannerBox = new QWidget;
    auto* bannerRoom = new QVBoxLayout(bannerBox);
    bannerRoom->setContentsMargins(space::pageMargin, space::cardGap, space::pageMargin, 0);
    bannerRoom->addWidget(m_banner);
    bannerBox->setVisible(false);
    connect(m_banner, &Banner::visibleChanged, bannerBox, &QWidget::setVisible);
    column->addWidget(bannerBox);
    column->addWidget(m_stack, 1);
    line->addLayout(column, 1);
    setCentralWidget(centre);
    buildCommands();
    buildRail();
    buildPages();
    buildMessageBar();
    connect(&m_context, &AppContext::pageRequested, this, &MainWindow::showPage);
    connect(&m_context, &AppContext::messageRequested, this, &MainWindow::showMessage);
    connect(&m_context, &AppContext::consentRequested, this, &MainWindow::ask);
    connect(&m_context.servers(), &ServerWorker::leftoversHandled, this, &MainWindow::tellLeftovers);
    m_context.servers().handleLeftovers();
    connect(&m_context.run(), &RunBridge::activeChanged, this, [this](bool active) {
        if (!active && m_closing)
            close();
    });
    new SessionNotices(m_context.run(), *this, *new DesktopBus({}, this));
    restoreState();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildRail()
{
    m_rail->setObjectName(QStringLiteral("rail"));
    m_rail->setAccessibleName(tr("Pages"));
    setRole(m_rail, "rail");
    m_rail->setFixedWidth(space::railWidth);
    auto* column = new QVBoxLayout(m_rail);
    column->setContentsMargins(4, 14, 4, 12); // as much room for a long word as there is
    column->setSpacing(0);
    m_railButtons = new QVBoxLayout;
    m_railButtons->setSpacing(6);
    column->addLayout(m_railButtons);
    column->addStretch(1);
    QToolButton* help = addRailButton("helpButton", tr("Help"), tr("Manual, keyboard shortcuts, about"), "help");
    connect(help, &QToolButton::clicked, this, [this, help] {
        m_helpMenu->popup(
            help->mapToGlobal(QPoint(help->width() + 4, help->height() - m_helpMenu->sizeHint().height())));
    });
    column->addWidget(help);
    QToolButton* settings = addRailButton("settingsButton", tr("Settings"), {}, "settings");
    settings->setToolTip(m_settingsCommand->toolTip());
    connect(settings, &QToolButton::clicked, m_settingsCommand, &QAction::trigger);
    column->addWidget(settings);
}

QToolButton* MainWindow::addRailButton(const char* name, const QString& text, const QString& tip, const char* icon)
{
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(name));
    button->setText(text);
    button->setAccessibleName(text);
    button->setToolTip(tip);
    button->setIcon(Theme::instance().icon(QLatin1String(icon)));
    button->setIconSize(QSize(18, 18));
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setRole(button, "rail");
    return button;
}

void MainWindow::showManual(const QString& manualPage)
{
    if (!m_manual)
        m_manual = std::make_unique<ManualWindow>();
    m_manual->openPage(manualPage);
}

void MainWindow::showSettings()
{
    auto* dialog = findChild<SettingsDialog*>();
    if (!dialog) {
        dialog = new SettingsDialog(m_context.library(), this);
        connect(dialog, &SettingsDialog::aboutWanted, this, &MainWindow::showAbout);
        connect(dialog, &SettingsDialog::shortcutsWanted, this, &MainWindow::showShortcuts);
        connect(dialog, &SettingsDialog::moveLibraryWanted, this, [this, dialog] {
            dialog->close();
            showPage(QStringLiteral("sessionsPage"));
            findChild<QAction*>(QStringLiteral("libraryMove"))->trigger();
        });
    }
    dialog->open();
}

void MainWindow::showAbout()
{
    (new AboutDialog(activeDialog()))->open();
}

void MainWindow::showShortcuts()
{
    (new ShortcutsDialog(*this, activeDialog()))->open();
}

void MainWindow::showPalette()
{
    auto* palette = new CommandPalette(m_context, *this);
    connect(palette, &CommandPalette::manualWanted, this, &MainWindow::showManual);
    palette->open();
}

//! What a dialog that is asked for now belongs to.
QWidget* MainWindow::activeDialog()
{
    auto* settings = findChild<SettingsDialog*>();
    return settings && settings->isVisible() ? static_cast<QWidget*>(settings) : this;
}

//! The explicit list of pages, in the rail's order.
//! Pages are made inside the window: whatever gets another parent is styled again, with all that is in it.
void MainWindow::buildPages()
{
    addPage(new StartPage(m_context, m_stack));
    addPage(new PlanPage(m_context, m_stack));
    addPage(new RunPage(m_context, m_stack));
    addPage(new SessionsPage(m_context, m_stack));
    addPage(new ComparePage(m_context, m_stack));
    addPage(new ServersPage(m_context, m_stack));
}

void MainWindow::addPage(Page* page)
{
    const auto index = int(m_pages.size());
    m_pages.push_back(page);
    m_stack->addWidget(page);
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("rail_") + page->objectName());
    button->setText(page->title());
    button->setAccessibleName(page->title());
    button->setIcon(Theme::instance().icon(page->iconName()));
    button->setIconSize(QSize(22, 22));
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setCheckable(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFixedHeight(56);
    button->setFont(Theme::font(TextRole::Label));
    setRole(button, "rail");
    m_group->addButton(button, index);
    m_railButtons->addWidget(button);
    QAction* show = addCommand(this,
                               {QStringLiteral("show_") + page->objectName(),
                                page->title(),
                                {QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + index))},
                                {},
                                page->iconName(),
                                Qt::WindowShortcut},
                               [this, page] { showPage(page->objectName()); });
    button->setToolTip(show->toolTip());
    connect(button, &QToolButton::clicked, show, &QAction::trigger);
}

void MainWindow::buildMessageBar()
{
    m_bar = new QFrame(this);
    m_bar->setObjectName(QStringLiteral("messageBar"));
    setRole(m_bar, "messageBar");
    m_barText = new QLabel;
    m_barText->setTextFormat(Qt::PlainText);
    m_barText->setWordWrap(true);
    m_barAction = new QPushButton;
    m_barAction->setObjectName(QStringLiteral("messageAction"));
    auto* line = new QHBoxLayout(m_bar);
    line->setContentsMargins(16, 6, 8, 6);
    line->setSpacing(12);
    line->addWidget(m_barText, 1);
    line->addWidget(m_barAction);
    m_bar->hide();
    m_barTimer.setSingleShot(true);
    connect(&m_barTimer, &QTimer::timeout, this, &MainWindow::hideMessage);
    connect(m_barAction, &QPushButton::clicked, this, [this] {
        const auto function = std::move(m_barFunction);
        hideMessage();
        if (function)
            function();
    });
}

//! The commands of the window itself. Before the rail, whose buttons follow some of them.
void MainWindow::buildCommands()
{
    const auto add = [this](const char* name, const QString& text, const QKeySequence& keys, auto run) {
        return addCommand(this, {QLatin1String(name), text, {keys}, {}, {}, Qt::WindowShortcut}, run);
    };
    QAction* manual = add("commandManual", tr("Help on this page"), QKeySequence(Qt::Key_F1),
                          [this] { showManual(currentPage()->manualPage()); });
    QAction* palette =
        add("commandPalette", tr("Find a command…"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] { showPalette(); });
    QAction* shortcuts = add("commandShortcuts", tr("Keyboard shortcuts"), QKeySequence(Qt::SHIFT | Qt::Key_F1),
                             [this] { showShortcuts(); });
    QAction* about = add("commandAbout", tr("About Dynobench"), {}, [this] { showAbout(); });
    m_settingsCommand =
        add("commandSettings", tr("Settings"), QKeySequence(Qt::CTRL | Qt::Key_Comma), [this] { showSettings(); });
    add("commandStart", tr("Show the plan, or start it there"), QKeySequence(Qt::Key_F5), [this] { startPlan(); });
    add("commandFullScreen", tr("Full screen"), QKeySequence(Qt::Key_F11),
        [this] { isFullScreen() ? showNormal() : showFullScreen(); });
    add("commandQuit", tr("Quit"), QKeySequence(QKeySequence::Quit), [this] { close(); });
    m_helpMenu = new QMenu(this);
    m_helpMenu->setObjectName(QStringLiteral("helpMenu"));
    m_helpMenu->addActions({manual, palette, shortcuts, about});
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this, &MainWindow::hideMessage);
}

//! F5: from any page to the plan; on the Plan page it starts.
void MainWindow::startPlan()
{
    if (m_context.run().active()) {
        showPage(QStringLiteral("runPage"));
    } else if (auto* plan = qobject_cast<PlanPage*>(currentPage())) {
        plan->start();
    } else {
        showPage(QStringLiteral("planPage"));
    }
}

Page* MainWindow::page(const QString& objectName) const
{
    for (Page* page : m_pages)
        if (page->objectName() == objectName)
            return page;
    return nullptr;
}

Page* MainWindow::currentPage() const
{
    return qobject_cast<Page*>(m_stack->currentWidget());
}

void MainWindow::showPage(const QString& objectName)
{
    Page* wanted = page(objectName);
    if (!wanted)
        return;
    for (std::size_t i = 0; i < m_pages.size(); ++i)
        if (m_pages[i] == wanted)
            m_group->button(int(i))->setChecked(true);
    const bool changed = m_stack->currentWidget() != wanted;
    m_stack->setCurrentWidget(wanted);
    setWindowTitle(QStringLiteral("%1 – Dynobench").arg(wanted->title()));
    if (!changed)
        return;
    // Tab goes on from the page's first field; nothing wears a focus ring before the keyboard is used.
    wanted->setFocus(Qt::OtherFocusReason);
    wanted->activated();
}

void MainWindow::openFile(const QString& file)
{
    const QFileInfo info(file);
    if (!info.exists()) {
        m_context.showMessage(tr("There is no file %1").arg(file));
        return;
    }
    if (info.suffix().toLower() == QLatin1String("toml")) {
        RecipeBook::of(m_context).offerFile(info.absoluteFilePath(), this, [this, plan = info.absoluteFilePath()] {
            showPage(QStringLiteral("planPage"));
            qobject_cast<PlanPage*>(page(QStringLiteral("planPage")))->openFile(plan);
        });
        return;
    }
    if (isScript(info)) {
        showPage(QStringLiteral("planPage"));
        return qobject_cast<PlanPage*>(page(QStringLiteral("planPage")))->openScript(info.absoluteFilePath());
    }
    if (info.suffix().toLower() != QLatin1String("dyno"))
        return importResultsOf({info.absoluteFilePath()});
    const std::filesystem::path library = m_context.library();
    const std::filesystem::path source = info.absoluteFilePath().toStdString();
    m_import.start(
        [library, source]() -> Expected<ImportedSessions> {
            auto opened = Library::open(library, Library::Mode::ReadWrite);
            if (!opened)
                return fail(opened.error());
            return importInto(**opened, source.string());
        },
        [this, name = info.fileName()](Expected<ImportedSessions> imported) {
            if (!imported) {
                m_context.showMessage(
                    tr("%1 could not be opened: %2").arg(name, QString::fromStdString(imported.error().text())));
                return;
            }
            m_context.notifyLibraryChanged();
            QStringList list;
            for (const std::string& id : imported->ids)
                list << QString::fromStdString(id);
            if (list.isEmpty())
                m_context.showMessage(tr("%1 holds no session").arg(name));
            else
                m_context.compareSessions(list);
            if (const QString left = leftText(*imported); !left.isEmpty())
                m_context.showMessage(name + QStringLiteral(": ") + left);
            if (const QString damage = damageText(*imported); !damage.isEmpty())
                m_context.showMessage(name + QStringLiteral(": ") + damage);
        });
}

void MainWindow::importResultsOf(const QStringList& files)
{
    showPage(QStringLiteral("sessionsPage"));
    if (auto* sessions = qobject_cast<SessionsPage*>(page(QStringLiteral("sessionsPage"))))
        sessions->importFiles(files);
}

void MainWindow::showMessage(const QString& text, const QString& actionText, const std::function<void()>& action)
{
    if (text.isEmpty())
        return hideMessage();
    m_barText->setText(text);
    m_barFunction = action;
    m_barAction->setText(actionText);
    m_barAction->setVisible(!actionText.isEmpty());
    m_bar->setAccessibleName(text);
    placeMessageBar();
    m_bar->show();
    m_bar->raise();
    m_barTimer.start(kMessageMs);
}

void MainWindow::hideMessage()
{
    m_bar->hide();
    m_barTimer.stop();
    m_barFunction = {};
}

QString MainWindow::message() const
{
    return m_bar->isHidden() ? QString() : m_barText->text();
}

void MainWindow::placeMessageBar()
{
    const int room = m_stack->width() - 2 * space::pageMargin;
    const QFontMetrics metrics(m_barText->font());
    const int wanted = metrics.horizontalAdvance(m_barText->text()) + 48 +
                       (m_barAction->isHidden() ? 0 : m_barAction->sizeHint().width() + 12);
    const int width = std::min({room, 720, std::max(240, wanted)});
    m_bar->setFixedWidth(width);
    const int height = std::max(44, m_bar->layout()->hasHeightForWidth() ? m_bar->layout()->totalHeightForWidth(width)
                                                                         : m_bar->sizeHint().height());
    m_bar->setFixedHeight(height);
    const int left = m_rail->width() + (m_stack->width() - width) / 2;
    m_bar->move(left, this->height() - height - space::pageMargin);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    placeMessageBar();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), isOpened))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList results;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (!isOpened(url))
            continue;
        event->acceptProposedAction();
        const QString suffix = QFileInfo(url.toLocalFile()).suffix().toLower();
        if (suffix == QLatin1String("dyno") || suffix == QLatin1String("toml") ||
            isScript(QFileInfo(url.toLocalFile())))
            return openFile(url.toLocalFile());
        results += url.toLocalFile();
    }
    if (!results.isEmpty())
        importResultsOf(results);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_context.run().active()) {
        event->ignore();
        if (!m_closing)
            askAndClose();
        return;
    }
    QSettings settings;
    settings.setValue(settingsKey("geometry"), saveGeometry());
    if (Page* current = currentPage())
        settings.setValue(settingsKey("page"), current->objectName());
    if (m_manual)
        m_manual->close();
    event->accept();
}

void MainWindow::askAndClose()
{
    if (findChild<Question*>(QStringLiteral("closeQuestion")))
        return;
    auto* question =
        new Question(this, QStringLiteral("closeQuestion"), tr("A session is running"),
                     tr("Stop the session and close?"), tr("What was measured so far is kept in the library."));
    question->addAct(QStringLiteral("stopAndClose"), tr("Stop and close"), [this] {
        m_closing = true; // the window closes when the session has ended and everything is stored
        m_context.showMessage(tr("Stopping the session…"));
        m_context.run().stop();
    });
    question->ask(QStringLiteral("keepRunning"), tr("Keep running"));
}

void MainWindow::ask(const QString& text, const QString& more, const std::vector<ConsentAnswer>& answers)
{
    const bool isLong = more.size() > kLongQuestion;
    auto* question = new Question(this, QStringLiteral("consentQuestion"), tr("Please confirm"), text,
                                  isLong ? tr("All of it is listed below.") : more);
    if (isLong)
        question->setDetailedText(more);
    for (const ConsentAnswer& answer : answers)
        question->addAct(answer.name, answer.label, answer.action, answer.loses);
    for (QAbstractButton* button : question->buttons()) {
        if (isLong && question->buttonRole(button) == QMessageBox::ActionRole)
            button->click(); // who agrees has seen it
    }
    question->ask(QStringLiteral("consentNo"));
}

//! What came of settings that an earlier session left changed on servers of others.
void MainWindow::tellLeftovers(const LeftoverReport& report)
{
    if (report.empty())
        return;
    if (auto* servers = qobject_cast<ServersPage*>(page(QStringLiteral("serversPage"))))
        servers->showLeftovers(report);
    int back = 0;
    for (const RestoredKnob& knob : report.knobs)
        back += knob.outcome == RestoreOutcome::Restored || knob.outcome == RestoreOutcome::WasBack ? 1 : 0;
    const int open = int(report.knobs.size()) - back + int(report.production.size());
    if (report.problem)
        m_banner->showError(tr("Settings an earlier session left changed could not be read"), *report.problem);
    else if (open > 0)
        m_banner->showText(
            tr("Not restored yet: %n setting(s) an earlier session left changed on remote servers", nullptr, open),
            Tone::Warn, back > 0 ? tr("Restored: %n other(s)", nullptr, back) : QString());
    else
        m_banner->showText(tr("Restored: %n setting(s) an earlier session left changed", nullptr, back), Tone::Good);
    m_banner->setAction(tr("Show on Servers"), [this] {
        m_banner->hide();
        showPage(QStringLiteral("serversPage"));
    });
}

void MainWindow::fitInto(const QRect& available)
{
    if (available.isEmpty())
        return;
    QSize frame = frameGeometry().size() - size();
    if (frame.height() == 0)
        frame.setHeight(kTitleBar);
    const QSize room = available.size() - frame;
    setMinimumSize(QSize(kLeastWidth, kLeastHeight).boundedTo(room));
    if (isMaximized() || isFullScreen())
        return; // as large as the screen, whatever it is
    if (const QSize fitting = size().boundedTo(room); fitting != size())
        resize(fitting);
    if (!testAttribute(Qt::WA_Moved))
        return; // the window manager finds the place
    const QPoint corner(std::clamp(x(), available.x(), available.x() + room.width() - width()),
                        std::clamp(y(), available.y(), available.y() + room.height() - height()));
    if (corner != pos())
        move(corner);
}

void MainWindow::fitToScreen()
{
    if (m_room)
        fitInto(m_room());
    else if (QGuiApplication::platformName() != QLatin1String("offscreen")) // there any size is right
        fitInto(screen()->availableGeometry());
}

//! Another screen, another resolution, a panel that appears: the window fits again.
void MainWindow::followScreen()
{
    disconnect(m_screenRoom);
    m_screenRoom = connect(screen(), &QScreen::availableGeometryChanged, &m_fitTimer, qOverload<>(&QTimer::start));
}

//! The size that is remembered may be of a larger screen. This comes before the window is on the screen.
void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_followed || !windowHandle())
        return;
    m_followed = true;
    m_fitTimer.setSingleShot(true);
    m_fitTimer.setInterval(kRestMs);
    connect(&m_fitTimer, &QTimer::timeout, this, &MainWindow::fitToScreen);
    connect(windowHandle(), &QWindow::screenChanged, this, [this] {
        followScreen();
        m_fitTimer.start();
    });
    followScreen();
    fitToScreen();
}

void MainWindow::moveEvent(QMoveEvent* event)
{
    QMainWindow::moveEvent(event);
    if (m_fitTimer.isActive())
        m_fitTimer.start();
}

//! A window that was maximized is fitted once it is not any more.
void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange && m_followed && !isMinimized())
        m_fitTimer.start();
}

void MainWindow::restoreState()
{
    const QSettings settings;
    if (!restoreGeometry(settings.value(settingsKey("geometry")).toByteArray()))
        resize(1440, 900);
    QString last = settings.value(settingsKey("page")).toString();
    // A session does not outlive the program: an empty Run page is no place to begin.
    if (!page(last) || last == QLatin1String("runPage"))
        last = QStringLiteral("startPage");
    showPage(last);
    currentPage()->setFocus(Qt::OtherFocusReason);
    currentPage()->activated();
}

} // namespace dyno
