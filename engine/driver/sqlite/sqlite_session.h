// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One virtual user's connection to a SQLite file.
#pragma once

#include "driver/sqlite/sqlite_connection.h"

namespace dyno {

//! Always Done. Statements are prepared once and kept; a statement that is not preparable is compiled at each use, as a
//! program without prepared statements would. The reply's code is SQLite's extended result code (5 busy, 517 busy
//! because the snapshot is old, 1555 primary key …).
class SqliteSession final : public Session
{
public:
    explicit SqliteSession(ConnectTargetPtr target);
    ~SqliteSession() override { disconnect(); }

    Progress start(const Request& request) override;
    void abort() noexcept override { m_connection.abort(); }
    [[nodiscard]] std::string lastError() const override { return m_error; }
    [[nodiscard]] std::uint64_t busyWaits() const override { return m_connection.busyWaits(); }

private:
    //! A prepared statement and what never changes about it.
    struct Prepared
    {
        StatementHandle handle;
        int parameters = 0;
        bool writes = false;
    };

    void run(const Request& request);
    void connect();
    bool prepare(std::string_view sql, unsigned flags, Prepared& into);
    void execute(const Request& request);
    void executeText(std::string_view sql, Keep keep);
    //! BEGIN, COMMIT or ROLLBACK, prepared once for each connection.
    void executeStep(Prepared& step, std::string_view sql);
    bool bind(const Prepared& statement, std::span<const Param> params);
    //! Runs a bound statement to its end, reads every column of every row, resets it.
    bool finish(const Prepared& statement, Keep keep = Keep::Nothing);
    void keepRow(sqlite3_stmt* statement);
    bool check(int code);
    void refuse(Outcome outcome, int code, std::string text);
    void disconnect();
    //! Adds what this connection has written to the log since the last call.
    void countLog();
    //! Adds what this connection's page cache did since the last call, and its waits for locks.
    void countCache();

    ConnectTargetPtr m_target;
    SqliteConnection m_connection;
    std::vector<Prepared> m_statements; //!< by StatementId; gone before the connection closes
    Prepared m_begin, m_commit, m_rollback;
    std::string_view m_beginText;
    SqliteCountsPtr m_counts;
    std::uint32_t m_countedFor = 0; //!< SqliteCounts::asked
    std::int64_t m_cacheBytes = 0;  //!< as counted
    std::uint64_t m_waitsCounted = 0;
    std::uint64_t m_walFrame = 0; //!< bytes of a page in the log; 0: there is no log
    std::string m_error;
    std::uint64_t m_bytesRead = 0; //!< keeps the compiler from leaving out that columns are read
};

} // namespace dyno
