// SPDX-License-Identifier: GPL-3.0-or-later
// The language for developers: longer texts in which whatever a program reads has stayed.
#include "desktop/language.h"
#include "desktop/pseudo_language.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "theme.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QTest>
#include <QtMath>

namespace dyno::tst_pseudo_language {

using namespace Qt::StringLiterals;

class TestPseudoLanguage : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        test::ownSettings();
        Theme::instance().apply(*qApp);
    }
    void cleanup() { applyLanguage(*qApp); }

    void textsAreLonger_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"Throughput", "Save", "New plan", "Rhythms", "What does durability cost?",
                                 "Sessions that ran on this machine while nobody looked"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void textsAreLonger()
    {
        QFETCH(QString, text);
        const QString pseudo = pseudoText(text);
        QVERIFY2(pseudo.size() >= qCeil(double(text.size()) * 1.4), qPrintable(pseudo));
        QVERIFY2(pseudo.size() <= qCeil(double(text.size()) * 1.4) + 1, qPrintable(pseudo));
        QVERIFY(pseudo.startsWith(u'[') && pseudo.endsWith(u']'));
    }
    void whatProgramsReadStays_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("kept");
        QTest::newRow("arguments") << u"%1 of %2, %L3 left"_s << QStringList{u"%1"_s, u"%2"_s, u"%L3"_s};
        QTest::newRow("tags") << u"a <b>bold</b> word, <a href=\"x\">here</a>"_s
                              << QStringList{u"<b>"_s, u"</b>"_s, u"<a href=\"x\">"_s, u"</a>"_s};
        QTest::newRow("entities") << u"less &lt; more &amp; so on"_s << QStringList{u"&lt;"_s, u"&amp;"_s};
        QTest::newRow("mnemonic") << u"&Open a file"_s << QStringList{u"&O"_s};
    }
    void whatProgramsReadStays()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, kept);
        const QString pseudo = pseudoText(text);
        for (const QString& piece : kept)
            QVERIFY2(pseudo.count(piece) == text.count(piece), qPrintable(pseudo));
        QCOMPARE(pseudo.count(u'&'), text.count(u'&'));
        QCOMPARE(pseudo.count(u'<'), text.count(u'<'));
    }
    void paragraphsKeepTheirBracketsInside()
    {
        const QString pseudo = pseudoText(u"<p>Some words</p> "_s);
        QVERIFY2(pseudo.startsWith(u"<p>["_s) && pseudo.endsWith(u"]</p> "_s), qPrintable(pseudo));
    }
    void unitsAndSignsStay()
    {
        for (const QString& text : {u"ms"_s, u"%1 s"_s, u"⋯"_s, u"95 %"_s, QString()})
            QCOMPARE(pseudoText(text), text);
    }
    //! By a setting that no list offers, and until the next choice.
    void theTranslatorTakesOurTextsOnly()
    {
        const auto ours = [] { return QCoreApplication::translate("dyno::StartPage", "Throughput"); };
        QCOMPARE(ours(), u"Throughput"_s);
        applyLanguage(*qApp, QString::fromLatin1(kPseudoLanguage));
        QVERIFY(!shippedLanguages().contains(QString::fromLatin1(kPseudoLanguage)));
        QCOMPARE(ours(), pseudoText(u"Throughput"_s));
        QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Cancel"), pseudoText(u"Cancel"_s));
        QCOMPARE(QCoreApplication::translate("QGuiApplication", "QT_LAYOUT_DIRECTION"), u"QT_LAYOUT_DIRECTION"_s);
        QCOMPARE(QKeySequence(Qt::CTRL | Qt::Key_F).toString(QKeySequence::NativeText), u"Ctrl+F"_s);
        applyLanguage(*qApp, u"en"_s);
        QCOMPARE(ours(), u"Throughput"_s);
    }
    void pluralsComeFirst()
    {
        applyLanguage(*qApp, QString::fromLatin1(kPseudoLanguage));
        const auto runs = [](int n) { return QCoreApplication::translate("dyno::X", "%n long run(s)", nullptr, n); };
        QCOMPARE(runs(1), pseudoText(u"%n long run"_s).replace(u"%n"_s, u"1"_s));
        QCOMPARE(runs(2), pseudoText(u"%n long runs"_s).replace(u"%n"_s, u"2"_s));
    }
};

} // namespace dyno::tst_pseudo_language

DYNO_WIDGET_SUITE(tst_pseudo_language, dyno::tst_pseudo_language::TestPseudoLanguage)
#include "tst_pseudo_language.moc"
