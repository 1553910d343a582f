// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The head of a .workload file: tables of its own, checks and think times, in TOML between two lines `+++` in front of
//! the script.
#pragma once

#include "base/random.h"
#include "driver/request.h"
#include "workload/distribution.h"
#include "workload/script/source.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace dyno::script {

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
        Uuid,
        Text,
        Pick
    };
    Kind kind = Kind::Constant;
    double nullShare = 0;
    std::int64_t first = 0, last = 0; //!< of Sequence the first alone; of Date days since 1970; of Text lengths
    double low = 0, high = 0;         //!< UniformReal; of Normal the mean and the standard deviation
    std::optional<Distribution> zipf;
    std::vector<std::variant<std::int64_t, double, std::string>> values; //!< of Constant one
    std::vector<double> upTo;                                            //!< of Pick: sums of the weights

    [[nodiscard]] Param::Type type() const;
    //! `text` holds what the value refers to.
    [[nodiscard]] Param draw(std::int64_t row, Random& random, std::string& text) const;
};

struct HeadColumn
{
    std::string name;
    std::string type; //!< as CREATE TABLE has it; "" for documents
    ColumnMaker maker;
};

struct HeadTable
{
    std::string name;
    std::string rows; //!< an expression of the script's language
    std::vector<HeadColumn> columns;
    std::vector<std::string> after; //!< SQL when its rows are there
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
    std::string define;     //!< values of variables, as the workload's parameter "define"; that one counts more
    bool documents = false; //!< the script's statements are commands on documents; so are those of the head
    std::size_t end = 0;    //!< where the script begins in the text
};

//! Nothing: the text has no head.
[[nodiscard]] tl::expected<std::optional<Head>, Mistake> readHead(std::string_view text);
//! Digits that tell the tables of one head from those of another; empty: it describes none.
[[nodiscard]] std::string headDigest(std::string_view text);

} // namespace dyno::script
