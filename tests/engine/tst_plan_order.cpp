// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The order of runs, what is left out, and which runs begin with a restart or with loading.
#include "support/suite.h"

#include <dyno/plan.h>
#include <dyno/plan_refs.h>

#include <QTest>
#include <fmt/format.h>

namespace dyno::tst_plan_order {

namespace {

//! A plan against a server that is never asked: nothing here starts one.
Plan planOf(const std::string& load, const std::string& more)
{
    const std::string toml =
        fmt::format("[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n"
                    "[load]\n{}\n{}",
                    load, more);
    ParsedPlan parsed = parsePlan(toml, "test");
    for (const Fault& fault : parsed.faults)
        qWarning("%s: %s", fault.where.c_str(), fault.what.c_str());
    return parsed.plan.value_or(Plan());
}

//! "label/repeat" of each run, with "R" for a restart and "L" for loading.
QString listed(const Expansion& expansion)
{
    QStringList parts;
    for (const RunSlot& slot : expansion.runs)
        parts << QStringLiteral("%1/%2%3%4")
                     .arg(QString::fromStdString(expansion.points[std::size_t(slot.point)].label()))
                     .arg(slot.repeat)
                     .arg(slot.restart ? QStringLiteral("R") : QString(), slot.loads ? QStringLiteral("L") : QString());
    return parts.join(QStringLiteral(" "));
}

// doublewrite needs a restart, the flush of the binary log does not, the page size needs a new data folder.
constexpr const char* kDoublewrite = R"(
[[axis]]
name = "doublewrite"
cases = [ { label = "dw", set = { "server.innodb_doublewrite" = true } },
          { label = "no", set = { "server.innodb_doublewrite" = false } } ]
)";
constexpr const char* kFlush = R"(
[[axis]]
name = "flush"
cases = [ { label = "f0", set = { "server.sync_binlog" = 0 } },
          { label = "f1", set = { "server.sync_binlog" = 1 } } ]
)";
// Not in every case: the server's own value is what the others have.
constexpr const char* kSometimes = R"(
[[axis]]
name = "io"
cases = [ { label = "own", set = {} },
          { label = "400", set = { "server.innodb_lru_scan_depth" = 400 } } ]
)";
constexpr const char* kPage = R"(
[[axis]]
name = "page"
cases = [ { label = "p4", set = { "server.innodb_page_size" = "4096" } },
          { label = "p16", set = { "server.innodb_page_size" = "16384" } } ]
)";

} // namespace

class TstPlanOrder : public QObject
{
    Q_OBJECT

private slots:
    void dynamicKnobsNeedNoRestart()
    {
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2", kFlush))), QStringLiteral("f0/1RL f0/2 f1/1 f1/2"));
    }

    //! MariaDB decides from it at its start how it opens its log.
    void whatIsDecidedAtTheStartNeedsOne()
    {
        std::string axis = kFlush;
        for (std::size_t at; (at = axis.find("sync_binlog")) != std::string::npos;)
            axis.replace(at, 11, "innodb_flush_log_at_trx_commit");
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2", axis.c_str()))),
                 QStringLiteral("f0/1RL f0/2 f1/1R f1/2"));
    }

    //! A knob that is new is set while the server runs; the way back to the server's own value is a restart.
    void aKnobThatGoesNeedsARestart()
    {
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\norder = \"interleaved\"", kSometimes))),
                 QStringLiteral("own/1RL 400/1 own/2R 400/2"));
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\norder = \"fewest-restarts\"", kSometimes))),
                 QStringLiteral("own/1RL own/2 400/1 400/2"));
    }

    void restartKnobsNeedOne()
    {
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\norder = \"interleaved\"", kDoublewrite))),
                 QStringLiteral("dw/1RL no/1R dw/2R no/2R"));
    }

    void fewestRestartsKeepsTogetherWhatBelongsTogether()
    {
        const std::string axes = std::string(kFlush) + kDoublewrite;
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 1", axes))),
                 QStringLiteral("f0, dw/1RL f0, no/1R f1, dw/1R f1, no/1R"));
        // Within a group the repeats take turns.
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\norder = \"fewest-restarts\"", axes))),
                 QStringLiteral("f0, dw/1RL f1, dw/1 f0, dw/2 f1, dw/2 f0, no/1R f1, no/1 f0, no/2 f1, no/2"));
    }

    void newDataWeighsMoreThanARestart()
    {
        const std::string axes = std::string(kDoublewrite) + kPage;
        QCOMPARE(listed(expand(planOf("users = 1\norder = \"fewest-restarts\"", axes))),
                 QStringLiteral("dw, p4/1RL no, p4/1R dw, p16/1RL no, p16/1R"));
    }

    void restartsAsThePlanAsksForThem()
    {
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\nrestart = \"each-point\"", kFlush))),
                 QStringLiteral("f0/1RL f0/2 f1/1R f1/2"));
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\nrestart = \"each-run\"", kFlush))),
                 QStringLiteral("f0/1RL f0/2R f1/1R f1/2R"));
        // The copy of the data is put back while the server does not run; after loading there is nothing to put back.
        QCOMPARE(listed(expand(planOf("users = 1\nrepeats = 2\ndata = \"restore\"", kFlush))),
                 QStringLiteral("f0/1RL f0/2R f1/1R f1/2R"));
    }

    void otherTablesAreLoaded()
    {
        const char* sizes = R"(
[[axis]]
name = "rows"
cases = [ { label = "few", set = { "workload.table_size" = 100 } }, { label = "many", set = { "workload.table_size" = 200 } } ]
)";
        QCOMPARE(listed(expand(planOf("users = [1, 2]", sizes))),
                 QStringLiteral("few, 1 user/1RL few, 2 users/1 many, 1 user/1L many, 2 users/1"));
    }

    void aServerOfSomebodyElseIsNotRestartedAtFirst()
    {
        Plan plan = planOf("users = 1", kDoublewrite);
        plan.target.uri = "mysql://root@localhost/test";
        QCOMPARE(listed(expand(plan)), QStringLiteral("dw/1 no/1R"));
    }

    //! Its dynamic knobs are set and put back while it runs.
    void aServerOfSomebodyElseIsNotRestartedForDynamicKnobs()
    {
        for (const char* order : {"interleaved", "fewest-restarts"}) {
            Plan plan = planOf(fmt::format("users = 1\nrepeats = 2\norder = \"{}\"", order), kSometimes);
            plan.target.uri = "mysql://root@localhost/test";
            QCOMPARE(listed(expand(plan)), QStringLiteral("own/1 400/1 own/2 400/2"));
        }
    }

    void skippedPointsAreLeftOut()
    {
        const std::string skip = "[[skip]]\ncases = { flush = \"f0\", users = 4 }\n";
        const Expansion expansion = expand(planOf("users = [1, 4]", kFlush + skip));
        QCOMPARE(listed(expansion), QStringLiteral("f0, 1 user/1RL f1, 1 user/1 f1, 4 users/1"));
        QCOMPARE(expansion.skipped, 1);
    }

    void aSkipOfEverythingIsAFault()
    {
        const std::string skip = "[[skip]]\ncases = { flush = \"f0\" }\n[[skip]]\ncases = { flush = \"f1\" }\n";
        const ParsedPlan parsed = parsePlan(
            "[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n" + (kFlush + skip),
            "test");
        QVERIFY(!parsed.plan);
        QCOMPARE(parsed.faults.size(), std::size_t(1));
        QCOMPARE(parsed.faults.front().what, std::string("every point is left out"));
    }

    void faultsNameTheirPlace_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::addColumn<QString>("where");
        QTest::newRow("axis") << "[[skip]]\ncases = { flash = \"f0\" }"
                              << "skip[0].cases.flash";
        QTest::newRow("label") << "[[skip]]\ncases = { flush = \"f2\" }"
                               << "skip[0].cases.flush";
        QTest::newRow("users") << "[[skip]]\ncases = { users = 99 }"
                               << "skip[0].cases.users";
        QTest::newRow("none") << "[[skip]]\ncases = {}"
                              << "skip[0].cases";
        QTest::newRow("no cases") << "[[skip]]"
                                  << "skip[0]";
        QTest::newRow("key") << "[[skip]]\ncases = { flush = \"f0\" }\nwhy = \"\""
                             << "skip[0].why";
        QTest::newRow("source") << "[[published]]\nvalues = []"
                                << "published[0].source";
        QTest::newRow("measure") << "[[published]]\nsource = \"x\"\nmeasure = \"tpm\""
                                 << "published[0].measure";
        QTest::newRow("value")
            << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { flush = \"f0\" }, value = \"1\" } ]"
            << "published[0].values[0].value";
        QTest::newRow("no value") << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { flush = \"f0\" } } ]"
                                  << "published[0].values[0]";
        const QString percent =
            "[[published]]\nsource = \"x\"\nrelative_to = \"%1\"\nvalues = [ { cases = { %2 }, value = 1 } ]";
        QTest::newRow("percent of nothing") << percent.arg("f9", "flush = \"f1\"") << "published[0].relative_to";
        QTest::newRow("a case that is mistyped")
            << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { flush = \"f00\" }, value = 1 } ]"
            << "published[0].values[0].cases.flush";
        QTest::newRow("a case of no axis")
            << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { fluh = \"another server\" }, value = 1 } ]"
            << "published[0].values[0].cases.fluh";
        QTest::newRow("percent on another axis") << percent.arg("f0", "users = 1") << "published[0].values[0].cases";
        QTest::newRow("percent of a number") << "[[published]]\nsource = \"x\"\nrelative_to = 5"
                                             << "published[0].relative_to";
        QTest::newRow("two values of the same cases")
            << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { flush = \"f0\", users = 1 }, value = 1 },\n"
               "  { cases = { flush = \"f0\" }, value = 1 }, { cases = { users = 1, flush = \"f0\" }, value = 2 } ]"
            << "published[0].values[2].cases";
        const QString view = "[[view]]\nseries = \"flush\"\n%1";
        QTest::newRow("a part of no time") << view.arg("chart = \"bars\"\nto = 5") << "view[0].to";
        QTest::newRow("a part of percentiles") << view.arg("chart = \"percentiles\"\nfrom = 5") << "view[0].from";
        QTest::newRow("a part of rows") << view.arg("chart = \"time\"\nover = \"rows\"\nfrom = 1\nto = 5")
                                        << "view[0].to";
        QTest::newRow("ends before it begins") << view.arg("chart = \"time\"\nfrom = 5\nto = 5") << "view[0].to";
        QTest::newRow("no duration") << view.arg("chart = \"time\"\nfrom = \"soon\"") << "view[0].from";
        QTest::newRow("a negative time") << view.arg("chart = \"dots\"\nto = -5") << "view[0].to";
        QTest::newRow("last rows, none") << view.arg("chart = \"time\"\nmeasure = \"rows:0\"") << "view[0].measure";
        QTest::newRow("last rows, no number")
            << view.arg("chart = \"time\"\nmeasure = \"rows:many\"") << "view[0].measure";
        QTest::newRow("label of a value")
            << "[[published]]\nsource = \"x\"\nvalues = [ { cases = { flush = \"f9\" }, value = 1 } ]"
            << "published[0].values[0].cases.flush";
    }
    void faultsNameTheirPlace()
    {
        QFETCH(const QString, toml);
        QFETCH(const QString, where);
        const ParsedPlan parsed =
            parsePlan("[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n" +
                          (kFlush + toml.toStdString()),
                      "test");
        QCOMPARE(parsed.faults.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(parsed.faults.front().where), where);
        QVERIFY(parsed.faults.front().line > 0);
        QVERIFY(!parsed.faults.front().remedy.empty());
    }

    void aServerOfSomebodyElseIsNotCopiedOrRestarted()
    {
        for (const char* field : {"data = \"restore\"", "restart = \"each-run\""}) {
            const ParsedPlan parsed =
                parsePlan(std::string("[target]\nuri = \"mysql://root@localhost/test\"\n[workload]\n"
                                      "name = \"oltp_point_select\"\n[load]\n") +
                              field,
                          "test");
            QCOMPARE(parsed.faults.size(), std::size_t(1));
            QVERIFY(parsed.faults.front().where == "load.data" || parsed.faults.front().where == "load.restart");
            QCOMPARE(parsed.faults.front().line, 6);
        }
    }

    void thisMachineIsChangedForOneTargetOnly()
    {
        const std::string plan =
            "[target]\nuri = \"managed:mariadb\"\n[workload]\nname = \"oltp_point_select\"\n[set]\n"
            "\"host.transparent_hugepage\" = \"never\"\n";
        QVERIFY(parsePlan(plan, "test").faults.empty());
        const ParsedPlan two = parsePlan(plan + R"([[axis]]
name = "server"
cases = [ { label = "a", set = { "target.uri" = "managed:mariadb" } },
          { label = "b", set = { "target.uri" = "managed:mariadb?version=10.11" } } ]
)",
                                         "test");
        QCOMPARE(two.faults.size(), std::size_t(1));
        QCOMPARE(two.faults.front().where, std::string("set.host.transparent_hugepage"));
        QCOMPARE(two.faults.front().line, 6);
    }

    //! A size that keeps some cases takes the skips and figures of the others with it.
    void casesThatGoTakeTheirFiguresAlong()
    {
        Plan plan = planOf("users = [1, 4]", std::string(kFlush) +
                                                 "[[skip]]\ncases = { flush = \"f0\", users = 4 }\n"
                                                 "[[published]]\nsource = \"x\"\nvalues = [\n"
                                                 "  { cases = { flush = \"f0\", users = 64 }, value = 1 },\n"
                                                 "  { cases = { flush = \"f1\", users = 64 }, value = 2 } ]\n");
        QVERIFY(setField(plan, "axis.flush", "f1"));
        QVERIFY(plan.skips.empty());
        QCOMPARE(plan.published.front().values.size(), std::size_t(1));
        QCOMPARE(plan.published.front().values.front().value, 2.0);
        QVERIFY(setField(plan, "load.users", "1"));
        QCOMPARE(plan.published.front().values.size(), std::size_t(1));
        QVERIFY(checkPlan(plan).empty());
    }

    //! What nobody can run here any more is published all the same, and goes with its axis.
    void casesOfOthersStay()
    {
        const Plan plan =
            planOf("users = [1, 4]", std::string(kFlush) +
                                         "[[published]]\nsource = \"x\"\nvalues = [\n"
                                         "  { cases = { flush = \"another server\", users = 64 }, value = 1 },\n"
                                         "  { cases = { flush = \"f1\" }, value = 2 } ]\n"
                                         "[[published]]\nsource = \"y\"\nrelative_to = \"a third one\"\n"
                                         "values = [ { cases = { flush = \"another server\" }, value = 3 } ]\n");
        QVERIFY(checkPlan(plan).empty());
        const ParsedPlan again = parsePlan(writePlan(plan), "again.toml");
        QVERIFY(again.plan && writePlan(*again.plan) == writePlan(plan));
        Plan one = plan;
        QVERIFY(setField(one, "axis.flush", "f0"));
        QCOMPARE(one.published.size(), std::size_t(2));
        QCOMPARE(one.published.front().values.size(), std::size_t(1));
        QVERIFY(checkPlan(one).empty());
        Plan none = plan;
        none.axes.clear();
        forgetLostCases(none, plan);
        QVERIFY(none.published.empty());
    }

    //! Numbers of users are cases too where figures are percent of one of them, and where ratios refer to one.
    void usersThatGoTakeThePercentOfThemAlong()
    {
        const Plan plan = planOf(
            "users = [1, 4]", std::string(kFlush) + "[[view]]\nx = \"flush\"\nseries = \"users\"\nbaseline = \"1\"\n"
                                                    "[[published]]\nsource = \"x\"\nrelative_to = \"1\"\nvalues = [\n"
                                                    "  { cases = { users = 4 }, value = 300 } ]\n");
        Plan four = plan;
        QVERIFY(setField(four, "load.users", "4"));
        QVERIFY(four.published.empty() && four.views.front().baseline.empty());
        QVERIFY(checkPlan(four).empty());
        Plan one = plan; // what it is percent of stays, and 4 are a further number
        QVERIFY(setField(one, "load.users", "1"));
        QCOMPARE(one.published.size(), std::size_t(1));
        QCOMPARE(one.views.front().baseline, std::string("1"));
        QVERIFY(checkPlan(one).empty());
    }
};

} // namespace dyno::tst_plan_order

DYNO_SUITE(tst_plan_order, dyno::tst_plan_order::TstPlanOrder)
#include "tst_plan_order.moc"
