// SPDX-License-Identifier: GPL-3.0-or-later
// What one counter of all runs costs to read, three ways that give the same figure: whole intervals with their
// histograms, columns with all counters, and the one column alone:
//   bench_counter LIBRARY [COUNTER [TIMES]]
// on the newest session of a library of `big_library FILE hour`; prints the medians of alternating turns, and their
// ratios.
#include <dyno/library.h>
#include <dyno/report.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

using namespace dyno;

namespace {

double secondsOf(const std::function<void()>& work)
{
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

[[noreturn]] void giveUp(const std::string& why)
{
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
}

template<class T>
T need(Expected<T> value)
{
    if (!value)
        giveUp(value.error().text());
    return std::move(*value);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2)
        giveUp("bench_counter LIBRARY [COUNTER [TIMES]]");
    const std::string name = argc > 2 ? argv[2] : "Counter_2";
    const int times = argc > 3 ? std::atoi(argv[3]) : 7;
    const auto library = need(Library::open(argv[1], Library::Mode::ReadOnly));
    const StoredSession session = need(library->session(need(library->resolveId("last"))));
    const std::string measure = "counter:" + name;
    std::vector<double> whole, all, one;
    double sums[2] = {};
    for (int i = 0; i < times; ++i) {
        whole.push_back(secondsOf([&] {
            sums[0] = 0;
            for (const StoredRun& run : session.runs)
                sums[0] += intervalFigure(run, need(library->intervals(run.id)), measure, settingOf(session, run));
        }));
        all.push_back(secondsOf([&] {
            for (const StoredRun& run : session.runs)
                (void)need(library->columns(run.id, {.counters = true}));
        }));
        one.push_back(secondsOf([&] {
            sums[1] = 0;
            for (const double figure : need(intervalFigures(*library, session, measure)))
                sums[1] += figure;
        }));
    }
    if (!(std::abs(sums[0] - sums[1]) <= 1e-9 * std::abs(sums[0])))
        giveUp(fmt::format("{} is {} from whole intervals and {} from its column", name, sums[0], sums[1]));
    const double ofWhole = medianOf(whole), ofAll = medianOf(all), ofOne = medianOf(one);
    fmt::print(
        "{} runs, {} counters: whole intervals {:.1f} ms, all counters {:.1f} ms, one {:.2f} ms: {:.0f} and {:.0f} "
        "times as fast\n",
        session.runs.size(), session.runs.empty() ? 0 : session.runs.front().header.counters.size(), ofWhole * 1e3,
        ofAll * 1e3, ofOne * 1e3, ofWhole / ofOne, ofAll / ofOne);
    return 0;
}
