// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/step_card.h"

#include "parts/field.h"
#include "parts/labels.h"
#include "theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLineHeight = 44; // 46 with the card's border
constexpr int kMark = 20;
constexpr int kHeaderGap = 10;
constexpr int kNumber = 8;
constexpr int kTitleGap = 24; // between the titles and what the lines say
constexpr int kChevron = 16;
constexpr float kSoft = 0.12F; // of a tone behind its mark

QFont boldFont()
{
    QFont font = Theme::font(TextRole::Body);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont linkFont()
{
    QFont font = Theme::font(TextRole::Secondary);
    font.setWeight(QFont::DemiBold);
    return font;
}

int widthOf(const QFont& font, const QString& text)
{
    return QFontMetrics(font).horizontalAdvance(text);
}

//! Draws as much of `text` as fits between `x` and `right`, and moves `x` behind it.
void drawPart(QPainter& painter, const QFont& font, const QColor& color, int& x, int right, const QString& text)
{
    if (text.isEmpty() || x >= right)
        return;
    painter.setFont(font);
    painter.setPen(color);
    const QFontMetrics metrics(font);
    const QString shown = metrics.elidedText(text, Qt::ElideRight, right - x);
    painter.drawText(QRect(x, 0, right - x, kLineHeight), int(Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine),
                     shown);
    x += metrics.horizontalAdvance(shown);
}

void drawMark(QPainter& painter, const QRectF& place, bool fault, bool open)
{
    const ThemeColors& colors = Theme::instance().colors();
    if (open && !fault) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.accent, 2));
        painter.drawEllipse(place.adjusted(1, 1, -1, -1));
        return;
    }
    const QColor tone = fault ? colors.bad : colors.good;
    QColor soft = tone;
    soft.setAlphaF(kSoft);
    painter.setPen(Qt::NoPen);
    painter.setBrush(soft);
    painter.drawEllipse(place);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tone, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF middle = place.center();
    if (fault) {
        painter.drawLine(middle + QPointF(0, -4.5), middle + QPointF(0, 0.8));
        painter.drawPoint(middle + QPointF(0, 4.3));
        return;
    }
    const QPointF tick[] = {middle + QPointF(-4, 0.2), middle + QPointF(-1.2, 3), middle + QPointF(4, -2.8)};
    painter.drawPolyline(tick, 3);
}

void drawChevron(QPainter& painter, QPointF middle, bool up)
{
    const qreal by = up ? -2.2 : 2.2;
    painter.setPen(QPen(Theme::instance().colors().accent, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF line[] = {middle + QPointF(-4, -by), middle + QPointF(0, by), middle + QPointF(4, -by)};
    painter.drawPolyline(line, 3);
}

} // namespace

// --- StepHeader ---

StepHeader::StepHeader(const QString& number, const QString& title, QWidget* parent)
    : QAbstractButton(parent)
    , m_number(number)
    , m_title(title)
    , m_room(new QHBoxLayout(this))
{
    setCheckable(true);
    setFixedHeight(kLineHeight);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    m_room->setSpacing(space::cardGap);
    m_room->addStretch(1);
    setNameWidth(0);
    describeLine();
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize StepHeader::sizeHint() const
{
    return {m_room->sizeHint().width(), kLineHeight};
}

int StepHeader::nameWidth() const
{
    return widthOf(Theme::font(TextRole::Section), m_title);
}

void StepHeader::setNameWidth(int width)
{
    m_nameWidth = std::max(width, nameWidth());
    const int edit = widthOf(linkFont(), tr("Edit"));
    m_room->setContentsMargins(0, 0, space::cardPadding + kChevron + space::grid + edit + space::cardGap, 0);
    update();
}

void StepHeader::setLine(const StepLine& line)
{
    if (line == m_line)
        return;
    m_line = line;
    describeLine();
}

void StepHeader::setFault(const QString& text)
{
    if (text == m_fault)
        return;
    m_fault = text;
    describeLine();
}

void StepHeader::setHint(const QString& text)
{
    m_hint = text;
    update();
}

void StepHeader::setOpen(bool open)
{
    setChecked(open);
    describeLine();
}

void StepHeader::describeLine()
{
    setAccessibleName(m_number.isEmpty() ? m_title : tr("Step %1: %2").arg(m_number, m_title));
    QStringList says{m_line.bold, m_line.rest};
    if (!m_fault.isEmpty())
        says = {tr("To fix: %1").arg(m_fault)};
    says.removeAll(QString());
    setAccessibleDescription(says.join(u", "_s));
    const QString what = isChecked() ? tr("Fold this step") : tr("Open this step");
    says << what;
    setToolTip(isChecked() ? what : says.join(u'\n'));
    update();
}

void StepHeader::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

void StepHeader::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = Theme::instance().colors();
    const bool open = isChecked();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (hasFocus()) {
        painter.setPen(QPen(colors.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(3.5, 3.5, -3.5, -3.5), space::controlRadius,
                                space::controlRadius);
    }
    int x = space::cardPadding;
    if (!m_number.isEmpty())
        drawMark(painter, QRectF(x, (kLineHeight - kMark) / 2, kMark, kMark), !m_fault.isEmpty(), open);
    x += kMark + kHeaderGap;
    int right = width() - space::cardPadding;
    drawChevron(painter, QPointF(right - kChevron / 2.0, kLineHeight / 2.0), open);
    right -= kChevron + space::grid;
    if (!open) {
        QFont font = linkFont();
        font.setUnderline(underMouse());
        painter.setFont(font);
        painter.setPen(colors.accent);
        painter.drawText(QRect(0, 0, right, kLineHeight), int(Qt::AlignVCenter | Qt::AlignRight), tr("Edit"));
    }
    for (const auto* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (child->isVisible())
            right = std::min(right, child->x());
    }
    right = std::min(right, m_room->contentsRect().right()) - space::cardGap;

    int number = x;
    drawPart(painter, Theme::font(TextRole::Section), colors.accent, number, right, m_number);
    x += m_number.isEmpty() ? 0 : kNumber + space::cardGap;
    const int from = x;
    drawPart(painter, Theme::font(TextRole::Section), colors.text, x, right, m_title);
    const QFont second = Theme::font(TextRole::Secondary);
    if (open) {
        x += kHeaderGap;
        drawPart(painter, second, m_fault.isEmpty() ? colors.secondText : colors.bad, x, right,
                 m_fault.isEmpty() ? m_hint : m_fault);
        return;
    }
    // Without a number the title begins further left; what the lines say stays in one column.
    x = (m_number.isEmpty() ? from + kNumber + space::cardGap : from) + m_nameWidth + kTitleGap;
    drawPart(painter, boldFont(), colors.text, x, right, m_line.bold);
    const QString rest = m_fault.isEmpty() ? m_line.rest : m_fault;
    if (!m_line.bold.isEmpty() && !rest.isEmpty())
        drawPart(painter, second, colors.secondText, x, right, u"  ·  "_s);
    drawPart(painter, second, m_fault.isEmpty() ? colors.secondText : colors.bad, x, right, rest);
}

// --- StepCard ---

StepCard::StepCard(const QString& name, const QString& number, const QString& title, QWidget* form, QWidget* parent)
    : QFrame(parent)
    , m_header(new StepHeader(number, title))
    , m_content(new QWidget)
    , m_body(new QVBoxLayout)
    , m_foot(new QHBoxLayout)
{
    setObjectName(name);
    setRole(this, "card");
    setAccessibleName(title);
    m_header->setObjectName(name + u".header"_s);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_header);
    outer->addWidget(m_content);
    auto* inner = new QVBoxLayout(m_content);
    inner->setContentsMargins(space::cardPadding, 2, space::cardPadding, space::cardPadding);
    inner->setSpacing(space::cardGap);
    m_body->setSpacing(8);
    m_body->addWidget(form);
    inner->addLayout(m_body);
    inner->addLayout(m_foot);
    m_foot->addStretch(1);
    m_content->hide();
    connect(m_header, &QAbstractButton::clicked, this, [this] {
        m_header->setOpen(m_open); // it follows the card, not the click
        emit toggled();
    });
}

void StepCard::setLine(const StepLine& line)
{
    m_header->setLine(line);
}

void StepCard::setFault(const QString& text)
{
    m_header->setFault(text);
}

void StepCard::setHint(const QString& text)
{
    m_header->setHint(text);
}

void StepCard::addAction(QWidget* action)
{
    m_header->room()->addWidget(action);
    m_actions.append(action);
    action->setVisible(m_open);
}

void StepCard::setNext(const QString& text, const QString& tip)
{
    auto* button = makeButton(text, "soft");
    describe(button, objectName() + u".next"_s, text, tip);
    m_foot->addWidget(button);
    connect(button, &QPushButton::clicked, this, &StepCard::nextClicked);
}

void StepCard::setOpen(bool open)
{
    if (open == m_open)
        return;
    m_open = open;
    m_header->setOpen(open);
    m_content->setVisible(open);
    for (QWidget* action : m_actions)
        action->setVisible(open);
    setProperty("open", open);
    setRole(this, "card"); // draws it anew
}

} // namespace dyno
