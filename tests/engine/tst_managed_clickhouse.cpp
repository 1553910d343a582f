// SPDX-License-Identifier: GPL-3.0-or-later
// ClickHouse as a managed server, and the catalogue of its settings: the server below DYNO_TEST_CLICKHOUSE, else one of
// the system.
#include "driver/clickhouse/server/clickhouse_recipes.h"
#include "driver/clickhouse/server/clickhouse_server.h"
#include "driver/clickhouse/server/server_config.h"
#include "driver/preflight_list.h"
#include "managed_test.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_values.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QProcess>
#include <QTemporaryDir>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace dyno::tst_managed_clickhouse {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

using Query = std::map<std::string, std::string, std::less<>>;

//! The folder of the program that ./test has unpacked; "" when it has not.
std::string basedir()
{
    return fs::path(basedirIn("DYNO_TEST_CLICKHOUSE")).parent_path().string();
}

Query query(Query more = {})
{
    if (const std::string folder = basedir(); !folder.empty())
        more.emplace("basedir", folder);
    return more;
}

std::string whyMissing()
{
    if (!driverFor("clickhouse"))
        return "this build has no ClickHouse driver";
    const auto found = findServer(wishOf(managedUri("clickhouse", query())));
    return found ? std::string() : found.error().text() + "; or set DYNO_TEST_CLICKHOUSE";
}

bool closedToOthers(const fs::path& path)
{
    const auto others = fs::perms::group_all | fs::perms::others_all;
    return (fs::status(path).permissions() & others) == fs::perms::none;
}

std::string firstValue(Admin& admin, const std::string& text)
{
    const auto rows = admin.query(text);
    if (!rows)
        return rows.error().text();
    return rows->empty() ? std::string("(no row)") : rows->front().front();
}

std::string settingOf(const ManagedServer& server, const char* table, const std::string& name)
{
    auto admin = adminOf(server);
    if (!admin)
        return admin.error().text();
    return firstValue(**admin, std::string("SELECT value FROM system.") + table + " WHERE name = '" + name + "'");
}

std::string textIn(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

//! A table t of 500 rows.
void makeRows(const ManagedServer& server)
{
    auto admin = adminOf(server);
    VERIFY_OK(admin);
    VERIFY_OK((*admin)->execute("CREATE TABLE t (i UInt64) ENGINE = MergeTree ORDER BY i"));
    VERIFY_OK((*admin)->execute("INSERT INTO t SELECT number FROM numbers(500)"));
}

std::string rowsOf(const ManagedServer& server)
{
    auto admin = adminOf(server);
    return admin ? firstValue(**admin, "SELECT count() FROM t") : admin.error().text();
}

} // namespace

class TestManagedClickhouse : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::string m_whyMissing;

    [[nodiscard]] fs::path work() const { return fs::path(m_dir.path().toStdString()) / "work"; }
    std::unique_ptr<ManagedServer> create(Query more = {})
    {
        auto server = ManagedServer::create(managedUri("clickhouse", query(std::move(more))), work());
        if (!server)
            qWarning("%s", server.error().text().c_str());
        return server ? std::move(*server) : nullptr;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // orphans become our children
        m_whyMissing = whyMissing();
    }

    void versionsAreRead_data()
    {
        QTest::addColumn<QByteArray>("output");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("build");
        QTest::newRow("new server") << QByteArray("ClickHouse server version 23.8.2.7 (official build).\n")
                                    << QByteArray("23.8.2.7") << QByteArray("official build");
        QTest::newRow("log of an old server")
            << QByteArray(
                   "2026.11.27 20:07:10.088135 [ 1 ] {} <Information> : Starting ClickHouse 18.16.1 with revision "
                   "54412\n")
            << QByteArray("18.16.1") << QByteArray();
        QTest::newRow("old server") << QByteArray("Unknown option specified: version\n") << QByteArray()
                                    << QByteArray();
        QTest::newRow("no version") << QByteArray("ClickHouse server version unknown\n") << QByteArray()
                                    << QByteArray();
    }
    void versionsAreRead()
    {
        QFETCH(QByteArray, output);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, build);
        const ServerBinaries read = readVersionLine(output.toStdString());
        QCOMPARE(QByteArray::fromStdString(read.version), version);
        QCOMPARE(read.recipe == &clickhouseRecipe(), !version.isEmpty());
        QCOMPARE(QByteArray::fromStdString(read.build), build);
    }

    void filesHaveTheirKind_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("table");
        const auto row = [](const char* file, const char* kind, const char* table = "") {
            QTest::newRow(file) << QByteArray(file) << QByteArray(kind) << QByteArray(table);
        };
        row("data/dyno/t/all_1_1_0/i.bin", "table", "t");
        row("data/other/t/all_1_1_0/i.bin", "table", "other.t");
        row("data/system/query_log/all_1_1_0/i.bin", "system");
        row("store/abc/abcdef01-2345/all_1_1_0/i.bin", "table", "(tables)");
        row("metadata/dyno/t.sql", "system");
        row("tmp/1", "temporary");
        row("status", "other");
    }
    void filesHaveTheirKind()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, table);
        const DataFile found = clickhouseFile(file.toStdString(), "dyno");
        QCOMPARE(QByteArray::fromStdString(found.kind), kind);
        QCOMPARE(QByteArray::fromStdString(found.table), table);
    }

    void errorsOfTheLogAreSeen()
    {
        const auto said = [](const char* line) { return std::string(clickhouseRecipe().errorIn(line)); };
        QCOMPARE(said("2026.11.27 19:36:36.153329 [ 20 ] {} <Error> Application: DB::Exception: no"),
                 std::string("Application: DB::Exception: no"));
        QCOMPARE(said("Poco::Exception. Code: 1000, e.displayText() = Not found: mark_cache_size"),
                 std::string("Poco::Exception. Code: 1000, e.displayText() = Not found: mark_cache_size"));
        QCOMPARE(said("2026.11.27 19:36:36.153329 [ 20 ] {} <Warning> Application: slow"), std::string());
        QCOMPARE(said("Logging warning to console"), std::string());
    }

    void limitsAreCounted()
    {
        const auto look = [](int users, Settings server) {
            PreflightNeeds needs;
            needs.users = users;
            needs.server = std::move(server);
            std::vector<PreflightItem> items;
            PreflightList list(items);
            clickhouseRecipe().preflight(nullptr, needs, {}, list);
            return items;
        };
        QCOMPARE(look(100, {}).size(), std::size_t(1)); // queries at once have no limit
        QVERIFY(look(100, {}).front().level == PreflightLevel::Ok);
        QVERIFY(look(4092, {}).front().level == PreflightLevel::Blocker);
        const auto both =
            look(40, {{"max_connections", std::int64_t(45)}, {"max_concurrent_queries", std::int64_t(44)}});
        QCOMPARE(both.size(), std::size_t(2));
        QVERIFY(both[0].level == PreflightLevel::Ok);
        QVERIFY(both[1].level == PreflightLevel::Blocker);
        QVERIFY2(both[1].remedy.find("server.max_concurrent_queries = 50") != std::string::npos,
                 both[1].remedy.c_str());
    }

    //! No value can become an element of its own, and only knobs of the catalogue are told.
    void configurationIsClosed()
    {
        ServerBinaries server;
        server.recipe = &clickhouseRecipe();
        server.name = "ClickHouse";
        server.version = "18.16.1";
        const ClickhouseNeeds needs{"/private <&>", 1234};
        const auto text = configText(server, needs, {{"mark_cache_size", std::string("64M")}});
        VERIFY_OK(text);
        QVERIFY(text->find("<mark_cache_size>67108864</mark_cache_size>") != std::string::npos);
        QVERIFY(text->find("<listen_host>127.0.0.1</listen_host>") != std::string::npos);
        QVERIFY(text->find("<path>/private &lt;&amp;>/data/</path>") != std::string::npos);
        QVERIFY(text->find("tcp_port") == std::string::npos);
        QVERIFY(text->find("<select_from_system_db_requires_grant>false<") != std::string::npos);
        QVERIFY(text->find("<yandex>") != std::string::npos);
        server.version = "24.3.1.1";
        QVERIFY(configText(server, needs, {})->find("<clickhouse>") != std::string::npos);
        for (const char* name : {"listen_host", "path", "user_files_path", "tcp_port", "dictionaries_config", "no_such",
                                 "profiles", "x></a><b"})
            VERIFY_SAYS(configText(server, needs, {{name, std::string("1")}}), "there is no knob");
        VERIFY_SAYS(configText(server, needs, {{"mark_cache_sizes", std::int64_t(1)}}), "did you mean mark_cache_size");
        VERIFY_SAYS(configText(server, needs, {{"max_threads", std::string("1</max_threads><x>")}}), "max_threads");
        VERIFY_SAYS(configText(server, needs, {{"index_granularity", std::int64_t(0)}}), "index_granularity");
        VERIFY_SAYS(configText(server, needs, {{"compression_level", std::int64_t(3)}}), "compression_method");
        const std::string users = usersText(
            server, {{"max_threads", std::int64_t(3)}, {"use_uncompressed_cache", true}}, std::string(64, 'a'));
        QVERIFY(users.find("<max_threads>3</max_threads>") != std::string::npos);
        QVERIFY(users.find("<use_uncompressed_cache>1</use_uncompressed_cache>") != std::string::npos);
        QVERIFY(users.find("<password_sha256_hex>" + std::string(64, 'a')) != std::string::npos);
    }

    void startsWithItsKnobs()
    {
        if (!m_whyMissing.empty())
            QSKIP(m_whyMissing.c_str());
        const auto server = create();
        QVERIFY(server);
        QCOMPARE(server->binaries().name, std::string("ClickHouse"));
        VERIFY_OK(server->ensure({{"max_threads", std::int64_t(1)},
                                  {"max_memory_usage", std::string("2G")},
                                  {"mark_cache_size", std::string("64M")},
                                  {"index_granularity", std::int64_t(1024)}}));
        QCOMPARE(settingOf(*server, "settings", "max_threads"), std::string("1"));
        QCOMPARE(settingOf(*server, "settings", "max_memory_usage"), std::to_string(std::int64_t(2) << 30));
        QCOMPARE(settingOf(*server, "merge_tree_settings", "index_granularity"), std::string("1024"));
        QCOMPARE(settingOf(*server, "merge_tree_settings", "old_parts_lifetime"), std::string("1"));
        QVERIFY(server->optionFile().find("<max_threads>1</max_threads>") != std::string::npos);
        makeRows(*server);
        // Settled, it has one part, and those that became it are gone.
        {
            auto settling = adminOf(*server);
            VERIFY_OK(settling);
            VERIFY_OK((*settling)->execute("INSERT INTO t SELECT number FROM numbers(500, 10)"));
            VERIFY_OK((*settling)->settle({"t"}));
            QCOMPARE(firstValue(**settling, "SELECT count() FROM system.parts WHERE table = 't'"), std::string("1"));
            VERIFY_OK((*settling)->execute("DROP TABLE t"));
        }
        makeRows(*server);
        std::map<std::string, std::uint64_t> parts;
        for (const DataPart& part : server->dataParts())
            parts[part.kind + " " + part.name] += part.bytes;
        QVERIFY(parts["table t"] > 0 || parts["table (tables)"] > 0);

        // Nobody else looks in.
        const fs::path folder = server->folder();
        QVERIFY(closedToOthers(folder));
        const TargetUri uri = server->connectUri();
        QCOMPARE(uri.host, std::string("127.0.0.1"));
        QVERIFY(uri.password.size() > 60);
        for (const char* file : {"config.xml", "users.xml", "error.log"})
            QVERIFY2(textIn(folder / file).find(uri.password) == std::string::npos, file);
        QVERIFY(server->optionFile().find(uri.password) == std::string::npos);
        for (const char* user : {"default", "dyno", "nobody"}) {
            for (const char* password : {"", "guessed"}) {
                ConnectTarget stranger;
                stranger.uri = uri;
                stranger.uri.user = user;
                stranger.uri.password = password;
                QVERIFY2(!driverFor("clickhouse")->admin(stranger), user);
            }
        }
        // SQL of a plan gets neither at other databases nor at files.
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        for (const char* bad : {"CREATE DATABASE other", "SELECT * FROM file('../config.xml', 'TSV', 'a String')",
                                "SELECT * FROM file('/etc/passwd', 'TSV', 'a String')"})
            QVERIFY2(!(*admin)->query(bad), bad);
        admin->reset();

        // The same again changes nothing, and another value is there after a restart.
        const int first = server->process();
        const Settings same{{"max_threads", std::int64_t(1)},
                            {"max_memory_usage", std::string("2G")},
                            {"mark_cache_size", std::string("64M")},
                            {"index_granularity", std::int64_t(1024)}};
        VERIFY_OK(server->ensure(same));
        QCOMPARE(server->process(), first);
        Settings other = same;
        other["max_threads"] = std::int64_t(2);
        VERIFY_OK(server->ensure(other));
        QVERIFY(server->process() != first);
        QCOMPARE(settingOf(*server, "settings", "max_threads"), std::string("2"));
        QCOMPARE(rowsOf(*server), std::string("500"));
        QCOMPARE(server->connectUri().password, uri.password);

        // What parts are written with makes the data anew.
        const int number = server->dataFolderNumber();
        other["compression_method"] = std::string("zstd");
        VERIFY_OK(server->ensure(other));
        QCOMPARE(server->dataFolderNumber(), number + 1);
        QVERIFY(server->optionFile().find("<method>zstd</method>") != std::string::npos);
        VERIFY_OK(server->stop());
        QVERIFY(!server->running());
    }

    void copyComesBackAndACrashIsTold()
    {
        if (!m_whyMissing.empty())
            QSKIP(m_whyMissing.c_str());
        const auto server = create();
        QVERIFY(server);
        VERIFY_OK(server->ensure({}));
        makeRows(*server);
        VERIFY_OK(server->keepCopy());
        QVERIFY(!server->running());
        VERIFY_OK(server->ensure({}));
        VERIFY_OK((*adminOf(*server))->execute("DROP TABLE t"));
        VERIFY_OK(server->putBack());
        VERIFY_OK(server->ensure({}));
        QCOMPARE(rowsOf(*server), std::string("500"));
        QCOMPARE(::kill(server->process(), SIGKILL), 0);
        const std::string how = server->endedBy(std::chrono::milliseconds(kPatienceMs));
        QVERIFY2(how.find("killed by signal 9") != std::string::npos, how.c_str());
        VERIFY_OK(server->ensure({}));
        QCOMPARE(rowsOf(*server), std::string("500"));
    }

    void namedServerStays()
    {
        if (!m_whyMissing.empty())
            QSKIP(m_whyMissing.c_str());
        {
            const auto server = create({{"name", "kept"}});
            QVERIFY(server);
            VERIFY_OK(server->ensure({}));
            makeRows(*server);
        }
        ManagedInstances instances(work());
        const auto again = create({{"name", "kept"}});
        QVERIFY(again);
        QVERIFY(again->wasThere());
        VERIFY_OK(again->ensure({}));
        QCOMPARE(rowsOf(*again), std::string("500"));
        VERIFY_SAYS(again->ensure({{"compression_method", std::string("zstd")}}), "compression_method");
    }

    void killedOwnerLeavesNothingRunning()
    {
        if (!m_whyMissing.empty())
            QSKIP(m_whyMissing.c_str());
        const fs::path owned = work() / "owned";
        fs::create_directories(owned);
        QProcess owner;
        owner.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        owner.start(DYNO_SERVER_CHILD, {QString::fromStdString(owned.string()),
                                        QString::fromStdString("managed:clickhouse" +
                                                               (basedir().empty() ? "" : "?basedir=" + basedir()))});
        QVERIFY(owner.waitForReadyRead(4 * kPatienceMs));
        const fs::path folder = QString::fromUtf8(owner.readLine()).trimmed().toStdString();
        const pid_t pid = serverPid(folder);
        QVERIFY(processExists(pid));
        QCOMPARE(::kill(pid_t(owner.processId()), SIGKILL), 0);
        owner.waitForFinished(kPatienceMs);
        int status = 0; // the server is ours now: this returns when it is dead
        QVERIFY(QTest::qWaitFor([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, kPatienceMs));
        QVERIFY(fs::exists(folder));
        VERIFY_OK(ManagedServer::create(managedUri("clickhouse", query()), owned));
        QVERIFY(!fs::exists(folder));
    }

    //! Names, places, kinds and defaults of the catalogue as the server at hand has them, and its values are taken.
    void catalogueAgainstTheServer()
    {
        if (!m_whyMissing.empty())
            QSKIP(m_whyMissing.c_str());
        const auto server = create();
        QVERIFY(server);
        VERIFY_OK(server->ensure({}));
        auto admin = adminOf(*server);
        VERIFY_OK(admin);
        const bool listsServer =
            firstValue(**admin, "SELECT count() FROM system.tables WHERE database = 'system' AND name = "
                                "'server_settings'") != "0";
        QStringList found;
        std::vector<Settings> rounds; // all of the first values at once, all of the second, …
        int compared = 0;
        for (const KnobInfo& knob : knobCatalog()) {
            if (knob.driver != "clickhouse" || knob.scope != "server")
                continue;
            const std::string& name = knob.option.name;
            const auto say = [&](const std::string& what) { found << QString::fromStdString(name + ": " + what); };
            const auto edition = editionFor(knob, "ClickHouse", server->binaries().version);
            for (std::size_t i = 0; edition && i < knob.values.size(); ++i) {
                const auto value = coerce(knob.option, parseValue(knob.values[i]));
                VERIFY_OK(value);
                if (rounds.size() <= i)
                    rounds.resize(i + 1);
                rounds[i].insert_or_assign(name, *value);
            }
            const KnobPlace place = knobPlaceOf(name);
            if (place == KnobPlace::Compression || (place == KnobPlace::Server && !listsServer))
                continue;
            const char* const table = place == KnobPlace::Queries  ? "settings"
                                      : place == KnobPlace::Tables ? "merge_tree_settings"
                                                                   : "server_settings";
            const auto rows =
                (*admin)->query(std::string("SELECT value FROM system.") + table + " WHERE name = '" + name + "'");
            VERIFY_OK(rows);
            if (rows->empty() != !edition.has_value()) {
                say(edition ? std::string("system.") + table + " has none" : "the server has it");
                continue;
            }
            if (!edition)
                continue;
            ++compared;
            // The number of cores, and what every managed server is told.
            if (name == "max_threads" || name == "old_parts_lifetime" || name == "max_connections" ||
                name == "mark_cache_size")
                continue;
            if (!sameSetting(*edition->defaultValue, rows->front().front()))
                say("its default is " + rows->front().front() + ", not " + toText(*edition->defaultValue));
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
        QVERIFY(compared > 15);
        admin->reset();
        for (std::size_t i = 1; i < rounds.size(); ++i) // what has fewer values keeps its last one
            rounds[i].insert(rounds[i - 1].begin(), rounds[i - 1].end());
        for (Settings& settings : rounds) {
            settings.insert_or_assign("mark_cache_size", std::string("64M"));
            VERIFY_OK(server->ensure(settings));
        }
    }
};

} // namespace dyno::tst_managed_clickhouse

DYNO_SUITE(tst_managed_clickhouse, dyno::tst_managed_clickhouse::TestManagedClickhouse)
#include "tst_managed_clickhouse.moc"
