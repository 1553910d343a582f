// SPDX-License-Identifier: GPL-3.0-or-later
// TIME<tab>ID COMMAND<tab>ARGUMENT; MariaDB writes the time only where the second is another one. An argument may go on
// for several lines.
#include "base/text.h"
#include "workload/recorded/logs.h"

#include <array>

namespace dyno::recorded {

namespace {

constexpr std::array kGeneralCommands{
    "Query",      "Execute",     "Prepare",    "Connect",   "Init DB",  "Quit",  "Close stmt",  "Ping",
    "Statistics", "Field List",  "Reset stmt", "Long Data", "Fetch",    "Debug", "Change user", "Binlog Dump",
    "Set option", "Processlist", "Kill",       "Refresh",   "Shutdown", "Sleep", "Daemon"};

struct GeneralEntry
{
    std::string_view time, session, command, argument;
};

std::optional<GeneralEntry> generalEntry(std::string_view line)
{
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
        return {};
    GeneralEntry entry;
    entry.time = line.substr(0, tab);
    std::string_view rest = line.substr(tab + 1);
    if (entry.time.empty() && rest.starts_with('\t'))
        rest.remove_prefix(1);
    else if (!logTime(entry.time))
        return {};
    rest = trimmed(rest, " ");
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || rest[digits] != ' ')
        return {};
    entry.session = rest.substr(0, digits);
    rest.remove_prefix(digits + 1);
    const std::size_t end = rest.find('\t');
    entry.command = trimmed(rest.substr(0, end), " ");
    entry.argument = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (std::ranges::find(kGeneralCommands, entry.command) == kGeneralCommands.end())
        return {};
    return entry;
}

} // namespace

bool isGeneralLine(std::string_view line)
{
    return generalEntry(line).has_value();
}

void readGeneralLog(LogLines& lines, LogSink& sink)
{
    std::string line;
    RecordedStatement statement;
    bool open = false;
    Microseconds now{0};
    while (lines.next(line)) {
        const auto entry = generalEntry(line);
        if (!entry) { // a statement's next line, or what a server writes as it starts
            if (open && statement.text.size() < LogLines::kMostBytes)
                statement.text += "\n" + line;
            continue;
        }
        if (open)
            sink.statement(statement);
        open = entry->command == "Query" || entry->command == "Execute";
        now = logTime(entry->time).value_or(now);
        if (open)
            statement = {std::string(entry->session), std::string(entry->argument), now, {}, {}, false};
        else
            sink.skipped(entry->command, lines.number());
    }
    if (open && lines.ended())
        sink.statement(statement);
    else if (open)
        sink.skipped(kCutOff, lines.number());
}

} // namespace dyno::recorded
