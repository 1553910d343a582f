// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Takes names of hosts and users and addresses out of a session, wherever they stand.
#pragma once

#include "store/library/database.h"
#include <dyno/value.h>

#include <map>
#include <string>
#include <string_view>

namespace dyno {

//! Learns names from where they are known to stand, then replaces them, and what looks like an address, in any text.
//! The same name always becomes the same substitute ("anon-host-1", "192.0.2.3"), so what belongs together still does.
class Anonymizer
{
public:
    void learnHost(std::string_view name); //!< also its first label and its domain
    void learnUser(std::string_view name);
    //! Host and user of a target's URI, and the user's folder in its paths.
    void learnUri(std::string_view uri);
    //! "gcomm://node7,node8:4567?pc.recovery=true": hosts between commas, blanks or semicolons, with or without ports.
    void learnHosts(std::string_view list);
    //! Server variables and options that hold names ("hostname", "report_user").
    void learn(const Settings& settings);

    void learnFolders(std::string_view text); //!< the users of /home/NAME and /Users/NAME

    //! Replaced: the learned names where they stand as words, IPv4, IPv6 and MAC addresses, mail addresses, and names
    //! of home folders. Kept: localhost, loopback, wildcard and documentation addresses, and accounts that name nobody.
    [[nodiscard]] std::string replaced(std::string_view text);

private:
    void learnHostOptions(std::string_view text);
    std::string& substituteFor(std::string_view name, const char* kind);
    [[nodiscard]] std::string addressesReplaced(std::string_view text);
    [[nodiscard]] std::string namesReplaced(const std::string& text) const;

    std::map<std::string, std::string, std::less<>> m_names; //!< lower case → substitute
    std::map<std::string, int> m_counts;                     //!< substitutes made, by kind
};

//! Does so with all that stands in the store, which holds one session; its pages still need a VACUUM. What is ours
//! stays: keys, states, kinds, names of measures and counters, choices of options, also when a host or a user is called
//! so. Packed files are unpacked and packed again; of those that are not text a line that says so is left.
[[nodiscard]] Expected<void> anonymize(Database& database);

} // namespace dyno
