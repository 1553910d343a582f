// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Fetches an exporter's metrics, or what a Prometheus server has stored, over HTTP: answers of bounded size in bounded
//! time, from the address that was named and from no other.
#pragma once

#include <dyno/error.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dyno {

//! One thread at a time; the connection stays open between two requests.
class ExporterClient
{
public:
    static constexpr std::size_t kMostBytes = std::size_t(2) << 20; //!< of an answer
    static constexpr long kPatienceMs = 3000;                       //!< for the whole of it

    struct Options
    {
        std::function<bool()> enough = {}; //!< asked while it waits; ends a request within about a second
        std::string token = {};            //!< sent as a bearer token; "": none
        long patienceMs = kPatienceMs;
    };
    explicit ExporterClient(std::string url, Options options);
    explicit ExporterClient(std::string url, std::function<bool()> enough = {})
        : ExporterClient(std::move(url), Options{std::move(enough)})
    {
    }
    ~ExporterClient();
    ExporterClient(const ExporterClient&) = delete;
    ExporterClient& operator=(const ExporterClient&) = delete;

    //! What is not 200 is an error, and so is a redirect: another address was not agreed to.
    [[nodiscard]] Expected<std::string> fetch();
    struct Answer
    {
        long status = 0;
        std::string text;
    };
    //! From the same server; `more` is appended to the address. Whatever the status is, but for a redirect.
    [[nodiscard]] Expected<Answer> get(std::string_view more);
    [[nodiscard]] bool tooLarge() const; //!< the last answer was refused for its size

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dyno
