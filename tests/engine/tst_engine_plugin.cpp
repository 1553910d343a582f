// SPDX-License-Identifier: GPL-3.0-or-later
// MyRocks on managed servers: loaded at the start when a plan names it, told when it is not there.
#include "driver/counter_details.h"
#include "managed_test.h"
#include "recording_sink.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/workload.h"

#include <dyno/catalog.h>
#include <dyno/preflight.h>
#include <dyno/report.h>

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

namespace dyno::tst_engine_plugin {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestEnginePlugin : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    RunnerOptions options() const
    {
        RunnerOptions result;
        result.workDir = m_dir.path().toStdString();
        result.consent.allow("all");
        return result;
    }
    //! A whole MariaDB with its plug-ins, see ./test; else the one that is installed.
    static std::string uri()
    {
        const std::string folder = basedirIn("DYNO_TEST_MARIADB");
        return folder.empty() ? "managed:mariadb" : "managed:mariadb?basedir=" + folder;
    }
    static bool isPart(const std::string& knob)
    {
        return std::ranges::find(knobParts(), knob, &KnobPart::knob) != knobParts().end();
    }
    static bool hasPlugin()
    {
        const auto server = findServer(wishOf(parseUri(uri()).value()));
        return server && fs::exists(server->pluginFolder() / "ha_rocksdb.so");
    }
    std::unique_ptr<ManagedServer> create() const
    {
        auto made = ManagedServer::create(parseUri(uri()).value(), m_dir.path().toStdString());
        return made ? std::move(*made) : nullptr;
    }
    static Plan plan(const std::string& target, const std::string& workload = "oltp_read_write")
    {
        Plan made = smallPlan(target, workload);
        made.workload.params["tables"] = std::int64_t(1);
        made.load.timeSeconds = 60;
        made.load.events = 40;
        for (const auto& [name, value] : smallKnobs())
            made.set["server." + name] = value;
        made.set["table.engine"] = std::string("ROCKSDB");
        return made;
    }
    static Axis engines()
    {
        return {
            "engine",
            {{"InnoDB", {{"table.engine", std::string("InnoDB")}}},
             {"MyRocks", {{"table.engine", std::string("ROCKSDB")}, {"server.load_engine", std::string("rocksdb")}}}}};
    }
    static std::string problemsOf(const Plan& plan, const RunnerOptions& options)
    {
        std::string text;
        const auto reports = preflight(plan, options);
        if (!reports || reports->empty())
            return reports ? "no target was looked at" : reports.error().text();
        for (const PreflightReport& report : *reports) {
            for (const PreflightItem& item : report.items)
                text += item.level == PreflightLevel::Blocker ? item.what + " / " + item.remedy + "\n" : "";
        }
        return text;
    }

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    //! Each engine's point has a server that is started for it, and the files tell whose the tables are.
    void engineIsAnAxis()
    {
        if (!hasPlugin())
            QSKIP("ha_rocksdb.so is not installed, and DYNO_TEST_MARIADB names no folder of a MariaDB with it");
        Plan made = plan(uri());
        made.set.erase("table.engine");
        made.axes.push_back(engines());
        made.load.prewarm = made.load.settle = true;
        QCOMPARE(problemsOf(made, options()), std::string());
        RecordingSink sink;
        runPlan(made, options(), sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.summaries.size(), std::size_t(2));
        for (int i = 0; i < 2; ++i) {
            QVERIFY(sink.summaries.at(std::size_t(i)).operations.at(0).count > 0);
            std::set<std::string> tables;
            for (const DataPart& part : sink.aftermaths.at(std::size_t(i)).dataParts) {
                if (part.kind == "table")
                    tables.insert(part.name);
            }
            QCOMPARE(tables.contains("(MyRocks tables)"), i == 1); // written out of memory, see MysqlAdmin::dataParts()
            const std::vector<CounterInfo>& counters = sink.runs.at(std::size_t(i)).counters;
            for (const char* name : {"Rocksdb_bytes_written", "compaction.default.Sum.WriteAmp"})
                QCOMPARE(std::ranges::find(counters, name, &CounterInfo::name) != counters.end(), i == 1);
        }
    }

    //! MyRocks works with snapshots: who would change what another has changed since gets an error, not the row. Such
    //! errors are counted by their code, and the recipe that sets throughput beside throughput draws them too.
    void conflictsAreShown()
    {
        if (!hasPlugin())
            QSKIP("ha_rocksdb.so is not installed, and DYNO_TEST_MARIADB names no folder of a MariaDB with it");
        Plan made = plan(uri());
        made.set["server.load_engine"] = std::string("rocksdb");
        made.workload.params["table_size"] = std::int64_t(10);
        made.load.users = {2};
        made.load.events = 400;
        RecordingSink sink;
        runPlan(made, options(), sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        const RunSummary& run = sink.summaries.at(0);
        std::uint64_t failed = 0;
        for (const auto& [code, count] : run.errors) {
            QVERIFY2(code > 0, std::to_string(code).c_str()); // the server's number
            failed += count;
        }
        QVERIFY(failed > 0 && run.transactions > 0);
        const auto shown = measureOf(run, {}, "errors_per_million");
        QVERIFY(shown && std::abs(*shown - 1e6 * double(failed) / double(run.transactions)) < 1);
        const Expected<Plan> recipe = recipePlan("shootout-mariadb");
        VERIFY_OK(recipe);
        QVERIFY(std::ranges::find(recipe->views, "errors_per_million", &View::measure) != recipe->views.end());
    }

    //! An optional case whose server or package is not installed is skipped and reported; another one is a fault.
    void optionalCase()
    {
        const auto bare = findServer({});
        QVERIFY(bare);
        if (fs::exists(bare->pluginFolder() / "ha_rocksdb.so"))
            QSKIP("the MariaDB that is installed has ha_rocksdb.so");
        Plan made = plan("managed:mariadb");
        made.set.erase("table.engine");
        made.axes.push_back(engines());
        made.axes[0].cases.push_back(
            {"of another server", {{"target.uri", std::string("managed:mysql?version=3.23")}}});
        QVERIFY(problemsOf(made, options()).find("ha_rocksdb.so") != std::string::npos);
        made.axes[0].cases[1].optional = made.axes[0].cases[2].optional = true;
        const ParsedPlan read = parsePlan(writePlan(made), "optional.toml");
        QVERIFY(read.plan && read.plan->axes.at(0).cases.at(1).optional && !read.plan->axes.at(0).cases.at(0).optional);
        QCOMPARE(problemsOf(made, options()), std::string());
        Plan less = made;
        QCOMPARE(skipMissingCases(less, options()).size(), std::size_t(2));
        QCOMPARE(expand(less).points.size(), std::size_t(1));
        RecordingSink sink;
        runPlan(made, options(), sink);
        QCOMPARE(QString::fromStdString(sink.session.reason), QString());
        QCOMPARE(sink.runs.size(), std::size_t(1));
        QStringList notes;
        for (const RunEvent& event : sink.events.at(0)) {
            if (event.kind == EventKind::Note)
                notes << QString::fromStdString(event.text);
        }
        QCOMPARE(notes.filter("engine MyRocks is skipped").size(), 1);
        QCOMPARE(notes.filter("mariadb-plugin-rocksdb").size(), 1);
        QCOMPARE(notes.filter("engine of another server is skipped").size(), 1);
        // Where nothing is left, the plan is told as it is.
        made.axes[0].cases.erase(made.axes[0].cases.begin());
        QVERIFY(skipMissingCases(made, options()).empty());
        QCOMPARE(expand(made).points.size(), std::size_t(2));
    }

    //! A variable of MyRocks loads it too, with its value in force; and the catalogue says of all what the server says.
    void itsVariables()
    {
        if (!hasPlugin())
            QSKIP("ha_rocksdb.so is not installed, and DYNO_TEST_MARIADB names no folder of a MariaDB with it");
        const auto server = create();
        QVERIFY(server);
        VERIFY_OK(server->ensure(smallKnobs()));
        QCOMPARE(variableOf(*server, "rocksdb_block_cache_size").find("33554432"), std::string::npos);
        const int before = server->process();
        VERIFY_OK(server->ensure(smallKnobs({{"rocksdb_block_cache_size", std::int64_t(32) << 20},
                                             {"rocksdb_compaction_pri", std::string("kOldestSmallestSeqFirst")},
                                             {"thread_handling", std::string("pool-of-threads")},
                                             {"rocksdb_compression", std::string("kNoCompression")},
                                             {"rocksdb_write_buffer_size", std::string("2M")}})));
        QVERIFY(server->process() != before);
        QVERIFY(server->optionFile().find("plugin-load-add=ha_rocksdb\n") != std::string::npos);
        QCOMPARE(variableOf(*server, "rocksdb_block_cache_size"), std::string("33554432"));
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        const auto rows = (*admin)->query("SELECT LOWER(variable_name), default_value, read_only FROM "
                                          "information_schema.system_variables WHERE variable_name LIKE 'rocksdb\\_%'");
        VERIFY_OK(rows);
        std::map<std::string, std::vector<std::string>> told;
        for (const auto& row : *rows)
            told[row.at(0)] = {row.at(1), row.at(2)};
        int looked = 0;
        for (const KnobInfo& knob : knobCatalog()) {
            if (!knob.option.name.starts_with("rocksdb_") || isPart(knob.option.name))
                continue; // of those that are parts see familyOptions()
            ++looked;
            const char* name = knob.option.name.c_str();
            QVERIFY2(told.contains(knob.option.name), name);
            const auto& [value, readOnly] = std::pair(told[knob.option.name].at(0), told[knob.option.name].at(1));
            QVERIFY2(sameSetting(knob.option.defaultValue, value), (knob.option.name + ": " + value).c_str());
            // MyRocks refuses to begin or to end limiting while it runs, though it says that it would not.
            if (knob.option.name != "rocksdb_rate_limiter_bytes_per_sec")
                QVERIFY2(knob.restart == (readOnly == "YES"), name);
        }
        QVERIFY(looked > 30);
        familyOptions(*server);
        countsFamilies(**admin);
        familiesOfLinkbench(**admin);
        countsResponseTimesAndPool(**admin, *server);
        countsWithoutFamilies(**admin);
    }

    //! The knobs that are options in one text: RocksDB's own file says what is in force, the defaults too.
    static void familyOptions(const ManagedServer& server)
    {
        const std::string text = "compaction_pri=kOldestSmallestSeqFirst;compression=kNoCompression;"
                                 "write_buffer_size=2097152";
        QCOMPARE(variableOf(server, "rocksdb_default_cf_options"), text);
        fs::path newest;
        for (const auto& file : fs::directory_iterator(server.folder() / "data" / "#rocksdb")) {
            if (file.path().filename().string().starts_with("OPTIONS-"))
                newest = std::max(newest, file.path());
        }
        std::ifstream in(newest);
        std::map<std::string, std::string> inForce;
        bool ofDefault = false;
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with('['))
                ofDefault = line == "[CFOptions \"default\"]";
            const std::size_t name = line.find_first_not_of(' '), is = line.find('=');
            if (ofDefault && is != std::string::npos)
                inForce[line.substr(name, is - name)] = line.substr(is + 1);
        }
        for (const KnobPart& part : knobParts()) {
            const KnobInfo* knob = findKnob("mysql", "server", part.knob);
            QVERIFY(knob && part.variable == "rocksdb_default_cf_options" &&
                    findKnob("mysql", "server", part.variable));
            const std::string actual = inForce[part.name];
            const bool set = (";" + text).find(";" + part.name + "=" + actual) != std::string::npos;
            QVERIFY2(sameSetting(knob->option.defaultValue, actual) != set, (part.name + "=" + actual).c_str());
        }
        QCOMPARE(knobParts().size(), std::size_t(8));
    }

    //! The status goes on counting where the query of the column families fails.
    static void countsWithoutFamilies(Admin& admin)
    {
        const std::vector<CounterInfo> before = admin.counters();
        VERIFY_OK(admin.execute("UNINSTALL PLUGIN ROCKSDB_CFSTATS"));
        const auto values = admin.counterValues();
        VERIFY_OK(values);
        const std::vector<CounterInfo> counters = admin.counters(); // looked for again: without the families
        QVERIFY(counters.size() < values->size());
        QCOMPARE(values->size(), before.size());
        for (std::size_t i = 0; i < values->size(); ++i) {
            const bool still = std::ranges::find(counters, before[i].name, &CounterInfo::name) != counters.end();
            QVERIFY2(std::isfinite(values->at(i)) == still, before[i].name.c_str());
        }
    }

    static std::map<std::string, double> valuesOf(Admin& admin)
    {
        const std::vector<CounterInfo> counters = admin.counters();
        const auto values = admin.counterValues();
        std::map<std::string, double> named;
        for (std::size_t i = 0; values && i < counters.size(); ++i)
            named[counters[i].name] = values->at(i);
        return named;
    }

    //! The plug-in counts by how long statements took; a pool of threads has queues, and no thread for a connection.
    static void countsResponseTimesAndPool(Admin& admin, const ManagedServer& server)
    {
        VERIFY_OK(admin.execute("INSTALL SONAME 'query_response_time'"));
        VERIFY_OK(admin.execute("SET GLOBAL query_response_time_stats = ON"));
        const auto before = valuesOf(admin);
        VERIFY_OK(admin.query("SELECT SLEEP(0.02)"));
        const auto after = valuesOf(admin);
        QVERIFY(before.contains("Query_response_time_0.100000") && before.contains("Query_response_time_too_long"));
        double slow = 0;
        for (const char* name : {"0.100000", "1.000000", "10.000000"}) { // of a machine that is busy
            const std::string bucket = std::string("Query_response_time_") + name;
            slow += after.at(bucket) - before.at(bucket);
        }
        QVERIFY2(slow >= 1, qPrintable(QString::number(slow)));
        for (const char* name : {"Threadpool_queue_length", "Threadpool_stalls", "Threadpool_stalled_groups"})
            QVERIFY2(after.contains(name) && std::isfinite(after.at(name)), name);
        // A new connection goes through a queue.
        const auto dequeued = [](const std::map<std::string, double>& values) {
            return values.at("Threadpool_dequeues_by_listener") + values.at("Threadpool_dequeues_by_worker");
        };
        QVERIFY(adminOf(server).has_value());
        QTRY_VERIFY(dequeued(valuesOf(admin)) > dequeued(after));
        QCOMPARE(servingThread(admin), std::int64_t(0));
        VERIFY_OK(admin.execute("UNINSTALL SONAME 'query_response_time'"));
    }

    //! Each column family's own figures beside those of the store: what was flushed was written once.
    static void countsFamilies(Admin& admin)
    {
        VERIFY_OK(admin.execute("CREATE DATABASE families"));
        VERIFY_OK(admin.execute("CREATE TABLE families.t (id INT PRIMARY KEY, k INT, KEY k (k) COMMENT 'cfname=of_k') "
                                "ENGINE=ROCKSDB"));
        std::string rows = "INSERT INTO families.t VALUES (0, 0)";
        for (int i = 1; i < 20000; ++i)
            rows += ", (" + std::to_string(i) + ", " + std::to_string(i * 7) + ")";
        VERIFY_OK(admin.execute(rows));
        VERIFY_OK(admin.execute("SET GLOBAL rocksdb_force_flush_memtable_now = ON"));
        const std::vector<CounterInfo> counters = admin.counters();
        const auto values = admin.counterValues();
        VERIFY_OK(values);
        QCOMPARE(values->size(), counters.size());
        std::map<std::string, double> named;
        for (std::size_t i = 0; i < counters.size(); ++i)
            named[counters[i].name] = values->at(i);
        QVERIFY(named["Rocksdb_bytes_written"] > 20000 * 10 && named["Rocksdb_flush_write_bytes"] > 0);
        for (const std::string family : {"default", "of_k"}) {
            const std::string name = "compaction." + family + ".Sum.";
            QVERIFY2(named.contains(name + "WriteGB"), name.c_str());
            QVERIFY(named[name + "WriteGB"] > 0 && named[name + "NumFiles"] >= 1 && named[name + "SizeBytes"] > 0);
            QVERIFY2(named[name + "WriteAmp"] > 0.9 && named[name + "WriteAmp"] < 3, name.c_str());
            QVERIFY(named.contains("cf." + family + ".CUR_SIZE_ALL_MEM_TABLES"));
        }
        QVERIFY(!named.contains("compaction.__system__.Sum.WriteGB"));
        QVERIFY(named.contains("DB_BLOCK_CACHE_USAGE"));
    }

    //! Its keys lie where their comments say, in all partitions, and each family has counters.
    static void familiesOfLinkbench(Admin& admin)
    {
        VERIFY_OK(admin.execute("CREATE DATABASE graph"));
        VERIFY_OK(admin.execute("USE graph"));
        for (const TableSpec& table :
             bind("linkbench", {{"column_families", true}}, "mysql", {{"engine", std::string("RocksDB")}})->tables())
            VERIFY_OK(admin.execute(table.create));
        const auto rows = admin.query("SELECT INDEX_NAME, CF, COUNT(*) FROM information_schema.ROCKSDB_DDL WHERE "
                                      "TABLE_SCHEMA = 'graph' GROUP BY 1, 2 ORDER BY CF");
        VERIFY_OK(rows);
        QCOMPARE(*rows, (TextRows{{"PRIMARY", "cf_count_pk", "1"},
                                  {"id1_type", "cf_link_id1_type", "16"},
                                  {"PRIMARY", "cf_link_pk", "16"},
                                  {"PRIMARY", "cf_node_pk", "1"}}));
        const std::vector<CounterInfo> counters = admin.counters();
        for (const char* name : {"compaction.cf_link_pk.Sum.WriteAmp", "compaction.cf_node_pk.Sum.WriteAmp"})
            QVERIFY2(std::ranges::find(counters, name, &CounterInfo::name) != counters.end(), name);
    }

    //! What is missing is told before a start: the knob, or the package; and what the engine cannot do.
    void whatIsMissing()
    {
        const std::string noKnob = problemsOf(plan(uri()), options());
        QVERIFY2(noKnob.find("set server.load_engine = rocksdb") != std::string::npos, noKnob.c_str());
        Plan encrypted = plan(uri());
        encrypted.set["server.load_engine"] = std::string("rocksdb");
        encrypted.set["server.encryption"] = std::string("all");
        const std::string plain = problemsOf(encrypted, options());
        QVERIFY2(plain.find("the engine ROCKSDB cannot encrypt its files") != std::string::npos, plain.c_str());
        Plan other = plan(uri());
        other.set["server.load_engine"] = std::string("tokudb");
        const std::string unknown = problemsOf(other, options());
        QVERIFY2(unknown.find("rocksdb") != std::string::npos, unknown.c_str());
        const auto bare = findServer({});
        QVERIFY(bare);
        if (fs::exists(bare->pluginFolder() / "ha_rocksdb.so"))
            return; // the installed one has it
        Plan without = plan("managed:mariadb");
        without.set["server.load_engine"] = std::string("rocksdb");
        const std::string text = problemsOf(without, options());
        QVERIFY2(text.find("ha_rocksdb.so") != std::string::npos &&
                     text.find("mariadb-plugin-rocksdb") != std::string::npos,
                 text.c_str());
    }
};

} // namespace dyno::tst_engine_plugin

DYNO_SUITE(tst_engine_plugin, dyno::tst_engine_plugin::TestEnginePlugin)
#include "tst_engine_plugin.moc"
