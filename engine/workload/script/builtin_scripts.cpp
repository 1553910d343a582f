// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/builtin_scripts.h"

#include <fmt/format.h>

namespace dyno::script {

namespace {

constexpr const char* kDraws = "\\set bid random(1, 1 * :scale)\n"
                               "\\set tid random(1, 10 * :scale)\n"
                               "\\set delta random(-5000, 5000)\n";
constexpr const char* kUpdate = "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n";
constexpr const char* kSelect = "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n";
constexpr const char* kTellers = "UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;\n"
                                 "UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;\n";
constexpr const char* kInsert = "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, "
                                ":delta, CURRENT_TIMESTAMP);\n";

} // namespace

const std::vector<std::string>& builtinNames()
{
    static const std::vector<std::string> names{"tpcb-like", "simple-update", "select-only"};
    return names;
}

std::string builtinText(std::string_view name, std::int64_t accounts)
{
    const std::string account = fmt::format("\\set aid random(1, {} * :scale)\n", accounts);
    if (name == "select-only")
        return account + kSelect;
    if (name != "tpcb-like" && name != "simple-update")
        return {};
    return account + kDraws + "BEGIN;\n" + kUpdate + kSelect + (name == "tpcb-like" ? kTellers : "") + kInsert +
           "END;\n";
}

} // namespace dyno::script
