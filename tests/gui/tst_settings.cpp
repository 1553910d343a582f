// SPDX-License-Identifier: GPL-3.0-or-later
// Settings and About, chosen as a person does, with what each choice changes.
#include "desktop/about_dialog.h"
#include "desktop/language.h"
#include "desktop/settings_dialog.h"
#include "own_window.h"
#include "parts/page.h"
#include "plan/plan_page.h"
#include "preferences.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"
#include "widgets/pictures.h"

#include <dyno/catalog.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QScopeGuard>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

namespace dyno::tst_settings {
using namespace Qt::StringLiterals;

class TestSettings : public QObject, protected test::OwnWindow
{
    Q_OBJECT

    template<class Widget>
    [[nodiscard]] Widget* part(const char* name) const
    {
        auto* found = m_window->findChild<Widget*>(QLatin1String(name));
        if (!found)
            qFatal("there is no %s", name);
        return found;
    }
    //! By the keyboard, as a person does who goes through the list.
    void choose(const char* name, const QString& text) const
    {
        auto* box = part<QComboBox>(name);
        const int row = box->findText(text);
        QVERIFY2(row >= 0, qPrintable(text));
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int i = 0; i < row; ++i)
            QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->currentText(), text);
    }
    [[nodiscard]] SettingsDialog* dialog() const { return m_window->findChild<SettingsDialog*>(); }
    void openSettings() const
    {
        QTest::mouseClick(part<QToolButton>("settingsButton"), Qt::LeftButton);
        QVERIFY(dialog() && dialog()->isVisible());
    }
    template<class Preference>
    static auto chosen(const Preference& one)
    {
        return Preferences::instance().get(one);
    }

private slots:
    void initTestCase() { ownAll(); }
    void init()
    {
        startAnew();
        Theme::instance().apply(*qApp);
        m_library->addShort("one");
        QVERIFY(open());
    }
    void cleanup() { shut(); }

    void openByKeyAndCloseByEscape()
    {
        QTest::keyClick(m_window.get(), Qt::Key_Comma, Qt::ControlModifier);
        QVERIFY(dialog() && dialog()->isVisible());
        for (QWidget* control : dialog()->findChildren<QWidget*>()) {
            if (control->focusPolicy() == Qt::NoFocus || !control->isVisible())
                continue;
            QVERIFY2(!control->objectName().isEmpty(), control->metaObject()->className());
            QVERIFY2(!control->accessibleName().isEmpty(), qPrintable(control->objectName()));
        }
        test::keepPictures(*dialog(), u"settings"_s);
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([this] { return !dialog(); }, test::kPatienceMs));
    }
    void theThemeChangesAtOnceAndStays()
    {
        openSettings();
        choose("settingsTheme", u"Dark"_s);
        QCOMPARE(Theme::instance().mode(), ThemeMode::Dark);
        QCOMPARE(m_window->palette().color(QPalette::Window), Theme::colors(ThemeMode::Dark).window);
        Theme::instance().apply(*qApp); // as the next start does
        QCOMPARE(Theme::instance().mode(), ThemeMode::Dark);
        choose("settingsTheme", u"Light"_s);
        QCOMPARE(Theme::instance().mode(), ThemeMode::Light);
    }
    void theLanguageSaysThatItWaits()
    {
        openSettings();
        QVERIFY(part<QLabel>("settingsLanguageNote")->isVisible());
        QVERIFY(shippedLanguages().contains(u"en"_s));
        choose("settingsLanguage", u"English"_s);
        QCOMPARE(chosen(Preferences::language), u"en"_s);
        const QLocale before;
        const auto restore = qScopeGuard([&before] {
            QLocale::setDefault(before);
            Preferences::instance().set(Preferences::language, QString());
            applyLanguage(*qApp);
        });
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(QLocale().toString(1.5), u"1,5"_s);
        applyLanguage(*qApp); // as the next start does
        QCOMPARE(QLocale().toString(1.5), u"1.5"_s);
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        Preferences::instance().set(Preferences::language, u"tlh"_s); // this build has no such translation
        applyLanguage(*qApp);
        QCOMPARE(QLocale().toString(1.5), u"1,5"_s);
    }
    void theSizeOfRecipesReachesTheCardsAtOnce()
    {
        auto* start = qobject_cast<StartPage*>(m_window->page(u"startPage"_s));
        QVERIFY(QTest::qWaitFor([start] { return start->loaded(); }, test::kPatienceMs));
        const auto sizes = [start] {
            QStringList all;
            for (const RecipeCard* card : start->findChildren<RecipeCard*>()) {
                if (!card->isHidden())
                    all << card->size();
            }
            return all;
        };
        QVERIFY(sizes().contains(u"quick"_s) && !sizes().contains(u"laptop"_s));
        openSettings();
        choose("settingsSize", part<QComboBox>("settingsSize")->itemText(1));
        QCOMPARE(chosen(Preferences::size), u"laptop"_s);
        QVERIFY(sizes().contains(u"laptop"_s) && !sizes().contains(u"quick"_s));
    }
    void newPlansSampleAsOftenAsIsChosen()
    {
        openSettings();
        auto* box = part<QComboBox>("settingsInterval");
        QCOMPARE(box->currentData().toDouble(), LoadProfile().intervalSeconds);
        const QString before = part<QLabel>("settingsSamples")->text();
        choose("settingsInterval", box->itemText(box->findData(0.5)));
        QVERIFY2(part<QLabel>("settingsSamples")->text() != before, qPrintable(before));
        QVERIFY(part<QLabel>("settingsSamples")->text().contains(u"200"_s)); // of 600 s, with a separator before
        dialog()->accept();
        m_window->showPage(u"planPage"_s);
        auto* plan = qobject_cast<PlanPage*>(m_window->page(u"planPage"_s));
        QTest::keyClick(plan, Qt::Key_N, Qt::ControlModifier);
        QVERIFY(
            QTest::qWaitFor([plan] { return plan->editor().plan().load.intervalSeconds == 0.5; }, test::kPatienceMs));
    }
    void valuesWrittenByHandAreShown()
    {
        QSettings().setValue(u"plan/interval"_s, 0.25);
        QSettings().setValue(u"notices/afterSeconds"_s, 45);
        openSettings();
        QCOMPARE(part<QComboBox>("settingsInterval")->currentData().toDouble(), 0.25);
        QVERIFY(part<QComboBox>("settingsInterval")->currentText().contains(u"0.25"_s));
        QCOMPARE(part<QComboBox>("settingsNoticeAfter")->currentData().toInt(), 45);
    }
    void noticesAreOffWhenTheyAreUnticked()
    {
        openSettings();
        QVERIFY(chosen(Preferences::notices));
        choose("settingsNoticeAfter", part<QComboBox>("settingsNoticeAfter")->itemText(0));
        QCOMPARE(chosen(Preferences::noticeAfter), 0);
        part<QCheckBox>("settingsNotices")->setFocus();
        QTest::keyClick(part<QCheckBox>("settingsNotices"), Qt::Key_Space);
        QVERIFY(!chosen(Preferences::notices));
        QVERIFY(!part<QComboBox>("settingsNoticeAfter")->isEnabled());
    }
    void theLibraryIsShownAndMoved()
    {
        openSettings();
        QVERIFY(part<QLabel>("settingsLibrary")->accessibleName().contains(m_library->path("library.dynolib")));
        QTest::mouseClick(part<QPushButton>("settingsMoveLibrary"), Qt::LeftButton);
        QCOMPARE(m_window->currentPage()->objectName(), u"sessionsPage"_s);
        QVERIFY(QTest::qWaitFor([this] { return m_window->findChild<QFileDialog*>(); }, test::kPatienceMs));
        m_window->findChild<QFileDialog*>()->reject();
    }
    //! What somebody wrote into the file by hand does no harm.
    void damagedSettingsAreTheUsualOnes()
    {
        QSettings().setValue(u"theme"_s, 77);
        QSettings().setValue(u"recipes/size"_s, u"huge"_s);
        QCOMPARE(chosen(Preferences::size), u"quick"_s);
        QSettings().setValue(u"notices/afterSeconds"_s, -1);
        QCOMPARE(chosen(Preferences::noticeAfter), 60);
        for (const double seconds : {0.0, 0.01, 60.0}) {
            QSettings().setValue(u"plan/interval"_s, seconds);
            QCOMPARE(chosen(Preferences::interval), LoadProfile().intervalSeconds);
        }
        QSettings().setValue(u"plan/interval"_s, u"often"_s);
        Theme::instance().apply(*qApp);
        QCOMPARE(Theme::instance().choice(), Theme::Choice::System);
        m_window->showPage(u"planPage"_s);
        auto* plan = qobject_cast<PlanPage*>(m_window->page(u"planPage"_s));
        QTest::keyClick(plan, Qt::Key_N, Qt::ControlModifier);
        QVERIFY(QTest::qWaitFor([plan] { return plan->editor().plan().title == "New plan"; }, test::kPatienceMs));
        QCOMPARE(plan->editor().plan().load.intervalSeconds, LoadProfile().intervalSeconds);
    }
    void aboutNamesWhatAReportNeeds()
    {
        openSettings();
        QTest::mouseClick(part<QPushButton>("settingsAbout"), Qt::LeftButton);
        auto* about = m_window->findChild<AboutDialog*>();
        QVERIFY(about && about->isVisible());
        QTest::mouseClick(about->findChild<QPushButton*>(u"aboutCopy"_s), Qt::LeftButton);
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY(copied.contains(QLatin1String(softwareVersion())) && copied.contains(QLatin1String(qVersion())));
        for (const DriverInfo& driver : drivers())
            QVERIFY2(driver.library == "none" || copied.contains(QString::fromStdString(driver.library)),
                     driver.library.c_str());
        test::keepPictures(*about, u"about"_s);
        QTest::keyClick(about, Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->findChild<AboutDialog*>(); }, test::kPatienceMs));
        QVERIFY(dialog()->isVisible());
    }
};

} // namespace dyno::tst_settings

DYNO_WIDGET_SUITE(tst_settings, dyno::tst_settings::TestSettings)
#include "tst_settings.moc"
