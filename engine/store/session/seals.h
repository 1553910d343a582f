// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Seals: check sums over what is recorded, so that a bit that changes in a file is noticed. What is read is checked
//! when it is read. A seal is over values, the session's id and the run's place, not over keys: it stays right in a
//! copy. Sessions of versions before 6 have none.
#pragma once

#include "store/library/database.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

//! What one seal is over; stored as a number, in the table `seal` beside the index of what there are several of.
enum class SealPart {
    // of a session
    Setup = 1, //!< workload, target, source, software, host, plan, start
    State,     //!< product, status, reason, end
    Title,
    Notes,
    Tags,
    Views,
    Annotations,
    Place, //!< archived, removed
    Order, //!< of the runs
    Point, //!< one each
    File,  //!< a kept one; one each
    // of a run; the index is the run's
    Run,    //!< point, repeat, size of the data, knobs in force
    Series, //!< names of operations and counters
    Facts,  //!< of the server before and after, sizes, log
    Result, //!< status, reason, summary
    Warmup, //!< its moved end
    Phases,
    Rows,     //!< intervals in plain rows
    Counters, //!< of those
    Events,
    Times, //!< which blocks there are, by BlockPart; each block has a seal of its content
    Figures,
    Histograms,
    Values,
};

//! Where a run stands, for the seals of its blocks.
struct SealedRun
{
    std::int64_t session = 0, key = 0, index = 0;
    std::string id; //!< of the session
    bool sealed = false;
    [[nodiscard]] static SealedRun of(Database& database, std::int64_t run);
};

//! The error of whoever wants to read what is damaged; `what` as Seals::damageOf() says it.
[[nodiscard]] Error damageError(std::string what, const std::filesystem::path& file);

//! The seal of one block's row.
[[nodiscard]] std::int64_t sealOfBlock(const SealedRun& run, int part, std::int64_t series, std::int64_t first,
                                       std::int64_t intervals, std::string_view content);

//! Records of changed settings belong to no session; each has its seal beside it, but for those of versions before 7.
//! Who owns one is not sealed. For one that was inserted with any seal, or changed while it held.
void sealKnobChange(Database& database, std::int64_t key);
[[nodiscard]] bool knobChangeHolds(Database& database, std::int64_t key); //!< true also without a seal

//! Of one session. Errors stick to the database. Keeps its statements: not across a change of the schema.
class Seals
{
public:
    Seals(Database& database, std::int64_t session);
    Seals(Database& database, std::int64_t session, std::string id); //!< of one that is sealed, as its recorder knows
    ~Seals();
    Seals(const Seals&) = delete;
    Seals& operator=(const Seals&) = delete;

    [[nodiscard]] bool sealed() const { return m_sealed; }
    //! What is there now fits its seal; true also for a session without seals. `run`: its key, for parts of a run.
    [[nodiscard]] bool holds(SealPart part, std::int64_t index = 0, std::int64_t run = 0);
    //! Seals what is there now; does nothing in a session without seals.
    void set(SealPart part, std::int64_t index = 0, std::int64_t run = 0);
    void setRun(std::int64_t index, std::int64_t run); //!< all parts of a run
    void forget(SealPart part, std::int64_t index);    //!< of what is removed
    //! Adds rows that were just written to Rows (`row`: the interval), Counters (its time) or Events (the event).
    void add(SealPart part, std::int64_t index, std::int64_t run, std::int64_t row);
    void addBlock(int part, std::int64_t series, std::int64_t first, std::int64_t index);

    //! A part by its name: "the summary of run 3".
    [[nodiscard]] static std::string nameOf(SealPart part, std::int64_t index);
    //! That it does not fit its seal: "the summary of run 3 is damaged".
    [[nodiscard]] static std::string damageOf(SealPart part, std::int64_t index);
    //! Sessions without seals.
    [[nodiscard]] static std::int64_t countUnsealed(Database& database);
    //! Parts that do not fit, or lack their seal, by index; the content of blocks is not among them.
    [[nodiscard]] std::vector<std::pair<SealPart, std::int64_t>> broken();
    //! Those that fit, to be sealed anew after a change that is meant.
    struct Held
    {
        SealPart part;
        std::int64_t index, run;
    };
    [[nodiscard]] std::vector<Held> held();

private:
    [[nodiscard]] std::vector<Held> expected();
    [[nodiscard]] std::uint32_t begun(SealPart part, std::int64_t index) const;
    [[nodiscard]] std::int64_t sumOf(SealPart part, std::int64_t index, std::int64_t run);
    [[nodiscard]] std::int64_t sumOfRows(const char* sql, std::uint32_t begun, std::int64_t run,
                                         const std::int64_t* row);
    [[nodiscard]] const std::int64_t* stored(SealPart part, std::int64_t index);
    void put(SealPart part, std::int64_t index, std::int64_t value);
    void addTo(SealPart part, std::int64_t index, std::int64_t more);
    Statement& prepared(const std::string& sql);

    Database& m_database;
    std::int64_t m_session;
    std::string m_id;
    bool m_sealed = false;
    std::int64_t m_found = 0; //!< of the last stored()
    std::map<std::string, std::unique_ptr<Statement>, std::less<>> m_statements;
};

} // namespace dyno
