// SPDX-License-Identifier: GPL-3.0-or-later
// The statements of a run on the Run page: shares in the side column, a click leads to the plan.
#include "format.h"
#include "run/statements_card.h"
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/run_page_fixture.h"

#include <dyno/runner.h>

#include <QPlainTextEdit>
#include <QStandardItemModel>
#include <QTableView>

#include <algorithm>

namespace dyno::tst_statements_card {

class TestStatementsCard : public test::RunPageTest
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup() { closePage(); }

    //! A run on a real database file, replayed.
    void aClickShowsThePlan()
    {
        Plan plan;
        plan.title = "Statements";
        plan.target.uri = "sqlite:" + m_library.path("bench.db").toStdString();
        plan.workload.name = "oltp_read_only";
        plan.workload.params["table_size"] = std::int64_t(200);
        plan.load.timeSeconds = 0.3;
        plan.load.intervalSeconds = 0.1;
        RunnerOptions options;
        options.library = m_library.file();
        options.workDir = m_library.path("work").toStdString();
        SessionRunner runner(plan, options, {});
        runner.start();
        runner.wait();

        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(QString::fromStdString(runner.sessionId()));
        QVERIFY(ready.wait(test::kPatienceMs));
        StatementsCard& card = m_page->statements();
        QTRY_VERIFY(card.statements().kept.has_value());
        QVERIFY(card.isVisible());
        auto* table = find<QTableView>("statementShares");
        const QAbstractItemModel* rows = table->model();
        int row = 0;
        while (row < rows->rowCount() && rows->index(row, 0).data().toString() != QStringLiteral("sum_range"))
            ++row;
        QVERIFY(row < rows->rowCount());
        const QString operation = rows->index(row, 0).data().toString();
        table->scrollTo(rows->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(rows->index(row, 0)).center());
        StatementsDialog* dialog = card.dialog();
        QVERIFY(dialog);
        QVERIFY(dialog->isVisible());
        QCOMPARE(dialog->chosen(), operation);
        const QString text = dialog->planText();
        QVERIFY2(text.contains(QStringLiteral("SUM(k)")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("SEARCH sbtest1")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("CREATE TABLE sbtest1")), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("DISTINCT")));
        // Another operation, by the dialog's own table.
        auto* kinds = dialog->findChild<QTableView*>(QStringLiteral("statementKinds"));
        QCOMPARE(kinds->model()->rowCount(), rows->rowCount());
        const QModelIndex chosen = kinds->currentIndex();
        QCOMPARE(kinds->model()->headerData(5, Qt::Horizontal).toString(), QStringLiteral("Rows"));
        const auto& shares = card.statements().kinds;
        const auto sums = std::ranges::find(shares, std::string("sum_range"), &KindShare::name);
        QVERIFY(sums != shares.end() && sums->rows.value_or(0) > 0);
        QCOMPARE(chosen.siblingAtColumn(5).data().toString(), format::count(qint64(*sums->rows)));
        QVERIFY(rows->index(row, 0).data(Qt::ToolTipRole).toString().endsWith(QStringLiteral(" rows")));
        dialog->choose(QStringLiteral("point_select"));
        QVERIFY(dialog->planText().startsWith(QStringLiteral("SELECT c FROM sbtest1 WHERE id=")));
        auto* note = dialog->findChild<QLabel*>(QStringLiteral("digestNote"));
        QVERIFY(note->text().contains(QStringLiteral("reads no statement counts")));
        auto* observing = dialog->findChild<QLabel*>(QStringLiteral("observingCost"));
        QVERIFY2(observing->text().contains(QStringLiteral("host (kernel files): ")), qPrintable(observing->text()));
        dialog->close();
        QTRY_VERIFY(!card.dialog());
    }
    //! An older session keeps none: its own figures are there all the same.
    void withoutKeptStatements()
    {
        const QString id = m_library.addShort("Older");
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(id);
        QVERIFY(ready.wait(test::kPatienceMs));
        StatementsCard& card = m_page->statements();
        QTRY_VERIFY(!card.statements().kinds.empty());
        card.open({});
        QCOMPARE(card.dialog()->planText(), QStringLiteral("No plans are kept with this run"));
        QCOMPARE(card.dialog()->findChild<QLabel*>(QStringLiteral("observingCost"))->text(),
                 QStringLiteral("Not known"));
    }
};

} // namespace dyno::tst_statements_card

DYNO_WIDGET_SUITE(tst_statements_card, dyno::tst_statements_card::TestStatementsCard)
#include "tst_statements_card.moc"
