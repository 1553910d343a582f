// SPDX-License-Identifier: GPL-3.0-or-later
// What observing a run cost: measured of answers whose time is known, kept with the run, told in the documents.
#include "base/clock.h"
#include "driver/counter_details.h"
#include "monitor/ask_meter.h"
#include "monitor/counter_monitor.h"
#include "monitor/unseen_counters.h"
#include "recording_sink.h"
#include "store/library/database.h"
#include "store/session/observing_file.h"
#include "support/must.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

namespace dyno::tst_observing {

namespace {

using test::must;
using Json = nlohmann::json;

constexpr std::int64_t kWorkNs = 4'000'000, kSleepNs = 20'000'000;

//! Takes a known time to answer, a known part of it on a core.
class TimedAdmin final : public Admin, public CounterDetails
{
public:
    explicit TimedAdmin(std::shared_ptr<std::atomic<bool>> lost = nullptr)
        : m_lost(std::move(lost))
    {
    }
    Expected<void> execute(std::string_view) override { return {}; }
    Expected<TextRows> query(std::string_view) override { return TextRows(); }
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return std::vector<ColumnShape>(); }
    Expected<ServerFacts> facts() override { return ServerFacts(); }
    Expected<std::string> variable(std::string_view) override { return std::string(); }
    Expected<void> setVariable(std::string_view, const Value&) override { return {}; }
    std::vector<UnseenCounters> unseenCounters() override { return {}; }
    std::int64_t servingThread() override { return ::gettid(); } // it answers itself
    std::vector<CounterInfo> counters() override { return {{"timed", "level", "", false}}; }
    Expected<std::vector<double>> counterValues() override
    {
        if (m_lost && *m_lost)
            return fail({ErrorKind::Unreachable, "the server has gone away", {}, {}});
        const std::int64_t until = threadCpuNs() + kWorkNs;
        while (threadCpuNs() < until)
            continue;
        std::this_thread::sleep_for(std::chrono::nanoseconds(kSleepNs));
        return std::vector<double>{7};
    }

private:
    std::shared_ptr<std::atomic<bool>> m_lost; //!< its connection
};

} // namespace

class TestObserving : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path file(const char* name) const { return m_folder.filePath(name).toStdString(); }

private slots:
    void measuresAnswers()
    {
        CounterMonitor monitor({{"timed", "level", "", false}},
                               [] { return Expected<std::unique_ptr<Admin>>(std::make_unique<TimedAdmin>()); });
        QCOMPARE(monitor.cost().requests, std::uint64_t(0));
        monitor.start();
        QTRY_COMPARE(monitor.cost().requests, std::uint64_t(1));
        monitor.intervalEndsAt(nowNs() + 6'000'000);
        QTRY_COMPARE(monitor.cost().requests, std::uint64_t(2));
        monitor.stop();
        const AskCost cost = monitor.cost();
        QVERIFY(cost.totalNs >= 2 * (kWorkNs + kSleepNs) && cost.longestNs >= kWorkNs + kSleepNs);
        QVERIFY(cost.longestNs <= cost.totalNs - (kWorkNs + kSleepNs));
        // Waiting is no work.
        QVERIFY2(cost.cpuNs >= 2 * kWorkNs && cost.cpuNs < 2 * kWorkNs + kSleepNs,
                 qPrintable(QString::number(cost.cpuNs)));
        // The kernel's clocks of a thread differ by less than a tick.
        QVERIFY2(cost.serverNs && std::abs(*cost.serverNs - cost.cpuNs) < kWorkNs,
                 qPrintable(QString::number(cost.serverNs.value_or(-1))));
        QCOMPARE(monitor.digestCost().requests, std::uint64_t(0));
        QVERIFY(!monitor.digestCost().serverNs);
        QCOMPARE(monitor.source(), std::string("timed"));
    }

    //! Whose thread serves a lost connection next, nobody knows.
    void followsNoLostConnection()
    {
        const auto lost = std::make_shared<std::atomic<bool>>(false);
        const auto tries = std::make_shared<std::atomic<int>>(0);
        CounterMonitor monitor({{"timed", "level", "", false}}, [lost, tries]() -> Expected<std::unique_ptr<Admin>> {
            if (*lost) { // the thread that served works for somebody else
                for (const std::int64_t until = threadCpuNs() + kWorkNs; threadCpuNs() < until;)
                    continue;
                ++*tries;
                return fail({ErrorKind::Unreachable, "connection refused", {}, {}});
            }
            return std::make_unique<TimedAdmin>(lost);
        });
        monitor.start();
        QTRY_VERIFY(monitor.cost().serverNs.value_or(0) >= kWorkNs / 2);
        *lost = true;
        QTRY_VERIFY((monitor.intervalEndsAt(nowNs()), *tries > 0));
        const std::int64_t before = *monitor.cost().serverNs;
        const int then = *tries;
        QTRY_VERIFY_WITH_TIMEOUT((monitor.intervalEndsAt(nowNs()), *tries > then), 30'000);
        QCOMPARE(*monitor.cost().serverNs, before);
    }

    //! The one that hangs is the longest of all: it counts while it is open, and once.
    void countsOpenQuestions()
    {
        AskMeter meter;
        QCOMPARE(meter.cost(50).requests, std::uint64_t(0));
        meter.answered(60); // nobody was asked
        QCOMPARE(meter.cost(60).requests, std::uint64_t(0));
        meter.asked(100);
        QCOMPARE(meter.cost(140).requests, std::uint64_t(1));
        QCOMPARE(meter.cost(140).longestNs, std::int64_t(40));
        meter.answered(170);
        meter.used(5);
        const AskCost cost = meter.cost(900);
        QVERIFY(cost.requests == 1 && cost.totalNs == 70 && cost.longestNs == 70 && cost.cpuNs == 5);
    }

    //! What the kernel does not tell is named with the reason that its files give, what has the same remedy together.
    //! An event of a run names no account, and nothing that may not be there.
    void namesWhatIsHidden()
    {
        const auto seriesOf = [](std::initializer_list<const char*> names) {
            std::vector<CounterInfo> series;
            for (const char* name : names)
                series.push_back({"host", name, "", true});
            return series;
        };
        QVERIFY(unseenOfHost(seriesOf({"CPU pressure", "vda bytes written"})).empty());
        const std::string root = file("machine").string();
        const auto whyOf = [&](std::initializer_list<const char*> names) {
            return unseenText(unseenOfHost(seriesOf(names), root));
        };
        const auto write = [&root](const char* name, const char* text) {
            std::filesystem::create_directories(std::filesystem::path(root + name).parent_path());
            std::ofstream(root + name) << text;
        };
        const std::string noPressure = whyOf({"vda bytes written"}), noDisks = whyOf({"CPU pressure", "CPU user"});
        QCOMPARE(noPressure, std::string("pressure on this machine (there is no /proc/pressure: start its kernel with "
                                         "psi=1, if it has PSI)"));
        QCOMPARE(noDisks, std::string("disks of this machine (there is no /proc/diskstats)"));
        write("/proc/pressure/cpu", "");
        write("/proc/diskstats", "");
        QCOMPARE(whyOf({}), std::string("pressure on this machine (/proc/pressure/cpu is empty); disks of this machine "
                                        "(/proc/diskstats is empty)"));
        write("/proc/diskstats", "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
        QCOMPARE(whyOf({"I/O pressure"}),
                 std::string("disks of this machine (/proc/diskstats has no disk that was used)"));
        std::filesystem::remove(root + "/proc/diskstats");
        std::filesystem::create_directories(root + "/proc/diskstats");
        QVERIFY(whyOf({"I/O pressure"}).starts_with("disks of this machine (/proc/diskstats cannot be read: "));

        QVERIFY(unseenOfProcess({}).empty() && unseenOfProcess({::getpid(), {}}).empty());
        QCOMPARE(unseenText(unseenOfProcess({0, "it may run in a container"})),
                 std::string("CPU time, context switches, memory and storage bytes of the server's process (it may run "
                             "in a container)"));
        QCOMPARE(unseenText(unseenOfProcess({7, {}}, root)),
                 std::string("storage bytes read and written by the server's process (there is no /proc/7/io: run "
                             "Dynobench as root or as the server's user)"));

        const std::vector<UnseenCounters> unseen{{"one", "GRANT a TO", "ann"},
                                                 {"two", "GRANT b TO", "ann"},
                                                 {"three", "GRANT a TO", "ann"},
                                                 {"four", "GRANT c TO", "ann", false},
                                                 {"five", "look there"}};
        QCOMPARE(unseenText(unseen), std::string("one, three (GRANT a TO ann); two (GRANT b TO ann); four (GRANT c TO "
                                                 "ann); five (look there)"));
        QCOMPARE(unseenText(unseenOfRun(unseen)),
                 std::string("one, three (GRANT a TO this account); two (GRANT b TO this account); five (look there)"));
        QCOMPARE(unseenText({}), std::string());
    }

    //! Of a run with a database file: its counters, and this machine's files once an interval.
    void keptWithTheRun()
    {
        Plan plan = test::smallPlan("sqlite:" + file("data.db").string());
        plan.workload.params.insert_or_assign("table_size", std::int64_t(100));
        plan.load.warmupSeconds = 0.2;
        plan.load.timeSeconds = 0.5;
        plan.load.intervalSeconds = 0.1;
        RunnerOptions options;
        options.library = file("kept.dynolib");
        options.consent.allow("all");
        test::RecordingSink sink;
        test::runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const auto library = must(Library::open(options.library, Library::Mode::ReadOnly));
        const auto cost = must(observingCost(*library, sink.header.id, 0));
        QVERIFY(cost);
        double seconds = 0;
        for (const IntervalSample& one : sink.samples.front())
            seconds += double(one.lengthNs) * 1e-9;
        QVERIFY2(std::abs(cost->seconds - seconds) < 0.002, qPrintable(QString::number(cost->seconds)));
        const auto of = [&cost](const std::string& what) {
            const auto found = std::ranges::find(cost->sources, what, &ObservedSource::what);
            return found == cost->sources.end() ? ObservedSource() : *found;
        };
        const ObservedSource files = of("kernel files"), counters = of("counters");
        QCOMPARE(files.source, std::string("host"));
        QCOMPARE(files.requests, std::uint64_t(sink.samples.front().size()));
        QVERIFY(files.meanMs > 0 && files.meanMs <= files.maxMs + 0.001 && files.cpuMs > 0);
        QVERIFY(counters.requests >= 2 && counters.meanMs <= counters.maxMs + 0.001);
        QVERIFY(cost->corePercent() > 0 && cost->corePercent() < 100);
        // The document says the same.
        const StoredSession session = must(library->session(sink.header.id));
        const Json run = Json::parse(sessionJson(session, {}, *library))["points"][0]["runs"][0];
        QCOMPARE(run["observing"]["sources"].size(), cost->sources.size());
        QCOMPARE(run["observing"]["seconds"].get<double>(), cost->seconds);
        QVERIFY(!Json::parse(sessionJson(session))["points"][0]["runs"][0].contains("observing"));
        // A run of another index has none, as those of older versions.
        QVERIFY(!must(observingCost(*library, sink.header.id, 1)));
        QCOMPARE(observingJson(std::nullopt), std::string("null"));
        // What is damaged is not "not known".
        must(Database::open(options.library, Database::Access::ReadWrite))
            ->exec("UPDATE artefact SET content = CAST('{}' AS BLOB) WHERE name LIKE 'observing%'");
        const Json damaged = Json::parse(sessionJson(session, {}, *library))["points"][0]["runs"][0]["observing"];
        QVERIFY2(damaged.is_object() && damaged.contains("error"), damaged.dump().c_str());
    }

    void nothingToAsk()
    {
        Plan plan = test::smallPlan("null:");
        plan.load.timeSeconds = 0.1;
        plan.load.warmupSeconds = 0;
        plan.load.counters = false;
        RunnerOptions options;
        options.library = file("none.dynolib");
        test::RecordingSink sink;
        test::runPlan(plan, options, sink);
        const auto library = must(Library::open(options.library, Library::Mode::ReadOnly));
        const auto cost = must(observingCost(*library, sink.header.id, 0));
        QVERIFY(cost && cost->sources.empty());
    }

    void readsWhatItWrites()
    {
        ObservingCost cost;
        cost.seconds = 4;
        cost.sources = {{"server", "counters", 8, 1.25, 3.5, 20, 12.5}, {"db \"host\"", "series", 4, 2, 3, 4}};
        QCOMPARE(cost.perSecond(cost.sources.front()), 2.0);
        QCOMPARE(cost.corePercent(), 0.6); // 24 ms of 4 s
        const ObservingCost again = readObserving(observingJson(cost));
        QCOMPARE(again.seconds, cost.seconds);
        QCOMPARE(again.sources.size(), cost.sources.size());
        for (std::size_t i = 0; i < again.sources.size(); ++i) {
            const ObservedSource &one = again.sources[i], &other = cost.sources[i];
            QVERIFY(one.source == other.source && one.what == other.what && one.requests == other.requests &&
                    one.meanMs == other.meanMs && one.maxMs == other.maxMs && one.cpuMs == other.cpuMs &&
                    one.serverCpuMs == other.serverCpuMs);
        }
    }

    //! Files come from strangers.
    void oddFiles()
    {
        for (const char* text : {"", "7", "[]", "{", "{\"sources\": 7}", "{\"sources\": [7, []]}"})
            QVERIFY2(readObserving(text).sources.empty(), text);
        const ObservingCost odd =
            readObserving("{\"seconds\": -1, \"sources\": [{\"source\": 7, \"requests\": -3, \"mean_ms\": 1e999, "
                          "\"max_ms\": \"x\"}]}");
        QVERIFY(odd.sources.size() <= 1 && odd.seconds == 0);
        for (const ObservedSource& one : odd.sources)
            QVERIFY(one.source.empty() && one.requests == 0 && one.meanMs == 0 && one.maxMs == 0);
        const ObservingCost most = readObserving("{\"sources\": [{\"requests\": 18446744073709551615}]}");
        QCOMPARE(most.sources.at(0).requests, std::uint64_t(INT64_MAX));
        std::string many = "{\"sources\": [{}";
        for (int i = 0; i < 1000; ++i)
            many += ",{}";
        QVERIFY(readObserving(many + "]}").sources.size() < 100);
        QVERIFY(isObservingFile(observingFile(0)) && observingFile(0) == "observing of run 1.json");
        for (const char* name : {"observing of run .json", "observing of run x.json", "statements of run 1.json"})
            QVERIFY2(!isObservingFile(name), name);
    }
};

} // namespace dyno::tst_observing

DYNO_SUITE(tst_observing, dyno::tst_observing::TestObserving)
#include "tst_observing.moc"
