// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_progress.h"

#include "cli/console.h"
#include "core/text_table.h"

#include <dyno/visible_text.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dyno::cli {

namespace {

constexpr std::int64_t kPlainLineNs = 5'000'000'000; // without a terminal: one line of figures in five seconds

std::size_t terminalWidth()
{
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}

std::string figuresOf(const IntervalSample& sample)
{
    const double seconds = double(sample.lengthNs) / 1e9;
    const double tps = seconds > 0 ? double(sample.transaction.count) / seconds : 0;
    const OpInterval& transaction = sample.transaction;
    return fmt::format("{} tps  p95 {} ms{}", figure(tps), figure(percentileMs(transaction.responseOrService(), 95)),
                       transaction.response.empty() ? "" : " from the arrival");
}

//! Seconds, never "-0.0" once they are rounded to tenths.
double tenthsOf(std::int64_t ns)
{
    return std::round(double(ns) / 1e8) / 10 + 0.0;
}

} // namespace

RunProgress::RunProgress(bool quiet)
    : m_quiet(quiet)
    , m_terminal(::isatty(STDERR_FILENO) == 1)
{
}

std::string RunProgress::pointName(int point, int repeat) const
{
    std::string name = fmt::format("point {} of {}", point + 1, m_header.points.size());
    if (point >= 0 && std::size_t(point) < m_header.points.size()) {
        const std::string label = m_header.points[std::size_t(point)].label();
        if (!label.empty())
            name += fmt::format(" ({})", label);
        if (m_header.plan.load.repeats > 1)
            name += fmt::format(", repeat {} of {}", repeat, m_header.plan.load.repeats);
    }
    return name;
}

void RunProgress::onSessionStarted(const SessionHeader& header)
{
    const std::lock_guard lock(m_mutex);
    m_header = header;
    const std::string title = header.title.empty() ? std::string() : header.title + ": ";
    const std::size_t runs = header.runs.size() - header.firstRun;
    m_lines.push_back(fmt::format("{}{} {}, {} {}{}", title, header.points.size(),
                                  header.points.size() == 1 ? "point" : "points", runs, runs == 1 ? "run" : "runs",
                                  header.firstRun > 0 ? " that are missing" : ""));
}

void RunProgress::onProgress(const ProgressReport& progress)
{
    const std::lock_guard lock(m_mutex);
    // Loading takes long and has no intervals: its text is worth a line of its own in a log.
    if (!m_terminal && progress.phase == Phase::Prepare && !progress.text.empty() && progress.text != m_lastText) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const std::int64_t nowNs = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
        if (nowNs - m_lastLineNs >= kPlainLineNs || m_lastText.empty()) {
            m_lines.push_back(progress.text);
            m_lastLineNs = nowNs;
        }
        m_lastText = progress.text;
    }
    m_progress = progress;
    m_dirty = true;
}

void RunProgress::onRunStarted(const RunHeader& run)
{
    const std::lock_guard lock(m_mutex);
    m_run = run;
    m_sample.reset();
    m_errors = 0;
    m_lastLineNs = 0;
    if (!m_terminal)
        m_lines.push_back(fmt::format("run {} of {}: {}", std::size_t(run.index) + 1 - m_header.firstRun,
                                      m_header.runs.size() - m_header.firstRun, pointName(run.point, run.repeat)));
    m_dirty = true;
}

void RunProgress::onSample(const IntervalSample& sample)
{
    const std::lock_guard lock(m_mutex);
    m_sample = sample;
    for (const auto& [code, count] : sample.errors)
        m_errors += count;
    if (!m_terminal && sample.tNs + sample.lengthNs - m_lastLineNs >= kPlainLineNs) {
        m_lastLineNs = sample.tNs + sample.lengthNs;
        m_lines.push_back(fmt::format("  {:.0f} s  {}  {}  errors {}", double(m_lastLineNs) / 1e9, toText(sample.phase),
                                      figuresOf(sample), m_errors));
    }
    m_dirty = true;
}

void RunProgress::onEvent(const RunEvent& event)
{
    if (event.kind == EventKind::Phase)
        return;
    const std::lock_guard lock(m_mutex);
    m_lines.push_back(fmt::format("  {:.1f} s  {}: {}", tenthsOf(event.tNs), toText(event.kind), event.text));
}

void RunProgress::onRunFinished(const RunSummary& summary)
{
    const std::lock_guard lock(m_mutex);
    std::string line = fmt::format("{}: {}", pointName(summary.point, summary.repeat), toText(summary.status));
    if (summary.seconds > 0 && summary.transactions > 0) // what never ran has no figures
        line += fmt::format("  {} tps  p95 {} ms{}", figure(summary.tps), figure(summary.response.p95Ms),
                            summary.arrivals > 0 ? " from the arrival" : "");
    else if (summary.seconds > 0)
        line += fmt::format("  no transaction in {:.1f} s", summary.seconds);
    else
        line += "  nothing was measured";
    std::uint64_t errors = 0;
    for (const auto& [code, count] : summary.errors)
        errors += count;
    if (errors > 0)
        line += fmt::format("  errors {}", errors);
    if (!summary.reason.empty())
        line += ": " + summary.reason;
    m_lines.push_back(std::move(line));
    if (summary.clientLimited)
        m_lines.push_back("  the load generator was the limit: " + summary.clientReason);
}

void RunProgress::onSessionFinished(const SessionSummary& summary)
{
    const std::lock_guard lock(m_mutex);
    m_summary = summary;
    m_changed.notify_all();
}

std::string RunProgress::statusLine() const
{
    std::string line = fmt::format("[{}]", toText(m_progress.phase));
    if (m_run)
        line += " " + pointName(m_run->point, m_run->repeat);
    const bool measures = m_progress.phase == Phase::Warmup || m_progress.phase == Phase::Measure;
    if (measures && m_sample)
        line += fmt::format("  {}  errors {}", figuresOf(*m_sample), m_errors);
    else if (!m_progress.text.empty())
        line += "  " + m_progress.text;
    line += fmt::format("  {:.0f} %", m_progress.fraction * 100);
    if (m_progress.secondsLeft >= 0)
        line += fmt::format(", {} left", durationText(m_progress.secondsLeft));
    return line;
}

bool RunProgress::step()
{
    using namespace std::chrono_literals;
    std::vector<std::string> lines;
    std::string status;
    bool finished = false;
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, 200ms, [&] { return m_summary.has_value(); });
        finished = m_summary.has_value();
        lines.swap(m_lines);
        if (m_terminal && m_dirty && !finished)
            status = statusLine();
        m_dirty = false;
    }
    if (m_quiet)
        return !finished;
    const char* clear = m_terminal ? "\r\x1b[K" : "";
    for (const std::string& line : lines)
        tell(fmt::format("{}{}\n", clear, visibleText(line, TextLayout::Keep)));
    if (m_terminal && (finished || !status.empty()))
        tell(fmt::format("{}{}", clear, shortened(visibleText(status), terminalWidth() - 1)));
    return !finished;
}

SessionSummary RunProgress::summary() const
{
    const std::lock_guard lock(m_mutex);
    return m_summary.value_or(SessionSummary());
}

} // namespace dyno::cli
