// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is done to a workload's data so that its conditions (WorkloadInstance::checks()) have something to find: each
//! condition must see the faults that break it.
#pragma once

#include "contract/workload_targets.h"
#include "load/data/dataset.h"

#include <algorithm>

#include <fmt/format.h>

namespace dyno::test {

//! Of a condition: the words before a colon, else its place.
inline std::string nameOf(const std::vector<DataCheck>& checks, std::size_t i)
{
    const std::size_t colon = checks[i].name.find(':');
    return colon == std::string::npos ? std::to_string(i + 1) : checks[i].name.substr(0, colon);
}

//! Names of the conditions that do not hold, with the number of faults.
inline std::string broken(Admin& admin, const std::vector<DataCheck>& checks)
{
    std::string names;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        const auto found = violationsOf(admin, checks[i]);
        if (!found || *found != 0)
            names += nameOf(checks, i) + "=" + (found ? std::to_string(*found) : found.error().text()) + " ";
    }
    return names;
}

//! A fault, and what takes it away again.
struct DataFault
{
    std::string make, undo;
    std::string seen; //!< by broken()
};
//! Each fault is seen by the conditions that it breaks, and by no other; `all`: no condition is without a fault.
inline void seesEach(Admin& admin, const std::vector<DataCheck>& checks, const std::vector<DataFault>& faults,
                     bool all = true)
{
    for (std::size_t i = 0; all && i < checks.size(); ++i) {
        const std::string name = nameOf(checks, i) + "=";
        QVERIFY2(std::ranges::any_of(faults,
                                     [&name](const DataFault& fault) {
                                         return (" " + fault.seen).find(" " + name) != std::string::npos;
                                     }),
                 checks[i].name.c_str());
    }
    const auto told = [](const std::string& found, const std::string& fault) {
        return QString::fromStdString(found + "after " + fault);
    };
    QCOMPARE(told(broken(admin, checks), "the run"), told("", "the run"));
    for (const DataFault& fault : faults) {
        const auto made = admin.execute(fault.make);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(told(broken(admin, checks), fault.make), told(fault.seen, fault.make));
        const auto undone = admin.execute(fault.undo);
        QVERIFY2(undone, undone ? "" : undone.error().text().c_str());
        QCOMPARE(told(broken(admin, checks), fault.undo), told("", fault.undo));
    }
}

enum class GraphConditions { Requests, CountsApart, Load }; //!< CountsApart: requests with counts = two_step

//! Of a graph.
inline std::vector<DataFault> graphFaults(Admin& admin, GraphConditions conditions)
{
    const bool loading = conditions == GraphConditions::Load;
    const std::string counted = " FROM counttable WHERE link_type = 123456789 AND count > 0";
    const std::string id = cell(admin, "SELECT MIN(id)" + counted), other = cell(admin, "SELECT MAX(id)" + counted);
    const std::string number = cell(admin, "SELECT count" + counted + " AND id = " + id);
    const std::string count = "UPDATE counttable SET count = count ",
                      it = " WHERE link_type = 123456789 AND id = " + id;
    const std::string both = " THEN 1 ELSE -1 END WHERE link_type = 123456789 AND id IN (" + id + ", " + other + ")";
    const std::string link = " WHERE link_type = 123456789 AND id1 = " + id + " AND id2 = ";
    const std::string second =
        cell(admin, "SELECT MIN(id2) FROM linktable WHERE link_type = 123456789 AND visibility = 1 AND "
                    "id1 = " +
                        id);
    const std::string node = " WHERE id = " + cell(admin, "SELECT MIN(id) FROM nodetable");
    const auto ofLinksAndNodes = [&](const std::string& links, const std::string& nodes) -> std::vector<DataFault> {
        return {{"UPDATE linktable SET id2 = 0" + link + second, "UPDATE linktable SET id2 = " + second + link + "0",
                 links + "=1 "},
                {"UPDATE nodetable SET type = 1" + node, "UPDATE nodetable SET type = 2048" + node, nodes + "=1 "}};
    };
    if (conditions == GraphConditions::CountsApart)
        return ofLinksAndNodes("1", "2");
    std::vector<DataFault> faults = loading ? ofLinksAndNodes("2", "3") : ofLinksAndNodes("3", "4");
    faults.push_back({count + "- 1" + it, count + "+ 1" + it, loading ? "1=1 " : "1=1 2=1 "});
    faults.push_back({"UPDATE linktable SET visibility = 0" + link + second,
                      "UPDATE linktable SET visibility = 1" + link + second, loading ? "2=1 " : "1=1 2=1 "});
    if (loading)
        return faults;
    faults.push_back({count + "+ CASE WHEN id = " + id + both, count + "+ CASE WHEN id = " + other + both, "1=2 "});
    faults.push_back({"DELETE FROM counttable" + it,
                      "INSERT INTO counttable (id, link_type, count, time, version) VALUES (" + id + ", 123456789, " +
                          number + ", 0, 0)",
                      "2=" + number + " "});
    return faults;
}

//! A column of one row set to what must not be there; `seen` by broken().
inline DataFault changed(Admin& admin, const std::string& table, const std::string& column, const std::string& to,
                         const std::string& row, const std::string& seen)
{
    const std::string update = "UPDATE " + table + " SET " + column + " = '",
                      value = cell(admin, "SELECT " + column + " FROM " + table + " WHERE " + row);
    return {update + to + "' WHERE " + row, update + value + "' WHERE " + row, seen};
}

//! Values of columns that must not be there, each in a row of its own from number 11 on, all at once: a condition sees
//! every one.
inline DataFault changedRows(Admin& admin, const std::string& table, const std::string& key,
                             const std::vector<std::pair<std::string, std::string>>& values,
                             const std::string& condition)
{
    std::map<std::string, std::string> make, undo; // the cases of each column
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& column = values[i].first;
        const std::string row = std::to_string(11 + i), when = " WHEN " + row + " THEN '";
        make[column] += when + values[i].second + "'";
        undo[column] += when + cell(admin, "SELECT " + column + " FROM " + table + " WHERE " + key + " = " + row) + "'";
    }
    const auto update = [&](const std::map<std::string, std::string>& cases) {
        std::string text;
        for (const auto& [column, its] : cases)
            text += (text.empty() ? "UPDATE " + table + " SET " : ", ") + column + " = CASE " + key + its + " ELSE " +
                    column + " END";
        return text + " WHERE " + key + " BETWEEN 11 AND " + std::to_string(10 + values.size());
    };
    return {update(make), update(undo), condition + "=" + std::to_string(values.size()) + " "};
}

//! Of one of sysbench's tables; `counted`: there is a condition on the rows of the load.
inline std::vector<DataFault> oltpFaults(Admin& admin, const std::string& table, bool counted)
{
    const std::string first = counted ? "1=1 " : "", id = cell(admin, "SELECT MIN(id) FROM " + table),
                      it = "id = " + id;
    const std::string moved = "UPDATE " + table + " SET id = ";
    std::vector<DataFault> faults{changed(admin, table, "c", "short", it, counted ? "2=1 " : "1=1 "),
                                  changed(admin, table, "pad", "short", it, counted ? "2=1 " : "1=1 "),
                                  changed(admin, table, "k", "0", it, counted ? "3=1 " : "2=1 ")};
    faults.push_back({moved + "900000 WHERE " + it, moved + id + " WHERE id = 900000", first});
    return faults;
}

//! Of a table of bulk_insert with `rows` rows.
inline std::vector<DataFault> bulkInsertFaults(const std::string& table, std::int64_t rows)
{
    const std::string update = "UPDATE " + table + " SET ", last = std::to_string(rows),
                      far = std::to_string(rows + 50);
    return {{update + "k = 4 WHERE id = 3", update + "k = 3 WHERE id = 3", "1=1 "},
            {update + "id = 0, k = 0 WHERE id = 2", update + "id = 2, k = 2 WHERE id = 0", "1=1 2=1 "},
            {"DELETE FROM " + table + " WHERE id = 3", "INSERT INTO " + table + " (id, k) VALUES (3, 3)", "2=1 "},
            {update + "id = " + far + ", k = " + far + " WHERE id = " + last,
             update + "id = " + last + ", k = " + last + " WHERE id = " + far, "2=50 "}};
}

//! Each column of a row of iiBench, a row of the load that is elsewhere, and one too many.
inline std::vector<DataFault> iibenchFaults(Admin& admin, const std::vector<std::string>& columns)
{
    const std::string table = "purchases_index", it = "transactionid = 5",
                      moved = "UPDATE purchases_index SET transactionid = ";
    std::vector<DataFault> faults{{moved + "900000 WHERE " + it, moved + "5 WHERE transactionid = 900000", "1=1 "}};
    std::string others;
    for (std::size_t i = 1; i < columns.size(); ++i)
        others += ", " + columns[i];
    faults.push_back({"INSERT INTO purchases_index (transactionid" + others + ") SELECT 900000" + others +
                          " FROM purchases_index WHERE " + it,
                      "DELETE FROM purchases_index WHERE transactionid = 900000", "2=1 "});
    std::vector<std::pair<std::string, std::string>> values, texts;
    for (const char* column : {"cashregisterid", "customerid", "productid", "price"}) {
        values.emplace_back(column, "-1");
        values.emplace_back(column, "100000");
    }
    for (std::size_t i = 6; i < columns.size(); ++i) // what follows number, time and the four values
        texts.emplace_back(columns[i], "short");
    faults.push_back(changedRows(admin, table, "transactionid", values, "3"));
    if (!texts.empty())
        faults.push_back(changedRows(admin, table, "transactionid", texts, "4"));
    return faults;
}

//! Of the brokerage workload with a hundred loaded trades, some of whose orders were filled and some not.
inline std::vector<DataFault> brokerageFaults(Admin& admin, bool full)
{
    const auto holding = [&admin](const std::string& column, const std::string& condition) {
        return cell(admin,
                    "SELECT " + column + " FROM be_holding WHERE " + condition + " ORDER BY h_ca_id, h_s_id LIMIT 1");
    };
    const auto removed = [&holding](const std::string& condition, const std::string& seen) {
        const std::string owner = holding("h_ca_id", condition), what = holding("h_s_id", condition);
        return DataFault{"DELETE FROM be_holding WHERE h_ca_id = " + owner + " AND h_s_id = " + what,
                         "INSERT INTO be_holding (h_ca_id, h_s_id, h_start, h_qty) VALUES (" + owner + ", " + what +
                             ", " + holding("h_start", condition) + ", " + holding("h_qty", condition) + ")",
                         seen};
    };
    const std::string filled =
        "(SELECT COUNT(*) FROM be_trade WHERE t_done = 1 AND t_id > 100 AND t_ca_id = h_ca_id AND t_s_id = h_s_id)";
    const std::string open = cell(admin, "SELECT MIN(t_id) FROM be_trade WHERE t_id > 100 AND t_done = 0");
    const std::string what = cell(admin, "SELECT t_s_id FROM be_trade WHERE t_id = 7"), trade = "UPDATE be_trade SET ";
    const std::string holder = "h_ca_id = 5 AND h_start > 0";
    std::vector<DataFault> faults{
        {"UPDATE be_broker SET b_trades = b_trades + 1 WHERE b_id = 1",
         "UPDATE be_broker SET b_trades = b_trades - 1 WHERE b_id = 1", "1=1 "},
        {"UPDATE be_account SET ca_balance = ca_balance + 1 WHERE ca_id = 3",
         "UPDATE be_account SET ca_balance = ca_balance - 1 WHERE ca_id = 3", "2=1 "},
        {"UPDATE be_holding SET h_qty = h_qty - 100 WHERE " + holder,
         "UPDATE be_holding SET h_qty = h_qty + 100 WHERE " + holder, "3=4 "},
        removed("h_start = 0 AND " + filled + " = 1", "3=1 "), // made by an order that was filled
        removed("h_start > 0 AND " + filled + " = 0", "3=1 "), // loaded
        {trade + "t_s_id = 0 WHERE t_id = 7", trade + "t_s_id = " + what + " WHERE t_id = 7", "4=1 "},
        {trade + "t_ca_id = t_ca_id + 100000 WHERE t_id = 7", trade + "t_ca_id = t_ca_id - 100000 WHERE t_id = 7",
         "4=1 "},
        // an order that was only marked
        {trade + "t_done = 1 WHERE t_id = " + open, trade + "t_done = 0 WHERE t_id = " + open,
         full ? "1=1 2=1 3=1 5=1 6=1 7=1 " : "1=1 2=1 3=1 "}};
    if (!full)
        return faults;
    const std::string logged = cell(admin, "SELECT MIN(hh_t_id) FROM be_holding_log");
    const std::vector<DataFault> others{
        {"DELETE FROM be_request WHERE tr_t_id = " + open,
         "INSERT INTO be_request (tr_t_id, tr_s_id, tr_type, tr_price) VALUES (" + open + ", 1, 'TMB', 20.5)", "5=1 "},
        {"DELETE FROM be_cash WHERE ct_t_id = 7",
         "INSERT INTO be_cash (ct_t_id, ct_at, ct_amount, ct_text) VALUES (7, '2005-01-02 03:04:05', 1.5, 'again')",
         "6=1 "},
        {"UPDATE be_state SET th_state = 'LOST' WHERE th_t_id = 8 AND th_state = 'CMPT'",
         "UPDATE be_state SET th_state = 'CMPT' WHERE th_t_id = 8 AND th_state = 'LOST'", "6=1 "},
        {"UPDATE be_holding_log SET hh_after = hh_after + 1 WHERE hh_t_id = " + logged,
         "UPDATE be_holding_log SET hh_after = hh_after - 1 WHERE hh_t_id = " + logged, "7=1 "}};
    faults.insert(faults.end(), others.begin(), others.end());
    return faults;
}

//! A row too many, with a number that differs in one of its types, or lies outside in all of them.
inline std::vector<DataFault> columnTypesFaults()
{
    std::vector<DataFault> faults;
    for (const auto& [numbers, seen] :
         {std::pair("1, 1, 1, 1", "1=1 "), std::pair("2, 1, 1, 1", "1=1 2=1 "), std::pair("1, 2, 1, 1", "1=1 2=1 "),
          std::pair("1, 1, 2, 1", "1=1 2=1 "), std::pair("1, 1, 1, 2", "1=1 2=1 "), std::pair("0, 0, 0, 0", "1=1 3=1 "),
          std::pair("1000001, 1000001, 1000001, 1000001", "1=1 3=1 ")})
        faults.push_back(
            {fmt::format("INSERT INTO column_types VALUES ('a', 's', 'u', 's', 'h', 1546300800, {})", numbers),
             "DELETE FROM column_types WHERE digest = 'a'", seen});
    return faults;
}

//! A document too few; a document that has the word and is not in the index, or is there without having it.
inline void seesFulltextFaults(Admin& admin, const WorkloadInstance& instance, FullTextIndex index)
{
    const bool sqlite = index == FullTextIndex::Table;
    const TableSpec documents = instance.tables().front();
    const std::string &table = documents.name, &brief = documents.columns[1], &full = documents.columns[2];
    const std::string asked = instance.checks()[1].query;
    const std::size_t begin = asked.find("LIKE '") + 6; // '… %'
    const std::string word = asked.substr(begin, asked.find(' ', begin) - begin);
    const std::string both = sqlite ? "' ' || " + brief + " || ' ' || " + full + " || ' '"
                                    : "CONCAT(' ', " + brief + ", ' ', " + full + ", ' ')";
    const std::string with = both + " LIKE '% " + word + " %'";
    const std::string there = cell(admin, "SELECT COUNT(*) FROM " + table + " WHERE " + with);
    QVERIFY2(word.size() >= 4 && there != "0", (word + " in " + there).c_str());
    struct Document
    {
        std::string id, rest; //!< rest: "'…', '…'"
    };
    const auto one = [&](const std::string& condition) {
        const auto row = admin
                             .query("SELECT id, " + brief + ", " + full + " FROM " + table + " WHERE " + condition +
                                    " ORDER BY id LIMIT 1")
                             ->at(0);
        return Document{row[0], "'" + row[1] + "', '" + row[2] + "'"};
    };
    const Document other = one("NOT (" + with + ")"), has = one(with);
    const std::string name = cell(admin, "SELECT " + brief + " FROM " + table + " WHERE id = " + other.id);
    const std::string rename = "UPDATE " + table + " SET " + brief + " = '", it = "' WHERE id = " + other.id;
    // SQLite's index does not follow what is changed here; a server's does, and takes the dot for the end of a word.
    std::vector<DataFault> faults{{"DELETE FROM " + table + " WHERE id = " + other.id,
                                   "INSERT INTO " + table + " VALUES (" + other.id + ", " + other.rest + ")", "1=1 "},
                                  {rename + word + (sqlite ? "" : ".") + it, rename + name + it, "2=1 "}};
    if (sqlite) {
        const std::string columns = "rowid, " + brief + ", " + full + ") VALUES (", words = table + "_text";
        faults.push_back(
            {"INSERT INTO " + words + "(" + words + ", " + columns + "'delete', " + has.id + ", " + has.rest + ")",
             "INSERT INTO " + words + "(" + columns + has.id + ", " + has.rest + ")", "2=1 "});
    }
    seesEach(admin, instance.checks(), faults);
    if (index != FullTextIndex::Key)
        return;
    const std::string engine = cell(admin, "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
                                           "DATABASE() AND TABLE_NAME = '" +
                                               table + "'");
    if (engine != "InnoDB")
        return;
    // an index that was made without the word
    const std::string stop = cell(admin, "SELECT DATABASE()") + "/ft_stop";
    const std::string rebuilt[] = {"ALTER TABLE " + table + " DROP KEY ft_text",
                                   "ALTER TABLE " + table + " ADD FULLTEXT KEY ft_text (" + brief + ", " + full + ")"};
    for (const bool without : {true, false}) {
        std::vector<std::string> commands;
        if (without)
            commands = {"CREATE TABLE ft_stop (value VARCHAR(30)) ENGINE=InnoDB",
                        "INSERT INTO ft_stop VALUES ('" + word + "')"};
        commands.push_back("SET GLOBAL innodb_ft_server_stopword_table = " +
                           (without ? "'" + stop + "'" : std::string("DEFAULT")));
        commands.insert(commands.end(), std::begin(rebuilt), std::end(rebuilt));
        if (!without)
            commands.push_back("DROP TABLE ft_stop");
        for (const std::string& command : commands) {
            const auto done = admin.execute(command);
            QVERIFY2(done, done ? "" : (command + ": " + done.error().text()).c_str());
        }
        QCOMPARE(broken(admin, instance.checks()), without ? "2=" + there + " " : std::string());
    }
}

} // namespace dyno::test
