// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/thread_list.h"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace dyno {

namespace {

constexpr std::size_t kOldest = 64; //!< always looked at, however many threads there are

} // namespace

std::string_view readStart(int fd, std::span<char> buffer)
{
    const ssize_t size = fd < 0 ? -1 : pread(fd, buffer.data(), buffer.size(), 0);
    return size > 0 ? std::string_view(buffer.data(), std::size_t(size)) : std::string_view();
}

std::string_view readStart(const std::string& path, std::span<char> buffer)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return {};
    const std::string_view text = readStart(fd, buffer);
    close(fd);
    return text;
}

std::uint64_t nextNumber(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    const char* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

ThreadList::ThreadList(std::string_view process, std::size_t most)
    : m_folder(fmt::format("/proc/{}/task", process))
    , m_most(std::max(most, 2 * kOldest))
{
}

void ThreadList::read()
{
    m_ids.clear();
    m_always = 0;
    m_scale = 1;
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(m_folder.c_str()), closedir);
    if (!tasks)
        return;
    while (const dirent* entry = readdir(tasks.get())) {
        const std::string_view name = entry->d_name;
        int id = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc())
            m_ids.push_back(id);
    }
    m_always = std::min(m_ids.size(), m_most);
    if (m_ids.size() <= m_most)
        return;
    // The kernel lists the oldest first. The others are drawn by their number, so that the same ones are looked at the
    // next time.
    m_always = kOldest;
    const std::size_t others = m_ids.size() - kOldest;
    const std::size_t every = (others + m_most - kOldest - 1) / (m_most - kOldest);
    const auto drawn = std::remove_if(m_ids.begin() + std::ptrdiff_t(kOldest), m_ids.end(),
                                      [every](int id) { return std::size_t(id) % every != 0; });
    m_ids.erase(drawn, m_ids.end());
    if (m_ids.size() > kOldest)
        m_scale = double(others) / double(m_ids.size() - kOldest);
}

} // namespace dyno
