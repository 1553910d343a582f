// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/prometheus/exporter_monitor.h"

#include "monitor/prometheus/exporter_client.h"
#include "monitor/prometheus/exposition_parser.h"
#include "monitor/prometheus/range_answer.h"

#include <dyno/visible_text.h>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <unordered_map>

namespace dyno {

namespace {

constexpr std::int64_t kPaceNs = 1'000'000'000;

bool isWanted(const ExpositionSample& sample, const std::vector<std::string>& include)
{
    return include.empty() || std::ranges::any_of(include, [&sample](const std::string& pattern) {
               return matchesPattern(sample.name, pattern) || matchesPattern(sample.series, pattern);
           });
}

//! An exporter as a monitor asks a server. Of a server's other questions it answers none.
class ExporterAdmin final : public Admin
{
public:
    ExporterAdmin(const std::string& url, const std::shared_ptr<std::atomic<bool>>& unwanted,
                  std::shared_ptr<const ExporterSeries> found)
        : m_client(url, [unwanted] { return unwanted->load(); })
        , m_found(std::move(found))
    {
        for (std::size_t i = 0; i < m_found->series.size(); ++i)
            m_wanted.emplace(m_found->series[i], i);
    }
    Expected<void> execute(std::string_view) override { return refused(); }
    Expected<TextRows> query(std::string_view) override { return refused(); }
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return refused(); }
    Expected<ServerFacts> facts() override { return refused(); }
    Expected<std::string> variable(std::string_view) override { return refused(); }
    Expected<void> setVariable(std::string_view, const Value&) override { return refused(); }
    //! Always the same: an answer is read by the names of the series.
    std::vector<CounterInfo> counters() override { return m_found->counters; }
    Expected<std::vector<double>> counterValues() override
    {
        const auto text = m_client.fetch();
        if (!text)
            return tl::unexpected(text.error());
        const auto samples = readExposition(*text);
        if (!samples)
            return tl::unexpected(samples.error());
        std::vector<double> told(m_found->series.size(), std::numeric_limits<double>::quiet_NaN());
        for (const ExpositionSample& sample : *samples) {
            if (const auto wanted = m_wanted.find(sample.series); wanted != m_wanted.end())
                told[wanted->second] = sample.value;
        }
        return told;
    }

private:
    static tl::unexpected<Error> refused()
    {
        return fail({ErrorKind::Refused, "an exporter has metrics and nothing else", {}, {}});
    }

    ExporterClient m_client;
    std::shared_ptr<const ExporterSeries> m_found;
    std::unordered_map<std::string_view, std::size_t> m_wanted; //!< places among its series
};

} // namespace

bool matchesPattern(std::string_view text, std::string_view pattern)
{
    // Where the last star stood, and what it has taken so far: never more than text × pattern steps.
    std::size_t at = 0, in = 0, star = std::string_view::npos, taken = 0;
    while (at < text.size()) {
        if (in < pattern.size() && pattern[in] == '*') {
            star = in++;
            taken = at;
        } else if (in < pattern.size() && pattern[in] == text[at]) {
            ++in;
            ++at;
        } else if (star != std::string_view::npos) {
            in = star + 1;
            at = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in) == std::string_view::npos;
}

Expected<ExporterSeries> seriesOf(const ExporterAddress& exporter, std::function<bool()> enough)
{
    ExporterClient client(exporter.url, std::move(enough));
    const auto text = client.fetch();
    if (!text)
        return tl::unexpected(text.error());
    const auto samples = readExposition(*text);
    if (!samples)
        return tl::unexpected(samples.error());
    ExporterSeries found;
    for (const ExpositionSample& sample : *samples) {
        if (!isWanted(sample, exporter.include))
            continue;
        ++found.matching;
        const bool tooLong = sample.series.size() > ExporterSeries::kLongestName;
        found.tooLong += tooLong ? 1 : 0;
        if (tooLong || found.series.size() >= ExporterSeries::kMost)
            continue;
        found.counters.push_back({exporter.name, visibleText(sample.series), unitOfMetric(sample.name), sample.counts});
        found.series.emplace_back(sample.series);
    }
    if (found.series.empty())
        return fail({ErrorKind::Failed,
                     found.tooLong > 0
                         ? fmt::format("its series have names of more than {} bytes", ExporterSeries::kLongestName)
                         : std::string("no series matches the patterns"),
                     {},
                     {}});
    return found;
}

std::unique_ptr<CounterMonitor> monitorOf(const ExporterAddress& exporter, const ExporterSeries& series)
{
    auto found = std::make_shared<const ExporterSeries>(series);
    auto unwanted = std::make_shared<std::atomic<bool>>(false);
    const CounterMonitor::Teller teller{fmt::format("the exporter \"{}\"", exporter.name), CounterRates::Resets::Apart,
                                        kPaceNs, unwanted};
    return std::make_unique<CounterMonitor>(
        series.counters,
        [url = exporter.url, unwanted, found]() -> Expected<std::unique_ptr<Admin>> {
            return std::make_unique<ExporterAdmin>(url, unwanted, found);
        },
        teller);
}

} // namespace dyno
