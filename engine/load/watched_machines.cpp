// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/watched_machines.h"

#include "base/clock.h"
#include "metrics/host_place.h"
#include "plan/machines.h"
#include "server/host/ssh_link.h"

#include <chrono>
#include <fmt/format.h>
#include <future>

namespace dyno {

namespace {

constexpr std::chrono::milliseconds kFirstWay{8000}; //!< names, keys, proxies on the way
constexpr std::chrono::milliseconds kNextWay{1000};  //!< of one without an answer before

class SshWay final : public MachineWay
{
public:
    explicit SshWay(SshDestination to)
        : m_link(std::move(to), hostScript(), std::string(kHostEnd))
    {
    }
    Expected<Answer> ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                         const std::function<void()>& sent) override
    {
        auto answer = m_link.ask(patience, enough, sent);
        if (!answer)
            return tl::unexpected(answer.error());
        return Answer{std::move(answer->greeting), std::move(answer->text)};
    }
    void refuse(const Error& why) override { m_link.refuse(why); }
    std::int64_t cpuNs() const override { return m_link.cpuNs(); }

private:
    SshLink m_link;
};

std::string noSeries(const std::string& machine, const Error& why)
{
    return fmt::format("the machine \"{}\" has no series in this run: {}; the run goes on without them", machine,
                       why.text());
}

} // namespace

Expected<std::vector<CounterInfo>> seriesOfMachine(const Machine& machine, const std::function<bool()>& enough)
{
    return MachineReader(machine.name, std::make_unique<SshWay>(machine.to)).series(kFirstWay, enough);
}

std::vector<std::unique_ptr<CounterMonitor>> WatchedMachines::watch(const Plan& plan,
                                                                    std::vector<CounterInfo>& counters,
                                                                    std::vector<EarlyEvent>& events,
                                                                    const std::function<bool()>& enough)
{
    if (!m_known) {
        for (Machine& one : machinesOf(plan))
            m_machines.push_back(
                {std::make_shared<MachineReader>(std::move(one.name), std::make_unique<SshWay>(std::move(one.to)))});
    }
    m_known = true;
    std::vector<std::future<Expected<std::vector<CounterInfo>>>> asked; // each is waited for when it goes
    for (const One& one : m_machines)
        // Where there are no more threads, it is asked when the answer is waited for.
        asked.push_back(std::async(std::launch::async | std::launch::deferred, [&one, &enough] {
            return one.reader->series(one.silent ? kNextWay : kFirstWay, enough);
        }));
    std::vector<std::unique_ptr<CounterMonitor>> monitors;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto found = asked[i].get();
        if (found || found.error().kind != ErrorKind::Interrupted) // of whom nobody knows whether it is slow
            m_machines[i].silent = !found;
        if (!found) {
            events.push_back({nowNs(), EventKind::Server, noSeries(m_machines[i].reader->name(), found.error())});
            continue;
        }
        counters.insert(counters.end(), found->begin(), found->end());
        monitors.push_back(monitorOf(m_machines[i].reader, *found));
    }
    return monitors;
}

} // namespace dyno
