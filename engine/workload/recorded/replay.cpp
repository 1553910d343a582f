// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/replay.h"

#include "base/sha256.h"
#include "workload/recorded/logs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

namespace dyno::recorded {

namespace {

constexpr std::size_t kMostEntries = 10'000'000;             //!< 28 bytes each
constexpr std::size_t kMostTextBytes = std::size_t(1) << 30; //!< of different texts
constexpr std::size_t kTextCost = 150;                       //!< bytes beside a text to keep it and to find it
constexpr std::size_t kMostOperations = 100;
constexpr const char* kOtherKinds = "other";

TransactionMark markOf(std::string_view digest)
{
    const auto begins = [digest](std::string_view words) {
        return digest.starts_with(words) && (digest.size() == words.size() || digest[words.size()] == ' ');
    };
    if (begins("begin") || begins("start transaction") || begins("xa start") || begins("xa begin"))
        return TransactionMark::Begins;
    if (begins("rollback to") || begins("rollback work to") || begins("rollback transaction to"))
        return TransactionMark::None;
    if (begins("commit") || begins("rollback") || begins("end") || begins("abort") || begins("xa commit") ||
        begins("xa rollback"))
        return TransactionMark::Ends;
    return begins("set") && digest.find("autocommit") != std::string_view::npos ? TransactionMark::Manual
                                                                                : TransactionMark::None;
}

tl::unexpected<Error> stoppedReading(const ReplayWish& wish)
{
    return fail({ErrorKind::Interrupted, "reading the log was stopped", wish.file, {}});
}

const char* namedLanguage(DataModel model)
{
    return model == DataModel::Document ? "commands on documents" : "SQL";
}

//! Part by part, as all of it may be as large as all texts.
std::string sumOf(const Replay& replay)
{
    constexpr std::size_t kPart = std::size_t(1) << 20;
    std::string sum, part;
    const auto close = [&] {
        sum = sha256Of(sum + part);
        part.clear();
    };
    for (const ReplayEntry& entry : replay.entries) {
        fmt::format_to(std::back_inserter(part), "{} {} {}\n", entry.atUs, entry.session, entry.text);
        if (part.size() > kPart)
            close();
    }
    for (const ReplayText& text : replay.texts) {
        part.append(text.text).push_back('\0');
        if (part.size() > kPart)
            close();
    }
    close();
    return sum;
}

class ReplayReader final : public LogSink
{
public:
    ReplayReader(const ReplayWish& wish, const StatementLanguage& language, LogLines& lines)
        : m_wish(wish)
        , m_language(language)
        , m_lines(lines)
    {
    }

    void statement(const RecordedStatement& one) override
    {
        if (!m_wish.database.empty() && one.database != m_wish.database)
            return skipped("statements of other databases", m_lines.number());
        if (!m_wish.account.empty() && one.account != m_wish.account)
            return skipped("statements of other accounts", m_lines.number());
        m_toTheSecond = m_toTheSecond || one.toTheSecond;
        const auto known = m_byText.find(one.text);
        const std::optional<std::uint32_t> text = known == m_byText.end() ? newText(one.text) : known->second;
        if (!text)
            return;
        ++m_kinds[m_kindOfText[*text]].entries;
        const auto session = m_sessions.try_emplace(one.session, std::uint32_t(m_sessions.size())).first->second;
        const auto rows = std::min<std::int64_t>(one.rows.value_or(-1), std::numeric_limits<std::int32_t>::max());
        using Ending = ReplayEntry::Ending;
        const Ending ending = !one.failed ? Ending::Unknown : *one.failed ? Ending::Failed : Ending::Ok;
        m_replay.entries.push_back({one.start.count(), *text, session, std::int32_t(rows), ending});
        if (m_replay.entries.size() > kMostEntries || m_textBytes > kMostTextBytes)
            m_lines.stop();
    }
    void skipped(std::string_view why, std::int64_t line) override
    {
        const auto found = std::ranges::find(m_replay.skipped, why, &SkippedEntries::why);
        if (found != m_replay.skipped.end())
            ++found->entries;
        else
            m_replay.skipped.push_back({std::string(why), 1, line});
    }

    Expected<Replay> take()
    {
        if (m_lines.interrupted())
            return stoppedReading(m_wish);
        if (m_replay.entries.size() > kMostEntries || m_textBytes > kMostTextBytes)
            return fail({ErrorKind::BadInput,
                         fmt::format("the log holds more than can be kept in memory: {} statements, or {} MiB of "
                                     "different ones",
                                     kMostEntries, kMostTextBytes >> 20),
                         m_wish.file, "cut off a part of it, or set workload.database or workload.account"});
        if (m_replay.entries.empty())
            return fail({ErrorKind::BadInput, "the log holds no statement to run", m_wish.file,
                         m_replay.skipped.empty() ? "name another log"
                                                  : fmt::format("skipped: {}", m_replay.skipped.front().why)});
        nameOperations();
        std::ranges::stable_sort(m_replay.entries, {}, &ReplayEntry::atUs); // a slow log is in the order of ends
        if (m_toTheSecond)
            spread();
        const std::int64_t first = m_replay.entries.front().atUs;
        m_replay.sessions.resize(m_sessions.size());
        for (std::size_t i = 0; i < m_replay.entries.size(); ++i) {
            m_replay.entries[i].atUs -= first;
            m_replay.sessions[m_replay.entries[i].session].push_back(std::uint32_t(i));
        }
        m_replay.sha256 = sumOf(m_replay);
        return std::move(m_replay);
    }

private:
    struct Kind
    {
        std::string digest;
        OpClass opClass = OpClass::Other;
        std::int64_t entries = 0;
    };

    //! None: it is skipped.
    std::optional<std::uint32_t> newText(const std::string& text)
    {
        std::string digest = m_language.digest(text);
        const OpClass opClass = m_language.opClass(digest);
        const bool reads = m_language.onlyReads(text);
        const char* why = digest.empty()                                  ? "comments only"
                          : !m_wish.sessions && opClass == OpClass::Other ? "begins and ends of transactions, settings"
                          : !m_wish.writes && !reads                      ? "statements that may do more than read"
                                                                          : nullptr;
        if (why) {
            skipped(why, m_lines.number());
            return {};
        }
        const RequestKind request = m_language.step(digest);
        const TransactionMark mark = markOf(digest);
        digest.resize(std::min(digest.size(), kMostDigest));
        if (m_kinds.size() >= kMostKinds && !m_byDigest.contains(digest))
            digest = kOtherKinds;
        const auto [kind, isNew] = m_byDigest.try_emplace(digest, std::uint32_t(m_kinds.size()));
        if (isNew)
            m_kinds.push_back({std::move(digest), opClass, 0});
        m_kindOfText.push_back(kind->second);
        m_replay.texts.push_back({text, request, OpId(), mark});
        m_textBytes += text.size() + kTextCost;
        const auto number = std::uint32_t(m_replay.texts.size() - 1);
        m_byText.emplace(m_replay.texts.back().text, number);
        return number;
    }

    //! Where the log has times to the second, its statements come evenly over each second instead of all at once.
    void spread()
    {
        constexpr std::int64_t kSecondUs = 1'000'000;
        std::vector<ReplayEntry>& entries = m_replay.entries;
        for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
            while (end < entries.size() && entries[end].atUs == entries[begin].atUs)
                ++end;
            const std::int64_t second = entries[begin].atUs;
            for (std::size_t i = begin; i < end; ++i)
                entries[i].atUs = second + kSecondUs * std::int64_t(i - begin) / std::int64_t(end - begin);
        }
    }

    //! The kinds that come most often are operations of their own.
    void nameOperations()
    {
        std::vector<std::uint32_t> order(m_kinds.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::greater(), [this](std::uint32_t kind) { return m_kinds[kind].entries; });
        std::vector<OpId> ops(m_kinds.size());
        std::set<std::string> taken{kOtherKinds};
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Kind& kind = m_kinds[order[i]];
            const bool own = order.size() <= kMostOperations || i + 1 < kMostOperations;
            if (own) {
                const std::string name = m_language.name(kind.digest);
                std::string unique = name;
                for (int more = 2; !taken.insert(unique).second; ++more)
                    unique = fmt::format("{}_{}", name, more);
                m_replay.operations.push_back({std::move(unique), kind.opClass});
            } else if (m_replay.operations.size() < kMostOperations) {
                m_replay.operations.push_back({kOtherKinds, m_wish.writes ? OpClass::Write : OpClass::Read});
            }
            ops[order[i]] = OpId(std::uint16_t(m_replay.operations.size() - 1));
        }
        for (std::size_t i = 0; i < m_replay.texts.size(); ++i)
            m_replay.texts[i].op = ops[m_kindOfText[i]];
        m_replay.kinds = m_kinds.size();
    }

    const ReplayWish& m_wish;
    const StatementLanguage& m_language;
    LogLines& m_lines;
    Replay m_replay;
    std::unordered_map<std::string_view, std::uint32_t>
        m_byText; //!< views of m_replay.texts, which stay where they are
    std::unordered_map<std::string, std::uint32_t> m_sessions, m_byDigest;
    std::vector<std::uint32_t> m_kindOfText;
    std::vector<Kind> m_kinds;
    std::size_t m_textBytes = 0;
    bool m_toTheSecond = false;
};

} // namespace

Expected<Replay> readReplay(const ReplayWish& wish, const std::function<bool()>& goOn)
{
    const auto format = logFormatOf(wish.file, wish.format, "workload.format", goOn);
    if (!goOn())
        return stoppedReading(wish);
    if (!format)
        return tl::unexpected(format.error());
    const StatementLanguage& language = (*format)->language;
    if (language.model != wish.model)
        return fail({ErrorKind::BadInput,
                     fmt::format("the log holds {}, and the target takes {}", namedLanguage(language.model),
                                 namedLanguage(wish.model)),
                     wish.file, "name a log of such a server"});
    LogLines lines(wish.file, goOn);
    ReplayReader reader(wish, language, lines);
    (*format)->read(lines, reader);
    auto replay = reader.take();
    if (replay)
        replay->format = (*format)->id;
    return replay;
}

} // namespace dyno::recorded
