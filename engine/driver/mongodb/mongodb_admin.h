// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of a MongoDB target: a connection of its own, without the pool's threads.
#pragma once

#include "driver/server_self.h"
#include "mongodb_options.h"
#include "mongodb_product.h"

#include <map>
#include <optional>

namespace dyno::mongodb {

//! Of the answer to hello: made by each start of a mongod or mongos, 4.4 or newer. FerretDB has none.
inline constexpr const char* kProcessId = "topologyVersion.processId";

//! A document that frees itself.
class Document
{
public:
    Document() { bson_init(&m_bson); }
    Document(Document&& other) noexcept
    {
        bson_steal(&m_bson, &other.m_bson);
        bson_init(&other.m_bson);
    }
    Document& operator=(Document&& other) noexcept
    {
        if (this != &other) {
            bson_destroy(&m_bson);
            bson_steal(&m_bson, &other.m_bson);
            bson_init(&other.m_bson);
        }
        return *this;
    }
    ~Document() { bson_destroy(&m_bson); }
    [[nodiscard]] bson_t* get() { return &m_bson; }
    [[nodiscard]] const bson_t& operator*() const { return m_bson; }

private:
    bson_t m_bson;
};

struct FreeClient
{
    void operator()(mongoc_client_t* client) const { mongoc_client_destroy(client); }
};

//! One thread.
class MongodbAdmin final : public Admin
{
public:
    [[nodiscard]] static Expected<std::unique_ptr<Admin>> connect(const ConnectTarget& target);

    Expected<void> execute(std::string_view command) override;
    //! A cursor's documents as rows of their values in order; of other answers the values of the fields.
    Expected<TextRows> query(std::string_view command) override;
    Expected<std::vector<std::string>> tableNames() override;
    Expected<std::vector<std::string>> tablesElsewhere() override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    Expected<std::int64_t> rowCount(std::string_view table) override;
    Expected<void> drop(std::string_view table) override;
    Expected<std::vector<std::string>> unfinishedLoads() override;
    Expected<void> setUnfinishedLoads(const std::vector<std::string>& tables) override;
    Expected<DataNotes> dataNotes() override;
    Expected<void> setDataNotes(const DataNotes& notes) override;
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    //! Of the last answer to counterValues(); asks nothing.
    Expected<ServerSelf> self() override { return m_self; }
    //! Operations under way, by currentOp, with the names of their fields and without values.
    Expected<std::vector<SnapshotPart>> snapshot() override;
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    //! So that runs begin alike and sizes are those of what was loaded.
    void checkpoint() override { (void)askForCheckpoint(); } // without it the run begins as the server is
    Expected<void> prewarm(const std::vector<std::string>& tables) override;
    //! collStats of the database's collections, after a checkpoint; without the right to one nothing is said of
    //! compression.
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override;
    Expected<PreflightReport> preflight(const PreflightNeeds& needs) override;

    //! Runs a command and gives the server's answer; writeErrors and writeConcernError are errors too. `database`: ""
    //! is the target's. The error's code is in lastCode().
    Expected<Document> run(const bson_t& command, const char* database = "");
    //! The same for a command in JSON.
    Expected<Document> run(std::string_view json);
    //! What the server says to a client that greets it.
    Expected<Document> hello();
    [[nodiscard]] std::int32_t lastCode() const { return m_lastCode; }
    [[nodiscard]] const ConnectOptions& options() const { return m_options; }
    [[nodiscard]] const TargetUri& uri() const { return m_uri; }
    Expected<Product> product();

private:
    MongodbAdmin(TargetUri uri, ConnectOptions options);
    Expected<void> connectNow();
    [[nodiscard]] bool askForCheckpoint();
    [[nodiscard]] Error commandError(const bson_error_t& error, std::string_view where) const;
    //! A cursor's documents, all batches. "": of the URI's database.
    template<class Take>
    Expected<void> documents(const bson_t& command, Take take, const char* database = "");
    //! Names of the collections of a database.
    Expected<std::vector<std::string>> collectionsOf(const char* database);
    //! getCmdLineOpts and getParameter, flat, without passwords; options that are knobs by the knob's name.
    Settings variables();

    TargetUri m_uri;
    ConnectOptions m_options;
    std::unique_ptr<mongoc_client_t, FreeClient> m_client;
    std::int32_t m_lastCode = 0;
    std::optional<Product> m_product;
    std::map<std::string, std::size_t, std::less<>> m_counterPlaces; //!< of counters(), by path
    ServerSelf m_self;
};

//! A value as text: null is "", documents and arrays are relaxed extended JSON.
[[nodiscard]] std::string valueText(const bson_iter_t& at);

//! Of the answer to serverStatus: the chosen ones, then all other numbers, the most useful first; at most
//! kMostCounters.
[[nodiscard]] std::vector<CounterInfo> countersOf(const bson_t& status);

//! Who gives this answer to serverStatus. Roles are those of replica sets.
[[nodiscard]] ServerSelf selfOf(const bson_t& status);

[[nodiscard]] std::vector<MainCounter> mainCounters(); //!< in the order they are shown
[[nodiscard]] std::vector<MoveReading> moveReadings(); //!< the most telling one first
[[nodiscard]] std::vector<EventRule> eventRules();
[[nodiscard]] std::vector<CounterGroup> counterGroups();

} // namespace dyno::mongodb
