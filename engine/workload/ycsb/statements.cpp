// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/ycsb/statements.h"

#include "workload/ycsb/integrity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dyno::ycsb {

namespace {

constexpr const char* kKey = "YCSB_KEY";     // of YCSB's JDBC binding
constexpr std::int64_t kLongestText = 65535; //!< bytes in a TEXT of the MySQL family

const char* lengthsOf(LengthDistribution lengths)
{
    switch (lengths) {
    case LengthDistribution::Constant:
        return "constant";
    case LengthDistribution::Uniform:
        return "uniform";
    case LengthDistribution::Zipfian:
        return "zipfian";
    }
    return "";
}

const char* keysOf(KeyForm keys)
{
    switch (keys) {
    case KeyForm::Hashed:
        return "hashed";
    case KeyForm::Ordered:
        return "ordered";
    case KeyForm::GoYcsb:
        return "hashed_go";
    }
    return "";
}

std::string repeated(const std::string& text, std::int64_t times)
{
    return fmt::format("{}", fmt::join(std::vector<std::string>(std::size_t(times), text), ","));
}

} // namespace

Language::Language(const Params& params, DataModel model, const SqlDialect& sql, std::string suffix)
    : m_table(params.table)
    , m_suffix(std::move(suffix))
    , m_remark(fmt::format(
          "fields of {}-{} characters, {}; keys {}, {} digits{}{}",
          params.fieldLengths == LengthDistribution::Constant ? params.fieldLength : params.minFieldLength,
          params.fieldLength, lengthsOf(params.fieldLengths), keysOf(params.keys), params.zeroPadding,
          params.dataIntegrity ? "; made from their keys" : "", params.share(Op::Insert) > 0 ? "; grows" : ""))
    , m_model(model)
    , m_fields(params.fieldCount)
    , m_fieldLength(std::size_t(params.fieldLength))
    , m_textType(params.fieldLength > kLongestText ? sql.longText : "TEXT")
    , m_verifies(params.dataIntegrity)
{
    for (int i = 0; i < m_fields; ++i)
        m_names.push_back(field(i));
}

std::string Language::field(int number) const
{
    return fmt::format(fmt::runtime(sql() ? "FIELD{}" : "field{}"), number);
}

std::string Language::create() const
{
    if (m_model == DataModel::Document)
        return fmt::format(R"({{"create":"{}","comment":"{}"{}}})", m_table, m_remark, m_suffix);
    if (m_model == DataModel::KeyValue)
        return fmt::format("create {}", m_table);
    std::string text = fmt::format("CREATE TABLE {} /* {} */ ({} VARCHAR(255) NOT NULL", m_table, m_remark, kKey);
    for (int i = 0; i < m_fields; ++i)
        text += fmt::format(", {} {}", field(i), m_textType);
    return fmt::format("{}, PRIMARY KEY ({})){}", text, kKey, m_suffix);
}

std::vector<std::string> Language::columns() const
{
    if (m_model == DataModel::KeyValue)
        return {"key", "value"};
    std::vector<std::string> names{sql() ? "ycsb_key" : "_id"};
    for (int i = 0; i < m_fields; ++i)
        names.push_back(fmt::format("field{}", i));
    return names;
}

StatementSpec Language::read(int field) const
{
    using enum Param::Type;
    if (m_model == DataModel::KeyValue)
        return {fmt::format("get {} ?", m_table), {Text}, true};
    if (sql())
        return reading(
            fmt::format("SELECT {} FROM {} WHERE {} = ?", field < 0 ? "*" : this->field(field), m_table, kKey), {Text});
    const std::string projection = field < 0 ? "" : fmt::format(R"(,"projection":{{"{}":1}})", this->field(field));
    return reading(
        fmt::format(R"({{"find":"{}","filter":{{"_id":"?"}}{},"limit":1,"singleBatch":true}})", m_table, projection),
        {Text});
}

StatementSpec Language::scan(int field) const
{
    using enum Param::Type;
    if (m_model == DataModel::KeyValue)
        return {fmt::format("scan {} ? ?", m_table), {Text, Integer}, true};
    if (sql()) {
        std::string names = field < 0 ? "*" : this->field(field);
        if (field >= 0 && m_verifies)
            names = fmt::format("{},{}", kKey, names);
        return reading(fmt::format("SELECT {} FROM {} WHERE {} >= ? ORDER BY {} LIMIT ?", names, m_table, kKey, kKey),
                       {Text, Integer});
    }
    const std::string projection = field < 0 ? "" : fmt::format(R"(,"projection":{{"{}":1}})", this->field(field));
    return reading(fmt::format(R"({{"find":"{}","filter":{{"_id":{{"$gte":"?"}}}},"sort":{{"_id":1}}{},"limit":"?"}})",
                               m_table, projection),
                   {Text, Integer});
}

StatementSpec Language::reading(std::string text, std::vector<Param::Type> types) const
{
    StatementSpec spec{std::move(text), std::move(types), true};
    spec.keep = m_verifies ? Keep::All : Keep::Nothing;
    return spec;
}

bool Language::verified(const KeptRows& rows, std::string_view key, int field) const
{
    // In SQL the key is column 0 where it is fetched, in documents it is found by its name, like the fields.
    const std::size_t firstField = field < 0 || key.empty() ? 1 : 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        const std::string_view of = key.empty() ? rows.at(row, sql() ? 0 : rows.find(row, "_id")).text : key;
        if (of.empty())
            return false;
        for (int i = std::max(0, field); i < (field < 0 ? m_fields : field + 1); ++i) {
            const std::size_t place =
                sql() ? firstField + std::size_t(field < 0 ? i : 0) : rows.find(row, m_names[std::size_t(i)]);
            if (!isDeterministicText(rows.at(row, place).text, of, i, m_fieldLength))
                return false;
        }
    }
    return true;
}

StatementSpec Language::update(int field) const
{
    using enum Param::Type;
    if (m_model == DataModel::KeyValue)
        return {fmt::format("put {} ? ?", m_table), {Text, Text}};
    std::vector<std::string> settings;
    for (int i = field < 0 ? 0 : field; i < (field < 0 ? m_fields : field + 1); ++i)
        settings.push_back(fmt::format(fmt::runtime(sql() ? "{}=?" : R"("{}":"?binary")"), this->field(i)));
    const std::vector<Param::Type> types(settings.size() + 1, Text);
    const std::string all = fmt::format("{}", fmt::join(settings, ","));
    if (sql())
        return {fmt::format("UPDATE {} SET {} WHERE {} = ?", m_table, all, kKey), types};
    return {fmt::format(R"({{"update":"{}","updates":[{{"u":{{"$set":{{{}}}}},"q":{{"_id":"?"}}}}]}})", m_table, all),
            types};
}

StatementSpec Language::insert(std::int64_t rows) const
{
    using enum Param::Type;
    if (m_model == DataModel::KeyValue)
        return {fmt::format("put {} ? ?", m_table), {Text, Text}};
    const std::vector<Param::Type> types(std::size_t(rows * (m_fields + 1)), Text);
    if (sql()) {
        std::string names = kKey;
        for (int i = 0; i < m_fields; ++i)
            names += fmt::format(",{}", field(i));
        const std::string row = fmt::format("({})", repeated("?", m_fields + 1));
        return {fmt::format("INSERT INTO {} ({}) VALUES {}", m_table, names, repeated(row, rows)), types};
    }
    std::string document = R"({"_id":"?")"; // binary data as in YCSB's binding, which reads nothing else
    for (int i = 0; i < m_fields; ++i)
        document += fmt::format(R"(,"{}":"?binary")", field(i));
    return {fmt::format(R"({{"insert":"{}","documents":[{}]}})", m_table, repeated(document + "}", rows)), types};
}

} // namespace dyno::ycsb
