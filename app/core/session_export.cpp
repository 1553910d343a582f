// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session_export.h"

#include "core/session_text.h"
#include "core/temporary_folder.h"

#include <dyno/analysis.h>
#include <dyno/observing.h>

namespace dyno {

namespace fs = std::filesystem;

Expected<ExportSource> anonymousCopy(Library& library, const std::string& id)
{
    const TemporaryFolder folder;
    if (folder.path().empty())
        return fail({ErrorKind::Storage, "a folder for the anonymous copy cannot be made", {}, "make room in TMPDIR"});
    const fs::path file = folder.path() / "session.dyno";
    if (auto copied = library.exportSession(id, file, Library::Privacy::Anonymous); !copied)
        return fail(std::move(copied.error()));
    auto opened = Library::open(file, Library::Mode::ReadOnly);
    if (!opened)
        return fail(std::move(opened.error()));
    auto session = (*opened)->session(id);
    if (!session)
        return fail(std::move(session.error()));
    // The open file stays readable when its name is gone.
    return ExportSource{std::move(*opened), std::move(*session)};
}

Expected<void> exportSession(ExportSource& source, const ExportRequest& request,
                             const std::vector<ReportPicture>& pictures, std::vector<fs::path>& written)
{
    const StoredSession& session = source.session;
    const PivotRequest view = pivotOf(session.header.plan);
    const auto writeText = [&](const std::string& file, const auto& text) -> Expected<void> {
        if (file.empty())
            return {};
        auto done = writeTextFile(file, text());
        if (done)
            written.emplace_back(file);
        return done;
    };
    const auto writeFolder = [&](const std::string& folder, const auto& write) -> Expected<void> {
        if (folder.empty())
            return {};
        const auto files = write(*source.library, session, folder);
        if (!files)
            return fail(files.error());
        written.insert(written.end(), files->begin(), files->end());
        return {};
    };
    if (auto done = writeFolder(request.csv, exportCsv); !done)
        return done;
    if (auto done = writeFolder(request.hdr, exportHdr); !done)
        return done;
    const RunFigures figures = [&source](const StoredSession& of, const std::string& measure) {
        auto read = intervalFigures(*source.library, of, measure);
        return read ? std::move(*read) : std::vector<double>();
    };
    const CoursesOf courses = coursesIn(*source.library);
    if (auto done =
            writeText(request.markdown,
                      [&] { return markdownPost({session}, view, pictures, figures, courses, request.appendix); });
        !done)
        return done;
    if (auto done = writeText(request.html,
                              [&] { return htmlPost({session}, view, pictures, figures, courses, request.appendix); });
        !done)
        return done;
    if (auto done =
            writeText(request.json, [&] { return sessionJson(session, stallsIn(*source.library), *source.library); });
        !done)
        return done;
    if (!request.out.empty()) {
        if (auto done = source.library->exportSession(session.info.id, request.out); !done)
            return done;
        written.emplace_back(request.out);
    }
    return {};
}

} // namespace dyno
