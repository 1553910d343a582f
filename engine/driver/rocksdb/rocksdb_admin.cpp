// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_admin.h"

#include "base/clock.h"
#include "driver/rocksdb/rocksdb_counters.h"
#include "driver/rocksdb/rocksdb_session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rocksdb/convenience.h>
#include <rocksdb/metadata.h>
#include <rocksdb/version.h>
#include <set>
#include <thread>

namespace dyno {

namespace {

using rocksdb::DB;
using rocksdb::Status;

constexpr std::string_view kLoading = "loading:";
constexpr std::string_view kNote = "note:";
constexpr std::string_view kForm = "form:"; //!< with the knob's name, then the family that was made with it
constexpr auto kLookAgain = std::chrono::milliseconds(20);
constexpr std::int64_t kQuietNs = 1'000'000'000; //!< after which nothing that is due will be begun
constexpr std::int64_t kSettleNs = std::int64_t(30) * 60 * 1'000'000'000;
constexpr std::int64_t kRowsBetweenLooks = 4096;

std::string versionText()
{
    return fmt::format("{}.{}.{}", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
}

std::string oneLine(std::string text)
{
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::uint64_t propertyOf(DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& property)
{
    std::uint64_t value = 0;
    return db.GetIntProperty(family, property, &value) ? value : 0;
}

//! Names that a call is about; all families where none is named.
std::vector<std::pair<std::string, rocksdb::ColumnFamilyHandle*>> chosen(const RocksdbStore& store,
                                                                         const std::vector<std::string>& tables)
{
    std::vector<std::pair<std::string, rocksdb::ColumnFamilyHandle*>> found;
    for (const auto& [name, handle] : store.families()) {
        const bool named = std::ranges::find(tables, name) != tables.end();
        if (tables.empty() ? name != kRocksdbNotes : named)
            found.emplace_back(name, handle);
    }
    return found;
}

} // namespace

RocksdbAdmin::RocksdbAdmin(const ConnectTarget& target)
    : m_target(target)
{
    m_target.statements.clear();
    m_target.uri.password.clear();
}

Expected<std::unique_ptr<Admin>> RocksdbAdmin::open(const ConnectTarget& target)
{
    std::unique_ptr<RocksdbAdmin> admin(new RocksdbAdmin(target));
    if (target.look) {
        // The one that this process has open is seen as it is; a second one would not see its memtables.
        if (RocksdbFolder::whileOpen(target.uri.path, [](const RocksdbStore&) {}))
            return admin;
        std::error_code ignored;
        if (!std::filesystem::exists(std::filesystem::path(target.uri.path) / "CURRENT", ignored))
            return fail({ErrorKind::Unreachable, "there is no database in this folder", target.uri.path,
                         "name another folder"});
        auto opened = RocksdbStore::open(target.uri.path, target, true);
        if (!opened)
            return fail(opened.error());
        admin->m_look = std::move(*opened);
        return admin;
    }
    admin->m_folder = RocksdbFolder::of(target.uri.path);
    if (auto opened = admin->m_folder->open(admin->m_target, true, true); !opened)
        return fail(opened.error());
    return admin;
}

std::unique_ptr<Admin> RocksdbAdmin::watcher(const ConnectTarget& target)
{
    return std::unique_ptr<Admin>(new RocksdbAdmin(target));
}

Expected<RocksdbAdmin::Store> RocksdbAdmin::store()
{
    if (m_look)
        return m_look;
    if (m_folder)
        return m_folder->open(m_target, true, true);
    if (Store open = m_target.look ? RocksdbFolder::lookedAt(m_target.uri.path) : nullptr)
        return open;
    return fail({ErrorKind::Unreachable, "the database is not open", m_target.uri.path, ""});
}

Expected<void> RocksdbAdmin::execute(std::string_view command)
{
    auto done = query(command);
    if (!done)
        return fail(done.error());
    return {};
}

Expected<TextRows> RocksdbAdmin::query(std::string_view command)
{
    const auto parsed = parseRocksdbStatement(command);
    if (!parsed)
        return fail(parsed.error());
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    if (parsed->verb == RocksdbVerb::Create || parsed->verb == RocksdbVerb::Drop) {
        const Expected<void> done =
            parsed->verb == RocksdbVerb::Create ? create(**opened, parsed->family) : (*opened)->drop(parsed->family);
        return done ? Expected<TextRows>(TextRows()) : fail(done.error());
    }
    rocksdb::ColumnFamilyHandle* family = (*opened)->family(parsed->family);
    RocksdbArguments arguments;
    if (!family || !arguments.take(*parsed, {}))
        return fail({ErrorKind::BadInput,
                     family ? std::string("a command has no parameters")
                            : fmt::format("there is no column family \"{}\"", parsed->family),
                     m_target.uri.path, "correct the command"});
    DB& db = *(*opened)->db();
    const std::string key(arguments.first());
    TextRows rows;
    Status status;
    std::string value;
    switch (parsed->verb) {
    case RocksdbVerb::Put:
        status = db.Put({}, family, key, std::string(arguments.second()));
        break;
    case RocksdbVerb::Delete:
        status = db.Delete({}, family, key);
        break;
    case RocksdbVerb::Scan: {
        const std::unique_ptr<rocksdb::Iterator> all(db.NewIterator({}, family));
        std::int64_t left = arguments.limit();
        for (all->Seek(key); all->Valid() && left > 0; all->Next(), --left)
            rows.push_back({all->key().ToString(), all->value().ToString()});
        status = all->status();
        break;
    }
    default:
        status = db.Get({}, family, key, &value);
        if (status.ok())
            rows.push_back({key, value});
        else if (status.IsNotFound())
            status = Status::OK();
    }
    if (!status.ok())
        return fail(rocksdbError(status, m_target.uri.path));
    return rows;
}

Expected<std::vector<std::string>> RocksdbAdmin::tableNames()
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    std::vector<std::string> names;
    for (const auto& [name, handle] : chosen(**opened, {})) {
        if (name == rocksdb::kDefaultColumnFamilyName) {
            const std::unique_ptr<rocksdb::Iterator> rows((*opened)->db()->NewIterator({}, handle));
            rows->SeekToFirst();
            if (!rows->Valid())
                continue;
        }
        names.push_back(name);
    }
    return names;
}

Expected<std::vector<ColumnShape>> RocksdbAdmin::describe(std::string_view table)
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    std::vector<ColumnShape> columns;
    if ((*opened)->family(table))
        columns = {{"key", "bytes"}, {"value", "bytes"}};
    return columns;
}

Expected<ServerFacts> RocksdbAdmin::facts()
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    ServerFacts facts;
    facts.product = "RocksDB";
    facts.version = versionText();
    facts.transport = "in process";
    DB& db = *(*opened)->db();
    rocksdb::Options inForce = db.GetOptions();
    inForce.table_factory = (*opened)->options().table_factory;
    for (auto& [name, value] : valuesOf(inForce))
        facts.variables.insert_or_assign(name, oneLine(std::move(value)));
    for (const OptionSpec& knob : rocksdbOptions()) {
        const auto value = m_target.connection.find(knob.name);
        // What the library does not tell in these words is the sessions' or the table format's.
        if (value != m_target.connection.end() && !facts.variables.contains(knob.name))
            facts.variables.insert_or_assign(knob.name, toText(value->second));
    }
    if (auto told = tellForm(**opened, facts.variables); !told)
        return fail(told.error());
    const std::int64_t start = nowNs();
    std::string ignored;
    db.Get({}, "no key", &ignored).PermitUncheckedError();
    facts.roundTripMs = double(nowNs() - start) * 1e-6;
    return facts;
}

Expected<std::string> RocksdbAdmin::variable(std::string_view name)
{
    const Expected<ServerFacts> all = facts();
    if (!all)
        return fail(all.error());
    if (const auto found = all->variables.find(name); found != all->variables.end())
        return toText(found->second);
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    std::string value;
    if ((*opened)->db()->GetProperty(std::string(name), &value))
        return value;
    return fail({ErrorKind::BadInput, fmt::format("RocksDB {} has no option or property \"{}\"", versionText(), name),
                 m_target.uri.path, "see `dyno knobs rocksdb`"});
}

Expected<void> RocksdbAdmin::setVariable(std::string_view name, const Value& value)
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    const std::unordered_map<std::string, std::string> change{{std::string(name), toText(value)}};
    DB& db = *(*opened)->db();
    if (db.SetDBOptions(change).ok())
        return {};
    for (const auto& [family, handle] : (*opened)->families()) {
        if (const Status status = db.SetOptions(handle, change); !status.ok())
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" cannot be set: {}", name, status.ToString()),
                         m_target.uri.path, "set it for the users' connections, with which the database is opened"});
    }
    return {};
}

Expected<std::int64_t> RocksdbAdmin::readThrough(std::string_view table, bool values)
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    rocksdb::ColumnFamilyHandle* family = (*opened)->family(table);
    if (!family)
        return fail({ErrorKind::BadInput, fmt::format("there is no column family \"{}\"", table), m_target.uri.path,
                     "load the data first"});
    rocksdb::ReadOptions how;
    how.fill_cache = values; // counting must not push out what a run is to find there
    const std::unique_ptr<rocksdb::Iterator> rows((*opened)->db()->NewIterator(how, family));
    std::int64_t count = 0;
    for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
        if (++count % kRowsBetweenLooks == 0 && m_aborted.load(std::memory_order_relaxed))
            return fail({ErrorKind::Interrupted, "the request was aborted", m_target.uri.path, ""});
    }
    if (!rows->status().ok())
        return fail(rocksdbError(rows->status(), m_target.uri.path));
    return count;
}

Expected<std::int64_t> RocksdbAdmin::rowCount(std::string_view table)
{
    return readThrough(table, false);
}

Expected<void> RocksdbAdmin::prewarm(const std::vector<std::string>& tables)
{
    for (const std::string& table : tables) {
        if (const auto read = readThrough(table, true); !read)
            return fail(read.error());
    }
    return {};
}

Expected<void> RocksdbAdmin::drop(std::string_view table)
{
    auto opened = store();
    return opened ? (*opened)->drop(table) : fail(opened.error());
}

Expected<rocksdb::ColumnFamilyHandle*> RocksdbAdmin::notes(RocksdbStore& store, bool create)
{
    if (!store.family(kRocksdbNotes) && create) {
        if (auto made = store.create(kRocksdbNotes); !made)
            return fail(made.error());
    }
    return store.family(kRocksdbNotes);
}

Expected<DataNotes> RocksdbAdmin::noted(std::string_view prefix)
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    const auto family = notes(**opened, false);
    if (!family)
        return fail(family.error());
    DataNotes found;
    if (!*family)
        return found;
    const std::unique_ptr<rocksdb::Iterator> rows((*opened)->db()->NewIterator({}, *family));
    for (rows->Seek({prefix.data(), prefix.size()}); rows->Valid(); rows->Next()) {
        const std::string_view key = rows->key().ToStringView();
        if (!key.starts_with(prefix))
            break;
        found.emplace(key.substr(prefix.size()), rows->value().ToString());
    }
    if (!rows->status().ok())
        return fail(rocksdbError(rows->status(), m_target.uri.path));
    return found;
}

//! On disk at once: it must be known even after the machine's crash.
Expected<void> RocksdbAdmin::note(rocksdb::WriteBatch& batch, RocksdbStore& store)
{
    rocksdb::WriteOptions how;
    how.sync = true;
    if (const Status status = store.db()->Write(how, &batch); !status.ok())
        return fail(rocksdbError(status, m_target.uri.path));
    return {};
}

Expected<void> RocksdbAdmin::create(RocksdbStore& store, const std::string& name)
{
    if (auto made = store.create(name); !made)
        return made;
    const auto family = notes(store, true);
    if (!family)
        return fail(family.error());
    rocksdb::WriteBatch batch;
    for (const auto& [knob, value] : store.form())
        batch.Put(*family, fmt::format("{}{}:{}", kForm, knob, name), toText(value)).PermitUncheckedError();
    return note(batch, store);
}

Expected<void> RocksdbAdmin::tellForm(const RocksdbStore& store, Settings& variables)
{
    for (const auto& [knob, now] : store.form()) {
        const auto forms = noted(fmt::format("{}{}:", kForm, knob));
        if (!forms)
            return fail(forms.error());
        std::set<std::string> values;
        for (const auto& [family, value] : *forms) {
            if (store.family(family))
                values.insert(value);
        }
        if (!values.empty())
            variables.insert_or_assign(knob, fmt::format("{}", fmt::join(values, ", ")));
    }
    return {};
}

Expected<std::vector<std::string>> RocksdbAdmin::unfinishedLoads()
{
    const auto found = noted(kLoading);
    if (!found)
        return fail(found.error());
    std::vector<std::string> tables;
    for (const auto& [table, empty] : *found)
        tables.push_back(table);
    return tables;
}

Expected<void> RocksdbAdmin::setUnfinishedLoads(const std::vector<std::string>& tables)
{
    const auto known = unfinishedLoads();
    if (!known)
        return fail(known.error());
    if (known->empty() && tables.empty())
        return {};
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    const auto family = notes(**opened, true);
    if (!family)
        return fail(family.error());
    rocksdb::WriteBatch batch;
    for (const std::string& table : *known)
        batch.Delete(*family, std::string(kLoading) + table).PermitUncheckedError();
    for (const std::string& table : tables)
        batch.Put(*family, std::string(kLoading) + table, "").PermitUncheckedError();
    return note(batch, **opened);
}

Expected<DataNotes> RocksdbAdmin::dataNotes()
{
    return noted(kNote);
}

Expected<void> RocksdbAdmin::setDataNotes(const DataNotes& texts)
{
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    const bool any = std::ranges::any_of(texts, [](const auto& text) { return !text.second.empty(); });
    const auto family = notes(**opened, any);
    if (!family)
        return fail(family.error());
    if (!*family)
        return {};
    rocksdb::WriteBatch batch;
    for (const auto& [table, text] : texts) {
        const std::string key = std::string(kNote) + table;
        (text.empty() ? batch.Delete(*family, key) : batch.Put(*family, key, text)).PermitUncheckedError();
    }
    return note(batch, **opened);
}

std::vector<CounterInfo> RocksdbAdmin::counters()
{
    return rocksdbCounters();
}

//! Without opening anything: a watcher's database is its users'.
Expected<std::vector<double>> RocksdbAdmin::counterValues()
{
    if (m_look)
        return rocksdbCounterValues(*m_look);
    std::vector<double> values;
    if (!RocksdbFolder::whileOpen(m_target.uri.path,
                                  [&values](const RocksdbStore& open) { values = rocksdbCounterValues(open); }))
        return fail({ErrorKind::Unreachable, "the database is not open", m_target.uri.path, ""});
    return values;
}

Expected<std::vector<SnapshotPart>> RocksdbAdmin::snapshot()
{
    if (m_look)
        return rocksdbSnapshot(*m_look);
    std::vector<SnapshotPart> parts;
    if (!RocksdbFolder::whileOpen(m_target.uri.path,
                                  [&parts](const RocksdbStore& open) { parts = rocksdbSnapshot(open); }))
        return fail({ErrorKind::Unreachable, "the database is not open", m_target.uri.path, ""});
    return parts;
}

std::uint64_t RocksdbAdmin::dataBytes(const std::vector<std::string>& tables)
{
    auto opened = store();
    if (!opened)
        return 0;
    std::uint64_t bytes = 0;
    for (const auto& [name, handle] : chosen(**opened, tables)) {
        bytes += propertyOf(*(*opened)->db(), handle, DB::Properties::kLiveSstFilesSize);
        bytes += propertyOf(*(*opened)->db(), handle, DB::Properties::kSizeAllMemTables);
    }
    return bytes;
}

std::vector<DataPart> RocksdbAdmin::dataParts(const std::vector<std::string>& tables)
{
    auto opened = store();
    if (!opened)
        return {};
    checkpoint();
    std::vector<DataPart> parts;
    for (const auto& [name, handle] : chosen(**opened, tables)) {
        rocksdb::ColumnFamilyMetaData meta;
        (*opened)->db()->GetColumnFamilyMetaData(handle, &meta);
        parts.push_back({"collection", name, meta.size});
        for (const rocksdb::LevelMetaData& level : meta.levels) {
            if (level.size > 0)
                parts.push_back({"level", fmt::format("{}, level {}", name, level.level), level.size});
        }
    }
    rocksdb::VectorLogPtr logs;
    if ((*opened)->db()->GetSortedWalFiles(logs).ok()) {
        std::uint64_t bytes = 0;
        for (const auto& log : logs)
            bytes += log->SizeFileBytes();
        parts.push_back({"redo log", "", bytes});
    }
    return parts;
}

void RocksdbAdmin::checkpoint()
{
    auto opened = store();
    if (!opened || m_target.look)
        return;
    for (const auto& [name, handle] : (*opened)->families())
        (*opened)->db()->Flush({}, handle).PermitUncheckedError(); // best effort
}

Expected<void> RocksdbAdmin::settle(const std::vector<std::string>& tables)
{
    checkpoint();
    auto opened = store();
    if (!opened)
        return fail(opened.error());
    DB& db = *(*opened)->db();
    const std::int64_t until = nowNs() + kSettleNs;
    const auto any = [&](const std::string& first, const std::string& second) {
        return std::ranges::any_of(chosen(**opened, tables), [&](const auto& one) {
            return propertyOf(db, one.second, first) > 0 || propertyOf(db, one.second, second) > 0;
        });
    };
    // What is due may never be begun: with automatic compactions off, or where none is worth while.
    std::int64_t quietSince = nowNs();
    while (true) {
        if (any(DB::Properties::kNumRunningFlushes, DB::Properties::kNumRunningCompactions))
            quietSince = nowNs();
        else if (!any(DB::Properties::kMemTableFlushPending, DB::Properties::kCompactionPending) ||
                 nowNs() - quietSince > kQuietNs)
            return {};
        if (m_aborted.load(std::memory_order_relaxed))
            return fail({ErrorKind::Interrupted, "the request was aborted", m_target.uri.path, ""});
        if (nowNs() > until)
            return fail({ErrorKind::Failed, "compactions did not end within 30 minutes", m_target.uri.path,
                         "set load.settle = false, or give it more background jobs"});
        std::this_thread::sleep_for(kLookAgain);
    }
}

} // namespace dyno
