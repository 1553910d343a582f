// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace dyno {

std::string sha256Of(std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        return {};
    std::string digits;
    for (unsigned i = 0; i < size; ++i)
        digits += fmt::format("{:02x}", unsigned(digest.at(i)));
    return digits;
}

} // namespace dyno
