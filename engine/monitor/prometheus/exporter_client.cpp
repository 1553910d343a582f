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

int endsTransfer(void* enough, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    return (*static_cast<const std::function<bool()>*>(enough))() ? 1 : 0;
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
    curl_slist* headers = nullptr;
    std::function<bool()> enough;
    bool ready = false, tooLarge = false;
    long patienceMs = 0;
    std::string url, answer;
    std::array<char, CURL_ERROR_SIZE> problem{};
};

ExporterClient::ExporterClient(std::string url, Options options)
    : d(std::make_unique<Private>())
{
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    d->url = std::move(url);
    d->enough = std::move(options.enough);
    d->patienceMs = options.patienceMs;
    d->handle = started == CURLE_OK ? curl_easy_init() : nullptr;
    if (!d->handle)
        return;
    d->ready = true;
    d->set(CURLOPT_PROTOCOLS_STR, "http,https");
    d->set(CURLOPT_FOLLOWLOCATION, 0L);
    d->set(CURLOPT_PROXY, ""); // none of the environment's: the address that was agreed to
    d->set(CURLOPT_NETRC, long(CURL_NETRC_IGNORED));
    d->set(CURLOPT_NOSIGNAL, 1L);
    d->set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    d->set(CURLOPT_TIMEOUT_MS, d->patienceMs);
    d->set(CURLOPT_WRITEFUNCTION, &takeAnswer);
    d->set(CURLOPT_WRITEDATA, &d->answer);
    d->set(CURLOPT_ERRORBUFFER, d->problem.data());
    d->set(CURLOPT_USERAGENT, "dynobench");
#if LIBCURL_VERSION_NUM >= 0x075700
    d->set(CURLOPT_QUICK_EXIT, 1L); // a name that is never resolved is not waited for longer than the rest
#endif
    // So that an exporter that asks its server does not go on with what nobody waits for.
    d->headers = curl_slist_append(
        nullptr, fmt::format("X-Prometheus-Scrape-Timeout-Seconds: {}", double(d->patienceMs) / 1000).c_str());
    if (!options.token.empty())
        d->headers = curl_slist_append(d->headers, fmt::format("Authorization: Bearer {}", options.token).c_str());
    d->set(CURLOPT_HTTPHEADER, d->headers);
    if (d->enough) {
        d->set(CURLOPT_NOPROGRESS, 0L);
        d->set(CURLOPT_XFERINFOFUNCTION, &endsTransfer);
        d->set(CURLOPT_XFERINFODATA, &d->enough);
    }
}

ExporterClient::~ExporterClient()
{
    curl_easy_cleanup(d->handle);
    curl_slist_free_all(d->headers);
}

bool ExporterClient::tooLarge() const
{
    return d->tooLarge;
}

Expected<std::string> ExporterClient::fetch()
{
    auto answer = get({});
    if (!answer)
        return tl::unexpected(answer.error());
    if (answer->status != kAnswered)
        return fail({ErrorKind::Unreachable, fmt::format("it answers {}", answer->status), {}, {}});
    return std::move(answer->text);
}

Expected<ExporterClient::Answer> ExporterClient::get(std::string_view more)
{
    const auto failed = [](std::string why) { return fail({ErrorKind::Unreachable, std::move(why), {}, {}}); };
    if (!d->ready)
        return failed("the HTTP client cannot be set up");
    d->answer.clear();
    d->problem.front() = '\0';
    d->set(CURLOPT_URL, (d->url + std::string(more)).c_str()); // which it copies
    const CURLcode done = d->ready ? curl_easy_perform(d->handle) : CURLE_FAILED_INIT;
    d->tooLarge = done == CURLE_WRITE_ERROR;
    if (d->tooLarge)
        return failed(fmt::format("it answers with more than {} MiB", kMostBytes >> 20));
    if (done == CURLE_ABORTED_BY_CALLBACK)
        return failed("it was not waited for");
    if (done == CURLE_OPERATION_TIMEDOUT)
        return failed(fmt::format("it did not answer within {} s", d->patienceMs / 1000));
    if (done != CURLE_OK)
        return failed(d->problem.front() != '\0' ? d->problem.data() : curl_easy_strerror(done));
    long status = 0;
    (void)curl_easy_getinfo(d->handle, CURLINFO_RESPONSE_CODE, &status);
    if (status >= kFirstRedirect && status <= kLastRedirect)
        return failed(fmt::format("it redirects ({}); redirects are not followed", status));
    return Answer{status, std::move(d->answer)};
}

} // namespace dyno
