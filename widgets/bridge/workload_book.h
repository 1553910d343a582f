// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A person's own workloads in the window: the list of them, saving a script as one, deleting. Files are read and
//! written in the background, one after the other. GUI thread.
#pragma once

#include "bridge/library_worker.h"

#include <dyno/own_workloads.h>

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <vector>

namespace dyno {

class AppContext;

class WorkloadBook : public QObject
{
    Q_OBJECT
public:
    //! Of this window; made when it is first asked for.
    static WorkloadBook& of(AppContext& context);

    [[nodiscard]] const std::vector<OwnWorkload>& workloads() const { return m_workloads; } //!< as last read
    [[nodiscard]] const OwnWorkload* find(const QString& name) const;
    void read(); //!< changed() follows, if they are others now
    //! One with this name is replaced. `saved` is called when it is there.
    void save(const QString& name, const std::string& text, const std::string& definitions,
              std::function<void()> saved);
    void remove(const QString& name); //!< can be undone

signals:
    void changed(); //!< workloads()

private:
    explicit WorkloadBook(AppContext& context);
    [[nodiscard]] std::filesystem::path folder() const;
    //! Writes, reads the folder again; `failed` is a sentence with a place for the reason.
    void write(const QString& failed, std::function<Expected<bool>()> work, std::function<void()> done,
               std::function<void(const Error&)> notDone = {});

    AppContext& m_context;
    LibraryWorker m_worker;
    std::vector<OwnWorkload> m_workloads;
};

} // namespace dyno
