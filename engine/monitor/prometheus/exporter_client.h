// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Fetches an exporter's metrics over HTTP: one answer of bounded size in bounded time, from the address that was named
//! and from no other.
#pragma once

#include <dyno/error.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace dyno {

//! One thread at a time; the connection stays open between two requests.
class ExporterClient
{
public:
    static constexpr std::size_t kMostBytes = std::size_t(2) << 20; //!< of an answer
    static constexpr long kPatienceMs = 3000;                       //!< for the whole of it

    //! `enough`, asked while it waits, ends a request within about a second.
    explicit ExporterClient(std::string url, std::function<bool()> enough = {});
    ~ExporterClient();
    ExporterClient(const ExporterClient&) = delete;
    ExporterClient& operator=(const ExporterClient&) = delete;

    //! What is not 200 is an error, and so is a redirect: another address was not agreed to.
    [[nodiscard]] Expected<std::string> fetch();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dyno
