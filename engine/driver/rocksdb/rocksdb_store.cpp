// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_store.h"

#include "base/data_folder.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/version.h>
#include <system_error>
#include <unistd.h>

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
//! an assertion fails at the next (7.8, as Debian builds it). Here such lines are lost. Until begin() lines are kept in
//! memory: the folder may be another program's.
class LogFile final : public rocksdb::Logger
{
public:
    using Logger::Logger;
    using rocksdb::Logger::Logv;
    void Logv(const char* format, std::va_list arguments) override
    {
        const std::time_t now = std::time(nullptr);
        std::tm time = {};
        ::localtime_r(&now, &time);
        std::array<char, 32> stamp = {};
        std::strftime(stamp.data(), stamp.size(), "%Y/%m/%d-%H:%M:%S ", &time);
        const std::lock_guard lock(m_mutex);
        if (!m_file)
            return;
        std::fputs(stamp.data(), m_file.get());
        std::vfprintf(m_file.get(), format, arguments);
        std::fputc('\n', m_file.get());
        std::fflush(m_file.get());
    }
    //! Once this program holds the folder's lock. The LOG that is there gets the name that the library gives it, which
    //! removes such files when it opens the folder (keep_log_file_num). Where that cannot be, nothing is written.
    void begin(const fs::path& folder)
    {
        const fs::path log = folder / "LOG";
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const std::string old =
            fmt::format("{}.old.{}", log.string(), std::chrono::duration_cast<std::chrono::microseconds>(now).count());
        const bool kept = std::rename(log.c_str(), old.c_str()) == 0 || errno == ENOENT;
        const int number = kept ? ::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
        File file(number < 0 ? nullptr : ::fdopen(number, "w"));
        if (number >= 0 && !file)
            ::close(number);
        const std::lock_guard lock(m_mutex);
        m_file.reset(); // completes the text
        if (file && m_early.text) {
            std::fwrite(m_early.text, 1, m_early.size, file.get());
            std::fflush(file.get());
        }
        m_file = std::move(file);
        m_early.clear();
    }

private:
    struct Close
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, Close>;
    struct Text //!< of open_memstream()
    {
        char* text = nullptr;
        std::size_t size = 0;
        Text() = default;
        Text(const Text&) = delete;
        Text& operator=(const Text&) = delete;
        ~Text() { clear(); }
        void clear()
        {
            std::free(text);
            text = nullptr;
        }
    };
    std::mutex m_mutex;
    Text m_early;                                                //!< outlives m_file, which may end in it
    File m_file{::open_memstream(&m_early.text, &m_early.size)}; //!< none: nothing is written
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
    const auto says = [&text](const std::string& words) { return text.find(words) != std::string::npos; };
    const auto saysOf = [&says](int error) { return says(std::generic_category().message(error)); }; // in its language
    if (status.IsIOError() &&
        (says("lock hold by current process") || (says("While lock file") && (saysOf(EAGAIN) || saysOf(EACCES)))))
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
    const auto log = std::make_shared<LogFile>(store->m_options.info_log_level);
    if (!look)
        store->m_options.info_log = log;
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
    if (!look)
        log->begin(folder);
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
