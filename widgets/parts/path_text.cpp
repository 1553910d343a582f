// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/path_text.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kWordJoiner(0x2060);
constexpr qsizetype kLongestPath = 40; //!< characters that a narrow column has in a line, about

} // namespace

QString withWholePaths(const QString& text)
{
    static const QRegularExpression path(u"(?<![^\\s“(:=])~?/[^\\s”),;]*"_s);
    QString whole;
    qsizetype at = 0;
    for (auto each = path.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        whole += QStringView(text).mid(at, match.capturedStart() - at);
        QString one = match.captured();
        // A longer one is broken anyway; only its first slash does not stand alone.
        const qsizetype end = one.size() <= kLongestPath ? one.size() : one.indexOf(u'/') + 1;
        for (auto slash = end - 1; slash >= 0; --slash) {
            if (one[slash] == u'/' && slash + 1 < one.size())
                one.insert(slash + 1, kWordJoiner);
        }
        whole += one;
        at = match.capturedEnd();
    }
    return whole + QStringView(text).mid(at);
}

PathText::PathText(const QString& text, TextRole role, QWidget* parent)
    : WrapLabel(withWholePaths(text), role, parent)
{
    setAccessibleName(text);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
}

QString PathText::selection() const
{
    return selectedText().remove(kWordJoiner);
}

void PathText::copy() const
{
    if (hasSelectedText())
        QGuiApplication::clipboard()->setText(selection());
}

void PathText::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        copy();
    else
        WrapLabel::keyPressEvent(event);
}

//! Qt's own menu would copy the joiners.
void PathText::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    menu->setObjectName(u"pathTextMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy"), this, &PathText::copy)->setEnabled(hasSelectedText());
    menu->addAction(tr("Select all"), this, [this] { setSelection(0, int(text().size())); });
    menu->popup(event->globalPos());
}

//! The clipboard of the middle button has what is selected.
void PathText::mouseReleaseEvent(QMouseEvent* event)
{
    WrapLabel::mouseReleaseEvent(event);
    if (hasSelectedText() && QGuiApplication::clipboard()->supportsSelection())
        QGuiApplication::clipboard()->setText(selection(), QClipboard::Selection);
}

} // namespace dyno
