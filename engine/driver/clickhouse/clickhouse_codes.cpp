// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and names as in the server's src/Common/ErrorCodes.cpp, where a number keeps its meaning: those that a
// benchmark may meet.
#include "driver/clickhouse/clickhouse_codes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dyno::clickhouse {

namespace {

using Named = std::pair<std::int32_t, std::string_view>;
constexpr auto kNames = std::to_array<Named>({
    {1, "UNSUPPORTED_METHOD"},
    {6, "CANNOT_PARSE_TEXT"},
    {10, "NOT_FOUND_COLUMN_IN_BLOCK"},
    {16, "NO_SUCH_COLUMN_IN_TABLE"},
    {20, "NUMBER_OF_COLUMNS_DOESNT_MATCH"},
    {26, "CANNOT_PARSE_QUOTED_STRING"},
    {27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED"},
    {32, "ATTEMPT_TO_READ_AFTER_EOF"},
    {33, "CANNOT_READ_ALL_DATA"},
    {36, "BAD_ARGUMENTS"},
    {38, "CANNOT_PARSE_DATE"},
    {41, "CANNOT_PARSE_DATETIME"},
    {42, "NUMBER_OF_ARGUMENTS_DOESNT_MATCH"},
    {43, "ILLEGAL_TYPE_OF_ARGUMENT"},
    {44, "ILLEGAL_COLUMN"},
    {46, "UNKNOWN_FUNCTION"},
    {47, "UNKNOWN_IDENTIFIER"},
    {48, "NOT_IMPLEMENTED"},
    {49, "LOGICAL_ERROR"},
    {50, "UNKNOWN_TYPE"},
    {53, "TYPE_MISMATCH"},
    {57, "TABLE_ALREADY_EXISTS"},
    {60, "UNKNOWN_TABLE"},
    {62, "SYNTAX_ERROR"},
    {72, "CANNOT_PARSE_NUMBER"},
    {81, "UNKNOWN_DATABASE"},
    {82, "DATABASE_ALREADY_EXISTS"},
    {115, "UNKNOWN_SETTING"},
    {117, "INCORRECT_DATA"},
    {153, "ILLEGAL_DIVISION"},
    {158, "TOO_MANY_ROWS"},
    {159, "TIMEOUT_EXCEEDED"},
    {160, "TOO_SLOW"},
    {164, "READONLY"},
    {184, "ILLEGAL_AGGREGATION"},
    {192, "UNKNOWN_USER"},
    {193, "WRONG_PASSWORD"},
    {194, "REQUIRED_PASSWORD"},
    {195, "IP_ADDRESS_NOT_ALLOWED"},
    {201, "QUOTA_EXCEEDED"},
    {202, "TOO_MANY_SIMULTANEOUS_QUERIES"},
    {203, "NO_FREE_CONNECTION"},
    {209, "SOCKET_TIMEOUT"},
    {210, "NETWORK_ERROR"},
    {215, "NOT_AN_AGGREGATE"},
    {218, "TABLE_IS_DROPPED"},
    {236, "ABORTED"},
    {241, "MEMORY_LIMIT_EXCEEDED"},
    {242, "TABLE_IS_READ_ONLY"},
    {243, "NOT_ENOUGH_SPACE"},
    {252, "TOO_MANY_PARTS"},
    {279, "ALL_CONNECTION_TRIES_FAILED"},
    {285, "TOO_FEW_LIVE_REPLICAS"},
    {291, "DATABASE_ACCESS_DENIED"},
    {307, "TOO_MANY_BYTES"},
    {319, "UNKNOWN_STATUS_OF_INSERT"},
    {321, "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE"},
    {341, "UNFINISHED"},
    {344, "SUPPORT_IS_DISABLED"},
    {349, "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"},
    {352, "AMBIGUOUS_COLUMN_NAME"},
    {386, "NO_COMMON_TYPE"},
    {394, "QUERY_WAS_CANCELLED"},
    {395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"},
    {396, "TOO_MANY_ROWS_OR_BYTES"},
    {407, "DECIMAL_OVERFLOW"},
    {439, "CANNOT_SCHEDULE_TASK"},
    {452, "SETTING_CONSTRAINT_VIOLATION"},
    {469, "VIOLATED_CONSTRAINT"},
    {473, "DEADLOCK_AVOIDED"},
    {497, "ACCESS_DENIED"},
    {516, "AUTHENTICATION_FAILED"},
    {1002, "UNKNOWN_EXCEPTION"},
});

} // namespace

std::string codeName(std::int32_t code)
{
    const auto found = std::ranges::find(kNames, code, &Named::first);
    return found == kNames.end() ? std::to_string(code) : std::string(found->second);
}

std::int32_t codeNamed(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name, &Named::second);
    return found == kNames.end() ? 0 : found->first;
}

} // namespace dyno::clickhouse
