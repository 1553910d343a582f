// SPDX-License-Identifier: GPL-3.0-or-later
// The fault proxy between plain sockets and a real MariaDB, whose greeting of a few dozen bytes is what is delayed, cut
// and spoiled here.
#include "base/clock.h"
#include "support/fault_proxy.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace dyno::tst_fault_proxy {
using namespace dyno::test;

namespace {

using Direction = FaultProxy::Direction;
using End = FaultProxy::End;

constexpr int kPatienceMs = 20'000;

//! A client's end.
class Client
{
public:
    explicit Client(int port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(std::uint16_t(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        open(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    explicit Client(const std::string& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
        open(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    ~Client() { ::close(m_fd); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    //! 0 or errno of connect().
    [[nodiscard]] int problem() const { return m_problem; }
    //! Something to read, or the end, within that time.
    [[nodiscard]] bool readable(int milliseconds) const
    {
        pollfd wait{m_fd, POLLIN, 0};
        return ::poll(&wait, 1, milliseconds) > 0;
    }
    //! Reads until `size` bytes are there or the connection ends; end() is 0 for a proper end, errno otherwise.
    std::string read(std::size_t size)
    {
        std::string data;
        char buffer[4096];
        while (data.size() < size && readable(kPatienceMs)) {
            const ssize_t count = ::recv(m_fd, buffer, std::min(sizeof buffer, size - data.size()), 0);
            if (count <= 0) {
                m_end = count == 0 ? 0 : errno;
                break;
            }
            data.append(buffer, std::size_t(count));
        }
        return data;
    }
    //! The server's first packet without its header; "" when it did not come whole.
    std::string greeting()
    {
        const std::string header = read(4);
        if (header.size() < 4)
            return {};
        const std::size_t size = std::uint8_t(header[0]) + (std::size_t(std::uint8_t(header[1])) << 8);
        const std::string packet = read(size);
        return packet.size() == size ? packet : std::string();
    }
    [[nodiscard]] int end() const { return m_end; }

private:
    void open(int family, const sockaddr* address, socklen_t size)
    {
        m_fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        m_problem = ::connect(m_fd, address, size) == 0 ? 0 : errno;
    }
    int m_fd = -1;
    int m_problem = 0;
    int m_end = -1;
};

bool isGreeting(const std::string& packet)
{
    return packet.size() > 10 && packet[0] == 10 && packet.find("MariaDB") != std::string::npos;
}

} // namespace

class TestFaultProxy : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_proxy.stop(); }
    void forwardsOnBothSockets();
    void freezeHoldsEverything();
    void scheduledFreezes();
    void delay();
    void cutByFin_data() { ways(); }
    void cutByFin();
    void cutByReset();
    void cutInTheMiddleOfAPacket_data();
    void cutInTheMiddleOfAPacket();
    void corruptedBytes();
    void refusedConnections();
    void throttle();
    void serverThatIsNotThere();
    void manyAtOnce();

private:
    static void ways()
    {
        QTest::addColumn<bool>("unixSocket");
        QTest::newRow("TCP") << false;
        QTest::newRow("Unix socket") << true;
    }
    [[nodiscard]] std::unique_ptr<Client> client(bool unixSocket = false) const
    {
        return unixSocket ? std::make_unique<Client>(m_proxy.socket()) : std::make_unique<Client>(m_proxy.port());
    }

    MariadbFixture m_server;
    FaultProxy m_proxy;
};

void TestFaultProxy::initTestCase()
{
    DYNO_START_MARIADB(m_server);
    // Connections that end before they log in are errors to the server; it would block this host.
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("SET GLOBAL max_connect_errors = 1000000"));
}

void TestFaultProxy::init()
{
    const auto started =
        m_proxy.start({.socket = m_server.socket()}, std::string(DYNO_TEST_WORK_DIR) + "/fault-proxy.sock");
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TestFaultProxy::forwardsOnBothSockets()
{
    for (const bool unixSocket : {false, true}) {
        const auto direct = std::make_unique<Client>(m_server.socket());
        const auto through = client(unixSocket);
        QCOMPARE(through->problem(), 0);
        const std::string expected = direct->greeting();
        const std::string greeting = through->greeting();
        QVERIFY(isGreeting(greeting));
        QCOMPARE(greeting.size(), expected.size());
        const std::size_t version = expected.find('\0');
        QCOMPARE(greeting.substr(0, version), expected.substr(0, version));
    }
    QCOMPARE(m_proxy.facts().accepted, std::uint64_t(2));
    // Who closes is seen to be gone.
    QVERIFY(m_proxy.waitFor([](const FaultProxy::Facts& facts) { return facts.open == 0; }));
    QCOMPARE(m_proxy.facts().cut, std::uint64_t(0));
}

void TestFaultProxy::freezeHoldsEverything()
{
    m_proxy.freeze();
    QVERIFY(m_proxy.facts().frozen);
    const auto waiting = client();
    QCOMPARE(waiting->problem(), 0); // the kernel does that much
    QVERIFY(!waiting->readable(200));
    QCOMPARE(m_proxy.facts().accepted, std::uint64_t(0));
    m_proxy.thaw();
    QVERIFY(isGreeting(waiting->greeting()));

    m_proxy.setDelay(Direction::ToClient, 1); // through the queue
    const auto second = client();
    QVERIFY(isGreeting(second->greeting()));
    m_proxy.freeze();
    QVERIFY(!second->readable(100));
    m_proxy.thaw();
    QCOMPARE(m_proxy.facts().open, std::uint64_t(2));
}

//! Who comes in a freeze is not served before its end; one who is late with reading proves nothing.
void TestFaultProxy::scheduledFreezes()
{
    constexpr std::int64_t kEvery = 200'000'000, kFreeze = 100'000'000;
    m_proxy.setFreezes(kEvery, kFreeze);
    int held = 0;
    const std::int64_t start = nowNs();
    while (held < 3 || nowNs() - start < 5 * kEvery) {
        const std::int64_t before = nowNs();
        QVERIFY2(before - start < kPatienceMs * 1'000'000LL, qPrintable(QString::number(held)));
        const auto one = client();
        QVERIFY(isGreeting(one->greeting()));
        const std::int64_t phase = before % kEvery, took = nowNs() - before;
        QVERIFY2(phase >= kFreeze || phase + took >= kFreeze,
                 qPrintable(QString("%1 to %2").arg(phase).arg(phase + took)));
        held += took > kFreeze / 4 ? 1 : 0;
    }
}

void TestFaultProxy::delay()
{
    constexpr std::int64_t kDelay = 150'000'000;
    const auto greeted = [this] {
        const std::int64_t start = nowNs();
        return isGreeting(client()->greeting()) ? nowNs() - start : -1;
    };
    m_proxy.setDelay(Direction::ToClient, kDelay);
    // A busy machine may hold one of them up.
    const auto quickest = [&](std::int64_t enough) {
        std::int64_t least = greeted();
        for (int i = 0; i < 9 && least >= enough; ++i)
            least = std::min(least, greeted());
        return least;
    };
    const std::int64_t late = quickest(2 * kDelay);
    QVERIFY2(late >= kDelay && late < 2 * kDelay, qPrintable(QString::number(late)));
    // Without the delay it is as quick as ever.
    m_proxy.setDelay(Direction::ToClient, 0);
    const std::int64_t quick = quickest(kDelay);
    QVERIFY2(quick >= 0 && quick < kDelay, qPrintable(QString::number(quick)));
}

void TestFaultProxy::cutByFin()
{
    QFETCH(bool, unixSocket);
    const auto one = client(unixSocket);
    const auto other = client(unixSocket);
    QVERIFY(isGreeting(one->greeting()));
    QVERIFY(isGreeting(other->greeting()));
    QCOMPARE(m_proxy.cut(End::Fin), std::size_t(2));
    QCOMPARE(one->read(1), std::string());
    QCOMPARE(one->end(), 0);
    QCOMPARE(other->read(1), std::string());
    QCOMPARE(other->end(), 0);
    QCOMPARE(m_proxy.facts().cut, std::uint64_t(2));
    QVERIFY(isGreeting(client(unixSocket)->greeting()));
}

void TestFaultProxy::cutByReset()
{
    const auto one = client();
    QVERIFY(isGreeting(one->greeting()));
    QCOMPARE(m_proxy.cut(End::Reset), std::size_t(1));
    QCOMPARE(one->read(1), std::string());
    QCOMPARE(one->end(), ECONNRESET);
}

void TestFaultProxy::cutInTheMiddleOfAPacket_data()
{
    QTest::addColumn<int>("bytes");
    for (const int bytes : {0, 1, 3, 4, 20})
        QTest::addRow("%d", bytes) << bytes;
}

void TestFaultProxy::cutInTheMiddleOfAPacket()
{
    QFETCH(int, bytes);
    for (const bool unixSocket : {false, true}) {
        m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
        const auto one = client(unixSocket);
        QCOMPARE(one->read(1000).size(), std::size_t(bytes));
        QCOMPARE(one->end(), 0);
        QVERIFY(isGreeting(client(unixSocket)->greeting())); // once only
    }
}

void TestFaultProxy::corruptedBytes()
{
    m_proxy.corrupt(Direction::ToClient, 4, 2, 0x41);
    const auto one = client();
    const std::string spoiled = one->greeting();
    const std::string right = client()->greeting();
    QVERIFY(isGreeting(right));
    QCOMPARE(spoiled.size(), right.size());
    QCOMPARE(int(spoiled[0]), right[0] ^ 0x41);
    QCOMPARE(int(spoiled[1]), right[1] ^ 0x41);
    const std::size_t version = right.find('\0');
    QCOMPARE(spoiled.substr(2, version - 2), right.substr(2, version - 2));
    QCOMPARE(m_proxy.facts().corrupted, std::uint64_t(2));
}

void TestFaultProxy::refusedConnections()
{
    const auto open = client();
    QVERIFY(isGreeting(open->greeting()));
    QVERIFY(m_proxy.setRefusing(true));
    const int port = m_proxy.port();
    for (const bool unixSocket : {false, true})
        QCOMPARE(client(unixSocket)->problem(), ECONNREFUSED);
    QCOMPARE(m_proxy.facts().open, std::uint64_t(1));
    QVERIFY(m_proxy.setRefusing(false));
    QCOMPARE(m_proxy.port(), port);
    for (const bool unixSocket : {false, true})
        QVERIFY(isGreeting(client(unixSocket)->greeting()));
}

void TestFaultProxy::throttle()
{
    constexpr std::int64_t kBytesPerSecond = 400;
    m_proxy.setThrottle(Direction::ToClient, kBytesPerSecond);
    const std::int64_t start = nowNs();
    const auto one = client();
    const std::string greeting = one->greeting();
    QVERIFY(isGreeting(greeting));
    const double seconds = double(nowNs() - start) * 1e-9;
    const double expected = double(greeting.size()) / double(kBytesPerSecond);
    QVERIFY2(seconds > 0.8 * expected && seconds < 300 * expected, qPrintable(QString::number(seconds)));
}

void TestFaultProxy::serverThatIsNotThere()
{
    FaultProxy lost;
    QVERIFY(lost.start({.socket = "/tmp/dyno-there-is-no-such-socket"}));
    Client one(lost.port());
    QCOMPARE(one.read(1), std::string());
    QVERIFY(one.end() == 0 || one.end() == ECONNRESET);
    QVERIFY(lost.waitFor([](const FaultProxy::Facts& facts) { return facts.accepted == 1; })); // told after the hang-up
}

void TestFaultProxy::manyAtOnce()
{
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 60; ++i)
        clients.push_back(client(i % 2 == 0));
    for (const auto& one : clients)
        QVERIFY(isGreeting(one->greeting()));
    QVERIFY(m_proxy.waitFor([](const FaultProxy::Facts& facts) { return facts.open == 60; }));
    QCOMPARE(m_proxy.cut(End::Fin), std::size_t(60));
    for (const auto& one : clients)
        QCOMPARE(one->read(1), std::string());
    QVERIFY(m_proxy.waitFor([](const FaultProxy::Facts& facts) { return facts.open == 0; }));
}

} // namespace dyno::tst_fault_proxy

DYNO_SUITE(tst_fault_proxy, dyno::tst_fault_proxy::TestFaultProxy)
#include "tst_fault_proxy.moc"
