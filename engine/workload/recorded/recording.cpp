// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/recording.h>

#include "workload/recorded/logs.h"
#include "workload/statement_name.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace dyno {

namespace {

constexpr std::size_t kMostKinds = 10'000;
constexpr std::size_t kMostSessionNames = 1'000'000;
constexpr std::size_t kMostDigest = 4'096; //!< bytes of it that tell kinds apart
constexpr int kLinesThatTell = 1'000;      //!< of a file, of its form

class Summary final : public recorded::LogSink
{
public:
    explicit Summary(recorded::Quoting quoting)
        : m_quoting(quoting)
    {
    }

    void statement(const recorded::RecordedStatement& one) override
    {
        std::string digest = recorded::digestOf(one.text, m_quoting);
        if (digest.empty())
            return skipped("comments only", 0);
        digest.resize(std::min(digest.size(), kMostDigest));
        if (m_kinds.size() >= kMostKinds && !m_kinds.contains(digest))
            digest = "other";
        RecordedKind& kind = m_kinds[digest];
        if (kind.statements++ == 0) {
            kind.name = statementName(digest);
            kind.digest = digest;
        }
        kind.failed += one.failed ? 1 : 0;
        if (one.duration) {
            kind.seconds += std::chrono::duration<double>(*one.duration).count();
            m_summary.timed = true;
        }
        ++m_summary.statements;
        if (m_sessions.size() < kMostSessionNames)
            m_sessions.insert(one.session);
        m_first = std::min(m_first, one.start);
        m_last = std::max(m_last, one.start);
    }
    void skipped(std::string_view why, std::int64_t line) override
    {
        const auto found = std::ranges::find(m_summary.skipped, why, &SkippedEntries::why);
        if (found != m_summary.skipped.end())
            ++found->entries;
        else
            m_summary.skipped.push_back({std::string(why), 1, line});
    }
    RecordingSummary take()
    {
        for (auto& [digest, kind] : m_kinds)
            m_summary.kinds.push_back(std::move(kind));
        std::ranges::stable_sort(m_summary.kinds, [](const RecordedKind& a, const RecordedKind& b) {
            return std::pair(a.seconds, a.statements) > std::pair(b.seconds, b.statements);
        });
        m_summary.sessions = std::int64_t(m_sessions.size());
        if (m_summary.statements > 0)
            m_summary.length = std::chrono::duration<double>(m_last - m_first).count();
        return std::move(m_summary);
    }

private:
    recorded::Quoting m_quoting;
    RecordingSummary m_summary;
    std::map<std::string, RecordedKind> m_kinds;
    std::set<std::string> m_sessions;
    recorded::Microseconds m_first = recorded::Microseconds::max(), m_last = recorded::Microseconds::min();
};

//! nullptr where no line is of a form that is known.
const recorded::LogFormat* formatOf(const std::string& file)
{
    recorded::LogLines lines(file);
    std::string line;
    for (int i = 0; i < kLinesThatTell && lines.next(line); ++i) {
        for (const recorded::LogFormat& format : recorded::logFormats()) {
            if (format.fits(line))
                return &format;
        }
    }
    return nullptr;
}

} // namespace

std::vector<std::string> recordingFormats()
{
    std::vector<std::string> ids;
    for (const recorded::LogFormat& format : recorded::logFormats())
        ids.emplace_back(format.id);
    return ids;
}

Expected<RecordingSummary> summariseRecording(const std::string& file, std::string_view format)
{
    std::error_code problem;
    recorded::LogLines lines(file);
    if (!std::filesystem::is_regular_file(file, problem) || !lines.isOpen())
        return fail({ErrorKind::BadInput, "the file cannot be read", file, "name a server's log of statements"});
    const recorded::LogFormat* found = nullptr;
    for (const recorded::LogFormat& one : recorded::logFormats())
        found = one.id == format ? &one : found;
    if (!found && !format.empty())
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no form of a log", format), "--format",
                     fmt::format("one of: {}", fmt::join(recordingFormats(), ", "))});
    if (!found)
        found = formatOf(file);
    if (!found)
        return fail({ErrorKind::BadInput, "none of its first 1 000 lines is of a log of statements", file,
                     "name its form with --format"});
    Summary summary(found->quoting);
    found->read(lines, summary);
    RecordingSummary made = summary.take();
    made.format = found->id;
    return made;
}

} // namespace dyno
