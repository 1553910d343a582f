// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "This plan wants to …": a plan of somebody else's on the Plan page, by clicking.
#include "parts/foreign_text.h"
#include "parts/trust_card.h"
#include "pictures.h"
#include "plan_page_fixture.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/agreements.h>
#include <dyno/catalog.h>

#include <QHelpEvent>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QToolTip>

namespace dyno::tst_trust_card {
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kKey = "workload.create_table_options";

//! It would make a table with text of its own.
Plan strangersPlan(const QTemporaryDir& dir, const std::string& options = "/* own */")
{
    Plan plan = test::quickPlan();
    plan.target.uri = "sqlite:" + dir.filePath(u"trust.db"_s).toStdString();
    plan.workload.name = "oltp_read_write";
    plan.workload.params["create_table_options"] = options;
    return plan;
}

} // namespace

class TstTrustCard : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(u"dynobench-test"_s);
        QCoreApplication::setApplicationName(u"tst_trust_card"_s);
        Theme::instance().apply(*qApp);
        QVERIFY(m_dir.isValid());
        qputenv("XDG_DATA_HOME", m_dir.filePath(u"data"_s).toUtf8());
    }
    void init()
    {
        QSettings().clear();
        QFile::remove(QString::fromStdString(agreementsFile().string()));
        QFile::remove(m_dir.filePath(u"trust.db"_s));
    }
    void cleanup() { QSettings().clear(); }

    void hiddenForPlansThatWantNothing()
    {
        test::PlanPageFixture rig(m_dir.path());
        rig.context.editPlan(test::quickPlan());
        QVERIFY(rig.settle());
        QVERIFY(!rig.find("trustCard")->isVisible());
    }

    void listedAndAllowedOnce()
    {
        const Plan plan = strangersPlan(m_dir);
        {
            test::PlanPageFixture rig(m_dir.path());
            rig.context.editPlan(plan);
            QVERIFY(rig.settle());
            QVERIFY(rig.find("trustCard")->isVisible());
            auto* row = rig.find("trustRisk.workload.create_table_options");
            QVERIFY(row && row->isVisible() && !row->accessibleName().isEmpty());
            QStringList texts;
            for (auto* label : row->findChildren<QLabel*>())
                texts << label->text();
            QVERIFY2(texts.join(u' ').contains(u"create_table_options = /* own */"_s), qPrintable(texts.join(u' ')));
            test::keepPictures(rig.page, u"trust"_s);
            rig.click("trustAllow");
            QVERIFY(!rig.find("trustCard")->isVisible());
        }
        test::PlanPageFixture later(m_dir.path()); // another start of the window
        later.context.editPlan(plan);
        QVERIFY(later.settle());
        QVERIFY(!later.find("trustCard")->isVisible());
        later.context.editPlan(strangersPlan(m_dir, "/* other */")); // other content
        QVERIFY(later.settle());
        QVERIFY(later.find("trustCard")->isVisible());
    }

    //! Start asks the same; "no" touches nothing.
    void startAsksFirst()
    {
        test::PlanPageFixture rig(m_dir.path());
        QString asked;
        std::vector<ConsentAnswer> answers;
        connect(&rig.context, &AppContext::consentRequested, &rig.page,
                [&](const QString&, const QString& more, const std::vector<ConsentAnswer>& given) {
                    asked = more;
                    answers = given;
                });
        rig.context.editPlan(strangersPlan(m_dir));
        QVERIFY(rig.settle());
        rig.click("planStart");
        QTRY_VERIFY_WITH_TIMEOUT(!answers.empty(), test::kPatienceMs);
        QVERIFY2(asked.contains(QLatin1String(kKey)) && asked.contains(u"/* own */"_s), qPrintable(asked));
        QVERIFY(!rig.context.run().active());
        QVERIFY(!QFile::exists(m_dir.filePath(u"trust.db"_s)));
        QSignalSpy finished(&rig.context.run(), &RunFeed::sessionFinished);
        answers.front().action(); // "Allow and start"
        QVERIFY(finished.wait(test::kPatienceMs));
        const auto summary = finished.front().front().value<SessionSummaryPtr>();
        QVERIFY2(summary->status == RunStatus::Done, summary->reason.c_str());
        QTRY_VERIFY_WITH_TIMEOUT(!rig.find("trustCard")->isVisible(), test::kPatienceMs);
    }

    //! What was typed into one plan is no agreement to the same in a stranger's.
    void typedInOnePlanOnly()
    {
        test::PlanPageFixture rig(m_dir.path());
        Plan plan = strangersPlan(m_dir);
        plan.workload.params.erase("create_table_options");
        rig.context.editPlan(plan);
        QVERIFY(rig.settle());
        rig.page.editor().edit(
            u"Type"_s, [](Plan& typed) { typed.workload.params["create_table_options"] = std::string("/* own */"); });
        QVERIFY(rig.settle());
        QVERIFY(!rig.find("trustCard")->isVisible());
        rig.page.editor().setPlan(rig.page.editor().plan(),
                                  m_dir.filePath(u"saved.toml"_s)); // nothing is left to be saved
        rig.context.editPlan(strangersPlan(m_dir));
        QVERIFY(rig.settle());
        QVERIFY(rig.find("trustCard")->isVisible());
    }

    //! A recipe of ours on a server that was typed needs no agreement; what somebody else's file brings along with its
    //! own server does, also under a recipe's name.
    void aRecipeNeedsNone()
    {
        const auto recipe = recipePlan("durability-mariadb");
        QVERIFY(recipe);
        const std::string server = "mysql://root@127.0.0.1:1/test";
        test::PlanPageFixture rig(m_dir.path());
        rig.context.editPlan(*recipe);
        QVERIFY(rig.settle());
        rig.page.editor().edit(u"Change target"_s, [&server](Plan& typed) { typed.target.uri = server; });
        QVERIFY(rig.settle());
        const auto unanswered = [&rig] {
            const Plan& plan = rig.page.editor().plan();
            return rig.context.agreements().unanswered(plan, risksOf(plan)).size();
        };
        QVERIFY(risksOf(rig.page.editor().plan()).size() >= 6);
        QCOMPARE(unanswered(), std::size_t(0));
        rig.page.editor().setPlan(rig.page.editor().plan(),
                                  m_dir.filePath(u"saved.toml"_s)); // nothing is left to be saved
        Plan other = *recipe;
        other.target.uri = server;
        rig.context.editPlan(other);
        QVERIFY(rig.settle());
        QCOMPARE(unanswered(), risksOf(other).size());
    }

    //! Each of its sizes is ours, with what it sets on servers.
    void sizesOfARecipeNeedNone()
    {
        const auto recipe = recipePlan("commits-mariadb");
        QVERIFY(recipe);
        Plan sized = *recipe;
        QVERIFY(applySize(sized, "published"));
        test::PlanPageFixture rig(m_dir.path());
        rig.context.editPlan(sized);
        QVERIFY(rig.settle());
        rig.page.editor().edit(u"Change target"_s,
                               [](Plan& typed) { typed.target.uri = "mysql://root@127.0.0.1:1/test"; });
        QVERIFY(rig.settle());
        const Plan& plan = rig.page.editor().plan();
        QVERIFY(!risksOf(plan).empty());
        const auto left = rig.context.agreements().unanswered(plan, risksOf(plan));
        QVERIFY2(left.empty(), left.empty() ? "" : toText(left.front()).c_str());
    }

    //! What was typed here and saved is this person's own when it is opened again, here and on the command line.
    void savedIsTheOwn()
    {
        const QString file = m_dir.filePath(u"own.toml"_s);
        Plan plan = strangersPlan(m_dir);
        plan.workload.params.erase("create_table_options");
        {
            test::PlanPageFixture rig(m_dir.path());
            rig.context.editPlan(plan);
            QVERIFY(rig.settle());
            rig.page.editor().edit(u"Type"_s, [](Plan& typed) {
                typed.workload.params["create_table_options"] = std::string("/* own */");
            });
            QVERIFY(rig.settle());
            rig.page.saveFile(file);
            QTRY_VERIFY_WITH_TIMEOUT(!rig.page.editor().modified(), test::kPatienceMs);
        }
        test::PlanPageFixture later(m_dir.path()); // another start of the window
        later.page.openFile(file);
        QTRY_COMPARE_WITH_TIMEOUT(later.page.editor().file(), file, test::kPatienceMs);
        QVERIFY(later.settle());
        QVERIFY(!later.find("trustCard")->isVisible());
        const ParsedPlan read = readPlan(file.toStdString());
        QVERIFY(read.plan);
        Consent recalled; // as `dyno run` does
        recallAgreed(*read.plan, risksOf(*read.plan), recalled);
        QVERIFY(unanswered(*read.plan, recalled).empty());
    }

    //! Saving a stranger's plan under another name is no answer to what it wants.
    void savingAgreesToNothing()
    {
        const QString file = m_dir.filePath(u"theirs.toml"_s);
        test::PlanPageFixture rig(m_dir.path());
        rig.context.editPlan(strangersPlan(m_dir));
        QVERIFY(rig.settle());
        QVERIFY(rig.find("trustCard")->isVisible());
        rig.page.saveFile(file);
        QTRY_COMPARE_WITH_TIMEOUT(rig.page.editor().file(), file, test::kPatienceMs);
        rig.page.openFile(file);
        QVERIFY(rig.settle());
        QVERIFY(rig.find("trustCard")->isVisible());
        QVERIFY(!QFile::exists(QString::fromStdString(agreementsFile().string())));
    }

    //! "Test connection" asks a program for its version: one that the plan names is started after an agreement only.
    void testingAConnectionAsksFirst()
    {
        const QString marker = m_dir.filePath(u"marker"_s);
        QVERIFY(QDir(m_dir.path()).mkpath(u"evil/bin"_s));
        for (const auto& name : {u"mariadbd"_s, u"mysqld"_s}) {
            QFile program(m_dir.filePath(u"evil/bin/"_s + name));
            QVERIFY(program.open(QIODevice::WriteOnly));
            program.write("#!/bin/sh\ntouch '" + marker.toUtf8() + "'\nexit 1\n");
            program.close();
            QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }
        test::PlanPageFixture rig(m_dir.path());
        QString asked;
        std::vector<ConsentAnswer> answers;
        connect(&rig.context, &AppContext::consentRequested, &rig.page,
                [&](const QString&, const QString& more, const std::vector<ConsentAnswer>& given) {
                    asked = more;
                    answers = given;
                });
        Plan plan = test::quickPlan();
        plan.target.uri = "managed:mariadb?basedir=" + m_dir.filePath(u"evil"_s).toStdString();
        rig.context.editPlan(plan);
        QVERIFY(rig.settle());
        auto* form = rig.page.findChild<TargetForm*>();
        QSignalSpy tested(form, &TargetForm::tested);
        rig.click("testConnection");
        QVERIFY2(asked.contains(u"evil"_s), qPrintable(asked));
        QVERIFY(!form->testing() && tested.isEmpty() && !QFile::exists(marker));
        QVERIFY(!answers.empty());
        answers.front().action(); // "Allow and test"
        QVERIFY(!tested.isEmpty() || tested.wait(test::kPatienceMs));
        QVERIFY(QFile::exists(marker));
        asked.clear();
        rig.click("testConnection"); // remembered
        QVERIFY(asked.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(tested.size() == 2, test::kPatienceMs);
    }

    void whatIsTypedNeedsNoAgreement()
    {
        test::PlanPageFixture rig(m_dir.path());
        Plan plan = strangersPlan(m_dir);
        plan.workload.params.erase("create_table_options");
        rig.context.editPlan(plan);
        QVERIFY(rig.settle());
        rig.page.editor().edit(
            u"Type"_s, [](Plan& typed) { typed.workload.params["create_table_options"] = std::string("/* own */"); });
        QVERIFY(rig.settle());
        QVERIFY(!rig.find("trustCard")->isVisible());
        bool asked = false;
        connect(&rig.context, &AppContext::consentRequested, &rig.page, [&] { asked = true; });
        QSignalSpy finished(&rig.context.run(), &RunFeed::sessionFinished);
        rig.click("planStart");
        QVERIFY(finished.wait(test::kPatienceMs));
        QVERIFY(!asked);
    }

    //! A word typed into a stranger's script is no agreement to its other lines; a script that was typed is one's own.
    void linesOfOthers()
    {
        Plan theirs;
        theirs.target.uri = "sqlite:";
        theirs.workload.name = "script";
        theirs.workload.params["scripts"] = std::string("SELECT 1;\nDELETE FROM t;");
        const auto asks = [](const Agreements& agreements, const Plan& plan) {
            return int(agreements.unanswered(plan, risksOf(plan)).size());
        };
        Agreements agreements;
        agreements.planOpened(theirs);
        QCOMPARE(asks(agreements, theirs), 1);
        Plan edited = theirs;
        edited.workload.params["scripts"] = std::string("SELECT 12;\nDELETE FROM t;");
        agreements.noteTyped(theirs, edited);
        QCOMPARE(asks(agreements, edited), 1);
        Plan emptied = theirs, own = theirs, longer = theirs;
        emptied.workload.params.clear();
        own.workload.params["scripts"] = std::string("SELECT 3;\n");
        longer.workload.params["scripts"] = std::string("SELECT 3;\nSELECT 4;");
        agreements.noteTyped(edited, emptied);
        agreements.noteTyped(emptied, own);
        agreements.noteTyped(own, longer);
        QCOMPARE(asks(agreements, longer), 0);
        QCOMPARE(asks(agreements, edited), 1);
        agreements.noteTyped(emptied, theirs); // an undo in the field
        QCOMPARE(asks(agreements, theirs), 1);
        agreements.noteTyped(emptied, edited);
        QCOMPARE(asks(agreements, edited), 1);
    }

    //! Choosing a file is no word for what stands in it, nor is a letter that is typed into it then.
    void statementsOfAFile()
    {
        Plan before, after, edited;
        before.target.uri = "sqlite:";
        before.workload.name = "script";
        after = before;
        after.workload.params["scripts"] = std::string("SELECT 1;\nDELETE FROM t;\n");
        edited = after;
        edited.workload.params["scripts"] = std::string("SELECT 12;\nDELETE FROM t;\n");
        Agreements agreements;
        agreements.planOpened(before);
        agreements.noteInserted(before, after);
        QCOMPARE(agreements.unanswered(after, risksOf(after)).size(), std::size_t(1));
        agreements.noteTyped(after, edited);
        QCOMPARE(agreements.unanswered(edited, risksOf(edited)).size(), std::size_t(1));
    }

    //! Parameters of a group of users are asked about as the plan's are.
    void parametersOfAGroup()
    {
        Plan before;
        before.target.uri = "mysql://db1/test";
        before.workload.name = "oltp_read_write";
        LoadGroup scans;
        scans.name = "scans";
        before.load.groups = {scans};
        Plan typed = before, inACase = before, theirs = before;
        typed.load.groups.front().params["create_table_options"] = std::string("/* own */");
        inACase.axes.push_back(
            {"options", {{"own", {{"load.group.scans.params.create_table_options", std::string("/* own */")}}, 0}}, 0});
        theirs.load.groups.front().params["create_table_options"] = std::string("/* theirs */");
        const auto asks = [](const Agreements& agreements, const Plan& plan) {
            const auto open = agreements.unanswered(plan, risksOf(plan));
            return std::ranges::count(open, std::string("workload.create_table_options"), &Risk::key);
        };
        for (const Plan* after : {&typed, &inACase}) {
            Agreements agreements;
            agreements.planOpened(*after);
            QCOMPARE(asks(agreements, *after), 1);
            agreements.planOpened(before);
            agreements.noteTyped(before, *after);
            QCOMPARE(asks(agreements, *after), 0);
            QCOMPARE(asks(agreements, theirs), 1);
        }
    }

    //! Nothing shows that a line goes on to the right of its field.
    void statementsOfOthersInALine()
    {
        const auto planWith = [](const char* script) {
            Plan plan;
            plan.target.uri = "sqlite:";
            plan.workload.name = "script";
            plan.workload.params["scripts"] = std::string(script);
            return plan;
        };
        const auto asks = [](const Agreements& agreements, const Plan& plan) {
            return int(agreements.unanswered(plan, risksOf(plan)).size());
        };
        const Plan theirs = planWith("SELECT 1; DROP TABLE t;"), edited = planWith("SELECT 12; DROP TABLE t;"),
                   own = planWith("SELECT 2; SELECT 3;"), ownEdited = planWith("SELECT 2; SELECT 34;");
        Agreements agreements;
        agreements.planOpened(theirs);
        agreements.noteTyped(theirs, edited);
        QCOMPARE(asks(agreements, edited), 1);
        agreements.noteTyped(edited, own); // in one step, as by pasting over all of it
        QCOMPARE(asks(agreements, own), 0);
        const std::string hidden = "SELECT 1" + std::string(200, ' ') + "FROM secrets";
        for (const std::string& text : {std::string("DROP/**/TABLE/**/t;TRUNCATE/**/s;"), hidden}) {
            const Plan shown = planWith(text.c_str()), typedInto = planWith(("S" + text).c_str());
            agreements.planOpened(shown);
            agreements.noteTyped(shown, typedInto);
            QCOMPARE(asks(agreements, typedInto), 1);
        }
        // What was agreed to for good is this person's own.
        agreements.planOpened(own);
        QCOMPARE(asks(agreements, own), 1);
        agreements.remember(own, risksOf(own));
        agreements.planChecked(own, risksOf(own));
        agreements.noteTyped(own, ownEdited);
        QCOMPARE(asks(agreements, ownEdited), 0);
    }

    //! Text of a stranger's stays text: no line or mark-up of its own, nothing hidden, and all of it.
    void valuesAreShownAsTheyAre()
    {
        TrustCard card;
        card.setRisks(
            {{"connection.init_sql", "SELECT 1\n\nAllowed: <b>every\xe2\x80\xaething</b>", "send\x1b statements"}});
        const auto* row = card.findChild<QWidget*>(u"trustRisk.connection.init_sql"_s);
        QVERIFY(row);
        QStringList texts;
        for (const auto* label : row->findChildren<QLabel*>()) {
            QCOMPARE(label->textFormat(), Qt::PlainText);
            texts << label->text();
        }
        QCOMPARE(texts,
                 (QStringList{u"… send\\u{1B} statements"_s,
                              u"connection.init_sql = \n│ SELECT 1\n│ \n│ Allowed: <b>every\\u{202E}thing</b>"_s}));
        const std::string whole = std::string(5000, 'x') + "; DROP TABLE t";
        card.setRisks({{"connection.init_sql", whole, "send statements"}});
        row = card.findChild<QWidget*>(u"trustRisk.connection.init_sql"_s);
        const auto* value = row ? row->findChild<QPlainTextEdit*>(u"trustValue"_s) : nullptr;
        QVERIFY(value && value->isReadOnly() && !value->accessibleName().isEmpty());
        QCOMPARE(value->toPlainText(), u"connection.init_sql = "_s + QString::fromStdString(whole));
        const std::vector<Risk> risks{{"connection.init_sql", whole, "send statements"}};
        QVERIFY(risksBoxText(risks).contains(QString::fromStdString(whole)));
    }

    //! A tool tip of a stranger's text loads no picture and shows no link; our own are as they were.
    void toolTipsAreHarmless_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("kept");
        QTest::newRow("plain") << u"a < b & c"_s << true;
        QTest::newRow("ours") << u"<p><b>sync_binlog</b> = 1<br>on</p>"_s << true;
        QTest::newRow("picture") << u"<p>x</p><img src='/etc/hostname'>"_s << false;
        QTest::newRow("link") << u"Run <a href='http://127.0.0.1:1/'>here</a>"_s << false;
        QTest::newRow("style") << u"<p style='background:url(/etc/hostname)'>x</p>"_s << false;
        QTest::newRow("upper case") << u"<IMG SRC=/etc/hostname>"_s << false;
    }
    void toolTipsAreHarmless()
    {
        QFETCH(QString, text);
        QFETCH(bool, kept);
        const QString shown = harmlessToolTip(text);
        QCOMPARE(shown == text, kept);
        QVERIFY(kept || !shown.contains(u"<img"_s, Qt::CaseInsensitive));
        QVERIFY(kept || !shown.contains(u"<a "_s));
        ToolTipGuard::install();
        QWidget widget;
        widget.setToolTip(text);
        QListWidget list;
        list.addItem(u"item"_s);
        list.item(0)->setToolTip(text);
        list.resize(200, 100);
        list.show();
        const QPoint at = list.visualItemRect(list.item(0)).center();
        const std::pair<QWidget*, QPoint> places[]{{&widget, {1, 1}}, {list.viewport(), at}};
        for (const auto& [place, point] : places) {
            if (kept && place != &widget) // Qt shows those of active windows only
                continue;
            QHelpEvent help(QEvent::ToolTip, point, place->mapToGlobal(point));
            QCoreApplication::sendEvent(place, &help);
            QCOMPARE(QToolTip::text(), shown);
        }
        QToolTip::hideText();
    }

    void questionsAreNoMarkup()
    {
        QMessageBox box;
        box.setText(u"<img src='/etc/hostname'>"_s);
        box.setInformativeText(u"<a href='http://127.0.0.1:1/'>here</a>"_s);
        showPlainly(box);
        int labels = 0;
        for (const auto* label : box.findChildren<QLabel*>()) {
            if (label->text().isEmpty())
                continue;
            ++labels;
            QCOMPARE(label->textFormat(), Qt::PlainText);
        }
        QCOMPARE(labels, 2);
    }
};

} // namespace dyno::tst_trust_card

DYNO_WIDGET_SUITE(tst_trust_card, dyno::tst_trust_card::TstTrustCard)
#include "tst_trust_card.moc"
