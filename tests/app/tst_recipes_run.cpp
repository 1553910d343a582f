// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Every recipe runs at its quick size from the command line, against the servers that are installed here, and ends in
//! the table of its post. Times are cut to a blink: what is tested is that each point starts, configures, loads, runs
//! and reports, not what it measures. The short form runs each point once, and leaves to tst_recipes_window those
//! recipes of which all points run there.
#include "support/dyno_process.h"
#include "support/long_form.h"
#include "support/suite.h"
#include <dyno/analysis.h>
#include <dyno/catalog.h>
#include <dyno/library.h>
#include <dyno/machine_settings.h>
#include <dyno/path.h>
#include <dyno/report.h>
#include <dyno/runner.h>
#include <dyno/servers.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace dyno::tst_recipes_run {
using namespace dyno::test;

class TestRecipesRun : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    static bool has(const std::string& uri)
    {
        const auto target = parseUri(uri);
        return target && inspectTarget(*target);
    }

    //! The server that stands in for a mongod where there is none: FerretDB speaks its protocol. "" when there is none
    //! either.
    static QString mongoTarget()
    {
        if (has("managed:mongodb"))
            return QStringLiteral("managed:mongodb");
        const QString program = qEnvironmentVariable("DYNO_TEST_FERRETDB");
        if (!program.isEmpty())
            return "managed:ferretdb?basedir=" + QFileInfo(program).absolutePath();
        return has("managed:ferretdb") ? QStringLiteral("managed:ferretdb") : QString();
    }

    //! The one that ./test unpacks, see there; "" when there is none.
    static QString postgresqlTarget()
    {
        const QString unpacked = qEnvironmentVariable("DYNO_TEST_POSTGRESQL");
        if (!unpacked.isEmpty())
            return "managed:postgresql?basedir=" + unpacked;
        return has("managed:postgresql") ? QStringLiteral("managed:postgresql") : QString();
    }

    //! The server in the folder that a variable names; "" when it names none.
    static QString targetIn(const char* product, const char* variable)
    {
        const QString unpacked = qEnvironmentVariable(variable);
        return unpacked.isEmpty() ? QString() : QString("managed:%1?basedir=%2").arg(product, unpacked);
    }

    //! The server for a recipe that the installed one will not do for; "" for others, and where there is none.
    static QString mariadbTarget(const std::string& recipe)
    {
        if (recipe == "vectors-mariadb")
            return targetIn("mariadb", "DYNO_TEST_MARIADB11");
        const bool whole =
            recipe == "encryption-mariadb" || recipe == "writeamp-mariadb" || recipe == "memtable-mariadb";
        return whole ? targetIn("mariadb", "DYNO_TEST_MARIADB") : QString(); // with its plugins, see ./test
    }

    static QString clickhouseTarget()
    {
        const QString program = qEnvironmentVariable("DYNO_TEST_CLICKHOUSE");
        if (!program.isEmpty())
            return "managed:clickhouse?basedir=" + QFileInfo(program).path();
        return has("managed:clickhouse") ? QStringLiteral("managed:clickhouse") : QString();
    }

    //! `--set` arguments that let a recipe run on the servers of the tests: its target and those of its cases.
    static QStringList settingServers(const RecipeInfo& recipe)
    {
        const Expected<Plan> plan = recipePlan(recipe.id);
        const bool ofVectors = recipe.id.starts_with("vectors-");
        QStringList arguments;
        for (const auto& [usual, here] :
             {std::pair{"managed:mongodb", mongoTarget()},
              {"managed:postgresql", ofVectors ? targetIn("postgresql", "DYNO_TEST_PGVECTOR") : postgresqlTarget()},
              {"managed:mysql", targetIn("mysql", "DYNO_TEST_MYSQL80")},
              {"managed:mariadb", mariadbTarget(recipe.id)},
              {"managed:clickhouse", clickhouseTarget()}}) {
            if (!plan || here.isEmpty())
                continue;
            if (plan->target.uri == usual)
                arguments << "--set"
                          << "target.uri=" + here;
            for (const Axis& axis : plan->axes) {
                for (const Case& one : axis.cases) {
                    const auto uri = one.set.find("target.uri");
                    if (uri != one.set.end() && toText(uri->second) == usual)
                        arguments << "--set"
                                  << QString("axis.%1[%2].target.uri=%3")
                                         .arg(QString::fromStdString(axis.name), QString::fromStdString(one.label),
                                              here);
                }
            }
        }
        return arguments;
    }

    //! What a recipe needs and this machine lacks; "" when it can run.
    static QString missingFor(const RecipeInfo& recipe)
    {
        const std::string& toml = recipe.toml;
        if (toml.find("managed:mongodb") != std::string::npos && mongoTarget().isEmpty())
            return QStringLiteral("neither MongoDB nor FerretDB is here (DYNO_TEST_FERRETDB names the program)");
        if (recipe.id == "vectors-mariadb" && mariadbTarget(recipe.id).isEmpty())
            return QStringLiteral("DYNO_TEST_MARIADB11 names no MariaDB with vectors");
        if (recipe.id == "vectors-postgresql" && targetIn("postgresql", "DYNO_TEST_PGVECTOR").isEmpty())
            return QStringLiteral("no PostgreSQL with pgvector is here (DYNO_TEST_PGVECTOR names its folder)");
        if (toml.find("managed:postgresql") != std::string::npos && postgresqlTarget().isEmpty())
            return QStringLiteral("no PostgreSQL server is here (DYNO_TEST_POSTGRESQL names its folder)");
        if (toml.find("managed:clickhouse") != std::string::npos && clickhouseTarget().isEmpty())
            return QStringLiteral("no ClickHouse server is here (DYNO_TEST_CLICKHOUSE names its program)");
        if (toml.find("managed:mariadb") != std::string::npos && mariadbTarget(recipe.id).isEmpty() &&
            !has("managed:mariadb"))
            return QStringLiteral("no MariaDB server is installed");
        if ((recipe.id == "writeamp-mariadb" || recipe.id == "memtable-mariadb") && mariadbTarget(recipe.id).isEmpty())
            return QStringLiteral("DYNO_TEST_MARIADB names no MariaDB with MyRocks");
        for (const ProxyInfo& proxy : proxies()) {
            if (toml.find('"' + proxy.id + '"') != std::string::npos && missingProxy(proxy.id))
                return QStringLiteral("%1 is not installed").arg(QString::fromStdString(proxy.name));
        }
        for (const char* version : {"5.7", "8.0"}) {
            const std::string uri = std::string("managed:mysql?version=") + version;
            if (toml.find(uri) != std::string::npos && !has(uri))
                return QStringLiteral("MySQL %1 is not installed").arg(QLatin1String(version));
        }
        if (const Expected<Plan> plan = recipePlan(recipe.id)) {
            for (const PointSpec& point : expand(*plan).points) {
                const auto uri = parseUri(point.target.uri);
                if (const auto problem = machineProblem(point.host, placeOf(*uri, dataFolder())))
                    return QString::fromStdString(problem->text());
            }
        }
        return {};
    }

    //! True when the cases of an axis say it.
    static bool isAxis(const Plan& plan, const std::string& field)
    {
        return std::ranges::any_of(plan.axes, [&field](const Axis& axis) {
            return std::ranges::any_of(axis.cases, [&field](const Case& one) { return one.set.contains(field); });
        });
    }

    //! Recipes whose runs end by rows or transactions end so here too, at fewer of them.
    struct End
    {
        const char* field = nullptr; //!< "rows", "events"; nullptr for those that end by time
        int amount = 0;
        bool all = true; //!< false: some cases (a row a commit, synced) may need longer than the test has
    };
    static End endOf(const QString& id)
    {
        if (id == "inserts-mariadb")
            return {"events", 2000};
        if (id == "engines-mariadb")
            return {"rows", 25'000}; // its last 20 000 are a figure
        if (id == "compression-mariadb")
            return {"events", 20};
        if (id.startsWith("commits-"))
            return {"rows", 20'000, false};
        if (id.startsWith("linkbench-"))
            return {"events", 2}; // at least: its cases say how many
        if (id == "sensordata-mariadb")
            return {"events", 300};
        if (id == "writeamp-mariadb")
            return {"events", 3000};
        if (id == "memtable-mariadb")
            return {"events", 20};
        if (id == "writeamp-rocksdb")
            return {"events", 100'000}; // some intervals, of which the store's counters are read
        if (id.startsWith("sync-cost-") || id == "bulk-load-mariadb")
            return {"events", 10}; // at least, as for linkbench
        // Where each commit is synced, and with Aria each statement of the read-write mix, hardly any transaction fits
        // into a blink on a slow disk.
        if (id.startsWith("shootout-") || id.startsWith("durability-"))
            return {"events", 60};
        return {};
    }

    static QString timeOf(const QString& id, const End& end)
    {
        if (id == "sync-cost-sqlite") // 30 000 commits of one case may take longer, each synced
            return QStringLiteral("20s");
        return !end.field ? QStringLiteral("0.3s") : end.all ? QStringLiteral("60s") : QStringLiteral("2s");
    }

    //! `--set` arguments for cases that say themselves how much there is: less of it goes the same ways.
    static QStringList settingLess(const Plan& quick, bool ofEvents)
    {
        QStringList arguments;
        for (const Axis& axis : quick.axes) {
            for (const Case& one : axis.cases) {
                const auto set = [&](const std::string& field, const QString& value) {
                    arguments
                        << "--set"
                        << QString("axis.%1[%2].%3=%4").arg(axis.name.c_str(), one.label.c_str(), field.c_str(), value);
                };
                for (const auto& [field, value] : one.set) {
                    const QString said = QString::fromStdString(toText(value));
                    const QString ofPool = " x buffer_pool";
                    constexpr std::pair<const char*, const char*> kFew[] = {{"workload.rows", "300"},
                                                                            {"workload.documents", "200"},
                                                                            {"workload.customers", "60"},
                                                                            {"workload.items", "200"}};
                    const auto few = std::ranges::find_if(kFew, [&](const auto& one) { return field == one.first; });
                    if (few != std::end(kFew))
                        set(field, few->second);
                    else if (said.endsWith(ofPool))
                        set(field, QString::number(said.chopped(ofPool.size()).toDouble() / 20) + ofPool);
                    else if (field == "load.events" && ofEvents && said.toInt() > 20)
                        set(field, QString::number(std::max(said.toInt() / 20, 20)));
                }
            }
        }
        return arguments;
    }

    //! Finite figures of a view in the newest session of the library.
    static int figuresOf(Library& library, const StoredSession& session, const View& view)
    {
        int count = 0;
        const auto finite = [](double value) { return std::isfinite(value); };
        if (view.chart == "time" || view.chart == "dots" || view.chart == "percentiles" || view.chart == "heat") {
            const IntervalMeasures of = intervalMeasuresOf(view.measure);
            const bool amount = of.amount == view.measure || view.measure == "tps";
            for (const StoredRun& run : session.runs) {
                if (isOfCounters(view.measure)) {
                    const auto values =
                        counterValues(library, run.id, run.header.operations, run.header.counters, view.measure);
                    count += values ? int(std::ranges::count_if(*values, finite)) : 0;
                    continue;
                }
                const auto intervals = library.intervals(run.id);
                if (intervals)
                    count += int(std::ranges::count_if(
                        intervalValues(*intervals, run.header.operations, amount ? of.amount : of.latency), finite));
            }
            return count;
        }
        IntervalFigures figures{view.measure, {}};
        const MeasureInfo* measure = findMeasure(view.measure);
        if (measure && measure->fromIntervals)
            figures.values.push_back(intervalFigures(library, session, view.measure).value_or(std::vector<double>{}));
        const Pivot table = pivot({session}, requestOf(view), figures.values.empty() ? nullptr : &figures);
        for (const PivotCell& cell : table.cells)
            count += cell.estimate.runs.empty() ? 0 : int(finite(table.figure(cell).value));
        return count;
    }

    //! A line for each series of a view of syncs that has enough sizes; how many series there are.
    static std::size_t checkLines(Library& library, const StoredSession& session, const View& view)
    {
        IntervalFigures figures{kLogBytes,
                                {intervalFigures(library, session, kLogBytes).value_or(std::vector<double>{})}};
        figures.values.back().resize(session.runs.size(), std::nan(""));
        const SyncCosts costs = syncCostsOf({session}, pivot({session}, requestOf(view), &figures));
        for (const SyncCost& one : costs.list) {
            if (one.means.size() >= std::size_t(kFewestLinePoints) && !one.fit)
                return 0;
        }
        return costs.list.size();
    }

    //! Each of the recipe's views shows something.
    static void checkViews(const QString& file, const QString& id)
    {
        const auto library = Library::open(file.toStdString(), Library::Mode::ReadOnly);
        QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
        const auto last = (*library)->resolveId("last");
        QVERIFY(last.has_value());
        const auto session = (*library)->session(*last);
        QVERIFY(session.has_value());
        QVERIFY(!session->header.plan.views.empty());
        const std::map<std::string, std::string> ofProcessor = {
            {"counter:server process/dTLB load misses", "dTLB load misses"},
            {"server_instructions_per_op", "instructions"},
            {"server_ipc", "cycles"}};
        for (const View& view : session->header.plan.views) {
            const auto series = ofProcessor.find(view.measure);
            const auto counts = [&series](const StoredRun& run) {
                return std::ranges::find(run.header.counters, series->second, &CounterInfo::name) !=
                       run.header.counters.end();
            };
            if (series != ofProcessor.end() && std::ranges::none_of(session->runs, counts))
                continue; // hidden here, an event says why
            QVERIFY2(
                figuresOf(**library, *session, view) > 0,
                qPrintable(QString("%1: %2, %3: nothing is shown").arg(id, view.chart.c_str(), view.measure.c_str())));
            if (view.chart == "sync")
                QCOMPARE(checkLines(**library, *session, view), std::size_t(2));
        }
    }

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    //! A chart over time that leaves an axis open shows one of its cases only, or all of them alike: E17 did so with
    //! uniform and Pareto values.
    void chartsOverTimeNameEveryAxis()
    {
        int charts = 0;
        for (const RecipeInfo& recipe : recipes()) {
            const Expected<Plan> plan = recipePlan(recipe.id);
            if (!plan)
                continue; // for a database that this build has no driver for
            for (const View& view : plan->views) {
                if (view.chart != "time" && view.chart != "dots")
                    continue;
                ++charts;
                const std::string named = " × " + view.x + " × " + view.series + " × " + view.facet + " × ";
                std::vector<std::string> axes;
                for (const Axis& axis : plan->axes)
                    axes.push_back(axis.name);
                if (plan->load.users.size() > 1)
                    axes.emplace_back("users");
                for (const std::string& axis : axes)
                    QVERIFY2(named.find(" × " + axis + " × ") != std::string::npos,
                             (recipe.id + ", " + view.name + ": " + axis).c_str());
            }
        }
        QVERIFY(charts > 0);
    }

    void runs_data()
    {
        QTest::addColumn<QString>("id");
        const QStringList inTheWindow{"inserts-mariadb", "commits-sqlite", "sensordata-mariadb"}; // tst_recipes_window
        for (const RecipeInfo& recipe : recipes()) {
            const QString id = QString::fromStdString(recipe.id);
            if (longForm() || !inTheWindow.contains(id))
                QTest::newRow(recipe.id.c_str()) << id;
        }
    }
    void runs()
    {
        QFETCH(const QString, id);
        RecipeInfo recipe;
        for (const RecipeInfo& one : recipes()) {
            if (one.id == id.toStdString())
                recipe = one;
        }
        if (const QString missing = missingFor(recipe); !missing.isEmpty())
            QSKIP(qPrintable(missing));
        const QString library = m_dir.filePath("library.dynolib");
        const End end = endOf(id);
        QStringList arguments{
            "run",       id,      "--size", "quick",  "--set", "load.warmup=0", "--set", "load.interval=0.1s",
            "--library", library, "--json", "--quiet"};
        if (!longForm())
            arguments << "--set"
                      << "load.repeats=1";
        arguments << "--set"
                  << "load.probe=false"; // half a GiB and ten seconds for each recipe: see tst_device_limits
        const Expected<Plan> plan = recipePlan(recipe.id);
        const WorkloadInfo* workload = plan ? findWorkload(plan->workload.name) : nullptr;
        QVERIFY(workload);
        for (const LoadPhase& phase : plan->load.phases)
            arguments << "--set" << QString("load.phase.%1.time=0.3s").arg(QString::fromStdString(phase.name));
        if (plan->load.phases.empty())
            arguments << "--set" << QString("load.time=%1").arg(timeOf(id, end));
        if (end.field && !isAxis(*plan, std::string("load.") + end.field))
            arguments << "--set" << QString("load.%1=%2").arg(end.field).arg(end.amount);
        // A commit of 1000 rows into compressed pages takes longer than the whole run where the machine is busy.
        const std::pair<const char*, int> few[]{{"table_size", 500},         {"nodes", 500}, {"initial_rows", 500},
                                                {"customers", 60},           {"items", 200}, {"rows_per_commit", 20},
                                                {"accounts_per_branch", 100}};
        for (const auto& [name, value] : few) {
            if (id == "engines-mariadb" && name == std::string("rows_per_commit"))
                continue; // each commit is synced, 25 at 1000 rows
            if (std::ranges::any_of(workload->options,
                                    [name = name](const OptionSpec& option) { return option.name == name; }) &&
                !isAxis(*plan, std::string("workload.") + name))
                arguments << "--set" << QString("workload.%1=%2").arg(name).arg(value);
        }
        if (id == "columntypes-clickhouse") // to settle takes ten seconds a point: old parts are removed that seldom
            arguments << "--set"
                      << "load.settle=false"
                      << "--set"
                      << "workload.rows=20000";
        if (id.startsWith("vectors-"))
            arguments << "--set"
                      << "load.users=2"
                      << "--set"
                      << "workload.vectors=1500"
                      << "--set"
                      << (id == "vectors-mariadb" ? "axis.candidates=10;200" : "axis.effort=10 / 1;200 / all");
        if (!longForm() && (id == "durable-products" || id == "proxy-postgresql")) // one number of users is enough
            arguments << "--set"
                      << "load.users=4";
        if (id == "bulk-load-mariadb") // as many as the inserts make, below
            arguments << "--set"
                      << "workload.rows=20000"
                      << "--set"
                      << "workload.rows_per_load=2000";
        if (id.startsWith(
                "thp-")) // each point starts the server anew; another program may be changing this machine too
            arguments << "--wait"
                      << "--allow"
                      << "host.transparent_hugepage"
                      << "--set"
                      << "load.users=2";
        if (id.startsWith("thp-")) { // what changes the machine asks, whoever wrote it
            const DynoResult refused = runDyno(m_dir, {"run", id, "--size", "quick", "--library", library});
            QCOMPARE(refused.code, 2);
            QVERIFY2(refused.err.contains("host.transparent_hugepage"), qPrintable(refused.err));
        }
        Plan quick = *plan;
        QVERIFY(applySize(quick, "quick"));
        arguments << settingLess(quick, id.startsWith("sync-cost-") || id == "bulk-load-mariadb");
        arguments << settingServers(recipe);
        const DynoResult run =
            runDyno(m_dir, arguments, {}, id.startsWith("shootout-") || id.startsWith("thp-") ? 400'000 : 150'000);
        if (run.code != 0 && run.err.contains("file_key_management"))
            QSKIP("MariaDB's plugin file_key_management is not installed (package mariadb-server)");
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const QJsonArray points = QJsonDocument::fromJson(run.out.toUtf8()).object()["points"].toArray();
        QVERIFY(points.size() > 1);
        int ended = 0, runs = 0;
        for (const QJsonValue& point : points) {
            const QJsonArray done = point["runs"].toArray();
            QVERIFY(!done.isEmpty());
            for (const QJsonValue& one : done) {
                QCOMPARE(one["status"].toString(), QString("done"));
                QVERIFY(one["transactions"].toDouble() > 0);
                ++runs;
                // A transaction that failed (two users of Aria's read-write mix insert the same row) counts for
                // "events" too.
                double made = one[QString(end.field) == "rows" ? "rows" : "transactions"].toDouble();
                if (QString(end.field) == "events") {
                    for (const QJsonValue& errors : one["errors"].toObject())
                        made += errors.toDouble();
                }
                if (id.startsWith("vectors-")) { // all lists hold all vectors
                    const double recall = one["recall"].toDouble(-1);
                    const QJsonObject cases = point["cases"].toObject();
                    const bool all = cases["index"] == "IVFFlat" && cases["effort"] == "200 / all";
                    QVERIFY2(all ? recall == 1 : recall > 0 && recall <= 1, qPrintable(QString::number(recall)));
                }
                if (end.field)
                    ended += made >= end.amount ? 1 : 0;
            }
        }
        QVERIFY2(!end.field || (end.all ? ended == runs : ended > 0),
                 qPrintable(QString("%1 of %2").arg(ended).arg(runs)));
        const QString report = m_dir.filePath("report.md");
        const DynoResult exported = runDyno(m_dir, {"export", "last", "--library", library, "--markdown", report});
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const Published& published : quick.published) // a size may leave none of its cases
            QVERIFY2(published.values.empty() || text.contains(published.source.c_str()), published.source.c_str());
        for (const Axis& axis : plan->axes)
            QVERIFY2(text.contains(axis.cases.front().label.c_str()), axis.name.c_str());
        checkViews(library, id);
    }
};

} // namespace dyno::tst_recipes_run

DYNO_SUITE(tst_recipes_run, dyno::tst_recipes_run::TestRecipesRun)
#include "tst_recipes_run.moc"
