// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_product.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace dyno::mongodb {

namespace {

//! Runs a command of one word on "admin"; the answer is valid (maybe empty) in any case and must be destroyed.
bool ask(mongoc_client_t* client, const char* command, bson_t* answer, bson_error_t* error)
{
    bson_t document;
    bson_init(&document);
    bson_append_int32(&document, command, -1, 1);
    const bool done = mongoc_client_command_simple(client, "admin", &document, nullptr, answer, error);
    bson_destroy(&document);
    return done;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

//! "v1.24.0" → "1.24.0".
std::string withoutV(std::string text)
{
    if (text.size() > 1 && text[0] == 'v' && text[1] >= '0' && text[1] <= '9')
        text.erase(0, 1);
    return text;
}

//! Why this MongoDB has no transactions: replica sets have them since 4.0, sharded clusters since 4.2.
std::string withoutTransactions(const Product& product)
{
    int major = 0;
    int minor = 0;
    std::sscanf(product.version.c_str(), "%d.%d", &major, &minor);
    const bool sharded = product.topology == "mongos";
    if (major < 4 || (sharded && major == 4 && minor < 2))
        return fmt::format("{} {} has no transactions: they need {} or newer", product.name, product.version,
                           sharded ? "4.2" : "a replica set of 4.0");
    return product.topology == "standalone" ? "a mongod that stands alone has no transactions: they need a replica set"
                                            : "";
}

//! Every build of mongod and mongos names the commit that it was made of.
bool isCommit(std::string_view text)
{
    constexpr std::size_t kCommit = 40;
    return text.size() == kCommit && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

} // namespace

std::string textAt(const bson_t& document, const char* path)
{
    bson_iter_t at;
    bson_iter_t found;
    if (!bson_iter_init(&at, &document) || !bson_iter_find_descendant(&at, path, &found))
        return {};
    if (BSON_ITER_HOLDS_UTF8(&found)) {
        std::uint32_t size = 0;
        const char* text = bson_iter_utf8(&found, &size);
        return {text, size};
    }
    if (BSON_ITER_HOLDS_OID(&found)) {
        std::array<char, 25> digits{}; // with the zero that bson writes
        bson_oid_to_string(bson_iter_oid(&found), digits.data());
        return digits.data();
    }
    if (BSON_ITER_HOLDS_BOOL(&found))
        return bson_iter_bool(&found) ? "true" : "false";
    if (BSON_ITER_HOLDS_DOUBLE(&found))
        return fmt::format("{}", bson_iter_double(&found));
    return BSON_ITER_HOLDS_NUMBER(&found) ? fmt::format("{}", bson_iter_as_int64(&found)) : std::string();
}

std::string Product::text() const
{
    std::string result = name + (version.empty() ? "" : " " + version);
    if (!claims.empty())
        result += fmt::format(" (speaks as MongoDB {})", claims);
    return result;
}

Product productOf(const bson_t& buildInfo, const bson_t& hello, const bson_t& status, std::string_view host)
{
    Product product;
    const std::string version = textAt(buildInfo, "version");
    const bool mongos = textAt(hello, "msg") == "isdbgrid";
    product.topology = mongos ? "mongos" : textAt(hello, "setName").empty() ? "standalone" : "replica set";
    product.engine = textAt(status, "storageEngine.name");
    product.claims = version;
    product.noTransactions = "it has no transactions that can be trusted: what is rolled back may stay";
    std::string ferret = textAt(buildInfo, "ferretdbVersion"); // version 1
    if (ferret.empty())
        ferret = textAt(buildInfo, "ferretdb.version"); // version 2
    if (ferret.empty())
        ferret = textAt(status, "ferretdb.version");
    if (ferret.empty())
        ferret = textAt(status, "ferretdbVersion");
    if (!ferret.empty() || bson_has_field(&buildInfo, "ferretdb") || bson_has_field(&buildInfo, "ferretdbFeatures")) {
        product.name = "FerretDB";
        product.version = withoutV(ferret);
        return product;
    }
    if (contains(host, ".docdb.amazonaws.com")) {
        product.name = "Amazon DocumentDB";
        product.noTransactions.clear();
        return product;
    }
    if (contains(host, "cosmos.azure.com") || contains(host, "documents.azure.com") ||
        bson_has_field(&buildInfo, "_t") || bson_has_field(&hello, "_t")) {
        product.name = "Azure Cosmos DB";
        return product;
    }
    if (bson_has_field(&buildInfo, "documentdb_versions") || bson_has_field(&buildInfo, "documentdb") ||
        contains(textAt(hello, "internal.documentdb_versions.0"), ".")) {
        product.name = "DocumentDB";
        return product;
    }
    if (textAt(status, "process") == "java") {
        product.name = "mongo-java-server";
        return product;
    }
    const bool genuine = isCommit(textAt(buildInfo, "gitVersion")) && bson_has_field(&buildInfo, "modules") &&
                         bson_has_field(&buildInfo, "allocator");
    if (!genuine) {
        product.name = "MongoDB-compatible server";
        return product;
    }
    product.claims.clear();
    product.version = version;
    product.name = "MongoDB";
    if (const std::string percona = textAt(buildInfo, "psmdbVersion"); !percona.empty()) {
        product.name = "Percona Server for MongoDB";
        product.version = percona;
    }
    product.noTransactions = withoutTransactions(product);
    product.honoursUnacknowledged = true;
    return product;
}

Expected<Product> askProduct(mongoc_client_t* client)
{
    bson_error_t error{};
    bson_t build;
    bson_t hello;
    bson_t status;
    // A server that is asked by somebody without the right to see its status still has a name.
    const bool known = ask(client, "buildInfo", &build, &error);
    bson_error_t ignored{};
    if (!ask(client, "hello", &hello, &ignored)) {
        bson_destroy(&hello);
        ask(client, "isMaster", &hello, &ignored);
    }
    ask(client, "serverStatus", &status, &ignored);
    const mongoc_host_list_t* host = mongoc_uri_get_hosts(mongoc_client_get_uri(client));
    Product product = productOf(build, hello, status, host ? host->host : "");
    bson_destroy(&build);
    bson_destroy(&hello);
    bson_destroy(&status);
    if (!known)
        return fail({ErrorKind::Refused, fmt::format("error {}: {}", error.code, error.message), {}, {}});
    return product;
}

} // namespace dyno::mongodb
