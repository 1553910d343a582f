// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/mysql/mysql_driver.h"
#include "driver/trust_words.h"
#include "driver/uri_options.h"

namespace dyno {

namespace {

//! All but the socket are knobs of the connection too, where the knob comes first.
std::vector<UriOption> mysqlOptions()
{
    return {
        {{.name = "socket", .label = "Unix socket", .help = "Path of the server's socket, instead of host and port."}},
        advancedOption(
            {.name = "tls",
             .label = "TLS",
             .help = "verify encrypts and checks the server's certificate and name. required encrypts without knowing "
                     "the server: it checks no name, and without a CA no certificate, so someone in between can read "
                     "and change everything; with off anyone on the way can, the password's proof included. Results "
                     "from another machine with one of these two say so. Empty takes what the URI says (tls=…), else "
                     "verify with a CA and for another machine, and off on this one.",
             .type = OptionType::Choice,
             .choices = {"", "off", "required", "verify"}}),
        advancedOption(
            {.name = "tls_ca",
             .label = "CA certificate",
             .help = "PEM file with the authority that signed the server's certificate. With required it turns on "
                     "the check of the certificate, but not of the name; verify without it trusts the system's "
                     "authorities.",
             .risk = kForeignAuthority}),
        advancedOption({.name = "tls_cert",
                        .label = "Client certificate",
                        .help = "PEM file with the certificate that the server asks of its users (REQUIRE X509). Needs "
                                "tls_key.",
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
        advancedOption(
            {.name = "tls_ciphers",
             .label = "TLS ciphers",
             .help = "Names that OpenSSL knows, separated by colons: TLS_AES_128_GCM_SHA256 for TLS 1.3, or "
                     "ECDHE-RSA-AES128-GCM-SHA256 for TLS 1.2, to which names of 1.2 alone restrict the "
                     "connection. Empty leaves it to the library. Words that allow connections without encryption "
                     "or without a certificate are refused."}),
        advancedOption({.name = "compression",
                        .label = "Compression",
                        .help =
                            "Compresses the client protocol with zlib; on is another word for it. Empty takes what the "
                            "URI says (compression=zlib), which is off by default.",
                        .type = OptionType::Choice,
                        .choices = {"", "off", "on", "zlib"}}),
    };
}

} // namespace

UriForm mysqlUriForm()
{
    UriForm form;
    form.driver = "mysql";
    form.built = DYNO_HAVE_MYSQL == 1;
    form.missing = "this build has no driver for the MySQL family";
    form.howToBuild = "install MariaDB Connector/C 3.3.4 or newer with its headers (libmariadb-dev) and build again";
    form.schemes = {{"mysql", "MySQL", "mysql://user@host:port/database"},
                    {"mariadb", "MariaDB", "mariadb://user@host:port/database"}};
    form.options = mysqlOptions();
    form.products = {{"mariadb", "MariaDB"}, {"mysql", "MySQL"}, {"percona", "Percona Server", false}};
    form.port = 3306;
    form.database = "sbtest";
    form.admin = "root";
    form.keepsAddress = true;
    form.loginName = true;
    form.hint = "?socket=PATH, ?tls=verify";
    form.clients = {"mysql", "mariadb"};
    form.commonNames = {"mysql", "mysql.sys", "mysql.session", "mariadb", "mariadb.sys", "percona", "tidb", "aurora"};
    return form;
}

} // namespace dyno
