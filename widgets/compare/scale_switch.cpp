// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/scale_switch.h"

#include "parts/labels.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

namespace dyno {

ScaleSwitch::ScaleSwitch(QWidget* parent)
    : QWidget(parent)
    , m_linear(makeButton(tr("Linear"), "segment"))
    , m_log(makeButton(tr("Logarithmic"), "segment"))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    auto* group = new QButtonGroup(this);
    for (QPushButton* button : {m_linear, m_log}) {
        button->setCheckable(true);
        group->addButton(button);
        layout->addWidget(button);
    }
    m_linear->setObjectName(QStringLiteral("scaleLinear"));
    m_linear->setToolTip(tr("Equal steps of the y axis are equal differences"));
    m_linear->setAccessibleName(tr("Linear y axis"));
    m_log->setObjectName(QStringLiteral("scaleLog"));
    m_log->setToolTip(tr("Equal steps of the y axis are equal ratios: for figures that span more than 50×"));
    m_log->setAccessibleName(tr("Logarithmic y axis"));
    for (QPushButton* button : {m_linear, m_log}) {
        connect(button, &QPushButton::clicked, this, [this, on = button == m_log] {
            if (on == m_on)
                return; // as it is, perhaps by itself
            m_on = on;
            emit chosen(on);
        });
    }
}

void ScaleSwitch::setLogarithmic(bool on)
{
    m_on = on;
    (on ? m_log : m_linear)->setChecked(true);
}

bool ScaleSwitch::hasFocusWithin() const
{
    return m_linear->hasFocus() || m_log->hasFocus();
}

void ScaleSwitch::takeFocus()
{
    (m_log->isChecked() ? m_log : m_linear)->setFocus();
}

void ScaleSwitch::placeBehind(QWidget* inFocus)
{
    setTabOrder(inFocus, m_linear);
    setTabOrder(m_linear, m_log);
}

} // namespace dyno
