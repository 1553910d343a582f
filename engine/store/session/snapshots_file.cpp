// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/snapshots_file.h"

#include "store/session/statements_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using SnapshotJson = nlohmann::json;

constexpr std::string_view kSnapshotsOf = "snapshots of run ";
constexpr std::size_t kMostOfSnapshots = std::size_t(16) << 20; //!< bytes that are read of one file
constexpr std::size_t kMostOfText = std::size_t(1) << 20;       //!< of one text
constexpr std::size_t kMostOfTitle = 200;

std::string stringIn(const SnapshotJson& json, const char* key, std::size_t most)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? keptText(found->get_ref<const std::string&>(), most)
                                                     : std::string();
}

RunSnapshot snapshotIn(const SnapshotJson& json)
{
    RunSnapshot snapshot;
    if (const auto found = json.find("t_ns"); found != json.end() && found->is_number_integer())
        snapshot.tNs = found->get<std::int64_t>();
    if (const auto found = json.find("stalled"); found != json.end() && found->is_boolean())
        snapshot.stalled = found->get<bool>();
    if (const auto found = json.find("ms"); found != json.end() && found->is_number())
        snapshot.ms = std::isfinite(found->get<double>()) ? std::max(0.0, found->get<double>()) : 0;
    const auto texts = json.find("texts");
    for (std::size_t i = 0; texts != json.end() && texts->is_array() && i < texts->size(); ++i) {
        if (snapshot.texts.size() < kMostSnapshotTexts && (*texts)[i].is_object())
            snapshot.texts.push_back(
                {stringIn((*texts)[i], "title", kMostOfTitle), stringIn((*texts)[i], "text", kMostOfText)});
    }
    return snapshot;
}

} // namespace

std::string snapshotsFile(int run)
{
    return fmt::format("{}{}.json", kSnapshotsOf, run + 1);
}

bool isSnapshotsFile(std::string_view name)
{
    if (!name.starts_with(kSnapshotsOf) || !name.ends_with(".json"))
        return false;
    name.remove_prefix(kSnapshotsOf.size());
    name.remove_suffix(std::string_view(".json").size());
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string writeSnapshot(const RunSnapshot& snapshot)
{
    SnapshotJson json{{"t_ns", snapshot.tNs}, {"stalled", snapshot.stalled}, {"ms", snapshot.ms}};
    for (const SnapshotText& text : snapshot.texts)
        json["texts"].push_back({{"title", text.title}, {"text", text.text}});
    // Servers may tell any bytes.
    return json.dump(-1, ' ', false, SnapshotJson::error_handler_t::replace) + '\n';
}

std::vector<RunSnapshot> readSnapshots(std::string_view text)
{
    std::vector<RunSnapshot> snapshots;
    while (!text.empty() && snapshots.size() < kMostSnapshots) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        constexpr int kMostLevels = 4; // of ours there are three
        const SnapshotJson json = SnapshotJson::parse(
            line, [](int level, SnapshotJson::parse_event_t, const SnapshotJson&) { return level <= kMostLevels; },
            false);
        if (json.is_object())
            snapshots.push_back(snapshotIn(json));
    }
    return snapshots;
}

std::string anonymousSnapshots(std::string_view text)
{
    std::string result;
    std::vector<RunSnapshot> snapshots = readSnapshots(text);
    for (RunSnapshot& snapshot : snapshots) {
        for (std::size_t i = 0; i < snapshot.texts.size(); ++i) // a title may name a table
            snapshot.texts[i] = {fmt::format("part {}", i + 1), "excluded from an anonymous export\n"};
        result += writeSnapshot(snapshot);
    }
    return result;
}

Expected<std::vector<RunSnapshot>> runSnapshots(Library& library, std::string_view session, int run)
{
    const auto files = library.artefacts(session);
    if (!files)
        return fail(files.error());
    const std::string name = snapshotsFile(run);
    if (std::ranges::none_of(*files, [&name](const ArtefactInfo& file) { return file.name == name; }))
        return std::vector<RunSnapshot>();
    std::string text;
    const auto read = library.artefact(session, name, [&text](std::string_view piece) {
        text += piece;
        return text.size() <= kMostOfSnapshots;
    });
    if (!read)
        return fail(read.error());
    return readSnapshots(text);
}

} // namespace dyno
