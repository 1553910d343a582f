// SPDX-License-Identifier: GPL-3.0-or-later
// Paths in sentences: not broken behind a slash, copied as they are.
#include "parts/path_text.h"
#include "support/suite.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QTest>
#include <QTextLayout>

namespace dyno::tst_path_text {

using namespace Qt::StringLiterals;

class TestPathText : public QObject
{
    Q_OBJECT

private slots:
    void pathsAreFound_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("whole"); // "|" is a word joiner
        QTest::newRow("at the end") << u"80 GiB free in /tmp"_s << u"80 GiB free in /|tmp"_s;
        QTest::newRow("deeper") << u"in ~/data/one, 2 GiB"_s << u"in ~/|data/|one, 2 GiB"_s;
        QTest::newRow("in quotes") << u"“/var/lib” is full"_s << u"“/|var/|lib” is full"_s;
        QTest::newRow("no path") << u"reads/s and 1/2 of it"_s << u"reads/s and 1/2 of it"_s;
        QTest::newRow("root") << u"free in / now"_s << u"free in / now"_s;
        QTest::newRow("longer than a line") << u"in /home/somebody/with/a/very/long/path/to/data"_s
                                            << u"in /|home/somebody/with/a/very/long/path/to/data"_s;
    }
    void pathsAreFound()
    {
        QFETCH(QString, text);
        QFETCH(QString, whole);
        QCOMPARE(withWholePaths(text), whole.replace(u'|', QChar(0x2060)));
    }
    void linesBreakBeforeThem()
    {
        const QString text = u"80 GiB of disk are free in /temporary"_s;
        PathText label(text, TextRole::Body);
        QCOMPARE(label.accessibleName(), text);
        const QFontMetrics metrics = label.fontMetrics();
        // Room for the slash, not for the name.
        const int width = metrics.horizontalAdvance(u"80 GiB of disk are free in /temp"_s);
        QTextLayout layout(label.text(), label.font());
        layout.beginLayout();
        QTextLine line = layout.createLine();
        line.setLineWidth(width);
        layout.endLayout();
        QCOMPARE(label.text().left(line.textLength()), u"80 GiB of disk are free in "_s);
    }
    void whatIsCopiedHasNoJoiners()
    {
        PathText label(u"80 GiB free in /tmp/data"_s, TextRole::Body);
        label.resize(400, 40);
        label.show();
        label.setSelection(15, int(label.text().size()) - 15);
        QGuiApplication::clipboard()->clear();
        label.setFocus();
        QTest::keyClick(&label, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"/tmp/data"_s);
        QContextMenuEvent wanted(QContextMenuEvent::Mouse, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(&label, &wanted);
        auto* menu = label.findChild<QMenu*>(u"pathTextMenu"_s);
        QVERIFY(menu);
        menu->actions().back()->trigger(); // all of it
        menu->actions().front()->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"80 GiB free in /tmp/data"_s);
    }
};

} // namespace dyno::tst_path_text

DYNO_WIDGET_SUITE(tst_path_text, dyno::tst_path_text::TestPathText)
#include "tst_path_text.moc"
