// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which of a run's counters a person wants to see (LoadProfile::observe). Any thread.
#pragma once

#include "samples.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Whether `name`, as a person writes it, means this counter: its name, or its source and name, as "host/sda reads",
//! "host: sda reads" or "host.sda reads"; * stands for any text, case does not matter. Behind a source dots may stand
//! between words ("host.network.received"), and "disk" for each disk of a machine ("host.disk.reads").
[[nodiscard]] bool meansCounter(std::string_view name, const CounterInfo& counter);

//! Takes CounterInfo::hidden from those that one of `names` means. Gives a sentence for each name that means none, with
//! names that are near it.
[[nodiscard]] std::vector<std::string> showCounters(std::vector<CounterInfo>& counters,
                                                    const std::vector<std::string>& names);

//! The counters that formulas among these measures ("formula:…") name and that are none of `counters`, each once.
[[nodiscard]] std::vector<std::string> unknownInFormulas(const std::vector<std::string>& measures,
                                                         const std::vector<CounterInfo>& counters);
//! "a formula names Key_raeds, and nothing that is observed is called that; near it: Key_reads"
[[nodiscard]] std::string unknownInFormula(std::string_view name, const std::vector<CounterInfo>& counters);

} // namespace dyno
