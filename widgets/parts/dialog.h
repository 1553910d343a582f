// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What dialogs have in common: room around their content, a way out that changes nothing, a size that stays. GUI
//! thread.
#pragma once

#include <QSize>
#include <QString>

class QDialog;
class QDialogButtonBox;
class QVBoxLayout;

namespace dyno {

//! Names it, and lets it go when it is closed. Its layout is new and the dialog's.
QVBoxLayout* dressDialog(QDialog& dialog, const QString& name, const QString& title);
//! Its buttons, with one that closes it without a change, as Escape does. `cancelName`: object name of that.
[[nodiscard]] QDialogButtonBox* makeDialogButtons(QDialog& dialog, const QString& cancelName);
//! As large as the person left it, `usual` until then. The dialog has its object name; no larger than the screen.
void keepSize(QDialog& dialog, const QSize& usual);

} // namespace dyno
