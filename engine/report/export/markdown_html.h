// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Markdown as HTML, in the forms that reports and the manual need. Any thread.
#pragma once

#include <dyno/export.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

struct MarkdownForm
{
    std::vector<ReportPicture> pictures = {};
    //! Where a link leads that names no scheme; "": only its words are shown. Without it, such a link stays as it was
    //! written, as in texts of strangers.
    std::function<std::string(std::string_view)> link = {};
    bool anchors = false; //!< headings get an id, see headingAnchor()
};

[[nodiscard]] std::string markdownHtml(std::string_view markdown, const MarkdownForm& form);
//! "How a run ends" → "how-a-run-ends": what stands after # in a link, as most renderings of Markdown have it.
[[nodiscard]] std::string headingAnchor(std::string_view heading);

} // namespace dyno::report
