// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/clickhouse/clickhouse_codes.h"
#include "driver/clickhouse/clickhouse_driver.h"
#include "driver/trust_words.h"
#include "driver/uri_options.h"

namespace dyno {

namespace {

//! All of them are knobs of the connection too, where the knob comes first.
std::vector<UriOption> clickhouseOptions()
{
    return {
        advancedOption(
            {.name = "tls",
             .label = "TLS",
             .help = "verify encrypts and checks the server's certificate and name. required encrypts without "
                     "knowing the server. With off anyone on the way can read and change everything. Empty takes "
                     "what the URI says (tls=…), else verify with a CA and for another machine, and off on this "
                     "one. With TLS the port is 8443 unless the URI has one.",
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
                        .help = "PEM file with the key of the client certificate.",
                        .risk = kForeignKey}),
        advancedOption(
            {.name = "tls_min_version",
             .label = "Oldest TLS version",
             .help = "The connection fails when the server cannot speak at least this version. Empty leaves it to "
                     "the library.",
             .type = OptionType::Choice,
             .choices = {"", "1.2", "1.3"}}),
        advancedOption({.name = "compression",
                        .label = "Compression",
                        .help = "gzip compresses requests of more than a few lines, and answers: less goes over the "
                                "network, for time of both processors. Empty takes what the URI says, else off.",
                        .type = OptionType::Choice,
                        .choices = {"", "off", "gzip"}}),
    };
}

} // namespace

UriForm clickhouseUriForm()
{
    UriForm form;
    form.driver = "clickhouse";
    form.built = DYNO_HAVE_CLICKHOUSE == 1;
    form.missing = "this build has no driver for ClickHouse";
    form.howToBuild = "install libcurl with its headers (libcurl4-openssl-dev) and build again";
    form.schemes = {{"clickhouse", "ClickHouse", "clickhouse://user@host:port/database"}};
    form.options = clickhouseOptions();
    form.products = {{"clickhouse", "ClickHouse", true}};
    form.port = 8123;
    form.database = "default";
    form.keepsAddress = true;
    form.hint = "?tls=verify";
    form.codeText = &clickhouse::codeName;
    form.codeNamed = &clickhouse::codeNamed;
    form.commonNames = {"clickhouse", "default"};
    return form;
}

} // namespace dyno
