// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue against real servers: every variable is there under the name the catalogue says, needs a restart
// exactly where it says so, and begins with the default it says. This is what keeps the data honest.
#include "driver/mongodb/mongod_options.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "support/long_form.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace dyno::tst_knob_servers {

namespace {

//! No variable of a server.
bool isOurs(const std::string& name)
{
    return name == "encryption" || name == "load_engine";
}

//! What a server says of one of its variables.
struct Fact
{
    std::string value;
    std::vector<std::string> defaults; //!< any of them
    bool readOnly = false;
};
using Facts = std::map<std::string, Fact>;

Facts factsOfMariadb(Admin& admin)
{
    Facts facts;
    const auto rows = admin.query("SELECT LOWER(variable_name), global_value, default_value, read_only FROM "
                                  "information_schema.system_variables WHERE variable_scope <> 'SESSION ONLY'");
    if (!rows)
        return facts;
    for (const auto& row : *rows)
        facts[row.at(0)] = {row.at(1), {row.at(2)}, row.at(3) == "YES"};
    return facts;
}

//! MySQL does not tell what can be set: setting a variable to what it is shows it.
Facts factsOfMysql(Admin& admin)
{
    Facts facts;
    const auto rows = admin.query("SHOW GLOBAL VARIABLES");
    if (!rows)
        return facts;
    for (const auto& row : *rows) {
        const auto set = admin.execute(fmt::format("SET GLOBAL {0} = @@GLOBAL.{0}", row.at(0)));
        facts[row.at(0)] = {row.at(1), {}, !set && set.error().message.find("1238") != std::string::npos};
    }
    return facts;
}

//! True when the option file that Dynobench wrote sets the variable: what is in force is not the default then.
bool isSet(const std::string& optionFile, const std::string& name)
{
    return optionFile.find("\n" + name + "=") != std::string::npos ||
           (name == "log_bin" && optionFile.find("log-bin") != std::string::npos);
}

//! Knobs whose variable comes with a plugin that is not loaded, or with another build of the server.
bool mayBeMissing(const KnobInfo& knob, const std::string& product)
{
    return (product == "MySQL" && knob.option.name.starts_with("thread_pool_")) ||
           (product == "MariaDB" && knob.option.name.starts_with("rocksdb_"));
}

QStringList differences(const ServerFacts& server, const Facts& facts, const std::string& optionFile)
{
    QStringList found;
    for (const KnobInfo& knob : knobCatalog()) {
        if (knob.driver != "mysql" || knob.scope != "server" || isOurs(knob.option.name))
            continue;
        const auto say = [&](const std::string& what) {
            found << QString::fromStdString(knob.option.name + ": " + what);
        };
        const auto edition = editionFor(knob, server.product, server.version);
        const auto fact = facts.find(edition ? edition->name : knob.option.name);
        if (!edition) {
            if (fact != facts.end())
                say("the server has it, the catalogue says it has not");
            continue;
        }
        if (fact == facts.end()) {
            if (!mayBeMissing(knob, server.product))
                say("the server has no " + edition->name);
            continue;
        }
        // MySQL 8 takes ON and DETECT_ONLY while it runs, but neither of them from or to OFF (error 1210).
        const bool halfDynamic = knob.option.name == "innodb_doublewrite" && server.product == "MySQL";
        if (fact->second.readOnly != *edition->restart && !halfDynamic)
            say(fact->second.readOnly ? "needs a restart" : "can be changed while the server runs");
        std::vector<std::string> defaults = fact->second.defaults;
        if (!isSet(optionFile, edition->name))
            defaults.push_back(fact->second.value);
        const bool right =
            defaults.empty() || std::any_of(defaults.begin(), defaults.end(), [&](const std::string& text) {
                return dyno::sameSetting(*edition->defaultValue, text);
            });
        // Sized by the server at its start, after the machine it runs on.
        const bool sized = knob.option.name == "thread_cache_size" || knob.option.name == "back_log" ||
                           knob.option.name == "table_open_cache_instances" || knob.option.name == "table_open_cache" ||
                           knob.option.name == "innodb_buffer_pool_instances" ||
                           knob.option.name == "innodb_log_writer_threads";
        // fsync is what no value means.
        const bool unnamed = knob.option.name == "innodb_flush_method" && fact->second.value.empty();
        if (!right && !unnamed && !(sized && server.product == "MySQL"))
            say("its default is " + defaults.front() + ", the catalogue says " + toText(*edition->defaultValue));
    }
    return found;
}

Expected<std::unique_ptr<Admin>> adminOf(const ManagedServer& server)
{
    ConnectTarget target;
    target.uri = server.connectUri();
    for (const OptionSpec& option : driverFor("mysql")->info().connection)
        target.connection.emplace(option.name, option.defaultValue);
    return driverFor("mysql")->admin(target);
}

using Variables = std::map<std::string, std::string>;

Variables variablesOf(const ManagedServer& server)
{
    Variables variables;
    auto admin = adminOf(server);
    const auto rows = admin ? (*admin)->query("SHOW GLOBAL VARIABLES") : fail(admin.error());
    for (const auto& row : rows.value_or(TextRows()))
        variables.emplace(row.at(0), row.at(1));
    return variables;
}

//! What differs between a server that was started with `knobs` and one that took them while it ran; those of them that
//! it does not take are left out. Names of variables.
Expected<std::set<std::string>> decidedFrom(ManagedServer& server, Settings knobs)
{
    if (auto stopped = server.stop(); !stopped)
        return fail(stopped.error());
    if (auto plain = server.ensure({}); !plain)
        return fail(plain.error());
    auto admin = adminOf(server);
    if (!admin)
        return fail(admin.error());
    const Settings tried = knobs; // what it took in part only says nothing either
    std::erase_if(knobs, [&](const auto& knob) {
        if (!(*admin)->setVariable(knob.first, knob.second))
            return true;
        const auto now = (*admin)->variable(knob.first);
        return !now || !dyno::sameSetting(knob.second, *now); // thread_pool_size without a pool
    });
    admin->reset();
    const Variables changed = variablesOf(server);
    if (auto stopped = server.stop(); !stopped)
        return fail(stopped.error());
    if (auto started = server.ensure(knobs); !started)
        return fail(started.error());
    std::set<std::string> names;
    for (const auto& [name, value] : variablesOf(server)) {
        const auto was = changed.find(name);
        // Of the connection that asks, or of each start; "version" says which logs are on, InnoDB changes its delay by
        // itself and does without its hash index while it resizes its pool.
        const bool ofItself = name == "version" || name == "innodb_thread_sleep_delay" ||
                              name == "innodb_adaptive_hash_index" || name.find("uuid") != name.npos ||
                              name.starts_with("character_set_") || name.starts_with("collation_") ||
                              tried.contains(name);
        if (!ofItself && (was == changed.end() || was->second != value))
            names.insert(name);
    }
    return names;
}

//! A knob of the catalogue that this server takes while it runs, with the values that are worth trying.
struct DynamicKnob
{
    std::string name;
    std::vector<Value> values;
    std::vector<std::string> decides;
};

std::vector<DynamicKnob> dynamicKnobs(const ServerFacts& facts)
{
    std::vector<DynamicKnob> knobs;
    for (const KnobInfo& knob : knobCatalog()) {
        const auto edition = editionFor(knob, facts.product, facts.version);
        if (knob.driver != "mysql" || knob.scope != "server" || !edition || *edition->restart || knob.initialisation)
            continue;
        DynamicKnob& one = knobs.emplace_back(DynamicKnob{edition->name, {}, edition->decides});
        for (const std::string& text : knob.values) {
            if (const auto value = coerce(knob.option, parseValue(text)))
                one.values.push_back(*value);
        }
    }
    return knobs;
}

//! All knobs at once, each with the same of its values; with DYNO_TEST_LONG one after the other. A knob that another
//! decides is left out, as it would hide that.
QStringList notDeclared(ManagedServer& server, const ServerFacts& facts)
{
    const std::vector<DynamicKnob> knobs = dynamicKnobs(facts);
    std::set<std::string> declared;
    for (const DynamicKnob& knob : knobs)
        declared.insert(knob.decides.begin(), knob.decides.end());
    QStringList wrong;
    const auto look = [&](const Settings& wanted, const std::set<std::string>& allowed, const std::string& what) {
        const auto found = decidedFrom(server, wanted);
        if (!found) {
            wrong << QString::fromStdString(what + ": " + found.error().text());
            return;
        }
        for (const std::string& name : *found) {
            if (!allowed.contains(name))
                wrong << QString::fromStdString(what + " decides " + name);
        }
    };
    if (test::longForm()) {
        for (const DynamicKnob& knob : knobs) {
            for (const Value& value : knob.values)
                look({{knob.name, value}}, {knob.decides.begin(), knob.decides.end()}, knob.name + "=" + toText(value));
        }
        return wrong;
    }
    Settings all;
    for (const DynamicKnob& knob : knobs) {
        // How many tables may be open depends on the machine's limit of open files.
        if (!knob.values.empty() && !declared.contains(knob.name) && knob.name != "table_open_cache")
            all.emplace(knob.name, knob.values.back());
    }
    look(all, declared, "something of the catalogue");
    return wrong;
}

} // namespace

class TestKnobServers : public QObject
{
    Q_OBJECT
private slots:
    void mariadb();
    void decidedAtTheStart_data();
    void decidedAtTheStart();
    void mysql_data();
    void mysql();
    void mongod();
    void mongodTakesProposedValues();
};

void TestKnobServers::mariadb()
{
    if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    test::MariadbFixture fixture;
    const auto started = fixture.start();
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    auto admin = fixture.admin();
    QVERIFY(admin);
    const auto server = (*admin)->facts();
    QVERIFY(server);
    const Facts facts = factsOfMariadb(**admin);
    QVERIFY(facts.size() > 300);
    const QStringList wrong =
        differences(*server, facts, fixture.managed() ? fixture.managed()->optionFile() : std::string());
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(server->version) + "\n" + wrong.join("\n")));
}

void TestKnobServers::decidedAtTheStart_data()
{
    QTest::addColumn<QString>("variable");
    QTest::newRow("MariaDB") << "";
    QTest::newRow("MySQL 5.7") << "DYNO_TEST_MYSQL57";
    QTest::newRow("MySQL 8.0") << "DYNO_TEST_MYSQL80";
}

//! A server that is started with a setting and one that takes it while it runs are the same, but for what the catalogue
//! says (decides).
void TestKnobServers::decidedAtTheStart()
{
    QFETCH(QString, variable);
    const std::string basedir = variable.isEmpty() ? "" : qEnvironmentVariable(qPrintable(variable)).toStdString();
    if (!variable.isEmpty() && basedir.empty())
        QSKIP(qPrintable(variable + " does not name the folder of a server"));
    if (const std::string why = test::MariadbFixture::whyMissing(true); variable.isEmpty() && !why.empty())
        QSKIP(why.c_str());
    const auto uri = parseUri(variable.isEmpty() ? "managed:mariadb" : "managed:mysql?basedir=" + basedir);
    QVERIFY2(uri, uri ? "" : uri.error().text().c_str());
    auto server = ManagedServer::create(*uri, DYNO_TEST_WORK_DIR);
    QVERIFY2(server, server ? "" : server.error().text().c_str());
    const auto started = (*server)->ensure({});
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    const auto facts = (*adminOf(**server))->facts();
    QVERIFY(facts);
    const QStringList wrong = notDeclared(**server, *facts);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(facts->version) + "\n" + wrong.join("\n")));
}

void TestKnobServers::mysql_data()
{
    QTest::addColumn<QString>("variable");
    QTest::newRow("5.6") << "DYNO_TEST_MYSQL56";
    QTest::newRow("5.7") << "DYNO_TEST_MYSQL57";
    QTest::newRow("8.0") << "DYNO_TEST_MYSQL80";
    QTest::newRow("9") << "DYNO_TEST_MYSQL9";
}

void TestKnobServers::mysql()
{
    QFETCH(QString, variable);
    const std::string basedir = qEnvironmentVariable(qPrintable(variable)).toStdString();
    if (basedir.empty())
        QSKIP(qPrintable(variable + " does not name the folder of a server"));
    if (!driverFor("mysql"))
        QSKIP("this build has no MySQL driver");
    const auto uri = parseUri("managed:mysql?basedir=" + basedir);
    QVERIFY2(uri, uri ? "" : uri.error().text().c_str());
    auto server = ManagedServer::create(*uri, DYNO_TEST_WORK_DIR);
    QVERIFY2(server, server ? "" : server.error().text().c_str());
    const auto started = (*server)->ensure({});
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    auto admin = adminOf(**server);
    QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
    const auto facts = (*admin)->facts();
    QVERIFY(facts);
    const QStringList wrong = differences(*facts, factsOfMysql(**admin), (*server)->optionFile());
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(facts->version) + "\n" + wrong.join("\n")));
}

namespace {

std::unique_ptr<ManagedServer> managedMongod()
{
    const std::string program = qEnvironmentVariable("DYNO_TEST_MONGOD").toStdString();
    const auto uri = parseUri("managed:mongodb?basedir=" + std::filesystem::path(program).parent_path().string());
    auto server = uri ? ManagedServer::create(*uri, DYNO_TEST_WORK_DIR) : fail(uri.error());
    if (!server)
        qWarning("%s", server.error().text().c_str());
    return server ? std::move(*server) : nullptr;
}

Expected<std::unique_ptr<Admin>> mongoAdmin(const ManagedServer& server)
{
    ConnectTarget target;
    target.uri = server.connectUri();
    for (const OptionSpec& option : driverFor("mongodb")->info().connection)
        target.connection.emplace(option.name, option.defaultValue);
    return driverFor("mongodb")->admin(target);
}

//! A knob of mongod against a server that was started without any.
QString mongodDifference(Admin& admin, const KnobInfo& knob, const ServerFacts& server)
{
    const auto edition = editionFor(knob, server.product, server.version);
    const std::string name = edition ? edition->name : knob.option.name;
    const bool option = findMongodOption(name);
    const auto value = admin.variable(name);
    if (!edition)
        return value && !option ? QStringLiteral("the server has it, the catalogue says it has not") : QString();
    // journalCommitInterval is an option and a parameter.
    if (option && name != "journalCommitInterval")
        return *edition->restart ? QString() : QStringLiteral("is an option of the start");
    if (!value)
        return QString::fromStdString(value.error().message);
    // 0 is how it says that nobody has set it.
    if (!sameSetting(*edition->defaultValue, *value) && !(name == "journalCommitInterval" && *value == "0"))
        return QString::fromStdString("its default is " + *value + ", the catalogue says " +
                                      toText(*edition->defaultValue));
    const bool dynamic = admin.setVariable(name, *edition->defaultValue).has_value();
    if (dynamic == *edition->restart)
        return dynamic ? QStringLiteral("can be changed while the server runs") : QStringLiteral("needs a restart");
    return {};
}

//! What this build of mongod cannot have: a compressor that came later, engines of other builds.
bool lacks(const std::string& version, const std::string& knob, const std::string& value)
{
    const bool old = version.starts_with("3.") || version.starts_with("4.0");
    return knob == "enableEncryption" || value == "inMemory" || (old && value.find("zstd") != std::string::npos);
}

} // namespace

void TestKnobServers::mongod()
{
    if (qEnvironmentVariable("DYNO_TEST_MONGOD").isEmpty() || !driverFor("mongodb"))
        QSKIP("DYNO_TEST_MONGOD does not name a mongod, or this build has no MongoDB driver");
    const auto server = managedMongod();
    QVERIFY(server);
    const auto started = server->ensure({});
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    auto admin = mongoAdmin(*server);
    QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
    const auto facts = (*admin)->facts();
    QVERIFY(facts);
    QStringList wrong;
    int looked = 0;
    for (const KnobInfo& knob : knobCatalog()) {
        const bool ferretdb = !knob.editions.empty() && knob.editions.front().product == "ferretdb";
        if (knob.driver != "mongodb" || knob.scope != "server" || ferretdb)
            continue;
        ++looked;
        if (const QString difference = mongodDifference(**admin, knob, *facts); !difference.isEmpty())
            wrong << QString::fromStdString(knob.option.name + ": ") + difference;
    }
    QVERIFY(looked > 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(facts->version) + "\n" + wrong.join("\n")));
}

//! It starts with them, several knobs at a time, and says that it has them: ensure() reads them back.
void TestKnobServers::mongodTakesProposedValues()
{
    if (qEnvironmentVariable("DYNO_TEST_MONGOD").isEmpty() || !driverFor("mongodb"))
        QSKIP("DYNO_TEST_MONGOD does not name a mongod, or this build has no MongoDB driver");
    const auto server = managedMongod();
    QVERIFY(server);
    int tried = 0;
    for (std::size_t round = 0; round < 3; ++round) {
        Settings knobs;
        for (const KnobInfo& knob : knobCatalog()) {
            const bool ferretdb = !knob.editions.empty() && knob.editions.front().product == "ferretdb";
            if (knob.driver != "mongodb" || knob.scope != "server" || ferretdb || knob.values.empty() ||
                !editionFor(knob, "MongoDB", server->binaries().version))
                continue;
            const std::string& text = knob.values[round % knob.values.size()];
            const auto value = coerce(knob.option, parseValue(text));
            QVERIFY2(value, (knob.option.name + " " + text).c_str());
            if (!lacks(server->binaries().version, knob.option.name, text))
                knobs.emplace(knob.option.name, *value);
        }
        // Without a journal it has no interval either.
        if (const auto journal = knobs.find("journal"); journal != knobs.end() && journal->second == Value(false)) {
            knobs.erase("journalCommitInterval");
            knobs.erase("journalCompressor");
        }
        tried += int(knobs.size());
        const auto started = server->ensure(knobs);
        QVERIFY2(started, started ? "" : started.error().text().c_str());
    }
    QVERIFY(tried > 40);
}

} // namespace dyno::tst_knob_servers

DYNO_SUITE(tst_knob_servers, dyno::tst_knob_servers::TestKnobServers)
#include "tst_knob_servers.moc"
