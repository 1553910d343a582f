// SPDX-License-Identifier: GPL-3.0-or-later
// The library and .dyno files: what can be done with sessions, and bad files.
#include "store/database.h"
#include "store/dyno_file.h"
#include "store/schema.h"
#include "store/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>
#include <sqlite3.h>

using namespace dyno;
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path& file)
{
    if (fs::is_directory(file))
        return {};
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary) << content;
}

std::set<std::string> namesIn(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename());
    return names;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

constexpr const char* kFirst = "aaaa1111-0000-4000-8000-000000000001";
constexpr const char* kSecond = "aaaa2222-0000-4000-8000-000000000002";
constexpr const char* kThird = "bbbb3333-0000-4000-8000-000000000003";

} // namespace

class TestLibrary : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_shared.isValid());
        m_original = m_shared.filePath("original.dynolib").toStdString();
        auto writer = must(SessionWriter::open(m_original));
        std::uint64_t seed = 1;
        for (const char* id : {kFirst, kSecond, kThird}) {
            sample::Options options;
            options.id = id;
            options.seed = seed++;
            options.scale = 1 + 0.1 * double(seed);
            options.intervals = 6;
            sample::feed(*writer, options);
        }
        QVERIFY(writer->flush());
        writer.reset();
        QCOMPARE(namesIn(m_shared.path().toStdString()), (std::set<std::string>{"original.dynolib"}));
        auto library = must(Library::open(m_original, Library::Mode::ReadOnly));
        m_dynoOriginal = m_shared.filePath("first.dyno").toStdString();
        QVERIFY(library->exportSession(kFirst, m_dynoOriginal));
    }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath("library.dynolib").toStdString();
        m_dyno = m_dir->filePath("one.dyno").toStdString();
        fs::copy_file(m_original, m_file);
        fs::copy_file(m_dynoOriginal, m_dyno);
    }

    void listAndNames()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(3));
        QCOMPARE(list[0].id, std::string(kThird)); // newest first
        QCOMPARE(must(library->resolveId("last")), std::string(kThird));
        QCOMPARE(must(library->resolveId("bbbb")), std::string(kThird));
        QCOMPARE(must(library->resolveId(kSecond)), std::string(kSecond));
        const auto twice = library->resolveId("aaaa");
        QVERIFY(!twice && twice.error().kind == ErrorKind::BadInput);
        QVERIFY(has(twice.error().text(), kFirst) && has(twice.error().text(), kSecond));
        QVERIFY(has(library->resolveId("bbb").error().text(), "at least 4"));
        QVERIFY(has(library->resolveId("cccc").error().text(), "no session"));
        QVERIFY(!library->resolveId(""));

        QVERIFY(library->rename(kFirst, "New ‘title’; DROP TABLE"));
        QVERIFY(library->setTags(kFirst, {"ssd", "v2", "ssd"}));
        QVERIFY(library->setNotes(kFirst, "two\nlines"));
        QVERIFY(!library->rename("nothing", "x"));
        QVERIFY(!library->setTags("nothing", {"x"}));
        const SessionInfo info = must(library->session(kFirst)).info;
        QCOMPARE(info.title, std::string("New ‘title’; DROP TABLE"));
        QCOMPARE(info.tags, (std::vector<std::string>{"ssd", "v2"}));
        QCOMPARE(info.notes, std::string("two\nlines"));
        QVERIFY(library->setTags(kFirst, {}));
        QVERIFY(must(library->session(kFirst)).info.tags.empty());
        QCOMPARE(must(library->session(kSecond)).info.title, std::string("What does durability cost?"));
    }

    void removeAndRestore()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->remove(kThird));
        QCOMPARE(must(library->sessions()).size(), std::size_t(2));
        QCOMPARE(must(library->resolveId("last")), std::string(kSecond));
        QVERIFY(!library->session(kThird));
        QVERIFY(library->restore(kThird));
        QCOMPARE(must(library->session(kThird)).runs.size(), std::size_t(12));
        QVERIFY(library->remove(kThird));
        const std::int64_t run = must(library->session(kFirst)).runs[0].id;
        QVERIFY(library->purgeRemoved());
        QVERIFY(!library->restore(kThird));
        QCOMPARE(must(library->intervals(run)).size(), std::size_t(6));
        library.reset();
        auto database = must(Database::open(m_file, Database::Access::ReadWrite));
        QCOMPARE(database->number("SELECT count(DISTINCT session) FROM run"), 2);
        QCOMPARE(database->number("SELECT count(DISTINCT run) FROM interval_op"), 24);
        QCOMPARE(database->number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        QVERIFY(database->result());
    }

    void oldRemovedOnesGoAtOpen()
    {
        {
            auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
            QVERIFY(library->remove(kFirst));
            QVERIFY(library->remove(kSecond));
        }
        {
            auto database = must(Database::open(m_file, Database::Access::ReadWrite));
            database->exec(std::string("UPDATE session SET removed_ms = removed_ms - 31 * 86400000 WHERE id = '") +
                           kFirst + "'");
            QVERIFY(database->result());
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(!library->restore(kFirst));
        QVERIFY(library->restore(kSecond));
    }

    void exportAndImport()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->setTags(kSecond, {"a"}));
        const fs::path out = m_dir->filePath("out.dyno").toStdString();
        QVERIFY(library->exportSession(kSecond, out));
        QVERIFY(!fs::exists(out.string() + "-wal") && !fs::exists(out.string() + "-journal"));
        const std::string bytes = contentOf(out);
        QVERIFY(library->exportSession(kSecond, out)); // replaces
        QVERIFY(contentOf(out) == bytes);              // byte-stable
        QVERIFY(!library->exportSession("nothing", out));
        QVERIFY(contentOf(out) == bytes);
        QVERIFY(!library->exportSession(kSecond, m_dir->path().toStdString()));
        QVERIFY(!library->exportSession(kSecond, m_file));

        const fs::path other = m_dir->filePath("other.dynolib").toStdString();
        auto target = must(Library::open(other, Library::Mode::ReadWrite));
        QCOMPARE(must(target->importFile(m_dyno)), (std::vector<std::string>{kFirst}));
        QCOMPARE(must(target->importFile(out)), (std::vector<std::string>{kSecond}));
        QCOMPARE(must(target->importFile(out)), (std::vector<std::string>{kSecond})); // there already
        QCOMPARE(must(target->sessions()).size(), std::size_t(2));
        const StoredSession a = must(library->session(kSecond));
        const StoredSession b = must(target->session(kSecond));
        QCOMPARE(b.info.tags, a.info.tags);
        QCOMPARE(b.runs.size(), a.runs.size());
        for (std::size_t i = 0; i < a.runs.size(); ++i) {
            const auto x = must(library->intervals(a.runs[i].id));
            const auto y = must(target->intervals(b.runs[i].id));
            QCOMPARE(x.size(), y.size());
            for (std::size_t k = 0; k < x.size(); ++k)
                QVERIFY(x[k].transaction.service == y[k].transaction.service && x[k].ops.size() == y[k].ops.size());
            QCOMPARE(must(library->events(a.runs[i].id)).size(), must(target->events(b.runs[i].id)).size());
            QVERIFY(a.runs[i].header.server.variables == b.runs[i].header.server.variables);
            QVERIFY(a.runs[i].aftermath && b.runs[i].aftermath);
            QVERIFY(a.runs[i].aftermath->server.variables == b.runs[i].aftermath->server.variables);
            QCOMPARE(b.runs[i].aftermath->dataParts.size(), std::size_t(2));
            QCOMPARE(b.runs[i].aftermath->errorLog, a.runs[i].aftermath->errorLog);
        }
        // The same file comes out of a library that gave the rows other keys.
        const fs::path again = m_dir->filePath("again.dyno").toStdString();
        QVERIFY(target->exportSession(kSecond, again));
        QVERIFY(contentOf(again) == bytes);

        // Imported again after it was removed, it comes back as it was.
        QVERIFY(target->rename(kSecond, "mine"));
        QVERIFY(target->remove(kSecond));
        QVERIFY(target->importFile(out));
        QCOMPARE(must(target->session(kSecond)).info.title, std::string("mine"));
        QCOMPARE(must(target->importFile(m_file)).size(), std::size_t(3)); // a whole library
        QCOMPARE(must(target->sessions()).size(), std::size_t(3));
    }

    void readOnlyMeansReadOnly()
    {
        auto library = must(Library::open(m_dyno, Library::Mode::ReadOnly));
        QCOMPARE(must(library->sessions()).size(), std::size_t(1));
        for (const Expected<void>& refused :
             {library->rename(kFirst, "x"), library->setTags(kFirst, {}), library->setNotes(kFirst, ""),
              library->remove(kFirst), library->restore(kFirst), library->purgeRemoved()}) {
            QVERIFY(!refused);
            QVERIFY(has(refused.error().message, "reading only"));
        }
        QVERIFY(!library->importFile(m_file));
        QVERIFY(contentOf(m_dyno) == contentOf(m_dynoOriginal));
    }

    void badFiles_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("missing") << QByteArray("missing") << QByteArray("no such library");
        QTest::newRow("empty") << QByteArray("empty") << QByteArray("empty");
        QTest::newRow("text") << QByteArray("text") << QByteArray("not a Dynobench library");
        QTest::newRow("short text") << QByteArray("short") << QByteArray("not a Dynobench library");
        QTest::newRow("folder") << QByteArray("folder") << QByteArray("folder");
        QTest::newRow("another program's") << QByteArray("foreign") << QByteArray("belongs to another program");
        QTest::newRow("newer") << QByteArray("newer") << QByteArray("newer Dynobench");
        QTest::newRow("cut in half") << QByteArray("half") << QByteArray("cut off");
        QTest::newRow("cut to one page") << QByteArray("page") << QByteArray("cut off");
        QTest::newRow("destroyed in the middle") << QByteArray("middle") << QByteArray("damaged");
        QTest::newRow("destroyed schema") << QByteArray("schema") << QByteArray("damaged");
        QTest::newRow("no tables") << QByteArray("tables") << QByteArray("damaged");
    }

    void badFiles()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, says);
        std::string bytes = contentOf(m_dynoOriginal);
        const fs::path file = m_dir->filePath("bad.dyno").toStdString();
        if (kind == "empty")
            bytes.clear();
        else if (kind == "text")
            bytes = std::string(5000, 'x');
        else if (kind == "short")
            bytes = "hello";
        else if (kind == "half")
            bytes.resize(bytes.size() / 2);
        else if (kind == "page")
            bytes.resize(4096);
        else if (kind == "newer")
            bytes[63] = kSchemaVersion + 1;
        else if (kind == "middle")
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end() - 4096, '\xa5');
        else if (kind == "schema")
            std::fill(bytes.begin() + 100, bytes.begin() + 4096, '\0');
        if (kind == "folder")
            fs::create_directory(file);
        else if (kind == "foreign" || kind == "tables")
            makeOther(file, kind == "tables");
        else if (kind != "missing")
            write(file, bytes);
        bytes = contentOf(file);
        const auto before = namesIn(m_dir->path().toStdString());

        // An empty or missing file is a new library to somebody who wants to write.
        const bool fresh = kind == "missing" || kind == "empty";
        for (const auto mode : {Library::Mode::ReadOnly, Library::Mode::ReadWrite}) {
            if (fresh && mode == Library::Mode::ReadWrite)
                continue;
            const auto opened = Library::open(file, mode);
            QVERIFY(!opened);
            const std::string text = opened.error().text();
            QVERIFY2(has(text, says.toStdString()), text.c_str());
            QVERIFY2(has(text, "bad.dyno"), text.c_str());
            QVERIFY2(!opened.error().remedy.empty(), text.c_str());
            QVERIFY(opened.error().kind == ErrorKind::BadInput);
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(!library->importFile(file));
        QCOMPARE(must(library->sessions()).size(), std::size_t(3));
        if (!fresh)
            QVERIFY(!SessionWriter::open(file));
        library.reset();
        QVERIFY(contentOf(file) == bytes); // nothing was changed
        QCOMPARE(namesIn(m_dir->path().toStdString()), before);
    }

    //! What is still there is named: sessions come first in the file.
    void readablePartIsNamed()
    {
        std::string bytes = contentOf(m_dynoOriginal);
        bytes.resize(bytes.size() * 3 / 4);
        write(m_dyno, bytes);
        const auto opened = Library::open(m_dyno, Library::Mode::ReadOnly);
        QVERIFY(!opened);
        QVERIFY2(has(opened.error().message, "part of it can still be read: sessions: 1, runs: "),
                 opened.error().message.c_str());
    }

    //! Any byte destroyed: an error or a session, never a crash, and never a changed file.
    void anyDamage()
    {
        const std::string original = contentOf(m_dynoOriginal);
        Random random(5);
        for (int i = 0; i < 150; ++i) {
            std::string bytes = original;
            const auto at = static_cast<std::size_t>(random.uniform(100, static_cast<std::int64_t>(bytes.size()) - 64));
            for (std::size_t k = 0; k < 64; ++k)
                bytes[at + k] = static_cast<char>(random.next());
            write(m_dyno, bytes);
            if (auto opened = Library::open(m_dyno, Library::Mode::ReadOnly)) {
                if (auto session = (*opened)->session(kFirst)) {
                    for (const StoredRun& run : session->runs) {
                        (void)(*opened)->intervals(run.id);
                        (void)(*opened)->events(run.id);
                    }
                }
            } else {
                QVERIFY(!opened.error().message.empty());
            }
            QVERIFY(contentOf(m_dyno) == bytes);
        }
    }

    //! A damaged library (too big to be read in full at each start) says so when it gets there.
    void damagedLibrary()
    {
        std::string bytes = contentOf(m_file);
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 3), bytes.end(), '\x5a');
        write(m_file, bytes);
        auto library = Library::open(m_file, Library::Mode::ReadOnly);
        bool failed = !library;
        std::string message = library ? "" : library.error().message;
        if (library) {
            for (const char* id : {kFirst, kSecond, kThird}) {
                auto session = (*library)->session(id);
                failed = failed || !session;
                message = session ? message : session.error().message;
                for (const StoredRun& run : session ? session->runs : std::vector<StoredRun>()) {
                    const auto intervals = (*library)->intervals(run.id);
                    failed = failed || !intervals;
                    message = intervals ? message : intervals.error().message;
                }
            }
        }
        QVERIFY(failed);
        QVERIFY2(has(message, "damaged"), message.c_str());
    }

    void noPasswordAnywhere()
    {
        sample::Options options;
        options.id = "cccc0000-0000-4000-8000-000000000009";
        SessionHeader session = sample::header(options);
        // Plans with a password are refused long before; should one get here, it is not listed.
        for (PointSpec& point : session.points)
            point.target.uri = "mysql://root@db1/";
        session.plan.target.uri = "mysql://root@db1/";
        ::setenv("DYNO_PASSWORD", "hunter2-secret", 1);
        auto writer = must(SessionWriter::open(m_file));
        writer->onSessionStarted(session);
        QVERIFY(writer->recordKnobChange("mysql://root:hunter2-secret@db1/", "a", "1", "2"));
        writer->onSessionFinished({.status = RunStatus::Done, .reason = {}, .finishedMs = 1});
        QVERIFY(writer->flush());
        writer.reset();
        ::unsetenv("DYNO_PASSWORD");
        QVERIFY(!has(contentOf(m_file), "hunter2"));
        QVERIFY(has(contentOf(m_file), "db1"));
    }

    //! A plan that this build cannot check (another driver, an older workload) does not hide its session.
    void planOfAnotherBuild()
    {
        {
            auto database = must(Database::open(m_dyno, Database::Access::ReadWrite));
            database->exec("UPDATE session SET plan = replace(plan, 'oltp_update_non_index', 'a_workload_to_come')");
            QVERIFY(database->result());
        }
        const auto session = must(must(Library::open(m_dyno, Library::Mode::ReadOnly))->session(kFirst));
        QCOMPARE(session.header.plan.title, std::string("What does durability cost?"));
        QCOMPARE(session.header.plan.axes.size(), std::size_t(1));
        QCOMPARE(session.header.plan.axes[0].cases.size(), std::size_t(3));
        QCOMPARE(session.header.plan.load.users, (std::vector<int>{1, 4}));
        QCOMPARE(session.header.plan.load.repeats, 2);
        QCOMPARE(session.runs.size(), std::size_t(12));
    }

    //! This file never changes: every version that was ever released must open.
    void versionOne()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v1.dyno";
        const std::string bytes = contentOf(fixture);
        QVERIFY(!bytes.empty());
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1));
        QCOMPARE(list[0].id, std::string("5e551011-0000-4000-8000-00000000d1f0"));
        const auto session = must(library->session(list[0].id));
        QCOMPARE(session.runs.size(), std::size_t(12));
        QCOMPARE(session.header.points.size(), std::size_t(6));
        QCOMPARE(session.runs[0].summary.transactions, std::uint64_t(m_versionOneTransactions));
        QCOMPARE(must(library->intervals(session.runs[0].id)).size(), std::size_t(20));
        library.reset();
        QVERIFY(contentOf(fixture) == bytes);
        // To write to it, it is brought up to date after a copy of it was made.
        write(m_dyno, bytes);
        library = must(Library::open(m_dyno, Library::Mode::ReadWrite));
        QVERIFY(library->rename(list[0].id, "x"));
        QCOMPARE(must(Database::open(m_dyno.string() + ".before-v2", Database::Access::ReadOnly))
                     ->number("PRAGMA user_version"),
                 1);
        const auto migrated = must(library->session(list[0].id));
        QCOMPARE(migrated.runs[0].summary.transactions, std::uint64_t(m_versionOneTransactions));
        QCOMPARE(migrated.runs[0].summary.tps, session.runs[0].summary.tps);
        QCOMPARE(migrated.runs[0].warmupEndNs, std::int64_t(1'000'000'000));
        QVERIFY(!migrated.runs[0].recordedWarmupEndNs);
        const auto samples = must(library->intervals(migrated.runs[0].id));
        QCOMPARE(samples.size(), std::size_t(20));
        QVERIFY(samples[3].client.cpuSeconds > 0 && samples[3].transaction.count > 0);
        QCOMPARE(samples[3].arrivals + samples[3].backlog + samples[3].rows, std::uint64_t(0)); // not known then
        QVERIFY(must(library->moveWarmupEnd(migrated.runs[0].id, 2'000'000'000)).summary.transactions <
                std::uint64_t(m_versionOneTransactions));
        library.reset();
        QCOMPARE(must(Database::open(m_dyno, Database::Access::ReadOnly))->number("PRAGMA user_version"),
                 std::int64_t(kSchemaVersion));
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadWrite))->importFile(fixture)).size(),
                 std::size_t(1));
    }

    //! As versionOne(): an open loop, and a run whose warm-up was moved.
    void versionTwo()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v2.dyno";
        const std::string bytes = contentOf(fixture);
        QVERIFY(!bytes.empty());
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1));
        const auto session = must(library->session(list[0].id));
        QCOMPARE(session.runs.size(), std::size_t(12));
        const StoredRun& first = session.runs[0];
        QCOMPARE(first.summary.transactions, std::uint64_t(55997));
        QCOMPARE(first.summary.arrivals, std::uint64_t(56003));
        QVERIFY(first.summary.response.p95Ms > first.summary.service.p95Ms);
        QVERIFY(first.summary.clientLimited && has(first.summary.clientReason, "late by a free user"));
        QVERIFY(!first.recordedWarmupEndNs);
        QCOMPARE(session.runs[1].warmupEndNs, std::int64_t(2'000'000'000));
        QCOMPARE(session.runs[1].recordedWarmupEndNs, std::optional<std::int64_t>(1'000'000'000));
        QCOMPARE(session.runs[1].summary.transactions, std::uint64_t(37594));
        const auto samples = must(library->intervals(first.id));
        QCOMPARE(samples.size(), std::size_t(10));
        QVERIFY(samples[4].backlog + samples[5].backlog > 0 && samples[4].client.switches > 0);
        QCOMPARE(must(library->events(session.runs[1].id)).size(), must(library->events(first.id)).size() + 1);
        library.reset();
        QVERIFY(contentOf(fixture) == bytes);
        write(m_dyno, bytes);
        const auto back =
            must(must(Library::open(m_dyno, Library::Mode::ReadWrite))->restoreWarmupEnd(session.runs[1].id));
        QVERIFY(back.summary.transactions > session.runs[1].summary.transactions);
        QVERIFY(fs::exists(m_dyno.string() + ".before-v3"));
        QVERIFY(!session.runs[0].aftermath); // not known then
    }

    //! As versionTwo(): with what was found after each run.
    void versionThree()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v3.dyno";
        const std::string bytes = contentOf(fixture);
        QVERIFY(!bytes.empty());
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const auto session = must(library->session(must(library->sessions()).at(0).id));
        QCOMPARE(session.runs.size(), std::size_t(12));
        QCOMPARE(session.runs[0].header.optionFile, std::string("# none: SQLite has no option file\n"));
        QVERIFY(session.runs[1].aftermath);
        QCOMPARE(session.runs[1].aftermath->errorLog, std::string("checkpoint of run 1\n"));
        QCOMPARE(session.runs[1].aftermath->dataParts.at(0).name, std::string("sbtest1"));
        QCOMPARE(session.runs[1].aftermath->dataParts.at(1).bytes, std::uint64_t(1) << 20);
        QCOMPARE(textOf(session.runs[1].aftermath->server.variables, "wal_autocheckpoint"), std::string("2000"));
        library.reset();
        QVERIFY(contentOf(fixture) == bytes);
        write(m_dyno, bytes);
        QVERIFY(Library::open(m_dyno, Library::Mode::ReadWrite));
        QVERIFY(fs::exists(m_dyno.string() + ".before-v4"));
    }

    //! As versionThree(): archived, annotated, with a named view, and found by its settings.
    void versionFour()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v4.dyno";
        const std::string bytes = contentOf(fixture);
        QVERIFY(!bytes.empty());
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const auto list = must(library->search("synchronous=FULL version:3.40.1"));
        QCOMPARE(list.size(), std::size_t(1));
        const auto session = must(library->session(list[0].id));
        QCOMPARE(session.runs.size(), std::size_t(12));
        const auto notes = must(library->annotations(list[0].id));
        QCOMPARE(notes.size(), std::size_t(1));
        QCOMPARE(notes[0].text, std::string("the backup began"));
        QCOMPARE(notes[0].run, session.runs[2].id);
        QCOMPARE(must(library->namedViews(list[0].id)), (std::vector<NamedView>{{"by users", "measure = \"tps\"\n"}}));
        library.reset();
        QVERIFY(contentOf(fixture) == bytes);
        write(m_dyno, bytes);
        QVERIFY(Library::open(m_dyno, Library::Mode::ReadWrite));
        QVERIFY(fs::exists(m_dyno.string() + ".before-v5"));
    }

    //! A file that was migrated has the same tables as a new one.
    void migratedIsLikeNew()
    {
        const auto schemaOf = [](const fs::path& file) {
            auto database = must(Database::open(file, Database::Access::ReadOnly));
            std::set<std::string> columns;
            Statement select(*database, "SELECT t.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk FROM"
                                        " sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'");
            while (select.row()) {
                std::string column;
                for (int i = 0; i < select.columns(); ++i)
                    column += select.text(i) + '|';
                columns.insert(column);
            }
            return columns;
        };
        write(m_dyno, contentOf(DYNO_TEST_DATA "/library-v1.dyno"));
        (void)must(Library::open(m_dyno, Library::Mode::ReadWrite));
        const auto migrated = schemaOf(m_dyno);
        QVERIFY(migrated.size() > 80);
        QCOMPARE(migrated, schemaOf(m_dynoOriginal));
    }

    void migration()
    {
        const Migration steps[] = {
            {kSchemaVersion,
             [](Database& d) { d.exec("ALTER TABLE session ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine'"); }},
            {kSchemaVersion + 1, [](Database& d) { d.exec("UPDATE session SET mood = 'great'"); }},
        };
        {
            auto database = must(Database::open(m_file, Database::Access::ReadWrite));
            QVERIFY(migrate(*database, steps, kSchemaVersion + 2));
            QCOMPARE(database->number("PRAGMA user_version"), kSchemaVersion + 2);
            QCOMPARE(database->text("SELECT DISTINCT mood FROM session"), std::string("great"));
            QVERIFY(migrate(*database, steps, kSchemaVersion + 2)); // nothing left to do, no second copy
        }
        const std::string copy = m_file.string() + ".before-v" + std::to_string(kSchemaVersion + 1);
        auto backup = must(Database::open(copy, Database::Access::ReadOnly));
        QCOMPARE(backup->number("PRAGMA user_version"), kSchemaVersion);
        QCOMPARE(backup->number("SELECT count(*) FROM session"), 3);
        QVERIFY(!fs::exists(copy + ".1"));
        const auto opened = Library::open(m_file, Library::Mode::ReadOnly);
        QVERIFY(!opened && has(opened.error().message, "newer Dynobench"));
    }

    void migrationThatFails()
    {
        const Migration steps[] = {
            {kSchemaVersion, [](Database& d) { d.exec("ALTER TABLE session ADD COLUMN mood TEXT"); }},
            {kSchemaVersion + 1, [](Database& d) { d.exec("UPDATE nothing SET x = 1"); }},
        };
        auto database = must(Database::open(m_file, Database::Access::ReadWrite));
        QVERIFY(!migrate(*database, steps, kSchemaVersion + 2));
        QCOMPARE(database->number("PRAGMA user_version"), kSchemaVersion);
        QCOMPARE(database->number("SELECT count(*) FROM pragma_table_info('session') WHERE name = 'mood'"), 0);
        const auto unknown = migrate(*database, {}, kSchemaVersion + 1);
        QVERIFY(!unknown && has(unknown.error().message, "version " + std::to_string(kSchemaVersion)));
        database.reset();
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadWrite))->sessions()).size(), std::size_t(3));
    }

    void fasterThanAFrame()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        qint64 best = std::numeric_limits<qint64>::max();
        for (int i = 0; i < 5; ++i) {
            QElapsedTimer timer;
            timer.start();
            QCOMPARE(must(library->sessions()).size(), std::size_t(3));
            best = std::min(best, timer.nsecsElapsed());
        }
        QVERIFY2(best < 30'000'000, QByteArray::number(best));
    }

private:
    static void makeOther(const fs::path& file, bool ours)
    {
        auto database = must(Database::open(file, Database::Access::Create));
        if (ours)
            database->exec("PRAGMA application_id = " + std::to_string(kApplicationId) + "; PRAGMA user_version = 1");
        database->exec("CREATE TABLE bookmarks(url TEXT)");
        QVERIFY(database->result());
    }

    static constexpr int m_versionOneTransactions = 122337;
    QTemporaryDir m_shared;
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_original, m_dynoOriginal, m_file, m_dyno;
};

QTEST_GUILESS_MAIN(TestLibrary)
#include "tst_library.moc"
