// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/tcp_account.h"

#include "driver/mysql/server/mysql_recipes.h"
#include "server/knobs/knob_values.h"

#include <fmt/format.h>
#include <vector>

namespace dyno {

std::string tcpInitText(const ServerBinaries& server)
{
    constexpr const char* kText = "DELETE FROM mysql.{} WHERE User IN ('root','') AND Host<>'localhost' AND {};\n"
                                  "FLUSH PRIVILEGES;\n";
    if (isMysql(server))
        return server.atLeast({5, 7, 6}) ? std::string() : fmt::format(kText, "user", "Password=''");
    if (server.atLeast({10, 4, 0}))
        return fmt::format(kText, "global_priv", "COALESCE(JSON_VALUE(Priv,'$.authentication_string'),'')=''");
    return fmt::format(kText, "user", "Password='' AND authentication_string=''");
}

std::filesystem::path tcpInitFile(const std::filesystem::path& folder)
{
    return folder / "accounts.sql";
}

Expected<void> makeTcpAccount(const ServerBinaries& server, Admin& admin, const std::string& host,
                              const std::string& password)
{
    const auto names = admin.variable("skip_name_resolve");
    if (!names)
        return fail(names.error());
    if (!sameSetting(true, *names))
        return fail({ErrorKind::Failed,
                     "the server resolves names of hosts, so that root could come by TCP",
                     {},
                     "leave skip_name_resolve out of the plan"});
    const std::string account = fmt::format("'{}'@'{}'", kTcpUser, host);
    std::vector<std::string> statements = {"SET SESSION sql_log_bin=0", "SET SESSION sql_log_off=1"};
    if (isMysql(server) && server.atLeast({5, 7, 6})) {
        statements.push_back(fmt::format("CREATE USER IF NOT EXISTS {} IDENTIFIED BY '{}'", account, password));
        statements.push_back(fmt::format("ALTER USER {} IDENTIFIED BY '{}'", account, password));
        statements.push_back(fmt::format("GRANT ALL ON *.* TO {} WITH GRANT OPTION", account));
    } else {
        statements.push_back(
            fmt::format("GRANT ALL ON *.* TO {} IDENTIFIED BY '{}' WITH GRANT OPTION", account, password));
    }
    for (const std::string& statement : statements) {
        if (auto done = admin.execute(statement); !done) {
            Error error = std::move(done.error());
            for (std::size_t at = error.message.find(password); at != std::string::npos;
                 at = error.message.find(password))
                error.message.replace(at, password.size(), "…");
            return fail(std::move(error));
        }
    }
    return {};
}

} // namespace dyno
