// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/formula.h>

#include "base/none.h"
#include <dyno/run_fields.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kCounterPrefix = "counter:";

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

bool isNameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

//! Bytes of a character beyond ASCII are part of a name: not every server's counters are English.
bool isOfName(char c)
{
    return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string_view withoutBlanks(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

//! The first such letter, or the last, that is in no quoted name of a figure; npos: none. A quote that follows a letter
//! is an apostrophe.
std::size_t findPlain(std::string_view text, char wanted, bool last = false)
{
    std::size_t found = std::string_view::npos;
    char before = '('; // the last that is no blank
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\'' && std::string_view("(+-*/=").find(before) != std::string_view::npos)
            i = std::min(text.find('\'', i + 1), text.size() - 1);
        else if (text[i] == wanted && (last || found == std::string_view::npos))
            found = i;
        before = isBlank(text[i]) ? before : text[i];
    }
    return found;
}

//! A measure by its name; anything else is a counter's.
std::string measureNamed(std::string_view name)
{
    const RunField* field = findRunField(name.substr(0, name.find(':')));
    return field && !field->info.label.empty() ? std::string(name) : std::string(kCounterPrefix) + std::string(name);
}

} // namespace

//! By recursive descent: sum = product {(+|-) product}, product = factor {(*|/) factor}, factor = -factor | number |
//! figure | (sum).
class FormulaParser
{
public:
    explicit FormulaParser(std::string_view text)
        : m_text(text)
    {
    }

    Expected<Formula> parse()
    {
        if (m_text.size() > Formula::kMostCharacters)
            return wrong(Formula::kMostCharacters,
                         fmt::format("a formula has {} characters at most", Formula::kMostCharacters));
        std::size_t end = m_text.size();
        if (std::string_view whole = m_text; !withoutBlanks(whole).empty() && withoutBlanks(whole).back() == ']') {
            const std::size_t open = findPlain(whole, '[', true);
            if (open == std::string_view::npos)
                return wrong(whole.rfind(']'), "\"[\" is missing before the unit");
            const std::size_t close = whole.rfind(']');
            m_made.m_unit = withoutBlanks(whole.substr(open + 1, close - open - 1));
            end = open;
        }
        if (const std::size_t equals = findPlain(m_text.substr(0, end), '='); equals != std::string_view::npos) {
            m_made.m_label = withoutBlanks(m_text.substr(0, equals));
            m_made.m_named = true;
            if (m_made.m_label.empty())
                return wrong(equals, "a name is missing before \"=\"");
            m_start = equals + 1;
        }
        const std::string_view arithmetic = withoutBlanks(m_text.substr(m_start, end - m_start));
        m_start = arithmetic.empty() ? end : static_cast<std::size_t>(arithmetic.data() - m_text.data());
        m_made.m_arithmetic = arithmetic;
        if (!m_made.m_named)
            m_made.m_label = arithmetic;
        sum();
        if (m_error.empty() && m_at < arithmetic.size())
            refuse("expected an operator: + - * /");
        if (!m_error.empty())
            return wrong(m_start + m_errorAt, m_error);
        if (m_made.m_measures.empty())
            return wrong(m_start, "a formula names a figure: a measure or a counter");
        return std::move(m_made);
    }

private:
    using Do = Formula::Do;
    static constexpr int kDeepest = 40;

    static tl::unexpected<Error> wrong(std::size_t at, std::string_view what)
    {
        return fail({ErrorKind::BadInput,
                     fmt::format("column {}: {}", at + 1, what),
                     {},
                     "a formula is such as Innodb_data_fsyncs / Com_commit"});
    }
    void refuse(std::string what)
    {
        if (!m_error.empty())
            return;
        m_error = std::move(what);
        m_errorAt = m_at;
    }
    //! The next character that is no blank; 0 at the end.
    char next()
    {
        while (m_at < text().size() && isBlank(text()[m_at]))
            ++m_at;
        return m_at < text().size() ? text()[m_at] : '\0';
    }
    [[nodiscard]] std::string_view text() const { return m_made.m_arithmetic; }
    void put(Do what) { m_made.m_steps.push_back({what, 0, 0}); }

    void sum()
    {
        product();
        for (char c = next(); m_error.empty() && (c == '+' || c == '-'); c = next()) {
            ++m_at;
            product();
            put(c == '+' ? Do::Add : Do::Subtract);
        }
    }
    void product()
    {
        factor();
        for (char c = next(); m_error.empty() && (c == '*' || c == '/'); c = next()) {
            ++m_at;
            factor();
            put(c == '*' ? Do::Multiply : Do::Divide);
        }
    }
    void factor()
    {
        const char c = next();
        if (++m_depth > kDeepest)
            refuse("parentheses are nested too deeply");
        else if (c == '-') {
            ++m_at;
            factor();
            put(Do::Negate);
        } else if (c == '(') {
            ++m_at;
            sum();
            if (m_error.empty() && next() != ')')
                refuse("expected \")\"");
            else
                ++m_at;
        } else if (c == '\'') {
            quoted();
        } else if (isNameStart(c) || static_cast<unsigned char>(c) >= 0x80) {
            const std::size_t from = m_at;
            while (m_at < text().size() && isOfName(text()[m_at]))
                ++m_at;
            figure(from, text().substr(from, m_at - from));
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
            number();
        } else {
            refuse("expected a figure, a number or \"(\"");
        }
        --m_depth;
    }
    void quoted()
    {
        const std::size_t from = m_at, close = text().find('\'', m_at + 1);
        if (close == std::string_view::npos)
            return refuse("the second ' of a name is missing");
        if (close == from + 1)
            return refuse("a name is missing between the two '");
        m_at = close + 1;
        figure(from, text().substr(from + 1, close - from - 1));
    }
    void number()
    {
        double value = 0;
        const char* const end = text().data() + text().size();
        const auto read = std::from_chars(text().data() + m_at, end, value);
        if (read.ec != std::errc() || !std::isfinite(value))
            return refuse("expected a number");
        m_at = static_cast<std::size_t>(read.ptr - text().data());
        m_made.m_steps.push_back({Do::Number, value, 0});
    }
    void figure(std::size_t from, std::string_view name)
    {
        std::string measure = measureNamed(name);
        if (measure.substr(0, measure.find(':')) == kFormulaMeasure) {
            m_at = from;
            return refuse("a formula cannot use another formula");
        }
        auto& all = m_made.m_measures;
        const auto found = std::ranges::find(all, measure);
        const auto index = static_cast<std::size_t>(found - all.begin());
        if (found == all.end())
            all.push_back(std::move(measure));
        m_made.m_steps.push_back({Do::Figure, 0, index});
        m_made.m_places.push_back({from, m_at - from, index});
    }

    std::string_view m_text;
    Formula m_made;
    std::size_t m_start = 0; //!< of the arithmetic in the text
    std::size_t m_at = 0, m_errorAt = 0;
    int m_depth = 0;
    std::string m_error;
};

Expected<Formula> Formula::parse(std::string_view text)
{
    return FormulaParser(text).parse();
}

double Formula::value(const std::function<double(const std::string& measure)>& figureOf) const
{
    std::vector<double> figures, stack;
    for (const std::string& measure : m_measures)
        figures.push_back(figureOf(measure));
    for (const Step& step : m_steps) {
        if (step.what == Do::Number || step.what == Do::Figure) {
            stack.push_back(step.what == Do::Number ? step.number : figures[step.figure]);
            continue;
        }
        if (step.what == Do::Negate) {
            stack.back() = -stack.back();
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        double& left = stack.back();
        switch (step.what) {
        case Do::Add:
            left += right;
            break;
        case Do::Subtract:
            left -= right;
            break;
        case Do::Multiply:
            left *= right;
            break;
        default:
            left = right == 0 ? kNone : left / right;
        }
    }
    return stack.size() == 1 && std::isfinite(stack.back()) ? stack.back() : kNone;
}

std::string Formula::renamed(const std::function<std::string(const std::string&)>& measure,
                             const std::function<std::string(const std::string&)>& label) const
{
    std::string text = m_named ? label(m_label) + " = " : std::string();
    std::size_t at = 0;
    for (const Place& place : m_places) {
        text += m_arithmetic.substr(at, place.from - at);
        std::string name = measure(m_measures[place.figure]);
        // Without its prefix a counter that is called like a measure would be that.
        if (name.starts_with(kCounterPrefix) && measureNamed(name.substr(kCounterPrefix.size())) == name)
            name.erase(0, kCounterPrefix.size());
        const bool plain = !name.empty() && isNameStart(name.front()) && std::ranges::all_of(name, isOfName);
        text += plain ? name : "'" + name + "'";
        at = place.from + place.length;
    }
    text += m_arithmetic.substr(at);
    return m_unit.empty() ? text : text + " [" + label(m_unit) + "]";
}

} // namespace dyno
