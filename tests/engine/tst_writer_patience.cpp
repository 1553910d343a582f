// SPDX-License-Identifier: GPL-3.0-or-later
// What the writer does while another program holds the library.
#include "store/library/database.h"
#include "store/session/seals.h"
#include "store/session/session_writer.h"
#include "store_sample.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/library.h>

#include <QTemporaryDir>
#include <QTest>

#include <atomic>

namespace dyno::tst_writer_patience {
using dyno::test::must;

class TestWriterPatience : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

private slots:
    //! Longer than one try takes, and longer than the patience lasts.
    void anotherProgramHoldsTheLibrary_data()
    {
        QTest::addColumn<int>("queued");
        QTest::addColumn<bool>("letGo");
        QTest::newRow("let go in time") << 4096 << true;
        QTest::newRow("too much is queued") << 5 << false;
        QTest::newRow("somebody waits for it") << 4096 << false;
    }

    void anotherProgramHoldsTheLibrary()
    {
        QFETCH(int, queued);
        QFETCH(bool, letGo);
        const std::filesystem::path file = m_dir.filePath(QTest::currentDataTag()).toStdString() + ".dynolib";
        std::atomic<int> tries = 0;
        auto writer = must(SessionWriter::open(
            file,
            {.busyMs = 10, .queued = std::size_t(queued), .triesWhenWaitedFor = 3, .onHeld = [&tries] { ++tries; }}));
        SessionHeader session = sample::header();
        writer->onSessionStarted(session);
        QVERIFY(writer->flush());
        auto other = must(Database::open(file, Database::Access::ReadWrite));
        other->exec("BEGIN IMMEDIATE; UPDATE session SET notes = 'of the other'");
        Seals(*other, other->number("SELECT key FROM session")).set(SealPart::Notes);
        QVERIFY(other->result());
        sample::feedRun(*writer, session, 0);
        if (queued > 100)
            QTRY_VERIFY_WITH_TIMEOUT(tries >= 5, 20000);
        if (letGo) {
            other->exec("COMMIT");
            QVERIFY(other->result());
            sample::feedRun(*writer, session, 1);
            QVERIFY(writer->flush());
        } else {
            const auto flushed = writer->flush();
            QVERIFY(!flushed);
            QVERIFY2(QString::fromStdString(flushed.error().text())
                         .contains(QLatin1String("another program holds the library")),
                     flushed.error().text().c_str());
            other->exec("COMMIT");
            QVERIFY(other->result());
            QVERIFY(writer->problem().has_value() && writer->keptShare() > 0);
            QVERIFY(writer->flush()); // what stayed in memory is written now
            QVERIFY(!writer->problem());
            QCOMPARE(writer->keptShare(), 0.0);
        }
        writer.reset();
        auto library = must(Library::open(file, Library::Mode::ReadOnly));
        const auto stored = must(library->session(session.id));
        QCOMPARE(stored.info.notes, std::string("of the other"));
        QCOMPARE(stored.damage, std::vector<std::string>());
        QVERIFY(stored.info.status == RunStatus::Cut);
        QCOMPARE(stored.runs.size(), std::size_t(letGo ? 2 : 1));
        for (const StoredRun& run : stored.runs)
            QCOMPARE(must(library->intervals(run.id)).size(), std::size_t(20));
    }
};

} // namespace dyno::tst_writer_patience

DYNO_SUITE(tst_writer_patience, dyno::tst_writer_patience::TestWriterPatience)
#include "tst_writer_patience.moc"
