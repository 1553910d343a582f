// SPDX-License-Identifier: GPL-3.0-or-later
// What a statement's words tell: whether it only reads, and whether it is a step of a transaction. Its class is looked
// at by tst_script_workload.
#include "support/suite.h"
#include "workload/statement_effect.h"
#include "workload/statement_name.h"

#include <QTest>

namespace dyno::tst_statement_effect {

class TstStatementEffect : public QObject
{
    Q_OBJECT
private slots:
    void onlyReads_data()
    {
        QTest::addColumn<bool>("reads");
        const auto row = [](const char* text, bool reads) { QTest::newRow(text) << reads; };
        row("SELECT a FROM t WHERE b = 'delete; into'", false); // a text that could end a statement is not trusted
        row("SELECT 'it\\'s; DELETE FROM t --'", false);        // on some servers a backslash quotes nothing
        row("SELECT setval('a', 1)", false);
        row("SELECT set_config('default_transaction_read_only', 'off', false)", false);
        row("SELECT \"set_config\"('default_transaction_read_only', 'off', false)", false);
        row("SELECT U&\"\\0073et_config\"('default_transaction_read_only', 'off', false)", false);
        row("SELECT dblink('host=a', 'DELETE FROM t')", false);
        row("SELECT lo_unlink(5)", false);
        row("EXPLAIN SELECT * INTO copied FROM t", true);
        row("EXPLAIN ANALYZE SELECT * INTO copied FROM t", false);
        row("FETCH 5 FROM a", false);
        row("SELECT 1 -- x\r; DELETE FROM t", false); // a comment ends there on PostgreSQL
        row("SELECT 1 -- x\rINTO copied FROM t", false);
        row("SELECT 1 -- x\r\n, 2", true);
        row("SELECT 1 AS [a']; DELETE FROM t; SELECT 1 AS ['b]", false); // names on SQLite
        row("SELECT 1 AS [a'], load_extension('x') AS ['b]", false);
        row("SELECT ARRAY['a', 'b'] FROM t", true);
        row("SELECT a[1] FROM t", true);
        row("SELECT a FROM t WHERE b = 'delete into'", true);
        row("select `update` from t;", true);
        row("WITH a AS (SELECT 1) SELECT * FROM a", true);
        row("SHOW TABLES", true);
        row("EXPLAIN DELETE FROM t", false); // would do as well, and its words are those of a change
        row("SELECT a INTO OUTFILE '/tmp/x' FROM t", false);
        row("SELECT a INTO copy FROM t", false);
        row("SELECT a FROM t FOR UPDATE", false);
        row("SELECT a FROM t LOCK IN SHARE MODE", false);
        row("SELECT 1 /*! INTO OUTFILE '/tmp/x' */", false);
        row("SELECT 1 /*M!100000 INTO OUTFILE '/tmp/x' */", false);
        row("SELECT 1; DROP TABLE t", false);
        row("WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a", false);
        row("INSERT INTO t VALUES (1)", false);
        row("CALL work()", false);
        row("BEGIN", false);
        row("SET a = 1", false);
        row("-- nothing", false);
        row("", false);
    }
    void onlyReads()
    {
        QFETCH(bool, reads);
        QCOMPARE(dyno::onlyReads(QTest::currentDataTag()), reads);
    }

    void namesAreShort()
    {
        QCOMPARE(statementName("SELECT a, b FROM orders WHERE c = 1"), std::string("select_orders"));
        QCOMPARE(statementName("select * from `shop`.`orders` o, t"), std::string("select_orders"));
        QCOMPARE(statementName("INSERT INTO a.b.c (d) VALUES (1.5)"), std::string("insert_c"));
        QCOMPARE(statementName("update t set a = 1"), std::string("update_t"));
        QCOMPARE(statementName("select 1"), std::string("select"));
        QCOMPARE(statementName("select a from"), std::string("select"));
        QCOMPARE(statementName(""), std::string("statement"));
    }

    void stepsAreKnown()
    {
        QVERIFY(statementStep(" Start\n TRANSACTION ") == RequestKind::Begin);
        QVERIFY(statementStep("end work") == RequestKind::Commit);
        QVERIFY(statementStep("ROLLBACK") == RequestKind::Rollback);
        QVERIFY(statementStep("ROLLBACK TO a") == RequestKind::Text);
        QVERIFY(statementStep("SELECT 1") == RequestKind::Text);
    }
};

} // namespace dyno::tst_statement_effect

DYNO_SUITE(tst_statement_effect, dyno::tst_statement_effect::TstStatementEffect)
#include "tst_statement_effect.moc"
