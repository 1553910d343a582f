// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The rows of the column types, and what sums over them are.
#include "workload/columntypes/column_types.h"

#include <algorithm>
#include <functional>

namespace dyno::columntypes {

namespace {

constexpr std::uint64_t kRowStreams = std::uint64_t(1) << 45;
constexpr std::int64_t kFirstPeriod = 1'546'300'800; //!< 2019-01-01 UTC, in seconds since 1970
constexpr std::int64_t kDigests = 1000, kServers = 20, kUsers = 10, kSchemas = 50, kHosts = 200;
constexpr std::size_t kGreatest = 10;
constexpr std::int64_t kRowsBetweenLooks = 1 << 16;

//! The first draw of a row, so that sums need no other.
std::int64_t drawNumber(Random& random, const Params& params)
{
    return random.uniform(1, params.largest);
}

//! Periods of one length, all within the months.
std::int64_t periodLength(const Params& params)
{
    return params.months * kMonth / params.periods;
}

std::int64_t periodOf(const Params& params, std::int64_t number)
{
    return (number - 1) * params.periods / params.rows;
}

} // namespace

Row rowOf(const Params& params, std::uint64_t seed, std::int64_t number)
{
    Random random = Random::forItem(seed, kRowStreams, std::uint64_t(number));
    Row row;
    row.number = drawNumber(random, params);
    row.period = kFirstPeriod + periodOf(params, number) * periodLength(params);
    std::uint64_t state = std::uint64_t(random.uniform(1, kDigests));
    std::uint64_t digest = splitMix(state);
    for (char& c : row.digest) {
        c = "0123456789ABCDEF"[digest & 0xF];
        digest >>= 4;
    }
    row.server = int(random.uniform(1, kServers));
    row.user = int(random.uniform(1, kUsers));
    row.schema = int(random.uniform(1, kSchemas));
    row.host = int(random.uniform(1, kHosts));
    return row;
}

std::optional<Answers> answersOf(const Params& params, std::uint64_t seed, const std::function<bool()>& goOn)
{
    Answers answers;
    answers.byPeriod.resize(std::size_t(params.periods));
    for (std::int64_t number = 1; number <= params.rows; ++number) {
        if (number % kRowsBetweenLooks == 0 && !goOn())
            return {};
        Random random = Random::forItem(seed, kRowStreams, std::uint64_t(number));
        answers.byPeriod[std::size_t(periodOf(params, number))] += double(drawNumber(random, params));
    }
    for (const double sum : answers.byPeriod)
        answers.sum += sum;
    answers.greatest.resize(std::min(kGreatest, answers.byPeriod.size()));
    std::ranges::partial_sort_copy(answers.byPeriod, answers.greatest, std::greater());
    return answers;
}

std::optional<std::size_t> periodAt(const Params& params, std::int64_t start)
{
    const std::int64_t after = start - kFirstPeriod, length = periodLength(params);
    if (after < 0 || after % length != 0 || after / length >= params.periods)
        return {};
    return std::size_t(after / length);
}

} // namespace dyno::columntypes
