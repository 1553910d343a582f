// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel scrolls the Plan page; it never changes what is under the mouse.
#include "support/suite.h"
#include "widgets/plan_page_fixture.h"

#include <QAbstractSpinBox>
#include <QDoubleSpinBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>
#include <QtTest/qtestspontaneevent.h>

using namespace dyno;
using namespace Qt::StringLiterals;
using test::PlanPageFixture;

namespace {

//! One notch as it comes from the window system: unlike one from the program, it goes on to the parents.
void turnWheel(QWidget* widget, int notches)
{
    const QPointF at = QRectF(widget->rect()).center();
    QWheelEvent wheel(at, widget->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&wheel);
    qApp->notify(widget, &wheel); // sendEvent() would make it one of the program's own, which goes no further
}

QString valueOf(const QWidget* input)
{
    if (const auto* combo = qobject_cast<const QComboBox*>(input))
        return combo->currentText();
    return qobject_cast<const QAbstractSpinBox*>(input)->text();
}

//! All kinds of inputs: the first plan's, and the chart over time that has spin boxes.
QList<QWidget*> inputsOf(PlanPageFixture& fixture)
{
    fixture.page.editor().edit(u"views"_s, [](Plan& plan) {
        View part;
        part.chart = "dots";
        part.from = 10;
        part.to = 20;
        plan.views = {part};
    });
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QList<QWidget*> inputs;
    for (auto* combo : fixture.page.findChildren<QComboBox*>())
        inputs << combo;
    for (auto* box : fixture.page.findChildren<QAbstractSpinBox*>())
        inputs << box;
    return inputs;
}

} // namespace

class TstWheel : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
        QCoreApplication::setOrganizationName(u"dynobench-tests"_s);
        QCoreApplication::setApplicationName(u"tst_wheel"_s);
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_dir.path());
    }
    void init() { QSettings().clear(); }

    void noInputOfThePlanPageTakesIt()
    {
        PlanPageFixture fixture(m_dir.path());
        const QList<QWidget*> inputs = inputsOf(fixture);
        QVERIFY(inputs.size() >= 8);
        QVERIFY(fixture.find<QDoubleSpinBox>("view0.from") && fixture.find<QComboBox>("workloadPrepare"));
        const std::string before = writePlan(fixture.plan());
        const int steps = fixture.page.editor().undoStack().index();
        for (QWidget* input : inputs) {
            const QString value = valueOf(input);
            for (const bool focused : {false, true}) {
                if (focused)
                    input->setFocus();
                else
                    fixture.find("planTitle")->setFocus();
                for (const int notches : {-1, 1, 1, -1, -1}) {
                    turnWheel(input, notches);
                    QVERIFY2(valueOf(input) == value, qPrintable(input->objectName()));
                }
                const bool kept = fixture.page.focusWidget() == fixture.find("planTitle");
                QVERIFY2(focused || !input->isVisible() || kept, qPrintable(input->objectName()));
            }
        }
        QCOMPARE(writePlan(fixture.plan()), before);
        QCOMPARE(fixture.page.editor().undoStack().index(), steps);
    }

    void itScrollsThePageInstead()
    {
        PlanPageFixture fixture(m_dir.path());
        fixture.page.resize(1356, 480);
        QScrollBar* bar = fixture.find<QScrollArea>("planScroll")->verticalScrollBar();
        QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > 0, test::kPatienceMs);
        auto* combo = fixture.find<QComboBox>("workloadPrepare");
        const QString chosen = combo->currentText();
        for (const bool focused : {false, true}) {
            bar->setValue(0);
            if (focused)
                combo->setFocus();
            bar->setValue(0);
            turnWheel(combo, -1);
            QVERIFY(bar->value() > 0);
            QCOMPARE(combo->currentText(), chosen);
        }
    }

private:
    QTemporaryDir m_dir;
};

DYNO_WIDGET_SUITE(tst_wheel, TstWheel)
#include "tst_wheel.moc"
