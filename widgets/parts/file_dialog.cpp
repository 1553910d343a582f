// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/file_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>

namespace dyno {

QFileDialog* makeFileDialog(QWidget* parent, const QString& name, const QString& title, const QString& act)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setObjectName(name);
    dialog->setAccessibleName(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setLabelText(QFileDialog::Accept, act);
    const QString key = QStringLiteral("folders/") + name;
    if (const QString last = QSettings().value(key).toString(); !last.isEmpty() && QFileInfo(last).isDir())
        dialog->setDirectory(last);
    QObject::connect(dialog, &QDialog::accepted, dialog,
                     [dialog, key] { QSettings().setValue(key, dialog->directory().absolutePath()); });
    return dialog;
}

} // namespace dyno
