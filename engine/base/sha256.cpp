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

} // namespace dyno
