// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots of real servers, asked for and at stalls; what counters of servers tell of events; and how both are kept.
#include "base/clock.h"
#include "driver/mysql/mysql_snapshot.h"
#include "load/snapshots/snapshot_text.h"
#include "load/snapshots/snapshot_watch.h"
#include "load/statements/digest_difference.h"
#include "recording_sink.h"
#include "store/session/snapshots_file.h"
#include "support/fault_proxy.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/verify.h"

#include <dyno/snapshots.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>
#include <thread>
#include <time.h>

namespace dyno::tst_snapshots {
using namespace dyno::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

//! Feeds intervals, of a second if not told otherwise, and tells after which of them a snapshot was to be taken.
class Fed
{
public:
    explicit Fed(SnapshotsWhen when, std::int64_t lengthNs = kSecond)
        : m_watch(when)
        , m_lengthNs(lengthNs)
    {
    }
    void add(int intervals, double rate, double ms = 0)
    {
        for (int i = 0; i < intervals; ++i) {
            IntervalSample sample;
            sample.tNs = m_at * m_lengthNs;
            sample.lengthNs = m_lengthNs;
            sample.transaction.count = std::uint64_t(rate * (0.7 + 0.6 * double(m_random() % 1000) / 1000));
            if (ms > 0)
                sample.transaction.service.record(std::uint64_t(ms * 1e6), sample.transaction.count);
            ++m_at;
            if (m_watch.stalls(sample, 1000 * kSecond + m_at * m_lengthNs)) {
                taken.push_back(m_at);
                m_watch.answered();
            }
        }
    }
    SnapshotWatch& watch() { return m_watch; }
    std::vector<int> taken; //!< which intervals, the first is 1

private:
    SnapshotWatch m_watch;
    std::int64_t m_lengthNs;
    std::mt19937 m_random{1};
    int m_at = 0;
};

std::string textOf(const RunSnapshot& snapshot, const char* title)
{
    for (const SnapshotText& one : snapshot.texts) {
        if (one.title == title)
            return one.text;
    }
    return {};
}

std::vector<RunEvent> eventsWith(const RecordingSink& sink, std::string_view part)
{
    std::vector<RunEvent> found;
    for (const RunEvent& event : sink.events.at(0)) {
        if (event.text.find(part) != std::string::npos)
            found.push_back(event);
    }
    return found;
}

std::int64_t threadCpuNs()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * kSecond + time.tv_nsec;
}

//! CPU time of a whole process, of its threads that have ended too.
double cpuSecondsOf(int process)
{
    clockid_t clock{};
    timespec time{};
    const bool known = ::clock_getcpuclockid(process, &clock) == 0 && ::clock_gettime(clock, &time) == 0;
    return known ? double(time.tv_sec) + double(time.tv_nsec) * 1e-9 : 0;
}

//! What the intervals of the first run say that the server's process used; −1: it has no such series.
double serverSecondsIn(const RecordingSink& sink)
{
    const std::vector<CounterInfo>& counters = sink.runs.at(0).counters;
    const auto cpu = std::ranges::find_if(
        counters, [](const CounterInfo& one) { return one.source == kProcessSource && one.name == kProcessCpu; });
    if (cpu == counters.end())
        return -1;
    double seconds = 0;
    for (const IntervalSample& sample : sink.samples.at(0)) {
        const double cores = sample.counters.at(std::size_t(cpu - counters.begin()));
        seconds += std::isnan(cores) ? 0 : cores * double(sample.lengthNs) * 1e-9;
    }
    return seconds;
}

//! What of the counters that a driver's rules name a server does not have.
QStringList missingCounters(const char* driver, Admin& admin)
{
    QStringList missing;
    const std::vector<CounterInfo> counters = admin.counters();
    for (const EventRule& rule : driverFor(driver)->eventRules()) {
        std::vector<std::string> names = rule.counts;
        names.insert(names.end(), {rule.amount, rule.level, rule.limit});
        for (const std::string& name : names) {
            if (!name.empty() && std::ranges::find(counters, name, &CounterInfo::name) == counters.end())
                missing << QString::fromStdString(name);
        }
    }
    missing.removeDuplicates();
    return missing;
}

} // namespace

class TestSnapshots : public QObject
{
    Q_OBJECT

    [[nodiscard]] RunnerOptions options() const
    {
        RunnerOptions options;
        options.workDir = m_dir.path().toStdString();
        options.library = library();
        return options;
    }
    [[nodiscard]] std::string library() const { return m_dir.filePath("library.dynolib").toStdString(); }
    //! Of the only run of a session.
    [[nodiscard]] std::vector<RunSnapshot> kept(const std::string& session) const
    {
        auto opened = Library::open(library(), Library::Mode::ReadOnly);
        return opened ? runSnapshots(**opened, session, 0).value_or(std::vector<RunSnapshot>())
                      : std::vector<RunSnapshot>();
    }
    QTemporaryDir m_dir;

private slots:
    void calmRunsTakeNone()
    {
        Fed fed(SnapshotsWhen::Stalls);
        fed.add(300, 1000);
        fed.add(3, 450); // a dip is no stall
        fed.add(30, 1000);
        QVERIFY(fed.taken.empty());
        QVERIFY(fed.watch().notTaken().empty());
    }

    void fiveOfEachStall()
    {
        Fed fed(SnapshotsWhen::Stalls);
        fed.add(30, 1000);
        fed.add(8, 0);
        fed.add(30, 1000);
        fed.add(2, 10);
        fed.add(5, 1000);
        QCOMPARE(fed.taken, std::vector<int>({31, 32, 33, 34, 35, 69, 70}));
        for (const SnapshotsWhen when : {SnapshotsWhen::Off, SnapshotsWhen::OnDemand}) {
            Fed other(when);
            other.add(30, 1000);
            other.add(8, 0);
            QVERIFY(other.taken.empty());
        }
    }

    //! Throughput holds and response times do not, for two intervals at least; what stays slow is taken for long enough
    //! to see it. A stall of throughput within such a time has its own.
    void slowResponses()
    {
        Fed fed(SnapshotsWhen::Stalls);
        fed.add(30, 1000, 2);
        fed.add(1, 1000, 50); // one is chance
        fed.add(30, 1000, 2);
        QVERIFY(fed.taken.empty());
        Fed few(SnapshotsWhen::Stalls);
        few.add(30, 50, 2);
        few.add(20, 50, 50); // of few transactions p99 is the slowest
        QVERIFY(few.taken.empty());
        Fed slow(SnapshotsWhen::Stalls);
        slow.add(30, 1000, 2);
        slow.add(2, 1000, 9); // no more than a wait for a core
        slow.add(8, 1000, 50);
        slow.add(3, 0);
        slow.add(30, 1000, 2);
        slow.add(3, 1000, 50);
        QCOMPARE(slow.taken, std::vector<int>({34, 35, 36, 37, 38, 41, 42, 43, 75, 76}));
        Fed off(SnapshotsWhen::OnDemand);
        off.add(30, 1000, 2);
        off.add(8, 1000, 50);
        QVERIFY(off.taken.empty());
    }

    //! Response times that stay slow hide no stall of throughput, and one that is judged for nothing delays none.
    void eachKindByItself()
    {
        Fed again(SnapshotsWhen::Stalls);
        again.add(30, 1000, 2);
        again.add(8, 0);
        again.add(20, 1000, 50);
        again.add(3, 0);
        QCOMPARE(again.taken, std::vector<int>({31, 32, 33, 34, 35, 42, 43, 44, 45, 46, 59, 60, 61}));
        Fed brief(SnapshotsWhen::Stalls, kSecond / 10);
        brief.add(60, 1000, 2);
        brief.add(2, 1000, 50); // too short for a stall
        brief.add(3, 0);
        QCOMPARE(brief.taken, std::vector<int>({63}));
    }

    //! Judging costs no more after an hour of short intervals with dips than at the start, and calm ones nothing.
    void longRunsCostNoMore()
    {
        SnapshotWatch watch(SnapshotsWhen::Stalls);
        constexpr std::int64_t kTenth = kSecond / 10;
        std::int64_t slowestNs = 0;
        int taken = 0;
        for (std::int64_t i = 0; i < 36000; ++i) {
            IntervalSample sample;
            sample.tNs = i * kTenth;
            sample.lengthNs = kTenth;
            sample.transaction.count = i >= 35950 ? 0 : i % 300 < 5 ? 400 : 1000;
            sample.transaction.service.record(i >= 20000 && i < 35950 ? 50'000'000 : 2'000'000, 1000);
            const std::int64_t begunNs = threadCpuNs();
            taken += watch.stalls(sample, kSecond + sample.tNs + kTenth);
            watch.answered();
            slowestNs = std::max(slowestNs, threadCpuNs() - begunNs);
        }
        QCOMPARE(taken, 10); // of the times that stay slow, and of the stall at the end
        QVERIFY2(slowestNs < 100'000'000, qPrintable(QString::number(slowestNs)));
    }

    void neverTooMany()
    {
        SnapshotWatch watch(SnapshotsWhen::OnDemand);
        QVERIFY(watch.asked(kSecond));
        QVERIFY(watch.underWay());
        QVERIFY(!watch.asked(3 * kSecond)); // the one before has no answer yet
        watch.answered();
        QVERIFY(!watch.asked(kSecond + kSecond / 2));
        int taken = 1;
        for (int i = 3; i < 103; ++i) {
            taken += watch.asked(i * kSecond);
            watch.answered();
        }
        QCOMPARE(taken, 60);
        QVERIFY2(watch.notTaken().find("skipped: 43 ") != std::string::npos, watch.notTaken().c_str());
    }

    void texts()
    {
        SnapshotPart list{"List", "2 statements", {}, {"id", "statement", "n"}};
        list.rows = {{"7", "SELECT 'geheim', 4711", "1"}, {"12345", "ALTER USER x IDENTIFIED BY 'y'", "2"}};
        list.statements = 1;
        const std::vector<SnapshotPart> parts{{"Status", "status", "all well\n"}, list};
        const auto kept = keptTexts(parts);
        QCOMPARE(kept.size(), std::size_t(2));
        QCOMPARE(kept[0].text, std::string("all well\n"));
        QCOMPARE(kept[1].text, std::string("id     statement     n\n"
                                           "7      SELECT ?, ?   1\n"
                                           "12345  ALTER USER …  2\n"));
        RunSnapshot snapshot;
        snapshot.ms = 8;
        QCOMPARE(snapshotEvent(parts, snapshot), std::string("snapshot: status, 2 statements, 8.00 ms"));
        snapshot.stalled = true;
        QCOMPARE(snapshotEvent({list}, snapshot), std::string("snapshot: 2 statements, 8.00 ms (at a stall)"));
        list.rows.resize(kSnapshotRows + 1);
        QCOMPARE(snapshotEvent({list}, snapshot), std::string("snapshot: at least 2 statements, 8.00 ms (at a stall)"));
        const auto large = keptTexts({{"a", {}, std::string(200 << 10, 'a')}, {"b", {}, std::string(200 << 10, 'b')}});
        QVERIFY(large[0].text.size() + large[1].text.size() < (256 << 10) + 100);
        for (const SnapshotText& one : large)
            QVERIFY(one.text.ends_with("(the rest is not kept)\n"));
        const auto many = keptTexts(std::vector<SnapshotPart>(20, {"one", {}, "text\n"}));
        QCOMPARE(many.size(), kMostSnapshotTexts);
        QVERIFY2(many.back().text.ends_with("one: not kept, the snapshot is full\n"), many.back().text.c_str());
    }

    //! No dialect's literal is kept, whatever the server: what is one in some of them alone hides the rest.
    void noLiteralOfAClient()
    {
        for (const char* one :
             {"SELECT * FROM t WHERE mail = \"geheim\"", "GRANT ALL ON t TO u IDENTIFIED BY \"geheim\"",
              "# don't\nSELECT 'geheim'", "SELECT 1 -- don't\n, 'geheim'", "SELECT 1--'a\n, 'geheim'",
              "/* don't */ SELECT 'geheim'", "/* /* */ don't */ SELECT 'geheim'", "/*! 'a */ b', 'geheim' */ SELECT 1",
              "/*! 'a */ geheim' */ SELECT 1", "SELECT $a$, 'x $a$ geheim'", "SELECT $t$ don't $t$, 'geheim'",
              "SELECT 'a\\', 'geheim'", "SELECT \"a\\\", 'geheim', \"", "SELECT `a\\`, 'geheim', `",
              "SELECT \"a\"\"geheim\"", "SELECT 'not closed geheim"}) {
            const std::string kept = keptClientStatement(one);
            QVERIFY2(kept.find("geheim") == std::string::npos, (std::string(one) + " => " + kept).c_str());
        }
        for (const auto& [sent, kept] :
             {std::pair("UPDATE `t` SET a = 5, b = 'x' WHERE c = \"d\"", "UPDATE `t` SET a = ?, b = ? WHERE c = ?"),
              std::pair("SELECT $1, a /* hint */ FROM t", "SELECT $1, a   FROM t"), std::pair("COMMIT", "COMMIT")})
            QCOMPARE(keptClientStatement(sent), std::string(kept));
        QVERIFY(keptClientStatement("SELECT " + std::string(9000, 'x')).ends_with(" …"));
    }

    void file()
    {
        RunSnapshot snapshot;
        snapshot.tNs = 5;
        snapshot.stalled = true;
        snapshot.ms = 1.5;
        snapshot.texts = {{"Process list", "user anna from 10.1.2.3\nline\n"}};
        const std::string two = writeSnapshot(snapshot) + writeSnapshot({});
        const auto read = readSnapshots(two);
        QCOMPARE(read.size(), std::size_t(2));
        QCOMPARE(read[0].tNs, std::int64_t(5));
        QVERIFY(read[0].stalled && !read[1].stalled);
        QCOMPARE(read[0].ms, 1.5);
        QCOMPARE(read[0].texts.at(0).text, snapshot.texts[0].text);
        QVERIFY(isSnapshotsFile(snapshotsFile(3)) && !isSnapshotsFile("snapshots of run .json"));
        for (const char* strange : {"", "\n\n", "[]", "{\"texts\": 7}", "{\"texts\": [7], \"ms\": -1e999}", "\xff{"}) {
            for (const RunSnapshot& one : readSnapshots(strange))
                QVERIFY(one.texts.empty() && one.ms >= 0);
        }
        for (const char* strange : {"[\"geheim\"]", "7", "geheim\n"})
            QCOMPARE(anonymousSnapshots(strange), std::string()); // nothing of it is known
        const auto anonymous = readSnapshots(anonymousSnapshots(two));
        QCOMPARE(anonymous.size(), std::size_t(2));
        QCOMPARE(anonymous[0].texts.at(0).title, std::string("part 1"));
        QVERIFY(anonymous[0].texts.at(0).text.find("anna") == std::string::npos);
    }

    //! As MariaDB 10.11 and MySQL 8.0 write it.
    void statusWithoutUsersData()
    {
        const std::string text = mysql::withoutUsersData(
            "LIST OF TRANSACTIONS FOR EACH SESSION:\n---TRANSACTION 12, ACTIVE 3 sec starting index read\n"
            "MariaDB thread id 5, OS thread handle 1, query id 20 localhost root Updating\n"
            "UPDATE t SET a = 'geheim\n-----BEGIN KEY-----\ngeheim\n---\nLOG\n---\n---TRANSACTION geheim\n*** geheim\n"
            "TABLE LOCK geheim'\n\nWHERE id = 4711\n"
            "------- TRX HAS BEEN WAITING 3 ns FOR THIS LOCK TO BE GRANTED:\n"
            "RECORD LOCKS space id 5 page no 3 n bits 8 index PRIMARY of table `test`.`t`\n"
            "Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0\n"
            " 0: len 4; hex 80000001; asc     ;;\n 1: len 6; hex 67656865696d; asc geheim;;\n"
            "MySQL thread id 8, OS thread handle 2, query id 9 localhost root\nSELECT 4712\n--------\nFILE I/O\n");
        for (const char* hidden : {"geheim", "4711", "4712", "67656865696d", "UPDATE"})
            QVERIFY2(text.find(hidden) == std::string::npos, text.c_str());
        for (const char* told : {"---TRANSACTION 12", "thread id 5", "TRX HAS BEEN WAITING", "RECORD LOCKS",
                                 "heap no 2", " 1: len 6; (not kept)", "thread id 8", "FILE I/O"})
            QVERIFY2(text.find(told) != std::string::npos, text.c_str());
        QCOMPARE(std::ranges::count(text, '('), 4);
    }

    //! Somebody locks the table that users read: they stall, and the server says what they wait for.
    void atAStallOnMariadb();
    void atALatencyStallOnMariadb();
    void askedForOnPostgresql();
    void eventsOfRocksdb();
};

void TestSnapshots::atAStallOnMariadb()
{
    MariadbFixture server;
    DYNO_START_MARIADB(server);
    auto locker = server.admin();
    VERIFY_OK(locker);
    Plan plan = smallPlan(server.uriText());
    plan.load.users = {4};
    plan.load.timeSeconds = 3.4;
    plan.load.intervalSeconds = 0.1;
    plan.load.snapshots = SnapshotsWhen::Stalls;
    plan.set["connection.protocol"] = std::string("text");
    RecordingSink sink;
    std::int64_t lockedNs = 0, unlockedNs = 0;
    bool locked = true;
    sink.sampleHook = [&](const IntervalSample& sample) {
        const std::int64_t endNs = sample.tNs + sample.lengthNs;
        if (lockedNs == 0 && endNs > kSecond * 3 / 2) {
            lockedNs = endNs;
            locked = locked && (*locker)->execute("LOCK TABLES sbtest1 WRITE");
        } else if (lockedNs > 0 && unlockedNs == 0 && endNs > lockedNs + kSecond * 7 / 5) {
            unlockedNs = endNs;
            locked = locked && (*locker)->execute("UNLOCK TABLES");
        }
    };
    runPlan(plan, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QVERIFY(locked);
    const auto events = eventsWith(sink, kSnapshotEvent);
    const auto snapshots = kept(sink.header.id);
    QVERIFY(!events.empty());
    QCOMPARE(events.size(), snapshots.size());
    bool waits = false;
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        const RunSnapshot& snapshot = snapshots[i];
        QCOMPARE(snapshot.tNs, events[i].tNs);
        QVERIFY(snapshot.stalled && snapshot.ms > 0);
        const std::string list = textOf(snapshot, "Process list");
        QVERIFY2(!std::regex_search(list, std::regex("WHERE id ?= ?[0-9]")), list.c_str());
        if (snapshot.tNs < lockedNs || snapshot.tNs > unlockedNs)
            continue; // this machine itself may stall
        waits = true;
        QVERIFY2(list.find("Waiting for table metadata lock") != std::string::npos, list.c_str());
        QVERIFY2(std::regex_search(list, std::regex("SELECT c FROM sbtest1 WHERE id ?= ?\\?")), list.c_str());
        QVERIFY2(textOf(snapshot, "InnoDB status").find("LIST OF TRANSACTIONS") != std::string::npos,
                 textOf(snapshot, "InnoDB status").c_str());
        QCOMPARE(textOf(snapshot, "InnoDB lock waits"), std::string("none\n"));
        QVERIFY2(events[i].text.starts_with("snapshot: InnoDB status, 4 statements, "), events[i].text.c_str());
    }
    QVERIFY2(waits, qPrintable(QString("%1 to %2").arg(lockedNs).arg(unlockedNs)));
    QCOMPARE(missingCounters("mysql", **locker), (QStringList{"Rocksdb_stall_total_stops", "Rocksdb_flush_write_bytes",
                                                              "Rocksdb_compact_write_bytes"})); // without that engine
    // A transaction that holds a row, and one that waits for it.
    auto waiter = server.admin();
    VERIFY_OK(waiter);
    auto watcher = server.admin();
    VERIFY_OK(watcher);
    VERIFY_OK((*locker)->execute("BEGIN"));
    VERIFY_OK((*locker)->execute("UPDATE sbtest1 SET k = k + 4711 WHERE id = 1"));
    std::thread waiting([&waiter] { (void)(*waiter)->execute("UPDATE sbtest1 SET k = 4712 WHERE id = 1"); });
    Expected<std::vector<SnapshotPart>> parts = std::vector<SnapshotPart>();
    std::string texts;
    constexpr int kCachedMs = 120; // the server gives the same answer to whoever asks again within 100 ms
    bool found = false;
    for (int i = 0; i < 50 && !found; ++i) {
        QTest::qWait(kCachedMs);
        parts = (*watcher)->snapshot();
        texts.clear();
        for (const SnapshotText& one : keptTexts(parts.value_or(std::vector<SnapshotPart>())))
            texts += one.title + "\n" + one.text;
        found = parts && parts->back().brief == "1 lock wait" && texts.find("HAS BEEN WAITING") != std::string::npos;
    }
    (void)(*locker)->execute("ROLLBACK");
    waiting.join();
    QVERIFY2(found, texts.c_str());
    QVERIFY2(texts.find("4711") == std::string::npos && texts.find("4712") == std::string::npos, texts.c_str());
    QVERIFY2(texts.find("UPDATE sbtest1 SET k = ? WHERE id = ?") != std::string::npos, texts.c_str());
    QVERIFY2(texts.find("lock_mode X") != std::string::npos, texts.c_str());
}

//! The users' packets are late for a time: as many transactions end as begin, and each takes long.
void TestSnapshots::atALatencyStallOnMariadb()
{
    MariadbFixture server;
    if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    VERIFY_OK(server.start());
    FaultProxy proxy;
    VERIFY_OK(proxy.start({.socket = server.socket()}, m_dir.filePath("users.sock").toStdString()));
    Plan plan = smallPlan(server.uriText());
    plan.target.path = proxy.socket();
    plan.load.users = {90}; // more than are under way while they are late
    plan.load.arrival.model = ArrivalModel::Fixed;
    plan.load.arrival.rate = 260;
    plan.load.timeSeconds = 5.2;
    plan.load.intervalSeconds = 0.5;
    plan.load.snapshots = SnapshotsWhen::Stalls;
    constexpr std::int64_t kLateNs = kSecond / 6; // of an interval so little that throughput shows no dip
    RecordingSink sink;
    sink.sampleHook = [&](const IntervalSample& sample) {
        if (sample.tNs >= kSecond * 9 / 4) // most of the run is as usual
            proxy.setDelay(FaultProxy::Direction::ToClient, kLateNs);
    };
    RunnerOptions agreed = options();
    agreed.consent.allow("all");
    ManagedServer* own = server.managed();
    const double before = own ? cpuSecondsOf(own->process()) : 0;
    runPlan(plan, agreed, sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const double used = own ? cpuSecondsOf(own->process()) - before : 1e9;
    QVERIFY2(serverSecondsIn(sink) > 0 && serverSecondsIn(sink) <= used * 1.05 + 0.02,
             qPrintable(QString("%1 of %2 s").arg(serverSecondsIn(sink)).arg(used)));
    QVERIFY(sink.summaries.front().serverCpuUsPerOp > 0 && sink.summaries.front().serverSwitchesPerOp > 0);
    QString times;
    // What there was to see while it ran: a stall that went on. One interval may be judged too early, and the last one
    // ends with the run.
    std::vector<IntervalSample> soFar;
    int inARow = 0, most = 0;
    for (const IntervalSample& sample : sink.samples.at(0)) {
        most = std::max(most, inARow);
        soFar.push_back(sample);
        const StallInterval one = stallIntervalOf(sample, sample.transaction);
        times += QString(" %1:%2 ms").arg(one.count).arg(one.p99Ms, 0, 'f', 1);
        const std::vector<Stall> stalls = findStalls(soFar);
        const bool goesOn = !stalls.empty() && stalls.back().isSlow() &&
                            stalls.back().tNs + stalls.back().lengthNs >= one.tNs + one.lengthNs;
        inARow = goesOn ? inARow + 1 : 0;
    }
    if (most < 2)
        QSKIP(qPrintable("a latency stall: this machine is too busy for calm response times:" + times));
    const auto events = eventsWith(sink, kSnapshotEvent);
    QVERIFY2(!events.empty(), qPrintable(times));
    QCOMPARE(events.size(), kept(sink.header.id).size());
    QVERIFY2(events.front().text.ends_with(" (at a stall)"), events.front().text.c_str());
}

void TestSnapshots::askedForOnPostgresql()
{
    PostgresqlFixture server;
    DYNO_START_POSTGRESQL(server);
    auto admin = server.admin();
    VERIFY_OK(admin);
    Plan plan = smallPlan(server.uriText(), "oltp_update_non_index");
    plan.load.users = {4};
    plan.load.timeSeconds = 2.2;
    plan.load.intervalSeconds = 0.1;
    RecordingSink sink;
    SessionRunner runner(plan, options(), {&sink});
    std::int64_t fromNs = 0, toNs = 0, wantedNs = 0;
    bool done = true;
    sink.sampleHook = [&](const IntervalSample& sample) {
        const std::int64_t endNs = sample.tNs + sample.lengthNs;
        if (fromNs == 0 && endNs > kSecond * 2 / 5) {
            const std::int64_t began = nowNs();
            fromNs = endNs;
            done = done && (*admin)->execute("CHECKPOINT");
            toNs = fromNs + nowNs() - began;
        } else if (fromNs > 0 && wantedNs == 0 && endNs > toNs + kSecond / 5) {
            wantedNs = endNs;
            done = done && runner.takeSnapshot();
        }
    };
    QVERIFY(!runner.takeSnapshot()); // nothing is under way
    runner.start();
    runner.wait();
    QVERIFY(!runner.takeSnapshot());
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QVERIFY(done);
    QVERIFY(serverSecondsIn(sink) > 0 && sink.summaries.front().serverCpuUsPerOp > 0); // with its connections'
    QCOMPARE(missingCounters("postgresql", **admin), QStringList());
    const auto checkpoints = eventsWith(sink, "checkpoint: ");
    QCOMPARE(checkpoints.size(), std::size_t(1));
    QVERIFY2(std::regex_match(checkpoints[0].text, std::regex("checkpoint: .* pages written")),
             checkpoints[0].text.c_str());
    QVERIFY(checkpoints[0].kind == EventKind::Server);
    constexpr std::int64_t kInterval = kSecond / 10;
    const QString times =
        QString("%1 + %2, done at %3 to %4").arg(checkpoints[0].tNs).arg(checkpoints[0].lengthNs).arg(fromNs).arg(toNs);
    QVERIFY2(checkpoints[0].tNs <= toNs && checkpoints[0].tNs >= fromNs - 5 * kInterval, qPrintable(times));
    QVERIFY2(checkpoints[0].tNs + checkpoints[0].lengthNs >= fromNs, qPrintable(times));
    const auto asked = eventsWith(sink, kSnapshotEvent);
    QCOMPARE(asked.size(), std::size_t(1));
    QVERIFY2(asked[0].tNs >= wantedNs - kInterval && asked[0].tNs < wantedNs + kSecond,
             qPrintable(QString("%1, wanted at %2").arg(asked[0].tNs).arg(wantedNs)));
    const auto snapshots = kept(sink.header.id);
    QCOMPARE(snapshots.size(), std::size_t(1));
    QVERIFY(!snapshots[0].stalled);
    const std::string activity = textOf(snapshots[0], "pg_stat_activity");
    QVERIFY2(activity.find("UPDATE sbtest1 SET c") != std::string::npos, activity.c_str());
    QVERIFY2(activity.find("checkpointer") != std::string::npos, activity.c_str());
    QVERIFY2(activity.find("###########") == std::string::npos &&
                 !std::regex_search(activity, std::regex("id ?= ?[0-9]")),
             activity.c_str());
    // The anonymous copy tells that there was one, and nothing that the server said.
    const std::string copy = m_dir.filePath("anonymous.dyno").toStdString();
    {
        auto opened = Library::open(library(), Library::Mode::ReadWrite);
        QVERIFY(opened);
        VERIFY_OK((*opened)->exportSession(sink.header.id, copy, Library::Privacy::Anonymous));
    }
    auto read = Library::open(copy, Library::Mode::ReadOnly);
    QVERIFY(read);
    const auto hidden = runSnapshots(**read, sink.header.id, 0);
    VERIFY_OK(hidden);
    QCOMPARE(hidden->size(), std::size_t(1));
    QVERIFY(hidden->front().texts.at(0).text.find("UPDATE") == std::string::npos);
}

//! A small memtable is flushed many times, and its files are compacted.
void TestSnapshots::eventsOfRocksdb()
{
    if (!findDriver("rocksdb"))
        QSKIP("this build has no RocksDB");
    Plan plan = smallPlan("rocksdb:", "ycsb");
    plan.workload.params = {{"recordcount", std::int64_t(2000)}, {"read_proportion", 0.0}, {"update_proportion", 1.0}};
    plan.set["connection.write_buffer_size"] = std::int64_t(65536);
    plan.load.timeSeconds = 1.2;
    plan.load.intervalSeconds = 0.1;
    RecordingSink sink;
    runPlan(plan, options(), sink);
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    for (const char* sentence : {"flush of a memtable: ", "compaction: "}) {
        const auto found = eventsWith(sink, sentence);
        QVERIFY2(!found.empty(), sentence);
        QVERIFY(found[0].lengthNs > 0 && found[0].kind == EventKind::Server);
        QVERIFY2(std::regex_search(found[0].text, std::regex("[KM]iB$")), found[0].text.c_str());
    }
}

} // namespace dyno::tst_snapshots

DYNO_SUITE(tst_snapshots, dyno::tst_snapshots::TestSnapshots)
#include "tst_snapshots.moc"
