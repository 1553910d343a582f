// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/foreign_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QRegularExpression>
#include <QTabBar>
#include <QToolTip>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! Of a view: `viewport` is what the mouse is over.
QString toolTipOfItem(const QAbstractItemView& view, const QPoint& at)
{
    if (!view.model())
        return {};
    if (const auto* header = qobject_cast<const QHeaderView*>(&view)) {
        const int section = header->logicalIndexAt(at);
        return section < 0 ? QString()
                           : view.model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
    }
    return view.indexAt(at).data(Qt::ToolTipRole).toString();
}

QString toolTipAt(const QWidget& widget, const QPoint& at)
{
    const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
    if (view && view->viewport() == &widget) {
        if (const QString text = toolTipOfItem(*view, at); !text.isEmpty())
            return text;
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        if (const QString text = tabs->tabToolTip(tabs->tabAt(at)); !text.isEmpty())
            return text;
    }
    if (const auto* menu = qobject_cast<const QMenu*>(&widget)) {
        const QAction* action = menu->toolTipsVisible() ? menu->actionAt(at) : nullptr;
        return action ? action->toolTip() : QString();
    }
    return widget.toolTip();
}

} // namespace

QString harmlessToolTip(const QString& text)
{
    if (!Qt::mightBeRichText(text))
        return text;
    static const QRegularExpression kPlainElements(u"</?(p|b|i|br|pre|table|tr|td)>"_s);
    QString rest = text;
    rest.remove(kPlainElements);
    return rest.contains(u'<') ? Qt::convertFromPlainText(text) : text;
}

void showPlainly(QMessageBox& box)
{
    box.setTextFormat(Qt::PlainText);
    for (const QString& name : {u"qt_msgbox_label"_s, u"qt_msgbox_informativelabel"_s}) {
        if (auto* label = box.findChild<QLabel*>(name)) {
            label->setTextFormat(Qt::PlainText);
            label->setOpenExternalLinks(false);
        }
    }
}

void ToolTipGuard::install()
{
    static QPointer<ToolTipGuard> installed;
    if (installed)
        return;
    installed = new ToolTipGuard(qApp);
    qApp->installEventFilter(installed);
}

bool ToolTipGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !watched->isWidgetType())
        return false;
    auto* widget = static_cast<QWidget*>(watched);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = toolTipAt(*widget, help->pos());
    const QString shown = harmlessToolTip(text);
    if (shown == text)
        return false;
    QToolTip::showText(help->globalPos(), shown, widget);
    event->accept();
    return true;
}

} // namespace dyno
