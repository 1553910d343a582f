// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs the real `dyno` in a folder of the test's own: its library is never that of whoever runs the tests.
#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <csignal>
#include <sys/types.h>

namespace dyno::test {

struct DynoResult
{
    int code = -1; //!< exit code; -1 it did not end in time, -2 it crashed
    QString out, err;
};

//! Lets a work folder have the initialised data folders of all tests: a server starts from a copy at once.
inline void shareTemplates(const QString& workDir)
{
    const QString shared = QStringLiteral(DYNO_TEST_WORK_DIR "/templates");
    QDir().mkpath(shared);
    QDir().mkpath(workDir);
    QFile::link(shared, workDir + QStringLiteral("/templates")); // fails where it is there already
}
//! The same for a data home ("XDG_DATA_HOME").
inline void shareInitialisedServers(const QString& dataHome)
{
    shareTemplates(dataHome + QStringLiteral("/dynobench"));
}

//! Sets up `process`, not started yet.
inline void prepareDyno(QProcess& process, const QTemporaryDir& dir, const QStringList& arguments,
                        const QString& password = {})
{
    process.setProgram(QStringLiteral(DYNO_BIN_DIR "/dyno"));
    process.setArguments(arguments);
    process.setWorkingDirectory(dir.path());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_DATA_HOME"), dir.filePath(QStringLiteral("data")));
    shareInitialisedServers(dir.filePath(QStringLiteral("data")));
    environment.remove(QStringLiteral("DYNO_PASSWORD"));
    // libmongoc keeps its counters in a file of shared memory that has the process id in its name, and which stays when
    // a process is killed. Where the next one with that id meets it, the library says so on standard error as it is
    // loaded.
    environment.insert(QStringLiteral("MONGOC_DISABLE_SHM"), QStringLiteral("1"));
    if (!password.isEmpty())
        environment.insert(QStringLiteral("DYNO_PASSWORD"), password);
    process.setProcessEnvironment(environment);
}

//! True when it was running and got the signal. The number of a process that ended is 0, which would be the test's own
//! group.
[[nodiscard]] inline bool signalTo(const QProcess& process, int signal)
{
    const auto number = pid_t(process.processId());
    return process.state() == QProcess::Running && number > 1 && ::kill(number, signal) == 0;
}

//! Runs it to its end.
inline DynoResult runDyno(const QTemporaryDir& dir, const QStringList& arguments, const QString& password = {},
                          int patienceMs = 120'000)
{
    QProcess process;
    prepareDyno(process, dir, arguments, password);
    process.start();
    DynoResult result;
    const bool ended = process.waitForFinished(patienceMs);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    } else {
        result.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    }
    result.out = QString::fromUtf8(process.readAllStandardOutput());
    result.err = QString::fromUtf8(process.readAllStandardError());
    return result;
}

} // namespace dyno::test
