// SPDX-License-Identifier: GPL-3.0-or-later
// One program a format (DYNO_FUZZ_FORMAT): whatever is in a file, it is read or refused, and what is not told stays
// absent.
#include "import/format.h"
#include "import/line_reader.h"
#include "import/session_of.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace dyno;

namespace {

//! Documents are read from a file: one in memory, where the system has such.
Expected<void> readDocument(const import::Format& format, std::string_view text, import::Collector& collector)
{
    static const std::string file = "/dev/shm/dyno-fuzz-" + std::to_string(::getpid());
    std::FILE* out = std::fopen(file.c_str(), "wb");
    if (!out)
        std::abort();
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
    auto read = format.document(file, collector);
    std::remove(file.c_str());
    return read;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const import::Format* format = import::findFormat(DYNO_FUZZ_FORMAT);
    if (!format)
        std::abort();
    import::Head head;
    head.name = "file";
    head.text = text.substr(0, 1 << 16);
    std::string_view rest = head.text;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        head.lines.push_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    (void)format->recognise(head);

    import::Collector collector(ImportOptions{});
    collector.file("file");
    const auto read = format->document ? readDocument(*format, text, collector) : [&] {
        const auto reader = import::LineReader::over(text);
        return import::readLines(*reader, *format, collector);
    }();
    if (!read)
        return read.error().message.empty() ? (std::abort(), 0) : 0;
    import::dropEmptyRuns(collector);
    const import::ImportedSession session = import::sessionOf(collector, 0);
    for (std::size_t i = 0; i < session.runs.size(); ++i) {
        const import::Run& run = *session.sources[i];
        for (std::size_t k = 0; k < run.size(); ++k) {
            const IntervalSample sample = run.sample(k);
            if (sample.lengthNs < 0 || sample.counters.size() != run.counterInfos().size())
                std::abort();
        }
        // A figure that is said to be told is a number.
        const RunSummary& summary = session.runs[i].summary;
        if ((summary.tells("tps") && !(summary.tps == summary.tps)) ||
            (summary.tells("service_p95") && !(summary.service.p95Ms == summary.service.p95Ms)))
            std::abort();
    }
    (void)import::originFromJson(import::toJson(collector.origin));
    return 0;
}
