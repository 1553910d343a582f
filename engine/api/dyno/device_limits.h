// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a disk can do as a line in a chart (View::limit), by names. Pure functions; any thread.
#pragma once

#include "device_probe.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! One figure of DeviceFigures that a measure can be held against.
struct DeviceLimitInfo
{
    std::string name;   //!< as in a view: "disk reads"
    std::string help;   //!< what it is
    bool bytes = false; //!< bytes a second; else how many a second
    double (*value)(const DeviceFigures&) = nullptr;
};
[[nodiscard]] const std::vector<DeviceLimitInfo>& deviceLimits();
//! nullptr when there is none of that name.
[[nodiscard]] const DeviceLimitInfo* findDeviceLimit(std::string_view name);

//! A limit with its figure.
struct DeviceLimit
{
    std::string name; //!< "disk reads"; with the disk's name where several were measured: "disk reads of /dev/vda"
    double value = 0; //!< in the unit of the measure beside it
    bool bytes = false;
};
//! "disk reads; disk syncs" -> the names, without empty ones.
[[nodiscard]] std::vector<std::string> limitNames(std::string_view text);
//! Whether a measure of this unit ("transactions/s", "bytes/s") can be held against it.
[[nodiscard]] bool hasUnitOf(const DeviceLimitInfo& limit, std::string_view unit);

} // namespace dyno
