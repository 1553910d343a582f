// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of a SQLite file.
#pragma once

#include "driver/sqlite/sqlite_connection.h"

namespace dyno {

//! Opens the file for each call and closes it again: a connection that stayed open would hold a shared lock, which
//! users with locking_mode EXCLUSIVE and changes of the journal mode could not get past.
class SqliteAdmin final : public Admin
{
public:
    //! Makes the file if it is not there, unless it is to be looked at only; fails when it is no database or cannot be
    //! written.
    static Expected<std::unique_ptr<Admin>> open(const ConnectTarget& target);
    //! See Driver::watcher().
    static std::unique_ptr<Admin> watcher(const ConnectTarget& target);

    Expected<void> execute(std::string_view command) override;
    Expected<TextRows> query(std::string_view command) override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    //! Rows as ANALYZE has counted them; without it the greatest row number.
    Expected<std::vector<TableInfo>> tableInfos() override;
    Expected<std::string> tableText(std::string_view table) override;
    //! Variables: the connection knobs and other pragmas in force, and "compile.NAME" for each compile option.
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    void checkpoint() override;
    //! What the users of this process write to the log, and its size; of a file without one neither. What their page
    //! caches do, and their waits for locks: in steps, as a user counts after an operation.
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;

private:
    explicit SqliteAdmin(const ConnectTarget& target);
    Expected<TextRows> run(std::string_view sql);
    [[nodiscard]] std::string realFile() const;
    [[nodiscard]] SqliteRole role() const { return m_target.look ? SqliteRole::Look : SqliteRole::Admin; }

    SqliteCountsPtr m_counts;
    bool m_wal = false;     //!< its users keep a log
    ConnectTarget m_target; //!< without statements and password
};

} // namespace dyno
