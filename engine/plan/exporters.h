// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Prometheus exporters whose series a session stores beside the server's: settings of the plan as a whole,
//! "exporter.NAME" = "URL PATTERN …".
#pragma once

#include <dyno/plan.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

inline constexpr std::string_view kExporterScope = "exporter";
constexpr std::size_t kMostExporters = 8; //!< of a plan: each has a thread and a request an interval

struct Exporter
{
    std::string name; //!< as series are told apart by it
    std::string url;
    std::string host;                 //!< of the URL, without its port
    std::vector<std::string> include; //!< patterns; empty: all series
};

//! Whether series may be told apart by this name beside those of the server and of this machine.
[[nodiscard]] bool isSourceName(std::string_view name);
[[nodiscard]] std::string sourceNameRule(); //!< a remedy
//! How messages tell of an address.
struct HttpWords
{
    std::string_view what, example, insteadOfPassword; //!< "an exporter"; a URL; a remedy
};
//! The host of an http:// or https:// URL without its port. One that holds a user or a password is refused, and so is
//! what the HTTP client might take for another host; messages repeat nothing of it.
[[nodiscard]] Expected<std::string> httpHostOf(std::string_view url, const HttpWords& words);
//! One of them by its setting. An error says what is wrong and what would be right.
[[nodiscard]] Expected<Exporter> exporterFrom(std::string_view name, const Value& value);
//! All of a plan without faults, in the order of their names.
[[nodiscard]] std::vector<Exporter> exportersOf(const Plan& plan);
//! "http://127.0.0.1:9100": whom such a URL asks.
[[nodiscard]] std::string hostOfUrl(std::string_view url);

} // namespace dyno
