// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_source.h"

#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace dyno::vectors {

namespace {

constexpr std::uint64_t kVectorRowStreams = std::uint64_t(1) << 46, kQueryStreams = kVectorRowStreams + 1,
                        kCentreStream = kVectorRowStreams + 2;
constexpr int kDirections = 12; //!< in which the vectors of a cluster vary
constexpr int kPixel = 255;     //!< the largest number
constexpr double kSpread = 30;  //!< standard deviation along all directions together, in each dimension
constexpr int kNoise = 6;       //!< largest deviation of a single number

constexpr std::size_t kHeadBytes = 4, kNumberBytes = 4;
constexpr std::uint32_t kMostDimensions = 1'000'000; //!< of a file: more is no fvecs file
constexpr float kLargestNumber = 1e15F;              //!< its square, added up, still is a float
constexpr std::size_t kReadBytes = std::size_t(1) << 20;
constexpr const char* kFileOption = "workload.file";

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

std::uint32_t littleEndian(const unsigned char* bytes)
{
    return std::uint32_t(bytes[0]) | std::uint32_t(bytes[1]) << 8 | std::uint32_t(bytes[2]) << 16 |
           std::uint32_t(bytes[3]) << 24;
}

tl::unexpected<Error> fileFault(std::string what, std::string remedy = "use a file of the format fvecs")
{
    return fail({ErrorKind::BadInput, std::move(what), kFileOption, std::move(remedy)});
}

//! Not mapped into memory: a file that is cut while it is used must not end the program.
class FvecsFile final : public VectorSource
{
public:
    explicit FvecsFile(std::string path)
        : m_path(std::move(path))
    {
    }
    ~FvecsFile() override
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FvecsFile(const FvecsFile&) = delete;
    FvecsFile& operator=(const FvecsFile&) = delete;

    int dimension() const override { return m_dimension; }
    std::int64_t size() const override { return m_size; }
    bool read(std::int64_t first, std::span<float> out) const override
    {
        const auto dimension = std::size_t(m_dimension);
        std::vector<unsigned char> bytes(out.size() / dimension * recordBytes());
        if (!readAt(std::uint64_t(first) * recordBytes(), bytes))
            return false;
        const unsigned char* from = bytes.data();
        for (std::size_t at = 0; at < out.size(); at += dimension, from += recordBytes()) {
            for (std::size_t j = 0; j < dimension; ++j)
                out[at + j] = std::bit_cast<float>(littleEndian(from + kHeadBytes + j * kNumberBytes));
        }
        return true;
    }

    Expected<void> open(const std::function<bool()>& goOn);

private:
    [[nodiscard]] std::size_t recordBytes() const { return kHeadBytes + std::size_t(m_dimension) * kNumberBytes; }
    [[nodiscard]] bool readAt(std::uint64_t offset, std::span<unsigned char> out) const;
    [[nodiscard]] Expected<void> checkRecord(std::int64_t number, const unsigned char* record) const;

    std::string m_path;
    int m_fd = -1, m_dimension = 0;
    std::int64_t m_size = 0;
};

bool FvecsFile::readAt(std::uint64_t offset, std::span<unsigned char> out) const
{
    while (!out.empty()) {
        const ssize_t count = ::pread(m_fd, out.data(), out.size(), off_t(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        out = out.subspan(std::size_t(count));
        offset += std::uint64_t(count);
    }
    return true;
}

Expected<void> FvecsFile::checkRecord(std::int64_t number, const unsigned char* record) const
{
    const std::uint64_t at = std::uint64_t(number) * recordBytes();
    if (const std::uint32_t count = littleEndian(record); count != std::uint32_t(m_dimension))
        return fileFault(fmt::format("{}: vector {} (byte {}) has {} numbers, the first one has {}", m_path, number + 1,
                                     at, count, m_dimension));
    for (int i = 0; i < m_dimension; ++i) {
        const std::size_t place = kHeadBytes + std::size_t(i) * kNumberBytes;
        const float value = std::bit_cast<float>(littleEndian(record + place));
        if (!(std::abs(value) <= kLargestNumber)) // not a number is neither
            return fileFault(
                fmt::format("{}: number {} of vector {} (byte {}) is {}", m_path, i + 1, number + 1, at + place, value),
                "use finite numbers up to 1e15");
    }
    return {};
}

Expected<void> FvecsFile::open(const std::function<bool()>& goOn)
{
    // Not to wait for whoever writes into a pipe.
    m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts = {};
    if (m_fd < 0 || ::fstat(m_fd, &facts) != 0)
        return fileFault(fmt::format("cannot read {}: {}", m_path, std::generic_category().message(errno)),
                         "name a file that this account may read");
    if (!S_ISREG(facts.st_mode))
        return fileFault(fmt::format("{} is no regular file", m_path));
    const auto bytes = std::uint64_t(facts.st_size);
    std::vector<unsigned char> head(kHeadBytes);
    if (bytes < kHeadBytes || !readAt(0, head))
        return fileFault(fmt::format("{} holds no vector", m_path));
    const std::uint32_t count = littleEndian(head.data());
    if (count == 0 || count > kMostDimensions)
        return fileFault(
            fmt::format("{} is not of the format fvecs: its first vector would have {} numbers", m_path, count));
    m_dimension = int(count);
    m_size = std::int64_t(bytes / recordBytes());
    const std::int64_t atOnce = std::max<std::int64_t>(1, std::int64_t(kReadBytes / recordBytes()));
    std::vector<unsigned char> records;
    for (std::int64_t number = 0; number < m_size; number += atOnce) {
        if (!goOn())
            return fail({ErrorKind::Interrupted, "reading the vectors was stopped", kFileOption, {}});
        const std::int64_t some = std::min(atOnce, m_size - number);
        records.resize(std::size_t(some) * recordBytes());
        if (!readAt(std::uint64_t(number) * recordBytes(), records))
            return fileFault(fmt::format("{} cannot be read at vector {}", m_path, number + 1));
        for (std::int64_t i = 0; i < some; ++i) {
            auto right = checkRecord(number + i, records.data() + std::size_t(i) * recordBytes());
            if (!right)
                return right;
        }
    }
    if (bytes % recordBytes() != 0)
        return fileFault(fmt::format("{} ends within vector {} (byte {})", m_path, m_size + 1, bytes),
                         "copy the file again: a part of it is missing");
    return {};
}

} // namespace

VectorSets clusteredVectors(const ClusterShape& shape, std::uint64_t seed)
{
    const auto space = std::make_shared<const ClusterSpace>(shape, seed);
    return {std::make_shared<const ClusteredSource>(space, shape.rows, seed, kVectorRowStreams),
            std::make_shared<const ClusteredSource>(space, shape.queries, seed, kQueryStreams)};
}

Expected<VectorSourcePtr> openFvecs(const std::string& path, const std::function<bool()>& goOn)
{
    auto file = std::make_shared<FvecsFile>(path);
    if (auto opened = file->open(goOn); !opened)
        return tl::unexpected(opened.error());
    return file;
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
