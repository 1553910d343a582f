// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! hammer.DB, the SQLite file in which HammerDB 4.4 and later keep their jobs. A job is a run.
#include "import/hammerdb.h"
#include "import/text.h"
#include "store/library/database.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::import {

namespace {

//! True when the table has all of these columns.
bool has(Database& database, std::string_view table, std::initializer_list<std::string_view> columns)
{
    std::vector<std::string> found;
    Statement select(database, "SELECT lower(name) FROM pragma_table_info(?)");
    select << table;
    while (select.row())
        found.push_back(select.text(0));
    return std::ranges::all_of(columns,
                               [&found](auto column) { return std::ranges::find(found, column) != found.end(); });
}

void readOutput(Database& database, Collector& collector, Run& run, const std::string& job)
{
    Statement select(database, "SELECT output FROM joboutput WHERE jobid = ?");
    select << job;
    while (select.row()) {
        const std::string text = select.text(0);
        constexpr std::string_view kResult = "System achieved ";
        const std::size_t at = text.find(kResult);
        const std::vector<std::string_view> parts = words(text);
        for (std::size_t i = 0; i + 3 < parts.size(); ++i) {
            if (parts[i + 1] == "Active" && parts[i + 2] == "Virtual" && countOf(parts[i]))
                run.users = static_cast<int>(std::min<std::uint64_t>(*countOf(parts[i]), 1'000'000));
            if (parts[i] == "period" && parts[i + 1] == "of" && numberOf(parts[i + 2]))
                run.seconds = *numberOf(parts[i + 2]) * 60;
            if (parts[i] == "rampup" && parts[i + 1] == "time" && parts[i + 2] == "of")
                run.options["rampup_minutes"] = parseValue(shown(parts[i + 3]));
        }
        if (at == std::string::npos)
            continue;
        const std::vector<std::string_view> rest = words(std::string_view(text).substr(at + kResult.size()));
        if (rest.size() > 4 && rest[1] == "NOPM" && numberOf(rest[0]) && numberOf(rest[3]))
            setHammerResult(collector, run, *numberOf(rest[0]), *numberOf(rest[3]), rest[4]);
        else if (rest.size() > 5 && rest.back() == "NOPM" && numberOf(rest[0]) && numberOf(rest[rest.size() - 2]))
            setHammerResult(collector, run, *numberOf(rest[rest.size() - 2]), *numberOf(rest[0]), rest[1]);
    }
}

void readTiming(Database& database, Collector& collector, Run& run, const std::string& job)
{
    if (!has(database, "jobtiming",
             {"jobid", "procname", "calls", "avg_ms", "max_ms", "p99_ms", "p95_ms", "p50_ms", "summary"}))
        return;
    Statement select(database, "SELECT procname, calls, avg_ms, max_ms, p50_ms, p95_ms, p99_ms FROM jobtiming"
                               " WHERE jobid = ? AND summary = 1");
    select << job;
    bool any = false;
    while (select.row()) {
        any = true;
        run.clock = Clock::Service;
        OperationTotal& one = run.totalOf(shown(select.text(0), 64), hammerClass(select.text(0)));
        one.count = select.real(1);
        one.latency.mean = select.real(2);
        one.latency.max = select.real(3);
        for (const auto& [percent, column] : {std::pair{50.0, 4}, std::pair{95.0, 5}, std::pair{99.0, 6}}) {
            if (!select.isNull(column))
                (void)one.latency.set(percent, select.real(column));
        }
    }
    if (any)
        return;
    Statement single(database, "SELECT 1 FROM jobtiming WHERE jobid = ?");
    single << job;
    if (single.row())
        collector.note("percentiles of single users cannot be put together: they are only in the original");
}

void readCounter(Database& database, Collector& collector, Run& run, const std::string& job)
{
    if (!has(database, "jobtcount", {"jobid", "counter", "timestamp"}))
        return;
    const bool metrics = has(database, "jobtcount", {"metric"});
    Statement select(
        database, metrics ? "SELECT counter, timestamp, lower(metric) FROM jobtcount WHERE jobid = ? ORDER BY timestamp"
                          : "SELECT counter, timestamp, 'tpm' FROM jobtcount WHERE jobid = ? ORDER BY timestamp");
    select << job;
    const double rampup = realOf(run.options, "rampup_minutes") * 60;
    std::optional<std::int64_t> before, first;
    while (select.row()) {
        const auto at = timeOf(select.text(1));
        if (at && before && *at > *before) {
            const double length = double(*at - *before) / 1000, start = double(*before - *first) / 1000;
            const double counter = std::max(0.0, select.real(0));
            const bool tpm = select.text(2).find("tpm") != std::string::npos; // else queries an hour (TPROC-H)
            run.add({.start = start,
                     .seconds = length,
                     .phase = start < rampup ? Phase::Warmup : Phase::Measure,
                     .transactions = tpm ? counter / 60 * length : 0});
            if (!tpm)
                run.stated(shown(select.text(2), 20), {}, counter, Fold::Mean);
            collector.bound(run);
        }
        before = at ? at : before;
        first = first ? first : at;
    }
}

Expected<void> read(const std::filesystem::path& file, Collector& collector)
{
    describeHammer(collector);
    auto opened = Database::open(file, Database::Access::Immutable);
    if (!opened)
        return fail(std::move(opened.error()));
    Database& database = **opened;
    // A foreign file: what its schema says is not trusted.
    database.exec("PRAGMA trusted_schema = OFF");
    if (!has(database, "jobmain", {"jobid", "db", "bm", "timestamp"}) ||
        !has(database, "joboutput", {"jobid", "output"})) {
        (void)database.result();
        return fail({ErrorKind::BadInput, "this SQLite file has no jobs of HammerDB", file.string(),
                     "name the hammer.DB of HammerDB 4.4 or later"});
    }
    Statement jobs(database, "SELECT jobid, db, bm, timestamp FROM jobmain ORDER BY timestamp, rowid");
    while (jobs.row() && !collector.full()) {
        const std::string job = jobs.text(0);
        Run run;
        run.product = shown(jobs.text(1), 40);
        run.workload = shown(jobs.text(2), 40);
        run.startedMs = timeOf(jobs.text(3)).value_or(0);
        readOutput(database, collector, run, job);
        readTiming(database, collector, run, job);
        readCounter(database, collector, run, job);
        // Jobs that build or check a schema measure nothing.
        if (std::isfinite(run.tps) || !run.operations.empty() || !run.empty()) {
            run.cases = {{"job", shown(job, 40)}};
            collector.begin() = std::move(run);
        }
    }
    collector.note("times are the local ones of the machine that ran HammerDB, whose zone is not told");
    if (auto done = database.result(); !done) {
        Error error = done.error();
        error.remedy = "the file is damaged: get it again";
        return fail(std::move(error));
    }
    return {};
}

std::string recognise(const Head& head)
{
    std::string text = head.text;
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text.starts_with("sqlite format 3") && text.find("jobmain") != std::string::npos
               ? "it is an SQLite file with HammerDB's table JOBMAIN"
               : std::string();
}

} // namespace

Format hammerSqlite()
{
    return {.info = {"hammerdb-sqlite", "HammerDB database", "hammer.DB, the SQLite file with HammerDB's jobs"},
            .recognise = &recognise,
            .document = &read};
}

} // namespace dyno::import
