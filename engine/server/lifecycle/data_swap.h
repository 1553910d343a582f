// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Replaces the data folder of a server by another one, so that a whole one is there whenever we are killed: rename
//! first, delete last. Control thread only; the caller holds the lock of the folder.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <functional>

namespace dyno {

//! Names in a server's folder.
constexpr const char* kDataFolder = "data";
constexpr const char* kDataBack = "data.back"; //!< the new one; whole once kDataFolder has got out of its way
constexpr const char* kDataOld = "data.old";   //!< the one before; whole until kDataFolder is there again

//! What has been done of swapData(), in this order.
enum class SwapStep {
    Filled,   //!< kDataBack is whole and on the disk
    OldAside, //!< kDataFolder is called kDataOld now
    InPlace,  //!< kDataBack is called kDataFolder now
    Removed,  //!< kDataOld is gone
};

//! Lets `fill` make the new data folder under the path that it is given, and puts it in the place of `folder`/data.
//! With an error the old one is there as it was. `onStep`: for tests; an exception from it is let through.
[[nodiscard]] Expected<void> swapData(const std::filesystem::path& folder,
                                      const std::function<Expected<void>(const std::filesystem::path& into)>& fill,
                                      const std::function<void(SwapStep)>& onStep = {});

//! Finishes what a killed owner has begun: the whole one becomes `folder`/data, what else lies there is removed. True
//! when there is data then. Error when it cannot be renamed: nothing is removed.
[[nodiscard]] Expected<bool> recoverData(const std::filesystem::path& folder);

//! True when data lie in `folder` under any of the names, or when that cannot be told.
[[nodiscard]] bool mayHoldData(const std::filesystem::path& folder);

} // namespace dyno
