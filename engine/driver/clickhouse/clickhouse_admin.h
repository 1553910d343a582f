// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of one ClickHouse server. One thread at a time; blocking.
#pragma once

#include "clickhouse_http.h"

#include <set>

namespace dyno::clickhouse {

class ClickhouseAdmin final : public Admin
{
public:
    //! Connects.
    [[nodiscard]] static Expected<std::unique_ptr<Admin>> open(const ConnectTarget& target,
                                                               std::shared_ptr<const ConnectOptions> options);
    ClickhouseAdmin(const ConnectTarget& target, std::shared_ptr<const ConnectOptions> options);

    void abort() noexcept override { m_connection.abort(); }
    Expected<void> execute(std::string_view command) override;
    //! A value that is NULL is an empty text.
    Expected<TextRows> query(std::string_view command) override;
    //! Of the current database.
    Expected<std::vector<std::string>> tableNames() override;
    Expected<std::vector<std::string>> tablesElsewhere() override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    //! Settings of this user's queries, and those of the server where its version lists them (23.3 and newer).
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    //! Always an error: the server's settings are changed in its files only.
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    //! Tables of its own engine, and replaced as a whole: rows cannot be changed in place in all versions.
    Expected<void> setUnfinishedLoads(const std::vector<std::string>& tables) override;
    Expected<void> setDataNotes(const DataNotes& notes) override;
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    //! Queries and merges under way.
    Expected<std::vector<SnapshotPart>> snapshot() override;
    std::string dataFolder() override;
    //! Of parts that are in use; what merges have replaced goes some minutes later.
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    //! "collection" is a table, "column" one of its columns as table.column, both with "before compression".
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override;
    //! Merges each table's parts into one a partition, and waits until no merge runs.
    Expected<void> settle(const std::vector<std::string>& tables) override;
    //! Reads all columns of all rows: counting them would read nothing.
    Expected<void> prewarm(const std::vector<std::string>& tables) override;
    Expected<PreflightReport> preflight(const PreflightNeeds& needs) override;

private:
    [[nodiscard]] Error commandError(std::string_view command) const;
    [[nodiscard]] std::string cell(std::string_view command); //!< first one, "" when there is none
    [[nodiscard]] Expected<std::vector<std::string>> firstColumn(std::string_view select);
    //! The table `name` with these columns, holding exactly these rows; no table where there are none.
    [[nodiscard]] Expected<void> replaceTable(std::string_view name, std::string_view columns, std::string_view values);

    TargetUri m_uri;
    bool m_local = false; //!< no network lies between
    std::shared_ptr<const ConnectOptions> m_options;
    HttpConnection m_connection;
    AnswerReader m_reader;
    HttpResult m_result;
    KeptRows m_kept;
    std::vector<CounterInfo> m_counters;    //!< as counters() found them
    std::vector<std::string> m_counterKeys; //!< "events.Query", of each of them
};

//! Of `known` ("events.Query") what is kept beside the chosen ones, the most useful first: events, metrics, then
//! asynchronous metrics. Of the latter those of a single core, disk, device or sensor are not kept: many names are what
//! an administrator called something, and the host's series have the same figures.
[[nodiscard]] std::vector<std::string> keptKeys(const std::set<std::string>& known);

[[nodiscard]] std::vector<MainCounter> mainCounters();
[[nodiscard]] std::vector<EventRule> eventRules();
[[nodiscard]] std::vector<CounterGroup> counterGroups();
//! See Driver::serverIdentity().
[[nodiscard]] std::string serverIdentity(const Settings& variables);

} // namespace dyno::clickhouse
