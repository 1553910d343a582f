// SPDX-License-Identifier: GPL-3.0-or-later
// The search line: what each word of it finds among sessions of a real library.
#include "store/library/search.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_library_search {
using dyno::test::must;

namespace {

constexpr const char* kFast = "aaaa1111-0000-4000-8000-000000000001";
constexpr const char* kSlow = "bbbb2222-0000-4000-8000-000000000002";
constexpr const char* kOld = "cccc3333-0000-4000-8000-000000000003";

} // namespace

class TestLibrarySearch : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    std::unique_ptr<Library> m_library;

    static void add(const std::filesystem::path& file, const char* id, std::uint64_t seed, const std::string& plan)
    {
        auto writer = must(SessionWriter::open(file));
        sample::Options options;
        options.id = id;
        options.seed = seed;
        options.plan = plan;
        options.intervals = 4;
        sample::feed(*writer, options);
        QVERIFY(writer->flush());
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to)
    {
        const std::size_t at = text.find(from);
        if (at == std::string::npos)
            qFatal("the plan has no %s", from.c_str());
        return text.replace(at, from.size(), to);
    }
    QString found(const char* query)
    {
        QString ids;
        for (const SessionInfo& one : must(m_library->search(query)))
            ids += QString::fromStdString(one.id).left(1);
        return ids;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        const std::filesystem::path file = m_dir.filePath("library.dynolib").toStdString();
        // Started at 2025-11-20 14:13 UTC and ten minutes a seed later.
        add(file, kFast, 0, sample::kPlan);
        add(file, kSlow, 10'000, replaced(sample::kPlan, "table_size = 20000", "table_size = 500000")); // 2026-01-29
        add(file, kOld, 1, replaced(sample::kPlan, "users = [1, 4]", "users = [64]"));
        m_library = must(Library::open(file, Library::Mode::ReadWrite));
        QVERIFY(m_library->rename(kFast, "Fast disk: 100% NVMe"));
        QVERIFY(m_library->setTags(kFast, {"ssd", "Blog Post"}));
        QVERIFY(m_library->setTags(kSlow, {"ssd-old"}));
        QVERIFY(m_library->setNotes(kSlow, "The controller's _cache_ was off"));
        QVERIFY(m_library->rename(kOld, "Archived one"));
        QVERIFY(m_library->setArchived(kOld, true));
    }

    void oneById()
    {
        QCOMPARE(must(m_library->info(kFast)).title, std::string("Fast disk: 100% NVMe"));
        QCOMPARE(must(m_library->info(kFast)).tags, (std::vector<std::string>{"ssd", "Blog Post"}));
        QVERIFY(must(m_library->info(kOld)).archived);
        const auto none = m_library->info("aaaa"); // no prefix
        QVERIFY(!none && none.error().kind == ErrorKind::BadInput);
    }
    void finds_data()
    {
        QTest::addColumn<QByteArray>("query");
        QTest::addColumn<QString>("ids");
        const auto row = [](const char* query, const char* ids) {
            QTest::newRow(query) << QByteArray(query) << QString(ids);
        };
        row("", "ba"); // newest first
        row("fast", "a");
        row("FAST nvme", "a");
        row("fast controller", "");
        row("\"disk: 100%\"", "a");
        row("100%", "a");
        row("%", "a"); // a character, not a pattern
        row("_cache_", "b");
        row("controller's", "b");
        row("aaaa1111", "a");
        row("1111", ""); // an id is known by its beginning
        row("sqlite", "ba");
        row("oltp_update", "ba");
        row("tag:ssd", "a");
        row("tag:SSD", "a");
        row("tag:\"blog post\"", "a");
        row("-tag:ssd", "b");
        row("!fast", "b");
        row("version:3.40", "ba");
        row("version:8.0", "");
        row("workload:non_index", "ba");
        row("workload:linkbench", "");
        row("status:done", "ba");
        row("status:failed", "");
        row("-status:done", "");
        row("synchronous=full", "ba");
        row("connection.synchronous=OFF", "ba");
        row("synchronous=EXTRA", "");
        row("table_size=500000", "b");
        row("workload.table_size=20000", "a");
        row("table_size>20000", "b");
        row("table_size>=20000", "ba");
        row("table_size<500k", "ba"); // 512 000
        row("page_size=4k", "ba");    // a server variable, in units
        row("knob:users=4", "ba");
        row("users=64", "");
        row("users=64 is:any", "c");
        row("users=64 is:archived", "c");
        row("is:archived", "c");
        row("is:any", "bca");
        row("date:2025", "a");
        row("date:2025-11-20", "a");
        row("date:2025-11-21", "");
        row("date:2026-01", "b");
        row("after:2025-12", "b");
        row("before:2025-11-20", "a");
        row("before:2025-11-19", "");
        row("after:2025-11-20 before:2026-12 fast", "a");
        row("sqlite:durability.db", "ba"); // no field of ours: a text
        row("'); DROP TABLE session; --", "");
    }
    void finds()
    {
        QFETCH(QByteArray, query);
        QFETCH(QString, ids);
        QCOMPARE(found(query.constData()), ids);
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("query");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("date") << QByteArray("date:yesterday") << QByteArray("yesterday");
        QTest::newRow("month") << QByteArray("after:2026-13") << QByteArray("2026-13");
        QTest::newRow("day") << QByteArray("before:2026-02-30") << QByteArray("2026-02-30");
        QTest::newRow("year") << QByteArray("date:26") << QByteArray("26");
        QTest::newRow("status") << QByteArray("status:good") << QByteArray("good");
        QTest::newRow("is") << QByteArray("is:nice") << QByteArray("nice");
        QTest::newRow("knob") << QByteArray("knob:flush") << QByteArray("flush");
        QTest::newRow("long") << QByteArray(2000, 'x') << QByteArray("too long");
        QTest::newRow("many parts") << QByteArray("ssd ").repeated(90) << QByteArray("90 parts");
        QTest::newRow("just too many") << QByteArray("a=1 ").repeated(41) << QByteArray("41 parts");
    }
    void refuses()
    {
        QFETCH(QByteArray, query);
        QFETCH(QByteArray, message);
        const auto answer = m_library->search(query.toStdString());
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::BadInput);
        QVERIFY2(answer.error().message.find(message.toStdString()) != std::string::npos,
                 answer.error().text().c_str());
        QVERIFY(!answer.error().remedy.empty());
    }

    //! As many parts as are allowed, of each kind.
    void manyParts_data()
    {
        QTest::addColumn<QByteArray>("part");
        for (const char* part :
             {"nowhere ", "-ssd ", "tag:x ", "-tag:x ", "sync=1 ", "-sync=1 ", "table_size>5 ", "date:2025 ",
              "-date:2025 ", "status:done ", "is:archived ", "-\"two words\" ", "version:10 ", "source:x "})
            QTest::newRow(part) << QByteArray(part);
    }
    void manyParts()
    {
        QFETCH(QByteArray, part);
        const auto answer = m_library->search(part.repeated(40).toStdString());
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().text().c_str());
    }

    //! What was deleted for good leaves nothing to be found by.
    void goneMeansGone()
    {
        QVERIFY(m_library->remove(kSlow));
        QCOMPARE(found("table_size=500000"), QString());
        QVERIFY(m_library->restore(kSlow));
        QCOMPARE(found("table_size=500000"), QString("b"));
        QVERIFY(m_library->remove(kSlow));
        QVERIFY(m_library->purgeRemoved());
        QCOMPARE(found("table_size=500000 is:any"), QString());
        // A session made later may get the same key.
        add(m_dir.filePath("library.dynolib").toStdString(), kSlow, 3, sample::kPlan);
        QCOMPARE(found("table_size=500000 is:any"), QString());
        QCOMPARE(found("table_size=20000"), QString("ba"));
    }
};

} // namespace dyno::tst_library_search

DYNO_SUITE(tst_library_search, dyno::tst_library_search::TestLibrarySearch)
#include "tst_library_search.moc"
