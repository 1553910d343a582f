// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/knob_header.h"

#include "plan/axes_model.h"
#include "theme.h"

#include <QPainter>

namespace dyno {

namespace {

constexpr int kHeight = 44, kPadding = 6;

QFont titleFont()
{
    QFont font = Theme::font(TextRole::Secondary);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

KnobHeader::KnobHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // a click selects the column
    setHighlightSections(false);
}

QString KnobHeader::title(int column) const
{
    return model() ? model()->headerData(column, Qt::Horizontal, PlanTitleRole).toString() : QString();
}

QString KnobHeader::variable(int column) const
{
    const QString name = model() ? model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() : QString();
    return name == title(column) ? QString() : name;
}

int KnobHeader::wantedWidth(int column) const
{
    return std::max(QFontMetrics(titleFont()).horizontalAdvance(title(column)),
                    QFontMetrics(Theme::font(TextRole::Label)).horizontalAdvance(variable(column))) +
           2 * kPadding + 1;
}

QSize KnobHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), kHeight};
}

void KnobHeader::paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const
{
    const ThemeColors& colors = Theme::instance().colors();
    painter->save();
    painter->fillRect(rect, colors.surface);
    painter->setPen(colors.border);
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    const QRect inner = rect.adjusted(kPadding, 4, -kPadding, -5);
    const QString below = variable(logicalIndex);
    painter->setFont(titleFont());
    painter->setPen(colors.text);
    painter->drawText(inner, Qt::AlignLeft | (below.isEmpty() ? Qt::AlignVCenter : Qt::AlignTop),
                      painter->fontMetrics().elidedText(title(logicalIndex), Qt::ElideRight, inner.width()));
    painter->setFont(Theme::font(TextRole::Label));
    painter->setPen(colors.secondText);
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignBottom,
                      painter->fontMetrics().elidedText(below, Qt::ElideMiddle, inner.width()));
    painter->restore();
}

} // namespace dyno
