// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! "This plan wants to …": a plan of somebody else's on the Plan page, by clicking.
#include "forms/trust_card.h"
#include "plan_page_fixture.h"
#include "support/suite.h"
#include "theme.h"

using namespace dyno;
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

    //! In both themes, where somebody wants to look at them.
    static void keepPictures(QWidget& page)
    {
        const QString folder = qEnvironmentVariable("DYNO_TEST_PICTURES");
        if (folder.isEmpty())
            return;
        for (const bool dark : {false, true}) {
            Theme::instance().setChoice(dark ? Theme::Choice::Dark : Theme::Choice::Light);
            QTest::qWait(50);
            QVERIFY(page.grab().save(folder + (dark ? u"/trust-dark.png"_s : u"/trust-light.png"_s)));
        }
    }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(u"dynobench-test"_s);
        QCoreApplication::setApplicationName(u"tst_trust_card"_s);
        Theme::instance().apply(*qApp);
        QVERIFY(m_dir.isValid());
    }
    void init()
    {
        QSettings().clear();
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
            keepPictures(rig.page);
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

    void whatIsTypedNeedsNoAgreement()
    {
        test::PlanPageFixture rig(m_dir.path());
        Plan plan = strangersPlan(m_dir);
        plan.workload.params.erase("create_table_options");
        rig.context.editPlan(plan);
        QVERIFY(rig.settle());
        rig.page.editor().edit(u"Type"_s, [](Plan& typed) { typed.workload.params["create_table_options"] = std::string("/* own */"); });
        QVERIFY(rig.settle());
        QVERIFY(!rig.find("trustCard")->isVisible());
        bool asked = false;
        connect(&rig.context, &AppContext::consentRequested, &rig.page, [&] { asked = true; });
        QSignalSpy finished(&rig.context.run(), &RunFeed::sessionFinished);
        rig.click("planStart");
        QVERIFY(finished.wait(test::kPatienceMs));
        QVERIFY(!asked);
    }

    //! Text of a stranger's stays text: no line or mark-up of its own.
    void valuesAreShownAsTheyAre()
    {
        TrustCard card;
        card.setRisks({{"connection.init_sql", "SELECT 1\n\nAllowed: <b>everything</b>" + std::string(5000, 'x'), "send statements"}});
        const auto* row = card.findChild<QWidget*>(u"trustRisk.connection.init_sql"_s);
        QVERIFY(row);
        for (const auto* label : row->findChildren<QLabel*>()) {
            QCOMPARE(label->textFormat(), Qt::PlainText);
            QVERIFY(!label->text().contains(u'\n') && label->text().size() < 400);
        }
    }
};

DYNO_WIDGET_SUITE(tst_trust_card, TstTrustCard)
#include "tst_trust_card.moc"
