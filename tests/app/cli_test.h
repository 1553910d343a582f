// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the command line share: a folder of their own, `dyno` in it, and a short run.
#pragma once

#include "support/dyno_process.h"

#include <QFile>
#include <QTemporaryDir>

namespace dyno::test {

class CliRig
{
public:
    QString path(const QString& name) const { return m_dir.filePath(name); }
    QString library() const { return path(QStringLiteral("library.dynolib")); }
    DynoResult dyno(const QStringList& arguments) const { return runDyno(m_dir, arguments); }
    QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(name));
        return file.fileName();
    }
    //! A short run against a file of its own.
    QStringList quickRun(const QStringList& more = {}) const
    {
        return QStringList{"run",     "--target",       "sqlite:quick.db", "--workload", "oltp_read_write",
                           "--param", "table_size=200", "--time",          "0.5",        "--interval",
                           "0.1",     "--library",      library()} +
               more;
    }

protected:
    QTemporaryDir m_dir;
};

} // namespace dyno::test
