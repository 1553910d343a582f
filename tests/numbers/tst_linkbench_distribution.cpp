// SPDX-License-Identifier: GPL-3.0-or-later
// LinkBench's distributions as the workload uses them: which nodes its requests hit, how many links its load makes,
// what links and nodes hold. By χ² against the closed forms of the constants that FBWorkload.properties has, and by
// tests of each constant alone.
#include "engine/linkbench_rig.h"
#include "support/chi_square.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <cmath>
#include <map>
#include <set>

namespace dyno::tst_linkbench_distribution {
using namespace dyno::test;
using namespace dyno::linkbench;

namespace {

constexpr std::int64_t kNodes = 1000;
constexpr double kNear = 4.5; //!< standard deviations

//! Which nodes a kind of request hits: with `blend` those with many links, else those that a key of the run's
//! scattering gives.
struct Access
{
    const char* name;
    std::vector<const char*> operations;
    double shape;
    double blend;
    std::uint64_t key;
};
const std::vector<Access>& accesses()
{
    static const std::vector<Access> all{{"link reads", {"get_link_list", "count_links", "get_links"}, 0.8, 0.005, 2},
                                         {"link writes", {"add_link", "update_link", "delete_link"}, 0.741, 0.05, 3},
                                         {"node reads", {"get_node"}, 0.625, 0, 4},
                                         {"node updates", {"update_node"}, 0.606, 0, 4},
                                         {"node deletes", {"delete_node"}, 0, 0, 4}};
    return all;
}

double zeta(std::int64_t n, double shape)
{
    double sum = 0;
    for (std::int64_t i = n; i >= 1; --i)
        sum += std::pow(double(i), -shape);
    return sum;
}

//! Of the ranks 0 … n − 1 by the quantile formula of Gray et al.: P(rank < k) is its inverse, the first two ranks are
//! exact.
std::vector<double> rankShares(std::int64_t n, double shape)
{
    if (shape == 0)
        return std::vector<double>(std::size_t(n), 1 / double(n));
    const double all = zeta(n, shape), two = zeta(2, shape);
    const double eta = (1 - std::pow(2 / double(n), 1 - shape)) / (1 - two / all);
    std::vector<double> shares{1 / all, (two - 1) / all};
    double before = two / all;
    for (std::int64_t rank = 2; rank < n; ++rank) {
        const double below = std::max(two / all, (std::pow(double(rank + 1) / double(n), 1 - shape) + eta - 1) / eta);
        shares.push_back(below - before);
        before = below;
    }
    return shares;
}

//! Of the nodes 1 … n, by number − 1.
struct NodeShares
{
    std::vector<double> together;              //!< as they are hit
    std::vector<double> correlated, scattered; //!< what those are blended of
};
NodeShares nodeShares(const Degrees& degrees, double shape, double blend, std::uint64_t key)
{
    const std::vector<double> ranks = rankShares(kNodes, shape);
    const Scatter scatter(kNodes, key);
    NodeShares shares;
    shares.together = shares.correlated = shares.scattered = std::vector<double>(kNodes, 0);
    for (std::int64_t rank = 0; rank < kNodes; ++rank) {
        shares.correlated[std::size_t(degrees.nodeOf(rank) - 1)] = ranks[std::size_t(rank)];
        shares.scattered[std::size_t(scatter.at(rank))] = ranks[std::size_t(rank)];
    }
    for (std::size_t i = 0; i < std::size_t(kNodes); ++i)
        shares.together[i] = blend * shares.correlated[i] + (1 - blend) * shares.scattered[i];
    return shares;
}

std::vector<double> times(std::vector<double> shares, double all)
{
    for (double& share : shares)
        share *= all;
    return shares;
}

//! How far counts are from a shape, in standard deviations.
double shapeScore(const Degrees& degrees, const Access& access, const std::vector<double>& counts)
{
    constexpr double kStep = 1e-4;
    const auto more = nodeShares(degrees, access.shape + kStep, access.blend, access.key).together;
    const auto less = nodeShares(degrees, access.shape - kStep, access.blend, access.key).together;
    std::vector<double> slopes;
    for (std::size_t i = 0; i < more.size(); ++i)
        slopes.push_back((more[i] - less[i]) / (2 * kStep));
    return score(nodeShares(degrees, access.shape, access.blend, access.key).together, slopes, counts);
}

//! How far they are from a blend.
double blendScore(const Degrees& degrees, const Access& access, const std::vector<double>& counts)
{
    const NodeShares shares = nodeShares(degrees, access.shape, access.blend, access.key);
    std::vector<double> slopes;
    for (std::size_t i = 0; i < shares.together.size(); ++i)
        slopes.push_back(shares.correlated[i] - shares.scattered[i]);
    return score(shares.together, slopes, counts);
}

//! How often the requests of an operation name each node.
std::vector<double> hits(const char* operation, const Settings& profile, int draws)
{
    Settings more = profile;
    more.insert({{"nodes", kNodes}, {"counts", std::string("two_step")}});
    Rig rig(only(operation, more), {UserId(0), 1, 17}, DataModel::Sql);
    const std::size_t place = std::string(operation) == "update_node" ? 2 : 0; // UPDATE nodetable SET … WHERE id = ?
    std::vector<double> counts(kNodes, 0);
    for (int i = 0; i < draws; ++i)
        ++counts.at(std::size_t(rig.run(std::uint64_t(i)).at(0).number(place) - 1));
    return counts;
}

//! Of the standard normal distribution, up to x.
double normal(double x)
{
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

//! Of the lengths 1 … longest: lognormal, σ = 1, rounded; what lies outside counts as the limit.
std::vector<double> lengthShares(double median, std::size_t longest)
{
    std::vector<double> shares;
    double before = 0;
    for (std::size_t length = 1; length <= longest; ++length) {
        const double next = length == longest ? 1 : normal(std::log((double(length) + 0.5) / median));
        shares.push_back(next - before);
        before = next;
    }
    return shares;
}

//! What links and nodes hold, in two ways that it is made.
std::vector<std::string> payloads(bool node, int number)
{
    std::vector<std::string> texts;
    Rig written(
        only(node ? "add_node" : "add_link", {{"nodes", std::int64_t(2000)}, {"counts", std::string("two_step")}}),
        {UserId(0), 1, 5}, DataModel::Sql);
    for (int i = 0; i < number / 2; ++i)
        texts.push_back(written.run(std::uint64_t(i)).at(0).texts.at(4));
    Rig loaded({{"nodes", std::int64_t(node ? number / 2 : 30'000)}}, {UserId(0), 1, 6}, DataModel::Sql);
    const std::size_t columns = node ? 5 : 7;
    if (complete(loaded.instance->load(loaded.user.context, {node ? kNodeTable : kLinkTable, 1, number / 2}),
                 loaded.user.context) != Outcome::Ok)
        throw std::runtime_error("the load failed");
    for (const Recorded& request : loaded.session.requests) {
        for (std::size_t i = 4; i < request.texts.size(); i += columns)
            texts.push_back(request.texts[i]);
    }
    return texts;
}

} // namespace

class TstLinkbenchDistribution : public QObject
{
    Q_OBJECT

    static void profiles()
    {
        QTest::addColumn<bool>("compat");
        QTest::newRow("dynobench") << false;
        QTest::newRow("linkbench") << true;
    }

private slots:
    //! Chi-square against (1 − p)^(n − 1) p with p = 0.382, cut at as many as the node's links allow.
    void multigetsAreGeometric()
    {
        constexpr std::int64_t kGraph = 20'000;
        constexpr std::size_t kLast = 10; // and more
        const Degrees degrees(kGraph, false);
        Rig rig(only("get_links", {{"nodes", kGraph}}), {}, DataModel::Sql);
        std::array<double, kLast> numbers{}, wanted{};
        for (std::uint64_t i = 0; i < 200'000; ++i) {
            const Recorded asked = rig.run(i).at(0);
            const std::int64_t links = degrees.linksOf(asked.number(0), int(asked.number(1) - kFirstLinkType));
            std::set<std::int64_t> ids;
            for (std::size_t k = 2; k < asked.params.size(); ++k)
                ids.insert(asked.number(k));
            ++numbers[std::min(ids.size(), kLast) - 1];
            const std::size_t most =
                std::min(std::size_t(std::max<std::int64_t>(1, 2 * links)), kLast); // half of the ids are there
            double left = 1;
            for (std::size_t n = 1; n <= most; ++n) {
                const double share = n == most ? left : left * 0.382;
                wanted[n - 1] += share;
                left -= share;
            }
        }
        QVERIFY(wanted.back() > 50 && chiSquare(numbers, wanted) < 33.7); // 9 degrees of freedom, p = 1e-4
    }

    void theClosedFormIsZipf()
    {
        for (const double shape : {0.606, 0.625, 0.741, 0.8}) {
            const std::vector<double> shares = rankShares(kNodes, shape);
            double sum = 0;
            for (const double share : shares)
                sum += share;
            QVERIFY(std::abs(sum - 1) < 1e-9);
            for (std::size_t rank = 0; rank < shares.size();
                 ++rank) { // the formula is known to be within some per cent of it
                const double exact = std::pow(double(rank + 1), -shape) / zeta(kNodes, shape);
                QVERIFY2(std::abs(shares[rank] / exact - 1) < (rank < 2 ? 1e-9 : 0.2),
                         qPrintable(QString("%1 at %2").arg(shape).arg(rank)));
            }
        }
    }

    void accessIsAsMeasured_data() { profiles(); }
    //! Zipf of 0.8 for link reads, 0.741 for writes, 0.625 and 0.606 for reads and updates of nodes, even for their
    //! deletes; 0.5 % of the reads and 5 % of the writes go to nodes by their links. LinkBench itself takes the
    //! settings of reads for writes, too. Each operation is near these constants, and not near those of another.
    void accessIsAsMeasured()
    {
        QFETCH(bool, compat);
        constexpr int kDraws = 400'000;
        const Degrees degrees(kNodes, compat);
        const Settings profile{{"profile", std::string(compat ? "linkbench" : "dynobench")}};
        std::vector<Access> wanted = accesses();
        if (compat) {
            wanted[1].shape = wanted[0].shape;
            wanted[1].blend = wanted[0].blend;
        }
        for (const Access& access : wanted) {
            for (const char* operation : access.operations) {
                const std::vector<double> counts = hits(operation, profile, kDraws);
                const auto shares = nodeShares(degrees, access.shape, access.blend, access.key).together;
                const ChiSquare result = chiSquare(times(shares, kDraws), counts);
                QVERIFY2(result.cells > 900 && result.fits(),
                         qPrintable(QString("%1: %2").arg(operation, result.text())));
                if (access.shape == 0)
                    continue;
                const double ofShape = shapeScore(degrees, access, counts),
                             ofBlend = blendScore(degrees, access, counts);
                QVERIFY2(std::abs(ofShape) < kNear && std::abs(ofBlend) < kNear,
                         qPrintable(QString("%1: shape off by %2 deviations, blend by %3")
                                        .arg(operation)
                                        .arg(ofShape)
                                        .arg(ofBlend)));
                for (const double shape : {0.8, 0.741, 0.625, 0.606, access.shape + 0.01, access.shape - 0.01}) {
                    Access other = access;
                    other.shape = shape;
                    if (shape != access.shape)
                        QVERIFY2(std::abs(shapeScore(degrees, other, counts)) > kNear,
                                 qPrintable(QString("%1 with %2").arg(operation).arg(shape)));
                }
                for (const double blend : {0.0, 0.005, 0.05, 0.1}) {
                    Access other = access;
                    other.blend = blend;
                    const bool tells =
                        access.blend > 0 || blend > 0.005; // half a per cent of a flat shape is hardly seen
                    if (blend != access.blend && tells)
                        QVERIFY2(std::abs(blendScore(degrees, other, counts)) > kNear,
                                 qPrintable(QString("%1 with %2").arg(operation).arg(blend)));
                }
            }
        }
    }

    void linksAreAsPublished_data() { profiles(); }
    //! The rows of the load: of 20 000 nodes those with at most so many links, by lines of Distribution.dat; LinkBench
    //! itself makes 3, 4 and 6 links of 2, 3 and 4, and one or two more of any number above. Nodes that are hit for
    //! their links have the most.
    void linksAreAsPublished()
    {
        QFETCH(bool, compat);
        constexpr std::int64_t kLoaded = 20'000;
        const Settings params{{"nodes", kLoaded}, {"profile", std::string(compat ? "linkbench" : "dynobench")}};
        Rig rig(params, {UserId(0), 1, 9}, DataModel::Sql);
        const std::int64_t rows = rig.instance->tables().at(kLinkTable - 1).rows;
        std::vector<std::int64_t> links(std::size_t(kLoaded), 0);
        std::vector<double> ages(100, 0);
        for (std::int64_t first = 1; first <= rows; first += 10'000) {
            rig.session.requests.clear();
            QVERIFY(complete(rig.instance->load(rig.user.context, {kLinkTable, first, std::min(rows, first + 9999)}),
                             rig.user.context) == Outcome::Ok);
            for (const Recorded& request : rig.session.requests) {
                for (std::size_t i = 0; i < request.params.size(); i += 7) {
                    ++links.at(std::size_t(request.number(i) - 1));
                    constexpr std::int64_t kNewest = 1'577'836'800'000, kAll = 50ll * 24 * 3600 * 1000; // 2020, 50 days
                    ++ages.at(
                        std::size_t(std::min(99.0, double(kNewest - request.number(i + 5)) * 100 / double(kAll))));
                }
            }
        }
        std::map<std::int64_t, std::int64_t> nodesWith;
        for (const std::int64_t count : links)
            ++nodesWith[count];
        const std::map<std::int64_t, double> published{{0, 45.33160573},   {1, 77.46259112},  {2, 86.95805953},
                                                       {3, 91.99305428},   {4, 94.4507991},   {5, 95.82807169},
                                                       {10, 98.32803368},  {20, 99.3269556},  {50, 99.72156049},
                                                       {100, 99.83136115}, {500, 99.92746369}};
        for (const auto& [wanted, percent] : published) {
            const std::int64_t made = !compat || wanted < 2 ? wanted : wanted == 2 ? 3 : 2 * (wanted / 2 + 1);
            std::int64_t atMost = 0;
            for (const auto& [count, nodes] : nodesWith)
                atMost += count <= made ? nodes : 0;
            const double due = percent / 100 * kLoaded; // an even number and the odd one above it are made the same
            const bool odd = compat && wanted >= 4 && wanted % 2 == 0;
            QVERIFY2(odd ? double(atMost) >= due - 1 : std::abs(double(atMost) - due) <= 1,
                     qPrintable(QString("at most %1: %2 nodes of %3").arg(wanted).arg(atMost).arg(due)));
        }
        QCOMPARE(nodesWith.contains(2) && nodesWith.contains(5), !compat);
        const Degrees degrees(kLoaded, compat);
        for (std::int64_t rank = 1; rank < kLoaded; ++rank)
            QVERIFY(links[std::size_t(degrees.nodeOf(rank) - 1)] <= links[std::size_t(degrees.nodeOf(rank - 1) - 1)]);
        const ChiSquare ofAges = chiSquareUniform(ages);
        QVERIFY2(ofAges.fits(), qPrintable(ofAges.text()));
    }

    void payloadsAreAsDefined_data()
    {
        QTest::addColumn<bool>("node");
        QTest::addColumn<double>("median");
        QTest::addColumn<int>("longest");
        QTest::addColumn<int>("low");
        QTest::addColumn<int>("high");
        QTest::addColumn<double>("unique");
        QTest::newRow("links") << false << 8.0 << 254 << 32 << 100 << 0.225;
        QTest::newRow("nodes") << true << 128.0 << 16 * 1024 << 50 << 126 << 0.63;
    }
    //! Lengths lognormal, σ = 1, of links with the median 8 up to 254, of nodes 128; letters from 32 to 100, of nodes
    //! from 50. Chunks of at most 128 letters are drawn anew with the given chance, else they are copies out of 512
    //! letters: ten letters that come several times in many chunks are copied, for random ones never do.
    void payloadsAreAsDefined()
    {
        QFETCH(bool, node);
        QFETCH(double, median);
        QFETCH(int, longest);
        QFETCH(int, low);
        QFETCH(int, high);
        QFETCH(double, unique);
        constexpr int kTexts = 60'000;
        constexpr std::size_t kStart = 10, kChunk = 128;
        const std::vector<std::string> texts = payloads(node, kTexts);
        QCOMPARE(texts.size(), std::size_t(kTexts));
        std::vector<double> lengths(std::size_t(longest), 0), letters(256, 0);
        std::map<std::string, int> starts;
        for (const std::string& text : texts) {
            ++lengths.at(text.size() - 1);
            for (std::size_t at = 0; at + kStart <= text.size(); at += kChunk)
                ++starts[text.substr(at, kStart)];
        }
        const ChiSquare ofLengths = chiSquare(times(lengthShares(median, std::size_t(longest)), kTexts), lengths);
        QVERIFY2(ofLengths.cells > 20 && ofLengths.fits(), qPrintable(ofLengths.text()));
        const auto medianScore = [&](double other) {
            const std::vector<double> shares = lengthShares(other, lengths.size()),
                                      more = lengthShares(other * 1.0001, lengths.size());
            std::vector<double> slopes;
            for (std::size_t i = 0; i < shares.size(); ++i)
                slopes.push_back((more[i] - shares[i]) / 0.0001);
            return std::abs(score(shares, slopes, lengths));
        };
        QVERIFY2(medianScore(median) < kNear, qPrintable(QString::number(medianScore(median))));
        QVERIFY(medianScore(median * 0.95) > kNear && medianScore(median * 1.05) > kNear);
        double chunks = 0, fresh = 0;
        for (const auto& [start, count] : starts) {
            chunks += count;
            fresh += count == 1 ? 1 : 0;
        }
        const double deviation = std::sqrt(chunks * unique * (1 - unique));
        QVERIFY2(std::abs(fresh - chunks * unique) < kNear * deviation,
                 qPrintable(QString("%1 of %2 chunks are random, not %3").arg(fresh).arg(chunks).arg(chunks * unique)));
        QVERIFY(deviation / chunks < 0.003); // a hundredth more or less would be seen
        std::set<std::string> copies;
        double drawn = 0;
        for (const std::string& text : texts) {
            for (std::size_t at = 0; at + kStart <= text.size(); at += kChunk) {
                const std::string start = text.substr(at, kStart);
                if (starts.at(start) > 1) {
                    copies.insert(start);
                    continue;
                }
                for (const char letter : text.substr(at, kChunk)) {
                    ++letters[static_cast<unsigned char>(letter)];
                    ++drawn;
                }
            }
        }
        // Places of a copy: 512 less its length and one more, at most 503 for the ten letters that are looked at.
        QVERIFY2(copies.size() > 380 && copies.size() <= 503, qPrintable(QString::number(copies.size())));
        std::vector<double> wanted(256, 0);
        for (int letter = low; letter <= high; ++letter)
            wanted[std::size_t(letter)] = drawn / (high - low + 1);
        const ChiSquare ofLetters = chiSquare(wanted, letters);
        QVERIFY2(ofLetters.cells == high - low + 1 && ofLetters.fits(), qPrintable(ofLetters.text()));
        double outside = 0;
        for (int letter = 0; letter < 256; ++letter)
            outside += letter < low || letter > high ? letters[std::size_t(letter)] : 0;
        QCOMPARE(outside, 0.0);
    }
};

} // namespace dyno::tst_linkbench_distribution

DYNO_SUITE(tst_linkbench_distribution, dyno::tst_linkbench_distribution::TstLinkbenchDistribution)
#include "tst_linkbench_distribution.moc"
