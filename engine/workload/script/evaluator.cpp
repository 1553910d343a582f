// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/evaluator.h"

#include "base/text.h"
#include "workload/script/functions.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <utility>

namespace dyno::script {

namespace {

using Type = Scalar::Type;

constexpr const char* kDivisionByZero = "division by zero";
constexpr const char* kTooLarge = "the number does not fit into 64 bits";
constexpr const char* kNoInteger = "a whole number was expected, and the value is a boolean";
constexpr const char* kNoReal = "a number was expected, and the value is a boolean";
constexpr const char* kNoBoolean = "true or false was expected, and the value is a number";
constexpr double kTwoTo63 = 9223372036854775808.0;

//! Operands of one operation, and what is wrong with them.
class Operands
{
public:
    explicit Operands(const Scalar* first)
        : m_first(first)
    {
    }
    [[nodiscard]] std::int64_t integer(std::size_t number)
    {
        const Scalar& value = m_first[number];
        if (value.type == Type::Integer) [[likely]]
            return value.integer;
        if (value.type != Type::Real) {
            m_problem = kNoInteger;
            return 0;
        }
        const double whole = std::rint(value.real);
        if (!(whole >= -kTwoTo63 && whole < kTwoTo63)) {
            m_problem = kTooLarge;
            return 0;
        }
        return std::int64_t(whole);
    }
    [[nodiscard]] double real(std::size_t number)
    {
        const Scalar& value = m_first[number];
        if (value.type == Type::Real)
            return value.real;
        if (value.type == Type::Integer)
            return double(value.integer);
        m_problem = kNoReal;
        return 0;
    }
    [[nodiscard]] bool boolean(std::size_t number)
    {
        if (m_first[number].type != Type::Boolean)
            m_problem = kNoBoolean;
        return m_first[number].integer != 0;
    }
    [[nodiscard]] bool isReal(std::size_t number) const { return m_first[number].type == Type::Real; }
    void refuse(const char* problem) { m_problem = problem; }
    [[nodiscard]] const char* problem() const { return m_problem; }

private:
    const Scalar* m_first;
    const char* m_problem = nullptr;
};

Scalar arithmeticOfReals(Operation operation, double a, double b)
{
    switch (operation) {
    case Operation::Add:
        return Scalar::of(a + b);
    case Operation::Subtract:
        return Scalar::of(a - b);
    case Operation::Multiply:
        return Scalar::of(a * b);
    case Operation::Divide:
        return Scalar::of(a / b);
    case Operation::Equal:
        return Scalar::of(a == b);
    case Operation::Unequal:
        return Scalar::of(a != b);
    case Operation::LessOrEqual:
        return Scalar::of(a <= b);
    default:
        return Scalar::of(a < b);
    }
}

Scalar quotient(Operands& operands, Operation operation, std::int64_t a, std::int64_t b)
{
    const bool modulo = operation == Operation::Modulo;
    if (b == 0) {
        operands.refuse(kDivisionByZero);
        return {};
    }
    if (b == -1) { // of the least number it does not fit
        if (!modulo && a == INT64_MIN)
            operands.refuse(kTooLarge);
        return Scalar::of(modulo || a == INT64_MIN ? std::int64_t(0) : -a);
    }
    return Scalar::of(modulo ? a % b : a / b);
}

Scalar arithmetic(Operation operation, Operands& operands)
{
    if (operation != Operation::Modulo && (operands.isReal(0) || operands.isReal(1))) {
        const double a = operands.real(0), b = operands.real(1);
        return arithmeticOfReals(operation, a, b);
    }
    const std::int64_t a = operands.integer(0), b = operands.integer(1);
    std::int64_t result = 0;
    bool fits = true;
    switch (operation) {
    case Operation::Add:
        fits = !__builtin_add_overflow(a, b, &result);
        break;
    case Operation::Subtract:
        fits = !__builtin_sub_overflow(a, b, &result);
        break;
    case Operation::Multiply:
        fits = !__builtin_mul_overflow(a, b, &result);
        break;
    case Operation::Equal:
        return Scalar::of(a == b);
    case Operation::Unequal:
        return Scalar::of(a != b);
    case Operation::LessOrEqual:
        return Scalar::of(a <= b);
    case Operation::Less:
        return Scalar::of(a < b);
    default:
        return operands.problem() ? Scalar() : quotient(operands, operation, a, b);
    }
    if (!fits)
        operands.refuse(kTooLarge);
    return Scalar::of(result);
}

Scalar bits(Operation operation, Operands& operands)
{
    const std::int64_t a = operands.integer(0), b = operands.integer(1);
    switch (operation) {
    case Operation::BitAnd:
        return Scalar::of(a & b);
    case Operation::BitOr:
        return Scalar::of(a | b);
    case Operation::BitXor:
        return Scalar::of(a ^ b);
    case Operation::ShiftLeft:
        return Scalar::of(std::int64_t(std::uint64_t(a) << (b & 63)));
    default:
        return Scalar::of(a >> (b & 63));
    }
}

Scalar drawn(Operation operation, Operands& operands, Random& random)
{
    const Interval interval{operands.integer(0), operands.integer(1)};
    std::int64_t size = 0;
    if (interval.low > interval.high)
        operands.refuse("the interval of random numbers is empty: its lower end is above its upper one");
    else if (__builtin_sub_overflow(interval.high, interval.low, &size) || size == INT64_MAX)
        operands.refuse("the interval of random numbers is too large");
    const double parameter = operation == Operation::Random ? 0 : operands.real(2);
    if (operation == Operation::RandomGaussian && !(parameter >= kLeastGaussian))
        operands.refuse("the parameter of random_gaussian() must be at least 2");
    else if (operation == Operation::RandomZipfian && !(parameter >= kLeastZipfian && parameter <= kMostZipfian))
        operands.refuse("the parameter of random_zipfian() must be from 1.001 to 1000");
    else if (operation == Operation::RandomExponential && !(parameter > 0))
        operands.refuse("the parameter of random_exponential() must be above 0");
    if (operands.problem())
        return {};
    switch (operation) {
    case Operation::RandomGaussian:
        return Scalar::of(gaussian(random, interval, parameter));
    case Operation::RandomZipfian:
        return Scalar::of(zipfian(random, interval, parameter));
    case Operation::RandomExponential:
        return Scalar::of(exponential(random, interval, parameter));
    default:
        return Scalar::of(random.uniform(interval.low, interval.high));
    }
}

Scalar extreme(Operation operation, Operands& operands, std::size_t count)
{
    bool reals = false;
    for (std::size_t i = 0; i < count; ++i)
        reals = reals || operands.isReal(i);
    const bool least = operation == Operation::Least;
    if (reals) {
        double found = operands.real(0);
        for (std::size_t i = 1; i < count; ++i) {
            const double next = operands.real(i);
            found = least ? (found < next ? found : next) : (found > next ? found : next);
        }
        return Scalar::of(found);
    }
    std::int64_t found = operands.integer(0);
    for (std::size_t i = 1; i < count; ++i) {
        const std::int64_t next = operands.integer(i);
        found = least ? std::min(found, next) : std::max(found, next);
    }
    return Scalar::of(found);
}

Scalar absolute(Operands& operands)
{
    if (operands.isReal(0))
        return Scalar::of(std::fabs(operands.real(0)));
    const std::int64_t value = operands.integer(0);
    if (value == INT64_MIN)
        operands.refuse(kTooLarge);
    return Scalar::of(value < 0 && value != INT64_MIN ? -value : value);
}

Scalar called(Operation operation, Operands& operands, std::size_t count, Random& random)
{
    switch (operation) {
    case Operation::Not:
        return Scalar::of(!operands.boolean(0));
    case Operation::Abs:
        return absolute(operands);
    case Operation::Double:
        return Scalar::of(operands.real(0));
    case Operation::Exp:
        return Scalar::of(std::exp(operands.real(0)));
    case Operation::Ln:
        return Scalar::of(std::log(operands.real(0)));
    case Operation::Sqrt:
        return Scalar::of(std::sqrt(operands.real(0)));
    case Operation::Int:
        return Scalar::of(operands.integer(0));
    case Operation::Pi:
        return Scalar::of(std::numbers::pi);
    case Operation::Power: {
        const double base = operands.real(0), exponent = operands.real(1);
        return Scalar::of(std::pow(base, exponent));
    }
    case Operation::Least:
    case Operation::Greatest:
        return extreme(operation, operands, count);
    case Operation::HashFnv1a:
    case Operation::HashMurmur2: {
        const std::int64_t value = operands.integer(0), seed = operands.integer(1);
        return Scalar::of(operation == Operation::HashFnv1a ? hashFnv1a(value, seed) : hashMurmur2(value, seed));
    }
    case Operation::Permute: {
        const std::int64_t value = operands.integer(0), size = operands.integer(1), seed = operands.integer(2);
        if (size <= 0)
            operands.refuse("the size of permute() must be above 0");
        return operands.problem() ? Scalar() : Scalar::of(permuted(value, size, seed));
    }
    default:
        return drawn(operation, operands, random);
    }
}

bool isNamed(std::string_view text, std::string_view word)
{
    return text.size() == word.size() && lowered(text) == word;
}

bool begins(std::string_view text, std::string_view word)
{
    return text.size() <= word.size() && lowered(text) == word.substr(0, text.size());
}

//! Blanks, a sign, digits.
bool looksWhole(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n\v\f");
    if (begin == std::string_view::npos)
        return false;
    text.remove_prefix(begin + (text[begin] == '+' || text[begin] == '-' ? 1 : 0));
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

bool isTrue(const Scalar& value)
{
    return value.type == Type::Real ? value.real != 0 : value.type != Type::Null && value.integer != 0;
}

Problem Variables::read(std::uint32_t slot, Scalar& value) const
{
    const Slot& variable = m_slots[slot];
    if (variable.state == State::Value) [[likely]] {
        value = variable.value;
        return {};
    }
    if (variable.state == State::Unset)
        return {"the variable has no value", slot};
    const std::string_view text = variable.text;
    if (text.empty())
        return {"the variable holds an empty text, which is no value", slot};
    if (isNamed(text, "null")) {
        value = Scalar::null();
    } else if (begins(text, "true") || begins(text, "yes") || isNamed(text, "on")) {
        value = Scalar::of(true);
    } else if (begins(text, "false") || begins(text, "no") || isNamed(text, "off") || isNamed(text, "of")) {
        value = Scalar::of(false);
    } else if (looksWhole(text)) {
        std::string_view digits = trimmed(text);
        if (digits.front() == '+')
            digits.remove_prefix(1);
        std::int64_t number = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
            return {"the variable holds a number that does not fit into 64 bits", slot};
        value = Scalar::of(number);
    } else {
        char* end = nullptr;
        const double number = std::strtod(variable.text.c_str(), &end);
        if (end == variable.text.c_str() || *end != '\0')
            return {"the variable holds a text that is no number", slot};
        value = Scalar::of(number);
    }
    return {};
}

void Variables::append(std::uint32_t slot, std::string& to) const
{
    const Slot& variable = m_slots[slot];
    if (variable.state == State::Text) {
        to += variable.text;
        return;
    }
    if (variable.state == State::Unset)
        return;
    std::array<char, 64> buffer{};
    char* const first = buffer.data();
    switch (variable.value.type) {
    case Type::Null:
        to += "NULL";
        break;
    case Type::Boolean:
        to += variable.value.integer != 0 ? "true" : "false";
        break;
    case Type::Integer:
        to.append(first, std::to_chars(first, first + buffer.size(), variable.value.integer).ptr);
        break;
    case Type::Real: // 15 digits, as pgbench writes it
        if (!std::isfinite(variable.value.real)) {
            to += std::isnan(variable.value.real) ? "NaN" : variable.value.real > 0 ? "Infinity" : "-Infinity";
            break;
        }
        if (variable.exact) {
            to.append(first, std::to_chars(first, first + buffer.size(), variable.value.real).ptr);
            break;
        }
        to.append(first, std::to_chars(first, first + buffer.size(), variable.value.real, std::chars_format::general,
                                       std::numeric_limits<double>::digits10)
                             .ptr);
        break;
    }
}

Param Variables::param(std::uint32_t slot) const
{
    const Slot& variable = m_slots[slot];
    if (variable.state == State::Text)
        return Param::of(std::string_view(variable.text));
    if (variable.state == State::Unset)
        return {};
    switch (variable.value.type) {
    case Type::Boolean: // every server takes 1 and 0
    case Type::Integer:
        return Param::of(variable.value.integer);
    case Type::Real:
        return Param::of(variable.value.real);
    case Type::Null:
        break;
    }
    return {};
}

Problem evaluate(std::span<const Instruction> code, Variables& variables, Random& random, Scalar& result)
{
    std::array<Scalar, kStackDepth>& stack = variables.stack();
    std::size_t used = 0;
    for (std::size_t at = 0; at < code.size(); ++at) {
        const Instruction& instruction = code[at];
        switch (instruction.operation) {
        case Operation::Constant:
            stack[used++] = instruction.constant;
            continue;
        case Operation::Variable:
            if (const Problem problem = variables.read(instruction.index, stack[used]))
                return problem;
            ++used;
            continue;
        case Operation::Jump:
            at = instruction.index - std::size_t(1);
            continue;
        case Operation::JumpUnlessTrue:
            if (!isTrue(stack[--used]))
                at = instruction.index - std::size_t(1);
            continue;
        case Operation::AndThen:
        case Operation::OrElse: {
            const Scalar& left = stack[used - 1];
            if (left.type != Type::Null && left.type != Type::Boolean)
                return {kNoBoolean};
            if (left.type == Type::Null || (left.integer != 0) == (instruction.operation == Operation::OrElse))
                at = instruction.index - std::size_t(1); // decided
            else
                --used;
            continue;
        }
        case Operation::Condition:
            if (stack[used - 1].type != Type::Null && stack[used - 1].type != Type::Boolean)
                return {kNoBoolean};
            continue;
        case Operation::Debug:
            continue; // its argument; nobody could read what many users would say
        case Operation::Is: {
            --used;
            const Scalar &left = stack[used - 1], &right = stack[used];
            stack[used - 1] = Scalar::of(left.type == right.type && left.integer == right.integer);
            continue;
        }
        default:
            break;
        }
        const std::size_t count = instruction.arguments;
        used -= count;
        Scalar* const first = stack.data() + used++;
        bool null = false;
        for (std::size_t i = 0; i < count; ++i)
            null = null || first[i].type == Type::Null;
        if (null) {
            *first = Scalar::null();
            continue;
        }
        if (instruction.index != 0 && count == 2) // a > b, written as b < a
            std::swap(first[0], first[1]);
        Operands operands(first);
        Scalar value;
        if (instruction.operation <= Operation::Modulo)
            value = arithmetic(instruction.operation, operands);
        else if (instruction.operation <= Operation::ShiftRight)
            value = bits(instruction.operation, operands);
        else
            value = called(instruction.operation, operands, count, random);
        if (operands.problem())
            return {operands.problem()};
        *first = value;
    }
    result = stack[0];
    return {};
}

} // namespace dyno::script
