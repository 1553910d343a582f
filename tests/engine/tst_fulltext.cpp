// SPDX-License-Identifier: GPL-3.0-or-later
// Full-text search: words by Zipf's law, documents by their seed, steps and texts of the requests in both dialects.
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/fulltext/fulltext.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <map>
#include <set>

namespace dyno::tst_fulltext {
using namespace dyno::test;
using namespace dyno::fulltext;

namespace {

//! Texts of all requests of a run of the list.
std::vector<std::string> requestsOf(const Settings& params, const char* driver)
{
    const auto instance = test::bind("fulltext", params, driver);
    TestUser user(std::make_unique<RecordingSession>(), kOps, {UserId(0), 1, 5});
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

    //! The posts' queries: no WHERE, LIMIT 5 but for the phrase, the same words each time, in their order; then the
    //! last one once more with its profile.
    void queriesOfThePosts()
    {
        Settings dir{{"documents", std::int64_t(60)},
                     {"rounds", std::int64_t(10)},
                     {"queries", std::string("post")},
                     {"initials", true},
                     {"second_index", false}};
        Settings seo = dir;
        seo["shape"] = std::string("seo");
        const std::vector<std::string> entries = requestsOf(dir, "mysql"), pages = requestsOf(seo, "mysql");
        QCOMPARE(entries.size(), std::size_t(2 + 4 * 10 + 4)); // load, index, searches; SET, search, SHOW, SET
        QCOMPARE(pages.size(), std::size_t(2 + 2 * 10 + 4));
        const auto asked = [](const std::vector<std::string>& all, std::size_t query) {
            const std::set<std::string> texts(all.begin() + 2 + std::ptrdiff_t(query) * 10,
                                              all.begin() + 12 + std::ptrdiff_t(query) * 10);
            return texts.size() == 1 ? *texts.begin() : std::string("other words each time");
        };
        const auto form = [](const char* table, const char* brief, const char* full, const char* terms, int limit) {
            return QRegularExpression(QString("^SELECT id, %2, MATCH \\(%2, %3\\) AGAINST \\('%4\\) AS score FROM %1 "
                                              "ORDER BY score DESC LIMIT %5$")
                                          .arg(table, brief, full, terms)
                                          .arg(limit));
        };
        const char *const kPlain = "[a-z]+ [a-z]+ [a-z]+'", *const kBoolean = " IN BOOLEAN MODE";
        const auto is = [](const std::string& text, const QRegularExpression& wanted) {
            return wanted.match(QString::fromStdString(text)).hasMatch();
        };
        for (const std::size_t query : {0u, 1u})
            QVERIFY2(is(asked(pages, query), form("ft_seo", "title", "body", kPlain, 5)), asked(pages, query).c_str());
        QVERIFY(asked(pages, 0) != asked(pages, 1));
        const auto boolean = [&](const char* terms) { return std::string(terms) + "'" + kBoolean; };
        const std::string all = boolean("\\+[a-z]+ \\+[a-z]+ \\+[a-z]+"), some = boolean("\\+[a-z]+ \\+[a-z]+ [a-z]+"),
                          phrase = boolean("\"[a-z]{4,8} [a-z] [a-z ]+\"");
        QVERIFY2(is(asked(entries, 0), form("ft_dir", "full_name", "details", all.c_str(), 5)),
                 asked(entries, 0).c_str());
        QVERIFY(is(asked(entries, 1), form("ft_dir", "full_name", "details", some.c_str(), 5)));
        QVERIFY(is(asked(entries, 2), form("ft_dir", "full_name", "details", phrase.c_str(), 1)));
        QVERIFY(is(asked(entries, 3), form("ft_dir", "full_name", "details", phrase.c_str(), 2)));
        // The phrase is some document's whole name, and the words of the boolean ones are one document's.
        const std::size_t first = asked(entries, 2).find('"') + 1;
        const std::string name = asked(entries, 2).substr(first, asked(entries, 2).find('"', first) - first);
        QVERIFY(entries[0].find(",'" + name + "','") != std::string::npos);
        QString without = QString::fromStdString(asked(entries, 0)).remove('+');
        QCOMPARE(without, QString::fromStdString(asked(entries, 1)).remove('+'));
        QCOMPARE(entries[42], std::string("SET profiling = 1"));
        QCOMPARE(entries[43], asked(entries, 2));
        QCOMPARE(entries[45], std::string("SET profiling = 0"));
        QCOMPARE(pages[23], asked(pages, 1));
        QVERIFY_EXCEPTION_THROWN(test::bind("fulltext", dir, "sqlite"), std::runtime_error);
    }

    //! What the server tells of the profiled query is recorded by stage: one that comes twice is summed.
    void stagesAreOperations()
    {
        const auto instance = test::bind(
            "fulltext",
            {{"documents", std::int64_t(20)}, {"rounds", std::int64_t(1)}, {"queries", std::string("post")}}, "mysql");
        const WorkloadInfo& info = workloadFor("fulltext")->info();
        TestUser user(std::make_unique<RecordingSession>(), info.operations.size(), {UserId(0), 1, 5});
        auto& session = static_cast<RecordingSession&>(*user.session);
        const auto stage = [](std::string_view name, std::string_view seconds) {
            return std::vector<Param>{Param::of(name), Param::of(seconds)};
        };
        session.rows = {stage("Starting", "0.000100"),
                        stage("FULLTEXT initialization", "0.304933"),
                        stage("Creating sort index", "0.626529"),
                        stage("Sending data", "0.000684"),
                        stage("Sending data", "0.000316"),
                        stage("Freeing items", "0.000050")};
        IntervalSampler sampler(user.recorder);
        for (std::uint64_t i = 0; i < 6; ++i)
            QVERIFY(user.run(*instance, i) == Outcome::Ok);
        (void)sampler.take();
        QVERIFY(user.run(*instance, 6) == Outcome::Ok);
        const IntervalSample sample = sampler.take();
        std::map<std::string, double> ms;
        for (std::size_t op = 0; op < sample.ops.size(); ++op) {
            if (sample.ops[op].count > 0)
                ms[info.operations[op].name] = sample.ops[op].service.meanNs() / 1e6;
        }
        QCOMPARE(ms.size(), std::size_t(5));
        QVERIFY(ms.contains("profiled"));
        for (const auto& [name, wanted] : std::map<std::string, double>{
                 {"stage_initialisation", 304.933}, {"stage_sort", 626.529}, {"stage_send", 1.0}, {"stage_rest", 0.15}})
            QVERIFY2(std::abs(ms.at(name) - wanted) <= wanted / 100, name.c_str());
    }

    //! "Thomas B Smith": a single letter between the first word of a name and the rest, and nothing else changes.
    void namesWithInitials()
    {
        Params plain, initials;
        initials.initials = true;
        const FulltextInstance without(plain, driverFor("sqlite")->info(), ""),
            with(initials, driverFor("sqlite")->info(), "");
        std::map<char, int> letters;
        for (std::int64_t number = 1; number <= 2000; ++number) {
            std::string a, b;
            without.appendDocument(a, 3, number);
            with.appendDocument(b, 3, number);
            const std::size_t space = a.find(' ');
            QCOMPARE(b.size(), a.size() + 2);
            QCOMPARE(b.substr(0, space + 1), a.substr(0, space + 1));
            QCOMPARE(b.substr(space + 2), a.substr(space));
            ++letters[b[space + 1]];
        }
        QCOMPARE(letters.size(), std::size_t(26));
        double chi = 0;
        for (const auto& [letter, count] : letters) {
            QVERIFY(letter >= 'a' && letter <= 'z');
            chi += (count - 2000 / 26.0) * (count - 2000 / 26.0) / (2000 / 26.0);
        }
        QVERIFY2(chi < 62, qPrintable(QString::number(chi))); // 25 degrees of freedom: one in 20 000
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
