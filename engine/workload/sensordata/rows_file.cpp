// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/sensordata/rows_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace dyno::sensordata {

namespace {

constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr double kLeftFree = 0.1; //!< of the folder's free space
constexpr double kGigabyte = 1e9;

//! A file without a name, for this user only; -1 with errno.
int openNameless(const std::string& folder)
{
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    std::string name = folder + "/dynobench-rows-XXXXXX"; // a file system that has no such files
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t done = ::write(fd, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes.remove_prefix(std::size_t(done));
    }
    return true;
}

//! Why the folder has no room for it, by the length of its first rows; "" where it has.
std::string lacksRoom(const std::string& folder, const RowsFile::Content& content)
{
    std::string first;
    std::int64_t rows = 0;
    while (rows < content.rows && first.size() < kWriteBytes)
        content.append(first, rows++);
    std::error_code problem;
    const auto space = std::filesystem::space(folder, problem);
    if (problem || rows == 0)
        return {};
    const double needed = double(first.size()) / double(rows) * double(content.rows);
    const auto free = double(space.available);
    if (needed <= (1 - kLeftFree) * free)
        return {};
    return fmt::format("the file of {} rows takes about {:.1f} GB, and {} has {:.1f} GB free, of which a tenth is not "
                       "used; let TMPDIR name a folder with more room, or load fewer rows",
                       content.rows, needed / kGigabyte, folder, free / kGigabyte);
}

} // namespace

RowsFile::~RowsFile()
{
    drop();
}

void RowsFile::drop()
{
    if (m_data)
        ::munmap(const_cast<char*>(m_data), m_size);
    m_data = nullptr;
    m_size = 0;
    m_ends.clear();
    m_error.clear();
}

bool RowsFile::fill(int fd, const Content& content, const std::function<bool()>& goOn)
{
    std::string lines;
    std::size_t written = 0;
    for (std::int64_t row = 0; row < content.rows; ++row) {
        content.append(lines, row);
        if ((row + 1) % content.rowsPerPiece == 0 || row + 1 == content.rows)
            m_ends.push_back(written + lines.size());
        if (lines.size() < kWriteBytes && row + 1 < content.rows)
            continue;
        if (!goOn() || !writeAll(fd, lines))
            return false;
        written += lines.size();
        lines.clear();
    }
    m_size = written;
    return true;
}

bool RowsFile::make(const Content& content, const std::function<bool()>& goOn)
{
    drop();
    std::error_code problem;
    const std::string folder = std::filesystem::temp_directory_path(problem).string();
    if (!problem && goOn())
        m_error = lacksRoom(folder, content);
    if (!m_error.empty())
        return false;
    const int fd = problem ? -1 : openNameless(folder);
    errno = fd >= 0 ? 0 : errno;
    // What is still in memory would be written to the disk while the load is measured.
    const bool filled = fd >= 0 && fill(fd, content, goOn) && ::fdatasync(fd) == 0;
    if (filled && m_size > 0) {
        void* data = ::mmap(nullptr, m_size, PROT_READ, MAP_SHARED, fd, 0);
        m_data = data == MAP_FAILED ? nullptr : static_cast<const char*>(data);
    }
    if (!m_data && (problem || errno != 0))
        m_error = fmt::format("the file of rows could not be made in {}: {}; TMPDIR names another folder", folder,
                              problem ? problem.message() : std::error_code(errno, std::generic_category()).message());
    if (fd >= 0)
        ::close(fd); // what is mapped stays
    return m_data != nullptr;
}

std::string_view RowsFile::piece(std::size_t number) const
{
    if (!m_data || number >= m_ends.size())
        return {};
    const std::size_t from = number == 0 ? 0 : m_ends[number - 1];
    return {m_data + from, m_ends[number] - from};
}

} // namespace dyno::sensordata
