// SPDX-License-Identifier: GPL-3.0-or-later
// Running a stored session again: the same plan, and what is told not to be the same.
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/path.h>
#include <dyno/rerun.h>

#include <QTemporaryDir>
#include <QTest>
#include <set>

namespace dyno::tst_rerun {
using dyno::test::must;

class TestRerun : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    StoredSession m_session;

    static bool tells(const Rerun& again, std::string_view part)
    {
        return std::ranges::any_of(again.notReproduced,
                                   [part](const std::string& n) { return n.find(part) != n.npos; });
    }

private slots:
    void initTestCase()
    {
        const std::filesystem::path file = m_dir.filePath("a.dynolib").toStdString();
        auto writer = must(SessionWriter::open(file));
        sample::Options options;
        options.intervals = 4;
        std::string plan = sample::kPlan;
        plan.replace(plan.find("order = \"interleaved\""), 21, "order = \"shuffled\"\nseed = 99");
        options.plan = plan;
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
        m_session = must(must(Library::open(file, Library::Mode::ReadOnly))->session(options.id));
    }

    //! Through the store and back, the plan still gives the same points in the same shuffled order with the same seeds.
    void theSamePlan()
    {
        const Rerun again = must(rerunOf(m_session, m_session.header.host, m_session.header.software));
        QCOMPARE(writePlan(again.plan), writePlan(m_session.header.plan));
        QCOMPARE(again.plan.load.seed, std::uint64_t(99));
        const Expansion expansion = expand(again.plan);
        QCOMPARE(expansion.runs.size(), m_session.header.runs.size());
        for (std::size_t i = 0; i < expansion.runs.size(); ++i) {
            QCOMPARE(expansion.runs[i].point, m_session.header.runs[i].point);
            QCOMPARE(expansion.runs[i].repeat, m_session.header.runs[i].repeat);
            const PointSpec& point = expansion.points[std::size_t(expansion.runs[i].point)];
            const PointSpec& before = m_session.header.points[std::size_t(expansion.runs[i].point)];
            QCOMPARE(point.label(), before.label());
            QVERIFY(point.connection == before.connection && point.load.seed == before.load.seed);
        }
        // Even so: the version is only known later, and most variables are nobody's.
        QCOMPARE(again.notReproduced.size(), std::size_t(2));
        QVERIFY(tells(again, "the target was SQLite 3.40.1"));
        QVERIFY(tells(again, "of 8 server variables: they keep the server's current ones"));
    }

    //! The users' path and settings of the machine are no variables of the server.
    void onlyVariablesOfTheServerAreCounted()
    {
        StoredSession through = m_session;
        for (StoredRun& run : through.runs) {
            run.header.effective.insert_or_assign(std::string(kPathKey), std::string("HAProxy 2.6.12"));
            run.header.effective.insert_or_assign("host.cpu_governor", std::string("performance"));
        }
        QCOMPARE(must(rerunOf(through, m_session.header.host, m_session.header.software)).notReproduced,
                 must(rerunOf(m_session, m_session.header.host, m_session.header.software)).notReproduced);
    }

    //! A server may call a variable otherwise than the plan: MySQL 5.7 says tx_isolation.
    void variablesOfAnotherName()
    {
        const auto unset = [this](const char* product, const char* version) {
            StoredSession session = m_session;
            for (StoredRun& run : session.runs) {
                run.header.server.product = product;
                run.header.server.version = version;
                run.header.server.variables = {{"tx_isolation", std::string("READ-COMMITTED")},
                                               {"other", std::string("1")}};
                run.header.effective = {{"transaction_isolation", std::string("READ-COMMITTED")}};
            }
            return must(rerunOf(session, session.header.host, session.header.software));
        };
        QVERIFY(tells(unset("MariaDB", "10.11.19-MariaDB"), "no value for 1 of 2 server variables"));
        QVERIFY(tells(unset("MariaDB", "11.4.2-MariaDB"), "no value for 2 of 2 server variables"));
    }

    void anotherMachine()
    {
        HostFacts here = m_session.header.host;
        here.cpu = "Other CPU";
        here.cores = 64;
        here.memoryBytes *= 4;
        here.kernel = "6.12.0";
        here.name = "laptop";
        const Rerun again = must(rerunOf(m_session, here, "dynobench 99.0"));
        for (const char* part :
             {"processor was AMD EPYC 9354P, here it is Other CPU", "cores was 4, here it is 64", "memory was 8.00 GiB",
              "kernel was 6.1.0-28-amd64, here it is 6.12.0", "another machine: bench1", "this is dynobench 99.0"})
            QVERIFY2(tells(again, part), part);
        QVERIFY(!tells(again, "operating system"));
        here = m_session.header.host;
        here.memoryBytes += here.memoryBytes / 100;
        QVERIFY(!tells(must(rerunOf(m_session, here, m_session.header.software)), "memory"));
    }

    void remoteData()
    {
        StoredSession session = m_session;
        for (PointSpec& point : session.header.points)
            point.target.uri = "mysql://bench@db1/sbtest";
        session.header.plan.load.warmupUntilSteady = true;
        const Rerun again = must(rerunOf(session, session.header.host, session.header.software));
        QVERIFY(tells(again, "used as they are now, including later writes"));
        QVERIFY(tells(again, "the length of warm-up and runs depends on what is measured"));
    }

    void aPlanThatMeansSomethingElseNow()
    {
        StoredSession session = m_session;
        session.header.points.pop_back();
        QVERIFY(tells(must(rerunOf(session, session.header.host, session.header.software)),
                      "gave 5 points and 12 runs then, and gives 6 points and 12 runs"));
    }

    //! An optional case that was skipped is tried again; what the plan itself skips stays out.
    void optionalCasesAreTriedAgain()
    {
        StoredSession session = m_session;
        Plan& plan = session.header.plan;
        Axis& axis = plan.axes.front();
        QCOMPARE(axis.cases.size(), std::size_t(3));
        axis.cases[2].optional = true;
        const CaseRef usual{axis.name, axis.cases[0].label}, other{axis.name, axis.cases[1].label},
            optional{axis.name, axis.cases[2].label};
        const CaseRef users{"users", "4"};
        plan.skips = {
            {.cases = {usual, users}}, {.cases = {optional}}, {.cases = {other}}, {.cases = {optional, users}}};
        const Rerun again = must(rerunOf(session, session.header.host, session.header.software));
        QCOMPARE(again.plan.skips.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(again.plan.skips[i].cases, plan.skips[i == 0 ? 0 : i + 1].cases);
        std::set<std::string> labels;
        for (const PointSpec& point : expand(again.plan).points)
            labels.insert(point.label());
        QCOMPARE(labels, (std::set<std::string>{usual.label + ", 1 user", optional.label + ", 1 user"}));
    }

    void anotherToolsSession()
    {
        StoredSession session = m_session;
        session.runs[0].summary.origin = "sysbench 1.0.20, events, service time";
        const auto again = rerunOf(session, session.header.host, session.header.software);
        QVERIFY(!again && again.error().kind == ErrorKind::BadInput && !again.error().remedy.empty());
    }
};

} // namespace dyno::tst_rerun

DYNO_SUITE(tst_rerun, dyno::tst_rerun::TestRerun)
#include "tst_rerun.moc"
