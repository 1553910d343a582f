// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/explaining.h"

#include "base/text.h"
#include "load/executor/wait_for_reply.h"
#include "store/session/statements_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dyno {

namespace {

bool answersOk(Session& session, const Request& request)
{
    if (session.start(request) == Progress::Pending)
        finishPending(session);
    return session.reply().outcome == Outcome::Ok;
}

} // namespace

bool hasPlan(std::string_view text)
{
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
    if (trimmed(request.text, " \t\r\n;").find(';') != std::string_view::npos)
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
