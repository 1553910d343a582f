// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/names_completer.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QLineEdit>
#include <QStringListModel>

#include <algorithm>
#include <utility>

namespace dyno {

namespace {

constexpr int kNamesInView = 12;
constexpr QChar kBetween = u',';

} // namespace

NamesCompleter::NamesCompleter(QLineEdit& line, Holds holds)
    : QCompleter(&line)
    , m_line(line)
    , m_several(holds == Holds::Names)
    , m_names(new QStringListModel(this))
{
    setModel(m_names);
    setCaseSensitivity(Qt::CaseInsensitive);
    setFilterMode(Qt::MatchContains);
    setMaxVisibleItems(kNamesInView);
    QAbstractItemView* list = popup(); // it is made here, and its events come before it is known
    list->setAccessibleName(tr("Names that fit"));
    m_list = list;
    line.setCompleter(this);
    connect(&line, &QLineEdit::textEdited, this, [this] { m_trial.clear(); });
    connect(this, qOverload<const QModelIndex&>(&QCompleter::highlighted), this,
            [this](const QModelIndex& index) { m_trial = index.isValid() ? pathFromIndex(index) : QString(); });
    connect(this, qOverload<const QModelIndex&>(&QCompleter::activated), this, [this] { m_trial.clear(); });
    // Queued: the line takes the text first, and puts the cursor at its end.
    connect(
        this, qOverload<const QModelIndex&>(&QCompleter::highlighted), this,
        [this] {
            if (!m_trial.isEmpty())
                putCursor();
            else if (m_line.text() == m_text) // back to what was typed
                m_line.setCursorPosition(int(m_cursor));
        },
        Qt::QueuedConnection);
    connect(
        this, qOverload<const QModelIndex&>(&QCompleter::activated), this,
        [this] {
            putCursor();
            emit chosen();
        },
        Qt::QueuedConnection);
}

void NamesCompleter::putCursor()
{
    m_line.setCursorPosition(int(m_line.text().size() - (m_text.size() - m_end)));
}

void NamesCompleter::restore()
{
    if (std::exchange(m_trial, {}) != m_line.text() || m_line.text().isEmpty())
        return;
    m_line.setText(m_text);
    m_line.setCursorPosition(int(m_cursor));
}

bool NamesCompleter::eventFilter(QObject* watched, QEvent* event)
{
    // Later: a choice closes the list before it is reported.
    if (m_list && watched == m_list && event->type() == QEvent::Hide)
        QMetaObject::invokeMethod(this, &NamesCompleter::restore, Qt::QueuedConnection);
    return QCompleter::eventFilter(watched, event);
}

void NamesCompleter::setNames(const QStringList& names)
{
    m_names->setStringList(names);
}

QStringList NamesCompleter::splitPath(const QString& path) const
{
    m_text = path;
    m_cursor = std::min<qsizetype>(m_line.cursorPosition(), path.size());
    if (!m_several) {
        m_begin = 0;
        m_end = path.size();
        return {path};
    }
    const qsizetype cursor = m_cursor;
    m_begin = cursor > 0 ? path.lastIndexOf(kBetween, cursor - 1) + 1 : 0;
    while (m_begin < cursor && path[m_begin].isSpace())
        ++m_begin;
    const qsizetype comma = path.indexOf(kBetween, cursor);
    m_end = comma < 0 ? path.size() : comma;
    return {path.mid(m_begin, cursor - m_begin)};
}

QString NamesCompleter::pathFromIndex(const QModelIndex& index) const
{
    return m_text.left(m_begin) + index.data().toString() + m_text.mid(m_end);
}

} // namespace dyno
