// SPDX-License-Identifier: GPL-3.0-or-later
// The manual as HTML: what the window shows, and the folder that `dyno manual --html` writes.
#include <dyno/manual.h>

#include "report/export/file_set.h"
#include "report/export/html_text.h"
#include "report/export/markdown_html.h"
#include "report/export/page_style.h"

#include <fmt/format.h>
#include <system_error>

namespace dyno {

namespace {

using report::htmlEscaped;

constexpr const char* kManualStyle = R"css(
body { max-width: 76rem; display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; }
nav {
  font-size: .9rem; line-height: 1.35; position: sticky; top: 1.5rem; align-self: start;
  max-height: calc(100vh - 3rem); overflow-y: auto;
}
nav h2 {
  font-size: .75rem; letter-spacing: .04em; text-transform: uppercase; color: var(--second);
  border: 0; margin: 1.2rem 0 .3rem; padding: 0;
}
nav a { display: block; padding: .18rem .5rem; border-radius: 5px; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--head); }
nav a[aria-current] { background: var(--head); font-weight: 600; }
main { max-width: 50rem; }
a { color: #2563c9; }
main code { background: var(--head); border-radius: 4px; padding: .1em .3em; font-size: .88em; }
pre code { background: none; padding: 0; font-size: 1em; }
footer {
  display: flex; justify-content: space-between; gap: 1rem;
  margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line);
}
@media (prefers-color-scheme: dark) { a { color: #6ba6ff; } }
@media (max-width: 56rem) { body { display: block; } nav { position: static; max-height: none; } }
)css";

std::string fileOf(const ManualPage& page)
{
    return (page.id == manualContents().id ? "index" : page.id) + ".html";
}

//! "plans.md#groups" → "plans.html#groups"; "" for a file of the sources, which no reader of HTML has.
std::string linkTo(std::string_view address)
{
    if (address.starts_with('#'))
        return std::string(address);
    const std::size_t end = address.find(".md");
    const ManualPage* page = end == std::string_view::npos ? nullptr : findManualPage(address.substr(0, end));
    return page ? fileOf(*page) + std::string(address.substr(end + 3)) : std::string();
}

std::string navigation(const ManualPage& shown)
{
    std::string html = fmt::format("<nav aria-label=\"Pages\">\n<a href=\"index.html\"{}>{}</a>\n",
                                   shown.id == manualContents().id ? " aria-current=\"page\"" : "",
                                   htmlEscaped(manualContents().title));
    std::string_view group;
    for (const ManualPage& page : manualPages()) {
        if (page.group != group)
            html += fmt::format("<h2>{}</h2>\n", htmlEscaped(page.group));
        group = page.group;
        html += fmt::format("<a href=\"{}\"{}>{}</a>\n", htmlEscaped(fileOf(page)),
                            page.id == shown.id ? " aria-current=\"page\"" : "", htmlEscaped(page.title));
    }
    return html + "</nav>\n";
}

std::string pageLink(const ManualPage* page, const char* words)
{
    return page ? fmt::format("<a href=\"{}\">{}{}</a>", htmlEscaped(fileOf(*page)), words, htmlEscaped(page->title))
                : "<span></span>";
}

//! The whole file of a page, between the one before it and the one after it.
std::string documentOf(const ManualPage& page, const ManualPage* before, const ManualPage* after)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                       "style-src 'unsafe-inline'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{} – Dynobench</title>\n<style>{}{}</style>\n</head>\n<body>\n{}<main>\n{}"
                       "<footer>{}{}</footer>\n</main>\n</body>\n</html>\n",
                       htmlEscaped(page.title), report::kPageStyle, kManualStyle, navigation(page), manualBody(page),
                       pageLink(before, "← "), pageLink(after, "Next: "));
}

} // namespace

std::string manualBody(const ManualPage& page)
{
    return report::markdownHtml(page.markdown, {.link = linkTo, .anchors = true});
}

Expected<std::vector<std::filesystem::path>> writeManual(const std::filesystem::path& folder)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return fail({ErrorKind::Storage, fmt::format("the folder cannot be made ({})", problem.message()),
                     folder.string(), "choose another folder"});
    FileSet files;
    std::vector<const ManualPage*> pages{&manualContents()};
    for (const ManualPage& page : manualPages())
        pages.push_back(&page);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const ManualPage* before = i > 0 ? pages[i - 1] : nullptr;
        const ManualPage* after = i + 1 < pages.size() ? pages[i + 1] : nullptr;
        if (const auto added = files.add(folder / fileOf(*pages[i]), documentOf(*pages[i], before, after)); !added)
            return fail(added.error());
    }
    return files.finish();
}

} // namespace dyno
