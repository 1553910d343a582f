// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/time_bar.h"

#include "format.h"
#include "parts/card.h"
#include "parts/labels.h"
#include "theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTimeBarHeight = 6, kSegmentGap = 2, kLeastSegment = 4, kLegendGap = 10;
constexpr int kMeasuring = 0, kWarmup = 5, kRestarts = 3, kConnecting = 4; //!< series colours

//! A dot in the colour of a series, and a text.
class LegendEntry : public QLabel
{
public:
    LegendEntry(const QString& text, int series)
        : QLabel(text)
        , m_series(series)
    {
        setRole(this, "label");
        setFont(Theme::font(TextRole::Label));
        setIndent(12);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QLabel::paintEvent(event);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::instance().series(m_series));
        painter.drawRoundedRect(QRectF(0, height() / 2.0 - 3.5, 7, 7), 2, 2);
    }

private:
    int m_series;
};

} // namespace

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"planTimeBar"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, kTimeBarHeight + 6, 0, 0);
    auto* legend = new QWidget(this);
    m_legend = new FlowLayout(legend, kLegendGap);
    layout->addWidget(legend);
}

void TimeBar::setTime(const RunTime& time)
{
    m_parts.clear();
    for (const Part& part :
         {Part{tr("measuring"), time.measure, kMeasuring}, Part{tr("warm-up"), time.warmup, kWarmup},
          Part{tr("server starts"), time.restart, kRestarts}, Part{tr("connecting"), time.connect, kConnecting}}) {
        if (part.seconds > 0)
            m_parts.push_back(part);
    }
    while (QLayoutItem* old = m_legend->takeAt(0)) {
        old->widget()->hide();
        old->widget()->setObjectName({}); // gone for whoever looks for it
        old->widget()->deleteLater();
        delete old;
    }
    QStringList texts;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const Part& part = m_parts[i];
        auto* entry = new LegendEntry(textOf(part), part.series);
        entry->setObjectName(u"timePart%1"_s.arg(i));
        m_legend->addWidget(entry);
        texts << textOf(part);
    }
    setAccessibleName(tr("Where the time goes: %1").arg(texts.join(u", "_s)));
    setVisible(!m_parts.empty());
    updateGeometry();
    update();
}

QString TimeBar::textOf(const Part& part) const
{
    return tr("%1 %2").arg(part.name, format::duration(part.seconds));
}

std::vector<QRectF> TimeBar::segments() const
{
    double total = 0;
    for (const Part& part : m_parts)
        total += part.seconds;
    // What is short keeps a width that can be seen; the others share the rest.
    const double room = width() - kSegmentGap * double(m_parts.size() - 1);
    std::vector<double> widths;
    double wanted = 0;
    for (const Part& part : m_parts) {
        widths.push_back(std::max<double>(kLeastSegment, room * part.seconds / total));
        wanted += widths.back();
    }
    std::vector<QRectF> all;
    double x = 0;
    for (const double width : widths) {
        const double shown = width * room / wanted;
        all.emplace_back(x, 0, shown, kTimeBarHeight);
        x += shown + kSegmentGap;
    }
    return all;
}

bool TimeBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && !m_parts.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        double total = 0;
        for (const Part& part : m_parts)
            total += part.seconds;
        const std::vector<QRectF> rects = segments();
        for (std::size_t i = 0; i < rects.size(); ++i) {
            if (!rects[i].adjusted(0, -kSegmentGap, kSegmentGap, kSegmentGap).contains(help->pos()))
                continue;
            QToolTip::showText(
                help->globalPos(),
                tr("%1, %2 of the time").arg(textOf(m_parts[i]), format::percent(m_parts[i].seconds / total)), this);
            return true;
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void TimeBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const std::vector<QRectF> rects = segments();
    for (std::size_t i = 0; i < rects.size(); ++i) {
        painter.setBrush(Theme::instance().series(m_parts[i].series));
        painter.drawRoundedRect(rects[i], 2, 2);
    }
}

} // namespace dyno
