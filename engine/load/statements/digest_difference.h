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

//! Fills RunStatements::digest, moreDigest, moreSeconds and digestNote. Entries with the same key are one. How much a
//! kind grew whose figures went down is not known: it is in the note alone. Kinds of other databases than `database`
//! are one row; "": all are told.
void fillDigest(RunStatements& statements, const std::vector<DigestEntry>& before,
                const std::vector<DigestEntry>& after, std::string_view database = {});

//! A statement with marks in place of quoted texts and numbers, and without comments. It is no statement any more where
//! a server reads quotes in another way.
[[nodiscard]] std::string withoutLiterals(std::string_view statement, bool backslashes = true);
//! A statement of somebody's as it is kept, without literals: servers replace those of most kinds only. Of one that
//! makes accounts, or where it is not clear what is a literal, only its first words.
[[nodiscard]] std::string keptStatement(std::string_view statement);
//! The same of one as its client sent it, whatever the server's dialect: double quotes hold a literal too, and where
//! dialects differ in what is one, only the first word is kept.
[[nodiscard]] std::string keptClientStatement(std::string_view statement);

} // namespace dyno
