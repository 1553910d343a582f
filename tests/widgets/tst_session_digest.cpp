// SPDX-License-Identifier: GPL-3.0-or-later
// What cards and rows say of a session, and how it is drawn.
#include "plots/session_digest.h"
#include "support/suite.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace dyno::tst_session_digest {
using namespace Qt::StringLiterals;

namespace {

SessionDigest digestFor(const sample::Options& options)
{
    test::SampleLibrary library;
    const QString id = library.add(options);
    auto open = library.open(Library::Mode::ReadOnly);
    auto digest = digestOf(*open, library.session(id));
    if (!digest)
        qFatal("%s", digest.error().text().c_str());
    return *digest;
}

sample::Options withPlan(const char* from, const char* to)
{
    sample::Options options;
    options.intervals = 6;
    if (*from)
        options.plan.replace(options.plan.find(from), std::string(from).size(), to);
    return options;
}

constexpr int kMargin = 40;

QImage pictureOf(const ChartPreview& preview, bool spark, QSize size)
{
    QImage image(size.grownBy({kMargin, kMargin, kMargin, kMargin}), QImage::Format_RGB32);
    image.fill(Theme::instance().colors().surface);
    const QRectF area(QPointF(kMargin, kMargin), size);
    QPainter painter(&image);
    spark ? paintSparkline(painter, area, preview) : paintPreview(painter, area, preview);
    return image;
}

//! Pixels in a part of the picture that something was drawn on.
int inked(const QImage& image, const QRect& part)
{
    int count = 0;
    for (int y = part.top(); y <= part.bottom(); ++y) {
        for (int x = part.left(); x <= part.right(); ++x)
            count += image.pixelColor(x, y) != Theme::instance().colors().surface ? 1 : 0;
    }
    return count;
}

//! The series whose colours are somewhere in the picture; without the last, which has that of second text. Fails when
//! something was drawn outside.
std::set<int> drawn(const ChartPreview& preview, bool spark, QSize size = {290, 104})
{
    const QImage image = pictureOf(preview, spark, size);
    const QRect area(QPoint(kMargin, kMargin), size);
    if (inked(image, image.rect()) != inked(image, area))
        QTest::qFail("something is drawn outside", __FILE__, __LINE__);
    std::set<int> found;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            for (int series = 0; series < int(kPreviewSeries) - 1; ++series) {
                if (image.pixelColor(x, y) == Theme::instance().series(series))
                    found.insert(series);
            }
        }
    }
    return found;
}

} // namespace

class TestSessionDigest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(*qApp); } // fonts, and plurals without a translation
    void bars();
    void askedPlaceIsOneRowEach();
    void lines();
    void course();
    void manySeries();
    void labelsFit();
    void nothingMeasured();
    void html_data();
    void html();
    void hostileValues();
};

void TestSessionDigest::bars()
{
    const SessionDigest digest = digestFor(withPlan("", ""));
    QVERIFY(!digest.verdict.isEmpty());
    QCOMPARE(digest.chart.sketch, ChartSketch::Bars);
    QCOMPARE(digest.chart.xs, (QStringList{u"1"_s, u"4"_s}));
    QCOMPARE(digest.chart.series.size(), std::size_t(3));
    QCOMPARE(digest.chart.series.front().label, u"OFF"_s);
    QVERIFY(digest.chart.figures && !digest.chart.isEmpty() && !digest.chart.isRows());
    QVERIFY2(digest.measure.endsWith(u" by users"_s), qPrintable(digest.measure));
    QCOMPARE(drawn(digest.chart, false), (std::set<int>{0, 1, 2}));
    QCOMPARE(drawn(digest.chart, true, {100, 34}), (std::set<int>{0, 1, 2}));
}

//! Where the plan asks about one place of x, each series is a bar with its figure.
void TestSessionDigest::askedPlaceIsOneRowEach()
{
    const SessionDigest digest =
        digestFor(withPlan("baseline = \"OFF\"", "baseline = \"OFF\"\nverdict = \"FULL\"\nverdict_at = \"users = 4\""));
    QCOMPARE(digest.chart.xs, QStringList{u"4"_s});
    QVERIFY(digest.chart.isRows());
    QVERIFY2(digest.measure.endsWith(u"4 users"_s), qPrintable(digest.measure));
    QCOMPARE(drawn(digest.chart, false), (std::set<int>{0, 1, 2}));
}

void TestSessionDigest::lines()
{
    sample::Options options;
    options.intervals = 6;
    options.plan = test::linesPlan();
    const SessionDigest digest = digestFor(options);
    QCOMPARE(digest.chart.sketch, ChartSketch::Lines);
    QCOMPARE(digest.chart.xs.size(), qsizetype(4));
    QCOMPARE(digest.chart.series.size(), std::size_t(3));
    QCOMPARE(drawn(digest.chart, true, {100, 34}), (std::set<int>{0, 1, 2}));
    // A line that ends early goes on dotted, in no series' colour.
    ChartPreview cut = digest.chart;
    cut.series.resize(1);
    cut.series.front().values.back() = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!cut.isEmpty());
    QCOMPARE(drawn(cut, true, {100, 34}), std::set<int>{0});
    const QRect right(kMargin + 70, kMargin, 26, 28); // of the third of four places, above the base line
    const int dots = inked(pictureOf(cut, true, {100, 34}), right);
    QVERIFY2(dots > 8, qPrintable(QString::number(dots)));
    QVERIFY2(dots < inked(pictureOf(digest.chart, true, {100, 34}), right), "no gap between the dots");
}

void TestSessionDigest::course()
{
    const SessionDigest digest = digestFor(withPlan("chart = \"bars\"", "chart = \"time\""));
    QCOMPARE(digest.chart.sketch, ChartSketch::Course);
    QCOMPARE(digest.chart.series.size(), std::size_t(3));
    QCOMPARE(digest.chart.xs.size(), qsizetype(digest.chart.series.front().values.size()));
    QVERIFY2(digest.measure.endsWith(u"over time"_s), qPrintable(digest.measure));
    QCOMPARE(drawn(digest.chart, false), (std::set<int>{0, 1, 2}));
}

//! Further series are not drawn, so they are not read either.
void TestSessionDigest::manySeries()
{
    for (const char* chart : {"bars", "time"}) {
        sample::Options options = withPlan("users = [1, 4]", "users = [1, 2, 3, 4, 5, 6, 7, 8]");
        const auto swap = [&options](const std::string& from, const std::string& to) {
            options.plan.replace(options.plan.find(from), from.size(), to);
        };
        swap("repeats = 2", "repeats = 1");
        swap("x = \"users\"\nseries = \"synchronous\"\nbaseline = \"OFF\"",
             "x = \"synchronous\"\nseries = \"users\"\nbaseline = \"1\"");
        swap("chart = \"bars\"", std::string("chart = \"") + chart + '"');
        const SessionDigest digest = digestFor(options);
        QCOMPARE(digest.chart.series.size(), kPreviewSeries);
        QVERIFY(!digest.chart.isEmpty());
    }
}

//! Labels beside bars stand as they are as long as they have up to ten letters.
void TestSessionDigest::labelsFit()
{
    const QFont font = Theme::font(TextRole::Label);
    for (const QString& label : {u"NORMAL"_s, u"MariaDB 12"_s, u"DURABILITY"_s, u"WAL"_s, u"compressed"_s}) {
        ChartPreview preview;
        preview.sketch = ChartSketch::Bars;
        preview.figures = true;
        preview.xs = QStringList{u"1"_s};
        preview.series = {{label, {1}}, {QString(), {std::numeric_limits<double>::quiet_NaN()}}};
        const QSize size(252, 30); // a card of four in a window of 1280, one row
        const QImage shown = pictureOf(preview, false, size);
        QImage wanted(shown.size(), QImage::Format_RGB32);
        wanted.fill(Theme::instance().colors().surface);
        QPainter painter(&wanted);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(font);
        painter.setPen(Theme::instance().colors().secondText);
        painter.drawText(QRectF(kMargin, kMargin, 252, 30), Qt::AlignLeft | Qt::AlignVCenter, label);
        painter.end();
        const QRect part(kMargin, kMargin, QFontMetrics(font).horizontalAdvance(label), 30);
        QVERIFY2(inked(wanted, part) > 0 && shown.copy(part) == wanted.copy(part), qPrintable(label));
    }
}

void TestSessionDigest::nothingMeasured()
{
    sample::Options options;
    options.intervals = 6;
    options.failedRun = 0;
    options.stopAfterRun = 0;
    const SessionDigest digest = digestFor(options);
    QVERIFY(digest.verdict.isEmpty() && digest.chart.isEmpty());
    QVERIFY(drawn(digest.chart, false).empty());
}

void TestSessionDigest::html_data()
{
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("html");
    QTest::newRow("factor") << u"OFF has 9.8× [9.1, 10.5] the throughput of FULL at 1 user (one of 4 comparisons)."_s
                            << u"OFF has <b>9.8×</b> [9.1, 10.5] the throughput of FULL at 1 user"_s;
    QTest::newRow("percent") << u"Throughput is 32 % [30, 34] higher with B than with A."_s
                             << u"Throughput is <b>32 %</b> [30, 34] higher with B than with A"_s;
    QTest::newRow("noise")
        << u"Differences in throughput between A and B are within the noise: every 95 % interval of the "
           "ratio includes 1."_s
        << u"Differences in throughput between A and B are within the noise: every 95 % interval of "
           "the ratio includes 1"_s;
    QTest::newRow("caveat") << u"B has 2.1× the throughput of A at 4 users (medians, not tested)."_s
                            << u"B has <b>2.1×</b> the throughput of A at 4 users (medians, not tested)"_s;
    QTest::newRow("place") << u"B has 2.1× the throughput of A (REPEATABLE READ; one of 6 comparisons)."_s
                           << u"B has <b>2.1×</b> the throughput of A (REPEATABLE READ)"_s;
    QTest::newRow("points") << u"Throughput is 812 transactions/s [801, 823] at 4 users (one of 3 points)."_s
                            << u"Throughput is 812 transactions/s [801, 823] at 4 users"_s;
    QTest::newRow("none") << u"No run is complete yet."_s << u"No run is complete yet"_s;
    QTest::newRow("foreign") << u"<img src=x> has 2× the throughput of A."_s
                             << u"&lt;img src=x&gt; has <b>2×</b> the throughput of A"_s;
    QTest::newRow("empty") << QString() << QString();
}

void TestSessionDigest::html()
{
    QFETCH(const QString, verdict);
    QTEST(verdictHtml(verdict), "html");
}

//! Whatever values there are: nothing is drawn outside, nothing crashes.
void TestSessionDigest::hostileValues()
{
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    for (const ChartSketch sketch : {ChartSketch::Lines, ChartSketch::Bars, ChartSketch::Course}) {
        for (const std::vector<double>& values :
             {std::vector<double>{}, {nan, nan}, {infinite, 1}, {0, 0}, {-5, 3}, {1e300, 1}}) {
            for (const qsizetype places : {0, 1, 2, 40}) {
                ChartPreview preview;
                preview.sketch = sketch;
                preview.figures = true;
                preview.xs = QStringList(places, u"a label that is longer than there is room for it"_s);
                preview.series.assign(9, {u"another label that is far too long"_s, values});
                (void)drawn(preview, false, {120, 40});
                (void)drawn(preview, true, {20, 10});
                preview.series.resize(1);
                (void)drawn(preview, false, {120, 40});
                QCOMPARE(preview.isEmpty(), std::ranges::none_of(values, [](double v) { return std::isfinite(v); }));
            }
        }
    }
}

} // namespace dyno::tst_session_digest

DYNO_WIDGET_SUITE(tst_session_digest, dyno::tst_session_digest::TestSessionDigest)
#include "tst_session_digest.moc"
