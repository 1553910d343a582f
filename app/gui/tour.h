// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dynobench tour`: pictures of every page from the shipped sample session, light and dark. Touches neither the user's
//! library nor the settings.
#pragma once

#include <QSize>
#include <QString>

namespace dyno::gui {

struct TourRequest
{
    QString out;
    QSize size = {1440, 900};
    QString sample; //!< a `.dyno` file in place of the shipped one, "" = the shipped one
};
//! Returns the exit code. Needs the QApplication, runs its event loop.
int runTour(const TourRequest& request);

//! Copies the shipped sample session to `file`.
bool writeSample(const QString& file);

} // namespace dyno::gui
