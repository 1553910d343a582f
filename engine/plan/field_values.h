// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Values of a plan's fields as typed ("30s", 30, "1,4,16", "p99 <= 20ms"), with their types and ranges checked. The
//! error's message says what is wrong, its remedy what would be right.
#pragma once

#include <dyno/plan.h>
#include <dyno/value.h>

#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

[[nodiscard]] tl::unexpected<Error> badValue(std::string message, std::string remedy);
//! `unit` follows the range in the remedy: " users".
[[nodiscard]] Expected<std::int64_t> integerFrom(const Value& value, std::int64_t low, std::int64_t high,
                                                 std::string_view unit);
[[nodiscard]] Expected<double> realFrom(const Value& value, double low, double high, std::string_view unit);
[[nodiscard]] Expected<double> durationFrom(const Value& value, double low, double high); //!< in seconds
[[nodiscard]] Expected<bool> flagFrom(const Value& value);
[[nodiscard]] Expected<std::vector<int>> userListFrom(const Value& value);
[[nodiscard]] Expected<std::vector<RateStep>> stepsFrom(const Value& value);    //!< "500:10s, 1000:10s"
[[nodiscard]] Expected<std::vector<std::string>> namesFrom(const Value& value); //!< "Key_reads, Innodb_log_waits"
[[nodiscard]] Expected<Objective> objectiveFrom(const Value& value);            //!< "p99 <= 20ms"; "" for none
//! "rate 100..20000", "users 1..256"; "" for none. Keeps the other fields of `search`.
[[nodiscard]] Expected<Search> searchFrom(const Value& value, Search search);
[[nodiscard]] tl::unexpected<Error> notAChoice(std::string_view text, const std::vector<std::string>& words);

template<class Enum, std::size_t N>
Expected<Enum> wordFrom(std::string_view text, const std::array<Enum, N>& all)
{
    std::vector<std::string> words;
    for (const Enum value : all) {
        if (text == toText(value))
            return value;
        words.emplace_back(toText(value));
    }
    return notAChoice(text, words);
}

//! Copies an Expected's value into `into`, or hands its error on.
template<class From, class To>
Expected<void> putInto(To& into, const Expected<From>& from)
{
    if (!from)
        return tl::unexpected(from.error());
    into = static_cast<To>(*from);
    return {};
}

} // namespace dyno
