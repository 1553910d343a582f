// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What observing a run cost, as a file that the session keeps, see dyno/observing.h.
#pragma once

#include <dyno/observing.h>

#include <functional>
#include <string>
#include <string_view>

namespace dyno {

[[nodiscard]] std::string observingFile(int run); //!< its name among the session's files; `run` is RunHeader::index
[[nodiscard]] bool isObservingFile(std::string_view name);
//! Reading never fails: what is missing or of another type is not there; of a stranger's file bounded much.
[[nodiscard]] ObservingCost readObserving(std::string_view json);
//! What a session writes itself as `source` or `what`: words that name nobody.
[[nodiscard]] bool isObservingWord(std::string_view word);
//! observingCost() for one run after the other of a session, whose files are listed once.
[[nodiscard]] std::function<Expected<std::optional<ObservingCost>>(int run)> observingCosts(Library& library,
                                                                                            std::string session);

} // namespace dyno
