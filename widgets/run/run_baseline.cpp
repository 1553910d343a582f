// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_baseline.h"

#include "bridge/library_worker.h"
#include "format.h"
#include "parts/choice_pill.h"
#include "qt_text.h"

#include <algorithm>

namespace dyno {

namespace {

constexpr std::size_t kMostChoices = 50; //!< newest first; older ones are compared on the Compare page

//! The same question: cases, users and their pace, and what the workload does with which data. Words would not do:
//! "off" of one axis is not "off" of another, and one number of users has no case.
bool isSamePoint(const PointSpec& one, const PointSpec& other)
{
    const auto cases = [](const PointSpec& point) {
        std::vector<CaseRef> all = point.cases;
        std::erase_if(all, [](const CaseRef& each) { return each.axis == "users"; });
        return all;
    };
    return cases(one) == cases(other) && one.allUsers() == other.allUsers() &&
           one.workload.name == other.workload.name && one.workload.params == other.workload.params &&
           one.load.arrival == other.load.arrival && one.load.groups == other.load.groups &&
           one.load.phases == other.load.phases;
}

Expected<std::vector<BaselineRun>> readRuns(Library& library, const std::string& id)
{
    const auto session = library.session(id);
    if (!session)
        return fail(session.error());
    std::vector<BaselineRun> runs;
    for (const StoredRun& stored : session->runs) {
        if (stored.summary.status != RunStatus::Done ||
            std::size_t(stored.header.point) >= session->header.points.size())
            continue;
        const auto lines = library.columns(stored.id);
        if (!lines)
            return fail(lines.error());
        BaselineRun run{.point = session->header.points[std::size_t(stored.header.point)],
                        .repeat = stored.header.repeat,
                        .tps = stored.summary.tps,
                        .time = {},
                        .rates = {}};
        for (std::size_t i = 0; i < lines->size(); ++i) {
            const double length = double(lines->lengthNs[i]) / 1e9;
            if (length <= 0)
                continue;
            run.time.append(double(lines->tNs[i]) / 1e9 + length / 2);
            run.rates.append(double(lines->transaction.count[i]) / length);
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

} // namespace

RunBaseline::RunBaseline(const LiveRunModel& model, std::filesystem::path library, QObject* parent)
    : QObject(parent)
    , m_model(model)
    , m_library(std::move(library))
    , m_choice(new ChoicePill(tr("Baseline"), QStringLiteral("runBaseline"),
                              tr("A stored session of the same workload, drawn in grey under this one")))
    , m_list(this)
    , m_read(this)
{
    m_choice->setVisible(false);
    connect(m_choice, &ChoicePill::chosen, this, &RunBaseline::choose);
    connect(&m_model, &LiveRunModel::sessionReset, this, &RunBaseline::onSession);
    connect(&m_model, &LiveRunModel::runReset, this, &RunBaseline::changed);
}

void RunBaseline::onSession()
{
    const QString shown = m_model.session() ? qtText(m_model.session()->id) : QString();
    if (shown == m_shown)
        return; // a replay reports its session again when it is moved
    m_shown = shown;
    m_choice->setChoices({});
    m_choice->setVisible(false);
    choose({});
    refreshChoices();
}

void RunBaseline::refreshChoices()
{
    if (m_shown.isEmpty())
        return m_list.cancel();
    const std::string workload = m_model.session()->plan.workload.name, own = m_model.session()->id;
    m_list.start(
        [file = m_library] {
            return LibraryWorker::opened<std::vector<SessionInfo>>(
                file, Library::Mode::ReadOnly, [](Library& library) { return library.sessions(); },
                std::vector<SessionInfo>());
        },
        [this, workload, own](Expected<std::vector<SessionInfo>> sessions) {
            if (!sessions)
                return; // the Sessions page says why
            std::erase_if(*sessions, [&](const SessionInfo& info) {
                return info.id == own || info.workload != workload || info.runsDone == 0;
            });
            if (sessions->size() > kMostChoices)
                sessions->resize(kMostChoices);
            std::vector<ChoicePill::Choice> choices{{QString(), tr("none", "baseline")}};
            for (const SessionInfo& info : *sessions)
                choices.push_back({qtText(info.id),
                                   tr("%1, %2", "when, title").arg(format::when(info.startedMs), qtText(info.title))});
            m_choice->setVisible(choices.size() > 1);
            m_choice->setChoices(std::move(choices));
            if (m_choice->current() != m_session)
                choose({}); // it was deleted, or is too old for the list by now
        });
}

void RunBaseline::choose(const QString& session)
{
    m_session = session;
    m_isRead = false;
    m_runs.clear();
    m_read.cancel();
    emit changed();
    if (session.isEmpty())
        return;
    m_read.start(
        [file = m_library, id = session.toStdString()] {
            return LibraryWorker::opened<std::vector<BaselineRun>>(
                file, Library::Mode::ReadOnly, [&id](Library& library) { return readRuns(library, id); });
        },
        [this](Expected<std::vector<BaselineRun>> runs) {
            if (!runs) {
                m_choice->setCurrent({});
                m_session.clear();
                emit failed(qtText(runs.error().text()));
                return;
            }
            m_runs = std::move(*runs);
            m_isRead = true;
            emit changed();
        });
}

const BaselineRun* RunBaseline::run() const
{
    if (!m_model.run() || !m_model.session() || std::size_t(m_model.run()->point) >= m_model.session()->points.size())
        return nullptr;
    const PointSpec& point = m_model.session()->points[std::size_t(m_model.run()->point)];
    const BaselineRun* found = nullptr;
    for (const BaselineRun& one : m_runs) {
        if (!isSamePoint(one.point, point))
            continue;
        if (!found || one.repeat == m_model.run()->repeat)
            found = &one;
    }
    return found;
}

std::optional<double> RunBaseline::rateOf(std::size_t point) const
{
    if (!m_model.session() || point >= m_model.session()->points.size())
        return {};
    double sum = 0;
    int count = 0;
    for (const BaselineRun& one : m_runs) {
        if (isSamePoint(one.point, m_model.session()->points[point])) {
            sum += one.tps;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

} // namespace dyno
