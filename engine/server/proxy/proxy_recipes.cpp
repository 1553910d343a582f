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

std::optional<Error> tlsProblem(std::string_view path, std::string_view cipher)
{
    const ProxyRecipe* recipe = proxyRecipeFor(path);
    if (!recipe || !recipe->names().endsTls || cipher.empty())
        return {};
    const char* name = recipe->names().name;
    return Error{ErrorKind::BadInput,
                 fmt::format("{} ends TLS, and the server is reached with it ({}): users would be measured without it",
                             name, cipher),
                 std::string(kPathKey),
                 "use a proxy that passes bytes on, or set connection.tls to off where that is safe"};
}

bool ProxyRecipe::speaks(std::string_view driver) const
{
    return m_names.drivers.empty() || std::ranges::find(m_names.drivers, driver) != m_names.drivers.end();
}

} // namespace dyno
