// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of HdrHistogram, format 1.3 with histograms of encoding V2 (HdrHistogram, AbstractHistogram.encodeIntoByteBuffer
// and HistogramLogWriter): big-endian header, counts as ZigZag LEB128 in which a negative number is a run of zeros, all
// of it deflated and in Base64.
#include <dyno/export.h>

#include "base/packing.h"
#include "report/export/file_set.h"
#include "report/format.h"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <iterator>

namespace dyno {

namespace {

constexpr int kDigits = 2;             // of a value: below 1 %
constexpr int kLevel = 6;              // of deflate
constexpr unsigned kHalfMagnitude = 7; // 256 sub-buckets hold 2 · 10^2 single values
constexpr std::uint32_t kCookie = 0x1c849303 | 0x10;
constexpr std::uint32_t kCompressedCookie = 0x1c849304 | 0x10;

//! Index into HdrHistogram's counts for these settings and a lowest value of 1.
std::size_t countsIndex(std::uint64_t value)
{
    constexpr std::uint64_t kMask = (std::uint64_t(2) << kHalfMagnitude) - 1;
    const auto bucket =
        static_cast<unsigned>(64 - kHalfMagnitude - 1) - static_cast<unsigned>(std::countl_zero(value | kMask));
    const std::uint64_t sub = value >> bucket;
    return (std::size_t(bucket + 1) << kHalfMagnitude) + static_cast<std::size_t>(sub) -
           (std::size_t(1) << kHalfMagnitude);
}

template<class T>
void putBig(std::string& out, T value)
{
    for (int shift = int(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8)
        out += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

//! ZigZag, then LEB128 in at most nine bytes.
void putZigZag(std::string& out, std::int64_t number)
{
    auto value = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
    for (int i = 0; i < 8 && value >= 0x80; ++i) {
        out += static_cast<char>(static_cast<unsigned char>(value & 0x7fu) | 0x80u);
        value >>= 7;
    }
    out += static_cast<char>(static_cast<unsigned char>(value));
}

std::string encoded(const Histogram& histogram)
{
    std::vector<std::uint64_t> counts(countsIndex(hdr::kMaxValue) + 1);
    std::size_t used = 0;
    const auto add = [&](std::uint64_t ns, std::uint64_t count) {
        const std::size_t index = countsIndex(std::min(ns, hdr::kMaxValue));
        counts[index] += count;
        used = std::max(used, index + 1);
    };
    const auto& buckets = histogram.buckets();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const bool last = i + 1 == buckets.size();
        const std::uint64_t middle = std::min(hdr::middleOf(buckets[i].index), histogram.maxNs());
        add(middle, buckets[i].count - (last ? 1 : 0));
        if (last)
            add(histogram.maxNs(), 1);
    }
    std::string payload;
    for (std::size_t i = 0; i < used;) {
        std::size_t zeros = 0;
        while (i + zeros < used && counts[i + zeros] == 0)
            ++zeros;
        if (zeros == 0)
            putZigZag(payload, static_cast<std::int64_t>(counts[i++]));
        else
            putZigZag(payload, zeros > 1 ? -static_cast<std::int64_t>(zeros) : 0);
        i += zeros;
    }
    std::string plain;
    putBig(plain, kCookie);
    putBig(plain, static_cast<std::uint32_t>(payload.size()));
    putBig(plain, std::uint32_t(0)); // no offset of the indexes
    putBig(plain, std::uint32_t(kDigits));
    putBig(plain, std::uint64_t(1));
    putBig(plain, hdr::kMaxValue);
    putBig(plain, std::bit_cast<std::uint64_t>(1.0)); // integer to double
    plain += payload;
    const std::string packed = deflated(plain, kLevel);
    std::string result;
    putBig(result, kCompressedCookie);
    putBig(result, static_cast<std::uint32_t>(packed.size()));
    return result + packed;
}

std::string secondsText(std::int64_t ns)
{
    return report::plain(static_cast<double>(ns) * 1e-9, 3);
}

//! A tag must not hold what separates fields.
std::string tagOf(std::string_view name)
{
    std::string tag(name);
    for (char& c : tag) {
        if (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t')
            c = '_';
    }
    return tag;
}

std::string oneLine(std::string text)
{
    for (char& c : text) {
        if (c == '\n' || c == '\r' || c == ']')
            c = ' ';
    }
    return text;
}

const Histogram& chosen(const OpInterval& values, LatencyKind kind)
{
    return kind == LatencyKind::Service ? values.service : values.responseOrService();
}

//! Operations have response times of their own where calls came back late; in intervals without such they are the
//! service times.
bool operationsRespond(const std::vector<IntervalSample>& intervals)
{
    return std::ranges::any_of(intervals, [](const IntervalSample& sample) {
        return std::ranges::any_of(sample.ops, [](const OpInterval& op) { return !op.response.empty(); });
    });
}

} // namespace

std::string hdrLog(const StoredSession& session, const StoredRun& run, const std::vector<IntervalSample>& intervals,
                   LatencyKind kind)
{
    const auto index = static_cast<std::size_t>(run.header.point);
    const auto& points = session.header.points;
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "#[Written by {}]\n", oneLine(session.header.software));
    fmt::format_to(out, "#[Session {}, run {}, {}, repeat {}]\n", session.info.id, run.header.index + 1,
                   oneLine(index < points.size() ? points[index].label() : std::string()), run.header.repeat);
    fmt::format_to(out,
                   "#[Values are {} in nanoseconds, without the warm-up; lines without a tag are whole transactions]\n",
                   kind == LatencyKind::Service ? "service times (from the actual start)"
                                                : "response times (from the intended start)");
    text += "#[Histogram log format version 1.3]\n";
    const std::string start = report::plain(static_cast<double>(session.info.startedMs) * 1e-3, 3);
    fmt::format_to(out, "#[StartTime: {} (seconds since epoch), {} UTC, of the session]\n", start,
                   report::timeUtc(session.info.startedMs));
    fmt::format_to(out, "#[BaseTime: {} (seconds since epoch)]\n", start);
    text += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
    const auto line = [&](const IntervalSample& sample, const std::string& tag, const Histogram& histogram) {
        if (histogram.empty())
            return;
        fmt::format_to(out, "{}{},{},{},{}\n", tag, secondsText(sample.tNs), secondsText(sample.lengthNs),
                       report::plain(static_cast<double>(histogram.maxNs()) * 1e-6, 6), base64(encoded(histogram)));
    };
    const bool withOperations = kind == LatencyKind::Service || operationsRespond(intervals);
    for (const IntervalSample& sample : intervals) {
        if (sample.phase != Phase::Measure)
            continue;
        line(sample, {}, chosen(sample.transaction, kind));
        if (!withOperations)
            continue;
        for (std::size_t i = 0; i < std::min(sample.ops.size(), run.header.operations.size()); ++i)
            line(sample, fmt::format("Tag={},", tagOf(run.header.operations[i].name)), chosen(sample.ops[i], kind));
    }
    return text;
}

Expected<std::vector<std::filesystem::path>> exportHdr(Library& library, const StoredSession& session,
                                                       const std::filesystem::path& dir)
{
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) {
        return fail({ErrorKind::Storage, fmt::format("the folder cannot be made ({})", error.message()), dir.string(),
                     "choose another folder"});
    }
    FileSet files;
    for (const StoredRun& run : session.runs) {
        const auto intervals = library.intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        bool separate = operationsRespond(*intervals);
        bool histograms = false; // a run that another tool measured may have none
        for (const IntervalSample& sample : *intervals) {
            separate = separate || !sample.transaction.response.empty();
            histograms = histograms || !sample.transaction.service.empty();
        }
        for (const auto& [kind, wanted, name] : {std::tuple(LatencyKind::Service, histograms, "service"),
                                                 std::tuple(LatencyKind::Response, separate, "response")}) {
            if (!wanted)
                continue;
            const auto file = dir / fmt::format("run-{}-{}.hlog", run.header.index + 1, name);
            if (auto written = files.add(file, hdrLog(session, run, *intervals, kind)); !written)
                return fail(std::move(written.error()));
        }
    }
    return files.finish();
}

} // namespace dyno
