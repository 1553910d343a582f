// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_side.h"

#include "format.h"
#include "parts/card.h"
#include "plots/plot_style.h"

#include <QScrollArea>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kColumnWidth = 300;
constexpr int kRowHeight = 31;
constexpr int kBarThickness = 6;

} // namespace

//! What stands at the right of a point.
QString PointBars::valueOf(const PointProgress& point)
{
    if (point.current || point.runs > 0)
        return point.tps > 0 ? format::rate(point.tps) : QStringLiteral("–");
    return point.failed > 0 ? tr("failed") : tr("skipped");
}

PointBars::PointBars(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Throughput of the points so far"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PointBars::setPoints(std::vector<PointProgress> points)
{
    std::erase_if(points, [](const PointProgress& p) { return !p.current && p.runs + p.failed + p.skipped == 0; });
    const bool grew = points.size() != m_points.size();
    m_points = std::move(points);
    QStringList spoken;
    for (const PointProgress& point : m_points)
        spoken << (point.baseline > 0
                       ? tr("%1: %2, baseline %3").arg(point.label, valueOf(point), format::rate(point.baseline))
                       : QStringLiteral("%1: %2").arg(point.label, valueOf(point)));
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    if (grew) {
        setFixedHeight(sizeHint().height());
        updateGeometry();
    }
    update();
}

int PointBars::tickCount() const
{
    return int(std::ranges::count_if(m_points, [](const PointProgress& point) { return point.baseline > 0; }));
}

QSize PointBars::sizeHint() const
{
    return {200, std::max(1, shownCount()) * kRowHeight};
}

QRect PointBars::currentRect() const
{
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (m_points[i].current)
            return {0, int(i) * kRowHeight, width(), kRowHeight};
    return {};
}

void PointBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = Theme::instance().colors();
    if (m_points.empty()) {
        painter.setFont(Theme::font(TextRole::Secondary));
        painter.setPen(colors.secondText);
        painter.drawText(rect(), int(Qt::AlignLeft | Qt::AlignVCenter), tr("No point measured yet"));
        return;
    }
    double most = 0;
    for (const PointProgress& point : m_points)
        most = std::max({most, point.tps, point.baseline});
    const QColor track = blend(colors.border, colors.surface, 0.8);
    const QColor plain = colors.secondText;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const PointProgress& point = m_points[i];
        const QRectF row(0, double(i) * kRowHeight, width(), kRowHeight);
        QFont font = Theme::font(TextRole::Secondary);
        font.setWeight(point.current ? QFont::DemiBold : QFont::Normal);
        QFont bold = font;
        bold.setWeight(QFont::DemiBold);
        const QString value = valueOf(point);
        const int valueWidth = figures::width(bold, value);
        const QRectF text = row.adjusted(0, 2, 0, -12);
        painter.setFont(font);
        painter.setPen(colors.text);
        painter.drawText(
            text, int(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine),
            QFontMetrics(font).elidedText(point.label, Qt::ElideMiddle, int(row.width()) - valueWidth - 10));
        painter.setFont(bold);
        painter.setPen(point.failed > 0 && point.runs == 0 ? colors.bad : colors.text);
        figures::draw(painter, text, Qt::AlignRight | Qt::AlignVCenter, value);
        const QRectF bar(0, row.bottom() - 10, row.width(), kBarThickness);
        painter.setPen(Qt::NoPen);
        painter.setBrush(track);
        painter.drawRoundedRect(bar, 3, 3);
        if (most > 0 && point.tps > 0) {
            QRectF fill = bar;
            fill.setWidth(std::max(double(kBarThickness), bar.width() * point.tps / most));
            painter.setBrush(point.current ? colors.accent : plain);
            painter.drawRoundedRect(fill, 3, 3);
        }
        if (most > 0 && point.baseline > 0) {
            constexpr double kTick = 2; // pixels; taller than the bar, so that it is seen on it
            const double x = bar.left() + (bar.width() - kTick) * point.baseline / most;
            painter.fillRect(QRectF(x, bar.top() - 3, kTick, bar.height() + 6), colors.text);
        }
    }
}

RunSide::RunSide(const LiveRunModel& model, const RunBaseline& baseline, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_baseline(baseline)
    , m_bars(new PointBars)
    , m_scroll(new QScrollArea)
    , m_moved(new MovedCard(model))
    , m_events(new EventsCard(model))
{
    setObjectName(QStringLiteral("runSide"));
    auto* points = new Card(tr("Points so far"), {});
    points->header()->addWidget(makeLabel(tr("transactions/s"), TextRole::Label));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* holder = new QWidget;
    auto* holderLayout = new QVBoxLayout(holder);
    holderLayout->setContentsMargins(0, 0, 0, 0);
    holderLayout->addWidget(m_bars);
    holderLayout->addStretch(1);
    m_scroll->setWidget(holder);
    points->body()->addWidget(m_scroll);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::cardGap);
    column->addWidget(m_moved);
    column->addWidget(points);
    column->addWidget(m_events, 1);
    setAlone(false);
    connect(&m_model, &LiveRunModel::pointsChanged, this, &RunSide::showPoints);
    connect(&m_baseline, &RunBaseline::changed, this, &RunSide::showPoints);
}

void RunSide::addCard(QWidget* card)
{
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertWidget(column->indexOf(m_events), card);
}

void RunSide::setAlone(bool alone)
{
    setMinimumWidth(alone ? 0 : kColumnWidth);
    setMaximumWidth(alone ? QWIDGETSIZE_MAX : kColumnWidth);
}

void RunSide::showPoints()
{
    std::vector<PointProgress> points = m_model.points();
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i].baseline = m_baseline.rateOf(i).value_or(0);
    m_bars->setPoints(std::move(points));
    fitPoints();
    const QRect current = m_bars->currentRect();
    if (!current.isNull())
        m_scroll->ensureVisible(0, current.center().y(), 0, current.height());
}

//! The card is as high as its bars, up to half of the column; then it scrolls.
void RunSide::fitPoints()
{
    const int most = std::max(3 * kRowHeight, height() / 2);
    m_scroll->setFixedHeight(std::min(m_bars->sizeHint().height(), most));
}

void RunSide::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitPoints();
}

} // namespace dyno
