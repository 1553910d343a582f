// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/step_lines.h"

#include "format.h"
#include "parts/plan_text.h"
#include "plan/target_draft.h"

#include <dyno/catalog.h>
#include <dyno/managed_transport.h>
#include <dyno/observed_sources.h>
#include <dyno/path.h>
#include <dyno/uri_form.h>

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <set>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kTargetOfCase = "target.uri";
constexpr int kMostParameters = 3;

struct StepWords
{
    Q_DECLARE_TR_FUNCTIONS(StepLines)
};

QString joined(QStringList parts)
{
    parts.removeAll(QString());
    return parts.join(u", "_s);
}

//! The axis whose cases run on other targets; nullptr where all runs have the plan's.
const Axis* axisOfTargets(const Plan& plan)
{
    const auto found = std::ranges::find_if(plan.axes, [](const Axis& axis) {
        return std::ranges::any_of(axis.cases, [](const Case& one) { return one.set.contains(kTargetOfCase); });
    });
    return found == plan.axes.end() ? nullptr : &*found;
}

QStringList labelsOf(const Axis& axis)
{
    QStringList labels;
    for (const Case& one : axis.cases)
        labels << qtText(one.label);
    return labels;
}

//! "5 s warm-up and 20 s measured"
QString timesText(const LoadProfile& load)
{
    const QString warm =
        load.warmupUntilSteady   ? StepWords::tr("warm-up until steady")
        : load.warmupSeconds > 0 ? StepWords::tr("%1 warm-up").arg(secondsText(load.warmupSeconds))
        : load.warmupEvents > 0
            ? StepWords::tr("a warm-up of %1 transactions").arg(format::count(qint64(load.warmupEvents)))
            : QString();
    const QString measured = load.timeSeconds > 0 ? StepWords::tr("%1 measured").arg(secondsText(load.timeSeconds))
                             : load.events > 0
                                 ? StepWords::tr("%1 transactions").arg(format::count(qint64(load.events)))
                                 : QString();
    return warm.isEmpty() || measured.isEmpty() ? warm + measured : StepWords::tr("%1 and %2").arg(warm, measured);
}

QString modelText(const LoadProfile& load)
{
    if (!load.phases.empty())
        return StepWords::tr("%n phase(s)", nullptr, int(load.phases.size()));
    if (!load.groups.empty())
        return StepWords::tr("%1 groups of users").arg(load.groups.size());
    if (!load.arrival.open())
        return StepWords::tr("closed loop");
    if (load.arrival.rate > 0 && load.arrival.steps.empty())
        return StepWords::tr("open loop, %1 arrivals/s").arg(format::rate(load.arrival.rate));
    return StepWords::tr("open loop");
}

QString fileWords(const QString& file)
{
    return file.isEmpty() ? StepWords::tr("a private file, made for this session only")
                          : StepWords::tr("the file %1").arg(file);
}

QString folderWords(const TargetUri& uri)
{
    return uri.path.empty() ? StepWords::tr("a private folder, made for this session only")
                            : StepWords::tr("the folder %1").arg(qtText(uri.path));
}

QString orderWords(RunOrder order)
{
    switch (order) {
    case RunOrder::AsListed:
        return StepWords::tr("as listed");
    case RunOrder::Interleaved:
        return StepWords::tr("interleaved");
    case RunOrder::Shuffled:
        return StepWords::tr("shuffled");
    case RunOrder::FewestRestarts:
        break;
    }
    return StepWords::tr("fewest restarts");
}

} // namespace

StepLine targetLine(const Plan& plan)
{
    const TargetDraft draft = TargetDraft::fromUri(qtText(plan.target.uri));
    const QString path = plan.target.path == TargetSpec().path
                             ? QString()
                             : StepWords::tr("through %1").arg(qtText(pathName(plan.target.path)));
    if (const Axis* axis = axisOfTargets(plan))
        return {StepWords::tr("%1 targets").arg(axis->cases.size()), joined({labelsOf(*axis).join(u", "_s), path})};
    switch (draft.kind) {
    case TargetDraft::Kind::PrivateFile:
    case TargetDraft::Kind::File:
        return {qtText(fileProduct()), joined({fileWords(draft.path), path})};
    case TargetDraft::Kind::Managed: {
        const auto uri = parseUri(plan.target.uri);
        const bool tcp = uri && listensOnTcp(*uri);
        const QString version = draft.version.isEmpty() ? QString() : u' ' + draft.version;
        return {productName(draft.product) + version,
                joined({StepWords::tr("managed by Dynobench"),
                        draft.name.isEmpty() ? QString() : StepWords::tr("instance %1").arg(draft.name),
                        tcp ? StepWords::tr("TCP") : StepWords::tr("Unix socket"), path})};
    }
    case TargetDraft::Kind::Remote: {
        const QString host = draft.host.isEmpty() ? StepWords::tr("this machine") : draft.host;
        const QString place = !draft.socket.isEmpty() ? draft.socket
                              : draft.port > 0        ? u"%1:%2"_s.arg(host).arg(draft.port)
                                                      : host;
        return {
            productName(draft.scheme),
            joined({StepWords::tr("running at %1").arg(place),
                    draft.database.isEmpty() ? QString() : StepWords::tr("database %1").arg(draft.database), path})};
    }
    case TargetDraft::Kind::Other:
        break;
    }
    const auto uri = parseUri(plan.target.uri);
    const DriverInfo* driver = uri ? findDriver(uri->driver) : nullptr;
    if (driver && isFile(*uri)) // of an engine that the form has no fields for
        return {productName(qtText(uri->scheme)),
                joined({isFolder(*uri) ? folderWords(*uri) : fileWords(qtText(uri->path)), path})};
    return {driver ? qtText(driver->name) : StepWords::tr("No target yet"), joined({draft.other, path})};
}

StepLine workloadLine(const Plan& plan, std::uint64_t bytes)
{
    const WorkloadInfo* info = findWorkload(plan.workload.name);
    if (!info)
        return {StepWords::tr("No workload yet"), qtText(plan.workload.name)};
    QStringList parts{qtText(info->id)};
    for (const OptionSpec& option : info->options) {
        const auto set = plan.workload.params.find(option.name);
        if (set == plan.workload.params.end() || !option.affectsData || parts.size() > kMostParameters)
            continue;
        QString label = qtText(option.label.empty() ? option.name : option.label);
        label[0] = label[0].toLower();
        const auto* number = std::get_if<std::int64_t>(&set->second);
        parts << label + u' ' + (number ? format::count(*number) : valueText(set->second));
    }
    if (bytes > 0)
        parts << StepWords::tr("about %1 of data").arg(format::bytes(double(bytes)));
    return {qtText(info->name), joined(parts)};
}

StepLine axesLine(const Plan& plan)
{
    const std::size_t count = plan.set.size() - observedSources(plan).size(); // those are told under Observe
    const QString settings = count == 0   ? QString()
                             : count == 1 ? StepWords::tr("1 setting of all runs")
                                          : StepWords::tr("%1 settings of all runs").arg(count);
    if (plan.axes.empty())
        return {plan.load.users.size() > 1 ? StepWords::tr("Only the users vary") : StepWords::tr("Nothing varies"),
                settings};
    QStringList axes;
    for (const Axis& axis : plan.axes) {
        axes << (axis.cases.size() == 1
                     ? StepWords::tr("1 case of %1").arg(qtText(axis.name))
                     : StepWords::tr("%1 cases of %2").arg(axis.cases.size()).arg(qtText(axis.name)));
    }
    QStringList rest;
    if (plan.axes.size() == 1)
        rest << labelsOf(plan.axes.front()).join(u", "_s);
    if (!settings.isEmpty())
        rest << settings;
    return {axes.join(u" × "_s), rest.join(u"  ·  "_s)};
}

StepLine loadLine(const Plan& plan)
{
    const LoadProfile& load = plan.load;
    const QString users = load.users.size() == 1 && load.users.front() == 1
                              ? StepWords::tr("1 user")
                              : StepWords::tr("%1 users").arg(usersText(load.users));
    const QString repeats =
        load.repeats == 1 ? StepWords::tr("1 repeat") : StepWords::tr("%1 repeats").arg(format::count(load.repeats));
    return {users, joined({modelText(load), timesText(load), repeats, orderWords(load.order)})};
}

StepLine observeLine(const Plan& plan)
{
    const auto charts = plan.views.size();
    const QString each = secondsText(plan.load.intervalSeconds);
    const auto more = observedSources(plan).size();
    return {plan.load.counters ? StepWords::tr("Server and host") : StepWords::tr("Host only"),
            joined({StepWords::tr("every %1").arg(each),
                    more == 0   ? QString()
                    : more == 1 ? StepWords::tr("1 exporter or machine")
                                : StepWords::tr("%1 exporters and machines").arg(more),
                    charts == 0   ? StepWords::tr("no chart of its own")
                    : charts == 1 ? StepWords::tr("1 chart")
                                  : StepWords::tr("%1 charts").arg(charts)})};
}

StepLine aboutLine(const Plan& plan)
{
    QStringList sizes;
    for (const PlanSize& size : plan.sizes)
        sizes << qtText(size.name);
    const QString description = qtText(plan.description).simplified();
    return {{},
            joined({description.isEmpty() ? StepWords::tr("no description yet") : description,
                    sizes.isEmpty() ? QString() : StepWords::tr("sizes: %1").arg(sizes.join(u", "_s))})};
}

} // namespace dyno
