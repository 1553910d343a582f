// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/server_list.h"

#include "format.h"
#include "parts/labels.h"
#include "plan/server_list_model.h"
#include "servers/variables_model.h"
#include "theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <map>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

using RowKind = ServerListModel::Kind;

constexpr int kGroupHeight = 34;
constexpr int kItemHeight = 50;
constexpr int kInset = 10;
constexpr int kLampSize = 8;
constexpr int kTextLeft = kInset + kLampSize + 9;
constexpr std::size_t kSharesShown = 5; //!< as many as there are series colours, the last being all others

RowKind kindOf(const QModelIndex& index)
{
    return RowKind(index.data(ServerListModel::KindRole).toInt());
}

QRect hintRect(const QRect& row)
{
    return row.adjusted(kInset, 2, -kInset, -8);
}

} // namespace

// --- ServerDelegate ---

QSize ServerDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    switch (kindOf(index)) {
    case RowKind::Group:
        return {100, kGroupHeight};
    case RowKind::Hint: {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        const int width = view ? view->viewport()->width() : 240;
        const QRect room = hintRect(QRect(0, 0, width, 400));
        const QFontMetrics metrics(Theme::font(TextRole::Secondary));
        return {100, metrics.boundingRect(room, Qt::TextWordWrap, index.data().toString()).height() + 12};
    }
    case RowKind::Program:
    case RowKind::Instance:
    case RowKind::Remote:
        break;
    }
    return {100, kItemHeight};
}

void ServerDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const ThemeColors& colors = Theme::instance().colors();
    const RowKind kind = kindOf(index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (kind == RowKind::Group) {
        QFont font = Theme::font(TextRole::Label);
        font.setWeight(QFont::DemiBold);
        painter->setFont(font);
        painter->setPen(colors.secondText);
        painter->drawText(option.rect.adjusted(kInset, 0, -kInset, -6), Qt::AlignLeft | Qt::AlignBottom,
                          index.data().toString());
        painter->restore();
        return;
    }
    if (kind == RowKind::Hint) {
        painter->setFont(Theme::font(TextRole::Secondary));
        painter->setPen(colors.secondText);
        painter->drawText(hintRect(option.rect), Qt::TextWordWrap, index.data().toString());
        painter->restore();
        return;
    }
    const QRect rect = option.rect.adjusted(1, 1, -1, -1);
    const bool current = option.state & QStyle::State_Selected;
    if (current || option.state & QStyle::State_MouseOver) {
        QColor ground = current ? colors.accent : colors.text;
        ground.setAlphaF(current ? 0.12F : 0.05F);
        painter->setPen(option.state & QStyle::State_HasFocus ? QPen(colors.accent, 1) : QPen(Qt::NoPen));
        painter->setBrush(ground);
        painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), space::controlRadius,
                                 space::controlRadius);
    }
    QFont name = Theme::font(TextRole::Body);
    name.setWeight(QFont::DemiBold);
    const QFont small = Theme::font(TextRole::Secondary);
    const QRect text(rect.left() + kTextLeft, rect.top() + 7, rect.width() - kTextLeft - kInset, rect.height() - 14);
    if (index.data(ServerListModel::DotRole).toBool()) {
        const Tone tone = Tone(index.data(ServerListModel::ToneRole).toInt());
        const QColor dot = colorOf(tone, colors.secondText);
        const QPointF centre(rect.left() + kInset + kLampSize / 2.0, text.top() + QFontMetrics(name).height() / 2.0);
        // What does not run is a ring: the state can be told without its colour.
        painter->setPen(QPen(dot, 1.5));
        painter->setBrush(tone == Tone::Neutral ? QBrush(Qt::NoBrush) : QBrush(dot));
        painter->drawEllipse(centre, kLampSize / 2.0 - 0.75, kLampSize / 2.0 - 0.75);
    } else {
        Theme::instance().icon(u"database"_s).paint(painter, rect.left() + kInset - 3, text.top() + 1, 14, 14);
    }
    const QString right = index.data(ServerListModel::RightRole).toString();
    painter->setFont(small);
    const int rightWidth = right.isEmpty() ? 0 : figures::width(small, right) + 8;
    painter->setPen(kind == RowKind::Remote ? colors.warn : colors.secondText);
    if (!right.isEmpty())
        figures::draw(*painter, QRectF(text), Qt::AlignRight | Qt::AlignTop, right);
    painter->setPen(colors.secondText);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignBottom,
                      painter->fontMetrics().elidedText(index.data(ServerListModel::SecondRole).toString(),
                                                        Qt::ElideRight, text.width()));
    painter->setFont(name);
    painter->setPen(colors.text);
    painter->drawText(
        text, Qt::AlignLeft | Qt::AlignTop,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width() - rightWidth));
    painter->restore();
}

// --- ServerListView ---

ServerListView::ServerListView(QWidget* parent)
    : QListView(parent)
{
    setRole(this, "plain");
    setFrameShape(QFrame::NoFrame);
    setItemDelegate(new ServerDelegate(this));
    setMouseTracking(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void ServerListView::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();
}

// --- SizeBar ---

namespace {

constexpr int kBarHeight = 14;
constexpr int kLegendTop = kBarHeight + 10;
constexpr int kLegendLine = 20;

} // namespace

SizeBar::SizeBar(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SizeBar::setParts(const std::vector<DataPart>& parts)
{
    std::map<std::string, quint64> sums;
    m_total = 0;
    for (const DataPart& part : parts) {
        sums[part.kind] += part.bytes;
        m_total += part.bytes;
    }
    m_shares.clear();
    for (const auto& [kind, bytes] : sums)
        m_shares.push_back({partKindText(kind), bytes});
    std::stable_sort(m_shares.begin(), m_shares.end(),
                     [](const Share& a, const Share& b) { return a.bytes > b.bytes; });
    if (m_shares.size() > kSharesShown + 1) {
        Share rest{tr("all others"), 0};
        for (auto it = m_shares.begin() + kSharesShown; it != m_shares.end(); ++it)
            rest.bytes += it->bytes;
        m_shares.resize(kSharesShown);
        m_shares.push_back(rest);
    }
    QStringList texts;
    for (const Share& share : m_shares)
        texts << tr("%1 %2").arg(share.text, format::bytes(double(share.bytes)));
    setAccessibleDescription(texts.join(u", "_s));
    setToolTip(texts.join(u'\n'));
    updateGeometry();
    update();
}

int SizeBar::layOutLegend(int width, QPainter* painter) const
{
    const ThemeColors& colors = Theme::instance().colors();
    const QFont font = Theme::font(TextRole::Secondary);
    int x = 0, y = kLegendTop;
    for (std::size_t i = 0; i < m_shares.size(); ++i) {
        const QString text = m_shares[i].text + u"  "_s + format::bytes(double(m_shares[i].bytes));
        const int wanted = 14 + figures::width(font, text) + 18;
        if (x > 0 && x + wanted > width) {
            x = 0;
            y += kLegendLine;
        }
        if (painter) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(colors.series[i % colors.series.size()]);
            painter->drawRoundedRect(QRectF(x, y + 5, 9, 9), 2, 2);
            painter->setPen(colors.secondText);
            painter->setFont(font);
            figures::draw(*painter, QRectF(x + 14, y, wanted, kLegendLine), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += wanted;
    }
    return y + kLegendLine;
}

QSize SizeBar::sizeHint() const
{
    return {400, heightForWidth(width() > 0 ? width() : 400)};
}

int SizeBar::heightForWidth(int width) const
{
    return layOutLegend(width, nullptr);
}

void SizeBar::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(0, 0, width(), kBarHeight), 4, 4);
    painter.setClipPath(outline);
    painter.fillRect(QRectF(0, 0, width(), kBarHeight), colors.grid);
    double x = 0;
    for (std::size_t i = 0; i < m_shares.size() && m_total > 0; ++i) {
        const double share = double(m_shares[i].bytes) / double(m_total) * width();
        painter.fillRect(QRectF(x, 0, std::max(0.0, share - 1), kBarHeight), colors.series[i % colors.series.size()]);
        x += share;
    }
    painter.setClipping(false);
    layOutLegend(width(), &painter);
}

} // namespace dyno
