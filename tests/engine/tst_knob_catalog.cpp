// SPDX-License-Identifier: GPL-3.0-or-later
// The knob catalogue and the comparison of values.
#include "driver/driver.h"
#include "load/target/kept_server.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "server/remote/remote_knobs.h"
#include "support/suite.h"

#include <dyno/plan.h>

#include <QTest>

#include <set>

namespace dyno::tst_knob_catalog {

class TestKnobCatalog : public QObject
{
    Q_OBJECT
private slots:
    void shippedFilesHaveNoFaults();
    void everyKnobExplainsItself();
    void hasTheDurabilityKnobs();
    void connectionKnobsComeFromDrivers();
    void allFaultsWithTheirLines();
    void damagedToml();
    void twiceIsAFault();
    void notesAreApplied();
    void editions_data();
    void editions();
    void editionFaults();
    void hasTheIssuesKnobs();
    void knobsOfMongodb();
    void namesOfAServer();
    void partsOfAText_data();
    void partsOfAText();
    void partsInTheTextOfAServer();
    void decidedAtStartByServerNames();
    void shortNames();
    void sameSetting_data();
    void sameSetting();
};

void TestKnobCatalog::shippedFilesHaveNoFaults()
{
    for (const Fault& fault : knobCatalogFaults())
        QFAIL(qPrintable(QString::fromStdString(fault.where + ":" + std::to_string(fault.line) + ": " + fault.what)));
    QVERIFY(!knobCatalog().empty());
}

void TestKnobCatalog::everyKnobExplainsItself()
{
    std::set<std::string> seen;
    for (const KnobInfo& knob : knobCatalog()) {
        const std::string name = knob.driver + "." + knob.scope + "." + knob.option.name;
        QVERIFY2(seen.insert(name).second, name.c_str());
        QVERIFY2(!knob.option.label.empty() && knob.option.help.size() > 20, name.c_str());
        QVERIFY2(knob.option.help.back() == '.', name.c_str());
        QVERIFY2(coerce(knob.option, knob.option.defaultValue), name.c_str());
        if (knob.scope == "server")
            QVERIFY2(!knob.manual.empty(), name.c_str());
    }
}

void TestKnobCatalog::hasTheDurabilityKnobs()
{
    const KnobInfo* flush = findKnob("mysql", "server", "innodb_flush_log_at_trx_commit");
    QVERIFY(flush);
    QCOMPARE(flush->option.type, OptionType::Integer);
    QVERIFY(!flush->restart);
    QVERIFY(!flush->safety.empty());
    QVERIFY(!coerce(flush->option, std::int64_t(4)));
    const KnobInfo* binlog = findKnob("mysql", "server", "log_bin");
    QVERIFY(binlog && binlog->restart);
    QCOMPARE(binlog->option.type, OptionType::Bool);
    const KnobInfo* pool = findKnob("mysql", "server", "innodb_buffer_pool_size");
    QVERIFY(pool);
    QCOMPARE(*coerce(pool->option, std::string("1GiB")), Value(std::int64_t(1) << 30));
    QVERIFY(findKnob("mysql", "table", "engine")->initialisation);
    QVERIFY(!findKnob("mysql", "server", "no_such_knob"));
    QVERIFY(!findKnob("sqlite", "server", "log_bin"));
}

void TestKnobCatalog::connectionKnobsComeFromDrivers()
{
    for (Driver* driver : builtinDrivers()) {
        const DriverInfo info = driver->info();
        for (const OptionSpec& option : info.connection) {
            const KnobInfo* knob = findKnob(info.id, "connection", option.name);
            QVERIFY2(knob, option.name.c_str());
            QCOMPARE(knob->option.help, option.help);
        }
    }
    QVERIFY(findKnob("sqlite", "connection", "synchronous"));
}

void TestKnobCatalog::allFaultsWithTheirLines()
{
    Faults faults;
    const KnobFile file = parseKnobFile("driver = \"mysql\"\n" // 1
                                        "colour = 1\n"         // 2: unknown
                                        "[[knob]]\n"           // 3
                                        "scope = \"moon\"\n"   // 4: no such scope
                                        "name = \"a\"\n"       // 5
                                        "label = \"A\"\n"      // 6
                                        "help = \"Help.\"\n"   // 7
                                        "type = \"number\"\n"  // 8: no such type
                                        "default = 1\n"        // 9
                                        "restart = \"yes\"\n"  // 10: not a bool
                                        "[[knob]]\n"           // 11: no name
                                        "scope = \"server\"\n" // 12
                                        "label = \"B\"\n"      // 13
                                        "help = \"Help.\"\n"   // 14
                                        "type = \"integer\"\n" // 15
                                        "maximum = 5\n"        // 16
                                        "default = 6\n",       // 17: out of range
                                        "x.toml", faults);
    QCOMPARE(file.knobs.size(), std::size_t(2));
    std::multiset<int> lines;
    for (const Fault& fault : faults) {
        QVERIFY2(fault.where.find("x.toml") == 0, fault.where.c_str());
        QVERIFY(!fault.remedy.empty());
        lines.insert(fault.line);
    }
    QCOMPARE(lines, (std::multiset<int>{2, 4, 8, 10, 11, 17}));
}

void TestKnobCatalog::damagedToml()
{
    Faults faults;
    const KnobFile file = parseKnobFile("driver = \"mysql\"\n[[knob]\n", "x.toml", faults);
    QVERIFY(file.knobs.empty());
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().line, 2);
}

void TestKnobCatalog::twiceIsAFault()
{
    const std::string_view knob = "driver = \"mysql\"\n[[knob]]\nscope = \"server\"\nname = \"a\"\nlabel = \"A\"\n"
                                  "help = \"Help.\"\ntype = \"bool\"\ndefault = false\n";
    Faults faults;
    const KnobFile one = parseKnobFile(knob, "one.toml", faults);
    const KnobFile two = parseKnobFile(knob, "two.toml", faults);
    QVERIFY(faults.empty());
    static_cast<void>(buildKnobCatalog({one, two}, faults));
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().where, std::string("mysql.server.a"));
}

void TestKnobCatalog::notesAreApplied()
{
    Faults faults;
    const KnobFile file =
        parseKnobFile("driver = \"sqlite\"\n[[note]]\nscope = \"connection\"\nname = \"synchronous\"\n"
                      "safety = \"much\"\ninitialisation = true\n[[note]]\nscope = \"connection\"\n"
                      "name = \"nonsense\"\n",
                      "x.toml", faults);
    QVERIFY(faults.empty());
    const auto knobs = buildKnobCatalog({file}, faults);
    const auto knob = std::find_if(knobs.begin(), knobs.end(), [](const KnobInfo& k) {
        return k.driver == "sqlite" && k.option.name == "synchronous";
    });
    QVERIFY(knob != knobs.end());
    QCOMPARE(knob->safety, std::string("much"));
    QVERIFY(knob->initialisation);
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().line, 7);
}

void TestKnobCatalog::editions_data()
{
    QTest::addColumn<QString>("knob");
    QTest::addColumn<QString>("product");
    QTest::addColumn<QString>("version");
    QTest::addColumn<QString>("expected"); // "name restart default", "" = does not have it
    const auto row = [](const char* knob, const char* product, const char* version, const char* expected) {
        QTest::addRow("%s %s %s", knob, product, version) << knob << product << version << expected;
    };
    row("transaction_isolation", "MariaDB", "10.11.19-MariaDB-0+deb12u1", "tx_isolation false REPEATABLE-READ");
    row("transaction_isolation", "MariaDB", "5.5.5-10.11.19-MariaDB", "tx_isolation false REPEATABLE-READ");
    row("transaction_isolation", "MariaDB", "11.4.5-MariaDB", "transaction_isolation false REPEATABLE-READ");
    row("transaction_isolation", "MySQL", "5.7.19", "tx_isolation false REPEATABLE-READ");
    row("transaction_isolation", "MySQL", "5.7.29-log", "transaction_isolation false REPEATABLE-READ");
    row("innodb_doublewrite", "MariaDB", "10.11.19-MariaDB", "innodb_doublewrite true ON");
    row("innodb_doublewrite", "MariaDB", "11.4.5-MariaDB", "innodb_doublewrite false ON");
    row("innodb_doublewrite_pages", "MySQL", "8.0.31", "innodb_doublewrite_pages true 4");
    row("innodb_doublewrite_pages", "MySQL", "8.4.0", "innodb_doublewrite_pages true 128");
    row("innodb_doublewrite_pages", "MySQL", "8.0.15", "");
    row("innodb_doublewrite_pages", "MariaDB", "11.4.5-MariaDB", "");
    row("innodb_ft_cache_size", "MariaDB", "10.11.19-MariaDB", "innodb_ft_cache_size false 8000000");
    row("innodb_ft_cache_size", "MySQL", "8.0.31", "innodb_ft_cache_size true 8000000");
    row("rocksdb_block_cache_size", "MySQL", "8.0.31", "");
    row("innodb_log_file_size", "MySQL", "8.0.31", "innodb_log_file_size true 50331648");
    row("innodb_log_file_size", "mysql", "9.7.4", "");
    row("innodb_log_file_size", "mariadb", "10.11.19", "innodb_log_file_size false 100663296");
    row("innodb_redo_log_capacity", "MySQL", "8.0.29", "");
    row("innodb_redo_log_capacity", "Percona Server", "8.0.36-28", "innodb_redo_log_capacity false 104857600");
    row("innodb_redo_log_capacity", "MariaDB", "10.11.19-MariaDB", "");
    row("innodb_buffer_pool_instances", "MariaDB", "10.5.9-MariaDB", "innodb_buffer_pool_instances true 1");
    row("innodb_buffer_pool_instances", "MariaDB", "10.6.0-MariaDB", "");
    row("innodb_write_io_threads", "MariaDB", "10.11.2-MariaDB", "innodb_write_io_threads false 4");
    row("innodb_write_io_threads", "MariaDB", "10.6.12-MariaDB", "innodb_write_io_threads true 4");
    row("sync_binlog", "MySQL", "5.6.24", "sync_binlog false 0");
    row("sync_binlog", "MySQL", "8.0.31", "sync_binlog false 1");
    // Nothing is known of the server: as the catalogue has it.
    row("sync_binlog", "", "", "sync_binlog false 0");
    row("query_cache_type", "MySQL", "", "query_cache_type false OFF");
}

void TestKnobCatalog::editions()
{
    QFETCH(QString, knob);
    QFETCH(QString, product);
    QFETCH(QString, version);
    QFETCH(QString, expected);
    const KnobInfo* info = findKnob("mysql", "server", knob.toStdString());
    QVERIFY(info);
    const auto edition = editionFor(*info, product.toStdString(), version.toStdString());
    QString text;
    if (edition)
        text = QString::fromStdString(edition->name + (*edition->restart ? " true " : " false ") +
                                      toText(*edition->defaultValue));
    QCOMPARE(text, expected);
}

void TestKnobCatalog::editionFaults()
{
    Faults faults;
    const KnobFile file = parseKnobFile("driver = \"mysql\"\n"                          // 1
                                        "[[knob]]\n"                                    // 2
                                        "scope = \"server\"\n"                          // 3
                                        "name = \"a\"\n"                                // 4
                                        "label = \"A\"\n"                               // 5
                                        "help = \"Help.\"\n"                            // 6
                                        "type = \"integer\"\n"                          // 7
                                        "maximum = 5\n"                                 // 8
                                        "default = 1\n"                                 // 9
                                        "values = [\"2\", \"nine\"]\n"                  // 10
                                        "editions = [\n"                                // 11
                                        "  { product = \"mariadb\", default = 6 },\n"   // 12
                                        "  { product = \"oracle\" },\n"                 // 13
                                        "  { product = \"mysql\", since = \"new\" },\n" // 14
                                        "  { since = \"5.6\", colour = 1 },\n"          // 15, twice
                                        "]\n"
                                        "[[knob]]\n"           // 17
                                        "scope = \"server\"\n" // 18
                                        "name = \"b\"\n"
                                        "label = \"B\"\n"
                                        "help = \"Help.\"\n"
                                        "type = \"bool\"\n"
                                        "default = true\n"
                                        "editions = \"all\"\n", // 24
                                        "x.toml", faults);
    QCOMPARE(file.knobs.size(), std::size_t(2));
    std::multiset<int> lines;
    for (const Fault& fault : faults) {
        QVERIFY2(fault.where.starts_with("x.toml: knob["), fault.where.c_str());
        QVERIFY(!fault.what.empty() && !fault.remedy.empty());
        lines.insert(fault.line);
    }
    // The missing product is two faults: it is missing, and "" is none.
    QCOMPARE(lines, (std::multiset<int>{10, 12, 13, 14, 15, 15, 15, 24}));
}

void TestKnobCatalog::hasTheIssuesKnobs()
{
    for (const char* name : {"innodb_flush_log_at_trx_commit",
                             "sync_binlog",
                             "log_bin",
                             "binlog_format",
                             "binlog_row_image",
                             "innodb_doublewrite",
                             "innodb_flush_method",
                             "innodb_buffer_pool_size",
                             "innodb_buffer_pool_instances",
                             "innodb_log_file_size",
                             "innodb_redo_log_capacity",
                             "innodb_log_buffer_size",
                             "innodb_io_capacity",
                             "innodb_io_capacity_max",
                             "innodb_read_io_threads",
                             "innodb_write_io_threads",
                             "innodb_page_cleaners",
                             "innodb_adaptive_hash_index",
                             "innodb_change_buffering",
                             "innodb_adaptive_flushing",
                             "innodb_purge_threads",
                             "innodb_max_dirty_pages_pct",
                             "innodb_max_dirty_pages_pct_lwm",
                             "innodb_flush_neighbors",
                             "innodb_lru_scan_depth",
                             "innodb_checksum_algorithm",
                             "innodb_spin_wait_delay",
                             "innodb_sync_spin_loops",
                             "thread_handling",
                             "thread_pool_size",
                             "thread_pool_max_threads",
                             "performance_schema",
                             "query_cache_type",
                             "query_cache_size",
                             "binlog_group_commit_sync_delay",
                             "encryption",
                             "innodb_encrypt_tables",
                             "innodb_encrypt_log",
                             "encrypt_binlog",
                             "encrypt_tmp_files",
                             "innodb_redo_log_encrypt",
                             "innodb_doublewrite_pages",
                             "innodb_doublewrite_files",
                             "binlog_group_commit_sync_no_delay_count",
                             "binlog_order_commits",
                             "binlog_transaction_compression",
                             "innodb_buffer_pool_dump_at_shutdown",
                             "innodb_buffer_pool_load_at_startup",
                             "innodb_buffer_pool_dump_pct",
                             "key_buffer_size",
                             "aria_pagecache_buffer_size",
                             "large_pages",
                             "innodb_log_write_ahead_size",
                             "innodb_log_file_buffering",
                             "innodb_purge_batch_size",
                             "innodb_max_purge_lag",
                             "innodb_max_purge_lag_delay",
                             "innodb_undo_log_truncate",
                             "innodb_max_undo_log_size",
                             "innodb_flush_sync",
                             "innodb_adaptive_hash_index_parts",
                             "innodb_autoinc_lock_mode",
                             "innodb_ft_min_token_size",
                             "innodb_ft_max_token_size",
                             "innodb_ft_cache_size",
                             "innodb_ft_total_cache_size",
                             "innodb_ft_result_cache_limit",
                             "innodb_ft_sort_pll_degree",
                             "innodb_ft_enable_stopword",
                             "innodb_ft_num_word_optimize",
                             "ft_min_word_len",
                             "ft_max_word_len",
                             "thread_pool_oversubscribe",
                             "thread_pool_idle_timeout",
                             "thread_pool_prio_kickup_timer",
                             "thread_pool_priority",
                             "optimizer_switch",
                             "rocksdb_block_cache_size",
                             "rocksdb_flush_log_at_trx_commit",
                             "rocksdb_allow_concurrent_memtable_write",
                             "rocksdb_default_cf_options"}) {
        const KnobInfo* knob = findKnob("mysql", "server", name);
        QVERIFY2(knob, name);
        QVERIFY2(!knob->values.empty(), name);
    }
    for (const char* name : {"engine", "row_format", "key_block_size", "page_compressed", "page_compression_level",
                             "compression", "partitions", "character_set"}) {
        const KnobInfo* knob = findKnob("mysql", "table", name);
        QVERIFY2(knob && !knob->values.empty() && knob->initialisation, name);
    }
    for (const char* name : {"transparent_hugepage", "cpu_governor", "io_scheduler"}) {
        QVERIFY2(findKnob("mysql", "host", name), name);
        QVERIFY2(findKnob("sqlite", "host", name), name);
    }
    for (const KnobInfo& knob : knobCatalog()) {
        const KnobInfo* other =
            knob.replacement.empty() ? nullptr : findKnob(knob.driver, knob.scope, knob.replacement);
        QVERIFY2(knob.replacement.empty() || other, knob.option.name.c_str());
    }
}

void TestKnobCatalog::knobsOfMongodb()
{
    for (const char* name :
         {"cacheSizeGB", "blockCompressor", "journalCompressor", "journalCommitInterval", "syncPeriodSecs",
          "enableEncryption", "networkMessageCompressors", "directoryPerDB", "oplogSizeMB"}) {
        const KnobInfo* knob = findKnob("mongodb", "server", name);
        QVERIFY2(knob && !knob->values.empty(), name);
        QVERIFY2(editionFor(*knob, "MongoDB", "7.0.14"), name);
        QVERIFY2(editionFor(*knob, "Percona Server for MongoDB", "7.0.14-8"), name);
        QVERIFY2(!editionFor(*knob, "FerretDB", "1.24.0"), name);
    }
    QVERIFY(findKnob("mongodb", "server", "cacheSizeGB")->restart);
    QVERIFY(!findKnob("mongodb", "server", "journalCommitInterval")->restart);
    QVERIFY(!editionFor(*findKnob("mongodb", "server", "sqlite_synchronous"), "MongoDB", "7.0.14"));
    QVERIFY(editionFor(*findKnob("mongodb", "server", "sqlite_synchronous"), "FerretDB", "v1.24.0"));
    QVERIFY(!editionFor(*findKnob("mongodb", "server", "journal"), "MongoDB", "6.1.0"));
    const auto tickets =
        serverNames("mongodb", {{"wiredTigerConcurrentReadTransactions", std::int64_t(32)}}, "MongoDB", "8.0.4");
    QVERIFY(tickets && tickets->contains("storageEngineConcurrentReadTransactions"));
    const auto table = serverEdition("mongodb", "table", "block_compressor", "FerretDB", "1.24.0");
    QVERIFY(!table);
    QCOMPARE(table.error().message, std::string("FerretDB 1.24.0 has no block_compressor (it is in MongoDB)"));
    const KnobInfo* blocks = findKnob("mongodb", "table", "block_compressor");
    QVERIFY(blocks->initialisation && blocks->option.affectsData);
}

void TestKnobCatalog::namesOfAServer()
{
    const auto named =
        serverNames("mysql", {{"tx_isolation", std::string("SERIALIZABLE")}, {"zzz_free", true}}, "MySQL", "8.0.31");
    QVERIFY(named);
    QCOMPARE(textOf(*named, "transaction_isolation"), std::string("SERIALIZABLE"));
    QVERIFY(named->contains("zzz_free"));
    const auto missing =
        serverNames("mysql", {{"innodb_log_file_size", std::int64_t(1) << 26}, {"query_cache_size", std::int64_t(0)}},
                    "MySQL", "9.7.4");
    QVERIFY(!missing);
    QCOMPARE(missing.error().kind, ErrorKind::BadInput);
    const std::string text = missing.error().text();
    for (const char* part :
         {"innodb_log_file_size", "innodb_redo_log_capacity", "query_cache_size", "9.7.4", "MariaDB"})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    const auto twice = serverNames(
        "mysql",
        {{"tx_isolation", std::string("SERIALIZABLE")}, {"transaction_isolation", std::string("SERIALIZABLE")}},
        "MariaDB", "10.11.1");
    QVERIFY(!twice);
}

void TestKnobCatalog::partsOfAText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("joined"); // "": refused
    const auto row = [](const char* name, const char* value, const char* joined) {
        QTest::addRow("%s=%s", name, value) << name << value << joined;
    };
    row("rocksdb_write_buffer_size", "2M", "compaction_pri=kByCompensatedSize;write_buffer_size=2097152");
    row("rocksdb_compression", "kZSTD", "compaction_pri=kByCompensatedSize;compression=kZSTD");
    row("rocksdb_compression", "kZSTD;env=x", "");
    row("rocksdb_write_buffer_size", "2M;env=x", "");
    row("rocksdb_write_buffer_size", "1", "");
    row("rocksdb_default_cf_options", "compression=kZSTD", "");
}

//! Each has its own limits, so nothing else comes into the text; the text itself excludes them.
void TestKnobCatalog::partsOfAText()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, joined);
    const Settings wanted{{"rocksdb_compaction_pri", std::string("kByCompensatedSize")},
                          {"rocksdb_stats_level", std::int64_t(4)},
                          {name.toStdString(), value.toStdString()}};
    const auto named = serverNames("mysql", wanted, "MariaDB", "10.11.19");
    QCOMPARE(named.has_value(), !joined.isEmpty());
    if (named) {
        QCOMPARE(named->size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(textOf(*named, "rocksdb_default_cf_options")), joined);
        QVERIFY(knobChanges({*named, {}}, "mysql", wanted).empty()); // a kept server started with just these
        return;
    }
    QVERIFY(named.error().text().find(name.toStdString()) != std::string::npos);
    Plan plan;
    plan.title = "Parts";
    plan.target.uri = "managed:mariadb";
    plan.workload.name = "oltp_point_select";
    plan.set["server.rocksdb_compaction_pri"] = std::string("kByCompensatedSize");
    QVERIFY(checkPlan(plan).empty());
    Axis axis{"options", {{"one", {{"server." + name.toStdString(), value.toStdString()}}}}};
    plan.axes.push_back(axis);
    const Faults faults = checkPlan(plan);
    QCOMPARE(faults.size(), std::size_t(1));
    QVERIFY((faults.front().where + faults.front().what).find(name.toStdString()) != std::string::npos);
}

//! What else a server that somebody else runs has in its text stays there.
void TestKnobCatalog::partsInTheTextOfAServer()
{
    const char* const text = "compression=kZSTD;table={block_size=4k;filter={bits=10;};} ; write_buffer_size=1M;";
    QCOMPARE(textWithOptions(text, "compression=kLZ4;filter=none;write_buffer_size=2M"),
             std::string("compression=kLZ4;table={block_size=4k;filter={bits=10;};};write_buffer_size=2M;filter=none"));
    QCOMPARE(textWithOptions("", "compression=kLZ4"), std::string("compression=kLZ4"));
    QCOMPARE(textWithOptions("b=1;a=2", "a=2"), std::string("b=1;a=2"));
    QCOMPARE(textWithOptions("b=1;a={c=2", "b=3"), std::string("b=3;a={c=2")); // never ends
    QCOMPARE(textWithOptions("b=1;}a=2;c=3", "c=4"), std::string("b=1;}a=2;c=4"));
}

//! Under the names that the server has: a knob of another server that is called so does not count.
void TestKnobCatalog::decidedAtStartByServerNames()
{
    const auto decided = [](std::string_view name, const Settings& settings) {
        return decidedAtStart("mysql", name, settings, "MariaDB", "10.11.19");
    };
    QCOMPARE(decided("innodb_io_capacity", {}), std::vector<std::string>{"innodb_io_capacity_max"});
    QVERIFY(decided("innodb_io_capacity", {{"innodb_io_capacity_max", std::int64_t(9)}}).empty());
    QVERIFY(decided("innodb_io_capacity_max", {}).empty());
    QVERIFY(decided("no_such_variable", {}).empty());
    QVERIFY(decidedAtStart("sqlite", "innodb_io_capacity", {}, "MariaDB", "10.11.19").empty());
}

void TestKnobCatalog::shortNames()
{
    QCOMPARE(shortVariableName("innodb_flush_log_at_trx_commit"), std::string_view("trx_commit"));
    QCOMPARE(shortVariableName("innodb_buffer_pool_size"), std::string_view("buffer_pool_size"));
    QCOMPARE(shortVariableName("performance_schema"), std::string_view("schema"));
    QCOMPARE(shortVariableName("sync_binlog"), std::string_view("sync_binlog"));
    QCOMPARE(shortVariableName("innodb_"), std::string_view("innodb_"));
}

void TestKnobCatalog::sameSetting_data()
{
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<QString>("actual");
    QTest::addColumn<bool>("same");
    const auto row = [](const char* wanted, const char* actual, bool same) {
        QTest::addRow("%s / %s", wanted, actual) << wanted << actual << same;
    };
    row("true", "ON", true);
    row("on", "1", true);
    row("1", "ON", true);
    row("false", "OFF", true);
    row("0", "OFF", true);
    row("true", "OFF", false);
    row("2", "ON", false);
    row("90", "90.000000", true);
    row("90.5", "90.000000", false);
    row("64M", "67108864", true);
    row("67108864", "67108864", true);
    row("100M", "134217728", false);
    row("row", "ROW", true);
    row("MIXED", "ROW", false);
    row("", "", true);
    row("", "ON", false);
    row("index_merge=off,mrr=on", "index_merge=off,mrr=on,mrr_cost_based=off", true);
    row("index_merge=on", "index_merge=off,mrr=on", false);
    row("index_merge=on", "mrr=on,index_merge=on", true);
    row("ANSI,STRICT_ALL_TABLES", "STRICT_ALL_TABLES,ANSI", true);
    row("ANSI_QUOTES,NO_ZERO_DATE", "ansi_quotes,no_zero_date", true);
    row("NO_ZERO_DATE,STRICT_ALL_TABLES", "NO_ZERO_DATE,STRICT_ALL_TABLES,ANSI_QUOTES", false);
    row("NO_ZERO_DATE,STRICT_ALL_TABLES,ANSI_QUOTES", "NO_ZERO_DATE,STRICT_ALL_TABLES", false);
    row("ANSI_QUOTES", "ANSI_QUOTES,NO_ZERO_DATE", false);
    row("", "ANSI_QUOTES,NO_ZERO_DATE", false);
    row("ANSI_QUOTES,NO_ZERO_DATE", "", false);
    row("9223372036854775807", "9223372036854775807", true);
}

void TestKnobCatalog::sameSetting()
{
    QFETCH(QString, wanted);
    QFETCH(QString, actual);
    QFETCH(bool, same);
    QCOMPARE(dyno::sameSetting(parseValue(wanted.toStdString()), actual.toStdString()), same);
    QCOMPARE(dyno::sameSetting(Value(wanted.toStdString()), actual.toStdString()), same);
}

} // namespace dyno::tst_knob_catalog

DYNO_SUITE(tst_knob_catalog, dyno::tst_knob_catalog::TestKnobCatalog)
#include "tst_knob_catalog.moc"
