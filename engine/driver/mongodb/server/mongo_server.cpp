// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mongodb/server/mongo_server.h"
#include "driver/mongodb/server/mongodb_recipes.h"

#include "driver/driver.h"
#include "driver/mongodb/server/mongo_options.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/lifecycle/free_port.h"
#include "server/lifecycle/secrets.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view kNoSetYet = "error 94:"; //!< NotYetInitialized, "no replset config has been received"

//! True when somebody takes connections there.
bool connects(const sockaddr* address, socklen_t size)
{
    const int fd = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool taken = fd >= 0 && ::connect(fd, address, size) == 0;
    if (fd >= 0)
        ::close(fd);
    return taken;
}

bool listensAt(const fs::path& socket)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket.string();
    if (path.size() >= sizeof address.sun_path)
        return false;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return connects(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool listensAt(const std::string& host, int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
        return false;
    address.sin_port = htons(std::uint16_t(port));
    return connects(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

//! True when its log says that it takes connections, at its usual level of logging.
bool saysListening(std::string_view log)
{
    return log.find("Listening on ") != std::string_view::npos ||
           log.find("Waiting for connections") != std::string_view::npos ||
           log.find("waiting for connections") != std::string_view::npos;
}

//! mongod and FerretDB: no users but one for TCP; knobs in a configuration file or among the arguments; the database
//! comes to be with its first document.
class MongoServer final : public ServerInFolder
{
public:
    explicit MongoServer(ServerPlace place)
        : ServerInFolder(std::move(place))
    {
    }
    TargetUri connectUri(bool tls) const override;

protected:
    Expected<void> fillDataFolder(const fs::path& folder, const Settings& initialisation) override;
    Expected<std::vector<std::string>> writeCommand(const Settings& knobs) override;
    Expected<void> fillFolder(const Settings& knobs) override;
    Expected<void> bringUp(const Settings& knobs) override;
    Expected<void> waitUntilUp() override;
    Expected<std::unique_ptr<Admin>> connect() const override { return connectTo(connectUri(false)); }
    bool takesKnobs() const override { return !ferretdb(); }
    std::optional<bool> mustSet(Admin& admin, const std::string& name, const Value& value) const override;
    void choosePorts() override;
    std::vector<std::string> environment() const override;
    fs::path socketFile() const override { return m_folder.mongoSocket(); }

private:
    [[nodiscard]] bool ferretdb() const { return isFerretdb(m_binaries); }
    [[nodiscard]] Expected<void> makeAccount(const Settings& wanted);
    [[nodiscard]] Expected<void> writeUser() const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> connectTo(TargetUri uri) const;
    [[nodiscard]] Expected<void> verify(const Settings& wanted) const;
    [[nodiscard]] Expected<void> becomePrimary(const std::string& set);

    int m_tlsPort = 0;      //!< FerretDB's
    std::string m_password; //!< of kMongoUser, for TCP
    int m_accountIn = 0;    //!< number of the data folder that mongod's user was made in by this object
};

TargetUri MongoServer::connectUri(bool tls) const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = "mongodb";
    uri.driver = "mongodb";
    uri.database = kManagedDatabase;
    uri.host = m_tcp ? tcpHost() : m_folder.mongoSocket().string();
    if (m_tcp) {
        uri.port = tls && ferretdb() ? m_tlsPort : m_port;
        uri.user = kMongoUser;
        uri.password = m_password;
        uri.query["authSource"] = ferretdb() ? kFerretdbUsersDatabase : kMongodUsersDatabase;
    }
    return uri;
}

Expected<void> MongoServer::fillDataFolder(const fs::path& folder, const Settings& /*the server makes its files so*/)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fail(
            {ErrorKind::Storage, fmt::format("cannot make the folder: {}", error.message()), folder.string(), {}});
    return {};
}

Expected<std::vector<std::string>> MongoServer::writeCommand(const Settings& wanted)
{
    const MongoNeeds needs{m_folder.path(), m_folder.mongoSocket(), m_tcp ? m_port : 0, m_tlsPort, tcpHost()};
    std::vector<std::string> command = {m_binaries.server.string()};
    if (ferretdb()) {
        auto arguments = ferretdbArguments(needs, wanted);
        if (!arguments)
            return arguments;
        m_optionText = fmt::format("# FerretDB's arguments.\n{}\n", fmt::join(*arguments, "\n"));
        command.insert(command.end(), arguments->begin(), arguments->end());
        return command;
    }
    auto text = mongodConfig(m_binaries, needs, wanted);
    if (!text)
        return fail(std::move(text.error()));
    const fs::path file = m_folder.path() / "server.cnf";
    if (auto written = writeText(file, *text); !written)
        return fail(std::move(written.error()));
    m_optionText = std::move(*text);
    const auto marks = m_binaries.recipe->marks(m_folder.path());
    command.insert(command.end(), marks.begin(), marks.end());
    return command;
}

Expected<void> MongoServer::fillFolder(const Settings& wanted)
{
    std::error_code ignored;
    fs::create_directories(m_folder.path() / "state", ignored);
    if (m_tcp) {
        auto made = makeCertificates(m_folder.path() / "tls", tcpHost());
        if (!made)
            return fail(std::move(made.error()));
        if (auto joined = joinPem(made->serverCert, made->serverKey, m_folder.path() / "tls" / "both.pem"); !joined)
            return joined;
        // FerretDB makes its user once: a named server needs the same password at its next start.
        const fs::path key = m_folder.path() / "keys" / "account.key";
        if (auto password = makeBase64Key(key); !password)
            return password;
        std::ifstream(key) >> m_password;
    }
    if (!replicaSetOf(wanted).empty()) {
        if (auto key = makeBase64Key(m_folder.path() / kSetKey); !key)
            return key;
    }
    if (const auto encryption = wanted.find("enableEncryption");
        encryption != wanted.end() && toText(encryption->second) == "true")
        return makeBase64Key(m_folder.path() / "keys" / "mongodb.key");
    return {};
}

Expected<void> MongoServer::waitUntilUp()
{
    // For whoever finds the folder when we are dead.
    if (auto written = writeText(m_folder.path() / "server.pid", fmt::format("{}\n", m_process.pid())); !written)
        return written;
    return waitForStart([this]() -> Expected<bool> {
        const bool listens = m_tcp ? listensAt(tcpHost(), m_port) : listensAt(m_folder.mongoSocket());
        // Somebody else may listen on that port: then this server ends at once, and waitForStart() says so.
        if (listens && (!m_tcp || saysListening(logSince(m_logAtStart)) || !m_process.waitForEnd(300ms)))
            return m_process.running();
        return false;
    });
}

void MongoServer::choosePorts()
{
    ServerInFolder::choosePorts();
    m_tlsPort = ferretdb() ? freeLocalPort() : 0;
}

std::vector<std::string> MongoServer::environment() const
{
    std::vector<std::string> variables = m_binaries.environment();
    if (m_tcp && ferretdb())
        variables.push_back("FERRETDB_SETUP_PASSWORD=" + m_password);
    return variables;
}

//! Gives mongod its user while it listens on its socket only: by TCP, somebody else could be first.
Expected<void> MongoServer::makeAccount(const Settings& wanted)
{
    if (!m_tcp || ferretdb() || m_accountIn == dataFolderNumber())
        return {};
    m_tcp = false;
    Settings alone = wanted; // who is a member of a set already takes no user before it is the primary
    alone.erase(kReplicaSet);
    auto made = launch(alone);
    if (made)
        made = writeUser();
    if (made)
        made = stop();
    m_tcp = true;
    if (!made) {
        m_process.kill();
        return made;
    }
    m_accountIn = dataFolderNumber();
    return {};
}

Expected<void> MongoServer::writeUser() const
{
    TargetUri uri = connectUri(false);
    uri.database = kMongodUsersDatabase;
    auto admin = connectTo(uri);
    if (!admin)
        return fail(std::move(admin.error()));
    // A named server has it from an earlier start.
    static_cast<void>((*admin)->execute(fmt::format(R"({{"dropUser": "{}"}})", kMongoUser)));
    auto made = (*admin)->execute(
        fmt::format(R"({{"createUser": "{}", "pwd": "{}", "roles": [{{"role": "root", "db": "admin"}}]}})", kMongoUser,
                    m_password));
    if (!made) // without the command, which holds the password
        return fail({made.error().kind, "the server did not take its user for TCP", m_folder.path().string(),
                     "leave transport=tcp out, or see the server's log"});
    return {};
}

Expected<void> MongoServer::bringUp(const Settings& knobs)
{
    if (auto made = makeAccount(knobs); !made)
        return made;
    if (auto up = launch(knobs); !up)
        return up;
    if (const std::string set = ferretdb() ? std::string() : replicaSetOf(knobs); !set.empty()) {
        if (auto primary = becomePrimary(set); !primary)
            return primary;
    }
    return verify(knobs);
}

//! Makes it the only member of its set at its first start, tells the set its port where that is another one now, and
//! waits until it takes writes. Source: manual of MongoDB, replSetInitiate and replSetReconfig.
Expected<void> MongoServer::becomePrimary(const std::string& set)
{
    TargetUri uri = connectUri(false);
    uri.database = kMongodUsersDatabase;
    auto admin = connectTo(uri);
    if (!admin)
        return fail(std::move(admin.error()));
    const std::string member = fmt::format("{}:{}", tcpHost(), m_port);
    const auto config = [&set, &member](std::int64_t version) {
        return fmt::format(R"({{"_id": "{}", "version": {}, "members": [{{"_id": 0, "host": "{}"}}]}})", set, version,
                           member);
    };
    const auto current = (*admin)->query(R"({"replSetGetConfig": 1})");
    if (!current && !current.error().message.starts_with(kNoSetYet))
        return fail(current.error());
    if (!current) {
        if (auto made = (*admin)->execute(fmt::format(R"({{"replSetInitiate": {}}})", config(1))); !made)
            return made;
    } else if (std::ranges::none_of(*current, [&member](const std::vector<std::string>& row) {
                   return std::ranges::any_of(row, [&member](const std::string& cell) {
                       return cell.find('"' + member + '"') != std::string::npos;
                   });
               })) {
        const auto version = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::system_clock::now().time_since_epoch()); // above every earlier one
        if (auto told =
                (*admin)->execute(fmt::format(R"({{"replSetReconfig": {}, "force": true}})", config(version.count())));
            !told)
            return told;
    }
    return waitForStart([&admin]() -> Expected<bool> {
        const auto facts = (*admin)->facts();
        if (!facts)
            return fail(facts.error());
        const auto says = [&facts](const char* name) {
            const auto found = facts->variables.find(name);
            return found != facts->variables.end() && toText(found->second) == "true";
        };
        if (says("hello.isWritablePrimary") || says("hello.ismaster"))
            return true;
        std::this_thread::sleep_for(20ms);
        return false;
    });
}

Expected<std::unique_ptr<Admin>> MongoServer::connectTo(TargetUri uri) const
{
    const auto driver = driverOf(*m_binaries.recipe);
    if (!driver)
        return fail(driver.error());
    ConnectTarget target;
    target.uri = std::move(uri);
    for (const OptionSpec& option : (*driver)->info().connection)
        target.connection.emplace(option.name, option.defaultValue);
    return control(**driver, target);
}

std::optional<bool> MongoServer::mustSet(Admin& /*admin*/, const std::string& name, const Value& /*value*/) const
{
    const KnobInfo* knob = findKnob("mongodb", "server", name);
    return knob && !knob->restart ? std::optional(true) : std::nullopt;
}

//! Reads mongod's parameters and options back.
Expected<void> MongoServer::verify(const Settings& wanted) const
{
    if (ferretdb() || !driverOf(*m_binaries.recipe))
        return {};
    std::unique_ptr<Admin> admin;
    for (const auto& [name, value] : wanted) {
        if (name == kReplicaSet && toText(value).empty())
            continue; // it stands alone, and says nothing of it
        if (!admin) {
            auto connected = connect();
            if (!connected)
                return fail(std::move(connected.error()));
            admin = std::move(*connected);
        }
        const auto actual = admin->variable(name);
        if (!actual)
            return fail(actual.error());
        if (!sameSetting(value, *actual))
            return fail(notTaken(name, value, *actual));
    }
    return {};
}

} // namespace

Expected<void> mongoCanStart(const ServerBinaries& server, const Settings& wanted, bool tcp)
{
    const auto knobs = serverNames(server.driver(), wanted, server.name, server.version);
    if (!knobs)
        return fail(knobs.error());
    const MongoNeeds needs{kNoFolder, std::filesystem::path(kNoFolder) / "s", tcp ? 1 : 0, 0};
    if (isFerretdb(server)) {
        auto arguments = ferretdbArguments(needs, *knobs);
        return arguments ? Expected<void>() : fail(std::move(arguments.error()));
    }
    auto text = mongodConfig(server, needs, *knobs);
    return text ? Expected<void>() : fail(std::move(text.error()));
}

std::unique_ptr<ServerInFolder> makeMongoServer(ServerPlace place)
{
    return std::make_unique<MongoServer>(std::move(place));
}

} // namespace dyno
