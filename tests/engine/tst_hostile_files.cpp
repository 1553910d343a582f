// SPDX-License-Identifier: GPL-3.0-or-later
// .dyno files that somebody made to do harm, or that broke on their way. Each is made here from a good one, is refused
// or read without harm, and is left as it is.
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/file_content.h"
#include "support/long_form.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sqlite3.h>

namespace dyno::tst_hostile_files {
using dyno::test::contentOf;
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

//! With all that our own connections forbid allowed.
void change(const fs::path& file, const QByteArray& sql)
{
    sqlite3* handle = nullptr;
    if (sqlite3_open(file.c_str(), &handle) != SQLITE_OK)
        qFatal("cannot open %s", file.c_str());
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    char* problem = nullptr;
    if (sqlite3_exec(handle, sql.constData(), nullptr, nullptr, &problem) != SQLITE_OK)
        qFatal("%s", problem);
    sqlite3_close(handle);
}

} // namespace

class TestHostileFiles : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path m_library, m_good, m_bad;
    std::string m_id;

    //! Everything that a program does with a file it was given. True when all of it went well.
    static bool readAll(Library& library)
    {
        const auto list = library.sessions();
        if (!list)
            return false;
        bool good = true;
        for (const SessionInfo& one : *list) {
            const auto session = library.session(one.id);
            if (!session) {
                good = false;
                continue;
            }
            good = good && library.annotations(one.id) && library.namedViews(one.id);
            for (const StoredRun& run : session->runs) {
                good = bool(library.intervals(run.id)) && good;
                good = bool(library.events(run.id)) && good;
            }
        }
        return bool(library.search("a synchronous=FULL tag:x")) && good;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        m_library = m_dir.filePath("library.dynolib").toStdString();
        m_good = m_dir.filePath("good.dyno").toStdString();
        m_bad = m_dir.filePath("bad.dyno").toStdString();
        auto writer = must(SessionWriter::open(m_library));
        sample::Options options;
        options.intervals = 6;
        options.counters = true;
        m_id = sample::feed(*writer, options).id;
        QVERIFY(writer->flush());
        QVERIFY(must(Library::open(m_library, Library::Mode::ReadOnly))->exportSession(m_id, m_good));
    }

    void init()
    {
        fs::copy_file(m_good, m_bad, fs::copy_options::overwrite_existing);
        fs::remove(m_library);
        fs::remove(m_library.string() + "-wal");
        fs::remove(m_library.string() + "-shm");
    }

    void aGoodOneIsRead()
    {
        QVERIFY(readAll(*must(Library::open(m_bad, Library::Mode::ReadOnly))));
        QCOMPARE(must(must(Library::open(m_library, Library::Mode::ReadWrite))->importFile(m_bad)).size(),
                 std::size_t(1));
    }

    void schema_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* sql, const char* says) {
            QTest::newRow(name) << QByteArray(sql) << QByteArray(says);
        };
        row("trigger", "CREATE TRIGGER t AFTER UPDATE ON session BEGIN DELETE FROM run; END", "trigger t");
        row("view", "CREATE VIEW v AS SELECT * FROM session", "view v");
        row("view in place of a table",
            "ALTER TABLE session RENAME TO hidden; CREATE VIEW session AS SELECT * FROM hidden", "");
        row("endless view",
            "DROP TABLE tag; CREATE VIEW tag AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
            " SELECT n AS session, 0 AS idx, 'x' AS text FROM c",
            "view tag");
        row("virtual table", "CREATE VIRTUAL TABLE f USING fts5(x)", "table f");
        row("virtual table in place of ours", "DROP TABLE tag; CREATE VIRTUAL TABLE tag USING fts5(session, idx, text)",
            "");
        row("computed column", "ALTER TABLE tag ADD COLUMN x TEXT AS (printf('%1000000d', idx))", "table tag");
        row("index over an expression", "CREATE INDEX slow ON tag(length(printf('%1000000d', idx)))", "index slow");
        row("strange table", "CREATE TABLE payload(x)", "table payload");
        row("missing table", "DROP TABLE interval_op", "interval_op is missing");
        row("missing column", "ALTER TABLE run DROP COLUMN server_log", "table run");
        row("other types", "DROP TABLE tag; CREATE TABLE tag(session, idx, text)", "table tag");
        row("definition that is no SQL",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE tag(((((' WHERE name = 'tag'",
            "");
        row("root page of another table",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE"
            " name = 'run') WHERE name = 'interval'",
            "");
        row("old version with a new schema", "PRAGMA user_version = 2", "");
        row("version 0", "PRAGMA user_version = 0", "");
        row("negative version", "PRAGMA user_version = -1", "");
        row("newer version", "PRAGMA user_version = 99", "newer Dynobench");
        row("another program's", "PRAGMA application_id = 7", "another program");
    }
    void schema()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QByteArray, says);
        change(m_bad, sql);
        const std::string before = contentOf(m_bad);
        for (const Library::Mode mode : {Library::Mode::ReadOnly, Library::Mode::ReadWrite}) {
            const auto opened = Library::open(m_bad, mode);
            QVERIFY(!opened);
            QVERIFY2(opened.error().text().find(says.toStdString()) != std::string::npos,
                     opened.error().text().c_str());
            QVERIFY2(!opened.error().remedy.empty() && opened.error().where.find("bad.dyno") != std::string::npos,
                     opened.error().text().c_str());
        }
        auto library = must(Library::open(m_library, Library::Mode::ReadWrite));
        QVERIFY(!library->importFile(m_bad));
        QVERIFY(must(library->sessions()).empty());
        QVERIFY(contentOf(m_bad) == before);
    }

    //! What stands inside the tables may be anything: it is read without harm, and not taken into a library when it is
    //! wrong.
    void content_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<bool>("imported");
        const auto row = [](const char* name, const char* sql, bool imported = false) {
            QTest::newRow(name) << QByteArray(sql) << imported;
        };
        row("broken histogram", "UPDATE interval_op SET service = x'01789c' WHERE op = -1");
        row("histogram of noise", "UPDATE interval_op SET service = randomblob(400) WHERE op = -1");
        row("giant histogram",
            "UPDATE interval_op SET service = zeroblob(40000000) WHERE interval = 2 AND op = -1 AND run = 1");
        row("run of no point", "UPDATE run SET point = 4711 WHERE idx = 0");
        row("run of a negative point", "UPDATE run SET point = -1 WHERE idx = 0");
        row("summary of no point", "UPDATE run SET summary = json_set(summary, '$.point', 2000000000) WHERE idx = 0");
        row("summary of a negative point", "UPDATE run SET summary = json_set(summary, '$.point', -1) WHERE idx = 0");
        row("endless time", "UPDATE interval SET t_ns = 9223372036854775807 WHERE idx = 3");
        row("negative length", "UPDATE interval SET length_ns = -9223372036854775807 WHERE idx = 3");
        row("too many kinds", "WITH RECURSIVE c(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM c WHERE n < 5000)"
                              " INSERT INTO op SELECT 1, n, 'x', 'read' FROM c");
        row("deep JSON", "UPDATE run SET effective = replace(hex(zeroblob(100000)), '00', '[') WHERE idx = 0", true);
        row("deep objects",
            "UPDATE run SET effective = '{\"x\":' || replace(hex(zeroblob(200000)), '00', '[') || "
            "replace(hex(zeroblob(200000)), '00', ']') || ',\"device\":1}' WHERE idx = 0",
            true);
        row("JSON of other types",
            "UPDATE point SET spec = '{\"load\": 7, \"cases\": {\"a\": 1}, \"workload\": [1], \"target\": {}}'", true);
        row("numbers beyond range",
            "UPDATE run SET summary = '{\"tps\": 1e999, \"transactions\": -5, \"errors\": {\"x\": 1}}'", true);
        row("deep plan", "UPDATE session SET plan = replace(hex(zeroblob(100000)), '00', 'a.')", true);
        row("giant title", "UPDATE session SET title = hex(zeroblob(2000000))", true);
        row("text that is no UTF-8", "UPDATE session SET title = CAST(x'ff00fe80c0' AS TEXT)", true);
        row("strange status", "UPDATE session SET status = 'x', started_ms = -9223372036854775807", true);
        row("id of a path", "UPDATE session SET id = '../../../etc/passwd'", true);
        row("counter of an infinite value", "UPDATE counter_sample SET value = 9e999", true);
        row("huge users", "UPDATE interval SET users = 9223372036854775807", true);
    }
    void content()
    {
        QFETCH(QByteArray, sql);
        QFETCH(bool, imported);
        // Whoever makes a file can do without seals.
        change(m_bad, "DELETE FROM seal; UPDATE session SET seals = NULL; " + sql);
        const std::string before = contentOf(m_bad);
        if (auto opened = Library::open(m_bad, Library::Mode::ReadOnly)) {
            const bool whole = readAll(**opened);
            (void)(*opened)->check();
            if (!imported)
                QVERIFY(!whole || !must((*opened)->check()).problems.empty());
        }
        auto library = must(Library::open(m_library, Library::Mode::ReadWrite));
        const auto ids = library->importFile(m_bad);
        QVERIFY2(bool(ids) == imported, ids ? "was imported" : ids.error().text().c_str());
        if (imported)
            (void)readAll(*library);
        else
            QVERIFY(must(library->sessions()).empty());
        QVERIFY(contentOf(m_bad) == before);
    }

    //! A byte here and there, and a file cut anywhere: an error or a whole session, never a crash and never another
    //! state.
    void noise()
    {
        const std::string good = contentOf(m_good);
        Random random(11);
        const int rounds = 60 / test::everyOf();
        int refused = 0;
        for (int round = 0; round < rounds; ++round) {
            std::string bytes = good;
            if (round % 3 == 0)
                bytes.resize(random.uniform(0, bytes.size()));
            for (std::uint64_t i = random.uniform(1, 40); i > 0 && !bytes.empty(); --i) {
                // The first pages hold the definitions: half of the noise goes there.
                const std::size_t within = i % 2 ? std::min<std::size_t>(bytes.size(), 16384) : bytes.size();
                bytes[random.uniform(0, within - 1)] = static_cast<char>(random.uniform(0, 255));
            }
            std::ofstream(m_bad, std::ios::binary) << bytes;
            auto opened = Library::open(m_bad, Library::Mode::ReadOnly);
            if (!opened || !readAll(**opened))
                ++refused;
            QVERIFY(contentOf(m_bad) == bytes);
        }
        QVERIFY(refused > rounds / 2);
    }

    //! It cannot be read into memory just because it says so.
    void aSizeThatIsNotThere()
    {
        std::string bytes = contentOf(m_good);
        for (int i = 0; i < 4; ++i)
            bytes[28 + i] = char(0xff); // pages in the header
        std::ofstream(m_bad, std::ios::binary) << bytes;
        const auto opened = Library::open(m_bad, Library::Mode::ReadOnly);
        QVERIFY(!opened);
        QVERIFY2(opened.error().message.find("cut off") != std::string::npos, opened.error().text().c_str());
    }
};

} // namespace dyno::tst_hostile_files

DYNO_SUITE(tst_hostile_files, dyno::tst_hostile_files::TestHostileFiles)
#include "tst_hostile_files.moc"
