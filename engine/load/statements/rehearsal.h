// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which statements a workload sends for which operation, and with what values: some transactions of it without a
//! server.
#pragma once

#include "driver/driver.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace dyno {

//! A statement as a workload sends it.
struct SentKind
{
    std::string operation; //!< "": not known
    bool prepared = false;
    std::string text;
    std::vector<Param> params;
    std::vector<std::string> texts; //!< that params refer to
};

//! Kinds that look alike but for numbers and literals are one; a few of each operation. Nothing is sent: each answer is
//! made up, so that a transaction may end early and some kinds do not show. What `workload` counts by itself moves on:
//! give it one that nobody else uses. What is in its statements() and did not show follows, with values of its types.
[[nodiscard]] std::vector<SentKind>
rehearse(const WorkloadInstance& workload, const std::vector<OperationInfo>& operations, std::uint64_t seed, int users);

//! A command on documents as "find orders {filter: {name: ?}}", without values.
[[nodiscard]] std::string documentShape(std::string_view text);

//! The text without numbers and literals, to tell kinds apart.
[[nodiscard]] std::string kindKey(std::string_view text);

} // namespace dyno
