// SPDX-License-Identifier: GPL-3.0-or-later
// The main() of every test program: the first argument names the suite, the rest is Qt Test's. With DYNO_TEST_RESULTS,
// which ctest sets, what the suite says is kept in that folder too: ./test counts from there. The last line there says
// how long it took, and how much of that was work: a suite that mostly waits runs beside others at no cost.
#include "suite_list.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

//! CPU time of this process and of the children that it waited for: servers and dyno.
double cpuSeconds()
{
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& time : {used.ru_utime, used.ru_stime})
            seconds += double(time.tv_sec) + double(time.tv_usec) * 1e-6;
    }
    return seconds;
}

//! Qt Test's own thread, which watches the time, ends a moment after it was waited for. What it still holds then is
//! lost to LeakSanitizer, if the process ends as early: suites of a millisecond had such leaks.
[[maybe_unused]] void waitForThreadsToEnd()
{
    constexpr int kMostMs = 200; // threads of libraries stay
    std::error_code ignored;
    const auto alone = [&ignored] {
        const std::filesystem::directory_iterator threads("/proc/self/task", ignored);
        return std::distance(begin(threads), end(threads)) <= 1;
    };
    for (int i = 0; i < kMostMs && !alone(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

int run(const dyno::test::Suite& suite, int argc, char** argv)
{
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> more;
    std::string results;
    if (const char* folder = std::getenv("DYNO_TEST_RESULTS"); folder && argc == 1) {
        std::error_code ignored;
        std::filesystem::create_directories(folder, ignored);
        results = std::string(folder) + "/" + suite.name + ".txt";
        more = {"-o", results + ",txt", "-o", "-,txt"};
    }
    std::vector<char*> arguments(argv, argv + argc);
    for (std::string& argument : more)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const int code = suite.run(int(arguments.size()) - 1, arguments.data());
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    waitForThreadsToEnd();
#endif
#endif
    if (std::FILE* file = results.empty() ? nullptr : std::fopen(results.c_str(), "a")) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        std::fprintf(file, "Took %.1f s, %.1f s of CPU time\n", took.count(), cpuSeconds());
        std::fclose(file);
    }
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    // Nothing is shown on the desktop of the person who runs the tests; who needs a bus makes one.
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    for (const dyno::test::Suite& suite : dyno::test::kSuites) {
        if (argc > 1 && std::strcmp(argv[1], suite.name) == 0)
            return run(suite, argc - 1, argv + 1);
    }
    std::fprintf(stderr, "usage: %s SUITE [arguments of Qt Test]; the suites are:\n", argv[0]);
    for (const dyno::test::Suite& suite : dyno::test::kSuites)
        std::fprintf(stderr, "  %s\n", suite.name);
    return 2;
}
