// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_presets.h"

#include "qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <dyno/counter_groups.h>
#include <dyno/shown_counters.h>

namespace dyno {

namespace {

struct PresetWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::PlotPreset)
};

//! Counters of this machine, and what exporters of other machines mostly call the same.
const std::vector<std::string>& networkNames()
{
    static const std::vector<std::string> names{
        "host/link received",    "host/link sent",          "host/link busy",
        "host/network received", "host/network sent",       "host/loopback",
        "host/TCP retransmits",  "*network_receive_bytes*", "*network_transmit_bytes*"};
    return names;
}

const std::vector<std::string>& diskNames()
{
    static const std::vector<std::string> names{
        "host/* bytes written", "host/* bytes read",    "host/* busy",          "host/* writes",
        "host/* reads",         "host/* write latency", "host/* read latency",  "host/* flush latency",
        "host/* flushes",       "host/dirty memory",    "host/I/O pressure",    "process/storage *",
        "*disk_written_bytes*", "*disk_read_bytes*",    "*disk_io_time_second*"};
    return names;
}

const std::vector<std::string>& memoryNames()
{
    static const std::vector<std::string> names{
        "process/resident memory",     "host/memory available",     "host/dirty memory",
        "host/transparent huge pages", "process/major page faults", "process/minor page faults",
        "host/major page faults",      "host/page faults",          "host/pages swapped in",
        "host/pages swapped out",      "host/memory pressure",      "*memory_MemAvailable_bytes*"};
    return names;
}

const std::vector<std::string>& generatorNames()
{
    static const std::vector<std::string> names{"host/CPU pressure", "host/runnable threads", "host/context switches",
                                                "host/memory available"};
    return names;
}

//! This one, or another one whose kernel is asked: neither the server nor a process.
bool isOfMachine(const CounterInfo& counter)
{
    return counter.source != "server" && counter.source != kProcessSource && counter.source != kStatedSource &&
           !counter.source.ends_with(kOfProcess);
}

//! "host/…" means what is called so on any machine, "process/…" of any process.
bool isMeant(const std::string& name, const CounterInfo& counter)
{
    const auto isOf = [&](std::string_view kind, bool fits) {
        return fits && name.starts_with(kind) && meansCounter(name.substr(kind.size()), counter);
    };
    return meansCounter(name, counter) || isOf("host/", isOfMachine(counter)) ||
           isOf("process/", counter.source.ends_with(kOfProcess));
}

void addCounters(PlotPreset& preset, const std::vector<std::string>& names, const std::vector<RunMeasure>& measures,
                 const std::vector<CounterInfo>& counters, std::size_t most)
{
    for (const std::string& name : names) {
        for (const RunMeasure& measure : measures) {
            if (std::size_t(preset.ids.size()) < most && measure.counter >= 0 &&
                isMeant(name, counters[std::size_t(measure.counter)]) && !preset.ids.contains(measure.id))
                preset.ids << measure.id;
        }
    }
}

} // namespace

std::vector<PlotPreset> presetsOf(const std::vector<RunMeasure>& measures, const std::vector<CounterInfo>& counters,
                                  std::string_view driver, std::size_t most)
{
    std::vector<PlotPreset> presets;
    for (const CounterGroup& group : counterGroups(driver)) {
        PlotPreset preset{qtText(group.title), {}, false, true};
        addCounters(preset, group.names, measures, counters, most);
        presets.push_back(std::move(preset));
    }
    PlotPreset network{PresetWords::tr("Network"), {}}, disk{PresetWords::tr("Disk"), {}};
    PlotPreset memory{PresetWords::tr("Memory"), {}};
    addCounters(network, networkNames(), measures, counters, most);
    addCounters(disk, diskNames(), measures, counters, most);
    addCounters(memory, memoryNames(), measures, counters, most);
    PlotPreset cpu{PresetWords::tr("CPU by machine"), {}, true};
    PlotPreset generator{PresetWords::tr("Load generator"), {}};
    // The server and what serves its users first, then the load generator, then whole machines by state.
    const auto isState = [&](const RunMeasure& one) {
        return one.counter >= 0 && isOfMachine(counters[std::size_t(one.counter)]);
    };
    for (const bool states : {false, true}) {
        for (const RunMeasure& measure : measures) {
            if (measure.cores > 0 && isState(measure) == states && std::size_t(cpu.ids.size()) < most)
                cpu.ids << measure.id;
        }
    }
    for (const RunMeasure& measure : measures) {
        if (measure.own)
            generator.ids << measure.id;
    }
    addCounters(generator, generatorNames(), measures, counters, most);
    for (PlotPreset* one : {&network, &disk, &memory, &cpu, &generator})
        presets.push_back(std::move(*one));
    std::erase_if(presets, [](const PlotPreset& one) { return one.ids.isEmpty(); });
    return presets;
}

} // namespace dyno
