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

#include <cstdlib>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kKindWidth = 42, kKindHeight = 28, kButtonWidth = 72, kSides = 14, kLabelWidth = 72;
constexpr int kAroundText = 20; //!< height of a button without its picture and its lines

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

//! In two lines of about one length when it is long.
QString inLines(const QString& label, const QFontMetrics& metrics)
{
    qsizetype best = -1;
    for (auto at = label.indexOf(u' '); at >= 0; at = label.indexOf(u' ', at + 1)) {
        if (best < 0 || std::abs(2 * at - label.size()) < std::abs(2 * best - label.size()))
            best = at;
    }
    if (best < 0 || metrics.horizontalAdvance(label) <= kLabelWidth)
        return label;
    return label.left(best) + u'\n' + label.mid(best + 1);
}

} // namespace

ChartPicker::ChartPicker(const QString& name, const QString& chosen, QWidget* parent)
    : QWidget(parent)
    , m_buttons(new QButtonGroup(this))
{
    setObjectName(name);
    setAccessibleName(tr("Kind of chart"));
    auto* flow = new FlowLayout(this, space::grid);
    flow->setEven(true);
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    QSize size(kButtonWidth, 0);
    for (const ChartKind& kind : chartKinds()) {
        const QString id = qtText(kind.id), label = QCoreApplication::translate("Chart", kind.label.c_str());
        auto* button = new QToolButton(this);
        describe(button, name + u'.' + id, label, tr("%1: %2").arg(label, shownBy(kind)));
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIcon(Theme::instance().icon(iconOf(id)));
        button->setIconSize({kKindWidth, kKindHeight});
        button->setFont(Theme::font(TextRole::Label));
        button->setText(inLines(label, metrics));
        const QSize text = metrics.size(Qt::TextShowMnemonic, button->text());
        size = size.expandedTo({text.width() + kSides, text.height() + kKindHeight + kAroundText});
        button->setCheckable(true);
        button->setFocusPolicy(Qt::StrongFocus);
        m_buttons->addButton(button);
        button->setChecked(id == chosen); // one of a group is a stop of the Tab key
        flow->addWidget(button);
        if (id == chosen || !focusProxy()) // a kind that there is not is chosen by no button
            setFocusProxy(button);
        connect(button, &QToolButton::clicked, this, [this, id] { emit picked(id); });
    }
    for (QAbstractButton* button : m_buttons->buttons())
        button->setFixedSize(size);
}

QString ChartPicker::iconOf(const QString& kind)
{
    return u"chart-"_s + kind;
}

} // namespace dyno
