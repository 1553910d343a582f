// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Records a session into a library while it runs, on a thread of its own.
#pragma once

#include <dyno/library.h>
#include <dyno/runner.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dyno {

//! What a writer does while another program holds the library, e.g. to vacuum it or to take sessions over into it.
struct WriterPatience
{
    int busyMs = 15'000;        //!< each try waits so long for the library
    std::size_t queued = 4096;  //!< it tries again until more than so many items wait; at 1 s more than an hour
    int triesWhenWaitedFor = 4; //!< while flush(), a record… function or the destructor waits: so many tries at most
    std::function<void()>
        onHeld; //!< told of each try that found the library held, on the writer's thread; may be empty
    //! What cannot be written waits in so much memory. An interval takes 3 to 6 KiB a kind of operation, twice that in
    //! an open loop: with ten kinds and one interval a second 64 MiB last about 20 minutes. See
    //! SessionWriter::keptShare().
    std::size_t keptBytes = std::size_t(64) << 20;
};

//! What a sample takes while it waits to be written.
[[nodiscard]] std::size_t bytesInMemory(const IntervalSample& sample);

//! A sink that queues what it gets and writes it in one transaction an interval. What was written is there whatever
//! happens to the process afterwards; a session without an end is shown as cut. What cannot be written, because the
//! disk is full or the library is gone, stays in memory and is tried again with whatever comes next, so that it is
//! written as soon as there is room. The destructor writes what is queued, if that is possible then. flush(), rescue(),
//! problem(), keptShare() and the record… functions may be called from any thread.
class SessionWriter : public SampleSink
{
public:
    //! Opens the library at once, so that a read-only or damaged one is known before anything is measured.
    static Expected<std::unique_ptr<SessionWriter>> open(const std::filesystem::path& library,
                                                         const WriterPatience& patience = {});

    //! Writes down a change of a server's setting before it is made; returns when it is on disk.
    virtual Expected<void> recordKnobChange(const std::string& target, const std::string& name,
                                            const std::string& oldValue, const std::string& newValue) = 0;
    //! The changes that this writer recorded for the target have been put back, but for those named in `except`;
    //! returns when that is on disk. What is open at the end of the session is left to whoever comes next:
    //! store/library/knob_changes.h.
    virtual Expected<void> recordKnobsRestored(const std::string& target,
                                               const std::vector<std::string>& except = {}) = 0;
    //! Keeps a text as a file of the session that is recorded, packed. Does not wait for it.
    virtual void keepFile(std::string name, std::string text) = 0;
    //! Returns when everything queued is on disk, or why it is not: then it is in memory and nothing of it is lost yet.
    //! A library that another program holds is such a reason only when the writer's patience is over. BadInput: another
    //! process continued the session, so that nothing of this sitting can be stored.
    virtual Expected<void> flush() = 0;
    //! Restores the session as it was before this sitting, in which no run began.
    virtual void takeBackSitting() = 0;
    //! Why something waits in memory; none: all could be written so far. Never waits for the disk.
    [[nodiscard]] virtual std::optional<Error> problem() const = 0;
    //! How much of WriterPatience::keptBytes is used, 0…1 and above: nothing is dropped at 1, the caller ends the
    //! session before. Never waits.
    [[nodiscard]] virtual double keptShare() const = 0;
    //! After the session's end, when flush() failed: writes the whole session, what the library has of it and what is
    //! in memory, to "rescued-ID.dyno" beside the library, or in the temporary folder when that is impossible too. The
    //! file.
    virtual Expected<std::filesystem::path> rescue() = 0;
};

} // namespace dyno
