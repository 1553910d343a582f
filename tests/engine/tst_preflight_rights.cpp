// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight against a real server: what the account may not do and what the engine of tables cannot do.
#include "load/preflight/preflight_needs.h"
#include "preflight_rig.h"
#include "recording_sink.h"
#include "support/suite.h"

namespace dyno::tst_preflight_rights {
using namespace dyno::test;

class TestPreflightRights : public QObject, PreflightRig
{
    Q_OBJECT
private slots:
    void initTestCase() { start(); }
    void cleanup() { restore(); }
    void rights();
    void rightsOfStepsAndForeignKeys();
    void rightToSetVariables();
    void whatCannotBeSeen();
    void enginesWithoutTransactions();
    void enginesOfTablesThatAreThere();
    void enginesOfManagedServers();
};

void TestPreflightRights::rights()
{
    const std::string db = m_server.database();
    PreflightReport report =
        look(plan(1, userWith(fmt::format("GRANT SELECT, UPDATE ON `{}`.* TO ann@'%'", db))), "s3cret");
    COMPARE_LEVEL(report, "rights", PreflightLevel::Blocker);
    QVERIFY(report.blocked());
    std::vector<std::string> missing = report.missingRights;
    std::sort(missing.begin(), missing.end());
    std::vector<std::string> wanted;
    for (const char* right : {"CREATE", "DELETE", "DROP", "INDEX", "INSERT"})
        wanted.push_back(fmt::format("{} on {}.*", right, db));
    QCOMPARE(missing, wanted);
    QVERIFY(find(report, "rights")->remedy.find("GRANT ") == 0);
    // What the remedy says is enough.
    QVERIFY(m_admin->execute(find(report, "rights")->remedy));
    COMPARE_LEVEL(look(plan(1, userWith(fmt::format("GRANT ALL ON `{}`.* TO ann@'%'", db))), "s3cret"), "rights",
                  PreflightLevel::Ok);
    // A read-only workload on tables that are there asks for less.
    Plan reading = plan(1, userWith(fmt::format("GRANT SELECT ON `{}`.* TO ann@'%'", db)));
    reading.workload.name = "oltp_point_select";
    reading.workload.prepare = PreparePolicy::Never;
    COMPARE_LEVEL(look(reading, "s3cret"), "rights", PreflightLevel::Ok);
}

//! What the steps of a run and what follows the rows need is asked before the load.
void TestPreflightRights::rightsOfStepsAndForeignKeys()
{
    const std::string db = m_server.database();
    const auto missing = [&](const Plan& asked) {
        std::vector<std::string> rights;
        for (const std::string& text : look(asked, "s3cret").missingRights)
            rights.push_back(text.substr(0, text.find(" on ")));
        std::sort(rights.begin(), rights.end());
        return rights;
    };
    using Rights = std::vector<std::string>;
    const std::string loads =
        fmt::format("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX ON `{}`.* TO ann@'%'", db);
    Plan changes = plan(1, userWith(loads));
    changes.workload.name = "oltp_ddl";
    changes.workload.params = {{"table_size", std::int64_t(10)}, {"rounds", std::int64_t(1)}};
    QCOMPARE(missing(changes), Rights{"ALTER"});
    Plan words = changes;
    words.workload.name = "fulltext";
    words.workload.params = {{"documents", std::int64_t(1'000'000)}, {"rounds", std::int64_t(1000)}}; // hours of steps
    QCOMPARE(missing(words), Rights{"ALTER"});
    Plan orders = changes;
    orders.workload.name = "tpcc";
    orders.workload.params = {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}};
    QCOMPARE(missing(orders), Rights());
    orders.workload.params["foreign_keys"] = true;
    QCOMPARE(missing(orders), Rights{"ALTER"}); // MariaDB asks for any right on the table that is referred to
    std::vector<TargetNeeds> needs = needsOf(orders, {});
    addLoadRights(needs.front());
    QVERIFY(std::ranges::find(needs.front().needs.rights, "REFERENCES") !=
            needs.front().needs.rights.end()); // and MySQL for this one

    // What the remedy says is enough.
    QVERIFY(m_admin->execute(find(look(orders, "s3cret"), "rights")->remedy));
    RunnerOptions options;
    options.password = "s3cret";
    for (Plan* granted : {&changes, &orders}) {
        granted->load.timeSeconds = 0;
        granted->load.events = granted == &orders ? 5 : 0;
        granted->workload.cleanup = true;
        RecordingSink sink;
        runPlan(*granted, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    }

    // Of tables that are there the steps' own.
    Plan there = plan(1, userWith(fmt::format("GRANT SELECT ON `{}`.* TO ann@'%'", db)));
    there.workload = changes.workload;
    there.workload.cleanup = false;
    there.workload.prepare = PreparePolicy::Never;
    QCOMPARE(missing(there), (Rights{"ALTER", "CREATE", "DROP", "INSERT"}));
}

void TestPreflightRights::rightToSetVariables()
{
    const std::string grant = fmt::format("GRANT ALL ON `{}`.* TO ann@'%'", m_server.database());
    Plan setting = plan(1, userWith(grant));
    setting.set["server.innodb_flush_log_at_trx_commit"] = std::int64_t(2);
    const PreflightReport report = look(setting, "s3cret");
    QCOMPARE(report.missingRights, std::vector<std::string>{"SUPER on *.*"});
    QVERIFY(m_admin->execute("GRANT SUPER ON *.* TO ann@'%'"));
    COMPARE_LEVEL(look(setting, "s3cret"), "rights", PreflightLevel::Ok);
}

//! The look names it with the command that helps, and an event of the run too; not where nothing is observed.
void TestPreflightRights::whatCannotBeSeen()
{
    Plan blind = plan(1, userWith(fmt::format("GRANT ALL ON `{}`.* TO ann@'%'", m_server.database())));
    const std::string metrics = "InnoDB's metrics (GRANT PROCESS ON *.* TO 'ann'@'%')";
    const PreflightReport report = look(blind, "s3cret");
    COMPARE_LEVEL(report, "unseen_counters", PreflightLevel::Note);
    QVERIFY2(find(report, "unseen_counters")->what.find(metrics) != std::string::npos, qPrintable(textOf(report)));
    blind.workload.params["table_size"] = std::int64_t(10);
    blind.load.timeSeconds = 0;
    blind.load.events = 5;
    const auto toldOf = [](const Plan& plan) {
        RunnerOptions options;
        options.password = "s3cret";
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        std::vector<std::string> told{sink.session.reason};
        for (const RunEvent& event : sink.events.at(0)) {
            if (event.kind == EventKind::Note && event.text.starts_with("not observed: "))
                told.push_back(event.text);
        }
        return told;
    };
    const std::vector<std::string> told = toldOf(blind);
    QCOMPARE(told.size(), std::size_t(2));
    // Sessions are passed on: no account in them; nor what this server may not have.
    QVERIFY2(told.at(0).empty() &&
                 told.at(1).find("InnoDB's metrics (GRANT PROCESS ON *.* TO this account)") != std::string::npos &&
                 told.at(1).find("ann") == std::string::npos && told.at(1).find("replica") == std::string::npos,
             (told[0] + told[1]).c_str());
    for (const char* right : {"PROCESS", "SLAVE MONITOR"})
        QVERIFY(m_admin->execute(fmt::format("GRANT {} ON *.* TO 'ann'@'%'", right)));
    QVERIFY(!find(look(blind, "s3cret"), "unseen_counters"));
    for (const std::string& text : toldOf(blind))
        QVERIFY2(text.find("GRANT") == std::string::npos, text.c_str());
    QVERIFY(!find(look(blind, "s3cret"), "server_process"));
    blind.load.counters = false;
    QVERIFY(m_admin->execute("REVOKE PROCESS ON *.* FROM 'ann'@'%'"));
    QVERIFY(!find(look(blind, "s3cret"), "unseen_counters"));
    QCOMPARE(toldOf(blind).size(), std::size_t(1));
}

//! Where a workload's data would be wrong without them it is a blocker, and the run refuses them too; elsewhere a
//! warning.
void TestPreflightRights::enginesWithoutTransactions()
{
    const auto asked = [&](const char* workload, const char* engine, const Settings& params = {}) {
        Plan made = plan(1);
        made.workload.name = workload;
        made.workload.params = params;
        made.set["table.engine"] = std::string(engine);
        return look(made);
    };
    for (const char* workload : {"tpcc", "tpcb", "brokerage", "linkbench", "randomtransaction"}) {
        for (const char* engine : {"Aria", "MyISAM", "HEAP"}) {
            const PreflightReport report = asked(workload, engine);
            COMPARE_LEVEL(report, "features", PreflightLevel::Blocker);
            const std::string& what = find(report, "features")->what;
            QVERIFY2(what.starts_with(fmt::format("the storage engine {} has no transactions", engine)), what.c_str());
            QVERIFY(!find(report, "transactions")); // once is enough
        }
        QVERIFY(!find(asked(workload, "InnoDB"), "features"));
    }
    for (const auto& [workload, params] :
         {std::pair<const char*, Settings>{"tpcb", {{"script", std::string("select-only")}}},
          {"linkbench", {{"counts", std::string("two_step")}}},
          {"linkbench", {{"phase", std::string("load")}}},
          {"iibench", {}},
          {"sensordata", {}},
          {"fulltext", {}},
          {"large_values", {}},
          {"oltp_increment", {}},
          {"oltp_read_write", {{"skip_trx", true}}},
          {"oltp_ddl", {}}}) {
        const PreflightReport report = asked(workload, "Aria", params);
        QVERIFY2(!find(report, "features") && !find(report, "transactions"), qPrintable(textOf(report)));
    }
    const PreflightReport mix = asked("oltp_read_write", "Aria");
    COMPARE_LEVEL(mix, "transactions", PreflightLevel::Warning); // it runs, and measures something else
    QVERIFY2(find(mix, "transactions")->remedy.find("that begin none") != std::string::npos, qPrintable(textOf(mix)));
    QVERIFY(!find(asked("oltp_read_write", "InnoDB"), "transactions"));

    // Nothing is made.
    Plan run = plan(1);
    run.workload.name = "tpcb";
    run.workload.params = {{"accounts_per_branch", std::int64_t(10)}};
    run.set["table.engine"] = std::string("Aria");
    RecordingSink sink;
    runPlan(run, {}, sink);
    QVERIFY(sink.session.status == RunStatus::Failed);
    const std::string reason = sink.summaries.empty() ? sink.session.reason : sink.summaries.front().reason;
    QVERIFY2(reason.find("has no transactions, which this workload needs") != std::string::npos, reason.c_str());
    QVERIFY(m_admin->query("SHOW TABLES LIKE 'pgbench%'")->empty());
}

//! What is there is asked about too: as the plan names it, and as it is.
void TestPreflightRights::enginesOfTablesThatAreThere()
{
    Plan mix = plan(1);
    mix.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(10)}};
    Plan aria = mix;
    aria.set["table.engine"] = std::string("Aria");
    aria.workload.prepare = PreparePolicy::Always; // other tests have that table too
    const auto loaded = prepareData(aria, {}, {});
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    for (const PreparePolicy policy : {PreparePolicy::Auto, PreparePolicy::Never, PreparePolicy::Use}) {
        aria.workload.prepare = mix.workload.prepare = policy;
        COMPARE_LEVEL(look(aria), "transactions", PreflightLevel::Warning);
        const PreflightReport report = look(mix);
        COMPARE_LEVEL(report, "transactions", PreflightLevel::Warning);
        QVERIFY2(find(report, "transactions")->what.starts_with("the table sbtest1 is of the storage engine Aria"),
                 qPrintable(textOf(report)));
        QVERIFY(!report.blocked());
    }
    mix.workload.prepare = PreparePolicy::Always; // makes them anew
    QVERIFY2(!find(look(mix), "transactions"), qPrintable(textOf(look(mix))));
    mix.workload.prepare = PreparePolicy::Auto;
    mix.workload.params["skip_trx"] = true;
    QVERIFY2(!find(look(mix), "transactions"), qPrintable(textOf(look(mix))));
    QVERIFY(cleanupData(aria, {}));

    Plan branches = plan(1);
    branches.workload.name = "tpcb";
    branches.workload.params = {{"accounts_per_branch", std::int64_t(10)}};
    QVERIFY(prepareData(branches, {}, {}));
    branches.set["table.engine"] = std::string("Aria");
    COMPARE_LEVEL(look(branches), "features", PreflightLevel::Blocker);
    QVERIFY(cleanupData(branches, {}));
}

//! Which is not started for the look: the names tell it. So does the list of engines in the manuals of both products.
void TestPreflightRights::enginesOfManagedServers()
{
    const auto asked = [&](const char* workload, const char* engine) {
        Plan made = plan(1, "managed:mariadb");
        made.workload.name = workload;
        made.workload.params.clear();
        made.set["table.engine"] = std::string(engine);
        return look(made);
    };
    for (const char* engine : {"MyISAM", "Aria", "maria", "MEMORY", "HEAP", "csv", "ARCHIVE"}) {
        for (const char* workload : {"tpcc", "tpcb", "brokerage", "linkbench"}) {
            const PreflightReport report = asked(workload, engine);
            COMPARE_LEVEL(report, "features", PreflightLevel::Blocker);
            QVERIFY2(find(report, "features")
                         ->what.starts_with(fmt::format("the storage engine {} has no transactions", engine)),
                     qPrintable(textOf(report)));
        }
        COMPARE_LEVEL(asked("oltp_read_write", engine), "transactions", PreflightLevel::Warning);
        const PreflightReport none = asked("iibench", engine); // begins none
        QVERIFY2(!find(none, "features") && !find(none, "transactions"), qPrintable(textOf(none)));
    }
    for (const char* engine : {"InnoDB", "RocksDB"}) {
        const PreflightReport report = asked("tpcb", engine);
        QVERIFY2(!find(report, "features") && !find(report, "transactions"), qPrintable(textOf(report)));
    }
}

} // namespace dyno::tst_preflight_rights

DYNO_SUITE(tst_preflight_rights, dyno::tst_preflight_rights::TestPreflightRights)
#include "tst_preflight_rights.moc"
