// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/lifecycle/data_parts.h"

#include "server/lifecycle/server_recipe.h"

#include <algorithm>
#include <array>
#include <map>
#include <sys/stat.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 9> kPartKinds = {"table",  "index",     "redo log",    "undo log", "binlog",
                                                   "system", "temporary", "doublewrite", "other"};

std::uint64_t allocatedOf(const fs::path& file)
{
    struct stat info = {};
    constexpr std::uint64_t kBlock = 512; // st_blocks counts these, whatever the file system's own are
    return ::lstat(file.c_str(), &info) == 0 ? std::uint64_t(info.st_blocks) * kBlock : 0;
}

template<class Visit>
void eachFile(const fs::path& folder, Visit visit)
{
    std::error_code error;
    std::error_code ignored;
    for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
         !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
        if (it->is_regular_file(ignored))
            visit(it->path());
    }
}

} // namespace

std::vector<DataPart> dataPartsOf(std::string_view product, const fs::path& data, const fs::path& temporary,
                                  const std::string& database)
{
    const ServerRecipe* known = recipeFor(product);
    const ServerRecipe& recipe = known ? *known : *serverRecipes().front(); // a folder may not say
    std::map<DataFile, std::uint64_t> sums;
    eachFile(data, [&](const fs::path& file) {
        const fs::path below = file.lexically_relative(data);
        sums[recipe.fileOf(below, database)] += allocatedOf(file);
    });
    if (!temporary.empty())
        eachFile(temporary, [&](const fs::path& file) { sums[{"temporary", {}}] += allocatedOf(file); });
    std::vector<DataPart> parts;
    for (const auto& [part, bytes] : sums) {
        if (bytes > 0)
            parts.push_back({part.kind, part.table, bytes});
    }
    const auto rank = [](const DataPart& part) {
        return std::find(kPartKinds.begin(), kPartKinds.end(), part.kind) - kPartKinds.begin();
    };
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const DataPart& a, const DataPart& b) { return rank(a) < rank(b); });
    return parts;
}

std::vector<DataPart> offPagePartsOf(std::string_view product, const fs::path& data, const std::string& database,
                                     const std::vector<std::string>& tables)
{
    const ServerRecipe* const recipe = recipeFor(product);
    std::map<std::string, std::uint64_t> sums;
    if (!recipe)
        return {};
    eachFile(data / database, [&](const fs::path& file) {
        const DataFile part = recipe->fileOf(file.lexically_relative(data), database);
        if (part.kind != "table" || std::find(tables.begin(), tables.end(), part.table) == tables.end())
            return;
        if (const auto bytes = recipe->offPageBytes(file))
            sums[part.table] += *bytes;
    });
    std::vector<DataPart> parts;
    for (const auto& [table, bytes] : sums)
        parts.push_back({"off-page", table, bytes});
    return parts;
}

std::uint64_t allocatedBytes(const fs::path& folder)
{
    std::uint64_t sum = 0;
    eachFile(folder, [&](const fs::path& file) { sum += allocatedOf(file); });
    return sum;
}

} // namespace dyno
