// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/exposition_parser.h"

#include "base/text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace dyno {

namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::size_t kLongestLine = std::size_t(64) << 10;

bool beginsName(char c, bool colons)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
}

//! Of a number that is out of range: too near to 0, not too far from it.
bool isTiny(std::string_view text, std::chars_format format)
{
    const std::size_t exponent = text.find_first_of(format == std::chars_format::hex ? "pP" : "eE");
    if (exponent != std::string_view::npos)
        return text.substr(exponent + 1).starts_with('-');
    return text.starts_with("0.") || text.starts_with('.');
}

//! The whole text as a number, as Go's ParseFloat() takes it: "+Inf", "NaN", "0x1p-2".
std::optional<double> numberIn(std::string_view text)
{
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+'))
        text.remove_prefix(1);
    auto format = std::chars_format::general;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        format = std::chars_format::hex;
        text.remove_prefix(2);
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, format);
    const bool whole = !text.empty() && text.front() != '-' && end == text.data() + text.size();
    if (whole && problem == std::errc::result_out_of_range) // as Go reads it: rounded, here as far as it goes
        value = isTiny(text, format) ? 0 : std::numeric_limits<double>::infinity();
    else if (!whole || problem != std::errc())
        return {};
    return minus ? -value : value;
}

//! Reads one line from its beginning.
class LineOfMetrics
{
public:
    explicit LineOfMetrics(std::string_view line)
        : m_rest(line)
    {
    }
    void skipBlank() { m_rest.remove_prefix(std::min(m_rest.find_first_not_of(kBlank), m_rest.size())); }
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
    bool skip(char c)
    {
        if (!m_rest.starts_with(c))
            return false;
        m_rest.remove_prefix(1);
        return true;
    }
    //! A metric's name, or a label's, which has no colons; "" where there is none.
    std::string_view name(bool colons)
    {
        std::size_t length = 0;
        while (length < m_rest.size() &&
               (beginsName(m_rest[length], colons) || (length > 0 && m_rest[length] >= '0' && m_rest[length] <= '9')))
            ++length;
        return taken(length);
    }
    //! Up to the next blank.
    std::string_view word() { return taken(std::min(m_rest.find_first_of(kBlank), m_rest.size())); }
    //! "{a="b",c="d"}" after its brace; false where it is none.
    bool skipLabels()
    {
        for (skipBlank(); !skip('}'); skipBlank()) {
            if (name(false).empty())
                return false;
            skipBlank();
            if (!skip('='))
                return false;
            skipBlank();
            if (!skip('"') || !skipQuoted())
                return false;
            skipBlank();
            if (!skip(',') && !m_rest.starts_with('}'))
                return false;
        }
        return true;
    }
    [[nodiscard]] const char* position() const { return m_rest.data(); }

private:
    bool skipQuoted()
    {
        for (std::size_t i = 0; i < m_rest.size(); ++i) {
            if (m_rest[i] == '"') {
                m_rest.remove_prefix(i + 1);
                return true;
            }
            if (m_rest[i] == '\\' &&
                (++i == m_rest.size() || std::string_view("\\\"n").find(m_rest[i]) == std::string_view::npos))
                return false;
        }
        return false;
    }
    std::string_view taken(std::size_t length)
    {
        const std::string_view front = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        return front;
    }

    std::string_view m_rest;
};

enum class MetricType { Untyped, Counter, Gauge, Histogram, Summary };

class ExpositionReader
{
public:
    explicit ExpositionReader(std::string_view text)
        : m_rest(text)
    {
    }

    Expected<std::vector<ExpositionSample>> read()
    {
        for (int number = 1; !m_rest.empty(); ++number) {
            const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
            std::string_view line = m_rest.substr(0, end);
            m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            const char* wrong = line.size() > kLongestLine                  ? "more than 64 KiB"
                                : line.find('\0') != std::string_view::npos ? "a NUL"
                                                                            : readLine(line);
            if (wrong)
                return fail({ErrorKind::Failed, fmt::format("line {} of its metrics has {}", number, wrong), {}, {}});
        }
        return std::move(m_samples);
    }

private:
    //! What is wrong with it; nullptr when nothing is.
    const char* readLine(std::string_view text)
    {
        LineOfMetrics line(text);
        line.skipBlank();
        if (line.atEnd())
            return nullptr;
        if (line.skip('#')) {
            readComment(line);
            return nullptr;
        }
        ExpositionSample sample;
        const char* const from = line.position();
        sample.name = line.name(true);
        if (sample.name.empty())
            return "no name of a metric";
        sample.series = sample.name;
        line.skipBlank();
        if (line.skip('{')) {
            if (!line.skipLabels())
                return "labels that cannot be read";
            sample.series = std::string_view(from, std::size_t(line.position() - from));
            line.skipBlank();
        }
        const auto value = numberIn(line.word());
        if (!value)
            return "no value that is a number";
        sample.value = *value;
        line.skipBlank();
        if (!line.atEnd() && !line.skip('#')) { // a timestamp; then an exemplar of OpenMetrics may follow
            if (!numberIn(line.word()))
                return "a timestamp that is no number";
            line.skipBlank();
            if (!line.atEnd() && !line.skip('#'))
                return "more than a value and a timestamp";
        }
        sample.counts = counts(sample.name);
        if (m_known.insert(sample.series).second)
            m_samples.push_back(sample);
        return nullptr;
    }

    //! "# TYPE name counter"; all other comments say nothing that is needed.
    void readComment(LineOfMetrics& line)
    {
        line.skipBlank();
        if (line.word() != "TYPE")
            return;
        line.skipBlank();
        const std::string_view name = line.name(true);
        line.skipBlank();
        const std::string_view word = line.word();
        MetricType type = MetricType::Untyped;
        for (const auto& [known, meant] : kTypes) {
            if (word == known)
                type = meant;
        }
        m_types.insert_or_assign(name, type);
    }

    [[nodiscard]] bool counts(std::string_view name) const
    {
        if (const auto own = m_types.find(name); own != m_types.end() && own->second != MetricType::Untyped)
            return own->second == MetricType::Counter; // a quantile of a summary is none
        for (const std::string_view suffix : {"_total", "_bucket", "_sum", "_count"}) {
            if (!name.ends_with(suffix))
                continue;
            const auto family = m_types.find(name.substr(0, name.size() - suffix.size()));
            if (family == m_types.end())
                continue;
            if (suffix == "_total")
                return family->second == MetricType::Counter;
            return family->second == MetricType::Histogram ||
                   (family->second == MetricType::Summary && suffix != "_bucket");
        }
        return name.ends_with("_total"); // nobody says, but for its name
    }

    static constexpr std::array<std::pair<std::string_view, MetricType>, 4> kTypes{
        {{"counter", MetricType::Counter},
         {"gauge", MetricType::Gauge},
         {"histogram", MetricType::Histogram},
         {"summary", MetricType::Summary}}};
    std::string_view m_rest;
    std::unordered_map<std::string_view, MetricType> m_types;
    std::unordered_set<std::string_view> m_known;
    std::vector<ExpositionSample> m_samples;
};

} // namespace

Expected<std::vector<ExpositionSample>> readExposition(std::string_view text)
{
    return ExpositionReader(text).read();
}

} // namespace dyno
