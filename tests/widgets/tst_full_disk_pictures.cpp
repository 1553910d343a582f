// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures and their data onto a disk that is full, or may only be read: refused with what to do, nothing half is left,
// and an older file stays.
#include "plots/export.h"
#include "plots/plot_card.h"
#include "support/small_disk.h"

#include <QTest>

namespace dyno::tst_full_disk_pictures {

namespace {
std::string g_forbidden; //!< why nothing can be mounted here
}

class TestFullDiskPictures : public QObject
{
    Q_OBJECT

    static void fill(PlotCard& card)
    {
        card.addSeries(QStringLiteral("tps"), {.color = 0});
        for (int i = 0; i <= 2000; ++i)
            card.graph(0).addData(i, 100 + i / 20);
        card.setXRange(0, 2000);
    }
    static void refused(const Expected<void>& done, const QString& file)
    {
        QVERIFY(!done);
        QCOMPARE(done.error().kind, ErrorKind::Storage);
        QCOMPARE(QString::fromStdString(done.error().where), file);
        QVERIFY(!done.error().remedy.empty());
    }

private slots:
    void initTestCase()
    {
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        Theme::instance().apply(*qApp);
    }

    void kinds_data()
    {
        QTest::addColumn<QString>("suffix");
        for (const char* suffix : {"png", "svg", "pdf", "csv"})
            QTest::newRow(suffix) << QString(suffix);
    }
    void kinds()
    {
        QFETCH(QString, suffix);
        test::SmallDisk disk(16 << 20);
        QVERIFY(disk.isMounted());
        PlotCard card(QStringLiteral("Throughput"), QStringLiteral("x"));
        fill(card);
        card.resize(500, 300);
        ExportOptions options;
        options.size = {800, 450};
        options.scale = 1;
        const QString file = QString::fromStdString(disk.file(("plot." + suffix.toStdString()).c_str()).string());
        disk.leave(0);
        refused(exportPlot(card, options, file), file);
        QVERIFY(disk.content().empty());
        disk.makeRoom();
        QVERIFY(exportPlot(card, options, file));
        const auto good = disk.content();
        QCOMPARE(good.size(), std::size_t(1));
        QVERIFY(!good.begin()->second.isEmpty());
        disk.leave(0);
        refused(exportPlot(card, options, file), file);
        QVERIFY(disk.content() == good);
        disk.makeRoom();
        QVERIFY(disk.makeReadOnly());
        refused(exportPlot(card, options, file), file);
        QVERIFY(disk.content() == good);
    }
};

} // namespace dyno::tst_full_disk_pictures

int tst_full_disk_pictures(int argc, char** argv)
{
    using namespace dyno::tst_full_disk_pictures;
    g_forbidden = dyno::test::mayMount();
    QApplication app(argc, argv);
    TestFullDiskPictures test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_full_disk_pictures.moc"
