// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_session.h"

#include "cli/console.h"
#include "cli/run_progress.h"
#include "core/data_check_text.h"
#include "core/session_text.h"
#include "core/temporary_folder.h"

#include <dyno/analysis.h>
#include <dyno/data_check.h>
#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>

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
        return std::all_of(m_reports.begin(), m_reports.end(), [](const DataCheckReport& report) { return report.holds(); });
    }

private:
    std::vector<DataCheckReport> m_reports;
};

//! What is printed comes from what is stored, so that a result never differs from its session.
int printResult(const std::filesystem::path& file, const std::string& id, const RunOutput& output, const Checks& checks)
{
    auto library = Library::open(file, Library::Mode::ReadOnly);
    if (!library)
        return report(library.error());
    const auto session = (*library)->session(id);
    if (!session)
        return report(session.error());
    if (output.json) {
        const std::string document = sessionJson(*session, stallsIn(**library));
        print((output.check ? withChecks(document, checks.reports()) : document) + "\n");
    } else {
        print(pointTable(*session));
        if (const std::string conclusion = conclusionOf(*session); !conclusion.empty())
            print("\n" + conclusion + "\n");
        if (const std::string warnings = warningsText(*session); !warnings.empty())
            print("\n" + warnings);
        if (!checks.reports().empty())
            print("\n" + dataCheckText(checks.reports(), expand(session->header.plan).points));
    }
    if (output.out.empty())
        return kDone;
    if (const auto exported = (*library)->exportSession(id, output.out); !exported)
        return report(exported.error());
    if (!output.quiet)
        say("written to " + output.out);
    return kDone;
}

} // namespace

int runSession(const Plan& plan, const RunOutput& output)
{
    const TemporaryFolder folder;
    RunnerOptions options;
    options.password = output.password;
    options.confirmed = output.confirmed;
    options.consent = output.consent;
    if (output.record)
        options.library = output.library.empty() ? defaultLibrary() : std::filesystem::path(output.library);
    else if (folder.path().empty())
        return report({ErrorKind::Storage, "no temporary folder can be made", {}, "check TMPDIR"});
    else
        options.library = folder.path() / "session.dynolib";

    RunProgress progress(output.quiet);
    watchInterrupts();
    Checks checks;
    std::vector<SampleSink*> sinks {&progress};
    if (output.check)
        sinks.push_back(&checks);
    SessionRunner runner(plan, options, sinks);
    runner.start();
    bool stopping = false;
    while (progress.step()) {
        if (!interrupted() || stopping)
            continue;
        stopping = true;
        say("\nstopping: what was measured is kept (once more to quit at once)");
        runner.stop();
    }
    runner.wait();
    const SessionSummary summary = progress.summary();
    if (!summary.reason.empty() && summary.status != RunStatus::Done)
        say("dyno: " + summary.reason);
    const int code = exitCodeOf(summary);
    // Without a single run there may be no session to read: the library could not be opened, or the target was not
    // there.
    if (summary.runs.empty() && code != kDone && !output.json)
        return code;
    const int printed = printResult(options.library, runner.sessionId(), output, checks);
    if (printed == kDone && output.record && !output.quiet)
        say(fmt::format("session {} in {}", runner.sessionId(), options.library.string()));
    if (!checks.hold())
        say("dyno: the data do not meet all conditions of the workload: see what was checked");
    if (code != kDone || !checks.hold())
        return code != kDone ? code : int(kFailed);
    if (printed != kDone || objectivesHold(summary))
        return printed;
    if (!output.quiet)
        say("dyno: an objective is broken: see the verdict of each run");
    return kObjective;
}

} // namespace dyno::cli
