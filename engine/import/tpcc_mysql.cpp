// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Output of tpcc_start of tpcc-mysql (src/main.c). Times are milliseconds, whatever its README says.
#include "import/format.h"
#include "import/text.h"

#include <array>
#include <fmt/format.h>

namespace dyno::import {

namespace {

constexpr std::array<std::string_view, 5> kTransactions = {"New-Order", "Payment", "Order-Status", "Delivery",
                                                           "Stock-Level"};

class TpccParser final : public Parser
{
public:
    explicit TpccParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        return text.empty() || interval(text) || result(text) || option(text) || total(text) || known(text);
    }
    void end() override
    {
        if (m_run && !m_run->empty() && !m_reported) {
            m_run->status = RunStatus::Cut;
            m_run->reason = "the log ends before tpcc-mysql's result";
        }
        m_run = nullptr;
        m_last = 0;
        m_reported = false;
    }

private:
    Run& current()
    {
        if (!m_run)
            m_run = &m_collector.begin();
        return *m_run;
    }

    //! What comes now is said before a run measures: another run begins if this one has.
    void beforeRun()
    {
        if (m_run && (m_reported || !m_run->empty()))
            end();
    }

    //! "  10, trx: 12920, 95%: 9.483, 99%: 18.738, max_rt: 213.169, 12919|98.778, 1292|101.096, 1293|443.955,
    //! 1293|670.842"
    bool interval(std::string_view text)
    {
        Scan scan(text);
        double at = 0;
        std::array<double, 5> counts{}, longest{};
        double p95 = 0, p99 = 0;
        // the sign of percent is missing in some versions
        const auto percentile = [&scan](const char* name, double& value) {
            if (!scan.text(name))
                return false;
            (void)scan.text("%");
            return scan.text(":") && scan.number(value);
        };
        if (!scan.number(at) || !scan.text(", trx:") || !scan.number(counts[0]) || !percentile(", 95", p95) ||
            !percentile(", 99", p99) || !scan.text(", max_rt:") || !scan.number(longest[0]))
            return false;
        for (std::size_t i = 1; i < counts.size(); ++i) {
            if (!scan.text(",") || !scan.number(counts[i]) || !scan.text("|") || !scan.number(longest[i]))
                return false;
        }
        if (at <= m_last && m_run && !m_run->empty())
            end(); // back in time: another run
        if (at <= m_last)
            return false;
        Run& run = current();
        if (run.size() == 1)
            run.firstBegan(m_last - (at - m_last), false);
        double all = 0;
        for (const double count : counts)
            all += count;
        run.clock = Clock::Service;
        run.add({.start = m_last, .seconds = at - m_last, .users = run.users, .transactions = all});
        m_last = at;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            run.operation(kTransactions[i], i == 2 || i == 4 ? OpClass::Read : OpClass::Write, counts[i]);
            if (counts[i] > 0)
                run.stated(fmt::format("{} latency max", kTransactions[i]), "ms", longest[i], Fold::Highest);
        }
        if (counts[0] > 0) {
            run.latencyPercentile(95, p95, kTransactions[0]);
            run.latencyPercentile(99, p99, kTransactions[0]);
        }
        m_collector.bound(run);
        return true;
    }

    //! "  [0] sc:100589  lt:0  rt:0  fl:0 avg_rt: 24.5 (5)": the first block has all figures, the second is its check
    //! sum.
    bool result(std::string_view text)
    {
        Scan scan(text);
        std::uint64_t index = 0;
        double ok = 0, late = 0, retried = 0, failed = 0, mean = kNone;
        if (!scan.text("[") || !scan.count(index) || index >= kTransactions.size() || !scan.text("]") ||
            !scan.text("sc:") || !scan.number(ok) || !scan.text("lt:") || !scan.number(late) || !scan.text("rt:") ||
            !scan.number(retried) || !scan.text("fl:") || !scan.number(failed))
            return false;
        if (scan.text("avg_rt:") && !scan.number(mean))
            mean = kNone;
        Run& run = current();
        m_reported = true;
        run.clock = Clock::Service;
        OperationTotal& total =
            run.totalOf(kTransactions[index], index == 2 || index == 4 ? OpClass::Read : OpClass::Write);
        if (std::isfinite(total.count))
            return true;
        total.count = ok + late; // both were committed; "late" took longer than the limit
        total.errors = failed;
        if (std::isfinite(mean) && ok + late > 0)
            total.latency.mean = mean;
        const auto sum = [](double& to, double more) { to = (std::isfinite(to) ? to : 0) + more; };
        sum(run.transactions, ok + late);
        sum(run.retried, retried);
        sum(run.failed, failed);
        return true;
    }

    bool total(std::string_view text)
    {
        Scan scan(text);
        double value = 0;
        if (scan.number(value) && scan.text("TpmC")) {
            current().figure("New-Order transactions a minute, as the tool prints them (\"TpmC\")",
                             fmt::format("{}", value), "1/min");
            return true;
        }
        return false;
    }

    bool option(std::string_view text)
    {
        Scan scan(text);
        std::string_view name, value;
        if (scan.text("option ")) {
            const std::size_t at = text.find("value '");
            if (at == std::string_view::npos)
                return false;
            std::string_view flag = trimmed(scan.rest().substr(0, scan.rest().find("with")));
            value = text.substr(at + 7);
            value = value.substr(0, value.find('\''));
            beforeRun();
            // -p is the password
            if (flag != "p" && flag != "u" && !flag.empty())
                current().options[fmt::format("-{}", shown(flag, 8))] = shown(value);
            return true;
        }
        if (!text.starts_with("[") || !Scan(text.substr(1)).until("]:", name))
            return false;
        name = trimmed(name);
        value = trimmed(text.substr(text.find("]:") + 2));
        if (name != "connection" && name != "warehouse" && name != "rampup" && name != "measure")
            return name == "server" || name == "port" || name == "DBname" || name == "user" || name == "pass";
        beforeRun();
        Run& run = current();
        if (name == "connection")
            run.users = static_cast<int>(std::min<std::uint64_t>(countOf(value).value_or(0), 1'000'000));
        else if (name == "warehouse")
            run.options["warehouses"] = parseValue(shown(value));
        else
            run.options[std::string(name)] = shown(value);
        if (name == "measure") {
            double seconds = 0;
            if (Scan(value).number(seconds) && seconds > 0)
                run.seconds = seconds;
        }
        return true;
    }

    bool known(std::string_view text)
    {
        if (text.find("###easy###") != std::string_view::npos)
            beforeRun();
        for (const std::string_view one : {"***", "###", "RAMP-UP", "MEASURING START", "STOPPING THREADS", "<",
                                           "(all must be", "[transaction", "Payment:", "Order-Status:", "Delivery:",
                                           "Stock-Level:", "New-Order:", "[response time", "response time"}) {
            if (text.starts_with(one))
                return true;
        }
        // the check of response times: "New-Order: 100.00%  [OK]"
        return text.find("[OK]") != std::string_view::npos || text.find("[NG]") != std::string_view::npos;
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    double m_last = 0;
    bool m_reported = false;
};

std::string recognise(const Head& head)
{
    std::string reason = firstLine(head, "an interval line of tpcc-mysql", [](std::string_view line) {
        Scan scan(line);
        double ignored = 0;
        return scan.number(ignored) && scan.text(", trx:") && scan.number(ignored) && scan.text(", 95");
    });
    if (!reason.empty())
        return reason;
    return firstLine(head, "tpcc-mysql's banner", [](std::string_view line) {
        return line.find("TPC-C") != std::string_view::npos && line.find("easy") != std::string_view::npos;
    });
}

} // namespace

Format tpccMysql()
{
    return {.info = {"tpcc-mysql", "tpcc-mysql output", "What tpcc_start prints: an interval a line, then the result"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "tpcc-mysql";
                collector.origin.sample = "transaction (percentiles of New-Order only)";
                collector.origin.precision = "logarithmic buckets, about ±1 %";
                collector.origin.warmup = "left out (-r)";
                return std::make_unique<TpccParser>(collector);
            }};
}

} // namespace dyno::import
