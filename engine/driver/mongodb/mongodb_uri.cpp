// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/uri_forms.h"

namespace dyno {

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
    // The driver's own names, and those that MongoDB's URIs have for the same things.
    form.options = {"tls",
                    "tls_ca",
                    "tls_cert_key",
                    "compressors",
                    "auth_mechanism",
                    "auth_source",
                    "replica_set",
                    "direct_connection",
                    "read_preference",
                    "read_concern",
                    "write_concern",
                    "journal",
                    "ssl",
                    "tlsCAFile",
                    "tlsCertificateKeyFile",
                    "tlsInsecure",
                    "tlsAllowInvalidCertificates",
                    "tlsAllowInvalidHostnames",
                    "zlibCompressionLevel",
                    "authMechanism",
                    "authSource",
                    "replicaSet",
                    "directConnection",
                    "readPreference",
                    "readConcernLevel",
                    "w",
                    "wTimeoutMS",
                    "appName",
                    "connectTimeoutMS",
                    "socketTimeoutMS",
                    "serverSelectionTimeoutMS",
                    "retryWrites",
                    "retryReads"};
    form.products = {{"mongodb", "MongoDB"}, {"ferretdb", "FerretDB"}};
    form.port = 27017;
    form.database = "test";
    form.hint = "also of a list of hosts, ?replica_set=NAME, ?auth_source=DB";
    form.commonNames = {"mongodb", "mongod", "ferretdb"};
    return form;
}

} // namespace dyno
