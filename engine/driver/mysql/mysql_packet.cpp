// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_packet.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dyno::mysql {

namespace {

constexpr std::size_t kHead = 4 + 1 + 4 + 1; // statement, flags, how often, whether types follow
constexpr std::size_t kMostBytes = 9;        // of a number, or of a text's length
// Of the protocol's types: MYSQL_TYPE_LONGLONG, _DOUBLE and _STRING.
constexpr std::uint64_t kInteger = 8, kReal = 5, kText = 254;

//! Numbers go with their lowest byte first.
template<std::size_t bytes>
char* put(char* at, std::uint64_t value)
{
    if constexpr (std::endian::native == std::endian::big)
        value = __builtin_bswap64(value);
    std::memcpy(at, &value, bytes);
    return at + bytes;
}

char* putText(char* at, std::string_view text)
{
    const std::size_t size = text.size();
    if (size < 251) [[likely]] {
        at = put<1>(at, size);
    } else if (size < std::size_t(1) << 16) {
        at = put<1>(at, 252);
        at = put<2>(at, size);
    } else if (size < std::size_t(1) << 24) {
        at = put<1>(at, 253);
        at = put<3>(at, size);
    } else {
        at = put<1>(at, 254);
        at = put<8>(at, size);
    }
    return at + text.copy(at, size);
}

char* putTypes(char* at, const std::vector<Param::Type>& types)
{
    for (const Param::Type type : types)
        at = put<2>(at, type == Param::Type::Integer ? kInteger : type == Param::Type::Real ? kReal : kText);
    return at;
}

} // namespace

void ExecutePacket::write(std::uint32_t statement, std::span<const Param> params, ParameterTypes& types)
{
    const std::size_t count = types.types.size();
    const std::size_t given = std::min(params.size(), count);
    std::size_t most = kHead + (count + 7) / 8 + count * (2 + kMostBytes);
    for (std::size_t i = 0; i < given; ++i) {
        const Param& value = params[i];
        most += value.text.size();
        if (value.type != types.types[i] && value.type != Param::Type::Null) {
            types.types[i] = value.type;
            types.sent = false;
        }
    }
    if (m_bytes.size() < most)
        m_bytes.resize(std::max(most, 2 * m_bytes.size()));

    char* at = put<4>(m_bytes.data(), statement);
    at = put<1>(at, 0); // no cursor
    at = put<4>(at, 1);
    char* const nulls = at; // a bit for each parameter
    if (count > 0) {
        std::memset(nulls, 0, (count + 7) / 8);
        at = put<1>(at + (count + 7) / 8, types.sent ? 0 : 1);
    }
    if (!types.sent)
        at = putTypes(at, types.types);
    for (std::size_t i = 0; i < given; ++i) {
        const Param& value = params[i];
        if (value.type == Param::Type::Integer)
            at = put<8>(at, std::uint64_t(value.integer));
        else if (value.type == Param::Type::Text)
            at = putText(at, value.text);
        else if (value.type == Param::Type::Real)
            at = put<8>(at, std::bit_cast<std::uint64_t>(value.real));
        else
            nulls[i / 8] = char(nulls[i / 8] | 1 << i % 8);
    }
    for (std::size_t i = given; i < count; ++i)
        nulls[i / 8] = char(nulls[i / 8] | 1 << i % 8);
    m_size = std::size_t(at - m_bytes.data());
}

} // namespace dyno::mysql
