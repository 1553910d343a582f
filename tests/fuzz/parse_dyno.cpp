// SPDX-License-Identifier: GPL-3.0-or-later
// A `.dyno` file of another person: a whole one in which the input changes something. It is read or refused; nothing
// that is in it makes a library into which it is merged unreadable. The first byte chooses what the rest changes: even:
// bytes of the file, as records of a place (3 bytes), a length (1 byte) and as many bytes; odd: values, as records of a
// column (1 byte), a row (1 byte), the value's length (2 bytes) and the value.
#include "engine/store_sample.h"
#include "fuzz/parsers.h"
#include "store/session/session_writer.h"
#include <dyno/library.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <sqlite3.h>

namespace dyno::fuzz {

namespace fs = std::filesystem;

namespace {

template<class T>
T must(Expected<T> value)
{
    if (!value)
        throw std::runtime_error(value.error().text());
    return std::move(*value);
}

void removeLibrary(const fs::path& file)
{
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm", "-journal"})
        fs::remove(fs::path(file) += end, ignored);
}

//! A small session as it is exported: three runs of a few intervals, with counters, an annotation and a view.
std::string goodFile()
{
    sample::Options options;
    options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = [4]");
    options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
    options.intervals = 4;
    options.counters = true;
    const InputFile place("", ".good");
    const fs::path library = fs::path(place.path()) += ".dynolib";
    const fs::path file = fs::path(place.path()) += ".dyno";
    {
        auto writer = must(SessionWriter::open(library));
        sample::feed(*writer, options);
        if (!writer->flush())
            throw std::runtime_error("the sample cannot be written");
    }
    {
        const auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        const StoredSession session = must(opened->session(options.id));
        (void)must(opened->annotate(session.runs[1].id, 500'000'000, "the backup began"));
        if (!opened->setNamedViews(options.id, {{"by users", "{\"measure\":\"tps\"}"}}) ||
            !opened->exportSession(options.id, file))
            throw std::runtime_error("the sample cannot be exported");
    }
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    removeLibrary(library);
    removeLibrary(file);
    return bytes;
}

//! Takes numbers and texts from the front of the input; 0 and "" at its end.
class Take
{
public:
    explicit Take(std::string_view rest)
        : m_rest(rest)
    {
    }
    [[nodiscard]] bool more() const { return !m_rest.empty(); }
    std::size_t number(int bytes)
    {
        std::size_t value = 0;
        for (; bytes > 0; --bytes) {
            value = value << 8 | (m_rest.empty() ? 0u : static_cast<unsigned char>(m_rest.front()));
            m_rest.remove_prefix(m_rest.empty() ? 0 : 1);
        }
        return value;
    }
    std::string_view text(std::size_t most)
    {
        const std::string_view taken = m_rest.substr(0, most);
        m_rest.remove_prefix(taken.size());
        return taken;
    }

private:
    std::string_view m_rest;
};

std::string withBytes(std::string bytes, Take take)
{
    while (take.more()) {
        const std::size_t at = take.number(3) % bytes.size();
        const std::string_view put = take.text(take.number(1));
        bytes.replace(at, std::min(put.size(), bytes.size() - at), put.substr(0, bytes.size() - at));
    }
    return bytes;
}

//! All columns of tables, with the type each has: "UPDATE t SET c = CAST(? AS TYPE) WHERE … row".
std::vector<std::string> updatesOf(sqlite3* handle)
{
    std::vector<std::string> all;
    sqlite3_stmt* select = nullptr;
    sqlite3_prepare_v2(handle,
                       "SELECT t.name, c.name, c.type, t.wr FROM pragma_table_list t, pragma_table_info(t.name) c"
                       " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
                       -1, &select, nullptr);
    while (sqlite3_step(select) == SQLITE_ROW) {
        const auto text = [select](int column) {
            return std::string(reinterpret_cast<const char*>(sqlite3_column_text(select, column)));
        };
        const std::string table = text(0);
        std::string update = "UPDATE " + table + " SET " + text(1) + " = CAST(?1 AS " + text(2) + ")";
        if (sqlite3_column_int(select, 3) == 0)
            update += " WHERE rowid = (SELECT rowid FROM " + table +
                      " LIMIT 1 OFFSET ?2 % max(1, (SELECT count(*) FROM " + table + ")))";
        all.push_back(std::move(update));
    }
    sqlite3_finalize(select);
    return all;
}

void changeValues(const fs::path& file, Take take)
{
    sqlite3* handle = nullptr;
    if (sqlite3_open(file.c_str(), &handle) != SQLITE_OK)
        throw std::runtime_error("the sample cannot be opened");
    sqlite3_exec(handle, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF", nullptr,
                 nullptr, nullptr);
    static const std::vector<std::string> updates = updatesOf(handle);
    while (take.more()) {
        const std::string& sql = updates.at(take.number(1) % updates.size());
        const std::size_t row = take.number(1);
        const std::string_view value = take.text(take.number(2));
        sqlite3_stmt* update = nullptr;
        if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &update, nullptr) == SQLITE_OK) {
            sqlite3_bind_blob64(update, 1, value.data(), value.size(), SQLITE_TRANSIENT);
            if (sqlite3_bind_parameter_count(update) > 1)
                sqlite3_bind_int64(update, 2, static_cast<sqlite3_int64>(row));
            (void)sqlite3_step(update); // what a constraint forbids does not get there
        }
        sqlite3_finalize(update);
    }
    sqlite3_close(handle);
}

//! Everything that a program does with a file it was given. False when something of it cannot be read.
bool readAll(Library& library)
{
    const auto list = library.sessions(Library::Listing::All);
    if (!list)
        return false;
    bool good = true;
    for (const SessionInfo& one : *list) {
        const auto session = library.session(one.id);
        if (!session) {
            good = false;
            continue;
        }
        good = library.annotations(one.id) && library.namedViews(one.id) && library.artefacts(one.id) && good;
        for (const StoredRun& run : session->runs) {
            good = library.intervals(run.id) && library.events(run.id) && good;
            good = library.columns(run.id, {true, true}) && good;
        }
    }
    good = library.search("a synchronous=FULL tag:x") && good;
    return library.check() && good;
}

} // namespace

void readDynoFile(std::string_view input)
{
    static const std::string good = goodFile();
    if (input.empty())
        return;
    const bool values = (static_cast<unsigned char>(input.front()) & 1) != 0;
    input.remove_prefix(1);
    const InputFile file(values ? good : withBytes(good, Take(input)), ".dyno");
    if (values)
        changeValues(file.path(), Take(input));
    const auto opened = Library::open(file.path(), Library::Mode::ReadOnly);
    if (!opened)
        return require(!opened.error().message.empty() && !opened.error().remedy.empty(),
                       "a refusal says why, and what to do");
    (void)readAll(**opened);
    const fs::path own = fs::path(file.path()) += ".dynolib";
    removeLibrary(own);
    {
        const auto library = must(Library::open(own, Library::Mode::ReadWrite));
        const auto merged = library->importFile(file.path());
        require(merged || !merged.error().message.empty(), "a refusal says why");
        const bool whole = bool(library->sessions(Library::Listing::All));
        (void)readAll(*library);
        removeLibrary(own);
        require(whole, "a library lists its sessions after any merge");
    }
    removeLibrary(own);
}

} // namespace dyno::fuzz
