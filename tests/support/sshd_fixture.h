// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real sshd on loopback for this user, with keys of its own, and the configuration by which ssh reaches it and
//! nobody else. DYNO_TEST_SSHD names the program (./test unpacks one). As root it runs in a mount namespace in which
//! the account exists that it wants; nothing outside is changed.
#pragma once

#include "server/lifecycle/child_process.h"
#include "server/lifecycle/free_port.h"

#include <QByteArray>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QThread>

#include <csignal>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace dyno::test {

class SshdFixture
{
public:
    //! "" when it can be had, else why not: the text of QSKIP.
    [[nodiscard]] static QString whyMissing()
    {
        if (qEnvironmentVariable("DYNO_TEST_SSHD").isEmpty())
            return "no sshd: ./test unpacks one";
        if (geteuid() == 0 && QProcess::execute("unshare", {"--mount", "true"}) != 0)
            return "root may make no mount namespace here";
        return {};
    }

    //! "" or why it did not start. On the test's main thread.
    [[nodiscard]] QString start()
    {
        m_port = freeLocalPort();
        for (const char* key : {"host", "user", "other"}) {
            if (QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", path(key)}) != 0)
                return "ssh-keygen failed";
        }
        const QByteArray user = contentOf(path("user.pub"));
        write("authorized", user);
        write("sshd_config",
              QString("Port %1\nListenAddress 127.0.0.1\nHostKey %2\nAuthorizedKeysFile %3\nPidFile none\n"
                      "UsePAM no\nStrictModes no\nPasswordAuthentication no\nUseDNS no\n"
                      "KbdInteractiveAuthentication no\nPubkeyAuthentication yes\n")
                  .arg(m_port)
                  .arg(path("host"), path("authorized"))
                  .toUtf8());
        m_config = writeConfig("config", "user", "host");
        std::vector<std::string> command;
        if (geteuid() == 0) {
            QByteArray accounts = contentOf("/etc/passwd");
            if (!accounts.contains("\nsshd:"))
                accounts += "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n";
            write("passwd", accounts);
            command = {"/usr/bin/unshare",
                       "--mount",
                       "/bin/sh",
                       "-c",
                       "mount --bind \"$1\" /etc/passwd && mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && "
                       "shift && exec \"$@\"",
                       "sh",
                       path("passwd").toStdString()};
        }
        command.insert(command.end(), {qEnvironmentVariable("DYNO_TEST_SSHD").toStdString(), "-D", "-e", "-f",
                                       path("sshd_config").toStdString()});
        if (const auto started = m_process.start(command, path("log").toStdString()); !started)
            return QString::fromStdString(started.error().text());
        QElapsedTimer waited;
        for (waited.start(); m_process.running() && waited.elapsed() < 10'000; QThread::msleep(10)) {
            if (contentOf(path("log")).contains("Server listening"))
                return {};
        }
        return "sshd does not start: " + QString::fromUtf8(contentOf(path("log")));
    }

    //! A configuration of ssh in which it has this key and takes that host key for the server's ("" = knows none).
    QString writeConfig(const QString& name, const QString& key, const QString& hostKey)
    {
        const QByteArray known =
            hostKey.isEmpty() ? QByteArray()
                              : QString("[127.0.0.1]:%1 ").arg(m_port).toUtf8() + contentOf(path(hostKey + ".pub"));
        write(name + "-known", known);
        write(name, QString("Host *\n  IdentityFile %1\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                            "  UserKnownHostsFile %2\n  GlobalKnownHostsFile none\n")
                        .arg(path(key), path(name + "-known"))
                        .toUtf8());
        return path(name);
    }

    //! As a plan has it.
    [[nodiscard]] std::string setting() const
    {
        return QString("ssh %1@127.0.0.1:%2").arg(getpwuid(geteuid())->pw_name).arg(m_port).toStdString();
    }
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QString config() const { return m_config; } //!< by which this user gets in
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    //! To what serves the connections; the server itself goes on.
    int signalConnections(int number) const
    {
        const std::vector<int> all = below(int(m_process.pid()));
        for (const int one : all)
            ::kill(one, number);
        return int(all.size());
    }

private:
    static std::vector<int> below(int process)
    {
        std::vector<int> all;
        for (const QByteArray& child : contentOf(QString("/proc/%1/task/%1/children").arg(process)).split(' ')) {
            if (const int id = child.toInt(); id > 0) {
                all.push_back(id);
                for (const int more : below(id))
                    all.push_back(more);
            }
        }
        return all;
    }
    static QByteArray contentOf(const QString& file)
    {
        QFile one(file);
        return one.open(QIODevice::ReadOnly) ? one.readAll() : QByteArray();
    }
    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(path(name)));
    }

    QTemporaryDir m_folder;
    ChildProcess m_process;
    int m_port = 0;
    QString m_config;
};

} // namespace dyno::test
