// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/data_note.h"

#include "plan/plan_order.h"

#include <dyno/catalog.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace dyno {

namespace {

constexpr std::string_view kForm = "dynobench1"; //!< first word of a note in this form

bool plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == ',';
}

//! As in a URI's query, so that a note needs no quotes in any language.
std::string encoded(std::string_view text)
{
    std::string result;
    for (const char c : text)
        result += plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return result;
}

std::string decoded(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr == text.data() + i + 3) {
            result += char(code);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

template<class Number>
bool readNumber(std::string_view text, Number& number)
{
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(at), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return parts;
}

} // namespace

DataOrigin originOf(const PointSpec& point)
{
    DataOrigin origin;
    const Workload* workload = workloadFor(point.workload.name);
    if (!workload)
        return origin;
    const WorkloadInfo& info = workload->info();
    origin.data = info.dataName.empty() ? info.id : info.dataName;
    origin.version = info.dataVersion;
    origin.seed = point.load.seed;
    origin.params = dataParams(*workload, point.workload.params);
    return origin;
}

std::string toText(const DataNote& note)
{
    std::string text = fmt::format("{}&data={}&version={}&seed={}&rows={}&columns={}", kForm, encoded(note.origin.data),
                                   note.origin.version, note.origin.seed, note.rows,
                                   encoded(fmt::format("{}", fmt::join(note.columns, ","))));
    for (const auto& [name, value] : note.origin.params)
        text += fmt::format("&.{}={}", encoded(name), encoded(value));
    return text;
}

std::optional<DataNote> readDataNote(std::string_view text)
{
    const std::vector<std::string> parts = split(text, '&');
    if (parts.empty() || parts.front() != kForm)
        return {};
    DataNote note;
    bool good = true;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
        const std::string name = decoded(std::string_view(parts[i]).substr(0, equals));
        const std::string value = decoded(std::string_view(parts[i]).substr(std::min(equals + 1, parts[i].size())));
        if (name == "data")
            note.origin.data = value;
        else if (name == "version")
            good = readNumber(value, note.origin.version) && good;
        else if (name == "seed")
            good = readNumber(value, note.origin.seed) && good;
        else if (name == "rows")
            good = readNumber(value, note.rows) && good;
        else if (name == "columns")
            note.columns = split(value, ',');
        else if (name.starts_with('.'))
            note.origin.params[name.substr(1)] = value;
    }
    if (!good || note.origin.data.empty())
        return {};
    return note;
}

std::vector<std::string> differences(const DataOrigin& found, const DataOrigin& wanted)
{
    std::vector<std::string> texts;
    if (found.data != wanted.data)
        return {fmt::format("data of {} instead of {}", found.data, wanted.data)};
    if (found.version != wanted.version)
        texts.push_back(fmt::format("version {} of its data instead of {}", found.version, wanted.version));
    // A parameter that only one of them has is of another workload or version, and shapes nothing in the other.
    for (const auto& [name, value] : wanted.params) {
        const auto other = found.params.find(name);
        if (other != found.params.end() && other->second != value)
            texts.push_back(fmt::format("{} {} instead of {}", name, other->second.empty() ? "(empty)" : other->second,
                                        value.empty() ? "(empty)" : value));
    }
    return texts;
}

Error otherParameters(const std::string& table, const std::vector<std::string>& differences)
{
    return {ErrorKind::Refused,
            fmt::format("the table {} was loaded with other parameters: {}", table, fmt::join(differences, ", ")),
            table,
            "give the parameters that it was loaded with, or load it again (`--existing rebuild`, in a plan prepare = "
            "\"always\"), use "
            "it as it is (`--existing use`, prepare = \"use\"), or remove it with `dyno cleanup`"};
}

} // namespace dyno
