// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server's answer or the library's error comes to.
#pragma once

#include "driver/driver.h"

#include <mongoc/mongoc.h>
#include <string>
#include <string_view>

namespace dyno::mongodb {

//! Numbers of the server's errors.
inline constexpr std::int32_t kUnauthorized = 13, kInvalidOptions = 72;

//! The outcome that an error stands for: its domain and number, and the labels of the answer (nullptr = none). The
//! rules are those of MongoDB's manual: "Retryable Writes", "Retryable Reads", "Transactions in Applications".
[[nodiscard]] Outcome outcomeOf(const bson_error_t& error, const bson_t* answer);
//! The same for a server's number alone: writeErrors and writeConcernError.
[[nodiscard]] Outcome outcomeOfServer(std::int32_t code);
//! True when the server that answered is not the primary (any more): another one must be looked for.
[[nodiscard]] bool lostPrimary(std::int32_t code);

//! What a good answer holds. Text points into the answer.
struct Answer
{
    std::int64_t documents = 0;  //!< in this batch, or the one that findAndModify gives
    std::int64_t affected = 0;   //!< inserted, modified and upserted, or deleted
    std::int64_t cursor = 0;     //!< not 0: more batches
    std::string_view collection; //!< of the cursor, without the database
    std::int32_t errorCode = 0;  //!< first of writeErrors, else writeConcernError
    std::string_view error;
};
[[nodiscard]] Answer readAnswer(const bson_t& answer);
//! Adds the documents of a cursor's batch, or the one of findAndModify: a row each, its fields in their order. Numbers,
//! dates (milliseconds) and booleans become numbers; what is no number and no text is null.
void keepDocuments(const bson_t& answer, KeptRows& kept);
//! Of the answer to {"explain": …}: the winning plan, or what the server says in its place. A row for each stage: its
//! text, indented where it is a part of the stage before, and the collection that it reads from end to end.
void keepPlan(const bson_t& answer, KeptRows& kept);

} // namespace dyno::mongodb
