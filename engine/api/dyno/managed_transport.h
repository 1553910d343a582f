// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the users of a managed server reach it.
#pragma once

#include "uri.h"

namespace dyno {

//! By TCP, as its URI says or because the product has no Unix socket; else by a Unix socket. `uri`: one of "managed:".
[[nodiscard]] bool listensOnTcp(const TargetUri& uri);

} // namespace dyno
