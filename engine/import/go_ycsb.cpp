// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Output of go-ycsb (pkg/measurement): a line an operation, again and again with the figures since the start; in the
//! styles plain, table and json.
#include "base/text.h"
#include "import/format.h"
#include "import/text.h"
#include "import/ycsb.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace dyno::import {

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>; //!< heading → value

class GoYcsbParser final : public Parser
{
public:
    explicit GoYcsbParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        if (text.empty())
            return true;
        if (text.front() == '"')
            return property(text);
        if (text.front() == '|' || text.front() == '+')
            return table(text);
        if (text.front() == '[')
            return json(text);
        if (plain(text))
            return true;
        closeBlock();
        constexpr std::string_view kEnd = "Run finished, takes ";
        if (m_finished && (text.starts_with(kEnd) || text.find(" properties ") != std::string_view::npos))
            end(); // the next run
        if (text.starts_with(kEnd)) {
            m_finished = true;
            run().seconds = durationOf(text.substr(kEnd.size())).value_or(kNone);
            return true;
        }
        return text.starts_with("***") || text.starts_with("Using request distribution") || text.starts_with("[");
    }

    //! Of the file, or of one of several runs in it.
    void end() override
    {
        closeBlock();
        if (!m_run)
            return;
        for (const auto& [name, fields] : m_latest)
            total(name, fields);
        Run& to = run();
        if (!m_finished && !to.empty()) {
            to.status = RunStatus::Cut;
            to.reason = "the output ends before go-ycsb's last lines";
        }
        double calls = 0;
        for (const OperationTotal& one : to.operations)
            calls += ycsbIsCall(one.name) && std::isfinite(one.count) ? one.count : 0;
        if (calls > 0)
            to.queries = calls;
        if (!std::isfinite(to.transactions) && calls > 0)
            to.transactions = calls;
        m_run = nullptr;
        m_before.clear();
        m_latest.clear();
        m_last = 0;
        m_finished = false;
    }

private:
    struct Row
    {
        double takes = 0, count = 0;
    };

    Run& run()
    {
        if (!m_run) {
            m_run = &m_collector.begin();
            m_run->clock = Clock::Service;
        }
        return *m_run;
    }

    //! "10.245s", "1m2.5s" as Go writes durations
    static std::optional<double> durationOf(std::string_view text)
    {
        Scan scan(text);
        double seconds = 0;
        bool any = false;
        for (double value = 0; scan.number(value); any = true) {
            if (scan.text("ms"))
                seconds += value / 1000;
            else if (scan.text("h"))
                seconds += value * 3600;
            else if (scan.text("m"))
                seconds += value * 60;
            else if (scan.text("s"))
                seconds += value;
            else
                return std::nullopt;
        }
        return any ? std::optional(seconds) : std::nullopt;
    }

    //! "mysql.user"="root"
    bool property(std::string_view text)
    {
        Scan scan(text);
        std::string_view name, value;
        if (!scan.text("\"") || !scan.until("\"=\"", name) || !scan.until("\"", value))
            return false;
        const std::string key = shown(name, 64);
        if (key.find("pass") != std::string::npos || key.find("user") != std::string::npos)
            return true;
        run().options[key] = parseValue(shown(value));
        if (name == "threadcount")
            run().users = static_cast<int>(std::min<std::uint64_t>(countOf(value).value_or(0), 1'000'000));
        return true;
    }

    //! "READ   - Takes(s): 10.0, Count: 1234, OPS: 123.4, Avg(us): 81, Min(us): 40, Max(us): 900, 50th(us): 75, …"
    bool plain(std::string_view text)
    {
        const std::size_t dash = text.find("- Takes(s):");
        if (dash == std::string_view::npos || dash == 0)
            return false;
        Fields fields;
        for (const std::string_view part : split(text.substr(dash + 1), ',')) {
            const std::size_t colon = part.find(':');
            if (colon == std::string_view::npos)
                return false;
            fields.emplace_back(trimmed(part.substr(0, colon)), trimmed(part.substr(colon + 1)));
        }
        return take(trimmed(text.substr(0, dash)), fields);
    }

    //! "|  READ  |    9.9  | 1234 | …" under "| OPERATION | TAKES(S) | COUNT | …"
    bool table(std::string_view text)
    {
        if (text.front() == '+')
            return true;
        std::vector<std::string_view> cells = split(text.substr(1), '|');
        if (!cells.empty() && cells.back().empty())
            cells.pop_back();
        if (cells.size() < 4)
            return false;
        if (cells[0] == "OPERATION" || cells[0] == "Operation") {
            m_headings.assign(cells.begin(), cells.end());
            return true;
        }
        if (m_headings.size() != cells.size())
            return false;
        Fields fields;
        for (std::size_t i = 1; i < cells.size(); ++i)
            fields.emplace_back(m_headings[i], cells[i]);
        return take(cells[0], fields);
    }

    bool json(std::string_view text)
    {
        const auto rows = nlohmann::json::parse(text, nullptr, false);
        if (!rows.is_array() || rows.empty())
            return false;
        bool understood = false;
        for (const auto& row : rows) {
            if (!row.is_object())
                return false;
            Fields fields;
            std::string name;
            for (const auto& [key, value] : row.items()) {
                const std::string one = value.is_string() ? value.get<std::string>() : value.dump();
                if (key == "Operation")
                    name = one;
                else
                    fields.emplace_back(key, one);
            }
            understood = take(name, fields) || understood;
        }
        closeBlock();
        return understood;
    }

    static double valueOf(const Fields& fields, std::string_view key)
    {
        for (const auto& [name, value] : fields) {
            if (lowered(name) == key)
                return numberOf(trimmed(value)).value_or(kNone);
        }
        return kNone;
    }

    bool take(std::string_view name, const Fields& fields)
    {
        const Row row{valueOf(fields, "takes(s)"), valueOf(fields, "count")};
        if (name.empty() || name.size() > 64 || !wholeOf(row.takes) || !wholeOf(row.count))
            return false;
        const std::string key(name);
        if (m_block.contains(key))
            closeBlock();
        // Figures are since the start: with less than before, they are of the next run.
        if (const auto before = m_before.find(key);
            before != m_before.end() && (row.takes < before->second.takes || row.count < before->second.count))
            end();
        if (m_block.size() >= kMostColumns)
            return false;
        m_block[key] = row;
        m_latest[key] = fields;
        return true;
    }

    //! A round of lines is complete: what is new since the last one is an interval.
    void closeBlock()
    {
        if (m_block.empty())
            return;
        double at = 0, all = 0;
        for (const auto& [name, row] : m_block) {
            at = std::max(at, row.takes);
            if (name != "TOTAL" && ycsbIsCall(name))
                all += row.count - m_before[name].count;
        }
        if (const auto found = m_block.find("TOTAL"); found != m_block.end())
            all = found->second.count - m_before["TOTAL"].count;
        Run& to = run();
        if (at > m_last && all >= 0) {
            to.add({.start = m_last, .seconds = at - m_last, .transactions = all});
            for (const auto& [name, row] : m_block) {
                if (name == "TOTAL")
                    continue;
                const double more = std::max(0.0, row.count - m_before[name].count);
                const bool failed = name.ends_with("_ERROR");
                to.operation(name, ycsbClass(name), failed ? 0 : more, failed ? more : 0);
            }
            m_last = at;
            m_collector.bound(to);
        }
        for (const auto& [name, row] : m_block)
            m_before[name] = row;
        m_block.clear();
    }

    void total(const std::string& name, const Fields& fields)
    {
        Run& to = run();
        const bool all = name == "TOTAL";
        Latency latency;
        const double count = valueOf(fields, "count");
        for (const auto& [key, value] : fields) {
            const std::string heading = lowered(key);
            const double ms = numberOf(trimmed(value)).value_or(kNone) / 1000;
            if (heading == "avg(us)") {
                latency.mean = ms;
            } else if (heading == "max(us)") {
                latency.max = ms;
            } else if (const std::size_t th = heading.find("th(us)"); th != std::string::npos) {
                const auto percent = numberOf(heading.substr(0, th));
                if (percent && !latency.set(*percent, ms))
                    to.figure(fmt::format("{} latency p{}", name, *percent), fmt::format("{}", ms), "ms");
            } else if (heading == "min(us)") {
                to.figure(fmt::format("{} latency min", name), fmt::format("{}", ms), "ms");
            }
        }
        if (all) {
            to.transactions = count;
            to.tps = valueOf(fields, "ops");
            to.latency = latency;
            if (!std::isfinite(to.seconds))
                to.seconds = valueOf(fields, "takes(s)");
            return;
        }
        OperationTotal& one = to.totalOf(name, ycsbClass(name));
        if (name.ends_with("_ERROR")) {
            one.count = 0;
            one.errors = count;
            to.errors = (std::isfinite(to.errors) ? to.errors : 0) + count;
        } else {
            one.count = count;
            one.latency = latency;
        }
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    std::vector<std::string> m_headings;
    std::map<std::string, Row> m_block, m_before;
    std::map<std::string, Fields> m_latest;
    double m_last = 0;
    bool m_finished = false;
};

std::string recognise(const Head& head)
{
    std::string reason = firstLine(head, "a line of go-ycsb", [](std::string_view line) {
        return line.find("- Takes(s): ") != std::string_view::npos &&
               line.find("Avg(us): ") != std::string_view::npos && !line.starts_with("[");
    });
    if (!reason.empty())
        return reason;
    return firstLine(head, "a table or an array of go-ycsb", [](std::string_view line) {
        return (line.starts_with("|") && line.find("TAKES(S)") != std::string_view::npos) ||
               (line.starts_with("[{") && line.find("\"Takes(s)\"") != std::string_view::npos);
    });
}

} // namespace

Format goYcsb()
{
    return {.info = {"go-ycsb", "go-ycsb output", "What go-ycsb prints, in the styles plain, table and json"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "go-ycsb";
                collector.origin.sample = "call";
                collector.origin.precision = "±0.1 % (HdrHistogram, 1 µs to 24 h)";
                collector.origin.warmup = "left out if warmuptime was given";
                collector.note("latencies are told since the start: only the last ones are figures of the run");
                return std::make_unique<GoYcsbParser>(collector);
            }};
}

} // namespace dyno::import
