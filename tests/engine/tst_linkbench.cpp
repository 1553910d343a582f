// SPDX-License-Identifier: GPL-3.0-or-later
// LinkBench: the graph against its published distribution, and requests over a session that records.
#include "support/allocation_count.h"
#include "support/workload_harness.h"
#include "workload/linkbench/linkbench.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace dyno;
using namespace dyno::test;
using namespace dyno::linkbench;

namespace {

const WorkloadInfo& info()
{
    return workloadFor("linkbench")->info();
}

Expected<std::shared_ptr<const WorkloadInstance>> tryBind(const Settings& params, DataModel model = DataModel::Document,
                                                          const Settings& knobs = {})
{
    Faults faults;
    const Settings complete = resolve(info().options, params, "workload", faults);
    if (!faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, {}});
    DriverInfo driver = driverFor("null")->info();
    driver.models = {model};
    return workloadFor("linkbench")->bind(complete, driver, knobs);
}

struct Rig
{
    explicit Rig(const Settings& params = {}, UserPlace place = {}, DataModel model = DataModel::Document)
        : instance(tryBind(params, model).value())
        , user(std::make_unique<RecordingSession>(), info().operations.size(), place)
        , session(static_cast<RecordingSession&>(*user.session))
        , statements(instance->statements())
    {
    }
    std::vector<Recorded> run(std::uint64_t sequence = 0)
    {
        session.requests.clear();
        outcome = user.run(*instance, sequence);
        return session.requests;
    }
    const std::string& text(const Recorded& request) const { return statements.at(request.statement).text; }

    std::shared_ptr<const WorkloadInstance> instance;
    TestUser user;
    RecordingSession& session;
    StatementSet statements;
    Outcome outcome = Outcome::Ok;
};

//! Only one kind of request.
Settings only(const std::string& operation, const Settings& more = {})
{
    Settings params = more;
    for (const OperationInfo& kind : info().operations)
        params[kind.name + "_percent"] = kind.name == operation ? 100.0 : 0.0;
    return params;
}

std::string keyOf(int type, std::int64_t id1, std::int64_t id2)
{
    return std::to_string(kFirstLinkType + type) + ':' + std::to_string(id1) + ':' + std::to_string(id2);
}

} // namespace

class TstLinkbench : public QObject
{
    Q_OBJECT
private slots:
    void optionsExplainThemselves()
    {
        QCOMPARE(info().operations.size(), kOps);
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
        const std::map<std::int64_t, double> published {{0, 45.33160573}, {1, 77.46259112}, {2, 86.95805953}, {5, 95.82807169},
                                                        {10, 98.32803368}, {20, 99.3269556}, {33, 99.59499064}, {50, 99.72156049}};
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
        const std::map<std::int64_t, double> published {
            {55, 99.74248139},   {85, 99.81282249},    {135, 99.85816867},   {175, 99.87676463},   {350, 99.91301451},
            {450, 99.9234664},   {900, 99.94743137},   {1850, 99.96745206},  {2250, 99.97218657},  {2670, 99.97610517},
            {7500, 99.99244466}, {9500, 99.99463856},  {10500, 99.99540345}, {20504, 99.99861017}, {21006, 99.99868129},
            {156940, 99.99998354}, {198095, 99.99999045}, {281116, 99.99999638}};
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

    void asLinkbenchMakesMoreLinks()
    {
        const Degrees right(20'000, false), compat(20'000, true);
        std::map<std::int64_t, std::set<std::int64_t>> made;
        for (std::int64_t node = 1; node <= 20'000; ++node)
            made[right.linksOf(node, 0) + right.linksOf(node, 1)].insert(compat.linksOf(node, 0) + compat.linksOf(node, 1));
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
        QVERIFY2(again / double(text.size()) > 0.2 && again / double(text.size()) < 0.5, qPrintable(QString::number(again)));
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
        const std::map<std::string, double> percents {
            {"add_link", 8.9886601},       {"delete_link", 2.9907664}, {"update_link", 8.0122125}, {"count_links", 4.8863567},
            {"get_links", 0.5261142},      {"get_link_list", 50.7119145}, {"add_node", 2.5732789}, {"update_node", 7.366437},
            {"delete_node", 1.0115914},    {"get_node", 12.9326683}};
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
            QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(table.create)).object()["create"].toString().toStdString() == table.name);
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
        for (const char* driver : {"null", "sqlite"}) {
            const auto instance = bind("linkbench", {{"profile", std::string("linkbench")}}, driver);
            for (const StatementSpec& spec : instance->loaderStatements()) {
                QCOMPARE(std::ranges::count(spec.text, '?'), std::ptrdiff_t(spec.parameters.size()));
                QCOMPARE(spec.returnsRows, spec.text.starts_with("SELECT"));
            }
            const std::string create = instance->tables()[0].create;
            QCOMPARE(create.find("PARTITION BY KEY (id1) PARTITIONS 16") != std::string::npos, std::string(driver) == "null");
            QVERIFY(instance->tables()[1].create.find("PARTITION") == std::string::npos);
        }
        const auto own = tryBind({}, DataModel::Sql, {{"partitions", std::int64_t(4)}}).value();
        QVERIFY(own->tables()[0].create.find("PARTITIONS 4") != std::string::npos);
        QVERIFY(own->tables()[2].create.find("latin1") != std::string::npos);
    }

    //! As LinkBench does it: the affected rows of the insert say what has to follow.
    void aLinkIsPutInSql()
    {
        Rig rig(only("add_link"), {}, DataModel::Sql);
        const std::map<std::int64_t, std::vector<std::uint32_t>> wanted {
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
        rig.session.rows = {{number(1), number(2), number(3), number(1), Param::of(std::string_view("d")), number(kTime), number(0)}};
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
        QVERIFY2(std::abs(tails - 0.003 * kLists) < 4.5 * std::sqrt(0.003 * kLists), qPrintable(QString::number(tails)));
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
        const Settings params {{"nodes", std::int64_t(700)}};
        const auto instance = tryBind(params).value();
        for (int table = 1; table <= 3; ++table) {
            const TableSpec spec = instance->tables()[std::size_t(table - 1)];
            const auto values = [&](std::int64_t step) {
                Rig rig(params, {UserId(0), 1, 3});
                for (std::int64_t first = 1; first <= spec.rows; first += step) {
                    const LoadSlice slice {table, first, std::min(spec.rows, first + step - 1)};
                    if (complete(rig.instance->load(rig.user.context, slice), rig.user.context) != Outcome::Ok)
                        return std::vector<std::string>();
                }
                std::vector<std::string> all;
                for (const Recorded& request : rig.session.requests) {
                    for (std::size_t i = 0; i < request.params.size(); ++i)
                        all.push_back(std::to_string(request.number(i)) + request.texts[i]);
                }
                return all;
            };
            const auto once = values(spec.rowsPerSlice);
            QCOMPARE(once.size(), std::size_t(spec.rows) * spec.columns.size());
            QCOMPARE(values(37), once);
        }
    }

    void aTransactionAllocatesNothing()
    {
        if (!kCountsAllocations)
            QSKIP("allocations are not counted under sanitizers");
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
        const std::size_t before = g_allocations.load();
        for (; sequence < 10'000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(g_allocations.load() - before, std::size_t(0));
    }
};

QTEST_APPLESS_MAIN(TstLinkbench)
#include "tst_linkbench.moc"
