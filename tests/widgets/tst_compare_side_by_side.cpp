// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page with sessions whose axes differ, and with what other tools measured.
#include "support/suite.h"
#include "widgets/compare_fixture.h"
#include "widgets/pictures.h"

#include <dyno/import.h>

#include <QGridLayout>
#include <QScrollArea>

namespace dyno::tst_compare_side_by_side {
using Fixture = test::ComparePageFixture;

namespace {

QString textOf(const Fixture& f, const char* label)
{
    return f.find<QLabel>(label)->text();
}

//! All that a card of facts says, a line a fact.
QStringList facts(const Fixture& f, const char* card)
{
    QStringList lines;
    for (const QLabel* label : f.find<FactsCard>(card)->findChildren<QLabel*>()) {
        if (!label->accessibleName().isEmpty())
            lines += label->accessibleName();
    }
    return lines;
}

} // namespace

class TestCompareSideBySide : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true); // the theme keeps its choice in the settings
        Theme::instance().apply(*qApp);           // widths and fonts as a person has them
    }
    void beginsWithWhatTheyShare();
    void chartsNeverCoverTheTable_data();
    void chartsNeverCoverTheTable();
    void tellsOfLogsWhatTheySay_data();
    void tellsOfLogsWhatTheySay();

private:
    //! A session with an axis more, and these users.
    static QString addWithTables(Fixture& f, const std::string& users, int cases)
    {
        sample::Options options;
        options.intervals = 6;
        options.scale = 1.4;
        options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = " + users);
        options.plan += "\n[[axis]]\nname = \"tables\"\ncases = [\n";
        for (int i = 1; i <= cases; ++i)
            options.plan += QStringLiteral("  { label = \"%1 table%2\", set = { \"workload.tables\" = %1 } },\n")
                                .arg(i)
                                .arg(i == 1 ? "" : "s")
                                .toStdString();
        options.plan += "]\n";
        return f.library.add(options, "tuned");
    }
};

void TestCompareSideBySide::beginsWithWhatTheyShare()
{
    Fixture f;
    const QString a = f.library.addShort("stock"), b = addWithTables(f, "[4, 8, 1]", 2);
    f.show({a, b});
    // Sessions as series over the users that both have; what else varies is held at one case. Not twelve charts.
    QCOMPARE(f.page->request().x, "users");
    QCOMPARE(f.page->request().series, "session");
    QCOMPARE(f.page->request().facet, std::string());
    QCOMPARE(f.page->pivot().xs, (std::vector<std::string>{"1", "4"}));
    QCOMPARE(f.table()->model()->rowCount(), 4);
    QVERIFY(f.plot()->isVisible() && !f.page->findChild<PivotPlot*>("pivotPlot2"));
    for (const PivotCell& cell : f.page->pivot().cells)
        QVERIFY(!cell.estimate.runs.empty()); // nothing that is "not planned"
    auto* held = f.find<ChoicePill>("holdPill.synchronous");
    QVERIFY(held->isVisible() && f.find<ChoicePill>("holdPill.tables")->isVisible());
    QCOMPARE(held->current(), QStringLiteral("OFF"));
    QVERIFY(f.find<QLabel>("compareApart")->isVisible());
    QVERIFY2(textOf(f, "compareApart").contains("Only tuned has 8 users"), qPrintable(textOf(f, "compareApart")));
    QVERIFY2(textOf(f, "compareApart").contains("Only tuned varies tables"), qPrintable(textOf(f, "compareApart")));
    for (const QSize& size : {QSize(1356, 852), QSize(1196, 752)}) {
        f.page->resize(size);
        test::keepPictures(*f.page, QStringLiteral("compare-side-by-side-%1x%2").arg(size.width()).arg(size.height()));
    }

    // Another case, another axis along x, and small charts where they are asked for.
    const double off = f.page->pivot().cell("4", "tuned")->estimate.mean;
    f.choose("holdPill.synchronous", QStringLiteral("FULL"));
    QVERIFY(f.page->pivot().cell("4", "tuned")->estimate.mean < off);
    QVERIFY(std::ranges::find(f.page->request().fixed, CaseRef{"synchronous", "FULL"}) !=
            f.page->request().fixed.end());
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    QCOMPARE(f.find<TimeOverlayPlot>("timeOverlayPlot")->throughput().seriesCount(), 2); // only what is held
    f.choose("chartPill", QStringLiteral("Bars"));
    f.choose("xPill", QStringLiteral("synchronous"));
    QCOMPARE(f.page->pivot().xs.size(), std::size_t(3));
    QVERIFY(!f.page->findChild<ChoicePill*>("holdPill.synchronous"));
    QCOMPARE(f.find<ChoicePill>("holdPill.users")->current(), QStringLiteral("4")); // the most that both have
    f.choose("facetPill", QStringLiteral("users"));
    QVERIFY(!f.page->findChild<ChoicePill*>("holdPill.users"));
    QCOMPARE(f.page->pivot().facets, (std::vector<std::string>{"1", "4"}));
    QVERIFY(f.page->findChild<PivotPlot*>("pivotPlot2")->isVisible());
    // Back to one session there is nothing to hold.
    f.context.compareSessions({a});
    f.wait();
    QVERIFY(!f.page->findChild<ChoicePill*>("holdPill.tables"));
    QVERIFY(!f.find<QLabel>("compareApart")->isVisible());
}

void TestCompareSideBySide::chartsNeverCoverTheTable_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("1280x800") << QSize(1196, 752);
    QTest::newRow("1440x900") << QSize(1356, 852);
    QTest::newRow("1280x720") << QSize(1196, 672);
}

//! Twelve small charts scroll in their own place; export, table and side column stay where they are.
void TestCompareSideBySide::chartsNeverCoverTheTable()
{
    QFETCH(QSize, size);
    Fixture f;
    f.show({addWithTables(f, "[1]", 12)}, size);
    QCOMPARE(f.page->pivot().facets.size(), std::size_t(12));
    const auto place = [&](const QWidget* widget) {
        return QRect(widget->mapTo(f.page.get(), QPoint(0, 0)), widget->size());
    };
    for (const char* name : {"compareExportButton", "ratioTable", "setupCard"}) {
        const QWidget* widget = f.find<QWidget>(name);
        QTRY_VERIFY2(place(widget).right() <= f.page->width(), name);
    }
    const auto* area = f.find<QScrollArea>("plotScroll");
    QTRY_VERIFY2(place(area).bottom() < place(f.table()).top(), "the charts cover the table");
    QVERIFY(f.plot()->width() >= 200);
    QVERIFY(f.table()->isVisible() && f.table()->height() > 60);
    test::keepPictures(*f.page, QStringLiteral("compare-facets-%1x%2").arg(size.width()).arg(size.height()));
}

void TestCompareSideBySide::tellsOfLogsWhatTheySay_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : {"sysbench-oltp.log", "pgbench.log", "ycsb.txt", "mysqlslap.csv", "hammerdb.log",
                             "iibench.tsv", "benchbase.json"})
        QTest::newRow(file) << QString::fromLatin1(file);
}

//! Of what another tool measured nothing is claimed that its log did not say.
void TestCompareSideBySide::tellsOfLogsWhatTheySay()
{
    QFETCH(QString, file);
    Fixture f;
    const auto imported =
        importResults(f.library.file(), {(QStringLiteral(DYNO_TEST_DATA "/import/") + file).toStdString()}, {});
    QVERIFY2(imported, imported ? "" : imported.error().text().c_str());
    f.show({QString::fromStdString(imported->session)});
    QVERIFY(!f.verdict()->chips().contains("client not the limit"));
    const QStringList said = facts(f, "setupCard");
    for (const char* name :
         {"Seed:", "Operating system:", "Target:", "Repeats:", "Each run:", "Processor:", "Memory:"}) {
        for (const QString& line : said)
            QVERIFY2(!line.startsWith(QLatin1String(name)), qPrintable(line));
    }
    QVERIFY2(said.join('\n').contains("Measured by: "), qPrintable(said.join('\n')));
    QVERIFY2(said.join('\n').contains("Imported from: "), qPrintable(said.join('\n')));
    for (const QLabel* label : f.page->findChildren<QLabel*>()) {
        QVERIFY2(!label->text().contains("all done"), qPrintable(label->text()));
        QVERIFY2(!label->text().contains("imported:"), qPrintable(label->text()));
    }
    auto* again = f.find<QPushButton>("compareAgainButton");
    QVERIFY(!again->isEnabled());
    QVERIFY2(again->toolTip().contains("Another tool"), qPrintable(again->toolTip()));
    // Nor in what is exported.
    const StoredSession session = f.library.session(QString::fromStdString(imported->session));
    const std::string report = markdownReport({session}, {}), json = sessionJson(session);
    for (const char* claim : {"Seed", "seed", "all done", "- Load:", "imported:"})
        QVERIFY2(report.find(claim) == std::string::npos, claim);
    QVERIFY(json.find("\"limited\": false") == std::string::npos);
    QVERIFY(json.find("\"warmup_s\": 0.0") == std::string::npos);
    test::keepPictures(*f.page, "compare-imported-" + file);
}

} // namespace dyno::tst_compare_side_by_side

DYNO_WIDGET_SUITE(tst_compare_side_by_side, dyno::tst_compare_side_by_side::TestCompareSideBySide)
#include "tst_compare_side_by_side.moc"
