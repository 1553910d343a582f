// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sessions as a person names them: an id, the beginning of one, "last", or a .dyno file.
#pragma once

#include <dyno/library.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::cli {

struct FoundSession
{
    std::unique_ptr<Library> library;
    StoredSession session;
};
//! `library` is a file, "" = the user's own.
[[nodiscard]] Expected<FoundSession> findSession(const std::string& name, const std::string& library,
                                                 Library::Mode mode = Library::Mode::ReadOnly);
//! nullptr when there is no library yet; that is no error.
[[nodiscard]] Expected<std::unique_ptr<Library>> openLibrary(const std::string& file,
                                                             Library::Mode mode = Library::Mode::ReadOnly);
//! "nightly, main" → the two; without blanks around them and without empty ones.
[[nodiscard]] std::vector<std::string> tagsIn(std::string_view text);

} // namespace dyno::cli
