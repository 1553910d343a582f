// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace dyno::vectors {

namespace {

constexpr std::size_t kHeadBytes = 4, kNumberBytes = 4;
constexpr float kLargestNumber = 1e15F; //!< its square, added up, still is a float
constexpr const char* kFileOption = "workload.file";
constexpr const char* kUsableNumbers = "use finite numbers up to 1e15";
constexpr std::array<unsigned char, 8> kHdf5Mark{0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};

std::uint32_t littleEndian(const unsigned char* bytes)
{
    return std::uint32_t(bytes[0]) | std::uint32_t(bytes[1]) << 8 | std::uint32_t(bytes[2]) << 16 |
           std::uint32_t(bytes[3]) << 24;
}

tl::unexpected<Error> fvecsFault(std::string what)
{
    return vectorFileFault(std::move(what), "use a file of the format fvecs, or HDF5 as ann-benchmarks has it");
}

//! For each vector its number of dimensions as 4 bytes, then as many numbers of 4 bytes (IEEE 754), all with the least
//! significant byte first. Not mapped into memory: a file that is cut while it is used must not end the program.
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
        return fvecsFault(fmt::format("{}: vector {} (byte {}) has {} numbers, the first one has {}", m_path,
                                      number + 1, at, count, m_dimension));
    for (int i = 0; i < m_dimension; ++i) {
        const std::size_t place = kHeadBytes + std::size_t(i) * kNumberBytes;
        const float value = std::bit_cast<float>(littleEndian(record + place));
        if (!isUsable(value))
            return vectorFileFault(
                fmt::format("{}: number {} of vector {} (byte {}) is {}", m_path, i + 1, number + 1, at + place, value),
                kUsableNumbers);
    }
    return {};
}

Expected<void> FvecsFile::open(const std::function<bool()>& goOn)
{
    // Not to wait for whoever writes into a pipe.
    m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts = {};
    if (m_fd < 0 || ::fstat(m_fd, &facts) != 0)
        return vectorFileFault(fmt::format("cannot read {}: {}", m_path, std::generic_category().message(errno)),
                               "name a file that this account may read");
    if (!S_ISREG(facts.st_mode))
        return fvecsFault(fmt::format("{} is no regular file", m_path));
    const auto bytes = std::uint64_t(facts.st_size);
    std::vector<unsigned char> head(kHeadBytes);
    if (bytes < kHeadBytes || !readAt(0, head))
        return fvecsFault(fmt::format("{} holds no vector", m_path));
    const std::uint32_t count = littleEndian(head.data());
    if (count == 0 || count > kMostDimensions)
        return fvecsFault(
            fmt::format("{} is not of the format fvecs: its first vector would have {} numbers", m_path, count));
    m_dimension = int(count);
    m_size = std::int64_t(bytes / recordBytes());
    const std::int64_t atOnce = std::max<std::int64_t>(1, std::int64_t(kReadVectorBytes / recordBytes()));
    std::vector<unsigned char> records;
    for (std::int64_t number = 0; number < m_size; number += atOnce) {
        if (!goOn())
            return fail({ErrorKind::Interrupted, "reading the vectors was stopped", kFileOption, {}});
        const std::int64_t some = std::min(atOnce, m_size - number);
        records.resize(std::size_t(some) * recordBytes());
        if (!readAt(std::uint64_t(number) * recordBytes(), records))
            return fvecsFault(fmt::format("{} cannot be read at vector {}", m_path, number + 1));
        for (std::int64_t i = 0; i < some; ++i) {
            auto right = checkRecord(number + i, records.data() + std::size_t(i) * recordBytes());
            if (!right)
                return right;
        }
    }
    if (bytes % recordBytes() != 0)
        return vectorFileFault(fmt::format("{} ends within vector {} (byte {})", m_path, m_size + 1, bytes),
                               "copy the file again: a part of it is missing");
    return {};
}

} // namespace

bool isUsable(float number)
{
    return std::abs(number) <= kLargestNumber; // not a number is not
}

tl::unexpected<Error> vectorFileFault(std::string what, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(what), kFileOption, std::move(remedy)});
}

bool hasBothSets(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    std::array<unsigned char, kHdf5Mark.size()> first{};
    struct stat facts = {};
    const bool is = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
                    ::pread(fd, first.data(), first.size(), 0) == ssize_t(first.size()) && first == kHdf5Mark;
    ::close(fd);
    return is;
}

Expected<VectorSourcePtr> openVectors(const std::string& path, VectorSet set, const std::function<bool()>& goOn)
{
    if (hasBothSets(path))
        return openHdf5(path, set, goOn);
    auto file = std::make_shared<FvecsFile>(path);
    if (auto opened = file->open(goOn); !opened)
        return tl::unexpected(opened.error());
    return file;
}

} // namespace dyno::vectors
