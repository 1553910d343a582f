// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The host's part of a pre-flight: what the machine that makes the load can bear, and whether its clock can be
//! trusted.
#pragma once

#include "driver/counter_details.h"
#include "load/preflight/preflight_needs.h"

#include <dyno/preflight.h>

#include <filesystem>

namespace dyno {

//! Where the files of Linux lie; tests name a folder of their own.
struct HostFiles
{
    std::filesystem::path root = "/";
};

//! Open files, local ports (TCP only, `sources` addresses), clock source, CPU governor; settings of the machine that
//! the plan changes.
void checkHost(const TargetNeeds& target, bool tcp, int sources, PreflightReport& report, const HostFiles& files = {});

//! Whether the kernel counts of this process what the plan wants counted of the server's; 0: not known, `unseen` says
//! why. Counts for a moment.
void checkProcessorCounters(const TargetNeeds& target, const LocalServer& server, PreflightReport& report);

//! Whether the file system of a place is this machine's: on a disk of it, or in its memory. By the table of mounts
//! alone: of a place on another machine, or of one that is mounted when it is looked at, nothing is asked.
[[nodiscard]] bool isOfThisMachine(const std::filesystem::path& place, const HostFiles& files = {});

//! The open files alone.
void checkOpenFiles(const TargetNeeds& target, PreflightReport& report);

//! Free space below `folder` against the data to be loaded and what a run needs beside it for a while; `copies` counts
//! the data itself and what is written `with` it.
void checkDisk(const std::filesystem::path& folder, const TargetNeeds& target, int copies, PreflightReport& report,
               std::string_view with = "the binary log");
//! "loading writes about 1.5 MB with the binary log, and the run needs about 3 MB more for a while".
[[nodiscard]] std::string writesText(const TargetNeeds& target, int copies, std::string_view with);

} // namespace dyno
