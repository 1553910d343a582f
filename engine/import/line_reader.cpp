// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/line_reader.h"

#include "import/utf16.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <zlib.h>

namespace dyno::import {

namespace {

constexpr std::size_t kPiece = 1 << 20;

Error unreadable(const std::filesystem::path& file, std::string_view why)
{
    return {ErrorKind::BadInput, fmt::format("the file cannot be read ({})", why), file.string(),
            "check the path and its permissions"};
}

struct CloseGz
{
    void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGz>;

//! Opens for reading; what is not compressed is read as it is.
Expected<GzHandle> openGz(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return fail({ErrorKind::BadInput, "this is a folder", file.string(), "name the files in it"});
    errno = 0;
    GzHandle handle(gzopen(file.c_str(), "rb"));
    if (!handle) {
        if (errno == ENOENT)
            return fail({ErrorKind::BadInput, "there is no such file", file.string(), "check the path"});
        return fail(unreadable(file, errno ? std::strerror(errno) : "out of memory"));
    }
    gzbuffer(handle.get(), 1 << 17);
    return handle;
}

} // namespace

struct LineReader::Input
{
    std::filesystem::path file;
    GzHandle gz;
    std::string_view text; //!< instead of a file
    bool begun = false;
    std::optional<Utf16Decoder> decoder; //!< of a file in UTF-16, once its first bytes were read
    std::string decoded;
};

LineReader::LineReader(std::unique_ptr<Input> input)
    : m_input(std::move(input))
{
}

LineReader::~LineReader() = default;

Expected<std::unique_ptr<LineReader>> LineReader::open(const std::filesystem::path& file)
{
    auto handle = openGz(file);
    if (!handle)
        return fail(std::move(handle.error()));
    auto input = std::make_unique<Input>();
    input->file = file;
    input->gz = std::move(*handle);
    return std::unique_ptr<LineReader>(new LineReader(std::move(input)));
}

std::unique_ptr<LineReader> LineReader::over(std::string_view text)
{
    auto input = std::make_unique<Input>();
    input->text = text;
    return std::unique_ptr<LineReader>(new LineReader(std::move(input)));
}

std::uint64_t LineReader::bytesRead() const
{
    return m_input->gz ? static_cast<std::uint64_t>(std::max<z_off_t>(0, gzoffset(m_input->gz.get()))) : m_end;
}

//! Gets more; false when there is no more.
bool LineReader::fill()
{
    if (m_ended)
        return false;
    const std::size_t kept = m_end - m_from;
    if (m_from > 0)
        std::memmove(m_buffer.data(), m_buffer.data() + m_from, kept);
    m_from = 0;
    m_end = kept;
    if (m_buffer.size() < kept + kPiece)
        m_buffer.resize(kept + kPiece);
    std::size_t got = 0;
    if (!m_input->gz) {
        got = std::min(kPiece, m_input->text.size());
        std::copy_n(m_input->text.data(), got, m_buffer.data() + kept);
        m_input->text.remove_prefix(got);
    } else if (const int read = gzread(m_input->gz.get(), m_buffer.data() + kept, kPiece); read >= 0) {
        got = static_cast<std::size_t>(read);
    } else {
        int code = 0;
        const char* why = gzerror(m_input->gz.get(), &code);
        m_error = unreadable(m_input->file, code == Z_ERRNO ? std::strerror(errno) : why);
        m_error->remedy =
            code == Z_ERRNO ? "check the disk" : "the compressed file is cut off or damaged: get it again";
    }
    m_ended = got == 0;
    if (!m_input->begun)
        m_input->decoder = Utf16Decoder::of(std::string_view(m_buffer.data() + kept, got));
    m_input->begun = true;
    if (m_input->decoder) {
        m_input->decoded.clear();
        m_input->decoder->decode(std::string_view(m_buffer.data() + kept, got), m_input->decoded);
        if (m_ended)
            m_input->decoder->finish(m_input->decoded);
        got = m_input->decoded.size();
        if (m_buffer.size() < kept + got)
            m_buffer.resize(kept + got);
        std::copy_n(m_input->decoded.data(), got, m_buffer.data() + kept);
    }
    m_end += got;
    return !m_ended || got != 0;
}

bool LineReader::next(std::string_view& line)
{
    std::size_t seen = 0; // bytes after m_from without a line end
    for (;;) {
        const char* begin = m_buffer.data() + m_from;
        const auto* end = static_cast<const char*>(std::memchr(begin + seen, '\n', m_end - m_from - seen));
        if (end) {
            line = std::string_view(begin, static_cast<std::size_t>(end - begin));
            m_from += line.size() + 1;
            m_whole = true;
            break;
        }
        seen = m_end - m_from;
        if (seen >= kLongestLine) {
            line = std::string_view(begin, kLongestLine);
            m_from += kLongestLine; // the rest comes as a line of its own, which nobody understands
            m_whole = false;
            break;
        }
        if (!fill()) {
            if (m_from == m_end)
                return false;
            line = std::string_view(m_buffer.data() + m_from, m_end - m_from);
            m_from = m_end;
            m_whole = false;
            break;
        }
    }
    if (++m_number == 1 && line.starts_with("\xef\xbb\xbf"))
        line.remove_prefix(3);
    while (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    // A progress line that overwrites itself: what is on screen at the end counts.
    if (const std::size_t back = line.rfind('\r'); back != std::string_view::npos)
        line.remove_prefix(back + 1);
    return true;
}

Expected<std::string> readHead(const std::filesystem::path& file, std::size_t most, bool* whole)
{
    auto handle = openGz(file);
    if (!handle)
        return fail(std::move(handle.error()));
    std::string text(most, '\0');
    const int read = gzread(handle->get(), text.data(), static_cast<unsigned>(most));
    if (read < 0) {
        Error error = unreadable(file, "its compressed data is damaged");
        error.remedy = "get the file again";
        return fail(std::move(error));
    }
    text.resize(static_cast<std::size_t>(read));
    if (whole)
        *whole = text.size() < most;
    return asUtf8(std::move(text));
}

Expected<std::string> readWhole(const std::filesystem::path& file, std::size_t most)
{
    auto handle = openGz(file);
    if (!handle)
        return fail(std::move(handle.error()));
    std::string text;
    for (;;) {
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        const int read = gzread(handle->get(), text.data() + before, kPiece);
        if (read < 0) {
            Error error = unreadable(file, "its compressed data is damaged");
            error.remedy = "get the file again";
            return fail(std::move(error));
        }
        text.resize(before + static_cast<std::size_t>(read));
        if (read == 0)
            return asUtf8(std::move(text));
        if (text.size() > most) {
            return fail({ErrorKind::BadInput,
                         fmt::format("the document is larger than {} MiB, which is the most that is read at one time",
                                     most >> 20),
                         file.string(), "import a shorter one, or the tool's line-by-line output"});
        }
    }
}

} // namespace dyno::import
