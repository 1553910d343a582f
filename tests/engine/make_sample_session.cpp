// SPDX-License-Identifier: GPL-3.0-or-later
// make_sample_session OUT.dyno [SCALE [SEED]]: writes the sample session, for tests and pictures of the window.
#include "store/session_writer.h"
#include "store_sample.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: make_sample_session OUT.dyno [SCALE [SEED]]\n", stderr);
        return 2;
    }
    namespace fs = std::filesystem;
    const fs::path out = argv[1];
    fs::path scratch = out;
    scratch += ".dynolib";
    dyno::sample::Options options;
    if (argc > 2)
        options.scale = std::strtod(argv[2], nullptr);
    if (argc > 3) {
        options.seed = std::strtoull(argv[3], nullptr, 10);
        options.id.replace(9, 4, std::to_string(1000 + options.seed % 9000));
    }
    const auto write = [&]() -> dyno::Expected<void> {
        auto writer = dyno::SessionWriter::open(scratch);
        if (!writer)
            return dyno::fail(writer.error());
        dyno::sample::feed(**writer, options);
        if (auto done = (*writer)->flush(); !done)
            return done;
        auto library = dyno::Library::open(scratch, dyno::Library::Mode::ReadWrite);
        if (!library)
            return dyno::fail(library.error());
        return (*library)->exportSession(options.id, out);
    };
    const auto done = write();
    for (const char* end : {"", "-wal", "-shm"}) {
        std::error_code ignored;
        fs::path file = scratch;
        file += end;
        fs::remove(file, ignored);
    }
    if (!done) {
        std::fprintf(stderr, "%s\n", done.error().text().c_str());
        return 1;
    }
    return 0;
}
