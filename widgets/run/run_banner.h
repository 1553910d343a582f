// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A line in the colour of its tone over the figures of the Run page, with up to two things to do. GUI thread.
#pragma once

#include "parts/labels.h"

#include <QFrame>

#include <array>
#include <functional>

namespace dyno {

class RunBanner : public QFrame
{
    Q_OBJECT
public:
    struct Action
    {
        QString text; //!< "" = none
        std::function<void()> run;
    };

    explicit RunBanner(QWidget* parent = nullptr); //!< hidden until something is shown
    void showText(Tone tone, const QString& text, const Action& first = {}, const Action& second = {});
    [[nodiscard]] QString text() const;

private:
    QLabel* m_text;
    std::array<QPushButton*, 2> m_buttons{};
    std::array<std::function<void()>, 2> m_actions;
};

} // namespace dyno
