// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/target.h"

#include "load/target/embedded_target.h"
#include "load/target/managed_target.h"
#include "load/target/remote_target.h"
#include "server/lifecycle/private_folder.h"

#include <dyno/machine_settings.h>

#include <utility>

namespace dyno {

std::filesystem::path workDirOf(const RunnerOptions& options)
{
    return options.workDir.empty() ? dataFolder() : options.workDir;
}

namespace {

//! As it is where there is no current folder any more.
std::filesystem::path fromRoot(const std::filesystem::path& path)
{
    std::error_code error;
    std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole;
}

} // namespace

std::filesystem::path placeOf(const TargetUri& uri, const std::filesystem::path& workDir)
{
    switch (uri.kind) {
    case TargetKind::Embedded:
        return fromRoot(uri.path.empty() ? workDir : std::filesystem::path(uri.path));
    case TargetKind::Managed: {
        const auto name = uri.query.find("name");
        return fromRoot(name == uri.query.end() ? workDir : namedServersFolder(workDir) / name->second);
    }
    case TargetKind::Remote:
        break;
    }
    return {};
}

std::unique_ptr<Target> makeTarget(TargetSetup setup)
{
    switch (setup.uri.kind) {
    case TargetKind::Embedded:
        return std::make_unique<EmbeddedTarget>(std::move(setup));
    case TargetKind::Managed:
        return std::make_unique<ManagedTarget>(std::move(setup));
    case TargetKind::Remote:
        break;
    }
    return std::make_unique<RemoteTarget>(std::move(setup));
}

} // namespace dyno
