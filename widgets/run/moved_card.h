// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What moved while throughput fell, or in a range that a person chose: a sentence where one fits, the measures by the
//! size of their movement, and what can be done next. GUI thread.
#pragma once

#include "parts/card.h"
#include "run/run_measures.h"

#include <dyno/moved.h>

#include <QTimer>

#include <optional>
#include <string>
#include <vector>

namespace dyno {

class LiveRunModel;

//! One line a measure: its name, what it was and became, and a bar of how far it moved.
class MoveBars : public QWidget
{
    Q_OBJECT
public:
    struct Row
    {
        QString name, values; //!< "Disk writes", "96 → 497 MiB/s"
        double score = 0;     //!< SeriesMove::score
    };
    explicit MoveBars(QWidget* parent = nullptr);
    void setRows(std::vector<Row> rows);
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Row> m_rows;
};

//! Hidden while there is neither a stall nor a chosen range.
class MovedCard : public Card
{
    Q_OBJECT
public:
    explicit MovedCard(const LiveRunModel& model, QWidget* parent = nullptr); //!< `model` must outlive it
    void showStalls();                          //!< those of the run have changed: shows a new one
    void showStall(double seconds);             //!< the one that holds this moment, if there is one
    void showRange(const TimeStretch& stretch); //!< until the next stall, or another run
    [[nodiscard]] std::optional<TimeStretch> shown() const { return m_shown; }
    [[nodiscard]] const std::vector<MoveBars::Row>& rows() const { return m_bars->rows(); }
    [[nodiscard]] QString sentence() const; //!< "" where none fits

signals:
    void zoomWanted(double from, double to); //!< seconds of the run
    void momentWanted(double seconds);       //!< to be shown in the plots

private:
    void buildActions();
    void forget();
    void onRun();
    void showAgain();
    void showMoves();
    void nextStall();
    void allStalls();
    void explain(std::size_t stall);
    [[nodiscard]] std::optional<std::size_t> stallAt(double seconds) const;
    [[nodiscard]] QString sentenceOf(const std::vector<RunMeasure>& measures,
                                     const std::vector<SeriesMove>& moves) const;

    const LiveRunModel& m_model;
    Chip* m_chip;
    QLabel* m_sentence;
    QLabel* m_nothing;
    MoveBars* m_bars;
    QPushButton *m_zoom, *m_next, *m_allStalls;
    std::optional<TimeStretch> m_shown;
    std::optional<std::size_t> m_stall; //!< index into the run's stalls; none: a chosen range
    bool m_all = false;                 //!< all stalls together are explained, m_shown is the last of them
    std::int64_t m_explainedToNs = 0;   //!< a stall that begins later is a new one
    std::string m_session;              //!< of the run that is explained
    int m_run = -1;                     //!< its index in that session
    QTimer m_again;                     //!< the run was rebuilt: once for all of its samples
};

} // namespace dyno
