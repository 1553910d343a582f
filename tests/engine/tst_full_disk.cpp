// SPDX-License-Identifier: GPL-3.0-or-later
// Disks that are full or may only be read, real ones: what is exported, recorded and kept in order either gets there or
// is refused with what to do; nothing half is left, and what was there stays.
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/file_content.h"
#include "support/must.h"
#include "support/small_disk.h"
#include <dyno/export.h>
#include <dyno/import.h>
#include <dyno/library.h>

#include <QDir>
#include <QTest>

#include <fstream>

namespace fs = std::filesystem;
namespace dyno::tst_full_disk {
using dyno::test::contentOf;
using dyno::test::must;

namespace {

std::string g_forbidden; //!< why nothing can be mounted here

using Act = std::function<Expected<void>(Library&, const StoredSession&, const fs::path& file)>;

template<class T>
Expected<void> outcome(const Expected<T>& result)
{
    return result ? Expected<void>() : fail(result.error());
}

struct Export
{
    const char* name;
    const char* file;
    Act act;
};
const std::vector<Export>& exports()
{
    static const PivotRequest view;
    static const std::vector<Export> all = {
        {"dyno", "a.dyno",
         [](Library& library, const StoredSession& session, const fs::path& file) {
             return library.exportSession(session.info.id, file);
         }},
        {"anonymous dyno", "a.dyno",
         [](Library& library, const StoredSession& session, const fs::path& file) {
             return library.exportSession(session.info.id, file, Library::Privacy::Anonymous);
         }},
        {"csv", "csv",
         [](Library& library, const StoredSession& session, const fs::path& file) {
             return outcome(exportCsv(library, session, file));
         }},
        {"long csv", "long.csv",
         [](Library&, const StoredSession& session, const fs::path& file) {
             return writeTextFile(file, runsLongCsv(session));
         }},
        {"markdown", "post.md",
         [](Library&, const StoredSession& session, const fs::path& file) {
             return writeTextFile(file, markdownPost(std::vector(12, session), view));
         }},
        {"html", "post.html",
         [](Library&, const StoredSession& session, const fs::path& file) {
             return writeTextFile(file, htmlPost({session}, view));
         }},
        {"histogram logs", "hdr",
         [](Library& library, const StoredSession& session, const fs::path& file) {
             return outcome(exportHdr(library, session, file));
         }},
        {"backup", "copy.dynolib",
         [](Library& library, const StoredSession&, const fs::path& file) { return library.backUp(file); }},
    };
    return all;
}

} // namespace

class TestFullDisk : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path m_file;
    std::unique_ptr<Library> m_library;
    StoredSession m_session;

    static void refused(const Expected<void>& done, const char* says)
    {
        QVERIFY(!done);
        const Error& error = done.error();
        QCOMPARE(error.kind, ErrorKind::Storage);
        QVERIFY2(error.message.find(says) != std::string::npos, error.text().c_str());
        QVERIFY2(!error.remedy.empty() && !error.where.empty() && error.text().find(".part-") == std::string::npos,
                 error.text().c_str());
    }

private slots:
    void initTestCase()
    {
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        QVERIFY(test::SmallDisk(1 << 20).isMounted());
        m_file = m_dir.filePath("library.dynolib").toStdString();
        auto writer = must(SessionWriter::open(m_file));
        const std::string id = sample::feed(*writer, {}).id;
        QVERIFY(writer->flush());
        m_library = must(Library::open(m_file, Library::Mode::ReadWrite));
        m_session = must(m_library->session(id));
    }

    void exportsOntoAFullDisk_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < exports().size(); ++i)
            QTest::newRow(exports()[i].name) << int(i);
    }
    void exportsOntoAFullDisk()
    {
        QFETCH(int, index);
        const Export& one = exports().at(std::size_t(index));
        test::SmallDisk disk(16 << 20);
        QVERIFY(disk.isMounted());
        const fs::path file = disk.file(one.file);
        const bool folder = file.extension().empty();
        QVERIFY(!folder || fs::create_directory(file));
        for (const std::size_t room : {0, 4096}) { // nothing, and some of it
            disk.leave(room);
            refused(one.act(*m_library, m_session, file), "");
            QVERIFY(disk.content().empty());
        }
        disk.makeRoom();
        QVERIFY(one.act(*m_library, m_session, file));
        const auto good = disk.content();
        QVERIFY(!good.empty());
        disk.leave(4096);
        QVERIFY(!one.act(*m_library, m_session, file));
        QVERIFY(disk.content() == good);
    }

    void exportsToAReadOnlyDisk_data() { exportsOntoAFullDisk_data(); }
    void exportsToAReadOnlyDisk()
    {
        QFETCH(int, index);
        const Export& one = exports().at(std::size_t(index));
        test::SmallDisk disk(16 << 20);
        QVERIFY(disk.isMounted());
        const fs::path file = disk.file(one.file);
        if (one.name != std::string_view("backup")) // it never replaces a file
            QVERIFY(one.act(*m_library, m_session, file));
        const auto good = disk.content();
        QVERIFY(disk.makeReadOnly());
        refused(one.act(*m_library, m_session, file), "");
        QVERIFY(disk.content() == good);
    }

    //! What was measured before is kept, the error is told, and the library can be used as soon as there is room.
    void recordingFillsTheDisk()
    {
        test::SmallDisk disk(4 << 20);
        const fs::path file = disk.file("library.dynolib");
        auto writer = must(SessionWriter::open(file));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        sample::feedRun(*writer, session, 0);
        QVERIFY(writer->flush());
        disk.leave(64 << 10);
        int whole = 1;
        Expected<void> flushed;
        for (; flushed && whole < 12; whole += flushed ? 1 : 0) {
            sample::feedRun(*writer, session, whole);
            flushed = writer->flush();
        }
        QVERIFY(whole < 12);
        refused(flushed, "full");
        {
            auto library = must(Library::open(file, Library::Mode::ReadOnly));
            const auto stored = must(library->session(session.id));
            QVERIFY(stored.runs.size() >= std::size_t(whole));
            for (int i = 0; i < whole; ++i)
                QCOMPARE(must(library->intervals(stored.runs[std::size_t(i)].id)).size(), std::size_t(20));
        }
        writer.reset();
        disk.makeRoom();
        auto library = must(Library::open(file, Library::Mode::ReadWrite));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
        QCOMPARE(must(library->session(session.id)).info.status, RunStatus::Cut);
        QVERIFY(library->rename(session.id, "there is room again"));
    }

    //! What found no room stays in memory and is written as soon as there is some.
    void recordingGoesOnWhenThereIsRoom()
    {
        test::SmallDisk disk(48 << 20);
        const fs::path file = disk.file("library.dynolib");
        auto writer = must(SessionWriter::open(file));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        QVERIFY(writer->flush());
        disk.leave(0);
        const int runs = int(session.runs.size());
        for (int i = 0; i < runs; ++i)
            sample::feedRun(*writer, session, i);
        refused(writer->flush(), "full");
        QVERIFY(writer->problem() && writer->keptShare() > 0);
        disk.makeRoom();
        QVERIFY(writer->flush());
        QVERIFY(!writer->problem());
        QCOMPARE(writer->keptShare(), 0.0);
        auto library = must(Library::open(file, Library::Mode::ReadOnly));
        const auto stored = must(library->session(session.id));
        QCOMPARE(stored.runs.size(), std::size_t(runs));
        for (const StoredRun& run : stored.runs)
            QCOMPARE(must(library->intervals(run.id)).size(), std::size_t(20));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }

    //! Until the end there is none: all of the session gets into the temporary folder.
    void recordingIsRescuedFromAFullDisk()
    {
        test::SmallDisk disk(48 << 20);
        const QTemporaryDir temporary;
        const QByteArray before = qgetenv("TMPDIR");
        auto writer = must(SessionWriter::open(disk.file("library.dynolib")));
        const SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        QVERIFY(writer->flush());
        disk.leave(0);
        for (int i = 0; i < int(session.runs.size()); ++i)
            sample::feedRun(*writer, session, i);
        SessionSummary end;
        end.finishedMs = session.startedMs + 1000;
        writer->onSessionFinished(end);
        refused(writer->flush(), "full");
        qputenv("TMPDIR", temporary.path().toUtf8());
        const auto rescued = writer->rescue();
        before.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
        QVERIFY2(rescued.has_value(), rescued ? "" : rescued.error().text().c_str());
        QVERIFY2(rescued->string().starts_with(temporary.path().toStdString()), rescued->c_str());
        auto library = must(Library::open(*rescued, Library::Mode::ReadOnly));
        const auto stored = must(library->session(session.id));
        QCOMPARE(stored.info.status, RunStatus::Done);
        QCOMPARE(stored.runs.size(), session.runs.size());
        for (const StoredRun& run : stored.runs)
            QCOMPARE(must(library->intervals(run.id)).size(), std::size_t(20));

        // When there is room, the whole takes the place of the part that the library has.
        writer.reset();
        disk.makeRoom();
        auto own = must(Library::open(disk.file("library.dynolib"), Library::Mode::ReadWrite));
        QCOMPARE(must(own->session(session.id)).info.status, RunStatus::Cut);
        QVERIFY(own->setTags(session.id, {"full disk"}) && own->rename(session.id, "half of it"));
        for (int i = 0; i < 2; ++i) { // the second time nothing is left to do
            QCOMPARE(must(own->importFile(*rescued)), std::vector<std::string>{session.id});
            const auto whole = must(own->session(session.id));
            QCOMPARE(whole.info.status, RunStatus::Done);
            QCOMPARE(whole.info.title, std::string("half of it"));
            QCOMPARE(whole.info.tags, std::vector<std::string>{"full disk"});
            QCOMPARE(whole.runs.size(), session.runs.size());
        }
        QCOMPARE(must(own->sessions(Library::Listing::All)).size(), std::size_t(1));
        QCOMPARE(must(own->check()).problems, std::vector<std::string>());
    }

    //! The library itself on a full disk: each care is refused and changes nothing.
    void careOnAFullDisk_data()
    {
        QTest::addColumn<QString>("action");
        for (const char* action : {"vacuum", "merge", "import", "notes", "move"})
            QTest::newRow(action) << QString(action);
    }
    void careOnAFullDisk()
    {
        QFETCH(QString, action);
        test::SmallDisk disk(16 << 20);
        const fs::path file = disk.file("library.dynolib");
        std::string id;
        if (action != "move") {
            auto writer = must(SessionWriter::open(file));
            sample::Options options;
            options.id = "dddd4444-0000-4000-8000-000000000004";
            id = sample::feed(*writer, options).id;
            QVERIFY(writer->flush());
        }
        const auto act = [&]() -> Expected<void> {
            if (action == "move")
                return outcome(moveLibrary(m_file, file.parent_path()));
            auto library = Library::open(file, Library::Mode::ReadWrite);
            if (!library)
                return fail(library.error());
            if (action == "vacuum")
                return (*library)->vacuum();
            if (action == "merge")
                return outcome((*library)->importFile(m_file));
            if (action == "import")
                return outcome(importResults(file, {DYNO_TEST_DATA "/import/sysbench-oltp.log"}, {}));
            return (*library)->setNotes(id, std::string(100'000, 'n'));
        };
        for (const std::size_t room : {0, 40'000}) {
            disk.leave(room);
            const auto done = act();
            QVERIFY(!done);
            QCOMPARE(done.error().kind, ErrorKind::Storage);
            QVERIFY2(!done.error().remedy.empty(), done.error().text().c_str());
            disk.makeRoom();
            for (const auto& [name, content] : disk.content())
                QVERIFY2(!name.contains(QLatin1String("part")), qPrintable(name));
            const fs::path whole = action == "move" ? m_file : file;
            QVERIFY(fs::is_regular_file(whole));
            const auto library = must(Library::open(whole, Library::Mode::ReadWrite));
            QCOMPARE(must(library->check()).problems, std::vector<std::string>());
            QCOMPARE(must(library->sessions()).size(), std::size_t(1));
            QVERIFY(must(library->sessions()).at(0).notes.empty());
        }
        if (action != "move")
            QVERIFY(act());
    }

    //! A library of an older version is copied before it is changed: without room for the copy it stays as it is.
    void migrationOnAFullDisk()
    {
        test::SmallDisk disk(4 << 20);
        const fs::path file = disk.file("old.dyno");
        fs::copy_file(DYNO_TEST_DATA "/library-v4.dyno", file);
        fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
        const std::string before = contentOf(file);
        for (const std::size_t room : {0, 100'000, 310'000}) {
            disk.leave(room);
            const auto opened = Library::open(file, Library::Mode::ReadWrite);
            QVERIFY(!opened);
            refused(outcome(opened), room > 300'000 ? "full" : "no copy could be made");
            QVERIFY(contentOf(file) == before);
            QVERIFY(must(Library::open(file, Library::Mode::ReadOnly))->sessions()); // still to be read
            disk.makeRoom();
            for (const auto& [name, content] : disk.content()) // a whole copy may stay
                QVERIFY2(name == "old.dyno" || (room > 300'000 && name.startsWith("old.dyno.before-v5")),
                         qPrintable(name));
        }
        QVERIFY(must(Library::open(file, Library::Mode::ReadWrite))->check()->problems.empty());
    }
};

} // namespace dyno::tst_full_disk

int tst_full_disk(int argc, char** argv)
{
    dyno::tst_full_disk::g_forbidden = dyno::test::mayMount();
    QCoreApplication app(argc, argv);
    dyno::tst_full_disk::TestFullDisk test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_full_disk.moc"
