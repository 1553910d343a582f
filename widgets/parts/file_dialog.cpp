// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/file_dialog.h"

#include <QFileDialog>

namespace dyno {

QFileDialog* makeFileDialog(QWidget* parent, const QString& name, const QString& title, const QString& act)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setObjectName(name);
    dialog->setAccessibleName(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setLabelText(QFileDialog::Accept, act);
    return dialog;
}

} // namespace dyno
