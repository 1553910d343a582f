// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pictures of a stored session by its plan's views; needs a QApplication but no display. GUI thread.
#pragma once

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
};

//! Opens what a person named: an id (or prefix, or "last") in `library`, or a `.dyno` file.
struct OpenedSession
{
    std::unique_ptr<Library> library;
    StoredSession session;
};
[[nodiscard]] Expected<OpenedSession> openSession(const std::string& idOrFile, const std::filesystem::path& library);

//! One picture a view and facet; returns the files. Makes folders that are missing.
[[nodiscard]] Expected<QStringList> exportPictures(OpenedSession& opened, const PictureRequest& request);

//! `dynobench export`; returns the exit code.
int runExport(const std::string& idOrFile, const std::filesystem::path& library, const PictureRequest& request);

} // namespace dyno::gui
