// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs library calls one after the other on a thread of its own, so that the GUI thread never waits for a disk and
//! two quick writes (a rename, then another) keep their order.
#pragma once

#include <dyno/library.h>

#include <QObject>
#include <QThreadPool>

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

namespace dyno {

//! Made, called and destroyed on the GUI thread; `work` runs on the worker's thread, `done` on the GUI thread. The
//! destructor waits for work under way (a write is never lost); results that were not delivered yet are dropped.
class LibraryWorker : public QObject
{
    Q_OBJECT
public:
    explicit LibraryWorker(std::filesystem::path file, QObject* parent = nullptr);
    ~LibraryWorker() override;

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    //! True while something runs or waits.
    [[nodiscard]] bool busy() const { return m_pending > 0; }

    //! Opens the library in `mode` and calls `work` with it. A library that does not exist yet is made for ReadWrite;
    //! for ReadOnly `work` gets no library and `fallback` is the result (an empty list, say).
    template<class T>
    void run(Library::Mode mode, std::function<Expected<T>(Library&)> work, std::function<void(Expected<T>)> done,
             Expected<T> fallback = noLibrary<T>())
    {
        submit<T>([file = m_file, mode, work = std::move(work),
                   fallback = std::move(fallback)] { return opened<T>(file, mode, work, fallback); },
                  std::move(done));
    }

    //! The same at once and on the calling thread, for work that takes too long for the queue.
    template<class T>
    [[nodiscard]] static Expected<T> opened(const std::filesystem::path& file, Library::Mode mode,
                                            const std::function<Expected<T>(Library&)>& work,
                                            const Expected<T>& fallback = noLibrary<T>())
    {
        std::error_code ignored;
        if (mode == Library::Mode::ReadOnly && !std::filesystem::exists(file, ignored))
            return fallback;
        auto library = Library::open(file, mode);
        if (!library)
            return fail(library.error());
        return work(**library);
    }

    //! Any other slow work that must keep its place in the order.
    template<class T>
    void submit(std::function<Expected<T>()> work, std::function<void(Expected<T>)> done)
    {
        enqueue([this, work = std::move(work), done = std::move(done)] {
            auto result = std::make_shared<Expected<T>>(work());
            deliver([result, done] { done(std::move(*result)); });
        });
    }

private:
    template<class T>
    static Expected<T> noLibrary()
    {
        return fail(Error{ErrorKind::Storage, "There is no library yet", {}, "Run a benchmark first"});
    }
    void enqueue(std::function<void()> task);
    void deliver(std::function<void()> result); //!< from the worker's thread

    std::filesystem::path m_file;
    QThreadPool m_pool;
    int m_pending = 0;
};

} // namespace dyno
