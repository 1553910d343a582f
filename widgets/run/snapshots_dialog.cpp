// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots_dialog.h"

#include "bridge/library_worker.h"
#include "format.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <dyno/visible_text.h>

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr QSize kUsualSnapshotSize{1040, 720};
constexpr int kSnapshotListWidth = 250;
constexpr int kReadAgainMs = 250;
constexpr int kMostReads = 20;
constexpr int kPartRole = Qt::UserRole + 1; //!< of an item: index of its part; −1 of a snapshot's own
constexpr double kOfSameSnapshot = 1e-6;    //!< seconds

} // namespace

SnapshotsDialog::SnapshotsDialog(std::filesystem::path library, QWidget* parent)
    : QDialog(parent)
    , m_library(std::move(library))
    , m_list(new QTreeWidget)
    , m_text(new QPlainTextEdit)
    , m_search(new QLineEdit)
    , m_note(makeLabel({}, TextRole::Secondary))
    , m_job(this)
{
    QVBoxLayout* layout = dressDialog(*this, QStringLiteral("snapshotsDialog"), tr("Snapshots of the server"));
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    describe(m_list, QStringLiteral("snapshotList"), tr("Snapshots and their parts"), {});
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    describe(m_text, QStringLiteral("snapshotText"), tr("Text of the snapshot"),
             tr("The server's answer. Literals in statements are hidden"));
    m_search->setClearButtonEnabled(true);
    m_search->setPlaceholderText(tr("Find in the text"));
    describe(m_search, QStringLiteral("snapshotSearch"), tr("Find in the text"),
             tr("Enter finds the next place, Shift+Enter the one before"));
    m_note->setObjectName(QStringLiteral("snapshotNote"));
    m_note->setWordWrap(true);
    QPushButton* copyButton = makeButton(tr("Copy"));
    copyButton->setObjectName(QStringLiteral("snapshotCopy"));
    copyButton->setAutoDefault(false); // Enter in the search is not meant for it
    copyButton->setToolTip(tr("Copy the whole text"));
    auto* tools = new QHBoxLayout;
    tools->addWidget(m_search, 1);
    tools->addWidget(copyButton);
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(tools);
    column->addWidget(m_text, 1);
    auto* parts = new QSplitter;
    parts->addWidget(m_list);
    parts->addWidget(right);
    parts->setStretchFactor(1, 1);
    parts->setSizes({kSnapshotListWidth, kUsualSnapshotSize.width() - kSnapshotListWidth});
    layout->addWidget(parts, 1);
    layout->addWidget(m_note);
    m_again.setSingleShot(true);
    m_again.setInterval(kReadAgainMs);
    connect(&m_again, &QTimer::timeout, this, &SnapshotsDialog::read);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &SnapshotsDialog::showText);
    connect(m_search, &QLineEdit::returnPressed, this,
            [this] { find(QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)); });
    connect(copyButton, &QPushButton::clicked, this, &SnapshotsDialog::copy);
    auto* toSearch = new QShortcut(QKeySequence::Find, this);
    connect(toSearch, &QShortcut::activated, m_search, qOverload<>(&QWidget::setFocus));
    keepSize(*this, kUsualSnapshotSize);
}

void SnapshotsDialog::showRun(const std::string& session, int run, double seconds)
{
    m_session = session;
    m_run = run;
    m_seconds = seconds;
    m_tries = 0;
    read();
    show();
    raise();
    activateWindow();
}

void SnapshotsDialog::read()
{
    m_job.start(
        [file = m_library, id = m_session, run = m_run] {
            return LibraryWorker::opened<std::vector<RunSnapshot>>(
                file, Library::Mode::ReadOnly,
                [&id, run](Library& library) -> Read { return runSnapshots(library, id, run); });
        },
        [this](Read read) {
            std::vector<RunSnapshot> found = read.value_or(std::vector<RunSnapshot>());
            const auto same = [](const RunSnapshot& one, const RunSnapshot& other) { return one.tNs == other.tNs; };
            // What somebody chose or scrolled to stays where nothing is new.
            const bool changed = m_tries == 0 || !std::ranges::equal(found, m_snapshots, same);
            if (changed)
                m_snapshots = std::move(found);
            const bool there = std::ranges::any_of(m_snapshots, [this](const RunSnapshot& one) {
                return std::abs(double(one.tNs) * 1e-9 - m_seconds) < kOfSameSnapshot;
            });
            const bool again = !there && ++m_tries < kMostReads; // it is still being written
            if (again)
                m_again.start();
            m_note->setText(!read   ? qtText(read.error().text())
                            : there ? QString()
                            : again ? tr("Reading…")
                                    : tr("This snapshot is not stored"));
            m_note->setVisible(!m_note->text().isEmpty());
            if (changed)
                fill();
        });
}

void SnapshotsDialog::fill()
{
    m_list->clear();
    QTreeWidgetItem* chosen = nullptr;
    for (std::size_t i = 0; i < m_snapshots.size(); ++i) {
        const RunSnapshot& snapshot = m_snapshots[i];
        const double seconds = double(snapshot.tNs) * 1e-9;
        auto* item = new QTreeWidgetItem(m_list);
        item->setText(
            0, snapshot.stalled
                   ? tr("%1, at a stall, took %2", "moment of a run, time")
                         .arg(format::clock(seconds), format::time(snapshot.ms))
                   : tr("%1, took %2", "moment of a run, time").arg(format::clock(seconds), format::time(snapshot.ms)));
        item->setFlags(Qt::ItemIsEnabled);
        item->setSizeHint(0, {0, space::tableRow});
        item->setData(0, Qt::UserRole, int(i));
        item->setData(0, kPartRole, -1);
        for (std::size_t part = 0; part < snapshot.texts.size(); ++part) {
            auto* inside = new QTreeWidgetItem(item);
            inside->setText(0, qtText(visibleText(snapshot.texts[part].title)));
            inside->setSizeHint(0, {0, space::tableRow});
            inside->setData(0, Qt::UserRole, int(i));
            inside->setData(0, kPartRole, int(part));
            if (part == 0 && (!chosen || std::abs(seconds - m_seconds) < kOfSameSnapshot))
                chosen = inside;
        }
        item->setExpanded(true);
    }
    if (chosen) {
        m_list->setCurrentItem(chosen);
        m_list->scrollToItem(chosen->parent(), QAbstractItemView::PositionAtTop);
    }
    showText();
}

void SnapshotsDialog::showText()
{
    const QTreeWidgetItem* item = m_list->currentItem();
    const int part = item ? item->data(0, kPartRole).toInt() : -1;
    if (part < 0)
        return m_text->clear();
    const RunSnapshot& snapshot = m_snapshots[std::size_t(item->data(0, Qt::UserRole).toInt())];
    m_text->setPlainText(qtText(visibleText(snapshot.texts[std::size_t(part)].text, TextLayout::Keep)));
}

QString SnapshotsDialog::text() const
{
    return m_text->toPlainText();
}

//! From the start again where nothing follows.
void SnapshotsDialog::find(bool backward)
{
    const QTextDocument::FindFlags flags = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (m_text->find(m_search->text(), flags))
        return;
    m_text->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
    (void)m_text->find(m_search->text(), flags);
}

void SnapshotsDialog::copy()
{
    QGuiApplication::clipboard()->setText(m_text->toPlainText());
}

} // namespace dyno
