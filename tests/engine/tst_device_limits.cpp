// SPDX-License-Identifier: GPL-3.0-or-later
// What the disk can do, in a session and as lines of its views.
#include "figure_sessions.h"
#include "recording_sink.h"
#include "store/codec/session_codec.h"
#include "support/must.h"
#include "support/suite.h"
#include "support/verify.h"

#include <dyno/device_limits.h>
#include <dyno/export.h>
#include <dyno/load_fields.h>
#include <dyno/missing_runs.h>
#include <dyno/trust.h>
#include <dyno/view_fields.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_device_limits {
using namespace dyno::test;

namespace {

DeviceFigures figuresOf(double reads)
{
    DeviceFigures figures;
    figures.folder = "/home/somebody/data";
    figures.fileSystem = "ext4";
    figures.source = "/dev/vda";
    figures.direct = true;
    figures.fileBytes = 536870912;
    figures.blockBytes = 16384;
    figures.readers = 16;
    figures.bytesPerSecond = 209715200;
    figures.read = {3100, {.meanMs = 0.3, .p50Ms = 0.25, .p99Ms = 1, .maxMs = 4}};
    figures.reads = {reads, {.meanMs = 0.7}};
    figures.sync = {1100, {.meanMs = 0.9}};
    return figures;
}

//! durability() with a disk that was measured for it.
StoredSession measured(double reads)
{
    StoredSession session = durability();
    for (StoredRun& run : session.runs)
        run.header.device = figuresOf(reads);
    return session;
}

PivotRequest requestWith(std::vector<std::string> limits, const char* measure = "tps")
{
    PivotRequest request;
    request.measure = measure;
    request.limits = std::move(limits);
    return request;
}

ParsedPlan planWith(const std::string& load, const std::string& view, const std::string& uri = "sqlite:")
{
    return parsePlan("[target]\nuri = \"" + uri + "\"\n[workload]\nname = \"oltp_point_select\"\n[load]\ntime = 1\n" +
                         load + "\n[[view]]\nx = \"users\"\n" + view + "\n",
                     "test");
}

const Fault* faultAt(const Faults& faults, const char* where)
{
    const auto found = std::ranges::find(faults, where, &Fault::where);
    return found == faults.end() ? nullptr : &*found;
}

RunnerOptions smallProbe(const QTemporaryDir& dir)
{
    RunnerOptions options;
    options.workDir = dir.path().toStdString();
    options.library = dir.filePath("library.dynolib").toStdString();
    options.probe.fileBytes = 1 << 22;
    options.probe.readers = 2;
    options.probe.seconds = 0.05;
    return options;
}

} // namespace

class TestDeviceLimits : public QObject
{
    Q_OBJECT
private slots:
    void json()
    {
        const DeviceFigures wanted = figuresOf(21400);
        const auto read = deviceFromJson(toJson(wanted));
        QVERIFY(read);
        QCOMPARE(toJson(*read), toJson(wanted));
        QCOMPARE(read->reads.perSecond, 21400.0);
        QCOMPARE(read->read.times.p99Ms, 1.0);
        QCOMPARE(read->blockBytes, std::size_t(16384));
        QVERIFY(read->direct && read->tool.empty());
        DeviceFigures other = wanted;
        other.tool = "fio-3.33";
        QCOMPARE(deviceFromJson(toJson(other))->tool, std::string("fio-3.33"));
    }

    void strangersJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("is");
        QTest::newRow("nothing") << QByteArray() << false;
        QTest::newRow("a list") << QByteArray("[1]") << false;
        QTest::newRow("another object") << QByteArray("{\"folder\": \"x\"}") << false;
        QTest::newRow("texts for numbers")
            << QByteArray(R"({"random_reads": {"per_second": "many", "ms": 4}, "readers": "x", "direct": 1})") << true;
        QTest::newRow("beyond all")
            << QByteArray(
                   R"({"random_reads": {"per_second": -5}, "readers": 1e300, "block_bytes": -1, "file_bytes": 1e30})")
            << true;
        QTest::newRow("a list for work") << QByteArray(R"({"random_reads": [5], "write_with_sync": null})") << true;
    }
    //! A file may hold anything.
    void strangersJson()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const bool, is);
        const auto read = deviceFromJson(text.toStdString());
        QCOMPARE(read.has_value(), is);
        if (read)
            QVERIFY(read->reads.perSecond == 0 && read->readers == 0 && read->blockBytes == 0 && !read->direct);
    }

    //! Levels of a stranger's JSON are no levels of our stack.
    void strangersLevels()
    {
        constexpr std::size_t kLevels = 200000;
        const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
        std::string text = toJson(figuresOf(21400));
        text.insert(1, "\"a\": " + deep + ", ");
        const auto device = codec::readDevice("{\"b\": " + deep + ", \"device\": " + text + "}");
        QVERIFY(device);
        QCOMPARE(device->reads.perSecond, 21400.0);
    }

    void names()
    {
        QCOMPARE(limitNames("disk reads, one at a time;  disk syncs ; ; disk syncs"), // each once
                 (Texts{"disk reads, one at a time", "disk syncs"}));
        QVERIFY(limitNames("").empty());
        const DeviceFigures figures = figuresOf(21400);
        QCOMPARE(findDeviceLimit("disk reads")->value(figures), 21400.0);
        QCOMPARE(findDeviceLimit("disk reads, one at a time")->value(figures), 3100.0);
        QCOMPARE(findDeviceLimit("disk syncs")->value(figures), 1100.0);
        QCOMPARE(findDeviceLimit("disk write bytes")->value(figures), 209715200.0);
        QVERIFY(!findDeviceLimit("disk"));
        const DeviceLimitInfo &reads = *findDeviceLimit("disk reads"), &bytes = *findDeviceLimit("disk write bytes");
        QVERIFY(hasUnitOf(reads, "transactions/s") && hasUnitOf(reads, "reads/s") && !hasUnitOf(reads, "bytes/s"));
        QVERIFY(hasUnitOf(bytes, "bytes/s") && !hasUnitOf(bytes, "reads/s"));
        for (const char* unit : {"µs/s", "ns/s", "seconds/s", "joules/s", "KiB/s", "GB/s", "ratio/s"})
            QVERIFY2(!hasUnitOf(reads, unit) && !hasUnitOf(bytes, unit), unit);
        DeviceFigures cached = figures; // from memory: no limit of the disk
        cached.direct = false;
        QCOMPARE(findDeviceLimit("disk reads")->value(cached), 0.0);
        QCOMPARE(findDeviceLimit("disk reads, one at a time")->value(cached), 0.0);
        QCOMPARE(findDeviceLimit("disk syncs")->value(cached), 1100.0);
        QVERIFY(!hasUnitOf(reads, "ms") && !hasUnitOf(reads, "%") && !hasUnitOf(reads, "blocks"));
    }

    void plans()
    {
        const auto list = planWith("probe = true", "limit = [\"disk reads\", \"disk syncs\"]");
        QVERIFY2(list.plan, list.faults.empty() ? "" : list.faults.front().what.c_str());
        QVERIFY(list.plan->load.probe);
        QCOMPARE(list.plan->views.at(0).limit, std::string("disk reads; disk syncs"));
        QCOMPARE(requestOf(list.plan->views[0]).limits, (Texts{"disk reads", "disk syncs"}));
        const auto again = parsePlan(writePlan(*list.plan), "again");
        QVERIFY(again.plan && again.plan->load.probe);
        QCOMPARE(again.plan->views.at(0).limit, list.plan->views[0].limit);
        // It is in the estimate: three parts and the writing of the file.
        Plan without = *list.plan;
        without.load.probe = false;
        const double more = expand(*list.plan).estimatedSeconds - expand(without).estimatedSeconds;
        QVERIFY2(more > 9 && more < 20, qPrintable(QString::number(more)));
    }

    void faults_data()
    {
        QTest::addColumn<QString>("load");
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("what");
        const QString own = QStringLiteral("sqlite:");
        QTest::newRow("remote") << "probe = true"
                                << ""
                                << "mysql://bench@db.example/test"
                                << "load.probe"
                                << "dyno probe FOLDER";
        QTest::newRow("no disk") << "probe = true"
                                 << ""
                                 << "null:"
                                 << "load.probe"
                                 << "no data on a disk";
        QTest::newRow("unknown") << ""
                                 << "limit = \"disk raeds\"" << own << "view[0].limit"
                                 << "did you mean \"disk reads\"";
        QTest::newRow("another unit") << ""
                                      << "limit = \"disk reads\"\nmeasure = \"service_p95\"" << own << "view[0].limit"
                                      << "has another unit than disk";
        QTest::newRow("bytes") << ""
                               << "limit = \"disk write bytes\"\nmeasure = \"tps\"" << own << "view[0].limit"
                               << "has another unit than disk";
        QTest::newRow("over time") << ""
                                   << "limit = \"disk reads\"\nchart = \"time\"" << own << "view[0].limit"
                                   << "no place for a limit";
        QTest::newRow("no text") << ""
                                 << "limit = [5]" << own << "view[0].limit[0]"
                                 << "a text";
    }
    void faults()
    {
        QFETCH(const QString, load);
        QFETCH(const QString, view);
        QFETCH(const QString, uri);
        QFETCH(const QString, where);
        QFETCH(const QString, what);
        const auto parsed = planWith(load.toStdString(), view.toStdString(), uri.toStdString());
        QVERIFY(!parsed.plan);
        const Fault* fault = faultAt(parsed.faults, qPrintable(where));
        QVERIFY2(fault, parsed.faults.empty() ? "" : parsed.faults.front().where.c_str());
        QVERIFY2((fault->what + fault->remedy).find(what.toStdString()) != std::string::npos,
                 (fault->what + "; " + fault->remedy).c_str());
        // Of a counter the unit is known only later.
        QVERIFY(planWith("", "limit = \"disk reads\"\nmeasure = \"counter:Key_reads\"").plan);
    }

    //! A stranger's plan writes half a GiB into no folder of this person's before they said yes.
    void agreements()
    {
        const QTemporaryDir dir;
        Plan plan = smallPlan("sqlite:" + dir.filePath("x.db").toStdString());
        QVERIFY(risksOf(plan).empty());
        plan.load.probe = true;
        const std::vector<Risk> risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks[0].key, std::string("load.probe"));
        QVERIFY2(risks[0].wants.find("512 MiB") != std::string::npos &&
                     risks[0].wants.find(dir.path().toStdString()) != std::string::npos,
                 risks[0].wants.c_str());
        QVERIFY(refusalOf(plan, {}));
        Consent consent;
        consent.allow("load.probe");
        QVERIFY(!refusalOf(plan, consent));
        // Typed by this person: agreed to; in the file: not.
        Plan asFile = plan;
        asFile.load.probe = false;
        QVERIFY(!refusalOf(plan, typedIn(asFile, plan)));
        QVERIFY(refusalOf(plan, typedIn(plan, plan)));
        for (const char* ours : {"sqlite:", "managed:mariadb"}) {
            plan.target.uri = ours;
            QVERIFY2(risksOf(plan).empty(), ours);
        }
    }

    void inPivots()
    {
        const std::vector<StoredSession> sessions{measured(21400)};
        const Pivot rates = pivot(sessions, requestWith({"disk reads", "disk write bytes", "disk syncs", "nothing"}));
        QCOMPARE(rates.limits.size(), std::size_t(2)); // bytes are of another unit
        QCOMPARE(rates.limits[0].name, std::string("disk reads"));
        QCOMPARE(rates.limits[0].value, 21400.0);
        QCOMPARE(rates.limits[1].value, 1100.0);
        const std::string text = markdownTable(rates);
        QVERIFY2(text.find("Limits: disk reads 21\u202f400/s, disk syncs 1100/s.") != std::string::npos, text.c_str());
        const std::string csv = ratioTable(rates, TableForm::Csv);
        QVERIFY2(csv.find(",disk reads (transactions/s),disk syncs (transactions/s)\n") != std::string::npos &&
                     csv.find(",21400,1100\n") != std::string::npos,
                 csv.c_str());
        QVERIFY(pivot(sessions, requestWith({"disk reads"}, "service_p95")).limits.empty());
        PivotRequest relative = requestWith({"disk reads"});
        relative.relativeTo = RelativeTo::Baseline;
        QVERIFY(pivot(sessions, relative).limits.empty());
        QVERIFY(pivot({durability()}, requestWith({"disk reads"})).limits.empty()); // nobody measured it
        QVERIFY(markdownTable(pivot({durability()}, requestWith({"disk reads"}))).find("Limits") == std::string::npos);
        // Of two disks each has its own line.
        StoredSession two = measured(21400);
        two.runs.back().header.device->source = "/dev/vdb";
        two.runs.back().header.device->reads.perSecond = 900;
        const Pivot both = pivot({two}, requestWith({"disk reads"}));
        QCOMPARE(both.limits.size(), std::size_t(2));
        QCOMPARE(both.limits[1].name, std::string("disk reads of /dev/vdb"));
        QCOMPARE(both.limits[1].value, 900.0);
        two.runs.back().header.device->source = "/dev/vda"; // measured twice
        QCOMPARE(pivot({two}, requestWith({"disk reads"})).limits.at(1).name, std::string("disk reads of /dev/vda #2"));
        two.runs.back().header.device->direct = false;
        QCOMPARE(pivot({two}, requestWith({"disk reads"})).limits.size(), std::size_t(1));
    }

    void inReports()
    {
        const StoredSession session = measured(21400);
        QCOMPARE(disksOf(session).size(), std::size_t(1));
        QCOMPARE(
            diskText(disksOf(session)[0]),
            std::string("ext4 on /dev/vda: 3100 random reads of 16.0 KiB a second one at a time, 21\u202f400 a second "
                        "with 16 at once; 1100 writes with a sync a second; 200 MiB/s written in order (measured "
                        "by Dynobench)"));
        const std::string report = markdownReport({session}, requestWith({}));
        QVERIFY2(report.find("- Disk: ext4 on /dev/vda: 3100 random reads") != std::string::npos, report.c_str());
        const std::string runs = runsCsv(session);
        QVERIFY(runs.find(",disk reads (1/s),\"disk reads, one at a time (1/s)\",disk syncs (1/s),disk write bytes "
                          "(bytes/s)\n") != std::string::npos);
        QVERIFY2(runs.find(",21400.000,3100.000,1100.000,209715200.000\n") != std::string::npos, runs.c_str());
        QVERIFY(runsCsv(durability()).find("disk reads") == std::string::npos);
        const std::string json = sessionJson(session);
        QVERIFY(json.find("\"random_reads\"") != std::string::npos);
        QVERIFY(sessionJson(durability()).find("\"disk\"") == std::string::npos);
    }

    //! The real disk below a real run, and its figures back from the library.
    void inSessions()
    {
        const QTemporaryDir dir;
        Plan plan = smallPlan("sqlite:");
        plan.load.probe = true;
        plan.load.repeats = 2;
        plan.views = {View(), View()};
        plan.views[0].limit = "disk syncs";
        plan.views[1].measure = "formula:tps / 'host/memory availabel'"; // a slip
        const RunnerOptions options = smallProbe(dir);
        RecordingSink sink;
        runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const auto of = [&sink](std::size_t run) {
            return std::ranges::count_if(sink.events.at(run), [](const RunEvent& event) {
                return event.text.find("measured what the disk of ") == 0;
            });
        };
        QVERIFY(of(0) == 1 && of(1) == 0); // once a session
        QVERIFY(std::ranges::any_of(
            sink.progress, [](const ProgressReport& report) { return report.text.find("measuring the disk: ") == 0; }));
        QCOMPARE(sink.runs.size(), std::size_t(2));
        const auto library = must(Library::open(options.library, Library::Mode::ReadOnly));
        const StoredSession session = must(library->session(sink.header.id));
        QVERIFY(session.damage.empty());
        for (std::size_t i = 0; i < 2; ++i) {
            QVERIFY(sink.runs[i].device && session.runs.at(i).header.device);
            QCOMPARE(toJson(*session.runs[i].header.device), toJson(*sink.runs[0].device));
        }
        const DeviceFigures& figures = *session.runs[0].header.device;
        QVERIFY(figures.sync.perSecond > 0 && figures.reads.perSecond > 0 && figures.fileBytes == 1U << 22);
        QVERIFY(figures.folder.find(dir.path().toStdString()) == 0);
        // What its formulas name and nobody has is told at the end of the session, once.
        std::ptrdiff_t slips = 0;
        for (const StoredRun& run : session.runs) {
            const auto events = must(library->events(run.id));
            slips += std::ranges::count_if(events, [](const RunEvent& event) {
                return event.text ==
                       "a formula uses host/memory availabel, but no counter has that name: did you mean host/memory "
                       "available?";
            });
        }
        QCOMPARE(slips, std::ptrdiff_t(1));
        const Pivot shown = pivot({session}, requestOf(session.header.plan.views.at(0)));
        QCOMPARE(shown.limits.size(), std::size_t(1));
        QCOMPARE(shown.limits[0].value, figures.sync.perSecond);
        // Whose folder it was is nobody's business.
        const QString file = dir.filePath("anonymous.dyno");
        VERIFY_OK(library->exportSession(session.info.id, file.toStdString(), Library::Privacy::Anonymous));
        const auto given = must(Library::open(file.toStdString(), Library::Mode::ReadOnly));
        const StoredSession anonymous = must(given->session(must(given->sessions())[0].id));
        QVERIFY(anonymous.runs.at(0).header.device);
        QCOMPARE(anonymous.runs[0].header.device->folder, std::string());
        for (const StoredRun& run : anonymous.runs) {
            for (const RunEvent& event : must(given->events(run.id)))
                QVERIFY2(event.text.find(dir.path().toStdString()) == std::string::npos, event.text.c_str());
        }
        QCOMPARE(anonymous.runs[0].header.device->sync.perSecond, figures.sync.perSecond);
    }

    //! A sitting that goes on has the figures of the one before.
    void inALaterSitting()
    {
        const QTemporaryDir dir;
        Plan plan = smallPlan("sqlite:");
        plan.load.probe = true;
        plan.load.repeats = 2;
        plan.views = {View()};
        plan.views[0].measure = "formula:tps / 'host/memory availabel'";
        RunnerOptions options = smallProbe(dir);
        RecordingSink first, second;
        SessionRunner runner(plan, options, {&first});
        first.runHook = [&runner](const RunHeader& run) {
            if (run.index == 1)
                runner.stop();
        };
        runner.start();
        runner.wait();
        QCOMPARE(first.session.status, RunStatus::Stopped);
        const auto told = [](const RecordingSink& sink, const char* what) {
            std::ptrdiff_t count = 0;
            for (const auto& events : sink.events)
                count += std::ranges::count_if(
                    events, [what](const RunEvent& event) { return event.text.find(what) != std::string::npos; });
            return count;
        };
        QCOMPARE(told(first, "measured what the disk"), std::ptrdiff_t(1));
        QCOMPARE(told(first, "a formula uses"), std::ptrdiff_t(0)); // runs are missing
        const auto library = must(Library::open(options.library, Library::Mode::ReadOnly));
        const StoredSession before = must(library->session(runner.sessionId()));
        const auto header = must(continuationOf(before, hostFacts(), before.header.software));
        options.continues = std::make_shared<const SessionHeader>(header);
        runPlan(header.plan, options, second);
        QVERIFY2(second.session.status == RunStatus::Done, second.session.reason.c_str());
        QCOMPARE(told(second, "measured what the disk"), std::ptrdiff_t(0));
        QCOMPARE(told(second, "a formula uses"), std::ptrdiff_t(1));
        QVERIFY(second.runs.at(0).device);
        QCOMPARE(disksOf(must(library->session(runner.sessionId()))).size(), std::size_t(1));
    }

    //! A run that cannot begin has its events too.
    void ofARunThatFails()
    {
        const QTemporaryDir dir;
        QFile file(dir.filePath("none.db"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(8192, 'x')) == 8192);
        file.close();
        Plan plan = smallPlan("sqlite:" + file.fileName().toStdString());
        plan.load.probe = true;
        RunnerOptions options = smallProbe(dir);
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY(std::ranges::any_of(sink.events.at(0), [](const RunEvent& event) {
            return event.text.find("measured what the disk of ") == 0;
        }));
    }

    //! Too little room is no reason to measure nothing at all.
    void withoutRoom()
    {
        const QTemporaryDir dir;
        Plan plan = smallPlan("sqlite:");
        plan.load.probe = true;
        plan.load.repeats = 2;
        RunnerOptions options = smallProbe(dir);
        options.probe.fileBytes = std::uint64_t(1) << 60;
        RecordingSink sink;
        runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        std::ptrdiff_t said = 0;
        for (const auto& events : sink.events) {
            said += std::ranges::count_if(events, [](const RunEvent& event) {
                return event.text.find("was not measured") != std::string::npos &&
                       event.text.find("are free there") != std::string::npos;
            });
        }
        QCOMPARE(said, std::ptrdiff_t(1));
        QVERIFY(!sink.runs.at(0).device && !sink.runs.at(1).device);
    }

    //! A session that is stopped while the disk is measured ends at once.
    void stopped()
    {
        const QTemporaryDir dir;
        Plan plan = smallPlan("sqlite:");
        plan.load.probe = true;
        RunnerOptions options = smallProbe(dir);
        options.probe.seconds = 600;
        RecordingSink sink;
        SessionRunner runner(plan, options, {&sink});
        sink.progressHook = [&runner](const ProgressReport& report) {
            if (report.text.find("measuring the disk: reading") == 0)
                runner.stop();
        };
        runner.start();
        runner.wait();
        QCOMPARE(sink.session.status, RunStatus::Stopped);
        QVERIFY(sink.samples.empty() || sink.samples[0].empty());
    }
};

} // namespace dyno::tst_device_limits

DYNO_SUITE(tst_device_limits, dyno::tst_device_limits::TestDeviceLimits)
#include "tst_device_limits.moc"
