// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/control_calls.h"

#include "base/clock.h"
#include "driver/counter_details.h"
#include "driver/server_self.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace dyno {

namespace {

constexpr std::chrono::milliseconds kLook{50};   //!< between two questions whether somebody wants to stop
constexpr std::int64_t kQuietNs = 1'000'000'000; //!< of a call, after a stop, before the server is tried
constexpr std::int64_t kAgainNs = 5'000'000'000; //!< between two tries of a server that answered
constexpr std::chrono::seconds kClosing{2};      //!< for the goodbye of a connection

std::int64_t nanoseconds(double seconds)
{
    return std::int64_t(seconds * 1e9);
}

//! A driver's Admin and the thread that it lives on. Shared by that thread and by whoever asks: the last one takes it
//! along.
class ControlThread
{
public:
    //! The driver lives as long as the process; all else is copied.
    static std::shared_ptr<ControlThread> start(Driver& driver, const ConnectTarget& target)
    {
        auto made = std::make_shared<ControlThread>(driver, target);
        made->m_thread = std::thread([made] { made->live(); });
        return made;
    }
    ControlThread(Driver& driver, ConnectTarget target)
        : m_driver(driver)
        , m_target(std::move(target))
    {
    }

    //! Gives it something to do: with the Admin, which is nullptr before connect() is done. One at a time.
    void begin(std::function<void(ControlThread&)> work)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_work = std::move(work);
            m_done = false;
        }
        m_changed.notify_all();
    }
    //! True when what was begun is done.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds patience)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, patience, [this] { return m_done; });
    }
    //! Closes the connection and ends the thread. What does not return is left to itself, and cut off where the driver
    //! can do so.
    void end(std::chrono::milliseconds patience)
    {
        std::unique_lock lock(m_mutex);
        m_ending = true;
        m_changed.notify_all();
        const bool ended = m_changed.wait_for(lock, patience, [this] { return m_ended; });
        if (!ended && m_admin)
            m_admin->abort(); // the thread closes it with the mutex held
        std::thread thread = std::move(m_thread);
        lock.unlock();
        if (ended)
            thread.join();
        else
            thread.detach();
    }

    // On the thread itself.
    [[nodiscard]] Admin& admin() { return *m_admin; }
    [[nodiscard]] Expected<void> connect()
    {
        auto connected = m_driver.admin(m_target);
        if (!connected)
            return tl::unexpected(connected.error());
        const std::lock_guard lock(m_mutex);
        m_admin = std::move(*connected);
        return {};
    }

private:
    void live()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [this] { return m_ending || m_work; });
            if (!m_work)
                break;
            const auto work = std::exchange(m_work, {});
            lock.unlock();
            work(*this);
            lock.lock();
            m_done = true;
            m_changed.notify_all();
        }
        // Nobody aborts it from here on; its goodbye is not waited for with the mutex held.
        std::unique_ptr<Admin> admin = std::move(m_admin);
        lock.unlock();
        admin.reset();
        lock.lock();
        m_ended = true;
        m_changed.notify_all();
    }

    Driver& m_driver;
    const ConnectTarget m_target;
    std::mutex m_mutex; //!< for all below
    std::condition_variable m_changed;
    std::function<void(ControlThread&)> m_work;
    std::unique_ptr<Admin> m_admin;
    std::thread m_thread;
    bool m_done = true, m_ending = false, m_ended = false;
};

//! What a call left behind; written by the control thread before it is done.
template<class T>
struct Answer
{
    std::optional<T> value;
    std::exception_ptr problem;
};

//! Another connection, which tells whether the server lives.
class Trial
{
public:
    Trial(Driver& driver, const ConnectTarget& target)
        : m_driver(driver)
        , m_target(target)
    {
    }
    ~Trial() { letGo(); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    [[nodiscard]] bool running() const { return m_thread != nullptr; }
    //! False when no thread is to be had.
    [[nodiscard]] bool begin()
    {
        m_alive = std::make_shared<Answer<bool>>();
        try {
            m_thread = ControlThread::start(m_driver, m_target);
        } catch (const std::system_error&) {
            return false;
        }
        m_thread->begin([alive = m_alive](ControlThread& thread) {
            try {
                const auto connected = thread.connect();
                // It answers, even if it says no.
                alive->value = connected || connected.error().kind != ErrorKind::Unreachable;
            } catch (...) {
                alive->value = false;
            }
        });
        return true;
    }
    //! Once when it is known, and then it is at its end.
    [[nodiscard]] std::optional<bool> answers()
    {
        if (!m_thread || !m_thread->waitFor(std::chrono::milliseconds(0)))
            return {};
        letGo();
        return m_alive->value.value_or(false);
    }

private:
    void letGo()
    {
        if (m_thread)
            std::exchange(m_thread, nullptr)->end(std::chrono::milliseconds(0));
    }

    Driver& m_driver;
    const ConnectTarget& m_target;
    std::shared_ptr<ControlThread> m_thread;
    std::shared_ptr<Answer<bool>> m_alive;
};

//! An Admin that asks another one on its own thread.
class ControlAdmin final : public Admin, public CounterDetails
{
public:
    ControlAdmin(Driver& driver, const ConnectTarget& target, std::function<bool()> stopped, StopPatience patience)
        : m_driver(driver)
        , m_target(target)
        , m_stopped(std::move(stopped))
        , m_patience(patience)
        , m_thread(ControlThread::start(driver, target))
    {
    }
    ~ControlAdmin() override { m_thread->end(m_givenUp != GivenUp::No ? std::chrono::seconds(0) : kClosing); }
    ControlAdmin(const ControlAdmin&) = delete;
    ControlAdmin& operator=(const ControlAdmin&) = delete;

    Expected<void> connect()
    {
        auto connected = run<Expected<void>>([](ControlThread& thread) { return thread.connect(); }, true);
        return connected ? std::move(*connected) : Expected<void>(unanswered());
    }

    Expected<void> execute(std::string_view command) override
    {
        return ask<Expected<void>>([text = std::string(command)](Admin& admin) { return admin.execute(text); });
    }
    Expected<TextRows> query(std::string_view command) override
    {
        return ask<Expected<TextRows>>([text = std::string(command)](Admin& admin) { return admin.query(text); });
    }
    Expected<std::vector<std::string>> tableNames() override
    {
        return ask<Expected<std::vector<std::string>>>([](Admin& admin) { return admin.tableNames(); });
    }
    Expected<std::vector<std::string>> tablesElsewhere() override
    {
        return ask<Expected<std::vector<std::string>>>([](Admin& admin) { return admin.tablesElsewhere(); });
    }
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override
    {
        return ask<Expected<std::vector<ColumnShape>>>(
            [text = std::string(table)](Admin& admin) { return admin.describe(text); });
    }
    Expected<std::vector<TableInfo>> tableInfos() override
    {
        return ask<Expected<std::vector<TableInfo>>>([](Admin& admin) { return admin.tableInfos(); });
    }
    Expected<ServerFacts> facts() override
    {
        return ask<Expected<ServerFacts>>([](Admin& admin) { return admin.facts(); });
    }
    Expected<std::string> variable(std::string_view name) override
    {
        return ask<Expected<std::string>>([text = std::string(name)](Admin& admin) { return admin.variable(text); });
    }
    Expected<void> setVariable(std::string_view name, const Value& value) override
    {
        return ask<Expected<void>>(
            [text = std::string(name), value](Admin& admin) { return admin.setVariable(text, value); });
    }
    Expected<std::int64_t> rowCount(std::string_view table) override
    {
        return ask<Expected<std::int64_t>>([text = std::string(table)](Admin& admin) { return admin.rowCount(text); });
    }
    Expected<void> drop(std::string_view table) override
    {
        return ask<Expected<void>>([text = std::string(table)](Admin& admin) { return admin.drop(text); });
    }
    Expected<std::vector<std::string>> unfinishedLoads() override
    {
        return ask<Expected<std::vector<std::string>>>([](Admin& admin) { return admin.unfinishedLoads(); });
    }
    Expected<void> setUnfinishedLoads(const std::vector<std::string>& tables) override
    {
        return ask<Expected<void>>([tables](Admin& admin) { return admin.setUnfinishedLoads(tables); });
    }
    Expected<DataNotes> dataNotes() override
    {
        return ask<Expected<DataNotes>>([](Admin& admin) { return admin.dataNotes(); });
    }
    Expected<void> setDataNotes(const DataNotes& notes) override
    {
        return ask<Expected<void>>([notes](Admin& admin) { return admin.setDataNotes(notes); });
    }
    std::vector<CounterInfo> counters() override
    {
        return ask<std::vector<CounterInfo>>([](Admin& admin) { return admin.counters(); }, {});
    }
    Expected<std::vector<double>> counterValues() override
    {
        return ask<Expected<std::vector<double>>>([](Admin& admin) { return admin.counterValues(); });
    }
    std::vector<UnseenCounters> unseenCounters() override
    {
        return ask<std::vector<UnseenCounters>>([](Admin& admin) { return dyno::unseenCounters(admin); }, {});
    }
    std::int64_t servingThread() override
    {
        return ask<std::int64_t>([](Admin& admin) { return dyno::servingThread(admin); }, 0);
    }
    LocalServer localServer() override
    {
        return ask<LocalServer>([](Admin& admin) { return dyno::localServer(admin); }, {});
    }
    std::vector<std::int64_t> counterTimes() override
    {
        return ask<std::vector<std::int64_t>>([](Admin& admin) { return dyno::counterTimes(admin); }, {});
    }
    Expected<ServerSelf> self() override
    {
        return ask<Expected<ServerSelf>>([](Admin& admin) { return admin.self(); });
    }
    Expected<std::vector<DigestEntry>> statementDigest() override
    {
        return ask<Expected<std::vector<DigestEntry>>>([](Admin& admin) { return admin.statementDigest(); });
    }
    Expected<std::vector<SnapshotPart>> snapshot() override
    {
        return ask<Expected<std::vector<SnapshotPart>>>([](Admin& admin) { return admin.snapshot(); });
    }
    Expected<InstrumentSettings> instruments(InstrumentsLevel level) override
    {
        return ask<Expected<InstrumentSettings>>([level](Admin& admin) { return admin.instruments(level); });
    }
    Expected<std::string> tableText(std::string_view table) override
    {
        return ask<Expected<std::string>>([text = std::string(table)](Admin& admin) { return admin.tableText(text); });
    }
    std::string dataFolder() override
    {
        return ask<std::string>([](Admin& admin) { return admin.dataFolder(); }, {});
    }
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override
    {
        return ask<std::uint64_t>([tables](Admin& admin) { return admin.dataBytes(tables); }, 0);
    }
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override
    {
        return ask<std::vector<DataPart>>([tables](Admin& admin) { return admin.dataParts(tables); }, {});
    }
    void checkpoint() override
    {
        static_cast<void>(ask<Expected<void>>([](Admin& admin) -> Expected<void> {
            admin.checkpoint();
            return {};
        }));
    }
    Expected<void> settle(const std::vector<std::string>& tables) override
    {
        return ask<Expected<void>>([tables](Admin& admin) { return admin.settle(tables); });
    }
    Expected<void> prewarm(const std::vector<std::string>& tables) override
    {
        return ask<Expected<void>>([tables](Admin& admin) { return admin.prewarm(tables); });
    }
    Expected<PreflightReport> preflight(const PreflightNeeds& needs) override
    {
        return ask<Expected<PreflightReport>>([needs](Admin& admin) { return admin.preflight(needs); });
    }

private:
    [[nodiscard]] tl::unexpected<Error> unanswered() const
    {
        if (m_givenUp == GivenUp::Silent)
            return fail({ErrorKind::Unreachable,
                         fmt::format("has not answered for {:.0f} s, neither a call nor a new connection",
                                     m_patience.quiet + m_patience.silent),
                         m_target.uri.display(), "see whether the server is frozen or cut off"});
        return fail({ErrorKind::Interrupted, "does not answer, and somebody asked to stop: it was waited for no longer",
                     m_target.uri.display(), "see whether the server is frozen or cut off"});
    }

    template<class T, class Call>
    T ask(Call call)
    {
        auto answer = run<T>([call = std::move(call)](ControlThread& thread) { return call(thread.admin()); }, false);
        return answer ? std::move(*answer) : T(unanswered());
    }
    template<class T, class Call>
    T ask(Call call, T otherwise)
    {
        return run<T>([call = std::move(call)](ControlThread& thread) { return call(thread.admin()); }, false)
            .value_or(std::move(otherwise));
    }

    //! The answer, or nothing when the call was given up.
    template<class T, class Call>
    std::optional<T> run(Call call, bool connects)
    {
        if (m_givenUp != GivenUp::No)
            return {};
        auto answer = std::make_shared<Answer<T>>();
        m_thread->begin([answer, call = std::move(call)](ControlThread& thread) {
            try {
                answer->value.emplace(call(thread));
            } catch (...) {
                answer->problem = std::current_exception();
            }
        });
        m_givenUp = waits(connects);
        if (m_givenUp != GivenUp::No)
            return {};
        if (answer->problem)
            std::rethrow_exception(answer->problem);
        return std::move(*answer->value);
    }

    enum class GivenUp { No, Stopped, Silent };

    //! Waits for what is under way, or until it is given up.
    GivenUp waits(bool connects)
    {
        const std::int64_t beganNs = nowNs();
        std::int64_t stopNs = 0, triedNs = 0;
        std::int64_t silentNs = 0; // since when no other connection answers
        Trial trial(m_driver, m_target);
        while (!m_thread->waitFor(kLook)) {
            const std::int64_t now = nowNs();
            if (stopNs == 0 && m_stopped())
                stopNs = now;
            const bool stopping = stopNs != 0;
            if (stopping && now - stopNs >= nanoseconds(connects ? m_patience.connect : m_patience.call))
                return GivenUp::Stopped;
            if (connects || (stopping ? now - stopNs < kQuietNs : now - beganNs < nanoseconds(m_patience.quiet)))
                continue; // a connection is its own trial
            if (!trial.running() && (triedNs == 0 || now - triedNs >= kAgainNs)) {
                triedNs = now;
                if (!trial.begin() && stopping) // no thread to be had: it cannot be found out
                    return GivenUp::Stopped;
            }
            const std::optional<bool> answers = trial.answers();
            if (stopping && (answers == false || (trial.running() && now - triedNs >= nanoseconds(m_patience.connect))))
                return GivenUp::Stopped;
            if (answers == true)
                silentNs = 0;
            else if (silentNs == 0 && (answers || trial.running()))
                silentNs = triedNs;
            if (!stopping && silentNs != 0 && now - silentNs >= nanoseconds(m_patience.silent))
                return GivenUp::Silent;
        }
        return GivenUp::No;
    }

    Driver& m_driver;
    const ConnectTarget m_target;
    std::function<bool()> m_stopped;
    StopPatience m_patience;
    std::shared_ptr<ControlThread> m_thread;
    GivenUp m_givenUp = GivenUp::No;
};

} // namespace

Expected<std::unique_ptr<Admin>> controlAdmin(Driver& driver, const ConnectTarget& target,
                                              std::function<bool()> stopped, StopPatience patience)
{
    if (!stopped || worksInProcess(target.uri))
        return driver.admin(target);
    std::unique_ptr<ControlAdmin> admin;
    try {
        admin = std::make_unique<ControlAdmin>(driver, target, std::move(stopped), patience);
    } catch (const std::system_error& problem) {
        return fail({ErrorKind::Failed, fmt::format("cannot start a thread: {}", problem.what()), target.uri.display(),
                     "raise the limits on threads and memory"});
    }
    if (auto connected = admin->connect(); !connected)
        return tl::unexpected(connected.error());
    return admin;
}

} // namespace dyno
