// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_session.h"

#include "cli/console.h"
#include "cli/run_progress.h"
#include "core/data_check_text.h"
#include "core/session_text.h"
#include "core/temporary_folder.h"

#include <dyno/analysis.h>
#include <dyno/data_check.h>
#include <dyno/observing.h>
#include <dyno/path.h>
#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

int exitCodeOf(const SessionSummary& summary)
{
    if (interrupted())
        return kInterrupted;
    if (summary.status == RunStatus::Done)
        return kDone;
    if (summary.status == RunStatus::Stopped)
        return kInterrupted;
    // A target that went away in the middle is a failed run; one that was never there is unreachable.
    const bool measured = std::any_of(summary.runs.begin(), summary.runs.end(),
                                      [](const RunSummary& run) { return run.transactions > 0; });
    return measured ? int(kFailed) : exitCodeOf(summary.errorKind);
}

bool objectivesHold(const SessionSummary& summary)
{
    return std::all_of(summary.runs.begin(), summary.runs.end(),
                       [](const RunSummary& run) { return !run.objective || run.objective->met; });
}

//! Collects what the runner says of the data; read after its end.
class Checks : public DataCheckSink
{
public:
    void onDataChecked(const DataCheckReport& report) override { m_reports.push_back(report); }
    [[nodiscard]] const std::vector<DataCheckReport>& reports() const { return m_reports; }
    [[nodiscard]] bool hold() const
    {
        return std::all_of(m_reports.begin(), m_reports.end(),
                           [](const DataCheckReport& report) { return report.holds(); });
    }

private:
    std::vector<DataCheckReport> m_reports;
};

//! What the runner says, for a session that is stored nowhere.
class Told : public SampleSink
{
public:
    void onSessionStarted(const SessionHeader& header) override
    {
        m_session.header = header;
        for (const RunSummary& earlier : header.earlier) {
            begin({});
            onRunFinished(earlier);
        }
    }
    void onRunStarted(const RunHeader& header) override { begin(header); }
    void onRunAftermath(const RunAftermath& aftermath) override
    {
        if (!m_session.runs.empty())
            m_session.runs.back().aftermath = aftermath;
    }
    void onRunFinished(const RunSummary& summary) override
    {
        if (m_session.runs.empty() || m_ended)
            begin({});
        m_session.runs.back().header.point = summary.point;
        m_session.runs.back().header.repeat = summary.repeat;
        m_session.runs.back().summary = summary;
        m_ended = true;
    }
    void onSessionFinished(const SessionSummary& summary) override
    {
        SessionInfo& info = m_session.info;
        info.id = m_session.header.id;
        info.title = m_session.header.title;
        info.workload = m_session.header.plan.workload.name;
        info.target = targetText(m_session.header.plan.target);
        info.source = m_session.header.plan.source;
        info.startedMs = m_session.header.startedMs;
        info.finishedMs = summary.finishedMs;
        info.status = summary.status;
        info.reason = summary.reason;
        info.runsPlanned = int(m_session.header.runs.size());
        info.runsDone = int(std::ranges::count_if(
            m_session.runs, [](const StoredRun& run) { return run.summary.status == RunStatus::Done; }));
    }
    [[nodiscard]] const StoredSession& session() const { return m_session; } //!< after the end

private:
    void begin(const RunHeader& header)
    {
        StoredRun run;
        run.id = std::int64_t(m_session.runs.size()) + 1;
        run.header = header;
        m_session.runs.push_back(std::move(run));
        m_ended = false;
    }
    StoredSession m_session;
    bool m_ended = false;
};

//! What is printed comes from what is stored, so that a result never differs from its session. `file` empty: it is
//! stored nowhere, and `told` is all there is.
int printResult(const std::filesystem::path& file, const StoredSession& told, const std::string& id,
                const RunOutput& output, const Checks& checks)
{
    std::unique_ptr<Library> library;
    Expected<StoredSession> session = told;
    if (!file.empty()) {
        auto opened = Library::open(file, Library::Mode::ReadOnly);
        if (opened) {
            library = std::move(*opened);
            session = library->session(id);
        } else {
            session = fail(opened.error());
        }
    }
    int code = kDone;
    if (!session) {
        code = report(session.error());
        session = told;
    }
    const bool stored = code == kDone && library;
    bool written = false;
    if (stored && !output.out.empty()) {
        const auto exported = library->exportSession(id, output.out);
        written = exported.has_value();
        if (!written)
            code = report(exported.error());
    }
    if (output.json) {
        // The file that is there when this has ended.
        const std::string where = stored && output.record ? file.string() : written ? output.out : std::string();
        const std::string document = withStoredIn(
            stored ? sessionJson(*session, stallsIn(*library), *library) : sessionJson(*session, {}), where);
        printDocument((output.check ? withChecks(document, checks.reports()) : document) + "\n");
    } else {
        print(pointTable(*session));
        if (const std::string conclusion = conclusionOf(*session); !conclusion.empty())
            print("\n" + conclusion + "\n");
        if (const std::string warnings = warningsText(*session); !warnings.empty())
            print("\n" + warnings);
        if (!checks.reports().empty())
            print("\n" + dataCheckText(checks.reports(), expand(session->header.plan).points));
    }
    if (written && !output.quiet)
        say("written to " + output.out);
    return code;
}

//! A target that was never reached leaves no session behind: nothing was measured.
void forgetTry(const std::filesystem::path& file, const std::string& id)
{
    const auto library = Library::open(file, Library::Mode::ReadWrite);
    if (!library || !(*library)->session(id)) // it did not come to one
        return;
    if (const auto erased = (*library)->erase(id); !erased)
        say("the try stays in the library: " + erased.error().text());
}

//! True when the library has no more runs of the session than it had before.
bool isAsItWas(const std::filesystem::path& file, const SessionHeader& continued)
{
    const auto library = Library::open(file, Library::Mode::ReadOnly);
    const auto session = library ? (*library)->session(continued.id) : Expected<StoredSession>(fail(library.error()));
    return session && session->runs.size() == continued.earlier.size();
}

//! Before anything is made of the session, so that a .dyno file has them too.
void tagSession(const std::filesystem::path& file, const std::string& id, const std::vector<std::string>& tags)
{
    const auto library = Library::open(file, Library::Mode::ReadWrite);
    const auto set = library ? (*library)->setTags(id, tags) : Expected<void>(fail(library.error()));
    if (!set)
        say("the session has no tags: " + set.error().text());
}

//! `folder` has the library of a session that is not kept.
Expected<RunnerOptions> runnerOptions(const RunOutput& output, const TemporaryFolder& folder)
{
    RunnerOptions options;
    options.password = output.password;
    options.confirmed = output.confirmed;
    options.waits = output.wait;
    options.consent = output.consent;
    options.continues = output.continues;
    if (output.record)
        options.library = output.library.empty() ? defaultLibrary() : std::filesystem::path(output.library);
    else if (folder.path().empty())
        return fail({ErrorKind::Storage, "no temporary folder can be made", {}, "check TMPDIR"});
    else
        options.library = folder.path() / "session.dynolib";
    return options;
}

//! To the end, or to what an interrupt makes of it.
void runToEnd(SessionRunner& runner, RunProgress& progress)
{
    runner.start();
    bool stopping = false;
    while (progress.step()) {
        if (takeSnapshotSignal() && !runner.takeSnapshot())
            say("no snapshot: no run is under way");
        if (!interrupted() || stopping)
            continue;
        stopping = true;
        say("\nstopping: what was measured is kept (once more to quit at once)");
        runner.stop();
    }
    runner.wait();
}

void sayWhere(const SessionSummary& summary, const std::string& id, const RunOutput& output, bool printed)
{
    const bool elsewhere = output.record && !summary.storageProblem.empty();
    if (elsewhere && !summary.storedIn.empty())
        say(fmt::format("dyno: the library could not take the session ({}): all of it is in {}\n"
                        "      `dyno import` takes it over when there is room",
                        summary.storageProblem, summary.storedIn));
    else if (printed && output.record && !output.quiet && !summary.storedIn.empty())
        say(fmt::format("session {} in {}", id, summary.storedIn));
}

} // namespace

int runSession(const Plan& plan, const RunOutput& output)
{
    const TemporaryFolder folder;
    const auto options = runnerOptions(output, folder);
    if (!options)
        return report(options.error());
    RunProgress progress(output.quiet);
    watchInterrupts();
    watchSnapshotSignal();
    Checks checks;
    Told told;
    std::vector<SampleSink*> sinks{&progress, &told};
    sinks.insert(sinks.end(), output.listeners.begin(), output.listeners.end());
    if (output.check)
        sinks.push_back(&checks);
    SessionRunner runner(plan, *options, sinks);
    runToEnd(runner, progress);
    const SessionSummary summary = progress.summary();
    if (!summary.reason.empty() && summary.status != RunStatus::Done)
        say("dyno: " + summary.reason);
    const int code = exitCodeOf(summary);
    if (code == kUnreachable && (!output.continues || isAsItWas(options->library, *output.continues))) {
        if (output.json && !told.session().header.id.empty()) {
            RunOutput document = output;
            document.out.clear();
            (void)printResult({}, told.session(), runner.sessionId(), document, checks);
        }
        if (output.record && !output.continues)
            forgetTry(options->library, runner.sessionId());
        if (!output.quiet)
            say(output.continues ? "nothing was measured: the session is as it was"
                                 : "nothing was measured: no session was kept");
        return code;
    }
    // Without a single run there may be no session to read: the library could not be opened.
    if (summary.runs.empty() && code != kDone && !output.json)
        return code;
    if (told.session().header.id.empty()) // nothing began
        return code != kDone ? code : int(kFailed);
    if (!output.tags.empty() && !summary.storedIn.empty())
        tagSession(summary.storedIn, runner.sessionId(), output.tags);
    const int printed = printResult(summary.storedIn, told.session(), runner.sessionId(), output, checks);
    sayWhere(summary, runner.sessionId(), output, printed == kDone);
    if (!checks.hold())
        say("dyno: the data do not meet all conditions of the workload: see what was checked");
    if (code == kDone && output.record && !summary.storageProblem.empty())
        return kFailed; // it is not where it was to be
    if (code != kDone || !checks.hold())
        return code != kDone ? code : int(kFailed);
    if (printed != kDone || objectivesHold(summary))
        return printed;
    if (!output.quiet)
        say("dyno: an objective is broken: see the verdict of each run");
    return kObjective;
}

} // namespace dyno::cli
