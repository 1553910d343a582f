// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mysql/server/mysql_server.h"
#include "driver/mysql/server/mysql_recipes.h"

#include "driver/driver.h"
#include "driver/mysql/server/compression.h"
#include "driver/mysql/server/encryption.h"
#include "driver/mysql/server/engine_plugin.h"
#include "driver/mysql/server/mysql_knobs.h"
#include "driver/mysql/server/option_file.h"
#include "driver/mysql/server/tcp_account.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/data_template.h"
#include "server/lifecycle/secrets.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

//! Under the names that this server has, without encryption and a plug-in that are off.
Expected<Settings> namedKnobs(const ServerBinaries& server, const Settings& wanted)
{
    auto named = serverNames(server.driver(), withEnginePlugin(wanted), server.name, server.version);
    if (!named)
        return named;
    const auto encryption = encryptionOf(*named);
    if (!encryption)
        return fail(encryption.error());
    if (*encryption == Encryption::Off)
        named->erase(kEncryptionKnob);
    const auto plugin = enginePluginOf(*named);
    if (!plugin)
        return fail(plugin.error());
    if (plugin->empty())
        named->erase(kEnginePluginKnob);
    return named;
}

//! Which options it will have with these knobs; those that need a plug-in only where it is there. Not asked for
//! nothing.
Expected<const ServerOptions*> optionsFor(const ServerBinaries& server, const Settings& knobs)
{
    static const ServerOptions kNone;
    if (knobs.empty())
        return &kNone;
    if (auto can = canLoadEngine(server, knobs); !can)
        return fail(std::move(can.error()));
    const auto plugin = enginePluginOf(knobs);
    return plugin ? optionsOf(server, *plugin) : fail(plugin.error());
}

//! MariaDB and MySQL: knobs in an option file, a Unix socket, an account for TCP.
class MysqlServer final : public ServerInFolder
{
public:
    explicit MysqlServer(ServerPlace place)
        : ServerInFolder(std::move(place))
    {
    }
    TargetUri connectUri(bool tls) const override;

protected:
    Expected<Settings> named(const Settings& wanted) const override { return namedKnobs(m_binaries, wanted); }
    Settings initialisationKnobs(const Settings& knobs) const override;
    std::string defaultOf(const std::string& knob) const override;
    Expected<void> fillDataFolder(const fs::path& folder, const Settings& initialisation) override;
    Expected<std::vector<std::string>> writeCommand(const Settings& knobs) override;
    Expected<void> fillFolder(const Settings& knobs) override;
    Expected<void> bringUp(const Settings& knobs) override;
    Expected<void> waitUntilUp() override;
    Expected<std::unique_ptr<Admin>> connect() const override { return connectTo(kManagedDatabase); }
    std::optional<bool> mustSet(Admin& admin, const std::string& name, const Value& value) const override;

private:
    [[nodiscard]] Expected<void> openDatabase(Admin& admin) const;
    [[nodiscard]] bool dynamic(Admin& admin, const std::string& name) const;
    [[nodiscard]] Expected<void> writeOptionFile(const Settings& wanted);
    [[nodiscard]] Expected<void> makeClosedFolder() const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> connectTo(const std::string& database) const;
    [[nodiscard]] Expected<void> verify(Admin& admin, const Settings& wanted) const;
    [[nodiscard]] Expected<void> openForTcp(Admin& admin);

    std::unique_ptr<Admin> m_answered; //!< the connection that found it up, until bringUp() has it
    std::string m_password;            //!< of kTcpUser, kept nowhere else; stays over restarts, for who is connected
};

Settings MysqlServer::initialisationKnobs(const Settings& knobs) const
{
    Settings result = ServerInFolder::initialisationKnobs(knobs);
    if (const auto encryption = knobs.find(kEncryptionKnob); encryption != knobs.end())
        result.insert_or_assign(kEncryptionKnob, encryption->second);
    return result;
}

std::string MysqlServer::defaultOf(const std::string& knob) const
{
    return knob == kEncryptionKnob ? "off" : ServerInFolder::defaultOf(knob);
}

Expected<void> MysqlServer::fillDataFolder(const fs::path& folder, const Settings& initialisation)
{
    Settings variables = initialisation;
    variables.erase(kEncryptionKnob);
    return fillFromTemplate(m_workDir, m_binaries, variables, folder, m_stopped);
}

TargetUri MysqlServer::connectUri(bool /*tls: on the same port*/) const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = "mysql";
    uri.driver = "mysql";
    uri.user = "root";
    uri.database = kManagedDatabase;
    if (m_tcp) {
        uri.user = kTcpUser;
        uri.password = m_password;
        uri.host = tcpHost();
        uri.port = m_port;
    } else {
        uri.query["socket"] = m_folder.socket().string();
    }
    return uri;
}

Expected<std::unique_ptr<Admin>> MysqlServer::connectTo(const std::string& database) const
{
    const auto driver = driverOf(*m_binaries.recipe);
    if (!driver)
        return fail(driver.error());
    ConnectTarget target;
    target.uri = connectUri(false);
    target.uri.host.clear(); // the control plane takes the socket, which cannot be somebody else's
    target.uri.port = 0;
    target.uri.user = "root";
    target.uri.password.clear();
    target.uri.query["socket"] = m_folder.socket().string();
    target.uri.database = database;
    return control(**driver, target);
}

//! True when it may be set while the server runs, as far as that can be told beforehand.
bool MysqlServer::dynamic(Admin& admin, const std::string& name) const
{
    if (isMysql(m_binaries)) {
        const KnobInfo* knob = findKnob("mysql", "server", name);
        return !knob || !knob->restart; // SET GLOBAL will tell
    }
    return mariadbReadOnly(admin, name) == false;
}

std::optional<bool> MysqlServer::mustSet(Admin& admin, const std::string& name, const Value& value) const
{
    const auto actual = admin.variable(name);
    if (!actual)
        return {};
    if (sameSetting(value, *actual))
        return false;
    return dynamic(admin, name) ? std::optional(true) : std::nullopt;
}

//! Empty and not writable, so that SQL's own reading and writing of files has nowhere to go.
Expected<void> MysqlServer::makeClosedFolder() const
{
    if (!isMariadb(m_binaries))
        return {};
    const fs::path closed = closedFolder(m_folder.path());
    std::error_code error;
    fs::remove_all(closed, error);
    fs::create_directory(closed, error);
    if (!error)
        fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec, error);
    if (error)
        return fail(
            {ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), closed.string(), {}});
    return {};
}

Expected<void> MysqlServer::writeOptionFile(const Settings& wanted)
{
    const auto encryption = encryptionOf(wanted);
    if (!encryption)
        return fail(encryption.error());
    const auto listed = optionsFor(m_binaries, wanted);
    if (!listed)
        return fail(listed.error());
    auto text = optionFileText(m_binaries, {m_folder.path(), m_folder.socket(), m_port, m_tcp, *encryption, tcpHost()},
                               wanted, **listed);
    if (!text)
        return fail(std::move(text.error()));
    if (auto made = makeClosedFolder(); !made)
        return made;
    if (m_tcp) {
        if (auto written = writeText(tcpInitFile(m_folder.path()), tcpInitText(m_binaries)); !written)
            return written;
    }
    if (auto written = writeText(m_folder.path() / "server.cnf", *text); !written)
        return written;
    m_optionText = std::move(*text);
    return {};
}

Expected<std::vector<std::string>> MysqlServer::writeCommand(const Settings& knobs)
{
    if (auto written = writeOptionFile(knobs); !written)
        return fail(std::move(written.error()));
    std::vector<std::string> command = m_binaries.recipe->marks(m_folder.path());
    command.insert(command.begin(), m_binaries.server.string());
    if (::geteuid() == 0)
        command.emplace_back("--user=root"); // it refuses to run as root unless told so
    return command;
}

Expected<void> MysqlServer::waitUntilUp()
{
    return waitForStart([this]() -> Expected<bool> {
        std::error_code ignored;
        if (!fs::exists(m_folder.socket(), ignored))
            return false;
        auto connected = connectTo({});
        if (!connected && connected.error().kind != ErrorKind::Unreachable)
            return fail(std::move(connected.error()));
        if (connected)
            m_answered = std::move(*connected);
        return connected.has_value();
    });
}

Expected<void> MysqlServer::verify(Admin& admin, const Settings& wanted) const
{
    for (const auto& [name, value] : wanted) {
        if (name == kEncryptionKnob) {
            const auto encryption = encryptionOf(wanted);
            auto inForce = encryption ? verifyEncryption(m_binaries, *encryption, admin, m_stopped) : Expected<void>();
            if (!inForce)
                return inForce;
            continue;
        }
        if (name == kEnginePluginKnob) {
            if (auto there = verifyEngine(m_binaries, wanted, admin); !there)
                return there;
            continue;
        }
        const auto actual = admin.variable(name);
        // Some options have no variable (external_locking): the server has read them, or it would not have started.
        if (!actual && actual.error().kind == ErrorKind::BadInput)
            continue;
        if (!actual)
            return fail(actual.error());
        if (!sameSetting(value, *actual))
            return fail(notTaken(name, value, *actual));
    }
    return {};
}

Expected<void> MysqlServer::fillFolder(const Settings& knobs)
{
    if (knobs.contains(kEncryptionKnob)) {
        if (auto prepared = prepareEncryption(m_binaries, m_folder.path()); !prepared)
            return prepared;
    }
    if (auto can = canCompress(m_binaries, knobs); !can)
        return can;
    if (m_tcp) {
        if (auto made = makeCertificates(m_folder.path() / "tls", tcpHost()); !made)
            return fail(std::move(made.error()));
    }
    return {};
}

Expected<void> MysqlServer::bringUp(const Settings& knobs)
{
    if (auto up = launch(knobs); !up)
        return up;
    const std::unique_ptr<Admin> admin = std::move(m_answered);
    if (auto opened = openDatabase(*admin); !opened)
        return opened;
    if (auto taken = verify(*admin, knobs); !taken)
        return taken;
    return m_tcp ? openForTcp(*admin) : Expected<void>();
}

//! The database of an earlier start has the character set of that start.
Expected<void> MysqlServer::openDatabase(Admin& admin) const
{
    auto made = admin.execute(fmt::format("CREATE DATABASE IF NOT EXISTS {}", kManagedDatabase));
    if (!made)
        return made;
    const auto names = admin.query("SELECT @@character_set_server, @@collation_server");
    if (!names)
        return fail(names.error());
    return admin.execute(fmt::format("ALTER DATABASE {} CHARACTER SET {} COLLATE {}", kManagedDatabase,
                                     names->at(0).at(0), names->at(0).at(1)));
}

Expected<void> MysqlServer::openForTcp(Admin& admin)
{
    if (m_password.empty()) {
        auto password = randomPassword();
        if (!password)
            return fail(std::move(password.error()));
        m_password = std::move(*password);
    }
    return makeTcpAccount(m_binaries, admin, usersHost(), m_password);
}

} // namespace

Expected<void> mysqlCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    const auto knobs = namedKnobs(server, wanted);
    if (!knobs)
        return fail(knobs.error());
    const auto encryption = encryptionOf(*knobs);
    if (!encryption)
        return fail(encryption.error());
    const auto listed = optionsFor(server, *knobs);
    if (!listed)
        return fail(listed.error());
    const OptionFileNeeds needs{kNoFolder, std::filesystem::path(kNoFolder) / "s", tcp ? 1 : 0, tcp, *encryption};
    if (auto text = optionFileText(server, needs, *knobs, **listed); !text)
        return fail(std::move(text.error()));
    if (*encryption != Encryption::Off) {
        if (auto can = canKeepKeys(server); !can)
            return can;
    }
    return canCompress(server, *knobs);
}

std::unique_ptr<ServerInFolder> makeMysqlServer(ServerPlace place)
{
    return std::make_unique<MysqlServer>(std::move(place));
}

} // namespace dyno
