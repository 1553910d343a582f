// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/data_files.h"

#include "base/sha256.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <tuple>

namespace dyno::script {

namespace {

constexpr std::size_t kShaDigits = 64;

//! "RECORDS SHA256 " in front of a path; true: it was there, and is taken away.
bool takeFacts(std::string_view& value, FileEntry& entry)
{
    std::int64_t records = 0;
    const char* const end = value.data() + value.size();
    const auto [behind, error] = std::from_chars(value.data(), end, records);
    if (error != std::errc() || records < 1)
        return false;
    const std::string_view rest = trimmed(std::string_view(behind, std::size_t(end - behind)));
    const std::string_view digits = rest.substr(0, kShaDigits);
    const auto isHex = [](char c) { return isDigit(c) || (c >= 'a' && c <= 'f'); };
    if (digits.size() != kShaDigits || !std::ranges::all_of(digits, isHex) ||
        (rest.size() > kShaDigits && rest[kShaDigits] != ' '))
        return false;
    entry.records = records;
    entry.sha256 = digits;
    value = trimmed(rest.substr(kShaDigits));
    return true;
}

//! What files have that were read before: workloads are listed often, and their files may be large.
class KnownFiles
{
public:
    static KnownFiles& all()
    {
        static KnownFiles known;
        return known;
    }
    //! "": nothing is known by its place, as it may be written to in this very moment.
    static std::string keyOf(const HeadFile& file, const std::string& path)
    {
        constexpr std::int64_t kSettled = 2; // seconds; the times of some file systems are no finer
        struct stat facts = {};
        if (::stat(path.c_str(), &facts) != 0 || facts.st_mtim.tv_sec + kSettled >= ::time(nullptr))
            return {};
        const CsvForm form = file.csv.value_or(CsvForm());
        return fmt::format("{} {} {} {}.{} {}.{} {} {} {} {}:{}{}", facts.st_dev, facts.st_ino, facts.st_size,
                           facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec,
                           file.csv.has_value(), form.header, int(form.delimiter), form.null.size(), form.null, path);
    }
    bool find(const std::string& key, FileEntry& entry)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_facts.find(key);
        if (key.empty() || found == m_facts.end())
            return false;
        std::tie(entry.records, entry.sha256) = found->second;
        return true;
    }
    //! `key`: from before it was read.
    void keep(const std::string& key, const HeadFile& file, const FileEntry& entry)
    {
        constexpr std::size_t kMostKept = 1000;
        if (key.empty() || keyOf(file, entry.path) != key)
            return;
        const std::lock_guard lock(m_mutex);
        if (m_facts.size() >= kMostKept)
            m_facts.clear();
        m_facts[key] = {*entry.records, entry.sha256};
    }

private:
    std::mutex m_mutex;
    std::map<std::string, std::pair<std::int64_t, std::string>> m_facts; //!< with m_mutex: records and digits
};

Expected<FileEntry> foundFile(const HeadFile& file, const std::filesystem::path& folder)
{
    namespace fs = std::filesystem;
    const auto wrong = [&file](std::string what, std::string remedy) {
        return fail(
            {ErrorKind::BadInput, std::move(what), fmt::format("{}:{}", file.line, file.column), std::move(remedy)});
    };
    std::error_code problem;
    const fs::path home = fs::weakly_canonical(fs::absolute(folder, problem), problem);
    const fs::path path = fs::weakly_canonical(home / file.name, problem);
    const fs::path relative = path.lexically_relative(home);
    if (problem || relative.empty() || *relative.begin() == "..")
        return wrong(fmt::format("\"{}\" is a link that leads out of the folder", file.name),
                     "copy the file, or name it by --param files=\"NAME = /PATH\"");
    FileEntry entry{.name = file.name, .path = path.string(), .records = {}, .sha256 = {}};
    if (entry.path.find('\n') != std::string::npos)
        return wrong("the name of the folder has a line break", "move the files");
    const std::string key = KnownFiles::keyOf(file, entry.path);
    if (KnownFiles::all().find(key, entry))
        return entry;
    if (file.csv) {
        const auto csv = CsvFile::open(entry.path, *file.csv, {});
        if (!csv)
            return wrong(csv.error(), "put the file beside the .workload file, or correct it");
        entry.records = (*csv)->records();
        entry.sha256 = (*csv)->sha256();
    } else {
        const auto list = WordList::open(entry.path);
        if (!list)
            return wrong(list.error(), "put the file beside the .workload file, or correct it");
        entry.records = (*list)->size();
        entry.sha256 = (*list)->sha256();
    }
    KnownFiles::all().keep(key, file, entry);
    return entry;
}

//! What is to go into a plan of a file that was just looked at; nullptr: it is too large for what has gone in before,
//! or was written to since.
std::shared_ptr<const PackedFile> packedFile(const FileEntry& entry, const PlanFiles& before)
{
    std::size_t bytes = 0, packed = 0;
    for (const auto& [sha256, one] : before) {
        if (sha256 == entry.sha256)
            return one;
        bytes += one->bytes();
        packed += one->text().size();
    }
    auto file = PackedFile::find(entry.sha256);
    if (!file) {
        const auto content = regularFile(entry.path, PackedFile::kMostBytes - bytes);
        file = content ? PackedFile::pack(*content) : nullptr;
    }
    const bool fits = file && file->sha256() == entry.sha256 && bytes + file->bytes() <= PackedFile::kMostBytes &&
                      packed + file->text().size() <= PackedFile::kMostPacked;
    return fits ? file : nullptr;
}

} // namespace

OrProblem<FileEntries> readFileEntries(std::string_view text)
{
    FileEntries entries;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        if (line.empty())
            continue;
        const std::size_t equals = std::min(line.find('='), line.size());
        FileEntry entry{.name = std::string(trimmed(line.substr(0, equals))), .path = {}, .records = {}, .sha256 = {}};
        std::string_view value = trimmed(line.substr(std::min(equals + 1, line.size())));
        const bool facts = takeFacts(value, entry);
        const bool inside = facts && value.empty();
        if (entry.name.empty() || (!inside && !value.starts_with('/')))
            return tl::unexpected(
                fmt::format("\"{}\" names no file{}", line, facts || value.empty() ? "" : " by its full path"));
        entry.path = value;
        if (entryOf(entries, entry.name))
            return tl::unexpected(fmt::format("\"{}\" is named twice", entry.name));
        entries.push_back(std::move(entry));
    }
    return entries;
}

const FileEntry* entryOf(const FileEntries& entries, std::string_view name)
{
    const auto found = std::ranges::find(entries, name, &FileEntry::name);
    return found == entries.end() ? nullptr : &*found;
}

Expected<std::string> findFiles(const Head& head, const std::filesystem::path& folder, PlanFiles* inside)
{
    std::string all;
    for (const HeadFile& file : head.files) {
        const auto found = foundFile(file, folder);
        if (!found)
            return tl::unexpected(found.error());
        const auto packed = inside ? packedFile(*found, *inside) : nullptr;
        if (packed)
            inside->insert_or_assign(found->sha256, packed);
        all += fmt::format("{}{} = {} {}{}{}", all.empty() ? "" : "\n", found->name, *found->records, found->sha256,
                           packed ? "" : " ", packed ? "" : found->path);
    }
    return all;
}

std::string filesDigest(std::string_view text, const Settings& params)
{
    const auto head = readHead(text);
    if (!head || !*head || (*head)->files.empty())
        return {};
    const auto entries = readFileEntries(textOf(params, kFilesParam));
    std::string digested;
    for (const HeadFile& file : (*head)->files) {
        const FileEntry* const entry = entries ? entryOf(*entries, file.name) : nullptr;
        digested += fmt::format("{}\n{}\n", file.name,
                                !entry                  ? std::string()
                                : entry->sha256.empty() ? entry->path
                                                        : entry->sha256);
    }
    constexpr std::size_t kEnough = 16; // as headDigest() has it
    return sha256Of(digested).substr(0, kEnough);
}

} // namespace dyno::script
