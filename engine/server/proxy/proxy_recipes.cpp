// SPDX-License-Identifier: GPL-3.0-or-later
// The list of proxies that can be started. Explicit, as the list of servers is.
#include "server/proxy/haproxy/haproxy.h"
#include "server/proxy/mysqlrouter/mysqlrouter.h"
#include "server/proxy/pgbouncer/pgbouncer.h"
#include "server/proxy/proxy_recipe.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

const std::vector<const ProxyRecipe*>& proxyRecipes()
{
    static const std::vector<const ProxyRecipe*> kRecipes = {
        &haproxyRecipe(),
        &mysqlRouterRecipe(),
        &pgbouncerRecipe(),
    };
    return kRecipes;
}

const ProxyRecipe* proxyRecipeFor(std::string_view id)
{
    const auto& recipes = proxyRecipes();
    const auto found =
        std::ranges::find_if(recipes, [id](const ProxyRecipe* recipe) { return recipe->names().id == id; });
    return found == recipes.end() ? nullptr : *found;
}

std::optional<Error> poolProblem(const ProxyRecipe& recipe, const PoolShape& pool, int users)
{
    if (pool.perTransaction || pool.connections == 0 || users <= pool.connections)
        return {};
    return Error{ErrorKind::BadInput,
                 fmt::format("with session pooling {} gives each user a connection until they leave: {} of {} users "
                             "would wait for all of the run",
                             recipe.names().name, users - pool.connections, users),
                 std::string(kPathKey),
                 fmt::format("use {}, or {}", poolText(recipe.names().id, {}),
                             poolText(recipe.names().id, {true, pool.connections}))};
}

bool ProxyRecipe::speaks(std::string_view driver) const
{
    return m_names.drivers.empty() || std::ranges::find(m_names.drivers, driver) != m_names.drivers.end();
}

} // namespace dyno
