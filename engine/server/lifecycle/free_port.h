// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A port for a server of our own.
#pragma once

namespace dyno {

//! A port of 127.0.0.1 that nobody listens on now; 0 when there is none. Somebody else may take it before the server
//! does: then try again. Any thread.
[[nodiscard]] int freeLocalPort();

} // namespace dyno
