// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>

namespace dyno {

namespace {

QWidget* asWheelInput(QObject* object)
{
    if (auto* combo = qobject_cast<QComboBox*>(object))
        return combo;
    return qobject_cast<QAbstractSpinBox*>(object);
}

} // namespace

WheelGuard::WheelGuard(QObject* parent)
    : QObject(parent)
{
}

void WheelGuard::install()
{
    if (qApp->findChild<WheelGuard*>(QString(), Qt::FindDirectChildrenOnly))
        return;
    qApp->installEventFilter(new WheelGuard(qApp));
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Polish) {
        // Qt's default for these is WheelFocus: scrolling past them would take the focus from where it is.
        if (QWidget* input = asWheelInput(watched); input && input->focusPolicy() == Qt::WheelFocus)
            input->setFocusPolicy(Qt::StrongFocus);
    } else if (event->type() == QEvent::Wheel && asWheelInput(watched)) {
        event->ignore(); // goes on to the parents, and so to the scroll area
        return true;
    }
    return false;
}

} // namespace dyno
