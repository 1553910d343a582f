// SPDX-License-Identifier: GPL-3.0-or-later
// What Prometheus reads of a session: the text against its published format, and the server against clients that mean
// harm or take their time.
#include "support/http_client.h"
#include "support/suite.h"

#include <dyno/live_metrics.h>

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include <fcntl.h>
#include <map>
#include <new>
#include <poll.h>
#include <set>
#include <sys/resource.h>
#include <thread>

namespace dyno::tst_live_metrics {

namespace {

using test::httpAnswer;
using test::httpBody;
using test::HttpClient;
using test::httpGet;

//! All samples of a text, by name with labels as they stand. Checks on the way what the format demands: each line is a
//! sample or begins with its "# HELP" and "# TYPE", samples of a metric stand together, none stands twice.
std::map<QString, double> samplesIn(const std::string& text, QStringList& wrong)
{
    static const QRegularExpression sample(
        R"re(^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*\})?)re"
        R"re( (NaN|[+-]Inf|[-+0-9.e]+)$)re");
    static const QRegularExpression type(R"(^# TYPE (\S+) (counter|gauge|histogram|summary)$)");
    static const QRegularExpression help(R"(^# HELP (\S+) .+$)");
    std::map<QString, double> samples;
    QSet<QString> types;
    QString metric, told;
    if (!text.ends_with('\n'))
        wrong << "the last line has no end";
    for (const QString& line : QString::fromStdString(text).split('\n', Qt::SkipEmptyParts)) {
        if (const auto one = help.match(line); one.hasMatch()) {
            told = one.captured(1);
        } else if (const auto kind = type.match(line); kind.hasMatch()) {
            metric = kind.captured(1);
            if (types.contains(metric) || told != metric)
                wrong << line;
            types.insert(metric);
            if (kind.captured(2) == "counter" && !metric.endsWith("_total"))
                wrong << line;
        } else if (const auto found = sample.match(line); found.hasMatch()) {
            const QString name = found.captured(1);
            const bool own =
                name == metric || name == metric + "_bucket" || name == metric + "_sum" || name == metric + "_count";
            const QString key = name + found.captured(2);
            if (!own || samples.contains(key))
                wrong << line;
            samples[key] = found.captured(3) == "+Inf" ? HUGE_VAL : found.captured(3).toDouble();
        } else {
            wrong << line;
        }
    }
    return samples;
}

SessionHeader headerOf(const std::string& uri)
{
    SessionHeader header;
    header.id = "1234";
    header.title = "a \"title\"\\ of\ntwo lines";
    header.plan.workload.name = "oltp_read_write";
    PointSpec point;
    point.target.uri = uri;
    point.cases = {{"durability", "flush=0"}};
    header.points = {point};
    header.runs = {RunSlot(), RunSlot()};
    return header;
}

RunHeader runOf(int repeat)
{
    RunHeader run;
    run.index = repeat - 1;
    run.repeat = repeat;
    run.operations = {{"read", OpClass::Read}, {"readers", OpClass::Group}};
    run.counters = {{"server", "Com_commit", "commits", true},
                    {"server", "dirty", "pages", false},
                    {"server", "dirty", "pages", false},
                    {"host", "temperature", "°C", false}};
    return run;
}

IntervalSample sampleOf(std::uint64_t transactions)
{
    IntervalSample sample;
    sample.lengthNs = 500'000'000;
    sample.transaction.count = transactions;
    sample.transaction.errors = 1;
    sample.transaction.service.record(2'000'000, transactions); // 2 ms
    sample.transaction.response.record(2'000'000, transactions - 1);
    sample.transaction.response.record(3'000'000'000); // 3 s
    sample.ops.resize(2);
    sample.ops[0].count = 3 * transactions;
    sample.ops[0].service.record(700, 3 * transactions); // 0.7 µs
    sample.ops[1].count = transactions;
    sample.ops[1].service.record(2'000'000, transactions);
    sample.retried = 2;
    sample.dropped = 3;
    sample.errors = {{1213, 4}};
    sample.users = 16;
    sample.client.cpuSeconds = 0.25;
    sample.counters = {150.5, 7, 8, std::numeric_limits<double>::quiet_NaN()};
    return sample;
}

//! Empty where this build has the HTTP library. One without refuses, and says what would help; any other reason to
//! serve nothing is a fault.
QString whyNotServed()
{
    const auto server = MetricsServer::listen(MetricsAddress(), [] { return std::string(); });
    if (server || server.error().kind != ErrorKind::BadInput || server.error().remedy.empty())
        return {};
    const QString why = QString::fromStdString(server.error().message);
    return why.contains("no HTTP library") ? why : QString();
}

//! Serves what a test may change.
std::unique_ptr<MetricsServer> serving(const std::function<std::string()>& text)
{
    auto server = MetricsServer::listen(MetricsAddress(), text);
    if (!server)
        qFatal("%s", server.error().text().c_str());
    return std::move(*server);
}

int portOf(const MetricsServer& server)
{
    const QString url = QString::fromStdString(server.url());
    return url.section(':', 2).section('/', 0, 0).toInt();
}

} // namespace

class TestLiveMetrics : public QObject
{
    Q_OBJECT

private slots:
    void figures()
    {
        LiveMetrics metrics;
        QStringList wrong;
        auto samples = samplesIn(metrics.text(), wrong); // before anything began
        QCOMPARE(wrong, QStringList());
        QCOMPARE(samples.at("dynobench_transactions_total"), 0.0);
        metrics.onSessionStarted(headerOf("mysql://joe@db1:3307/sbtest?tls=required"));
        metrics.onRunStarted(runOf(1));
        metrics.onSample(sampleOf(10));
        metrics.onSample(sampleOf(30));
        const std::string text = metrics.text();
        samples = samplesIn(text, wrong);
        QCOMPARE(wrong, QStringList());
        QCOMPARE(samples.at("dynobench_transactions_total"), 40.0);
        QCOMPARE(samples.at("dynobench_transaction_errors_total"), 2.0);
        QCOMPARE(samples.at("dynobench_transactions_retried_total"), 4.0);
        QCOMPARE(samples.at("dynobench_arrivals_dropped_total"), 6.0);
        QCOMPARE(samples.at("dynobench_errors_total{code=\"1213\"}"), 8.0);
        QCOMPARE(samples.at("dynobench_operations_total{operation=\"read\"}"), 120.0);
        QVERIFY(!samples.contains("dynobench_operations_total{operation=\"readers\"}"));
        QCOMPARE(samples.at("dynobench_group_transactions_total{group=\"readers\"}"), 40.0);
        QCOMPARE(samples.at("dynobench_transactions_per_second"), 60.0); // 30 in half a second
        QCOMPARE(samples.at("dynobench_users"), 16.0);
        QCOMPARE(samples.at("dynobench_generator_cpu_seconds_total"), 0.5);
        QCOMPARE(samples.at("dynobench_phase{phase=\"measure\"}"), 1.0);
        QCOMPARE(samples.at("dynobench_phase{phase=\"warm-up\"}"), 0.0);
        // 38 of 2 ms and 2 of 3 s from the intended start
        QCOMPARE(samples.at("dynobench_response_seconds_bucket{le=\"0.001\"}"), 0.0);
        QCOMPARE(samples.at("dynobench_response_seconds_bucket{le=\"0.0025\"}"), 38.0);
        QCOMPARE(samples.at("dynobench_response_seconds_bucket{le=\"2.5\"}"), 38.0);
        QCOMPARE(samples.at("dynobench_response_seconds_bucket{le=\"5\"}"), 40.0);
        QCOMPARE(samples.at("dynobench_response_seconds_bucket{le=\"+Inf\"}"), 40.0);
        QCOMPARE(samples.at("dynobench_response_seconds_count"), 40.0);
        QVERIFY(std::abs(samples.at("dynobench_response_seconds_sum") - (38 * 0.002 + 2 * 3.0)) < 0.2);
        QCOMPARE(samples.at("dynobench_service_seconds_bucket{le=\"0.0025\"}"), 40.0);
        QCOMPARE(samples.at("dynobench_interval_response_seconds{quantile=\"1\"}"), 3.0);
        const double median = samples.at("dynobench_interval_response_seconds{quantile=\"0.5\"}");
        QVERIFY2(std::abs(median / 0.002 - 1) < 0.016, qPrintable(QString::number(median)));
        const double read = samples.at("dynobench_operation_seconds{operation=\"read\",quantile=\"0.99\"}");
        QVERIFY(std::abs(read / 0.7e-6 - 1) < 0.016);
        QCOMPARE(samples.at("dynobench_operation_seconds_count{operation=\"read\"}"), 120.0);
        QCOMPARE(samples.at("dynobench_group_response_seconds_count{group=\"readers\"}"), 40.0);
        // Series: the first of two that are called alike; none of what is not known.
        const auto series = [&](const char* labels) {
            return samples.contains(QString("dynobench_series{%1}").arg(labels));
        };
        QCOMPARE(samples.at("dynobench_series{source=\"server\",name=\"Com_commit\",unit=\"commits\",kind=\"rate\"}"),
                 150.5);
        QCOMPARE(samples.at("dynobench_series{source=\"server\",name=\"dirty\",unit=\"pages\",kind=\"level\"}"), 7.0);
        QVERIFY(!series("source=\"host\",name=\"temperature\",unit=\"°C\",kind=\"level\""));
        // Who it is: nobody's name, no option of the connection.
        QVERIFY2(text.find("dynobench_run_info{session=\"1234\",title=\"a \\\"title\\\"\\\\ of\\ntwo lines\","
                           "workload=\"oltp_read_write\",target=\"mysql://db1:3307/sbtest\",point=\"flush=0\","
                           "repeat=\"1\",run=\"1\"} 1\n") != std::string::npos,
                 text.c_str());
        QVERIFY(text.find("joe") == std::string::npos);
        QVERIFY(text.find("tls") == std::string::npos);
    }

    //! Counts go on from run to run; levels are those of a run that lasts.
    void runAfterRun()
    {
        LiveMetrics metrics;
        metrics.onSessionStarted(headerOf("sqlite:/home/joe/secret/quick.db"));
        metrics.onRunStarted(runOf(1));
        metrics.onSample(sampleOf(10));
        metrics.onRunFinished({});
        QStringList wrong;
        auto samples = samplesIn(metrics.text(), wrong);
        QCOMPARE(samples.at("dynobench_transactions_total"), 10.0);
        QCOMPARE(samples.at("dynobench_users"), 0.0);
        QVERIFY(!samples.contains("dynobench_transactions_per_second"));
        QVERIFY(!samples.contains("dynobench_interval_response_seconds{quantile=\"0.5\"}"));
        QCOMPARE(samples.at("dynobench_interval_response_seconds_count"), 10.0);
        QVERIFY(metrics.text().find("run_info") == std::string::npos);
        metrics.onRunStarted(runOf(2));
        metrics.onSample(sampleOf(5));
        const std::string text = metrics.text();
        samples = samplesIn(text, wrong);
        QCOMPARE(wrong, QStringList());
        QCOMPARE(samples.at("dynobench_transactions_total"), 15.0);
        QVERIFY(text.find("target=\"sqlite:quick.db\"") != std::string::npos);
        QVERIFY(text.find("repeat=\"2\",run=\"2\"") != std::string::npos);
        QVERIFY(text.find("/home/joe") == std::string::npos);
    }

    //! What a case or an exporter says is theirs: users, folders and labels are not told to whoever asks.
    void hidden_data()
    {
        QTest::addColumn<QString>("uri");
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("told");
        QTest::newRow("value") << "mysql://joe@db1/sbtest?tls=required"
                               << "mysql://joe@db1/sbtest?tls=required"
                               << "mysql://db1/sbtest";
        QTest::newRow("named value") << "mysql://joe@db1/sbtest"
                                     << "uri=mysql://joe@db1/sbtest, flush=0"
                                     << "uri=mysql://db1/sbtest, flush=0";
        QTest::newRow("file") << "sqlite:/home/joe/secret/quick.db"
                              << "sqlite:/home/joe/secret/quick.db"
                              << "sqlite:quick.db";
        QTest::newRow("another") << "mysql://db1/sbtest"
                                 << "as mysql://joe@x/y and b://joe@z"
                                 << "as mysql://x/y and b://z";
        QTest::newRow("no user") << "mysql://db1/sbtest"
                                 << "http://x/a@b"
                                 << "http://x/a@b";
    }
    void hidden()
    {
        QFETCH(QString, uri);
        QFETCH(QString, label);
        QFETCH(QString, told);
        LiveMetrics metrics;
        SessionHeader header = headerOf(uri.toStdString());
        header.title = "of mysql://joe@db1/sbtest";
        header.points.front().cases = {{"target", label.toStdString()}};
        header.plan.set.insert_or_assign("exporter.box", std::string("http://127.0.0.1:9100/metrics"));
        metrics.onSessionStarted(header);
        RunHeader run = runOf(1);
        run.counters = {{"box", "up{user=\"joe\"}", "", false}, {"server", "dirty", "pages", false}};
        metrics.onRunStarted(run);
        IntervalSample sample = sampleOf(10);
        sample.counters = {1, 7};
        metrics.onSample(sample);
        const std::string text = metrics.text();
        QVERIFY2(text.find("point=\"" + told.toStdString() + "\"") != std::string::npos, text.c_str());
        QVERIFY2(text.find("joe") == std::string::npos, text.c_str());
        QVERIFY(text.find("source=\"box\"") == std::string::npos);
        QVERIFY(text.find("source=\"server\",name=\"dirty\"") != std::string::npos);
    }

    //! A server may make up as many codes as it likes: the text stays short and the sum right.
    void manyCodes()
    {
        LiveMetrics metrics;
        metrics.onRunStarted(runOf(1));
        IntervalSample sample = sampleOf(2);
        for (int code = 0; code < 5000; ++code)
            sample.errors[code] = 1;
        metrics.onSample(sample);
        QStringList wrong;
        double sum = 0;
        int lines = 0;
        for (const auto& [name, value] : samplesIn(metrics.text(), wrong)) {
            if (name.startsWith("dynobench_errors_total")) {
                sum += value;
                ++lines;
            }
        }
        QCOMPARE(sum, 5000.0);
        QVERIFY(lines <= 201);
    }

    void addresses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("means"); // "": refused
        QTest::addColumn<bool>("local");
        QTest::newRow("address") << "127.0.0.1:9464"
                                 << "127.0.0.1:9464" << true;
        QTest::newRow("port alone") << ":9464"
                                    << "127.0.0.1:9464" << true;
        QTest::newRow("name of this machine") << "localhost:0"
                                              << "127.0.0.1:0" << true;
        QTest::newRow("IPv6") << "[::1]:9464"
                              << "[::1]:9464" << true;
        QTest::newRow("all") << "0.0.0.0:9464"
                             << "0.0.0.0:9464" << false;
        QTest::newRow("all of IPv6") << "[::]:9464"
                                     << "[::]:9464" << false;
        QTest::newRow("no port") << "127.0.0.1"
                                 << "" << false;
        QTest::newRow("empty port") << "127.0.0.1:"
                                    << "" << false;
        QTest::newRow("port too large") << ":65536"
                                        << "" << false;
        QTest::newRow("port below") << ":-1"
                                    << "" << false;
        QTest::newRow("port with more") << ":9464x"
                                        << "" << false;
        QTest::newRow("name") << "db1:9464"
                              << "" << false;
        QTest::newRow("IPv6 without brackets") << "::1:9464"
                                               << "" << false;
        QTest::newRow("IPv4 in brackets") << "[127.0.0.1]:9464"
                                          << "" << false;
        QTest::newRow("nothing") << ""
                                 << "" << false;
    }
    void addresses()
    {
        QFETCH(QString, text);
        QFETCH(QString, means);
        const auto address = metricsAddressFrom(text.toStdString());
        QCOMPARE(address ? QString::fromStdString(address->text()) : QString(), means);
        if (address)
            QTEST(address->isLocal(), "local");
        else
            QVERIFY(address.error().kind == ErrorKind::BadInput && !address.error().remedy.empty());
    }

    void answers()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto server = serving([] { return std::string("told 1\n"); });
        const int port = portOf(*server);
        const std::string got = httpGet(port, "/metrics");
        QVERIFY2(got.starts_with("HTTP/1.1 200 OK\r\n"), got.c_str());
        QVERIFY(got.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n") != std::string::npos);
        QCOMPARE(httpBody(got), std::string("told 1\n"));
        QVERIFY(httpGet(port, "/metrics?a=b").starts_with("HTTP/1.1 200 "));
        for (const char* path : {"/", "/metrics/", "/../metrics", "/metricsx", "/etc/passwd"})
            QVERIFY2(httpGet(port, path).starts_with("HTTP/1.1 404 "), path);
        const std::string head = httpAnswer(port, "HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QVERIFY2(head.starts_with("HTTP/1.1 200 ") && httpBody(head).empty(), head.c_str());
        QVERIFY(httpAnswer(port, "POST /metrics HTTP/1.1\r\nHost: [::1]:1\r\nContent-Length: 2\r\n\r\nab")
                    .starts_with("HTTP/1.1 405 "));
        // A page of somebody's whose name was made to lead here.
        QVERIFY(
            httpAnswer(port, "GET /metrics HTTP/1.1\r\nHost: evil.example:80\r\n\r\n").starts_with("HTTP/1.1 403 "));
        // Not what was asked for a hundred times.
        const std::string ranges =
            httpAnswer(port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-,0-,0-,0-,0-,0-\r\n\r\n");
        QVERIFY2(ranges.starts_with("HTTP/1.1 200 ") && httpBody(ranges) == "told 1\n", ranges.c_str());
    }

    void portTaken()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto server = serving([] { return std::string(); });
        MetricsAddress address;
        address.port = portOf(*server);
        const auto second = MetricsServer::listen(address, [] { return std::string(); });
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::BadInput);
        QVERIFY2(second.error().message.find("in use") != std::string::npos, second.error().text().c_str());
    }

    void requestsThatAreTooLong()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto server = serving([] { return std::string("told 1\n"); });
        const int port = portOf(*server);
        const std::string much(1 << 20, 'a');
        for (const std::string& request :
             {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Much: " + much + "\r\n\r\n", "GET /" + much, much,
              "GET /metrics HTTP/1.1\r\nRange: bytes=" + std::string(8000, '1') + "-" + much,
              "GET /metrics HTTP/1.1\r\n" +
                  [] {
                      std::string lines;
                      for (int i = 0; i < 20000; ++i)
                          lines += "X: y\r\n";
                      return lines;
                  }() +
                  "\r\n"}) {
            HttpClient client(port);
            (void)client.send(request);
            const std::string got = client.readAll(); // nothing at all where the rest of the request met a closed door
            QVERIFY2(got.empty() || got.starts_with("HTTP/1.1 4"), got.substr(0, 60).c_str());
            QVERIFY(got.find("told") == std::string::npos);
        }
        // What is just short enough, in one value of a header that the library reads by itself.
        const std::string longest = httpAnswer(
            port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + std::string(7900, '1') + "-\r\n\r\n");
        QVERIFY2(longest.starts_with("HTTP/1.1 "), longest.c_str());
        QCOMPARE(httpBody(httpGet(port, "/metrics")), std::string("told 1\n"));
    }

    //! Clients that say nothing are few at a time; the others are turned away, and the end waits for none of them.
    void slowClients()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        auto server = serving([] { return std::string("told 1\n"); });
        const int port = portOf(*server);
        std::vector<std::unique_ptr<HttpClient>> silent;
        for (int i = 0; i < 40; ++i) {
            silent.push_back(std::make_unique<HttpClient>(port));
            (void)silent.back()->send("GET /met");
        }
        // Two are being answered and sixteen wait: of forty, most have been closed.
        QElapsedTimer time;
        time.start();
        QCOMPARE(silent.back()->readAll(), std::string());
        QVERIFY2(silent.back()->closed() && time.elapsed() < 4500, qPrintable(QString::number(time.elapsed())));
        time.restart();
        server.reset();
        QVERIFY2(time.elapsed() < 4500, qPrintable(QString::number(time.elapsed())));
        QCOMPARE(silent.front()->readAll(), std::string());
        QVERIFY(silent.front()->closed());
    }

    //! A request a byte at a time and an answer that nobody reads have five seconds in all, and both threads are free
    //! again.
    void neverDone()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const std::string much(std::size_t(64) << 20, 'a');
        std::atomic<bool> first = true;
        const auto server = serving([&] { return first.exchange(false) ? much : std::string("told 1\n"); });
        HttpClient dripping(portOf(*server)), deaf(portOf(*server));
        QVERIFY(deaf.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        QTRY_VERIFY(!first);
        QElapsedTimer time;
        time.start();
        while (dripping.send("a") && time.elapsed() < 15000)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        QVERIFY2(time.elapsed() < 9000, qPrintable(QString::number(time.elapsed())));
        QCOMPARE(httpBody(httpGet(portOf(*server), "/metrics")), std::string("told 1\n"));
        QTest::qWait(std::max(0, 6500 - int(time.elapsed()))); // its five seconds began when it was taken up
        const std::string got = deaf.readAll();
        QVERIFY(deaf.closed() && got.starts_with("HTTP/1.1 200 ") && got.size() < much.size());
    }

    //! A text that cannot be written ends its connection, and nothing else.
    void textThatFails()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        std::atomic<bool> fails = true;
        const auto server = serving([&fails]() -> std::string {
            if (fails)
                throw std::bad_alloc();
            return "told 1\n";
        });
        const std::string got = httpGet(portOf(*server), "/metrics");
        QVERIFY2(got.empty() || got.starts_with("HTTP/1.1 500 "), got.c_str());
        fails = false;
        QCOMPARE(httpBody(httpGet(portOf(*server), "/metrics")), std::string("told 1\n"));
    }

    //! Where no file can be opened, a connection waits until one can be.
    void withoutFreeFiles()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto server = serving([] { return std::string("told 1\n"); });
        rlimit before{};
        QVERIFY(::getrlimit(RLIMIT_NOFILE, &before) == 0);
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); // the lowest that was free
        rlimit none = before;
        none.rlim_cur = rlim_t(socket) + 1;
        QVERIFY(::setrlimit(RLIMIT_NOFILE, &none) == 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(std::uint16_t(portOf(*server)));
        const bool connected = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        const std::string_view request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const bool sent = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) == ssize_t(request.size());
        pollfd one{socket, POLLIN, 0};
        const int early = ::poll(&one, 1, 150);
        (void)::setrlimit(RLIMIT_NOFILE, &before);
        const int answered = ::poll(&one, 1, 20000);
        char buffer[64] = {};
        const ssize_t got = answered == 1 ? ::recv(socket, buffer, sizeof buffer - 1, 0) : 0;
        ::close(socket);
        QVERIFY(connected && sent);
        QCOMPARE(early, 0);
        QVERIFY2(got > 0 && std::string_view(buffer).starts_with("HTTP/1.1 200 "), buffer);
    }

    //! A load of thousands of users has thousands of open files.
    void afterManyOpenFiles()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        std::vector<int> open;
        for (int i = 0; i < 1100; ++i) {
            const int one = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (one < 0)
                break;
            open.push_back(one);
        }
        const bool beyond = !open.empty() && open.back() > 1024;
        std::string got;
        {
            const auto server = serving([] { return std::string("told 1\n"); });
            got = beyond ? httpGet(portOf(*server), "/metrics") : std::string();
        }
        for (const int one : open)
            ::close(one);
        if (!beyond)
            QSKIP("this user may not open more than 1024 files");
        QVERIFY2(got.starts_with("HTTP/1.1 200 "), got.c_str());
    }

    //! While intervals are told on one thread, others read: each text is whole.
    void readWhileItChanges()
    {
        if (const QString why = whyNotServed(); !why.isEmpty())
            QSKIP(qPrintable(why));
        LiveMetrics metrics;
        metrics.onSessionStarted(headerOf("null:"));
        metrics.onRunStarted(runOf(1));
        const auto server = serving([&metrics] { return metrics.text(); });
        const int port = portOf(*server);
        std::atomic<bool> enough = false;
        std::thread session([&] {
            while (!enough)
                metrics.onSample(sampleOf(10));
        });
        double before = -1;
        for (int i = 0; i < 20; ++i) {
            QStringList wrong;
            const auto samples = samplesIn(httpBody(httpGet(port, "/metrics")), wrong);
            const bool fits =
                wrong.isEmpty() && samples.contains("dynobench_transactions_total") &&
                samples.at("dynobench_transactions_total") >= before &&
                samples.at("dynobench_transactions_total") == samples.at("dynobench_response_seconds_count");
            if (!fits) {
                enough = true;
                session.join();
                QFAIL(qPrintable(wrong.join('\n')));
            }
            before = samples.at("dynobench_transactions_total");
        }
        enough = true;
        session.join();
        QVERIFY(before > 0);
    }
};

} // namespace dyno::tst_live_metrics

DYNO_SUITE(tst_live_metrics, dyno::tst_live_metrics::TestLiveMetrics)
#include "tst_live_metrics.moc"
