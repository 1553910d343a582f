// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Indices that cannot be mixed up.
#pragma once

#include <cstdint>

namespace dyno {

enum class OpId : std::uint16_t {};        //!< index into WorkloadInfo::operations
enum class StatementId : std::uint32_t {}; //!< index into a StatementSet
enum class UserId : std::uint32_t {};      //!< virtual user, 0-based

template<class Id>
constexpr auto indexOf(Id id)
{
    return static_cast<std::size_t>(id);
}

} // namespace dyno
