// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a real PostgreSQL that somebody else runs: by ALTER SYSTEM, back without a trace, and a restart, which
// nobody but its owner can do, refused before anything is changed.
#include "server/remote/remote_knobs.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"

#include <QFile>
#include <QTest>

namespace dyno::tst_remote_knobs_postgresql {
using namespace dyno::test;

class TestRemoteKnobsPostgresql : public QObject
{
    Q_OBJECT

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::vector<KnobChange> m_announced;

    [[nodiscard]] RemoteDoor door() const
    {
        RemoteDoor door;
        door.driver = "postgresql";
        door.shown = m_server.uriText();
        door.connect = [this] { return m_server.admin(); };
        return door;
    }
    KnobGuard::Announce note()
    {
        return [this](const KnobChange& change) -> Expected<void> {
            m_announced.push_back(change);
            return {};
        };
    }
    std::string value(const char* name) { return m_admin->variable(name).value_or("(unknown)"); }
    //! The lines that ALTER SYSTEM has left.
    [[nodiscard]] QByteArrayList altered() const
    {
        QFile file(QString::fromStdString((m_server.folder() / "data/postgresql.auto.conf").string()));
        if (!file.open(QIODevice::ReadOnly))
            return {"no file"};
        QByteArrayList lines = file.readAll().split('\n');
        lines.removeIf([](const QByteArray& line) { return line.isEmpty() || line.startsWith('#'); });
        return lines;
    }

private slots:
    void initTestCase() { DYNO_START_POSTGRESQL(m_server); }
    void init()
    {
        m_announced.clear();
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    void cleanup()
    {
        QVERIFY(m_admin->execute("ALTER SYSTEM RESET ALL"));
        QVERIFY(m_admin->setVariable("work_mem", std::string("default")));
        m_admin.reset();
    }

    void changesGoBackWithoutATrace()
    {
        // One of the owner's own: it comes back as it was.
        QVERIFY(m_admin->setVariable("checkpoint_timeout", std::string("600")));
        const QByteArrayList before = altered();
        QCOMPARE(before.size(), 1);
        RemoteKnobs knobs(door(), note());
        for (const std::int64_t size : {16, 64}) { // two points
            const auto set = knobs.apply(m_admin, {{"work_mem", size << 20},
                                                   {"synchronous_commit", std::string("off")},
                                                   {"checkpoint_timeout", std::int64_t(900)}});
            QVERIFY2(set, set ? "" : set.error().text().c_str());
            QCOMPARE(textOf(*set, "work_mem"), std::to_string(size << 20));
            QCOMPARE(value("synchronous_commit"), std::string("off"));
            QCOMPARE(altered().size(), 3);
        }
        QVERIFY(knobs.changed());
        QVERIFY(m_announced.size() >= 3 && m_announced.front().oldValue != m_announced.front().newValue);
        const auto restored = knobs.restore(m_admin);
        QVERIFY2(restored, restored ? "" : restored.error().text().c_str());
        QVERIFY(!knobs.changed() && knobs.notRestored().empty());
        QCOMPARE(altered(), before);
        QCOMPARE(value("work_mem"), std::to_string(4 << 20));
        QCOMPARE(value("synchronous_commit"), std::string("on"));
        QCOMPARE(value("checkpoint_timeout"), std::string("600"));
    }

    void aRestartIsRefusedAndNothingChanged()
    {
        RemoteKnobs knobs(door(), note());
        // One that the catalogue knows, one that only the server does, and one that it could have set.
        const auto refused = knobs.apply(m_admin, {{"shared_buffers", std::int64_t(64) << 20},
                                                   {"max_locks_per_transaction", std::int64_t(128)},
                                                   {"work_mem", std::int64_t(16) << 20}});
        QVERIFY(!refused);
        const std::string text = refused.error().text();
        for (const char* part : {"shared_buffers", "max_locks_per_transaction", "need a restart", "nothing was changed",
                                 "is not started by Dynobench", "managed:", "--apply"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY(m_announced.empty() && !knobs.changed());
        QVERIFY(altered().isEmpty());
        QCOMPARE(value("work_mem"), std::to_string(4 << 20));
        // What has the wanted value already needs no restart.
        const auto same = knobs.apply(m_admin, {{"shared_buffers", std::string("32MB")}});
        QVERIFY2(same, same ? "" : same.error().text().c_str());
    }

    void halfAPointGoesBack()
    {
        RemoteKnobs knobs(door(), note());
        const auto failed =
            knobs.apply(m_admin, {{"autovacuum", false}, {"work_mem", std::int64_t(1)}}); // less than its least
        QVERIFY(!failed);
        QVERIFY2(failed.error().text().find("work_mem=1 ") != std::string::npos, failed.error().text().c_str());
        QCOMPARE(value("autovacuum"), std::string("on"));
        QVERIFY(altered().isEmpty());
        QVERIFY(!knobs.changed());
    }

    //! As after a crash of ours: by what was written down before the change.
    void changesOfACrashGoBack()
    {
        QVERIFY(m_admin->setVariable("work_mem", std::int64_t(16) << 20));
        const std::vector<KnobChange> left{{"work_mem", std::to_string(4 << 20), std::to_string(16 << 20)}};
        const auto back = putBackAll(door(), m_admin, left, {.afterCrash = true});
        QCOMPARE(back.at(0).outcome, RestoreOutcome::Restored);
        QCOMPARE(value("work_mem"), std::to_string(4 << 20));
        QVERIFY(altered().isEmpty());
        // What somebody has changed since is theirs.
        QVERIFY(m_admin->setVariable("work_mem", std::int64_t(8) << 20));
        QCOMPARE(putBackAll(door(), m_admin, left, {.afterCrash = true}).at(0).outcome, RestoreOutcome::OthersValue);
        QCOMPARE(value("work_mem"), std::to_string(8 << 20));
    }
};

} // namespace dyno::tst_remote_knobs_postgresql

DYNO_SUITE(tst_remote_knobs_postgresql, dyno::tst_remote_knobs_postgresql::TestRemoteKnobsPostgresql)
#include "tst_remote_knobs_postgresql.moc"
