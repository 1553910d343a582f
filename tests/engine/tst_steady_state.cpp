// SPDX-License-Identifier: GPL-3.0-or-later
// The detector against values computed outside: tests/data/steady_state.json (numpy.polyfit; the script is in the
// file).
#include "metrics/steady_state.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dyno::tst_steady_state {
using Json = nlohmann::json;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

IntervalSample interval(std::int64_t tNs, std::int64_t lengthNs, std::uint64_t count, std::uint64_t latencyNs)
{
    IntervalSample sample;
    sample.tNs = tNs;
    sample.lengthNs = lengthNs;
    sample.transaction.count = count;
    if (count > 0)
        sample.transaction.service.record(latencyNs, count);
    return sample;
}

bool near(double got, double wanted, double scale)
{
    return std::fabs(got - wanted) <= 1e-9 * scale;
}

QByteArray text(const SteadyState::Fit& got, const Json& wanted)
{
    return QString("got mean %1 change %2 deviation %3, wanted ")
               .arg(got.mean, 0, 'g', 12)
               .arg(got.change, 0, 'g', 12)
               .arg(got.deviation, 0, 'g', 12)
               .toUtf8() +
           wanted.dump().c_str();
}

bool same(const SteadyState::Fit& got, const Json& wanted)
{
    return near(got.mean, wanted["mean"], wanted["mean"]) && near(got.change, wanted["change"], 1) &&
           near(got.deviation, wanted["deviation"], 1);
}

bool has(const SteadyState& state, const char* words)
{
    return state.text().find(words) != std::string::npos;
}

} // namespace

class TstSteadyState : public QObject
{
    Q_OBJECT

private slots:
    void knownAnswers_data()
    {
        std::ifstream file(DYNO_TEST_DATA "/steady_state.json");
        m_data = Json::parse(file);
        QVERIFY(m_data["cases"].size() >= 14);
        QTest::addColumn<int>("index");
        int steady = 0;
        for (int i = 0; i < int(m_data["cases"].size()); ++i) {
            QTest::newRow(m_data["cases"][std::size_t(i)]["name"].get<std::string>().c_str()) << i;
            steady += m_data["cases"][std::size_t(i)]["steady"].get<bool>() ? 1 : 0;
        }
        QVERIFY(steady >= 4 && steady <= 10); // both answers are tried
    }

    void knownAnswers()
    {
        QFETCH(int, index);
        const Json& c = m_data["cases"][std::size_t(index)];
        SteadyState state({c["window_seconds"], c["slope"], c["deviation"]});
        std::int64_t at = 0;
        for (std::size_t i = 0; i < c["count"].size(); ++i) {
            QVERIFY(i < c["intervals"] || state.full());
            state.add(interval(at, c["length_ns"][i], c["count"][i], c["p95_ns"][i]));
            at += c["length_ns"][i].get<std::int64_t>();
        }
        QVERIFY(state.full());
        QCOMPARE(state.intervals(), c["intervals"].get<std::size_t>());
        QVERIFY2(same(state.throughput(), c["throughput"]), text(state.throughput(), c["throughput"]));
        QCOMPARE(state.p95().has_value(), !c["p95"].is_null());
        if (state.p95()) {
            QVERIFY2(same(*state.p95(), c["p95"]), text(*state.p95(), c["p95"]));
        }
        QCOMPARE(state.steady(), c["steady"].get<bool>());
        QVERIFY2(has(state, state.steady() ? "steady over" : "not steady over"), state.text().c_str());
    }

    void notBeforeTheWindowIsFull()
    {
        SteadyState state(SteadyRule{});
        for (int i = 0; i < 9; ++i) {
            state.add(interval(i * kSecond, kSecond, 1000, 100));
            QVERIFY(!state.full());
            QVERIFY(!state.steady());
        }
        QCOMPARE(state.text(), std::string("9.0 of 10.0 s seen"));
        state.add(interval(9 * kSecond, kSecond, 1000, 100));
        QVERIFY(state.steady());
        QVERIFY2(has(state, "throughput changes by +0.0 % and deviates by 0.0 %"), state.text().c_str());
        state.reset();
        QVERIFY(!state.steady());
        QCOMPARE(state.intervals(), std::size_t(0));
        QCOMPARE(state.text(), std::string("0.0 of 10.0 s seen"));
    }

    //! Borders are met a few microseconds late or early.
    void aHairLessIsAWindow()
    {
        SteadyState state(SteadyRule{});
        for (int i = 0; i < 10; ++i)
            state.add(interval(i * kSecond, kSecond - 20'000, 1000, 100));
        QVERIFY(state.full());
        QVERIFY(state.steady());
    }

    //! It notices the end of a steady state, and the next one when the change has left the window.
    void followsTheRun()
    {
        SteadyState state(SteadyRule{});
        int t = 0;
        const auto feed = [&](int intervals, std::uint64_t count) {
            for (int i = 0; i < intervals; ++i, ++t)
                state.add(interval(t * kSecond, kSecond, count, 100));
        };
        feed(10, 1000);
        QVERIFY(state.steady());
        feed(1, 2000);
        QVERIFY(!state.steady());
        feed(8, 2000);
        QVERIFY(!state.steady());
        feed(1, 2000);
        QVERIFY(state.steady());
        QCOMPARE(state.throughput().mean, 2000.0);
    }

    void fewAndLongIntervals()
    {
        SteadyState state({1, 0.05, 0.2});
        for (int i = 0; i < 4; ++i)
            state.add(interval(i * kSecond, kSecond, 1000, 100));
        QVERIFY(!state.steady()); // a line through one or two points would always fit
        QCOMPARE(state.text(), std::string("4 of 5 intervals seen"));
        state.add(interval(4 * kSecond, kSecond, 1000, 100));
        QVERIFY(state.steady());
    }

    void emptyLengthsAndANewPhase()
    {
        SteadyState state(SteadyRule{});
        for (int i = 0; i < 10; ++i)
            state.add(interval(i * kSecond, kSecond, 1000, 100));
        state.add(interval(10 * kSecond, 0, 1, 100));
        QCOMPARE(state.intervals(), std::size_t(10));
        QVERIFY(state.steady());
        state.add(interval(0, kSecond, 1000, 100)); // another run
        QCOMPARE(state.intervals(), std::size_t(1));
        QVERIFY(!state.steady());
    }

    //! In an open loop it is the response time that has to settle.
    void responseTimeCounts()
    {
        SteadyState service(SteadyRule{});
        SteadyState response(SteadyRule{});
        for (int i = 0; i < 10; ++i) {
            IntervalSample sample = interval(i * kSecond, kSecond, 1000, 100);
            service.add(sample);
            sample.transaction.response.record(std::uint64_t(1000 + 500 * i), 1000); // a backlog that grows
            response.add(sample);
        }
        QVERIFY(service.steady());
        QVERIFY(!response.steady());
        QVERIFY(response.p95()->change > 0.5);
    }

private:
    Json m_data;
};

} // namespace dyno::tst_steady_state

DYNO_SUITE(tst_steady_state, dyno::tst_steady_state::TstSteadyState)
#include "tst_steady_state.moc"
