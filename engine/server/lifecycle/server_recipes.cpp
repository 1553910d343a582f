// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of servers that can be started and of what servers say of their variables. Explicit, as the list of drivers
// is.
#include "driver/clickhouse/server/clickhouse_recipes.h"
#include "driver/driver.h"
#include "driver/mongodb/server/mongodb_recipes.h"
#include "driver/mysql/server/mysql_knobs.h"
#include "driver/mysql/server/mysql_recipes.h"
#include "driver/postgresql/server/postgresql_knobs.h"
#include "driver/postgresql/server/postgresql_recipes.h"
#include "server/knobs/knob_source.h"
#include "server/lifecycle/server_recipe.h"
#include <dyno/uri_form.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

const std::vector<const ServerRecipe*>& serverRecipes()
{
    static const std::vector<const ServerRecipe*> kRecipes = {
        &mariadbRecipe(), &mysqlRecipe(), &mongodbRecipe(), &ferretdbRecipe(), &postgresqlRecipe(), &clickhouseRecipe(),
    };
    return kRecipes;
}

const KnobSource* knobSourceFor(std::string_view driver)
{
    for (const KnobSource* source : {&mysqlKnobs(), &postgresqlKnobs()}) {
        if (source->driver() == driver)
            return source;
    }
    return nullptr;
}

const ServerRecipe* recipeFor(std::string_view product)
{
    const auto& recipes = serverRecipes();
    const auto found = std::ranges::find_if(
        recipes, [product](const ServerRecipe* recipe) { return recipe->names().product == product; });
    return found == recipes.end() ? nullptr : *found;
}

Expected<Driver*> driverOf(const ServerRecipe& recipe)
{
    const std::string_view id = recipe.names().driver;
    if (Driver* driver = driverFor(id))
        return driver;
    const UriForm* form = uriFormOfDriver(id);
    return fail(
        {ErrorKind::Unreachable, form ? form->missing : std::string(), {}, form ? form->howToBuild : std::string()});
}

std::string ServerRecipe::unusable(const ServerBinaries& /*found*/) const
{
    return {};
}

std::filesystem::path ServerRecipe::pluginFolder(const ServerBinaries& /*server*/) const
{
    return {};
}

std::string ServerRecipe::versionOtherwise(const std::filesystem::path& /*server*/) const
{
    return {};
}

std::vector<std::string> ServerRecipe::initialiseCommand(const ServerBinaries& /*server*/,
                                                         const std::filesystem::path& /*folder*/,
                                                         const std::filesystem::path& /*temporary*/,
                                                         const Settings& /*initialisation*/) const
{
    return {};
}

Expected<void> ServerRecipe::canHold(const Settings& /*table*/, const Settings& /*wanted*/) const
{
    return {};
}

Expected<void> ServerRecipe::canEncrypt(const ServerBinaries& server) const
{
    return fail({ErrorKind::Refused, fmt::format("{} {} has no knob encryption", server.name, server.version),
                 server.server.string(), "remove server.encryption from the plan"});
}

} // namespace dyno
