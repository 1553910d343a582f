// SPDX-License-Identifier: GPL-3.0-or-later
// Archive, annotations, named views, check, vacuum, backup, moving; and two programs on one library.
#include "store/library/database.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/file_kind.h>
#include <dyno/library.h>
#include <dyno/library_watch.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

namespace dyno::tst_library_care {
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

void addSession(const fs::path& file, const std::string& id, std::uint64_t seed)
{
    auto writer = must(SessionWriter::open(file));
    sample::Options options;
    options.id = id;
    options.seed = seed;
    options.intervals = 6;
    sample::feed(*writer, options);
    if (auto done = writer->flush(); !done)
        qFatal("%s", done.error().text().c_str());
}

constexpr const char* kFirst = "aaaa1111-0000-4000-8000-000000000001";
constexpr const char* kSecond = "bbbb2222-0000-4000-8000-000000000002";

} // namespace

class TestLibraryCare : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_file;

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_file = m_dir->filePath("library.dynolib").toStdString();
        addSession(m_file, kFirst, 1);
        addSession(m_file, kSecond, 2);
    }

    void archived()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->setArchived(kFirst, true));
        QCOMPARE(must(library->sessions()).size(), std::size_t(1));
        const auto kept = must(library->sessions(Library::Listing::Archived));
        QCOMPARE(kept.size(), std::size_t(1));
        QVERIFY(kept[0].archived && kept[0].id == kFirst);
        QCOMPARE(must(library->sessions(Library::Listing::All)).size(), std::size_t(2));
        QCOMPARE(must(library->resolveId("aaaa")), std::string(kFirst)); // still known by its name
        QCOMPARE(must(library->session(kFirst)).runs.size(), std::size_t(12));
        QVERIFY(library->setArchived(kFirst, false));
        QCOMPARE(must(library->sessions()).size(), std::size_t(2));
        QVERIFY(!library->setArchived("no-such", true));
        QVERIFY(library->remove(kSecond));
        QCOMPARE(must(library->removed()).at(0).id, std::string(kSecond));
    }

    void annotations()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto session = must(library->session(kFirst));
        const std::int64_t run = session.runs[3].id;
        const std::size_t before = must(library->events(run)).size();
        const Annotation late = must(library->annotate(run, 2'500'000'000, "checkpoint"));
        const Annotation early = must(library->annotate(run, 500'000'000, "the *backup* began"));
        QVERIFY(late.id != early.id);
        const auto all = must(library->annotations(kFirst));
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0].text, std::string("the *backup* began"));
        QCOMPARE(all[1].tNs, std::int64_t(2'500'000'000));
        QVERIFY(all[0].run == run && all[0].createdMs > 1'700'000'000'000);
        const auto events = must(library->events(run));
        QCOMPARE(events.size(), before + 2);
        QVERIFY(std::ranges::is_sorted(events, {}, &RunEvent::tNs));
        QCOMPARE(std::ranges::count(events, "checkpoint", &RunEvent::text), 1);
        QCOMPARE(must(library->events(session.runs[0].id)).size(), before); // only of that run
        for (const auto& [t, text] : {std::pair(std::int64_t(-1), "x"), std::pair(std::int64_t(99'000'000'000), "x"),
                                      std::pair(std::int64_t(0), "")})
            QCOMPARE(library->annotate(run, t, text).error().kind, ErrorKind::BadInput);
        QVERIFY(!library->annotate(987654, 0, "x"));
        QVERIFY(library->removeAnnotation(kFirst, early.id));
        QVERIFY(!library->removeAnnotation(kFirst, early.id));
        QCOMPARE(must(library->annotations(kFirst)).size(), std::size_t(1));
        // They travel.
        const fs::path file = m_dir->filePath("one.dyno").toStdString();
        QVERIFY(library->exportSession(kFirst, file));
        auto travelled = must(Library::open(file, Library::Mode::ReadOnly));
        QCOMPARE(must(travelled->annotations(kFirst)).at(0).text, std::string("checkpoint"));
        QVERIFY(!travelled->annotate(1, 0, "x"));
    }

    void namedViews()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const std::vector<NamedView> views = {{"by users", "x = \"users\""}, {"p95", ""}, {"α \"β\"", "line\nbreak"}};
        QVERIFY(library->setNamedViews(kFirst, views));
        QCOMPARE(must(library->namedViews(kFirst)), views);
        QVERIFY(must(library->namedViews(kSecond)).empty());
        const fs::path file = m_dir->filePath("one.dyno").toStdString();
        QVERIFY(library->exportSession(kFirst, file));
        QCOMPARE(must(must(Library::open(file, Library::Mode::ReadOnly))->namedViews(kFirst)), views);
        QVERIFY(library->setNamedViews(kFirst, {}));
        QVERIFY(must(library->namedViews(kFirst)).empty());
    }

    void checkFindsNothingAndThenSomething()
    {
        const auto whole = must(must(Library::open(m_file, Library::Mode::ReadOnly))->check());
        QCOMPARE(whole.problems, std::vector<std::string>());
        QCOMPARE(whole.sessions, 2);
        QCOMPARE(whole.runs, 24);
        QVERIFY(whole.bytes > 50'000);
        {
            auto database = must(Database::open(m_file, Database::Access::ReadWrite));
            database->exec("UPDATE interval_op SET service = x'0102' WHERE run = 3 AND interval = 2 AND op = -1");
            database->exec("UPDATE interval SET t_ns = -5 WHERE run = 4 AND idx = 1");
            database->exec("PRAGMA foreign_keys = OFF; DELETE FROM session WHERE id LIKE 'bbbb%';"
                           "INSERT INTO tag VALUES(999, 0, 'of nothing')");
            QVERIFY(database->result());
        }
        const auto check = must(must(Library::open(m_file, Library::Mode::ReadOnly))->check());
        const auto tells = [&check](std::string_view part) {
            return std::ranges::any_of(check.problems, [part](const std::string& p) { return p.find(part) != p.npos; });
        };
        QVERIFY(tells("run 3: a histogram of interval 2 is damaged"));
        QVERIFY(tells("run 4: interval 1 has an impossible time"));
        QVERIFY(tells("an interval of run 3 is damaged")); // by its seal
        // However many rows, one line: what else is damaged is told, too.
        QVERIFY(tells("12 rows of run belong to a session that is not there"));
        QVERIFY(tells("a row of tag belongs to a session that is not there"));
        QVERIFY(tells("rows of seal belong to a session that is not there"));
        QCOMPARE(std::ranges::count_if(check.problems, [](const std::string& p) { return p.find(" seal ") != p.npos; }),
                 1);
        QVERIFY(check.problems.size() < 100);
    }

    void vacuumGivesRoomBack()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto before = must(library->check()).bytes;
        QVERIFY(library->remove(kSecond));
        // What was deleted lately can be had back afterwards too.
        QVERIFY(library->vacuum());
        QCOMPARE(must(library->removed()).size(), std::size_t(1));
        QVERIFY(library->restore(kSecond));
        QCOMPARE(must(library->session(kSecond)).runs.size(), std::size_t(12));
        QVERIFY(library->remove(kSecond));
        QVERIFY(library->purgeRemoved());
        QVERIFY(library->vacuum());
        const auto after = must(library->check());
        QVERIFY(after.bytes < before * 3 / 4);
        QVERIFY(after.problems.empty());
        QVERIFY(must(library->removed()).empty());
        QCOMPARE(must(library->session(kFirst)).runs.size(), std::size_t(12));
    }

    void backUpIsWhole()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        const fs::path copy = m_dir->filePath("copy.dynolib").toStdString();
        QVERIFY(library->backUp(copy));
        QCOMPARE(must(must(Library::open(copy, Library::Mode::ReadWrite))->sessions()).size(), std::size_t(2));
        const auto again = library->backUp(copy);
        QVERIFY(!again && again.error().kind == ErrorKind::BadInput);
        const auto nowhere = library->backUp(m_dir->filePath("no/such/folder/x").toStdString());
        QVERIFY(!nowhere && nowhere.error().kind == ErrorKind::Storage);
        QCOMPARE(QDir(m_dir->path()).entryList({"*.part-*"}).size(), 0);
    }

    void moved()
    {
        const fs::path folder = m_dir->filePath("elsewhere/deep").toStdString();
        const fs::path now = must(moveLibrary(m_file, folder));
        QVERIFY(fs::is_regular_file(now) && fs::is_symlink(m_file));
        {
            auto library = must(Library::open(m_file, Library::Mode::ReadWrite)); // through the link
            QCOMPARE(must(library->sessions()).size(), std::size_t(2));
            QVERIFY(library->rename(kFirst, "moved"));
        }
        QVERIFY(!fs::exists(m_file.string() + "-wal"));
        addSession(m_file, "cccc3333-0000-4000-8000-000000000003", 3); // recording goes there too
        QCOMPARE(must(must(Library::open(now, Library::Mode::ReadOnly))->sessions()).size(), std::size_t(3));
        // Again, from where it is now.
        const fs::path third = must(moveLibrary(m_file, m_dir->filePath("third").toStdString()));
        QVERIFY(!fs::exists(now) && fs::exists(third));
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions()).size(), std::size_t(3));
        const auto there = moveLibrary(m_file, m_dir->filePath("third").toStdString());
        QVERIFY(!there && there.error().kind == ErrorKind::BadInput);
        // A name that is not a whole path means the same.
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_dir->path()));
        const auto relative = moveLibrary("library.dynolib", "fourth");
        QDir::setCurrent(before);
        QVERIFY(relative && fs::is_symlink(m_file) && !fs::exists(third));
        fs::rename(*relative, third);
        fs::remove(m_file);
        fs::create_symlink(third, m_file);
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions()).size(), std::size_t(3));
        // A disk that is not connected is no new library.
        fs::rename(third, third.string() + ".away");
        for (const Library::Mode mode : {Library::Mode::ReadOnly, Library::Mode::ReadWrite}) {
            const auto gone = Library::open(m_file, mode);
            QVERIFY(!gone);
            QVERIFY2(gone.error().message.find("was moved to") != std::string::npos, gone.error().text().c_str());
        }
    }

    void notMovedNorVacuumedWhileRecording()
    {
        auto writer = must(SessionWriter::open(m_file));
        sample::Options options;
        options.id = "dddd4444-0000-4000-8000-000000000004";
        options.stopAfterRun = 1;
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
        const auto refused = moveLibrary(m_file, m_dir->filePath("elsewhere").toStdString());
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("being recorded") != std::string::npos, refused.error().text().c_str());
        QVERIFY(fs::is_regular_file(m_file) && fs::is_empty(m_dir->filePath("elsewhere").toStdString()));
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto vacuumed = library->vacuum();
        QVERIFY(!vacuumed);
        QVERIFY2(vacuumed.error().message.find("being recorded") != std::string::npos, vacuumed.error().text().c_str());
        QVERIFY(!vacuumed.error().remedy.empty());
        writer.reset(); // it ends without an end: cut
        QVERIFY(library->vacuum());
    }

    void merge()
    {
        const fs::path other = m_dir->filePath("other.dynolib").toStdString();
        addSession(other, kFirst, 1);
        addSession(other, "cccc3333-0000-4000-8000-000000000003", 3);
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->rename(kFirst, "mine"));
        QVERIFY(must(Library::open(other, Library::Mode::ReadWrite))
                    ->setArchived("cccc3333-0000-4000-8000-000000000003", true));
        QCOMPARE(must(library->importFile(other)).size(), std::size_t(2));
        QCOMPARE(must(library->sessions(Library::Listing::Archived)).at(0).id,
                 std::string("cccc3333-0000-4000-8000-000000000003"));
        QCOMPARE(must(library->sessions()).size(), std::size_t(2));
        QCOMPARE(must(library->session(kFirst)).info.title, std::string("mine")); // what is here already stays
        QCOMPARE(must(library->search("synchronous=FULL is:any")).size(), std::size_t(3));
        QVERIFY(must(library->check()).problems.empty());
    }

    //! Each session is taken over by itself: what was copied before one that cannot be stays.
    void mergeOfWhatCannotBeCopied()
    {
        const std::string third = "cccc3333-0000-4000-8000-000000000003",
                          fourth = "dddd4444-0000-4000-8000-000000000004";
        const fs::path other = m_dir->filePath("other.dynolib").toStdString();
        addSession(other, third, 3);
        addSession(other, fourth, 4);
        const fs::path narrow = m_dir->filePath("narrow.dynolib").toStdString();
        auto library = must(Library::open(narrow, Library::Mode::ReadWrite));
        {
            auto database = must(Database::open(narrow, Database::Access::ReadWrite));
            database->exec("CREATE UNIQUE INDEX one_only ON session(workload)"); // takes no second one
            QVERIFY(database->result());
        }
        const auto ids = library->importFile(other);
        QVERIFY(!ids);
        QVERIFY2(ids.error().message.find("1 of the 2 sessions") != std::string::npos, ids.error().text().c_str());
        QCOMPARE(must(library->sessions()).size(), std::size_t(1));
        QCOMPARE(must(library->session(third)).runs.size(), std::size_t(12));
        QVERIFY(!library->session(fourth));
        QVERIFY(must(library->check()).problems.empty());
    }

    //! What takes long tells how far it is, and leaves everything as it was when it is ended.
    void followedAndEnded_data()
    {
        QTest::addColumn<QString>("action");
        for (const char* action : {"check", "vacuum", "back up", "merge", "move"})
            QTest::newRow(action) << QString(action);
    }
    void followedAndEnded()
    {
        QFETCH(QString, action);
        const fs::path other = m_dir->filePath("other.dynolib").toStdString();
        addSession(other, "cccc3333-0000-4000-8000-000000000003", 3);
        addSession(other, "dddd4444-0000-4000-8000-000000000004", 4);
        const fs::path folder = m_dir->filePath("there").toStdString(),
                       copy = m_dir->filePath("copy.dynolib").toStdString();
        const auto act = [&]() -> Expected<void> {
            const auto answer = [](auto result) { return result ? Expected<void>() : fail(result.error()); };
            if (action == "move")
                return answer(moveLibrary(m_file, folder));
            auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
            return action == "check"     ? answer(library->check())
                   : action == "vacuum"  ? library->vacuum()
                   : action == "back up" ? library->backUp(copy)
                                         : answer(library->importFile(other));
        };
        int calls = 0;
        for (const int enough : {1, 2}) { // at once, and later if there is a later
            calls = 0;
            const LibraryWatch watch([&](double) { return ++calls < enough; });
            const auto ended = act();
            QVERIFY(calls <= enough);
            if (calls < enough)
                break; // it was over before
            QVERIFY(!ended);
            QCOMPARE(ended.error().kind, ErrorKind::Interrupted);
            QVERIFY(!ended.error().remedy.empty());
            QVERIFY(!fs::exists(copy) && fs::is_regular_file(m_file));
            QVERIFY(QDir(m_dir->path()).entryList({"*.part-*"}).isEmpty());
            auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
            QVERIFY(must(library->sessions()).size() >= 2); // a merge may have got half way
        }
        fs::remove_all(folder);
        fs::remove(copy);
        std::vector<double> shares;
        {
            const LibraryWatch watch([&](double share) {
                shares.push_back(share);
                return true;
            });
            const auto done = act();
            QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
        }
        QVERIFY(!shares.empty() && std::ranges::is_sorted(shares));
        QVERIFY(shares.front() >= 0 && shares.back() <= 1);
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions()).size(),
                 std::size_t(action == "merge" ? 4 : 2));
    }

    //! Who had the library open before it was moved would write to a file that nobody finds again: it is told.
    void editOfAMovedLibrary()
    {
        auto before = must(Library::open(m_file, Library::Mode::ReadWrite));
        auto writer = must(SessionWriter::open(m_file));
        const fs::path now = must(moveLibrary(m_file, m_dir->filePath("elsewhere").toStdString()));
        const auto refuses = [](const Expected<void>& done) {
            return !done && done.error().message.find("moved") != std::string::npos && !done.error().remedy.empty();
        };
        QVERIFY(refuses(before->rename(kFirst, "lost")));
        QVERIFY(refuses(before->setTags(kFirst, {"lost"})));
        QVERIFY(refuses(before->remove(kSecond)));
        sample::Options options;
        options.id = "dddd4444-0000-4000-8000-000000000004";
        sample::feed(*writer, options);
        QVERIFY(refuses(writer->flush()));
        auto after = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(must(after->session(kFirst)).info.title != "lost");
        QVERIFY(after->rename(kFirst, "kept"));
        QCOMPARE(must(must(Library::open(now, Library::Mode::ReadOnly))->session(kFirst)).info.title,
                 std::string("kept"));
        QCOMPARE(must(after->sessions()).size(), std::size_t(2));
    }

    //! Looking at a library that is open takes away no lock of this process: else another process that closes it would
    //! believe that it is the last one, and delete the log.
    void openedTwiceHere()
    {
        const fs::path log = m_file.string() + "-wal";
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const std::int64_t run = must(library->session(kFirst)).runs.front().id;
        QVERIFY(library->rename(kFirst, "before"));
        struct stat mine
        {
        }, now{};
        QCOMPARE(::stat(log.c_str(), &mine), 0);
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadOnly))->sessions()).size(), std::size_t(2));
        must(Library::open(m_file, Library::Mode::ReadWrite)).reset();
        QVERIFY(isDynoFile(m_file) && !isDynoFile(m_dir->path().toStdString()));
        QCOMPARE(QProcess::execute(DYNO_STORE_CHILD,
                                   {"annotate", QString::fromStdString(m_file.string()), QString::number(run), "1"}),
                 0);
        QVERIFY2(::stat(log.c_str(), &now) == 0 && now.st_ino == mine.st_ino, "the other process deleted the log");
        QVERIFY(library->rename(kFirst, "after"));
        library.reset();
        library = must(Library::open(m_file, Library::Mode::ReadOnly));
        QCOMPARE(must(library->session(kFirst)).info.title, std::string("after"));
        QCOMPARE(must(library->annotations(kFirst)).size(), std::size_t(1));
    }

    //! Who had it open before it went away and came back does not touch the log of the file that stands there now.
    void openWhileMovedToAndFro()
    {
        const fs::path home = m_dir->filePath("home").toStdString(), away = m_dir->filePath("away").toStdString();
        const fs::path there = must(moveLibrary(m_file, home));
        auto before = must(Library::open(m_file, Library::Mode::ReadWrite));
        QCOMPARE(must(before->sessions()).size(), std::size_t(2)); // has its log open
        must(moveLibrary(m_file, away));
        QCOMPARE(must(moveLibrary(m_file, home)), there);
        auto after = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(after->rename(kFirst, "kept")); // in the log
        before.reset();
        QVERIFY(fs::exists(there.string() + "-wal"));
        QCOMPARE(must(must(Library::open(m_file, Library::Mode::ReadOnly))->session(kFirst)).info.title,
                 std::string("kept"));
    }

    //! Who has it open when it is deleted or gets another name does not leave its log to the library that is made there
    //! next.
    void deletedOrRenamedWhileOpen()
    {
        const fs::path other = m_dir->filePath("other.dynolib").toStdString(), log = m_file.string() + "-wal";
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->rename(kFirst, "kept")); // in the log
        fs::rename(m_file, other);
        library.reset();
        QVERIFY(!fs::exists(log) || fs::file_size(log) == 0);
        QCOMPARE(must(must(Library::open(other, Library::Mode::ReadOnly))->session(kFirst)).info.title,
                 std::string("kept"));
        library = must(Library::open(other, Library::Mode::ReadWrite));
        QVERIFY(library->rename(kFirst, "deleted"));
        fs::remove(other);
        auto next = must(Library::open(other, Library::Mode::ReadWrite)); // while the log of the first one is there
        QCOMPARE(must(next->sessions()).size(), std::size_t(0));
        library.reset();
        addSession(other, kSecond, 2);
        QCOMPARE(must(next->sessions()).size(), std::size_t(1));
        QCOMPARE(must(next->check()).problems, std::vector<std::string>());
    }

    //! The log of a library that was moved away does not become part of the one that comes in its place.
    void movedBesideAnOldLog()
    {
        const fs::path home = m_dir->filePath("home").toStdString(), log = home / (m_file.filename().string() + "-wal");
        auto before = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(before->rename(kFirst, "old"));
        fs::create_directories(home);
        fs::copy_file(m_file.string() + "-wal", log);
        QVERIFY(fs::file_size(log) > 0);
        QVERIFY(before->rename(kFirst, "new"));
        before.reset();
        must(moveLibrary(m_file, home));
        auto library = must(Library::open(m_file, Library::Mode::ReadOnly));
        QCOMPARE(must(library->session(kFirst)).info.title, std::string("new"));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }

    //! One process edits while this one moves the library to and fro: no edit is lost.
    void movedBesideEdits()
    {
        const std::int64_t run =
            must(must(Library::open(m_file, Library::Mode::ReadOnly))->session(kFirst)).runs.front().id;
        constexpr int kEdits = 150;
        QProcess editor;
        editor.start(DYNO_STORE_CHILD, {"annotate", QString::fromStdString(m_file.string()), QString::number(run),
                                        QString::number(kEdits)});
        QVERIFY(editor.waitForStarted());
        int moves = 0;
        while (editor.state() != QProcess::NotRunning) {
            const auto moved = moveLibrary(m_file, m_dir->filePath("place" + QString::number(moves % 2)).toStdString());
            QVERIFY2(moved.has_value(), moved ? "" : moved.error().text().c_str());
            ++moves;
            editor.waitForFinished(10);
        }
        QVERIFY(moves > 1);
        QVERIFY2(editor.exitCode() == 0, editor.readAllStandardOutput().constData());
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QCOMPARE(must(library->annotations(kFirst)).size(), std::size_t(kEdits));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }

    //! All care for the library, while another process records into it.
    void careBesideARecording()
    {
        const fs::path other = m_dir->filePath("other.dynolib").toStdString();
        addSession(other, "cccc3333-0000-4000-8000-000000000003", 3);
        QProcess recorder;
        recorder.start(DYNO_STORE_CHILD, {"sessions", QString::fromStdString(m_file.string()), "12"});
        QVERIFY(recorder.waitForStarted());
        int refused = 0, rounds = 0;
        // Refused as long as a session is under way, and done in the gaps between them.
        const auto mayRefuse = [&refused](const auto& done) {
            const bool recording = !done && done.error().message.find("being recorded") != std::string::npos;
            refused += recording ? 1 : 0;
            return done || recording;
        };
        for (; recorder.state() != QProcess::NotRunning; ++rounds) {
            auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
            const auto vacuumed = library->vacuum();
            QVERIFY2(mayRefuse(vacuumed), vacuumed ? "" : vacuumed.error().text().c_str());
            QVERIFY(library->importFile(other));
            const fs::path copy = m_dir->filePath(QString::number(rounds) + ".dynolib").toStdString();
            QVERIFY(library->backUp(copy));
            QVERIFY(must(must(Library::open(copy, Library::Mode::ReadWrite))->check()).problems.empty());
            QVERIFY(library->remove("cccc3333-0000-4000-8000-000000000003"));
            QVERIFY(library->purgeRemoved());
            recorder.waitForFinished(10);
        }
        QVERIFY2(recorder.exitCode() == 0, recorder.readAllStandardOutput().constData());
        QVERIFY(rounds > 0);
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(2 + 12));
        QVERIFY(std::ranges::all_of(
            list, [](const SessionInfo& one) { return one.status == RunStatus::Done && one.runsDone == 12; }));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }

    //! Two processes record into one library while this one reads, writes, removes and checks.
    void twoPrograms()
    {
        QProcess writers[2];
        for (QProcess& process : writers) {
            process.start(DYNO_STORE_CHILD, {"sessions", QString::fromStdString(m_file.string()), "12"});
            QVERIFY(process.waitForStarted());
        }
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        int rounds = 0;
        while (writers[0].state() != QProcess::NotRunning || writers[1].state() != QProcess::NotRunning) {
            ++rounds;
            QVERIFY(library->rename(kFirst, "round " + std::to_string(rounds)));
            QVERIFY(library->setTags(kFirst, {"a", std::to_string(rounds)}));
            const auto list = must(library->sessions());
            QVERIFY(list.size() >= 2);
            for (const SessionInfo& one : list)
                QVERIFY(library->session(one.id));
            if (rounds == 3)
                QVERIFY(library->remove(kSecond));
            if (rounds == 5)
                QVERIFY(library->purgeRemoved());
            writers[0].waitForFinished(20);
            writers[1].waitForFinished(20);
        }
        for (QProcess& process : writers)
            QVERIFY2(process.exitCode() == 0, process.readAllStandardOutput().constData());
        QVERIFY(rounds > 1);
        if (rounds < 5) {
            QVERIFY(library->remove(kSecond));
            QVERIFY(library->purgeRemoved());
        }
        const auto list = must(library->sessions());
        QCOMPARE(list.size(), std::size_t(1 + 2 * 12));
        for (const SessionInfo& one : list) {
            QCOMPARE(one.status, RunStatus::Done);
            QCOMPARE(one.runsDone, 12);
        }
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }
};

} // namespace dyno::tst_library_care

DYNO_SUITE(tst_library_care, dyno::tst_library_care::TestLibraryCare)
#include "tst_library_care.moc"
