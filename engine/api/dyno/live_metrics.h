// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The figures of a session while it runs, in the text format that Prometheus reads (0.0.4), and an address at which
//! they are served. A person asks for that; no plan does.
#pragma once

#include "error.h"
#include "runner.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dyno {

//! Where to listen: an address, not a name, so that nobody else decides which one it is.
struct MetricsAddress
{
    std::string host = "127.0.0.1";         //!< of IPv6 without brackets
    int port = 0;                           //!< 0 = any free one
    [[nodiscard]] bool isLocal() const;     //!< reached from this machine only
    [[nodiscard]] std::string text() const; //!< "127.0.0.1:9464", "[::1]:9464"
};
//! "127.0.0.1:9464", "localhost:9464", "[::1]:9464"; ":9464" is that of this machine alone.
[[nodiscard]] Expected<MetricsAddress> metricsAddressFrom(std::string_view text);

//! What the session's intervals have told so far. Counts go up from the first run of the process on, whatever the run
//! and its phase; levels are those of the last interval. Who asks may do so on any thread, and keeps the session
//! waiting for no longer than it takes to copy a few figures.
class LiveMetrics : public SampleSink
{
public:
    LiveMetrics();
    ~LiveMetrics() override;
    LiveMetrics(const LiveMetrics&) = delete;
    LiveMetrics& operator=(const LiveMetrics&) = delete;

    void onSessionStarted(const SessionHeader& header) override;
    void onProgress(const ProgressReport& report) override;
    void onRunStarted(const RunHeader& header) override;
    void onSample(const IntervalSample& sample) override;
    void onRunFinished(const RunSummary& summary) override;

    [[nodiscard]] std::string text() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

//! Answers GET /metrics on threads of its own, few in number: a connection has one request, which is short, and little
//! time; what comes beyond is turned away.
class MetricsServer
{
public:
    //! `text` is called on those threads. BadInput where the address cannot be had or this build has no HTTP library.
    [[nodiscard]] static Expected<std::unique_ptr<MetricsServer>> listen(const MetricsAddress& address,
                                                                         std::function<std::string()> text);
    ~MetricsServer(); //!< stops at once, whoever is connected
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;
    [[nodiscard]] std::string url() const; //!< "http://127.0.0.1:9464/metrics"

private:
    struct Private;
    explicit MetricsServer(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> d;
};

} // namespace dyno
