// SPDX-License-Identifier: GPL-3.0-or-later
// What the window asks about a script's text: kinds of words, sections, mistakes at their place.
#include "support/suite.h"

#include <dyno/script_language.h>
#include <dyno/script_text.h>

#include <QTest>

namespace dyno::tst_script_text {

namespace {

//! "command \set, variable id, number 5": the tokens of one line.
QString tokensOf(std::string_view line, int& state, ScriptLanguage language = ScriptLanguage::Script)
{
    static const QStringList kinds{"command",  "section", "variable", "keyword",
                                   "function", "string",  "comment",  "number"};
    const ScriptLine read = lineIn(language, line, state);
    state = read.state;
    QStringList texts;
    for (const ScriptToken& token : read.tokens)
        texts << kinds.at(int(token.kind)) + ' ' +
                     QString::fromUtf8(line.substr(token.begin, token.length).data(), qsizetype(token.length));
    return texts.join(", ");
}

int nothingOpen()
{
    return scriptLine("").state;
}

} // namespace

class TestScriptText : public QObject
{
    Q_OBJECT
private slots:
    void kindsOfWords_data();
    void kindsOfWords();
    void whatGoesOnInTheNextLine();
    void wordsOfLua();
    void mistakesOfLua();
    void aHeadIsNoScript();
    void sections();
    void onlyOneSection();
    void mistakes();
    void whatARollbackTakesBack_data();
    void whatARollbackTakesBack();
};

void TestScriptText::kindsOfWords_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("tokens");
    const auto row = [](const char* name, const char* line, const char* tokens) {
        QTest::newRow(name) << QString(line) << QString(tokens);
    };
    row("set", "\\set id random(1, :n)", "command \\set, variable id, function random, number 1, variable :n");
    row("transaction", "\\transaction new-order 45", "command \\transaction, section new-order, number 45");
    row("statement", "SELECT b FROM t WHERE id = :id; -- one",
        "keyword SELECT, keyword FROM, keyword WHERE, variable :id, comment -- one");
    row("gset behind a statement", "SELECT 1 AS n \\gset p_",
        "keyword SELECT, number 1, keyword AS, command \\gset, variable p_");
    row("texts", "VALUES ('a '' :b', E'\\'c', \"d 1\")", "keyword VALUES, string 'a ', string ' :b', string '\\'c'");
    row("a cast is no variable", "SELECT :a::int", "keyword SELECT, variable :a, keyword int");
    row("columns are no function", "INSERT INTO t (id) VALUES (now())",
        "keyword INSERT, keyword INTO, keyword VALUES, function now");
    row("a name with a digit", "SELECT t1.c2", "keyword SELECT");
    row("joined statements", "SELECT 1\\; SELECT 2;", "keyword SELECT, number 1, keyword SELECT, number 2");
    row("a marked text", "SELECT $q$ it's $q$ AS x", "keyword SELECT, string $q$ it's $q$, keyword AS");
    row("other letters", "SELECT 'ä', 5", "keyword SELECT, string 'ä', number 5");
}

void TestScriptText::kindsOfWords()
{
    QFETCH(QString, line);
    QFETCH(QString, tokens);
    int state = 0;
    QCOMPARE(tokensOf(line.toStdString(), state), tokens);
    QCOMPARE(state, nothingOpen());
}

void TestScriptText::whatGoesOnInTheNextLine()
{
    int state = 0;
    QCOMPARE(tokensOf("SELECT /* one /* two", state), QString("keyword SELECT, comment /* one /* two"));
    QCOMPARE(tokensOf("*/ SELECT", state), QString("comment */ SELECT")); // comments stand within each other
    QCOMPARE(tokensOf("*/ 5, 'from", state), QString("comment */, number 5, string 'from"));
    QCOMPARE(tokensOf("select', $a$", state), QString("string select', string $a$"));
    QCOMPARE(tokensOf("$b$ 1", state), QString("string $b$ 1"));
    QCOMPARE(tokensOf("$a$ 1;", state), QString("string $a$, number 1"));
    QCOMPARE(state, nothingOpen());
    QCOMPARE(tokensOf("\\set x 1 + \\", state), QString("command \\set, variable x, number 1"));
    QCOMPARE(tokensOf("  :y", state), QString("variable :y"));
    QCOMPARE(state, nothingOpen());
}

//! The lines between two fences are TOML; what looks like a script's word there is none.
void TestScriptText::aHeadIsNoScript()
{
    int state = 0;
    QCOMPARE(tokensOf("+++", state), QString());
    QCOMPARE(tokensOf("rows = 5 # don't", state), QString("keyword rows, number 5, comment # don't"));
    QCOMPARE(tokensOf("name = \"select\"", state), QString("keyword name, string \"select\""));
    QCOMPARE(tokensOf("+++", state), QString());
    QCOMPARE(state, nothingOpen());
    QCOMPARE(tokensOf("SELECT 1;", state), QString("keyword SELECT, number 1"));
    QCOMPARE(scriptSections("+++\n# don't\n+++\n\\transaction t\nSELECT 1;").size(), std::size_t(1));
}

void TestScriptText::sections()
{
    const auto found = scriptSections("\\transaction read 9\nSELECT '\n\\transaction no\n';\n\n"
                                      "\\transaction write\nUPDATE t SET a = 1; \\transaction x 3");
    QCOMPARE(found.size(), std::size_t(3));
    QCOMPARE(found[0].name, std::string("read"));
    QCOMPARE(found[0].weight, std::int64_t(9));
    QCOMPARE(found[0].line, 1);
    QCOMPARE(found[1].name, std::string("write"));
    QCOMPARE(found[1].weight, std::int64_t(1));
    QCOMPARE(found[1].line, 6);
    QCOMPARE(found[2].line, 7);
    QVERIFY(scriptSections("SELECT 1;").empty());
    QCOMPARE(scriptSections("\\transaction a 0\nSELECT :x;\n").size(), std::size_t(1)); // not complete yet
    QCOMPARE(scriptSections("\\transaction a 1\nSELECT 1\n+++\n2;\n\\transaction b 5\n\\foo").size(), std::size_t(2));
}

void TestScriptText::onlyOneSection()
{
    QCOMPARE(withOnlySection("\\transaction read 9\nSELECT 1;\n\\transaction write\nSELECT 2;\n", "write"),
             std::string("\\transaction read 0\nSELECT 1;\n\\transaction write 1\nSELECT 2;\n"));
    QCOMPARE(withOnlySection("SELECT 1;", ""), std::string("SELECT 1;"));
    // As the parser reads it: a line +++ in a statement, and a weight in the next line
    QCOMPARE(withOnlySection("\\transaction a 1\nSELECT 1\n+++\n2;\n\\transaction b \\\n 5\nSELECT 2;\n", "a"),
             std::string("\\transaction a 1\nSELECT 1\n+++\n2;\n\\transaction b 0\nSELECT 2;\n"));
    QCOMPARE(withWeight("\\transaction read 9\nSELECT 1;\n\\transaction write\nSELECT 2;\n", "write", 45),
             std::string("\\transaction read 9\nSELECT 1;\n\\transaction write 45\nSELECT 2;\n"));
    QCOMPARE(withWeight("SELECT 1;", "read", 2), std::string("SELECT 1;"));
}

void TestScriptText::mistakes()
{
    QVERIFY(!scriptMistake(""));
    QVERIFY(!scriptMistake("SELECT :n;", "n=1"));
    const auto end = scriptMistake("SELECT 1;\n\\set a 1 +\n");
    QVERIFY(end);
    QCOMPARE(end->line, 2);
    QCOMPARE(end->column, 11);
    QVERIFY(!end->what.empty() && !end->expected.empty());
    const auto letters = scriptMistake("SELECT 'äöü' \\foo");
    QVERIFY(letters);
    QCOMPARE(letters->column, 14); // characters, not bytes
    const auto definition = scriptMistake("SELECT 1;", "5=1");
    QVERIFY(definition);
    QCOMPARE(definition->line, 0);
}

void TestScriptText::whatARollbackTakesBack_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<bool>("changes");
    QTest::addColumn<bool>("undone");
    const auto row = [](const char* statement, bool changes, bool undone) {
        QTest::newRow(QString(statement).simplified().toUtf8().constData()) << QString(statement) << changes << undone;
    };
    row("SELECT 1", false, true);
    row("BEGIN", false, true); // never sent as it stands
    row("COMMIT", false, true);
    row("(SELECT 1) UNION (SELECT 2)", false, true);
    row("/* why */ UPDATE t SET a = 1", true, true);
    row("-- why\nDELETE FROM t", true, true);
    row("/* a\nb */\nINSERT INTO t VALUES (1)", true, true);
    row("CREATE TABLE u (id INT)", true, false);
    row("/* DELETE\n*/ TRUNCATE t", true, false);
    row("COMMIT AND CHAIN", true, false);
    row("SELECT 1\\; COMMIT", true, false);
    row("SELECT 1\\; SELECT 2", false, true);
    row("SET GLOBAL x = 1", true, false);
    row(":stmt", true, false);
    row(":ends", true, false); // see definitions
    row("SELECT 1 :more", true, false);
    row("SELECT :n", false, true);
    row("# note\nCREATE INDEX i ON t (a)", true, false);
    row("/*!50000 CREATE TABLE u AS */ SELECT 1", true, false);
    row("SELECT 1 /*M! FOR UPDATE */", true, false);
    row("SELECT 1 /* a /* b */; COMMIT */", true, false);
    row("SELECT 1 --1\\; COMMIT", true, false);
    row("SELECT 1 --one\nFROM t", false, true);
    row("SELECT 'a\\'' \\; COMMIT --'", true, false);
    row("SELECT $a$'$a$", true, false);
    row("SELECT a INTO OUTFILE '/f' FROM t", true, false);
    row("SELECT setval('s', 1)", true, false);
    row("SELECT 'outfile'", false, true);
    row("WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a", true, true);
    row("EXPLAIN ANALYZE DELETE FROM t", true, true);
    row("EXPLAIN ANALYZE CREATE TABLE u AS SELECT 1", true, false);
    row("EXPLAIN DELETE FROM t", false, true);
    row("ROLLBACK TO SAVEPOINT s", false, true);
    row("ROLLBACK AND CHAIN", true, false);
    row("SET LOCAL work_mem = '8MB'", false, true);
    row("SET LOCAL a = 1, GLOBAL b = 2", true, false);
    row("FETCH 5 FROM c", false, true);
    row("LOCK TABLE t IN SHARE MODE", false, true);
    row("LOCK TABLES t READ", true, false);
}

void TestScriptText::whatARollbackTakesBack()
{
    QFETCH(QString, statement);
    const auto found = scriptStatements("\\transaction t\n" + statement.toStdString() + ";\n",
                                        "n=1\nends=COMMIT\nmore=INTO DUMPFILE 'f'");
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found.front().section, std::string("t"));
    QTEST(found.front().changes, "changes");
    QTEST(found.front().undone, "undone");
}

void TestScriptText::mistakesOfLua()
{
    const auto placeOf = [](const char* text) {
        const auto mistake = mistakeIn(ScriptLanguage::Lua, text);
        return mistake ? QString("%1:%2 ").arg(mistake->line).arg(mistake->column) + mistake->what.c_str() : QString();
    };
    if (placeOf("x =").isEmpty())
        QSKIP("built without the interpreter of sysbench's scripts");
    QCOMPARE(placeOf("x = 1\nlocal ä = 'ü' 7\n").left(4), QString("2:15"));
    QCOMPARE(placeOf("--@file a\nx = 1\n--@file b\ny = 1\nz = = 2\n").left(3), QString("5:0")); // twice in its line
    QCOMPARE(placeOf("function event()\n").left(3), QString("2:0"));                            // at the end
    QVERIFY(placeOf("x = 1\n").isEmpty());
}

void TestScriptText::wordsOfLua()
{
    int state = 0;
    const auto tokens = [&state](std::string_view line) { return tokensOf(line, state, ScriptLanguage::Lua); };
    QCOMPARE(tokens("--@file common"), QString("section --@file common"));
    QCOMPARE(tokens("local s = 'it\\'s' .. f (0x1F, 1.5) -- end"),
             QString("keyword local, string 'it\\'s', function f, number 0x1F, number 1.5, comment -- end"));
    QCOMPARE(tokens("a = 1..2"), QString("number 1, number 2"));
    QCOMPARE(tokens("--[==[ x ]] y"), QString("comment --[==[ x ]] y"));
    QVERIFY(state != 0);
    QCOMPARE(tokens("z ]==] return [[q"), QString("comment z ]==], keyword return, string [[q"));
    QCOMPARE(tokens("]] end"), QString("string ]], keyword end"));
    QCOMPARE(state, 0);
    QCOMPARE(tokens("'open"), QString("string 'open"));
    QCOMPARE(state, 0);
    QCOMPARE(lineIn(ScriptLanguage::Plain, "local 1").tokens.size(), std::size_t(0));
}

} // namespace dyno::tst_script_text

DYNO_SUITE(tst_script_text, dyno::tst_script_text::TestScriptText)
#include "tst_script_text.moc"
