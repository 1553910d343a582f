// SPDX-License-Identifier: GPL-3.0-or-later
// The control plane of the ClickHouse driver against a real server.
#include "clickhouse_test.h"
#include "support/suite.h"
#include "support/verify.h"

#include <algorithm>
#include <set>
#include <thread>

namespace dyno::tst_clickhouse_admin {
using namespace dyno::test;

class TestClickhouseAdmin : public dyno::test::ClickhouseTest
{
    Q_OBJECT

    const PreflightItem* find(const PreflightReport& report, const std::string& id) const
    {
        const auto found = std::ranges::find(report.items, id, &PreflightItem::id);
        return found == report.items.end() ? nullptr : &*found;
    }

private slots:
    void facts()
    {
        const auto facts = m_admin->facts();
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QCOMPARE(facts->product, std::string("ClickHouse"));
        QVERIFY(facts->version.find('.') != std::string::npos);
        QCOMPARE(facts->transport, std::string("TCP"));
        QVERIFY(facts->roundTripMs > 0);
        QVERIFY(facts->variables.contains("max_memory_usage"));
        QVERIFY(!driverFor("clickhouse")->serverIdentity(facts->variables).empty());
        QVERIFY(driverFor("clickhouse")->serverIdentity({}).empty());
    }

    void variables()
    {
        QVERIFY(m_admin->variable("max_memory_usage"));
        QVERIFY(!m_admin->variable("it's none"));
        const auto set = m_admin->setVariable("max_memory_usage", Value(std::int64_t(1)));
        QVERIFY(!set);
        QVERIFY2(set.error().remedy.find("connection.max_memory_usage") != std::string::npos,
                 set.error().text().c_str());
    }

    void snapshots()
    {
        auto other = m_server.admin();
        VERIFY_OK(other);
        std::thread busy([&other] { (void)(*other)->query("SELECT sleep(0.5), 'geheim'"); });
        std::vector<SnapshotPart> parts;
        const bool found = QTest::qWaitFor([&] {
            parts = m_admin->snapshot().value_or(std::vector<SnapshotPart>());
            return !parts.empty() && parts[0].brief == "1 statement";
        });
        busy.join();
        QVERIFY(found);
        QCOMPARE(parts.size(), std::size_t(2));
        QVERIFY(parts[0].rows.at(0).at(parts[0].statements).starts_with("SELECT sleep(0.5)"));
        QCOMPARE(parts[1].title, std::string("Merges"));
    }

    void tablesAndShapes()
    {
        const auto names = m_admin->tableNames();
        QVERIFY(names);
        QCOMPARE(*names, std::vector<std::string>{"t"});
        QVERIFY(m_admin->execute("CREATE TABLE default.other (a Int8) ENGINE = Log"));
        const auto elsewhere = m_admin->tablesElsewhere();
        QVERIFY(elsewhere);
        QCOMPARE(*elsewhere, std::vector<std::string>{"default.other"});
        QVERIFY(m_admin->execute("DROP TABLE default.other"));
        QCOMPARE(m_admin->describe("t")->at(1).type, std::string("nullable(int64)"));
        QVERIFY(m_admin->describe("it's none")->empty());
    }

    void notesAndUnfinishedLoads()
    {
        QVERIFY(m_admin->unfinishedLoads()->empty());
        QVERIFY(m_admin->setUnfinishedLoads({"a", "b'\\"}));
        auto loads = *m_admin->unfinishedLoads();
        std::ranges::sort(loads);
        QCOMPARE(loads, (std::vector<std::string>{"a", "b'\\"}));
        QVERIFY(m_admin->setUnfinishedLoads({"a"}));
        QCOMPARE(*m_admin->unfinishedLoads(), std::vector<std::string>{"a"});
        QVERIFY(m_admin->setUnfinishedLoads({}));
        QVERIFY(m_admin->unfinishedLoads()->empty());
        QVERIFY(m_admin->setDataNotes({{"t", "first"}, {"u", "other"}}));
        QVERIFY(m_admin->setDataNotes({{"t", "second"}, {"u", ""}}));
        QCOMPARE(*m_admin->dataNotes(), (DataNotes{{"t", "second"}}));
        QVERIFY(m_admin->setDataNotes({{"t", ""}}));
        QVERIFY(m_admin->dataNotes()->empty());
        QCOMPARE(*m_admin->tableNames(), std::vector<std::string>{"t"}); // nothing stays
    }

    void sizesAndSettling()
    {
        for (int i = 0; i < 50; ++i) // so many parts that the server merges some by itself meanwhile
            QVERIFY(
                m_admin->execute("INSERT INTO t (id, i, c) SELECT number, number, 'the same text' FROM system.numbers "
                                 "LIMIT 2000"));
        QVERIFY(m_admin->settle({"t"}));
        QCOMPARE(cell("SELECT count() FROM system.parts WHERE active AND database = 'sbtest' AND table = 't'"),
                 std::string("1"));
        QVERIFY(m_admin->prewarm({"t"}));
        const auto bytes = m_admin->dataBytes({"t"});
        QVERIFY(bytes > 1000);
        QVERIFY(m_admin->dataBytes({}) >= bytes);
        QCOMPARE(m_admin->dataBytes({"none"}), std::uint64_t(0));
        const auto parts = m_admin->dataParts({"t"});
        const auto sizeOf = [&parts](const std::string& kind) {
            const auto found = std::ranges::find(parts, kind, &DataPart::kind);
            return found == parts.end() ? std::uint64_t(0) : found->bytes;
        };
        QCOMPARE(sizeOf("collection"), bytes);
        QVERIFY(sizeOf("before compression") > 1'400'000); // 100 000 texts of 13 bytes and their lengths alone
        QVERIFY(sizeOf("before compression") > bytes);     // which compress well
        const auto text = std::ranges::find(parts, "t.c", &DataPart::name);
        QVERIFY(text != parts.end());
        QCOMPARE(text->kind, std::string("column"));
        QVERIFY(text->bytes > 0 && text->bytes < bytes);
        QVERIFY(m_admin->dataFolder().starts_with(m_server.folder().string()));
        QVERIFY(!m_admin->settle({"none"}));
        // One part for each partition, whatever the order of the inserts was.
        QVERIFY(m_admin->execute("CREATE TABLE p (d Date, i Int64) ENGINE = MergeTree PARTITION BY toYYYYMM(d) "
                                 "ORDER BY i"));
        for (int i = 0; i < 10; ++i)
            QVERIFY(m_admin->execute("INSERT INTO p SELECT toDate('2019-01-15') + 30 * (number % 3), number FROM "
                                     "system.numbers LIMIT 300"));
        QVERIFY(m_admin->settle({"t", "p"}));
        QCOMPARE(cell("SELECT count() FROM system.parts WHERE active AND database = 'sbtest' AND table = 'p'"),
                 std::string("3"));
        QVERIFY(m_admin->execute("DROP TABLE p"));
    }

    void countersMove()
    {
        const auto infos = m_admin->counters();
        QVERIFY(infos.size() > 15);
        const auto before = m_admin->counterValues();
        QVERIFY(before);
        QCOMPARE(before->size(), infos.size());
        QVERIFY(m_admin->execute("INSERT INTO t (id) VALUES (1), (2), (3)"));
        const auto after = m_admin->counterValues();
        QVERIFY(after);
        const auto moved = [&](const std::string& name) {
            const auto found = std::ranges::find(infos, name, &CounterInfo::name);
            const auto at = std::size_t(found - infos.begin());
            return found == infos.end() ? -1.0 : (*after)[at] - (*before)[at];
        };
        QCOMPARE(moved("InsertedRows"), 3.0);
        QVERIFY(moved("Query") >= 2.0);
        QCOMPARE(moved("RejectedInserts"), 0.0);
        // All others are kept behind these, events as counts and the rest as levels.
        const auto hidden = std::ranges::find(infos, true, &CounterInfo::hidden);
        QVERIFY2(infos.end() - hidden > 50 && infos.size() <= kMostCounters,
                 qPrintable(QString("%1 of %2").arg(infos.end() - hidden).arg(infos.size())));
        QVERIFY(std::all_of(hidden, infos.end(), [](const CounterInfo& one) {
            return one.hidden && one.rate == (one.name.find(" (now)") == std::string::npos);
        }));
        std::set<std::string> names;
        for (const CounterInfo& one : infos)
            QVERIFY2(names.insert(one.name).second, one.name.c_str());
        QVERIFY(moved("NetworkReceiveBytes") > 0 || moved("ContextLock") > 0); // as versions have them
    }

    void preflight()
    {
        PreflightNeeds needs;
        needs.users = 4;
        needs.creates = true;
        const auto report = m_admin->preflight(needs);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(!report->blocked());
        QVERIFY(find(*report, "cipher") && find(*report, "query_memory"));
        QVERIFY(!find(*report, "read_only"));
        TargetUri uri = m_server.uri();
        uri.user = kClickhouseReader;
        const auto limited = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
        QVERIFY2(limited, limited ? "" : limited.error().text().c_str());
        const auto refused = (*limited)->preflight(needs);
        QVERIFY(refused && refused->blocked());
        QVERIFY(find(*refused, "read_only"));
        needs.creates = false;
        needs.rights = {"SELECT"};
        QVERIFY(!(*limited)->preflight(needs)->blocked());
    }

    //! Which right is missing is told before anything is loaded.
    void rights()
    {
        PreflightNeeds needs;
        needs.creates = true;
        needs.rights = {"CREATE", "DROP", "INSERT", "SELECT", "DELETE"};
        const auto all = m_admin->preflight(needs);
        QVERIFY(all && !all->blocked());
        QCOMPARE(find(*all, "rights")->level, PreflightLevel::Ok);
        TargetUri uri = m_server.uri();
        uri.user = kClickhouseWriter;
        const auto writer = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
        QVERIFY2(writer, writer ? "" : writer.error().text().c_str());
        const auto refused = (*writer)->preflight(needs);
        QVERIFY(refused && refused->blocked());
        QCOMPARE(refused->missingRights,
                 (std::vector<std::string>{"CREATE TABLE on sbtest.*", "DROP TABLE on sbtest.*"}));
        QVERIFY(find(*refused, "rights")->what.find("writer has no CREATE TABLE on sbtest.*") != std::string::npos);
        QVERIFY(!(*writer)->execute("CREATE TABLE made (a Int8) ENGINE = Log")); // it is so
        needs.creates = false;
        needs.rights = {"INSERT", "SELECT"};
        const auto writes = (*writer)->preflight(needs);
        QVERIFY(writes && !writes->blocked() && writes->missingRights.empty());
        uri.user = kClickhouseStranger;
        const auto stranger = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
        QVERIFY(!stranger);
        const std::string text = stranger.error().text();
        QVERIFY2(text.find("stranger may not use the database \"sbtest\"") != std::string::npos, text.c_str());
    }

    void commandsThatFail()
    {
        const auto wrong = m_admin->execute("DROP TABLE nowhere");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().kind, ErrorKind::Refused);
        QVERIFY2(wrong.error().text().find("60") != std::string::npos, wrong.error().text().c_str());
        QCOMPARE(cell("SELECT 'a\\tb\\n'"), std::string("a\tb\n"));
        TargetUri uri = m_server.uri();
        uri.database = "no_such";
        const auto none = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
        QVERIFY(!none);
        QVERIFY2(none.error().text().find("no database") != std::string::npos, none.error().text().c_str());
    }
};

} // namespace dyno::tst_clickhouse_admin

DYNO_SUITE(tst_clickhouse_admin, dyno::tst_clickhouse_admin::TestClickhouseAdmin)
#include "tst_clickhouse_admin.moc"
