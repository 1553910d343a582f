// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno probe FOLDER: what the disk of a folder can do by itself.
#include "cli/console.h"

#include "core/text_table.h"

#include <dyno/device_probe.h>

#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace dyno::cli {

namespace {

struct ProbeOptions
{
    DeviceProbeRequest request;
    std::uint64_t mebibytes = 512;
    std::string with = "dynobench";
    bool json = false;
};

void printFigures(const DeviceFigures& figures)
{
    print(fmt::format("folder  {}{}\nfile    {}, {}\n\n", figures.folder,
                      figures.fileSystem.empty() ? "" : fmt::format(" ({} on {})", figures.fileSystem, figures.source),
                      bytesText(double(figures.fileBytes)),
                      figures.direct ? "past the page cache"
                                     : "through the page cache: the file system knows no other way, so reads may "
                                       "have come from memory"));
    if (!figures.tool.empty())
        print(fmt::format("tool    {}\n\n", figures.tool));
    TextTable table({"work", ">a second", ">mean ms", ">p50 ms", ">p99 ms", ">max ms"});
    const auto add = [&table](std::string name, const DeviceWork& work) {
        const LatencySummary& times = work.times;
        table.add({std::move(name), figure(work.perSecond), figure(times.meanMs), figure(times.p50Ms),
                   figure(times.p99Ms), figure(times.maxMs)});
    };
    const std::string block = bytesText(double(figures.blockBytes));
    add(fmt::format("random reads of {}, one at a time", block), figures.read);
    add(fmt::format("random reads of {}, {} at once", block, figures.readers), figures.reads);
    add("writes of 4.00 KiB, each with a sync", figures.sync);
    table.add({"sequential write", bytesText(figures.bytesPerSecond), "", "", "", ""});
    print(table.text());
}

int probe(ProbeOptions& options)
{
    constexpr std::uint64_t kMebibyte = 1 << 20;
    options.request.fileBytes = options.mebibytes * kMebibyte;
    options.request.fileBytes -= options.request.fileBytes % std::max<std::size_t>(1, options.request.blockBytes);
    const auto measure = options.with == "fio" ? probeDeviceWithFio : probeDevice;
    const auto figures = measure(
        options.request, [] { return interrupted(); }, [](const std::string& what) { say(what); });
    if (!figures)
        return report(figures.error());
    if (options.json)
        printDocument(toJson(*figures, 1) + "\n");
    else
        printFigures(*figures);
    return kDone;
}

} // namespace

void addProbeCommand(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<ProbeOptions>();
    CLI::App* command = app.add_subcommand(
        "probe",
        "What the disk of a folder can do by itself: reads, writes, syncs. Writes a file there and removes it");
    command->add_option("FOLDER", options->request.folder, "where a database has, or would have, its files")
        ->required();
    command->add_option("--size", options->mebibytes, "MiB of the file; twice as much must be free (512)")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--block", options->request.blockBytes, "bytes of a read: the database's page (16384)");
    command->add_option("--readers", options->request.readers, "reads at once in the second part (16)")
        ->check(CLI::Range(1, 256));
    command->add_option("--time", options->request.seconds, "seconds of each part but the writing (5)")
        ->check(CLI::Range(0.05, 3600.0));
    command->add_option("--with", options->with, "dynobench, or fio where it is installed (dynobench)")
        ->check(CLI::IsMember({"dynobench", "fio"}));
    command->add_flag("--json", options->json, "one JSON document");
    command->callback([&code, options] {
        watchInterrupts();
        code = probe(*options);
    });
}

} // namespace dyno::cli
