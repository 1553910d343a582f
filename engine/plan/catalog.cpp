// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/catalog.h>

#include "driver/driver.h"
#include "server/knobs/knob_guard.h"
#include "server/lifecycle/server_binaries.h"
#include "workload/workload.h"

#include <dyno/managed_transport.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace dyno {

std::vector<DriverInfo> drivers()
{
    std::vector<DriverInfo> infos;
    for (const Driver* driver : builtinDrivers())
        infos.push_back(driver->info());
    return infos;
}

std::string SqlDialect::type(std::string_view usual) const
{
    const std::string_view name = usual.substr(0, usual.find_first_of(" ("));
    for (const auto& [other, own] : typeNames) {
        if (other == name)
            return own + std::string(usual.substr(name.size()));
    }
    return std::string(usual);
}

std::string SqlDialect::createTable(std::string usual) const
{
    return tableOf ? tableOf(usual) : usual;
}

const char* toText(WorkloadPurpose purpose)
{
    switch (purpose) {
    case WorkloadPurpose::Mixed:
        return "mixed reads and writes";
    case WorkloadPurpose::Reads:
        return "reads";
    case WorkloadPurpose::Writes:
        return "writes and commits";
    case WorkloadPurpose::Growth:
        return "loading and growing tables";
    case WorkloadPurpose::Application:
        return "models of an application";
    case WorkloadPurpose::Feature:
        return "single features";
    }
    return "";
}

const char* toText(DataModel model)
{
    switch (model) {
    case DataModel::Sql:
        return "SQL";
    case DataModel::Document:
        return "documents";
    case DataModel::KeyValue:
        return "key-value";
    }
    return "";
}

std::optional<DataModel> commonModel(const WorkloadInfo& workload, const DriverInfo& driver)
{
    if (driver.appendsOnly && !workload.appends)
        return {};
    if (workload.vectors && driver.sql.vectors.type.empty())
        return {};
    for (const DataModel model : driver.models) {
        if (std::ranges::find(workload.models, model) != workload.models.end())
            return model;
    }
    return {};
}

std::vector<std::string> driversFor(const WorkloadInfo& workload)
{
    std::vector<std::string> ids;
    for (const DriverInfo& driver : drivers()) {
        if (commonModel(workload, driver))
            ids.push_back(driver.id);
    }
    return ids;
}

std::vector<WorkloadInfo> workloads()
{
    std::vector<WorkloadInfo> infos;
    for (const Workload* workload : builtinWorkloads())
        infos.push_back(workload->info());
    return infos;
}

const WorkloadInfo* findWorkload(std::string_view id)
{
    const Workload* workload = workloadFor(id);
    return workload ? &workload->info() : nullptr;
}

const DriverInfo* findDriver(std::string_view id)
{
    static const std::vector<DriverInfo> infos = drivers();
    const auto found = std::find_if(infos.begin(), infos.end(), [&](const DriverInfo& info) { return info.id == id; });
    return found == infos.end() ? nullptr : &*found;
}

std::vector<KnobInfo> knobs(std::string_view driver)
{
    std::vector<KnobInfo> all;
    for (const KnobInfo& knob : knobCatalog()) {
        if (driver.empty() || knob.driver.empty() || knob.driver == driver) // those of the host belong to all
            all.push_back(knob);
    }
    // What a driver says of its own connections is a knob too, unless the catalogue describes it better.
    for (const Driver* one : builtinDrivers()) {
        const DriverInfo info = one->info();
        if (!driver.empty() && info.id != driver)
            continue;
        for (const OptionSpec& option : info.connection) {
            const bool known = std::any_of(all.begin(), all.end(), [&](const KnobInfo& knob) {
                return knob.driver == info.id && knob.scope == "connection" && knob.option.name == option.name;
            });
            if (known)
                continue;
            KnobInfo knob;
            knob.driver = info.id;
            knob.scope = "connection";
            knob.option = option;
            all.push_back(std::move(knob));
        }
    }
    return all;
}

namespace {

//! Facts without a connection: the library's own name and version, "SQLite 3.40.1".
ServerFacts factsOfLibrary(const DriverInfo& info)
{
    ServerFacts facts;
    const std::size_t space = info.library.rfind(' ');
    facts.product = info.library.substr(0, space);
    if (space != std::string::npos)
        facts.version = info.library.substr(space + 1);
    facts.transport = "in process";
    return facts;
}

} // namespace

Expected<ServerFacts> inspectTarget(const TargetUri& target)
{
    if (target.kind == TargetKind::Managed) {
        auto program = findServer(wishOf(target));
        if (!program) {
            program.error().where = target.display();
            return tl::unexpected(program.error());
        }
        ServerFacts facts;
        facts.product = program->name;
        facts.version = program->version;
        facts.transport = listensOnTcp(target) ? "TCP" : "Unix socket";
        facts.variables.emplace("program", program->server.string());
        return facts;
    }
    Driver* driver = driverFor(target.driver);
    if (!driver)
        return fail({.kind = ErrorKind::BadInput,
                     .message = fmt::format("this build has no driver \"{}\"", target.driver),
                     .where = target.display(),
                     .remedy = "`dyno drivers` lists what it has"});
    const DriverInfo info = driver->info();
    std::error_code ignored;
    if (target.kind == TargetKind::Embedded && (target.path.empty() || !std::filesystem::exists(target.path, ignored)))
        return factsOfLibrary(info); // connecting would make the file
    ConnectTarget connect;
    connect.uri = target;
    connect.look = true;
    for (const OptionSpec& option : info.connection)
        connect.connection.emplace(option.name, option.defaultValue);
    auto admin = driver->admin(connect);
    if (!admin)
        return tl::unexpected(admin.error());
    return (*admin)->facts();
}

} // namespace dyno
