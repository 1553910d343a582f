// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/secrets.h"

#include "server/lifecycle/private_folder.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

struct Free
{
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* cert) const { X509_free(cert); }
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(std::FILE* file) const { std::fclose(file); }
};
template<class T>
using Owned = std::unique_ptr<T, Free>;

constexpr unsigned kRsaBits = 2048;
constexpr long kDay = 24 * 3600;

Error opensslError(const char* what)
{
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    return {ErrorKind::Failed, fmt::format("{}: {}", what, text.data()), "OpenSSL", {}};
}

Expected<void> makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error)
        fs::permissions(folder, fs::perms::owner_all, error);
    if (error)
        return fail(
            {ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), folder.string(), {}});
    return {};
}

template<class Write>
Expected<void> writePem(const fs::path& file, Write write)
{
    const Owned<BIO> memory(BIO_new(BIO_s_mem()));
    if (!memory || write(memory.get()) != 1)
        return fail(opensslError("cannot write a PEM file"));
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &text);
    return replaceFile(file, {text, std::size_t(size)});
}

Expected<void> writeCert(const fs::path& file, X509* cert)
{
    return writePem(file, [cert](BIO* out) { return PEM_write_bio_X509(out, cert); });
}

//! In the old form ("BEGIN RSA PRIVATE KEY"), which servers with other libraries than OpenSSL read too.
Expected<void> writeKey(const fs::path& file, EVP_PKEY* key)
{
    return writePem(file, [key](BIO* out) {
        return PEM_write_bio_PrivateKey_traditional(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
}

bool addExtension(X509* cert, X509* issuer, int kind, const char* value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
    return extension && X509_add_ext(cert, extension.get(), -1) == 1;
}

struct Subject
{
    const char* name;
    const char* constraints; //!< basicConstraints
    const char* usage;       //!< keyUsage
    const char* extended;    //!< extendedKeyUsage, "" = none
    const char* names;       //!< subjectAltName, "" = none
};

//! A certificate of `key` for `subject`, signed by the issuer; by itself when that is nullptr.
Owned<X509> makeCert(EVP_PKEY* key, const Subject& subject, X509* issuer, EVP_PKEY* issuerKey)
{
    Owned<X509> cert(X509_new());
    std::array<unsigned char, 16> serial{};
    if (!cert || RAND_bytes(serial.data(), int(serial.size())) != 1)
        return {};
    serial[0] = (serial[0] & 0x7f) | 0x40; // positive, and never shorter
    ASN1_INTEGER* number = X509_get_serialNumber(cert.get());
    BIGNUM* big = BN_bin2bn(serial.data(), int(serial.size()), nullptr);
    const bool numbered = big && BN_to_ASN1_INTEGER(big, number);
    BN_free(big);
    constexpr long kTenYears = 3652 * kDay;
    X509_NAME* name = X509_get_subject_name(cert.get());
    const auto text = [](const char* word) { return reinterpret_cast<const unsigned char*>(word); };
    const bool filled = numbered &&
                        X509_set_version(cert.get(), X509_VERSION_3) == 1
                        // A day back: clocks differ.
                        && X509_gmtime_adj(X509_getm_notBefore(cert.get()), -kDay) &&
                        X509_gmtime_adj(X509_getm_notAfter(cert.get()), kTenYears) &&
                        X509_set_pubkey(cert.get(), key) == 1 &&
                        X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, text("Dynobench"), -1, -1, 0) == 1 &&
                        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text(subject.name), -1, -1, 0) == 1;
    X509* signer = issuer ? issuer : cert.get();
    if (!filled || X509_set_issuer_name(cert.get(), X509_get_subject_name(signer)) != 1)
        return {};
    const bool extended =
        addExtension(cert.get(), signer, NID_basic_constraints, subject.constraints) &&
        addExtension(cert.get(), signer, NID_key_usage, subject.usage) &&
        addExtension(cert.get(), signer, NID_subject_key_identifier, "hash") &&
        addExtension(cert.get(), signer, NID_authority_key_identifier, "keyid:always") &&
        (!*subject.extended || addExtension(cert.get(), signer, NID_ext_key_usage, subject.extended)) &&
        (!*subject.names || addExtension(cert.get(), signer, NID_subject_alt_name, subject.names));
    if (!extended || X509_sign(cert.get(), issuerKey, EVP_sha256()) <= 0)
        return {};
    return cert;
}

//! True when the file is a certificate that is good for another day, and of a server at this address.
bool isGood(const fs::path& file, const std::string& address = {})
{
    const Owned<std::FILE> in(std::fopen(file.c_str(), "rbe"));
    const Owned<X509> cert(in ? PEM_read_X509(in.get(), nullptr, nullptr, nullptr) : nullptr);
    std::time_t tomorrow = std::time(nullptr) + kDay;
    return cert && X509_cmp_time(X509_get0_notAfter(cert.get()), &tomorrow) > 0 &&
           (address.empty() || X509_check_ip_asc(cert.get(), address.c_str(), 0) == 1);
}

} // namespace

Expected<Certificates> makeCertificates(const fs::path& folder, const std::string& address)
{
    const Certificates files{folder / "ca.pem", folder / "server.pem", folder / "server.key", folder / "client.pem",
                             folder / "client.key"};
    std::error_code ignored;
    if (isGood(files.ca) && isGood(files.serverCert, address) && isGood(files.clientCert) &&
        fs::exists(files.serverKey, ignored) && fs::exists(files.clientKey, ignored))
        return files;
    if (auto made = makeFolder(folder); !made)
        return fail(std::move(made.error()));
    ERR_clear_error();
    const Owned<EVP_PKEY> caKey(EVP_RSA_gen(kRsaBits));
    const Owned<EVP_PKEY> serverKey(EVP_RSA_gen(kRsaBits));
    const Owned<EVP_PKEY> clientKey(EVP_RSA_gen(kRsaBits));
    if (!caKey || !serverKey || !clientKey)
        return fail(opensslError("cannot make a key"));
    const auto ca = makeCert(
        caKey.get(), {"Dynobench authority of this server", "critical,CA:TRUE", "critical,keyCertSign,cRLSign", "", ""},
        nullptr, caKey.get());
    const char* usage = "critical,digitalSignature,keyEncipherment";
    const std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1,IP:" + address;
    const auto server =
        ca ? makeCert(serverKey.get(), {"localhost", "critical,CA:FALSE", usage, "serverAuth", names.c_str()}, ca.get(),
                      caKey.get())
           : nullptr;
    const auto client = ca ? makeCert(clientKey.get(), {"dynobench", "critical,CA:FALSE", usage, "clientAuth", ""},
                                      ca.get(), caKey.get())
                           : nullptr;
    if (!ca || !server || !client)
        return fail(opensslError("cannot make a certificate"));
    Expected<void> written = writeKey(files.serverKey, serverKey.get());
    if (written)
        written = writeKey(files.clientKey, clientKey.get());
    if (written)
        written = writeCert(files.serverCert, server.get());
    if (written)
        written = writeCert(files.clientCert, client.get());
    if (written)
        written = writeCert(files.ca, ca.get()); // last: its presence says that all are there
    if (!written)
        return fail(std::move(written.error()));
    return files;
}

Expected<std::string> randomPassword()
{
    std::array<unsigned char, 32> bytes{};
    if (RAND_bytes(bytes.data(), int(bytes.size())) != 1)
        return fail({ErrorKind::Failed, "OpenSSL gives no random numbers", {}, {}});
    return fmt::format("Aa1-{:02x}", fmt::join(bytes, ""));
}

Expected<void> makeKeyFile(const fs::path& file)
{
    std::error_code ignored;
    if (fs::exists(file, ignored))
        return {};
    if (auto made = makeFolder(file.parent_path()); !made)
        return made;
    std::string text;
    for (int number = 1; number <= 2; ++number) {
        std::array<unsigned char, 32> key{};
        if (RAND_bytes(key.data(), int(key.size())) != 1)
            return fail(opensslError("cannot make a random key"));
        text += fmt::format("{};", number);
        for (const unsigned char byte : key)
            text += fmt::format("{:02x}", byte);
        text += '\n';
    }
    return replaceFile(file, text);
}

Expected<void> makeBase64Key(const fs::path& file)
{
    std::error_code ignored;
    if (fs::exists(file, ignored))
        return {};
    if (auto made = makeFolder(file.parent_path()); !made)
        return made;
    std::array<unsigned char, 32> key{};
    std::array<unsigned char, 45> text{}; // 4 characters for 3 bytes, and a zero
    if (RAND_bytes(key.data(), int(key.size())) != 1)
        return fail(opensslError("cannot make a random key"));
    const int length = EVP_EncodeBlock(text.data(), key.data(), int(key.size()));
    return replaceFile(file, std::string(text.begin(), text.begin() + length));
}

Expected<void> joinPem(const fs::path& certificate, const fs::path& key, const fs::path& both)
{
    std::string text;
    for (const fs::path& file : {certificate, key}) {
        std::ifstream in(file, std::ios::binary);
        text.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    std::error_code ignored;
    fs::remove(both, ignored);
    return replaceFile(both, text);
}

} // namespace dyno
