// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files kept inside a session. A long one is several rows of the same name, each a gzip stream of its own, so that
//! none has to be in memory as a whole.
#pragma once

#include "store/library/database.h"
#include <dyno/library.h>

namespace dyno {

constexpr const char* kGzip = "application/gzip"; //!< media type of what is packed

//! Appends a piece; errors stick to the database.
void writeArtefact(Database& database, std::int64_t session, std::string_view name, std::string_view mediaType,
                   std::string_view content);

[[nodiscard]] std::vector<ArtefactInfo> readArtefacts(Database& database, std::int64_t session);
//! See Library::artefact().
[[nodiscard]] Expected<void> readArtefact(Database& database, std::int64_t session, std::string_view name,
                                          const std::function<bool(std::string_view)>& take);

//! One gzip stream; fast rather than small.
[[nodiscard]] std::string packed(std::string_view plain);
//! What packed() was given; nullopt when it is damaged or longer than `most` bytes.
[[nodiscard]] std::optional<std::string> unpacked(std::string_view gzip, std::size_t most);

} // namespace dyno
