// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What of a server's texts is kept. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace dyno::mysql {

//! SHOW ENGINE INNODB STATUS without what users sent and what rows hold.
[[nodiscard]] std::string withoutUsersData(std::string_view innodbStatus);

} // namespace dyno::mysql
