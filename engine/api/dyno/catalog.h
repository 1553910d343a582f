// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this build can do: drivers, workloads, knobs, recipes. Plain values; any thread.
#pragma once

#include "samples.h"
#include "uri.h"
#include "value_type.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

struct Plan;

//! What a driver's statements are written in (StatementSpec::text); a workload has a form for each model it can speak.
enum class DataModel {
    Sql,      //!< statements
    Document, //!< database commands as extended JSON: {"find": "usertable", "filter": {"_id": "?"}, "limit": 1}
    KeyValue, //!< "get FAMILY ?", "put FAMILY ? ?", "delete FAMILY ?", "scan FAMILY ? LIMIT"
};
[[nodiscard]] const char* toText(DataModel model); //!< "SQL", "documents", "key-value"

//! What ends CREATE TABLE.
enum class TableOptions {
    Words,       //!< words joined by commas
    NamedValues, //!< NAME=VALUE, the first of them ENGINE=…
    Parameters,  //!< WITH (name=value, …)
};

//! How an index over the words of texts is made and asked.
enum class FullTextIndex {
    Key,     //!< one of the table's keys: MATCH (columns) AGAINST (words)
    Table,   //!< a table of its own
    Vectors, //!< over an expression that makes the words' vector of a row: to_tsvector(…) @@ to_tsquery(words)
};

//! How near two vectors are.
enum class VectorMetric { Euclidean, Cosine };
enum class VectorIndexKind {
    None,    //!< a search looks at every row
    Hnsw,    //!< a graph of neighbours in layers
    IvfFlat, //!< lists of vectors around centres
};
//! An index over a column of vectors, and how a session searches in it. Each kind uses its own part of the numbers.
struct VectorIndex
{
    std::string table, column;
    VectorIndexKind kind = VectorIndexKind::None;
    VectorMetric metric = VectorMetric::Euclidean;
    std::int64_t m = 16, efConstruction = 64, lists = 100; //!< of the index
    std::int64_t efSearch = 40, probes = 1;                //!< of a search
};

//! How a driver's SQL speaks of vectors; texts of vectors are "[1,2.5,3]".
struct VectorDialect
{
    std::string type;                   //!< of a column of vectors with {} numbers; "": it has none
    std::string value = "{}";           //!< a text as a vector
    bool textIsValue = false;           //!< rows in bulk have that text as it is
    std::string euclidean, cosine;      //!< distance of the vectors {0} and {1}
    std::string setup;                  //!< makes the type known in a database; "": it always is
    std::string found, missing, remedy; //!< finds a row where the server has vectors, else: what that means
    std::int64_t mostIndexed = 0;       //!< numbers of a vector that an index takes
    //! The statement that makes an index of a loaded table; "": it has none like that.
    std::string (*index)(const VectorIndex& index) = nullptr;
    //! Variables of a session that searches in it.
    Settings (*session)(const VectorIndex& index) = nullptr;
};

//! In what a driver's SQL differs, as far as workloads must know: phrases that they build statements of, and answers to
//! their questions. Each driver says its own in its folder. {} in a phrase stands for what its comment names.
struct SqlDialect
{
    // Types
    std::string unsignedInteger = "INTEGER", unsignedBig = "BIGINT"; //!< for numbers of 32 and 64 bits, never negative
    std::string longText = "TEXT", longBytes = "BLOB";               //!< for values of more than 64 KiB
    bool wideIntegers = false;                                       //!< an INTEGER column holds 64 bits
    std::string bytesOf = "{}";                                      //!< stores a bound text in a column of longBytes
    //! Types that it calls otherwise than most: {"DOUBLE", its own name for numbers of 8 bytes}.
    std::vector<std::pair<std::string, std::string>> typeNames;
    //! "TINYINT NOT NULL" with the type's own name.
    [[nodiscard]] std::string type(std::string_view usual) const;

    // Tables, keys and indexes
    std::string autoIncrement; //!< after the type of a key column that counts by itself
    bool zeroCounts = false;   //!< such a key takes its next number where a row has 0 for it, too
    //! Lets such a key, {column} of {table}, go on after the greatest number that a load gave it; "": it does so
    //! anyway.
    std::string countOn;
    bool keyIsRowId = false;  //!< only an INTEGER PRIMARY KEY counts by itself, where it is left out
    bool keysInTable = false; //!< CREATE TABLE takes KEY name (column); index names belong to their table
    TableOptions tableOptions = TableOptions::Words;
    bool storageEngines = false; //!< each table is made with one of several, which have unequal abilities
    bool partitions = false;     //!< CREATE TABLE takes PARTITION BY
    //! What follows a key's columns and puts the key into a column family; `partitions` of the table, 0: none.
    //! "": the storage engine has no families, or none for that many partitions.
    std::string (*keyFamily)(std::string_view engine, std::string_view family, std::int64_t partitions) = nullptr;
    std::string keyFamilyRemedy; //!< what to set where it answers ""
    //! Its own CREATE TABLE for one in the words of most, with PRIMARY KEY (columns); nullptr: it takes that one.
    std::string (*tableOf)(std::string_view usual) = nullptr;
    [[nodiscard]] std::string createTable(std::string usual) const;
    FullTextIndex fullText = FullTextIndex::Key;
    VectorDialect vectors;

    // What is asked of tables, and changes of them: {table}, {index}, {columns}
    std::string showCreate; //!< answers the statement that makes {} again, in the second column; "": none does
    std::string addIndex = "CREATE INDEX {index} ON {table} ({columns})", dropIndex = "DROP INDEX {index}";
    std::string analyze = "ANALYZE {table}", rebuild;
    bool analyzeReports = false;    //!< analyze answers rows: table, operation, kind of message, message
    bool alterAlgorithms = false;   //!< these but analyze, and ALTER TABLE, take ", ALGORITHM=…" at their end
    std::uint64_t rebuildSpace = 2; //!< times the table's size that a copy of it and its rebuild take beside it

    // Foreign keys
    bool foreignKeysLater = false; //!< ALTER TABLE adds them to loaded tables; else CREATE TABLE alone takes them
    std::string foreignKeysOn;     //!< finds a row where a session enforces them; "": all do
    std::string foreignKeysOff;    //!< makes a session not enforce them
    std::string foreignKeysIdle, foreignKeysRemedy; //!< of a session that does not: what that means, what to set

    // Statements
    std::string rowLock = " FOR UPDATE";                                //!< after a SELECT whose rows will be changed
    std::string upsert = " ON CONFLICT ({key}) DO UPDATE SET {change}"; //!< after INSERT … VALUES
    std::string inserted = "excluded.{}"; //!< in {change}: what the INSERT gives column {}
    bool upsertTells = false; //!< its changed rows: 1 for a new row, 2 for a changed one, 0 for one left as it was
    std::string useIndex;     //!< after a table's name: reads by the index {}
    std::string decrement = "MAX({0} - 1, 0)"; //!< {0} less one, never below 0
    std::string readOnly;                      //!< makes a session refuse to change data; "": no statement does
    bool limitedDelete = false;                //!< DELETE takes ORDER BY and LIMIT
    std::string rowName = "rowid";             //!< where it does not: what names a row of a table without a key

    // Data and outcomes
    bool loadsPrepared = false; //!< rows load fastest one by one, prepared, in a transaction; else many to a statement
    std::string takesFiles; //!< finds a row where the server takes files from its clients; "": it has no such statement
    std::string takesFilesRemedy; //!< what to set on a server that takes none
    bool outcomeTells = false; //!< Outcome::Retryable says all about retries; else a workload's list of codes decides
    std::vector<std::int32_t> rowTooLarge; //!< codes of a rejected statement whose row its table cannot hold
};

struct DriverInfo
{
    std::string id;                //!< "sqlite"
    std::string name;              //!< "SQLite (embedded)"
    std::string uriForm;           //!< "sqlite:PATH"
    std::string library;           //!< client library and its version, "SQLite 3.40.1"
    OptionSpecs connection;        //!< knobs of the scope "connection"
    bool concurrentWriters = true; //!< false: one writer at a time (SQLite), the loader uses one session
    bool eventLoop = false;        //!< can run on event loops
    int loopsFrom = 128;        //!< users from which a loop costs less than a thread each, see tests/bench/executors.sh
    bool freeVariables = false; //!< server and connection variables need not be in the catalogue
    //! Rows are added and read: it has no transactions, changes of rows, unique or secondary keys worth measuring.
    bool appendsOnly = false;
    bool warnsBeforeStart = false; //!< warnings of its managed servers too are shown before a start, beside blockers
    std::vector<DataModel> models = {DataModel::Sql}; //!< what it understands, the preferred one first
    SqlDialect sql;                                   //!< of one that understands SQL
    const class SizeModel* sizes = nullptr;           //!< what its rows take on disk; every driver has one
};

//! What a person looks for; lists group workloads by it, in this order.
enum class WorkloadPurpose { Mixed, Reads, Writes, Growth, Application, Feature };
[[nodiscard]] const char* toText(WorkloadPurpose purpose); //!< "mixed reads and writes", "reads"

struct WorkloadInfo
{
    DYNO_VALUE_TYPE(WorkloadInfo);
    std::string id;   //!< "oltp_read_write"
    std::string name; //!< "OLTP read/write"
    WorkloadPurpose purpose = WorkloadPurpose::Mixed;
    std::string summary;     //!< one line to choose it by, without a full stop, at most 80 characters
    std::string description; //!< what it measures, two or three sentences
    std::string source;      //!< where it is defined: "sysbench 1.0.20, oltp_read_write.lua"
    OptionSpecs options;
    std::vector<OperationInfo> operations;
    std::vector<DataModel> models = {DataModel::Sql}; //!< that it has a form for
    //! Data of which it is a use, where several workloads share their tables; empty: its own, named as it.
    std::string dataName = {};
    int dataVersion = 1; //!< raised when the same parameters and seed make other rows than before
    //! A run is a list of timed steps, done once by one user however long they take; load.time is only what is expected
    //! of it. Each step is one operation of `operations`.
    bool steps = false;
    bool appends = false; //!< it adds and reads rows: DriverInfo::appendsOnly is enough for it
    bool vectors = false; //!< it needs a driver whose SQL has vectors
};
//! The model a workload and a driver talk in; nullopt when they have none in common, or the workload needs more than
//! the driver has.
[[nodiscard]] std::optional<DataModel> commonModel(const WorkloadInfo& workload, const DriverInfo& driver);
//! Ids of the drivers of this build that a workload runs on.
[[nodiscard]] std::vector<std::string> driversFor(const WorkloadInfo& workload);

//! Where a knob exists and how it differs there.
struct KnobEdition
{
    std::string product;               //!< "mariadb", "mysql"
    std::string since, until;          //!< first version that has it, first that has it no more; "" = no such limit
    std::string name;                  //!< what it is called there, "" = as in KnobInfo::option
    std::optional<bool> restart;       //!< where it differs from KnobInfo::restart
    std::optional<Value> defaultValue; //!< where it differs from the option's
    //! Variables whose value the server decides from this one when it starts, and not when it is changed later. To
    //! change it in a running server is not the same as to start with it.
    std::vector<std::string> decides;
};

inline constexpr std::string_view kSyncAtCommit = "sync at commit"; //!< KnobInfo::meaning of what a commit waits for

//! A knob of the scopes server, connection, table, client, host; data from resources/knobs/*.toml.
struct KnobInfo
{
    std::string driver; //!< driver id
    std::string scope;  //!< "server", "connection", "table", …
    OptionSpec option;
    bool restart = false;              //!< needs a restart of the server
    bool initialisation = false;       //!< only when the data folder or file is made
    std::string safety;                //!< what it costs in safety, "" if nothing
    std::string manual;                //!< section of the manual, by name
    std::vector<KnobEdition> editions; //!< none: every server of the driver has it alike
    std::vector<std::string> values;   //!< worth trying, as text: what an axis of it begins with
    std::string replacement;           //!< knob to use where this one is gone
    std::string topic;                 //!< what it is about: "durability", "logging", "memory"; "" = something else
    //! What it decides, in words that knobs of other products share: kSyncAtCommit. Their values can be compared,
    //! and a plan can be carried over to another product. "" = nothing that others have too.
    std::string meaning;
    //! Of its values, as text, and what each means: "FULL" → "every commit is on disk". Several values may mean the
    //! same, and one several things; the first is the usual one. Empty with `scale`, and where values mean what they
    //! say.
    std::vector<std::pair<std::string, std::string>> means;
    double scale = 0;     //!< of a size: bytes of one unit (below 0: negative values count it); 0 = no size
    std::string cacheOf;  //!< of a size: the table engine whose own cache it is; "" = none alone
    bool waits = false;   //!< its value decides how often, and for how much, a change of data waits for the disk
    std::string onlyWith; //!< a knob of the same scope and driver without which it does nothing; "" = none
};
//! What a value means, in the words of KnobInfo::means; of a size its bytes as a whole number; nullopt when that is not
//! known.
[[nodiscard]] std::optional<std::string> meaningOf(const KnobInfo& knob, const Value& value);
//! The value of `knob` that means this; nullopt when it has none.
[[nodiscard]] std::optional<Value> valueMeaning(const KnobInfo& knob, std::string_view meaning);
//! The knob of `driver` with the same meaning as `knob`, in a product ("" = any); nullptr when there is none.
[[nodiscard]] const KnobInfo* equivalentKnob(const KnobInfo& knob, std::string_view driver, std::string_view product);
//! The edition that fits a server ("MariaDB" or "mariadb", "10.11.19-MariaDB…"), complete: name, restart and default
//! filled in. nullopt when that server does not have the knob.
[[nodiscard]] std::optional<KnobEdition> editionFor(const KnobInfo& knob, std::string_view product,
                                                    std::string_view version);

//! The one of `names` that was most likely meant by what was typed; "" when none is near it.
[[nodiscard]] std::string likelyName(std::string_view typed, std::span<const std::string> names);

struct RecipeInfo
{
    DYNO_VALUE_TYPE(RecipeInfo);
    std::string id;      //!< "durability-sqlite"
    std::string title;   //!< the question
    std::string summary; //!< one line
    std::string needs;   //!< "embedded SQLite"
    double minutes = 0;  //!< estimated at its default size, without loading
    std::vector<std::string> tags;
    std::vector<std::string> sizes;        //!< "quick", "laptop", "published": what applySize() takes
    std::string toml;                      //!< the plan
    std::vector<std::string> departs = {}; //!< how it departs from its post, a sentence each: Plan::departs
};

//! A published experiment, and how it can be repeated here: data from resources/experiments.toml.
struct ExperimentInfo
{
    std::string id;                        //!< "E11"; recipes have it as a tag
    std::string title;                     //!< "Maximal write throughput: the durability matrix"
    std::vector<std::string> recipes = {}; //!< ids of recipes
    std::string reason = {};               //!< one sentence: why there is no recipe, or what it leaves out
};

[[nodiscard]] std::vector<DriverInfo> drivers();
[[nodiscard]] std::vector<WorkloadInfo> workloads();
[[nodiscard]] const WorkloadInfo* findWorkload(std::string_view id); //!< nullptr if there is none
[[nodiscard]] const DriverInfo* findDriver(std::string_view id);
[[nodiscard]] std::vector<KnobInfo> knobs(std::string_view driver = {});
[[nodiscard]] std::vector<RecipeInfo> recipes();
[[nodiscard]] Expected<Plan> recipePlan(std::string_view id);
//! In the order of their ids.
[[nodiscard]] const std::vector<ExperimentInfo>& experiments();

//! How much of a data folder is what.
struct DataPart
{
    //! Files of a managed server: "table", "index" (where it is a file of its own), "redo log", "binlog", "undo log",
    //! "system", "temporary", "doublewrite", "other". What a server says of itself: "collection", "index", "redo log",
    //! "data" (all of it); "column" is a part of its collection; "before compression" is a collection's or column's
    //! size in memory. "off-page": what of "table" lies in pages outside the rows.
    std::string kind;
    std::string name;        //!< of the table, collection or index, "" otherwise
    std::uint64_t bytes = 0; //!< of files: allocated on disk (holes do not count)
};

//! What a target says of itself.
struct ServerFacts
{
    std::string product; //!< "MariaDB", "SQLite"
    std::string version; //!< "10.11.19-MariaDB-0+deb12u1"
    //! "Unix socket", "TCP", "in process"; of a run on another machine "TCP, not encrypted" or "TCP, server not
    //! verified" where that is so.
    std::string transport;
    std::string cipher;      //!< TLS cipher in force, "" for none
    bool unverified = false; //!< TLS to a remote host whose certificate or name nobody checked
    double roundTripMs = 0;
    Settings variables; //!< all of them, as text
};
//! Connects, asks, disconnects; makes nothing: a SQLite file that is not there yet is not created, and a managed target
//! is answered for by its server program (version only), which is not started. Blocks for up to 10 s: never call it on
//! the GUI thread.
[[nodiscard]] Expected<ServerFacts> inspectTarget(const TargetUri& target);

//! Version of Dynobench, "0.1.0".
[[nodiscard]] const char* softwareVersion();

} // namespace dyno
