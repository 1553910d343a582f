// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/tpcc/tpcc.h"

#include "workload/scatter.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace dyno::tpcc {

Values::Values(const Params& params)
    : m_params(params)
{
}

std::int64_t Values::nonUniform(Random& random, std::int64_t a, std::int64_t x, std::int64_t y,
                                std::int64_t constant) const
{
    if (m_params.compat())
        constant = random.uniform(0, a);
    const std::int64_t first = random.uniform(0, a);
    const std::int64_t second = random.uniform(x, y);
    return ((first | second) + constant) % (y - x + 1) + x;
}

std::int64_t Values::nameWith(std::int64_t constant, Random& random) const
{
    return nonUniform(random, 255, 0, std::min<std::int64_t>(m_params.customers, 1000) - 1, constant);
}

std::int64_t Values::otherWarehouse(Random& random, std::int64_t than) const
{
    // sysbench-tpcc draws until it is the same warehouse
    if (m_params.warehouses == 1 || m_params.sysbench())
        return than;
    const std::int64_t drawn = random.uniform(1, m_params.warehouses - 1);
    return drawn < than ? drawn : drawn + 1;
}

char* Values::text(char* out, Random& random, std::int64_t least, std::int64_t most) const
{
    static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ez";
    static_assert(kLetters.size() == 64);
    const std::int64_t length = least == most ? least : random.uniform(least, most);
    if (m_params.sysbench())
        return std::fill_n(out, length, kLetters[std::size_t(random.uniform(0, 25))]);
    std::uint64_t bits = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        if (i % 10 == 0)
            bits = random.next();
        *out++ = kLetters[bits & 63];
        bits >>= 6;
    }
    return out;
}

char* Values::digits(char* out, Random& random, int count)
{
    for (int i = 0; i < count; ++i)
        *out++ = char('0' + random.uniform(0, 9));
    return out;
}

char* Values::lastName(char* out, std::int64_t number)
{
    static constexpr std::array<std::string_view, 10> kSyllables{"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                                 "ESE", "ANTI",  "CALLY", "ATION", "EING"};
    for (const std::int64_t digit : {number / 100 % 10, number / 10 % 10, number % 10})
        out = std::ranges::copy(kSyllables[std::size_t(digit)], out).out;
    return out;
}

double Values::money(Random& random, std::int64_t least, std::int64_t most) const
{
    const std::int64_t drawn = random.uniform(least, most);
    return m_params.sysbench() ? double((drawn + 99) / 100) : double(drawn) / 100;
}

double Values::price(Random& random) const
{
    return m_params.sysbench() ? std::round(100 * (1 + 100 * random.unit())) / 100 : money(random, 100, 10'000);
}

double Values::lineAmount(Random& random) const
{
    return m_params.sysbench() ? std::round(999'999 * random.unit()) / 100 : money(random, 1, 999'999);
}

OrderPlan::OrderPlan(const Params& params, std::uint64_t seed, std::int64_t district)
    : m_customers(params.customers)
    , m_key(params.sysbench() ? 1 : seed * 1'000'003 + std::uint64_t(district))
{
}

std::int64_t OrderPlan::customerOf(std::int64_t order) const
{
    return Scatter(m_customers, m_key).at(order - 1) + 1;
}

std::int64_t OrderPlan::linesOf(const Params& params, std::int64_t order)
{
    constexpr std::uint64_t kKey = 0x6F72646572;
    return 5 + Scatter(params.customers, kKey).at(order - 1) % 11;
}

} // namespace dyno::tpcc
