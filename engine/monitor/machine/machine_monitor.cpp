// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/machine/machine_monitor.h"

#include "base/clock.h"

#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::int64_t kMachinePaceNs = 1'000'000'000;

tl::unexpected<Error> machineHasNone()
{
    return fail({ErrorKind::Refused, "a machine has kernel counters only", {}, {}});
}

//! A machine as a monitor asks a server. Of a server's other questions it answers none.
class MachineAdmin final : public Admin
{
public:
    MachineAdmin(std::shared_ptr<MachineReader> reader, std::vector<CounterInfo> series,
                 std::shared_ptr<std::atomic<bool>> unwanted, std::shared_ptr<AskMeter> meter)
        : m_reader(std::move(reader))
        , m_series(std::move(series))
        , m_unwanted(std::move(unwanted))
        , m_meter(std::move(meter))
    {
        m_reader->forget(); // what was before this run, or before a failure
    }
    Expected<void> execute(std::string_view) override { return machineHasNone(); }
    Expected<TextRows> query(std::string_view) override { return machineHasNone(); }
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return machineHasNone(); }
    Expected<ServerFacts> facts() override { return machineHasNone(); }
    Expected<std::string> variable(std::string_view) override { return machineHasNone(); }
    Expected<void> setVariable(std::string_view, const Value&) override { return machineHasNone(); }
    std::vector<CounterInfo> counters() override { return m_series; }
    Expected<std::vector<double>> counterValues() override
    {
        auto values = m_reader->take([this] { return m_unwanted->load(); }, *m_meter);
        if (!values && !values.error().remedy.empty()) // of which an event holds the message alone
            values.error().message += fmt::format(" ({})", values.error().remedy);
        return values;
    }

private:
    std::shared_ptr<MachineReader> m_reader;
    std::vector<CounterInfo> m_series;
    std::shared_ptr<std::atomic<bool>> m_unwanted;
    std::shared_ptr<AskMeter> m_meter;
};

} // namespace

MachineReader::MachineReader(std::string name, std::unique_ptr<MachineWay> way)
    : m_name(std::move(name))
    , m_way(std::move(way))
    , m_place(std::make_shared<AnsweredPlace>())
{
}

Expected<void> MachineReader::ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                                  AskMeter& meter)
{
    const std::int64_t cpuNs = m_way->cpuNs();
    const auto answer = m_way->ask(patience, enough, [&meter] { meter.asked(nowNs()); });
    meter.answered(nowNs());
    meter.used(m_way->cpuNs() - cpuNs);
    if (!answer)
        return tl::unexpected(answer.error());
    auto fine = m_place->greet(answer->greeting); // the connection may be a new one
    if (fine)
        fine = m_place->answer(answer->text);
    if (!fine)
        m_way->refuse(fine.error());
    return fine;
}

Expected<std::vector<CounterInfo>> MachineReader::series(std::chrono::milliseconds patience,
                                                         const std::function<bool()>& enough)
{
    const std::lock_guard lock(m_mutex);
    if (!m_usage) {
        AskMeter before; // the run
        if (const auto asked = ask(patience, enough, before); !asked)
            return tl::unexpected(asked.error());
        m_usage.emplace(m_place, m_name);
    }
    return m_usage->series();
}

Expected<std::vector<double>> MachineReader::take(const std::function<bool()>& enough, AskMeter& meter)
{
    const std::lock_guard lock(m_mutex);
    if (!m_usage)
        return fail({ErrorKind::Failed, "its series are not known yet", {}, {}});
    if (const auto asked = ask(kPatience, enough, meter); !asked)
        return tl::unexpected(asked.error());
    return m_usage->take();
}

void MachineReader::forget()
{
    const std::lock_guard lock(m_mutex);
    if (m_usage)
        m_usage->forget();
}

std::unique_ptr<CounterMonitor> monitorOf(std::shared_ptr<MachineReader> reader, const std::vector<CounterInfo>& series)
{
    // They are rates and levels already.
    std::vector<CounterInfo> ready = series;
    for (CounterInfo& one : ready)
        one.rate = false;
    auto unwanted = std::make_shared<std::atomic<bool>>(false);
    auto meter = std::make_shared<AskMeter>();
    const CounterMonitor::Teller teller{fmt::format("the machine \"{}\"", reader->name()),
                                        CounterRates::Resets::Apart,
                                        kMachinePaceNs,
                                        unwanted,
                                        {},
                                        meter};
    return std::make_unique<CounterMonitor>(
        ready,
        [reader, ready, unwanted, meter]() -> Expected<std::unique_ptr<Admin>> {
            return std::make_unique<MachineAdmin>(reader, ready, unwanted, meter);
        },
        teller);
}

} // namespace dyno
