// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongo_fixture.h"

#include "server/lifecycle/free_port.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>

namespace dyno::test {

namespace {

const char* given(const char* variable)
{
    const char* value = std::getenv(variable);
    return value && *value ? value : nullptr;
}

//! The program, "" when there is none.
std::string ferretdb()
{
    if (const char* program = given("DYNO_TEST_FERRETDB"))
        return program;
    const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
    const char* variable = given("PATH");
    const std::string path = variable ? variable : "";
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (const std::string program = path.substr(at, end - at) + "/ferretdb"; end > at && runs(program))
            return program;
        at = end + 1;
    }
    return runs(DYNO_TEST_BUILT_FERRETDB) ? DYNO_TEST_BUILT_FERRETDB : "";
}

std::string mongodProgram()
{
    const char* program = given("DYNO_TEST_MONGOD");
    return program && ::access(program, X_OK) == 0 ? program : "";
}

constexpr const char* kRootPassword = "r00t-of-the-test";

//! Both files in one, as mongod and libmongoc want certificate and key.
Expected<std::filesystem::path> joined(const std::filesystem::path& certificate, const std::filesystem::path& key,
                                       const std::filesystem::path& file)
{
    std::ofstream out(file);
    out << std::ifstream(certificate).rdbuf() << std::ifstream(key).rdbuf();
    if (!out)
        return fail({ErrorKind::Storage, "cannot write", file.string(), {}});
    return file;
}

//! Runs a command until it is done: a server that has just started may not be ready for it.
Expected<void> patiently(const std::function<Expected<void>()>& command, std::chrono::seconds patience)
{
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        auto done = command();
        if (done || std::chrono::steady_clock::now() > until)
            return done;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

} // namespace

ConnectTargetPtr mongoTarget(const TargetUri& uri, StatementSet statements, const Settings& connection)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = uri;
    Faults faults;
    target->connection = resolve(driverFor("mongodb")->info().connection, connection, {}, faults);
    target->statements = std::move(statements);
    return target;
}

std::string MongoFixture::whyMissing(bool own)
{
    if (!driverFor("mongodb"))
        return "this build has no MongoDB driver";
    if ((!own && given("DYNO_TEST_MONGODB")) || !ferretdb().empty() || !mongodProgram().empty())
        return {};
    return own ? "no ferretdb on the path: set DYNO_TEST_FERRETDB, or DYNO_TEST_MONGOD to a mongod"
               : "no ferretdb on the path: set DYNO_TEST_FERRETDB or DYNO_TEST_MONGOD, or DYNO_TEST_MONGODB to the URI "
                 "of "
                 "a server";
}

std::string MongoFixture::whyMissing(MongoProduct product)
{
    if (product == MongoProduct::Any || !driverFor("mongodb"))
        return whyMissing(true);
    if (product == MongoProduct::Mongod)
        return mongodProgram().empty() ? "DYNO_TEST_MONGOD does not name a mongod" : "";
    return ferretdb().empty() ? "no ferretdb on the path: set DYNO_TEST_FERRETDB" : "";
}

Expected<void> MongoFixture::start()
{
    const char* uri = given("DYNO_TEST_MONGODB");
    if (!uri)
        return startOwn();
    stop();
    auto parsed = parseUri(uri);
    if (!parsed)
        return fail(std::move(parsed.error()));
    m_uri = std::move(*parsed);
    if (const char* password = given("DYNO_PASSWORD"))
        m_uri.password = password;
    if (!m_uri.user.empty() && !m_uri.query.contains("authSource") && !m_uri.database.empty())
        m_uri.query["authSource"] = m_uri.database;
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    return {};
}

Expected<void> MongoFixture::startOwn(const MongoServerOptions& options)
{
    stop();
    // A Unix socket's path has to be short, so not below the build folder.
    std::string pattern = (std::filesystem::temp_directory_path() / "dyno-mongo-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        return fail({ErrorKind::Storage, "cannot make a folder", pattern, {}});
    m_folder = pattern;
    m_mongod = options.product == MongoProduct::Mongod || (options.product == MongoProduct::Any && ferretdb().empty());
    if (auto made = makeCertificates(options); !made)
        return made;
    for (int i = 0; i < std::max(1, options.members); ++i) {
        auto member = std::make_unique<Member>();
        member->folder = m_folder / fmt::format("{}", i);
        std::filesystem::create_directory(member->folder);
        do
            member->port = freeLocalPort();
        while (std::any_of(m_members.begin(), m_members.end(),
                           [&](const auto& one) { return one->port == member->port; }));
        member->command = m_mongod ? mongodCommand(options, *member) : ferretdbCommand(options, *member);
        m_members.push_back(std::move(member));
    }
    if (options.tls && m_mongod)
        m_tlsPort = port();
    m_uri = memberUri(0);
    m_uri.database = fmt::format("dyno_test_{}", ::getpid());
    for (const auto& member : m_members) {
        if (auto launched = launch(*member); !launched)
            return launched;
    }
    if (auto made = options.members > 0 ? makeSet(options.members) : Expected<void>(); !made)
        return made;
    return options.users ? makeUser() : Expected<void>();
}

Expected<void> MongoFixture::makeCertificates(const MongoServerOptions& options)
{
    m_needed.clear();
    if (!options.tls)
        return {};
    auto made = TestCertificates::make(m_folder);
    if (!made)
        return fail(std::move(made.error()));
    m_certificates = std::move(*made);
    auto server = joined(m_certificates.serverCert, m_certificates.serverKey, m_folder / "server-both.pem");
    auto client = joined(m_certificates.clientCert, m_certificates.clientKey, m_folder / "client-both.pem");
    if (!server || !client)
        return fail(server ? client.error() : server.error());
    m_clientPem = *client;
    if (m_mongod && (options.tlsOnly || options.clientCertificates)) {
        m_needed = {{"tls", std::string("required")}, {"tls_ca", m_certificates.ca.string()}};
        if (options.clientCertificates)
            m_needed.emplace("tls_cert_key", m_clientPem.string());
    }
    return {};
}

std::vector<std::string> MongoFixture::ferretdbCommand(const MongoServerOptions& options, Member& member)
{
    std::vector<std::string> command = {ferretdb(),
                                        fmt::format("--listen-addr=127.0.0.1:{}", member.port),
                                        "--listen-unix=" + (options.unixSocket ? socket() : std::string()),
                                        "--debug-addr=",
                                        "--handler=sqlite",
                                        "--sqlite-url=file:" + member.folder.string() + "/",
                                        "--state-dir=" + member.folder.string(),
                                        "--telemetry=disable",
                                        "--log-level=error"};
    if (!options.tls)
        return command;
    do
        m_tlsPort = freeLocalPort();
    while (m_tlsPort == member.port);
    for (const std::string& option : {fmt::format("--listen-tls=127.0.0.1:{}", m_tlsPort),
                                      "--listen-tls-cert-file=" + m_certificates.serverCert.string(),
                                      "--listen-tls-key-file=" + m_certificates.serverKey.string()})
        command.push_back(option);
    if (options.clientCertificates)
        command.push_back("--listen-tls-ca-file=" + m_certificates.ca.string());
    return command;
}

//! Small and quick: little cache and oplog. The options of TLS are those that all of 3.6 to 6.0 know.
std::vector<std::string> MongoFixture::mongodCommand(const MongoServerOptions& options, Member& member) const
{
    std::vector<std::string> command = {mongodProgram(),
                                        "--port",
                                        fmt::format("{}", member.port),
                                        "--bind_ip",
                                        "127.0.0.1" + (options.unixSocket ? "," + socket() : std::string()),
                                        "--dbpath",
                                        member.folder.string(),
                                        "--wiredTigerCacheSizeGB",
                                        "0.25",
                                        "--unixSocketPrefix",
                                        member.folder.string(),
                                        "--setParameter",
                                        "diagnosticDataCollectionEnabled=false"};
    const auto add = [&command](std::initializer_list<std::string> more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    if (options.tls) {
        const bool only = options.tlsOnly || options.clientCertificates;
        add({"--sslMode", only ? "requireSSL" : "allowSSL", "--sslPEMKeyFile", (m_folder / "server-both.pem").string(),
             "--sslCAFile", m_certificates.ca.string()});
        if (!options.clientCertificates)
            add({"--sslAllowConnectionsWithoutCertificates"});
    }
    if (options.users)
        add({"--auth"});
    if (options.members > 0)
        add({"--replSet", "rs", "--oplogSize", "16"});
    command.insert(command.end(), options.options.begin(), options.options.end());
    return command;
}

Expected<void> MongoFixture::launch(Member& member)
{
    const std::filesystem::path log = m_folder / (member.folder.filename().string() + ".log");
    if (auto started = member.process.start(member.command, log); !started)
        return started;
    TargetUri uri = m_uri;
    uri.host = "127.0.0.1";
    uri.port = member.port;
    if (m_members.size() > 1)
        uri.query = {{"directConnection", "true"}};
    Error last;
    for (int tries = 0; tries < 300; ++tries) {
        const auto connected = driverFor("mongodb")->admin(*mongoTarget(uri, {}, m_needed));
        if (connected)
            return {};
        last = connected.error();
        if (!member.process.running())
            return fail(
                {ErrorKind::Failed, "the server ended: " + member.process.endText(), log.string(), tailOf(log, 5)});
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it tells nobody when it listens
    }
    return fail(last);
}

Expected<void> MongoFixture::makeSet(int members)
{
    std::string list;
    std::string hosts;
    for (int i = 0; i < members; ++i) {
        const int port = m_members[std::size_t(i)]->port;
        // The first is preferred, so that a test knows who becomes primary.
        list += fmt::format("{}{{\"_id\": {}, \"host\": \"127.0.0.1:{}\", \"priority\": {}}}", i == 0 ? "" : ", ", i,
                            port, i == 0 ? 2 : 1);
        hosts += fmt::format("{}127.0.0.1:{}", i == 0 ? "" : ",", port);
    }
    const std::string database = m_uri.database;
    auto admin = driverFor("mongodb")->admin(*mongoTarget(memberUri(0), {}, m_needed));
    if (!admin)
        return fail(admin.error());
    auto made = (*admin)->execute(fmt::format(
        R"({{"replSetInitiate": {{"_id": "rs", "members": [{}], "settings": {{"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200}}}}}})",
        list));
    if (!made)
        return made;
    auto uri = parseUri(fmt::format("mongodb://{}/{}?replicaSet=rs", hosts, database));
    if (!uri)
        return fail(std::move(uri.error()));
    m_uri = std::move(*uri);
    if (primary() < 0)
        return fail({ErrorKind::Failed, "the set elected no primary within 30 s", m_uri.display(), {}});
    return {};
}

//! The first user is made by who comes from this machine.
Expected<void> MongoFixture::makeUser()
{
    TargetUri onAdmin = m_uri;
    onAdmin.database = "admin";
    auto first = driverFor("mongodb")->admin(*mongoTarget(onAdmin, {}, m_needed));
    if (!first)
        return fail(first.error());
    auto created = patiently(
        [&] {
            return (*first)->execute(
                fmt::format(R"({{"createUser": "root", "pwd": "{}", "roles": ["root"]}})", kRootPassword));
        },
        std::chrono::seconds(5));
    m_uri.user = "root";
    m_uri.password = kRootPassword;
    m_uri.query["authSource"] = "admin";
    return created;
}

int MongoFixture::primary() const
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < until) {
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i]->process.running())
                continue;
            const auto admin = driverFor("mongodb")->admin(*mongoTarget(memberUri(i), {}, m_needed));
            if (!admin)
                continue;
            const auto facts = (*admin)->facts();
            for (const char* name : {"hello.ismaster", "hello.isWritablePrimary"}) {
                if (facts && facts->variables.contains(name) && toText(facts->variables.at(name)) == "true")
                    return int(i);
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100)); // an election tells nobody when it is over
    }
    return -1;
}

TargetUri MongoFixture::memberUri(std::size_t member) const
{
    TargetUri uri;
    uri.kind = TargetKind::Remote;
    uri.scheme = uri.driver = "mongodb";
    uri.host = "127.0.0.1";
    uri.port = m_members.at(member)->port;
    uri.database = m_uri.database;
    uri.user = m_uri.user;
    uri.password = m_uri.password;
    if (m_members.size() > 1)
        uri.query = {{"directConnection", "true"}};
    if (!uri.user.empty())
        uri.query["authSource"] = "admin";
    return uri;
}

Expected<void> MongoFixture::restart(std::size_t member)
{
    m_members.at(member)->process.kill();
    return launch(*m_members[member]);
}

void MongoFixture::stop()
{
    if (own()) {
        m_members.clear();
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
    } else if (!m_uri.database.empty()) {
        if (auto connected = this->admin())
            static_cast<void>((*connected)->execute(R"({"dropDatabase": 1})"));
    }
    m_folder.clear();
    m_needed.clear();
    m_uri = {};
}

ConnectTargetPtr MongoFixture::target(StatementSet statements, const Settings& connection) const
{
    Settings knobs = m_needed;
    for (const auto& [name, value] : connection)
        knobs.insert_or_assign(name, value);
    return mongoTarget(m_uri, std::move(statements), knobs);
}

Expected<std::unique_ptr<Admin>> MongoFixture::admin() const
{
    return driverFor("mongodb")->admin(*target());
}

} // namespace dyno::test
