// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Full-text search: documents are loaded, indexed and searched, each as a timed step of one user. The forms of the
//! tables are those of Percona's posts of 2013 ("DIR", short entries of a directory; "SEO", pages), their contents are
//! made of a vocabulary with a size and a skew of its own, which is what search times depend on most.
//!
//! In the MySQL family the index is a FULLTEXT key, in SQLite an FTS5 table over the documents' own (external content),
//! which a trigger fills where the documents come last, elsewhere one over the vectors of a row's words. A document is
//! a function of (seed, number), and so is what is searched for.
//!
//! With queries = post the searches are those of the posts, each as often as wanted with the same words and without
//! WHERE, so that every document gets a score: Q1 and Q2 in natural language on pages, Q3 to Q5 boolean on entries, the
//! last of which is a phrase, with one letter as its middle word. Words that the posts name are words of ours of like
//! frequency. The last one is asked once more with the server's profile, whose stages are operations of their own.
#pragma once

#include "driver/size_model.h"
#include "workload/fulltext/vocabulary.h"
#include "workload/size_distribution.h"
#include "workload/workload.h"

#include <memory>
#include <mutex>

namespace dyno::fulltext {

enum class Shape : std::uint8_t { Dir, Seo };
enum class Terms : std::uint8_t { Mixed, Common, Rare };
enum class Op : std::uint8_t {
    Load,
    LoadWithIndex,
    AddIndex,
    Natural,
    Boolean,
    Phrase,
    Prefix,
    SecondIndex,
    DropIndex,
    Q1, //!< from here on with Params::asPosted
    Q2,
    Q3,
    Q4,
    Q5,
    Q5LimitTwo,
    Profiled,
    StageInitialisation, //!< stages of the profiled query, as far as the server names them
    StageSort,
    StageSend,
    StageRest
};
constexpr std::size_t kOps = std::size_t(Op::StageRest) + 1;

struct Params
{
    Shape shape = Shape::Dir;
    std::int64_t documents = 20000;
    bool onePass = false; //!< the index is there before the documents
    bool secondIndex = true;
    int rounds = 10;       //!< of each query
    bool asPosted = false; //!< queries = post
    bool initials = false; //!< a name's second word is one letter
    std::int64_t limit = 5;
    Terms terms = Terms::Mixed;
    std::int64_t vocabulary = 20000;
    double exponent = 1;
    std::uint64_t vocabularySeed = 1;
    double medianWords = 20, sigma = 0.6; //!< of a document's long text
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Params parse(const Settings& settings);
//! Words that a document's long text has at most: those that its column holds whichever they are, TEXT in dir and
//! MEDIUMTEXT in seo.
[[nodiscard]] constexpr std::int64_t longestText(Shape shape)
{
    return shape == Shape::Dir ? 65'535 / std::int64_t(Vocabulary::kLongest + 1) : 20'000;
}
[[nodiscard]] std::vector<StepSpec> stepsOf(const Params& params);

class FulltextInstance final : public StepsInstance
{
public:
    //! Each batch of a load commits by itself: a step that began again would meet its own rows.
    [[nodiscard]] bool retryable(Outcome /*outcome*/, std::int32_t /*code*/) const override { return false; }
    //! `suffix`: what follows the closing bracket of CREATE TABLE.
    FulltextInstance(const Params& params, const DriverInfo& driver, std::string suffix);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override;
    //! The vocabulary.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    //! There is nothing to load before the run.
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override;
    [[nodiscard]] std::vector<DataCheck> checks() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;

    //! Appends a document as "(number,'short text','long text')".
    void appendDocument(std::string& out, std::uint64_t seed, std::int64_t number) const;
    //! One of the posts' queries: the same text each time.
    [[nodiscard]] std::string postedQuery(Op op, std::uint64_t seed) const;

protected:
    [[nodiscard]] Task<Outcome> runStep(UserContext& user, std::size_t step, int round) const override;

private:
    [[nodiscard]] bool ownTables() const { return m_sql.fullText == FullTextIndex::Table; }
    [[nodiscard]] bool vectors() const { return m_sql.fullText == FullTextIndex::Vectors; }
    //! The words of a row's texts, as the index has them.
    [[nodiscard]] std::string vectorOf(bool both) const;
    //! With vectors.
    [[nodiscard]] std::string createIndex(bool both) const;
    [[nodiscard]] std::vector<std::string> commandsOf(Op op) const;
    [[nodiscard]] Task<Outcome> loadAll(UserContext& user) const;
    //! A query with terms drawn for this round.
    [[nodiscard]] std::string queryText(Op op, Random& random, std::uint64_t seed) const;
    [[nodiscard]] std::string select(const std::string& terms, bool boolean) const;
    [[nodiscard]] std::string selectAll(const std::string& terms, bool boolean, std::int64_t limit) const;
    struct Texts
    {
        std::string brief, full;
    };
    [[nodiscard]] Texts textsOf(std::uint64_t seed, std::int64_t number) const;
    //! The last of the posts' queries with its stages.
    [[nodiscard]] Task<Outcome> profile(UserContext& user) const;
    void recordStages(UserContext& user) const;
    [[nodiscard]] std::int64_t drawTerm(Random& random) const;
    //! Two neighbouring words of the long text of some document.
    [[nodiscard]] std::pair<std::string, std::string> neighbours(Random& random, std::uint64_t seed) const;
    //! Made when it is first needed: a plan is bound many times before it runs.
    [[nodiscard]] const Vocabulary& vocabulary() const;

    Params m_params;
    SqlDialect m_sql;
    const SizeModel& m_sizes;
    std::string m_suffix;
    std::string m_table, m_short, m_long; //!< names of the table and of its two texts
    LogNormal m_length;
    mutable std::once_flag m_once;
    mutable std::unique_ptr<const Vocabulary> m_vocabulary;
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::fulltext
