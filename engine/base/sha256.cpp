// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <span>

namespace dyno {

std::string sha256Of(std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        return {};
    return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

struct Sha256::State
{
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
    bool works = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
};

Sha256::Sha256()
    : m_state(std::make_unique<State>())
{
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes)
{
    m_state->works = m_state->works && EVP_DigestUpdate(m_state->context.get(), bytes.data(), bytes.size()) == 1;
}

std::string Sha256::digits()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!m_state->works || EVP_DigestFinal_ex(m_state->context.get(), digest.data(), &size) != 1)
        return {};
    return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

} // namespace dyno
