// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/quickstart.h"

#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "core/plan_source.h"
#include "gui/outcome.h"
#include "gui/pictures.h"
#include "gui/steps.h"
#include "main_window.h"
#include "run/run_page.h"

#include <dyno/report.h>

#include <QApplication>
#include <QDir>
#include <QSaveFile>

#include <csignal>
#include <optional>

namespace dyno::gui {

namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void onSignal(int)
{
    g_interrupted = 1;
}

Error writeError(const QString& file)
{
    Error error;
    error.kind = ErrorKind::Storage;
    error.message = "the file cannot be written";
    error.where = file.toStdString();
    error.remedy = "name a folder that can be written and has room";
    return error;
}

Expected<void> writeText(const QString& file, const std::string& text)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !out.flush() || !out.commit())
        return fail(writeError(file));
    return {};
}

class Quickstart : public QObject
{
public:
    Quickstart(const QuickstartRequest& request, Plan plan)
        : m_request(request)
        , m_plan(std::move(plan))
        , m_context(request.library)
        , m_window(m_context)
    {
        m_window.resize(request.window);
        m_runPage = qobject_cast<RunPage*>(m_window.page(QStringLiteral("runPage")));
        m_comparePage = qobject_cast<ComparePage*>(m_window.page(QStringLiteral("comparePage")));
        RunBridge& bridge = m_context.run();
        connect(&bridge, &RunFeed::progressed, this, &Quickstart::onProgress);
        connect(&bridge, &RunFeed::runFinished, this, &Quickstart::onRunFinished);
        connect(&bridge, &RunFeed::sessionFinished, this, &Quickstart::onFinished);
        connect(&m_steps, &Steps::finished, this, [this](bool ok, const QString& step) {
            if (!ok) {
                say("dynobench: the window got stuck at: " + step.toStdString());
                m_code = kFailed;
            }
            QCoreApplication::quit();
        });
        connect(&m_watch, &QTimer::timeout, this, [this] {
            if (g_interrupted && !m_stopping) {
                m_stopping = true;
                say("stopping: what was measured is kept");
                m_context.run().stop();
            }
        });
        m_watch.start(100);
    }

    void begin()
    {
        m_window.show();
        say("running: " + m_plan.title);
        m_context.startPlan(m_plan);
    }
    [[nodiscard]] int code() const { return m_code; }

private:
    //! The picture midway wants a run of which most can be seen.
    void onProgress(const ProgressReport& report)
    {
        const double planned = m_runPage->model().plannedSeconds();
        const RunSeries& series = m_runPage->model().series();
        const double reached = series.size() > 0 ? series.time.last() : 0;
        const bool most = report.phase == Phase::Measure && reached > planned * 0.75;
        if (m_midway || report.fraction < 0.4 || !(most || report.fraction > 0.9))
            return;
        m_midway = true;
        save(m_window.grab(), QStringLiteral("run.png"));
    }
    void onRunFinished(const RunSummaryPtr& run)
    {
        const auto& points = m_runPage->model().points();
        const std::string label = std::size_t(run->point) < points.size()
                                      ? points[std::size_t(run->point)].label.toStdString()
                                      : std::string();
        say("  " + label + ", repeat " + std::to_string(run->repeat) + ": " + toText(run->status) +
            (run->status == RunStatus::Done ? ", " + std::to_string(std::int64_t(run->tps)) + " transactions/s"
                                            : ": " + run->reason));
    }
    void onFinished(const SessionSummaryPtr& summary)
    {
        if (summary->status != RunStatus::Done) {
            m_code = summary->status == RunStatus::Failed ? exitCodeOf(summary->errorKind) : int(kInterrupted);
            say("dynobench: the session ended as " + std::string(toText(summary->status)) + ": " + summary->reason);
        }
        const bool any = std::any_of(summary->runs.begin(), summary->runs.end(),
                                     [](const RunSummary& run) { return run.status == RunStatus::Done; });
        if (!any) {
            QCoreApplication::quit();
            return;
        }
        const QString session = m_context.run().sessionId();
        // The Run page goes to the comparison by itself when all went well; a stopped session is sent there.
        if (summary->status != RunStatus::Done)
            m_context.compareSessions({session});
        m_steps.add(QStringLiteral("comparison"), {}, [this] {
            return m_window.currentPage() == m_comparePage && !m_comparePage->busy() &&
                   !m_comparePage->pivot().cells.empty();
        });
        m_steps.add(QStringLiteral("results"), [this, session] {
            save(m_window.grab(), QStringLiteral("compare.png"));
            if (auto done = writeResults(session.toStdString()); !done)
                m_code = report(done.error());
        });
        m_steps.start();
    }
    Expected<void> writeResults(const std::string& session)
    {
        auto opened = openSession(session, m_request.library);
        if (!opened)
            return fail(opened.error());
        const QDir out(m_request.out);
        PictureRequest pictures;
        pictures.options.head = pictures.options.caption = true;
        pictures.pngDir = pictures.svgDir = m_request.out;
        pictures.pdfFile = out.filePath(QStringLiteral("charts.pdf"));
        auto files = exportPictures(*opened, pictures);
        if (!files)
            return fail(files.error());
        for (const QString& file : *files)
            print(file.toStdString());
        auto csv = exportCsv(*opened->library, opened->session, m_request.out.toStdString());
        if (!csv)
            return fail(csv.error());
        for (const auto& file : *csv)
            print(file.string());
        const PivotRequest view = m_comparePage->request();
        const QString table = out.filePath(QStringLiteral("table.md"));
        const QString whole = out.filePath(QStringLiteral("report.md"));
        if (auto done = writeText(table, markdownTable(m_comparePage->pivot())); !done)
            return done;
        if (auto done = writeText(whole, markdownReport({opened->session}, view)); !done)
            return done;
        print(table.toStdString());
        print(whole.toStdString());
        const QString dyno = out.filePath(QStringLiteral("session.dyno"));
        if (auto done = opened->library->exportSession(opened->session.info.id, dyno.toStdString()); !done)
            return done;
        print(dyno.toStdString());
        say(verdictSentence(m_comparePage->pivot()));
        return {};
    }
    void save(const QPixmap& picture, const QString& name)
    {
        const QString file = QDir(m_request.out).filePath(name);
        if (picture.save(file))
            print(file.toStdString());
        else
            m_code = report(writeError(file));
    }

    QuickstartRequest m_request;
    Plan m_plan;
    AppContext m_context;
    MainWindow m_window;
    Steps m_steps;
    QTimer m_watch;
    RunPage* m_runPage;
    ComparePage* m_comparePage;
    int m_code = kDone;
    bool m_midway = false, m_stopping = false;
};

} // namespace

int runQuickstart(const QuickstartRequest& request)
{
    if (!QDir().mkpath(request.out))
        return report(writeError(request.out));
    LoadedPlan loaded = loadPlan({request.recipe, request.size, {}, request.library.string()});
    if (!loaded.plan) {
        for (const Fault& fault : loaded.faults)
            say(faultText(loaded.name, fault));
        return kBadInput;
    }
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    if (std::signal(SIGHUP, onSignal) == SIG_IGN)
        std::signal(SIGHUP, SIG_IGN); // nohup
    Quickstart quickstart(request, std::move(*loaded.plan));
    QTimer::singleShot(0, &quickstart, [&quickstart] { quickstart.begin(); });
    QCoreApplication::exec();
    return quickstart.code();
}

} // namespace dyno::gui
