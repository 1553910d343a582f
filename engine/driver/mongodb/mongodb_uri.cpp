// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/mongodb/mongodb_driver.h"
#include "driver/mongodb/mongodb_timeouts.h"
#include "driver/trust_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dyno {

namespace {

UriOption choiceOf(const char* name, const char* label, const char* help, std::vector<std::string> choices)
{
    return {{.name = name, .label = label, .help = help, .type = OptionType::Choice, .choices = std::move(choices)}};
}

UriOption onOff(const char* name, const char* label, const char* help)
{
    return choiceOf(name, label, help, {"", "on", "off"});
}

UriOption milliseconds(const char* name, const char* label, const char* help, double usual, double minimum)
{
    return {{.name = name,
             .label = label,
             .help = help,
             .type = OptionType::Real,
             .defaultValue = usual,
             .unit = "ms",
             .minimum = minimum}};
}

//! Knobs of the connection too, where the knob comes first.
std::vector<UriOption> knobs()
{
    std::vector<UriOption> all = {
        choiceOf("tls", "TLS",
                 "verify encrypts and checks the server's certificate and name. required encrypts without "
                 "knowing the server: it checks no name, and without a CA no certificate, so someone in "
                 "between can read and change everything; with off anyone on the way can. Results from "
                 "another machine with one of these two say so. Empty takes what the URI says (tls=…), else "
                 "verify with a CA and for another machine, and off on this one.",
                 {"", "off", "required", "verify"}),
        {{.name = "tls_ca",
          .label = "CA certificate",
          .help = "PEM file with the authority that signed the server's certificate. With required it turns "
                  "on the check of the certificate, but not of the name.",
          .risk = kForeignAuthority}},
        {{.name = "tls_cert_key",
          .label = "Client certificate and key",
          .help = "PEM file with the certificate that the server asks of its users and its key.",
          .risk = kForeignKey}},
        {{.name = "compressors",
          .label = "Compression",
          .help = "Compresses messages: a list that the server chooses from. Empty is none."}},
        choiceOf("auth_mechanism", "Authentication",
                 "How the user proves who they are. Empty lets client and server agree on SCRAM.",
                 {"", "SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "MONGODB-X509"}),
        {{.name = "auth_source",
          .label = "Database of users",
          .help = "Where the user is kept. Empty is the URI's database, or admin if it names none."}},
        {{.name = "replica_set",
          .label = "Replica set",
          .help = "Name of the replica set; its members are found from the hosts of the URI."}},
        onOff("direct_connection", "Direct connection",
              "on talks to the one host of the URI, whatever it is a member of."),
        choiceOf("read_preference", "Read preference",
                 "Which member of a replica set answers reads: each user keeps one. Empty is primary.",
                 {"", "primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"}),
        choiceOf("read_concern", "Read concern", "Which data a read may see. Empty leaves it to the server.",
                 {"", "local", "available", "majority", "linearizable", "snapshot"}),
        {{.name = "write_concern",
          .label = "Write concern",
          .help = "w: how many members have a write before it is acknowledged: 1, majority, another number, a tag, "
                  "or 0 for no acknowledgement at all, which only a real mongod honours. Empty leaves it to the "
                  "server.",
          .choices = {"", "0", "1", "majority"}}},
        onOff("journal", "Journal",
              "j: on waits until the write is in the journal on disk. Empty leaves it to the server."),
    };
    for (UriOption& one : all) {
        const std::string& name = one.spec.name;
        if (name == "compressors" || name.starts_with("auth_") || name == "replica_set" || name == "direct_connection")
            one.spec.group = "advanced";
    }
    return all;
}

//! What MongoDB's own URIs have and only they.
std::vector<UriOption> ofUriOnly()
{
    const OptionSpec weak{.name = "tlsInsecure",
                          .label = "Check nothing",
                          .help = "true takes tls=true for tls=required: neither certificate nor name is checked.",
                          .type = OptionType::Bool,
                          .defaultValue = false};
    std::vector<UriOption> all = {{weak}, {weak}, {weak}};
    all[1].spec.name = "tlsAllowInvalidCertificates";
    all[2].spec.name = "tlsAllowInvalidHostnames";
    all.push_back({{.name = "zlibCompressionLevel",
                    .label = "Level of zlib",
                    .help = "How much zlib compresses; -1 is its own default.",
                    .type = OptionType::Integer,
                    .defaultValue = std::int64_t(-1),
                    .minimum = -1,
                    .maximum = 9}});
    all.push_back({{.name = "appName",
                    .label = "Application name",
                    .help = "What the server's log calls this client. Empty is dynobench."}});
    all.push_back(milliseconds("wTimeoutMS", "Write concern timeout",
                               "How long the server waits for the write concern; 0 is for ever.", 0, 0));
    all.push_back(milliseconds("connectTimeoutMS", "Connect timeout", "How long to wait for a connection.",
                               kDefaultConnectTimeout * 1000, 1));
    all.push_back(milliseconds("socketTimeoutMS", "Answer timeout",
                               "How long to wait for an answer before the connection is given up.",
                               kDefaultSocketTimeout * 1000, 1));
    all.push_back(milliseconds("serverSelectionTimeoutMS", "Server selection timeout",
                               "How long to look for a server that fits, such as a primary.",
                               kDefaultSelectionTimeout * 1000, 1));
    all.push_back(onOff("retryWrites", "Repeat writes", "As connection.retry_writes, which comes first."));
    all.push_back(onOff("retryReads", "Repeat reads", "As connection.retry_reads, which comes first."));
    return all;
}

//! The driver's own names, and those that MongoDB's URIs have for the same things.
std::vector<UriOption> mongodbOptions()
{
    std::vector<UriOption> all = knobs();
    const std::pair<const char*, const char*> names[] = {{"ssl", "tls"},
                                                         {"tlsCAFile", "tls_ca"},
                                                         {"tlsCertificateKeyFile", "tls_cert_key"},
                                                         {"authMechanism", "auth_mechanism"},
                                                         {"authSource", "auth_source"},
                                                         {"replicaSet", "replica_set"},
                                                         {"directConnection", "direct_connection"},
                                                         {"readPreference", "read_preference"},
                                                         {"readConcernLevel", "read_concern"},
                                                         {"w", "write_concern"}};
    for (const auto& [name, means] : names) {
        UriOption second = *std::ranges::find_if(all, [&](const UriOption& one) { return one.spec.name == means; });
        second.spec.name = name;
        second.means = means;
        all.push_back(std::move(second));
    }
    std::ranges::move(ofUriOnly(), std::back_inserter(all));
    return all;
}

} // namespace

UriForm mongodbUriForm()
{
    UriForm form;
    form.driver = "mongodb";
    form.shape = UriShape::Hosts;
    form.built = DYNO_HAVE_MONGODB == 1;
    form.missing = "this build has no driver for MongoDB";
    form.howToBuild = "install libmongoc 1.21 or newer with its headers (libmongoc-dev) and build again";
    form.schemes = {{"mongodb", "MongoDB", "mongodb://user@host:port/database"},
                    {"mongodb+srv", "MongoDB", "mongodb+srv://user@host/database", {}, true}};
    form.options = mongodbOptions();
    form.products = {{"mongodb", "MongoDB"}, {"ferretdb", "FerretDB"}};
    form.port = 27017;
    form.database = "test";
    form.hint = "also of a list of hosts, ?replica_set=NAME, ?auth_source=DB";
    form.commonNames = {"mongodb", "mongod", "ferretdb"};
    return form;
}

} // namespace dyno
