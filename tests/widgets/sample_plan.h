// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A small plan with one axis, for tests of what edits plans.
#pragma once

#include <dyno/plan.h>

namespace dyno::test {

inline Plan samplePlan()
{
    Plan plan;
    plan.title = "sample";
    plan.target.uri = "sqlite:";
    plan.workload.name = "oltp_read_write";
    plan.load.users = {1, 4};
    plan.load.timeSeconds = 2;
    plan.axes.push_back({"sync",
                         {{"FULL", {{"connection.synchronous", std::string("FULL")}}, 0},
                          {"OFF", {{"connection.synchronous", std::string("OFF")}}, 0}},
                         0});
    View view;
    view.series = "sync";
    plan.views.push_back(view);
    return plan;
}

} // namespace dyno::test
