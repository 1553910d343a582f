// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/names_completer.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QStringListModel>

#include <algorithm>

namespace dyno {

namespace {

constexpr int kNamesInView = 12;
constexpr QChar kBetween = u',';

} // namespace

NamesCompleter::NamesCompleter(QLineEdit& line)
    : QCompleter(&line)
    , m_line(line)
    , m_names(new QStringListModel(this))
{
    setModel(m_names);
    setCaseSensitivity(Qt::CaseInsensitive);
    setFilterMode(Qt::MatchContains);
    setMaxVisibleItems(kNamesInView);
    popup()->setAccessibleName(tr("Names that fit"));
    line.setCompleter(this);
    // Queued: the line takes the text first, and puts the cursor at its end.
    connect(
        this, qOverload<const QModelIndex&>(&QCompleter::activated), this,
        [this] {
            m_line.setCursorPosition(int(m_line.text().size() - (m_text.size() - m_end)));
            emit chosen();
        },
        Qt::QueuedConnection);
}

void NamesCompleter::setNames(const QStringList& names)
{
    m_names->setStringList(names);
}

QStringList NamesCompleter::splitPath(const QString& path) const
{
    const qsizetype cursor = std::min<qsizetype>(m_line.cursorPosition(), path.size());
    m_text = path;
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
