// SPDX-License-Identifier: GPL-3.0-or-later
// Series of a real Prometheus server, added to a stored session from the Run page and the Sessions page; and servers
// that hang or refuse.
#include "bridge/add_series_dialog.h"
#include "bridge/library_undo.h"
#include "bridge/series_edits.h"
#include "run/series_panel.h"
#include "sessions/sessions_page.h"
#include "store/library/database.h"
#include "store/session/seals.h"
#include "support/must.h"
#include "support/odd_http_server.h"
#include "support/patience.h"
#include "support/prometheus_fixture.h"
#include "support/suite.h"
#include "widgets/pictures.h"
#include "widgets/run_page_fixture.h"

#include <dyno/added_series.h>

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSettings>
#include <QTableView>
#include <QTableWidget>

#include <ctime>
#include <fmt/format.h>
#include <optional>

namespace dyno::tst_add_series {

using namespace Qt::StringLiterals;
using test::must;

constexpr int kRunsWithTime = 2;

class TestAddSeries : public test::RunPageTest
{
    Q_OBJECT

    test::PrometheusFixture m_prometheus;
    QString m_id, m_missing;
    std::int64_t m_began = 0; //!< of run 1, seconds

    //! The sample tells no times: the first runs get some.
    void giveTimes() const
    {
        auto database = must(Database::open(m_library.file(), Database::Access::ReadWrite));
        database->exec(fmt::format("UPDATE run SET summary = json_set(summary, '$.started_ms', {} - 7000,"
                                   " '$.began_after_ms', 7000 + idx * 1000) WHERE idx < {}",
                                   m_began * 1000, kRunsWithTime));
        Statement runs(*database, "SELECT idx, key, session FROM run");
        while (runs.row())
            Seals(*database, runs.integer(2)).set(SealPart::Result, runs.integer(0), runs.integer(1));
        QVERIFY(database->result());
    }
    //! A Prometheus whose every series is called after its query, and has this value at all times.
    static void answerLevel(int socket, const std::string& request, const std::string& value)
    {
        const auto numberOf = [&request](const char* key) {
            return QByteArray::fromStdString(request.substr(request.find(key) + std::string_view(key).size(), 30))
                .split('&')
                .first()
                .split(' ')
                .first()
                .toDouble();
        };
        const std::string query = request.substr(request.find("query=") + 6);
        std::string values;
        const double end = numberOf("end="), step = numberOf("step=");
        for (double at = numberOf("start="); at <= end + step / 2; at += step)
            values += fmt::format("{}[{:.3f},\"{}\"]", values.empty() ? "" : ",", at, value);
        const std::string body =
            fmt::format("{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":["
                        "{{\"metric\":{{\"__name__\":\"{}\"}},\"values\":[{}]}}]}}}}",
                        query.substr(0, query.find('&')), values);
        test::OddHttpServer::send(
            socket,
            fmt::format("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
    }
    //! "a = 5, b = 7" of run 1, with the values of its first interval.
    QString addedText() const
    {
        QStringList texts;
        const auto all = addedTo(*m_library.open(), m_library.session(m_id), 1);
        if (!all) // a change came between the two
            return QString::fromStdString(all.error().text());
        for (const SeriesAddition& addition : all->runs.at(0).additions) {
            for (const AddedSeries& one : addition.series)
                texts << u"%1 = %2"_s.arg(QString::fromStdString(one.counter.name)).arg(one.values.at(0));
        }
        return texts.join(u", "_s);
    }
    //! Host and port of it.
    static QString placeIn(const test::OddHttpServer& server)
    {
        return QString::fromStdString(server.url()).section(u'/', 2, 2);
    }
    //! Small plots that show something.
    std::size_t drawn() const
    {
        return std::size_t(std::ranges::count_if(m_page->smallPlots().plots(),
                                                 [](const MeasurePlot* plot) { return plot->measure() != nullptr; }));
    }
    void addFrom(const test::OddHttpServer& server, const QString& query, int runs = 0)
    {
        QPointer<AddSeriesDialog> dialog(openDialog());
        QTRY_VERIFY_WITH_TIMEOUT(in<QPushButton>(dialog, "seriesAdd")->isEnabled(), test::kPatienceMs);
        ask(dialog, QString::fromStdString(server.url()), query);
        in<QComboBox>(dialog, "seriesRuns")->setCurrentIndex(runs);
        click(dialog, "seriesAdd");
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, test::kPatienceMs);
    }
    //! None where a change came between the two.
    std::optional<std::size_t> addedSeries() const
    {
        const auto all = addedTo(*m_library.open(), m_library.session(m_id), 0);
        return all ? std::optional(all->series()) : std::nullopt;
    }
    void replay()
    {
        QSignalSpy ready(&m_page->replay(), &ReplaySource::ready);
        m_context->replaySession(m_id);
        QVERIFY(ready.wait(test::kPatienceMs));
    }
    AddSeriesDialog* openDialog()
    {
        find<QAction>("runAddSeriesCommand")->trigger();
        return dialogIn(*m_page);
    }
    static AddSeriesDialog* dialogIn(QWidget& page)
    {
        auto* dialog = page.window()->findChild<AddSeriesDialog*>();
        if (!dialog)
            qFatal("no dialog");
        return dialog;
    }
    template<class T>
    static T* in(QWidget* dialog, const char* name)
    {
        T* child = dialog->findChild<T*>(QString::fromLatin1(name));
        if (!child)
            qFatal("no %s", name);
        return child;
    }
    static void ask(QWidget* dialog, const QString& address, const QString& query, const QString& name = {})
    {
        in<QLineEdit>(dialog, "seriesAddress")->setText(address);
        auto* queries = in<QTableWidget>(dialog, "seriesQueries");
        queries->item(0, 0)->setText(query);
        queries->item(0, 1)->setText(name);
    }
    static void click(QWidget* dialog, const char* button)
    {
        auto* one = in<QPushButton>(dialog, button);
        QVERIFY2(one->isVisible() && one->isEnabled(), button);
        one->click();
    }
    const MeasurePlot* plotOf(const QString& id) const
    {
        for (const MeasurePlot* plot : m_page->smallPlots().plots()) {
            if (plot->measure() && plot->measure()->id == id)
                return plot;
        }
        return nullptr;
    }

private slots:
    void initTestCase()
    {
        Theme::instance().apply(*qApp);
        m_began = std::int64_t(std::time(nullptr)) - 3600;
        m_id = m_library.addShort("Watched");
        giveTimes();
        m_missing = test::PrometheusFixture::whyMissing();
        if (!m_missing.isEmpty())
            return;
        std::string samples = "# TYPE level gauge\n";
        for (int second = -5; second < 60; ++second)
            samples += fmt::format("level {} {}\n", 100 + second, m_began + second);
        const QString problem = m_prometheus.start(samples + "# EOF\n");
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
    void init() { openPage(); }
    void cleanup() { closePage(); }

    void triedAddedUndoneAndRemoved()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        QVERIFY(!find<QAction>("runAddSeriesCommand")->isVisible()); // nothing is stored that is shown
        replay();
        QVERIFY(find<QAction>("runAddSeriesCommand")->isVisible());
        QVERIFY(!find<QAction>("runRemoveSeriesCommand")->isVisible());
        AddSeriesDialog* dialog = openDialog();
        auto* runs = in<QComboBox>(dialog, "seriesRuns");
        QTRY_COMPARE_WITH_TIMEOUT(runs->count(), 13, test::kPatienceMs); // all, and each
        const QString address = QString::fromStdString(m_prometheus.url());
        ask(dialog, address, u"level"_s, u"load"_s);
        in<QLineEdit>(dialog, "seriesToken")->setText(u"s3cret"_s);
        click(dialog, "seriesTry");
        auto* result = in<QLabel>(dialog, "seriesResult");
        QTRY_VERIFY_WITH_TIMEOUT(result->text().contains(u"load: 6 of 6 intervals"_s), test::kPatienceMs);
        QVERIFY2(result->text().startsWith(u"1 series in 2 runs"_s), qPrintable(result->text()));
        QVERIFY2(result->text().contains(u"Run 3 is skipped: when it began is not stored"_s),
                 qPrintable(result->text()));
        QCOMPARE(addedSeries(), std::optional(std::size_t(0)));
        test::keepPictures(*dialog, u"add-series"_s);
        QPointer<AddSeriesDialog> shown(dialog);
        click(dialog, "seriesAdd");
        QTRY_VERIFY_WITH_TIMEOUT(!shown, test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(2)));
        const QString id = u"Prometheus %1: load"_s.arg(address.mid(7));
        QTRY_VERIFY_WITH_TIMEOUT(plotOf(id), test::kPatienceMs);
        m_page->replay().playOnly(0);
        m_page->replay().seek(m_page->replay().length());
        const auto& points = *plotOf(id)->graph(0).data();
        QCOMPARE(points.size(), 6);
        for (int i = 0; i < points.size(); ++i) // a value each second, intervals of 0.5 s
            QVERIFY(std::abs(points.at(i)->value - (100 + (i + 1) * 0.5)) <= 1);
        QVERIFY(find<QAction>("runRemoveSeriesCommand")->isVisible());
        find<QAction>("runSeriesCommand")->trigger();
        QVERIFY(find<QPushButton>("seriesFromPrometheus")->isVisible());
        test::keepPictures(*m_page, u"added-series"_s);

        QUndoStack& undo = LibraryUndo::of(*m_context).stack();
        QCOMPARE(undo.undoText(), u"add 1 series"_s);
        undo.undo();
        QTRY_VERIFY_WITH_TIMEOUT(!find<QAction>("runRemoveSeriesCommand")->isVisible(), test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(0)));
        undo.redo(); // asks nobody
        QTRY_VERIFY_WITH_TIMEOUT(find<QAction>("runRemoveSeriesCommand")->isVisible(), test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(2)));
        find<QAction>("runRemoveSeriesCommand")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!find<QAction>("runRemoveSeriesCommand")->isVisible(), test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(0)));
        undo.undo();
        QTRY_VERIFY_WITH_TIMEOUT(find<QAction>("runRemoveSeriesCommand")->isVisible(), test::kPatienceMs);
        const SessionAdditions all = must(addedTo(*m_library.open(), m_library.session(m_id), 1));
        QCOMPARE(all.runs.at(0).additions.at(0).origin.query, std::string("level")); // where it came from, too
        undo.redo();
        QTRY_VERIFY_WITH_TIMEOUT(!find<QAction>("runRemoveSeriesCommand")->isVisible(), test::kPatienceMs);

        // The next time address and queries are there, the token is not.
        dialog = openDialog();
        QCOMPARE(in<QLineEdit>(dialog, "seriesAddress")->text(), address);
        QCOMPARE(in<QTableWidget>(dialog, "seriesQueries")->item(0, 1)->text(), u"load"_s);
        QVERIFY(in<QLineEdit>(dialog, "seriesToken")->text().isEmpty());
        const QSettings settings;
        for (const QString& key : settings.allKeys())
            QVERIFY2(!settings.value(key).toString().contains(u"s3cret"_s), qPrintable(key));
        click(dialog, "seriesCancel");
    }
    //! Undo takes back what its step did, and nothing of what else was done to the session.
    void undoneAmongOthers()
    {
        std::string value = "5";
        const test::OddHttpServer server([&value](const test::OddHttpServer&, int socket, const std::string& request) {
            answerLevel(socket, request, value);
        });
        replay();
        QUndoStack& undo = LibraryUndo::of(*m_context).stack();
        addFrom(server, u"a"_s, 1); // run 1 alone
        QCOMPARE(addedText(), u"a = 5"_s);
        QCOMPARE(addedSeries(), std::optional(std::size_t(1)));
        value = "6";
        addFrom(server, u"a"_s);
        QCOMPARE(addedText(), u"a = 6"_s);
        QCOMPARE(addedSeries(), std::optional(std::size_t(2)));
        { // of another process
            const auto library = must(Library::open(m_library.file(), Library::Mode::ReadWrite));
            const StoredSession session = must(library->session(m_id.toStdString()));
            SessionAdditions all = must(addedTo(*library, session, 1));
            AddedSeries& one = all.runs[0].additions.at(0).series.at(0);
            one.counter.name = "b";
            all.runs[0].additions[0].origin.names = {"b"};
            QVERIFY(library->changeSeries(must(changesToAdd(*library, session, all, 0)).runs));
        }
        undo.undo();
        QTRY_COMPARE_WITH_TIMEOUT(addedText(), u"b = 6, a = 5"_s, test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(plotOf(u"Prometheus %1: a"_s.arg(placeIn(server))), test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!SeriesEdits::of(*m_context).busy(), test::kPatienceMs);
        // What somebody else changed is not taken back: the step goes, and says why.
        undo.redo();
        QTRY_COMPARE_WITH_TIMEOUT(addedSeries(), std::optional(std::size_t(3)), test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!SeriesEdits::of(*m_context).busy(), test::kPatienceMs);
        {
            const auto library = must(Library::open(m_library.file(), Library::Mode::ReadWrite));
            const StoredSession session = must(library->session(m_id.toStdString()));
            QVERIFY(library->changeSeries(must(changesToRemove(*library, session, 1, 0)).runs));
        }
        QSignalSpy told(m_context.get(), &AppContext::messageRequested);
        undo.undo();
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty() && told.last().first().toString().contains(u"by somebody else"_s),
                                 test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(1))); // that of run 2
        find<QAction>("runRemoveSeriesCommand")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(addedSeries(), std::optional(std::size_t(0)), test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!SeriesEdits::of(*m_context).busy(), test::kPatienceMs);
        undo.clear();
    }
    //! Plots of them come by themselves, a few, and are of this session alone.
    void plotsForNow()
    {
        const test::OddHttpServer server([](const test::OddHttpServer&, int socket, const std::string& request) {
            answerLevel(socket, request, "5");
        });
        const QString place = u"Prometheus %1: "_s.arg(placeIn(server));
        replay();
        const std::size_t places = m_page->smallPlots().plots().size();
        const std::size_t usual = drawn(); // the first of what is added fills a plot of nothing
        AddSeriesDialog* dialog = openDialog();
        QTRY_VERIFY_WITH_TIMEOUT(in<QPushButton>(dialog, "seriesAdd")->isEnabled(), test::kPatienceMs);
        auto* queries = in<QTableWidget>(dialog, "seriesQueries");
        ask(dialog, QString::fromStdString(server.url()), u"q0"_s);
        for (int i = 1; i < 6; ++i) {
            click(dialog, "seriesMore");
            queries->item(queries->rowCount() - 1, 0)->setText(u"q%1"_s.arg(i));
        }
        click(dialog, "seriesTry");
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->busy() && !in<QLabel>(dialog, "seriesResult")->text().isEmpty(),
                                 test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(in<QPushButton>(dialog, "seriesAdd")->hasFocus(), test::kPatienceMs);
        click(dialog, "seriesAdd");
        QTRY_VERIFY_WITH_TIMEOUT(plotOf(place + u"q3"_s), test::kPatienceMs);
        QCOMPARE(drawn(), usual + 4);
        QCOMPARE(find<ElidedLabel>("plotFacts")->fullText(), u"2 more added series: choose them under Series"_s);
        test::keepPictures(*m_page, u"added-series-few"_s);
        const auto stored = [&place] {
            const QSettings settings;
            QStringList ids;
            for (const QString& key : settings.allKeys()) {
                if (key.startsWith(u"runPlots/"_s) && key.endsWith(u"/series"_s))
                    ids << settings.value(key).toStringList();
            }
            return ids.filter(place);
        };
        QCOMPARE(stored(), QStringList());
        m_page->smallPlots().add({place + u"q1"_s}); // a person wants it
        QCOMPARE(stored(), QStringList{place + u"q1"_s});
        QCOMPARE(drawn(), usual + 4);
        find<QAction>("runRemoveSeriesCommand")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->smallPlots().plots().size(), places + 1, test::kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!SeriesEdits::of(*m_context).busy(), test::kPatienceMs);
        m_page->smallPlots().showUsual();
        QCOMPARE(addedSeries(), std::optional(std::size_t(0)));
    }
    void cancelled()
    {
        test::OddHttpServer server([](const test::OddHttpServer&, int socket, const std::string&) {
            test::OddHttpServer::waitForEnd(socket);
        });
        replay();
        QPointer<AddSeriesDialog> dialog(openDialog());
        QTRY_VERIFY_WITH_TIMEOUT(in<QPushButton>(dialog, "seriesAdd")->isEnabled(), test::kPatienceMs);
        ask(dialog, QString::fromStdString(server.url()), u"level"_s);
        click(dialog, "seriesAdd");
        QTRY_VERIFY_WITH_TIMEOUT(server.asked() > 0, test::kPatienceMs);
        QVERIFY(dialog->busy() && in<QProgressBar>(dialog, "seriesProgress")->isVisible());
        QVERIFY(!in<QPushButton>(dialog, "seriesAdd")->isEnabled());
        click(dialog, "seriesCancel");
        QVERIFY(dialog && dialog->isVisible() && !dialog->busy());
        QVERIFY(in<QLabel>(dialog, "seriesResult")->text().contains(u"nothing was changed"_s));
        click(dialog, "seriesCancel");
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, test::kPatienceMs);
        QCOMPARE(addedSeries(), std::optional(std::size_t(0)));
    }
    void problemsAreSaid()
    {
        test::OddHttpServer server([](const test::OddHttpServer&, int socket, const std::string&) {
            test::OddHttpServer::send(socket, "HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        });
        replay();
        AddSeriesDialog* dialog = openDialog();
        auto* problem = in<QLabel>(dialog, "seriesProblem");
        QTRY_VERIFY_WITH_TIMEOUT(in<QPushButton>(dialog, "seriesTry")->isEnabled(), test::kPatienceMs);
        ask(dialog, u"ftp://127.0.0.1"_s, u"level"_s);
        click(dialog, "seriesTry");
        QVERIFY2(problem->text().contains(u"http:"_s), qPrintable(problem->text()));
        ask(dialog, QString::fromStdString(server.url()), {});
        QVERIFY(problem->isHidden()); // it was about what was there before
        click(dialog, "seriesTry");
        QVERIFY2(problem->text().startsWith(u"There is no query"_s), qPrintable(problem->text()));
        QCOMPARE(server.asked(), 0);
        ask(dialog, QString::fromStdString(server.url()), u"level"_s);
        click(dialog, "seriesTry");
        QTRY_VERIFY_WITH_TIMEOUT(problem->text().contains(u"401"_s), test::kPatienceMs);
        QVERIFY2(problem->text().contains(u"token"_s), qPrintable(problem->text()));
        QTRY_VERIFY_WITH_TIMEOUT(in<QLineEdit>(dialog, "seriesAddress")->hasFocus(), test::kPatienceMs);
        QVERIFY(in<QPushButton>(dialog, "seriesTry")->isEnabled()); // again
        click(dialog, "seriesCancel");
    }
    void hasNames()
    {
        replay();
        AddSeriesDialog* dialog = openDialog();
        for (QWidget* one : dialog->findChildren<QWidget*>()) {
            if (one->focusPolicy() == Qt::NoFocus || one->objectName().startsWith(u"qt_"_s) ||
                qobject_cast<QHeaderView*>(one) || one->inherits("QComboBoxListView"))
                continue;
            QVERIFY2(!one->accessibleName().isEmpty() && !one->objectName().isEmpty(), one->metaObject()->className());
        }
        click(dialog, "seriesCancel");
    }
    void fromTheSessionsPage()
    {
        const QString old = m_library.addShort("Without times");
        SessionsPage page(*m_context);
        page.resize(1356, 860);
        page.show();
        auto* table = in<QTableView>(&page, "sessionTable");
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, test::kPatienceMs);
        for (int row = 0; row < 2; ++row) {
            table->selectRow(row);
            if (page.selectedIds() == QStringList{old})
                break;
        }
        QCOMPARE(page.selectedIds(), QStringList{old});
        in<QAction>(&page, "sessionAddSeries")->trigger();
        AddSeriesDialog* dialog = dialogIn(page);
        auto* problem = in<QLabel>(dialog, "seriesProblem");
        QTRY_VERIFY_WITH_TIMEOUT(problem->text().contains(u"start time"_s), test::kPatienceMs);
        QVERIFY(!in<QPushButton>(dialog, "seriesTry")->isEnabled());
        click(dialog, "seriesCancel");
        QSignalSpy told(m_context.get(), &AppContext::messageRequested);
        in<QAction>(&page, "sessionRemoveSeries")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(told.size(), 1, test::kPatienceMs);
        QCOMPARE(told.first().first().toString(), u"The session has no added series"_s);
    }
};

} // namespace dyno::tst_add_series

DYNO_WIDGET_SUITE(tst_add_series, dyno::tst_add_series::TestAddSeries)
#include "tst_add_series.moc"
