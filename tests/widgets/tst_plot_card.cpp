// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/export.h"
#include "plots/frame_ticker.h"
#include "plots/phase_band.h"
#include "plots/plot_card.h"
#include "plots/plot_items.h"
#include "plots/plot_style.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QFile>
#include <QImageReader>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <QXmlStreamReader>

namespace dyno::tst_plot_card {

class TestPlotCard : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    static void fill(PlotCard& card)
    {
        card.addSeries(QStringLiteral("slow"), {.color = 0});
        card.addSeries(QStringLiteral("fast"), {.color = 1});
        for (int i = 0; i <= 10; ++i) {
            card.graph(0).addData(i, 10 + i);
            card.graph(1).addData(i, 100 - i);
        }
        card.setXRange(0, 10);
    }
    static QString textOf(const QString& file)
    {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
    }

private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }

    void spreadKeepsGapsOrderAndBounds_data()
    {
        QTest::addColumn<QList<double>>("wanted");
        QTest::newRow("apart already") << QList<double>{10, 50, 90};
        QTest::newRow("all the same") << QList<double>{50, 50, 50, 50};
        QTest::newRow("at the top") << QList<double>{0, 1, 2};
        QTest::newRow("at the bottom") << QList<double>{99, 100, 98};
        QTest::newRow("two groups") << QList<double>{20, 22, 70, 71, 72};
        QTest::newRow("unsorted") << QList<double>{70, 20, 71, 22};
    }
    void spreadKeepsGapsOrderAndBounds()
    {
        QFETCH(QList<double>, wanted);
        const double gap = 12;
        std::vector<double> centres(wanted.begin(), wanted.end());
        spreadApart(centres, gap, 0, 100);
        for (std::size_t a = 0; a < centres.size(); ++a) {
            QVERIFY(centres[a] >= -1e-9 && centres[a] <= 100 + 1e-9);
            for (std::size_t b = 0; b < centres.size(); ++b) {
                if (a == b)
                    continue;
                QVERIFY(std::abs(centres[a] - centres[b]) >= gap - 1e-9);
                if (wanted[qsizetype(a)] < wanted[qsizetype(b)])
                    QVERIFY(centres[a] < centres[b]);
            }
        }
    }
    void spreadLeavesFreeLabelsAlone()
    {
        std::vector<double> centres{10, 50, 90};
        spreadApart(centres, 12, 0, 100);
        QCOMPARE(centres, (std::vector<double>{10, 50, 90}));
        std::vector<double> pair{50, 52}; // moves apart around their middle
        spreadApart(pair, 12, 0, 100);
        QCOMPARE(pair[0], 45.0);
        QCOMPARE(pair[1], 57.0);
    }
    void logTicksArePlainNumbers()
    {
        const auto plain = [](QString text) { return text.replace(QChar(0x00A0), u' ').replace(QChar(0x202F), u' '); };
        QCOMPARE(PlainLogTicker::labelOf(1), QStringLiteral("1"));
        QCOMPARE(PlainLogTicker::labelOf(100), QStringLiteral("100"));
        QCOMPARE(PlainLogTicker::labelOf(0.01), QStringLiteral("0.01"));
        QCOMPARE(plain(PlainLogTicker::labelOf(10000)), QStringLiteral("10 000"));
    }
    void ratesStartAtZeroAndHiddenSeriesDoNotCount()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("transactions/s"));
        fill(card);
        card.refreshNow();
        QCOMPARE(card.plot().yAxis->range().lower, 0.0);
        QVERIFY(card.plot().yAxis->range().upper > 100);
        card.setSeriesVisible(1, false);
        card.refreshNow();
        QVERIFY(card.plot().yAxis->range().upper < 25);
        const PlotTable table = card.table();
        QCOMPARE(table.columns, (QStringList{QStringLiteral("time_s"), QStringLiteral("slow (transactions/s)")}));
        QCOMPARE(table.rows.size(), std::size_t(11));
        QCOMPARE(table.rows[3], (QStringList{QStringLiteral("3"), QStringLiteral("13")}));
    }
    void edgeIsDragged()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("transactions/s"));
        fill(card);
        card.resize(600, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.addBand(0, 2, BandKind::Warmup);
        card.setMovableEdge(2);
        card.refreshNow();
        QCustomPlot& plot = card.plot();
        const int y = plot.axisRect()->center().y();
        const auto at = [&](double x) { return QPoint(int(std::lround(plot.xAxis->coordToPixel(x))), y); };
        QSignalSpy moved(&card, &PlotCard::edgeMoved);
        const QCPRange range = plot.xAxis->range();

        QTest::mouseMove(&plot, at(2));
        QTRY_COMPARE(plot.cursor().shape(), Qt::SplitHCursor);
        QTest::mousePress(&plot, Qt::LeftButton, {}, at(2));
        QTest::mouseMove(&plot, at(4));
        QTest::mouseMove(&plot, at(6));
        QCOMPARE(card.bandCount(BandKind::Warmup), 1);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(6));
        QCOMPARE(moved.size(), 1);
        QVERIFY(std::abs(moved.takeFirst().first().toDouble() - 6) < 0.05);
        QCOMPARE(plot.xAxis->range(), range); // the plot itself stays where it is
        // A click on it, or a drag that is called off, is no wish to move it.
        QTest::mouseClick(&plot, Qt::LeftButton, {}, at(2));
        QTest::mousePress(&plot, Qt::LeftButton, {}, at(2));
        QTest::mouseMove(&plot, at(5));
        QTest::keyClick(&plot, Qt::Key_Escape);
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(5));
        // Elsewhere, and without an edge, the plot is panned as ever.
        QTest::mousePress(&plot, Qt::LeftButton, {}, at(8));
        QTest::mouseMove(&plot, at(5));
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(5));
        card.setMovableEdge({});
        QTest::mousePress(&plot, Qt::LeftButton, {}, at(2));
        QTest::mouseMove(&plot, at(5));
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(5));
        QCOMPARE(moved.size(), 0);
        QCOMPARE(card.bandCount(BandKind::Warmup), 1);
    }
    //! Both axes, with the wheel and without a mouse; new data does not undo it, a double click does.
    void axesAreZoomedByWheelAndKeys()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("transactions/s"));
        fill(card);
        card.resize(600, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.refreshNow();
        QCustomPlot& plot = card.plot();
        const QCPRange wholeX = plot.xAxis->range(), wholeY = plot.yAxis->range();
        const QPointF middle(plot.axisRect()->center());
        const auto isWhole = [&] { return plot.xAxis->range() == wholeX && plot.yAxis->range() == wholeY; };
        const auto wheel = [&](Qt::KeyboardModifiers keys) {
            QWheelEvent turn(middle, plot.mapToGlobal(middle), {}, QPoint(0, 120), Qt::NoButton, keys,
                             Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&plot, &turn);
        };
        wheel(Qt::ShiftModifier);
        QCOMPARE(plot.xAxis->range(), wholeX);
        QVERIFY(std::abs(plot.yAxis->range().size() / wholeY.size() - 0.8) < 0.001);
        const QCPRange zoomed = plot.yAxis->range();
        card.graph(0).addData(11, 1000);
        card.refreshNow();
        QCOMPARE(plot.yAxis->range(), zoomed);
        card.graph(0).data()->removeAfter(10.5);
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(isWhole());

        QTest::keyClick(&plot, Qt::Key_Up); // y follows the data: there is nothing to pan
        QVERIFY(isWhole());
        QTest::keyClick(&plot, Qt::Key_Up, Qt::ShiftModifier);
        QTest::keyClick(&plot, Qt::Key_Up, Qt::ShiftModifier);
        QVERIFY(std::abs(plot.yAxis->range().size() / wholeY.size() - 0.64) < 0.001);
        QTest::keyClick(&plot, Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(std::abs(plot.yAxis->range().size() / wholeY.size() - 0.8) < 0.001);
        QCOMPARE(plot.xAxis->range(), wholeX);
        const double centre = plot.yAxis->range().center();
        QTest::keyClick(&plot, Qt::Key_Up);
        QVERIFY(plot.yAxis->range().center() > centre);
        QTest::mousePress(&plot, Qt::LeftButton, {}, middle.toPoint());
        QTest::mouseMove(&plot, middle.toPoint() - QPoint(0, 40)); // the picture goes up with the mouse
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, middle.toPoint() - QPoint(0, 40));
        QVERIFY(plot.yAxis->range().center() < centre);
        QTest::keyClick(&plot, Qt::Key_0);
        QVERIFY(isWhole());

        QTest::keyClick(&plot, Qt::Key_Plus);
        QTest::keyClick(&plot, Qt::Key_Plus);
        QVERIFY(card.isZoomed() && plot.xAxis->range().size() < 0.7 * wholeX.size());
        for (int i = 0; i < 120; ++i) // what is seen follows the crosshair
            QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.xAxis->range().upper, wholeX.upper);
        QVERIFY(std::abs(card.crosshairX() - wholeX.upper) < 1e-6);
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(&plot, Qt::Key_Minus);
        QVERIFY(!card.isZoomed() && isWhole());
    }

    //! A step is as wide on the screen everywhere, and leads to nothing below 0.
    void keysOnALogarithmicAxis()
    {
        PlotCard card(QStringLiteral("Throughput by users"), QStringLiteral("transactions/s"));
        card.addSeries(QStringLiteral("one"), {.color = 0});
        for (const double users : {1.0, 10.0, 100.0, 1000.0})
            card.graph(0).addData(users, 10 * users);
        card.setXKind(XKind::Logarithmic);
        card.setXRange(1, 1000);
        card.resize(600, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.refreshNow();
        QCustomPlot& plot = card.plot();
        const QCPRange whole = plot.xAxis->range();
        QTest::keyClick(&plot, Qt::Key_Plus);
        QTest::keyClick(&plot, Qt::Key_Plus);
        const QCPRange zoomed = plot.xAxis->range();
        const double shown = zoomed.upper / zoomed.lower;
        QVERIFY(shown < 0.5 * whole.upper / whole.lower);
        for (int i = 0; i < 40; ++i) { // beyond the left edge: what is seen follows
            QTest::keyClick(&plot, Qt::Key_Left);
            const QCPRange now = plot.xAxis->range();
            QVERIFY2(now.lower > 0 && std::abs(now.upper / now.lower / shown - 1) < 0.001,
                     qPrintable(QDebug::toString(now.lower)));
        }
        QVERIFY(plot.xAxis->range().lower < zoomed.lower);
        QVERIFY(plot.xAxis->range().contains(card.crosshairX()));
    }

    void csvIsQuoted()
    {
        PlotTable table;
        table.columns = {QStringLiteral("a"), QStringLiteral("say \"x\", please")};
        table.rows = {{QStringLiteral("1"), QStringLiteral("2")}};
        QCOMPARE(table.toCsv(), QStringLiteral("a,\"say \"\"x\"\", please\"\n1,2\n"));
        QCOMPARE(table.toTabbed(), QStringLiteral("a\tsay \"x\", please\n1\t2\n"));
    }
    void csvHoldsNoFormulas()
    {
        PlotTable table;
        table.columns = {QStringLiteral("=1+1"), QStringLiteral("@a,b"), QStringLiteral("a=b")};
        table.rows = {{QStringLiteral("-1.5"), QStringLiteral("-1+1"), QStringLiteral("+cmd\r")}};
        QCOMPARE(table.toCsv(), QStringLiteral("'=1+1,\"'@a,b\",a=b\n-1.5,'-1+1,\"'+cmd\r\"\n"));
    }
    void exportsEveryFormat()
    {
        PlotCard card(QStringLiteral("Throughput by users"), QStringLiteral("transactions/s"));
        fill(card);
        QCOMPARE(card.exportName(), QStringLiteral("throughput-by-users"));
        ExportOptions options;
        options.size = {600, 400};
        options.scale = 2;
        for (const char* suffix : {"png", "svg", "pdf", "csv"}) {
            const QString file = m_dir.filePath(QStringLiteral("plot.%1").arg(QLatin1String(suffix)));
            const auto done = exportPlot(card, options, file);
            QVERIFY2(done, done ? "" : done.error().text().c_str());
            QVERIFY(QFileInfo(file).size() > 100);
        }
        QCOMPARE(QImageReader(m_dir.filePath(QStringLiteral("plot.png"))).size(), QSize(1200, 800));
        QVERIFY(textOf(m_dir.filePath(QStringLiteral("plot.pdf"))).startsWith(QLatin1String("%PDF")));
        const QString svg = textOf(m_dir.filePath(QStringLiteral("plot.svg")));
        QXmlStreamReader xml(svg);
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(svg.contains(QLatin1String("Throughput by users")));
        QVERIFY(svg.contains(QLatin1String("<path")) || svg.contains(QLatin1String("<polyline")));
        QCOMPARE(textOf(m_dir.filePath(QStringLiteral("plot.csv"))), card.table().toCsv());
    }
    void hiddenSeriesAreNotInThePicture()
    {
        PlotCard card(QStringLiteral("T"), QStringLiteral("x"));
        fill(card);
        ExportOptions options;
        options.theme = ThemeMode::Light;
        const QString with = m_dir.filePath(QStringLiteral("with.svg"));
        QVERIFY(exportPlot(card, options, with));
        const QString colour = Theme::colors(ThemeMode::Light).series[1].name();
        QVERIFY(textOf(with).contains(colour, Qt::CaseInsensitive));
        card.setSeriesVisible(1, false);
        const QString without = m_dir.filePath(QStringLiteral("without.svg"));
        QVERIFY(exportPlot(card, options, without));
        QVERIFY(!textOf(without).contains(colour, Qt::CaseInsensitive));
    }
    void wordsStandAroundAPicture()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("x"));
        fill(card);
        card.setExportWords({"What <does> it cost?", "oltp_insert, tables = 4", "B is slower & costs more.",
                             "MariaDB 11.8, 3 runs a point"});
        ExportOptions options;
        const auto svg = [&] {
            const QString file = m_dir.filePath(QStringLiteral("words.svg"));
            return exportPlot(card, options, file) ? textOf(file) : QString();
        };
        const auto has = [](const QString& text, const char* part) { return text.contains(QLatin1String(part)); };
        QVERIFY(!has(svg(), "it cost?") && !has(svg(), "a point"));
        options.head = options.caption = true;
        for (const char* part : {"What &lt;does&gt; it cost?", "oltp_insert", "slower &amp; costs", "3 runs a point"})
            QVERIFY2(has(svg(), part), part);
        // A small one keeps the plot its room.
        options.size = QSize(300, 200);
        QVERIFY(has(svg(), "it cost?") && !has(svg(), "oltp_insert"));
        options.head = false;
        QVERIFY(!has(svg(), "it cost?") && has(svg(), "MariaDB 11.8"));
        // What is too long for its lines is cut, and says so.
        options.head = true;
        card.setExportWords({QStringLiteral("long title ").repeated(40), {}, {}, {}});
        QVERIFY(has(svg(), "\xE2\x80\xA6") || svg().contains(QChar(0x2026)));
        card.setExportWords({QString(300, u'n'), {}, {}, {}}); // wider than the picture, in one line
        QVERIFY(svg().contains(QChar(0x2026)) && !svg().contains(QString(300, u'n')));
    }
    void picturesForPostsTellTheirValues()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("tps"));
        card.setXKind(XKind::Number);
        card.setXRange(0, 5);
        card.graph(card.addSeries(QStringLiteral("a <b>"))).setData({1, 2, 4}, {10, 20, 40}, true);
        card.graph(card.addSeries(QStringLiteral("c"))).setData({1, 2}, {11, 22}, true);
        ExportOptions options;
        options.head = true;
        const auto picture = reportPicture(card, options, QStringLiteral("p/a.svg"));
        QVERIFY(picture && picture->file == "p/a.svg" && picture->width == options.size.width());
        QCOMPARE(picture->spots.size(), std::size_t(5));
        const QString words = QString::fromStdString(picture->spots[2].text).replace(QChar(0x00A0), u' ');
        QVERIFY2(words.startsWith("a <b>, 4: 40") && words.endsWith(" tps"), qPrintable(words));
        for (std::size_t i = 0; i < 2; ++i) // to the right, and higher
            QVERIFY(picture->spots[i].x < picture->spots[i + 1].x && picture->spots[i].y > picture->spots[i + 1].y);
        for (const PictureSpot& spot : picture->spots)
            QVERIFY(QRectF(0, 0, 1200, 675).contains(QRectF(spot.x, spot.y, spot.width, spot.height)));
        card.setSeriesVisible(0, false);
        QCOMPARE(reportPicture(card, options, {})->spots.size(), std::size_t(2));
        // Of many values a strip tells all series.
        QVector<double> keys, values;
        for (int i = 0; i <= 500; ++i) {
            keys << i / 100.0;
            values << i;
        }
        card.setSeriesVisible(0, true);
        card.graph(0).setData(keys, values, true);
        card.graph(1).setData(keys, values, true);
        const auto many = reportPicture(card, options, {});
        QVERIFY(many->spots.size() > 100 && many->spots.size() < 130);
        QCOMPARE(QString::fromStdString(many->spots[60].text).count(QLatin1Char('\n')), 2);
        // A series that has ended, or has a gap there, has no value from elsewhere.
        card.graph(1).setData(keys.first(200), values.first(200), true);
        QCOMPARE(QString::fromStdString(reportPicture(card, options, {})->spots[60].text).count(u'\n'), 1);
        card.graph(1).addData(keys.last(100), values.last(100), true);
        QCOMPARE(QString::fromStdString(reportPicture(card, options, {})->spots[60].text).count(u'\n'), 1);
        QCOMPARE(QString::fromStdString(reportPicture(card, options, {})->spots[118].text).count(u'\n'), 2);
    }
    void bytesHaveTheirUnits()
    {
        struct Ticker : ByteLogTicker
        {
            using ByteLogTicker::createTickVector;
            using ByteLogTicker::getTickLabel;
        } ticker;
        ticker.setTickCount(5);
        QStringList labels;
        for (const double tick : ticker.createTickVector(0, {300 * 1024.0, 5 * 1024.0 * 1024 * 1024}))
            labels << ticker.getTickLabel(tick, QLocale::c(), u'g', 3).replace(QChar(0x00A0), u' ');
        QCOMPARE(labels, (QStringList{"2 MiB", "16 MiB", "128 MiB", "1 GiB"}));
        QCOMPARE(byteUnitOf(900), 1.0);
        QCOMPARE(byteUnitOf(3e6), 1024.0 * 1024);
        QVERIFY(ticker.createTickVector(0, {-1, 5}).isEmpty());
        // Between two powers of two.
        labels.clear();
        for (const double tick : ticker.createTickVector(0, {5 * 1024.0 * 1024, 7 * 1024.0 * 1024}))
            labels << ticker.getTickLabel(tick, QLocale::c(), u'g', 3).replace(QChar(0x00A0), u' ');
        QCOMPARE(labels, (QStringList{"5.0 MiB", "5.5 MiB", "6.0 MiB", "6.5 MiB", "7.0 MiB"}));
    }
    void ticksStandWhereSomethingWasMeasured()
    {
        const std::vector<double> users{1, 2, 4, 8, 16, 32, 64, 128, 256};
        QCOMPARE(fittingTicks(users, {0.9, 280}, true, 900), users);
        // On a linear axis the small ones have no room; the last one stays.
        const std::vector<double> linear = fittingTicks(users, {0, 262}, false, 400);
        QCOMPARE(linear.back(), 256.0);
        QVERIFY(linear.size() > 3 && linear.size() < users.size());
        QCOMPARE(fittingTicks(users, {10, 70}, false, 400), (std::vector<double>{16, 32, 64}));
        QCOMPARE(MeasuredTicker::labelOf(16), QStringLiteral("16"));
        QCOMPARE(MeasuredTicker::labelOf(2.5), QStringLiteral("2.50"));
    }
    void zoomedAxesKeepLabels()
    {
        PlotCard card(QStringLiteral("T"), QStringLiteral("x"));
        card.graph(card.addSeries(QStringLiteral("a"))).setData({1, 4, 16, 64}, {1, 2, 3, 4}, true);
        card.setXKind(XKind::Logarithmic);
        card.setXTicks({1, 4, 16, 64});
        card.setXRange(0.9, 70);
        const auto labels = [&card] {
            card.layOutFor({800, 300});
            QVector<double> ticks;
            QVector<QString> texts;
            card.plot().xAxis->ticker()->generate(card.plot().xAxis->range(), QLocale::c(), u'g', 6, ticks, nullptr,
                                                  &texts);
            QStringList inside; // one beyond each end is generated too
            for (qsizetype i = 0; i < ticks.size(); ++i) {
                if (card.plot().xAxis->range().contains(ticks[i]))
                    inside << texts[i];
            }
            return inside;
        };
        QCOMPARE(labels(), (QStringList{"1", "4", "16", "64"}));
        card.plot().xAxis->setRange(20, 60); // nothing was measured in between
        QVERIFY2(labels().contains("40"), qPrintable(labels().join(u' ')));
        card.plot().xAxis->setRange(22, 45);
        QVERIFY2(labels().size() >= 2, qPrintable(labels().join(u' ')));
        card.resetZoom();
        QCOMPARE(labels(), (QStringList{"1", "4", "16", "64"}));
    }
    void exportWearsItsOwnThemeAndGivesTheOldBack()
    {
        Theme::instance().setChoice(Theme::Choice::Light);
        PlotCard card(QStringLiteral("T"), QStringLiteral("x"));
        fill(card);
        card.resize(500, 300);
        ExportOptions options;
        options.size = {400, 300};
        options.scale = 1;
        options.theme = ThemeMode::Dark;
        QCOMPARE(renderPlot(card, options).pixelColor(3, 3), Theme::colors(ThemeMode::Dark).surface);
        options.theme = ThemeMode::Print;
        QCOMPARE(renderPlot(card, options).pixelColor(3, 3), QColor(Qt::white));
        options.transparent = true;
        QCOMPARE(renderPlot(card, options).pixelColor(3, 3).alpha(), 0);
        QCOMPARE(card.seriesColor(0), Theme::colors(ThemeMode::Light).series[0]);
    }
    //! A band between the plot and its axis: names where they fit, darker where the load is higher, also in pictures.
    void phasesAreABandAboveTheAxis()
    {
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("transactions/s"));
        fill(card);
        card.resize(600, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.refreshNow();
        const int bottom = card.plot().axisRect()->bottom();
        LoadPhase calm, spike, brief;
        calm.name = "calm";
        calm.seconds = 6;
        calm.pace.percent = 25;
        spike.name = "a_spike_with_a_name_that_is_long";
        spike.seconds = 1.5;
        spike.rampSeconds = 0.5;
        brief.name = "brief";
        brief.seconds = 0.1;
        LoadProfile load;
        load.users = {16};
        load.phases = {calm, spike, brief};
        const std::vector<PlotPhase> phases = plotPhases(load, 2);
        QCOMPARE(phases.size(), std::size_t(3));
        QVERIFY(phases[0].from == 2 && phases[1].from == 8 && std::abs(phases[2].to - 9.6) < 1e-9);
        QVERIFY(phases[0].level == 0.25 && phases[1].level == 1);
        card.setPhases(phases);
        card.refreshNow();
        QVERIFY(card.plot().axisRect()->bottom() < bottom); // it has room of its own
        const QStringList drawn = card.phaseBand().drawnNames();
        QCOMPARE(drawn.size(), 3);
        QCOMPARE(drawn[0], QStringLiteral("calm"));
        QVERIFY2(drawn[1].startsWith(QStringLiteral("a_")) && drawn[1].endsWith(u'…'), qPrintable(drawn[1]));
        QCOMPARE(drawn[2], QString());

        const auto at = [&card](double x) {
            return QPointF(card.plot().xAxis->coordToPixel(x), card.plot().axisRect()->bottom() + 8);
        };
        QVERIFY2(card.phaseBand().tooltipAt(at(4)).contains(QStringLiteral("4 of 16 users")),
                 qPrintable(card.phaseBand().tooltipAt(at(4))));
        QVERIFY(card.phaseBand().tooltipAt(at(8.5)).contains(QStringLiteral("ramp")));
        QCOMPARE(card.phaseBand().tooltipAt(at(1)), QString());
        QCOMPARE(card.phaseBand().tooltipAt(at(4) - QPointF(0, 30)), QString());
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            card.restyle(Theme::colors(mode), mode);
            card.refreshNow();
            const QImage image = card.plot().toPixmap().toImage();
            const auto colorAt = [&](double x) { // at the right end of a phase, where no name is
                return image.pixelColor((at(x) * image.devicePixelRatio()).toPoint());
            };
            const auto distance = [&](const QColor& color) {
                return std::abs(color.lightness() - Theme::colors(mode).surface.lightness());
            };
            QVERIFY(distance(colorAt(7.9)) > 5);
            QVERIFY(distance(colorAt(9.45)) > distance(colorAt(7.9)));
            QVERIFY(distance(colorAt(1)) < 3);
        }
        card.restyle(Theme::instance().colors(), Theme::instance().mode());
        ExportOptions options;
        const QString svg = m_dir.filePath(QStringLiteral("phases.svg"));
        QVERIFY(exportPlot(card, options, svg));
        QVERIFY(textOf(svg).contains(QStringLiteral("calm")));
        card.clearMarks();
        QCOMPARE(card.phases().size(), std::size_t(3));
        card.setPhases({});
        card.refreshNow();
        QCOMPARE(card.plot().axisRect()->bottom(), bottom);
    }
    void unwritableFileAndUnknownSuffixAreErrors()
    {
        PlotCard card(QStringLiteral("T"), QStringLiteral("x"));
        fill(card);
        const auto nowhere = exportPlot(card, {}, m_dir.filePath(QStringLiteral("missing/folder/plot.png")));
        QVERIFY(!nowhere);
        QCOMPARE(nowhere.error().kind, ErrorKind::Storage);
        const auto odd = exportPlot(card, {}, m_dir.filePath(QStringLiteral("plot.gif")));
        QVERIFY(!odd);
        QCOMPARE(odd.error().kind, ErrorKind::BadInput);
    }
    void tickerDrawsOnlyWhatIsSeen()
    {
        PlotCard hidden(QStringLiteral("H"), QStringLiteral("x")), shown(QStringLiteral("S"), QStringLiteral("x"));
        fill(hidden);
        fill(shown);
        shown.resize(400, 300);
        shown.show();
        QVERIFY(QTest::qWaitForWindowExposed(&shown));
        QTRY_VERIFY(FrameTicker::instance().idle());
        const int before = FrameTicker::instance().framesDrawn();
        for (int i = 0; i < 50; ++i) { // many values, one drawing
            hidden.markDirty();
            shown.markDirty();
        }
        QTRY_VERIFY(FrameTicker::instance().idle());
        QCOMPARE(FrameTicker::instance().framesDrawn() - before, 1);
    }
    void clickOnALabelHidesItsSeries()
    {
        PlotCard card(QStringLiteral("T"), QStringLiteral("x"));
        fill(card);
        card.resize(500, 300);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        card.refreshNow();
        auto* labels = dynamic_cast<EndLabels*>(card.plot().item(1));
        QVERIFY(labels);
        const double y = card.plot().yAxis->coordToPixel(90);
        const QPointF at(card.plot().axisRect()->right() + 14, y);
        QCOMPARE(labels->seriesAt(at), std::optional<int>(1));
        QTest::mouseClick(&card.plot(), Qt::LeftButton, {}, at.toPoint());
        QVERIFY(!card.isSeriesVisible(1));
        QVERIFY(card.isSeriesVisible(0));
    }
};

} // namespace dyno::tst_plot_card

DYNO_WIDGET_SUITE(tst_plot_card, dyno::tst_plot_card::TestPlotCard)
#include "tst_plot_card.moc"
