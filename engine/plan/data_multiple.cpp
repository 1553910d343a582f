// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/data_multiple.h"

#include "base/text.h"
#include "plan/plan_fields.h"
#include "plan/plan_order.h"
#include "workload/workload.h"
#include <dyno/catalog.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dyno {

namespace {

constexpr std::string_view kCacheSize = "cache size"; //!< KnobInfo::meaning
constexpr double kLargestFactor = 10'000;

//! "4 x" of "4 x buffer_pool", without the sign.
std::optional<std::pair<std::string_view, std::string_view>> partsOf(std::string_view text)
{
    for (const std::string_view sign : {std::string_view("x"), std::string_view("×"), std::string_view("*")}) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos || at == 0)
            continue;
        const std::string_view before = text.substr(0, at);
        if (before.find_first_not_of("0123456789. ") == std::string_view::npos &&
            before.find_first_of("0123456789") != std::string_view::npos)
            return std::pair(before, text.substr(at + sign.size()));
    }
    return {};
}

//! The knob that says how much memory caches this point's data: its engine's own, else that of the product.
const KnobInfo* cacheKnob(const PointSpec& point, const TargetUri& target)
{
    static const std::vector<KnobInfo> all = knobs();
    const std::string engine = lowered(textOf(point.table, "engine"));
    const auto of = [&](auto&& fits) {
        const auto found = std::ranges::find_if(all, [&](const KnobInfo& knob) {
            const bool exists =
                knob.editions.empty() || target.product.empty() ||
                std::ranges::find(knob.editions, target.product, &KnobEdition::product) != knob.editions.end();
            return knob.driver == target.driver && exists && fits(knob);
        });
        return found == all.end() ? nullptr : &*found;
    };
    if (const KnobInfo* own =
            of([&](const KnobInfo& knob) { return !engine.empty() && lowered(knob.cacheOf) == engine; }))
        return own;
    return of([](const KnobInfo& knob) { return knob.meaning == kCacheSize; });
}

Expected<double> cacheBytes(const PointSpec& point)
{
    const auto target = parseUri(point.target.uri);
    if (!target)
        return fail(target.error());
    const KnobInfo* knob = cacheKnob(point, *target);
    if (!knob)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} has no cache of its own that is known", target->driver),
                     {},
                     "write a number"});
    const Settings& settings = knob->scope == "connection" ? point.connection : point.server;
    const auto given = settings.find(knob->option.name);
    const std::string path = knob->scope + "." + knob->option.name;
    Value value = knob->option.defaultValue;
    if (given != settings.end()) {
        value = given->second;
    } else if (target->kind == TargetKind::Remote) {
        return fail({ErrorKind::BadInput,
                     fmt::format("how large the cache of {} is, the plan does not say", target->display()),
                     {},
                     fmt::format("set {}, or write a number", path)});
    } else if (const auto edition = editionFor(*knob, target->product, {}); edition && edition->defaultValue) {
        value = *edition->defaultValue;
    }
    const auto coerced = coerce(knob->option, value);
    if (!coerced)
        return fail(coerced.error());
    double bytes = 0;
    if (knob->scale == 0) {
        bytes = double(parseBytes(toText(*coerced)).value_or(0));
    } else if (const auto meaning = meaningOf(*knob, *coerced)) {
        bytes = double(parseBytes(*meaning).value_or(0));
    }
    if (!(bytes > 0))
        return fail({ErrorKind::BadInput,
                     fmt::format("{} = {} is no size", path, toText(*coerced)),
                     {},
                     fmt::format("set {} to a size", path)});
    return bytes;
}

//! What the workload estimates with this value; nullopt where it refuses it.
std::optional<double> sizeWith(PointSpec point, const OptionSpecs& options, const std::string& name, std::int64_t value)
{
    point.workload.params.insert_or_assign(name, value);
    Faults ignored;
    point.workload.params = resolve(options, point.workload.params, "workload.params", ignored);
    const auto instance = bindPoint(point);
    if (!instance)
        return {};
    return double((*instance)->estimatedBytes());
}

//! Three figures are enough of an estimate: 1 234 567 → 1 240 000.
std::int64_t rounded(std::int64_t value)
{
    std::int64_t unit = 1;
    while (value / unit >= 1000)
        unit *= 10;
    return (value + unit - 1) / unit * unit;
}

//! What the workload estimates with the powers of two times the least value of a parameter, each asked once. To bind a
//! workload may take a hundredth of a second, and a plan is read at each change of a form: a search asks for about
//! eight sizes of 40.
class PowerSizes
{
public:
    PowerSizes(std::int64_t least, std::int64_t most, std::function<std::optional<double>(std::int64_t)> size)
        : m_least(least)
        , m_size(std::move(size))
    {
        std::size_t powers = most >= least ? 1 : 0;
        for (std::int64_t value = least; powers > 0 && value <= most / 2; value *= 2)
            ++powers;
        m_known.resize(powers);
    }

    //! How much a value more adds where there are more than `much` bytes, or where there are the most.
    std::optional<double> slopeAt(double much)
    {
        std::size_t low = 0, high = m_known.empty() ? 0 : m_known.size() - 1;
        while (low < high) { // sizes rise with the value
            const std::size_t middle = (low + high) / 2;
            if (const auto size = at(middle); size && *size > much)
                high = middle;
            else
                low = middle + 1;
        }
        for (std::size_t power = high; power > 0; --power) {
            if (const auto slope = slopeTo(power))
                return slope;
        }
        for (std::size_t power = high + 1; power < m_known.size(); ++power) {
            if (const auto slope = slopeTo(power))
                return slope;
        }
        return {};
    }

private:
    std::optional<double> at(std::size_t power)
    {
        auto& known = m_known[power];
        if (!known)
            known = m_size(m_least << power);
        return *known;
    }
    //! Between this power and the one below.
    std::optional<double> slopeTo(std::size_t power)
    {
        const auto high = at(power);
        const auto low = high ? at(power - 1) : std::nullopt;
        if (!low || *high <= *low)
            return {};
        return (*high - *low) / double(m_least << (power - 1));
    }

    std::int64_t m_least;
    std::function<std::optional<double>(std::int64_t)> m_size;
    std::vector<std::optional<std::optional<double>>> m_known; //!< outer: was asked; inner: the workload takes it
};

//! The value with which the rows themselves take about `bytes`. What tables take whatever their size (pages kept free,
//! an empty root) is left out: it would make small tables look larger than their pages are.
Expected<std::int64_t> valueFor(const PointSpec& point, const WorkloadInfo& workload, const OptionSpec& option,
                                double bytes)
{
    const auto refuse = [&](const char* why, const char* remedy) {
        return fail({ErrorKind::BadInput, fmt::format("{}: {}", option.name, why), {}, remedy});
    };
    constexpr double kLargest = 1e12;
    constexpr double kMuch = 64; // times `bytes`: what is the same for all sizes is nothing beside it
    const auto least = std::int64_t(std::max(1.0, option.minimum.value_or(1)));
    const auto most = std::int64_t(std::min(kLargest, option.maximum.value_or(kLargest)));
    const auto size = [&](std::int64_t value) { return sizeWith(point, workload.options, option.name, value); };
    const auto slope = PowerSizes(least, most, size).slopeAt(kMuch * bytes);
    if (!slope)
        return refuse("the size of the data does not follow it",
                      "write the multiple at a parameter that says how much data there is, such as its rows");
    const double value = std::ceil(bytes / *slope);
    if (value > double(most))
        return refuse("the data never gets that large", "use a smaller multiple, or write a number");
    const std::int64_t found = std::clamp(rounded(std::int64_t(value)), least, most);
    if (!size(found))
        return refuse("the workload refuses the size that this would be", "use a smaller multiple, or write a number");
    return found;
}

} // namespace

Expected<std::optional<DataMultiple>> dataMultipleIn(const OptionSpec& option, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    const auto parts = text && option.type == OptionType::Integer ? partsOf(*text) : std::nullopt;
    if (!parts)
        return std::nullopt;
    const auto refuse = [&](std::string what) {
        return fail({ErrorKind::BadInput,
                     std::move(what),
                     {},
                     "write it as \"4 x cache\": a number, x, and cache or buffer_pool"});
    };
    const std::string number(trimmed(parts->first)), memory(trimmed(parts->second));
    DataMultiple multiple;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), multiple.factor);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size() || !(multiple.factor > 0) ||
        multiple.factor > kLargestFactor)
        return refuse(fmt::format("\"{}\" is no multiple between 0 and {:.0f}", number, kLargestFactor));
    if (memory != "cache" && memory != "buffer_pool")
        return refuse(fmt::format("\"{}\" is no memory that data could be a multiple of", memory));
    if (!option.affectsData)
        return fail({ErrorKind::BadInput,
                     fmt::format("{} says nothing of how much data there is", option.name),
                     {},
                     "write a number"});
    return multiple;
}

Expected<std::optional<ResolvedMultiple>> resolvedMultiple(const PointSpec& point)
{
    const WorkloadInfo* workload = findWorkload(point.workload.name);
    if (!workload)
        return std::nullopt;
    const OptionSpec* found = nullptr;
    DataMultiple multiple;
    for (const OptionSpec& option : workload->options) {
        const auto given = point.workload.params.find(option.name);
        if (given == point.workload.params.end())
            continue;
        const auto one = dataMultipleIn(option, given->second);
        const auto at = [&](Error error) {
            error.where = "workload." + option.name;
            return fail(std::move(error));
        };
        if (!one)
            return at(one.error());
        if (!*one)
            continue;
        if (found)
            return at({ErrorKind::BadInput,
                       fmt::format("{} is a multiple of the cache already", found->name),
                       {},
                       "write one of the two as a number"});
        found = &option;
        multiple = **one;
    }
    if (!found)
        return std::nullopt;
    const auto at = [&](Error error) {
        error.where = "workload." + found->name;
        return fail(std::move(error));
    };
    const auto cache = cacheBytes(point);
    if (!cache)
        return at(cache.error());
    // The oltp_… workloads share their tables, others have rows of their own.
    const std::string family = point.workload.name.substr(0, point.workload.name.find('_'));
    ResolvedMultiple resolved{found->name, 0, fmt::format("{}\n{}\n{:.0f}", family, found->name, *cache)};
    for (const auto& [name, value] : point.workload.params)
        resolved.group += fmt::format("\n{}={}", name, toText(value));
    // A plan is expanded at each change of a form, and many of its points have the same data.
    static std::mutex mutex;
    static std::map<std::string, std::int64_t> known;
    constexpr std::size_t kMostKnown = 4096;
    const std::string key = fmt::format("{}\n{:.0f}", bindKey(point), *cache);
    {
        const std::lock_guard lock(mutex);
        if (const auto old = known.find(key); old != known.end()) {
            resolved.value = old->second;
            return resolved;
        }
    }
    const auto value = valueFor(point, *workload, *found, multiple.factor * *cache);
    if (!value)
        return at(value.error());
    resolved.value = *value;
    const std::lock_guard lock(mutex);
    if (known.size() >= kMostKnown)
        known.clear();
    known.emplace(key, *value);
    return resolved;
}

Settings multiplesOf(const Plan& plan, const PointSpec& point)
{
    Settings found;
    const WorkloadInfo* workload = findWorkload(point.workload.name);
    if (!workload)
        return found;
    for (const OptionSpec& option : workload->options) {
        // What the point has it from: its cases, else [set], else the workload's own parameters.
        const Value* written = nullptr;
        const auto take = [&](const Settings& settings, const std::string& key) {
            if (const auto given = settings.find(key); given != settings.end())
                written = &given->second;
        };
        const std::string key = "workload." + option.name;
        take(plan.workload.params, option.name);
        take(plan.set, key);
        for (const Axis& axis : plan.axes) {
            for (const Case& one : axis.cases) {
                if (std::ranges::find(point.cases, CaseRef{axis.name, one.label}) != point.cases.end())
                    take(one.set, key);
            }
        }
        const Expected<std::optional<DataMultiple>> multiple =
            written ? dataMultipleIn(option, *written) : std::optional<DataMultiple>();
        if (const auto value = point.workload.params.find(option.name);
            multiple && *multiple && value != point.workload.params.end())
            found.insert(*value);
    }
    return found;
}

} // namespace dyno
