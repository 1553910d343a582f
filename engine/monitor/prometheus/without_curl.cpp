// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/exporter_client.h"

namespace dyno {

struct ExporterClient::Private
{
};

ExporterClient::ExporterClient(std::string, Options) {}
ExporterClient::~ExporterClient() = default;

Expected<std::string> ExporterClient::fetch()
{
    return fail({ErrorKind::Failed, "this build has no libcurl", {}, {}});
}

Expected<ExporterClient::Answer> ExporterClient::get(std::string_view)
{
    return fail({ErrorKind::Failed, "this build has no libcurl", {}, {}});
}

bool ExporterClient::tooLarge() const
{
    return false;
}

} // namespace dyno
