// SPDX-License-Identifier: GPL-3.0-or-later
// Imported sessions in a library: what is kept, what is absent, and what must not be said aloud.
#include "import_test.h"
#include "support/suite.h"

#include <dyno/export.h>
#include <dyno/rerun.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QTemporaryDir>

#include <array>

namespace dyno::tst_import_library {

namespace {

std::string artefactOf(Library& library, const std::string& session, std::string_view name)
{
    std::string content;
    const auto read = library.artefact(session, name, [&content](std::string_view piece) {
        content += piece;
        return true;
    });
    return read ? content : std::string();
}

//! What is kept of where the figures come from.
QJsonObject originOf(Library& library, const std::string& session)
{
    return QJsonDocument::fromJson(QByteArray::fromStdString(artefactOf(library, session, "import.json"))).object();
}

} // namespace

class TstImportLibrary : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        QVERIFY(m_dir.isValid());
        m_library = std::filesystem::path(m_dir.path().toStdString()) / (std::to_string(++m_count) + ".dynolib");
    }

    void becomesASession()
    {
        const ImportResult result = importedMust(importResults(m_library, {importData("sysbench-oltp.log")}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        const StoredSession session = importedMust(library->session(result.session));
        QCOMPARE(session.info.title, "sysbench 1.0.20: sysbench-oltp.log");
        QCOMPARE(session.header.software, "sysbench 1.0.20");
        QCOMPARE(session.info.source, "imported: sysbench-oltp.log");
        QCOMPARE(session.info.tags, std::vector<std::string>{"imported"});
        QVERIFY(session.info.notes.find("it cannot be run again from here") != std::string::npos);
        QCOMPARE(session.info.status, RunStatus::Done);
        QCOMPARE(session.runs.size(), std::size_t(1));
        const RunSummary& stored = session.runs.front().summary;
        const RunSummary& read = result.preview.runs.front().summary;
        QCOMPARE(stored.tps, read.tps);
        QCOMPARE(stored.told, read.told);
        QVERIFY(stored.origin.find("sysbench 1.0.20") == 0);
        QVERIFY(std::isnan(stored.response.p95Ms)); // absent, not 0
        const auto intervals = importedMust(library->intervals(session.runs.front().id));
        QCOMPARE(intervals.size(), result.preview.runs.front().intervals);
        QCOMPARE(session.runs.front().header.counters.front().source, std::string(kStatedSource));
        QVERIFY(intervals.front().counters.front() > 0); // p95 of the first second
        QVERIFY(intervals.front().transaction.service.empty());
    }

    void keepsTheOriginal()
    {
        const ImportResult result = importedMust(importResults(m_library, {importData("sysbench-oltp.log")}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        const std::string kept = artefactOf(*library, result.session, "sysbench-oltp.log");
        std::ifstream file(importData("sysbench-oltp.log"), std::ios::binary);
        QCOMPARE(kept, std::string((std::istreambuf_iterator<char>(file)), {}));
        const QJsonObject origin = originOf(*library, result.session);
        const StoredSession stored = importedMust(library->session(result.session));
        QVERIFY(isImported(stored) && wasImported(stored.info) && wasImported(stored.header.plan));
        QVERIFY(!wasImported(Plan()));
        QVERIFY(origin["format"].toString() == "sysbench" && origin["latency"].toString() == "service");
        QVERIFY(!library->artefact(result.session, "other", [](std::string_view) { return true; }));
    }

    void travelsInADynoFile()
    {
        const ImportResult result = importedMust(importResults(m_library, {importData("pgbench.log")}, {}));
        const auto file = std::filesystem::path(m_dir.path().toStdString()) / "one.dyno";
        QVERIFY(importedMust(Library::open(m_library, Library::Mode::ReadOnly))->exportSession(result.session, file));
        const auto opened = importedMust(Library::open(file, Library::Mode::ReadOnly));
        QCOMPARE(originOf(*opened, result.session)["format"].toString(), QString("pgbench"));
        QCOMPARE(importedMust(opened->session(result.session)).runs.front().summary.tps, 609.074225);
    }

    // Absent figures stay absent in what is exported.
    void nothingBecomesZero()
    {
        const ImportResult result = importedMust(importResults(m_library, {importData("pgbench.log")}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        const StoredSession session = importedMust(library->session(result.session));
        const RunSetting setting = settingOf(session, session.runs.front());
        const auto mean = measureOf(session.runs.front().summary, setting, "service_mean");
        QVERIFY(mean && *mean == 6.481);
        for (const char* measure :
             {"service_p95", "service_p99", "response_p95", "data_bytes", "cpu_us_per_op", "rows", "found"}) {
            const auto figure = measureOf(session.runs.front().summary, setting, measure);
            QVERIFY2(!figure || !std::isfinite(*figure), measure);
        }
    }

    //! Neither JSON nor CSV says 0 where the file says nothing.
    void exportsLeaveOutWhatIsNotTold()
    {
        const ImportResult bench = importedMust(importResults(m_library, {importData("pgbench.log")}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        const StoredSession session = importedMust(library->session(bench.session));
        const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(sessionJson(session)));
        const QJsonValue run = json["points"][0]["runs"][0];
        QCOMPARE(run["service_ms"]["mean"].toDouble(), 6.481);
        for (const char* key : {"p50", "p95", "p99", "max"})
            QVERIFY2(run["service_ms"].toObject().contains(QLatin1String(key)) &&
                         run["service_ms"][QLatin1String(key)].isNull(),
                     key);
        QVERIFY(run["response_ms"]["mean"].isNull());
        for (const char* key : {"reconnects", "arrivals", "rows", "found", "queries", "qps"})
            QVERIFY2(run.toObject().contains(QLatin1String(key)) && run[QLatin1String(key)].isNull(), key);
        for (const char* key : {"cpu_us_per_op", "rss_bytes", "late_starts", "limited"})
            QVERIFY2(run["client"][QLatin1String(key)].isNull(), key);
        QVERIFY(run["transactions"].toDouble() > 0 && run["tps"].toDouble() > 0);
        QVERIFY(run["measured_by"].toString().startsWith("pgbench"));

        const auto fields = [](const std::string& csv) {
            const QStringList lines = QString::fromStdString(csv).split('\n');
            QMap<QString, QString> map;
            const QStringList names = lines.value(0).split(','), values = lines.value(1).split(',');
            for (qsizetype i = 0; i < names.size(); ++i)
                map[names[i]] = values.value(i);
            return map;
        };
        const auto row = fields(runsCsv(session));
        QCOMPARE(row["service mean (ms)"], QString("6.481000"));
        for (const char* key : {"service p95 (ms)", "response p95 (ms)", "operations", "reconnects", "arrivals",
                                "changed rows", "generator CPU (µs/operation)", "generator memory (bytes)",
                                "data (bytes)", "client limited", "late starts", "lock waits"})
            QVERIFY2(row.contains(QString::fromUtf8(key)) && row[QString::fromUtf8(key)].isEmpty(), key);
        const QString longCsv = QString::fromStdString(runsLongCsv(session));
        QVERIFY(longCsv.contains(",service mean,ms,6.481"));
        for (const char* part : {",response ", ",reconnects,", ",memory,", "service p95"})
            QVERIFY2(!longCsv.contains(QLatin1String(part)), part);
        const auto intervals = importedMust(library->intervals(session.runs.front().id));
        const auto first = fields(intervalsCsv(session.runs.front(), intervals));
        for (const char* key :
             {"response p95 (ms)", "generator CPU (s)", "generator memory (bytes)", "backlog", "arrivals"})
            QVERIFY2(first.contains(QLatin1String(key)) && first[QLatin1String(key)].isEmpty(), key);
    }

    //! "not told" is not one user, and there is nothing to run again.
    void usersThatAreNotToldAreNoNumber()
    {
        const auto file = written(m_dir.path(), "bare.csv", "second,tps\n1,100\n2,120\n");
        ImportOptions options;
        options.format = "csv";
        options.map = {{"time", "second"}, {"throughput", "tps"}};
        const ImportResult result = importedMust(importResults(m_library, {file}, options));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        const StoredSession session = importedMust(library->session(result.session));
        const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(sessionJson(session)));
        QVERIFY(json["points"][0].toObject().contains("users"));
        QVERIFY(json["points"][0]["users"].isNull());
        QCOMPARE(json["points"][0]["runs"][0]["tps"].toDouble(), 110.0);
        QVERIFY(json["points"][0]["runs"][0]["errors"].isNull());
        const auto again = rerunOf(session, {}, "dynobench 1");
        QVERIFY(!again);
        QVERIFY(again.error().message.find("another tool measured") != std::string::npos);
    }

    void filesTogetherAreOneSession()
    {
        ImportOptions options;
        options.title = "two";
        const ImportResult result = importedMust(importResults(
            m_library, {importData("sysbench-oltp.log"), importData("sysbench-no-percentile.log")}, options));
        QCOMPARE(result.preview.runs.size(), std::size_t(2));
        QCOMPARE(result.preview.runs[1].users, 8);
        const auto mixed = importResults(m_library, {importData("sysbench-oltp.log"), importData("pgbench.log")}, {});
        QVERIFY(!mixed && mixed.error().kind == ErrorKind::BadInput);
        QCOMPARE(importedMust(importedMust(Library::open(m_library, Library::Mode::ReadOnly))->sessions()).size(),
                 std::size_t(1));
    }

    void cancelChangesNothing()
    {
        int calls = 0;
        const auto result = importResults(m_library, {importData("sysbench-oltp.log")}, {},
                                          [&calls](const ImportProgress& p) { return ++calls < 2 || p.total == 0; });
        QVERIFY(!result && result.error().kind == ErrorKind::Interrupted);
        std::error_code ignored;
        if (std::filesystem::exists(m_library, ignored))
            QVERIFY(importedMust(importedMust(Library::open(m_library, Library::Mode::ReadOnly))->sessions()).empty());
    }

    void passwordsAreHidden()
    {
        std::string text =
            "option h with value 'db1'\noption p with value 'hunter2'\n<Parameters>\n       [pass]: hunter2\n"
            "password=hunter2 --mysql-password=hunter2\n{\"password\": \"hunter2\", \"x\": 1}\n"
            "mysql://me:hunter2@db1/test\ndict mysql_pass hunter2 mysql_port 3306\nbypassed 12\n";
        std::ifstream data(importData("tpcc-mysql.txt"));
        text += std::string((std::istreambuf_iterator<char>(data)), {});
        const ImportResult result =
            importedMust(importResults(m_library, {written(m_dir.path(), "tpcc.txt", text)}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        std::string all = importedMust(library->session(result.session)).info.notes;
        for (const ArtefactInfo& one : importedMust(library->artefacts(result.session))) {
            importedMust(library
                             ->artefact(result.session, one.name,
                                        [&all](std::string_view piece) {
                                            all += piece;
                                            return true;
                                        })
                             .map([] { return 0; }));
        }
        for (const UnknownLine& line : result.preview.origin.unknown)
            all += line.text;
        QVERIFY2(all.find("hunter2") == std::string::npos, all.c_str());
        QVERIFY(all.find("*******") != std::string::npos);
        QVERIFY(all.find("mysql_port 3306") != std::string::npos && all.find("bypassed 12") != std::string::npos);
    }

    // Letters, digits and signs that end a word elsewhere; each form as a program prints it or a shell has it.
    void passwordsOfAnySignsAreHidden()
    {
        const std::string secret = "S3cr@t,x;y|z)&}]#1";
        const std::array<std::string, 14> forms = {"sysbench --mysql-password=" + secret + " --threads=4 run",
                                                   "MYSQL_PWD=" + secret + " mysqldump --threads=4 db",
                                                   "export PGPASSWORD=" + secret + "\nthreads=4 --threads=4",
                                                   "./tpcc_start -h db1 -uroot -p" + secret + " --threads=4",
                                                   "./tpcc_start -h db1 -u root -p " + secret + " --threads=4",
                                                   "mysql -h db1 -p" + secret + " --threads=4",
                                                   "/usr/bin/mariadb -p'" + secret + " a b' --threads=4",
                                                   "mysql.password=" + secret + "\n --threads=4",
                                                   "-p db.passwd=" + secret + " -p x=1 --threads=4",
                                                   "  [pass]: " + secret + "\n --threads=4",
                                                   "sh '--password=" + secret + " and more' --threads=4",
                                                   "{\"password\": \"" + secret + "\", \"x\": \" --threads=4\"}",
                                                   "mysql://me:S3cr,x;y@db1/test --threads=4",
                                                   "CREATE USER u IDENTIFIED BY '" + secret + "'; --threads=4"};
        std::string text;
        for (const std::string& form : forms)
            text += "# " + form + "\n";
        // what is no secret stays, also in one long line of JSON and in lists
        text += "# {\"pass\":true,\"tps\":512.5}\n# ?user=me&password=a&time=60\n# mysql -P 3306 -p db\n";
        const ImportResult result = importedMust(importResults(
            m_library,
            {written(m_dir.path(), "run.log", text + "sysbench 1.0.20\n[ 1s ] thds: 4 eps: 1.00 lat (ms,95%): 1.00\n")},
            {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadOnly));
        std::string kept;
        importedMust(library
                         ->artefact(result.session, "run.log",
                                    [&kept](std::string_view piece) {
                                        kept += piece;
                                        return true;
                                    })
                         .map([] { return 0; }));
        std::size_t threads = 0;
        for (std::size_t at = kept.find("--threads=4"); at != std::string::npos; at = kept.find("--threads=4", at + 1))
            ++threads;
        for (const UnknownLine& line : result.preview.origin.unknown)
            kept += line.text;
        for (const char* part : {"S3cr", "t,x", "x;y", "y|z", "z)", "}]#", "and more", "a b'", "#1"})
            QVERIFY2(kept.find(part) == std::string::npos, kept.c_str());
        QCOMPARE(threads, forms.size());
        for (const char* part : {"\"tps\":512.5", "&time=60", "-P 3306 -p db", "/test"})
            QVERIFY2(kept.find(part) != std::string::npos, kept.c_str());
    }

    void namesThatAreNoUtf8()
    {
        const auto file = written(m_dir.path(), "m\xfc.log",
                                  "sysbench 1.0.20\n[ 1s ] thds: 4 eps: 1.00 lat (ms,95%): 1.00\nwhat is this\n");
        const ImportResult result = importedMust(importResults(m_library, {file}, {}));
        QCOMPARE(result.preview.origin.files.front(), "m?.log");
        QCOMPARE(result.preview.origin.unknown.front().file, "m?.log");
    }

    void damagedCompression()
    {
        std::string text = "\x1f\x8b\x08";
        text += std::string(1000, 'x');
        const auto refused = detectImportFormat(written(m_dir.path(), "bad.gz", text));
        QVERIFY(!refused && refused.error().kind == ErrorKind::BadInput);
        QVERIFY2(refused.error().text().find("damaged") != std::string::npos, refused.error().text().c_str());
    }

    void warmupCannotBeMoved()
    {
        const ImportResult result = importedMust(importResults(m_library, {importData("sysbench-oltp.log")}, {}));
        const auto library = importedMust(Library::open(m_library, Library::Mode::ReadWrite));
        const auto moved =
            library->moveWarmupEnd(importedMust(library->session(result.session)).runs.front().id, 2'000'000'000);
        QVERIFY(!moved && moved.error().kind == ErrorKind::BadInput);
    }

private:
    QTemporaryDir m_dir;
    std::filesystem::path m_library;
    int m_count = 0;
};

} // namespace dyno::tst_import_library

DYNO_SUITE(tst_import_library, dyno::tst_import_library::TstImportLibrary)
#include "tst_import_library.moc"
