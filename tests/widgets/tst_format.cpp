// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "support/suite.h"

#include <QLocale>
#include <QTest>

namespace dyno::tst_format {

class TestFormat : public QObject
{
    Q_OBJECT
    //! Thin separators as plain spaces, so that the expected texts can be read.
    static QString plain(QString text) { return text.replace(QChar(0x202F), u' ').replace(QChar(0x00A0), u' '); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void counts()
    {
        QCOMPARE(plain(format::count(0)), QStringLiteral("0"));
        QCOMPARE(plain(format::count(999)), QStringLiteral("999"));
        QCOMPARE(plain(format::count(1234)), QStringLiteral("1 234"));
        QCOMPARE(plain(format::count(1234567)), QStringLiteral("1 234 567"));
        QCOMPARE(plain(format::count(-12345)), QStringLiteral("−12 345"));
    }
    void rates_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("thousands") << 3087.2 << "3 087";
        QTest::newRow("hundreds") << 99.96 << "100";
        QTest::newRow("tens") << 12.34 << "12.3";
        QTest::newRow("whole tens") << 16.0 << "16";
        QTest::newRow("units") << 4.567 << "4.57";
        QTest::newRow("below one") << 0.52 << "0.52";
        QTest::newRow("slow") << 0.0042 << "0.0042";
        QTest::newRow("nothing") << qQNaN() << "–";
    }
    void rates()
    {
        QFETCH(double, value);
        QTEST(plain(format::rate(value)), "text");
    }
    //! The unit follows from the size; three digits in each.
    void timesInTheirUnit_data()
    {
        QTest::addColumn<double>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("micro") << 0.00979 << "9.79 µs";
        QTest::newRow("tens") << 12.345 << "12.3 ms";
        QTest::newRow("three figures") << 0.07 << "70.0 µs";
        QTest::newRow("just below one") << 0.996 << "996 µs"; // once both were 1.0
        QTest::newRow("just above one") << 1.049 << "1.05 ms";
        QTest::newRow("seconds") << 1200.0 << "1.20 s";
        QTest::newRow("milli") << 4.94 << "4.94 ms";
        QTest::newRow("nano") << 0.00042 << "420 ns";
        QTest::newRow("rounded up to the next unit") << 999.6 << "1.00 s";
        QTest::newRow("and below it") << 999.4 << "999 ms";
        QTest::newRow("micro rounded up") << 0.99951 << "1.00 ms";
        QTest::newRow("long") << 604800000.0 << "604 800 s";
        QTest::newRow("negative") << -0.0123 << "−12.3 µs";
        QTest::newRow("zero") << 0.0 << "0 ms";
        QTest::newRow("nothing") << qQNaN() << "–";
    }
    void timesInTheirUnit()
    {
        QFETCH(double, ms);
        QTEST(plain(format::time(ms)), "text");
    }
    void sizes()
    {
        QCOMPARE(plain(format::bytes(0)), QStringLiteral("0 B"));
        QCOMPARE(plain(format::bytes(1023)), QStringLiteral("1 023 B"));
        QCOMPARE(plain(format::bytes(1024)), QStringLiteral("1 KiB"));
        QCOMPARE(plain(format::bytes(2.1 * 1024 * 1024 * 1024)), QStringLiteral("2.1 GiB"));
        QCOMPARE(plain(format::bytes(1023.7 * 1024)), QStringLiteral("1 MiB"));
    }
    void shares()
    {
        QCOMPARE(plain(format::percent(0.06)), QStringLiteral("6 %"));
        QCOMPARE(plain(format::percent(1.34)), QStringLiteral("134 %"));
        QCOMPARE(plain(format::percent(0.004)), QStringLiteral("0.4 %"));
        QCOMPARE(plain(format::percent(-0.74)), QStringLiteral("−74 %"));
        QCOMPARE(format::ratio(1.44), QStringLiteral("1.44×"));
        QCOMPARE(format::ratio(0.256), QStringLiteral("0.26×"));
        QCOMPARE(format::ratio(0.004), QStringLiteral("0.0040×")); // once 0.00
        QCOMPARE(format::ratio(0.053), QStringLiteral("0.053×"));
        QCOMPARE(format::ratio(0.054), QStringLiteral("0.054×")); // once both were 0.05
        QCOMPARE(format::ratio(12.34), QStringLiteral("12.3×"));
        QCOMPARE(format::ratio(123.4), QStringLiteral("123×"));
        QCOMPARE(format::ratio(98765.4), QStringLiteral("98\u202f800×")); // three digits say all
    }
    void times()
    {
        QCOMPARE(plain(format::duration(45)), QStringLiteral("45 s"));
        QCOMPARE(plain(format::duration(0.5)), QStringLiteral("0.5 s"));
        QCOMPARE(plain(format::duration(660)), QStringLiteral("11 min"));
        QCOMPARE(plain(format::duration(4800)), QStringLiteral("1 h 20 min"));
        QCOMPARE(plain(format::duration(7200)), QStringLiteral("2 h"));
        QCOMPARE(format::clock(150), QStringLiteral("02:30"));
        QCOMPARE(format::clock(-4), QStringLiteral("−00:04"));
        QCOMPARE(format::clock(-0.2), QStringLiteral("00:00"));
        QCOMPARE(format::clock(3725), QStringLiteral("1:02:05"));
    }
    void days()
    {
        const QDateTime now = QDateTime::currentDateTime();
        QCOMPARE(format::when(now.toMSecsSinceEpoch()),
                 QStringLiteral("today ") + now.toString(QStringLiteral("HH:mm")));
        const QDateTime before = now.addDays(-1);
        QCOMPARE(format::when(before.toMSecsSinceEpoch()),
                 QStringLiteral("yesterday ") + before.toString(QStringLiteral("HH:mm")));
        const QDateTime old(QDate(2024, 11, 20), QTime(15, 12));
        QCOMPARE(format::when(old.toMSecsSinceEpoch()), QStringLiteral("20 Nov 2024, 15:12"));
        QCOMPARE(format::when(0), QStringLiteral("–"));
    }
    void localeDecidesThePoint()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(format::time(4.9), QStringLiteral("4,90\u00a0ms"));
        QCOMPARE(format::time(12500000), QStringLiteral("12\u202f500\u00a0s"));
        QCOMPARE(format::ratio(0.053), QStringLiteral("0,053×"));
        QLocale::setDefault(QLocale(QLocale::English));
    }
};

} // namespace dyno::tst_format

DYNO_SUITE(tst_format, dyno::tst_format::TestFormat)
#include "tst_format.moc"
