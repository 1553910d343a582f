// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/import.h>

#include "import/format.h"
#include "import/imported_session.h"
#include "import/line_reader.h"
#include "import/originals_packer.h"
#include "import/text.h"
#include "store/library/dyno_file.h"
#include "store/session/artefacts.h"
#include "store/session/seals.h"
#include "store/session/session_recorder.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace fs = std::filesystem;

namespace import {

namespace {

constexpr std::size_t kHead = 1 << 16;
constexpr const char* kOriginName = "import.json";

Expected<Head> headOf(const fs::path& file)
{
    bool whole = false;
    auto text = readHead(file, kHead, &whole);
    if (!text)
        return fail(std::move(text.error()));
    Head head;
    head.name = file.filename().string();
    head.text = std::move(*text);
    std::string_view rest = head.text;
    if (rest.starts_with("\xef\xbb\xbf"))
        rest.remove_prefix(3);
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        // The last one may be cut, but for a file that ends there.
        if (end == std::string_view::npos && !whole)
            break;
        std::string_view line = rest.substr(0, end);
        while (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        head.lines.push_back(line);
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    return head;
}

std::string formatIds()
{
    std::string ids;
    for (const ImportFormat& format : importFormats())
        ids += (ids.empty() ? "" : ", ") + format.id;
    return ids;
}

Expected<DetectedFormat> detect(const fs::path& file)
{
    auto head = headOf(file);
    if (!head)
        return fail(std::move(head.error()));
    if (head->text.empty())
        return fail({ErrorKind::BadInput, "the file is empty", file.string(), "name a file with results"});
    for (const Format& format : formats()) {
        if (std::string reason = format.recognise(*head); !reason.empty())
            return DetectedFormat{format.info.id, std::move(reason)};
    }
    const bool binary = head->text.find('\0') != std::string::npos;
    return fail({ErrorKind::BadInput,
                 binary ? "this is a binary file of no known format" : "no known format fits what is in the file",
                 file.string(), "say which format it is: " + formatIds()});
}

//! Which format, and why.
Expected<const Format*> formatFor(const fs::path& file, Collector& collector)
{
    std::string id = collector.options().format;
    std::string reason = "as was said";
    if (id.empty()) {
        auto detected = detect(file);
        if (!detected)
            return fail(std::move(detected.error()));
        id = detected->id;
        reason = detected->reason;
    }
    const Format* format = findFormat(id);
    if (!format) {
        return fail({ErrorKind::BadInput, fmt::format("there is no format \"{}\"", shown(id, 40)), "--format",
                     "one of: " + formatIds()});
    }
    if (!collector.origin.format.empty() && collector.origin.format != format->info.id) {
        return fail(
            {ErrorKind::BadInput,
             fmt::format("this is a {}, the other files are of format {}", format->info.label, collector.origin.format),
             file.string(), "import files of different tools one by one"});
    }
    collector.origin.format = format->info.id;
    collector.origin.reason = reason;
    return format;
}

std::uint64_t sizeOf(const std::vector<fs::path>& files)
{
    std::uint64_t bytes = 0;
    for (const fs::path& file : files) {
        std::error_code ignored;
        const auto size = fs::file_size(file, ignored);
        bytes += ignored ? 0 : size;
    }
    return bytes;
}

//! Reading is the first half of the work, keeping the originals the second.
Expected<void> readAll(const std::vector<fs::path>& files, Collector& collector, const ImportCallback& progress)
{
    const std::uint64_t total = 2 * sizeOf(files);
    std::uint64_t before = 0;
    for (const fs::path& file : files) {
        const auto format = formatFor(file, collector);
        if (!format)
            return fail(format.error());
        collector.file(shown(file.filename().string()));
        const auto tell = [&](std::uint64_t bytes) { return !progress || progress({before + bytes, total}); };
        if (!tell(0))
            return fail({ErrorKind::Interrupted, "the import was cancelled", {}, "nothing was changed"});
        Expected<void> done;
        if ((*format)->document) {
            done = (*format)->document(file, collector);
        } else {
            auto reader = LineReader::open(file);
            if (!reader)
                return fail(std::move(reader.error()));
            done = readLines(**reader, **format, collector, tell);
        }
        if (!done) {
            Error error = done.error();
            if (error.where.empty() && error.kind != ErrorKind::Interrupted)
                error.where = file.string();
            return fail(std::move(error));
        }
        before += sizeOf({file});
    }
    dropEmptyRuns(collector);
    if (collector.full()) {
        collector.note(fmt::format("only the first {} runs were taken", kMostRuns));
    }
    if (collector.runs().empty()) {
        const std::string first = collector.origin.unknown.empty()
                                      ? std::string()
                                      : fmt::format("; line {} is: {}", collector.origin.unknown.front().line,
                                                    collector.origin.unknown.front().text);
        return fail({ErrorKind::BadInput,
                     fmt::format("nothing in it was understood as a result of {} ({} lines{})", collector.origin.tool,
                                 collector.origin.lines, first),
                     files.front().string(), "check that it is the tool's output, or say another --format"});
    }
    return {};
}

std::int64_t modifiedMs(const fs::path& file)
{
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (error)
        return 0;
    using namespace std::chrono;
    const auto since = file_clock::to_sys(time).time_since_epoch();
    return duration_cast<milliseconds>(since).count();
}

ImportPreview previewOf(Collector& collector, ImportedSession& session)
{
    ImportPreview preview;
    preview.origin = collector.origin;
    preview.title = session.header.title;
    preview.runs = std::move(session.runs);
    preview.columns = collector.columns;
    preview.head = collector.head;
    preview.map = collector.map;
    return preview;
}

void completeOrigin(Collector& collector)
{
    bool told = false;
    bool service = false, response = false;
    for (const Run& run : collector.runs()) {
        told = told || run.startedMs > 0;
        service = service || run.clock == Clock::Service;
        response = response || run.clock == Clock::Response;
    }
    if (!told)
        collector.note("when it ran is not told: the date is that of the file");
    collector.origin.latency = service && response ? "service, or response where there was a rate"
                               : response          ? "response"
                               : service           ? "service"
                                                   : "not told";
}

void writeRun(SessionRecorder& recorder, const ImportedSession& session, std::size_t index)
{
    const Run& source = *session.sources[index];
    RunHeader header;
    header.index = static_cast<int>(index);
    header.point = session.header.runs[index].point;
    header.repeat = session.header.runs[index].repeat;
    header.operations = source.operationInfos();
    header.counters = source.counterInfos();
    header.server.product = source.product;
    header.server.version = source.productVersion;
    recorder.write(header);
    // A run that is told as a whole only has one interval, so that it can be shown over time too.
    if (source.empty()) {
        const RunSummary& summary = session.runs[index].summary;
        IntervalSample whole;
        whole.lengthNs = std::llround(std::clamp(summary.seconds, 0.0, 9e9) * 1e9);
        whole.users = session.runs[index].users;
        whole.transaction.count = summary.transactions;
        whole.transaction.errors = summary.failed;
        (source.clock == Clock::Response ? whole.transaction.response : whole.transaction.service) = source.total;
        for (const OperationSummary& operation : summary.operations) {
            OpInterval values;
            values.count = operation.count;
            values.errors = operation.errors;
            whole.ops.push_back(values);
        }
        if (whole.lengthNs > 0)
            recorder.write(whole);
    }
    for (std::size_t i = 0; i < source.size(); ++i)
        recorder.write(source.sample(i));
    for (const RunEvent& event : source.events)
        recorder.write(event);
    recorder.write(session.runs[index].summary);
}

//! "run.log.gz" is kept as "run.log"; the same name twice gets a number.
std::vector<std::string> keptNames(const std::vector<fs::path>& files)
{
    std::vector<std::string> names;
    for (const fs::path& file : files) {
        std::string name = shown(file.filename().string(), 200);
        if (name.ends_with(".gz"))
            name.resize(name.size() - 3);
        const std::string plain = name;
        for (int n = 2; name == kOriginName || std::ranges::find(names, name) != names.end(); ++n)
            name = fmt::format("{} ({})", plain, n);
        names.push_back(name);
    }
    return names;
}

Expected<void> writeSession(Database& database, const ImportedSession& session, const ImportOrigin& origin,
                            const std::vector<fs::path>& files, OriginalsPacker& keeper, const ImportCallback& progress)
{
    const Error cancelled{ErrorKind::Interrupted, "the import was cancelled", {}, "nothing was changed"};
    const std::uint64_t bytes = sizeOf(files);
    Transaction transaction(database);
    SessionRecorder recorder(database);
    recorder.write(session.header);
    const std::int64_t key = recorder.session();
    SessionSummary summary;
    double seconds = 0;
    for (std::size_t i = 0; i < session.runs.size(); ++i) {
        if (progress && !progress({bytes, 2 * bytes}))
            return fail(cancelled);
        writeRun(recorder, session, i);
        const RunSummary& run = session.runs[i].summary;
        seconds += std::isfinite(run.seconds) ? run.seconds : 0;
        if (run.status == RunStatus::Failed)
            summary.status = RunStatus::Failed;
        else if (run.status != RunStatus::Done && summary.status == RunStatus::Done)
            summary.status = run.status;
        if (summary.reason.empty())
            summary.reason = run.reason;
    }
    summary.finishedMs = session.header.startedMs + std::llround(std::min(seconds, 9e9) * 1000);
    recorder.write(summary);
    Statement notes(database, "UPDATE session SET notes = ? WHERE key = ?");
    notes << session.notes << key;
    notes.run();
    Seals seals(database, key);
    seals.set(SealPart::Notes);
    Statement tag(database, "INSERT INTO tag(session, idx, text) VALUES(?, 0, 'imported')");
    tag << key;
    tag.run();
    seals.set(SealPart::Tags);
    writeArtefact(database, key, kOriginName, "application/json", toJson(origin));
    const std::vector<std::string> names = keptNames(files);
    std::uint64_t kept = 0;
    while (const auto piece = keeper.next()) {
        writeArtefact(database, key, names[piece->file], kGzip, piece->packed);
        kept += std::min<std::uint64_t>(bytes - std::min(bytes, kept), std::uint64_t(4) << 20);
        if (progress && !progress({bytes + kept, 2 * bytes}))
            return fail(cancelled);
    }
    if (const auto error = keeper.error())
        return fail(*error);
    return transaction.commit();
}

} // namespace

} // namespace import

Expected<DetectedFormat> detectImportFormat(const fs::path& file)
{
    return import::detect(file);
}

Expected<ImportPreview> previewImport(const std::vector<fs::path>& files, const ImportOptions& options,
                                      const ImportCallback& progress)
{
    if (files.empty())
        return fail({ErrorKind::BadInput, "no file is named", {}, "name a file with results of another tool"});
    import::Collector collector(options);
    if (auto read = import::readAll(files, collector, progress); !read)
        return fail(std::move(read.error()));
    import::completeOrigin(collector);
    import::ImportedSession session = import::sessionOf(collector, import::modifiedMs(files.front()));
    return import::previewOf(collector, session);
}

Expected<ImportResult> importResults(const fs::path& library, const std::vector<fs::path>& files,
                                     const ImportOptions& options, const ImportCallback& progress)
{
    if (files.empty())
        return fail({ErrorKind::BadInput, "no file is named", {}, "name a file with results of another tool"});
    // Looked at before anything else is begun: most wrong files are known by their first bytes.
    for (const fs::path& file : files) {
        if (auto head = import::headOf(file); !head)
            return fail(std::move(head.error()));
    }
    import::OriginalsPacker keeper(files);
    import::Collector collector(options);
    if (auto read = import::readAll(files, collector, progress); !read)
        return fail(std::move(read.error()));
    import::completeOrigin(collector);
    import::ImportedSession session = import::sessionOf(collector, import::modifiedMs(files.front()));
    auto database = openStore(library, Library::Mode::ReadWrite);
    if (!database)
        return fail(std::move(database.error()));
    if (auto written = import::writeSession(**database, session, collector.origin, files, keeper, progress); !written)
        return fail(std::move(written.error()));
    ImportResult result;
    result.session = session.header.id;
    result.preview = import::previewOf(collector, session);
    return result;
}

} // namespace dyno
