// SPDX-License-Identifier: GPL-3.0-or-later
// What children of ours are given: no secrets, and nothing that changes what they load.
#include "base/environment.h"
#include "server/lifecycle/child_process.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dyno::tst_child_process {
using namespace std::chrono_literals;

namespace {

constexpr const char* kSecrets[] = {"DYNO_PASSWORD", "DYNO_PASSWORD_SHOP", "AWS_SECRET_ACCESS_KEY",
                                    "GITHUB_TOKEN",  "SSH_AUTH_SOCK",      "MYSQL_PWD",
                                    "LD_PRELOAD",    "MYSQL_HOME",         "DYNO_PROMETHEUS_TOKEN"};

std::string variables(Inherit inherit, const std::vector<std::string>& more = {})
{
    const auto output = runCommand({"/usr/bin/env"}, 20s, more, Bond::DiesWithUs, inherit);
    return output ? "\n" + *output : output.error().text();
}

bool holds(const std::string& all, const std::string& variable)
{
    return all.find("\n" + variable + "=") != std::string::npos;
}

} // namespace

class TestChildProcess : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        for (const char* name : kSecrets)
            qputenv(name, "");
        qputenv("LC_TIME", "C");
        qputenv("ASAN_OPTIONS", qgetenv("ASAN_OPTIONS"));
    }
    void cleanupTestCase()
    {
        for (const char* name : kSecrets)
            qunsetenv(name);
    }

    void serversGetNoSecrets()
    {
        const std::string all = variables(Inherit::Needed, {"TZ=Asia/Tokyo", "GIVEN=1"});
        for (const char* name : kSecrets)
            QVERIFY2(!holds(all, name), all.c_str());
        for (const char* name : {"PATH", "LC_TIME", "ASAN_OPTIONS", "GIVEN"})
            QVERIFY2(holds(all, name), all.c_str());
        QVERIFY(all.find("\nTZ=Asia/Tokyo\n") != std::string::npos);
    }

    //! What the user has typed works as in the user's own terminal.
    void usersCommandsGetAllButOurPassword()
    {
        const std::string all = variables(Inherit::AllButOurs, {"AWS_SECRET_ACCESS_KEY=other"});
        QVERIFY2(!holds(all, "DYNO_PASSWORD") && !holds(all, "DYNO_PASSWORD_SHOP"), all.c_str());
        QVERIFY2(!holds(all, "DYNO_PROMETHEUS_TOKEN"), all.c_str());
        QVERIFY2(holds(all, "SSH_AUTH_SOCK") && holds(all, "GITHUB_TOKEN"), all.c_str());
        QVERIFY(all.find("\nAWS_SECRET_ACCESS_KEY=other\n") != std::string::npos);
    }

    //! What a library must not see is the user's all the same, and what it needs is not.
    void usersCommandsGetFormerVariables()
    {
        for (const auto& [name, value] : {std::pair{"DYNO_TEST_REMOVED", "theirs"}, {"DYNO_TEST_CHANGED", "old"}})
            qputenv(name, value);
        dyno::changeVariable("DYNO_TEST_REMOVED", nullptr);
        dyno::changeVariable("DYNO_TEST_CHANGED", "new");
        dyno::changeVariable("DYNO_TEST_CHANGED", "new");
        dyno::changeVariable("DYNO_TEST_ADDED", "ours");
        QVERIFY(!qEnvironmentVariableIsSet("DYNO_TEST_REMOVED"));
        QCOMPARE(qgetenv("DYNO_TEST_CHANGED"), QByteArray("new"));
        const std::string all = variables(Inherit::AllButOurs);
        QVERIFY2(all.find("\nDYNO_TEST_REMOVED=theirs\n") != std::string::npos, all.c_str());
        QVERIFY2(all.find("\nDYNO_TEST_CHANGED=old\n") != std::string::npos, all.c_str());
        QVERIFY2(!holds(all, "DYNO_TEST_ADDED") && all.find("CHANGED=new") == std::string::npos, all.c_str());
        QVERIFY(holds(variables(Inherit::AllButOurs, {"DYNO_TEST_ADDED=given"}), "DYNO_TEST_ADDED"));
        QVERIFY(!holds(variables(Inherit::Needed), "DYNO_TEST_REMOVED"));
        for (const char* name : {"DYNO_TEST_CHANGED", "DYNO_TEST_ADDED"})
            qunsetenv(name);
    }

    //! A Ctrl-C in the terminal, or its loss, ends the run and not the server under it.
    void theTerminalsSignalsAreForUs()
    {
        for (const Bond bond : {Bond::DiesWithUs, Bond::OutlivesUs}) {
            const auto group = runCommand({"/bin/sh", "-c", "cut -d' ' -f5 /proc/$$/stat"}, 60s, {}, bond);
            QVERIFY2(group, group ? "" : group.error().text().c_str());
            QVERIFY2(std::atoi(group->c_str()) > 1, group->c_str());
            QVERIFY(std::atoi(group->c_str()) != ::getpgrp());
        }
    }

    //! An installer is a script, and the server that it waits for may be frozen.
    void aStopKillsACommandAndWhatItHasStarted()
    {
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // the orphan is ours to wait for then
        const QTemporaryDir dir;
        const std::string file = dir.filePath("started").toStdString();
        const auto output = runCommand(
            {"/bin/sh", "-c", "sleep 600 & echo $! > " + file + ".new; mv " + file + ".new " + file + "; wait"}, 500s,
            {}, Bond::DiesWithUs, Inherit::Needed, [&file] { return QFile::exists(file.c_str()); });
        QVERIFY(!output);
        QVERIFY2(output.error().kind == ErrorKind::Interrupted, output.error().text().c_str());
        pid_t started = 0;
        std::ifstream(file) >> started;
        QVERIFY(started > 1);
        int status = 0;
        pid_t ended = 0;
        QTRY_VERIFY(ended != 0 || (ended = ::waitpid(started, &status, WNOHANG)) != 0);
        QCOMPARE(ended, started);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGKILL);
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    }

    //! Relative names in a server's settings mean files of its own, not of the folder that the user is in.
    void worksWhereItIsTold()
    {
        QTemporaryDir dir;
        const std::string folder = QFileInfo(dir.path()).canonicalFilePath().toStdString();
        ChildProcess child;
        child.workIn(folder);
        const auto started = child.start({"/bin/sh", "-c", "echo x > relative"}, folder + "/log");
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        QVERIFY(child.waitForEnd(120s));
        QVERIFY2(child.succeeded(), tailOf(folder + "/log", 5).c_str());
        QVERIFY(QFile::exists(dir.filePath("relative")));
        child.workIn(folder + "/missing");
        QVERIFY(!child.start({"/bin/sh", "-c", "exit 0"}, folder + "/log"));
        // Others go on where we are.
        const auto here = runCommand({"/bin/sh", "-c", "readlink /proc/self/cwd"}, 120s);
        QVERIFY(here);
        QCOMPARE(QString::fromStdString(*here).trimmed(), QDir::currentPath());
    }
};

} // namespace dyno::tst_child_process

DYNO_SUITE(tst_child_process, dyno::tst_child_process::TestChildProcess)
#include "tst_child_process.moc"
