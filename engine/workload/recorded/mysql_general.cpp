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

//! The database of "root@localhost on test using Socket"; "" where none is named.
std::string_view databaseOfConnect(std::string_view argument)
{
    const std::size_t at = argument.find(" on ");
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = argument.substr(at + 4);
    return rest.starts_with("using ") ? std::string_view() : rest.substr(0, rest.find(" using "));
}

//! The account of "root@localhost on test using Socket".
std::string_view accountOfConnect(std::string_view argument)
{
    return argument.substr(0, argument.find('@'));
}

//! The database of "USE test"; "" for any other statement.
std::string_view databaseOfUse(std::string_view statement)
{
    const std::string_view text = trimmed(statement);
    if (lowered(text.substr(0, 3)) != "use" || text.find_first_of(" \t`", 3) != 3)
        return {};
    return trimmed(text.substr(3), " \t\r\n`;");
}

constexpr std::size_t kMostSessionsKnown = 100'000; //!< of further ones neither account nor database is remembered

struct SessionFacts
{
    std::string account, database;
};

} // namespace

bool isGeneralLine(std::string_view line)
{
    return generalEntry(line).has_value();
}

void readGeneralLog(LogLines& lines, LogSink& sink)
{
    std::string line;
    RecordedStatement statement;
    std::map<std::string, SessionFacts, std::less<>> sessions;
    bool open = false, toTheSecond = false;
    std::optional<Microseconds> now;
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
        if (const auto time = logTime(entry->time)) {
            now = time;
            toTheSecond = isToTheSecond(entry->time);
        }
        const bool known = sessions.contains(entry->session) || sessions.size() < kMostSessionsKnown;
        SessionFacts unknown;
        SessionFacts& session = known ? sessions[std::string(entry->session)] : unknown;
        if (open && !now) {
            open = false;
            sink.skipped(kBeforeFirstTime, lines.number());
            continue;
        }
        if (open) {
            statement = {.session = std::string(entry->session),
                         .text = std::string(entry->argument),
                         .start = *now,
                         .database = session.database,
                         .toTheSecond = toTheSecond,
                         .account = session.account};
            if (const std::string_view chosen = databaseOfUse(entry->argument); !chosen.empty())
                session.database = chosen;
            continue;
        }
        sink.skipped(entry->command, lines.number());
        if (entry->command == "Quit") {
            sessions.erase(std::string(entry->session));
        } else if (entry->command == "Connect" || entry->command == "Change user") {
            session = {std::string(accountOfConnect(entry->argument)), std::string(databaseOfConnect(entry->argument))};
        } else if (entry->command == "Init DB") {
            session.database = trimmed(entry->argument);
        }
    }
    if (open && lines.ended())
        sink.statement(statement);
    else if (open)
        sink.skipped(kCutOff, lines.number());
}

} // namespace dyno::recorded
