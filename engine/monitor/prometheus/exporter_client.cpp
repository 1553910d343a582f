// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/exporter_client.h"

#include <array>
#include <curl/curl.h>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr long kConnectMs = 2000;
constexpr long kAnswered = 200, kFirstRedirect = 300, kLastRedirect = 399;

std::size_t takeAnswer(char* data, std::size_t, std::size_t size, void* into)
{
    auto& answer = *static_cast<std::string*>(into);
    if (answer.size() + size > ExporterClient::kMostBytes)
        return 0; // ends the transfer
    answer.append(data, size);
    return size;
}

} // namespace

struct ExporterClient::Private
{
    template<class T>
    void set(CURLoption option, T value)
    {
        ready = ready && curl_easy_setopt(handle, option, value) == CURLE_OK;
    }

    CURL* handle = nullptr;
    bool ready = false;
    std::string url, answer;
    std::array<char, CURL_ERROR_SIZE> problem{};
};

ExporterClient::ExporterClient(std::string url)
    : d(std::make_unique<Private>())
{
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    d->url = std::move(url);
    d->handle = started == CURLE_OK ? curl_easy_init() : nullptr;
    if (!d->handle)
        return;
    d->ready = true;
    d->set(CURLOPT_URL, d->url.c_str());
    d->set(CURLOPT_PROTOCOLS_STR, "http,https");
    d->set(CURLOPT_FOLLOWLOCATION, 0L);
    d->set(CURLOPT_PROXY, ""); // none of the environment's: the address that was agreed to
    d->set(CURLOPT_NETRC, long(CURL_NETRC_IGNORED));
    d->set(CURLOPT_NOSIGNAL, 1L);
    d->set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    d->set(CURLOPT_TIMEOUT_MS, kPatienceMs);
    d->set(CURLOPT_WRITEFUNCTION, &takeAnswer);
    d->set(CURLOPT_WRITEDATA, &d->answer);
    d->set(CURLOPT_ERRORBUFFER, d->problem.data());
    d->set(CURLOPT_USERAGENT, "dynobench");
}

ExporterClient::~ExporterClient()
{
    curl_easy_cleanup(d->handle);
}

Expected<std::string> ExporterClient::fetch()
{
    const auto failed = [](std::string why) { return fail({ErrorKind::Unreachable, std::move(why), {}, {}}); };
    if (!d->ready)
        return failed("the HTTP client cannot be set up");
    d->answer.clear();
    d->problem.front() = '\0';
    const CURLcode done = curl_easy_perform(d->handle);
    if (done == CURLE_WRITE_ERROR)
        return failed(fmt::format("it answers with more than {} MiB", kMostBytes >> 20));
    if (done == CURLE_OPERATION_TIMEDOUT)
        return failed(fmt::format("it did not answer within {} s", kPatienceMs / 1000));
    if (done != CURLE_OK)
        return failed(d->problem.front() != '\0' ? d->problem.data() : curl_easy_strerror(done));
    long status = 0;
    (void)curl_easy_getinfo(d->handle, CURLINFO_RESPONSE_CODE, &status);
    if (status >= kFirstRedirect && status <= kLastRedirect)
        return failed(fmt::format("it answers {}: another address is not asked", status));
    if (status != kAnswered)
        return failed(fmt::format("it answers {}", status));
    return std::move(d->answer);
}

} // namespace dyno
