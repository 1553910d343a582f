// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/postgresql_codes.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace dyno::postgresql {

namespace {

constexpr std::int32_t kDigitsOnly = 100'000; //!< codes below are five decimal digits
constexpr std::int32_t kBase = 36;
constexpr std::size_t kLength = 5;

} // namespace

std::int32_t codeOf(std::string_view text)
{
    if (text.size() != kLength)
        return 0;
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    std::int32_t code = 0;
    for (const char c : text) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return 0;
        code = code * (digits ? 10 : kBase) + digit;
    }
    return digits ? code : code + kDigitsOnly;
}

std::string sqlStateOf(std::int32_t code)
{
    if (code < kDigitsOnly)
        return fmt::format("{:05}", std::max(code, 0));
    code -= kDigitsOnly;
    std::string text(kLength, '0');
    for (std::size_t i = kLength; i-- > 0; code /= kBase)
        text[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[code % kBase];
    return text;
}

} // namespace dyno::postgresql
