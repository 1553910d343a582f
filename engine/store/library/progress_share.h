// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Lets statements of one connection be followed by the thread's LibraryWatch.
#pragma once

#include "store/library/database.h"

#include <chrono>

namespace dyno {

//! Work between two shares of the whole; without a watch it does nothing. The share within is estimated: pages read of
//! those that the file has, `passes` times over.
class ProgressShare
{
public:
    ProgressShare(Database& database, double from, double to, int passes = 1);
    ~ProgressShare();
    ProgressShare(const ProgressShare&) = delete;
    ProgressShare& operator=(const ProgressShare&) = delete;

    //! The watch of this thread said that it is enough.
    [[nodiscard]] static bool ended();
    //! What to answer then.
    [[nodiscard]] static Error cancelled(const std::filesystem::path& file);

private:
    bool tell(); //!< false: enough
    [[nodiscard]] double pagesRead() const;

    Database& m_database;
    double m_from, m_to;
    double m_pages = 0, m_before = 0;
    std::chrono::steady_clock::time_point m_told;
};

} // namespace dyno
