// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/card.h"

#include <algorithm>

namespace dyno {

Card::Card(const QString& title, const QString& secondary, QWidget* parent)
    : QFrame(parent)
    , m_step(makeLabel({}, TextRole::Section))
    , m_title(makeLabel(title, TextRole::Section))
    , m_secondary(new ElidedLabel(secondary, TextRole::Secondary))
    , m_secondText(secondary)
    , m_headerBox(new QWidget)
    , m_header(new QHBoxLayout)
    , m_body(new QVBoxLayout)
{
    setRole(this, "card");
    setAccessibleName(title);
    setTone(m_step, Tone::Accent);
    m_step->hide();
    auto* line = new QHBoxLayout(m_headerBox);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    line->addWidget(m_step);
    line->addWidget(m_title);
    line->addWidget(m_secondary, 1);
    line->addLayout(m_header);
    m_header->setSpacing(8);
    m_headerBox->setMinimumHeight(22);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(space::cardPadding, 10, space::cardPadding, 12);
    outer->setSpacing(8);
    outer->addWidget(m_headerBox);
    outer->addLayout(m_body, 1);
    m_body->setSpacing(8);
    m_headerBox->setVisible(!title.isEmpty() || !secondary.isEmpty());
}

void Card::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
    m_headerBox->setVisible(!title.isEmpty() || !secondary().isEmpty() || m_header->count() > 0);
}

void Card::setSecondary(const QString& text)
{
    m_secondText = text;
    m_secondary->setText(m_instead.isEmpty() ? text : m_instead);
    m_headerBox->setVisible(!title().isEmpty() || !text.isEmpty() || m_header->count() > 0);
}

void Card::showInstead(const QString& text)
{
    m_instead = text;
    setSecondary(m_secondText);
}

QString Card::title() const
{
    return m_title->text();
}

void Card::setStep(const QString& step)
{
    m_step->setText(step);
    m_step->setVisible(!step.isEmpty());
}

PageHeader::PageHeader(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(new ElidedLabel(title, TextRole::PageTitle))
    , m_chip(new Chip)
    , m_subtitle(new ElidedLabel({}, TextRole::Secondary))
    , m_actions(new QHBoxLayout)
{
    auto* titleLine = new QHBoxLayout;
    titleLine->setSpacing(10);
    titleLine->addWidget(m_title);
    titleLine->addWidget(m_chip, 0, Qt::AlignVCenter);
    titleLine->addStretch(1);
    auto* left = new QVBoxLayout;
    left->setSpacing(2);
    left->addLayout(titleLine);
    left->addWidget(m_subtitle);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(16);
    line->addLayout(left, 1);
    m_actions->setSpacing(10);
    line->addLayout(m_actions);
    setMinimumHeight(44);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_chip->hide();
    m_subtitle->hide();
}

void PageHeader::setTitle(const QString& title)
{
    m_title->setText(title);
}

void PageHeader::setSubtitle(const QString& text)
{
    m_subtitle->setText(text);
    m_subtitle->setVisible(!text.isEmpty());
}

void PageHeader::setChip(const QString& text, Tone tone)
{
    m_chip->setText(text);
    setTone(m_chip, tone);
    m_chip->setVisible(!text.isEmpty());
}

QString PageHeader::title() const
{
    return m_title->fullText();
}

QString PageHeader::subtitle() const
{
    return m_subtitle->fullText();
}

KeyFigure::KeyFigure(const QString& label, QWidget* parent)
    : QFrame(parent)
    , m_label(makeLabel(label, TextRole::Label))
    , m_value(new FigureLabel(QStringLiteral("–"), TextRole::KeyFigure))
    , m_unit(makeLabel({}, TextRole::Secondary))
    , m_second(new ElidedLabel({}, TextRole::Label))
{
    setRole(this, "card");
    QFont labelFont = m_label->font();
    labelFont.setWeight(QFont::Medium);
    m_label->setFont(labelFont);
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    line->addWidget(m_value, 0, Qt::AlignBottom);
    line->addWidget(m_unit, 0, Qt::AlignBottom);
    line->addStretch(1);
    m_unit->setContentsMargins(0, 0, 0, 3);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(space::cardPadding, 10, space::cardPadding, 10);
    outer->setSpacing(3);
    outer->addWidget(m_label);
    outer->addLayout(line);
    outer->addWidget(m_second);
    setMinimumWidth(112);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    updateAccessibleText();
}

void KeyFigure::setValue(const QString& value, const QString& unit)
{
    if (m_value->text() != value)
        m_value->setText(value);
    if (m_unit->text() != unit)
        m_unit->setText(unit);
    m_unit->setToolTip(unit); // in six narrow cards a long one is cut
    updateAccessibleText();
}

void KeyFigure::setSecond(const QString& text, Tone tone)
{
    m_second->setText(text);
    setTone(m_second, tone);
    updateAccessibleText();
}

QString KeyFigure::value() const
{
    return m_value->text();
}

QString KeyFigure::unit() const
{
    return m_unit->text();
}

QString KeyFigure::second() const
{
    return m_second->fullText();
}

void KeyFigure::updateAccessibleText()
{
    setAccessibleName(QStringLiteral("%1: %2 %3").arg(m_label->text(), value(), unit()));
    setAccessibleDescription(second());
}

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& text, const QString& button,
                       QWidget* parent)
    : QWidget(parent)
    , m_iconName(icon)
    , m_icon(new QLabel)
    , m_title(makeLabel(title, TextRole::Section))
    , m_text(makeLabel(text, TextRole::Body))
    , m_button(makeButton(button, "primary"))
{
    m_icon->setAlignment(Qt::AlignCenter);
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    setRole(m_text, "secondary");
    auto* outer = new QVBoxLayout(this);
    outer->setSpacing(10);
    outer->addStretch(2);
    outer->addWidget(m_icon, 0, Qt::AlignHCenter);
    // In the middle by stretches: an aligned label is given the height of its usual width, and is cut in a narrow one.
    for (QLabel* label : {m_title, m_text}) {
        label->setMaximumWidth(460);
        auto* line = new QHBoxLayout;
        line->addStretch(1);
        line->addWidget(label, 100);
        line->addStretch(1);
        outer->addLayout(line);
    }
    outer->addSpacing(6);
    outer->addWidget(m_button, 0, Qt::AlignHCenter);
    outer->addStretch(3);
    connect(m_button, &QPushButton::clicked, this, &EmptyState::buttonClicked);
    connect(&Theme::instance(), &Theme::changed, this, &EmptyState::updateIcon);
    setTexts(title, text, button);
    updateIcon();
}

void EmptyState::setTexts(const QString& title, const QString& text, const QString& button)
{
    m_title->setText(title);
    m_text->setText(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
}

void EmptyState::setIconName(const QString& icon)
{
    m_iconName = icon;
    updateIcon();
}

void EmptyState::updateIcon()
{
    m_icon->setPixmap(Theme::instance().icon(m_iconName).pixmap(QSize(40, 40), devicePixelRatioF()));
}

FlowLayout::FlowLayout(QWidget* parent, int spacing)
    : QLayout(parent)
{
    setSpacing(spacing);
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout()
{
    for (QLayoutItem* item : m_items)
        delete item;
}

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items.push_back(item);
}

void FlowLayout::insertWidget(int index, QWidget* widget)
{
    addChildWidget(widget);
    m_items.insert(m_items.begin() + index, new QWidgetItem(widget));
    invalidate();
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[std::size_t(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    QLayoutItem* item = itemAt(index);
    if (item)
        m_items.erase(m_items.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

void FlowLayout::setEven(bool on)
{
    m_even = on;
    invalidate();
}

int FlowLayout::perLine(int width) const
{
    int shown = 0;
    for (const QLayoutItem* item : m_items)
        shown += item->isEmpty() ? 0 : 1;
    const int most = std::max(1, (width + spacing()) / (minimumSize().width() + spacing()));
    const int lines = std::max(1, (shown + most - 1) / most);
    return (shown + lines - 1) / lines;
}

int FlowLayout::arrange(const QRect& rect, bool apply) const
{
    const QRect inner = rect.marginsRemoved(contentsMargins());
    const int most = m_even ? perLine(inner.width()) : count();
    int x = inner.x(), y = inner.y(), lineHeight = 0, inLine = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        QSize size = item->sizeHint();
        if (m_even)
            size.setWidth(minimumSize().width());
        if (inLine == most || (inLine > 0 && x + size.width() > inner.right() + 1)) {
            x = inner.x();
            y += lineHeight + spacing();
            lineHeight = inLine = 0;
        }
        if (apply)
            item->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        lineHeight = std::max(lineHeight, size.height());
        ++inLine;
    }
    return y + lineHeight - rect.y() + contentsMargins().bottom();
}

} // namespace dyno
