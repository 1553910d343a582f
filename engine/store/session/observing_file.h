// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What observing a run cost, as a file that the session keeps, see dyno/observing.h.
#pragma once

#include <dyno/observing.h>

#include <string>
#include <string_view>

namespace dyno {

[[nodiscard]] std::string observingFile(int run); //!< its name among the session's files; `run` is RunHeader::index
[[nodiscard]] bool isObservingFile(std::string_view name);
//! Reading never fails: what is missing or of another type is not there; of a stranger's file bounded much.
[[nodiscard]] ObservingCost readObserving(std::string_view json);

} // namespace dyno
