// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/tour.h"

#include "bridge/app_context.h"
#include "bridge/server_worker.h"
#include "compare/compare_page.h"
#include "gui/outcome.h"
#include "gui/steps.h"
#include "gui/tour_servers.h"
#include "main_window.h"
#include "run/pair_view.h"
#include "run/run_page.h"
#include "sessions/sessions_page.h"
#include "start/start_page.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/chart_kinds.h>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

#include <array>
#include <utility>

// Outside of any namespace, as Qt asks for resources in a static library.
static void initSample()
{
    Q_INIT_RESOURCE(sample);
}

namespace dyno::gui {

namespace {

constexpr double kReplayShare = 0.62; //!< how far into the session the picture of the Run page looks

QString id(const char* text)
{
    return QString::fromLatin1(text);
}

//! Position inside the run at `share` of the session where most of that run can be seen.
double goodPosition(const ReplaySource& replay, double share)
{
    const auto runs = replay.data()->session.runs.size();
    if (runs == 0)
        return 0;
    const auto run = int(double(runs - 1) * share);
    const double start = replay.runStart(run);
    const double end = std::size_t(run + 1) < runs ? replay.runStart(run + 1) : replay.length();
    return start + (end - start) * 0.86;
}

class Tour
{
public:
    Tour(const TourRequest& request, AppContext& context, MainWindow& window, QString session,
         const std::array<ReplayPick, 2>& pair)
        : m_out(request.out)
        , m_themes(request.themes)
        , m_context(context)
        , m_window(window)
        , m_session(std::move(session))
        , m_pair(pair)
    {
    }

    void plan(Steps& steps)
    {
        for (const Theme::Choice choice : m_themes) {
            const QString suffix = choice == Theme::Choice::Light ? id("light") : id("dark");
            auto* start = qobject_cast<StartPage*>(m_window.page(id("startPage")));
            auto* run = qobject_cast<RunPage*>(m_window.page(id("runPage")));
            auto* sessions = qobject_cast<SessionsPage*>(m_window.page(id("sessionsPage")));
            auto* compare = qobject_cast<ComparePage*>(m_window.page(id("comparePage")));
            steps.add(id("theme"), [choice] { Theme::instance().setChoice(choice); });
            steps.add(
                id("start"), [this] { m_window.showPage(id("startPage")); }, [start] { return start->complete(); });
            picture(steps, id("start-") + suffix);
            steps.add(id("plan"), [this] {
                if (const auto recipe = recipePlan("durability-sqlite"))
                    m_context.editPlan(*recipe);
            });
            picture(steps, id("plan-") + suffix);
            steps.add(
                id("replay"), [this] { m_context.replaySession(m_session); }, [run] { return run->replay().loaded(); });
            steps.add(id("seek"), [run] { run->replay().seek(goodPosition(run->replay(), kReplayShare)); });
            picture(steps, id("run-") + suffix);
            steps.add(
                id("pair"), [this] { m_context.replayPair(m_pair[0], m_pair[1]); },
                [run] { return run->showsPair() && !run->pair().busy(); });
            steps.add(id("pair seek"),
                      [run] { run->pair().clock().seek(run->pair().clock().length() * kReplayShare); });
            picture(steps, id("run-pair-") + suffix);
            steps.add(
                id("sessions"), [this] { m_window.showPage(id("sessionsPage")); },
                [sessions] { return !sessions->busy(); });
            picture(steps, id("sessions-") + suffix);
            steps.add(
                id("compare"), [this] { m_context.compareSessions({m_session}); },
                [compare] { return !compare->busy() && !compare->pivot().cells.empty(); });
            picture(steps, id("compare-") + suffix);
            charts(steps, compare, suffix);
            auto* servers = qobject_cast<ServersPage*>(m_window.page(id("serversPage")));
            steps.add(id("servers"), [this, servers] {
                servers->showSnapshot(sampleServers());
                m_window.showPage(id("serversPage"));
            });
            picture(steps, id("servers-") + suffix);
        }
    }
    [[nodiscard]] bool allSaved() const { return m_saved; }

private:
    //! Every kind of chart of the Compare page.
    void charts(Steps& steps, ComparePage* compare, const QString& suffix)
    {
        for (const ChartKind& kind : chartKinds()) {
            const QString name = QString::fromStdString(kind.id);
            // Each from the session's own view: a chart may bring a measure that stays.
            steps.add(
                id("again ") + name, [this] { m_context.compareSessions({m_session}); },
                [compare] { return !compare->busy() && !compare->pivot().cells.empty(); });
            steps.add(
                id("chart ") + name, [compare, kind] { compare->setChart(kind.id); },
                [compare] { return !compare->busy(); });
            picture(steps, id("compare-") + name + id("-") + suffix);
        }
    }
    void picture(Steps& steps, const QString& name)
    {
        steps.add(name, [this, name] {
            const QString file = QDir(m_out).filePath(name + id(".png"));
            if (m_window.grab().save(file))
                print(file.toStdString());
            else
                m_saved = false;
        });
    }

    QString m_out;
    std::vector<Theme::Choice> m_themes;
    AppContext& m_context;
    MainWindow& m_window;
    QString m_session;
    std::array<ReplayPick, 2> m_pair;
    bool m_saved = true;
};

} // namespace

bool writeSample(const QString& file)
{
    initSample();
    QFile::remove(file);
    if (!QFile::copy(id(":/sample/durability.dyno"), file))
        return false;
    return QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
}

int runTour(const TourRequest& request)
{
    QTemporaryDir scratch;
    if (!scratch.isValid() || !QDir().mkpath(request.out)) {
        say("dynobench: the folder " + request.out.toStdString() + " cannot be made");
        return kFailed;
    }
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, scratch.path());
    QString sample = request.sample;
    if (sample.isEmpty()) {
        sample = scratch.filePath(id("sample.dyno"));
        if (!writeSample(sample)) {
            say("dynobench: this build has no sample session");
            return kFailed;
        }
    }
    const std::filesystem::path file = scratch.filePath(id("library.dynolib")).toStdString();
    QString session;
    std::array<ReplayPick, 2> pair;
    {
        auto library = Library::open(file, Library::Mode::ReadWrite);
        if (!library)
            return report(library.error());
        auto ids = (*library)->importFile(sample.toStdString());
        if (!ids)
            return report(ids.error());
        if (ids->empty()) {
            say("dynobench: the sample holds no session");
            return kFailed;
        }
        session = QString::fromStdString(ids->front());
        const auto stored = (*library)->session(ids->front());
        if (!stored)
            return report(stored.error());
        // The first run, and the first of another point.
        for (const StoredRun& run : stored->runs) {
            if (pair[0].run == 0)
                pair[0].run = run.id;
            if (pair[1].run == 0 && run.header.point != stored->runs.front().header.point)
                pair[1].run = run.id;
        }
        pair[0].session = pair[1].session = session;
    }
    AppContext context(file);
    context.servers().setFixed(sampleServers().list); // the pictures are the same on every machine
    MainWindow window(context);
    window.resize(request.size);
    window.show();
    Tour tour(request, context, window, session, pair);
    Steps steps;
    tour.plan(steps);
    int code = kDone;
    QObject::connect(&steps, &Steps::finished, &window, [&code](bool ok, const QString& failedStep) {
        if (!ok) {
            say("dynobench: the tour got stuck at: " + failedStep.toStdString());
            code = kFailed;
        }
        QCoreApplication::quit();
    });
    steps.start();
    QCoreApplication::exec();
    if (!tour.allSaved()) {
        say("dynobench: pictures could not be written to " + request.out.toStdString());
        code = kFailed;
    }
    return code;
}

} // namespace dyno::gui
