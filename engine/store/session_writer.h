// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Records a session into a library while it runs, on a thread of its own.
#pragma once

#include <dyno/library.h>
#include <dyno/runner.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace dyno {

//! A setting of a server that a Dynobench changed and did not put back before it ended.
struct LeftKnobChange
{
    std::string target; //!< as recordKnobChange() got it
    std::string name;
    std::string oldValue; //!< before the first change: what to put back
    std::string newValue; //!< the last value that was set; if the server has another one, somebody else changed it
};

//! A sink that queues what it gets and writes it in one transaction an interval. What was written is there whatever
//! happens to the process afterwards; a session without an end is shown as cut. The destructor writes what is queued.
//! flush() and the record… functions may be called from any thread.
class SessionWriter : public SampleSink
{
public:
    //! Opens the library at once, so that a read-only or damaged one is known before anything is measured.
    static Expected<std::unique_ptr<SessionWriter>> open(const std::filesystem::path& library);

    //! Writes down a change of a server's setting before it is made; returns when it is on disk.
    virtual Expected<void> recordKnobChange(const std::string& target, const std::string& name,
                                            const std::string& oldValue, const std::string& newValue) = 0;
    //! All changes of this target have been put back; returns when that is on disk.
    virtual Expected<void> recordKnobsRestored(const std::string& target) = 0;
    //! Changes that a process which is gone left behind, oldest first. After putting them back, call
    //! recordKnobsRestored().
    virtual Expected<std::vector<LeftKnobChange>> leftKnobChanges() = 0;
    //! Returns when everything queued is on disk; the first storage error, if there was one. Measuring goes on without
    //! storage after such an error; the caller shows it.
    virtual Expected<void> flush() = 0;
};

} // namespace dyno
