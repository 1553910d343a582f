// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the catalogue (resources/knobs) says of servers' variables and counters beside their knobs. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Of the servers of one driver.
struct ServerVariables
{
    std::vector<std::string> state;        //!< variables that are state or identity, no settings
    std::string dataFolder, programFolder; //!< variables that say where a server's files lie; "" = none
    //! Counters that together are the bytes its storage engine writes: pages and log.
    std::vector<std::string> written;
    //! Counters that tell how often a server did not find a page in its memory.
    std::vector<std::string> storageReads;
};
//! One for each driver whose catalogue says any.
[[nodiscard]] const std::vector<ServerVariables>& serverVariables();
//! ServerVariables::storageReads of all of them.
[[nodiscard]] const std::vector<std::string>& storageReadCounters();
//! Differs between any two connections or starts of the same server, or says where its files lie.
[[nodiscard]] bool isServerState(std::string_view variable);

} // namespace dyno
