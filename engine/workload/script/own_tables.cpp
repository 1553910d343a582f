// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/own_tables.h"

#include "base/text.h"
#include "workload/loading.h"
#include "workload/option_makers.h"
#include "workload/script/data_files.h"
#include "workload/script/head_checks.h"
#include "workload/statement_effect.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace dyno::script {

namespace {

constexpr std::int64_t kParametersOfInsert = 2000, kMostRowsOfInsert = 200, kInsertsOfSlice = 20;
constexpr std::int64_t kBytesOfInsert = 1'000'000; //!< at most, where they are more than those of one row
constexpr std::int64_t kMostOwnRows = 1'000'000'000'000;
constexpr std::uint64_t kOwnRowStreams = std::uint64_t(1) << 40; //!< apart from those of the users
constexpr double kMiddle = 0.5;
constexpr std::uint64_t kBytesOfValue = 16; //!< roughly, with its share of the row's head
constexpr std::int64_t kBulkRowsOfSlice = 50'000;
constexpr std::size_t kBulkTextBytes = 1'000'000; //!< sent at once, with one row more
constexpr std::int32_t kNoFileRows = -504;

//! What a value takes, roughly; of texts one that is `between` the shortest (0) and the longest (1).
std::uint64_t bytesOfValue(const ColumnMaker& maker, double between)
{
    const bool lengths = maker.kind == ColumnMaker::Kind::Text || maker.kind == ColumnMaker::Kind::Hex;
    return kBytesOfValue +
           (lengths ? std::uint64_t(double(maker.first) + between * double(maker.last - maker.first)) : 0);
}

std::uint64_t bytesOfRow(const HeadTable& table, double between)
{
    std::uint64_t bytes = kBytesOfValue;
    for (const HeadColumn& column : table.columns)
        bytes += bytesOfValue(column.maker, between);
    return bytes;
}

//! Rows of an INSERT.
std::int64_t batchOf(const HeadTable& table, bool prepared)
{
    if (prepared)
        return 1;
    const auto columns = std::int64_t(std::max<std::size_t>(1, table.columns.size())); // none: it has no rows
    const std::int64_t most =
        std::min(kParametersOfInsert / columns, kBytesOfInsert / std::int64_t(bytesOfRow(table, 1)));
    return std::clamp<std::int64_t>(most, 1, kMostRowsOfInsert);
}

//! False where the server may take other values in bulk than in an INSERT: it rounds a fraction for a whole number
//! there alone.
bool loadsInBulk(const HeadTable& table)
{
    constexpr std::array<std::string_view, 6> kOfFractions{"float", "double", "real", "dec", "numeric", "number"};
    return std::ranges::all_of(table.columns, [&](const HeadColumn& column) {
        const std::string type = lowered(column.type);
        return column.maker.type() != Param::Type::Real ||
               std::ranges::any_of(kOfFractions, [&type](std::string_view one) { return type.starts_with(one); });
    });
}

//! As a field of RequestKind::Bulk.
void appendField(std::string& out, const Param& value)
{
    switch (value.type) {
    case Param::Type::Null:
        out += "\\N";
        return;
    case Param::Type::Integer:
        fmt::format_to(std::back_inserter(out), "{}", value.integer);
        return;
    case Param::Type::Real:
        fmt::format_to(std::back_inserter(out), "{}", value.real);
        return;
    case Param::Type::Text:
        for (const char c : value.text) {
            const char letter = c == '\\' ? '\\' : c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\0';
            if (letter != '\0')
                out += '\\';
            out += letter != '\0' ? letter : c;
        }
        return;
    }
}

//! What a column of a table takes its values from.
struct ColumnSource
{
    std::shared_ptr<const WordList> words;
    std::optional<Distribution> ranks; //!< of the words
    std::size_t field = 0;             //!< of a record
};

//! What the files of a head have, read when a load begins.
struct ReadFiles
{
    struct OfTable
    {
        std::shared_ptr<const CsvFile> csv;
        std::string csvLost; //!< what to say if its records cannot be read any more
        std::vector<ColumnSource> columns;
    };
    std::vector<OfTable> tables;
    std::string problem; //!< "": none
};

//! Makes the rows of a table, one after the other. One thread.
class RowMaker
{
public:
    //! `files`: nullptr where they are not read.
    RowMaker(const HeadTable& table, std::size_t number, std::uint64_t seed, const ReadFiles* files)
        : m_table(table)
        , m_number(number)
        , m_seed(table.seed ? std::uint64_t(*table.seed) : seed)
        , m_files(files ? &files->tables[number] : nullptr)
    {
        if (m_files && m_files->csv)
            m_cursor.emplace(*m_files->csv);
    }
    //! Calls `use` with the value of each column of a row, counted from 1, and its number. Texts lie in texts[number].
    //! False: its record cannot be read.
    template<class Use>
    bool make(std::int64_t row, std::string* texts, Use use)
    {
        const std::vector<CsvField>* record = nullptr;
        if (m_cursor && !(record = m_cursor->read((row - 1) % m_files->csv->records())))
            return false;
        Random random = Random::forItem(m_seed, kOwnRowStreams + m_number, std::uint64_t(row));
        for (std::size_t i = 0; i < m_table.columns.size(); ++i) {
            FromFile from;
            if (m_files) {
                const ColumnSource& source = m_files->columns[i];
                from.words = source.words.get();
                from.ranks = source.ranks ? &*source.ranks : nullptr;
                from.field = record && m_table.columns[i].maker.kind == ColumnMaker::Kind::Csv
                                 ? &(*record)[source.field]
                                 : nullptr;
            }
            use(m_table.columns[i].maker.draw(row, random, texts[i], from));
        }
        return true;
    }

    //! Why make() said no.
    [[nodiscard]] const char* problem() const { return m_files->csvLost.c_str(); }

private:
    const HeadTable& m_table;
    std::size_t m_number;
    std::uint64_t m_seed;
    const ReadFiles::OfTable* m_files;
    std::optional<CsvCursor> m_cursor;
};

//! Reads the files of a head, each once.
class FileReader
{
public:
    FileReader(const Head& head, const FileEntries& entries, const std::function<bool()>& goOn)
        : m_head(head)
        , m_entries(entries)
        , m_goOn(goOn)
    {
    }
    //! Nothing: goOn() said no.
    [[nodiscard]] std::shared_ptr<const ReadFiles> run()
    {
        for (const HeadTable& table : m_head.tables) {
            ReadFiles::OfTable& read = m_read->tables.emplace_back();
            if (!table.file.empty()) {
                read.csv = csvOf(table);
                read.csvLost = fmt::format("{} has changed since the load began, or cannot be read any more",
                                           placeOf(*entryOf(m_entries, table.file)));
            }
            for (const HeadColumn& column : table.columns) {
                ColumnSource& source = read.columns.emplace_back();
                if (column.maker.kind == ColumnMaker::Kind::Words)
                    takeWords(column.maker, source);
                else if (column.maker.kind == ColumnMaker::Kind::Csv && read.csv)
                    source.field = fieldOf(table, column.maker, *read.csv);
            }
            if (m_stopped)
                return nullptr;
            if (!m_read->problem.empty())
                break;
        }
        return m_read;
    }

private:
    void refuse(std::string problem)
    {
        if (m_read->problem.empty())
            m_read->problem = std::move(problem);
    }
    //! For messages.
    static const std::string& placeOf(const FileEntry& entry) { return entry.path.empty() ? entry.name : entry.path; }
    //! Of a file inside the plan; nothing: it is not there.
    std::optional<std::string> contentOf(const FileEntry& entry)
    {
        if (const auto file = PackedFile::find(entry.sha256))
            return file->content();
        refuse(fmt::format("{} is not inside the plan any more: name the .workload file again", entry.name));
        return {};
    }
    OrProblem<std::shared_ptr<const CsvFile>> openCsv(const FileEntry& entry, const CsvForm& form)
    {
        if (!entry.path.empty())
            return CsvFile::open(entry.path, form, m_goOn);
        const auto content = contentOf(entry);
        return content ? CsvFile::of(*content, entry.name, form, m_goOn) : tl::unexpected(m_read->problem);
    }
    OrProblem<std::shared_ptr<const WordList>> openWords(const FileEntry& entry)
    {
        if (!entry.path.empty())
            return WordList::open(entry.path);
        auto content = contentOf(entry);
        return content ? WordList::of(std::move(*content), entry.name) : tl::unexpected(m_read->problem);
    }
    //! The plan says which content it means.
    void compare(const FileEntry& entry, const std::string& sha256, std::int64_t records)
    {
        if (!entry.sha256.empty() && entry.sha256 != sha256)
            refuse(
                fmt::format("{} is no longer the file that the plan was made with: name the .workload file again, or "
                            "remove the digits in front of its path from workload.files",
                            entry.path));
        // The form of the file may have changed in the head since.
        if (entry.records && *entry.records != records)
            refuse(fmt::format("{} has {} records, and workload.files says {}: name the .workload file again",
                               placeOf(entry), records, *entry.records));
    }
    std::shared_ptr<const CsvFile> csvOf(const HeadTable& table)
    {
        const auto known = m_csv.find(table.file);
        if (known != m_csv.end())
            return known->second;
        const FileEntry& entry = *entryOf(m_entries, table.file);
        auto file = openCsv(entry, table.csv);
        if (!file) {
            m_stopped = m_stopped || file.error().empty();
            refuse(file.error());
            return nullptr;
        }
        compare(entry, (*file)->sha256(), (*file)->records());
        return m_csv[table.file] = *file;
    }
    void takeWords(const ColumnMaker& maker, ColumnSource& source)
    {
        auto& known = m_words[maker.from];
        if (!known) {
            const FileEntry& entry = *entryOf(m_entries, maker.from);
            const auto list = openWords(entry);
            if (!list)
                return refuse(list.error());
            compare(entry, (*list)->sha256(), (*list)->size());
            known = *list;
        }
        source.words = known;
        if (maker.exponent) {
            DistributionSpec spec;
            spec.kind = DistributionKind::Zipfian;
            spec.zipfianExponent = *maker.exponent;
            source.ranks.emplace(spec, 1, known->size());
        }
    }
    std::size_t fieldOf(const HeadTable& table, const ColumnMaker& maker, const CsvFile& file)
    {
        if (maker.from.empty()) {
            if (std::size_t(maker.first) > file.columns())
                refuse(fmt::format("{} has {} columns, and the table {} takes number {}", table.file, file.columns(),
                                   table.name, maker.first));
            return std::min(std::size_t(maker.first), file.columns()) - 1;
        }
        const auto found = std::ranges::find(file.header(), maker.from);
        if (found != file.header().end())
            return std::size_t(found - file.header().begin());
        refuse(fmt::format("{} has no column \"{}\"; its header has: {}", table.file, maker.from,
                           fmt::join(file.header(), ", ")));
        return 0;
    }

    const Head& m_head;
    const FileEntries& m_entries;
    const std::function<bool()>& m_goOn;
    std::shared_ptr<ReadFiles> m_read = std::make_shared<ReadFiles>();
    std::map<std::string, std::shared_ptr<const CsvFile>> m_csv;
    std::map<std::string, std::shared_ptr<const WordList>> m_words;
    bool m_stopped = false;
};

StatementSpec insertOf(const HeadTable& table, std::int64_t rows)
{
    std::vector<std::string_view> names;
    std::string row;
    for (const HeadColumn& column : table.columns) {
        names.push_back(column.name);
        row += row.empty() ? "(?" : ", ?";
    }
    StatementSpec spec;
    if (names.empty()) { // it has no rows
        spec.preparable = false;
        return spec;
    }
    spec.text = fmt::format("INSERT INTO {} ({}) VALUES ", table.name, fmt::join(names, ", "));
    for (std::int64_t i = 0; i < rows; ++i) {
        spec.text += fmt::format("{}{})", i == 0 ? "" : ", ", row);
        for (const HeadColumn& column : table.columns)
            spec.parameters.push_back(column.maker.type());
    }
    return spec;
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

//! Servers put the key first, and add it where it is missing.
std::vector<std::string> fieldsOf(const HeadTable& table)
{
    constexpr const char* kKeyField = "_id";
    std::vector<std::string> fields{kKeyField};
    for (const HeadColumn& column : table.columns) {
        if (column.name != kKeyField)
            fields.push_back(column.name);
    }
    return fields;
}

bool isForeignKey(std::string_view constraint)
{
    return lowered(constraint).find("references") != std::string::npos;
}

//! True where a table has no rows of its own, and statements make them from those of other tables.
bool isDerived(const HeadTable& table, std::int64_t rows)
{
    return rows == 0 && std::ranges::any_of(table.after, mayMakeRows);
}

class OwnTables final : public WorkloadInstance
{
public:
    OwnTables(Head head, std::vector<std::int64_t> rows, FileEntries files, std::string suffix, const SqlDialect& sql)
        : m_head(std::move(head))
        , m_rows(std::move(rows))
        , m_files(std::move(files))
        , m_suffix(std::move(suffix))
        , m_keysOff(sql.foreignKeysOff)
        , m_prepared(!m_head.documents && sql.loadsPrepared)
        , m_keysLater(sql.foreignKeysLater)
    {
    }
    [[nodiscard]] std::vector<TableSpec> tables() const override
    {
        std::vector<TableSpec> specs;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const HeadTable& table = m_head.tables[i];
            TableSpec spec;
            spec.name = table.name;
            spec.derived = isDerived(table, m_rows[i]);
            (m_rows[i] == 0 ? spec.afterAll : spec.afterLoad) = table.after; // they may ask for the others' rows
            spec.rows = m_rows[i];
            spec.rowsPerSlice = batchOf(table, false) * kInsertsOfSlice;
            if (m_head.documents) {
                spec.create = fmt::format(R"({{"create":"{}"{}}})", table.name, m_suffix);
                spec.columns = fieldsOf(table);
                specs.push_back(std::move(spec));
                continue;
            }
            std::string columns;
            for (const CreatedColumn& column : table.created) {
                columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", column.name, column.type);
                spec.columns.push_back(column.name);
            }
            for (const std::string& constraint : table.constraints) {
                if (isForeignKey(constraint) && m_keysLater) // tables are loaded side by side
                    spec.afterAll.push_back(fmt::format("ALTER TABLE {} ADD {}", table.name, constraint));
                else
                    columns += ", " + constraint;
            }
            spec.create = fmt::format("CREATE TABLE {} ({}){}{}{}", table.name, columns, m_suffix,
                                      table.options.empty() ? "" : " ", table.options);
            spec.bulkRowsPerSlice = !m_prepared && loadsInBulk(table) ? kBulkRowsOfSlice : 0;
            specs.push_back(std::move(spec));
        }
        return specs;
    }
    [[nodiscard]] std::vector<std::string> beforeDrop() const override { return m_head.cleanup; }
    [[nodiscard]] bool loadsTogether() const override
    {
        if (!m_head.cleanup.empty() || refer())
            return true;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (isDerived(m_head.tables[i], m_rows[i]))
                return true;
        }
        return false;
    }
    [[nodiscard]] std::vector<std::string> loaderSessionSetup() const override
    {
        return refer() && !m_keysLater && !m_keysOff.empty() ? std::vector{m_keysOff} : std::vector<std::string>();
    }
    [[nodiscard]] StatementSet statements() const override { return {}; }
    [[nodiscard]] StatementSet loaderStatements() const override
    {
        StatementSet all;
        for (const HeadTable& table : m_head.tables) {
            for (const std::int64_t rows : {std::int64_t(1), batchOf(table, m_prepared)})
                all.push_back(m_head.documents ? insertOfDocuments(table, rows) : insertOf(table, rows));
        }
        return all;
    }
    //! The files.
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override;
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override;
    [[nodiscard]] Task<Outcome> transaction(UserContext& /*user*/) const override { co_return Outcome::Ok; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override
    {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            bytes += std::uint64_t(m_rows[i]) * bytesOfRow(m_head.tables[i], kMiddle);
        return bytes;
    }

private:
    [[nodiscard]] Task<Outcome> loadLines(UserContext& user, LoadSlice slice, RowMaker& maker) const;
    //! Tables name each other.
    [[nodiscard]] bool refer() const
    {
        return std::ranges::any_of(m_head.tables, [](const HeadTable& table) {
            return std::ranges::any_of(table.constraints, isForeignKey) ||
                   std::ranges::any_of(table.columns, isForeignKey, &HeadColumn::type);
        });
    }
    [[nodiscard]] std::shared_ptr<const ReadFiles> readFiles() const
    {
        const std::lock_guard lock(m_reading);
        return m_read;
    }

    Head m_head;
    std::vector<std::int64_t> m_rows; //!< of each table
    FileEntries m_files;
    std::string m_suffix;
    std::string m_keysOff; //!< SQL that makes a session not enforce foreign keys
    bool m_prepared;       //!< rows load fastest one by one
    bool m_keysLater;      //!< foreign keys can be added to loaded tables
    mutable std::mutex m_reading;
    mutable std::shared_ptr<const ReadFiles> m_read; //!< with m_reading; a problem stays, as its words are shown
};

bool OwnTables::makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t /*seed*/) const
{
    if (use == Use::Run) { // a list of words is as large as its file: nobody needs it while it is measured
        const std::lock_guard lock(m_reading);
        if (m_read && m_read->problem.empty())
            m_read = nullptr;
        return true;
    }
    if (m_head.files.empty() || readFiles())
        return true;
    auto read = FileReader(m_head, m_files, goOn).run();
    if (!read)
        return false;
    const std::lock_guard lock(m_reading);
    m_read = std::move(read);
    return true;
}

Task<Outcome> OwnTables::load(UserContext& user, LoadSlice slice) const
{
    const auto number = std::size_t(slice.table - 1);
    const HeadTable& table = m_head.tables[number];
    const std::shared_ptr<const ReadFiles> files = readFiles(); // none at a look, which reads no file
    if (files && !files->problem.empty())
        co_return user.reject(kNoFileRows, files->problem.c_str());
    RowMaker maker(table, number, user.seed(), files.get());
    if (slice.bulk) {
        const Outcome sent = co_await loadLines(user, slice, maker);
        co_return sent;
    }
    const RowInserts inserts{StatementId(2 * number), StatementId(2 * number + 1), batchOf(table, m_prepared),
                             !m_head.documents};
    std::vector<std::string> texts(std::size_t(inserts.batch) * table.columns.size());
    bool whole = true;
    const auto bind = [&](std::int64_t row, std::int64_t count) {
        const auto add = [&user](const Param& value) { user.params().push_back(value); };
        std::string* text = texts.data();
        for (const std::int64_t end = row + count; row < end; ++row, text += table.columns.size()) {
            if (!maker.make(row, text, add)) {
                whole = false;
                user.params().resize(user.params().size() + table.columns.size()); // the load fails after it
            }
        }
    };
    const Outcome loaded = co_await loadRows(user, slice, inserts, bind);
    co_return whole ? loaded : user.reject(kNoFileRows, maker.problem());
}

Task<Outcome> OwnTables::loadLines(UserContext& user, LoadSlice slice, RowMaker& maker) const
{
    const HeadTable& table = m_head.tables[std::size_t(slice.table - 1)];
    std::string into;
    for (const HeadColumn& column : table.columns)
        into += fmt::format("{}{}", into.empty() ? "" : ", ", column.name);
    into = fmt::format("{} ({})", table.name, into);
    std::vector<std::string> texts(table.columns.size());
    for (std::int64_t row = slice.firstRow; row <= slice.lastRow;) {
        std::string& lines = user.buffer();
        lines.clear();
        const auto add = [&lines](const Param& value) {
            appendField(lines, value);
            lines += '\t';
        };
        for (; row <= slice.lastRow && lines.size() < kBulkTextBytes; ++row) {
            if (!maker.make(row, texts.data(), add))
                co_return user.reject(kNoFileRows, maker.problem());
            lines.back() = '\n';
        }
        const Request bulk{.kind = RequestKind::Bulk, .text = into, .value = lines};
        const Reply reply = co_await user.step(bulk);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

//! Of a table: a whole number, or an expression with :scale and the plan's variables; of a CSV file its records.
tl::expected<std::int64_t, std::string> rowsOf(const HeadTable& table, const Settings& params, const FileEntries& files)
{
    if (table.rows.empty()) {
        const FileEntry* const file = entryOf(files, table.file);
        if (!file || !file->records)
            return tl::unexpected(fmt::format("how many records {} has is not known", table.file));
        if (*file->records > kMostOwnRows)
            return tl::unexpected(fmt::format("{} cannot have more than 10^12 records", table.file));
        return *file->records;
    }
    const auto value = valueInHead(table.rows, params);
    if (!value)
        return tl::unexpected(value.error());
    if (value->type != Scalar::Type::Integer || value->integer < 0 || value->integer > kMostOwnRows)
        return tl::unexpected(std::string("the result is no whole number from 0 to 10^12"));
    return value->integer;
}

//! Those that the plan names; all that the head reads are there.
Expected<FileEntries> filesOf(const Head& head, const Settings& params)
{
    auto entries = readFileEntries(textOf(params, kFilesParam));
    if (!entries)
        return wrongParameter(entries.error(), kFilesParam, "lines NAME = /PATH");
    for (const HeadFile& file : head.files) {
        if (!entryOf(*entries, file.name))
            return wrongParameter(
                fmt::format("the head of the script reads \"{}\", and the plan names no such file", file.name),
                kFilesParam, fmt::format("a line {} = /PATH, with the whole path of the file", file.name));
    }
    return std::move(*entries);
}

} // namespace

Expected<std::shared_ptr<const WorkloadInstance>> bindOwnTables(Head head, const Settings& params,
                                                                const DriverInfo& driver, const Settings& tableKnobs)
{
    const bool documents = head.documents;
    if (!documents && integerOf(tableKnobs, "partitions") > 0)
        return fail({ErrorKind::BadInput, "the tables of this workload have no column in common to partition by",
                     "table.partitions", "set it to 0"});
    auto suffix = tableSuffix(driver.sql, documents ? DataModel::Document : DataModel::Sql, tableKnobs, "");
    if (!suffix)
        return tl::unexpected(suffix.error());
    auto files = filesOf(head, params);
    if (!files)
        return tl::unexpected(files.error());
    std::vector<std::int64_t> rows;
    for (const HeadTable& table : head.tables) {
        const auto count = rowsOf(table, params, *files);
        if (!count)
            return wrongParameter(
                fmt::format("the rows of the table {}, \"{}\": {}", table.name, table.rows, count.error()), "scripts",
                table.rows.empty() ? "a line rows = … in the table"
                                   : "a whole number, or an expression as 1000 * :scale");
        if (*count > 0 && table.columns.empty())
            return wrongParameter(
                fmt::format("no column of the table {} has a way to make values, so it cannot have rows", table.name),
                "scripts", "give one of them a way, or write rows = 0");
        rows.push_back(*count);
    }
    return std::make_shared<const OwnTables>(std::move(head), std::move(rows), std::move(*files), std::move(*suffix),
                                             driver.sql);
}

} // namespace dyno::script
