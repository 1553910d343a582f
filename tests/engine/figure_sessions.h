// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sessions of given figures, as tests of reports want them.
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno::test {

struct OnePoint
{
    std::string durability;
    int users;
    std::vector<double> tps;
};

//! A session with an axis "durability" and one run a figure.
inline StoredSession sessionOf(const std::string& title, const std::vector<OnePoint>& figures)
{
    StoredSession session;
    session.info.id = title + "-1111-2222";
    session.info.title = session.header.title = title;
    session.info.status = RunStatus::Done;
    for (const OnePoint& figure : figures) {
        PointSpec point;
        point.cases = {{"durability", figure.durability}, {"users", std::to_string(figure.users)}};
        point.target.uri = "sqlite:a.db";
        point.workload.name = "oltp_write_only";
        point.connection = {{"synchronous", figure.durability}};
        point.load.users = {figure.users};
        for (const double& tps : figure.tps) { // its place tells the repeat
            StoredRun run;
            run.header.index = static_cast<int>(session.runs.size());
            run.header.point = run.summary.point = static_cast<int>(session.header.points.size());
            run.header.repeat = run.summary.repeat = 1 + static_cast<int>(&tps - figure.tps.data());
            run.header.effective = point.connection;
            run.header.server.product = "SQLite";
            run.header.server.variables = {{"page_size", std::string("4096")},
                                           {"timestamp", std::to_string(run.header.index)},
                                           {"synchronous", figure.durability}};
            run.summary.status = RunStatus::Done;
            run.summary.tps = tps;
            run.summary.service.p95Ms = 1000 / tps;
            session.runs.push_back(run);
        }
        session.header.points.push_back(std::move(point));
    }
    session.info.runsDone = session.info.runsPlanned = static_cast<int>(session.runs.size());
    return session;
}

inline StoredSession durability()
{
    return sessionOf("durability", {{"OFF", 16, {1000, 1010, 990}},
                                    {"OFF", 2, {500, 505, 495}},
                                    {"FULL", 16, {380, 384, 376}},
                                    {"FULL", 2, {300, 303, 297}}});
}

using Texts = std::vector<std::string>;

} // namespace dyno::test
