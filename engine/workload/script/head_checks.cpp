// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/head_checks.h"

#include "workload/option_makers.h"
#include "workload/script/evaluator.h"
#include "workload/script/script_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

namespace dyno::script {

namespace {

constexpr double kSameShare = 1e-9; //!< numbers that differ by less, as a share, are the same
constexpr std::size_t kShownAnswer = 200;

//! A whole number, a number with a fraction, or nothing.
std::optional<Scalar> answeredNumber(std::string_view text)
{
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
        return Scalar::of(whole);
    double real = 0;
    if (const auto read = std::from_chars(text.data(), end, real);
        read.ec == std::errc() && read.ptr == end && std::isfinite(real))
        return Scalar::of(real);
    return {};
}

double asReal(const Scalar& value)
{
    return value.type == Scalar::Type::Real ? value.real : double(value.integer);
}

bool sameNumber(const Scalar& one, const Scalar& other)
{
    if (one.type != Scalar::Type::Real && other.type != Scalar::Type::Real)
        return one.integer == other.integer;
    const double a = asReal(one), b = asReal(other);
    return std::abs(a - b) <= kSameShare * std::max(std::abs(a), std::abs(b));
}

std::string shownValue(const Scalar& value)
{
    switch (value.type) {
    case Scalar::Type::Integer:
        return fmt::format("{}", value.integer);
    case Scalar::Type::Real:
        return fmt::format("{}", value.real);
    case Scalar::Type::Boolean:
        return value.integer != 0 ? "true" : "false";
    case Scalar::Type::Null:
        break;
    }
    return "NULL";
}

//! What is wrong with an answer; "": nothing.
Expected<std::string> faultOf(const HeadCheck& check, const Settings& params, const std::string& answer)
{
    const std::string shown = answer.size() <= kShownAnswer ? answer : answer.substr(0, kShownAnswer) + "…";
    const auto differs = [&shown](const std::string& expected) {
        return fmt::format("the answer is {}, and {} was expected", shown.empty() ? "empty" : shown, expected);
    };
    const std::optional<Scalar> number = answeredNumber(answer);
    if (check.expect) {
        if (const auto* text = std::get_if<std::string>(&*check.expect))
            return answer == *text ? std::string() : differs(fmt::format("\"{}\"", *text));
        const auto* whole = std::get_if<std::int64_t>(&*check.expect);
        const Scalar wanted = whole ? Scalar::of(*whole) : Scalar::of(std::get<double>(*check.expect));
        return number && sameNumber(*number, wanted) ? std::string() : differs(shownValue(wanted));
    }
    if (!number)
        return fmt::format("the answer {} is no number", shown.empty() ? "is empty and" : "\"" + shown + "\"");
    const auto found = valueInHead(check.expression, params, &*number);
    if (!found)
        return fail({ErrorKind::BadInput, found.error(), "checks", "change the expression"});
    if (found->type == Scalar::Type::Boolean)
        return found->integer != 0
                   ? std::string()
                   : fmt::format("the answer is {}, for which \"{}\" is not true", shown, check.expression);
    if (found->type == Scalar::Type::Null)
        return differs("NULL");
    return sameNumber(*number, *found) ? std::string() : differs(shownValue(*found));
}

Expected<TextRows> askReadOnly(Admin& admin, const std::string& sql, const std::string& readOnly)
{
    if (readOnly.empty())
        return admin.query(sql);
    for (const std::string& first : {readOnly, std::string("BEGIN")}) {
        if (auto done = admin.execute(first); !done)
            return tl::unexpected(done.error());
    }
    auto rows = admin.query(sql);
    (void)admin.execute("ROLLBACK"); // an embedded engine may have ended it with its call
    return rows;
}

} // namespace

tl::expected<Scalar, std::string> valueInHead(const std::string& expression, const Settings& params,
                                              const Scalar* value)
{
    if (expression.find_first_of("\\\r\n") != std::string::npos)
        return tl::unexpected(std::string("the expression is no single line"));
    const auto program =
        parseScripts(fmt::format("\\set value 0\n\\set own_value {}\nSELECT 1;", expression), textOf(params, "define"));
    if (!program)
        return tl::unexpected(program.error().what);
    Variables variables(program->variables.size());
    for (const auto& [slot, text] : program->definitions)
        variables.setText(slot, text);
    if (const auto scale = program->slotByName.find(kScale);
        scale != program->slotByName.end() && !variables.isSet(scale->second))
        variables.set(scale->second, Scalar::of(integerOf(params, "scale", 1)));
    if (const auto slot = program->slotByName.find("value"); value && slot != program->slotByName.end())
        variables.set(slot->second, *value);
    const Expression& code = program->scripts.front().commands[1].expression;
    Random random;
    Scalar result;
    if (const Problem problem = evaluate(std::span(program->code.data() + code.begin, program->code.data() + code.end),
                                         variables, random, result))
        return tl::unexpected(std::string(problem.text));
    return result;
}

Expected<std::vector<DataCheck>> bindChecks(const std::vector<HeadCheck>& checks, const Settings& params,
                                            const std::string& readOnly)
{
    std::vector<DataCheck> bound;
    for (const HeadCheck& check : checks) {
        const Scalar some = Scalar::of(std::int64_t(1));
        if (const auto value = check.expect ? Scalar() : valueInHead(check.expression, params, &some); !value)
            return wrongParameter(
                fmt::format("the check \"{}\", \"{}\": {}", check.name, check.expression, value.error()), "scripts",
                "an expression as :value <= 1000 * :scale");
        DataCheck& one = bound.emplace_back();
        one.name = check.name;
        one.query = check.sql;
        one.fault = [check, params, readOnly](Admin& admin) -> Expected<std::string> {
            const auto rows = askReadOnly(admin, check.sql, readOnly);
            if (!rows)
                return tl::unexpected(rows.error());
            if (rows->size() != 1 || rows->front().size() != 1)
                return fmt::format("the answer has {} {} of {} columns, and one value is needed", rows->size(),
                                   rows->size() == 1 ? "row" : "rows", rows->empty() ? 0 : rows->front().size());
            return faultOf(check, params, rows->front().front());
        };
    }
    return bound;
}

} // namespace dyno::script
