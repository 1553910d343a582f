// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/dialog.h"

#include "parts/field.h"
#include "theme.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QVBoxLayout>

namespace dyno {

namespace {

struct DialogWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::Dialog)
};

} // namespace

QVBoxLayout* dressDialog(QDialog& dialog, const QString& name, const QString& title)
{
    dialog.setObjectName(name);
    dialog.setWindowTitle(title);
    dialog.setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(&dialog);
    layout->setContentsMargins(space::pageMargin, 16, space::pageMargin, 16);
    layout->setSpacing(10);
    return layout;
}

QDialogButtonBox* makeDialogButtons(QDialog& dialog, const QString& cancelName)
{
    auto* buttons = new QDialogButtonBox(&dialog); // which button is its default is for the dialog to know
    QPushButton* cancel = buttons->addButton(QDialogButtonBox::Cancel);
    cancel->setText(DialogWords::tr("Cancel"));
    describe(cancel, cancelName, cancel->text(), DialogWords::tr("Close without a change"));
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    return buttons;
}

void keepSize(QDialog& dialog, const QSize& usual)
{
    const QString key = QStringLiteral("dialogs/") % dialog.objectName();
    QSize size = QSettings().value(key).toSize();
    if (!size.isValid())
        size = usual;
    dialog.resize(dialog.screen() ? size.boundedTo(dialog.screen()->availableSize()) : size);
    QObject::connect(&dialog, &QDialog::finished, &dialog, [&dialog, key, begun = dialog.size()] {
        if (dialog.size() != begun)
            QSettings().setValue(key, dialog.size());
    });
}

} // namespace dyno
