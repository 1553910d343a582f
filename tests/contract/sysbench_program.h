// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! sysbench, where it is installed: tests compare with it and run it on our tables.
#pragma once

#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <QTest>

namespace dyno::test {

//! Parameters "name=value name=value" as its command line has them.
inline QStringList sysbenchArguments(const QString& params)
{
    QStringList arguments;
    for (const QString& param : params.split(' ', Qt::SkipEmptyParts))
        arguments << "--" + QString(param).replace("storage_engine", "mysql_storage_engine");
    return arguments;
}

struct SysbenchProgram
{
    QStringList server; //!< arguments that say where the server is
    QString folder;     //!< where scripts look for the files that they require

    //! "" when it can be had, else why not: the text of QSKIP.
    [[nodiscard]] static QString whyMissing()
    {
        const QString program = QStandardPaths::findExecutable("sysbench");
        if (program.isEmpty())
            return "sysbench is not installed";
        QProcess version;
        version.start(program, {"--version"});
        version.waitForFinished();
        const QString text = QString::fromUtf8(version.readAll()).trimmed();
        return text.startsWith("sysbench 1.0.2") ? QString() : text + " is installed; the comparison is with 1.0.20";
    }
    //! What it prints in a run that ends well; fails the test otherwise.
    [[nodiscard]] QString run(const QString& script, const QString& command, const QStringList& more) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.setWorkingDirectory(folder);
        const QStringList arguments = QStringList{script} + server + more + QStringList{command};
        process.start(QStandardPaths::findExecutable("sysbench"), arguments);
        if (!process.waitForFinished(120'000) || process.exitCode() != 0) {
            QTest::qFail(process.readAll() + "\nof sysbench " + arguments.join(' ').toUtf8(), __FILE__, __LINE__);
            return {};
        }
        return QString::fromUtf8(process.readAll());
    }
};

} // namespace dyno::test
