// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A database server that Dynobench starts for itself, in a folder of its own, reachable by a Unix socket only.
#pragma once

#include <dyno/uri.h>
#include <dyno/value.h>

#include <filesystem>
#include <memory>
#include <string>

namespace dyno {

//! One private server. Control thread only, and that thread must outlive the server: the kernel kills the server when
//! the thread that started it ends for whatever reason (PR_SET_PDEATHSIG), so nothing is left running, not even after
//! kill −9.
class ManagedServer
{
public:
    virtual ~ManagedServer() = default; //!< stops; removes the folder unless setKeepData(true)

    //! Finds the binaries (`version`, `basedir` of the URI's query, else the path and usual places) and makes a data
    //! folder below `workDir`. Errors name what was looked for and the package to install.
    static Expected<std::unique_ptr<ManagedServer>> create(const TargetUri& uri, const std::filesystem::path& workDir);

    //! Starts with these server knobs in its option file and waits until it answers; restarts when it runs with others
    //! that cannot be changed while it runs. `wanted` holds names without scope.
    virtual Expected<void> ensure(const Settings& wanted) = 0;
    virtual Expected<void> stop() = 0;
    [[nodiscard]] virtual bool running() = 0;               //!< false also when it died by itself
    [[nodiscard]] virtual TargetUri connectUri() const = 0; //!< for the driver
    [[nodiscard]] virtual std::string logTail(int lines) const = 0;
    [[nodiscard]] virtual std::string optionFile() const = 0; //!< its text
    [[nodiscard]] virtual std::filesystem::path folder() const = 0;
    virtual void setKeepData(bool keep) = 0;
};

} // namespace dyno
