// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The values of YCSB's dataintegrity=true (CoreWorkload.buildDeterministicValue): functions of key and field alone, so
//! that whoever reads one knows what it must be. Made and compared without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dyno::ycsb {

//! Java's String.hashCode() of ASCII, piece by piece.
class JavaHash
{
public:
    void add(std::string_view text)
    {
        for (const char c : text)
            m_hash = 31 * m_hash + static_cast<unsigned char>(c);
    }
    [[nodiscard]] std::int32_t value() const { return std::int32_t(m_hash); }

private:
    std::uint32_t m_hash = 0;
};

//! The value of field number `field` of the record with `key`: "KEY:fieldN", then ':' and the hash of all before it as
//! a decimal number, again and again up to `length` characters. Gives it to `take` in pieces, until that returns false;
//! returns whether all were taken.
template<class Take>
bool deterministicText(std::string_view key, int field, std::size_t length, Take take)
{
    constexpr std::string_view kField = ":field";
    JavaHash hash;
    const auto give = [&](std::string_view piece) {
        piece = piece.substr(0, length);
        length -= piece.size();
        hash.add(piece);
        return take(piece);
    };
    std::array<char, 24> number;
    const auto digits = [&](std::int32_t value) {
        char* const end = std::to_chars(number.data(), number.data() + number.size(), value).ptr;
        return std::string_view(number.data(), std::size_t(end - number.data()));
    };
    if (!give(key) || !give(kField) || !give(digits(field)))
        return false;
    while (length > 0) {
        if (!give(":") || !give(digits(hash.value())))
            return false;
    }
    return true;
}

//! Writes it; returns the end.
inline char* writeDeterministicText(char* out, std::string_view key, int field, std::size_t length)
{
    deterministicText(key, field, length, [&out](std::string_view piece) {
        out = std::copy(piece.begin(), piece.end(), out);
        return true;
    });
    return out;
}

[[nodiscard]] inline bool isDeterministicText(std::string_view text, std::string_view key, int field,
                                              std::size_t length)
{
    return text.size() == length && deterministicText(key, field, length, [&text](std::string_view piece) {
               if (text.substr(0, piece.size()) != piece)
                   return false;
               text.remove_prefix(piece.size());
               return true;
           });
}

} // namespace dyno::ycsb
