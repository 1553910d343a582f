// SPDX-License-Identifier: GPL-3.0-or-later
// What all dialogs have in common: names, a way out that changes nothing, buttons that say the act, sizes that stay.
#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "bridge/recipe_dialog.h"
#include "bridge/run_bridge.h"
#include "compare/add_session_dialog.h"
#include "parts/banner.h"
#include "parts/dialog.h"
#include "plan/knob_picker.h"
#include "plan/size_dialog.h"
#include "sessions/import_dialog.h"
#include "sessions/rerun_dialog.h"
#include "sessions/session_transfer.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"
#include "widgets/sample_library.h"
#include "widgets/sample_plan.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QDialog>
#include <QFile>
#include <QLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTest>

#include <memory>

namespace dyno::tst_dialogs {
using namespace Qt::StringLiterals;

class TestDialogs : public QObject
{
    Q_OBJECT
    test::SampleLibrary m_library;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<LibraryWorker> m_worker;
    std::unique_ptr<Banner> m_banner;
    std::unique_ptr<SessionTransfer> m_transfer;

    QPointer<QDialog> open(const QString& name)
    {
        QDialog* dialog = nullptr;
        if (name == u"sizeDialog"_s) {
            dialog = new SizeDialog(test::samplePlan(), {}, m_window.get());
        } else if (name == u"recipeDialog"_s) {
            dialog = new RecipeDialog(RecipeDialog::Act::Save, {"", "A question?", ""}, u"a result"_s, m_window.get());
        } else if (name == u"addSessionDialog"_s) {
            dialog = new AddSessionDialog({}, m_window.get());
        } else if (name == u"knobPicker"_s) {
            dialog = new KnobPicker(u"Add a knob"_s, {}, {}, m_window.get());
        } else if (name == u"importDialog"_s) {
            QFile file(m_library.path("figures.csv"));
            if (file.open(QIODevice::WriteOnly))
                file.write("threads,tps\n1,100\n2,180\n");
            dialog = new ImportDialog(m_library.file(), {file.fileName()}, m_window.get());
        } else if (name == u"rerunDialog"_s) {
            Rerun again;
            again.plan = test::samplePlan();
            again.notReproduced = {"The machine is another one"};
            offerRerun(*m_context, again, m_window.get());
            return m_window->findChild<QDialog*>(name);
        } else if (name == u"exportOptions"_s) {
            m_transfer->chooseExport(u"id"_s, u"title"_s);
            return m_window->findChild<QDialog*>(name);
        }
        dialog->open();
        return dialog;
    }
    static bool gone(const QPointer<QDialog>& dialog)
    {
        return QTest::qWaitFor([&dialog] { return dialog.isNull(); }, test::kPatienceMs);
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
        m_window->resize(1000, 700);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_context = std::make_unique<AppContext>(m_library.file());
        m_worker = std::make_unique<LibraryWorker>(m_library.file());
        m_banner = std::make_unique<Banner>(u"banner"_s);
        m_transfer = std::make_unique<SessionTransfer>(*m_context, *m_worker, *m_banner, m_window.get());
    }
    void cleanup()
    {
        m_transfer.reset();
        m_banner.reset();
        m_worker.reset();
        m_window.reset();
        m_context.reset();
    }

    void areAlike_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("cancel");
        QTest::newRow("size") << u"sizeDialog"_s << u"sizeCancel"_s;
        QTest::newRow("recipe") << u"recipeDialog"_s << u"recipeCancel"_s;
        QTest::newRow("add sessions") << u"addSessionDialog"_s << u"addSessionCancel"_s;
        QTest::newRow("knobs") << u"knobPicker"_s << u"knobCancel"_s;
        QTest::newRow("import") << u"importDialog"_s << u"importCancel"_s;
        QTest::newRow("run again") << u"rerunDialog"_s << u"rerunCancel"_s;
        QTest::newRow("export") << u"exportOptions"_s << u"exportCancel"_s;
    }
    void areAlike()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, cancel);
        QPointer<QDialog> dialog = open(name);
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->objectName(), name);
        QVERIFY(!dialog->windowTitle().isEmpty());
        QCOMPARE(dialog->layout()->contentsMargins(), QMargins(space::pageMargin, 16, space::pageMargin, 16));
        int acts = 0;
        for (QWidget* child : dialog->findChildren<QWidget*>()) {
            const bool ours = qobject_cast<QAbstractButton*>(child) || qobject_cast<QLineEdit*>(child) ||
                              qobject_cast<QPlainTextEdit*>(child) || qobject_cast<QAbstractItemView*>(child);
            const bool inside = child->objectName().startsWith(u"qt_"_s) ||
                                qobject_cast<QLineEdit*>(child->parentWidget()) ||
                                child->parentWidget()->inherits("QAbstractSpinBox") ||
                                child->parentWidget()->inherits("QAbstractItemView") ||
                                child->parentWidget()->inherits("QComboBoxPrivateContainer");
            if (!ours || inside)
                continue;
            const QByteArray which = child->metaObject()->className() + QByteArray(" ") + child->objectName().toUtf8();
            QVERIFY2(!child->objectName().isEmpty(), which);
            const auto* button = qobject_cast<QAbstractButton*>(child);
            QVERIFY2(!child->accessibleName().isEmpty() || (button && !button->text().isEmpty()), which);
            if (!button)
                continue;
            ++acts;
            for (const QString& idle : {u"OK"_s, u"&OK"_s, u"Yes"_s, u"No"_s})
                QVERIFY2(button->text() != idle, which);
        }
        QVERIFY(acts >= 2);
        const auto* way = dialog->findChild<QPushButton*>(cancel);
        QVERIFY(way);
        QCOMPARE(QString(way->text()).remove(u'&'), u"Cancel"_s);
        QVERIFY(!way->isDefault()); // Return is for the act
        QTest::keyClick(dialog.data(), Qt::Key_Escape);
        QVERIFY(gone(dialog));
        dialog = open(name);
        QTest::mouseClick(dialog->findChild<QPushButton*>(cancel), Qt::LeftButton);
        QVERIFY(gone(dialog));
        QVERIFY(!m_context->run().active()); // and nothing began
    }
    //! Those that can be made larger open as the person left them.
    void sizesStay()
    {
        QPointer<QDialog> dialog = open(u"addSessionDialog"_s);
        QCOMPARE(dialog->size(), QSize(780, 460));
        dialog->resize(790, 520);
        QTest::keyClick(dialog.data(), Qt::Key_Escape);
        QVERIFY(gone(dialog));
        dialog = open(u"addSessionDialog"_s);
        QCOMPARE(dialog->size(), QSize(790, 520));
        dialog->close();
        QVERIFY(gone(dialog));
        dialog = open(u"knobPicker"_s); // each has its own
        QCOMPARE(dialog->size(), QSize(560, 600));
        dialog->close();
        QVERIFY(gone(dialog));
    }
};

} // namespace dyno::tst_dialogs

DYNO_WIDGET_SUITE(tst_dialogs, dyno::tst_dialogs::TestDialogs)
#include "tst_dialogs.moc"
