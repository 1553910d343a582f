// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of csvlog that count here, from 0. A statement's text, its duration and its error may be in several rows
// of a session, which is why the last statement of each session waits for the next row.
#include "base/text.h"
#include "workload/recorded/digest.h"
#include "workload/recorded/logs.h"

#include <array>

namespace dyno::recorded {

namespace {

enum CsvColumn : std::size_t {
    kTime = 0,
    kAccount = 1,
    kDatabase = 2,
    kSessionId = 5,
    kSeverity = 11,
    kMessage = 13,
    kDetail = 14,
    kQuery = 19,
    kLeastColumns = 23,
};
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kMostSessions = 100'000;

//! Appends the fields of `line`; `open` while a quoted one goes on in the next line.
void takeFields(std::string_view line, std::vector<std::string>& fields, bool& open)
{
    if (open)
        fields.back() += '\n';
    else
        fields.emplace_back();
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (open && c == '"' && at + 1 < line.size() && line[at + 1] == '"')
            fields.back() += line[at++];
        else if (c == '"')
            open = !open;
        else if (c == ',' && !open && fields.size() < kMostColumns)
            fields.emplace_back();
        else if (fields.back().size() < LogLines::kMostBytes)
            fields.back() += c;
    }
}

//! What is behind `word` at the beginning of `text`, which it takes from it.
bool takeWord(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word))
        return false;
    text.remove_prefix(word.size());
    return true;
}

class CsvReader
{
public:
    explicit CsvReader(LogSink& sink)
        : m_sink(sink)
    {
    }

    void row(const std::vector<std::string>& fields, std::int64_t number)
    {
        const auto time = fields.size() >= kLeastColumns ? logTime(fields[kTime]) : std::nullopt;
        if (!time)
            return m_sink.skipped("not a row of such a log", number);
        const std::string& session = fields[kSessionId];
        if (fields[kSeverity] == "ERROR" || fields[kSeverity] == "FATAL")
            return error(session, fields, *time, number);
        if (fields[kSeverity] != "LOG")
            return m_sink.skipped("other messages", number);
        std::string_view message = fields[kMessage];
        std::optional<Microseconds> duration;
        if (takeWord(message, "duration: ")) {
            const std::size_t end = message.find(" ms");
            if (const auto milliseconds = secondsOf(message.substr(0, end)))
                duration = *milliseconds / 1000;
            message = end == std::string_view::npos ? std::string_view() : trimmed(message.substr(end + 3));
        }
        if (message.empty())
            return alone(session, duration, number);
        statement(fields, message, *time, duration, number);
    }
    void finish()
    {
        for (const auto& [session, waiting] : m_waiting)
            m_sink.statement(waiting);
        m_waiting.clear();
    }

private:
    void statement(const std::vector<std::string>& fields, std::string_view message, Microseconds time,
                   std::optional<Microseconds> duration, std::int64_t number)
    {
        const std::string& session = fields[kSessionId];
        std::string_view detail = fields[kDetail];
        std::string text;
        if (takeWord(message, "statement: ")) {
            text = message;
        } else if (takeWord(message, "execute ") && message.find(": ") != std::string_view::npos) {
            text = message.substr(message.find(": ") + 2);
            if (takeWord(detail, "parameters: ") || takeWord(detail, "Parameters: "))
                text = withParameters(text, detail);
        } else {
            const bool step = message.starts_with("parse ") || message.starts_with("bind ");
            return m_sink.skipped(step ? "steps before a statement's execution" : "other messages", number);
        }
        release(session);
        if (m_waiting.size() >= kMostSessions)
            finish();
        m_waiting[session] = {.session = session,
                              .text = std::move(text),
                              .start = time - duration.value_or(Microseconds(0)),
                              .duration = duration,
                              .failed = false,
                              .database = fields[kDatabase],
                              .account = fields[kAccount]};
    }
    //! A duration without a text belongs to the text before it.
    void alone(const std::string& session, std::optional<Microseconds> duration, std::int64_t number)
    {
        const auto found = m_waiting.find(session);
        if (found == m_waiting.end() || found->second.duration)
            return m_sink.skipped("durations without a statement", number);
        found->second.duration = duration;
    }
    void error(const std::string& session, const std::vector<std::string>& fields, Microseconds time,
               std::int64_t number)
    {
        const std::string& query = fields[kQuery];
        const auto found = m_waiting.find(session);
        if (found != m_waiting.end() && !found->second.duration && (query.empty() || found->second.text == query)) {
            found->second.failed = true;
            return release(session);
        }
        if (query.empty())
            return m_sink.skipped("errors without a statement", number);
        release(session);
        m_sink.statement({.session = session,
                          .text = query,
                          .start = time,
                          .failed = true,
                          .database = fields[kDatabase],
                          .account = fields[kAccount]});
    }
    void release(const std::string& session)
    {
        const auto found = m_waiting.find(session);
        if (found == m_waiting.end())
            return;
        m_sink.statement(found->second);
        m_waiting.erase(found);
    }

    LogSink& m_sink;
    std::map<std::string, RecordedStatement> m_waiting; //!< by session
};

} // namespace

bool isCsvLine(std::string_view line)
{
    std::vector<std::string> fields;
    bool open = false;
    takeFields(line.substr(0, 4096), fields, open);
    return fields.size() > kSeverity && logTime(fields[kTime]) && !fields[kSeverity].empty() &&
           fields[kSessionId].find('.') != std::string::npos;
}

void readCsvLog(LogLines& lines, LogSink& sink)
{
    CsvReader reader(sink);
    std::vector<std::string> fields;
    std::string line;
    bool open = false;
    std::int64_t first = 0;
    while (lines.next(line)) {
        if (!open) {
            fields.clear();
            first = lines.number();
        }
        takeFields(line, fields, open);
        if (!open && lines.ended())
            reader.row(fields, first);
    }
    if (open || !lines.ended())
        sink.skipped(kCutOff, first);
    reader.finish();
}

} // namespace dyno::recorded
