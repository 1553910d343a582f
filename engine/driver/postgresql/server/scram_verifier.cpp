// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/server/scram_verifier.h"

#include <array>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

namespace dyno {

namespace {

using ScramKey = std::array<unsigned char, SHA256_DIGEST_LENGTH>;
constexpr int kIterations = 4096; // the server's own default

template<std::size_t Size>
std::string scramText(const std::array<unsigned char, Size>& bytes)
{
    std::array<unsigned char, 4 * ((Size + 2) / 3) + 1> text{}; // 4 characters for 3 bytes, and a zero
    const int length = EVP_EncodeBlock(text.data(), bytes.data(), int(Size));
    return {text.begin(), text.begin() + length};
}

bool scramKey(const ScramKey& salted, std::string_view word, ScramKey& key)
{
    return HMAC(EVP_sha256(), salted.data(), int(salted.size()), reinterpret_cast<const unsigned char*>(word.data()),
                word.size(), key.data(), nullptr);
}

} // namespace

Expected<std::string> scramVerifier(std::string_view password)
{
    std::array<unsigned char, 16> salt{};
    ScramKey salted{}, client{}, stored{}, server{};
    const bool made = RAND_bytes(salt.data(), int(salt.size())) == 1 &&
                      PKCS5_PBKDF2_HMAC(password.data(), int(password.size()), salt.data(), int(salt.size()),
                                        kIterations, EVP_sha256(), int(salted.size()), salted.data()) == 1 &&
                      scramKey(salted, "Client Key", client) && SHA256(client.data(), client.size(), stored.data()) &&
                      scramKey(salted, "Server Key", server);
    if (!made)
        return fail({ErrorKind::Failed, "OpenSSL cannot hash a password", {}, {}});
    return fmt::format("SCRAM-SHA-256${}:{}${}:{}", kIterations, scramText(salt), scramText(stored), scramText(server));
}

} // namespace dyno
