// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings in force on a real mongod that somebody else started (DYNO_TEST_MONGOD names the program): parameters that
//! a run sets and puts back, options of collections.
#include "mongodb_test.h"
#include "recording_sink.h"
#include "support/suite.h"

#include <QTemporaryDir>

namespace dyno::tst_mongod_knobs {
using namespace dyno::test;

class TstMongodKnobs : public QObject
{
    Q_OBJECT

    MongoFixture m_server;
    QTemporaryDir m_dir;

    Plan plan() const
    {
        Plan plan;
        plan.target.uri = m_server.uri().display();
        plan.workload.name = "ycsb";
        plan.workload.params = {{"workload", std::string("a")}, {"recordcount", std::int64_t(100)}};
        plan.workload.prepare = PreparePolicy::Always;
        plan.load.timeSeconds = 0.5;
        plan.load.intervalSeconds = 0.25;
        return plan;
    }
    RunnerOptions options() const
    {
        RunnerOptions options;
        options.library = m_dir.filePath("library.dynolib").toStdString(); // where old values are written down first
        options.workDir = m_dir.path().toStdString();
        options.consent.allow("all");
        return options;
    }
    //! Of the command, in the database of the tests.
    std::int64_t rowsOf(const char* command)
    {
        const SessionPtr session = connectedSession(m_server.target({}));
        return json(*session, command).outcome == Outcome::Ok ? session->reply().rows : -1;
    }

private slots:
    void initTestCase()
    {
        if (const std::string why = MongoFixture::whyMissing(MongoProduct::Mongod); !why.empty())
            QSKIP(why.c_str());
        VERIFY_OK(m_server.startOwn({.product = MongoProduct::Mongod}));
    }

    //! setParameter at run time: read back for the run, and put back after it.
    void parametersOfARun()
    {
        auto admin = m_server.admin();
        VERIFY_OK(admin);
        const auto before = (*admin)->variable("ttlMonitorEnabled");
        VERIFY_OK(before);
        Plan changed = plan();
        changed.set["server.ttlMonitorEnabled"] = false;
        RecordingSink sink;
        std::string during;
        sink.runHook = [&](const RunHeader&) { during = (*admin)->variable("ttlMonitorEnabled").value_or("?"); };
        runPlan(changed, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(during, std::string("false"));
        QCOMPARE(toText(sink.runs.front().effective.at("ttlMonitorEnabled")), std::string("false"));
        QCOMPARE((*admin)->variable("ttlMonitorEnabled").value_or("?"), *before);
        QVERIFY(*before != during);
        // What mongod has at its start only is refused before the run, with what could be done.
        changed.set = {{"server.cacheSizeGB", 1.0}};
        RecordingSink refused;
        runPlan(changed, options(), refused);
        QVERIFY(refused.session.status != RunStatus::Done);
        QVERIFY2(refused.session.reason.find("restart") != std::string::npos, refused.session.reason.c_str());
    }

    //! Of the collection that the workload makes: its compressor, and a validator that refuses other documents.
    void optionsOfCollections()
    {
        Plan made = plan();
        made.set["table.block_compressor"] = std::string("zlib");
        made.set["table.create_options"] =
            std::string(R"("validator":{"field0":{"$exists":true}},"validationLevel":"moderate")");
        RecordingSink sink;
        runPlan(made, options(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QCOMPARE(
            rowsOf(R"({"listCollections": 1, "filter": {"name": "usertable", "options.validationLevel": "moderate"}})"),
            std::int64_t(1));
        QCOMPARE(rowsOf(R"({"listCollections": 1, "filter": {"name": "usertable",
            "options.storageEngine.wiredTiger.configString": "block_compressor=zlib"}})"),
                 std::int64_t(1));
        const SessionPtr session = connectedSession(m_server.target({}));
        const Reply refused = json(*session, R"({"insert": "usertable", "documents": [{"_id": "stranger"}]})");
        QVERIFY(refused.outcome == Outcome::Rejected);
        QCOMPARE(refused.code, 121); // DocumentValidationFailure
        QVERIFY(json(*session, R"({"insert": "usertable", "documents": [{"_id": "friend", "field0": "x"}]})").outcome ==
                Outcome::Ok);
        QCOMPARE(
            json(*session, R"({"delete": "usertable", "deletes": [{"q": {"_id": "friend"}, "limit": 1}]})").outcome,
            Outcome::Ok);
    }
};

} // namespace dyno::tst_mongod_knobs

DYNO_SUITE(tst_mongod_knobs, dyno::tst_mongod_knobs::TstMongodKnobs)
#include "tst_mongod_knobs.moc"
