// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of different products, compared by what they mean: the catalogue says it.
#pragma once

#include <dyno/report.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

struct Meanings
{
    std::vector<Difference> differences;
    //! Of all settings that were compared this way, as differences() names them: with and without their scope.
    std::set<std::string> names;
};
//! "sync at commit: every commit is on disk (synchronous = FULL); nothing waits for the disk (innodb_flush_… = 0)".
//! Only what several products call differently, or not all of them have.
[[nodiscard]] Meanings meaningsThatDiffer(const std::vector<StoredSession>& sessions);
//! "durability" of "sync_binlog" and "server.sync_binlog"; "" for none.
[[nodiscard]] std::string topicOf(std::string_view name);

} // namespace dyno::report
