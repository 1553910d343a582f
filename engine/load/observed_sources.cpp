// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/observed_sources.h>

#include "load/watched_machines.h"
#include "monitor/prometheus/exporter_monitor.h"
#include "plan/exporters.h"
#include "plan/machines.h"
#include "plan/plan_fields.h"

#include <fmt/format.h>

namespace dyno {

std::optional<SeriesSource> sourceOfSetting(std::string_view key, const Value& value)
{
    const auto [scope, name] = splitScope(key);
    if (scope != kExporterScope && scope != kMachineScope)
        return {};
    return SeriesSource{scope == kExporterScope ? SourceKind::Exporter : SourceKind::Machine, std::string(name),
                        toText(value)};
}

std::string settingOfSource(const SeriesSource& source)
{
    return fmt::format("{}.{}", source.kind == SourceKind::Exporter ? kExporterScope : kMachineScope, source.name);
}

std::vector<SeriesSource> observedSources(const Plan& plan)
{
    std::vector<SeriesSource> sources;
    for (const auto& [key, value] : plan.set) {
        if (auto source = sourceOfSetting(key, value))
            sources.push_back(std::move(*source));
    }
    return sources;
}

Expected<void> checkSource(const SeriesSource& source)
{
    if (source.kind == SourceKind::Exporter) {
        const auto exporter = exporterFrom(source.name, source.reads);
        return exporter ? Expected<void>() : tl::unexpected(exporter.error());
    }
    const auto machine = machineFrom(source.name, source.reads);
    return machine ? Expected<void>() : tl::unexpected(machine.error());
}

std::vector<Risk> risksOfSource(const SeriesSource& source)
{
    Plan alone;
    alone.set[settingOfSource(source)] = source.reads;
    return risksOf(alone);
}

Expected<SourceReading> readSource(const SeriesSource& source, const std::function<bool()>& stopped)
{
    if (source.kind == SourceKind::Exporter) {
        const auto exporter = exporterFrom(source.name, source.reads);
        if (!exporter)
            return tl::unexpected(exporter.error());
        const auto found = seriesOf({exporter->name, exporter->url, exporter->include}, stopped);
        if (!found)
            return tl::unexpected(found.error());
        return SourceReading{found->series.size(), found->matching};
    }
    const auto machine = machineFrom(source.name, source.reads);
    if (!machine)
        return tl::unexpected(machine.error());
    const auto found = seriesOfMachine(*machine, stopped);
    if (!found)
        return tl::unexpected(found.error());
    return SourceReading{found->size(), found->size()};
}

} // namespace dyno
