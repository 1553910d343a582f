// SPDX-License-Identifier: GPL-3.0-or-later
// Loads that end early, on a SQLite file: nothing half loaded is ever taken for whole.
#include "load/data/data_jobs.h"
#include "load/data/dataset.h"
#include "store/session/session_writer.h"
#include "support/file_locks.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <dyno/library.h>

#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <sqlite3.h>

namespace dyno::tst_dataset {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRows = 50'000;

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

#define VERIFY_SAME(read, note)                                                                                        \
    do {                                                                                                               \
        const auto back = read;                                                                                        \
        QVERIFY(back);                                                                                                 \
        QVERIFY(back->origin.data == (note).origin.data && back->origin.version == (note).origin.version &&            \
                back->origin.seed == (note).origin.seed && back->origin.params == (note).origin.params &&              \
                back->rows == (note).rows && back->columns == (note).columns);                                         \
    } while (false)

class TstDataset : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    ConnectTarget m_target;
    std::unique_ptr<Admin> m_admin;
    bool m_ours = false;

    struct Loaded
    {
        Expected<bool> done = false;
        std::vector<std::string> warnings;
        LoadProgress last;
        LoadResult result;
    };
    Loaded load(PreparePolicy policy = PreparePolicy::Auto, std::uint64_t stopAt = UINT64_MAX, int tables = 2,
                const Settings& params = {})
    {
        Settings all = params;
        all.try_emplace("tables", std::int64_t(tables));
        all.try_emplace("table_size", kRows);
        const auto workload = test::bind("oltp_read_write", all, "sqlite");
        Loaded loaded;
        DatasetJob job{*driverFor("sqlite"), *m_admin, m_target, *workload, policy};
        job.ours = m_ours;
        job.result = &loaded.result;
        PointSpec point;
        point.workload.name = "oltp_read_write";
        point.workload.params = all;
        point.load.seed = job.seed;
        job.origin = originOf(point);
        loaded.done = ensureDataset(
            job,
            [&](const LoadProgress& now) {
                loaded.last = now;
                return now.rows < stopAt;
            },
            loaded.warnings);
        return loaded;
    }
    Loaded loadFew(PreparePolicy policy = PreparePolicy::Auto)
    {
        return load(policy, UINT64_MAX, 2, {{"table_size", std::int64_t(500)}});
    }
    //! What a stopped load leaves: what it had begun is removed, or stays with its mark, as the message says. The slice
    //! under way has two seconds to end, so both may be on a busy machine.
    void compareLeft(const Loaded& stopped, const std::string& removed, const std::string& kept)
    {
        QVERIFY(!stopped.done);
        const Error& error = stopped.done.error();
        QCOMPARE(error.kind, ErrorKind::Interrupted);
        const bool replaced = contains(error.remedy, "the next load replaces them");
        QVERIFY2(replaced || contains(error.remedy, "removed"), error.text().c_str());
        QCOMPARE(tables(), replaced ? kept : removed);
    }
    std::string cell(std::string_view query)
    {
        const auto rows = m_admin->query(query);
        return rows && !rows->empty() ? rows->front().front() : std::string("(no row)");
    }
    std::string tables()
    {
        return cell(
            "SELECT coalesce(group_concat(name), '') FROM (SELECT name FROM sqlite_master WHERE type = 'table' AND "
            "name <> 'dynobench_meta' ORDER BY name)");
    }

private slots:
    void init()
    {
        static int number = 0;
        m_ours = false;
        auto uri = parseUri("sqlite:" + m_dir.filePath(QString("t%1.db").arg(++number)).toStdString());
        QVERIFY(uri);
        m_target.uri = *uri;
        Faults faults;
        m_target.connection = resolve(driverFor("sqlite")->info().connection, {{"synchronous", std::string("OFF")}},
                                      "connection", faults);
        auto admin = driverFor("sqlite")->admin(m_target);
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }

    void wholeLoadLeavesNoMark()
    {
        const Loaded loaded = load();
        QVERIFY2(loaded.done && *loaded.done, loaded.done ? "" : loaded.done.error().text().c_str());
        QVERIFY(loaded.warnings.empty()); // SQLite has no bulk path: nothing to say
        QVERIFY(loaded.last.note.empty());
        QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
        QVERIFY(loaded.result.indexSeconds);
        const Loaded again = load();
        QVERIFY(again.done && !*again.done && !again.result.indexSeconds);
        QVERIFY(m_admin->drop("sbtest2"));
        const Loaded half = load(); // its time is not that of both tables
        QVERIFY(half.done && *half.done && !half.result.indexSeconds);
    }

    //! Another program writes: the load waits for it, says so meanwhile, and counts what it sent again.
    void busyBeginIsRepeated()
    {
        const auto workload = test::bind("oltp_read_write", {{"table_size", kRows}}, "sqlite");
        QVERIFY(m_admin->execute(workload->tables().front().create));
        auto target = std::make_shared<ConnectTarget>(m_target);
        target->connection.insert_or_assign("busy_timeout", std::int64_t(300));
        target->statements = workload->loaderStatements();
        target->loader = true;
        sqlite3* holder = nullptr;
        QCOMPARE(sqlite3_open(m_target.uri.path.c_str(), &holder), SQLITE_OK);
        const auto closed = qScopeGuard([&holder] { sqlite3_close(holder); });
        QCOMPARE(sqlite3_exec(holder, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        LoadProgress waited;
        bool rowsWait = false;
        LoadResult result;
        const auto done = loadTables(
            {*driverFor("sqlite"), target, *workload, workload->tables(), 1, 7},
            [&](const LoadProgress& now) {
                rowsWait = rowsWait || (now.rows > 0 && now.tries > 0);
                if (now.tries >= 2 && waited.tries == 0) {
                    waited = now;
                    sqlite3_exec(holder, "ROLLBACK", nullptr, nullptr, nullptr);
                }
                return true;
            },
            result);
        QVERIFY2(done, done ? "" : done.error().text().c_str());
        const std::string text = toText(waited);
        QVERIFY2(contains(text, fmt::format("0 of {} rows, retrying after a lock conflict, try {} of {} (error 5: ",
                                            kRows, waited.tries, kMostLoadTries)),
                 text.c_str());
        QVERIFY(!rowsWait);
        QCOMPARE(result.retries.size(), std::size_t(1));
        QVERIFY(result.retries.at(5) >= 1); // SQLITE_BUSY
        QCOMPARE(cell("SELECT count(*) FROM sbtest1"), std::to_string(kRows));
        ProgressReport report;
        putInto(report, waited);
        QCOMPARE(report.text, text);
        QVERIFY(report.tries == waited.tries && report.mostTries == kMostLoadTries &&
                report.waitsFor == waited.waitsFor && report.total == std::uint64_t(kRows));
    }

    void cancelledLoadKeepsOnlyWhatIsComplete()
    {
        const Loaded first = load(PreparePolicy::Auto, 1, 1, {{"table_size", std::int64_t(1'000'000)}});
        compareLeft(first, "", "dynobench_loading,sbtest1");
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1).done);
        const Loaded second = load(PreparePolicy::Auto, 1, 2, {{"table_size", kRows}});
        // The first table is whole and stays; the second was only asked for, and a stop that comes too late is no stop.
        if (second.done)
            QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
        else
            compareLeft(second, "sbtest1", "dynobench_loading,sbtest1,sbtest2");
        QCOMPARE(cell("SELECT count(*) FROM sbtest1"), std::to_string(kRows));
    }

    void notesCanBeReadBack()
    {
        DataNote note{
            {"sbtest", 3, 77, {{"table_size", "1000"}, {"create_table_options", "ROW_FORMAT='x' \"y\" 50%&a=b\\ü"}}},
            1000,
            {"id", "k"}};
        const std::string text = toText(note);
        QVERIFY2(text.find_first_of("'\"\\ ") == std::string::npos, text.c_str());
        VERIFY_SAME(readDataNote(text), note);
        QVERIFY(m_admin->setDataNotes({{"a", text}, {"it's", "x"}}));
        VERIFY_SAME(readDataNote(m_admin->dataNotes().value().at("a")), note);
        QVERIFY(m_admin->setDataNotes({{"it's", ""}}));
        QCOMPARE(m_admin->dataNotes().value().size(), std::size_t(1));
        QVERIFY(m_admin->setDataNotes({{"a", ""}}));
        QCOMPARE(cell("SELECT count(*) FROM sqlite_master"), std::string("0"));
        for (const char* other :
             {"", "dynobench2&data=a", "dynobench1&data=&rows=1", "dynobench1&data=a&rows=x", "rubbish", "dynobench1"})
            QVERIFY2(!readDataNote(other), other);
    }

    //! Data of other parameters is refused with what differs, used or rebuilt when told so; ours is rebuilt unasked.
    void otherParametersAreNoticed()
    {
        const Settings small{{"table_size", std::int64_t(100)}}, large{{"table_size", std::int64_t(150)}};
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 2, small).done);
        for (const PreparePolicy policy : {PreparePolicy::Auto, PreparePolicy::Never}) {
            const Loaded refused = load(policy, UINT64_MAX, 2, large);
            QVERIFY(!refused.done);
            QCOMPARE(refused.done.error().kind, ErrorKind::Refused);
            QVERIFY2(contains(refused.done.error().message, "table_size 100 instead of 150"),
                     refused.done.error().text().c_str());
            QVERIFY(contains(refused.done.error().remedy, "--existing rebuild") &&
                    contains(refused.done.error().remedy, "dyno cleanup"));
        }
        QCOMPARE(cell("SELECT count(*) FROM sbtest1"), std::string("100"));
        // The number of tables says nothing about what is in one.
        const Loaded one = load(PreparePolicy::Never, UINT64_MAX, 1, small);
        QVERIFY(one.done && one.warnings.empty());
        const Loaded used = load(PreparePolicy::Use, UINT64_MAX, 2, large);
        QVERIFY(used.done && !*used.done);
        QVERIFY(contains(used.warnings.at(0), "table_size 100 instead of 150"));
        m_ours = true;
        const Loaded ours = load(PreparePolicy::Auto, UINT64_MAX, 2, large);
        QVERIFY(ours.done && *ours.done && ours.warnings.empty());
        QCOMPARE(cell("SELECT count(*) FROM sbtest2"), std::string("150"));
        m_ours = false;
        QVERIFY(load(PreparePolicy::Always, UINT64_MAX, 2, small).done);
        QVERIFY(load(PreparePolicy::Never, UINT64_MAX, 2, small).done);
    }

    //! The look before the run finds the same.
    void preflightSaysSo()
    {
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1, {{"table_size", std::int64_t(100)}}).done);
        Plan plan;
        plan.target.uri = m_target.uri.display();
        plan.workload.name = "oltp_read_write";
        const auto found = [&](std::int64_t rows, PreparePolicy policy) {
            plan.workload.params = {{"table_size", rows}};
            plan.workload.prepare = policy;
            const auto reports = preflight(plan, {});
            std::string text;
            for (const PreflightItem& item : reports ? reports->at(0).items : std::vector<PreflightItem>())
                text += item.level == PreflightLevel::Blocker ? item.what + "; " : std::string();
            return reports ? text : reports.error().text();
        };
        for (const PreparePolicy policy : {PreparePolicy::Auto, PreparePolicy::Never})
            QVERIFY2(contains(found(150, policy), "loaded with other parameters: table_size 100 instead of 150"),
                     found(150, policy).c_str());
        for (const PreparePolicy policy : {PreparePolicy::Always, PreparePolicy::Use})
            QCOMPARE(found(150, policy), std::string());
        QCOMPARE(found(100, PreparePolicy::Auto), std::string());
        QVERIFY(m_admin->execute("INSERT INTO sbtest1 (k, c, pad) SELECT k, c, pad FROM sbtest1 LIMIT 50"));
        QCOMPARE(found(150, PreparePolicy::Auto), std::string());
    }

    //! A look at the file of a session that runs takes away no lock of its users: else another process could write
    //! meanwhile, or believe that it is the last one and delete the log.
    void preflightLeavesLocksAlone()
    {
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1, {{"table_size", std::int64_t(100)}}).done);
        const std::string file = m_target.uri.path;
        QVERIFY(!isLocked(file));
        m_target.statements = {{"SELECT COUNT(*) FROM sbtest1", {}, false}};
        auto user = driverFor("sqlite")->open(std::make_shared<const ConnectTarget>(m_target));
        QVERIFY(user);
        TestUser running(std::move(*user), 1);
        QVERIFY(complete(stepOf(running.context, Request::step(RequestKind::Connect)), running.context).outcome ==
                Outcome::Ok);
        QVERIFY(complete(stepOf(running.context, Request::prepare(StatementId(0))), running.context).outcome ==
                Outcome::Ok);
        QVERIFY(complete(stepOf(running.context, Request::execute(StatementId(0), {})), running.context).outcome ==
                Outcome::Ok);
        QVERIFY(isLocked(file));
        Plan plan;
        plan.target.uri = m_target.uri.display();
        plan.workload.name = "oltp_read_write";
        plan.workload.params = {{"table_size", std::int64_t(100)}};
        const auto reports = preflight(plan, {});
        QVERIFY(reports && !reports->front().blocked());
        QVERIFY(isLocked(file));
        QVERIFY(!readPlan(file).plan);
        QVERIFY(isLocked(file));
    }

    //! A library, or a .dyno file, that is named as a target stays what it is, whatever is asked for.
    void sessionsAreNoTarget()
    {
        const std::string file = m_dir.filePath("mine.dynolib").toStdString();
        QVERIFY(SessionWriter::open(file));
        const auto bytes = [&file] {
            QFile read(QString::fromStdString(file));
            return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
        };
        const QByteArray before = bytes();
        QVERIFY(before.size() > 100);
        Plan plan;
        plan.target.uri = "sqlite:" + file;
        plan.workload.name = "oltp_read_write";
        plan.workload.params = {{"table_size", std::int64_t(10)}};
        plan.load.timeSeconds = 2;
        const auto reports = lookBeforeStart(plan, {});
        QCOMPARE(reports.size(), std::size_t(1));
        QVERIFY(reports.front().blocked());
        QVERIFY2(contains(reports.front().items.front().what, "holds sessions"),
                 reports.front().items.front().what.c_str());
        const std::vector<Expected<void>> refused{prepareData(plan, {}, {}), cleanupData(plan, {}),
                                                  checkData(plan, {}, {}).map([](const auto&) {})};
        for (const Expected<void>& one : refused) {
            QVERIFY(!one);
            QVERIFY2(one.error().kind == ErrorKind::Refused, one.error().text().c_str());
            QCOMPARE(one.error().where, file);
            QVERIFY2(contains(one.error().text(), "holds sessions") && contains(one.error().remedy, "another file"),
                     one.error().text().c_str());
        }
        // Nor is a target before it loaded in vain.
        const std::string fresh = m_dir.filePath("fresh.db").toStdString();
        Plan both = plan;
        both.axes.push_back(
            {"file",
             {{"fresh", {{"target.uri", "sqlite:" + fresh}}, 0}, {"mine", {{"target.uri", "sqlite:" + file}}, 0}},
             0});
        const auto prepared = prepareData(both, {}, {});
        QVERIFY(!prepared);
        QVERIFY2(contains(prepared.error().text(), "holds sessions"), prepared.error().text().c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(fresh)));
        ConnectTarget target = m_target;
        target.uri = *parseUri(plan.target.uri);
        const auto admin = driverFor("sqlite")->admin(target);
        QVERIFY(!admin);
        QVERIFY2(contains(admin.error().text(), "holds sessions"), admin.error().text().c_str());
        QVERIFY(bytes() == before);
        QVERIFY(Library::open(file, Library::Mode::ReadWrite));
    }

    //! A run whose keys repeat needs the table as it was loaded: with `retention` a run leaves fewer readings, and its
    //! own among them.
    void keysRepeatInASmallerTableToo()
    {
        const auto workload = test::bind("sensordata",
                                         {{"sensors", std::int64_t(10)},
                                          {"rows_per_insert", std::int64_t(10)},
                                          {"initial_rows", std::int64_t(1000)},
                                          {"retention", std::int64_t(20)}},
                                         "sqlite");
        std::vector<std::string> warnings;
        const auto ensure = [&](PreparePolicy policy) {
            warnings.clear();
            return ensureDataset({*driverFor("sqlite"), *m_admin, m_target, *workload, policy}, {}, warnings);
        };
        const auto loaded = ensure(PreparePolicy::Auto);
        QVERIFY2(loaded && *loaded, loaded ? "" : loaded.error().text().c_str());
        const auto same = ensure(PreparePolicy::Auto);
        QVERIFY(same && !*same);
        for (const char* change :
             {"DELETE FROM sensordata WHERE sensor_id = 3", "INSERT INTO sensordata SELECT ts + 1000, sensor_id, "
                                                            "data1, data2, data3, data4, data5, cnt FROM sensordata"}) {
            QVERIFY(m_admin->execute(change));
            for (const PreparePolicy policy : {PreparePolicy::Auto, PreparePolicy::Never}) {
                const auto refused = ensure(policy);
                QVERIFY2(!refused, change);
                QCOMPARE(refused.error().kind, ErrorKind::Refused);
                QVERIFY2(contains(refused.error().message, "keys that a run inserts") &&
                             contains(refused.error().remedy, "--existing rebuild"),
                         refused.error().text().c_str());
            }
            const auto used = ensure(PreparePolicy::Use);
            QVERIFY(used && !*used && warnings.size() == 1);
            const auto anew = ensure(PreparePolicy::Always);
            QVERIFY(anew && *anew);
        }
        // Ids that the server gives never repeat: there another number of rows is said only.
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1, {{"table_size", std::int64_t(100)}}).done);
        QVERIFY(m_admin->execute("DELETE FROM sbtest1 WHERE id < 20"));
        const Loaded fewer = load(PreparePolicy::Auto, UINT64_MAX, 1, {{"table_size", std::int64_t(100)}});
        QVERIFY(fewer.done && !*fewer.done && fewer.warnings.size() == 1);
    }

    //! Another program's table that has taken the place of ours is used as any other, and that is said.
    void anOldNoteDoesNotMatter()
    {
        const Settings small{{"table_size", std::int64_t(100)}}, large{{"table_size", std::int64_t(150)}};
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1, small).done);
        QVERIFY(m_admin->execute("INSERT INTO sbtest1 (k, c, pad) SELECT k, c, pad FROM sbtest1 LIMIT 50"));
        const Loaded replaced = load(PreparePolicy::Auto, UINT64_MAX, 1, large);
        QVERIFY2(replaced.done && !*replaced.done, replaced.done ? "" : replaced.done.error().text().c_str());
        QCOMPARE(replaced.warnings.size(), std::size_t(1));
        QVERIFY2(contains(replaced.warnings.at(0), "sbtest1 holds 150 rows, 100 were loaded"),
                 replaced.warnings.at(0).c_str());
    }

    //! A note of a later version, or a damaged one: said while the table is used, gone with the data that it was of.
    void aNoteThatCannotBeRead()
    {
        const auto noteOf = [this](const std::string& table) { return m_admin->dataNotes().value()[table]; };
        QVERIFY(loadFew().done);
        QVERIFY(m_admin->setDataNotes({{"sbtest1", "2&data=?"}, {"sbtest2", "\x01"}}));
        const Loaded used = loadFew();
        QVERIFY(used.done && !*used.done);
        QCOMPARE(used.warnings.size(), std::size_t(2));
        QVERIFY2(contains(used.warnings.at(0), "sbtest1") && contains(used.warnings.at(0), "is unreadable"),
                 used.warnings.at(0).c_str());
        QCOMPARE(noteOf("sbtest1"), std::string("2&data=?")); // not ours to change as long as the data is used
        QVERIFY(loadFew(PreparePolicy::Always).done);
        QVERIFY(readDataNote(noteOf("sbtest1")) && readDataNote(noteOf("sbtest2")));
        QVERIFY(m_admin->setDataNotes({{"sbtest1", "2&data=?"}}));
        QVERIFY(
            dropDataset(*m_admin, *test::bind("oltp_read_write", {{"tables", std::int64_t(2)}}, "sqlite"), 1, false));
        QVERIFY(m_admin->dataNotes().value().empty());
    }

    //! A table with other columns is dropped when told so only if we made it.
    void otherColumnsOfOursAreRebuilt()
    {
        QVERIFY(m_admin->execute("CREATE TABLE sbtest1 (id INT, mine TEXT)"));
        QVERIFY(!load(PreparePolicy::Always, UINT64_MAX, 1, {{"table_size", std::int64_t(10)}}).done);
        const auto instance = test::bind("oltp_read_write", {}, "sqlite");
        QVERIFY(!dropDataset(*m_admin, *instance, 1, false));
        const DataNote note{{"sbtest", 1, 1, {{"table_size", "20"}}}, 20, {"id", "mine"}};
        QVERIFY(m_admin->setDataNotes({{"sbtest1", toText(note)}}));
        const Loaded refused = load(PreparePolicy::Never, UINT64_MAX, 1, {{"table_size", std::int64_t(10)}});
        QVERIFY(!refused.done && contains(refused.done.error().message, "table_size 20 instead of 10"));
        QVERIFY(load(PreparePolicy::Always, UINT64_MAX, 1, {{"table_size", std::int64_t(10)}}).done);
        QVERIFY(dropDataset(*m_admin, *instance, 1, false));
        QCOMPARE(cell("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"),
                 std::string("0"));
    }

    void markedTableIsLoadedAgain()
    {
        QVERIFY(loadFew().done);
        // Killed while the index was built: all rows are there.
        QVERIFY(m_admin->execute("DROP INDEX k_2"));
        QVERIFY(m_admin->setUnfinishedLoads({"sbtest2"}));
        const Loaded never = loadFew(PreparePolicy::Never);
        QVERIFY(!never.done);
        QCOMPARE(never.done.error().kind, ErrorKind::Refused);
        QVERIFY(contains(never.done.error().text(), "sbtest2 is incomplete"));
        const Loaded again = loadFew();
        QVERIFY(again.done && *again.done);
        QCOMPARE(again.warnings.size(), std::size_t(1));
        QVERIFY(contains(again.warnings.front(), "sbtest2"));
        QCOMPARE(cell("SELECT count(*) FROM sqlite_master WHERE name = 'k_2'"), std::string("1"));
        QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
    }

    void droppingForgetsTheMark()
    {
        QVERIFY(loadFew().done);
        QVERIFY(m_admin->setUnfinishedLoads({"it's another", "sbtest1"}));
        QVERIFY(
            dropDataset(*m_admin, *test::bind("oltp_read_write", {{"tables", std::int64_t(2)}}, "sqlite"), 1, false));
        const auto left = m_admin->unfinishedLoads();
        QVERIFY(left);
        QCOMPARE(*left, std::vector<std::string>{"it's another"});
    }

    //! A run that was killed in the middle of its steps left its copy; a table of another name is not ours.
    void whatARunMadeGoesToo()
    {
        const auto instance = test::bind("oltp_ddl", {{"table_size", std::int64_t(10)}}, "sqlite");
        QVERIFY(m_admin->execute("CREATE TABLE dynobench_copy (id INT)"));
        QVERIFY(m_admin->execute("CREATE TABLE dynobench_copy_of_mine (id INT)"));
        QVERIFY(dropDataset(*m_admin, *instance, 1, false)); // also where the loaded table is gone
        QCOMPARE(cell("SELECT group_concat(name) FROM sqlite_master WHERE type = 'table'"),
                 std::string("dynobench_copy_of_mine"));
        QVERIFY(dropDataset(*m_admin, *instance, 1, false));
    }

    //! The server's words and the table are in the message, and what was made is gone.
    void fullDiskIsNamed()
    {
        m_target.connectionExtra = {{"max_page_count", std::int64_t(500)}};
        const Loaded loaded = load(PreparePolicy::Auto, UINT64_MAX, 1);
        QVERIFY(!loaded.done);
        const std::string text = loaded.done.error().text();
        QVERIFY2(contains(text, "loading sbtest1 failed") && contains(text, "database or disk is full"), text.c_str());
        QCOMPARE(tables(), std::string());
    }
};

} // namespace dyno::tst_dataset

DYNO_SUITE(tst_dataset, dyno::tst_dataset::TstDataset)
#include "tst_dataset.moc"
