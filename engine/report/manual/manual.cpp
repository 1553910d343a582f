// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the manual, and the search in them.
#include <dyno/manual.h>

#include "base/text.h"
#include "embedded.h"
#include "report/export/markdown_html.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kManualFolder = "manual/";
constexpr std::string_view kPageSuffix = ".md";
constexpr std::string_view kContentsPage = "contents";

std::string_view manualText(std::string_view id)
{
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.path == fmt::format("{}{}{}", kManualFolder, id, kPageSuffix))
            return file.text;
    }
    return {};
}

//! Takes the first line off.
std::string_view takeLine(std::string_view& text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

ManualPage pageOf(std::string_view id, std::string group)
{
    ManualPage page{std::string(id), {}, std::move(group), manualText(id)};
    std::string_view text = page.markdown;
    std::string_view first = takeLine(text);
    if (first.starts_with("# "))
        first.remove_prefix(2);
    page.title = first;
    return page;
}

//! "- [Title](plans.md): what it tells" → "plans"; "" for other lines.
std::string_view listedPage(std::string_view line)
{
    const std::size_t open = line.find("](");
    const std::size_t close = line.find(".md)", open);
    return line.starts_with("- [") && close != std::string_view::npos ? line.substr(open + 2, close - open - 2)
                                                                      : std::string_view();
}

std::vector<ManualPage> readPages()
{
    std::vector<ManualPage> pages;
    std::string group;
    for (std::string_view text = manualText(kContentsPage); !text.empty();) {
        const std::string_view line = takeLine(text);
        if (line.starts_with("## "))
            group = line.substr(3);
        else if (const std::string_view id = listedPage(line); !id.empty())
            pages.push_back(pageOf(id, group));
    }
    return pages;
}

//! A part of a page as it is searched: plain text, in one line.
struct PagePart
{
    std::string heading, text;
    bool first = false; //!< begins with the page's title
};

//! Of a link whose words begin after the bracket at `open` the place of the bracket that ends them; npos: no link
//! begins there.
std::size_t endOfLinkWords(std::string_view markdown, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < markdown.size() && markdown[at] != '\n'; ++at) {
        depth += markdown[at] == '[' ? 1 : markdown[at] == ']' ? -1 : 0;
        if (depth == 0)
            return markdown.substr(at).starts_with("](") ? at : std::string_view::npos;
    }
    return std::string_view::npos;
}

//! Markdown without its marks: of links their words. Brackets of other kinds stay: "[[view]]".
std::string plainWords(std::string_view markdown)
{
    std::string text;
    std::size_t linkEnd = std::string_view::npos;
    for (std::size_t at = 0; at < markdown.size(); ++at) {
        const char c = markdown[at];
        if (c == '\\' && at + 1 < markdown.size() && std::ispunct(static_cast<unsigned char>(markdown[at + 1])) != 0) {
            text += markdown[++at];
        } else if (c == '[' && linkEnd == std::string_view::npos &&
                   (linkEnd = endOfLinkWords(markdown, at)) != std::string_view::npos) {
            continue;
        } else if (at == linkEnd) {
            at = std::min(markdown.find(')', at), markdown.size());
            linkEnd = std::string_view::npos;
        } else if (c == '\n' || c == '|') {
            if (!text.empty() && text.back() != ' ')
                text += ' ';
        } else if (c != '`' && c != '*' && c != '\\') {
            text += c;
        }
    }
    return text;
}

std::vector<PagePart> partsOf(const ManualPage& page)
{
    std::vector<PagePart> parts;
    bool code = false;
    std::string body;
    const auto close = [&] {
        if (!parts.empty())
            parts.back().text = plainWords(body);
        body.clear();
    };
    for (std::string_view text = page.markdown; !text.empty();) {
        const std::string_view line = takeLine(text);
        const std::size_t level = line.find_first_not_of('#');
        if (line.starts_with("```"))
            code = !code;
        else if (!code && level != std::string_view::npos && level > 0 && line[level] == ' ') {
            close();
            parts.push_back({plainWords(line.substr(level + 1)), {}, parts.empty()});
        } else if (line.find_first_not_of("|-: ") != std::string_view::npos) {
            body += line;
            body += '\n';
        }
    }
    close();
    return parts;
}

std::string excerptOf(const std::string& text, std::size_t at)
{
    constexpr std::size_t kBefore = 40, kLength = 140;
    const auto isInside = [&](std::size_t i) {
        return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0u) == 0x80u;
    };
    std::size_t from = at > kBefore ? at - kBefore : 0;
    if (from > 0) {
        const std::size_t space = text.find(' ', from);
        from = space != std::string::npos && space < at ? space + 1 : from;
    }
    while (isInside(from))
        ++from;
    std::size_t to = std::min(text.size(), from + kLength);
    if (to < text.size()) {
        const std::size_t space = text.rfind(' ', to);
        to = space != std::string::npos && space > at ? space : to;
    }
    while (isInside(to))
        ++to;
    return fmt::format("{}{}{}", from > 0 ? "… " : "", trimmed(std::string_view(text).substr(from, to - from)),
                       to < text.size() ? " …" : "");
}

} // namespace

const std::vector<ManualPage>& manualPages()
{
    static const std::vector<ManualPage> pages = readPages();
    return pages;
}

const ManualPage& manualContents()
{
    static const ManualPage contents = pageOf(kContentsPage, {});
    return contents;
}

const ManualPage* findManualPage(std::string_view id)
{
    if (id == kContentsPage)
        return &manualContents();
    const auto found = std::ranges::find(manualPages(), id, &ManualPage::id);
    return found == manualPages().end() ? nullptr : &*found;
}

std::string manualAnchor(std::string_view heading)
{
    return report::headingAnchor(heading);
}

std::vector<ManualPlace> searchManual(std::string_view words)
{
    std::vector<std::string> wanted;
    for (std::string_view rest = trimmed(words); !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        wanted.push_back(lowered(rest.substr(0, end)));
        rest = trimmed(rest.substr(end));
    }
    std::vector<std::pair<int, ManualPlace>> found;
    for (const ManualPage& page : manualPages()) {
        for (const PagePart& part : partsOf(page)) {
            const std::string heading = lowered(part.heading), text = lowered(part.text);
            const auto inHeading = [&](const std::string& word) { return heading.find(word) != std::string::npos; };
            const auto isThere = [&](const std::string& word) {
                return inHeading(word) || text.find(word) != std::string::npos;
            };
            if (wanted.empty() || !std::ranges::all_of(wanted, isThere))
                continue;
            const bool named = std::ranges::all_of(wanted, inHeading);
            std::size_t at = text.size();
            for (const std::string& word : wanted)
                at = std::min(at, text.find(word));
            const int rank = named && part.first ? 0 : named ? 1 : 2;
            found.emplace_back(rank,
                               ManualPlace{&page, part.heading, part.first ? std::string() : manualAnchor(part.heading),
                                           excerptOf(part.text, at == text.size() ? 0 : at)});
        }
    }
    std::ranges::stable_sort(found, {}, &std::pair<int, ManualPlace>::first);
    std::vector<ManualPlace> places;
    for (auto& [rank, place] : found)
        places.push_back(std::move(place));
    return places;
}

} // namespace dyno
