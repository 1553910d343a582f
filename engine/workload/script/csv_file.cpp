// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/csv_file.h"

#include "base/sha256.h"
#include "workload/script/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno::script {

namespace {

constexpr std::int64_t kRecordsOfPart = 64; //!< read at once; a number of 8 bytes is kept for each part
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
    std::string problem = known ? fmt::format("{} is no file with data", path) : systemProblem(path);
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
        return !begun || endRecord();
    }
    [[nodiscard]] const std::vector<std::uint64_t>& starts() const { return m_starts; }
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
        const bool blank = m_blank && m_fields == 1 && m_state != CsvState::AfterQuote &&
                           m_state != CsvState::AfterReturn && m_columns != 1;
        if (!blank) {
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
                if (m_records % kRecordsOfPart == 0)
                    m_starts.push_back(m_begin);
                ++m_records;
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
    std::vector<std::uint64_t> m_starts;
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

bool isBlankRecord(std::size_t count, const std::vector<CsvField>& fields, std::size_t columns)
{
    return count == 1 && columns != 1 && fields.front().text.empty();
}

} // namespace

OrProblem<std::shared_ptr<const CsvFile>> CsvFile::open(const std::string& path, const CsvForm& form,
                                                        const std::function<bool()>& goOn)
{
    std::uint64_t bytes = 0;
    const auto fd = openRegular(path, bytes);
    if (!fd)
        return tl::unexpected(fd.error());
    const std::shared_ptr<CsvFile> file(new CsvFile);
    file->m_fd = *fd;
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
        if (!readAt(*fd, done, block))
            return tl::unexpected(fmt::format("{} became shorter while it was read", path));
        hash.add(block);
        first = done == 0 && block.starts_with(kByteOrderMark) ? kByteOrderMark.size() : first;
        if (!scanner.add(std::string_view(block).substr(done == 0 ? std::size_t(first) : 0)))
            return tl::unexpected(fmt::format("{}, {}", path, scanner.problem()));
        done += block.size();
    }
    if (!scanner.finish())
        return tl::unexpected(fmt::format("{}, {}", path, scanner.problem()));
    if (scanner.records() == 0)
        return tl::unexpected(fmt::format("{} has no records", path));
    file->m_records = scanner.records();
    file->m_columns = scanner.columns();
    for (const std::uint64_t start : scanner.starts())
        file->m_starts.push_back(first + start);
    file->m_starts.push_back(bytes);
    file->m_sha256 = hash.digits();
    if (form.header) {
        block.resize(std::size_t(scanner.headerEnd - scanner.headerBegin));
        if (!readAt(*fd, first + scanner.headerBegin, block))
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

bool CsvCursor::readPart(std::size_t part)
{
    const std::uint64_t begin = m_file.m_starts[part], end = m_file.m_starts[part + 1];
    m_part = part;
    m_at = 0;
    m_record = std::int64_t(part) * kRecordsOfPart;
    m_text.resize(std::size_t(end - begin));
    return readAt(m_file.m_fd, begin, m_text);
}

const std::vector<CsvField>* CsvCursor::read(std::int64_t record)
{
    const auto part = std::size_t(record / kRecordsOfPart);
    if ((part != m_part || record < m_record) && !readPart(part)) {
        m_part = std::size_t(-1);
        return nullptr;
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
    m_part = std::size_t(-1);
    return nullptr;
}

OrProblem<std::shared_ptr<const WordList>> WordList::open(const std::string& path)
{
    std::uint64_t bytes = 0;
    const auto fd = openRegular(path, bytes);
    if (!fd)
        return tl::unexpected(fd.error());
    const auto list = std::make_shared<WordList>();
    const bool fits = bytes <= kMostBytes;
    list->m_text.resize(fits ? std::size_t(bytes) : 0);
    const bool whole = fits && readAt(*fd, 0, list->m_text);
    ::close(*fd);
    if (!fits)
        return tl::unexpected(fmt::format("{} is longer than {} MiB", path, kMostBytes >> 20));
    if (!whole)
        return tl::unexpected(fmt::format("{} became shorter while it was read", path));
    list->m_sha256 = sha256Of(list->m_text);
    std::string_view rest = list->m_text;
    if (rest.starts_with(kByteOrderMark))
        rest.remove_prefix(kByteOrderMark.size());
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (word.ends_with('\r'))
            word.remove_suffix(1);
        if (!word.empty())
            list->m_words.push_back(word);
    }
    if (list->m_words.empty())
        return tl::unexpected(fmt::format("{} has no words", path));
    return std::shared_ptr<const WordList>(list);
}

} // namespace dyno::script
