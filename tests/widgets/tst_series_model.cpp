// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of a run's series: its groups, its search, what is dragged from it, and its cost with as many as are kept.
#include "engine/store_sample.h"
#include "feed_sink.h"
#include "run/live_run_model.h"
#include "run/measure_plot.h"
#include "run/series_model.h"
#include "support/suite.h"

#include <QAbstractItemModelTester>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include <ctime>

namespace dyno::tst_series_model {

class TestSeriesModel : public QObject
{
    Q_OBJECT
    RunFeed m_feed;
    LiveRunModel m_run;

    void begin(std::vector<CounterInfo> counters)
    {
        m_run.attach(&m_feed);
        test::FeedSink sink(m_feed);
        const SessionHeader session = sample::header();
        sink.onSessionStarted(session);
        RunHeader run = sample::runHeader(session, 0);
        run.counters = std::move(counters);
        sink.onRunStarted(run);
    }
    static QStringList texts(const SeriesModel& model, const QModelIndex& parent)
    {
        QStringList all;
        for (int row = 0; row < model.rowCount(parent); ++row)
            all << model.index(row, 0, parent).data().toString();
        return all;
    }
    static QModelIndex child(const SeriesModel& model, const QModelIndex& parent, const QString& start)
    {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex index = model.index(row, 0, parent);
            if (index.data().toString().startsWith(start))
                return index;
        }
        return {};
    }

private slots:
    void groupsBySourceAndBeginning()
    {
        begin({{"server", "Questions", "statements", true},
               {"server", "Pool_pages_dirty", "pages", false, true},
               {"server", "Pool_pages_free", "pages", false, true},
               {"server", "Pool_pages_data", "pages", false, true},
               {"server", "Com_select", "statements", true, true},
               {"host", "vda reads", "requests", true},
               {"host", "vda writes", "requests", true},
               {"host", "vda busy", "%", false},
               {kProcessSource, kProcessCpu, "cores", false},
               {"node-2", "node_load1", "", false}});
        SeriesModel model(m_run);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.reload();
        const QStringList sources = texts(model, {});
        for (const char* one : {"Load generator (3)", "Server (5)", "Host (3)", "Server process (1)", "node-2 (1)"})
            QVERIFY2(sources.contains(QLatin1String(one)), qPrintable(sources.join(u'|')));
        QVERIFY(sources.last().startsWith(QStringLiteral("Statements (")));
        const QModelIndex server = child(model, {}, QStringLiteral("Server ("));
        QCOMPARE(texts(model, server), (QStringList{"Pool_pages_… (3)", "Com_select", "Questions"}));
        const QModelIndex pool = child(model, server, QStringLiteral("Pool"));
        QCOMPARE(texts(model, pool), (QStringList{"data", "dirty", "free"}));
        QCOMPARE(model.idsAt(model.index(1, 0, pool)), QStringList{"server: Pool_pages_dirty"});
        QCOMPARE(model.idsAt(pool).size(), 3);
        QVERIFY(!model.measureAt(pool));
        QVERIFY(model.index(1, 0, pool).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Pool_pages_dirty")));
        QCOMPARE(texts(model, child(model, {}, QStringLiteral("Host"))), QStringList{"vda … (3)"});
        // What is dragged: groups are all that is in them, none of it twice.
        const std::unique_ptr<QMimeData> dragged(model.mimeData({pool, model.index(0, 0, pool)}));
        QCOMPARE(draggedSeries(*dragged), model.idsAt(pool));
    }
    void allWordsInAnyOrder()
    {
        SeriesModel model(m_run);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.reload();
        const int all = model.found();
        model.setFilter(QStringLiteral("DIRTY pool"));
        QCOMPARE(model.found(), 1);
        QCOMPARE(model.idsAt(model.firstSeries()), QStringList{"server: Pool_pages_dirty"});
        model.setFilter(QStringLiteral("host requests")); // source and unit
        QCOMPARE(model.found(), 2);
        model.setFilter(QStringLiteral("pool host"));
        QCOMPARE(model.found(), 0);
        QVERIFY(!model.firstSeries().isValid());
        model.setFilter({});
        QCOMPARE(model.found(), all);
    }
    void lastValues()
    {
        test::FeedSink sink(m_feed);
        SeriesModel model(m_run);
        model.reload();
        model.setFilter(QStringLiteral("Questions"));
        const QModelIndex questions = model.firstSeries();
        const QModelIndex value = questions.siblingAtColumn(SeriesModel::ValueColumn);
        QCOMPARE(value.data().toString(), QStringLiteral("–"));
        IntervalSample sample;
        sample.lengthNs = 1'000'000'000;
        sample.counters.assign(10, 250);
        sink.onSample(sample);
        QCOMPARE(value.data().toString(), QStringLiteral("250 statements/s"));
        QCOMPARE(model.valuesAt(questions), QVector<double>{250});
    }
    void asManyAsAreKept()
    {
        std::vector<CounterInfo> counters;
        for (int i = 0; i < 1500; ++i)
            counters.push_back(
                {"server", "Part" + std::to_string(i % 40) + "_of_" + std::to_string(i), "", true, true});
        begin(std::move(counters));
        SeriesModel model(m_run);
        const std::clock_t begun = std::clock(); // of this process: others may keep it waiting
        model.reload();
        for (const char* word : {"p", "pa", "par", "part1", "part1 7"})
            model.setFilter(QLatin1String(word));
        // Six times all of it: a frame each at most, on a machine that is busy ten times as much.
        const double seconds = double(std::clock() - begun) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 2, qPrintable(QString::number(seconds)));
        // The same series again, as when a person moves through a replay: what is opened stays.
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QVERIFY(!model.reload());
        QVERIFY(reset.isEmpty());
        model.setFilter({});
        const QModelIndex server = child(model, {}, QStringLiteral("Server"));
        QCOMPARE(model.idsAt(server).size(), 1500);
        QCOMPARE(model.rowCount(server), 40);
    }
};

} // namespace dyno::tst_series_model

DYNO_SUITE(tst_series_model, dyno::tst_series_model::TestSeriesModel)
#include "tst_series_model.moc"
