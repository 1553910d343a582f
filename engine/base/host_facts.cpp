// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <dyno/runner.h>

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

namespace dyno {

namespace {

constexpr std::string_view kBlank = " \t\""; //!< round a key and a value; /etc/os-release quotes

//! The value of the first line "key<separator>value" of a file; "" when there is none.
std::string valueIn(const char* file, std::string_view key, char separator)
{
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t at = line.find(separator);
        if (at != std::string::npos && trimmed(std::string_view(line).substr(0, at), kBlank) == key)
            return std::string(trimmed(std::string_view(line).substr(at + 1), kBlank));
    }
    return {};
}

} // namespace

HostFacts hostFacts()
{
    HostFacts facts;
    utsname names{};
    if (uname(&names) == 0) {
        facts.name = names.nodename;
        facts.kernel = std::string(names.sysname) + " " + names.release;
    }
    facts.os = valueIn("/etc/os-release", "PRETTY_NAME", '=');
    if (facts.os.empty())
        facts.os = names.sysname;
    // Not every architecture has the line "model name"; what is left then is the architecture.
    facts.cpu = valueIn("/proc/cpuinfo", "model name", ':');
    if (facts.cpu.empty())
        facts.cpu = valueIn("/proc/cpuinfo", "Model", ':');
    if (facts.cpu.empty())
        facts.cpu = names.machine;
    facts.cores = int(sysconf(_SC_NPROCESSORS_ONLN));
    // "MemTotal:       16303428 kB"
    const std::string total = valueIn("/proc/meminfo", "MemTotal", ':');
    std::uint64_t kibibytes = 0;
    std::from_chars(total.data(), total.data() + total.size(), kibibytes);
    facts.memoryBytes = kibibytes * 1024;
    return facts;
}

} // namespace dyno
