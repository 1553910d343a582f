// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/device_probe.h>

#include "base/clock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dyno {

namespace {

constexpr std::size_t kAlignment = 4096;
constexpr std::size_t kChunkBytes = 1 << 20; //!< of a sequential write
constexpr std::size_t kSyncBytes = 4096;
constexpr std::uint64_t kLogBytes = 64ULL << 20; //!< of the file, in which writes with syncs go round
constexpr std::uint64_t kFewestBlocks = 64;

struct FreeBuffer
{
    void operator()(char* memory) const { std::free(memory); } // NOLINT(cppcoreguidelines-no-malloc)
};
using Buffer = std::unique_ptr<char, FreeBuffer>;

//! As O_DIRECT wants it.
Buffer alignedBuffer(std::size_t bytes)
{
    void* memory = nullptr;
    if (posix_memalign(&memory, kAlignment, bytes) != 0)
        throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    return Buffer(static_cast<char*>(memory));
}

class ProbeFile
{
public:
    ProbeFile() = default;
    ~ProbeFile()
    {
        if (m_fd >= 0)
            close(m_fd);
    }
    ProbeFile(const ProbeFile&) = delete;
    ProbeFile& operator=(const ProbeFile&) = delete;

    //! Readable by this user alone, and without a name as soon as it is there. 0, or an errno.
    int open(const std::string& folder, bool& direct)
    {
        std::string name = folder + "/.dynobench-probe-XXXXXX";
        const int made = mkostemp(name.data(), O_CLOEXEC);
        if (made < 0)
            return errno;
        unlink(name.c_str());
        m_fd = made;
        // Not opened again by its name: who else may write to the folder could have put another file there.
        const int flags = fcntl(made, F_GETFL);
        direct = flags >= 0 && fcntl(made, F_SETFL, flags | O_DIRECT) == 0;
        return 0;
    }
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd = -1;
};

Error failed(const std::string& folder, std::string_view what, int code)
{
    std::string remedy = code == ENOSPC   ? "free some space, or ask for a smaller file"
                         : code == EACCES ? "choose a folder that this user may write to"
                                          : "choose another folder";
    return {ErrorKind::Failed, fmt::format("{}: {}", what, std::strerror(code)), folder, std::move(remedy)};
}

//! The file system and its device of /proc/self/mountinfo (proc(5)): the last mount of that device number.
void nameDevice(DeviceFigures& figures)
{
    struct stat info = {};
    if (stat(figures.folder.c_str(), &info) != 0)
        return;
    const std::string number = fmt::format("{}:{}", major(info.st_dev), minor(info.st_dev));
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string id, parent, device;
        words >> id >> parent >> device;
        const std::size_t dash = line.find(" - ");
        if (device != number || dash == std::string::npos)
            continue;
        std::istringstream behind(line.substr(dash + 3));
        behind >> figures.fileSystem >> figures.source;
    }
}

//! Nothing that a device could compress or keep once.
void fillRandom(char* memory, std::size_t bytes, std::mt19937_64& random)
{
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = random();
        std::memcpy(memory + at, &word, sizeof word);
    }
}

class DeviceProbe
{
public:
    DeviceProbe(const DeviceProbeRequest& request, const std::function<bool()>& stopped,
                const std::function<void(const std::string&)>& tell)
        : m_request(request)
        , m_stopped(stopped)
        , m_tell(tell)
    {
    }

    Expected<DeviceFigures> probe()
    {
        if (auto wrong = refused(); !wrong)
            return fail(wrong.error());
        m_figures.folder = m_request.folder;
        m_figures.fileBytes = m_request.fileBytes;
        m_figures.blockBytes = m_request.blockBytes;
        m_figures.readers = m_request.readers;
        nameDevice(m_figures);
        if (const int code = m_file.open(m_request.folder, m_figures.direct); code != 0)
            return fail(failed(m_request.folder, "cannot create a file there", code));
        tell("writing the file");
        write();
        tell("reading, one block at a time");
        m_figures.read = readBy(1);
        tell(fmt::format("reading, {} blocks at once", m_request.readers));
        m_figures.reads = readBy(m_request.readers);
        tell("writing with a sync each");
        sync();
        if (m_errno != 0)
            return fail(failed(m_request.folder, m_failed, m_errno));
        if (isStopped())
            return fail({ErrorKind::Interrupted, "the probe was stopped", m_request.folder, {}});
        return m_figures;
    }

private:
    Expected<void> refused() const
    {
        const auto wrong = [this](std::string what, std::string remedy) {
            return fail({ErrorKind::BadInput, std::move(what), m_request.folder, std::move(remedy)});
        };
        std::error_code code;
        if (!std::filesystem::is_directory(m_request.folder, code))
            return wrong("there is no such folder", "name the folder that the database's files lie in");
        const std::size_t block = m_request.blockBytes;
        if (block == 0 || block % kAlignment != 0 || block > kChunkBytes)
            return wrong("a block is 4096 bytes or a multiple of it, up to 1 MiB", "16384 is a page of InnoDB");
        if (m_request.fileBytes < kFewestBlocks * block || m_request.fileBytes % block != 0)
            return wrong(fmt::format("the file's size is a multiple of the block's, {} blocks at least", kFewestBlocks),
                         "512 MiB is usual");
        if (m_request.readers < 1 || m_request.readers > 256 || !(m_request.seconds > 0))
            return wrong("there are 1 to 256 readers, for a time above 0", "16 readers and 5 s are usual");
        const auto space = std::filesystem::space(m_request.folder, code);
        if (!code && space.available < 2 * m_request.fileBytes)
            return wrong(fmt::format("{} MiB are free there, and twice the file's {} MiB are wanted",
                                     space.available >> 20, m_request.fileBytes >> 20),
                         "free some space, or ask for a smaller file");
        return {};
    }
    [[nodiscard]] bool isStopped() const { return m_errno != 0 || (m_stopped && m_stopped()); }
    void tell(const std::string& what) const
    {
        if (m_tell && !isStopped())
            m_tell(what);
    }
    //! The first one counts.
    void failedAt(const char* what)
    {
        const int code = errno == 0 ? EIO : errno;
        int none = 0;
        if (m_errno.compare_exchange_strong(none, code))
            m_failed = what;
    }
    //! After a short count the next call tells why: errno.
    [[nodiscard]] bool writeAll(const char* memory, std::size_t bytes, std::uint64_t at) const
    {
        for (std::size_t done = 0; done < bytes;) {
            const ssize_t written = pwrite(m_file.fd(), memory + done, bytes - done, static_cast<off_t>(at + done));
            if (written <= 0)
                return false;
            done += static_cast<std::size_t>(written);
        }
        return true;
    }
    [[nodiscard]] std::int64_t endNs() const { return nowNs() + static_cast<std::int64_t>(m_request.seconds * 1e9); }

    void write()
    {
        std::mt19937_64 random(1);
        const Buffer chunk = alignedBuffer(kChunkBytes);
        const std::int64_t began = nowNs();
        std::int64_t filling = 0; // is no time of the device
        std::uint64_t at = 0;
        while (at < m_request.fileBytes && !isStopped()) {
            const std::int64_t before = nowNs();
            fillRandom(chunk.get(), kChunkBytes, random);
            filling += nowNs() - before;
            const std::size_t bytes = std::min<std::uint64_t>(kChunkBytes, m_request.fileBytes - at);
            if (!writeAll(chunk.get(), bytes, at))
                return failedAt("cannot write the file");
            at += bytes;
        }
        if (isStopped())
            return;
        if (fdatasync(m_file.fd()) != 0)
            return failedAt("the sync failed");
        const double seconds = static_cast<double>(nowNs() - began - filling) * 1e-9;
        m_figures.bytesPerSecond = seconds > 0 ? static_cast<double>(at) / seconds : 0;
    }

    DeviceWork readBy(int readers)
    {
        if (isStopped())
            return {};
        if (!m_figures.direct) // what was written is in memory: it goes, as far as the kernel agrees
            posix_fadvise(m_file.fd(), 0, 0, POSIX_FADV_DONTNEED);
        std::vector<Histogram> times(static_cast<std::size_t>(readers));
        const std::int64_t began = nowNs(), end = endNs();
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < readers; ++i)
                threads.emplace_back([this, i, readers, end, &times] {
                    readUntil(end, static_cast<std::uint64_t>(1000 * readers + i), times[static_cast<std::size_t>(i)]);
                });
        }
        Histogram all;
        for (const Histogram& one : times)
            all.merge(one);
        return workOf(all, began);
    }
    void readUntil(std::int64_t end, std::uint64_t seed, Histogram& times)
    {
        std::mt19937_64 random(seed);
        std::uniform_int_distribution<std::uint64_t> block(0, m_request.fileBytes / m_request.blockBytes - 1);
        const Buffer memory = alignedBuffer(m_request.blockBytes);
        for (std::int64_t before = nowNs(); before < end && !isStopped();) {
            const auto at = static_cast<off_t>(block(random) * m_request.blockBytes);
            if (pread(m_file.fd(), memory.get(), m_request.blockBytes, at) !=
                static_cast<ssize_t>(m_request.blockBytes))
                return failedAt("reading failed");
            const std::int64_t after = nowNs();
            times.record(static_cast<std::uint64_t>(after - before));
            before = after;
        }
    }

    void sync()
    {
        std::mt19937_64 random(2);
        const Buffer memory = alignedBuffer(kSyncBytes);
        fillRandom(memory.get(), kSyncBytes, random);
        const std::uint64_t round = std::min(kLogBytes, m_request.fileBytes) / kSyncBytes * kSyncBytes;
        Histogram times;
        std::uint64_t at = 0;
        const std::int64_t began = nowNs(), end = endNs();
        for (std::int64_t before = began; before < end && !isStopped();) {
            std::memcpy(memory.get(), &at, sizeof at); // no two are the same
            if (!writeAll(memory.get(), kSyncBytes, at % round) || fdatasync(m_file.fd()) != 0)
                return failedAt("a write with a sync failed");
            at += kSyncBytes;
            const std::int64_t after = nowNs();
            times.record(static_cast<std::uint64_t>(after - before));
            before = after;
        }
        m_figures.sync = workOf(times, began);
    }

    static DeviceWork workOf(const Histogram& times, std::int64_t began)
    {
        const double seconds = static_cast<double>(nowNs() - began) * 1e-9;
        return {seconds > 0 ? static_cast<double>(times.count()) / seconds : 0, summarize(times)};
    }

    const DeviceProbeRequest& m_request;
    const std::function<bool()>& m_stopped;
    const std::function<void(const std::string&)>& m_tell;
    DeviceFigures m_figures;
    ProbeFile m_file;
    std::atomic<int> m_errno{0};
    const char* m_failed = "";
};

} // namespace

Expected<DeviceFigures> probeDevice(const DeviceProbeRequest& request, const std::function<bool()>& stopped,
                                    const std::function<void(const std::string&)>& tell)
{
    return DeviceProbe(request, stopped, tell).probe();
}

} // namespace dyno
