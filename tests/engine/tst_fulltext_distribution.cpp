// SPDX-License-Identifier: GPL-3.0-or-later
// What the full-text workload's documents and searches are made of, by χ² against closed forms: how many words, which
// words, and which of them are searched for. Over the statements that a user sends.
#include "support/chi_square.h"
#include "support/recording_rig.h"
#include "support/suite.h"
#include "workload/fulltext/fulltext.h"

#include <QStringList>
#include <QTest>

#include <cmath>
#include <map>

namespace dyno::tst_fulltext_distribution {
using namespace dyno::test;
using namespace dyno::fulltext;

namespace {

constexpr std::int64_t kWords = 20'000; //!< of the vocabulary

//! Of the standard normal distribution, up to x.
double normal(double x)
{
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

//! Of 2 words, 3 words …: lognormal and rounded, never fewer than two.
std::vector<double> lengthShares(double median, double sigma, std::size_t most)
{
    std::vector<double> shares;
    double before = 0;
    for (std::size_t words = 2; words <= most; ++words) {
        const double next = words == most ? 1 : normal(std::log((double(words) + 0.5) / median) / sigma);
        shares.push_back(next - before);
        before = next;
    }
    return shares;
}

std::vector<double> times(std::vector<double> shares, double all)
{
    for (double& share : shares)
        share *= all;
    return shares;
}

struct Document
{
    QStringList shortText, longText;
};

//! The rows "(number,'short text','long text')" of the INSERTs of a load.
std::vector<Document> documents(const Settings& params)
{
    RecordingRig rig("fulltext", params, {UserId(0), 1, 31});
    std::vector<Document> all;
    for (const Recorded& request : rig.run(0)) {
        const QString text = QString::fromStdString(request.text);
        const QString rows = text.mid(text.indexOf("VALUES (") + 8).chopped(1);
        for (const QString& row : rows.split("),(")) {
            const QStringList fields = row.split('\'');
            if (fields.size() != 5 || fields[0] != QString::number(all.size() + 1) + ",")
                throw std::runtime_error("no such row is expected: " + row.left(100).toStdString());
            all.push_back({fields[1].split(' '), fields[3].split(' ')});
        }
    }
    return all;
}

std::map<QString, std::size_t> ranks()
{
    const Vocabulary words(kWords, 1, 1);
    std::map<QString, std::size_t> all;
    for (std::int64_t rank = 0; rank < kWords; ++rank)
        all[QString::fromStdString(std::string(words.word(rank)))] = std::size_t(rank);
    return all;
}

} // namespace

class TstFulltextDistribution : public QObject
{
    Q_OBJECT
private slots:
    void lengthsAreAsDefined_data()
    {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<double>("median");
        QTest::addColumn<double>("sigma");
        QTest::addColumn<bool>("asked");
        QTest::newRow("dir") << "dir" << 20.0 << 0.6 << false;
        QTest::newRow("seo") << "seo" << 250.0 << 0.8 << false;
        QTest::newRow("as asked") << "dir" << 40.0 << 0.3 << true;
    }
    //! A directory's names have two or three words, its texts 20 as their median with a spread of 0.6; pages have
    //! titles of four to twelve words, and texts of 250 with 0.8. A median or a spread that is seven per cent off would
    //! not do.
    void lengthsAreAsDefined()
    {
        QFETCH(QString, shape);
        QFETCH(double, median);
        QFETCH(double, sigma);
        QFETCH(bool, asked);
        const bool dir = shape == "dir";
        const int count = dir ? 20'000 : 8000;
        Settings params{{"shape", shape.toStdString()}, {"documents", std::int64_t(count)}};
        if (asked)
            params.insert({{"median_words", median}, {"sigma", sigma}});
        constexpr std::size_t kMost = 20'000;
        std::vector<double> shorts(dir ? 2 : 9, 0), longs(kMost - 1, 0);
        for (const Document& document : documents(params)) {
            ++shorts.at(std::size_t(document.shortText.size()) - (dir ? 2 : 4));
            ++longs.at(std::size_t(document.longText.size()) - 2);
        }
        const ChiSquare ofShorts = chiSquareUniform(shorts);
        QVERIFY2(ofShorts.fits(), qPrintable(ofShorts.text()));
        const ChiSquare ofLongs = chiSquare(times(lengthShares(median, sigma, kMost), count), longs);
        QVERIFY2(ofLongs.cells > 30 && ofLongs.fits(), qPrintable(ofLongs.text()));
        // Deviations from a median, and from a spread.
        const auto scores = [&longs](double ofMedian, double ofSigma) {
            constexpr double kStep = 1e-4;
            const std::vector<double> shares = lengthShares(ofMedian, ofSigma, kMost),
                                      longer = lengthShares(ofMedian * (1 + kStep), ofSigma, kMost),
                                      wider = lengthShares(ofMedian, ofSigma * (1 + kStep), kMost);
            std::vector<double> byMedian, bySigma;
            for (std::size_t i = 0; i < shares.size(); ++i) {
                byMedian.push_back((longer[i] - shares[i]) / kStep);
                bySigma.push_back((wider[i] - shares[i]) / kStep);
            }
            return std::pair(std::abs(score(shares, byMedian, longs)), std::abs(score(shares, bySigma, longs)));
        };
        const auto [medianOff, sigmaOff] = scores(median, sigma);
        QVERIFY2(medianOff < 4.5 && sigmaOff < 4.5,
                 qPrintable(QString("%1 and %2 deviations").arg(medianOff).arg(sigmaOff)));
        for (const double other : {0.93, 1.07}) {
            QVERIFY(scores(median * other, sigma).first > 4.5);
            QVERIFY(scores(median, sigma * other).second > 4.5);
        }
    }

    void wordsAreAsFrequentAsZipfSays_data()
    {
        QTest::addColumn<double>("exponent");
        QTest::addColumn<QString>("shape");
        QTest::newRow("dir") << 1.0 << "dir";
        QTest::newRow("seo") << 1.0 << "seo";
        QTest::newRow("flatter") << 0.5 << "dir";
    }
    //! Of both texts together, over all ranks.
    void wordsAreAsFrequentAsZipfSays()
    {
        QFETCH(double, exponent);
        QFETCH(QString, shape);
        Settings params{{"shape", shape.toStdString()}, {"documents", std::int64_t(shape == "dir" ? 20'000 : 1500)}};
        if (exponent != 1)
            params["zipf_exponent"] = exponent;
        const std::map<QString, std::size_t> rankOf = ranks();
        std::vector<double> counts(kWords, 0);
        double all = 0;
        for (const Document& document : documents(params)) {
            for (const QString& word : document.shortText + document.longText) {
                ++counts[rankOf.at(word)];
                ++all;
            }
        }
        const auto shares = [](double power) {
            std::vector<double> result;
            double sum = 0;
            for (std::int64_t rank = 1; rank <= kWords; ++rank) {
                result.push_back(std::pow(double(rank), -power));
                sum += result.back();
            }
            return times(std::move(result), 1 / sum);
        };
        const ChiSquare result = chiSquare(times(shares(exponent), all), counts);
        QVERIFY2(result.cells > 5000 && result.fits(), qPrintable(result.text()));
        for (const double other : {exponent - 0.03, exponent + 0.03})
            QVERIFY(!chiSquare(times(shares(other), all), counts).fits());
    }

    void searchesAreAsAsked_data()
    {
        QTest::addColumn<QString>("terms");
        for (const char* terms : {"mixed", "common", "rare"})
            QTest::newRow(terms) << terms;
    }
    //! In natural language three words: as many of rank 10 to 99 as of rank 100 to 999, so that number r has the share
    //! ln((r + 1) / r) / ln(words); or those of the first hundredth; or those of the second half.
    void searchesAreAsAsked()
    {
        QFETCH(QString, terms);
        constexpr int kSearches = 20'000;
        RecordingRig rig(
            "fulltext",
            {{"documents", std::int64_t(10)}, {"rounds", std::int64_t(kSearches)}, {"terms", terms.toStdString()}},
            {UserId(0), 1, 41});
        const std::map<QString, std::size_t> rankOf = ranks();
        std::vector<double> counts(kWords, 0), shares(kWords, 0);
        double asked = 0;
        for (std::uint64_t i = 2; i < 2 + kSearches; ++i) { // after the load and its index
            const QString text = QString::fromStdString(rig.run(i).at(0).text);
            const QString words = text.section('\'', 1, 1);
            QVERIFY2(text.startsWith("SELECT id, MATCH") && !text.contains("BOOLEAN"), qPrintable(text));
            QCOMPARE(words.count(' '), qsizetype(2));
            for (const QString& word : words.split(' ')) {
                ++counts[rankOf.at(word)];
                ++asked;
            }
        }
        for (std::int64_t rank = 0; rank < kWords; ++rank) {
            const bool common = rank < kWords / 100, rare = rank >= kWords / 2;
            shares[std::size_t(rank)] = terms == "common" ? (common ? 100.0 / kWords : 0)
                                        : terms == "rare" ? (rare ? 2.0 / kWords : 0)
                                        : rank == 0       ? 0
                                                          : std::log1p(1 / double(rank)) / std::log(double(kWords));
        }
        const ChiSquare result = chiSquare(times(shares, asked), counts);
        QVERIFY2(result.cells > 100 && result.fits(), qPrintable(result.text()));
        for (std::size_t rank = 0; rank < shares.size(); ++rank)
            QVERIFY(shares[rank] > 0 || counts[rank] == 0);
    }
};

} // namespace dyno::tst_fulltext_distribution

DYNO_SUITE(tst_fulltext_distribution, dyno::tst_fulltext_distribution::TstFulltextDistribution)
#include "tst_fulltext_distribution.moc"
