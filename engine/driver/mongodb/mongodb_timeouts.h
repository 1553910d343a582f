// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How long is waited where neither a knob nor the URI says so, in seconds. Without the client library.
#pragma once

namespace dyno {

inline constexpr double kDefaultConnectTimeout = 10;
inline constexpr double kDefaultSocketTimeout = 300;
inline constexpr double kDefaultSelectionTimeout = 10;

} // namespace dyno
