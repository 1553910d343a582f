// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/error.h>

#include <QLineEdit>
#include <QTimer>

#include <optional>

class QLabel;

namespace dyno {

//! The search line of the sessions, and what is wrong with it.
class SessionSearch : public QLineEdit
{
    Q_OBJECT
public:
    explicit SessionSearch(QWidget* parent = nullptr);
    //! Has a place of its own; shown when a mistake stays for a moment.
    [[nodiscard]] QLabel* problem() const { return m_problem; }
    void showProblem(const std::optional<Error>& wrong);

private:
    QLabel* m_problem;
    QTimer m_timer; //!< until the problem is shown
};

} // namespace dyno
