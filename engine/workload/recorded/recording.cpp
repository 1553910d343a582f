// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/recording.h>

#include "workload/recorded/logs.h"

#include <algorithm>
#include <limits>
#include <set>

namespace dyno {

namespace {

constexpr std::size_t kMostSessionNames = 1'000'000;

class Summary final : public recorded::LogSink
{
public:
    explicit Summary(const recorded::StatementLanguage& language)
        : m_language(language)
    {
    }

    void statement(const recorded::RecordedStatement& one) override
    {
        std::string digest = m_language.digest(one.text);
        if (digest.empty())
            return skipped("comments only", 0);
        digest.resize(std::min(digest.size(), recorded::kMostDigest));
        if (m_kinds.size() >= recorded::kMostKinds && !m_kinds.contains(digest))
            digest = "other";
        RecordedKind& kind = m_kinds[digest];
        if (kind.statements++ == 0) {
            kind.name = m_language.name(digest);
            kind.digest = digest;
        }
        kind.failed += one.failed.value_or(false) ? 1 : 0;
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
    const recorded::StatementLanguage& m_language;
    RecordingSummary m_summary;
    std::map<std::string, RecordedKind> m_kinds;
    std::set<std::string> m_sessions;
    recorded::Microseconds m_first = recorded::Microseconds::max(), m_last = recorded::Microseconds::min();
};

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
    const auto found = recorded::logFormatOf(file, format, "--format");
    if (!found)
        return tl::unexpected(found.error());
    recorded::LogLines lines(file);
    Summary summary((*found)->language);
    (*found)->read(lines, summary);
    RecordingSummary made = summary.take();
    made.format = (*found)->id;
    return made;
}

} // namespace dyno
