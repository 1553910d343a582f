// SPDX-License-Identifier: GPL-3.0-or-later
// Loads that end early, on a SQLite file: nothing half loaded is ever taken for whole.
#include "load/dataset.h"
#include "support/workload_harness.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace dyno;
using namespace dyno::test;

namespace {

constexpr std::int64_t kRows = 50'000;

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TstDataset : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    ConnectTarget m_target;
    std::unique_ptr<Admin> m_admin;

    struct Loaded
    {
        Expected<bool> done = false;
        std::vector<std::string> warnings;
        LoadProgress last;
    };
    Loaded load(PreparePolicy policy = PreparePolicy::Auto, std::uint64_t stopAt = UINT64_MAX, int tables = 2,
                const Settings& params = {})
    {
        Settings all = params;
        all.try_emplace("tables", std::int64_t(tables));
        all.try_emplace("table_size", kRows);
        const auto workload = test::bind("oltp_read_write", all, "sqlite");
        Loaded loaded;
        const DatasetJob job {*driverFor("sqlite"), *m_admin, m_target, *workload, policy};
        loaded.done = ensureDataset(
            job,
            [&](const LoadProgress& now) {
                loaded.last = now;
                return now.rows < stopAt;
            },
            loaded.warnings);
        return loaded;
    }
    std::string cell(std::string_view query)
    {
        const auto rows = m_admin->query(query);
        return rows && !rows->empty() ? rows->front().front() : std::string("(no row)");
    }
    std::string tables()
    {
        return cell("SELECT coalesce(group_concat(name), '') FROM (SELECT name FROM sqlite_master WHERE type = 'table' ORDER "
                    "BY name)");
    }

private slots:
    void init()
    {
        static int number = 0;
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
        const Loaded again = load();
        QVERIFY(again.done && !*again.done);
    }

    void cancelledLoadKeepsOnlyWhatIsComplete()
    {
        // Stopped when the first table is there and the second has begun.
        const Loaded first = load(PreparePolicy::Auto, 1, 1, {{"table_size", std::int64_t(1'000'000)}});
        QVERIFY(!first.done);
        QCOMPARE(first.done.error().kind, ErrorKind::Interrupted);
        QVERIFY2(contains(first.done.error().remedy, "removed"), first.done.error().text().c_str());
        QCOMPARE(tables(), std::string());
        QVERIFY(load(PreparePolicy::Auto, UINT64_MAX, 1).done);
        const Loaded second = load(PreparePolicy::Auto, 1, 2, {{"table_size", kRows}});
        // The first table is whole and stays; the second was wanted only.
        QVERIFY(!second.done || second.last.rows == std::uint64_t(kRows));
        QVERIFY2(tables() == "sbtest1" || tables() == "sbtest1,sbtest2",
                 (tables() + ": " + (second.done ? "loaded" : second.done.error().text())).c_str());
        QCOMPARE(cell("SELECT count(*) FROM sbtest1"), std::to_string(kRows));
    }

    void markedTableIsLoadedAgain()
    {
        QVERIFY(load().done);
        // Killed while the index was built: all rows are there.
        QVERIFY(m_admin->execute("DROP INDEX k_2"));
        QVERIFY(m_admin->setUnfinishedLoads({"sbtest2"}));
        const Loaded never = load(PreparePolicy::Never);
        QVERIFY(!never.done);
        QCOMPARE(never.done.error().kind, ErrorKind::Refused);
        QVERIFY(contains(never.done.error().text(), "sbtest2 is incomplete"));
        const Loaded again = load();
        QVERIFY(again.done && *again.done);
        QCOMPARE(again.warnings.size(), std::size_t(1));
        QVERIFY(contains(again.warnings.front(), "sbtest2"));
        QCOMPARE(cell("SELECT count(*) FROM sqlite_master WHERE name = 'k_2'"), std::string("1"));
        QCOMPARE(tables(), std::string("sbtest1,sbtest2"));
    }

    void droppingForgetsTheMark()
    {
        QVERIFY(load().done);
        QVERIFY(m_admin->setUnfinishedLoads({"it's another", "sbtest1"}));
        QVERIFY(dropDataset(*m_admin, *test::bind("oltp_read_write", {{"tables", std::int64_t(2)}}, "sqlite"), 1));
        const auto left = m_admin->unfinishedLoads();
        QVERIFY(left);
        QCOMPARE(*left, std::vector<std::string> {"it's another"});
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

QTEST_GUILESS_MAIN(TstDataset)
#include "tst_dataset.moc"
