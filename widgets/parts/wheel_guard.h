// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Keeps the wheel from changing values. GUI thread.
#pragma once

#include <QObject>

namespace dyno {

//! Watches all events of the application: a wheel over a closed combo box or over a spin box scrolls what is around it
//! and leaves the value and the focus as they are. The list of an open combo box scrolls as usual.
class WheelGuard : public QObject
{
    Q_OBJECT
public:
    //! Needs a QApplication, which owns the guard. Further calls do nothing.
    static void install();
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit WheelGuard(QObject* parent);
};

} // namespace dyno
