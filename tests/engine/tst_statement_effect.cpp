// SPDX-License-Identifier: GPL-3.0-or-later
// What a statement's words tell: whether it only reads, and whether it is a step of a transaction. Its class is looked
// at by tst_script_workload.
#include "support/suite.h"
#include "workload/statement_effect.h"

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
        row("SELECT a FROM t WHERE b = 'delete; into'", true);
        row("SELECT 'it\\'s; DELETE FROM t --'", false); // on some servers a backslash quotes nothing
        row("SELECT setval('a', 1)", false);
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
