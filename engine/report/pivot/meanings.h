// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of different products, compared by what they mean: the catalogue says it.
#pragma once

#include <dyno/catalog.h>
#include <dyno/report.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
[[nodiscard]] const std::vector<KnobInfo>& allKnobs();
//! The name that this server gives the knob, and the value in force; nullopt where it has none, or it is not known.
[[nodiscard]] std::optional<std::pair<std::string, Value>> inForce(const KnobInfo& knob, const RunHeader& run);
//! What the value means, in the catalogue's words; the value itself where these have none.
[[nodiscard]] std::string meaningText(const KnobInfo& knob, const Value& value);
//! "durability" of "sync_binlog" and "server.sync_binlog"; "" for none.
[[nodiscard]] std::string topicOf(std::string_view name);

} // namespace dyno::report
