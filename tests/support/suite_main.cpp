// SPDX-License-Identifier: GPL-3.0-or-later
// The main() of every test program: the first argument names the suite, the rest is Qt Test's. With DYNO_TEST_RESULTS, which
// ctest sets, what the suite says is kept in that folder too: ./test counts from there.
#include "suite_list.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

int run(const dyno::test::Suite& suite, int argc, char** argv)
{
    std::vector<std::string> more;
    if (const char* folder = std::getenv("DYNO_TEST_RESULTS"); folder && argc == 1) {
        std::error_code ignored;
        std::filesystem::create_directories(folder, ignored);
        more = {"-o", std::string(folder) + "/" + suite.name + ".txt,txt", "-o", "-,txt"};
    }
    std::vector<char*> arguments(argv, argv + argc);
    for (std::string& argument : more)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    return suite.run(int(arguments.size()) - 1, arguments.data());
}

} // namespace

int main(int argc, char** argv)
{
    for (const dyno::test::Suite& suite : dyno::test::kSuites) {
        if (argc > 1 && std::strcmp(argv[1], suite.name) == 0)
            return run(suite, argc - 1, argv + 1);
    }
    std::fprintf(stderr, "usage: %s SUITE [arguments of Qt Test]; the suites are:\n", argv[0]);
    for (const dyno::test::Suite& suite : dyno::test::kSuites)
        std::fprintf(stderr, "  %s\n", suite.name);
    return 2;
}
