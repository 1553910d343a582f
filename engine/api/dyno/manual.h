// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The manual: short pages in Markdown that are compiled in (resources/manual), in the order of the list
//! resources/manual/contents.md, which owns their groups. Any thread.
#pragma once

#include "error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct ManualPage
{
    std::string id;    //!< "plans": of the file plans.md
    std::string title; //!< its first line
    std::string group; //!< heading of the list: "First steps"
    std::string_view markdown;
};

//! In the order of the list. The list itself is no page of it: see manualContents().
[[nodiscard]] const std::vector<ManualPage>& manualPages();
//! nullptr when there is none; "contents" is the list.
[[nodiscard]] const ManualPage* findManualPage(std::string_view id);
//! The list of pages, as a page: what a manual begins with.
[[nodiscard]] const ManualPage& manualContents();

//! What stands after # in a link to a heading: "How a run ends" → "how-a-run-ends".
[[nodiscard]] std::string manualAnchor(std::string_view heading);

//! A part of a page, from its heading to the next one.
struct ManualPlace
{
    const ManualPage* page = nullptr;
    std::string heading; //!< the page's title before the first one
    std::string anchor;  //!< of the heading; "" = the page's beginning
    std::string excerpt; //!< plain text around the first word that was found
};
//! Where all words stand in one part, whatever their case: titles first, then headings, then texts, in the order of the
//! pages.
[[nodiscard]] std::vector<ManualPlace> searchManual(std::string_view words);

//! The page as HTML without head and body. Links to pages lead to PAGE.html; those to files of the sources are shown as
//! text.
[[nodiscard]] std::string manualBody(const ManualPage& page);
//! Writes the whole manual into a folder, which is made where it is missing: index.html and one file a page, with
//! nothing that is fetched and no script. The files that were written.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> writeManual(const std::filesystem::path& folder);

//! Text in a cell of a table of a generated page: what would end the cell or begin markup is escaped. Code in backticks
//! stays.
[[nodiscard]] std::string markdownCell(std::string_view text);

//! The page of all fields of a plan, from the tables that read them; resources/manual/plan-reference.md is its output.
[[nodiscard]] std::string planReferenceMarkdown();

} // namespace dyno
