// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What tests of the pre-flight have in common: a mariadbd of their own, looked at as `dyno check` does.
#pragma once

#include "mysql_test.h"

#include <dyno/preflight.h>
#include <dyno/runner.h>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

namespace dyno::test {

inline const PreflightItem* find(const PreflightReport& report, std::string_view id)
{
    for (const PreflightItem& item : report.items) {
        if (item.id == id)
            return &item;
    }
    return nullptr;
}

//! What a test says about an item that is not as it should be.
inline QString textOf(const PreflightReport& report)
{
    QString text;
    for (const PreflightItem& item : report.items)
        text += QString::fromStdString(
            fmt::format("{} {}: {} ({})\n", toText(item.level), item.id, item.what, item.remedy));
    return text;
}

#define COMPARE_LEVEL(report, id, wanted)                                                                              \
    do {                                                                                                               \
        const PreflightReport& kept = (report);                                                                        \
        const PreflightItem* const found = find(kept, id);                                                             \
        QVERIFY2(found, qPrintable(textOf(kept)));                                                                     \
        QVERIFY2(found->level == (wanted), qPrintable(textOf(kept)));                                                  \
        QVERIFY2(found->remedy.empty() == ((wanted) == PreflightLevel::Ok), qPrintable(textOf(kept)));                 \
    } while (false)

//! A server for all tests of a class; what one of them changed there is put back after it.
class PreflightRig
{
protected:
    void start()
    {
        if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        const auto started =
            m_server.startOnNetwork({.tls = true, .options = {"--max-connections=100", "--max-user-connections=5000"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }
    void restore()
    {
        for (auto it = m_changed.rbegin(); it != m_changed.rend(); ++it)
            QVERIFY(m_admin->setVariable(it->first, it->second));
        m_changed.clear();
        QVERIFY(m_admin->execute("DROP USER IF EXISTS ann@'%'"));
    }
    Plan plan(int users, const std::string& uri = {})
    {
        Plan made;
        made.target.uri = uri.empty() ? m_server.uri().display() : uri;
        made.workload.name = "oltp_read_write";
        made.workload.params = {{"tables", std::int64_t(2)}, {"table_size", std::int64_t(1000)}};
        made.load.users = {users};
        return made;
    }
    PreflightReport look(const Plan& plan, const std::string& password = {})
    {
        RunnerOptions options;
        options.workDir = m_dir.path().toStdString();
        options.password = password;
        options.consent.allow("all");
        auto reports = preflight(plan, options);
        if (!reports)
            qFatal("%s", reports.error().text().c_str());
        return reports->front();
    }
    //! Sets a global variable until the end of the test.
    void set(const std::string& name, const Value& value)
    {
        m_changed.emplace_back(name, *m_admin->variable(name));
        const auto done = m_admin->setVariable(name, value);
        if (!done)
            qFatal("%s", done.error().text().c_str());
    }
    //! A user of the server with these rights and no others; gone after the test.
    std::string userWith(const std::string& rights)
    {
        for (const std::string& command :
             {std::string("CREATE OR REPLACE USER ann@'%' IDENTIFIED BY 's3cret'"), rights}) {
            if (const auto done = m_admin->execute(command); !command.empty() && !done)
                qFatal("%s", done.error().text().c_str());
        }
        TargetUri uri = m_server.uri();
        uri.user = "ann";
        return uri.display();
    }

    QTemporaryDir m_dir;
    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
    std::vector<std::pair<std::string, std::string>> m_changed;
};

} // namespace dyno::test
