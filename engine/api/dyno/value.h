// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Values of options and knobs, and how an option describes itself (form, flag, help and check all follow from it).
//! Plain values and pure functions; any thread.
#pragma once

#include "error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dyno {

using Value = std::variant<bool, std::int64_t, double, std::string>;

//! Name → value. Knob names in a plan carry their scope: "server.sync_binlog", "workload.tables".
using Settings = std::map<std::string, Value, std::less<>>;

//! "true", "42", "0.8", "text": the form that parseValue() reads back.
[[nodiscard]] std::string toText(const Value& value);
//! Reads a value as a person types it: true/false/on/off are Bool, then integer, then real, else text.
[[nodiscard]] Value parseValue(std::string_view text);
//! True when both texts are one value as servers print it: ON, 1, true and yes are, 64M and 67108864, 90 and 90.000000;
//! words in any case.
[[nodiscard]] bool sameValue(std::string_view a, std::string_view b);
//! Bytes from "64M", "1GiB", "4096"; nullopt when it is not a size.
[[nodiscard]] std::optional<std::int64_t> parseBytes(std::string_view text);
//! Seconds from "30s", "2m", "1h", "500ms", "30"; nullopt when it is not a duration.
[[nodiscard]] std::optional<double> parseSeconds(std::string_view text);

enum class OptionType { Bool, Integer, Real, Text, Choice, Duration, Bytes };

//! One option of a workload, driver or knob set.
struct OptionSpec
{
    std::string name = {};  //!< as in a plan: "table_size"
    std::string label = {}; //!< short, for a form: "Rows per table"
    std::string help = {};  //!< one or two sentences, with the unit
    OptionType type = OptionType::Text;
    Value defaultValue = std::string();
    std::string unit = {}; //!< "rows", "ms", "bytes"; empty for none
    std::optional<double> minimum = {};
    std::optional<double> maximum = {};
    std::vector<std::string> choices = {}; //!< for Choice; a hint list for Text
    bool affectsData = false;              //!< a change needs the data to be loaded again
    std::string group = {};                //!< heading in a form; "" = basic, "advanced" folds away
    //! What a value from a stranger's plan could do, completing "This plan wants to …" (trust.h); "" = nothing.
    std::string risk = {};
    bool notAtLook = false;    //!< with `risk`: a look at a target leaves it out
    bool severalLines = false; //!< of Text: line breaks mean something, and a form gives it room
};
using OptionSpecs = std::vector<OptionSpec>;

//! Brings `value` to the option's type and checks its range; the error says what would be right.
[[nodiscard]] Expected<Value> coerce(const OptionSpec& option, const Value& value);
//! Defaults overlaid with `given`; unknown names and bad values are added to `faults` with `where` before the name.
[[nodiscard]] Settings resolve(const OptionSpecs& options, const Settings& given, std::string_view where,
                               Faults& faults);

[[nodiscard]] bool boolOf(const Settings& settings, std::string_view name, bool fallback = false);
[[nodiscard]] std::int64_t integerOf(const Settings& settings, std::string_view name, std::int64_t fallback = 0);
[[nodiscard]] double realOf(const Settings& settings, std::string_view name, double fallback = 0);
[[nodiscard]] std::string textOf(const Settings& settings, std::string_view name, std::string_view fallback = {});

} // namespace dyno
