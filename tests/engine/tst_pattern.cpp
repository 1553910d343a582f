// SPDX-License-Identifier: GPL-3.0-or-later
// Names with * in them.
#include "base/pattern.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_pattern {

class TestPattern : public QObject
{
    Q_OBJECT

private slots:
    void fits_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char* text, const char* pattern, bool fits) {
            QTest::addRow("%s ~ %s", text, pattern) << text << pattern << fits;
        };
        row("Key_reads", "key_READS", true);
        row("Key_reads", "key_read", false);
        row("Key_read", "key_reads", false);
        row("", "", true);
        row("", "*", true);
        row("a", "", false);
        row("Com_insert", "com_*", true);
        row("Com_", "com_*", true);
        row("xCom_insert", "com_*", false);
        row("Innodb_row_lock_time_avg", "*_avg", true);
        row("a_avg_avg", "*_avg", true);
        row("a_avg_b", "*_avg", false);
        row("Innodb_data_pending_reads", "Innodb_*_pending_*", true);
        row("abcbcd", "a*bcd", true); // the first place where it could end is not the right one
        row("abcbce", "a*bcd", false);
        row("ab", "a**b", true);
        row("a*b", "a*b", true);
    }
    void fits()
    {
        QFETCH(QString, text);
        QFETCH(QString, pattern);
        QTEST(fitsPattern(text.toStdString(), pattern.toStdString()), "fits");
    }

    //! Stars cost steps, not their product: of a plan from a stranger.
    void manyStars() { QVERIFY(!fitsPattern(std::string(200, 'a'), std::string(100, '*') + "a*a*a*a*a*a*a*a*b")); }
};

} // namespace dyno::tst_pattern

DYNO_SUITE(tst_pattern, dyno::tst_pattern::TestPattern)
#include "tst_pattern.moc"
