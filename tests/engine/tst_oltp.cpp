// SPDX-License-Identifier: GPL-3.0-or-later
// The OLTP family over a session that records: statements, order, counts, draws, load, rules for errors.
#include "support/workload_harness.h"

#include "workload/oltp/digits.h"
#include "workload/oltp/params.h"

#include <QRegularExpression>
#include <QTest>

#include <atomic>
#include <cstdlib>
#include <map>
#include <new>
#include <set>

using namespace dyno;
using dyno::test::Recorded;
using dyno::test::RecordingSession;
using dyno::test::TestUser;

// Counts what the data plane allocates. Sanitizers bring an allocator of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
#endif
namespace {
std::atomic<std::size_t> g_allocations{0};
}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size)
{
    ++g_allocations;
    if (void* memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
#endif

namespace {

struct Rig
{
    explicit Rig(std::string_view workload, const Settings& params = {}, std::string_view dialect = "mysql",
                 UserPlace place = {})
        : info(&workloadFor(workload)->info())
        , instance(test::bind(workload, params, dialect))
        , user(std::make_unique<RecordingSession>(), info->operations.size(), place)
        , session(static_cast<RecordingSession&>(*user.session))
        , statements(instance->statements())
    {}
    //! Requests of one transaction.
    std::vector<Recorded> run(std::uint64_t sequence = 0)
    {
        session.requests.clear();
        outcome = user.run(*instance, sequence);
        return session.requests;
    }
    //! "BEGIN", "COMMIT", or the statement's text with the table's number replaced by N.
    QString shape(const Recorded& request) const
    {
        switch (request.kind) {
        case RequestKind::Begin:
            return "BEGIN";
        case RequestKind::Commit:
            return "COMMIT";
        case RequestKind::Text:
            return QString::fromStdString(request.text);
        default: {
            QString text = QString::fromStdString(statements.at(request.statement).text);
            static const QRegularExpression table("sbtest\\d+");
            return text.replace(table, "sbtestN");
        }
        }
    }
    int table(const Recorded& request) const
    {
        static const QRegularExpression name("sbtest(\\d+)");
        return name.match(QString::fromStdString(statements.at(request.statement).text)).captured(1).toInt();
    }

    const WorkloadInfo* info;
    std::shared_ptr<const WorkloadInstance> instance;
    TestUser user;
    RecordingSession& session;
    StatementSet statements;
    Outcome outcome = Outcome::Ok;
};

const QString kPoint = "SELECT c FROM sbtestN WHERE id=?";
const QString kSimple = "SELECT c FROM sbtestN WHERE id BETWEEN ? AND ?";
const QString kSum = "SELECT SUM(k) FROM sbtestN WHERE id BETWEEN ? AND ?";
const QString kOrder = "SELECT c FROM sbtestN WHERE id BETWEEN ? AND ? ORDER BY c";
const QString kDistinct = "SELECT DISTINCT c FROM sbtestN WHERE id BETWEEN ? AND ? ORDER BY c";
const QString kIndexUpdate = "UPDATE sbtestN SET k=k+1 WHERE id=?";
const QString kNonIndexUpdate = "UPDATE sbtestN SET c=? WHERE id=?";
const QString kDelete = "DELETE FROM sbtestN WHERE id=?";
const QString kInsert = "INSERT INTO sbtestN (id, k, c, pad) VALUES (?, ?, ?, ?)";

bool looksLikeC(const std::string& text)
{
    static const QRegularExpression form("^[0-9]{11}(-[0-9]{11}){9}$");
    return form.match(QString::fromStdString(text)).hasMatch();
}
bool looksLikePad(const std::string& text)
{
    static const QRegularExpression form("^[0-9]{11}(-[0-9]{11}){4}$");
    return form.match(QString::fromStdString(text)).hasMatch();
}

//! All of a table's rows by id, read from the requests of its load (both forms).
std::map<std::int64_t, std::string> rowsOf(const std::vector<Recorded>& requests)
{
    std::map<std::int64_t, std::string> rows;
    for (const Recorded& request : requests) {
        if (request.kind == RequestKind::Execute) {
            const std::string text =
                std::to_string(request.number(1)) + ",'" + request.texts[2] + "','" + request.texts[3] + "'";
            rows[request.number(0)] = text;
        } else if (request.kind == RequestKind::Text) {
            static const QRegularExpression row("\\((\\d+),(\\d+,'[0-9-]+','[0-9-]+')\\)");
            auto matches = row.globalMatch(QString::fromStdString(request.text));
            while (matches.hasNext()) {
                const auto match = matches.next();
                rows[match.captured(1).toLongLong()] = match.captured(2).toStdString();
            }
        }
    }
    return rows;
}

const OptionSpec* option(const WorkloadInfo& info, std::string_view name)
{
    for (const OptionSpec& spec : info.options) {
        if (spec.name == name)
            return &spec;
    }
    return nullptr;
}

} // namespace

class TstOltp : public QObject
{
    Q_OBJECT
private slots:
    void allElevenAreThere()
    {
        const char* const kIds[] = {"oltp_read_only",       "oltp_read_write",     "oltp_write_only",
                                    "oltp_point_select",    "oltp_update_index",   "oltp_update_non_index",
                                    "oltp_insert",          "oltp_delete",         "bulk_insert",
                                    "select_random_points", "select_random_ranges"};
        for (const char* id : kIds) {
            const Workload* workload = workloadFor(id);
            QVERIFY2(workload, id);
            const WorkloadInfo& info = workload->info();
            QVERIFY(!info.name.empty() && !info.description.empty() && !info.operations.empty());
            QCOMPARE(QString::fromStdString(info.source), QString("sysbench 1.0.20, %1.lua").arg(id));
            for (const OptionSpec& spec : info.options) {
                QVERIFY2(!spec.label.empty() && !spec.help.empty(), spec.name.c_str());
                QVERIFY2(coerce(spec, spec.defaultValue), spec.name.c_str());
            }
        }
        QVERIFY(!workloadFor("oltp"));
    }

    void optionsHaveSysbenchDefaults_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("affectsData");
        const std::tuple<const char*, const char*, bool> kOptions[] = {{"tables", "1", true},
                                                                       {"table_size", "10000", true},
                                                                       {"range_size", "100", false},
                                                                       {"point_selects", "10", false},
                                                                       {"simple_ranges", "1", false},
                                                                       {"sum_ranges", "1", false},
                                                                       {"order_ranges", "1", false},
                                                                       {"distinct_ranges", "1", false},
                                                                       {"index_updates", "1", false},
                                                                       {"non_index_updates", "1", false},
                                                                       {"delete_inserts", "1", false},
                                                                       {"range_selects", "true", false},
                                                                       {"auto_inc", "true", true},
                                                                       {"skip_trx", "false", false},
                                                                       {"secondary", "false", true},
                                                                       {"create_secondary", "true", true},
                                                                       {"storage_engine", "innodb", true},
                                                                       {"create_table_options", "", true},
                                                                       {"rand_type", "default", false},
                                                                       {"rand_spec_iter", "12", false},
                                                                       {"rand_spec_pct", "1", false},
                                                                       {"rand_spec_res", "75", false},
                                                                       {"rand_pareto_h", "0.2", false},
                                                                       {"rand_zipfian_exp", "0.8", false},
                                                                       {"random_points", "10", false},
                                                                       {"number_of_ranges", "10", false},
                                                                       {"delta", "5", false},
                                                                       {"ignore_errors", "1213,1020,1205", false},
                                                                       {"profile", "dynobench", false}};
        for (const auto& [name, value, affectsData] : kOptions)
            QTest::newRow(name) << name << value << affectsData;
    }
    void optionsHaveSysbenchDefaults()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(bool, affectsData);
        for (const char* id : {"oltp_read_write", "oltp_point_select", "oltp_insert", "select_random_points"}) {
            const OptionSpec* spec = option(workloadFor(id)->info(), name.toStdString());
            QVERIFY(spec);
            const Value expected = parseValue(value.toStdString());
            const Value theirs = parseValue(toText(spec->defaultValue));
            if (std::holds_alternative<std::string>(expected))
                QCOMPARE(toText(theirs), toText(expected));
            else
                QCOMPARE(std::stod(toText(theirs) == "true"    ? "1"
                                   : toText(theirs) == "false" ? "0"
                                                               : toText(theirs)),
                         std::stod(value == "true"    ? "1"
                                   : value == "false" ? "0"
                                                      : value.toStdString()));
            QCOMPARE(spec->affectsData, affectsData);
        }
    }

    void optionsWithoutEffectFoldAway()
    {
        const WorkloadInfo& point = workloadFor("oltp_point_select")->info();
        QCOMPARE(option(point, "range_size")->group, std::string("advanced"));
        QVERIFY(option(point, "range_size")->help.find("without effect") != std::string::npos);
        const WorkloadInfo& mix = workloadFor("oltp_read_write")->info();
        QVERIFY(option(mix, "range_size")->group != "advanced");
        QVERIFY(option(mix, "range_size")->help.find("without effect") == std::string::npos);
        QVERIFY(option(mix, "delta")->help.find("without effect") != std::string::npos);
    }

    void readWriteIsTwentyQueriesInOrder()
    {
        Rig rig("oltp_read_write", {{"tables", std::int64_t(4)}});
        QStringList shapes;
        for (const Recorded& request : rig.run())
            shapes << rig.shape(request);
        QStringList expected{"BEGIN"};
        for (int i = 0; i < 10; ++i)
            expected << kPoint;
        expected << kSimple << kSum << kOrder << kDistinct << kIndexUpdate << kNonIndexUpdate << kDelete << kInsert
                 << "COMMIT";
        QCOMPARE(shapes, expected);
        QCOMPARE(shapes.size(), 20);
        QVERIFY(rig.outcome == Outcome::Ok);
        // Prepared on each connection: nine for each table; BEGIN and COMMIT are steps of the session.
        QCOMPARE(rig.statements.size(), std::size_t(9 * 4));
    }

    void countsPerTransaction_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        QTest::addColumn<int>("requests");
        QTest::addColumn<int>("statements");
        QTest::newRow("read only") << "oltp_read_only"
                                   << "" << 16 << 5;
        QTest::newRow("write only") << "oltp_write_only"
                                    << "" << 6 << 4;
        QTest::newRow("read/write, no transaction") << "oltp_read_write"
                                                    << "skip_trx=true" << 18 << 9;
        QTest::newRow("read only, no ranges") << "oltp_read_only"
                                              << "range_selects=false" << 12 << 1;
        QTest::newRow("read only, counts") << "oltp_read_only"
                                           << "point_selects=3 simple_ranges=2 sum_ranges=0" << 9 << 4;
        QTest::newRow("write only, counts") << "oltp_write_only"
                                            << "delete_inserts=3 index_updates=0" << 9 << 3;
        QTest::newRow("point select") << "oltp_point_select"
                                      << "" << 1 << 1;
        QTest::newRow("point select is one") << "oltp_point_select"
                                             << "point_selects=7 skip_trx=false" << 1 << 1;
        QTest::newRow("update index") << "oltp_update_index"
                                      << "" << 1 << 1;
        QTest::newRow("update index, several") << "oltp_update_index"
                                               << "index_updates=4" << 4 << 1;
        QTest::newRow("update non-index") << "oltp_update_non_index"
                                          << "non_index_updates=2" << 2 << 1;
        QTest::newRow("delete") << "oltp_delete"
                                << "" << 1 << 1;
        QTest::newRow("insert") << "oltp_insert"
                                << "" << 1 << 1;
        QTest::newRow("random points") << "select_random_points"
                                       << "" << 1 << 1;
        QTest::newRow("random ranges") << "select_random_ranges"
                                       << "" << 1 << 1;
    }
    void countsPerTransaction()
    {
        QFETCH(QString, workload);
        QFETCH(QString, params);
        QFETCH(int, requests);
        QFETCH(int, statements);
        Settings settings;
        for (const QString& param : params.split(' ', Qt::SkipEmptyParts))
            settings[param.section('=', 0, 0).toStdString()] = parseValue(param.section('=', 1).toStdString());
        Rig rig(workload.toStdString(), settings);
        QCOMPARE(int(rig.run().size()), requests);
        QCOMPARE(int(rig.statements.size()), statements);
        QVERIFY(rig.outcome == Outcome::Ok);
    }

    //! Each request is recorded under its own operation.
    void operationsAreCounted()
    {
        Rig rig("oltp_read_write", {});
        for (std::uint64_t i = 0; i < 50; ++i)
            rig.run(i);
        const IntervalSample sample = IntervalSampler(rig.user.recorder).take();
        const std::map<std::string, std::uint64_t> expected{
            {"begin", 50},       {"point_select", 500},  {"simple_range", 50}, {"sum_range", 50},
            {"order_range", 50}, {"distinct_range", 50}, {"index_update", 50}, {"non_index_update", 50},
            {"delete", 50},      {"insert", 50},         {"commit", 50}};
        QCOMPARE(sample.ops.size(), expected.size());
        std::map<OpClass, std::uint64_t> classes;
        for (std::size_t i = 0; i < sample.ops.size(); ++i) {
            const OperationInfo& operation = rig.info->operations[i];
            QCOMPARE(sample.ops[i].count, expected.at(operation.name));
            classes[operation.opClass] += sample.ops[i].count;
        }
        QCOMPARE(classes[OpClass::Read], std::uint64_t(700));
        QCOMPARE(classes[OpClass::Write], std::uint64_t(200));
        QCOMPARE(classes[OpClass::Other], std::uint64_t(100));
    }

    void tableIsDrawnOncePerGroup()
    {
        Rig rig("oltp_read_write", {{"tables", std::int64_t(8)}});
        std::map<QString, std::map<int, int>> byGroup;
        int groupsDiffer = 0;
        for (std::uint64_t i = 0; i < 4000; ++i) {
            std::map<QString, std::set<int>> tables;
            for (const Recorded& request : rig.run(i)) {
                if (request.kind != RequestKind::Execute)
                    continue;
                const QString group = rig.shape(request) == kInsert ? kDelete : rig.shape(request);
                tables[group].insert(rig.table(request));
            }
            for (const auto& [group, seen] : tables) {
                QCOMPARE(seen.size(), std::size_t(1));
                ++byGroup[group][*seen.begin()];
            }
            groupsDiffer += *tables[kPoint].begin() != *tables[kSimple].begin();
        }
        for (const auto& [group, counts] : byGroup) {
            QCOMPARE(counts.size(), std::size_t(8));
            double chi = 0;
            for (const auto& [table, count] : counts)
                chi += (count - 500.0) * (count - 500.0) / 500;
            QVERIFY2(chi < 35, qPrintable(group)); // 7 degrees of freedom: exceeded once in 10^5 times
        }
        QVERIFY(std::abs(groupsDiffer / 4000.0 - 7.0 / 8) < 0.03);
    }

    void parametersAreAsSpecified()
    {
        const std::int64_t size = 500;
        Rig rig("oltp_read_write", {{"table_size", size}, {"range_size", std::int64_t(40)}});
        std::set<std::string> texts;
        std::set<std::int64_t> ids;
        for (std::uint64_t i = 0; i < 300; ++i) {
            std::int64_t deleted = -1;
            for (const Recorded& request : rig.run(i)) {
                const QString shape = rig.shape(request);
                if (shape == kPoint || shape == kIndexUpdate) {
                    QVERIFY(request.number(0) >= 1 && request.number(0) <= size);
                    ids.insert(request.number(0));
                } else if (shape == kSimple || shape == kSum || shape == kOrder || shape == kDistinct) {
                    QVERIFY(request.number(0) >= 1 && request.number(0) <= size);
                    QCOMPARE(request.number(1), request.number(0) + 39); // also beyond the end of the table
                } else if (shape == kNonIndexUpdate) {
                    QVERIFY(looksLikeC(request.texts[0]) && texts.insert(request.texts[0]).second);
                    QVERIFY(request.number(1) >= 1 && request.number(1) <= size);
                } else if (shape == kDelete) {
                    deleted = request.number(0);
                } else if (shape == kInsert) {
                    QCOMPARE(request.number(0), deleted);
                    QVERIFY(request.number(1) >= 1 && request.number(1) <= size);
                    QVERIFY(looksLikeC(request.texts[2]) && texts.insert(request.texts[2]).second);
                    QVERIFY(looksLikePad(request.texts[3]) && texts.insert(request.texts[3]).second);
                }
            }
        }
        QCOMPARE(*ids.begin(), std::int64_t(1));
        QCOMPARE(*ids.rbegin(), size);
        QCOMPARE(ids.size(), std::size_t(size)); // 3 300 draws of 500 ids
    }

    void statementsDeclareTheirParameters()
    {
        for (const Workload* workload : builtinWorkloads()) {
            for (const char* dialect : {"mysql", "sqlite", "null"}) {
                for (const StatementSpec& spec : test::bind(workload->info().id, {}, dialect)->statements()) {
                    QCOMPARE(spec.parameters.size(), std::size_t(std::ranges::count(spec.text, '?')));
                    QCOMPARE(spec.returnsRows, spec.text.starts_with("SELECT"));
                }
            }
        }
    }

    //! The stream of requests is a function of (seed, user, sequence), whatever else was run.
    void streamsAreDeterministic()
    {
        const Settings params{{"tables", std::int64_t(3)}};
        for (const char* id : {"oltp_read_write", "oltp_insert", "select_random_points", "select_random_ranges"}) {
            const Settings own = std::string_view(id).starts_with("oltp") ? params : Settings{};
            const auto place = [](unsigned user, std::uint64_t seed) { return UserPlace{UserId(user), 4, seed}; };
            Rig a(id, own, "mysql", place(1, 5)), b(id, own, "mysql", place(1, 5));
            Rig otherUser(id, own, "mysql", place(2, 5)), otherSeed(id, own, "mysql", place(1, 6));
            for (std::uint64_t i = 0; i < 20; ++i)
                a.run(i);
            const auto first = a.run(7), second = b.run(7);
            QCOMPARE(first.size(), second.size());
            const auto same = [](const std::vector<Recorded>& x, const std::vector<Recorded>& y) {
                return std::ranges::equal(x, y, [](const Recorded& l, const Recorded& r) { return l.same(r); });
            };
            QVERIFY(same(first, second));
            QVERIFY(!same(first, a.run(8)));
            QVERIFY(!same(first, otherUser.run(7)));
            QVERIFY(!same(first, otherSeed.run(7)));
        }
    }

    void anErrorEndsTheTransactionAtOnce()
    {
        for (std::size_t at = 1; at <= 20; ++at) {
            Rig rig("oltp_read_write");
            rig.session.failAt = at;
            rig.session.failure = {Outcome::Rejected, 1062};
            QCOMPARE(rig.run().size(), at);
            QVERIFY(rig.outcome == Outcome::Rejected);
            QCOMPARE(rig.user.context.lastCode(), 1062);
        }
    }

    void aTransactionAllocatesNothing_data()
    {
        QTest::addColumn<QString>("workload");
        for (const Workload* workload : builtinWorkloads())
            QTest::newRow(workload->info().id.c_str()) << QString::fromStdString(workload->info().id);
    }
    void aTransactionAllocatesNothing()
    {
        if (!kCountsAllocations)
            QSKIP("allocations are not counted under sanitizers");
        QFETCH(QString, workload);
        Rig rig(workload.toStdString());
        rig.session.keep = false;
        rig.session.requests.clear();
        std::uint64_t sequence = 0;
        for (; sequence < 50; ++sequence)
            rig.user.run(*rig.instance, sequence);
        const std::size_t before = g_allocations.load();
        for (; sequence < 5000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(g_allocations.load() - before, std::size_t(0));
    }

    void noStatementAtAllIsRefused()
    {
        const Settings none{{"point_selects", std::int64_t(0)}, {"range_selects", false}};
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, test::bind("oltp_read_only", none, "mysql"));
    }

    void digitsAreUniform()
    {
        Random random(3);
        constexpr int kTexts = 20000;
        std::vector<std::array<double, 10>> counts(oltp::kCLength);
        std::array<double, 100> pairs{};
        for (int i = 0; i < kTexts; ++i) {
            std::array<char, oltp::kCLength> text;
            QVERIFY(oltp::writeDigitGroups(text.data(), oltp::kCGroups, random) == text.data() + text.size());
            QVERIFY(looksLikeC(std::string(text.data(), text.size())));
            for (std::size_t at = 0; at < text.size(); ++at) {
                if (text[at] != '-')
                    ++counts[at][std::size_t(text[at] - '0')];
            }
            ++pairs[std::size_t(text[1] - '0') * 10 + std::size_t(text[2] - '0')]; // digits of different steps
        }
        for (std::size_t at = 0; at < counts.size(); ++at) {
            if (at % 12 == 11)
                continue;
            double chi = 0;
            for (const double count : counts[at])
                chi += (count - kTexts / 10.0) * (count - kTexts / 10.0) / (kTexts / 10.0);
            QVERIFY2(chi < 45, qPrintable(QString::number(at))); // 9 degrees of freedom, 110 positions
        }
        double chi = 0;
        for (const double count : pairs)
            chi += (count - kTexts / 100.0) * (count - kTexts / 100.0) / (kTexts / 100.0);
        QVERIFY(chi < 170); // 99 degrees of freedom
    }

    void profileChoosesTheDistribution()
    {
        const auto share = [](const Settings& params) {
            Settings all = params;
            all["table_size"] = std::int64_t(1000000);
            Rig rig("oltp_point_select", all);
            int hot = 0;
            for (std::uint64_t i = 0; i < 4000; ++i) {
                const std::int64_t id = rig.run(i).front().number(0);
                hot += id >= 497500 && id <= 505001;
            }
            return hot / 4000.0;
        };
        QVERIFY(share({}) < 0.02);
        QVERIFY(std::abs(share({{"profile", std::string("sysbench-1.0.20")}}) - 0.76) < 0.03);
        QVERIFY(share({{"profile", std::string("sysbench-1.0.20")}, {"rand_type", std::string("uniform")}}) < 0.02);
        // The corrected form spreads the 75 % over a zone a third larger.
        QVERIFY(std::abs(share({{"rand_type", std::string("special")}}) - 0.75 * 7500 / 10000) < 0.04);
        QVERIFY_THROWS_EXCEPTION(
            std::runtime_error,
            test::bind("oltp_point_select",
                       {{"profile", std::string("sysbench-1.0.20")}, {"rand_type", std::string("zipfian")}}, "mysql"));
    }

    void errorsFollowTheProfile()
    {
        const auto ours = test::bind("oltp_read_write", {}, "mysql");
        QVERIFY(ours->retryable(Outcome::Retryable, 1213));
        QVERIFY(ours->retryable(Outcome::Rejected, 1020));
        QVERIFY(!ours->retryable(Outcome::Rejected, 1062));
        QVERIFY(!ours->retryable(Outcome::Disconnected, 2013));
        QVERIFY(!ours->fatal(Outcome::Rejected, 1062));
        const auto theirs = test::bind("oltp_read_write", {{"profile", std::string("sysbench-1.0.20")}}, "mysql");
        QVERIFY(theirs->retryable(Outcome::Retryable, 1205) && !theirs->fatal(Outcome::Retryable, 1205));
        QVERIFY(theirs->fatal(Outcome::Rejected, 1062));
        QVERIFY(theirs->fatal(Outcome::Disconnected, 2013));
        const Settings list{{"profile", std::string("sysbench-1.0.20")}, {"ignore_errors", std::string("1062, 2013")}};
        const auto listed = test::bind("oltp_read_write", list, "mysql");
        QVERIFY(!listed->fatal(Outcome::Rejected, 1062) && listed->retryable(Outcome::Rejected, 1062));
        QVERIFY(!listed->fatal(Outcome::Disconnected, 2013) && !listed->retryable(Outcome::Disconnected, 2013));
        QVERIFY(listed->fatal(Outcome::Retryable, 1213));
        const auto all = test::bind("oltp_read_write", {{"ignore_errors", std::string("all")}}, "mysql");
        QVERIFY(all->retryable(Outcome::Rejected, 1064) && !all->retryable(Outcome::Disconnected, 2013));
        // SQLITE_BUSY is in nobody's list of MySQL errors.
        const auto embedded = test::bind("oltp_read_write", {{"profile", std::string("sysbench-1.0.20")}}, "sqlite");
        QVERIFY(embedded->retryable(Outcome::Retryable, 5) && !embedded->fatal(Outcome::Retryable, 5));
        QVERIFY(embedded->fatal(Outcome::Rejected, 19));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 test::bind("oltp_insert", {{"ignore_errors", std::string("1213;1205")}}, "mysql"));
    }

    void tablesPerDialect()
    {
        const auto create = [](const Settings& params, std::string_view dialect, const Settings& knobs = {}) {
            return test::bind("oltp_read_write", params, dialect, knobs)->tables().front();
        };
        const TableSpec mysql = create({}, "mysql");
        QCOMPARE(mysql.name, std::string("sbtest1"));
        QCOMPARE(mysql.create,
                 std::string("CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER NOT NULL "
                             "DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', "
                             "PRIMARY KEY (id)) ENGINE=innodb"));
        QCOMPARE(mysql.afterLoad, std::vector<std::string>{"CREATE INDEX k_1 ON sbtest1(k)"});
        QCOMPARE(mysql.columns, (std::vector<std::string>{"id", "k", "c", "pad"}));
        QCOMPARE(mysql.rows, std::int64_t(10000));
        QVERIFY(!mysql.freshEachRun);

        const Settings plain{{"auto_inc", false}, {"secondary", true}, {"create_secondary", false}};
        const TableSpec secondary = create(plain, "mysql");
        QVERIFY(secondary.create.find("AUTO_INCREMENT") == std::string::npos);
        QVERIFY(secondary.create.find(", KEY xid (id))") != std::string::npos);
        QVERIFY(secondary.afterLoad.empty());

        const TableSpec sqlite = create({}, "sqlite");
        QVERIFY(sqlite.create.find("id INTEGER PRIMARY KEY") != std::string::npos);
        QVERIFY(sqlite.create.find("ENGINE") == std::string::npos);
        const TableSpec sqliteSecondary = create(plain, "sqlite");
        QVERIFY(sqliteSecondary.create.find("KEY") == std::string::npos);
        QCOMPARE(sqliteSecondary.afterLoad, std::vector<std::string>{"CREATE INDEX xid_1 ON sbtest1(id)"});

        const Settings knobs{{"engine", std::string("aria")}, {"row_format", std::string("page")}};
        QVERIFY(create({}, "mysql", knobs).create.ends_with(") ENGINE=aria ROW_FORMAT=page"));
        QVERIFY(create({{"storage_engine", std::string("rocksdb")},
                        {"create_table_options", std::string("CHARSET=latin1")}},
                       "mysql")
                    .create.ends_with(") ENGINE=rocksdb CHARSET=latin1"));
        QVERIFY(create({}, "sqlite", {{"without_rowid", true}, {"strict", false}}).create.ends_with(") WITHOUT ROWID"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 create({{"storage_engine", std::string("innodb; DROP TABLE x")}}, "mysql"));
    }

    void loadMakesTheSameRowsHoweverItIsCut()
    {
        const Settings params{{"tables", std::int64_t(2)}, {"table_size", std::int64_t(6000)}};
        const auto load = [&params](std::string_view dialect, int table, std::int64_t step, std::uint64_t seed) {
            Rig rig("oltp_read_only", params, dialect, UserPlace{UserId(3), 4, seed});
            for (std::int64_t first = 1; first <= 6000; first += step) {
                const LoadSlice slice{table, first, std::min<std::int64_t>(6000, first + step - 1)};
                const Outcome outcome = test::complete(rig.instance->load(rig.user.context, slice), rig.user.context);
                if (outcome != Outcome::Ok)
                    qFatal("load failed");
            }
            for (const Recorded& request : rig.session.requests) {
                if (request.text.size() > 512 * 1024)
                    qFatal("statement of %zu bytes", request.text.size());
            }
            return rowsOf(rig.session.requests);
        };
        const auto rows = load("mysql", 1, 2500, 9);
        QCOMPARE(rows.size(), std::size_t(6000));
        QCOMPARE(rows.begin()->first, std::int64_t(1));
        QCOMPARE(rows.rbegin()->first, std::int64_t(6000));
        QVERIFY(rows == load("mysql", 1, 700, 9));
        QVERIFY(rows == load("mysql", 1, 6000, 9));
        QVERIFY(rows == load("sqlite", 1, 2000, 9));
        QVERIFY(rows == load("null", 1, 2000, 9));
        QVERIFY(rows != load("mysql", 1, 2500, 10));
        QVERIFY(rows != load("mysql", 2, 2500, 9));
        std::map<std::string, int> ks;
        for (const auto& [id, text] : rows)
            ++ks[text.substr(0, text.find(','))];
        QVERIFY(ks.size() > 3500 && ks.size() < 4000); // 6000·(1 − 1/e) = 3793 different values
    }

    //! A slice as the loader cuts it is one statement, so that it is there wholly or not at all.
    void aSliceIsOneStatement()
    {
        Rig rig("oltp_read_write", {{"table_size", std::int64_t(2147483647)}});
        const TableSpec table = rig.instance->tables().front();
        const LoadSlice slice{1, 2147483647 - table.rowsPerSlice + 1, 2147483647};
        QVERIFY(test::complete(rig.instance->load(rig.user.context, slice), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), std::size_t(1));
        QVERIFY(rig.session.requests.front().text.size() <= 512 * 1024);
        QVERIFY(rig.session.requests.front().text.size() > 500 * 1000);
        QCOMPARE(std::int64_t(rowsOf(rig.session.requests).size()), table.rowsPerSlice);
    }

    //! SQLite takes the write lock at BEGIN if a statement writes: the load's INSERT must not make readers writers.
    void readersHaveNoStatementThatWrites()
    {
        for (const char* id : {"oltp_read_only", "oltp_point_select", "select_random_points", "select_random_ranges"}) {
            const auto instance = test::bind(id, {}, "sqlite");
            for (const StatementSpec& spec : instance->statements())
                QVERIFY(spec.returnsRows);
            QCOMPARE(instance->loaderStatements().size(), instance->statements().size() + 1);
            QVERIFY(!instance->loaderStatements().back().returnsRows);
            QCOMPARE(test::bind(id, {}, "mysql")->loaderStatements().size(), instance->statements().size());
        }
        const auto writer = test::bind("oltp_write_only", {}, "sqlite");
        QCOMPARE(writer->loaderStatements().size(), writer->statements().size());
    }

    void aFailedLoadSaysSo()
    {
        for (const char* dialect : {"mysql", "sqlite"}) {
            Rig rig("oltp_read_write", {}, dialect);
            rig.session.failAt = 1;
            rig.session.failure = {Outcome::Rejected, 1062};
            QVERIFY(test::complete(rig.instance->load(rig.user.context, {1, 1, 10}), rig.user.context) ==
                    Outcome::Rejected);
        }
    }

    void insertIsTextAndLetsTheServerAssign()
    {
        Rig mysql("oltp_insert", {{"tables", std::int64_t(3)}});
        for (const StatementSpec& spec : mysql.statements)
            QVERIFY(!spec.preparable);
        std::set<int> tables;
        for (std::uint64_t i = 0; i < 100; ++i) {
            const auto requests = mysql.run(i);
            QCOMPARE(mysql.shape(requests.front()), kInsert);
            QCOMPARE(requests.front().number(0), std::int64_t(0));
            QVERIFY(looksLikeC(requests.front().texts[2]) && looksLikePad(requests.front().texts[3]));
            tables.insert(mysql.table(requests.front()));
        }
        QCOMPARE(tables.size(), std::size_t(3));
        Rig sqlite("oltp_insert", {}, "sqlite");
        const auto requests = sqlite.run();
        QCOMPARE(sqlite.shape(requests.front()), QString("INSERT INTO sbtestN (k, c, pad) VALUES (?, ?, ?)"));
        QCOMPARE(requests.front().params.size(), std::size_t(3));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, test::bind("oltp_insert", {{"secondary", true}}, "sqlite"));
    }

    void clientsMakeUniqueIds()
    {
        const Settings params{{"auto_inc", false}};
        std::set<std::int64_t> ids;
        for (unsigned user = 0; user < 4; ++user) {
            Rig rig("oltp_insert", params, "mysql", UserPlace{UserId(user), 4, 11});
            for (std::uint64_t i = 0; i < 5000; ++i) {
                const std::int64_t id = rig.run(i).front().number(0);
                QVERIFY(id >= -2147483648ll && id <= 2147483647ll);
                QVERIFY(ids.insert(id).second);
            }
            QCOMPARE(rig.run(17).front().number(0), rig.run(17).front().number(0));
        }
        QVERIFY(*ids.begin() < -2100000000 && *ids.rbegin() > 2100000000);
        const auto table = test::bind("oltp_insert", params, "mysql")->tables().front();
        QCOMPARE(table.rows, std::int64_t(0));
        QVERIFY(table.freshEachRun);
    }

    void deleteDrainsItsTable()
    {
        QVERIFY(test::bind("oltp_delete", {}, "mysql")->tables().front().freshEachRun);
        const Settings theirs{{"profile", std::string("sysbench-1.0.20")}};
        QVERIFY(!test::bind("oltp_delete", theirs, "mysql")->tables().front().freshEachRun);
        Rig rig("oltp_delete");
        QCOMPARE(rig.shape(rig.run().front()), kDelete);
    }

    void bulkInsertBuffersAndFlushes()
    {
        Rig rig("bulk_insert", {}, "mysql", UserPlace{UserId(2), 4, 1});
        const std::uint64_t rows = 150000;
        for (std::uint64_t i = 0; i < rows; ++i)
            QVERIFY(rig.user.run(*rig.instance, i) == Outcome::Ok);
        QVERIFY(rig.session.requests.size() >= 3);
        QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
        std::uint64_t next = 1;
        for (const Recorded& request : rig.session.requests) {
            QVERIFY(request.text.size() <= 512 * 1024);
            QVERIFY(&request == &rig.session.requests.back() || request.text.size() > 512 * 1024 - 32);
            QVERIFY(request.text.starts_with("INSERT INTO sbtest3 VALUES ("));
            const QStringList values = QString::fromStdString(request.text).section("VALUES ", 1).split("),(");
            for (QString value : values) {
                value.remove('(').remove(')');
                QCOMPARE(value, QString("%1,%1").arg(next));
                ++next;
            }
        }
        QCOMPARE(next, rows + 1);
        // Nothing is left for a second end.
        const std::size_t sent = rig.session.requests.size();
        QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
        QCOMPARE(rig.session.requests.size(), sent);
    }

    void bulkInsertKeepsItsRowsForARetry()
    {
        for (const bool retryable : {true, false}) {
            Rig rig("bulk_insert");
            rig.session.failAt = 1;
            rig.session.failure = retryable ? Reply{Outcome::Retryable, 1213} : Reply{Outcome::Rejected, 1062};
            std::uint64_t i = 0;
            while (rig.user.run(*rig.instance, i) == Outcome::Ok)
                ++i;
            QCOMPARE(rig.session.requests.size(), std::size_t(1));
            const std::string first = rig.session.requests.front().text;
            QVERIFY(rig.user.run(*rig.instance, i) == Outcome::Ok);
            QVERIFY(test::complete(rig.instance->finish(rig.user.context), rig.user.context) == Outcome::Ok);
            QCOMPARE(rig.session.requests.size(), std::size_t(retryable ? 3 : 2));
            if (retryable)
                QCOMPARE(rig.session.requests[1].text, first);
            QCOMPARE(QString::fromStdString(rig.session.requests.back().text),
                     QString("INSERT INTO sbtest1 VALUES (%1,%1)").arg(i + 1));
        }
    }

    void bulkInsertHasATablePerUser()
    {
        const auto instance = test::bind("bulk_insert", {}, "mysql");
        const auto tables = instance->tablesFor(3);
        QCOMPARE(tables.size(), std::size_t(3));
        QCOMPARE(tables[2].name, std::string("sbtest3"));
        QCOMPARE(tables[2].columns, (std::vector<std::string>{"id", "k"}));
        QVERIFY(tables[2].freshEachRun);
        QCOMPARE(test::bind("oltp_read_write", {}, "mysql")->tablesFor(64).size(), std::size_t(1));
    }

    void randomPointsAndRanges()
    {
        Rig points("select_random_points", {{"random_points", std::int64_t(4)}});
        QCOMPARE(points.shape(points.run().front()),
                 QString("SELECT id, k, c, pad FROM sbtestN WHERE k IN (?, ?, ?, ?)"));
        Rig ranges("select_random_ranges", {{"number_of_ranges", std::int64_t(2)}, {"delta", std::int64_t(7)}});
        const auto requests = ranges.run();
        QCOMPARE(ranges.shape(requests.front()),
                 QString("SELECT COUNT(k) FROM sbtestN WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"));
        QCOMPARE(requests.front().params.size(), std::size_t(4));
        QCOMPARE(requests.front().number(1), requests.front().number(0) + 7);
        QCOMPARE(requests.front().number(3), requests.front().number(2) + 7);
        Faults faults;
        (void)resolve(points.info->options, {{"tables", std::int64_t(2)}}, "workload", faults);
        QCOMPARE(faults.size(), std::size_t(1));
    }

    void segmentsPerUser_data()
    {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<int>("users");
        for (const char* profile : {"dynobench", "sysbench-1.0.20"}) {
            for (const int users : {1, 3, 7})
                QTest::addRow("%s, %d users", profile, users) << profile << users;
        }
    }
    void segmentsPerUser()
    {
        QFETCH(QString, profile);
        QFETCH(int, users);
        const int size = 100;
        const bool compat = profile != "dynobench";
        std::map<std::int64_t, std::set<int>> owners;
        for (int user = 0; user < users; ++user) {
            const Settings params{{"table_size", std::int64_t(size)},
                                  {"profile", profile.toStdString()},
                                  {"rand_type", std::string("uniform")}};
            Rig rig("select_random_points", params, "mysql", UserPlace{UserId(unsigned(user)), users, 1});
            for (std::uint64_t i = 0; i < 500; ++i) {
                for (const Recorded& request : rig.run(i)) {
                    for (const Param& param : request.params)
                        owners[param.integer].insert(user);
                }
            }
        }
        // 1.0.20 begins at 0, and neighbours share their border.
        QCOMPARE(owners.begin()->first, std::int64_t(compat ? 0 : 1));
        QCOMPARE(owners.rbegin()->first, std::int64_t(size));
        QCOMPARE(owners.size(), std::size_t(size + (compat ? 1 : 0)));
        int shared = 0;
        for (const auto& [value, by] : owners)
            shared += by.size() > 1;
        QCOMPARE(shared, compat ? users - 1 : 0);
    }

    void estimateGrowsWithTheData()
    {
        const auto bytes = [](const Settings& params, std::string_view dialect) {
            return test::bind("oltp_read_write", params, dialect)->estimatedBytes();
        };
        const Settings million{{"table_size", std::int64_t(1000000)}};
        QVERIFY(bytes(million, "mysql") > 200'000'000 && bytes(million, "mysql") < 300'000'000);
        QVERIFY(bytes(million, "sqlite") > 190'000'000 && bytes(million, "sqlite") < 260'000'000);
        QCOMPARE(bytes({{"tables", std::int64_t(5)}}, "mysql"), 5 * bytes({}, "mysql"));
        QVERIFY(bytes({{"create_secondary", false}}, "sqlite") < bytes({}, "sqlite"));
    }
};

QTEST_GUILESS_MAIN(TstOltp)
#include "tst_oltp.moc"
