// SPDX-License-Identifier: GPL-3.0-or-later
// What the counters of a run did interval by interval, and arithmetic with them.
#include "base/none.h"
#include "report/pivot/labels.h"

#include <dyno/formula.h>
#include <dyno/report.h>

#include <algorithm>
#include <map>

namespace dyno {

namespace {

constexpr std::string_view kCounterMeasure = "counter";

} // namespace

bool isOfCounters(std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    return !part.empty() && (base == kCounterMeasure || base == kFormulaMeasure);
}

std::string counterUnitOf(const std::vector<CounterInfo>& counters, std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    const auto index = base == kCounterMeasure ? report::indexOfCounter(counters, part) : std::nullopt;
    if (!index)
        return {};
    const CounterInfo& counter = counters[*index];
    return counter.rate ? counter.unit + "/s" : counter.unit;
}

Expected<std::vector<double>> counterValues(Library& library, std::int64_t run,
                                            const std::vector<OperationInfo>& operations,
                                            const std::vector<CounterInfo>& counters, std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    std::optional<Formula> formula;
    std::vector<std::string> figures{std::string(measure)};
    if (base == kFormulaMeasure) {
        auto parsed = Formula::parse(part);
        if (!parsed)
            return fail(parsed.error());
        formula = std::move(*parsed);
        figures = formula->measures();
    }
    std::map<std::string, std::size_t, std::less<>> places; // in `parts.only`
    ColumnParts parts{.operations = formula.has_value(), .counters = true};
    for (const std::string& figure : figures) {
        const auto [kind, name] = splitMeasure(figure);
        const auto index = kind == kCounterMeasure ? report::indexOfCounter(counters, name) : std::nullopt;
        if (!index)
            continue;
        places.emplace(figure, parts.only.size());
        parts.only.push_back(*index);
    }
    parts.counters = !parts.only.empty();
    const auto columns = library.columns(run, parts);
    if (!columns)
        return fail(columns.error());
    std::map<std::string, std::vector<double>, std::less<>> values;
    for (const std::string& figure : figures) {
        const auto place = places.find(figure);
        std::vector<double>& own = values[figure];
        if (place != places.end() && place->second < columns->counters.size())
            own = columns->counters[place->second];
        else if (!isOfCounters(figure))
            own = intervalValues(*columns, operations, figure).value_or(std::vector<double>());
        own.resize(columns->size(), kNone);
    }
    if (!formula)
        return std::move(values.begin()->second);
    std::vector<double> results;
    results.reserve(columns->size());
    for (std::size_t i = 0; i < columns->size(); ++i)
        results.push_back(formula->value([&](const std::string& figure) { return values.at(figure)[i]; }));
    return results;
}

} // namespace dyno
