// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts of sysbench: what those of the installed package send, what no script reaches, and how bad ones end.
#include "support/suite.h"
#include "workload/lua/lua_interpreter.h"

#include <QFile>
#include <QTest>

#include <memory>
#include <set>
#include <tuple>

namespace dyno::tst_lua_interpreter {
using namespace dyno::lua;

namespace {

std::vector<ScriptFile> filesOf(const char* text)
{
    return {{"script", text}};
}

std::string installed(const std::string& name)
{
    QFile file(QString::fromStdString("/usr/share/sysbench/" + name + ".lua"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

//! The verbs of one event, one letter each.
QString eventOf(ScriptUser& user)
{
    QString letters;
    for (;;) {
        const Turn turn = user.go();
        if (turn == Turn::Event)
            return letters;
        if (turn == Turn::Failed)
            return "failed: " + QString::fromStdString(user.problem());
        letters += QString::fromStdString(user.statement()).trimmed().front();
    }
}

//! Why a script comes to its end.
QString endOf(const char* text)
{
    ScriptSetup setup;
    setup.files = filesOf(text);
    setup.mostMemory = std::size_t(16) << 20;
    setup.mostInstructions = 1'000'000;
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    const Turn turn = user->go();
    return turn == Turn::Failed ? QString::fromStdString(user->problem()) : QString("well");
}

} // namespace

class TstLuaInterpreter : public QObject
{
    Q_OBJECT
private slots:
    void sendsWhatSysbenchSends_data();
    void sendsWhatSysbenchSends();
    void makesAndDropsTables();
    void endsBadScripts_data();
    void endsBadScripts();
    void keepsUsersApart();
    void showsRows();
    void restartsEvents();
    void drawsAsOptionsSay();
    void drawsAsSysbench();
    void refusesWrongOptions_data();
    void refusesWrongOptions();
    void givesUniqueNumbersOnce();
    void collectsWithinLimits();
    void hasRoomForManyUsers();
    void readsOptions();
};

void TstLuaInterpreter::sendsWhatSysbenchSends_data()
{
    QTest::addColumn<QString>("verbs");
    QTest::newRow("oltp_point_select") << "S";
    QTest::newRow("oltp_read_only") << "BSSSSSSSSSSSSSSC";
    QTest::newRow("oltp_read_write") << "BSSSSSSSSSSSSSSUUDIC";
    QTest::newRow("oltp_write_only") << "BUUDIC";
    QTest::newRow("oltp_update_index") << "U";
    QTest::newRow("oltp_update_non_index") << "U";
    QTest::newRow("oltp_delete") << "D";
    QTest::newRow("oltp_insert") << "I";
    QTest::newRow("select_random_points") << "S";
    QTest::newRow("select_random_ranges") << "S";
}

void TstLuaInterpreter::sendsWhatSysbenchSends()
{
    QFETCH(QString, verbs);
    const std::string name = QTest::currentDataTag();
    ScriptSetup setup;
    setup.files = {{name, installed(name)}, {"oltp_common", installed("oltp_common")}};
    if (setup.files.front().text.empty())
        QSKIP("sysbench is not installed");
    setup.options = {{"tables", "3"}, {"table_size", "1000"}};
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    QCOMPARE(eventOf(*user), verbs);
    QCOMPARE(eventOf(*user), verbs);
    QVERIFY2(!QString::fromStdString(user->statement()).contains('?'), user->statement().c_str());
}

void TstLuaInterpreter::makesAndDropsTables()
{
    if (installed("oltp_common").empty())
        QSKIP("sysbench is not installed");
    for (const auto& [command, verbs] : {std::pair("prepare", "CICCIC"), std::pair("cleanup", "DD")}) {
        ScriptSetup setup;
        setup.files = {{"oltp_read_only", installed("oltp_read_only")}, {"oltp_common", installed("oltp_common")}};
        setup.options = {{"tables", "2"}, {"table_size", "1000"}};
        setup.command = command;
        setup.driver = "mysql";
        Interpreter interpreter(std::move(setup));
        const auto user = interpreter.addUser(0, 1);
        QCOMPARE(eventOf(*user), QString(verbs));
    }
}

void TstLuaInterpreter::endsBadScripts_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("end");
    const auto row = [](const char* name, const char* script, const char* end) {
        QTest::newRow(name) << QString(script) << QString(end);
    };
    row("none", "function event() end", "well");
    row("syntax", "function event(", "script.lua:1: ");
    row("error", "\nfunction event() error('x') end", "script.lua:2: x");
    row("endless", "function event()\nwhile true do end end", "computes for too long without a statement");
    row("endless, catches errors", "function event() while true do pcall(function() while true do end end) end end",
        "computes for too long");
    row("endless top level", "while true do end", "computes for too long");
    row("memory", "function event() local s = 'x' while true do s = s .. s end end", "not enough memory");
    row("repetition", "function event() local s = ('x'):rep(1e9) end", "too long");
    row("files", "function event() io.open('x') end", "script.lua:1: io.open is not available here");
    row("removes", "function event() os.remove('x') end", "script.lua:1: os.remove is not available here");
    row("processes", "function event() os.execute('sleep 1; x') end",
        "script.lua:1: os.execute: a script starts no programs");
    row("sleeps", "function event() os.execute('sleep 30') print('x') io.write('x') end", "well");
    row("threads", "function event() coroutine.wrap(print) end", "script.lua:1: coroutine.wrap is not available here");
    row("keeps libraries closed", "function event() debug.x = 1 end", "script.lua:1: attempt to index");
    row("looks into the interpreter", "debug.getregistry()", "script.lua:1: debug.getregistry is not available here");
    row("bytecode", "function event() loadstring('x') end", "global 'loadstring'");
    row("dump", "function event() return (''):dump() end", "method 'dump'");
    row("machine code", "local f = require('ffi') f.C.system('x')", "script.lua:1: ffi: system is not available");
    row("endless within a call of the library",
        "function event() ('x'):gsub('x', function() while true do pcall(function() while true do end end) end end) "
        "end",
        "computes for too long");
    row("endless handler of an error", "xpcall(function() while true do end end, function() while true do end end)",
        "computes for too long");
    row("endless handler within a call of the library",
        "function event() ('x'):gsub('x', function() xpcall(error, function() while true do end end) end) end",
        "computes for too long");
    row("handles errors",
        "function event() assert(select(2, xpcall(error, function(e) return e .. '!' end, 'x', 0)) == 'x!') end",
        "well");
    row("no rows of ours",
        "function event() local c = sysbench.sql.driver():connect() local a = c.query\n"
        "local r = getmetatable(c) assert(r == false and c.__index == nil) error('apart') end",
        "apart");
    row("a statement while a file is loaded", "con = sysbench.sql.driver():connect() con:query('A')",
        "script.lua:1: a statement outside of a function");
    row("number of a statement",
        "function thread_init() s = sysbench.sql.driver():connect():prepare('A') s.id = 99 end\n"
        "function event() s:execute() end",
        "attempt to index global 's' (a userdata value)");
    row("ends its user", "function event() return true end", "well");
    row("sleeps by a foreign function",
        "local ffi = require('ffi') ffi.cdef('int usleep(int);') function event() ffi.C.usleep(5) end", "well");
    row("two connections", "local d = sysbench.sql.driver()\nlocal a = d:connect()\nlocal b = d:connect()",
        "script.lua:3: a user has one connection here");
    row("path", "require('../x')", "script.lua:1: require: ../x is not available here");
    row("no event", "x = 1", "no function event");
}

void TstLuaInterpreter::endsBadScripts()
{
    QFETCH(QString, script);
    QFETCH(QString, end);
    const QString why = endOf(script.toUtf8().constData());
    QVERIFY2(why.contains(end), qPrintable(why));
}

void TstLuaInterpreter::keepsUsersApart()
{
    ScriptSetup setup;
    setup.files = filesOf("function thread_init(t) con = sysbench.sql.driver():connect() n = t end\n"
                          "function event(t)\n"
                          "   con:query('SELECT ' .. n)\n"
                          "   con:query(('SELECT %d'):format(n) .. string.format('', 0))\n"
                          "end\n"
                          "if sysbench.tid == 1 then\n"
                          "   string.format = function() return '' end\n"
                          "   sysbench.sql.type.INT, math.floor, sysbench.rand.uniform = nil, nil, nil\n"
                          "else\n"
                          "   assert(sysbench.sql.type.INT and math.floor and sysbench.rand.uniform)\n"
                          "end");
    Interpreter interpreter(std::move(setup));
    const auto first = interpreter.addUser(1, 1);
    const auto second = interpreter.addUser(2, 1);
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(first->go(), Turn::Statement);
        QCOMPARE(second->go(), Turn::Statement);
        QCOMPARE(first->statement(), std::string("SELECT 1"));
        QCOMPARE(second->statement(), std::string("SELECT 2"));
    }
}

//! Rows are texts, and survive the statements and events that follow.
void TstLuaInterpreter::showsRows()
{
    ScriptSetup setup;
    setup.files =
        filesOf("local con = sysbench.sql.driver():connect()\n"
                "local kept\n"
                "function event()\n"
                "   if kept then\n"
                "      con:query(table.concat(kept:fetch_row(), ' '))\n"
                "      kept.rows, kept.at, kept.held = coroutine, 1, 1\n"
                "      return nil, kept:fetch_row()\n"
                "   end\n"
                "   local answer = con:query('SELECT 1')\n"
                "   local first = answer:fetch_row()\n"
                "   local a, b, c = con:query_row('SELECT 2')\n"
                "   local second = answer:fetch_row()\n"
                "   con:query(table.concat({answer.nrows, answer.nfields, first[1], tostring(first[2]), second[1], a,\n"
                "                           tostring(b), c, tostring(answer:fetch_row())}, ' '))\n"
                "   kept = con:query('SELECT 3')\n"
                "end");
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    KeptRows two, one;
    two.begin(Keep::All);
    for (const std::int64_t number : {11, 12}) {
        two.beginRow();
        two.add(Param::of(number));
        two.add({});
        two.add(Param::of(0.5));
    }
    one.begin(Keep::All);
    one.beginRow();
    one.add(Param::of(std::string_view("it's")));
    one.add({});
    one.add(Param::of(2.5));
    QVERIFY2(user->go() == Turn::Statement && user->keepsRows(), user->problem().c_str());
    Answer answer;
    answer.rows = 2;
    answer.kept = &two;
    QCOMPARE(user->go(answer), Turn::Statement);
    QCOMPARE(user->statement(), std::string("SELECT 2"));
    answer.rows = 1;
    answer.kept = &one;
    two.begin(Keep::All); // the session's rows are gone
    QCOMPARE(user->go(answer), Turn::Statement);
    QCOMPARE(user->statement(), std::string("2 3 11 nil 12 it's nil 2.5 nil"));
    QCOMPARE(user->go(), Turn::Statement);
    two.beginRow();
    two.add(Param::of(std::string_view("a long text that stands elsewhere")));
    two.add(Param::of(std::int64_t(-5)));
    answer.kept = &two;
    QCOMPARE(user->go(answer), Turn::Event);
    two.begin(Keep::All);
    QVERIFY2(user->go() == Turn::Statement, user->problem().c_str());
    QCOMPARE(user->statement(), std::string("a long text that stands elsewhere -5"));
    // What a script puts there itself is no answer.
    QCOMPARE(user->go(), Turn::Failed);
    QVERIFY2(user->problem().find("dyno rows expected") != std::string::npos, user->problem().c_str());
}

//! What a look collects has limits; the rest is sent as text.
void TstLuaInterpreter::collectsWithinLimits()
{
    std::vector<PreparedText> found;
    ScriptSetup setup;
    setup.files = filesOf("function thread_init()\n"
                          "   local con = sysbench.sql.driver():connect()\n"
                          "   con:prepare(('x'):rep(1000000))\n"
                          "   for i = 1, 3000 do con:prepare('SELECT 0') con:prepare('SELECT ' .. i) end\n"
                          "end\n"
                          "function event() end");
    setup.collected = &found;
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    QVERIFY2(user->go() == Turn::Event, user->problem().c_str());
    QCOMPARE(found.size(), std::size_t(1000));
    QCOMPARE(found[0].text + found[1].text, std::string("SELECT 0SELECT 1"));
}

//! Each user may have tables of its own beside what all of them share.
void TstLuaInterpreter::hasRoomForManyUsers()
{
    ScriptSetup setup;
    setup.files = filesOf("function thread_init()\n"
                          "   con, mine = sysbench.sql.driver():connect(), {}\n"
                          "   for i = 1, 2000 do mine[i] = 'text ' .. sysbench.tid .. ' ' .. i end\n"
                          "end\n"
                          "function event() con:query(mine[7]) end");
    setup.mostMemory = std::size_t(4) << 20;
    Interpreter interpreter(std::move(setup));
    std::vector<std::unique_ptr<ScriptUser>> users;
    for (int i = 0; i < 100; ++i)
        users.push_back(interpreter.addUser(i, 1));
    for (const auto& user : users)
        QVERIFY2(user->go() == Turn::Statement, user->problem().c_str());
    QCOMPARE(users.back()->statement(), std::string("text 99 7"));
}

//! Of the type that the script tells, or of the default's, as in sysbench.
void TstLuaInterpreter::readsOptions()
{
    ScriptSetup setup;
    setup.files =
        filesOf("local line = sysbench.cmdline\n"
                "line.options = {\n"
                "   count = {'of it', nil, line.ARG_INT}, other = {'of it', nil, line.ARG_INT}, text = {'of it'},\n"
                "   list = {'of it', {'a'}}, names = {'of it', {'a', 'b'}}, flag = {'of it', false}\n"
                "}\n"
                "function event()\n"
                "   local o = sysbench.opt\n"
                "   error(table.concat({o.count + 1, o.other, '[' .. o.text .. ']', table.concat(o.list, '+'),\n"
                "                       table.concat(o.names, '+'), tostring(o.flag), o.rand_type}, ' '), 0)\n"
                "end");
    setup.options = {{"count", "5"}, {"list", "x,y"}, {"flag", "on"}};
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    QCOMPARE(user->go(), Turn::Failed);
    QCOMPARE(user->problem(), std::string("6 0 [] x+y a+b true special"));
}

//! Errors that may be ignored, or that the script's hook says so of, begin the event again; others have their place.
void TstLuaInterpreter::restartsEvents()
{
    ScriptSetup setup;
    setup.files = filesOf("function thread_init() con = sysbench.sql.driver():connect() end\n"
                          "function event()\n"
                          "   con:query('A')\n"
                          "end\n"
                          "function thread_done() con:query('D') end\n"
                          "function sysbench.hooks.sql_error_ignorable(e) return e.sql_state == '40001' end\n"
                          "function sysbench.hooks.before_restart_event(e) con:query('R' .. e.sql_errno) end");
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    Answer failed;
    failed.message = "no";
    for (const auto& [code, ignored] : {std::pair(1213, true), std::pair(7, false)}) {
        QVERIFY2(user->go() == Turn::Statement && user->statement() == "A", user->problem().c_str());
        failed.code = code;
        failed.restart = ignored;
        failed.state = ignored ? "" : "40001";
        QCOMPARE(user->go(failed), Turn::Restart);
        QVERIFY(user->betweenEvents());
        QCOMPARE(user->go(), Turn::Statement);
        QCOMPARE(user->statement(), "R" + std::to_string(code));
        QVERIFY(user->go() == Turn::Statement && user->statement() == "A");
        QCOMPARE(user->go(), Turn::Event);
    }
    QCOMPARE(user->end(), Turn::Statement);
    QCOMPARE(user->statement(), std::string("D"));
    QVERIFY(user->go() == Turn::Event);

    const auto other = interpreter.addUser(1, 1);
    QCOMPARE(other->go(), Turn::Statement);
    failed.code = 1064;
    failed.state = "42000";
    failed.restart = false;
    QCOMPARE(other->go(failed), Turn::Failed);
    QCOMPARE(other->problem(), std::string("script.lua:3: SQL error, errno = 1064, state = '42000': no"));
}

//! The default is sysbench's own: special, with three quarters of the draws in a hundredth of the interval.
void TstLuaInterpreter::drawsAsOptionsSay()
{
    for (const auto& [options, low, high] : {std::tuple(std::vector<ScriptFile>{}, 700, 800),
                                             std::tuple(std::vector<ScriptFile>{{"rand_type", "uniform"}}, 0, 40)}) {
        ScriptSetup setup;
        setup.files = filesOf("assert(sysbench.opt.threads == 1 and sysbench.opt.db_driver == '')\n"
                              "function thread_init() con = sysbench.sql.driver():connect() end\n"
                              "function event() con:query(tostring(sysbench.rand.default(1, 100000))) end\n");
        setup.options = options;
        Interpreter interpreter(std::move(setup));
        const auto user = interpreter.addUser(0, 1);
        int middle = 0;
        for (int i = 0; i < 1000; ++i) {
            QCOMPARE(user->go(), Turn::Statement);
            const int drawn = std::stoi(user->statement());
            middle += drawn >= 49'500 && drawn <= 50'500 ? 1 : 0;
            QCOMPARE(user->go(), Turn::Event);
        }
        QVERIFY2(middle >= low && middle <= high, QByteArray::number(middle).constData());
    }
}

//! As `sysbench --rand-seed=5 --threads=1` of version 1.0.20 printed them.
void TstLuaInterpreter::drawsAsSysbench()
{
    const char* const script = "function thread_init() con = sysbench.sql.driver():connect() end\n"
                               "function event()\n"
                               "  local r, t = sysbench.rand, {}\n"
                               "  for i = 1, 3 do t[#t + 1] = r.gaussian(1, 1000) end\n"
                               "  for i = 1, 3 do t[#t + 1] = r.special(1, 1000) end\n"
                               "  for i = 1, 3 do t[#t + 1] = r.pareto(1, 1000) end\n"
                               "  for i = 1, 3 do t[#t + 1] = r.default(1, 1000) end\n"
                               "  t[#t + 1] = r.string('###-@@@')\n"
                               "  t[#t + 1] = r.unique()\n"
                               "  t[#t + 1] = ('%.14g'):format(r.uniform_double())\n"
                               "  t[#t + 1] = r.uniform(1, 1000000)\n"
                               "  t[#t + 1] = math.random(1, 1000000)\n"
                               "  con:query(table.concat(t, ' '))\n"
                               "end\n";
    const auto statements = [](const char* text, const char* command, int threads, int number, int count,
                               bool parallel = false) {
        ScriptSetup setup;
        setup.files = filesOf(text);
        setup.options = {{"rand_seed", "5"}};
        setup.command = command;
        setup.threads = threads;
        setup.parallel = parallel;
        Interpreter interpreter(std::move(setup));
        const auto user = interpreter.addUser(number, 77); // the plan's seed does not matter
        QStringList list;
        for (int i = 0; i < count; ++i) {
            if (user->go() != Turn::Statement)
                return QStringList(QString::fromStdString(user->problem()));
            list << QString::fromStdString(user->statement());
            if (command == std::string("run") && user->go() != Turn::Event)
                return QStringList(QString::fromStdString(user->problem()));
        }
        return list;
    };
    QCOMPARE(
        statements(script, "run", 1, 0, 2),
        (QStringList{"504 407 406 505 502 500 1 174 109 501 506 504 816-qzq 2672933100 0.72397220110877 783791 794207",
                     "545 375 507 501 554 504 8 8 1 503 501 499 414-wmf 2916245674 0.80530230994216 92280 698853"}));
    const char* const uniform = "con = sysbench.sql.driver():connect()\n"
                                "function prepare() con:query(tostring(sysbench.rand.uniform(1, 1000000))) end\n"
                                "function event() prepare() end\n";
    QCOMPARE(statements(uniform, "run", 1, 0, 3), (QStringList{"633751", "420787", "494271"}));
    QCOMPARE(statements(uniform, "run", 2, 1, 1), (QStringList{"214128"})); // the second thread's
    QCOMPARE(statements(uniform, "prepare", 1, 0, 1), (QStringList{"811644"}));
    // Of `sysbench prepare`: the main thread does a plain function, whatever --threads is, and a PARALLEL_COMMAND with
    // one thread; of several each has its own numbers.
    QCOMPARE(statements(uniform, "prepare", 4, 0, 1), (QStringList{"811644"}));
    QCOMPARE(statements(uniform, "prepare", 1, 0, 1, true), (QStringList{"811644"}));
    const QStringList four{"306499", "421091", "793971", "78952"};
    for (int thread = 0; thread < 4; ++thread)
        QCOMPARE(statements(uniform, "prepare", 4, thread, 1, true), (QStringList{four[thread]}));
    QCOMPARE(statements(uniform, "prepare", 2, 1, 1, true), (QStringList{four[1]}));
}

void TstLuaInterpreter::refusesWrongOptions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("why");
    QTest::newRow("unknown") << "n"
                             << "1"
                             << "option n: the script has no such option";
    QTest::newRow("no number") << "size"
                               << "many"
                               << "option size: a number is expected";
    QTest::newRow("distribution") << "rand_type"
                                  << "even"
                                  << "option rand_type: uniform";
    QTest::newRow("range") << "rand_pareto_h"
                           << "7"
                           << "option rand_pareto_h: a number from";
}

void TstLuaInterpreter::refusesWrongOptions()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, why);
    ScriptSetup setup;
    setup.files = filesOf("sysbench.cmdline.options = { size = {'of it', 3} } function event() end");
    setup.options = {{name.toStdString(), value.toStdString()}};
    Interpreter interpreter(std::move(setup));
    const auto user = interpreter.addUser(0, 1);
    QCOMPARE(user->go(), Turn::Failed);
    QVERIFY2(QString::fromStdString(user->problem()).startsWith(why), user->problem().c_str());
}

void TstLuaInterpreter::givesUniqueNumbersOnce()
{
    std::set<std::string> seen;
    const auto uniques = std::make_shared<UniqueNumbers>(UniqueSequence(5));
    for (int i = 0; i < 2; ++i) { // as of two threads
        ScriptSetup setup;
        setup.files = filesOf("function thread_init() con = sysbench.sql.driver():connect() end\n"
                              "function event() con:query(('%d'):format(sysbench.rand.unique())) end\n");
        setup.uniques = uniques;
        Interpreter interpreter(std::move(setup));
        const auto user = interpreter.addUser(i, 1);
        for (int n = 0; n < 500; ++n) {
            QCOMPARE(user->go(), Turn::Statement);
            seen.insert(user->statement());
            QCOMPARE(user->go(), Turn::Event);
        }
    }
    QCOMPARE(seen.size(), std::size_t(1000));
}

} // namespace dyno::tst_lua_interpreter

DYNO_SUITE(tst_lua_interpreter, dyno::tst_lua_interpreter::TstLuaInterpreter)
#include "tst_lua_interpreter.moc"
