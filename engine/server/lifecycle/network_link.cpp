// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/network_link.h"

#include "server/lifecycle/child_process.h"
#include "server/lifecycle/server_binaries.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dyno {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSpaces = "/run/netns";          //!< where `ip netns` keeps them
constexpr std::string_view kNamePrefix = "dynobench-"; //!< then the process that made it, then a number
constexpr const char* kSetting = "/proc/sys/net/ipv4/conf/{}/route_localnet";
constexpr int kMostLinks = 250;
constexpr const char* kByHand = "run as root outside a container with iproute2 installed, or put the server on another "
                                "machine and shape the network between them by hand, on both: tc qdisc add dev DEVICE "
                                "root tbf rate 1gbit burst 256kb latency 50ms";

std::string programNamed(const char* name)
{
    for (const fs::path& folder : programFolders()) {
        if (::access((folder / name).c_str(), X_OK) == 0)
            return (folder / name).string();
    }
    return {};
}

Expected<void> writeSetting(const fs::path& file, const char* value)
{
    std::ofstream out(file);
    out << value << std::flush;
    if (!out)
        return fail({ErrorKind::Refused, "a network link cannot be made here: the kernel's settings cannot be changed",
                     file.string(), kByHand});
    return {};
}

//! Root in a container often may not. Source: capabilities(7), CAP_NET_ADMIN and CAP_SYS_ADMIN.
bool mayChangeNetworks()
{
    constexpr std::uint64_t kWanted = (1ull << 12) | (1ull << 21);
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word != "CapEff:")
            continue;
        std::uint64_t effective = 0;
        return (status >> std::hex >> effective) && (effective & kWanted) == kWanted;
    }
    return false;
}

//! The process that made a namespace of this name; 0 when it is none of ours.
pid_t makerOf(std::string_view name)
{
    if (!name.starts_with(kNamePrefix))
        return 0;
    name.remove_prefix(kNamePrefix.size());
    pid_t maker = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), maker);
    return read.ec == std::errc() && maker > 0 ? maker : 0;
}

//! Else bursts of up to 64 KiB pass, and count, as one packet with one header. An old kernel may refuse: the link is as
//! useful without.
void sendSinglePackets(const std::string& device)
{
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (const std::uint32_t command : {ETHTOOL_STSO, ETHTOOL_SGSO}) {
        ethtool_value off{command, 0};
        ifreq request{};
        device.copy(std::begin(request.ifr_name), IFNAMSIZ - 1);
        request.ifr_data = reinterpret_cast<char*>(&off);
        static_cast<void>(::ioctl(fd, SIOCETHTOOL, &request));
    }
    ::close(fd);
}

} // namespace

std::optional<Error> NetworkLink::missing()
{
    if (programNamed("ip").empty() || programNamed("tc").empty())
        return Error{ErrorKind::Refused,
                     "a network link wants the programs ip and tc, which are not installed",
                     {},
                     "install iproute2 (Debian and Ubuntu: apt install iproute2)"};
    if (::geteuid() != 0 || !mayChangeNetworks())
        return Error{ErrorKind::Refused, "only root may make a network link, and not in every container", {}, kByHand};
    return {};
}

Expected<void> NetworkLink::run(const std::vector<std::string>& command) const
{
    constexpr std::chrono::seconds kPatience{20};
    auto done = runCommand(command, kPatience, {}, Bond::DiesWithUs, Inherit::Needed, m_stopped);
    if (!done)
        return fail(std::move(done.error()));
    return {};
}

Expected<std::unique_ptr<NetworkLink>> NetworkLink::make(const std::function<bool()>& stopped)
{
    if (auto lacks = missing())
        return fail(std::move(*lacks));
    std::unique_ptr<NetworkLink> link(new NetworkLink);
    link->m_stopped = stopped;
    link->m_ip = programNamed("ip");
    link->m_tc = programNamed("tc");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kSpaces, ignored)) {
        const std::string name = entry.path().filename().string();
        if (const pid_t maker = makerOf(name); maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH)
            static_cast<void>(link->run({link->m_ip, "netns", "del", name}));
    }
    const auto process = long(::getpid());
    for (int number = 0; number < kMostLinks; ++number) {
        // Several processes at once take different ones from the start on.
        const int place = int((process + number) % kMostLinks);
        link->m_name = fmt::format("{}{}-{}", kNamePrefix, process, place);
        link->m_ourEnd = fmt::format("dynolink{}a", place);
        link->m_serverEnd = fmt::format("dynolink{}b", place);
        if (fs::exists(fs::path("/sys/class/net") / link->m_ourEnd, ignored))
            continue;
        link->m_ourAddress = fmt::format("127.77.{}.1", place);
        link->m_serverAddress = fmt::format("127.77.{}.2", place);
        link->m_space = fs::path(kSpaces) / link->m_name;
        Expected<void> made = link->run({link->m_ip, "netns", "add", link->m_name});
        link->m_hasSpace = made.has_value();
        if (made)
            made = link->run(
                {link->m_ip, "link", "add", link->m_ourEnd, "type", "veth", "peer", "name", link->m_serverEnd});
        link->m_hasEnds = made.has_value();
        if (made)
            made = link->connectEnds();
        if (made)
            return link;
        if (!link->m_hasEnds && fs::exists(fs::path("/sys/class/net") / link->m_ourEnd, ignored)) {
            link->remove(); // another process was faster
            link->m_stopped = stopped;
            continue;
        }
        Error error = std::move(made.error());
        if (error.kind != ErrorKind::Interrupted) {
            error.message = "a network link cannot be made here: " + error.message;
            error.remedy = kByHand;
        }
        return fail(std::move(error));
    }
    return fail({ErrorKind::Refused, fmt::format("{} network links are in use already", kMostLinks), {}, kByHand});
}

//! A pair of devices; addresses of 127.0.0.0/8 on both, for which the kernel wants to be asked; and a way to each that
//! goes before the one that all such addresses have, which is this machine itself.
Expected<void> NetworkLink::connectEnds() const
{
    const auto in = [this](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {m_ip, "-n", m_name});
        return arguments;
    };
    // Here, as long as both ends are: a setting goes with its device, and without it the kernel refuses the addresses.
    if (auto done = writeSetting(fmt::format(fmt::runtime(kSetting), m_ourEnd), "1"); !done)
        return done;
    for (const std::string& end : {m_ourEnd, m_serverEnd})
        sendSinglePackets(end);
    const std::vector<std::vector<std::string>> steps = {
        {m_ip, "link", "set", m_serverEnd, "netns", m_name},
        {m_ip, "netns", "exec", m_name, "sh", "-c", "echo 1 >" + fmt::format(fmt::runtime(kSetting), m_serverEnd)},
        {m_ip, "addr", "add", m_ourAddress + "/32", "dev", m_ourEnd},
        {m_ip, "link", "set", m_ourEnd, "up"},
        in({"addr", "add", m_serverAddress + "/32", "dev", m_serverEnd}),
        in({"link", "set", m_serverEnd, "up"}),
        in({"link", "set", "lo", "up"}),
        {m_ip, "route", "add", m_serverAddress + "/32", "dev", m_ourEnd, "src", m_ourAddress, "table", "local"},
        in({"route", "add", m_ourAddress + "/32", "dev", m_serverEnd, "src", m_serverAddress, "table", "local"}),
    };
    for (const std::vector<std::string>& step : steps) {
        if (auto done = run(step); !done)
            return done;
    }
    return {};
}

void NetworkLink::remove()
{
    m_stopped = {}; // it goes, whatever was stopped
    if (m_hasEnds)  // one of them: the other goes with it
        static_cast<void>(run({m_ip, "link", "del", m_ourEnd}));
    if (m_hasSpace)
        static_cast<void>(run({m_ip, "netns", "del", m_name}));
    m_hasEnds = m_hasSpace = false;
}

//! A queue with a rate: what it sends in kQueueSeconds may wait, more is dropped, as at a real link. The burst that
//! goes at once is what the rate sends between two ticks of a clock, and two packets at least.
std::vector<std::string> NetworkLink::rateQueue(double bitsPerSecond)
{
    constexpr double kQueueSeconds = 0.05, kBurstSeconds = 0.0005, kLeastBurst = 2 * 1514;
    const double burst = std::max(kLeastBurst, bitsPerSecond / 8 * kBurstSeconds);
    return {"tbf",
            "rate",
            fmt::format("{:.0f}bit", bitsPerSecond),
            "burst",
            fmt::format("{:.0f}b", burst), // b: bytes here
            "latency",
            fmt::format("{:.0f}ms", kQueueSeconds * 1000)};
}

Expected<void> NetworkLink::shape(const LinkShape& wanted)
{
    if (m_shape && wanted == *m_shape)
        return {};
    // Each is a command behind "replace dev DEVICE": the limits of tc-netem(8), "combining with rate control".
    std::vector<std::vector<std::string>> queues;
    if (wanted.delayMs > 0) {
        // As many packets as the fastest link has on its way: none is dropped for the delay alone.
        queues.push_back({"root", "handle", "1:", "netem", "limit", "1000000", "delay",
                          fmt::format("{:.3f}us", wanted.delayMs * 1000 / 2)});
        if (wanted.bitsPerSecond > 0)
            queues.push_back({"parent", "1:1", "handle", "10:"});
    } else {
        queues.push_back({"root"});
    }
    if (wanted.bitsPerSecond > 0)
        std::ranges::move(rateQueue(wanted.bitsPerSecond), std::back_inserter(queues.back()));
    else if (wanted.delayMs <= 0)
        queues.back().emplace_back("noqueue");
    m_shape.reset(); // until both ends have it
    for (const bool server : {false, true}) {
        for (const std::vector<std::string>& queue : queues) {
            std::vector<std::string> command = {m_tc};
            if (server)
                command.insert(command.end(), {"-n", m_name});
            command.insert(command.end(), {"qdisc", "replace", "dev", server ? m_serverEnd : m_ourEnd});
            command.insert(command.end(), queue.begin(), queue.end());
            auto done = run(command);
            if (!done && done.error().kind == ErrorKind::Interrupted)
                return done;
            if (!done)
                return fail(refusal(wanted, done.error().message));
        }
    }
    m_shape = wanted;
    return {};
}

Error NetworkLink::refusal(const LinkShape& wanted, const std::string& said)
{
    const bool lacksQueue = std::ranges::any_of(std::array{"unknown", "not found", "No such file"},
                                                [&said](const char* part) { return said.find(part) != said.npos; });
    return {ErrorKind::Refused, fmt::format("the network link does not take this limit: {}", said),
            std::string(kPathKey),
            lacksQueue && wanted.delayMs > 0
                ? "this kernel has no queue that delays (sch_netem): use a rate without a delay"
                : "see tc-tbf(8) and tc-netem(8) for what it takes"};
}

} // namespace dyno
