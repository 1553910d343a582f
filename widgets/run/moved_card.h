// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What moved while throughput fell, or in a range that a person chose: a sentence where one fits, the measures by the
//! size of their movement, and what can be done next. Or which series move with throughput. GUI thread.
#pragma once

#include "bridge/job.h"
#include "parts/card.h"
#include "run/run_measures.h"

#include <dyno/correlation.h>
#include <dyno/moved.h>

#include <QTimer>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dyno {

class LiveRunModel;

//! One line a measure: its name, what it was and became, and a bar of how far it moved. A line can be dragged to the
//! plots; a double click or Enter adds it there.
class MoveBars : public QWidget
{
    Q_OBJECT
public:
    struct Row
    {
        QString name, values; //!< "Disk writes", "96 → 497 MiB/s"
        double score = 0;     //!< SeriesMove::score, or SeriesCorrelation::rho
        QString id;           //!< RunMeasure::id
        QString tip;
    };
    explicit MoveBars(QWidget* parent = nullptr);
    //! `full`: score of a bar of full length, 0 = the highest one.
    void setRows(std::vector<Row> rows, double full = 0);
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QRect rowRect(std::size_t row) const;

signals:
    void rowActivated(const QString& id);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int rowAt(const QPoint& at) const; //!< −1: none
    std::vector<Row> m_rows;
    double m_full = 0;
    int m_current = 0; //!< of the keyboard
    std::optional<QPoint> m_pressed;
};

//! Hidden while there is neither a stall nor a chosen range, and nobody asked what moves with throughput.
class MovedCard : public Card
{
    Q_OBJECT
public:
    explicit MovedCard(const LiveRunModel& model, QWidget* parent = nullptr); //!< `model` must outlive it
    ~MovedCard() override;
    void showStalls();                          //!< those of the run have changed: shows a new one
    void showStall(double seconds);             //!< the one that holds this moment, if there is one
    void showRange(const TimeStretch& stretch); //!< until the next stall, or another run
    //! Ranks all series by their correlation with throughput, in this range or in all of the measured time.
    void showCorrelation(std::optional<TimeStretch> stretch);
    [[nodiscard]] bool showsCorrelation() const { return m_correlates; }
    [[nodiscard]] std::optional<TimeStretch> shown() const { return m_shown; }
    [[nodiscard]] const std::vector<MoveBars::Row>& rows() const { return m_bars->rows(); }
    [[nodiscard]] QString sentence() const; //!< "" where none fits

signals:
    void zoomWanted(double from, double to); //!< seconds of the run, to be shown with a little around it
    void momentWanted(double seconds);       //!< to be shown in the plots
    void addWanted(const QStringList& ids);  //!< RunMeasure::id

private:
    void buildActions();
    void forget();
    void onRun();
    void showAgain();
    void showMoves();
    void showChanges();
    void rank();
    //! What is ranked is what a person asked for, until the next asking: stalls that come do not change it.
    void askRanking(std::optional<TimeStretch> stretch);
    void showChange();
    [[nodiscard]] bool goesOn() const; //!< samples of the run still come
    void showRanked(const std::vector<SeriesCorrelation>& found, const std::vector<RunMeasure>& measures);
    void setCorrelates(bool on);
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
    QPushButton *m_zoom, *m_next, *m_allStalls, *m_byChange, *m_byCorrelation;
    bool m_correlates = false;
    std::optional<TimeStretch> m_rankedIn; //!< none: the whole run
    bool m_isRanked = false;               //!< false: to be ranked again
    bool m_rankedLive = false;             //!< samples came after it
    std::stop_source m_stopRanking;        //!< of the ranking under way
    Job<std::vector<SeriesCorrelation>> m_ranking;
    std::optional<TimeStretch> m_shown;
    std::optional<std::size_t> m_stall; //!< index into the run's stalls; none: a chosen range
    bool m_all = false;                 //!< all stalls together are explained, m_shown is the last of them
    std::int64_t m_explainedToNs = 0;   //!< a stall that begins later is a new one
    std::string m_session;              //!< of the run that is explained
    int m_run = -1;                     //!< its index in that session
    QTimer m_again;                     //!< the run was rebuilt: once for all of its samples
};

} // namespace dyno
