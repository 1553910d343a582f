// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pictures of a stored session by its views (the plan's and those kept with it); needs a QApplication but no display.
//! GUI thread.
#pragma once

#include "core/session_export.h"
#include "plots/export.h"

#include <dyno/library.h>

#include <QStringList>

#include <memory>
#include <string>

namespace dyno::gui {

struct PictureRequest
{
    QString pngDir, svgDir, pdfFile; //!< "" = none of that kind
    ExportOptions options;
    ExportRequest files; //!< what is written beside pictures; posts show the charts
    [[nodiscard]] bool empty() const
    {
        return pngDir.isEmpty() && svgDir.isEmpty() && pdfFile.isEmpty() && files.empty();
    }
};

//! Opens what a person named: an id (or prefix, or "last") in `library`, or a `.dyno` file.
using OpenedSession = ExportSource;
[[nodiscard]] Expected<OpenedSession> openSession(const std::string& idOrFile, const std::filesystem::path& library);

//! One picture a view and facet, and the other files; returns them. Makes folders that are missing. A Markdown post
//! gets its charts as SVG into a folder beside it, named as the file with "-pictures".
[[nodiscard]] Expected<QStringList> exportPictures(OpenedSession& opened, const PictureRequest& request);

//! `dynobench export`; returns the exit code.
int runExport(const std::string& idOrFile, const std::filesystem::path& library, const PictureRequest& request);

} // namespace dyno::gui
