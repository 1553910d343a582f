// SPDX-License-Identifier: GPL-3.0-or-later
// The library and .dyno files: what can be done with sessions, and bad files. Files of older versions:
// tst_library_versions.
#include "library_rig.h"
#include "store/library/database.h"
#include "store/library/dyno_file.h"
#include "store/library/schema.h"
#include "store/session/artefacts.h"
#include "store/session/seals.h"
#include "support/suite.h"
#include <dyno/runner.h>

#include <QTest>
#include <atomic>
#include <set>
#include <sqlite3.h>
#include <sys/stat.h>
#include <thread>

namespace dyno::tst_library {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

std::set<std::string> namesIn(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename());
    return names;
}

} // namespace

class TestLibrary : public QObject, LibraryRig
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_shared.isValid());
        makeLibrary();
        QCOMPARE(namesIn(m_shared.path().toStdString()), (std::set<std::string>{"original.dynolib"}));
        makeDyno();
    }

    void init() { copyOriginals(); }

    //! Libraries tell of hosts, plans and people: nobody else reads them, whatever an older version left.
    void nobodyElseReadsIt()
    {
        const mode_t before = ::umask(022);
        const auto rights = [](const fs::path& path) { return int(fs::status(path).permissions()); };
        const fs::path folder = m_dir->filePath("data/dynobench").toStdString();
        qputenv("XDG_DATA_HOME", m_dir->filePath("data").toUtf8());
        {
            auto library = must(Library::open(defaultLibrary(), Library::Mode::ReadWrite));
            QCOMPARE(rights(folder), 0700);
            QCOMPARE(rights(defaultLibrary()), 0600);
            QVERIFY(library->backUp(folder / "copy"));
            QCOMPARE(rights(folder / "copy"), 0600);
        }
        fs::permissions(folder, fs::perms(0755));
        fs::permissions(defaultLibrary(), fs::perms(0644));
        {
            auto library = must(Library::open(defaultLibrary(), Library::Mode::ReadWrite));
            must(library->sessions());
            QCOMPARE(rights(folder), 0700);
            int files = 0;
            for (const char* end : {"", "-wal", "-shm"}) {
                const fs::path file = fs::path(defaultLibrary()) += end;
                files += fs::exists(file) ? 1 : 0;
                QVERIFY2(!fs::exists(file) || rights(file) == 0600, file.c_str());
            }
            QVERIFY(files > 0);
        }
        // A folder that is not ours stays as it is.
        const fs::path shared = m_dir->filePath("shared").toStdString();
        fs::create_directory(shared);
        must(Library::open(shared / "mine.dynolib", Library::Mode::ReadWrite));
        QCOMPARE(rights(shared), 0755);
        QCOMPARE(rights(shared / "mine.dynolib"), 0600);
        qunsetenv("XDG_DATA_HOME");
        ::umask(before);
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

    //! For good, and it alone: what was removed before stays to be brought back.
    void erasedIsGone()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->remove(kFirst));
        QVERIFY(library->erase(kThird));
        QVERIFY(!library->session(kThird) && !library->restore(kThird));
        QVERIFY(!library->erase(kThird));
        QVERIFY(library->restore(kFirst));
        QCOMPARE(must(library->sessions()).size(), std::size_t(2));
        QVERIFY(!must(Library::open(m_file, Library::Mode::ReadOnly))->erase(kFirst));
        library.reset();
        auto database = must(Database::open(m_file, Database::Access::ReadWrite));
        QCOMPARE(database->number("SELECT count(DISTINCT session) FROM run"), 2);
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
            Seals(*database, database->number(std::string("SELECT key FROM session WHERE id = '") + kFirst + "'"))
                .set(SealPart::Place); // a mark without its seal deletes nothing: see tst_seals
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
        std::vector<std::string> left;
        QCOMPARE(must(target->importFile(out, &left)), (std::vector<std::string>{kSecond}));
        QVERIFY(left.empty());
        QCOMPARE(must(target->importFile(out, &left)), (std::vector<std::string>{kSecond})); // there already
        QCOMPARE(left, (std::vector<std::string>{kSecond}));
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

    //! Views and kept files are of one moment, whatever another program writes meanwhile.
    void viewsAndFilesAreOfOneMoment()
    {
        {
            auto database = must(Database::open(m_dyno, Database::Access::ReadWrite));
            writeArtefact(*database, 1, "run.log", "text/plain", "what it wrote");
            QVERIFY(database->result());
        }
        auto writer = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto replace = [&] {
            return writer->erase(kFirst).has_value() && writer->importFile(m_dyno).has_value();
        };
        QVERIFY(replace());
        std::atomic<bool> over = false;
        std::atomic<int> changes = 0;
        std::thread other([&] {
            for (; changes < 60 && replace(); ++changes) {
                for (int i = 0; i < 40; ++i)
                    (void)writer->setNamedViews(kFirst, {{"by users", std::to_string(i)}});
            }
            over = true;
        });
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        std::string wrong;
        const auto look = [&wrong](const auto& read) {
            if (!read && !has(read.error().message, "there is no session"))
                wrong = read.error().text();
        };
        while (!over) {
            look(library->namedViews(kFirst));
            look(library->artefact(kFirst, "run.log", [](std::string_view) { return true; }));
            const auto files = library->artefacts(kFirst);
            look(files);
            if (files && files->size() != 1)
                wrong = "the file is gone, and its session is not";
        }
        other.join();
        QCOMPARE(changes.load(), 60);
        QVERIFY2(wrong.empty(), wrong.c_str());
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
};

} // namespace dyno::tst_library

DYNO_SUITE(tst_library, dyno::tst_library::TestLibrary)
#include "tst_library.moc"
