// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_source.h"

#include "base/random.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dyno::vectors {

namespace {

constexpr std::uint64_t kVectorRowStreams = std::uint64_t(1) << 46, kQueryStreams = kVectorRowStreams + 1,
                        kCentreStream = kVectorRowStreams + 2;
constexpr int kDirections = 12; //!< in which the vectors of a cluster vary
constexpr int kPixel = 255;     //!< the largest number
constexpr double kSpread = 30;  //!< standard deviation along all directions together, in each dimension
constexpr int kNoise = 6;       //!< largest deviation of a single number

//! Close to a normal distribution with deviation 1: the sum of twelve uniform numbers, by additions alone.
double nearlyNormal(Random& random)
{
    double sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += random.unit();
    return sum;
}

//! Centres and directions that rows and queries share.
struct ClusterSpace
{
    ClusterSpace(const ClusterShape& shape, std::uint64_t seed)
        : dimension(shape.dimension)
        , clusters(shape.clusters)
        , centres(std::size_t(shape.clusters) * std::size_t(shape.dimension))
        , directions(std::size_t(kDirections) * std::size_t(shape.dimension))
    {
        Random random = Random::forItem(seed, kCentreStream, 0);
        for (float& number : centres)
            number = static_cast<float>(random.uniform(0, kPixel));
        const double scale = kSpread / std::sqrt(double(kDirections));
        for (float& number : directions)
            number = static_cast<float>(nearlyNormal(random) * scale);
    }
    int dimension, clusters;
    std::vector<float> centres, directions;
};

class ClusteredSource final : public VectorSource
{
public:
    ClusteredSource(std::shared_ptr<const ClusterSpace> space, std::int64_t size, std::uint64_t seed,
                    std::uint64_t stream)
        : m_space(std::move(space))
        , m_size(size)
        , m_seed(seed)
        , m_stream(stream)
    {
    }
    int dimension() const override { return m_space->dimension; }
    std::int64_t size() const override { return m_size; }
    bool read(std::int64_t first, std::span<float> out) const override
    {
        const auto dimension = std::size_t(m_space->dimension);
        for (std::size_t at = 0; at < out.size(); at += dimension, ++first)
            make(first, out.subspan(at, dimension));
        return true;
    }

private:
    void make(std::int64_t number, std::span<float> out) const
    {
        Random random = Random::forItem(m_seed, m_stream, std::uint64_t(number));
        const std::size_t dimension = out.size();
        const auto cluster = std::size_t(random.uniform(0, m_space->clusters - 1));
        std::copy_n(m_space->centres.begin() + std::ptrdiff_t(cluster * dimension), dimension, out.begin());
        const float* direction = m_space->directions.data();
        for (int i = 0; i < kDirections; ++i, direction += dimension) {
            const auto length = static_cast<float>(nearlyNormal(random));
            for (std::size_t j = 0; j < dimension; ++j)
                out[j] += length * direction[j];
        }
        for (float& one : out)
            one = std::clamp(std::nearbyint(one + static_cast<float>(random.uniform(-kNoise, kNoise))), 0.0F,
                             float(kPixel));
    }

    std::shared_ptr<const ClusterSpace> m_space;
    std::int64_t m_size;
    std::uint64_t m_seed, m_stream;
};

class PartOfSource final : public VectorSource
{
public:
    PartOfSource(VectorSourcePtr whole, std::int64_t first, std::int64_t size)
        : m_whole(std::move(whole))
        , m_first(first)
        , m_size(size)
    {
    }
    int dimension() const override { return m_whole->dimension(); }
    std::int64_t size() const override { return m_size; }
    bool read(std::int64_t first, std::span<float> out) const override { return m_whole->read(m_first + first, out); }

private:
    VectorSourcePtr m_whole;
    std::int64_t m_first, m_size;
};

} // namespace

VectorSets clusteredVectors(const ClusterShape& shape, std::uint64_t seed)
{
    const auto space = std::make_shared<const ClusterSpace>(shape, seed);
    return {std::make_shared<const ClusteredSource>(space, shape.rows, seed, kVectorRowStreams),
            std::make_shared<const ClusteredSource>(space, shape.queries, seed, kQueryStreams)};
}

VectorSourcePtr partOf(VectorSourcePtr whole, std::int64_t first, std::int64_t size)
{
    return std::make_shared<const PartOfSource>(std::move(whole), first, size);
}

void appendVector(std::string& out, std::span<const float> vector)
{
    constexpr std::size_t kLongestNumber = 20; //!< with a comma; the shortest form of a float has 15 at most
    const std::size_t begin = out.size();
    out.resize(begin + vector.size() * kLongestNumber + 2);
    char* at = out.data() + begin;
    char* const end = out.data() + out.size();
    *at++ = '[';
    for (std::size_t i = 0; i < vector.size(); ++i) {
        if (i > 0)
            *at++ = ',';
        at = std::to_chars(at, end, vector[i]).ptr;
    }
    *at++ = ']';
    out.resize(std::size_t(at - out.data()));
}

} // namespace dyno::vectors
