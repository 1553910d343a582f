// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! HammerDB's log, its time profiles (xtprof, etprof) and its transaction counter.
#include "import/hammerdb.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace dyno::import {

void describeHammer(Collector& collector)
{
    collector.origin.tool = "HammerDB";
    collector.origin.sample = "call of a procedure";
    collector.origin.precision = "exact up to 10 000 calls of each user, sampled beyond";
    collector.origin.warmup = "included in the time profile, left out of NOPM and TPM";
}

void setHammerResult(Collector& collector, Run& run, double nopm, double tpm, std::string_view database)
{
    run.figure("NOPM (new orders a minute)", fmt::format("{}", nopm), "1/min");
    run.figure("TPM (transactions of the server a minute)", fmt::format("{}", tpm), "1/min");
    run.tps = tpm / 60;
    if (run.product.empty())
        run.product = shown(database, 40);
    collector.note(
        "transactions a second are TPM / 60: commits and rollbacks that the server counted, of all its sessions");
}

bool HammerProfile::line(std::string_view text)
{
    if (text.starts_with(">>>>>"))
        text = trimmed(text.substr(5));
    Scan scan(text);
    double value = 0;
    if (text.starts_with("VIRTUAL USER ")) {
        m_summary = false;
        ++m_users;
        return true;
    }
    if (text.starts_with("SUMMARY OF ")) {
        m_summary = true;
        m_hasSummary = true;
        if (Scan users(text.substr(11)); users.number(value))
            m_activeUsers = static_cast<int>(std::min(value, 1e6));
        return true;
    }
    if (scan.text("PROC:")) {
        m_procedure = shown(trimmed(scan.rest()), 64);
        return true;
    }
    if (m_procedure.empty() || !(text.starts_with("CALLS:") || text.starts_with("P99:")))
        return false;
    Call& call = (m_summary ? m_all : m_single)[m_procedure];
    Call part;
    for (std::string_view name; scan.until(":", name);) {
        if (!scan.number(value))
            return false;
        name = trimmed(name);
        (void)(scan.text("ms") || scan.text("%"));
        if (name == "CALLS")
            part.calls = value;
        else if (name == "AVG")
            part.latency.mean = value;
        else if (name == "MAX")
            part.latency.max = value;
        else if (name.size() > 1 && name.front() == 'P')
            part.percentiles.emplace_back(numberOf(name.substr(1)).value_or(0), value);
    }
    if (text.starts_with("CALLS:")) {
        // users add up: their counts and means do, their percentiles do not
        const double calls = call.calls + part.calls;
        if (calls > 0) {
            const double before = call.calls > 0 ? call.latency.mean * call.calls : 0;
            call.latency.mean = (before + part.latency.mean * part.calls) / calls;
            call.latency.max = call.calls > 0 ? std::max(call.latency.max, part.latency.max) : part.latency.max;
        }
        call.calls = calls;
        return true;
    }
    call.percentiles = part.percentiles;
    return true;
}

bool HammerProfile::beginsAnew(std::string_view text) const
{
    return !m_all.empty() && text.starts_with(">>>>>") &&
           (text.find(" VIRTUAL USER ") != std::string_view::npos ||
            text.find(" SUMMARY OF ") != std::string_view::npos);
}

void HammerProfile::finish(Collector& collector, Run& run)
{
    const auto& calls = m_hasSummary ? m_all : m_single;
    if (calls.empty())
        return;
    run.clock = Clock::Service;
    if (run.users == 0)
        run.users = m_activeUsers;
    const bool percentiles = m_hasSummary || m_users <= 1;
    if (!percentiles)
        collector.note("percentiles of single users cannot be put together: they are only in the original");
    for (const auto& [name, call] : calls) {
        OperationTotal& one = run.totalOf(name, hammerClass(name));
        one.count = call.calls;
        one.latency.mean = call.latency.mean;
        one.latency.max = call.latency.max;
        for (const auto& [percent, ms] : call.percentiles) {
            if (percentiles && !one.latency.set(percent, ms))
                run.figure(fmt::format("{} p{}", name, percent), fmt::format("{}", ms), "ms");
        }
    }
}

OpClass hammerClass(std::string_view procedure)
{
    return procedure.starts_with("SLEV") || procedure.starts_with("OSTAT") || procedure.starts_with("slev") ||
                   procedure.starts_with("ostat")
               ? OpClass::Read
               : OpClass::Write;
}

namespace {

class HammerParser final : public Parser
{
public:
    explicit HammerParser(Collector& collector)
        : m_collector(collector)
    {
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        if (text.empty() || text.starts_with("+-+-"))
            return true;
        std::uint64_t user = 0;
        if (Scan scan(text); scan.text("Vuser") && scan.count(user) && scan.text(":"))
            text = trimmed(scan.rest());
        // Logs are written on, each part under a heading of its own: "Hammerdb Log @ …", "… Counter Log @ …"
        if ((text.starts_with("Hammerdb ") && text.find(" Log @ ") != std::string_view::npos) ||
            m_profile.beginsAnew(text))
            end();
        return text.empty() || result(text) || counter(text) || option(text) || etprof(text) || m_profile.line(text) ||
               known(text);
    }

    //! Of the file, or of one of several runs in it.
    void end() override
    {
        if (m_run || !m_profile.empty()) {
            Run& run = current();
            m_profile.finish(m_collector, run);
            for (const auto& [name, figures] : m_last)
                total(run, name, figures);
        }
        m_run = nullptr;
        m_profile = HammerProfile();
        m_last.clear();
        m_at = -1;
        m_elapsed = 0;
        m_began = 0;
        m_resulted = m_interval = false;
    }

private:
    bool result(std::string_view text)
    {
        constexpr std::string_view kResult = "TEST RESULT : System achieved ";
        const std::size_t at = text.find(kResult);
        if (at == std::string_view::npos)
            return false;
        const std::vector<std::string_view> parts = words(text.substr(at + kResult.size()));
        // "53 NOPM from 399 PostgreSQL TPM" or "399 PostgreSQL TPM at 53 NOPM"
        const auto number = [&parts](std::size_t i) { return i < parts.size() ? numberOf(parts[i]) : std::nullopt; };
        std::string database;
        const auto between = [&](std::size_t from) {
            for (std::size_t i = from; i < parts.size() && parts[i] != "TPM"; ++i)
                database += (database.empty() ? "" : " ") + std::string(parts[i]);
        };
        Run& run = nextRun();
        if (parts.size() > 4 && parts[1] == "NOPM" && number(0) && number(3)) {
            between(4);
            setHammerResult(m_collector, run, *number(0), *number(3), database);
        } else if (parts.size() > 5 && parts.back() == "NOPM" && number(0) && number(parts.size() - 2)) {
            between(1);
            setHammerResult(m_collector, run, *number(parts.size() - 2), *number(0), database);
        } else {
            return false;
        }
        m_resulted = true;
        return true;
    }

    Run& current()
    {
        if (!m_run)
            m_run = &m_collector.begin();
        return *m_run;
    }

    //! A log of the autopilot has several tests.
    Run& nextRun()
    {
        if (m_resulted)
            end();
        return current();
    }

    //! "1630290 MSSQLServer tpm @ Fri Jul 05 09:55:26 BST 2019"
    bool counter(std::string_view text)
    {
        const std::vector<std::string_view> parts = words(text);
        const auto at = std::ranges::find(parts, "@");
        if (parts.size() < 5 || at == parts.end() || at - parts.begin() < 2 || *(at - 1) != "tpm" ||
            !numberOf(parts[0]))
            return false;
        for (auto part = at; part != parts.end(); ++part) {
            const auto fields = split(*part, ':');
            if (fields.size() != 3 || !countOf(fields[0]) || !countOf(fields[1]) || !countOf(fields[2]))
                continue;
            const double second = double(*countOf(fields[0]) * 3600 + *countOf(fields[1]) * 60 + *countOf(fields[2]));
            Run& run = current();
            double length = second - m_at;
            if (length < 0)
                length += 86400; // past midnight
            if (m_at >= 0 && length > 0) {
                run.add({.start = m_elapsed, .seconds = length, .transactions = *numberOf(parts[0]) / 60 * length});
                m_elapsed += length;
                m_collector.bound(run);
            }
            m_at = second;
            return true;
        }
        return false;
    }

    bool option(std::string_view text)
    {
        constexpr std::string_view kTool = "HammerDB-";
        const std::vector<std::string_view> parts = words(text);
        if (const std::size_t at = text.find(kTool);
            at != std::string_view::npos && m_collector.origin.version.empty()) {
            const std::string_view rest = text.substr(at + kTool.size());
            m_collector.origin.version = shown(rest.substr(0, rest.find_first_of(" \t,")), 16);
            return true;
        }
        // "4 Active Virtual Users configured", "MySQL Version 8.0"
        if (parts.size() >= 4 && parts[1] == "Active" && parts[2] == "Virtual" && countOf(parts[0])) {
            nextRun().users = static_cast<int>(std::min<std::uint64_t>(*countOf(parts[0]), 1'000'000));
            return true;
        }
        if (text.starts_with("Beginning rampup time of ")) {
            if (parts.size() > 4)
                nextRun().options["rampup_minutes"] = parseValue(shown(parts[4]));
            return true;
        }
        if (text.starts_with("Timing test period of ")) {
            // "Timing test period of 5 in minutes"
            if (parts.size() > 4 && numberOf(parts[4]))
                nextRun().seconds = *numberOf(parts[4]) * 60;
            return true;
        }
        return false;
    }

    //! "|neword|MIN-391|P50%-685|P95%-1286|P99%-3298|MAX-246555|SAMPLES-3603", microseconds, of one user
    bool etprof(std::string_view text)
    {
        if (!text.starts_with("|"))
            return false;
        const std::vector<std::string_view> parts = split(text.substr(1), '|');
        if (parts.size() == 1 && parts[0].starts_with("PERCENTILES")) {
            const auto range = parts[0].substr(11);
            const std::size_t to = range.find(" to ");
            const auto from = timeOf(range.substr(0, to));
            const auto until = to == std::string_view::npos ? std::nullopt : timeOf(range.substr(to + 4));
            if (!from || !until || *until <= *from)
                return false;
            if (m_began == 0)
                m_began = *from;
            Run& run = current();
            run.clock = Clock::Service;
            const double start = double(*from - m_began) / 1000;
            m_interval = run.empty() || start >= run.back().start + run.back().seconds;
            if (m_interval)
                run.add({.start = start, .seconds = double(*until - *from) / 1000});
            m_collector.note("the time profile (etprof) is of the first user only");
            return true;
        }
        if (parts.size() < 3 || parts[0].empty() || parts[0].size() > 64)
            return false;
        std::map<std::string, double>& figures = m_last[std::string(parts[0])];
        figures.clear();
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const std::size_t dash = parts[i].find('-');
            const auto value = dash == std::string_view::npos ? std::nullopt : numberOf(parts[i].substr(dash + 1));
            if (!value)
                return false;
            figures[std::string(parts[i].substr(0, dash))] = *value;
        }
        Run& run = current();
        if (!m_interval || run.empty())
            return true; // the figures of the whole run, at its end
        run.operation(parts[0], hammerClass(parts[0]), figures.contains("SAMPLES") ? figures["SAMPLES"] : 0);
        for (const auto& [name, us] : figures) {
            if (const auto percent = numberOf(name.substr(1, name.size() < 2 ? 0 : name.size() - 2));
                percent && name[0] == 'P')
                run.latencyPercentile(*percent, us / 1000, parts[0]);
        }
        return true;
    }

    //! Only the block at the end, after "PERCENTILES", is of the whole run; of one user.
    void total(Run& run, const std::string& name, const std::map<std::string, double>& figures)
    {
        for (const auto& [what, us] : figures) {
            if (what != "SAMPLES")
                run.figure(fmt::format("{} {} of the last profile block of the first user", name, what),
                           fmt::format("{}", us / 1000), "ms");
        }
    }

    static bool known(std::string_view text)
    {
        for (const std::string_view one :
             {"Hammerdb Log", "Rampup ", "Test complete", "Processing ", "FINISHED", "RUNNING", "Beginning ", "Taking ",
              "Calculating ", "ALL VIRTUAL USERS", "Logging ", "Hammerdb ", "Opened ", "Initializing ", "Vuser "}) {
            if (text.find(one) == 0)
                return true;
        }
        return false;
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    HammerProfile m_profile;
    std::map<std::string, std::map<std::string, double>> m_last;
    double m_at = -1, m_elapsed = 0;
    std::int64_t m_began = 0;
    bool m_resulted = false, m_interval = false;
};

std::string recognise(const Head& head)
{
    const auto has = [&head](const char* what, std::string_view text) {
        return firstLine(head, what, [text](auto line) { return line.find(text) != std::string_view::npos; });
    };
    for (const auto& [what, text] : std::array<std::pair<const char*, std::string_view>, 5>{
             {{"HammerDB's banner", "Hammerdb Log @"},
              {"HammerDB's result", "TEST RESULT : System achieved "},
              {"HammerDB's time profile", ">>>>> PROC: "},
              {"HammerDB's time profile", "|PERCENTILES "},
              {"HammerDB's transaction counter", " tpm @ "}}}) {
        if (std::string reason = has(what, text); !reason.empty())
            return reason;
    }
    return {};
}

} // namespace

Format hammerLog()
{
    return {.info = {"hammerdb", "HammerDB log",
                     "HammerDB's log, time profile (hdbxtprofile.log) or transaction counter log"},
            .recognise = &recognise,
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                describeHammer(collector);
                return std::make_unique<HammerParser>(collector);
            }};
}

} // namespace dyno::import
