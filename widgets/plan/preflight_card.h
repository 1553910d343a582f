// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What stands in the way of the plan on its servers: a list of sentences with remedies, and buttons that put a safe
//! remedy into the plan. Looks off the GUI thread, and only when somebody asks. GUI thread.
#pragma once

#include "bridge/job.h"
#include "parts/card.h"

#include <dyno/plan.h>
#include <dyno/preflight.h>

#include <QString>

#include <functional>
#include <vector>

class QProgressBar;
class QVBoxLayout;

namespace dyno {

class PlanEditor;

//! The button of an item; none without a text.
struct RowAction
{
    QString text, objectName, accessibleName, toolTip;
};

//! One item: icon, sentence, remedy, and a button.
class PreflightRow : public QWidget
{
    Q_OBJECT
public:
    explicit PreflightRow(const PreflightItem& item, const RowAction& action, QWidget* parent = nullptr);

signals:
    void fixClicked();

private:
    void updateIcon();
    PreflightLevel m_level;
    QLabel* m_icon;
};

class PreflightCard : public Card
{
    Q_OBJECT
public:
    //! `password` is asked for at each look and kept nowhere.
    PreflightCard(PlanEditor& editor, std::function<QString()> password, std::function<Consent()> consent,
                  QWidget* parent = nullptr);
    //! Looks at the servers of the plan as it is now.
    void check();
    [[nodiscard]] bool checking() const { return m_checking; }
    //! Of the last look that succeeded.
    [[nodiscard]] const std::vector<PreflightReport>& reports() const { return m_reports; }

signals:
    void finished(bool reached); //!< a look has ended and its result is on the screen

private:
    enum class State { Nothing, Busy, Failed, Shown, Stale };

    void planChanged();
    void show(const Expected<std::vector<PreflightReport>>& result);
    void showItems();
    void setState(State state);
    void applyFix(const PreflightFix& fix);

    PlanEditor& m_editor;
    std::function<QString()> m_password;
    std::function<Consent()> m_consent;
    Job<Expected<std::vector<PreflightReport>>> m_job;
    std::vector<PreflightReport> m_reports;
    QString m_uri;         //!< that the list is about
    bool m_ofPlan = false; //!< what failed is the plan itself: a change may have fixed it
    Chip* m_chip;
    QLabel* m_text;
    QProgressBar* m_busy;
    QVBoxLayout* m_items;
    QPushButton* m_all;
    QPushButton* m_button;
    State m_state = State::Nothing;
    bool m_checking = false;
    bool m_showAll = false;
};

//! True when some point of the plan uses a server that is not ours: nothing can be seen of the others before they
//! start.
[[nodiscard]] bool hasRemoteTarget(const Plan& plan);

} // namespace dyno
