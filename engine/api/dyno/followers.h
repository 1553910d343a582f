// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings that take the value of another one. A quantity among the server's settings
//! may follow another of the same point, type and unit: rocksdb_block_cache_size = "same as
//! server.innodb_buffer_pool_size". It is resolved for each point when the plan is expanded. Points hold the value, the
//! plan what was written. Any thread.
#pragma once

#include "plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace dyno {

//! The path that the text names, "" when it is no such text. Text and choices take no followers, see followedBy().
[[nodiscard]] std::string_view pathAfterSameAs(std::string_view text);
//! The path of the other; nullopt when the value follows none, or the option takes no quantity.
[[nodiscard]] std::optional<std::string> followedBy(const OptionSpec& option, const Value& value);
//! The point's settings that the plan writes as "same as …", by path, with the values they became.
[[nodiscard]] Settings followersOf(const Plan& plan, const PointSpec& point);

} // namespace dyno
