// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A database server that Dynobench starts for itself, in a folder of its own, reachable by a Unix socket only, or also
//! from this machine by TCP (transport=tcp), also over a network link (network_link.h). MariaDB and MySQL: root has no
//! password and comes by the socket only; by TCP there is one user with a password that nobody else knows
//! (tcp_account.h). MongoDB and FerretDB have no users on a socket; by TCP they ask for the password of one user, which
//! lies in their folder.
#pragma once

#include "server/lifecycle/server_binaries.h"

#include <dyno/path.h>
#include <dyno/servers.h>
#include <dyno/value.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! One private server. Control thread only, and that thread must outlive the server: the kernel kills the server when
//! the thread that started it ends for whatever reason (PR_SET_PDEATHSIG), so nothing is left running, not even after
//! kill −9.
class ManagedServer
{
public:
    //! Stops; removes the folder unless setKeepData(true) or the URI gives it a name.
    virtual ~ManagedServer() = default;

    //! Finds the binaries (`version`, `basedir` of the URI's query, else the path and usual places; a named server's
    //! own ones) and makes a data folder below `workDir`. Errors name what was looked for and the package to install.
    static Expected<std::unique_ptr<ManagedServer>> create(const TargetUri& uri, const std::filesystem::path& workDir);

    //! Starts with these server knobs in its option file and waits until it answers; restarts when it runs with others
    //! that cannot be changed while it runs. `wanted` holds names without scope. A knob that the data folder is made
    //! with makes another folder, or is refused when the server has a name. The error of a server that ends at its
    //! start has its own words.
    virtual Expected<void> ensure(const Settings& wanted) = 0;
    //! `stopped`: whether somebody wants to stop; asked on the control thread while a start, or the making of its data
    //! folder, or its end is waited for. It is given up a few seconds after that, as Interrupted; the next start makes
    //! what is missing. Empty: everything has all the time it may need.
    virtual void setStopped(std::function<bool()> stopped) = 0;
    //! Ends it orderly. One that does not end in two minutes is killed, and so is, once somebody wants to stop, a
    //! private one at once and a kept one after some seconds (Interrupted then): the error says so.
    virtual Expected<void> stop() = 0;
    [[nodiscard]] virtual bool running() = 0; //!< false also when it died by itself
    //! Of a server that was started and not stopped: how it ended all the same, waiting so long for its end, with the
    //! last lines of its log: "killed by signal 9; its log ends with: …". "" while it runs.
    [[nodiscard]] virtual std::string endedBy(std::chrono::milliseconds patience) = 0;
    //! For the driver; holds a password where there is one. `tls`: a server with a port of its own for TLS gives that.
    [[nodiscard]] virtual TargetUri connectUri(bool tls = false) const = 0;
    //! Connection knobs that a plan need not set: tls_ca of a server that has TLS.
    [[nodiscard]] virtual Settings connectionDefaults() const = 0;

    [[nodiscard]] virtual std::string logTail(int lines) const = 0;
    [[nodiscard]] virtual std::uint64_t logSize() const = 0;
    //! What it wrote since its log had that size; the middle of more than 256 KiB is left out.
    [[nodiscard]] virtual std::string logSince(std::uint64_t size) const = 0;
    [[nodiscard]] virtual std::string optionFile() const = 0; //!< its text
    [[nodiscard]] virtual std::filesystem::path folder() const = 0;
    [[nodiscard]] virtual const ServerBinaries& binaries() const = 0;
    [[nodiscard]] virtual int process() = 0; //!< id of the server's process, 0 when it does not run
    virtual void setKeepData(bool keep) = 0; //!< without effect on a named one, which is always kept

    //! A named server that was there already.
    [[nodiscard]] virtual bool wasThere() const = 0;
    //! Goes up each time the data folder is made anew: what was loaded before is gone then.
    [[nodiscard]] virtual int dataFolderNumber() const = 0;
    //! Stops it and keeps a copy of its data, in place of an earlier one.
    virtual Expected<void> keepCopy() = 0;
    //! Stops it and puts the copy back. Error when there is none of this data folder.
    virtual Expected<void> putBack() = 0;
    //! Whether a server by TCP is at the other end of a network link from its next start on; stops it when that is
    //! another place than now.
    virtual Expected<void> setLinked(bool linked) = 0;
    //! Limits of that link; {} takes them off. Error of any other server when there is something to limit.
    virtual Expected<void> shapeLink(const LinkShape& shape) = 0;
    //! The users' end of that link, a network device of this machine; "" without one.
    [[nodiscard]] virtual std::string linkDevice() const = 0;
    [[nodiscard]] virtual std::vector<DataPart> dataParts() const = 0;
    //! See offPagePartsOf().
    [[nodiscard]] virtual std::vector<DataPart> offPageParts(const std::vector<std::string>& tables) const = 0;
};

} // namespace dyno
