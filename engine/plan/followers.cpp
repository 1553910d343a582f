// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/followers.h"

#include "base/text.h"
#include "plan/plan_fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>
#include <vector>

namespace dyno {

namespace {

constexpr std::string_view kFollowed = "server"; //!< the scope of both
constexpr std::string_view kSameAs = "same as "; //!< before the path

//! Text and choices have no followers: "same as server.x" may be the text itself.
bool isQuantity(OptionType type)
{
    return type == OptionType::Integer || type == OptionType::Real || type == OptionType::Bytes ||
           type == OptionType::Duration;
}

std::array<std::pair<std::string_view, Settings*>, 4> scopesOf(PointSpec& point)
{
    return {
        {{"server", &point.server}, {"connection", &point.connection}, {"table", &point.table}, {"host", &point.host}}};
}

tl::unexpected<Error> cannotFollow(std::string what, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(what), {}, std::move(remedy)});
}

tl::unexpected<Error> faultAt(const std::string& path, Error error)
{
    error.where = path;
    return fail(std::move(error));
}

//! The value that `path` of the point has in the end. `way`: the settings that led here. An error is where the setting
//! at fault is, which may be any of them.
Expected<Value> valueAt(PointSpec& point, std::string_view driver, const std::string& path,
                        std::vector<std::string>& way)
{
    if (std::ranges::find(way, path) != way.end())
        return fail({ErrorKind::BadInput,
                     fmt::format("settings follow each other in a circle: {}, {}",
                                 fmt::join(std::ranges::find(way, path), way.end(), ", "), path),
                     path, "write a value for one of them"});
    const auto [scope, name] = splitScope(path);
    const OptionSpec* option = knobOption(driver, scope, name);
    const Settings* settings = nullptr;
    for (const auto& [known, of] : scopesOf(point)) {
        if (known == scope)
            settings = of;
    }
    const auto given = settings ? settings->find(std::string(name)) : Settings::const_iterator();
    if (!settings || given == settings->end())
        return fail({ErrorKind::BadInput,
                     fmt::format("{} follows {}, which the plan does not set{}", way.back(), path,
                                 point.cases.empty() ? "" : fmt::format(" at \"{}\"", point.label())),
                     way.back(), fmt::format("set {}, or write a value", path)});
    if (!option)
        return given->second;
    Value value = given->second;
    if (const auto next = followedBy(*option, value)) {
        if (auto can = canFollow(driver, *option, *next); !can)
            return faultAt(path, std::move(can.error()));
        way.push_back(path);
        auto followed = valueAt(point, driver, *next, way);
        if (!followed)
            return followed;
        value = std::move(*followed);
    }
    auto coerced = coerce(*option, value);
    return coerced ? std::move(coerced) : faultAt(path, std::move(coerced.error()));
}

} // namespace

std::string_view pathAfterSameAs(std::string_view text)
{
    text = trimmed(text);
    return text.starts_with(kSameAs) ? trimmed(text.substr(kSameAs.size())) : std::string_view();
}

std::optional<std::string> followedBy(const OptionSpec& option, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (!text || !isQuantity(option.type))
        return {};
    const std::string_view path = pathAfterSameAs(*text);
    return path.empty() ? std::nullopt : std::optional<std::string>(path);
}

Expected<void> canFollow(std::string_view driver, const OptionSpec& option, std::string_view path)
{
    const auto [scope, name] = splitScope(path);
    if (scope != kFollowed) // what somebody agrees to names no setting of another kind whose value may change
        return cannotFollow(fmt::format("\"{}\" cannot be followed", path), "write it as \"same as server.NAME\"");
    const OptionSpec* other = knobOption(driver, scope, name);
    if (!other)
        return cannotFollow(fmt::format("{} has no {} knob \"{}\" that a setting could follow", driver, scope, name),
                            suggestion(name, knobNames(driver, scope)));
    if (other->type != option.type || other->unit != option.unit)
        return cannotFollow(fmt::format("{} cannot follow {}: they have different types or units", option.name, path),
                            "write a value");
    return {};
}

Expected<void> resolveFollowers(PointSpec& point)
{
    const auto target = parseUri(point.target.uri);
    if (!target)
        return {};
    std::optional<PointSpec> written; // before anything in it is resolved
    for (const auto& [scope, settings] : scopesOf(point)) {
        for (auto& [name, value] : *settings) {
            const OptionSpec* option = knobOption(target->driver, scope, name);
            if (!option || !followedBy(*option, value))
                continue;
            if (!written)
                written = point;
            std::vector<std::string> way;
            const std::string path = fmt::format("{}.{}", scope, name);
            auto found = valueAt(*written, target->driver, path, way);
            if (!found)
                return fail(std::move(found.error()));
            value = std::move(*found);
        }
    }
    return {};
}

WrittenSetting writtenSetting(const Plan& plan, const PointSpec& point, const std::string& path)
{
    WrittenSetting written;
    if (const auto base = plan.set.find(path); base != plan.set.end())
        written = {&base->second, fmt::format("set.{}", path)};
    for (std::size_t a = 0; a < plan.axes.size(); ++a) {
        for (std::size_t c = 0; c < plan.axes[a].cases.size(); ++c) {
            const Case& one = plan.axes[a].cases[c];
            const auto given = one.set.find(path);
            if (given != one.set.end() &&
                std::ranges::find(point.cases, CaseRef{plan.axes[a].name, one.label}) != point.cases.end())
                written = {&given->second, fmt::format("axis[{}].cases[{}].set.{}", a, c, path)};
        }
    }
    return written;
}

Settings followersOf(const Plan& plan, const PointSpec& point)
{
    Settings found;
    const auto target = parseUri(point.target.uri);
    if (!target)
        return found;
    PointSpec scratch = point;
    for (const auto& [scope, settings] : scopesOf(scratch)) {
        for (const auto& [name, value] : *settings) {
            const std::string path = fmt::format("{}.{}", scope, name);
            const OptionSpec* option = knobOption(target->driver, scope, name);
            const Value* written = option ? writtenSetting(plan, point, path).value : nullptr;
            if (written && followedBy(*option, *written))
                found.emplace(path, value);
        }
    }
    return found;
}

} // namespace dyno
