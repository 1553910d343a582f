// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The driver for MongoDB and what speaks its protocol, on libmongoc.
//!
//! Its sessions block: one user a thread. An event-loop form is not reasonable on this library. Its asynchronous
//! machine (mongoc-async) is private and used for handshakes only; a command is one function that writes, waits and
//! reads on its stack, with no point to come back to. The one door is the stream (a table of functions), and a stream
//! that switches stacks while it waits would need a stack and a hidden context switch for each user, which is what
//! threads are, without their tools: and topology and session pools take mutexes that must not be held across such a
//! switch. The other way, writing the wire protocol anew, would measure another client than the one that people use.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& mongodbDriver();
//! What its targets are written as; in every build, since it needs no client library.
[[nodiscard]] UriForm mongodbUriForm();

} // namespace dyno
