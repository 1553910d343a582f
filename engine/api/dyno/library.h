// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The door to saved sessions: the library and single-session `.dyno` files (same SQLite schema).
#pragma once

#include "runner.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! One row of the session list.
struct SessionInfo
{
    std::string id, title, notes, workload, target, product, source;
    std::vector<std::string> tags;
    std::int64_t startedMs = 0, finishedMs = 0;
    RunStatus status = RunStatus::Done; //!< Cut when the writer died before the end
    std::string reason;
    int runsDone = 0, runsPlanned = 0;
};

struct StoredRun
{
    std::int64_t id = 0; //!< key for intervals() and events()
    RunHeader header;
    RunSummary summary;
    std::optional<RunAftermath> aftermath; //!< none: the run did not get that far, or an older version recorded it
    //! Where the measured time begins, nanoseconds from the start of the run's first phase; 0 without a warm-up, and as
    //! long as nothing was measured.
    std::int64_t warmupEndNs = 0;
    std::optional<std::int64_t> recordedWarmupEndNs; //!< where it began when the run was recorded, if it was moved since
};

struct StoredSession
{
    SessionInfo info;
    SessionHeader header;
    std::vector<StoredRun> runs;
};

//! One connection to a library or a `.dyno` file. Belongs to one thread; open as many as you like.
class Library
{
public:
    enum class Mode { ReadOnly, ReadWrite };

    //! Opens (ReadWrite: creates, migrates after a backup, and deletes for good what was removed more than 30 days ago).
    //! A damaged, foreign or newer file gives an error that says so, what of it can still be read, and what can be done;
    //! nothing is changed in it. ReadOnly works on write-protected files and folders too. A file without write-ahead log
    //! (`.dyno`) is read in full to check it.
    static Expected<std::unique_ptr<Library>> open(const std::filesystem::path& file, Mode mode);
    ~Library();

    [[nodiscard]] Expected<std::vector<SessionInfo>> sessions(); //!< newest first, without removed ones
    //! Exact id, or a unique prefix of it of at least 4 characters, or "last".
    [[nodiscard]] Expected<std::string> resolveId(std::string_view idOrPrefix);
    [[nodiscard]] Expected<StoredSession> session(std::string_view id);
    [[nodiscard]] Expected<std::vector<IntervalSample>> intervals(std::int64_t run);
    [[nodiscard]] Expected<std::vector<RunEvent>> events(std::int64_t run);

    Expected<void> rename(std::string_view id, std::string_view title);
    Expected<void> setTags(std::string_view id, const std::vector<std::string>& tags);
    Expected<void> setNotes(std::string_view id, std::string_view notes);
    Expected<void> remove(std::string_view id);  //!< hides it; restore() brings it back; not while it is running
    Expected<void> restore(std::string_view id);
    Expected<void> purgeRemoved();               //!< really deletes what was removed

    //! Moves the end of a run's warm-up to the start of an interval: the one nearest to `endNs`. Intervals before it
    //! become warm-up, those from it on measured time, and the summary is computed anew from them; intervals(), events()
    //! (which tell of it) and session() give the moved state. What was recorded stays and can be had back. Refused while
    //! the session is running, and when no measured time would be left.
    Expected<StoredRun> moveWarmupEnd(std::int64_t run, std::int64_t endNs);
    //! Takes back moveWarmupEnd(): everything is as it was recorded.
    Expected<StoredRun> restoreWarmupEnd(std::int64_t run);

    //! Writes one session to a new `.dyno` file (replaces an existing file only after the new one is complete).
    Expected<void> exportSession(std::string_view id, const std::filesystem::path& file);
    //! Copies all sessions of a `.dyno` file or another library in; returns their ids. A session that is there already is
    //! left alone (and brought back if it was removed).
    Expected<std::vector<std::string>> importFile(const std::filesystem::path& file);

private:
    struct Private;
    explicit Library(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace dyno
