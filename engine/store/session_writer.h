// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Records a session into a library while it runs, on a thread of its own.
#pragma once

#include <dyno/library.h>
#include <dyno/runner.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace dyno {

//! What a writer does while another program holds the library, e.g. to vacuum it or to take sessions over into it.
struct WriterPatience
{
    int busyMs = 15'000;          //!< each try waits so long for the library
    std::size_t queued = 4096;    //!< it tries again until more than so many items wait; at 1 s more than an hour
    int triesWhenWaitedFor = 4;   //!< while flush(), a record… function or the destructor waits: so many tries at most
    std::function<void()> onHeld; //!< told of each try that found the library held, on the writer's thread; may be empty
};

//! A sink that queues what it gets and writes it in one transaction an interval. What was written is there whatever
//! happens to the process afterwards; a session without an end is shown as cut. The destructor writes what is queued.
//! flush() and the record… functions may be called from any thread.
class SessionWriter : public SampleSink
{
public:
    //! Opens the library at once, so that a read-only or damaged one is known before anything is measured.
    static Expected<std::unique_ptr<SessionWriter>> open(const std::filesystem::path& library,
                                                         const WriterPatience& patience = {});

    //! Writes down a change of a server's setting before it is made; returns when it is on disk.
    virtual Expected<void> recordKnobChange(const std::string& target, const std::string& name,
                                            const std::string& oldValue, const std::string& newValue) = 0;
    //! The changes that this writer recorded for the target have been put back, but for those named in `except`; returns
    //! when that is on disk. What is open at the end of the session is left to whoever comes next: store/knob_changes.h.
    virtual Expected<void> recordKnobsRestored(const std::string& target, const std::vector<std::string>& except = {}) = 0;
    //! Returns when everything queued is on disk; the first storage error, if there was one. Measuring goes on without
    //! storage after such an error; the caller shows it. A library that another program holds is one only when the
    //! writer's patience is over.
    virtual Expected<void> flush() = 0;
};

} // namespace dyno
