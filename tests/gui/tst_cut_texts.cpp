// SPDX-License-Identifier: GPL-3.0-or-later
// No text of the window is drawn cut: all pages and dialogs at 1280x800, in English and in texts 40 % longer.
#include "bridge/recipe_book.h"
#include "bridge/recipe_dialog.h"
#include "bridge/server_worker.h"
#include "compare/add_session_dialog.h"
#include "compare/compare_page.h"
#include "cut_texts.h"
#include "desktop/pseudo_language.h"
#include "gui/tour.h"
#include "gui/tour_servers.h"
#include "manual/manual_window.h"
#include "own_window.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "plan/knob_picker.h"
#include "plan/plan_page.h"
#include "plan/size_dialog.h"
#include "plan/step_card.h"
#include "plots/export.h"
#include "plots/frame_ticker.h"
#include "run/pair_view.h"
#include "run/run_page.h"
#include "servers/server_dialogs.h"
#include "servers/servers_page.h"
#include "sessions/care_dialog.h"
#include "sessions/import_dialog.h"
#include "sessions/rerun_dialog.h"
#include "sessions/sessions_page.h"
#include "start/guide_dialog.h"
#include "start/start_page.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/chart_kinds.h>
#include <dyno/rerun.h>

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace dyno::tst_cut_texts {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kWindow(1280, 800);

//! A text that may be cut, and why.
struct Allowed
{
    const char* what; //!< a part of the line that would be told
    const char* why;
};
constexpr std::array kAllowed = {
    Allowed{"planSummary \"[B", "the card's title gives way to its chip, which says how many checks there are"},
    Allowed{"faultChip", "the same line of that card, while a longer chip stands in it"},
};

} // namespace

class TestCutTexts : public QObject, protected test::OwnWindow
{
    Q_OBJECT

    std::unique_ptr<SourcePlurals> m_language;
    std::unique_ptr<test::NotingTranslator> m_translator;
    QStringList m_cut;
    QString m_session;
    std::array<ReplayPick, 2> m_pair;

    template<class T>
    T* page(const char* name) const
    {
        return qobject_cast<T*>(m_window->page(QLatin1String(name)));
    }
    [[nodiscard]] bool settled(const std::function<bool()>& ready = {}) const
    {
        // Layouts that follow layouts need a few turns.
        constexpr int kTurns = 6;
        int calm = 0;
        return QTest::qWaitFor(
            [&] {
                calm = (!ready || ready()) && FrameTicker::instance().idle() ? calm + 1 : 0;
                return calm >= kTurns;
            },
            test::kPatienceMs);
    }
    //! Notes what is cut in `widget`.
    void look(const QString& place, const QWidget& widget)
    {
        const bool pseudo = qobject_cast<PseudoTranslator*>(m_language.get());
        // On a busy machine a layout may follow later: what is cut stays cut.
        constexpr int kLater = 2'000;
        QStringList found;
        (void)QTest::qWaitFor(
            [&] {
                found = test::cutTexts(widget, m_translator->said(),
                                       pseudo ? test::TooltipHelps::Always : test::TooltipHelps::OfData);
                return found.isEmpty();
            },
            kLater);
        for (const QString& one : found) {
            const bool allowed = std::any_of(kAllowed.begin(), kAllowed.end(), [&one](const Allowed& each) {
                return one.contains(QLatin1String(each.what));
            });
            const QString line = place + u": "_s + one;
            if (!allowed && !m_cut.contains(line))
                m_cut << line;
        }
        if (const QString folder = qEnvironmentVariable("DYNO_TEST_PICTURES"); !folder.isEmpty()) {
            QWidget& shown = const_cast<QWidget&>(widget);
            QVERIFY(shown.grab().save(
                u"%1/%2-%3.png"_s.arg(folder, QString(place).replace(QRegularExpression(u"[ /:]+"_s), u"-"_s),
                                      pseudo ? u"pseudo"_s : u"english"_s)));
        }
    }
    void lookAtPage(const QString& place, const std::function<bool()>& ready = {})
    {
        QVERIFY2(settled(ready), qPrintable(place));
        look(place, *m_window);
    }
    void lookAt(QWidget* dialog, const QString& place, const std::function<bool()>& ready = {})
    {
        QVERIFY2(dialog, qPrintable(place));
        dialog->show();
        QVERIFY2(settled(ready), qPrintable(place));
        look(place, *dialog);
        dialog->close();
        if (!dialog->testAttribute(Qt::WA_DeleteOnClose))
            dialog->deleteLater();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    //! The dialog of this name, or nullptr.
    [[nodiscard]] QDialog* dialog(const char* name) const { return m_window->findChild<QDialog*>(QLatin1String(name)); }
    void lookAtNamed(const char* name, const QString& place)
    {
        QVERIFY2(QTest::qWaitFor([this, name] { return dialog(name) != nullptr; }, test::kPatienceMs), name);
        lookAt(dialog(name), place);
    }
    void press(const char* name) const
    {
        auto* button = m_window->findChild<QAbstractButton*>(QLatin1String(name));
        QVERIFY2(button, name);
        button->click();
    }
    void command(const char* name) const
    {
        auto* action = m_window->findChild<QAction*>(QLatin1String(name));
        QVERIFY2(action, name);
        action->trigger();
    }
    void speak(bool pseudo)
    {
        m_language = pseudo ? std::make_unique<PseudoTranslator>() : std::make_unique<SourcePlurals>();
        m_translator = std::make_unique<test::NotingTranslator>(m_language.get());
        QCoreApplication::installTranslator(m_translator.get());
    }
    void sample()
    {
        const QString file = m_library->path("sample.dyno");
        QVERIFY(gui::writeSample(file));
        const auto ids = m_library->open()->importFile(file.toStdString());
        QVERIFY(ids && !ids->empty());
        m_session = QString::fromStdString(ids->front());
        const StoredSession stored = m_library->session(m_session);
        m_pair = {ReplayPick{m_session, stored.runs.front().id}, ReplayPick{m_session, stored.runs.back().id}};
        (void)m_library->addShort("A session with a title that is too long for any column of a table, as people write");
    }
    //! Adds the rows of both languages.
    static void languages()
    {
        QTest::addColumn<bool>("pseudo");
        QTest::newRow("English") << false;
        QTest::newRow("longer") << true;
    }
    void begin()
    {
        QFETCH(bool, pseudo);
        m_cut.clear();
        startAnew();
        speak(pseudo);
        sample();
        m_context.reset();
        QVERIFY(open());
        m_context->servers().setFixed(gui::sampleServers().list);
        m_window->resize(kWindow);
    }
    void tell() const
    {
        for (const QString& line : m_cut) // one message of all would itself be cut
            qWarning("%s", qPrintable(line));
        QVERIFY2(m_cut.isEmpty(), "the texts above are cut");
    }

private slots:
    void initTestCase()
    {
        ownAll();
        Theme::instance().setChoice(Theme::Choice::Light);
    }
    void cleanup()
    {
        shut();
        m_translator.reset(); // takes itself out
        m_language.reset();
    }

    void theTestFinds_data() { languages(); }
    //! That this can fail: what it must find, and what it must not.
    void theTestFinds()
    {
        QFETCH(bool, pseudo);
        speak(pseudo);
        const auto said = [](const char* text) { return QCoreApplication::translate("dyno::X", text); };
        QWidget box;
        box.resize(400, 300);
        auto put = [&box, y = 0](QWidget* widget, const char* name, int width) mutable {
            widget->setParent(&box);
            widget->setObjectName(QLatin1String(name));
            widget->setGeometry(0, y, width, 24);
            y += 26;
        };
        put(new QPushButton(said("Measure everything")), "button", 40);
        put(makeLabel(said("A long label"), TextRole::Body), "label", 30);
        QLabel* wrapped = makeLabel(said("A text of more than one line for which there is no room"), TextRole::Body);
        wrapped->setWordWrap(true);
        put(wrapped, "wrapped", 100);
        auto* combo = new QComboBox;
        combo->addItem(said("What is chosen here"));
        put(combo, "combo", 60);
        auto* table = new QTableWidget(1, 1);
        table->setHorizontalHeaderLabels({said("A column with a long title")});
        table->setColumnWidth(0, 60);
        table->horizontalHeader()->setObjectName(u"columns"_s);
        put(table, "table", 200);
        put(makeLabel(said("Outside of it all"), TextRole::Body), "outside", 200);
        box.findChild<QLabel*>(u"outside"_s)->move(300, 200);
        put(new ElidedLabel(said("A text of ours, shortened")), "elided", 60);
        put(new ElidedLabel(u"/a/path/of/data/that/is/long"_s), "path", 60);
        put(new QPushButton(said("Fits")), "fits", 200);
        put(makeLabel(said("Fits too"), TextRole::Body), "fitsToo", 200);
        box.show();
        QVERIFY(settled());
        const QStringList cut =
            test::cutTexts(box, m_translator->said(), pseudo ? test::TooltipHelps::Always : test::TooltipHelps::OfData);
        for (const QString& name :
             {u" button "_s, u" label "_s, u" wrapped "_s, u" combo "_s, u" columns "_s, u" outside "_s})
            QVERIFY2(cut.filter(name).size() == 1, qPrintable(name + cut.join(u'\n')));
        QCOMPARE(cut.filter(u" elided "_s).size(), pseudo ? 0 : 1);
        QCOMPARE(cut.size(), pseudo ? 6 : 7);
    }

    void pages_data() { languages(); }
    void pages()
    {
        begin();
        auto* start = page<StartPage>("startPage");
        m_window->showPage(u"startPage"_s);
        lookAtPage(u"Start"_s, [start] { return start->complete(); });
        m_window->showPage(u"runPage"_s);
        lookAtPage(u"Run, empty"_s);
        auto* run = page<RunPage>("runPage");
        m_context->replaySession(m_session);
        QVERIFY(settled([run] { return run->replay().loaded(); }));
        run->replay().seek(run->replay().length() * 0.6);
        lookAtPage(u"Run"_s);
        m_context->replayPair(m_pair[0], m_pair[1]);
        lookAtPage(u"Run, two runs"_s, [run] { return run->showsPair() && !run->pair().busy(); });
        auto* sessions = page<SessionsPage>("sessionsPage");
        m_window->showPage(u"sessionsPage"_s);
        lookAtPage(u"Sessions"_s, [sessions] { return !sessions->busy(); });
        auto* compare = page<ComparePage>("comparePage");
        m_context->compareSessions({m_session});
        QVERIFY(settled([compare] { return !compare->busy() && !compare->pivot().cells.empty(); }));
        for (const ChartKind& kind : chartKinds()) {
            compare->setChart(kind.id);
            lookAtPage(u"Compare, "_s + QString::fromStdString(kind.id), [compare] { return !compare->busy(); });
        }
        lookAt(new ExportDialog(compare->frontPlot(), m_window.get()), u"Export a chart"_s);
        tell();
    }

    void plans_data() { languages(); }
    void plans()
    {
        begin();
        auto* plan = page<PlanPage>("planPage");
        for (const char* recipe : {"durability-sqlite", "commits-sqlite", "durability-mariadb"}) {
            const auto read = recipePlan(recipe);
            if (!read) // built without that driver
                continue;
            m_context->editPlan(*read);
            const auto checked = [plan] { return !plan->editor().checking(); };
            lookAtPage(u"Plan %1"_s.arg(QLatin1String(recipe)), checked);
            for (StepCard* step : plan->findChildren<StepCard*>()) {
                if (!step->isOpen())
                    step->header().click();
                for (auto* more : step->findChildren<Disclosure*>()) {
                    if (more->isVisible() && !more->isChecked())
                        more->click();
                }
                lookAtPage(u"Plan %1, %2"_s.arg(QLatin1String(recipe), step->objectName()), checked);
            }
        }
        press("addAxis");
        lookAt(m_window->findChild<KnobPicker*>(), u"Choose a knob"_s);
        press("planSizeAdd");
        lookAt(m_window->findChild<SizeDialog*>(), u"Add a size"_s);
        const QString file = m_library->path("faults.toml");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("title = \"faults\"\n[target]\nuri = \"nowhere:\"\n[load]\nusers = \"few\"\n");
        out.close();
        plan->openFile(file);
        lookAtNamed("planFaults", u"Faults of a plan"_s);
        plan->editor().edit(u"change"_s, [](Plan& changed) { changed.title = "changed"; });
        press("planNew");
        lookAtNamed("unsavedBox", u"Unsaved changes"_s);
        RecipeBook::of(*m_context).savePlan(plan->editor().plan(), m_window.get());
        QVERIFY(QTest::qWaitFor([this] { return m_window->findChild<RecipeDialog*>() != nullptr; }, test::kPatienceMs));
        lookAt(m_window->findChild<RecipeDialog*>(), u"Save a recipe"_s);
        lookAt(new RecipeDialog(RecipeDialog::Act::Rename, {}, u"“Night run”, 18 Nov"_s, m_window.get()),
               u"Rename a recipe"_s);
        tell();
    }

    void servers_data() { languages(); }
    void servers()
    {
        begin();
        auto* servers = page<ServersPage>("serversPage");
        m_window->showPage(u"serversPage"_s);
        ServerSnapshot snapshot = gui::sampleServers();
        QStringList keys;
        for (const ServerProgram& program : snapshot.list.programs)
            keys << ServerListModel::keyOf(program);
        for (const ServerInstance& instance : snapshot.list.instances)
            keys << ServerListModel::keyOf(instance);
        for (const RemoteServer& remote : snapshot.list.remotes.servers)
            keys << ServerListModel::keyOf(remote);
        for (const QString& key : keys) {
            snapshot.selected = key;
            servers->showSnapshot(snapshot);
            lookAtPage(u"Servers, "_s + key);
        }
        lookAt(new StartInstanceDialog(snapshot.list.programs, 0, {}, m_window.get()), u"Start a server"_s);
        lookAt(new InstancePriceDialog(snapshot.list.instances.front(), m_window.get()), u"Price of a server"_s);
        for (const RemoteServer& remote : {RemoteServer(), snapshot.list.remotes.servers.back()})
            lookAt(new RemoteServerDialog(remote, m_context->keyring(), m_window.get()),
                   u"Remote server "_s + QString::fromStdString(remote.name));
        tell();
    }

    void dialogs_data() { languages(); }
    void dialogs()
    {
        begin();
        auto* start = page<StartPage>("startPage");
        m_window->showPage(u"startPage"_s);
        QVERIFY(settled([start] { return start->complete(); }));
        press("startGuide");
        lookAt(m_window->findChild<GuideDialog*>(), u"Help me choose"_s);
        for (const char* name : {"commandSettings", "commandAbout", "commandShortcuts", "commandPalette"}) {
            command(name);
            const auto shown = [] {
                return qApp->activeModalWidget() ? qApp->activeModalWidget() : qApp->activePopupWidget();
            };
            QVERIFY2(QTest::qWaitFor([&shown] { return shown() != nullptr; }, test::kPatienceMs), name);
            lookAt(shown(), QLatin1String(name));
        }
        command("commandManual");
        QVERIFY(settled([this] { return m_window->manual() && m_window->manual()->isVisible(); }));
        look(u"Manual"_s, *m_window->manual());
        m_window->manual()->close();

        auto* sessions = page<SessionsPage>("sessionsPage");
        m_window->showPage(u"sessionsPage"_s);
        QVERIFY(settled([sessions] { return !sessions->busy() && !sessions->selectedIds().isEmpty(); }));
        command("sessionExport");
        lookAtNamed("exportOptions", u"Export a session"_s);
        const auto again = rerunHere(m_library->session(m_session));
        QVERIFY(again);
        Rerun other = *again;
        other.notReproduced = {"The machine is another one: 2 cores here, 8 cores there"};
        offerRerun(*m_context, other, m_window.get());
        lookAtNamed("rerunDialog", u"Run again"_s);
        lookAt(new AddSessionDialog(*m_library->open()->sessions(), m_window.get()), u"Add a session"_s);
        const QString log = QStringLiteral(DYNO_TEST_DATA "/import/sysbench-oltp.log");
        auto* import = new ImportDialog(m_library->file(), {log}, m_window.get());
        lookAt(import, u"Import"_s, [import] { return !import->busy(); });
        auto* care = new CareDialog(u"Checking the library"_s, m_window.get());
        care->setShare(0.4);
        care->show();
        QVERIFY(settled());
        look(u"Care of the library"_s, *care);
        care->end();
        tell();
    }
};

} // namespace dyno::tst_cut_texts

DYNO_WIDGET_SUITE(tst_cut_texts, dyno::tst_cut_texts::TestCutTexts)
#include "tst_cut_texts.moc"
