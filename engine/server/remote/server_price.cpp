// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/remote/server_price.h"

#include "server/lifecycle/private_folder.h"
#include "server/remote/remote_servers.h"

#include <dyno/runner.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kPriceKeys = {"cost_per_hour", "currency", "watts"};
constexpr double kMostPrice = 1e9;           //!< of a price, as plans have it
constexpr std::size_t kLongestCurrency = 12; //!< bytes, as plans have it
constexpr const char* kNoCurrency = "is not a currency";
constexpr const char* kCurrencyRemedy = "a short name as it is to be shown, such as \"$\", \"€\" or \"CHF\"";

bool isPrice(std::optional<double> value)
{
    return value && *value >= 0 && *value <= kMostPrice;
}

bool isCurrency(std::string_view text)
{
    return !text.empty() && text.size() <= kLongestCurrency && text.find_first_of("\n\r\t") == text.npos;
}

fs::path priceFile(const fs::path& folder)
{
    return folder / "price";
}

//! The folder of a plan's named instance; empty when the target is none, or another product's.
fs::path instanceOf(const TargetUri& uri, const fs::path& workDir)
{
    const auto name = uri.query.find("name");
    if (uri.kind != TargetKind::Managed || name == uri.query.end() || !isServerName(name->second))
        return {};
    const fs::path folder = namedServersFolder(workDir) / name->second;
    std::error_code ignored;
    return fs::is_directory(folder, ignored) && readFolderFacts(folder).product == uri.product ? folder : fs::path();
}

} // namespace

std::string tomlText(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c == '\n')
            result += "\\n";
        else if (c == '\t')
            result += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            result += c;
    }
    return result + '"';
}

bool isPriceKey(std::string_view key)
{
    return std::find(kPriceKeys.begin(), kPriceKeys.end(), key) != kPriceKeys.end();
}

std::string priceText(const Price& price)
{
    std::string text;
    if (price.costPerHour > 0)
        text += fmt::format("cost_per_hour = {}\n", price.costPerHour);
    if (price.watts > 0)
        text += fmt::format("watts = {}\n", price.watts);
    if (price.currency != Price().currency)
        text += fmt::format("currency = {}\n", tomlText(price.currency));
    return text;
}

Price readPrice(const toml::table& table, const std::string& where, Faults& faults)
{
    for (const std::string_view key : kPriceKeys) {
        const toml::node* node = table.get(key);
        if (!node)
            continue;
        std::string what, remedy;
        if (key == "currency" && !node->is_string()) {
            what = "is not a text";
            remedy = "put it in quotes";
        } else if (key == "currency" && !isCurrency(node->as_string()->get())) {
            what = kNoCurrency;
            remedy = kCurrencyRemedy;
        } else if (key != "currency" && !isPrice(node->value<double>())) {
            what = "is not a number from 0 to 1000000000";
            remedy = "give a number; leave it out when it is not known";
        } else {
            continue;
        }
        faults.push_back({fmt::format("{}.{}", where, key), int(node->source().begin.line),
                          int(node->source().begin.column), std::move(what), std::move(remedy)});
    }
    return {table["cost_per_hour"].value_or(0.0), table["watts"].value_or(0.0),
            table["currency"].value_or(Price().currency)};
}

Expected<void> checkPrice(const Price& price)
{
    if (!isPrice(price.costPerHour) || !isPrice(price.watts))
        return fail({ErrorKind::BadInput,
                     "a price is not a number from 0 to 1000000000",
                     {},
                     "correct the cost per hour or the watts; 0 when it is not known"});
    if (!isCurrency(price.currency))
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" {}", price.currency, kNoCurrency), {}, kCurrencyRemedy});
    return {};
}

Price withKnown(Price price, const Price& other)
{
    if (price.costPerHour <= 0 && other.costPerHour > 0) {
        price.costPerHour = other.costPerHour;
        price.currency = other.currency;
    }
    if (price.watts <= 0)
        price.watts = other.watts;
    return price;
}

Price readInstancePrice(const fs::path& folder)
{
    std::ifstream in(priceFile(folder), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    try {
        Faults faults;
        const Price price = readPrice(toml::parse(text.view()), "price", faults);
        return faults.empty() ? price : Price();
    } catch (const toml::parse_error&) {
        return {};
    }
}

Expected<void> writeInstancePrice(const fs::path& folder, const Price& price)
{
    if (auto right = checkPrice(price); !right) {
        right.error().where = folder.filename().string();
        return right;
    }
    return replaceFile(priceFile(folder), priceText(price));
}

void addKnownPrices(std::vector<PointSpec>& points, const fs::path& file, const fs::path& workDir)
{
    const fs::path instances = workDir.empty() ? dataFolder() : workDir;
    for (PointSpec& point : points) {
        const auto uri = parseUri(point.target.uri);
        if (!uri)
            continue;
        if (const fs::path instance = instanceOf(*uri, instances); !instance.empty())
            point.target.price = withKnown(point.target.price, readInstancePrice(instance));
        else if (uri->kind != TargetKind::Remote)
            continue;
        else if (const auto known = remoteServerOf(*uri, file); known && *known)
            point.target.price = withKnown(point.target.price, (*known)->price);
    }
}

} // namespace dyno
