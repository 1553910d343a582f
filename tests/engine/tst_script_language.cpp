// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts in pgbench's language: values of expressions as PostgreSQL's own tests of pgbench have them
// (src/bin/pgbench/t/001_pgbench_with_server.pl), statements as they are cut, mistakes with their place, and random
// numbers by χ² against their closed forms.
#include "support/chi_square.h"
#include "support/suite.h"
#include "workload/script/evaluator.h"
#include "workload/script/functions.h"
#include "workload/script/script_parser.h"

#include <QTest>

#include <cmath>
#include <numeric>

namespace dyno::tst_script_language {
using namespace dyno::test;
using namespace dyno::script;

namespace {

constexpr const char* kStatement = "SELECT 1;\n";
constexpr const char* kDefined = "foo=-10.1; bla=false; i=+3; n=null; t=t; f=of; d=1.0; zy=0; text=abc; "
                                 "minint=-9223372036854775808; maxint=9223372036854775807";

//! "int 7", "double 0.5", "boolean true", "null", or why there is no value.
QString valueOf(const QString& expression)
{
    const auto program = parseScripts(("\\set x " + expression + "\n" + kStatement).toStdString(), kDefined);
    if (!program)
        return "refused: " + QString::fromStdString(mistakeText(program.error()));
    Variables variables(program->variables.size());
    for (const auto& [slot, text] : program->definitions)
        variables.setText(slot, text);
    const auto find = [&program](const char* name) {
        return std::uint32_t(std::ranges::find(program->variables, name) - program->variables.begin());
    };
    variables.set(find(kScale), Scalar::of(std::int64_t(1)));
    variables.set(find(kDefaultSeed), Scalar::of(std::int64_t(5432)));
    variables.set(find(kClientId), Scalar::of(std::int64_t(0)));
    Random random(7);
    const Command& command = program->scripts.front().commands.front();
    Scalar value;
    const std::span<const Instruction> code(program->code.data() + command.expression.begin,
                                            program->code.data() + command.expression.end);
    if (const Problem problem = evaluate(code, variables, random, value))
        return QString("failed: ") + problem.text;
    if (value.type == Scalar::Type::Null)
        return "null";
    const char* const type = value.type == Scalar::Type::Boolean   ? "boolean"
                             : value.type == Scalar::Type::Integer ? "int"
                                                                   : "double";
    Variables shown(1);
    shown.set(0, value);
    std::string text;
    shown.append(0, text);
    return QString("%1 %2").arg(type, QString::fromStdString(text));
}

//! What the commands of a script are: "set 0", "branch 3", …
QStringList commandsOf(const std::string& text)
{
    const auto program = parseScripts(text);
    if (!program)
        return {QString::fromStdString(mistakeText(program.error()))};
    QStringList all;
    for (const Script& script : program->scripts) {
        for (const Command& command : script.commands) {
            switch (command.kind) {
            case Command::Kind::Statement: {
                const Statement& statement = script.statements[command.index];
                all += QString::fromStdString(statement.text) +
                       (statement.answer == Statement::Answer::OneRow    ? " -> one "
                        : statement.answer == Statement::Answer::LastRow ? " -> last "
                                                                         : "") +
                       QString::fromStdString(statement.prefix);
                break;
            }
            case Command::Kind::Set:
                all += "set " + QString::fromStdString(program->variables[command.index]);
                break;
            case Command::Kind::Branch:
                all += QString("unless %1").arg(command.index);
                break;
            case Command::Kind::Jump:
                all += QString("jump %1").arg(command.index);
                break;
            case Command::Kind::Sleep:
                all += QString("sleep %1 x %2").arg(command.amount).arg(command.unitNs);
                break;
            case Command::Kind::StartPipeline:
                all += "start";
                break;
            case Command::Kind::SyncPipeline:
                all += "sync";
                break;
            case Command::Kind::EndPipeline:
                all += "end";
                break;
            }
        }
    }
    return all;
}

} // namespace

class TstScriptLanguage : public QObject
{
    Q_OBJECT
private slots:
    void expressionsHavePgbenchsValues_data()
    {
        QTest::addColumn<QString>("value");
        const auto row = [](const char* expression, const char* value) { QTest::newRow(expression) << QString(value); };
        row("abs(-4)", "int 4");
        row("greatest(5, 4, 3, 2)", "int 5");
        row("11 + least(-5, -4, -3, -2)", "int 6");
        row("int(7.3)", "int 7");
        row("17 / (4|1) + ( 4 + (7 >> 2))", "int 8");
        row("- (3 * 4 - (-(~ 1) + -(~ 0))) / -1 + 3 % -1", "int 9");
        row("10 + (0 + 0 * 0 - 0 / 1)", "int 10");
        row("64 % (((2 + 1 * 2 + (1 # 2) | 4 * (2 & 11)) - (1 << 2)) + 2)", "int 12");
        row("sqrt(+1.5 * 2.0) * abs(-0.8E1)", "double 13.856406460551");
        row("double(1 + 1) * (-75.0 / :foo)", "double 14.8514851485149");
        row("pi() * 4.9", "double 15.39380400259");
        row("greatest(4, 2, -1.17) * 4.0 * Ln(Exp(1.0))", "double 16");
        row("least(-5.18, .0E0, 1.0/0) * -3.3", "double 17.094");
        row("pow(-3,3)", "double -27");
        row("pow(-2.0,-3.0)", "double -0.125");
        row("power(-5.0,-5.0)", "double -0.00032");
        row("pow(9223372036854775807, 2)", "double 8.50705917302346e+37");
        row("1.0 = 0.0 and 1.0 != 0.0", "boolean false");
        row("0 = 1 Or 1.0 = 1", "boolean true");
        row("case when 0 < 1 then 32 else 0 end", "int 32");
        row("case when false THEN -1 when 1 = 1 then 13 + 19 + 2.0 end ", "double 34");
        row("CASE \\\n WHEN (1.0 > 0.0) AND (1.0 >= 0.0) AND (0.0 < 1.0) AND (0.0 <= 1.0) AND \\\n"
            " (0.0 != 1.0) AND (0.0 = 0.0) AND (0.0 <> 1.0) AND (0.0 = 0.0) \\\n THEN 36 \\\n ELSE 0 \\\n END",
            "int 36");
        row("CASE WHEN NOT FALSE THEN 3 * 12.3333334 END", "double 37.0000002");
        row("case when false then 0 when 1-1 <> 0 then 1 else 38 end", "int 38");
        row("10 + mod(13 * 7 + 12, 13) - mod(-19 * 11 - 17, 19)", "int 39");
        row("NOT (0 > 1) AND (1 <= 1) AND NOT (0 >= 1) AND (0 < 1) AND NOT (false and true) AND (false OR TRUE) AND "
            "(NOT :f) AND (NOT FALSE) AND NOT (NOT TRUE)",
            "boolean true");
        row("NULL + NULL * exp(NULL)", "null");
        row("NOT (:n IS NOT NULL OR :d IS NULL)", "boolean true");
        row(":n IS NULL AND :d IS NOT NULL AND :d NOTNULL", "boolean true");
        row(":n ISNULL AND NOT :n IS TRUE AND :n IS NOT FALSE", "boolean true");
        row("CASE WHEN :n IS NULL THEN 46 ELSE NULL END", "int 46");
        row(":n IS NULL AND NOT :f AND :t", "boolean true");
        row("CASE WHEN 1 THEN TRUE END AND CASE WHEN 1.0 THEN TRUE END AND CASE WHEN :n THEN NULL ELSE TRUE END",
            "boolean true");
        row("hash(10, 5432)", "int -5817877081768721676");
        row("hash_murmur2(10)", "int -5817877081768721676"); // default_seed is 5432 here
        row("hash_fnv1a(10, 5432)", "int -7793829335365542153");
        row("case when :zy = 0 then -1 else (1 / :zy) end", "int -1");
        row("case when :zy = 0 or (1 / :zy) < 0 then -1 else (1 / :zy) end", "int -1");
        row("case when :zy > 0 and (1 / :zy) < 0 then (1 / :zy) else 1 end", "int 1");
        row("-9223372036854775808", "int -9223372036854775808");
        row("-(:minint + 1)", "int 9223372036854775807");
        row("permute(0, 2) + permute(1, 2)", "int 1");
        row("permute(0, 5) + permute(1, 5) + permute(2, 5) + permute(3, 5) + permute(4, 5)", "int 10");
        row("permute(0, 2, 5431) = 0 and permute(1, 2, 5431) = 1 and permute(0, 2, 5433) = 1", "boolean true");
        row("permute(:maxint - 11, :maxint - 10, 5432)", "int 520382784483822430");
        row("permute(:maxint - 12, :maxint - 10, 5432)", "int 1143715004660802862");
        row("permute(:maxint - 17, :maxint - 10, 5432)", "int 4542876852200565125");
        row("debug(:i) + 1", "int 4");
        // What PostgreSQL's tests want to fail
        row("1/0", "failed: division by zero");
        row("random(5,3)", "failed: the interval of random numbers is empty: its lower end is above its upper one");
        row("random(:minint, :maxint)", "failed: the interval of random numbers is too large");
        row("random_gaussian(0, 10, 1.0)", "failed: the parameter of random_gaussian() must be at least 2");
        row("random_exponential(0, 10, 0.0)", "failed: the parameter of random_exponential() must be above 0");
        row("random_zipfian(0, 10, 1)", "failed: the parameter of random_zipfian() must be from 1.001 to 1000");
        row(":text + 1", "failed: the variable holds a text that is no number");
        row("NOT 0.0", "failed: true or false was expected, and the value is a number");
        row("TRUE + 2", "failed: a whole number was expected, and the value is a boolean");
        row("ln(TRUE)", "failed: a number was expected, and the value is a boolean");
        row("int(1E32)", "failed: the number does not fit into 64 bits");
        row("(1<<62) + (1<<62)", "failed: the number does not fit into 64 bits");
        row("0 - (1<<62) - (1<<62) - (1<<62)", "failed: the number does not fit into 64 bits");
        row("2 * (1<<62)", "failed: the number does not fit into 64 bits");
        row(":minint / -1", "failed: the number does not fit into 64 bits");
        row(":minint % -1", "int 0");
        row("permute(0, 0)", "failed: the size of permute() must be above 0");
    }
    void expressionsHavePgbenchsValues()
    {
        QFETCH(QString, value);
        QCOMPARE(valueOf(QTest::currentDataTag()), value);
    }

    void scriptsAreCutAsByPgbench_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QStringList>("commands");
        QTest::newRow("comments and the last semicolon")
            << "-- one\nSELECT 1 -- two; \n FROM t;\n/* ; */ SELECT 2 ;\nSELECT 3\n"
            << QStringList{"SELECT 1 -- two; \n FROM t", "/* ; */ SELECT 2", "SELECT 3"};
        QTest::newRow("quotes") << "SELECT ';', \"a;\", $$;$$, $t$ ; $$ $t$, E'\\';', 'it''s;';SELECT (1;2);"
                                << QStringList{"SELECT ';', \"a;\", $$;$$, $t$ ; $$ $t$, E'\\';', 'it''s;'",
                                               "SELECT (1;2)"};
        QTest::newRow("a backslash ends a statement")
            << "SELECT 0 AS i0 \\gset\nSELECT 3 AS i3 \\gset x_\n\\set a 1\nSELECT 4\n\\set b 2\n"
            << QStringList{"SELECT 0 AS i0 -> one ", "SELECT 3 AS i3 -> one x_", "set a", "SELECT 4", "set b"};
        QTest::newRow("joined statements") << "SELECT 1\\; SELECT 2;" << QStringList{"SELECT 1; SELECT 2"};
        QTest::newRow("answers of joined statements")
            << "\\; SELECT 6 AS i6 \\; SELECT ';' AS i7 \\; \\aset\n"
            << QStringList{"SELECT 6 AS i6 -> last ", "SELECT ';' AS i7 -> last "};
        QTest::newRow("a function's body")
            << "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END; SELECT "
               "f();"
            << QStringList{
                   "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END",
                   "SELECT f()"};
        QTest::newRow("branches") << "\\if 1\nSELECT 1;\n\\elif 2\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\nSELECT 4;"
                                  << QStringList{"unless 3", "SELECT 1", "jump 7",   "unless 6",
                                                 "SELECT 2", "jump 7",   "SELECT 3", "SELECT 4"};
        QTest::newRow("pauses") << "\\sleep 2\n\\sleep 10 ms\n\\sleep 100us\nSELECT 1;"
                                << QStringList{"sleep 2 x 1000000000", "sleep 10 x 1000000", "sleep 100 x 1000",
                                               "SELECT 1"};
        QTest::newRow("a pipeline") << "\\startpipeline\nSELECT 1;\n\\syncpipeline\nSELECT 2;\n\\endpipeline\n"
                                    << QStringList{"start", "SELECT 1", "sync", "SELECT 2", "end"};
        QTest::newRow("nothing in it") << "SELECT 1;; /* end */ ;\nSELECT 2; /* end */"
                                       << QStringList{"SELECT 1", "SELECT 2"};
        QTest::newRow("comment before the end") << "SELECT 1 -- one\n;" << QStringList{"SELECT 1 -- one\n"};
        QTest::newRow("aset on the next line") << "SELECT 1 AS a \\; SELECT 2 AS b;\n\\aset\n"
                                               << QStringList{"SELECT 1 AS a -> last ", "SELECT 2 AS b -> last "};
        QTest::newRow("line breaks of another system") << "\\set a 1\r\nSELECT 1;\r\n"
                                                       << QStringList{"set a", "SELECT 1"};
    }
    void scriptsAreCutAsByPgbench()
    {
        QFETCH(QString, script);
        QFETCH(QStringList, commands);
        QCOMPARE(commandsOf(script.toStdString()), commands);
    }

    void variablesOfAStatement()
    {
        const auto program = parseScripts("SELECT :a, ':b', a::int, '12:30', :c_1;");
        QVERIFY(program);
        const Statement& statement = program->scripts.front().statements.front();
        QStringList names;
        for (const Piece& piece : statement.pieces) {
            if (piece.variable != kNoSlot)
                names += QString::fromStdString(program->variables[piece.variable]) + (piece.quoted ? " quoted" : "");
        }
        QCOMPARE(names, QStringList({"a", "b quoted", "c_1"}));
    }

    void severalScriptsHaveNamesAndWeights()
    {
        const auto program = parseScripts("-- mine\n\\transaction read 9\nSELECT 1;\n\\transaction write\nSELECT 2;\n");
        QVERIFY2(program, program ? "" : mistakeText(program.error()).c_str());
        QCOMPARE(program->scripts.size(), std::size_t(2));
        QCOMPARE(program->scripts[0].name, std::string("read"));
        QCOMPARE(program->scripts[0].weight, std::int64_t(9));
        QCOMPARE(program->scripts[1].weight, std::int64_t(1));
        QCOMPARE(program->weights, std::int64_t(10));
    }

    void mistakesHaveAPlaceAndARemedy_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* script, const char* said) {
            QTest::newRow(name) << QString(script) << QString(said);
        };
        row("syntax", "\\set i 1 +\nSELECT 1;", "line 1, column 11: unexpected end of the line (expected: a number");
        row("character", "SELECT 1;\n\\set i ;\n", "line 2, column 8: unexpected \";\" (expected: a number");
        row("function", "\\set i noSuchFunction()\n",
            "line 1, column 8: there is no function \"nosuchfunction\" (expected: a function: abs");
        row("arguments", "\\set d ln(1.0, 2.0)\n", "line 1, column 8: ln() has 2 arguments (expected: 1)");
        row("one argument", "\\set i greatest()\n", "line 1, column 8: greatest() has 0 arguments (expected: 1 to 16)");
        row("too many", "\\set i least(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)\n",
            "line 1, column 8: least() has 17");
        row("no variable", "\\set . 1\n", "line 1, column 6: \".\" is no name of a variable");
        row("no name", "\\set\n", "line 1, column 5: \\set names no variable");
        row("case", "\\set i CASE TRUE THEN 1 ELSE 0 END\n",
            "line 1, column 13: unexpected \"TRUE\" after CASE (expected: WHEN)");
        row("comparison twice", "\\set i 1 < 2 < 3\n", "line 1, column 14: unexpected \"<\"");
        row("undefined", "SELECT :x;\n\\set i :nosuchvariable\n",
            "line 2, column 8: nothing gives the variable \":nosuchvariable\" a value");
        row("shell", "SELECT 1;\n  \\shell rm -rf /\n",
            "line 2, column 3: \\shell runs a program, and no script may do that here");
        row("setshell", "\\setshell i echo 1\n", "line 1, column 1: \\setshell runs a program");
        row("command", "\\nosuchcommand\n", "line 1, column 1: there is no command \"\\nosuchcommand\"");
        row("sleep", "\\sleep\n", "line 1, column 7: \\sleep has no time");
        row("unit", "\\sleep 1 week\n", "line 1, column 10: \"week\" is no unit of time (expected: us, ms or s)");
        row("time", "\\sleep x\n", "line 1, column 8: \"x\" is no time");
        row("gset alone", "\\gset\n", "line 1, column 1: \\gset follows no SQL statement");
        row("gset twice", "SELECT 1 AS i \\gset\n\\gset\n", "line 2, column 1: \\gset follows no SQL statement");
        row("gset words", "SELECT 1 \\gset a b\n", "line 1, column 18: \\gset takes no \"b\"");
        row("gset in a pipeline", "\\startpipeline\nselect 1 \\gset f\n\\endpipeline\n",
            "line 2, column 10: \\gset in a pipeline");
        row("pipeline twice", "\\startpipeline\n\\startpipeline\n", "line 2, column 1: there is a pipeline already");
        row("no pipeline", "\\endpipeline\n", "line 1, column 1: \\endpipeline without a pipeline");
        row("open pipeline", "\\startpipeline\nSELECT 1;\n", "line 1, column 1: the pipeline is not closed");
        row("open branch", "\\if 1\nSELECT 1;\n", "line 1, column 1: the \\if is not closed");
        row("else twice", "\\if 1\n\\else\n\\else\n\\endif\n", "line 3, column 1: \\else after \\else");
        row("elif alone", "\\elif 1\n", "line 1, column 1: \\elif without an \\if before it");
        row("endif alone", "SELECT 1;\n\\endif\n", "line 2, column 1: \\endif without an \\if before it");
        row("empty", "-- nothing\n", "line 1, column 1: the script has no commands");
        row("no statement", "\\set x 1\n", "line 1, column 1: the script \"script\" has no statement");
        row("quote", "SELECT 1;\nSELECT 'äö, x\n",
            "line 2, column 8: the quoted text or comment that begins here has no end");
        row("after an umlaut", "SELECT 'äö' \\foo\n", "line 1, column 13: there is no command");
        row("before a section", "SELECT 1;\n\\transaction a\nSELECT 2;\n",
            "line 1, column 1: there are commands before the first \\transaction");
        row("equal names", "\\transaction a\nSELECT 1;\n\\transaction a\nSELECT 2;\n",
            "line 3, column 1: there are two scripts called \"a\"");
        row("weight", "\\transaction a x\nSELECT 1;\n", "line 1, column 16: \"x\" is no weight");
        row("no UTF-8", "SELECT '\xe4';", "line 1, column 9: the script holds a byte that is no UTF-8");
    }
    void mistakesHaveAPlaceAndARemedy()
    {
        QFETCH(QString, script);
        QFETCH(QString, said);
        const std::string text =
            QString(QTest::currentDataTag()) == "no UTF-8" ? std::string("SELECT '\xe4';") : script.toStdString();
        const auto program = parseScripts(text);
        QVERIFY(!program);
        const QString text2 = QString::fromStdString(mistakeText(program.error()));
        QVERIFY2(text2.startsWith(said), qPrintable(text2));
        QVERIFY(!program.error().expected.empty());
    }

    //! Hostile texts are refused, and soon.
    void tooMuchIsRefused()
    {
        std::string commands, variables = "SELECT 1;\n";
        for (int i = 0; i < 100'000; ++i)
            commands += "\\set x 1\n";
        for (int i = 0; i < 60'000; ++i)
            variables += "\\set v" + std::to_string(i) + " 1\n";
        const auto many = parseScripts(commands + "SELECT 1;");
        QVERIFY(!many);
        QCOMPARE(many.error().what, std::string("there are too many commands"));
        const auto names = parseScripts(variables);
        QVERIFY(!names);
        QCOMPARE(names.error().what, std::string("there are too many variables"));
    }
    void deepNestingIsRefused()
    {
        for (const char* open : {"(", "-", "not ", "abs(", "case when "}) {
            std::string text = "\\set x ";
            for (int i = 0; i < 20'000; ++i)
                text += open;
            QVERIFY(!parseScripts(text + "1\nSELECT 1;"));
        }
        std::string sum = "\\set x 1"; // long, and not deep
        for (int i = 0; i < 5'000; ++i)
            sum += " + 1";
        QVERIFY(parseScripts(sum + "\nSELECT 1;"));
    }

    //! P(i) = (e^(−p(i−1)/n) − e^(−p·i/n)) / (1 − e^(−p)): pgbench's manual.
    void exponentialFits()
    {
        constexpr int kDone = 50'000, kValues = 20;
        constexpr double kParameter = 2.5;
        Random random(3);
        std::vector<double> counts(kValues, 0), expected;
        for (int i = 0; i < kDone; ++i)
            ++counts.at(std::size_t(exponential(random, {100, 100 + kValues - 1}, kParameter) - 100));
        for (int i = 1; i <= kValues; ++i)
            expected.push_back(kDone *
                               (std::exp(-kParameter * (i - 1) / kValues) - std::exp(-kParameter * i / kValues)) /
                               (1 - std::exp(-kParameter)));
        const ChiSquare result = chiSquare(expected, counts);
        QVERIFY2(result.fits(), qPrintable(result.text()));
    }
    //! P(i) = (Φ(2p(i − μ + 0.5)/n) − Φ(2p(i − μ − 0.5)/n)) / (2Φ(p) − 1): pgbench's manual.
    void gaussianFits()
    {
        constexpr int kDone = 50'000, kValues = 20;
        constexpr double kParameter = 3;
        const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
        Random random(4);
        std::vector<double> counts(kValues, 0), expected;
        for (int i = 0; i < kDone; ++i)
            ++counts.at(std::size_t(gaussian(random, {0, kValues - 1}, kParameter)));
        const double middle = (kValues - 1) / 2.0;
        for (int i = 0; i < kValues; ++i)
            expected.push_back(kDone *
                               (phi(2 * kParameter * (i - middle + 0.5) / kValues) -
                                phi(2 * kParameter * (i - middle - 0.5) / kValues)) /
                               (2 * phi(kParameter) - 1));
        const ChiSquare result = chiSquare(expected, counts);
        QVERIFY2(result.fits(), qPrintable(result.text()));
    }
    //! P(k) ~ k^−s.
    void zipfianFits()
    {
        constexpr int kDone = 50'000, kValues = 30;
        for (const double s : {1.1, 2.5}) {
            Random random(5);
            std::vector<double> counts(kValues, 0), expected;
            double sum = 0;
            for (int k = 1; k <= kValues; ++k)
                sum += std::pow(k, -s);
            for (int k = 1; k <= kValues; ++k)
                expected.push_back(kDone * std::pow(k, -s) / sum);
            for (int i = 0; i < kDone; ++i)
                ++counts.at(std::size_t(zipfian(random, {1, kValues}, s) - 1));
            const ChiSquare result = chiSquare(expected, counts);
            QVERIFY2(result.fits(), qPrintable(result.text()));
        }
    }
    void permutationsLoseNothing()
    {
        for (const std::int64_t size : {1, 2, 3, 7, 64, 1000}) {
            std::vector<bool> seen(std::size_t(size), false);
            for (std::int64_t i = 0; i < size; ++i)
                seen.at(std::size_t(permuted(i, size, 99))) = true;
            QVERIFY(std::ranges::count(seen, true) == size);
        }
    }
};

} // namespace dyno::tst_script_language

DYNO_SUITE(tst_script_language, dyno::tst_script_language::TstScriptLanguage)
#include "tst_script_language.moc"
