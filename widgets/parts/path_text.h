// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sentences with paths in them: a path stays together, and is copied as it is. GUI thread.
#pragma once

#include "parts/field.h"

namespace dyno {

//! `text` with word joiners (U+2060) at the slashes of each path that fits into a line: Qt breaks lines behind a slash.
[[nodiscard]] QString withWholePaths(const QString& text);

//! A wrapping text that can be selected. text() has the joiners, what is copied and the accessible name have not.
class PathText : public WrapLabel
{
    Q_OBJECT
public:
    explicit PathText(const QString& text, TextRole role, QWidget* parent = nullptr);
    void copy() const; //!< what is selected, to the clipboard

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QString selection() const;
};

} // namespace dyno
