// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of PostgreSQL's settings against real servers: names, units, limits, choices, defaults and what needs a
// restart; and that nothing dangerous of what they list may be set by a plan.
#include "driver/postgresql/postgresql_units.h"
#include "driver/postgresql/server/server_conf.h"
#include "managed_test.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_source.h"
#include "server/knobs/knob_values.h"
#include "server/knobs/variable_states.h"
#include "support/suite.h"

#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <cmath>

namespace dyno::tst_postgresql_knobs {
using namespace dyno::test;

namespace {

//! A row of pg_settings, sizes in bytes.
struct Fact
{
    std::string unit, type, context, least, most, defaultValue, choices;
};
using Facts = std::map<std::string, Fact>;

Expected<Facts> factsOf(Admin& admin)
{
    std::string columns;
    // What initdb decides is in force; the built-in value says nothing of it.
    for (const char* column : {"min_val", "max_val", "(CASE context WHEN 'internal' THEN setting ELSE boot_val END)"})
        columns += ", coalesce(" + postgresql::inBytes(column) + ", '')";
    const auto rows = admin.query("SELECT name, coalesce(unit, ''), vartype, context" + columns +
                                  ", coalesce(array_to_string(enumvals, '|'), '') FROM pg_settings");
    if (!rows)
        return fail(rows.error());
    Facts facts;
    for (const auto& row : *rows)
        facts[row.at(0)] = {row.at(1), row.at(2), row.at(3), row.at(4), row.at(5), row.at(6), row.at(7)};
    return facts;
}

//! What stands in the catalogue for a unit of the server.
std::string unitHere(const std::string& unit)
{
    return unit.ends_with('B') ? "bytes" : unit;
}

QStringList differences(const std::string& version, const Facts& facts)
{
    QStringList found;
    for (const KnobInfo& knob : knobCatalog()) {
        if (knob.driver != "postgresql" || knob.scope != "server")
            continue;
        const auto say = [&](const std::string& what) {
            found << QString::fromStdString(knob.option.name + ": " + what);
        };
        const auto edition = editionFor(knob, "PostgreSQL", version);
        const auto known = facts.find(knob.option.name);
        if (edition.has_value() != (known != facts.end()))
            say(edition ? "the server has none" : "the server has it, the catalogue says it has not");
        if (!edition || known == facts.end())
            continue;
        const Fact& fact = known->second;
        if (*edition->restart != (fact.context == "postmaster" || fact.context == "internal"))
            say("its context is " + fact.context);
        if (knob.initialisation != (fact.context == "internal"))
            say("only what initdb decides is fixed");
        // Of -1 the server makes another value at its start.
        if (!sameSetting(*edition->defaultValue, fact.defaultValue) && fact.defaultValue != "-1")
            say("its default is " + fact.defaultValue + ", not " + toText(*edition->defaultValue));
        const OptionSpec& option = knob.option;
        if (option.type == OptionType::Bytes && !fact.unit.ends_with('B'))
            say("it is no size");
        if (!fact.unit.empty() && option.unit != unitHere(fact.unit))
            say("its unit is " + fact.unit);
        if (!fact.least.empty() && option.minimum && *option.minimum < std::stod(fact.least))
            say("it is " + fact.least + " at least");
        if (!fact.most.empty() && option.maximum && *option.maximum > std::stod(fact.most))
            say("it is " + fact.most + " at most");
        if (fact.type == "bool" && option.type != OptionType::Bool)
            say("it is a switch");
        for (const std::string& choice : option.choices) {
            const bool there = ("|" + fact.choices + "|").find("|" + choice + "|") != std::string::npos;
            // Compressors and io_uring are there where they were built in.
            if (fact.type == "enum" && !there && choice != "lz4" && choice != "zstd" && choice != "io_uring")
                say("there is no " + choice);
        }
    }
    return found;
}

//! The words of a name that mean a file, a folder, code, a place to listen at, or an account.
bool soundsDangerous(const std::string& name)
{
    constexpr std::array<std::string_view, 21> kWords = {
        "file",     "filename", "dir",       "directory", "directories", "path",   "tablespaces",
        "command",  "library",  "libraries", "addresses", "port",        "socket", "host",
        "provider", "conninfo", "user",      "keyfile",   "server",      "hosts",  "preload"};
    // They hold one of these words and mean counts, times, formats or what a client may see.
    constexpr std::array<std::string_view, 8> kHarmless = {
        "temp_file_limit",  "max_files_per_process", "server_encoding",  "server_version",
        "file_copy_method", "file_extend_method",    "tcp_user_timeout", "log_recovery_conflict_waits"};
    if (std::ranges::find(kHarmless, name) != kHarmless.end())
        return false;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        if (std::ranges::find(kWords, std::string_view(name).substr(at, end - at)) != kWords.end())
            return true;
        at = end + 1;
    }
    return false;
}

} // namespace

class TestPostgresqlKnobs : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::unique_ptr<ManagedServer> start(const char* variable)
    {
        std::map<std::string, std::string, std::less<>> query;
        if (const std::string basedir = basedirIn(variable); !basedir.empty())
            query.emplace("basedir", basedir);
        auto server = ManagedServer::create(managedUri("postgresql", query), m_dir.path().toStdString());
        const auto started =
            server ? (*server)->ensure({{"shared_buffers", std::int64_t(16) << 20}}) : fail(server.error());
        if (!started)
            qWarning("%s", started.error().text().c_str());
        return started ? std::move(*server) : nullptr;
    }
    static bool isHere(const char* variable)
    {
        std::map<std::string, std::string, std::less<>> query;
        if (const std::string basedir = basedirIn(variable); !basedir.empty())
            query.emplace("basedir", basedir);
        else if (std::string_view(variable) != "DYNO_TEST_POSTGRESQL")
            return false;
        return findServer(wishOf(managedUri("postgresql", query))).has_value();
    }

private slots:
    void initTestCase()
    {
        if (!driverFor("postgresql"))
            QSKIP("this build has no PostgreSQL driver");
    }

    void catalogueAgainstServers_data()
    {
        QTest::addColumn<QByteArray>("variable");
        for (const char* variable :
             {"DYNO_TEST_POSTGRESQL", "DYNO_TEST_POSTGRESQL16", "DYNO_TEST_POSTGRESQL17", "DYNO_TEST_POSTGRESQL18"})
            QTest::newRow(variable) << QByteArray(variable);
    }
    void catalogueAgainstServers()
    {
        QFETCH(QByteArray, variable);
        if (!isHere(variable.constData()))
            QSKIP((variable + " names no folder of a PostgreSQL server").constData());
        const auto server = start(variable.constData());
        QVERIFY(server);
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        const auto facts = factsOf(**admin);
        VERIFY_OK(facts);
        const QStringList found = differences(server->binaries().version, *facts);
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));

        // What the server says of all its settings, for the comparison of servers and for what needs a restart.
        const auto serverFacts = (*admin)->facts();
        VERIFY_OK(serverFacts);
        const KnobSource* source = knobSourceFor("postgresql");
        QVERIFY(source);
        const VariableWords words = source->words(**admin, *serverFacts);
        QCOMPARE(words.at("shared_buffers").defaultValue, std::to_string(128 << 20));
        QCOMPARE(words.at("shared_buffers").readOnly, std::optional(true));
        QCOMPARE(words.at("work_mem").readOnly, std::optional(false));
        QCOMPARE(source->readOnly(**admin, "checkpoint_timeout", *serverFacts), std::optional(false));
        QVERIFY(!source->readOnly(**admin, "no_such_setting", *serverFacts));
        QCOMPARE(needsRestart(**admin, "postgresql", "max_connections", *serverFacts), std::optional(true));
    }

    //! Every value that the catalogue proposes is one that the server takes.
    void valuesAreTaken()
    {
        if (!isHere("DYNO_TEST_POSTGRESQL"))
            QSKIP("DYNO_TEST_POSTGRESQL names no folder of a PostgreSQL server");
        const auto server = start("DYNO_TEST_POSTGRESQL");
        QVERIFY(server);
        const Settings base = {{"shared_buffers", std::int64_t(16) << 20}};
        const int process = server->process();
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        const auto listed = (*admin)->query("SELECT name || '=' || unnest(enumvals) FROM pg_settings");
        VERIFY_OK(listed);
        // A server that was built without these libraries does not know their names.
        const auto isBuiltWith = [&listed](const std::string& knob, const std::string& value) {
            return (value != "lz4" && value != "zstd") ||
                   std::ranges::find(*listed, std::vector{knob + '=' + value}) != listed->end();
        };
        int tried = 0;
        std::vector<Settings> rounds; // all of the first values at once, all of the second, …
        for (const KnobInfo& knob : knobCatalog()) {
            const auto edition = editionFor(knob, "PostgreSQL", server->binaries().version);
            if (knob.driver != "postgresql" || knob.scope != "server" || !edition || *edition->restart)
                continue;
            for (std::size_t i = 0; i < knob.values.size(); ++i, ++tried) {
                if (!isBuiltWith(knob.option.name, knob.values[i]))
                    continue;
                const auto value = coerce(knob.option, parseValue(knob.values[i]));
                VERIFY_OK(value);
                if (rounds.size() <= i)
                    rounds.resize(i + 1, base);
                rounds[i].insert_or_assign(knob.option.name, *value);
            }
        }
        QVERIFY(tried > 60);
        for (std::size_t i = 1; i < rounds.size(); ++i) // what has fewer values keeps its last one
            rounds[i].insert(rounds[i - 1].begin(), rounds[i - 1].end());
        for (const Settings& settings : rounds)
            VERIFY_OK(server->ensure(settings));
        QCOMPARE(server->process(), process); // none of them needed a restart
    }

    //! Of all that a server lists: what sounds as if it named files, code, places or accounts is refused.
    void dangerousNames()
    {
        if (!isHere("DYNO_TEST_POSTGRESQL"))
            QSKIP("DYNO_TEST_POSTGRESQL names no folder of a PostgreSQL server");
        const std::string basedir = basedirIn("DYNO_TEST_POSTGRESQL");
        std::map<std::string, std::string, std::less<>> query;
        if (!basedir.empty())
            query.emplace("basedir", basedir);
        const auto server = findServer(wishOf(managedUri("postgresql", query)));
        VERIFY_OK(server);
        const auto names = postgresqlSettings(*server);
        VERIFY_OK(names);
        QVERIFY((*names)->size() > 250);
        QStringList allowed;
        int dangerous = 0;
        for (const std::string& name : **names) {
            if (!soundsDangerous(name))
                continue;
            ++dangerous;
            if (!neverAllowed("postgresql", name, std::string("x")))
                allowed << QString::fromStdString(name);
        }
        QVERIFY2(allowed.isEmpty(), qPrintable(allowed.join(", ")));
        QVERIFY(dangerous > 30);
        for (const char* name : {"archive_command",
                                 "restore_command",
                                 "ssl_passphrase_command",
                                 "archive_cleanup_command",
                                 "shared_preload_libraries",
                                 "local_preload_libraries",
                                 "session_preload_libraries",
                                 "archive_library",
                                 "dynamic_library_path",
                                 "jit_provider",
                                 "data_directory",
                                 "hba_file",
                                 "ident_file",
                                 "config_file",
                                 "external_pid_file",
                                 "listen_addresses",
                                 "port",
                                 "unix_socket_directories",
                                 "unix_socket_group",
                                 "krb_server_keyfile",
                                 "log_directory",
                                 "log_filename",
                                 "log_destination",
                                 "primary_conninfo",
                                 "ssl",
                                 "ssl_key_file",
                                 "zero_damaged_pages",
                                 "temp_tablespaces",
                                 "session_authorization",
                                 "Archive-Command"})
            QVERIFY2(neverAllowed("postgresql", name, std::string("x")), name);
        for (const char* name : {"log_statement", "log_min_duration_statement", "temp_file_limit", "timezone",
                                 "enable_seqscan", "max_files_per_process", "wal_keep_size"})
            QVERIFY2(!neverAllowed("postgresql", name, std::string("1")), name);
    }
};

} // namespace dyno::tst_postgresql_knobs

DYNO_SUITE(tst_postgresql_knobs, dyno::tst_postgresql_knobs::TestPostgresqlKnobs)
#include "tst_postgresql_knobs.moc"
