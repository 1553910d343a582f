// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/workload_head.h"

#include "base/sha256.h"
#include "base/text.h"
#include "workload/document_command.h"
#include "workload/statement_effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <set>
#include <span>
#include <sstream>

namespace dyno::script {

namespace {

constexpr std::string_view kFence = "+++";
constexpr std::size_t kMostHeadName = 48;
constexpr std::int64_t kLongestText = 100'000;
constexpr std::size_t kMostFileName = 255;
constexpr int kMostDigits = 15;
constexpr const char* kFileForm = "a file in the folder of this one or below it, as \"cities.txt\"";
constexpr std::string_view kNotRead = "text"; //!< the place of a value from a file that was not read
constexpr std::int64_t kSecondsOfDay = 86'400;

// The words of a head, by where they stand.
using HeadWords = std::span<const std::string_view>;
constexpr std::array<std::string_view, 5> kPartKeys{"tables", "cleanup", "checks", "think_time", "define"};
constexpr std::array<std::string_view, 8> kTableKeys{"name",    "rows",  "seed",        "csv",
                                                     "columns", "after", "constraints", "options"};
constexpr std::array<std::string_view, 13> kMakerKeys{
    "sequence", "constant", "uniform", "normal", "zipf", "date", "time", "uuid", "hex", "text", "pick", "words", "csv"};
constexpr std::array<std::string_view, 5> kMoreColumnKeys{"type", "null", "s", "digits", "weights"};
constexpr std::array<std::string_view, 2> kServerKeys{"type", "default"};
constexpr std::array<std::string_view, 4> kCsvKeys{"file", "delimiter", "header", "null"};
constexpr std::array<std::string_view, 4> kCheckKeys{"name", "sql", "expect", "expression"};
constexpr std::array<std::string_view, 4> kDocumentCheckKeys{"name", "command", "expect", "expression"};
constexpr std::array<std::string_view, 3> kThinkTimeKeys{"constant", "uniform", "negexp"};

//! Thrown to readHead() where something is wrong.
struct HeadMistake
{
    Mistake mistake;
};

[[noreturn]] void refuseNode(const toml::node& node, std::string what, std::string expected)
{
    const toml::source_position& at = node.source().begin;
    throw HeadMistake{{int(at.line) + 1, std::max(1, int(at.column)), std::move(what), std::move(expected)}};
}

void knownKeysOnly(const toml::table& table, HeadWords known, HeadWords more = {})
{
    for (const auto& [key, value] : table) {
        if (std::ranges::find(known, key.str()) == known.end() && std::ranges::find(more, key.str()) == more.end())
            refuseNode(
                value, fmt::format("unknown key \"{}\"", key.str()),
                fmt::format("one of: {}{}{}", fmt::join(known, ", "), more.empty() ? "" : ", ", fmt::join(more, ", ")));
    }
}

const toml::node& needed(const toml::table& table, std::string_view key)
{
    const toml::node* node = table.get(key);
    if (!node)
        refuseNode(table, fmt::format("\"{}\" is missing", key), fmt::format("a line {} = …", key));
    return *node;
}

std::string textAt(const toml::node& node, std::string_view key)
{
    const auto text = node.value_exact<std::string>();
    if (!text || text->empty())
        refuseNode(node, fmt::format("\"{}\" is no text", key), "a text in quotes");
    return *text;
}

std::string nameAt(const toml::node& node, std::string_view name)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || isDigit(c) || c == '_'; };
    if (name.empty() || name.size() > kMostHeadName || isDigit(name.front()) || !std::ranges::all_of(name, fits))
        refuseNode(node, fmt::format("\"{}\" cannot be a name", name),
                   fmt::format("up to {} of a to z, digits and _, with no digit in front", kMostHeadName));
    return std::string(name);
}

double numberAt(const toml::node& node)
{
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number || !std::isfinite(*number))
        refuseNode(node, "this is not a number", "a number");
    return *number;
}

std::int64_t integerAt(const toml::node& node)
{
    const auto number = node.value_exact<std::int64_t>();
    if (!number)
        refuseNode(node, "this is no whole number", "a whole number");
    return *number;
}

const toml::array& pairAt(const toml::node& node, const char* form)
{
    const toml::array* pair = node.as_array();
    if (!pair || pair->size() != 2)
        refuseNode(node, "these are not two values", form);
    return *pair;
}

std::optional<std::int64_t> dayIn(const std::string& text)
{
    const auto number = [&text](std::size_t at, std::size_t length) {
        int value = 0;
        for (const char c : text.substr(at, length))
            value = isDigit(c) ? value * 10 + (c - '0') : -100'000;
        return value;
    };
    using namespace std::chrono;
    if (text.size() != 10 || text.at(4) != '-' || text.at(7) != '-')
        return {};
    const year_month_day date(year(number(0, 4)), month(unsigned(number(5, 2))), day(unsigned(number(8, 2))));
    if (number(0, 4) <= 0 || number(5, 2) <= 0 || number(8, 2) <= 0 || !date.ok())
        return {};
    return sys_days(date).time_since_epoch().count();
}

std::int64_t dayAt(const toml::node& node)
{
    const auto text = node.value_exact<std::string>();
    const auto day = text ? dayIn(*text) : std::nullopt;
    if (!day)
        refuseNode(node, "this is no date", "a text as \"2020-01-31\"");
    return *day;
}

//! Seconds since 1970.
std::int64_t timeAt(const toml::node& node)
{
    constexpr std::size_t kDateLength = 10, kTimeLength = 19;
    const auto text = node.value_exact<std::string>();
    const auto two = [&text](std::size_t at) {
        const char tens = text->at(at), ones = text->at(at + 1);
        return isDigit(tens) && isDigit(ones) ? (tens - '0') * 10 + (ones - '0') : 100;
    };
    const auto day = text ? dayIn(text->substr(0, kDateLength)) : std::nullopt;
    constexpr const char* kTimeForm = "a text as \"2020-01-31 23:59:00\"";
    if (!text || text->size() != kTimeLength || text->at(10) != ' ' || text->at(13) != ':' || text->at(16) != ':' ||
        two(11) > 23 || two(14) > 59 || two(17) > 59 || !day)
        refuseNode(node, "this is no time", kTimeForm);
    return *day * kSecondsOfDay + two(11) * 3600 + two(14) * 60 + two(17);
}

//! A name that leads out of the folder would let a file from a stranger name any of this person's.
std::string fileAt(const toml::node& node, std::string_view key)
{
    std::string name = textAt(node, key);
    const auto parts = [&name] {
        std::vector<std::string_view> all;
        for (std::size_t begin = 0; begin <= name.size();) {
            const std::size_t end = std::min(name.find('/', begin), name.size());
            all.push_back(std::string_view(name).substr(begin, end - begin));
            begin = end + 1;
        }
        return all;
    }();
    const auto odd = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '=' || c == '\\' || c == 0x7F; };
    if (std::ranges::any_of(parts, [](std::string_view part) { return part.empty() || part == "." || part == ".."; }))
        refuseNode(node, fmt::format("\"{}\" leads out of the folder", name), kFileForm);
    // As a copy beside a person's own workloads, the one would be one of them, and nobody would see the other.
    const bool misleads = name.ends_with(".workload") ||
                          std::ranges::any_of(parts, [](std::string_view part) { return part.starts_with('.'); });
    if (name.size() > kMostFileName || std::ranges::any_of(name, odd) || trimmed(name) != name || misleads)
        refuseNode(node, "this cannot be the name of a file here", kFileForm);
    return name;
}

//! Notes that the head reads it.
void addFile(std::vector<HeadFile>& files, const toml::node& node, HeadFile file)
{
    const auto known = std::ranges::find(files, file.name, &HeadFile::name);
    file.line = int(node.source().begin.line) + 1;
    file.column = std::max(1, int(node.source().begin.column));
    if (known == files.end())
        files.push_back(std::move(file));
    else if (known->csv != file.csv)
        refuseNode(node, fmt::format("\"{}\" is read in another way above", file.name),
                   "the same way each time, or another file");
}

std::variant<std::int64_t, double, std::string> valueAt(const toml::node& node)
{
    if (const auto text = node.value_exact<std::string>())
        return *text;
    if (const auto whole = node.value_exact<std::int64_t>())
        return *whole;
    return numberAt(node);
}

void readPick(const toml::table& column, const toml::node& node, ColumnMaker& maker)
{
    const toml::array* values = node.as_array();
    if (!values || values->empty())
        refuseNode(node, "\"pick\" is no list of values", "pick = [\"new\", \"paid\"]");
    for (const toml::node& value : *values) {
        maker.values.push_back(valueAt(value));
        if (maker.values.back().index() != maker.values.front().index())
            refuseNode(value, "the values of \"pick\" are not of one kind", "whole numbers, numbers or texts");
    }
    const toml::node* weights = column.get("weights");
    const toml::array* list = weights ? weights->as_array() : nullptr;
    if (weights && (!list || list->size() != maker.values.size()))
        refuseNode(*weights, "\"weights\" is no list with a number for each value of \"pick\"", "as many numbers");
    double sum = 0;
    for (std::size_t i = 0; i < maker.values.size(); ++i) {
        const double weight = list ? numberAt((*list)[i]) : 1;
        if (weight < 0)
            refuseNode((*list)[i], "a weight below 0", "a number from 0");
        maker.upTo.push_back(sum += weight);
    }
    if (sum <= 0)
        refuseNode(*weights, "all weights are 0", "a number above 0");
}

double exponentAt(const toml::node& node)
{
    const double exponent = numberAt(node);
    if (exponent < 0 || exponent > 10)
        refuseNode(node, "\"s\" is out of range", "a number from 0 to 10");
    return exponent;
}

//! Two values that are a kind of whole numbers, the smaller one first.
void readEnds(const toml::node& node, ColumnMaker& maker, ColumnMaker::Kind kind, const char* form)
{
    using Kind = ColumnMaker::Kind;
    const auto one = [kind](const toml::node& end) {
        return kind == Kind::Date ? dayAt(end) : kind == Kind::Time ? timeAt(end) : integerAt(end);
    };
    const toml::array& pair = pairAt(node, form);
    maker.kind = kind;
    maker.first = one(pair[0]);
    maker.last = one(pair[1]);
    if (maker.last < maker.first)
        refuseNode(pair[1], "the end is below the beginning", form);
    constexpr std::uint64_t kMostRanks = std::uint64_t(1) << 52; // a double tells them apart
    if (kind == Kind::Zipf && std::uint64_t(maker.last) - std::uint64_t(maker.first) >= kMostRanks)
        refuseNode(node, "the ends are too far apart", fmt::format("at most {} numbers", kMostRanks));
    const bool lengths = kind == Kind::Text || kind == Kind::Hex;
    if (lengths && (maker.first < 0 || maker.last > kLongestText))
        refuseNode(node, fmt::format("lengths are from 0 to {}", kLongestText), form);
}

void readReal(const toml::node& node, ColumnMaker& maker, bool normal)
{
    const toml::array& pair = pairAt(node, normal ? "normal = [100, 15]" : "uniform = [0.5, 9.5]");
    maker.kind = normal ? ColumnMaker::Kind::Normal : ColumnMaker::Kind::UniformReal;
    maker.low = numberAt(pair[0]);
    maker.high = numberAt(pair[1]);
    if (maker.high < (normal ? 0 : maker.low))
        refuseNode(pair[1], normal ? "a deviation below 0" : "the end is below the beginning", "a larger number");
    if (!normal && !std::isfinite(maker.high - maker.low))
        refuseNode(node, "the ends are too far apart", "numbers whose difference is one too");
}

//! A column of the table's CSV file, by its name or its number.
void readCsvColumn(const toml::node& node, ColumnMaker& maker, const CsvForm& form)
{
    maker.kind = ColumnMaker::Kind::Csv;
    if (const auto number = node.value_exact<std::int64_t>()) {
        maker.first = *number;
        if (*number < 1)
            refuseNode(node, "columns count from 1", "csv = 1");
        return;
    }
    maker.from = textAt(node, "csv");
    if (!form.header)
        refuseNode(node, "a file without a header has no names of columns", "the number of the column, as csv = 1");
}

bool allIntegers(const toml::array& values)
{
    return std::ranges::all_of(values, [](const toml::node& one) { return one.is_integer(); });
}

//! What the columns of a table share.
struct TableContext
{
    const CsvForm* csv = nullptr; //!< nullptr: the table reads no file
    std::vector<HeadFile>& files; //!< of the head
};

ColumnMaker readMaker(const toml::table& column, const TableContext& context)
{
    using Kind = ColumnMaker::Kind;
    knownKeysOnly(column, kMakerKeys, kMoreColumnKeys);
    const auto there = [&column](std::string_view kind) { return column.contains(kind); };
    if (std::ranges::count_if(kMakerKeys, there) != 1)
        refuseNode(column, "a column needs one way to make its values",
                   fmt::format("one of: {}; or none, where the server fills it", fmt::join(kMakerKeys, ", ")));
    const std::string_view kind = *std::ranges::find_if(kMakerKeys, there);
    const toml::node& node = *column.get(kind);
    struct Beside
    {
        std::string_view key, of, also;
    };
    for (const auto& [key, of, also] : std::array<Beside, 3>{
             {{"s", "zipf", "words"}, {"weights", "pick", "pick"}, {"digits", "uniform", "normal"}}}) {
        if (const toml::node* extra = column.get(key); extra && kind != of && kind != also)
            refuseNode(*extra, fmt::format("\"{}\" has no place here", key),
                       of == also ? fmt::format("\"{}\" beside \"{}\" only", key, of)
                                  : fmt::format("\"{}\" beside \"{}\" or \"{}\" only", key, of, also));
    }
    ColumnMaker maker;
    if (const toml::node* share = column.get("null")) {
        maker.nullShare = numberAt(*share);
        if (maker.nullShare < 0 || maker.nullShare > 1)
            refuseNode(*share, "\"null\" is a share of the rows", "a number from 0 to 1");
    }
    if (const toml::node* digits = column.get("digits")) {
        const std::int64_t number = integerAt(*digits);
        if (number < 0 || number > kMostDigits)
            refuseNode(*digits, "\"digits\" is out of range", fmt::format("a whole number from 0 to {}", kMostDigits));
        maker.digits = int(number);
    }
    const toml::node* exponent = column.get("s");
    if (kind == "sequence") {
        maker.kind = Kind::Sequence;
        maker.first = integerAt(node);
    } else if (kind == "constant") {
        maker.values.push_back(valueAt(node));
    } else if (kind == "uniform" && maker.digits.value_or(0) == 0 && allIntegers(pairAt(node, "uniform = [1, 100]"))) {
        readEnds(node, maker, Kind::UniformInteger, "uniform = [1, 100]");
    } else if (kind == "uniform" || kind == "normal") {
        readReal(node, maker, kind == "normal");
    } else if (kind == "zipf") {
        readEnds(node, maker, Kind::Zipf, "zipf = [1, 5000]");
        DistributionSpec spec;
        spec.kind = DistributionKind::Zipfian;
        spec.zipfianExponent = exponent ? exponentAt(*exponent) : 1;
        maker.zipf.emplace(spec, maker.first, maker.last);
    } else if (kind == "date") {
        readEnds(node, maker, Kind::Date, "date = [\"2020-01-01\", \"2024-12-31\"]");
    } else if (kind == "time") {
        readEnds(node, maker, Kind::Time, "time = [\"2020-01-01 00:00:00\", \"2020-01-01 23:59:59\"]");
    } else if (kind == "text" || kind == "hex") {
        readEnds(node, maker, kind == "hex" ? Kind::Hex : Kind::Text,
                 kind == "hex" ? "hex = [16, 16]" : "text = [10, 100]");
    } else if (kind == "uuid") {
        if (node.value_exact<bool>() != true)
            refuseNode(node, "\"uuid\" has one value only", "uuid = true");
        maker.kind = Kind::Uuid;
    } else if (kind == "words") {
        maker.kind = Kind::Words;
        maker.from = fileAt(node, kind);
        if (exponent)
            maker.exponent = exponentAt(*exponent);
        addFile(context.files, node, {.name = maker.from});
    } else if (kind == "csv") {
        if (!context.csv)
            refuseNode(node, "the table reads no CSV file", "csv = \"orders.csv\" beside the name of the table");
        readCsvColumn(node, maker, *context.csv);
    } else {
        maker.kind = Kind::Pick;
        readPick(column, node, maker);
    }
    return maker;
}

//! A statement of the head that makes or drops something.
std::string setupAt(const toml::node& node, std::string_view key, bool documents)
{
    std::string text = textAt(node, key);
    if (!documents)
        return text;
    const auto command = readDocumentCommand(text, text.find_first_not_of(" \t\r\n"), DocumentUse::Setup);
    if (!command)
        refuseNode(node, fmt::format("\"{}\": {}", key, command.error().what), command.error().expected);
    if (!trimmed(std::string_view(text).substr(command->end)).empty() || !command->variables.empty())
        refuseNode(node, fmt::format("\"{}\" is no single command without variables", key),
                   R"('{"createIndexes": "orders", "indexes": [{"key": {"n": 1}, "name": "n_1"}]}')");
    return text;
}

//! A part of CREATE TABLE.
std::string partOfCreateAt(const toml::node& node, std::string_view key)
{
    std::string text = textAt(node, key);
    if (text.find(';') != std::string::npos)
        refuseNode(node, fmt::format("\"{}\" holds a semicolon", key), "a part of CREATE TABLE, without one");
    return text;
}

void readPartsOfCreate(const toml::table& table, bool documents, HeadTable& read)
{
    for (const char* key : {"constraints", "options"}) {
        if (const toml::node* node = documents ? table.get(key) : nullptr)
            refuseNode(*node, fmt::format("collections have no \"{}\"", key), "indexes as \"after\"");
    }
    if (const toml::node* constraints = table.get("constraints")) {
        const toml::array* list = constraints->as_array();
        if (!list || list->empty())
            refuseNode(*constraints, "\"constraints\" is no list", "constraints = [\"PRIMARY KEY (a, b)\"]");
        for (const toml::node& constraint : *list)
            read.constraints.push_back(partOfCreateAt(constraint, "constraints"));
    }
    if (const toml::node* options = table.get("options"))
        read.options = partOfCreateAt(*options, "options");
}

char delimiterAt(const toml::node& node)
{
    const auto text = node.value_exact<std::string>();
    const bool fits = text && text->size() == 1 &&
                      std::string_view("\"\r\n").find(text->front()) == std::string::npos &&
                      static_cast<unsigned char>(text->front()) < 0x80;
    if (!fits)
        refuseNode(node, "\"delimiter\" is no character", "one of ASCII, as \",\", \";\" or \"\\t\"");
    return text->front();
}

//! The name of the file, or a table with it.
void readCsvForm(const toml::node& node, HeadTable& table, std::vector<HeadFile>& files)
{
    const toml::node* file = &node;
    if (const toml::table* form = node.as_table()) {
        knownKeysOnly(*form, kCsvKeys);
        file = &needed(*form, "file");
        if (const toml::node* delimiter = form->get("delimiter"))
            table.csv.delimiter = delimiterAt(*delimiter);
        if (const toml::node* header = form->get("header")) {
            if (!header->is_boolean())
                refuseNode(*header, "\"header\" is true or false", "header = false");
            table.csv.header = *header->value<bool>();
        }
        if (const toml::node* null = form->get("null")) {
            if (!null->is_string())
                refuseNode(*null, "\"null\" is no text", "null = \"NULL\"");
            table.csv.null = *null->value<std::string>();
        }
    }
    table.file = fileAt(*file, file == &node ? "csv" : "file");
    addFile(files, *file, {.name = table.file, .csv = table.csv});
}

//! A column that says its type alone takes the file's one with its name, without a header the one in its place. Nullopt
//! for one that the server fills: with "default", or where there is no file.
std::optional<ColumnMaker> makerOf(const toml::table& column, const std::string& name, const HeadTable& table,
                                   const TableContext& context)
{
    if (const toml::node* fills = column.get("default"); fills && column.contains("type")) {
        knownKeysOnly(column, kServerKeys);
        if (fills->value_exact<bool>() != true)
            refuseNode(*fills, "\"default\" has one value only", "default = true, for what the server fills");
        return {};
    }
    const bool typeAlone = column.size() == 1 && column.contains("type");
    if (typeAlone && table.file.empty())
        return {};
    if (!typeAlone)
        return readMaker(column, context);
    ColumnMaker maker;
    maker.kind = ColumnMaker::Kind::Csv;
    if (table.csv.header)
        maker.from = name;
    else
        maker.first = std::int64_t(table.columns.size()) + 1;
    return maker;
}

HeadTable readTable(const toml::table& table, bool documents, std::vector<HeadFile>& files)
{
    knownKeysOnly(table, kTableKeys);
    HeadTable read;
    const toml::node& name = needed(table, "name");
    read.name = nameAt(name, textAt(name, "name"));
    if (const toml::node* csv = table.get("csv"))
        readCsvForm(*csv, read, files);
    if (const toml::node* seed = table.get("seed"))
        read.seed = integerAt(*seed);
    const TableContext context{read.file.empty() ? nullptr : &read.csv, files};
    if (table.contains("rows") || read.file.empty()) {
        const toml::node& rows = needed(table, "rows");
        const auto number = rows.value_exact<std::int64_t>();
        read.rows = number ? fmt::format("{}", *number) : textAt(rows, "rows");
    }
    const toml::node& columns = needed(table, "columns");
    if (!columns.is_table() || columns.as_table()->empty())
        refuseNode(columns, "\"columns\" has no columns", "lines as id = { type = \"INT\", sequence = 1 }");
    // The library sorts keys; a table's columns have the order in which they were written.
    std::vector<std::pair<const toml::key*, const toml::node*>> order;
    for (const auto& [key, value] : *columns.as_table())
        order.emplace_back(&key, &value);
    std::ranges::sort(order, [](const auto& a, const auto& b) {
        const toml::source_position &first = a.first->source().begin, &second = b.first->source().begin;
        return std::pair(first.line, first.column) < std::pair(second.line, second.column);
    });
    for (const auto& [key, value] : order) {
        const toml::table* column = value->as_table();
        if (!column)
            refuseNode(*value, fmt::format("the column \"{}\" says too little", key->str()),
                       "as { type = \"INT\", sequence = 1 }");
        if (const toml::node* type = documents ? column->get("type") : nullptr)
            refuseNode(*type, "fields of documents have no \"type\"", "the values alone");
        std::string columnName = nameAt(*value, key->str());
        std::string type = documents ? std::string() : textAt(needed(*column, "type"), "type");
        read.created.push_back({columnName, type});
        if (auto maker = makerOf(*column, columnName, read, context))
            read.columns.push_back({std::move(columnName), std::move(type), std::move(*maker)});
    }
    readPartsOfCreate(table, documents, read);
    if (const toml::node* after = table.get("after")) {
        const toml::array* list = after->as_array();
        if (!list)
            refuseNode(*after, "\"after\" is no list", "SQL statements, as after = [\"CREATE INDEX …\"]");
        for (const toml::node& statement : *list)
            read.after.push_back(setupAt(statement, "after", documents));
    }
    return read;
}

const toml::array* tablesAt(const toml::table& root, std::string_view key)
{
    const toml::node* node = root.get(key);
    if (!node)
        return nullptr;
    const toml::array* list = node->as_array();
    if (!list || list->empty() || !list->is_homogeneous<toml::table>())
        refuseNode(*node, fmt::format("\"{}\" is no list of tables", key),
                   fmt::format("[[{}]] and its keys below", key));
    return list;
}

HeadCheck readCheck(const toml::table& table, bool documents)
{
    const char* const key = documents ? "command" : "sql";
    knownKeysOnly(table, documents ? kDocumentCheckKeys : kCheckKeys);
    HeadCheck read;
    const toml::node& sql = needed(table, key);
    read.sql = textAt(sql, key);
    if (isDocumentText(read.sql) != documents || !onlyReads(read.sql))
        refuseNode(sql, "a check may only read",
                   documents ? R"(one of find, count, distinct and aggregate, as {"count": "orders"})"
                             : "one SELECT that changes and locks nothing");
    const toml::node* name = table.get("name");
    read.name = name ? textAt(*name, "name") : read.sql;
    const toml::node *expect = table.get("expect"), *expression = table.get("expression");
    if (!expect == !expression)
        refuseNode(expression ? *expression : sql, "a check has one of \"expect\" and \"expression\"",
                   "expect = 0, expect = \"open\" or expression = \":value <= 1000 * :scale\"");
    if (expect)
        read.expect = valueAt(*expect);
    else
        read.expression = textAt(*expression, "expression");
    return read;
}

ThinkTime readThinkTime(const toml::key& key, const toml::node& node)
{
    constexpr const char* kForm = "one of: { constant = 20 }, { uniform = [10, 50] }, { negexp = 20 }, in milliseconds";
    constexpr double kMostThinkMs = 86'400'000; // a day
    const toml::table* table = node.as_table();
    if (!table || table->size() != 1)
        refuseNode(node, fmt::format("the think time of \"{}\" is no distribution", key.str()), kForm);
    ThinkTime read;
    read.section = key.str();
    read.line = int(key.source().begin.line) + 1;
    read.column = std::max(1, int(key.source().begin.column));
    const std::string_view kind = table->begin()->first.str();
    const toml::node& value = table->begin()->second;
    if (kind == "uniform") {
        const toml::array& pair = pairAt(value, "uniform = [10, 50]");
        read.kind = ThinkTime::Kind::Uniform;
        read.low = numberAt(pair[0]);
        read.high = numberAt(pair[1]);
    } else if (kind == "constant" || kind == "negexp") {
        read.kind = kind == "constant" ? ThinkTime::Kind::Constant : ThinkTime::Kind::Negexp;
        read.low = read.high = numberAt(value);
    } else {
        refuseNode(node, fmt::format("there is no distribution \"{}\"", kind), kForm);
    }
    if (read.low < 0 || read.high < read.low || read.high > kMostThinkMs)
        refuseNode(value, "the think time is out of range", "from 0 ms to a day, the smaller number first");
    return read;
}

std::string definitionsAt(const toml::node& node)
{
    const std::string text = textAt(node, "define");
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(";\n", begin), text.size());
        const std::string_view one = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
        const std::size_t equals = one.find('=');
        if (!one.empty() && (equals == std::string_view::npos || !isVariableName(trimmed(one.substr(0, equals)))))
            refuseNode(node, fmt::format("\"{}\" defines no variable", one), "define = \"n=100; part=3\"");
    }
    return text;
}

Head readParts(const toml::table& root, bool documents)
{
    knownKeysOnly(root, kPartKeys);
    if (root.empty())
        refuseNode(root, "the head is empty", "[[tables]], [[checks]], [think_time] or define");
    Head head;
    head.documents = documents;
    if (const toml::node* define = root.get("define"))
        head.define = definitionsAt(*define);
    std::set<std::string> names;
    if (const toml::array* list = tablesAt(root, "tables")) {
        for (const toml::node& table : *list) {
            head.tables.push_back(readTable(*table.as_table(), documents, head.files));
            if (!names.insert(head.tables.back().name).second)
                refuseNode(table, fmt::format("a second table \"{}\"", head.tables.back().name), "another name");
        }
    }
    if (const toml::node* cleanup = root.get("cleanup")) {
        const toml::array* list = cleanup->as_array();
        if (!list || head.tables.empty())
            refuseNode(*cleanup, list ? "\"cleanup\" without tables" : "\"cleanup\" is no list",
                       "SQL statements to send before [[tables]] are dropped");
        for (const toml::node& statement : *list)
            head.cleanup.push_back(setupAt(statement, "cleanup", documents));
    }
    if (const toml::array* list = tablesAt(root, "checks")) {
        std::set<std::string> checks;
        for (const toml::node& check : *list) {
            head.checks.push_back(readCheck(*check.as_table(), documents));
            if (!checks.insert(head.checks.back().name).second)
                refuseNode(check, fmt::format("a second check \"{}\"", head.checks.back().name), "another name");
        }
    }
    if (const toml::node* times = root.get("think_time")) {
        if (!times->is_table())
            refuseNode(*times, "\"think_time\" is no table", "[think_time] and a line for each transaction below");
        for (const auto& [key, value] : *times->as_table())
            head.thinkTimes.push_back(readThinkTime(key, value));
    }
    return head;
}

} // namespace

const std::vector<std::string>& headWords()
{
    static const std::vector<std::string> all = [] {
        std::set<std::string> words;
        for (const HeadWords& some :
             std::initializer_list<HeadWords>{kPartKeys, kTableKeys, kMakerKeys, kMoreColumnKeys, kCsvKeys, kCheckKeys,
                                              kDocumentCheckKeys, kThinkTimeKeys})
            words.insert(some.begin(), some.end());
        return std::vector<std::string>(words.begin(), words.end());
    }();
    return all;
}

Param::Type ColumnMaker::type() const
{
    switch (kind) {
    case Kind::Sequence:
    case Kind::UniformInteger:
    case Kind::Zipf:
        return Param::Type::Integer;
    case Kind::UniformReal:
    case Kind::Normal:
        return digits == 0 ? Param::Type::Integer : Param::Type::Real;
    case Kind::Date:
    case Kind::Time:
    case Kind::Uuid:
    case Kind::Hex:
    case Kind::Text:
    case Kind::Words:
    case Kind::Csv:
        return Param::Type::Text;
    case Kind::Constant:
    case Kind::Pick:
        break;
    }
    return values.front().index() == 0   ? Param::Type::Integer
           : values.front().index() == 1 ? Param::Type::Real
                                         : Param::Type::Text;
}

namespace {

//! Rounded to `digits` behind the point, if any are named; 0 makes a whole number of it.
Param roundedTo(std::optional<int> digits, double value)
{
    constexpr double kMostWhole = 9e18;
    if (!digits)
        return Param::of(value);
    if (*digits == 0)
        return Param::of(std::int64_t(std::clamp(std::round(value), -kMostWhole, kMostWhole)));
    const double scale = std::pow(10.0, *digits);
    const double scaled = value * scale;
    constexpr double kMostExact = 9e15; // above it there is nothing behind the point
    return Param::of(std::abs(scaled) < kMostExact ? std::round(scaled) / scale : value);
}

} // namespace

Param ColumnMaker::draw(std::int64_t row, Random& random, std::string& text, const FromFile& file) const
{
    if (nullShare > 0 && random.unit() < nullShare)
        return {};
    const auto given = [this](std::size_t number) {
        const auto& value = values[number];
        if (const auto* whole = std::get_if<std::int64_t>(&value))
            return Param::of(*whole);
        if (const auto* real = std::get_if<double>(&value))
            return Param::of(*real);
        return Param::of(std::string_view(std::get<std::string>(value)));
    };
    text.clear();
    switch (kind) {
    case Kind::Sequence:
        return Param::of(std::int64_t(std::uint64_t(first) + std::uint64_t(row) - 1));
    case Kind::Constant:
        return given(0);
    case Kind::UniformInteger:
        return Param::of(random.uniform(first, last));
    case Kind::UniformReal:
        return roundedTo(digits, low + (high - low) * random.unit());
    case Kind::Normal: { // Box and Muller
        const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
        return roundedTo(digits, low + high * radius * std::cos(2 * std::numbers::pi * random.unit()));
    }
    case Kind::Zipf:
        return Param::of(zipf->draw(random));
    case Kind::Date: {
        using namespace std::chrono;
        const year_month_day date(sys_days(days(random.uniform(first, last))));
        fmt::format_to(std::back_inserter(text), "{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()),
                       unsigned(date.day()));
        return Param::of(std::string_view(text));
    }
    case Kind::Time: {
        using namespace std::chrono;
        const std::int64_t at = random.uniform(first, last);
        const auto day = floor<days>(seconds(at));
        const year_month_day date{sys_days(day)};
        const std::int64_t second = at - seconds(day).count();
        fmt::format_to(std::back_inserter(text), "{:04}-{:02}-{:02} {:02}:{:02}:{:02}", int(date.year()),
                       unsigned(date.month()), unsigned(date.day()), second / 3600, second / 60 % 60, second % 60);
        return Param::of(std::string_view(text));
    }
    case Kind::Hex: {
        constexpr std::string_view kHexDigits = "0123456789abcdef";
        for (std::int64_t left = random.uniform(first, last); left > 0; --left)
            text += kHexDigits[random.next() >> 60];
        return Param::of(std::string_view(text));
    }
    case Kind::Words:
        if (!file.words)
            return Param::of(kNotRead);
        return Param::of(
            file.words->at(file.ranks ? file.ranks->draw(random) - 1 : random.uniform(0, file.words->size() - 1)));
    case Kind::Csv:
        if (!file.field)
            return Param::of(kNotRead);
        if (file.field->null)
            return {};
        text = file.field->text; // the next record takes its place
        return Param::of(std::string_view(text));
    case Kind::Uuid: { // version 4 of RFC 9562
        const std::uint64_t high64 = (random.next() & ~0xF000ull) | 0x4000;
        const std::uint64_t low64 = (random.next() & ~(3ull << 62)) | (2ull << 62);
        fmt::format_to(std::back_inserter(text), "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high64 >> 32,
                       (high64 >> 16) & 0xFFFF, high64 & 0xFFFF, low64 >> 48, low64 & 0xFFFF'FFFF'FFFF);
        return Param::of(std::string_view(text));
    }
    case Kind::Text: {
        constexpr std::uint64_t kLetters = 26;
        for (std::int64_t left = random.uniform(first, last); left > 0; --left)
            text += char('a' + int(random.next() % kLetters));
        return Param::of(std::string_view(text));
    }
    case Kind::Pick: {
        const double at = random.unit() * upTo.back();
        const auto found = std::ranges::upper_bound(upTo, at);
        return given(std::min(std::size_t(found - upTo.begin()), values.size() - 1));
    }
    }
    return {};
}

tl::expected<std::optional<Head>, Mistake> readHead(std::string_view text)
{
    const auto isFence = [text](std::size_t begin, std::size_t end) {
        std::string_view line = text.substr(begin, end - begin);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
            line.remove_suffix(1);
        return line == kFence;
    };
    const auto endOf = [text](std::size_t begin) { return std::min(text.find('\n', begin), text.size()); };
    if (!isFence(0, endOf(0)))
        return std::optional<Head>();
    const std::size_t begin = std::min(endOf(0) + 1, text.size());
    std::size_t close = begin;
    while (close < text.size() && !isFence(close, endOf(close)))
        close = std::min(endOf(close) + 1, text.size());
    if (close >= text.size())
        return tl::unexpected(Mistake{1, 1, "the head has no end", "a line +++ between it and the script"});
    try {
        const std::size_t behind = std::min(endOf(close) + 1, text.size());
        Head head = readParts(toml::parse(text.substr(begin, close - begin)), isDocumentScript(text.substr(behind)));
        head.end = std::min(endOf(close) + 1, text.size());
        return std::optional<Head>(std::move(head));
    } catch (const HeadMistake& wrong) {
        Mistake mistake = wrong.mistake;
        mistake.line = std::max(mistake.line, 1);
        return tl::unexpected(std::move(mistake));
    } catch (const toml::parse_error& error) {
        const toml::source_position& at = error.source().begin;
        return tl::unexpected(
            Mistake{int(at.line) + 1, std::max(1, int(at.column)), std::string(error.description()), "TOML"});
    }
}

std::int64_t ThinkTime::drawNs(Random& random) const
{
    constexpr double kLongest = 10; // means, as the TPC has it
    constexpr double kNsOfMs = 1e6;
    switch (kind) {
    case Kind::Constant:
        break;
    case Kind::Uniform:
        return std::int64_t((low + (high - low) * random.unit()) * kNsOfMs);
    case Kind::Negexp:
        return std::int64_t(low * std::min(-std::log1p(-random.unit()), kLongest) * kNsOfMs);
    }
    return std::int64_t(low * kNsOfMs);
}

bool needsPgbenchTables(std::string_view text)
{
    const auto head = readHead(text);
    const bool ownTables = head && *head && !(*head)->tables.empty();
    return !ownTables && text.find("pgbench_") != std::string_view::npos;
}

std::string headDigest(std::string_view text)
{
    const auto head = readHead(text);
    if (!head || !*head || (*head)->tables.empty())
        return {};
    // Rows depend on the tables alone, whatever the order of their lines.
    const std::string_view whole = text.substr(0, (*head)->end);
    const std::size_t begin = whole.find('\n') + 1;
    toml::table root = toml::parse(whole.substr(begin, whole.rfind(kFence) - begin));
    for (const char* other : {"cleanup", "checks", "think_time", "define"})
        root.erase(other);
    std::ostringstream canonical;
    canonical << root;
    std::string digested = canonical.str();
    for (const HeadTable& table : (*head)->tables) { // the order of columns is that of the text
        for (const CreatedColumn& column : table.created)
            digested += fmt::format("\n{}.{}", table.name, column.name);
    }
    constexpr std::size_t kEnough = 16; // digits, to tell heads apart; a person may have to read them
    return sha256Of(digested).substr(0, kEnough);
}

} // namespace dyno::script
