// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of more values than pixels: nothing that can be seen is lost.
#include "plots/crosshair_group.h"
#include "plots/line_graph.h"
#include "plots/plot_card.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

namespace dyno::tst_line_graph {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Columns = std::vector<LineGraph::Column>;

Columns columnsOf(const QVector<double>& keys, const QVector<double>& values, QCPRange range, int count,
                  bool log = false)
{
    QCPGraphDataContainer points;
    for (qsizetype i = 0; i < keys.size(); ++i)
        points.add(QCPGraphData(keys[i], values[i]));
    return LineGraph::columnsOf(points, range, count, log);
}

bool isEmpty(const LineGraph::Column& column)
{
    return column.low > column.high;
}

} // namespace

class TestLineGraph : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }

    //! Each column against the line itself, looked at in many places.
    void holdsTheWholeLine()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> value(0, 100);
        QVector<double> keys, values;
        for (int i = 0; i <= 5000; ++i) {
            keys << i;
            values << value(random);
        }
        const QCPRange range(1000.3, 3999.6);
        constexpr int kCount = 150;
        const Columns columns = columnsOf(keys, values, range, kCount);
        QCOMPARE(columns.size(), std::size_t(kCount));
        const double width = range.size() / kCount;
        for (int c = 0; c < kCount; ++c) {
            double low = 1e9, high = -1e9;
            const double from = range.lower + width * c, to = from + width;
            const auto look = [&](double x) {
                const auto i = qsizetype(std::floor(x));
                const double y = values[i] + (x - double(i)) * (values[i + 1] - values[i]);
                low = std::min(low, y);
                high = std::max(high, y);
            };
            look(from + 1e-9);
            look(to - 1e-9);
            for (double x = std::ceil(from); x < to; ++x)
                look(x);
            QVERIFY2(std::fabs(columns[std::size_t(c)].low - low) < 1e-4, qPrintable(QString::number(c)));
            QVERIFY2(std::fabs(columns[std::size_t(c)].high - high) < 1e-4, qPrintable(QString::number(c)));
        }
    }
    void leavesGapsOpen()
    {
        const Columns columns = columnsOf({0.5, 1.5, 2.5, 7.5, 8.5}, {1, 2, kNone, 5, 6}, QCPRange(0, 10), 10);
        QVERIFY(!isEmpty(columns[0]) && !isEmpty(columns[1]));
        QCOMPARE(columns[0].high, 1.5); // half way to the next
        for (const std::size_t c : {2, 3, 4, 5, 6})
            QVERIFY(isEmpty(columns[c]));
        QCOMPARE(columns[7].low, 5.0);
        QVERIFY(isEmpty(columns[9]));
    }
    //! Few points: the stroke between them fills the columns that it crosses.
    void crossesColumns()
    {
        const Columns columns = columnsOf({-5, 15}, {0, 20}, QCPRange(0, 10), 5);
        for (int c = 0; c < 5; ++c) {
            QCOMPARE(columns[std::size_t(c)].low, 5.0 + 2 * c);
            QCOMPARE(columns[std::size_t(c)].high, 7.0 + 2 * c);
        }
    }
    void logarithmicKeys()
    {
        const Columns columns = columnsOf({1, 10, 100, 1000}, {1, 2, 3, 4}, QCPRange(1, 1000), 3, true);
        QCOMPARE(columns[0].low, 1.0);
        QCOMPARE(columns[0].high, 2.0);
        QCOMPARE(columns[2].low, 3.0);
        QCOMPARE(columns[2].high, 4.0);
    }
    void aFirstValueIsADot()
    {
        PlotCard card(QStringLiteral("Rate"), QStringLiteral("1/s"));
        card.resize(600, 300);
        card.addSeries(QStringLiteral("rate"), {.color = 1});
        card.setEndLabelsShown(false);
        card.setXRange(0, 10);
        card.graph(0).addData(5, 100);
        card.refreshNow();
        const auto dots = [&card] {
            const QImage image = card.plot().toPixmap(600, 300).toImage();
            int count = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    count += image.pixelColor(x, y) == card.seriesColor(0) ? 1 : 0;
            }
            return count;
        };
        QVERIFY2(dots() >= 9 && dots() < 40, qPrintable(QString::number(dots())));
        card.graph(0).data()->clear();
        QCOMPARE(dots(), 0);
    }
    //! One slow second of a day is there in the picture, at the height where it was.
    void aSpikeOfADayIsSeen()
    {
        PlotCard card(QStringLiteral("Latency"), QStringLiteral("ms"));
        card.addSeries(QStringLiteral("p95"), {.color = 0, .width = 1.5});
        card.setEndLabelsShown(false);
        QVector<double> keys, values;
        constexpr int kDay = 86400, kSpike = 51234;
        for (int i = 0; i < kDay; ++i) {
            keys << i;
            values << (i == kSpike ? 100 : 10);
        }
        card.graph(0).setData(keys, values, true);
        card.setXRange(0, kDay);
        card.resize(900, 400);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.refreshNow();
        QCustomPlot& plot = card.plot();
        const QImage picture = plot.toPixmap(plot.width(), plot.height()).toImage();
        const auto isLine = [&](double key, double value) {
            const int x = int(std::floor(plot.xAxis->coordToPixel(key))),
                      y = int(std::floor(plot.yAxis->coordToPixel(value)));
            const QColor line = card.seriesColor(0), ground = Theme::instance().colors().surface;
            const auto distance = [](const QColor& a, const QColor& b) {
                return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
            };
            for (const int dx : {-1, 0, 1}) {
                for (const int dy : {-1, 0, 1}) { // its edges are softened
                    const QColor pixel = picture.pixelColor(x + dx, y + dy);
                    if (distance(pixel, line) < distance(pixel, ground))
                        return true;
                }
            }
            return false;
        };
        QVERIFY(isLine(kSpike, 99));
        QVERIFY(isLine(kSpike, 50));
        QVERIFY(!isLine(kSpike - 2000, 50));
        QVERIFY(isLine(kSpike - 2000, 10));
    }
    //! A drag moves all plots of a group, and the lines under the mouse stay under it.
    void draggedTogether()
    {
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        CrosshairGroup group;
        PlotCard upper(QStringLiteral("A"), {}), lower(QStringLiteral("B"), {});
        for (PlotCard* card : {&upper, &lower}) {
            card->addSeries(QStringLiteral("s"));
            for (int i = 0; i <= 100; ++i)
                card->graph(0).addData(i, i);
            card->setXRange(0, 100);
            card->setCrosshairGroup(&group);
            layout->addWidget(card);
        }
        window.resize(700, 500);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        upper.refreshNow();
        lower.refreshNow();
        QCustomPlot& plot = upper.plot();
        plot.xAxis->setRange(40, 60);
        QVERIFY(upper.isZoomed());
        const QPoint middle = plot.axisRect()->center();
        const double under = plot.xAxis->pixelToCoord(middle.x());
        QTest::mousePress(&plot, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&plot, middle + QPoint(60, 0));
        QTRY_VERIFY(std::fabs(plot.xAxis->pixelToCoord(middle.x() + 60) - under) < 1e-6);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, middle + QPoint(60, 0));
        QCOMPARE(lower.plot().xAxis->range(), plot.xAxis->range());
        const QCPRange range = plot.xAxis->range();
        QTest::mouseMove(&plot, middle); // without a button nothing moves
        QTest::qWait(20);
        QCOMPARE(plot.xAxis->range(), range);
        // The wheel zooms where the mouse stands; with Shift the other axis.
        QWheelEvent wheel(QPointF(middle), plot.mapToGlobal(QPointF(middle)), {}, QPoint(0, 120), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        const double at = plot.xAxis->pixelToCoord(middle.x());
        QApplication::sendEvent(&plot, &wheel);
        QVERIFY(std::fabs(plot.xAxis->range().size() - 0.8 * range.size()) < 1e-6);
        QVERIFY(std::fabs(plot.xAxis->pixelToCoord(middle.x()) - at) < 1e-6);
        const QCPRange heights = plot.yAxis->range();
        QWheelEvent turned(QPointF(middle), plot.mapToGlobal(QPointF(middle)), {}, QPoint(120, 0), Qt::NoButton,
                           Qt::ShiftModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &turned);
        QVERIFY(plot.yAxis->range().size() < heights.size());
    }
};

} // namespace dyno::tst_line_graph

DYNO_WIDGET_SUITE(tst_line_graph, dyno::tst_line_graph::TestLineGraph)
#include "tst_line_graph.moc"
