// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/labels.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

void repolish(QWidget* widget)
{
    if (!widget->testAttribute(Qt::WA_WState_Polished))
        return; // it is styled before it is first shown
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

const char* roleName(Tone tone)
{
    switch (tone) {
    case Tone::Accent:
        return "accent";
    case Tone::Good:
        return "good";
    case Tone::Warn:
        return "warn";
    case Tone::Bad:
        return "bad";
    case Tone::Neutral:
        break;
    }
    return "";
}

const char* roleName(TextRole role)
{
    switch (role) {
    case TextRole::PageTitle:
        return "pageTitle";
    case TextRole::Section:
        return "section";
    case TextRole::Secondary:
        return "secondary";
    case TextRole::Label:
        return "label";
    case TextRole::KeyFigure:
        return "keyFigure";
    case TextRole::Body:
        break;
    }
    return "body";
}

bool isFigure(QChar c)
{
    return c >= u'0' && c <= u'9';
}

//! Advance of one digit cell. Ten look-ups; the metrics cache makes them cheap.
qreal digitWidth(const QFontMetricsF& metrics)
{
    qreal widest = 0;
    for (char16_t c = u'0'; c <= u'9'; ++c)
        widest = std::max(widest, metrics.horizontalAdvance(QChar(c)));
    return widest;
}

qreal figuresWidth(const QFontMetricsF& metrics, const QString& text)
{
    const qreal cell = digitWidth(metrics);
    qreal width = 0;
    for (const QChar c : text)
        width += isFigure(c) ? cell : metrics.horizontalAdvance(c);
    return width;
}

} // namespace

QColor colorOf(Tone tone, const QColor& neutral)
{
    const ThemeColors& colors = Theme::instance().colors();
    switch (tone) {
    case Tone::Accent:
        return colors.accent;
    case Tone::Good:
        return colors.good;
    case Tone::Warn:
        return colors.warn;
    case Tone::Bad:
        return colors.bad;
    case Tone::Neutral:
        break;
    }
    return neutral;
}

void setRole(QWidget* widget, const char* role)
{
    widget->setProperty("role", QString::fromLatin1(role));
    repolish(widget);
}

void setTone(QWidget* widget, Tone tone)
{
    const QString text = QString::fromLatin1(roleName(tone));
    if (widget->property("tone").toString() == text)
        return;
    widget->setProperty("tone", text);
    repolish(widget);
}

QLabel* makeLabel(const QString& text, TextRole role, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setFont(Theme::font(role));
    setRole(label, roleName(role));
    return label;
}

QPushButton* makeButton(const QString& text, const char* role, const QString& icon, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    if (*role)
        setRole(button, role);
    if (!icon.isEmpty()) {
        button->setIcon(Theme::instance().icon(icon));
        button->setIconSize(QSize(16, 16));
    }
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QPushButton* makeLink(const QString& text, QWidget* parent)
{
    QPushButton* link = makeButton(text, "", {}, parent);
    link->setProperty("flush", true);
    setRole(link, "link");
    return link;
}

ElidedLabel::ElidedLabel(const QString& text, TextRole role, QWidget* parent)
    : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setFont(Theme::font(role));
    setRole(this, roleName(role));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setText(text);
}

void ElidedLabel::setText(const QString& text)
{
    if (m_text == text && QLabel::text() == text)
        return;
    m_text = text;
    QLabel::setText(text); // for accessibility and tests; paintEvent() draws the shortened form
    setAccessibleName(text);
    updateGeometry();
    resizeEvent(nullptr);
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text) + 2, QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().averageCharWidth() * 4),
            QLabel::sizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    if (event)
        QLabel::resizeEvent(event);
    setToolTip(fontMetrics().horizontalAdvance(m_text) > contentsRect().width() ? m_text : QString());
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.setFont(font());
    painter.drawText(contentsRect(), int(alignment() | Qt::TextSingleLine),
                     fontMetrics().elidedText(m_text, Qt::ElideRight, contentsRect().width()));
}

int figures::width(const QFont& font, const QString& text)
{
    return int(std::ceil(figuresWidth(QFontMetricsF(font), text)));
}

void figures::draw(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text)
{
    const QFontMetricsF metrics(painter.font());
    const qreal cell = digitWidth(metrics);
    const qreal width = figuresWidth(metrics, text);
    qreal x = rect.left();
    if (alignment & Qt::AlignRight)
        x = rect.right() - width;
    else if (alignment & Qt::AlignHCenter)
        x = rect.left() + (rect.width() - width) / 2;
    qreal y = rect.top() + metrics.ascent();
    if (alignment & Qt::AlignVCenter)
        y = rect.top() + (rect.height() - metrics.height()) / 2 + metrics.ascent();
    else if (alignment & Qt::AlignBottom)
        y = rect.bottom() - metrics.descent();
    // Stretches without digits are drawn whole so that kerning survives.
    QString plain;
    const auto flush = [&] {
        if (plain.isEmpty())
            return;
        painter.drawText(QPointF(x, y), plain);
        for (const QChar c : std::as_const(plain))
            x += metrics.horizontalAdvance(c);
        plain.clear();
    };
    for (const QChar c : text) {
        if (!isFigure(c)) {
            plain += c;
            continue;
        }
        flush();
        painter.drawText(QPointF(x + (cell - metrics.horizontalAdvance(c)) / 2, y), QString(c));
        x += cell;
    }
    flush();
}

FigureLabel::FigureLabel(const QString& text, TextRole role, QWidget* parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setFont(Theme::font(role));
    setRole(this, roleName(role));
}

QSize FigureLabel::sizeHint() const
{
    return {figures::width(font(), text()) + 1, QLabel::sizeHint().height()};
}

void FigureLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(font());
    painter.setPen(palette().color(foregroundRole()));
    figures::draw(painter, contentsRect(), alignment(), text());
}

void FigureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString text = item.text;
    item.text.clear();
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
    painter->save();
    painter->setFont(item.font);
    const bool enabled = item.state.testFlag(QStyle::State_Enabled);
    painter->setPen(item.palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text));
    figures::draw(*painter, QRectF(item.rect).adjusted(8, 0, -8, -1), item.displayAlignment | Qt::AlignVCenter, text);
    painter->restore();
}

Chip::Chip(const QString& text, Tone tone, QWidget* parent)
    : QLabel(text, parent)
{
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setRole(this, "chip");
    setTone(this, tone);
}

PillButton::PillButton(const QString& text, QWidget* parent)
    : QPushButton(text, parent)
{
    setCheckable(true);
    setCursor(Qt::PointingHandCursor);
    setRole(this, "pill");
}

} // namespace dyno
