// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The fields of a plan by name: one place that knows how "load.time" or "workload.tables" is set, used by the reader,
//! by expansion, by validation and by `--set`.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

constexpr int kMaxUsers = 100'000;
constexpr double kMaxRate = 1e7; //!< arrivals a second
constexpr int kMostLoops = 16;   //!< event loops: more do not help one machine that serves too
constexpr int kMaxRepeats = 1000;
constexpr double kMaxPrice = 1e9;               //!< an hour, in whatever currency; and watts
constexpr double kMaxSeconds = 7 * 24 * 3600.0; //!< a week a run: beyond that it is a typing error
constexpr std::size_t kMaxRuns = 100'000;       //!< of one session; more is a typing error too

//! "server.sync_binlog" → {"server", "sync_binlog"}; the scope is empty when there is no dot. Older plans
//! have load.executor and load.loops as client.executor and client.loops.
struct ScopedName
{
    std::string_view scope;
    std::string_view name;
};
[[nodiscard]] ScopedName splitScope(std::string_view key);
//! The knob scopes, without target, workload and load.
[[nodiscard]] bool isKnobScope(std::string_view scope);
[[nodiscard]] const std::vector<std::string>& allScopes();

//! Names under [target], in the order they are written.
[[nodiscard]] const std::vector<std::string>& targetFields();
//! Sets one of them, with its type and range checked as setLoadField() does. A price of 0 is one that is not said.
[[nodiscard]] Expected<void> setTargetField(TargetSpec& target, std::string_view name, const Value& value);

//! Names under [load] (load_fields.h has the rows), in the order they are written.
[[nodiscard]] const std::vector<std::string>& loadFieldNames();
//! The forms that setLoadField() reads: "rate 100..20000" and "500:10s, 1000:10s".
[[nodiscard]] std::string toText(const Search& search);
[[nodiscard]] std::string toText(const std::vector<RateStep>& steps);

//! Sets one field of `load` from a value as read from TOML or typed ("30s", 30, "1,4,16"). Checks the type and the
//! range; the error's message holds what is wrong, its remedy what would be right.
[[nodiscard]] Expected<void> setLoadField(LoadProfile& load, std::string_view name, const Value& value);
//! How long one run will take without connecting: the warm-up or the search, and the measured time. A warm-up until
//! steady is taken as twice its window, a search as if each guess were the usual one.
[[nodiscard]] double plannedSeconds(const LoadProfile& load);
//! The part of it that is not measured.
[[nodiscard]] double plannedWarmup(const LoadProfile& load);
//! One number of users.
[[nodiscard]] Expected<int> usersFrom(const Value& value);
[[nodiscard]] Expected<PreparePolicy> prepareFrom(std::string_view text);

//! The cases to keep of an axis, as `--set axis.NAME=…` has them: "a;b" → a, b; labels may hold commas.
[[nodiscard]] std::vector<std::string> caseLabelsIn(std::string_view text);
//! The axes of a view: "a × b" → a, b.
[[nodiscard]] std::vector<std::string> axesIn(std::string_view axes);

//! Fields of a point that cases and [set] reach, before the knobs are checked.
[[nodiscard]] Expected<void> applyToPoint(PointSpec& point, std::string_view key, const Value& value);

//! The description of a knob for a driver: the catalogue, or the driver's own connection options. nullptr if unknown.
[[nodiscard]] const OptionSpec* knobOption(std::string_view driver, std::string_view scope, std::string_view name);
[[nodiscard]] std::vector<std::string> knobNames(std::string_view driver, std::string_view scope);
//! Servers whose own variables may be set by a name that the catalogue does not know.
[[nodiscard]] bool takesFreeVariables(std::string_view driver, std::string_view scope);
//! The driver that a knob belongs to when `driver` has none of that name; "" when it has, or nobody has.
[[nodiscard]] std::string otherOwner(std::string_view driver, std::string_view scope, std::string_view name);

//! The candidate nearest to `name`, "" when none is near enough to be meant.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);
//! "did you mean \"users\"?" or "one of: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> candidates);
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");

} // namespace dyno
