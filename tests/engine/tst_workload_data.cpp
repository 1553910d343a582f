// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a .workload file's tables from CSV files and lists of words, what generators draw, the same rows on each
// server and by each way to load, and that no file is read before somebody has agreed.
#include "base/packing.h"
#include "base/sha256.h"
#include "recording_sink.h"
#include "script_mistakes.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "workload/script/csv_file.h"
#include "workload/script/data_files.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"
#include "workload/workload.h"

#include <dyno/agreements.h>
#include <dyno/own_workloads.h>
#include <dyno/packed_file.h>
#include <dyno/preflight.h>
#include <dyno/script_file.h>
#include <dyno/scripts.h>
#include <dyno/trust.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <sys/inotify.h>
#include <unistd.h>

namespace dyno::tst_workload_data {
using namespace dyno::test;

namespace {

std::string tableWith(const std::string& table, const std::string& columns)
{
    return "+++\n[[tables]]\nname = \"t\"\n" + table + "\n[tables.columns]\n" + columns + "\n+++\nSELECT 1;\n";
}

std::string columnOf(const std::string& maker)
{
    return tableWith("rows = 5", "a = { type = \"INT\", " + maker + " }");
}

script::ColumnMaker makerOf(const std::string& column)
{
    const auto head = script::readHead(columnOf(column));
    if (!head || !*head)
        throw std::runtime_error(head ? "no head" : script::mistakeText(head.error()));
    return (*head)->tables.front().columns.front().maker;
}

//! The values of rows 1 to `rows`, as a load of seed 7 makes them.
std::vector<std::string> textsOf(const script::ColumnMaker& maker, int rows, const script::FromFile& file = {})
{
    std::vector<std::string> values;
    std::string text;
    for (int row = 1; row <= rows; ++row) {
        Random random = Random::forItem(7, 1, std::uint64_t(row));
        const Param value = maker.draw(row, random, text, file);
        values.push_back(value.type == Param::Type::Integer ? std::to_string(value.integer)
                         : value.type == Param::Type::Real  ? QByteArray::number(value.real, 'g', 17).toStdString()
                                                            : std::string(value.text));
    }
    return values;
}

//! Of counts against what was expected of each.
double chiSquare(const std::vector<double>& found, const std::vector<double>& expected)
{
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
    return sum;
}

//! Which is exceeded once in a thousand times with so many degrees of freedom (Wilson and Hilferty).
double rareChiSquare(double freedom)
{
    constexpr double kOneInAThousand = 3.090;
    const double part = 2 / (9 * freedom);
    return freedom * std::pow(1 - part + kOneInAThousand * std::sqrt(part), 3);
}

//! Of what rowsIn() gives, on each server.
constexpr const char* kRowsSha256 = "df5b562690e1737a293ef81f6365ece5ae0610788b8511d79af23c5259d4a696";
constexpr const char* kRowsHead = R"text(+++
[[tables]]
name = "t"
rows = 9000
seed = 11
csv = { file = "rows.csv", delimiter = ";" }
after = ["CREATE INDEX t_b ON t (b)"]
[tables.columns]
id = { type = "INT PRIMARY KEY", sequence = 1 }
number = { type = "INT" }
b = { type = "VARCHAR(20)", csv = "word" }
note = { type = "VARCHAR(40)", csv = 3 }
colour = { type = "VARCHAR(20)", words = "words.txt", s = 1, null = 0.1 }
price = { type = "DOUBLE PRECISION", normal = [50, 10], digits = 2 }
pieces = { type = "INT", normal = [50, 10], digits = 0 }
at = { type = "TIMESTAMP", time = ["2024-01-01 00:00:00", "2024-01-31 23:59:59"] }
code = { type = "VARCHAR(12)", hex = [4, 12] }
+++
SELECT number FROM t WHERE id = 3;
)text";

//! Opens and reads of a file since the last question.
class Watch
{
public:
    explicit Watch(const std::string& file)
        : m_fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
    {
        works = m_fd >= 0 && ::inotify_add_watch(m_fd, file.c_str(), IN_OPEN | IN_ACCESS) >= 0;
    }
    ~Watch() { ::close(m_fd); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    bool touched()
    {
        char events[4096];
        bool any = false;
        while (::read(m_fd, events, sizeof events) > 0)
            any = true;
        return any;
    }
    bool works = false;

private:
    int m_fd;
};

} // namespace

class TestWorkloadData : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    std::string write(const char* name, const QByteArray& text) const
    {
        QFile file(m_dir.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write a file of the test");
        return file.fileName().toStdString();
    }
    [[nodiscard]] std::string database(const char* name) const
    {
        return "sqlite:" + m_dir.filePath(QString::fromLatin1(name)).toStdString();
    }
    //! Of the script in a folder, as naming it makes one.
    static Plan planFor(const std::string& uri, const std::string& text, const std::filesystem::path& folder)
    {
        Plan plan = smallPlan(uri, "script");
        const auto params = scriptParams({{"own.workload", text, 1, false, folder}}, {});
        if (!params)
            throw std::runtime_error(params.error().text());
        plan.workload.params = *params;
        plan.load.timeSeconds = 0;
        plan.load.events = 5;
        return plan;
    }
    static RunSummary run(const Plan& plan, bool agreed = true)
    {
        RunnerOptions options;
        if (agreed)
            options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        return sink.summaries.empty() ? RunSummary() : sink.summaries.front();
    }
    static std::string whole(const std::string& uri, const std::string& query)
    {
        const TargetUri target = *parseUri(uri);
        auto admin = driverFor(target.scheme)->admin(ConnectTarget{.uri = target});
        const auto rows = admin ? (*admin)->query(query) : decltype((*admin)->query(query))();
        std::string text;
        for (const auto& row : rows.value_or(std::vector<std::vector<std::string>>())) {
            for (const std::string& value : row)
                text += value + '|';
            text += '\n';
        }
        return rows ? text : rows.error().text();
    }

    //! Of a table with rows of files, as text.
    [[nodiscard]] std::string rowsIn(const std::string& uri, int loaders, const char* bulk) const
    {
        QByteArray csv = "number;word;note\n";
        for (int i = 0; i < 700; ++i)
            csv += QByteArray::number(i * 3) + ";\"w;" + QByteArray::number(i) + "\";" +
                   (i % 4 == 0   ? ""
                    : i % 4 == 1 ? "\"a\tb\\c\nd \"\"e\"\"\""
                    : i % 4 == 2 ? "Köln"
                                 : "\"\"") +
                   "\n";
        write("rows.csv", csv);
        write("words.txt", "red\nlight blue\nback\\slash\n");
        Plan plan = planFor(uri, kRowsHead, m_dir.path().toStdString());
        plan.workload.prepare = PreparePolicy::Always;
        plan.load.loaders = loaders;
        plan.load.seed = std::uint64_t(loaders); // the table has one of its own
        if (bulk)
            plan.set["connection.bulk_load"] = std::string(bulk);
        const RunSummary summary = run(plan);
        return summary.status != RunStatus::Done
                   ? summary.reason
                   : whole(uri, "SELECT id, number, b, COALESCE(note, '-'), COALESCE(colour, '-'), "
                                "CAST(ROUND(price * 100) AS INTEGER), pieces, at, code FROM t ORDER BY id");
    }
    //! As in a SQLite file; else it says where they differ first.
    [[nodiscard]] bool isTheSame(const std::string& rows) const
    {
        if (sha256Of(rows) == kRowsSha256)
            return true;
        const std::string first = rowsIn(database("first.db"), 1, nullptr);
        const auto other = std::ranges::mismatch(rows, first);
        const auto from = std::size_t(std::max<std::ptrdiff_t>(0, other.in1 - rows.begin() - 60));
        qWarning("%s / %s", rows.substr(from, 120).c_str(), first.substr(std::min(from, first.size()), 120).c_str());
        return false;
    }

private slots:
    void mistakesHaveTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mistake");
        const auto row = [](const char* name, const std::string& text, const char* mistake) {
            QTest::newRow(name) << QString::fromStdString(text) << mistake;
        };
        row("whole path", columnOf("words = \"/etc/passwd\""), "line 6, column 29: \"/etc/passwd\" leads out of");
        row("upwards", columnOf("words = \"a/../../b\""), "line 6, column 29: \"a/../../b\" leads out of");
        row("workload", columnOf("words = \"other.workload\""), "line 6, column 29: this cannot be the name of a file");
        row("hidden", columnOf("words = \"a/.ssh/b\""), "line 6, column 29: this cannot be the name of a file");
        row("odd name", columnOf("words = \"a=b\""), "line 6, column 29: this cannot be the name of a file");
        row("no name", columnOf("words = 3"), "line 6, column 29: \"words\" is no text");
        row("no file", columnOf("csv = \"a\""), "line 6, column 27: the table reads no CSV file");
        row("digits", columnOf("normal = [1, 2], digits = 16"), "line 6, column 47: \"digits\" is out of range");
        row("stray digits", columnOf("sequence = 1, digits = 2"), "line 6, column 44: \"digits\" has no place here");
        row("no time", columnOf("time = [\"2020-01-01 00:00:00\", \"2020-01-01 24:00:00\"]"),
            "line 6, column 52: this is no time");
        row("turned", columnOf("time = [\"2020-01-01 00:00:01\", \"2020-01-01 00:00:00\"]"),
            "line 6, column 52: the end is below the beginning");
        row("long", columnOf("hex = [1, 100001]"), "line 6, column 27: lengths are from 0 to 100000");
        row("too many ranks", columnOf("zipf = [0, 4503599627370496]"),
            "line 6, column 28: the ends are too far apart"); // would be drawn without an end
        row("no fraction", columnOf("uniform = [-1e308, 1e308]"), "line 6, column 31: the ends are too far apart");
        row("no rows", tableWith("seed = 1", "a = { type = \"INT\", sequence = 1 }"),
            "line 2, column 1: \"rows\" is missing");
        row("seed", tableWith("rows = 1\nseed = \"x\"", "a = { type = \"INT\", sequence = 1 }"),
            "line 5, column 8: this is no whole number");
        row("delimiter", tableWith("csv = { file = \"a.csv\", delimiter = \"--\" }", "a = { type = \"INT\" }"),
            "line 4, column 37: \"delimiter\" is no character");
        row("csv key", tableWith("csv = { file = \"a.csv\", quote = \"x\" }", "a = { type = \"INT\" }"),
            "line 4, column 33: unknown key \"quote\"");
        row("csv path", tableWith("csv = \"../a.csv\"", "a = { type = \"INT\" }"),
            "line 4, column 7: \"../a.csv\" leads out of");
        row("name without header",
            tableWith("csv = { file = \"a.csv\", header = false }", "a = { type = \"INT\", csv = \"b\" }"),
            "line 6, column 27: a file without a header");
        row("column 0", tableWith("csv = \"a.csv\"", "a = { type = \"INT\", csv = 0 }"),
            "line 6, column 27: columns count from 1");
        row("two ways",
            tableWith("csv = \"a.csv\"", "a = { type = \"INT\" }\nb = { type = \"INT\", words = \"a.csv\" }"),
            "line 7, column 29: \"a.csv\" is read in another way above");
    }
    void mistakesHaveTheirPlace() { checkScriptMistake(); }

    //! RFC 4180, with what its text gives as examples, and what programs write beside it.
    void recordsAreRead_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("records"); // fields in brackets, NULL as -
        const auto row = [](const char* name, const char* text, const char* records) {
            QTest::newRow(name) << QByteArray(text) << QString::fromUtf8(records);
        };
        row("plain", "a,b\naaa,bbb\nzzz,yyy\n", "[aaa][bbb] [zzz][yyy]");
        row("carriage returns", "a,b\r\naaa,bbb\r\nzzz,yyy", "[aaa][bbb] [zzz][yyy]");
        row("quotes", "a,b,c\n\"aaa\",\"b,bb\",ccc", "[aaa][b,bb][ccc]");
        row("line break in quotes", "a,b\n\"b \r\nbb\",\"ccc\"\r\n", "[b \r\nbb][ccc]");
        row("doubled quotes", "a,b\n\"b\"\"bb\",\"\"\"\"\n", "[b\"bb][\"]");
        row("nothing and empty", "a,b,c\n,\"\",\n", "[-][][-]");
        row("quote within", "a,b\n3.5\" disk,x\n", "[3.5\" disk][x]");
        row("blanks count", "a,b\n a , b \n", "[ a ][ b ]");
        row("byte order mark",
            "\xEF\xBB\xBF"
            "a,b\n1,2\n",
            "[1][2]");
        row("empty lines", "\na,b\n\n1,2\n\r\n3,4\n\n", "[1][2] [3][4]");
        row("returns alone", "a,b\n1,2\n\r\r\n3,4\n\r\r", "[1][2] [3][4]");
        row("one column", "a\n1\n\n3\n", "[1] [-] [3]");
        row("one column, empty end", "a\n1\n\n3\n\n\r\n\r", "[1] [-] [3]");
        row("UTF-8", "a,b\nKöln,\"Gdańsk\"\n", "[Köln][Gdańsk]");
    }
    void recordsAreRead()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, records);
        const auto file = script::CsvFile::open(write("r.csv", text), {}, {});
        QVERIFY2(file, file ? "" : file.error().c_str());
        script::CsvCursor cursor(**file);
        QStringList found;
        for (std::int64_t i = 0; i < (*file)->records(); ++i) {
            const auto* fields = cursor.read(i);
            QVERIFY(fields);
            QString record;
            for (const script::CsvField& field : *fields)
                record += "[" + (field.null ? QString("-") : QString::fromStdString(field.text)) + "]";
            found << record;
        }
        QCOMPARE(found.join(' '), records);
        QCOMPARE((*file)->header().front(), std::string("a"));
        QCOMPARE((*file)->sha256(), sha256Of(text.toStdString()));
    }
    void otherFormsAreRead()
    {
        const std::string path = write("o.csv", "1;N;a\n2;\"N\";\n");
        const auto file = script::CsvFile::open(path, {.delimiter = ';', .header = false, .null = "N"}, {});
        QVERIFY(file);
        QCOMPARE((*file)->records(), std::int64_t(2));
        QVERIFY((*file)->header().empty());
        script::CsvCursor cursor(**file);
        const auto* second = cursor.read(1);
        QVERIFY(second && !(*second)[1].null && (*second)[1].text == "N");
        QVERIFY(!(*second)[2].null && (*second)[2].text.empty());
        QVERIFY((*cursor.read(0))[1].null);
    }
    //! Parts are read as they are needed, in any order.
    void recordsAreFoundByNumber()
    {
        QByteArray text = "n,t\n";
        for (int i = 0; i < 1000; ++i)
            text += QByteArray::number(i) + ",\"" + QByteArray(i % 37, 'x') + "\n\"\"\"\n" + (i % 5 == 0 ? "\n" : "");
        const auto file = script::CsvFile::open(write("n.csv", text), {}, {});
        QVERIFY2(file, file ? "" : file.error().c_str());
        QCOMPARE((*file)->records(), std::int64_t(1000));
        script::CsvCursor cursor(**file);
        for (int i = 0; i < 3000; ++i) {
            const std::int64_t number = i < 1000 ? i : std::int64_t(i) * 7919 % 1000;
            const auto* fields = cursor.read(number);
            QVERIFY(fields);
            QCOMPARE((*fields)[0].text, std::to_string(number));
            QCOMPARE((*fields)[1].text, std::string(std::size_t(number % 37), 'x') + "\n\"");
        }
    }
    //! A part has 64 records and 1 MiB, and its last record, whatever lies between the records.
    void partsAreShort()
    {
        QByteArray text = "n,t\n0,\n" + QByteArray(3 << 20, '\n');
        for (int i = 1; i < 100; ++i)
            text += QByteArray::number(i) + "," + QByteArray(50'000, 'x') + "\n";
        const auto file = script::CsvFile::open(write("l.csv", text), {}, {});
        QVERIFY2(file, file ? "" : file.error().c_str());
        QCOMPARE((*file)->records(), std::int64_t(100));
        script::CsvCursor cursor(**file);
        for (const int number : {0, 1, 2, 99, 50, 0, 21, 22, 23}) {
            const auto* fields = cursor.read(number);
            QVERIFY(fields);
            QCOMPARE((*fields)[0].text, std::to_string(number));
            QVERIFY2(cursor.bytes() < (std::size_t(1) << 20) + 50'100, std::to_string(cursor.bytes()).c_str());
        }
    }
    //! Whatever the scanner takes, the cursor finds: as many records, each with as many fields.
    void whatIsScannedIsRead()
    {
        constexpr std::string_view kLetters = ",\n\r\"a";
        Random random(1);
        int taken = 0;
        for (int i = 0; i < 400; ++i) {
            QByteArray text;
            for (int at = i % 24; at >= 0; --at)
                text += kLetters[std::size_t(random.uniform(0, std::int64_t(kLetters.size()) - 1))];
            const auto file = script::CsvFile::open(write("z.csv", text), {.header = i % 2 == 0}, {});
            if (!file)
                continue;
            ++taken;
            script::CsvCursor cursor(**file);
            for (std::int64_t record = 0; record < (*file)->records(); ++record) {
                const auto* fields = cursor.read(record);
                QVERIFY2(fields && fields->size() == (*file)->columns(), text.toPercentEncoding().constData());
            }
        }
        QVERIFY2(taken > 30, std::to_string(taken).c_str());
    }
    //! Also where its records have the same form.
    void aChangeWhileRowsAreMadeIsSeen()
    {
        const std::string path = write("p.csv", "a,b\n1,2\n3,4\n");
        const auto file = script::CsvFile::open(path, {}, {});
        QVERIFY(file);
        write("p.csv", "a,b\n1,2\n3,5\n");
        std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
        script::CsvCursor cursor(**file);
        QVERIFY(!cursor.read(0));
    }
    void faultyFilesSayWhere_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* name, const char* text, const char* problem) {
            QTest::newRow(name) << QByteArray(text) << problem;
        };
        row("too few", "a,b\n1,2\n3\n", "line 3: the record has 1 field, and the first one has 2");
        row("too many", "a,b\n\"x\ny\",2\n3,4,5\n", "line 4: the record has 3 fields");
        row("open quote", "a,b\n1,\"2\n3,4\n", "line 2: a quote is not closed");
        row("behind a quote", "a,b\n1,2\n\"3\" ,4\n", "line 3: text behind a closing quote");
        row("nothing", "", "has no records");
        row("header alone", "a,b\n", "has no records");
    }
    void faultyFilesSayWhere()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, problem);
        const auto file = script::CsvFile::open(write("f.csv", text), {}, {});
        QVERIFY(!file);
        QVERIFY2(QString::fromStdString(file.error()).contains(problem), file.error().c_str());
    }
    void onlyRegularFilesAreRead()
    {
        QVERIFY(!script::CsvFile::open(m_dir.path().toStdString(), {}, {}));
        QVERIFY(!script::WordList::open("/dev/zero")); // would have no end
        QVERIFY(!script::WordList::open(write("e.txt", "\n\r\n")));
        const auto list = script::WordList::open(write("w.txt", "\xEF\xBB\xBFred\r\n\nlight blue\ngreen"));
        QVERIFY(list);
        QCOMPARE((*list)->size(), std::int64_t(3));
        QCOMPARE((*list)->at(1), std::string_view("light blue"));
        int asked = 0;
        const auto stopped = script::CsvFile::open(write("s.csv", "a\n1\n"), {}, [&asked] { return ++asked > 1; });
        QVERIFY(!stopped && stopped.error().empty());
    }

    void linesNameFiles_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("found"); // or the beginning of what is wrong
        const QString sha = QString(64, 'a');
        QTest::newRow("plain") << "a.csv = /x/a b.csv\n\n b/c.txt=/y"
                               << "a.csv:/x/a b.csv:: b/c.txt:/y::";
        QTest::newRow("facts") << "a.csv = 12 " + sha + " /x/a.csv"
                               << "a.csv:/x/a.csv:12:" + sha;
        QTest::newRow("not whole") << "a.csv = x/a.csv"
                                   << "\"a.csv = x/a.csv\" names no file by its full path";
        QTest::newRow("half a fact") << "a.csv = 12 /x"
                                     << "\"a.csv = 12 /x\" names no file by its full path";
        QTest::newRow("no name") << "= /x"
                                 << "\"= /x\" names no file";
        QTest::newRow("no path") << "a.csv"
                                 << "\"a.csv\" names no file";
        QTest::newRow("twice") << "a = /x\na = /y"
                               << "\"a\" is named twice";
    }
    void linesNameFiles()
    {
        QFETCH(QString, text);
        QFETCH(QString, found);
        const auto entries = script::readFileEntries(text.toStdString());
        if (!entries) {
            QVERIFY2(QString::fromStdString(entries.error()).startsWith(found), entries.error().c_str());
            return;
        }
        QStringList all;
        for (const script::FileEntry& entry : *entries)
            all << QString("%1:%2:%3:%4")
                       .arg(QString::fromStdString(entry.name), QString::fromStdString(entry.path),
                            entry.records ? QString::number(*entry.records) : QString(),
                            QString::fromStdString(entry.sha256));
        QCOMPARE(all.join(' '), found);
    }

    //! Against the shares that their formulas give, by chi-square with one wrong alarm in a thousand, for a fixed seed.
    void valuesAreDistributedAsTheySay()
    {
        constexpr int kRows = 20'000, kWords = 25;
        QByteArray words;
        for (int i = 0; i < kWords; ++i)
            words += "w" + QByteArray::number(i) + "\n";
        const auto list = script::WordList::open(write("d.txt", words));
        QVERIFY(list);
        const auto counted = [](const std::vector<std::string>& texts) {
            std::vector<double> counts(kWords);
            for (const std::string& text : texts)
                ++counts[std::size_t(std::stoi(text.substr(1)))];
            return counts;
        };
        const std::vector<double> even(kWords, double(kRows) / kWords);
        const auto uniform =
            counted(textsOf(makerOf("words = \"d.txt\""), kRows, {.words = list->get(), .ranks = {}, .field = {}}));
        QVERIFY(chiSquare(uniform, even) < rareChiSquare(kWords - 1));
        double zeta = 0;
        std::vector<double> shares;
        for (int rank = 1; rank <= kWords; ++rank)
            zeta += std::pow(rank, -0.9);
        for (int rank = 1; rank <= kWords; ++rank)
            shares.push_back(kRows * std::pow(rank, -0.9) / zeta);
        const script::ColumnMaker ranked = makerOf("words = \"d.txt\", s = 0.9");
        DistributionSpec spec;
        spec.kind = DistributionKind::Zipfian;
        spec.zipfianExponent = *ranked.exponent;
        const Distribution ranks(spec, 1, kWords);
        const auto zipf = counted(textsOf(ranked, kRows, {.words = list->get(), .ranks = &ranks, .field = {}}));
        QVERIFY(chiSquare(zipf, shares) < rareChiSquare(kWords - 1));
        QVERIFY(chiSquare(zipf, even) > rareChiSquare(kWords - 1)); // the test can fail

        std::vector<double> digits(16);
        for (const std::string& text : textsOf(makerOf("hex = [4, 4]"), kRows / 4)) {
            QCOMPARE(text.size(), std::size_t(4));
            for (const char c : text)
                ++digits[std::string_view("0123456789abcdef").find(c)];
        }
        QVERIFY(chiSquare(digits, std::vector<double>(16, kRows / 16.0)) < rareChiSquare(15));

        std::vector<double> hours(24);
        for (const std::string& text :
             textsOf(makerOf("time = [\"2024-02-29 00:00:00\", \"2024-02-29 23:59:59\"]"), kRows)) {
            QVERIFY(text.starts_with("2024-02-29 ") && text.size() == 19);
            ++hours[std::size_t(std::stoi(text.substr(11, 2)))];
        }
        QVERIFY(chiSquare(hours, std::vector<double>(24, kRows / 24.0)) < rareChiSquare(23));
    }
    void fractionsAreRounded()
    {
        for (const std::string& text : textsOf(makerOf("normal = [50, 10], digits = 2"), 200))
            QCOMPARE(QByteArray::number(std::stod(text), 'f', 2).toDouble(), std::stod(text));
        const script::ColumnMaker whole = makerOf("normal = [50, 10], digits = 0");
        QCOMPARE(whole.type(), Param::Type::Integer);
        QCOMPARE(makerOf("uniform = [1, 6], digits = 0").kind, script::ColumnMaker::Kind::UniformInteger);
        QCOMPARE(makerOf("uniform = [1, 6], digits = 1").type(), Param::Type::Real);
        const auto times = textsOf(makerOf("time = [\"1969-12-31 23:59:59\", \"1969-12-31 23:59:59\"]"), 1);
        QCOMPARE(times.front(), std::string("1969-12-31 23:59:59")); // before 1970 too
    }

    //! In bulk, but where a server may refuse there what it rounds in an INSERT.
    void rowsGoInBulk()
    {
        DriverInfo driver = driverFor("sqlite")->info();
        driver.sql.loadsPrepared = false;
        const auto bulkRows = [&driver](const std::string& text) {
            const auto bound =
                workloadFor("script")->bind({{"scripts", text}, {"schema", std::string("none")}}, driver, {});
            return bound ? (*bound)->tables().front().bulkRowsPerSlice : -1;
        };
        QVERIFY(bulkRows(columnOf("uniform = [1, 9]")) > 0);
        QVERIFY(bulkRows(columnOf("uniform = [0.5, 9.5], digits = 0")) > 0);
        QCOMPARE(bulkRows(columnOf("uniform = [0.5, 9.5]")), std::int64_t(0));
        QVERIFY(bulkRows(tableWith("rows = 1", "a = { type = \"Double\", uniform = [0.5, 9.5] }")) > 0);
        driver.sql.loadsPrepared = true; // it has nothing faster than statements
        QCOMPARE(bulkRows(columnOf("uniform = [1, 9]")), std::int64_t(0));
    }

    //! One checksum for all servers, ways to load and numbers of sessions.
    void rowsAreTheSameInSqlite()
    {
        const std::string rows = rowsIn(database("one.db"), 1, nullptr);
        QVERIFY2(rows.starts_with("1|0|w;0|-|"), rows.substr(0, 80).c_str());
        QVERIFY(rows.find("\n702|3|w;1|a\tb\\c\nd \"e\"|") != std::string::npos); // the second time round
        QCOMPARE(sha256Of(rows), std::string(kRowsSha256));
        QCOMPARE(sha256Of(rowsIn(database("four.db"), 4, nullptr)), std::string(kRowsSha256));
    }
    void rowsAreTheSameInMariadb()
    {
        MariadbFixture mariadb;
        DYNO_START_MARIADB(mariadb);
        QVERIFY(isTheSame(rowsIn(mariadb.uriText(), 1, nullptr)));
        QVERIFY(isTheSame(rowsIn(mariadb.uriText(), 4, nullptr)));
        QVERIFY(isTheSame(rowsIn(mariadb.uriText(), 4, "off")));
    }
    void rowsAreTheSameInPostgresql()
    {
        PostgresqlFixture postgresql;
        DYNO_START_POSTGRESQL(postgresql);
        QVERIFY(isTheSame(rowsIn(postgresql.uriText(), 4, nullptr)));
        QVERIFY(isTheSame(rowsIn(postgresql.uriText(), 1, "off")));
    }

    void allRecordsAreTheRows()
    {
        write("all.csv", "id,name\n1,a\n2,b\n3,\n");
        const std::string text = tableWith("csv = \"all.csv\"", "id = { type = \"INT PRIMARY KEY\" }\n"
                                                                "name = { type = \"VARCHAR(9)\" }");
        const std::string uri = database("all.db");
        const RunSummary summary = run(planFor(uri, text, m_dir.path().toStdString()));
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QCOMPARE(whole(uri, "SELECT id, COALESCE(name, '-') FROM t"), std::string("1|a|\n2|b|\n3|-|\n"));
    }

    //! The example of the manual.
    void theSampleRuns()
    {
        const std::filesystem::path folder = DYNO_SOURCE_DIR "/resources/sample/shop";
        QFile file(QString::fromStdString((folder / "shop.workload").string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string uri = database("shop.db");
        const RunSummary summary = run(planFor(uri, file.readAll().toStdString(), folder));
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QVERIFY(summary.errors.empty());
        QCOMPARE(whole(uri, "SELECT COUNT(*), COUNT(note) FROM products"), std::string("10|5|\n"));
        QCOMPARE(whole(uri, "SELECT name FROM products WHERE number = 2"), std::string("Screen 24\"|\n"));
    }

    //! Whoever writes a plan can name any file: none is opened before this person agreed.
    void nothingIsReadWithoutAWord()
    {
        const std::string secret = write("secret.txt", "a\nsecret\n");
        Plan plan = smallPlan(database("trust.db"), "script");
        plan.workload.params = {{"scripts", tableWith("csv = \"x.csv\"\nrows = 1", "a = { type = \"VARCHAR(9)\" }")},
                                {"schema", std::string("none")},
                                {"files", "x.csv = " + secret}};
        plan.load.timeSeconds = 0;
        plan.load.events = 5;
        Watch watch(secret);
        QVERIFY(watch.works);
        QVERIFY(checkPlan(plan).empty());
        bool named = false;
        Consent others;
        for (const Risk& risk : risksOf(plan)) {
            named = named || (risk.key == "workload.files" && risk.value == "x.csv = " + secret);
            if (risk.key != "workload.files")
                others.allow(risk);
        }
        QVERIFY(named);
        // The window and the command line look first whether it was agreed to before.
        recallAgreed(plan, risksOf(plan), others, m_dir.filePath("agreements").toStdString());
        RunnerOptions options;
        options.consent = others;
        RecordingSink sink;
        runPlan(plan, options, sink);
        QVERIFY(sink.summaries.empty());
        QVERIFY(!QFile::exists(m_dir.filePath("trust.db")));
        (void)preflight(plan, options);
        QVERIFY(!watch.touched());
        const RunSummary summary = run(plan);
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QVERIFY(watch.touched()); // the watch sees it
        QCOMPARE(whole(database("trust.db"), "SELECT a FROM t"), std::string("secret|\n"));
    }
    void aHeadAloneReachesNoFile()
    {
        Plan plan = smallPlan(database("none.db"), "script");
        plan.workload.params = {{"scripts", tableWith("csv = \"x.csv\"", "a = { type = \"INT\" }")},
                                {"schema", std::string("none")}};
        const Faults faults = checkPlan(plan);
        QVERIFY(!faults.empty());
        QVERIFY2(faults.front().what.find("reads \"x.csv\", and the plan names no such file") != std::string::npos,
                 faults.front().what.c_str());
        plan.workload.params["files"] = std::string("x.csv = /nowhere/x.csv");
        QVERIFY(!checkPlan(plan).empty()); // its number of rows is not known
        const auto withRecords = [&plan](const char* records) {
            plan.workload.params["files"] =
                std::string("x.csv = ") + records + " " + std::string(64, 'a') + " /nowhere/x.csv";
            return checkPlan(plan).empty();
        };
        QVERIFY(withRecords("1000000000000"));
        QVERIFY(!withRecords("1000000000001"));
        QVERIFY(!withRecords("9223372036854775807"));
    }
    //! A plan's number of records is compared with those that are there, as the head may read them otherwise by now.
    void recordsAreCounted()
    {
        write("count.csv", "1,a\n2,b\n");
        const auto text = [](const char* header) {
            return tableWith(std::string("csv = { file = \"count.csv\", header = ") + header + " }",
                             "id = { type = \"INT PRIMARY KEY\", csv = 1 }");
        };
        Plan plan = planFor(database("count.db"), text("false"), m_dir.path().toStdString());
        plan.workload.params["scripts"] = text("true");
        RunnerOptions options;
        options.consent.allow("all");
        const auto done = prepareData(plan, options, {});
        QVERIFY(!done);
        QVERIFY2(done.error().text().find("count.csv has 1 records, and workload.files says 2") != std::string::npos,
                 done.error().text().c_str());
    }
    void namedFilesLieInTheFolder()
    {
        const std::string text = tableWith("rows = 2", "a = { type = \"VARCHAR(9)\", words = \"sub/w.txt\" }");
        QVERIFY(QDir(m_dir.path()).mkpath("home/sub"));
        const std::filesystem::path home = m_dir.filePath("home").toStdString();
        const auto params = [&] { return scriptParams({{"own.workload", text, 1, false, home}}, {}); };
        const auto missing = params();
        QVERIFY(!missing);
        QCOMPARE(missing.error().where, std::string("own.workload:6:36"));
        write("w.txt", "one\ntwo\n");
        QVERIFY(QFile::link(m_dir.filePath("w.txt"), m_dir.filePath("home/sub/w.txt")));
        const auto linked = params();
        QVERIFY(!linked);
        QVERIFY2(linked.error().message.find("a link that leads out") != std::string::npos,
                 linked.error().message.c_str());
        QVERIFY(QFile::remove(m_dir.filePath("home/sub/w.txt")));
        write("home/sub/w.txt", "one\ntwo\n");
        const auto found = params();
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(textOf(*found, "files"), "sub/w.txt = 2 " + sha256Of("one\ntwo\n") + " " +
                                              std::filesystem::canonical(home / "sub/w.txt").string());
    }
    //! Whoever lists workloads names their files each time.
    void unchangedFilesAreReadOnce()
    {
        const std::string text = tableWith("rows = 2", "a = { type = \"VARCHAR(9)\", words = \"once.txt\" }");
        const std::string path = write("once.txt", "one\n");
        const auto files = [&] {
            const auto params = scriptParams({{"own.workload", text, 1, false, m_dir.path().toStdString()}}, {});
            return params ? textOf(*params, "files") : params.error().text();
        };
        const auto makeOld = [&path](int seconds) { // one that is new may be written to in the same moment
            std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() -
                                                       std::chrono::seconds(seconds));
        };
        makeOld(100);
        QVERIFY(files().find(sha256Of("one\n")) != std::string::npos);
        Watch watch(path);
        QVERIFY(watch.works);
        QVERIFY(files().find(sha256Of("one\n")) != std::string::npos);
        QVERIFY(!watch.touched());
        write("once.txt", "two\n");
        makeOld(50);
        QVERIFY(watch.touched());
        QVERIFY(files().find(sha256Of("two\n")) != std::string::npos);
        QVERIFY(watch.touched());
    }
    //! Other content is other data, and a plan means the content that it was made with.
    void changedFilesAreSeen()
    {
        const std::string text = tableWith("rows = 3", "a = { type = \"VARCHAR(9)\", words = \"c.txt\" }");
        const std::string uri = database("changed.db");
        write("c.txt", "old\n");
        Plan before = planFor(uri, text, m_dir.path().toStdString());
        QCOMPARE(run(before).status, RunStatus::Done);
        write("c.txt", "new\n");
        QCOMPARE(run(before).status, RunStatus::Done); // its data is there
        QCOMPARE(whole(uri, "SELECT DISTINCT a FROM t"), std::string("old|\n"));
        before.workload.prepare = PreparePolicy::Always;
        RunnerOptions options;
        options.consent.allow("all");
        const auto again = prepareData(before, options, {});
        QVERIFY(!again);
        QVERIFY2(again.error().text().find("is no longer the file that the plan was made with") != std::string::npos,
                 again.error().text().c_str());
        const Plan after = planFor(uri, text, m_dir.path().toStdString());
        QCOMPARE(run(after).status, RunStatus::Done);
        QCOMPARE(whole(uri, "SELECT DISTINCT a FROM t"), std::string("new|\n"));
        QVERIFY(script::filesDigest(text, before.workload.params) != script::filesDigest(text, after.workload.params));
    }
    //! A plan runs where the files are not, makes the same rows there, and asks about nothing but its statements.
    void filesGoInsideThePlan()
    {
        QByteArray csv = "id,note\n";
        for (int i = 0; i < 300; ++i)
            csv += QByteArray::number(i) + ",\"note\n" + QByteArray::number(i * 7) + "\"\n";
        const std::string rows = write("in.csv", csv), words = write("in.txt", "one\ntwo\nthree\n");
        const std::string text =
            tableWith("csv = \"in.csv\"", "id = { type = \"INT\" }\nnote = { type = \"VARCHAR(20)\" }\n"
                                          "word = { type = \"VARCHAR(9)\", words = \"in.txt\" }");
        const std::filesystem::path folder = m_dir.path().toStdString();
        Plan plan = planFor(database("in1.db"), text, folder);
        QCOMPARE(run(plan).status, RunStatus::Done); // by their paths
        const std::string byPath = whole(database("in1.db"), "SELECT * FROM t ORDER BY id");
        QCOMPARE(std::ranges::count(byPath, '|'), 900);
        Settings before = plan.workload.params;
        plan.workload.params = scriptParams({{"own.workload", text, 1, false, folder}}, {}, &plan.files).value();
        QCOMPARE(textOf(plan.workload.params, "files"),
                 "in.csv = 300 " + sha256Of(csv.toStdString()) + "\nin.txt = 3 " + sha256Of("one\ntwo\nthree\n"));
        QCOMPARE(plan.files.size(), std::size_t(2));
        // Data that was loaded by the paths is the same data.
        QCOMPARE(script::filesDigest(text, before), script::filesDigest(text, plan.workload.params));
        plan.target.uri = database("in2.db");
        const std::string toml = writePlan(plan);
        QVERIFY(toml.size() < 5'000);
        plan = {};
        QVERIFY(QFile::remove(QString::fromStdString(rows)) && QFile::remove(QString::fromStdString(words)));
        QVERIFY(!PackedFile::find(sha256Of("one\ntwo\nthree\n"))); // no plan has it
        ParsedPlan parsed = parsePlan(toml, "elsewhere.toml");
        QVERIFY2(parsed.plan, parsed.faults.empty() ? "" : parsed.faults.front().what.c_str());
        QCOMPARE(writePlan(*parsed.plan), toml);
        for (const Risk& risk : risksOf(*parsed.plan))
            QVERIFY2(risk.key == "workload.scripts", risk.key.c_str());
        const RunSummary summary = run(*parsed.plan);
        QVERIFY2(summary.status == RunStatus::Done, summary.reason.c_str());
        QCOMPARE(whole(database("in2.db"), "SELECT * FROM t ORDER BY id"), byPath);
        // As a workload of one's own its files lie beside it again.
        const std::filesystem::path own = folder / "own";
        const auto saved = saveWorkload(own, "inside", textOf(parsed.plan->workload.params, "scripts"), {}, false,
                                        textOf(parsed.plan->workload.params, "files"));
        QVERIFY2(saved, saved ? "" : saved.error().text().c_str());
        QCOMPARE(script::regularFile((own / "in.txt").string(), 100).value_or(""), std::string("one\ntwo\nthree\n"));
        // A list of workloads, and a script that is opened, name files by their paths, which a person is asked about.
        const auto asksFor = [](const Settings& params, const std::filesystem::path& path) {
            Plan opened;
            opened.target.uri = "sqlite:never.db";
            opened.workload.name = kScriptWorkload;
            opened.workload.params = params;
            return std::ranges::any_of(risksOf(opened), [&path](const Risk& risk) {
                return risk.key == "workload.files" && risk.value.find(path.string()) != std::string::npos;
            });
        };
        QVERIFY(asksFor(ownWorkload(own, "inside").value().params, std::filesystem::canonical(own / "in.txt")));
        const auto opened = openScriptFile(own / "inside.workload");
        QVERIFY(opened && !opened->mistake);
        QVERIFY(asksFor(opened->params, std::filesystem::canonical(own / "in.txt")));
        // With another script the content goes.
        parsed.plan->workload.params = {{"scripts", std::string("SELECT 1;")}, {"schema", std::string("none")}};
        QVERIFY(writePlan(*parsed.plan).find("[files]") == std::string::npos);
    }
    //! As far as they have room; the others are asked about.
    void largeFilesStayOutside()
    {
        QByteArray lines;
        for (int i = 0; lines.size() < 3 << 20; ++i)
            lines += QByteArray::number(i % 1000) + '\n';
        write("big1.txt", lines);
        write("big2.txt", lines + "more\n");
        write("small.txt", "one\n");
        QByteArray noise;
        Random random = Random::forItem(1, 1, 1);
        while (noise.size() < 3 << 20) // packed to no less than its size
            noise += char('!' + int(random.next() % 94)), noise += noise.size() % 60 == 59 ? "\n" : "";
        write("noise.txt", noise);
        const auto inside = [this](const char* first, const char* second) {
            const std::string text =
                tableWith("rows = 2", fmt::format("a = {{ type = \"VARCHAR(99)\", words = \"{}\" }}\n"
                                                  "b = {{ type = \"VARCHAR(99)\", words = \"{}\" }}",
                                                  first, second));
            Plan plan = planFor(database("large.db"), text, m_dir.path().toStdString());
            plan.workload.params =
                scriptParams({{"own.workload", text, 1, false, m_dir.path().toStdString()}}, {}, &plan.files).value();
            const std::string lines = textOf(plan.workload.params, "files");
            bool asked = false;
            for (const Risk& risk : risksOf(plan))
                asked = asked || (risk.key == "workload.files" && risk.value == lines);
            if (asked != (lines.find('/') != std::string::npos) || !parsePlan(writePlan(plan), "p").plan)
                return std::string("the plan is wrong");
            std::string names;
            const script::FileEntries entries = script::readFileEntries(lines).value();
            for (const script::FileEntry& one : entries)
                names += one.path.empty() ? one.name + " " : "";
            return names;
        };
        QCOMPARE(inside("big1.txt", "small.txt"), std::string("big1.txt small.txt "));
        QCOMPARE(inside("big1.txt", "big2.txt"), std::string("big1.txt "));
        QCOMPARE(inside("noise.txt", "small.txt"), std::string("small.txt "));
    }
    //! A stranger's plan is read within bounds, and says which content is wrong.
    void contentOfPlansIsChecked()
    {
        const std::string text = tableWith("rows = 2", "a = { type = \"VARCHAR(9)\", words = \"w.txt\" }");
        const auto faultOf = [&](const std::string& digits, const std::string& content, const std::string& more = {}) {
            const std::string toml = fmt::format(
                "[target]\nuri = \"sqlite:never.db\"\n[workload]\nname = \"script\"\nparams = {{ schema = \"none\", "
                "files = \"w.txt = 1 {}\", scripts = '''\n{}''' }}\n[files]\n{} = \"{}\"\n{}",
                sha256Of("one\n"), text, digits, content, more);
            const ParsedPlan parsed = parsePlan(toml, "p");
            std::string all;
            for (const Fault& fault : parsed.faults)
                all += fmt::format("{}:{} {}\n", fault.line, fault.where, fault.what);
            return all;
        };
        const auto packed = [](const std::string& plain) { return base64(deflated(plain, 9)); };
        const std::string one = packed("one\n"), digits = sha256Of("one\n");
        QCOMPARE(faultOf(digits, one), std::string());
        QCOMPARE(faultOf(digits, one.substr(0, 4) + "\\n " + one.substr(4)), std::string()); // as editors break lines
        const auto has = [](const std::string& faults, const std::string& what) {
            if (faults.find(what) == std::string::npos)
                qWarning("%s", faults.c_str());
            return faults.find(what) != std::string::npos;
        };
        QVERIFY(has(faultOf(digits, "no!"), "files." + digits + " the content of a file is no base64"));
        QVERIFY(has(faultOf(digits, one.substr(0, 8)), "the content of a file is damaged, or larger than"));
        QVERIFY(has(faultOf(digits, base64(deflated("one\n", 9) + "more")), "is damaged"));
        QVERIFY(has(faultOf(digits, packed("two\n")), "the content has the SHA-256 " + sha256Of("two\n")));
        // Another content than the one that the head reads.
        QVERIFY(has(faultOf(sha256Of("two\n"), packed("two\n")), "the plan does not have the content of w.txt"));
        // A few kilobytes that would become far more.
        const std::string bomb(std::size_t(64) << 20, 'a');
        QVERIFY(has(faultOf(sha256Of(bomb), packed(bomb)), "larger than the 4194304 bytes that remain of 4 MiB"));
        const std::string half(std::size_t(3) << 20, 'b'), other(std::size_t(3) << 20, 'c');
        QVERIFY(has(faultOf(sha256Of(half), packed(half), sha256Of(other) + " = \"" + packed(other) + "\"\n"),
                    "larger than the 1048576 bytes that remain"));
        QVERIFY(has(faultOf(digits, one, sha256Of("x") + " = 5\n"), "this is no content of a file"));
    }
    void missingColumnsAreNamed()
    {
        write("m.csv", "id,name\n1,a\n");
        const std::string text = tableWith("csv = \"m.csv\"", "id = { type = \"INT\" }\nwhat = { type = \"INT\" }");
        RunnerOptions options;
        options.consent.allow("all");
        const auto done = prepareData(planFor(database("m.db"), text, m_dir.path().toStdString()), options, {});
        QVERIFY(!done);
        QVERIFY2(done.error().text().find("m.csv has no column \"what\"; its header has: id, name") !=
                     std::string::npos,
                 done.error().text().c_str());
    }
};

} // namespace dyno::tst_workload_data

DYNO_SUITE(tst_workload_data, dyno::tst_workload_data::TestWorkloadData)
#include "tst_workload_data.moc"
