// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/run_status_text.h"
#include "sessions/session_model.h"
#include "support/suite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace dyno::tst_session_model {

namespace {

SessionInfo info(const char* id, const char* title, std::int64_t started, std::vector<std::string> tags = {})
{
    SessionInfo session;
    session.id = id;
    session.title = title;
    session.startedMs = started;
    session.tags = std::move(tags);
    session.workload = "oltp_read_write";
    session.product = "SQLite 3.40.1";
    session.target = "sqlite:a.db";
    session.runsDone = session.runsPlanned = 6;
    return session;
}

QStringList titles(const QAbstractItemModel& model)
{
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list += model.index(row, SessionModel::Title).data().toString();
    return list;
}

} // namespace

class TestSessionModel : public QObject
{
    Q_OBJECT
private slots:
    void keepsRowsThatStay();
    void renamesOnlyToSomething();
    void editsTags();
    void saysWhenASessionWasCutOff();
    void sortsByTimeNotByText();
    void digestsStayUntilFiguresChange();
};

//! A title or a tag changes no figure; more runs or another status do. What is shown stays until a new one is there.
void TestSessionModel::digestsStayUntilFiguresChange()
{
    SessionModel model;
    SessionInfo session = info("a", "before", 1);
    SessionDigest digest;
    digest.verdict = QStringLiteral("A is faster");
    const auto wanted = [&] { return model.wantsDigest(*model.find("a")); };
    model.setSessions({session});
    QVERIFY(wanted());
    model.setDigest("a", digest);
    QVERIFY(!wanted());
    session.title = "after";
    session.tags = {"disk"};
    session.archived = true;
    model.setSessions({session});
    QVERIFY(!wanted());
    session.runsDone = 7;
    model.setSessions({session});
    QVERIFY(wanted());
    QCOMPARE(model.digest("a")->verdict, digest.verdict);
    model.setDigest("a", digest);
    session.status = RunStatus::Stopped;
    model.setSessions({session});
    QVERIFY(wanted());
    // One that cannot be read is not asked for again and again, and takes away nothing.
    model.keepDigest("a");
    QVERIFY(!wanted());
    QCOMPARE(model.digest("a")->verdict, digest.verdict);
    model.setSessions({session});
    QVERIFY(wanted());
    model.setDigest("a", digest);
    model.forgetDigest("a");
    QVERIFY(wanted());
    QCOMPARE(model.digest("a")->verdict, digest.verdict);
    QCOMPARE(endingText(RunStatus::Stopped, 8, 18), QStringLiteral("stopped, 8 of 18 runs"));
    QCOMPARE(endingText(RunStatus::Damaged, 18, 18), QStringLiteral("damaged, 18 runs"));
}

void TestSessionModel::keepsRowsThatStay()
{
    SessionModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setSessions({info("c", "third", 3), info("b", "second", 2), info("a", "first", 1)});
    QCOMPARE(titles(model), (QStringList{"third", "second", "first"}));
    const QPersistentModelIndex second = model.index(1, 0);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    // one goes, one comes, one gets another title, the order changes
    model.setSessions({info("d", "fourth", 4), info("a", "first, renamed", 1), info("b", "second", 2)});
    QCOMPARE(titles(model), (QStringList{"fourth", "first, renamed", "second"}));
    QVERIFY(second.isValid());
    QCOMPARE(second.row(), 2);
    QCOMPARE(second.data().toString(), "second");
    QCOMPARE(resets.count(), 0);
    QCOMPARE(changes.count(), 1);
    QCOMPARE(model.rowOf("a"), 1);
    QCOMPARE(model.rowOf("c"), -1);
    model.setSessions({});
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!second.isValid());
}

void TestSessionModel::renamesOnlyToSomething()
{
    SessionModel model;
    model.setSessions({info("a", "before", 1)});
    QSignalSpy renames(&model, &SessionModel::renameRequested);
    const QModelIndex at = model.index(0, SessionModel::Title);
    QVERIFY(at.flags().testFlag(Qt::ItemIsEditable));
    QVERIFY(!model.index(0, SessionModel::When).flags().testFlag(Qt::ItemIsEditable));
    QVERIFY(!model.setData(at, "   ", Qt::EditRole));
    QVERIFY(!model.setData(at, "before", Qt::EditRole));
    QCOMPARE(renames.count(), 0);
    QVERIFY(model.setData(at, "  after  all ", Qt::EditRole));
    QCOMPARE(at.data().toString(), "after all");
    QCOMPARE(renames.count(), 1);
    QCOMPARE(renames.front(), (QVariantList{"a", "after all"}));
}

void TestSessionModel::editsTags()
{
    QCOMPARE(SessionModel::splitTags(" wal,  Big  disk, ,WAL, nvme"), (QStringList{"wal", "Big disk", "nvme"}));
    SessionModel model;
    model.setSessions({info("a", "x", 1, {"wal"})});
    QSignalSpy spy(&model, &SessionModel::tagsRequested);
    const QModelIndex at = model.index(0, SessionModel::Tags);
    QVERIFY(!model.setData(at, "wal", Qt::EditRole));
    QVERIFY(model.setData(at, "wal, nvme", Qt::EditRole));
    QCOMPARE(at.data(SessionModel::TagsRole).toStringList(), (QStringList{"wal", "nvme"}));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.front().at(1).toStringList(), (QStringList{"wal", "nvme"}));
}

void TestSessionModel::saysWhenASessionWasCutOff()
{
    SessionModel model;
    SessionInfo cut = info("a", "x", 1);
    cut.status = RunStatus::Cut;
    cut.runsDone = 2;
    model.setSessions({cut});
    QCOMPARE(model.index(0, SessionModel::Status).data().toString(), "cut off");
    QCOMPARE(model.index(0, SessionModel::Runs).data().toString(), "2 of 6");
    QVERIFY(model.index(0, SessionModel::Status).data(Qt::ToolTipRole).toString().contains("is kept"));
}

void TestSessionModel::sortsByTimeNotByText()
{
    SessionModel model;
    SessionFilter filter;
    filter.setSourceModel(&model);
    // 9 Sep 2001 and 10 Sep 2001: "10 …" would stand before "9 …" as text
    model.setSessions({info("new", "new", 1000080000000), info("old", "old", 1000000000000)});
    filter.sort(SessionModel::When, Qt::AscendingOrder);
    QCOMPARE(titles(filter), (QStringList{"old", "new"}));
    filter.sort(SessionModel::When, Qt::DescendingOrder);
    QCOMPARE(titles(filter), (QStringList{"new", "old"}));
}

} // namespace dyno::tst_session_model

DYNO_WIDGET_SUITE(tst_session_model, dyno::tst_session_model::TestSessionModel)
#include "tst_session_model.moc"
