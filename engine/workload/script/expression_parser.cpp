// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/expression_parser.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace dyno::script {

namespace {

constexpr int kDeepest = 100; //!< levels of brackets and the like
constexpr const char* kOperand = "a number, a variable such as :aid, a function, CASE, or (";

//! How tightly operators bind, from pgbench's manual: those of a level read from the left.
enum Level : std::uint8_t { kAny, kOr, kAnd, kNot, kIs, kCompare, kBits, kSum, kProduct, kSign };

struct Function
{
    std::string_view name;
    Operation operation;
    std::uint8_t least, most; //!< arguments
};
constexpr std::array kFunctions{
    Function{"abs", Operation::Abs, 1, 1},
    Function{"debug", Operation::Debug, 1, 1},
    Function{"double", Operation::Double, 1, 1},
    Function{"exp", Operation::Exp, 1, 1},
    Function{"greatest", Operation::Greatest, 1, kMostArguments},
    Function{"hash", Operation::HashMurmur2, 1, 2},
    Function{"hash_fnv1a", Operation::HashFnv1a, 1, 2},
    Function{"hash_murmur2", Operation::HashMurmur2, 1, 2},
    Function{"int", Operation::Int, 1, 1},
    Function{"least", Operation::Least, 1, kMostArguments},
    Function{"ln", Operation::Ln, 1, 1},
    Function{"mod", Operation::Modulo, 2, 2},
    Function{"permute", Operation::Permute, 2, 3},
    Function{"pi", Operation::Pi, 0, 0},
    Function{"pow", Operation::Power, 2, 2},
    Function{"power", Operation::Power, 2, 2},
    Function{"random", Operation::Random, 2, 2},
    Function{"random_exponential", Operation::RandomExponential, 3, 3},
    Function{"random_gaussian", Operation::RandomGaussian, 3, 3},
    Function{"random_zipfian", Operation::RandomZipfian, 3, 3},
    Function{"sqrt", Operation::Sqrt, 1, 1},
};
constexpr const char* kFunctionNames =
    "a function: abs, debug, double, exp, greatest, hash, hash_fnv1a, hash_murmur2, int, least, ln, mod, permute, pi, "
    "pow, power, random, random_exponential, random_gaussian, random_zipfian, sqrt";

struct Binary
{
    std::string_view sign;
    Level level;
    Operation operation;
    bool turned = false; //!< a > b is b < a
};
//! Longer signs first.
constexpr std::array kBinaries{
    Binary{"<<", kBits, Operation::ShiftLeft},
    Binary{">>", kBits, Operation::ShiftRight},
    Binary{"<=", kCompare, Operation::LessOrEqual},
    Binary{">=", kCompare, Operation::LessOrEqual, true},
    Binary{"<>", kCompare, Operation::Unequal},
    Binary{"!=", kCompare, Operation::Unequal},
    Binary{"<", kCompare, Operation::Less},
    Binary{">", kCompare, Operation::Less, true},
    Binary{"=", kCompare, Operation::Equal},
    Binary{"|", kBits, Operation::BitOr},
    Binary{"#", kBits, Operation::BitXor},
    Binary{"&", kBits, Operation::BitAnd},
    Binary{"+", kSum, Operation::Add},
    Binary{"-", kSum, Operation::Subtract},
    Binary{"*", kProduct, Operation::Multiply},
    Binary{"/", kProduct, Operation::Divide},
    Binary{"%", kProduct, Operation::Modulo},
};

class ExpressionParser
{
public:
    ExpressionParser(Source& source, Program& program, const std::function<void(std::uint32_t, std::size_t)>& reads)
        : m_source(source)
        , m_program(program)
        , m_reads(reads)
        , m_begin(program.code.size())
    {
    }

    tl::expected<Expression, Mistake> run()
    {
        if (parse(kAny)) {
            m_source.skipBlanks();
            if (!m_source.ended() && m_source.peek() != '\n')
                refuse(fmt::format("unexpected {}", here()), "an operator, or the end of the line");
        }
        if (m_mistake)
            return tl::unexpected(std::move(*m_mistake));
        return Expression{std::uint32_t(m_begin), std::uint32_t(m_program.code.size())};
    }

private:
    bool refuse(std::string what, std::string expected)
    {
        return refuseAt(m_source.at, std::move(what), std::move(expected));
    }
    bool refuseAt(std::size_t place, std::string what, std::string expected)
    {
        if (!m_mistake)
            m_mistake = m_source.mistake(place, std::move(what), std::move(expected));
        return false;
    }
    //! What stands here, for a message.
    [[nodiscard]] std::string here() const
    {
        if (m_source.ended() || m_source.peek() == '\n')
            return "end of the line";
        std::size_t end = m_source.at + 1;
        while (end < m_source.text.size() && isNamePart(m_source.text[end]) && isNamePart(m_source.text[end - 1]) &&
               end - m_source.at < 40)
            ++end;
        return fmt::format("\"{}\"", m_source.text.substr(m_source.at, end - m_source.at));
    }
    //! The name that begins here, in small letters; nothing is taken.
    [[nodiscard]] std::string nameHere() const
    {
        std::size_t end = m_source.at;
        if (isNameStart(m_source.peek())) {
            while (end < m_source.text.size() && isNamePart(m_source.text[end]))
                ++end;
        }
        return lowered(m_source.text.substr(m_source.at, end - m_source.at));
    }
    bool takes(std::string_view keyword)
    {
        m_source.skipBlanks();
        if (nameHere() != keyword)
            return false;
        m_source.at += keyword.size();
        return true;
    }
    bool expects(std::string_view sign)
    {
        m_source.skipBlanks();
        if (!m_source.sees(sign))
            return refuse(fmt::format("unexpected {}", here()), fmt::format("\"{}\"", sign));
        m_source.at += sign.size();
        return true;
    }

    [[nodiscard]] std::uint32_t next() const { return std::uint32_t(m_program.code.size() - m_begin); }
    std::size_t emit(Operation operation, int arguments = 0, std::uint32_t index = 0, Scalar constant = {})
    {
        m_program.code.push_back({operation, std::uint8_t(arguments), index, constant});
        return m_program.code.size() - 1;
    }
    bool push(Operation operation, std::uint32_t index, Scalar constant = {})
    {
        if (++m_depth > kStackDepth)
            return refuse("the expression holds too many values at a time", fmt::format("at most {}", kStackDepth));
        emit(operation, 0, index, constant);
        return true;
    }
    bool pushConstant(const Scalar& constant) { return push(Operation::Constant, 0, constant); }
    void apply(Operation operation, int arguments)
    {
        emit(operation, arguments);
        m_depth += 1 - arguments;
    }
    void land(std::size_t jump) { m_program.code[jump].index = next(); }

    bool parse(Level above);
    bool operand();
    bool number();
    bool variable();
    bool call(const std::string& name, std::size_t place);
    bool cases();
    std::optional<bool> isOperator(Level above, Level& closed);
    bool isSuffix(std::string_view word);

    Source& m_source;
    Program& m_program;
    const std::function<void(std::uint32_t, std::size_t)>& m_reads;
    std::size_t m_begin;
    int m_depth = 0, m_nesting = 0;
    std::optional<Mistake> m_mistake;
};

//! What follows IS, or nothing after ISNULL and NOTNULL.
bool ExpressionParser::isSuffix(std::string_view word)
{
    bool negated = word == "notnull";
    Scalar compared;
    if (word == "is") {
        negated = takes("not");
        if (takes("true"))
            compared = Scalar::of(true);
        else if (takes("false"))
            compared = Scalar::of(false);
        else if (!takes("null"))
            return refuse(fmt::format("unexpected {} after IS", here()), "NULL, TRUE, FALSE, or NOT with one of them");
    }
    if (!pushConstant(compared))
        return false;
    apply(Operation::Is, 2);
    if (negated)
        apply(Operation::Not, 1);
    return true;
}

//! Takes an operator that binds more tightly than `above` with its right side. Nothing: there is none here. `closed`:
//! the level of an operator that cannot follow itself.
std::optional<bool> ExpressionParser::isOperator(Level above, Level& closed)
{
    m_source.skipBlanks();
    const std::string word = nameHere();
    const std::size_t place = m_source.at;
    const auto again = [&](Level level) {
        return closed == level &&
               !refuseAt(place, fmt::format("unexpected {}", here()), "brackets around the first comparison");
    };
    if (word == "or" || word == "and") {
        const Level level = word == "or" ? kOr : kAnd;
        if (level <= above)
            return {};
        m_source.at += word.size();
        const std::size_t jump = emit(level == kOr ? Operation::OrElse : Operation::AndThen);
        --m_depth;
        if (!parse(level))
            return false;
        emit(Operation::Condition);
        land(jump);
        closed = kAny;
        return true;
    }
    if (word == "is" || word == "isnull" || word == "notnull") {
        if (kIs <= above)
            return {};
        if (again(kIs))
            return false;
        m_source.at += word.size();
        closed = kIs;
        return isSuffix(word);
    }
    for (const Binary& binary : kBinaries) {
        if (!m_source.sees(binary.sign))
            continue;
        if (binary.level <= above)
            return {};
        if (binary.level == kCompare && again(kCompare))
            return false;
        m_source.at += binary.sign.size();
        if (!parse(binary.level))
            return false;
        apply(binary.operation, 2);
        if (binary.turned)
            m_program.code.back().index = 1;
        closed = binary.level == kCompare ? kCompare : kAny;
        return true;
    }
    return {};
}

bool ExpressionParser::parse(Level above)
{
    if (++m_nesting > kDeepest)
        return refuse("the expression is nested too deeply", fmt::format("at most {} levels", kDeepest));
    if (!operand())
        return false;
    Level closed = kAny;
    for (;;) {
        const std::optional<bool> taken = isOperator(above, closed);
        if (!taken)
            break;
        if (!*taken)
            return false;
    }
    --m_nesting;
    return true;
}

bool ExpressionParser::operand()
{
    m_source.skipBlanks();
    const char c = m_source.peek();
    if (c == '(') {
        ++m_source.at;
        return parse(kAny) && expects(")");
    }
    if (c == '+' || c == '-' || c == '~') {
        ++m_source.at;
        m_source.skipBlanks();
        if (c == '-' && m_source.sees("9223372036854775808") && !isDigit(m_source.peek(19)) &&
            m_source.peek(19) != '.') {
            m_source.at += 19; // the one number that has no counterpart
            return pushConstant(Scalar::of(std::int64_t(INT64_MIN)));
        }
        if (c != '+' && !pushConstant(Scalar::of(std::int64_t(c == '-' ? 0 : -1))))
            return false;
        if (!parse(c == '~' ? kBits : kSign))
            return false;
        if (c != '+')
            apply(c == '-' ? Operation::Subtract : Operation::BitXor, 2);
        return true;
    }
    if (isDigit(c) || (c == '.' && isDigit(m_source.peek(1))))
        return number();
    if (c == ':' && isNamePart(m_source.peek(1)))
        return variable();
    const std::string name = nameHere();
    if (name.empty())
        return refuse(fmt::format("unexpected {}", here()), kOperand);
    const std::size_t place = m_source.at;
    m_source.at += name.size();
    if (name == "null")
        return pushConstant(Scalar::null());
    if (name == "true" || name == "false")
        return pushConstant(Scalar::of(name == "true"));
    if (name == "not") {
        if (!parse(Level(kNot - 1)))
            return false;
        apply(Operation::Not, 1);
        return true;
    }
    if (name == "case")
        return cases();
    return call(name, place);
}

bool ExpressionParser::number()
{
    const std::size_t begin = m_source.at;
    const auto digits = [this] {
        while (isDigit(m_source.peek()))
            ++m_source.at;
    };
    digits();
    bool real = m_source.peek() == '.';
    if (real) {
        ++m_source.at;
        digits();
    }
    const char e = m_source.peek();
    const std::size_t sign = m_source.peek(1) == '-' || m_source.peek(1) == '+' ? 1 : 0;
    if ((e == 'e' || e == 'E') && isDigit(m_source.peek(1 + sign))) {
        real = true;
        m_source.at += 1 + sign;
        digits();
    }
    const std::string text(m_source.text.substr(begin, m_source.at - begin));
    if (real)
        return pushConstant(Scalar::of(std::strtod(text.c_str(), nullptr)));
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
        return refuseAt(begin, fmt::format("{} does not fit into 64 bits", text),
                        "a whole number up to 9223372036854775807");
    return pushConstant(Scalar::of(value));
}

bool ExpressionParser::variable()
{
    const std::size_t place = m_source.at++;
    std::size_t end = m_source.at;
    while (end < m_source.text.size() && isNamePart(m_source.text[end]))
        ++end;
    const std::string_view name = m_source.text.substr(m_source.at, end - m_source.at);
    if (!isVariableName(name))
        return refuseAt(place, fmt::format("\":{}\" is no variable", name), "a name that begins with a letter or _");
    m_source.at = end;
    const std::uint32_t slot = m_program.slotOf(name);
    m_reads(slot, place);
    return push(Operation::Variable, slot);
}

bool ExpressionParser::call(const std::string& name, std::size_t place)
{
    const auto* const function = std::ranges::find(kFunctions, std::string_view(name), &Function::name);
    if (function == kFunctions.end())
        return refuseAt(place, fmt::format("there is no function \"{}\"", name), kFunctionNames);
    if (!expects("("))
        return false;
    int count = 0;
    m_source.skipBlanks();
    if (m_source.peek() == ')') {
        ++m_source.at;
    } else {
        for (;;) {
            if (!parse(kAny))
                return false;
            ++count;
            m_source.skipBlanks();
            if (m_source.peek() != ',')
                break;
            ++m_source.at;
        }
        if (!expects(")"))
            return false;
    }
    if (count < function->least || count > function->most)
        return refuseAt(place, fmt::format("{}() has {} {}", name, count, count == 1 ? "argument" : "arguments"),
                        function->least == function->most ? fmt::format("{}", function->least)
                                                          : fmt::format("{} to {}", function->least, function->most));
    const bool hash = function->operation == Operation::HashFnv1a || function->operation == Operation::HashMurmur2;
    if ((hash && count == 1) || (function->operation == Operation::Permute && count == 2)) {
        if (!push(Operation::Variable, m_program.slotOf(kDefaultSeed)))
            return false;
        ++count;
    }
    if (count == 0)
        return push(function->operation, 0);
    apply(function->operation, count);
    return true;
}

bool ExpressionParser::cases()
{
    std::vector<std::size_t> ends;
    if (!takes("when"))
        return refuse(fmt::format("unexpected {} after CASE", here()), "WHEN");
    bool otherwise = false;
    do {
        if (!parse(kAny))
            return false;
        if (!takes("then"))
            return refuse(fmt::format("unexpected {} after the condition", here()), "THEN, or an operator");
        const std::size_t jump = emit(Operation::JumpUnlessTrue);
        --m_depth;
        if (!parse(kAny))
            return false;
        ends.push_back(emit(Operation::Jump));
        --m_depth;
        land(jump);
        otherwise = takes("else");
    } while (!otherwise && takes("when"));
    if (otherwise ? !parse(kAny) : !pushConstant(Scalar::null()))
        return false;
    if (!takes("end"))
        return refuse(fmt::format("unexpected {} in CASE", here()),
                      otherwise ? "END, or an operator" : "WHEN, ELSE or END");
    for (const std::size_t jump : ends)
        land(jump);
    return true;
}

} // namespace

tl::expected<Expression, Mistake> parseExpression(Source& source, Program& program,
                                                  const std::function<void(std::uint32_t, std::size_t)>& reads)
{
    return ExpressionParser(source, program, reads).run();
}

std::vector<std::string> functionNames()
{
    std::vector<std::string> names;
    for (const Function& function : kFunctions)
        names.emplace_back(function.name);
    return names;
}

} // namespace dyno::script
