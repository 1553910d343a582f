// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A place that scrolls up and down, without a frame and a background of its own. GUI thread.
#pragma once

#include <QString>

class QScrollArea;
class QWidget;

namespace dyno {

[[nodiscard]] QScrollArea* scrollArea(QWidget* content, const QString& name);

} // namespace dyno
