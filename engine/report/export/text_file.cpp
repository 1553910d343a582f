// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>

#include "report/export/file_set.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace {

//! 0, or the errno of what failed.
int writeAll(const std::filesystem::path& file, std::string_view text, int flags)
{
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0)
        return errno;
    int problem = 0;
    while (!text.empty() && problem == 0) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written >= 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            problem = errno;
    }
    if (::close(descriptor) != 0 && problem == 0)
        problem = errno;
    return problem;
}

//! Makes the draft. Whoever may write in that folder too may have put a link under its name: that goes, and is not
//! followed.
int writeDraft(const std::filesystem::path& draft, std::string_view text)
{
    ::unlink(draft.c_str());
    return writeAll(draft, text, O_CREAT | O_EXCL | O_NOFOLLOW);
}

std::filesystem::path draftOf(const std::filesystem::path& file)
{
    return std::filesystem::path(file) += fmt::format(".part-{}", ::getpid());
}

Expected<void> outcome(int problem, const std::filesystem::path& file)
{
    if (problem == 0)
        return {};
    return fail({ErrorKind::Storage, fmt::format("the file cannot be written ({})", std::strerror(problem)),
                 file.string(), "choose another folder, or make room on the disk"});
}

} // namespace

FileSet::~FileSet()
{
    for (const auto& [draft, file] : m_drafts)
        ::unlink(draft.c_str());
}

Expected<void> FileSet::add(const std::filesystem::path& file, std::string_view text)
{
    m_drafts.emplace_back(draftOf(file), file);
    return outcome(writeDraft(m_drafts.back().first, text), file);
}

Expected<std::vector<std::filesystem::path>> FileSet::finish()
{
    std::vector<std::filesystem::path> files;
    for (const auto& [draft, file] : m_drafts) {
        if (::rename(draft.c_str(), file.c_str()) != 0)
            return fail(outcome(errno, file).error());
        files.push_back(file);
    }
    m_drafts.clear();
    return files;
}

Expected<void> writeTextFile(const std::filesystem::path& file, std::string_view text)
{
    struct stat facts
    {
    };
    const bool there = ::stat(file.c_str(), &facts) == 0;
    int problem = 0;
    if (there && S_ISDIR(facts.st_mode)) {
        return fail({ErrorKind::BadInput, "this is a folder", file.string(), "name a file in it"});
    }
    if (there && !S_ISREG(facts.st_mode)) {
        problem = writeAll(file, text, 0);
    } else {
        const std::filesystem::path draft = draftOf(file);
        problem = writeDraft(draft, text);
        if (problem == 0 && ::rename(draft.c_str(), file.c_str()) != 0)
            problem = errno;
        if (problem != 0)
            ::unlink(draft.c_str());
    }
    return outcome(problem, file);
}

} // namespace dyno
