// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno recording FILE: what a server's log of statements holds.
#include "cli/console.h"

#include "core/text_table.h"

#include <dyno/recording.h>

#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

struct RecordingOptions
{
    std::string file, format;
    int kinds = 20;
};

//! figure() shows small numbers with decimals, as measured ones are.
std::string whole(std::int64_t number)
{
    return number < 100 ? std::to_string(number) : figure(double(number));
}

int showRecording(const RecordingOptions& options)
{
    const auto summary = summariseRecording(options.file, options.format);
    if (!summary)
        return report(summary.error());
    print(fmt::format("format      {}\nstatements  {}\nsessions    {}\nlength      {}\n", summary->format,
                      whole(summary->statements), whole(summary->sessions), durationText(summary->length)));
    if (summary->sessions > 0)
        print(fmt::format("users       {0}: --users {0} runs each session as it was\n", summary->sessions));
    print("\n");
    double seconds = 0;
    for (const RecordedKind& kind : summary->kinds)
        seconds += kind.seconds;
    TextTable table({"kind", ">statements", ">failed", ">time", ">share", "statement"});
    int shown = 0;
    for (const RecordedKind& kind : summary->kinds) {
        if (shown++ == options.kinds)
            break;
        const bool timed = summary->timed && seconds > 0;
        table.add({kind.name, whole(kind.statements), whole(kind.failed), timed ? figure(kind.seconds) + " s" : "–",
                   timed ? figure(100 * kind.seconds / seconds) + " %" : "–", shortened(kind.digest, 100)});
    }
    print(table.text());
    if (summary->kinds.size() > std::size_t(options.kinds))
        print(fmt::format("{} more kinds, see --kinds\n", summary->kinds.size() - std::size_t(options.kinds)));
    for (const SkippedEntries& skipped : summary->skipped)
        print(fmt::format("skipped: {} × {}{}\n", whole(skipped.entries), skipped.why,
                          skipped.firstLine > 0 ? fmt::format(", first in line {}", skipped.firstLine) : ""));
    return kDone;
}

} // namespace

void addRecordingCommand(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<RecordingOptions>();
    CLI::App* command = app.add_subcommand(
        "recording", "What a server's log of statements holds: kinds of statements, sessions, times");
    command->add_option("FILE", options->file, "a general log, a slow log, a csvlog or an exported profile")
        ->required();
    command->add_option("--format", options->format, "its form, where the file does not tell it")
        ->check(CLI::IsMember(recordingFormats()));
    command->add_option("--kinds", options->kinds, "how many kinds to show")->check(CLI::Range(1, 10'000));
    command->callback([&code, options] { code = showRecording(*options); });
}

} // namespace dyno::cli
