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
        return a.name == b.name && a.text == b.text && a.fault == b.fault &&
               a.params == b.params; // which say what its files are
    });
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

template<class T>
void WorkloadBook::write(const QString& failed, std::function<Expected<T>()> work, std::function<void(const T&)> done,
                         NotDone notDone)
{
    m_worker.submit<T>(std::move(work), [this, failed, done = std::move(done),
                                         notDone = std::move(notDone)](const Expected<T>& written) {
        read();
        if (written)
            return done(*written);
        m_context.showMessage(failed.arg(qtText(written.error().text())));
        if (notDone)
            notDone(written.error());
    });
}

void WorkloadBook::put(const QString& failed, const std::string& name, const std::string& text, NotDone notDone)
{
    write<bool>(
        failed,
        [folder = folder(), name, text]() -> Expected<bool> {
            if (text.empty()) {
                if (const auto gone = removeWorkload(folder, name); !gone)
                    return fail(gone.error());
            } else if (const auto there = restoreWorkload(folder, name, text, true); !there) {
                return fail(there.error());
            }
            return true;
        },
        [](const bool&) {}, std::move(notDone));
}

void WorkloadBook::save(const QString& name, const std::string& text, const std::string& definitions, bool replace,
                        std::function<void(const OwnWorkload&)> saved, const std::string& files)
{
    struct Saved
    {
        OwnWorkload now;
        std::string before; //!< "": there was none
    };
    write<Saved>(
        tr("The workload was not saved: %1"),
        [folder = folder(), name = name.toStdString(), text, definitions, replace, files]() -> Expected<Saved> {
            Saved all;
            if (const auto before = ownWorkload(folder, name))
                all.before = before->text;
            if (const auto written = saveWorkload(folder, name, text, definitions, replace, files); !written)
                return fail(written.error());
            auto now = ownWorkload(folder, name);
            if (!now)
                return fail(now.error());
            all.now = std::move(*now);
            return all;
        },
        [this, name, saved = std::move(saved)](const Saved& all) {
            saved(all.now);
            const QString told = tr("Saved “%1” to your workloads").arg(name);
            if (all.before.empty())
                return m_context.showMessage(told);
            LibraryStep step;
            step.text = tr("replace the workload “%1”").arg(name);
            step.told = told;
            const auto act = [self = QPointer(this), name = all.now.name](const std::string& content) {
                return [self, name, content](NotDone notDone) {
                    if (self)
                        self->put(tr("The workload was not replaced: %1"), name, content, std::move(notDone));
                };
            };
            step.undo = act(all.before);
            step.redo = act(all.now.text);
            LibraryUndo::of(m_context).done(std::move(step));
        });
}

void WorkloadBook::remove(const QString& name)
{
    write<std::string>(
        tr("The workload was not deleted: %1"),
        [folder = folder(), own = name.toStdString()] { return removeWorkload(folder, own); },
        [this, name](const std::string& text) {
            LibraryStep step;
            step.text = tr("delete the workload “%1”").arg(name);
            step.told = tr("Deleted the workload “%1”").arg(name);
            step.undo = [self = QPointer(this), name, text](NotDone notDone) {
                if (!self)
                    return;
                self->write<bool>(
                    tr("The workload was not restored: %1"),
                    [folder = self->folder(), own = name.toStdString(), text]() -> Expected<bool> {
                        if (const auto back = restoreWorkload(folder, own, text); !back)
                            return fail(back.error());
                        return true;
                    },
                    [](const bool&) {}, std::move(notDone));
            };
            step.redo = [self = QPointer(this), name](NotDone notDone) {
                if (self)
                    self->put(tr("The workload was not deleted: %1"), name.toStdString(), {}, std::move(notDone));
            };
            LibraryUndo::of(m_context).done(std::move(step));
        });
}

} // namespace dyno
