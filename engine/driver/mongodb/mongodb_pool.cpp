// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_pool.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::mongodb {

namespace {

constexpr int kMostClients = 1 << 20; //!< a client a user; users are limited elsewhere
//! How long one look for a server may last: the session looks again until its own time is over, so that abort() is
//! heard.
constexpr int kSelectionSliceMs = 200;

} // namespace

std::unique_ptr<CommandLog> CommandLog::open(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "ae");
    return file ? std::unique_ptr<CommandLog>(new CommandLog(file)) : nullptr;
}

void CommandLog::install(mongoc_client_pool_t* pool)
{
    mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
    mongoc_apm_set_command_succeeded_cb(callbacks, &CommandLog::succeeded);
    mongoc_apm_set_command_failed_cb(callbacks, &CommandLog::failed);
    mongoc_client_pool_set_apm_callbacks(pool, callbacks, this);
    mongoc_apm_callbacks_destroy(callbacks);
}

void CommandLog::succeeded(const mongoc_apm_command_succeeded_t* event)
{
    const auto* log = static_cast<const CommandLog*>(mongoc_apm_command_succeeded_get_context(event));
    std::fprintf(log->m_file, "%s %lld us %s ok\n", mongoc_apm_command_succeeded_get_command_name(event),
                 static_cast<long long>(mongoc_apm_command_succeeded_get_duration(event)),
                 mongoc_apm_command_succeeded_get_host(event)->host_and_port);
}

void CommandLog::failed(const mongoc_apm_command_failed_t* event)
{
    const auto* log = static_cast<const CommandLog*>(mongoc_apm_command_failed_get_context(event));
    bson_error_t error;
    mongoc_apm_command_failed_get_error(event, &error);
    std::fprintf(log->m_file, "%s %lld us %s failed: %s\n", mongoc_apm_command_failed_get_command_name(event),
                 static_cast<long long>(mongoc_apm_command_failed_get_duration(event)),
                 mongoc_apm_command_failed_get_host(event)->host_and_port, error.message);
}

Expected<std::shared_ptr<Pool>> Pool::of(const ConnectTargetPtr& target)
{
    struct Known
    {
        std::weak_ptr<const ConnectTarget> target;
        std::weak_ptr<Pool> pool;
    };
    static std::mutex mutex;
    static std::vector<Known> known;
    const std::lock_guard lock(mutex);
    std::erase_if(known, [](const Known& one) { return one.target.expired() || one.pool.expired(); });
    for (const Known& one : known) {
        // Ownership tells targets apart: an address may be given to another one later.
        if (!one.target.owner_before(target) && !target.owner_before(one.target)) {
            if (auto pool = one.pool.lock())
                return pool;
        }
    }
    auto options = readOptions(*target);
    if (!options)
        return fail(std::move(options.error()));
    std::shared_ptr<Pool> pool(new Pool(target, std::move(*options)));
    if (!pool->m_pool)
        return fail({ErrorKind::Unreachable, "libmongoc could not make a pool of connections", target->uri.display(),
                     "see whether the name of the host can be resolved"});
    if (!pool->m_options.commandLog.empty() && !pool->m_log)
        return fail({ErrorKind::BadInput, fmt::format("command_log: {} cannot be written", pool->m_options.commandLog),
                     target->uri.display(), "name a file in a folder that this user can write to"});
    known.push_back({target, pool});
    return pool;
}

Pool::Pool(const ConnectTargetPtr& target, ConnectOptions options)
    : m_specs(target->statements)
    , m_options(std::move(options))
    , m_templates(target->statements.size())
{
    mongoc_uri_t* uri = m_options.uri.get();
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_MAXPOOLSIZE, kMostClients);
    mongoc_uri_set_option_as_int32(uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS,
                                   std::min(m_options.selectionTimeoutMs, kSelectionSliceMs));
    m_pool = mongoc_client_pool_new(uri);
    if (!m_pool)
        return;
    mongoc_client_pool_set_error_api(m_pool, MONGOC_ERROR_API_VERSION_2);
    if (!m_options.commandLog.empty())
        m_log = CommandLog::open(m_options.commandLog);
    if (m_log)
        m_log->install(m_pool);
}

Pool::~Pool()
{
    if (m_pool)
        mongoc_client_pool_destroy(m_pool);
}

Pool::Client Pool::take()
{
    mongoc_client_t* client = mongoc_client_pool_pop(m_pool);
    const std::lock_guard lock(m_linkLock);
    return {client, &m_links.try_emplace(client, client, m_options).first->second};
}

void Pool::giveBack(const Client& client)
{
    mongoc_client_pool_push(m_pool, client.client);
}

const Expected<CommandTemplate>& Pool::compiled(std::size_t statement)
{
    Slot& slot = m_templates[statement];
    std::call_once(slot.once, [&] { slot.compiled.emplace(CommandTemplate::compile(m_specs[statement])); });
    return *slot.compiled;
}

Expected<Product> Pool::product(mongoc_client_t* client)
{
    const std::lock_guard lock(m_productLock);
    if (!m_product) {
        auto product = askProduct(client);
        if (!product)
            return product;
        m_product = std::move(*product);
    }
    return *m_product;
}

} // namespace dyno::mongodb
