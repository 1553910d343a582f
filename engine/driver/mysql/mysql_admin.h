// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of one MySQL-family server. One thread at a time; blocking.
#pragma once

#include "driver/counter_details.h"
#include "driver/socket_cutter.h"
#include "mysql_connection.h"

#include <map>
#include <optional>

namespace dyno::mysql {

class MysqlAdmin final : public Admin, public CounterDetails
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
    //! All numbers of the global status, for which the server adds up its connections' counts for each answer; and what
    //! it has besides: InnoDB's metrics that are on, MyRocks' column families, response times, the thread pool, how far
    //! it is behind as a replica.
    std::vector<CounterInfo> counters() override;
    Expected<std::vector<double>> counterValues() override;
    std::vector<UnseenCounters> unseenCounters() override;
    //! None where connections share threads.
    std::int64_t servingThread() override;
    LocalServer localServer() override;
    std::vector<std::int64_t> counterTimes() override { return m_counterTimes; }
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
    [[nodiscard]] Error commandError(std::string_view command) const
    {
        return commandError(m_connection.get(), command);
    }
    [[nodiscard]] Error commandError(MYSQL* mysql, std::string_view command) const;
    //! See mysql_instruments.cpp: the state of a kind of instruments as one text.
    [[nodiscard]] Expected<std::string> instrumentState(std::string_view name);
    [[nodiscard]] Expected<void> setInstruments(std::string_view name, const std::string& state);
    [[nodiscard]] Expected<std::string> lookUp(std::string_view name);
    [[nodiscard]] std::string cell(std::string_view command); //!< first cell, "" when there is none
    //! query() that gives the names of the last result's columns, too.
    Expected<TextRows> query(std::string_view command, std::vector<std::string>* columns);
    //! The answer to `command`, which was sent.
    Expected<TextRows> readRows(MYSQL* mysql, std::string_view command, std::vector<std::string>* columns);
    //! See mysql_counters.cpp.
    [[nodiscard]] Expected<TextRows> figures(std::string_view select, std::string_view what, std::string_view right);
    [[nodiscard]] Expected<TextRows> figuresInColumns(std::string_view select);
    [[nodiscard]] TextRows replicaNow();
    [[nodiscard]] bool askReplica();
    [[nodiscard]] std::optional<Expected<TextRows>> replicaAnswer(int patienceMs, std::vector<std::string>* columns);
    void addFamilies();
    void addMetrics(const TextRows& status);
    void addResponseTimes();
    void addThreadPool();
    void addReplica();
    void addCounter(CounterInfo info);

    TargetUri m_uri;
    ConnectOptions m_options;
    SocketCutter m_cutter; //!< outlives m_connection
    Connection m_connection;
    std::optional<bool> m_digestQuantiles;                           //!< the digest has them; none: nobody asked yet
    std::vector<CounterInfo> m_counters;                             //!< as counters() found them
    std::map<std::string, std::size_t, std::less<>> m_counterPlaces; //!< by name
    //! A query for figures beside the status: rows of a name and a value, or one row with a figure in each column.
    struct MoreFigures
    {
        std::string select;
        bool inColumns = false;
    };
    std::vector<MoreFigures> m_more;          //!< that this server answers
    std::vector<std::int64_t> m_counterTimes; //!< of the last answers
    const char* m_replicaAsk = nullptr;       //!< of a server that has a source of its own
    Connection m_replica;                     //!< for that: its answer may wait until replication is started or stopped
    bool m_replicaAsked = false;              //!< and has no answer yet
    std::vector<UnseenCounters> m_unseen;
    bool m_threadUnseen = false;            //!< servingThread() lacks a right
    std::optional<std::string> m_selfQuery; //!< that this server answers; "": it tells nothing, none: not known yet
};

//! A kind of instruments that Admin::variable() and setVariable() take for a setting: "setup_consumers.NAME".
[[nodiscard]] bool namesInstruments(std::string_view name);

[[nodiscard]] std::vector<MainCounter> mainCounters(); //!< in the order they are shown
[[nodiscard]] std::vector<MoveReading> moveReadings(); //!< the most telling one first
[[nodiscard]] std::vector<EventRule> eventRules();
[[nodiscard]] std::vector<CounterGroup> counterGroups();

} // namespace dyno::mysql
