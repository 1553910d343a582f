// SPDX-License-Identifier: GPL-3.0-or-later
// Failover as an event: two real servers behind a forwarder that is switched while users go on, and a server that
// becomes read-only.
#include "monitor/server_changes.h"
#include "mysql_test.h"
#include "recording_sink.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

#include <dyno/runner.h>

#include <QTest>

#include <algorithm>
#include <fmt/format.h>

namespace dyno::tst_server_changes {

using test::FaultProxy;
using test::MariadbFixture;
using test::RecordingSink;

namespace {

ServerSelf selfOf(const char* identity, const char* name, std::optional<bool> writes = {})
{
    return {identity, name, writes, true};
}

std::size_t placeOfEvent(const RecordingSink& sink, const std::string& part)
{
    const std::vector<RunEvent>& events = sink.events.front();
    const auto found =
        std::ranges::find_if(events, [&part](const RunEvent& one) { return one.text.find(part) != std::string::npos; });
    return std::size_t(found - events.begin());
}

} // namespace

class TestServerChanges : public QObject
{
    Q_OBJECT

    MariadbFixture m_first, m_second;

private slots:
    void sentences()
    {
        ServerChanges changes;
        QCOMPARE(changes.add(selfOf("a", "db1:3306", true)), std::string());
        QCOMPARE(changes.add(selfOf("a", "db1:3306", true)), std::string());
        QCOMPARE(changes.add(selfOf("b", "db2:3306", true)),
                 std::string("another server answers: db2:3306, was db1:3306"));
        QCOMPARE(changes.add(selfOf("b", "db2:3306", false)), std::string("the server became read-only"));
        QCOMPARE(changes.add({}), std::string()); // it tells nothing: as it was
        QCOMPARE(changes.add(selfOf("b", "db2:3306", true)), std::string("the server takes writes again"));
        QCOMPARE(changes.add(selfOf("a", "db1:3306", false)),
                 std::string("another server answers: db1:3306, was db2:3306, and it is read-only"));
        QCOMPARE(changes.add(selfOf("c", "db1:3306")), std::string("another server answers, also called db1:3306"));
        QCOMPARE(changes.add(selfOf("d", "", true)), std::string("another server answers, and it takes writes"));
        ServerChanges replica;
        QCOMPARE(replica.add(selfOf("a", "db1", false)), std::string());
        QCOMPARE(replica.add(selfOf("a", "db1", true)), std::string("the server takes writes now"));
    }

    //! What a server calls itself is bounded and steers nothing; who it is counts as a whole.
    void strangeNames()
    {
        ServerChanges changes;
        const std::string much(1'000'000, 'x');
        QCOMPARE(changes.add({much, "a\x1b[2J\nb", {}, true}), std::string());
        const std::string cut = changes.add({much + "2", std::string(199, 'x') + "äöü" + much, {}, true});
        QCOMPARE(cut, "another server answers: " + std::string(199, 'x') + "…, was a\\u{1B}[2J\\u{0A}b");
        QCOMPARE(changes.add({much + "2", much, {}, true}), std::string());
    }

    //! A balancer that gives each question to another server does not fill the list.
    void balancer()
    {
        ServerChanges changes;
        std::size_t told = 0;
        std::string last;
        for (int i = 0; i < 1000; ++i) {
            std::string text = changes.add(i % 2 == 0 ? selfOf("a", "db1") : selfOf("b", "db2"));
            told += text.empty() ? 0 : 1;
            last = text.empty() ? last : text;
        }
        QCOMPARE(told, ServerChanges::kMostTold + 1);
        QCOMPARE(last, std::string("further changes of the server are not reported"));
    }

    //! The forwarder goes to the other server in the middle of a run; then that one becomes read-only, and no more.
    void failover()
    {
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        for (MariadbFixture* server : {&m_first, &m_second}) {
            const auto started = server->startOnNetwork({});
            QVERIFY2(started, started ? "" : started.error().text().c_str());
        }
        auto admin = m_second.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto self = (*admin)->self();
        QVERIFY(self && self->asked && self->writes == true && !self->identity.empty());
        const std::string port = fmt::format(":{}", m_second.uri().port);
        QVERIFY2(self->name.ends_with(port), self->name.c_str());
        FaultProxy proxy;
        QVERIFY(proxy.start({{}, "127.0.0.1", m_first.uri().port}));
        // The same database and data on both.
        for (const MariadbFixture* server : {&m_first, &m_second}) {
            auto each = server->admin();
            QVERIFY(each && (*each)->execute("CREATE DATABASE IF NOT EXISTS both_have"));
        }
        const auto uriAt = [](int at) { return fmt::format("mysql://root@127.0.0.1:{}/both_have", at); };
        {
            Plan load = test::smallPlan(uriAt(m_second.uri().port));
            load.load.timeSeconds = 0.1;
            load.load.warmupSeconds = 0;
            RecordingSink loading;
            test::runPlan(load, RunnerOptions(), loading);
            QVERIFY2(loading.session.status == RunStatus::Done, loading.session.reason.c_str());
        }
        Plan plan = test::smallPlan(uriAt(proxy.port()));
        plan.load.users = {2};
        plan.load.timeSeconds = 60; // ended below
        plan.load.warmupSeconds = 0;
        plan.load.intervalSeconds = 0.2;
        plan.load.reconnectSeconds = 20;
        RecordingSink sink;
        std::optional<SessionRunner> runner;
        int step = 0;
        const auto told = [&sink](const char* part) {
            return !sink.events.empty() && placeOfEvent(sink, part) < sink.events.front().size();
        };
        sink.sampleHook = [&](const IntervalSample&) {
            ++step;
            if (step == 5) {
                proxy.setServer({{}, "127.0.0.1", m_second.uri().port});
                proxy.cut(FaultProxy::End::Reset);
            }
            if (told("another server answers") && step % 5 == 0 && !told("became read-only"))
                (void)(*admin)->execute("SET GLOBAL read_only = 1");
            if (told("became read-only") && step % 5 == 0 && !told("takes writes again"))
                (void)(*admin)->execute("SET GLOBAL read_only = 0");
            if (told("takes writes again") || step > 150)
                runner->stop();
        };
        runner.emplace(plan, RunnerOptions(), std::vector<SampleSink*>{&sink});
        runner->start();
        runner->wait();
        const std::vector<RunEvent>& events = sink.events.front();
        std::string all;
        for (const RunEvent& one : events)
            all += fmt::format("{:.1f} {}\n", double(one.tNs) * 1e-9, one.text);
        const std::size_t other = placeOfEvent(sink, "another server answers: "),
                          readOnly = placeOfEvent(sink, "the server became read-only"),
                          writes = placeOfEvent(sink, "the server takes writes again");
        QVERIFY2(other < readOnly && readOnly < writes && writes < events.size(), all.c_str());
        QVERIFY2(events[other].text.find(port) != std::string::npos &&
                     events[other].text.find(fmt::format(":{}", m_first.uri().port)) != std::string::npos,
                 all.c_str());
        QVERIFY(events[other].kind == EventKind::Server);
        // From the last answer of the one to the first of the other.
        const std::int64_t cutNs = sink.samples.front().at(4).tNs;
        QVERIFY2(events[other].tNs + events[other].lengthNs >= cutNs && events[other].tNs <= cutNs + 2'000'000'000,
                 all.c_str());
        for (const char* once : {"another server answers", "became read-only", "takes writes again"})
            QCOMPARE(std::ranges::count_if(
                         events, [once](const RunEvent& one) { return one.text.find(once) != std::string::npos; }),
                     std::ptrdiff_t(1));
    }
};

} // namespace dyno::tst_server_changes

DYNO_SUITE(tst_server_changes, dyno::tst_server_changes::TestServerChanges)
#include "tst_server_changes.moc"
