// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/compression.h"

#include "base/text.h"

#include "driver/mysql/server/mysql_recipes.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace dyno {

namespace {

//! In the order of their numbers, which the variable takes as well.
constexpr std::array<std::string_view, 7> kAlgorithms{"none", "zlib", "lz4", "lzo", "lzma", "bzip2", "snappy"};
constexpr std::size_t kFirstOfPlugins = 2;

} // namespace

std::string compressionProviderOf(const ServerBinaries& server, const Settings& knobs)
{
    const auto wanted = knobs.find("innodb_compression_algorithm");
    if (wanted == knobs.end() || !isMariadb(server) || !server.atLeast({10, 7, 0}))
        return {};
    const std::string text = lowered(toText(wanted->second));
    for (std::size_t i = kFirstOfPlugins; i < kAlgorithms.size(); ++i) {
        if (text == kAlgorithms[i] || text == std::to_string(i))
            return fmt::format("provider_{}", kAlgorithms[i]);
    }
    return {};
}

Expected<void> canCompress(const ServerBinaries& server, const Settings& knobs)
{
    const std::string provider = compressionProviderOf(server, knobs);
    if (provider.empty())
        return {};
    const std::filesystem::path file = server.pluginFolder() / (provider + ".so");
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return {};
    std::string package = "mariadb-plugin-" + provider;
    std::ranges::replace(package, '_', '-');
    return fail({ErrorKind::Refused,
                 fmt::format("this MariaDB has no {}, which compresses pages with {}", file.string(),
                             provider.substr(provider.find('_') + 1)),
                 server.server.string(),
                 fmt::format("install the package {}, or use innodb_compression_algorithm = zlib", package)});
}

} // namespace dyno
