// SPDX-License-Identifier: GPL-3.0-or-later
// Other machines over ssh: what a plan may say, figures of known answers, a real sshd on this machine, and connections
// that are refused, break, hang or talk nonsense.
#include "metrics/host_place.h"
#include "metrics/host_usage.h"
#include "monitor/machine/machine_monitor.h"
#include "plan/machines.h"
#include "recording_sink.h"
#include "server/host/ssh_link.h"
#include "support/sshd_fixture.h"
#include "support/suite.h"

#include <dyno/trust.h>

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace dyno::tst_machines {

namespace {

using test::RecordingSink;

constexpr std::chrono::milliseconds kLong{10'000};

Plan planOf(const std::string& machine, double seconds)
{
    Plan plan = test::smallPlan("null:?service_us=1000");
    plan.load.timeSeconds = seconds;
    plan.load.warmupSeconds = 0;
    plan.load.intervalSeconds = 0.1;
    plan.set.insert_or_assign("machine.box", machine);
    return plan;
}

RunnerOptions agreed()
{
    RunnerOptions options;
    options.consent.allow("machine.box");
    return options;
}

std::vector<std::string> namesOf(const std::vector<CounterInfo>& series, const std::string& source)
{
    std::vector<std::string> names;
    for (const CounterInfo& one : series) {
        if (one.source == source)
            names.push_back(fmt::format("{} {} {}", one.name, one.unit, one.rate));
    }
    return names;
}

//! The values of a run's intervals that are known.
std::vector<double> valuesOf(const RecordingSink& sink, const std::string& source, const std::string& name)
{
    std::vector<double> values;
    const auto& counters = sink.runs.front().counters;
    const auto found = std::ranges::find_if(
        counters, [&](const CounterInfo& one) { return one.source == source && one.name == name; });
    for (const IntervalSample& sample : sink.samples.front()) {
        if (found == counters.end())
            break;
        const double value = sample.counters.at(std::size_t(found - counters.begin()));
        if (!std::isnan(value))
            values.push_back(value);
    }
    return values;
}

std::string eventsOf(const RecordingSink& sink)
{
    std::string all;
    for (const RunEvent& one : sink.events.front())
        all += one.text + "\n";
    return all;
}

//! What /proc says at a moment, as the script on the other side gives it.
std::string answerAt(double uptime, int ticks, int reads)
{
    return fmt::format("/proc/stat:cpu  {0} 0 200 9000 30 10 20 40 0 0\n/proc/stat:cpu0 1 2\n/proc/stat:ctxt {1}\n"
                       "/proc/stat:procs_running 3\n/proc/meminfo:MemAvailable: 600 kB\n/proc/vmstat:pgmajfault {2}\n"
                       "/proc/diskstats:   8       0 sda {2} 5 16000 400 200 7 8000 300 0 90 500 0 0 0 0 10 20\n"
                       "/proc/diskstats:   8       1 sda1 {2} 5 16000 400 200 7 8000 300 0 90 500 0 0 0 0 10 20\n"
                       "/proc/net/dev:  eth0: {1} 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
                       "/proc/net/dev:  br0:9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n"
                       "/etc/shadow:root:x\nno file\n/proc/uptime:{3:.2f} 7.00\n",
                       ticks, 10 * ticks, reads, uptime);
}

constexpr const char* kGreetingOfLinux = "motd\ndynobench-host\nkernel Linux\nticks 250\ndisk sda\ndisk bad name\n"
                                         "device eth0\n";

} // namespace

class TestMachines : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<test::SshdFixture> m_sshd; //!< shared by all; nullptr: none can be had
    QString m_whyNone;

    //! A program in ssh's place, for what a real one does not do.
    std::string fakeSsh(const QByteArray& script)
    {
        static int count = 0;
        const QString path = m_folder.filePath(QString("ssh%1").arg(++count));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + script) < 0)
            qFatal("cannot write it");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path.toStdString();
    }
    [[nodiscard]] SshDestination sshdPlace() const { return *sshDestinationFrom(m_sshd->setting().substr(4)); }
    [[nodiscard]] qint64 triesIn(const QString& mark) const { return QFile(m_folder.filePath(mark)).size(); }
    static Expected<SshLink::Answer> askOnce(const SshDestination& to, SshProgram program,
                                             std::chrono::milliseconds patience = kLong)
    {
        SshLink link(to, hostScript(), std::string(kHostEnd), std::move(program));
        return link.ask(patience, {});
    }

    //! SshLink as machines are asked through it.
    class LinkWay final : public MachineWay
    {
    public:
        explicit LinkWay(SshProgram program)
            : m_link({"", "db1", 0}, hostScript(), std::string(kHostEnd), std::move(program))
        {
        }
        Expected<Answer> ask(std::chrono::milliseconds patience, const std::function<bool()>& stop,
                             const std::function<void()>& sent) override
        {
            auto answer = m_link.ask(patience, stop, sent);
            if (!answer)
                return tl::unexpected(answer.error());
            return Answer{answer->greeting, answer->text};
        }
        void refuse(const Error& why) override { m_link.refuse(why); }
        std::int64_t cpuNs() const override { return m_link.cpuNs(); }

    private:
        SshLink m_link;
    };

private slots:
    void initTestCase()
    {
        m_whyNone = test::SshdFixture::whyMissing();
        if (!m_whyNone.isEmpty())
            return;
        m_sshd = std::make_unique<test::SshdFixture>();
        const QString problem = m_sshd->start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        qputenv("DYNO_SSH_CONFIG", m_sshd->config().toUtf8());
    }
    void cleanupTestCase()
    {
        qunsetenv("DYNO_SSH_CONFIG");
        m_sshd.reset();
    }

    void destinations_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("as"); // "user|host|port"; "" = refused
        QTest::newRow("host") << QByteArray("db1") << QByteArray("|db1|0");
        QTest::newRow("all") << QByteArray("joe@db1.example.org:2222") << QByteArray("joe|db1.example.org|2222");
        QTest::newRow("IPv4") << QByteArray("192.0.2.1:22") << QByteArray("|192.0.2.1|22");
        QTest::newRow("IPv6") << QByteArray("joe@[2001:db8::1]:22") << QByteArray("joe|2001:db8::1|22");
        QTest::newRow("IPv6 alone") << QByteArray("[::1]") << QByteArray("|::1|0");
        QTest::newRow("empty") << QByteArray() << QByteArray();
        QTest::newRow("option") << QByteArray("-oProxyCommand=id") << QByteArray();
        QTest::newRow("option as user") << QByteArray("-l@db1") << QByteArray();
        QTest::newRow("option behind user") << QByteArray("joe@-G") << QByteArray();
        QTest::newRow("blank") << QByteArray("db1 reboot") << QByteArray();
        QTest::newRow("tab") << QByteArray("db1\treboot") << QByteArray();
        QTest::newRow("line") << QByteArray("db1\nreboot") << QByteArray();
        QTest::newRow("shell") << QByteArray("$(id)") << QByteArray();
        QTest::newRow("backquotes") << QByteArray("`id`@db1") << QByteArray();
        QTest::newRow("quote") << QByteArray("db1'") << QByteArray();
        QTest::newRow("percent") << QByteArray("db%h") << QByteArray();
        QTest::newRow("two users") << QByteArray("a@b@db1") << QByteArray();
        QTest::newRow("no user") << QByteArray("@db1") << QByteArray();
        QTest::newRow("no host") << QByteArray("joe@") << QByteArray();
        QTest::newRow("no port") << QByteArray("db1:") << QByteArray();
        QTest::newRow("port 0") << QByteArray("db1:0") << QByteArray();
        QTest::newRow("port 65536") << QByteArray("db1:65536") << QByteArray();
        QTest::newRow("port and more") << QByteArray("db1:22x") << QByteArray();
        QTest::newRow("bare IPv6") << QByteArray("::1") << QByteArray();
        QTest::newRow("no IPv6") << QByteArray("[db1]") << QByteArray();
        QTest::newRow("open bracket") << QByteArray("[::1") << QByteArray();
        QTest::newRow("bracket only") << QByteArray("[") << QByteArray();
        QTest::newRow("zone") << QByteArray("[fe80::1%eth0]") << QByteArray();
        QTest::newRow("URI") << QByteArray("ssh://db1") << QByteArray();
        QTest::newRow("too long") << QByteArray(300, 'a') << QByteArray();
    }
    void destinations()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, as);
        const auto to = sshDestinationFrom(text.toStdString());
        QCOMPARE(to.has_value(), !as.isEmpty());
        // A plan says the same, with its place.
        Plan plan = planOf("ssh " + text.toStdString(), 1);
        const Faults faults = checkPlan(plan);
        QCOMPARE(faults.empty(), !as.isEmpty());
        if (!to) {
            QCOMPARE(faults.front().where, std::string("set.machine.box"));
            QVERIFY(!faults.front().remedy.empty());
            return;
        }
        QCOMPARE(QByteArray::fromStdString(fmt::format("{}|{}|{}", to->user, to->host, to->port)), as);
        QVERIFY(sshDestinationFrom(to->display()));
        QCOMPARE(machinesOf(plan).size(), std::size_t(1));
        const ParsedPlan again = parsePlan(writePlan(plan), "again");
        QVERIFY(again.plan && again.plan->set == plan.set);
    }

    void plans()
    {
        const auto faultOf = [](const Plan& plan) {
            const Faults faults = checkPlan(plan);
            return faults.empty() ? std::string() : faults.front().what;
        };
        QVERIFY(faultOf(planOf("telnet db1", 1)).find("by ssh") != std::string::npos);
        Plan taken = planOf("ssh db1", 1);
        taken.set.insert_or_assign("machine.host", std::string("ssh db1"));
        QVERIFY(faultOf(taken).find("no name for a machine") != std::string::npos);
        Plan twice = planOf("ssh db1", 1);
        twice.set.insert_or_assign("exporter.box", std::string("http://db1:9100/metrics"));
        QVERIFY(faultOf(twice).find("exporter has this name") != std::string::npos);
        Plan many = planOf("ssh db1", 1);
        for (std::size_t i = 0; i < kMostMachines; ++i)
            many.set.insert_or_assign(fmt::format("machine.m{}", i), std::string("ssh db1"));
        QVERIFY(faultOf(many).find("9 machines are too many") != std::string::npos);
        Plan axis = planOf("ssh db1", 1);
        axis.axes.push_back({});
        axis.axes.back().name = "machines";
        axis.axes.back().cases.resize(2);
        for (Case& one : axis.axes.back().cases) {
            one.label = &one == &axis.axes.back().cases.front() ? "a" : "b";
            one.set.insert_or_assign("machine.more", std::string("ssh " + one.label));
        }
        QVERIFY(faultOf(axis).find("in all runs") != std::string::npos);
    }

    //! Somebody else's plan starts no ssh before this person said yes.
    void needsAnAgreement()
    {
        const QString mark = m_folder.filePath("started");
        qputenv("DYNO_SSH", QByteArray::fromStdString(fakeSsh("touch " + mark.toUtf8() + "\n")));
        const Plan plan = planOf("ssh joe@db1:2222", 0.2);
        const std::vector<Risk> risks = risksOf(plan);
        QCOMPARE(risks.size(), std::size_t(1));
        QCOMPARE(risks.front().key, std::string("machine.box"));
        QVERIFY2(risks.front().wants.find("joe@db1:2222 by your own ssh") != std::string::npos,
                 risks.front().wants.c_str());
        RecordingSink sink;
        test::runPlan(plan, RunnerOptions(), sink);
        QCOMPARE(sink.session.status, RunStatus::Failed);
        QVERIFY2(sink.session.reason.find("machine.box") != std::string::npos, sink.session.reason.c_str());
        QVERIFY(!QFile::exists(mark));
        RecordingSink after;
        test::runPlan(plan, agreed(), after);
        qunsetenv("DYNO_SSH");
        QVERIFY2(after.session.status == RunStatus::Done, after.session.reason.c_str());
        QVERIFY(QFile::exists(mark));
        Plan typed = plan;
        QVERIFY(setField(typed, "machine.mine", "ssh db2"));
        const std::vector<Risk> open = unanswered(typed, typedIn(plan, typed));
        QCOMPARE(open.size(), std::size_t(1));
        QCOMPARE(open.front().key, std::string("machine.box"));
    }

    //! Rates are over the time of the other machine's clock; what is no file of those that were asked for is nothing.
    void figuresOfKnownAnswers()
    {
        auto place = std::make_shared<AnsweredPlace>();
        QVERIFY(place->greet(kGreetingOfLinux));
        QVERIFY(place->answer(answerAt(100, 1000, 100)));
        QVERIFY(place->text("/etc/shadow").empty() && !place->hasDisk("bad name"));
        HostUsage usage(place, "db host");
        const auto of = [&](const std::vector<double>& figures, const char* name) {
            for (std::size_t i = 0; i < figures.size(); ++i) {
                if (usage.series()[i].name == name && usage.series()[i].source == "db host")
                    return figures[i];
            }
            return -1.0;
        };
        QVERIFY(place->answer(answerAt(104, 1500, 180)));
        std::vector<double> figures = usage.take();
        QCOMPARE(of(figures, "CPU user"), 0.5); // 500 of 250 a second in 4 s
        QCOMPARE(of(figures, "context switches"), 1250.0);
        QCOMPARE(of(figures, "runnable threads"), 3.0);
        QCOMPARE(of(figures, "memory available"), 600 * 1024.0);
        QCOMPARE(of(figures, "sda reads"), 20.0);
        QCOMPARE(of(figures, "sda1 reads"), -1.0);
        QCOMPARE(of(figures, "network received"), 1250.0); // no bridge
        QCOMPARE(of(figures, "TCP retransmits"), -1.0);    // it does not tell them
        // After a gap nothing is said of it; levels are known.
        usage.forget();
        QVERIFY(place->answer(answerAt(200, 9000, 900)));
        figures = usage.take();
        QVERIFY(std::isnan(of(figures, "CPU user")) && of(figures, "runnable threads") == 3);
        // It was restarted: no rate is below zero or over a time below zero.
        QVERIFY(place->answer(answerAt(5, 10'000, 1000)));
        figures = usage.take();
        QVERIFY(std::isnan(of(figures, "CPU user")) && std::isnan(of(figures, "sda reads")));
        QVERIFY(place->answer(answerAt(6, 10'250, 1001)));
        QCOMPARE(of(usage.take(), "CPU user"), 1.0);
    }

    void oddAnswers()
    {
        AnsweredPlace place;
        const auto why = [](const Expected<void>& result) { return result ? std::string() : result.error().message; };
        QVERIFY(why(place.greet("login: \n")).find("POSIX shell") != std::string::npos);
        QCOMPARE(why(place.greet("dynobench-host\nkernel Free\x1b[2JBSD\n")).find('\x1b'), std::string::npos);
        QVERIFY(why(place.greet("dynobench-host\nkernel FreeBSD\n")).find("kernel is FreeBSD") != std::string::npos);
        QVERIFY(place.greet(kGreetingOfLinux));
        for (const char* text :
             {"", "\n", "/proc/uptime:7.0\n", "/proc/stat:cpu  1\n/proc/uptime:-1 0\n",
              "/proc/stat:cpu  1\n/proc/uptime:1e300 0\n", "/proc/stat:cpu  1\n/proc/uptime:nan 0\n"})
            QVERIFY2(why(place.answer(text)).find("/proc") != std::string::npos, text);
        QVERIFY(place.answer("/proc/stat:cpu  1\n/proc/uptime:1.00 0\n/proc/meminfo:Dirty: -5 kB\n"));
        HostUsage usage(std::make_shared<AnsweredPlace>(place), "odd");
        QVERIFY(
            std::ranges::none_of(usage.series(), [](const CounterInfo& one) { return one.name == "dirty memory"; }));
    }

    //! This machine from the outside tells what it tells from the inside.
    void thisMachine()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        RecordingSink sink;
        SessionRunner runner(planOf(m_sshd->setting(), 30), agreed(), {&sink});
        sink.sampleHook = [&](const IntervalSample& /*sample*/) { // as soon as both have told enough
            constexpr std::size_t kEnough = 3;
            if (std::min(valuesOf(sink, "box", "context switches").size(),
                         valuesOf(sink, kHostSource, "context switches").size()) >= kEnough)
                runner.stop();
        };
        runner.start();
        runner.wait();
        QVERIFY2(sink.session.status == RunStatus::Stopped, eventsOf(sink).c_str());
        const std::vector<CounterInfo>& counters = sink.runs.front().counters;
        QCOMPARE(namesOf(counters, "box"), namesOf(counters, kHostSource));
        QVERIFY2(!namesOf(counters, "box").empty(), eventsOf(sink).c_str());
        const std::vector<double> far = valuesOf(sink, "box", "memory available"),
                                  near = valuesOf(sink, kHostSource, "memory available");
        QVERIFY2(far.size() >= 2, eventsOf(sink).c_str());
        QVERIFY2(std::abs(far.back() / near.back() - 1) < 0.3,
                 qPrintable(QString("%1 %2").arg(far.back()).arg(near.back())));
        // Both count the same switches, at other moments.
        const auto mean = [&](const char* source) {
            const std::vector<double> all = valuesOf(sink, source, "context switches");
            double sum = 0;
            for (const double one : all)
                sum += one;
            return all.empty() ? 0 : sum / double(all.size());
        };
        const double there = mean("box"), here = mean(kHostSource);
        QVERIFY2(there > here / 2 && there < here * 2, qPrintable(QString("%1 %2").arg(there).arg(here)));
    }

    //! The connections are cut, then come back by themselves: a gap, an event, and the load goes on.
    void cutInTheMiddle()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        RecordingSink sink;
        SessionRunner runner(planOf(m_sshd->setting(), 60), agreed(), {&sink});
        int cut = 0;
        std::size_t known = 0; // values before the gap
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (cut == 0 && sample.tNs > 300'000'000)
                cut = m_sshd->signalConnections(SIGKILL);
            const bool gap =
                eventsOf(sink).find("the machine \"box\"'s counters could not be read: ") != std::string::npos;
            const std::size_t now = valuesOf(sink, "box", "memory available").size();
            known = gap ? known : now;
            if (gap && now > known)
                runner.stop(); // they are back
        };
        runner.start();
        runner.wait();
        QVERIFY2(sink.session.status == RunStatus::Stopped, eventsOf(sink).c_str());
        QVERIFY(cut > 0);
        QVERIFY(sink.summaries.front().transactions > 100);
    }

    //! It hangs: neither the load nor the end of the run waits for it.
    void hangs()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        RecordingSink sink;
        int stopped = 0;
        sink.sampleHook = [&](const IntervalSample& sample) {
            if (stopped == 0 && sample.tNs > 300'000'000)
                stopped = m_sshd->signalConnections(SIGSTOP);
        };
        QElapsedTimer sinceLast;
        const auto cut = sink.sampleHook;
        sink.sampleHook = [&](const IntervalSample& sample) {
            cut(sample);
            sinceLast.start();
        };
        test::runPlan(planOf(m_sshd->setting(), 1.5), agreed(), sink);
        const qint64 ms = sinceLast.elapsed();
        m_sshd->signalConnections(SIGKILL);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        QVERIFY(stopped > 0);
        QVERIFY2(ms < 2800, qPrintable(QString::number(ms)));
        QVERIFY(sink.summaries.front().transactions > 100);
    }

    void refusedConnections()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        const SshDestination to = sshdPlace();
        const auto whyNot = [&](const QString& config) {
            const auto answer = askOnce(to, {{}, config.toStdString()});
            return answer ? std::string() : answer.error().text();
        };
        QCOMPARE(whyNot(m_sshd->config()), std::string());
        const std::string changed = whyNot(m_sshd->writeConfig("changed", "user", "other"));
        QVERIFY2(changed.find("host key is another one") != std::string::npos &&
                     changed.find(fmt::format("ssh -F \"$DYNO_SSH_CONFIG\" -p {} ", to.port)) != std::string::npos,
                 changed.c_str());
        const std::string unknown = whyNot(m_sshd->writeConfig("unknown", "user", ""));
        QVERIFY2(unknown.find("does not know its host key") != std::string::npos, unknown.c_str());
        const std::string stranger = whyNot(m_sshd->writeConfig("stranger", "other", "host"));
        QVERIFY2(stranger.find("Permission denied") != std::string::npos &&
                     stranger.find("ssh-copy-id") != std::string::npos,
                 stranger.c_str());
        const auto closed = askOnce({to.user, to.host, freeLocalPort()}, {{}, m_sshd->config().toStdString()});
        QVERIFY2(!closed && closed.error().message.find("Connection refused") != std::string::npos,
                 closed ? "" : closed.error().text().c_str());
    }

    //! One connection serves many questions, and ends with the link.
    void oneConnection()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        auto link = std::make_unique<SshLink>(sshdPlace(), hostScript(), std::string(kHostEnd));
        QVERIFY(link->ask(kLong, {}));
        const pid_t process = link->process();
        QVERIFY(process > 0);
        const auto second = link->ask(kLong, {});
        QVERIFY(second && second->text.find("/proc/uptime:") != std::string::npos);
        QCOMPARE(link->process(), process);
        QCOMPARE(::kill(process, 0), 0);
        link.reset();
        QCOMPARE(::kill(process, 0), -1);
    }

    //! Its configuration may be made for tunnels; an ssh before 8.7 knows none of these settings.
    void settingsOfTunnels()
    {
        if (!m_sshd)
            QSKIP(qPrintable(m_whyNone));
        const QString path = m_sshd->writeConfig("tunnels", "user", "host");
        QFile config(path);
        QVERIFY(config.open(QIODevice::Append));
        config.write("  IgnoreUnknown SessionType,StdinNull,ForkAfterAuthentication\n  SessionType none\n"
                     "  StdinNull yes\n  ForkAfterAuthentication yes\n");
        config.close();
        const auto answer = askOnce(sshdPlace(), {{}, path.toStdString()});
        QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
        QVERIFY(answer->text.find("/proc/uptime:") != std::string::npos);
    }

    void olderPrograms()
    {
        const auto answer =
            askOnce({"", "db1", 0},
                    {fakeSsh("case \"$*\" in *SessionType*) echo 'command-line: line 0: Bad configuration option: "
                             "sessiontype' >&2; exit 255;; esac\nfor x; do :; done\nexec /bin/sh -c \"$x\"\n"),
                     {}});
        QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
        QVERIFY(answer->text.find("/proc/uptime:") != std::string::npos);
    }

    //! Requests are questions that were sent: no connections, and none of the time in which nobody is asked.
    void whatItCosts()
    {
        const QByteArray work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ";
        MachineReader reader("box", std::make_unique<LinkWay>(SshProgram{
                                        fakeSsh("echo dynobench-host; echo kernel Linux; echo dynobench-end\n"
                                                "for n in 1 2 3; do read -r x; " +
                                                work +
                                                "printf '/proc/stat:cpu  1\\n/proc/uptime:%s.00 0\\n' $n; "
                                                "echo dynobench-end; done; read -r x; exit 1\n"),
                                        {}}));
        QVERIFY(reader.series(kLong, {}));
        AskMeter meter;
        const std::int64_t cpuNs = threadCpuNs();
        int good = 0;
        for (int i = 0; i < 30; ++i)
            good += reader.take({}, meter) ? 1 : 0;
        const std::int64_t ownNs = threadCpuNs() - cpuNs;
        QCOMPARE(good, 2);
        const AskCost cost = meter.cost(1);
        QCOMPARE(cost.requests, std::uint64_t(3));
        QVERIFY2(cost.cpuNs > 1'000'000 && cost.totalNs > cost.cpuNs / 2,
                 qPrintable(QString("%1 %2 %3").arg(cost.cpuNs).arg(cost.totalNs).arg(ownNs)));
    }

    //! It connects more slowly than anybody waits: the connection goes on, and serves whoever asks next.
    void slowConnections()
    {
        SshLink link({"", "db1", 0}, hostScript(), std::string(kHostEnd),
                     {fakeSsh("echo >>" + m_folder.filePath("slow").toUtf8() +
                              "; sleep 1.5\nfor x; do :; done\nexec /bin/sh -c \"$x\"\n"),
                      {}});
        QElapsedTimer time;
        time.start();
        int late = 0;
        auto answer = link.ask(std::chrono::milliseconds(700), {});
        for (; !answer && time.elapsed() < 7000; ++late)
            answer = link.ask(std::chrono::milliseconds(700), {});
        QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
        QVERIFY(late > 0);
        QCOMPARE(triesIn("slow"), qint64(1));
    }

    //! With no descriptors left ssh is not started: it would have this program's own input and output.
    void noDescriptorsLeft()
    {
        const std::string program = fakeSsh("echo >>" + m_folder.filePath("own").toUtf8() + "\n");
        std::array<int, 4> next{}; // of those that a link needs
        for (int& one : next)
            one = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        const int most = *std::ranges::max_element(next);
        for (const int one : next)
            ::close(one);
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        rlimit few = before;
        few.rlim_cur = rlim_t(most) + 1;
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        const auto answer = askOnce({"", "db1", 0}, {program, {}}, std::chrono::milliseconds(1000));
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QVERIFY(!answer);
        QVERIFY2(answer.error().message.find("ssh cannot be started") != std::string::npos,
                 answer.error().message.c_str());
        QCOMPARE(triesIn("own"), qint64(0));
    }

    void faultyPrograms_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("why");
        QTest::newRow("ends") << QByteArray("exit 3\n") << "ended without a connection";
        QTest::newRow("garbage") << QByteArray("head -c 3000 /dev/urandom; exec cat\n") << "did not connect in time";
        QTest::newRow("endless") << QByteArray("exec yes\n") << "more than 1 MiB";
        QTest::newRow("silent") << QByteArray("exec sleep 60\n") << "did not connect in time";
        QTest::newRow("chatty") << QByteArray("yes >&2\n") << "did not connect in time";
        QTest::newRow("escapes") << QByteArray("printf 'no \\033[2J way\\n' >&2; exit 255\n")
                                 << "ended without a connection";
        QTest::newRow("names") << QByteArray("echo 'joe@db9.corp: Permission denied (publickey).' >&2; exit 255\n")
                               << "ssh says: Permission denied";
        QTest::newRow("way") << QByteArray("echo 'Could not resolve hostname joe.db9.corp: no' >&2; exit 255\n")
                             << "ssh says: Could not resolve hostname";
    }
    void faultyPrograms()
    {
        QFETCH(QByteArray, script);
        QFETCH(QString, why);
        const bool waits = why.contains("in time"); // else it ends by itself
        const auto answer =
            askOnce({"", "db1", 0}, {fakeSsh(script), {}}, waits ? std::chrono::milliseconds(300) : kLong);
        QVERIFY(!answer);
        QVERIFY2(answer.error().message.find(why.toStdString()) != std::string::npos, answer.error().text().c_str());
        // Nothing that another one wrote, and no name of a person or a machine but those of the plan.
        for (const char* foreign : {"\x1b", "joe", "corp", "publickey"})
            QCOMPARE(answer.error().text().find(foreign), std::string::npos);
    }

    void halfAnswers()
    {
        SshLink link({"", "db1", 0}, hostScript(), std::string(kHostEnd),
                     {fakeSsh("echo dynobench-end; read x; echo /proc/stat:cpu; exec sleep 60\n"), {}});
        std::string why = "it did not connect in time";
        for (int i = 0; i < 100 && why == "it did not connect in time"; ++i) {
            const auto answer = link.ask(std::chrono::milliseconds(100), {});
            why = answer ? "" : answer.error().message;
        }
        QCOMPARE(why, std::string("it did not answer in time"));
        QCOMPARE(link.process(), pid_t(0));
    }

    void missingProgram()
    {
        const auto answer = askOnce({"", "db1", 0}, {m_folder.filePath("none").toStdString(), {}});
        QVERIFY(!answer && answer.error().remedy == "check DYNO_SSH");
    }

    //! It is not tried at once again, each time later, and until then the reason is the same.
    void pauses()
    {
        SshLink link({"", "db1", 0}, hostScript(), std::string(kHostEnd),
                     {fakeSsh("echo >>" + m_folder.filePath("tries").toUtf8() + "; exit 1\n"), {}});
        QElapsedTimer time;
        time.start();
        for (int i = 0; i < 50; ++i)
            QVERIFY(!link.ask(kLong, {}));
        QVERIFY(triesIn("tries") >= 1 && triesIn("tries") <= 1 + time.elapsed() / 500);
    }

    //! Nor one whose answers are of no use.
    void pausesAfterOddAnswers()
    {
        SshLink link({"", "db1", 0}, hostScript(), std::string(kHostEnd),
                     {fakeSsh("echo >>" + m_folder.filePath("odd").toUtf8() +
                              "; echo dynobench-end; read x; echo odd; echo dynobench-end; exec sleep 60\n"),
                      {}});
        std::array<qint64, 3> pauses{};
        QElapsedTimer since;
        since.start();
        for (qint64& pause : pauses) {
            while (!link.ask(kLong, {}))
                QTest::qWait(5);
            pause = since.restart();
            link.refuse({ErrorKind::Failed, "odd", {}, {}});
        }
        QCOMPARE(triesIn("odd"), qint64(3));
        QVERIFY2(pauses[1] >= 490 && pauses[2] >= 990, qPrintable(QString::number(pauses[2])));
    }

    //! Whoever asks may have enough at any time.
    void enough()
    {
        SshLink link({"", "db1", 0}, hostScript(), std::string(kHostEnd), {fakeSsh("exec sleep 60\n"), {}});
        QElapsedTimer time;
        time.start();
        const auto answer = link.ask(kLong, [&time] { return time.elapsed() > 100; });
        QVERIFY(!answer && answer.error().kind == ErrorKind::Interrupted);
        QVERIFY(time.elapsed() < 5000);
        QCOMPARE(link.process(), pid_t(0));
    }
};

} // namespace dyno::tst_machines

DYNO_SUITE(tst_machines, dyno::tst_machines::TestMachines)
#include "tst_machines.moc"
