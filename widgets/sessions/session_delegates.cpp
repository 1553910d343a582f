// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_delegates.h"

#include "plots/pivot_table_model.h"
#include "sessions/session_model.h"

#include <QApplication>
#include <QLineEdit>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace dyno {

namespace {

constexpr int kPillHeight = 20, kPillPadding = 9, kCellPadding = 8, kDot = 9;
constexpr int kSparkWidth = 84, kSparkHeight = 30, kSparkFrom = 260; //!< narrower, the words need the room

QFont pillFont()
{
    QFont font = Theme::font(TextRole::Label);
    font.setWeight(QFont::DemiBold);
    return font;
}

int pillWidth(const QString& text)
{
    return QFontMetrics(pillFont()).horizontalAdvance(text) + 2 * kPillPadding;
}

//! Paints only what is behind the text: selection, hover, focus.
void paintBackground(QPainter* painter, QStyleOptionViewItem option, const QModelIndex& index)
{
    option.text.clear();
    option.state &= ~QStyle::State_HasFocus;
    option.index = index;
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, widget);
}

QColor statusColor(RunStatus status)
{
    const ThemeColors& colors = Theme::instance().colors();
    switch (status) {
    case RunStatus::Done:
        return colors.good;
    case RunStatus::Failed:
    case RunStatus::Damaged:
        return colors.bad;
    case RunStatus::Cut:
    case RunStatus::Stopped:
    case RunStatus::Skipped:
        return colors.warn;
    case RunStatus::Running:
        return colors.accent;
    case RunStatus::Pending:
        break;
    }
    return colors.secondText;
}

} // namespace

int paintPill(QPainter& painter, const QRect& cell, int x, const QString& text, const QColor& color, bool strong)
{
    const QRect pill(x, cell.center().y() - kPillHeight / 2 + 1, pillWidth(text), kPillHeight);
    QColor fill = color;
    fill.setAlphaF(strong ? 0.15F : 0.12F);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(pill, kPillHeight / 2.0, kPillHeight / 2.0);
    painter.setPen(color);
    painter.setFont(pillFont());
    painter.drawText(pill, Qt::AlignCenter, text);
    painter.restore();
    return pill.width();
}

SessionDelegate::SessionDelegate(const SessionModel& model, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_model(model)
{
}

void SessionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option, index);
    const ThemeColors& colors = Theme::instance().colors();
    QRect words = option.rect.adjusted(kCellPadding, 0, -kCellPadding, 0);
    const SessionDigest* digest = m_model.digest(index.data(SessionModel::IdRole).toString());
    painter->save();
    if (digest && !digest->chart.isEmpty() && option.rect.width() >= kSparkFrom) {
        const QRectF spark(words.right() - kSparkWidth, words.center().y() - kSparkHeight / 2.0, kSparkWidth,
                           kSparkHeight);
        paintSparkline(*painter, spark, digest->chart);
        words.setRight(int(spark.left()) - 12);
    }
    const QString verdict = index.data(SessionModel::VerdictRole).toString();
    QFont title = Theme::font(TextRole::Body);
    title.setWeight(QFont::Medium);
    const QFont second = Theme::font(TextRole::Secondary);
    const QFontMetrics titleMetrics(title), secondMetrics(second);
    const int height = titleMetrics.height() + (verdict.isEmpty() ? 0 : secondMetrics.height() + 1);
    QRect line(words.left(), words.top() + (words.height() - height) / 2, words.width(), titleMetrics.height());
    painter->setFont(title);
    painter->setPen(colors.text);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                      titleMetrics.elidedText(index.data().toString(), Qt::ElideRight, line.width()));
    if (!verdict.isEmpty()) {
        line.translate(0, titleMetrics.height() + 1);
        line.setHeight(secondMetrics.height());
        painter->setFont(second);
        painter->setPen(colors.secondText);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          secondMetrics.elidedText(verdict, Qt::ElideRight, line.width()));
    }
    painter->restore();
}

void SessionDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                           const QModelIndex&) const
{
    QRect line = option.rect;
    line.setHeight(std::min(line.height(), space::controlHeight));
    line.moveCenter(option.rect.center());
    editor->setGeometry(line);
}

void StatusDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option, index);
    const auto status = RunStatus(index.data(SessionModel::StatusRole).toInt());
    paintPill(*painter, option.rect, option.rect.left() + kCellPadding / 2, index.data().toString(),
              statusColor(status), true);
}

QSize StatusDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    return {pillWidth(index.data().toString()) + kCellPadding, space::tableRow};
}

void TagsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option, index);
    painter->save();
    painter->setClipRect(option.rect);
    int x = option.rect.left() + kCellPadding / 2;
    const QStringList tags = index.data(SessionModel::TagsRole).toStringList();
    const QColor color = Theme::instance().colors().secondText;
    for (qsizetype i = 0; i < tags.size(); ++i) {
        const int left = int(tags.size() - i - 1);
        const QString more = QStringLiteral("+%1").arg(left + 1);
        // The last pill that fits says how many are not shown.
        const bool fits = x + pillWidth(tags[i]) + (left ? pillWidth(more) : 0) <= option.rect.right();
        x += paintPill(*painter, option.rect, x, fits || i == 0 ? tags[i] : more, color, false) + 4;
        if (!fits && i > 0)
            break;
    }
    painter->restore();
}

QSize TagsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    int width = kCellPadding;
    for (const QString& tag : index.data(SessionModel::TagsRole).toStringList())
        width += pillWidth(tag) + 4;
    return {width, space::tableRow};
}

QWidget* TagsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const
{
    auto* editor = new QLineEdit(parent);
    editor->setObjectName(QStringLiteral("sessionTagsEditor"));
    editor->setAccessibleName(tr("Tags, separated by commas"));
    editor->setPlaceholderText(tr("tag, another tag"));
    editor->setFrame(false);
    return editor;
}

void SeriesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    paintBackground(painter, option, index);
    const QColor color = Theme::instance().series(index.data(PivotTableModel::SeriesRole).toInt());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    const QRectF dot(option.rect.left() + kCellPadding, option.rect.center().y() - kDot / 2.0 + 0.5, kDot, kDot);
    painter->drawRoundedRect(dot, 3, 3);
    painter->setPen(color);
    QFont font = option.font;
    font.setWeight(QFont::Medium);
    painter->setFont(font);
    const QRect text = option.rect.adjusted(kCellPadding + kDot + 8, 0, -4, 0);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideMiddle, text.width()));
    painter->restore();
}

QSize SeriesDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QFont font = option.font;
    font.setWeight(QFont::Medium);
    return {QFontMetrics(font).horizontalAdvance(index.data().toString()) + kCellPadding + kDot + 8 + 12,
            space::tableRow};
}

void VerdictDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const ThemeColors& colors = Theme::instance().colors();
    QColor color = colors.secondText;
    switch (Verdict(index.data(PivotTableModel::VerdictRole).toInt())) {
    case Verdict::Better:
        color = colors.good;
        break;
    case Verdict::Worse:
        color = colors.bad;
        break;
    case Verdict::Baseline:
    case Verdict::NoDifferenceShown:
    case Verdict::TooFewRuns:
    case Verdict::Untested:
    case Verdict::Differs:
        break;
    }
    option->palette.setColor(QPalette::Text, color);
    option->palette.setColor(QPalette::HighlightedText, color);
}

} // namespace dyno
