// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/own_collections.h"

#include "workload/loading.h"
#include "workload/script/own_tables.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

#include <algorithm>

namespace dyno::script {

namespace {

constexpr std::int64_t kFieldsOfInsert = 2000, kMostDocumentsOfInsert = 200, kInsertsOfPart = 20;
constexpr std::uint64_t kDocumentStreams = std::uint64_t(1) << 42; //!< apart from those of the users and of think times
constexpr std::uint64_t kBytesOfField = 24;                        //!< roughly, with its name
constexpr const char* kKeyField = "_id";

std::int64_t documentsOfInsert(const HeadTable& table)
{
    return std::clamp<std::int64_t>(kFieldsOfInsert / std::int64_t(table.columns.size()), 1, kMostDocumentsOfInsert);
}

StatementSpec insertOfDocuments(const HeadTable& table, std::int64_t count)
{
    std::string document;
    for (const HeadColumn& column : table.columns)
        document += fmt::format(R"({}"{}":"?")", document.empty() ? "" : ",", column.name);
    StatementSpec spec;
    spec.text = fmt::format(R"({{"insert":"{}","documents":[)", table.name);
    for (std::int64_t i = 0; i < count; ++i) {
        spec.text += fmt::format("{}{{{}}}", i == 0 ? "" : ",", document);
        for (const HeadColumn& column : table.columns)
            spec.parameters.push_back(column.maker.type());
    }
    spec.text += "]}";
    return spec;
}

class OwnCollections final : public WorkloadInstance
{
public:
    OwnCollections(Head head, std::vector<std::int64_t> rows, std::string suffix)
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
            spec.create = fmt::format(R"({{"create":"{}"{}}})", table.name, m_suffix);
            spec.columns.emplace_back(kKeyField); // servers put it first, and add it where it is missing
            for (const HeadColumn& column : table.columns) {
                if (column.name != kKeyField)
                    spec.columns.push_back(column.name);
            }
            spec.afterLoad = table.after;
            spec.rows = m_rows[i];
            spec.rowsPerSlice = documentsOfInsert(table) * kInsertsOfPart;
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
            all.push_back(insertOfDocuments(table, 1));
            all.push_back(insertOfDocuments(table, documentsOfInsert(table)));
        }
        return all;
    }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& /*user*/) const override { co_return Outcome::Ok; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override
    {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            bytes += std::uint64_t(m_rows[i]) * (m_head.tables[i].columns.size() + 1) * kBytesOfField;
        return bytes;
    }

private:
    Head m_head;
    std::vector<std::int64_t> m_rows; //!< of each collection
    std::string m_suffix;
};

Task<Outcome> OwnCollections::load(UserContext& user, LoadSlice slice) const
{
    const auto number = std::size_t(slice.table - 1);
    const HeadTable& table = m_head.tables[number];
    const RowInserts inserts{StatementId(2 * number), StatementId(2 * number + 1), documentsOfInsert(table), false};
    std::vector<std::string> texts(std::size_t(inserts.batch) * table.columns.size());
    const auto bind = [&](std::int64_t row, std::int64_t count) {
        auto text = texts.begin();
        for (const std::int64_t end = row + count; row < end; ++row) {
            Random random = Random::forItem(user.seed(), kDocumentStreams + number, std::uint64_t(row));
            for (const HeadColumn& column : table.columns)
                user.params().push_back(column.maker.draw(row, random, *text++));
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return loaded;
}

} // namespace

Expected<std::shared_ptr<const WorkloadInstance>> bindOwnCollections(Head head, const Settings& params,
                                                                     const Settings& tableKnobs)
{
    auto suffix = tableSuffix({}, DataModel::Document, tableKnobs, "");
    if (!suffix)
        return tl::unexpected(suffix.error());
    std::vector<std::int64_t> rows;
    for (const HeadTable& table : head.tables) {
        const auto count = rowsOfHeadTable(table, params);
        if (!count)
            return tl::unexpected(count.error());
        rows.push_back(*count);
    }
    return std::make_shared<const OwnCollections>(std::move(head), std::move(rows), std::move(*suffix));
}

} // namespace dyno::script
