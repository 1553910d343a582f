// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/fulltext/fulltext.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace dyno::fulltext {

namespace {

constexpr std::size_t kStatementBytes = 256 * 1024;
//! Documents have random streams of their own, apart from those of users.
constexpr std::uint64_t kDocumentStreams = std::uint64_t(1) << 42, kInitialStreams = kDocumentStreams + 1;

//! The short text: a name of two or three words, or a title of four to twelve.
std::int64_t drawShort(Shape shape, Random& random)
{
    return shape == Shape::Dir ? random.uniform(2, 3) : random.uniform(4, 12);
}

//! The word number `place` of a text; empty where it has fewer.
std::string_view wordOf(std::string_view text, int place)
{
    for (; place > 0; --place)
        text.remove_prefix(std::min(text.size(), std::min(text.find(' '), text.size()) + 1));
    return text.substr(0, text.find(' '));
}

std::string inQuotes(std::string_view terms)
{
    return fmt::format("'{}'", terms); // letters, spaces and signs of ours only
}

} // namespace

std::vector<StepSpec> stepsOf(const Params& params)
{
    std::vector<StepSpec> steps;
    const auto add = [&steps](Op op, int times = 1) { steps.push_back({OpId(op), times}); };
    if (params.onePass) {
        add(Op::LoadWithIndex);
    } else {
        add(Op::Load);
        add(Op::AddIndex);
    }
    using Queries = std::vector<Op>;
    const Queries queries = !params.asPosted             ? Queries{Op::Natural, Op::Boolean, Op::Phrase, Op::Prefix}
                            : params.shape == Shape::Seo ? Queries{Op::Q1, Op::Q2}
                                                         : Queries{Op::Q3, Op::Q4, Op::Q5, Op::Q5LimitTwo};
    for (const Op query : params.rounds > 0 ? queries : Queries())
        add(query, params.rounds);
    if (params.rounds > 0 && params.asPosted)
        add(Op::Profiled);
    if (params.secondIndex) {
        add(Op::SecondIndex);
        add(Op::DropIndex);
    }
    return steps;
}

FulltextInstance::FulltextInstance(const Params& params, const DriverInfo& driver, std::string suffix)
    : StepsInstance(stepsOf(params))
    , m_params(params)
    , m_sql(driver.sql)
    , m_sizes(*driver.sizes)
    , m_suffix(std::move(suffix))
    , m_table(params.shape == Shape::Dir ? "ft_dir" : "ft_seo")
    , m_short(params.shape == Shape::Dir ? "full_name" : "title")
    , m_long(params.shape == Shape::Dir ? "details" : "body")
    , m_length(params.medianWords, params.sigma, 2, longestText(params.shape))
{
}

const Vocabulary& FulltextInstance::vocabulary() const
{
    std::call_once(m_once, [this] {
        m_vocabulary =
            std::make_unique<const Vocabulary>(m_params.vocabulary, m_params.exponent, m_params.vocabularySeed);
    });
    return *m_vocabulary;
}

bool FulltextInstance::makeReady(Use /*use*/, const std::function<bool()>& /*goOn*/, std::uint64_t /*seed*/) const
{
    (void)vocabulary();
    return true;
}

std::vector<TableSpec> FulltextInstance::tables() const
{
    const bool dir = m_params.shape == Shape::Dir;
    TableSpec documents;
    documents.name = m_table;
    documents.columns = {"id", m_short, m_long};
    documents.freshEachRun = documents.keysRepeat = true;
    const std::string key = m_params.onePass && m_sql.fullText == FullTextIndex::Key
                                ? fmt::format(", FULLTEXT KEY ft_text ({}, {})", m_short, m_long)
                                : "";
    documents.create =
        fmt::format("CREATE TABLE {} (id INTEGER {}, {} VARCHAR({}) NOT NULL, {} {} NOT NULL{}{}){}", m_table,
                    ownTables() ? "PRIMARY KEY NOT NULL" : "NOT NULL", m_short, dir ? 100 : 255, m_long,
                    dir ? "TEXT" : m_sql.longText, ownTables() ? "" : ", PRIMARY KEY (id)", key, m_suffix);
    if (vectors() && m_params.onePass)
        documents.afterCreate.push_back(createIndex(true));
    if (!ownTables())
        return {documents};
    TableSpec index;
    index.name = m_table + "_text";
    index.columns = {m_short, m_long};
    index.freshEachRun = true;
    index.create = fmt::format("CREATE VIRTUAL TABLE {0}_text USING fts5({1}, {2}, content='{0}', content_rowid='id')",
                               m_table, m_short, m_long);
    index.afterLoad.push_back(fmt::format("DROP TABLE IF EXISTS {}_second", m_table));
    if (m_params.onePass)
        index.afterLoad.push_back(
            fmt::format("CREATE TRIGGER {0}_added AFTER INSERT ON {0} BEGIN INSERT INTO {0}_text(rowid, {1}, {2}) "
                        "VALUES (new.id, new.{1}, new.{2}); END",
                        m_table, m_short, m_long));
    return {documents, index};
}

StatementSet FulltextInstance::statements() const
{
    if (!m_params.asPosted)
        return {};
    return {{.text = "SHOW PROFILE", .parameters = {}, .returnsRows = true, .preparable = false, .keep = Keep::All}};
}

Task<Outcome> FulltextInstance::load(UserContext& /*user*/, LoadSlice /*slice*/) const
{
    co_return Outcome::Ok;
}

std::vector<FeatureProbe> FulltextInstance::probes() const
{
    if (ownTables())
        return {{"SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'",
                 "this SQLite was built without FTS5", "use a SQLite library with FTS5"}};
    return {};
}

std::vector<DataCheck> FulltextInstance::checks() const
{
    const std::string word(vocabulary().word(std::min<std::int64_t>(20, m_params.vocabulary - 1)));
    const std::string found =
        vectors()     ? fmt::format("SELECT COUNT(*) FROM {} WHERE {} @@ to_tsquery('simple', '{}')", m_table,
                                    vectorOf(true), word)
        : ownTables() ? fmt::format("SELECT COUNT(*) FROM {0}_text WHERE {0}_text MATCH '{1}'", m_table, word)
                      : fmt::format("SELECT COUNT(*) FROM {} WHERE MATCH ({}, {}) AGAINST ('+{}' IN BOOLEAN MODE)",
                                    m_table, m_short, m_long, word);
    std::string padded;
    for (const std::string& text : {m_short, m_long})
        padded += fmt::format("{}{} LIKE '{} %' OR {} LIKE '% {}' OR {} LIKE '% {} %' OR {} = '{}'",
                              padded.empty() ? "" : " OR ", text, word, text, word, text, word, text, word);
    return {{"all documents are there", fmt::format("SELECT ABS(COUNT(*) - {}) FROM {}", m_params.documents, m_table)},
            {"the index finds what a look at every document finds",
             fmt::format("SELECT ABS(({}) - (SELECT COUNT(*) FROM {} WHERE {}))", found, m_table, padded)}};
}

std::uint64_t FulltextInstance::estimatedBytes() const
{
    constexpr double kWord = 6.2; // with a blank
    const double few = kWord * (m_params.shape == Shape::Dir ? 2.5 : 8);
    const RowFacts document{
        {numberColumn("id", 4, 2), textColumn(m_short, few), textColumn(m_long, kWord * m_length.mean())},
        "id",
        true,
        KeyOrder::Rising,
        {{fmt::format("{}, {}", m_short, m_long), KeyOrder::Any, true}}};
    return m_sizes.table(document, m_params.documents);
}

void FulltextInstance::appendDocument(std::string& out, std::uint64_t seed, std::int64_t number) const
{
    Random random = Random::forItem(seed, kDocumentStreams, std::uint64_t(number));
    const std::int64_t few = drawShort(m_params.shape, random), many = m_length.draw(random);
    const std::size_t begin = out.size();
    out.resize(begin + 34 + std::size_t(few + many) * (Vocabulary::kLongest + 1) + Vocabulary::kLongest);
    char* at = fmt::format_to(out.data() + begin, "({},'", number);
    if (m_params.initials) {
        at = vocabulary().write(at, 1, random);
        Random initials = Random::forItem(seed, kInitialStreams, std::uint64_t(number));
        *at++ = ' ';
        *at++ = char('a' + initials.uniform(0, 25));
        *at++ = ' ';
        at = vocabulary().write(at, few - 1, random);
    } else {
        at = vocabulary().write(at, few, random);
    }
    *at++ = '\'';
    *at++ = ',';
    *at++ = '\'';
    at = vocabulary().write(at, many, random);
    *at++ = '\'';
    *at++ = ')';
    out.resize(std::size_t(at - out.data()));
}

Task<Outcome> FulltextInstance::loadAll(UserContext& user) const
{
    const std::string head = fmt::format("INSERT INTO {} (id, {}, {}) VALUES ", m_table, m_short, m_long);
    std::string& text = user.buffer();
    for (std::int64_t number = 1; number <= m_params.documents;) {
        text = head;
        for (; number <= m_params.documents && text.size() < kStatementBytes; ++number) {
            appendDocument(text, user.seed(), number);
            text += ',';
        }
        const Request insert = Request::sql(std::string_view(text.data(), text.size() - 1));
        const Reply reply = co_await user.step(insert);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
        user.countRows(reply.affected);
    }
    co_return Outcome::Ok;
}

//! Without stop words or stems: as the other targets index the words of the vocabulary.
std::string FulltextInstance::vectorOf(bool both) const
{
    return fmt::format("to_tsvector('simple', {})", both ? fmt::format("{} || ' ' || {}", m_short, m_long) : m_long);
}

std::string FulltextInstance::createIndex(bool both) const
{
    return fmt::format("CREATE INDEX {0}_{1} ON {0} USING gin ({2})", m_table, both ? "text" : "second",
                       vectorOf(both));
}

std::vector<std::string> FulltextInstance::commandsOf(Op op) const
{
    if (vectors() && op == Op::DropIndex)
        return {fmt::format("DROP INDEX {}_second", m_table)};
    if (vectors())
        return {createIndex(op == Op::AddIndex)};
    const auto rebuild = [this](const char* index) {
        return fmt::format("INSERT INTO {0}_{1}({0}_{1}) VALUES ('rebuild')", m_table, index);
    };
    switch (op) {
    case Op::AddIndex:
        return {ownTables()
                    ? rebuild("text")
                    : fmt::format("ALTER TABLE {} ADD FULLTEXT KEY ft_text ({}, {})", m_table, m_short, m_long)};
    case Op::SecondIndex:
        if (ownTables())
            return {fmt::format("CREATE VIRTUAL TABLE {0}_second USING fts5({1}, content='{0}', content_rowid='id')",
                                m_table, m_long),
                    rebuild("second")};
        return {fmt::format("ALTER TABLE {} ADD FULLTEXT KEY ft_second ({})", m_table, m_long)};
    default:
        return {ownTables() ? fmt::format("DROP TABLE {}_second", m_table)
                            : fmt::format("ALTER TABLE {} DROP KEY ft_second", m_table)};
    }
}

std::int64_t FulltextInstance::drawTerm(Random& random) const
{
    const std::int64_t words = m_params.vocabulary;
    switch (m_params.terms) {
    case Terms::Common:
        return random.uniform(0, std::max<std::int64_t>(10, words / 100) - 1);
    case Terms::Rare:
        return random.uniform(words / 2, words - 1);
    case Terms::Mixed:
        break;
    }
    return std::min(words - 1, std::int64_t(std::pow(double(words),
                                                     random.unit()))); // as many draws from 10 … 99 as from 100 … 999
}

std::pair<std::string, std::string> FulltextInstance::neighbours(Random& random, std::uint64_t seed) const
{
    std::string document;
    appendDocument(document, seed, random.uniform(1, m_params.documents));
    const std::size_t begin = document.rfind(",'") + 2;
    const std::string_view text(document.data() + begin, document.size() - begin - 2);
    const auto start = std::size_t(random.uniform(0, std::int64_t(text.size() / 2)));
    // The word in which `start` lies may be cut: begin at the one after it, or at the very first.
    std::size_t first = start == 0 ? 0 : text.find(' ', start) + 1; // npos + 1 = 0
    std::size_t middle = text.find(' ', first);
    if (middle == std::string_view::npos) {
        first = 0;
        middle = text.find(' ');
    }
    const std::size_t last = std::min(text.find(' ', middle + 1), text.size());
    return {std::string(text.substr(first, middle - first)), std::string(text.substr(middle + 1, last - middle - 1))};
}

std::string FulltextInstance::select(const std::string& terms, bool boolean) const
{
    if (vectors())
        return fmt::format(
            "SELECT id, ts_rank({0}, words) AS score FROM {1}, to_tsquery('simple', {2}) words WHERE {0} "
            "@@ words ORDER BY score DESC LIMIT {3}",
            vectorOf(true), m_table, inQuotes(terms), m_params.limit);
    if (ownTables())
        return fmt::format(
            "SELECT rowid, bm25({0}_text) AS score FROM {0}_text WHERE {0}_text MATCH {1} ORDER BY score LIMIT {2}",
            m_table, inQuotes(terms), m_params.limit);
    const std::string match = fmt::format("MATCH ({}, {}) AGAINST ({}{})", m_short, m_long, inQuotes(terms),
                                          boolean ? " IN BOOLEAN MODE" : "");
    return fmt::format("SELECT id, {0} AS score FROM {1} WHERE {0} ORDER BY score DESC LIMIT {2}", match, m_table,
                       m_params.limit);
}

//! Every document gets a score: there is no WHERE.
std::string FulltextInstance::selectAll(const std::string& terms, bool boolean, std::int64_t limit) const
{
    return fmt::format(
        "SELECT id, {0}, MATCH ({0}, {1}) AGAINST ({2}{3}) AS score FROM {4} ORDER BY score DESC LIMIT {5}", m_short,
        m_long, inQuotes(terms), boolean ? " IN BOOLEAN MODE" : "", m_table, limit);
}

FulltextInstance::Texts FulltextInstance::textsOf(std::uint64_t seed, std::int64_t number) const
{
    std::string document;
    appendDocument(document, seed, number);
    const std::size_t first = document.find(",'") + 2, middle = document.find("','", first);
    return {document.substr(first, middle - first), document.substr(middle + 3, document.size() - middle - 5)};
}

std::string FulltextInstance::postedQuery(Op op, std::uint64_t seed) const
{
    const auto words = [this](std::int64_t a, std::int64_t b, std::int64_t c) {
        const auto word = [this](std::int64_t rank) {
            return vocabulary().word(std::min(rank, m_params.vocabulary - 1));
        };
        return fmt::format("{} {} {}", word(a), word(b), word(c));
    };
    // Frequent words, and rarer ones: Q2 took a quarter of Q1's time.
    if (op == Op::Q1)
        return selectAll(words(2, 20, 60), false, m_params.limit);
    if (op == Op::Q2)
        return selectAll(words(200, 400, 800), false, m_params.limit);
    if (op == Op::Q3 || op == Op::Q4) { // first name, last name, and a word of the address
        const Texts one = textsOf(seed, m_params.documents / 3 + 1);
        return selectAll(fmt::format("+{} +{} {}{}", wordOf(one.brief, 0), wordOf(one.brief, m_params.initials ? 2 : 1),
                                     op == Op::Q3 ? "+" : "", wordOf(one.full, 0)),
                         true, m_params.limit);
    }
    const Texts one = textsOf(seed, m_params.documents / 2 + 1);
    return selectAll(fmt::format("\"{}\"", one.brief), true, op == Op::Q5 ? 1 : 2);
}

std::string FulltextInstance::queryText(Op op, Random& random, std::uint64_t seed) const
{
    const Vocabulary& words = vocabulary();
    if (op == Op::Natural) {
        const std::string_view a = words.word(drawTerm(random)), b = words.word(drawTerm(random)),
                               c = words.word(drawTerm(random));
        return select(fmt::format(fmt::runtime(vectors()     ? "{} | {} | {}"
                                               : ownTables() ? "{} OR {} OR {}"
                                                             : "{} {} {}"),
                                  a, b, c),
                      false);
    }
    if (op == Op::Prefix) {
        const std::string_view word = words.word(drawTerm(random));
        return select(fmt::format(fmt::runtime(vectors() ? "{}:*" : "{}*"),
                                  word.substr(0, std::max<std::size_t>(3, word.size() - 2))),
                      true);
    }
    const auto [a, b] = neighbours(random, seed);
    if (op == Op::Phrase)
        return select(fmt::format(fmt::runtime(vectors() ? "{} <-> {}" : "\"{} {}\""), a, b), true);
    return select(fmt::format(fmt::runtime(vectors() ? "{} & {}" : ownTables() ? "{} AND {}" : "+{} +{}"), a, b), true);
}

Task<Outcome> FulltextInstance::profile(UserContext& user) const
{
    const std::string query = postedQuery(m_params.shape == Shape::Seo ? Op::Q2 : Op::Q5, user.seed());
    const Request on = Request::sql("SET profiling = 1"), asked = Request::sql(query),
                  show = Request::execute(StatementId(0), {}), off = Request::sql("SET profiling = 0");
    Outcome outcome = Outcome::Ok;
    for (const Request* request : {&on, &asked, &show}) {
        const Reply reply = co_await user.step(*request);
        outcome = reply.outcome;
        if (outcome != Outcome::Ok)
            break;
    }
    if (outcome == Outcome::Ok)
        recordStages(user);
    const Reply done = co_await user.step(off); // whatever came before: later steps are not profiled
    co_return outcome == Outcome::Ok ? done.outcome : outcome;
}

void FulltextInstance::recordStages(UserContext& user) const
{
    // Some versions sort within "executing", and name neither the sort nor the sending.
    constexpr std::array<std::pair<std::string_view, Op>, 4> kStages{
        {{"fulltext initialization", Op::StageInitialisation},
         {"creating sort index", Op::StageSort},
         {"sending data", Op::StageSend},
         {"executing", Op::StageSend}}};
    std::map<Op, double> seconds;
    for (std::size_t i = 0; i < user.kept().rows(); ++i) {
        const std::string stage = lowered(user.kept().at(i, 0).text);
        const auto found = std::ranges::find(kStages, stage, &std::pair<std::string_view, Op>::first);
        seconds[found == kStages.end() ? Op::StageRest : found->second] += user.kept().real(i, 1, 0);
    }
    for (const auto& [op, length] : seconds)
        user.recordOperation(OpId(op), std::uint64_t(std::llround(length * 1e9)), true, 0);
}

Task<Outcome> FulltextInstance::runStep(UserContext& user, std::size_t step, int /*round*/) const
{
    const auto op = Op(indexOf(steps()[step].op));
    if (op == Op::Load || op == Op::LoadWithIndex) {
        const Outcome loaded = co_await loadAll(user);
        co_return loaded;
    }
    if (op == Op::Profiled) {
        const Outcome profiled = co_await profile(user);
        co_return profiled;
    }
    std::vector<std::string> commands;
    if (op >= Op::Q1)
        commands.push_back(postedQuery(op, user.seed()));
    else if (op == Op::Natural || op == Op::Boolean || op == Op::Phrase || op == Op::Prefix)
        commands.push_back(queryText(op, user.random(), user.seed()));
    else
        commands = commandsOf(op);
    for (const std::string& command : commands) {
        const Request request = Request::sql(command);
        const Reply reply = co_await user.step(request);
        if (reply.outcome != Outcome::Ok)
            co_return reply.outcome;
    }
    co_return Outcome::Ok;
}

} // namespace dyno::fulltext
