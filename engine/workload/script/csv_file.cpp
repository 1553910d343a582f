// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/csv_file.h"

#include "base/sha256.h"
#include "workload/script/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno::script {

namespace {

// A part, read at once, has no more records, and begins no record behind this number of bytes.
constexpr std::int64_t kRecordsOfPart = 64;
constexpr std::uint64_t kBytesOfPart = std::uint64_t(1) << 20;
constexpr std::size_t kReadFileBytes = std::size_t(1) << 20;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t(16) << 20;
constexpr std::size_t kMostCsvColumns = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string systemProblem(const std::string& path)
{
    return fmt::format("{} cannot be read: {}", path, std::strerror(errno));
}

//! Of a regular file alone: another one may never end, or do something by being read.
OrProblem<int> openRegular(const std::string& path, std::uint64_t& bytes)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tl::unexpected(systemProblem(path));
    struct stat status = {};
    const bool known = ::fstat(fd, &status) == 0;
    if (known && S_ISREG(status.st_mode)) {
        bytes = std::uint64_t(status.st_size);
        return fd;
    }
    std::string problem = known ? fmt::format("{} is not a regular file", path) : systemProblem(path);
    ::close(fd);
    return tl::unexpected(std::move(problem));
}

//! Into all of `out`; false where the file has less.
bool readAt(int fd, std::uint64_t place, std::string& out)
{
    for (std::size_t done = 0; done < out.size();) {
        const ssize_t got = ::pread(fd, out.data() + done, out.size() - done, off_t(place + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += std::size_t(got);
    }
    return true;
}

//! Where in a record a byte stands. Scanner and cursor go by the same rules.
enum class CsvState : std::uint8_t { FieldStart, Plain, Quoted, AfterQuote, AfterReturn };

//! Finds where records begin, in a file that comes in pieces.
class CsvScanner
{
public:
    explicit CsvScanner(const CsvForm& form)
        : m_delimiter(form.delimiter)
    {
    }
    //! False: there is a problem.
    bool add(std::string_view piece)
    {
        for (const char c : piece) {
            ++m_at;
            if (!step(c))
                return false;
        }
        return true;
    }
    bool finish()
    {
        if (m_state == CsvState::Quoted)
            return refuse(m_quoteLine, "a quote is not closed");
        const bool begun = m_at > m_begin;
        if (begun && !endRecord())
            return false;
        m_records -= m_trailing;
        while (!m_spans.empty() && m_spans.back().first >= m_records)
            m_spans.pop_back();
        return true;
    }
    //! Some records, from the first byte to behind the last one.
    struct Span
    {
        std::uint64_t begin, end;
        std::int64_t first;
    };
    [[nodiscard]] const std::vector<Span>& spans() const { return m_spans; }
    [[nodiscard]] std::int64_t records() const { return m_records; }
    [[nodiscard]] std::size_t columns() const { return m_columns; }
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    bool header = false; //!< the next record is one
    std::uint64_t headerBegin = 0, headerEnd = 0;

private:
    bool refuse(std::int64_t line, std::string what)
    {
        m_problem = fmt::format("line {}: {}", line, what);
        return false;
    }
    bool step(char c)
    {
        if (m_at - m_begin > kMostRecordBytes)
            return refuse(m_recordLine, fmt::format("the record is longer than {} MiB", kMostRecordBytes >> 20));
        if (c == '\n')
            ++m_line;
        if (m_state == CsvState::Quoted) {
            m_state = c == '"' ? CsvState::AfterQuote : CsvState::Quoted;
            return true;
        }
        if (c == '\n')
            return endRecord();
        if (m_state == CsvState::AfterReturn)
            return refuse(m_line, "a carriage return behind a closing quote, and no line break");
        if (c == m_delimiter) {
            ++m_fields;
            m_state = CsvState::FieldStart;
            return m_fields <= kMostCsvColumns || refuse(m_recordLine, "too many fields");
        }
        if (m_state == CsvState::AfterQuote) {
            const bool goesOn = c == '"';
            if (!goesOn && c != '\r')
                return refuse(m_line, "text behind a closing quote: a quote inside quotes is doubled");
            m_state = goesOn ? CsvState::Quoted : CsvState::AfterReturn;
            return true;
        }
        if (m_state == CsvState::FieldStart && c == '"') {
            m_state = CsvState::Quoted;
            m_quoteLine = m_line;
            return true;
        }
        m_blank = m_blank && c == '\r';
        m_state = CsvState::Plain;
        return true;
    }
    bool endRecord()
    {
        const bool nothing =
            m_blank && m_fields == 1 && m_state != CsvState::AfterQuote && m_state != CsvState::AfterReturn;
        if (!nothing || m_columns == 1) {
            if (m_columns == 0)
                m_columns = m_fields;
            if (m_fields != m_columns)
                return refuse(m_recordLine, fmt::format("the record has {} field{}, and the first one has {}", m_fields,
                                                        m_fields == 1 ? "" : "s", m_columns));
            if (header) {
                header = false;
                headerBegin = m_begin;
                headerEnd = m_at;
            } else {
                if (m_spans.empty() || m_records - m_spans.back().first >= kRecordsOfPart ||
                    m_begin - m_spans.back().begin >= kBytesOfPart)
                    m_spans.push_back({m_begin, m_at, m_records});
                m_spans.back().end = m_at;
                ++m_records;
                m_trailing = nothing ? m_trailing + 1 : 0;
            }
        }
        m_begin = m_at;
        m_recordLine = m_line;
        m_fields = 1;
        m_blank = true;
        m_state = CsvState::FieldStart;
        return true;
    }

    char m_delimiter;
    CsvState m_state = CsvState::FieldStart;
    std::uint64_t m_at = 0, m_begin = 0; //!< behind the last byte; of the record
    std::int64_t m_line = 1, m_recordLine = 1, m_quoteLine = 1;
    std::size_t m_fields = 1, m_columns = 0;
    bool m_blank = true; //!< nothing but a carriage return so far
    std::int64_t m_records = 0;
    std::int64_t m_trailing = 0; //!< of them, lines of one column without anything since the last one with something
    std::vector<Span> m_spans;
    std::string m_problem;
};

//! Takes the record that begins at `at` into `fields`, and puts `at` behind it. The text has been scanned; where it has
//! changed since, the number of fields is wrong.
std::size_t takeRecord(std::string_view text, std::size_t& at, const CsvForm& form, std::vector<CsvField>& fields)
{
    std::size_t count = 0;
    for (bool more = true; more;) {
        if (count == fields.size())
            fields.emplace_back();
        CsvField& field = fields[count++];
        field.text.clear();
        const bool quoted = at < text.size() && text[at] == '"';
        if (quoted) {
            ++at;
            while (at < text.size()) {
                const std::size_t quote = std::min(text.find('"', at), text.size());
                field.text += text.substr(at, quote - at);
                at = std::min(quote + 1, text.size());
                if (at >= text.size() || text[at] != '"')
                    break;
                field.text += '"';
                ++at;
            }
        }
        std::size_t end = at;
        while (end < text.size() && text[end] != form.delimiter && text[end] != '\n')
            ++end;
        more = end < text.size() && text[end] == form.delimiter;
        std::string_view rest = text.substr(at, end - at);
        if (!more && rest.ends_with('\r'))
            rest.remove_suffix(1);
        field.text += rest;
        field.null = !quoted && field.text == form.null;
        at = std::min(end + 1, text.size());
    }
    return count;
}

//! A line with nothing but carriage returns is none, as CsvScanner has it.
bool isBlankRecord(std::size_t count, const std::vector<CsvField>& fields, std::size_t columns)
{
    return count == 1 && columns != 1 && fields.front().text.find_first_not_of('\r') == std::string::npos;
}

} // namespace

OrProblem<std::shared_ptr<const CsvFile>> CsvFile::open(const std::string& path, const CsvForm& form,
                                                        const std::function<bool()>& goOn)
{
    std::uint64_t bytes = 0;
    const auto fd = openRegular(path, bytes);
    if (!fd)
        return tl::unexpected(fd.error());
    return read(*fd, bytes, path, form, goOn);
}

OrProblem<std::shared_ptr<const CsvFile>> CsvFile::of(std::string_view content, const std::string& name,
                                                      const CsvForm& form, const std::function<bool()>& goOn)
{
    const int fd = ::memfd_create("csv", MFD_CLOEXEC);
    std::size_t done = 0;
    while (fd >= 0 && done < content.size()) {
        const ssize_t written = ::write(fd, content.data() + done, content.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += std::size_t(written);
    }
    if (fd >= 0 && done == content.size())
        return read(fd, content.size(), name, form, goOn);
    std::string problem = systemProblem(name);
    if (fd >= 0)
        ::close(fd);
    return tl::unexpected(std::move(problem));
}

OrProblem<std::shared_ptr<const CsvFile>> CsvFile::read(int fd, std::uint64_t bytes, const std::string& path,
                                                        const CsvForm& form, const std::function<bool()>& goOn)
{
    const std::shared_ptr<CsvFile> file(new CsvFile);
    file->m_fd = fd;
    file->m_facts = factsOf(fd);
    file->m_form = form;
    CsvScanner scanner(form);
    scanner.header = form.header;
    Sha256 hash;
    std::string block;
    std::uint64_t first = 0; // behind a byte order mark
    for (std::uint64_t done = 0; done < bytes;) {
        if (goOn && !goOn())
            return tl::unexpected(std::string());
        block.resize(std::size_t(std::min<std::uint64_t>(kReadFileBytes, bytes - done)));
        if (!readAt(fd, done, block))
            return tl::unexpected(fmt::format("{} became shorter while it was read", path));
        hash.add(block);
        first = done == 0 && block.starts_with(kByteOrderMark) ? kByteOrderMark.size() : first;
        if (!scanner.add(std::string_view(block).substr(done == 0 ? std::size_t(first) : 0)))
            return tl::unexpected(fmt::format("{}, {}", path, scanner.problem()));
        done += block.size();
    }
    if (!scanner.finish())
        return tl::unexpected(fmt::format("{}, {}", path, scanner.problem()));
    if (factsOf(fd) != file->m_facts)
        return tl::unexpected(fmt::format("{} changed while it was read", path));
    if (scanner.records() == 0)
        return tl::unexpected(fmt::format("{} has no records", path));
    file->m_records = scanner.records();
    file->m_columns = scanner.columns();
    for (const auto& span : scanner.spans())
        file->m_parts.push_back({first + span.begin, first + span.end, span.first});
    file->m_sha256 = hash.digits();
    if (form.header) {
        block.resize(std::size_t(scanner.headerEnd - scanner.headerBegin));
        if (!readAt(fd, first + scanner.headerBegin, block))
            return tl::unexpected(fmt::format("{} became shorter while it was read", path));
        std::vector<CsvField> fields;
        std::size_t at = 0;
        fields.resize(takeRecord(block, at, form, fields));
        for (CsvField& field : fields)
            file->m_header.push_back(std::move(field.text));
    }
    return file;
}

CsvFile::~CsvFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

CsvFile::Facts CsvFile::factsOf(int fd)
{
    struct stat status = {};
    if (::fstat(fd, &status) != 0)
        return {};
    return {std::uint64_t(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

bool CsvCursor::readPart(std::size_t part)
{
    const CsvFile::Part& read = m_file.m_parts[part];
    m_at = 0;
    m_record = read.first;
    m_end = part + 1 < m_file.m_parts.size() ? m_file.m_parts[part + 1].first : m_file.m_records;
    m_text.resize(std::size_t(read.end - read.begin));
    return readAt(m_file.m_fd, read.begin, m_text) && CsvFile::factsOf(m_file.m_fd) == m_file.m_facts;
}

const std::vector<CsvField>* CsvCursor::read(std::int64_t record)
{
    if (record < m_record || record >= m_end) {
        const auto next = std::ranges::upper_bound(m_file.m_parts, record, {}, &CsvFile::Part::first);
        if (!readPart(std::size_t(next - m_file.m_parts.begin()) - 1)) {
            m_end = 0;
            return nullptr;
        }
    }
    for (;;) {
        if (m_at >= m_text.size())
            break;
        const std::size_t count = takeRecord(m_text, m_at, m_file.m_form, m_fields);
        if (isBlankRecord(count, m_fields, m_file.m_columns))
            continue;
        if (count != m_file.m_columns)
            break;
        if (m_record++ == record) {
            m_fields.resize(count);
            return &m_fields;
        }
    }
    m_end = 0;
    return nullptr;
}

OrProblem<std::string> regularFile(const std::string& path, std::uint64_t most)
{
    std::uint64_t bytes = 0;
    const auto fd = openRegular(path, bytes);
    if (!fd)
        return tl::unexpected(fd.error());
    const bool fits = bytes <= most;
    std::string content(fits ? std::size_t(bytes) : 0, '\0');
    const bool whole = fits && readAt(*fd, 0, content);
    ::close(*fd);
    if (!fits)
        return tl::unexpected(fmt::format("{} is longer than {} MiB", path, most >> 20));
    if (!whole)
        return tl::unexpected(fmt::format("{} became shorter while it was read", path));
    return content;
}

OrProblem<std::shared_ptr<const WordList>> WordList::open(const std::string& path)
{
    auto content = regularFile(path, kMostBytes);
    if (!content)
        return tl::unexpected(content.error());
    return of(std::move(*content), path);
}

OrProblem<std::shared_ptr<const WordList>> WordList::of(std::string content, const std::string& name)
{
    const auto list = std::make_shared<WordList>();
    list->m_text = std::move(content);
    list->m_sha256 = sha256Of(list->m_text);
    std::string& text = list->m_text;
    list->m_ends.reserve(std::size_t(std::ranges::count(text, '\n')) + 1);
    std::size_t kept = 0;
    for (std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::size_t length = end - begin;
        if (length > 0 && text[end - 1] == '\r')
            --length;
        std::copy_n(text.begin() + std::ptrdiff_t(begin), length, text.begin() + std::ptrdiff_t(kept));
        kept += length;
        if (length > 0)
            list->m_ends.push_back(std::uint32_t(kept));
        begin = end + 1;
    }
    text.resize(kept);
    if (list->m_ends.empty())
        return tl::unexpected(fmt::format("{} has no words", name));
    return std::shared_ptr<const WordList>(list);
}

} // namespace dyno::script
