// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/search.h"

#include "store/library/search_index.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

//! One part of the line: `"two words"`, `-tag:ssd`, `sync_binlog>=1`.
struct Part
{
    bool negated = false;
    std::string text;
    bool quoted = false; //!< from its first character on: never a field
};

std::vector<Part> partsOf(std::string_view query)
{
    std::vector<Part> parts;
    for (std::size_t at = 0; at < query.size();) {
        if (query[at] == ' ' || query[at] == '\t') {
            ++at;
            continue;
        }
        Part part;
        if ((query[at] == '-' || query[at] == '!') && at + 1 < query.size() && query[at + 1] != ' ') {
            part.negated = true;
            ++at;
        }
        part.quoted = query[at] == '"';
        bool inside = false;
        for (; at < query.size() && (inside || (query[at] != ' ' && query[at] != '\t')); ++at) {
            if (query[at] == '"')
                inside = !inside;
            else
                part.text += query[at];
        }
        if (!part.text.empty())
            parts.push_back(std::move(part));
    }
    return parts;
}

//! For LIKE … ESCAPE '\': the text anywhere.
std::string anywhere(std::string_view text)
{
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

struct DayRange
{
    std::int64_t fromMs = 0, toMs = 0; //!< from ≤ t < to
};

//! "2026", "2026-11" or "2026-11-22", UTC.
std::optional<DayRange> rangeOf(std::string_view text)
{
    int numbers[3] = {0, 0, 0};
    int count = 0;
    for (const char* at = text.data(); count < 3;) {
        const auto [end, problem] = std::from_chars(at, text.data() + text.size(), numbers[count]);
        if (problem != std::errc() || *at == '-')
            return {};
        ++count;
        if (end == text.data() + text.size())
            break;
        if (*end != '-' || count == 3)
            return {};
        at = end + 1;
        if (at == text.data() + text.size())
            return {};
    }
    using namespace std::chrono;
    if (numbers[0] < 1970 || numbers[0] > 9999)
        return {};
    const year y(numbers[0]);
    const month m(static_cast<unsigned>(count > 1 ? numbers[1] : 1));
    const year_month_day first(y, m, day(static_cast<unsigned>(count > 2 ? numbers[2] : 1)));
    if (numbers[1] < 0 || numbers[2] < 0 || !first.ok())
        return {};
    const auto next = count == 1   ? sys_days(year_month_day(y + years(1), m, day(1)))
                      : count == 2 ? sys_days(year_month_day((y / m + months(1)) / day(1)))
                                   : sys_days(first) + days(1);
    const auto milliseconds = [](sys_days when) {
        return static_cast<std::int64_t>(when.time_since_epoch().count()) * 86'400'000;
    };
    return DayRange{milliseconds(sys_days(first)), milliseconds(next)};
}

class Builder
{
public:
    Expected<void> add(const Part& part);
    [[nodiscard]] Expected<SearchCondition> finish();

private:
    void require(bool negated, const std::string& condition)
    {
        m_found.where += fmt::format(" AND {}({})", negated ? "NOT " : "", condition);
    }
    template<class T>
    void bind(T value)
    {
        m_found.values.emplace_back(std::move(value));
    }
    void addWord(const Part& part);
    bool addField(const Part& part, std::string_view field, std::string_view value);
    bool addSetting(const Part& part);
    Expected<void> addDate(const Part& part, std::string_view field, std::string_view value);
    Expected<void> addIs(const Part& part, std::string_view value);
    Expected<void> addStatus(const Part& part, std::string_view value);

    SearchCondition m_found{"s.removed_ms IS NULL", {}, {}};
    bool m_archivedSaid = false;
};

void Builder::addWord(const Part& part)
{
    const std::string pattern = anywhere(part.text);
    std::string any;
    for (const char* column : {"title", "notes", "workload", "target", "product", "source"}) {
        any += fmt::format("s.{} LIKE ? ESCAPE '\\' OR ", column);
        bind(pattern);
    }
    any += "s.key IN (SELECT session FROM tag WHERE text LIKE ? ESCAPE '\\') OR s.id LIKE ? ESCAPE '\\'";
    bind(pattern);
    bind(pattern.substr(1)); // the beginning of an id
    require(part.negated, any);
}

bool Builder::addField(const Part& part, std::string_view field, std::string_view value)
{
    const std::string pattern = anywhere(value);
    if (field == "tag") {
        require(part.negated, "s.key IN (SELECT session FROM tag WHERE text LIKE ? ESCAPE '\\')");
        bind(pattern.substr(1, pattern.size() - 2)); // the whole tag
        return true;
    }
    if (field == "version") {
        require(part.negated,
                "s.product LIKE ? ESCAPE '\\' OR s.key IN (SELECT session FROM session_setting WHERE setting IN"
                " (SELECT key FROM setting WHERE name IN ('product', 'version')"
                " AND value LIKE ? ESCAPE '\\'))");
        bind(pattern);
        bind(pattern);
        return true;
    }
    for (const char* column : {"title", "notes", "workload", "target", "product", "source", "id"}) {
        if (field != column)
            continue;
        require(part.negated, fmt::format("s.{} LIKE ? ESCAPE '\\'", column));
        bind(pattern);
        return true;
    }
    return false;
}

//! NAME=VALUE and its kin; false when the part is none.
bool Builder::addSetting(const Part& part)
{
    const std::size_t at = part.text.find_first_of("=<>");
    if (part.quoted || at == std::string::npos || at == 0 || at + 1 >= part.text.size())
        return false;
    const std::string name(withoutScope(std::string_view(part.text).substr(0, at)));
    std::string relation(1, part.text[at]);
    std::string value = part.text.substr(at + 1);
    if (relation != "=" && value.starts_with('=')) {
        relation += '=';
        value.erase(0, 1);
    }
    if (name.empty() || value.empty() || name.find_first_of(":/?&") != std::string::npos)
        return false; // a piece of a URI
    const std::string link = "s.key IN (SELECT session FROM session_setting WHERE setting IN"
                             " (SELECT key FROM setting WHERE name = ? AND ";
    const auto bytes = parseBytes(value);
    if (relation == "=") {
        require(part.negated, link + "value IN (?, ?)))");
        bind(name);
        bind(value);
        bind(bytes ? std::to_string(*bytes) : value); // 128M is written 134217728 by the server
        return true;
    }
    double number = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem != std::errc() || end != value.data() + value.size()) {
        if (!bytes)
            return false;
        number = static_cast<double>(*bytes);
    }
    require(part.negated, link + fmt::format("value GLOB '[-0-9.]*' AND CAST(value AS REAL) {} ?))", relation));
    bind(name);
    bind(number);
    return true;
}

Expected<void> Builder::addDate(const Part& part, std::string_view field, std::string_view value)
{
    const auto range = rangeOf(value);
    if (!range) {
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not a date", value), std::string(field),
                     "write 2026, 2026-11 or 2026-11-22"});
    }
    if (field == "after") {
        require(part.negated, "s.started_ms >= ?");
        bind(range->fromMs);
    } else if (field == "before") {
        require(part.negated, "s.started_ms < ?");
        bind(range->toMs);
    } else {
        require(part.negated, "s.started_ms >= ? AND s.started_ms < ?");
        bind(range->fromMs);
        bind(range->toMs);
    }
    return {};
}

Expected<void> Builder::addIs(const Part& part, std::string_view value)
{
    if (value == "any") {
        m_archivedSaid = true;
        return {};
    }
    if (value != "archived")
        return fail({ErrorKind::BadInput, fmt::format("is:{} means nothing", value), "is", "is:archived or is:any"});
    m_archivedSaid = true;
    require(part.negated, "s.archived_ms IS NOT NULL");
    return {};
}

Expected<void> Builder::addStatus(const Part& part, std::string_view value)
{
    for (const RunStatus status :
         {RunStatus::Running, RunStatus::Done, RunStatus::Failed, RunStatus::Stopped, RunStatus::Cut}) {
        if (value != toText(status))
            continue;
        m_found.statuses.emplace_back(status,
                                      !part.negated); // a session whose writer died is cut: only its reader knows
        return {};
    }
    return fail({ErrorKind::BadInput, fmt::format("there is no status \"{}\"", value), "status",
                 "one of running, done, failed, stopped, cut"});
}

Expected<void> Builder::add(const Part& part)
{
    const std::size_t colon = part.text.find(':');
    if (!part.quoted && colon != std::string::npos && colon > 0 && colon + 1 < part.text.size()) {
        const std::string_view field = std::string_view(part.text).substr(0, colon);
        const std::string_view value = std::string_view(part.text).substr(colon + 1);
        if (field == "date" || field == "after" || field == "before")
            return addDate(part, field, value);
        if (field == "is")
            return addIs(part, value);
        if (field == "status")
            return addStatus(part, value);
        if (field == "knob") {
            Part setting = part;
            setting.text = value;
            if (addSetting(setting))
                return {};
            return fail(
                {ErrorKind::BadInput, fmt::format("\"{}\" is not a setting", value), "knob", "write knob:NAME=VALUE"});
        }
        if (addField(part, field, value))
            return {};
    }
    if (!addSetting(part))
        addWord(part);
    return {};
}

Expected<SearchCondition> Builder::finish()
{
    if (!m_archivedSaid)
        m_found.where += " AND s.archived_ms IS NULL";
    return std::move(m_found);
}

} // namespace

Expected<SearchCondition> parseSearch(std::string_view query)
{
    constexpr std::size_t kLongest = 1000;
    if (query.size() > kLongest) {
        return fail(
            {ErrorKind::BadInput, "the search is too long", {}, fmt::format("at most {} characters", kLongest)});
    }
    // Each part makes the statement deeper, which SQLite bounds.
    constexpr std::size_t kMostParts = 40;
    const std::vector<Part> parts = partsOf(query);
    if (parts.size() > kMostParts) {
        return fail({ErrorKind::BadInput,
                     fmt::format("the search has {} parts", parts.size()),
                     {},
                     fmt::format("at most {} words and conditions; several words in quotes are one", kMostParts)});
    }
    Builder builder;
    for (const Part& part : parts) {
        if (auto added = builder.add(part); !added)
            return fail(std::move(added.error()));
    }
    return builder.finish();
}

} // namespace dyno
