// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/originals_packer.h"

#include "import/secrets.h"
#include "store/session/artefacts.h"

#include <fmt/format.h>
#include <zlib.h>

namespace dyno::import {

namespace {

constexpr std::size_t kPiece = 4u << 20;
constexpr std::size_t kWaiting = 4;

} // namespace

OriginalsPacker::OriginalsPacker(std::vector<std::filesystem::path> files)
    : m_files(std::move(files))
    , m_thread([this] { work(); })
{
}

OriginalsPacker::~OriginalsPacker()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

std::optional<OriginalsPacker::Piece> OriginalsPacker::next()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ended || !m_pieces.empty(); });
    if (m_pieces.empty())
        return std::nullopt;
    Piece piece = std::move(m_pieces.front());
    m_pieces.pop_front();
    m_changed.notify_all();
    return piece;
}

std::optional<Error> OriginalsPacker::error()
{
    const std::lock_guard lock(m_mutex);
    return m_error;
}

bool OriginalsPacker::put(Piece piece)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_stop || m_pieces.size() < kWaiting; });
    if (m_stop)
        return false;
    m_pieces.push_back(std::move(piece));
    m_changed.notify_all();
    return true;
}

void OriginalsPacker::work()
{
    std::string buffer(kPiece, '\0');
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        gzFile in = gzopen(m_files[i].c_str(), "rb");
        bool failed = in == nullptr;
        bool going = true;
        std::size_t kept = 0; // of the piece before: what may be the beginning of a name or a value
        while (!failed && going) {
            const int got = gzread(in, buffer.data() + kept, static_cast<unsigned>(kPiece - kept));
            failed = got < 0;
            if (got < 0)
                break;
            const std::size_t have = kept + static_cast<std::size_t>(got);
            hideSecrets(buffer.data(), have);
            // Whole lines, so that a secret is not cut in two; what has no lines overlaps a little.
            std::size_t end = have;
            if (got > 0 && have == kPiece) {
                const std::size_t line = std::string_view(buffer).substr(0, have).rfind('\n');
                constexpr std::size_t kOverlap = 1024;
                end = line != std::string_view::npos && have - line < kPiece / 2 ? line + 1 : have - kOverlap;
            } else if (got > 0) {
                kept = have;
                continue; // more fits
            }
            if (end > 0)
                going = put({i, packed(std::string_view(buffer).substr(0, end))});
            kept = have - end;
            std::copy_n(buffer.data() + end, kept, buffer.data());
            if (got == 0)
                break;
        }
        if (in)
            gzclose(in);
        const std::lock_guard lock(m_mutex);
        if (failed) {
            m_error =
                Error{ErrorKind::BadInput, "the file cannot be read any more", m_files[i].string(), "check the disk"};
            break;
        }
        if (m_stop)
            break;
    }
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_changed.notify_all();
}

} // namespace dyno::import
