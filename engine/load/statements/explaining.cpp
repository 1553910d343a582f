// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/explaining.h"

#include "base/text.h"
#include "driver/sql_text.h"
#include "load/executor/wait_for_reply.h"
#include "store/session/statements_file.h"
#include "workload/document_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dyno {

namespace {

bool answersOk(Session& session, const Request& request)
{
    if (session.start(request) == Progress::Pending)
        finishPending(session);
    return session.reply().outcome == Outcome::Ok;
}

//! Words before a parenthesis that calls nothing of its own: of the language, types, and functions that change nothing.
constexpr std::string_view kUsualCalls =
    " in values value row exists any some all and or not on using as over filter within group by from where join "
    "select "
    "distinct union except intersect when then else case between like ilike set limit offset returning having with "
    "lateral is key index partition only conflict sets rollup cube materialized escape div mod xor into char character "
    "varchar varying decimal dec numeric float double real int integer bigint bit binary varbinary time timestamp "
    "datetime interval count sum min max avg abs round floor ceil ceiling sign sqrt power pow exp ln log greatest "
    "least "
    "coalesce ifnull nullif if iif cast convert extract date year month day hour minute second now date_add date_sub "
    "date_trunc date_part strftime julianday to_char to_date length char_length character_length octet_length substr "
    "substring left right upper lower trim ltrim rtrim concat concat_ws replace repeat lpad rpad position strpos instr "
    "locate md5 hex random rand row_number rank dense_rank ntile lag lead first_value last_value nth_value stddev "
    "variance group_concat string_agg array_agg array unnest generate_series json_extract json_value json_object total "
    "match against to_tsvector to_tsquery plainto_tsquery ts_rank vec_distance vec_distance_euclidean "
    "vec_distance_cosine vec_fromtext vec_totext ";
//! Behind them stands the name of a table or of a query, with its columns.
constexpr std::string_view kBeforeTables = " into as with recursive insert replace ignore ";

bool isUsualWord(std::string_view words, std::string_view word)
{
    return !word.empty() && words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool isCallByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

//! unusualCall() where quoted texts and comments are as in `lexis`.
std::string unusualCallAs(std::string_view text, SqlLexis lexis)
{
    std::string before, name; // two words that follow each other
    bool isPlain = false, continues = false;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        std::size_t end = i + 1;
        if (isCallByte(c) || c == '"' || c == '`') {
            isPlain = isCallByte(c) && !continues;
            if (isCallByte(c)) {
                while (end < text.size() && isCallByte(text[end]))
                    ++end;
            } else {
                end = skipQuoted(text, i, lexis);
            }
            if (!continues)
                before = std::exchange(name, {});
            name = lowered(text.substr(i, end - i));
            continues = false;
        } else if (c == '.') {
            continues = true;
        } else if (c == '(') {
            if (!name.empty() && !(isPlain && isUsualWord(kUsualCalls, name)) && !isUsualWord(kBeforeTables, before))
                return name;
            name.clear();
        } else if (text.substr(i).starts_with("/*!") || text.substr(i).starts_with("/*M!")) {
            return "/*!"; // code on some servers
        } else if (const std::size_t after = skipQuoted(text, i, lexis); after != i) {
            if (c == '\'')
                name.clear();
            end = after;
        } else if (std::string_view(" \t\r\n\v\f").find(c) == std::string_view::npos) {
            name.clear();
            continues = false;
        }
        i = end;
    }
    return {};
}

} // namespace

std::string unusualCall(std::string_view text)
{
    // What ends a quoted text depends on the server and its settings: a call that one reading hides, another shows.
    constexpr SqlLexis kBackslashes{.backslashes = true, .hashComments = true};
    constexpr SqlLexis kAll{.backslashes = true, .hashComments = true, .backslashesInNames = true, .bareDashes = true};
    for (const SqlLexis lexis : {SqlLexis(), kBackslashes, kAll}) {
        if (std::string call = unusualCallAs(text, lexis); !call.empty())
            return call;
    }
    return {};
}

bool rollsBack(const DriverInfo& driver)
{
    return !driver.appendsOnly && std::ranges::find(driver.models, DataModel::Sql) != driver.models.end();
}

bool hasPlan(std::string_view text)
{
    if (isDocumentText(text)) {
        const auto command = readDocumentCommand(text, text.find('{'));
        return command && trimmed(text.substr(command->end), " \t\r\n").empty() && command->opClass != OpClass::Other &&
               command->name != "insert" && (command->name != "aggregate" || command->opClass == OpClass::Read);
    }
    for (;;) {
        text = trimmed(text, " \t\r\n\v\f(");
        if (text.starts_with("--"))
            text.remove_prefix(std::min(text.find('\n'), text.size()));
        else if (text.starts_with("/*") && !text.starts_with("/*!") && !text.starts_with("/*M!"))
            text.remove_prefix(std::min(text.find("*/"), text.size() - 2) + 2);
        else
            break;
    }
    const std::string word = lowered(text.substr(0, text.find_first_of(" \t\r\n\v\f(*")));
    constexpr std::array<std::string_view, 8> kExplained{"select",  "insert", "update", "delete",
                                                         "replace", "with",   "values", "merge"};
    return std::ranges::find(kExplained, word) != kExplained.end();
}

std::string shownParam(const Param& value)
{
    switch (value.type) {
    case Param::Type::Integer:
        return fmt::format("{}", value.integer);
    case Param::Type::Real:
        return fmt::format("{}", value.real);
    case Param::Type::Text:
        return fmt::format("'{}'", keptText(value.text));
    case Param::Type::Null:
        break;
    }
    return "NULL";
}

std::string explainStatement(Session& session, const Driver& driver, const ExplainRequest& request,
                             std::vector<PlanStep>& steps, std::size_t mostSteps)
{
    const std::string sql = driver.explaining(request.text);
    if (sql.empty())
        return "Dynobench does not read plans of this server";
    if (!isDocumentText(request.text) && trimmed(request.text, " \t\r\n;").find(';') != std::string_view::npos)
        return "it holds a semicolon, so it may be several statements";
    Request asked = Request::sql(sql);
    if (request.prepared) {
        if (!answersOk(session, Request::prepare(request.explaining)))
            return session.lastError();
        asked = Request::execute(request.explaining, request.params);
    }
    asked.keep = Keep::All;
    if (!answersOk(session, asked))
        return session.lastError();
    const KeptRows& answer = session.kept();
    for (std::size_t row = 0; row < std::min(answer.rows(), mostSteps); ++row) {
        steps.push_back(driver.planStep(answer, row));
        steps.back().text = keptText(steps.back().text);
    }
    return steps.empty() ? "the server answered nothing" : "";
}

} // namespace dyno
