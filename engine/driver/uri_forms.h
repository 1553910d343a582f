// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What each driver's folder says of its URIs, in NAME_uri.cpp; in every build, since it needs no client library.
#pragma once

#include <dyno/uri_form.h>

namespace dyno {

[[nodiscard]] UriForm sqliteUriForm();
[[nodiscard]] UriForm mysqlUriForm();
[[nodiscard]] UriForm mongodbUriForm();
[[nodiscard]] UriForm nullUriForm();

} // namespace dyno
