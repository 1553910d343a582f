// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/visible_text.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace dyno {

namespace {

struct CodeRange
{
    std::uint32_t first, last;
};

//! What a reader does not see, or what changes how the rest is seen (Unicode: Cc, most of Cf, Zl, Zp, fillers).
constexpr CodeRange kUnseen[]{
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool isUnseen(std::uint32_t code)
{
    return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                       [code](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

struct Decoded
{
    std::uint32_t code = 0;
    std::size_t length = 0; //!< bytes; 0 = no UTF-8
};

Decoded characterAt(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t length = lead >= 0xf0 && lead <= 0xf4  ? 4
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                                                             : 0;
    if (length == 0 || text.size() < length)
        return {};
    std::uint32_t code = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80U)
            return {};
        code = code << 6U | (next & 0x3fU);
    }
    constexpr std::uint32_t kLeast[]{0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return {};
    return {code, length};
}

} // namespace

std::string visibleText(std::string_view text, TextLayout layout)
{
    std::string shown;
    if (layout == TextLayout::Quoted) {
        std::string_view left = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
        if (left.find('\n') == std::string_view::npos)
            return visibleText(text);
        for (std::size_t end = 0; end != std::string_view::npos;) {
            end = left.find('\n');
            shown += "\n│ " + visibleText(left.substr(0, end), TextLayout::Keep);
            left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        }
        return shown;
    }
    shown.reserve(text.size());
    while (!text.empty()) {
        const Decoded next = characterAt(text);
        const bool ours = layout == TextLayout::Keep && (next.code == '\n' || next.code == '\t');
        const std::size_t length = std::max<std::size_t>(next.length, 1);
        if (next.length == 0)
            fmt::format_to(std::back_inserter(shown), "\\x{{{:02X}}}",
                           unsigned(static_cast<unsigned char>(text.front())));
        else if (isUnseen(next.code) && !ours)
            fmt::format_to(std::back_inserter(shown), "\\u{{{:02X}}}", next.code);
        else
            shown.append(text.substr(0, length));
        text.remove_prefix(length);
    }
    return shown;
}

} // namespace dyno
