// SPDX-License-Identifier: GPL-3.0-or-later
// The list of sessions and the search in it.
#include "parts/card.h"
#include "qt_text.h"
#include "sessions/library_menu.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"

#include <QAction>
#include <QItemSelection>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>

namespace dyno {

namespace {

constexpr int kProblemAfterMs = 400; // a word that is being typed is no mistake yet

//! `known`: how many sessions there are without the search, 0 = to be counted.
Expected<SessionListing> listingOf(Library& library, const std::string& query, bool archived, int known)
{
    SessionListing list;
    list.all = known;
    if (auto removed = library.removed())
        list.removed = std::move(*removed);
    if (query.empty() || known == 0) {
        auto all = library.sessions(archived ? Library::Listing::All : Library::Listing::Current);
        if (!all)
            return fail(all.error());
        list.all = int(all->size());
        if (query.empty()) {
            list.sessions = std::move(*all);
            return list;
        }
    }
    auto found = library.search(archived && query.find("is:") == std::string::npos ? query + " is:any" : query);
    if (found)
        list.sessions = std::move(*found);
    else if (found.error().kind == ErrorKind::BadInput)
        list.wrong = found.error();
    else
        return fail(found.error());
    return list;
}

} // namespace

void SessionsPage::buildSearch()
{
    m_search->setObjectName(QStringLiteral("sessionSearch"));
    m_search->setAccessibleName(tr("Search sessions"));
    m_search->setPlaceholderText(tr("Search: words, tag:nvme, version:8.4, date:2026-11 …"));
    m_search->setToolTip(
        tr("<p>Shows the sessions that fit every part (Ctrl+F):</p><table>"
           "<tr><td><b>durability</b>&nbsp;</td><td>in title, tags, notes, workload, target</td></tr>"
           "<tr><td><b>\"read only\"</b>&nbsp;</td><td>words that stand together</td></tr>"
           "<tr><td><b>tag:nvme</b>&nbsp;</td><td>also workload: target: version: status: source:</td></tr>"
           "<tr><td><b>date:2026-11</b>&nbsp;</td><td>also after:2026-11-01 before:2026-11-22</td></tr>"
           "<tr><td><b>sync_binlog=1</b>&nbsp;</td><td>a knob or variable; also &lt; &gt; and 128M</td></tr>"
           "<tr><td><b>is:archived</b>&nbsp;</td><td>or is:any</td></tr>"
           "<tr><td><b>!tag:old</b>&nbsp;</td><td>excludes</td></tr></table>"));
    m_searchProblem->setObjectName(QStringLiteral("sessionSearchProblem"));
    m_searchProblem->setWordWrap(true);
    setTone(m_searchProblem, Tone::Bad);
    m_searchProblem->hide();
    m_problemTimer.setSingleShot(true);
    m_problemTimer.setInterval(kProblemAfterMs);
    connect(&m_problemTimer, &QTimer::timeout, m_searchProblem, &QWidget::show);
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(160);
    m_search->setMaximumWidth(380);
    connect(m_search, &QLineEdit::textChanged, this, &SessionsPage::search);
    // The list is one key away from the search box.
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_filter->rowCount() > 0) {
            m_table->setFocus();
            m_table->selectRow(std::max(0, m_table->currentIndex().row()));
        }
    });
    auto* find = new QAction(this);
    find->setShortcut(QKeySequence::Find);
    find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QAction::triggered, m_search, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    addAction(find);
}

void SessionsPage::reload()
{
    read(0);
}

void SessionsPage::search()
{
    if (m_searching)
        m_searchAgain = true;
    else
        read(m_all);
}

void SessionsPage::read(int known)
{
    m_searching = true;
    m_searchAgain = false;
    const int token = ++m_reloads;
    m_worker.run<SessionListing>(
        Library::Mode::ReadOnly,
        [query = m_search->text().simplified().toStdString(), archived = m_showArchived->isChecked(),
         known](Library& library) { return listingOf(library, query, archived, known); },
        [this, token](Expected<SessionListing> list) {
            if (token != m_reloads)
                return;
            m_searching = false;
            m_loaded = true;
            m_failed = !list;
            if (list) {
                takeList(std::move(*list));
            } else {
                takeList({});
                m_empty->setIconName(QStringLiteral("error"));
                QString text = qtText(list.error().message);
                if (!list.error().where.empty())
                    text += QLatin1Char('\n') % qtText(list.error().where);
                if (!list.error().remedy.empty())
                    text += QLatin1Char('\n') % qtText(list.error().remedy);
                m_empty->setTexts(tr("The library cannot be read"), text, tr("Try again"));
            }
            showState();
            if (m_selectFirst && m_filter->rowCount() > 0 && selectedIds().isEmpty())
                m_table->selectRow(0); // the newest: most visits are about it
            m_selectFirst = false;
            updateActions();
            updateDetails();
            if (m_searchAgain)
                read(m_all);
        },
        SessionListing{});
}

void SessionsPage::takeList(SessionListing list)
{
    if (!list.wrong) {
        m_problemTimer.stop();
        m_searchProblem->hide();
    }
    m_library->setRemoved(list.removed);
    m_all = list.all;
    if (list.wrong) { // the list stays as it was
        m_searchProblem->setText(list.wrong->remedy.empty()
                                     ? qtText(list.wrong->message)
                                     : tr("%1; %2").arg(qtText(list.wrong->message), qtText(list.wrong->remedy)));
        if (!m_searchProblem->isVisible())
            m_problemTimer.start();
        return;
    }
    const QStringList before = selectedIds();
    m_model->setSessions(std::move(list.sessions));
    if (before.isEmpty() || !selectedIds().isEmpty())
        return;
    QItemSelection again; // a long list is made anew
    for (const QString& id : before) {
        const QModelIndex at = m_filter->mapFromSource(m_model->index(m_model->rowOf(id), 0));
        if (at.isValid())
            again.select(at, at);
    }
    m_table->selectionModel()->select(again, QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

} // namespace dyno
