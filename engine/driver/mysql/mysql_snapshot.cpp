// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_snapshot.h"

#include "mysql_admin.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace dyno::mysql {

namespace {

//! Lines of InnoDB's status that follow a statement. Texts of users have lines of dashes and stars, too: no line is
//! taken for one of InnoDB's that is not wholly so.
constexpr std::array<std::string_view, 10> kAfterStatement{"------- TRX HAS BEEN WAITING ",
                                                           "*** (1) ",
                                                           "*** (2) ",
                                                           "*** WE ROLL BACK TRANSACTION ",
                                                           "*** CONFLICTING WITH:",
                                                           "TABLE LOCK table `",
                                                           "RECORD LOCKS space id ",
                                                           "Record lock, heap no ",
                                                           "Trx read view will not see trx with id ",
                                                           "END OF INNODB MONITOR OUTPUT"};
constexpr std::array<std::string_view, 4> kSectionsAfterStatement{
    "LATEST FOREIGN KEY ERROR", "LATEST DETECTED DEADLOCK", "TRANSACTIONS", "FILE I/O"};

bool isRule(std::string_view line)
{
    return line.starts_with("---") && line.find_first_not_of('-') == std::string_view::npos;
}

//! `rest`: the lines after it.
bool endsStatement(std::string_view line, std::string_view rest)
{
    constexpr std::string_view kTransaction = "---TRANSACTION ";
    if (line.starts_with(kTransaction))
        return line.size() > kTransaction.size() && line[kTransaction.size()] >= '0' &&
               line[kTransaction.size()] <= '9';
    if (!isRule(line))
        return std::ranges::any_of(kAfterStatement, [line](std::string_view with) { return line.starts_with(with); });
    const std::string_view title = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), title.size() + 1));
    return std::ranges::find(kSectionsAfterStatement, title) != kSectionsAfterStatement.end() &&
           (rest.empty() || isRule(rest.substr(0, rest.find('\n'))));
}

bool beginsStatement(std::string_view line)
{
    return line.find(" thread id ") != std::string_view::npos && line.find("query id ") != std::string_view::npos;
}

//! " 0: len 4; hex 80000001; asc     ;;" without what the row holds; "" for any other line.
std::string fieldOfRow(std::string_view line)
{
    const std::size_t length = line.find(": len "), value = line.find("; hex ");
    if (length == std::string_view::npos || value == std::string_view::npos || value < length)
        return {};
    return fmt::format("{}; (not kept)", line.substr(0, value));
}

constexpr const char* kProcesses =
    "SELECT id, user, host, COALESCE(db, ''), command, time, COALESCE(state, ''), COALESCE(info, '') FROM "
    "information_schema.processlist WHERE id <> CONNECTION_ID() ORDER BY command = 'Sleep', time DESC LIMIT ";
constexpr const char* kTransactions =
    "SELECT trx_mysql_thread_id, trx_id, trx_state, trx_started, COALESCE(trx_wait_started, ''), trx_rows_locked, "
    "trx_rows_modified, trx_isolation_level, COALESCE(trx_query, '') FROM information_schema.innodb_trx ORDER BY "
    "trx_started LIMIT ";
//! MariaDB and MySQL 5.7 have them in one place, MySQL 8 in another one.
constexpr std::array kLockWaits{
    "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, COALESCE(l.lock_table, ''), COALESCE(l.lock_index, ''), "
    "COALESCE(l.lock_mode, '') FROM information_schema.innodb_lock_waits w JOIN information_schema.innodb_trx r ON "
    "r.trx_id = w.requesting_trx_id JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id LEFT JOIN "
    "information_schema.innodb_locks l ON l.lock_id = w.requested_lock_id LIMIT ",
    "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, COALESCE(CONCAT(l.object_schema, '.', l.object_name), ''), "
    "COALESCE(l.index_name, ''), COALESCE(l.lock_mode, '') FROM performance_schema.data_lock_waits w JOIN "
    "information_schema.innodb_trx r ON r.trx_id = w.requesting_engine_transaction_id JOIN "
    "information_schema.innodb_trx b ON b.trx_id = w.blocking_engine_transaction_id LEFT JOIN "
    "performance_schema.data_locks l ON l.engine_lock_id = w.requesting_engine_lock_id LIMIT "};

} // namespace

std::string withoutUsersData(std::string_view innodbStatus)
{
    std::string text;
    bool ofStatement = false, told = false;
    while (!innodbStatus.empty()) {
        const std::string_view line = innodbStatus.substr(0, innodbStatus.find('\n'));
        innodbStatus.remove_prefix(std::min(innodbStatus.size(), line.size() + 1));
        if (ofStatement && !endsStatement(line, innodbStatus)) {
            if (!std::exchange(told, true))
                text += "(its statement is not kept here)\n";
            continue;
        }
        ofStatement = beginsStatement(line);
        told = false;
        const std::string field = fieldOfRow(line);
        text += fmt::format("{}\n", field.empty() ? line : field);
    }
    return text;
}

Expected<std::vector<SnapshotPart>> MysqlAdmin::snapshot()
{
    std::vector<SnapshotPart> parts;
    std::size_t readable = 0;
    const auto ask = [&](SnapshotPart part, const std::string& select) -> SnapshotPart& {
        auto rows = query(select + std::to_string(kSnapshotRows + 1));
        readable += rows ? 1 : 0;
        if (rows)
            part.rows = std::move(*rows);
        return parts.emplace_back(rows ? std::move(part) : missingPart(part.title, rows.error().message));
    };
    const auto status = query("SHOW ENGINE INNODB STATUS");
    if (!status)
        parts.push_back(missingPart("InnoDB status", status.error().message));
    else if (!status->empty() && status->front().size() > 2)
        parts.push_back({"InnoDB status", "InnoDB status", withoutUsersData(status->front()[2])});
    readable += status ? 1 : 0;

    SnapshotPart& processes =
        ask({"Process list", {}, {}, {"id", "user", "host", "database", "command", "s", "state", "statement"}, {}, 7},
            kProcesses);
    const auto statements = std::ranges::count_if(processes.rows, [](const std::vector<std::string>& row) {
        return row.size() > 7 && row[4] != "Sleep" && !row[7].empty();
    });
    if (!processes.columns.empty())
        processes.brief = briefOf(std::size_t(statements), "statement");

    ask({"InnoDB transactions",
         {},
         {},
         {"thread", "transaction", "state", "since", "waits since", "rows locked", "rows changed", "isolation",
          "statement"},
         {},
         8},
        kTransactions);

    const SnapshotPart waits{"InnoDB lock waits", {}, {}, {"thread", "waits for", "table", "index", "mode"}};
    const bool first = query(kLockWaits[0] + std::to_string(1)).has_value();
    SnapshotPart& found = ask(waits, kLockWaits[first ? 0 : 1]);
    if (!found.rows.empty())
        found.brief = briefOf(found.rows.size(), "lock wait");
    if (readable == 0)
        return fail(status ? Error{} : status.error());
    return parts;
}

} // namespace dyno::mysql
