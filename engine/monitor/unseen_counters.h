// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What nobody sees of a run, since an account lacks a right or a kernel does not tell it, and what to do about it.
#pragma once

#include "driver/counter_details.h"
#include <dyno/samples.h>

#include <string>
#include <vector>

namespace dyno {

//! Of this machine, whose HostUsage has these series; why: as its files below `root` say.
[[nodiscard]] std::vector<UnseenCounters> unseenOfHost(const std::vector<CounterInfo>& series,
                                                       const std::string& root = {});

//! Of the server's own process: why it is not known, or what the kernel does not show of it, as its files below `root`
//! say.
[[nodiscard]] std::vector<UnseenCounters> unseenOfProcess(const LocalServer& server, const std::string& root = {});

//! Why nothing can be counted of a server's process that is not known; `observes`: counters are wanted at all;
//! `isHere`: the server is on this machine. Without a full stop.
[[nodiscard]] std::string whyNoProcess(const LocalServer& server, bool observes, bool isHere);

//! What an event of a run may say: nobody's name, and nothing that may not be there.
[[nodiscard]] std::vector<UnseenCounters> unseenOfRun(std::vector<UnseenCounters> unseen);

//! "InnoDB's metrics, MyRocks' column families (GRANT PROCESS …); disks of this machine (…)": those of one remedy
//! together. "" for nothing.
[[nodiscard]] std::string unseenText(const std::vector<UnseenCounters>& unseen);

} // namespace dyno
