// SPDX-License-Identifier: GPL-3.0-or-later
// Foreign keys of the TPC-C-like workload on SQLite: made with the tables, and enforced, or the run is refused.
#include "recording_sink.h"

#include "driver/driver.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_tpcc_keys {
using namespace dyno::test;

class TstTpccKeys : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] std::string file(const char* name) const { return m_folder.filePath(name).toStdString(); }
    static Plan plan(const std::string& file)
    {
        Plan plan = smallPlan("sqlite:" + file, "tpcc");
        plan.workload.params = {{"warehouses", std::int64_t(2)},
                                {"customers", std::int64_t(30)},
                                {"items", std::int64_t(100)},
                                {"foreign_keys", true}};
        plan.set["connection.synchronous"] = std::string("OFF");
        return plan;
    }
    static std::unique_ptr<Admin> admin(const std::string& file)
    {
        ConnectTarget target;
        target.uri = *parseUri("sqlite:" + file);
        Faults faults;
        target.connection = resolve(driverFor("sqlite")->info().connection, {}, "connection", faults);
        target.connectionExtra = {{"foreign_keys", true}};
        auto admin = driverFor("sqlite")->admin(target);
        return admin ? std::move(*admin) : nullptr;
    }
    static QString cell(Admin& admin, const std::string& query)
    {
        const auto rows = admin.query(query);
        return QString::fromStdString(!rows           ? rows.error().text()
                                      : rows->empty() ? std::string("(no row)")
                                                      : rows->front().front());
    }

private slots:
    //! A connection that does not ask for it enforces nothing.
    void refusedWhereTheyAreNotEnforced()
    {
        for (const bool told : {false, true}) {
            Plan plan = TstTpccKeys::plan(file("off.db"));
            if (told)
                plan.set["connection.foreign_keys"] = false;
            RecordingSink sink;
            runPlan(plan, {}, sink);
            for (const RunSummary& run : sink.summaries)
                QVERIFY(run.status == RunStatus::Failed && run.transactions == 0);
            const QString reason = QString::fromStdString(sink.session.reason);
            QVERIFY2(reason.contains("would not enforce the foreign keys") &&
                         reason.contains("connection.foreign_keys = true"),
                     qPrintable(reason));
            const auto there = admin(file("off.db"));
            QVERIFY(there);
            QCOMPARE(cell(*there, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'orders'"), QString("0"));
        }
    }

    //! The data are the same for both points; only the first one's connection enforces them.
    void refusedWhereALaterPointDoesNot()
    {
        Plan plan = TstTpccKeys::plan(file("both.db"));
        plan.axes.push_back(
            {"enforced",
             {{"on", {{"connection.foreign_keys", true}}, 0}, {"off", {{"connection.foreign_keys", false}}, 0}},
             0});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY(!sink.summaries.empty() && sink.summaries[0].status == RunStatus::Done &&
                sink.summaries[0].transactions > 0);
        for (std::size_t i = 1; i < sink.summaries.size(); ++i)
            QVERIFY(sink.summaries[i].status == RunStatus::Failed && sink.summaries[i].transactions == 0);
        const QString reason = QString::fromStdString(sink.session.reason);
        QVERIFY2(reason.contains("would not enforce the foreign keys"), qPrintable(reason));
    }

    //! Loaded, run, and loaded again over what is there: tables go children first.
    void enforcedWhereTheConnectionAsks()
    {
        Plan plan = TstTpccKeys::plan(file("on.db"));
        plan.set["connection.foreign_keys"] = true;
        plan.workload.prepare = PreparePolicy::Always;
        for (int i = 0; i < 2; ++i) {
            RecordingSink sink;
            runPlan(plan, {}, sink);
            QCOMPARE(QString::fromStdString(sink.session.reason), QString());
            QCOMPARE(sink.summaries.at(0).failed, std::uint64_t(0));
            QVERIFY(sink.summaries.at(0).operations.at(0).count > 0);
            const auto there = admin(file("on.db"));
            QVERIFY(there);
            std::string all;
            for (const TableSpec& table : test::bind("tpcc", plan.workload.params, "sqlite")->tables())
                all += (all.empty() ? "SELECT (" : " + (") +
                       ("SELECT COUNT(DISTINCT id) FROM pragma_foreign_key_list('" + table.name + "'))");
            QCOMPARE(cell(*there, all), QString("10"));
            QCOMPARE(cell(*there, "SELECT COUNT(*) FROM pragma_foreign_key_check"), QString("0"));
            QVERIFY(cell(*there, "SELECT COUNT(*) FROM orders").toInt() > 2 * 10 * 30);
            const auto orphan =
                there->execute("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (9999, 1, 1)");
            QVERIFY(!orphan && orphan.error().text().find("FOREIGN KEY") != std::string::npos);
            for (const DataCheck& check : test::bind("tpcc", plan.workload.params, "sqlite")->checks())
                QCOMPARE(cell(*there, check.query) + " " + check.name.c_str(), QString("0 ") + check.name.c_str());
        }
    }
};

} // namespace dyno::tst_tpcc_keys

DYNO_SUITE(tst_tpcc_keys, dyno::tst_tpcc_keys::TstTpccKeys)
#include "tst_tpcc_keys.moc"
