// SPDX-License-Identifier: GPL-3.0-or-later
// Libraries that older versions have written, and what makes them new.
#include "library_rig.h"
#include "store/library/database.h"
#include "store/library/knob_changes.h"
#include "store/library/schema.h"
#include "support/suite.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

namespace dyno::tst_library_versions {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestLibraryVersions : public QObject, LibraryRig
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_shared.isValid());
        makeLibrary();
        makeDyno();
    }

    void init() { copyOriginals(); }

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

    //! Counters of older files are all shown; since version 8 there are some that nobody chose.
    void hiddenCountersSinceVersionEight()
    {
        const auto countersIn = [](const char* file) {
            auto library = must(Library::open(file, Library::Mode::ReadOnly));
            const StoredSession session = must(library->session(must(library->sessions()).at(0).id));
            if (!session.damage.empty())
                qFatal("%s is damaged", file);
            return session.runs.at(1).header.counters;
        };
        const auto before = countersIn(DYNO_TEST_DATA "/library-v7.dyno");
        QCOMPARE(before.size(), std::size_t(2));
        QVERIFY(std::ranges::none_of(before, &CounterInfo::hidden));

        const fs::path fixture = DYNO_TEST_DATA "/library-v8.dyno";
        QCOMPARE(must(Database::open(fixture, Database::Access::Immutable))->number("PRAGMA user_version"),
                 std::int64_t(8));
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
        const StoredSession session = must(library->session(must(library->sessions()).at(0).id));
        QVERIFY(session.sealed && session.damage.empty());
        const OperationSummary& counted = session.runs.at(1).summary.operations.at(0);
        QVERIFY(counted.count > 0 && !counted.rows); // nobody counted rows of operations yet
        const std::vector<CounterInfo>& counters = session.runs.at(1).header.counters;
        QCOMPARE(counters.size(), std::size_t(7));
        for (std::size_t i = 0; i < counters.size(); ++i)
            QCOMPARE(counters[i].hidden, i >= 2);
        QVERIFY(counters[3] == (CounterInfo{"server", "Hidden_1", "", false, true}));
        const auto samples = must(library->intervals(session.runs[1].id));
        QCOMPARE(samples.size(), std::size_t(12));
        QCOMPARE(samples[5].counters.at(0), 1'005'000.0);
        QCOMPARE(samples[5].counters.at(3), 0.25 * (5 * 7 + 1));
        QVERIFY(std::isnan(samples[5].counters.at(4)) && samples[7].counters.at(4) == 0.25 * (7 * 7 + 2));
    }

    //! Changed settings without seals are put back as before.
    void changedSettingsOfVersionSix()
    {
        const fs::path file = m_dir->filePath("six.dynolib").toStdString();
        {
            auto database = must(Database::open(file, Database::Access::Create));
            QVERIFY(createSchema(*database, 6));
            database->exec("INSERT INTO knob_change(target, name, old_value, new_value, changed_ms)"
                           " VALUES('mysql://db', 'sync_binlog', '1', '0', 1)");
            QVERIFY(database->result());
        }
        for (const auto mode : {Library::Mode::ReadOnly, Library::Mode::ReadWrite}) {
            QVERIFY(must(must(Library::open(file, mode))->check()).problems.empty());
            const auto open = must(openChanges(file));
            QCOMPARE(open.size(), std::size_t(1));
            QVERIFY(!open.front().damaged);
        }
        QVERIFY(closeChanges(file, must(openChanges(file))));
        QVERIFY(must(openChanges(file)).empty());
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

private:
    static constexpr int m_versionOneTransactions = 122337;
};

} // namespace dyno::tst_library_versions

DYNO_SUITE(tst_library_versions, dyno::tst_library_versions::TestLibraryVersions)
#include "tst_library_versions.moc"
