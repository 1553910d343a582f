// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/chart_picker.h"

#include "parts/card.h"
#include "parts/field.h"
#include "parts/plan_text.h"
#include "theme.h"

#include <dyno/chart_kinds.h>

#include <QButtonGroup>
#include <QCoreApplication>
#include <QToolButton>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kKindWidth = 42, kKindHeight = 28, kButtonWidth = 92, kButtonHeight = 62;

//! What the registry says of it.
QString shownBy(const ChartKind& kind)
{
    QStringList parts;
    parts << (kind.intervals ? ChartPicker::tr("single runs, interval by interval")
              : kind.summary ? ChartPicker::tr("one figure per point, from all its repeats")
                             : ChartPicker::tr("one figure per run"));
    if (kind.seconds)
        parts << ChartPicker::tr("over the seconds of the run");
    if (kind.law)
        parts << ChartPicker::tr("with the scaling law that fits them");
    if (!kind.title.empty() && kind.title != kind.label)
        parts << QCoreApplication::translate("Chart", kind.title.c_str()).toLower();
    return parts.join(u", "_s);
}

} // namespace

ChartPicker::ChartPicker(const QString& name, const QString& chosen, QWidget* parent)
    : QWidget(parent)
    , m_buttons(new QButtonGroup(this))
{
    setObjectName(name);
    setAccessibleName(tr("Kind of chart"));
    auto* flow = new FlowLayout(this, space::grid);
    for (const ChartKind& kind : chartKinds()) {
        const QString id = qtText(kind.id), label = QCoreApplication::translate("Chart", kind.label.c_str());
        auto* button = new QToolButton(this);
        describe(button, name + u'.' + id, label, tr("%1: %2").arg(label, shownBy(kind)));
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIcon(Theme::instance().icon(iconOf(id)));
        button->setIconSize({kKindWidth, kKindHeight});
        button->setFont(Theme::font(TextRole::Label));
        button->setText(button->fontMetrics().elidedText(label, Qt::ElideRight, kButtonWidth - 12));
        button->setFixedSize(kButtonWidth, kButtonHeight);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::StrongFocus);
        m_buttons->addButton(button);
        button->setChecked(id == chosen); // one of a group is a stop of the Tab key
        flow->addWidget(button);
        if (id == chosen || !focusProxy()) // a kind that there is not is chosen by no button
            setFocusProxy(button);
        connect(button, &QToolButton::clicked, this, [this, id] { emit picked(id); });
    }
}

QString ChartPicker::iconOf(const QString& kind)
{
    return u"chart-"_s + kind;
}

} // namespace dyno
