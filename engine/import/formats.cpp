// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/format.h"

#include "import/line_reader.h"
#include "import/text.h"

#include <algorithm>

namespace dyno {

namespace import {

const std::vector<Format>& formats()
{
    static const std::vector<Format> list = {
        sysbenchLog(),
        sysbenchJson(),
        sysbenchCsv(),
        tpccMysql(),
        hammerSqlite(),
        hammerLog(),
        goYcsb(),
        ycsb(),
        hdrLog(),
        pgbench(),
        pgbenchTransactions(),
        pgbenchAggregates(),
        mysqlslap(),
        iibench(),
        benchbase(),
        flent(),
        columns(),
    };
    return list;
}

const Format* findFormat(std::string_view id)
{
    const auto found = std::ranges::find(formats(), id, [](const Format& format) { return format.info.id; });
    return found == formats().end() ? nullptr : &*found;
}

Expected<void> readLines(LineReader& reader, const Format& format, Collector& collector,
                         const std::function<bool(std::uint64_t)>& progress)
{
    constexpr std::int64_t kProgressEach = 20'000;
    const std::unique_ptr<Parser> parser = format.lines(collector);
    std::string_view line;
    bool whole = true;
    while (reader.next(line)) {
        whole = reader.wasWhole();
        if (reader.number() % kProgressEach == 0 && progress && !progress(reader.bytesRead()))
            return fail({ErrorKind::Interrupted, "the import was cancelled", {}, "nothing was changed"});
        if (line.empty())
            continue;
        if (!parser->line(line, reader.number()))
            collector.unknown(reader.number(), line);
        if (collector.refused)
            return fail(*collector.refused);
    }
    if (reader.error())
        return fail(*reader.error());
    if (!whole)
        collector.note("the last line has no end: the file may be cut off");
    parser->end();
    collector.origin.lines += static_cast<std::uint64_t>(reader.number());
    if (collector.refused)
        return fail(*collector.refused);
    return {};
}

} // namespace import

const std::vector<ImportFormat>& importFormats()
{
    static const std::vector<ImportFormat> list = [] {
        std::vector<ImportFormat> infos;
        for (const import::Format& format : import::formats())
            infos.push_back(format.info);
        return infos;
    }();
    return list;
}

const ImportFormat* findImportFormat(std::string_view id)
{
    const import::Format* format = import::findFormat(id);
    return format ? &format->info : nullptr;
}

} // namespace dyno
