// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A stored session that a person lays under the one on the Run page: which can be chosen, and what is drawn of it.
//! GUI thread; the library is read by jobs in the background.
#pragma once

#include "bridge/job.h"
#include "run/live_run_model.h"

#include <dyno/library.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

class ChoicePill;

//! One complete run of the baseline, as its line is drawn.
struct BaselineRun
{
    PointSpec point;
    int repeat = 1;              //!< 1-based
    double tps = 0;              //!< mean of the measured time
    QVector<double> time, rates; //!< seconds as in RunSeries, and transactions per second of each interval
};

//! None is chosen when another session comes on the page; the choice stays for all runs of a session.
class RunBaseline : public QObject
{
    Q_OBJECT
public:
    //! `model` must outlive it.
    RunBaseline(const LiveRunModel& model, std::filesystem::path library, QObject* parent = nullptr);

    //! The choice for the head of a card, which becomes its parent; hidden where no stored session fits.
    [[nodiscard]] ChoicePill* choice() const { return m_choice; }
    [[nodiscard]] bool chosen() const { return m_isRead; } //!< and read
    //! Of the run on the page: the same point and repeat, else the first of the same point; nullptr when there is none.
    [[nodiscard]] const BaselineRun* run() const;
    //! Mean throughput of the complete runs of the same point as that of the session on the page.
    [[nodiscard]] std::optional<double> rateOf(std::size_t point) const;
    void refreshChoices(); //!< the library has changed

signals:
    void changed(); //!< another one, none, or it has been read
    void failed(const QString& text);

private:
    void onSession();
    void choose(const QString& session);

    const LiveRunModel& m_model;
    std::filesystem::path m_library;
    ChoicePill* m_choice;
    Job<Expected<std::vector<SessionInfo>>> m_list;
    Job<Expected<std::vector<BaselineRun>>> m_read;
    QString m_shown;   //!< id of the session on the page
    QString m_session; //!< the chosen one, "" = none
    bool m_isRead = false;
    std::vector<BaselineRun> m_runs;
};

} // namespace dyno
