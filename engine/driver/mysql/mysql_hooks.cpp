// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_hooks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <netdb.h>
#include <vector>

struct ssl_ctx_st; // OpenSSL's SSL_CTX

namespace dyno::mysql {

namespace {

struct Remembered
{
    std::weak_ptr<const ConnectOptions> owner;
    std::string name, address;
};

std::atomic<unsigned long> g_savedLookups{0};
std::atomic<unsigned long> g_skippedLoads{0};
std::mutex g_mutex;
// Never destroyed: threads may still connect while the program ends.
std::vector<Remembered>& remembered()
{
    static auto* list = new std::vector<Remembered>;
    return *list;
}

std::string addressFor(const char* name)
{
    const std::lock_guard lock(g_mutex);
    for (const Remembered& one : remembered()) {
        if (one.name == name && !one.owner.expired())
            return one.address;
    }
    return {};
}

bool isConnector(void* caller)
{
    Dl_info info{};
    return dladdr(caller, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libmariadb");
}

} // namespace

void rememberAddress(const std::shared_ptr<const ConnectOptions>& options, std::string name, std::string address)
{
    const std::lock_guard lock(g_mutex);
    std::erase_if(remembered(),
                  [&](const Remembered& one) { return one.owner.expired() || one.name == name; }); // the newest counts
    remembered().push_back({options, std::move(name), std::move(address)});
}

unsigned long savedLookups()
{
    return g_savedLookups.load();
}

unsigned long skippedCaLoads()
{
    return g_skippedLoads.load();
}

} // namespace dyno::mysql

// NOLINTBEGIN(readability-identifier-naming)

//! The library looks its host up in each connection, which blocks: bad in an event loop with thousands of them.
extern "C" __attribute__((visibility("default"), noinline)) int getaddrinfo(const char* name, const char* service,
                                                                            const addrinfo* hints, addrinfo** result)
{
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
    if (!real)
        return EAI_FAIL;
    if (name && dyno::mysql::isConnector(__builtin_return_address(0))) {
        if (const std::string address = dyno::mysql::addressFor(name); !address.empty()) {
            dyno::mysql::g_savedLookups.fetch_add(1, std::memory_order_relaxed);
            return real(address.c_str(), service, hints, result);
        }
    }
    return real(name, service, hints, result);
}

//! The library loads the system's whole bundle of authorities into each connection without a CA (23 ms and 0.9 MB
//! each). An own CA file of any kind would also turn verification on. We give a CA or a folder to each connection that
//! verifies (readTls), so what comes here is tls=required without a CA, which checks nothing and needs no authority.
extern "C" __attribute__((visibility("default"), noinline)) int SSL_CTX_set_default_verify_paths(ssl_ctx_st* context)
{
    if (dyno::mysql::isConnector(__builtin_return_address(0))) {
        dyno::mysql::g_skippedLoads.fetch_add(1, std::memory_order_relaxed);
        return 1;
    }
    using Function = int (*)(ssl_ctx_st*);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "SSL_CTX_set_default_verify_paths"));
    return real ? real(context) : 0;
}

// NOLINTEND(readability-identifier-naming)
