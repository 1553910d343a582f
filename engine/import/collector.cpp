// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/collector.h"

#include "import/text.h"

#include <algorithm>
#include <numeric>

namespace dyno::import {

namespace {

constexpr std::size_t kUnknownKept = 200;
constexpr std::size_t kNotesKept = 50;
constexpr std::size_t kCheckEach = 4096; //!< intervals between two looks at the memory of all runs

} // namespace

Run& Collector::begin()
{
    m_fresh = false;
    if (m_runs.size() >= kMostRuns) {
        m_full = true;
        return m_runs.back();
    }
    return m_runs.emplace_back();
}

Run& Collector::run()
{
    return hasRun() ? m_runs.back() : begin();
}

void Collector::bound(Run& run)
{
    while (run.size() > kMostIntervals && run.fold()) {
    }
    if (++m_sinceCheck < kCheckEach)
        return;
    m_sinceCheck = 0;
    std::size_t all = std::accumulate(m_runs.begin(), m_runs.end(), std::size_t(0),
                                      [](std::size_t sum, const Run& one) { return sum + one.size(); });
    while (all > kMostIntervalsInAll) {
        Run& longest = *std::ranges::max_element(m_runs, {}, &Run::size);
        const std::size_t before = longest.size();
        if (!longest.fold())
            break;
        all -= before - longest.size();
    }
}

void Collector::file(std::string_view name)
{
    m_file = name;
    m_fresh = true;
    origin.files.push_back(m_file);
}

void Collector::unknown(std::int64_t line, std::string_view text)
{
    ++origin.unknownLines;
    if (origin.unknown.size() < kUnknownKept)
        origin.unknown.push_back({m_file, line, shown(text)});
}

void Collector::note(std::string text)
{
    if (origin.notes.size() < kNotesKept && std::ranges::find(origin.notes, text) == origin.notes.end())
        origin.notes.push_back(std::move(text));
}

} // namespace dyno::import
