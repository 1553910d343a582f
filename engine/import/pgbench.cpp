// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What pgbench prints: progress lines (--progress) and its summary (src/bin/pgbench/pgbench.c).
#include "import/format.h"
#include "import/text.h"

#include <fmt/format.h>

namespace dyno::import {

namespace {

class PgbenchParser final : public Parser
{
public:
    explicit PgbenchParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        return text.empty() || progress(text) || banner(text) || script(text) || figure(text) || known(text);
    }

    void end() override { close(); }

private:
    Run& run()
    {
        if (!m_run)
            m_run = &m_collector.begin();
        return *m_run;
    }

    void close()
    {
        if (m_run && !m_run->empty() && !m_reported) {
            m_run->status = RunStatus::Cut;
            m_run->reason = "the output ends before pgbench's summary";
        }
        m_run = nullptr;
        m_reported = m_script = false;
        m_last = m_zero = 0;
    }

    //! "progress: 5.0 s, 1234.5 tps, lat 3.2 ms stddev 0.5, 0 failed, lag 0.1 ms, 3 skipped, 1 retried, 1 retries"
    bool progress(std::string_view text)
    {
        Scan scan(text);
        double at = 0, tps = 0, mean = 0, value = 0;
        if (!scan.text("progress:") || !scan.number(at) || !scan.text("s,") || !scan.number(tps) || !scan.text("tps"))
            return false;
        if (m_reported)
            close();
        constexpr double kEpoch = 1e8, kLatest = 1e11; // --progress-timestamp: seconds since 1970
        if (at > kLatest)
            return false;
        Run& to = run();
        if (at > kEpoch && m_zero == 0) {
            m_zero = at; // the first interval's beginning is not told
            to.startedMs = std::llround(at * 1000);
            return true;
        }
        const double end = at - m_zero;
        if (end <= m_last && m_last > 0 && !to.empty()) {
            close(); // back in time: another run
            return progress(text);
        }
        const double seconds = end - m_last;
        if (!(seconds > 0))
            return false;
        if (to.size() == 1)
            to.firstBegan(m_last - seconds, true);
        Interval interval{.start = m_last, .seconds = seconds, .users = to.users, .transactions = tps * seconds};
        // An interval without a transaction says "lat NaN" or 0.
        const bool measured = scan.text(", lat") && scan.number(mean) && scan.text("ms") && tps > 0;
        double deviation = kNone, lag = kNone;
        if (scan.text("stddev") && !scan.number(deviation))
            (void)scan.text("NaN");
        while (scan.text(",")) {
            if (scan.text("lag")) {
                if (!scan.number(lag) || !scan.text("ms"))
                    break;
            } else if (!scan.number(value)) {
                break;
            } else if (scan.text("failed")) {
                interval.errors = value;
            } else if (scan.text("skipped")) {
                interval.dropped = value;
            } else if (scan.text("retried")) {
                interval.retried = value;
            } else {
                (void)scan.text("retries");
            }
        }
        to.add(interval);
        m_last = end;
        if (measured)
            to.stated("latency mean", "ms", mean, Fold::Mean);
        if (measured && std::isfinite(deviation))
            to.stated("latency standard deviation", "ms", deviation, Fold::Highest);
        if (std::isfinite(lag)) {
            to.clock = Clock::Response;
            to.stated("schedule lag mean", "ms", lag, Fold::Mean);
        }
        m_collector.bound(to);
        return true;
    }

    bool banner(std::string_view text)
    {
        constexpr std::string_view kTool = "pgbench (";
        if (!text.starts_with(kTool))
            return false;
        if (m_run && (m_reported || !m_run->empty()))
            close();
        if (m_collector.origin.version.empty()) {
            std::string_view version = text.substr(kTool.size());
            if (version.starts_with("PostgreSQL) "))
                version.remove_prefix(12);
            version = version.substr(0, version.find_first_of(" ,)"));
            m_collector.origin.version = shown(version, 32);
        }
        if (const std::size_t server = text.find("server "); server != std::string_view::npos) {
            run().product = "PostgreSQL";
            const std::string_view version = text.substr(server + 7);
            run().productVersion = shown(version.substr(0, version.find_first_of(" )")), 32);
        }
        return true;
    }

    //! Figures of one of several scripts follow.
    bool script(std::string_view text)
    {
        if (text.starts_with("SQL script ") && text.find(": ") != std::string_view::npos) {
            m_script = true;
            m_scriptName = shown(text.substr(text.find(": ") + 2), 60);
            return true;
        }
        if (!text.starts_with("- "))
            return false;
        text = trimmed(text.substr(2));
        double value = 0;
        Scan scan(text);
        if (scan.number(value) && scan.text("transactions (")) {
            run().totalOf(m_scriptName, OpClass::Other).count = value;
        } else if (Scan mean(text); mean.text("latency average =") && mean.number(value)) {
            run().totalOf(m_scriptName, OpClass::Other).latency.mean = value;
        } else {
            run().figure(fmt::format("{}: {}", m_scriptName, text.substr(0, text.find_first_of("=:"))),
                         text.substr(std::min(text.size(), text.find_first_of("=:") + 1)));
        }
        return true;
    }

    bool figure(std::string_view text)
    {
        const std::size_t at = text.find_first_of(":=");
        if (at == std::string_view::npos)
            return false;
        const std::string_view name = trimmed(text.substr(0, at));
        const std::string_view rest = trimmed(text.substr(at + 1));
        Scan scan(rest);
        double value = kNone;
        const bool number = scan.number(value);
        if (name == "transaction type") {
            if (m_reported)
                close();
            run().workload = shown(rest, 60);
            return true;
        }
        if (m_script)
            return false;
        Run& to = run();
        if (name == "number of clients" && number) {
            to.users = static_cast<int>(std::min(value, 1e7));
        } else if (name == "number of transactions actually processed" && number) {
            m_reported = true;
            to.transactions = value;
        } else if (name == "number of failed transactions" && number) {
            to.failed = value;
        } else if (name == "number of transactions retried" && number) {
            to.retried = value;
        } else if (name == "number of transactions skipped" && number) {
            to.dropped = value;
            to.clock = Clock::Response;
        } else if (name == "duration" && number) {
            to.seconds = value;
        } else if (name == "latency average" && number) {
            m_reported = true;
            to.latency.mean = value;
            if (to.clock == Clock::NotTold)
                to.clock = Clock::Service;
        } else if (name == "tps" && number) {
            m_reported = true;
            // Before 14 there are two lines: the one without the time of connecting is what later versions print, but
            // for those with -C, which print one with "(including reconnection times)".
            if (rest.find("including connections establishing") == std::string_view::npos)
                to.tps = value;
            else
                to.figure("tps including connecting", fmt::format("{}", value), "1/s");
        } else if (name == "rate limit schedule lag") {
            to.clock = Clock::Response;
            to.figure(name, rest);
        } else if (name == "latency stddev" || name == "initial connection time" || name == "average connection time" ||
                   name.starts_with("number of transactions above") || name == "total number of retries" ||
                   name.starts_with("number of serialization") || name.starts_with("number of deadlock")) {
            to.figure(name, rest);
        } else if (name == "scaling factor" || name == "query mode" || name == "number of threads" ||
                   name == "maximum number of tries" || name == "number of transactions per client" ||
                   name == "partition method" || name == "partitions") {
            to.options[std::string(name)] = parseValue(shown(rest, 60));
        } else {
            return false;
        }
        return true;
    }

    static bool known(std::string_view text)
    {
        return text.starts_with("starting vacuum") || text.starts_with("pgbench: ");
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    std::string m_scriptName;
    double m_last = 0, m_zero = 0;
    bool m_reported = false, m_script = false;
};

std::string recognise(const Head& head)
{
    std::string reason = firstLine(head, "a progress line of pgbench", [](std::string_view line) {
        return line.starts_with("progress: ") && line.find(" tps, lat ") != std::string_view::npos;
    });
    if (!reason.empty())
        return reason;
    reason = firstLine(head, "pgbench's banner", [](auto line) { return line.starts_with("pgbench ("); });
    if (!reason.empty())
        return reason;
    return firstLine(head, "of pgbench's summary", [](std::string_view line) {
        return line.starts_with("number of transactions actually processed: ") ||
               line.starts_with("transaction type: ");
    });
}

} // namespace

Format pgbench()
{
    return {.info = {"pgbench", "pgbench output", "What pgbench prints: progress lines and summary"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "pgbench";
                collector.origin.sample = "transaction (a script)";
                collector.origin.precision = "exact mean; no percentiles in this output (pgbench -l has them)";
                collector.origin.warmup = "included";
                return std::make_unique<PgbenchParser>(collector);
            }};
}

} // namespace dyno::import
