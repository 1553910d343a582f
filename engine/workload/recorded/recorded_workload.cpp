// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/recorded_workload.h"

#include "workload/model.h"
#include "workload/option_makers.h"
#include "workload/recorded/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>

namespace dyno::recorded {

namespace {

// Codes of transactions that fail without the server
constexpr std::int32_t kNoLog = -1, kNotReadOnly = -2;
constexpr const char* kNotReadOnlyText =
    "the server does not take the statement that makes a session read only, so nothing of the log was sent";
constexpr const char* kNotRead = "the log was not read";
constexpr const char* kAsRecorded = "recorded";
constexpr const char* kAuto = "auto";

struct ReplayParams
{
    ReplayWish wish;
    bool asRecorded = true;
    double speed = 1;
    std::string readOnly; //!< what a session sends first; "": nothing
};

//! How an answer differs from the recorded one.
enum class Difference : std::uint8_t { Failed, Succeeded, Rows };
constexpr std::size_t kDifferences = 3;
constexpr std::uint32_t kNoText = UINT32_MAX;

//! What some users of one run count.
struct alignas(64) Tally
{
    std::atomic<std::uint64_t> sent{0}, endings{0}, rows{0}; //!< the last two: compared with the recording
    std::array<std::atomic<std::uint64_t>, kDifferences> counts{};
    std::array<std::atomic<std::uint32_t>, kDifferences> firstTexts{kNoText, kNoText, kNoText};

    void add(Difference what, std::uint32_t text)
    {
        counts[std::size_t(what)].fetch_add(1, std::memory_order_relaxed);
        std::uint32_t none = kNoText;
        firstTexts[std::size_t(what)].compare_exchange_strong(none, text, std::memory_order_relaxed);
    }
};

//! A log that was read, and what the run under way has to do with it.
struct ReadyReplay
{
    std::shared_ptr<const Replay> replay;
    std::string problem; //!< why there is none: outlives all users
    mutable std::atomic<std::int64_t> beganNs{0};
    mutable std::atomic<std::size_t> users{0};
    mutable std::array<Tally, 16> tallies; //!< users add to the one of their number
    [[nodiscard]] Tally& tallyOf(const UserContext& user) const
    {
        return tallies[indexOf(user.user()) % tallies.size()];
    }
    template<class Count>
    [[nodiscard]] std::uint64_t sum(Count count) const
    {
        std::uint64_t all = 0;
        for (const Tally& tally : tallies)
            all += count(tally).load();
        return all;
    }
};

//! Where a user is in the recording.
struct ReplayMemory final : UserMemory
{
    std::vector<std::uint32_t> own; //!< entries of its sessions by time, where it runs as recorded
    std::size_t next = 0;
    bool readOnly = false;                      //!< the session is
    bool inTransaction = false, manual = false; //!< as the recording has it
    bool brokenAsThen = false;                  //!< its transaction had a failure that was recorded
};

class ReplayInstance final : public WorkloadInstance
{
public:
    explicit ReplayInstance(ReplayParams params)
        : m_params(std::move(params))
    {
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {}; }
    [[nodiscard]] StatementSet statements() const override { return {}; }
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] Task<Outcome> load(UserContext& /*user*/, LoadSlice /*slice*/) const override
    {
        co_return Outcome::Ok;
    }
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] bool paces() const override { return m_params.asRecorded; }
    [[nodiscard]] Pauses pauses(UserContext& user) const override;
    [[nodiscard]] bool hasDueTimes() const override { return m_params.asRecorded; }
    [[nodiscard]] bool ends() const override { return m_params.asRecorded; }
    [[nodiscard]] bool isOver(UserContext& user) const override;
    //! Without its log, or with sessions that could change something, a run is worth nothing.
    [[nodiscard]] bool fatal(Outcome outcome, std::int32_t code) const override
    {
        return outcome == Outcome::Rejected && (code == kNoLog || code == kNotReadOnly);
    }
    //! A statement again would be one more than was recorded.
    [[nodiscard]] bool retryable(Outcome /*outcome*/, std::int32_t /*code*/) const override { return false; }
    [[nodiscard]] std::vector<OperationInfo> operationsOfRun() const override;
    [[nodiscard]] std::vector<std::string> notesOfRun() const override;
    [[nodiscard]] Settings ofResult() const override;
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return 0; }

private:
    [[nodiscard]] bool isRead() const { return m_ready && m_ready->problem.empty(); }
    [[nodiscard]] ReplayMemory& memoryOf(UserContext& user) const;
    [[nodiscard]] bool failedAsThen(const ReplayMemory& memory, const ReplayEntry& entry, const Reply& reply) const;
    void compare(Tally& tally, const ReplayEntry& entry, const Reply& reply, bool asThen) const;
    [[nodiscard]] std::string differenceText(Difference what, std::uint64_t of, std::string_view words) const;

    ReplayParams m_params;
    mutable std::mutex m_making;
    mutable std::shared_ptr<const ReadyReplay> m_ready; //!< with m_making; a run only reads it, while nothing writes
};

bool ReplayInstance::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t /*seed*/) const
{
    if (use != Use::Run)
        return true;
    const std::lock_guard lock(m_making);
    if (m_ready && m_ready->beganNs.load() == 0)
        return true; // for the run that has not begun, whose operations are known
    auto ready = std::make_shared<ReadyReplay>();
    if (isRead()) {
        ready->replay = m_ready->replay;
    } else if (auto read = readReplay(m_params.wish, goOn)) {
        ready->replay = std::make_shared<const Replay>(std::move(*read));
    } else if (read.error().kind == ErrorKind::Interrupted) {
        return false;
    } else {
        ready->problem = read.error().text();
        if (!read.error().remedy.empty())
            ready->problem += "; " + read.error().remedy;
    }
    m_ready = std::move(ready);
    return true;
}

//! Sessions are dealt out to users in turn. As fast as they can, users begin at places that are equally far apart.
ReplayMemory& ReplayInstance::memoryOf(UserContext& user) const
{
    return user.memory<ReplayMemory>([&] {
        auto memory = std::make_unique<ReplayMemory>();
        const Replay& replay = *m_ready->replay;
        const std::size_t number = indexOf(user.user()), users = std::size_t(std::max(1, user.users()));
        m_ready->users.store(users, std::memory_order_relaxed);
        if (!m_params.asRecorded) {
            memory->next = number * replay.entries.size() / users % replay.entries.size();
            return memory;
        }
        std::size_t sessions = 0;
        for (std::size_t session = number; session < replay.sessions.size(); session += users, ++sessions)
            memory->own.insert(memory->own.end(), replay.sessions[session].begin(), replay.sessions[session].end());
        if (sessions > 1)
            std::ranges::sort(memory->own); // entries are by time
        return memory;
    });
}

bool ReplayInstance::isOver(UserContext& user) const
{
    if (!isRead())
        return false; // its first transaction tells why
    const ReplayMemory& memory = memoryOf(user);
    return memory.next >= memory.own.size();
}

Pauses ReplayInstance::pauses(UserContext& user) const
{
    if (!isRead() || isOver(user))
        return {};
    const ReplayMemory& memory = memoryOf(user);
    const std::int64_t now = nowNs();
    std::int64_t began = 0;
    if (m_ready->beganNs.compare_exchange_strong(began, now))
        began = now;                    // all users count from the first one's first look
    constexpr double kLongestNs = 1e18; // 30 years
    const ReplayEntry& entry = m_ready->replay->entries[memory.own[memory.next]];
    const double after = std::min(double(entry.atUs) * 1e3 / m_params.speed, kLongestNs);
    return {.dueNs = began + std::llround(after)};
}

Task<Outcome> ReplayInstance::transaction(UserContext& user) const
{
    if (!isRead()) [[unlikely]]
        co_return user.reject(kNoLog, m_ready ? m_ready->problem.c_str() : kNotRead);
    ReplayMemory& memory = memoryOf(user);
    const Replay& replay = *m_ready->replay;
    if (!memory.readOnly && !m_params.readOnly.empty()) [[unlikely]] {
        const Request first = Request::sql(m_params.readOnly);
        const Reply reply = co_await user.step(first);
        if (reply.outcome == Outcome::Rejected)
            co_return user.reject(kNotReadOnly, kNotReadOnlyText);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        memory.readOnly = true;
    }
    if (m_params.asRecorded && memory.next >= memory.own.size())
        co_return Outcome::Ok; // where nobody asks isOver()
    const ReplayEntry& entry = replay.entries[m_params.asRecorded ? memory.own[memory.next] : memory.next];
    ++memory.next;
    if (!m_params.asRecorded) {
        if (memory.next == replay.entries.size())
            memory.next = 0;
        if (m_ready->beganNs.load(std::memory_order_relaxed) == 0) [[unlikely]]
            m_ready->beganNs.store(nowNs());
    }
    const ReplayText& text = replay.texts[entry.text];
    const Request request{.kind = text.request, .text = text.text};
    const Reply reply = co_await user.execute(text.op, request);
    const bool asThen = failedAsThen(memory, entry, reply);
    compare(m_ready->tallyOf(user), entry, reply, asThen);
    const bool ok = reply.outcome == Outcome::Ok;
    const bool answered = reply.outcome != Outcome::Disconnected && reply.outcome != Outcome::TimedOut;
    const bool within = memory.inTransaction;
    if (text.mark == TransactionMark::Manual)
        memory.manual = true;
    if (text.mark == TransactionMark::Begins || !answered)
        memory.inTransaction = answered && ok;
    else
        memory.inTransaction = memory.manual || (within && text.mark != TransactionMark::Ends);
    memory.brokenAsThen = memory.inTransaction && text.mark != TransactionMark::Ends && (memory.brokenAsThen || asThen);
    if (ok) [[likely]]
        co_return Outcome::Ok;
    memory.readOnly = false; // the next statement may go by another connection
    // Within a recorded transaction the recording says how it ends: a rollback here would send the rest of it alone.
    co_return asThen || (within && answered) ? Outcome::Ok : reply.outcome;
}

//! PostgreSQL answers the COMMIT of a transaction that had failed by rolling back, which the log does not call an
//! error.
bool ReplayInstance::failedAsThen(const ReplayMemory& memory, const ReplayEntry& entry, const Reply& reply) const
{
    if (reply.outcome == Outcome::Ok || reply.outcome == Outcome::Disconnected || reply.outcome == Outcome::TimedOut)
        return false;
    return entry.ending == ReplayEntry::Ending::Failed ||
           (memory.brokenAsThen && m_ready->replay->texts[entry.text].mark == TransactionMark::Ends);
}

void ReplayInstance::compare(Tally& tally, const ReplayEntry& entry, const Reply& reply, bool asThen) const
{
    using Ending = ReplayEntry::Ending;
    tally.sent.fetch_add(1, std::memory_order_relaxed);
    if (reply.outcome == Outcome::Disconnected || reply.outcome == Outcome::TimedOut)
        return; // no answer
    const bool ok = reply.outcome == Outcome::Ok;
    if (entry.ending != Ending::Unknown) {
        tally.endings.fetch_add(1, std::memory_order_relaxed);
        if (!ok && !asThen)
            tally.add(Difference::Failed, entry.text);
        else if (ok && entry.ending == Ending::Failed)
            tally.add(Difference::Succeeded, entry.text);
    }
    if (!ok || entry.rows < 0 || entry.ending == Ending::Failed)
        return;
    tally.rows.fetch_add(1, std::memory_order_relaxed);
    if (reply.rows != entry.rows)
        tally.add(Difference::Rows, entry.text);
}

std::vector<OperationInfo> ReplayInstance::operationsOfRun() const
{
    return isRead() ? m_ready->replay->operations : std::vector<OperationInfo>();
}

Settings ReplayInstance::ofResult() const
{
    if (!isRead())
        return {};
    const Replay& replay = *m_ready->replay;
    std::int64_t skipped = 0;
    for (const SkippedEntries& one : replay.skipped)
        skipped += one.entries;
    return {{"recorded_format", replay.format},
            {"recorded_statements", std::int64_t(replay.entries.size())},
            {"recorded_skipped", skipped},
            {"recorded_sessions", std::int64_t(replay.sessions.size())},
            {"recorded_kinds", std::int64_t(replay.kinds)},
            {"recorded_seconds", replay.seconds()},
            {"recorded_sha256", replay.sha256}};
}

std::string ReplayInstance::differenceText(Difference what, std::uint64_t of, std::string_view words) const
{
    const auto index = std::size_t(what);
    const std::uint64_t count =
        m_ready->sum([index](const Tally& tally) -> const auto& { return tally.counts[index]; });
    std::string text = fmt::format("{}: {} of {}", words, count, of);
    std::uint32_t first = kNoText;
    for (const Tally& tally : m_ready->tallies)
        first = std::min(first, tally.firstTexts[index].load());
    if (first != kNoText)
        text +=
            fmt::format(", such as {}", m_ready->replay->operations[indexOf(m_ready->replay->texts[first].op)].name);
    return text;
}

std::vector<std::string> ReplayInstance::notesOfRun() const
{
    if (!isRead())
        return {};
    std::vector<std::string> notes;
    const Replay& replay = *m_ready->replay;
    notes.push_back(fmt::format("the recording: {} statements of {} kinds in {} sessions over {:.3g} s",
                                replay.entries.size(), replay.kinds, replay.sessions.size(), replay.seconds()));
    std::vector<std::string> skipped;
    for (const SkippedEntries& one : replay.skipped)
        skipped.push_back(fmt::format("{} ({})", one.why, one.entries));
    if (!skipped.empty())
        notes.push_back(fmt::format("skipped from the recording: {}", fmt::join(skipped, ", ")));
    const std::size_t users = m_ready->users.load();
    if (m_params.asRecorded && users > 0 && users < replay.sessions.size())
        notes.push_back(fmt::format("{} users for {} recorded sessions: some sent the statements of several, in the "
                                    "order of their times{}; give {} users to have each as it was",
                                    users, replay.sessions.size(),
                                    m_params.wish.writes ? ", with their transactions mixed" : "",
                                    replay.sessions.size()));
    const std::uint64_t sent = m_ready->sum([](const Tally& tally) -> const auto& { return tally.sent; });
    const std::uint64_t endings = m_ready->sum([](const Tally& tally) -> const auto& { return tally.endings; });
    const std::uint64_t rows = m_ready->sum([](const Tally& tally) -> const auto& { return tally.rows; });
    if (m_params.asRecorded && sent < replay.entries.size())
        notes.push_back(fmt::format("the run ended before the recording: {} of {} statements were sent", sent,
                                    replay.entries.size()));
    if (!m_params.wish.writes && m_params.readOnly.empty() && m_params.wish.model == DataModel::Sql)
        notes.emplace_back("sessions were not read only, as this server has no statement for that: what functions do "
                           "that a query calls was not prevented");
    if (endings > 0) {
        notes.push_back(
            differenceText(Difference::Failed, endings, "statements that failed, and not in the recording"));
        notes.push_back(differenceText(Difference::Succeeded, endings, "statements that failed only in the recording"));
    }
    if (rows > 0)
        notes.push_back(differenceText(Difference::Rows, rows, "answers with another number of rows than recorded"));
    if (endings == 0 && rows == 0)
        notes.emplace_back("nothing was compared with the recording: the log records neither errors nor row counts");
    return notes;
}

OptionSpecs replayOptions()
{
    OptionSpec file = textOption(kRecordingParam, "Log",
                                 "A server's log of statements; `dyno recording FILE` tells what is in it. It is read "
                                 "when a run begins.",
                                 "", "");
    file.risk = "read a log that it names and send its statements to the target, with the functions that they call";
    file.choices = {"general.log"};
    OptionSpec database =
        textOption("database", "Database", "Only statements of sessions that used this database. Empty: all.", "", "");
    database.choices = {"shop"};
    OptionSpec account = textOption(
        "account", "Account", "Only statements of sessions that signed in with this account. Empty: all.", "", "");
    account.choices = {"app"};
    std::vector<std::string> formats = recordingFormats();
    formats.insert(formats.begin(), kAuto);
    OptionSpec writes = flagOption("writes", "Include writes",
                                   "Also statements that may do more than read. Else sessions are read only where the "
                                   "target has a statement for that.",
                                   false, "");
    writes.risk = "send all statements of a log to the target: they can change and delete whatever that account may";
    return {
        std::move(file),
        choiceOption("format", "Form of the log", "auto: the first lines tell it.", kAuto, std::move(formats), ""),
        choiceOption("replay", "Times",
                     "recorded: each session is a user that sends its statements at their recorded times, once. loop: "
                     "users send statements one after the other, from the end on again from the beginning.",
                     kAsRecorded, {kAsRecorded, "loop"}, ""),
        realOption("speed", "Speed", "Of recorded times: 2 halves the time between statements, 0.5 doubles it.", 1, "×",
                   0.1, 100, ""),
        std::move(writes),
        std::move(database),
        std::move(account),
    };
}

class RecordedWorkload final : public Workload
{
public:
    RecordedWorkload()
    {
        m_info.id = "recorded";
        m_info.name = "Recorded statements";
        m_info.purpose = WorkloadPurpose::Application;
        m_info.summary = "Runs the statements of a server's log again, at their times or in a loop";
        m_info.description = "A general or slow log of MySQL's family, a csvlog of PostgreSQL or a profile of MongoDB, "
                             "run again on data "
                             "that is there already. Each kind of statement is an operation of its own. Errors and "
                             "numbers of rows that differ from "
                             "the recording are counted, where the log tells them.";
        m_info.source = "the logs' own statements";
        m_info.models = {DataModel::Sql, DataModel::Document};
        m_info.options = replayOptions();
        m_info.operations = {{"other", OpClass::Read}};
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }
    [[nodiscard]] bool operationsOfFile() const override { return true; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& /*tableKnobs*/) const override
    {
        ReplayParams params;
        params.wish.file = textOf(settings, kRecordingParam);
        if (params.wish.file.empty())
            return wrongParameter("no log is named", kRecordingParam, "name a server's log of statements");
        const std::string format = textOf(settings, "format", kAuto);
        params.wish.format = format == kAuto ? std::string() : format;
        params.wish.model = modelFor(m_info, driver);
        params.wish.database = textOf(settings, "database");
        params.wish.account = textOf(settings, "account");
        params.wish.writes = boolOf(settings, "writes");
        params.asRecorded = textOf(settings, "replay", kAsRecorded) == kAsRecorded;
        params.wish.sessions = params.wish.writes && params.asRecorded;
        params.speed = realOf(settings, "speed", 1);
        if (!params.wish.writes)
            params.readOnly = driver.sql.readOnly;
        return std::make_shared<const ReplayInstance>(std::move(params));
    }

private:
    WorkloadInfo m_info;
};

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const RecordedWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::recorded
