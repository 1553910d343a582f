// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/range_answer.h"

#include "monitor/prometheus/exposition_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace dyno {

namespace {

using AnswerJson = nlohmann::json;

constexpr double kLatestSeconds = 1e11; // in the year 5138; milliseconds of it are a whole number
constexpr std::size_t kLongestWords = 500;

tl::unexpected<Error> noAnswer(std::string_view what)
{
    return fail({ErrorKind::Failed,
                 fmt::format("its answer is not that of a Prometheus range query: {}", what),
                 {},
                 "check the address: it is that of the server, before /api/v1"});
}

std::string wordOf(const AnswerJson& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, kLongestWords)
                                                     : std::string();
}

std::optional<double> sampleValue(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value); // also NaN and Inf
    if (end != text.data() + text.size() || (problem != std::errc() && problem != std::errc::result_out_of_range))
        return {};
    return problem == std::errc() && std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

//! [1795000000.5, "7"]
std::optional<RangeSeries::Point> pointOf(const AnswerJson& json)
{
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_string())
        return {};
    const auto seconds = json[0].get<double>();
    const auto value = sampleValue(json[1].get_ref<const std::string&>());
    if (!value || !(std::abs(seconds) < kLatestSeconds))
        return {};
    return RangeSeries::Point{std::llround(seconds * 1e3), *value};
}

Expected<RangeSeries> rangeSeriesOf(const AnswerJson& json)
{
    const auto metric = json.is_object() ? json.find("metric") : json.end();
    if (!json.is_object() || metric == json.end() || !metric->is_object())
        return noAnswer("a series has no labels");
    RangeSeries series;
    for (const auto& [name, value] : metric->items()) {
        if (!value.is_string())
            return noAnswer("a label is not a text");
        if (name == "__name__")
            series.metric = value.get<std::string>();
        else
            series.labels.emplace_back(name, value.get<std::string>());
    }
    const auto values = json.find("values");
    if (values == json.end() && json.contains("histograms"))
        return fail({ErrorKind::BadInput,
                     "it gives histograms, and a series has one number at a time",
                     {},
                     "ask for a figure of them, such as histogram_quantile(0.99, …) or histogram_count(…)"});
    if (values == json.end() || !values->is_array())
        return noAnswer("a series has no values");
    series.points.reserve(values->size());
    for (const AnswerJson& one : *values) {
        const auto point = pointOf(one);
        if (!point || (!series.points.empty() && point->ms <= series.points.back().ms))
            return noAnswer("a value is not a number, or its time is not in order");
        series.points.push_back(*point);
    }
    return series;
}

bool isWordStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

bool isWordPart(char c)
{
    return isWordStart(c) || (c >= '0' && c <= '9');
}

//! Words of PromQL that stand where a metric may, and those behind which labels stand in parentheses.
constexpr std::array<std::string_view, 6> kOfLabels{"by", "without", "on", "ignoring", "group_left", "group_right"};
constexpr std::array<std::string_view, 8> kOperators{"and", "or", "unless", "bool", "atan2", "inf", "nan", "offset"};

bool isQuote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

//! Behind the text that is quoted from `at` on.
std::size_t behindQuoted(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at)
        at += text[at] == '\\' && quote != '`' ? 1 : 0;
    return std::min(at + 1, text.size());
}

//! Behind what opens at `at`, with what is quoted in between.
std::size_t behind(std::string_view text, std::size_t at, char close)
{
    for (++at; at < text.size() && text[at] != close;)
        at = isQuote(text[at]) ? behindQuoted(text, at) : at + 1;
    return std::min(at + 1, text.size());
}

std::size_t afterBlanks(std::string_view text, std::size_t at)
{
    return std::min(text.find_first_not_of(" \t\n\r", at), text.size());
}

} // namespace

std::string RangeSeries::labelText() const
{
    std::string text;
    for (const auto& [name, value] : labels)
        text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, expositionLabel(value));
    return text.empty() ? text : fmt::format("{{{}}}", text);
}

Expected<std::vector<RangeSeries>> readRangeAnswer(std::string_view json)
{
    const AnswerJson answer = AnswerJson::parse(json, nullptr, false);
    if (!answer.is_object())
        return noAnswer("it is not a whole JSON object");
    const std::string status = wordOf(answer, "status");
    if (status == "error") {
        const std::string type = wordOf(answer, "errorType");
        const std::string words = wordOf(answer, "error");
        return fail({type == "bad_data" ? ErrorKind::BadInput : ErrorKind::Failed,
                     fmt::format("it says {}{}{}", type.empty() ? "error" : type, words.empty() ? "" : ": ", words),
                     {},
                     type == "bad_data" ? "try the query on the server's own page first" : ""});
    }
    const auto data = answer.find("data");
    if (status != "success" || data == answer.end() || !data->is_object())
        return noAnswer("it has no status that is known");
    const auto result = data->find("result");
    if (wordOf(*data, "resultType") != "matrix" || result == data->end() || !result->is_array())
        return noAnswer("its result is not a matrix");
    std::vector<RangeSeries> all;
    for (const AnswerJson& one : *result) {
        auto series = rangeSeriesOf(one);
        if (!series)
            return tl::unexpected(series.error());
        all.push_back(std::move(*series));
    }
    return all;
}

bool isRangeError(std::string_view json)
{
    const AnswerJson answer = AnswerJson::parse(json, nullptr, false);
    return answer.is_object() && wordOf(answer, "status") == "error";
}

std::string unitOfMetric(std::string_view name)
{
    constexpr std::array kUnits{"seconds", "bytes",  "ratio", "celsius", "meters", "volts",
                                "amperes", "joules", "grams", "hertz",   "watts"};
    for (const std::string_view suffix : {"_total", "_sum", "_bucket"}) {
        if (name.ends_with(suffix))
            name.remove_suffix(suffix.size());
    }
    const std::string_view last = name.substr(name.rfind('_') + 1);
    const auto unit = std::ranges::find(kUnits, last);
    return unit == kUnits.end() ? std::string() : std::string(*unit);
}

std::string metricOfQuery(std::string_view query)
{
    std::string metric;
    for (std::size_t at = 0; at < query.size();) {
        const char c = query[at];
        if (isQuote(c)) {
            at = behindQuoted(query, at);
        } else if (c == '{' || c == '[') {
            at = behind(query, at, c == '{' ? '}' : ']');
        } else if (c == '#') {
            at = std::min(query.find('\n', at), query.size());
        } else if (isWordStart(c)) {
            const std::size_t from = at;
            while (at < query.size() && isWordPart(query[at]))
                ++at;
            const std::string_view word = query.substr(from, at - from);
            const std::size_t next = afterBlanks(query, at);
            const bool opens = next < query.size() && query[next] == '(';
            if (std::ranges::find(kOfLabels, word) != kOfLabels.end()) {
                at = opens ? behind(query, next, ')') : at;
                continue;
            }
            if (opens || std::ranges::find(kOperators, word) != kOperators.end())
                continue; // a function, an aggregation such as sum(…)
            // sum by (job) (…): the labels may stand before what is summed.
            std::size_t end = next;
            while (end < query.size() && isWordPart(query[end]))
                ++end;
            const std::string_view following = query.substr(next, end - next);
            if (following == "by" || following == "without")
                continue;
            if (!metric.empty() && metric != word)
                return {};
            metric = word;
        } else if (c >= '0' && c <= '9') {
            while (at < query.size() && (isWordPart(query[at]) || query[at] == '.'))
                ++at; // 1e6, 5m
        } else {
            ++at;
        }
    }
    return metric;
}

} // namespace dyno
