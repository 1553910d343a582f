// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/live_metrics.h>

namespace dyno {

struct MetricsServer::Private
{
};

MetricsServer::MetricsServer(std::unique_ptr<Private> parts)
    : d(std::move(parts))
{
}

MetricsServer::~MetricsServer() = default;

Expected<std::unique_ptr<MetricsServer>> MetricsServer::listen(const MetricsAddress&, std::function<std::string()>)
{
    return fail({ErrorKind::BadInput,
                 "metrics are not served: this build has no HTTP library",
                 {},
                 "build it where cpp-httplib is installed (libcpp-httplib-dev)"});
}

std::string MetricsServer::url() const
{
    return {};
}

} // namespace dyno
