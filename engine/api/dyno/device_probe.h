// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the disk of a folder can do by itself, as a limit to hold a database's figures against. It writes and reads
//! hard, and only when a person asks for it.
#pragma once

#include "error.h"
#include "samples.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dyno {

struct DeviceProbeRequest
{
    std::string folder;                   //!< a file is made there and removed
    std::uint64_t fileBytes = 1ULL << 29; //!< a multiple of blockBytes; 64 blocks at least
    std::size_t blockBytes = 16384;       //!< of a read: a page of InnoDB. A multiple of 4096, 1 MiB at most
    int readers = 16;                     //!< how many reads are under way at once in the second part; 1 to 256
    double seconds = 5;                   //!< for each part; writing ends with the file
};

//! Work of one kind.
struct DeviceWork
{
    double perSecond = 0; //!< operations
    LatencySummary times; //!< of one operation
};

struct DeviceFigures
{
    std::string folder;
    std::string fileSystem, source; //!< as the kernel names them: "ext4", "/dev/vda"; "" where it does not tell
    //! Past the kernel's page cache (O_DIRECT). False where the file system cannot: reads may have come from memory.
    bool direct = false;
    std::uint64_t fileBytes = 0;
    std::size_t blockBytes = 0;
    int readers = 0;
    double bytesPerSecond = 0; //!< written from the beginning of the file to its end, and synced
    //! Reads of a block at random places: one at a time, and `readers` at once.
    DeviceWork read, reads;
    //! Writes of 4 KiB one behind the other, each with fdatasync(2), as a database's log is written at each commit. In
    //! a file that has its size already.
    DeviceWork sync;
    std::string tool = {}; //!< that measured: "fio-3.33"; "" = our own
};

//! One JSON object, which sessions, exports and the command line have alike; and back. None for text that is none.
[[nodiscard]] std::string toJson(const DeviceFigures& figures, int indent = -1);
[[nodiscard]] std::optional<DeviceFigures> deviceFromJson(std::string_view json);

//! `stopped` is asked several times a second, on the calling thread and others. `tell` hears what is done now. The file
//! has no name once it is made: nothing stays behind, whatever happens.
[[nodiscard]] Expected<DeviceFigures> probeDevice(const DeviceProbeRequest& request,
                                                  const std::function<bool()>& stopped = {},
                                                  const std::function<void(const std::string&)>& tell = {});

//! The same measured by the program fio of the system's path; an error where there is none. Its times of a write with a
//! sync are the sums of the means of both, and percentiles of the sync alone.
[[nodiscard]] Expected<DeviceFigures> probeDeviceWithFio(const DeviceProbeRequest& request,
                                                         const std::function<bool()>& stopped = {},
                                                         const std::function<void(const std::string&)>& tell = {});
//! What fio's JSON says of the one job that it ran: `reads` or writes. An error for a text that is none, or of a job
//! that failed.
[[nodiscard]] Expected<DeviceWork> workOfFio(std::string_view json, bool reads);

} // namespace dyno
