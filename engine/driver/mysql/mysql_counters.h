// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Figures that a server of the MySQL family does not say itself, from rows that it says. Pure.
#pragma once

#include "driver/driver.h"

#include <string>
#include <vector>

namespace dyno::mysql {

//! To `status`, rows of a name and a value. MySQL tells since 8.0.30 where the redo log ends, where its last checkpoint
//! is and how large its files are: what others call the age of the checkpoint, and its limit, which is an estimate.
void addCheckpointAge(TextRows& status);

//! Of a row for each source that a replica has: names and values, the largest of each over all sources. None where a
//! source has no value: one that does not apply now has no seconds.
[[nodiscard]] TextRows replicaFigures(const std::vector<std::string>& columns, const TextRows& sources);

} // namespace dyno::mysql
