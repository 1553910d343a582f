// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/care_dialog.h"

#include "format.h"
#include "parts/labels.h"
#include "theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kWhole = 1000;
constexpr double kTellingShare = 0.05; //!< from here on the time that is left can be told
constexpr qint64 kTellingMs = 2000;

} // namespace

CareDialog::CareDialog(const QString& what, QWidget* parent)
    : QDialog(parent)
    , m_bar(new QProgressBar)
    , m_left(makeLabel({}, TextRole::Secondary))
    , m_cancel(makeButton(tr("Cancel")))
{
    setObjectName(QStringLiteral("careDialog"));
    setWindowTitle(what);
    setMinimumWidth(380);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::pageMargin, 16, space::pageMargin, 16);
    layout->setSpacing(10);
    layout->addWidget(makeLabel(what, TextRole::Body));
    m_bar->setObjectName(QStringLiteral("careProgress"));
    m_bar->setAccessibleName(what);
    m_bar->setRange(0, kWhole);
    m_bar->setTextVisible(false); // it is a thin line
    layout->addWidget(m_bar);
    m_left->setObjectName(QStringLiteral("careLeft"));
    m_cancel->setObjectName(QStringLiteral("careCancel"));
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(m_left, 1);
    bottom->addWidget(m_cancel);
    layout->addLayout(bottom);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    m_since.start();
}

void CareDialog::setShare(double share)
{
    m_bar->setValue(std::max(m_bar->value(), int(kWhole * share)));
    if (!m_cancel->isEnabled())
        return;
    const qint64 ms = m_since.elapsed();
    if (share >= kTellingShare && share < 1 && ms >= kTellingMs)
        m_left->setText(tr("about %1 left").arg(format::duration(std::ceil(double(ms) / 1000 * (1 - share) / share))));
}

void CareDialog::end()
{
    QDialog::done(Accepted);
    deleteLater();
}

void CareDialog::done(int)
{
    if (!m_cancel->isEnabled())
        return;
    m_cancel->setEnabled(false);
    m_left->setText(tr("Cancelling"));
    emit cancelled();
}

} // namespace dyno
