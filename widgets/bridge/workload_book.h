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
    //! One with this name is replaced only where that was said (`replace`), which can be undone. `saved` hears what is
    //! there then. `files`: as saveWorkload() has it.
    void save(const QString& name, const std::string& text, const std::string& definitions, bool replace,
              std::function<void(const OwnWorkload&)> saved, const std::string& files = {});
    void remove(const QString& name); //!< can be undone

signals:
    void changed(); //!< workloads()

private:
    explicit WorkloadBook(AppContext& context);
    [[nodiscard]] std::filesystem::path folder() const;
    using NotDone = std::function<void(const Error&)>;
    //! Writes, and reads the folder again. `failed`: a sentence with a place for the reason.
    template<class T>
    void write(const QString& failed, std::function<Expected<T>()> work, std::function<void(const T&)> done,
               NotDone notDone = {});
    //! The file as it is to be, "" for none; for an undo.
    void put(const QString& failed, const std::string& name, const std::string& text, NotDone notDone);

    AppContext& m_context;
    LibraryWorker m_worker;
    std::vector<OwnWorkload> m_workloads;
};

} // namespace dyno
