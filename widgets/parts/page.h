// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A page of the rail. Adding one: its files, one line in main_window.cpp, one in CMake.
#pragma once

#include "parts/wheel_guard.h"

#include <QString>
#include <QWidget>

namespace dyno {

class AppContext;

class Page : public QWidget
{
    Q_OBJECT
public:
    explicit Page(AppContext& context, QWidget* parent = nullptr)
        : QWidget(parent)
        , m_context(context)
    {
        WheelGuard::install();
    }
    [[nodiscard]] virtual QString title() const = 0;      //!< under the rail's icon, translated
    [[nodiscard]] virtual QString iconName() const = 0;   //!< resources/icons/NAME.svg
    [[nodiscard]] virtual QString manualPage() const = 0; //!< its page of the manual, resources/manual/NAME.md: F1
    virtual void activated() {}                           //!< the page has come to the front

protected:
    AppContext& context() const { return m_context; }

private:
    AppContext& m_context;
};

} // namespace dyno
