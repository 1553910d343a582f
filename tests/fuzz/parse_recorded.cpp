// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/parsers.h"
#include "workload/recorded/replay.h"

#include <algorithm>

namespace dyno::fuzz {

//! In each form that there is: what is kept of a log points to what is there, in order of time.
void readRecordedLog(std::string_view input)
{
    using namespace dyno::recorded;
    const InputFile file(input, ".log");
    for (const std::string& format : recordingFormats()) {
        const auto summary = summariseRecording(file.path().string(), format);
        require(summary.has_value(), "a log of a form that was named is read");
        std::int64_t statements = 0;
        for (const RecordedKind& kind : summary->kinds)
            statements += kind.statements;
        require(statements == summary->statements, "each statement is of a kind");

        const auto replay = readReplay(
            {.file = file.path().string(), .format = format, .writes = true, .sessions = true}, [] { return true; });
        require(replay ? std::int64_t(replay->entries.size()) == statements : statements == 0,
                "all statements can be run again");
        if (!replay)
            continue;
        require(std::ranges::is_sorted(replay->entries, {}, &ReplayEntry::atUs), "statements are by time");
        for (const ReplayEntry& entry : replay->entries) {
            require(entry.text < replay->texts.size() && entry.session < replay->sessions.size(),
                    "a statement has a text and a session");
            require(indexOf(replay->texts[entry.text].op) < replay->operations.size(), "a statement is of a kind");
        }
    }
}

} // namespace dyno::fuzz
