// SPDX-License-Identifier: GPL-3.0-or-later
// What no plan may set on a server: the table against what real servers list, and against our own knobs and recipes.
#include "driver/mysql/server/server_options.h"
#include "managed_test.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "support/suite.h"

#include <dyno/catalog.h>

#include <QTest>

#include <algorithm>
#include <array>

namespace dyno::tst_never_knobs {
using namespace dyno::test;

namespace {

//! No variable of a server.
bool isOurs(const std::string& name)
{
    return name == "encryption" || name == "load_engine";
}

bool refused(std::string_view driver, const std::string& name, const Value& value = std::int64_t(1))
{
    return neverAllowed(driver, name, value).has_value();
}

//! The words of a name that mean a file, a folder, code, a place to listen at, or an account.
bool soundsDangerous(const std::string& name)
{
    constexpr std::array<std::string_view, 22> kWords = {
        "file",   "filename", "dir",     "datadir", "tmpdir", "directory", "directories", "path",
        "paths",  "plugin",   "plugins", "address", "port",   "socket",    "host",        "user",
        "script", "cmd",      "url",     "basedir", "bind",   "provider"};
    // They hold one of these words and mean sizes, counts, switches or engines.
    constexpr std::array<std::string_view, 25> kHarmless = {"aria_log_file_size",
                                                            "aria_max_sort_file_size",
                                                            "aria_pagecache_file_hash_size",
                                                            "aria_sync_log_dir",
                                                            "binlog_file_cache_size",
                                                            "core_file",
                                                            "host_cache_size",
                                                            "innodb_buffer_pool_in_core_file",
                                                            "innodb_disable_sort_file_cache",
                                                            "innodb_file_per_table",
                                                            "innodb_ft_user_stopword_table",
                                                            "innodb_log_file_buffering",
                                                            "innodb_log_file_mmap",
                                                            "innodb_log_file_size",
                                                            "key_cache_file_hash_size",
                                                            "lower_case_file_system",
                                                            "max_user_connections",
                                                            "myisam_max_sort_file_size",
                                                            "old_style_user_limits",
                                                            "performance_schema_max_file_classes",
                                                            "performance_schema_max_file_handles",
                                                            "port_open_timeout",
                                                            "safe_user_create",
                                                            "user_variables",
                                                            "innodb_validate_tablespace_paths"};
    if (name.starts_with("performance_schema_max_") || std::ranges::find(kHarmless, name) != kHarmless.end())
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

class TestNeverKnobs : public QObject
{
    Q_OBJECT
private slots:
    void names_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("never");
        const auto row = [](const char* driver, const char* name, const char* value, bool never) {
            QTest::newRow(qPrintable(QStringLiteral("%1 %2=%3").arg(driver, name, value)))
                << QString::fromLatin1(driver) << QString::fromLatin1(name) << QString::fromLatin1(value) << never;
        };
        for (const char* name : {"plugin_dir",
                                 "plugin-dir",
                                 "PLUGIN_DIR",
                                 "plugin_load",
                                 "plugin_load_add",
                                 "early_plugin_load",
                                 "init_file",
                                 "init_connect",
                                 "init_slave",
                                 "init_replica",
                                 "general_log_file",
                                 "slow_query_log_file",
                                 "log_bin_index",
                                 "innodb_data_file_path",
                                 "innodb_data_home_dir",
                                 "tmpdir",
                                 "slave_load_tmpdir",
                                 "datadir",
                                 "secure_file_priv",
                                 "bind_address",
                                 "admin_address",
                                 "port",
                                 "extra_port",
                                 "socket",
                                 "skip_networking",
                                 "skip_grant_tables",
                                 "mysqlx_bind_address",
                                 "ssl_key",
                                 "user",
                                 "wsrep_provider",
                                 "wsrep_notify_cmd",
                                 "log_error_services",
                                 "loose_plugin_load_add",
                                 "skip_log_bin",
                                 "enable_x",
                                 "disable_x",
                                 "maximum_max_connections",
                                 "symbolic_links",
                                 "persisted_globals_load",
                                 "feedback_url",
                                 "pid_file",
                                 "log_error",
                                 "default_authentication_plugin",
                                 "rocksdb_datadir",
                                 "rocksdb_wal_dir",
                                 "rocksdb_create_checkpoint",
                                 "rocksdb_persistent_cache_path",
                                 "rocksdb_update_cf_options"})
            row("mysql", name, "x", true);
        for (const char* name :
             {"innodb_file_per_table", "innodb_log_file_size", "open_files_limit", "local_infile", "innodb_open_files",
              "max_user_connections", "host_cache_size", "disabled_storage_engines", "general_log", "slow_query_log",
              "skip_name_resolve", "report_something_new"})
            row("mysql", name, "1", false);
        row("mysql", "log_bin", "on", false);
        row("mysql", "log_bin", "0", false);
        row("mysql", "log_bin", "/tmp/binlog", true);
        row("mysql", "log_bin", "mine", true);
        row("mysql", "some_future_variable", "../x", true);
        row("mysql", "some_future_variable", "a\\b", true);
        row("mysql", "rocksdb_default_cf_options", "compression=kZSTD", false);
        row("mysql", "rocksdb_default_cf_options", "x=/tmp/y", true);
        row("mysql", "innodb_flush_method", "O_DIRECT", false);
        row("mysql", "innodb_flush_method", "/dev/sda", true);
        for (const char* name :
             {"diagnosticDataCollectionDirectoryPath", "processUmask", "ldapServers", "enableTestCommands",
              "enableLocalhostAuthBypass", "authenticationMechanisms", "tlsMode", "sslMode", "opensslCipherConfig",
              "scramIterationCount", "saslHostName", "netXyz", "kmipKeyIdentifier"})
            row("mongodb", name, "x", true);
        for (const char* name : {"directoryPerDB", "directoryForIndexes", "notablescan", "journal"})
            row("mongodb", name, "true", false);
        row("mongodb", "networkMessageCompressors", "snappy", false);
        row("mongodb", "profilingMode", "off", false);
    }

    void names()
    {
        QFETCH(QString, driver);
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(bool, never);
        QCOMPARE(refused(driver.toStdString(), name.toStdString(), parseValue(value.toStdString())), never);
    }

    //! All that the catalogue offers stays allowed, with every value that it proposes.
    void ourKnobsStay()
    {
        int knobs = 0;
        for (const KnobInfo& knob : knobCatalog()) {
            if (knob.scope != "server")
                continue;
            ++knobs;
            std::vector<std::string> names = {knob.option.name};
            for (const KnobEdition& edition : knob.editions) {
                if (!edition.name.empty())
                    names.push_back(edition.name);
            }
            for (const std::string& name : names) {
                QVERIFY2(!refused(knob.driver, name, knob.option.defaultValue), name.c_str());
                for (const std::string& value : knob.values)
                    QVERIFY2(!refused(knob.driver, name, parseValue(value)), (name + "=" + value).c_str());
            }
        }
        QVERIFY(knobs > 80);
    }

    void ourRecipesStay()
    {
        int settings = 0;
        const auto check = [&](const TargetUri& uri, const std::string& path, const Value& value) {
            const std::size_t at = path.rfind("server.");
            if (at == std::string::npos)
                return;
            ++settings;
            QVERIFY2(!refused(uri.driver, path.substr(at + 7), value), path.c_str());
        };
        for (const RecipeInfo& recipe : recipes()) {
            const auto plan = recipePlan(recipe.id);
            QVERIFY(plan);
            const auto uri = parseUri(plan->target.uri.empty() ? "managed:mysql" : plan->target.uri);
            QVERIFY(uri);
            for (const auto& [key, value] : plan->set)
                check(*uri, key, value);
            for (const Axis& axis : plan->axes) {
                for (const Case& one : axis.cases) {
                    for (const auto& [key, value] : one.set)
                        check(*uri, key, value);
                }
            }
            for (const PlanSize& size : plan->sizes) {
                for (const auto& [key, value] : size.fields)
                    check(*uri, key, value);
            }
        }
        QVERIFY(settings > 80);
    }

    void listOfOptions()
    {
        const ServerOptions options =
            readServerOptions("mysqld  Ver 8\n  --plugin-dir=name\n\nVariables (--variable-name=value)\n"
                              "and boolean options {FALSE|TRUE}  Value (after reading options)\n"
                              "-------------------------------- -------------\n"
                              "plugin-dir                       /usr/lib/mysql/plugin/\n"
                              "sql-mode                         \n"
                              "wsrep-OSU-method                 TOI\n\nTo see what values\nmore text\n");
        QCOMPARE(options.size(), std::size_t(3));
        QCOMPARE(options.at("plugin_dir"), std::string("/usr/lib/mysql/plugin/"));
        QCOMPARE(options.at("sql_mode"), std::string());
        QVERIFY(options.contains("wsrep_OSU_method"));
        QVERIFY(readServerOptions("nothing").empty() && readServerOptions("x\n-----").empty());
    }

    void realServers_data()
    {
        QTest::addColumn<QString>("product");
        QTest::addColumn<QString>("basedir");
        QTest::newRow("MariaDB") << QStringLiteral("mariadb") << QString();
        QTest::newRow("MariaDB, complete")
            << QStringLiteral("mariadb") << QString::fromStdString(basedirIn("DYNO_TEST_MARIADB"));
        QTest::newRow("MySQL") << QStringLiteral("mysql") << QString::fromStdString(basedirIn("DYNO_TEST_MYSQL80"));
    }

    //! What a server lists with a path for its default, or under a name that means one, is in the table.
    void realServers()
    {
        QFETCH(QString, product);
        QFETCH(QString, basedir);
        const auto server = findServer({product.toStdString(), basedir.toStdString(), {}});
        if (!server)
            QSKIP(server.error().text().c_str());
        const auto options = optionsOf(*server);
        VERIFY_OK(options);
        QVERIFY((*options)->size() > 400);
        QCOMPARE(*optionsOf(*server), *options); // asked once
        QStringList missing;
        for (const auto& [name, value] : **options) {
            const bool path = value.find('/') != std::string::npos && name != "ft_boolean_syntax";
            if ((path || soundsDangerous(name)) && !refused("mysql", name))
                missing << QString::fromStdString(name + "=" + value);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
        // What the catalogue says of this server can be set: it is listed.
        for (const KnobInfo& knob : knobCatalog()) {
            if (knob.driver != "mysql" || knob.scope != "server" || isOurs(knob.option.name))
                continue;
            const auto edition = editionFor(knob, server->name, server->version);
            const bool plugin = (product == u"mysql" && knob.option.name.starts_with("thread_pool_")) ||
                                knob.option.name.starts_with("rocksdb_");
            if (edition && !plugin && edition->name != "tx_isolation")
                QVERIFY2((*options)->contains(edition->name), edition->name.c_str());
        }
    }
};

} // namespace dyno::tst_never_knobs

DYNO_SUITE(tst_never_knobs, dyno::tst_never_knobs::TestNeverKnobs)
#include "tst_never_knobs.moc"
