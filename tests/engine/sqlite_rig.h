// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload loaded into SQLite in a file of its own, and what is read back from there.
#pragma once

#include "load/data/dataset.h"
#include "support/workload_harness.h"

#include <QTemporaryDir>

#include <memory>
#include <stdexcept>
#include <string>

namespace dyno::test {

//! Throws where something cannot be made: a test that has no data has nothing to look at.
class SqliteRig
{
public:
    SqliteRig(std::string_view workload, const Settings& params, std::uint64_t seed)
        : m_info(workloadFor(workload)->info())
        , m_seed(seed)
        , m_instance(test::bind(workload, params, "sqlite"))
    {
        m_target.uri = *parseUri("sqlite:" + m_folder.filePath("rig.db").toStdString());
        Faults faults;
        m_target.connection =
            resolve(driver().info().connection, {{"synchronous", std::string("OFF")}}, "connection", faults);
        m_target.busyTimeoutMs = 5000;
        auto admin = driver().admin(m_target);
        if (!admin)
            throw std::runtime_error(admin.error().text());
        m_admin = std::move(*admin);
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = driver(),
                             .admin = *m_admin,
                             .target = m_target,
                             .workload = *m_instance,
                             .policy = PreparePolicy::Always,
                             .seed = seed};
        if (const auto loaded = ensureDataset(job, {}, warnings); !loaded)
            throw std::runtime_error(loaded.error().text());
    }

    [[nodiscard]] const WorkloadInstance& instance() const { return *m_instance; }
    //! Connected, with its statements prepared.
    [[nodiscard]] std::unique_ptr<TestUser> user(UserId id, int users) const
    {
        auto target = std::make_shared<ConnectTarget>(m_target);
        target->statements = m_instance->statements();
        auto session = driver().open(target);
        if (!session)
            throw std::runtime_error(session.error().text());
        auto made =
            std::make_unique<TestUser>(std::move(*session), m_info.operations.size(), UserPlace{id, users, m_seed});
        bool ok =
            complete(stepOf(made->context, Request::step(RequestKind::Connect)), made->context).outcome == Outcome::Ok;
        for (std::size_t i = 0; ok && i < target->statements.size(); ++i)
            ok =
                complete(stepOf(made->context, Request::prepare(StatementId(i))), made->context).outcome == Outcome::Ok;
        if (!ok)
            throw std::runtime_error(made->session->lastError());
        return made;
    }
    //! All rows of an answer.
    [[nodiscard]] TextRows rows(const std::string& query) const
    {
        auto answer = m_admin->query(query);
        if (!answer)
            throw std::runtime_error(answer.error().text());
        return std::move(*answer);
    }

private:
    static Driver& driver() { return *driverFor("sqlite"); }

    QTemporaryDir m_folder;
    const WorkloadInfo& m_info;
    std::uint64_t m_seed;
    std::shared_ptr<const WorkloadInstance> m_instance;
    ConnectTarget m_target;
    std::unique_ptr<Admin> m_admin;
};

} // namespace dyno::test
