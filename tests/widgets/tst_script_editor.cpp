// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a script, used as a person does: typing, colours, the first mistake at its place.
#include "parts/labels.h"
#include "plan/script_editor.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

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
    void coloursWordsInBothThemes();
    void showingATextIsNoEdit();
    void tabLeavesIt();
    void numbersStandBesideTheirLines();
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

//! The colour of the letter at a place of the first line.
QColor colorAt(const ScriptEditor& editor, int place)
{
    for (const QTextLayout::FormatRange& range : editor.document()->firstBlock().layout()->formats()) {
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
    QVERIFY(editor.mistake());
    editor.setDefinitions("n=5");
    QTRY_VERIFY(!editor.mistake());
}

void TestScriptEditor::marksTheMistakeBesideWideCharacters()
{
    ScriptEditor editor;
    editor.showText(u"SELECT '😀ä' \\foo"_s); // the first takes two of a text's units, and four bytes
    QVERIFY(editor.mistake());
    QCOMPARE(editor.mistake()->column, 13);
    QCOMPARE(underlined(editor), u"\\foo"_s);
    editor.showText(u"SELECT 1;\n\\set a 1 +"_s);
    QCOMPARE(underlined(editor), u"+"_s); // nothing stands where something is expected
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
    QCOMPARE(edited.first().first().toString(), u"xSELECT 1;\nSELECT 2;"_s);
}

void TestScriptEditor::tabLeavesIt()
{
    QWidget window;
    auto* editor = new ScriptEditor(&window);
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
    editor.setMarkedLine(100);
    QCOMPARE(editor.textCursor().blockNumber(), 99);
    QVERIFY(editor.viewport()->rect().contains(editor.cursorRect()));
}

} // namespace dyno::tst_script_editor

DYNO_WIDGET_SUITE(tst_script_editor, dyno::tst_script_editor::TestScriptEditor)
#include "tst_script_editor.moc"
