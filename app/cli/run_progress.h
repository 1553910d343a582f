// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Progress on standard error: one line that is written over on a terminal, plain lines elsewhere.
#pragma once

#include <dyno/runner.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dyno::cli {

//! The sink copies what it is told; the main thread writes it, so that a slow terminal never holds a run up.
class RunProgress : public SampleSink
{
public:
    explicit RunProgress(bool quiet);

    void onSessionStarted(const SessionHeader& header) override;
    void onProgress(const ProgressReport& report) override;
    void onRunStarted(const RunHeader& run) override;
    void onSample(const IntervalSample& sample) override;
    void onEvent(const RunEvent& event) override;
    void onRunFinished(const RunSummary& summary) override;
    void onSessionFinished(const SessionSummary& summary) override;

    //! Main thread: writes what is new; waits up to a fifth of a second for the end. False when the session is over.
    bool step();
    //! After the end.
    [[nodiscard]] SessionSummary summary() const;

private:
    [[nodiscard]] std::string statusLine() const; //!< m_mutex is held
    [[nodiscard]] std::string pointName(int point, int repeat) const;

    const bool m_quiet;
    const bool m_terminal;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    SessionHeader m_header;
    ProgressReport m_progress;
    std::optional<RunHeader> m_run;
    std::optional<IntervalSample> m_sample;
    std::uint64_t m_errors = 0;       //!< of the current run
    std::vector<std::string> m_lines; //!< to be written
    std::int64_t m_lastLineNs = 0;
    std::string m_lastText;
    bool m_dirty = false;
    std::optional<SessionSummary> m_summary;
};

} // namespace dyno::cli
