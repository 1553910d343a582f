// SPDX-License-Identifier: GPL-3.0-or-later
// One session at a time changes the settings of a server or of this machine.
#include "driver/driver.h"
#include "server/host/host_knobs.h"
#include "server/remote/settings_lock.h"
#include "support/must.h"
#include "support/suite.h"
#include <dyno/runner.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <unistd.h>

namespace dyno::tst_settings_lock {
using namespace dyno::test;
namespace fs = std::filesystem;

class TestSettingsLock : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path folder() const { return m_dir.path().toStdString(); }
    SettingsLock attempt(const LockedThing& thing, const std::string& session, const fs::path& library = {}) const
    {
        return must(SettingsLock::attempt(thing, folder(), session, library));
    }

private slots:
    void namesOfServers()
    {
        const auto thing = [](const char* uri) { return LockedThing::ofServer(must(parseUri(uri))).name; };
        QCOMPARE(thing("mysql://a@db:3306/x"), thing("mysql://b@db:3306/y"));
        QVERIFY(thing("mysql://a@localhost/x?socket=/run/s") != thing("mysql://a@127.0.0.1:3306/x"));
        const Settings facts{{"hostname", std::string("db1")},
                             {"port", std::string("3306")},
                             {"datadir", std::string("/var/lib/mysql/")}};
        const Driver* mysql = driverFor("mysql");
        if (!mysql)
            QSKIP("this build has no MySQL driver");
        QVERIFY(!mysql->serverIdentity(facts).empty());
        Settings other = facts;
        other["port"] = std::string("3307");
        QVERIFY(mysql->serverIdentity(facts) != mysql->serverIdentity(other));
        QVERIFY(mysql->serverIdentity({{"hostname", std::string("db1")}}).empty()); // too little
    }

    void namesOfMongodbServers()
    {
        const Driver* mongodb = driverFor("mongodb");
        if (!mongodb)
            QSKIP("this build has no MongoDB driver");
        const auto identity = [&](const char* process) {
            return mongodb->serverIdentity({{"hello.topologyVersion.processId", std::string(process)}});
        };
        QVERIFY(!identity("6745d1a2b3c4d5e6f7089182").empty());
        QVERIFY(identity("6745d1a2b3c4d5e6f7089182") != identity("6745d1a2b3c4d5e6f7089183"));
        QVERIFY(mongodb->serverIdentity({{"hello.setName", std::string("rs0")}}).empty()); // too little
    }

    void oneHolder()
    {
        const LockedThing thing = LockedThing::ofMachine();
        SettingsLock first = attempt(thing, "one", folder() / "a.dynolib");
        QVERIFY(first.held());
        const SettingsLock second = attempt(thing, "two");
        QVERIFY(!second.held());
        QCOMPARE(second.holder().process, int(::getpid()));
        QCOMPARE(second.holder().session, std::string("one"));
        first.release({});
        SettingsLock third = attempt(thing, "three");
        QVERIFY(third.held() && third.libraries().empty());
    }

    //! Who comes next learns where changes are written down that were not put back, and under which names.
    void whatHoldersLeave()
    {
        const TargetUri bySocket = must(parseUri("mysql://root@localhost/x?socket=/run/s"));
        const TargetUri byPort = must(parseUri("mysql://root@127.0.0.1:3306/x"));
        const fs::path library = folder() / "a.dynolib";
        {
            SettingsLock lock = attempt(LockedThing::ofServer("an identity", bySocket), "one", library);
            lock.release({library});
            SettingsLock byUri = attempt(LockedThing::ofServer(bySocket), "one", library);
            byUri.remember("an identity");
            byUri.release({});
        }
        const SettingsLock next = attempt(LockedThing::ofServer("an identity", byPort), "two");
        QVERIFY(next.held());
        QCOMPARE(next.libraries(), std::vector<fs::path>{library});
        QVERIFY(next.means(bySocket.display()) && next.means(byPort.display()));
        QVERIFY(!next.means("mysql://root@127.0.0.1:3307/x"));
        QCOMPARE(attempt(LockedThing::ofServer(bySocket), "two").identity(), std::string("an identity"));
    }

    //! Refused before anything is touched.
    void aSessionThatChangesTheMachine()
    {
        Plan plan;
        plan.title = "huge pages";
        plan.target.uri = "null:";
        plan.workload.name = "oltp_point_select";
        plan.workload.params["table_size"] = std::int64_t(100);
        plan.load.users = {1};
        plan.load.timeSeconds = 0.1;
        plan.load.intervalSeconds = 0.1;
        const Settings there = HostKnobs().read();
        const auto knob = there.find("transparent_hugepage");
        if (knob == there.end())
            QSKIP("this machine has no transparent huge pages");
        plan.set["host.transparent_hugepage"] = knob->second; // as it is
        struct Ending : SampleSink
        {
            SessionSummary summary;
            void onSessionFinished(const SessionSummary& end) override { summary = end; }
        };
        RunnerOptions options;
        options.workDir = folder();
        options.consent.allow("all");
        const auto end = [&] {
            Ending sink;
            SessionRunner runner(plan, options, {&sink});
            runner.start();
            runner.wait();
            return sink.summary;
        };
        {
            const SettingsLock held = attempt(LockedThing::ofMachine(), "another");
            QVERIFY(held.held());
            const SessionSummary refused = end();
            QCOMPARE(refused.status, RunStatus::Failed);
            QVERIFY2(refused.reason.find("settings of the same machine") != std::string::npos, refused.reason.c_str());
            QVERIFY(refused.runs.empty());
        }
        const SessionSummary done = end();
        QVERIFY2(done.reason.find("settings of the same machine") == std::string::npos, done.reason.c_str());
        QVERIFY(!done.runs.empty());
    }
};

} // namespace dyno::tst_settings_lock

DYNO_SUITE(tst_settings_lock, dyno::tst_settings_lock::TestSettingsLock)
#include "tst_settings_lock.moc"
