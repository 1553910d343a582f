// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever is in a file of another tool, it is read or refused, and what is not told stays absent.
#include "fuzz/parsers.h"
#include "import/format.h"
#include "import/imported_session.h"
#include "import/line_reader.h"
#include "import/secrets.h"

namespace dyno::fuzz {

namespace {

void readAs(const char* name, std::string_view input, const ImportOptions& options)
{
    const import::Format* format = import::findFormat(name);
    require(format != nullptr, "the format is there");
    import::Collector collector(options);
    collector.file("file");
    Expected<void> read;
    if (format->document) {
        const InputFile file(input, ".import");
        read = format->document(file.path(), collector);
    } else {
        const auto reader = import::LineReader::over(input);
        read = import::readLines(*reader, *format, collector);
    }
    if (!read)
        return require(!read.error().message.empty(), "a refusal says why");
    import::dropEmptyRuns(collector);
    const import::ImportedSession session = import::sessionOf(collector, 0);
    for (std::size_t i = 0; i < session.runs.size(); ++i) {
        const import::Run& run = *session.sources[i];
        for (std::size_t k = 0; k < run.size(); ++k) {
            const IntervalSample sample = run.sample(k);
            require(sample.lengthNs >= 0, "an interval has a length");
            require(sample.counters.size() == run.counterInfos().size(), "an interval has an entry for each counter");
        }
        const RunSummary& summary = session.runs[i].summary;
        require(!summary.tells("tps") || summary.tps == summary.tps, "a rate that is told is a number");
        require(!summary.tells("service_p95") || summary.service.p95Ms == summary.service.p95Ms,
                "a percentile that is told is a number");
    }
    static_cast<void>(import::toJson(collector.origin));
}

} // namespace

void importAs(const char* format, std::string_view input)
{
    readAs(format, input, {});
}

void readMappedTable(std::string_view input)
{
    ImportOptions options;
    for (std::size_t end = input.find('\n'); end != std::string_view::npos; end = input.find('\n')) {
        const std::string_view line = input.substr(0, end);
        input.remove_prefix(end + 1);
        if (line.empty())
            break;
        (void)setImportField(options.map, line);
    }
    readAs("csv", input, options);
}

void detectFormat(std::string_view input)
{
    std::string hidden(input);
    import::hideSecrets(hidden.data(), hidden.size());
    const InputFile file(input, ".import");
    const auto detected = detectImportFormat(file.path());
    require(detected ? findImportFormat(detected->id) && !detected->reason.empty() : !detected.error().message.empty(),
            "it says why it is of this format, or of none");
    if (const auto reader = import::LineReader::open(file.path())) {
        for (std::string_view line; (*reader)->next(line);)
            require(line.size() <= import::kLongestLine, "a line has bounds");
    }
}

} // namespace dyno::fuzz
