// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/packing.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <zlib.h>

namespace dyno {

namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kMostPacked = std::size_t(1) << 30; // zlib counts with 32 bits

constexpr auto kBase64Values = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kBase64Digits.size(); ++i)
        values[static_cast<unsigned char>(kBase64Digits[i])] = std::int8_t(i);
    return values;
}();

} // namespace

std::string deflated(std::string_view plain, int level)
{
    if (plain.size() > kMostPacked)
        return {};
    uLongf size = compressBound(uLong(plain.size()));
    std::string packed(size, '\0');
    const int state = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                reinterpret_cast<const Bytef*>(plain.data()), uLong(plain.size()), level);
    packed.resize(state == Z_OK ? size : 0);
    return packed;
}

std::optional<std::string> inflated(std::string_view packed, std::size_t most)
{
    if (packed.size() > kMostPacked || most > kMostPacked)
        return {};
    std::string plain(std::min(most, packed.size() * 16 + 256), '\0');
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK)
        return {};
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream.avail_in = uInt(packed.size());
    std::size_t used = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        if (used == plain.size()) {
            if (plain.size() == most)
                break;
            plain.resize(std::min(most, plain.size() * 2));
        }
        stream.next_out = reinterpret_cast<Bytef*>(plain.data() + used);
        stream.avail_out = uInt(plain.size() - used);
        state = inflate(&stream, Z_NO_FLUSH);
        used = plain.size() - stream.avail_out;
        // no progress although there is room: the stream is cut off
        if (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)
            break;
    }
    const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
    inflateEnd(&stream);
    if (!whole)
        return {};
    plain.resize(used);
    return plain;
}

std::string base64(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? kBase64Digits[group >> (18 - 6 * k) & 63u] : '=';
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text)
{
    while (!text.empty() && text.back() == '=')
        text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
        const int value = kBase64Values[static_cast<unsigned char>(c)];
        if (value < 0)
            return {};
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        have += 6;
        if (have >= 8) {
            have -= 8;
            bytes += static_cast<char>((bits >> have) & 0xff);
        }
    }
    return bytes;
}

} // namespace dyno
