// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/oltp/documents.h"

#include <fmt/format.h>

namespace dyno::oltp {

namespace {

constexpr const char* kRange = R"({"_id":{"$gte":"?","$lte":"?"}})";

} // namespace

StatementSpec documentSpec(Op kind, int table)
{
    using enum Param::Type;
    const std::string name = tableName(table);
    const auto find = [&name](std::string_view rest) { return fmt::format(R"({{"find":"{}",{}}})", name, rest); };
    const auto update = [&name](std::string_view change, std::string_view query) {
        return fmt::format(R"({{"update":"{}","updates":[{{{},{}}}]}})", name, change, query);
    };
    const auto aggregate = [&name](std::string_view stages) {
        return fmt::format(R"({{"aggregate":"{}","pipeline":[{{"$match":{}}},{}],"cursor":{{}}}})", name, kRange,
                           stages);
    };
    constexpr std::string_view kById = R"("q":{"_id":"?"})";
    switch (kind) {
    case Op::PointSelect:
        return {
            find(R"("filter":{"_id":"?"},"projection":{"_id":0,"c":1},"limit":1,"singleBatch":true)"), {Integer}, true};
    case Op::PointQuery:
        return {find(R"("filter":{"_id":"?"},"limit":1,"singleBatch":true)"), {Integer}, true};
    case Op::SimpleRange:
        return {find(fmt::format(R"("filter":{},"projection":{{"_id":0,"c":1}})", kRange)), {Integer, Integer}, true};
    case Op::SumRange:
        return {aggregate(R"({"$group":{"_id":null,"sum":{"$sum":"$k"}}})"), {Integer, Integer}, true};
    case Op::OrderRange:
        return {find(fmt::format(R"("filter":{},"projection":{{"_id":0,"c":1}},"sort":{{"c":1}})", kRange)),
                {Integer, Integer},
                true};
    case Op::DistinctRange:
        return {aggregate(R"({"$group":{"_id":"$c"}},{"$sort":{"_id":1}})"), {Integer, Integer}, true};
    case Op::IndexUpdate:
    case Op::Increment:
        return {update(R"("u":{"$inc":{"k":1}})", kById), {Integer}};
    case Op::NonIndexUpdate:
        return {update(R"("u":{"$set":{"c":"?"}})", kById), {Text, Integer}};
    case Op::Delete:
        return {fmt::format(R"({{"delete":"{}","deletes":[{{{},"limit":1}}]}})", name, kById), {Integer}};
    default:
        return documentInsert(table, 1);
    }
}

StatementSpec documentInsert(int table, std::int64_t rows)
{
    using enum Param::Type;
    StatementSpec spec;
    std::string documents;
    for (std::int64_t row = 0; row < rows; ++row) {
        documents += row == 0 ? "" : ",";
        documents += R"({"_id":"?","k":"?","c":"?","pad":"?"})";
        for (const Param::Type type : {Integer, Integer, Text, Text})
            spec.parameters.push_back(type);
    }
    spec.text = fmt::format(R"({{"insert":"{}","documents":[{}]}})", tableName(table), documents);
    return spec;
}

StatementSpec documentInsertWithoutId(int table)
{
    using enum Param::Type;
    return {fmt::format(R"({{"insert":"{}","documents":[{{"k":"?","c":"?","pad":"?"}}]}})", tableName(table)),
            {Integer, Text, Text}};
}

StatementSpec documentPoints(int values)
{
    std::string list = R"("?")";
    for (int i = 1; i < values; ++i)
        list += R"(,"?")";
    const std::vector<Param::Type> types(std::size_t(values), Param::Type::Integer);
    return {fmt::format(R"({{"find":"sbtest1","filter":{{"k":{{"$in":[{}]}}}}}})", list), types, true};
}

StatementSpec documentRanges(int ranges)
{
    constexpr const char* kOne = R"({"k":{"$gte":"?","$lte":"?"}})";
    std::string list = kOne;
    for (int i = 1; i < ranges; ++i)
        list += std::string(",") + kOne;
    const std::vector<Param::Type> types(std::size_t(ranges) * 2, Param::Type::Integer);
    return {fmt::format(R"({{"aggregate":"sbtest1","pipeline":[{{"$match":{{"$or":[{}]}}}},)"
                        R"({{"$group":{{"_id":null,"count":{{"$sum":1}}}}}}],"cursor":{{}}}})",
                        list),
            types, true};
}

TableSpec documentTable(int table, const std::string& suffix, bool indexOnK)
{
    TableSpec spec;
    spec.name = tableName(table);
    spec.create = fmt::format(R"({{"create":"{}"{}}})", spec.name, suffix);
    spec.columns = {"_id", "k", "c", "pad"};
    if (indexOnK)
        spec.afterLoad.push_back(
            fmt::format(R"({{"createIndexes":"{}","indexes":[{{"key":{{"k":1}},"name":"k_{}"}}]}})", spec.name, table));
    return spec;
}

} // namespace dyno::oltp
