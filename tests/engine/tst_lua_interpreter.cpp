// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts of sysbench: what those of the installed package send, what no script reaches, and how bad ones end.
#include "support/suite.h"
#include "workload/lua/lua_interpreter.h"

#include <QFile>
#include <QTest>

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
    row("files", "function event() io.open('x') end", "global 'io'");
    row("processes", "function event() os.execute('x') end", "field 'execute'");
    row("bytecode", "function event() loadstring('x') end", "global 'loadstring'");
    row("dump", "function event() return (''):dump() end", "method 'dump'");
    row("machine code", "local f = require('ffi')", "there is no file ffi.lua");
    row("path", "require('../x')", "no path");
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
                          "function event(t) con:query('SELECT ' .. n) con:query('SELECT ' .. n) end\n"
                          "string.format = nil");
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

} // namespace dyno::tst_lua_interpreter

DYNO_SUITE(tst_lua_interpreter, dyno::tst_lua_interpreter::TstLuaInterpreter)
#include "tst_lua_interpreter.moc"
