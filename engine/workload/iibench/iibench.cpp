// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of iiBench, and its place in the list of workloads.
#include "workload/iibench/iibench.h"

#include "workload/model.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno::iibench {

namespace {

//! What only some targets can do.
Expected<void> checkModel(const Params& params, DataModel model, const SqlDialect& sql)
{
    if (model == DataModel::Document && params.deletes)
        return wrongParameter("deletes of the oldest rows need SQL", "delete_mode", "set it to false for documents");
    if (model == DataModel::Document && params.commitsApart)
        return wrongParameter("documents are inserted without a commit", "commits", "set it to \"with\" for documents");
    if (params.partitions > 0 && (model == DataModel::Document || !sql.partitions))
        return wrongParameter("this target has no range partitions", "range_partitions",
                              "set it to 0, or use a server of the MySQL family");
    constexpr std::int64_t kLastNumber = 2'147'483'647;           // of an INTEGER that is not wide
    const std::int64_t most = kLastNumber - params.rowsPerCommit; // the first transaction of a run must have room too
    if (params.form == Form::Purchases && model == DataModel::Sql && !sql.wideIntegers && params.initialRows > most)
        return wrongParameter(
            fmt::format("after {} rows the numbers of the next ones are none that the key of the form purchases holds",
                        params.initialRows),
            "initial_rows", fmt::format("use at most {}, or the form mytools", most));
    return {};
}

class IibenchWorkload final : public Workload
{
public:
    IibenchWorkload()
    {
        m_info.id = "iibench";
        m_info.dataVersion = 3; // short texts are drawn, no slices (2); prices of "purchases" are whole cents (3)
        m_info.name = "iiBench";
        m_info.purpose = WorkloadPurpose::Growth;
        m_info.summary = "Batches into a table with secondary indexes: inserts once it outgrows memory";
        m_info.description =
            "Inserts rows in batches into a table with up to three secondary indexes, and queries these indexes "
            "beside it. Shows how the rate of inserts falls when the indexes outgrow memory.";
        m_info.source = "mdcallag/mytools, iibench.py; tmcallaghan/iibench-mongodb";
        m_info.options = options();
        m_info.operations = {{"insert", OpClass::Write}, {"market", OpClass::Read},  {"register", OpClass::Read},
                             {"pdc", OpClass::Read},     {"delete", OpClass::Write}, {"primary_key", OpClass::Read},
                             {"commit", OpClass::Write}};
        m_info.models = {DataModel::Sql, DataModel::Document};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const auto params = parse(settings);
        if (!params)
            return tl::unexpected(params.error());
        const DataModel model = modelFor(m_info, driver);
        if (auto possible = checkModel(*params, model, driver.sql); !possible)
            return tl::unexpected(possible.error());
        if (params->partitions > 0 && tableKnobs.contains("partitions"))
            return fail({ErrorKind::BadInput, "a table is divided in one way only, and two are asked for",
                         "workload.range_partitions and table.partitions", "leave one of them out"});
        auto suffix = tableSuffix(driver.sql, model, tableKnobs, "HASH (transactionid)");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const IibenchInstance>(
            *params, Language(*params, model, driver.sql, std::move(*suffix)), *driver.sizes);
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(choiceOption("form", "Form",
                            "mytools: rows of about 50 bytes, 1000 to a commit, three indexes, queries for what "
                            "follows one value. mongodb: "
                            "records of 10 KiB in ten text fields, 100 to a commit, one index, queries for what "
                            "follows a tuple of values. "
                            "purchases: the first iiBench, rows of 30 bytes without texts, one to a commit, three "
                            "indexes, queries as mongodb's.",
                            "mytools", {"mytools", "mongodb", "purchases"}, "")),
        integerOption(
            "rows_per_commit", "Rows per commit",
            "Rows that one transaction inserts, in SQL by several statements where one cannot hold them. 0: as the "
            "form "
            "says, 1000 in mytools, 100 in mongodb, 1 in purchases. A run ends after a number of rows by load.rows.",
            0, "rows", 0, 10000, ""),
        choiceOption(
            "commits", "Commits",
            "with: where one statement holds all rows it commits by itself, and the time of the commit is part "
            "of the insert's. apart: BEGIN, the inserts, and a COMMIT that is measured as an operation of its "
            "own. SQL only.",
            "with", {"with", "apart"}, "advanced"),
        ofData(
            integerOption("secondary_indexes", "Secondary indexes",
                          "How many; 0 is an axis' case without them. -1: as the form says, three, but one in mongodb.",
                          -1, "indexes", -1, 3, "")),
        ofData(choiceOption("secondary_at", "Indexes are made",
                            "start: with the empty table. end: when the rows at the start are loaded.", "end",
                            {"start", "end"}, "")),
        integerOption("query_users", "Users that query",
                      "So many of the users, the last ones, query; the others insert.", 0, "users", 0, 1e6, ""),
        ofData(integerOption(
            "initial_rows", "Rows at the start",
            "Rows that the load makes before the run. A million of the form mytools with three indexes are about "
            "160 MB in InnoDB, 130 MB in SQLite, 290 MB in a document store; of the form mongodb 60 GB in InnoDB, "
            "which gives "
            "such long rows pages of their own, and 10 GB in the others; of purchases about as many as of mytools. "
            "Before "
            "compression.",
            0, "rows", 0, 1e12, "")),
        flagOption("delete_mode", "Delete the oldest rows",
                   "Every second transaction deletes as many of the oldest rows as one inserts, so that the table "
                   "keeps its size. SQL "
                   "only.",
                   false, ""),
        integerOption("query_limit", "Rows of a query", "Rows that a query fetches.", 10, "rows", 1, 100000, "Queries"),
        flagOption("query_primary_key", "Query by the primary key",
                   "Queries ask for query_limit rows by a list of their numbers, not by the indexes.", false,
                   "Queries"),
        ofData(integerOption(
            "range_partitions", "Range partitions",
            "The table is divided by ranges of its primary key into so many parts, the last of which has no end. "
            "0: it is not. MySQL family only.",
            0, "partitions", 0, 8000, "Table")),
        ofData(integerOption("rows_per_partition", "Rows of a partition",
                             "Numbers of rows in each range partition but the last.", 100'000'000, "rows", 1, 1e12,
                             "Table")),
        ofData(integerOption(
            "text_fields", "Text fields",
            "Text fields of a row. 0: as the form says, one in mytools, ten in mongodb, none in purchases.", 0,
            "fields", 0, 200, "Table")),
        ofData(integerOption("text_length", "Length of a text",
                             "Characters in a text field. 0: as the form says, 10 in mytools, 1024 in mongodb.", 0,
                             "characters", 0, 4000, "Table")),
        ofData(integerOption(
            "text_random", "Random part",
            "Percentage of a text that is random letters, the rest repeats a motif. -1: as the form says, 37.5 "
            "in mytools, 20 in mongodb.",
            -1, "%", -1, 100, "Table")),
        ofData(integerOption(
            "text_motif", "Length of the motif",
            "The rest of a text repeats a piece of so many letters, the same in all rows: how well it compresses "
            "depends on the share of the random part. 1: the letter a, as the original programs have it, which "
            "compresses better than any real data.",
            64, "characters", 1, 4000, "Table")),
        ofData(textOption("table", "Table", "Name of the table or collection.", "purchases_index", "advanced")),
    };
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    const std::string form = textOf(settings, "form", "mytools");
    const bool mongodb = form == "mongodb", purchases = form == "purchases";
    params.form = mongodb ? Form::Mongodb : purchases ? Form::Purchases : Form::Mytools;
    const auto orForm = [&settings](std::string_view name, std::int64_t unset, std::int64_t byForm) {
        const std::int64_t given = integerOf(settings, name, unset);
        return given == unset ? byForm : given;
    };
    params.initialRows = integerOf(settings, "initial_rows", 0);
    params.rowsPerCommit = orForm("rows_per_commit", 0, mongodb ? 100 : purchases ? 1 : 1000);
    params.indexes = int(orForm("secondary_indexes", -1, mongodb ? 1 : 3));
    params.queryUsers = int(integerOf(settings, "query_users", 0));
    params.queryLimit = int(integerOf(settings, "query_limit", params.queryLimit));
    params.indexesFirst = textOf(settings, "secondary_at") == "start";
    params.deletes = boolOf(settings, "delete_mode");
    params.commitsApart = textOf(settings, "commits") == "apart";
    params.keyQueries = boolOf(settings, "query_primary_key");
    params.partitions = integerOf(settings, "range_partitions");
    params.rowsPerPartition = integerOf(settings, "rows_per_partition", 100'000'000);
    params.motifLength = integerOf(settings, "text_motif", params.motifLength);
    params.textFields = int(orForm("text_fields", 0, mongodb ? 10 : purchases ? 0 : 1));
    params.textLength = orForm("text_length", 0, mongodb ? 1024 : 10);
    const std::int64_t percent = integerOf(settings, "text_random", -1);
    if (const bool length = integerOf(settings, "text_length") > 0; params.textFields == 0 && (length || percent >= 0))
        return wrongParameter("the form purchases has no text fields", length ? "text_length" : "text_random",
                              "leave it out, or give text_fields");
    // mytools rounds down 75 % of 50 %; mongodb keeps what is not compressible
    params.randomLength = percent >= 0 ? params.textLength * percent / 100
                          : mongodb    ? params.textLength - params.textLength * 80 / 100
                                       : params.textLength * 3 / 8;
    params.table = textOf(settings, "table", params.table);
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (params.table.empty() || params.table.size() > 40 || !std::ranges::all_of(params.table, plain))
        return wrongParameter(fmt::format("\"{}\" cannot be the name of a table", params.table), "table",
                              "use letters, digits and _, 40 characters at most");
    if (params.keyQueries && params.queryLimit > kMaxParameters)
        return wrongParameter(fmt::format("a query would ask for {} rows by their numbers", params.queryLimit),
                              "query_limit", fmt::format("use at most {} with query_primary_key", kMaxParameters));
    return params;
}

const std::vector<const Workload*>& workloads()
{
    static const IibenchWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::iibench
