// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! iiBench: how fast an index keeps up when rows arrive in random order of its keys. Three forms of one workload, each
//! for SQL and for documents: "mytools" (facts from mdcallag/mytools, iibench.py), "mongodb"
//! (tmcallaghan/iibench-mongodb), which has larger records, and queries that ask for what follows a tuple, and
//! "purchases", the table of the first iiBench: no text, and the indexes and queries of "mongodb".
//!
//! A transaction inserts rows_per_commit rows by one statement, prepared, without BEGIN, or by as few statements
//! between BEGIN and COMMIT as hold them (kMaxParameters), or so that the time of the COMMIT is told (commits); or, for
//! the last query_users users, is one query. With delete_mode every second transaction of a user that inserts deletes
//! as many of the oldest rows instead. Its rows are a function of (seed, user, sequence number) but for the time, which
//! is the clock's, and the number of a document, which one counter for all users gives: documents are numbered as SQL's
//! rows are, where both original programs let the client library make ids. Rows of the load are a function of (seed,
//! row), and so is their time.
//!
//! As in mytools the place of the oldest row is counted on from the deleted rows, and read again every 1000 deletes.
//! Queries by the primary key draw from the numbers between it and that of the newest row, as far as this run knows it.
#pragma once

#include "driver/size_model.h"
#include "workload/workload.h"

#include <array>
#include <atomic>

namespace dyno::iibench {

enum class Form : std::uint8_t { Mytools, Mongodb, Purchases };
enum class Op : std::uint8_t { Insert, Market, Register, Pdc, Delete, PrimaryKey, Commit };
constexpr std::size_t kQueries = 3;

struct Params
{
    Form form = Form::Mytools;
    std::int64_t initialRows = 0;
    std::int64_t rowsPerCommit = 1000;
    int indexes = 3;
    int queryUsers = 0;
    int queryLimit = 10; //!< rows
    int textFields = 1;
    std::int64_t textLength = 10;  //!< characters in each
    std::int64_t randomLength = 3; //!< of these random, the others repeat the motif
    std::int64_t motifLength = 64;
    bool indexesFirst = false; //!< before the rows at the start
    bool deletes = false;
    bool commitsApart = false; //!< a commit is an operation of its own, also of one statement
    bool keyQueries = false;   //!< instead of those by the indexes
    std::int64_t partitions = 0, rowsPerPartition = 0;
    [[nodiscard]] bool asksTuples() const { return form != Form::Mytools; }
    std::string table = "purchases_index";
};
[[nodiscard]] OptionSpecs options();
[[nodiscard]] Expected<Params> parse(const Settings& settings);
constexpr std::int64_t kMaxParameters = 32000; //!< of one statement; SQLite allows 32 766

//! Statements in the two models; the parameters of a statement stand in the same order in both.
class Language
{
public:
    Language(const Params& params, DataModel model, SqlDialect sql, std::string suffix);

    [[nodiscard]] bool documents() const { return m_model == DataModel::Document; }
    [[nodiscard]] const SqlDialect& sql() const { return m_sql; }
    //! Loading goes in transactions.
    [[nodiscard]] bool loadsInTransactions() const { return !documents() && m_sql.loadsPrepared; }
    [[nodiscard]] std::string create() const;
    [[nodiscard]] std::vector<std::string> columns() const; //!< lower case, with the key
    [[nodiscard]] std::vector<std::string> createIndexes() const;
    //! For each row: its number if `numbered`, time, cash register, customer, product, price, texts.
    [[nodiscard]] StatementSpec insert(std::int64_t rows, bool numbered) const;
    //! mytools: (least value of the first field). mongodb: the tuple as often as its comparison needs it, see
    //! bindTuple().
    [[nodiscard]] StatementSpec query(Op op) const;
    //! Of query_limit rows by their numbers.
    [[nodiscard]] StatementSpec keyQuery() const;
    //! SQL only: deletes so many rows from a number on; and the least number there is.
    [[nodiscard]] StatementSpec remove(std::int64_t rows) const;
    [[nodiscard]] StatementSpec oldest() const;
    [[nodiscard]] std::vector<Op> indexOrder() const; //!< the query of each index there is
    //! Fields of a query's index.
    [[nodiscard]] std::vector<std::string> fieldsOf(Op op) const;
    [[nodiscard]] Param::Type priceType() const
    {
        return m_params.asksTuples() ? Param::Type::Real : Param::Type::Integer;
    }
    [[nodiscard]] Param::Type timeType() const
    {
        return m_params.form != Form::Mongodb && !documents() ? Param::Type::Text : Param::Type::Integer;
    }

private:
    [[nodiscard]] std::string product() const;
    [[nodiscard]] std::string textField(int number) const;
    [[nodiscard]] std::string indexName(Op op) const;
    [[nodiscard]] std::string textType() const;
    [[nodiscard]] std::string partitions() const;
    [[nodiscard]] Param::Type typeOf(std::string_view field) const;

    Params m_params;
    DataModel m_model;
    SqlDialect m_sql;
    std::string m_suffix;
};

class IibenchInstance final : public WorkloadInstance
{
public:
    IibenchInstance(const Params& params, Language language, const SizeModel& sizes);

    [[nodiscard]] std::vector<TableSpec> tables() const override;
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] StatementSet loaderStatements() const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override;
    [[nodiscard]] Growth growth() const override;
    [[nodiscard]] bool countsRows(int users) const override
    {
        return (m_params.deletes && m_params.queryUsers < users) || (m_params.keyQueries && m_params.queryUsers > 0);
    }
    //! Of SQL. Numbers may have gaps (what was rolled back or refused leaves one), so that none is a fault.
    [[nodiscard]] std::vector<DataCheck> checks() const override;

private:
    //! A row's values but for number and time.
    struct Row
    {
        std::int64_t cashRegister = 0, customer = 0, product = 0;
        Param price;
    };
    using TimeText = std::array<char, 20>;
    [[nodiscard]] Row drawRow(Random& random) const;
    [[nodiscard]] Param timeOf(std::int64_t milliseconds, TimeText& text) const;
    //! Binds `rows` rows to user.params(); `first` is the number of the first one, or −1.
    void bindRows(UserContext& user, std::int64_t rows, std::int64_t first, Param time) const;
    //! Writes a row's parameters, and its texts to `text`; what follows those. `number` −1: the server numbers it.
    Param* bindRow(Param* out, char*& text, std::int64_t number, Param time, Random& random) const;
    void drawLetters(char* out, Random& random) const;
    //! `entries`: how those of the indexes come.
    [[nodiscard]] RowFacts rowFacts(KeyOrder entries) const;
    //! Room for the texts of `rows` rows.
    char* textsOf(UserContext& user, std::int64_t rows) const;
    void bindQuery(UserContext& user, Op op, TimeText& time) const;
    void bindKeyQuery(UserContext& user) const;
    [[nodiscard]] Task<Outcome> insertRows(UserContext& user) const;
    [[nodiscard]] Task<Outcome> insertBetween(UserContext& user) const;
    [[nodiscard]] Task<Outcome> deleteRows(UserContext& user) const;
    [[nodiscard]] std::int64_t loadBatch() const;

    Params m_params;
    Language m_language;
    const SizeModel& m_sizes;
    std::int64_t m_rowsPerStatement,
        m_lastRows; //!< of the statements of a commit, and of the last one where it has others
    StatementSet m_statements;
    std::uint32_t m_insertLast = 0, m_queries = 0, m_keyQuery = 0, m_remove = 0, m_oldestRow = 0; //!< statements
    std::string m_motif; //!< as often as a text may need it
    std::int64_t m_startMs;
    mutable std::atomic<std::int64_t> m_next; //!< number of the next row, exact for documents
    mutable std::atomic<std::int64_t> m_oldest{1};
    mutable std::atomic<std::int64_t> m_deletes{0};
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::iibench
