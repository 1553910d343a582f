// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/postgresql/server/postgresql_knobs.h"

#include "driver/postgresql/postgresql_units.h"

#include <fmt/format.h>

namespace dyno {

namespace {

class PostgresqlKnobs final : public KnobSource
{
public:
    const char* driver() const override { return "postgresql"; }
    VariableWords words(Admin& admin, const ServerFacts& facts) const override;
    std::optional<bool> readOnly(Admin& admin, std::string_view name, const ServerFacts& facts) const override;
};

//! Whether a setting of this context needs a restart; others are read again while the server runs.
constexpr const char* kFixed = "context IN ('postmaster', 'internal')";

VariableWords PostgresqlKnobs::words(Admin& admin, const ServerFacts& /*facts*/) const
{
    VariableWords words;
    const auto rows = admin.query(
        fmt::format("SELECT name, coalesce({}, ''), {} FROM pg_settings", postgresql::inBytes("boot_val"), kFixed));
    for (std::size_t i = 0; rows && i < rows->size(); ++i)
        words[(*rows)[i].at(0)] = {(*rows)[i].at(1), (*rows)[i].at(2) == "t"};
    return words;
}

std::optional<bool> PostgresqlKnobs::readOnly(Admin& admin, std::string_view name, const ServerFacts& /*facts*/) const
{
    const auto rows = admin.query(fmt::format("SELECT {} FROM pg_settings WHERE name = '{}'", kFixed, name));
    if (!rows || rows->empty())
        return {};
    return rows->front().at(0) == "t";
}

} // namespace

const KnobSource& postgresqlKnobs()
{
    static const PostgresqlKnobs kKnobs;
    return kKnobs;
}

} // namespace dyno
