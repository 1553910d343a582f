// SPDX-License-Identifier: GPL-3.0-or-later
// Full-text search: words by Zipf's law, documents by their seed, steps and texts of the requests in both dialects.
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/fulltext/fulltext.h"

#include <QTest>

#include <cmath>
#include <set>

namespace dyno::tst_fulltext {
using namespace dyno::test;
using namespace dyno::fulltext;

namespace {

//! Texts of all requests of a run of the list.
std::vector<std::string> requestsOf(const Settings& params, const char* driver)
{
    const auto instance = test::bind("fulltext", params, driver);
    TestUser user(std::make_unique<RecordingSession>(), 9, {UserId(0), 1, 5});
    auto& session = static_cast<RecordingSession&>(*user.session);
    std::uint64_t sequence = 0;
    for (const StepSpec& step : instance->steps()) {
        for (int i = 0; i < step.times; ++i)
            user.run(*instance, sequence++);
    }
    std::vector<std::string> texts;
    for (const Recorded& request : session.requests)
        texts.push_back(request.text);
    return texts;
}

} // namespace

class TstFulltext : public QObject
{
    Q_OBJECT
private slots:
    void wordsAreDifferentAndNoStopWords()
    {
        const Vocabulary words(100'000, 1, 7), other(100'000, 1, 8);
        std::set<std::string_view> seen;
        std::size_t same = 0;
        for (std::int64_t rank = 0; rank < words.size(); ++rank) {
            QVERIFY(seen.insert(words.word(rank)).second);
            same += words.word(rank) == other.word(rank);
        }
        QVERIFY(same < 100);
        for (const std::string_view word : seen)
            QVERIFY(word.size() >= 4 && word.find_first_of("e '\"") == std::string_view::npos);
        QCOMPARE(words.word(0).size(), std::size_t(4));
        QCOMPARE(words.word(70'000).size(), std::size_t(8));
    }

    void frequenciesFollowZipf_data()
    {
        QTest::addColumn<double>("exponent");
        for (const double exponent : {0.0, 0.7, 1.0, 1.5})
            QTest::addRow("%.1f", exponent) << exponent;
    }
    //! χ² over 50 ranks against the closed form.
    void frequenciesFollowZipf()
    {
        QFETCH(double, exponent);
        const std::int64_t size = 50;
        const Vocabulary words(size, exponent, 1);
        Random random(99);
        std::vector<double> counts(std::size_t(size), 0);
        const int draws = 200'000;
        for (int i = 0; i < draws; ++i)
            ++counts[std::size_t(words.draw(random))];
        double sum = 0, chi = 0;
        for (std::int64_t rank = 1; rank <= size; ++rank)
            sum += std::pow(double(rank), -exponent);
        for (std::int64_t rank = 1; rank <= size; ++rank) {
            const double expected = draws * std::pow(double(rank), -exponent) / sum;
            const double off = counts[std::size_t(rank - 1)] - expected;
            chi += off * off / expected;
        }
        QVERIFY2(chi < 94, qPrintable(QString::number(chi))); // 49 degrees of freedom: exceeded once in 10^4 times
    }

    void documentsAreOfTheirSeed()
    {
        Params params;
        params.medianWords = 40;
        const FulltextInstance instance(params, driverFor("sqlite")->info(), "");
        std::string first, again, other;
        for (std::int64_t number = 1; number <= 400; ++number) {
            instance.appendDocument(first, 3, number);
            instance.appendDocument(again, 3, number);
            instance.appendDocument(other, 4, number);
        }
        QCOMPARE(first, again);
        QVERIFY(first != other);
        // Half of the documents are longer than the median: 400 of them, four standard deviations.
        int longer = 0;
        for (std::int64_t number = 1; number <= 400; ++number) {
            std::string document;
            instance.appendDocument(document, 3, number);
            longer += std::ranges::count(document.substr(document.rfind(",'")), ' ') + 1 > 40;
        }
        QVERIFY2(std::abs(longer - 200) < 40, qPrintable(QString::number(longer)));
    }

    void requestsInBothDialects()
    {
        const Settings small{{"documents", std::int64_t(20)}, {"rounds", std::int64_t(1)}};
        const std::vector<std::string> mysql = requestsOf(small, "mysql"), sqlite = requestsOf(small, "sqlite");
        QCOMPARE(mysql.size(), std::size_t(8));
        QVERIFY(mysql[0].starts_with("INSERT INTO ft_dir (id, full_name, details) VALUES (1,'"));
        QCOMPARE(mysql[0], sqlite[0]);
        QCOMPARE(mysql[1], std::string("ALTER TABLE ft_dir ADD FULLTEXT KEY ft_text (full_name, details)"));
        QVERIFY(mysql[2].find("IN BOOLEAN MODE") == std::string::npos &&
                mysql[2].ends_with(" ORDER BY score DESC LIMIT 5"));
        QVERIFY(mysql[3].find("AGAINST ('+") != std::string::npos);
        QVERIFY(mysql[4].find("AGAINST ('\"") != std::string::npos);
        QVERIFY(mysql[5].find("*' IN BOOLEAN MODE") != std::string::npos);
        QCOMPARE(mysql[7], std::string("ALTER TABLE ft_dir DROP KEY ft_second"));
        QCOMPARE(sqlite[1], std::string("INSERT INTO ft_dir_text(ft_dir_text) VALUES ('rebuild')"));
        QVERIFY(sqlite[3].find(" AND ") != std::string::npos);
        Settings first = small;
        first["passes"] = std::string("one");
        QCOMPARE(requestsOf(first, "mysql").size(), std::size_t(7));
        QVERIFY(test::bind("fulltext", first, "mysql")->tables().at(0).create.find("FULLTEXT KEY ft_text") !=
                std::string::npos);
    }

    //! TEXT holds 65 535 bytes: 7281 words of eight letters with their spaces.
    void textsFitTheirColumn()
    {
        for (const char* driver : {"mysql", "sqlite"}) {
            QVERIFY_EXCEPTION_THROWN(test::bind("fulltext", {{"median_words", 7282.0}}, driver), std::runtime_error);
            QVERIFY(test::bind("fulltext", {{"shape", std::string("seo")}, {"median_words", 20000.0}}, driver));
        }
        const auto longest = std::dynamic_pointer_cast<const fulltext::FulltextInstance>(test::bind(
            "fulltext",
            {{"median_words", 7281.0}, {"sigma", 3.0}, {"zipf_exponent", 0.0}, {"vocabulary", std::int64_t(100'000)}},
            "mysql"));
        QVERIFY(longest->tables().at(0).create.find("details TEXT NOT NULL") != std::string::npos);
        std::size_t most = 0;
        for (std::int64_t number = 1; number <= 40; ++number) { // half of which would be longer
            std::string document;
            longest->appendDocument(document, 3, number);
            most = std::max(most, document.size() - document.find("','") - 5);
        }
        QVERIFY2(most > 30'000 && most <= 65'535, qPrintable(QString::number(most)));
    }

    void enginesWithoutItAreRefused()
    {
        QVERIFY_EXCEPTION_THROWN(test::bind("fulltext", {}, "mysql", {{"engine", std::string("MEMORY")}}),
                                 std::runtime_error);
        QVERIFY_EXCEPTION_THROWN(test::bind("fulltext", {}, "mysql", {{"partitions", std::int64_t(4)}}),
                                 std::runtime_error);
        QVERIFY(test::bind("fulltext", {}, "mysql", {{"engine", std::string("Aria")}}));
    }
};

} // namespace dyno::tst_fulltext

DYNO_SUITE(tst_fulltext, dyno::tst_fulltext::TstFulltext)
#include "tst_fulltext.moc"
