// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which product answers behind the protocol: what is not MongoDB is never called so.
#pragma once

#include <dyno/error.h>
#include <mongoc/mongoc.h>
#include <string>
#include <string_view>

namespace dyno::mongodb {

struct Product
{
    std::string name;                   //!< "MongoDB", "FerretDB", …
    std::string version;                //!< its own, not the one of MongoDB that it claims
    std::string claims;                 //!< the version of MongoDB that it says to be, "" when that is its own
    std::string topology;               //!< "standalone", "replica set", "mongos"
    std::string noTransactions;         //!< why what is rolled back may stay; "" where it is gone
    bool honoursUnacknowledged = false; //!< w = 0: sends no answer
    std::string engine;                 //!< storage engine, "" = not told

    //! "FerretDB 1.24.0 (speaks as MongoDB 7.0.42)".
    [[nodiscard]] std::string text() const;
};

//! From the answers to buildInfo, hello and (for what buildInfo does not tell) serverStatus, and the host's name.
[[nodiscard]] Product productOf(const bson_t& buildInfo, const bson_t& hello, const bson_t& status,
                                std::string_view host);
//! Asks the server. The error has the server's or the library's text.
[[nodiscard]] Expected<Product> askProduct(mongoc_client_t* client);

//! A field as text, "" when there is none. `path` may hold dots.
[[nodiscard]] std::string textAt(const bson_t& document, const char* path);

} // namespace dyno::mongodb
