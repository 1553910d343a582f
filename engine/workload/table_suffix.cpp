// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/table_suffix.h"

#include "workload/oltp/oltp.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

tl::unexpected<Error> cannot(std::string_view knob, std::string what, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(what), fmt::format("table.{}", knob), std::move(remedy)});
}

Expected<std::string> documentSuffix(const Settings& tableKnobs)
{
    std::string suffix;
    for (const auto& [name, value] : tableKnobs) {
        const std::string text = toText(value);
        if (text.empty())
            continue;
        if (name == "create_options") {
            suffix += "," + text;
        } else if (name == "block_compressor") {
            if (!std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }))
                return cannot(name, fmt::format("\"{}\" is no compressor", text), "use none, snappy, zlib or zstd");
            suffix +=
                fmt::format(R"(,"storageEngine":{{"wiredTiger":{{"configString":"block_compressor={}"}}}})", text);
        } else {
            return cannot(
                name, fmt::format("collections have no option \"{}\"", name),
                "use block_compressor; anything else goes into create_options, as members of the command create");
        }
    }
    return suffix;
}

} // namespace

Expected<std::string> tableSuffix(const SqlDialect& sql, DataModel model, const Settings& tableKnobs,
                                  std::string_view partitionBy)
{
    if (model == DataModel::Document)
        return documentSuffix(tableKnobs);
    if (model == DataModel::KeyValue)
        return std::string();
    Settings knobs = tableKnobs;
    const std::int64_t parts = integerOf(knobs, "partitions");
    knobs.erase("partitions");
    auto suffix = oltp::tableSuffix({}, sql, knobs);
    if (suffix && parts > 0 && sql.partitions)
        *suffix += fmt::format(" PARTITION BY {} PARTITIONS {}", partitionBy, parts);
    return suffix;
}

} // namespace dyno
