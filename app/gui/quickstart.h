// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dynobench quickstart`: the first recipe through the real window, from start to the comparison, with its results in
//! a folder. What ./run does on a machine without a display.
#pragma once

#include <QSize>
#include <QString>

#include <filesystem>
#include <string>

namespace dyno::gui {

struct QuickstartRequest
{
    QString out;
    std::filesystem::path library;
    std::string recipe = "durability-sqlite";
    std::string size; //!< "" = as the recipe says
    QSize window = {1440, 900};
};
//! Returns the exit code: 0 only when every run is done and every file is written. Runs the event loop.
int runQuickstart(const QuickstartRequest& request);

} // namespace dyno::gui
