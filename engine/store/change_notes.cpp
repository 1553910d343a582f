// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/change_notes.h"

#include "base/private_files.h"

#include <dyno/runner.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace {

constexpr off_t kMostNoteBytes = 4 << 20; //!< some ten thousand changes: then it begins anew

std::filesystem::path notesFile()
{
    return dataFolder() / "changed-settings";
}

//! One line, whatever stands in the parts.
std::string noteOf(std::string_view target, std::string_view name, std::string_view oldValue, std::string_view newValue)
{
    std::string line;
    for (const std::string_view part : {target, name, oldValue, newValue}) {
        for (const char c : part) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte <= 0x20 || byte >= 0x7f || c == '%')
                line += fmt::format("%{:02X}", unsigned(byte));
            else
                line += c;
        }
        line += '\t';
    }
    line.back() = '\n';
    return line;
}

//! Opens the file when it is this user's alone; -1 otherwise. `flags` beside those that are always meant.
int openNotes(int flags)
{
    const int file = ::open(notesFile().c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0)
        return -1;
    struct stat facts
    {};
    if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() &&
        (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return file;
    ::close(file);
    return -1;
}

} // namespace

void noteChange(std::string_view target, std::string_view name, std::string_view oldValue, std::string_view newValue)
{
    if (makePrivateFolder(dataFolder()))
        return;
    const int file = openNotes(O_WRONLY | O_APPEND | O_CREAT);
    if (file < 0)
        return;
    struct stat facts
    {};
    if (::fstat(file, &facts) == 0 && facts.st_size > kMostNoteBytes && ::ftruncate(file, 0) != 0) {
        ::close(file);
        return;
    }
    // In one piece: other processes write there too. Half a line, of a full disk, is nobody's note; a new line ends it.
    const std::string line = '\n' + noteOf(target, name, oldValue, newValue);
    const ssize_t written = ::write(file, line.data(), line.size());
    static_cast<void>(written);
    ::close(file);
}

ChangeNotes::ChangeNotes()
{
    const int file = openNotes(O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return;
    std::string text;
    char buffer[65536];
    ssize_t got = 0;
    while ((got = ::read(file, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        text.append(buffer, std::size_t(got > 0 ? got : 0));
    ::close(file);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
        if (end > begin)
            m_lines.insert(text.substr(begin, end + 1 - begin));
    }
}

bool ChangeNotes::has(std::string_view target, std::string_view name, std::string_view oldValue,
                      std::string_view newValue) const
{
    return m_lines.contains(noteOf(target, name, oldValue, newValue));
}

} // namespace dyno
