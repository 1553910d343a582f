// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/private_lines.h"

#include "base/private_files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace {

//! Opens the file when it is this user's alone; -1 otherwise. `flags` beside those that are always meant.
int openPrivate(const std::filesystem::path& file, int flags)
{
    const int opened = ::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (opened < 0)
        return -1;
    struct stat facts
    {
    };
    if (::fstat(opened, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() &&
        (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return opened;
    ::close(opened);
    return -1;
}

} // namespace

std::set<std::string, std::less<>> privateLines(const std::filesystem::path& file)
{
    std::set<std::string, std::less<>> lines;
    const int opened = openPrivate(file, O_RDONLY | O_NONBLOCK);
    if (opened < 0)
        return lines;
    std::string text;
    char buffer[65536];
    ssize_t got = 0;
    while ((got = ::read(opened, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        text.append(buffer, std::size_t(got > 0 ? got : 0));
    ::close(opened);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
        if (end > begin)
            lines.insert(text.substr(begin, end - begin));
    }
    return lines;
}

void addPrivateLines(const std::filesystem::path& file, const std::vector<std::string>& lines, std::size_t mostBytes)
{
    if (lines.empty() || makePrivateFolder(file.parent_path()))
        return;
    const int opened = openPrivate(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK);
    if (opened < 0)
        return;
    struct stat facts
    {
    };
    if (::fstat(opened, &facts) == 0 && std::size_t(facts.st_size) > mostBytes && ::ftruncate(opened, 0) != 0) {
        ::close(opened);
        return;
    }
    // In one piece: other processes write there too. Half a line, of a full disk, is nobody's; a new line ends it.
    std::string text;
    for (const std::string& line : lines)
        text += '\n' + line + '\n';
    const ssize_t written = ::write(opened, text.data(), text.size());
    static_cast<void>(written);
    ::close(opened);
}

} // namespace dyno
