// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/manual_window.h"

#include "manual/manual_browser.h"
#include "manual/manual_lists.h"
#include "parts/labels.h"
#include "theme.h"

#include <dyno/manual.h>

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace dyno {

namespace {

constexpr int kContentsWidth = 280, kReaderBar = 48;

QString geometryKey()
{
    return QStringLiteral("manual/geometry");
}

} // namespace

ManualWindow::ManualWindow(QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_search(new QLineEdit)
    , m_contents(new ManualContents)
    , m_hits(new ManualHits)
    , m_nothing(makeLabel(tr("No section has all of these words"), TextRole::Secondary))
    , m_lists(new QStackedWidget)
    , m_place(makeLabel({}, TextRole::Secondary))
    , m_back(new QToolButton)
    , m_forward(new QToolButton)
    , m_browser(new ManualBrowser)
{
    setObjectName(QStringLiteral("manualWindow"));
    setAccessibleName(tr("Manual"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/dynobench.svg")));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(buildSide());
    line->addWidget(buildReader(), 1);
    buildShortcuts();
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_hits->count() > 0 && m_lists->currentWidget() == m_hits)
            m_hits->choose(std::max(0, m_hits->currentRow()));
    });
    connect(m_contents, &ManualContents::pageChosen, this, [this](const QString& page) { m_browser->open(page); });
    connect(m_hits, &ManualHits::placeChosen, this, [this](const QString& page, const QString& anchor) {
        m_browser->open(page, anchor);
        m_browser->mark(m_search->text().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    });
    connect(m_browser, &QTextBrowser::sourceChanged, this, &ManualWindow::pageShown);
    connect(m_browser, &QTextBrowser::backwardAvailable, m_back, &QWidget::setEnabled);
    connect(m_browser, &QTextBrowser::forwardAvailable, m_forward, &QWidget::setEnabled);
    connect(m_back, &QToolButton::clicked, m_browser, &QTextBrowser::backward);
    connect(m_forward, &QToolButton::clicked, m_browser, &QTextBrowser::forward);
    if (!restoreGeometry(QSettings().value(geometryKey()).toByteArray()))
        resize(QSize(1120, 820).boundedTo(screen()->availableSize()));
}

QWidget* ManualWindow::buildSide()
{
    auto* side = new QFrame;
    setRole(side, "side");
    side->setFixedWidth(kContentsWidth);
    m_search->setObjectName(QStringLiteral("manualSearch"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setPlaceholderText(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_nothing->setObjectName(QStringLiteral("manualNothing"));
    m_nothing->setWordWrap(true);
    m_nothing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_nothing->setContentsMargins(8, 8, 8, 8);
    m_lists->addWidget(m_contents);
    m_lists->addWidget(m_hits);
    m_lists->addWidget(m_nothing);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(10, 10, 6, 10);
    column->setSpacing(8);
    column->addWidget(m_search);
    column->addWidget(m_lists, 1);
    return side;
}

QWidget* ManualWindow::buildReader()
{
    auto* reader = new QFrame;
    setRole(reader, "reader");
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(28, 0, 16, 0);
    bar->setSpacing(4);
    const auto add = [&](QToolButton* button, const char* name, const char* icon, const QString& words) {
        button->setObjectName(QString::fromLatin1(name));
        button->setAccessibleName(words);
        button->setToolTip(words);
        button->setIcon(Theme::instance().icon(QString::fromLatin1(icon)));
        button->setIconSize(QSize(18, 18));
        button->setEnabled(false);
        bar->addWidget(button);
    };
    add(m_back, "manualBack", "arrow-left", tr("Back (Alt+Left)"));
    add(m_forward, "manualForward", "arrow-right", tr("Forward (Alt+Right)"));
    m_place->setObjectName(QStringLiteral("manualPlace"));
    bar->addSpacing(8);
    bar->addWidget(m_place, 1);
    auto* box = new QWidget;
    box->setFixedHeight(kReaderBar);
    box->setLayout(bar);
    auto* rule = new QFrame;
    setRole(rule, "line");
    auto* column = new QVBoxLayout(reader);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(box);
    column->addWidget(rule);
    column->addWidget(m_browser, 1);
    return reader;
}

void ManualWindow::buildShortcuts()
{
    const auto add = [this](const QKeySequence& keys, auto action) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    };
    add(QKeySequence(Qt::Key_Escape), [this] {
        if (m_search->hasFocus() && !m_search->text().isEmpty())
            m_search->clear();
        else
            close();
    });
    connect(new QShortcut(QKeySequence(Qt::Key_Down), m_search, nullptr, nullptr, Qt::WidgetShortcut),
            &QShortcut::activated, m_lists, [this] { m_lists->currentWidget()->setFocus(Qt::ShortcutFocusReason); });
    add(QKeySequence(Qt::ALT | Qt::Key_Left), [this] { m_browser->backward(); });
    add(QKeySequence(Qt::ALT | Qt::Key_Right), [this] { m_browser->forward(); });
    add(QKeySequence::Find, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
}

void ManualWindow::search(const QString& words)
{
    const bool asked = !words.trimmed().isEmpty();
    m_hits->search(words);
    m_lists->setCurrentWidget(!asked                 ? static_cast<QWidget*>(m_contents)
                              : m_hits->count() == 0 ? static_cast<QWidget*>(m_nothing)
                                                     : static_cast<QWidget*>(m_hits));
}

//! `address`: source() still is that of the page before.
void ManualWindow::pageShown(const QUrl& address)
{
    const QString id = ManualBrowser::pageOf(address);
    const ManualPage* shown = findManualPage(id.toStdString());
    if (!shown)
        return;
    const QString title = QString::fromStdString(shown->title), group = QString::fromStdString(shown->group);
    m_contents->showCurrent(id);
    m_place->setText(group.isEmpty() ? title : QStringLiteral("%1 › %2").arg(group, title));
    setWindowTitle(tr("%1 – Dynobench manual").arg(title));
}

void ManualWindow::openPage(const QString& page, const QString& anchor)
{
    m_browser->open(page, anchor);
    if (m_browser->source().isEmpty())
        m_browser->open(QString::fromStdString(manualContents().id));
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
    m_browser->setFocus(Qt::OtherFocusReason);
}

QString ManualWindow::page() const
{
    return m_browser->page();
}

void ManualWindow::closeEvent(QCloseEvent* event)
{
    QSettings().setValue(geometryKey(), saveGeometry());
    QWidget::closeEvent(event);
}

} // namespace dyno
