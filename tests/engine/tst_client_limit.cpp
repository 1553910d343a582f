// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict "client-limited" for real: it fires when the load generator is pinned to a busy core, and stays quiet
// when it has a core whenever it wants one.
#include "support/suite.h"

#include <dyno/runner.h>
#include <dyno/uri.h>

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dyno::tst_client_limit {

namespace {

//! Processes that do nothing but keep one core busy, as long as this lives.
class Burners
{
public:
    Burners(int core, int count)
    {
        for (int i = 0; i < count; ++i) {
            const pid_t child = fork();
            if (child == 0)
                burn(core);
            m_children.push_back(child);
        }
    }
    ~Burners()
    {
        for (const pid_t child : m_children) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }
    Burners(const Burners&) = delete;
    Burners& operator=(const Burners&) = delete;

private:
    [[noreturn]] static void burn(int core)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(core, &only);
        sched_setaffinity(0, sizeof only, &only);
        alarm(60); // never longer than that, whatever happens
        volatile unsigned turns = 0;
        for (;;)
            turns = turns + 1;
    }
    std::vector<pid_t> m_children;
};

struct Collected : SampleSink
{
    void onRunStarted(const RunHeader& header) override { operations = header.operations; }
    void onSample(const IntervalSample& sample) override { samples.push_back(sample); }
    void onSessionFinished(const SessionSummary& end) override { summary = end; }
    std::vector<OperationInfo> operations;
    std::vector<IntervalSample> samples;
    SessionSummary summary;
};

//! A short session on the null target; on `core` only unless that is negative.
Collected measure(const std::string& uri, int users, int core, const QTemporaryDir& dir)
{
    Plan plan;
    plan.title = "client limit";
    plan.target.uri = uri;
    plan.workload.name = "oltp_point_select";
    plan.workload.params["table_size"] = std::int64_t(1000);
    plan.load.users = {users};
    plan.load.timeSeconds = 1.5;
    plan.load.intervalSeconds = 0.25;
    plan.load.executor = ExecutorKind::Threads;
    Collected collected;
    // What this thread may use is what the threads of the engine may use.
    std::thread pinned([&] {
        if (core >= 0) {
            cpu_set_t only;
            CPU_ZERO(&only);
            CPU_SET(core, &only);
            sched_setaffinity(0, sizeof only, &only);
        }
        RunnerOptions options;
        options.workDir = dir.path().toStdString();
        SessionRunner runner(plan, options, {&collected});
        runner.start();
        runner.wait();
    });
    pinned.join();
    return collected;
}

RunSummary summaryOf(const Collected& run, const std::string& uri)
{
    SummaryBuilder builder(run.operations, worksInProcess(*parseUri(uri)));
    for (const IntervalSample& sample : run.samples)
        builder.add(sample);
    return builder.summary();
}

//! What a window shows of the last intervals.
std::string liveReason(const Collected& run, const std::string& uri)
{
    ClientVerdict verdict(worksInProcess(*parseUri(uri)));
    const std::size_t from = run.samples.size() - std::min<std::size_t>(3, run.samples.size());
    for (std::size_t i = from; i < run.samples.size(); ++i)
        verdict.add(run.samples[i]);
    return verdict.reason();
}

QByteArray figures(const Collected& run)
{
    QByteArray text;
    for (const IntervalSample& s : run.samples) {
        text += QString("\n%1: %2 transactions, cpu %3 s, delay %4 s, host %5, allowed %6 of %7 cores, thread %8")
                    .arg(double(s.tNs) * 1e-9, 0, 'f', 2)
                    .arg(s.transaction.count)
                    .arg(s.client.cpuSeconds, 0, 'f', 3)
                    .arg(s.client.schedDelaySeconds, 0, 'f', 3)
                    .arg(s.client.hostBusy, 0, 'f', 2)
                    .arg(s.client.allowedBusy, 0, 'f', 2)
                    .arg(s.client.allowedCores)
                    .arg(s.client.busiestThread, 0, 'f', 2)
                    .toUtf8();
    }
    return text;
}

//! Whether its threads waited for a core for a fifth of the time that they wanted one. What a container's quota keeps
//! back counts too.
bool noCoreWasFree(const Collected& run)
{
    double had = 0, waited = 0;
    for (const IntervalSample& sample : run.samples) {
        had += sample.client.cpuSeconds;
        waited += sample.client.schedDelaySeconds;
    }
    return 4 * waited > had;
}

int firstAllowedCore()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set))
            return core;
    return 0;
}

} // namespace

class TstClientLimit : public QObject
{
    Q_OBJECT

private slots:
    void firesWhenPinnedToABusyCore()
    {
        if (std::thread::hardware_concurrency() < 2)
            QSKIP("a machine of one core has none to be kept from");
        if (access("/proc/self/schedstat", R_OK) != 0)
            QSKIP("this kernel has no scheduler statistics");
        const std::string uri = "null:?service_us=200";
        const int core = firstAllowedCore();
        Collected run;
        {
            const Burners burners(core, 2);
            run = measure(uri, 8, core, m_dir);
        }
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        QVERIFY(run.samples.size() >= 5);
        for (const IntervalSample& sample : run.samples)
            QCOMPARE(sample.client.allowedCores, 1);
        const RunSummary summary = summaryOf(run, uri);
        QVERIFY2(summary.clientLimited, figures(run));
        QVERIFY2(summary.clientReason.find("is pinned to 1 of ") != std::string::npos ||
                     summary.clientReason.find("the machine's cores were") !=
                         std::string::npos, // a machine that is full
                 summary.clientReason.c_str());
        QVERIFY2(!liveReason(run, uri).empty(), figures(run));
    }

    //! The same threads on a core that nobody else wants, and on all of them: most of the time they sleep.
    void quietOtherwise()
    {
        const std::string uri = "null:?service_us=20000";
        Collected run;
        bool limited = true;
        for (int attempt = 0; attempt < 5 && limited; ++attempt) {
            run = measure(uri, 2, -1, m_dir);
            limited = summaryOf(run, uri).clientLimited;
        }
        if (limited && noCoreWasFree(run)) // then it is right to say so
            QSKIP("other programs want all cores");
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        const RunSummary summary = summaryOf(run, uri);
        QVERIFY(summary.transactions > 20);
        QVERIFY2(!summary.clientLimited, (summary.clientReason + figures(run).toStdString()).c_str());
        QVERIFY2(summary.clientReason.empty(), summary.clientReason.c_str());
        for (const IntervalSample& sample : run.samples)
            QVERIFY(sample.client.busiestThread < 0.5);
    }

    //! An engine that works on the generator's own threads is what is being measured, on a core that it fills, too.
    //! What others keep from it is said, and nothing else.
    void ofWhatWorksInProcess()
    {
        if (access("/proc/self/schedstat", R_OK) != 0)
            QSKIP("this kernel has no scheduler statistics");
        const std::string uri = "null:";
        const int core = firstAllowedCore();
        Collected run;
        bool limited = true;
        for (int attempt = 0; attempt < 5 && limited; ++attempt) {
            run = measure(uri, 2, core, m_dir);
            limited = summaryOf(run, uri).clientLimited;
        }
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        if (limited && summaryOf(run, uri).clientReason == toText(summaryOf(run, uri).starvation))
            qInfo("other programs want this core all the time");
        else
            QVERIFY2(!limited, (summaryOf(run, uri).clientReason + figures(run).toStdString()).c_str());
        {
            const Burners burners(core, 2);
            run = measure(uri, 2, core, m_dir);
        }
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
        const RunSummary summary = summaryOf(run, uri);
        QVERIFY2(summary.clientLimited, figures(run));
        QCOMPARE(summary.clientReason, toText(summary.starvation));
        QVERIFY2(summary.clientReason.starts_with("other programs had the cores"), summary.clientReason.c_str());
        const std::string live = liveReason(run, uri);
        QVERIFY2(live.starts_with("other programs had the cores") && live.find("pinned") == std::string::npos,
                 live.c_str());
    }

    void whatWorksInProcess()
    {
        QVERIFY(worksInProcess(*parseUri("null:")));
        QVERIFY(worksInProcess(*parseUri("null:?service_us=5"))); // spins
        QVERIFY(!worksInProcess(*parseUri("null:?service_us=200")));
        QVERIFY(worksInProcess(*parseUri("sqlite:a.db")));
        QVERIFY(!worksInProcess(*parseUri("managed:mariadb")));
    }

private:
    QTemporaryDir m_dir;
};

} // namespace dyno::tst_client_limit

DYNO_SUITE(tst_client_limit, dyno::tst_client_limit::TstClientLimit)
#include "tst_client_limit.moc"
