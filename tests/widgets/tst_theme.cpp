// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/labels.h"
#include "support/suite.h"
#include "theme.h"

#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace dyno::tst_theme {

//! Contrast ratio after WCAG 2.1, "relative luminance" and "contrast ratio".
static double luminance(const QColor& color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

static double contrast(const QColor& a, const QColor& b)
{
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

class TestTheme : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.path());
        QApplication::setOrganizationName(QStringLiteral("dynobench-test"));
        Theme::instance().apply(*qApp);
    }
    void contrastFormula() // known answers: black on white is 21, #767676 on white is the well-known 4.54
    {
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
        QVERIFY(std::fabs(contrast(QColor("#767676"), Qt::white) - 4.54) < 0.005);
    }
    void textCanBeRead_data()
    {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << int(ThemeMode::Light);
        QTest::newRow("dark") << int(ThemeMode::Dark);
        QTest::newRow("print") << int(ThemeMode::Print);
    }
    void textCanBeRead()
    {
        QFETCH(int, mode);
        const ThemeColors& c = Theme::colors(ThemeMode(mode));
        for (const QColor& ground : {c.surface, c.window}) {
            for (const QColor& text : {c.text, c.secondText, c.accent, c.good, c.warn, c.bad}) {
                const QString message =
                    QStringLiteral("%1 on %2: %3").arg(text.name(), ground.name()).arg(contrast(text, ground));
                QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(message));
            }
        }
        QVERIFY(contrast(c.onAccent, c.accent) >= 4.5);
        // Lines are graphics: 3 to 1. End labels are bold text of the same colour.
        for (const QColor& series : c.series) {
            const QString message =
                QStringLiteral("%1 on %2: %3").arg(series.name(), c.surface.name()).arg(contrast(series, c.surface));
            QVERIFY2(contrast(series, c.surface) >= 3.0, qPrintable(message));
        }
    }
    void choiceIsRememberedAndChangesThePalette()
    {
        Theme& theme = Theme::instance();
        int changes = 0;
        connect(&theme, &Theme::changed, this, [&changes] { ++changes; });
        theme.setChoice(Theme::Choice::Dark);
        QCOMPARE(theme.mode(), ThemeMode::Dark);
        QCOMPARE(qApp->palette().color(QPalette::Window), Theme::colors(ThemeMode::Dark).window);
        theme.apply(*qApp);
        QCOMPARE(theme.choice(), Theme::Choice::Dark);
        theme.setChoice(Theme::Choice::Light);
        QCOMPARE(qApp->palette().color(QPalette::Window), Theme::colors(ThemeMode::Light).window);
        QVERIFY(changes >= 2);
        QVERIFY2(!qApp->styleSheet().contains(u'@'), "a colour name was left in the style sheet");
    }
    void everyIconCanBeDrawn()
    {
        const QStringList files = QDir(QStringLiteral(":/icons")).entryList();
        QVERIFY(files.size() > 20);
        for (const QString& file : files) {
            const QString name = QString(file).remove(QStringLiteral(".svg"));
            const QImage image = Theme::instance().icon(name).pixmap(QSize(24, 24), 2.0).toImage();
            QCOMPARE(image.size(), QSize(48, 48));
            bool drawn = false;
            for (int y = 0; y < image.height() && !drawn; ++y)
                for (int x = 0; x < image.width() && !drawn; ++x)
                    drawn = qAlpha(image.pixel(x, y)) > 60;
            QVERIFY2(drawn, qPrintable(name));
        }
    }
    void figuresAreTabular()
    {
        const QFont font = Theme::font(TextRole::KeyFigure);
        QCOMPARE(figures::width(font, QStringLiteral("111 111")), figures::width(font, QStringLiteral("888 888")));
        QVERIFY(figures::width(font, QStringLiteral("1111")) > figures::width(font, QStringLiteral("111")));
    }
};

} // namespace dyno::tst_theme

DYNO_WIDGET_SUITE(tst_theme, dyno::tst_theme::TestTheme)
#include "tst_theme.moc"
