// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a program with RocksDB can do: the database opened as dyno left it, a loop of gets or puts a thread.
// What Dynobench costs beyond it is Dynobench's own.
//   raw_rocksdb FOLDER ROWS THREADS SECONDS get|put [VALUE_BYTES=1000] [CACHE_MIB=8]
// FOLDER is one that `dyno prepare` filled with YCSB's records; it is opened with the options that lie in it. Gets draw
// among the ROWS records; puts add new ones behind them. The keys are YCSB's: "user" and the hash of the number.
// Without the library's statistics, which dyno has and reads. Prints operations a second, microseconds of CPU of this
// process per operation, and gets that found nothing.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

struct Work
{
    rocksdb::DB* db = nullptr;
    rocksdb::ColumnFamilyHandle* family = nullptr;
    std::int64_t rows = 0;
    bool puts = false;
    std::size_t valueBytes = 1000;
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> next{0}, done{0}, missed{0};
};

//! FNV-1a over the eight bytes of a number, as YCSB hashes keys.
std::uint64_t hashed(std::uint64_t value)
{
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (int i = 0; i < 8; ++i) {
        hash = (hash ^ (value & 0xFF)) * 1099511628211U;
        value >>= 8;
    }
    const auto number = std::int64_t(hash);
    return number < 0 ? std::uint64_t(-number) : hash;
}

void loop(Work& work, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::string text(work.valueBytes + sizeof(std::uint64_t), ' ');
    // Fresh characters for each value, as YCSB has them: what repeats would be compressed, and cost the library less.
    const auto fill = [&] {
        constexpr std::uint64_t kMask = 0x5F3F1F5F3F1F5F3F, kSpaces = 0x2020202020202020;
        for (std::size_t at = 0; at < work.valueBytes; at += sizeof(std::uint64_t)) {
            const std::uint64_t word = (random() & kMask) + kSpaces;
            std::memcpy(text.data() + at, &word, sizeof word);
        }
    };
    rocksdb::PinnableSlice value;
    std::int64_t done = 0;
    std::int64_t missed = 0;
    while (!work.stop.load(std::memory_order_relaxed)) {
        const std::int64_t row = work.puts ? work.next.fetch_add(1, std::memory_order_relaxed)
                                           : std::int64_t(random() % std::uint64_t(work.rows));
        char key[32];
        const int size =
            std::snprintf(key, sizeof(key), "user%llu", static_cast<unsigned long long>(hashed(std::uint64_t(row))));
        const rocksdb::Slice name(key, std::size_t(size));
        rocksdb::Status status;
        if (work.puts) {
            fill();
            status = work.db->Put({}, work.family, name, {text.data(), work.valueBytes});
        } else {
            value.Reset();
            status = work.db->Get({}, work.family, name, &value);
        }
        ++done;
        missed += status.ok() ? 0 : 1;
    }
    work.done += done;
    work.missed += missed;
}

double cpuSeconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 6)
        return std::fprintf(stderr, "raw_rocksdb FOLDER ROWS THREADS SECONDS get|put [VALUE_BYTES] [CACHE_MIB]\n"), 2;
    const std::string folder = argv[1];
    Work work;
    work.rows = std::atoll(argv[2]);
    work.next = work.rows;
    const int threads = std::atoi(argv[3]);
    const double seconds = std::atof(argv[4]);
    work.puts = std::strcmp(argv[5], "put") == 0;
    if (argc > 6)
        work.valueBytes = std::size_t(std::atoll(argv[6]));
    std::shared_ptr<rocksdb::Cache> cache =
        rocksdb::NewLRUCache((argc > 7 ? std::size_t(std::atoll(argv[7])) : 8) << 20);
    if (work.rows < 1 || threads < 1 || work.valueBytes < 1)
        return std::fprintf(stderr, "nothing to do\n"), 2;

    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::Status status = rocksdb::LoadLatestOptions({}, folder, &options, &families, &cache);
    if (status.ok())
        status = rocksdb::DB::Open(options, folder, families, &handles, &work.db);
    if (!status.ok())
        return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
        if (handle->GetName() == "usertable")
            work.family = handle;
    }
    if (!work.family)
        return std::fprintf(stderr, "no records of YCSB in %s\n", folder.c_str()), 1;

    const double cpu = cpuSeconds();
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> users;
    for (int i = 0; i < threads; ++i)
        users.emplace_back([&work, i] { loop(work, unsigned(i) + 1); });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    work.stop = true;
    for (std::thread& user : users)
        user.join();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto done = double(work.done.load());
    std::printf("%.1f %.2f %lld\n", done / took, (cpuSeconds() - cpu) * 1e6 / done,
                static_cast<long long>(work.missed.load()));
    for (rocksdb::ColumnFamilyHandle* handle : handles)
        work.db->DestroyColumnFamilyHandle(handle);
    delete work.db;
    return work.missed == 0 ? 0 : 1;
}
