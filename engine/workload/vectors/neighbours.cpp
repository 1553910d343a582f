// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/neighbours.h"

#include "base/clock.h"
#include "base/private_files.h"
#include "workload/vectors/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <unistd.h>

namespace dyno::vectors {

namespace {

constexpr std::size_t kBlockRows = 1024, kBlockQueries = 256;
//! How much farther than the k-th a row may be and still count as near: a server that adds up in 4 bytes errs by less.
constexpr double kTie = 1e-5;
constexpr double kCosineTie = 2e-6; //!< of a cosine distance, which is a difference of numbers near 1

double squareOf(std::span<const float> vector)
{
    double sum = 0;
    for (const float one : vector)
        sum += double(one) * double(one);
    return sum;
}

//! What neighbours are sorted by: the square of the distance, or one minus the cosine.
double exactly(VectorMetric metric, std::span<const float> a, std::span<const float> b, double lengths)
{
    double sum = 0;
    if (metric == VectorMetric::Euclidean) {
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += (double(a[i]) - double(b[i])) * (double(a[i]) - double(b[i]));
        return sum;
    }
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += double(a[i]) * double(b[i]);
    return 1 - sum / lengths;
}

//! The nearest rows of one query so far.
class NearestRows
{
public:
    //! Rows above it are none.
    [[nodiscard]] double limit() const { return m_limit; }
    void add(double value, std::int32_t row, const NeighbourWish& wish)
    {
        m_found.emplace_back(value, row);
        m_room = std::max(m_room, std::size_t(4 * wish.k));
        if (m_found.size() < m_room)
            return;
        tidy(wish);
        m_room = std::max(m_room, 2 * m_found.size()); // many rows are alike
    }
    void appendTo(std::vector<Neighbour>& all, const NeighbourWish& wish)
    {
        tidy(wish);
        std::ranges::sort(m_found, {}, &std::pair<double, std::int32_t>::second);
        for (const auto& [value, row] : m_found)
            all.push_back({row, static_cast<float>(wish.metric == VectorMetric::Euclidean ? std::sqrt(value) : value)});
    }

private:
    void tidy(const NeighbourWish& wish)
    {
        const auto k = std::size_t(wish.k);
        if (m_found.size() < k)
            return;
        std::ranges::nth_element(m_found, m_found.begin() + std::ptrdiff_t(k) - 1);
        const double last = m_found[k - 1].first;
        m_limit = wish.metric == VectorMetric::Euclidean ? last * (1 + kTie) * (1 + kTie)
                                                         : last + kTie * std::abs(last) + kCosineTie;
        std::erase_if(m_found, [this](const auto& one) { return one.first > m_limit; });
    }
    std::vector<std::pair<double, std::int32_t>> m_found;
    double m_limit = std::numeric_limits<double>::infinity();
    std::size_t m_room = 64;
};

//! Vectors in memory, with the squares of their lengths.
struct Block
{
    std::vector<float> numbers;
    std::vector<double> squares;
    std::size_t dimension = 0;
    [[nodiscard]] bool read(const VectorSource& source, std::int64_t first, std::int64_t count)
    {
        dimension = std::size_t(source.dimension());
        numbers.resize(std::size_t(count) * dimension);
        squares.resize(std::size_t(count));
        if (!source.read(first, numbers))
            return false;
        for (std::size_t i = 0; i < squares.size(); ++i)
            squares[i] = squareOf(vector(i));
        return true;
    }
    [[nodiscard]] std::span<const float> vector(std::size_t i) const
    {
        return std::span(numbers).subspan(i * dimension, dimension);
    }
};

//! Takes what `products` cannot rule out of one query's row of a block. A product of n numbers in 4 bytes, added up in
//! any order, errs by no more than n · 2^-24 / (1 − n · 2^-24) of the product of the lengths (Higham, "Accuracy and
//! Stability of Numerical Algorithms", 3.1).
void takeNear(const Block& rows, std::int64_t firstRow, const Block& queries, std::size_t query, const float* products,
              const NeighbourWish& wish, NearestRows& nearest)
{
    const double error = double(rows.dimension + 2) * 0x1.0p-23;
    const double square = queries.squares[query];
    const bool euclidean = wish.metric == VectorMetric::Euclidean;
    for (std::size_t r = 0; r < rows.squares.size(); ++r) {
        const double lengths = std::sqrt(square * rows.squares[r]);
        const double least = euclidean ? square + rows.squares[r] - 2 * (double(products[r]) + error * lengths)
                                       : 1 - double(products[r]) / lengths - error;
        if (least > nearest.limit())
            continue;
        const double value = exactly(wish.metric, rows.vector(r), queries.vector(query), lengths);
        if (value <= nearest.limit()) // a vector of zeros has no direction, and its cosine is not a number
            nearest.add(value, std::int32_t(firstRow + std::int64_t(r)), wish);
    }
}

using ContentKey = std::array<std::uint64_t, 2>;

//! Mixes all numbers of a source; false when it is stopped or cannot be read.
bool mixIn(const VectorSource& source, ContentKey& key, const std::function<bool()>& goOn)
{
    std::vector<float> numbers;
    const auto dimension = std::size_t(source.dimension());
    const auto mix = [&key](std::uint64_t word) {
        key[0] = (key[0] ^ word) * 0x9E3779B97F4A7C15ull;
        key[0] ^= key[0] >> 32;
        key[1] = (key[1] + word) * 0xD1342543DE82EF95ull;
        key[1] ^= key[1] >> 29;
    };
    mix(std::uint64_t(source.size()));
    mix(dimension);
    for (std::int64_t first = 0; first < source.size(); first += std::int64_t(kBlockRows)) {
        const std::int64_t count = std::min(std::int64_t(kBlockRows), source.size() - first);
        numbers.resize(std::size_t(count) * dimension);
        if (!goOn() || !source.read(first, numbers))
            return false;
        for (const float one : numbers)
            mix(std::bit_cast<std::uint32_t>(one));
    }
    return true;
}

constexpr std::string_view kFileBegin = "dynobench neighbours 1\n";

void mixBytes(std::uint64_t& sum, std::string_view bytes)
{
    for (const char byte : bytes) {
        sum = (sum ^ static_cast<unsigned char>(byte)) * 0x9E3779B97F4A7C15ull;
        sum ^= sum >> 32;
    }
}

template<class T>
void appendNumber(std::string& out, T value)
{
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

//! Takes numbers off the front of bytes; what is missing is 0 and makes ok() false.
class NumberReader
{
public:
    explicit NumberReader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    template<class T>
    T take()
    {
        T value{};
        if (m_bytes.size() < sizeof value) {
            m_ok = false;
            return value;
        }
        std::memcpy(&value, m_bytes.data(), sizeof value);
        m_bytes.remove_prefix(sizeof value);
        return value;
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] std::size_t left() const { return m_bytes.size(); }

private:
    std::string_view m_bytes;
    bool m_ok = true;
};

} // namespace

const Neighbour* Neighbours::find(std::int64_t query, std::int64_t row) const
{
    const std::span<const Neighbour> mine = of(query);
    const auto found = std::ranges::lower_bound(mine, row, {}, &Neighbour::row);
    return found != mine.end() && found->row == row ? &*found : nullptr;
}

std::optional<Neighbours> exactNeighbours(const VectorSets& sets, const NeighbourWish& wish,
                                          const std::function<bool()>& goOn)
{
    Block queries, rows;
    const std::int64_t count = sets.queries->size();
    if (!queries.read(*sets.queries, 0, count))
        return {};
    std::vector<NearestRows> nearest(static_cast<std::size_t>(count));
    std::vector<float> products(kBlockQueries * kBlockRows);
    for (std::int64_t first = 0; first < sets.rows->size(); first += std::int64_t(kBlockRows)) {
        if (!rows.read(*sets.rows, first, std::min(std::int64_t(kBlockRows), sets.rows->size() - first)))
            return {};
        for (std::size_t from = 0; from < nearest.size(); from += kBlockQueries) {
            if (!goOn())
                return {};
            const std::size_t some = std::min(kBlockQueries, nearest.size() - from);
            multiply({queries.vector(from).data(), some}, {rows.numbers.data(), rows.squares.size()}, rows.dimension,
                     products.data());
            for (std::size_t q = 0; q < some; ++q)
                takeNear(rows, first, queries, from + q, products.data() + q * rows.squares.size(), wish,
                         nearest[from + q]);
        }
    }
    std::vector<std::uint64_t> ends;
    std::vector<Neighbour> all;
    for (NearestRows& one : nearest) {
        one.appendTo(all, wish);
        ends.push_back(all.size());
    }
    return Neighbours(wish.k, std::move(ends), std::move(all));
}

//! The numbers stand as this machine has them: the file stays on it.
bool Neighbours::write(const std::filesystem::path& file, std::string_view key) const
{
    std::string bytes(kFileBegin);
    bytes += key;
    bytes += '\n';
    appendNumber(bytes, m_k);
    appendNumber(bytes, std::uint64_t(m_ends.size()));
    appendNumber(bytes, std::uint64_t(m_all.size()));
    for (const std::uint64_t end : m_ends)
        appendNumber(bytes, end);
    for (const Neighbour& one : m_all) {
        appendNumber(bytes, one.row);
        appendNumber(bytes, one.distance);
    }
    std::uint64_t sum = 1;
    mixBytes(sum, bytes);
    appendNumber(bytes, sum);
    if (makePrivateFolder(file.parent_path()))
        return false;
    // Whole or not at all, also where two programs do this at once.
    std::filesystem::path part = file;
    part += fmt::format(".{}", ::getpid());
    std::error_code problem;
    {
        std::ofstream out(part, std::ios::binary);
        makePrivateFile(part);
        out.write(bytes.data(), std::streamsize(bytes.size()));
        out.close();
        if (out)
            std::filesystem::rename(part, file, problem);
        else
            problem = std::make_error_code(std::errc::io_error);
    }
    std::error_code ignored;
    if (problem)
        std::filesystem::remove(part, ignored);
    return !problem;
}

std::optional<Neighbours> Neighbours::read(const std::filesystem::path& file, std::string_view key)
{
    std::ifstream in(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string begin = std::string(kFileBegin) + std::string(key) + '\n';
    std::uint64_t sum = 1;
    if (!bytes.starts_with(begin) || bytes.size() < begin.size() + sizeof sum)
        return {};
    mixBytes(sum, std::string_view(bytes).substr(0, bytes.size() - sizeof sum));
    if (NumberReader(std::string_view(bytes).substr(bytes.size() - sizeof sum)).take<std::uint64_t>() != sum)
        return {};
    NumberReader reader(std::string_view(bytes).substr(begin.size(), bytes.size() - begin.size() - sizeof sum));
    const auto k = reader.take<std::int64_t>();
    const auto queries = reader.take<std::uint64_t>(), count = reader.take<std::uint64_t>();
    constexpr std::size_t kEachBytes = sizeof(std::int32_t) + sizeof(float);
    if (!reader.ok() || queries > reader.left() / sizeof queries || count > reader.left() / kEachBytes ||
        reader.left() != queries * sizeof queries + count * kEachBytes)
        return {};
    std::vector<std::uint64_t> ends;
    for (std::uint64_t i = 0; i < queries; ++i) {
        ends.push_back(reader.take<std::uint64_t>());
        if (ends.back() > count || (i > 0 && ends.back() < ends[i - 1]))
            return {};
    }
    std::vector<Neighbour> all;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto row = reader.take<std::int32_t>();
        all.push_back({row, reader.take<float>()});
    }
    return Neighbours(k, std::move(ends), std::move(all));
}

std::optional<Neighbours> knownNeighbours(const VectorSets& sets, const NeighbourWish& wish,
                                          const std::filesystem::path& folder, double worthKeeping,
                                          const std::function<bool()>& goOn)
{
    ContentKey content{1, 2};
    if (!mixIn(*sets.rows, content, goOn) || !mixIn(*sets.queries, content, goOn))
        return {};
    const std::string key = fmt::format("{:016x}{:016x}-{}-{}", content[0], content[1],
                                        wish.metric == VectorMetric::Euclidean ? "euclidean" : "cosine", wish.k);
    const std::filesystem::path file = folder / key;
    if (auto known = Neighbours::read(file, key); known && known->queries() == sets.queries->size())
        return known;
    const std::int64_t startNs = nowNs();
    auto found = exactNeighbours(sets, wish, goOn);
    if (found && double(nowNs() - startNs) * 1e-9 >= worthKeeping)
        (void)found->write(file, key); // without it they are found again
    return found;
}

} // namespace dyno::vectors
