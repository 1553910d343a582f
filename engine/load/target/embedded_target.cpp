// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/embedded_target.h"

#include "base/data_folder.h"
#include "load/preflight/kind_preflight.h"
#include "load/target/sqlite_file.h"
#include "server/lifecycle/private_folder.h"

#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <system_error>

namespace dyno {

namespace fs = std::filesystem;

EmbeddedTarget::~EmbeddedTarget()
{
    m_open.reset(); // before its data go
    std::error_code ignored;
    if (!m_copy.empty())
        fs::remove_all(m_copy, ignored);
}

std::optional<Error> EmbeddedTarget::refusal() const
{
    return isFile(m_uri) && !m_uri.path.empty() ? refusalAsTarget(m_uri.path) : std::nullopt;
}

Expected<void> EmbeddedTarget::isThere() const
{
    std::error_code ignored;
    if (!m_uri.path.empty() && !fs::exists(m_uri.path, ignored))
        return fail({ErrorKind::BadInput, fmt::format("there is no such {}", nounOf(isFolder(m_uri))), m_uri.display(),
                     "correct the path"});
    return {};
}

Expected<PreflightReport> EmbeddedTarget::preflight(TargetNeeds& needs)
{
    return embeddedPreflight(m_uri, needs, m_options);
}

//! The rest a run finds at once.
bool EmbeddedTarget::toldBeforeStart(const PreflightItem& item, bool /*first*/) const
{
    return item.id == "data";
}

Expected<void> EmbeddedTarget::find()
{
    m_open.reset();
    if (!isFile(m_uri) || !m_file.empty())
        return {};
    if (m_uri.path.empty()) {
        // Without a path it is a private file or folder of this session.
        auto made = PrivateData::create(workDirOf(m_options));
        if (!made)
            return tl::unexpected(made.error());
        m_private = std::make_unique<PrivateData>(std::move(*made));
        m_file = m_private->file();
        m_reachable.path = m_file.string();
        m_data.setOurs(true);
        return {};
    }
    // Once more at the last moment: opening it would change its journal mode already.
    if (const auto risk = fileRisk(m_uri); risk && !m_options.consent.covers(*risk))
        return fail(
            {ErrorKind::BadInput, "this plan wants to do what you have not allowed: " + toText(*risk),
             std::string(kTargetKey),
             fmt::format("use a {} of its own, or allow it; nothing was changed there", nounOf(isFolder(m_uri)))});
    m_file = m_uri.path;
    m_data.setOurs(!holdsData(m_file, isFolder(m_uri))); // what was there before belongs to the user
    return {};
}

fs::path EmbeddedTarget::folderFound() const
{
    if (m_file.empty())
        return {};
    return m_private ? m_file.parent_path() : folderOfData(m_uri);
}

Expected<void> EmbeddedTarget::mayRestore() const
{
    if (m_file.empty() || m_data.ours())
        return {};
    return fail({ErrorKind::BadInput, fmt::format("{} was there before and is not replaced by a copy", m_file.string()),
                 "load.data", fmt::format("name a new one, use {}: alone, or load.data = \"keep\"", m_uri.scheme)});
}

Expected<void> EmbeddedTarget::putBack()
{
    m_open.reset(); // an open database would take files out of the folder that it does not know
    removeData();
    return isFolder(m_uri) ? copyTree(m_copy, m_file) : copyFile(m_copy, m_file);
}

void EmbeddedTarget::removeData() const
{
    if (isFolder(m_uri))
        emptyDataFolder(m_file);
    else
        removeSqliteFile(m_file);
}

void EmbeddedTarget::describe(ReadyTarget& /*ready*/)
{
    m_open = m_driver->hold(m_reachable);
}

//! Beside the file, under a name that nobody had.
Expected<std::string> EmbeddedTarget::keepCopy()
{
    if (m_copy.empty()) {
        auto made = isFolder(m_uri) ? newFolderBeside(m_file) : newFileBeside(m_file);
        if (!made)
            return tl::unexpected(made.error());
        m_copy = std::move(*made);
    }
    std::error_code ignored;
    if (isFolder(m_uri))
        fs::remove_all(m_copy, ignored);
    if (auto copied = isFolder(m_uri) ? copyTree(m_file, m_copy) : copyFile(m_file, m_copy); !copied)
        return tl::unexpected(copied.error());
    return fmt::format("{} copied", nounOf(isFolder(m_uri)));
}

//! It was looked at in find(), before it was opened; what a session made is its own.
Expected<void> EmbeddedTarget::mayWrite(const DataWish& /*wish*/, Admin& /*admin*/)
{
    return {};
}

Expected<void> EmbeddedTarget::recreate(const ConnectTarget& target, std::unique_ptr<Admin>& admin)
{
    admin.reset();
    m_open.reset();
    removeData();
    m_data.forget();
    auto fresh = control(target);
    if (!fresh)
        return tl::unexpected(fresh.error());
    admin = std::move(*fresh);
    return {};
}

//! Tables that are dropped leave free pages in their file: a run would insert into these, and its data would seem
//! larger. So a file of the session is made anew where other data, or newly loaded ones, follow; and where it has
//! another form than the plan says.
Expected<void> EmbeddedTarget::recreateIfNeeded(const DataWish& wish, std::unique_ptr<Admin>& admin)
{
    if (m_file.empty())
        return {};
    if (m_data.loadsAnew(wish))
        return recreate(wish.target, admin);
    // Tables in a folder get their form when they are made.
    if (isFolder(m_uri) && m_data.replaces(wish))
        return {};
    auto facts = admin->facts();
    if (!facts)
        return tl::unexpected(facts.error());
    for (const OptionSpec& option : m_driver->info().connection) {
        if (!option.affectsData || !wish.point.connection.contains(option.name))
            continue;
        const std::string wanted = textOf(wish.target.connection, option.name);
        const std::string found = textOf(facts->variables, option.name);
        if (found.empty() || found == wanted)
            continue;
        if (!m_data.ours())
            return fail({ErrorKind::Refused,
                         fmt::format("{} has {} {}, the plan says {}", m_file.string(), option.name, found, wanted),
                         m_file.string(),
                         fmt::format("it cannot be changed in a {0} that is there already: name a new {0}",
                                     nounOf(isFolder(m_uri)))});
        return recreate(wish.target, admin);
    }
    return {};
}

} // namespace dyno
