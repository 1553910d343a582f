// SPDX-License-Identifier: GPL-3.0-or-later
// A network link between two namespaces of this machine, with real bytes over it. Only root may make one.
#include "server/lifecycle/network_link.h"

#include "base/clock.h"
#include "managed_test.h"
#include "metrics/host_usage.h"
#include "server/lifecycle/child_process.h"
#include "server/lifecycle/server_binaries.h"
#include "support/must.h"
#include "support/network_links.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cmath>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dyno::tst_network_link {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

sockaddr_in addressOf(const std::string& host, int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
        qFatal("no address: %s", host.c_str());
    return address;
}

constexpr int kPort = 7777; // all are free there

//! Listens at the server's end; a socket stays in the namespace it was made in.
int listenAt(const NetworkLink& link)
{
    int listening = -1;
    std::thread there([&] {
        const int space = ::open(link.space().c_str(), O_RDONLY | O_CLOEXEC);
        if (space < 0 || ::setns(space, CLONE_NEWNET) != 0)
            return;
        ::close(space);
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = addressOf(link.serverAddress(), kPort);
        if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && ::listen(fd, 8) == 0)
            listening = fd;
    });
    there.join();
    return listening;
}

int connectTo(const std::string& host)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{kPatienceMs / 1000, 0}; // for each answer
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const sockaddr_in address = addressOf(host, kPort);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return fd;
    ::close(fd);
    return -1;
}

//! Seconds until so many bytes from one have arrived at the other; below 0: they did not.
double secondsToSend(int from, int to, std::size_t bytes)
{
    const std::int64_t startNs = nowNs();
    std::thread sender([&] {
        const std::vector<char> piece(65'536);
        for (std::size_t sent = 0; sent < bytes;) {
            const ssize_t now = ::send(from, piece.data(), std::min(piece.size(), bytes - sent), MSG_NOSIGNAL);
            if (now <= 0)
                break;
            sent += std::size_t(now);
        }
    });
    std::vector<char> buffer(65'536);
    std::size_t received = 0;
    while (received < bytes) {
        const ssize_t now = ::recv(to, buffer.data(), std::min(buffer.size(), bytes - received), 0);
        if (now <= 0)
            break;
        received += std::size_t(now);
    }
    sender.join();
    return received == bytes ? double(nowNs() - startNs) * 1e-9 : -1;
}

bool isThere(const char* folder, const std::string& begins)
{
    std::error_code ignored;
    for (const fs::directory_entry& one : fs::directory_iterator(folder, ignored)) {
        if (one.path().filename().string().starts_with(begins))
            return true;
    }
    return false;
}

} // namespace

class TestNetworkLink : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const std::string why = whyNoLinks(); !why.empty())
            QSKIP(why.c_str());
    }

    //! Bytes pass both ways, from the address that it says; at a rate no faster than that.
    void limitsBothDirections()
    {
        auto link = must(NetworkLink::make());
        const int listening = listenAt(*link);
        QVERIFY(listening >= 0);
        const int user = connectTo(link->serverAddress());
        QVERIFY(user >= 0);
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        const int server = ::accept4(listening, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC);
        QVERIFY(server >= 0);
        const timeval patience{kPatienceMs / 1000, 0};
        QCOMPARE(::setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
        std::array<char, INET_ADDRSTRLEN> text{};
        QCOMPARE(std::string(::inet_ntop(AF_INET, &peer.sin_addr, text.data(), text.size())), link->usersAddress());
        constexpr std::size_t kBytes = 2'000'000;
        QVERIFY(secondsToSend(user, server, kBytes) >= 0);
        QVERIFY(secondsToSend(server, user, kBytes) >= 0);
        // What is sent is seen at the users' end, with the headers of its packets; the other way only answers go.
        std::int64_t startNs = nowNs();
        HostUsage host("", {link->usersDevice(), 20e6});
        QVERIFY(secondsToSend(user, server, kBytes) >= 0);
        std::vector<double> figures = host.take();
        double longest = double(nowNs() - startNs) * 1e-9;
        const auto of = [&](const char* name) {
            const auto found = std::ranges::find(host.series(), name, &CounterInfo::name);
            return found == host.series().end() ? -1 : figures.at(std::size_t(found - host.series().begin()));
        };
        QVERIFY2(of(kLinkSent) * longest > 1.03 * double(kBytes), qPrintable(QString::number(of(kLinkSent) * longest)));
        QVERIFY2(of(kLinkSent) > 10 * of(kLinkReceived), qPrintable(QString::number(of(kLinkReceived))));
        QVERIFY(std::abs(of("link busy") / (of(kLinkSent) * 100 * 8 / 20e6) - 1) < 1e-9);
        VERIFY_OK(link->shape({20e6, 0}));
        // 2 MB at 20 Mbit/s take 0.8 s; a burst of 64 KiB goes at once.
        for (const auto& [from, to] : {std::pair{user, server}, {server, user}}) {
            const double seconds = secondsToSend(from, to, kBytes);
            QVERIFY2(seconds > 0.7, qPrintable(QString::number(seconds)));
        }
        // Headers are a few percent, and the rate holds for them too.
        startNs = nowNs();
        static_cast<void>(host.take());
        QVERIFY(secondsToSend(server, user, kBytes) > 0.7);
        const std::int64_t sentNs = nowNs();
        figures = host.take();
        longest = double(sentNs - startNs) * 1e-9;
        QVERIFY2(of(kLinkReceived) * longest < 1.1 * double(kBytes) && of("link busy") < 110,
                 qPrintable(QString::number(of(kLinkReceived) * longest)));
        // A fast link sends single packets too: 66 bytes of headers for at most 1448.
        VERIFY_OK(link->shape({1e9, 0}));
        static_cast<void>(host.take());
        startNs = nowNs();
        QVERIFY(secondsToSend(server, user, 10 * kBytes) > 0.15);
        const std::int64_t arrivedNs = nowNs();
        figures = host.take();
        longest = double(nowNs() - startNs) * 1e-9;
        QVERIFY2(of(kLinkReceived) * longest > 1.03 * 10 * double(kBytes),
                 qPrintable(QString::number(of(kLinkReceived) * longest)));
        QVERIFY2(of(kLinkReceived) * double(arrivedNs - startNs) * 1e-9 < 1.1 * 10 * double(kBytes),
                 qPrintable(QString::number(of(kLinkReceived))));
        VERIFY_OK(link->shape({})); // and nothing of it stays
        QVERIFY(secondsToSend(user, server, kBytes) >= 0);
        for (const int fd : {user, server, listening})
            ::close(fd);
    }

    //! A round trip takes as much longer; a kernel without that queue says so.
    void delays()
    {
        auto link = must(NetworkLink::make());
        if (auto shaped = link->shape({0, 40}); !shaped) {
            QVERIFY2(shaped.error().remedy.find("sch_netem") != std::string::npos, shaped.error().text().c_str());
            VERIFY_OK(link->shape({1e9, 0})); // it is as useful as before
            QSKIP("this kernel has no queue that delays (sch_netem)");
        }
        const int listening = listenAt(*link);
        QVERIFY(listening >= 0);
        const std::int64_t startNs = nowNs();
        const int user = connectTo(link->serverAddress()); // a round trip
        QVERIFY(user >= 0);
        QVERIFY(nowNs() - startNs >= 40'000'000);
        ::close(user);
        ::close(listening);
    }

    void severalAtATime()
    {
        auto one = must(NetworkLink::make());
        auto other = must(NetworkLink::make());
        QVERIFY(one->serverAddress() != other->serverAddress());
        const int first = listenAt(*one), second = listenAt(*other);
        QVERIFY(first >= 0 && second >= 0);
        for (const NetworkLink* link : {one.get(), other.get()}) {
            const int user = connectTo(link->serverAddress());
            QVERIFY(user >= 0);
            ::close(user);
        }
        one.reset();
        QVERIFY(connectTo(other->serverAddress()) >= 0);
        ::close(first);
        ::close(second);
    }

    //! Nothing stays when it goes, nor what a process left that was killed.
    void leavesNothing()
    {
        const std::string ours = "dynobench-" + std::to_string(::getpid()) + "-";
        {
            auto link = must(NetworkLink::make());
            QVERIFY(isThere("/run/netns", ours) && isThere("/sys/class/net", "dynolink"));
        }
        QVERIFY(!isThere("/run/netns", ours));
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0)
            ::_exit(0);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        const std::string left = "dynobench-" + std::to_string(child) + "-3";
        fs::path ip;
        for (const fs::path& folder : programFolders()) {
            if (ip.empty() && fs::exists(folder / "ip"))
                ip = folder / "ip";
        }
        VERIFY_OK(runCommand({ip.string(), "netns", "add", left}, std::chrono::seconds(kPatienceMs / 1000)));
        auto link = must(NetworkLink::make());
        QVERIFY(!isThere("/run/netns", left));
    }
};

} // namespace dyno::tst_network_link

DYNO_SUITE(tst_network_link, dyno::tst_network_link::TestNetworkLink)
#include "tst_network_link.moc"
