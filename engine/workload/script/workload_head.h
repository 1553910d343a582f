// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The head of a .workload file: tables of its own, checks and think times, in TOML between two lines `+++` in front of
//! the script.
#pragma once

#include "base/random.h"
#include "driver/request.h"
#include "workload/distribution.h"
#include "workload/script/csv_file.h"
#include "workload/script/source.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace dyno::script {

//! What a column takes from a file for one row. Nothing: the file was not read, as nobody has agreed yet.
struct FromFile
{
    const WordList* words = nullptr;
    const Distribution* ranks = nullptr; //!< of the words, from 1; nullptr: each is as likely
    const CsvField* field = nullptr;
};

//! How the values of a column are made. One draw of a row is a function of its Random and its number alone.
struct ColumnMaker
{
    enum class Kind : std::uint8_t {
        Sequence,
        Constant,
        UniformInteger,
        UniformReal,
        Normal,
        Zipf,
        Date,
        Time,
        Uuid,
        Hex,
        Text,
        Pick,
        Words,
        Csv
    };
    Kind kind = Kind::Constant;
    double nullShare = 0;
    //! Of Sequence the first alone; of Date and Time days and seconds since 1970; of Text and Hex lengths; of Csv the
    //! number of the column, from 1, where it is not named.
    std::int64_t first = 0, last = 0;
    double low = 0, high = 0;  //!< UniformReal; of Normal the mean and the standard deviation
    std::optional<int> digits; //!< of those behind the point; 0 makes whole numbers
    std::optional<Distribution> zipf;
    std::optional<double> exponent; //!< of Words, by their ranks
    std::string from;               //!< of Words the file; of Csv the column's name in the header
    std::vector<std::variant<std::int64_t, double, std::string>> values; //!< of Constant one
    std::vector<double> upTo;                                            //!< of Pick: sums of the weights

    [[nodiscard]] Param::Type type() const;
    //! `text` holds what the value refers to, beside what `file` has.
    [[nodiscard]] Param draw(std::int64_t row, Random& random, std::string& text, const FromFile& file = {}) const;
};

//! As CREATE TABLE has it.
struct CreatedColumn
{
    std::string name, type;
};

//! One that rows have values for.
struct HeadColumn
{
    std::string name;
    std::string type; //!< "" for documents
    ColumnMaker maker;
};

//! A file that a head names, below the folder of the .workload file.
struct HeadFile
{
    std::string name;
    std::optional<CsvForm> csv = {}; //!< none: a list of words
    int line = 0, column = 0;        //!< of its name in the text
};

struct HeadTable
{
    std::string name;
    std::string rows;                 //!< an expression of the script's language; "": the records of the CSV file
    std::optional<std::int64_t> seed; //!< of its values; none: the plan's
    std::string file;                 //!< of Csv columns; "": it has none
    CsvForm csv;
    std::vector<CreatedColumn> created;   //!< all, in their order
    std::vector<HeadColumn> columns;      //!< without those that the server fills
    std::vector<std::string> constraints; //!< SQL behind the columns, as "PRIMARY KEY (a, b)"
    std::string options;                  //!< SQL behind CREATE TABLE's parentheses
    std::vector<std::string> after; //!< SQL when its rows are there; of a table with 0 rows when all tables have theirs
};

//! A question to the data after a run, and its answer.
struct HeadCheck
{
    std::string name;
    std::string sql; //!< its words only read, see onlyReads(); what it calls may do more. For documents a command
    //! One of the two: the answer itself, or an expression of the script's language that may read it as :value.
    std::optional<std::variant<std::int64_t, double, std::string>> expect;
    std::string expression;
};

//! What a user waits after each transaction of a name.
struct ThinkTime
{
    enum class Kind : std::uint8_t { Constant, Uniform, Negexp };
    std::string section;
    Kind kind = Kind::Constant;
    double low = 0, high = 0; //!< milliseconds; of Constant and Negexp, whose mean it is, the first alone
    int line = 0, column = 0; //!< of the section's name in the text

    [[nodiscard]] std::int64_t drawNs(Random& random) const;
};

struct Head
{
    std::vector<HeadTable> tables;
    std::vector<std::string> cleanup; //!< SQL before the tables are dropped
    std::vector<HeadCheck> checks;
    std::vector<ThinkTime> thinkTimes;
    std::vector<HeadFile> files; //!< each once
    std::string define;          //!< values of variables, as the workload's parameter "define"; that one counts more
    bool documents = false;      //!< the script's statements are commands on documents; so are those of the head
    std::size_t end = 0;         //!< where the script begins in the text
};

//! Nothing: the text has no head.
[[nodiscard]] tl::expected<std::optional<Head>, Mistake> readHead(std::string_view text);
//! The script names pgbench's tables, and its head describes none: they have to be there. Also of a text with mistakes.
[[nodiscard]] bool needsPgbenchTables(std::string_view text);
//! All keys that a head may have, in alphabetical order.
[[nodiscard]] const std::vector<std::string>& headWords();
//! Digits that tell the tables of one head from those of another; empty: it describes none.
[[nodiscard]] std::string headDigest(std::string_view text);

} // namespace dyno::script
