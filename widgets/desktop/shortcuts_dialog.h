// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The list of keyboard shortcuts, made from the commands that there are. GUI thread.
#pragma once

#include <QDialog>

namespace dyno {

class ShortcutsDialog : public QDialog
{
    Q_OBJECT
public:
    //! Lists the commands below `window` that have keys.
    ShortcutsDialog(const QWidget& window, QWidget* parent);
};

} // namespace dyno
