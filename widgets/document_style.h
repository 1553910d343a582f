// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The look of long texts in the theme's colours and sizes: a style sheet of QTextDocument. GUI thread.
#pragma once

#include <QFont>
#include <QString>

namespace dyno {

//! For QTextDocument::setDefaultStyleSheet(), before the text is set.
[[nodiscard]] QString documentStyle();
//! What is not a heading.
[[nodiscard]] QFont documentFont();

} // namespace dyno
