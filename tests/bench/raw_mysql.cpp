// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a client of Connector/C can do: a connection a user, a prepared point select a table, a loop. What
// Dynobench costs beyond it is Dynobench's own.
//   raw_mysql SOCKET EVENTS ROWS                         one user, one table; for counting instructions
//   raw_mysql SOCKET EVENTS ROWS USERS SECONDS TABLES    a thread a user until the time is over (EVENTS is ignored);
//                                                        prints "queries/s  client-CPU-µs-per-query" of the process
#include <mysql.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> timeIsOver{false};

// Rows found, −1 after an error.
long loop(const char* socket, long events, long rows, int tables, unsigned seed)
{
    MYSQL* mysql = mysql_init(nullptr);
    if (!mysql_real_connect(mysql, nullptr, "root", "", "sbtest", 0, socket, 0))
        return std::fprintf(stderr, "%s\n", mysql_error(mysql)), -1;
    long long id = 0;
    char value[256];
    unsigned long length = 0;
    MYSQL_BIND in{};
    MYSQL_BIND out{};
    in.buffer_type = MYSQL_TYPE_LONGLONG;
    in.buffer = &id;
    out.buffer_type = MYSQL_TYPE_STRING;
    out.buffer = value;
    out.buffer_length = sizeof value;
    out.length = &length;
    std::vector<MYSQL_STMT*> statements;
    for (int table = 1; table <= tables; ++table) {
        const std::string text = "SELECT c FROM sbtest" + std::to_string(table) + " WHERE id=?";
        MYSQL_STMT* statement = mysql_stmt_init(mysql);
        if (mysql_stmt_prepare(statement, text.data(), text.size()) != 0)
            return std::fprintf(stderr, "%s\n", mysql_stmt_error(statement)), -1;
        mysql_stmt_bind_param(statement, &in);
        mysql_stmt_bind_result(statement, &out);
        statements.push_back(statement);
    }
    std::minstd_rand random(seed);
    long found = 0;
    for (long i = 0; i < events && !timeIsOver.load(std::memory_order_relaxed); ++i) {
        MYSQL_STMT* statement = statements[random() % statements.size()];
        id = long(random() % (unsigned long)(rows)) + 1;
        if (mysql_stmt_execute(statement) != 0 || mysql_stmt_store_result(statement) != 0)
            return std::fprintf(stderr, "%s\n", mysql_stmt_error(statement)), -1;
        while (mysql_stmt_fetch(statement) == 0)
            ++found;
        mysql_stmt_free_result(statement);
    }
    for (MYSQL_STMT* statement : statements)
        mysql_stmt_close(statement);
    mysql_close(mysql);
    return found;
}

int manyUsers(const char* socket, long rows, int users, double seconds, int tables)
{
    std::atomic<long> found{0};
    std::atomic<bool> failed{false};
    std::vector<std::thread> threads;
    const auto start = std::chrono::steady_clock::now();
    for (int user = 0; user < users; ++user)
        threads.emplace_back([&, user] {
            mysql_thread_init();
            const long rowsFound = loop(socket, 1L << 60, rows, tables, unsigned(user) + 1);
            mysql_thread_end();
            if (rowsFound < 0)
                failed = true;
            else
                found += rowsFound;
        });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    timeIsOver = true;
    for (std::thread& thread : threads)
        thread.join();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double cpu = double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    std::printf("%.0f %.3f\n", double(found) / wall, cpu / double(found) * 1e6);
    return failed || found == 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 4 && argc != 7)
        return std::fprintf(stderr, "raw_mysql SOCKET EVENTS ROWS [USERS SECONDS TABLES]\n"), 2;
    const long events = std::atol(argv[2]);
    const long rows = std::atol(argv[3]);
    mysql_library_init(0, nullptr, nullptr);
    if (argc == 7)
        return manyUsers(argv[1], rows, std::atoi(argv[4]), std::atof(argv[5]), std::atoi(argv[6]));
    const long found = loop(argv[1], events, rows, 1, 1);
    std::printf("%ld\n", found);
    return found == events ? 0 : 1;
}
