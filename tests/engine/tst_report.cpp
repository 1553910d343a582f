// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/format.h"
#include "report/pivot/labels.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/file_content.h"
#include "support/must.h"
#include "support/suite.h"

#include <dyno/analysis.h>
#include <dyno/export.h>
#include <dyno/report.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

namespace dyno::tst_report {
using dyno::test::contentOf;
using dyno::test::must;
using Json = nlohmann::json;

namespace {

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

//! Fields of a CSV line, without quoted line breaks.
std::vector<std::string> fieldsOf(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += line[i];
    }
    return fields;
}

std::string field(const std::vector<std::string>& lines, std::size_t row, std::string_view column)
{
    const auto head = fieldsOf(lines.at(0));
    const auto found = std::find(head.begin(), head.end(), column);
    if (found == head.end())
        qFatal("no column %s", std::string(column).c_str());
    return fieldsOf(lines.at(row)).at(static_cast<std::size_t>(found - head.begin()));
}

//! "1.234,5"
class Comma : public std::numpunct<char>
{
protected:
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

} // namespace

class TestReport : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        const std::filesystem::path file = m_dir.filePath("a.dynolib").toStdString();
        auto writer = must(SessionWriter::open(file));
        sample::Options options;
        options.failedRun = 3;
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
        m_library = must(Library::open(file, Library::Mode::ReadOnly));
        m_session = must(m_library->session(options.id));
        QCOMPARE(m_session.runs.size(), std::size_t(12));
    }

    void numbers()
    {
        using namespace report;
        QCOMPARE(human(12345), std::string("12\u202f345"));
        QCOMPARE(human(-1234567.4), std::string("-1\u202f234\u202f567"));
        QCOMPARE(human(5210.4), std::string("5210"));
        QCOMPARE(human(99.94), std::string("99.9"));
        QCOMPARE(human(9.994), std::string("9.99"));
        QCOMPARE(human(9.996), std::string("10.0"));
        QCOMPARE(human(0.01234), std::string("0.0123"));
        QCOMPARE(human(0), std::string("0"));
        QCOMPARE(human(std::numeric_limits<double>::quiet_NaN()), std::string("–"));
        QCOMPARE(plain(-0.0001, 2), std::string("0.00"));
        QCOMPARE(plain(1.5, 3), std::string("1.500"));
        QCOMPARE(ratio(0.3754), std::string("0.38"));
        QCOMPARE(ratio(12.34), std::string("12.3"));
        QCOMPARE(ratio(123.4), std::string("123"));
        QCOMPARE(ratio(98765.4), std::string("98\u202f800"));
        QCOMPARE(bytes(5.5 * 1024 * 1024), std::string("5.50 MiB"));
        QCOMPARE(bytes(17), std::string("17 bytes"));
        QCOMPARE(timeUtc(1763648000000), std::string("2025-11-20 14:13"));
        QCOMPARE(rounded(0.1234567, 3), 0.123);
    }

    void whatWasNeverDoneHasNoTime()
    {
        StoredSession session = m_session;
        session.runs.resize(1);
        RunSummary& run = session.runs[0].summary;
        run.operations[0].count = 0;
        run.operations[0].service = run.operations[0].response = {};
        const std::string name = run.operations[0].name;
        Json told = Json::parse(sessionJson(session))["points"][std::size_t(run.point)]["runs"][0];
        for (const char* times : {"service_ms", "response_ms"}) {
            const Json& none = told["operations"][name][times];
            QCOMPARE(none.size(), std::size_t(8)); // the keys stay
            for (const Json& value : none)
                QVERIFY(value.is_null());
            QVERIFY(told[times]["p99"].is_number());
        }
        QCOMPARE(told["operations"][name]["count"].get<int>(), 0);
        QCOMPARE(field(linesOf(runsCsv(session)), 1, name + " (count)"), std::string("0"));
        QCOMPARE(field(linesOf(runsCsv(session)), 1, name + " service mean (ms)"), std::string());
        // Nobody counts the rows of a group.
        QVERIFY(runsCsv(session).find(name + " rows") != std::string::npos);
        session.runs[0].summary.operations[0].opClass = OpClass::Group;
        QVERIFY(runsCsv(session).find(name + " rows") == std::string::npos);
        QVERIFY(runsCsv(session).find(name + " (count)") != std::string::npos);
        session.runs[0].summary.operations[0].opClass = m_session.runs[0].summary.operations[0].opClass;
        QCOMPARE(field(linesOf(runsCsv(session)), 1, name + " service p95 (ms)"), std::string());

        run.transactions = 0;
        run.service = run.response = {};
        told = Json::parse(sessionJson(session))["points"][std::size_t(run.point)]["runs"][0];
        QVERIFY(told["service_ms"]["p99"].is_null() && told["response_ms"]["mean"].is_null());
        QCOMPARE(field(linesOf(runsCsv(session)), 1, "service p99 (ms)"), std::string());
        QCOMPARE(field(linesOf(runsCsv(session)), 1, "response max (ms)"), std::string());

        auto intervals = must(m_library->intervals(session.runs[0].id));
        intervals.resize(1);
        intervals[0].transaction.service = intervals[0].transaction.response = {};
        intervals[0].ops[0].service = intervals[0].ops[0].response = {};
        const auto lines = linesOf(intervalsCsv(session.runs[0], intervals));
        QCOMPARE(field(lines, 1, "service p95 (ms)"), std::string());
        QCOMPARE(field(lines, 1, name + " service p95 (ms)"), std::string());
        QCOMPARE(field(lines, 1, name + " response p90 (ms)"), std::string());
    }

    void jsonTellsWhatStandsBehindTheFigures()
    {
        StoredSession session = m_session;
        session.runs.resize(1);
        RunSummary& run = session.runs[0].summary;
        const auto told = [&](const StallsOf& stalls = {}) {
            return Json::parse(sessionJson(session, stalls))["points"][std::size_t(run.point)]["runs"][0];
        };
        const auto kinds = [](const Json& of) {
            std::vector<std::string> list;
            for (const Json& warning : of["warnings"])
                list.push_back(warning["kind"]);
            return list;
        };
        run.clientLimited = false;
        run.dropped = 0;
        QCOMPARE(told()["unanswered"].get<int>(), 0);
        QCOMPARE(told()["not_served"].get<int>(), 0);
        QVERIFY(told()["stalls"].is_null()); // nobody looked
        QVERIFY(std::ranges::count(kinds(told()), "connection") == 0);
        const std::string transport = std::exchange(session.runs[0].header.server.transport, "TCP, not encrypted");
        QVERIFY(std::ranges::count(kinds(told()), "connection") == 1);
        QCOMPARE(connectionWarning(session.runs[0].header.server), std::string("the connection: not encrypted"));
        session.runs[0].header.server.transport = transport;
        QVERIFY(!told().contains("objective"));
        QVERIFY(kinds(told()).empty());

        run.arrivals = 1001;
        run.backlog = 500;
        run.unanswered = 8;
        run.dropped = 3;
        run.clientLimited = true;
        run.clientReason = "it waited for a core";
        run.objective = ObjectiveVerdict{"p99 <= 20ms", false, 98.0, "p99 is 98 ms"};
        const Json all = told([](const StoredRun&) {
            return std::vector<Stall>{{2'000'000'000, 1'000'000'000, 100, 0, 100, true},
                                      {5'000'000'000, 500'000'000, 100, 40, 30, false},
                                      {.tNs = 6'000'000'000,
                                       .lengthNs = 2'000'000'000,
                                       .kind = Stall::Kind::Latency,
                                       .usualMs = 4,
                                       .highestMs = 210}};
        });
        QCOMPARE(all["latency_stalls"].size(), std::size_t(1));
        QCOMPARE(all["latency_stalls"][0]["seconds"].get<double>(), 2.0);
        QCOMPARE(all["latency_stalls"][0]["usual_p99_ms"].get<double>(), 4.0);
        QCOMPARE(all["latency_stalls"][0]["highest_p99_ms"].get<double>(), 210.0);
        QCOMPARE(all["not_served"].get<int>(), 508);
        QCOMPARE(all["unanswered"].get<int>(), 8);
        QCOMPARE(all["stalls"].size(), std::size_t(2));
        QCOMPARE(all["stalls"][0]["kind"].get<std::string>(), std::string("stall"));
        QCOMPARE(all["stalls"][0]["seconds"].get<double>(), 1.0);
        QCOMPARE(all["stalls"][1]["kind"].get<std::string>(), std::string("dip"));
        QCOMPARE(kinds(all), (std::vector<std::string>{"unanswered", "not_served", "dropped", "stall", "dip",
                                                       "client_limited", "objective"}));
        QCOMPARE(keys(all["objective"]), (std::vector<std::string>{"met", "text", "value"}));
        QCOMPARE(all["objective"]["met"].get<bool>(), false);
        QCOMPARE(all["objective"]["value"].get<double>(), 98.0);
        QVERIFY(told(stallsIn(*m_library))["stalls"].is_array()); // of the library's intervals
    }

    void json()
    {
        const std::string text = sessionJson(m_session);
        const Json document = Json::parse(text);
        QCOMPARE(document["session"].get<std::string>(), m_session.info.id);
        QCOMPARE(document["software"]["name"].get<std::string>(), std::string("dynobench"));
        QCOMPARE(document["software"]["version"].get<std::string>(), std::string(softwareVersion()));
        QCOMPARE(document["points"].size(), std::size_t(6));
        std::size_t runs = 0;
        int failed = 0;
        for (const Json& point : document["points"]) {
            QCOMPARE(keys(point), (std::vector<std::string>{"cases", "runs", "target", "users"}));
            QCOMPARE(point["cases"].size(), std::size_t(1));
            QVERIFY(point["cases"].contains("synchronous"));
            for (const Json& run : point["runs"]) {
                ++runs;
                // The contract of DESIGN.md, section 9, key by key.
                QCOMPARE(
                    keys(run),
                    (std::vector<std::string>{
                        "arrivals",   "client",       "data_bytes",     "dropped",      "errors",     "found",
                        "in_force",   "late",         "latency_stalls", "load_retries", "not_served", "operations",
                        "place",      "qps",          "queries",        "reason",       "reconnects", "remedy",
                        "repeat",     "response_ms",  "retried",        "rollbacks",    "rows",       "seconds",
                        "service_ms", "sitting",      "stalls",         "status",       "tps",        "transactions",
                        "unanswered", "warmup_moved", "warmup_s",       "warnings"}));
                QCOMPARE(run["sitting"].get<int>(), 1);
                QCOMPARE(run["in_force"]["synchronous"].get<std::string>(),
                         point["cases"]["synchronous"].get<std::string>());
                if (run["status"] == "done")
                    QCOMPARE(run["data_bytes"]["table"].get<std::uint64_t>(), std::uint64_t(4) << 20);
                for (const char* latency : {"service_ms", "response_ms"}) {
                    QCOMPARE(keys(run[latency]),
                             (std::vector<std::string>{"max", "mean", "min", "p50", "p90", "p95", "p99", "p999"}));
                }
                QCOMPARE(keys(run["client"]),
                         (std::vector<std::string>{"cpu_us_per_op", "late_starts", "limited", "reason", "rss_bytes"}));
                QVERIFY(!run["operations"].empty());
                for (const Json& operation : run["operations"])
                    QCOMPARE(keys(operation), (std::vector<std::string>{"count", "response_ms", "service_ms"}));
                failed += run["status"] == "failed";
                QVERIFY(run["status"] == "done" || run["reason"] != "");
                QVERIFY(run["tps"].get<double>() > 100);
                QCOMPARE(std::round(run["seconds"].get<double>() * 1000) / 1000, run["seconds"].get<double>());
            }
        }
        QCOMPARE(runs, std::size_t(12));
        QCOMPARE(failed, 1);
        // Keys come in the order of the contract, for those who read it with their eyes.
        QVERIFY(text.find("\"session\"") < text.find("\"software\""));
        QVERIFY(text.find("\"software\"") < text.find("\"points\""));
        QCOMPARE(text, sessionJson(m_session));
    }

    void runs()
    {
        const auto lines = linesOf(runsCsv(m_session));
        QCOMPARE(lines.size(), std::size_t(13));
        const std::size_t columns = fieldsOf(lines[0]).size();
        for (const std::string& line : lines)
            QCOMPARE(fieldsOf(line).size(), columns);
        for (std::size_t i = 0; i < 12; ++i) {
            const StoredRun& run = m_session.runs[i];
            QCOMPARE(field(lines, i + 1, "run"), std::to_string(i + 1));
            QCOMPARE(field(lines, i + 1, "status"), std::string(toText(run.summary.status)));
            QCOMPARE(field(lines, i + 1, "throughput (transactions/s)"), report::plain(run.summary.tps, 3));
            QCOMPARE(field(lines, i + 1, "synchronous"),
                     m_session.header.points[static_cast<std::size_t>(run.header.point)].cases[0].label);
            QCOMPARE(field(lines, i + 1, "service p95 (ms)"), report::plain(run.summary.service.p95Ms, 6));
        }
        QCOMPARE(field(lines, 4, "reason"), std::string("the target does not answer any more"));
    }

    //! Rows of a kind of operation, where they are known.
    void rowsOfOperations()
    {
        StoredSession session = m_session;
        session.runs.resize(2);
        OperationSummary& first = session.runs[0].summary.operations.at(0);
        first.rows = 4711;
        session.runs[1].summary.operations.at(0).rows.reset();
        const auto lines = linesOf(runsCsv(session));
        QCOMPARE(field(lines, 1, first.name + " rows"), std::string("4711"));
        QCOMPARE(field(lines, 2, first.name + " rows"), std::string());
        const std::string table = runsLongCsv(session);
        QVERIFY2(table.find(first.name + ",rows,1,4711") != std::string::npos, table.c_str());
        const std::string text = sessionJson(session);
        const auto at = text.find("\"rows\": 4711");
        QVERIFY2(at != std::string::npos, text.c_str());
    }

    void awkwardTexts()
    {
        StoredSession session = m_session;
        session.runs.resize(1);
        session.runs[0].summary.reason = "said \"no\", then left";
        const auto lines = linesOf(runsCsv(session));
        QVERIFY(lines[1].find("\"said \"\"no\"\", then left\"") != std::string::npos);
        QCOMPARE(field(lines, 1, "reason"), session.runs[0].summary.reason);

        session.info.title = "a | b\n*c*";
        session.header.points[0].cases[0].label = "x|y";
        const std::string report = markdownReport({session}, {});
        QVERIFY(report.starts_with("# a \\| b \\*c\\*\n"));
        for (const std::string& line : linesOf(markdownTable(pivot({session}, {})))) {
            if (line.starts_with("|"))
                QVERIFY2(line.find(" x|y ") == std::string::npos, line.c_str());
        }
    }

    void otherLocale()
    {
        const std::string before = runsCsv(m_session);
        const std::string table = markdownTable(pivot({m_session}, {}));
        const std::string json = sessionJson(m_session);
        // C++ streams by a facet of our own; printf and the like only where the machine has such a locale.
        const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
        if (!std::setlocale(LC_ALL, "de_DE.UTF-8"))
            std::setlocale(LC_ALL, "de_DE");
        const std::string after = runsCsv(m_session);
        const std::string tableAfter = markdownTable(pivot({m_session}, {}));
        const std::string jsonAfter = sessionJson(m_session);
        std::locale::global(old);
        std::setlocale(LC_ALL, "C");
        QCOMPARE(jsonAfter, json);
        QCOMPARE(after, before);
        QCOMPARE(tableAfter, table);
    }

    void intervals()
    {
        const StoredRun& run = m_session.runs[0];
        const auto intervals = must(m_library->intervals(run.id));
        const auto lines = linesOf(intervalsCsv(run, intervals));
        QCOMPARE(lines.size(), intervals.size() + 1);
        QCOMPARE(intervals.size(), std::size_t(20));
        QCOMPARE(field(lines, 1, "phase"), std::string("warm-up"));
        QCOMPARE(field(lines, 3, "phase"), std::string("measure"));
        QCOMPARE(field(lines, 3, "start (s)"), std::string("1.000000"));
        QCOMPARE(field(lines, 3, "transactions"), std::to_string(intervals[2].transaction.count));
        QCOMPARE(field(lines, 3, "service p99 (ms)"),
                 report::plain(intervals[2].transaction.service.percentileNs(99) * 1e-6, 6));
    }

    //! Response times apart from service times, and what an open loop counts, in every form.
    void openLoop()
    {
        const std::filesystem::path file = m_dir.filePath("open.dynolib").toStdString();
        auto writer = must(SessionWriter::open(file));
        sample::Options options;
        options.openLoop = true;
        options.counters = true;
        options.hiddenCounters = 4;
        options.warmups = 3;
        SessionHeader header = sample::header(options);
        for (PointSpec& point : header.points)
            point.target.price = {0.5, 100, "€"};
        for (PointSpec& point : header.points)
            point.load.arrival = {.model = ArrivalModel::Poisson, .rate = 500, .rateTo = 900, .steps = {}};
        writer->onSessionStarted(header);
        for (int i = 0; i < 12; ++i)
            sample::feedRun(*writer, header, i, options);
        writer->onSessionFinished({.status = RunStatus::Done, .reason = {}, .finishedMs = 1});
        QVERIFY(writer->flush());
        writer.reset();
        auto library = must(Library::open(file, Library::Mode::ReadWrite));
        const std::int64_t first = must(library->session(options.id)).runs[0].id;
        (void)must(library->moveWarmupEnd(first, 2'000'000'000));
        const StoredSession session = must(library->session(options.id));
        const RunSummary& run = session.runs[0].summary;
        QVERIFY(run.response.p95Ms > run.service.p95Ms + 0.3);

        const Json json = Json::parse(sessionJson(session))["points"][0]["runs"][0];
        QVERIFY(std::fabs(json["tx_per_cost"].get<double>() - run.tps * 3600 / 0.5) < 1e-3);
        QVERIFY(std::fabs(json["ops_per_cost"].get<double>() - run.qps * 3600 / 0.5) < 1e-3);
        QVERIFY(std::fabs(json["tx_per_watt_hour"].get<double>() - run.tps * 36) < 1e-3);
        const Json price = Json::parse(sessionJson(session))["points"][0]["price"];
        QCOMPARE(price["cost_per_hour"].get<double>(), 0.5);
        QCOMPARE(price["watts"].get<double>(), 100.0);
        QCOMPARE(price["currency"].get<std::string>(), std::string("€"));
        QVERIFY(!Json::parse(sessionJson(m_session))["points"][0].contains("price")); // none was given
        QVERIFY(!Json::parse(sessionJson(m_session))["points"][0]["runs"][0].contains("tx_per_cost"));
        QCOMPARE(json["arrivals"].get<std::uint64_t>(), run.arrivals);
        QCOMPARE(json["arrivals"].get<std::uint64_t>(), run.transactions + run.dropped);
        QCOMPARE(json["rows"].get<std::uint64_t>(), run.rows);
        QCOMPARE(json["rollbacks"].get<std::uint64_t>(), run.rollbacks);
        QCOMPARE(json["client"]["late_starts"].get<std::uint64_t>(), run.lateStarts);
        QCOMPARE(json["found"].get<double>(), 1000.0);
        QCOMPARE(json["warmup_s"].get<double>(), 2.0);
        QCOMPARE(json["warmup_moved"].get<bool>(), true);
        QCOMPARE(json["response_ms"]["p95"].get<double>(), report::rounded(run.response.p95Ms, 6));
        QCOMPARE(json["service_ms"]["p95"].get<double>(), report::rounded(run.service.p95Ms, 6));

        const auto runs = linesOf(runsCsv(session));
        QCOMPARE(field(runs, 1, "arrivals"), std::to_string(run.arrivals));
        QCOMPARE(field(runs, 1, "changed rows"), std::to_string(run.rows));
        QCOMPARE(field(runs, 1, "rollbacks"), std::to_string(run.rollbacks));
        QCOMPARE(field(runs, 1, "late starts"), std::to_string(run.lateStarts));
        QCOMPARE(field(runs, 1, "found"), std::string("1000.000"));
        QCOMPARE(field(runs, 1, "warm-up (s)"), std::string("2.000000"));
        QCOMPARE(field(runs, 1, "warm-up moved"), std::string("yes"));
        QCOMPARE(field(runs, 1, "cost (currency/h)"), std::string("0.5"));
        QCOMPARE(field(runs, 1, "currency"), std::string("€"));
        QCOMPARE(field(runs, 1, "transactions per unit of cost"), report::plain(run.tps * 7200, 3));
        QCOMPARE(field(runs, 1, "transactions per watt-hour"), report::plain(run.tps * 36, 3));
        QCOMPARE(field(linesOf(runsCsv(m_session)), 1, "transactions per unit of cost"), std::string());
        QCOMPARE(field(runs, 2, "warm-up moved"), std::string("no"));
        QCOMPARE(field(runs, 1, "response p99 (ms)"), report::plain(run.response.p99Ms, 6));

        const auto samples = must(library->intervals(first));
        const auto lines = linesOf(intervalsCsv(session.runs[0], samples));
        const IntervalSample& s = samples[5];
        QCOMPARE(field(lines, 6, "arrivals"), std::to_string(s.arrivals));
        QCOMPARE(field(lines, 6, "backlog"), std::to_string(s.backlog));
        QCOMPARE(field(lines, 6, "server Innodb_data_written (bytes/s)"), std::string("1005000.000"));
        QCOMPARE(field(lines, 6, "server Threads_running (threads)"), std::string("45.000"));
        QCOMPARE(field(lines, 4, "server Threads_running (threads)"), std::string()); // not known there
        QVERIFY2(lines.front().find("Hidden_") == std::string::npos, lines.front().c_str());
        QCOMPARE(field(lines, 6, "changed rows"), std::to_string(s.rows));
        QCOMPARE(field(lines, 6, "rollbacks"), std::to_string(s.rollbacks));
        QCOMPARE(field(lines, 6, "late starts"), std::to_string(s.client.lateStarts));
        QCOMPARE(field(lines, 6, "context switches"), std::to_string(s.client.switches));
        QCOMPARE(field(lines, 6, "loop lag (ms)"), report::plain(s.client.loopLagMs, 6));
        QCOMPARE(field(lines, 6, "busiest thread (share)"), std::string("0.3500"));
        QCOMPARE(field(lines, 6, "response p50 (ms)"),
                 report::plain(s.transaction.response.percentileNs(50) * 1e-6, 6));
        QVERIFY(field(lines, 6, "response p50 (ms)") != field(lines, 6, "service p50 (ms)"));
        QCOMPARE(field(lines, 4, "phase"), std::string("warm-up")); // moved from 1.5 s to 2 s
        QCOMPARE(field(lines, 5, "phase"), std::string("measure"));

        QCOMPARE(measureOf(run, {}, "response_p95"), run.response.p95Ms);
        QCOMPARE(measureOf(run, {}, "service_p95"), run.service.p95Ms);
        QCOMPARE(measureOf(run, {}, "arrivals"), double(run.arrivals));
        QCOMPARE(measureOf(run, {}, "found"), 1000.0);
        PivotRequest request;
        request.measure = "response_p95";
        const Pivot table = pivot({session}, request);
        QVERIFY(!table.cells.empty());
        QCOMPARE(table.cells[0].estimate.runs[0], run.response.p95Ms);

        const std::string text = markdownReport({session}, {});
        for (const std::string& part :
             {std::string("open loop, Poisson arrivals, 500 to 900 a second"),
              std::to_string(run.dropped) + " of " + std::to_string(run.arrivals) + " arrivals dropped",
              std::string("the end of the warm-up was moved from 1.5 s to 2.0 s after the run")})
            QVERIFY2(text.find(part) != std::string::npos, (part + " is missing in\n" + text).c_str());
    }

    void files()
    {
        const std::filesystem::path dir = m_dir.filePath("csv/deep").toStdString();
        const auto files = must(exportCsv(*m_library, m_session, dir));
        QCOMPARE(files.size(), std::size_t(14));
        QCOMPARE(files[0].filename().string(), std::string("runs.csv"));
        QCOMPARE(files[1].filename().string(), std::string("runs-long.csv"));
        QCOMPARE(files[13].filename().string(), std::string("intervals-12.csv"));
        QCOMPARE(contentOf(files[0]), runsCsv(m_session));
        const std::string before = contentOf(files[5]);
        QVERIFY(exportCsv(*m_library, m_session, dir));
        QCOMPARE(contentOf(files[5]), before);
        std::size_t found = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir))
            ++found;
        QCOMPARE(found, files.size()); // no drafts left

        const auto refused = exportCsv(*m_library, m_session, files[0]);
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == ErrorKind::Storage);
    }

    void markdown()
    {
        PivotRequest request;
        request.series = "synchronous";
        request.baseline = "OFF";
        const std::string text = markdownReport({m_session}, request);
        for (const char* part :
             {"# What does durability cost?\n", "lower with FULL than with OFF",
              "| users | OFF (baseline) | NORMAL | NORMAL ÷ OFF | FULL | FULL ÷ OFF |", "## Set-up", "SQLite 3.40.1",
              "sqlite:durability.db", "seed 1", "table_size = 20\u202F000", "2 repeats", "order interleaved",
              "AMD EPYC", "## What differs", "| connection.synchronous | OFF; NORMAL; FULL |",
              "7 other variables of the server are equal in all runs", "## Notes", "95 % intervals",
              "is excluded: failed: the target does not answer any more", "(1 failed)", "Warm-up is excluded"})
            QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + " is missing in\n" + text).c_str());
        QCOMPARE(text, markdownReport({m_session}, request));

        // A table is a table: the same number of cells in each line.
        std::ptrdiff_t bars = 0;
        for (const std::string& line : linesOf(markdownTable(pivot({m_session}, request)))) {
            if (!line.starts_with("|"))
                continue;
            const auto here = std::count(line.begin(), line.end(), '|');
            QVERIFY(bars == 0 || bars == here);
            bars = here;
        }
        QCOMPARE(bars, std::ptrdiff_t(7));
    }

    //! Another tool's file does not tell how it was asked to run: nothing is made up.
    void markdownOfAnImport()
    {
        StoredSession imported = m_session;
        imported.header.host = {};
        for (StoredRun& run : imported.runs) {
            run.summary.origin = "pgbench 17.0";
            run.summary.dropped = 37;
            run.summary.arrivals = 0;
        }
        const std::string text = markdownReport({imported}, {}), post = markdownPost({imported}, {});
        for (const char* part : {"- Load:", "Load generator", "warm-up", " of 0 arrivals", "### Plan", "s measured"}) {
            QVERIFY2(text.find(part) == std::string::npos, (std::string(part) + " is in\n" + text).c_str());
            QVERIFY2(post.find(part) == std::string::npos, (std::string(part) + " is in\n" + post).c_str());
        }
        QVERIFY(text.find("37 arrivals dropped") != std::string::npos);
        QVERIFY(markdownReport({imported, m_session}, {}).find("excluded from Dynobench's own runs") !=
                std::string::npos);
    }

    void clientLimitIsSaid()
    {
        StoredSession session = m_session;
        session.runs[0].summary.clientLimited = true;
        session.runs[0].summary.clientReason = "it waited 12 % of the time";
        const std::string text = markdownReport({session}, {});
        QVERIFY(text.find("⚠ Run 1") != std::string::npos);
        QVERIFY(text.find("the load generator was the limit (it waited 12 % of the time)") != std::string::npos);
    }

    //! -1 stands for "as the core workload says": nobody meant a share of -1.
    void sharesThatAreNotGiven()
    {
        QVERIFY(!report::parameterText("ycsb", "read_proportion", -1.0));
        QVERIFY(!report::parameterText("ycsb", "read_proportion", std::int64_t(-1)));
        QCOMPARE(report::parameterText("ycsb", "read_proportion", 0.7).value(), std::string("0.7"));
        QCOMPARE(report::parameterText("ycsb", "recordcount", std::int64_t(-1)).value(), std::string("-1"));
        QCOMPARE(report::parameterText("of another tool", "read_proportion", -1.0).value(), toText(Value(-1.0)));
        StoredSession session = m_session;
        QVERIFY(session.header.points.size() >= 2);
        for (PointSpec& point : session.header.points) {
            point.workload.name = "ycsb";
            point.workload.params = {{"read_proportion", -1.0}, {"scan_proportion", -1.0}};
        }
        session.header.points.back().workload.params["read_proportion"] = 0.7;
        QStringList shares;
        for (const Difference& difference : differences({session})) {
            if (difference.name.ends_with("_proportion"))
                shares << QString::fromStdString(
                    fmt::format("{}: {}", difference.name, fmt::join(difference.values, "; ")));
        }
        QCOMPARE(shares, QStringList{"workload.read_proportion: (not set); 0.7"});
    }

    //! The figures of a post beside the medians of one's own runs of the same cases; the best where an axis is left
    //! open.
    void publishedFigures()
    {
        StoredSession session = m_session;
        QVERIFY(session.runs.size() == 12);
        session.header.plan.published = {{"A | post",
                                          "2011-03",
                                          "a machine",
                                          "tps",
                                          "",
                                          {{{{"synchronous", "OFF"}, {"users", "1"}}, 400},
                                           {{{"synchronous", "FULL"}}, 100},
                                           {{{"synchronous", "FULL"}, {"users", "64"}}, 50}},
                                          0}};
        const auto rows = publishedBeside(session, session.header.plan.published[0]);
        QCOMPARE(rows.size(), std::size_t(3));
        QVERIFY(rows[0].own && rows[1].own && !rows[2].own);
        QCOMPARE(rows[0].own->runs.size(), std::size_t(2));
        QCOMPARE(rows[0].ownPoint, std::string("OFF, 1 user"));
        double best = 0;
        for (const int users : {1, 4}) {
            std::vector<double> figures;
            for (const StoredRun& run : session.runs) {
                const PointSpec& point = session.header.points[std::size_t(run.summary.point)];
                if (report::caseLabel(point, "synchronous") == "FULL" && point.users() == users)
                    figures.push_back(run.summary.tps);
            }
            QCOMPARE(figures.size(), std::size_t(2));
            best = std::max(best, (figures[0] + figures[1]) / 2);
        }
        QCOMPARE(rows[1].own->median, best);
        const Pivot view = pivot({session}, {"tps", "users", "synchronous", "", ""});
        const Published& post = session.header.plan.published[0];
        QCOMPARE(publishedAt(post, view.request, *view.cell("1", "OFF")), std::optional<double>(400));
        QVERIFY(!publishedAt(post, view.request, *view.cell("4", "OFF")));
        QVERIFY2(!publishedAt(post, view.request, *view.cell("1", "FULL")),
                 "the maximum over users is none at one number");
        const std::string text = publishedTables(session);
        QVERIFY(text.find("A \\| post, 2011-03, on a machine") != std::string::npos);
        const auto lines = linesOf(text);
        const auto line = [&](const char* start) {
            const auto found =
                std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.starts_with(start); });
            return found == lines.end() ? std::string() : *found;
        };
        QVERIFY(line("| OFF | 1 |").find("| 400 | 100 % |") != std::string::npos);
        QVERIFY(line("| FULL | best |").find("| 100 | 25 % |") != std::string::npos);
        QCOMPARE(line("| FULL | 64 |"), std::string("| FULL | 64 | 50.0 | – | – | – |"));
        QVERIFY(markdownReport({session}, {}).find("## Published figures") != std::string::npos);
        QVERIFY(publishedTables(m_session).empty());
    }

    //! E03, E25: what was published as percent of a case stands beside one's own percent, and in charts of percent of
    //! it only.
    void publishedPercent()
    {
        StoredSession session = m_session;
        const auto figures = [&](const char* label, int users) {
            std::vector<double> found;
            for (const StoredRun& run : session.runs) {
                const PointSpec& point = session.header.points[std::size_t(run.summary.point)];
                if (report::caseLabel(point, "synchronous") == label && point.users() == users)
                    found.push_back(run.summary.tps);
            }
            return found;
        };
        const auto median = [&](const char* label, int users) { // of two
            const std::vector<double> two = figures(label, users);
            return two.size() == 2 ? (two[0] + two[1]) / 2 : 0;
        };
        Published post;
        post.source = "A post";
        post.relativeTo = "FULL";
        post.values = {{{{"synchronous", "OFF"}, {"users", "1"}}, 155}, {{{"synchronous", "OFF"}}, 170}};
        session.header.plan.published = {post};
        const auto rows = publishedBeside(session, post);
        QCOMPARE(rows.size(), std::size_t(2));
        QVERIFY(rows[0].own && rows[1].own);
        QCOMPARE(rows[0].own->median, 100 * median("OFF", 1) / median("FULL", 1));
        QCOMPARE(rows[0].own->runs.size(), std::size_t(2));
        // With users left open: of the most that was reached without it, percent of what was reached with it at as many
        // users.
        const int best = median("OFF", 4) > median("OFF", 1) ? 4 : 1;
        QCOMPARE(rows[1].own->median, 100 * median("OFF", best) / median("FULL", best));

        PivotRequest request{"tps", "users", "synchronous", "", "FULL"};
        request.relativeTo = RelativeTo::Baseline;
        const Pivot relative = pivot({session}, request);
        QCOMPARE(publishedAt(post, relative.request, *relative.cell("1", "OFF")), std::optional<double>(155));
        QVERIFY(!publishedAt(post, relative.request, *relative.cell("4", "OFF")));
        Published amounts = post;
        amounts.relativeTo.clear();
        QVERIFY2(!publishedAt(amounts, relative.request, *relative.cell("1", "OFF")), "amounts among percent");
        request.baseline = "OFF";
        const Pivot other = pivot({session}, request);
        QVERIFY2(!publishedAt(post, other.request, *other.cell("1", "OFF")), "percent of something else");
        const Pivot absolute = pivot({session}, {"tps", "users", "synchronous", "", "FULL"});
        QVERIFY2(!publishedAt(post, absolute.request, *absolute.cell("1", "OFF")), "percent among amounts");
        QCOMPARE(publishedAt(amounts, absolute.request, *absolute.cell("1", "OFF")), std::optional<double>(155));

        const std::string text = publishedTables(session);
        QVERIFY2(text.find("| published, % of FULL | here, % of FULL |") != std::string::npos, text.c_str());
        QVERIFY2(text.find(fmt::format("| OFF | 1 | 155 % | {} % |", report::human(rows[0].own->median))) !=
                     std::string::npos,
                 text.c_str());
        // What it is percent of was not run.
        std::erase_if(session.runs, [&](const StoredRun& run) {
            return report::caseLabel(session.header.points[std::size_t(run.summary.point)], "synchronous") == "FULL";
        });
        QVERIFY(!publishedBeside(session, post)[0].own);
    }

    //! The sample's second run ends with another value of one variable.
    void variablesThatChangedDuringARun()
    {
        const auto changes = changedDuringRuns({m_session});
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].name, std::string("wal_autocheckpoint"));
        QVERIFY((changes[0].values == std::vector<std::string>{"1000", "2000"}));
        QVERIFY(markdownReport({m_session}, {}).find("wal_autocheckpoint changed during a run: 1000 → 2000") !=
                std::string::npos);
    }

    void allMeasures()
    {
        std::set<std::string> ids;
        for (const MeasureInfo& measure : measures()) {
            QVERIFY(ids.insert(measure.id).second);
            QVERIFY(!measure.label.empty() &&
                    (!measure.unit.empty() || measure.id == "counter" || measure.id == "formula"));
            const auto figure = measureOf(m_session.runs[0].summary, {.dataBytes = 1, .price = {}}, measure.id);
            QVERIFY(!figure || std::isfinite(*figure));
            QVERIFY(!figure || !measure.fromIntervals);
            QCOMPARE(findMeasure(measure.id), &measure);
        }
        for (const char* id : {"tps", "qps", "service_p95", "response_p99", "errors", "cpu_us_per_op", "data_bytes"})
            QVERIFY(ids.contains(id));
        QCOMPARE(measureOf({}, {.dataBytes = 77, .price = {}}, "data_bytes"), std::optional(77.0));
        QVERIFY(!findMeasure("nonsense"));
    }

private:
    static std::vector<std::string> keys(const Json& object)
    {
        std::vector<std::string> names;
        for (const auto& [name, value] : object.items())
            names.push_back(name);
        return names;
    }
    QTemporaryDir m_dir;
    std::unique_ptr<Library> m_library;
    StoredSession m_session;
};

} // namespace dyno::tst_report

DYNO_SUITE(tst_report, dyno::tst_report::TestReport)
#include "tst_report.moc"
