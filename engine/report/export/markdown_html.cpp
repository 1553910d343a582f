// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown of our own reports, and of notes, as HTML. Every character of the input is escaped; only what is recognised
// here becomes a tag, so no text can bring in a script or an address that is fetched.
#include "report/export/markdown_html.h"

#include "base/packing.h"
#include "base/text.h"
#include "report/export/html_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace dyno {

namespace {

using report::htmlEscaped;
using report::MarkdownForm;

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool isPunctuation(char c)
{
    return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

//! The text between the mark at `at` and its end; npos when it has none.
std::size_t endOf(std::string_view text, std::string_view mark, std::size_t at)
{
    for (std::size_t i = at; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text.substr(i).starts_with(mark) && i > at && text[i - 1] != ' ')
            return i;
    }
    return std::string_view::npos;
}

bool isSafeLink(std::string_view address)
{
    for (const std::string_view scheme : {"https://", "http://", "mailto:"}) {
        if (address.starts_with(scheme) && address.size() > scheme.size())
            return std::ranges::none_of(address, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
    }
    return false;
}

constexpr int kDeepest = 8;

std::string inlineHtml(std::string_view text, const MarkdownForm& form, int depth = 0)
{
    std::string html;
    const auto wrapped = [&](std::size_t& at, std::string_view mark, const char* tag) {
        const std::size_t begin = at + mark.size();
        if (depth >= kDeepest || begin >= text.size() || text[begin] == ' ')
            return false;
        // An underscore inside a word is part of its name.
        if (mark == "_" && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0)
            return false;
        const std::size_t end = endOf(text, mark, begin);
        if (end == std::string_view::npos)
            return false;
        if (mark == "_" && end + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[end + 1])) != 0)
            return false;
        html += fmt::format("<{0}>{1}</{0}>", tag, inlineHtml(text.substr(begin, end - begin), form, depth + 1));
        at = end + mark.size();
        return true;
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\\' && at + 1 < text.size() && isPunctuation(text[at + 1])) {
            html += htmlEscaped(text.substr(at + 1, 1));
            at += 2;
            continue;
        }
        if (c == '`') {
            const std::size_t end = text.find('`', at + 1);
            if (end != std::string_view::npos && end > at + 1) {
                html += "<code>" + htmlEscaped(text.substr(at + 1, end - at - 1)) + "</code>";
                at = end + 1;
                continue;
            }
        }
        if (c == '*' && text.substr(at).starts_with("**") && wrapped(at, "**", "strong"))
            continue;
        if ((c == '*' && wrapped(at, "*", "em")) || (c == '_' && wrapped(at, "_", "em")))
            continue;
        if (c == '!' && text.substr(at).starts_with("![")) { // a picture from elsewhere is not fetched, nor linked to
            html += "![";
            at += 2;
            continue;
        }
        if (c == '[') {
            const std::size_t close = endOf(text, "](", at + 1);
            const std::size_t end = close == std::string_view::npos ? close : text.find(')', close + 2);
            if (end != std::string_view::npos && depth < kDeepest) {
                const std::string_view address = text.substr(close + 2, end - close - 2);
                const bool outside = isSafeLink(address);
                const std::optional<std::string> inside =
                    outside || !form.link ? std::nullopt : std::optional(form.link(address));
                if (outside || inside) {
                    const std::string words = inlineHtml(text.substr(at + 1, close - at - 1), form, depth + 1);
                    if (outside)
                        html += fmt::format("<a href=\"{}\" rel=\"noreferrer\">{}</a>", htmlEscaped(address), words);
                    else
                        html +=
                            inside->empty() ? words : fmt::format("<a href=\"{}\">{}</a>", htmlEscaped(*inside), words);
                    at = end + 1;
                    continue;
                }
            }
        }
        html += htmlEscaped(text.substr(at, 1));
        ++at;
    }
    return html;
}

//! "| a | b \| c |" → a, b \| c
std::vector<std::string_view> cellsOf(std::string_view line)
{
    line = trimmed(line);
    if (line.starts_with('|'))
        line.remove_prefix(1);
    if (line.ends_with('|') && !line.ends_with("\\|"))
        line.remove_suffix(1);
    std::vector<std::string_view> cells;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '\\') {
            ++i;
            continue;
        }
        if (i >= line.size() || line[i] == '|') {
            cells.push_back(trimmed(line.substr(start, std::min(i, line.size()) - start)));
            start = i + 1;
        }
    }
    return cells;
}

//! A bar inside a cell is written \|, also in code, where nothing else is escaped.
std::string withoutEscapedBars(std::string_view cell)
{
    std::string text;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        if (!cell.substr(i).starts_with("\\|"))
            text += cell[i];
    }
    return text;
}

bool isRule(std::string_view line)
{
    line = trimmed(line);
    return line.starts_with('|') && line.find("---") != std::string_view::npos &&
           line.find_first_not_of("|:- ") == std::string_view::npos;
}

//! "# " → 1; 0 for no heading.
std::size_t headingOf(std::string_view line)
{
    std::size_t level = 0;
    while (level < line.size() && level < 6 && line[level] == '#')
        ++level;
    return level > 0 && level < line.size() && line[level] == ' ' ? level : 0;
}

//! Length of "- ", "* " or "12. " at the beginning of the line; 0 for none.
std::size_t bulletOf(std::string_view line, bool& ordered)
{
    if (line.starts_with("- ") || line.starts_with("* ")) {
        ordered = false;
        return 2;
    }
    std::size_t digits = 0;
    while (digits < line.size() && digits < 9 && std::isdigit(static_cast<unsigned char>(line[digits])) != 0)
        ++digits;
    ordered = true;
    return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

//! Places over a picture whose title a browser shows under the mouse; the picture itself stays an image, in which
//! nothing runs.
std::string spotsOver(const ReportPicture& picture)
{
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"presentation\">", picture.width, picture.height);
    for (const PictureSpot& spot : picture.spots) {
        svg +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>",
                        spot.x, spot.y, spot.width, spot.height, htmlEscaped(spot.text));
    }
    return svg + "</svg>";
}

class Converter
{
public:
    Converter(std::string_view markdown, const MarkdownForm& form)
        : m_lines(linesOf(markdown))
        , m_form(form)
    {
    }

    std::string html()
    {
        while (m_at < m_lines.size()) {
            const std::string_view line = m_lines[m_at];
            bool ordered = false;
            if (trimmed(line).empty())
                ++m_at;
            else if (line.starts_with("```"))
                code();
            else if (headingOf(line) > 0)
                heading();
            else if (trimmed(line).starts_with('|') && m_at + 1 < m_lines.size() && isRule(m_lines[m_at + 1]))
                table();
            else if (bulletOf(line, ordered) > 0)
                list();
            else if (line.starts_with("> "))
                quote();
            else if (!picture())
                paragraph();
        }
        return std::move(m_html);
    }

private:
    [[nodiscard]] bool beginsBlock(std::string_view line) const
    {
        bool ordered = false;
        return trimmed(line).empty() || line.starts_with("```") || headingOf(line) > 0 || line.starts_with("> ") ||
               line.starts_with("![") || bulletOf(line, ordered) > 0 || trimmed(line).starts_with('|');
    }
    void code()
    {
        const std::string_view line = m_lines[m_at++];
        const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
        const std::string fence(ticks, '`');
        m_html += "<pre><code>";
        for (; m_at < m_lines.size() && trimmed(m_lines[m_at]) != fence; ++m_at)
            m_html += htmlEscaped(m_lines[m_at]) + "\n";
        ++m_at;
        m_html += "</code></pre>\n";
    }
    void heading()
    {
        const std::string_view line = m_lines[m_at++];
        const std::size_t level = headingOf(line);
        const std::string_view text = trimmed(line.substr(level));
        const std::string id =
            m_form.anchors ? fmt::format(" id=\"{}\"", htmlEscaped(report::headingAnchor(text))) : std::string();
        m_html += fmt::format("<h{0}{1}>{2}</h{0}>\n", level, id, inlineHtml(text, m_form));
    }
    void table()
    {
        const auto head = cellsOf(m_lines[m_at]);
        const auto rule = cellsOf(m_lines[m_at + 1]);
        m_at += 2;
        const auto cell = [&](const char* tag, std::size_t column, std::string_view text) {
            const bool right = column < rule.size() && rule[column].ends_with(':') && !rule[column].starts_with(':');
            m_html += fmt::format("<{0}{1}>{2}</{0}>", tag, right ? " class=\"r\"" : "",
                                  inlineHtml(withoutEscapedBars(text), m_form));
        };
        m_html += "<table>\n<thead><tr>";
        for (std::size_t i = 0; i < head.size(); ++i)
            cell("th", i, head[i]);
        m_html += "</tr></thead>\n<tbody>\n";
        for (; m_at < m_lines.size() && trimmed(m_lines[m_at]).starts_with('|'); ++m_at) {
            m_html += "<tr>";
            const auto cells = cellsOf(m_lines[m_at]);
            for (std::size_t i = 0; i < cells.size(); ++i)
                cell("td", i, cells[i]);
            m_html += "</tr>\n";
        }
        m_html += "</tbody>\n</table>\n";
    }
    void list()
    {
        bool ordered = false;
        (void)bulletOf(m_lines[m_at], ordered);
        const char* const tag = ordered ? "ol" : "ul";
        m_html += fmt::format("<{}>\n", tag);
        while (m_at < m_lines.size()) {
            bool same = false;
            const std::size_t mark = bulletOf(m_lines[m_at], same);
            if (mark == 0 || same != ordered)
                break;
            std::string item(m_lines[m_at++].substr(mark));
            while (m_at < m_lines.size() && m_lines[m_at].starts_with("  ") && !trimmed(m_lines[m_at]).empty())
                item += " " + std::string(trimmed(m_lines[m_at++]));
            m_html += "<li>" + inlineHtml(item, m_form) + "</li>\n";
        }
        m_html += fmt::format("</{}>\n", tag);
    }
    void quote()
    {
        std::string text;
        for (; m_at < m_lines.size() && m_lines[m_at].starts_with("> "); ++m_at)
            text += (text.empty() ? "" : " ") + std::string(m_lines[m_at].substr(2));
        m_html += "<blockquote><p>" + inlineHtml(text, m_form) + "</p></blockquote>\n";
    }
    //! "![title](file)" alone in its line, of a picture that is at hand.
    bool picture()
    {
        const std::string_view line = trimmed(m_lines[m_at]);
        if (!line.starts_with("![") || !line.ends_with(')'))
            return false;
        const std::size_t middle = line.rfind("](");
        if (middle == std::string_view::npos)
            return false;
        const std::string_view file = line.substr(middle + 2, line.size() - middle - 3);
        const auto found = std::ranges::find(m_form.pictures, file, &ReportPicture::file);
        if (found == m_form.pictures.end())
            return false;
        const std::string image =
            fmt::format("<img src=\"data:{};base64,{}\" alt=\"{}\">", htmlEscaped(found->mediaType),
                        base64(found->bytes), htmlEscaped(found->title));
        m_html += found->spots.empty()
                      ? fmt::format("<figure>{}</figure>\n", image)
                      : fmt::format("<figure class=\"chart\" style=\"max-width:{:.0f}px\">{}{}</figure>\n",
                                    found->width, image, spotsOver(*found));
        ++m_at;
        return true;
    }
    void paragraph()
    {
        std::string text(trimmed(m_lines[m_at++]));
        while (m_at < m_lines.size() && !beginsBlock(m_lines[m_at]))
            text += "\n" + std::string(trimmed(m_lines[m_at++]));
        m_html += "<p>" + inlineHtml(text, m_form) + "</p>\n";
    }

    std::vector<std::string_view> m_lines;
    const MarkdownForm& m_form;
    std::size_t m_at = 0;
    std::string m_html;
};

} // namespace

std::string report::htmlEscaped(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        case '\'':
            result += "&#39;";
            break;
        default:
            // Control characters have no place in HTML.
            result += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return result;
}

std::string report::headingAnchor(std::string_view heading)
{
    std::string anchor;
    for (const char c : heading) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_')
            anchor += static_cast<char>(std::tolower(byte));
        else if (c == ' ')
            anchor += '-';
    }
    return anchor;
}

std::string report::markdownHtml(std::string_view markdown, const MarkdownForm& form)
{
    return Converter(markdown, form).html();
}

std::string htmlOfMarkdown(std::string_view markdown, const std::vector<ReportPicture>& pictures)
{
    return report::markdownHtml(markdown, {.pictures = pictures});
}

} // namespace dyno
