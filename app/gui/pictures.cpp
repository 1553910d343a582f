// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pictures.h"

#include "gui/outcome.h"
#include "plots/pivot_plot.h"
#include "plots/time_overlay_plot.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

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

//! Label of a point on one axis, "" if the axis is not its.
std::string labelOf(const PointSpec& point, const std::string& axis)
{
    for (const CaseRef& ref : point.cases)
        if (ref.axis == axis)
            return ref.label;
    return {};
}

int mostUsers(const SessionHeader& header)
{
    int most = 0;
    for (const PointSpec& point : header.points)
        most = std::max(most, point.users());
    return most;
}

//! First repeat of each series at the largest number of users: the lines of a time view.
Expected<std::vector<RunTrace>> tracesOf(OpenedSession& opened, const View& view)
{
    const SessionHeader& header = opened.session.header;
    const int most = mostUsers(header);
    std::vector<RunTrace> traces;
    for (const StoredRun& run : opened.session.runs) {
        if (run.header.repeat != 1 || run.summary.status != RunStatus::Done ||
            std::size_t(run.header.point) >= header.points.size())
            continue;
        const PointSpec& point = header.points[std::size_t(run.header.point)];
        if (point.users() != most)
            continue;
        auto intervals = opened.library->intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        const std::string label = view.series.empty() ? point.label() : labelOf(point, view.series);
        traces.push_back(traceOf(*intervals, QString::fromStdString(label), int(traces.size())));
    }
    return traces;
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

Expected<QStringList> exportPictures(OpenedSession& opened, const PictureRequest& request)
{
    QStringList folders{request.pngDir, request.svgDir};
    if (!request.pdfFile.isEmpty())
        folders << QFileInfo(request.pdfFile).absolutePath();
    for (const QString& dir : folders)
        if (!dir.isEmpty() && !QDir().mkpath(dir))
            return fail(folderError(dir));
    std::vector<View> views = opened.session.header.plan.views;
    if (views.empty())
        views.emplace_back();
    std::vector<std::unique_ptr<QWidget>> owned;
    std::vector<Picture> pictures;
    const auto addPicture = [&pictures](PlotCard& card) {
        QString name = card.exportName();
        const auto taken = [&](const QString& candidate) {
            return std::any_of(pictures.begin(), pictures.end(), [&](const Picture& p) { return p.name == candidate; });
        };
        for (int i = 2; taken(name); ++i)
            name = card.exportName() + QStringLiteral("-%1").arg(i);
        pictures.push_back({&card, name});
    };
    for (const View& view : views) {
        if (view.chart == "time") {
            auto traces = tracesOf(opened, view);
            if (!traces)
                return fail(traces.error());
            if (traces->empty())
                continue;
            auto overlay = std::make_unique<TimeOverlayPlot>();
            const int most = mostUsers(opened.session.header);
            overlay->setTraces(
                *traces, QCoreApplication::translate("dyno::gui", "%n user(s), first repeat of each", nullptr, most));
            addPicture(overlay->throughput());
            addPicture(overlay->latency());
            owned.push_back(std::move(overlay));
            continue;
        }
        const Pivot result = pivot({opened.session}, requestOf(view));
        std::vector<std::string> facets = result.facets;
        if (facets.empty())
            facets.emplace_back();
        for (const std::string& facet : facets) {
            auto plot = std::make_unique<PivotPlot>();
            plot->setChart(PivotPlot::chartFromText(view.chart));
            plot->setPivot(result, QString::fromStdString(facet));
            addPicture(*plot);
            owned.push_back(std::move(plot));
        }
    }
    QStringList files;
    for (const Picture& picture : pictures)
        if (auto done = writeCard(picture, request, files); !done)
            return fail(done.error());
    if (!request.pdfFile.isEmpty() && !pictures.empty()) {
        std::vector<PlotCard*> cards;
        for (const Picture& picture : pictures)
            cards.push_back(picture.card);
        if (auto done = exportPdf(cards, request.options, request.pdfFile); !done)
            return fail(done.error());
        files << request.pdfFile;
    }
    return files;
}

int runExport(const std::string& idOrFile, const std::filesystem::path& library, const PictureRequest& request)
{
    auto opened = openSession(idOrFile, library);
    if (!opened)
        return report(opened.error());
    auto files = exportPictures(*opened, request);
    if (!files)
        return report(files.error());
    for (const QString& file : *files)
        print(file.toStdString());
    return kDone;
}

} // namespace dyno::gui
