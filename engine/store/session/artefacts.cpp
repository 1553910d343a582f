// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/artefacts.h"

#include "store/session/seals.h"

#include <algorithm>
#include <fmt/format.h>
#include <zlib.h>

namespace dyno {

namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, with gzip's header
constexpr std::size_t kPiece = 1 << 18;

//! zlib's interface is not const-correct; it does not write to its input.
Bytef* input(std::string_view bytes)
{
    return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

enum class Unpacked { Whole, Ended, Damaged };

Unpacked unpack(std::string_view bytes, const std::function<bool(std::string_view)>& take)
{
    z_stream stream{};
    if (inflateInit2(&stream, kGzipWindow) != Z_OK)
        return Unpacked::Damaged;
    stream.next_in = input(bytes);
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string plain(kPiece, '\0');
    Unpacked result = Unpacked::Damaged;
    for (;;) {
        stream.next_out = reinterpret_cast<Bytef*>(plain.data());
        stream.avail_out = static_cast<uInt>(plain.size());
        const int state = inflate(&stream, Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END)
            break;
        const std::size_t got = plain.size() - stream.avail_out;
        if (got > 0 && !take(std::string_view(plain.data(), got))) {
            result = Unpacked::Ended;
            break;
        }
        if (state == Z_STREAM_END) {
            result = Unpacked::Whole;
            break;
        }
    }
    inflateEnd(&stream);
    return result;
}

} // namespace

std::string packed(std::string_view plain)
{
    z_stream stream{};
    if (deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string out(deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
    stream.next_in = input(plain);
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(done ? out.size() - stream.avail_out : 0);
    deflateEnd(&stream);
    return out;
}

std::optional<std::string> unpacked(std::string_view gzip, std::size_t most)
{
    std::string plain;
    const Unpacked end = unpack(gzip, [&plain, most](std::string_view piece) {
        plain += piece;
        return plain.size() <= most;
    });
    return end == Unpacked::Whole ? std::optional(std::move(plain)) : std::nullopt;
}

void writeArtefact(Database& database, std::int64_t session, std::string_view name, std::string_view mediaType,
                   std::string_view content)
{
    Statement insert(database, "INSERT INTO artefact(session, idx, name, media_type, content) SELECT ?1,"
                               " coalesce(max(idx), -1) + 1, ?2, ?3, ?4 FROM artefact WHERE session = ?1");
    insert << session << name << mediaType;
    insert.blob(content);
    insert.run();
    std::int64_t index = 0;
    {
        Statement last(database, "SELECT max(idx) FROM artefact WHERE session = ?");
        last << session;
        index = last.row() ? last.integer(0) : 0;
    }
    Seals(database, session).set(SealPart::File, index);
}

std::vector<ArtefactInfo> readArtefacts(Database& database, std::int64_t session)
{
    std::vector<ArtefactInfo> infos;
    Statement select(database, "SELECT name, min(media_type), sum(length(content)) FROM artefact WHERE session = ?"
                               " GROUP BY name ORDER BY min(idx)");
    select << session;
    while (select.row())
        infos.push_back({select.text(0), select.text(1), select.count(2)});
    return infos;
}

Expected<void> readArtefact(Database& database, std::int64_t session, std::string_view name,
                            const std::function<bool(std::string_view)>& take)
{
    Statement select(database,
                     "SELECT media_type, content, idx FROM artefact WHERE session = ? AND name = ? ORDER BY idx");
    select << session << name;
    bool any = false;
    Seals seals(database, session);
    const auto damaged = [&] {
        return fail(damageError(fmt::format("the kept file {} is damaged", name), database.file()));
    };
    while (select.row()) {
        if (!seals.holds(SealPart::File, select.integer(2)))
            return damaged();
        any = true;
        const std::string_view content = select.bytes(1);
        if (select.bytes(0) != kGzip) {
            if (!take(content))
                return {};
            continue;
        }
        switch (unpack(content, take)) {
        case Unpacked::Ended:
            return {};
        case Unpacked::Damaged:
            return damaged();
        case Unpacked::Whole:
            break;
        }
    }
    if (auto read = database.result(); !read)
        return read;
    if (!any)
        return fail(
            {ErrorKind::BadInput, fmt::format("the session keeps no file {}", name), database.file().string(), {}});
    return {};
}

} // namespace dyno
