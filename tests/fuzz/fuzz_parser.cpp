// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer's program for all parsers: the environment's DYNO_FUZZ_PARSER names the one that is driven.
#include "fuzz/parsers.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
const dyno::fuzz::Parser* g_parser = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    const char* name = std::getenv("DYNO_FUZZ_PARSER");
    g_parser = dyno::fuzz::findParser(name ? name : "");
    if (!g_parser) {
        std::fputs("DYNO_FUZZ_PARSER names none of:", stderr);
        for (const auto& parser : dyno::fuzz::parsers())
            std::fprintf(stderr, " %s", parser.name.c_str());
        std::fputs("\n", stderr);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    g_parser->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
