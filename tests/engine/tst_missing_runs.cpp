// SPDX-License-Identifier: GPL-3.0-or-later
// Failed and skipped runs: what is said of them, and the sitting that completes a session.
#include "figure_sessions.h"
#include "recording_sink.h"
#include "server/lifecycle/server_binaries.h"
#include "store/library/database.h"
#include "store/session/session_writer.h"
#include "support/suite.h"

#include <dyno/analysis.h>
#include <dyno/catalog.h>
#include <dyno/export.h>
#include <dyno/library.h>
#include <dyno/missing_runs.h>
#include <dyno/preflight.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace dyno::tst_missing_runs {
using namespace dyno::test;

class TestMissingRuns : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    [[nodiscard]] std::string path(const char* name) const
    {
        return m_dir.filePath(QString::fromLatin1(name)).toStdString();
    }
    [[nodiscard]] RunnerOptions options() const
    {
        RunnerOptions options;
        options.library = path("library.dynolib");
        options.workDir = m_dir.path().toStdString();
        return options;
    }
    //! Two repeats of two points; the second point's file lies in a folder that is not there at first.
    [[nodiscard]] Plan plan() const
    {
        Plan plan;
        plan.title = "missing";
        plan.target.uri = "sqlite:";
        plan.workload.name = "oltp_point_select";
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
        plan.load.timeSeconds = 0.2;
        plan.load.intervalSeconds = 0.1;
        plan.load.repeats = 2;
        plan.axes = {{"place", {{"here", {}, 0}, {"there", {{"target.uri", "sqlite:" + path("later/x.db")}}, 0}}, 0}};
        return plan;
    }
    [[nodiscard]] StoredSession stored(const std::string& id) const
    {
        auto library = Library::open(path("library.dynolib"), Library::Mode::ReadOnly);
        if (!library)
            qFatal("%s", library.error().text().c_str());
        auto session = (*library)->session(id);
        if (!session)
            qFatal("%s", session.error().text().c_str());
        return std::move(*session);
    }
    static std::string run(const Plan& plan, const RunnerOptions& options, RecordingSink& sink)
    {
        SessionRunner runner(plan, options, {&sink});
        runner.start();
        runner.wait();
        return runner.sessionId();
    }

private slots:
    void theFirstFailureThatStands()
    {
        StoredSession session = sessionOf("failures", {{"OFF", 1, {1, 1}}, {"FULL", 1, {1, 1}}});
        for (int point : {0, 1}) {
            for (int repeat : {1, 2})
                session.header.runs.push_back({point, repeat});
        }
        QVERIFY(!firstFailure(session));
        session.info.status = RunStatus::Failed;
        session.info.reason = "the server went away";
        std::optional<Failure> failure = firstFailure(session);
        QVERIFY(failure);
        QCOMPARE(failure->where, std::string()); // no run did
        QCOMPARE(failure->why, session.info.reason);
        for (std::size_t i : {std::size_t(0), std::size_t(2)}) {
            session.runs[i].summary.status = RunStatus::Failed;
            session.runs[i].summary.reason = "no room";
            session.runs[i].summary.place = "while loading data";
        }
        failure = firstFailure(session);
        QVERIFY(failure);
        QVERIFY2(failure->where.starts_with("point 1"), failure->where.c_str());
        QCOMPARE(failure->doing, std::string("while loading data"));
        QCOMPARE(failure->why, std::string("no room"));
        QCOMPARE(failure->more, 1);
        StoredRun again = session.runs[0]; // completed in a later sitting
        again.summary.status = RunStatus::Done;
        session.runs.push_back(again);
        failure = firstFailure(session);
        QVERIFY(failure);
        QVERIFY2(failure->where.starts_with("point 2"), failure->where.c_str());
        QCOMPARE(failure->more, 0);
    }
    void countsTellHowRunsEnded()
    {
        StoredSession session = sessionOf("counts", {{"OFF", 1, {1, 1, 1}}, {"FULL", 1, {1, 1, 1}}});
        for (int point : {0, 1}) {
            for (int repeat : {1, 2, 3})
                session.header.runs.push_back({point, repeat});
        }
        session.runs.pop_back();
        session.runs[1].summary.status = RunStatus::Failed;
        session.runs[2].summary.status = RunStatus::Skipped;
        session.runs[3].summary.status = RunStatus::Stopped;
        RunCounts counts = countRuns(session);
        QCOMPARE(counts.planned, 6);
        QCOMPARE(counts.done, 2);
        QCOMPARE(missingText(counts), std::string("1 failed, 1 skipped, 1 stopped, 1 not run"));
        QCOMPARE(missingRuns(session).size(), std::size_t(4));
        // In the table, too, only what failed is called failed.
        const Pivot p = pivot({session}, {});
        QCOMPARE(p.cell("1", "OFF")->failedRuns, 1);
        QCOMPARE(p.cell("1", "OFF")->skippedRuns, 1);
        QCOMPARE(p.cell("1", "FULL")->failedRuns, 0);
        QCOMPARE(p.cell("1", "FULL")->skippedRuns, 1);
        const std::string table = markdownTable(p);
        QVERIFY2(table.find("(1 failed) (1 skipped or stopped)") != std::string::npos, table.c_str());
        // In a CSV each run says how it ended, and a point without a complete run has no figure.
        session.runs[2].summary.reason = "skipped by the user";
        const QList<QByteArray> lines = QByteArray::fromStdString(runsCsv(session)).split('\n');
        const auto field = [&lines](int line, const char* name) {
            return lines[line].split(',').value(lines[0].split(',').indexOf(name));
        };
        QCOMPARE(field(1, "status"), QByteArray("done"));
        QCOMPARE(field(2, "status"), QByteArray("failed"));
        QCOMPARE(field(3, "status"), QByteArray("skipped"));
        QCOMPARE(field(3, "reason"), QByteArray("skipped by the user"));
        QCOMPARE(field(4, "status"), QByteArray("stopped"));
        StoredSession none = session;
        for (StoredRun& run : none.runs)
            run.summary.status = run.header.point == 1 ? RunStatus::Skipped : RunStatus::Done;
        const std::string csv = ratioTable(pivot({none}, {}), TableForm::Csv, false);
        QVERIFY2(csv.ends_with("\n1,1,1,,\n"), csv.c_str());
        // A failed run that was run again counts as it ended then.
        StoredRun again = session.runs[0];
        again.header.index = 6;
        again.header.repeat = again.summary.repeat = 2;
        again.summary.sitting = 2;
        session.runs.push_back(again);
        session.header.runs.push_back({0, 2});
        counts = countRuns(session);
        QCOMPARE(counts.planned, 6);
        QCOMPARE(counts.done, 3);
        QCOMPARE(counts.failed, 0);
        QCOMPARE(pivot({session}, {}).cell("1", "OFF")->failedRuns, 0);
    }
    void aFailedRunSaysWhereWhyAndWhatHelps()
    {
        RecordingSink sink;
        const std::string id = run(plan(), options(), sink);
        const StoredSession session = stored(id);
        QCOMPARE(session.info.runsDone, 2);
        QCOMPARE(session.info.runsPlanned, 4);
        QCOMPARE(session.info.runsFailed, 2);
        const auto missing = missingRuns(session);
        QCOMPARE(missing.size(), std::size_t(2));
        const RunSummary& failed = *missing.front().run;
        QVERIFY(!failed.reason.empty());
        QVERIFY2(failed.place.starts_with("while "), failed.place.c_str());
        auto library = Library::open(path("library.dynolib"), Library::Mode::ReadOnly);
        QVERIFY(library);
        for (const StoredRun& one : session.runs) {
            const auto events = (*library)->events(one.id);
            QVERIFY2(events, events ? "" : events.error().text().c_str());
            const auto tells = [&failed](const RunEvent& event) {
                return event.kind == EventKind::Error && event.text == failed.reason;
            };
            // "see the events" leads to something
            QCOMPARE(std::ranges::count_if(*events, tells), one.summary.status == RunStatus::Failed ? 1 : 0);
        }
        const std::string markdown = markdownReport({session}, {});
        QVERIFY2(markdown.find("2 of 4 planned runs complete: 2 failed") != std::string::npos, markdown.c_str());
        QVERIFY2(markdown.find(failed.place) != std::string::npos, markdown.c_str());
        const auto json = nlohmann::json::parse(sessionJson(session));
        QCOMPARE(json["run_counts"]["failed"].get<int>(), 2);
        QCOMPARE(json["points"][1]["runs"][0]["place"].get<std::string>(), failed.place);
        const std::string csv = runsCsv(session);
        QVERIFY2(csv.find("failed at,what helps,sitting") != std::string::npos, csv.c_str());
        QVERIFY2(csv.find(failed.place) != std::string::npos, csv.c_str());
    }
    void theNextSittingCompletesTheSession()
    {
        RecordingSink first;
        const std::string id = run(plan(), options(), first);
        const StoredSession before = stored(id);
        QCOMPARE(countRuns(before).failed, 2);
        // A colleague has the session as it is now.
        auto colleague = Library::open(path("colleague.dynolib"), Library::Mode::ReadWrite);
        QVERIFY(colleague);
        {
            auto own = Library::open(path("library.dynolib"), Library::Mode::ReadOnly);
            QVERIFY(own && (*own)->exportSession(id, path("part.dyno")));
            QVERIFY((*colleague)->importFile(path("part.dyno")));
            QVERIFY((*colleague)->setTags(id, {"his"}));
            const auto his = (*colleague)->session(id);
            QVERIFY(his && (*colleague)->annotate(his->runs.front().id, 100'000'000, "his note"));
            // What comes has words of its own.
            auto mine = Library::open(path("library.dynolib"), Library::Mode::ReadWrite);
            QVERIFY(mine && (*mine)->setTags(id, {"mine"}));
            QVERIFY((*mine)->annotate(before.runs.front().id, 100'000'000, "my note"));
        }
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("later")));
        const auto header = continuationOf(before, hostFacts(), before.header.software);
        QVERIFY2(header, header ? "" : header.error().text().c_str());
        RunnerOptions going = options();
        going.continues = std::make_shared<const SessionHeader>(*header);
        RecordingSink second;
        QCOMPARE(run(header->plan, going, second), id);
        QCOMPARE(second.summaries.size(), std::size_t(2)); // nothing is measured twice
        const StoredSession after = stored(id);
        QCOMPARE(after.info.status, RunStatus::Done);
        QVERIFY(after.info.reason.empty());
        QCOMPARE(after.info.runsDone, 4);
        QCOMPARE(after.info.runsPlanned, 4);
        QCOMPARE(after.info.runsFailed, 0);
        QCOMPARE(after.runs.size(), before.runs.size() + 2); // what failed stays, with its reason
        QCOMPARE(countRuns(after).missing(), 0);
        for (std::size_t i = 0; i < after.runs.size(); ++i)
            QCOMPARE(after.runs[i].summary.sitting, i < before.runs.size() ? 1 : 2);
        const std::string sittings = sittingsText(after);
        QVERIFY2(sittings.starts_with("2 of 4 runs were measured in the second sitting"), sittings.c_str());
        QVERIFY2(sittings.find("no point has complete runs of both") != std::string::npos, sittings.c_str());
        QVERIFY(markdownReport({after}, {}).find("second sitting") != std::string::npos);
        auto library = Library::open(path("library.dynolib"), Library::Mode::ReadOnly);
        QVERIFY(library);
        const auto events = (*library)->events(after.runs.back().id).value();
        QVERIFY(std::ranges::any_of(
            events, [](const RunEvent& event) { return event.text.starts_with("measured in sitting 2"); }));
        // It travels as one file, and is complete there.
        QVERIFY((*library)->exportSession(id, path("whole.dyno")));
        auto file = Library::open(path("whole.dyno"), Library::Mode::ReadOnly);
        QVERIFY(file);
        QCOMPARE(countRuns((*file)->session(id).value()).missing(), 0);
        // So it takes the place of what the colleague has of it, and the part does not come back.
        for (const char* next : {"whole.dyno", "part.dyno"}) {
            QVERIFY((*colleague)->importFile(path(next)));
            const auto his = (*colleague)->session(id);
            QVERIFY2(his, his ? "" : his.error().text().c_str());
            QCOMPARE(countRuns(*his).missing(), 0);
            QCOMPARE(his->info.tags, (std::vector<std::string>{"mine", "his"}));
            QVERIFY(his->damage.empty());
            const auto events = (*colleague)->events(his->runs.front().id);
            QVERIFY2(events, events ? "" : events.error().text().c_str());
            for (const char* note : {"his note", "my note"})
                QCOMPARE(std::ranges::count(*events, note, &RunEvent::text), 1);
        }

        const auto none = continuationOf(after, hostFacts(), after.header.software);
        QVERIFY(!none && none.error().message.find("nothing is missing") != std::string::npos);
        // Somebody else completed it meanwhile.
        RecordingSink third;
        run(header->plan, going, third);
        QCOMPARE(third.session.status, RunStatus::Failed);
        QVERIFY(third.summaries.empty());
        QCOMPARE(stored(id).runs.size(), after.runs.size());
        QCOMPARE(stored(id).info.status, RunStatus::Done);
    }
    //! Its package is gone when the session goes on: the case stays a part of it, and its runs say what they lack.
    void anOptionalCaseWhosePackageIsGone()
    {
        const auto installed = findServer({});
        if (!installed || std::string(installed->product()) != "mariadb")
            QSKIP("no MariaDB server is installed");
        namespace fs = std::filesystem;
        const fs::path folder = path("server");
        fs::create_directories(folder / "bin");
        for (const fs::path& program : {installed->server, installed->installer})
            fs::create_symlink(program, folder / "bin" / program.filename());
        Plan optional = plan();
        Case& other = optional.axes.front().cases[1];
        other = {"with a package", {{"target.uri", "managed:mariadb?basedir=" + folder.string()}}, 0};
        other.optional = true;
        optional.load.order = RunOrder::AsListed;
        RunnerOptions here = options();
        here.consent.allow("all");
        RecordingSink first;
        SessionRunner runner(optional, here, {&first});
        first.runHook = [&runner](const RunHeader& run) {
            if (run.index == 1)
                runner.stop();
        };
        runner.start();
        runner.wait();
        const StoredSession before = stored(runner.sessionId());
        QCOMPARE(before.header.points.size(), std::size_t(2)); // it was there
        QVERIFY(before.header.plan.skips.empty());
        QVERIFY(countRuns(before).missing() >= 2);
        fs::remove_all(folder);
        Plan anew = optional;
        QCOMPARE(skipMissingCases(anew, here).size(), std::size_t(1)); // a session that begins now does without
        const auto header = continuationOf(before, hostFacts(), before.header.software);
        QVERIFY2(header, header ? "" : header.error().text().c_str());
        here.continues = std::make_shared<const SessionHeader>(*header);
        RecordingSink second;
        run(header->plan, here, second);
        const StoredSession after = stored(before.info.id);
        QCOMPARE(after.header.points.size(), std::size_t(2));
        QVERIFY(after.header.plan.skips.empty());
        QCOMPARE(countRuns(after).planned, countRuns(before).planned);
        const auto missing = missingRuns(after);
        QCOMPARE(missing.size(), std::size_t(2));
        int told = 0;
        for (const RunSummary& summary : second.summaries) {
            if (summary.point != 1) {
                QCOMPARE(summary.status, RunStatus::Done);
                continue;
            }
            ++told;
            QCOMPARE(summary.status, RunStatus::Failed);
            QVERIFY2(summary.reason.find(folder.string()) != std::string::npos, summary.reason.c_str());
        }
        QCOMPARE(told, 2);
        for (const MissingRun& one : missing) {
            QCOMPARE(one.slot.point, 1);
            QVERIFY2(one.point.find("with a package") != std::string::npos, one.point.c_str());
        }
    }
    //! A server that is down is asked once, and leaves the session as it was; what is elsewhere is measured all the
    //! same.
    void aServerThatIsDownLeavesTheSessionAsItWas()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        Plan down = plan();
        down.axes.front().cases[1].set = {{"target.uri", std::string("mysql://bench@127.0.0.1:1/x")}};
        down.axes.front().cases.push_back({"elsewhere", {{"target.uri", "sqlite:" + path("elsewhere/x.db")}}, 0});
        RecordingSink first;
        const std::string id = run(down, options(), first);
        const auto continued = [&](RecordingSink& sink, StoredSession session) {
            const auto header = continuationOf(session, hostFacts(), session.header.software);
            QVERIFY2(header, header ? "" : header.error().text().c_str());
            RunnerOptions going = options();
            going.continues = std::make_shared<const SessionHeader>(*header);
            run(header->plan, going, sink);
        };
        // Only the server's runs are missing.
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("elsewhere")));
        RecordingSink second;
        continued(second, stored(id));
        const StoredSession before = stored(id);
        QCOMPARE(countRuns(before).done, 4);
        QCOMPARE(std::ranges::count(second.summaries, RunStatus::Failed, &RunSummary::status), 1);
        RecordingSink third;
        continued(third, before);
        QCOMPARE(third.summaries.size(), std::size_t(1));
        QCOMPARE(third.session.errorKind, ErrorKind::Unreachable);
        const StoredSession after = stored(id);
        QCOMPARE(after.runs.size(), before.runs.size());
        QCOMPARE(after.header.runs.size(), before.header.runs.size());
        QCOMPARE(after.info.status, before.info.status);
        QCOMPARE(after.info.reason, before.info.reason);
        QCOMPARE(after.info.finishedMs, before.info.finishedMs);
        QVERIFY(after.damage.empty());
    }
    void whatIsNoMoreOfTheSameDoesNotReplaceIt_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("another plan") << "UPDATE session SET plan = replace(plan, 'later', 'victim')";
        QTest::newRow("another point") << "UPDATE point SET spec = replace(spec, 'later', 'victim')";
        QTest::newRow("another order") << "UPDATE slot SET repeat = 7 WHERE idx = 0";
        QTest::newRow("another run")
            << "UPDATE run SET summary = replace(summary, '\"tps\":', '\"tps\":1') WHERE idx = 0";
        QTest::newRow("other intervals") << "UPDATE seal SET value = value + 1 WHERE part >= 18 AND idx = 0";
        QTest::newRow("no seals") << "DELETE FROM seal; UPDATE session SET seals = NULL";
    }
    //! Somebody sends the file of a session with more in it: it takes no place unless the rest is the same.
    void whatIsNoMoreOfTheSameDoesNotReplaceIt()
    {
        QFETCH(const QString, sql);
        RecordingSink sink;
        Plan two = plan();
        const QString folder = QString(QTest::currentDataTag()).remove(' ') + "-later";
        two.axes.front().cases[1].set = {{"target.uri", "sqlite:" + path((folder + "/x.db").toUtf8().constData())}};
        const std::string id = run(two, options(), sink);
        auto library = Library::open(path("library.dynolib"), Library::Mode::ReadWrite);
        QVERIFY(library && (*library)->exportSession(id, path("part.dyno")));
        QVERIFY(QDir(m_dir.path()).mkpath(folder));
        const StoredSession before = stored(id);
        const auto header = continuationOf(before, hostFacts(), before.header.software);
        QVERIFY2(header, header ? "" : header.error().text().c_str());
        RunnerOptions going = options();
        going.continues = std::make_shared<const SessionHeader>(*header);
        RecordingSink second;
        run(header->plan, going, second);
        std::filesystem::remove(path("sent.dyno"));
        QVERIFY((*library)->exportSession(id, path("sent.dyno")));
        {
            auto file = Database::open(path("sent.dyno"), Database::Access::ReadWrite);
            QVERIFY(file);
            (*file)->exec(sql.toStdString());
            QVERIFY((*file)->result());
        }
        auto other = Library::open(path((folder + ".dynolib").toUtf8().constData()), Library::Mode::ReadWrite);
        QVERIFY(other && (*other)->importFile(path("part.dyno")));
        (void)(*other)->importFile(path("sent.dyno")); // refused as damaged, or not taken
        const auto kept = (*other)->session(id);
        QVERIFY2(kept, kept ? "" : kept.error().text().c_str());
        QCOMPARE(kept->runs.size(), before.runs.size());
        QCOMPARE(kept->header.runs.size(), before.header.runs.size());
        QVERIFY(kept->sealed && kept->damage.empty());
        std::filesystem::remove(path("part.dyno"));
    }
    //! A file says what ran; only what its plan says is run.
    void aFileNamesNoOtherRuns()
    {
        RecordingSink sink;
        Plan two = plan();
        two.axes.front().cases[1].set = {{"target.uri", "sqlite:" + path("nowhere/x.db")}};
        const std::string id = run(two, options(), sink);
        const auto with = [&](const char* sql) -> QString {
            std::filesystem::remove(path("sent.dyno"));
            auto own = Library::open(path("library.dynolib"), Library::Mode::ReadOnly);
            if (!own || !(*own)->exportSession(id, path("sent.dyno")))
                return QStringLiteral("not exported");
            {
                auto file = Database::open(path("sent.dyno"), Database::Access::ReadWrite);
                if (!file)
                    return QStringLiteral("not opened");
                (*file)->exec(std::string("DELETE FROM seal; UPDATE session SET seals = NULL;") + sql);
            }
            auto sent = Library::open(path("sent.dyno"), Library::Mode::ReadOnly);
            if (!sent)
                return QString::fromStdString(sent.error().text());
            const auto session = (*sent)->session(id);
            if (!session)
                return QString::fromStdString(session.error().text());
            const auto header = continuationOf(*session, hostFacts(), session->header.software);
            return header ? QString() : QString::fromStdString(header.error().text());
        };
        QCOMPARE(with(""), QString());
        QVERIFY(!with("INSERT INTO slot VALUES((SELECT key FROM session), 4, 5000000, 1)").isEmpty());
        QVERIFY(!with("INSERT INTO slot VALUES((SELECT key FROM session), 4, -1, 1)").isEmpty());
        QVERIFY(with("INSERT INTO slot VALUES((SELECT key FROM session), 4, 0, 300)").contains("other points or runs"));
        QVERIFY(with("UPDATE session SET plan = replace(plan, 'nowhere', 'victim')").contains("other points or runs"));
        QVERIFY(with("UPDATE point SET spec = replace(spec, 'nowhere', 'victim')").contains("other points or runs"));
    }
    //! Of two that continue a session at once, one does; the other has changed nothing by then.
    void twoContinuationsAtOnce()
    {
        RecordingSink sink;
        Plan two = plan();
        two.axes.front().cases[1].set = {{"target.uri", "sqlite:" + path("at once/x.db")}};
        const std::string id = run(two, options(), sink);
        const StoredSession before = stored(id);
        const auto header = continuationOf(before, hostFacts(), before.header.software);
        QVERIFY2(header, header ? "" : header.error().text().c_str());
        const auto begin = [&] {
            auto writer = SessionWriter::open(path("library.dynolib"));
            if (!writer)
                qFatal("%s", writer.error().text().c_str());
            (*writer)->onSessionStarted(*header);
            return std::move(*writer);
        };
        {
            const auto one = begin(), other = begin();
            QVERIFY(one->flush());
            const auto refused = other->flush();
            QVERIFY(!refused);
            QCOMPARE(refused.error().kind, ErrorKind::BadInput);
            QVERIFY(refused.error().message.starts_with("another process continued this session"));
            QCOMPARE(stored(id).header.runs.size(), header->runs.size());
            QCOMPARE(stored(id).info.status, RunStatus::Running);
            one->takeBackSitting();
            QVERIFY(one->flush());
        }
        const StoredSession after = stored(id);
        QCOMPARE(after.header.runs.size(), before.header.runs.size());
        QCOMPARE(after.info.status, before.info.status);
        QVERIFY(after.damage.empty());
        // Also one that was continued to its end meanwhile.
        RunnerOptions going = options();
        going.continues = std::make_shared<const SessionHeader>(*header);
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("at once")));
        RecordingSink done;
        run(header->plan, going, done);
        QCOMPARE(done.session.status, RunStatus::Done);
        const auto late = begin();
        QVERIFY(!late->flush());
        QCOMPARE(stored(id).header.runs.size(), header->runs.size());
    }
    void runsOfOtherMachinesAreRefused()
    {
        RecordingSink sink;
        Plan two = plan();
        two.axes.front().cases[1].set = {{"target.uri", "sqlite:" + path("never/x.db")}};
        StoredSession session = stored(run(two, options(), sink));
        HostFacts other = hostFacts();
        other.cores += 1;
        const auto machine = continuationOf(session, other, session.header.software);
        QVERIFY(!machine && machine.error().message.find("another machine") != std::string::npos);
        const auto version = continuationOf(session, hostFacts(), "dynobench 99");
        QVERIFY(!version && version.error().message.find("two versions") != std::string::npos);
        session.info.status = RunStatus::Running;
        QVERIFY(!continuationOf(session, hostFacts(), session.header.software));
    }
    void aChangeBetweenSittingsIsTold()
    {
        StoredSession session = sessionOf("drift", {{"OFF", 1, {100, 100, 90}}, {"FULL", 1, {50, 45}}});
        constexpr std::int64_t kHour = 3'600'000;
        for (const std::size_t run : {0U, 1U, 3U})
            session.runs[run].summary.startedMs = 1'000'000;
        for (const std::size_t run : {2U, 4U}) {
            session.runs[run].summary.sitting = 2;
            session.runs[run].summary.startedMs = 1'000'000 + 2 * kHour;
        }
        QCOMPARE(sittingsText(session),
                 std::string("2 of 5 runs were measured in the second sitting, 2 h 0 min after the first "
                             "began; at the 2 points with runs of both, throughput is 10.0 % lower in "
                             "the second."));
    }
};

} // namespace dyno::tst_missing_runs

DYNO_SUITE(tst_missing_runs, dyno::tst_missing_runs::TestMissingRuns)
#include "tst_missing_runs.moc"
