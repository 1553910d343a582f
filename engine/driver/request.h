// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a virtual user asks of a target. One request is a statement, a document command or a key-value call - all three
//! are a StatementSpec with parameters, so that nothing but the driver tells them apart -, or a step of the session
//! itself (connect, prepare, begin …). Plain views: whoever makes a request keeps what it points to alive until the
//! reply; nothing here allocates.
#pragma once

#include "base/ids.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! A bound value. Text is not copied.
struct Param
{
    enum class Type : std::uint8_t { Null, Integer, Real, Text };
    Type type = Type::Null;
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text = {};

    static Param of(std::int64_t value) { return {Type::Integer, value, 0, {}}; }
    static Param of(double value) { return {Type::Real, 0, value, {}}; }
    static Param of(std::string_view value) { return {Type::Text, 0, 0, value}; }
};

//! Which rows of its answer a session keeps for the workload to look at; the others are fetched and counted.
enum class Keep : std::uint8_t {
    Nothing,
    Last,      //!< the last row only
    LastNamed, //!< likewise, with the names of its columns (KeptRows::name(), and find() in SQL)
    All,
};

//! What a workload will execute many times, in the language of its driver's data model (DataModel). In SQL and
//! key-value calls `?` marks a parameter; in a document command it is the string "?" wherever a value may stand, or
//! "?binary" where text shall be stored as binary data. Parameters are bound in the order in which they are written.
struct StatementSpec
{
    std::string text;
    std::vector<Param::Type> parameters;
    bool returnsRows = false;
    bool preparable = true;    //!< false: always sent as text (sysbench never prepares oltp_insert)
    Keep keep = Keep::Nothing; //!< for Session::kept()
};
//! All statements of a workload; shared by all sessions of a run, immutable while it runs.
using StatementSet = std::vector<StatementSpec>;

enum class RequestKind : std::uint8_t {
    Connect, //!< open the connection, apply the connection knobs
    Prepare, //!< prepare `statement` (no-op with the text protocol)
    Begin,
    Commit,
    Rollback,
    Execute, //!< `statement` with `params`; all result rows are fetched and counted
    Text,    //!< `text` as it is: loading, and statements that cannot be prepared
    Bulk, //!< for ConnectTarget::loader and bulk: `text` names table and columns ("sbtest1 (id, k)"), `value` holds the
          //!< rows as tab-separated lines with backslash escapes (MySQL's LOAD DATA default). Rejected where the driver
          //!< cannot.
};

struct Request
{
    RequestKind kind = RequestKind::Text;
    StatementId statement{};
    std::span<const Param> params = {};
    std::string_view text = {};
    std::string_view value = {};
    Keep keep = Keep::Nothing; //!< of a Text's answer; that of a statement stands in its StatementSpec

    static Request step(RequestKind kind) { return {.kind = kind}; }
    static Request prepare(StatementId id) { return {.kind = RequestKind::Prepare, .statement = id}; }
    static Request execute(StatementId id, std::span<const Param> params)
    {
        return {.kind = RequestKind::Execute, .statement = id, .params = params};
    }
    static Request sql(std::string_view text) { return {.kind = RequestKind::Text, .text = text}; }
};

} // namespace dyno
