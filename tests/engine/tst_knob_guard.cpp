// SPDX-License-Identifier: GPL-3.0-or-later
// Changing a real server's variables and putting them back.
#include "server/knobs/knob_guard.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_knob_guard {

class TestKnobGuard : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void appliesAndRestores();
    void announcesTheFirstOldValue();
    void goesBackWhenAPointDoesNotWantIt();
    void leavesAloneWhatIsRight();
    void unknownNameChangesNothing();
    void restartKnob();
    void valueThatTheServerDoesNotTake();
    void knobsThatMoveEachOther();
    void whatIsMovedAlongGoesBack_data();
    void whatIsMovedAlongGoesBack();
    void movedAlongOverPoints();
    void refusedAnnouncementCancels();
    void othersChangesAreLeftAlone();
    void othersChangesDuringAFailedPoint();
    void bufferPoolResize();

private:
    std::string value(const char* name) { return m_admin->variable(name).value_or("(unknown)"); }

    test::MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::vector<KnobChange> m_announced;
    KnobGuard::Announce m_note = [this](const KnobChange& change) -> Expected<void> {
        m_announced.push_back(change);
        return {};
    };
};

void TestKnobGuard::initTestCase()
{
    DYNO_START_MARIADB(m_server);
    auto admin = m_server.admin();
    QVERIFY(admin);
    m_admin = std::move(*admin);
}

void TestKnobGuard::init()
{
    m_announced.clear();
    QVERIFY(m_admin->setVariable("sync_binlog", std::int64_t(0)));
    QVERIFY(m_admin->setVariable("innodb_io_capacity", std::int64_t(200)));
    QVERIFY(m_admin->setVariable("innodb_flush_log_at_trx_commit", std::int64_t(1)));
}

void TestKnobGuard::appliesAndRestores()
{
    KnobGuard guard(m_note);
    const auto inForce = guard.apply(*m_admin, {{"sync_binlog", std::int64_t(1)},
                                                {"innodb_flush_log_at_trx_commit", std::int64_t(2)},
                                                {"innodb_adaptive_hash_index", true},
                                                {"binlog_row_image", std::string("minimal")}});
    QVERIFY2(inForce, inForce ? "" : inForce.error().text().c_str());
    QCOMPARE(textOf(*inForce, "sync_binlog"), std::string("1"));
    QCOMPARE(textOf(*inForce, "innodb_adaptive_hash_index"), std::string("ON"));
    QCOMPARE(value("innodb_flush_log_at_trx_commit"), std::string("2"));
    QCOMPARE(value("binlog_row_image"), std::string("MINIMAL"));
    QCOMPARE(guard.changes().size(), std::size_t(4));
    QCOMPARE(m_announced.size(), std::size_t(4));
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QCOMPARE(value("innodb_flush_log_at_trx_commit"), std::string("1"));
    QCOMPARE(value("innodb_adaptive_hash_index"), std::string("OFF"));
    QCOMPARE(value("binlog_row_image"), std::string("FULL"));
    QVERIFY(guard.changes().empty());
}

void TestKnobGuard::announcesTheFirstOldValue()
{
    KnobGuard guard(m_note);
    QVERIFY(guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}}));
    QVERIFY(guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(400)}}));
    QCOMPARE(m_announced.size(), std::size_t(2));
    QCOMPARE(m_announced[0].oldValue, std::string("200"));
    QCOMPARE(m_announced[0].newValue, std::string("300"));
    // Whoever restores after a crash must find the value from before Dynobench in each record.
    QCOMPARE(m_announced[1].oldValue, std::string("200"));
    QCOMPARE(m_announced[1].newValue, std::string("400"));
    QCOMPARE(guard.changes().size(), std::size_t(1));
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
}

void TestKnobGuard::goesBackWhenAPointDoesNotWantIt()
{
    KnobGuard guard(m_note);
    QVERIFY(guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"sync_binlog", std::int64_t(5)}}));
    QVERIFY(guard.apply(*m_admin, {{"sync_binlog", std::int64_t(5)}}));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(value("sync_binlog"), std::string("5"));
    QVERIFY(guard.apply(*m_admin, {}));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QVERIFY(guard.changes().empty());
}

void TestKnobGuard::leavesAloneWhatIsRight()
{
    KnobGuard guard(m_note);
    // log_bin cannot be changed, but it is what is wanted.
    const bool binlog = value("log_bin") == "ON";
    const auto inForce = guard.apply(*m_admin, {{"log_bin", binlog}, {"innodb_io_capacity", std::string("200")}});
    QVERIFY2(inForce, inForce ? "" : inForce.error().text().c_str());
    QVERIFY(m_announced.empty());
    QVERIFY(guard.changes().empty());
    QCOMPARE(inForce->size(), std::size_t(2));
}

void TestKnobGuard::unknownNameChangesNothing()
{
    KnobGuard guard(m_note);
    const auto result = guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"zzz_unknown", true}});
    QVERIFY(!result);
    QVERIFY(result.error().text().find("zzz_unknown") != std::string::npos);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QVERIFY(m_announced.empty());
}

void TestKnobGuard::restartKnob()
{
    KnobGuard guard(m_note);
    const bool binlog = value("log_bin") == "ON";
    const auto result = guard.apply(*m_admin, {{"log_bin", !binlog}});
    QVERIFY(!result);
    QVERIFY2(result.error().text().find("restart") != std::string::npos, result.error().text().c_str());
    QVERIFY(guard.restore(*m_admin));
}

void TestKnobGuard::valueThatTheServerDoesNotTake()
{
    KnobGuard guard(m_note);
    const auto result = guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(1)}}); // least is 100
    QVERIFY(!result);
    const std::string text = result.error().text();
    QVERIFY2(text.find("innodb_io_capacity=1 ") != std::string::npos, text.c_str());
    QVERIFY2(text.find("innodb_io_capacity=100") != std::string::npos, text.c_str());
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
}

void TestKnobGuard::knobsThatMoveEachOther()
{
    const std::string most = value("innodb_io_capacity_max");
    KnobGuard guard(m_note);
    // The server lowers the one when the other is set below it.
    const auto result = guard.apply(
        *m_admin, {{"innodb_io_capacity", std::int64_t(150)}, {"innodb_io_capacity_max", std::int64_t(120)}});
    QVERIFY(!result);
    const std::string text = result.error().text();
    QVERIFY2(text.find("innodb_io_capacity=150 was asked for") != std::string::npos, text.c_str());
    QVERIFY2(text.find("innodb_io_capacity=120 is in force") != std::string::npos, text.c_str());
    QCOMPARE(value("innodb_io_capacity_max"), most);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QVERIFY(guard.changes().empty());
}

void TestKnobGuard::whatIsMovedAlongGoesBack_data()
{
    QTest::addColumn<QString>("mover");
    QTest::addColumn<int>("value");
    QTest::addColumn<QString>("moved");
    QTest::newRow("capacity above its maximum") << "innodb_io_capacity" << 3000 << "innodb_io_capacity_max";
    QTest::newRow("maximum below the capacity") << "innodb_io_capacity_max" << 120 << "innodb_io_capacity";
    QTest::newRow("dirty pages below the low water mark")
        << "innodb_max_dirty_pages_pct" << 5 << "innodb_max_dirty_pages_pct_lwm";
}

void TestKnobGuard::whatIsMovedAlongGoesBack()
{
    QFETCH(QString, mover);
    QFETCH(int, value);
    QFETCH(QString, moved);
    QVERIFY(m_admin->setVariable("innodb_max_dirty_pages_pct_lwm", std::int64_t(10)));
    const std::string name = mover.toStdString(), other = moved.toStdString();
    const std::string nameBefore = this->value(name.c_str()), otherBefore = this->value(other.c_str());
    std::string atAnnouncement;
    KnobGuard guard([&](const KnobChange& change) -> Expected<void> {
        m_announced.push_back(change);
        if (change.name == other)
            atAnnouncement = m_admin->variable(other).value_or("");
        return {};
    });
    for (int repeat = 0; repeat < 2; ++repeat) { // a point again changes nothing
        const auto inForce = guard.apply(*m_admin, {{name, std::int64_t(value)}});
        QVERIFY2(inForce, inForce ? "" : inForce.error().text().c_str());
        QVERIFY(this->value(other.c_str()) != otherBefore);
        QCOMPARE(m_announced.size(), std::size_t(2));
    }
    QCOMPARE(atAnnouncement, otherBefore); // written down before it happened
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(this->value(name.c_str()), nameBefore);
    QCOMPARE(this->value(other.c_str()), otherBefore);
    QVERIFY(guard.changes().empty());
    QVERIFY(m_admin->setVariable("innodb_max_dirty_pages_pct_lwm", std::int64_t(0)));
}

//! A point is the same whatever came before it.
void TestKnobGuard::movedAlongOverPoints()
{
    const std::string most = value("innodb_io_capacity_max");
    KnobGuard guard(m_note);
    const auto apply = [&](const Settings& wanted) {
        const auto done = guard.apply(*m_admin, wanted);
        if (!done)
            qWarning("%s", done.error().text().c_str());
        return done.has_value();
    };
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(3000)}}));
    QCOMPARE(value("innodb_io_capacity_max"), std::string("6000"));
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(4000)}}));
    QCOMPARE(value("innodb_io_capacity_max"), std::string("8000"));
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(4000)}, {"sync_binlog", std::int64_t(1)}}));
    QCOMPARE(value("innodb_io_capacity_max"), std::string("8000"));
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(300)}}));
    QCOMPARE(value("innodb_io_capacity_max"), most);
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(3000)}, {"innodb_io_capacity_max", std::int64_t(5000)}}));
    QVERIFY(apply({{"innodb_io_capacity", std::int64_t(3000)}}));
    QCOMPARE(value("innodb_io_capacity"), std::string("3000"));
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(value("innodb_io_capacity_max"), most);
}

//! What somebody else sets while a point is being set up is not ours to put back, nor is it forgotten.
void TestKnobGuard::othersChangesDuringAFailedPoint()
{
    KnobGuard guard([&](const KnobChange& change) -> Expected<void> {
        if (change.name == "sync_binlog")
            return m_admin->setVariable("innodb_io_capacity", std::int64_t(555));
        return {};
    });
    const auto result =
        guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"sync_binlog", std::int64_t(1)}});
    QVERIFY(!result);
    QVERIFY2(result.error().text().find("555") != std::string::npos, result.error().text().c_str());
    QCOMPARE(value("innodb_io_capacity"), std::string("555"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QVERIFY(guard.changes().empty());
    QCOMPARE(guard.notRestored(), std::vector<std::string>{"innodb_io_capacity"});
}

void TestKnobGuard::refusedAnnouncementCancels()
{
    KnobGuard guard([](const KnobChange&) -> Expected<void> {
        return fail({ErrorKind::Storage, "disk full", {}, {}});
    });
    const auto result = guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Storage);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QVERIFY(guard.changes().empty());
}

void TestKnobGuard::othersChangesAreLeftAlone()
{
    KnobGuard guard(m_note);
    QVERIFY(guard.apply(*m_admin, {{"innodb_io_capacity", std::int64_t(300)}, {"sync_binlog", std::int64_t(1)}}));
    QVERIFY(m_admin->setVariable("innodb_io_capacity", std::int64_t(555)));
    const auto result = guard.restore(*m_admin);
    QVERIFY(!result);
    const std::string text = result.error().text();
    QVERIFY2(text.find("555") != std::string::npos && text.find("200") != std::string::npos, text.c_str());
    QCOMPARE(value("innodb_io_capacity"), std::string("555"));
    QCOMPARE(value("sync_binlog"), std::string("0")); // the others are still put back
}

//! The server answers before it has finished.
void TestKnobGuard::bufferPoolResize()
{
    const std::string before = value("innodb_buffer_pool_size");
    KnobGuard guard(m_note);
    const auto inForce = guard.apply(*m_admin, {{"innodb_buffer_pool_size", std::string("256M")}});
    QVERIFY2(inForce, inForce ? "" : inForce.error().text().c_str());
    QCOMPARE(textOf(*inForce, "innodb_buffer_pool_size"), std::string("268435456"));
    // Whoever puts it back after a crash compares with what the server says.
    QCOMPARE(m_announced.at(0).newValue, std::string("268435456"));
    QVERIFY(guard.restore(*m_admin));
    QCOMPARE(value("innodb_buffer_pool_size"), before);
}

} // namespace dyno::tst_knob_guard

DYNO_SUITE(tst_knob_guard, dyno::tst_knob_guard::TestKnobGuard)
#include "tst_knob_guard.moc"
