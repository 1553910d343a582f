// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What nobody sees of a run, since an account lacks a right or a kernel does not tell it, and what to do about it.
#pragma once

#include "driver/counter_details.h"
#include <dyno/samples.h>

#include <string>
#include <vector>

namespace dyno {

//! Of this machine, whose HostUsage has these series.
[[nodiscard]] std::vector<UnseenCounters> unseenOfHost(const std::vector<CounterInfo>& series);

//! "InnoDB's metrics, MyRocks' column families (GRANT PROCESS …); disks of this machine (…)": those of one remedy
//! together. "" for nothing.
[[nodiscard]] std::string unseenText(const std::vector<UnseenCounters>& unseen);

} // namespace dyno
