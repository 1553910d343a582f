// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a person or a script calls it, without a display.
#include "support/suite.h"
#include "widgets/sample_library.h"

#include <dyno/catalog.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

namespace dyno::tst_dynobench {

class TestDynobench : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    test::SampleLibrary m_library;
    QString m_id;

    struct Result
    {
        int code = -1;
        QString out, err;
    };
    Result run(const QStringList& arguments, int timeoutMs = 120000) const
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), m_dir.filePath(QStringLiteral("data")));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_dir.filePath(QStringLiteral("config")));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(DYNO_BIN_DIR "/dynobench"), arguments);
        Result result;
        if (!process.waitForFinished(timeoutMs)) {
            process.kill();
            process.waitForFinished();
            return result;
        }
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        result.out = QString::fromUtf8(process.readAllStandardOutput());
        result.err = QString::fromUtf8(process.readAllStandardError());
        return result;
    }
    [[nodiscard]] QString path(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    //! How the picture of a view of this name begins.
    [[nodiscard]] static QString fileName(const std::string& view)
    {
        QString name = QString::fromStdString(view).toLower().replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")),
                                                                      QStringLiteral("-"));
        return name.endsWith(QLatin1Char('-')) ? name.chopped(1) : name;
    }
    [[nodiscard]] QString library() const { return QString::fromStdString(m_library.file().string()); }

private slots:
    void initTestCase() { m_id = m_library.addShort("Exported"); }

    void withoutADisplayItSaysSo()
    {
        const Result result = run({});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(QStringLiteral("no display")), qPrintable(result.err));
        QVERIFY(result.err.contains(QStringLiteral("quickstart")));
    }
    void exportsAStoredSession()
    {
        const QString dir = path("pictures");
        const Result result =
            run({QStringLiteral("export"), m_id.left(13), QStringLiteral("--library"), library(),
                 QStringLiteral("--png"), dir, QStringLiteral("--svg"), dir, QStringLiteral("--pdf"), path("all.pdf"),
                 QStringLiteral("--size"), QStringLiteral("800x450"), QStringLiteral("--scale"), QStringLiteral("1"),
                 QStringLiteral("--theme"), QStringLiteral("dark")});
        QVERIFY2(result.code == 0, qPrintable(result.err));
        const QStringList pictures = QDir(dir).entryList({QStringLiteral("*.png")});
        QVERIFY(!pictures.isEmpty());
        for (const QString& name : pictures) {
            QCOMPARE(QImage(QDir(dir).filePath(name)).size(), QSize(800, 450));
            QVERIFY(QFile::exists(
                QDir(dir).filePath(QString(name).replace(QStringLiteral(".png"), QStringLiteral(".svg")))));
            QVERIFY(result.out.contains(name));
        }
        QVERIFY(QFile::exists(path("all.pdf")));
    }
    //! What the bars are is said once in a picture: in the second line of its chart.
    void captionsFitTheirCharts()
    {
        sample::Options options;
        options.intervals = 5;
        const std::string view = "baseline = \"OFF\"\n";
        options.plan.replace(
            options.plan.find(view), view.size(),
            view +
                "relative_to = \"baseline\"\nname = \"shares\"\n\n[[view]]\nname = \"middles\"\nmeasure = \"tps\"\nx = "
                "\"users\"\nseries = \"synchronous\"\ncentre = \"median\"\n");
        const QString id = m_library.add(options), dir = path("captions");
        const Result result =
            run({QStringLiteral("export"), id, QStringLiteral("--library"), library(), QStringLiteral("--svg"), dir});
        QVERIFY2(result.code == 0, qPrintable(result.err));
        for (const auto& [name, said] : {std::pair("shares", "ratio and its 95 % interval (Welch's t)"),
                                         std::pair("middles", "median of 2 runs")}) {
            QFile file(QDir(dir).filePath(QString::fromLatin1(name) + QStringLiteral(".svg")));
            QVERIFY2(file.open(QIODevice::ReadOnly), name);
            QString svg = QString::fromUtf8(file.readAll());
            svg.remove(QRegularExpression(QStringLiteral("<[^>]*>")))
                .replace(QRegularExpression(QStringLiteral("\\s+")), QStringLiteral(" "));
            QVERIFY2(svg.count(QString::fromUtf8(said)) == 1 && !svg.contains(QStringLiteral("Student")),
                     qPrintable(svg));
        }
    }
    void namedViewsOfRecipes_data()
    {
        QTest::addColumn<QString>("recipe");
        for (const char* id :
             {"shootout-mariadb", "scaling-mariadb", "version-scaling", "versions-mysql", "encryption-mariadb",
              "connections-mariadb", "less-slow-mariadb", "inserts-mariadb", "engines-mariadb", "compression-mariadb",
              "commits-mariadb", "commits-sqlite", "linkbench-mariadb", "isolation-mariadb", "brokerage-mariadb",
              "large-values-mariadb", "sensordata-mariadb", "doublewrite-mariadb", "fulltext-mariadb"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    //! The experiments that stand for all others (E06, E10, E12, E21, E22, E23, E29), and those of the workloads (E01
    //! to E04, E07, E14 to E17, E25, E27): each view of the plan has a name, a picture that bears it, and a table.
    void namedViewsOfRecipes()
    {
        QFETCH(QString, recipe);
        sample::Options options;
        options.intervals = 5;
        options.warmups = 1;
        for (const RecipeInfo& one : recipes())
            options.plan = one.id == recipe.toStdString() ? one.toml : options.plan;
        const Expected<Plan> plan = recipePlan(recipe.toStdString());
        QVERIFY(plan && plan->title != "What does durability cost?");
        QVERIFY(!plan->views.empty());
        const QString id = m_library.add(options);
        const QString dir = path("views-") + recipe, post = path("post-") + recipe + QStringLiteral(".md");
        const Result result = run({QStringLiteral("export"), id, QStringLiteral("--library"), library(),
                                   QStringLiteral("--svg"), dir, QStringLiteral("--markdown"), post});
        QVERIFY2(result.code == 0, qPrintable(result.err));
        const QStringList pictures = QDir(dir).entryList({QStringLiteral("*.svg")});
        for (const View& view : plan->views) {
            QVERIFY(!view.name.empty());
            const auto named =
                pictures.filter(QRegularExpression(QStringLiteral("^") + fileName(view.name) + QStringLiteral("[-.]")));
            QVERIFY2(!named.isEmpty(), view.name.c_str());
        }
        QFile file(post);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY(std::ranges::any_of(plan->views, [&text](const View& view) {
            return text.contains(
                QStringLiteral("| %1 |").arg(QString::fromStdString(view.x.empty() ? "users" : view.x)));
        }));
        for (const Axis& axis : plan->axes)
            QVERIFY2(text.contains(QString::fromStdString(axis.cases.front().label)), axis.name.c_str());
        const bool scaling = std::ranges::find(plan->views, "scaling", &View::chart) != plan->views.end();
        QCOMPARE(text.contains(QStringLiteral("one user, mean response |")), scaling);
    }
    //! E04 run for real, if only for a moment: each view draws all its cases, rows along x where it says so.
    void viewsOfARealRun()
    {
        const QString own = path("commits.dynolib"), dir = path("commits"), post = path("commits.md");
        QProcess dyno;
        dyno.start(QStringLiteral(DYNO_BIN_DIR "/dyno"),
                   {"run", "commits-sqlite", "--size", "quick", "--set", "load.time=3s", "--set", "load.rows=20000",
                    "--library", own, "--quiet"});
        QVERIFY(dyno.waitForFinished(120000));
        const QByteArray said = dyno.readAllStandardError();
        QVERIFY2(dyno.exitCode() == 0, said.constData());
        const Result result = run({QStringLiteral("export"), QStringLiteral("last"), QStringLiteral("--library"), own,
                                   QStringLiteral("--svg"), dir, QStringLiteral("--markdown"), post,
                                   QStringLiteral("--theme"), QStringLiteral("light")});
        QVERIFY2(result.code == 0, qPrintable(result.err));
        const Expected<Plan> plan = recipePlan("commits-sqlite");
        QVERIFY(plan && plan->axes.size() == 2);
        const QStringList pictures = QDir(dir).entryList({QStringLiteral("*.svg")});
        for (const View& view : plan->views) {
            const auto named =
                pictures.filter(QRegularExpression(QStringLiteral("^") + fileName(view.name) + QStringLiteral("[-.]")));
            QVERIFY2(!named.isEmpty(), view.name.c_str());
            QFile file(QDir(dir).filePath(named.front()));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString svg = QString::fromUtf8(file.readAll());
            for (const char* color : {"#0b63b0", "#c2500a"}) // with each commit, never
                QVERIFY2(svg.contains(QLatin1String(color), Qt::CaseInsensitive), qPrintable(named.front()));
            QCOMPARE(named.front().contains(QStringLiteral("over-rows")), view.over == "rows");
        }
        QFile file(post);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        QVERIFY2(text.contains(QStringLiteral("| rows to a commit | at each commit (baseline) | never |")),
                 qPrintable(text));
        for (const Case& one : plan->axes[0].cases) {
            const QRegularExpression row(QStringLiteral("^\\| %1 \\| [0-9]").arg(QString::fromStdString(one.label)),
                                         QRegularExpression::MultilineOption);
            QVERIFY2(row.match(text).hasMatch(), one.label.c_str());
        }
    }
    void exportsAFile()
    {
        const QString file = path("one.dyno");
        QVERIFY(m_library.open()->exportSession(m_id.toStdString(), file.toStdString()));
        const Result result = run({QStringLiteral("export"), file, QStringLiteral("--svg"), path("from-file")});
        QVERIFY2(result.code == 0, qPrintable(result.err));
        QVERIFY(!QDir(path("from-file")).entryList({QStringLiteral("*.svg")}).isEmpty());
    }
    void badInputIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("nothing to write") << QStringList{"export", m_id} << 2;
        QTest::newRow("size") << QStringList{"export", m_id, "--png", path("x"), "--size", "big"} << 2;
        QTest::newRow("theme") << QStringList{"export", m_id, "--png", path("x"), "--theme", "pink"} << 2;
        QTest::newRow("unknown option") << QStringList{"export", m_id, "--gif", path("x")} << 2;
        QTest::newRow("no folder") << QStringList{"tour"} << 2;
        QTest::newRow("scale") << QStringList{"tour", "--out", path("x"), "--scale", "3"} << 2;
        QTest::newRow("theme of pictures") << QStringList{"tour", "--out", path("x"), "--theme", "print"} << 2;
        QTest::newRow("no such recipe") << QStringList{"quickstart", "--out", path("x"), "--recipe", "no-such-recipe"}
                                        << 2;
    }
    void badInputIsRefused()
    {
        QFETCH(QStringList, arguments);
        const Result result = run(arguments + QStringList{QStringLiteral("--library"), library()});
        QTEST(result.code, "code");
        QVERIFY(!result.err.isEmpty());
    }
    void unknownSessionIsAnError()
    {
        const Result result = run({QStringLiteral("export"), QStringLiteral("ffffffff-0000"),
                                   QStringLiteral("--library"), library(), QStringLiteral("--png"), path("none")});
        QVERIFY(result.code == 1 || result.code == 2);
        QVERIFY(!result.err.isEmpty());
    }
    void tourRendersEveryPage()
    {
        const QString out = path("tour");
        const Result result = run({QStringLiteral("tour"), QStringLiteral("--out"), out}, 240000);
        QVERIFY2(result.code == 0, qPrintable(result.err));
        for (const char* page : {"start", "plan", "run", "run-pair", "sessions", "compare", "servers"}) {
            QImage light(QStringLiteral("%1/%2-light.png").arg(out, QLatin1String(page)));
            QImage dark(QStringLiteral("%1/%2-dark.png").arg(out, QLatin1String(page)));
            QCOMPARE(light.size(), QSize(1440, 900));
            QCOMPARE(dark.size(), QSize(1440, 900));
            QVERIFY2(light.pixelColor(1400, 6).lightness() > 200, page);
            QVERIFY2(dark.pixelColor(1400, 6).lightness() < 60, page);
        }
        // It neither needs nor touches what belongs to the user.
        QVERIFY(!QFile::exists(path("data/dynobench/library.dynolib")));
    }
    //! One theme, at another scale, in the language of developers.
    void tourAsOnAnotherScreen()
    {
        const QString out = path("other-tour");
        const Result result = run({QStringLiteral("tour"), QStringLiteral("--out"), out, QStringLiteral("--theme"),
                                   QStringLiteral("dark"), QStringLiteral("--size"), QStringLiteral("1280x800"),
                                   QStringLiteral("--scale"), QStringLiteral("1.5"), QStringLiteral("--pseudo")},
                                  240000);
        QVERIFY2(result.code == 0, qPrintable(result.err));
        const QStringList pictures = QDir(out).entryList({QStringLiteral("*.png")});
        QVERIFY(pictures.contains(QStringLiteral("plan-dark.png")));
        QVERIFY(pictures.filter(QStringLiteral("light")).isEmpty());
        for (const QString& name : pictures)
            QCOMPARE(QImage(QDir(out).filePath(name)).size(), QSize(1920, 1200));
    }
    void quickstartRunsForReal()
    {
        const QString out = path("quick");
        const QString own = path("quick.dynolib");
        const Result result = run({QStringLiteral("quickstart"), QStringLiteral("--out"), out, QStringLiteral("--size"),
                                   QStringLiteral("quick"), QStringLiteral("--library"), own},
                                  400000);
        QVERIFY2(result.code == 0, qPrintable(result.err));
        for (const char* name :
             {"run.png", "compare.png", "charts.pdf", "runs.csv", "table.md", "report.md", "session.dyno"})
            QVERIFY2(QFileInfo(QDir(out).filePath(QString::fromLatin1(name))).size() > 0, name);
        QVERIFY(!QDir(out).entryList({QStringLiteral("throughput*.svg")}).isEmpty());
        auto library = Library::open(own.toStdString(), Library::Mode::ReadOnly);
        QVERIFY2(library, library ? "" : library.error().text().c_str());
        const auto sessions = (*library)->sessions();
        QVERIFY(sessions);
        QCOMPARE(sessions->size(), std::size_t(1));
        QCOMPARE(sessions->front().status, RunStatus::Done);
        QVERIFY(sessions->front().runsDone >= 6);
        QFile table(QDir(out).filePath(QStringLiteral("table.md")));
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(table.readAll());
        for (const char* label : {"OFF", "NORMAL", "FULL"})
            QVERIFY(text.contains(QLatin1String(label)));
    }
};

} // namespace dyno::tst_dynobench

DYNO_SUITE(tst_dynobench, dyno::tst_dynobench::TestDynobench)
#include "tst_dynobench.moc"
