// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_book.h"

#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "qt_text.h"

#include <QPointer>

#include <algorithm>

namespace dyno {

namespace {

bool sameWorkloads(const std::vector<OwnWorkload>& one, const std::vector<OwnWorkload>& other)
{
    return std::ranges::equal(one, other, [](const OwnWorkload& a, const OwnWorkload& b) {
        return a.name == b.name && a.text == b.text && a.fault == b.fault;
    });
}

Expected<bool> doneOr(const Expected<void>& done)
{
    if (!done)
        return fail(done.error());
    return true;
}

} // namespace

WorkloadBook& WorkloadBook::of(AppContext& context)
{
    if (auto* book = context.findChild<WorkloadBook*>())
        return *book;
    return *new WorkloadBook(context);
}

WorkloadBook::WorkloadBook(AppContext& context)
    : QObject(&context)
    , m_context(context)
    , m_worker(context.library())
{
}

std::filesystem::path WorkloadBook::folder() const
{
    return workloadsFolder(m_context.library());
}

const OwnWorkload* WorkloadBook::find(const QString& name) const
{
    const auto found = std::ranges::find(m_workloads, name.toStdString(), &OwnWorkload::name);
    return found == m_workloads.end() ? nullptr : &*found;
}

void WorkloadBook::read()
{
    m_worker.submit<std::vector<OwnWorkload>>(
        [folder = folder()]() -> Expected<std::vector<OwnWorkload>> { return ownWorkloads(folder); },
        [this](Expected<std::vector<OwnWorkload>> all) {
            if (!all || sameWorkloads(*all, m_workloads))
                return;
            m_workloads = std::move(*all);
            emit changed();
        });
}

void WorkloadBook::write(const QString& failed, std::function<Expected<bool>()> work, std::function<void()> done,
                         std::function<void(const Error&)> notDone)
{
    m_worker.submit<bool>(std::move(work), [this, failed, done = std::move(done),
                                            notDone = std::move(notDone)](const Expected<bool>& written) {
        read();
        if (written && done)
            return done();
        if (written)
            return;
        m_context.showMessage(failed.arg(qtText(written.error().text())));
        if (notDone)
            notDone(written.error());
    });
}

void WorkloadBook::save(const QString& name, const std::string& text, const std::string& definitions,
                        std::function<void()> saved)
{
    write(
        tr("The workload was not saved: %1"),
        [folder = folder(), name = name.toStdString(), text, definitions]() -> Expected<bool> {
            if (const auto written = saveWorkload(folder, name, text, definitions, true); !written)
                return fail(written.error());
            return true;
        },
        std::move(saved));
}

void WorkloadBook::remove(const QString& name)
{
    const OwnWorkload* own = find(name);
    if (!own)
        return;
    const auto gone = [folder = folder(), name = own->name]() -> Expected<bool> {
        if (const auto text = removeWorkload(folder, name); !text)
            return fail(text.error());
        return true;
    };
    LibraryStep step;
    step.text = tr("delete the workload “%1”").arg(name);
    step.told = tr("Deleted the workload “%1”").arg(name);
    step.undo = [self = QPointer(this), folder = folder(), own = *own](std::function<void(const Error&)> notDone) {
        if (self)
            self->write(
                tr("The workload was not restored: %1"),
                [folder, own] { return doneOr(restoreWorkload(folder, own.name, own.text)); }, {}, std::move(notDone));
    };
    step.redo = [self = QPointer(this), gone](std::function<void(const Error&)> notDone) {
        if (self)
            self->write(tr("The workload was not deleted: %1"), gone, {}, std::move(notDone));
    };
    write(tr("The workload was not deleted: %1"), gone,
          [this, step = std::move(step)] { LibraryUndo::of(m_context).done(step); });
}

} // namespace dyno
