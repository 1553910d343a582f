// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of one PostgreSQL server, or of one that speaks its protocol. One thread at a time; blocking.
#pragma once

#include "driver/counter_details.h"
#include "postgresql_connection.h"
#include "postgresql_counters.h"

namespace dyno::postgresql {

class PostgresqlAdmin final : public Admin, public CounterDetails
{
public:
    PostgresqlAdmin(const ConnectTarget& target, Connection connection);
    ~PostgresqlAdmin() override;

    void abort() noexcept override;
    //! Commands that must not stand in a transaction come alone, without others after a semicolon.
    Expected<void> execute(std::string_view command) override;
    Expected<TextRows> query(std::string_view command) override;
    //! Of the current schema.
    Expected<std::vector<std::string>> tableNames() override;
    //! Of the database's other schemas: another database cannot be looked into from here.
    Expected<std::vector<std::string>> tablesElsewhere() override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    Expected<std::vector<TableInfo>> tableInfos() override;
    //! Settings with sizes in bytes (postgresql_units.h), without those that hold secrets; and the cluster's
    //! system_identifier.
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    //! By ALTER SYSTEM, then waits until this connection has read the settings again. What the option file or the
    //! server itself would have anyway is set by ALTER SYSTEM RESET, so that putting the former value back leaves
    //! nothing in postgresql.auto.conf. The reload takes in whatever else changed in the server's files.
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    //! Of pg_stat_database (this database), and what the version counts of checkpoints, the log and I/O for the whole
    //! server.
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    std::vector<UnseenCounters> unseenCounters() override;
    std::int64_t servingThread() override;
    LocalServer localServer() override;
    //! By its cluster's identifier, name and address; one that recovers is read-only.
    Expected<ServerSelf> self() override;
    //! Of the extension pg_stat_statements, where this database has it.
    Expected<std::vector<DigestEntry>> statementDigest() override;
    //! pg_stat_activity and the locks that are waited for.
    Expected<std::vector<SnapshotPart>> snapshot() override;
    //! Timing of reads and writes, and pg_stat_statements where it is loaded.
    Expected<InstrumentSettings> instruments(InstrumentsLevel level) override;
    //! Columns and indexes, put together from the catalogue.
    Expected<std::string> tableText(std::string_view table) override;
    std::string dataFolder() override { return cell("SELECT current_setting('data_directory')"); }
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    //! "collection" is a table with its long values, which are "off-page" again for named tables. "redo log" is the
    //! write-ahead log of the whole server, where the user may see it (pg_monitor).
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override;
    //! Also lets the planner know of new rows where autovacuum would do so in its next minute: the first plans after a
    //! load are poor without it. Where the user may not do either, it is left to the server.
    void checkpoint() override;
    //! Removes what old versions of rows are left, updates the planner's statistics and asks for a checkpoint.
    Expected<void> settle(const std::vector<std::string>& tables) override;
    //! By pg_prewarm, installed for it and gone with its transaction; where the user may not do so the tables alone are
    //! read, of which a large one stays in the system's cache only.
    Expected<void> prewarm(const std::vector<std::string>& tables) override;
    //! Takes half a second, in which other load is watched.
    Expected<PreflightReport> preflight(const PreflightNeeds& needs) override;
    //! How many commands were sent so far.
    [[nodiscard]] std::uint64_t asked() const { return m_asked; }

private:
    struct Setting;
    [[nodiscard]] Error commandError(const PGresult* result, std::string_view command) const;
    [[nodiscard]] std::string cell(std::string_view command); //!< first cell, "" when there is none
    [[nodiscard]] Expected<std::vector<std::string>> firstColumn(std::string_view select);
    [[nodiscard]] Expected<Setting> settingOf(std::string_view name);
    [[nodiscard]] Expected<void> reload();

    TargetUri m_uri;
    bool m_local = false; //!< no network lies between
    Connection m_connection;
    std::uint64_t m_asked = 0;
    int m_socket = -1;        //!< a second descriptor for abort(): the library closes its own at any time
    CounterChoice m_counters; //!< as counters() found them
    enum class SelfForm { Cluster, Address, None };
    std::optional<SelfForm> m_selfForm; //!< how it says who it is, once that is known
};

[[nodiscard]] std::vector<MainCounter> mainCounters(); //!< in the order they are shown
[[nodiscard]] std::vector<MoveReading> moveReadings(); //!< the most telling one first
[[nodiscard]] std::vector<EventRule> eventRules();
[[nodiscard]] std::vector<CounterGroup> counterGroups();
//! See Driver::serverIdentity().
[[nodiscard]] std::string serverIdentity(const Settings& variables);

} // namespace dyno::postgresql
