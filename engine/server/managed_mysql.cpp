// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/managed_server.h"

#include "driver/driver.h"
#include "server/child_process.h"
#include "server/data_parts.h"
#include "server/data_template.h"
#include "server/encryption.h"
#include "server/free_port.h"
#include "server/knob_catalog.h"
#include "server/knob_guard.h"
#include "server/knob_values.h"
#include "server/option_file.h"
#include "server/private_folder.h"
#include "server/secrets.h"
#include "server/server_log.h"
#include "server/tcp_account.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace dyno {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kDatabase = "dyno";
constexpr const char* kEncryption = "encryption";
constexpr const char* kPuttingBack = "data.back"; //!< complete once "data" is gone

std::string queryOf(const TargetUri& uri, std::string_view name)
{
    const auto it = uri.query.find(name);
    return it == uri.query.end() ? std::string() : it->second;
}

//! The knobs that a data folder is made with; other values need another folder.
Settings initialisationKnobs(const Settings& knobs)
{
    Settings result;
    for (const auto& [name, value] : knobs) {
        const KnobInfo* knob = findKnob("mysql", "server", name);
        if (name == kEncryption || (knob && knob->initialisation))
            result.emplace(name, value);
    }
    return result;
}

Expected<void> writeText(const fs::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out)
        return fail({ErrorKind::Storage, fmt::format("cannot write: {}", std::strerror(errno)), file.string(),
                     "check that the disk is not full"});
    return {};
}

class FamilyServer final : public ManagedServer
{
public:
    FamilyServer(fs::path workDir, ServerBinaries binaries, PrivateFolder folder, bool tcp)
        : m_workDir(std::move(workDir))
        , m_binaries(std::move(binaries))
        , m_folder(std::move(folder))
        , m_tcp(tcp)
    {}
    ~FamilyServer() override;
    //! Takes over the data of a named server that was there.
    void adopt(const FolderFacts& facts);

    Expected<void> ensure(const Settings& wanted) override;
    Expected<void> stop() override;
    bool running() override { return m_process.running(); }
    TargetUri connectUri() const override;
    Settings connectionDefaults() const override;
    std::string logTail(int lines) const override { return tailOf(logFile(), lines); }
    std::uint64_t logSize() const override { return sizeOfLog(logFile()); }
    std::string logSince(std::uint64_t size) const override { return logFrom(logFile(), size); }
    std::string optionFile() const override { return m_optionText; }
    fs::path folder() const override { return m_folder.path(); }
    const ServerBinaries& binaries() const override { return m_binaries; }
    int process() override { return running() ? int(m_process.pid()) : 0; }
    void setKeepData(bool keep) override { m_folder.setKeep(keep); }
    bool wasThere() const override { return m_wasThere; }
    int dataFolderNumber() const override { return m_dataFolderNumber; }
    Expected<void> keepCopy() override;
    Expected<void> putBack() override;
    std::vector<DataPart> dataParts() const override { return dataPartsOf(dataFolder(), tmpFolder(), kDatabase); }

private:
    [[nodiscard]] Expected<Settings> complete(const Settings& wanted) const;
    [[nodiscard]] Expected<void> start(const Settings& wanted);
    [[nodiscard]] Expected<std::unique_ptr<Admin>> launch(const Settings& wanted);
    [[nodiscard]] bool changeWhileRunning(const Settings& wanted);
    [[nodiscard]] bool dynamic(Admin& admin, const std::string& name) const;
    [[nodiscard]] Expected<void> writeOptionFile(const Settings& wanted);
    [[nodiscard]] Expected<void> makeDataFolder(const Settings& initialisation);
    [[nodiscard]] Expected<std::unique_ptr<Admin>> connect(const std::string& database) const;
    [[nodiscard]] Expected<std::unique_ptr<Admin>> waitUntilItAnswers();
    [[nodiscard]] Expected<void> verify(Admin& admin, const Settings& wanted) const;
    [[nodiscard]] Expected<void> openForTcp(Admin& admin);
    [[nodiscard]] Error died(const std::string& what) const;
    [[nodiscard]] fs::path logFile() const { return m_folder.path() / "error.log"; }
    [[nodiscard]] fs::path dataFolder() const { return m_folder.path() / "data"; }
    [[nodiscard]] fs::path tmpFolder() const { return m_folder.path() / "tmp"; }
    [[nodiscard]] fs::path copyFolder() const { return m_folder.path() / "copy"; }

    fs::path m_workDir;
    ServerBinaries m_binaries;
    PrivateFolder m_folder; //!< outlives m_process, which works in it
    ChildProcess m_process;
    bool m_tcp = false;
    int m_port = 0;            //!< of the last start, which the next one tries again
    std::string m_password;    //!< of kTcpUser, kept nowhere else; stays over restarts, for who is connected
    Settings m_knobs;          //!< in force while it runs
    Settings m_initialisation; //!< what the data folder was made with
    bool m_hasData = false;
    bool m_wasThere = false;
    int m_dataFolderNumber = 0;
    int m_copyOf = 0; //!< number of the data folder that the copy is of, 0 = none
    std::uint64_t m_logAtStart = 0;
    std::string m_optionText;
};

FamilyServer::~FamilyServer()
{
    // Data that nobody will read needs no orderly end.
    if (m_folder.kept())
        static_cast<void>(stop());
    m_process.kill();
    std::error_code ignored;
    fs::remove_all(copyFolder(), ignored);
}

void FamilyServer::adopt(const FolderFacts& facts)
{
    m_initialisation = facts.initialisation;
    m_hasData = true;
    m_wasThere = true;
    m_dataFolderNumber = 1;
    std::error_code ignored;
    fs::create_directories(tmpFolder(), ignored);
    for (const fs::path& left : {copyFolder(), m_folder.path() / kPuttingBack}) // of an owner that died
        fs::remove_all(left, ignored);
}

TargetUri FamilyServer::connectUri() const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = "mysql";
    uri.driver = "mysql";
    uri.user = "root";
    uri.database = kDatabase;
    if (m_tcp) {
        uri.user = kTcpUser;
        uri.password = m_password;
        uri.host = "127.0.0.1";
        uri.port = m_port;
    } else {
        uri.query["socket"] = m_folder.socket().string();
    }
    return uri;
}

Settings FamilyServer::connectionDefaults() const
{
    if (!m_tcp)
        return {};
    return {{"tls_ca", (m_folder.path() / "tls" / "ca.pem").string()}};
}

Error FamilyServer::died(const std::string& what) const
{
    return {ErrorKind::Failed, explainEnd(what, logSince(m_logAtStart)), m_binaries.server.string(),
            remedyForEnd(logSince(m_logAtStart))};
}

Expected<std::unique_ptr<Admin>> FamilyServer::connect(const std::string& database) const
{
    Driver* driver = driverFor("mysql");
    if (!driver)
        return fail(
            {ErrorKind::Unreachable, "this build has no MySQL driver", {}, "build Dynobench with MariaDB Connector/C"});
    ConnectTarget target;
    target.uri = connectUri();
    target.uri.host.clear(); // the control plane takes the socket, which cannot be somebody else's
    target.uri.port = 0;
    target.uri.user = "root";
    target.uri.password.clear();
    target.uri.query["socket"] = m_folder.socket().string();
    target.uri.database = database;
    return driver->admin(target);
}

//! The knobs as they will be in force: under the names that this server has, without encryption that is off, and with
//! what the data of a named server was made with.
Expected<Settings> FamilyServer::complete(const Settings& wanted) const
{
    auto named = serverNames("mysql", wanted, m_binaries.name, m_binaries.version);
    if (!named)
        return named;
    Settings all = std::move(*named);
    auto encryption = encryptionOf(all);
    if (!encryption)
        return fail(std::move(encryption.error()));
    if (*encryption == Encryption::Off)
        all.erase(kEncryption);
    if (!m_folder.named() || !m_hasData)
        return all;
    for (const auto& [name, value] : initialisationKnobs(all)) {
        const auto made = m_initialisation.find(name);
        const KnobInfo* knob = findKnob("mysql", "server", name);
        const std::string is = made != m_initialisation.end() ? toText(made->second)
                               : name == kEncryption          ? "off"
                               : knob                         ? toText(knob->option.defaultValue)
                                                              : "";
        if (!sameSetting(value, is))
            return fail(
                {ErrorKind::Refused,
                 fmt::format("the data of this server was made with {}={}, the plan says {}", name, is, toText(value)),
                 m_folder.path().string(), "use another name, or remove this server with its data first"});
        all.erase(name); // a default need not have been named when the data was made
    }
    for (const auto& [name, value] : m_initialisation)
        all.insert_or_assign(name, value);
    return all;
}

Expected<void> FamilyServer::ensure(const Settings& wanted)
{
    auto knobs = complete(wanted);
    if (!knobs)
        return fail(std::move(knobs.error()));
    if (running()) {
        if (*knobs == m_knobs || changeWhileRunning(*knobs))
            return {};
        if (auto stopped = stop(); !stopped)
            return stopped;
    }
    return start(*knobs);
}

//! True when it may be set while the server runs, as far as that can be told beforehand.
bool FamilyServer::dynamic(Admin& admin, const std::string& name) const
{
    if (m_binaries.family == ServerFamily::Mysql) {
        const KnobInfo* knob = findKnob("mysql", "server", name);
        return !knob || !knob->restart; // SET GLOBAL will tell
    }
    const auto fixed = admin.query("SELECT READ_ONLY FROM information_schema.SYSTEM_VARIABLES WHERE "
                                   "VARIABLE_NAME = UPPER('" +
                                   name + "')");
    return fixed && !fixed->empty() && fixed->front().front() == "NO";
}

//! True when the difference is dynamic variables only and all of them have been set. A knob that is not wanted any more
//! goes back to its default by a restart, which also leaves nothing behind of what it did.
bool FamilyServer::changeWhileRunning(const Settings& wanted)
{
    const bool gone =
        std::any_of(m_knobs.begin(), m_knobs.end(), [&](const auto& knob) { return !wanted.contains(knob.first); });
    if (gone || initialisationKnobs(wanted) != m_initialisation)
        return false;
    auto admin = connect(kDatabase);
    if (!admin)
        return false;
    Settings changes;
    for (const auto& [name, value] : wanted) {
        const auto now = m_knobs.find(name);
        if (now != m_knobs.end() && now->second == value)
            continue;
        const auto actual = (*admin)->variable(name);
        if (!actual)
            return false;
        if (sameSetting(value, *actual))
            continue;
        if (!dynamic(**admin, name))
            return false;
        changes.emplace(name, value);
    }
    if (auto written = writeOptionFile(wanted); !written)
        return false;
    for (const auto& [name, value] : changes) {
        if (!setAndVerify(**admin, name, value))
            return false; // a start with it in the option file gives the better message
    }
    m_knobs = wanted;
    return true;
}

Expected<void> FamilyServer::writeOptionFile(const Settings& wanted)
{
    const auto encryption = encryptionOf(wanted);
    if (!encryption)
        return fail(encryption.error());
    auto text = optionFileText(m_binaries, {m_folder.path(), m_folder.socket(), m_port, m_tcp, *encryption}, wanted);
    if (!text)
        return fail(std::move(text.error()));
    if (m_tcp) {
        if (auto written = writeText(tcpInitFile(m_folder.path()), tcpInitText(m_binaries)); !written)
            return written;
    }
    if (auto written = writeText(m_folder.path() / "server.cnf", *text); !written)
        return written;
    m_optionText = std::move(*text);
    return {};
}

Expected<void> FamilyServer::makeDataFolder(const Settings& initialisation)
{
    if (m_hasData && initialisation == m_initialisation)
        return {};
    if (m_hasData && m_folder.named()) // complete() has seen to it; yet nobody else's data goes, whatever happens
        return fail({ErrorKind::Refused, "the plan asks for data that is made in another way than this server's",
                     m_folder.path().string(), "use another name, or remove this server with its data first"});
    std::error_code error;
    fs::remove_all(dataFolder(), error);
    m_hasData = false;
    Settings variables = initialisation;
    variables.erase(kEncryption);
    auto made = templateFolder(m_workDir, m_binaries, variables);
    if (!made)
        return fail(std::move(made.error()));
    // The name appears when the copy is complete: a named server must not be found with half a data folder.
    const fs::path half = m_folder.path() / "data.new";
    fs::remove_all(half, error);
    if (auto copied = copyTree(*made, half); !copied) {
        fs::remove_all(half, error);
        return copied;
    }
    fs::create_directories(tmpFolder(), error);
    const FolderFacts facts{m_binaries.product(), m_binaries.version, m_binaries.folder.string(), initialisation};
    if (auto written = writeFolderFacts(m_folder.path(), facts); !written)
        return written;
    fs::rename(half, dataFolder(), error);
    if (error)
        return fail({ErrorKind::Storage, fmt::format("cannot rename: {}", error.message()), half.string(), {}});
    m_hasData = true;
    m_initialisation = initialisation;
    ++m_dataFolderNumber;
    return {};
}

Expected<std::unique_ptr<Admin>> FamilyServer::waitUntilItAnswers()
{
    constexpr auto kPatience = 120s; // a named server may have to recover
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::error_code ignored;
    while (std::chrono::steady_clock::now() < until) {
        if (fs::exists(m_folder.socket(), ignored)) {
            auto admin = connect({});
            if (admin || admin.error().kind != ErrorKind::Unreachable)
                return admin;
        }
        if (m_process.waitForEnd(10ms))
            return fail(died(fmt::format("the server ended at its start with {}", m_process.endText())));
    }
    return fail(died(fmt::format("the server did not answer within {} s", kPatience.count())));
}

Expected<void> FamilyServer::verify(Admin& admin, const Settings& wanted) const
{
    for (const auto& [name, value] : wanted) {
        if (name == kEncryption) {
            const auto encryption = encryptionOf(wanted);
            auto inForce = encryption ? verifyEncryption(m_binaries, *encryption, admin) : Expected<void>();
            if (!inForce)
                return inForce;
            continue;
        }
        const auto actual = admin.variable(name);
        // Some options have no variable (plugin_load_add): the server has read them, or it would not have started.
        if (!actual && actual.error().kind == ErrorKind::BadInput)
            continue;
        if (!actual)
            return fail(actual.error());
        if (sameSetting(value, *actual))
            continue;
        const bool named = name == "log_bin" && *actual == "ON"; // log_bin = "NAME"
        if (!named)
            return fail(notTaken(name, value, *actual));
    }
    return {};
}

//! Starts the process; with another port when the last one was taken meanwhile.
Expected<std::unique_ptr<Admin>> FamilyServer::launch(const Settings& wanted)
{
    std::vector<std::string> command = {m_binaries.server.string(),
                                        "--defaults-file=" + (m_folder.path() / "server.cnf").string()};
    if (::geteuid() == 0)
        command.emplace_back("--user=root"); // it refuses to run as root unless told so
    constexpr int kTries = 5;
    for (int attempt = 1;; ++attempt) {
        if (m_tcp && m_port == 0)
            m_port = freeLocalPort();
        if (auto written = writeOptionFile(wanted); !written)
            return fail(std::move(written.error()));
        std::error_code ignored;
        fs::remove(m_folder.socket(), ignored);
        m_logAtStart = logSize();
        if (auto started = m_process.start(command, logFile(), m_binaries.environment()); !started)
            return fail(std::move(started.error()));
        auto admin = waitUntilItAnswers();
        if (admin || !m_tcp || attempt == kTries || !saysPortTaken(logSince(m_logAtStart)))
            return admin;
        m_process.kill();
        m_port = 0;
    }
}

Expected<void> FamilyServer::start(const Settings& wanted)
{
    m_knobs.clear();
    if (auto written = writeOptionFile(wanted); !written) // faults of knobs before anything is made
        return written;
    if (auto made = makeDataFolder(initialisationKnobs(wanted)); !made)
        return made;
    if (wanted.contains(kEncryption)) {
        if (auto prepared = prepareEncryption(m_binaries, m_folder.path()); !prepared)
            return prepared;
    }
    if (m_tcp) {
        if (auto made = makeCertificates(m_folder.path() / "tls"); !made)
            return fail(std::move(made.error()));
    }
    auto admin = launch(wanted);
    Expected<void> result;
    if (!admin)
        result = fail(std::move(admin.error()));
    if (result)
        result = (*admin)->execute(fmt::format("CREATE DATABASE IF NOT EXISTS {}", kDatabase));
    if (result)
        result = verify(**admin, wanted);
    if (result && m_tcp)
        result = openForTcp(**admin);
    if (!result) {
        m_process.kill();
        return result;
    }
    m_knobs = wanted;
    return {};
}

Expected<void> FamilyServer::openForTcp(Admin& admin)
{
    if (m_password.empty()) {
        auto password = randomPassword();
        if (!password)
            return fail(std::move(password.error()));
        m_password = std::move(*password);
    }
    return makeTcpAccount(m_binaries, admin, m_password);
}

Expected<void> FamilyServer::stop()
{
    if (!running())
        return {};
    m_process.terminate();
    constexpr auto kPatience = 120s; // it writes its dirty pages
    if (m_process.waitForEnd(kPatience))
        return {};
    m_process.kill();
    return fail(died(fmt::format("the server did not stop within {} s and was killed", kPatience.count())));
}

Expected<void> FamilyServer::keepCopy()
{
    if (auto stopped = stop(); !stopped)
        return stopped;
    m_copyOf = 0;
    std::error_code ignored;
    fs::remove_all(copyFolder(), ignored);
    if (auto copied = copyTree(dataFolder(), copyFolder()); !copied) {
        fs::remove_all(copyFolder(), ignored);
        return copied;
    }
    m_copyOf = m_dataFolderNumber;
    return {};
}

Expected<void> FamilyServer::putBack()
{
    if (m_copyOf == 0 || m_copyOf != m_dataFolderNumber)
        return fail({ErrorKind::Failed, "there is no copy of the data to put back", m_folder.path().string(), {}});
    m_process.kill(); // what it holds is thrown away: it need not write it
    std::error_code error;
    if (!m_folder.named()) {
        fs::remove_all(dataFolder(), error);
        return copyTree(copyFolder(), dataFolder());
    }
    // Whenever we are killed, a named server has one complete data folder.
    const fs::path back = m_folder.path() / kPuttingBack;
    fs::remove_all(back, error);
    if (auto copied = copyTree(copyFolder(), back); !copied)
        return copied;
    fs::remove_all(dataFolder(), error);
    fs::rename(back, dataFolder(), error);
    if (error)
        return fail({ErrorKind::Storage, fmt::format("cannot rename: {}", error.message()), back.string(), {}});
    return {};
}

//! A named server is opened with what made its data, unless the URI says otherwise.
Expected<ServerBinaries> binariesFor(const TargetUri& uri, const fs::path& namedFolder)
{
    ServerWish wish = wishOf(uri);
    std::error_code ignored;
    const bool there = !namedFolder.empty() && fs::exists(namedFolder / "instance", ignored);
    const FolderFacts facts = there ? readFolderFacts(namedFolder) : FolderFacts();
    if (there && facts.product != uri.product)
        return fail(
            {ErrorKind::Refused,
             fmt::format("the data of \"{}\" was made by {} {}", queryOf(uri, "name"), facts.product, facts.version),
             {},
             fmt::format("write managed:{}?name={}, or use another name", facts.product, queryOf(uri, "name"))});
    if (there && wish.basedir.empty() && wish.version.empty())
        wish.basedir = facts.basedir;
    auto binaries = findServer(wish);
    if (!binaries || !there)
        return binaries;
    const ServerVersion was = serverVersionOf(facts.version), is = serverVersionOf(binaries->version);
    if (was.major != is.major || was.minor != is.minor)
        return fail({ErrorKind::Refused,
                     fmt::format("the data of \"{}\" was made by {} {}; found {} in {}", queryOf(uri, "name"),
                                 facts.product, facts.version, binaries->version, binaries->server.string()),
                     {},
                     "name that server's folder with basedir=…, or use another name: data is not upgraded"});
    return binaries;
}

} // namespace

Expected<std::unique_ptr<ManagedServer>> ManagedServer::create(const TargetUri& uri, const fs::path& workDir)
{
    if (!driverFor("mysql"))
        return fail({ErrorKind::Unreachable, "this build has no MySQL driver", uri.display(),
                     "build Dynobench with MariaDB Connector/C"});
    if (uri.product != "mariadb" && uri.product != "mysql")
        return fail({ErrorKind::BadInput, fmt::format("cannot manage a server of the kind \"{}\"", uri.product),
                     uri.display(),
                     "use managed:mariadb or managed:mysql, or start the server yourself and name it "
                     "with mysql://…"});
    std::error_code ignored;
    const fs::path absolute = fs::absolute(workDir, ignored);
    const std::string name = queryOf(uri, "name");
    const fs::path namedFolder = name.empty() ? fs::path() : absolute / "instances" / name;
    auto binaries = binariesFor(uri, namedFolder);
    if (!binaries) {
        Error error = std::move(binaries.error());
        error.where = uri.display();
        return fail(std::move(error));
    }
    auto folder =
        name.empty() ? PrivateFolder::create(absolute, binaries->product()) : PrivateFolder::openNamed(absolute, name);
    if (!folder)
        return fail(std::move(folder.error()));
    if (!name.empty() && !fs::exists(namedFolder / "data", ignored) && fs::exists(namedFolder / kPuttingBack, ignored))
        fs::rename(namedFolder / kPuttingBack, namedFolder / "data", ignored);
    const bool there = !name.empty() && fs::exists(namedFolder / "data", ignored);
    auto server = std::make_unique<FamilyServer>(absolute, std::move(*binaries), std::move(*folder),
                                                 queryOf(uri, "transport") == "tcp");
    if (there)
        server->adopt(readFolderFacts(namedFolder));
    return server;
}

} // namespace dyno
