// SPDX-License-Identifier: GPL-3.0-or-later
// Seals over what is recorded: a bit that changes in a file never changes a figure without a word.
#include "base/random.h"
#include "library_rig.h"
#include "store/library/database.h"
#include "store/session/artefacts.h"
#include "store/session/seals.h"
#include "support/long_form.h"
#include "support/suite.h"
#include <dyno/analysis.h>
#include <dyno/export.h>
#include <dyno/report.h>

#include <QTest>
#include <algorithm>

namespace dyno::tst_seals {
using namespace dyno::test;
namespace fs = std::filesystem;

namespace {

//! Everything that scripts and pages take from a file: the documents of show and compare, and all CSV.
struct FileFigures
{
    std::string refused;             //!< why it does not open, or is no session
    std::vector<std::string> damage; //!< that it names
    std::string text;
    bool operator==(const FileFigures&) const = default;
};

FileFigures figuresOf(const fs::path& file, const StoredSession& other)
{
    FileFigures figures;
    auto library = Library::open(file, Library::Mode::ReadOnly);
    if (!library)
        return {library.error().text(), {}, {}};
    const auto list = (*library)->sessions();
    if (!list || list->empty())
        return {list ? "no session" : list.error().text(), {}, {}};
    const auto session = (*library)->session(list->front().id);
    if (!session)
        return {session.error().text(), {}, {}};
    figures.damage = session->damage;
    figures.text = sessionJson(*session, stallsIn(**library)) + runsCsv(*session) + runsLongCsv(*session);
    for (const StoredRun& run : session->runs) {
        const auto intervals = (*library)->intervals(run.id);
        if (intervals)
            figures.text += intervalsCsv(run, *intervals);
        else
            figures.damage.push_back(intervals.error().message);
        const auto events = (*library)->events(run.id);
        if (!events)
            figures.damage.push_back(events.error().message);
        for (const RunEvent& event : events ? *events : std::vector<RunEvent>())
            figures.text += std::to_string(event.tNs) + event.text;
    }
    PivotRequest request;
    request.series = "session";
    const std::vector<StoredSession> both{*session, other};
    figures.text += comparisonJson(both, pivot(both, request));
    return figures;
}

} // namespace

class TestSeals : public QObject, LibraryRig
{
    Q_OBJECT

    fs::path m_long; //!< a .dyno file with blocks, and rows behind them

    static void change(const fs::path& file, const std::string& sql)
    {
        auto database = must(Database::open(file, Database::Access::ReadWrite));
        database->exec(sql);
        if (const auto done = database->result(); !done)
            throw std::runtime_error(done.error().text());
    }

    static std::vector<std::string> problemsIn(const fs::path& file)
    {
        return must(must(Library::open(file, Library::Mode::ReadOnly))->check()).problems;
    }

    static StoredSession sessionIn(const fs::path& file, const char* id = kFirst)
    {
        return must(must(Library::open(file, Library::Mode::ReadOnly))->session(id));
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_shared.isValid());
        makeLibrary();
        makeDyno();
        const fs::path library = m_shared.filePath("long.dynolib").toStdString();
        m_long = m_shared.filePath("long.dyno").toStdString();
        sample::Options options;
        options.id = kFirst;
        options.plan.replace(options.plan.find("users = [1, 4]"), 14, "users = [4]");
        options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
        options.intervals = 310;
        options.counters = true;
        auto writer = must(SessionWriter::open(library));
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
        auto opened = must(Library::open(library, Library::Mode::ReadWrite));
        QVERIFY(opened->setTags(kFirst, {"a tag"}));
        QVERIFY(opened->annotate(must(opened->session(kFirst)).runs[1].id, 1'000'000'000, "the backup began"));
        QVERIFY(opened->exportSession(kFirst, m_long));
    }

    void init() { copyOriginals(); }

    //! Three bits each, at places drawn from fixed seeds.
    void twoHundredDamagedFiles()
    {
        const StoredSession other = sessionIn(m_original, kSecond);
        const fs::path bad = m_dir->filePath("bad.dyno").toStdString();
        const int files = 100 / everyOf(); // of each kind
        int same = 0, named = 0, refused = 0;
        for (const fs::path& good : {m_dynoOriginal, m_long}) {
            const FileFigures whole = figuresOf(good, other);
            QVERIFY2(whole.refused.empty() && whole.damage.empty(), whole.refused.c_str());
            const std::string bytes = contentOf(good);
            for (int seed = 0; seed < files; ++seed) {
                Random random(1000 + std::uint64_t(seed));
                std::string damaged = bytes;
                for (int bit = 0; bit < 3; ++bit) {
                    char& byte = damaged[random.uniform(0, damaged.size() - 1)];
                    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.uniform(0, 7)));
                }
                write(bad, damaged);
                const FileFigures figures = figuresOf(bad, other);
                if (!figures.refused.empty()) {
                    ++refused;
                } else if (!figures.damage.empty()) {
                    ++named;
                    QVERIFY2(!problemsIn(bad).empty(), figures.damage.front().c_str());
                } else {
                    ++same;
                    QVERIFY2(figures.text == whole.text,
                             qPrintable(QStringLiteral("seed %1 of %2: other figures without a word")
                                            .arg(seed)
                                            .arg(QString::fromStdString(good.string()))));
                }
            }
        }
        qInfo("same: %d, named: %d, refused: %d", same, named, refused);
        QVERIFY(named > files / 2);
        QCOMPARE(same + named + refused, 2 * files);
    }

    void part_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QByteArray>("name"); //!< as it is named
        QTest::addColumn<bool>("figures");    //!< the first run's are left out
        const auto row = [](const char* sql, const char* name, bool figures = false) {
            QTest::newRow(name) << QByteArray(sql) << QByteArray(name) << figures;
        };
        row("UPDATE run SET summary = replace(summary, '\"tps\":', '\"tps\":1') WHERE idx = 0", "the summary of run 1",
            true);
        row("UPDATE run SET status = 'failed' WHERE idx = 0", "the summary of run 1 (its status)", true);
        row("UPDATE run SET repeat = 2 WHERE idx = 0", "run 1 is damaged", true);
        row("UPDATE run SET effective = replace(effective, 'OFF', 'ON') WHERE idx = 0", "run 1 is damaged (a knob)",
            true);
        row("UPDATE run SET warmup_end_ns = 5000000000 WHERE idx = 0", "the end of the warm-up of run 1", true);
        row("UPDATE phase SET t_ns = t_ns + 1 WHERE run = 1", "the list of phases of run 1");
        row("UPDATE point SET spec = replace(spec, 'OFF', 'FULL') WHERE idx = 0", "point 1", true);
        row("UPDATE session SET plan = replace(plan, '9s', '8s')", "the set-up");
        row("UPDATE session SET host = replace(host, 'AMD', 'AMT')", "the set-up (its host)");
        row("UPDATE session SET status = 'failed'", "the outcome of the session");
        row("UPDATE session SET title = 'x'", "the title");
        row("UPDATE session SET notes = 'x'", "the notes");
        row("INSERT INTO tag SELECT key, 7, 'x' FROM session", "the list of tags");
        row("UPDATE slot SET point = 1 WHERE idx = 0", "the order of the runs");
        row("UPDATE op SET name = 'x' WHERE run = 1 AND idx = 0", "the list of operations and counters of run 1");
        row("UPDATE fact_set SET variables = replace(variables, '4096', '4097') WHERE key = 1",
            "the record of the server (its settings and log) of run 1");
        row("UPDATE run SET server_log = 'x' WHERE idx = 0",
            "the record of the server (its settings and log) of run 1 is damaged");
        row("DELETE FROM run WHERE idx = 0", "run 1 is lost");
        row("DELETE FROM seal WHERE part = 15 AND idx = 0", "the summary of run 1 (no seal)", true);
        row("UPDATE session SET seals = NULL; UPDATE run SET summary = '{}' WHERE idx = 0",
            "the summary of run 1 (seals denied)", true);
    }
    void part()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QByteArray, name);
        QFETCH(bool, figures);
        const StoredSession whole = sessionIn(m_dyno);
        change(m_dyno, sql.toStdString());
        const StoredSession session = sessionIn(m_dyno);
        const std::string wanted = name.left(name.contains(" (") ? name.indexOf(" (") : name.size()).toStdString();
        QVERIFY2(std::ranges::any_of(session.damage, [&](const std::string& one) { return has(one, wanted); }),
                 session.damage.empty() ? "nothing is named" : session.damage.front().c_str());
        QVERIFY(std::ranges::any_of(
            problemsIn(m_dyno), [&](const std::string& one) { return has(one, name.contains("lost") ? "" : wanted); }));
        if (name.contains("run 1 is lost"))
            return;
        const RunSummary& first = session.runs[0].summary;
        QCOMPARE(first.status == RunStatus::Damaged, figures);
        QCOMPARE(first.tps, figures ? 0 : whole.runs[0].summary.tps);
        QVERIFY(!figures || has(first.reason, "damaged"));
        if (!figures && !name.contains("lost")) { // what is damaged is not shown, the rest is
            QCOMPARE(session.info.title.empty(), name == "the title");
            QCOMPARE(session.header.host.cores, name.startsWith("the set-up") ? 0 : 4);
            QCOMPARE(session.info.status, name.startsWith("the outcome") ? RunStatus::Damaged : RunStatus::Done);
            QCOMPARE(session.runs[0].header.server.product.empty(), name.startsWith("the record of the server"));
        }
        const StoredRun& last = session.runs.back();
        QCOMPARE(last.summary.tps, whole.runs.back().summary.tps);
        QVERIFY(must(Library::open(m_dyno, Library::Mode::ReadOnly))->intervals(last.id));
        const std::string json = sessionJson(session);
        QVERIFY(has(json, "\"sealed\": true") && has(json, wanted));
    }

    void intervals_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<bool>("linesHold"); //!< lines are drawn of times, figures and counters
        const auto row = [](const char* name, const char* sql, bool linesHold = false) {
            QTest::newRow(name) << QByteArray(sql) << linesHold;
        };
        row("a count in a row",
            "UPDATE interval_op SET count = count + 1 WHERE run = 1 AND op = -1 AND interval = 305");
        row("a row is gone", "DELETE FROM interval WHERE run = 1 AND idx = 309");
        row("its operations are gone", "DELETE FROM interval_op WHERE run = 1 AND interval = 309");
        row("a counter in a row", "UPDATE counter_sample SET value = value * 2 WHERE counter = 1");
        row("a block of another run", "UPDATE block SET (content, seal) = (SELECT content, seal FROM block b WHERE "
                                      "b.run = 2 AND b.part = block.part AND"
                                      " b.series = block.series AND b.first = block.first) WHERE run = 1");
        row("a block is gone", "DELETE FROM block WHERE run = 1 AND part = 3 AND series = 1");
        row("a histogram's block",
            "UPDATE block SET content = (SELECT content FROM block b WHERE b.run = 2 AND b.part = 2 AND"
            " b.series = -1) WHERE run = 1 AND part = 2 AND series = -1",
            true);
        row("no seal", "UPDATE block SET seal = NULL WHERE run = 1 AND part = 0");
    }
    void intervals()
    {
        QFETCH(QByteArray, sql);
        QFETCH(bool, linesHold);
        fs::copy_file(m_long, m_dyno, fs::copy_options::overwrite_existing);
        change(m_dyno, sql.toStdString());
        auto library = must(Library::open(m_dyno, Library::Mode::ReadOnly));
        const auto refused = library->intervals(1);
        QVERIFY(!refused);
        QVERIFY2(has(refused.error().message, "damaged") && !refused.error().remedy.empty(),
                 refused.error().text().c_str());
        QCOMPARE(bool(library->columns(1, {.operations = true, .counters = true})), linesHold);
        QVERIFY(library->intervals(2)); // of the other run nothing is lost
        const StoredSession session = must(library->session(kFirst));
        QCOMPARE(session.runs[0].summary.status, RunStatus::Done); // its summary is whole
        QVERIFY(!must(library->check()).problems.empty());
        const bool told = has(sessionJson(session, stallsIn(*library)), "\"unreadable\"");
        QVERIFY(told || linesHold || QByteArray(QTest::currentDataTag()).contains("counter") ||
                sql.contains("part = 3"));
        // Taken in with its damage, which stays what it is.
        const fs::path into = m_dir->filePath("into.dynolib").toStdString();
        auto own = must(Library::open(into, Library::Mode::ReadWrite));
        Library::DamagedParts damaged;
        QCOMPARE(must(own->importFile(m_dyno, nullptr, &damaged)), std::vector<std::string>{kFirst});
        QVERIFY(!damaged[kFirst].empty());
        const StoredSession copy = must(own->session(kFirst));
        QVERIFY2(has(copy.info.notes, damaged[kFirst].front()), copy.info.notes.c_str());
        QCOMPARE(copy.runs[0].summary.tps, session.runs[0].summary.tps);
        QVERIFY(!own->intervals(copy.runs[0].id) && own->intervals(copy.runs[1].id));
        QVERIFY(!must(own->check()).problems.empty());
    }

    void events()
    {
        change(m_dyno, "UPDATE event SET text = 'x' WHERE run = 1 AND idx = 0");
        auto library = must(Library::open(m_dyno, Library::Mode::ReadOnly));
        const auto events = library->events(1);
        QVERIFY(!events && has(events.error().message, "the list of events of run 1 is damaged"));
        QVERIFY(library->events(2));
    }
    //! A damaged list of phases costs the split at the end of the warm-up, and no figure.
    void phases_data()
    {
        QTest::addColumn<bool>("moved");
        QTest::newRow("as recorded") << false;
        QTest::newRow("with a warm-up that was moved") << true;
    }
    void phases()
    {
        QFETCH(const bool, moved);
        if (moved)
            QVERIFY(must(Library::open(m_dyno, Library::Mode::ReadWrite))->moveWarmupEnd(1, 2'000'000'000));
        const StoredSession whole = sessionIn(m_dyno);
        QVERIFY(whole.runs[0].warmupEndNs > 0 && whole.runs[0].phasesDamage.empty());
        QCOMPARE(whole.runs[0].recordedWarmupEndNs.has_value(), moved);
        change(m_dyno, "UPDATE phase SET t_ns = t_ns + 1 WHERE run = 1");
        auto library = must(Library::open(m_dyno, Library::Mode::ReadWrite));
        const StoredSession session = must(library->session(kFirst));
        const StoredRun& run = session.runs[0];
        QCOMPARE(run.summary.status, RunStatus::Done);
        QCOMPARE(run.summary.transactions, whole.runs[0].summary.transactions);
        QCOMPARE(run.summary.response.p95Ms, whole.runs[0].summary.response.p95Ms);
        QCOMPARE(run.phasesDamage, std::string("the list of phases of run 1 is damaged"));
        QCOMPARE(session.damage, std::vector<std::string>{run.phasesDamage});
        QCOMPARE(run.knowsWarmupEnd(), moved); // where it was moved to has a seal of its own
        QCOMPARE(run.warmupEndNs, moved ? whole.runs[0].warmupEndNs : 0);
        QVERIFY(!run.recordedWarmupEndNs);
        QCOMPARE(run.warmupMoved(), moved);
        QVERIFY(session.runs[1].knowsWarmupEnd());
        QVERIFY(library->intervals(1));
        const auto events = library->events(1);
        QVERIFY2(events, events ? "" : events.error().text().c_str());
        QCOMPARE(std::ranges::any_of(*events, [&](const RunEvent& one) { return has(one.text, run.phasesDamage); }),
                 moved);
        const std::string json = sessionJson(session, stallsIn(*library));
        QCOMPARE(has(json, "\"kind\": \"phases\""), !moved);
        QCOMPARE(has(json, "\"warmup_s\": null"), !moved);
        const auto refused = library->moveWarmupEnd(1, 2'000'000'000);
        QVERIFY(!refused && has(refused.error().message, "the list of phases of run 1 is damaged"));
        const auto unplaced = library->annotate(1, 0, "x"); // how long the run is, is not known
        QVERIFY(!unplaced && has(unplaced.error().message, "the list of phases of run 1 is damaged"));
        QCOMPARE(must(library->session(kFirst)).damage, session.damage); // nothing of that has sealed it anew
    }
    //! A note of somebody's that is damaged costs that note, not what happened in the runs.
    void eventsBesideADamagedNote()
    {
        const auto notesOf = [this](std::int64_t run) {
            const auto events = must(Library::open(m_dyno, Library::Mode::ReadOnly))->events(run).value();
            return std::pair(events.size(), std::ranges::count(events, "the backup began", &RunEvent::text));
        };
        QVERIFY(must(Library::open(m_dyno, Library::Mode::ReadWrite))->annotate(1, 1'000'000'000, "the backup began"));
        const auto [all, notes] = notesOf(1);
        QVERIFY(all > 1 && notes == 1);
        change(m_dyno, "UPDATE annotation SET text = 'the backup began!'");
        const auto [left, none] = notesOf(1);
        QCOMPARE(left, all - 1);
        QCOMPARE(none, 0);
        const auto session = must(must(Library::open(m_dyno, Library::Mode::ReadOnly))->session(kFirst));
        QVERIFY(has(session.damage.at(0), "the list of annotations is damaged"));
    }

    //! What people do to sessions leaves no seal broken.
    void editsKeepSeals()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        const auto whole = [&] { return must(library->check()).problems; };
        const StoredSession first = must(library->session(kFirst));
        QVERIFY(library->rename(kFirst, "another title") && library->setNotes(kFirst, "notes of fred"));
        QVERIFY(library->setTags(kFirst, {"a", "b"}) &&
                library->setNamedViews(kFirst, {{"by users", "measure = \"tps\"\n"}}));
        const Annotation note = must(library->annotate(first.runs[2].id, 1'000'000'000, "the backup began"));
        QVERIFY(library->annotate(first.runs[2].id, 2'000'000'000, "and ended"));
        QVERIFY(library->removeAnnotation(kFirst, note.id));
        QVERIFY(library->setArchived(kFirst, true) && library->setArchived(kFirst, false));
        QVERIFY(library->remove(kSecond) && library->restore(kSecond));
        QVERIFY(library->moveWarmupEnd(first.runs[0].id, 2'000'000'000));
        QVERIFY(library->moveWarmupEnd(first.runs[1].id, 2'000'000'000));
        QVERIFY(library->restoreWarmupEnd(first.runs[1].id));
        QCOMPARE(whole(), std::vector<std::string>());
        QCOMPARE(must(library->session(kFirst)).damage, std::vector<std::string>());
        for (const auto privacy : {Library::Privacy::AsRecorded, Library::Privacy::Anonymous}) {
            const fs::path copy = m_dir->filePath("copy.dyno").toStdString();
            QVERIFY(library->exportSession(kFirst, copy, privacy));
            QCOMPARE(problemsIn(copy), std::vector<std::string>());
            const StoredSession session = sessionIn(copy);
            QVERIFY(session.sealed && session.damage.empty());
            QCOMPARE(session.runs[0].summary.tps, must(library->session(kFirst)).runs[0].summary.tps);
            const fs::path into = m_dir->filePath("into.dynolib").toStdString();
            fs::remove(into);
            QCOMPARE(must(must(Library::open(into, Library::Mode::ReadWrite))->importFile(copy)).size(),
                     std::size_t(1));
            QCOMPARE(problemsIn(into), std::vector<std::string>());
            QVERIFY(sessionIn(into).sealed);
        }
        QVERIFY(library->erase(kThird));
        QVERIFY(library->vacuum());
        QCOMPARE(whole(), std::vector<std::string>());
        const fs::path copy = m_dir->filePath("backup.dynolib").toStdString();
        QVERIFY(library->backUp(copy));
        QCOMPARE(problemsIn(copy), std::vector<std::string>());
    }

    void completedSession_data()
    {
        QTest::addColumn<double>("scale");
        QTest::newRow("the same runs") << 1.2; // as makeLibrary() has them
        QTest::newRow("runs of its own") << 1.5;
    }
    //! A part whose recording was cut, and the whole that takes its place, unless runs are in the part alone; what was
    //! written to the part stays.
    void completedSession()
    {
        QFETCH(const double, scale);
        const bool same = scale == 1.2;
        const fs::path file = m_dir->filePath("part.dynolib").toStdString();
        {
            auto writer = must(SessionWriter::open(file));
            sample::Options options;
            options.id = kFirst;
            options.seed = 1;
            options.scale = scale;
            options.intervals = 6;
            options.stopAfterRun = 3;
            sample::feed(*writer, options);
            QVERIFY(writer->flush());
        }
        auto library = must(Library::open(file, Library::Mode::ReadWrite));
        const StoredSession part = must(library->session(kFirst));
        QCOMPARE(part.info.status, RunStatus::Cut);
        QVERIFY(part.sealed && part.damage.empty());
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
        QVERIFY(library->rename(kFirst, "mine") && library->setTags(kFirst, {"a"}));
        QCOMPARE(must(library->importFile(m_dyno)).size(), std::size_t(1));
        const StoredSession session = must(library->session(kFirst));
        QCOMPARE(session.info.title, std::string("mine"));
        QCOMPARE(session.damage, std::vector<std::string>());
        QCOMPARE(session.runs.size(), same ? std::size_t(12) : std::size_t(4));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
    }

    //! A damaged file is imported with what of it is whole; nothing of the rest looks whole afterwards.
    void damagedImport()
    {
        change(m_dyno, "UPDATE run SET summary = replace(summary, '\"tps\":', '\"tps\":1') WHERE idx = 0;"
                       "UPDATE event SET text = 'x' WHERE run = 2 AND idx = 0");
        const StoredSession bad = sessionIn(m_dyno);
        const fs::path into = m_dir->filePath("into.dynolib").toStdString();
        auto library = must(Library::open(into, Library::Mode::ReadWrite));
        std::vector<std::string> left;
        Library::DamagedParts damaged;
        QCOMPARE(must(library->importFile(m_dyno, &left, &damaged)), std::vector<std::string>{kFirst});
        QVERIFY(left.empty());
        const std::vector<std::string> parts{"the summary of run 1 is damaged",
                                             "the list of events of run 2 is damaged"};
        QCOMPARE(damaged, (Library::DamagedParts{{kFirst, parts}}));
        const StoredSession session = must(library->session(kFirst));
        QCOMPARE(session.damage, bad.damage);
        QCOMPARE(session.runs[0].summary.status, RunStatus::Damaged);
        QCOMPARE(session.runs[1].summary.tps, bad.runs[1].summary.tps);
        QVERIFY(!library->events(session.runs[1].id) && library->events(session.runs[0].id));
        QVERIFY2(has(session.info.notes, "the summary of run 1 is damaged"), session.info.notes.c_str());
        QCOMPARE(must(library->check()).problems.size(), parts.size());
        // Once more it stays, with its damage named; a whole copy of the same recording takes its place.
        QCOMPARE(must(library->importFile(m_dyno, &left)), std::vector<std::string>{kFirst});
        QCOMPARE(left, std::vector<std::string>{kFirst});
        QCOMPARE(must(library->check()).problems.size(), parts.size());
        left.clear();
        QCOMPARE(must(library->importFile(m_dynoOriginal, &left)), std::vector<std::string>{kFirst});
        QVERIFY(left.empty());
        const StoredSession healed = must(library->session(kFirst));
        QVERIFY(healed.damage.empty());
        QVERIFY2(!has(healed.info.notes, "damage"), healed.info.notes.c_str());
        QVERIFY(must(library->check()).problems.empty());
        // A damaged one never takes the place of a whole one.
        auto whole = must(Library::open(m_file, Library::Mode::ReadWrite));
        damaged.clear();
        QVERIFY(whole->importFile(m_dyno, nullptr, &damaged));
        QVERIFY(damaged.empty());
        QVERIFY(must(whole->session(kFirst)).damage.empty());
    }

    //! A mark that nobody made hides no session, and importing the file again does not make it look whole.
    void damagedMarks()
    {
        change(m_dyno, "UPDATE session SET removed_ms = 1");
        auto library = must(Library::open(m_dir->filePath("marks.dynolib").toStdString(), Library::Mode::ReadWrite));
        QCOMPARE(must(library->importFile(m_dyno)), std::vector<std::string>{kFirst});
        QCOMPARE(must(library->sessions()).size(), std::size_t(1));
        change(m_dyno, "UPDATE session SET removed_ms = NULL, archived_ms = 1");
        library = must(Library::open(m_dir->filePath("more.dynolib").toStdString(), Library::Mode::ReadWrite));
        QCOMPARE(must(library->importFile(m_dyno)), std::vector<std::string>{kFirst});
        const auto problems = must(library->check()).problems;
        QCOMPARE(must(library->importFile(m_dyno)), std::vector<std::string>{kFirst});
        QCOMPARE(must(library->check()).problems, problems);
    }

    //! No edit gives a damaged part a new seal.
    void damageStaysNamed()
    {
        change(m_dyno, "UPDATE run SET summary = replace(summary, '\"tps\":', '\"tps\":1') WHERE idx = 0;"
                       "UPDATE event SET text = 'x' WHERE run = 2 AND idx = 0;"
                       "INSERT INTO annotation SELECT key, 0, 0, 0, 0, 'nobody wrote this' FROM session");
        auto library = must(Library::open(m_dyno, Library::Mode::ReadWrite));
        QVERIFY(library->rename(kFirst, "another title"));
        QVERIFY(!library->moveWarmupEnd(1, 2'000'000'000));
        const auto refused = library->annotate(3, 0, "x");
        QVERIFY(!refused && has(refused.error().message, "the list of annotations is damaged"));
        for (const auto privacy : {Library::Privacy::AsRecorded, Library::Privacy::Anonymous}) {
            const fs::path copy = m_dir->filePath("copy.dyno").toStdString();
            QVERIFY(library->exportSession(kFirst, copy, privacy));
            const StoredSession session = sessionIn(copy);
            QCOMPARE(session.info.title, std::string("another title"));
            QCOMPARE(session.runs[0].summary.status, RunStatus::Damaged);
            auto copied = must(Library::open(copy, Library::Mode::ReadOnly));
            QVERIFY(!copied->events(session.runs[1].id));
            QVERIFY(!copied->annotations(kFirst));
        }
        // A new title is one, whatever became of the old one.
        change(m_dyno, "UPDATE session SET title = 'x'");
        QVERIFY(must(library->session(kFirst)).info.title.empty());
        QVERIFY(library->rename(kFirst, "a third title"));
        QCOMPARE(must(library->session(kFirst)).info.title, std::string("a third title"));
    }

    //! A bit turned the mark of a session that is shown into one that was deleted long ago.
    void damageDeletesNothing()
    {
        change(m_file, std::string("UPDATE session SET removed_ms = 0 WHERE id = '") + kFirst + "'");
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QCOMPARE(must(library->removed()).size(), std::size_t(1));
        QVERIFY(library->purgeRemoved());
        QVERIFY(library->restore(kFirst));
        QCOMPARE(must(library->sessions()).size(), std::size_t(3));
        QVERIFY(library->remove(kFirst) && library->purgeRemoved()); // what a person deleted goes
        QVERIFY(must(library->removed()).empty());
    }

    //! An index that has lost a row would lose a figure.
    void damagedIndex()
    {
        auto database = must(Database::open(m_dyno, Database::Access::ReadOnly));
        const auto page = database->number("SELECT rootpage FROM sqlite_schema WHERE name = 'run_status'");
        const auto size = database->number("PRAGMA page_size");
        database.reset();
        std::string bytes = contentOf(m_dyno);
        const std::size_t at = bytes.find("done", std::size_t((page - 1) * size));
        QVERIFY(at != std::string::npos && at < std::size_t(page * size));
        bytes[at] = 'D';
        write(m_dyno, bytes);
        const auto opened = Library::open(m_dyno, Library::Mode::ReadOnly);
        QVERIFY(!opened && has(opened.error().message, "the file is damaged"));
    }

    void keptFiles()
    {
        {
            auto database = must(Database::open(m_dyno, Database::Access::ReadWrite));
            writeArtefact(*database, 1, "run.log", "text/plain", "what it wrote");
            QVERIFY(database->result());
        }
        const auto read = [this] {
            auto library = must(Library::open(m_dyno, Library::Mode::ReadOnly));
            return library->artefact(kFirst, "run.log", [](std::string_view) { return true; });
        };
        QVERIFY(read());
        QCOMPARE(problemsIn(m_dyno), std::vector<std::string>());
        change(m_dyno, "UPDATE artefact SET content = CAST('what it did not write' AS BLOB)");
        QVERIFY(!read());
        QCOMPARE(read().error().remedy, std::string("restore the file from a backup")); // as of all that is damaged
        QVERIFY(has(problemsIn(m_dyno).at(0), "part 1 of the kept files is damaged"));
    }

    //! Old files stay readable, and it is said that they have no seals; their copies have none either.
    void olderFiles()
    {
        const fs::path old = DYNO_TEST_DATA "/library-v5.dyno";
        auto library = must(Library::open(old, Library::Mode::ReadOnly));
        const LibraryCheck check = must(library->check());
        QCOMPARE(check.unsealed, std::int64_t(1));
        QVERIFY(check.problems.empty());
        const std::string id = must(library->sessions()).at(0).id;
        QVERIFY(!must(library->session(id)).sealed);
        auto into = must(Library::open(m_file, Library::Mode::ReadWrite));
        QCOMPARE(must(into->importFile(old)).size(), std::size_t(1));
        QVERIFY(into->rename(id, "x") && into->setTags(id, {"a"}));
        const StoredSession session = must(into->session(id));
        QVERIFY(!session.sealed && session.damage.empty());
        QVERIFY(into->moveWarmupEnd(session.runs[0].id, 50'000'000'000));
        QCOMPARE(must(into->check()).unsealed, std::int64_t(1));
        QVERIFY(must(into->check()).problems.empty());
    }

    //! However many problems there are before them.
    void allWithoutSealsAreCounted()
    {
        auto library = must(Library::open(m_file, Library::Mode::ReadWrite));
        QVERIFY(library->importFile(DYNO_TEST_DATA "/library-v5.dyno"));
        change(m_file, "UPDATE seal SET value = value + 1");
        const LibraryCheck check = must(library->check());
        QCOMPARE(check.problems.size(), std::size_t(100));
        QCOMPARE(check.unsealed, std::int64_t(1));
    }

    //! This file never changes: the first with seals (make_sample_session OUT 1 7 long).
    void versionSix()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v6.dyno";
        QVERIFY(fs::exists(fixture));
        QCOMPARE(must(Database::open(fixture, Database::Access::Immutable))->number("PRAGMA user_version"),
                 std::int64_t(6));
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        const LibraryCheck check = must(library->check());
        QCOMPARE(check.problems, std::vector<std::string>());
        QCOMPARE(check.unsealed, std::int64_t(0));
        const StoredSession session = must(library->session(must(library->sessions()).at(0).id));
        QVERIFY(session.sealed && session.damage.empty());
        QCOMPARE(session.runs.size(), std::size_t(3));
        QCOMPARE(must(library->intervals(session.runs[1].id)).size(), std::size_t(310));
    }

    //! As versionSix(), made by the same command.
    void versionSeven()
    {
        const fs::path fixture = DYNO_TEST_DATA "/library-v7.dyno";
        QCOMPARE(must(Database::open(fixture, Database::Access::Immutable))->number("PRAGMA user_version"),
                 std::int64_t(7));
        auto library = must(Library::open(fixture, Library::Mode::ReadOnly));
        QCOMPARE(must(library->check()).problems, std::vector<std::string>());
        const StoredSession session = must(library->session(must(library->sessions()).at(0).id));
        QVERIFY(session.sealed && session.damage.empty());
        QCOMPARE(session.runs.size(), std::size_t(3));
    }
};

} // namespace dyno::tst_seals

DYNO_SUITE(tst_seals, dyno::tst_seals::TestSeals)
#include "tst_seals.moc"
