// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/tour_servers.h"

namespace dyno::gui {

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

ServerProgram program(const char* product, const char* name, const char* version, const char* build, const char* folder)
{
    ServerProgram made;
    made.product = product;
    made.name = name;
    made.version = version;
    made.build = build;
    made.program = *folder ? std::string(folder) + "/bin/mysqld" : std::string("/usr/sbin/mariadbd");
    made.basedir = folder;
    made.uri = std::string("managed:") + product + (*folder ? std::string("?basedir=") + folder : std::string());
    return made;
}

ServerInstance instance(const char* name, const char* product, const char* version, InstanceState state,
                        std::uint64_t bytes)
{
    ServerInstance made;
    made.name = name;
    made.product = product;
    made.version = version;
    made.state = state;
    made.named = true;
    made.uri = std::string("managed:") + product + "?name=" + name;
    made.folder = std::string("~/.local/share/dynobench/instances/") + name;
    made.bytes = bytes;
    if (state == InstanceState::Running) {
        made.process = 41277;
        made.socket = made.folder.string() + "/s";
    }
    return made;
}

VariableRow variable(const char* name, const char* value, const char* usual, bool dynamic, const char* label)
{
    VariableRow row;
    row.state = {name, value, usual, *label != 0, dynamic};
    row.label = QString::fromLatin1(label);
    const QString text = QString::fromLatin1(name);
    row.bytes = text.endsWith(QStringLiteral("_size")) && text.startsWith(QStringLiteral("innodb"));
    return row;
}

VariableRows variables()
{
    return {
        variable("innodb_buffer_pool_size", "2147483648", "134217728", true, "Buffer pool"),
        variable("innodb_doublewrite", "OFF", "ON", false, "Doublewrite"),
        variable("innodb_flush_log_at_trx_commit", "2", "1", true, "Flush redo log at commit"),
        variable("innodb_flush_method", "O_DIRECT_NO_FSYNC", "O_DIRECT", false, "Flush method"),
        variable("innodb_io_capacity", "4000", "200", true, "I/O capacity"),
        variable("innodb_io_capacity_max", "8000", "2000", true, "Max I/O capacity"),
        variable("innodb_log_file_size", "1073741824", "100663296", true, "Redo log size"),
        variable("innodb_write_io_threads", "8", "4", false, "Write threads"),
        variable("log_bin", "ON", "OFF", false, "Binary log"),
        variable("max_connections", "1024", "151", true, ""),
        variable("performance_schema", "ON", "OFF", false, "Performance schema"),
        variable("socket", "~/.local/share/dynobench/instances/shop/s", "/run/mysqld/mysqld.sock", false, ""),
        variable("sync_binlog", "1", "0", true, "Flush binary log"),
        variable("table_open_cache", "4000", "2000", true, ""),
        variable("innodb_adaptive_hash_index", "OFF", "OFF", true, "Adaptive hash index"),
        variable("innodb_purge_threads", "4", "4", false, "Purge threads"),
        variable("query_cache_type", "OFF", "OFF", true, "Query cache"),
        variable("thread_handling", "one-thread-per-connection", "one-thread-per-connection", false, "Thread handling"),
    };
}

InstanceView view()
{
    InstanceView made;
    made.parts = {{"table", "sbtest.sbtest1", 248 * kMiB},
                  {"table", "sbtest.sbtest2", 246 * kMiB},
                  {"table", "sbtest.sbtest3", 246 * kMiB},
                  {"table", "sbtest.sbtest4", 246 * kMiB},
                  {"redo log", "", 1024 * kMiB},
                  {"binlog", "", 312 * kMiB},
                  {"undo log", "", 30 * kMiB},
                  {"system", "", 76 * kMiB},
                  {"temporary", "", 12 * kMiB},
                  {"other", "", 9 * kMiB}};
    made.log = QStringLiteral(
        "2026-11-20 15:12:08 0 [Note] InnoDB: Using Linux native AIO\n"
        "2026-11-20 15:12:08 0 [Note] InnoDB: Initializing buffer pool, total size = 2.000GiB, chunk size = 32.000MiB\n"
        "2026-11-20 15:12:08 0 [Note] InnoDB: Completed initialization of buffer pool\n"
        "2026-11-20 15:12:08 0 [Note] InnoDB: 128 rollback segments are active.\n"
        "2026-11-20 15:12:08 0 [Note] mariadbd: ready for connections.\n");
    return made;
}

} // namespace

ServerSnapshot sampleServers()
{
    ServerSnapshot snapshot;
    ServerList& list = snapshot.list;
    list.programs = {program("mariadb", "MariaDB", "10.11.19-MariaDB-0+deb12u1", "Debian 12, x86_64", ""),
                     program("mysql", "MySQL", "8.0.31", "MySQL Community Server - GPL", "/opt/mysql-8.0.31"),
                     program("mysql", "MySQL", "5.7.29", "MySQL Community Server - GPL", "/opt/mysql-5.7.29")};
    list.instances = {instance("shop", "mariadb", "10.11.19-MariaDB", InstanceState::Running, 2449 * kMiB),
                      instance("shop-8", "mysql", "8.0.31", InstanceState::Stopped, 1310 * kMiB),
                      instance("scratch", "mariadb", "10.11.19-MariaDB", InstanceState::Left, 182 * kMiB)};
    list.remotes.servers = {
        {"mysql://bench@db1:3306/sbtest", "db1", true, "", ""},
        {"mysql://bench@lab-7:3307/sbtest", "lab 7, NVMe", false, "ssh lab-7 apply", "ssh lab-7 restart"}};
    RemoteState db1;
    db1.facts = ServerFacts{"MySQL", "8.0.36", "TCP", "TLS_AES_256_GCM_SHA384", false, 0.41, {}};
    snapshot.remotes["mysql://bench@db1:3306/sbtest"] = db1;
    snapshot.selected = ServerListModel::keyOf(list.instances.front());
    snapshot.variables = variables();
    snapshot.view = view();
    return snapshot;
}

} // namespace dyno::gui
