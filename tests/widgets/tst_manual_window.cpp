// SPDX-License-Identifier: GPL-3.0-or-later
// The manual's window: contents, search, links, back and forward, both themes.
#include "manual/manual_browser.h"
#include "manual/manual_lists.h"
#include "manual/manual_window.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/manual.h>

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QToolButton>

namespace dyno::tst_manual_window {
using namespace Qt::StringLiterals;

class TstManualWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;
    std::unique_ptr<ManualWindow> m_window;
    QList<QUrl> m_opened;

    template<class Widget>
    [[nodiscard]] Widget* part(const char* name) const
    {
        auto* found = m_window->findChild<Widget*>(QString::fromLatin1(name));
        if (!found)
            qFatal("there is no %s", name);
        return found;
    }
    [[nodiscard]] ManualBrowser* browser() const { return part<ManualBrowser>("manualPage"); }
    //! Clicks the first link whose address ends so.
    void click(const QString& end)
    {
        for (QTextBlock block = browser()->document()->begin(); block.isValid(); block = block.next()) {
            for (auto at = block.begin(); !at.atEnd(); ++at) {
                if (!at.fragment().charFormat().anchorHref().endsWith(end))
                    continue;
                QTextCursor cursor(browser()->document());
                cursor.setPosition(at.fragment().position() + 1);
                browser()->setTextCursor(cursor);
                browser()->ensureCursorVisible();
                QTest::mouseClick(browser()->viewport(), Qt::LeftButton, {}, browser()->cursorRect().center());
                return;
            }
        }
        qFatal("there is no such link");
    }

public slots:
    void noteOpened(const QUrl& url) { m_opened.append(url); }

private slots:
    void initTestCase()
    {
        test::ownHome(m_settings);
        Theme::instance().apply(*qApp);
    }
    void init()
    {
        QSettings().clear();
        m_window = std::make_unique<ManualWindow>();
        m_window->openPage(u"plans"_s);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void cleanup()
    {
        m_window.reset();
        QDesktopServices::unsetUrlHandler(u"https"_s);
    }

    void everyPageIsShown()
    {
        const QString empty = browser()->document()->toPlainText();
        QVERIFY(empty.startsWith(u"Plans"_s));
        for (const ManualPage& page : manualPages()) {
            m_window->openPage(QString::fromStdString(page.id));
            QCOMPARE(m_window->page(), QString::fromStdString(page.id));
            QVERIFY2(browser()->document()->toPlainText().startsWith(QString::fromStdString(page.title)),
                     page.id.c_str());
            QVERIFY2(m_window->windowTitle().contains(QString::fromStdString(page.title)), page.id.c_str());
            auto* contents = part<ManualContents>("manualContents");
            QCOMPARE(contents->currentItem()->text(), QString::fromStdString(page.title));
        }
        m_window->openPage(u"nowhere"_s); // the page that is open stays
        QCOMPARE(m_window->page(), QString::fromStdString(manualPages().back().id));
    }

    void linksGoThereAndBack()
    {
        auto* back = part<QToolButton>("manualBack");
        auto* forward = part<QToolButton>("manualForward");
        QVERIFY(!back->isEnabled() && !forward->isEnabled());
        click(u"plan-reference.html"_s);
        QCOMPARE(m_window->page(), u"plan-reference"_s);
        QVERIFY(back->isEnabled() && !forward->isEnabled());
        back->click();
        QCOMPARE(m_window->page(), u"plans"_s);
        QVERIFY(forward->isEnabled());
        QTest::keyClick(browser(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(m_window->page(), u"plan-reference"_s);
        QTest::keyClick(browser(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(m_window->page(), u"plans"_s);
    }

    void headingsAreJumpedTo()
    {
        m_window->openPage(u"plans"_s, u"recipes"_s);
        QTRY_VERIFY(browser()->verticalScrollBar()->value() > 0);
        m_window->openPage(u"plans"_s, u"settings"_s);
        QTRY_VERIFY(browser()->verticalScrollBar()->value() < browser()->verticalScrollBar()->maximum());
    }

    //! Nothing is fetched, and the browser opens nothing before a click.
    void outsideLinksNeedAClick()
    {
        QDesktopServices::setUrlHandler(u"https"_s, this, "noteOpened");
        QVERIFY(!browser()->loadResource(QTextDocument::ImageResource, QUrl(u"https://example.org/a.png"_s)).isValid());
        QVERIFY(!browser()->loadResource(QTextDocument::HtmlResource, QUrl(u"file:///etc/hostname"_s)).isValid());
        browser()->setHtml(u"<p><a href=\"https://example.org/\">outside</a></p>"_s);
        QVERIFY(m_opened.isEmpty());
        click(u"example.org/"_s);
        QCOMPARE(m_opened, QList<QUrl>{QUrl(u"https://example.org/"_s)});
        QDesktopServices::unsetUrlHandler(u"https"_s);
    }

    void searchFindsAndMarks()
    {
        auto* search = part<QLineEdit>("manualSearch");
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(m_window->focusWidget(), search);
        QTest::keyClicks(search, u"coordinated omission"_s);
        auto* hits = part<ManualHits>("manualHits");
        QVERIFY(hits->isVisible() && hits->count() > 0);
        QCOMPARE(hits->item(0)->text(), u"Coordinated omission"_s);
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(m_window->page(), u"methodology"_s);
        QVERIFY(!browser()->extraSelections().isEmpty());
        search->setText(u"wibblywobbly"_s);
        QVERIFY(part<QWidget>("manualNothing")->isVisible());
        search->clear();
        QVERIFY(part<ManualContents>("manualContents")->isVisible());
    }

    void contentsOpenPages()
    {
        auto* contents = part<ManualContents>("manualContents");
        int headings = 0;
        for (int i = 0; i < contents->count(); ++i)
            headings += contents->item(i)->flags() == Qt::NoItemFlags ? 1 : 0;
        QVERIFY(headings > 4);
        const auto item = contents->findItems(u"Methodology"_s, Qt::MatchExactly);
        QCOMPARE(item.size(), 1);
        contents->scrollToItem(item.front());
        QTest::mouseClick(contents->viewport(), Qt::LeftButton, {}, contents->visualItemRect(item.front()).center());
        QCOMPARE(m_window->page(), u"methodology"_s);
    }

    void themesDressTheTextWhereItStands()
    {
        m_window->openPage(u"plans"_s, u"recipes"_s);
        QTRY_VERIFY(browser()->verticalScrollBar()->value() > 0);
        const int place = browser()->verticalScrollBar()->value();
        for (const auto choice : {Theme::Choice::Dark, Theme::Choice::Light}) {
            Theme::instance().setChoice(choice);
            QCOMPARE(browser()->verticalScrollBar()->value(), place);
            QVERIFY(browser()->document()->defaultStyleSheet().contains(Theme::instance().colors().accent.name()));
            QVERIFY(browser()->document()->toHtml().contains(Theme::instance().colors().accent.name(),
                                                             Qt::CaseInsensitive));
        }
    }

    void sizeIsRememberedAndEscapeCloses()
    {
        m_window->resize(1000, 640);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(!m_window->isVisible());
        ManualWindow again;
        QCOMPARE(again.size(), QSize(1000, 640));
    }

    void partsHaveNamesForEveryone()
    {
        for (const char* name :
             {"manualPage", "manualContents", "manualHits", "manualSearch", "manualBack", "manualForward"})
            QVERIFY2(!part<QWidget>(name)->accessibleName().isEmpty(), name);
        QVERIFY(!m_window->accessibleName().isEmpty());
    }
};

} // namespace dyno::tst_manual_window

DYNO_WIDGET_SUITE(tst_manual_window, dyno::tst_manual_window::TstManualWindow)
#include "tst_manual_window.moc"
