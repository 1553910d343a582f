// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One open SQLite file with its knobs applied; used by the session and by the control plane.
#pragma once

#include "driver/driver.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace dyno {

//! Knobs of the scope "connection".
[[nodiscard]] OptionSpecs sqliteOptions();

//! A text as SQL writes it: 'it''s'.
[[nodiscard]] std::string sqliteText(std::string_view text);

struct StatementCloser
{
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, StatementCloser>;

//! Who opens the file: only the control plane may create it, and it never locks the users out. A look reads only and
//! leaves everything on the disk as it is.
enum class SqliteRole { Admin, User, Look };

//! What this process's users do with a file. Shared by all that open it, so that the control plane can report it
//! without opening the file.
struct SqliteCounts
{
    std::atomic<std::uint64_t> walBytes{0}; //!< written to the write-ahead log
    // Of the users' page caches; each user brings them up to date after its next operation once `asked` has changed.
    std::atomic<std::uint64_t> hits{0}, misses{0}, spills{0}, busyWaits{0};
    std::atomic<std::int64_t> cacheBytes{0};
    alignas(64) std::atomic<std::uint32_t> asked{0}; //!< read after each operation: not beside what users write
};
using SqliteCountsPtr = std::shared_ptr<SqliteCounts>;
[[nodiscard]] SqliteCountsPtr countsOf(const std::string& file);

//! A connection and its busy handler. One thread, but for abort().
class SqliteConnection
{
public:
    SqliteConnection() = default;
    ~SqliteConnection() { close(); }
    SqliteConnection(const SqliteConnection&) = delete;
    SqliteConnection& operator=(const SqliteConnection&) = delete;

    //! Opens `target`'s file and applies its knobs; checks that each took effect. Closes what was open before.
    Expected<void> open(const ConnectTarget& target, SqliteRole role);
    //! The statements prepared on it must be gone.
    void close() noexcept;

    [[nodiscard]] sqlite3* handle() const { return m_db; }
    [[nodiscard]] bool isOpen() const { return m_db != nullptr; }
    [[nodiscard]] const std::string& file() const { return m_file; }
    [[nodiscard]] std::uint64_t busyWaits() const { return m_busyWaits.load(std::memory_order_relaxed); }

    //! Any thread: interrupts what runs now and lets nothing run until clearAbort().
    void abort() noexcept;
    void clearAbort() noexcept { m_aborted.store(false); }
    [[nodiscard]] bool aborted() const noexcept { return m_aborted.load(std::memory_order_relaxed); }

    //! First column of the first row as text; "" without a row.
    Expected<std::string> value(const std::string& sql);
    Expected<TextRows> rows(std::string_view sql);
    //! The error that SQLite reports for this connection now, with the file and what to do.
    [[nodiscard]] Error error(int code) const;

private:
    static int onBusy(void* self, int calls);
    static int onProgress(void* self);
    Expected<void> applyKnobs(const ConnectTarget& target, SqliteRole role);
    Expected<void> applyFileKnobs(const ConnectTarget& target, SqliteRole role);
    Expected<void> applyExtra(const Settings& extra, SqliteRole role);
    Expected<void> setPragma(const std::string& name, const std::string& value);

    sqlite3* m_db = nullptr;
    std::mutex m_handleMutex; //!< held while m_db appears or goes, and by abort(); never by an operation
    std::atomic<bool> m_aborted{false};
    std::string m_file;
    int m_busyTimeoutMs = 0;
    std::atomic<std::uint64_t> m_busyWaits{0};
};

} // namespace dyno
