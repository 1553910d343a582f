// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a real database file as its driver describes them, and scripts made for them, which are tried there.
#include "recording_sink.h"
#include "support/suite.h"

#include <dyno/plan.h>
#include <dyno/runner.h>
#include <dyno/script_text.h>
#include <dyno/script_try.h>
#include <dyno/script_words.h>
#include <dyno/table_script.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sqlite3.h>

namespace dyno::tst_table_script {
using namespace dyno::test;

namespace {

constexpr const char* kTables =
    "CREATE TABLE products (id INTEGER PRIMARY KEY, sku VARCHAR(16) NOT NULL, price DECIMAL(5,2) NOT NULL, stock INT, "
    "twice INT GENERATED ALWAYS AS (stock * 2), made TEXT DEFAULT 'now', shape BLOB);"
    "CREATE TABLE \"order\" (place BIGINT NOT NULL PRIMARY KEY, \"key\" CHAR(3) NOT NULL);"
    "CREATE TABLE lines (orders INT, line INT, pieces INT, PRIMARY KEY (orders, line));"
    "CREATE TABLE words (word TEXT PRIMARY KEY);"
    "CREATE TABLE picture (id INT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE fixed (id INT PRIMARY KEY DEFAULT 1, n INT DEFAULT 1);"
    "CREATE VIEW dear AS SELECT * FROM products WHERE price > 100;"
    "INSERT INTO products (id, sku, price, stock) VALUES (3, 'a', 1.5, 4), (4, 'b', 2, 5), (9, 'c', 3, 6);"
    "INSERT INTO \"order\" VALUES (7, 'x'); INSERT INTO lines VALUES (1, 1, 2), (1, 2, 3);"
    "INSERT INTO picture VALUES (1, x'00')";

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace

class TestTableScript : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void readsTables();
    void readsThemWhileTheScriptIsWrong();
    void asksForAnAgreement();
    void makesTransactionsThatRun_data();
    void makesTransactionsThatRun();
    void writesWhatColumnsTake();
    void saysWhatATableLacks();
    void staysWithinTheKeysType();
    void keepsOthersWordsInComments();
    void knowsTypesByTheirWholeName();
    void addsSectionsToAScript();
    void listsWords();

private:
    [[nodiscard]] Plan plan(const std::string& script = "SELECT 1;") const
    {
        Plan made = smallPlan("sqlite:" + m_file.toStdString(), "script");
        made.workload.params = {{"scripts", script}, {"schema", std::string("none")}};
        return made;
    }
    [[nodiscard]] static RunnerOptions agreed()
    {
        RunnerOptions options;
        options.consent.allow("all");
        return options;
    }
    [[nodiscard]] const TableInfo& table(const char* name) const
    {
        const auto found = std::ranges::find(m_tables, std::string(name), &TableInfo::name);
        return found == m_tables.end() ? m_none : *found;
    }

    QTemporaryDir m_folder;
    QString m_file;
    std::vector<TableInfo> m_tables;
    TableInfo m_none;
};

void TestTableScript::initTestCase()
{
    m_file = m_folder.filePath("shop.db");
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(m_file.toUtf8().constData(), &database), SQLITE_OK);
    char* problem = nullptr;
    QVERIFY2(sqlite3_exec(database, kTables, nullptr, nullptr, &problem) == SQLITE_OK, problem ? problem : "");
    sqlite3_close(database);
    const auto read = readTables(plan(), agreed());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->more, std::size_t(0));
    m_tables = read->tables;
}

void TestTableScript::readsTables()
{
    QStringList names;
    for (const TableInfo& one : m_tables)
        names << qt(one.written);
    QCOMPARE(names, QStringList({"dear", "fixed", "lines", "\"order\"", "picture", "products", "words"}));
    QVERIFY(table("dear").view);
    const TableInfo& products = table("products");
    QCOMPARE(products.rows, std::int64_t(9)); // the greatest row number: nobody has analysed it
    QCOMPARE(products.columns.size(), std::size_t(7));
    const ColumnInfo &id = products.columns[0], &sku = products.columns[1], &price = products.columns[2],
                     &twice = products.columns[4], &made = products.columns[5];
    QVERIFY(id.keyPlace == 1 && id.whole && id.filled && !id.computed);
    QCOMPARE(qt(sku.type), QString("varchar(16)"));
    QVERIFY(!sku.nullable && !sku.number && sku.keyPlace == 0);
    QVERIFY(price.number && !price.whole);
    QVERIFY(twice.computed && twice.filled);
    QVERIFY(made.filled && !made.computed && made.nullable);
    const TableInfo& fixed = table("fixed");
    QVERIFY(!fixed.columns[0].filled && fixed.columns[1].filled); // one value makes no keys
    const TableInfo& lines = table("lines");
    QCOMPARE(lines.columns[0].keyPlace, 1);
    QCOMPARE(lines.columns[1].keyPlace, 2);
    QCOMPARE(qt(table("order").columns[1].written), QString("\"key\""));
}

void TestTableScript::readsThemWhileTheScriptIsWrong()
{
    const auto read = readTables(plan("\\set id random(1,"), agreed());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->tables.size(), m_tables.size());
}

void TestTableScript::asksForAnAgreement()
{
    QVERIFY(!readTables(plan(), {}));
    QVERIFY(!readTableScript(plan(), {}, table("products")));
}

void TestTableScript::makesTransactionsThatRun_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QStringList>("sections");
    QTest::newRow("products") << QByteArray("products")
                              << QStringList({"products_read 70", "products_update 20", "products_insert 5",
                                              "products_delete 5"});
    QTest::newRow("reserved") << QByteArray("order")
                              << QStringList({"order_read 70", "order_update 20", "order_insert 5", "order_delete 5"});
    QTest::newRow("two columns") << QByteArray("lines") << QStringList({"lines_read 70"});
    QTest::newRow("bytes") << QByteArray("picture") << QStringList({"picture_read 70", "picture_delete 5"});
}

void TestTableScript::makesTransactionsThatRun()
{
    QFETCH(QByteArray, name);
    QFETCH(QStringList, sections);
    const auto made = readTableScript(plan(), agreed(), table(name.constData()));
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    const auto mistake = scriptMistake(*made);
    QVERIFY2(!mistake, mistake ? mistake->what.c_str() : "");
    QStringList found;
    for (const ScriptSection& one : scriptSections(*made)) {
        found << QString("%1 %2").arg(qt(one.name)).arg(one.weight);
        for (const char* protocol : {"simple", "prepared"}) {
            Plan with = plan(*made);
            with.workload.params["protocol"] = std::string(protocol);
            const auto tried = tryScript(with, agreed(), {.section = one.name});
            QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
            QVERIFY2(tried->problem.empty(), (one.name + ": " + tried->problem).c_str());
            QVERIFY(tried->rolledBack);
            if (one.name.ends_with("_insert"))
                QCOMPARE(tried->statements[1].changed, std::int64_t(1));
        }
    }
    QCOMPARE(found, sections);
}

void TestTableScript::writesWhatColumnsTake()
{
    const auto made = readTableScript(plan(), agreed(), table("products"));
    QVERIFY(made);
    const QString text = qt(*made);
    QVERIFY2(text.contains("\\set id random(3, 9)\nSELECT id, sku, price, stock, twice, made, shape FROM products "
                           "WHERE id = :id;\n"),
             qPrintable(text));
    QVERIFY2(text.contains("UPDATE products SET stock = :stock WHERE id = :id;"), qPrintable(text));
    QVERIFY2(text.contains("INSERT INTO products (sku, price, stock) VALUES ('text :sku', :price, :stock);"),
             qPrintable(text));
    const auto order = readTableScript(plan(), agreed(), table("order"));
    QVERIFY(order);
    QVERIFY2(qt(*order).contains("\\set place random(8, 1000000007)\n\\set key random(1, 9)\n"
                                 "INSERT INTO \"order\" (place, \"key\") VALUES (:place, ':key');"),
             order->c_str());
}

void TestTableScript::saysWhatATableLacks()
{
    for (const auto& [name, words] : {std::pair("dear", "is a view"), std::pair("words", "whole numbers")}) {
        const auto made = readTableScript(plan(), agreed(), table(name));
        QVERIFY(!made);
        QVERIFY2(qt(made.error().message).contains(words), made.error().message.c_str());
    }
    TableInfo keyless;
    keyless.name = keyless.written = "log";
    keyless.columns.resize(1);
    QVERIFY(qt(scriptForTable(keyless, {}).error().message).contains("no primary key"));
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(m_file.toUtf8().constData(), &database), SQLITE_OK);
    sqlite3_exec(database, "CREATE TABLE empty (id INT PRIMARY KEY); INSERT INTO picture VALUES ('9x', x'00')", nullptr,
                 nullptr, nullptr);
    sqlite3_close(database);
    TableInfo empty = keyless;
    empty.name = empty.written = "empty";
    empty.columns[0].name = empty.columns[0].written = "id";
    empty.columns[0].keyPlace = 1;
    empty.columns[0].whole = true;
    const auto none = readTableScript(plan(), agreed(), empty);
    QVERIFY(!none && qt(none.error().message).contains("no rows"));
    const auto odd = readTableScript(plan(), agreed(), table("picture"));
    QVERIFY(!odd && qt(odd.error().message).contains("no whole numbers of 64 bits"));
}

void TestTableScript::staysWithinTheKeysType()
{
    TableInfo one;
    one.name = one.written = "small";
    ColumnInfo& key = one.columns.emplace_back();
    key.name = key.written = "scale"; // a variable of every script has this name
    key.type = "smallint";
    key.keyPlace = 1;
    key.whole = true;
    const auto some = scriptForTable(one, {1, 32'000});
    QVERIFY(some && some->find("\\set scale_value random(32001, 32767)") != std::string::npos);
    const auto full = scriptForTable(one, {1, 32'767});
    QVERIFY(full && full->find("_insert") == std::string::npos &&
            full->find("-- No rows are added") != std::string::npos);
    QVERIFY(!scriptMistake(*full));
    key.type = "bigint";
    const auto large = scriptForTable(one, {-5, INT64_MAX - 10});
    QVERIFY(large && large->find("random(9223372036854775798, 9223372036854775806)") != std::string::npos);
    key.type = "int"; // on a server where an INT has 64 bits
    const auto wide = scriptForTable(one, {1, 3'000'000'000});
    QVERIFY(wide && wide->find("random(3000000001, 4000000000)") != std::string::npos);
    key.type = "int unsigned";
    const auto unsignedKey = scriptForTable(one, {1, 4'294'967'290});
    QVERIFY(unsignedKey && unsignedKey->find("random(4294967291, 4294967295)") != std::string::npos);
}

//! Names and types are whatever somebody gave them on the server.
void TestTableScript::keepsOthersWordsInComments()
{
    TableInfo one = table("picture");
    one.name = "picture\nDELETE FROM a;";
    one.columns[1].name = "bytes\r\n\\transaction more 9\nDELETE FROM b;";
    one.columns[1].type = "blob\nDELETE FROM c;";
    const auto made = scriptForTable(one, {1, 1});
    QVERIFY(made);
    QStringList names;
    for (const ScriptSection& section : scriptSections(*made))
        names << qt(section.name);
    QCOMPARE(names.size(), 2); // to read and to delete
    for (const QString& line : qt(*made).split(QRegularExpression("[\r\n]")))
        QVERIFY2(!line.startsWith("DELETE") || line.startsWith("DELETE FROM picture WHERE"), qPrintable(line));
}

void TestTableScript::knowsTypesByTheirWholeName()
{
    TableInfo one = table("picture");
    ColumnInfo& column = one.columns[1];
    const auto insertFor = [&](const char* type, bool number) {
        column.type = type;
        column.number = column.whole = number;
        const auto made = scriptForTable(one, {1, 1});
        const QString text = made ? qt(*made) : QString();
        const qsizetype begin = text.indexOf("INSERT");
        return begin < 0 ? QString() : text.mid(begin, text.indexOf('\n', begin) - begin);
    };
    QCOMPARE(insertFor("bit(1)", true), QString("INSERT INTO picture (id, bytes) VALUES (:id, 0);"));
    QCOMPARE(insertFor("decimal(2,2)", true), QString("INSERT INTO picture (id, bytes) VALUES (:id, 0);"));
    QCOMPARE(insertFor("decimal(3,2)", true), QString("INSERT INTO picture (id, bytes) VALUES (:id, :bytes);"));
    QCOMPARE(insertFor("chart_kind", false), QString());
    QCOMPARE(insertFor("character varying(20)", false),
             QString("INSERT INTO picture (id, bytes) VALUES (:id, 'text :bytes');"));
}

void TestTableScript::addsSectionsToAScript()
{
    const std::string added = "\\transaction a 70\nSELECT 1;\n\n\\transaction b 5\nSELECT 2;\n";
    QCOMPARE(qt(withSections("", added)), qt(added));
    QCOMPARE(qt(withSections("SELECT 7;", added)), "\\transaction script 75\nSELECT 7;\n\n" + qt(added));
    const std::string twice = withSections(added, added);
    QCOMPARE(qt(twice), qt(added) + "\n\\transaction a_2 70\nSELECT 1;\n\n\\transaction b_2 5\nSELECT 2;\n");
    QVERIFY(!scriptMistake(twice));
    const std::string head =
        "+++\n[[tables]]\nname = \"t\"\nrows = 1\n[tables.columns]\nid = { type = \"INT\", sequence = 1 }\n+++\n";
    const std::string joined = withSections(head + "SELECT 7;\n", added);
    QVERIFY(joined.starts_with(head + "\\transaction script 75\nSELECT 7;\n"));
    QVERIFY(!scriptMistake(joined));
    const std::string wrong = "+++\nname = = 1\n+++\nSELECT 7;\n";
    QCOMPARE(qt(withSections(wrong, added)), qt(wrong));
}

void TestTableScript::listsWords()
{
    const auto holds = [](const std::vector<std::string>& all, const char* word) {
        return std::ranges::find(all, word) != all.end();
    };
    QVERIFY(holds(scriptCommands(), "\\set") && holds(scriptCommands(), "\\transaction"));
    QVERIFY(holds(scriptFunctions(), "random_zipfian") && holds(scriptFunctions(), "abs"));
    for (const std::string& command : scriptCommands())
        QVERIFY2(command.size() > 2 && command[0] == '\\', command.c_str());
    const auto variables = scriptVariables("\\set id random(1, 9)\nSELECT ':no', :other, x::int FROM t;");
    QVERIFY(holds(variables, "id") && holds(variables, "other") && holds(variables, "client_id"));
    QVERIFY(!holds(variables, "int") && !holds(variables, "no"));
}

} // namespace dyno::tst_table_script

DYNO_SUITE(tst_table_script, dyno::tst_table_script::TestTableScript)
#include "tst_table_script.moc"
