// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest.h"
#include "support/suite.h"
#include <dyno/value.h>

#include <QTest>

#include <cmath>
#include <limits>

namespace dyno::tst_value {

namespace {

using Bytes = std::optional<std::int64_t>;
using Seconds = std::optional<double>;

OptionSpec option(OptionType type, Value value = std::string())
{
    return {.name = "knob", .type = type, .defaultValue = std::move(value)};
}

Value coerced(const OptionSpec& spec, const Value& value)
{
    const Expected<Value> result = coerce(spec, value);
    return result ? *result : Value(std::string("refused: ") + result.error().text());
}

OptionSpecs threeOptions()
{
    return {
        {.name = "tables", .type = OptionType::Integer, .defaultValue = std::int64_t(1), .minimum = 1, .maximum = 100},
        {.name = "skip_trx", .type = OptionType::Bool, .defaultValue = false},
        {.name = "pause", .type = OptionType::Duration, .defaultValue = std::string("2m")},
    };
}

} // namespace

class TstValue : public QObject
{
    Q_OBJECT

private slots:
    void readsWhatPersonsType_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("index");
        QTest::newRow("true") << "true" << 0;
        QTest::newRow("ON") << "ON" << 0;
        QTest::newRow("off") << "off" << 0;
        QTest::newRow("integer") << "42" << 1;
        QTest::newRow("negative") << "-2000" << 1;
        QTest::newRow("blanks") << " 7 " << 1;
        QTest::newRow("real") << "0.8" << 2;
        QTest::newRow("exponent") << "1e6" << 2;
        QTest::newRow("too large for an integer") << "9223372036854775808" << 2;
        QTest::newRow("text") << "FULL" << 3;
        QTest::newRow("size stays text") << "64M" << 3;
        QTest::newRow("nan is a word") << "nan" << 3;
        QTest::newRow("inf is a word") << "inf" << 3;
        QTest::newRow("version stays text") << "10.11.4" << 3;
        QTest::newRow("empty") << "" << 3;
        QTest::newRow("lone minus") << "-" << 3;
    }
    void readsWhatPersonsType()
    {
        QFETCH(QString, text);
        QTEST(int(parseValue(text.toStdString()).index()), "index");
    }

    void textReadsBack_data()
    {
        QTest::addColumn<int>("row");
        for (int i = 0; i < 11; ++i)
            QTest::newRow(qPrintable(QString::number(i))) << i;
    }
    void textReadsBack()
    {
        const std::vector<Value> values = {true,
                                           false,
                                           std::int64_t(0),
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(),
                                           0.1,
                                           1.0,
                                           -2.5e-9,
                                           1e300,
                                           0.1 + 0.2,
                                           std::string("durable")};
        QFETCH(int, row);
        const Value& value = values.at(std::size_t(row));
        QVERIFY2(parseValue(toText(value)) == value, toText(value).c_str());
    }

    void readsSizes()
    {
        QCOMPARE(parseBytes("4096"), Bytes(4096));
        QCOMPARE(parseBytes("64M"), Bytes(64 * 1024 * 1024));
        QCOMPARE(parseBytes("64m"), Bytes(64 * 1024 * 1024));
        QCOMPARE(parseBytes("1GiB"), Bytes(1024 * 1024 * 1024));
        QCOMPARE(parseBytes("1 GB"), Bytes(1024 * 1024 * 1024));
        QCOMPARE(parseBytes("1.5K"), Bytes(1536));
        QCOMPARE(parseBytes("12b"), Bytes(12));
        QCOMPARE(parseBytes("0"), Bytes(0));
        QCOMPARE(parseBytes("9007199254740993"), Bytes(9007199254740993)); // 2^53 + 1: a double would round it
        for (const char* bad :
             {"", "M", "64X", "64MX", "64 M B", "-1", "1.5", "1e3", "9223372036854775808", "8192P", "1.2.3"})
            QVERIFY2(!parseBytes(bad), bad);
    }

    void readsDurations()
    {
        QCOMPARE(parseSeconds("30"), Seconds(30.0));
        QCOMPARE(parseSeconds("30s"), Seconds(30.0));
        QCOMPARE(parseSeconds("2m"), Seconds(120.0));
        QCOMPARE(parseSeconds("1h"), Seconds(3600.0));
        QCOMPARE(parseSeconds("1.5 h"), Seconds(5400.0));
        QCOMPARE(parseSeconds("500ms"), Seconds(0.5));
        QCOMPARE(parseSeconds("250us"), Seconds(250e-6));
        QCOMPARE(parseSeconds("1h30m"), Seconds(5400.0));
        QCOMPARE(parseSeconds("1m 30s"), Seconds(90.0));
        for (const char* bad : {"", "s", "-1s", "1x", "30m1h", "1m1m", "1m30", "1 2", "soon"})
            QVERIFY2(!parseSeconds(bad), bad);
    }

    void coercesToTheOptionsType()
    {
        QCOMPARE(coerced(option(OptionType::Bool), std::string("Yes")), Value(true));
        QCOMPARE(coerced(option(OptionType::Bool), std::int64_t(0)), Value(false));
        QCOMPARE(coerced(option(OptionType::Integer), 3.0), Value(std::int64_t(3)));
        QCOMPARE(coerced(option(OptionType::Integer), std::string("12")), Value(std::int64_t(12)));
        QCOMPARE(coerced(option(OptionType::Real), std::int64_t(2)), Value(2.0));
        QCOMPARE(coerced(option(OptionType::Bytes), std::string("1K")), Value(std::int64_t(1024)));
        QCOMPARE(coerced(option(OptionType::Duration), std::string("2m")), Value(120.0));
        QCOMPARE(coerced(option(OptionType::Duration), std::int64_t(5)), Value(5.0));
        QCOMPARE(coerced(option(OptionType::Text), std::int64_t(5)), Value(std::string("5")));

        OptionSpec choice = option(OptionType::Choice);
        choice.choices = {"OFF", "NORMAL", "FULL"};
        QCOMPARE(coerced(choice, std::string("normal")), Value(std::string("NORMAL")));
        // "synchronous = off" reads as a Bool
        QCOMPARE(coerced(choice, false), Value(std::string("OFF")));
        choice.choices = {"default", "true", "false"}; // a flag that got a third value
        for (const Value& yes :
             {Value(true), Value(std::string("on")), Value(std::string("Yes")), Value(std::int64_t(1))})
            QCOMPARE(coerced(choice, yes), Value(std::string("true")));
        QCOMPARE(coerced(choice, std::string("off")), Value(std::string("false")));
        QVERIFY(!coerce(choice, std::string("maybe")) && !coerce(choice, std::int64_t(2)));
        choice.choices = {"512", "4096"};
        QCOMPARE(coerced(choice, std::int64_t(4096)), Value(std::string("4096")));
    }

    void refusalsSayWhatWouldBeRight()
    {
        OptionSpec tables = option(OptionType::Integer);
        tables.name = "tables";
        tables.unit = "tables";
        tables.minimum = 1;
        tables.maximum = 100;
        const Expected<Value> tooMany = coerce(tables, std::int64_t(101));
        QVERIFY(!tooMany);
        QCOMPARE(tooMany.error().kind, ErrorKind::BadInput);
        QCOMPARE(tooMany.error().where, std::string("tables"));
        QCOMPARE(tooMany.error().message, std::string("101 is not a whole number from 1 to 100 tables"));
        QCOMPARE(tooMany.error().remedy, std::string("give a whole number from 1 to 100 tables"));
        QVERIFY(coerce(tables, std::int64_t(100)));
        QVERIFY(coerce(tables, std::int64_t(1)));
        QVERIFY(!coerce(tables, std::int64_t(0)));
        QVERIFY(!coerce(tables, 1.5));
        QVERIFY(!coerce(tables, true));
        QVERIFY(!coerce(tables, std::string("many")));

        OptionSpec choice = option(OptionType::Choice);
        choice.choices = {"OFF", "NORMAL", "FULL"};
        const Expected<Value> unknown = coerce(choice, std::string("EXTREME"));
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().message, std::string("\"EXTREME\" is not one of OFF, NORMAL, FULL"));
        QVERIFY(!coerce(choice, true)); // no choice is called on

        QVERIFY(!coerce(option(OptionType::Real), std::numeric_limits<double>::quiet_NaN()));
        QVERIFY(!coerce(option(OptionType::Real), std::string("inf")));
        QVERIFY(!coerce(option(OptionType::Bool), std::int64_t(2)));
        QVERIFY(!coerce(option(OptionType::Integer), 1e19));
    }

    void resolveOverlaysDefaults()
    {
        Faults faults;
        const Settings settings = resolve(threeOptions(), {{"tables", std::int64_t(4)}}, "workload", faults);
        QVERIFY(faults.empty());
        QCOMPARE(settings.size(), std::size_t(3));
        QCOMPARE(integerOf(settings, "tables"), std::int64_t(4));
        QCOMPARE(boolOf(settings, "skip_trx", true), false);
        QCOMPARE(settings.at("pause"), Value(120.0)); // a default has the option's type too
    }

    void resolveListsAllFaults()
    {
        Faults faults;
        const Settings settings = resolve(
            threeOptions(), {{"table", std::int64_t(4)}, {"tables", std::int64_t(0)}, {"zzz", true}, {"pause", false}},
            "workload", faults);
        QCOMPARE(faults.size(), std::size_t(4));
        const auto at = [&faults](std::string_view where) {
            const auto it =
                std::find_if(faults.begin(), faults.end(), [&](const Fault& f) { return f.where == where; });
            return it == faults.end() ? Fault{} : *it;
        };
        QCOMPARE(at("workload.table").remedy, std::string("did you mean \"tables\"?"));
        QCOMPARE(at("workload.zzz").remedy, std::string("known: tables, skip_trx, pause"));
        QVERIFY(at("workload.tables").what.find("from 1 to 100") != std::string::npos);
        QVERIFY(at("workload.pause").what.find("30s") != std::string::npos);
        // what was refused keeps its default
        QCOMPARE(integerOf(settings, "tables"), std::int64_t(1));
        QVERIFY(!settings.contains("zzz"));
    }

    void getters()
    {
        const Settings settings = {{"flag", std::string("on")},
                                   {"count", 12.0},
                                   {"size", std::string("2K")},
                                   {"share", std::int64_t(1)},
                                   {"word", std::string("x")}};
        QCOMPARE(boolOf(settings, "flag"), true);
        QCOMPARE(boolOf(settings, "word", true), true);
        QCOMPARE(boolOf(settings, "absent", true), true);
        QCOMPARE(integerOf(settings, "count"), std::int64_t(12));
        QCOMPARE(integerOf(settings, "size"), std::int64_t(2048));
        QCOMPARE(integerOf(settings, "word", 7), std::int64_t(7));
        QCOMPARE(realOf(settings, "share"), 1.0);
        QCOMPARE(realOf(settings, "absent", 0.5), 0.5);
        QCOMPARE(textOf(settings, "word"), std::string("x"));
        QCOMPARE(textOf(settings, "absent", "none"), std::string("none"));
    }

    void nearestNames()
    {
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t(3)); // the textbook's example
        QCOMPARE(editDistance("", "abc"), std::size_t(3));
        QCOMPARE(editDistance("Table-Size", "table_size"), std::size_t(0));
        const std::vector<std::string> names = {"synchronous", "journal_mode", "cache_size"};
        QCOMPARE(nearestName("syncronous", names), std::string("synchronous"));
        QCOMPARE(nearestName("cachesize", names), std::string("cache_size"));
        QCOMPARE(nearestName("tables", names), std::string());
    }

    void errorText()
    {
        QCOMPARE((Error{ErrorKind::Failed, "it broke", "a.db", "mend it"}.text()),
                 std::string("a.db: it broke (mend it)"));
        QCOMPARE((Error{ErrorKind::Failed, "it broke", {}, {}}.text()), std::string("it broke"));
    }
};

} // namespace dyno::tst_value

DYNO_SUITE(tst_value, dyno::tst_value::TstValue)
#include "tst_value.moc"
