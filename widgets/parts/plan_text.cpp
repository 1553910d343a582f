// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/plan_text.h"

#include "format.h"

#include <dyno/followers.h>
#include <dyno/observed_sources.h>
#include <dyno/uri_form.h>

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxUsers = 1'000'000;
constexpr std::size_t kMaxCounts = 200;

struct PlanTextWords
{
    Q_DECLARE_TR_FUNCTIONS(PlanText)
};

//! Digits may be grouped by any kind of space.
QString withoutGrouping(QString text)
{
    static const QRegularExpression between(u"(?<=\\d)[\\s\\x{00a0}\\x{2009}\\x{202f}]+(?=\\d)"_s);
    return text.trimmed().remove(between);
}

bool isNumber(OptionType type)
{
    return type == OptionType::Integer || type == OptionType::Real;
}

std::optional<std::vector<int>> usersFail(QString* error, const QString& text)
{
    if (error)
        *error = text;
    return std::nullopt;
}

} // namespace

std::optional<std::vector<int>> parseUsers(const QString& text, QString* error)
{
    static const QRegularExpression item(u"^(\\d+)(?:\\s*[-–…]\\s*(\\d+)(?:\\s*[*×]\\s*(\\d+))?)?$"_s);
    // Blanks around a dash or a factor belong to the item, all others separate.
    static const QRegularExpression tight(u"\\s*([-–…*×])\\s*"_s);
    static const QRegularExpression separator(u"[,;\\s]+"_s);
    std::vector<int> users;
    QStringList wrong; // all that cannot be read, not the first alone
    const auto add = [&users](int count) {
        if (std::find(users.begin(), users.end(), count) == users.end())
            users.push_back(count);
    };
    QString joined = text.trimmed();
    joined.replace(tight, u"\\1"_s);
    const QStringList parts = joined.split(separator, Qt::SkipEmptyParts);
    for (const QString& part : parts) {
        const QRegularExpressionMatch match = item.match(part);
        if (!match.hasMatch() || match.captured(1).toLongLong() == 0)
            wrong << PlanTextWords::tr("“%1”").arg(part);
    }
    if (wrong.size() > 1)
        return usersFail(error, PlanTextWords::tr("%1 and %2 are not numbers of users; write for example 1, 4, 16")
                                    .arg(wrong.mid(0, wrong.size() - 1).join(u", "_s), wrong.last()));
    for (const QString& part : parts) {
        const QRegularExpressionMatch match = item.match(part);
        if (!match.hasMatch())
            return usersFail(error,
                             PlanTextWords::tr("“%1” is not a number of users; write for example 1, 4, 16").arg(part));
        bool ok = false;
        const int first = match.captured(1).toInt(&ok);
        const int last = ok && !match.captured(2).isEmpty() ? match.captured(2).toInt(&ok) : first;
        const int factor = ok && !match.captured(3).isEmpty() ? match.captured(3).toInt(&ok) : 1;
        if (!ok || first < 1 || last > kMaxUsers || last < first)
            return usersFail(error, PlanTextWords::tr("“%1” is outside 1 to 1 000 000 users").arg(part));
        if (!match.captured(3).isEmpty() && factor < 2)
            return usersFail(error, PlanTextWords::tr("“%1”: the factor must be 2 or more").arg(part));
        for (std::int64_t count = first; count <= last; count = factor > 1 ? count * factor : count + 1) {
            add(int(count));
            if (users.size() > kMaxCounts)
                return usersFail(
                    error, PlanTextWords::tr("More than 200 user counts; write fewer, or a factor as in 1-256*2"));
        }
    }
    if (users.empty())
        return usersFail(error, PlanTextWords::tr("Enter at least one number of users, for example 1, 4, 16"));
    return users;
}

QString usersText(const std::vector<int>& users)
{
    QStringList parts;
    for (int count : users)
        parts << QString::number(count);
    return parts.join(u", "_s);
}

Value valueFromText(const OptionSpec& option, const QString& text)
{
    const QString trimmed = isNumber(option.type) ? withoutGrouping(text) : text.trimmed();
    const std::string plain = trimmed.toStdString();
    switch (option.type) {
    case OptionType::Choice:
    case OptionType::Text:
    case OptionType::Bytes:
    case OptionType::Duration:
        return plain;
    case OptionType::Bool:
    case OptionType::Integer:
    case OptionType::Real:
        break;
    }
    const Value typed = parseValue(plain);
    const auto coerced = coerce(option, typed);
    return coerced ? *coerced : typed;
}

Value valueFromText(const QString& text)
{
    return parseValue(withoutGrouping(text).toStdString());
}

QString valueText(const Value& value)
{
    if (const bool* flag = std::get_if<bool>(&value))
        return *flag ? u"ON"_s : u"OFF"_s;
    return qtText(toText(value));
}

QString defaultText(const OptionSpec& option)
{
    QString text;
    if (const auto* integer = std::get_if<std::int64_t>(&option.defaultValue))
        text = option.type == OptionType::Bytes ? format::bytes(double(*integer)) : format::count(*integer);
    else
        text = valueText(option.defaultValue);
    if (option.type == OptionType::Duration && !std::holds_alternative<std::string>(option.defaultValue))
        return text + u" s"_s;
    if (option.unit.empty() || option.type == OptionType::Bytes || option.type == OptionType::Bool || text.isEmpty())
        return text;
    return text + u' ' + qtText(option.unit);
}

QString defaultMeaning(const OptionSpec& option)
{
    if (option.type != OptionType::Integer && option.type != OptionType::Real)
        return {};
    static const QRegularExpression words(u"(?:^|[ .])(-?[0-9]+): (as [^,.]+)"_s);
    const QRegularExpressionMatch match = words.match(qtText(option.help));
    const bool same = match.hasMatch() && match.captured(1).toDouble() == valueText(option.defaultValue).toDouble();
    return same ? match.captured(2) : QString();
}

QString optionToolTip(const OptionSpec& option)
{
    QStringList facts;
    const auto number = [](double value) {
        return value == std::floor(value) && std::abs(value) < 1e15 ? format::count(qint64(value))
                                                                    : QString::number(value);
    };
    const QString unit = option.unit.empty() ? QString() : QString(u' ' + qtText(option.unit));
    if (option.minimum && option.maximum)
        facts << PlanTextWords::tr("%1 – %2%3").arg(number(*option.minimum), number(*option.maximum), unit);
    else if (option.minimum)
        facts << PlanTextWords::tr("at least %1%2").arg(number(*option.minimum), unit);
    else if (option.maximum)
        facts << PlanTextWords::tr("at most %1%2").arg(number(*option.maximum), unit);
    else if (!unit.isEmpty())
        facts << PlanTextWords::tr("in %1").arg(unit.trimmed());
    const QString usual = defaultMeaning(option).isEmpty() ? defaultText(option) : valueText(option.defaultValue);
    if (!usual.isEmpty())
        facts << PlanTextWords::tr("default %1").arg(usual);
    if (option.affectsData)
        facts << PlanTextWords::tr("a change loads the data again");
    QString text = u"<p><b>%1</b><br>%2</p><p>%3</p>"_s.arg(
        qtText(option.name).toHtmlEscaped(), qtText(option.help).toHtmlEscaped(), facts.join(u" · "_s).toHtmlEscaped());
    if (!option.risk.empty())
        text += u"<p><b>%1</b> %2</p>"_s.arg(
            PlanTextWords::tr("Asks first:").toHtmlEscaped(),
            PlanTextWords::tr("in somebody else's plan, it can %1").arg(qtText(option.risk)).toHtmlEscaped());
    return text;
}

QString valueProblem(const OptionSpec& option, const QString& text)
{
    const Value value = valueFromText(option, text);
    const auto multiple = dataMultipleIn(option, value); // "4 x cache" is a number once the points are known
    const auto coerced = coerce(option, value);
    if (coerced || (multiple && *multiple) || followedBy(option, value))
        return {};
    const Error& error = multiple ? coerced.error() : multiple.error();
    return error.remedy.empty() ? qtText(error.message)
                                : PlanTextWords::tr("%1: %2").arg(qtText(error.message), qtText(error.remedy));
}

QString productName(const QString& product)
{
    return qtText(productName(std::string_view(product.toStdString())));
}

FieldPath splitPath(const QString& path)
{
    const qsizetype dot = path.indexOf(u'.');
    if (dot < 0)
        return {{}, path};
    return {path.left(dot), path.mid(dot + 1)};
}

QString scopeLabel(const QString& scope)
{
    if (scope == u"server")
        return PlanTextWords::tr("server variable");
    if (scope == u"connection")
        return PlanTextWords::tr("connection");
    if (scope == u"table")
        return PlanTextWords::tr("table");
    if (scope == u"host")
        return PlanTextWords::tr("host");
    if (scope == u"workload")
        return PlanTextWords::tr("workload parameter");
    if (scope == u"target")
        return PlanTextWords::tr("target");
    if (scope == u"load")
        return PlanTextWords::tr("load");
    return scope;
}

QString secondsText(double seconds)
{
    if (seconds >= 3600 && std::fmod(seconds, 3600) == 0)
        return PlanTextWords::tr("%1 h").arg(seconds / 3600);
    if (seconds >= 120 && std::fmod(seconds, 60) == 0)
        return PlanTextWords::tr("%1 min").arg(seconds / 60);
    if (seconds > 0 && seconds < 0.1)
        return PlanTextWords::tr("%1 ms").arg(seconds * 1000);
    return PlanTextWords::tr("%1 s").arg(seconds);
}

std::optional<double> secondsFromText(const QString& text)
{
    const QString plain = withoutGrouping(text).toLower().replace(u',', u'.');
    return parseSeconds(plain.toStdString());
}

PlanSection sectionOf(const QString& where)
{
    if (where.startsWith("target"_L1))
        return PlanSection::Target;
    if (where.startsWith("workload"_L1))
        return PlanSection::Workload;
    constexpr QStringView kOfAllRuns = u"set.";
    if (where.startsWith(kOfAllRuns) && sourceOfSetting(where.sliced(kOfAllRuns.size()).toStdString(), {}))
        return PlanSection::Observe;
    if (where.startsWith("axis"_L1) || where.startsWith("set"_L1))
        return PlanSection::Axes;
    if (where.startsWith("load"_L1))
        return PlanSection::Load;
    if (where.startsWith("view"_L1))
        return PlanSection::Observe;
    if (where.startsWith("size"_L1) || where.startsWith("description"_L1))
        return PlanSection::About;
    return PlanSection::Title;
}

QString productSentence(const Plan& plan)
{
    QStringList factors;
    for (const Axis& axis : plan.axes) {
        const auto cases = int(axis.cases.size());
        factors << (cases == 1 ? PlanTextWords::tr("1 case of %1")
                               : PlanTextWords::tr("%n cases of %1", nullptr, cases))
                       .arg(qtText(axis.name));
    }
    const auto counts = int(plan.load.users.size());
    if (counts == 1) {
        const int users = plan.load.users.front();
        factors << (users == 1 ? PlanTextWords::tr("1 user") : PlanTextWords::tr("%n users", nullptr, users));
    } else {
        factors << PlanTextWords::tr("%n user counts", nullptr, counts);
    }
    factors << (plan.load.repeats == 1 ? PlanTextWords::tr("1 repeat")
                                       : PlanTextWords::tr("%n repeats", nullptr, plan.load.repeats));
    return factors.join(u" × "_s);
}

QString startTip()
{
    return PlanTextWords::tr("Start now; the time excludes loading");
}

QString runsText(qint64 count)
{
    return count == 1 ? PlanTextWords::tr("1 run") : PlanTextWords::tr("%1 runs").arg(format::count(count));
}

QString faultsText(int count)
{
    return count == 1 ? PlanTextWords::tr("1 fault") : PlanTextWords::tr("%n faults", nullptr, count);
}

QString sentenceText(const std::string& text)
{
    QString result = qtText(text);
    static const QRegularExpression plainWord(u"^[a-z]+(?=[ ,]|$)"_s);
    if (const QRegularExpressionMatch match = plainWord.match(result); match.hasMatch()) {
        const QString name = productName(match.captured(0));
        if (name != match.captured(0))
            result.replace(0, match.capturedLength(0), name);
        else
            result[0] = result[0].toUpper();
    }
    static const QRegularExpression separators(u"(?<=\\S)([/@:?&_.,])(?=\\S)"_s);
    return result.replace(separators, u"\\1\u200b"_s);
}

} // namespace dyno
