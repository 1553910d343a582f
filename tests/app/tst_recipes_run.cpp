// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Every recipe runs at its quick size from the command line, against the servers that are installed here, and ends in
//! the table of its post. Times are cut to a blink: what is tested is that each point starts, configures, loads, runs
//! and reports, not what it measures.
#include "support/dyno_process.h"
#include <dyno/catalog.h>
#include <dyno/servers.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>

using namespace dyno;
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

    //! The server that stands in for a mongod where there is none: FerretDB speaks its protocol. "" when there is none either.
    static QString mongoTarget()
    {
        if (has("managed:mongodb"))
            return QStringLiteral("managed:mongodb");
        const QString program = qEnvironmentVariable("DYNO_TEST_FERRETDB");
        if (!program.isEmpty())
            return "managed:ferretdb?basedir=" + QFileInfo(program).absolutePath();
        return has("managed:ferretdb") ? QStringLiteral("managed:ferretdb") : QString();
    }

    //! `--set` arguments that let a recipe for MongoDB run on that server: its target and those of its cases.
    static QStringList settingMongo(const RecipeInfo& recipe)
    {
        const Expected<Plan> plan = recipePlan(recipe.id);
        QStringList arguments;
        if (!plan || mongoTarget().isEmpty())
            return arguments;
        if (plan->target.uri == "managed:mongodb")
            arguments << "--set" << "target.uri=" + mongoTarget();
        for (const Axis& axis : plan->axes) {
            for (const Case& one : axis.cases) {
                const auto uri = one.set.find("target.uri");
                if (uri != one.set.end() && toText(uri->second) == "managed:mongodb")
                    arguments << "--set"
                              << QString("axis.%1[%2].target.uri=%3")
                                     .arg(QString::fromStdString(axis.name), QString::fromStdString(one.label), mongoTarget());
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
        if (toml.find("managed:mariadb") != std::string::npos && !has("managed:mariadb"))
            return QStringLiteral("no MariaDB server is installed");
        for (const char* version : {"5.7", "8.0"}) {
            const std::string uri = std::string("managed:mysql?version=") + version;
            if (toml.find(uri) != std::string::npos && !has(uri))
                return QStringLiteral("MySQL %1 is not installed").arg(QLatin1String(version));
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

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void runs_data()
    {
        QTest::addColumn<QString>("id");
        for (const RecipeInfo& recipe : recipes())
            QTest::newRow(recipe.id.c_str()) << QString::fromStdString(recipe.id);
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
        QStringList arguments{"run",   id,
                              "--size", "quick",
                              "--set",  id == "commits-mariadb" ? "load.time=2s" : "load.time=0.3s", // up to 10 000 rows a commit
                              "--set",  "load.warmup=0",
                              "--set",  "load.interval=0.1s",
                              "--library", library,
                              "--json", "--quiet"};
        // A whole MariaDB with its plugins, see ./test.
        const QString whole = qEnvironmentVariable("DYNO_TEST_MARIADB");
        if (id == "encryption-mariadb" && !whole.isEmpty())
            arguments << "--set" << "target.uri=managed:mariadb?basedir=" + whole;
        const Expected<Plan> plan = recipePlan(recipe.id);
        const WorkloadInfo* workload = plan ? findWorkload(plan->workload.name) : nullptr;
        QVERIFY(workload);
        // A commit of 1000 rows into compressed pages takes longer than the whole run where the machine is busy.
        const std::pair<const char*, int> few[] {{"table_size", 500}, {"nodes", 500},  {"initial_rows", 500},
                                                 {"customers", 60},   {"items", 200}, {"rows_per_commit", 20}};
        for (const auto& [name, value] : few) {
            if (std::ranges::any_of(workload->options, [name = name](const OptionSpec& option) { return option.name == name; }) &&
                !isAxis(*plan, std::string("workload.") + name))
                arguments << "--set" << QString("workload.%1=%2").arg(name).arg(value);
        }
        arguments << settingMongo(recipe);
        const DynoResult run = runDyno(m_dir, arguments, {}, 150'000);
        if (run.code != 0 && run.err.contains("file_key_management"))
            QSKIP("MariaDB's plugin file_key_management is not installed (package mariadb-server)");
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const QJsonArray points = QJsonDocument::fromJson(run.out.toUtf8()).object()["points"].toArray();
        QVERIFY(points.size() > 1);
        for (const QJsonValue& point : points) {
            const QJsonArray done = point["runs"].toArray();
            QVERIFY(!done.isEmpty());
            for (const QJsonValue& one : done) {
                QCOMPARE(one["status"].toString(), QString("done"));
                QVERIFY(one["transactions"].toDouble() > 0);
            }
        }
        const QString report = m_dir.filePath("report.md");
        const DynoResult exported = runDyno(m_dir, {"export", "last", "--library", library, "--markdown", report});
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const Published& published : plan->published)
            QVERIFY2(text.contains(published.source.c_str()), published.source.c_str());
        for (const Axis& axis : plan->axes)
            QVERIFY2(text.contains(axis.cases.front().label.c_str()), axis.name.c_str());
    }
};

QTEST_GUILESS_MAIN(TestRecipesRun)
#include "tst_recipes_run.moc"
