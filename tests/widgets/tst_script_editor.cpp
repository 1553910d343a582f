// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a script, used as a person does: typing, colours, the first mistake at its place.
#include "parts/labels.h"
#include "plan/script_editor.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>

namespace dyno::tst_script_editor {
using namespace Qt::StringLiterals;

class TestScriptEditor : public QObject
{
    Q_OBJECT
private slots:
    void tellsTheFirstMistake();
    void marksTheMistakeBesideWideCharacters();
    void luaIsCheckedAsLua();
    void plainLinesHaveNoMistakes();
    void coloursWordsInBothThemes();
    void coloursBesideWideCharacters();
    void longTextsHaveNoColours();
    void showingATextIsNoEdit();
    void keepsCharactersThatNobodyEdits();
    void shiftEnterBeginsALine();
    void tabLeavesIt();
    void numbersStandBesideTheirLines();
    void aMarkLeavesTheCursor();
};

namespace {

QString mistakeOf(const ScriptEditor& editor)
{
    return editor.findChild<ElidedLabel*>(u"scriptMistake"_s)->fullText();
}

//! What is underlined.
QString underlined(const ScriptEditor& editor)
{
    for (const QTextEdit::ExtraSelection& mark : editor.extraSelections()) {
        if (mark.format.underlineStyle() == QTextCharFormat::WaveUnderline)
            return mark.cursor.selectedText();
    }
    return {};
}

//! The colour of the letter at a place of a line, from 0.
QColor colorAt(const ScriptEditor& editor, int place, int line = 0)
{
    for (const QTextLayout::FormatRange& range : editor.document()->findBlockByNumber(line).layout()->formats()) {
        if (range.start <= place && place < range.start + range.length)
            return range.format.foreground().color();
    }
    return {};
}

} // namespace

void TestScriptEditor::tellsTheFirstMistake()
{
    ScriptEditor editor;
    editor.resize(600, 200);
    editor.show();
    QSignalSpy checked(&editor, &ScriptEditor::checked);
    QTest::keyClicks(&editor, u"\\set id random(1, )"_s);
    QCOMPARE(checked.size(), 0); // not while one types
    QTRY_COMPARE(checked.size(), 1);
    QVERIFY(editor.mistake());
    QCOMPARE(editor.mistake()->line, 1);
    QVERIFY2(mistakeOf(editor).startsWith(u"Line 1, column 19: "_s), qPrintable(mistakeOf(editor)));
    QVERIFY(mistakeOf(editor).contains(u"; expected: "_s));
    QCOMPARE(underlined(editor), u")"_s);
    QTest::keyClick(&editor, Qt::Key_Left);
    QTest::keyClicks(&editor, u"9"_s);
    QTest::keyClick(&editor, Qt::Key_End);
    QTest::keyClick(&editor, Qt::Key_Return);
    QTest::keyClicks(&editor, u"SELECT :id;"_s);
    QTRY_VERIFY(!editor.mistake());
    QCOMPARE(underlined(editor), QString());
    QCOMPARE(mistakeOf(editor), u"No mistakes found"_s);
    editor.showText(u"SELECT :n;\n\\set a :n"_s);
    QVERIFY(!editor.mistake()); // nor at once when another text is shown
    QTRY_VERIFY(editor.mistake());
    editor.setDefinitions("n=5");
    QTRY_VERIFY(!editor.mistake());
}

void TestScriptEditor::marksTheMistakeBesideWideCharacters()
{
    ScriptEditor editor;
    editor.showText(u"SELECT '😀ä' \\foo"_s); // the first takes two of a text's units, and four bytes
    editor.checkNow();
    QVERIFY(editor.mistake());
    QCOMPARE(editor.mistake()->column, 13);
    QCOMPARE(underlined(editor), u"\\foo"_s);
    editor.showText(u"SELECT 1;\n\\set a 1 +"_s);
    editor.checkNow();
    QCOMPARE(underlined(editor), u"+"_s); // nothing stands where something is expected
}

//! As the interpreter compiles it, at the line of the text that holds several files.
void TestScriptEditor::luaIsCheckedAsLua()
{
    if (!findWorkload(kLuaWorkload))
        QSKIP("built without the interpreter of sysbench's scripts");
    ScriptEditor editor(ScriptLanguage::Lua);
    editor.resize(600, 200);
    editor.show();
    editor.showText(u"function event()\n  con:query('SELECT 1')\nend"_s);
    editor.checkNow();
    QVERIFY2(!editor.mistake(), qPrintable(mistakeOf(editor)));
    editor.showText(u"--@file mine\nrequire('common')\n--@file common\nlocal x = 1\nif x then = 2"_s);
    editor.checkNow();
    QVERIFY(editor.mistake());
    QCOMPARE(editor.mistake()->line, 5);
    QVERIFY2(mistakeOf(editor).startsWith(u"Line 5, column 11: "_s), qPrintable(mistakeOf(editor)));
    QVERIFY(!mistakeOf(editor).contains(u"expected: "_s));
    QCOMPARE(underlined(editor), u"="_s);

    const ThemeColors& colors = Theme::instance().colors();
    editor.showText(u"local n = 12 -- it's\ns = [[SELECT\n--x]] print(n)"_s);
    QCOMPARE(colorAt(editor, 0), colors.accent);
    QCOMPARE(colorAt(editor, 10), colors.warn);
    QCOMPARE(colorAt(editor, 15), colors.secondText);
    QCOMPARE(colorAt(editor, 5, 1), colors.good);
    QCOMPARE(colorAt(editor, 1, 2), colors.good);                                     // the bracket goes on
    QVERIFY(colorAt(editor, 7, 2).isValid() && colorAt(editor, 7, 2) != colors.good); // a function
}

void TestScriptEditor::plainLinesHaveNoMistakes()
{
    ScriptEditor editor(ScriptLanguage::Plain);
    editor.resize(600, 200);
    editor.show();
    editor.showText(u"cities.txt = /home/me/cities.txt"_s);
    editor.checkNow();
    QVERIFY(!editor.mistake());
    QVERIFY(!colorAt(editor, 0).isValid());
    QCOMPARE(editor.findChild<QLabel*>(u"scriptMistake"_s)->height(), 0);
}

void TestScriptEditor::coloursWordsInBothThemes()
{
    ScriptEditor editor;
    editor.showText(u"SELECT 'ä', :id, 5 -- x"_s);
    const Theme::Choice before = Theme::instance().choice();
    for (const Theme::Choice choice : {Theme::Choice::Light, Theme::Choice::Dark}) {
        Theme::instance().setChoice(choice);
        const ThemeColors& colors = Theme::instance().colors();
        QTRY_COMPARE(colorAt(editor, 0), colors.accent);
        QCOMPARE(colorAt(editor, 8), colors.good);
        QCOMPARE(colorAt(editor, 12), colors.series[4]);
        QCOMPARE(colorAt(editor, 17), colors.warn);
        QCOMPARE(colorAt(editor, 20), colors.secondText);
        QCOMPARE(colorAt(editor, 10), QColor());
    }
    Theme::instance().setChoice(before);
}

void TestScriptEditor::coloursBesideWideCharacters()
{
    ScriptEditor editor;
    editor.showText(u"SELECT '😀ä', :id"_s);
    const ThemeColors& colors = Theme::instance().colors();
    QTRY_COMPARE(colorAt(editor, 14), colors.series[4]);
    QCOMPARE(colorAt(editor, 11), colors.good);
    QCOMPARE(colorAt(editor, 12), QColor());
}

void TestScriptEditor::longTextsHaveNoColours()
{
    ScriptEditor editor;
    const ThemeColors& colors = Theme::instance().colors();
    editor.showText(u"/* "_s + u"ä 1 "_s.repeated(3000) + u"\nSELECT */ SELECT 1"_s);
    QTRY_COMPARE(colorAt(editor, 10, 1), colors.accent);
    QCOMPARE(colorAt(editor, 0, 1), colors.secondText); // the comment goes on
    QVERIFY(editor.document()->firstBlock().layout()->formats().isEmpty());
    editor.showText(u"SELECT 1;\n"_s + QString(1 << 20, u' '));
    QTest::qWait(1);
    QCOMPARE(colorAt(editor, 0), QColor());
    QTextCursor cursor(editor.document()->lastBlock());
    cursor.select(QTextCursor::BlockUnderCursor);
    cursor.removeSelectedText();
    QTRY_COMPARE(colorAt(editor, 0), colors.accent);
}

void TestScriptEditor::showingATextIsNoEdit()
{
    ScriptEditor editor;
    editor.show();
    QSignalSpy edited(&editor, &ScriptEditor::edited);
    editor.showText(u"SELECT 1;\r\nSELECT 2;"_s);
    QTest::qWait(1); // the colours come with the event loop
    QCOMPARE(edited.size(), 0);
    QTest::keyClicks(&editor, u"x"_s);
    QCOMPARE(edited.size(), 1);
    QCOMPARE(edited.first().first().toString(), u"xSELECT 1;\r\nSELECT 2;"_s);
}

//! A no-break space in a literal stays one, and a line end what it was.
void TestScriptEditor::keepsCharactersThatNobodyEdits()
{
    ScriptEditor editor;
    editor.show();
    QSignalSpy edited(&editor, &ScriptEditor::edited);
    const QString given = u"SELECT '\u00a0|\u2028|';\r\nSELECT 2;\rSELECT 3;\nSELECT 4;\r\n"_s;
    editor.showText(given);
    QTest::qWait(1); // the colours come with the event loop
    QCOMPARE(editor.text(), given);
    QTest::keyClick(&editor, Qt::Key_Return);
    QCOMPARE(edited.back().front().toString(), u"\r\n"_s + given);
    QTest::keyClick(&editor, Qt::Key_Backspace);
    QCOMPARE(edited.back().front().toString(), given);
    editor.moveCursor(QTextCursor::End);
    QTest::keyClicks(&editor, u"x"_s);
    QCOMPARE(edited.back().front().toString(), given + u'x');
    const int cursor = editor.textCursor().position();
    editor.showText(given + u'x'); // as the plan has it
    QCOMPARE(editor.textCursor().position(), cursor);
    QVERIFY(editor.document()->isUndoAvailable());
    editor.selectAll();
    QTest::keyClicks(&editor, u"y"_s);
    QCOMPARE(edited.back().front().toString(), u"y"_s);
}

void TestScriptEditor::shiftEnterBeginsALine()
{
    ScriptEditor editor;
    editor.show();
    QTest::keyClicks(&editor, u"a"_s);
    QTest::keyClick(&editor, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(&editor, u"b"_s);
    QCOMPARE(editor.text(), u"a\nb"_s);
}

void TestScriptEditor::tabLeavesIt()
{
    QWidget window;
    auto* editor = new ScriptEditor(ScriptLanguage::Script, &window);
    auto* next = new QPushButton(u"next"_s, &window);
    window.show();
    editor->setFocus();
    QTRY_VERIFY(editor->hasFocus());
    QTest::keyClick(editor, Qt::Key_Tab);
    QTRY_VERIFY(next->hasFocus());
    QVERIFY(editor->document()->isEmpty());
}

void TestScriptEditor::numbersStandBesideTheirLines()
{
    ScriptEditor editor;
    editor.resize(400, 160);
    QString text;
    for (int i = 1; i <= 120; ++i)
        text += u"SELECT %1;\n"_s.arg(i);
    editor.showText(text);
    editor.show();
    const int narrow = editor.viewport()->x();
    editor.showText(u"SELECT 1;"_s);
    QVERIFY(editor.viewport()->x() < narrow); // room for as many digits as there are
    editor.showText(text);
    editor.goToLine(100);
    QCOMPARE(editor.textCursor().blockNumber(), 99);
    QVERIFY(editor.viewport()->rect().contains(editor.cursorRect()));
}

void TestScriptEditor::aMarkLeavesTheCursor()
{
    ScriptEditor editor;
    editor.resize(400, 160);
    editor.showText(u"SELECT 1;\n"_s.repeated(120));
    editor.show();
    editor.setMarkedLine(100);
    QCOMPARE(editor.textCursor().blockNumber(), 0);
    const int top = editor.cursorForPosition(QPoint(2, 2)).blockNumber();
    QVERIFY2(top > 90 && top < 100, qPrintable(QString::number(top)));
    editor.setMarkedLine(101); // in view already
    QCOMPARE(editor.cursorForPosition(QPoint(2, 2)).blockNumber(), top);
}

} // namespace dyno::tst_script_editor

DYNO_WIDGET_SUITE(tst_script_editor, dyno::tst_script_editor::TestScriptEditor)
#include "tst_script_editor.moc"
