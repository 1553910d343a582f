// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/environment.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

namespace dyno {

namespace {

struct Former
{
    std::mutex mutex;
    std::map<std::string, std::optional<std::string>, std::less<>> variables;
};

Former& former()
{
    static Former& all = *new Former; // a command may still be started when the process ends
    return all;
}

} // namespace

void changeVariable(const std::string& name, const char* value)
{
    const std::lock_guard lock(former().mutex);
    const char* const now = std::getenv(name.c_str());
    if (now ? value && std::string_view(now) == value : !value)
        return;
    former().variables[name] = now ? std::optional<std::string>(now) : std::nullopt;
    if (value)
        ::setenv(name.c_str(), value, 1);
    else
        ::unsetenv(name.c_str());
}

std::map<std::string, std::optional<std::string>, std::less<>> formerVariables()
{
    const std::lock_guard lock(former().mutex);
    return former().variables;
}

} // namespace dyno
