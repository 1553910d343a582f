// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of one MySQL-family server. One thread at a time; blocking.
#pragma once

#include "driver/socket_cutter.h"
#include "mysql_connection.h"

#include <map>
#include <optional>

namespace dyno::mysql {

class MysqlAdmin final : public Admin
{
public:
    MysqlAdmin(TargetUri uri, ConnectOptions options, Connection connection);

    void abort() noexcept override { m_cutter.cut(); }
    Expected<void> execute(std::string_view command) override;
    Expected<TextRows> query(std::string_view command) override;
    Expected<std::vector<std::string>> tableNames() override;
    Expected<std::vector<std::string>> tablesElsewhere() override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    Expected<std::vector<TableInfo>> tableInfos() override;
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    //! All numbers of the global status. The server adds its connections' counts up for each answer.
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    //! By its name, port, folder and number, and read_only.
    Expected<ServerSelf> self() override;
    //! Of performance_schema, where it is on and the account may read it.
    Expected<std::vector<DigestEntry>> statementDigest() override;
    //! InnoDB's status without statements and rows, the process list, InnoDB's transactions and lock waits.
    Expected<std::vector<SnapshotPart>> snapshot() override;
    //! Of performance_schema, with userstat; of InnoDB's metrics too when all is wanted. Never of memory, which counts
    //! wrong when it begins late.
    Expected<InstrumentSettings> instruments(InstrumentsLevel level) override;
    Expected<std::string> tableText(std::string_view table) override;
    std::string dataFolder() override { return cell("SELECT @@datadir"); }
    std::uint64_t dataBytes(const std::vector<std::string>& tables) override;
    //! None; but writes changed pages of the named tables that are compressed.
    std::vector<DataPart> dataParts(const std::vector<std::string>& tables) override;
    //! Old versions of rows are waited for, two minutes at most.
    Expected<void> settle(const std::vector<std::string>& tables) override;
    Expected<void> prewarm(const std::vector<std::string>& tables) override;
    //! Takes half a second, in which other load is watched.
    Expected<PreflightReport> preflight(const PreflightNeeds& needs) override;

private:
    Expected<void> flushLocked(const std::vector<std::string>& tables, const char* how);
    Expected<void> writePages(const std::vector<std::string>& tables);
    Expected<void> writeMemtables(const std::vector<std::string>& tables);
    Expected<void> writeCaches(const std::vector<std::string>& tables);
    void writeLate(const std::vector<std::string>& tables);
    Expected<std::vector<std::string>> firstColumn(std::string_view select);
    //! One attempt of SET GLOBAL; 0 or the server's error number.
    [[nodiscard]] unsigned trySet(std::string_view name, const std::string& literal);
    [[nodiscard]] Error commandError(std::string_view command) const;
    //! See mysql_instruments.cpp: the state of a kind of instruments as one text.
    [[nodiscard]] Expected<std::string> instrumentState(std::string_view name);
    [[nodiscard]] Expected<void> setInstruments(std::string_view name, const std::string& state);
    [[nodiscard]] Expected<std::string> lookUp(std::string_view name);
    [[nodiscard]] std::string cell(std::string_view command); //!< first cell, "" when there is none

    TargetUri m_uri;
    ConnectOptions m_options;
    SocketCutter m_cutter; //!< outlives m_connection
    Connection m_connection;
    std::optional<bool> m_digestQuantiles;                           //!< the digest has them; none: nobody asked yet
    std::vector<CounterInfo> m_counters;                             //!< as counters() found them
    std::map<std::string, std::size_t, std::less<>> m_counterPlaces; //!< by name
    bool m_ofFamilies = false;                                       //!< some of them are of column families
    std::optional<std::string> m_selfQuery; //!< that this server answers; "": it tells nothing, none: not known yet
};

//! A kind of instruments that Admin::variable() and setVariable() take for a setting: "setup_consumers.NAME".
[[nodiscard]] bool namesInstruments(std::string_view name);

[[nodiscard]] std::vector<MainCounter> mainCounters(); //!< in the order they are shown
[[nodiscard]] std::vector<MoveReading> moveReadings(); //!< the most telling one first
[[nodiscard]] std::vector<EventRule> eventRules();
[[nodiscard]] std::vector<CounterGroup> counterGroups();

} // namespace dyno::mysql
