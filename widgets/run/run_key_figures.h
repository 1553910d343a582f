// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The figures at the head of the Run page, and the line that says when the load generator is the limit. GUI thread.
#pragma once

#include <QWidget>

class QLabel;

namespace dyno {

class KeyFigure;
class LiveRunModel;
class RunBaseline;

class RunKeyFigures : public QWidget
{
    Q_OBJECT
public:
    RunKeyFigures(const LiveRunModel& model, const RunBaseline& baseline,
                  QWidget* parent = nullptr); //!< both must outlive it
    void refresh();                           //!< the model's stalls have changed; the rest it hears of itself

private:
    void updateThroughput(bool whole);
    void updateLatencies();
    void updateErrors(bool known);
    void updateClient(bool have);

    const LiveRunModel& m_model;
    const RunBaseline& m_baseline;
    KeyFigure *m_throughput, *m_median, *m_p95, *m_p99, *m_errors, *m_client;
    QLabel* m_limit;
};

} // namespace dyno
