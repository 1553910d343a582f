// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/host/host_knobs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDevice = "io_scheduler:";
constexpr std::array<std::string_view, 3> kNames = {"transparent_hugepage", "cpu_governor", "io_scheduler"};

//! The first line; of "always [madvise] never" the word in brackets.
std::string chosen(const fs::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']', open == std::string::npos ? 0 : open);
    if (open != std::string::npos && close != std::string::npos)
        return line.substr(open + 1, close - open - 1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\n'))
        line.pop_back();
    return line;
}

std::vector<std::string> splitAtCommas(const std::string& text)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = text.find(',', begin);
        parts.push_back(text.substr(begin, comma - begin));
        if (comma == std::string::npos)
            return parts;
        begin = comma + 1;
    }
}

Error mayNotWrite(const fs::path& file, std::string_view name, int error)
{
    return {ErrorKind::Refused,
            fmt::format("host.{} may not be changed by this process: {}", name, std::strerror(error)), file.string(),
            "run as root outside a container, set it by hand, or leave it out of the plan"};
}

Expected<void> writeTo(const fs::path& file, const std::string& text, std::string_view name)
{
    const int fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        if (::write(fd, text.data(), text.size()) != ssize_t(text.size()))
            error = errno;
        if (::close(fd) != 0 && error == 0)
            error = errno;
    }
    if (error == 0)
        return {};
    if (error == EINVAL || error == ENOENT)
        return fail({ErrorKind::BadInput, fmt::format("this machine does not take host.{}={}", name, text),
                     file.string(), "the file lists what it takes"});
    return fail(mayNotWrite(file, name, error));
}

tl::unexpected<Error> noSuchThing()
{
    return fail({ErrorKind::BadInput, "the machine has settings only", {}, {}});
}

} // namespace

std::string hostTarget()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0)
        return "host:localhost";
    return fmt::format("host:{}", name.data());
}

HostKnobs::HostKnobs(fs::path data, fs::path root)
    : m_data(std::move(data))
    , m_root(std::move(root))
{
}

fs::path HostKnobs::schedulerFile() const
{
    // The data may not be there yet: what holds its folder holds it too.
    fs::path place = m_data;
    struct stat info
    {
    };
    while (!place.empty() && ::stat(place.c_str(), &info) != 0)
        place = place == place.parent_path() ? fs::path() : place.parent_path();
    if (place.empty())
        return {};
    // Of a partition the whole device has the scheduler. File systems over several devices (btrfs, overlay) and in
    // memory have numbers that are no device's.
    std::error_code problem;
    const fs::path device =
        fs::canonical(m_root / fmt::format("sys/dev/block/{}:{}", major(info.st_dev), minor(info.st_dev)), problem);
    if (problem)
        return {};
    for (const fs::path& folder : {device, device.parent_path()}) {
        if (fs::exists(folder / "queue/scheduler", problem))
            return folder / "queue/scheduler";
    }
    return {};
}

std::string HostKnobs::fullName(std::string_view name) const
{
    const fs::path file = name == "io_scheduler" ? schedulerFile() : fs::path(); // …/sda/queue/scheduler
    return file.empty() ? std::string(name)
                        : fmt::format("{}:{}", name, file.parent_path().parent_path().filename().string());
}

std::vector<fs::path> HostKnobs::filesOf(std::string_view name) const
{
    std::vector<fs::path> files;
    std::error_code problem;
    if (name == "transparent_hugepage") {
        files.push_back(m_root / "sys/kernel/mm/transparent_hugepage/enabled");
    } else if (name == "io_scheduler") {
        files.push_back(schedulerFile());
    } else if (name.starts_with(kDevice) && name.find('/') == name.npos) {
        files.push_back(m_root / "sys/block" / name.substr(kDevice.size()) / "queue/scheduler");
    } else if (name == "cpu_governor") {
        for (int cpu = 0; cpu < 4096; ++cpu) {
            const fs::path folder = m_root / fmt::format("sys/devices/system/cpu/cpu{}", cpu);
            if (!fs::exists(folder, problem))
                break;
            files.push_back(folder / "cpufreq/scaling_governor"); // none on a processor that is switched off
        }
    }
    std::erase_if(files, [&](const fs::path& file) { return file.empty() || !fs::exists(file, problem); });
    return files;
}

Settings HostKnobs::read() const
{
    Settings found;
    for (const std::string_view name : kNames) {
        std::vector<std::string> values;
        for (const fs::path& file : filesOf(name))
            values.push_back(chosen(file));
        if (values.empty() || values.front().empty())
            continue;
        const bool alike =
            std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values.front(); });
        found.emplace(name, alike ? values.front() : fmt::format("{}", fmt::join(values, ",")));
    }
    return found;
}

Expected<void> HostKnobs::maySet(std::string_view name)
{
    if (auto known = variable(name); !known)
        return fail(std::move(known.error()));
    for (const fs::path& file : filesOf(name)) {
        if (::access(file.c_str(), W_OK) != 0)
            return fail(mayNotWrite(file, name, errno));
    }
    return {};
}

Expected<std::string> HostKnobs::variable(std::string_view name)
{
    const Settings all = read();
    if (const auto found = all.find(name); found != all.end())
        return toText(found->second);
    if (name.starts_with(kDevice)) {
        if (const auto files = filesOf(name); !files.empty())
            return chosen(files.front());
    } else if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
        return fail({ErrorKind::BadInput,
                     fmt::format("there is no host.{}", name),
                     {},
                     fmt::format("there are: {}", fmt::join(kNames, ", "))});
    return fail({ErrorKind::Refused, fmt::format("this machine does not show host.{}", name), "/sys",
                 "containers and virtual machines may not have it: leave it out of the plan"});
}

Expected<void> HostKnobs::setVariable(std::string_view name, const Value& value)
{
    if (auto known = variable(name); !known)
        return fail(std::move(known.error()));
    const std::vector<fs::path> files = filesOf(name);
    const std::vector<std::string> values = splitAtCommas(toText(value));
    // One value for all, or what read() gave: one for each.
    if (values.size() != 1 && values.size() != files.size())
        return fail({ErrorKind::BadInput, fmt::format("host.{} is not a list", name), {}, "give one value"});
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (auto written = writeTo(files[i], values.size() == 1 ? values.front() : values[i], name); !written)
            return written;
    }
    return {};
}

Expected<void> HostKnobs::execute(std::string_view)
{
    return noSuchThing();
}

Expected<TextRows> HostKnobs::query(std::string_view)
{
    return noSuchThing();
}

Expected<std::vector<ColumnShape>> HostKnobs::describe(std::string_view)
{
    return noSuchThing();
}

Expected<ServerFacts> HostKnobs::facts()
{
    return noSuchThing();
}

} // namespace dyno
