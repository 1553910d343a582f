// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Data files of flent (.flent, .flent.gz): series over time with their metadata.
#include "import/format.h"
#include "import/line_reader.h"
#include "import/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno::import {

namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostBytes = 256u << 20;

//! The unit of a series, where flent tells it.
std::string unitOf(const Json& meta, const std::string& series)
{
    const auto metas = meta.find("SERIES_META");
    if (metas == meta.end() || !metas->is_object())
        return {};
    const auto one = metas->find(series);
    if (one == metas->end() || !one->is_object())
        return {};
    const auto unit = one->find("UNITS");
    return unit != one->end() && unit->is_string() ? shown(unit->get<std::string>(), 20) : std::string();
}

std::string textAt(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? shown(found->get<std::string>(), 200) : std::string();
}

void readMeta(const Json& meta, Collector& collector, Run& run)
{
    run.workload = textAt(meta, "NAME");
    run.target = textAt(meta, "HOST");
    run.startedMs = timeOf(textAt(meta, "TIME")).value_or(0);
    collector.origin.version = textAt(meta, "FLENT_VERSION");
    for (const char* key : {"TITLE", "NOTE", "LOCAL_HOST", "KERNEL_NAME", "KERNEL_RELEASE"}) {
        if (const std::string value = textAt(meta, key); !value.empty())
            run.options[key] = value;
    }
    for (const char* key : {"LENGTH", "TOTAL_LENGTH", "STEP_SIZE"}) {
        if (const auto found = meta.find(key); found != meta.end() && found->is_number())
            run.options[key] = found->get<double>();
    }
}

Expected<void> read(const std::filesystem::path& file, Collector& collector)
{
    const auto content = readWhole(file, kMostBytes);
    if (!content)
        return fail(content.error());
    const Json json = Json::parse(*content, nullptr, false);
    const auto part = [&json](const char* key) {
        const auto found = json.is_object() ? json.find(key) : json.end();
        return json.is_object() && found != json.end() ? *found : Json();
    };
    const Json xs = part("x_values"), results = part("results"), meta = part("metadata");
    if (!xs.is_array() || !results.is_object()) {
        return fail({ErrorKind::BadInput, "x_values or results are missing: the file is cut off or of another format",
                     file.string(), "name a data file of flent (.flent or .flent.gz)"});
    }
    collector.origin.tool = "flent";
    collector.origin.precision = "as the tools that flent runs";
    collector.note("flent's series are shown as they are stated; it tells no transactions");
    Run& run = collector.begin();
    if (meta.is_object())
        readMeta(meta, collector, run);
    if (results.size() > kMostColumns)
        collector.note(
            fmt::format("{} of {} series are only in the original", results.size() - kMostColumns, results.size()));
    for (std::size_t i = 0; i < xs.size(); ++i) {
        if (!xs[i].is_number())
            continue;
        const double at = xs[i].get<double>();
        const double next = i + 1 < xs.size() && xs[i + 1].is_number() ? xs[i + 1].get<double>() : kNone;
        const double seconds = std::isfinite(next) && next > at ? next - at : run.empty() ? 1 : run.back().seconds;
        if (!run.empty() && at < run.back().start)
            continue;
        run.add({.start = at, .seconds = seconds});
        for (const auto& [name, values] : results.items()) {
            // A series that has no value here has null; so it stays absent.
            if (values.is_array() && i < values.size() && values[i].is_number())
                run.stated(shown(name, 80), meta.is_object() ? unitOf(meta, name) : std::string(),
                           values[i].get<double>(), Fold::Highest);
        }
        collector.bound(run);
    }
    return {};
}

} // namespace

Format flent()
{
    return {.info = {"flent", "flent data", "A data file of flent, compressed or not"},
            .recognise = [](const Head& head) -> std::string {
                const std::string_view text = trimmed(head.text);
                const bool keys = head.text.find("\"x_values\"") != std::string::npos ||
                                  (head.text.find("\"metadata\"") != std::string::npos &&
                                   head.text.find("\"FLENT_VERSION\"") != std::string::npos) ||
                                  (head.text.find("\"raw_values\"") != std::string::npos &&
                                   head.text.find("\"results\"") != std::string::npos);
                const bool named = head.name.find(".flent") != std::string::npos;
                return text.starts_with('{') && (keys || named) ? "it is an object with the keys of flent's data files"
                                                                : std::string();
            },
            .document = &read};
}

} // namespace dyno::import
