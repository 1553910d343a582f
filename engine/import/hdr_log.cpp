// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Interval logs of HdrHistogram (HistogramLogWriter, formats 1.0 to 1.3; hdr_interval_recorder): lines of start,
//! length, largest value and a histogram, V2 encoded, compressed, in base64. Tags become operations.
#include "base/packing.h"
#include "import/format.h"
#include "import/text.h"
#include "import/ycsb.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace dyno::import {

namespace {

constexpr std::size_t kMostPlain = 8u << 20; //!< a histogram of 5 digits over 60 bits has less

//! Big-endian numbers from the front.
template<class T>
bool take(std::string_view& bytes, T& value)
{
    if (bytes.size() < sizeof(T))
        return false;
    value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>((value << 8) | static_cast<unsigned char>(bytes[i]));
    bytes.remove_prefix(sizeof(T));
    return true;
}

//! ZigZag LEB128 of at most 9 bytes, whose ninth has 8 bits.
bool takeCount(std::string_view& bytes, std::int64_t& value)
{
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 9 && i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        bits |= std::uint64_t(i == 8 ? byte : byte & 0x7fu) << (7 * i);
        if (i == 8 || (byte & 0x80u) == 0) {
            bytes.remove_prefix(i + 1);
            value = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
            return true;
        }
    }
    return false;
}

//! The values in nanoseconds, each `unitNs` of them; nothing when it is damaged or of another encoding.
std::optional<Histogram> decode(std::string_view base64, double unitNs)
{
    constexpr std::uint32_t kCookie = 0x1c849303, kCompressed = 0x1c849304, kWordSize = 0xf0;
    const std::string outer = fromBase64(base64).value_or(std::string());
    std::string_view bytes = outer;
    std::uint32_t cookie = 0, length = 0;
    if (!take(bytes, cookie) || (cookie & ~kWordSize) != kCompressed || !take(bytes, length) || length > bytes.size())
        return std::nullopt;
    const std::string plain = inflated(bytes.substr(0, length), kMostPlain).value_or(std::string());
    bytes = plain;
    std::uint32_t payload = 0, offset = 0, digits = 0;
    std::uint64_t lowest = 0, highest = 0, ratio = 0;
    if (!take(bytes, cookie) || (cookie & ~kWordSize) != kCookie || !take(bytes, payload) || !take(bytes, offset) ||
        !take(bytes, digits) || !take(bytes, lowest) || !take(bytes, highest) || !take(bytes, ratio) || digits > 5 ||
        lowest == 0 || payload > bytes.size() || offset != 0)
        return std::nullopt;
    bytes = bytes.substr(0, payload);
    std::uint64_t single = 2;
    for (std::uint32_t i = 0; i < digits; ++i)
        single *= 10;
    const unsigned halfMagnitude = std::max(1u, static_cast<unsigned>(std::bit_width(single - 1))) - 1;
    const unsigned unitMagnitude = static_cast<unsigned>(std::bit_width(lowest)) - 1;
    const std::uint64_t half = std::uint64_t(1) << halfMagnitude;

    Histogram values;
    std::uint64_t index = 0;
    while (!bytes.empty()) {
        std::int64_t count = 0;
        if (!takeCount(bytes, count))
            return std::nullopt;
        if (count < 0) { // that many empty buckets
            index += std::uint64_t(0) - static_cast<std::uint64_t>(count);
            if (index > kMostPlain)
                return std::nullopt;
            continue;
        }
        const std::uint64_t octave = index >> halfMagnitude;
        const unsigned shift = static_cast<unsigned>(octave > 0 ? octave - 1 : 0) + unitMagnitude;
        const std::uint64_t sub = (index & (half - 1)) + (octave > 0 ? half : 0);
        ++index;
        if (count == 0)
            continue;
        if (shift > 52 || count > (std::int64_t(1) << 50))
            return std::nullopt;
        const double middle = double(sub << shift) + double((std::uint64_t(1) << shift) >> 1);
        values.record(static_cast<std::uint64_t>(std::min(middle * unitNs, 9e18)), static_cast<std::uint64_t>(count));
    }
    return values;
}

class HdrParser final : public Parser
{
public:
    explicit HdrParser(Collector& collector)
        : m_collector(collector)
    {
        const auto unit = collector.options().map.find("latency_unit");
        if (unit != collector.options().map.end()) {
            m_unitGiven = true;
            m_unitNs = unit->second == "us" ? 1e3 : unit->second == "ms" ? 1e6 : unit->second == "s" ? 1e9 : 1;
        }
        const auto clock = collector.options().map.find("clock");
        if (clock != collector.options().map.end())
            m_clock = clock->second == "response" ? Clock::Response : Clock::Service;
        m_clockGiven = m_clock != Clock::NotTold;
    }

    bool line(std::string_view text, std::int64_t) override
    {
        text = trimmed(text);
        if (text.empty() || text.starts_with("\"StartTimestamp\""))
            return true;
        if (text.front() == '#')
            return comment(text);
        std::string_view tag;
        Scan scan(text);
        if (scan.text("Tag=") && !scan.until(",", tag))
            return false;
        double start = 0, length = 0, longest = 0;
        if (!scan.number(start) || !scan.text(",") || !scan.number(length) || !scan.text(",") ||
            !scan.number(longest) || !scan.text(",") || tag.size() > 64)
            return false;
        const auto values = decode(trimmed(scan.rest()), m_unitNs);
        if (!values || start > 1e11 || length > 1e9)
            return false;
        store(tag, start, length, *values);
        return true;
    }

    void end() override
    {
        if (!m_collector.hasRun())
            return;
        if (!m_unitGiven)
            m_collector.note("the log does not tell the unit of its values: they were taken for nanoseconds; "
                             "say --map latency_unit=us if they are not");
        if (m_clock == Clock::NotTold)
            m_collector.note(
                "the log does not tell what it measured: shown as service time; say --map clock=response if "
                "it is from the intended start");
    }

private:
    bool comment(std::string_view text)
    {
        double at = 0;
        if (const std::size_t begin = text.find("StartTime: "); begin != std::string_view::npos) {
            m_run = nullptr; // the head of another log in the same file
            if (Scan(text.substr(begin + 11)).number(at) && at < 1e11)
                m_startedMs = std::llround(at * 1000);
        } else if (const std::size_t logging = text.find("Logging for: "); logging != std::string_view::npos) {
            // YCSB writes such a file for each operation, in microseconds.
            std::string_view name = text.substr(logging + 13);
            name = trimmed(name.substr(0, name.find(']')));
            m_operation = shown(name, 64);
            if (!m_unitGiven)
                m_unitNs = 1e3;
            m_unitGiven = true;
            const bool intended = name.starts_with(kIntended);
            say(intended ? Clock::Response : Clock::Service);
            if (!intended && !m_clockGiven)
                m_collector.note("of YCSB's logs, those not called \"Intended-…\" were taken for service times; with "
                                 "measurement.interval=intended they are not: say --map clock=response then");
            m_collector.origin.tool = "YCSB";
            m_collector.origin.sample = "call";
        } else if (const std::size_t values = text.find("[Values are "); values != std::string_view::npos) {
            // "#[Values are response times (from the intended start) in nanoseconds, …]", as our own export has it
            const std::string_view what = text.substr(values + 12);
            if (what.starts_with("response times") || what.starts_with("service times"))
                say(what.starts_with("response") ? Clock::Response : Clock::Service);
            if (what.find(" in nanoseconds") != std::string_view::npos && !m_unitGiven) {
                m_unitGiven = true;
                m_unitNs = 1;
            }
        }
        return true;
    }

    //! What the file says of its values; what a person says counts more.
    void say(Clock clock)
    {
        if (!m_clockGiven)
            m_clock = clock;
    }

    void store(std::string_view tag, double start, double length, const Histogram& values)
    {
        const bool goesOn = m_run && !m_run->empty() && start + 1e-6 < m_at;
        if (!m_run || goesOn) { // back in time: another log follows in the same file
            m_run = &m_collector.begin();
            m_run->clock = m_clock == Clock::NotTold ? Clock::Service : m_clock;
            m_run->startedMs = m_startedMs;
            if (!m_operation.empty())
                m_run->workload = m_operation;
            m_zero = start > 1e8 ? start : 0; // seconds since 1970, or since the log's beginning
            if (m_zero > 0 && m_run->startedMs == 0)
                m_run->startedMs = std::llround(start * 1000);
        }
        const bool same = !m_run->empty() && std::abs(start - m_at) < 1e-3 && !tag.empty() && tag != m_tag;
        if (!same)
            m_run->add(
                {.start = start - m_zero, .seconds = length, .transactions = tag.empty() ? double(values.count()) : 0});
        m_at = start;
        m_tag = tag;
        if (tag.empty()) {
            m_run->histogram({}, OpClass::Other, values);
        } else {
            m_run->operation(tag, ycsbClass(tag), double(values.count()));
            m_run->histogram(tag, ycsbClass(tag), values);
        }
        m_collector.bound(*m_run);
    }

    Collector& m_collector;
    Run* m_run = nullptr;
    std::string m_operation, m_tag;
    std::int64_t m_startedMs = 0;
    double m_unitNs = 1, m_at = 0, m_zero = 0;
    Clock m_clock = Clock::NotTold;
    bool m_unitGiven = false, m_clockGiven = false;
};

} // namespace

Format hdrLog()
{
    return {.info = {"hdr", "HdrHistogram log",
                     "An interval log of HdrHistogram (.hlog, .hdr), also with tags; unit and kind of "
                     "latency by --map latency_unit=…, clock=…"},
            .recognise =
                [](const Head& head) {
                    std::string reason =
                        firstLine(head, "an interval of HdrHistogram (HISTFAAA…)", [](std::string_view line) {
                            return line.find(",HISTFAAA") != std::string_view::npos;
                        });
                    if (!reason.empty())
                        return reason;
                    return firstLine(head, "the banner of an HdrHistogram log", [](std::string_view line) {
                        return line.starts_with("#[Histogram log format version");
                    });
                },
            .lines = [](Collector& collector) -> std::unique_ptr<Parser> {
                collector.origin.tool = "HdrHistogram";
                collector.origin.precision = "as recorded, kept in buckets of 1.6 %";
                collector.origin.warmup = "not told";
                return std::make_unique<HdrParser>(collector);
            }};
}

} // namespace dyno::import
