// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/dyno_file.h"

#include "base/private_files.h"
#include "base/sqlite_file.h"
#include "store/library/new_file.h"
#include "store/library/schema.h"

#include <dyno/runner.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sqlite3.h>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr const char* kForeign = "choose a library or a .dyno file that Dynobench made; nothing was changed";

//! What the first 100 bytes of an SQLite file say (sqlite.org/fileformat2.html, section 1.3).
struct FileHeader
{
    std::uint64_t size = 0; //!< bytes that are there
    std::uint64_t pageSize = 0, pages = 0;
    std::uint32_t userVersion = 0, applicationId = 0;
    std::uint32_t encoding = 0; //!< 1: UTF-8
    bool sqlite = false, wal = false;
    [[nodiscard]] std::uint64_t expectedSize() const { return pageSize * pages; }
};

Expected<FileHeader> readHeader(const fs::path& file)
{
    std::error_code error;
    FileHeader header;
    if (fs::is_directory(file, error))
        return fail({ErrorKind::BadInput, "this is a folder", file.string(), "name a file in it"});
    header.size = fs::file_size(file, error);
    std::array<char, 100> bytes{};
    const auto read = beginningOf(file, bytes.size());
    if (error || !read || (read->size() < bytes.size() && header.size >= bytes.size()))
        return fail({ErrorKind::Storage, "the file cannot be read", file.string(), "check its permissions"});
    std::ranges::copy(*read, bytes.begin());
    const auto big = [&bytes](std::size_t at, std::size_t length) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < length; ++i)
            value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
        return value;
    };
    header.sqlite = header.size >= bytes.size() && std::memcmp(bytes.data(), "SQLite format 3", 16) == 0;
    header.pageSize = big(16, 2) == 1 ? 65536 : big(16, 2);
    header.wal = bytes[18] == 2;
    header.pages = big(28, 4);
    header.encoding = big(56, 4);
    header.userVersion = big(60, 4);
    header.applicationId = big(68, 4);
    return header;
}

//! Counts what can be read of a damaged file, without touching it.
std::string readablePart(const fs::path& file)
{
    auto database = Database::open(file, Database::Access::Immutable);
    if (!database)
        return "nothing of it can be read";
    // Lets SQLite go on although the file is shorter than its header says.
    (*database)->allowDamage();
    const auto countRows = [&database](const char* sql) {
        std::int64_t rows = 0;
        {
            Statement statement(**database, sql);
            while (statement.row())
                ++rows;
        }
        (void)(*database)->result();
        return rows;
    };
    const std::int64_t sessions = countRows("SELECT id, title FROM session");
    const std::int64_t runs = countRows("SELECT key, summary FROM run NOT INDEXED");
    std::int64_t intervals = countRows("SELECT run, idx FROM interval");
    intervals += (*database)->number(
        "SELECT coalesce(sum(intervals), 0) FROM block WHERE part = 0 AND intervals BETWEEN 1 AND 4096");
    (void)(*database)->result();
    if (sessions == 0)
        return "no session in it can be read";
    return fmt::format("part of it can still be read: sessions: {}, runs: {}, intervals: {}", sessions, runs,
                       intervals);
}

Error damaged(const fs::path& file, const std::string& what)
{
    return {ErrorKind::BadInput, fmt::format("{}; {}", what, readablePart(file)), file.string(),
            "restore a backup or copy the file again; `sqlite3 FILE .recover` saves what is left; nothing was changed"};
}

Error newer(const fs::path& file, std::int64_t version)
{
    return {
        ErrorKind::BadInput,
        fmt::format("made by a newer Dynobench (version {} of the format, this one knows {})", version, kSchemaVersion),
        file.string(), "open it with that Dynobench; nothing was changed"};
}

bool hasWal(const fs::path& file)
{
    std::error_code error;
    fs::path wal = file;
    wal += "-wal";
    return fs::file_size(wal, error) > 0 && !error;
}

Expected<FileHeader> checkHeader(const fs::path& file)
{
    auto header = readHeader(file);
    if (!header)
        return header;
    if (!header->sqlite) {
        return fail({ErrorKind::BadInput, "this is not a Dynobench library or .dyno file", file.string(), kForeign});
    }
    // An empty file has no encoding yet; ours never have another one.
    if (header->applicationId != static_cast<std::uint32_t>(kApplicationId) || header->encoding > 1) {
        return fail({ErrorKind::BadInput, "this SQLite file belongs to another program", file.string(), kForeign});
    }
    if (header->userVersion > static_cast<std::uint32_t>(kSchemaVersion))
        return fail(newer(file, header->userVersion));
    // With a write-ahead log beside it, the missing pages may be there.
    if (header->size < header->expectedSize() && !hasWal(file)) {
        return fail(damaged(
            file, fmt::format("the file is cut off: {} of {} bytes are there", header->size, header->expectedSize())));
    }
    return header;
}

Expected<std::unique_ptr<Database>> openForReading(const fs::path& file)
{
    auto database = Database::open(file, Database::Access::ReadOnly);
    if (database) {
        (void)(*database)->number("SELECT count(*) FROM sqlite_schema");
        if ((*database)->ok())
            return database;
        const int code = (*database)->code() & 0xff;
        if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) {
            Error error = (*database)->result().error();
            return fail(code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? damaged(file, error.message) : error);
        }
    }
    // What lies in a log that cannot be read would be missing.
    if (hasWal(file)) {
        return fail({ErrorKind::Storage, "the library's write-ahead log cannot be used here", file.string(),
                     "copy the file together with its -wal file to a folder that you may write"});
    }
    // The files of the log cannot be made beside it: nobody else can write then either.
    return Database::open(file, Database::Access::Immutable);
}

//! Definitions without white space, by name: all that a store of this version has of its own.
std::map<std::string, std::string> definitions(Database& database)
{
    std::map<std::string, std::string> all;
    Statement select(database, "SELECT type, name, sql FROM sqlite_schema");
    while (select.row()) {
        std::string sql = select.text(2);
        std::erase_if(sql, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
        all[select.text(0) + " " + select.text(1)] = std::move(sql);
    }
    return all;
}

//! What ANALYZE and `sqlite3 FILE .recover` leave behind.
bool isHarmless(std::string_view name)
{
    return name.starts_with("table sqlite_") || name.starts_with("index sqlite_") ||
           name.starts_with("table lost_and_found");
}

//! Refuses what could make our statements do other things than they say: views and triggers under our names, columns
//! that are computed, tables that are not there.
Expected<void> checkSchema(Database& database, int version)
{
    auto model = Database::openInMemory();
    if (!model)
        return fail(std::move(model.error()));
    if (auto made = createSchema(**model, version); !made)
        return made;
    const auto wanted = definitions(**model);
    const auto found = definitions(database);
    if (auto read = database.result(); !read)
        return fail(damaged(database.file(), "the file is damaged"));
    constexpr const char* kRemedy = "do not trust it; ask for it again where it came from; nothing was changed";
    for (const auto& [name, sql] : found) {
        const auto own = wanted.find(name);
        if (own == wanted.end() && !isHarmless(name)) {
            return fail({ErrorKind::BadInput, fmt::format("the file holds what Dynobench never puts there: {}", name),
                         database.file().string(), kRemedy});
        }
        if (own != wanted.end() && own->second != sql) {
            return fail({ErrorKind::BadInput, fmt::format("the file's {} is not as Dynobench makes it", name),
                         database.file().string(), kRemedy});
        }
    }
    for (const auto& [name, sql] : wanted) {
        if (!found.contains(name) && !isHarmless(name))
            return fail(damaged(database.file(), fmt::format("the file is damaged: its {} is missing", name)));
    }
    return {};
}

Expected<std::unique_ptr<Database>> migratedInMemory(Database& old)
{
    auto memory = Database::openInMemory();
    if (!memory)
        return memory;
    (*memory)->copyFrom(old);
    if (auto copied = (*memory)->result(); !copied)
        return fail(std::move(copied.error()));
    if (auto done = migrate(**memory, migrations(), kSchemaVersion); !done)
        return fail(std::move(done.error()));
    return memory;
}

//! A library tells of hosts, plans and users; its log too.
void closeToOthers(const fs::path& file)
{
    const fs::path folder = fs::absolute(file).parent_path();
    if (folder == dataFolder())
        static_cast<void>(makePrivateFolder(folder));
    for (const char* end : {"", "-wal", "-shm"})
        makePrivateFile(fs::path(file) += end);
}

} // namespace

Expected<void> createStore(const fs::path& file, FileKind kind)
{
    std::error_code error;
    const fs::path folder = fs::absolute(file).parent_path();
    error = folder == dataFolder() ? makePrivateFolder(folder) : makeFolders(folder);
    if (error || ::access(folder.c_str(), W_OK) != 0) {
        return fail({ErrorKind::Storage,
                     fmt::format("the folder cannot be written ({})",
                                 error ? error.message() : std::string(std::strerror(errno))),
                     folder.string(), "choose another library with --library FILE, or make the folder writable"});
    }
    static std::atomic<int> counter{0}; // several threads may want the same library
    fs::path draft = file;
    draft += fmt::format(".new-{}-{}", ::getpid(), ++counter);
    fs::remove(draft, error);
    // Made here: SQLite would follow a link that somebody else puts there in this moment.
    const int begun = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (begun < 0)
        return fail({ErrorKind::Storage, fmt::format("the file cannot be made ({})", std::strerror(errno)),
                     file.string(), "choose another library with --library FILE"});
    ::close(begun);
    {
        auto database = Database::open(draft, Database::Access::Create);
        if (!database)
            return fail(std::move(database.error()));
        if (kind == FileKind::LibraryFile)
            makePrivateFile(draft); // its log gets the same rights
        if (kind == FileKind::LibraryFile)
            (*database)->exec("PRAGMA auto_vacuum = INCREMENTAL");
        auto made = createSchema(**database);
        // Only now: so the file itself says from the start whose it is, not only its log.
        if (made && kind == FileKind::LibraryFile) {
            (void)(*database)->text("PRAGMA journal_mode = WAL");
            made = (*database)->result();
        }
        if (!made) {
            database->reset();
            fs::remove(draft, error);
            return made;
        }
    }
    int code = 0;
    const FolderLock names(folder);
    const bool empty = fs::exists(file, error) && fs::file_size(file, error) == 0;
    if (empty || !fs::exists(file, error))
        removeLogs(file);
    if (empty)
        code = ::rename(draft.c_str(), file.c_str());
    else if (code = ::link(draft.c_str(), file.c_str()); code != 0 && errno != EEXIST)
        code = ::rename(draft.c_str(), file.c_str()); // a file system without hard links
    else
        code = 0;
    const int problem = errno;
    fs::remove(draft, error);
    if (code != 0) {
        return fail({ErrorKind::Storage, fmt::format("the file cannot be made ({})", std::strerror(problem)),
                     file.string(), "choose another library with --library FILE"});
    }
    return {};
}

Expected<void> checkPages(Database& database)
{
    // Rows that an index has lost, and rows of nobody, would be missing from figures.
    const std::string verdict = database.text("PRAGMA integrity_check(1)");
    const std::string stray = database.text("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1");
    const auto read = database.result();
    if (read && verdict == "ok" && stray.empty())
        return {};
    if (!read && read.error().kind == ErrorKind::Interrupted)
        return read;
    return fail(damaged(database.file(), "the file is damaged"));
}

Expected<std::unique_ptr<Database>> openStore(const fs::path& name, Library::Mode mode)
{
    // A moved library is reached through a link; its write-ahead log lies beside the file itself.
    std::error_code unresolved;
    const fs::path real = fs::is_symlink(name, unresolved) ? fs::canonical(name, unresolved) : name;
    const fs::path& file = unresolved ? name : real;
    std::error_code error;
    const bool writing = mode == Library::Mode::ReadWrite;
    if (fs::is_symlink(file, error) && !fs::exists(file, error)) {
        const fs::path target = fs::read_symlink(file, error);
        return fail({ErrorKind::Storage,
                     fmt::format("the library was moved to {}, where it is not now", target.string()), file.string(),
                     "connect that disk, or remove the link to begin a new library"});
    }
    const bool there = fs::exists(file, error);
    if (error) {
        return fail({ErrorKind::Storage, fmt::format("the file cannot be reached ({})", error.message()), file.string(),
                     "check the folder's permissions"});
    }
    const bool empty = there && !fs::is_directory(file, error) && fs::file_size(file, error) == 0 && !error;
    // Moved between two looks: the link leads elsewhere now.
    const auto movedAway = [&] { return !unresolved && real != name && !fs::exists(file, error); };
    if (movedAway())
        return openStore(name, mode);
    if (!there || empty) {
        if (!writing) {
            return fail({ErrorKind::BadInput, there ? "the file is empty" : "there is no such library or .dyno file",
                         file.string(), "run a plan first, or name another file"});
        }
        if (auto made = createStore(file, FileKind::LibraryFile); !made)
            return fail(std::move(made.error()));
    }
    const auto header = checkHeader(file);
    if (!header)
        return movedAway() ? openStore(name, mode) : fail(header.error());

    // Asked first: a folder without the right to write must not look like damage.
    if (writing && ::access(fs::absolute(file).parent_path().c_str(), W_OK) != 0)
        return fail(storageError(SQLITE_READONLY, "read-only folder", file));
    if (writing && header->wal) // of an older version
        closeToOthers(file);
    auto database = writing ? Database::open(file, Database::Access::ReadWrite) : openForReading(file);
    if (!database)
        return movedAway() ? openStore(name, mode) : std::move(database);
    const std::int64_t version = (*database)->number("PRAGMA user_version");
    (void)(*database)->number("SELECT count(*) FROM session");
    if (!(*database)->ok()) {
        const int code = (*database)->code() & 0xff;
        Error failure = (*database)->result().error();
        const bool broken = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
        database->reset();
        return fail(broken ? damaged(file, "the file is damaged") : failure);
    }
    if (version > kSchemaVersion)
        return fail(newer(file, version));
    if (auto fits = checkSchema(**database, static_cast<int>(version)); !fits)
        return fail(std::move(fits.error()));
    // A file that travels is read in full; a library has too many pages for that, and SQLite finds damage as it reads.
    if (!header->wal) {
        if (auto checked = checkPages(**database); !checked)
            return fail(std::move(checked.error()));
    }
    if (version < kSchemaVersion) {
        if (!writing)
            return migratedInMemory(**database);
        if (auto done = migrate(**database, migrations(), kSchemaVersion); !done)
            return fail(std::move(done.error()));
    }
    // A crash of Dynobench loses nothing with NORMAL, a crash of the machine at most the last seconds.
    if (writing)
        (*database)->exec("PRAGMA synchronous = NORMAL");
    if (auto ready = (*database)->result(); !ready)
        return fail(std::move(ready.error()));
    return database;
}

} // namespace dyno
