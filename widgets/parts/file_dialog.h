// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QFileDialog;
class QWidget;

namespace dyno {

//! Asks for a file or a folder, once its mode is set and it is opened; goes when it is closed. `act`: what its button
//! does, a verb ("Back up"). It begins in the folder where the dialog of this name ended last. GUI thread.
[[nodiscard]] QFileDialog* makeFileDialog(QWidget* parent, const QString& name, const QString& title,
                                          const QString& act);

} // namespace dyno
