// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Options of the full-text workload, and its place in the list of workloads.
#include "workload/fulltext/fulltext.h"

#include "base/text.h"
#include "workload/option_makers.h"
#include "workload/table_suffix.h"

#include <fmt/format.h>

namespace dyno::fulltext {

namespace {

class FulltextWorkload final : public Workload
{
public:
    FulltextWorkload()
    {
        m_info.id = "fulltext";
        m_info.name = "Full-text search";
        m_info.purpose = WorkloadPurpose::Feature;
        m_info.summary = "Loads, indexes and searches documents: what a full-text index costs";
        m_info.description = "A list of timed steps: documents are loaded and indexed, searched in four ways, and get "
                             "a second index, which "
                             "is dropped again. Shows what an index costs when it is there before the documents and "
                             "when it is made after "
                             "them, and how long searches take. The size is that of the documents: 20 000 of the shape "
                             "dir are about 12 MB in InnoDB, "
                             "8 000 of the shape seo about 50 MB, with their index.";
        m_info.source = "Percona's posts on InnoDB full-text search, 2013; documents of our own";
        m_info.options = options();
        m_info.operations = {{"load", OpClass::Write},       {"load_with_index", OpClass::Write},
                             {"add_index", OpClass::Write},  {"natural", OpClass::Read},
                             {"boolean", OpClass::Read},     {"phrase", OpClass::Read},
                             {"prefix", OpClass::Read},      {"second_index", OpClass::Write},
                             {"drop_index", OpClass::Write}, {"q1", OpClass::Read},
                             {"q2", OpClass::Read},          {"q3", OpClass::Read},
                             {"q4", OpClass::Read},          {"q5", OpClass::Read},
                             {"q5_limit_2", OpClass::Read},  {"profiled", OpClass::Read}};
        for (const char* stage : {"stage_initialisation", "stage_sort", "stage_send", "stage_rest"})
            m_info.operations.push_back({stage, OpClass::Read});
        m_info.steps = true;
        m_info.dataVersion = 2; // texts of the shape dir end where their column does
    }

    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }

    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override
    {
        const Params params = parse(settings);
        if (const std::int64_t most = longestText(params.shape); params.medianWords > double(most))
            return wrongParameter(fmt::format("a text of the shape dir holds {} words", most), "median_words",
                                  "use fewer, or the shape seo");
        const std::string engine = textOf(tableKnobs, "engine"), plain = lowered(engine);
        if (driver.sql.storageEngines && !plain.empty() && plain != "innodb" && plain != "myisam" && plain != "aria" &&
            plain != "mroonga")
            return fail({ErrorKind::BadInput, fmt::format("{} has no full-text indexes", engine), "table.engine",
                         "use InnoDB, MyISAM or Aria"});
        if (params.asPosted && driver.sql.fullText != FullTextIndex::Key)
            return wrongParameter("the posts' queries score every document, which a search here does not", "queries",
                                  "use kinds, or a server of the MySQL family");
        if (integerOf(tableKnobs, "partitions") > 0)
            return fail({ErrorKind::BadInput, "partitioned tables have no full-text indexes", "table.partitions",
                         "set it to 0"});
        auto suffix = tableSuffix(driver.sql, DataModel::Sql, tableKnobs, "");
        if (!suffix)
            return tl::unexpected(suffix.error());
        return std::make_shared<const FulltextInstance>(params, driver, std::move(*suffix));
    }

private:
    WorkloadInfo m_info;
};

} // namespace

OptionSpecs options()
{
    return {
        ofData(choiceOption(
            "shape", "Shape",
            "dir: entries of a directory, a name of two or three words and a text of about 20. seo: pages, a title of "
            "four to twelve words and a text of about 250.",
            "dir", {"dir", "seo"}, "")),
        ofData(integerOption("documents", "Documents",
                             "Documents that the first step loads. The posts have 800 000 of dir and 8 000 of seo.",
                             20000, "documents", 10, 1e9, "")),
        ofData(choiceOption("passes", "Index is made",
                            "two: after the documents, as a step of its own. one: it is there, empty, before them.",
                            "two", {"two", "one"}, "")),
        choiceOption("queries", "Searches",
                     "kinds: in natural language, boolean, of a phrase and by a prefix, each with the condition in "
                     "WHERE and with other words each time. post: the posts' queries, without WHERE, so that every "
                     "document gets a score, and with the same words each time: Q1 and Q2 of the shape seo, Q3 to Q5 "
                     "of dir; Q5, a phrase, fetches one document, and two in q5_limit_2. The last one is profiled: the "
                     "stages that the server names are operations of their own. MySQL family only.",
                     "kinds", {"kinds", "post"}, ""),
        integerOption("rounds", "Searches of a kind",
                      "How often each kind of search is done, with other words each time but for the posts' queries. "
                      "0: no searches.",
                      10, "searches", 0, 1e6, ""),
        flagOption("second_index", "Second index",
                   "On: makes an index on the long text alone after the searches, and drops it.", true, ""),
        integerOption("limit", "Documents of a search", "The best ones that a search fetches.", 5, "documents", 1,
                      100000, "Searches"),
        choiceOption("terms", "Words searched for",
                     "Of the searches in natural language and by a prefix. common: of the most frequent hundredth. "
                     "rare: of the less "
                     "frequent half. mixed: as many of rank 10 to 99 as of rank 100 to 999. The words of the others "
                     "come from a document.",
                     "mixed", {"mixed", "common", "rare"}, "Searches"),
        ofData(flagOption("initials", "Names with initials",
                          "The shape dir: a name's second word is a single letter, as in \"Thomas B Smith\". A search "
                          "for such a name as a phrase finds it only where words of one letter are indexed.",
                          false, "Words")),
        ofData(integerOption("vocabulary", "Vocabulary",
                             "How many different words there are. The fewer, the longer are an index's lists.", 20000,
                             "words", 100, 1e6, "Words")),
        ofData(realOption("zipf_exponent", "Zipf exponent",
                          "The frequency of the n-th word falls as n to the power of minus this number; natural "
                          "languages have about 1.",
                          1, "", 0, 3, "Words")),
        ofData(integerOption("vocabulary_seed", "Seed of the vocabulary",
                             "Another one gives other words for the same ranks.", 1, "", 0, 1e15, "Words")),
        ofData(realOption("median_words", "Median length",
                          "Words of the long text: half of the documents have more, but none more than 7281 in dir and "
                          "20 000 in seo. 0: as the "
                          "shape says.",
                          0, "words", 0, 20000, "Words")),
        ofData(realOption("sigma", "Spread of the length",
                          "Standard deviation of the logarithm of the length. 0: all have the median. -1: as the shape "
                          "says, 0.6 in dir, 0.8 in "
                          "seo.",
                          -1, "", -1, 3, "Words")),
    };
}

Params parse(const Settings& settings)
{
    Params params;
    const bool seo = textOf(settings, "shape") == "seo";
    params.shape = seo ? Shape::Seo : Shape::Dir;
    params.documents = integerOf(settings, "documents", params.documents);
    params.onePass = textOf(settings, "passes") == "one";
    params.secondIndex = boolOf(settings, "second_index", true);
    params.rounds = int(integerOf(settings, "rounds", params.rounds));
    params.asPosted = textOf(settings, "queries") == "post";
    params.initials = !seo && boolOf(settings, "initials");
    params.limit = integerOf(settings, "limit", params.limit);
    const std::string terms = textOf(settings, "terms");
    params.terms = terms == "common" ? Terms::Common : terms == "rare" ? Terms::Rare : Terms::Mixed;
    params.vocabulary = integerOf(settings, "vocabulary", params.vocabulary);
    params.exponent = realOf(settings, "zipf_exponent", params.exponent);
    params.vocabularySeed = std::uint64_t(integerOf(settings, "vocabulary_seed", 1));
    const double median = realOf(settings, "median_words"), sigma = realOf(settings, "sigma", -1);
    params.medianWords = median > 0 ? median : seo ? 250 : 20;
    params.sigma = sigma >= 0 ? sigma : seo ? 0.8 : 0.6;
    return params;
}

const std::vector<const Workload*>& workloads()
{
    static const FulltextWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::fulltext
