// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings that take the value of another one: see <dyno/followers.h>.
#pragma once

#include <dyno/followers.h>

#include <string>

namespace dyno {

//! Why a setting cannot follow `path` on a target of this driver: no such setting, or one of another type.
[[nodiscard]] Expected<void> canFollow(std::string_view driver, const OptionSpec& option, std::string_view path);

//! Puts values in place of the point's settings that follow others. Error: of the first that cannot be resolved; its
//! `where` is the path of the setting at fault, "server.rocksdb_block_cache_size", which is another one where the first
//! follows one that cannot.
[[nodiscard]] Expected<void> resolveFollowers(PointSpec& point);

//! Where the plan gives the point this setting: the value as it is written, and its place. nullptr when it does not.
struct WrittenSetting
{
    const Value* value = nullptr;
    std::string where; //!< "axis[0].cases[2].set.server.sync_binlog"
};
[[nodiscard]] WrittenSetting writtenSetting(const Plan& plan, const PointSpec& point, const std::string& path);

} // namespace dyno
