// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas of figures: what is read, what is refused and where, and what comes out.
#include "support/must.h"
#include "support/suite.h"
#include <dyno/formula.h>

#include <QTest>

#include <cmath>
#include <limits>
#include <map>

namespace dyno::tst_formula {

namespace {

//! Figures by measure; not a number for any other.
double valueOf(const char* text, const std::map<std::string, double>& figures)
{
    return dyno::test::must(Formula::parse(text)).value([&figures](const std::string& measure) {
        const auto found = figures.find(measure);
        return found == figures.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    });
}

} // namespace

class TestFormula : public QObject
{
    Q_OBJECT
private slots:
    void arithmetic_data()
    {
        QTest::addColumn<double>("value");
        const auto row = [](const char* text, double value) { QTest::newRow(text) << value; };
        row("tps", 8);
        row("tps - 2 - 3", 3); // from the left
        row("tps / 4 / 2", 1);
        row("1 + tps * 2", 17);
        row("(1 + tps) * 2", 18);
        row("-tps + 10", 2);
        row("10 - -tps", 18);
        row("2 * -(tps - 3)", -10);
        row("1e3 * .5 * tps", 4000);
        row("Com_commit/tps", 5);
        row("'host/vda reads' * Com_commit", 120);
        row("service_p99:new_order / service_p99:payment", 3);
        row("counter:Com_commit / 'counter:Com_commit'", 1);
        row("Writes per commit = 'host/vda reads' / Com_commit [writes/commit]", 3.0 / 40);
        row("x.y_z9 + 1", 8);
        row("'db/x_total{device=\"vda\"}' / tps", 2); // = and [ between quotes
        row("'db/a[1]' + 1 [x]", 6);
        row("Server's load = tps / 'db/a[1]' [users' x]", 1.6); // apostrophes
        row("Time [raw] = tps [ms]", 8);
    }
    void arithmetic()
    {
        QFETCH(double, value);
        QCOMPARE(valueOf(QTest::currentDataTag(), {{"tps", 8},
                                                   {"counter:Com_commit", 40},
                                                   {"counter:host/vda reads", 3},
                                                   {"service_p99:new_order", 12},
                                                   {"service_p99:payment", 4},
                                                   {"counter:x.y_z9", 7},
                                                   {"counter:db/x_total{device=\"vda\"}", 16},
                                                   {"counter:db/a[1]", 5}}),
                 value);
    }

    //! No infinity and no zero where nothing is known.
    void unknown()
    {
        QVERIFY(std::isnan(valueOf("tps / Com_commit", {{"tps", 8}})));
        QVERIFY(std::isnan(valueOf("0 * Com_commit", {})));
        QVERIFY(std::isnan(valueOf("tps / Com_commit", {{"tps", 8}, {"counter:Com_commit", 0}})));
        QVERIFY(std::isnan(valueOf("Com_commit / Com_commit", {{"counter:Com_commit", 0}})));
        QVERIFY(std::isnan(valueOf("tps * 1e308 * 1e308", {{"tps", 8}})));
    }

    void names()
    {
        const Formula formula = dyno::test::must(
            Formula::parse("  Syncs per commit =Innodb_data_fsyncs / Com_commit + Com_commit [ syncs/commit ] "));
        QCOMPARE(formula.label(), std::string("Syncs per commit"));
        QCOMPARE(formula.unit(), std::string("syncs/commit"));
        QCOMPARE(formula.measures(),
                 (std::vector<std::string>{"counter:Innodb_data_fsyncs", "counter:Com_commit"})); // each once
        const Formula plain = dyno::test::must(Formula::parse("tps / users_running"));
        QCOMPARE(plain.label(), std::string("tps / users_running"));
        QCOMPARE(plain.unit(), std::string());
        // As when a session is made anonymous: names of a person's own are replaced.
        const auto other = [](const std::string& one) { return one == "qps:secret" ? "qps:two words" : one; };
        const Formula own = dyno::test::must(Formula::parse("Mine = qps:secret / (tps+Com_commit) [x]"));
        const std::string renamed = own.renamed(other, [](const std::string&) { return "name"; });
        QCOMPARE(renamed, std::string("name = 'qps:two words' / (tps+Com_commit) [name]"));
        QCOMPARE(dyno::test::must(Formula::parse(renamed)).measures().front(), std::string("qps:two words"));
        const Formula counter = dyno::test::must(Formula::parse("'counter:errors' + errors"));
        QCOMPARE(counter.renamed(other, {}), std::string("counter:errors + errors")); // the one is a counter
        QCOMPARE(plain.renamed(other, [](const std::string&) { return "name"; }), std::string("tps / users_running"));
    }

    void refused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* text, const char* message) { QTest::newRow(text) << text << message; };
        row("", "column 1: expected a figure");
        row("   ", "expected a figure");
        row("tps /", "column 6: expected a figure");
        row("tps tps", "column 5: expected an operator");
        row("(tps", "column 5: expected \")\"");
        row("tps)", "column 4: expected an operator");
        row("tps % 2", "column 5: expected an operator");
        row("A = tps + ", "column 10: expected a figure");
        row("= tps", "column 1: a name is missing");
        row("1 + 2", "column 1: a formula names a figure");
        row("'tps", "column 1: the second '");
        row("''", "column 1: a name is missing");
        row("tps ms]", "\"[\" is missing");
        row("1e999 * tps", "column 1: expected a number");
        row("formula:tps + 1", "column 1: a formula cannot use another");
    }
    void refused()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto formula = Formula::parse(text.toStdString());
        QVERIFY(!formula);
        QVERIFY2(formula.error().message.find(message.toStdString()) != std::string::npos,
                 formula.error().message.c_str());
        QVERIFY(!formula.error().remedy.empty());
    }

    //! A stranger's plan may hold any text.
    void hostile()
    {
        const std::string deep = std::string(200, '(') + "tps" + std::string(200, ')');
        QVERIFY(!Formula::parse(deep));
        QVERIFY(!Formula::parse(std::string(300, '-') + "tps"));
        QVERIFY(Formula::parse(std::string(30, '(') + "tps" + std::string(30, ')')));
        QVERIFY(!Formula::parse("tps" + std::string(Formula::kMostCharacters, ' ')));
        std::string sum = "tps";
        while (sum.size() < Formula::kMostCharacters - 10)
            sum += " + tps";
        QVERIFY(Formula::parse(sum));
        for (int c = 1; c < 256; ++c)
            (void)Formula::parse(std::string("tps ") + static_cast<char>(c) + " 2" + static_cast<char>(c));
    }
};

} // namespace dyno::tst_formula

DYNO_SUITE(tst_formula, dyno::tst_formula::TestFormula)
#include "tst_formula.moc"
