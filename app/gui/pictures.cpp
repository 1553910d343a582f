// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pictures.h"

#include "gui/outcome.h"
#include "plots/view_charts.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <iterator>

namespace dyno::gui {

namespace {

Error folderError(const QString& dir)
{
    Error error;
    error.kind = ErrorKind::Storage;
    error.message = "the folder cannot be made";
    error.where = dir.toStdString();
    error.remedy = "name a folder that can be written";
    return error;
}

struct Picture
{
    PlotCard* card;
    QString name;
};

//! Writes one card in the formats asked for.
Expected<void> writeCard(const Picture& picture, const PictureRequest& request, QStringList& files)
{
    for (const auto& [dir, suffix] :
         {std::pair(request.pngDir, QStringLiteral("png")), std::pair(request.svgDir, QStringLiteral("svg"))}) {
        if (dir.isEmpty())
            continue;
        const QString file = QDir(dir).filePath(picture.name + QLatin1Char('.') + suffix);
        if (auto done = exportPlot(*picture.card, request.options, file); !done)
            return done;
        files << file;
    }
    return {};
}

} // namespace

Expected<OpenedSession> openSession(const std::string& idOrFile, const std::filesystem::path& library)
{
    const bool isFile = QFileInfo::exists(QString::fromStdString(idOrFile));
    OpenedSession opened;
    auto store = Library::open(isFile ? std::filesystem::path(idOrFile) : library, Library::Mode::ReadOnly);
    if (!store)
        return fail(store.error());
    opened.library = std::move(*store);
    auto id = opened.library->resolveId(isFile ? std::string("last") : idOrFile);
    if (!id)
        return fail(id.error());
    auto session = opened.library->session(*id);
    if (!session)
        return fail(session.error());
    opened.session = std::move(*session);
    return opened;
}

namespace {

//! The charts of the views, with the widgets that hold them.
struct Charts
{
    std::vector<std::unique_ptr<QWidget>> owned;
    std::vector<Picture> pictures;

    void add(PlotCard& card)
    {
        QString name = card.exportName();
        const auto taken = [&](const QString& candidate) {
            return std::any_of(pictures.begin(), pictures.end(), [&](const Picture& p) { return p.name == candidate; });
        };
        for (int i = 2; taken(name); ++i)
            name = card.exportName() + QStringLiteral("-%1").arg(i);
        pictures.push_back({&card, name});
    }
};

Expected<Charts> chartsOf(OpenedSession& opened)
{
    Charts charts;
    const auto views = viewsOf(opened.session, *opened.library);
    if (!views)
        return fail(views.error());
    for (const View& view : *views) {
        auto drawn = viewChartsOf(view, opened.session, *opened.library);
        if (!drawn)
            return fail(drawn.error());
        for (PlotCard* card : drawn->cards)
            charts.add(*card);
        std::move(drawn->owned.begin(), drawn->owned.end(), std::back_inserter(charts.owned));
    }
    return charts;
}

//! The charts as a post carries them: in the page itself, or in the folder that its Markdown names.
Expected<std::vector<ReportPicture>> postPictures(const Charts& charts, const ExportOptions& options,
                                                  const QString& folder)
{
    std::vector<ReportPicture> pictures;
    for (const Picture& picture : charts.pictures) {
        auto made =
            reportPicture(*picture.card, options, folder + QLatin1Char('/') + picture.name + QStringLiteral(".svg"));
        if (!made)
            return fail(made.error());
        pictures.push_back(std::move(*made));
    }
    return pictures;
}

Expected<void> writePosts(OpenedSession& opened, const Charts& charts, const PictureRequest& request,
                          QStringList& files)
{
    ExportOptions options = request.options;
    options.head = options.caption = false; // the post has them as text
    std::vector<ReportPicture> pictures;
    if (!request.files.markdown.empty() || !request.files.html.empty()) {
        const QFileInfo post(QString::fromStdString(request.files.markdown));
        const QString folder = post.completeBaseName() + QStringLiteral("-pictures");
        auto made = postPictures(charts, options, folder);
        if (!made)
            return fail(made.error());
        pictures = std::move(*made);
        if (!request.files.markdown.empty() && !pictures.empty()) {
            if (!post.absoluteDir().mkpath(folder))
                return fail(folderError(post.absoluteDir().filePath(folder)));
            for (const ReportPicture& picture : pictures) {
                const QString file = post.absoluteDir().filePath(QString::fromStdString(picture.file));
                if (auto done = writeTextFile(file.toStdString(), picture.bytes); !done)
                    return done;
                files << file;
            }
        }
    }
    std::vector<std::filesystem::path> written;
    auto done = exportSession(opened, request.files, pictures, written);
    for (const auto& file : written)
        files << QString::fromStdString(file.string());
    return done;
}

} // namespace

Expected<QStringList> exportPictures(OpenedSession& opened, const PictureRequest& request)
{
    QStringList folders{request.pngDir, request.svgDir};
    if (!request.pdfFile.isEmpty())
        folders << QFileInfo(request.pdfFile).absolutePath();
    for (const QString& dir : folders)
        if (!dir.isEmpty() && !QDir().mkpath(dir))
            return fail(folderError(dir));
    auto charts = chartsOf(opened);
    if (!charts)
        return fail(charts.error());
    QStringList files;
    for (const Picture& picture : charts->pictures)
        if (auto done = writeCard(picture, request, files); !done)
            return fail(done.error());
    if (!request.pdfFile.isEmpty() && !charts->pictures.empty()) {
        std::vector<PlotCard*> cards;
        for (const Picture& picture : charts->pictures)
            cards.push_back(picture.card);
        if (auto done = exportPdf(cards, request.options, request.pdfFile); !done)
            return fail(done.error());
        files << request.pdfFile;
    }
    if (auto done = writePosts(opened, *charts, request, files); !done)
        return fail(done.error());
    return files;
}

int runExport(const std::string& idOrFile, const std::filesystem::path& library, const PictureRequest& request)
{
    auto opened = openSession(idOrFile, library);
    if (!opened)
        return report(opened.error());
    if (request.files.anonymous) {
        auto copy = anonymousCopy(*opened->library, opened->session.info.id);
        if (!copy)
            return report(copy.error());
        opened = std::move(*copy);
    }
    auto files = exportPictures(*opened, request);
    if (!files)
        return report(files.error());
    for (const QString& file : *files)
        print(file.toStdString());
    return kDone;
}

} // namespace dyno::gui
