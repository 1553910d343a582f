// SPDX-License-Identifier: GPL-3.0-or-later
// store_child write LIBRARY RUNS  writes RUNS whole runs and half of one, says "flushed N", then waits to be killed
// store_child abandon LIBRARY     the same, but the writer goes away while the process stays
// store_child sessions LIBRARY N  records N short sessions, one after the other
// store_child annotate LIBRARY RUN N  writes N annotations, opening the library for each; says "moved N": how often it
// was
//                                 told that the library had been moved, and did it again
// store_child knob LIBRARY        writes down a knob change, says "flushed", then waits to be killed
// store_child open-writer FILE    opens a SessionWriter      ┐ as a user without rights, when started
// store_child open-read FILE      opens and lists a library  ┘ by root; prints the error or "sessions N"
#include "store/session/session_writer.h"
#include "store_sample.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace dyno;

namespace {

constexpr uid_t kNobody = 65534;

int fault(const Error& error)
{
    std::printf("%d %s\n", static_cast<int>(error.kind), error.text().c_str());
    return 1;
}

int say(const char* text, int number)
{
    std::printf("%s %d\n", text, number);
    std::fflush(stdout);
    ::pause(); // the test ends this process
    return 3;
}

int write(const char* library, int runs, bool abandon)
{
    auto writer = SessionWriter::open(library);
    if (!writer)
        return fault(writer.error());
    sample::Options options;
    options.stopAfterRun = runs - 1;
    const SessionHeader session = sample::feed(**writer, options);
    const RunHeader run = sample::runHeader(session, runs);
    (*writer)->onRunStarted(run);
    Random random(3);
    for (int i = 0; i < 9; ++i)
        (*writer)->onSample(sample::interval(session, run, i, random, options));
    if (const auto flushed = (*writer)->flush(); !flushed)
        return fault(flushed.error());
    if (abandon)
        writer->reset();
    return say("flushed", 9);
}

int writeSessions(const char* library, int count)
{
    for (int n = 0; n < count; ++n) {
        auto writer = SessionWriter::open(library);
        if (!writer)
            return fault(writer.error());
        sample::Options options;
        char id[40];
        std::snprintf(id, sizeof id, "%08x-0000-4000-8000-%012x", unsigned(::getpid()), unsigned(n));
        options.id = id;
        options.seed = 100 + std::uint64_t(n);
        options.intervals = 4;
        sample::feed(**writer, options);
        if (const auto flushed = (*writer)->flush(); !flushed)
            return fault(flushed.error());
    }
    return 0;
}

int annotate(const char* library, std::int64_t run, int count)
{
    int moved = 0;
    for (int n = 0; n < count;) {
        auto opened = Library::open(library, Library::Mode::ReadWrite);
        if (!opened)
            return fault(opened.error());
        const auto done = (*opened)->annotate(run, n, std::to_string(n));
        if (done)
            ++n;
        else if (done.error().message.find("moved") != std::string::npos && moved < 100'000)
            ++moved;
        else
            return fault(done.error());
    }
    std::printf("moved %d\n", moved);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        return 2;
    if (std::strcmp(argv[1], "write") == 0 && argc == 4)
        return write(argv[2], std::atoi(argv[3]), false);
    if (std::strcmp(argv[1], "sessions") == 0 && argc == 4)
        return writeSessions(argv[2], std::atoi(argv[3]));
    if (std::strcmp(argv[1], "annotate") == 0 && argc == 5)
        return annotate(argv[2], std::atoll(argv[3]), std::atoi(argv[4]));
    if (std::strcmp(argv[1], "abandon") == 0)
        return write(argv[2], 1, true);
    if (std::strcmp(argv[1], "knob") == 0) {
        auto writer = SessionWriter::open(argv[2]);
        if (!writer)
            return fault(writer.error());
        for (const auto& [from, to] : {std::pair("1", "0"), std::pair("0", "2")}) {
            const auto done = (*writer)->recordKnobChange("mysql://root@db1:3306/", "sync_binlog", from, to);
            if (!done)
                return fault(done.error());
        }
        return say("flushed", 2);
    }
    // Permissions mean nothing to root.
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
        return 2;
    if (std::strcmp(argv[1], "open-writer") == 0) {
        const auto writer = SessionWriter::open(argv[2]);
        return writer ? 0 : fault(writer.error());
    }
    auto library = Library::open(argv[2], Library::Mode::ReadOnly);
    if (!library)
        return fault(library.error());
    const auto sessions = (*library)->sessions();
    if (!sessions)
        return fault(sessions.error());
    std::printf("sessions %zu\n", sessions->size());
    return 0;
}
