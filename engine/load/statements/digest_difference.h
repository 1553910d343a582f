// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server's statements did between two readings of its digest. Pure functions; any thread.
#pragma once

#include "driver/statement_digest.h"

#include <dyno/statements.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Fills RunStatements::digest, moreDigest and moreSeconds. A kind that counts less than before began again meanwhile:
//! all of it counts.
void fillDigest(RunStatements& statements, const std::vector<DigestEntry>& before,
                const std::vector<DigestEntry>& after);

//! A statement of somebody's with marks in place of quoted texts and numbers, and without comments: servers do so for
//! most kinds only. It is no statement any more where a server reads quotes in another way.
[[nodiscard]] std::string withoutLiterals(std::string_view statement);

} // namespace dyno
