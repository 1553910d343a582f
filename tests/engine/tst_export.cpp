// SPDX-License-Identifier: GPL-3.0-or-later
// Posts, pages, captions, histogram logs, tidy tables; the same bytes each time, and no half file on a full disk.
#include "base/packing.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/file_content.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/export.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>
#include <algorithm>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <ranges>
#include <sstream>
#include <sys/resource.h>

namespace dyno::tst_export {
using dyno::test::contentOf;
using dyno::test::must;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

int countOf(const std::string& text, std::string_view part)
{
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

//! The payload of an encoded histogram, unpacked: deflate streams of different zlibs may differ, what is in them not.
QByteArray unpacked(const QByteArray& base64)
{
    const QByteArray bytes = QByteArray::fromBase64(base64);
    if (bytes.size() < 8 || qFromBigEndian<quint32>(bytes.constData()) != 0x1c849314u ||
        qFromBigEndian<quint32>(bytes.constData() + 4) != quint32(bytes.size() - 8))
        return {};
    QByteArray withLength(4, '\0');
    qToBigEndian<quint32>(65536, withLength.data());
    return qUncompress(withLength + bytes.mid(8));
}

//! Counts from the payload: ZigZag LEB128, a negative number is a row of zeros (one zero is written as 0 or as −1).
std::vector<qint64> countsOf(const QByteArray& payload)
{
    std::vector<qint64> counts;
    for (qsizetype at = 40; at < payload.size();) {
        quint64 value = 0;
        for (int i = 0; i < 9 && at < payload.size(); ++i) {
            const auto byte = quint64(uchar(payload[at++]));
            value |= (i == 8 ? byte : byte & 0x7f) << (7 * i);
            if (i < 8 && byte < 0x80)
                break;
        }
        const auto number = qint64(value >> 1) ^ -qint64(value & 1);
        if (number < 0)
            counts.insert(counts.end(), std::size_t(-number), 0);
        else
            counts.push_back(number);
    }
    return counts;
}

//! Writing beyond `bytes` fails as on a full disk, as long as this lives.
class SmallDisk
{
public:
    explicit SmallDisk(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit small = m_before;
        small.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &small);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~SmallDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

} // namespace

class TestExport : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    std::unique_ptr<Library> m_library;
    StoredSession m_session;

    std::vector<ReportPicture> pictures() const
    {
        return {
            {"Throughput", "pictures/throughput.svg", "image/svg+xml", "<svg xmlns='x'><script>bad()</script></svg>"}};
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        const fs::path file = m_dir.filePath("a.dynolib").toStdString();
        auto writer = must(SessionWriter::open(file));
        sample::Options options;
        options.openLoop = true;
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
        m_library = must(Library::open(file, Library::Mode::ReadWrite));
        QVERIFY(m_library->setNotes(options.id, "Asked by **Wilma**:\n\n- first\n- second <b>not bold</b>"));
        m_session = must(m_library->session(options.id));
    }

    //! tests/data/hdr_v2.txt: what HdrHistogram's Python port makes of the same values.
    void histogramsAsOthersEncodeThem()
    {
        int cases = 0;
        for (const std::string& line : linesOf(contentOf(DYNO_TEST_DATA "/hdr_v2.txt"))) {
            const QList<QByteArray> parts = QByteArray::fromStdString(line).split(' ');
            IntervalSample sample;
            sample.lengthNs = 1'000'000'000;
            for (const QByteArray& part : parts.mid(1)) {
                const QList<QByteArray> pair = part.split('=');
                sample.transaction.service.record(pair.at(0).toULongLong(), pair.at(1).toULongLong());
            }
            const std::string log = hdrLog(m_session, m_session.runs[0], {sample}, LatencyKind::Service);
            const std::string last = linesOf(log).back();
            const QByteArray own = QByteArray::fromStdString(last.substr(last.rfind(',') + 1));
            QVERIFY(!unpacked(own).isEmpty());
            const QByteArray wanted = unpacked(parts.at(0));
            QCOMPARE(unpacked(own).left(4).toHex(), wanted.left(4).toHex());
            QCOMPARE(unpacked(own).mid(8, 32).toHex(), wanted.mid(8, 32).toHex());
            QCOMPARE(countsOf(unpacked(own)), countsOf(wanted));
            QCOMPARE(qFromBigEndian<quint32>(unpacked(own).constData() + 4), quint32(unpacked(own).size() - 40));
            ++cases;
        }
        QCOMPARE(cases, 7);
    }

    void histogramLog()
    {
        const auto intervals = must(m_library->intervals(m_session.runs[0].id));
        const auto lines = linesOf(hdrLog(m_session, m_session.runs[0], intervals, LatencyKind::Service));
        QVERIFY(std::ranges::count(lines, "#[Histogram log format version 1.3]") == 1);
        QVERIFY(has(lines[1], m_session.info.id) && has(lines[1], "run 1"));
        QVERIFY(has(lines[2], "service times"));
        QVERIFY(lines[4].starts_with("#[StartTime: 1763652200.000 (seconds since epoch)"));
        const std::size_t operations = m_session.runs[0].header.operations.size();
        QVERIFY(operations > 0);
        QCOMPARE(lines.size(), 7 + 18 * (1 + operations)); // 2 of 20 intervals are warm-up
        QVERIFY(lines[7].starts_with("1.000,0.500,"));     // the first that was measured
        QVERIFY(lines[8].starts_with("Tag=" + m_session.runs[0].header.operations[0].name + ",1.000,0.500,"));
        const std::string response = hdrLog(m_session, m_session.runs[0], intervals, LatencyKind::Response);
        QVERIFY(has(response, "response times"));
        QCOMPARE(countOf(response, "Tag="), 0); // of single operations only service times were measured
        const auto files = must(exportHdr(*m_library, m_session, m_dir.filePath("hdr").toStdString()));
        QCOMPARE(files.size(), std::size_t(24));
        QCOMPARE(files[1].filename().string(), std::string("run-1-response.hlog"));
        QCOMPARE(contentOf(files[1]), response);
    }

    void tidyTable()
    {
        const auto lines = linesOf(runsLongCsv(m_session));
        QCOMPARE(lines[0],
                 std::string("session,run,point,synchronous,users,repeat,product,version,status,operation,measure,unit,"
                             "value (in unit)"));
        const std::string row = fmt::format("{},1,1,OFF,1,1,SQLite,3.40.1,done,transaction,service p99.9,ms,{:.6f}",
                                            m_session.info.id, m_session.runs[0].summary.service.p999Ms);
        QCOMPARE(std::ranges::count(lines, row), 1);
        for (const std::string& line : lines)
            QCOMPARE(std::ranges::count(line, ','), 12);
        QCOMPARE(
            std::ranges::count_if(lines, [](const std::string& l) { return has(l, ",transaction,throughput,1/s,"); }),
            12);
    }

    //! Labels, titles and errors may be a stranger's: none of them may act when the table is opened.
    void noFormulas()
    {
        for (const char* plain : {"", "-0.5", "-1e-05", "sqlite:a=b"})
            QCOMPARE(csvField(plain), std::string(plain));
        QCOMPARE(csvField("-1+1"), std::string("'-1+1"));
        QCOMPARE(csvField("=HYPERLINK(\"a\",1)"), std::string("\"'=HYPERLINK(\"\"a\"\",1)\""));
        QCOMPARE(csvField("two\nlines"), std::string("\"two\nlines\""));
        StoredSession hostile = m_session;
        for (PointSpec& point : hostile.header.points) {
            for (CaseRef& one : point.cases)
                one.label = "=HYPERLINK(\"http://x\",\"y\")";
        }
        hostile.runs[0].header.server.product = "@SUM(1)";
        hostile.runs[0].summary.reason = "+cmd|' /C calc'!A0";
        hostile.runs[0].summary.place = "\t=1";
        hostile.runs[0].summary.remedy = "-2+3";
        for (const std::string& text : {runsCsv(hostile), runsLongCsv(hostile)}) {
            QVERIFY2(has(text, ",\"'=HYPERLINK(\"\"http://x\"\""), text.c_str());
            QVERIFY(has(text, ",'@SUM(1),"));
            for (const char* start : {",=", ",\"=", ",+", ",@", ",\t", "\n="})
                QVERIFY2(!has(text, start), start);
        }
        QVERIFY(has(runsCsv(hostile), ",'+cmd|' /C calc'!A0,") && has(runsCsv(hostile), ",'\t=1,'-2+3,"));
    }

    void caption()
    {
        const auto lines = captionLines({m_session});
        QCOMPARE(lines.size(), std::size_t(4));
        QCOMPARE(lines[0], std::string("SQLite 3.40.1"));
        QVERIFY2(has(lines[1], "synchronous OFF / NORMAL / FULL"), lines[1].c_str());
        QCOMPARE(lines[2],
                 std::string("load generator: AMD EPYC 9354P, 4 cores, 8.00 GiB, Debian GNU/Linux 12 (bookworm)"));
        QCOMPARE(lines[3], std::string("2 runs a point, 9 s measured after 1 s of warm-up; intervals where shown: 95 % "
                                       "of the mean by Student's t, from runs"));
        StoredSession one = m_session;
        one.runs.resize(1);
        one.runs[0].summary.clientLimited = true;
        QVERIFY(has(captionOf({one}),
                    "no intervals, these need two runs; the load generator was the limit in 1 of 1 runs"));
        // Runs that ended by something else than the plan's time say how long they took.
        StoredSession other = m_session;
        other.runs.resize(2);
        const auto askForRows = [&other](std::uint64_t rows) {
            for (PointSpec& point : other.header.points)
                point.load.rows = rows;
        };
        askForRows(5000);
        for (StoredRun& run : other.runs)
            run.summary.rows = 5000;
        other.runs[0].summary.seconds = 4.126;
        other.runs[1].summary.seconds = 5.5;
        QVERIFY2(has(captionOf({other}), ", 5000 rows, 4.13 to 5.5 s measured after"), captionOf({other}).c_str());
        other.runs[1].summary.rows = 900;
        QVERIFY2(has(captionOf({other}), ", 900 to 5000 of 5000 rows, 4.13 to 5.5 s measured after"),
                 captionOf({other}).c_str());
        askForRows(0);
        other.runs[1].summary.seconds = 4.126;
        QVERIFY2(has(captionOf({other}), "a point, 4.13 s measured after"), captionOf({other}).c_str());
        one.runs.clear();
        QVERIFY(has(captionOf({one}), "no run is complete"));
        StoredSession late = m_session;
        late.runs[0].summary.arrivals = 1'000'000;
        late.runs[0].summary.backlog = 2'000;
        QVERIFY2(
            has(captionOf({late}), "; arrivals that were not served by the end, in no percentile, in 1 of 12 runs"),
            captionOf({late}).c_str());
        // With the charts that it stands under, it says what their bars are.
        PivotRequest request;
        QVERIFY2(captionOf({m_session}, {pivot({m_session}, request)})
                     .ends_with("; mean and 95 % interval (Student's t) of 2 runs"),
                 captionOf({m_session}, {pivot({m_session}, request)}).c_str());
        request.relativeTo = RelativeTo::Baseline;
        QVERIFY(captionOf({m_session}, {pivot({m_session}, request)})
                    .ends_with("; ratio and its 95 % interval (Welch's t) of 2 runs"));
        StoredSession relative = m_session;
        relative.header.plan.views.front().relativeTo = RelativeTo::Baseline;
        QVERIFY(captionOf({relative}).find("of the mean by") == std::string::npos &&
                has(captionOf({relative}), "Welch"));
        QVERIFY(has(markdownPost({relative}, {}), "; ratio and its 95 % interval (Welch's t) of 2 runs"));
    }

    //! What stands around a picture: which session, which data, and nothing that the chart itself says.
    void aroundAPicture()
    {
        const PictureText text = pictureText({m_session}, {pivot({m_session}, {})});
        QCOMPARE(text.title, m_session.info.title);
        QVERIFY2(text.facts.starts_with(m_session.header.plan.workload.name), text.facts.c_str());
        QVERIFY2(!has(text.caption, "interval") && text.caption.ends_with("2 runs a point, 9 s measured after 1 s of "
                                                                          "warm-up"),
                 text.caption.c_str());
        QVERIFY2(!has(text.caption, "load.users"), text.caption.c_str());
        StoredSession sized = m_session;
        const auto set = [&sized](const char* name, std::int64_t value) {
            for (PointSpec& point : sized.header.points) {
                point.workload.name = "oltp_update_index";
                point.workload.params[name] = value;
            }
        };
        set("tables", 1); // as it is without being said
        set("table_size", 1'000'000);
        QVERIFY2(has(pictureText({sized}).facts, "oltp_update_index, ") &&
                     has(pictureText({sized}).facts, "table_size = 1") && has(pictureText({sized}).facts, " of data") &&
                     !has(pictureText({sized}).facts, "tables ="),
                 pictureText({sized}).facts.c_str());
        sized.header.points.back().workload.params["table_size"] = std::int64_t(10);
        QVERIFY(!has(pictureText({sized}).facts, "table_size")); // an axis, or a case of one
    }

    //! What the points had and what the runs did, whatever the plan's own load says.
    void howItWasRun()
    {
        const auto lineOf = [this](const auto& change) {
            StoredSession changed = m_session;
            change(changed);
            const std::string text = markdownReport({changed}, {});
            const std::size_t at = text.find("- Load: ");
            return at == std::string::npos ? std::string() : text.substr(at + 8, text.find('\n', at) - at - 8);
        };
        const auto eachLoad = [&lineOf](const auto& change) {
            return lineOf([&](StoredSession& s) {
                for (PointSpec& point : s.header.points)
                    change(point.load);
            });
        };
        const auto eachRun = [](StoredSession& s, const auto& change) {
            for (StoredRun& run : s.runs)
                change(run);
        };
        QCOMPARE(lineOf([](StoredSession&) {}),
                 std::string("9 s measured after 1 s of warm-up, 2 repeats, order interleaved, seed 1, closed loop"));
        // Set for all points, or by an axis: the plan's own [load] has it not.
        QVERIFY(has(lineOf([](StoredSession& s) { s.header.plan.load.warmupSeconds = 0; }),
                    "9 s measured after 1 s of warm-up,"));
        QVERIFY(eachLoad([](LoadProfile& l) {
                    l.arrival.model = ArrivalModel::Poisson;
                    l.arrival.rate = 500;
                }).ends_with("open loop, Poisson arrivals, 500 a second"));
        QVERIFY(lineOf([](StoredSession& s) {
                    s.header.points[1].load.arrival.model = ArrivalModel::Poisson;
                }).ends_with("arrivals: see what differs"));
        QVERIFY(has(lineOf([](StoredSession& s) { s.header.points[1].load.seed = 2; }), "seed: see what differs"));
        // Moved afterwards.
        const std::string moved = lineOf([&](StoredSession& s) {
            eachRun(s, [](StoredRun& run) {
                run.recordedWarmupEndNs = run.warmupEndNs;
                run.warmupEndNs = 4'000'000'000;
                run.summary.seconds = 6;
            });
        });
        QVERIFY2(has(moved, "6 s measured after 4 s of warm-up, its end moved afterwards, "), moved.c_str());
        QVERIFY(has(lineOf([](StoredSession& s) { s.runs[0].recordedWarmupEndNs = 1; }),
                    "its end moved afterwards in 1 of 12 runs"));
        // Other ends of a warm-up, and how long it was.
        const std::string events = lineOf([&](StoredSession& s) {
            for (PointSpec& point : s.header.points) {
                point.load.warmupSeconds = 10;
                point.load.warmupEvents = 100;
            }
            eachRun(s, [](StoredRun& run) { run.warmupEndNs = 300'000'000; });
        });
        QVERIFY2(has(events, " after 0.3 s of warm-up (until 100 transactions or 10 s),"), events.c_str());
        const std::string steady = lineOf([&](StoredSession& s) {
            for (PointSpec& point : s.header.points) {
                point.load.warmupSeconds = 0;
                point.load.warmupUntilSteady = true;
            }
            eachRun(s,
                    [](StoredRun& run) { run.warmupEndNs = run.header.index == 0 ? 24'000'000'000 : 31'000'000'000; });
        });
        QVERIFY2(has(steady, " after 24 to 31 s of warm-up (until steady, at most 300 s),"), steady.c_str());
        QVERIFY(has(lineOf([&](StoredSession& s) { eachRun(s, [](StoredRun& run) { run.warmupEndNs = 0; }); }),
                    "9 s measured, no warm-up,"));
        // Ended by something else than the time.
        const std::string stopped = lineOf([&](StoredSession& s) {
            for (PointSpec& point : s.header.points) {
                point.load.timeSeconds = 60;
                point.load.stopAfterSteady = 2;
            }
            eachRun(s, [](StoredRun& run) { run.summary.seconds = 24; });
        });
        QVERIFY2(
            has(stopped, "24 s measured of at most 60 s after 1 s of warm-up, until steady for 2 windows of 10 s,"),
            stopped.c_str());
        const std::string searched = lineOf([](StoredSession& s) {
            for (PointSpec& point : s.header.points) {
                point.load.search = {.what = Search::What::Rate, .from = 100, .to = 5000};
                point.load.objective = {99, 20};
                point.load.arrival.model = ArrivalModel::Fixed;
            }
        });
        QVERIFY2(has(searched,
                     " after 1 s of probing, at the highest rate from 100 to 5000 at which p99 \\<= 20ms holds,") &&
                     searched.ends_with("open loop, evenly spaced arrivals"),
                 searched.c_str());
        QVERIFY(has(lineOf([](StoredSession& s) { s.runs.clear(); }),
                    "9 s to be measured after 1 s of warm-up, 2 repeats"));
        StoredSession captioned = m_session;
        for (PointSpec& point : captioned.header.points)
            point.load.warmupUntilSteady = true;
        QVERIFY2(has(captionOf({captioned}), "9 s measured after 1 s of warm-up (until steady, at most 300 s);"),
                 captionOf({captioned}).c_str());
    }

    void post()
    {
        const std::string text = markdownPost({m_session}, {}, pictures(), {}, {}, Appendix::Yes);
        const std::string brief = markdownPost({m_session}, {}, pictures());
        QVERIFY(text.starts_with(brief) && !has(brief, "## Appendix"));
        const std::size_t setUp = brief.find("## Set-up\n\n") + 11;
        QVERIFY(countOf(brief.substr(setUp, brief.find("\n\n", setUp) - setUp), "\n- ") < 5);
        std::size_t at = 0;
        for (const char* part :
             {"# What does durability cost?\n", "SQLite's synchronous setting, one updated row to a transaction.",
              "Asked by **Wilma**:", "![Throughput](pictures/throughput.svg)", "SQLite 3.40.1 · ", "## Figures",
              "| users |", "## Set-up", "## What differs", "## Notes", "## Appendix",
              "### Plan\n\n```\ntitle = ", "### Option file\n\n```\n# none: SQLite has no option file\n```"}) {
            const std::size_t found = text.find(part, at);
            QVERIFY2(found != std::string::npos, part);
            at = found;
        }
        QCOMPARE(countOf(text, "### Option file"), 1); // the same of all runs
        StoredSession ticks = m_session;
        ticks.runs[0].header.optionFile = "a\n````\nb\n";
        QVERIFY(has(markdownPost({ticks}, {}, {}, {}, {}, Appendix::Yes), "`````\na\n````\nb\n`````\n"));
        QVERIFY(parsePlan(writePlan(m_session.header.plan), "again").plan);
    }

    //! Views and published figures of what only intervals tell stand in a post where somebody reads them.
    void figuresOfIntervals()
    {
        StoredSession session = m_session;
        View view;
        view.chart = "bars";
        view.measure = "exit_rate";
        session.header.plan.views = {view};
        session.header.plan.published = {
            Published{.source = "A post", .date = {}, .hardware = {}, .measure = "exit_rate", .values = {{{}, 987}}}};
        const std::string without = markdownPost({session}, {});
        QVERIFY(!has(without, "Exit velocity") && !has(without, "4 321"));
        const RunFigures figures = [](const StoredSession& of, const std::string& measure) {
            return std::vector<double>(measure == "exit_rate" ? of.runs.size() : 0, 4321);
        };
        for (const std::string& text :
             {markdownPost({session}, {}, {}, figures), htmlPost({session}, {}, {}, figures)}) {
            QVERIFY2(has(text, "Exit velocity"), text.c_str());
            QVERIFY2(countOf(text, "321") >= 2, text.c_str()); // the view's table and the one of published figures
        }
    }

    //! Tables that a view asks for, what happened within the runs, and how the plan departs from its post.
    void tablesOfViews()
    {
        StoredSession session = m_session;
        const auto usersOf = [](const PointSpec& point) { return point.users(); };
        QVERIFY(std::ranges::max(session.header.points | std::views::transform(usersOf)) > 1);
        View lines;
        lines.chart = "lines";
        lines.measure = "tps";
        lines.x = "users";
        lines.table = kTableMaxima;
        View time;
        time.chart = "time";
        time.table = kTableSpread;
        session.header.plan.views = {lines, time};
        session.header.plan.departs = {"Four users, not *forty*."};
        const std::string without = markdownPost({session}, {});
        QVERIFY(has(without, "- Four users, not \\*forty\\*.\n"));
        QVERIFY(has(without, "**Maxima of Throughput over users**"));
        QVERIFY(!has(without, "Spread within the runs") && !has(without, "Stalls and dips"));
        // The highest of each series, where it is, and no other.
        const Pivot shown = pivot({session}, requestOf(lines));
        const std::vector<Peak> peaks = peaksOf(shown);
        QCOMPARE(peaks.size(), shown.series.size() * shown.facets.size());
        for (const Peak& peak : peaks) {
            for (const std::string& x : shown.xs) {
                const PivotCell* cell = shown.cell(x, peak.series, peak.facet);
                QVERIFY(cell && cell->estimate.mean <= peak.figure.value);
                QVERIFY(x != peak.x || cell->estimate.mean == peak.figure.value);
            }
        }
        const std::string with = markdownPost({session}, {}, {}, {}, coursesIn(*m_library));
        QVERIFY(has(with, "### Spread within the runs") && has(with, "### Stalls and dips"));
        const auto columns = m_library->columns(session.runs.front().id);
        const auto even = columns ? evennessOf(*columns) : std::nullopt;
        QVERIFY(even && even->least <= even->mean && even->mean <= even->most);
        session.header.plan.views.pop_back();
        QVERIFY(!has(markdownPost({session}, {}, {}, {}, coursesIn(*m_library)), "Stalls and dips"));
    }

    //! Ten seconds with 100 transactions in each but the fifth, which has 4: a mean of 90.4, deviations of 9.6 nine
    //! times and 86.4 once, √((9 · 9.6² + 86.4²) / 9) = 30.358. The warm-up took a second before them.
    void rowsOfCourses()
    {
        StoredSession session = m_session;
        View time;
        time.chart = "time";
        time.table = kTableSpread;
        session.header.plan.views = {time};
        session.header.plan.load.repeats = 1;
        QVERIFY(session.runs.size() > 4);
        constexpr std::int64_t kSecond = 1'000'000'000;
        std::map<int, int> reads;
        const CoursesOf courses = [&](const StoredRun& run) -> Expected<std::optional<RunCourse>> {
            const int number = run.header.index;
            ++reads[number];
            if (number == 1 || number == 3)
                return fail({ErrorKind::Storage, "the disk is gone", {}, {}});
            if (number != 0)
                return std::nullopt;
            IntervalColumns columns;
            for (int i = 0; i <= 10; ++i) {
                columns.tNs.push_back(i * kSecond);
                columns.lengthNs.push_back(kSecond);
                columns.phase.push_back(i == 0 ? Phase::Warmup : Phase::Measure);
                columns.transaction.count.push_back(i == 5 ? 4 : 100);
            }
            RunCourse course{evennessOf(columns), findStalls(columns)};
            Stall slow;
            slow.kind = Stall::Kind::Latency;
            slow.tNs = 8 * kSecond;
            slow.lengthNs = 2 * kSecond;
            slow.usualMs = 4;
            slow.highestMs = 200;
            course.stalls.push_back(slow);
            return course;
        };
        session.runs[0].warmupEndNs = kSecond;
        const std::string name = session.header.points[std::size_t(session.runs[0].header.point)].label();
        const std::string text = markdownPost({session}, {}, {}, {}, courses);
        const std::string unread = "\n\n2 runs could not be read.\n";
        const std::string spread = "| " + name + " | 4.00 | 90.4 | 100 | 30.4 | 33.6 % | 10 |\n";
        const std::string stall = "| " + name + " | stall | 4.0 s | 1.0 | 4.00 | 100 | 96.0 % |\n";
        const std::string slow =
            "#### Latency stalls\n\n| run | at | length (s) | highest p99 (ms) | usual p99 (ms) | times |\n";
        const std::string slowRow = "| " + name + " | 7.0 s | 2.0 | 200 | 4.00 | 50.0× |\n";
        for (const std::string& part : {spread, stall, slow, slowRow})
            QVERIFY2(countOf(text, part) == 1, text.c_str());
        QCOMPARE(countOf(text, unread), 2); // beside either table
        for (const auto& [number, times] : reads)
            QVERIFY2(times == 1, qPrintable(QString("run %1 was read %2 times").arg(number).arg(times)));
        QCOMPARE(reads.size(), session.runs.size());
        // Nothing is left but what could not be read.
        session.runs = {session.runs[1], session.runs[3]};
        const CoursesOf none = [](const StoredRun&) -> Expected<std::optional<RunCourse>> {
            return fail({ErrorKind::Storage, "the disk is gone", {}, {}});
        };
        const std::string bare = markdownPost({session}, {}, {}, {}, none);
        QVERIFY(has(bare, "### Spread within the runs\n\n2 runs could not be read.\n"));
        QVERIFY(has(bare, "### Stalls and dips\n\n2 runs could not be read.\n"));
        QVERIFY(!has(bare, "None in"));
    }

    //! Values under the mouse: over the picture, which stays an image, and escaped as any text.
    void valuesUnderTheMouse()
    {
        ReportPicture picture = pictures().front();
        picture.width = 1200;
        picture.height = 675;
        picture.spots = {{10, 20.25, 16, 16, "</title><script>x()</script> & 16: 5 tps"}};
        const std::string html = htmlPost({m_session}, {}, {picture});
        QVERIFY(has(html, "<svg viewBox=\"0 0 1200 675\""));
        QVERIFY2(has(html,
                     "<rect x=\"10.0\" y=\"20.2\" width=\"16.0\" height=\"16.0\"><title>&lt;/title&gt;&lt;script&gt;"
                     "x()&lt;/script&gt; &amp; 16: 5 tps</title></rect>"),
                 html.substr(html.find("<rect"), 200).c_str());
        QVERIFY(!has(html, "<script") && has(html, "<img src=\"data:image/svg+xml;base64,"));
        QVERIFY(!has(htmlPost({m_session}, {}, pictures()), "<rect"));
    }

    void page()
    {
        StoredSession session = m_session;
        session.info.title = "<script>alert(1)</script> & \"co\"";
        session.runs[0].header.optionFile = "</code></pre><script>x()</script>";
        session.runs[2].summary.status = RunStatus::Failed;
        session.runs[2].summary.reason = "<img src=x onerror=alert(2)>";
        const std::string html = htmlPost({session}, {}, pictures(), {}, {}, Appendix::Yes);
        QVERIFY(html.starts_with("<!DOCTYPE html>"));
        QVERIFY(!has(html, "<script") && !has(html, "onerror=alert(2)>") && !has(html, "<img src=x"));
        QVERIFY(has(html, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;co&quot;"));
        QVERIFY(has(html, "Content-Security-Policy") && has(html, "default-src 'none'"));
        for (const char* outside : {"http://", "https://", "src=\"/", "@import", "url("})
            QVERIFY2(!has(html, outside), outside);
        QCOMPARE(countOf(html, "<img "), 1);
        QVERIFY(has(html,
                    "<img src=\"data:image/svg+xml;base64," + base64(pictures()[0].bytes) + "\" alt=\"Throughput\">"));
        QVERIFY(
            has(html, "<p>Asked by <strong>Wilma</strong>:</p>\n<ul>\n<li>first</li>\n<li>second &lt;b&gt;not bold"));
        QVERIFY(has(html, "<th class=\"r\">"));
        for (const char* tag : {"table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p", "h1", "h2", "h3", "pre",
                                "code", "strong", "figure"})
            QCOMPARE(countOf(html, std::string("<") + tag + ">") + countOf(html, std::string("<") + tag + " "),
                     countOf(html, std::string("</") + tag + ">"));
    }

    void markdownAsHtml_data()
    {
        QTest::addColumn<QByteArray>("markdown");
        QTest::addColumn<QByteArray>("html");
        const auto row = [](const char* markdown, const char* html) {
            QTest::newRow(markdown) << QByteArray(markdown) << QByteArray(html);
        };
        row("", "");
        row("a\nb\n\nc", "<p>a\nb</p>\n<p>c</p>\n");
        row("## a `b<` **c** _d_ *e*", "<h2>a <code>b&lt;</code> <strong>c</strong> <em>d</em> <em>e</em></h2>\n");
        row("snake_case_name 2*3*4", "<p>snake_case_name 2<em>3</em>4</p>\n");
        row("\\*a\\* \\<b\\> 1 \\| 2", "<p>*a* &lt;b&gt; 1 | 2</p>\n");
        row("[x](https://a.example/?b=1&c=\"d\")",
            "<p><a href=\"https://a.example/?b=1&amp;c=&quot;d&quot;\" rel=\"noreferrer\">x</a></p>\n");
        row("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n");
        row("[x](data:text/html,y)", "<p>[x](data:text/html,y)</p>\n");
        row("![x](http://tracker.example/p.png)", "<p>![x](http://tracker.example/p.png)</p>\n");
        row("- a\n- b\n1. c", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<ol>\n<li>c</li>\n</ol>\n");
        row("> a\n> b", "<blockquote><p>a b</p></blockquote>\n");
        row("```\n<x>\n**y**\n```\nz", "<pre><code>&lt;x&gt;\n**y**\n</code></pre>\n<p>z</p>\n");
        row("```\nnever closed", "<pre><code>never closed\n</code></pre>\n");
        row("| a | b |\n|:---|---:|\n| 1 \\| 2 | **3** |",
            "<table>\n<thead><tr><th>a</th><th class=\"r\">b</th></tr></thead>\n<tbody>\n"
            "<tr><td>1 | 2</td><td class=\"r\"><strong>3</strong></td></tr>\n</tbody>\n</table>\n");
        row("| no table", "<p>| no table</p>\n");
        row("**not closed", "<p>**not closed</p>\n");
        row("\x01\x1b[31m", "<p>  [31m</p>\n");
    }
    void markdownAsHtml()
    {
        QFETCH(QByteArray, markdown);
        QFETCH(QByteArray, html);
        QCOMPARE(QByteArray::fromStdString(htmlOfMarkdown(markdown.toStdString())), html);
    }

    //! Text that opens brackets without end must not take quadratic time.
    void hostileMarkdownIsQuick()
    {
        const std::clock_t begin = std::clock(); // CPU time: other programs may have the cores
        for (const char* piece : {"[", "**", "_a ", "`", "| ", "[a](", "> ", "\\"}) {
            std::string text;
            for (int i = 0; i < 20000; ++i)
                text += piece;
            QVERIFY(!htmlOfMarkdown(text).empty());
        }
        const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 30, qPrintable(QString::number(seconds)));
    }

    void sameBytesEachTime()
    {
        const auto again = must(m_library->session(m_session.info.id));
        QCOMPARE(markdownPost({again}, {}, pictures()), markdownPost({m_session}, {}, pictures()));
        QCOMPARE(htmlPost({again}, {}, pictures()), htmlPost({m_session}, {}, pictures()));
        QCOMPARE(runsLongCsv(again), runsLongCsv(m_session));
        const fs::path one = m_dir.filePath("one.dyno").toStdString(), two = m_dir.filePath("two.dyno").toStdString();
        for (const auto privacy : {Library::Privacy::AsRecorded, Library::Privacy::Anonymous}) {
            QVERIFY(m_library->exportSession(m_session.info.id, one, privacy));
            QVERIFY(m_library->exportSession(m_session.info.id, two, privacy));
            QVERIFY(contentOf(one) == contentOf(two));
        }
        // From one file to the next, too.
        QVERIFY(m_library->exportSession(m_session.info.id, one));
        auto opened = must(Library::open(one, Library::Mode::ReadOnly));
        QVERIFY(opened->exportSession(m_session.info.id, two));
        QVERIFY(contentOf(one) == contentOf(two));
    }

    void aFullDiskLeavesNothing()
    {
        const QString folder = m_dir.filePath("full");
        QVERIFY(QDir().mkpath(folder));
        const fs::path text = (folder + "/post.md").toStdString(), dyno = (folder + "/x.dyno").toStdString();
        const std::string long1(100'000, 'x');
        {
            const SmallDisk disk(20'000);
            const auto written = writeTextFile(text, long1);
            QVERIFY(!written);
            QCOMPARE(written.error().kind, ErrorKind::Storage);
            QVERIFY(!written.error().remedy.empty() && written.error().where == text.string());
            const auto exported = m_library->exportSession(m_session.info.id, dyno);
            QVERIFY(!exported);
            QCOMPARE(exported.error().kind, ErrorKind::Storage);
            QVERIFY2(exported.error().where == dyno.string(), exported.error().text().c_str());
            QVERIFY(!exportCsv(*m_library, m_session, (folder + "/csv").toStdString()) ||
                    QDir(folder + "/csv").entryList({"*.part*"}).isEmpty());
        }
        QVERIFY(QDir(folder).entryList(QDir::Files).isEmpty());
        // An older file stays as it was.
        QVERIFY(writeTextFile(text, "old"));
        {
            const SmallDisk disk(20'000);
            QVERIFY(!writeTextFile(text, long1));
        }
        QCOMPARE(contentOf(text), std::string("old"));
        QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList("post.md"));
    }

    void devicesAndFolders()
    {
        const auto full = writeTextFile("/dev/full", "x");
        QVERIFY(!full);
        QVERIFY2(has(full.error().message, "No space left"), full.error().text().c_str());
        QVERIFY(fs::is_character_file("/dev/full"));
        QVERIFY(writeTextFile("/dev/null", "x"));
        QVERIFY(fs::is_character_file("/dev/null"));
        const auto folder = writeTextFile(m_dir.path().toStdString(), "x");
        QVERIFY(!folder && folder.error().kind == ErrorKind::BadInput);
        const auto nowhere = writeTextFile("/proc/no/such/place", "x");
        QVERIFY(!nowhere && nowhere.error().kind == ErrorKind::Storage);
        const auto dir = exportHdr(*m_library, m_session, "/proc/no/such/place");
        QVERIFY(!dir && has(dir.error().message, "folder"));
    }
};

} // namespace dyno::tst_export

DYNO_SUITE(tst_export, dyno::tst_export::TestExport)
#include "tst_export.moc"
