// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The door to saved sessions: the library and single-session `.dyno` files (same SQLite schema).
//! Called by the writer of a session, by workers of the window and by `dyno`, each with a connection of its own.
#pragma once

#include "runner.h"
#include "value_type.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct SeriesChange; // dyno/added_series.h
struct SeriesOrigin;

//! One row of the session list.
struct SessionInfo
{
    DYNO_VALUE_TYPE(SessionInfo);
    std::string id, title, notes, workload, target, product, source;
    std::vector<std::string> tags;
    std::int64_t startedMs = 0, finishedMs = 0;
    RunStatus status = RunStatus::Done; //!< Cut when the writer died before the end
    std::string reason;
    int runsDone = 0, runsPlanned = 0;
    int runsFailed = 0, runsSkipped = 0; //!< of those that are not done
    bool archived = false;               //!< kept, but not in the list unless asked for
};

//! What a person wrote onto the time axis of a stored run; events() tells it among the run's events, as a note.
struct Annotation
{
    std::int64_t id = 0;  //!< key for removeAnnotation(), within its session
    std::int64_t run = 0; //!< StoredRun::id
    std::int64_t tNs = 0; //!< from the start of the run's first phase
    std::int64_t createdMs = 0;
    std::string text;
};

//! A view that is kept with a session under a name. The text is its owner's (the Compare page); the store does not read
//! it.
struct NamedView
{
    std::string name, text;
    bool operator==(const NamedView&) const = default;
};

//! What checking a library found.
struct LibraryCheck
{
    std::int64_t sessions = 0, runs = 0, bytes = 0; //!< what is there; of the file
    std::vector<std::string> problems;              //!< empty: nothing is wrong; at most 100
    //! Sessions without seals, recorded by older versions: a changed figure in them would not be noticed.
    std::int64_t unsealed = 0;
};

struct StoredRun
{
    DYNO_VALUE_TYPE(StoredRun);
    std::int64_t id = 0; //!< key for intervals() and events()
    RunHeader header;
    RunSummary summary;
    std::optional<RunAftermath> aftermath; //!< none: the run did not get that far, or an older version recorded it
    //! Where the measured time begins, nanoseconds from the start of the run's first phase; 0 without a warm-up, and as
    //! long as nothing was measured.
    std::int64_t warmupEndNs = 0;
    std::optional<std::int64_t>
        recordedWarmupEndNs; //!< where it began when the run was recorded, if it was moved since
    //! "the list of phases of run 3 is damaged", and where the measured time began when recorded is not known then:
    //! recordedWarmupEndNs is none, and warmupEndNs is 0 unless it was moved. "" when the list is whole.
    std::string phasesDamage;
    [[nodiscard]] bool knowsWarmupEnd() const { return phasesDamage.empty() || warmupEndNs > 0; }
    [[nodiscard]] bool warmupMoved() const
    {
        return recordedWarmupEndNs.has_value() || (!phasesDamage.empty() && warmupEndNs > 0);
    }
};

struct StoredSession
{
    DYNO_VALUE_TYPE(StoredSession);
    SessionInfo info;
    SessionHeader header;
    std::vector<StoredRun> runs;
    bool sealed = true; //!< false: recorded by an older version, so that damage in it may not be noticed
    //! What does not fit its seal any more, a phrase each ("the summary of run 3 is damaged"). It is not in here: texts
    //! are empty, and runs whose figures depend on it are Damaged.
    std::vector<std::string> damage;
};

//! The intervals of a run column by column: what lines are drawn from, read without histograms. All columns have an
//! entry an interval.
struct IntervalColumns
{
    DYNO_VALUE_TYPE(IntervalColumns);
    //! Exactly what the interval's histogram gives; not a number where nothing finished.
    struct Latency
    {
        std::vector<double> p50Ms, p95Ms, p99Ms, p999Ms, maxMs;
    };
    struct Operation
    {
        std::vector<std::uint64_t> count, errors; //!< see OpInterval
        Latency service, response; //!< response: empty when it was never measured apart, else as responseOrService()
    };
    std::vector<std::int64_t> tNs, lengthNs; //!< see IntervalSample
    std::vector<Phase> phase;                //!< of the warm-up's end as it is now
    std::vector<std::uint64_t> rows;         //!< changed
    Operation transaction;
    std::vector<Operation> ops; //!< if asked for: index = operation id
    std::vector<std::vector<double>>
        counters; //!< if asked for: one for each of RunHeader::counters, NaN where not known
    [[nodiscard]] std::size_t size() const { return tNs.size(); }
};
//! Columns that only some plots need.
struct ColumnParts
{
    bool operations = false, counters = false;
    //! Not empty: of the counters only these (indexes into RunHeader::counters), a column each in this order. No other
    //! is unpacked.
    std::vector<std::size_t> only = {};
};

//! How much of each interval is read.
enum class IntervalDetail {
    Transactions, //!< the histograms of operation kinds are left empty; everything else is there
    Everything,
};

//! A file that is kept inside a session, as the original of an imported one.
struct ArtefactInfo
{
    std::string name;      //!< as in the session: "run.log", "import.json"
    std::string mediaType; //!< "application/gzip": artefact() gives it unpacked
    std::uint64_t storedBytes = 0;
};

//! Moves a library to another folder, leaving a link at its old place, so that both programs find it. Refused while a
//! session is being recorded. Where it is now.
Expected<std::filesystem::path> moveLibrary(const std::filesystem::path& file, const std::filesystem::path& folder);

//! One connection to a library or a `.dyno` file. Belongs to one thread; open as many as you like.
class Library
{
public:
    enum class Mode { ReadOnly, ReadWrite };

    //! Opens (ReadWrite: creates, migrates after a backup, and deletes for good what was removed more than 30 days
    //! ago). A damaged, foreign or newer file gives an error that says so, what of it can still be read, and what can
    //! be done; nothing is changed in it. ReadOnly works on write-protected files and folders too. A file without
    //! write-ahead log
    //! (`.dyno`) is read in full to check it.
    static Expected<std::unique_ptr<Library>> open(const std::filesystem::path& file, Mode mode);
    ~Library();

    enum class Listing { Current, Archived, All };
    //! Newest first, without removed ones. Current: without archived ones.
    [[nodiscard]] Expected<std::vector<SessionInfo>> sessions(Listing listing = Listing::Current);
    //! The sessions that fit all parts of one line, newest first. A word (or "several words") occurs in title, tags,
    //! notes, workload, target, product or source, or begins the id; case matters for no ASCII letter. tag:T,
    //! workload:W, target:T, version:V (also the product), status:S, source:S narrow that to one field; NAME=VALUE
    //! (also < > <= >= and with units, 128M) is a knob, parameter or server variable that some run had; date:2026-11 or
    //! 2026-11-22, after:, before: (both with that day, UTC); is:archived, is:any. A minus or ! before a part excludes.
    //! BadInput for a date that is none.
    [[nodiscard]] Expected<std::vector<SessionInfo>> search(std::string_view query);
    [[nodiscard]] Expected<SessionInfo> info(std::string_view id); //!< the row of one session, archived or not
    //! Exact id, or a unique prefix of it of at least 4 characters, or "last".
    [[nodiscard]] Expected<std::string> resolveId(std::string_view idOrPrefix);
    [[nodiscard]] Expected<StoredSession> session(std::string_view id);
    [[nodiscard]] Expected<std::vector<IntervalSample>> intervals(std::int64_t run,
                                                                  IntervalDetail detail = IntervalDetail::Everything);
    //! Many times faster than intervals(): a day at one second takes some tens of milliseconds.
    [[nodiscard]] Expected<IntervalColumns> columns(std::int64_t run, ColumnParts parts = {});
    [[nodiscard]] Expected<std::vector<RunEvent>> events(std::int64_t run);

    [[nodiscard]] Expected<std::vector<ArtefactInfo>> artefacts(std::string_view id);
    //! Gives a kept file piece by piece, as it was before it was packed; `take` returning false ends it.
    Expected<void> artefact(std::string_view id, std::string_view name,
                            const std::function<bool(std::string_view)>& take);

    Expected<void> rename(std::string_view id, std::string_view title);
    Expected<void> setTags(std::string_view id, const std::vector<std::string>& tags);
    Expected<void> setNotes(std::string_view id, std::string_view notes);
    Expected<void> remove(std::string_view id); //!< hides it; restore() brings it back; not while it is running
    Expected<void> restore(std::string_view id);
    //! Really deletes one session, such as a try in which nothing was measured; not while it is running. Settings that
    //! it left changed stay on the list of those to be put back.
    Expected<void> erase(std::string_view id);
    Expected<void> purgeRemoved();                              //!< really deletes what was removed
    [[nodiscard]] Expected<std::vector<SessionInfo>> removed(); //!< what restore() can bring back, newest first
    Expected<void> setArchived(std::string_view id, bool archived);

    [[nodiscard]] Expected<std::vector<Annotation>> annotations(std::string_view id); //!< by run and time
    Expected<Annotation> annotate(std::int64_t run, std::int64_t tNs, std::string_view text);
    Expected<void> removeAnnotation(std::string_view id, std::int64_t annotation);
    [[nodiscard]] Expected<std::vector<NamedView>> namedViews(std::string_view id); //!< in the order they were given
    Expected<void> setNamedViews(std::string_view id,
                                 const std::vector<NamedView>& views); //!< replaces all of the session

    //! Reads everything: pages, references between tables, histograms. Long for a big library; any mode.
    [[nodiscard]] Expected<LibraryCheck> check();
    //! Gives unused space back to the disk; needs as much room again while it works. Refused while a session is
    //! recorded.
    Expected<void> vacuum();
    //! Writes a copy of the whole library as it is now to a new file, while others may go on writing.
    Expected<void> backUp(const std::filesystem::path& file);

    //! Moves the end of a run's warm-up to the start of an interval: the one nearest to `endNs`. Intervals before it
    //! become warm-up, those from it on measured time, and the summary is computed anew from them; intervals(),
    //! events() (which tell of it) and session() give the moved state. What was recorded stays and can be had back.
    //! Refused while the session is running, and when no measured time would be left.
    Expected<StoredRun> moveWarmupEnd(std::int64_t run, std::int64_t endNs);
    //! Takes back moveWarmupEnd(): everything is as it was recorded.
    Expected<StoredRun> restoreWarmupEnd(std::int64_t run);

    //! Changes series that stand behind the own counters of runs of one session: all that is asked for, or nothing.
    //! Each run stands in `changes` once. `back`: what came goes, and what went comes. Refused while the session is
    //! running, and where what goes is not stored any more as it is given, or something of the name of what comes is.
    Expected<void> changeSeries(const std::vector<SeriesChange>& changes, bool back = false);
    //! What was added to a run, in the order in which it was; empty: nothing.
    [[nodiscard]] Expected<std::vector<SeriesOrigin>> addedSeries(std::int64_t run);

    //! Anonymous: names of hosts and users and addresses are replaced wherever they stand (facts, variables, option
    //! files, plan, logs, notes, artefacts; of those that are not text only the name is kept). What names nobody stays:
    //! localhost, loopback, root and the products' usual accounts.
    enum class Privacy { AsRecorded, Anonymous };
    //! Writes one session to a new `.dyno` file (replaces an existing file only after the new one is complete).
    Expected<void> exportSession(std::string_view id, const std::filesystem::path& file,
                                 Privacy privacy = Privacy::AsRecorded);
    using DamagedParts = std::map<std::string, std::vector<std::string>>;
    //! Copies all sessions of a `.dyno` file or another library in; returns their ids. A session that is there already
    //! is left alone (and brought back if it was removed), unless only a part of it is there because its recording was
    //! cut and it comes whole: then it takes the part's place, with the part's title, notes, tags and annotations. One
    //! transaction a session: after an error those before it are in. `left` gets the ids of those that were left alone.
    //! What does not fit its seal comes as it is and stays damaged here (StoredSession::damage); the session's notes
    //! say so, and `damaged` gets a phrase for each part, by the session's id. A file that cannot be read as a whole,
    //! or holds what no recording leaves, is refused.
    Expected<std::vector<std::string>> importFile(const std::filesystem::path& file,
                                                  std::vector<std::string>* left = nullptr,
                                                  DamagedParts* damaged = nullptr);

private:
    struct Private;
    explicit Library(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace dyno
