// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a plan: its needs, the server's part (Admin::preflight), the host's part.
#include "base/sqlite_file.h"
#include "driver/control_calls.h"
#include "driver/preflight_list.h"
#include "load/data/dataset.h"
#include "load/data/others_data.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/preflight_needs.h"
#include "load/target/kept_server.h"
#include "server/knobs/knob_catalog.h"
#include "server/lifecycle/managed_server.h"
#include "server/lifecycle/server_binaries.h"
#include "server/lifecycle/server_recipe.h"
#include "server/lifecycle/start_check.h"

#include <dyno/kept_data.h>
#include <dyno/passwords.h>
#include <dyno/preflight.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using Level = PreflightLevel;

constexpr std::size_t kTablesCounted = 64; //!< tables; more look the same

ConnectTarget connectTarget(const TargetUri& uri, const TargetNeeds& target, const DriverInfo& info)
{
    ConnectTarget connect;
    connect.uri = uri;
    connect.look = true;
    Settings known;
    for (const auto& [name, value] : target.connection) {
        const bool catalogued = std::any_of(info.connection.begin(), info.connection.end(),
                                            [&](const OptionSpec& option) { return option.name == name; });
        (catalogued ? known : connect.connectionExtra).emplace(name, value);
    }
    Faults ignored; // checkPlan() tells them
    connect.connection = resolve(info.connection, known, "connection", ignored);
    return connect;
}

//! Whether what is there was loaded with other parameters than the plan's, or has other columns.
Expected<void> checkFit(const TargetNeeds& target, const std::map<std::string, std::vector<std::string>>& there,
                        Admin& admin, PreflightList& list)
{
    const auto notes = admin.dataNotes();
    if (!notes)
        return fail(notes.error());
    std::set<std::string> told;
    for (const TargetNeeds::Data& data : target.data) {
        const auto columns = there.find(data.table.name);
        if (columns == there.end() || told.contains(data.table.name))
            continue;
        const auto text = notes->find(data.table.name);
        const auto note = text == notes->end() ? std::nullopt : readDataNote(text->second);
        auto unfit = unfitTable(data.table, columns->second, note ? &*note : nullptr, data.origin, target.policy);
        if (!unfit && target.policy == PreparePolicy::Always && text == notes->end() && !target.mayReplaceOthers) {
            const auto unfinished = admin.unfinishedLoads();
            if (!unfinished)
                return fail(unfinished.error());
            if (std::ranges::find(*unfinished, data.table.name) == unfinished->end())
                unfit = madeByOthers(data.table.name, kReplaceTables);
        }
        if (!unfit && data.table.keysRepeat && target.policy != PreparePolicy::Use &&
            target.policy != PreparePolicy::Always) {
            if (const auto rows = admin.rowCount(data.table.name))
                unfit = keysInTheWay(data.table, *rows);
        }
        if (!unfit)
            continue;
        if (note && note->rows != data.table.rows && columns->second == data.table.columns) {
            const auto rows = admin.rowCount(data.table.name);
            if (rows && *rows == data.table.rows)
                continue; // another program's table has taken its place, see ensureDataset()
        }
        told.insert(data.table.name);
        list.add("data", Level::Blocker, unfit->message, unfit->remedy);
    }
    return {};
}

//! Whether tables are missing: then they are loaded, or the plan cannot run; and whether those that are there will do.
Expected<void> checkTables(TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    std::vector<std::string> missing;
    std::map<std::string, std::vector<std::string>> there;
    for (std::size_t i = 0; i < std::min(target.tables.size(), kTablesCounted); ++i) {
        const auto columns = admin.describe(target.tables[i]);
        if (!columns)
            return fail(columns.error());
        if (columns->empty()) {
            missing.push_back(target.tables[i]);
            continue;
        }
        for (const ColumnShape& column : *columns)
            there[target.tables[i]].push_back(column.name);
    }
    target.needs.creates =
        target.policy == PreparePolicy::Always || (target.policy == PreparePolicy::Auto && !missing.empty());
    if (target.needs.creates)
        addLoadRights(target);
    PreflightList list(items);
    const std::string count = counted(target.tables.size(), "table", "tables");
    if (!mayLoad(target.policy) && !missing.empty())
        list.add("tables", Level::Blocker,
                 missing.size() == 1 ? fmt::format("the plan needs {}; {} is not there", count, missing.front())
                                     : fmt::format("the plan needs {}; {} and {} more are not there", count,
                                                   missing.front(), missing.size() - 1),
                 "load the data first: `dyno prepare`, or let the plan load it (prepare = \"auto\")");
    else if (!target.tables.empty())
        list.ok("tables", target.needs.creates
                              ? fmt::format("{} will be made and loaded", count)
                              : fmt::format("{} {} there", count, target.tables.size() == 1 ? "is" : "are"));
    return checkFit(target, there, admin, list);
}

//! Whether a probe's query has an answer.
using AskProbe = std::function<Expected<bool>(const std::string& query)>;

//! Whether there is what the plan needs of the server, each question once: a run asks for the same, whatever tables are
//! there.
Expected<void> checkProbes(const TargetNeeds& target, const AskProbe& there, std::vector<PreflightItem>& items)
{
    std::set<std::string> asked;
    const auto ask = [&](const std::vector<FeatureProbe>& probes, const char* id, Level level) -> Expected<void> {
        for (const FeatureProbe& probe : probes) {
            if (!asked.insert(probe.query).second)
                continue;
            const auto found = there(probe.query);
            if (!found)
                return fail(found.error());
            if (!*found)
                PreflightList(items).add(id, level, probe.missing, probe.remedy);
        }
        return {};
    };
    if (auto done = ask(target.probes, "features", Level::Blocker); !done)
        return done;
    return ask(target.transactionProbes, "transactions", Level::Warning);
}

//! Tables that are there and stay may have another engine than the plan names.
Expected<void> checkEnginesThere(const TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    const auto told = [](const PreflightItem& item) { return item.id == "transactions" || item.id == "features"; };
    if (target.transactionProbes.empty() || target.policy == PreparePolicy::Always || std::ranges::any_of(items, told))
        return {};
    const std::vector<std::string> tables(
        target.tables.begin(), target.tables.begin() + std::ptrdiff_t(std::min(target.tables.size(), kTablesCounted)));
    const auto rows = admin.query(fmt::format("SELECT t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t JOIN "
                                              "information_schema.ENGINES e ON e.ENGINE = t.ENGINE "
                                              "WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME IN ('{}') AND "
                                              "COALESCE(e.TRANSACTIONS, 'NO') <> 'YES' ORDER BY 1 LIMIT 1",
                                              fmt::join(tables, "', '")));
    if (!rows)
        return fail(rows.error());
    if (!rows->empty() && rows->front().size() == 2)
        PreflightList(items).add(
            "transactions", Level::Warning,
            fmt::format("the table {} is of the storage engine {}, which has no transactions, and the workload begins"
                        " some: each of its statements would stand alone",
                        rows->front()[0], rows->front()[1]),
            "load it anew (`--existing rebuild`, in a plan prepare = \"always\"), or use workload parameters that"
            " begin none, unless that is meant");
    return {};
}

Expected<void> checkServer(const TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items)
{
    const auto ask = [&admin](const std::string& query) -> Expected<bool> {
        return admin.query(query).map([](const TextRows& rows) { return !rows.empty(); });
    };
    if (auto asked = checkProbes(target, ask, items); !asked)
        return asked;
    return checkEnginesThere(target, admin, items);
}

bool isHere(const PreflightReport& report, const TargetUri& uri)
{
    return report.server.transport == "Unix socket" || isLocal(uri);
}

int sourcesIn(const Settings& connection)
{
    const std::string text = textOf(connection, "source_addresses");
    int sources = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(", ;", at), text.size());
        sources += end > at ? 1 : 0;
        at = end + 1;
    }
    return sources;
}

//! Adds the risk of writing where others have their data.
Expected<void> checkOthersData(const TargetUri& uri, const TargetNeeds& target, Admin& admin,
                               const RunnerOptions& options, PreflightReport& report)
{
    auto risk = othersDataRisk(admin, uri,
                               {.tables = target.tables,
                                .makes = mayLoad(target.policy),
                                .drops = target.policy == PreparePolicy::Always,
                                .writes = target.writes});
    if (!risk)
        return tl::unexpected(risk.error());
    if (*risk)
        (options.consent.covers(**risk) ? report.agreed : report.risks).push_back(std::move(**risk));
    return {};
}

Expected<PreflightReport> remote(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    Driver* driver = driverFor(uri.driver);
    if (!driver)
        return fail({ErrorKind::BadInput,
                     fmt::format("this build has no driver for {}", uri.display()),
                     {},
                     "see `dyno drivers`"});
    auto admin = driver->admin(connectTarget(uri, target, driver->info()));
    if (!admin)
        return fail(std::move(admin.error()));
    std::vector<PreflightItem> items;
    PreflightReport found;
    if (uri.database.empty() && !target.tables.empty()) {
        PreflightList(items).add("database", Level::Blocker, "the URI names no database",
                                 fmt::format("name one: {}://user@host/DATABASE", uri.scheme));
    } else if (auto looked = checkTables(target, **admin, items); !looked) {
        return fail(std::move(looked.error()));
    } else if (auto asked = checkServer(target, **admin, items); !asked) {
        return fail(std::move(asked.error()));
    } else if (auto others = checkOthersData(uri, target, **admin, options, found); !others) {
        return fail(std::move(others.error()));
    }
    if (uri.database.empty())
        target.needs.rights.clear(); // on what?
    auto report = (*admin)->preflight(target.needs);
    if (!report)
        return report;
    report->target = uri.display();
    report->risks = std::move(found.risks);
    report->agreed = std::move(found.agreed);
    report->items.insert(report->items.begin(), std::make_move_iterator(items.begin()),
                         std::make_move_iterator(items.end()));
    const std::string folder = textOf(report->server.variables, "datadir");
    if (isHere(*report, uri) && !folder.empty()) {
        const Value log = parseValue(textOf(report->server.variables, "log_bin"));
        const auto* binlog = std::get_if<bool>(&log);
        checkDisk(folder, target, binlog && *binlog ? 2 : 1, *report);
    } else if ((target.needs.creates && target.needs.dataBytes > 0) || target.scratchBytes > 0) {
        PreflightList(report->items)
            .add("free_disk", Level::Note,
                 fmt::format("{}; the server's free space cannot be seen from here", writesText(target, 1, {})),
                 "look at the server's free space yourself");
    }
    checkHost(target, report->server.transport == "TCP", sourcesIn(target.connection), *report);
    return report;
}

//! A folder, or what there is of it: a look makes none.
fs::path existing(fs::path folder)
{
    std::error_code ignored;
    folder = fs::absolute(folder, ignored);
    while (folder != folder.root_path() && !fs::exists(folder, ignored))
        folder = folder.parent_path();
    return folder;
}

//! Whether the server takes the knobs of each point; what is the same for several is told once.
void checkKnobSets(const ServerBinaries& program, const TargetNeeds& target, bool tcp, bool encryptionIsTold,
                   PreflightList& list)
{
    std::vector<std::pair<Error, std::vector<std::string>>> told; // with the points
    const auto tell = [&told](const Error& error, const std::string& point) {
        const auto same = [&error](const auto& one) { return one.first.message == error.message; };
        auto found = std::ranges::find_if(told, same);
        if (found == told.end())
            found = told.insert(told.end(), {error, {}});
        if (!point.empty())
            found->second.push_back(point);
    };
    for (const TargetNeeds::KnobSet& set : target.knobSets) {
        Settings server = set.server;
        if (encryptionIsTold)
            server.erase("encryption");
        if (auto can = canStartWith(program, server, tcp); !can)
            tell(can.error(), set.point);
        for (const auto& [name, value] : set.table) {
            if (toText(value).empty() || toText(value) == "false")
                continue; // what is not asked for need not be there
            const auto edition = serverEdition(program.driver(), "table", name, program.name, program.version);
            if (!edition)
                tell(edition.error(), set.point);
        }
    }
    for (const auto& [error, points] : told) {
        constexpr std::size_t kMost = 3;
        std::string where = fmt::format(
            "{}", fmt::join(points.begin(), points.begin() + std::ptrdiff_t(std::min(points.size(), kMost)), "; "));
        if (points.size() > kMost)
            where += fmt::format(" and {} more", points.size() - kMost);
        list.add("server_knobs", Level::Blocker,
                 where.empty() ? error.message : fmt::format("{} (at {})", error.message, where), error.remedy);
    }
    if (told.empty() && std::ranges::any_of(target.knobSets, [](const auto& set) { return !set.server.empty(); }))
        list.ok("server_knobs", fmt::format("{} {} has all settings of the plan", program.name, program.version));
}

//! A managed server is ours to configure: what its option file will say, and what this host allows.
PreflightReport managed(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList list(report.items);
    const auto transport = uri.query.find("transport");
    const bool tcp = transport != uri.query.end() && transport->second == "tcp";
    report.server.transport = tcp ? "TCP" : "Unix socket";
    const auto program = findServer(wishOf(uri));
    if (program) {
        report.server.product = program->name;
        report.server.version = program->version;
        list.ok("server_program", fmt::format("{} {}", program->server.string(), program->version));
        const auto can = target.encrypts ? canEncrypt(*program) : Expected<void>();
        if (!can)
            list.add("encryption", Level::Blocker, can.error().message, can.error().remedy);
        else if (target.encrypts)
            list.ok("encryption", "this server can keep the keys of encrypted data");
        checkKnobSets(*program, target, tcp, !can, list);
    } else {
        list.add("server_program", Level::Blocker, program.error().message, program.error().remedy);
    }
    if (const ServerRecipe* recipe = recipeFor(uri.product))
        recipe->preflight(program ? &*program : nullptr, target.needs, target.connection, list);
    if (uri.driver == "mysql") {
        const auto known = [&target](const std::string& query) -> Expected<bool> {
            return !target.answeredByName.contains(query);
        };
        static_cast<void>(checkProbes(target, known, report.items));
    }
    target.needs.creates = mayLoad(target.policy);
    const fs::path folder = options.workDir.empty() ? dataFolder() : options.workDir;
    checkDisk(existing(folder), target, target.restores ? 2 : 1, report, "the copy that is put back");
    checkHost(target, tcp, sourcesIn(target.connection), report);
    return report;
}

PreflightReport embedded(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList list(report.items);
    if (const auto facts = inspectTarget(uri))
        report.server = *facts;
    if (isFile(uri)) {
        std::error_code ignored;
        const fs::path file = uri.path;
        const fs::path folder = uri.path.empty() ? existing(options.workDir.empty() ? dataFolder() : options.workDir)
                                                 : fs::absolute(file, ignored).parent_path();
        const bool exists = !uri.path.empty() && fs::exists(file, ignored);
        const fs::path looked = exists ? file : folder;
        if (!fs::exists(folder, ignored))
            list.add("writable", Level::Blocker, fmt::format("the folder {} is not there", folder.string()),
                     "make it, or name another file");
        else if (::access(looked.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0)
            list.add("writable", Level::Blocker, fmt::format("{} cannot be written", looked.string()),
                     "name a file in a folder of your own");
        else
            list.ok("writable", fmt::format("{} can be written", looked.string()));
        target.needs.creates = mayLoad(target.policy) && !exists;
        if (const auto ours = exists ? refusalAsTarget(file) : std::optional<Error>()) {
            list.add("data", Level::Blocker, ours->message, ours->remedy);
        } else if (exists && ::access(looked.c_str(), W_OK) == 0) {
            Driver* driver = driverFor(uri.driver);
            auto admin = driver->admin(connectTarget(uri, target, driver->info()));
            if (auto checked = admin ? checkTables(target, **admin, report.items) : Expected<void>(fail(admin.error()));
                !checked)
                list.add("tables", Level::Blocker, checked.error().message, checked.error().remedy);
        }
        checkDisk(existing(folder), target, target.restores ? 2 : 1, report, "the copy that is put back");
    }
    target.threads = true;
    checkHost(target, false, 0, report);
    return report;
}

//! The folder of a kept server that has data; nothing is made for a look.
std::optional<fs::path> keptFolder(const TargetUri& uri, const RunnerOptions& options)
{
    std::error_code ignored;
    if (!keepsData(uri))
        return {};
    fs::path folder = (options.workDir.empty() ? dataFolder() : options.workDir) / "instances" / uri.query.at("name");
    return fs::exists(folder / "data", ignored) ? std::optional(std::move(folder)) : std::nullopt;
}

//! A kept server's, which runs as it was last started meanwhile; nothing when it cannot be looked at. `server`:
//! settings of each point on it.
PreflightReport keptData(const TargetUri& uri, TargetNeeds& target, const std::vector<Settings>& server,
                         const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    Driver* const driver = driverFor(uri.driver);
    if (!driver || !keptFolder(uri, options))
        return report;
    auto kept = ManagedServer::create(uri, options.workDir.empty() ? dataFolder() : options.workDir);
    if (!kept)
        return report;
    (*kept)->setStopped(options.stopped);
    const auto tellServer = [&report](const Error& error) {
        PreflightList(report.items).add("server", Level::Warning, error.message, "see its error log");
    };
    const KeptKnobs knobs = keptKnobs((*kept)->folder());
    std::optional<std::vector<std::string>> others;
    if (auto found = othersOn(**kept, uri, options.stopped)) {
        others = std::move(*found);
    } else if (found.error().kind == ErrorKind::Interrupted) {
        tellServer(found.error());
        if (const auto ended = (*kept)->stop(); !ended)
            tellServer(ended.error());
        return report;
    }
    for (const Settings& wanted : server) {
        for (Risk& risk : keptRisks(uri, knobChanges(knobs, wanted), others)) {
            std::vector<Risk>& into = options.consent.covers(risk) ? report.agreed : report.risks;
            if (std::ranges::find(into, risk) == into.end())
                into.push_back(std::move(risk));
        }
    }
    if (others) {
        ConnectTarget connect;
        connect.uri = (*kept)->connectUri();
        Faults none;
        connect.connection = resolve(driver->info().connection, {}, "connection", none);
        auto admin = controlAdmin(*driver, connect, options.stopped);
        if (!admin || !checkOthersData(uri, target, **admin, options, report) ||
            !checkTables(target, **admin, report.items))
            report.items.clear();
    }
    std::erase_if(report.items, [](const PreflightItem& item) { return item.id != "data"; });
    if (const auto ended = (*kept)->stop(); !ended)
        tellServer(ended.error());
    return report;
}

//! Whether one of these settings differs from what the server was last started with.
bool changesKept(const TargetUri& uri, const std::vector<Settings>& server, const RunnerOptions& options)
{
    const auto folder = keptFolder(uri, options);
    if (!folder)
        return false;
    const KeptKnobs knobs = keptKnobs(*folder);
    return std::ranges::any_of(server, [&knobs](const Settings& one) { return !knobChanges(knobs, one).empty(); });
}

//! A look would do already what the plan must not do yet.
PreflightReport notLookedAt(const TargetUri& uri)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList(report.items)
        .add("agreement", Level::Note, "not looked at: what the plan asks for here would begin with a look already",
             "agree to it first, or remove it from the plan");
    return report;
}

} // namespace

bool keepsData(const TargetUri& uri)
{
    return uri.kind == TargetKind::Managed && uri.query.contains("name");
}

bool changesKeptSettings(const Plan& plan, const RunnerOptions& options)
{
    const std::vector<PointSpec> points = expand(plan).points;
    return std::ranges::any_of(points, [&options](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && changesKept(*uri, {point.server}, options);
    });
}

std::vector<PreflightReport> lookAtKeptData(const Plan& plan, const RunnerOptions& options)
{
    std::vector<PreflightReport> reports;
    if (refusalOf(plan, options.consent))
        return reports;
    const std::vector<PointSpec> points = expand(plan).points;
    for (TargetNeeds& target : needsOf(plan)) {
        const auto uri = parseUri(target.uri);
        const auto point = std::ranges::find(points, target.uri, [](const PointSpec& one) { return one.target.uri; });
        if (!uri || !keepsData(*uri) || point == points.end())
            continue;
        if (options.stopped && options.stopped())
            break;
        std::vector<Settings> server; // of all points on it
        for (const PointSpec& one : points) {
            if (one.target.uri == target.uri && std::ranges::find(server, one.server) == server.end())
                server.push_back(one.server);
        }
        const bool asks = target.policy == PreparePolicy::Auto || target.policy == PreparePolicy::Never;
        if (!asks && !changesKept(*uri, server, options))
            continue;
        PreflightReport report = keptData(*uri, target, server, options);
        const auto isOfData = [](const PreflightItem& item) { return item.id == "data"; };
        if (!asks)
            std::erase_if(report.items, isOfData);
        if (report.blocked() || !report.agreed.empty() || !std::ranges::all_of(report.items, isOfData))
            reports.push_back(std::move(report));
    }
    return reports;
}

Expected<std::vector<PreflightReport>> preflight(const Plan& plan, const RunnerOptions& options)
{
    std::vector<PreflightReport> reports;
    const std::optional<TargetUri> owner = passwordOwner(plan);
    for (TargetNeeds& target : needsOf(plan)) {
        target.mayReplaceOthers = options.consent.covers(kReplaceTables);
        auto uri = parseUri(target.uri);
        if (!uri)
            return fail(uri.error());
        std::vector<Risk> risks = uncovered(risksOf(plan, target.uri), options.consent);
        if (std::ranges::any_of(risks, &Risk::atLook)) {
            reports.push_back(notLookedAt(*uri));
        } else if (uri->kind == TargetKind::Remote) {
            uri->password = passwordFor(*uri, owner, options.password);
            auto report = remote(*uri, target, options);
            if (!report)
                return fail(std::move(report.error()));
            reports.push_back(std::move(*report));
        } else if (uri->kind == TargetKind::Managed) {
            reports.push_back(managed(*uri, target, options));
        } else {
            reports.push_back(embedded(*uri, target, options));
        }
        risks.insert(risks.end(), reports.back().risks.begin(), reports.back().risks.end());
        reports.back().risks = std::move(risks);
    }
    return reports;
}

std::vector<PreflightReport> lookBeforeStart(const Plan& plan, const RunnerOptions& options)
{
    const Expansion expansion = expand(plan);
    const std::vector<PointSpec>& points = expansion.points;
    const bool asked = std::any_of(points.begin(), points.end(), [](const PointSpec& point) {
        const auto uri = parseUri(point.target.uri);
        return uri && isLookedAtBeforeStart(*uri);
    });
    if (!asked)
        return {};
    const auto firstUri = expansion.runs.empty()
                              ? Expected<TargetUri>(fail(Error()))
                              : parseUri(points[std::size_t(expansion.runs.front().point)].target.uri);
    const std::string first = firstUri ? firstUri->display() : std::string();
    auto reports = preflight(plan, options);
    if (!reports)
        return {};
    for (PreflightReport& report : *reports) {
        const auto uri = parseUri(report.target);
        const bool file = uri && uri->kind == TargetKind::Embedded; // the rest a run finds at once
        const bool managed = uri && uri->kind == TargetKind::Managed;
        const bool others =
            uri && !mayHoldData(*uri); // what only concerns how good the figures are is for `dyno check`
        std::erase_if(report.items, [&](const PreflightItem& item) {
            if (file)
                return item.id != "data";
            if (item.id == "tables" || (item.id == "server_program" && report.target == first))
                return true;
            return managed && others && item.level != PreflightLevel::Blocker;
        });
    }
    return std::move(*reports);
}

bool isLookedAtBeforeStart(const TargetUri& uri)
{
    return mayHoldData(uri) || uri.kind == TargetKind::Managed;
}

bool mayHoldData(const TargetUri& uri)
{
    const DriverInfo* driver = findDriver(uri.driver);
    return uri.kind == TargetKind::Remote || (driver && driver->warnsBeforeStart) || (isFile(uri) && !uri.path.empty());
}

} // namespace dyno
