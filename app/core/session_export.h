// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What `dyno export` and `dynobench export` write of a session beside pictures.
#pragma once

#include <dyno/export.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! Files and folders as given; "" = not wanted.
struct ExportRequest
{
    std::string csv, markdown, html, hdr, json, out;
    bool anonymous = false;
    Appendix appendix = Appendix::No; //!< of the Markdown and the HTML
    [[nodiscard]] bool empty() const
    {
        return csv.empty() && markdown.empty() && html.empty() && hdr.empty() && json.empty() && out.empty();
    }
};

//! A session that is read for an export, with the library it is in.
struct ExportSource
{
    std::unique_ptr<Library> library;
    StoredSession session;
};

//! The same session without names of hosts and users, from a copy that is deleted at once; see Library::Privacy.
[[nodiscard]] Expected<ExportSource> anonymousCopy(Library& library, const std::string& id);

//! Writes what is wanted; `pictures` are the charts of posts. The files that were written, those before a failure too.
[[nodiscard]] Expected<void> exportSession(ExportSource& source, const ExportRequest& request,
                                           const std::vector<ReportPicture>& pictures,
                                           std::vector<std::filesystem::path>& written);

} // namespace dyno
