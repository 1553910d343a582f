// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared statements of sysbench's scripts: what is sent for their parameters, what comes back, and what a script
// cannot do with them.
#include "support/suite.h"
#include "workload/lua/lua_interpreter.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <clocale>
#include <cstddef>
#include <memory>
#include <string_view>

namespace dyno::tst_lua_statement {
using namespace dyno::lua;

namespace {

constexpr const char* kConnects =
    "function thread_init() con = sysbench.sql.driver():connect() t = sysbench.sql.type\n";

//! A user of a script that prepares in thread_init(), which `text` goes on with.
struct Rig
{
    std::unique_ptr<Interpreter> interpreter;
    std::unique_ptr<ScriptUser> user;

    //! `prepared`: the session has prepared what the script prepares.
    explicit Rig(const std::string& text, bool prepared = true, std::size_t mostMemory = std::size_t(16) << 20)
    {
        const auto setupOf = [&] {
            ScriptSetup setup;
            setup.files = {{"script", kConnects + text}};
            setup.mostMemory = mostMemory;
            return setup;
        };
        auto known = std::make_shared<PreparedTexts>();
        if (prepared) {
            std::vector<PreparedText> found;
            ScriptSetup setup = setupOf();
            setup.collected = &found;
            Interpreter look(std::move(setup));
            (void)look.addUser(0, 1)->go();
            for (const PreparedText& one : found) {
                if (one.marks != one.types.size())
                    continue;
                known->numbers.emplace(one.text, int(known->types.size()));
                known->types.push_back(one.types);
            }
        }
        ScriptSetup setup = setupOf();
        setup.prepared = known;
        interpreter = std::make_unique<Interpreter>(std::move(setup));
        user = interpreter->addUser(0, 1);
    }
    [[nodiscard]] QString end()
    {
        Turn turn = user->go();
        while (turn == Turn::Statement)
            turn = user->go();
        return turn == Turn::Failed ? QString::fromStdString(user->problem()) : QString("well");
    }
};

QString textOf(const Param& param)
{
    switch (param.type) {
    case Param::Type::Null:
        return "NULL";
    case Param::Type::Integer:
        return QString::number(param.integer);
    case Param::Type::Real:
        return QString::number(param.real, 'g', 17) + "r";
    case Param::Type::Text:
        break;
    }
    return "'" + QString::fromUtf8(param.text.data(), qsizetype(param.text.size())) + "'";
}

} // namespace

class TstLuaStatement : public QObject
{
    Q_OBJECT
private slots:
    void valuesGoAsParameters_data();
    void valuesGoAsParameters();
    void refusesWhatIsWrong_data();
    void refusesWhatIsWrong();
    void tellsWhatCameBack();
    void errorsHaveTheirPlace();
    void keepsRowsOfTheAnswerBefore();
    void drawsTextsInPlace();
    void allocatesNothing();
    void forgetsAStatementThatCouldNotWait_data();
    void forgetsAStatementThatCouldNotWait();
    void limitsTextsThatItWrites();
    void collectsTextsWithoutAStatement();
    void writesNumbersInAnyLocale();
    void holdsTextsWhileItWaits();
    void compilesAFileOnce();
    void usersKeepTheirChangesToThemselves();
};

//! The same values as parameters, and written into the text where the session has prepared nothing.
void TstLuaStatement::valuesGoAsParameters_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("param");
    QTest::addColumn<QString>("literal");
    const auto row = [](const char* name, const char* type, const char* value, const char* param, const char* literal) {
        QTest::newRow(name) << QString(type) << QString(value) << QString(param) << QString(literal);
    };
    row("whole", "t.INT", "42", "42", "42");
    row("cut", "t.BIGINT", "7.9", "7", "7");
    row("below zero", "t.TINYINT", "-7.9", "-7", "-7");
    row("large", "t.BIGINT", "2^60", "1152921504606846976", "1152921504606846976");
    row("too large", "t.BIGINT", "2^70", "9223372036854775807", "1180591620717411303424");
    row("real", "t.DOUBLE", "0.1", "0.10000000000000001r", "0.10000000000000001");
    row("text", "t.CHAR", "\"it's\"", "'it's'", "'it''s'");
    row("text cut", "t.VARCHAR, 3", "'abcdef'", "'abc'", "'abc'");
    row("number as text", "t.DATE", "5", "'5'", "'5'");
    row("truth as text", "t.CHAR", "true", "'true'", "'true'");
    row("none", "t.INT", "nil", "NULL", "NULL");
    row("empty", "t.CHAR", "''", "''", "''");
}

void TstLuaStatement::valuesGoAsParameters()
{
    QFETCH(QString, type);
    QFETCH(QString, value);
    QFETCH(QString, param);
    QFETCH(QString, literal);
    const std::string text = ("s = con:prepare(\"UPDATE x SET a = ? WHERE b = '?' AND c = ?\")\n"
                              "a, b = s:bind_create(" +
                              type +
                              "), s:bind_create(t.INT)\n"
                              "s:bind_param(a, b) b:set(9) end\n"
                              "function event() a:set(" +
                              value + ") s:execute() end\n")
                                 .toStdString();
    Rig prepared(text);
    QVERIFY2(prepared.user->go() == Turn::Statement, prepared.user->problem().c_str());
    QCOMPARE(prepared.user->prepared(), 0);
    QCOMPARE(prepared.user->params().size(), std::size_t(2));
    QCOMPARE(textOf(prepared.user->params()[0]), param);
    QCOMPARE(textOf(prepared.user->params()[1]), QString("9"));
    Rig plain(text, false);
    QVERIFY2(plain.user->go() == Turn::Statement, plain.user->problem().c_str());
    QCOMPARE(plain.user->prepared(), -1);
    QCOMPARE(QString::fromStdString(plain.user->statement()),
             QString("UPDATE x SET a = %1 WHERE b = '?' AND c = 9").arg(literal));
}

void TstLuaStatement::refusesWhatIsWrong_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    QTest::addColumn<bool>("prepared");
    const auto row = [](const char* name, const char* text, const char* why, bool prepared = true) {
        QTest::newRow(name) << QString(text) << QString(why) << prepared;
    };
    row("right", "a:set(1) s:execute()", "well");
    row("number expected", "a:set('x')", "script.lua:4: a number is expected");
    row("text expected", "a:set_rand_str('#')", "script.lua:4: a parameter for text is expected");
    row("unknown type", "s:bind_create('BLOB')", "script.lua:4: unknown type of a parameter");
    row("no type", "s:bind_create(nil)", "script.lua:4: unknown type of a parameter");
    row("a parameter as statement", "s.execute(a)", "script.lua:4: a prepared statement is expected");
    row("a table as statement", "s.execute({})", "script.lua:4: a prepared statement is expected");
    row("a statement as parameter", "a.set(s, 1)", "a parameter of bind_create() is expected");
    row("a library as parameter", "a.set(debug, 1)", "a parameter of bind_create() is expected");
    row("a number as parameter", "s:bind_param(7)", "a parameter of bind_create() is expected");
    row("too few", "s:bind_param() s:execute()", "script.lua:4: the statement has another number of parameters");
    row("too many", "s:bind_param(a, a) s:execute()", "script.lua:4: the statement has another number of parameters");
    row("another type", "con:query('B') local c = s:bind_create(t.CHAR) c:set('x') s:bind_param(c) s:execute()",
        "script.lua:4: parameter 1 is of another type than the statement was prepared with");
    row("no text", "local c = s:bind_create(t.CHAR) c:set(setmetatable({}, { __tostring = function() end }))",
        "script.lua:4: a text is expected");
    row("backslash", "local c = s:bind_create(t.CHAR) c:set('\\\\') s:bind_param(c) s:execute()",
        "script.lua:4: a text with a backslash or a zero byte has to be a parameter", false);
    row("fields", "a.value = 5", "attempt to index");
    row("functions of all", "getmetatable(s).__index = nil", "attempt to index");
    row("memory",
        "local c = s:bind_create(t.CHAR) for i = 1, 64 do local p = s:bind_create(t.CHAR)\n"
        "all = { p, all } p:set_rand_str(('#'):rep(1000000)) end",
        "not enough memory: scripts of a thread with 1 users may take 16 MB");
}

void TstLuaStatement::refusesWhatIsWrong()
{
    QFETCH(QString, text);
    QFETCH(QString, why);
    QFETCH(bool, prepared);
    Rig rig(("s = con:prepare('A ?') a = s:bind_create(t.INT) s:bind_param(a) end\n"
             "function event()\n" +
             text + " end\n")
                .toStdString(),
            prepared);
    const QString end = rig.end();
    QVERIFY2(end.contains(why), qPrintable(end));
}

void TstLuaStatement::tellsWhatCameBack()
{
    Rig rig("s = con:prepare('SELECT 1') end\n"
            "function event()\n"
            "   local answer = s:execute()\n"
            "   assert(answer:fetch_row() == nil and answer.other == nil) answer:free()\n"
            "   con:query(answer.nrows .. ' ' .. answer.nfields)\n"
            "end\n");
    QCOMPARE(rig.user->go(), Turn::Statement);
    QCOMPARE(rig.user->prepared(), 0);
    QVERIFY(!rig.user->keepsRows());
    Answer answer;
    answer.rows = 7;
    QVERIFY2(rig.user->go(answer) == Turn::Statement, rig.user->problem().c_str());
    QCOMPARE(rig.user->statement(), std::string("7 0"));
    QCOMPARE(rig.user->go(), Turn::Event);
    QCOMPARE(rig.user->go(), Turn::Statement);
    answer.rows = 0;
    answer.affected = 3;
    QCOMPARE(rig.user->go(answer), Turn::Statement);
    QCOMPARE(rig.user->statement(), std::string("3 0"));
}

//! A script may catch them; one that is to be done again begins its event again.
void TstLuaStatement::errorsHaveTheirPlace()
{
    Rig rig("s = con:prepare('SELECT 1') end\n"
            "function event()\n"
            "   local well, why = pcall(s.execute, s)\n"
            "   con:query(tostring(well) .. ' ' .. tostring(why))\n"
            "   s:execute()\n"
            "end\n"
            "function sysbench.hooks.before_restart_event(e) con:query(e.query .. e.sql_errno) end\n");
    Answer failed;
    failed.code = 1064;
    failed.message = "no";
    QCOMPARE(rig.user->go(), Turn::Statement);
    QVERIFY2(rig.user->go(failed) == Turn::Statement, rig.user->problem().c_str());
    QVERIFY2(rig.user->statement().starts_with("false ") &&
                 rig.user->statement().ends_with("SQL error, errno = 1064: no"),
             rig.user->statement().c_str());
    QCOMPARE(rig.user->go(), Turn::Statement);
    failed.code = 1213;
    failed.restart = true;
    QCOMPARE(rig.user->go(failed), Turn::Restart);
    QCOMPARE(rig.user->go(), Turn::Statement);
    QCOMPARE(rig.user->statement(), std::string("SELECT 11213"));
    QCOMPARE(rig.user->go(), Turn::Statement); // the event again
    QCOMPARE(rig.user->go(), Turn::Statement);
    QVERIFY2(rig.user->statement().starts_with("true "), rig.user->statement().c_str());
    QCOMPARE(rig.user->go(), Turn::Statement);
    failed.restart = false;
    QCOMPARE(rig.user->go(failed), Turn::Failed);
    QCOMPARE(rig.user->problem(), std::string("script.lua:6: SQL error, errno = 1213: no"));
}

//! They are the session's until the next statement, whatever kind that is of.
void TstLuaStatement::keepsRowsOfTheAnswerBefore()
{
    Rig rig("s = con:prepare('SELECT 1') end\n"
            "function event()\n"
            "   local rows = con:query('SELECT 2')\n"
            "   local first = rows:fetch_row()\n"
            "   s:execute() s:execute()\n"
            "   con:query(first[1] .. rows:fetch_row()[1] .. tostring(rows:fetch_row()))\n"
            "end\n");
    KeptRows rows;
    rows.begin(Keep::All);
    for (const std::int64_t number : {11, 12}) {
        rows.beginRow();
        rows.add(Param::of(number));
    }
    QVERIFY(rig.user->go() == Turn::Statement && rig.user->keepsRows());
    Answer answer;
    answer.rows = 2;
    answer.kept = &rows;
    for (int i = 0; i < 2; ++i) {
        QVERIFY2(rig.user->go(answer) == Turn::Statement, rig.user->problem().c_str());
        QCOMPARE(rig.user->prepared(), 0);
        answer = {};
        rows.begin(Keep::All);
    }
    QVERIFY2(rig.user->go() == Turn::Statement, rig.user->problem().c_str());
    QCOMPARE(rig.user->statement(), std::string("1112nil"));
}

//! The same texts as sysbench.rand.string() gives, from the same stream of numbers.
void TstLuaStatement::drawsTextsInPlace()
{
    Rig rig("s = con:prepare('A ?') a = s:bind_create(t.CHAR) s:bind_param(a) end\n"
            "function event() a:set_rand_str('##-@@-x') s:execute() con:query(sysbench.rand.string('##-@@-x')) end\n");
    Random random(5);
    rig.user->drawFrom(random);
    QCOMPARE(rig.user->go(), Turn::Statement);
    const std::string drawn(rig.user->params().front().text);
    random = Random(5);
    QCOMPARE(rig.user->go(), Turn::Statement);
    QCOMPARE(rig.user->statement(), drawn);
    QVERIFY2(QRegularExpression("^[0-9]{2}-[a-z]{2}-x$").match(QString::fromStdString(drawn)).hasMatch(),
             drawn.c_str());
}

void TstLuaStatement::allocatesNothing()
{
    for (const bool prepared : {true, false}) {
        Rig rig("s = con:prepare('A ? ?') a, b = s:bind_create(t.INT), s:bind_create(t.CHAR, 20) s:bind_param(a, b)\n"
                "begin = con:prepare('BEGIN') end\n"
                "function event()\n"
                "   begin:execute():free()\n"
                "   a:set(sysbench.rand.default(1, 1000)) b:set_rand_str('###########')\n"
                "   local answer = s:execute() answer:fetch_row() answer:free()\n"
                "end\n",
                prepared);
        std::size_t before = 0;
        for (int event = 0; event < 1000; ++event) {
            while (rig.user->go() == Turn::Statement) {
            }
            if (event == 10)
                before = rig.interpreter->memory();
            if (event > 10)
                QCOMPARE(rig.interpreter->memory(), before);
        }
        QVERIFY(before > 0 && rig.user->betweenEvents());
    }
}

void TstLuaStatement::forgetsAStatementThatCouldNotWait_data()
{
    QTest::addColumn<QString>("call");
    QTest::newRow("sort") << "table.sort, {1, 2}, function() s:execute() end";
    QTest::newRow("gsub") << "string.gsub, 'x', 'x', function() s:execute() end";
    QTest::newRow("text of a value") << "a.set, a, setmetatable({}, { __tostring = function() s:execute() end })";
}

//! Within a call of the language's library no script can wait. What it waits for afterwards is another statement's.
void TstLuaStatement::forgetsAStatementThatCouldNotWait()
{
    QFETCH(QString, call);
    Rig rig(("function make() s = con:prepare('SELECT ?') a = s:bind_create(t.CHAR) s:bind_param(a) end make() end\n"
             "local round = 0\n"
             "function event()\n"
             "   make() round = round + 1\n"
             "   local well, why = pcall(" +
             call +
             ")\n"
             "   assert(not well and tostring(why):find('yield'), why)\n"
             "   s, a = nil, nil\n"
             "   local rest for i = 1, 20000 do rest = { i } end\n"
             "   if round % 2 == 1 then con:query('round ' .. round .. ': ' .. con:query('SELECT 1').nrows) end\n"
             "end\n")
                .toStdString());
    Answer answer;
    answer.affected = 7;
    for (const char* const told : {"round 1: 7", "round 3: 7"}) {
        QVERIFY2(rig.user->go() == Turn::Statement, rig.user->problem().c_str());
        QCOMPARE(rig.user->statement(), std::string("SELECT 1"));
        QVERIFY2(rig.user->go(answer) == Turn::Statement, rig.user->problem().c_str());
        QCOMPARE(rig.user->statement(), std::string(told));
        QVERIFY2(rig.user->go() == Turn::Event && rig.user->betweenEvents(), rig.user->problem().c_str());
        QVERIFY2(rig.user->go() == Turn::Event && rig.user->betweenEvents(),
                 rig.user->problem().c_str()); // even rounds
    }
}

//! The same text at many marks would be larger than anything that the script itself may have.
void TstLuaStatement::limitsTextsThatItWrites()
{
    const std::string text = "s = con:prepare(('?,'):rep(200)) a = s:bind_create(t.CHAR) local all = {}\n"
                             "for i = 1, 200 do all[i] = a end s:bind_param(unpack(all)) end\n"
                             "function event() a:set(('x'):rep(size)) s:execute() end\n";
    Rig large("size = 200000 " + text, false);
    QCOMPARE(large.end(), QString("not enough memory: scripts of a thread with 1 users may take 16 MB"));
    QVERIFY(large.user->statement().capacity() < std::size_t(16) << 20);
    Rig fits("size = 20000 " + text, false);
    for (int event = 0; event < 20; ++event) {
        QVERIFY2(fits.user->go() == Turn::Statement, fits.user->problem().c_str());
        QCOMPARE(fits.user->statement().size(), std::size_t(200) * (20'000 + 3));
        QVERIFY(fits.interpreter->memory() > fits.user->statement().size()); // it counts while the script waits
        QVERIFY2(fits.user->go() == Turn::Event, fits.user->problem().c_str());
    }
}

void TstLuaStatement::collectsTextsWithoutAStatement()
{
    Rig rig("s = con:prepare('A') end\n"
            "function event() local f = ('#'):rep(1e6)\n"
            "   for i = 1, 100 do local p = s:bind_create(t.CHAR) p:set_rand_str(f) end end\n");
    QVERIFY2(rig.user->go() == Turn::Event && rig.user->betweenEvents(), rig.user->problem().c_str());
}

//! The window's program takes over the person's locale, whose decimal comma would be one value more.
void TstLuaStatement::writesNumbersInAnyLocale()
{
    const QTemporaryDir folder;
    QProcess makes;
    makes.start("localedef", {"-c", "-i", "de_DE", "-f", "ISO-8859-1", folder.filePath("comma")});
    if (!makes.waitForFinished())
        QSKIP("this machine makes no locales");
    const QByteArray places = qgetenv("LOCPATH");
    qputenv("LOCPATH", folder.path().toUtf8());
    const bool changed = std::setlocale(LC_NUMERIC, "comma") != nullptr;
    const bool comma = std::string_view(std::localeconv()->decimal_point) == ",";
    const auto sent = [](const char* type, const char* value) {
        Rig rig(std::string("s = con:prepare('A ?') a = s:bind_create(t.") + type + ") s:bind_param(a) a:set(" + value +
                    ") end\nfunction event() s:execute() end\n",
                false);
        return rig.user->go() == Turn::Statement ? rig.user->statement() : rig.user->problem();
    };
    const std::string real = sent("DOUBLE", "0.5"), small = sent("FLOAT", "-1.25e-9"), whole = sent("BIGINT", "2^53");
    std::setlocale(LC_NUMERIC, "C");
    places.isNull() ? qunsetenv("LOCPATH") : qputenv("LOCPATH", places);
    if (!changed || !comma)
        QSKIP("this machine makes no locales");
    QCOMPARE(real, std::string("A 0.5"));
    QCOMPARE(small, std::string("A -1.25e-09"));
    QCOMPARE(whole, std::string("A 9007199254740992"));
}

//! Only the statement holds its parameters, and another user makes the interpreter collect meanwhile.
void TstLuaStatement::holdsTextsWhileItWaits()
{
    Rig rig("s = con:prepare('A ? ?') local a, b = s:bind_create(t.CHAR), s:bind_create(t.CHAR)\n"
            "s:bind_param(a, b) a:set(('long'):rep(1000)) b:set_rand_str('') end\n"
            "function event() if sysbench.tid == 0 then s:execute() end\n"
            "   local rest for i = 1, 100000 do rest = { ('x'):rep(i % 100) } end end\n");
    QVERIFY2(rig.user->go() == Turn::Statement, rig.user->problem().c_str());
    const auto other = rig.interpreter->addUser(1, 1);
    QVERIFY2(other->go() == Turn::Event, other->problem().c_str());
    const auto& params = rig.user->params();
    QCOMPARE(params.size(), std::size_t(2));
    QCOMPARE(textOf(params[0]), "'" + QString("long").repeated(1000) + "'");
    QCOMPARE(textOf(params[1]), QString("''"));
}

//! The second interpreter has another text of the same name, which it does not read; errors have their lines.
void TstLuaStatement::compilesAFileOnce()
{
    ScriptSetup setup;
    setup.files = {{"script", "function event()\n   error('first')\nend\n"}};
    setup.compiled = std::make_shared<CompiledFiles>();
    for (int i = 0; i < 2; ++i) {
        Interpreter interpreter(setup);
        const auto user = interpreter.addUser(0, 1);
        QCOMPARE(user->go(), Turn::Failed);
        QCOMPARE(user->problem(), std::string("script.lua:2: first"));
        QVERIFY(!setup.compiled->of("script.lua").empty());
        setup.files.front().text = "function event() error('second') end\n";
    }
}

void TstLuaStatement::usersKeepTheirChangesToThemselves()
{
    Rig rig("end\n"
            "function event()\n"
            "   if sysbench.tid == 0 then\n"
            "      string.format, math.floor, os.time, table.concat, bit.band = 1, 1, 1, 1, 1\n"
            "      sysbench.rand.default, sysbench.sql.type.INT, sysbench.cmdline.ARG_INT, print = 1, 1, 1, 1\n"
            "      io.write, pcall = 1, pcall\n"
            "      assert(not pcall(setmetatable, string, {}) and not getmetatable(string))\n"
            "      assert(not pcall(setmetatable, os, {}) and not pcall(setmetatable, sysbench.sql.type, {}))\n"
            "      assert(not pcall(rawset, getmetatable(''), '__index', 1))\n"
            "   end\n"
            "   local all = {string.format, math.floor, os.time, table.concat, bit.band, sysbench.rand.default,\n"
            "                sysbench.sql.type.INT, sysbench.cmdline.ARG_INT, print, io.write, ('').format}\n"
            "   local text = '' for i = 1, 11 do text = text .. type(all[i]) .. ' ' end\n"
            "   con:query(text)\n"
            "end\n");
    QVERIFY2(rig.user->go() == Turn::Statement, rig.user->problem().c_str());
    QCOMPARE(rig.user->statement(), std::string("number number number number number number number number number number "
                                                "function "));
    const auto other = rig.interpreter->addUser(1, 1);
    QVERIFY2(other->go() == Turn::Statement, other->problem().c_str());
    QCOMPARE(other->statement(), std::string("function function function function function function string string "
                                             "function function function "));
}

} // namespace dyno::tst_lua_statement

DYNO_SUITE(tst_lua_statement, dyno::tst_lua_statement::TstLuaStatement)
#include "tst_lua_statement.moc"
