// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/postgresql/postgresql_codes.h"
#include "driver/postgresql/postgresql_driver.h"
#include "driver/trust_words.h"
#include "driver/uri_options.h"

namespace dyno {

namespace {

//! All but the socket are knobs of the connection too, where the knob comes first.
std::vector<UriOption> postgresqlOptions()
{
    return {
        {{.name = "socket",
          .label = "Unix socket",
          .help = "Path of the server's socket (/run/postgresql/.s.PGSQL.5432), or its folder, instead of a host."}},
        advancedOption(
            {.name = "tls",
             .label = "TLS",
             .help = "verify encrypts and checks the server's certificate and name. required encrypts without "
                     "knowing the server. With off anyone on the way can read and change everything. Empty takes "
                     "what the URI says (tls=…), else verify with a CA and for another machine, and off on this "
                     "one.",
             .type = OptionType::Choice,
             .choices = {"", "off", "required", "verify"}}),
        advancedOption(
            {.name = "tls_ca",
             .label = "CA certificate",
             .help = "PEM file with the authority that signed the server's certificate. verify without it trusts "
                     "the system's authorities.",
             .risk = kForeignAuthority}),
        advancedOption({.name = "tls_cert",
                        .label = "Client certificate",
                        .help = "PEM file with the certificate that the server asks of its users. Needs tls_key.",
                        .risk = kForeignKey}),
        advancedOption({.name = "tls_key",
                        .label = "Client key",
                        .help = "PEM file with the key of the client certificate; no one else may read it.",
                        .risk = kForeignKey}),
        advancedOption(
            {.name = "tls_min_version",
             .label = "Oldest TLS version",
             .help = "The connection fails when the server cannot speak at least this version. Empty leaves it to "
                     "the library.",
             .type = OptionType::Choice,
             .choices = {"", "1.2", "1.3"}}),
    };
}

} // namespace

UriForm postgresqlUriForm()
{
    UriForm form;
    form.driver = "postgresql";
    form.built = DYNO_HAVE_POSTGRESQL == 1;
    form.missing = "this build has no driver for PostgreSQL";
    form.howToBuild = "install libpq 14 or newer with its headers (libpq-dev) and build again";
    form.schemes = {{"postgresql", "PostgreSQL", "postgresql://user@host:port/database", "postgres"}};
    form.options = postgresqlOptions();
    form.products = {{"postgresql", "PostgreSQL", true}};
    form.port = 5432;
    form.database = "sbtest";
    form.admin = "postgres";
    form.keepsAddress = true;
    form.loginName = true;
    form.hint = "?socket=PATH, ?tls=verify";
    form.codeText = &postgresql::sqlStateOf;
    form.codeNamed = &postgresql::codeOf;
    form.commonNames = {"postgresql", "postgres"};
    return form;
}

} // namespace dyno
