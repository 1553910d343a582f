// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Tables, statements and conditions of the brokerage workload.
#include "workload/brokerage/brokerage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace dyno::brokerage {

namespace {

struct Column
{
    const char* name;
    const char* type = "BIGINT"; //!< of the full model; all are whole numbers in the reduced one
    bool full = false;           //!< of the full model only
};

struct Shape
{
    const char* name;
    std::vector<Column> columns; //!< whole numbers first
    const char* key;
    std::vector<std::string> indexes; //!< made after the load
};

const std::array<Shape, kFullTables>& shapes()
{
    static const std::array<Shape, kFullTables> all{
        Shape{"be_customer",
              {{"c_id"},
               {"c_tier", "TINYINT"},
               {"c_changes", "INT"},
               {"c_name", "VARCHAR(46)", true},
               {"c_mail", "VARCHAR(50)", true},
               {"c_born", "DATE", true},
               {"c_country", "CHAR(2)", true}},
              "c_id",
              {}},
        Shape{"be_broker",
              {{"b_id"}, {"b_trades", "INT"}, {"b_commission"}, {"b_name", "VARCHAR(60)", true}},
              "b_id",
              {}},
        Shape{"be_account",
              {{"ca_id"}, {"ca_c_id"}, {"ca_b_id"}, {"ca_start"}, {"ca_balance"}, {"ca_name", "VARCHAR(50)", true}},
              "ca_id",
              {"ca_c_id", "ca_b_id"}},
        Shape{"be_security",
              {{"s_id"},
               {"s_exchange", "TINYINT"},
               {"s_open", "INT"},
               {"s_price", "INT"},
               {"s_volume"},
               {"s_symbol", "CHAR(8)", true},
               {"s_name", "VARCHAR(70)", true},
               {"s_dividend", "DECIMAL(10,2)", true},
               {"s_listed", "DATE", true}},
              "s_id",
              {}},
        Shape{"be_trade",
              {{"t_id"},
               {"t_ca_id"},
               {"t_s_id"},
               {"t_buys", "TINYINT"},
               {"t_qty", "INT"},
               {"t_price", "INT"},
               {"t_done", "TINYINT"},
               {"t_time"},
               {"t_note", "INT"},
               {"t_type", "CHAR(3)", true},
               {"t_placed", "DATETIME", true},
               {"t_fee", "DECIMAL(10,2)", true},
               {"t_executor", "VARCHAR(49)", true}},
              "t_id",
              {"t_ca_id, t_id", "t_s_id, t_id"}},
        Shape{"be_holding", {{"h_ca_id"}, {"h_s_id"}, {"h_start", "INT"}, {"h_qty", "INT"}}, "h_ca_id, h_s_id", {}},
        Shape{"be_company",
              {{"co_id"},
               {"co_industry", "SMALLINT"},
               {"co_name", "VARCHAR(60)"},
               {"co_ceo", "VARCHAR(46)"},
               {"co_about", "VARCHAR(150)"}},
              "co_id",
              {"co_industry"}},
        Shape{"be_daily",
              {{"dm_s_id"},
               {"dm_day", "SMALLINT"},
               {"dm_volume"},
               {"dm_date", "DATE"},
               {"dm_close", "DECIMAL(8,2)"},
               {"dm_high", "DECIMAL(8,2)"},
               {"dm_low", "DECIMAL(8,2)"}},
              "dm_s_id, dm_day",
              {}},
        Shape{"be_watch", {{"w_c_id"}, {"w_s_id"}}, "w_c_id, w_s_id", {}},
        Shape{"be_state", {{"th_t_id"}, {"th_state", "CHAR(4)"}, {"th_at", "DATETIME"}}, "th_t_id, th_state", {}},
        Shape{"be_settlement",
              {{"se_t_id"}, {"se_kind", "VARCHAR(40)"}, {"se_due", "DATE"}, {"se_amount", "DECIMAL(10,2)"}},
              "se_t_id",
              {}},
        Shape{"be_cash",
              {{"ct_t_id"}, {"ct_at", "DATETIME"}, {"ct_amount", "DECIMAL(10,2)"}, {"ct_text", "VARCHAR(100)"}},
              "ct_t_id",
              {}},
        Shape{"be_request",
              {{"tr_t_id"}, {"tr_s_id"}, {"tr_type", "CHAR(3)"}, {"tr_price", "DECIMAL(8,2)"}},
              "tr_t_id",
              {"tr_s_id, tr_t_id"}},
        Shape{"be_holding_log", {{"hh_t_id"}, {"hh_ca_id"}, {"hh_before", "INT"}, {"hh_after", "INT"}}, "hh_t_id", {}}};
    return all;
}

std::vector<Column> columnsOf(const Params& params, const Shape& shape)
{
    std::vector<Column> columns = shape.columns;
    std::erase_if(columns, [&params](const Column& column) { return column.full && !params.full; });
    for (Column& column : columns) {
        if (!params.full)
            column.type = "BIGINT";
    }
    return columns;
}

std::vector<std::string> namesOf(const std::vector<Column>& columns)
{
    std::vector<std::string> names;
    for (const Column& column : columns)
        names.emplace_back(column.name);
    return names;
}

//! Texts are a bit more than half as long as they may be. In SQLite days and times are texts.
ColumnFacts factsOf(const Column& column)
{
    constexpr double kOfLongest = 0.6;
    struct Number
    {
        std::string_view type;
        double width, used;
    };
    static constexpr Number kNumbers[] = {{"BIGINT", 8, 2},  {"INT", 4, 2},   {"SMALLINT", 2, 2},
                                          {"TINYINT", 1, 1}, {"DATE", 3, 10}, {"DATETIME", 5, 19}};
    const std::string_view type = column.type;
    if (const auto* found = std::ranges::find(kNumbers, type, &Number::type); found != std::end(kNumbers))
        return numberColumn(column.name, found->width, found->used);
    if (type.starts_with("DECIMAL"))
        return numberColumn(column.name, 5, 8);
    int longest = 0;
    std::from_chars(type.data() + type.find('(') + 1, type.data() + type.size(), longest);
    return textColumn(column.name, type.starts_with("VARCHAR") ? kOfLongest * longest : longest);
}

Param::Type typeOf(std::string_view type)
{
    return type.ends_with("INT")         ? Param::Type::Integer
           : type.starts_with("DECIMAL") ? Param::Type::Real
                                         : Param::Type::Text;
}

using Texts = std::vector<std::pair<std::string, Keep>>;

//! What only the full model asks, from kOwnerOf on.
void addFullStatements(Texts& texts)
{
    const auto add = [&texts](const char* text, Keep keep = Keep::Nothing) { texts.emplace_back(text, keep); };
    add("SELECT c_id, c_name, c_tier, ca_name FROM be_account JOIN be_customer ON c_id=ca_c_id WHERE ca_id=?");
    add("SELECT b_name, b_trades FROM be_broker WHERE b_id=?");
    add("SELECT c_name, c_mail, c_born, c_country, c_tier FROM be_customer WHERE c_id=?");
    add("SELECT t_id, t_s_id, t_qty, t_type, t_placed FROM be_trade WHERE t_ca_id=? ORDER BY t_id DESC LIMIT 10");
    add("SELECT h_qty FROM be_holding WHERE h_ca_id=? AND h_s_id=?", Keep::Last);
    add("SELECT co_name, co_ceo, co_about, s_symbol, s_listed FROM be_security JOIN be_company ON co_id=s_id WHERE "
        "s_id=?");
    add("SELECT co_id, co_name FROM be_company WHERE co_industry=? ORDER BY co_id LIMIT 3");
    add("SELECT dm_date, dm_close, dm_high, dm_low, dm_volume FROM be_daily WHERE dm_s_id=? ORDER BY dm_day DESC "
        "LIMIT 20");
    add("SELECT dm_close FROM be_daily WHERE dm_s_id=? AND dm_day=?");
    add("SELECT w_s_id FROM be_watch WHERE w_c_id=? ORDER BY w_s_id LIMIT 5", Keep::All);
    add("SELECT t_id, t_qty, t_price, t_type, t_executor FROM be_trade WHERE t_id>=? ORDER BY t_id LIMIT 20",
        Keep::All);
    add("SELECT se_kind, se_due, se_amount FROM be_settlement WHERE se_t_id=?");
    add("SELECT ct_at, ct_amount, ct_text FROM be_cash WHERE ct_t_id=?");
    add("SELECT th_state, th_at FROM be_state WHERE th_t_id=? ORDER BY th_at");
    add("SELECT tr_type, tr_price FROM be_request WHERE tr_t_id=?");
    add("SELECT tr_t_id, tr_price FROM be_request WHERE tr_s_id=? ORDER BY tr_t_id LIMIT 20");
    add("INSERT INTO be_request (tr_t_id, tr_s_id, tr_type, tr_price) VALUES (?,?,?,?)");
    add("DELETE FROM be_request WHERE tr_t_id=?");
    add("INSERT INTO be_state (th_t_id, th_state, th_at) VALUES (?,?,?)");
    add("INSERT INTO be_settlement (se_t_id, se_kind, se_due, se_amount) VALUES (?,?,?,?)");
    add("INSERT INTO be_cash (ct_t_id, ct_at, ct_amount, ct_text) VALUES (?,?,?,?)");
    add("INSERT INTO be_holding_log (hh_t_id, hh_ca_id, hh_before, hh_after) VALUES (?,?,?,?)");
    add("UPDATE be_trade SET t_fee=? WHERE t_id=?");
    add("UPDATE be_security SET s_volume=s_volume+? WHERE s_id=?");
}

//! Of statements whose parameters are not all whole numbers.
std::vector<Param::Type> parametersOf(std::size_t statement, std::size_t count)
{
    using enum Param::Type;
    std::vector<Param::Type> types(count, Integer);
    const auto set = [&types](std::initializer_list<std::pair<std::size_t, Param::Type>> some) {
        for (const auto& [place, type] : some)
            types.at(place) = type;
    };
    switch (statement) {
    case kGiveOrder:
        if (count > 7)
            set({{7, Text}, {8, Text}});
        break;
    case kAddRequest:
        set({{2, Text}, {3, Real}});
        break;
    case kAddState:
        set({{1, Text}, {2, Text}});
        break;
    case kAddSettlement:
        set({{1, Text}, {2, Text}, {3, Real}});
        break;
    case kAddCash:
        set({{1, Text}, {2, Real}, {3, Text}});
        break;
    case kFees:
        set({{0, Real}});
        break;
    default:
        break;
    }
    return types;
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
        return accounts() * 4;
    case kCompany:
        return securities();
    case kDaily:
        return securities() * days;
    case kWatchList:
        return customers * kWatchedSecurities;
    case kStates:
        return trades() * 2;
    case kSettlements:
    case kPayments:
        return trades();
    case kRequests:
    case kHoldingLogs:
        break; // of the run
    }
    return 0;
}

std::vector<TableSpec> tableSpecs(const Params& params, const SqlDialect& sql, const std::string& suffix)
{
    std::vector<TableSpec> specs;
    for (std::size_t i = 0; i < params.tables(); ++i) {
        const Shape& shape = shapes()[i];
        TableSpec spec;
        spec.name = shape.name;
        std::string columns;
        for (const Column& column : columnsOf(params, shape)) {
            spec.columns.emplace_back(column.name);
            columns += fmt::format("{} {} NOT NULL, ", column.name, sql.type(column.type));
        }
        spec.create = fmt::format("CREATE TABLE {} ({}PRIMARY KEY ({})){}", shape.name, columns, shape.key, suffix);
        for (std::size_t n = 0; n < shape.indexes.size(); ++n)
            spec.afterLoad.push_back(
                fmt::format("CREATE INDEX {0}_{1} ON {0} ({2})", shape.name, n + 1, shape.indexes[n]));
        spec.rows = params.rows(Table(i));
        spec.rowsPerSlice = 1000 * (sql.loadsPrepared ? 20 : 1);
        spec.freshEachRun = true; // orders are numbered from the same number on
        spec.keysRepeat = Table(i) == kTrade || Table(i) >= kStates;
        specs.push_back(std::move(spec));
    }
    return specs;
}

//! Indexes are made after the load.
RowFacts rowFacts(const Params& params, Table table, KeyOrder order)
{
    const Shape& shape = shapes()[table];
    RowFacts facts{.columns = {}, .key = shape.key, .order = order};
    for (const Column& column : columnsOf(params, shape))
        facts.columns.push_back(factsOf(column));
    for (const std::string& index : shape.indexes)
        facts.indexes.push_back({index, order == KeyOrder::Runs ? KeyOrder::Rising : order});
    return facts;
}

StatementSpec insertSpec(const Params& params, Table table, std::int64_t rows)
{
    const Shape& shape = shapes()[table];
    const std::vector<Column> columns = columnsOf(params, shape);
    const std::string row = fmt::format("({})", fmt::join(std::vector<std::string>(columns.size(), "?"), ","));
    StatementSpec spec;
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES {}", shape.name, fmt::join(namesOf(columns), ","),
                            fmt::join(std::vector<std::string>(std::size_t(rows), row), ","));
    for (std::int64_t i = 0; i < rows; ++i) {
        for (const Column& column : columns)
            spec.parameters.push_back(typeOf(column.type));
    }
    return spec;
}

StatementSet requestStatements(const Params& params, const SqlDialect& sql)
{
    Texts texts{
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
        {params.full ? "INSERT INTO be_trade (t_id, t_ca_id, t_s_id, t_buys, t_qty, t_price, t_done, t_time, t_note, "
                       "t_type, t_placed, t_fee, t_executor) VALUES (?,?,?,?,?,?,0,?,0,?,?,0,'floor')"
                     : "INSERT INTO be_trade (t_id, t_ca_id, t_s_id, t_buys, t_qty, t_price, t_done, t_time, t_note) "
                       "VALUES (?,?,?,?,?,?,0,?,0)",
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
    if (params.full)
        addFullStatements(texts);
    StatementSet set;
    for (const auto& [text, keep] : texts) {
        StatementSpec spec;
        spec.text = text;
        spec.parameters = parametersOf(set.size(), std::size_t(std::ranges::count(text, '?')));
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
    std::vector<DataCheck> checks{
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
    if (params.full) {
        checks.push_back(
            {"an order waits until it is filled",
             "SELECT (SELECT COUNT(*) FROM be_trade WHERE t_done=0 AND NOT EXISTS (SELECT 1 FROM "
             "be_request WHERE tr_t_id=t_id)) + (SELECT COUNT(*) FROM be_request WHERE NOT EXISTS (SELECT 1 "
             "FROM be_trade WHERE t_id=tr_t_id AND t_done=0))"});
        checks.push_back({"each order that was filled is settled, paid and completed",
                          "SELECT COUNT(*) FROM be_trade WHERE t_done=1 AND (NOT EXISTS (SELECT 1 FROM be_settlement "
                          "WHERE se_t_id=t_id) OR NOT EXISTS (SELECT 1 FROM be_cash WHERE ct_t_id=t_id) OR NOT EXISTS "
                          "(SELECT 1 FROM be_state WHERE th_t_id=t_id AND th_state='CMPT'))"});
        checks.push_back({"holdings are logged as they changed",
                          fmt::format("SELECT ABS((SELECT COUNT(*) FROM be_holding_log) - (SELECT COUNT(*) FROM "
                                      "be_trade WHERE {0})) + (SELECT COUNT(*) FROM be_holding_log JOIN be_trade ON "
                                      "t_id=hh_t_id WHERE hh_after-hh_before <> CASE WHEN t_buys=1 THEN t_qty ELSE "
                                      "-t_qty END)",
                                      done)});
    }
    return checks;
}

} // namespace dyno::brokerage
