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
    std::string driver;
    std::vector<std::string> state;        //!< variables that are state or identity, no settings
    std::string dataFolder, programFolder; //!< variables that say where a server's files lie; "" = none
    //! Counters that together are the bytes its storage engine writes: pages and log.
    std::vector<std::string> written;
    std::vector<std::string> logWritten; //!< those of them, or others, that are its log of changes alone
    std::vector<std::string> logEngines; //!< engines of tables whose log logWritten counts; none = of any table
    //! Counters of a storage engine that goes on writing in the background what its users have handed to it: those that
    //! together are these bytes, and those that are what it wrote for them.
    std::vector<std::string> ingested, stored;
    std::vector<std::string> storedEngines; //!< engines of tables that these count, not `written`; none = of any table
    //! Counters that tell how often a server did not find a page in its memory.
    std::vector<std::string> storageReads;
    //! Variables that a server goes on changing in the background after it has taken a new value.
    std::vector<std::string> slow;
    std::vector<std::string> hosts, users; //!< variables that name those: in lower case
    //! Variables that are lists "name = value; …", in which what ends in "host" or "_addr" names a host: in lower case
    std::vector<std::string> hostOptions;
    std::string changeLog;             //!< the switch of a log that holds each change once more; "" = none
    std::vector<std::string> prefixes; //!< of variables, left out where space is short; the longest first
};
//! One for each driver whose catalogue says any.
[[nodiscard]] const std::vector<ServerVariables>& serverVariables();
//! ServerVariables::storageReads of all of them.
[[nodiscard]] const std::vector<std::string>& storageReadCounters();
//! "trx_commit" of "innodb_flush_log_at_trx_commit": without the first of ServerVariables::prefixes that it has.
[[nodiscard]] std::string_view shortVariableName(std::string_view variable);
//! Differs between any two connections or starts of the same server, or says where its files lie.
[[nodiscard]] bool isServerState(std::string_view variable);

} // namespace dyno
