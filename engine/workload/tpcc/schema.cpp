// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables, statements and consistency conditions.
#include "workload/tpcc/tpcc.h"

#include <algorithm>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace dyno::tpcc {

namespace {

struct Column
{
    const char* name;
    const char* type;
};
struct Definition
{
    const char* name;
    std::vector<Column> columns;
    const char* key; //!< primary; nullptr: none
};

const std::array<Definition, kTables>& definitions()
{
    static const std::array<Definition, kTables> all{{
        {"history",
         {{"h_c_id", "INT"},
          {"h_c_d_id", "TINYINT"},
          {"h_c_w_id", "SMALLINT"},
          {"h_d_id", "TINYINT"},
          {"h_w_id", "SMALLINT"},
          {"h_date", "DATETIME"},
          {"h_amount", "DECIMAL(6,2)"},
          {"h_data", "VARCHAR(24)"}},
         nullptr},
        {"new_orders",
         {{"no_o_id", "INT NOT NULL"}, {"no_d_id", "TINYINT NOT NULL"}, {"no_w_id", "SMALLINT NOT NULL"}},
         "no_w_id, no_d_id, no_o_id"},
        {"order_line",
         {{"ol_o_id", "INT NOT NULL"},
          {"ol_d_id", "TINYINT NOT NULL"},
          {"ol_w_id", "SMALLINT NOT NULL"},
          {"ol_number", "TINYINT NOT NULL"},
          {"ol_i_id", "INT"},
          {"ol_supply_w_id", "SMALLINT"},
          {"ol_delivery_d", "DATETIME"},
          {"ol_quantity", "TINYINT"},
          {"ol_amount", "DECIMAL(6,2)"},
          {"ol_dist_info", "CHAR(24)"}},
         "ol_w_id, ol_d_id, ol_o_id, ol_number"},
        {"orders",
         {{"o_id", "INT NOT NULL"},
          {"o_d_id", "TINYINT NOT NULL"},
          {"o_w_id", "SMALLINT NOT NULL"},
          {"o_c_id", "INT"},
          {"o_entry_d", "DATETIME"},
          {"o_carrier_id", "TINYINT"},
          {"o_ol_cnt", "TINYINT"},
          {"o_all_local", "TINYINT"}},
         "o_w_id, o_d_id, o_id"},
        {"customer",
         {{"c_id", "INT NOT NULL"},       {"c_d_id", "TINYINT NOT NULL"}, {"c_w_id", "SMALLINT NOT NULL"},
          {"c_first", "VARCHAR(16)"},     {"c_middle", "CHAR(2)"},        {"c_last", "VARCHAR(16)"},
          {"c_street_1", "VARCHAR(20)"},  {"c_street_2", "VARCHAR(20)"},  {"c_city", "VARCHAR(20)"},
          {"c_state", "CHAR(2)"},         {"c_zip", "CHAR(9)"},           {"c_phone", "CHAR(16)"},
          {"c_since", "DATETIME"},        {"c_credit", "CHAR(2)"},        {"c_credit_lim", "BIGINT"},
          {"c_discount", "DECIMAL(4,2)"}, {"c_balance", "DECIMAL(12,2)"}, {"c_ytd_payment", "DECIMAL(12,2)"},
          {"c_payment_cnt", "SMALLINT"},  {"c_delivery_cnt", "SMALLINT"}, {"c_data", "TEXT"}},
         "c_w_id, c_d_id, c_id"},
        {"district",
         {{"d_id", "TINYINT NOT NULL"},
          {"d_w_id", "SMALLINT NOT NULL"},
          {"d_name", "VARCHAR(10)"},
          {"d_street_1", "VARCHAR(20)"},
          {"d_street_2", "VARCHAR(20)"},
          {"d_city", "VARCHAR(20)"},
          {"d_state", "CHAR(2)"},
          {"d_zip", "CHAR(9)"},
          {"d_tax", "DECIMAL(4,2)"},
          {"d_ytd", "DECIMAL(12,2)"},
          {"d_next_o_id", "INT"}},
         "d_w_id, d_id"},
        {"stock",
         {{"s_i_id", "INT NOT NULL"},
          {"s_w_id", "SMALLINT NOT NULL"},
          {"s_quantity", "SMALLINT"},
          {"s_dist_01", "CHAR(24)"},
          {"s_dist_02", "CHAR(24)"},
          {"s_dist_03", "CHAR(24)"},
          {"s_dist_04", "CHAR(24)"},
          {"s_dist_05", "CHAR(24)"},
          {"s_dist_06", "CHAR(24)"},
          {"s_dist_07", "CHAR(24)"},
          {"s_dist_08", "CHAR(24)"},
          {"s_dist_09", "CHAR(24)"},
          {"s_dist_10", "CHAR(24)"},
          {"s_ytd", "DECIMAL(8,0)"},
          {"s_order_cnt", "SMALLINT"},
          {"s_remote_cnt", "SMALLINT"},
          {"s_data", "VARCHAR(50)"}},
         "s_w_id, s_i_id"},
        {"item",
         {{"i_id", "INT NOT NULL"},
          {"i_im_id", "INT"},
          {"i_name", "VARCHAR(24)"},
          {"i_price", "DECIMAL(5,2)"},
          {"i_data", "VARCHAR(50)"}},
         "i_id"},
        {"warehouse",
         {{"w_id", "SMALLINT NOT NULL"},
          {"w_name", "VARCHAR(10)"},
          {"w_street_1", "VARCHAR(20)"},
          {"w_street_2", "VARCHAR(20)"},
          {"w_city", "VARCHAR(20)"},
          {"w_state", "CHAR(2)"},
          {"w_zip", "CHAR(9)"},
          {"w_tax", "DECIMAL(4,2)"},
          {"w_ytd", "DECIMAL(12,2)"}},
         "w_id"},
    }};
    return all;
}

struct Index
{
    const char *name, *columns;
};
//! Made after the load. The profiles of other programs have theirs whether there are foreign keys or not.
std::vector<Index> indexes(Table table, const Params& params)
{
    switch (table) {
    case kCustomer:
        return {{"idx_customer", "c_w_id, c_d_id, c_last, c_first"}};
    case kOrders:
        return {{"idx_orders", "o_w_id, o_d_id, o_c_id, o_id"}};
    case kOrderLine:
        return params.compat() ? std::vector<Index>{{"fkey_order_line_2", "ol_supply_w_id, ol_i_id"}}
                               : std::vector<Index>();
    case kStock:
        return params.compat() ? std::vector<Index>{{"fkey_stock_2", "s_i_id"}} : std::vector<Index>();
    case kHistory:
        return params.sysbench() ? std::vector<Index>{{"fkey_history_1", "h_c_w_id, h_c_d_id, h_c_id"},
                                                      {"fkey_history_2", "h_w_id, h_d_id"}}
                                 : std::vector<Index>();
    default:
        return {};
    }
}

//! What a column's usual values take; texts of 12 to 16 characters in VARCHAR(16), and so on.
ColumnFacts columnFacts(const Column& column)
{
    const std::string_view type = column.type;
    const std::size_t bracket = type.find('(');
    const double size = bracket == type.npos ? 0 : std::atof(type.substr(bracket + 1).data());
    if (type.starts_with("TINYINT"))
        return numberColumn(column.name, 1, 1);
    if (type.starts_with("SMALLINT"))
        return numberColumn(column.name, 2, 1);
    if (type.starts_with("INT"))
        return numberColumn(column.name, 4, 2);
    if (type.starts_with("BIGINT"))
        return numberColumn(column.name, 8, 3);
    if (type.starts_with("DECIMAL"))
        return numberColumn(column.name, std::ceil(size / 2), 4);
    if (type.starts_with("DATETIME"))
        return numberColumn(column.name, 5, 19);
    if (type.starts_with("CHAR"))
        return textColumn(column.name, size);
    if (type.starts_with("VARCHAR"))
        return textColumn(column.name, size * 0.75);
    return textColumn(column.name, 400); // c_data
}

//! The ten of tpcc-mysql and sysbench-tpcc: those of one table, as clauses.
std::vector<std::string> foreignKeys(std::string_view table)
{
    struct Key
    {
        const char* table;
        const char* columns;
        const char* target;
    };
    constexpr std::array<Key, 10> kKeys{{
        {"new_orders", "no_w_id, no_d_id, no_o_id", "orders (o_w_id, o_d_id, o_id)"},
        {"orders", "o_w_id, o_d_id, o_c_id", "customer (c_w_id, c_d_id, c_id)"},
        {"customer", "c_w_id, c_d_id", "district (d_w_id, d_id)"},
        {"history", "h_c_w_id, h_c_d_id, h_c_id", "customer (c_w_id, c_d_id, c_id)"},
        {"history", "h_w_id, h_d_id", "district (d_w_id, d_id)"},
        {"district", "d_w_id", "warehouse (w_id)"},
        {"order_line", "ol_w_id, ol_d_id, ol_o_id", "orders (o_w_id, o_d_id, o_id)"},
        {"order_line", "ol_supply_w_id, ol_i_id", "stock (s_w_id, s_i_id)"},
        {"stock", "s_w_id", "warehouse (w_id)"},
        {"stock", "s_i_id", "item (i_id)"},
    }};
    std::vector<std::string> clauses;
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
        if (table == kKeys[i].table)
            clauses.push_back(fmt::format("CONSTRAINT fkey_tpcc_{} FOREIGN KEY ({}) REFERENCES {}", i + 1,
                                          kKeys[i].columns, kKeys[i].target));
    }
    return clauses;
}

StatementSpec read(std::string text, std::size_t integers, std::vector<Param::Type> more = {})
{
    StatementSpec spec;
    spec.text = std::move(text);
    spec.parameters.assign(integers, Param::Type::Integer);
    spec.parameters.insert(spec.parameters.end(), more.begin(), more.end());
    spec.returnsRows = true;
    spec.keep = Keep::All;
    return spec;
}

StatementSpec write(std::string text, std::vector<Param::Type> types)
{
    StatementSpec spec;
    spec.text = std::move(text);
    spec.parameters = std::move(types);
    return spec;
}

//! What only the profiles of other programs ask.
void addOthers(StatementSet& all, const Params& params, const SqlDialect& sql)
{
    using enum Param::Type;
    if (params.compat()) {
        const std::string named = "FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?";
        all.push_back(read("SELECT COUNT(c_id) " + named, 2, {Text}));
        all.push_back(read(fmt::format("SELECT c_balance, c_first, c_middle, {} {} ORDER BY c_first",
                                       params.sysbench() ? "c_id" : "c_last", named),
                           2, {Text}));
    }
    if (params.listsItems) {
        all.push_back(read("SELECT DISTINCT ol_i_id FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? "
                           "AND ol_o_id >= ?",
                           4));
        all.push_back(read("SELECT COUNT(*) FROM stock WHERE s_w_id = ? AND s_i_id = ? AND s_quantity < ?", 3));
        all.back().keep = Keep::Nothing; // the list of items stays
    }
    if (params.purge) {
        all.push_back(read("SELECT MIN(no_o_id) FROM new_orders WHERE no_w_id = ? AND no_d_id = ?", 2));
        all.push_back(read(
            fmt::format(
                "SELECT o_id FROM orders o, (SELECT o_c_id, o_w_id, o_d_id, COUNT(DISTINCT o_id) FROM orders WHERE "
                "o_w_id = ? AND o_d_id = ? AND o_id > {} AND o_id < ? GROUP BY o_c_id, o_d_id, o_w_id HAVING "
                "COUNT(DISTINCT o_id) > 1 LIMIT 1) t WHERE t.o_w_id = o.o_w_id AND t.o_d_id = o.o_d_id AND "
                "t.o_c_id = o.o_c_id LIMIT 1",
                params.delivered()),
            3)); // the script's 2100
        all.push_back(write("DELETE FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
                            {Integer, Integer, Integer}));
        all.push_back(
            write("DELETE FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", {Integer, Integer, Integer}));
        all.push_back(
            write(sql.limitedDelete
                      ? "DELETE FROM history WHERE h_w_id = ? AND h_d_id = ? LIMIT 10"
                      : fmt::format("DELETE FROM history WHERE {0} IN (SELECT {0} FROM history WHERE h_w_id = ? AND "
                                    "h_d_id = ? LIMIT 10)",
                                    sql.rowName),
                  {Integer, Integer}));
    }
}

} // namespace

std::array<TableSpec, kTables> tableSpecs(const Params& params, const SqlDialect& sql, const std::string& suffix)
{
    std::array<TableSpec, kTables> specs;
    for (std::size_t i = 0; i < kTables; ++i) {
        const Definition& definition = definitions()[i];
        std::string columns;
        for (const Column& column : definition.columns) {
            specs[i].columns.emplace_back(column.name);
            columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", column.name, sql.type(column.type));
        }
        if (i == kHistory && params.historyKey) {
            specs[i].columns.emplace_back("id");
            columns += sql.keyIsRowId ? ", id INTEGER PRIMARY KEY NOT NULL"
                                      : fmt::format(", id BIGINT NOT NULL{}, PRIMARY KEY (id)", sql.autoIncrement);
        }
        if (definition.key)
            columns += fmt::format(", PRIMARY KEY ({})", definition.key);
        for (const std::string& key : params.foreignKeys ? foreignKeys(definition.name) : std::vector<std::string>()) {
            if (sql.foreignKeysLater)
                specs[i].afterAll.push_back(fmt::format("ALTER TABLE {} ADD {}", definition.name, key));
            else // there is no other place for them
                columns += ", " + key;
        }
        specs[i].name = definition.name;
        specs[i].create = fmt::format("CREATE TABLE {} ({}){}", definition.name, columns, suffix);
        specs[i].freshEachRun = true; // orders are added, and numbered on
    }
    for (std::size_t i = 0; i < kTables; ++i) {
        for (const Index& index : indexes(Table(i), params))
            specs[i].afterLoad.push_back(
                fmt::format("CREATE INDEX {} ON {} ({})", index.name, definitions()[i].name, index.columns));
    }
    return specs;
}

RowFacts rowFacts(Table table, const Params& params, std::optional<KeyOrder> order)
{
    const Definition& definition = definitions()[table];
    RowFacts facts;
    for (const Column& column : definition.columns)
        facts.columns.push_back(columnFacts(column));
    facts.key = definition.key ? definition.key : "";
    if (table == kHistory && params.historyKey) {
        facts.columns.push_back(numberColumn("id", 8, 3));
        facts.key = "id";
        facts.keyIsRowId = true;
    }
    // The slices of these are long, or none of their rows comes between others.
    const bool rises = table == kHistory || table == kItem || table == kOrders || table == kOrderLine;
    facts.order = table == kHistory ? KeyOrder::Rising : order.value_or(rises ? KeyOrder::Rising : KeyOrder::Runs);
    for (const Index& index : indexes(table, params))
        facts.indexes.push_back({index.columns, order.value_or(KeyOrder::Rising)});
    return facts;
}

StatementSpec insertSpec(Table table, std::int64_t rows)
{
    const Definition& definition = definitions()[table];
    std::string columns, marks;
    StatementSpec spec;
    for (const Column& column : definition.columns) {
        const std::string_view type = column.type;
        const bool whole = type.find("INT") != std::string_view::npos;
        spec.parameters.push_back(whole                         ? Param::Type::Integer
                                  : type.starts_with("DECIMAL") ? Param::Type::Real
                                                                : Param::Type::Text);
        columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column.name);
        marks += marks.empty() ? "?" : ", ?";
    }
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES ({})", definition.name, columns, marks);
    const std::vector<Param::Type> one = spec.parameters;
    for (std::int64_t row = 1; row < rows; ++row) {
        spec.text += fmt::format(", ({})", marks);
        spec.parameters.insert(spec.parameters.end(), one.begin(), one.end());
    }
    return spec;
}

StatementSet requestStatements(const Params& params, const SqlDialect& sql)
{
    using enum Param::Type;
    const std::string& lock = sql.rowLock;
    const std::string more =
        params.compat() ? "" : ", s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?";
    const std::vector<Param::Type> stock = params.compat() ? std::vector{Integer, Integer, Integer}
                                                           : std::vector{Integer, Integer, Integer, Integer, Integer};
    const char* const sums = params.sysbench() ? "c_balance = ?, c_ytd_payment = ?"
                                               : "c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?";
    const std::string paid = params.sysbench() ? "" : ", c_payment_cnt = c_payment_cnt + 1";
    const char* const kCustomerKey = "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    StatementSet all{
        read("SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = ? AND c_w_id = w_id AND "
             "c_d_id = ? AND "
             "c_id = ?",
             3),
        read("SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ?" + lock, 2),
        write("UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?", {Integer, Integer, Integer}),
        write("INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, "
              "?, ?, ?)",
              {Integer, Integer, Integer, Integer, Text, Integer, Integer}),
        write("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)", {Integer, Integer, Integer}),
        read("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?", 1),
        write(fmt::format("UPDATE stock SET s_quantity = ?{} WHERE s_w_id = ? AND s_i_id = ?", more), stock),
        write("INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, "
              "ol_amount, "
              "ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
              {Integer, Integer, Integer, Integer, Integer, Integer, Integer, Real, Text}),
        write("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", {Real, Integer}),
        read("SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = ?", 1),
        write("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?", {Real, Integer, Integer}),
        read(
            "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district WHERE d_w_id = ? AND d_id = ?",
            2),
        read("SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first", 2, {Text}),
        read(fmt::format(
                 "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, "
                 "c_credit_lim, c_discount, c_balance, {}c_since FROM customer {}{}",
                 params.sysbench() ? "c_ytd_payment, " : "", kCustomerKey, lock),
             3),
        read(fmt::format("SELECT c_data FROM customer {}", kCustomerKey), 3),
        write(fmt::format("UPDATE customer SET {}{} {}", sums, paid, kCustomerKey),
              {Real, Real, Integer, Integer, Integer}),
        write(fmt::format("UPDATE customer SET {}, c_data = ?{} {}", sums, paid, kCustomerKey),
              {Real, Real, Text, Integer, Integer, Integer}),
        write("INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?, "
              "?, ?, ?, ?, ?, ?, "
              "?)",
              {Integer, Integer, Integer, Integer, Integer, Text, Real, Text}),
        read(fmt::format("SELECT c_balance, c_first, c_middle, c_last FROM customer {}", kCustomerKey), 3),
        params.tpccMysql() ? read("SELECT o_id, o_entry_d, COALESCE(o_carrier_id, 0) FROM orders WHERE o_w_id = ? AND "
                                  "o_d_id = ? AND o_c_id = ? AND o_id = "
                                  "(SELECT MAX(o_id) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?)",
                                  6)
                           : read(fmt::format("SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = ? AND "
                                              "o_d_id = ? AND o_c_id = ? ORDER BY "
                                              "o_id DESC{}",
                                              params.sysbench() ? "" : " LIMIT 1"),
                                  3),
        read("SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = ? "
             "AND ol_d_id = ? "
             "AND ol_o_id = ?",
             3),
        read(params.deliversByDistrict
                 ? "SELECT COALESCE(MIN(no_o_id), 0) FROM new_orders WHERE no_w_id = ? AND no_d_id = ?"
                 : "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1" + lock,
             2),
        write("DELETE FROM new_orders WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?", {Integer, Integer, Integer}),
        read("SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", 3),
        write("UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
              {Integer, Integer, Integer, Integer}),
        write("UPDATE order_line SET ol_delivery_d = ? WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
              {Text, Integer, Integer, Integer}),
        read("SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", 3),
        write(fmt::format("UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 {}",
                          kCustomerKey),
              {Real, Integer, Integer, Integer}),
        read("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?", 2),
        read("SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? "
             "AND ol_o_id >= ? "
             "AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?",
             6),
    };
    for (std::int64_t district = 1; district <= kDistricts; ++district) {
        const std::string texts = params.tpccMysql()
                                      ? "s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, "
                                        "s_dist_08, s_dist_09, s_dist_10"
                                      : fmt::format("s_dist_{:02}", district);
        all.push_back(read(
            fmt::format("SELECT s_quantity, s_data, {} FROM stock WHERE s_w_id = ? AND s_i_id = ?{}", texts, lock), 2));
    }
    addOthers(all, params, sql);
    return all;
}

std::vector<DataCheck> TpccInstance::checks() const
{
    const auto rows = [](const char* name, const char* table, const char* condition) {
        return DataCheck{name, fmt::format("SELECT COUNT(*) FROM {} WHERE {}", table, condition)};
    };
    // Sums are made once and joined: asked for each customer, they cost SQLite all lines of the district.
    const std::string delivered =
        "customer LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS delivered FROM orders, order_line "
        "WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d IS NOT NULL GROUP BY "
        "o_w_id, o_d_id, o_c_id) d ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id";
    const std::string paid =
        delivered + " LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS paid FROM history GROUP BY "
                    "h_c_w_id, h_c_d_id, h_c_id) h ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id";
    std::vector<DataCheck> all{
        rows("1: w_ytd is the sum of d_ytd", "warehouse",
             "ABS(w_ytd - (SELECT SUM(d_ytd) FROM district WHERE d_w_id = w_id)) > 0.005"),
        rows("2: d_next_o_id follows the greatest order", "district",
             "d_next_o_id - 1 <> (SELECT MAX(o_id) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id) OR d_next_o_id "
             "- 1 <> "
             "COALESCE((SELECT MAX(no_o_id) FROM new_orders WHERE no_w_id = d_w_id AND no_d_id = d_id), d_next_o_id - "
             "1)"),
        rows("3: the numbers of new orders have no gap", "district",
             "(SELECT COALESCE(MAX(no_o_id) - MIN(no_o_id) + 1, 0) - COUNT(*) FROM new_orders WHERE no_w_id = d_w_id "
             "AND no_d_id = "
             "d_id) <> 0"),
        rows("4: orders have as many lines as they say", "district",
             "(SELECT SUM(o_ol_cnt) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id) <> (SELECT COUNT(*) FROM "
             "order_line WHERE "
             "ol_w_id = d_w_id AND ol_d_id = d_id)"),
        rows("5: an order without a carrier is a new one", "orders",
             "(o_carrier_id IS NULL) <> EXISTS (SELECT 1 FROM new_orders WHERE no_w_id = o_w_id AND no_d_id = o_d_id "
             "AND no_o_id = "
             "o_id)"),
        rows("7: lines are delivered when their order is", "order_line, orders",
             "o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id AND (ol_delivery_d IS NULL) <> (o_carrier_id IS "
             "NULL)"),
        rows("8: w_ytd is the sum of its history", "warehouse",
             "ABS(w_ytd - (SELECT SUM(h_amount) FROM history WHERE h_w_id = w_id)) > 0.005"),
        rows("9: d_ytd is the sum of its history", "district",
             "ABS(d_ytd - (SELECT SUM(h_amount) FROM history WHERE h_w_id = d_w_id AND h_d_id = d_id)) > 0.005"),
        rows("10: a balance is what was delivered less what was paid", paid.c_str(),
             "ABS(c_balance - (COALESCE(delivered, 0) - COALESCE(paid, 0))) > 0.005"),
        rows("12: balance and payments are what was delivered", delivered.c_str(),
             "ABS(c_balance + c_ytd_payment - COALESCE(delivered, 0)) > 0.005"),
    };
    // A purge takes lines and rows of the history away; deliveries that meet without a lock credit an order twice.
    const bool noHistory = m_params.purge, noBalance = m_params.purge || m_params.deliversByDistrict;
    std::erase_if(all, [=](const DataCheck& one) {
        return (noHistory && (one.name.starts_with("8") || one.name.starts_with("9"))) ||
               (noBalance && (one.name.starts_with("10") || one.name.starts_with("12")));
    });
    return all;
}

} // namespace dyno::tpcc
