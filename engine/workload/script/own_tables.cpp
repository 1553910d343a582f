// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/own_tables.h"

#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/script/head_checks.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dyno::script {

namespace {

constexpr std::int64_t kParametersOfInsert = 2000, kMostRowsOfInsert = 200, kInsertsOfSlice = 20;
constexpr std::int64_t kMostOwnRows = 1'000'000'000'000;
constexpr std::uint64_t kOwnRowStreams = std::uint64_t(1) << 40; //!< apart from those of the users
constexpr std::uint64_t kBytesOfValue = 16;                      //!< roughly, with its share of the row's head

//! Rows of an INSERT.
std::int64_t batchOf(const HeadTable& table)
{
    return std::clamp<std::int64_t>(kParametersOfInsert / std::int64_t(table.columns.size()), 1, kMostRowsOfInsert);
}

StatementSpec insertOf(const HeadTable& table, std::int64_t rows)
{
    std::vector<std::string_view> names;
    std::string row;
    for (const HeadColumn& column : table.columns) {
        names.push_back(column.name);
        row += row.empty() ? "(?" : ", ?";
    }
    StatementSpec spec;
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES ", table.name, fmt::join(names, ", "));
    for (std::int64_t i = 0; i < rows; ++i) {
        spec.text += fmt::format("{}{})", i == 0 ? "" : ", ", row);
        for (const HeadColumn& column : table.columns)
            spec.parameters.push_back(column.maker.type());
    }
    return spec;
}

class OwnTables final : public WorkloadInstance
{
public:
    OwnTables(Head head, std::vector<std::int64_t> rows, std::string suffix)
        : m_head(std::move(head))
        , m_rows(std::move(rows))
        , m_suffix(std::move(suffix))
    {
    }
    [[nodiscard]] std::vector<TableSpec> tables() const override
    {
        std::vector<TableSpec> specs;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const HeadTable& table = m_head.tables[i];
            TableSpec spec;
            spec.name = table.name;
            std::string columns;
            for (const HeadColumn& column : table.columns) {
                columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", column.name, column.type);
                spec.columns.push_back(column.name);
            }
            spec.create = fmt::format("CREATE TABLE {} ({}){}", table.name, columns, m_suffix);
            spec.afterLoad = table.after;
            spec.rows = m_rows[i];
            spec.rowsPerSlice = batchOf(table) * kInsertsOfSlice;
            specs.push_back(std::move(spec));
        }
        return specs;
    }
    [[nodiscard]] std::vector<std::string> beforeDrop() const override { return m_head.cleanup; }
    [[nodiscard]] StatementSet statements() const override { return {}; }
    [[nodiscard]] StatementSet loaderStatements() const override
    {
        StatementSet all;
        for (const HeadTable& table : m_head.tables) {
            all.push_back(insertOf(table, 1));
            all.push_back(insertOf(table, batchOf(table)));
        }
        return all;
    }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& /*user*/) const override { co_return Outcome::Ok; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override
    {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            bytes += std::uint64_t(m_rows[i]) * (m_head.tables[i].columns.size() + 1) * kBytesOfValue;
        return bytes;
    }

private:
    Head m_head;
    std::vector<std::int64_t> m_rows; //!< of each table
    std::string m_suffix;
};

Task<Outcome> OwnTables::load(UserContext& user, LoadSlice slice) const
{
    const auto number = std::size_t(slice.table - 1);
    const HeadTable& table = m_head.tables[number];
    const RowInserts inserts{StatementId(2 * number), StatementId(2 * number + 1), batchOf(table)};
    std::vector<std::string> texts(std::size_t(inserts.batch) * table.columns.size());
    const auto bind = [&](std::int64_t row, std::int64_t count) {
        auto text = texts.begin();
        for (const std::int64_t end = row + count; row < end; ++row) {
            Random random = Random::forItem(user.seed(), kOwnRowStreams + number, std::uint64_t(row));
            for (const HeadColumn& column : table.columns)
                user.params().push_back(column.maker.draw(row, random, *text++));
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

//! Of a table: a whole number, or an expression with :scale and the plan's variables.
tl::expected<std::int64_t, std::string> rowsOf(const HeadTable& table, const Settings& params)
{
    const auto value = valueInHead(table.rows, params);
    if (!value)
        return tl::unexpected(value.error());
    if (value->type != Scalar::Type::Integer || value->integer < 0 || value->integer > kMostOwnRows)
        return tl::unexpected(std::string("the result is no whole number from 0 to 10^12"));
    return value->integer;
}

} // namespace

Expected<std::int64_t> rowsOfHeadTable(const HeadTable& table, const Settings& params)
{
    const auto count = rowsOf(table, params);
    if (!count)
        return wrongParameter(
            fmt::format("the rows of the table {}, \"{}\": {}", table.name, table.rows, count.error()), "scripts",
            "a whole number, or an expression as 1000 * :scale");
    return *count;
}

Expected<std::shared_ptr<const WorkloadInstance>> bindOwnTables(Head head, const Settings& params,
                                                                const DriverInfo& driver, const Settings& tableKnobs)
{
    if (integerOf(tableKnobs, "partitions") > 0)
        return fail({ErrorKind::BadInput, "the tables of this workload have no column in common to partition by",
                     "table.partitions", "set it to 0"});
    auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "");
    if (!suffix)
        return tl::unexpected(suffix.error());
    std::vector<std::int64_t> rows;
    for (const HeadTable& table : head.tables) {
        const auto count = rowsOfHeadTable(table, params);
        if (!count)
            return tl::unexpected(count.error());
        rows.push_back(*count);
    }
    return std::make_shared<const OwnTables>(std::move(head), std::move(rows), std::move(*suffix));
}

} // namespace dyno::script
