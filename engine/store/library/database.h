// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A thin owner of one SQLite connection. The first error sticks: later statements do nothing, and result() gives it
//! once. So a sequence of statements is written straight down and checked at its end. One connection, one thread.
#pragma once

#include <dyno/error.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace dyno {

class Database
{
public:
    enum class Access {
        ReadOnly,
        ReadWrite,
        Create,    //!< ReadWrite, and makes the file
        Immutable, //!< reads a file that nobody can change, without any file beside it
    };

    static Expected<std::unique_ptr<Database>> open(const std::filesystem::path& file, Access access);
    //! An empty one that lives in memory only.
    static Expected<std::unique_ptr<Database>> openInMemory();
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    //! Runs one or several statements without parameters and results.
    void exec(const std::string& sql);
    //! First column of the first row as a number; 0 when there is none.
    [[nodiscard]] std::int64_t number(const std::string& sql);
    [[nodiscard]] std::string text(const std::string& sql);
    [[nodiscard]] std::int64_t lastInsertId() const;
    [[nodiscard]] std::int64_t changes() const; //!< rows of the last INSERT, UPDATE or DELETE

    [[nodiscard]] bool ok() const { return m_code == 0; }
    [[nodiscard]] int code() const { return m_code; } //!< extended SQLite code of the first error, 0 = none
    //! The first error since the last call, and forgets it.
    [[nodiscard]] Expected<void> result();
    //! Waits this long for other processes before SQLITE_BUSY.
    void setBusyTimeout(int milliseconds);
    //! A function of one text for statements of this connection; what `call` refers to must outlive its last use.
    void addFunction(const char* name, std::function<std::string(std::string_view)> call);
    void allowDamage(); //!< reads on where SQLite would refuse; for a file that is known to be damaged
    //! Copies everything of `source` into this one, replacing its content.
    void copyFrom(Database& source);
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

private:
    friend class Statement;
    friend class Transaction;
    friend class ProgressShare;
    Database(sqlite3* handle, std::filesystem::path file);
    void note(int code); //!< keeps the first error
    //! From now on nothing is written when another file stands at the path: this one was moved, and who opens the
    //! library would never see it.
    void watchPlace();
    //! Another file, or none, stands at the path of this one; false for what is only read.
    [[nodiscard]] bool hasMoved() const;
    sqlite3* m_handle = nullptr;
    std::uint64_t m_device = 0; //!< 0 = its place is not watched
    std::filesystem::path m_file;
    int m_code = 0;
    std::string m_message;
};

//! Another connection holds the file; later it may be free.
[[nodiscard]] bool isHeld(int code);
//! What to tell a person about an SQLite code.
[[nodiscard]] Error storageError(int code, std::string_view sqliteText, const std::filesystem::path& file);

//! A prepared statement: bind in order, then step. Destroyed before its database.
class Statement
{
public:
    Statement(Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& operator<<(std::int64_t value);
    Statement& operator<<(int value) { return *this << std::int64_t(value); }
    Statement& operator<<(std::uint64_t value) { return *this << static_cast<std::int64_t>(value); }
    Statement& operator<<(double value);
    Statement& operator<<(std::string_view text);
    Statement& operator<<(std::nullptr_t);
    Statement& blob(std::string_view bytes); //!< an empty blob is stored as NULL
    Statement& value(sqlite3_value* value);

    //! Next row; false at the end or after an error.
    bool row();
    //! Runs to the end and makes it ready for the next round of values.
    void run();
    void reset();

    [[nodiscard]] bool ready() const { return m_statement != nullptr; } //!< false after an error
    [[nodiscard]] int columns() const;
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] int type(int column) const; //!< as SQLite numbers them
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::uint64_t count(int column) const { return static_cast<std::uint64_t>(integer(column)); }
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::string_view bytes(int column) const; //!< valid until the next row()
    [[nodiscard]] sqlite3_value* raw(int column) const;

private:
    Database& m_database;
    sqlite3_stmt* m_statement = nullptr;
    int m_bound = 0;
};

//! BEGIN … COMMIT; rolled back unless committed.
class Transaction
{
public:
    enum class Kind {
        Write, //!< takes the write lock at once, so that it cannot fail half way for another writer
        Read,  //!< sees one state of the file
    };
    explicit Transaction(Database& database, Kind kind = Kind::Write);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    [[nodiscard]] Expected<void> commit(); //!< the first error of the transaction, which is then undone

private:
    Database& m_database;
    bool m_open = false;
};

} // namespace dyno
