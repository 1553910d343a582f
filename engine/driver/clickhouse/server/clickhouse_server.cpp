// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/clickhouse/server/clickhouse_server.h"

#include "driver/clickhouse/server/clickhouse_recipes.h"
#include "driver/clickhouse/server/server_config.h"
#include "driver/driver.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/secrets.h"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <openssl/sha.h>
#include <sstream>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;

std::string sha256Hex(std::string_view text)
{
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::string hex;
    for (const unsigned char byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

//! Whether a process of this account listens at that place of this process's network: the password goes to nobody else,
//! whoever was faster to take the port.
bool listensForUs(int process, const std::string& host, int port)
{
    std::ifstream table(fmt::format("/proc/{}/net/tcp", process));
    in_addr address{};
    if (::inet_pton(AF_INET, host.c_str(), &address) != 1)
        return false;
    const std::string wanted = fmt::format("{:08X}:{:04X}", address.s_addr, port); // as the kernel prints it
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state, queues, timer, retransmits;
        unsigned owner = 0;
        constexpr const char* kListens = "0A";
        if (words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> owner && local == wanted &&
            state == kListens)
            return owner == ::geteuid();
    }
    return false;
}

const char* tableOf(KnobPlace place)
{
    switch (place) {
    case KnobPlace::Queries:
        return "settings";
    case KnobPlace::Tables:
        return "merge_tree_settings";
    case KnobPlace::Server:
        return "server_settings";
    case KnobPlace::Compression:
        break;
    }
    return "";
}

class ClickhouseServer final : public ServerInFolder
{
public:
    explicit ClickhouseServer(ServerPlace place)
        : ServerInFolder(std::move(place))
    {
    }
    TargetUri connectUri(bool tls) const override;
    Settings connectionDefaults() const override { return {}; }

protected:
    std::string defaultOf(const std::string& knob) const override;
    Expected<void> fillDataFolder(const fs::path& folder, const Settings& initialisation) override;
    Expected<std::vector<std::string>> writeCommand(const Settings& knobs) override;
    Expected<void> fillFolder(const Settings& knobs) override;
    Expected<void> bringUp(const Settings& knobs) override;
    Expected<void> waitUntilUp() override;
    Expected<std::unique_ptr<Admin>> connect() const override;
    //! It reads its files at its start.
    bool takesKnobs() const override { return false; }
    std::optional<bool> mustSet(Admin& /*admin*/, const std::string& /*name*/, const Value& /*value*/) const override
    {
        return {};
    }

private:
    [[nodiscard]] Expected<void> verify(Admin& admin, const Settings& wanted) const;

    std::unique_ptr<Admin> m_answered; //!< the connection that found it up, until bringUp() has it
    std::string m_password;            //!< kept nowhere else; stays over restarts
};

TargetUri ClickhouseServer::connectUri(bool /*tls: it has none*/) const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = "clickhouse";
    uri.driver = "clickhouse";
    uri.host = tcpHost();
    uri.port = m_port;
    uri.user = kClickhouseUser;
    uri.password = m_password;
    uri.database = kManagedDatabase;
    return uri;
}

std::string ClickhouseServer::defaultOf(const std::string& knob) const
{
    const KnobInfo* known = findKnob(m_binaries.driver(), "server", knob);
    const auto edition = known ? editionFor(*known, m_binaries.name, m_binaries.version) : std::nullopt;
    return edition ? toText(*edition->defaultValue) : std::string();
}

Expected<void> ClickhouseServer::fillDataFolder(const fs::path& folder, const Settings& /*it makes its files itself*/)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fail(
            {ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), folder.string(), {}});
    return {};
}

Expected<std::vector<std::string>> ClickhouseServer::writeCommand(const Settings& knobs)
{
    auto config = configText(m_binaries, {m_folder.path(), m_port, tcpHost()}, knobs);
    if (!config)
        return fail(std::move(config.error()));
    if (m_password.empty()) {
        auto password = randomPassword();
        if (!password)
            return fail(std::move(password.error()));
        m_password = std::move(*password);
    }
    if (auto written = writeText(m_folder.path() / "config.xml", *config); !written)
        return fail(std::move(written.error()));
    const std::string users = usersText(m_binaries, knobs, sha256Hex(m_password), usersHost());
    if (auto written = writeText(m_folder.path() / "users.xml", users); !written)
        return fail(std::move(written.error()));
    m_optionText = *config + usersText(m_binaries, knobs, "…", usersHost());
    std::vector<std::string> command = {m_binaries.server.string()};
    const std::vector<std::string> marks = m_binaries.recipe->marks(m_folder.path());
    command.insert(command.end(), marks.begin(), marks.end());
    return command;
}

Expected<void> ClickhouseServer::fillFolder(const Settings& /*knobs*/)
{
    std::error_code error;
    fs::create_directories(m_folder.path() / "files", error); // what SQL may read and write; nobody puts anything there
    if (error)
        return fail({ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()),
                     (m_folder.path() / "files").string(), "check that the disk is not full"});
    return {};
}

Expected<std::unique_ptr<Admin>> ClickhouseServer::connect() const
{
    const auto driver = driverOf(*m_binaries.recipe);
    if (!driver)
        return fail(driver.error());
    ConnectTarget target;
    target.uri = connectUri(false);
    return control(**driver, target);
}

Expected<void> ClickhouseServer::waitUntilUp()
{
    // For whoever finds the folder when we are dead.
    if (auto written = writeText(m_folder.path() / "server.pid", fmt::format("{}\n", m_process.pid())); !written)
        return written;
    return waitForStart([this]() -> Expected<bool> {
        if (!listensForUs(int(m_process.pid()), tcpHost(), m_port))
            return false;
        auto connected = connect();
        if (!connected && connected.error().kind != ErrorKind::Unreachable)
            return fail(std::move(connected.error()));
        if (connected)
            m_answered = std::move(*connected);
        return connected.has_value();
    });
}

Expected<void> ClickhouseServer::bringUp(const Settings& knobs)
{
    if (auto up = launch(knobs); !up)
        return up;
    auto verified = verify(*m_answered, knobs);
    m_answered.reset();
    // It answers before it has read the definitions of all tables, and ends when it cannot read one.
    constexpr std::chrono::milliseconds kReads{200};
    if (m_process.waitForEnd(kReads))
        return fail(died(fmt::format("the server ended at its start with {}", m_process.endText())));
    return verified;
}

//! Each knob against the table of the server that lists it; it passes over elements of its files that it does not know.
Expected<void> ClickhouseServer::verify(Admin& admin, const Settings& wanted) const
{
    for (const auto& [name, value] : wanted) {
        const KnobPlace place = knobPlaceOf(name);
        if (place == KnobPlace::Compression)
            continue;
        const auto there = admin.query(
            fmt::format("SELECT count() FROM system.tables WHERE database = 'system' AND name = '{}'", tableOf(place)));
        if (!there)
            return fail(there.error());
        if (there->empty() || there->front().at(0) == "0") // before 23.3 it does not list the server's own settings
            continue;
        const auto actual =
            admin.query(fmt::format("SELECT value FROM system.{} WHERE name = '{}'", tableOf(place), name));
        if (!actual)
            return fail(actual.error());
        if (actual->empty())
            return fail({ErrorKind::BadInput,
                         fmt::format("{} {} has no setting {}", m_binaries.name, m_binaries.version, name),
                         "server." + name, "remove this knob"});
        if (!sameSetting(value, actual->front().at(0)))
            return fail(notTaken(name, value, actual->front().at(0)));
    }
    return {};
}

} // namespace

Expected<void> clickhouseCanStart(const ServerBinaries& server, const Settings& wanted)
{
    const auto knobs = serverNames(server.driver(), wanted, server.name, server.version);
    if (!knobs)
        return fail(knobs.error());
    auto text = configText(server, {kNoFolder, 0}, *knobs);
    return text ? Expected<void>() : fail(std::move(text.error()));
}

std::unique_ptr<ServerInFolder> makeClickhouseServer(ServerPlace place)
{
    return std::make_unique<ClickhouseServer>(std::move(place));
}

} // namespace dyno
