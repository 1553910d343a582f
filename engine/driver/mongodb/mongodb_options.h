// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The connection knobs of the MongoDB driver, and what they and the URI's query come to.
#pragma once

#include "driver/driver.h"
#include "driver/tls_options.h"

#include <memory>
#include <mongoc/mongoc.h>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::mongodb {

//! Makes the library ready; the first call initialises it. Any thread, cheap after the first time.
void useLibrary();

//! The connection knobs, in the order of the form.
[[nodiscard]] OptionSpecs connectionOptions();

struct FreeUri
{
    void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
};
using Uri = std::unique_ptr<mongoc_uri_t, FreeUri>;
struct FreePrefs
{
    void operator()(mongoc_read_prefs_t* prefs) const { mongoc_read_prefs_destroy(prefs); }
};
using ReadPrefs = std::unique_ptr<mongoc_read_prefs_t, FreePrefs>;

struct FreeWriteConcern
{
    void operator()(mongoc_write_concern_t* concern) const { mongoc_write_concern_destroy(concern); }
};
using WriteConcern = std::unique_ptr<mongoc_write_concern_t, FreeWriteConcern>;

//! Everything that connecting needs, read once from a ConnectTarget. Immutable.
struct ConnectOptions
{
    using Tls = TlsMode;

    Uri uri; //!< with the password: never printed
    std::string database;
    Tls tls = Tls::Off;
    std::string tlsCa, tlsCertKey; //!< PEM files, "" = none
    int connectTimeoutMs = 10000, socketTimeoutMs = 300000, selectionTimeoutMs = 10000;
    bool retryReads = false, retryWrites = false;
    bool severalHosts = false; //!< a list, SRV or a replica set: one that refuses is not the end
    ReadPrefs readPreference;  //!< null = primary
    std::string readConcern;   //!< elements of a BSON document to append to a command that reads; "" = none
    std::string writeConcern;  //!< the same for a command that writes
    WriteConcern writes;       //!< the same for transactions; null = the server's
    bool acknowledged = true;  //!< false: w = 0
    std::string writeConcernText, readConcernText, readPreferenceText; //!< for people: "w=majority, j=true"
    std::string commandLog; //!< file for what the library's command monitoring tells, "" = not installed
    bool journal = false;   //!< the write concern asks for the journal

    //! What libmongoc's TLS takes; points into this object.
    [[nodiscard]] mongoc_ssl_opt_t sslOptions() const;
};
//! The URI's query is used where a knob is empty. Errors name the knob.
[[nodiscard]] Expected<ConnectOptions> readOptions(const ConnectTarget& target);

} // namespace dyno::mongodb
