// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A real Prometheus on loopback that has stored what a test says, at the times that it says. DYNO_TEST_PROMETHEUS
//! names the folder of the programs prometheus and promtool (./test unpacks them). It scrapes nothing.
#pragma once

#include "server/lifecycle/free_port.h"
#include "support/http_client.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <QThread>

#include <csignal>
#include <string>
#include <sys/prctl.h>

namespace dyno::test {

class PrometheusFixture
{
public:
    ~PrometheusFixture()
    {
        m_process.kill(); // it has nothing to save
        m_process.waitForFinished();
    }

    //! "" when it can be had, else why not: the text of QSKIP.
    [[nodiscard]] static QString whyMissing()
    {
        return QFile::exists(program("prometheus")) ? QString() : QString("no Prometheus: ./test unpacks one");
    }

    //! "" or why it did not start. `openMetrics`: samples with their times, in seconds since 1970.
    [[nodiscard]] QString start(const std::string& openMetrics)
    {
        write("samples", QByteArray::fromStdString(openMetrics));
        write("config.yml", "global: {}\n");
        QProcess load;
        load.start(program("promtool"), {"tsdb", "create-blocks-from", "openmetrics", path("samples"), path("data")});
        if (!load.waitForFinished(60'000) || load.exitCode() != 0)
            return "promtool: " + QString::fromUtf8(load.readAllStandardError());
        m_port = freeLocalPort();
        m_process.setStandardErrorFile(path("log"));
        m_process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }); // of a test that crashes
        m_process.start(program("prometheus"),
                        {"--config.file=" + path("config.yml"), "--storage.tsdb.path=" + path("data"),
                         QString("--web.listen-address=127.0.0.1:%1").arg(m_port)});
        QElapsedTimer waited;
        for (waited.start(); waited.elapsed() < 60'000 && m_process.state() != QProcess::NotRunning;
             QThread::msleep(20)) {
            const std::string answer =
                httpAnswer(m_port, "GET /-/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            if (answer.find(" 200 ") != std::string::npos)
                return {};
        }
        QFile log(path("log"));
        return log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()) : m_process.errorString();
    }

    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] std::string place() const { return "127.0.0.1:" + std::to_string(m_port); }
    [[nodiscard]] std::string url() const { return "http://" + place(); }

private:
    [[nodiscard]] static QString program(const QString& name)
    {
        return qEnvironmentVariable("DYNO_TEST_PROMETHEUS") + '/' + name;
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    void write(const QString& name, const QByteArray& text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(name));
    }

    QTemporaryDir m_folder;
    QProcess m_process;
    int m_port = 0;
};

} // namespace dyno::test
