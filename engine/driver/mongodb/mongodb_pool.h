// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What all sessions of a run share: the options, libmongoc's pool (with its threads that watch the servers), and the
//! statements compiled to templates.
#pragma once

#include "mongodb_command.h"
#include "mongodb_options.h"
#include "mongodb_product.h"
#include "mongodb_stream.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>

namespace dyno::mongodb {

//! What libmongoc's command monitoring tells, one line a command: name, microseconds, server, "ok" or the error. Any
//! thread. Nothing is installed unless the knob command_log asks for it.
class CommandLog
{
public:
    //! Appends to the file; null when it cannot be opened.
    [[nodiscard]] static std::unique_ptr<CommandLog> open(const std::string& path);
    ~CommandLog() { std::fclose(m_file); }
    CommandLog(const CommandLog&) = delete;
    CommandLog& operator=(const CommandLog&) = delete;
    void install(mongoc_client_pool_t* pool);

private:
    explicit CommandLog(std::FILE* file)
        : m_file(file)
    {
    }
    static void succeeded(const mongoc_apm_command_succeeded_t* event);
    static void failed(const mongoc_apm_command_failed_t* event);

    std::FILE* m_file; //!< has a lock of its own
};

class Pool
{
public:
    //! The pool of this target: made by the first caller, and gone with the last session that holds it. Any thread.
    [[nodiscard]] static Expected<std::shared_ptr<Pool>> of(const ConnectTargetPtr& target);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    [[nodiscard]] const ConnectOptions& options() const { return m_options; }
    //! One user's part of the pool.
    struct Client
    {
        mongoc_client_t* client = nullptr;
        Link* link = nullptr; //!< of its connection
    };
    //! A client of one's own, to be given back. Any thread.
    [[nodiscard]] Client take();
    void giveBack(const Client& client);

    [[nodiscard]] std::size_t statements() const { return m_templates.size(); }
    [[nodiscard]] Keep keepOf(std::size_t statement) const { return m_specs[statement].keep; }
    //! The statement, compiled at the first call. Any thread; the result lives as long as the pool.
    [[nodiscard]] const Expected<CommandTemplate>& compiled(std::size_t statement);
    //! Which product answers; asked through `client` at the first call.
    [[nodiscard]] Expected<Product> product(mongoc_client_t* client);

private:
    Pool(const ConnectTargetPtr& target, ConnectOptions options);

    struct Slot
    {
        std::once_flag once;
        std::optional<Expected<CommandTemplate>> compiled;
    };
    StatementSet m_specs;
    ConnectOptions m_options;
    std::vector<Slot> m_templates;
    std::unique_ptr<CommandLog> m_log; //!< null = none; before the pool, which uses it to its end
    mongoc_client_pool_t* m_pool = nullptr;
    std::mutex m_linkLock;
    std::map<mongoc_client_t*, Link> m_links; //!< the clients' streams use them to the pool's end
    std::mutex m_productLock;
    std::optional<Product> m_product;
};

} // namespace dyno::mongodb
