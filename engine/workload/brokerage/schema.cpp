// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables, statements and conditions of the brokerage workload.
#include "workload/brokerage/brokerage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dyno::brokerage {

namespace {

struct Shape
{
    const char* name;
    std::vector<std::string> columns; //!< all are whole numbers
    const char* key;
    std::vector<std::string> indexes; //!< made after the load
};

const std::array<Shape, kTables>& shapes()
{
    static const std::array<Shape, kTables> all{
        Shape{"be_customer", {"c_id", "c_tier", "c_changes"}, "c_id", {}},
        Shape{"be_broker", {"b_id", "b_trades", "b_commission"}, "b_id", {}},
        Shape{"be_account", {"ca_id", "ca_c_id", "ca_b_id", "ca_start", "ca_balance"}, "ca_id", {"ca_c_id", "ca_b_id"}},
        Shape{"be_security", {"s_id", "s_exchange", "s_open", "s_price", "s_volume"}, "s_id", {}},
        Shape{"be_trade",
              {"t_id", "t_ca_id", "t_s_id", "t_buys", "t_qty", "t_price", "t_done", "t_time", "t_note"},
              "t_id",
              {"t_ca_id, t_id", "t_s_id, t_id"}},
        Shape{"be_holding", {"h_ca_id", "h_s_id", "h_start", "h_qty"}, "h_ca_id, h_s_id", {}}};
    return all;
}

} // namespace

std::int64_t Params::rows(Table table) const
{
    switch (table) {
    case kCustomer:
        return customers;
    case kBroker:
        return brokers();
    case kAccount:
        return accounts();
    case kSecurity:
        return securities();
    case kTrade:
        return trades();
    case kHolding:
        break;
    }
    return accounts() * 4;
}

std::vector<TableSpec> tableSpecs(const Params& params, const SqlDialect& sql, const std::string& suffix)
{
    std::vector<TableSpec> specs;
    for (std::size_t i = 0; i < kTables; ++i) {
        const Shape& shape = shapes()[i];
        TableSpec spec;
        spec.name = shape.name;
        spec.columns = shape.columns;
        spec.create = fmt::format("CREATE TABLE {} ({} BIGINT NOT NULL, PRIMARY KEY ({})){}", shape.name,
                                  fmt::join(shape.columns, " BIGINT NOT NULL, "), shape.key, suffix);
        for (std::size_t n = 0; n < shape.indexes.size(); ++n)
            spec.afterLoad.push_back(
                fmt::format("CREATE INDEX {0}_{1} ON {0} ({2})", shape.name, n + 1, shape.indexes[n]));
        spec.rows = params.rows(Table(i));
        spec.rowsPerSlice = 1000 * (sql.loadsPrepared ? 20 : 1);
        spec.freshEachRun = true; // orders are numbered from the same number on
        spec.keysRepeat = Table(i) == kTrade;
        specs.push_back(std::move(spec));
    }
    return specs;
}

//! Indexes are made after the load.
RowFacts rowFacts(Table table, KeyOrder order)
{
    const Shape& shape = shapes()[table];
    RowFacts facts{.columns = {}, .key = shape.key, .order = order};
    for (const std::string& column : shape.columns)
        facts.columns.push_back(numberColumn(column, 8, 2));
    for (const std::string& index : shape.indexes)
        facts.indexes.push_back({index, order == KeyOrder::Runs ? KeyOrder::Rising : order});
    return facts;
}

StatementSpec insertSpec(Table table, std::int64_t rows)
{
    const Shape& shape = shapes()[table];
    const std::string row = fmt::format("({})", fmt::join(std::vector<std::string>(shape.columns.size(), "?"), ","));
    StatementSpec spec;
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES {}", shape.name, fmt::join(shape.columns, ","),
                            fmt::join(std::vector<std::string>(std::size_t(rows), row), ","));
    spec.parameters.assign(std::size_t(rows) * shape.columns.size(), Param::Type::Integer);
    return spec;
}

StatementSet requestStatements(const SqlDialect& sql)
{
    const std::pair<std::string, Keep> texts[] = {
        {"SELECT t_id, t_done, t_time, t_qty, s_exchange FROM be_trade JOIN be_security ON s_id=t_s_id WHERE t_ca_id=? "
         "ORDER BY t_id DESC "
         "LIMIT 50",
         Keep::Nothing},
        {"SELECT s_id, s_open, s_price FROM be_security WHERE s_id BETWEEN ? AND ?", Keep::Nothing},
        {"SELECT s_exchange, s_open, s_price, s_volume FROM be_security WHERE s_id=?", Keep::Nothing},
        {"SELECT t_time, t_price, t_qty FROM be_trade WHERE t_s_id=? ORDER BY t_id DESC LIMIT 20", Keep::Nothing},
        {"SELECT ca_id, ca_balance, SUM(h_qty*s_price) FROM be_account JOIN be_holding ON h_ca_id=ca_id JOIN "
         "be_security ON s_id=h_s_id "
         "WHERE ca_c_id=? GROUP BY ca_id, ca_balance",
         Keep::Nothing},
        {"SELECT ca_b_id, ca_balance FROM be_account WHERE ca_id=?", Keep::Last},
        {"SELECT s_price FROM be_security WHERE s_id=?", Keep::Last},
        {"INSERT INTO be_trade (t_id, t_ca_id, t_s_id, t_buys, t_qty, t_price, t_done, t_time, t_note) VALUES "
         "(?,?,?,?,?,?,0,?,0)",
         Keep::Nothing},
        {"SELECT t_ca_id, t_s_id, t_buys, t_qty, t_price FROM be_trade WHERE t_id=? AND t_done=0" + sql.rowLock,
         Keep::Last},
        {"UPDATE be_trade SET t_done=1 WHERE t_id=?", Keep::Nothing},
        {"UPDATE be_holding SET h_qty=h_qty+? WHERE h_ca_id=? AND h_s_id=?", Keep::Nothing},
        {"INSERT INTO be_holding (h_ca_id, h_s_id, h_start, h_qty) VALUES (?,?,0,?)", Keep::Nothing},
        {"UPDATE be_account SET ca_balance=ca_balance+? WHERE ca_id=?", Keep::Nothing},
        {"UPDATE be_broker SET b_trades=b_trades+1, b_commission=b_commission+? WHERE b_id=?", Keep::Nothing},
        {"SELECT t_id, t_buys, t_qty, t_price, t_done, t_note FROM be_trade WHERE t_ca_id=? ORDER BY t_id DESC LIMIT "
         "20",
         Keep::Nothing},
        {"SELECT ca_id, SUM(t_qty*t_price) FROM be_account JOIN be_trade ON t_ca_id=ca_id WHERE ca_b_id=? AND t_done=0 "
         "GROUP BY ca_id",
         Keep::Nothing},
        {"SELECT t_id FROM be_trade WHERE t_ca_id=? ORDER BY t_id DESC LIMIT 3", Keep::All},
        {"UPDATE be_trade SET t_note=t_note+1 WHERE t_id=?", Keep::Nothing},
        {"UPDATE be_security SET s_price=?, s_volume=s_volume+? WHERE s_id=?", Keep::Nothing},
        {"UPDATE be_customer SET c_tier=?, c_changes=c_changes+1 WHERE c_id=?", Keep::Nothing}};
    StatementSet set;
    for (const auto& [text, keep] : texts) {
        StatementSpec spec;
        spec.text = text;
        spec.parameters.assign(std::size_t(std::count(text.begin(), text.end(), '?')), Param::Type::Integer);
        spec.returnsRows = text.starts_with("SELECT");
        spec.keep = keep;
        set.push_back(std::move(spec));
    }
    return set;
}

std::vector<DataCheck> dataChecks(const Params& params)
{
    const std::int64_t loaded = params.trades();
    const std::string done = fmt::format("t_done=1 AND t_id > {}", loaded);
    return {
        {"brokers have counted each order that was filled",
         fmt::format("SELECT ABS((SELECT SUM(b_trades) FROM be_broker) - (SELECT COUNT(*) FROM be_trade WHERE {}))",
                     done)},
        {"accounts have paid for what they bought, got what they sold for, and the commission",
         fmt::format("SELECT COUNT(*) FROM be_account WHERE ca_balance <> ca_start + (SELECT COALESCE(SUM(CASE WHEN "
                     "t_buys=1 THEN "
                     "-t_qty*t_price ELSE t_qty*t_price END - 100), 0) FROM be_trade WHERE t_ca_id=ca_id AND {})",
                     done)},
        {"accounts hold what they bought and did not sell",
         fmt::format(
             "SELECT (SELECT COUNT(*) FROM be_holding WHERE h_qty <> h_start + (SELECT COALESCE(SUM(CASE WHEN t_buys=1 "
             "THEN t_qty "
             "ELSE -t_qty END), 0) FROM be_trade WHERE t_ca_id=h_ca_id AND t_s_id=h_s_id AND {0})) + (SELECT COUNT(*) "
             "FROM "
             "be_trade WHERE {0} AND NOT EXISTS (SELECT 1 FROM be_holding WHERE h_ca_id=t_ca_id AND h_s_id=t_s_id)) + "
             "ABS((SELECT COUNT(*) FROM be_holding WHERE h_start > 0) - {1})",
             done, params.rows(kHolding))},
        {"each order is of an account and of a security that there are",
         "SELECT COUNT(*) FROM be_trade WHERE NOT EXISTS (SELECT 1 FROM be_account WHERE ca_id=t_ca_id) OR NOT EXISTS "
         "(SELECT 1 FROM "
         "be_security WHERE s_id=t_s_id)"}};
}

} // namespace dyno::brokerage
