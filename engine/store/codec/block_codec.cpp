// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/codec/block_codec.h"

#include "store/codec/range_coder.h"

#include <dyno/run_fields.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <zlib.h>

namespace dyno::block {

namespace {

constexpr int kVersion = 1;
constexpr int kLibrary = 7;      //!< whose intervals version 1 is of; each later version is of the next library's
constexpr std::size_t kHead = 5; //!< the version and the check sum

//! Of blocks with all that intervals hold today.
int newestVersion()
{
    return kVersion + std::max(0, intervalFields().back()->interval.since - kLibrary);
}

std::uint32_t sumOf(std::string_view bytes)
{
    return std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())));
}

//! Both directions are written down once: a place is coded from or into the same value.
struct Out
{
    static constexpr bool kReading = false;
    rc::Encoder coder;
    int version = kVersion;
    void number(rc::Numbers& kind, std::uint64_t& value) { kind.write(coder, value); }
    void flag(rc::Chance& chance, bool& value) { coder.bit(chance, value); }
    void plain(std::uint64_t& value, unsigned bits) { coder.plain(value, bits); }
    [[nodiscard]] static bool damaged() { return false; }
    [[nodiscard]] std::string bytes()
    {
        const std::string packed = coder.finish();
        std::string all(1, static_cast<char>(version));
        for (std::uint32_t sum = sumOf(packed), i = 0; i < 4; ++i, sum >>= 8)
            all += static_cast<char>(sum & 0xff);
        return all + packed;
    }
};

struct In
{
    static constexpr bool kReading = true;
    explicit In(std::string_view bytes)
        : coder(bytes.substr(std::min(bytes.size(), kHead)))
        , version(bytes.empty() ? 0 : bytes.front())
    {
    }
    rc::Decoder coder;
    int version;
    void number(rc::Numbers& kind, std::uint64_t& value) { value = kind.read(coder); }
    void flag(rc::Chance& chance, bool& value) { value = coder.bit(chance); }
    void plain(std::uint64_t& value, unsigned bits) { value = coder.plain(bits); }
    [[nodiscard]] bool damaged() const { return coder.damaged(); }
    [[nodiscard]] static bool isWhole(std::string_view bytes)
    {
        if (bytes.size() < kHead || bytes.front() < kVersion || bytes.front() > newestVersion())
            return false;
        std::uint32_t sum = 0;
        for (std::size_t i = 4; i >= 1; --i)
            sum = sum << 8 | static_cast<unsigned char>(bytes[i]);
        return sum == sumOf(bytes.substr(kHead));
    }
};

template<class Coder>
void flagOnce(Coder& coder, bool& value)
{
    rc::Chance even;
    coder.flag(even, value);
}

//! A number near those before it, against their moving mean.
class Near
{
public:
    template<class Coder>
    void code(Coder& coder, std::uint64_t& value)
    {
        const std::uint64_t mean = static_cast<std::uint64_t>(m_mean16 / 16);
        std::uint64_t off = rc::folded(value - mean);
        coder.number(m_off, off);
        if constexpr (Coder::kReading)
            value = mean + rc::unfolded(off);
        const auto bounded = static_cast<std::int64_t>(std::min<std::uint64_t>(value, hdr::kBuckets));
        m_mean16 += (bounded * 16 - m_mean16) / (m_any ? 8 : 1);
        m_any = true;
    }

private:
    rc::Numbers m_off;
    std::int64_t m_mean16 = 0;
    bool m_any = false;
};

//! Whole numbers of any sign, as the sums of how they are written tell best: from the least one, or from one to the
//! next.
bool stepsAreShorter(const std::vector<std::uint64_t>& values, std::uint64_t least)
{
    std::size_t steps = 0, offsets = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        steps += std::size_t(std::bit_width(rc::folded(values[i] - values[i - 1])));
        offsets += std::size_t(std::bit_width(values[i] - least));
    }
    return steps < offsets;
}

template<class Coder>
void codeWhole(Coder& coder, std::vector<std::uint64_t>& values)
{
    if (values.empty())
        return;
    bool constant = true, steps = false;
    std::uint64_t base = values.front();
    if constexpr (!Coder::kReading) {
        constant = std::ranges::all_of(values, [base](std::uint64_t value) { return value == base; });
        const auto signedLess = [](std::uint64_t a, std::uint64_t b) { return std::int64_t(a) < std::int64_t(b); };
        const std::uint64_t least = *std::ranges::min_element(values, signedLess);
        steps = !constant && stepsAreShorter(values, least);
        base = steps || constant ? base : least;
    }
    flagOnce(coder, constant);
    coder.plain(base, 64);
    if (constant) {
        std::ranges::fill(values, base);
        return;
    }
    flagOnce(coder, steps);
    // Bits that are never set.
    std::uint64_t low = 0;
    if constexpr (!Coder::kReading) {
        for (const std::uint64_t value : values)
            low |= value - base;
        low = std::uint64_t(std::countr_zero(low));
    }
    coder.plain(low, 6);
    rc::Numbers kind;
    for (std::uint64_t& value : values) {
        std::uint64_t off = std::uint64_t(std::int64_t(value - base) >> low);
        off = steps ? rc::folded(off) : off & (~std::uint64_t(0) >> low);
        coder.number(kind, off);
        value = base + ((steps ? rc::unfolded(off) : off) << low);
        base = steps ? value : base;
        if (coder.damaged())
            return;
    }
}

// --- real numbers ---------------------------------------------------------------------------------------------------

enum class Form : std::uint64_t { Whole, Single, Billionths, Double };
constexpr double kMostWhole = 9007199254740992; // 2^53

double realOf(Form form, std::uint64_t code)
{
    switch (form) {
    case Form::Whole:
        return double(std::int64_t(code));
    case Form::Billionths:
        return double(std::int64_t(code)) * 1e-9;
    case Form::Single: {
        const auto ordered = std::uint32_t(code);
        return double(std::bit_cast<float>((ordered & 0x80000000u) != 0 ? ordered & 0x7fffffffu : ~ordered));
    }
    case Form::Double:
        break;
    }
    constexpr std::uint64_t kSign = std::uint64_t(1) << 63;
    return std::bit_cast<double>((code & kSign) != 0 ? code & ~kSign : ~code);
}

//! In an order that follows the values'.
std::uint64_t codeOf(Form form, double value)
{
    switch (form) {
    case Form::Whole:
    case Form::Billionths: {
        const double scaled = std::round(form == Form::Whole ? value : value * 1e9);
        return std::uint64_t(std::int64_t(std::abs(scaled) <= kMostWhole ? scaled : 0));
    }
    case Form::Single: {
        const float single =
            std::abs(value) <= double(std::numeric_limits<float>::max()) || std::isinf(value) ? float(value) : 0;
        const auto bits = std::bit_cast<std::uint32_t>(single);
        return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    }
    case Form::Double:
        break;
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits >> 63 != 0 ? ~bits : bits | std::uint64_t(1) << 63;
}

bool keeps(Form form, double value)
{
    return std::bit_cast<std::uint64_t>(realOf(form, codeOf(form, value))) == std::bit_cast<std::uint64_t>(value);
}

template<class Coder>
void codeReal(Coder& coder, std::vector<double>& values)
{
    bool gaps = false;
    auto form = std::uint64_t(Form::Whole);
    if constexpr (!Coder::kReading) {
        const auto kept = [&form](double value) { return std::isnan(value) || keeps(Form(form), value); };
        while (Form(form) != Form::Double && !std::ranges::all_of(values, kept))
            ++form;
        gaps = std::ranges::any_of(values, [](double value) { return std::isnan(value); });
    }
    coder.plain(form, 2);
    flagOnce(coder, gaps);
    std::vector<bool> known(values.size(), true);
    std::size_t some = 0;
    rc::Chance chance;
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool one = !std::isnan(values[i]);
        if (gaps) {
            coder.flag(chance, one);
            known[i] = one;
        }
        some += known[i] ? 1 : 0;
    }
    std::vector<std::uint64_t> codes;
    codes.reserve(some);
    for (std::size_t i = 0; i < values.size() && !Coder::kReading; ++i) {
        if (known[i])
            codes.push_back(codeOf(Form(form), values[i]));
    }
    codes.resize(some);
    codeWhole(coder, codes);
    if constexpr (Coder::kReading) {
        auto code = codes.begin();
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = known[i] ? realOf(Form(form), *code++) : std::numeric_limits<double>::quiet_NaN();
    }
}

// --- intervals ------------------------------------------------------------------------------------------------------

//! `field(sample)`: a reference to a whole number of each.
template<class Coder, class Samples, class Field>
void codeField(Coder& coder, Samples samples, Field field)
{
    using Value = std::remove_cvref_t<decltype(field(samples[0]))>;
    if constexpr (std::is_same_v<Value, double>) {
        std::vector<double> values(samples.size());
        for (std::size_t i = 0; i < values.size() && !Coder::kReading; ++i)
            values[i] = field(samples[i]);
        codeReal(coder, values);
        if constexpr (Coder::kReading) {
            for (std::size_t i = 0; i < values.size(); ++i)
                field(samples[i]) = values[i];
        }
    } else {
        std::vector<std::uint64_t> values(samples.size());
        for (std::size_t i = 0; i < values.size() && !Coder::kReading; ++i)
            values[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(field(samples[i])));
        codeWhole(coder, values);
        if constexpr (Coder::kReading) {
            for (std::size_t i = 0; i < values.size(); ++i)
                field(samples[i]) = static_cast<Value>(values[i]);
        }
    }
}

template<class Coder, class Samples>
void codeErrors(Coder& coder, Samples samples)
{
    constexpr std::uint64_t kMostCodes = 4096;
    rc::Numbers sizes, codes, counts;
    for (auto& sample : samples) {
        std::uint64_t size = std::min<std::uint64_t>(sample.errors.size(), kMostCodes);
        coder.number(sizes, size);
        auto known = sample.errors.begin();
        for (std::uint64_t i = 0; i < size && size <= kMostCodes && !coder.damaged(); ++i) {
            std::uint64_t code = 0, count = 0;
            if constexpr (!Coder::kReading) {
                code = rc::folded(std::uint64_t(std::int64_t(known->first)));
                count = known->second;
                ++known;
            }
            coder.number(codes, code);
            coder.number(counts, count);
            if constexpr (Coder::kReading)
                sample.errors[std::int32_t(rc::unfolded(code))] = count;
        }
    }
}

//! Intervals follow each other: what is coded is the gap between them.
template<class Coder, class Samples>
void codeStarts(Coder& coder, Samples samples)
{
    rc::Numbers gaps;
    std::uint64_t end = 0;
    for (auto& sample : samples) {
        std::uint64_t gap = rc::folded(std::uint64_t(sample.tNs) - end);
        coder.number(gaps, gap);
        if constexpr (Coder::kReading)
            sample.tNs = std::int64_t(end + rc::unfolded(gap));
        end = std::uint64_t(sample.tNs) + std::uint64_t(sample.lengthNs);
    }
}

template<class Coder, class Samples>
void codeOne(Coder& coder, Samples samples, const IntervalField& field)
{
    std::visit(
        [&](auto member) {
            if constexpr (!std::is_same_v<decltype(member), std::monostate>)
                codeField(coder, samples, [member](auto& sample) -> auto& {
                    if constexpr (requires { sample.*member; })
                        return sample.*member;
                    else
                        return sample.client.*member;
                });
        },
        field.member);
}

//! What came later than the layout is coded behind it. `few`: what IntervalColumns hold.
template<class Coder, class Samples>
void codeTimes(Coder& coder, Samples samples, bool few)
{
    codeField(coder, samples, [](auto& s) -> auto& { return s.lengthNs; });
    codeStarts(coder, samples);
    codeField(coder, samples, [](auto& s) -> auto& { return s.phase; });
    codeField(coder, samples, [](auto& s) -> auto& { return s.rows; });
    if (few)
        return;
    for (const bool ofClient : {false, true}) {
        for (const RunField* field : intervalFields()) {
            const IntervalField& one = field->interval;
            if (one.since <= kLibrary && one.ofClient() == ofClient && field->count != &RunSummary::rows)
                codeOne(coder, samples, one);
        }
    }
    codeErrors(coder, samples);
    for (const RunField* field : intervalFields()) {
        const int since = field->interval.since;
        if (since > kLibrary && since <= kLibrary + coder.version - kVersion)
            codeOne(coder, samples, field->interval);
    }
}

// --- figures --------------------------------------------------------------------------------------------------------

//! Bits that tell a value within its bucket; the last one has no end and is told in full.
unsigned restBits(std::uint64_t bucket)
{
    if (bucket + 1 >= hdr::kBuckets)
        return 64;
    return bucket < (std::size_t(2) << hdr::kSubBits) ? 0 : unsigned(bucket >> hdr::kSubBits) - 1;
}

//! A percentile is its bucket's middle, or the largest value.
std::uint64_t valueOf(std::uint64_t bucket, std::uint64_t max)
{
    return std::min(hdr::middleOf(bucket), max);
}

//! Percentiles as distances between buckets, from the largest value down.
class Points
{
public:
    template<class Coder>
    void code(Coder& coder, Point& point)
    {
        bool usual = !Coder::kReading && isUsual(point);
        coder.flag(m_usual, usual);
        std::array<std::uint64_t*, 4> values{&point.p999, &point.p99, &point.p95, &point.p50};
        if (!usual) {
            coder.plain(point.max, 64);
            for (std::uint64_t* value : values)
                coder.plain(*value, 64);
            return;
        }
        std::uint64_t bucket = hdr::bucketOf(point.max);
        m_top.code(coder, bucket);
        bucket = std::min<std::uint64_t>(bucket, hdr::kBuckets - 1);
        const unsigned bits = restBits(bucket);
        std::uint64_t rest = bits == 64 ? point.max : point.max - hdr::lowestOf(bucket);
        coder.plain(rest, bits);
        if constexpr (Coder::kReading)
            point.max = bits == 64 ? rest : hdr::lowestOf(bucket) + rest;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::uint64_t down = Coder::kReading ? 0 : bucket - hdr::bucketOf(*values[i]);
            coder.number(m_down[i], down);
            bucket -= std::min(down, bucket);
            *values[i] = valueOf(bucket, point.max);
        }
    }

private:
    static bool isUsual(const Point& point)
    {
        std::uint64_t above = hdr::bucketOf(point.max);
        for (const std::uint64_t value : {point.p999, point.p99, point.p95, point.p50}) {
            const std::uint64_t bucket = hdr::bucketOf(value);
            if (bucket > above || valueOf(bucket, point.max) != value)
                return false;
            above = bucket;
        }
        return true;
    }
    rc::Chance m_usual;
    Near m_top;
    std::array<rc::Numbers, 4> m_down;
};

template<class Coder, class List>
void codeFigures(Coder& coder, List figures)
{
    codeField(coder, figures, [](auto& f) -> auto& { return f.count; });
    codeField(coder, figures, [](auto& f) -> auto& { return f.errors; });
    std::array<Points, 2> points;
    std::array<rc::Chance, 2> has;
    for (auto& place : figures) {
        Figures one = place;
        coder.flag(has[0], one.hasService);
        coder.flag(has[1], one.hasResponse);
        if (one.hasService)
            points[0].code(coder, one.service);
        if (one.hasResponse)
            points[1].code(coder, one.response);
        if (coder.damaged())
            return;
        if constexpr (Coder::kReading)
            place = one;
    }
}

// --- histograms -----------------------------------------------------------------------------------------------------

class Buckets
{
public:
    Buckets()
    {
        for (rc::Numbers& counts : m_counts)
            counts.remembersWith(m_counts.front());
    }
    //! False: no histogram has such numbers.
    template<class Coder>
    bool code(Coder& coder, std::vector<Histogram::Bucket>& buckets, std::uint64_t& sum, std::uint64_t& saturated)
    {
        std::uint64_t index = 0, span = 0;
        if constexpr (!Coder::kReading) {
            index = buckets.front().index;
            span = buckets.back().index - index;
        }
        m_first.code(coder, index);
        m_span.code(coder, span);
        if (index >= hdr::kBuckets || span >= hdr::kBuckets - index)
            return false;
        const std::uint64_t first = index, last = index + span;
        std::uint64_t count = 0, all = 0, about = 0;
        std::size_t at = 0;
        for (; index <= last; ++index) {
            // How often a bucket is in use hardly changes from one interval to the next.
            bool used = true;
            if (index != first && index != last) {
                used = !Coder::kReading && buckets[at].index == index;
                coder.flag(m_used[index], used);
            }
            if (!used)
                continue;
            const std::size_t kind = std::min<std::size_t>(std::size_t(std::bit_width(count)), m_counts.size() - 1);
            if constexpr (!Coder::kReading)
                count = buckets[at++].count;
            coder.number(m_counts[kind], count);
            if (count == 0 || count > ~all || coder.damaged())
                return false;
            if constexpr (Coder::kReading)
                buckets.push_back({std::uint32_t(index), count});
            all += count;
            about += count * hdr::middleOf(index);
        }
        std::uint64_t off = rc::folded(sum - about);
        coder.number(m_sum, off);
        sum = about + rc::unfolded(off);
        coder.number(m_saturated, saturated);
        return !coder.damaged();
    }

private:
    Near m_first, m_span;
    std::array<rc::Chance, hdr::kBuckets> m_used;
    std::array<rc::Numbers, 12> m_counts;
    rc::Numbers m_sum, m_saturated;
};

} // namespace

Point Point::of(const Histogram& histogram)
{
    // hdr::kMaxValue is kept where that bound is all that is known; whoever reads it asks knownNs().
    const auto at = [&histogram](double percentile) {
        return static_cast<std::uint64_t>(histogram.percentileNs(percentile));
    };
    return {at(50), at(95), at(99), at(99.9), histogram.maxNs()};
}

Figures Figures::of(const OpInterval& values)
{
    Figures figures{values.count, values.errors, !values.service.empty(), !values.response.empty(), {}, {}};
    if (figures.hasService)
        figures.service = Point::of(values.service);
    if (figures.hasResponse)
        figures.response = Point::of(values.response);
    return figures;
}

std::string writeTimes(std::span<const IntervalSample> samples)
{
    Out out;
    out.version = newestVersion();
    codeTimes(out, samples, false);
    return out.bytes();
}

bool readTimes(std::string_view bytes, std::span<IntervalSample> samples, bool few)
{
    if (!In::isWhole(bytes))
        return false;
    In in(bytes);
    codeTimes(in, samples, few);
    const auto isPhase = [](const IntervalSample& one) {
        return one.phase >= Phase::Prepare && one.phase <= Phase::Done;
    };
    return !in.damaged() && std::ranges::all_of(samples, isPhase);
}

std::string writeFigures(std::span<const Figures> figures)
{
    Out out;
    codeFigures(out, figures);
    return out.bytes();
}

bool readFigures(std::string_view bytes, std::span<Figures> figures)
{
    if (!In::isWhole(bytes))
        return false;
    In in(bytes);
    codeFigures(in, figures);
    return !in.damaged();
}

std::string writeHistograms(std::span<const OpInterval* const> values)
{
    Out out;
    for (const auto part : {&OpInterval::service, &OpInterval::response}) {
        Buckets kind;
        for (const OpInterval* one : values) {
            const Histogram& histogram = one->*part;
            if (histogram.empty())
                continue;
            std::vector<Histogram::Bucket> buckets = histogram.buckets();
            std::uint64_t sum = histogram.sumNs(), saturated = histogram.saturated();
            (void)kind.code(out, buckets, sum, saturated);
        }
    }
    return out.bytes();
}

bool readHistograms(std::string_view bytes, std::span<const Figures> figures, std::span<OpInterval* const> values)
{
    if (!In::isWhole(bytes))
        return false;
    In in(bytes);
    std::vector<Histogram::Bucket> buckets;
    for (const bool service : {true, false}) {
        Buckets kind;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!(service ? figures[i].hasService : figures[i].hasResponse))
                continue;
            std::uint64_t sum = 0, saturated = 0;
            buckets.clear();
            if (!kind.code(in, buckets, sum, saturated))
                return false;
            const Point& point = service ? figures[i].service : figures[i].response;
            (service ? values[i]->service : values[i]->response) =
                Histogram::fromBuckets(buckets, sum, point.max, saturated);
        }
    }
    return true;
}

std::string writeValues(std::span<const double> values)
{
    Out out;
    std::vector<double> copy(values.begin(), values.end());
    codeReal(out, copy);
    return out.bytes();
}

bool readValues(std::string_view bytes, std::span<double> values)
{
    if (!In::isWhole(bytes))
        return false;
    In in(bytes);
    std::vector<double> read(values.size());
    codeReal(in, read);
    std::ranges::copy(read, values.begin());
    return !in.damaged();
}

double kept(double value)
{
    const bool whole = std::abs(value) <= kMostWhole && std::round(value) == value;
    if (whole || !std::isfinite(value))
        return value;
    constexpr int kBits = 20;
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, kBits)), exponent - kBits);
}

} // namespace dyno::block
