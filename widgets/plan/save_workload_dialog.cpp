// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/save_workload_dialog.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "qt_text.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/own_workloads.h>

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QVBoxLayout>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSaveWorkloadWidth = 440, kLongestWorkloadName = 48;
}

SaveWorkloadDialog::SaveWorkloadDialog(const QString& suggested, const QStringList& taken, QWidget* parent)
    : QDialog(parent)
    , m_taken(taken)
    , m_called(new QLineEdit(suggested))
    , m_told(new WrapLabel({}, TextRole::Secondary))
    , m_save(makeButton(tr("Save workload"), "primary"))
{
    auto* layout = dressDialog(*this, u"saveWorkload"_s, tr("Save as a workload of your own"));
    setMinimumWidth(kSaveWorkloadWidth);
    describe(m_called, u"saveWorkloadName"_s, tr("Name"), tr("Its name in the list of workloads and for dyno run"));
    m_called->setMaxLength(kLongestWorkloadName);
    m_called->setPlaceholderText(tr("For example: orders"));
    m_told->setObjectName(u"saveWorkloadTold"_s);
    layout->addWidget(makeLabel(tr("Name"), TextRole::Secondary));
    layout->addWidget(m_called);
    layout->addWidget(m_told);
    auto* buttons = makeDialogButtons(*this, u"saveWorkloadCancel"_s);
    describe(m_save, u"saveWorkloadSave"_s, m_save->text(), tr("Save the script as a file beside the library"));
    buttons->addButton(m_save, QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        accept();
        emit chosen(name(), m_taken.contains(name()));
    });
    connect(m_called, &QLineEdit::textChanged, this, &SaveWorkloadDialog::check);
    check();
    m_called->selectAll();
    m_called->setFocus();
}

QString SaveWorkloadDialog::name() const
{
    return qtText(ownWorkloadName(m_called->text().toStdString()));
}

void SaveWorkloadDialog::check()
{
    const bool empty = m_called->text().trimmed().isEmpty();
    const bool builtIn = findWorkload(name().toStdString()) != nullptr;
    const bool taken = m_taken.contains(name());
    m_save->setEnabled(!empty && !builtIn);
    m_save->setText(taken ? tr("Replace workload") : tr("Save workload"));
    m_save->setAccessibleName(m_save->text());
    setTone(m_told, builtIn ? Tone::Bad : taken ? Tone::Warn : Tone::Neutral);
    m_told->setText(empty     ? tr("Enter a name")
                    : builtIn ? tr("“%1” is a built-in workload: choose another name").arg(name())
                    : taken   ? tr("This replaces your workload “%1”").arg(name())
                              : tr("Any plan can use it as “%1”, and so can dyno run --workload %1").arg(name()));
}

} // namespace dyno
