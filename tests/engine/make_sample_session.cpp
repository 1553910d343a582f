// SPDX-License-Identifier: GPL-3.0-or-later
// make_sample_session OUT.dyno [SCALE [SEED [open|long|hidden]]]: writes the sample session, for tests and pictures of
// the window. With "open" it is that of an open loop whose generator was the limit, and the warm-up of its second run
// was moved. With "long" it has three runs of 310 intervals with counters: a whole block, and some intervals behind it.
// With "hidden" its three runs are short and have counters that nobody chose.
#include "store/session/session_writer.h"
#include "store_sample.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: make_sample_session OUT.dyno [SCALE [SEED [open|long|hidden]]]\n", stderr);
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
    const std::string kind = argc > 4 ? argv[4] : "";
    if (kind == "long") {
        options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = [4]");
        options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
        options.intervals = 310;
        options.counters = true;
    } else if (kind == "hidden") {
        options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = [4]");
        options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
        options.intervals = 12;
        options.counters = true;
        options.hiddenCounters = 5;
    } else if (!kind.empty()) {
        options.openLoop = true;
        options.intervals = 10;
        options.clientReason = "1.4 % of the arrivals were taken up more than 1 ms late by a free user";
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
        if (options.openLoop) {
            const auto session = (*library)->session(options.id);
            if (!session)
                return dyno::fail(session.error());
            if (auto moved = (*library)->moveWarmupEnd(session->runs[1].id, 2'000'000'000); !moved)
                return dyno::fail(moved.error());
        }
        if (options.openLoop)
            return (*library)->exportSession(options.id, out);
        const auto session = (*library)->session(options.id);
        if (!session)
            return dyno::fail(session.error());
        if (auto made = (*library)->annotate(session->runs[2].id, 3'000'000'000, "the backup began"); !made)
            return dyno::fail(made.error());
        if (auto made = (*library)->setNamedViews(options.id, {{"by users", "measure = \"tps\"\n"}}); !made)
            return made;
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
