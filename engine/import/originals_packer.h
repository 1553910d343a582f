// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Packs the originals of an import while other work goes on.
#pragma once

#include <dyno/import.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace dyno::import {

//! Reads files on a thread of its own, unpacked if they are compressed, with what looks like a password hidden, and
//! packs them in pieces. Only a few pieces wait at a time.
class OriginalsPacker
{
public:
    struct Piece
    {
        std::size_t file = 0; //!< index
        std::string packed;   //!< a gzip stream of its own
    };

    explicit OriginalsPacker(std::vector<std::filesystem::path> files);
    ~OriginalsPacker(); //!< ends the thread, whatever it is at
    //! Waits for the next piece; nothing at the end.
    [[nodiscard]] std::optional<Piece> next();
    [[nodiscard]] std::optional<Error> error(); //!< after the end: why there are not all pieces

private:
    void work();
    bool put(Piece piece);

    std::vector<std::filesystem::path> m_files;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Piece> m_pieces;
    std::optional<Error> m_error;
    bool m_ended = false, m_stop = false;
    std::thread m_thread;
};

} // namespace dyno::import
