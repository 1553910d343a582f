// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/file_dialog.h"
#include "parts/question.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <QFileDialog>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTest>

#include <algorithm>
#include <memory>

namespace dyno::tst_question {
using namespace Qt::StringLiterals;

class TestQuestion : public QObject
{
    Q_OBJECT
    std::unique_ptr<QWidget> m_window;
    int m_deleted = 0;

    QPointer<Question> ask()
    {
        m_deleted = 0;
        auto* question =
            new Question(m_window.get(), u"removeQuestion"_s, u"Remove it"_s, u"Remove <b>“a”</b>?"_s, u"1 GB goes."_s);
        question->addAct(
            u"yes"_s, u"Remove"_s, [this] { ++m_deleted; }, true);
        question->ask(u"no"_s);
        return question;
    }
    static bool gone(const QPointer<Question>& question)
    {
        return QTest::qWaitFor([&question] { return question.isNull(); }, test::kPatienceMs);
    }

private slots:
    void initTestCase()
    {
        test::ownSettings();
        Theme::instance().apply(*qApp);
    }
    void init()
    {
        m_window = std::make_unique<QWidget>();
        m_window->resize(600, 400);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void itIsDressed()
    {
        const auto question = ask();
        QVERIFY(question && question->isVisible());
        QVERIFY(!question->iconPixmap().isNull());
        QCOMPARE(question->accessibleName(), u"Remove it"_s);
        const auto* text = question->findChild<QLabel*>(u"qt_msgbox_label"_s);
        QCOMPARE(text->textFormat(), Qt::PlainText); // shown as it is
        const auto* no = question->findChild<QPushButton*>(u"no"_s);
        QCOMPARE(no->text(), u"Cancel"_s);
        QCOMPARE(question->findChild<QPushButton*>(u"yes"_s)->text(), u"Remove"_s);
        QCOMPARE(question->findChild<QPushButton*>(u"yes"_s)->property("role").toString(), u"danger"_s);
    }
    void enterAndEscapeDoNothing()
    {
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Escape}) {
            const auto question = ask();
            QVERIFY(QTest::qWaitForWindowActive(question));
            QTest::keyClick(question->focusWidget(), key);
            QVERIFY(gone(question));
            QCOMPARE(m_deleted, 0);
        }
    }
    void anotherThemeLeavesTheFocus()
    {
        const auto question = ask();
        QVERIFY(QTest::qWaitForWindowActive(question));
        const auto before = Theme::instance().choice();
        const qint64 picture = question->iconPixmap().cacheKey();
        Theme::instance().setChoice(Theme::instance().mode() == ThemeMode::Dark ? Theme::Choice::Light
                                                                                : Theme::Choice::Dark);
        QVERIFY(question->iconPixmap().cacheKey() != picture);
        QCOMPARE(question->focusWidget()->objectName(), u"no"_s);
        Theme::instance().setChoice(before);
    }
    void theActIsDone()
    {
        const auto question = ask();
        QTest::mouseClick(question->findChild<QPushButton*>(u"yes"_s), Qt::LeftButton);
        QVERIFY(gone(question));
        QCOMPARE(m_deleted, 1);
    }
    void filesAreAskedForByWhatIsDone()
    {
        const QPointer<QFileDialog> dialog =
            makeFileDialog(m_window.get(), u"backUpDialog"_s, u"Back up the library"_s, u"Back up"_s);
        QCOMPARE(dialog->objectName(), u"backUpDialog"_s);
        QCOMPARE(dialog->accessibleName(), u"Back up the library"_s);
        dialog->open();
        QVERIFY(std::ranges::any_of(dialog->findChildren<QPushButton*>(),
                                    [](const QPushButton* button) { return button->text() == u"Back up"; }));
        dialog->close();
        QVERIFY(QTest::qWaitFor([&dialog] { return dialog.isNull(); }, test::kPatienceMs));
    }
};

} // namespace dyno::tst_question

DYNO_WIDGET_SUITE(tst_question, dyno::tst_question::TestQuestion)
#include "tst_question.moc"
