// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session_writer.h"

#include "store/dyno_file.h"
#include "store/session_recorder.h"
#include "store/writer_mark.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <variant>

namespace dyno {

namespace {

struct KnobRecord
{
    std::string target, name, oldValue, newValue;
};
struct KnobsRestored
{
    std::string target;
    std::vector<std::string> except;
};
using Item = std::variant<SessionHeader, RunHeader, IntervalSample, RunEvent, RunAftermath, RunSummary, SessionSummary,
                          KnobRecord, KnobsRestored>;

//! The queue is the only thing that both sides touch; the database belongs to the thread.
class QueuedWriter final : public SessionWriter
{
public:
    QueuedWriter(std::unique_ptr<Database> database, std::filesystem::path file, const WriterPatience& patience)
        : m_database(std::move(database))
        , m_file(std::move(file))
        , m_patience(patience)
        , m_recorder(*m_database)
        , m_thread([this] { loop(); })
    {}

    ~QueuedWriter() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ending = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }

    void onSessionStarted(const SessionHeader& header) override { push(header); }
    void onRunStarted(const RunHeader& header) override { push(header); }
    void onSample(const IntervalSample& sample) override { push(sample); }
    void onEvent(const RunEvent& event) override { push(event); }
    void onRunAftermath(const RunAftermath& aftermath) override { push(aftermath); }
    void onRunFinished(const RunSummary& summary) override { push(summary); }
    void onSessionFinished(const SessionSummary& summary) override { push(summary); }

    Expected<void> recordKnobChange(const std::string& target, const std::string& name, const std::string& oldValue,
                                    const std::string& newValue) override
    {
        push(KnobRecord{target, name, oldValue, newValue});
        return flush();
    }

    Expected<void> recordKnobsRestored(const std::string& target, const std::vector<std::string>& except) override
    {
        push(KnobsRestored{target, except});
        return flush();
    }

    Expected<void> flush() override
    {
        std::unique_lock lock(m_mutex);
        const std::uint64_t wanted = m_pushed;
        ++m_waiting;
        m_done.wait(lock, [this, wanted] { return m_written >= wanted; });
        --m_waiting;
        if (m_error)
            return fail(*m_error);
        return {};
    }

private:
    void push(Item item)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_queue.push_back(std::move(item));
            ++m_pushed;
        }
        m_wake.notify_one();
    }

    void loop();
    Expected<void> writeBatch(const std::vector<Item>& batch);
    //! Nothing of the batch is written when it fails: the recorder has not seen it.
    Expected<void> tryBatch(const std::vector<Item>& batch, bool& held);
    [[nodiscard]] bool mayTryAgain(std::size_t batch, int& triesWhenWaitedFor);
    void write(const Item& item);

    std::unique_ptr<Database> m_database;
    std::filesystem::path m_file;
    WriterPatience m_patience;
    SessionRecorder m_recorder;
    std::mutex m_mutex;
    std::condition_variable m_wake, m_done;
    std::vector<Item> m_queue;
    std::uint64_t m_pushed = 0, m_written = 0;
    std::optional<Error> m_error; //!< the first one; nothing is written after it
    int m_waiting = 0; //!< calls of flush() under way
    bool m_ending = false;
    std::thread m_thread;
};

void QueuedWriter::loop()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_ending || !m_queue.empty(); });
        if (m_queue.empty())
            break;
        const std::vector<Item> batch = std::exchange(m_queue, {});
        const bool usable = !m_error;
        lock.unlock();
        auto written = usable ? writeBatch(batch) : Expected<void>();
        lock.lock();
        if (!written)
            m_error = std::move(written.error());
        m_written += batch.size();
        m_done.notify_all();
    }
    lock.unlock();
    // The runner went away without an end: say so at once, not only when this process is gone.
    if (m_recorder.recording() && m_database->ok()) {
        m_recorder.abandon();
        if (!m_database->result())
            giveUpRecording(m_recorder.id());
    }
}

Expected<void> QueuedWriter::writeBatch(const std::vector<Item>& batch)
{
    bool durable = false;
    for (const Item& item : batch)
        durable = durable || std::holds_alternative<KnobRecord>(item) || std::holds_alternative<KnobsRestored>(item);
    // A changed setting outlives a crash of the machine, so its record has to as well.
    if (durable)
        m_database->exec("PRAGMA synchronous = FULL");
    int triesWhenWaitedFor = 0;
    bool held = false;
    auto done = tryBatch(batch, held);
    while (!done && held && mayTryAgain(batch.size(), triesWhenWaitedFor))
        done = tryBatch(batch, held);
    if (durable)
        m_database->exec("PRAGMA synchronous = NORMAL");
    return done;
}

Expected<void> QueuedWriter::tryBatch(const std::vector<Item>& batch, bool& held)
{
    Transaction transaction(*m_database);
    held = isHeld(m_database->code());
    if (held && m_patience.onHeld)
        m_patience.onHeld();
    if (!m_database->ok())
        return m_database->result();
    for (const Item& item : batch)
        write(item);
    return transaction.commit();
}

bool QueuedWriter::mayTryAgain(std::size_t batch, int& triesWhenWaitedFor)
{
    const std::lock_guard lock(m_mutex);
    if (m_ending || m_waiting > 0)
        ++triesWhenWaitedFor;
    return m_queue.size() + batch <= m_patience.queued && triesWhenWaitedFor < m_patience.triesWhenWaitedFor;
}

void QueuedWriter::write(const Item& item)
{
    if (const auto* knob = std::get_if<KnobRecord>(&item)) {
        m_recorder.writeKnobChange(knob->target, knob->name, knob->oldValue, knob->newValue);
    } else if (const auto* restored = std::get_if<KnobsRestored>(&item)) {
        m_recorder.writeKnobsRestored(restored->target, restored->except);
    } else {
        std::visit(
            [this](const auto& value) {
                if constexpr (requires { m_recorder.write(value); })
                    m_recorder.write(value);
            },
            item);
    }
}

} // namespace

Expected<std::unique_ptr<SessionWriter>> SessionWriter::open(const std::filesystem::path& library,
                                                             const WriterPatience& patience)
{
    auto database = openStore(library, Library::Mode::ReadWrite);
    if (!database)
        return fail(std::move(database.error()));
    // Takes the write lock once: a library that cannot be written has to be known before anything is measured.
    {
        Transaction probe(**database);
        if (auto done = probe.commit(); !done)
            return fail(std::move(done.error()));
    }
    (*database)->setBusyTimeout(patience.busyMs);
    return std::make_unique<QueuedWriter>(std::move(*database), library, patience);
}

} // namespace dyno
