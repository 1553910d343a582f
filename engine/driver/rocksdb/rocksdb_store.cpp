// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_store.h"

#include "base/data_folder.h"

#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/version.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefault = "default"; // rocksdb::kDefaultColumnFamilyName

std::string placeOfFolder(const std::string& path)
{
    std::error_code ignored;
    const std::string name = fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
    return name.empty() ? path : name;
}

//! By place; those that nobody uses stay, closed.
struct Folders
{
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<RocksdbFolder>> byPlace;
};

Folders& folders()
{
    static Folders all;
    return all;
}

//! The file LOG in the folder. With the library's own one a full disk ends the whole program: once a line did not fit,
//! an assertion fails at the next (7.8, as Debian builds it). Here such lines are lost.
class LogFile final : public rocksdb::Logger
{
public:
    LogFile(const fs::path& folder, rocksdb::InfoLogLevel level)
        : Logger(level)
    {
        std::error_code ignored;
        fs::rename(folder / "LOG", folder / "LOG.old", ignored);
        m_file.reset(std::fopen((folder / "LOG").c_str(), "we"));
    }
    using rocksdb::Logger::Logv;
    void Logv(const char* format, std::va_list arguments) override
    {
        if (!m_file)
            return;
        const std::string time = fmt::format("{:%Y/%m/%d-%H:%M:%S} ", fmt::localtime(std::time(nullptr)));
        const std::lock_guard lock(m_mutex);
        std::fputs(time.c_str(), m_file.get());
        std::vfprintf(m_file.get(), format, arguments);
        std::fputc('\n', m_file.get());
        std::fflush(m_file.get());
    }

private:
    struct Close
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::mutex m_mutex;
    std::unique_ptr<std::FILE, Close> m_file; //!< none: it could not be made
};

//! Before the library makes files: what it would do in a wrong place.
Expected<void> mayOpen(const std::string& folder, bool create)
{
    std::error_code ignored;
    if (folder.empty())
        return fail({ErrorKind::BadInput, "the path is missing", "rocksdb:", "name a folder"});
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
        return fail({ErrorKind::BadInput, "this is a file, not a folder", folder, "name a folder"});
    const fs::path above = fs::absolute(folder, ignored).parent_path();
    if (!fs::is_directory(above, ignored))
        return fail({ErrorKind::Unreachable, fmt::format("the folder {} does not exist", above.string()), folder,
                     "make that folder first, or name another one"});
    const bool there = fs::exists(fs::path(folder) / "CURRENT", ignored);
    if (!there && !create)
        return fail({ErrorKind::Unreachable, "there is no database in this folder", folder, "name another folder"});
    if (!there && fs::exists(folder, ignored) && !fs::is_empty(folder, ignored) && !isOurDataFolder(folder))
        return fail({ErrorKind::Refused, "this folder holds other files, and no database", folder,
                     "name a new or empty folder"});
    return {};
}

} // namespace

Error rocksdbError(const rocksdb::Status& status, const std::string& folder)
{
    const std::string text = status.ToString();
    const std::string what = fmt::format("RocksDB says: {}", text);
    const auto says = [&text](const char* words) { return text.find(words) != std::string::npos; };
    if (status.IsIOError() && (says("lock hold by current process") ||
                               (says("While lock file") && says("Resource temporarily unavailable")))) // EAGAIN
        return {ErrorKind::Refused, what, folder, "another program has this folder open: end it"};
    if (status.IsNoSpace())
        return {ErrorKind::Failed, what, folder, "make room on the disk"};
    if (status.IsIOError())
        return {ErrorKind::Unreachable, what, folder, "check that the folder can be written"};
    if (status.IsCorruption())
        return {ErrorKind::Refused, what, folder, "the database is damaged: remove the folder and load the data again"};
    if (status.IsInvalidArgument() || status.IsNotSupported())
        return {ErrorKind::BadInput, what, folder, "correct the options, or name a new folder"};
    return {ErrorKind::Failed, what, folder, ""};
}

Expected<std::shared_ptr<RocksdbStore>> RocksdbStore::open(const std::string& folder, const ConnectTarget& target,
                                                           bool look)
{
    auto options = openOptionsOf(target.connection, target.connectionExtra);
    if (!options)
        return fail(options.error());
    std::shared_ptr<RocksdbStore> store(new RocksdbStore);
    store->m_folder = folder;
    store->m_options = std::move(*options);
    store->m_form = formOf(target.connection);
    store->m_options.create_if_missing = !look;

    std::error_code ignored;
    const bool madeHere = !look && !fs::exists(folder, ignored);
    const bool there = fs::exists(fs::path(folder) / "CURRENT", ignored);
    std::vector<std::string> names{std::string(kDefault)};
    if (there) {
        names.clear();
        const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(store->m_options, folder, &names);
        if (!listed.ok())
            return fail(rocksdbError(listed, folder));
    } else if (auto marked = look ? Expected<void>() : markDataFolder(folder); !marked) {
        return fail(marked.error());
    }
    if (!look)
        store->m_options.info_log = std::make_shared<LogFile>(folder, store->m_options.info_log_level);
    std::vector<rocksdb::ColumnFamilyDescriptor> wanted;
    for (const std::string& name : names)
        wanted.emplace_back(name, store->m_options);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::Status status;
    if (look) {
        rocksdb::DB* db = nullptr;
        status = rocksdb::DB::OpenForReadOnly(store->m_options, folder, wanted, &handles, &db);
        store->m_db.reset(db);
    } else if (transactionsOf(target.connection) == RocksdbTransactions::Pessimistic) {
        rocksdb::TransactionDBOptions how;
        how.transaction_lock_timeout = integerOf(target.connection, "lock_timeout", 1000);
        how.default_lock_timeout = how.transaction_lock_timeout;
        status = rocksdb::TransactionDB::Open(store->m_options, how, folder, wanted, &handles, &store->m_pessimistic);
        store->m_db.reset(store->m_pessimistic);
    } else if (transactionsOf(target.connection) == RocksdbTransactions::Optimistic) {
        status =
            rocksdb::OptimisticTransactionDB::Open(store->m_options, folder, wanted, &handles, &store->m_optimistic);
        store->m_db.reset(store->m_optimistic);
    } else {
        rocksdb::DB* db = nullptr;
        status = rocksdb::DB::Open(store->m_options, folder, wanted, &handles, &db);
        store->m_db.reset(db);
    }
    if (!status.ok()) {
        // The next attempt finds the folder as this one did, unless another program just makes a database there.
        if (!there && !look && (!status.IsIOError() || status.IsNoSpace())) {
            emptyDataFolder(folder);
            if (madeHere)
                fs::remove(folder, ignored);
        }
        return fail(rocksdbError(status, folder));
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        store->m_families.emplace(names[i], handles[i]);
    return store;
}

RocksdbStore::~RocksdbStore()
{
    if (!m_db)
        return;
    for (const auto& [name, handle] : m_families)
        m_db->DestroyColumnFamilyHandle(handle);
    for (rocksdb::ColumnFamilyHandle* handle : m_dropped)
        m_db->DestroyColumnFamilyHandle(handle);
}

rocksdb::ColumnFamilyHandle* RocksdbStore::family(std::string_view name) const
{
    const std::shared_lock lock(m_mutex);
    const auto found = m_families.find(name);
    return found == m_families.end() ? nullptr : found->second;
}

std::map<std::string, rocksdb::ColumnFamilyHandle*, std::less<>> RocksdbStore::families() const
{
    const std::shared_lock lock(m_mutex);
    return m_families;
}

Expected<void> RocksdbStore::create(std::string_view name)
{
    const std::lock_guard lock(m_mutex);
    if (m_families.contains(name))
        return fail({ErrorKind::Refused, fmt::format("there is a column family \"{}\" already", name), m_folder,
                     "remove it first"});
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    const rocksdb::Status status = m_db->CreateColumnFamily(m_options, std::string(name), &handle);
    if (!status.ok())
        return fail(rocksdbError(status, m_folder));
    m_families.emplace(std::string(name), handle);
    return {};
}

Expected<void> RocksdbStore::drop(std::string_view name)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_families.find(name);
    if (found == m_families.end())
        return {};
    if (name == kDefault) {
        const std::unique_ptr<rocksdb::Iterator> rows(m_db->NewIterator({}, found->second));
        for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
            if (const rocksdb::Status status = m_db->Delete({}, found->second, rows->key()); !status.ok())
                return fail(rocksdbError(status, m_folder));
        }
        return {};
    }
    if (const rocksdb::Status status = m_db->DropColumnFamily(found->second); !status.ok())
        return fail(rocksdbError(status, m_folder));
    m_dropped.push_back(found->second); // sessions may have it still
    m_families.erase(found);
    return {};
}

RocksdbFolder::Use RocksdbFolder::of(const std::string& path)
{
    return known(path, true)->use();
}

RocksdbFolder::Use RocksdbFolder::used(const std::string& path)
{
    RocksdbFolder* const folder = known(path, false);
    return folder && folder->isOpen() ? folder->use() : nullptr;
}

//! Folders are never removed. Without their own mutex, under which a database is opened: that takes seconds.
RocksdbFolder* RocksdbFolder::known(const std::string& path, bool make)
{
    Folders& all = folders();
    const std::string place = placeOfFolder(path);
    const std::lock_guard lock(all.mutex);
    const auto found = all.byPlace.find(place);
    if (found != all.byPlace.end())
        return found->second.get();
    return make ? all.byPlace.emplace(place, std::make_unique<RocksdbFolder>(path)).first->second.get() : nullptr;
}

RocksdbFolder::Use RocksdbFolder::use()
{
    const std::lock_guard lock(m_mutex);
    ++m_uses;
    return {this, [](RocksdbFolder* folder) { folder->leave(); }};
}

void RocksdbFolder::leave()
{
    const std::lock_guard lock(m_mutex);
    if (--m_uses == 0)
        m_store.reset();
}

Expected<std::shared_ptr<RocksdbStore>> RocksdbFolder::open(const ConnectTarget& target, bool create, bool anyhow)
{
    const std::lock_guard lock(m_mutex);
    std::string key = openKeyOf(target.connection, target.connectionExtra);
    // Copies are given under this lock only: one alone is ours.
    if (m_store && key != m_key && m_store.use_count() > 1) {
        if (anyhow)
            return m_store;
        return fail({ErrorKind::Refused, "this database is in use with other settings", m_path,
                     "use one folder for each set of options"});
    }
    if (m_store && key == m_key)
        return m_store;
    m_store.reset(); // the library lets nobody open it twice
    if (auto may = mayOpen(m_path, create); !may)
        return fail(may.error());
    auto opened = RocksdbStore::open(m_path, target, false);
    if (!opened)
        return fail(opened.error());
    m_store = std::move(*opened);
    m_key = std::move(key);
    return m_store;
}

std::shared_ptr<RocksdbStore> RocksdbFolder::lookedAt(const std::string& path)
{
    struct Look
    {
        Use use;
        std::shared_ptr<RocksdbStore> store; //!< goes before its use
    };
    auto look = std::make_shared<Look>();
    look->use = used(path);
    if (look->use) {
        const std::lock_guard lock(look->use->m_mutex);
        look->store = look->use->m_store;
    }
    RocksdbStore* const store = look->store.get();
    return store ? std::shared_ptr<RocksdbStore>(std::move(look), store) : nullptr;
}

bool RocksdbFolder::whileOpen(const std::string& path, const std::function<void(const RocksdbStore&)>& read)
{
    RocksdbFolder* const folder = known(path, false);
    if (!folder)
        return false;
    const std::lock_guard lock(folder->m_mutex);
    if (folder->m_store)
        read(*folder->m_store);
    return folder->m_store != nullptr;
}

bool RocksdbFolder::isOpen()
{
    const std::lock_guard lock(m_mutex);
    return m_store != nullptr;
}

} // namespace dyno
