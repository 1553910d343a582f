// SPDX-License-Identifier: GPL-3.0-or-later
// Lines that begin with "# " tell of a statement, then come `use DATABASE;`, `SET timestamp=SECONDS;` and the
// statement. MariaDB and Percona have more such lines; what counts are their "Name: value" pairs, on whatever line they
// are.
#include "base/text.h"
#include "workload/recorded/logs.h"

#include <charconv>

namespace dyno::recorded {

namespace {

//! The word behind "NAME:" of a line of facts; "" where there is none.
std::string_view slowFact(std::string_view line, std::string_view name)
{
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        if (at == 0 || line[at - 1] != ' ' || line.substr(at + name.size(), 1) != ":")
            continue;
        const std::string_view rest = trimmed(line.substr(at + name.size() + 1));
        return rest.substr(0, rest.find_first_of(" \t"));
    }
    return {};
}

std::optional<std::int64_t> slowNumber(std::string_view word)
{
    std::int64_t value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc())
        return {};
    return value;
}

class SlowReader
{
public:
    explicit SlowReader(LogSink& sink)
        : m_sink(sink)
    {
    }

    void line(std::string_view text, std::int64_t number)
    {
        if (text.starts_with("# administrator command")) {
            m_sink.skipped("administrator command", number);
            m_told = false;
            m_statement.text.clear();
        } else if (begins(text) || (m_statement.text.empty() && text.starts_with("# "))) {
            facts(text, number);
        } else if (m_told) {
            body(text);
        }
    }
    void finish(bool whole, std::int64_t number)
    {
        if (whole)
            flush(number);
        else if (!m_statement.text.empty())
            m_sink.skipped(kCutOff, number);
    }

private:
    //! One of these is the first line of what the log says about a statement; others may be its own comments.
    static bool begins(std::string_view text)
    {
        return text.starts_with("# Time:") || text.starts_with("# User@Host:");
    }
    void flush(std::int64_t number)
    {
        if (!m_statement.text.empty()) {
            m_statement.toTheSecond = m_toTheSecond;
            m_statement.start = m_ended.value_or(Microseconds(0));
            if (!m_toTheSecond)
                m_statement.start -= m_statement.duration.value_or(Microseconds(0));
            m_statement.database = m_database;
            if (m_ended) // SET timestamp may be of another time zone
                m_sink.statement(m_statement);
            else
                m_sink.skipped(kBeforeFirstTime, number);
        }
        m_statement.text.clear();
    }
    void facts(std::string_view text, std::int64_t number)
    {
        if (begins(text)) {
            flush(number);
            const std::string session = std::move(m_statement.session);
            if (!m_fresh)
                m_statement = {};
            m_statement.session = session;
            m_told = false;
        }
        m_fresh = true;
        if (text.starts_with("# Time:")) {
            m_ended = logTime(text.substr(7));
            m_toTheSecond = isToTheSecond(text);
        }
        if (constexpr std::string_view kAccount = "# User@Host: "; text.starts_with(kAccount)) // root[root] @ localhost
            m_statement.account = text.substr(kAccount.size(), text.find('[') - kAccount.size());
        for (const char* name : {"Id", "Thread_id"}) {
            if (const std::string_view id = slowFact(text, name); !id.empty())
                m_statement.session = id;
        }
        if (const std::string_view time = slowFact(text, "Query_time"); !time.empty()) {
            m_statement.duration = secondsOf(time);
            m_statement.rows = slowNumber(slowFact(text, "Rows_sent"));
            m_told = true;
        }
        if (const auto code = slowNumber(slowFact(text, "Last_errno")))
            m_statement.failed = *code != 0;
        if (const std::string_view schema = slowFact(text, "Schema"); !schema.empty())
            m_database = schema.ends_with(':') ? std::string_view() : schema; // the next fact, where it is empty
    }
    void body(std::string_view text)
    {
        m_fresh = false;
        const std::string small = lowered(text.substr(0, 14));
        if (m_statement.text.empty() && small.starts_with("use ") && text.ends_with(';')) {
            m_database = trimmed(text.substr(4, text.size() - 5), " `");
            return;
        }
        if (m_statement.text.empty() && small == "set timestamp=") {
            return;
        }
        if (m_statement.text.size() < LogLines::kMostBytes)
            m_statement.text.append(m_statement.text.empty() ? "" : "\n").append(text);
    }

    LogSink& m_sink;
    RecordedStatement m_statement;
    std::optional<Microseconds> m_ended;
    std::string m_database; //!< the log names it where it is another one than before
    bool m_toTheSecond = false;
    bool m_told = false;  //!< its facts are known: its text comes
    bool m_fresh = false; //!< facts of a statement whose text has not begun
};

} // namespace

bool isSlowLine(std::string_view line)
{
    return line.starts_with("# Query_time: ") || line.starts_with("# User@Host: ");
}

void readSlowLog(LogLines& lines, LogSink& sink)
{
    SlowReader reader(sink);
    std::string line;
    while (lines.next(line))
        reader.line(line, lines.number());
    reader.finish(lines.ended(), lines.number());
}

} // namespace dyno::recorded
