// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Texts of plans, sessions, logs and servers may hold markup: Qt would load its pictures and open its links. GUI
//! thread.
#pragma once

#include <QObject>
#include <QString>

class QMessageBox;

namespace dyno {

//! `text` for a tool tip: as it is when it is plain, or marked up with nothing but plain elements without attributes,
//! as our own are; otherwise escaped, so that it is shown as it stands.
[[nodiscard]] QString harmlessToolTip(const QString& text);
//! Neither text of the box is read as markup. After both were set, before it opens.
void showPlainly(QMessageBox& box);

//! Shows harmlessToolTip() in place of each tool tip of a widget, an item of a view, a tab or a menu.
class ToolTipGuard : public QObject
{
    Q_OBJECT
public:
    static void install(); //!< for the whole application, once

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace dyno
