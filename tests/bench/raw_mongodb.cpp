// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a client of libmongoc can do: a pool, a client a thread, a loop of finds by _id. What Dynobench costs
// beyond it is Dynobench's own.
//   raw_mongodb URI DATABASE COLLECTION ROWS THREADS SECONDS [command|cursor]
// `command` sends the find command as it is and looks at the batch in the answer; `cursor` is what most programs write.
// The keys are YCSB's: "user" and the hash of the number, or with the environment variable KEYS=numbers 0 to ROWS-1.
// Prints operations a second, microseconds of CPU of this process per operation, and finds that found nothing.
#include <mongoc/mongoc.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

struct Work
{
    mongoc_client_pool_t* pool = nullptr;
    const char* database = nullptr;
    const char* collection = nullptr;
    std::int64_t rows = 0;
    bool cursor = false, numbers = false;
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> done{0}, missed{0};
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

void appendKey(bson_t* filter, std::int64_t row, bool numbers)
{
    if (numbers) {
        bson_append_int64(filter, "_id", 3, row);
        return;
    }
    char key[32];
    const int size =
        std::snprintf(key, sizeof(key), "user%llu", static_cast<unsigned long long>(hashed(std::uint64_t(row))));
    bson_append_utf8(filter, "_id", 3, key, size);
}

bool findByCommand(mongoc_client_t* client, const Work& work, std::int64_t row)
{
    bson_t command;
    bson_t filter;
    bson_t reply;
    bson_error_t error;
    bson_init(&command);
    bson_append_utf8(&command, "find", 4, work.collection, -1);
    bson_append_document_begin(&command, "filter", 6, &filter);
    appendKey(&filter, row, work.numbers);
    bson_append_document_end(&command, &filter);
    bson_append_int32(&command, "limit", 5, 1);
    bool found = false;
    if (mongoc_client_command_simple(client, work.database, &command, nullptr, &reply, &error)) {
        bson_iter_t at;
        bson_iter_t batch;
        bson_iter_t document;
        found = bson_iter_init(&at, &reply) && bson_iter_find_descendant(&at, "cursor.firstBatch", &batch) &&
                bson_iter_recurse(&batch, &document) && bson_iter_next(&document);
    }
    bson_destroy(&reply);
    bson_destroy(&command);
    return found;
}

bool findByCursor(mongoc_collection_t* collection, const bson_t* options, const Work& work, std::int64_t row)
{
    bson_t filter;
    bson_init(&filter);
    appendKey(&filter, row, work.numbers);
    mongoc_cursor_t* cursor = mongoc_collection_find_with_opts(collection, &filter, options, nullptr);
    const bson_t* document = nullptr;
    bool found = false;
    while (mongoc_cursor_next(cursor, &document))
        found = true;
    mongoc_cursor_destroy(cursor);
    bson_destroy(&filter);
    return found;
}

void loop(Work& work, unsigned seed)
{
    mongoc_client_t* client = mongoc_client_pool_pop(work.pool);
    mongoc_collection_t* collection = mongoc_client_get_collection(client, work.database, work.collection);
    bson_t options;
    bson_init(&options);
    bson_append_int32(&options, "limit", 5, 1);
    std::mt19937_64 random(seed);
    std::int64_t done = 0;
    std::int64_t missed = 0;
    while (!work.stop.load(std::memory_order_relaxed)) {
        const auto row = std::int64_t(random() % std::uint64_t(work.rows));
        const bool found =
            work.cursor ? findByCursor(collection, &options, work, row) : findByCommand(client, work, row);
        ++done;
        missed += found ? 0 : 1;
    }
    work.done += done;
    work.missed += missed;
    bson_destroy(&options);
    mongoc_collection_destroy(collection);
    mongoc_client_pool_push(work.pool, client);
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
    if (argc < 7)
        return std::fprintf(stderr, "raw_mongodb URI DATABASE COLLECTION ROWS THREADS SECONDS [command|cursor]\n"), 2;
    mongoc_init();
    mongoc_log_set_handler(nullptr, nullptr); // servers without sessions make it warn at the end
    Work work;
    bson_error_t error;
    mongoc_uri_t* uri = mongoc_uri_new_with_error(argv[1], &error);
    if (!uri)
        return std::fprintf(stderr, "%s\n", error.message), 1;
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_MAXPOOLSIZE, 1 << 20);
    work.pool = mongoc_client_pool_new(uri);
    work.database = argv[2];
    work.collection = argv[3];
    work.rows = std::atoll(argv[4]);
    const int threads = std::atoi(argv[5]);
    const double seconds = std::atof(argv[6]);
    work.cursor = argc > 7 && std::strcmp(argv[7], "cursor") == 0;
    const char* keys = std::getenv("KEYS");
    work.numbers = keys && std::strcmp(keys, "numbers") == 0;
    if (!work.pool || work.rows < 1 || threads < 1)
        return std::fprintf(stderr, "nothing to do\n"), 2;
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
    mongoc_client_pool_destroy(work.pool);
    mongoc_uri_destroy(uri);
    mongoc_cleanup();
    return work.missed == 0 ? 0 : 1;
}
