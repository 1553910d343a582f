// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that a session changed on a real server and did not put back.
#include "recording_sink.h"
#include "server/host/host_knobs.h"
#include "store/library/database.h"
#include "store/library/knob_changes.h"
#include "store/session/session_writer.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"

#include <dyno/library.h>
#include <dyno/machine_settings.h>
#include <dyno/restore.h>
#include <dyno/uri.h>

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <stdexcept>

namespace dyno::tst_left_changes {
using namespace dyno::test;

class TestLeftChanges : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void nothing();
    void putsBack();
    void wasBack();
    void anothersValue();
    void aLivingOwner();
    void serverThatIsGone();
    void onlyTheNamedServer();
    void forgets();
    void ofAnotherMachine();
    void theNextSessionPutsBackFirst();
    void sessionsOfOneServerRestoreTheirOwn();
    void aPointThatFailedLeavesNothing();
    void anExceptionPutsBack();
    void unaskedLeavesProductionAlone();
    void aStrangersListIsNotObeyed();
    void aDamagedRecordIsNotObeyed();
    void passwordStaysWithItsServer();
    void preparingChangesNoHost();
    void hostSettingsOfARemoteTarget();
    void hostSettingsAreShown();

private:
    std::string value(const char* name) { return m_admin->variable(name).value_or("(unknown)"); }
    //! A session that changed this and was killed.
    void leave(const std::string& target, const std::string& name, const std::string& from, const std::string& to)
    {
        auto writer = SessionWriter::open(m_library);
        QVERIFY(writer);
        SessionHeader header;
        header.id = "00000000-0000-4000-8000-" + std::to_string(100000000000 + ++m_sessions);
        header.plan.target.uri = target;
        (*writer)->onSessionStarted(header);
        const auto recorded = (*writer)->recordKnobChange(target, name, from, to);
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
    }
    std::vector<RestoredKnob> restore(const std::string& target = {}, bool overwrite = false)
    {
        auto restored = restoreLeftChanges(m_library, target, {}, overwrite);
        if (!restored)
            qWarning("%s", restored.error().text().c_str());
        return restored.value_or(std::vector<RestoredKnob>());
    }
    std::size_t left() { return leftChanges(m_library).value_or(std::vector<LeftChange>(99)).size(); }
    Plan plan(const Settings& set) const
    {
        Plan plan;
        plan.target.uri = m_target;
        plan.workload.name = "oltp_point_select";
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
        plan.set = set;
        plan.load.timeSeconds = 0.5;
        plan.load.intervalSeconds = 0.5;
        return plan;
    }

    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_library;
    std::string m_target;
    std::int64_t m_sessions = 0;
};

void TestLeftChanges::initTestCase()
{
    DYNO_START_MARIADB(m_server);
    auto admin = m_server.admin();
    QVERIFY(admin);
    m_admin = std::move(*admin);
    m_target = m_server.uriText();
}

void TestLeftChanges::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", m_dir->path().toUtf8());
    m_library = m_dir->filePath("library.dynolib").toStdString();
    for (const char* set : {"sync_binlog=0", "innodb_io_capacity=200"})
        QVERIFY(m_admin->execute(std::string("SET GLOBAL ") + set));
}

void TestLeftChanges::nothing()
{
    QCOMPARE(left(), std::size_t(0));
    QVERIFY(restore().empty());
    QVERIFY(!std::filesystem::exists(m_library)); // looking makes no library
}

void TestLeftChanges::putsBack()
{
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=1"));
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    leave(m_target, "sync_binlog", "0", "1");
    leave(m_target, "innodb_io_capacity", "200", "300");
    const auto listed = leftChanges(m_library);
    QVERIFY(listed);
    QCOMPARE(listed->size(), std::size_t(2));
    QCOMPARE(listed->front().target, m_target);
    QCOMPARE(listed->front().oldValue, std::string("0"));
    QVERIFY(!listed->front().ownerAlive && listed->front().changedMs > 0);
    const auto restored = restore();
    QCOMPARE(restored.size(), std::size_t(2));
    for (const RestoredKnob& knob : restored) {
        QCOMPARE(knob.outcome, RestoreOutcome::Restored);
        QCOMPARE(knob.target, m_target);
    }
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(left(), std::size_t(0));
}

void TestLeftChanges::wasBack()
{
    leave(m_target, "sync_binlog", "0", "1"); // written down, but killed before SET GLOBAL
    const auto restored = restore();
    QCOMPARE(restored.size(), std::size_t(1));
    QCOMPARE(restored[0].outcome, RestoreOutcome::WasBack);
    QCOMPARE(left(), std::size_t(0));
}

void TestLeftChanges::anothersValue()
{
    leave(m_target, "innodb_io_capacity", "200", "300");
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=555"));
    auto restored = restore();
    QCOMPARE(restored.size(), std::size_t(1));
    QCOMPARE(restored[0].outcome, RestoreOutcome::OthersValue);
    QCOMPARE(restored[0].foundValue, std::string("555"));
    QCOMPARE(value("innodb_io_capacity"), std::string("555"));
    QCOMPARE(left(), std::size_t(1)); // still shown
    restored = restore({}, true);
    QCOMPARE(restored.at(0).outcome, RestoreOutcome::Restored);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(left(), std::size_t(0));
}

void TestLeftChanges::aLivingOwner()
{
    auto writer = SessionWriter::open(m_library);
    QVERIFY(writer);
    SessionHeader header;
    header.id = "00000000-0000-4000-8000-000000000001";
    (*writer)->onSessionStarted(header);
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    QVERIFY((*writer)->recordKnobChange(m_target, "innodb_io_capacity", "200", "300"));
    QVERIFY(leftChanges(m_library)->at(0).ownerAlive);
    QVERIFY(restore().empty());
    QVERIFY(restore(m_target, true).empty());
    QCOMPARE(value("innodb_io_capacity"), std::string("300"));
    const auto refused = forgetLeftChanges(m_library, m_target);
    QVERIFY(!refused);
    QCOMPARE(left(), std::size_t(1));
}

void TestLeftChanges::serverThatIsGone()
{
    const std::string gone = "mysql://root@127.0.0.1:1/test";
    leave(gone, "sync_binlog", "0", "1");
    leave(m_target, "sync_binlog", "0", "1");
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=1"));
    const auto restored = restore();
    QCOMPARE(restored.size(), std::size_t(2)); // one that does not answer does not hold up the other
    for (const RestoredKnob& knob : restored) {
        QCOMPARE(knob.outcome, knob.target == gone ? RestoreOutcome::Failed : RestoreOutcome::Restored);
        QVERIFY(knob.target != gone || !knob.text.empty());
    }
    QCOMPARE(value("sync_binlog"), std::string("0"));
    const auto rest = leftChanges(m_library);
    QCOMPARE(rest->size(), std::size_t(1));
    QCOMPARE(rest->front().target, gone);
    QVERIFY(!rest->front().ownerAlive); // somebody else may try
}

void TestLeftChanges::onlyTheNamedServer()
{
    leave(m_target, "sync_binlog", "0", "1");
    leave("mysql://root@127.0.0.1:1/test", "sync_binlog", "0", "1");
    // The same server under another database.
    TargetUri other = m_server.uri();
    other.database = "information_schema";
    QCOMPARE(restore(other.display()).size(), std::size_t(1));
    QCOMPARE(left(), std::size_t(1));
}

void TestLeftChanges::forgets()
{
    leave(m_target, "innodb_io_capacity", "150", "200");
    QVERIFY(forgetLeftChanges(m_library, m_target));
    QCOMPARE(left(), std::size_t(0));
    QCOMPARE(value("innodb_io_capacity"), std::string("200")); // the server is not touched
    QVERIFY(!forgetLeftChanges(m_library, m_target));
}

void TestLeftChanges::ofAnotherMachine()
{
    leave("host:somewhere-else", "transparent_hugepage", "always", "never");
    auto restored = restore();
    QCOMPARE(restored.at(0).outcome, RestoreOutcome::Failed);
    QVERIFY(restored[0].text.find("another machine") != std::string::npos);
    QVERIFY(forgetLeftChanges(m_library, "host:somewhere-else"));
    // Of this one: what is in force already is back, without the right to write.
    HostKnobs machine;
    const auto now = machine.variable("transparent_hugepage");
    if (!now)
        return; // shows none
    leave(hostTarget(), "transparent_hugepage", *now, "something-else");
    restored = restore();
    QCOMPARE(restored.at(0).outcome, RestoreOutcome::WasBack);
    QCOMPARE(left(), std::size_t(0));
}

//! Whether an event of the last run begins so.
static bool tells(const RecordingSink& sink, std::string_view begin)
{
    return !sink.events.empty() && std::ranges::any_of(sink.events.back(), [begin](const RunEvent& event) {
        return event.kind == EventKind::Knob && event.text.starts_with(begin);
    });
}

void TestLeftChanges::theNextSessionPutsBackFirst()
{
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    leave(m_target, "innodb_io_capacity", "200", "300");
    RunnerOptions options;
    options.consent.allow("all");
    options.library = m_library;
    options.workDir = m_dir->path().toStdString();
    RecordingSink sink;
    SessionRunner runner(plan({{"server.sync_binlog", std::int64_t(1)}}), options, {&sink});
    runner.start();
    runner.wait();
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    QCOMPARE(textOf(sink.runs.at(0).server.variables, "innodb_io_capacity"), std::string("200")); // before it measured
    QCOMPARE(textOf(sink.runs.at(0).server.variables, "sync_binlog"), std::string("1"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QCOMPARE(left(), std::size_t(0));
    QVERIFY(tells(sink, "settings put back: mysql://"));
    QVERIFY(!tells(sink, "settings not put back"));
}

//! Another's value at the end of a session: told, kept on the list, and the next session is not hindered.
void TestLeftChanges::sessionsOfOneServerRestoreTheirOwn()
{
    RunnerOptions options;
    options.consent.allow("all");
    options.library = m_library;
    RecordingSink sink;
    std::atomic<bool> started = false;
    sink.runHook = [&](const RunHeader&) { started = true; };
    Plan slow = plan({{"server.innodb_io_capacity", std::int64_t(300)}, {"server.sync_binlog", std::int64_t(1)}});
    slow.load.timeSeconds = 60;
    SessionRunner runner(slow, options, {&sink});
    runner.start();
    QTRY_VERIFY_WITH_TIMEOUT(started, 120'000); // all settings are in force
    QCOMPARE(value("sync_binlog"), std::string("1"));
    QCOMPARE(left(), std::size_t(2));
    QVERIFY(leftChanges(m_library)->at(0).ownerAlive);
    QVERIFY(restore().empty());
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=555"));
    runner.stop();
    runner.wait();
    QVERIFY2(sink.session.reason.find("555") != std::string::npos, sink.session.reason.c_str());
    QVERIFY(tells(sink, "settings not put back: mysql://"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QCOMPARE(value("innodb_io_capacity"), std::string("555"));
    const auto rest = leftChanges(m_library);
    QCOMPARE(rest->size(), std::size_t(1));
    QCOMPARE(rest->front().name, std::string("innodb_io_capacity"));
    QVERIFY(!rest->front().ownerAlive); // the process lives, its session does not
    QVERIFY(forgetLeftChanges(m_library, m_target));
}

//! What a refused value made undone at once is not on the list afterwards.
void TestLeftChanges::aPointThatFailedLeavesNothing()
{
    RunnerOptions options;
    options.consent.allow("all");
    options.library = m_library;
    RecordingSink sink;
    SessionRunner runner(plan({{"server.binlog_row_image", std::string("MINIMAL")},
                               {"server.innodb_io_capacity", std::int64_t(150)},
                               {"server.innodb_io_capacity_max", std::int64_t(120)}}),
                         options, {&sink});
    runner.start();
    runner.wait();
    QCOMPARE(sink.session.status, RunStatus::Failed);
    QVERIFY2(sink.session.reason.find("innodb_io_capacity=120") != std::string::npos, sink.session.reason.c_str());
    QCOMPARE(value("binlog_row_image"), std::string("FULL"));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(left(), std::size_t(0));
}

//! However a session ends.
void TestLeftChanges::anExceptionPutsBack()
{
    RunnerOptions options;
    options.consent.allow("all");
    options.library = m_library;
    RecordingSink sink;
    sink.runHook = [](const RunHeader&) { throw std::runtime_error("no memory for this"); };
    SessionRunner runner(plan({{"server.innodb_io_capacity", std::int64_t(300)}}), options, {&sink});
    runner.start();
    runner.wait();
    QCOMPARE(sink.session.status, RunStatus::Failed);
    QVERIFY2(sink.session.reason.find("no memory for this") != std::string::npos, sink.session.reason.c_str());
    QCOMPARE(textOf(sink.runs.at(0).server.variables, "innodb_io_capacity"), std::string("300"));
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(left(), std::size_t(0));
}

void TestLeftChanges::unaskedLeavesProductionAlone()
{
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    leave(m_target, "innodb_io_capacity", "200", "300");
    RemoteServer server;
    server.uri = m_target;
    server.production = true;
    QVERIFY(saveRemoteServer(server));
    UnaskedRestore what;
    what.others = true;
    auto restored = restoreUnasked(m_library, what);
    QVERIFY(restored);
    QCOMPARE(restored->size(), std::size_t(1));
    QCOMPARE(restored->at(0).outcome, RestoreOutcome::Failed);
    QVERIFY2(restored->at(0).text.find("production") != std::string::npos, restored->at(0).text.c_str());
    what.targets = {m_target};
    QVERIFY(!restoreUnasked(m_library, what));
    QCOMPARE(value("innodb_io_capacity"), std::string("300"));
    QCOMPARE(left(), std::size_t(1));
    // A restart is not done unasked either, wherever it is.
    server.production = false;
    server.apply = server.restart = "touch " + m_dir->filePath("ran").toStdString();
    QVERIFY(saveRemoteServer(server));
    leave(m_target, "innodb_log_buffer_size", "1048576", value("innodb_log_buffer_size"));
    restored = restoreUnasked(m_library, what);
    QVERIFY(restored);
    QCOMPARE(restored->size(), std::size_t(2));
    for (const RestoredKnob& knob : *restored) {
        const bool dynamic = knob.name == "innodb_io_capacity";
        QCOMPARE(knob.outcome, dynamic ? RestoreOutcome::Restored : RestoreOutcome::Failed);
        QVERIFY2(dynamic || knob.text.find("restart") != std::string::npos, knob.text.c_str());
    }
    QVERIFY(!QFile::exists(m_dir->filePath("ran")));
    QCOMPARE(left(), std::size_t(1));
}

//! A library of somebody else's says that a setting is to be put back: unasked, no server of this user's hears of it.
void TestLeftChanges::aStrangersListIsNotObeyed()
{
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    leave(m_target, "innodb_io_capacity", "200", "300");
    QTemporaryDir another; // this user's, who made no such change
    qputenv("XDG_DATA_HOME", another.path().toUtf8());
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=1"));
    leave(m_target, "sync_binlog", "0", "1");
    UnaskedRestore what;
    what.targets = {m_target};
    what.others = true;
    what.confirmed = true;
    auto restored = restoreUnasked(m_library, what);
    QVERIFY(restored);
    QCOMPARE(restored->size(), std::size_t(2));
    for (const RestoredKnob& knob : *restored) {
        const bool own = knob.name == "sync_binlog";
        QCOMPARE(knob.outcome, own ? RestoreOutcome::Restored : RestoreOutcome::Failed);
        QVERIFY2(own || knob.text.find("it is restored only on request") != std::string::npos, knob.text.c_str());
    }
    QCOMPARE(value("innodb_io_capacity"), std::string("300"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
    QCOMPARE(left(), std::size_t(1)); // shown, and put back when somebody asks for it
    QFile notes(another.filePath("dynobench/changed-settings"));
    QVERIFY(notes.exists());
    QCOMPARE(notes.permissions() & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
             QFile::Permissions());
    // Notes that others could have written are none.
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=1"));
    leave(m_target, "sync_binlog", "0", "1");
    QVERIFY(notes.setPermissions(notes.permissions() | QFile::WriteOther));
    restored = restoreUnasked(m_library, what);
    QVERIFY(restored);
    QCOMPARE(value("sync_binlog"), std::string("1"));
    for (const RestoredKnob& knob : restore())
        QCOMPARE(knob.outcome, RestoreOutcome::Restored);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
    QCOMPARE(value("sync_binlog"), std::string("0"));
}

//! The password of a run's own server goes to no other one.
//! A bit that changed in the library does not become a server's setting.
void TestLeftChanges::aDamagedRecordIsNotObeyed()
{
    const auto change = [this](const char* sql) {
        auto database = Database::open(m_library, Database::Access::ReadWrite);
        QVERIFY(database);
        (*database)->exec(sql);
        QVERIFY((*database)->result());
    };
    const auto problems = [this] {
        auto library = Library::open(m_library, Library::Mode::ReadOnly);
        return library ? (*library)->check()->problems : std::vector<std::string>{library.error().text()};
    };
    QVERIFY(m_admin->execute("SET GLOBAL sync_binlog=1"));
    leave(m_target, "sync_binlog", "0", "1");
    QVERIFY(problems().empty());
    change("UPDATE knob_change SET old_value = '7'");
    QCOMPARE(problems().size(), std::size_t(1));
    QVERIFY2(problems().front().find("sync_binlog") != std::string::npos, problems().front().c_str());
    for (const bool asked : {true, false}) {
        UnaskedRestore unasked;
        unasked.targets = {m_target};
        const auto restored = asked ? restore() : restoreUnasked(m_library, unasked).value();
        QCOMPARE(restored.size(), std::size_t(1));
        QCOMPARE(restored.front().outcome, RestoreOutcome::Failed);
        QVERIFY2(restored.front().text.find("damaged") != std::string::npos, restored.front().text.c_str());
        QCOMPARE(value("sync_binlog"), std::string("1"));
        QCOMPARE(left(), std::size_t(1)); // it is not forgotten
    }
    QVERIFY(forgetLeftChanges(m_library, m_target));
    QCOMPARE(left(), std::size_t(0));
    QVERIFY(problems().empty());
    // What was put back stays so.
    leave(m_target, "sync_binlog", "0", "1");
    QCOMPARE(restore().at(0).outcome, RestoreOutcome::Restored);
    QVERIFY(problems().empty());
    change("UPDATE knob_change SET restored = 0, writer_pid = NULL WHERE key = (SELECT max(key) FROM knob_change)");
    QCOMPARE(restore().at(0).outcome, RestoreOutcome::Failed);
}

void TestLeftChanges::passwordStaysWithItsServer()
{
    QVERIFY(m_admin->execute("CREATE OR REPLACE USER guarded@localhost IDENTIFIED BY 'hunter2'"));
    QVERIFY(m_admin->execute("GRANT ALL ON *.* TO guarded@localhost"));
    TargetUri uri = m_server.uri();
    uri.user = "guarded";
    const std::string target = uri.display();
    QVERIFY(m_admin->execute("SET GLOBAL innodb_io_capacity=300"));
    leave(target, "innodb_io_capacity", "200", "300");
    qputenv("DYNO_PASSWORD", "hunter2");
    UnaskedRestore what;
    what.targets = {"mysql://root@127.0.0.1:1/test"};
    what.passwordOwner = *parseUri(what.targets.front());
    what.password = "hunter2";
    what.others = true;
    const auto other = restoreUnasked(m_library, what);
    what.targets = {target};
    what.passwordOwner = uri;
    what.password.clear();
    const auto own = restoreUnasked(m_library, what);
    qunsetenv("DYNO_PASSWORD");
    QVERIFY(other && own);
    QCOMPARE(other->at(0).outcome, RestoreOutcome::Failed);
    QCOMPARE(own->at(0).outcome, RestoreOutcome::Restored);
    QCOMPARE(value("innodb_io_capacity"), std::string("200"));
}

//! Nothing would put the machine's settings back.
void TestLeftChanges::preparingChangesNoHost()
{
    HostKnobs machine;
    const auto before = machine.variable("transparent_hugepage");
    if (!before)
        QSKIP("this machine shows no transparent huge pages");
    Plan host = plan({{"host.transparent_hugepage", std::string(*before == "never" ? "madvise" : "never")}});
    host.target.uri = "sqlite:" + m_dir->filePath("data.db").toStdString();
    RunnerOptions options;
    options.workDir = m_dir->path().toStdString();
    options.consent.allow("host.transparent_hugepage");
    const auto prepared = prepareData(host, options, {});
    QVERIFY2(prepared, prepared ? "" : prepared.error().text().c_str());
    QCOMPARE(machine.variable("transparent_hugepage").value_or(""), *before);
}

void TestLeftChanges::hostSettingsOfARemoteTarget()
{
    RunnerOptions options;
    options.library = m_library;
    RecordingSink sink;
    SessionRunner runner(plan({{"host.transparent_hugepage", std::string("never")}}), options, {&sink});
    runner.start();
    runner.wait();
    QCOMPARE(sink.session.status, RunStatus::Failed);
    QVERIFY2(sink.session.reason.find("this machine") != std::string::npos, sink.session.reason.c_str());
}

void TestLeftChanges::hostSettingsAreShown()
{
    RunnerOptions options;
    options.library = m_library;
    options.workDir = m_dir->path().toStdString();
    RecordingSink sink;
    SessionRunner runner(plan({{"client.executor", std::string("threads")}}), options, {&sink});
    runner.start();
    runner.wait();
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const HostKnobs machine(placeOf(*parseUri(m_target), options.workDir));
    for (const auto& [name, value] : machine.read())
        QCOMPARE(textOf(sink.runs.at(0).effective, "host." + name), toText(value));
    QCOMPARE(sink.header.points.at(0).load.executor, ExecutorKind::Threads);
}

} // namespace dyno::tst_left_changes

DYNO_SUITE(tst_left_changes, dyno::tst_left_changes::TestLeftChanges)
#include "tst_left_changes.moc"
