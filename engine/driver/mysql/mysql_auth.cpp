// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_auth.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <mysql/plugin_auth.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sys/socket.h>

namespace dyno::mysql {

namespace {

constexpr std::size_t kNonce = 20;
constexpr unsigned char kSignedIn = 3, kWholePassword = 4, kAskForKey = 2; // of caching_sha2_password

//! Of these the other end learns nothing that it could sign in with elsewhere.
constexpr const char* kSafeMethods = "mysql_native_password,client_ed25519,parsec";
//! These may go to a server that is known. Nothing else is used anywhere: other methods load more libraries, ask at the
//! terminal, take the identity of whoever uses this machine (GSSAPI), or prove too little (mysql_old_password).
constexpr const char* kKnownServerMethods =
    "mysql_native_password,client_ed25519,parsec,caching_sha2_password,sha256_password,mysql_clear_password";
//! Ours check the connection themselves; the library's would not.
std::atomic<bool> g_ownSha2{false}, g_ownClear{false};

//! Marks a handle that verifies its server: what the library says of it differs with its version.
std::string g_verifies = "dynobench_verifies";
//! Marks a handle whose address says nothing of the way: a proxy passes everything on to another machine.
std::string g_distant = "dynobench_distant";

enum class Channel {
    Private, //!< only the server can read it
    Local,   //!< does not leave this machine
    Open,
};

bool isLoopbackAddress(const sockaddr_storage& peer)
{
    if (peer.ss_family == AF_INET)
        return ntohl(reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    if (peer.ss_family != AF_INET6)
        return false;
    const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&address) || (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == IN_LOOPBACKNET);
}

Channel channelOf(MYSQL* mysql)
{
    // The library gives up where it is to verify and the server has no TLS, before it sends anything.
    const auto marked = [mysql](std::string& mark) {
        void* set = nullptr;
        return mysql_get_optionv(mysql, MARIADB_OPT_USERDATA, mark.data(), &set) == 0 && set;
    };
    if (marked(g_verifies))
        return Channel::Private;
    if (marked(g_distant))
        return Channel::Open;
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(socketOf(mysql), reinterpret_cast<sockaddr*>(&peer), &size) != 0)
        return Channel::Open;
    if (peer.ss_family == AF_UNIX)
        return Channel::Private;
    return isLoopbackAddress(peer) ? Channel::Local : Channel::Open;
}

int refuseMethod(MYSQL* mysql, std::string_view text)
{
    mysql->net.last_errno = kMethodNotAllowed;
    mysql->net.last_error[text.copy(mysql->net.last_error, sizeof(mysql->net.last_error) - 1)] = '\0';
    std::copy_n("HY000", 6, mysql->net.sqlstate);
    return CR_ERROR;
}

int sendPassword(MYSQL_PLUGIN_VIO* vio, const MYSQL* mysql)
{
    const std::string_view password = mysql->passwd ? mysql->passwd : "";
    const auto* bytes = reinterpret_cast<const unsigned char*>(mysql->passwd ? mysql->passwd : "");
    return vio->write_packet(vio, bytes, int(password.size()) + 1) != 0 ? CR_ERROR : CR_OK;
}

int clearPassword(MYSQL_PLUGIN_VIO* vio, MYSQL* mysql)
{
    if (channelOf(mysql) != Channel::Private)
        return refuseMethod(mysql, "the server asks for the password itself (mysql_clear_password)");
    return sendPassword(vio, mysql);
}

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::initializer_list<std::span<const unsigned char>> parts)
{
    Digest digest{};
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    for (const auto part : parts)
        EVP_DigestUpdate(context, part.data(), part.size());
    EVP_DigestFinal_ex(context, digest.data(), nullptr);
    EVP_MD_CTX_free(context);
    return digest;
}

std::span<const unsigned char> bytesOf(std::string_view text)
{
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

//! Encrypted for whoever has the private half of `key` (PEM); empty when it is no key.
std::vector<unsigned char> encryptedFor(std::span<const unsigned char> key, std::vector<unsigned char> secret)
{
    BIO* memory = BIO_new_mem_buf(key.data(), int(key.size()));
    EVP_PKEY* parsed = PEM_read_bio_PUBKEY(memory, nullptr, nullptr, nullptr);
    BIO_free(memory);
    EVP_PKEY_CTX* context = parsed ? EVP_PKEY_CTX_new(parsed, nullptr) : nullptr;
    std::vector<unsigned char> result;
    std::size_t size = 0;
    if (context && EVP_PKEY_encrypt_init(context) > 0 &&
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0 &&
        EVP_PKEY_encrypt(context, nullptr, &size, secret.data(), secret.size()) > 0) {
        result.resize(size);
        if (EVP_PKEY_encrypt(context, result.data(), &size, secret.data(), secret.size()) <= 0)
            size = 0;
        result.resize(size);
    }
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(parsed);
    return result;
}

//! The server's cache does not know the user: it wants the password once.
int wholePassword(MYSQL_PLUGIN_VIO* vio, MYSQL* mysql, std::span<const unsigned char> nonce)
{
    const Channel channel = channelOf(mysql);
    if (channel == Channel::Open)
        return refuseMethod(mysql, "the server asks for the password itself (caching_sha2_password, first sign-in)");
    if (channel == Channel::Private || mysql_get_ssl_cipher(mysql))
        return sendPassword(vio, mysql);
    unsigned char* key = nullptr;
    const int size = vio->write_packet(vio, &kAskForKey, 1) == 0 ? vio->read_packet(vio, &key) : -1;
    if (size <= 0)
        return CR_ERROR;
    std::vector<unsigned char> secret(mysql->passwd, mysql->passwd + std::string_view(mysql->passwd).size() + 1);
    for (std::size_t i = 0; i < secret.size(); ++i)
        secret[i] ^= nonce[i % nonce.size()];
    const auto encrypted = encryptedFor({key, std::size_t(size)}, std::move(secret));
    if (encrypted.empty())
        return refuseMethod(mysql, "the server's RSA key cannot be used");
    return vio->write_packet(vio, encrypted.data(), int(encrypted.size())) != 0 ? CR_ERROR : CR_OK;
}

int cachingSha2(MYSQL_PLUGIN_VIO* vio, MYSQL* mysql)
{
    unsigned char* packet = nullptr;
    if (vio->read_packet(vio, &packet) != int(kNonce) + 1)
        return CR_ERROR;
    std::array<unsigned char, kNonce> nonce{};
    std::copy_n(packet, kNonce, nonce.begin());
    const std::string_view password = mysql->passwd ? mysql->passwd : "";
    if (password.empty())
        return vio->write_packet(vio, nullptr, 0) != 0 ? CR_ERROR : CR_OK;
    // SHA256(password) xor SHA256(SHA256(SHA256(password)), nonce)
    Digest proof = sha256({bytesOf(password)});
    const Digest mask = sha256({sha256({proof}), nonce});
    std::transform(proof.begin(), proof.end(), mask.begin(), proof.begin(), std::bit_xor<>());
    if (vio->write_packet(vio, proof.data(), int(proof.size())) != 0)
        return CR_ERROR;
    const int size = vio->read_packet(vio, &packet);
    if (size < 0)
        return CR_ERROR;
    if (size == 1 && *packet == kWholePassword)
        return wholePassword(vio, mysql, nonce);
    return size == 1 && *packet == kSignedIn ? CR_OK : CR_ERROR;
}

//! As mysql/client_plugin.h has it, which includes a file that distributions do not ship.
struct Method
{
    st_mysql_client_plugin head;
    int (*signIn)(MYSQL_PLUGIN_VIO*, MYSQL*);
};

Method method(const char* name, int (*signIn)(MYSQL_PLUGIN_VIO*, MYSQL*))
{
    constexpr int kAuthentication = 2;
    constexpr unsigned kInterface = 0x0100;
    Method made{};
    made.head.type = kAuthentication;
    made.head.interface_version = kInterface;
    made.head.name = name;
    made.head.author = "Dynobench";
    made.head.desc = "reveals the password to a known server only";
    made.head.license = "GPL";
    made.signIn = signIn;
    return made;
}

//! False when a library was built with one of its own under that name.
bool isRegistered(Method& ours)
{
    MYSQL* mysql = mysql_init(nullptr); // gets the error
    const bool done = mysql && mysql_client_register_plugin(mysql, &ours.head) == &ours.head;
    mysql_close(mysql);
    return done;
}

} // namespace

void registerMethods()
{
    static auto s_sha2 = method("caching_sha2_password", cachingSha2);
    static auto s_clear = method("mysql_clear_password", clearPassword);
    g_ownSha2 = isRegistered(s_sha2);
    g_ownClear = isRegistered(s_clear);
}

Expected<void> mayUsePassword(const ConnectTarget& /*target*/, const ConnectOptions& /*options*/)
{
    return {}; // see restrictMethods()
}

void restrictMethods(MYSQL* mysql, const ConnectOptions& options)
{
    if (options.tls == ConnectOptions::Tls::Verify)
        mysql_optionsv(mysql, MARIADB_OPT_USERDATA, g_verifies.data(), static_cast<void*>(g_verifies.data()));
    if (options.distant)
        mysql_optionsv(mysql, MARIADB_OPT_USERDATA, g_distant.data(), static_cast<void*>(g_distant.data()));
    if ((!options.tcp && !options.distant) || options.tls == ConnectOptions::Tls::Verify) {
        mysql_options(mysql, MARIADB_OPT_RESTRICTED_AUTH, kKnownServerMethods);
        return;
    }
    std::string allowed = kSafeMethods;
    if (g_ownSha2)
        allowed += ",caching_sha2_password";
    if (g_ownClear)
        allowed += ",mysql_clear_password"; // to say by name what is refused
    if (isLoopback(options.host) && !options.distant)
        allowed += ",sha256_password";
    mysql_options(mysql, MARIADB_OPT_RESTRICTED_AUTH, allowed.c_str());
}

} // namespace dyno::mysql
