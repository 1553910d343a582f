// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/preflight/kind_preflight.h"

#include "base/data_folder.h"
#include "base/sqlite_file.h"
#include "driver/preflight_list.h"
#include "load/preflight/preflight_host.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"

#include <dyno/uri_form.h>

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

namespace dyno {

namespace fs = std::filesystem;

PreflightReport embeddedPreflight(const TargetUri& uri, TargetNeeds& target, const RunnerOptions& options)
{
    PreflightReport report;
    report.target = uri.display();
    PreflightList list(report.items);
    if (const auto facts = inspectTarget(uri))
        report.server = *facts;
    if (isFile(uri)) {
        std::error_code ignored;
        const fs::path file = uri.path;
        const fs::path folder =
            uri.path.empty() ? existing(workDirOf(options)) : fs::absolute(file, ignored).parent_path();
        const bool exists = !uri.path.empty() && holdsData(file, isFolder(uri));
        const char* const noun = nounOf(isFolder(uri));
        const fs::path looked = exists ? file : folder;
        if (!fs::exists(folder, ignored))
            list.add("writable", PreflightLevel::Blocker, fmt::format("the folder {} is not there", folder.string()),
                     fmt::format("make it, or name another {}", noun));
        else if (::access(looked.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0)
            list.add("writable", PreflightLevel::Blocker, fmt::format("{} cannot be written", looked.string()),
                     fmt::format("name a {} in a folder of your own", noun));
        else
            list.ok("writable", fmt::format("{} can be written", looked.string()));
        target.needs.creates = mayLoad(target.policy) && !exists;
        if (const auto ours = exists && !isFolder(uri) ? refusalAsTarget(file) : std::optional<Error>()) {
            list.add("data", PreflightLevel::Blocker, ours->message, ours->remedy);
        } else if (exists && ::access(looked.c_str(), W_OK) == 0) {
            Driver* driver = driverFor(uri.driver);
            auto admin = driver->admin(lookTarget(uri, target.connection, driver->info()));
            if (auto checked = admin ? checkTables(target, **admin, report.items) : Expected<void>(fail(admin.error()));
                !checked)
                list.add("tables", PreflightLevel::Blocker, checked.error().message, checked.error().remedy);
        }
        checkDisk(existing(folder), target, target.restores ? 2 : 1, report, "the copy that is put back");
    }
    target.threads = true;
    checkHost(target, false, 0, report);
    return report;
}

} // namespace dyno
