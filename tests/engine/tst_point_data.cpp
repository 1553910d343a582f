// SPDX-License-Identifier: GPL-3.0-or-later
// What the data of one point are to the next one of its plan: the same, or loaded anew. Looked at in the file
// afterwards.
#include "recording_sink.h"

#include "driver/driver.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <dyno/plan.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace dyno::tst_point_data {
using namespace dyno::test;
namespace fs = std::filesystem;

class TstPointData : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] std::string file(const char* name) const { return m_folder.filePath(name).toStdString(); }
    static QString cell(const std::string& file, const std::string& query)
    {
        ConnectTarget target;
        target.uri = *parseUri("sqlite:" + file);
        Faults faults;
        target.connection = resolve(driverFor("sqlite")->info().connection, {}, "connection", faults);
        const auto admin = driverFor("sqlite")->admin(target);
        if (!admin)
            return QString::fromStdString(admin.error().text());
        const auto rows = (*admin)->query(query);
        return QString::fromStdString(!rows           ? rows.error().text()
                                      : rows->empty() ? std::string("(no row)")
                                                      : rows->front().front());
    }
    //! A small plan whose commits do not wait for the disk.
    static Plan quickPlan(const std::string& uri, const std::string& workload = "oltp_point_select")
    {
        Plan plan = smallPlan(uri, workload);
        plan.set["connection.synchronous"] = std::string("OFF");
        return plan;
    }
    //! Runs cases of one field one after the other; how many of them are said to load beforehand, of a file of the
    //! session's own.
    static int run(Plan plan, const std::string& field, const std::vector<Value>& values)
    {
        Axis axis{"case", {}, 0};
        for (const Value& value : values)
            axis.cases.push_back({toText(value), {{field, value}}, 0});
        plan.axes.push_back(axis);
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QTest::qVerify(sink.session.status == RunStatus::Done && sink.summaries.size() == values.size(), "done",
                       sink.session.reason.c_str(), __FILE__, __LINE__);
        for (const RunSummary& summary : sink.summaries)
            QTest::qVerify(summary.failed == 0 && summary.transactions > 0, "no transaction failed",
                           summary.reason.c_str(), __FILE__, __LINE__);
        plan.target.uri = "sqlite:"; // what a file holds is not known beforehand
        return int(std::ranges::count_if(expand(plan).runs, &RunSlot::loads));
    }

private slots:
    //! oltp_point_query has an index on k where its parameter says so; CREATE TABLE is the same with and without it.
    void anIndexMadeAfterTheLoad()
    {
        const std::string indexes =
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'sbtest1' AND sql IS NOT NULL";
        for (const bool last : {false, true}) {
            const std::string where = file(last ? "with.db" : "without.db");
            QCOMPARE(run(quickPlan("sqlite:" + where), "workload.create_secondary", {!last, last}), 2);
            QCOMPARE(cell(where, indexes), QString::number(int(last)));
        }
        QCOMPARE(
            run(quickPlan("sqlite:" + file("same.db")), "workload.point_selects", {std::int64_t(1), std::int64_t(2)}),
            1);
    }

    void sizesOfValues()
    {
        Plan plan = quickPlan("sqlite:" + file("values.db"), "large_values");
        plan.workload.params = {{"rows", std::int64_t(50)}, {"size_distribution", std::string("constant")}};
        QCOMPARE(run(plan, "workload.size", {std::int64_t(2000), std::int64_t(300)}), 2);
        QCOMPARE(cell(file("values.db"), "SELECT MAX(size) FROM large_values"), QString("300"));
    }

    //! The copy of one point's data is not put back for another one.
    void restoredDataAreThePointsOwn()
    {
        Plan plan = quickPlan("sqlite:", "large_values");
        plan.load.data = DataPolicy::Restore;
        plan.load.repeats = 2;
        plan.workload.params = {{"rows", std::int64_t(50)}, {"size_distribution", std::string("constant")}};
        plan.axes.push_back(
            {"size",
             {{"2000", {{"workload.size", std::int64_t(2000)}}, 0}, {"300", {{"workload.size", std::int64_t(300)}}, 0}},
             0});
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.size(), std::size_t(4));
        QCOMPARE(sink.runs.size(), std::size_t(4));
        for (const RunHeader& header : sink.runs) // 50 values of 2000 or 300 bytes
            QVERIFY2((header.point == 0) == (header.dataBytes > 100'000),
                     (std::to_string(header.point) + ": " + std::to_string(header.dataBytes)).c_str());
    }

    //! A database that is open while its folder is put back would take away files that it does not know.
    void aFolderIsPutBackAfterCompactions()
    {
        if (!findDriver("rocksdb"))
            QSKIP("this build has no engine that keeps its data in a folder");
        Plan plan = smallPlan("rocksdb:", "ycsb");
        plan.workload.params = {
            {"recordcount", std::int64_t(2000)}, {"read_proportion", 0.0}, {"update_proportion", 1.0}};
        plan.set["connection.write_buffer_size"] = std::int64_t(65536);
        plan.set["connection.level0_file_num_compaction_trigger"] = std::int64_t(1);
        plan.load.data = DataPolicy::Restore;
        plan.load.timeSeconds = 0;
        plan.load.events = 5000;
        plan.load.repeats = 3;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.size(), std::size_t(3));
        for (const RunSummary& summary : sink.summaries)
            QCOMPARE(summary.failed, decltype(summary.failed)(0));
    }

    //! Files keep the form that they were loaded with, whatever the next session opens the database with.
    void aFolderOfAnotherFormIsNotMeasured()
    {
        if (!findDriver("rocksdb"))
            QSKIP("this build has no engine that keeps its data in a folder");
        Plan plan = smallPlan("rocksdb:" + file("form"), "ycsb");
        plan.workload.params = {{"recordcount", std::int64_t(100)}};
        const auto reasonWith = [&plan](const char* compression) {
            plan.set["connection.compression"] = std::string(compression);
            RecordingSink sink;
            runPlan(plan, {}, sink);
            std::string reason = sink.session.reason;
            for (const RunSummary& summary : sink.summaries)
                reason += summary.reason;
            return QString::fromStdString(reason);
        };
        QCOMPARE(reasonWith("kNoCompression"), QString());
        const QString reason = reasonWith("kSnappyCompression");
        QVERIFY2(reason.contains("has compression kNoCompression, the plan says kSnappyCompression"),
                 qPrintable(reason));
        QVERIFY2(reason.contains("name a new folder"), qPrintable(reason));
        plan.workload.prepare = PreparePolicy::Always; // makes its tables again
        QCOMPARE(reasonWith("kSnappyCompression"), QString());
    }

    //! A file that has the name of such a copy may be somebody's.
    void theCopyTakesNobodysPlace()
    {
        QTemporaryDir dir;
        const fs::path there = dir.filePath("x.db.loaded").toStdString();
        std::ofstream(there) << "mine";
        Plan plan = quickPlan("sqlite:" + dir.filePath("x.db").toStdString());
        plan.load.data = DataPolicy::Restore;
        plan.load.repeats = 2;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        std::string text;
        std::ifstream(there) >> text;
        QCOMPARE(text, std::string("mine"));
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files).filter("loaded"), QStringList{"x.db.loaded"});
    }

    //! What a run has inserted leaves no free pages to the next one, whose tables are made anew.
    void usedUpTablesHaveAFileOfTheirOwn()
    {
        Plan plan = smallPlan("sqlite:", "iibench");
        plan.workload.params = {{"rows_per_commit", std::int64_t(1000)}};
        plan.set["connection.synchronous"] = std::string("OFF");
        plan.load.repeats = 2;
        plan.load.timeSeconds = 0;
        plan.load.events = 40;
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.runs.size(), std::size_t(2));
        QVERIFY(sink.summaries[0].rows >= 40'000);
        QCOMPARE(sink.runs[1].dataBytes, sink.runs[0].dataBytes);
    }

    //! Each user of bulk_insert has a table; a search goes up to four of them.
    void aSearchOverUsersHasTheTablesOfAllOfThem()
    {
        Plan plan = quickPlan("sqlite:" + file("search.db"), "bulk_insert");
        plan.workload.params.clear();
        plan.load.users = {1};
        plan.load.search = {
            .what = Search::What::Users, .from = 1, .to = 4, .probeSeconds = 3, .precision = 0.05, .confirm = 0};
        plan.load.objective = {99, 60'000};
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.at(0).failed, std::uint64_t(0));
        QVERIFY(sink.summaries.at(0).found >= 1); // how many one writer at a time can serve is not what is asked here
        QCOMPARE(cell(file("search.db"), "SELECT COUNT(*) FROM sqlite_master WHERE name GLOB 'sbtest[1-4]'").toInt(),
                 4);
    }
};

} // namespace dyno::tst_point_data

DYNO_SUITE(tst_point_data, dyno::tst_point_data::TstPointData)
#include "tst_point_data.moc"
