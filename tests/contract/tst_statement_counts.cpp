// SPDX-License-Identifier: GPL-3.0-or-later
// A transaction is made of the statements that its definition says, as the server itself counts them (Com_*,
// pg_stat_statements). What is expected is written here by hand from the definitions; where a definition depends on
// what is found (a link that is there or not, a district without a new order) what the tables have become tells it.
#include "contract/small_data.h"
#include "contract/sql_places.h"
#include "contract/statement_counts.h"
#include "load/data/dataset.h"
#include "support/long_form.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace dyno::tst_statement_counts {
using namespace dyno::test;

namespace {

//! "begin commit select insert update delete" as numbers.
Counts parsed(const QString& text)
{
    const QStringList parts = text.split(' ');
    Counts counts;
    constexpr std::array<Kind, 6> kOrder{Begin, Commit, Select, Insert, Update, Delete};
    for (std::size_t i = 0; i < kOrder.size(); ++i)
        counts.of[kOrder[i]] = parts.at(qsizetype(i)).toLongLong();
    return counts;
}

//! How a workload is opened on a server.
struct Opening
{
    bool loads = true; //!< false: its tables are there
    int users = 1;
    std::uint64_t seed = 11; //!< of what the users draw
};

} // namespace

class TstStatementCounts : public QObject
{
    Q_OBJECT

    using Server = SqlPlace;
    //! A workload loaded into a server, with users that take turns.
    struct Run
    {
        Server* server = nullptr;
        const WorkloadInfo* info = nullptr;
        std::shared_ptr<const WorkloadInstance> instance;
        std::vector<std::unique_ptr<TestUser>> users;
        std::uint64_t sequence = 0;
    };
    SqlPlaces m_places;
    QString m_links; //!< whose links are loaded
    std::uint64_t m_linkSeed = 11;

    //! The number that each query gives.
    static std::vector<std::int64_t> numbers(Server& server, const std::vector<std::string>& queries)
    {
        std::string all;
        for (const std::string& query : queries)
            all += (all.empty() ? "SELECT COALESCE((" : ", COALESCE((") + query + "), 0)";
        const auto rows = server.admin->query(all);
        if (!rows)
            throw std::runtime_error(rows.error().text());
        std::vector<std::int64_t> found;
        for (const std::string& field : rows->at(0))
            found.push_back(std::stoll(field));
        return found;
    }
    static std::int64_t number(Server& server, const std::string& query) { return numbers(server, {query}).front(); }
    static Counts counted(Server& server) { return statementCounts(*server.admin, server.driver); }

    static void open(Run& run, Server& server, const std::string& workload, Settings params, const Opening& how = {})
    {
        run.server = &server;
        run.info = &workloadFor(workload)->info();
        params.merge(smallData(workload));
        run.instance = test::bind(workload, params, server.driver);
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = *driverFor(server.driver),
                             .admin = *server.admin,
                             .target = server.target,
                             .workload = *run.instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        forgetStatements(*server.admin, server.driver);
        const auto loaded = how.loads ? ensureDataset(job, {}, warnings) : Expected<bool>(false);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        auto target = std::make_shared<ConnectTarget>(server.target);
        target->statements = run.instance->statements();
        for (int i = 0; i < how.users; ++i) {
            auto session = driverFor(server.driver)->open(target);
            QVERIFY(session);
            auto user = std::make_unique<TestUser>(std::move(*session), run.info->operations.size(),
                                                   UserPlace{UserId(i), how.users, how.seed});
            QVERIFY(complete(stepOf(user->context, Request::step(RequestKind::Connect)), user->context).outcome ==
                    Outcome::Ok);
            for (std::size_t s = 0; s < target->statements.size(); ++s)
                QVERIFY(complete(stepOf(user->context, Request::prepare(StatementId(s))), user->context).outcome ==
                        Outcome::Ok);
            run.users.push_back(std::move(user));
        }
    }
    static void close(Run& run)
    {
        run.users.clear();
        (void)dropDataset(*run.server->admin, *run.instance, 1, true);
    }
    //! So many transactions of each user, in turn.
    static void perform(Run& run, std::int64_t transactions)
    {
        for (std::int64_t i = 0; i < transactions; ++i, ++run.sequence) {
            for (const auto& user : run.users)
                QVERIFY2(user->run(*run.instance, run.sequence) == Outcome::Ok, user->context.errorText().c_str());
        }
    }

    //! One transaction, of whichever kind comes next.
    struct Done
    {
        std::string kind; //!< its operation
        Counts counts;
        Outcome outcome = Outcome::Ok;
    };
    static Done performOne(Run& run, IntervalSampler& sampler, bool mayBeRejected = false)
    {
        const Counts before = counted(*run.server);
        const Outcome outcome = run.users[0]->run(*run.instance, run.sequence++);
        Done done{{}, counted(*run.server) - before, outcome};
        if (outcome != Outcome::Ok && !(mayBeRejected && outcome == Outcome::Rejected))
            throw std::runtime_error(run.users[0]->context.errorText());
        const IntervalSample sample = sampler.take();
        for (std::size_t op = 0; op < sample.ops.size(); ++op) {
            if (sample.ops[op].count + sample.ops[op].errors > 0)
                done.kind += run.info->operations[op].name;
        }
        return done;
    }
    //! A share of `all` by chance, within five standard deviations.
    static bool near(std::int64_t found, std::int64_t all, double share)
    {
        return std::abs(double(found) - double(all) * share) <= 5 * std::sqrt(double(all) * share * (1 - share));
    }

    //! How many kinds of items there are in the last twenty orders of each district.
    static std::set<std::int64_t> itemsOfDistricts(Server& server)
    {
        std::set<std::int64_t> counts;
        const std::string recent =
            "FROM district, order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id AND ol_o_id < d_next_o_id AND "
            "ol_o_id >= d_next_o_id - 20 AND d_w_id = 1 AND d_id = ";
        for (int district = 1; district <= 10; ++district)
            counts.insert(number(server, "SELECT COUNT(DISTINCT ol_i_id) " + recent + std::to_string(district)));
        return counts;
    }
    std::size_t places() const { return m_places.all.size(); }
    [[nodiscard]] bool isPostgresql(std::size_t place) const { return m_places.all[place].driver == "postgresql"; }
    void everyServer(bool postgresqlToo)
    {
        QTest::addColumn<int>("server");
        for (std::size_t i = 0; i < places(); ++i) {
            if (postgresqlToo || !isPostgresql(i))
                QTest::newRow(m_places.all[i].name.c_str()) << int(i);
        }
    }
    Server& fetchedServer()
    {
        QFETCH(int, server);
        return m_places.all[std::size_t(server)];
    }

private slots:
    //! Each product of the MySQL family counts the same statements: one of them in the short form.
    void initTestCase()
    {
        DYNO_START_PLACES(m_places, true, .sqlite = false, .mysql = longForm(),
                          .postgresqlSettings = countingSettings());
        if (QTest::currentTestFailed() || !isPostgresql(places() - 1))
            return;
        const auto counts = m_places.all.back().admin->execute("CREATE EXTENSION pg_stat_statements");
        QVERIFY2(counts, counts ? "" : counts.error().text().c_str());
    }
    void cleanupTestCase() { m_places.stop(); }

    void everyProductTakesPart() { DYNO_TEST_ALL_PLACES(m_places); }

    void statementsAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        QTest::addColumn<int>("users");
        QTest::addColumn<QString>(
            "each"); //!< a number of transactions, and their begin, commit, select, insert, update, delete
        QTest::addColumn<QString>("once"); //!< of the whole run, besides
        struct Row
        {
            const char *workload, *params, *each; //!< of one transaction, or of one of each user
            int users = 1, per = 1;               //!< `each` is of so many transactions of each user
            const char* once = "0 0 0 0 0 0";
        };
        const Row rows[] = {
            {"oltp_read_write", "", "1 1 14 1 2 1"}, // sysbench 1.0.20 says 20 queries a transaction, as the next ones
            {"oltp_read_only", "", "1 1 14 0 0 0"},
            {"oltp_write_only", "", "1 1 0 1 2 1"},
            {"oltp_read_write", "skip_trx=true", "0 0 14 1 2 1"},
            {"oltp_read_write", "reads_outside=true", "1 1 14 1 2 1"},
            {"oltp_reads_outside", "", "1 1 14 1 2 1"},
            {"oltp_read_write",
             "point_selects=1 range_size=1 sum_ranges=0 order_ranges=0 distinct_ranges=0 index_updates=10 "
             "non_index_updates=0 delete_inserts=0",
             "1 1 2 0 10 0"},
            {"oltp_read_write", "point_selects=1 range_size=1 index_updates=10",
             "1 1 5 1 11 1"}, // E25: the others once each
            {"oltp_point_select", "", "0 0 1 0 0 0"},
            {"oltp_point_query", "", "0 0 1 0 0 0"},
            {"oltp_update_index", "", "0 0 0 0 1 0"},
            {"oltp_update_non_index", "", "0 0 0 0 1 0"},
            {"oltp_increment", "", "0 0 0 0 1 0"},
            {"oltp_insert", "", "0 0 0 1 0 0"},
            {"oltp_delete", "", "0 0 0 0 0 1"},
            {"select_random_points", "", "0 0 1 0 0 0"},
            {"select_random_ranges", "", "0 0 1 0 0 0"},
            {"oltp_analytic", "query=aggregate", "0 0 1 0 0 0"},
            {"oltp_analytic", "query=group", "0 0 1 0 0 0"},
            {"oltp_analytic", "query=join", "0 0 1 0 0 0"},
            {"oltp_analytic", "query=order", "0 0 1 0 0 0"},
            {"ycsb", "workload=c", "0 0 1 0 0 0"},
            {"ycsb", "workload=custom read_proportion=0 scan_proportion=1 update_proportion=0", "0 0 1 0 0 0"},
            {"ycsb", "workload=custom read_proportion=0 update_proportion=1", "0 0 0 0 1 0"},
            {"ycsb", "workload=custom read_proportion=0 update_proportion=0 insert_proportion=1", "0 0 0 1 0 0"},
            {"ycsb", "workload=custom read_proportion=0 update_proportion=0 read_modify_write_proportion=1",
             "0 0 1 0 1 0"},
            {"iibench", "", "0 0 0 1 0 0"},
            {"iibench", "rows_per_commit=10000", "1 1 0 3 0 0"}, // 32 000 parameters to a statement, seven a row
            {"iibench", "query_users=1", "0 0 1 0 0 0"},
            {"iibench", "query_users=1 query_primary_key=true", "0 0 1 0 0 0"},
            // every second one deletes; the oldest row is looked up with the first of 1000 deletes
            {"iibench", "delete_mode=true rows_per_commit=100", "0 0 0 1 0 1", 1, 2, "0 0 1 0 0 0"},
            {"iibench", "delete_mode=true rows_per_commit=100 query_users=1", "0 0 2 1 0 1", 2, 2, "0 0 1 0 0 0"},
            // 32 000 parameters to a statement: of mongodb's form sixteen a row, of purchases' six
            {"iibench", "form=mongodb", "0 0 0 1 0 0"},
            {"iibench", "form=mongodb text_length=50 rows_per_commit=4500", "1 1 0 3 0 0"},
            {"iibench", "form=mongodb query_users=1", "0 0 1 0 0 0"},
            {"iibench", "form=mongodb delete_mode=true", "0 0 0 1 0 1", 1, 2, "0 0 1 0 0 0"},
            {"iibench", "form=purchases", "0 0 0 1 0 0"},
            {"iibench", "form=purchases rows_per_commit=10000", "1 1 0 2 0 0"},
            {"iibench", "form=purchases query_users=1", "0 0 1 0 0 0"},
            {"iibench", "form=purchases query_users=1 query_primary_key=true", "0 0 1 0 0 0"},
            {"iibench", "form=purchases delete_mode=true", "0 0 0 1 0 1", 1, 2, "0 0 1 0 0 0"},
            {"tpcb", "script=tpcb-like", "1 1 1 1 3 0"}, // pgbench: account, its balance, teller, branch, history
            {"tpcb", "script=simple-update", "1 1 1 1 1 0"},
            {"tpcb", "script=select-only", "0 0 1 0 0 0"},
            {"script", "", "1 1 1 1 3 0"},
            {"script", "protocol=prepared", "1 1 1 1 3 0"},
            {"randomtransaction", "", "1 1 2 0 2 0"}, // db_bench: a read and a write of each set
            {"randomtransaction", "sets=5", "1 1 5 0 5 0"},
            {"sensordata", "", "0 0 0 1 0 0"},
            {"sensordata", "retention=5", "0 0 0 1 0 1"},
            {"sensordata", "query_users=1", "0 0 1 0 0 0"},
            {"sensordata", "query_users=1 retention=100 key=time", "0 0 1 1 0 1", 2},
            {"large_values", "values=20 read=0 read_part=0 read_other=0 update=1 update_other=0 insert=0",
             "0 0 0 0 1 0"},
            {"large_values", "values=20 rows=0 read=0 read_part=0 read_other=0 update=0 update_other=0 insert=1",
             "0 0 0 1 0 0"},
            {"large_values", "read=1 read_part=0 read_other=0 update=0 update_other=0 insert=0", "0 0 1 0 0 0"},
            {"large_values", "read=0 read_part=1 read_other=0 update=0 update_other=0 insert=0", "0 0 1 0 0 0"},
            {"large_values", "read=0 read_part=0 read_other=1 update=0 update_other=0 insert=0", "0 0 1 0 0 0"},
            {"large_values", "read=0 read_part=0 read_other=0 update=1 update_other=0 insert=0", "0 0 0 0 1 0"},
            {"large_values", "read=0 read_part=0 read_other=0 update=0 update_other=1 insert=0", "0 0 0 0 1 0"},
            {"large_values", "read=0 read_part=0 read_other=0 update=0 update_other=0 insert=1", "0 0 0 1 0 0"},
            {"linkbench", "phase=load", "0 0 0 1 0 0"},
            {"linkbench", "phase=load load_order=id load_nodes=false", "0 0 0 1 0 0"},
            {"linkbench", "only=get_link_list", "0 0 1 0 0 0"},
            {"linkbench", "only=count_links", "0 0 1 0 0 0"},
            {"linkbench", "only=get_links", "0 0 1 0 0 0"},
            {"linkbench", "only=add_node", "0 0 0 1 0 0"},
            {"linkbench", "only=update_node", "0 0 0 0 1 0"},
            {"linkbench", "only=delete_node", "0 0 0 0 0 1"},
            {"linkbench", "only=get_node", "0 0 1 0 0 0"},
            {"linkbench", "only=get_node counts=two_step", "0 0 1 0 0 0"},
            {"linkbench", "only=add_node counts=two_step profile=linkbench", "0 0 0 1 0 0"}};
        for (std::size_t server = 0; server < places(); ++server) {
            for (const Row& row : rows)
                QTest::addRow("%s %s on %s", row.workload, row.params, m_places.all[server].name.c_str())
                    << int(server) << row.workload << row.params << row.users
                    << (QString("%1 %2").arg(row.per).arg(row.each)) << row.once;
        }
    }
    void statementsAsDefined()
    {
        QFETCH(QString, workload);
        QFETCH(QString, params);
        QFETCH(int, users);
        QFETCH(QString, each);
        QFETCH(QString, once);
        const std::string id = workload.toStdString();
        Settings settings = settingsOf(params);
        if (const auto only = settings.extract("only"); !only.empty())
            settings.merge(onlyRequest(toText(only.mapped())));
        Run run;
        open(run, fetchedServer(), id, settings, {.users = users});
        if (QTest::currentTestFailed())
            return;
        // Of those with thousands of rows two tell as much.
        const auto rows = settings.find("rows_per_commit");
        const std::int64_t transactions =
            rows != settings.end() && std::get<std::int64_t>(rows->second) > 1000 ? 2 : 12;
        const Counts before = counted(*run.server);
        perform(run, transactions);
        if (QTest::currentTestFailed())
            return;
        const Counts done = counted(*run.server) - before;
        Counts wanted = parsed(once);
        for (std::int64_t i = 0; i < transactions; i += each.section(' ', 0, 0).toInt())
            wanted += parsed(each.section(' ', 1));
        QCOMPARE(done.text(), wanted.text());
        close(run);
    }

    //! LinkBench's shares, all but one of which are 0.
    static Settings onlyRequest(const std::string& wanted)
    {
        Settings params;
        for (const OptionSpec& option : workloadFor("linkbench")->info().options) {
            if (option.name.ends_with("_percent"))
                params[option.name] = option.name == wanted + "_percent" ? 100.0 : 0.0;
        }
        if (!params.contains(wanted + "_percent"))
            throw std::runtime_error("no such request: " + wanted);
        return params;
    }

    //! sysbench: a transaction only adds a row to the buffer, which goes out when it would grow over 512 KiB. A row
    //! "(n,n)" of d digits takes 2d + 4 characters with its comma: 30 000 rows are 397 788, 40 000 are 537 788, 99 999
    //! are 1 377 774.
    void bulkInsertFillsItsBuffer_data() { everyServer(true); }
    void bulkInsertFillsItsBuffer()
    {
        Run run;
        open(run, fetchedServer(), "bulk_insert", {});
        if (QTest::currentTestFailed())
            return;
        const Counts before = counted(*run.server);
        for (const auto& [rows, inserts] : {std::pair{30'000, 0}, {10'000, 1}, {59'999, 2}}) {
            perform(run, rows);
            QCOMPARE((counted(*run.server) - before).text(), (Counts{{Insert, inserts}}).text());
        }
        QVERIFY(complete(run.instance->finish(run.users[0]->context), run.users[0]->context) == Outcome::Ok);
        QCOMPARE((counted(*run.server) - before).text(), (Counts{{Insert, 3}}).text());
        QCOMPARE(number(*run.server, "SELECT COUNT(*) FROM sbtest1 WHERE id = k AND id BETWEEN 1 AND 99999"),
                 std::int64_t(99'999));
        close(run);
    }

    void linksAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<QString>("request");
        QTest::addColumn<bool>("hidden");
        QTest::addColumn<QString>("params");
        m_links.clear();
        for (std::size_t i = 0; i < places(); ++i) {
            for (const char* params : {"", "counts=two_step", "profile=linkbench"}) {
                if (isPostgresql(i) && QString(params) == "profile=linkbench" && !longForm())
                    continue; // the statements are those of the first
                for (const char* request : {"add_link", "update_link", "delete_link"}) {
                    for (const bool hidden : {false, true})
                        QTest::addRow("%s, %s, %s on %s", request, hidden ? "half hidden" : "all visible", params,
                                      m_places.all[i].name.c_str())
                            << int(i) << request << hidden << params;
                }
            }
        }
    }
    //! LinkBench: both that put a link do BEGIN, INSERT … ON DUPLICATE KEY UPDATE, COMMIT; a link that is new or was
    //! hidden is counted by one more INSERT, one that was there, hidden or not, gets its data by an UPDATE. One that is
    //! deleted is looked at, and if it is to be seen hidden by an UPDATE and counted by an INSERT. With counts =
    //! two_step the same without BEGIN and COMMIT.
    void linksAsDefined()
    {
        QFETCH(QString, request);
        QFETCH(bool, hidden);
        QFETCH(QString, params);
        Settings settings = settingsOf(params);
        settings.merge(onlyRequest(request.toStdString()));
        Run run;
        // Rows of the same parameters share one load, and begin with all links seen, or with half of them.
        const QString links = params + " on " + QString::fromStdString(fetchedServer().name);
        open(run, fetchedServer(), "linkbench", settings, {.loads = links != m_links, .seed = ++m_linkSeed});
        if (QTest::currentTestFailed())
            return;
        m_links = links;
        Server& server = *run.server;
        QVERIFY(server.admin->execute(std::string("UPDATE linktable SET visibility = ") +
                                      (hidden ? "CASE WHEN id2 % 2 = 0 THEN 1 ELSE 0 END" : "1")));
        QVERIFY(server.admin->execute(
            "UPDATE counttable c SET count = (SELECT COUNT(*) FROM linktable l WHERE l.id1 = c.id AND "
            "l.link_type = c.link_type AND l.visibility = 1)"));
        const std::vector<std::string> figures{"SELECT COUNT(*) FROM linktable",
                                               "SELECT COUNT(*) FROM linktable WHERE visibility = 1"};
        const std::vector<std::int64_t> rows = numbers(server, figures);
        constexpr std::int64_t kDone = 400;
        const Counts before = counted(server);
        perform(run, kDone);
        if (QTest::currentTestFailed())
            return;
        const Counts done = counted(server) - before;
        const std::vector<std::int64_t> rowsNow = numbers(server, figures);
        const std::int64_t added = rowsNow[0] - rows[0], seenMore = rowsNow[1] - rows[1];
        Counts wanted;
        if (params != "counts=two_step")
            wanted = {{Begin, kDone}, {Commit, kDone}};
        if (request == "delete_link") {
            QVERIFY(added == 0 && seenMore < 0 && -seenMore < kDone);
            wanted += {{Select, kDone}, {Update, -seenMore}, {Insert, -seenMore}};
        } else {
            QVERIFY(added > 0 && added < kDone && (seenMore > added) == hidden); // of each sort some
            // Where an upsert does not tell a new link from one that is shown again, it brings the data of both.
            const bool tells = driverFor(server.driver)->info().sql.upsertTells;
            wanted += {{Insert, kDone + seenMore}, {Update, kDone - (tells ? added : seenMore)}};
        }
        QCOMPARE(done.text(), wanted.text());
        for (const DataCheck& check : run.instance->checks())
            QCOMPARE(number(server, check.query), std::int64_t(0));
    }

    void tpccAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<QString>("profile");
        for (std::size_t i = 0; i < places(); ++i) {
            for (const char* profile : {"dynobench", "sysbench-tpcc", "tpcc-mysql", "sysbench-tpcc with purge"}) {
                if (isPostgresql(i) && !longForm())
                    continue; // the statements are the family's, and what they leave is looked at in tst_tpcc_servers
                QTest::addRow("%s on %s", profile, m_places.all[i].name.c_str()) << int(i) << profile;
            }
        }
    }
    //! TPC-C 2.4 to 2.8. A new order with n lines reads customer and warehouse, district, and for each line item and
    //! stock; it changes the district and each stock, and inserts order, new order and lines; one of a hundred names an
    //! item that is not there and rolls back. A payment changes warehouse, district and customer, reads all three, the
    //! customer once more by name in 60 % and its data where its credit is bad, and inserts history. A status reads
    //! customer (in 60 % by name before), last order and lines. A delivery looks for a new order in ten districts, and
    //! for each that there is reads the order and the sum of its lines, deletes it as new, and changes order, lines and
    //! customer. A stock level reads district and stock. The other two programs count customers by name before they pay
    //! and have their list instead of the customer in a status; tpcc-mysql reads the stock of each item of the last
    //! twenty orders, and delivers each district in a transaction of its own. sysbench-tpcc's item that is not there is
    //! the last but one; its purge is ten transactions that each read the oldest new order, and an order to remove with
    //! its lines and with rows of the history.
    void tpccAsDefined()
    {
        QFETCH(QString, profile);
        const bool ours = profile == "dynobench", sysbench = profile.startsWith("sysbench-tpcc"),
                   purges = profile.endsWith("purge");
        Run run;
        open(run, fetchedServer(), "tpcc", {{"profile", profile.section(' ', 0, 0).toStdString()}, {"purge", purges}});
        if (QTest::currentTestFailed())
            return;
        Server& server = *run.server;
        const std::vector<std::string> figures{"SELECT COUNT(*) FROM order_line",
                                               "SELECT COUNT(*) FROM new_orders",
                                               "SELECT SUM(c_ytd_payment) FROM customer WHERE c_credit = 'BC'",
                                               "SELECT COUNT(DISTINCT no_d_id) FROM new_orders",
                                               "SELECT COUNT(*) FROM orders",
                                               "SELECT COUNT(*) FROM history",
                                               "SELECT COUNT(DISTINCT no_d_id) FROM new_orders WHERE no_d_id = 10"};
        std::map<std::string, std::int64_t> kinds;
        std::int64_t rolledBack = 0, purged = 0, tens = 0, bad = 0, paidByName = 0, askedByName = 0, delivered = 0;
        IntervalSampler sampler(run.users[0]->recorder);
        std::vector<std::int64_t> before = numbers(server, figures);
        constexpr int kDone = 600;
        for (int i = 0; i < kDone; ++i) {
            const Done done = performOne(run, sampler, sysbench);
            QVERIFY(done.outcome == Outcome::Ok || done.counts[Rollback] == 1);
            const std::vector<std::int64_t> now = numbers(server, figures);
            const std::int64_t added = now[0] - before[0], gone = before[1] - now[1],
                               isBad = now[2] != before[2] ? 1 : 0;
            const std::int64_t waiting = before[3], lastWaits = before[6]; // districts
            const std::int64_t removed = before[4] - now[4], forgotten = before[5] - now[5];
            before = now;
            ++kinds[done.kind];
            Counts wanted;
            if (done.kind == "new_order" && done.counts[Rollback] == 1) {
                ++rolledBack;
                QVERIFY(added == 0 && gone == 0);
                const std::int64_t whole = done.counts[Update] - 1; // of five to fifteen lines those before that item
                QVERIFY(whole >= (sysbench ? 3 : 4) && whole <= (sysbench ? 13 : 14));
                wanted = {
                    {Begin, 1}, {Rollback, 1}, {Select, 2 + 2 * whole + 1}, {Insert, 2 + whole}, {Update, 1 + whole}};
            } else if (done.kind == "new_order") {
                QVERIFY(added >= 5 && added <= 15 && gone == -1);
                wanted = framed({{Select, 2 + 2 * added}, {Insert, 2 + added}, {Update, 1 + added}});
            } else if (done.kind == "payment") {
                const std::int64_t more = done.counts[Select] - 3 - isBad, byName = more > 0 ? 1 : 0;
                paidByName += byName;
                bad += isBad;
                wanted = framed({{Select, 3 + isBad + (ours ? byName : 2 * byName)}, {Insert, 1}, {Update, 3}});
            } else if (done.kind == "order_status") {
                const std::int64_t byName = done.counts[Select] - 3;
                QVERIFY2(byName == 0 || byName == 1, qPrintable(done.counts.text()));
                askedByName += byName;
                wanted = framed({{Select, 3 + byName}});
            } else if (done.kind == "delivery") {
                QCOMPARE(gone, waiting);
                delivered += gone;
                wanted = framed({{Select, 10 + 2 * gone}, {Delete, gone}, {Update, 3 * gone}});
                if (profile == "tpcc-mysql") // a transaction for each, and one that looks at those that follow
                    wanted.of[Begin] = wanted.of[Commit] = gone + 1 - lastWaits;
            } else if (done.kind == "purge") {
                QVERIFY(removed >= 0 && removed <= 10 && forgotten >= 0 && forgotten <= 10 * removed &&
                        added <= -5 * removed && added >= -15 * removed);
                const std::int64_t looked = done.counts[Select] - 10; // where there is a new order
                QVERIFY2(looked <= 10 && looked >= (waiting == 10 ? 10 : 0), qPrintable(done.counts.text()));
                purged += removed;
                tens += removed > 0 && forgotten == 10 * removed ? 1 : 0; // later there are not so many left
                wanted = {{Begin, 10}, {Commit, 10}, {Select, 10 + looked}, {Delete, 3 * removed}};
            } else {
                QCOMPARE(done.kind, std::string("stock_level"));
                std::set<std::int64_t> items{0};
                if (profile == "tpcc-mysql")
                    items = itemsOfDistricts(server);
                QVERIFY2(profile == "tpcc-mysql" ? items.contains(done.counts[Select] - 2) : done.counts[Select] == 2,
                         qPrintable(done.counts.text()));
                wanted = framed({{Select, done.counts[Select]}});
            }
            QCOMPARE(QString::fromStdString(done.kind) + ": " + done.counts.text(),
                     QString::fromStdString(done.kind) + ": " + wanted.text());
        }
        // What holds of the data holds afterwards too; of sums that a purge takes parts of nothing does.
        const std::vector<DataCheck> conditions = run.instance->checks();
        QCOMPARE(conditions.size(), std::size_t(purges ? 6 : profile == "tpcc-mysql" ? 8 : 10));
        for (const DataCheck& one : conditions)
            QVERIFY2(number(server, one.query) == 0, one.name.c_str());
        QVERIFY(purges ? kinds["purge"] > 10 && purged > 0 && tens > 0 : kinds["purge"] == 0);
        QVERIFY(kinds["delivery"] > 10 && delivered > 0 && kinds["stock_level"] > 10);
        QVERIFY(near(rolledBack, kinds["new_order"], 0.01) && rolledBack > 0);
        QVERIFY(near(paidByName, kinds["payment"], 0.6) && near(askedByName, kinds["order_status"], 0.6));
        QVERIFY(bad > 0 && bad < kinds["payment"] / 2); // a tenth of the customers
        close(run);
    }

    void brokerageAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<bool>("full");
        for (std::size_t i = 0; i < places(); ++i) {
            QTest::addRow("reduced on %s", m_places.all[i].name.c_str()) << int(i) << false;
            if (!isPostgresql(i) || longForm())
                QTest::addRow("full on %s", m_places.all[i].name.c_str()) << int(i) << true;
        }
    }
    //! As brokerage.h has its eleven kinds: those that read do it once, a security's detail twice. An order that is
    //! given reads account and price; one that is filled is read, marked, put into the holding (which is made if there
    //! is none), paid for, and its broker looked up and paid. Notes go to the last three trades of an account; the
    //! market moves ten prices. The full model asks for more beside that, 20 trades with three reads each for a look-up
    //! or an update, and an order that is filled leaves the table of those that wait.
    void brokerageAsDefined()
    {
        QFETCH(bool, full);
        Run run;
        open(run, fetchedServer(), "brokerage",
             {{"trades_per_day", std::int64_t(30)}, {"model", std::string(full ? "full" : "reduced")}});
        if (QTest::currentTestFailed())
            return;
        Server& server = *run.server;
        const std::vector<std::string> figures{"SELECT COUNT(*) FROM be_holding", "SELECT SUM(t_note) FROM be_trade"};
        std::vector<std::int64_t> before = numbers(server, figures);
        std::map<std::string, std::int64_t> kinds;
        std::int64_t made = 0;
        QVERIFY(number(server, "SELECT MIN(trades) FROM (SELECT COUNT(t_id) AS trades FROM be_account LEFT JOIN "
                               "be_trade ON t_ca_id = ca_id "
                               "GROUP BY ca_id) a") >= 3);
        IntervalSampler sampler(run.users[0]->recorder);
        for (int i = 0; i < 20'000 && (kinds.size() < 11 || i < 500); ++i) {
            const Done done = performOne(run, sampler);
            const std::vector<std::int64_t> now = numbers(server, figures);
            const std::int64_t first = now[0] - before[0], changed = now[1] - before[1];
            before = now;
            ++kinds[done.kind];
            const std::map<std::string, Counts> ofFull{
                {"trade_status", framed({{Select, 2}})},
                {"market_watch", framed({{Select, 11}})},
                {"security_detail", framed({{Select, 6}})},
                {"customer_position", framed({{Select, 3}})},
                {"trade_order", framed({{Select, 8}, {Insert, 4}})},
                {"trade_result", framed({{Select, 6}, {Update, 6}, {Insert, 4 + first}, {Delete, 1}})},
                {"trade_lookup", framed({{Select, 61}})},
                {"broker_volume", framed({{Select, 1}})},
                {"trade_update", framed({{Select, 61}, {Update, 20}})},
                {"market_feed", framed({{Select, 10}, {Update, 10}})},
                {"data_maintenance", framed({{Update, 1}})}};
            const std::map<std::string, Counts> ofReduced{
                {"trade_status", {{Select, 1}}},
                {"market_watch", {{Select, 1}}},
                {"security_detail", {{Select, 2}}},
                {"customer_position", {{Select, 1}}},
                {"trade_order", framed({{Select, 2}, {Insert, 1}})},
                {"trade_result", framed({{Select, 2}, {Update, 4}, {Insert, first}})},
                {"trade_lookup", {{Select, 1}}},
                {"broker_volume", {{Select, 1}}},
                {"trade_update", framed({{Select, 1}, {Update, 3}})},
                {"market_feed", framed({{Update, 10}})},
                {"data_maintenance", {{Update, 1}}}};
            const std::map<std::string, Counts>& definition = full ? ofFull : ofReduced;
            QVERIFY2(definition.contains(done.kind), done.kind.c_str());
            QVERIFY(first == 0 || (first == 1 && done.kind == "trade_result"));
            QCOMPARE(changed, std::int64_t(done.kind == "trade_update" ? (full ? 20 : 3) : 0));
            const QString kind = QString::fromStdString(done.kind) + ": ";
            QCOMPARE(kind + done.counts.text(), kind + definition.at(done.kind).text());
            made += first;
        }
        QCOMPARE(kinds.size(), std::size_t(11));
        QVERIFY(made > 0 && made < kinds["trade_result"]);
        close(run);
    }

    void fulltextAsDefined_data()
    {
        QTest::addColumn<int>("server");
        QTest::addColumn<bool>("onePass");
        QTest::addColumn<bool>("asPosted");
        for (std::size_t i = 0; i < places(); ++i) {
            if (isPostgresql(i))
                continue; // its index is made and dropped by statements of its own
            QTest::addRow("two passes on %s", m_places.all[i].name.c_str()) << int(i) << false << false;
            QTest::addRow("one pass on %s", m_places.all[i].name.c_str()) << int(i) << true << false;
            QTest::addRow("the posts' queries on %s", m_places.all[i].name.c_str()) << int(i) << true << true;
        }
    }
    //! Documents come by INSERTs of 256 KiB, an index comes and goes by one ALTER TABLE, a search is one SELECT.
    void fulltextAsDefined()
    {
        QFETCH(bool, onePass);
        QFETCH(bool, asPosted);
        constexpr int kRounds = 3;
        Run run;
        open(run, fetchedServer(), "fulltext",
             {{"documents", std::int64_t(3000)},
              {"rounds", std::int64_t(kRounds)},
              {"passes", std::string(onePass ? "one" : "two")},
              {"initials", asPosted},
              {"queries", std::string(asPosted ? "post" : "kinds")}});
        if (QTest::currentTestFailed())
            return;
        std::vector<std::pair<std::string, Counts>> wanted{{onePass ? "load_with_index" : "load", {}}};
        if (!onePass)
            wanted.push_back({"add_index", {{Alter, 1}}});
        for (const char* search : asPosted ? std::array{"q3", "q4", "q5", "q5_limit_2"}
                                           : std::array{"natural", "boolean", "phrase", "prefix"})
            wanted.insert(wanted.end(), kRounds, {search, {{Select, 1}}});
        if (asPosted) // one search; its stages are what the server says
            wanted.push_back({"profiled", {{Select, 1}}});
        wanted.insert(wanted.end(), {{"second_index", {{Alter, 1}}}, {"drop_index", {{Alter, 1}}}});
        IntervalSampler sampler(run.users[0]->recorder);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            Done done = performOne(run, sampler);
            if (const std::size_t stages = done.kind.find("stage_"); stages != std::string::npos) {
                // What every version names: that the index was asked, and how the query began and ended.
                QVERIFY2(done.kind.find("stage_initialisation") != std::string::npos &&
                             done.kind.find("stage_send") != std::string::npos &&
                             done.kind.find("stage_rest") != std::string::npos,
                         done.kind.c_str());
                done.kind = done.kind.substr(0, stages);
            }
            if (i == 0) { // "(number,'name','text')," of each; the words before them and a whole document more are in
                          // each INSERT
                const std::int64_t bytes =
                    number(*run.server, "SELECT SUM(LENGTH(id) + LENGTH(full_name) + LENGTH(details) + 8) FROM ft_dir");
                const std::int64_t longest =
                    100 + number(*run.server, "SELECT MAX(LENGTH(full_name) + LENGTH(details)) FROM ft_dir");
                constexpr std::int64_t kStatement = 256 * 1024;
                const std::int64_t most = (bytes + 100) / kStatement + 1, least = bytes / (kStatement + longest) + 1;
                QCOMPARE(least, most); // the load is of a size that tells
                QVERIFY(least > 1);
                wanted[0].second = {{Insert, least}};
                QCOMPARE(number(*run.server, "SELECT COUNT(*) FROM ft_dir"), std::int64_t(3000));
            }
            const QString name = QString::fromStdString(wanted[i].first);
            QCOMPARE(QString::fromStdString(done.kind) + ": " + done.counts.text(),
                     name + ": " + wanted[i].second.text());
        }
        QCOMPARE(std::size_t(run.sequence), wanted.size());
        close(run);
    }

    void schemaChangesAsDefined_data() { everyServer(false); }
    //! Each change is one ALTER TABLE of the copy, once a round.
    void schemaChangesAsDefined()
    {
        Run run;
        open(run, fetchedServer(), "oltp_ddl", {{"table_size", std::int64_t(500)}, {"rounds", std::int64_t(2)}});
        if (QTest::currentTestFailed())
            return;
        const std::vector<std::pair<std::string, Counts>> round{{"copy", {{CreateTable, 1}}},
                                                                {"scan", {{Select, 1}}},
                                                                {"add_index", {{Alter, 1}}},
                                                                {"add_column", {{Alter, 1}}},
                                                                {"analyze", {}},
                                                                {"rebuild", {{Alter, 1}}},
                                                                {"drop_column", {{Alter, 1}}},
                                                                {"drop_index", {{Alter, 1}}},
                                                                {"drop_table", {}}};
        IntervalSampler sampler(run.users[0]->recorder);
        for (int i = 0; i < 2; ++i) {
            for (const auto& [kind, counts] : round) {
                const Done done = performOne(run, sampler);
                QCOMPARE(QString::fromStdString(done.kind) + ": " + done.counts.text(),
                         QString::fromStdString(kind) + ": " + counts.text());
            }
        }
        close(run);
    }
};

} // namespace dyno::tst_statement_counts

DYNO_SUITE(tst_statement_counts, dyno::tst_statement_counts::TstStatementCounts)
#include "tst_statement_counts.moc"
