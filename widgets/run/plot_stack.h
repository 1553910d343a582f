// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The small plots under throughput and latency: which there are, and in what order. GUI thread.
#pragma once

#include "run/measure_plot.h"
#include "run/run_presets.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QGridLayout;
class QMenu;
class QScrollArea;

namespace dyno {

class ElidedLabel;
class LiveRunModel;

//! Where a drop would go; drawn above the plots.
class DropMark : public QWidget
{
    Q_OBJECT
public:
    explicit DropMark(QWidget* parent);
    void showAt(const QRect& place, bool isLine);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_isLine = false;
};

//! A head with the choice of plots, and the plots in rows of four, or two where it is narrow, which scroll. What a
//! person makes of them is kept for each driver, and found again in its next run. Takes series and plots that are
//! dropped on it.
class PlotStack : public QWidget
{
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 24;
    static constexpr std::size_t kUsual = 4;

    explicit PlotStack(const LiveRunModel& model, QWidget* parent = nullptr); //!< `model` must outlive it

    [[nodiscard]] const std::vector<MeasurePlot*>& plots() const { return m_plots; }
    [[nodiscard]] QStringList wanted() const; //!< MeasurePlot::wanted() of each
    [[nodiscard]] bool oneAxis() const { return m_oneAxis; }
    [[nodiscard]] int rows() const { return m_rows; }
    [[nodiscard]] QMenu* menu() const { return m_menu; } //!< of presets
    [[nodiscard]] std::vector<PlotPreset> presets() const;

    //! Series by RunMeasure::id, before the plot at `place`; as many as have room and have no plot yet.
    void add(const QStringList& ids, std::size_t place = kMost);
    //! What nobody chose: the first few of them at the end, and not kept for other sessions.
    void addForNow(const QStringList& ids);
    void keepForNow(const QStringList& ids);                 //!< of those of addForNow(): the others go
    void replace(std::size_t place, const QStringList& ids); //!< one plot; more of them stand behind it
    void remove(std::size_t place);                          //!< the last one stays
    void move(std::size_t from, std::size_t to);             //!< `to`: its place afterwards
    void showPreset(const PlotPreset& preset);
    void showUsual();
    void showBefore(); //!< the plots before the last preset
    //! Asks for a formula: of a new plot, or of the plot at `place` instead of what it shows.
    void askForFormula(std::optional<std::size_t> place = {});

    void beginRun();  //!< the model has another run
    void append();    //!< the model's series have grown
    void markDirty(); //!< all of them

signals:
    void plotAdded(dyno::MeasurePlot* plot);
    void rowsChanged();
    void seriesWanted(); //!< the list of all series

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    //! What a person sees at a time.
    struct Choice
    {
        QStringList ids; //!< "": a usual one
        bool oneAxis = false;
        QString title; //!< of the preset, "" = none
    };
    struct DropPlace
    {
        std::size_t place = 0;
        bool replaces = false; //!< else it goes before the plot there
    };
    void buildHead();
    void fillMenu();
    [[nodiscard]] Choice choice() const;
    void show(const Choice& choice);
    QStringList addFresh(const QStringList& ids, std::size_t place); //!< those that have no plot yet; returns them
    [[nodiscard]] QStringList chosen() const;                        //!< wanted() without what nobody chose
    void makePlots(const QStringList& ids);
    MeasurePlot* makePlot();
    void renumber();
    void arrange();
    [[nodiscard]] int columns() const;
    void showMeasures();
    void addFormulas(); //!< to the measures: what the plots show of the kind
    void refill(MeasurePlot& plot);
    void keepShown(std::size_t from, std::size_t to);
    void fitAxes();
    void drawSoon(); //!< new values: a few times a second
    void changedByPerson();
    void load();
    void save() const;
    void updateHead(const QString& note = {});
    [[nodiscard]] std::size_t placeOf(const MeasurePlot& plot) const;
    [[nodiscard]] DropPlace dropPlace(const QPoint& at, bool isPlot) const;
    void showDropMark(const DropPlace& place);

    const LiveRunModel& m_model;
    RunMeasures m_measures;
    ElidedLabel* m_facts;
    QMenu* m_menu;
    QWidget* m_head;
    QWidget* m_content;
    QGridLayout* m_grid;
    QScrollArea* m_scroll;
    DropMark* m_dropMark;
    std::vector<MeasurePlot*> m_plots;
    int m_made = 0; //!< plots so far: their colours take turns
    int m_arrangedColumns = 0, m_rows = 0;
    bool m_oneAxis = false;
    QString m_title;
    std::optional<Choice> m_before;
    std::string m_driver; //!< whose choice is shown
    QTimer m_pace;
    bool m_isStale = false; //!< values have come since the last drawing
    QStringList m_forNow;   //!< of addForNow(), in the order of their plots
};

} // namespace dyno
