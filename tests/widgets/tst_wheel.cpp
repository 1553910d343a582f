// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel scrolls what is around an input of a page or a dialog; it never changes what is under the mouse.
#include "bridge/keyring.h"
#include "parts/wheel_guard.h"
#include "plots/export.h"
#include "plots/plot_card.h"
#include "servers/server_dialogs.h"
#include "sessions/import_dialog.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "widgets/plan_page_fixture.h"

#include <QAbstractSpinBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>
#include <QtTest/qtestspontaneevent.h>

namespace dyno::tst_wheel {
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

//! Over each input of a dialog, with and without the focus: value and focus stay. The part of a spin box that is under
//! the mouse is its text.
void verifyKeeps(const QDialog& dialog, int least)
{
    QList<QWidget*> inputs;
    for (auto* combo : dialog.findChildren<QComboBox*>())
        inputs << combo;
    for (auto* box : dialog.findChildren<QAbstractSpinBox*>())
        inputs << box;
    inputs.removeIf([](const QWidget* input) { return !input->isVisible(); });
    QVERIFY2(inputs.size() >= least, qPrintable(QString::number(inputs.size())));
    auto* elsewhere = dialog.findChild<QPushButton*>();
    QVERIFY(elsewhere);
    for (QWidget* input : std::as_const(inputs)) {
        const QByteArray name = input->objectName().toUtf8();
        const QString value = valueOf(input);
        auto* text = input->findChild<QLineEdit*>();
        for (const bool focused : {false, true}) {
            (focused ? input : elsewhere)->setFocus();
            const QWidget* before = dialog.focusWidget();
            for (const int notches : {-1, 1, 1, -1, -1}) {
                turnWheel(input, notches);
                if (text)
                    turnWheel(text, notches);
                QVERIFY2(valueOf(input) == value, name.constData());
            }
            QVERIFY2(dialog.focusWidget() == before, name.constData());
        }
    }
}

} // namespace

class TstWheel : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
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
            PlanPageFixture::reveal(input);
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
        auto* combo = fixture.show<QComboBox>("workloadPrepare");
        QScrollBar* bar = fixture.find<QScrollArea>("planScroll")->verticalScrollBar();
        QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > 0, test::kPatienceMs);
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

    void noInputOfAServersQuestionTakesIt()
    {
        WheelGuard::install(); // as every page does
        Keyring keyring;
        RemoteServerDialog dialog({}, keyring);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false); // it is a member here
        dialog.show();
        const QString before = dialog.findChild<QLineEdit*>(u"remoteUri"_s)->text();
        verifyKeeps(dialog, 1);
        QCOMPARE(dialog.findChild<QLineEdit*>(u"remoteUri"_s)->text(), before);
    }

    //! Also not those for the columns of a table, and no file is read again.
    void noInputOfAnImportTakesIt()
    {
        WheelGuard::install();
        const QString file = m_dir.filePath(u"values.csv"_s);
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("when,speed,slowest\n1,100,3\n2,120,4\n3,140,5\n");
        out.close();
        ImportDialog dialog(m_dir.filePath(u"import.dynolib"_s).toStdString(), {file});
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.show();
        QTRY_VERIFY(!dialog.busy());
        auto* format = dialog.findChild<QComboBox*>(u"importFormat"_s);
        const int csv = format->findData(u"csv"_s);
        QVERIFY(csv > 0);
        format->setCurrentIndex(csv);
        emit format->activated(csv);
        QTRY_VERIFY(!dialog.busy() && dialog.findChild<QWidget*>(u"importMap"_s)->isVisible());
        for (const auto& [role, column] : {std::pair(u"time"_s, u"1"_s), std::pair(u"throughput"_s, u"2"_s)}) {
            auto* box = dialog.findChild<QComboBox*>(u"importRole-"_s + role);
            const int at = box->findData(column);
            QVERIFY(at > 0);
            box->setCurrentIndex(at);
            emit box->activated(at);
        }
        auto* users = dialog.findChild<QAbstractSpinBox*>(u"importUsers"_s);
        QTRY_VERIFY(!dialog.busy() && users->isEnabled()); // the file does not tell them
        verifyKeeps(dialog, 5);                            // format, users and columns
        QVERIFY(!dialog.busy());
    }

    void noInputOfAnExportTakesIt()
    {
        WheelGuard::install();
        PlotCard card(u"Throughput"_s, u"transactions/s"_s);
        card.addSeries(u"fast"_s, {.color = 0});
        card.graph(0).addData(0, 1);
        ExportDialog dialog(card);
        dialog.show();
        verifyKeeps(dialog, 4); // width, height, scale and colours
        QCOMPARE(dialog.options().size, QSize(1200, 675));
    }

private:
    QTemporaryDir m_dir;
};

} // namespace dyno::tst_wheel

DYNO_WIDGET_SUITE(tst_wheel, dyno::tst_wheel::TstWheel)
#include "tst_wheel.moc"
