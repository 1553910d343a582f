// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/progress_share.h"

#include <dyno/library_watch.h>

#include <algorithm>
#include <sqlite3.h>
#include <utility>

namespace dyno {

namespace {

constexpr int kSteps = 1000; //!< of SQLite's machine between two looks at the clock
constexpr std::chrono::milliseconds kBetween(50);

thread_local LibraryWatch* t_watch = nullptr;

} // namespace

LibraryWatch::LibraryWatch(std::function<bool(double share)> going)
    : m_going(std::move(going))
{
    t_watch = this;
}

LibraryWatch::~LibraryWatch()
{
    t_watch = nullptr;
}

ProgressShare::ProgressShare(Database& database, double from, double to, int passes)
    : m_database(database)
    , m_from(from)
    , m_to(to)
{
    if (!t_watch)
        return;
    m_pages = double(passes) * double(database.number("PRAGMA page_count"));
    m_before = pagesRead();
    tell();
    const auto step = [](void* part) { return static_cast<ProgressShare*>(part)->tell() ? 0 : 1; };
    sqlite3_progress_handler(database.m_handle, kSteps, step, this);
}

ProgressShare::~ProgressShare()
{
    if (t_watch)
        sqlite3_progress_handler(m_database.m_handle, 0, nullptr, nullptr);
}

bool ProgressShare::ended()
{
    return t_watch && t_watch->m_ended;
}

Error ProgressShare::cancelled(const std::filesystem::path& file)
{
    return storageError(SQLITE_INTERRUPT, {}, file);
}

bool ProgressShare::tell()
{
    const auto now = std::chrono::steady_clock::now();
    if (t_watch->m_ended || now - m_told < kBetween)
        return !t_watch->m_ended;
    m_told = now;
    const double within = m_pages > 0 ? std::min(1.0, (pagesRead() - m_before) / m_pages) : 0;
    t_watch->m_ended = !t_watch->m_going(m_from + (m_to - m_from) * within);
    return !t_watch->m_ended;
}

double ProgressShare::pagesRead() const
{
    int pages = 0, ignored = 0;
    sqlite3_db_status(m_database.m_handle, SQLITE_DBSTATUS_CACHE_MISS, &pages, &ignored, 0);
    return pages;
}

} // namespace dyno
