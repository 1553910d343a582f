// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Output of iibench.py (mdcallag/mytools) and of iibench-mongodb (tmcallaghan): tables of tabs with a heading.
#include "import/format.h"
#include "import/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::import {

namespace {

class IibenchParser final : public Parser
{
public:
    explicit IibenchParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        const std::vector<std::string_view> fields = words(text);
        if (fields.empty())
            return true;
        if (isHeading(fields)) {
            if (!m_columns.empty() && m_collector.hasRun() && !m_collector.run().empty())
                m_collector.begin(); // the next user or step
            m_columns.assign(fields.begin(), fields.end());
            m_last = m_inserted = m_retried = 0;
            return true;
        }
        if (fields.front() == "Insert" || fields.front() == "Query" || fields.front() == "Delete") {
            // "Insert rt: 256us:…": buckets four times as wide as the last: no percentile can be told from them
            m_collector.run().figure(fmt::format("{} response time, buckets", fields.front()), text);
            return fields.size() > 1 && fields[1].starts_with("rt");
        }
        if (fields.size() < m_columns.size() || m_columns.empty())
            return false;
        std::vector<double> values;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const auto value = looseNumberOf(fields[i], false);
            if (!value)
                return false;
            values.push_back(*value);
        }
        return m_columns.front() == "i_sec" ? python(values) : mongo(values);
    }

    static bool isHeading(const std::vector<std::string_view>& fields)
    {
        return fields.front() == "i_sec" || fields.front() == "tot_inserts";
    }

private:
    [[nodiscard]] double at(const std::vector<double>& values, std::string_view column) const
    {
        const auto found = std::ranges::find(m_columns, column);
        return found == m_columns.end() ? kNone : values[static_cast<std::size_t>(found - m_columns.begin())];
    }

    bool python(const std::vector<double>& values)
    {
        const double seconds = at(values, "i_sec"), until = at(values, "t_sec");
        const auto counted = [&](const char* column) {
            const double rate = at(values, column);
            return std::isfinite(rate) && rate > 0 ? rate * seconds : 0;
        };
        if (!(seconds > 0) || !(until >= seconds) || until < m_last)
            return false;
        m_last = until;
        Run& run = m_collector.run();
        run.clock = Clock::Service;
        const double inserts = counted("i_ips"), deletes = counted("i_dps"), queries = counted("i_qps");
        const double retried = [&] {
            double sum = 0;
            for (const char* column : {"retry_i", "retry_d", "retry_q"})
                sum += std::isfinite(at(values, column)) ? at(values, column) : 0;
            return sum;
        }();
        run.add({.start = until - seconds,
                 .seconds = seconds,
                 .retried = std::max(0.0, retried - m_retried),
                 .rows = inserts + deletes});
        m_retried = std::max(m_retried, retried);
        run.operation("insert (rows)", OpClass::Write, inserts);
        run.operation("delete (rows)", OpClass::Write, deletes);
        run.operation("query", OpClass::Read, queries);
        for (const auto& [column, name] :
             {std::pair{"max_i", "insert statement latency max"}, std::pair{"max_d", "delete statement latency max"},
              std::pair{"max_q", "query latency max"}}) {
            if (const double us = at(values, column); std::isfinite(us) && us > 0)
                run.stated(name, "ms", us / 1000, Fold::Highest);
        }
        m_collector.bound(run);
        return true;
    }

    bool mongo(const std::vector<double>& values)
    {
        const double inserted = at(values, "tot_inserts"), until = at(values, "elap_secs");
        const double seconds = until - m_last;
        if (!(seconds > 0) || !(inserted >= m_inserted))
            return false;
        Run& run = m_collector.run();
        run.clock = Clock::Service;
        run.add({.start = m_last, .seconds = seconds, .rows = inserted - m_inserted});
        run.operation("insert (rows)", OpClass::Write, inserted - m_inserted);
        if (const double perMinute = at(values, "int_qpm"); std::isfinite(perMinute) && perMinute >= 0)
            run.operation("query", OpClass::Read, perMinute / 60 * seconds);
        if (const double ms = at(values, "int_qry_avg"); ms > 0)
            run.stated("query latency mean", "ms", ms, Fold::Mean);
        m_last = until;
        m_inserted = inserted;
        m_collector.bound(run);
        return true;
    }

    Collector& m_collector;
    std::vector<std::string> m_columns;
    double m_last = 0, m_inserted = 0, m_retried = 0;
};

} // namespace

Format iibench()
{
    return {.info = {"iibench", "iibench output", "The table that iibench.py or iibench-mongodb prints"},
            .recognise =
                [](const Head& head) {
                    return firstLine(head, "the heading of iibench's table", [](std::string_view line) {
                        const auto fields = words(line);
                        return fields.size() >= 5 && ((fields[0] == "i_sec" && fields[1] == "t_sec") ||
                                                      (fields[0] == "tot_inserts" && fields[1] == "elap_secs"));
                    });
                },
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "iibench";
                collector.origin.sample = "statement (an insert is of many rows)";
                collector.origin.precision = "longest of each interval in µs; no percentiles";
                collector.origin.warmup = "included";
                return std::make_unique<IibenchParser>(collector);
            }};
}

} // namespace dyno::import
