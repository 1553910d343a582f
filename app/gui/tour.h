// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dynobench tour`: pictures of every page from the shipped sample session. Touches neither the user's library nor the
//! settings.
#pragma once

#include "theme.h"

#include <QSize>
#include <QString>

#include <vector>

namespace dyno::gui {

struct TourRequest
{
    QString out;
    QSize size = {1440, 900}; //!< of the window, in points: pictures are larger by the scale of the screen
    std::vector<Theme::Choice> themes = {Theme::Choice::Light, Theme::Choice::Dark};
    QString sample; //!< a `.dyno` file in place of the shipped one, "" = the shipped one
};
//! Returns the exit code. Needs the QApplication, runs its event loop.
int runTour(const TourRequest& request);

//! Copies the shipped sample session to `file`.
bool writeSample(const QString& file);

} // namespace dyno::gui
