// SPDX-License-Identifier: GPL-3.0-or-later
// Series of Prometheus exporters: the format as it is published, what a plan may ask, and exporters that hang, answer
// without an end, lead elsewhere or talk nonsense.
#include "monitor/prometheus/exporter_client.h"
#include "monitor/prometheus/exporter_monitor.h"
#include "monitor/prometheus/exposition_parser.h"
#include "plan/exporters.h"
#include "recording_sink.h"
#include "support/file_content.h"
#include "support/odd_http_server.h"
#include "support/suite.h"

#include <dyno/live_metrics.h>
#include <dyno/trust.h>

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <fmt/format.h>

namespace dyno::tst_exporters {

namespace {

using test::OddHttpServer;
using test::RecordingSink;

const ExpositionSample* find(const std::vector<ExpositionSample>& samples, std::string_view series)
{
    const auto found = std::ranges::find(samples, series, &ExpositionSample::series);
    return found == samples.end() ? nullptr : &*found;
}

std::unique_ptr<MetricsServer> exporterOf(std::function<std::string()> text)
{
    auto server = MetricsServer::listen(MetricsAddress(), std::move(text));
    if (!server)
        qFatal("%s", server.error().text().c_str());
    return std::move(*server);
}

Plan planWith(const std::string& exporter)
{
    Plan plan = test::smallPlan("null:?service_us=100");
    plan.load.timeSeconds = 1.3; // asked at its beginning and after a second
    plan.load.warmupSeconds = 0;
    plan.load.intervalSeconds = 0.1;
    plan.set.insert_or_assign("exporter.box", exporter);
    return plan;
}

RunnerOptions trusting()
{
    RunnerOptions options;
    options.consent.allow("exporter.box");
    return options;
}

//! Index of a series of the run; −1 when it has none of that name.
int indexOf(const RunHeader& run, const std::string& name)
{
    const auto found = std::ranges::find_if(
        run.counters, [&](const CounterInfo& one) { return one.source == "box" && one.name == name; });
    return found == run.counters.end() ? -1 : int(found - run.counters.begin());
}

bool hasEvent(const RecordingSink& sink, const std::string& part)
{
    return !sink.events.empty() && std::ranges::any_of(sink.events.front(), [&](const RunEvent& event) {
        return event.text.find(part) != std::string::npos;
    });
}

} // namespace

class TestExporters : public QObject
{
    Q_OBJECT

private slots:
    //! The example of the format's description.
    void publishedExample()
    {
        const std::string text = test::contentOf(DYNO_SOURCE_DIR "/tests/data/prometheus/published.txt");
        const auto samples = readExposition(text);
        QVERIFY2(samples, samples ? "" : samples.error().text().c_str());
        QCOMPARE(samples->size(), std::size_t(20));
        const ExpositionSample* post = find(*samples, "http_requests_total{method=\"post\",code=\"400\"}");
        QVERIFY(post && post->value == 3 && post->counts && post->name == "http_requests_total");
        const ExpositionSample* file = find(*samples, "msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\","
                                                      "error=\"Cannot find file:\\n\\\"FILE.TXT\\\"\"}");
        QVERIFY(file && file->value == 1.458255915e9 && !file->counts);
        QVERIFY(find(*samples, "metric_without_timestamp_and_labels")->value == 12.47);
        QVERIFY(std::isinf(find(*samples, "something_weird{problem=\"division by zero\"}")->value));
        for (const char* name :
             {"http_request_duration_seconds_bucket{le=\"+Inf\"}", "http_request_duration_seconds_sum",
              "http_request_duration_seconds_count", "rpc_duration_seconds_sum", "rpc_duration_seconds_count"})
            QVERIFY2(find(*samples, name) && find(*samples, name)->counts, name);
        QVERIFY(!find(*samples, "rpc_duration_seconds{quantile=\"0.99\"}")->counts);
    }

    void lines_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("value"); // of its only sample
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("NaN") << QByteArray("a NaN\n") << nan;
        QTest::newRow("small nan") << QByteArray("a nan") << nan;
        QTest::newRow("-Inf") << QByteArray("a -Inf\n") << -HUGE_VAL;
        QTest::newRow("hex") << QByteArray("a 0x1p-2\n") << 0.25;
        QTest::newRow("plus") << QByteArray("a +1.5e3\n") << 1500.0;
        QTest::newRow("tabs") << QByteArray("\ta\t{ b = \"c\" , }\t7\t5\n") << 7.0;
        QTest::newRow("braces in a value") << QByteArray("a{b=\"}{\"} 7\n") << 7.0;
        QTest::newRow("no labels in braces") << QByteArray("a{} 7\n") << 7.0;
        QTest::newRow("end of line of Windows") << QByteArray("a 7\r\n") << 7.0;
        QTest::newRow("the first of two counts") << QByteArray("a 7\na 8\n") << 7.0;
        QTest::newRow("exemplar") << QByteArray("a{le=\"1\"} 7 # {trace_id=\"x\"} 0.5 1.2\n# EOF\n") << 7.0;
        QTest::newRow("too small") << QByteArray("a -1e-400\n") << 0.0;
        QTest::newRow("too large") << QByteArray("a 1e400\n") << HUGE_VAL;
        QTest::newRow("exemplar after a timestamp") << QByteArray("a 7 1.5 # {t=\"x\"} 0.5\n") << 7.0;
    }
    void lines()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, value);
        const auto samples = readExposition(std::string_view(text.data(), std::size_t(text.size())));
        QVERIFY2(samples, samples ? "" : samples.error().text().c_str());
        QCOMPARE(samples->size(), std::size_t(1));
        QVERIFY(samples->front().value == value || (std::isnan(value) && std::isnan(samples->front().value)));
    }

    void brokenLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* line :
             {"<html>",         "1a 7",     "a",          "a x",       "a 7 x",          "a 7 8 9",
              "a{b} 7",         "a{b=c} 7", "a{b=\"c} 7", "a{b=\"c\"", "a{b=\"\\x\"} 7", "a{b=\"c\" d=\"e\"} 7",
              "a{b:c=\"d\"} 7", "a{,} 7",   "a --7",      "a 0x",      "a 7,5",          "{a=\"b\"} 7",
              "a\\ 7",          "a{b=\"c\\"})
            QTest::newRow(line) << QByteArray(line);
        QTest::newRow("NUL") << QByteArray("a\0b 7", 5);
        QTest::newRow("long") << "a{b=\"" + QByteArray(1 << 16, 'x') + "\"} 7";
    }
    //! Half of a text that is no such format could be anything.
    void brokenLines()
    {
        QFETCH(QByteArray, line);
        const QByteArray text = "# a comment\nfine 1\n" + line + "\nfine2 1\n";
        const auto samples = readExposition(std::string_view(text.data(), std::size_t(text.size())));
        QVERIFY(!samples);
        QVERIFY2(samples.error().message.find("line 3") != std::string::npos, samples.error().text().c_str());
    }

    void patterns()
    {
        QVERIFY(matchesPattern("node_load1", "node_load1"));
        QVERIFY(!matchesPattern("node_load15", "node_load1"));
        QVERIFY(matchesPattern("node_load15", "node_load1*"));
        QVERIFY(matchesPattern("abcabc", "*c"));
        QVERIFY(matchesPattern("x{a=\"b\",c=\"d\"}", "x{*c=\"d\"}"));
        QVERIFY(matchesPattern("", "**") && !matchesPattern("a", "") && !matchesPattern("ab", "*a"));
        QVERIFY(!matchesPattern(std::string(20000, 'a'), "*a*a*a*a*a*a*b")); // and takes no time
    }

    void settings_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("wrong"); // a part of the message; "": it is fine
        QTest::newRow("fine") << "db host"
                              << "http://db1:9100/metrics node_load1 node_cpu*"
                              << "";
        QTest::newRow("https") << "a"
                               << "https://[::1]/x?collect[]=cpu"
                               << "";
        QTest::newRow("no scheme") << "a"
                                   << "127.0.0.1:9100"
                                   << "http://";
        QTest::newRow("file") << "a"
                              << "file:///etc/passwd"
                              << "http://";
        QTest::newRow("password") << "a"
                                  << "http://joe:secret@db1/metrics"
                                  << "is not sent";
        QTest::newRow("user") << "a"
                              << "http://joe@db1/metrics"
                              << "is not sent";
        QTest::newRow("two hosts") << "a"
                                   << "http://db1\\@db2/metrics"
                                   << "is not sent";
        QTest::newRow("backslash") << "a"
                                   << "http://db1/\\x"
                                   << "characters";
        QTest::newRow("fragment") << "a"
                                  << "http://db1/x#y"
                                  << "characters";
        QTest::newRow("no host") << "a"
                                 << "http:///metrics"
                                 << "no host";
        QTest::newRow("odd host") << "a"
                                  << "http://db%31/metrics"
                                  << "no host";
        QTest::newRow("port") << "a"
                              << "http://db1:0/metrics"
                              << "no host";
        QTest::newRow("line break") << "a"
                                    << "http://db1/ a\nb"
                                    << "one line";
        QTest::newRow("empty") << "a"
                               << ""
                               << "http://";
        QTest::newRow("taken name") << "server"
                                    << "http://db1/"
                                    << "no name";
        QTest::newRow("name of a process") << "HAProxy process"
                                           << "http://db1/"
                                           << "no name";
        QTest::newRow("slash") << "a/b"
                               << "http://db1/"
                               << "no name";
    }
    void settings()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, wrong);
        const auto exporter = exporterFrom(name.toStdString(), value.toStdString());
        QCOMPARE(exporter.has_value(), wrong.isEmpty());
        if (!exporter)
            QVERIFY2(exporter.error().message.find(wrong.toStdString()) != std::string::npos &&
                         exporter.error().message.find("secret") == std::string::npos,
                     exporter.error().text().c_str());
        // A plan says the same, with its place.
        const ParsedPlan parsed =
            parsePlan("[target]\nuri = \"null:\"\n[workload]\nname = \"oltp_point_select\"\n[set]\n'exporter." +
                          name.toStdString() + "' = '''" + value.toStdString() + "'''\n",
                      "plan");
        QCOMPARE(parsed.plan.has_value(), wrong.isEmpty());
        if (parsed.plan) {
            QCOMPARE(exportersOf(*parsed.plan).size(), std::size_t(1));
            const ParsedPlan again = parsePlan(writePlan(*parsed.plan), "again");
            QVERIFY(again.plan && again.plan->set == parsed.plan->set);
        }
    }

    void onlyOfAllRuns()
    {
        Plan plan = planWith("http://db1/");
        plan.axes.push_back({});
        plan.axes.back().name = "exporters";
        plan.axes.back().cases.resize(2);
        for (Case& one : plan.axes.back().cases) {
            one.label = &one == &plan.axes.back().cases.front() ? "a" : "b";
            one.set.insert_or_assign("exporter.box", std::string("http://db2/" + one.label));
        }
        const Faults faults = checkPlan(plan);
        QVERIFY(std::ranges::any_of(
            faults, [](const Fault& one) { return one.what.find("in all runs") != std::string::npos; }));
    }

    //! A URL in somebody's plan makes this program talk to somebody.
    void needsAnAgreement()
    {
        int asked = 0;
        const auto server = exporterOf([&asked] {
            ++asked;
            return std::string("level 7\n");
        });
        const Plan plan = planWith(server->url() + " level");
        const std::vector<Risk> risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string("exporter.box"));
        QVERIFY2(risks.front().wants.find("http://127.0.0.1:") != std::string::npos, risks.front().wants.c_str());
        RecordingSink sink;
        test::runPlan(plan, RunnerOptions(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("exporter.box") != std::string::npos, sink.session.reason.c_str());
        QCOMPARE(asked, 0);
        // Typed, it is this person's own; another one's is not covered by it.
        Plan typed = plan;
        QVERIFY(setField(typed, "exporter.mine", "http://127.0.0.1:1/metrics"));
        const Consent consent = typedIn(plan, typed);
        const std::vector<Risk> open = unanswered(typed, consent);
        QCOMPARE(open.size(), std::size_t(1));
        QCOMPARE(open.front().key, std::string("exporter.box"));
    }

    //! Counts become rates, levels stay, what is gone is not a number; others than those that are named are not stored.
    void seriesOfARun()
    {
        std::atomic<int> asked = 0;
        const auto from = std::chrono::steady_clock::now();
        const auto server = exporterOf([&] {
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
            return fmt::format("# TYPE work_seconds_total counter\nwork_seconds_total{{cpu=\"0\"}} {}\n"
                               "# TYPE level_bytes gauge\nlevel_bytes 7.5\nother 1\n{}",
                               1000 * seconds, ++asked < 3 ? "gone 3\n" : "");
        });
        RecordingSink sink;
        Plan plan = planWith(server->url() + " work* level_bytes gone");
        plan.load.timeSeconds = 2.4; // one answer more than it takes, where the machine is busy
        test::runPlan(plan, trusting(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const RunHeader& run = sink.runs.front();
        const int work = indexOf(run, "work_seconds_total{cpu=\"0\"}"), level = indexOf(run, "level_bytes"),
                  gone = indexOf(run, "gone");
        QVERIFY(work >= 0 && level >= 0 && gone >= 0);
        QCOMPARE(indexOf(run, "other"), -1);
        QVERIFY(run.counters[std::size_t(work)].rate && run.counters[std::size_t(work)].unit == "seconds");
        QVERIFY(!run.counters[std::size_t(level)].rate && run.counters[std::size_t(level)].unit == "bytes");
        std::vector<double> rates;
        bool sawLevel = false, sawGone = false, sawNone = false;
        for (const IntervalSample& sample : sink.samples.front()) {
            QCOMPARE(sample.counters.size(), run.counters.size());
            const double rate = sample.counters[std::size_t(work)];
            if (!std::isnan(rate))
                rates.push_back(rate);
            if (std::isnan(sample.counters[std::size_t(level)]))
                continue; // no answer in this interval
            QCOMPARE(sample.counters[std::size_t(level)], 7.5);
            sawLevel = true;
            const bool none = std::isnan(sample.counters[std::size_t(gone)]);
            sawGone = sawGone || !none;
            sawNone = sawNone || none;
        }
        QVERIFY2(sawLevel && sawGone && sawNone,
                 qPrintable(QString("%1 %2 %3, asked %4 times").arg(sawLevel).arg(sawGone).arg(sawNone).arg(asked)));
        QVERIFY(!rates.empty());
        std::ranges::sort(rates);
        const double median = rates[rates.size() / 2]; // the answer's way is part of the time it is divided by
        QVERIFY2(median > 500 && median < 2000, qPrintable(QString::number(median)));
    }

    //! The run is the same, an event says why there are no series.
    void missingExporter()
    {
        RecordingSink sink;
        test::runPlan(planWith("http://127.0.0.1:1/metrics"), trusting(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QVERIFY(sink.summaries.front().transactions > 0);
        QVERIFY(hasEvent(sink, "the exporter \"box\" has no series in this run: "));
        QCOMPARE(indexOf(sink.runs.front(), "level"), -1);
    }

    //! It breaks off in the middle: gaps, one event, and the load goes on.
    void exporterThatEnds()
    {
        std::atomic<int> asked = 0;
        const OddHttpServer server([&](const OddHttpServer&, int socket, const std::string&) {
            if (++asked <= 2)
                OddHttpServer::send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nlevel 7\n");
        });
        RecordingSink sink;
        test::runPlan(planWith(server.url()), trusting(), sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const int level = indexOf(sink.runs.front(), "level");
        QVERIFY(level >= 0);
        QVERIFY(std::isnan(sink.samples.front().back().counters[std::size_t(level)]));
        QVERIFY(hasEvent(sink, "the exporter \"box\"'s counters could not be read: "));
    }

    void tooManySeries()
    {
        std::string text;
        for (int i = 0; i < 1000; ++i)
            text += fmt::format("many{{i=\"{}\"}} 1\n", i);
        const auto server = exporterOf([&text] { return text; });
        const auto found = seriesOf({"box", server->url(), {}});
        QVERIFY(found && found->matching == 1000 && found->counters.size() == ExporterSeries::kMost);
        QVERIFY(!seriesOf({"box", server->url(), {"few*"}}));
    }

    //! A statement in a label is no name of a series.
    void namesThatAreTooLong()
    {
        const std::string text =
            fmt::format("calls{{sql=\"{}\"}} 1\ncalls{{sql=\"short\"}} 2\n", std::string(40000, 'x'));
        const auto server = exporterOf([&text] { return text; });
        const auto found = seriesOf({"box", server->url(), {}});
        QVERIFY(found && found->matching == 2 && found->tooLong == 1);
        QCOMPARE(found->series, std::vector<std::string>{"calls{sql=\"short\"}"});
        RecordingSink sink;
        Plan plan = planWith(server->url());
        plan.load.timeSeconds = 0.2;
        test::runPlan(plan, trusting(), sink);
        QVERIFY(hasEvent(sink, "1 with too long a name are skipped"));
    }

    void answers_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArray>("rest"); // sent again and again while somebody reads
        QTest::addColumn<QString>("why");
        QTest::newRow("garbage") << QByteArray("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\x01\x02<html>\n")
                                 << QByteArray() << "line 1";
        QTest::newRow("no HTTP") << QByteArray("220 mail ready\r\n") << QByteArray() << "";
        QTest::newRow("not found") << QByteArray("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") << QByteArray()
                                   << "404";
        QTest::newRow("sign-in") << QByteArray("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: "
                                               "0\r\n\r\n")
                                 << QByteArray() << "401";
        QTest::newRow("nothing") << QByteArray() << QByteArray() << "";
        QTest::newRow("body without an end")
            << QByteArray("HTTP/1.1 200 OK\r\n\r\n") << QByteArray(1 << 16, 'a') << "more than 2 MiB";
        QTest::newRow("head without an end")
            << QByteArray("HTTP/1.1 200 OK\r\n") << QByteArray("X-Much: " + QByteArray(1 << 14, 'a') + "\r\n") << "";
    }
    void answers()
    {
        QFETCH(QByteArray, head);
        QFETCH(QByteArray, rest);
        QFETCH(QString, why);
        const auto view = [](const QByteArray& bytes) {
            return std::string_view(bytes.data(), std::size_t(bytes.size()));
        };
        const OddHttpServer server([&](const OddHttpServer& self, int socket, const std::string&) {
            OddHttpServer::send(socket, view(head));
            while (!rest.isEmpty() && !self.ending() && OddHttpServer::send(socket, view(rest))) {
            }
        });
        const auto found = seriesOf({"box", server.url(), {}});
        QVERIFY(!found);
        QVERIFY2(!found.error().message.empty() && found.error().message.find(why.toStdString()) != std::string::npos,
                 found.error().message.c_str());
    }

    //! What was agreed to is one address.
    void redirect()
    {
        const OddHttpServer other([](const OddHttpServer&, int socket, const std::string&) {
            OddHttpServer::send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nlevel 7\n");
        });
        const OddHttpServer server([&other](const OddHttpServer&, int socket, const std::string&) {
            OddHttpServer::send(socket,
                                "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + other.url() + "\r\n\r\n");
        });
        const auto found = seriesOf({"box", server.url(), {}});
        QVERIFY(!found && found.error().message.find("redirects (302)") != std::string::npos);
        QCOMPARE(other.asked(), 0);
        QCOMPARE(server.asked(), 1);
        QVERIFY(seriesOf({"box", other.url(), {}})); // it would have answered
    }

    //! Three that never answer hold a run up for as long as one, and further runs for about a second.
    void hangs()
    {
        const OddHttpServer server(
            [](const OddHttpServer&, int socket, const std::string&) { OddHttpServer::waitForEnd(socket); });
        Plan plan = planWith(server.url());
        plan.load.timeSeconds = 0.1;
        plan.load.repeats = 3;
        RunnerOptions options = trusting();
        for (const char* more : {"exporter.box2", "exporter.box3"}) {
            plan.set.insert_or_assign(more, server.url());
            options.consent.allow(more);
        }
        RecordingSink sink;
        QElapsedTimer time;
        time.start();
        test::runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QVERIFY(hasEvent(sink, "\"box3\" has no series in this run: it did not answer within 3 s"));
        QCOMPARE(sink.summaries.size(), std::size_t(3));
        // 3 s, and twice one; 27 s where each is waited for.
        QVERIFY2(time.elapsed() < 16000, qPrintable(QString::number(time.elapsed())));
    }

    //! Nor is the rest of those seconds waited for when a person ends the run, or a run ends.
    void hangsAndIsUnwanted()
    {
        std::atomic<int> asked = 0;
        const OddHttpServer server([&](const OddHttpServer&, int socket, const std::string&) {
            if (++asked <= 1)
                OddHttpServer::send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nlevel 7\n");
            else
                OddHttpServer::waitForEnd(socket);
        });
        const ExporterAddress address{"box", server.url(), {}};
        const auto found = seriesOf(address);
        QVERIFY(found);
        const auto monitor = monitorOf(address, *found);
        monitor->start();
        QTRY_COMPARE(asked.load(), 2);
        monitor->endSoon();
        QTRY_VERIFY_WITH_TIMEOUT(server.answered() >= 2, 2500); // not after its 3 s
        const auto unwanted = seriesOf(address, [] { return true; });
        QVERIFY(!unwanted && unwanted.error().message.find("not waited for") != std::string::npos);
    }

    //! Whoever scrapes this program does not get what others' exporters say, whatever the plan calls them.
    void seriesAreNotServedAgain()
    {
        const auto server = exporterOf([] { return std::string("level{user=\"joe\"} 7\n"); });
        LiveMetrics metrics;
        std::string text;
        RecordingSink sink;
        sink.sampleHook = [&](const IntervalSample&) { text = metrics.text(); };
        Plan plan = planWith(server->url());
        plan.load.timeSeconds = 0.3;
        SessionRunner runner(plan, trusting(), {&metrics, &sink});
        runner.start();
        runner.wait();
        QVERIFY(indexOf(sink.runs.front(), "level{user=\"joe\"}") >= 0);
        QVERIFY(text.find("dynobench_series{source=\"host\"") != std::string::npos);
        QVERIFY2(text.find("joe") == std::string::npos, text.c_str());
    }
};

} // namespace dyno::tst_exporters

DYNO_SUITE(tst_exporters, dyno::tst_exporters::TestExporters)
#include "tst_exporters.moc"
