// SPDX-License-Identifier: GPL-3.0-or-later
// LinkBench: the graph against its published distribution, and requests over a session that records.
#include "linkbench_rig.h"
#include "load/data/loader.h"
#include "load/run_controller.h"
#include "support/allocation_count.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace dyno::tst_linkbench {
using namespace dyno::test;
using namespace dyno::linkbench;

class TstLinkbench : public QObject
{
    Q_OBJECT
private slots:
    void optionsExplainThemselves()
    {
        QCOMPARE(info().operations.size(), kOps + kTables);
        double percent = 0;
        for (const OptionSpec& option : info().options) {
            QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
            QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
            if (option.type == OptionType::Real)
                percent += std::get<double>(option.defaultValue);
        }
        QVERIFY(std::abs(percent - 100) < 1e-5);
        QVERIFY(!tryBind(only("nothing")));
    }

    //! Keys have families where the storage engine has them; elsewhere the plan is at fault.
    void familiesOfKeys()
    {
        const Settings on{{"column_families", true}};
        std::string made;
        for (const TableSpec& table : bind("linkbench", on, "mysql", {{"engine", std::string("RocksDB")}})->tables())
            made += table.create + "\n";
        for (const char* key : {"PRIMARY KEY (link_type, id1, id2) COMMENT 'p0_cfname=cf_link_pk;p1_cfname=cf_link_pk;",
                                ";p15_cfname=cf_link_pk'", "version, data) COMMENT 'p0_cfname=cf_link_id1_type;",
                                "PRIMARY KEY (id, link_type) COMMENT 'cfname=cf_count_pk'",
                                "PRIMARY KEY (id) COMMENT 'cfname=cf_node_pk'"})
            QVERIFY2(made.find(key) != std::string::npos, made.c_str());
        for (const TableSpec& table : bind("linkbench", {}, "mysql", {{"engine", std::string("RocksDB")}})->tables())
            QVERIFY2(table.create.find("COMMENT") == std::string::npos, table.create.c_str());
        const auto faultOn = [&on](const char* driver, const Settings& knobs) {
            try {
                (void)test::bind("linkbench", on, driver, knobs); // not that of std
            } catch (const std::exception& fault) {
                return std::string(fault.what());
            }
            return std::string();
        };
        const std::string innodb = faultOn("mysql", {{"engine", std::string("InnoDB")}});
        QVERIFY2(innodb.find("workload.column_families") != std::string::npos &&
                     innodb.find("table.engine to ROCKSDB") != std::string::npos,
                 innodb.c_str());
        QVERIFY(!faultOn("mysql", {}).empty());
        QVERIFY(faultOn("mysql", {{"engine", std::string("ROCKSDB")}, {"partitions", std::int64_t(32)}}).empty());
        QVERIFY(!faultOn("mysql", {{"engine", std::string("ROCKSDB")}, {"partitions", std::int64_t(64)}}).empty());
        QVERIFY(faultOn("sqlite", {}).find("workload.column_families") != std::string::npos);
        QVERIFY(!tryBind(on));
    }

    void degreesAreThePublished()
    {
        constexpr std::int64_t kNodes = 100'000;
        const Degrees degrees(kNodes, false);
        std::map<std::int64_t, std::int64_t> ofDegree;
        std::int64_t links = 0, counts = 0;
        for (std::int64_t node = 1; node <= kNodes; ++node) {
            const std::int64_t first = degrees.linksOf(node, 0), second = degrees.linksOf(node, 1);
            QVERIFY(first - second == 0 || first - second == 1); // shared evenly
            ++ofDegree[first + second];
            links += first + second;
            counts += (first > 0 ? 1 : 0) + (second > 0 ? 1 : 0);
        }
        QCOMPARE(degrees.links(), links);
        QCOMPARE(degrees.counts(), counts);
        std::int64_t atMost = 0;
        const std::map<std::int64_t, double> published{{0, 45.33160573},  {1, 77.46259112},  {2, 86.95805953},
                                                       {5, 95.82807169},  {10, 98.32803368}, {20, 99.3269556},
                                                       {33, 99.59499064}, {50, 99.72156049}};
        for (std::int64_t degree = 0; degree <= 50; ++degree) {
            atMost += ofDegree[degree];
            if (const auto found = published.find(degree); found != published.end())
                QCOMPARE(atMost, kNodes - std::int64_t(std::llround((100 - found->second) / 100 * kNodes)));
        }
        QCOMPARE(degrees.linksOf(0, 0), std::int64_t(0));
        QCOMPARE(degrees.linksOf(kNodes + 1, 0), std::int64_t(0));
    }

    //! Between the degrees that are taken from Distribution.dat, against lines of it that are not.
    void theTailIsThePublished()
    {
        constexpr std::int64_t kNodes = 10'000'000;
        const Degrees degrees(kNodes, false);
        const std::map<std::int64_t, double> published{
            {55, 99.74248139},     {85, 99.81282249},    {135, 99.85816867},   {175, 99.87676463},
            {350, 99.91301451},    {450, 99.9234664},    {900, 99.94743137},   {1850, 99.96745206},
            {2250, 99.97218657},   {2670, 99.97610517},  {7500, 99.99244466},  {9500, 99.99463856},
            {10500, 99.99540345},  {20504, 99.99861017}, {21006, 99.99868129}, {156940, 99.99998354},
            {198095, 99.99999045}, {281116, 99.99999638}};
        for (const auto& [links, percent] : published) {
            // the first rank with at most so many links
            std::int64_t low = 0, high = kNodes;
            while (low < high) {
                const std::int64_t middle = (low + high) / 2, node = degrees.nodeOf(middle);
                if (degrees.linksOf(node, 0) + degrees.linksOf(node, 1) <= links)
                    high = middle;
                else
                    low = middle + 1;
            }
            const double wanted = (100 - percent) / 100 * kNodes;
            QVERIFY2(std::abs(double(low) - wanted) <= 0.02 * wanted + 1,
                     qPrintable(QString("%1 links: %2 nodes have more, not %3").arg(links).arg(low).arg(wanted)));
        }
        QVERIFY(degrees.linksOf(degrees.nodeOf(0), 0) > 100'000);
    }

    //! Every link of every node is made once; the same for the counts.
    void indexesNameEachLinkOnce_data()
    {
        QTest::addColumn<qint64>("nodes");
        QTest::addColumn<bool>("compat");
        for (const qint64 nodes : {1, 2, 10, 5000}) {
            QTest::addRow("%lld", nodes) << nodes << false;
            QTest::addRow("%lld as LinkBench", nodes) << nodes << true;
        }
    }
    void indexesNameEachLinkOnce()
    {
        QFETCH(qint64, nodes);
        QFETCH(bool, compat);
        const Degrees degrees(nodes, compat);
        std::map<std::pair<std::int64_t, int>, std::set<std::int64_t>> seen;
        for (std::int64_t i = 0; i < degrees.links(); ++i) {
            const Degrees::Link link = degrees.link(i);
            QVERIFY(link.id1 >= 1 && link.id1 <= nodes && link.type >= 0 && link.type < kLinkTypes);
            QVERIFY(link.number >= 0 && link.number < degrees.linksOf(link.id1, link.type));
            QVERIFY(seen[std::pair(link.id1, link.type)].insert(link.number).second);
        }
        QCOMPARE(degrees.counts(), std::int64_t(seen.size()));
        std::set<std::pair<std::int64_t, int>> counted;
        for (std::int64_t i = 0; i < degrees.counts(); ++i) {
            const Degrees::Count count = degrees.count(i);
            QCOMPARE(count.links, std::int64_t(seen.at(std::pair(count.id1, count.type)).size()));
            QVERIFY(counted.insert(std::pair(count.id1, count.type)).second);
        }
    }

    void idsInOrder_data() { indexesNameEachLinkOnce_data(); }
    //! By ascending id, type and number: from each place on what a walk over all nodes says.
    void idsInOrder()
    {
        QFETCH(qint64, nodes);
        QFETCH(bool, compat);
        const Degrees degrees(nodes, compat);
        IdOrder order(degrees);
        QVERIFY(order.make(nodes, [] { return true; }));
        std::vector<std::array<std::int64_t, 3>> links, counts;
        for (std::int64_t node = 1; node <= nodes; ++node) {
            for (int type = 0; type < kLinkTypes; ++type) {
                const std::int64_t number = degrees.linksOf(node, type);
                for (std::int64_t i = 0; i < number; ++i)
                    links.push_back({node, type, i});
                if (number > 0)
                    counts.push_back({node, type, number});
            }
        }
        QCOMPARE(std::int64_t(links.size()), degrees.links());
        QCOMPARE(std::int64_t(counts.size()), degrees.counts());
        for (std::size_t from = 0; from < links.size(); from += 1 + links.size() / 50) {
            IdOrder::Links walk(order, std::int64_t(from));
            for (std::size_t i = from; i < std::min(links.size(), from + 700); ++i) {
                const Degrees::Link link = walk.next();
                QCOMPARE((std::array<std::int64_t, 3>{link.id1, link.type, link.number}), links[i]);
            }
        }
        for (std::size_t from = 0; from < counts.size(); from += 1 + counts.size() / 50) {
            IdOrder::Counts walk(order, std::int64_t(from));
            for (std::size_t i = from; i < std::min(counts.size(), from + 700); ++i) {
                const Degrees::Count count = walk.next();
                QCOMPARE((std::array<std::int64_t, 3>{count.id1, count.type, count.links}), counts[i]);
            }
        }
    }

    void asLinkbenchMakesMoreLinks()
    {
        const Degrees right(20'000, false), compat(20'000, true);
        std::map<std::int64_t, std::set<std::int64_t>> made;
        for (std::int64_t node = 1; node <= 20'000; ++node)
            made[right.linksOf(node, 0) + right.linksOf(node, 1)].insert(compat.linksOf(node, 0) +
                                                                         compat.linksOf(node, 1));
        for (const auto& [wanted, got] : std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 1}, {2, 3}, {3, 4}, {4, 6}})
            QCOMPARE(made.at(wanted), std::set<std::int64_t>{got});
    }

    void nodesAreSkewed()
    {
        const Degrees degrees(10'000, false);
        const auto hottest = [&](double shape, double correlated) {
            const NodeChooser chooser(degrees, 10'000, shape, correlated, 7);
            std::map<std::int64_t, double> hits;
            Random random(2);
            for (int i = 0; i < 200'000; ++i)
                ++hits[chooser.draw(random)];
            return *std::ranges::max_element(hits, {}, [](const auto& hit) { return hit.second; });
        };
        const double share = 1 / Zipf(0.8).zeta(10'000);
        const auto apart = hottest(0.8, 0), together = hottest(0.8, 1);
        QVERIFY(std::abs(apart.second / 200'000 - share) < 4.5 * std::sqrt(share / 200'000));
        QVERIFY(std::abs(together.second / 200'000 - share) < 4.5 * std::sqrt(share / 200'000));
        QCOMPARE(together.first, degrees.nodeOf(0)); // the one with the most links
        QVERIFY(degrees.linksOf(together.first, 0) > 100);
        QVERIFY(apart.first != together.first);
        QVERIFY(hottest(0, 0).second < 60); // uniform: 20 each
    }

    void payloadsHaveTheirMedianAndLetters()
    {
        const Payload payload(128, 16 * 1024, 50, 126, 0.63);
        Random random(8);
        std::vector<std::size_t> lengths;
        for (int i = 0; i < 20'001; ++i)
            lengths.push_back(payload.drawLength(random));
        std::ranges::sort(lengths);
        QVERIFY(std::abs(double(lengths[10'000]) - 128) < 6);
        // lognormal, σ = 1: 84.13 % are below e times the median
        QVERIFY(std::abs(double(lengths[16'827]) - 128 * std::exp(1)) < 25);
        std::string text(40'000, '\0');
        QCOMPARE(payload.write(text.data(), text.size(), random), text.data() + text.size());
        QVERIFY(std::ranges::all_of(text, [](char c) { return c >= 50 && c <= 126; }));
        // 37 % of the chunks are copies out of 512 bytes, so that some 8 bytes come again; random ones never do
        std::map<std::string, int> words;
        for (std::size_t i = 0; i + 8 <= text.size(); ++i)
            ++words[text.substr(i, 8)];
        double again = 0;
        for (const auto& [word, count] : words)
            again += count > 1 ? count : 0;
        QVERIFY2(again / double(text.size()) > 0.2 && again / double(text.size()) < 0.5,
                 qPrintable(QString::number(again)));
    }

    void theMixIsFacebooks()
    {
        Rig rig;
        rig.session.keep = false;
        constexpr int kTransactions = 50'000;
        for (int i = 0; i < kTransactions; ++i)
            rig.user.run(*rig.instance, std::uint64_t(i));
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        // LinkConfigMySql.properties of LinkBench
        const std::map<std::string, double> percents{{"add_link", 8.9886601},    {"delete_link", 2.9907664},
                                                     {"update_link", 8.0122125}, {"count_links", 4.8863567},
                                                     {"get_links", 0.5261142},   {"get_link_list", 50.7119145},
                                                     {"add_node", 2.5732789},    {"update_node", 7.366437},
                                                     {"delete_node", 1.0115914}, {"get_node", 12.9326683}};
        QCOMPARE(percents.size(), kOps);
        for (std::size_t i = 0; i < kOps; ++i) {
            const std::string name = info().operations[i].name;
            const double share = percents.at(name) / 100;
            const double limit = 4.5 * std::sqrt(kTransactions * share * (1 - share));
            QVERIFY2(std::abs(double(sample.ops[i].count) - kTransactions * share) < limit, name.c_str());
        }
    }

    void statementsAreJson()
    {
        const auto instance = tryBind({}).value();
        for (const StatementSpec& spec : instance->loaderStatements()) {
            const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(spec.text));
            QVERIFY2(json.isObject(), spec.text.substr(0, 300).c_str());
            QCOMPARE(QByteArray::fromStdString(spec.text).count("\"?\""), qsizetype(spec.parameters.size()));
            QCOMPARE(spec.returnsRows, json.object().contains("find"));
        }
        for (const TableSpec& table : instance->tables())
            QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(table.create))
                        .object()["create"]
                        .toString()
                        .toStdString() == table.name);
    }

    //! The session answers that nothing was changed: the link is not there.
    void aNewLinkIsCounted()
    {
        Rig rig(only("add_link"));
        const auto requests = rig.run();
        QCOMPARE(requests.size(), std::size_t(3));
        QVERIFY(rig.text(requests[0]).find(R"("visibility":1},"u":{"$set":{"data")") != std::string::npos);
        QVERIFY(rig.text(requests[1]).find("\"upsert\":true") != std::string::npos);
        QVERIFY(rig.text(requests[2]).starts_with(R"({"update":"counttable")"));
        QVERIFY(rig.text(requests[2]).find(R"("count":1)") != std::string::npos);
        QCOMPARE(requests[0].texts[0], requests[1].texts[0]);
        const int type = int(requests[1].number(5) - kFirstLinkType);
        QCOMPARE(requests[1].texts[0], keyOf(type, requests[1].number(3), requests[1].number(4)));
        QVERIFY(requests[1].texts[0].starts_with(requests[2].texts[0] + ":"));
        // It is there and visible: only it changes.
        rig.session.failAt = rig.session.seen + 1;
        rig.session.failure = {Outcome::Ok, 0, 0, 1};
        QCOMPARE(rig.run(1).size(), std::size_t(1));
        // An error ends it.
        rig.session.failAt = rig.session.seen + 2;
        rig.session.failure = {Outcome::Rejected, 11000};
        QCOMPARE(rig.run(2).size(), std::size_t(2));
        QVERIFY(rig.outcome == Outcome::Rejected);
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        QCOMPARE(sample.ops[0].count, std::uint64_t(2));
        QCOMPARE(sample.ops[0].errors, std::uint64_t(1));
    }

    void aLinkIsHiddenAndCountedDown()
    {
        Rig rig(only("delete_link"));
        QCOMPARE(rig.run().size(), std::size_t(1)); // there is none
        rig.session.failAt = rig.session.seen + 1;
        rig.session.failure = {Outcome::Ok, 0, 0, 1};
        const auto requests = rig.run(1);
        QCOMPARE(requests.size(), std::size_t(2));
        QVERIFY(rig.text(requests[1]).find(R"("count":-1)") != std::string::npos);
        QVERIFY(requests[0].texts[0].starts_with(requests[1].texts[0] + ":"));
    }

    void countsInATransaction()
    {
        Rig rig(only("add_link", {{"counts", std::string("transaction")}}));
        const auto requests = rig.run();
        QCOMPARE(requests.size(), std::size_t(5));
        QVERIFY(requests.front().kind == RequestKind::Begin && requests.back().kind == RequestKind::Commit);
        rig.session.failAt = rig.session.seen + 1; // a server without transactions
        rig.session.failure = {Outcome::Rejected, 20};
        QCOMPARE(rig.run(1).size(), std::size_t(1));
        QVERIFY(rig.outcome == Outcome::Rejected);
    }

    void sqlStatementsFit()
    {
        for (const auto& [driver, profile] :
             {std::pair("null", "linkbench"), std::pair("null", "dynobench"), std::pair("sqlite", "linkbench")}) {
            const auto instance = bind("linkbench", {{"profile", std::string(profile)}}, driver);
            for (const StatementSpec& spec : instance->loaderStatements()) {
                QCOMPARE(std::ranges::count(spec.text, '?'), std::ptrdiff_t(spec.parameters.size()));
                QCOMPARE(spec.returnsRows, spec.text.starts_with("SELECT"));
            }
            const std::string create = instance->tables()[0].create;
            QCOMPARE(create.find("PARTITION BY KEY (id1) PARTITIONS 16") != std::string::npos,
                     std::string(driver) == "null");
            QVERIFY(instance->tables()[1].create.find("PARTITION") == std::string::npos);
            // The index is there before the rows, as LinkBench's is.
            QCOMPARE(create.find("KEY id1_type") != std::string::npos, std::string(driver) == "null");
            QCOMPARE(instance->tables()[0].afterCreate.size(), std::size_t(std::string(driver) == "null" ? 0 : 1));
            QVERIFY(instance->tables()[0].afterLoad.empty());
        }
        for (const char* profile : {"dynobench", "linkbench"}) {
            const auto none =
                tryBind({{"profile", std::string(profile)}}, DataModel::Sql, {{"partitions", std::int64_t(0)}}).value();
            QVERIFY(none->tables()[0].create.find("PARTITION") == std::string::npos);
        }
        const auto own = tryBind({}, DataModel::Sql, {{"partitions", std::int64_t(4)}}).value();
        QVERIFY(own->tables()[0].create.find("PARTITIONS 4") != std::string::npos);
        QVERIFY(own->tables()[2].create.find("latin1") != std::string::npos);
    }

    //! As LinkBench does it: the affected rows of the insert say what has to follow.
    void aLinkIsPutInSql()
    {
        Rig rig(only("add_link"), {}, DataModel::Sql);
        const std::map<std::int64_t, std::vector<std::uint32_t>> wanted{
            {1, {kPutLink, kCountUp}}, {2, {kPutLink, kUpdateLink, kCountUp}}, {0, {kPutLink, kUpdateLink}}};
        std::uint64_t sequence = 0;
        for (const auto& [affected, statements] : wanted) {
            rig.session.answer.affected = affected;
            const auto requests = rig.run(sequence++);
            QCOMPARE(requests.size(), statements.size() + 2);
            QVERIFY(requests.front().kind == RequestKind::Begin && requests.back().kind == RequestKind::Commit);
            for (std::size_t i = 0; i < statements.size(); ++i) {
                QCOMPARE(requests[i + 1].statement, std::size_t(statements[i]));
                QCOMPARE(requests[i + 1].params.size(), rig.statements[statements[i]].parameters.size());
            }
        }
        Rig apart(only("add_link", {{"counts", std::string("two_step")}}), {}, DataModel::Sql);
        apart.session.answer.affected = 1;
        QCOMPARE(apart.run().size(), std::size_t(2));
    }

    void aLinkIsHiddenInSql()
    {
        Rig rig(only("delete_link"), {}, DataModel::Sql);
        QCOMPARE(rig.run().size(), std::size_t(3)); // there is none
        rig.session.rows = {{Param::of(std::int64_t(0))}};
        QCOMPARE(rig.run(1).size(), std::size_t(3)); // it is hidden
        rig.session.rows = {{Param::of(std::int64_t(1))}};
        const auto requests = rig.run(2);
        QCOMPARE(requests.size(), std::size_t(5));
        QCOMPARE(requests[1].statement, std::size_t(kLookAtLink));
        QCOMPARE(requests[2].statement, std::size_t(kHideLink));
        QCOMPARE(requests[3].statement, std::size_t(kCountDown));
    }

    //! 0.3 % of the lists begin where one was cut before, at the time of the last link that it gave.
    void aCutListGoesOn()
    {
        Rig rig(only("get_link_list", {{"list_limit", std::int64_t(3)}}), {}, DataModel::Sql);
        constexpr std::int64_t kTime = 5000;
        const auto number = [](std::int64_t value) { return Param::of(value); };
        rig.session.rows = {
            {number(1), number(2), number(3), number(1), Param::of(std::string_view("d")), number(kTime), number(0)}};
        rig.session.answer.rows = 2; // not cut
        constexpr int kLists = 20'000;
        int tails = 0;
        for (std::uint64_t i = 0; i < 5000; ++i)
            tails += rig.run(i).front().statement == kGetListTail ? 1 : 0;
        QCOMPARE(tails, 0);
        rig.session.answer.rows = 3;
        std::set<std::int64_t> times;
        for (std::uint64_t i = 0; i < kLists; ++i) {
            const auto requests = rig.run(i);
            QCOMPARE(requests.size(), std::size_t(1));
            if (requests[0].statement == kGetListTail) {
                ++tails;
                times.insert(requests[0].number(2));
                QVERIFY(requests[0].number(2) <= kTime);
            } else {
                QCOMPARE(requests[0].number(2), std::numeric_limits<std::int64_t>::max());
            }
        }
        QVERIFY2(std::abs(tails - 0.003 * kLists) < 4.5 * std::sqrt(0.003 * kLists),
                 qPrintable(QString::number(tails)));
        QVERIFY(times.contains(kTime));
        // Where nothing is left the list is forgotten.
        rig.session.answer.rows = 0;
        int ends = 0;
        for (std::uint64_t i = 0; i < kLists; ++i)
            ends += rig.run(i).front().statement == kGetListTail ? 1 : 0;
        QVERIFY(ends > 20);
    }

    void someLinksAreDistinct()
    {
        Rig rig(only("get_links", {{"nodes", std::int64_t(1000)}}));
        std::map<std::size_t, int> numbers;
        for (std::uint64_t i = 0; i < 3000; ++i) {
            const auto requests = rig.run(i);
            std::set<std::string> keys(requests[0].texts.begin(), requests[0].texts.end());
            QVERIFY(keys.size() * 2 >= requests[0].texts.size()); // the rest is the last one again
            ++numbers[keys.size()];
        }
        QVERIFY(numbers.size() > 4 && numbers[1] > 1146); // more than the geometric's 38.2 %: many nodes have few links
    }

    void nodesAreNumberedOn()
    {
        Rig rig(only("add_node", {{"nodes", std::int64_t(50)}}));
        for (std::int64_t i = 0; i < 10; ++i) {
            const auto requests = rig.run(std::uint64_t(i));
            QCOMPARE(requests[0].number(0), 51 + i);
            QCOMPARE(requests[0].number(1), kNodeType);
            QVERIFY(!requests[0].texts[4].empty());
        }
    }

    void rowsAreTheSameHoweverSliced()
    {
        const Settings params{{"nodes", std::int64_t(700)}};
        const auto instance = tryBind(params).value();
        for (int table = 1; table <= 3; ++table) {
            const TableSpec spec = instance->tables()[std::size_t(table - 1)];
            const auto values = [&](std::int64_t step) {
                Rig rig(params, {UserId(0), 1, 3});
                for (std::int64_t first = 1; first <= spec.rows; first += step) {
                    const LoadSlice slice{table, first, std::min(spec.rows, first + step - 1)};
                    if (complete(rig.instance->load(rig.user.context, slice), rig.user.context) != Outcome::Ok)
                        return std::vector<std::string>();
                }
                std::vector<std::string> all;
                addRows(rig, spec.columns.size(), all);
                return all;
            };
            const auto once = values(spec.rowsPerSlice);
            QCOMPARE(once.size(), std::size_t(spec.rows));
            QCOMPARE(values(37), once);
        }
    }

    //! How far a drawn link's second node is from its first: even below the links of the node by the operation's share
    //! of those that are there.
    void linksAreThereAsOftenAsSaid_data()
    {
        QTest::addColumn<QString>("operation");
        QTest::addColumn<double>("existing");
        QTest::addColumn<int>("id1");
        QTest::addColumn<int>("id2");
        QTest::addColumn<int>("type");
        QTest::newRow("add") << "add_link" << 0.05 << 0 << 1 << 2;
        QTest::newRow("update") << "update_link" << 0.9 << 0 << 1 << 2;
        QTest::newRow("delete") << "delete_link" << 0.9 << 0 << 1 << 2;
        QTest::newRow("get") << "get_links" << 0.5 << 0 << 2 << 1;
    }
    void linksAreThereAsOftenAsSaid()
    {
        QFETCH(QString, operation);
        QFETCH(double, existing);
        QFETCH(int, id1);
        QFETCH(int, id2);
        QFETCH(int, type);
        constexpr std::int64_t kNodes = 2000;
        constexpr int kDraws = 40'000;
        const Degrees degrees(kNodes, false);
        Rig rig(only(operation.toStdString(), {{"nodes", kNodes}, {"counts", std::string("two_step")}}), {},
                DataModel::Sql);
        double sum = 0, variance = 0, there = 0, wantedThere = 0, thereVariance = 0;
        std::array<double, 10> tenths{}, wanted{};
        for (std::uint64_t i = 0; i < kDraws; ++i) {
            const Recorded drawn = rig.run(i).at(0);
            const std::int64_t node = drawn.number(std::size_t(id1)), offset = drawn.number(std::size_t(id2)) - node;
            const std::int64_t links = degrees.linksOf(node, int(drawn.number(std::size_t(type)) - kFirstLinkType));
            const auto range = std::max<std::int64_t>(1, std::int64_t(std::ceil(double(links) / existing)));
            QVERIFY(offset >= 0 && offset < range);
            const double middle = double(range - 1) / 2;
            sum += double(offset) / double(range) - middle / double(range);
            variance += (double(range) * double(range) - 1) / 12 / double(range) / double(range);
            const double share = std::min(1.0, double(links) / double(range));
            there += offset < links ? 1 : 0;
            wantedThere += share;
            thereVariance += share * (1 - share);
            if (range < 10)
                continue;
            ++tenths[std::size_t(offset * 10 / range)];
            for (std::int64_t tenth = 0; tenth < 10; ++tenth)
                wanted[std::size_t(tenth)] +=
                    double((range * (tenth + 1) + 9) / 10 - (range * tenth + 9) / 10) / double(range);
        }
        QVERIFY(std::abs(sum) < 4.5 * std::sqrt(variance));
        QVERIFY2(std::abs(there - wantedThere) < 4.5 * std::sqrt(thereVariance),
                 qPrintable(QString("%1 of %2 wanted").arg(there).arg(wantedThere)));
        const double chi = chiSquare(tenths, wanted);
        QVERIFY2(wanted[0] > 50 && chi < 33.7, qPrintable(QString::number(chi))); // 9 degrees of freedom, p = 1e-4
    }

    //! The batches of two users are the rows of the ordinary load, each once; then come the same of the nodes that
    //! follow.
    void theLoadPhaseMakesTheGraph()
    {
        constexpr std::int64_t kNodes = 700, kPerInsert = 64;
        for (const DataModel model : {DataModel::Sql, DataModel::Document}) {
            const Settings nodes{{"nodes", kNodes}};
            const auto loaded = tryBind(nodes, model).value();
            const Settings load{{"nodes", kNodes}, {"phase", std::string("load")}, {"rows_per_insert", kPerInsert}};
            const auto instance = tryBind(load, model).value();
            std::map<int, std::vector<std::string>> wanted, made;
            std::int64_t batches = 0;
            for (int table = 1; table <= kTables; ++table) {
                const TableSpec spec = loaded->tables()[std::size_t(table - 1)];
                QCOMPARE(instance->tables()[std::size_t(table - 1)].rows, std::int64_t(0));
                QCOMPARE(instance->tables()[std::size_t(table - 1)].create, spec.create);
                batches += (spec.rows + kPerInsert - 1) / kPerInsert;
                Rig rig(nodes, {UserId(0), 1, 3}, model);
                QVERIFY(complete(rig.instance->load(rig.user.context, {table, 1, spec.rows}), rig.user.context) ==
                        Outcome::Ok);
                addRows(rig, spec.columns.size(), wanted[table]);
                std::ranges::sort(wanted[table]);
                QCOMPARE(wanted[table].size(), std::size_t(spec.rows));
            }
            std::array<std::unique_ptr<Rig>, 2> users;
            for (unsigned i = 0; i < users.size(); ++i) {
                users[i] = std::make_unique<Rig>(nodes, UserPlace{UserId(i), 2, 3}, model);
                users[i]->instance = instance;
                users[i]->statements = instance->statements();
            }
            users[0]->session.failAt = 5; // a deadlock: the batch comes again
            std::int64_t failed = 0;
            for (std::int64_t i = 0; i < batches + failed; ++i) {
                Rig& rig = *users[std::size_t(i % 2)];
                const auto requests = rig.run(std::uint64_t(i / 2));
                QCOMPARE(requests.size(), std::size_t(1));
                if (rig.outcome != Outcome::Ok) {
                    ++failed;
                    continue;
                }
                const int table = int(requests[0].statement) / 2 + 1;
                QCOMPARE(rig.statements[requests[0].statement].parameters.size(), requests[0].params.size());
                addRows(rig, instance->tables()[std::size_t(table - 1)].columns.size(), made[table]);
            }
            QCOMPARE(failed, std::int64_t(1));
            for (int table = 1; table <= kTables; ++table) {
                std::ranges::sort(made[table]);
                QVERIFY(made[table] == wanted[table]);
            }
            const IntervalSample sample = IntervalSampler(users[1]->user.recorder).take();
            for (int table = 1; table <= kTables; ++table)
                QVERIFY(sample.ops[indexOf(loadOp(table))].count > 0);
            // What follows is of the nodes that follow.
            std::set<std::int64_t> nodesThen;
            for (std::int64_t i = 0; i < batches; ++i) {
                const auto requests = users[0]->run(std::uint64_t(i));
                const std::size_t columns = instance->tables()[requests[0].statement / 2].columns.size();
                const bool node = requests[0].statement / 2 + 1 == std::size_t(kNodeTable);
                for (std::size_t k = 0; k < requests[0].params.size(); k += columns) {
                    const std::int64_t id = requests[0].number(k + (node || model == DataModel::Sql ? 0 : 1));
                    QVERIFY(id > kNodes && id <= 2 * kNodes);
                    if (node)
                        QVERIFY(nodesThen.insert(id).second);
                }
            }
            QCOMPARE(nodesThen.size(), std::size_t(kNodes));
        }
    }

    //! The three tables advance side by side: after half of the batches each has half of its own.
    void theLoadPhaseMixesTheTables()
    {
        const Settings params{
            {"nodes", std::int64_t(20'000)}, {"phase", std::string("load")}, {"rows_per_insert", std::int64_t(100)}};
        const Degrees degrees(20'000, false);
        Rig rig(params, {}, DataModel::Sql);
        const std::array<double, kTables> batches{std::ceil(double(degrees.links()) / 100),
                                                  std::ceil(double(degrees.counts()) / 100), 200};
        std::array<double, kTables> half{};
        for (std::uint64_t i = 0; i < std::uint64_t((batches[0] + batches[1] + batches[2]) / 2); ++i)
            ++half[rig.run(i).at(0).statement / 2];
        for (std::size_t i = 0; i < half.size(); ++i)
            QVERIFY(std::abs(half[i] - batches[i] / 2) <= 2);
    }

    //! load_order = id: the look at every node comes before the users do, whose transactions know nothing of it.
    void orderIsMadeBeforeARun()
    {
        const Settings load{{"nodes", std::int64_t(1'000'000)},
                            {"load_order", std::string("id")},
                            {"phase", std::string("load")},
                            {"rows_per_insert", std::int64_t(10)}};
        const auto workload = test::bind("linkbench", load, "null");
        int asked = 0;
        const auto count = [&asked] { return ++asked < 1; };
        // Making it asks, at least once, whether to go on.
        QVERIFY(!test::bind("linkbench", load, "null")->makeReady(WorkloadInstance::Use::Run, count, 1));
        QCOMPARE(std::exchange(asked, 0), 1);

        //! Looks when all users are connected: they begin after that, and would make it themselves.
        struct Looks : RunObserver
        {
            std::function<void()> look;
            int looks = 0;
            void onSample(const IntervalSample&) override {}
            void onEvent(const RunEvent&) override {}
            void onPhase(Phase phase, double done, double total) override
            {
                if (phase != Phase::Connect || done < total)
                    return;
                ++looks;
                look();
            }
        } observer;
        observer.look = [&] { (void)workload->makeReady(WorkloadInstance::Use::Run, count, 1); };
        auto target = std::make_shared<ConnectTarget>();
        target->uri = parseUri("null:").value();
        Faults faults;
        target->connection = resolve(driverFor("null")->info().connection, {}, "connection", faults);
        target->statements = workload->statements();
        LoadProfile profile;
        profile.users = {2};
        profile.timeSeconds = 60;
        profile.events = 200;
        RunControl control;
        const RunSummary summary = executeRun(
            {*driverFor("null"), target, *workload, workloadFor("linkbench")->info().operations, profile, control, {}},
            observer);
        QCOMPARE(summary.transactions, std::uint64_t(200));
        QVERIFY(observer.looks > 0);
        QCOMPARE(asked, 0); // it was there
    }

    //! Whoever directs a load or a run may end the look, and then nothing is connected.
    void makingTheOrderCanBeEnded()
    {
        Settings order{{"nodes", std::int64_t(20'000'000)}, {"load_order", std::string("id")}};
        int asked = 0;
        const auto never = [&asked] {
            ++asked;
            return false;
        };
        using enum WorkloadInstance::Use;
        const auto requests = test::bind("linkbench", order, "null");
        QVERIFY(requests->makeReady(Run, never, 1)); // its load needs the order, the requests do not
        QCOMPARE(asked, 0);
        QVERIFY(!requests->makeReady(Load, never, 1));
        QCOMPARE(asked, 1);
        auto nowhere = std::make_shared<ConnectTarget>();
        nowhere->uri = parseUri("sqlite:/nowhere/at/all.db").value();
        std::uint64_t rows = 0;
        LoadResult result;
        const auto loaded = loadTables(
            {*driverFor("sqlite"), nowhere, *requests, requests->tables()},
            [&](const LoadProgress& progress) {
                rows = progress.rows;
                return false;
            },
            result);
        QVERIFY(!loaded && loaded.error().kind == ErrorKind::Interrupted && rows == 0);
        order["phase"] = std::string("load");
        const auto loads = test::bind("linkbench", order, "null");
        QVERIFY(loads->makeReady(Load, never, 1)); // there is nothing to load before the run
        QVERIFY(!loads->makeReady(Run, never, 1));
        QCOMPARE(asked, 2);
    }

    //! load_order = id: a loader takes a chunk of about 2048 ids, the last chunk first, and goes through it by
    //! ascending id until it is done; who has no chunk left helps the others. Together they make what the ordinary load
    //! makes, whose rows come by ascending id too.
    void loadersTakeChunksOfIds_data()
    {
        QTest::addColumn<bool>("nodes");
        QTest::newRow("with nodes") << true;
        QTest::newRow("without") << false;
    }
    void loadersTakeChunksOfIds()
    {
        QFETCH(bool, nodes);
        constexpr std::int64_t kNodes = 20'000, kChunks = kNodes / 2048; // 9 of 2222 ids on average
        const Settings order{{"nodes", kNodes}, {"load_order", std::string("id")}};
        std::map<int, std::vector<std::string>> wanted, made;
        for (int table = 1; table <= kTables; ++table) {
            Rig rig(order, {UserId(0), 1, 3}, DataModel::Sql);
            const TableSpec spec = rig.instance->tables()[std::size_t(table - 1)];
            QVERIFY(spec.rowsPerPart > 0 && spec.rowsPerPart < spec.rows);
            QVERIFY(complete(rig.instance->load(rig.user.context, {table, 1, spec.rows}), rig.user.context) ==
                    Outcome::Ok);
            if (nodes || table != kNodeTable)
                addRows(rig, spec.columns.size(), wanted[table]);
            if (table == kNodeTable)
                continue;
            std::int64_t last = 0;
            for (const Recorded& request : rig.session.requests) {
                for (std::size_t i = 0; i < request.params.size(); i += spec.columns.size()) {
                    QVERIFY(request.number(i) >= last);
                    last = request.number(i);
                }
            }
        }
        Settings load = order;
        load.insert({{"phase", std::string("load")}, {"rows_per_insert", std::int64_t(100)}, {"load_nodes", nodes}});
        const auto instance = tryBind(load, DataModel::Sql).value();
        std::array<std::unique_ptr<Rig>, 3> users;
        for (unsigned i = 0; i < users.size(); ++i) {
            users[i] = std::make_unique<Rig>(order, UserPlace{UserId(i), 3, 3}, DataModel::Sql);
            users[i]->instance = instance;
            users[i]->statements = instance->statements();
        }
        std::int64_t rows = 0, all = 0;
        for (const auto& [table, texts] : wanted)
            all += std::int64_t(texts.size());
        std::array<std::vector<std::int64_t>, 3> firsts; // first id1 of each insert of links
        for (std::uint64_t i = 0; rows < all; ++i) {
            const std::size_t number = i % 7 == 0 ? 0 : i % 3; // one is faster than the others
            Rig& rig = *users[number];
            const auto& requests = rig.run(i);
            QCOMPARE(requests.size(), std::size_t(1));
            const int table = int(requests[0].statement) / 2 + 1;
            const std::size_t columns = instance->tables()[std::size_t(table - 1)].columns.size();
            addRows(rig, columns, made[table]);
            rows += std::int64_t(requests[0].params.size() / columns);
            if (table == kLinkTable) {
                firsts[number].push_back(requests[0].number(0));
                const std::int64_t last = requests[0].number(requests[0].params.size() - columns);
                QVERIFY(last >= requests[0].number(0) && last < requests[0].number(0) + 2048);
            }
        }
        QCOMPARE(rows, all);
        QCOMPARE(made.contains(kNodeTable), nodes);
        QCOMPARE(made.size(), wanted.size());
        for (auto& [table, texts] : made) {
            std::ranges::sort(texts);
            std::ranges::sort(wanted[table]);
            QVERIFY(texts == wanted[table]);
        }
        QVERIFY(firsts[0].front() > kNodes - 2 * kNodes / kChunks); // the last chunk comes first
        for (const auto& own : firsts) {
            int back = 0;
            for (std::size_t i = 1; i < own.size(); ++i)
                back += own[i] < own[i - 1] ? 1 : 0;
            QVERIFY2(back >= 1 && back <= kChunks, qPrintable(QString::number(back))); // with each new chunk only
        }
        QVERIFY(!tryBind({{"load_nodes", false}}, DataModel::Sql)); // requests need them
    }

    //! What the server refused (a key that is there) is not tried for ever.
    void aRefusedBatchIsLeftOut()
    {
        const Settings params{{"phase", std::string("load")}, {"rows_per_insert", std::int64_t(50)}};
        for (const Outcome failure : {Outcome::Rejected, Outcome::Disconnected}) {
            Rig rig(params, {}, DataModel::Sql);
            rig.session.failAt = 1;
            rig.session.failure = {failure, 1};
            const auto first = rig.run(0), second = rig.run(0);
            QCOMPARE(first[0].same(second[0]), failure == Outcome::Disconnected);
        }
    }

    void aTransactionAllocatesNothing()
    {
        for (const DataModel model : {DataModel::Sql, DataModel::Document})
            allocatesNothing(model);
    }

private:
    void allocatesNothing(DataModel model)
    {
        Rig rig({{"counts", std::string("transaction")}}, {}, model);
        rig.session.keep = false;
        std::uint64_t sequence = 0;
        for (; sequence < 1000; ++sequence) // rare requests come too
            rig.user.run(*rig.instance, sequence);
        const std::uint64_t before = allocations();
        for (; sequence < 10'000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(allocations() - before, std::uint64_t(0));
    }
};

} // namespace dyno::tst_linkbench

DYNO_SUITE(tst_linkbench, dyno::tst_linkbench::TstLinkbench)
#include "tst_linkbench.moc"
