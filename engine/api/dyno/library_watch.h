// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Follows long work with libraries, and ends it.
#pragma once

#include <functional>

namespace dyno {

//! While it lives, Library::check(), vacuum(), backUp(), importFile() and moveLibrary() on the thread that made it tell
//! how far they are and can be ended. One at a time for a thread.
class LibraryWatch
{
public:
    //! `going` is called some times a second, on this thread, with the share that is done (0…1, rising); what is not
    //! known beforehand is estimated from the pages read. Returning false ends the work with ErrorKind::Interrupted:
    //! nothing is changed then, but sessions that importFile() had taken over stay.
    explicit LibraryWatch(std::function<bool(double share)> going);
    ~LibraryWatch();
    LibraryWatch(const LibraryWatch&) = delete;
    LibraryWatch& operator=(const LibraryWatch&) = delete;

private:
    friend class ProgressShare;
    std::function<bool(double share)> m_going;
    bool m_ended = false;
};

} // namespace dyno
