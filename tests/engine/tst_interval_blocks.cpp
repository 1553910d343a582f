// SPDX-License-Identifier: GPL-3.0-or-later
// How intervals are stored and read: column by column, and packed into blocks.
#include "store/session_writer.h"
#include "store_sample.h"
#include <dyno/analysis.h>
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace dyno;
namespace fs = std::filesystem;

namespace {

template<class T>
T must(Expected<T> value)
{
    if (!value)
        qFatal("%s", value.error().text().c_str());
    return std::move(*value);
}

bool same(double a, double b)
{
    return std::isnan(a) ? std::isnan(b) : a == b;
}

void checkLatency(const IntervalColumns::Latency& got, std::size_t at, const Histogram& histogram)
{
    const double none = std::nan("");
    const auto ms = [&](double percentile) { return histogram.empty() ? none : histogram.percentileNs(percentile) / 1e6; };
    QVERIFY(same(got.p50Ms.at(at), ms(50)) && same(got.p95Ms.at(at), ms(95)) && same(got.p99Ms.at(at), ms(99)));
    QVERIFY(same(got.p999Ms.at(at), ms(99.9)));
    QVERIFY(same(got.maxMs.at(at), histogram.empty() ? none : double(histogram.maxNs()) / 1e6));
}

void checkOperation(const IntervalColumns::Operation& got, std::size_t at, const OpInterval& wanted)
{
    QCOMPARE(got.count.at(at), wanted.count);
    QCOMPARE(got.errors.at(at), wanted.errors);
    checkLatency(got.service, at, wanted.service);
    if (got.response.p50Ms.empty())
        QVERIFY(wanted.response.empty());
    else
        checkLatency(got.response, at, wanted.responseOrService());
}

//! Each column holds exactly what the whole intervals say.
void checkColumns(Library& library, std::int64_t run)
{
    const auto samples = must(library.intervals(run));
    const auto all = must(library.columns(run, {.operations = true, .counters = true}));
    const auto few = must(library.columns(run));
    QCOMPARE(all.size(), samples.size());
    QVERIFY(few.ops.empty() && few.counters.empty());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const IntervalSample& sample = samples[i];
        for (const IntervalColumns* columns : {&all, &few}) {
            QCOMPARE(columns->tNs[i], sample.tNs);
            QCOMPARE(columns->lengthNs[i], sample.lengthNs);
            QVERIFY(columns->phase[i] == sample.phase);
            QCOMPARE(columns->rows[i], sample.rows);
            checkOperation(columns->transaction, i, sample.transaction);
        }
        for (std::size_t k = 0; k < sample.ops.size(); ++k)
            checkOperation(all.ops.at(k), i, sample.ops[k]);
        for (std::size_t k = 0; k < sample.counters.size(); ++k)
            QVERIFY(same(all.counters.at(k).at(i), sample.counters[k]));
    }
    const auto stalls = findStalls(all);
    const auto wanted = findStalls(samples);
    QCOMPARE(stalls.size(), wanted.size());
    for (std::size_t i = 0; i < stalls.size(); ++i)
        QVERIFY(stalls[i].tNs == wanted[i].tNs && stalls[i].missing == wanted[i].missing);
    const auto transactions = must(library.intervals(run, IntervalDetail::Transactions));
    QCOMPARE(transactions.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        QVERIFY(transactions[i].transaction.service == samples[i].transaction.service);
        for (std::size_t k = 0; k < samples[i].ops.size(); ++k)
            QVERIFY(transactions[i].ops[k].service.empty() && transactions[i].ops[k].count == samples[i].ops[k].count);
    }
}

} // namespace

class TestIntervalBlocks : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_file;

    void feed(const sample::Options& options)
    {
        auto writer = must(SessionWriter::open(m_file));
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
    }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = fs::path(m_dir->path().toStdString()) / "library.dynolib";
    }

    void columns_data()
    {
        QTest::addColumn<bool>("openLoop");
        QTest::newRow("closed loop") << false;
        QTest::newRow("open loop") << true;
    }
    void columns()
    {
        QFETCH(bool, openLoop);
        sample::Options options;
        options.openLoop = openLoop;
        options.counters = true;
        options.intervals = 60;
        feed(options);
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        for (const StoredRun& run : must(library->session(options.id)).runs)
            checkColumns(*library, run.id);
    }
};

QTEST_GUILESS_MAIN(TestIntervalBlocks)
#include "tst_interval_blocks.moc"
