// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! About: what this program is, its version and licence, and the libraries that a bug report should name. GUI thread.
#pragma once

#include <QDialog>

namespace dyno {

class AboutDialog : public QDialog
{
    Q_OBJECT
public:
    explicit AboutDialog(QWidget* parent);
    //! Versions of Dynobench, Qt, the system and the drivers' libraries, a line each.
    [[nodiscard]] static QString versions();
};

} // namespace dyno
