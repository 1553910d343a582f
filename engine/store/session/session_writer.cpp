// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/session_writer.h"

#include "base/private_files.h"
#include "store/library/dyno_file.h"
#include "store/library/new_file.h"
#include "store/library/writer_process.h"
#include "store/session/session_copy.h"
#include "store/session/session_reader.h"
#include "store/session/session_recorder.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <thread>
#include <variant>

namespace dyno {

namespace {

struct KnobRecord
{
    std::string target, name, oldValue, newValue;
    std::shared_ptr<std::atomic<bool>> written; //!< becomes true when it is on disk
};
struct KnobsRestored
{
    std::string target;
    std::vector<std::string> except;
};
struct KeptFile
{
    std::string name, text;
};
struct TryAgain
{
};
struct SittingTakenBack
{
};
using Item = std::variant<SessionHeader, RunHeader, IntervalSample, RunEvent, RunAftermath, RunSummary, SessionSummary,
                          KnobRecord, KnobsRestored, KeptFile, TryAgain, SittingTakenBack>;

//! In one transaction, of what has waited: a disk with room for a little takes a little.
constexpr std::size_t kItemsAtOnce = 64;

std::size_t bytesOf(const Item& item)
{
    if (const auto* sample = std::get_if<IntervalSample>(&item))
        return bytesInMemory(*sample);
    std::size_t more = 0;
    const auto add = [&more](const RunSummary& run) {
        const auto times = [&more](const LatencyTimes& of) {
            more += (of.service.buckets().capacity() + of.response.buckets().capacity()) * sizeof(Histogram::Bucket);
        };
        times(run.times);
        for (const OperationSummary& operation : run.operations) {
            more += sizeof operation;
            times(operation.times);
        }
    };
    if (const auto* run = std::get_if<RunSummary>(&item))
        add(*run);
    else if (const auto* header = std::get_if<SessionHeader>(&item))
        std::ranges::for_each(header->earlier, add);
    else if (const auto* event = std::get_if<RunEvent>(&item))
        more = event->text.size();
    else if (const auto* after = std::get_if<RunAftermath>(&item))
        more = after->errorLog.size();
    else if (const auto* file = std::get_if<KeptFile>(&item))
        more = file->name.size() + file->text.size();
    return sizeof(Item) + more;
}

bool isDurable(const Item& item)
{
    return std::holds_alternative<KnobRecord>(item) || std::holds_alternative<KnobsRestored>(item);
}

void writeTo(SessionRecorder& recorder, const Item& item)
{
    if (const auto* knob = std::get_if<KnobRecord>(&item)) {
        recorder.writeKnobChange(knob->target, knob->name, knob->oldValue, knob->newValue);
    } else if (const auto* restored = std::get_if<KnobsRestored>(&item)) {
        recorder.writeKnobsRestored(restored->target, restored->except);
    } else if (const auto* file = std::get_if<KeptFile>(&item)) {
        recorder.writeFile(file->name, file->text);
    } else if (std::holds_alternative<SittingTakenBack>(item)) {
        recorder.takeBackSitting();
    } else {
        std::visit(
            [&recorder](const auto& value) {
                if constexpr (requires { recorder.write(value); })
                    recorder.write(value);
            },
            item);
    }
}

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
    {
    }

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
    void takeBackSitting() override { push(SittingTakenBack{}); }
    void keepFile(std::string name, std::string text) override { push(KeptFile{std::move(name), std::move(text)}); }

    Expected<void> recordKnobChange(const std::string& target, const std::string& name, const std::string& oldValue,
                                    const std::string& newValue) override
    {
        const auto written = std::make_shared<std::atomic<bool>>(false);
        push(KnobRecord{target, name, oldValue, newValue, written});
        auto flushed = flush();
        if (written->load())
            return {};
        // It is not kept in memory: what is not on disk is not changed.
        return flushed ? fail({ErrorKind::Storage, "the change of a setting could not be written down", m_file.string(),
                               "it was not made; make room, or choose another library with --library FILE"})
                       : flushed;
    }

    Expected<void> recordKnobsRestored(const std::string& target, const std::vector<std::string>& except) override
    {
        push(KnobsRestored{target, except});
        return flush();
    }

    Expected<void> flush() override
    {
        std::unique_lock lock(m_mutex);
        if (m_error) { // there may be room now
            m_queue.emplace_back(TryAgain{});
            m_unwritten += bytesOf(m_queue.back());
            ++m_pushed;
            m_wake.notify_one();
        }
        const std::uint64_t wanted = m_pushed;
        ++m_waiting;
        m_done.wait(lock, [this, wanted] { return m_written >= wanted; });
        --m_waiting;
        if (m_error)
            return fail(*m_error);
        return {};
    }

    std::optional<Error> problem() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_error;
    }

    double keptShare() const override
    {
        return double(m_unwritten.load(std::memory_order_relaxed)) /
               double(std::max<std::size_t>(m_patience.keptBytes, 1));
    }

    Expected<std::filesystem::path> rescue() override
    {
        std::unique_lock lock(m_mutex);
        m_rescueWanted = true;
        m_rescued.reset();
        m_wake.notify_one();
        m_done.wait(lock, [this] { return m_rescued.has_value(); });
        return *m_rescued;
    }

private:
    void push(Item item)
    {
        m_unwritten += bytesOf(item);
        {
            const std::lock_guard lock(m_mutex);
            m_queue.push_back(std::move(item));
            ++m_pushed;
        }
        m_wake.notify_one();
    }

    void loop();
    //! What has waited comes first, then the batch; what is left then stays in m_kept.
    Expected<void> writeBatch(std::vector<Item> batch, bool waited);
    Expected<void> writeFirst(std::size_t count, bool waited);
    //! Nothing of them is written when it fails, and the recorder stands where it stood.
    Expected<void> tryFirst(std::size_t count, bool& held);
    [[nodiscard]] bool mayTryAgain(std::size_t batch, int& triesWhenWaitedFor);
    void forgetFirst(std::size_t count);
    void forgetKnobChanges();
    [[nodiscard]] Expected<std::filesystem::path> rescueNow();
    [[nodiscard]] Expected<void> rescueInto(const std::filesystem::path& file, const std::string& id);

    std::unique_ptr<Database> m_database;
    std::filesystem::path m_file;
    WriterPatience m_patience;
    SessionRecorder m_recorder;
    std::deque<Item> m_kept;                  //!< the thread's: what could not be written yet, oldest first
    std::atomic<std::size_t> m_unwritten = 0; //!< bytes of what is queued or kept
    mutable std::mutex m_mutex;
    std::condition_variable m_wake, m_done;
    std::vector<Item> m_queue;
    std::uint64_t m_pushed = 0, m_written = 0;                //!< written: or kept
    std::optional<Error> m_error;                             //!< why something is kept
    std::optional<Expected<std::filesystem::path>> m_rescued; //!< what came of the last rescue()
    int m_waiting = 0;                                        //!< calls of flush() under way
    bool m_ending = false, m_rescueWanted = false;
    std::thread m_thread;
};

void QueuedWriter::loop()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_ending || m_rescueWanted || !m_queue.empty(); });
        if (!m_queue.empty()) {
            std::vector<Item> batch = std::exchange(m_queue, {});
            const std::size_t size = batch.size();
            const bool waited = m_error.has_value();
            lock.unlock();
            auto written = writeBatch(std::move(batch), waited);
            lock.lock();
            if (written)
                m_error.reset();
            else
                m_error = std::move(written.error());
            m_written += size;
            m_done.notify_all();
        } else if (m_rescueWanted) {
            lock.unlock();
            auto rescued = rescueNow();
            lock.lock();
            m_rescued = std::move(rescued);
            m_rescueWanted = false;
            m_done.notify_all();
        } else {
            break; // it is ending
        }
    }
    lock.unlock();
    // The runner went away without an end: say so at once, not only when this process is gone.
    if (m_recorder.recording()) {
        m_recorder.abandon();
        if (!m_database->result())
            giveUpRecording(m_recorder.id());
    }
}

Expected<void> QueuedWriter::writeBatch(std::vector<Item> batch, bool waited)
{
    for (Item& item : batch)
        m_kept.push_back(std::move(item));
    while (!m_kept.empty()) {
        const std::size_t count = waited ? std::min(m_kept.size(), kItemsAtOnce) : m_kept.size();
        if (auto done = writeFirst(count, waited); !done) {
            forgetKnobChanges();
            return done;
        }
        forgetFirst(count);
    }
    return {};
}

Expected<void> QueuedWriter::writeFirst(std::size_t count, bool waited)
{
    const auto end = m_kept.begin() + std::ptrdiff_t(count);
    const bool durable = std::any_of(m_kept.begin(), end, isDurable);
    // A changed setting outlives a crash of the machine, so its record has to as well.
    if (durable)
        m_database->exec("PRAGMA synchronous = FULL");
    int triesWhenWaitedFor = 0;
    bool held = false;
    auto done = tryFirst(count, held);
    while (!done && held && !waited && mayTryAgain(count, triesWhenWaitedFor))
        done = tryFirst(count, held);
    if (durable)
        m_database->exec("PRAGMA synchronous = NORMAL");
    return done;
}

Expected<void> QueuedWriter::tryFirst(std::size_t count, bool& held)
{
    RecorderState before = m_recorder.state();
    Transaction transaction(*m_database);
    held = isHeld(m_database->code());
    if (held && m_patience.onHeld)
        m_patience.onHeld();
    if (!m_database->ok())
        return m_database->result();
    for (std::size_t i = 0; i < count; ++i)
        writeTo(m_recorder, m_kept[i]);
    auto done = m_recorder.refusal() ? Expected<void>(fail(*m_recorder.refusal())) : transaction.commit();
    if (!done)
        m_recorder.restore(std::move(before));
    for (std::size_t i = 0; done && i < count; ++i) {
        if (const auto* header = std::get_if<SessionHeader>(&m_kept[i]))
            takeUpRecording(header->id);
    }
    return done;
}

bool QueuedWriter::mayTryAgain(std::size_t batch, int& triesWhenWaitedFor)
{
    const std::lock_guard lock(m_mutex);
    if (m_ending || m_waiting > 0)
        ++triesWhenWaitedFor;
    constexpr double kMuch = 0.5; // from there on the caller has to know
    return m_queue.size() + batch <= m_patience.queued && triesWhenWaitedFor < m_patience.triesWhenWaitedFor &&
           keptShare() < kMuch;
}

void QueuedWriter::forgetFirst(std::size_t count)
{
    for (; count > 0; --count) {
        if (const auto* knob = std::get_if<KnobRecord>(&m_kept.front()))
            knob->written->store(true);
        m_unwritten -= bytesOf(m_kept.front());
        m_kept.pop_front();
    }
}

//! A setting is changed only after its record is on disk; whoever asked for that is told that it is not.
void QueuedWriter::forgetKnobChanges()
{
    const auto goes = [this](const Item& item) {
        const bool gone = std::holds_alternative<KnobRecord>(item) || std::holds_alternative<TryAgain>(item);
        if (gone)
            m_unwritten -= bytesOf(item);
        return gone;
    };
    std::erase_if(m_kept, goes);
}

Expected<std::filesystem::path> QueuedWriter::rescueNow()
{
    namespace fs = std::filesystem;
    std::string id = m_recorder.id();
    for (const Item& item : m_kept) {
        if (const auto* header = std::get_if<SessionHeader>(&item); header && id.empty())
            id = header->id;
    }
    if (id.empty())
        return fail({ErrorKind::Storage, "nothing was recorded yet", m_file.string(), {}});
    const auto writeIn = [this, &id](const fs::path& folder) -> Expected<fs::path> {
        fs::path file = folder / fmt::format("rescued-{}.dyno", id);
        const Draft draft(file);
        auto written = rescueInto(draft.file(), id);
        if (written)
            written = draft.takeName();
        if (!written)
            return fail(draft.named(std::move(written.error())));
        return file;
    };
    std::error_code ignored;
    auto rescued = writeIn(fs::absolute(m_file, ignored).parent_path());
    if (rescued)
        return rescued;
    // In a folder of our own: everybody may write there.
    const fs::path temporary = fs::temp_directory_path(ignored);
    std::string folder = (temporary / "dynobench-XXXXXX").string();
    if (temporary.empty() || ::mkdtemp(folder.data()) == nullptr)
        return rescued;
    auto elsewhere = writeIn(folder);
    if (!elsewhere)
        fs::remove(folder, ignored);
    return elsewhere ? elsewhere : rescued;
}

Expected<void> QueuedWriter::rescueInto(const std::filesystem::path& file, const std::string& id)
{
    if (auto made = createStore(file, FileKind::DynoFile); !made)
        return made;
    makePrivateFile(file);
    auto target = Database::open(file, Database::Access::ReadWrite);
    if (!target)
        return fail(std::move(target.error()));
    Transaction transaction(**target);
    SessionRecorder recorder(**target);
    const bool waits = std::ranges::any_of(m_kept, [](const Item& item) { // the start of a further sitting
        const auto* header = std::get_if<SessionHeader>(&item);
        return header && header->sitting > 1;
    });
    if (m_recorder.recording() || waits) {
        // A library that was deleted can be read as long as it is open here.
        Transaction snapshot(*m_database, Transaction::Kind::Read);
        const std::vector<SessionRow> rows = readSessions(*m_database, id);
        if (!rows.empty())
            copySession(*m_database, rows.front(), **target);
        if (!rows.empty() && m_recorder.recording())
            recorder.takeOver(m_recorder);
        if (auto read = snapshot.commit(); !read)
            return read;
        if (rows.empty())
            return fail({ErrorKind::Storage, "the library has lost the session", m_file.string(), {}});
    }
    for (const Item& item : m_kept) {
        if (!isDurable(item)) // those belong to the library
            writeTo(recorder, item);
    }
    if (recorder.refusal())
        return fail(*recorder.refusal());
    return transaction.commit();
}

} // namespace

std::size_t bytesInMemory(const IntervalSample& sample)
{
    constexpr std::size_t kOfMapEntry = 64; // with its node
    std::size_t bytes = sizeof(IntervalSample) + sample.ops.capacity() * sizeof(OpInterval) +
                        sample.errors.size() * kOfMapEntry + sample.counters.capacity() * sizeof(double);
    const auto add = [&bytes](const OpInterval& one) {
        bytes += (one.service.buckets().capacity() + one.response.buckets().capacity()) * sizeof(Histogram::Bucket);
    };
    add(sample.transaction);
    for (const OpInterval& one : sample.ops)
        add(one);
    return bytes;
}

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
