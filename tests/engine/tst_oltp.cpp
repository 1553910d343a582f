// SPDX-License-Identifier: GPL-3.0-or-later
// The OLTP family over a session that records: options, statements, order, counts, draws, rules for errors.
#include "oltp_rig.h"
#include "support/allocation_count.h"
#include "support/suite.h"

#include "workload/oltp/digits.h"
#include "workload/oltp/params.h"

#include <QJsonDocument>
#include <QTest>

#include <cstdlib>
#include <map>
#include <set>

namespace dyno::tst_oltp {
using namespace dyno::test;
using namespace dyno::test::oltp_rig;

namespace {

const OptionSpec* option(const WorkloadInfo& info, std::string_view name)
{
    for (const OptionSpec& spec : info.options) {
        if (spec.name == name)
            return &spec;
    }
    return nullptr;
}

//! Parameters without which a workload is none.
Settings neededBy(const Workload& workload)
{
    return workload.operationsOfFile() ? Settings{{"file", std::string("general.log")}} : Settings();
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
                                                                       {"retry_sample", "inside", false},
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

    //! All reads, then BEGIN, the writes, COMMIT: the same statements of the same rows.
    void readsOutsideStandBeforeBegin()
    {
        Rig inside("oltp_read_write"), outside("oltp_read_write", {{"reads_outside", true}});
        std::vector<Recorded> usual = inside.run(3), before = outside.run(3);
        QCOMPARE(outside.shape(before.at(14)), QString("BEGIN"));
        QCOMPARE(outside.shape(before.at(19)), QString("COMMIT"));
        usual.erase(usual.begin());
        before.erase(before.begin() + 14);
        QVERIFY(std::ranges::equal(usual, before, [](const Recorded& a, const Recorded& b) { return a.same(b); }));
        QVERIFY_EXCEPTION_THROWN(Rig("oltp_read_write", {{"reads_outside", true}, {"skip_trx", true}}),
                                 std::runtime_error);
    }

    //! The preset sends what oltp_read_write sends with the option; options that it folds away change nothing.
    void readsOutsideIsAPresetToo()
    {
        const auto same = [](const Recorded& a, const Recorded& b) { return a.same(b); };
        for (const Settings& params :
             {Settings(), Settings{{"tables", std::int64_t(3)}, {"simple_ranges", std::int64_t(2)}}}) {
            Settings option = params, folded = params;
            option["reads_outside"] = true;
            folded.insert({{"reads_outside", false}, {"skip_trx", true}});
            Rig wanted("oltp_read_write", option), preset("oltp_reads_outside", params),
                others("oltp_reads_outside", folded);
            for (std::uint64_t i = 0; i < 5; ++i) {
                const std::vector<Recorded> requests = wanted.run(i);
                QVERIFY(std::ranges::equal(requests, preset.run(i), same));
                QVERIFY(std::ranges::equal(requests, others.run(i), same));
            }
            QCOMPARE(preset.statements.size(), wanted.statements.size());
        }
        const WorkloadInfo& info = workloadFor("oltp_reads_outside")->info();
        for (const char* name : {"reads_outside", "skip_trx"})
            QCOMPARE(option(info, name)->group, std::string("advanced"));
        QVERIFY(option(info, "point_selects")->group != "advanced");
        QCOMPARE(toText(option(info, "reads_outside")->defaultValue), std::string("true"));
        QCOMPARE(info.models, std::vector<DataModel>{DataModel::Sql});
    }

    void incrementNeedsATableWithoutTheIndex()
    {
        Rig rig("oltp_increment");
        QCOMPARE(rig.shape(rig.run().at(0)), kIndexUpdate);
        QVERIFY(rig.instance->tables().at(0).afterLoad.empty());
        QVERIFY_EXCEPTION_THROWN(Rig("oltp_increment", {{"create_secondary", true}}), std::runtime_error);
        Rig query("oltp_point_query");
        QCOMPARE(query.shape(query.run().at(0)), QString("SELECT id, k, c, pad FROM sbtestN WHERE id=?"));
    }

    void analyticQueriesReadSoManyRows()
    {
        Rig rig("oltp_analytic",
                {{"tables", std::int64_t(3)}, {"table_size", std::int64_t(1000)}, {"scan_rows", std::int64_t(400)}});
        std::set<QString> shapes;
        std::set<std::int64_t> first;
        for (std::uint64_t i = 0; i < 400; ++i) {
            const std::vector<Recorded> requests = rig.run(i);
            QCOMPARE(requests.size(), std::size_t(1));
            shapes.insert(rig.shape(requests[0]));
            first.insert(requests[0].number(0));
            QCOMPARE(requests[0].number(1) - requests[0].number(0), std::int64_t(399));
        }
        QCOMPARE(shapes.size(), std::size_t(4));
        QVERIFY(*first.begin() >= 1 && *first.begin() < 20 && *first.rbegin() <= 601 && *first.rbegin() > 580);
        Rig joins("oltp_analytic", {{"tables", std::int64_t(2)}, {"query", std::string("join")}});
        QCOMPARE(joins.statements.size(), std::size_t(2));
        QVERIFY(joins.statements[1].text.find("sbtest2 a JOIN sbtest1 b") != std::string::npos);
        QCOMPARE(joins.run()[0].number(0), std::int64_t(1)); // the whole table
        QVERIFY_EXCEPTION_THROWN(Rig("oltp_analytic", {{"query", std::string("none")}}), std::runtime_error);
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
        QTest::newRow("point query") << "oltp_point_query"
                                     << "" << 1 << 1;
        QTest::newRow("increment") << "oltp_increment"
                                   << "" << 1 << 1;
        QTest::newRow("reads outside") << "oltp_read_write"
                                       << "reads_outside=true" << 20 << 9;
        QTest::newRow("reads outside, as a preset") << "oltp_reads_outside"
                                                    << "" << 20 << 9;
        QTest::newRow("reads outside, no writes")
            << "oltp_read_write"
            << "reads_outside=true index_updates=0 non_index_updates=0 delete_inserts=0" << 14 << 5;
        QTest::newRow("as sysbench 0.5's options of the doublewrite post")
            << "oltp_read_write"
            << "point_selects=1 range_size=1 index_updates=10 simple_ranges=1 sum_ranges=0 order_ranges=0 "
               "distinct_ranges=0 "
               "non_index_updates=0 delete_inserts=0"
            << 14 << 3;
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

    //! A table of its own for each user, as when sysbench processes are given one each; the fifth user of four tables
    //! shares the first one's.
    void usersHaveTablesOfTheirOwn()
    {
        for (const char* workload : {"oltp_read_write", "oltp_point_query", "oltp_increment", "oltp_read_only",
                                     "oltp_write_only", "oltp_update_index", "oltp_delete"}) {
            for (const bool own : {false, true}) {
                std::map<unsigned, std::set<int>> tables;
                for (unsigned number = 0; number < 5; ++number) {
                    Rig rig(workload,
                            {{"tables", std::int64_t(4)}, {"table_of_user", std::string(own ? "own" : "drawn")}},
                            "mysql", UserPlace{UserId(number), 5, 1});
                    for (std::uint64_t i = 0; i < 60; ++i) {
                        for (const Recorded& request : rig.run(i)) {
                            if (request.kind == RequestKind::Execute)
                                tables[number].insert(rig.table(request));
                        }
                    }
                    QCOMPARE(tables[number], own ? std::set<int>{int(number % 4) + 1} : (std::set<int>{1, 2, 3, 4}));
                }
            }
        }
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

    //! A statement's form as a document command takes the same parameters in the same order.
    void documentsTakeTheSameParameters()
    {
        int forms = 0;
        for (const Workload* workload : builtinWorkloads()) {
            const WorkloadInfo& info = workload->info();
            if (!info.source.starts_with("sysbench"))
                continue;
            // With ids by the client: those that the server makes are left out of a document.
            const Settings own{{"tables", std::int64_t(info.id.starts_with("select") ? 1 : 2)}, {"auto_inc", false}};
            const Settings params = info.id == "bulk_insert" ? Settings() : own;
            DriverInfo driver = driverFor("null")->info();
            driver.models = {DataModel::Document};
            Faults faults;
            const auto documents = workload->bind(resolve(info.options, params, "workload", faults), driver, {});
            QVERIFY(documents);
            const StatementSet ours = (*documents)->statements();
            const StatementSet sql = test::bind(info.id, params, "null")->statements();
            QCOMPARE(ours.size(), sql.size());
            for (std::size_t i = 0; i < sql.size(); ++i) {
                QVERIFY(ours[i].parameters == sql[i].parameters);
                QCOMPARE(ours[i].returnsRows, sql[i].returnsRows);
            }
            for (const StatementSpec& spec : (*documents)->loaderStatements()) {
                QVERIFY2(QJsonDocument::fromJson(QByteArray::fromStdString(spec.text)).isObject(),
                         spec.text.substr(0, 200).c_str());
                QCOMPARE(QByteArray::fromStdString(spec.text).count("\"?\""), qsizetype(spec.parameters.size()));
            }
            ++forms;
        }
        QCOMPARE(forms, 13);
    }

    void statementsDeclareTheirParameters()
    {
        for (const Workload* workload : builtinWorkloads()) {
            for (const char* dialect : {"mysql", "sqlite", "null"}) {
                if (!commonModel(workload->info(), driverFor(dialect)->info()))
                    continue;
                for (const StatementSpec& spec :
                     test::bind(workload->info().id, neededBy(*workload), dialect)->statements()) {
                    QCOMPARE(spec.parameters.size(), std::size_t(std::ranges::count(spec.text, '?')));
                    QCOMPARE(spec.returnsRows, spec.text.starts_with("SELECT") || spec.text.starts_with("ANALYZE") ||
                                                   spec.text.starts_with("{\"find\""));
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
        QFETCH(QString, workload);
        Rig rig(workload.toStdString(), neededBy(*workloadFor(workload.toStdString())));
        rig.session.keep = false;
        rig.session.requests.clear();
        std::uint64_t sequence = 0;
        for (; sequence < 1000; ++sequence) // rare kinds of transactions come too
            rig.user.run(*rig.instance, sequence);
        const std::uint64_t before = allocations();
        for (; sequence < 5000; ++sequence)
            rig.user.run(*rig.instance, sequence);
        QCOMPARE(allocations() - before, std::uint64_t(0));
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

    void retriesAreInsideOrOutsideTheSample()
    {
        for (const char* id : {"oltp_read_write", "oltp_insert", "select_random_points", "bulk_insert"}) {
            QVERIFY2(test::bind(id, {}, "mysql")->retriesInSample(), id);
            QVERIFY2(!test::bind(id, {{"retry_sample", std::string("outside")}}, "mysql")->retriesInSample(), id);
            QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                     test::bind(id, {{"retry_sample", std::string("sideways")}}, "mysql"));
        }
    }
};

} // namespace dyno::tst_oltp

DYNO_SUITE(tst_oltp, dyno::tst_oltp::TstOltp)
#include "tst_oltp.moc"
