// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/mysql_knobs.h"

#include <fmt/format.h>

namespace dyno {

namespace {

class MysqlKnobs final : public KnobSource
{
public:
    const char* driver() const override { return "mysql"; }
    VariableWords words(Admin& admin, const ServerFacts& facts) const override;
    std::optional<bool> readOnly(Admin& admin, std::string_view name, const ServerFacts& facts) const override
    {
        return facts.product == "MariaDB" ? mariadbReadOnly(admin, name) : std::nullopt;
    }
};

VariableWords MysqlKnobs::words(Admin& admin, const ServerFacts& facts) const
{
    VariableWords words;
    if (facts.product == "MariaDB") {
        const auto rows = admin.query("SELECT LOWER(variable_name), COALESCE(default_value, ''), read_only FROM "
                                      "information_schema.system_variables");
        for (std::size_t i = 0; rows && i < rows->size(); ++i)
            words[(*rows)[i].at(0)] = {(*rows)[i].at(1), (*rows)[i].at(2) == "YES"};
    } else if (facts.variables.contains("version")) {
        // Nobody has set it: what is in force is the default. Not in MySQL 5.7 and older.
        const auto rows = admin.query("SELECT LOWER(i.variable_name), g.variable_value FROM "
                                      "performance_schema.variables_info i JOIN performance_schema.global_variables g "
                                      "USING (variable_name) WHERE i.variable_source = 'COMPILED'");
        for (std::size_t i = 0; rows && i < rows->size(); ++i)
            words[(*rows)[i].at(0)] = {(*rows)[i].at(1), {}};
    }
    return words;
}

} // namespace

std::optional<bool> mariadbReadOnly(Admin& admin, std::string_view name)
{
    const auto rows = admin.query(
        fmt::format("SELECT read_only FROM information_schema.system_variables WHERE variable_name = '{}'", name));
    if (!rows || rows->empty())
        return {};
    return rows->front().at(0) == "YES";
}

const KnobSource& mysqlKnobs()
{
    static const MysqlKnobs kKnobs;
    return kKnobs;
}

} // namespace dyno
