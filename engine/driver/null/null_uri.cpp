// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/uri_forms.h"

#include <charconv>
#include <fmt/format.h>

namespace dyno {

namespace {

std::optional<Error> faultOf(const TargetUri& uri)
{
    for (const auto& [name, value] : uri.query) {
        if (name != "service_us" && name != "fail_every")
            continue; // words; the driver knows them
        std::int64_t number = -1;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < 0)
            return Error{ErrorKind::BadInput,
                         fmt::format("{}=\"{}\" is not a whole number of at least 0", name, value),
                         {},
                         fmt::format("write it as {}", nullUriForm().schemes.front().example)};
    }
    return {};
}

bool waits(const TargetUri& uri)
{
    const auto service = uri.query.find("service_us");
    if (service == uri.query.end())
        return false;
    constexpr int kWaitsFromUs = 50; // below, the driver spins
    int us = 0;
    std::from_chars(service->second.data(), service->second.data() + service->second.size(), us);
    return us >= kWaitsFromUs;
}

} // namespace

UriForm nullUriForm()
{
    UriForm form;
    form.driver = "null";
    form.shape = UriShape::Options;
    form.kind = TargetKind::Embedded;
    form.schemes = {{"null", "null", "null:?service_us=100"}};
    form.options = {"service_us", "service_dist", "service_spread", "service_seed", "freeze_every_ms",
                    "freeze_ms",  "fail_every",   "fail_as",        "pending"};
    form.commonNames = {"null"};
    form.fault = faultOf;
    form.waits = waits;
    return form;
}

} // namespace dyno
