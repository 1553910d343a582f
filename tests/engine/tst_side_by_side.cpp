// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which view several sessions begin with: the axis they share, the cases the others are held at, what only one has.
#include "figure_sessions.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTest>

namespace dyno::tst_side_by_side {
using namespace dyno::test;

namespace {

//! A session with a run for each combination of the axes' cases; "users" is an axis like the others.
StoredSession sessionWith(const std::string& title, const std::vector<std::pair<std::string, Texts>>& axes,
                          double tps = 100)
{
    StoredSession session;
    session.info.id = title + "-1111-2222";
    session.info.title = session.header.title = title;
    session.info.status = RunStatus::Done;
    std::vector<std::vector<CaseRef>> points{{}};
    for (const auto& [axis, labels] : axes) {
        std::vector<std::vector<CaseRef>> longer;
        for (const auto& cases : points) {
            for (const std::string& label : labels) {
                longer.push_back(cases);
                longer.back().push_back({axis, label});
            }
        }
        points = std::move(longer);
    }
    for (const auto& cases : points) {
        PointSpec point;
        point.cases = cases;
        point.target.uri = "sqlite:a.db";
        point.workload.name = "oltp_write_only";
        point.load.users = {1};
        for (const CaseRef& one : cases) {
            if (one.axis == "users")
                point.load.users = {std::stoi(one.label)};
        }
        for (int repeat = 1; repeat <= 3; ++repeat) {
            StoredRun run;
            run.header.index = int(session.runs.size());
            run.header.point = run.summary.point = int(session.header.points.size());
            run.header.repeat = run.summary.repeat = repeat;
            run.summary.status = RunStatus::Done;
            run.summary.tps = tps + repeat;
            session.runs.push_back(run);
        }
        session.header.points.push_back(std::move(point));
    }
    session.info.runsDone = session.info.runsPlanned = int(session.runs.size());
    return session;
}

Texts heldAt(const PivotRequest& request)
{
    Texts held;
    for (const CaseRef& one : request.fixed)
        held.push_back(one.axis + "=" + one.label);
    return held;
}

Pivot firstView(const std::vector<StoredSession>& sessions)
{
    PivotRequest open;
    open.x.clear();
    return pivot(sessions, sideBySide(sessions, open));
}

const Texts kDurability{"full", "normal", "off"}, kUsers{"1", "4", "16"};

} // namespace

class TestSideBySide : public QObject
{
    Q_OBJECT

private slots:
    void oneSessionIsLeftAlone()
    {
        PivotRequest wanted;
        wanted.facet = "durability";
        const PivotRequest same = sideBySide({durability()}, wanted);
        QCOMPARE(same.facet, std::string("durability"));
        QVERIFY(same.series.empty() && same.fixed.empty() && !same.commonOnly);
    }

    void theSameAxes()
    {
        const std::vector<StoredSession> sessions{
            sessionWith("a", {{"durability", kDurability}, {"users", kUsers}}),
            sessionWith("b", {{"durability", kDurability}, {"users", kUsers}}, 200)};
        const Pivot p = firstView(sessions);
        QCOMPARE(p.request.x, std::string("users"));
        QCOMPARE(p.request.series, std::string("session"));
        QCOMPARE(p.request.facet, std::string());
        QCOMPARE(heldAt(p.request), (Texts{"durability=full"}));
        QCOMPARE(p.facets.size(), std::size_t(1));
        QCOMPARE(p.cells.size(), std::size_t(6));
        QVERIFY(p.apart.empty());
        QCOMPARE(p.scope(), std::string("At durability = full."));
        QCOMPARE(holdsOf(sessions, "durability"), (std::vector<Texts>{{"full"}, {"normal"}, {"off"}}));
        // The sentence and the tables say where they look.
        QVERIFY(verdictSentence(p).find("durability = full") != std::string::npos);
        QVERIFY(markdownTable(p).find("At durability = full.") != std::string::npos);
        // A case without figures on one side is not the first choice.
        std::vector<StoredSession> failing = sessions;
        for (StoredRun& run : failing[1].runs) {
            if (report(run, failing[1]) == "full")
                run.summary.status = RunStatus::Failed;
        }
        QCOMPARE(heldAt(firstView(failing).request), (Texts{"durability=normal"}));
        // Nor is it where a plan's own chart has another baseline.
        std::vector<StoredSession> planned = sessions;
        planned[0].header.plan.views.resize(1);
        planned[0].header.plan.views[0].series = "durability";
        planned[0].header.plan.views[0].baseline = "off";
        QCOMPARE(heldAt(firstView(planned).request), (Texts{"durability=off"}));
    }

    void thePlansXIsKept()
    {
        const std::vector<StoredSession> sessions{
            sessionWith("a", {{"durability", kDurability}, {"users", kUsers}}),
            sessionWith("b", {{"durability", kDurability}, {"users", {"4", "16"}}})};
        PivotRequest wanted;
        wanted.x = "durability";
        const PivotRequest request = sideBySide(sessions, wanted);
        QCOMPARE(request.x, std::string("durability"));
        QCOMPARE(heldAt(request), (Texts{"users=16"})); // the most users that both have
    }

    void oneMoreAxis()
    {
        const std::vector<StoredSession> sessions{
            sessionWith("plain", {{"users", kUsers}}),
            sessionWith("isolated", {{"isolation", {"RR", "RC"}}, {"users", {"4", "16", "64"}}}, 200)};
        const Pivot p = firstView(sessions);
        QCOMPARE(p.request.x, std::string("users"));
        QCOMPARE(heldAt(p.request), (Texts{"isolation=RR"}));
        QCOMPARE(p.xs, (Texts{"4", "16"})); // what both have
        QCOMPARE(p.cells.size(), std::size_t(4));
        QCOMPARE(p.apart,
                 (Texts{"Only plain has 1 user", "Only isolated has 64 users", "Only isolated varies isolation"}));
    }

    void otherCasesOfTheSameAxis()
    {
        // One in common: it is held there.
        std::vector<StoredSession> sessions{sessionWith("a", {{"durability", {"full", "off"}}, {"users", kUsers}}),
                                            sessionWith("b", {{"durability", {"normal", "full"}}, {"users", kUsers}})};
        Pivot p = firstView(sessions);
        QCOMPARE(p.request.x, std::string("users"));
        QCOMPARE(heldAt(p.request), (Texts{"durability=full"}));
        QCOMPARE(p.apart, (Texts{"Only a has durability off", "Only b has durability normal"}));
        QCOMPARE(holdsOf(sessions, "durability"), (std::vector<Texts>{{"full"}}));
        // Of three, what two have is not said to be one's alone.
        std::vector<StoredSession> three = sessions;
        three.push_back(sessionWith("c", {{"durability", {"full", "off"}}, {"users", kUsers}}));
        QCOMPARE(firstView(three).apart, (Texts{"Only b has durability normal", "b lacks durability off"}));
        // None: each session at one of its own, and every pair can be chosen.
        sessions[1] = sessionWith("b", {{"durability", {"normal", "extra"}}, {"users", kUsers}});
        p = firstView(sessions);
        QCOMPARE(heldAt(p.request), (Texts{"durability=full", "durability=normal"}));
        QCOMPARE(p.cells.size(), std::size_t(6));
        QVERIFY(p.cell("4", "a") && p.cell("4", "b"));
        QCOMPARE(holdsOf(sessions, "durability"),
                 (std::vector<Texts>{{"full", "normal"}, {"full", "extra"}, {"off", "normal"}, {"off", "extra"}}));
        QCOMPARE(p.scope(), std::string("At durability = full and normal."));
        // The axis itself along x: only what both have.
        sessions[1] = sessionWith("b", {{"durability", {"off", "normal", "full"}}, {"users", {"2"}}});
        p = firstView(sessions);
        QCOMPARE(p.request.x, std::string("durability"));
        QCOMPARE(p.xs, (Texts{"full", "off"}));
        QCOMPARE(heldAt(p.request), (Texts{"users=16", "users=2"}));
    }

    void nothingShared()
    {
        const std::vector<StoredSession> sessions{sessionWith("a", {{"durability", kDurability}, {"users", {"1"}}}),
                                                  sessionWith("b", {{"isolation", {"RR", "RC"}}, {"users", {"8"}}})};
        const Pivot p = firstView(sessions);
        QCOMPARE(p.request.x, std::string("users"));
        QCOMPARE(heldAt(p.request), (Texts{"durability=full", "isolation=RR"}));
        QCOMPARE(p.xs, (Texts{"1", "8"})); // shown all the same
        QCOMPARE(p.cells.size(), std::size_t(2));
        QCOMPARE(p.apart.front(), std::string("These sessions share no case, so no ratio can be formed"));
    }

    //! Cases that set the users themselves tell them: the users are not held beside.
    void usersThatAnAxisTells()
    {
        const auto told = [](const std::string& title) {
            StoredSession session = sessionWith(title, {{"clients", {"few", "many"}}});
            for (PointSpec& point : session.header.points)
                point.load.users = {point.cases.front().label == "few" ? 2 : 64};
            return session;
        };
        const std::vector<StoredSession> sessions{told("a"), told("b")};
        PivotRequest wanted;
        wanted.x = "clients";
        const Pivot p = pivot(sessions, sideBySide(sessions, wanted));
        QVERIFY(p.request.fixed.empty());
        QCOMPARE(p.cells.size(), std::size_t(4));
    }

    void whatIsChangedFollows()
    {
        const std::vector<StoredSession> sessions{sessionWith("a", {{"durability", kDurability}, {"users", kUsers}}),
                                                  sessionWith("b", {{"durability", kDurability}, {"users", kUsers}})};
        PivotRequest request = sideBySide(sessions, {});
        request.x = "durability"; // chosen by a person
        request = holdOtherAxes(sessions, request);
        QCOMPARE(heldAt(request), (Texts{"users=16"}));
        request.facet = "users";
        request = holdOtherAxes(sessions, request);
        QVERIFY(request.fixed.empty());
        QCOMPARE(pivot(sessions, request).facets, kUsers);
        request.facet.clear();
        request.fixed = {{"users", "4"}};
        QCOMPARE(heldAt(holdOtherAxes(sessions, request)), (Texts{"users=4"})); // what was chosen stays
        request.fixed = {{"users", "5"}};                                       // no longer there
        QCOMPARE(heldAt(holdOtherAxes(sessions, request)), (Texts{"users=16"}));
    }

private:
    static std::string report(const StoredRun& run, const StoredSession& session)
    {
        return session.header.points[std::size_t(run.header.point)].cases.front().label;
    }
};

} // namespace dyno::tst_side_by_side

DYNO_SUITE(tst_side_by_side, dyno::tst_side_by_side::TestSideBySide)
#include "tst_side_by_side.moc"
