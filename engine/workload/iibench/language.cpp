// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/iibench/iibench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno::iibench {

namespace {

std::string repeated(const std::string& text, std::int64_t times)
{
    return fmt::format("{}", fmt::join(std::vector<std::string>(std::size_t(times), text), ","));
}

//! {"a":1,"b":1}
std::string each(const std::vector<std::string>& fields)
{
    std::string text;
    for (const std::string& field : fields)
        text += fmt::format(R"({}"{}":1)", text.empty() ? "" : ",", field);
    return "{" + text + "}";
}

} // namespace

Language::Language(const Params& params, DataModel model, SqlDialect sql, std::string suffix)
    : m_params(params)
    , m_model(model)
    , m_sql(std::move(sql))
    , m_suffix(std::move(suffix))
{
}

std::string Language::product() const
{
    return documents() && m_params.form == Form::Mytools ? "product" : "productid";
}

std::string Language::textField(int number) const
{
    return m_params.form == Form::Mytools && m_params.textFields == 1 ? "data" : fmt::format("cf{}", number + 1);
}

std::vector<std::string> Language::columns() const
{
    std::vector<std::string> names{
        documents() ? "_id" : "transactionid", "dateandtime", "cashregisterid", "customerid", product(), "price"};
    for (int i = 0; i < m_params.textFields; ++i)
        names.push_back(textField(i));
    return names;
}

std::string Language::create() const
{
    const std::string remark =
        fmt::format("texts of {} characters, {} random", m_params.textLength, m_params.randomLength);
    if (documents())
        return fmt::format(R"({{"create":"{}","comment":"{}"{}}})", m_params.table, remark, m_suffix);
    const bool rowId = m_sql.keyIsRowId;
    const bool purchases = m_params.form == Form::Purchases; // narrower: 4 bytes of key and of price in every index
    std::string text =
        fmt::format("CREATE TABLE {} /* {} */ (transactionid {}, dateandtime {}, cashregisterid INTEGER NOT NULL, "
                    "customerid INTEGER NOT NULL, productid INTEGER NOT NULL, price {} NOT NULL",
                    m_params.table, remark,
                    rowId ? "INTEGER PRIMARY KEY NOT NULL"
                          : (purchases ? "INTEGER NOT NULL" : "BIGINT NOT NULL") + m_sql.autoIncrement,
                    m_sql.type(timeType() == Param::Type::Text ? "DATETIME" : "BIGINT"),
                    m_sql.type(priceType() != Param::Type::Real ? "INTEGER"
                               : purchases                      ? "FLOAT"
                                                                : "DOUBLE"));
    for (int i = 0; i < m_params.textFields; ++i)
        text += fmt::format(", {} {}", textField(i), textType());
    if (m_params.indexesFirst && m_sql.keysInTable) {
        for (const Op op : indexOrder())
            text += fmt::format(", KEY {} ({})", indexName(op), fmt::join(fieldsOf(op), ", "));
    }
    return text + (rowId ? ")" : ", PRIMARY KEY (transactionid))") + m_suffix + partitions();
}

//! mytools' own where there is one. A row of the MySQL family has 65 535 bytes at most, up to four for a character of
//! each VARCHAR, whatever is in it.
std::string Language::textType() const
{
    constexpr std::int64_t kMytools = 4000, kMostCharacters = 16'000;
    for (const std::int64_t length : {kMytools, m_params.textLength}) {
        if (m_params.textFields * length <= kMostCharacters)
            return fmt::format("VARCHAR({})", length);
    }
    return "TEXT";
}

std::string Language::partitions() const
{
    if (m_params.partitions == 0)
        return {};
    std::string text;
    for (std::int64_t i = 1; i < m_params.partitions; ++i)
        text += fmt::format("PARTITION p{} VALUES LESS THAN ({}), ", i, i * m_params.rowsPerPartition + 1);
    return fmt::format(" PARTITION BY RANGE (transactionid) ({}PARTITION p{} VALUES LESS THAN MAXVALUE)", text,
                       m_params.partitions);
}

//! mongodb numbers its indexes in another order than mytools.
std::vector<Op> Language::indexOrder() const
{
    std::vector<Op> order{Op::Market, Op::Register, Op::Pdc};
    order.resize(std::size_t(m_params.indexes));
    return order;
}

std::vector<std::string> Language::fieldsOf(Op op) const
{
    const bool tuples = m_params.asksTuples();
    if (op == Op::Market)
        return tuples ? std::vector<std::string>{"price", "customerid"}
                      : std::vector{product(), std::string("customerid"), std::string("price")};
    if (op == Op::Register)
        return tuples ? std::vector<std::string>{"cashregisterid", "price", "customerid"}
                      : std::vector<std::string>{"cashregisterid", "customerid", "price"};
    return {"price", "dateandtime", "customerid"};
}

std::string Language::indexName(Op op) const
{
    const char* const name = op == Op::Market ? "marketsegment" : op == Op::Register ? "registersegment" : "pdc";
    if (documents())
        return op == Op::Market ? "pc" : op == Op::Register ? "cpc" : "pdc";
    return fmt::format("{}_{}", m_params.table, name);
}

std::vector<std::string> Language::createIndexes() const
{
    std::vector<std::string> commands;
    if (m_params.indexesFirst && !documents() && m_sql.keysInTable)
        return commands;                                              // with the table
    if (!documents() && m_sql.keysInTable && !indexOrder().empty()) { // in one statement, which reads the rows once
        std::string all;
        for (const Op op : indexOrder())
            all += fmt::format("{}ADD INDEX {} ({})", all.empty() ? "" : ", ", indexName(op),
                               fmt::join(fieldsOf(op), ", "));
        return {fmt::format("ALTER TABLE {} {}", m_params.table, all)};
    }
    for (const Op op : indexOrder()) {
        if (documents())
            commands.push_back(fmt::format(R"({{"createIndexes":"{}","indexes":[{{"key":{},"name":"{}"}}]}})",
                                           m_params.table, each(fieldsOf(op)), indexName(op)));
        else
            commands.push_back(fmt::format("CREATE INDEX {} ON {} ({})", indexName(op), m_params.table,
                                           fmt::join(fieldsOf(op), ", ")));
    }
    return commands;
}

Param::Type Language::typeOf(std::string_view field) const
{
    return field == "price" ? priceType() : field == "dateandtime" ? timeType() : Param::Type::Integer;
}

StatementSpec Language::insert(std::int64_t rows, bool numbered) const
{
    using enum Param::Type;
    std::vector<std::string> names = columns();
    if (!numbered)
        names.erase(names.begin());
    StatementSpec spec;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (numbered)
            spec.parameters.push_back(Integer);
        for (const Param::Type type : {timeType(), Integer, Integer, Integer, priceType()})
            spec.parameters.push_back(type);
        spec.parameters.insert(spec.parameters.end(), std::size_t(m_params.textFields), Text);
    }
    if (documents()) {
        const std::string document = fmt::format(R"({{"{}":"?"}})", fmt::join(names, R"(":"?",")"));
        spec.text = fmt::format(R"({{"insert":"{}","documents":[{}]{}}})", m_params.table, repeated(document, rows),
                                m_params.form == Form::Mongodb ? R"(,"ordered":false)" : "");
        return spec;
    }
    const std::string row = fmt::format("({})", repeated("?", std::int64_t(names.size())));
    spec.text =
        fmt::format("INSERT INTO {} ({}) VALUES {}", m_params.table, fmt::join(names, ", "), repeated(row, rows));
    return spec;
}

StatementSpec Language::query(Op op) const
{
    const std::vector<std::string> fields = fieldsOf(op);
    StatementSpec spec;
    spec.returnsRows = true;
    const bool lists = !m_params.asksTuples(); // in the order of the index, from one value on
    std::vector<std::string> alternatives;
    if (lists) {
        const bool after = op == Op::Register && !documents(); // as the originals have it
        alternatives.push_back(documents() ? fmt::format(R"({{"{}":{{"$gte":"?"}}}})", fields[0])
                                           : fmt::format("{} {} ?", fields[0], after ? ">" : ">="));
        spec.parameters = {typeOf(fields[0])};
    } else {
        // (a, b, c) ≥ (?, ?, ?): a = ? and b = ? and c ≥ ?; or a = ? and b > ?; or a > ?
        for (std::size_t length = fields.size(); length > 0; --length) {
            std::vector<std::string> terms;
            for (std::size_t i = 0; i < length; ++i) {
                const bool last = i + 1 == length;
                const char* const sign = !last ? "=" : length == fields.size() ? ">=" : ">";
                const char* const word = length == fields.size() ? "$gte" : "$gt";
                terms.push_back(!documents() ? fmt::format("{} {} ?", fields[i], sign)
                                : last       ? fmt::format(R"("{}":{{"{}":"?"}})", fields[i], word)
                                             : fmt::format(R"("{}":"?")", fields[i]));
                spec.parameters.push_back(typeOf(fields[i]));
            }
            alternatives.push_back(documents() ? fmt::format("{{{}}}", fmt::join(terms, ","))
                                               : fmt::format("({})", fmt::join(terms, " AND ")));
        }
    }
    if (documents()) {
        const std::string filter =
            lists ? alternatives[0] : fmt::format(R"({{"$or":[{}]}})", fmt::join(alternatives, ","));
        std::string wanted = each(fields);
        wanted.insert(1, R"("_id":0,)");
        spec.text = fmt::format(R"({{"find":"{}","filter":{},"projection":{}{},"limit":{}}})", m_params.table, filter,
                                wanted, lists ? fmt::format(R"(,"sort":{})", each(fields)) : "", m_params.queryLimit);
        return spec;
    }
    const bool forced = m_sql.keysInTable && int(op) <= m_params.indexes;
    spec.text = fmt::format("SELECT {} FROM {}{} WHERE {}{} LIMIT {}", fmt::join(fields, ","), m_params.table,
                            forced ? fmt::format(fmt::runtime(m_sql.useIndex), indexName(op)) : "",
                            fmt::join(alternatives, " OR "),
                            lists ? fmt::format(" ORDER BY {}", fmt::join(fields, ",")) : "", m_params.queryLimit);
    return spec;
}

StatementSpec Language::keyQuery() const
{
    StatementSpec spec;
    spec.returnsRows = true;
    spec.parameters.assign(std::size_t(m_params.queryLimit), Param::Type::Integer);
    spec.text = documents() ? fmt::format(R"({{"find":"{}","filter":{{"_id":{{"$in":[{}]}}}}}})", m_params.table,
                                          repeated(R"("?")", m_params.queryLimit))
                            : fmt::format("SELECT {} FROM {} WHERE transactionid IN ({})", fmt::join(columns(), ","),
                                          m_params.table, repeated("?", m_params.queryLimit));
    return spec;
}

StatementSpec Language::remove(std::int64_t rows) const
{
    StatementSpec spec;
    spec.parameters = {Param::Type::Integer};
    const std::string which = fmt::format("WHERE transactionid >= ? ORDER BY transactionid LIMIT {}", rows);
    spec.text = m_sql.limitedDelete
                    ? fmt::format("DELETE FROM {} {}", m_params.table, which)
                    : fmt::format("DELETE FROM {0} WHERE transactionid IN (SELECT transactionid FROM {0} {1})",
                                  m_params.table, which);
    return spec;
}

StatementSpec Language::oldest() const
{
    StatementSpec spec;
    spec.returnsRows = true;
    spec.keep = Keep::All;
    spec.text = fmt::format("SELECT MIN(transactionid) FROM {}", m_params.table);
    return spec;
}

} // namespace dyno::iibench
