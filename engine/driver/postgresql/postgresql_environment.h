// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! libpq takes whatever it is not told from variables of the environment and from files in the home folder. A run is
//! what its plan says, so here they decide nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dyno::postgresql {

//! Removes from this process's environment what libpq would read there (PGHOST, PGPASSWORD, PGSERVICE, PGOPTIONS,
//! PGTZ …): some of it has no keyword that could say "none". And keeps it from translating its errors. Once, before
//! the library is used, while no other thread reads the environment. The user's own commands get the former variables.
void forgetEnvironment();

//! Keywords that keep libpq from ~/.pgpass and ~/.postgresql: with files that cannot be there.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> withoutHomeFiles();

} // namespace dyno::postgresql
