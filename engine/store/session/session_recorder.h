// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes the rows of a session that is being measured. Used by the writer's thread only.
#pragma once

#include "store/library/database.h"
#include "store/library/search_index.h"
#include "store/library/writer_process.h"
#include "store/session/seals.h"
#include <dyno/runner.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

//! Where a recorder stands: what follows from the rows that it wrote.
struct RecorderState
{
    std::vector<RunSlot> m_slots;
    std::size_t m_firstSlot = 0;          //!< of the sitting that is recorded
    std::vector<RunEvent> m_early;        //!< before the first run
    std::vector<bool> m_stated;           //!< a figure that a file states, to be shown as it is
    std::vector<bool> m_hidden;           //!< CounterInfo::hidden: its values go into the row of all such
    std::vector<std::int64_t> m_counters; //!< keys of the run's counters, as in RunHeader::counters; 0: not stored
    std::string m_id;
    std::string m_variables; //!< of the last fact set, which is shared as long as nothing changes
    std::int64_t m_session = 0, m_run = 0, m_factSet = 0;
    int m_runIndex = -1;
    std::int64_t m_nextInterval = 0, m_nextEvent = 0, m_phaseIndex = -1;
    std::optional<Phase> m_currentPhase;
    std::int64_t m_phaseStart = 0;
    std::int64_t m_lastStart = -1; //!< of the run's intervals
    std::optional<Error> m_refusal;
    //! The end of the sitting before, of a session that is continued.
    struct End
    {
        std::string status, reason;
        std::int64_t finishedMs = 0;
    };
    std::optional<End> m_endBefore;
};

//! What to say when the stored session is not what was to be continued.
[[nodiscard]] Error continuedElsewhere(std::string title);

//! Inside transactions of the caller; errors stick to the database.
class SessionRecorder : private RecorderState
{
public:
    explicit SessionRecorder(Database& database);

    void write(const SessionHeader& header);
    void write(const RunHeader& header);
    void write(const IntervalSample& sample);
    void write(const RunEvent& event);
    void write(const RunAftermath& aftermath);
    void write(const RunSummary& summary);
    void write(const SessionSummary& summary);
    void writeKnobChange(const std::string& target, const std::string& name, const std::string& oldValue,
                         const std::string& newValue);
    void writeKnobsRestored(const std::string& target, const std::vector<std::string>& except);
    void writeFile(const std::string& name, const std::string& text); //!< kept by the session, packed
    void takeBackSitting();                                           //!< before its first run
    //! Why the session cannot be continued; the transaction is to be undone.
    [[nodiscard]] const std::optional<Error>& refusal() const { return m_refusal; }
    //! Before a transaction, and after one that was undone.
    [[nodiscard]] const RecorderState& state() const { return *this; }
    void restore(RecorderState before) { static_cast<RecorderState&>(*this) = std::move(before); }
    //! Goes on where `other` stands, after its session was copied into this database.
    void takeOver(const SessionRecorder& other);
    //! Nobody records this session any more, although it has no end: shown as cut from now on.
    void abandon();
    [[nodiscard]] bool recording() const { return m_session != 0; }
    [[nodiscard]] const std::string& id() const { return m_id; }     //!< of that one
    [[nodiscard]] std::int64_t session() const { return m_session; } //!< key of the one that is recorded, 0 = none

private:
    void beginSession(const SessionHeader& header);
    void continueSession(const SessionHeader& header);
    void leaveKnobChanges();
    void beginRun(const RunHeader& header);
    void writeFacts(const ServerFacts& facts, const char* moment, const std::string& optionFile);
    void writeCounters(const std::vector<CounterInfo>& counters);
    void writePhase(const IntervalSample& sample);
    void writeOperation(std::int64_t op, const OpInterval& values);
    void writeHidden(const IntervalSample& sample);

    Database& m_database;
    WriterProcess m_self = WriterProcess::self();
    SearchIndex m_search;
    std::unique_ptr<Seals> m_seals; //!< of the session that is recorded
    std::unique_ptr<Statement> m_interval, m_operation, m_event, m_phase, m_counter, m_hiddenRow;
};

} // namespace dyno
