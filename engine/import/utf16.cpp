// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/utf16.h"

#include "base/utf8.h"

namespace dyno::import {

namespace {

constexpr std::uint32_t kUnknownCharacter = 0xFFFD, kByteOrderMark = 0xFEFF;

} // namespace

Utf16Decoder::Utf16Decoder(bool bigEndian)
    : m_bigEndian(bigEndian)
{
}

std::optional<Utf16Decoder> Utf16Decoder::of(std::string_view begin)
{
    using namespace std::string_view_literals;
    if (begin.starts_with("\xff\xfe\0\0"sv)) // UTF-32
        return {};
    if (begin.starts_with("\xff\xfe"))
        return Utf16Decoder(false);
    if (begin.starts_with("\xfe\xff"))
        return Utf16Decoder(true);
    return {};
}

void Utf16Decoder::unit(std::uint32_t value, std::string& out)
{
    if (!m_begun) {
        m_begun = true;
        if (value == kByteOrderMark)
            return;
    }
    const bool low = value >= 0xDC00 && value < 0xE000;
    if (m_high != 0) {
        const std::uint32_t high = m_high;
        m_high = 0;
        if (low) {
            appendUtf8(out, 0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00));
            return;
        }
        appendUtf8(out, kUnknownCharacter);
    }
    if (value >= 0xD800 && value < 0xDC00)
        m_high = value;
    else
        appendUtf8(out, low ? kUnknownCharacter : value);
}

void Utf16Decoder::decode(std::string_view bytes, std::string& out)
{
    for (const char one : bytes) {
        const int byte = static_cast<unsigned char>(one);
        if (m_first < 0) {
            m_first = byte;
            continue;
        }
        unit(static_cast<std::uint32_t>(m_bigEndian ? m_first << 8 | byte : byte << 8 | m_first), out);
        m_first = -1;
    }
}

void Utf16Decoder::finish(std::string& out)
{
    if (m_first >= 0 || m_high != 0)
        appendUtf8(out, kUnknownCharacter);
    m_first = -1;
    m_high = 0;
}

std::string asUtf8(std::string text)
{
    std::optional<Utf16Decoder> decoder = Utf16Decoder::of(text);
    if (!decoder)
        return text;
    std::string out;
    decoder->decode(text, out);
    decoder->finish(out);
    return out;
}

} // namespace dyno::import
